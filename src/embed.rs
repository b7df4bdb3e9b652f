//! Build-script code: lists every data file with its text, to embed it in the binary.

use std::path::{Path, PathBuf};
use std::{env, fmt::Write, fs};

fn main() {
    let root =
        PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    // A browser downloads the binary, and runs no tests.
    let with_tests = env::var("CARGO_CFG_TARGET_FAMILY").as_deref() != Ok("wasm");
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    // Only subfolders of games hold test data; all others in `tests` are integration tests of cargo.
    let games = fs::read_dir(root.join("rules"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|game| Path::new("tests").join(game.file_name()));
    let trees = ["rules", "tables", "scenarios", "variants"]
        .map(PathBuf::from)
        .into_iter()
        .chain(games.filter(|_| with_tests));
    for tree in trees.filter(|tree| root.join(tree).is_dir()) {
        println!("cargo:rerun-if-changed={}", tree.display());
        walk(&root, &root.join(tree), &mut found);
    }
    found.sort();
    let mut list = String::from("&[\n");
    for (key, _) in &found {
        // The compiler, unlike cargo, notices when the sources lie in another folder than before.
        let text = format!(
            "concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?})",
            format!("/{key}")
        );
        writeln!(
            list,
            "    EmbeddedFile {{ key: {key:?}, text: include_str!({text}) }},"
        )
        .expect("writing to a string");
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("library.rs"), list).expect("the build folder can be written");
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<(String, PathBuf)>) {
    for path in fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
    {
        if path.is_dir() {
            walk(root, &path, found);
        } else if path
            .extension()
            .is_some_and(|end| end == "rhai" || end == "yaml")
        {
            let key = path
                .strip_prefix(root)
                .expect("found below the root")
                .to_string_lossy()
                .replace('\\', "/");
            found.push((key, path));
        }
    }
}
