//! Composes each variant of a game alone and with each other one that it may meet, under the settings of their options, and complains of
//! what fails. Only what several variants touch, or an option switches, is composed anew.

use casebook_engine::complaint::{
    Complaint, Complaints, DiagnosticCode, Error, Message, Place, Severity, Span, unknown_name,
};
use casebook_engine::data::change::ChangeAddress;
use casebook_engine::data::library::{Layer, Library};
use casebook_engine::data::manifest::Game;
use casebook_engine::data::scenario::ListKind;
use casebook_engine::data::table::{CellReference, Table};
use casebook_engine::data::variant::Variant;
use casebook_engine::platform::task;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruleset::diagnostics;
use casebook_engine::ruleset::references::KnownNames;
use casebook_engine::situation::geography::Atlas;
use casebook_engine::situation::initial_board::InitialBoard;
use std::sync::Arc;

/// Up to so many options, each combination is composed; of more, each by itself, and all of them together.
const MAX_COMBINED: usize = 4;

/// Something that a variant touches.
struct TouchedPart<'l> {
    variant: &'l str,
    /// The option that switches it.
    option: Option<String>,
    /// A function, case, table or list; empty for any function.
    part: String,
}

/// Returns the errors of all compositions of a game; each fault once, under the fewest variants.
pub fn check(library: &Arc<Library>, game: &Game) -> Complaints {
    let names = library.variants_of(&game.name);
    let pairs = names.iter().enumerate().flat_map(|(index, second)| {
        let partners = names[..index].iter();
        partners
            .filter(|first| !mutually_exclusive(library, first, second))
            .map(|first| vec![*first, *second])
    });
    let groups = names.iter().map(|name| vec![*name]).chain(pairs);
    let mut found = Complaints::default();
    for group in groups {
        for options in settings(library, game, &group) {
            if task::is_over() {
                return found;
            }
            let spec = RulesetSpec {
                options,
                ..RulesetSpec::new(&game.name, &group)
            };
            let is_first = group.len() == 1 && spec.options.is_empty();
            for error in errors(library, &spec, is_first) {
                if !found.0.iter().any(|other| is_same_fault(other, &error)) {
                    found.push(explain(library, &spec, &names, error));
                }
            }
        }
    }
    found
}

/// Returns whether two complaints are of one fault, which may read otherwise over other layers.
pub fn is_same_fault(a: &Complaint, b: &Complaint) -> bool {
    (a.code, &a.place.path, a.place.span) == (b.code, &b.place.path, b.place.span)
}

fn touched_parts<'l>(library: &Library, game: &Game, name: &'l str) -> Vec<TouchedPart<'l>> {
    let mut unread = Complaints::default();
    let layer = library.layer(game, Some(name), &mut unread);
    let mut parts = Vec::new();
    let mut add = |option: &Option<String>, part: String| {
        parts.push(TouchedPart {
            variant: name,
            option: option.clone(),
            part,
        });
    };
    for case in &layer.cases {
        let answers = case.functions.iter().filter(|answer| answer.is_answer());
        for function in answers.map(|answer| &answer.name).chain(&case.replaces) {
            add(&case.option, format!("function {function}"));
        }
        add(&case.option, format!("case {}", case.number));
    }
    for id in layer.tables.keys() {
        for file in library.table_files(&layer, id, &mut unread) {
            add(&file.option, format!("table {id}"));
        }
    }
    for list in layer.scenarios.keys() {
        if let Some(file) = library.scenario(&layer, list, game, &mut unread) {
            add(&file.option, format!("list {list}"));
            for change in &file.changes {
                add(&change.option, format!("list {list}"));
            }
        }
    }
    for change in layer.variant.iter().flat_map(|variant| &variant.changes) {
        let part = match &change.address {
            ChangeAddress::Values(list) => format!("list {list}"),
            _ => String::new(),
        };
        add(&change.option, part);
    }
    parts
}

/// Returns the settings of those options of a group that matter, each as what differs from the defaults; the defaults come first. An option
/// matters that is off by default, and any other one if something else of the group touches what it switches.
fn settings(library: &Library, game: &Game, group: &[&str]) -> Vec<Vec<(String, bool)>> {
    let parts = group
        .iter()
        .flat_map(|name| touched_parts(library, game, name));
    let parts: Vec<TouchedPart> = parts.collect();
    let mut switched: Vec<(String, bool)> = Vec::new();
    for variant in group.iter().filter_map(|name| library.variants.get(*name)) {
        for option in &variant.options {
            let is_own = |part: &&TouchedPart| {
                part.variant == variant.name && part.option.as_deref() == Some(&option.name)
            };
            let mut own = parts.iter().filter(is_own);
            let is_shared = |own: &TouchedPart| {
                let mut others = parts.iter().filter(|part| !is_own(part));
                others.any(|other| [&own.part, ""].contains(&&*other.part) || own.part.is_empty())
            };
            if !option.default || own.any(is_shared) {
                switched.push((format!("{}.{}", variant.name, option.name), !option.default));
            }
        }
    }
    let chosen = |is_chosen: &dyn Fn(usize) -> bool| {
        let options = switched.iter().enumerate();
        let options = options.filter(|(index, _)| is_chosen(*index));
        options.map(|(_, option)| option.clone()).collect()
    };
    if switched.len() <= MAX_COMBINED {
        let sets = 0..1usize << switched.len();
        return sets
            .map(|set| chosen(&|index| set >> index & 1 == 1))
            .collect();
    }
    let single = (0..switched.len()).map(|one| chosen(&|index| index == one));
    let all = [true, false].map(|on| chosen(&|index| switched[index].1 == on));
    let first = [Vec::new(), switched.clone()];
    first.into_iter().chain(all).chain(single).collect()
}

/// Returns the errors of a composition: of all that its variants touch, or only of what the compositions of fewer variants and of the
/// default options leave open.
fn errors(library: &Arc<Library>, spec: &RulesetSpec, of_all: bool) -> Vec<Complaint> {
    let mut complaints = Complaints::default();
    if let Some(ruleset) = compose_ruleset(library, spec, &mut complaints) {
        let is_open = |names: &[&str], files: &dyn Fn(&Layer, &str) -> Option<String>| {
            let touched: Vec<String> = variant_layers(&ruleset)
                .filter_map(|layer| names.iter().find_map(|name| files(layer, name)))
                .collect();
            match spec.options.is_empty() {
                _ if of_all => !touched.is_empty(),
                true => touched.len() > 1,
                false => touched.iter().any(|text| text.contains("option:")),
            }
        };
        let table = |layer: &Layer, id: &str| {
            let files = layer.tables.get(id).into_iter().flatten();
            let has_cells = |variant: &&Variant| {
                let mut changes = variant.changes.iter();
                changes.any(|change| change.address == ChangeAddress::Cells(id.into()))
            };
            let list = layer.variant.iter().filter(has_cells);
            let files = files.chain(list.map(|variant| &variant.file));
            let text: String = files.map(|file| &*file.text).collect();
            Some(text).filter(|text| !text.is_empty())
        };
        let list = |layer: &Layer, name: &str| {
            let manifest = layer.variant.iter().map(|variant| &variant.file);
            let manifest = manifest.filter(|_| layer.has_list(name));
            let files = layer.scenarios.get(name).into_iter().chain(manifest);
            let text: String = files.map(|file| &*file.text).collect();
            Some(text).filter(|text| !text.is_empty())
        };
        check_tables_and_lists(
            &ruleset,
            &|id| is_open(&[id], &table),
            &|name, used| {
                let names: Vec<&str> = used.iter().map(String::as_str).chain([name]).collect();
                is_open(&names, &list)
            },
            &mut complaints,
        );
    }
    let is_error = |complaint: &Complaint| complaint.severity == Severity::Error;
    complaints.0.into_iter().filter(is_error).collect()
}

fn variant_layers(ruleset: &Ruleset) -> impl Iterator<Item = &Layer> {
    ruleset.variants().map(|layer| &**layer)
}

/// Says under which variants a fault shows, and which one more would end it. A conflict that a later variant settles is a note.
fn explain(
    library: &Arc<Library>,
    spec: &RulesetSpec,
    names: &[&str],
    error: Complaint,
) -> Complaint {
    let ends = |name: &&&str| {
        let with = |other: &String| !mutually_exclusive(library, other, name);
        let larger = RulesetSpec {
            variants: [&spec.variants[..], &[name.to_string()]].concat(),
            ..spec.clone()
        };
        !spec.variants.iter().any(|other| other == **name)
            && spec.variants.iter().all(with)
            && !errors(library, &larger, true)
                .iter()
                .any(|other| is_same_fault(other, &error))
    };
    let of_file = |name: &&String| {
        let folder = format!("variants/{name}/");
        let mut files = library.files.by_key.values();
        files.any(|file| file.path == error.place.path && file.key.starts_with(&folder))
    };
    let owner = spec.variants.iter().find(of_file).cloned();
    let Some(ending) = names.iter().find(ends) else {
        let is_plain = spec.variants.len() == 1 || error.code == DiagnosticCode::Conflict;
        return match is_plain && spec.options.is_empty() {
            true => error,
            false => error.with_related(Place::whole_file("variants"), title(spec)),
        };
    };
    if error.code == DiagnosticCode::Conflict {
        let help = format!("put {ending} in force with them: it settles this");
        return error.into_note().with_help(help);
    }
    let owner = owner.unwrap_or_else(|| spec.variants[0].clone());
    let help = format!(
        "write `needs: [{ending}]` in the variant.yaml of {owner}, as this fits only with {ending} in force; or what fits without it"
    );
    error.with_help(help)
}

/// Names the variants and options of a spec.
fn title(spec: &RulesetSpec) -> String {
    let words = |(name, on): &(String, bool)| format!("{name}={}", if *on { "on" } else { "off" });
    let options = spec.options.iter().map(words);
    let names: Vec<String> = spec.variants.iter().cloned().chain(options).collect();
    format!("in force: {}", names.join(", "))
}

/// Returns whether two variants, or their dependencies, exclude each other.
pub fn mutually_exclusive(library: &Library, left: &str, right: &str) -> bool {
    let excludes = |a: &String, b: &String| {
        library
            .variants
            .get(a)
            .is_some_and(|variant| variant.excludes.contains(b))
    };
    let (left_needs, right_needs) = (library.with_needs(left), library.with_needs(right));
    left_needs
        .iter()
        .any(|a| right_needs.iter().any(|b| excludes(a, b) || excludes(b, a)))
}

/// Composes a ruleset, and complains where its layers don't go together; `None` where nothing can be composed.
pub fn compose_ruleset(
    library: &Arc<Library>,
    spec: &RulesetSpec,
    complaints: &mut Complaints,
) -> Option<Ruleset> {
    match diagnostics::compose_checked(library, spec) {
        Ok((ruleset, faults)) => {
            complaints.0.extend(faults.0);
            return Some(ruleset);
        }
        Err(Error::Data(errors)) => complaints.0.extend(errors.0),
        // Unknown names are already reported where they are used.
        Err(Error::Unknown { .. }) => {}
        Err(error) => {
            let place = Place::whole_file("variants");
            let complaint = Complaint::new(DiagnosticCode::Order, place, error.to_string());
            complaints
                .push(complaint.with_help("look at `after:` and `needs:` in their variant.yaml"));
        }
    }
    None
}

/// Stacks those tables of a ruleset that `is_table` selects, and those lists that `is_list` selects by their names and those of the lists
/// that they use.
pub fn check_tables_and_lists(
    ruleset: &Ruleset,
    is_table: &dyn Fn(&str) -> bool,
    is_list: &dyn Fn(&str, &[String]) -> bool,
    complaints: &mut Complaints,
) {
    for id in ruleset.table_names().filter(|id| is_table(id)) {
        if let Some(table) = ruleset.stack_table(id, complaints) {
            check_cells(ruleset, &table, complaints);
        }
    }
    let atlas = Atlas::default();
    for name in ruleset.scenario_names() {
        let files = ruleset.scenario_files(name, &mut Complaints::default());
        let used: Vec<String> = files
            .iter()
            .flat_map(|file| file.used_lists.clone())
            .collect();
        // Rosters and deployments are lists; only a situation has a board.
        if is_list(name, &used)
            && let Some(scenario) = ruleset.stack_scenario(name, complaints)
        {
            if scenario.list_kind != ListKind::Situation {
                KnownNames::new(&scenario, &[], &ruleset.game).check_map(&scenario, complaints);
                continue;
            }
            let board = InitialBoard::new(&scenario, ruleset, &atlas);
            complaints
                .0
                .extend(board.err().into_iter().flat_map(|errors| errors.0));
        }
    }
}

/// Checks the cells of a chart: they are declared, their names exist, and their figures are ordered as declared.
fn check_cells(ruleset: &Ruleset, table: &Table, complaints: &mut Complaints) {
    let context = format!("table {}", table.id);
    let complain = |index: usize, message: Message| {
        let cell = &table.cells[index];
        let place = Place::from_text(&cell.path, table.file_text(&cell.path), cell.span);
        Complaint::new(DiagnosticCode::Cell, place, message)
            .with_context(format!("{context}, {}", table.label(index)))
    };
    if table.constraints.is_empty() {
        let message = "this chart does not say what its cells hold, so Casebook can't check them";
        let place = table.file.place(Span {
            line: 1,
            column: 1,
            length: 1,
        });
        let help = format!(
            "add a line such as `{}`, as its cells now have it",
            table.infer_constraints()
        );
        complaints.push(
            Complaint::new(DiagnosticCode::Cell, place, message)
                .with_context(context.as_str())
                .with_help(help)
                .into_note(),
        );
    }
    for (index, message) in table.trend_violations() {
        let help = "correct the figure, or take the axis out of `rises:` or `falls:`";
        complaints.push(complain(index, message.into()).with_help(help).into_note());
    }
    for CellReference { index, text, kinds } in table.references() {
        let game = &ruleset.game;
        if kinds
            .iter()
            .any(|kind| game.is_known_name(kind, text) == Some(true))
        {
            continue;
        }
        let candidates = kinds.iter().flat_map(|kind| game.names_of_kind(kind));
        let message = unknown_name(&kinds.join(" or "), text, candidates);
        let help = "name one that the manifest lists; `holds:` says what the cells name";
        complaints.push(complain(index, message).with_help(help));
    }
}
