//! A variant as one file to send: what it needs and excludes, its files, and the tests that are about it. Or a whole game, with its variants.

use crate::author::scaffold::plain_name;
use crate::complaint::{Complaint, Error, Place, near};
use crate::data::file::File;
use crate::data::library::Library;
use crate::data::manifest::Game;
use crate::data::plain::text_of;
use crate::data::save::{write_new, write_whole};
use crate::testing::test;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The form of packs this version writes and reads.
const FORM: u32 = 1;

/// A variant with all its files; or a game with all of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    /// The form of this file.
    pub pack: u32,
    /// The variant; empty where a whole game is packed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
    /// Its title.
    pub title: String,
    /// Its version, where it has one.
    #[serde(default)]
    pub version: String,
    /// The game it is for.
    pub game: String,
    /// Variants that come into force with it.
    pub needs: Vec<String>,
    /// Variants that can't be in force beside it.
    pub excludes: Vec<String>,
    /// Its files: path and text.
    pub files: BTreeMap<String, String>,
}

impl Pack {
    /// Packs a variant of a library, or a game.
    pub fn of(library: &Library, name: &str) -> Result<Pack, Error> {
        if let Some(game) = library.games.get(name).filter(|_| !library.variants.contains_key(name)) {
            return Ok(Pack::of_game(library, game));
        }
        let variant = library.variants.get(name).ok_or_else(|| Error::Unknown {
            what: "variant or game",
            name: name.into(),
            near: near(name, library.variants.keys().chain(library.games.keys()).map(String::as_str)),
        })?;
        let own = format!("variants/{name}/");
        let files = library.shelf.files.values().filter(|file| file.key.starts_with(&own));
        let mut files: BTreeMap<String, String> = files.map(|file| (file.key.clone(), file.text.to_string())).collect();
        for claims in test::files(library, &variant.game, "") {
            // Tests of all sorts of rulesets belong to whoever wrote them together.
            let about = |claim: &test::Claim| claim.with.as_ref().is_some_and(|with| with.iter().any(|(other, _)| other == name));
            if claims.file.key.starts_with("tests/") && !claims.list.is_empty() && claims.list.iter().all(about) {
                files.insert(claims.file.key.clone(), claims.file.text.to_string());
            }
        }
        Ok(Pack {
            pack: FORM,
            variant: name.into(),
            title: variant.title.clone(),
            version: variant.version.clone(),
            game: variant.game.clone(),
            needs: variant.needs.clone(),
            excludes: variant.excludes.clone(),
            files,
        })
    }

    /// Packs a game: its rules, tables, situations and tests, and those of its variants.
    fn of_game(library: &Library, game: &Game) -> Pack {
        let own =
            |file: &&File| belongs(&file.key, &game.name) || of_a_variant(&file.key) && library.game_of(&file.key) == Some(&game.name);
        let mut files: BTreeMap<String, String> =
            library.shelf.files.values().filter(own).map(|file| (file.key.clone(), file.text.to_string())).collect();
        let tests = test::files(library, &game.name, "").into_iter().filter(|claims| belongs(&claims.file.key, &game.name));
        files.extend(tests.map(|claims| (claims.file.key.clone(), claims.file.text.to_string())));
        let (variant, version, needs, excludes) = Default::default();
        Pack { pack: FORM, variant, title: game.title.clone(), version, game: game.name.clone(), needs, excludes, files }
    }

    /// What is packed: the name of the variant, or of the game.
    pub fn name(&self) -> &str {
        if self.variant.is_empty() { &self.game } else { &self.variant }
    }

    /// The name of its file.
    pub fn file_name(&self) -> String {
        let version = if self.version.is_empty() { String::new() } else { format!("-{}", self.version) };
        format!("{}{version}.pack.yaml", self.name())
    }

    /// Its text.
    pub fn text(&self) -> Result<String, Error> {
        serde_yaml::to_string(self).map_err(|error| Error::Usage(format!("{}: {error}", self.name())))
    }

    /// Writes it; an older one of the same name is replaced.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let replace = |there: &str| Pack::sent(there, "").map(drop).map_err(|_| "this file is no pack, and stays as it is".to_string());
        write_whole(path, &self.text()?, replace)
    }

    /// Reads one that was sent.
    pub fn read(path: &Path) -> Result<Pack, Error> {
        let shown = path.display().to_string();
        std::fs::metadata(path).map_err(|source| Error::File { path: shown.clone(), source })?;
        let text = text_of(path).map_err(|(what, help)| Complaint::new("pack", Place::file(&shown), what).help(help))?;
        Pack::sent(&text, &shown)
    }

    /// Reads the text of one; `shown` is what it is called in complaints.
    pub fn sent(text: &str, shown: &str) -> Result<Pack, Error> {
        let wrong =
            |what: String| Error::from(Complaint::new("pack", Place::file(shown), what).help("take it from whoever packed it, anew"));
        let pack: Pack = serde_yaml::from_str(text).map_err(|error| wrong(format!("this is no pack: {}", error.without_snippet())))?;
        if pack.pack != FORM {
            return Err(wrong(format!("this pack is of form {}; this casebook reads form {FORM}", pack.pack)));
        }
        plain_name(&pack.game)?;
        if pack.variant.is_empty() {
            if !pack.files.contains_key(&format!("rules/{}/game.yaml", pack.game)) {
                return Err(wrong("neither a variant nor the manifest of a game is packed here".into()));
            }
            return match pack.files.keys().find(|key| !(belongs(key, &pack.game) || of_a_variant(key))) {
                Some(key) => Err(wrong(format!("`{key}` is no file of the game `{}`, nor of a variant", pack.game))),
                None => Ok(pack),
            };
        }
        let own = format!("variants/{}/", pack.variant);
        let tests = format!("tests/{}/", pack.game);
        plain_name(&pack.variant)?;
        match pack.files.keys().find(|key| !(key.starts_with(&own) && of_a_variant(key) || key.starts_with(&tests) && of_tests(key))) {
            Some(key) => Err(wrong(format!("`{key}` is no file of the variant `{}`, nor a test of it", pack.variant))),
            None => Ok(pack),
        }
    }

    /// Lays its files out in a data folder; nothing is overwritten.
    pub fn unpack(&self, library: &Library, root: &Path) -> Result<Vec<PathBuf>, Error> {
        if self.variant.is_empty() {
            let brought = self.files.keys().filter_map(|key| key.strip_prefix("variants/")?.split('/').next());
            let there =
                brought.chain([self.game.as_str()]).find(|name| library.games.contains_key(*name) || library.variants.contains_key(*name));
            if let Some(name) = there {
                return Err(Error::Usage(format!("there is a variant or game called `{name}` already; nothing was written")));
            }
        } else if library.game(&self.game).map(|_| library.variants.contains_key(&self.variant))? {
            return Err(Error::Usage(format!("there is a variant called `{}` already; nothing was written", self.variant)));
        }
        let file = |(key, text): (&String, &String)| (root.join(key), text.clone());
        write_new(root, self.files.iter().map(file).collect())
    }
}

/// A part of a path that is a name and leads nowhere else.
fn named(name: &str) -> bool {
    let fits = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'));
    fits && !name.starts_with('.') && !name.is_empty()
}

fn ends(name: &str, ending: &str) -> bool {
    name.strip_suffix(ending).is_some_and(named)
}

/// Whether a path from the top level is that of a file of a variant.
pub fn of_a_variant(key: &str) -> bool {
    let plain = |name: &str| plain_name(name).is_ok();
    match key.split('/').collect::<Vec<_>>()[..] {
        ["variants", variant, "variant.yaml"] => plain(variant),
        ["variants", variant, "rules" | "tests", section, name] => plain(variant) && named(section) && ends(name, ".rhai"),
        ["variants", variant, "tables" | "scenarios", name] => plain(variant) && ends(name, ".yaml"),
        _ => false,
    }
}

/// Whether a path from the top level is that of a file of a game, its variants left out.
fn belongs(key: &str, game: &str) -> bool {
    match key.split('/').collect::<Vec<_>>()[..] {
        ["rules", of, "game.yaml" | "contents.yaml"] => of == game,
        ["rules", of, section, name] => of == game && named(section) && ends(name, ".rhai"),
        ["tables" | "scenarios" | "tests", of, name] => of == game && ends(name, ".yaml"),
        _ => false,
    }
}

fn of_tests(key: &str) -> bool {
    matches!(key.split('/').collect::<Vec<_>>()[..], ["tests", game, name] if plain_name(game).is_ok() && ends(name, ".yaml"))
}

#[cfg(test)]
mod tests {
    use super::of_a_variant;

    #[test]
    fn only_files_of_variants_are_named() {
        for fine in [
            "variants/mine/variant.yaml",
            "variants/mine/rules/08-fights/8.16-losses.rhai",
            "variants/mine/tests/08-fights/8.16-losses.rhai",
            "variants/mine/tables/a.yaml",
        ] {
            assert!(of_a_variant(fine), "{fine}");
        }
        let wrong =
            ["rules/a/b/c.rhai", "variants/../rules/a.rhai", "variants/mine/rules/../x.rhai", "variants/mine/tables/..yaml", "/etc/passwd"];
        for wrong in wrong.iter().chain(&["variants/mine/tables/a.rhai", "variants/mine/scenarios/.hidden.yaml", "variants//variant.yaml"])
        {
            assert!(!of_a_variant(wrong), "{wrong}");
        }
    }
}
