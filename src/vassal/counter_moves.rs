//! The effect of a ruling on the counters of a saved game, as parts of a log: moves, losses, removals, and pieces that come into play.

use crate::counter::{layers, piece_name};
use crate::fault::VassalFault;
use crate::import::{GameImport, OWN_FIGURES};
use crate::mapping::{IGNORED, MappedPiece};
use crate::piece_table::{AddedPiece, MapDot, PieceTable};
use crate::sequence::{SequenceReader, join};
use crate::traits::{PieceTrait, nest};
use casebook_engine::data::manifest::Game;
use casebook_engine::notation::UnitValue;
use casebook_engine::ruling::board_view::{BoardView, PieceView};
use casebook_engine::ruling::resolve::ResolvedRuling;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::trace::{BoardChange, Event};
use casebook_engine::situation::value_text::{to_json, value_text};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum depth of carriers on each other.
const MAX_CARRIERS: usize = 40;

/// Maximum number of dots of a map that are asked for their names.
const MAX_DOTS: usize = 400_000;

/// The smallest step from one dot that is asked for its name to the next.
const MIN_STEP: usize = 6;

/// Who moves the counters of a log.
const WRITER: &str = "casebook";

/// The type of a label that shows the name of a piece for which the module has no counter: black on white.
const NAME_LABEL: &str =
    "label;;;12;255,255,255;0,0,0;c;0;c;0;c;c;$pieceName$;Dialog;0;0;TextLabel;;false";

/// The figures that changed since the last step, by piece and attribute.
type ChangedFigures = BTreeMap<String, Map<String, Value>>;

/// Where a piece stands in the situation.
#[derive(Clone, Default)]
struct PieceSpot {
    at: String,
    on: String,
}

/// Moves the counters of a saved game as a ruling moves the pieces of the situation that was made of it.
pub struct CounterMoves<'a> {
    import: &'a GameImport<'a>,
    game: &'a Game,
    table: PieceTable,
    /// Identifiers of counters by piece.
    counters: BTreeMap<String, String>,
    spots: BTreeMap<String, PieceSpot>,
    /// The last place of each counter.
    last_places: BTreeMap<String, String>,
    dots: BTreeMap<String, MapDot>,
    has_scanned: bool,
    next_number: usize,
    records: Vec<String>,
    /// Pieces that went to places that no map has.
    lost: BTreeMap<String, String>,
    /// Figures that no counter shows, as they are now.
    unseen: ChangedFigures,
}

impl<'a> CounterMoves<'a> {
    /// Begins with a saved game and its counters: the identifier and place of each by the name of its piece.
    pub fn new(
        situation: &'a Situation,
        import: &'a GameImport,
        counters: &BTreeMap<String, (String, String)>,
    ) -> CounterMoves<'a> {
        let table = import.saved.table().clone();
        let mut dots = BTreeMap::new();
        for (id, place) in counters.values() {
            if let Some(piece) = table.get(id) {
                dots.entry(place.clone())
                    .or_insert_with(|| piece.at.clone());
            }
        }
        let view = BoardView::new(situation, situation.before(), &[]);
        let spots: BTreeMap<String, PieceSpot> = view
            .pieces
            .into_iter()
            .map(|piece| {
                (
                    piece.name,
                    PieceSpot {
                        at: piece.at,
                        on: piece.on,
                    },
                )
            })
            .collect();
        let mut moves = CounterMoves {
            import,
            game: &situation.ruleset().game,
            table,
            counters: counters
                .iter()
                .map(|(name, (id, _))| (name.clone(), id.clone()))
                .collect(),
            last_places: BTreeMap::new(),
            spots,
            dots,
            has_scanned: false,
            next_number: 1,
            records: Vec::new(),
            lost: BTreeMap::new(),
            unseen: ChangedFigures::new(),
        };
        moves.last_places = moves
            .spots
            .keys()
            .map(|name| (name.clone(), moves.place_of(name)))
            .collect();
        moves
    }

    /// Returns the moves of counters in each step of a ruling, and what has to be done by hand. A refused ruling changes nothing.
    pub fn steps(
        mut self,
        situation: &Situation,
        resolved: &ResolvedRuling,
    ) -> Result<(Vec<Vec<String>>, Vec<String>), VassalFault> {
        let final_view = BoardView::new(situation, &resolved.board, &resolved.events);
        let (mut steps, mut lines, mut figures) = (Vec::new(), 0, ChangedFigures::new());
        let events: &[Event] = if resolved.ruling.refused.is_some() {
            &[]
        } else {
            &resolved.events
        };
        for event in events {
            match event {
                // A step without lines is none in the ruling: what it does belongs to the next.
                Event::Step(_) if lines > 0 => {
                    steps.push(self.step(&mut figures, &final_view)?);
                    lines = 0;
                }
                Event::Line(_) => lines += 1,
                Event::Change(change) => self.note_change(change, &resolved.board, &mut figures),
                _ => {}
            }
        }
        steps.push(self.step(&mut figures, &final_view)?);
        Ok((steps, self.by_hand(situation)))
    }

    /// Returns what has to be done by hand: a line for each piece that is still there.
    fn by_hand(&self, situation: &Situation) -> Vec<String> {
        let first_view = BoardView::new(situation, situation.before(), &[]);
        let mut lines: Vec<String> = self
            .lost
            .iter()
            .filter(|(name, place)| self.last_places.get(*name) == Some(place))
            .map(|(name, place)| {
                format!("{name} goes to {place}, which is on no map of the module")
            })
            .collect();
        for (name, figures) in self
            .unseen
            .iter()
            .filter(|(name, _)| self.counters.contains_key(*name))
        {
            let old = first_view
                .pieces
                .iter()
                .find(|piece| piece.name == *name)
                .map(|piece| &piece.figures);
            // A figure that is back where it was, and one that is nothing and was none, need no hand.
            let is_nothing = |value: &Value| {
                matches!(value, Value::Null | Value::Bool(false)) || *value == 0 || *value == ""
            };
            let changed = |(key, value): &(&String, &Value)| match old.and_then(|old| old.get(*key))
            {
                Some(old) => old != *value,
                None => !is_nothing(value),
            };
            let unseen: Vec<String> = figures
                .iter()
                .filter(changed)
                .map(|(key, value)| format!("{key} {}", figure_text(value)))
                .collect();
            if !unseen.is_empty() {
                lines.push(format!(
                    "{name}, whose counter doesn't show it: {}",
                    unseen.join(", ")
                ));
            }
        }
        lines
    }

    fn note_change(&mut self, change: &BoardChange, board: &Board, figures: &mut ChangedFigures) {
        let (piece, at, on) = match change {
            BoardChange::Move(piece, place) => (piece, place.to_string(), String::new()),
            BoardChange::PutOn(piece, carrier) => (piece, String::new(), carrier.to_string()),
            BoardChange::Remove(piece, _) => (piece, String::new(), String::new()),
            BoardChange::Create(piece, map) => {
                let text = |key: &str| {
                    map.as_map()
                        .and_then(|map| map.get(key))
                        .map(|value| value_text(value, board))
                        .unwrap_or_default()
                };
                (piece, text("at"), text("on"))
            }
            BoardChange::Set(piece, figure, value) => {
                let piece_figures = figures.entry(board.name(*piece).to_string()).or_default();
                piece_figures.insert(figure.to_string(), to_json(value, board));
                return;
            }
            BoardChange::Place(..) | BoardChange::Track(..) | BoardChange::Cards(_) => return,
        };
        self.spots
            .insert(board.name(*piece).to_string(), PieceSpot { at, on });
    }

    /// Returns the place of a piece, or of what carries it.
    fn place_of(&self, name: &str) -> String {
        let mut spot = self.spots.get(name);
        for _ in 0..MAX_CARRIERS {
            match spot {
                Some(PieceSpot { at, on }) if at.is_empty() && !on.is_empty() => {
                    spot = self.spots.get(on)
                }
                Some(PieceSpot { at, .. }) => return at.clone(),
                None => break,
            }
        }
        String::new()
    }

    /// Returns the parts of a log for all that has changed since the last step.
    fn step(
        &mut self,
        figures: &mut ChangedFigures,
        final_view: &BoardView,
    ) -> Result<Vec<String>, VassalFault> {
        let names: Vec<String> = self.spots.keys().cloned().collect();
        for name in names {
            let place = self.place_of(&name);
            if self.last_places.get(&name).map_or("", String::as_str) == place {
                continue;
            }
            self.last_places.insert(name.clone(), place.clone());
            let dot = self.dot(&place);
            match (self.counters.get(&name).cloned(), dot) {
                (Some(id), _) if place.is_empty() => {
                    self.counters.remove(&name);
                    self.remove(&id);
                }
                (None, _) if place.is_empty() => {}
                (_, None) => drop(self.lost.insert(name, place)),
                (Some(id), Some(dot)) => self.move_to(&id, &dot)?,
                (None, Some(dot)) => {
                    if let Some(piece) = final_view.pieces.iter().find(|piece| piece.name == name) {
                        self.bring_in(piece, &dot)?;
                        figures.remove(&name);
                    }
                }
            }
        }
        for (name, changed) in std::mem::take(figures) {
            let piece = final_view.pieces.iter().find(|piece| piece.name == name);
            if let (Some(id), Some(piece)) = (self.counters.get(&name).cloned(), piece) {
                self.change(&id, piece, &changed)?;
            }
        }
        Ok(std::mem::take(&mut self.records))
    }

    fn remove(&mut self, id: &str) {
        self.table.remove(id);
        self.records.push(format!("-/{id}"));
    }

    /// Moves a counter onto the top of a dot; in VASSAL each counter lies in a stack.
    fn move_to(&mut self, id: &str, target: &MapDot) -> Result<(), VassalFault> {
        let origin = self.table.position(id).unwrap_or_default();
        let piece_below = self.table.top_at(id, target);
        let (map, (x, y)) = target;
        let shown_map = |map: &str| {
            if map.is_empty() {
                "null".to_string()
            } else {
                map.into()
            }
        };
        let piece_below = piece_below.as_deref();
        let fields = [
            id.to_string(),
            map.clone(),
            x.to_string(),
            y.to_string(),
            piece_below.unwrap_or("null").into(),
            shown_map(&origin.0),
            origin.1.0.to_string(),
            origin.1.1.to_string(),
            "null".into(),
            WRITER.into(),
        ];
        self.records.push(format!("M/{}", join(&fields, '/')));
        self.table.move_to(id, target.clone(), piece_below)?;
        if self
            .table
            .get(id)
            .is_some_and(|piece| piece.stack.is_none() && !piece.is_alone())
        {
            let stack = self.new_id();
            let state = join(
                &[
                    map.clone(),
                    x.to_string(),
                    y.to_string(),
                    id.into(),
                    "@@-1".into(),
                ],
                ';',
            );
            self.add(&stack, vec![PieceTrait::new("stack", state)])?;
        }
        Ok(())
    }

    fn add(&mut self, id: &str, traits: Vec<PieceTrait>) -> Result<(), VassalFault> {
        let kinds = nest(traits.iter().map(|one| one.kind.as_str()));
        let states = nest(traits.iter().map(|one| one.state.as_str()));
        self.records
            .push(format!("+/{}", join(&[id, &kinds, &states], '/')));
        self.table.add(AddedPiece {
            id: id.into(),
            traits,
        })
    }

    fn new_id(&mut self) -> String {
        loop {
            let id = format!("{WRITER}-{}", self.next_number);
            self.next_number += 1;
            if self.table.get(&id).is_none() {
                return id;
            }
        }
    }

    /// Brings a piece into play: by its counter from the palette of the module, or by a label with its name, which says what it is.
    fn bring_in(&mut self, piece: &PieceView, dot: &MapDot) -> Result<(), VassalFault> {
        let mapped = |traits: &&Vec<PieceTrait>| {
            let entry = self.import.mapping.pieces.get(&piece_name(traits));
            entry.is_some_and(|entry| entry.name == piece.name && !entry.ignored)
        };
        let mut traits = self
            .import
            .module
            .pieces
            .iter()
            .find(mapped)
            .cloned()
            .unwrap_or_else(|| label(piece));
        let id = self.new_id();
        if let Some(basic) = traits.last_mut() {
            basic.state = join(&["null", "0", "0", &id, "0"], ';');
        }
        self.add(&id, traits)?;
        self.counters.insert(piece.name.clone(), id.clone());
        self.move_to(&id, dot)?;
        let figures = piece.figures.clone();
        self.change(&id, piece, &figures)
    }

    /// Changes what a counter carries: the properties that the module map reads figures from, and the layers that show them.
    fn change(
        &mut self,
        id: &str,
        piece: &PieceView,
        changed: &Map<String, Value>,
    ) -> Result<(), VassalFault> {
        let Some(counter) = self.table.get(id) else {
            return Ok(());
        };
        let mut traits = counter.traits.clone();
        let entry = self
            .import
            .mapping
            .pieces
            .values()
            .find(|entry| entry.name == piece.name && !entry.ignored);
        let mut unseen: BTreeSet<&String> = changed.keys().collect();
        if let Some(entry) = entry {
            for (attribute, property) in &entry.figures {
                let Some(value) = changed.get(attribute) else {
                    continue;
                };
                if set_property(&mut traits, property, &figure_text(value)) {
                    unseen.remove(attribute);
                }
            }
            for attribute in show_on_layers(&mut traits, entry, piece, changed, self.game) {
                unseen.retain(|unseen| **unseen != attribute);
            }
        }
        if traits.iter().any(|one| one.kind.starts_with(OWN_FIGURES)) {
            unseen.clear();
        }
        for attribute in unseen {
            self.unseen
                .entry(piece.name.clone())
                .or_default()
                .insert(attribute.clone(), changed[attribute].clone());
        }
        if traits != counter.traits {
            let state = |traits: &[PieceTrait]| nest(traits.iter().map(|one| one.state.as_str()));
            let (new, old) = (state(&traits), state(&counter.traits));
            self.records
                .push(format!("D/{}", join(&[id, &new, &old], '/')));
            self.table.change(id, &new, Some(&old))?;
        }
        Ok(())
    }

    /// Returns the dot of a place: where a counter stands there already, else the centre of what the maps call so.
    fn dot(&mut self, place: &str) -> Option<MapDot> {
        if !place.is_empty() && !self.dots.contains_key(place) && !self.has_scanned {
            self.has_scanned = true;
            for (place, dot) in self.scan() {
                self.dots.entry(place).or_insert(dot);
            }
        }
        self.dots.get(place).cloned()
    }

    /// Finds the places of all maps that count by asking dots for their names.
    fn scan(&self) -> BTreeMap<String, MapDot> {
        let (mapping, saved) = (self.import.mapping, self.import.saved);
        let mut dots_by_place = BTreeMap::new();
        let counts =
            |name: &str| mapping.maps.is_empty() || mapping.maps.iter().any(|map| map == name);
        for map in self
            .import
            .module
            .maps
            .iter()
            .filter(|map| counts(&map.name))
        {
            let id = if map.name.is_empty() {
                &map.id
            } else {
                &map.name
            };
            let board_positions = saved
                .boards
                .get(&map.name)
                .or_else(|| saved.boards.get(&map.id))
                .map(Vec::as_slice);
            let areas = map.areas(board_positions);
            let dots_along = |side: i32, step: usize| side.max(0) as usize / step + 1;
            let count = |step: usize| {
                areas
                    .iter()
                    .map(|(_, (wide, high))| dots_along(*wide, step) * dots_along(*high, step))
                    .sum::<usize>()
            };
            let mut step = MIN_STEP;
            while count(step) > MAX_DOTS {
                step += step / 2;
            }
            let mut named: BTreeMap<String, Vec<(i32, i32)>> = BTreeMap::new();
            for ((left, top), (wide, high)) in &areas {
                for (x, y) in (0..*wide)
                    .step_by(step)
                    .flat_map(|x| (0..*high).step_by(step).map(move |y| (x, y)))
                {
                    let dot = (left.saturating_add(x), top.saturating_add(y));
                    if let Some(name) = map.place_name(dot, board_positions) {
                        named.entry(name).or_default().push(dot);
                    }
                }
            }
            for (name, dots) in named {
                let place = mapping.place_name(&name);
                if self.game.places.contains(&place) {
                    let centre = most_central(&dots);
                    let snapped = map.snap(centre, board_positions);
                    let dot = if map.place_name(snapped, board_positions).as_ref() == Some(&name) {
                        snapped
                    } else {
                        centre
                    };
                    dots_by_place
                        .entry(place)
                        .or_insert_with(|| (id.clone(), dot));
                }
            }
        }
        dots_by_place
    }
}

/// Returns the dot that is nearest to the mean of all: a zone need not hold its own centre.
fn most_central(dots: &[(i32, i32)]) -> (i32, i32) {
    let count = dots.len().max(1) as i64;
    let mean =
        |of: fn(&(i32, i32)) -> i32| dots.iter().map(|dot| i64::from(of(dot))).sum::<i64>() / count;
    let (x, y) = (mean(|dot| dot.0), mean(|dot| dot.1));
    let squared_distance =
        |dot: &&(i32, i32)| (i64::from(dot.0) - x).pow(2) + (i64::from(dot.1) - y).pow(2);
    dots.iter()
        .min_by_key(squared_distance)
        .copied()
        .unwrap_or_default()
}

/// Makes a counter for a piece that no palette has.
fn label(piece: &PieceView) -> Vec<PieceTrait> {
    let mut keys = Map::from_iter([("kind".to_string(), Value::from(piece.kind.as_str()))]);
    if !piece.side.is_empty() {
        keys.insert("side".into(), piece.side.as_str().into());
    }
    keys.extend(piece.figures.clone());
    vec![
        PieceTrait::new("delete;Remove;68,130;", ""),
        PieceTrait::new(OWN_FIGURES, join(&[Value::Object(keys).to_string()], ',')),
        PieceTrait::new(NAME_LABEL, &piece.name),
        PieceTrait::new(
            format!("piece;{}", join(&["", "", "", &piece.name], ';')),
            "",
        ),
    ]
}

/// Writes a figure as the property of a counter.
fn figure_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items
            .iter()
            .map(figure_text)
            .collect::<Vec<_>>()
            .join(" and "),
        value => value.to_string(),
    }
}

/// Sets a property of a counter that play can change; false if it has none of that name.
fn set_property(traits: &mut [PieceTrait], name: &str, value: &str) -> bool {
    for piece_trait in traits {
        if piece_trait
            .arguments("PROP;")
            .is_some_and(|mut arguments| arguments.text() == name)
        {
            piece_trait.state = value.into();
            return true;
        }
        if let Some(mut arguments) = piece_trait.arguments("propertysheet;") {
            let fields = arguments.text().into_owned();
            let fields = || SequenceReader::new(&fields, '~').filter(|field| !field.is_empty());
            let Some(field_index) = fields().position(|field| field.get(1..) == Some(name)) else {
                continue;
            };
            let mut values: Vec<String> = SequenceReader::new(&piece_trait.state, '~')
                .map(|value| value.into_owned())
                .collect();
            values.resize(values.len().max(fields().count()), String::new());
            // A row of boxes to tick has behind its value what it has at most.
            let maximum = values[field_index]
                .split_once('/')
                .map(|(_, maximum)| format!("/{maximum}"))
                .unwrap_or_default();
            values[field_index] = format!("{value}{maximum}");
            piece_trait.state = join(&values, '~');
            return true;
        }
    }
    false
}

/// Turns layers to the levels whose keys a piece now has; returns the attributes that this shows.
fn show_on_layers(
    traits: &mut [PieceTrait],
    entry: &MappedPiece,
    piece: &PieceView,
    changed: &Map<String, Value>,
    game: &Game,
) -> Vec<String> {
    let piece_layers = layers(traits);
    let places: Vec<usize> = (0..traits.len())
        .filter(|at| traits[*at].kind.starts_with("emb2;"))
        .collect();
    let mut attributes = Vec::new();
    for (layer, trait_index) in piece_layers.iter().zip(places) {
        for (level, keys) in entry.layers.get(&layer.name).into_iter().flatten() {
            let keys: Map<String, Value> = keys
                .iter()
                .flat_map(|(key, value)| single_figures(key, value, game))
                .collect();
            let has = |(key, value): (&String, &Value)| {
                key != IGNORED && piece.figures.get(key).or_else(|| changed.get(key)) == Some(value)
            };
            if !keys.keys().any(|key| changed.contains_key(key)) || !keys.iter().all(has) {
                continue;
            }
            let current_level = SequenceReader::new(&traits[trait_index].state, ';')
                .number()
                .unwrap_or(1)
                .saturating_abs()
                .max(1);
            let number = if level == "off" {
                -current_level
            } else {
                level.parse().unwrap_or(current_level)
            };
            let mut state: Vec<String> = SequenceReader::new(&traits[trait_index].state, ';')
                .map(|part| part.into_owned())
                .collect();
            state[0] = number.to_string();
            traits[trait_index].state = join(&state, ';');
            attributes.extend(keys.keys().cloned());
            break;
        }
    }
    attributes
}

/// Splits `value: 5-3` into the figures that it stands for.
fn single_figures(key: &str, value: &Value, game: &Game) -> Vec<(String, Value)> {
    let unit = value
        .as_str()
        .filter(|_| key == "value")
        .and_then(|text| UnitValue::parse(text).ok());
    match (unit, &game.unit_value) {
        (Some(unit), Some(figures)) => vec![
            (figures.first.clone(), unit.first.into()),
            (figures.second.clone(), unit.second.into()),
        ],
        _ => vec![(key.into(), value.clone())],
    }
}
