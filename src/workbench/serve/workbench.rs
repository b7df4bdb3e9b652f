//! The workbench state: data, recently used rulesets, and the user's folder.

use crate::serve::caches::{PlayTables, RecentCache};
#[cfg(feature = "server")]
use crate::serve::folder_watch::FolderWatch;
use crate::serve::page_request::PageRequest;
use crate::serve::running_counts::RunningCounts;
use casebook_analysis::odds::assumptions::CountedOdds;
use casebook_checks::author::pack::is_variant_file;
use casebook_checks::house::effect::KnownSituations;
use casebook_checks::house::trial::keeping_spec;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::{Complaint, Error, Remedy, Severity, nearest_names};
use casebook_engine::data::atomic_write::{check_inside, commit, has_file};
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::data::embedded::Embedded;
use casebook_engine::data::files::{DataFile, Files};
use casebook_engine::data::library::{InForce, Library};
use casebook_engine::data::text_file::{shown_text, with_ends_of};
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruleset::diagnostics;
use casebook_engine::ruling::session::SuspendedSession;
use casebook_engine::ruling::situation::Situation;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Maximum number of cached rulesets; each takes some megabytes.
const MAX_PROGRAMS: usize = 12;
/// Maximum number of cached odds.
const MAX_KEPT_ODDS: usize = 32;
/// Maximum number of other cached results, which are small.
const MAX_RESULTS: usize = 256;

/// A consistent snapshot of the data with its compiled rulesets. A request keeps its snapshot, whatever is saved in the meantime.
pub struct DataSnapshot {
    /// The data library.
    pub library: Arc<Library>,
    programs: RecentCache<RulesetSpec, Arc<Program>>,
    /// Results for specs that can't be built completely.
    partial_rulesets: RecentCache<RulesetSpec, PartialRuleset>,
    /// Games in progress.
    pub play_tables: PlayTables<SuspendedSession>,
    /// Odds that were counted whole, by address: a page sets the odds before a change beside those after it.
    pub kept_odds: RecentCache<String, Arc<CountedOdds>>,
    /// What is known of situations before a change.
    pub known_situations: KnownSituations,
}

/// A variant that can't be put in force, with its first error.
#[derive(Clone, Debug)]
pub struct FaultyVariant {
    /// The name of the variant.
    pub variant: String,
    /// The first error.
    pub complaint: Complaint,
    /// The key of the file to fix, if it is the user's own.
    pub own_file: Option<String>,
}

/// The part of a spec that can be built, and the variants left out.
#[derive(Clone, Debug)]
struct PartialRuleset {
    spec: RulesetSpec,
    faulty_variants: Vec<FaultyVariant>,
}

/// The state of the server.
pub struct Workbench {
    /// The user's folder as given on the command line; `None` for the nearest one with data.
    data: Option<PathBuf>,
    /// A situation that lies in no folder.
    extra_file: Option<DataFile>,
    /// The secret that authorises writing.
    pub token: String,
    /// The counts under way.
    pub counts: Arc<RunningCounts>,
    snapshot: Mutex<Arc<DataSnapshot>>,
    stale: Arc<AtomicBool>,
    #[cfg(feature = "server")]
    watch: FolderWatch,
}

impl DataSnapshot {
    /// Reads the data of some files.
    pub fn new(files: Files) -> DataSnapshot {
        DataSnapshot {
            library: Arc::new(Library::new(files)),
            programs: RecentCache::new(MAX_PROGRAMS),
            partial_rulesets: RecentCache::new(MAX_RESULTS),
            play_tables: PlayTables::default(),
            kept_odds: RecentCache::new(MAX_KEPT_ODDS),
            known_situations: KnownSituations::default(),
        }
    }

    /// Returns the compiled ruleset of a spec, from the cache if possible.
    pub fn program(&self, spec: &RulesetSpec) -> Result<Arc<Program>, Error> {
        if let Some(program) = self.programs.get(spec) {
            return Ok(program);
        }
        let (ruleset, _) = diagnostics::build_ruleset(&self.library, spec)?;
        Ok(self
            .programs
            .put(spec.clone(), Arc::new(Program::new(Arc::new(ruleset)))))
    }

    /// Compiles the ruleset of a request without variants that can't be built, so that one faulty variant does not block the page. Readings
    /// of cases not in force are dropped, because a page that switches a variant off still sends them.
    pub fn program_for(
        &self,
        request: &PageRequest,
        in_force: InForce,
    ) -> Result<Arc<Program>, Error> {
        let spec = request.spec(&self.library, in_force);
        let plain = RulesetSpec {
            readings: Vec::new(),
            ..spec.clone()
        };
        let program = self.program(&self.usable_spec(&plain)?.0)?;
        if spec.readings.is_empty() {
            return Ok(program);
        }
        let chosen = &program.ruleset.readings;
        let readings = spec
            .readings
            .into_iter()
            .filter(|(name, way)| chosen.get(name).is_some_and(|first| first != way))
            .collect();
        self.program(&RulesetSpec {
            readings,
            ..program.ruleset.spec.clone()
        })
    }

    /// Returns the part of a spec that can be built, and the variants that were left out.
    pub fn usable_spec(
        &self,
        spec: &RulesetSpec,
    ) -> Result<(RulesetSpec, Vec<FaultyVariant>), Error> {
        match self.program(spec) {
            Err(Error::Data(_)) if !spec.variants.is_empty() => {
                let partial = self
                    .partial_rulesets
                    .get_or_make(spec.clone(), || self.partial_ruleset(spec));
                Ok((partial.spec, partial.faulty_variants))
            }
            result => result.map(|_| (spec.clone(), Vec::new())),
        }
    }

    /// Returns the rules over which the changes of a variant are kept, and the variants that can't be part of them.
    pub fn keeping_spec(
        &self,
        game: &str,
        own: &str,
    ) -> Result<(RulesetSpec, Vec<FaultyVariant>), Error> {
        self.usable_spec(&keeping_spec(&self.library, game, own))
    }

    /// Returns the requested variants that were left out of the ruleset.
    pub fn faulty_variants(&self, request: &PageRequest, in_force: InForce) -> Vec<FaultyVariant> {
        let spec = RulesetSpec {
            readings: Vec::new(),
            ..request.spec(&self.library, in_force)
        };
        self.partial_rulesets
            .get(&spec)
            .map(|part| part.faulty_variants)
            .unwrap_or_default()
    }

    /// Builds the largest valid part of a spec by adding its variants one at a time, the user's own last.
    fn partial_ruleset(&self, spec: &RulesetSpec) -> PartialRuleset {
        let root = self.library.files.root.as_deref();
        let is_own = |key: &str| root.is_some_and(|root| has_file(&root.join(key)));
        let spec_with = |names: &[String]| {
            let variants: Vec<String> = spec
                .variants
                .iter()
                .filter(|name| names.contains(name))
                .cloned()
                .collect();
            let belongs = |name: &str| {
                name.split_once('.')
                    .is_some_and(|(variant, _)| variants.iter().any(|name| name == variant))
            };
            let options = spec
                .options
                .iter()
                .filter(|(name, _)| belongs(name))
                .cloned()
                .collect();
            RulesetSpec {
                variants,
                options,
                ..spec.clone()
            }
        };
        let mut names = spec.variants.clone();
        names.sort_by_key(|name| is_own(&format!("variants/{name}/variant.yaml")));
        let (mut valid, mut broken) = (spec_with(&[]), Vec::new());
        for variant in names {
            let tried =
                spec_with(&[valid.variants.as_slice(), std::slice::from_ref(&variant)].concat());
            match diagnostics::build_ruleset(&self.library, &tried) {
                Err(Error::Data(complaints)) => broken.extend(
                    complaints
                        .0
                        .into_iter()
                        .find(|one| one.severity == Severity::Error)
                        .map(|complaint| {
                            let file = self
                                .library
                                .files
                                .by_key
                                .values()
                                .find(|file| file.path == complaint.place.path);
                            let own_file = file
                                .map(|file| file.key.clone())
                                .filter(|key| is_variant_file(key) && is_own(key));
                            FaultyVariant {
                                variant,
                                complaint,
                                own_file,
                            }
                        }),
                ),
                _ => valid = tried,
            }
        }
        PartialRuleset {
            spec: valid,
            faulty_variants: broken,
        }
    }

    /// Returns the default of the rulebook: all compatible variants.
    pub fn all_variants(&self, game: &str) -> InForce {
        InForce {
            variants: self.library.compatible_variants(game),
            ..InForce::default()
        }
    }

    /// Returns what is in force in the rulebook unless the address names variants: what a situation names, or all compatible variants.
    pub fn rulebook_default(&self, request: &PageRequest) -> InForce {
        let mut of_situation = PageRequest::of(&request.game, &request.rules_of);
        match request.rules_of.is_empty() {
            false => self.complete_request(&mut of_situation),
            true => Ok(self.all_variants(&request.game)),
        }
        .unwrap_or_else(|_| self.all_variants(&request.game))
    }

    /// Compiles the ruleset of the rulebook.
    pub fn rulebook_program(&self, request: &PageRequest) -> Result<Arc<Program>, Error> {
        self.library.game(&request.game)?;
        self.program_for(request, self.rulebook_default(request))
    }

    /// Fills in the game of a request if it is empty, and returns the variants that the situation names. Fails if there is no such
    /// situation.
    pub fn complete_request(&self, request: &mut PageRequest) -> Result<InForce, Error> {
        let ranked = self.library.ranked_games().into_iter();
        let games: Vec<&String> = ranked
            .map(|game| &game.name)
            .filter(|game| request.game.is_empty() || **game == request.game)
            .collect();
        if games.is_empty() {
            self.library.game(&request.game)?;
        }
        let mut names = Vec::new();
        for game in games {
            for (name, variant) in self.library.scenarios(game) {
                if name == request.situation {
                    request.game = game.clone();
                    return Ok(self.library.in_force_for(game, &name, variant.as_deref()));
                }
                names.push(name);
            }
        }
        let similar_names = nearest_names(&request.situation, names.iter().map(String::as_str));
        Err(Error::Unknown {
            kind: "situation",
            name: request.situation.clone(),
            suggestions: similar_names,
        })
    }

    /// Builds the situation of a request with its changes.
    pub fn situation(&self, request: &mut PageRequest) -> Result<Situation, Error> {
        let default = self.complete_request(request)?;
        let program = self.program_for(request, default)?;
        changed_situation(&program, request)
    }
}

/// Builds a situation under a ruleset with the changes of a request.
pub fn changed_situation(
    program: &Arc<Program>,
    request: &PageRequest,
) -> Result<Situation, Error> {
    Situation::new(
        program,
        request.overrides()?.apply(
            &program.ruleset.scenario(&request.situation)?,
            &program.ruleset,
        )?,
    )
}

/// Reads the files of a folder, with a situation that lies in none.
fn read_files(
    data: Option<&Path>,
    embedded: Embedded,
    extra_file: Option<&DataFile>,
) -> Result<Files, Error> {
    let mut files = Files::discover(data, embedded)?.read_all().with_built_in();
    files
        .by_key
        .extend(extra_file.map(|file| (file.key.clone(), file.clone())));
    Ok(files)
}

impl Workbench {
    /// Opens a workbench on a folder.
    pub fn new(data: Option<&Path>, embedded: Embedded, token: String) -> Result<Workbench, Error> {
        let snapshot = DataSnapshot::new(read_files(data, embedded, None)?);
        let stale = Arc::new(AtomicBool::new(false));
        let bench = Workbench {
            data: data.map(Path::to_path_buf),
            extra_file: None,
            token,
            counts: Arc::default(),
            snapshot: Mutex::new(Arc::new(snapshot)),
            #[cfg(feature = "server")]
            watch: FolderWatch::new(stale.clone()),
            stale,
        };
        #[cfg(feature = "server")]
        bench.watch.watch(&bench.root());
        Ok(bench)
    }

    /// Adds a situation that lies in no folder.
    pub fn with_file(self, file: DataFile) -> Workbench {
        self.stale.store(true, Ordering::SeqCst);
        Workbench {
            extra_file: Some(file),
            ..self
        }
    }

    /// Returns the folder for writing: that of the data, or the working directory if there is none.
    pub fn root(&self) -> PathBuf {
        let snapshot = lock_unpoisoned(&self.snapshot);
        snapshot
            .library
            .files
            .root
            .clone()
            .unwrap_or_else(|| PathBuf::from("."))
    }

    /// Returns the current snapshot, and reads the data again if it is stale.
    pub fn snapshot(&self) -> Result<Arc<DataSnapshot>, Error> {
        let mut snapshot = lock_unpoisoned(&self.snapshot);
        if !self.stale.swap(false, Ordering::SeqCst) {
            return Ok(snapshot.clone());
        }
        *snapshot = Arc::new(DataSnapshot::new(read_files(
            self.data.as_deref(),
            snapshot.library.files.embedded,
            self.extra_file.as_ref(),
        )?));
        let current = snapshot.clone();
        drop(snapshot);
        #[cfg(feature = "server")]
        self.watch.watch(&self.root());
        Ok(current)
    }

    /// Compiles the rulebook of every game, so that the first request need not wait.
    pub fn preload(&self) {
        let Ok(snapshot) = self.snapshot() else {
            return;
        };
        for game in snapshot.library.games.keys() {
            let _ = snapshot.rulebook_program(&PageRequest::of_game(game));
        }
    }

    /// Returns a snapshot in which `text` replaces a file.
    pub fn snapshot_with_text(&self, key: &str, text: &str) -> Result<DataSnapshot, Error> {
        check_own_file(key)?;
        let mut files = self.snapshot()?.library.files.clone();
        let path = files
            .by_key
            .get(key)
            .map_or_else(|| key.to_string(), |file| file.path.clone());
        files.by_key.insert(
            key.into(),
            DataFile {
                key: key.into(),
                path,
                text: text.into(),
            },
        );
        Ok(DataSnapshot::new(files))
    }

    /// Returns whether a data file is in the user's folder.
    pub fn is_user_file(&self, key: &str) -> bool {
        check_own_file(key).is_ok() && has_file(&self.root().join(key))
    }

    /// Saves a file of the user's variant. If `was` is given and the file has changed since, it fails instead of
    /// overwriting; no other writer comes between. The ends of lines stay as the file has them.
    pub fn save(&self, key: &str, text: &str, was: Option<&str>) -> Result<PathBuf, Error> {
        check_own_file(key)?;
        let path = self.root().join(key);
        check_inside(&self.root(), key)?;
        // Editors show no byte order mark and line feeds alone, so that is how texts are compared.
        let is_outdated = AtomicBool::new(false);
        let change = |old: Option<&str>| match (old, was) {
            (Some(old), Some(was)) if shown_text(old) != shown_text(was) => {
                is_outdated.store(true, Ordering::Relaxed);
                Err("the file changed on disk since it was opened here".into())
            }
            _ => Ok(Some(
                with_ends_of(old.unwrap_or_default(), text).into_bytes(),
            )),
        };
        commit(Some(&self.root()), &[(path.clone(), Box::new(change))]).map_err(|error| {
            match is_outdated.load(Ordering::Relaxed) {
                true => Error::unanswered(error.to_string(), Remedy::ReopenFile),
                false => error,
            }
        })?;
        self.mark_stale();
        Ok(path)
    }

    /// Marks the data as stale, so that the next request reads it again.
    pub fn mark_stale(&self) {
        self.stale.store(true, Ordering::SeqCst);
    }
}

/// Fails if a path is not that of a variant file.
fn check_own_file(key: &str) -> Result<(), Error> {
    let message = || {
        format!(
            "`{key}` is not a file of a variant: variants/NAME/rules/SECTION/CASE.rhai, tables/NAME.yaml, scenarios/NAME.yaml"
        )
    };
    if is_variant_file(key) {
        Ok(())
    } else {
        Err(Error::Usage(message()))
    }
}
