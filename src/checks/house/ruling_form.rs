//! A ruling as a form: its lines, each value with what it is made of and can be changed at.

use crate::house::change::{CellsChange, RuleChange};
use crate::house::places::{RulePlace, places_of};
use crate::house::ruling_forks::RulingDice;
use crate::house::sentence::title_of;
use crate::house::value_change::{TRACK, ValueChange};
use casebook_engine::code::machine::value_recorder::{
    NO_NODE, NodeId, RecordedLine, ValueOrigin, ValueRecorder, is_reference,
};
use casebook_engine::complaint::Error;
use casebook_engine::notation::Face;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruling::resolve::{ResolvedRuling, RulingLine};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::cell_key::{CellKey, EntityKind};
use casebook_engine::situation::trace::Event;
use casebook_engine::situation::value::{HashedText, PieceId, Value};
use casebook_engine::situation::value_text::{
    TemplatePart, capitalised, outcome_text, text_within, visit_template,
};
use std::collections::{BTreeMap, HashSet};

/// The dice of the rulings that show what is at the places of a case.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=3;
/// The number of places that a value shows.
const MAX_PLACES: usize = 24;
/// The length in bytes after which the text of a value is cut.
const LONGEST: usize = 60;

/// A ruling whose values can be pointed at.
#[derive(Debug, Default)]
pub struct RulingForm {
    pub lines: Vec<FormLine>,
    /// What conditions can use everywhere: tracks.
    pub variables: Vec<KnownWord>,
}

/// A line of a ruling.
#[derive(Debug, Default)]
pub struct FormLine {
    /// The number of its step, and the title of that; empty before the first step.
    pub step: (usize, String),
    pub template: String,
    pub parts: Vec<LinePart>,
    pub cites: Vec<String>,
    /// The places of the conditions under which it is said.
    pub conditions: Vec<FormPlace>,
    recorded: RecordedLine,
}

#[derive(Debug)]
pub enum LinePart {
    Text(String),
    Value(FormValue),
}

/// A value in a line.
#[derive(Debug, Default)]
pub struct FormValue {
    pub text: String,
    /// What it is made of, or else the condition that picked it: what counts before what is only said, throws, cells and answers before
    /// variables and numbers of scripts, and the nearest first.
    pub places: Vec<FormPlace>,
    node: NodeId,
}

/// A place that can be changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormPlace {
    /// The option and the text of a change of it, without what it becomes.
    pub address: (&'static str, String),
    /// What it is: the key of an entry of a list, `cell` or `figure`.
    pub kind: &'static str,
    pub words: String,
    /// The case or table.
    pub about: String,
    /// What stands there.
    pub value: Value,
    pub text: String,
    /// The function whose place it is; empty for others.
    pub function: String,
    /// Whether something that follows depends on it: else it is only said.
    pub is_used: bool,
    /// What conditions can use there.
    pub variables: Vec<KnownWord>,
}

/// A value that a condition can use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownWord {
    /// How a script writes it.
    pub script: String,
    /// Its value in this ruling.
    pub value: Value,
    pub text: String,
}

impl KnownWord {
    fn new(script: String, value: Value, board: &Board) -> KnownWord {
        KnownWord {
            script,
            text: text_within(&value, board, LONGEST),
            value,
        }
    }
}

impl FormLine {
    /// Returns the text of the line.
    pub fn text(&self) -> String {
        let parts = self.parts.iter();
        let text = parts.map(|part| match part {
            LinePart::Text(text) => text.as_str(),
            LinePart::Value(value) => &value.text,
        });
        text.collect()
    }
}

/// Resolves a situation, and records what its values are made of.
fn recorded_ruling(
    situation: &Situation,
    dice: &RulingDice,
    recorder: ValueRecorder,
) -> Result<(ValueRecorder, ResolvedRuling), Error> {
    let mut machine = situation.machine();
    machine.value_recorder = Some(Box::new(recorder));
    let resolved = dice.resolve(&mut machine, situation)?;
    let recorder = machine.value_recorder.take().unwrap_or_default();
    Ok((*recorder, resolved))
}

/// Returns the ruling of a situation. What conditions can use is found for the places of one line.
pub fn ruling_form(
    situation: &Situation,
    dice: &RulingDice,
    open_line: Option<usize>,
) -> Result<RulingForm, Error> {
    let recorder = ValueRecorder::new(open_line.is_some());
    let (recorder, resolved) = recorded_ruling(situation, dice, recorder)?;
    let mut builder = FormBuilder::new(situation, &recorder, &resolved);
    let mut form = builder.form();
    builder.find_places(&mut form, open_line, |_| true);
    Ok(form)
}

/// Returns the rulings of two situations on the same dice. Only lines that differ have places, as these take longer to find than the rulings.
pub fn changed_forms(
    [before, after]: [&Situation; 2],
    dice: &RulingDice,
) -> Result<[RulingForm; 2], Error> {
    let old = recorded_ruling(before, dice, ValueRecorder::new(false))?;
    let new = recorded_ruling(after, dice, ValueRecorder::new(false))?;
    let mut builders = [
        FormBuilder::new(before, &old.0, &old.1),
        FormBuilder::new(after, &new.0, &new.1),
    ];
    let mut forms = [builders[0].form(), builders[1].form()];
    let mut pairs = pair_lines(&forms[0].lines, &forms[1].lines);
    pairs.retain(|pair| pair_differs([&forms[0], &forms[1]], *pair));
    for (number, builder) in builders.iter_mut().enumerate() {
        let differs = |line| pairs.iter().any(|pair| pair[number] == Some(line));
        builder.find_places(&mut forms[number], None, differs);
    }
    Ok(forms)
}

/// Notes with each place of a case what is there where a ruling of the situation first comes to it, and returns what conditions can use
/// there, with its value.
pub fn note_values(
    situation: &Situation,
    places: &mut [RulePlace],
) -> Result<BTreeMap<String, String>, Error> {
    let mut found = BTreeMap::new();
    let mut is_seen = vec![false; places.len()];
    for seed in SEEDS {
        let recorder = ValueRecorder::new(true);
        let dice = RulingDice {
            seed,
            ..RulingDice::default()
        };
        let (recorder, resolved) = recorded_ruling(situation, &dice, recorder)?;
        let mut builder = FormBuilder::new(situation, &recorder, &resolved);
        let mut words = builder.tracks();
        for id in 0..recorder.nodes.len() as NodeId {
            let Some(place) = builder.place(id, true) else {
                continue;
            };
            let seen = places.iter().position(|seen| seen.line == place.address.1);
            let Some(index) = seen.filter(|index| !is_seen[*index]) else {
                continue;
            };
            is_seen[index] = true;
            // A number of the script says itself what it is.
            places[index].here = (place.kind != "number").then_some(place.text);
            words.extend(builder.words(id));
        }
        for word in words.into_iter().filter(|word| word.value != Value::False) {
            found.entry(word.script).or_insert(word.text);
        }
    }
    Ok(found)
}

/// Builds a form of a recorded run.
struct FormBuilder<'a> {
    situation: &'a Situation,
    ruleset: &'a Ruleset,
    recorder: &'a ValueRecorder,
    resolved: &'a ResolvedRuling,
    /// The board before the run.
    start: Board,
    /// Nodes on which something depends.
    used: Vec<bool>,
    /// Whether the places of the line say what conditions can use.
    wants_words: bool,
    /// The places of each case, once it was met.
    places: BTreeMap<usize, Vec<RulePlace>>,
}

impl<'a> FormBuilder<'a> {
    fn new(
        situation: &'a Situation,
        recorder: &'a ValueRecorder,
        resolved: &'a ResolvedRuling,
    ) -> FormBuilder<'a> {
        let mut used = vec![false; recorder.nodes.len()];
        let mut open = recorder.used.clone();
        while let Some(id) = open.pop() {
            if id == NO_NODE || std::mem::replace(&mut used[id as usize], true) {
                continue;
            }
            let node = &recorder.nodes[id as usize];
            open.extend(node.inputs.iter().chain(&node.conditions));
            open.extend(node.parts.iter().map(|(_, part)| part));
        }
        FormBuilder {
            situation,
            ruleset: situation.ruleset(),
            start: Board::new(situation.initial_board.clone()),
            recorder,
            resolved,
            used,
            wants_words: false,
            places: BTreeMap::new(),
        }
    }

    /// Returns the lines without the places of their values.
    fn form(&self) -> RulingForm {
        let ruling = &self.resolved.ruling;
        let mut said = self.resolved.events.iter().filter_map(|event| match event {
            Event::Line(line) => Some(line),
            _ => None,
        });
        let (mut recorded, unrecorded) = (self.recorder.lines.iter(), RecordedLine::default());
        let mut form = RulingForm::default();
        for (number, step) in ruling.steps.iter().enumerate() {
            for line in &step.lines {
                let recorded = recorded.next().unwrap_or(&unrecorded);
                let mut line = match said.next() {
                    Some(said) => self.line(line, (&said.template, &said.values), recorded),
                    None => plain_line(line),
                };
                line.step = (number, step.title.clone());
                form.lines.push(line);
            }
        }
        if let Some(refused) = &ruling.refused {
            form.lines.push(FormLine {
                step: (ruling.steps.len(), "Refused".into()),
                recorded: self.recorder.refusal.clone(),
                ..plain_line(refused)
            });
        }
        form.variables = self.tracks();
        form
    }

    /// Finds the places of the lines that are wanted, and at one what conditions can use there.
    fn find_places(
        &mut self,
        form: &mut RulingForm,
        open_line: Option<usize>,
        is_wanted: impl Fn(usize) -> bool,
    ) {
        let lines = form.lines.iter_mut().enumerate();
        for (number, line) in lines.filter(|(number, _)| is_wanted(*number)) {
            self.wants_words = open_line == Some(number);
            for part in &mut line.parts {
                if let LinePart::Value(value) = part {
                    value.places = self.places_of_value(value.node);
                }
            }
            line.conditions = self.places_behind(&line.recorded.conditions).0;
        }
    }

    fn tracks(&self) -> Vec<KnownWord> {
        let board = &self.resolved.board;
        let mut words = Vec::new();
        for (row, (name, track)) in self.ruleset.game.tracks.iter().enumerate() {
            let Some(value) = board.peek(CellKey::new(EntityKind::Track, 0, row)) else {
                continue;
            };
            let script = format!("track({name:?})");
            // Of named boxes each third is the third by their order.
            let is_here = |name: &String| value.as_text().is_some_and(|text| **text == **name);
            if let Some(index) = track.boxes().iter().position(is_here) {
                let number = Value::Number(index as i64 + 1);
                words.push(KnownWord::new(
                    format!("position({name:?}, {script})"),
                    number,
                    board,
                ));
            }
            words.push(KnownWord::new(script, value.clone(), board));
        }
        words
    }

    fn line(
        &self,
        line: &RulingLine,
        (template, values): (&HashedText, &[Value]),
        recorded: &RecordedLine,
    ) -> FormLine {
        let mut parts: Vec<LinePart> = Vec::new();
        let board = &self.resolved.board;
        let mut found: Vec<TemplatePart> = Vec::new();
        visit_template(template, values, &mut |part| found.push(part));
        for part in found {
            match part {
                TemplatePart::Text("") => {}
                TemplatePart::Text(text) => match parts.last_mut() {
                    Some(LinePart::Text(before)) => before.push_str(text),
                    _ => parts.push(LinePart::Text(text.into())),
                },
                TemplatePart::Value(index) => {
                    let node = recorded.values.get(index).copied().unwrap_or(NO_NODE);
                    let text = text_within(&values[index], board, usize::MAX);
                    let places = Vec::new();
                    parts.push(LinePart::Value(FormValue { text, places, node }));
                }
            }
        }
        // A line begins with a capital letter.
        if let Some(LinePart::Text(text) | LinePart::Value(FormValue { text, .. })) =
            parts.first_mut()
        {
            *text = capitalised(text);
        }
        FormLine {
            template: template.to_string(),
            parts,
            recorded: recorded.clone(),
            ..plain_line(line)
        }
    }

    fn places_of_value(&mut self, node: NodeId) -> Vec<FormPlace> {
        match self.places_behind(&[node]) {
            (places, conditions) if places.is_empty() => self.places_behind(&conditions).0,
            (places, _) => places,
        }
    }

    /// Returns the places that values are made of, and the conditions that picked them.
    fn places_behind(&mut self, nodes: &[NodeId]) -> (Vec<FormPlace>, Vec<NodeId>) {
        let (mut places, mut conditions): (Vec<FormPlace>, Vec<NodeId>) = Default::default();
        let mut open = nodes.to_vec();
        let (mut seen, mut next) = (HashSet::from([NO_NODE]), 0);
        while let Some(id) = open.get(next).copied()
            && places.len() < MAX_PLACES
        {
            next += 1;
            if !seen.insert(id) {
                continue;
            }
            let node = &self.recorder.nodes[id as usize];
            conditions.extend(&node.conditions);
            let is_used = self.used[id as usize];
            if let Some(place) = self.place(id, is_used) {
                let is_same = |other: &&mut FormPlace| other.address == place.address;
                match places.iter_mut().find(is_same) {
                    Some(other) => other.is_used |= is_used,
                    None => places.push(place),
                }
            }
            // Who it is was chosen; what made it a choice is not what it is made of.
            let is_of_it = |id: &&NodeId| {
                let input = &self.recorder.nodes[**id as usize].value;
                !is_reference(&node.value) || is_reference(input)
            };
            open.extend(node.inputs.iter().filter(is_of_it));
            if node.inputs.is_empty() {
                open.extend(node.parts.iter().map(|(_, part)| part).filter(is_of_it));
            }
        }
        places.sort_by_key(|place| (!place.is_used, matches!(place.kind, "let" | "number")));
        (places, conditions)
    }

    /// Returns the place at which a value can be changed; `None` if no change can point at it.
    fn place(&mut self, id: NodeId, is_used: bool) -> Option<FormPlace> {
        let recorder = self.recorder;
        let node = &recorder.nodes[id as usize];
        let text = outcome_text(&node.value, &self.resolved.board);
        let value = node.value.clone();
        let (key, name) = match &node.origin {
            ValueOrigin::Operation => return None,
            ValueOrigin::Cell(table, index) => {
                let cell = CellsChange::of_cell(table, *index as usize, "");
                let cell_text = &table.cells[*index as usize].text;
                let (option, text) = RuleChange::Cells(cell).to_parameter();
                return Some(FormPlace {
                    address: (option, text.trim_end_matches(" = ").into()),
                    kind: "cell",
                    words: table.label(*index as usize),
                    about: table.title.clone(),
                    value,
                    text: cell_text.clone(),
                    is_used: true,
                    variables: self.known_words(id),
                    ..FormPlace::default()
                });
            }
            ValueOrigin::Figure(key) => return self.figure(*key, (value, text)),
            ValueOrigin::Number(number) => ("number", number.to_string()),
            ValueOrigin::Variable(name) => ("let", name.clone()),
            ValueOrigin::Throw(purpose) => ("throw", purpose.to_string()),
            ValueOrigin::Choice(question) => ("choice", question.to_string()),
            ValueOrigin::Answer | ValueOrigin::Part(_) => {
                ("answer", node.code.as_ref()?.name.clone())
            }
        };
        let code = node.code.as_ref()?;
        let case = code.case?;
        let ruleset = self.ruleset;
        let number = &ruleset.cases.get(case)?.number;
        let places = self
            .places
            .entry(case)
            .or_insert_with(|| places_of(ruleset, number));
        let function = format!("{}/{}", code.name, code.arity);
        // Of a purpose or question that holds values the words before the first are known.
        let likeness = |place: &&RulePlace| {
            let written = place.entry.get(key)?;
            let of = place.entry.get("function");
            let is_begun = matches!(key, "throw" | "choice") && name.starts_with(written);
            let is_here = place.case == case && of.is_none_or(|of| of == function);
            (is_here && (written == name || is_begun)).then_some(written.len())
        };
        let fitting = places.iter().filter(|place| likeness(place).is_some());
        let place = fitting.max_by_key(likeness)?;
        let (mut line, mut words) = (place.line.clone(), place.words.clone());
        let die_count = place.die_count;
        if let ValueOrigin::Part(part) = &node.origin {
            line += &format!(", part: {part}");
            words = format!("{}, of: {words}", part.replace('_', " "));
        }
        Some(FormPlace {
            address: ("rule", line),
            kind: key,
            words,
            about: title_of(number, ruleset),
            function: code.name.clone(),
            value,
            text,
            is_used,
            variables: self
                .words_of_faces(id, die_count)
                .into_iter()
                .chain(self.known_words(id))
                .collect(),
        })
    }

    /// Returns what conditions can ask of the dice of a throw, or of a variable that holds its total, if these are several.
    fn words_of_faces(&self, id: NodeId, die_count: usize) -> Vec<KnownWord> {
        let nodes = &self.recorder.nodes;
        let purpose_of = |id: NodeId| match &nodes.get(id as usize)?.origin {
            ValueOrigin::Throw(purpose) => Some(purpose),
            _ => None,
        };
        let inputs = nodes[id as usize].inputs.iter().copied();
        let thrown = [id]
            .into_iter()
            .chain(inputs)
            .find_map(|id| Some((id, purpose_of(id)?)));
        let (Some((id, purpose)), true) = (thrown, self.wants_words && die_count > 1) else {
            return Vec::new();
        };
        let before = (0..id)
            .filter(|id| purpose_of(*id) == Some(purpose))
            .count();
        let mut throws = self.resolved.events.iter().filter_map(|event| match event {
            Event::Throw(thrown) if thrown.purpose == *purpose => Some(&thrown.faces),
            _ => None,
        });
        let Some(faces) = throws.nth(before) else {
            return Vec::new();
        };
        let last = die_count - 1;
        let [high, low] = [faces.iter().max(), faces.iter().min()].map(|face| match face {
            Some(Face::Number(number)) => Value::Number(*number),
            _ => Value::Nothing,
        });
        let is_double = if high == low {
            Value::True
        } else {
            Value::False
        };
        let words = [
            (format!("faces[0] == faces[{last}]"), is_double),
            ("faces[0]".into(), high),
            (format!("faces[{last}]"), low),
        ];
        words
            .map(|(script, value)| KnownWord::new(script, value, &self.resolved.board))
            .into()
    }

    /// Returns a figure of the situation.
    fn figure(&self, key: CellKey, (value, text): (Value, String)) -> Option<FormPlace> {
        let (board, game) = (&self.resolved.board, &self.ruleset.game);
        let (target, name) = match key.kind() {
            EntityKind::Piece => {
                let mut names = game.attributes.iter().map(|(name, _)| name);
                let is_it =
                    |name: &&String| Board::column_of_attribute(game, name) == Some(key.column());
                let piece = PieceId(key.row());
                (board.name(piece).to_string(), names.find(is_it)?.clone())
            }
            EntityKind::Track => {
                let (name, _) = game.tracks.iter().nth(key.row())?;
                (TRACK.to_string(), name.clone())
            }
            _ => return None,
        };
        let words = match &*target {
            TRACK => name.replace('-', " "),
            _ => format!("{} of {target}", name.replace('_', " ")),
        };
        let change = ValueChange {
            of: None,
            target,
            key: name,
            now: String::new(),
        };
        Some(FormPlace {
            address: ("rule", change.place()),
            kind: "figure",
            words,
            about: String::new(),
            value,
            text,
            is_used: true,
            ..FormPlace::default()
        })
    }

    fn known_words(&self, id: NodeId) -> Vec<KnownWord> {
        match self.wants_words {
            true => self.words(id),
            false => Vec::new(),
        }
    }

    /// Returns what conditions can use at a place: variables, attributes of pieces, entries of maps and sheets, and what is between places.
    fn words(&self, id: NodeId) -> Vec<KnownWord> {
        let (board, game) = (&self.resolved.board, &self.ruleset.game);
        let mut words: Vec<KnownWord> = Vec::new();
        let figure = |key: CellKey| {
            let written = self.recorder.written_before(key, id);
            written.or_else(|| self.start.peek(key)).cloned()
        };
        for (name, value) in &self.recorder.nodes[id as usize].scope {
            let parts: Vec<(String, Value)> = match value {
                Value::Piece(piece) => {
                    let attribute = |name: &str| {
                        let column = Board::column_of_attribute(game, name)?;
                        let key = CellKey::new(EntityKind::Piece, column, piece.0);
                        Some((format!(".{name}"), figure(key)?))
                    };
                    let attributes = game.attributes.iter().map(|(name, _)| name.as_str());
                    let names = ["kind", "side"].into_iter().chain(attributes);
                    let own = (".name".to_string(), Value::Text(board.name(*piece).clone()));
                    [own]
                        .into_iter()
                        .chain(names.filter_map(attribute))
                        .collect()
                }
                Value::Map(map) => {
                    let entries = map.entries().iter();
                    entries
                        .map(|(key, value)| (format!(".{key}"), value.clone()))
                        .collect()
                }
                Value::Record(sheet) => {
                    let names = (0..).map_while(|field| Some((field, self.field_name(field)?)));
                    let field = |(field, name): (usize, HashedText)| {
                        let key = CellKey::new(EntityKind::Record, field, *sheet);
                        Some((format!(".{name}"), figure(key)?))
                    };
                    names.filter_map(field).collect()
                }
                _ => vec![(String::new(), value.clone())],
            };
            for (part, value) in parts {
                let script = format!("{name}{part}");
                let (script, value) = match &value {
                    Value::List(list) if list.len() == 1 => {
                        (format!("{script}[0]"), list[0].clone())
                    }
                    _ => (script, value),
                };
                words.push(KnownWord::new(script, value, board));
            }
        }
        words.retain(|word| {
            matches!(
                word.value,
                Value::Number(_) | Value::True | Value::False | Value::Text(_) | Value::Place(_)
            )
        });
        let between = self.words_between(&words);
        words.extend(between);
        words
    }

    fn field_name(&self, field: usize) -> Option<HashedText> {
        self.situation.program.vocabulary.field_name(field)
    }

    /// Returns what is on the sides between neighbouring places that have words.
    fn words_between(&self, words: &[KnownWord]) -> Vec<KnownWord> {
        let place = |word: &KnownWord| match &word.value {
            Value::Place(name) | Value::Text(name) => Some((word.script.clone(), name.clone())),
            _ => None,
        };
        let places: Vec<(String, HashedText)> = words.iter().filter_map(place).collect();
        let mut board = self.resolved.board.clone();
        let features = &self.ruleset.game.places.side_attributes;
        let mut found: Vec<KnownWord> = Vec::new();
        for (index, (from, a)) in places.iter().enumerate() {
            for (to, b) in &places[index + 1..] {
                for (column, (feature, _)) in features.iter().enumerate() {
                    let key = board.side_key(a, b, column);
                    let Some(value) = key.and_then(|key| board.peek(key).cloned()) else {
                        continue;
                    };
                    let script = format!("between({from}, {to}).{feature}");
                    found.push(KnownWord::new(script, value, &board));
                }
            }
        }
        found
    }
}

/// Returns a line without values that can be pointed at.
fn plain_line(line: &RulingLine) -> FormLine {
    FormLine {
        parts: vec![LinePart::Text(line.text.clone())],
        cites: line.cites.clone(),
        ..FormLine::default()
    }
}

/// Pairs the lines of two rulings by step and template, in their order: lines that only one of them has are alone.
pub fn pair_lines(before: &[FormLine], after: &[FormLine]) -> Vec<[Option<usize>; 2]> {
    let is_same = |a: &FormLine, b: &FormLine| a.step.1 == b.step.1 && a.template == b.template;
    // The length of the longest common sequence of what is left from each pair on.
    let width = after.len() + 1;
    let mut lengths = vec![0u32; (before.len() + 1) * width];
    for (i, a) in before.iter().enumerate().rev() {
        for (j, b) in after.iter().enumerate().rev() {
            lengths[i * width + j] = match is_same(a, b) {
                true => lengths[(i + 1) * width + j + 1] + 1,
                false => lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]),
            };
        }
    }
    let (mut pairs, mut i, mut j) = (Vec::new(), 0, 0);
    while i < before.len() || j < after.len() {
        let rest = |i: usize, j: usize| lengths[i * width + j];
        if i < before.len() && j < after.len() && is_same(&before[i], &after[j]) {
            pairs.push([Some(i), Some(j)]);
            (i, j) = (i + 1, j + 1);
        } else if j >= after.len() || i < before.len() && rest(i + 1, j) >= rest(i, j + 1) {
            pairs.push([Some(i), None]);
            i += 1;
        } else {
            pairs.push([None, Some(j)]);
            j += 1;
        }
    }
    pairs
}

/// Whether a pair of lines of two rulings differs.
pub fn pair_differs(forms: [&RulingForm; 2], [old, new]: [Option<usize>; 2]) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => forms[0].lines[old].text() != forms[1].lines[new].text(),
        _ => true,
    }
}

impl FormPlace {
    /// Returns a place of a case as no ruling came to it.
    pub fn of_rule(place: &RulePlace) -> FormPlace {
        let keys = ["throw", "look_up", "number", "let", "choice", "answer"];
        let words = place.names.iter().map(|name| KnownWord {
            script: name.clone(),
            ..KnownWord::default()
        });
        FormPlace {
            address: ("rule", place.line.clone()),
            kind: keys
                .into_iter()
                .find(|key| place.entry.get(key).is_some())
                .unwrap_or("answer"),
            words: place.words.clone(),
            value: match place.example {
                "no" => Value::True,
                "add 1" => Value::Number(0),
                _ => Value::Nothing,
            },
            is_used: true,
            variables: words.collect(),
            ..FormPlace::default()
        }
    }
}
