//! `casebook serve`: runs the workbench server.

use crate::complaint::Error;
use crate::data::files::DataFile;
use crate::serve::connections::ServerLimits;
use crate::serve::layout::situation_address;
use crate::serve::page_request::PageRequest;
use crate::serve::server;
use crate::serve::workbench::Workbench;
use rand::Rng;
use rand_pcg::Pcg64;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// Serves until the process ends; prints the address and opens the browser unless told not to. A saved game is shown
/// first.
pub fn serve(data: Option<&Path>, saved_game: Option<DataFile>, listen: IpAddr, port: u16, open: bool) -> Result<ExitCode, Error> {
    let page = saved_game.as_ref().and_then(|file| {
        let (game, name) = file.key.strip_prefix("scenarios/")?.strip_suffix(".yaml")?.split_once('/')?;
        Some(situation_address(&PageRequest { game: game.into(), situation: name.into(), ..PageRequest::default() }, ""))
    });
    let page = page.unwrap_or_else(|| "/".into());
    let bench = Workbench::new(data, token())?;
    let bench = match saved_game {
        Some(file) => bench.with_file(file),
        None => bench,
    };
    let token = bench.token.clone();
    server::serve(bench, SocketAddr::new(listen, port), ServerLimits::default(), |address| {
        let greeting = format!(
            "the workbench is at http://{address}{page}?token={token}\n\
             whoever has this address may write to the data folder; without what stands behind the ? one may read. Ctrl-C ends it.\n"
        );
        // A closed standard output is no reason to stop the server.
        let _ = std::io::stdout().write_all(greeting.as_bytes()).and_then(|()| std::io::stdout().flush());
        if open {
            open_browser(&format!("http://{address}{page}?token={token}"));
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Makes an unguessable token from the randomness that the operating system gives to the standard library's hasher.
fn token() -> String {
    let fresh = || RandomState::new().build_hasher().finish();
    let mut generator = Pcg64::new(u128::from(fresh()) << 64 | u128::from(fresh()), u128::from(fresh()) << 64 | u128::from(fresh()));
    format!("{:016x}{:016x}", generator.next_u64(), generator.next_u64())
}

/// Opens the browser if the system has a command for it; a failure is ignored, because the address is printed as well.
fn open_browser(address: &str) {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let _ = Command::new(program).args(before).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
