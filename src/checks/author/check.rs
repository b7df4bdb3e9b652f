//! Validates all data: every layer alone, every variant in force, every script compiled and its calls resolved.

use crate::author::chart_reach;
use crate::author::compositions::{
    self, check_tables_and_lists, compose_ruleset, is_same_fault, mutually_exclusive,
};
use crate::author::headline_checks;
use crate::author::infer::{self, GameFunctions};
use crate::author::look_alikes::look_alikes;
use crate::author::name_checks;
use crate::author::script_checks;
use crate::author::script_vocabulary::{CaseScript, ScriptVocabulary};
use crate::author::verb_placement;
use crate::testing::unused::{self, UnusedPart};
use crate::testing::{suite, test};
use casebook_engine::code::lower;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::{
    Complaint, Complaints, DiagnosticCode, Place, Remedy, Severity, unknown_name,
};
use casebook_engine::data::case::Case;
use casebook_engine::data::files::DataFile;
use casebook_engine::data::library::{Layer, Library};
use casebook_engine::data::manifest::Game;
use casebook_engine::data::variant::Variant;
use casebook_engine::platform::{parallel, task};
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::syntax::parse;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Checks the games that `is_checked` selects by their names.
pub fn check(library: &Arc<Library>, is_checked: &dyn Fn(&str) -> bool) -> Complaints {
    let mut complaints = library.complaints.clone();
    let games: Vec<&Game> = library
        .games
        .values()
        .map(|game| &**game)
        .filter(|game| is_checked(&game.name))
        .collect();
    // Rulesets take longer than the rest, so they come first.
    let tasks: Vec<(&Game, bool)> = [true, false]
        .into_iter()
        .flat_map(|stacks| games.iter().map(move |game| (*game, stacks)))
        .collect();
    let mut by_game = parallel::map(&tasks, |(game, stacks)| {
        parse::with_parse_cache(|| {
            if *stacks {
                (check_stacks(library, game), Vec::new())
            } else {
                check_game_wide(library, game)
            }
        })
    });
    let game_wide = by_game.split_off(games.len());
    for ((stacks, _), (listed, idle)) in by_game.into_iter().zip(game_wide) {
        complaints.0.extend(stacks.0);
        complaints.0.extend(listed.0);
        // Unused parts are reported only once there are no errors.
        if !complaints.has_errors() {
            complaints.0.extend(
                idle.into_iter()
                    .filter(|idle| idle.reason.is_none())
                    .map(|idle| idle.complaint),
            );
        }
    }
    for variant in library.variants.values() {
        check_game_of(library, variant, &mut complaints);
    }
    if task::is_over() {
        let place = Place::whole_file("(all files)");
        let complaint = Complaint::new(
            DiagnosticCode::Limit,
            place,
            "the time ran out before everything was checked",
        );
        complaints.push(complaint.with_remedy(Remedy::MoreTime));
    }
    deduplicate(complaints)
}

/// Checks that the game of a variant is there.
fn check_game_of(library: &Library, variant: &Variant, complaints: &mut Complaints) {
    let game = &variant.game;
    if !game.is_empty() && library.manifest(game).is_none() {
        let message = unknown_name("game", game, library.games.keys().map(String::as_str));
        let complaint = Complaint::new(
            DiagnosticCode::UnknownName,
            variant.place_of("game", game),
            message,
        );
        complaints.push(complaint.with_help("name a game of this data under `game:`"));
    }
}

/// Checks what does not depend on a ruleset: names, tests and unused functions.
fn check_game_wide(library: &Arc<Library>, game: &Game) -> (Complaints, Vec<UnusedPart>) {
    let mut complaints = Complaints::default();
    check_names_and_tests(library, game, None, &mut complaints);
    complaints.0.extend(look_alikes(library, &game.name));
    (
        complaints,
        unused::uncalled_functions(library, &game.name).unwrap_or_default(),
    )
}

/// Checks names and tests of a game, or only those of the file with the key `only`.
fn check_names_and_tests(
    library: &Arc<Library>,
    game: &Game,
    only: Option<&str>,
    complaints: &mut Complaints,
) {
    name_checks::check(library, game, only, complaints);
    let mut tests = test::test_files(library, &game.name, "");
    tests.retain(|test_file| only.is_none_or(|key| test_file.file.key == key));
    let mut seen = BTreeSet::new();
    for test_file in &tests {
        name_checks::check_tests(test_file, game, library, &mut seen, complaints);
    }
    complaints
        .0
        .extend(suite::argument_faults(library, &game.name, &tests));
    complaints.0.extend(
        tests
            .into_iter()
            .flat_map(test::RulingTestFile::into_complaints),
    );
}

/// Checks the rulesets of a game: the printed game, each variant with its dependencies, and each group of compatible variants.
fn check_stacks(library: &Arc<Library>, game: &Game) -> Complaints {
    let single_variants: Vec<RulesetSpec> = library
        .variants_of(&game.name)
        .iter()
        .map(|name| RulesetSpec::new(&game.name, &[name]))
        .collect();
    let mut combinations = stacks(library, &game.name);
    combinations.extend(single_variants.iter().cloned());
    combinations.sort();
    combinations.dedup();
    let (mut complaints, mut functions) =
        (Complaints::default(), GameFunctions::new(library, game));
    let optional = single_variants
        .iter()
        .filter_map(|spec| with_all_options(library, game, &spec.variants));
    for spec in optional.take_while(|_| !task::is_over()) {
        // Cases that an option leaves out by default are checked with it on.
        let (mut of_stack, option_files) = (
            Complaints::default(),
            optional_files(library, game, &spec.variants),
        );
        check_stack(library, &spec, None, &mut functions, &mut of_stack);
        complaints.0.extend(
            of_stack
                .0
                .into_iter()
                .filter(|complaint| option_files.contains(&complaint.place.path)),
        );
    }
    let composed = compositions::check(library, game);
    for spec in combinations.into_iter().take_while(|_| !task::is_over()) {
        check_stack(library, &spec, None, &mut functions, &mut complaints);
    }
    // What a composition complains of says under which variants it fails, and the remedy.
    complaints.0.retain(|complaint| {
        !composed
            .0
            .iter()
            .any(|other| is_same_fault(other, complaint))
    });
    complaints.0.extend(composed.0);
    complaints
}

/// Returns a variant on top of those below it, with the options on that are off by default; `None` if it has no such options.
fn with_all_options(library: &Library, game: &Game, names: &[String]) -> Option<RulesetSpec> {
    let name = names.first()?;
    let options = &library.variants.get(name)?.options;
    let off: Vec<String> = options
        .iter()
        .filter(|option| !option.default)
        .map(|option| format!("{name}.{}", option.name))
        .collect();
    let spec = RulesetSpec::with_variants(&game.name, variants_below(library, &game.name, name));
    (!off.is_empty()).then(|| {
        off.iter()
            .fold(spec, |spec, option| spec.option(option, true))
    })
}

/// Returns the paths of the cases of some variants that belong to an option.
fn optional_files(library: &Library, game: &Game, variants: &[String]) -> BTreeSet<String> {
    let layers = variants
        .iter()
        .map(|name| library.layer(game, Some(name), &mut Complaints::default()));
    let optional = |layer: Arc<Layer>| {
        layer
            .cases
            .iter()
            .filter(|case| case.option.is_some())
            .map(|case| case.file.path.clone())
            .collect::<Vec<_>>()
    };
    layers.flat_map(optional).collect()
}

/// Checks one file: alone, in its layer, and with all variants in force. Its effects on other files are left to `check`.
pub fn check_file(library: &Arc<Library>, key: &str) -> Complaints {
    let mut complaints = library.complaints.clone();
    let Some(manifest) = library
        .game_of(key)
        .and_then(|game| library.games.get(game))
    else {
        return complaints.into_sorted();
    };
    let name = &manifest.name;
    check_names_and_tests(library, manifest, Some(key), &mut complaints);
    let variant = key
        .strip_prefix("variants/")
        .and_then(|rest| rest.split('/').next())
        .filter(|v| library.variants.contains_key(*v));
    let below = variant
        .map(|variant| variants_below(library, name, variant))
        .unwrap_or_default();
    let compatible = library.compatible_variants(name);
    let mut functions = GameFunctions::new(library, manifest);
    for variants in if below == compatible {
        vec![below]
    } else {
        vec![below, compatible]
    } {
        check_stack(
            library,
            &RulesetSpec::with_variants(name, variants),
            Some(key),
            &mut functions,
            &mut complaints,
        );
    }
    let path = library
        .files
        .by_key
        .get(key)
        .map(|file| file.path.clone())
        .unwrap_or_default();
    let mut complaints = deduplicate(complaints);
    complaints
        .0
        .retain(|complaint| complaint.place.path == path);
    complaints
}

/// A file with one of these diagnostic codes is not read, or only in part.
const UNREADABLE_CODES: [DiagnosticCode; 3] = [
    DiagnosticCode::File,
    DiagnosticCode::Yaml,
    DiagnosticCode::Script,
];

/// Diagnostic codes that may be a mere consequence of an unreadable file elsewhere, by the extension of that file.
const CONSEQUENT_CODES: [(&str, &[DiagnosticCode]); 2] = [
    (
        ".rhai",
        &[DiagnosticCode::UnknownFunction, DiagnosticCode::Prior],
    ),
    (".yaml", &[DiagnosticCode::UnknownName]),
];

/// Sorts the complaints and removes duplicates.
fn deduplicate(complaints: Complaints) -> Complaints {
    let mut complaints = complaints.into_sorted();
    // An unreadable file may define the missing names, so complaints about them are dropped.
    for (end, consequent) in CONSEQUENT_CODES {
        let is_unreadable = |complaint: &Complaint| {
            UNREADABLE_CODES.contains(&complaint.code) && complaint.place.path.ends_with(end)
        };
        if complaints.0.iter().any(is_unreadable) {
            complaints
                .0
                .retain(|complaint| !consequent.contains(&complaint.code));
        }
    }
    // A case of the wrong kind, such as an amendment of a variant it does not need, is fixed first; its conflicts are reported after that.
    let misplaced: BTreeSet<String> = complaints
        .0
        .iter()
        .filter(|c| c.code == DiagnosticCode::Kind)
        .map(|c| c.place.path.clone())
        .collect();
    complaints.0.retain(|complaint| {
        complaint.code != DiagnosticCode::Conflict || !misplaced.contains(&complaint.place.path)
    });
    // Under another ruleset the suggested name may differ; the fault is the same.
    complaints.0.dedup_by(|b, a| {
        a.code == DiagnosticCode::UnknownFunction && (a.code, &a.place) == (b.code, &b.place)
    });
    // An answer that does not ask the older one is one mistake, over however many stacks.
    complaints.0.dedup_by(|b, a| {
        a.code == DiagnosticCode::Prior
            && (a.code, &a.place, &a.message) == (b.code, &b.place, &b.message)
    });
    complaints
}

/// Checks one variant with its dependencies. Other variants are not checked, and notes about them are dropped.
pub fn check_variant(library: &Arc<Library>, name: &str) -> Complaints {
    let mut complaints = library.complaints.clone();
    let variant = library.variants.get(name);
    if let Some(variant) = variant {
        check_game_of(library, variant, &mut complaints);
    }
    if let Some(game) = variant.and_then(|variant| library.games.get(&variant.game)) {
        name_checks::check(library, game, None, &mut complaints);
        let mut seen = BTreeSet::new();
        for test_file in test::test_files(library, &game.name, "") {
            name_checks::check_tests(&test_file, game, library, &mut seen, &mut complaints);
        }
        check_stack(
            library,
            &stack_of(library, &game.name, name),
            None,
            &mut GameFunctions::new(library, game),
            &mut complaints,
        );
    }
    let folder = format!("variants/{name}/");
    let files = &library.files.by_key;
    let own_paths: BTreeSet<&str> = files
        .values()
        .filter(|file| file.key.starts_with(&folder))
        .map(|file| file.path.as_str())
        .collect();
    complaints.0.retain(|complaint| {
        complaint.severity == Severity::Error || own_paths.contains(complaint.place.path.as_str())
    });
    complaints.into_sorted()
}

/// Returns a variant with those below it.
pub fn stack_of(library: &Library, game: &str, name: &str) -> RulesetSpec {
    RulesetSpec::with_variants(game, variants_below(library, game, name))
}

/// Returns the rulesets of a game that are worth trying: no variant, each variant with those below it, and each group of compatible variants.
pub fn stacks(library: &Library, game: &str) -> Vec<RulesetSpec> {
    let below = library
        .variants_of(game)
        .into_iter()
        .map(|variant| variants_below(library, game, variant));
    let mut stacks: Vec<RulesetSpec> = [Vec::new()]
        .into_iter()
        .chain(below)
        .chain(compatible_groups(library, game))
        .map(|variants| RulesetSpec::with_variants(game, variants))
        .collect();
    stacks.sort();
    stacks.dedup();
    stacks
}

/// Splits the variants of a game into groups without mutual exclusions, so that each variant is in exactly one group.
fn compatible_groups(library: &Library, game: &str) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for name in library.variants_of(game).into_iter().map(String::from) {
        match rows.iter_mut().find(|row| {
            !row.iter()
                .any(|member| mutually_exclusive(library, member, &name))
        }) {
            Some(row) => row.push(name),
            None => rows.push(vec![name]),
        }
    }
    rows
}

/// Returns a variant and all variants it names under `after:`, transitively: it is applied on top of these.
fn variants_below(library: &Library, game: &str, variant: &str) -> Vec<String> {
    let mut chosen = vec![variant];
    let mut next = 0;
    while let Some(variant) = chosen
        .get(next)
        .and_then(|name| library.variants.get(*name))
    {
        let older: Vec<&str> = variant
            .after
            .iter()
            .map(String::as_str)
            .filter(|name| !chosen.contains(name))
            .collect();
        let fits = |name: &&str| library.variants.get(*name).is_some_and(|v| v.game == game);
        for name in older.into_iter().filter(fits) {
            if !chosen
                .iter()
                .any(|member| mutually_exclusive(library, member, name))
            {
                chosen.push(name);
            }
        }
        next += 1;
    }
    chosen.sort_unstable();
    chosen.into_iter().map(String::from).collect()
}

/// Checks one ruleset: layers, tables, scenarios and scripts, or only what the file `only` affects. Under variants only the parts that they
/// add or amend are checked; the rest is the same as without them.
fn check_stack(
    library: &Arc<Library>,
    spec: &RulesetSpec,
    only: Option<&str>,
    functions: &mut GameFunctions,
    complaints: &mut Complaints,
) {
    let is_selected = |file: &DataFile| only.is_none_or(|key| key == file.key);
    let mut faults = Complaints::default();
    let ruleset = compose_ruleset(library, spec, &mut faults).map(Arc::new);
    let is_sound = !faults.has_errors();
    complaints.0.extend(faults.0);
    let Some(ruleset) = ruleset else {
        return;
    };
    let base = ruleset.layers[0].name.clone();
    let is_checked_layer = |layer: &str| ruleset.layers.len() == 1 || layer != &*base;
    let any_checked_layer = |has: &dyn Fn(&Layer) -> bool| {
        ruleset
            .layers
            .iter()
            .any(|layer| is_checked_layer(&layer.name) && has(layer))
    };
    let has_selected_file = |id: &str| {
        ruleset
            .layers
            .iter()
            .flat_map(|layer| layer.tables.get(id))
            .flatten()
            .any(is_selected)
    };
    check_tables_and_lists(
        &ruleset,
        &|id| has_selected_file(id) && any_checked_layer(&|layer| layer.tables.contains_key(id)),
        &|name, used| {
            let layers = ruleset.layers.iter().filter(|layer| layer.has_list(name));
            let mut files = layers.flat_map(|layer| {
                let manifest = layer.variant.iter().map(|variant| &variant.file);
                layer.scenarios.get(name).into_iter().chain(manifest)
            });
            let listed = |name: &str| any_checked_layer(&|layer| layer.has_list(name));
            files.any(is_selected) && (listed(name) || used.iter().any(|used| listed(used)))
        },
        complaints,
    );
    // Scripts are checked under layers that go together.
    if !is_sound {
        return;
    }
    let is_checked =
        |case: &Case| is_checked_layer(&case.layer) && only.is_none_or(|key| case.has_file(key));
    let (mut unreadable, mut read) = (Vec::new(), Vec::new());
    for case in &ruleset.cases {
        // Maps of an unchecked script may still be read by the others.
        if !is_checked(case) && functions.has_maps_of(case) {
            continue;
        }
        match CaseScript::parse(case) {
            Ok(script) => {
                functions.add_script(&script);
                if is_checked(case) {
                    verb_placement::check_script(&ruleset, &script, complaints);
                    read.push(script);
                }
            }
            Err(errors) => {
                if is_checked(case) {
                    complaints.0.extend(errors.0);
                }
                unreadable.extend(
                    [Some(&case.file), case.tests.as_ref()]
                        .into_iter()
                        .flatten()
                        .map(|file| file.path.clone()),
                );
            }
        }
    }
    let is_wrong = |complaint: &Complaint| {
        complaint.severity == Severity::Error
            && ([DiagnosticCode::File, DiagnosticCode::Script].contains(&complaint.code)
                || complaint.place.path.contains("tables/"))
    };
    // A case that can't be read might read what a card lists.
    let unread_case = |complaint: &Complaint| {
        UNREADABLE_CODES.contains(&complaint.code) && complaint.place.path.ends_with(".rhai")
    };
    if !complaints
        .0
        .iter()
        .chain(&ruleset.library.complaints.0)
        .any(unread_case)
    {
        headline_checks::check_given_is_read(&ruleset, &is_checked, complaints);
    }
    let vocabulary = ScriptVocabulary::new(
        &ruleset,
        &functions.map_texts,
        !complaints.0.iter().any(is_wrong),
    );
    for script in &read {
        script_checks::check(&vocabulary, script, complaints);
    }
    infer::check(&vocabulary, &read, functions, complaints);
    // What is wrong elsewhere may be why no call reaches a label.
    if unreadable.is_empty() && vocabulary.complete && !complaints.has_errors() {
        let is_checked = |id: &str| {
            has_selected_file(id) && any_checked_layer(&|layer| layer.tables.contains_key(id))
        };
        complaints
            .0
            .extend(chart_reach::check(&vocabulary, is_checked));
    }
    let program = Program::new(ruleset.clone());
    let lowered = lower::collect_complaints(&program, &|case| is_checked(&ruleset.cases[case])).0;
    // The older definition may be in a file that can't be read, which is already reported.
    let unread = complaints.0.iter().any(unread_case);
    let is_consequent = |complaint: &Complaint| {
        unreadable.contains(&complaint.place.path)
            || unread && complaint.code == DiagnosticCode::Prior
    };
    complaints.0.extend(
        lowered
            .into_iter()
            .filter(|complaint| !is_consequent(complaint)),
    );
    headline_checks::check_headlines(&program, &is_checked, only.is_none(), complaints);
}
