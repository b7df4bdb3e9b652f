//! The public API is sufficient: the separate crate in `tests/embed` compiles against it and passes its tests.

use std::path::Path;
use std::process::Command;

#[test]
fn a_stranger_builds_a_bot_on_the_library() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = root.join("tests/embed");
    // With the versions of this repository, and into its folder, most libraries are compiled already.
    std::fs::copy(root.join("Cargo.lock"), own.join("Cargo.lock")).expect("the lock file can be copied");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it lies in the build folder");
    let done = Command::new(env!("CARGO"))
        .args(["test", "--offline", "--quiet", "--manifest-path"])
        .arg(own.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", target)
        .env_remove("RUSTFLAGS")
        // Optimisation would cost more time than these tests take.
        .env_remove("CARGO_PROFILE_TEST_OPT_LEVEL")
        .output()
        .expect("cargo runs");
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{said}");
    assert!(said.contains("6 passed"), "its tests ran: {said}");
}
