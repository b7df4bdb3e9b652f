//! Where the states of a count arise, and what keeps them apart.

use casebook_engine::code::bytecode::Register;
use casebook_engine::code::machine::Machine;
use casebook_engine::code::state::State;
use casebook_engine::data::manifest::{AttributeType, Game};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::cell_key::{CellKey, EntityKind};
use casebook_engine::situation::delta::DeltaFingerprints;
use casebook_engine::situation::initial_board::{
    CARRIER_COLUMN, FIRST_ATTRIBUTE, GONE_COLUMN, InitialBoard, KIND_COLUMN, PLACE_COLUMN,
    SIDE_COLUMN,
};
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Serialize;

/// Of so many states of a place one is looked into.
const ONE_OF: u64 = 16;
/// The number of values of a variable or figure up to which they are counted one by one.
const MAX_VALUES: usize = 10_000;
/// The maximum number of variables and figures that are listed of a place.
const MAX_LISTED: usize = 8;

/// A place of the rules at which a state stops: its innermost function, and the operation.
type StopPlace = (u32, u32);

/// What may keep two states of a place apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Keeper {
    /// A register of a function that stopped at an operation.
    Register(u32, u32, Register),
    /// A cell of the board.
    Cell(CellKey),
}

/// The number of states at each place, and the different values that were seen in them.
#[derive(Default)]
pub struct StateProfile {
    places: FxHashMap<StopPlace, PlaceStates>,
}

#[derive(Default)]
struct PlaceStates {
    count: u64,
    values: FxHashMap<Keeper, FxHashSet<u64>>,
}

/// A place at which states arise.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProfiledPlace {
    /// The case and line, such as "8.16-losses:24".
    pub place: String,
    /// The number of states.
    pub states: u64,
    /// What keeps them apart, by the number of its values.
    pub apart: Vec<ProfiledValue>,
}

/// A variable or figure that keeps states apart.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProfiledValue {
    /// Its name.
    pub name: String,
    /// The number of its values that were seen.
    pub values: usize,
}

impl StateProfile {
    /// Counts a state, and now and then looks at its values. Dead registers are cleared already.
    pub fn add(&mut self, state: &mut State) {
        let Some(top) = state.frames.last() else {
            return;
        };
        let place = self
            .places
            .entry((top.function, top.pc.wrapping_sub(1)))
            .or_default();
        place.count += 1;
        if !place.count.is_multiple_of(ONE_OF) {
            return;
        }
        let mut add = |keeper: Keeper, fingerprint: u64| {
            let values = place.values.entry(keeper).or_default();
            if values.len() < MAX_VALUES {
                values.insert(fingerprint);
            }
        };
        let ends = state
            .frames
            .iter()
            .skip(1)
            .map(|frame| frame.base as usize)
            .chain([state.registers.len()]);
        for (frame, end) in state.frames.iter().zip(ends) {
            let base = frame.base as usize;
            let registers = state.registers.get(base..end).unwrap_or_default();
            for (register, value) in registers
                .iter()
                .enumerate()
                .filter(|(_, value)| !value.is_nothing())
            {
                add(
                    Keeper::Register(
                        frame.function,
                        frame.pc.wrapping_sub(1),
                        register as Register,
                    ),
                    value.fingerprint(),
                );
            }
        }
        state
            .board
            .diff(&DeltaFingerprints::default(), |cell, _, is| {
                add(Keeper::Cell(cell), is.unwrap_or(0))
            });
    }

    /// Adds the states of another thread.
    pub fn merge(&mut self, other: StateProfile) {
        for (place, states) in other.places {
            let own = self.places.entry(place).or_default();
            own.count += states.count;
            for (keeper, values) in states.values {
                own.values.entry(keeper).or_default().extend(values);
            }
        }
    }

    /// Describes the places, those with most states first.
    pub fn describe(&self, machine: &mut Machine, situation: &Situation) -> Vec<ProfiledPlace> {
        let mut places: Vec<(&StopPlace, &PlaceStates)> = self.places.iter().collect();
        places.sort_by_key(|((function, op), states)| {
            (std::cmp::Reverse(states.count), *function, *op)
        });
        places
            .into_iter()
            .map(|(place, states)| states.describe(*place, machine, situation))
            .collect()
    }
}

impl PlaceStates {
    fn describe(
        &self,
        (function, op): StopPlace,
        machine: &mut Machine,
        situation: &Situation,
    ) -> ProfiledPlace {
        let mut apart: Vec<ProfiledValue> = Vec::new();
        for (keeper, values) in self.values.iter().filter(|(_, values)| values.len() > 1) {
            let name = match keeper {
                Keeper::Register(function, op, register) => {
                    machine.variable_name(*function, *op, *register)
                }
                Keeper::Cell(cell) => Some(cell_name(
                    *cell,
                    &situation.initial_board,
                    &situation.ruleset().game,
                )),
            };
            let name = name.unwrap_or_else(|| "a value of the expression".into());
            match apart.iter_mut().find(|existing| existing.name == name) {
                Some(existing) => existing.values = existing.values.max(values.len()),
                None => apart.push(ProfiledValue {
                    name,
                    values: values.len(),
                }),
            }
        }
        apart.sort_by(|a, b| b.values.cmp(&a.values).then_with(|| a.name.cmp(&b.name)));
        apart.truncate(MAX_LISTED);
        ProfiledPlace {
            place: machine.place_name(function, op),
            states: self.count,
            apart,
        }
    }
}

fn cell_name(cell: CellKey, board: &InitialBoard, game: &Game) -> String {
    let (column, row) = (cell.column(), cell.row());
    let attribute = |list: &[(String, AttributeType)], column: usize| {
        list.get(column)
            .map_or("figure", |(name, _)| name)
            .to_string()
    };
    match cell.kind() {
        EntityKind::Piece => {
            let figure = match column {
                KIND_COLUMN => "kind".into(),
                SIDE_COLUMN => "side".into(),
                PLACE_COLUMN => "place".into(),
                CARRIER_COLUMN => "carrier".into(),
                GONE_COLUMN => "loss".into(),
                column => attribute(&game.attributes, column - FIRST_ATTRIBUTE),
            };
            format!(
                "{figure} of {}",
                board
                    .names
                    .get(row)
                    .map_or("a new piece", |name| name.as_str())
            )
        }
        EntityKind::Place => format!("{} of a place", attribute(&game.places.attributes, column)),
        EntityKind::Side => format!(
            "{} between two places",
            attribute(&game.places.side_attributes, column)
        ),
        EntityKind::Track => game
            .tracks
            .keys()
            .nth(row)
            .map_or("the cards", String::as_str)
            .to_string(),
        EntityKind::Record => "a sheet".into(),
        EntityKind::Shared => "a variable shared with a closure".into(),
        EntityKind::Count => "the number of pieces".into(),
        EntityKind::Outcome => "an outcome named before".into(),
    }
}

/// Says where most states arise, and what keeps them apart.
pub fn advice(places: &[ProfiledPlace]) -> Option<String> {
    let first = places.first()?;
    let all: u64 = places.iter().map(|place| place.states).sum();
    let names: Vec<String> = first
        .apart
        .iter()
        .take(3)
        .map(|value| format!("`{}` ({} values)", value.name, value.values))
        .collect();
    let place = format!("{} of {all} states arise in {}", first.states, first.place);
    Some(match names.as_slice() {
        [] => format!("{place}."),
        names => format!(
            "{place}, kept apart by {}. What is not needed to the end, drop; what throws and does not need it, put into a function.",
            names.join(", ")
        ),
    })
}
