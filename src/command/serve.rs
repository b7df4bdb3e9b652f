//! `casebook serve`, `site` and `book`: the workbench as a server and as static files, and the rulebook as a folder of HTML.

use crate::EMBEDDED;
use crate::command::out::Printer;
use crate::command::ruleset_args::RulesetArgs;
use crate::command::targets::resolve_game;
use casebook_engine::complaint::{Error, nearest_names};
use casebook_engine::data::files::DataFile;
use casebook_engine::data::library::{InForce, Library};
use casebook_engine::data::regular_file::read_bytes;
use casebook_engine::ruleset::diagnostics::build_ruleset;
use casebook_view::block::WrittenFiles;
use casebook_workbench::serve::book::export::write_book;
use casebook_workbench::serve::layout::situation_address;
use casebook_workbench::serve::page_request::PageRequest;
use casebook_workbench::serve::server::{self, ServerLimits};
use casebook_workbench::serve::site::{check_target, packed_engine, write_site};
use casebook_workbench::serve::workbench::Workbench;
use rand::Rng;
use rand_pcg::Pcg64;
use std::collections::BTreeSet;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Serves until the process ends; prints the address and opens the browser unless told not to. A saved game is shown
/// first.
pub fn serve(
    data: Option<&Path>,
    saved_game: Option<DataFile>,
    listen: IpAddr,
    port: u16,
    open: bool,
) -> Result<(), Error> {
    let page = saved_game.as_ref().and_then(|file| {
        let (game, name) = file
            .key
            .strip_prefix("scenarios/")?
            .strip_suffix(".yaml")?
            .split_once('/')?;
        Some(situation_address(&PageRequest::of(game, name), ""))
    });
    let page = page.unwrap_or_else(|| "/".into());
    let mut bench = Workbench::new(data, EMBEDDED, token())?;
    if let Some(file) = saved_game {
        bench = bench.with_file(file);
    }
    let token = bench.token.clone();
    server::serve(
        bench,
        SocketAddr::new(listen, port),
        ServerLimits::default(),
        |address| {
            let greeting = format!(
                "the workbench is at http://{address}{page}?token={token}\n\
             Anyone with this address can write to the data folder; without the part after `?` they can only read. Ctrl-C ends it.\n"
            );
            // A closed standard output is no reason to stop the server.
            let _ = std::io::stdout()
                .write_all(greeting.as_bytes())
                .and_then(|()| std::io::stdout().flush());
            if open {
                open_browser(&format!("http://{address}{page}?token={token}"));
            }
        },
    )
}

/// Makes an unguessable token from the randomness that the operating system gives to the standard library's hasher.
fn token() -> String {
    let random_bits = || RandomState::new().build_hasher().finish();
    let mut generator = Pcg64::new(
        u128::from(random_bits()) << 64 | u128::from(random_bits()),
        u128::from(random_bits()) << 64 | u128::from(random_bits()),
    );
    format!("{:016x}{:016x}", generator.next_u64(), generator.next_u64())
}

/// Opens the browser if the system has a command for it; a failure is ignored, because the address is printed as well.
fn open_browser(address: &str) {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let _ = Command::new(program)
        .args(before)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}

const TARGET: &str = "wasm32-unknown-unknown";
/// The name of the engine where cargo builds it, and of the packed one that a release has beside the program.
const ENGINE: &str = "casebook-web.wasm";
const PACKED_ENGINE: &str = "casebook-web.wasm.gz";

/// Maximum size of an engine, in bytes.
const MAX_ENGINE: u64 = 256 << 20;

/// Writes the site. The engine is `wasm`, or lies beside the program, or is built from the sources that the program was built from.
/// Of the data folder's variants it has those of `with` and what they need, or all.
pub fn site(
    library: &Library,
    with: Option<&[String]>,
    wasm: Option<&Path>,
    base: &str,
    folder: &Path,
    out: Printer,
) -> Result<(), Error> {
    check_target(folder, base)?;
    let carried = with
        .map(|names| carried_variants(library, names))
        .transpose()?;
    let carries = |key: &str| {
        let variant = key
            .strip_prefix("variants/")
            .and_then(|rest| rest.split_once('/'));
        variant.is_none_or(|(name, _)| {
            carried
                .as_ref()
                .is_none_or(|carried| carried.contains(name))
        })
    };
    let path = match wasm.map(Path::to_path_buf).or_else(engine_beside_program) {
        Some(path) => path,
        None => build_engine()?,
    };
    let engine = read_bytes(&path, MAX_ENGINE).map_err(|source| Error::File {
        path: path.display().to_string(),
        source,
    })?;
    let engine = packed_engine(engine)
        .ok_or_else(|| Error::Usage(format!("{}: this is not WebAssembly", path.display())))?;
    write_site(&library.files, &carries, &engine, base, folder)?;
    let (shown, megabytes) = (folder.display(), engine.len() as f64 / 1e6);
    let served = format!(
        "the engine is {megabytes:.1} MB on its way to a browser. Try it: python3 -m http.server -d {shown}"
    );
    out.print(
        || WrittenFiles {
            notes: vec![served.clone()],
            ..WrittenFiles::new([folder])
        },
        || format!("{shown}: the workbench as files; {served}\n"),
    );
    Ok(())
}

/// Returns the named variants with those that they need.
fn carried_variants(library: &Library, names: &[String]) -> Result<BTreeSet<String>, Error> {
    let mut carried = BTreeSet::new();
    for name in names
        .iter()
        .map(|name| name.trim())
        .filter(|name| !name.is_empty())
    {
        if !library.variants.contains_key(name) {
            let suggestions = nearest_names(name, library.variants.keys().map(String::as_str));
            return Err(Error::Unknown {
                kind: "variant",
                name: name.into(),
                suggestions,
            });
        }
        carried.extend(library.with_dependencies(name));
    }
    Ok(carried)
}

fn engine_beside_program() -> Option<PathBuf> {
    // Package managers start programs by links.
    let program = std::env::current_exe()
        .and_then(|path| path.canonicalize())
        .ok()?;
    [PACKED_ENGINE, ENGINE]
        .map(|name| program.with_file_name(name))
        .into_iter()
        .find(|path| path.is_file())
}

/// Builds the engine with cargo.
fn build_engine() -> Result<PathBuf, Error> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    let elsewhere = || {
        let message = format!(
            "the engine for browsers ({PACKED_ENGINE}) is not beside the program, and can't be built here"
        );
        let clone = format!(
            "run `cargo run -- site` in a clone of the sources, after `rustup target add {TARGET}`"
        );
        Error::Usage(format!(
            "{message}: take it from a release's archive and name it with --wasm, or {clone}"
        ))
    };
    // The folder that the program was built from may be somebody else's by now: only a program that lies in it builds there.
    let has_program = |folder: PathBuf| {
        std::env::current_exe()
            .and_then(|path| path.canonicalize())
            .is_ok_and(|path| path.starts_with(folder))
    };
    if !sources.canonicalize().is_ok_and(has_program) || !sources.join("src/web.rs").is_file() {
        return Err(elsewhere());
    }
    eprintln!(
        "building the engine for browsers in {}: the first time this takes some minutes",
        sources.display()
    );
    let target = sources.join("target").join("web");
    let built = Command::new("cargo")
        .args([
            "build",
            "--locked",
            "--profile",
            "web",
            "--target",
            TARGET,
            "--no-default-features",
            "--features",
            "web",
        ])
        .args(["--bin", "casebook-web", "--target-dir"])
        .arg(&target)
        .current_dir(sources)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .map_err(|_| elsewhere())?;
    if !built.success() {
        let debian = "where rustup has none, as with Debian's compiler, `.ci/wasm` builds it, and --wasm names the file that it prints";
        return Err(Error::Usage(format!(
            "the engine was not built; if its target is missing: `rustup target add {TARGET}`; {debian}"
        )));
    }
    Ok(target.join(TARGET).join("web").join(ENGINE))
}

/// Runs `book`: exports the rulebook of a ruleset as a folder of static HTML.
pub fn book(
    library: &Arc<Library>,
    args: &RulesetArgs,
    folder: &Path,
    out: Printer,
) -> Result<(), Error> {
    let (ruleset, _) = build_ruleset(
        library,
        &args.spec(
            library,
            &resolve_game(library, &args.game)?,
            InForce::default(),
        ),
    )?;
    let files = write_book(&ruleset, folder)?;
    let first = folder.join("index.html");
    out.print(
        || WrittenFiles::new(&files),
        || {
            format!(
                "{} pages; begin with {}\n",
                files.len() - 1,
                first.display()
            )
        },
    );
    Ok(())
}
