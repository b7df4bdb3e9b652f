//! A pack: a variant as one file to send, with its dependencies, its exclusions, its files and its tests; or a whole game with its
//! variants.

use crate::author::check;
use crate::author::scaffold::{check_free_name, check_plain_name};
use crate::testing::test;
use casebook_engine::complaint::{
    Complaint, Complaints, DiagnosticCode, Error, Place, Severity, describe_other_form,
};
use casebook_engine::data::file::DataFile;
use casebook_engine::data::files::manifest_key;
use casebook_engine::data::library::Library;
use casebook_engine::data::manifest::Game;
use casebook_engine::data::text_file::read_named;
use casebook_engine::data::transaction::Transaction;
use casebook_engine::data::transaction::write_atomic;
use casebook_engine::data::yaml_edit::{YamlStep, add_name, set};
use casebook_engine::data::yaml_events::{PlacedEvent, YamlEvent, parse_events};
use casebook_engine::data::yaml_writer::write_scalar;
use casebook_engine::ruling::commitment::digest;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The format version that this program writes and reads.
const FORMAT_VERSION: u32 = 1;

/// The most files that are unpacked.
const MAX_FILES: usize = 2_000;

/// A variant or a game with all its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    /// The format version of the file.
    pub pack: u32,
    /// The name of the variant; empty if a whole game is packed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
    /// The title of the variant or the game.
    pub title: String,
    /// The version, if the manifest gives one.
    #[serde(default)]
    pub version: String,
    /// The name of the game.
    pub game: String,
    /// The variants that it needs in force.
    pub needs: Vec<String>,
    /// The variants that it excludes.
    pub excludes: Vec<String>,
    /// The files: path and content.
    pub files: BTreeMap<String, String>,
    /// The hash of all that, by which a file that lost something on its way is found out; empty in packs of earlier programs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub checksum: String,
}

/// The number of a pack's form alone.
#[derive(Deserialize)]
struct PackForm {
    pack: u32,
}

impl Pack {
    /// Packs a variant or a game of a library; fails if the name is unknown, or if a file of it can't be read.
    pub fn from_library(library: &Library, name: &str) -> Result<Pack, Error> {
        if let Some(game) = library
            .games
            .get(name)
            .filter(|_| !library.variants.contains_key(name))
        {
            check_readable(library, &|key| {
                key.split('/').nth(1) == Some(name)
                    || library.game_of(key).is_some_and(|game| game == name)
            })?;
            return Ok(Pack::of_game(library, game));
        }
        let names = || {
            library
                .variants
                .keys()
                .chain(library.games.keys())
                .map(String::as_str)
        };
        let variant = library
            .variants
            .get(name)
            .ok_or_else(|| Error::unknown("variant or game", name, names()))?;
        let folder = format!("variants/{name}/");
        check_readable(library, &|key| {
            key.starts_with(&folder) || key.starts_with(&format!("tests/{}/", variant.game))
        })?;
        let files = library
            .files
            .by_key
            .values()
            .filter(|file| file.key.starts_with(&folder));
        let mut files: BTreeMap<String, String> = files
            .map(|file| (file.key.clone(), file.text.to_string()))
            .collect();
        for test_file in test::test_files(library, &variant.game, "") {
            // Tests across many rulesets stay with their author.
            let about = |ruling_test: &test::RulingTest| {
                ruling_test
                    .variants
                    .as_ref()
                    .is_some_and(|with| with.iter().any(|variant_name| variant_name == name))
            };
            if test_file.file.key.starts_with("tests/")
                && !test_file.tests.is_empty()
                && test_file.tests.iter().all(about)
            {
                files.insert(test_file.file.key.clone(), test_file.file.text.to_string());
            }
        }
        Ok(Pack {
            pack: FORMAT_VERSION,
            variant: name.into(),
            title: variant.title.clone(),
            version: variant.version.clone(),
            game: variant.game.clone(),
            needs: variant.needs.clone(),
            excludes: variant.excludes.clone(),
            files,
            checksum: String::new(),
        })
    }

    /// Packs a game: its rules, tables, situations and tests, and those of its variants.
    fn of_game(library: &Library, game: &Game) -> Pack {
        let is_of_game = |file: &&DataFile| {
            belongs(&file.key, &game.name)
                || is_variant_file(&file.key) && library.game_of(&file.key) == Some(&game.name)
        };
        let mut files: BTreeMap<String, String> = library
            .files
            .by_key
            .values()
            .filter(is_of_game)
            .map(|file| (file.key.clone(), file.text.to_string()))
            .collect();
        let tests = test::test_files(library, &game.name, "")
            .into_iter()
            .filter(|test_file| belongs(&test_file.file.key, &game.name));
        files.extend(
            tests.map(|test_file| (test_file.file.key.clone(), test_file.file.text.to_string())),
        );
        let (variant, version, needs, excludes) = Default::default();
        Pack {
            pack: FORMAT_VERSION,
            variant,
            title: game.title.clone(),
            version,
            game: game.name.clone(),
            needs,
            excludes,
            files,
            checksum: String::new(),
        }
    }

    /// Fails if a packed file has errors in a library that has the files, saying how it ends: such a pack can't be used.
    pub fn check(&self, library: &Arc<Library>, end: &str) -> Result<(), Error> {
        let complaints = if self.variant.is_empty() {
            check::check(library, &|game| game == self.game)
        } else {
            check::check_variant(library, &self.variant)
        };
        let paths: BTreeSet<&str> = self
            .files
            .keys()
            .filter_map(|key| Some(library.files.by_key.get(key)?.path.as_str()))
            .collect();
        let is_of_pack = |complaint: &Complaint| {
            complaint.severity == Severity::Error && paths.contains(complaint.place.path.as_str())
        };
        refuse(complaints.0.into_iter().filter(is_of_pack).collect(), end)
    }

    /// Returns the pack of a variant under another name. Tests of the game are no part of it, because they may be about both.
    pub fn renamed(&self, name: &str) -> Result<Pack, Error> {
        check_plain_name(name)?;
        let folder = format!("variants/{}/", self.variant);
        let renamed_file = |(key, text): (&String, &String)| {
            let relative = key.strip_prefix(&folder)?;
            let text = match relative {
                "variant.yaml" => set(text, &[YamlStep::Key("variant")], &write_scalar(name)),
                _ => Ok(text.clone()),
            };
            Some(text.map(|text| (format!("variants/{name}/{relative}"), text)))
        };
        let files = self.files.iter().filter_map(renamed_file);
        Ok(Pack {
            variant: name.into(),
            files: files.collect::<Result<_, _>>().map_err(Error::Usage)?,
            ..self.clone()
        })
    }

    /// Says in the manifest that the variant is not layered over another, unless the manifest excludes some already.
    pub fn exclude(&mut self, excluded: &str) -> Result<(), Error> {
        let manifest = format!("variants/{}/variant.yaml", self.variant);
        let unsaid = self.excludes.is_empty();
        if let Some(text) = self.files.get_mut(&manifest).filter(|_| unsaid) {
            *text = add_name(text, "excludes", excluded).map_err(Error::Usage)?;
        }
        Ok(())
    }

    /// Returns the name of the packed variant or game.
    pub fn name(&self) -> &str {
        if self.variant.is_empty() {
            &self.game
        } else {
            &self.variant
        }
    }

    /// Returns the file name of the pack.
    pub fn file_name(&self) -> String {
        let version = if self.version.is_empty() {
            String::new()
        } else {
            format!("-{}", self.version)
        };
        format!("{}{version}.pack.yaml", self.name())
    }

    /// Serialises the pack as YAML.
    pub fn to_yaml(&self) -> Result<String, Error> {
        let mut pack = self.clone();
        pack.checksum = self.digest();
        serde_yaml::to_string(&pack)
            .map_err(|error| Error::Usage(format!("{}: {error}", self.name())))
    }

    /// Returns the hash of everything but the checksum.
    fn digest(&self) -> String {
        let mut pack = self.clone();
        pack.checksum.clear();
        digest(&json!(pack).to_string())
    }

    /// Writes the pack to a file, which is replaced if it exists.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let replace = |existing: &str| {
            Pack::parse(existing, "")
                .map(drop)
                .map_err(|_| "this file is not a pack, and stays as it is".to_string())
        };
        write_atomic(path, &self.to_yaml()?, replace)
    }

    /// Reads a pack from a file.
    pub fn read(path: &Path) -> Result<Pack, Error> {
        let text = read_named(path, DiagnosticCode::Pack)?;
        Pack::parse(&text, &path.display().to_string())
    }

    /// Parses and validates a pack; `shown` is the name of its file in complaints.
    pub fn parse(text: &str, shown: &str) -> Result<Pack, Error> {
        let complaint = |message: String| {
            Complaint::new(DiagnosticCode::Pack, Place::whole_file(shown), message)
        };
        let pack_error = |message: String| {
            Error::from(complaint(message).with_help("ask whoever packed it for the file again"))
        };
        // A later form may have other keys, so its number is read before them.
        let form: Option<PackForm> = serde_yaml::from_str(text).ok();
        if let Some(PackForm { pack: form }) = form.filter(|form| form.pack != FORMAT_VERSION) {
            let defect = describe_other_form(
                DiagnosticCode::Pack,
                "this pack is",
                &form.to_string(),
                FORMAT_VERSION.into(),
                "ask whoever packed it to pack it again",
            );
            return Err(defect.at(Place::whole_file(shown)).into());
        }
        // A text that is written once and named often would take any memory.
        let is_alias = |event: PlacedEvent| event.event == YamlEvent::Alias;
        if parse_events(text).flatten().any(is_alias) {
            return Err(pack_error("aliases of YAML are not used in a pack".into()));
        }
        let pack: Pack = serde_yaml::from_str(text).map_err(|error| {
            pack_error(format!("this is not a pack: {}", error.without_snippet()))
        })?;
        if pack.files.len() > MAX_FILES {
            let message = format!(
                "{} files are packed here; at most {MAX_FILES} are unpacked",
                pack.files.len()
            );
            return Err(pack_error(message));
        }
        check_plain_name(&pack.game)?;
        if pack.variant.is_empty() && !pack.files.contains_key(&manifest_key(&pack.game)) {
            return Err(pack_error(
                "neither a variant nor the manifest of a game is packed here".into(),
            ));
        }
        let folder = format!("variants/{}/", pack.variant);
        let tests = format!("tests/{}/", pack.game);
        let (is_packed, whole): (&dyn Fn(&str) -> bool, String) = if pack.variant.is_empty() {
            (
                &|key| belongs(key, &pack.game) || is_variant_file(key),
                format!("the game `{}`, nor of a variant", pack.game),
            )
        } else {
            check_plain_name(&pack.variant)?;
            (
                &|key| {
                    key.starts_with(&folder) && is_variant_file(key)
                        || key.starts_with(&tests) && is_test_file(key)
                },
                format!("the variant `{}`, nor a test of it", pack.variant),
            )
        };
        if let Some(key) = pack.files.keys().find(|key| !is_packed(key)) {
            return Err(pack_error(format!("`{key}` is not a file of {whole}")));
        }
        if !pack.checksum.is_empty() && pack.checksum != pack.digest() {
            let message = "what is packed here does not have the checksum of the pack";
            let help = "ask whoever packed it for the file again; if you changed it yourself, remove its line `checksum:`";
            return Err(complaint(message.into()).with_help(help).into());
        }
        Ok(pack)
    }

    /// Writes the files to a data folder as one step; fails if one exists, or has errors among the other data.
    pub fn unpack(&self, library: &Library, root: &Path) -> Result<Vec<PathBuf>, Error> {
        let mut transaction = Transaction::new(root);
        self.lay_out(library, root, &mut transaction)?;
        let mut files = library.files.clone();
        let texts = self.files.iter();
        texts.for_each(|(key, text)| files.set_text(key, text));
        self.check(&Arc::new(Library::new(files)), "nothing was written")?;
        transaction.commit()
    }

    /// Adds the files to those that are written into a data folder; fails if its names are taken there.
    pub fn lay_out(
        &self,
        library: &Library,
        root: &Path,
        files: &mut Transaction,
    ) -> Result<(), Error> {
        if self.variant.is_empty() {
            let variant_names = self
                .files
                .keys()
                .filter_map(|key| key.strip_prefix("variants/")?.split('/').next());
            variant_names
                .chain([self.game.as_str()])
                .try_for_each(|name| check_free_name(library, name))?;
        } else if library
            .game(&self.game)
            .map(|_| library.variants.contains_key(&self.variant))?
        {
            return Err(Error::Usage(format!(
                "a variant named `{}` already exists; nothing was written",
                self.variant
            )));
        }
        let texts = self.files.iter();
        texts.for_each(|(key, text)| files.create(root.join(key), text.clone()));
        Ok(())
    }
}

/// Fails if a file that belongs to a pack can't be read: the pack would lack it.
fn check_readable(library: &Library, belongs: &dyn Fn(&str) -> bool) -> Result<(), Error> {
    let files = &library.files;
    let unread = library
        .complaints
        .0
        .iter()
        .filter(|complaint| complaint.code == DiagnosticCode::File)
        .filter(|complaint| {
            let path = Path::new(&complaint.place.path);
            let key = files
                .root
                .as_ref()
                .and_then(|root| path.strip_prefix(root).ok())
                .unwrap_or(path);
            belongs(&key.to_string_lossy().replace('\\', "/"))
        });
    let unreadable = files
        .by_key
        .values()
        .filter(|file| belongs(&file.key))
        .filter_map(|file| file.fault());
    refuse(unread.cloned().chain(unreadable).collect(), NOT_PACKED)
}

/// How the refusal to pack ends.
pub const NOT_PACKED: &str = "nothing was packed";

fn refuse(complaints: Vec<Complaint>, end: &str) -> Result<(), Error> {
    match complaints.is_empty() {
        true => Ok(()),
        false => {
            let with_end = |complaint: Complaint| Complaint {
                help: format!("{}; {end}", complaint.help),
                ..complaint
            };
            Err(Error::Data(Complaints(
                complaints.into_iter().map(with_end).collect(),
            )))
        }
    }
}

/// Returns whether a path component is a plain name: no hidden file and no `..`.
fn is_plain_name(name: &str) -> bool {
    let fits = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'));
    fits && !name.starts_with('.') && !name.is_empty()
}

fn has_ending(name: &str, ending: &str) -> bool {
    name.strip_suffix(ending).is_some_and(is_plain_name)
}

/// Returns whether a path from the top level is a file of a variant.
pub fn is_variant_file(key: &str) -> bool {
    let plain = |name: &str| check_plain_name(name).is_ok();
    match key.split('/').collect::<Vec<_>>()[..] {
        ["variants", variant, "variant.yaml"] => plain(variant),
        ["variants", variant, "rules", section, name] => {
            plain(variant) && is_plain_name(section) && has_ending(name, ".rhai")
        }
        ["variants", variant, "tests", section, name] => {
            plain(variant) && is_plain_name(section) && is_test_name(name)
        }
        ["variants", variant, "tables" | "scenarios" | "tests", name] => {
            plain(variant) && has_ending(name, ".yaml")
        }
        _ => false,
    }
}

/// Returns whether a path from the top level is a file of the game, not of one of its variants.
fn belongs(key: &str, game: &str) -> bool {
    match key.split('/').collect::<Vec<_>>()[..] {
        ["rules", of, "game.yaml" | "contents.yaml" | "glossary.yaml"] => of == game,
        ["rules", of, section, name] => {
            of == game && is_plain_name(section) && has_ending(name, ".rhai")
        }
        ["tests", of, section, name] => of == game && is_plain_name(section) && is_test_name(name),
        ["tables" | "scenarios" | "tests", of, name] => of == game && has_ending(name, ".yaml"),
        _ => false,
    }
}

/// Returns whether a name is that of a case's tests: examples, or tests of rulings.
fn is_test_name(name: &str) -> bool {
    has_ending(name, ".rhai") || has_ending(name, ".yaml")
}

fn is_test_file(key: &str) -> bool {
    matches!(key.split('/').collect::<Vec<_>>()[..], ["tests", game, name] if check_plain_name(game).is_ok() && has_ending(name, ".yaml"))
}

#[cfg(test)]
mod tests {
    use super::is_variant_file;

    #[test]
    fn only_files_of_variants_are_named() {
        for fine in [
            "variants/mine/variant.yaml",
            "variants/mine/rules/08-fights/8.16-losses.rhai",
            "variants/mine/tests/08-fights/8.16-losses.rhai",
            "variants/mine/tables/a.yaml",
        ] {
            assert!(is_variant_file(fine), "{fine}");
        }
        let wrong = [
            "rules/a/b/c.rhai",
            "variants/../rules/a.rhai",
            "variants/mine/rules/../x.rhai",
            "variants/mine/tables/..yaml",
            "/etc/passwd",
        ];
        for wrong in wrong.iter().chain(&[
            "variants/mine/tables/a.rhai",
            "variants/mine/scenarios/.hidden.yaml",
            "variants//variant.yaml",
        ]) {
            assert!(!is_variant_file(wrong), "{wrong}");
        }
    }
}
