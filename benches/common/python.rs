//! Python scripts that time other tools.

use std::process::Command;

/// Runs a script; each of its output lines is a name, microseconds and a result.
pub fn run_peers(script: &str) -> Vec<(String, f64, String)> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let script = format!("{}/benches/{script}", env!("CARGO_MANIFEST_DIR"));
    let Ok(done) = Command::new(&python).arg(&script).output() else {
        return Vec::new();
    };
    if !done.status.success() {
        println!(
            "{python} can't run the other tools: {}",
            String::from_utf8_lossy(&done.stderr)
                .lines()
                .last()
                .unwrap_or_default()
        );
    }
    let line = |line: &str| match line.split('\t').collect::<Vec<_>>()[..] {
        [name, time, came] => Some((name.to_string(), time.parse().ok()?, came.to_string())),
        _ => None,
    };
    String::from_utf8_lossy(&done.stdout)
        .lines()
        .filter_map(line)
        .collect()
}
