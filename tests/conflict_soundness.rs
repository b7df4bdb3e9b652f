//! Conflicts are sound: where runs show that two variants touch the same, `check --conflicts` reports it.
//!
//! Rhai's own evaluator runs the situations of each game under each pair of its variants, and records for each answer what it reads and
//! writes. What is found by the texts of the cases alone has to hold everything that the records show.

use crate::common::repository;
use crate::common::runner::with_deep_stack;
use crate::common::stacks::{built_in, situations};
use crate::oracle::Reference;
use crate::oracle::run::AnswerRecord;
use casebook::code::context::TraceDetail;
use casebook::code::machine::Machine;
use casebook::code::program::Program;
use casebook::conflicts::effects::EffectTarget;
use casebook::conflicts::interactions::RulesetFiles;
use casebook::conflicts::meeting::{MeetingRow, MeetingSubject, meetings};
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::data::manifest::Game;
use casebook::ruleset::compose::{Ruleset, RulesetSpec};
use casebook::ruling::driver::drive;
use casebook::ruling::situation::Situation;
use casebook::situation::cell_key::{Access, CellKey, EntityKind};
use casebook::situation::dice::SeededDice;
use casebook::situation::initial_board::{
    CARRIER_COLUMN, FIRST_ATTRIBUTE, GONE_COLUMN, KIND_COLUMN, PLACE_COLUMN, SIDE_COLUMN,
};
use casebook::situation::trace::Event;
use casebook::testing::trials::compile_program;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The number of events of a run up to which it is always recorded; of longer runs those that reach an answer no other does.
const SHORT_RUN: usize = 150;

/// What a file reads and writes.
#[derive(Default)]
struct FileRecord {
    reads: BTreeSet<EffectTarget>,
    writes: BTreeSet<EffectTarget>,
}

/// What runs show: by layer and path of the file, and the functions that were called.
#[derive(Default)]
struct Recorded {
    files: BTreeMap<(String, String), FileRecord>,
    called: BTreeSet<(String, usize)>,
}

impl Recorded {
    fn file(&mut self, layer: &str, path: &str) -> &mut FileRecord {
        self.files.entry((layer.into(), path.into())).or_default()
    }

    fn add(&mut self, ruleset: &Ruleset, (slot, depth): (usize, usize), record: &AnswerRecord) {
        let slot = &ruleset.slots[slot];
        let case = &ruleset.cases[slot.answers[depth].case];
        let answer = EffectTarget::Answer(slot.name.clone(), slot.arity);
        self.called.insert((slot.name.clone(), slot.arity));
        let mut amended_tables = Vec::new();
        let file = self.file(&case.layer, &case.file.path);
        file.writes.insert(answer.clone());
        let mut accesses = record.accesses.as_slice();
        while let Some((access, rest)) = accesses.split_first() {
            accesses = rest;
            match *access {
                Access::Write(key) if is_creation(key, rest, &ruleset.game) => {
                    // Its figures are those of no piece that another file knows; the number of pieces follows.
                    accesses = &rest[columns_of_pieces(&ruleset.game) - 1..];
                }
                // What is removed is on no place and on no carrier any more.
                Access::Write(key) if is_removal(key, rest) => {
                    file.writes.insert(EffectTarget::Pieces);
                }
                Access::Write(key) => file.writes.extend(target_of(key, &ruleset.game)),
                // A piece that is asked for by its name is found also if it is gone: another of this name is only preferred to it.
                Access::Read(key)
                    if target_of(key, &ruleset.game) == Some(EffectTarget::Pieces) => {}
                Access::Read(key) | Access::ReadColumn(key) => {
                    file.reads.extend(target_of(key, &ruleset.game));
                    let is_position = key.kind() == EntityKind::Piece
                        && [PLACE_COLUMN, CARRIER_COLUMN].contains(&key.column());
                    file.reads
                        .extend(is_position.then_some(EffectTarget::Pieces));
                }
            }
        }
        for event in &record.events {
            match event {
                // What a function takes from an older answer is no reading, but the same function.
                Event::Call(call) => {
                    let called = call.slot(ruleset);
                    let called = EffectTarget::Answer(called.name.clone(), called.arity);
                    file.reads.extend((called != answer).then_some(called));
                }
                Event::Cell(table, index) => {
                    let cell = &table.cells[*index as usize];
                    file.reads.insert(EffectTarget::Table(table.id.clone()));
                    amended_tables.push((
                        cell.layer.clone(),
                        cell.path.clone(),
                        EffectTarget::Table(table.id.clone()),
                    ));
                }
                Event::Outcome(outcome) => {
                    let name = outcome.name.to_string();
                    file.writes.insert(EffectTarget::Outcome(name));
                }
                _ => {}
            }
        }
        for (layer, path, target) in amended_tables {
            self.file(&layer, &path).writes.insert(target);
        }
    }
}

fn columns_of_pieces(game: &Game) -> usize {
    FIRST_ATTRIBUTE + game.attributes.len()
}

/// Whether a write and those that follow it bring a piece into play: they set all of its figures.
fn is_creation(first: CellKey, rest: &[Access], game: &Game) -> bool {
    let figures = (1..columns_of_pieces(game))
        .map(|column| Access::Write(CellKey::new(EntityKind::Piece, column, first.row())));
    (first.kind(), first.column()) == (EntityKind::Piece, KIND_COLUMN)
        && rest
            .iter()
            .copied()
            .take(columns_of_pieces(game) - 1)
            .eq(figures)
}

/// Whether a write to where a piece is belongs to taking it off the board.
fn is_removal(first: CellKey, rest: &[Access]) -> bool {
    let gone = CellKey::new(EntityKind::Piece, GONE_COLUMN, first.row());
    first.kind() == EntityKind::Piece
        && [PLACE_COLUMN, CARRIER_COLUMN].contains(&first.column())
        && rest
            .iter()
            .take(2)
            .any(|access| *access == Access::Write(gone))
}

/// What a cell of the board belongs to; sheets and variables belong to one run of a function.
fn target_of(key: CellKey, game: &Game) -> Option<EffectTarget> {
    let column = key.column();
    let figure = |name: &str| Some(EffectTarget::Figure(name.into()));
    let feature = |list: &[(String, _)]| Some(EffectTarget::Feature(list.get(column)?.0.clone()));
    match (key.kind(), column) {
        (EntityKind::Piece, KIND_COLUMN) => figure("kind"),
        (EntityKind::Piece, SIDE_COLUMN) => figure("side"),
        (EntityKind::Piece, PLACE_COLUMN) => figure("at"),
        (EntityKind::Piece, CARRIER_COLUMN) => figure("on"),
        (EntityKind::Piece, GONE_COLUMN) | (EntityKind::Count, _) => Some(EffectTarget::Pieces),
        (EntityKind::Piece, _) => figure(&game.attributes.get(column - FIRST_ATTRIBUTE)?.0),
        (EntityKind::Place, _) => feature(&game.places.attributes),
        (EntityKind::Side, _) => feature(&game.places.side_attributes),
        (EntityKind::Track, _) => match game.tracks.keys().nth(key.row()) {
            Some(track) => Some(EffectTarget::Track(track.clone())),
            None => (0..game.card_stocks.len())
                .find(|stock| game.card_rows(*stock).contains(&key.row()))
                .map(|stock| EffectTarget::Deck(game.card_stocks[stock].name.clone())),
        },
        (EntityKind::Record | EntityKind::Shared | EntityKind::Outcome, _) => None,
    }
}

/// The number of events of a run, the answers of the variants that it reached, and its situation.
type RecordedRun = (usize, BTreeSet<(usize, usize)>, Situation);

/// The situations that are recorded: the short ones, and of the others those that reach an answer of the variants that no shorter one
/// reaches. Whole games take too long.
fn sampled_situations(program: &Arc<Program>, variants: &[&str; 2]) -> Vec<Situation> {
    let ruleset = &program.ruleset;
    let mut machine = Machine::new(program.clone());
    machine.run_mode.trace_detail = TraceDetail::Calls;
    let mut runs: Vec<RecordedRun> = Vec::new();
    for situation in situations(program).filter(|situation| !situation.scenario.is_game) {
        machine.trace = Some(Vec::new());
        if let Ok(mut state) = situation.begin(&mut machine) {
            let source = situation.choice_source(&[], Arc::default());
            let _ = drive(&mut machine, &mut state, &mut SeededDice::new(1), &source);
        }
        let events = machine.trace.take().unwrap_or_default();
        let answers = events.iter().filter_map(|event| match event {
            Event::Call(call) => Some(call.answer(ruleset)),
            _ => None,
        });
        let of_variants = answers
            .filter(|answer| variants.contains(&&*ruleset.cases[answer.case].layer))
            .map(|answer| (answer.case, answer.function))
            .collect();
        runs.push((events.len(), of_variants, situation));
    }
    runs.sort_by_key(|(length, ..)| *length);
    let mut reached = BTreeSet::new();
    let is_sampled = |(length, answers, situation): (usize, BTreeSet<_>, Situation)| {
        let is_new = !answers.is_subset(&reached);
        reached.extend(answers);
        (is_new || length <= SHORT_RUN).then_some(situation)
    };
    runs.into_iter().filter_map(is_sampled).collect()
}

/// Whether a row says that two files share a target, in any order.
fn reports(row: &MeetingRow, paths: [&str; 2], target: &EffectTarget) -> bool {
    let of_row = [&*row.pair[0].path, &*row.pair[1].path];
    matches!(&row.subject, MeetingSubject::Files(_, targets) if targets.contains(target))
        && (of_row == paths || of_row == [paths[1], paths[0]])
}

/// What the runs of a pair show and the report lacks.
fn missing(
    ruleset: &Ruleset,
    recorded: &Recorded,
    pair: [&str; 2],
    rows: &[MeetingRow],
) -> Vec<String> {
    let mut missing = Vec::new();
    for (index, slot) in ruleset.slots.iter().enumerate() {
        let answers = |layer: &str| {
            let by = |case: usize| &*ruleset.cases[case].layer == layer;
            slot.answers.iter().any(|answer| by(answer.deciding_case()))
        };
        let is_reported = rows
            .iter()
            .any(|row| matches!(row.subject, MeetingSubject::Function(of, _) if of == index));
        if recorded.called.contains(&(slot.name.clone(), slot.arity))
            && pair.iter().all(|layer| answers(layer))
            && !is_reported
        {
            missing.push(format!("{pair:?} both answer `{}`", slot.name));
        }
    }
    for ((layer, path), ours) in recorded
        .files
        .iter()
        .filter(|((layer, _), _)| layer == pair[0])
    {
        for ((other_layer, other_path), theirs) in recorded
            .files
            .iter()
            .filter(|((layer, _), _)| layer == pair[1])
        {
            let is_one_value = |target: &&EffectTarget| {
                target.is_in_situation() && **target != EffectTarget::Pieces
                    || matches!(target, EffectTarget::Outcome(_))
            };
            let shared: BTreeSet<&EffectTarget> = ours
                .writes
                .intersection(&theirs.reads)
                .chain(theirs.writes.intersection(&ours.reads))
                .chain(
                    ours.writes
                        .intersection(&theirs.writes)
                        .filter(is_one_value),
                )
                .collect();
            for target in shared {
                if !rows
                    .iter()
                    .any(|row| reports(row, [path, other_path], target))
                {
                    missing.push(format!(
                        "{layer} {path} and {other_layer} {other_path} share {target}"
                    ));
                }
            }
        }
    }
    missing
}

#[test]
fn what_two_variants_touch_in_a_run_is_reported() {
    with_deep_stack(|| {
        let small = |name: &str| {
            let folder = repository().join("tests").join(name);
            let files =
                Files::with_folder(&folder, casebook::EMBEDDED).expect("the folder is there");
            Arc::new(Library::new(files))
        };
        let (mut wrong, mut pairs, mut shared) = (Vec::new(), 0, 0);
        for library in [built_in(), small("skirmish"), small("duel")] {
            for game in library.games.keys() {
                let variants = library.variants_of(game);
                for (i, second) in variants.iter().enumerate() {
                    for first in &variants[..i] {
                        let spec = RulesetSpec::new(game, &[first, second]);
                        // Variants that exclude each other are never in force together.
                        let Ok(program) = compile_program(&library, &spec) else {
                            continue;
                        };
                        let ruleset = &program.ruleset;
                        let order = ruleset.variants().map(|layer| &*layer.name);
                        let order: Vec<&str> = order
                            .filter(|name| [*first, *second].contains(name))
                            .collect();
                        let pair = [order[0], order[1]];
                        let mut rows = meetings(ruleset, pair[0], pair[1]);
                        rows.extend(
                            RulesetFiles::parse(ruleset).find_interactions(pair[0], pair[1]),
                        );
                        let (reference, mut recorded) =
                            (Reference::new(&program), Recorded::default());
                        for situation in sampled_situations(&program, &pair) {
                            for (answer, record) in reference.record(&situation, 1) {
                                recorded.add(ruleset, answer, &record);
                            }
                        }
                        pairs += 1;
                        shared += recorded.files.len();
                        wrong.extend(missing(ruleset, &recorded, pair, &rows));
                    }
                }
            }
        }
        assert!(pairs >= 4 && shared > 100, "{pairs} pairs, {shared} files");
        assert!(
            wrong.is_empty(),
            "{} are not reported:\n{}",
            wrong.len(),
            wrong.join("\n")
        );
    });
}
