//! Run by cargo before the crate is compiled: lists every data file with its text, so that the binary carries the rules.

use std::{env, fmt::Write, fs, path::Path};

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let mut list = String::from("&[\n");
    for tree in ["rules", "tables", "scenarios", "variants"] {
        println!("cargo:rerun-if-changed={tree}");
        walk(Path::new(&root), &Path::new(&root).join(tree), &mut list);
    }
    // The tests of rulings; what else stands in `tests` is for cargo.
    for game in fs::read_dir(Path::new(&root).join("rules")).into_iter().flatten().flatten() {
        let folder = Path::new("tests").join(game.file_name());
        if Path::new(&root).join(&folder).is_dir() {
            println!("cargo:rerun-if-changed={}", folder.display());
            walk(Path::new(&root), &Path::new(&root).join(&folder), &mut list);
        }
    }
    list.push_str("]\n");
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets OUT_DIR")).join("library.rs");
    fs::write(out, list).expect("the build folder can be written");
}

fn walk(root: &Path, folder: &Path, list: &mut String) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            walk(root, &path, list);
        } else if path.extension().is_some_and(|end| end == "rhai" || end == "yaml") {
            let name = path.strip_prefix(root).expect("found below the root").to_string_lossy().replace('\\', "/");
            writeln!(list, "    ({name:?}, include_str!({:?})),", path.to_string_lossy()).expect("writing to a string");
        }
    }
}
