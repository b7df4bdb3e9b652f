//! Checks constants in scripts that name things: charts and their keys, sides, kinds, places, tracks, readings, figures and fields of
//! sheets.

use crate::author::script_vocabulary::{
    CaseScript, ScriptVocabulary, called_verb, find_constant, kind_of_figure, last_field, span_at,
    text_constant, text_constants,
};
use casebook_engine::code::context::{DICE_HELP, describe_wrong_dice};
use casebook_engine::code::verbs::{self, ResultRule, Role, TableAccess, Verb};
use casebook_engine::complaint::{Complaints, DiagnosticCode, Message, counted, did_you_mean};
use casebook_engine::data::axis::AxisKey;
use casebook_engine::data::case::{Case, CaseFunction};
use casebook_engine::data::reference_kind::ReferenceKind;
use casebook_engine::data::sheet::GIVEN;
use casebook_engine::notation::{Dice, Hex};
use casebook_engine::syntax::calls::{CONTAINS, visit_calls};
use casebook_engine::syntax::tree::{
    self, Call, Chain, Expression, Link, LinkKind, SourcePosition, SwitchStatement, TreeNode,
};

/// Reports the unknown names in a script.
pub fn check(vocabulary: &ScriptVocabulary, script: &CaseScript, complaints: &mut Complaints) {
    for (function, body) in script.functions() {
        let mut checker = ScriptCheck {
            vocabulary,
            case: script.case,
            function,
            complaints,
        };
        visit_calls(body, &mut |call, args, method| {
            if !method && (call.is_operator || &*call.name == CONTAINS) {
                checker.check_comparison(call);
            }
            checker.check_call(call, args);
        });
        tree::walk(body, &mut |node| {
            match node {
                TreeNode::Expression(Expression::Chain(chain)) => checker.check_chain(chain),
                TreeNode::Expression(Expression::Text(text, at)) => checker.check_hex(text, *at),
                TreeNode::Link(Link {
                    kind: LinkKind::Field(name),
                    at,
                    ..
                }) => checker.check_field(name, *at),
                TreeNode::Statement(tree::Statement::Switch(switch)) => {
                    checker.check_switch(switch)
                }
                _ => {}
            }
            true
        });
    }
}

/// The check of one function.
struct ScriptCheck<'w, 'a> {
    vocabulary: &'w ScriptVocabulary<'a>,
    case: &'w Case,
    function: &'w CaseFunction,
    complaints: &'w mut Complaints,
}

impl ScriptCheck<'_, '_> {
    fn complain(
        &mut self,
        code: DiagnosticCode,
        at: SourcePosition,
        length: usize,
        message: impl Into<Message>,
        help: impl Into<String>,
    ) {
        self.complaints.push(
            self.case
                .complaint(code, span_at(at, length), message)
                .with_help(help),
        );
    }

    /// Marks the complaints from index `before` on as uncertain.
    fn mark_uncertain(&mut self, before: usize) {
        let uncertain = self
            .complaints
            .0
            .drain(before..)
            .map(|complaint| complaint.into_likely())
            .collect::<Vec<_>>();
        self.complaints.0.extend(uncertain);
    }

    /// Reports a constant that is not in `names`, if there are any.
    fn check_name(&mut self, text: (&str, SourcePosition), kind: &str, names: &[&str], help: &str) {
        if !names.is_empty() {
            self.check_listed_name(text, kind, names, help);
        }
    }

    /// Reports a constant that is not in `names`.
    fn check_listed_name(
        &mut self,
        (text, at): (&str, SourcePosition),
        kind: &str,
        names: &[&str],
        help: &str,
    ) {
        // An empty text means no side and no place.
        if !text.is_empty() && !names.contains(&text) {
            let message = did_you_mean(
                format!("no {kind} is called `{text}`"),
                text,
                names.iter().copied(),
            );
            self.complain(
                DiagnosticCode::UnknownName,
                at,
                text.chars().count() + 2,
                message,
                help,
            );
        }
    }

    /// Checks the constants among the arguments of a verb. A function of a case shadows a verb of the same name.
    fn check_call(&mut self, call: &Call, args: &[&Expression]) {
        let (name, count) = (&*call.name, args.len());
        let Some(verb) = called_verb(self.vocabulary.ruleset, self.case, name, count) else {
            return;
        };
        for (parameter, arg) in verb.params.iter().zip(args) {
            self.check_argument(parameter.role, arg);
        }
        let given = |role: Role| {
            verb.index_of(role)
                .and_then(|index| args.get(index).copied())
        };
        if let Some(index) = verb.index_of(Role::Line) {
            self.check_line(args.get(index).copied(), args.get(index + 1).copied());
        }
        match (verb.table_access(), args) {
            (Some(TableAccess::Cell | TableAccess::Row), [chart, keys @ ..]) => {
                self.check_chart(call, chart, keys)
            }
            (Some(TableAccess::IsKnown), [chart @ Expression::Text(..), keys @ ..]) => {
                self.check_chart(call, chart, keys)
            }
            _ => {}
        }
        let sheet = given(Role::Sheet).map(Expression::as_variable);
        match (sheet, given(Role::SheetField), given(Role::Fields)) {
            (Some(Some(GIVEN)), Some(field), _) => {
                text_constants(field).for_each(|(field, at)| {
                    self.check_sheet_field(GIVEN, field, at, field.len() + 2)
                });
            }
            (Some(Some(sheet)), _, Some(Expression::Map(entries, _))) => {
                entries
                    .iter()
                    .for_each(|(key, at, _)| self.check_sheet_field(sheet, key, *at, key.len()));
            }
            (None, _, Some(fields)) => self.check_sheet(fields),
            _ => {}
        }
        if let Some(Expression::List(options, at)) = given(Role::Options)
            && options.is_empty()
        {
            self.complain(
                DiagnosticCode::Choice,
                *at,
                2,
                "this choice has no options",
                "offer at least one option",
            );
        }
        match (given(Role::Track).and_then(text_constant), given(Role::Box)) {
            (Some((track, _)), Some(Expression::Text(text, at))) => {
                self.check_track(track, text, *at)
            }
            (Some((track, _)), Some(Expression::Number(number, at))) => {
                self.check_track(track, &number.to_string(), *at)
            }
            _ => {}
        }
    }

    /// Checks a line and the list of its values, if both are literals.
    fn check_line(&mut self, line: Option<&Expression>, values: Option<&Expression>) {
        let Some((line, at)) = line.and_then(text_constant) else {
            return;
        };
        let value_count = match values {
            None => 0,
            Some(Expression::List(values, _)) => values.len(),
            Some(_) => return,
        };
        let blank_count = line.matches("{}").count();
        if blank_count != value_count {
            let message = format!(
                "this line has {blank_count} `{{}}`, and {value_count} {} given",
                if value_count == 1 {
                    "value is"
                } else {
                    "values are"
                }
            );
            self.complain(
                DiagnosticCode::Line,
                at,
                line.chars().count() + 2,
                message,
                "write a value for each, in their order",
            );
        }
    }

    fn check_argument(&mut self, role: Role, arg: &Expression) {
        let kind = match role {
            Role::Table if self.vocabulary.complete => ReferenceKind::Table,
            Role::Track => ReferenceKind::Track,
            Role::Deck => ReferenceKind::Deck,
            Role::Side => ReferenceKind::Side,
            // An example may make a map of its own.
            Role::Place if !self.function.is_example() => ReferenceKind::Place,
            Role::Group => ReferenceKind::Group,
            Role::Selection if matches!(arg, Expression::Text(..)) => ReferenceKind::Group,
            // Lists of maps are also sorted and counted by figures.
            Role::Figure | Role::FigureOrKey => ReferenceKind::Field,
            Role::List => ReferenceKind::List,
            Role::Dice => {
                if let Some((text, at)) = text_constant(arg)
                    && let Err(error) = Dice::parse_with(text, &self.vocabulary.ruleset.game.dice)
                {
                    let message =
                        describe_wrong_dice(text, &error, &self.vocabulary.ruleset.game.dice);
                    self.complain(
                        DiagnosticCode::Notation,
                        at,
                        text.len() + 2,
                        message,
                        DICE_HELP,
                    );
                }
                return;
            }
            Role::NewPieces => {
                return match arg {
                    Expression::List(items, _) => {
                        items.iter().for_each(|item| self.check_piece(item))
                    }
                    map => self.check_piece(map),
                };
            }
            _ => return,
        };
        let names = self.vocabulary.names_of(kind);
        // The data list all names of these kinds, so that where they list none, none is right.
        let is_listed = matches!(
            kind,
            ReferenceKind::Table | ReferenceKind::Track | ReferenceKind::List | ReferenceKind::Deck
        );
        if !names.is_empty() || is_listed {
            text_constants(arg)
                .for_each(|text| self.check_listed_name(text, kind.noun(), &names, kind.remedy()));
        }
    }

    /// Checks a piece given as a map literal.
    fn check_piece(&mut self, map: &Expression) {
        let Expression::Map(entries, _) = map else {
            return;
        };
        let figures = self.vocabulary.names_of(ReferenceKind::Figure);
        for (key, at, value) in entries {
            if !["name", "value", "status", "missing"].contains(&&**key)
                && !figures.contains(&&**key)
            {
                let message = did_you_mean(
                    format!("a piece has no `{key}`"),
                    key,
                    figures.iter().copied(),
                );
                self.complain(
                    DiagnosticCode::UnknownName,
                    *at,
                    key.len(),
                    message,
                    "name an attribute that the game's manifest lists",
                );
            }
            if let (Some(kind), Some(text)) = (kind_of_figure(key), text_constant(value)) {
                self.check_name(
                    text,
                    key,
                    &self.vocabulary.names_of(kind),
                    "name a side or kind that the game's manifest lists",
                );
            }
        }
    }

    /// Checks a chart lookup: one key per axis, and each key a label of its axis.
    fn check_chart(&mut self, call: &Call, chart: &Expression, keys: &[&Expression]) {
        let Some((id, _)) = text_constant(chart) else {
            return;
        };
        let Some(table) = self.vocabulary.tables.get(id).cloned() else {
            return;
        };
        let row = verbs::lookup(&call.name, keys.len() + 1).and_then(Verb::table_access)
            == Some(TableAccess::Row);
        let several = |axis: usize| table.axes[axis].label_texts.len() > 1;
        let is_given = |axis: usize| axis + keys.len() > 2;
        let axes = ["sheet", "column", "row"];
        if let Some(axis) =
            (0..3).find(|axis| several(*axis) && !is_given(*axis) && !(row && *axis == 1))
        {
            let message = format!(
                "table {id} is asked with {}, and none for its {}s",
                counted(keys.len(), "key"),
                axes[axis]
            );
            let axis_names: Vec<&str> = (0..3)
                .filter(|axis| several(*axis))
                .map(|axis| axes[axis])
                .collect();
            let help = format!("ask for {}, in this order", axis_names.join(", "));
            return self.complain(
                DiagnosticCode::Label,
                call.at,
                call.name.len(),
                message,
                help,
            );
        }
        for (axis, key) in (0..3).filter(|axis| is_given(*axis)).zip(keys) {
            let (key_text, at) = match key {
                Expression::Text(text, at) => (AxisKey::Text(text), *at),
                Expression::Number(number, at) => (AxisKey::Number(*number), *at),
                _ => continue,
            };
            if table.axes[axis].find(key_text).is_none() {
                let text = match key_text {
                    AxisKey::Text(text) => text.to_string(),
                    AxisKey::Number(number) => number.to_string(),
                    AxisKey::Odds(attacker, defender) => format!("{attacker}:{defender}"),
                };
                let labels = &table.axes[axis].label_texts;
                let message = did_you_mean(
                    format!("table {id} has no {} `{text}`", axes[axis]),
                    &text,
                    labels.iter().map(String::as_str),
                );
                self.complain(
                    DiagnosticCode::Label,
                    at,
                    text.len() + 2,
                    message,
                    format!("name one that it has: {}", labels.join(", ")),
                );
            }
        }
    }

    /// Checks a sheet literal: some sheet of the game has its fields.
    fn check_sheet(&mut self, map: &Expression) {
        let sheets = &self.vocabulary.game().sheets;
        let fields: Vec<&String> = sheets.values().flat_map(|sheet| sheet.keys()).collect();
        let Expression::Map(entries, _) = map else {
            return;
        };
        for (key, at, _) in entries
            .iter()
            .filter(|(key, ..)| !fields.is_empty() && !fields.iter().any(|name| **name == **key))
        {
            let message = did_you_mean(
                format!("no sheet has a field `{key}`"),
                key,
                fields.iter().map(|name| name.as_str()),
            );
            self.complain(
                DiagnosticCode::UnknownName,
                *at,
                key.len(),
                message,
                "name a field that the manifest lists under `sheets:`",
            );
        }
    }

    /// Checks a field of the sheet with the given name.
    fn check_sheet_field(&mut self, sheet: &str, field: &str, at: SourcePosition, length: usize) {
        let Some(fields) = self.vocabulary.sheet(sheet) else {
            return;
        };
        if !fields.contains_key(field) {
            let message = did_you_mean(
                format!("the sheet `{sheet}` has no `{field}`"),
                field,
                fields.keys().map(String::as_str),
            );
            let help = match sheet {
                GIVEN => "name what the card of a case lists under `given:`".into(),
                _ => format!("name a field that the manifest lists under `sheets: {sheet}:`"),
            };
            self.complain(DiagnosticCode::UnknownName, at, length, message, help);
        }
    }

    /// Checks a field access.
    fn check_field(&mut self, name: &str, at: SourcePosition) {
        // Examples may also read outcomes, whose names rulings define.
        if self.vocabulary.complete
            && !self.vocabulary.fields.contains(name)
            && !self.function.is_example()
        {
            let fields = self.vocabulary.fields.iter().map(String::as_str);
            let message = did_you_mean(
                format!("no piece, sheet, cell or map has a `{name}`"),
                name,
                fields,
            );
            let help = "correct the name; the manifest lists figures and sheets, a table the fields of its cells";
            let before = self.complaints.0.len();
            self.complain(DiagnosticCode::UnknownName, at, name.len(), message, help);
            self.mark_uncertain(before);
        }
    }

    /// Checks the first step of a chain: a field of a sheet or of a cell.
    fn check_chain(&mut self, chain: &Chain) {
        let Some(Link {
            kind: LinkKind::Field(name),
            at,
            ..
        }) = chain.links.first()
        else {
            return;
        };
        if !self.vocabulary.fields.contains(&**name) {
            return;
        }
        if let Some(sheet) = chain.root.as_variable() {
            return self.check_sheet_field(sheet, name, *at, name.len());
        }
        let Expression::Call(call) = &chain.root else {
            return;
        };
        let verb = called_verb(
            self.vocabulary.ruleset,
            self.case,
            &call.name,
            call.args.len(),
        );
        let is_cell = verb.and_then(Verb::table_access) == Some(TableAccess::Cell);
        let chart = call
            .args
            .first()
            .and_then(text_constant)
            .filter(|_| is_cell);
        let Some(table) = chart.and_then(|(id, _)| self.vocabulary.tables.get(id).cloned()) else {
            return;
        };
        let mut fields = table
            .fields
            .iter()
            .chain(table.marks.iter().map(|(_, field)| field))
            .map(String::as_str);
        if !fields.clone().any(|field| field == &**name) {
            let message = did_you_mean(
                format!("a cell of table {} has no `{name}`", table.id),
                name,
                fields.clone(),
            );
            let help = if fields.next().is_none() {
                "its cells have no fields".into()
            } else {
                format!(
                    "name one that it has: {}",
                    fields.collect::<Vec<_>>().join(", ")
                )
            };
            self.complain(DiagnosticCode::UnknownName, *at, name.len(), message, help);
        }
    }

    /// Checks a comparison with a constant: of a reading, a track or a field with listed words.
    fn check_comparison(&mut self, call: &Call) {
        let ([a, b], "==" | "!=" | CONTAINS) = (&call.args[..], &*call.name) else {
            return;
        };
        let (value, texts) = if text_constants(a).next().is_none() {
            (a, b)
        } else {
            (b, a)
        };
        text_constants(texts).for_each(|(text, at)| self.check_constant(value, text, at));
    }

    /// Checks the arms of a `switch`: each constant is a possible value of its subject.
    fn check_switch(&mut self, switch: &SwitchStatement) {
        for (text, _) in switch
            .arms
            .iter()
            .flat_map(|arm| &arm.values)
            .filter_map(text_constant)
        {
            self.check_constant(
                &switch.scrutinee,
                text,
                find_constant(self.case, text, switch.at),
            );
        }
    }

    /// Checks that a constant is a possible value of an expression.
    fn check_constant(&mut self, value: &Expression, text: &str, at: SourcePosition) {
        match value {
            Expression::Call(inner) if !inner.is_operator && inner.args.len() == 1 => {
                let result = verbs::lookup(&inner.name, 1).map(|verb| verb.result);
                match (result, text_constant(&inner.args[0])) {
                    (Some(ResultRule::Reading), Some((name, _))) => {
                        self.check_reading(name, text, at)
                    }
                    (Some(ResultRule::TrackBox), Some((track, _))) => {
                        self.check_track(track, text, at)
                    }
                    _ => {}
                }
            }
            Expression::Chain(chain) => {
                let Some((field, _)) = last_field(chain) else {
                    return;
                };
                let root = chain.root.as_variable().filter(|_| chain.links.len() == 1);
                let words = self
                    .vocabulary
                    .allowed_words(root, field)
                    .unwrap_or_default();
                let before = self.complaints.0.len();
                self.check_name(
                    (text, at),
                    field,
                    &words,
                    &format!("write what the game's manifest allows for `{field}`"),
                );
                self.mark_uncertain(before);
            }
            _ => {}
        }
    }

    fn check_reading(&mut self, name: &str, text: &str, at: SourcePosition) {
        let alternatives = self.vocabulary.alternatives(self.case, name);
        self.check_name(
            (text, at),
            "way to read it",
            &alternatives,
            "name a way that the card lists under `readings:`",
        );
    }

    fn check_track(&mut self, track: &str, text: &str, at: SourcePosition) {
        if let Some(named_track) = self
            .vocabulary
            .game()
            .tracks
            .get(track)
            .filter(|named_track| !named_track.contains(text))
        {
            let message = did_you_mean(
                format!("`{text}` is not on the track `{track}`"),
                text,
                self.vocabulary.game().names_of_kind(track),
            );
            self.complain(
                DiagnosticCode::Track,
                at,
                text.chars().count() + 2,
                message,
                named_track.remedy(),
            );
        }
    }

    /// Checks that a text in the form of a hex or a hexside is on the map.
    fn check_hex(&mut self, text: &str, at: SourcePosition) {
        let places = &self.vocabulary.game().places;
        let hex = |part: &str| {
            Hex::parse(part)
                .is_ok_and(|hex| hex.sheet.is_empty() == places.sheet_bounds.contains_key(""))
        };
        if places.is_hex_grid
            && text.ends_with(|last: char| last.is_ascii_digit())
            && !places.contains(text)
            && text.split('/').all(hex)
        {
            let (message, help) = (
                format!("`{text}` is not a place of this game"),
                format!("write a place: {}", places.describe_hex()),
            );
            self.complain(DiagnosticCode::Notation, at, text.len() + 2, message, help);
        }
    }
}
