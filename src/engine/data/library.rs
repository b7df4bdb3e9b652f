//! Loads data lazily: the index of games and variants, and their layers on demand.

use crate::complaint::{Complaints, Error, Place, nearest_names};
use crate::data::cache::LazyCache;
use crate::data::case::{Case, test_file_of};
use crate::data::change::ChangeAddress;
use crate::data::embedded::Embedded;
use crate::data::files::{DATA_FOLDERS, DataFile, Files, manifest_key};
use crate::data::format::NAMED_TEXTS;
use crate::data::format::game::CONTENTS_ENTRIES;
use crate::data::function_headers::is_test_file;
use crate::data::manifest::Game;
use crate::data::placement::{explain_misplaced, explain_missing_case};
use crate::data::scenario::Scenario;
use crate::data::table_file::TableFile;
use crate::data::variant::Variant;
use crate::data::yaml::{YamlNode, YamlReader};
use crate::platform::parallel;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A layer: the printed game, or a variant on top of it.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Name of the game or of the variant.
    pub name: Arc<str>,
    /// Manifest of the variant; `None` for the printed game.
    pub variant: Option<Variant>,
    /// Cases of the layer.
    pub cases: Vec<Arc<Case>>,
    /// Table files by number or name.
    pub tables: BTreeMap<String, Vec<DataFile>>,
    /// Scenario files by name.
    pub scenarios: BTreeMap<String, DataFile>,
}

impl Layer {
    /// Whether it has a situation, roster or deployment, or changes values of one.
    pub fn has_list(&self, name: &str) -> bool {
        let listed = |variant: &Variant| {
            let mut changes = variant.changes.iter();
            changes.any(|change| change.address == ChangeAddress::Values(name.into()))
        };
        self.scenarios.contains_key(name) || self.variant.as_ref().is_some_and(listed)
    }
}

/// The ruleset that a situation requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InForce {
    /// Variants: those named by the situation, and the one that contains it.
    pub variants: Vec<String>,
    pub options: Vec<(String, bool)>,
    /// Readings with the chosen alternative.
    pub readings: Vec<(String, String)>,
}

impl InForce {
    /// Leaves out the readings of cases that an option, switched off in `options`, takes out of force.
    pub fn without_readings_of(
        mut self,
        options: &[(String, bool)],
        library: &Library,
        game: &str,
    ) -> InForce {
        let Ok(game) = library.game(game) else {
            return self;
        };
        for (variant, option) in options
            .iter()
            .filter(|(_, on)| !on)
            .filter_map(|(name, _)| name.split_once('.'))
        {
            let layer = library.layer(
                game,
                library.variants.contains_key(variant).then_some(variant),
                &mut Complaints::default(),
            );
            let case_of = |name: &str| {
                let (number, reading) = name.rsplit_once('.')?;
                layer.cases.iter().find(|case| {
                    case.number == number
                        && case
                            .readings
                            .iter()
                            .any(|candidate| candidate.name == reading)
                })
            };
            self.readings.retain(|(name, _)| {
                case_of(name).is_none_or(|case| case.option.as_deref() != Some(option))
            });
        }
        self
    }
}

/// A case listed in the contents of a game.
#[derive(Clone, Debug)]
pub struct NumberedCase {
    pub title: String,
    /// Whether the case belongs to a part of the game that is not written yet.
    pub is_planned: bool,
}

/// The data files with an index of games and variants.
#[derive(Clone, Debug)]
pub struct Library {
    #[doc(hidden)]
    pub files: Files,
    /// Game manifests by name.
    #[doc(hidden)]
    pub games: BTreeMap<String, Arc<Game>>,
    /// Variant manifests by name.
    #[doc(hidden)]
    pub variants: BTreeMap<String, Variant>,
    /// Complaints so far.
    #[doc(hidden)]
    pub complaints: Complaints,
    /// Whether the test files of cases are read with them.
    reads_tests: bool,
    pub(super) cache: Arc<LoadedFiles>,
}

/// Caches of parsed files.
#[derive(Debug, Default)]
pub(super) struct LoadedFiles {
    pub(super) layers: LazyCache<Arc<Layer>>,
    pub(super) tables: LazyCache<Option<TableFile>>,
    pub(super) scenarios: LazyCache<Option<Arc<Scenario>>>,
    pub(super) contents: LazyCache<BTreeMap<String, NumberedCase>>,
    pub(super) in_force: LazyCache<InForce>,
}

impl Library {
    /// Returns what the words of a game mean, by its `glossary.yaml`.
    pub fn glossary(&self, game: &str, complaints: &mut Complaints) -> BTreeMap<String, String> {
        let Some(file) = self
            .files
            .by_key
            .get(&format!("rules/{game}/glossary.yaml"))
        else {
            return BTreeMap::new();
        };
        let mut reader = YamlReader::for_file(file);
        let root = reader.parse_file();
        root.iter()
            .for_each(|root| reader.check_value(root, NAMED_TEXTS));
        let entries = root.iter().flat_map(YamlNode::entries);
        let meanings = entries
            .map(|(word, meaning)| (word.text_or_empty().into(), meaning.text_or_empty().into()))
            .collect();
        complaints.0.append(&mut reader.complaints.0);
        meanings
    }

    /// Returns the library of the embedded data.
    pub fn built_in(embedded: Embedded) -> Arc<Library> {
        Arc::new(Library::new(Files::built_in(embedded)))
    }

    /// Returns the data of this repository, for its tests.
    #[cfg(test)]
    pub fn of_repository() -> Arc<Library> {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        Library::open(root, Embedded::default()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Opens a data folder over the embedded data. Errors in the data are in [`Library::complaints`].
    pub fn open(folder: &Path, embedded: Embedded) -> Result<Arc<Library>, Error> {
        Ok(Arc::new(Library::new(
            Files::with_folder(folder, embedded)?.read_all(),
        )))
    }

    /// Reads data from memory, by path, as if they lay in a folder: a file replaces the embedded one of its path. Fails on what is no path
    /// of a data file.
    pub fn from_files<P: Into<String>, T: Into<String>>(
        files: impl IntoIterator<Item = (P, T)>,
        embedded: Embedded,
    ) -> Result<Arc<Library>, Error> {
        let texts: BTreeMap<String, String> = files
            .into_iter()
            .map(|(path, text)| (path.into(), text.into()))
            .collect();
        let is_data = |path: &str| {
            let (tree, rest) = path.split_once('/').unwrap_or_default();
            let plain = rest.split('/').all(|part| !matches!(part, "" | "." | ".."));
            (DATA_FOLDERS.contains(&tree) || tree == "tests")
                && plain
                && (path.ends_with(".yaml") || path.ends_with(".rhai"))
        };
        if let Some(path) = texts.keys().find(|path| !is_data(path)) {
            let folders = DATA_FOLDERS.join(", ");
            return Err(Error::Usage(format!(
                "`{path}` is not a path of a data file: it begins with {folders} or tests, and ends in .yaml or .rhai"
            )));
        }
        Ok(Arc::new(Library::new(
            Files::with_texts(texts, embedded).read_all(),
        )))
    }

    pub fn game_names(&self) -> impl Iterator<Item = &str> {
        self.games.keys().map(String::as_str)
    }

    /// Returns the games in the order in which pages name them: those of the folder first, of these and of the others the main one.
    pub fn ranked_games(&self) -> Vec<&Game> {
        let mut games: Vec<&Game> = self.games.values().map(|game| &**game).collect();
        games.sort_by_key(|game| (!self.files.has_own_game(&game.name), !game.is_default));
        games
    }

    /// Returns the complaints about files and manifests so far; a check validates everything.
    pub fn complaints(&self) -> &Complaints {
        &self.complaints
    }

    /// Returns the names of a game's variants.
    pub fn variants_of(&self, game: &str) -> Vec<&str> {
        self.variants
            .values()
            .filter(|v| v.game == game)
            .map(|v| v.name.as_str())
            .collect()
    }

    /// Returns the names of all situations of a game, each with the variant that contains it.
    pub fn scenarios(&self, game: &str) -> Vec<(String, Option<String>)> {
        let base = format!("scenarios/{game}/");
        let mut names: Vec<_> = self
            .files_in(&base)
            .map(|f| (f.stem().to_string(), None))
            .collect();
        for variant in self.variants_of(game) {
            for file in self.files_in(&format!("variants/{variant}/scenarios/")) {
                if !names.iter().any(|(name, _)| name == file.stem()) {
                    names.push((file.stem().to_string(), Some(variant.to_string())));
                }
            }
        }
        names
    }
}

#[doc(hidden)]
impl Library {
    /// Reads all manifests.
    pub fn new(mut files: Files) -> Library {
        let mut complaints = std::mem::take(&mut files.complaints);
        let (mut games, mut variants) = (BTreeMap::new(), BTreeMap::new());
        let manifests = [
            manifests(&files, "rules/", "/game.yaml"),
            manifests(&files, "variants/", "/variant.yaml"),
        ];
        for (name, file) in &manifests[0] {
            if let Some(game) = Game::read(file, &mut complaints) {
                games.insert(name.to_string(), Arc::new(game));
            }
        }
        for (name, file) in &manifests[1] {
            if let Some(variant) = Variant::read(file, &mut complaints) {
                variants.insert(name.to_string(), variant);
            }
        }
        // An unreadable manifest still defines its game. A test folder of another project is ignored unless its file is a list of tests.
        let ours = |file: &DataFile| {
            !file.key.starts_with("tests/") || is_test_file(&file.key) || file.has_tests()
        };
        for (key, file) in &files.by_key {
            if let Some(defect) = explain_misplaced(key, &manifests)
                .or_else(|| explain_missing_case(key, &files))
                .filter(|_| ours(file))
            {
                complaints.push(defect.at(Place::whole_file(&file.path)));
            }
        }
        Library {
            files,
            games,
            variants,
            complaints,
            reads_tests: true,
            cache: Arc::default(),
        }
    }

    /// Leaves the tests of cases unread: a ruling needs none, and every third file is one.
    pub fn without_tests(self) -> Library {
        Library {
            reads_tests: false,
            ..self
        }
    }

    /// Returns the game with a name, or the only game.
    pub fn game(&self, name: &str) -> Result<&Arc<Game>, Error> {
        self.games.get(name).ok_or_else(|| Error::Unknown {
            kind: "game",
            name: name.into(),
            suggestions: nearest_names(name, self.games.keys().map(String::as_str)),
        })
    }

    /// Returns the file of a game's manifest.
    pub fn manifest(&self, game: &str) -> Option<&DataFile> {
        self.files.by_key.get(&manifest_key(game))
    }

    /// Returns the names of the layers of a game: `None` for the printed game, then its variants.
    pub fn layer_names(&self, game: &str) -> Vec<Option<&str>> {
        [None]
            .into_iter()
            .chain(self.variants_of(game).into_iter().map(Some))
            .collect()
    }

    /// Returns a variant and, transitively, the variants it comes after or needs, dependencies first.
    pub fn with_dependencies(&self, variant: &str) -> Vec<String> {
        let mut names = self.closure(variant, |variant| {
            [&variant.after[..], &variant.needs].concat()
        });
        names.reverse();
        names
    }

    /// Returns a variant and, transitively, the variants it needs.
    pub fn with_needs(&self, variant: &str) -> Vec<String> {
        self.closure(variant, |variant| variant.needs.clone())
    }

    fn closure(&self, variant: &str, next_of: fn(&Variant) -> Vec<String>) -> Vec<String> {
        let (mut names, mut next) = (vec![variant.to_string()], 0);
        while let Some(variant) = names.get(next).map(|name| self.variants.get(name)) {
            let further: Vec<String> = variant
                .map(next_of)
                .unwrap_or_default()
                .into_iter()
                .filter(|name| !names.contains(name))
                .collect();
            names.extend(further);
            next += 1;
        }
        names
    }

    /// Returns the game extended by the declarations of variants; `None` if they declare nothing.
    pub fn with_additions<'v>(
        &self,
        game: &Game,
        variants: impl Iterator<Item = &'v str>,
    ) -> Option<Game> {
        let mut extended: Option<Game> = None;
        for variant in variants
            .filter_map(|name| self.variants.get(name))
            .filter(|variant| variant.game == game.name)
        {
            extended
                .get_or_insert_with(|| game.clone())
                .add_declarations(&variant.name, &variant.additions);
        }
        extended
    }

    /// Returns the game of the file at a key.
    pub fn game_of<'a>(&'a self, key: &'a str) -> Option<&'a str> {
        let (tree, rest) = key.split_once('/')?;
        let folder = rest.split('/').next()?;
        if tree == "variants" {
            self.variants
                .get(folder)
                .map(|variant| variant.game.as_str())
        } else {
            Some(folder)
        }
    }

    /// Returns a maximal set of compatible variants, taken in name order: of two that exclude each other, the first is kept.
    pub fn compatible_variants(&self, game: &str) -> Vec<String> {
        let mut list: Vec<&Variant> = Vec::new();
        for variant in self
            .variants
            .values()
            .filter(|variant| variant.game == game)
        {
            let is_excluded = |chosen: &&Variant| {
                chosen.excludes.contains(&variant.name) || variant.excludes.contains(&chosen.name)
            };
            if !list.iter().any(is_excluded)
                && !variant
                    .needs
                    .iter()
                    .any(|need| list.iter().any(|chosen| chosen.excludes.contains(need)))
            {
                list.push(variant);
            }
        }
        list.into_iter()
            .map(|variant| variant.name.clone())
            .collect()
    }

    /// Reads a layer; without a variant, the printed game.
    pub fn layer(
        &self,
        game: &Game,
        variant: Option<&str>,
        complaints: &mut Complaints,
    ) -> Arc<Layer> {
        self.layers(game, &[variant], complaints).remove(0)
    }

    /// Reads several layers and parses their cards in parallel, because cards dominate the start-up time.
    pub fn layers(
        &self,
        game: &Game,
        variants: &[Option<&str>],
        complaints: &mut Complaints,
    ) -> Vec<Arc<Layer>> {
        let key = |variant: &Option<&str>| format!("{}/{}", game.name, variant.unwrap_or_default());
        let unread = variants
            .iter()
            .filter(|variant| !self.cache.layers.contains(&key(variant)));
        let scripts: Vec<_> = unread
            .map(|variant| (key(variant), self.scripts(game, *variant)))
            .collect();
        let all_scripts: Vec<&Script> = scripts.iter().flat_map(|(_, scripts)| scripts).collect();
        let mut read = parallel::map_halves(&all_scripts, |scripts| {
            scripts.iter().copied().map(read_case).collect()
        })
        .into_iter();
        let mut cases: BTreeMap<String, Vec<ReadCase>> = scripts
            .iter()
            .map(|(key, scripts)| (key.clone(), read.by_ref().take(scripts.len()).collect()))
            .collect();
        let mut layer = |variant: &Option<&str>| {
            let cases = cases.remove(&key(variant)).unwrap_or_default();
            self.cache
                .layers
                .get(&key(variant), complaints, |complaints| {
                    Arc::new(self.read_layer(game, *variant, cases, complaints))
                })
                .0
                .clone()
        };
        variants.iter().map(&mut layer).collect()
    }

    /// Returns the cases of a layer, each with its test file and layer name.
    fn scripts<'a>(&'a self, game: &Game, variant: Option<&str>) -> Vec<Script<'a>> {
        let name: Arc<str> = Arc::from(variant.unwrap_or(&game.name));
        let folder = variant.map_or_else(
            || format!("rules/{}/", game.name),
            |v| format!("variants/{v}/rules/"),
        );
        let tests = |case: &DataFile| {
            let key = test_file_of(&case.key).filter(|_| self.reads_tests)?;
            self.files.by_key.get(&key)
        };
        self.files_in(&folder)
            .filter(|f| f.key.ends_with(".rhai"))
            .map(|file| Script {
                file,
                tests: tests(file),
                layer: name.clone(),
            })
            .collect()
    }

    fn read_layer(
        &self,
        game: &Game,
        variant: Option<&str>,
        cases: Vec<ReadCase>,
        complaints: &mut Complaints,
    ) -> Layer {
        let (tables, scenarios) = match variant {
            None => (
                format!("tables/{}/", game.name),
                format!("scenarios/{}/", game.name),
            ),
            Some(v) => (
                format!("variants/{v}/tables/"),
                format!("variants/{v}/scenarios/"),
            ),
        };
        let mut layer = Layer {
            name: Arc::from(variant.unwrap_or(&game.name)),
            variant: variant.and_then(|v| self.variants.get(v).cloned()),
            cases: cases
                .into_iter()
                .filter_map(|(case, errors)| (complaints.0.extend(errors.0), case).1)
                .collect(),
            tables: BTreeMap::new(),
            scenarios: BTreeMap::new(),
        };
        for file in self.files_in(&tables).filter(|f| f.key.ends_with(".yaml")) {
            layer
                .tables
                .entry(crate::data::case::number_from_stem(file.stem()))
                .or_default()
                .push(file.clone());
        }
        for file in self
            .files_in(&scenarios)
            .filter(|f| f.key.ends_with(".yaml"))
        {
            layer.scenarios.insert(file.stem().into(), file.clone());
        }
        layer
    }

    fn files_in<'a, 'f>(
        &'a self,
        folder: &'f str,
    ) -> impl Iterator<Item = &'a DataFile> + use<'a, 'f> {
        self.files
            .by_key
            .range(folder.to_string()..)
            .map(|(_, f)| f)
            .take_while(move |f| f.key.starts_with(folder))
    }

    /// Returns the listed cases of a game by number.
    pub fn contents(
        &self,
        game: &str,
        complaints: &mut Complaints,
    ) -> BTreeMap<String, NumberedCase> {
        self.cache
            .contents
            .get(game, complaints, |complaints| {
                self.read_contents(game, complaints)
            })
            .0
            .clone()
    }

    fn read_contents(
        &self,
        game: &str,
        complaints: &mut Complaints,
    ) -> BTreeMap<String, NumberedCase> {
        let mut numbered = BTreeMap::new();
        let Some(file) = self
            .files
            .by_key
            .get(&format!("rules/{game}/contents.yaml"))
        else {
            return numbered;
        };
        let mut reader = YamlReader::for_file(file);
        let Some(root) = reader.parse_file() else {
            complaints.0.append(&mut reader.complaints.0);
            return numbered;
        };
        reader.check_value(&root, CONTENTS_ENTRIES);
        for (key, value) in root.entries() {
            let title = value.as_text().unwrap_or_else(|| value.text_of("title"));
            numbered.insert(
                key.text_or_empty().into(),
                NumberedCase {
                    title: title.into(),
                    is_planned: value.is_set("later"),
                },
            );
        }
        complaints.0.append(&mut reader.complaints.0);
        numbered
    }

    /// Returns whether a variant has an option, given by its full name: `errata.frost`.
    pub fn has_option(&self, variant: &str, option: &str) -> bool {
        let short_name = option
            .strip_prefix(variant)
            .and_then(|rest| rest.strip_prefix('.'));
        let options = self
            .variants
            .get(variant)
            .map_or(&[][..], |variant| &variant.options);
        short_name.is_some_and(|short_name| options.iter().any(|option| option.name == short_name))
    }

    /// Returns the ruleset that a situation requests by default.
    pub fn in_force_for(&self, game: &str, name: &str, variant: Option<&str>) -> InForce {
        let key = match variant {
            None => format!("scenarios/{game}/{name}.yaml"),
            Some(v) => format!("variants/{v}/scenarios/{name}.yaml"),
        };
        let make = |_: &mut Complaints| self.read_in_force(&key, variant);
        self.cache
            .in_force
            .get(&key, &mut Complaints::default(), make)
            .0
            .clone()
    }

    fn read_in_force(&self, key: &str, variant: Option<&str>) -> InForce {
        let mut in_force = InForce::default();
        if let Some(file) = self.files.by_key.get(key) {
            // What is wrong with the file is reported where its situation is read.
            if let Some(root) = YamlReader::for_file(file).parse_file() {
                in_force.variants = root.texts_of("with");
                in_force.options = root
                    .named_entries_of("options")
                    .filter_map(|(name, on)| Some((name, on.flag()?)))
                    .collect();
                in_force.readings = root.named_texts_of("readings").collect();
            }
        }
        if let Some(v) = variant.filter(|v| !in_force.variants.iter().any(|w| w == v)) {
            in_force.variants.push(v.into());
        }
        in_force
    }

    /// Parses a scenario file of a layer.
    pub fn scenario(
        &self,
        layer: &Layer,
        name: &str,
        game: &Game,
        complaints: &mut Complaints,
    ) -> Option<Arc<Scenario>> {
        let file = layer.scenarios.get(name)?;
        let key = format!("{} for {} {}", file.key, game.name, game.declaring_variants);
        self.cache
            .scenarios
            .get(&key, complaints, |complaints| {
                Scenario::read(file, &layer.name, game, complaints).map(Arc::new)
            })
            .0
            .clone()
    }

    /// Parses the files of a layer for one table.
    pub fn table_files(
        &self,
        layer: &Layer,
        id: &str,
        complaints: &mut Complaints,
    ) -> Vec<TableFile> {
        let files = layer.tables.get(id).into_iter().flatten();
        let mut read = |file: &DataFile| {
            self.cache
                .tables
                .get(&file.key, complaints, |complaints| {
                    TableFile::read(file, &layer.name, complaints)
                })
                .0
                .clone()
        };
        files.filter_map(&mut read).collect()
    }
}

/// A case with the complaints about its file.
type ReadCase = (Option<Arc<Case>>, Complaints);

/// A case file with its test file.
struct Script<'a> {
    file: &'a DataFile,
    tests: Option<&'a DataFile>,
    layer: Arc<str>,
}

fn read_case(script: &Script) -> ReadCase {
    let Script { file, tests, layer } = script;
    let mut complaints = Complaints::default();
    let mut case = Case::read(file, layer, &mut complaints);
    if let (Some(case), Some(tests)) = (&mut case, tests) {
        case.add_tests(tests, &mut complaints);
    }
    (case.map(Arc::new), complaints)
}

/// Returns the manifests of a data tree by folder name.
fn manifests<'a>(files: &'a Files, tree: &str, name: &str) -> BTreeMap<&'a str, &'a DataFile> {
    let folder = |key: &'a str| {
        key.strip_prefix(tree)?
            .strip_suffix(name)
            .filter(|folder| !folder.contains('/'))
    };
    files
        .by_key
        .iter()
        .filter_map(|(key, file)| Some((folder(key)?, file)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases(layer: &Layer) -> Vec<&str> {
        layer
            .cases
            .iter()
            .map(|case| case.file.key.as_str())
            .collect()
    }

    #[test]
    fn layers_read_in_bulk_match_layers_read_alone() {
        let (bulk, single) = (Library::of_repository(), Library::of_repository());
        for (name, game) in &bulk.games {
            let stack = bulk.layer_names(name);
            let mut complaints = Complaints::default();
            for (variant, layer) in stack.iter().zip(bulk.layers(game, &stack, &mut complaints)) {
                let layer_alone = single.layer(game, *variant, &mut complaints);
                assert_eq!(
                    (&layer.name, cases(&layer)),
                    (&layer_alone.name, cases(&layer_alone))
                );
                assert!(layer.cases.iter().all(|case| case.layer == layer.name));
            }
        }
    }

    #[test]
    fn variant_named_like_its_game_has_own_cases() {
        let case =
            |number: &str| format!("//! case: \"{number}\"\n//! title: A case\n//! kind: rule\n");
        let files = Files::default()
            .with_text(
                "rules/chess/game.yaml",
                "game: chess\ntitle: Chess\nsides: [White, Black]\n",
            )
            .with_text("rules/chess/1-board/1.1-squares.rhai", &case("1.1"))
            .with_text(
                "variants/chess/variant.yaml",
                "variant: chess\ngame: chess\ntitle: Chess again\n",
            )
            .with_text("variants/chess/rules/1-board/1.2-pieces.rhai", &case("1.2"));
        let library = Library::new(files);
        let layers = library.layers(
            &library.games["chess"],
            &[None, Some("chess")],
            &mut Complaints::default(),
        );
        assert_eq!(cases(&layers[0]), ["rules/chess/1-board/1.1-squares.rhai"]);
        assert_eq!(
            cases(&layers[1]),
            ["variants/chess/rules/1-board/1.2-pieces.rhai"]
        );
    }
}
