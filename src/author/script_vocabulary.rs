//! The words that scripts may use under a ruleset: those of the manifest, of charts, and of the maps that scripts make.

use crate::complaint::Complaints;
use crate::data::case::{Case, CaseFunction};
use crate::data::constraint::ValueConstraint;
use crate::data::manifest::{AttributeType, Game};
use crate::data::sheet::SheetFields;
use crate::data::table::Table;
use crate::ruleset::compose::Ruleset;
use crate::syntax::parse;
use crate::syntax::tree::{Chain, Expression, Link, LinkKind, SourcePosition, Statement};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// What every piece has, beside its attributes; what lists and texts have.
const BUILT_IN_FIELDS: [&str; 7] = ["name", "kind", "side", "at", "on", "gone", "len"];

/// The words that scripts may use under a ruleset.
pub struct ScriptVocabulary<'a> {
    /// The ruleset.
    pub ruleset: &'a Ruleset,
    /// Its charts.
    pub tables: BTreeMap<&'a str, Arc<Table>>,
    /// Whether all charts and scripts could be read; where not, what is not known may stand in one of the others.
    pub complete: bool,
    /// What may stand after a point: figures, features, fields of cells and sheets, keys of maps that scripts make.
    pub fields: BTreeSet<String>,
    /// The texts that maps in scripts have under a key.
    map_texts: MapKeys,
}

/// The keys of the maps that scripts make, and the texts under each.
pub type MapKeys = BTreeMap<String, BTreeSet<String>>;

/// A case with what its functions say.
pub struct CaseScript<'a> {
    /// The case.
    pub case: &'a Case,
    /// The bodies of its functions, in their order.
    pub bodies: Vec<Rc<[Statement]>>,
}

impl<'a> CaseScript<'a> {
    /// Parses the file as a whole and each function of it; complains of what can't be parsed.
    pub fn parse(case: &'a Case) -> Result<CaseScript<'a>, Complaints> {
        parse::check_file(case)?;
        let (mut bodies, mut faults) = (Vec::new(), Complaints::default());
        for index in 0..case.functions.len() {
            match parse::function_body(case, index) {
                Ok(body) => bodies.push(body),
                Err(complaints) => faults.0.extend(complaints.0),
            }
        }
        if faults.0.is_empty() { Ok(CaseScript { case, bodies }) } else { Err(faults) }
    }

    /// Its functions, each with its body.
    pub fn functions(&self) -> impl Iterator<Item = (&'a CaseFunction, &[Statement])> {
        self.case.functions.iter().zip(self.bodies.iter().map(|body| &**body))
    }
}

/// A constant text, and where it stands.
pub fn text_constant(expression: &Expression) -> Option<(&str, SourcePosition)> {
    match expression {
        Expression::Text(text, at) => Some((text, *at)),
        _ => None,
    }
}

/// The constant texts of an expression: itself, or the items of a list.
pub fn text_constants(expression: &Expression) -> impl Iterator<Item = (&str, SourcePosition)> {
    let items = match expression {
        Expression::List(items, _) => items,
        one => std::slice::from_ref(one),
    };
    items.iter().filter_map(text_constant)
}

/// The field that a chain ends in, where nothing in it is asked for by a key.
pub fn last_field(chain: &Chain) -> Option<(&str, SourcePosition)> {
    match chain.links.split_last()? {
        (Link { kind: LinkKind::Field(name), at, .. }, before) if !before.iter().any(|link| matches!(link.kind, LinkKind::Key(_))) => {
            Some((name, *at))
        }
        _ => None,
    }
}

/// Where a constant text first stands after a place: the parser does not say it of the arms of a `switch`.
pub fn find_constant(case: &Case, text: &str, after: SourcePosition) -> SourcePosition {
    let quoted = format!("\"{text}\"");
    let (file, before) = case.file_of(after.0 as usize);
    let mut lines = file.text.lines().zip(before as u32 + 1..).skip((after.0.max(1) as usize).saturating_sub(before + 1));
    let found = lines.find_map(|(all, line)| Some((line, all[..all.find(&quoted)?].chars().count() as u32 + 1)));
    found.unwrap_or(after)
}

impl<'a> ScriptVocabulary<'a> {
    /// What the manifest and the charts of a ruleset say, and the maps that its scripts make.
    pub fn new(ruleset: &'a Ruleset, made: &MapKeys, whole: bool) -> ScriptVocabulary<'a> {
        let game = &ruleset.game;
        let tables: BTreeMap<&str, Arc<Table>> =
            ruleset.table_names().filter_map(|id| Some((id, ruleset.table(id).ok().flatten()?))).collect();
        let lists = [&game.attributes, &game.places.attributes, &game.places.side_attributes];
        let mut fields: BTreeSet<String> = lists.into_iter().flatten().map(|(name, _)| name.clone()).collect();
        fields.extend(BUILT_IN_FIELDS.map(String::from));
        fields.extend(game.sheets.values().flat_map(SheetFields::keys).cloned());
        for table in tables.values() {
            fields.extend(table.fields.iter().chain(&table.axes[1].label_texts).cloned());
            fields.extend(table.marks.iter().map(|(_, field)| field.clone()));
        }
        fields.extend(made.keys().cloned());
        ScriptVocabulary { ruleset, tables, complete: whole, fields, map_texts: made.clone() }
    }

    /// The game.
    pub fn game(&self) -> &'a Game {
        &self.ruleset.game
    }

    /// Whether a chart has such a part.
    pub fn is_chart_field(&self, field: &str) -> bool {
        let part = |table: &Arc<Table>| table.fields.iter().chain(&table.axes[1].label_texts).any(|part| part == field);
        let mark = |table: &Arc<Table>| table.marks.iter().any(|(_, mark)| mark == field);
        self.tables.values().any(|table| part(table) || mark(table))
    }

    /// The names of a sort, as an argument of a verb may be.
    pub fn names_of(&self, sort: &str) -> Vec<&str> {
        let game = self.game();
        let names = |list: &'a [(String, AttributeType)]| list.iter().map(|(name, _)| name.as_str());
        match sort {
            "table" => self.ruleset.table_names().collect(),
            "side" => {
                let others = game.sheets.values().filter_map(|sheet| sheet.get("side")).flat_map(|field| &field.constraint.words);
                game.sides.iter().chain(others).map(String::as_str).collect()
            }
            "group" => game.groups().collect(),
            "kind" => game.kinds.keys().map(String::as_str).collect(),
            "track" => game.tracks.keys().map(String::as_str).collect(),
            "list" => self.ruleset.scenario_names(),
            "figure" => BUILT_IN_FIELDS[..6].iter().copied().chain(names(&game.attributes)).chain(names(&game.places.attributes)).collect(),
            "field" => self.fields.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// The ways to read a text, by the name that a case knows the reading by.
    pub fn alternatives(&self, case: &Case, name: &str) -> Vec<&'a str> {
        let full = if name.contains('.') { name.to_string() } else { format!("{}.{name}", case.number) };
        let own = |case: &'a Arc<Case>| {
            let own = full.strip_prefix(&*case.number).and_then(|rest| rest.strip_prefix('.'));
            case.readings.iter().filter(move |reading| own == Some(&*reading.name))
        };
        self.ruleset.cases.iter().flat_map(own).flat_map(|reading| &reading.ways).map(String::as_str).collect()
    }

    /// The words that may stand in a field, where that is a list: of the sheet a variable holds, or of pieces and of maps in scripts.
    pub fn allowed_words(&self, root: Option<&str>, field: &str) -> Option<Vec<&str>> {
        let game = self.game();
        if let Some(sheet) = root.and_then(|root| game.sheets.get(root)) {
            let ValueConstraint { words, references: names, any_text: text, .. } = &sheet.get(field)?.constraint;
            let named = names.iter().map(|sort| Some(game.names_of_kind(sort)).filter(|known| !known.is_empty()));
            let mut known: Vec<&str> = named.collect::<Option<Vec<_>>>()?.concat();
            known.extend(words.iter().map(String::as_str));
            return Some(known).filter(|known| !text && !known.is_empty());
        }
        let mut known = match field {
            "kind" | "side" => self.names_of(field),
            _ => {
                let lists = [&game.attributes, &game.places.attributes, &game.places.side_attributes];
                let words = |(_, attribute): &'a (String, AttributeType)| match attribute {
                    AttributeType::Word(words, _) if !words.is_empty() => Some(words),
                    _ => None,
                };
                // A name that means a word in one place may mean anything in another.
                let all: Vec<_> = lists.into_iter().flatten().filter(|(name, _)| name == field).map(words).collect();
                if all.is_empty() {
                    return None;
                }
                all.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().map(String::as_str).collect()
            }
        };
        let sheets = game.sheets.values().filter_map(|sheet| sheet.get(field));
        known.extend(sheets.flat_map(|field| &field.constraint.words).map(String::as_str));
        known.extend(self.map_texts.get(field).into_iter().flatten().map(String::as_str));
        let columns = self.tables.values().flat_map(|table| table.allowed_words(field));
        known.extend(columns);
        Some(known)
    }
}
