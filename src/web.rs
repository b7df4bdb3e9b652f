//! The workbench as WebAssembly. The page writes a request into memory, calls [`answer`], and reads the answer; only the time is imported.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static OUTPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

#[cfg(target_family = "wasm")]
#[allow(unsafe_code)]
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Returns milliseconds since some fixed instant.
    safe fn now() -> f64;
}

#[cfg(not(target_family = "wasm"))]
fn now() -> f64 {
    0.0
}

fn main() {}

/// Makes room for a request of `length` bytes and returns its address.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    let mut input = INPUT.lock().unwrap_or_else(PoisonError::into_inner);
    input.clear();
    input.resize(length, 0);
    input.as_mut_ptr()
}

/// Answers the request and returns the length of the answer; see `casebook::answer_in_browser`.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let request = std::mem::take(&mut *INPUT.lock().unwrap_or_else(PoisonError::into_inner));
    let text = casebook::answer_in_browser(&request, || Duration::from_secs_f64(now().max(0.0) / 1000.0));
    let mut output = OUTPUT.lock().unwrap_or_else(PoisonError::into_inner);
    *output = text.into_bytes();
    output.len()
}

/// Returns the address of the answer.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.lock().unwrap_or_else(PoisonError::into_inner).as_ptr()
}
