//! Build-script code: lists every data file with its text, to embed it in the binary, together with the parsed functions of scripts, so
//! that the binary need not parse them again.

#[path = "data/function_headers.rs"]
#[allow(dead_code)]
mod function_headers;
#[path = "syntax/grammar.rs"]
#[allow(dead_code)]
mod grammar;
#[path = "syntax/tree.rs"]
#[allow(dead_code)]
mod tree;

use function_headers::FunctionHeader;
use std::path::{Path, PathBuf};
use std::{env, fmt::Write, fs};

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    // A browser downloads the binary, and parsing takes less time than loading packed trees; it runs no tests.
    let pack = env::var("CARGO_CFG_TARGET_FAMILY").as_deref() != Ok("wasm");
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    // Only subfolders of games hold test data; all others in `tests` are integration tests of cargo.
    let games = fs::read_dir(root.join("rules")).into_iter().flatten().flatten().map(|game| Path::new("tests").join(game.file_name()));
    let trees = ["rules", "tables", "scenarios", "variants"].map(PathBuf::from).into_iter().chain(games.filter(|_| pack));
    for tree in trees.filter(|tree| root.join(tree).is_dir()) {
        println!("cargo:rerun-if-changed={}", tree.display());
        walk(&root, &root.join(tree), &mut found);
    }
    found.sort();
    let (mut list, mut functions) = (String::from("&[\n"), String::from("&[\n"));
    let (mut trees, mut count) = (Vec::new(), 0);
    for (key, path) in &found {
        let text = fs::read_to_string(path).unwrap_or_default();
        let first = count;
        for (FunctionHeader { line, text_range, .. }, body) in packed_functions(key, &text).filter(|_| pack).unwrap_or_default() {
            let from = trees.len();
            trees.extend(body);
            count += 1;
            let packed = from..trees.len();
            writeln!(functions, "    EmbeddedFunction {{ line: {line}, text_range: {text_range:?}, body_range: {packed:?} }},")
                .expect("writing to a string");
        }
        // The compiler, unlike cargo, notices when the sources lie in another folder than before.
        let text = format!("concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?})", format!("/{key}"));
        let functions = first..count;
        writeln!(list, "    EmbeddedFile {{ key: {key:?}, text: include_str!({text}), functions: {functions:?} }},")
            .expect("writing to a string");
    }
    list.push_str("]\n");
    functions.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("library.rs"), list).expect("the build folder can be written");
    fs::write(out.join("functions.rs"), functions).expect("the build folder can be written");
    fs::write(out.join("bodies"), trees).expect("the build folder can be written");
}

/// Packs the functions of a script; `None` if the script has errors.
fn packed_functions<'t>(key: &str, text: &'t str) -> Option<Vec<(FunctionHeader<'t>, Vec<u8>)>> {
    let headers = key.ends_with(".rhai").then(|| function_headers::function_headers(text))?;
    let known = |name: &String| headers.iter().any(|header| header.name == name);
    if !grammar::parse_file(text).ok()?.iter().all(known) {
        return None;
    }
    let before = if function_headers::is_test_file(key) { function_headers::TEST_LINES } else { 0 };
    let parsed = |header: &FunctionHeader| {
        grammar::parse_function(&text[header.text_range.clone()], before + header.line, header.param_names()).ok()
    };
    let packed = |header: &FunctionHeader| postcard::to_allocvec(&parsed(header)?.to_tree()).ok();
    headers.into_iter().map(|header| packed(&header).map(|body| (header, body))).collect()
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<(String, PathBuf)>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            walk(root, &path, found);
        } else if path.extension().is_some_and(|end| end == "rhai" || end == "yaml") {
            let key = path.strip_prefix(root).expect("found below the root").to_string_lossy().replace('\\', "/");
            found.push((key, path));
        }
    }
}
