//! Validates all data: every layer alone, every variant in force, every script compiled and its calls resolved.

use crate::author::headline_checks;
use crate::author::infer::{self, GameFunctions};
use crate::author::name_checks;
use crate::author::script_checks;
use crate::author::script_vocabulary::{CaseScript, ScriptVocabulary};
use crate::author::verb_placement;
use crate::code::lower;
use crate::code::program::Program;
use crate::complaint::{Complaint, Complaints, DiagnosticCode, Error, Message, Place, Severity, Span, did_you_mean};
use crate::data::case::Case;
use crate::data::files::DataFile;
use crate::data::library::{Layer, Library};
use crate::data::manifest::Game;
use crate::data::scenario::ListKind;
use crate::data::table::Table;
use crate::platform::{parallel, task};
use crate::ruleset::compose::{Ruleset, RulesetSpec};
use crate::ruleset::diagnostics;
use crate::situation::geography::Atlas;
use crate::situation::initial_board::InitialBoard;
use crate::syntax::parse;
use crate::testing::mutation_steps::Equivalents;
use crate::testing::unused::{self, UnusedPart};
use crate::testing::{suite, test};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Checks all games, or the given one.
pub fn check(library: &Arc<Library>, game: Option<&str>) -> Complaints {
    let mut all = library.complaints.clone();
    let games: Vec<&Game> = library.games.values().map(|game| &**game).filter(|one| game.is_none_or(|name| name == one.name)).collect();
    // Rulesets take longer than the rest, so they come first.
    let tasks: Vec<(&Game, bool)> = [true, false].into_iter().flat_map(|stacks| games.iter().map(move |game| (*game, stacks))).collect();
    let mut found = parallel::map(&tasks, |(game, stacks)| {
        parse::with_parse_cache(|| if *stacks { (check_stacks(library, game), Vec::new()) } else { check_game_wide(library, game) })
    });
    let wide = found.split_off(games.len());
    for ((stacks, _), (listed, idle)) in found.into_iter().zip(wide) {
        all.0.extend(stacks.0);
        all.0.extend(listed.0);
        // Unused parts are reported only once there are no errors.
        if !all.has_errors() {
            all.0.extend(idle.into_iter().filter(|idle| idle.reason.is_none()).map(|idle| idle.complaint));
        }
    }
    for variant in library.variants.values() {
        let game = &variant.game;
        if !game.is_empty() && library.manifest(game).is_none() {
            let what = did_you_mean(format!("no game is called `{game}`"), game, library.games.keys().map(String::as_str));
            let complaint = Complaint::new(DiagnosticCode::UnknownName, variant.place_of("game", game), what);
            all.push(complaint.with_help("name a game of this data under `game:`"));
        }
    }
    if task::is_over() {
        let place = Place::whole_file("(all files)");
        let complaint = Complaint::new(DiagnosticCode::Limit, place, "the time ran out before everything was checked");
        all.push(complaint.with_help("--limit SECONDS gives more"));
    }
    deduplicate(all)
}

/// Checks what does not depend on a ruleset: names, tests and unused functions.
fn check_game_wide(library: &Arc<Library>, game: &Game) -> (Complaints, Vec<UnusedPart>) {
    let mut all = Complaints::default();
    check_names_and_tests(library, game, None, &mut all);
    all.0.extend(Equivalents::load(library, &game.name).1);
    (all, unused::uncalled_functions(library, &game.name).unwrap_or_default())
}

/// Checks names and tests of a game, or only those of the file with the key `only`.
fn check_names_and_tests(library: &Arc<Library>, game: &Game, only: Option<&str>, all: &mut Complaints) {
    name_checks::check(library, game, only, all);
    let mut tests = test::test_files(library, &game.name, "");
    tests.retain(|test_file| only.is_none_or(|key| test_file.file.key == key));
    tests.iter().for_each(|test_file| name_checks::check_tests(test_file, game, library, all));
    all.0.extend(suite::argument_faults(library, &game.name, &tests));
    all.0.extend(tests.into_iter().flat_map(test::RulingTestFile::into_complaints));
}

/// Checks the rulesets of a game: the printed game, each variant with its dependencies, and each group of compatible variants.
fn check_stacks(library: &Arc<Library>, game: &Game) -> Complaints {
    let alone: Vec<Vec<String>> = library.variants_of(&game.name).iter().map(|name| vec![name.to_string()]).collect();
    let mut with = stacks(library, &game.name);
    with.extend(alone.iter().cloned());
    with.sort();
    with.dedup();
    let (mut all, mut known) = (Complaints::default(), GameFunctions::new(library, game));
    for with in with.into_iter().take_while(|_| !task::is_over()) {
        // The `was` values of a variant with `after:` refer to the state with those variants in force.
        let over = alone.contains(&with) && library.variants.get(&with[0]).is_some_and(|variant| !variant.after.is_empty());
        let mut found = Complaints::default();
        check_stack(library, &RulesetSpec::with_variants(&game.name, with), None, &mut known, &mut found);
        all.0.extend(found.0.into_iter().filter(|complaint| !(over && complaint.code == DiagnosticCode::WasNow)));
    }
    all
}

/// Checks one file: alone, in its layer, and with all variants in force. Its effects on other files are left to `check`.
pub fn check_file(library: &Arc<Library>, key: &str) -> Complaints {
    let mut all = library.complaints.clone();
    let Some(manifest) = library.game_of(key).and_then(|game| library.games.get(game)) else { return all.into_sorted() };
    let name = &manifest.name;
    check_names_and_tests(library, manifest, Some(key), &mut all);
    let variant = key.strip_prefix("variants/").and_then(|rest| rest.split('/').next()).filter(|v| library.variants.contains_key(*v));
    let own = variant.map(|variant| variants_below(library, name, variant)).unwrap_or_default();
    let every = library.compatible_variants(name);
    let mut known = GameFunctions::new(library, manifest);
    for with in if own == every { vec![own] } else { vec![own, every] } {
        check_stack(library, &RulesetSpec::with_variants(name, with), Some(key), &mut known, &mut all);
    }
    let path = library.files.by_key.get(key).map(|file| file.path.clone()).unwrap_or_default();
    let mut all = deduplicate(all);
    all.0.retain(|complaint| complaint.place.path == path);
    all
}

/// A file with one of these diagnostic codes is not read, or only in part.
const UNREADABLE_CODES: [DiagnosticCode; 3] = [DiagnosticCode::File, DiagnosticCode::Yaml, DiagnosticCode::Script];

/// Diagnostic codes that may be a mere consequence of an unreadable file elsewhere, by the extension of that file.
const CONSEQUENT_CODES: [(&str, &[DiagnosticCode]); 2] =
    [(".rhai", &[DiagnosticCode::UnknownFunction, DiagnosticCode::Prior]), (".yaml", &[DiagnosticCode::UnknownName])];

/// Sorts the complaints and removes duplicates.
fn deduplicate(all: Complaints) -> Complaints {
    let mut all = all.into_sorted();
    // An unreadable file may define the missing names, so complaints about them are dropped.
    for (end, follow) in CONSEQUENT_CODES {
        let unread = |complaint: &Complaint| UNREADABLE_CODES.contains(&complaint.code) && complaint.place.path.ends_with(end);
        if all.0.iter().any(unread) {
            all.0.retain(|complaint| !follow.contains(&complaint.code));
        }
    }
    // A case of the wrong kind, such as an amendment of a variant it does not need, is fixed first; its conflicts are reported after that.
    let odd: BTreeSet<String> = all.0.iter().filter(|c| c.code == DiagnosticCode::Kind).map(|c| c.place.path.clone()).collect();
    all.0.retain(|complaint| complaint.code != DiagnosticCode::Conflict || !odd.contains(&complaint.place.path));
    // Under another ruleset the suggested name may differ; the fault is the same.
    all.0.dedup_by(|b, a| a.code == DiagnosticCode::UnknownFunction && (a.code, &a.place) == (b.code, &b.place));
    all
}

/// Checks one variant with its dependencies. Other variants are not checked, and notes about them are dropped.
pub fn check_variant(library: &Arc<Library>, name: &str) -> Complaints {
    let mut all = library.complaints.clone();
    if let Some(game) = library.variants.get(name).and_then(|variant| library.games.get(&variant.game)) {
        name_checks::check(library, game, None, &mut all);
        test::test_files(library, &game.name, "").iter().for_each(|test_file| name_checks::check_tests(test_file, game, library, &mut all));
        let spec = RulesetSpec::with_variants(&game.name, variants_below(library, &game.name, name));
        check_stack(library, &spec, None, &mut GameFunctions::new(library, game), &mut all);
    }
    let own = format!("variants/{name}/");
    let files = &library.files.by_key;
    let its: BTreeSet<&str> = files.values().filter(|file| file.key.starts_with(&own)).map(|file| file.path.as_str()).collect();
    all.0.retain(|complaint| complaint.weight == Severity::Error || its.contains(complaint.place.path.as_str()));
    all.into_sorted()
}

/// Returns the stacks of a game that are worth trying: no variant, each variant with those below it, and each group of compatible variants.
pub fn stacks(library: &Library, game: &str) -> Vec<Vec<String>> {
    let below = library.variants_of(game).into_iter().map(|variant| variants_below(library, game, variant));
    let mut stacks: Vec<Vec<String>> = [Vec::new()].into_iter().chain(below).chain(compatible_groups(library, game)).collect();
    stacks.sort();
    stacks.dedup();
    stacks
}

/// Splits the variants of a game into groups without mutual exclusions, so that each variant is in exactly one group.
fn compatible_groups(library: &Library, game: &str) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for name in library.variants_of(game).into_iter().map(String::from) {
        match rows.iter_mut().find(|row| !row.iter().any(|other| mutually_exclusive(library, other, &name))) {
            Some(row) => row.push(name),
            None => rows.push(vec![name]),
        }
    }
    rows
}

/// Returns whether two variants, or their dependencies, exclude each other.
fn mutually_exclusive(library: &Library, one: &str, other: &str) -> bool {
    let excludes = |a: &String, b: &String| library.variants.get(a).is_some_and(|variant| variant.excludes.contains(b));
    let (ones, others) = (library.with_needs(one), library.with_needs(other));
    ones.iter().any(|a| others.iter().any(|b| excludes(a, b) || excludes(b, a)))
}

/// Returns a variant and all variants it names under `after:`, transitively: it is applied on top of these.
fn variants_below(library: &Library, game: &str, variant: &str) -> Vec<String> {
    let mut with = vec![variant];
    let mut next = 0;
    while let Some(variant) = with.get(next).and_then(|name| library.variants.get(*name)) {
        let more: Vec<&str> = variant.after.iter().map(String::as_str).filter(|name| !with.contains(name)).collect();
        let fits = |name: &&str| library.variants.get(*name).is_some_and(|v| v.game == game);
        for name in more.into_iter().filter(fits) {
            if !with.iter().any(|other| mutually_exclusive(library, other, name)) {
                with.push(name);
            }
        }
        next += 1;
    }
    with.sort_unstable();
    with.into_iter().map(String::from).collect()
}

/// Checks one ruleset: layers, tables, scenarios and scripts, or only what the file `only` affects. Under variants only the parts that they
/// add or amend are checked; the rest is the same as without them.
fn check_stack(library: &Arc<Library>, spec: &RulesetSpec, only: Option<&str>, known: &mut GameFunctions, all: &mut Complaints) {
    let wanted = |file: &DataFile| only.is_none_or(|key| key == file.key);
    let ruleset = match diagnostics::build_ruleset(library, spec) {
        Ok((ruleset, notes)) => {
            all.0.extend(notes.0);
            Arc::new(ruleset)
        }
        Err(Error::Data(complaints)) => return all.0.extend(complaints.0),
        // Unknown names are already reported where they are used.
        Err(Error::Unknown { .. }) => return,
        Err(other) => {
            let complaint = Complaint::new(DiagnosticCode::Order, Place::whole_file("variants"), other.to_string());
            return all.push(complaint.with_help("look at `after:` and `needs:` in their variant.yaml"));
        }
    };
    let base = ruleset.layers[0].name.clone();
    let fresh = |layer: &str| ruleset.layers.len() == 1 || layer != &*base;
    let brought = |has: &dyn Fn(&Layer) -> bool| ruleset.layers.iter().any(|layer| fresh(&layer.name) && has(layer));
    let tables: Vec<String> = ruleset.table_names().map(String::from).collect();
    let here = |id: &str| ruleset.layers.iter().flat_map(|layer| layer.tables.get(id)).flatten().any(wanted);
    for id in tables.iter().filter(|id| here(id) && brought(&|layer| layer.tables.contains_key(*id))) {
        if let Some(table) = ruleset.stack_table(id, all) {
            check_cells(&ruleset, &table, all);
        }
    }
    let names: Vec<String> = ruleset.scenario_names().into_iter().map(String::from).collect();
    let atlas = Atlas::default();
    let listed = |name: &str| brought(&|layer| layer.scenarios.contains_key(name));
    for name in names.into_iter().filter(|name| ruleset.layers.iter().filter_map(|l| l.scenarios.get(name)).any(wanted)) {
        if let Some(scenario) = ruleset.stack_scenario(&name, all) {
            if !listed(&name) && !scenario.used_lists.iter().any(|used| listed(used)) {
                continue;
            }
            if let Err(complaints) = InitialBoard::new(&scenario, &ruleset, &atlas) {
                // Rosters and deployments are lists; only a situation has a board.
                if scenario.list_kind == ListKind::Situation {
                    all.0.extend(complaints.0);
                }
            }
        }
    }
    let is_checked = |case: &Case| fresh(&case.layer) && only.is_none_or(|key| case.has_file(key));
    for case in ruleset.cases.iter().filter(|case| is_checked(case)) {
        check_sources(&ruleset, case, all);
    }
    let (mut unreadable, mut read) = (Vec::new(), Vec::new());
    for case in &ruleset.cases {
        // Maps of an unchecked script may still be read by the others.
        if !is_checked(case) && known.has_maps_of(case) {
            continue;
        }
        match CaseScript::parse(case) {
            Ok(script) => {
                known.add_script(&script);
                if is_checked(case) {
                    verb_placement::check_script(&ruleset, &script, all);
                    read.push(script);
                }
            }
            Err(complaints) => {
                if is_checked(case) {
                    all.0.extend(complaints.0);
                }
                unreadable.extend([Some(&case.file), case.tests.as_ref()].into_iter().flatten().map(|file| file.path.clone()));
            }
        }
    }
    let is_wrong = |complaint: &Complaint| {
        complaint.weight == Severity::Error
            && ([DiagnosticCode::File, DiagnosticCode::Script].contains(&complaint.code) || complaint.place.path.contains("tables/"))
    };
    // A case that can't be read might read what a card lists.
    let unread_case = |complaint: &Complaint| UNREADABLE_CODES.contains(&complaint.code) && complaint.place.path.ends_with(".rhai");
    if !all.0.iter().chain(&ruleset.library.complaints.0).any(unread_case) {
        headline_checks::check_given_is_read(&ruleset, &is_checked, all);
    }
    let words = ScriptVocabulary::new(&ruleset, &known.map_texts, !all.0.iter().any(is_wrong));
    read.iter().for_each(|script| script_checks::check(&words, script, all));
    infer::check(&words, &read, known, all);
    let program = Program::new(ruleset.clone());
    let lowered = lower::collect_complaints(&program, &|case| is_checked(&ruleset.cases[case])).0;
    // The older definition may be in a file that can't be read, which is already reported.
    let unread = all.0.iter().any(unread_case);
    let old = |complaint: &Complaint| unreadable.contains(&complaint.place.path) || unread && complaint.code == DiagnosticCode::Prior;
    all.0.extend(lowered.into_iter().filter(|complaint| !old(complaint)));
    let groups = ruleset.layers.len() == 1 && only.is_none();
    headline_checks::check_headlines(&program, &is_checked, groups, all);
}

/// Checks the cells of a chart: they are declared, their names exist, and their figures are ordered as declared.
fn check_cells(ruleset: &Ruleset, table: &Table, all: &mut Complaints) {
    let crumbs = format!("table {}", table.id);
    let complain = |index: usize, what: Message| {
        let cell = &table.cells[index];
        let place = Place::from_text(&cell.path, table.file_text(&cell.path), cell.span);
        Complaint::new(DiagnosticCode::Cell, place, what).with_breadcrumbs(format!("{crumbs}, {}", table.label(index)))
    };
    if table.constraints.is_empty() {
        let what = "this chart does not say what its cells hold, so Casebook can't check them";
        let place = Place::from_text(&table.file.path, &table.file.text, Span { line: 1, column: 1, length: 1 });
        let help = format!("add a line such as `{}`, as its cells now have it", table.infer_constraints());
        all.push(Complaint::new(DiagnosticCode::Cell, place, what).with_breadcrumbs(crumbs.as_str()).with_help(help).into_note());
    }
    for (index, what) in table.trend_violations() {
        let help = "correct the figure, or take the axis out of `rises:` or `falls:`";
        all.push(complain(index, what.into()).with_help(help).into_note());
    }
    for (index, part, names) in table.references() {
        let game = &ruleset.game;
        if names.iter().any(|sort| game.is_known_name(sort, part) == Some(true)) {
            continue;
        }
        let known = names.iter().flat_map(|sort| game.names_of_kind(sort));
        let what = did_you_mean(format!("no {} is called `{part}`", names.join(" or ")), part, known);
        let help = "name one that the manifest lists; `holds:` says what the cells name";
        all.push(complain(index, what).with_help(help));
    }
}

/// Reports every `doc:` of a card that is no document of the manifest.
fn check_sources(ruleset: &Ruleset, case: &Case, all: &mut Complaints) {
    let (text, known) = (&case.file.text, &ruleset.game.sources);
    for doc in case.sources.iter().map(|source| source.doc.as_str()).filter(|doc| !known.contains_key(*doc)) {
        let (line, raw) = text.lines().enumerate().find(|(_, line)| line.contains("doc:") && line.contains(doc)).unwrap_or((0, ""));
        let column = raw.find(doc).map_or(1, |at| raw[..at].chars().count() + 1);
        let place = Place::from_text(&case.file.path, text, Span { line: line + 1, column, length: doc.chars().count().max(1) });
        let what = did_you_mean(format!("no source is called `{doc}`"), doc, known.keys().map(String::as_str));
        let help = "name a document that the game's manifest lists under `sources:`";
        all.push(Complaint::new(DiagnosticCode::UnknownName, place, what).with_help(help));
    }
}
