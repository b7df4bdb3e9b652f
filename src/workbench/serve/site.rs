//! Writes the workbench as static files: the engine as WebAssembly, and the scripts that ask it as pages ask the server.

use crate::serve::assets::ASSETS;
use crate::serve::routes::{ROUTES, RouteKind};
use casebook_engine::complaint::Error;
use casebook_engine::data::files::Files;
use casebook_engine::data::transaction::write_atomic;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use rustc_hash::FxHasher;
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::io::{Read, Write};
use std::path::Path;

/// The scripts; the export fills in `@VERSION@`, and the names of the routes that write in the place of `@WRITES@`.
const SCRIPTS: [(&str, &str); 5] = [
    ("sw.js", include_str!("assets/site/sw.js")),
    ("site.js", include_str!("assets/site/site.js")),
    ("storage.js", include_str!("assets/site/storage.js")),
    ("engine.js", include_str!("assets/site/engine.js")),
    ("worker.js", include_str!("assets/site/worker.js")),
];
const START: &str = include_str!("assets/site/index.html");

/// The file that identifies a folder as an exported site.
const MARK: &str = "engine.bin";

/// Fails if a site can't be written there: the folder holds other files, or `base` is no path below which a host serves it.
pub fn check_target(folder: &Path, base: &str) -> Result<(), Error> {
    let fail = |source| Error::File {
        path: folder.display().to_string(),
        source,
    };
    let occupied = folder.exists()
        && std::fs::read_dir(folder).map_err(fail)?.next().is_some()
        && !folder.join(MARK).is_file();
    if occupied {
        return Err(Error::Usage(format!(
            "{}: there are other files in this folder; name one that is new or empty",
            folder.display()
        )));
    }
    if !base.starts_with('/') || !base.ends_with('/') {
        return Err(Error::Usage(format!(
            "--base {base}: a path begins and ends with /, such as /casebook/"
        )));
    }
    Ok(())
}

/// Packs an engine with gzip, unless it is packed; `None` if it is no WebAssembly.
pub fn packed_engine(engine: Vec<u8>) -> Option<Vec<u8>> {
    let (mut start, is_packed) = ([0; 4], engine.starts_with(&[0x1f, 0x8b]));
    match is_packed {
        true => GzDecoder::new(&engine[..]).read_exact(&mut start).ok()?,
        false => start.copy_from_slice(engine.get(..4)?),
    }
    if start != *b"\0asm" {
        return None;
    }
    if is_packed {
        return Some(engine);
    }
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(&engine).ok()?;
    packer.finish().ok()
}

/// Writes the site into a folder that [`check_target`] accepts. `engine` is packed; `base` is the path below which a host serves the site, for
/// its page of unknown addresses. What the user's folder changes is carried along, where `carries` says so of the key.
pub fn write_site(
    files: &Files,
    carries: &dyn Fn(&str) -> bool,
    engine: &[u8],
    base: &str,
    folder: &Path,
) -> Result<(), Error> {
    // The engine has what is built in, and runs no tests.
    let differs = |key: &str, text: &str| {
        !key.starts_with("tests/")
            && carries(key)
            && files
                .embedded
                .find(key)
                .is_none_or(|written| written.text != text)
    };
    let own_files: BTreeMap<&String, &str> = files
        .by_key
        .iter()
        .filter(|(key, file)| differs(key, &file.text))
        .map(|(key, file)| (key, &*file.text))
        .collect();
    let own_files =
        serde_json::to_string(&own_files).map_err(|error| Error::Usage(error.to_string()))?;
    let writes: Vec<&str> = ROUTES
        .iter()
        .filter(|route| route.kind == RouteKind::Writes)
        .map(|route| route.path.trim_start_matches('/'))
        .collect();
    let scripts = SCRIPTS.map(|(name, text)| (name, text.replace("@WRITES@", &writes.join("|"))));
    let mut version = FxHasher::default();
    version.write(engine);
    version.write(own_files.as_bytes());
    scripts
        .iter()
        .for_each(|(_, text)| version.write(text.as_bytes()));
    let version = format!("casebook-{:016x}", version.finish());
    let write = |name: &str, text: &[u8]| write_atomic(&folder.join(name), text, |_| Ok(()));
    for (name, text) in scripts {
        write(name, text.replace("@VERSION@", &version).as_bytes())?;
    }
    // Where no service worker can be had, pages load these as files.
    for (name, _, text) in ASSETS {
        write(&format!("assets/{name}"), text.as_bytes())?;
    }
    write("files.json", own_files.as_bytes())?;
    write("index.html", START.replace("@BASE@", "").as_bytes())?;
    write("404.html", START.replace("@BASE@", base).as_bytes())?;
    write(MARK, engine)
}
