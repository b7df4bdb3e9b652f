//! The smallest situation that shows a fault: the board on which the procedure began, with the answers given in it, from which pieces,
//! features of the map, tracks, answers, options and readings are dropped for as long as the fault remains. If the procedure alone does not
//! show the fault, the file is the whole journal.

use crate::testing::trials::compile_program;
use crate::trial::trial_games::{
    BoardWatch, FaultKey, FaultyGame, MAX_ROUNDS, TrialFaultKind, TrialLimits, fault_key,
    play_trial,
};
use casebook_analysis::odds::game_run::{GameRun, RunUntil};
use casebook_engine::code::machine::Machine;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::Complaints;
use casebook_engine::data::files::DataFile;
use casebook_engine::data::library::Library;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::data::yaml_writer::write_file;
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::board_view::BoardView;
use casebook_engine::ruling::journal::Journal;
use casebook_engine::ruling::moves::{JournalMove, moves};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::dice::SeededDice;
use casebook_engine::situation::policy::{Policies, question_key};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// The time limit of a run of a candidate.
const RUN_TIME: Duration = Duration::from_secs(2);

/// The number of seeds that a procedure is tried with; the first is the one that `check` and `resolve` use.
const SEEDS: u64 = 60;

/// A file that shows a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "witness_report")]
pub struct FaultWitness {
    /// Its name without the ending.
    pub name: String,
    /// Its text.
    pub yaml: String,
    /// Whether it is a situation; else it is a journal.
    pub is_situation: bool,
    /// What shows the fault, after `casebook`.
    pub command: String,
    /// The number of pieces.
    pub pieces: usize,
    /// The number of pieces before it was shrunk.
    pub pieces_before: usize,
    /// Whether nothing more can be dropped; false if time was up first.
    pub is_smallest: bool,
    /// Where it was written, with --save.
    pub path: Option<String>,
}

/// A candidate: a situation file under a ruleset.
struct WitnessShrinker<'a> {
    game: &'a FaultyGame,
    key: FaultKey,
    name: String,
    program: Arc<Program>,
    machine: Machine,
    limits: TrialLimits<'a>,
    seed: u64,
}

/// Finds the smallest situation that shows a fault; `None` if the game does not show it again in time.
pub fn find_witness(
    library: &Arc<Library>,
    game: &FaultyGame,
    name: &str,
    limits: TrialLimits,
) -> Option<FaultWitness> {
    let program = compile_program(library, &game.spec).ok()?;
    let scenario = program.ruleset.scenario(&game.situation).ok()?;
    let situation = Situation::new(&program, scenario).ok()?;
    let mut machine = situation.machine();
    machine.trace = Some(Vec::new());
    let policies = Policies::parse(&game.policies, &program.ruleset.game).ok()?;
    let source = situation.choice_source(&[], Arc::new(policies));
    let mut watch = BoardWatch::new(&situation);
    let until = RunUntil {
        end: Some(limits.end),
        stop: limits.stop,
    };
    let run = GameRun {
        situation: &situation,
        from: None,
        choice_source: &source,
        until,
        max_rounds: MAX_ROUNDS,
    };
    let fault = run
        .play(&mut machine, &mut SeededDice::new(game.seed), &mut watch)
        .err()?;
    let key = fault.complaints.0.first().map(fault_key)?;
    let events = machine.trace.take().unwrap_or_default();
    let events_before = watch.events_before.min(events.len());
    let BoardWatch {
        start,
        phase,
        procedure,
        ..
    } = watch;
    // An endless procedure has a line; an endless sequence of procedures has none.
    let is_whole_game = key.kind == TrialFaultKind::Endless && key.line == 0;
    let note = format!(
        "found by `casebook check --play` in {} under {}, seed {}",
        game.situation,
        program.ruleset.title(),
        game.seed
    );
    let step = (!phase.is_empty()).then_some((phase.as_str(), procedure.as_str()));
    let mut root =
        BoardView::new(&situation, &start, &[]).to_scenario_map(&situation, step, name, &note);
    root.insert(
        "title".into(),
        format!("A fault: {}", key.kind.as_str()).into(),
    );
    if !is_whole_game {
        root.remove("goes_on");
        root.remove("phase");
    }
    add_ruleset(&mut root, &game.spec);
    let earlier_answers = answers(&moves(&events[events_before..], &start));
    let mut shrinker = WitnessShrinker {
        game,
        key,
        name: name.into(),
        machine: new_machine(&program),
        program,
        limits,
        seed: 1,
    };
    let mut choices = root
        .get("choices")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    choices.extend(earlier_answers);
    if !choices.is_empty() {
        root.insert("choices".into(), choices.into());
    }
    if shrinker.find_seed(&root) {
        let piece_total = piece_count(&root);
        let is_smallest = shrinker.shrink(&mut root, library);
        let command = shrinker.command(is_whole_game);
        let pieces = piece_count(&root);
        return Some(FaultWitness {
            name: name.into(),
            yaml: write_file(&root),
            is_situation: true,
            command,
            pieces,
            pieces_before: piece_total,
            is_smallest,
            path: None,
        });
    }
    let journal = Journal::new(
        &game.situation,
        &game.spec,
        Some(game.seed),
        moves(&events, &start),
        None,
    );
    let pieces = piece_count(&root);
    let command = format!("replay {name}.yaml");
    Some(FaultWitness {
        name: name.into(),
        yaml: journal.to_yaml(),
        is_situation: false,
        command,
        pieces,
        pieces_before: pieces,
        is_smallest: false,
        path: None,
    })
}

fn new_machine(program: &Arc<Program>) -> Machine {
    let mut machine = Machine::new(program.clone());
    machine.time_limit = RUN_TIME;
    machine
}

fn piece_count(root: &Map<String, Value>) -> usize {
    root.get("pieces")
        .and_then(Value::as_array)
        .map_or(0, Vec::len)
}

/// Writes options and readings of a ruleset into a situation.
fn add_ruleset(root: &mut Map<String, Value>, spec: &RulesetSpec) {
    root.insert("with".into(), spec.variants.clone().into());
    let options: Map<String, Value> = spec
        .options
        .iter()
        .map(|(name, on)| (name.clone(), (*on).into()))
        .collect();
    let readings: Map<String, Value> = spec
        .readings
        .iter()
        .map(|(name, way)| (name.clone(), way.clone().into()))
        .collect();
    for (key, settings) in [("options", options), ("readings", readings)] {
        if !settings.is_empty() {
            root.insert(key.into(), settings.into());
        }
    }
}

/// Returns the last answer to each question.
fn answers(moves: &[JournalMove]) -> Map<String, Value> {
    let answer = |journal_move: &JournalMove| match journal_move {
        JournalMove::Choice {
            question,
            side,
            taken,
            ..
        } => {
            let taken = taken
                .parse::<i64>()
                .map_or_else(|_| Value::from(taken.clone()), Value::from);
            Some((question_key(side, question), taken))
        }
        JournalMove::Throw { .. } => None,
    };
    moves.iter().filter_map(answer).collect()
}

impl WitnessShrinker<'_> {
    /// Whether a situation shows the fault with the seed.
    fn shows(&mut self, root: &Map<String, Value>) -> bool {
        let game = self.program.ruleset.game.clone();
        let key = format!("scenarios/{}/{}.yaml", game.name, self.name);
        let file = DataFile {
            path: format!("{}.yaml", self.name),
            text: write_file(root).as_str().into(),
            key,
        };
        let mut complaints = Complaints::default();
        let scenario = Scenario::read(
            &file,
            &self.program.ruleset.layers[0].name,
            &game,
            &mut complaints,
        );
        let Some(scenario) = scenario.filter(|_| !complaints.has_errors()) else {
            return false;
        };
        let Ok(situation) = Situation::new(&self.program, scenario) else {
            return false;
        };
        let limits = TrialLimits {
            end: self.limits.end.min(Instant::now() + RUN_TIME * 2),
            ..self.limits
        };
        let fault = play_trial(&situation, &mut self.machine, (&[], self.seed), limits).err();
        fault
            .and_then(|fault| fault.complaints.0.first().map(fault_key))
            .is_some_and(|key| self.is_same(&key))
    }

    /// Whether another fault is this one; one of a board is named after the situation.
    fn is_same(&self, candidate: &FaultKey) -> bool {
        let key = &self.key;
        // Where exactly a loop is stopped depends on the steps before it.
        let is_same_line = key.line == candidate.line
            || key.kind == TrialFaultKind::Endless && (key.line == 0) == (candidate.line == 0);
        (key.kind, &key.procedure) == (candidate.kind, &candidate.procedure)
            && is_same_line
            && (key.path == candidate.path || key.line == 0)
    }

    /// Finds a seed with which the situation shows the fault.
    fn find_seed(&mut self, root: &Map<String, Value>) -> bool {
        (1..=SEEDS).any(|seed| {
            self.seed = seed;
            !self.limits.is_over() && self.shows(root)
        })
    }

    /// Drops what the fault does not need; returns false if time was up first.
    fn shrink(&mut self, root: &mut Map<String, Value>, library: &Arc<Library>) -> bool {
        loop {
            let text_before = write_file(root);
            for key in ["options", "readings", "with"] {
                self.drop_rules(root, key, library);
            }
            self.drop_entries(root, &["pieces"]);
            for path in [
                &["choices"][..],
                &["map", "sides"],
                &["map", "places"],
                &["map"],
                &["tracks"],
                &["given"],
            ] {
                self.drop_entries(root, path);
            }
            if self.limits.is_over() {
                return false;
            }
            if write_file(root) == text_before {
                return true;
            }
        }
    }

    /// Drops entries of a list or a map: first halves, then less and less.
    fn drop_entries(&mut self, root: &mut Map<String, Value>, path: &[&str]) {
        let mut size = entries_at(root, path);
        while size > 0 {
            let mut start = 0;
            while start < entries_at(root, path) {
                if self.limits.is_over() {
                    return;
                }
                let mut smaller = root.clone();
                remove_entries(&mut smaller, path, start..start + size);
                if self.shows(&smaller) {
                    *root = smaller;
                } else {
                    start += size;
                }
            }
            size /= 2;
        }
    }

    /// Drops options, readings or variants one by one.
    fn drop_rules(&mut self, root: &mut Map<String, Value>, key: &str, library: &Arc<Library>) {
        let mut index = entries_at(root, &[key]);
        while index > 0 && !self.limits.is_over() {
            index -= 1;
            let mut smaller = root.clone();
            remove_entries(&mut smaller, &[key], index..index + 1);
            let spec = spec_of(&smaller, &self.game.spec.game);
            let Ok(program) = compile_program(library, &spec) else {
                continue;
            };
            let machine = std::mem::replace(&mut self.machine, new_machine(&program));
            let program_before = std::mem::replace(&mut self.program, program);
            if self.shows(&smaller) {
                *root = smaller;
            } else {
                (self.program, self.machine) = (program_before, machine);
            }
        }
    }

    /// Returns the command that shows the fault.
    fn command(&self, is_whole_game: bool) -> String {
        let seed = if self.seed == 1 {
            String::new()
        } else {
            format!(" --seed {}", self.seed)
        };
        match is_whole_game {
            true => format!("play {} --games 1 --policy all=first{seed}", self.name),
            false => format!("resolve {}{seed}", self.name),
        }
    }
}

/// Returns the ruleset that a situation asks for.
fn spec_of(root: &Map<String, Value>, game: &str) -> RulesetSpec {
    let entries = |key: &str| {
        root.get(key)
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default()
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    RulesetSpec {
        game: game.into(),
        variants: root
            .get("with")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(text)
            .collect(),
        options: entries("options")
            .into_iter()
            .map(|(name, on)| (name, on.as_bool().unwrap_or(true)))
            .collect(),
        readings: entries("readings")
            .into_iter()
            .map(|(name, way)| (name, text(&way)))
            .collect(),
        ..RulesetSpec::default()
    }
}

/// Returns the number of entries of a list or map in a situation.
fn entries_at(root: &Map<String, Value>, path: &[&str]) -> usize {
    let [key, subkeys @ ..] = path else { return 0 };
    let entry = subkeys.iter().try_fold(root.get(*key), |value, key| {
        value.map(|value| value.get(key))
    });
    match entry.flatten() {
        Some(Value::Array(items)) => items.len(),
        Some(Value::Object(map)) => map.len(),
        _ => 0,
    }
}

/// Removes entries of a list or map; an empty map goes away whole.
fn remove_entries(root: &mut Map<String, Value>, path: &[&str], range: std::ops::Range<usize>) {
    let [key, subkeys @ ..] = path else { return };
    let [subkey, ..] = subkeys else {
        match root.get_mut(*key) {
            Some(Value::Array(items)) => {
                drop(items.drain(range.start.min(items.len())..range.end.min(items.len())))
            }
            Some(Value::Object(map)) => {
                let keys: Vec<String> = map
                    .keys()
                    .skip(range.start)
                    .take(range.len())
                    .cloned()
                    .collect();
                keys.iter().for_each(|key| drop(map.shift_remove(key)));
                if map.is_empty() {
                    root.shift_remove(*key);
                }
            }
            _ => {}
        }
        return;
    };
    if let Some(Value::Object(map)) = root.get_mut(*key) {
        remove_entries(map, &[subkey], range);
        if map.is_empty() {
            root.shift_remove(*key);
        }
    }
}
