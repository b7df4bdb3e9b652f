//! ZIP files within bounds. Entries are read by name into memory; nothing is unpacked to disk.

use crate::fault::{VassalFault, VassalFaultKind};
use casebook_engine::complaint::Error;
use casebook_engine::data::regular_file::open_file;
use std::io::{BufReader, Cursor, Read, Seek, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Maximum number of entries; the largest known module has some 20,000 images.
const MAX_ENTRIES: usize = 100_000;

/// Maximum size of an archive, in bytes; the largest known module has half of it.
const MAX_ARCHIVE: u64 = 2 << 30;

/// Maximum number of bytes of an entry that is read.
pub const MAX_ENTRY: u64 = 64 << 20;

/// Maximum ratio of packed to unpacked size. Deflate itself can't exceed 1032; saved games reach 30.
const MAX_RATIO: u64 = 250;

/// Entries below this size may have any ratio.
const RATIO_FREE: u64 = 1 << 20;

pub trait ByteSource: Read + Seek {}

impl<T: Read + Seek> ByteSource for T {}

/// An opened ZIP file.
pub struct Archive {
    path: String,
    zip: ZipArchive<Box<dyn ByteSource>>,
}

impl Archive {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Archive, Error> {
        let fail = |source| Error::File {
            path: path.display().to_string(),
            source,
        };
        let file = open_file(path, MAX_ARCHIVE).map_err(fail)?;
        Ok(Archive::new(
            &path.display().to_string(),
            Box::new(BufReader::new(file)),
        )?)
    }

    /// Opens a source of bytes.
    pub fn new(path: &str, source: Box<dyn ByteSource>) -> Result<Archive, VassalFault> {
        let zip = ZipArchive::new(source).map_err(|error| {
            VassalFaultKind::NoArchive {
                error: error.to_string(),
            }
            .at(path)
        })?;
        if zip.len() > MAX_ENTRIES {
            return Err(VassalFaultKind::TooManyFiles {
                count: zip.len(),
                most: MAX_ENTRIES,
            }
            .at(path));
        }
        let names = zip
            .file_names()
            .map(|name| name.map_or_else(|error| error.to_string(), |name| name.into_owned()));
        if let Some(name) = names.into_iter().find(|name| leaves_folder(name)) {
            return Err(VassalFaultKind::LeadsOut { name }.at(path));
        }
        Ok(Archive {
            path: path.into(),
            zip,
        })
    }

    /// Returns the place of an entry for complaints.
    pub fn place(&self, name: &str) -> String {
        format!("{}: {name}", self.path)
    }

    /// Reads an entry; `None` if there is none.
    pub fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, VassalFault> {
        self.read_start(name, MAX_ENTRY, true)
    }

    /// Reads an entry as text; `None` if there is none. Bytes that are no UTF-8 are replaced, as VASSAL does.
    pub fn text(&mut self, name: &str) -> Result<Option<String>, VassalFault> {
        Ok(self
            .read(name)?
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Reads the first bytes of an entry; with `whole` an entry that is longer is a fault.
    pub fn read_start(
        &mut self,
        name: &str,
        max_bytes: u64,
        whole: bool,
    ) -> Result<Option<Vec<u8>>, VassalFault> {
        let place = self.place(name);
        let Some(index) = self.zip.index_for_name(name) else {
            return Ok(None);
        };
        let bad = |error: String| VassalFaultKind::UnreadablePart { error }.at(&place);
        let file = self
            .zip
            .by_index(index)
            .map_err(|error| bad(error.to_string()))?;
        // The sizes in the directory are claims; what comes out is counted.
        let fair = file
            .compressed_size()
            .saturating_mul(MAX_RATIO)
            .max(RATIO_FREE);
        let bound = max_bytes.min(fair);
        let mut bytes = Vec::new();
        file.take(bound + u64::from(whole))
            .read_to_end(&mut bytes)
            .map_err(|error| bad(error.to_string()))?;
        if whole && bytes.len() as u64 > bound {
            let kind = match max_bytes <= fair {
                true => VassalFaultKind::TooLarge {
                    megabytes: max_bytes >> 20,
                },
                false => VassalFaultKind::TooCompressed { most: MAX_RATIO },
            };
            return Err(kind.at(&place));
        }
        Ok(Some(bytes))
    }
}

/// Returns whether a name leads out of the folder that the archive is unpacked into.
fn leaves_folder(name: &str) -> bool {
    let path_parts = || name.split(['/', '\\']);
    name.starts_with(['/', '\\'])
        || name.contains('\0')
        || path_parts().any(|part| part == "..")
        || name.get(1..2) == Some(":")
}

/// Packs files into an archive; equal files give equal archives.
pub fn pack(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, Error> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let fail = |error: std::io::Error| Error::File {
        path: "the archive".into(),
        source: error,
    };
    for (name, bytes) in files {
        zip.start_file(name.as_str(), options)
            .map_err(|error| fail(error.into()))?;
        zip.write_all(bytes).map_err(fail)?;
    }
    Ok(zip
        .finish()
        .map_err(|error| fail(error.into()))?
        .into_inner())
}
