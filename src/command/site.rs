//! `casebook site`: writes the workbench as static files.

use crate::command::args::OutputFormat;
use crate::command::print_json;
use crate::complaint::{Error, nearest_names};
use crate::data::library::Library;
use crate::serve::site::{check_target, packed_engine, write_site};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

const TARGET: &str = "wasm32-unknown-unknown";
/// The name of the engine where cargo builds it, and of the packed one that a release has beside the program.
const ENGINE: &str = "casebook-web.wasm";
const PACKED_ENGINE: &str = "casebook-web.wasm.gz";

/// Writes the site. The engine is `wasm`, or lies beside the program, or is built from the sources that the program was built from.
/// Of the data folder's variants it has those of `with` and what they need, or all.
pub fn site(
    library: &Library,
    with: Option<&[String]>,
    wasm: Option<&Path>,
    base: &str,
    folder: &Path,
    format: OutputFormat,
) -> Result<ExitCode, Error> {
    check_target(folder, base)?;
    let wanted = with.map(|names| carried_variants(library, names)).transpose()?;
    let carries = |key: &str| {
        let variant = key.strip_prefix("variants/").and_then(|rest| rest.split_once('/'));
        variant.is_none_or(|(name, _)| wanted.as_ref().is_none_or(|wanted| wanted.contains(name)))
    };
    let path = match wasm.map(Path::to_path_buf).or_else(engine_beside_program) {
        Some(path) => path,
        None => build_engine()?,
    };
    let engine = std::fs::read(&path).map_err(|source| Error::File { path: path.display().to_string(), source })?;
    let engine = packed_engine(engine).ok_or_else(|| Error::Usage(format!("{}: this is no WebAssembly", path.display())))?;
    write_site(&library.files, &carries, &engine, base, folder)?;
    match format {
        OutputFormat::Json => print_json(&json!({ "written": folder, "engine": engine.len() })),
        OutputFormat::Text => println!(
            "{}: the workbench as files; the engine is {:.1} MB on its way to a browser. Try it: python3 -m http.server -d {}",
            folder.display(),
            engine.len() as f64 / 1e6,
            folder.display()
        ),
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the named variants with those that they need.
fn carried_variants(library: &Library, names: &[String]) -> Result<BTreeSet<String>, Error> {
    let mut all = BTreeSet::new();
    for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        if !library.variants.contains_key(name) {
            let suggestions = nearest_names(name, library.variants.keys().map(String::as_str));
            return Err(Error::Unknown { what: "variant", name: name.into(), suggestions });
        }
        all.extend(library.with_dependencies(name));
    }
    Ok(all)
}

fn engine_beside_program() -> Option<PathBuf> {
    // Package managers start programs by links.
    let program = std::env::current_exe().and_then(|path| path.canonicalize()).ok()?;
    [PACKED_ENGINE, ENGINE].map(|name| program.with_file_name(name)).into_iter().find(|path| path.is_file())
}

/// Builds the engine with cargo.
fn build_engine() -> Result<PathBuf, Error> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    let elsewhere = || {
        let what = format!("the engine for browsers ({PACKED_ENGINE}) lies neither beside the program nor can it be built here");
        let clone = format!("run `cargo run -- site` in a clone of the sources, after `rustup target add {TARGET}`");
        Error::Usage(format!("{what}: take it from a release's archive and name it with --wasm, or {clone}"))
    };
    if !sources.join("src/web.rs").is_file() {
        return Err(elsewhere());
    }
    let target = sources.join("target").join("web");
    let built = Command::new("cargo")
        .args(["build", "--locked", "--profile", "web", "--target", TARGET, "--no-default-features", "--features", "web"])
        .args(["--bin", "casebook-web", "--target-dir"])
        .arg(&target)
        .current_dir(sources)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .map_err(|_| elsewhere())?;
    if !built.success() {
        let debian = "where rustup has none, as with Debian's compiler, `.ci/wasm` builds it, and --wasm names the file that it prints";
        return Err(Error::Usage(format!("the engine was not built; if its target is missing: `rustup target add {TARGET}`; {debian}")));
    }
    Ok(target.join(TARGET).join("web").join(ENGINE))
}
