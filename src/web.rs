//! The workbench as WebAssembly. The page writes a request into memory, calls [`answer`], and reads the answer. It gives the time, and takes
//! how far a count has come.

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
    /// Receives how far a count has come: what is done, as an address and a length, the share of it that is done, and the number of states or
    /// runs. Returns 1 if the count has to end, else 0.
    safe fn report(activity: *const u8, length: usize, share: f64, count: f64) -> u32;
}

#[cfg(not(target_family = "wasm"))]
fn now() -> f64 {
    0.0
}

#[cfg(not(target_family = "wasm"))]
fn report(_activity: *const u8, _length: usize, _share: f64, _count: f64) -> u32 {
    0
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
    let time = || Duration::from_secs_f64(now().max(0.0) / 1000.0);
    let text = casebook::answer_in_browser(&request, time, |activity, share, count| {
        report(activity.as_ptr(), activity.len(), share, count as f64) != 0
    });
    let mut output = OUTPUT.lock().unwrap_or_else(PoisonError::into_inner);
    *output = text.into_bytes();
    output.len()
}

/// Returns the address of the answer.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .as_ptr()
}
