//! The names that scripts may use under a ruleset: from the manifest, from charts, and the keys of maps that scripts build.

use casebook_engine::code::fields::LENGTH;
use casebook_engine::code::verbs::{self, Verb};
use casebook_engine::complaint::{Complaints, Span};
use casebook_engine::data::case::{Case, CaseFunction};
use casebook_engine::data::constraint::ValueConstraint;
use casebook_engine::data::declared_names::PIECE_FIGURES;
use casebook_engine::data::manifest::{AttributeType, Game};
use casebook_engine::data::reference_kind::ReferenceKind;
use casebook_engine::data::sheet::{GIVEN, SheetFields};
use casebook_engine::data::table::Table;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::syntax::parse;
use casebook_engine::syntax::tree::{Chain, Expression, Link, LinkKind, SourcePosition, Statement};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// The names that scripts may use under a ruleset.
pub struct ScriptVocabulary<'a> {
    pub ruleset: &'a Ruleset,
    /// The charts of the ruleset, by id.
    pub tables: BTreeMap<&'a str, Arc<Table>>,
    /// Whether all charts and scripts were read; if not, an unknown name may be defined in one of the others.
    pub complete: bool,
    /// The valid field names: figures, features, fields of cells and sheets, keys of maps in scripts.
    pub fields: BTreeSet<String>,
    /// The texts that scripts store in maps, by map key.
    map_texts: MapKeys,
    /// The places of all maps, and the boxes; empty for a grid of hexes, where a place is known by its form.
    places: BTreeSet<String>,
}

/// The keys of the maps that scripts build, with the texts stored under each.
pub type MapKeys = BTreeMap<String, BTreeSet<String>>;

/// A case with its parsed functions.
pub struct CaseScript<'a> {
    pub case: &'a Case,
    /// The bodies of its functions, in source order.
    pub bodies: Vec<Rc<[Statement]>>,
}

impl<'a> CaseScript<'a> {
    /// Parses the file as a whole and each of its functions; returns syntax errors as complaints.
    pub fn parse(case: &'a Case) -> Result<CaseScript<'a>, Complaints> {
        parse::check_file(case)?;
        let (mut bodies, mut faults) = (Vec::new(), Complaints::default());
        for index in 0..case.functions.len() {
            match parse::function_body(case, index) {
                Ok(body) => bodies.push(body),
                Err(complaints) => faults.0.extend(complaints.0),
            }
        }
        if faults.0.is_empty() {
            Ok(CaseScript { case, bodies })
        } else {
            Err(faults)
        }
    }

    /// Iterates over the functions with their bodies.
    pub fn functions(&self) -> impl Iterator<Item = (&'a CaseFunction, &[Statement])> {
        self.case
            .functions
            .iter()
            .zip(self.bodies.iter().map(|body| &**body))
    }
}

pub fn text_constant(expression: &Expression) -> Option<(&str, SourcePosition)> {
    match expression {
        Expression::Text(text, at) => Some((text, *at)),
        _ => None,
    }
}

/// Returns the constant texts of an expression: itself, or the items of a list.
pub fn text_constants(expression: &Expression) -> impl Iterator<Item = (&str, SourcePosition)> {
    let items = match expression {
        Expression::List(items, _) => items,
        one => std::slice::from_ref(one),
    };
    items.iter().filter_map(text_constant)
}

/// Returns the last field of a chain, if the chain has no index access.
pub fn last_field(chain: &Chain) -> Option<(&str, SourcePosition)> {
    match chain.links.split_last()? {
        (
            Link {
                kind: LinkKind::Field(name),
                at,
                ..
            },
            before,
        ) if !before
            .iter()
            .any(|link| matches!(link.kind, LinkKind::Key(_))) =>
        {
            Some((name, *at))
        }
        _ => None,
    }
}

/// Returns the position of the first occurrence of a constant text after a position: the parser gives none for the arms of a `switch`.
pub fn find_constant(case: &Case, text: &str, after: SourcePosition) -> SourcePosition {
    let quoted = format!("\"{text}\"");
    let (file, before) = case.file_of(after.0 as usize);
    let mut lines = file
        .text
        .lines()
        .zip(before as u32 + 1..)
        .skip((after.0.max(1) as usize).saturating_sub(before + 1));
    let position = lines.find_map(|(line_text, line)| {
        Some((
            line,
            line_text[..line_text.find(&quoted)?].chars().count() as u32 + 1,
        ))
    });
    position.unwrap_or(after)
}

/// Returns the span of some characters of a script.
pub fn span_at(at: SourcePosition, length: usize) -> Span {
    Span {
        line: at.0.max(1) as usize,
        column: at.1.max(1) as usize,
        length: length.max(1),
    }
}

/// What a call means.
pub enum CallTarget {
    /// A function of its case, by index, that only the case calls.
    Helper(usize),
    /// The answers to a question, by slot of the ruleset.
    Answers(usize),
    Verb(&'static Verb),
}

/// Returns what a call means: a helper of its case takes precedence over a function of the ruleset, and that over a verb.
pub fn call_target(ruleset: &Ruleset, case: &Case, name: &str, count: usize) -> Option<CallTarget> {
    let is_helper = |f: &CaseFunction| f.private && f.name == name && f.arity() == count;
    let helper = case.functions.iter().position(is_helper);
    helper
        .map(CallTarget::Helper)
        .or_else(|| ruleset.slot(name, count).map(CallTarget::Answers))
        .or_else(|| verbs::lookup(name, count).map(CallTarget::Verb))
}

/// Returns the verb that a call means, if it means one.
pub fn called_verb(
    ruleset: &Ruleset,
    case: &Case,
    name: &str,
    count: usize,
) -> Option<&'static Verb> {
    match call_target(ruleset, case, name, count)? {
        CallTarget::Verb(verb) => Some(verb),
        CallTarget::Helper(_) | CallTarget::Answers(_) => None,
    }
}

/// Returns the places of all maps of a game whose places have names, and its boxes; none if no map names any.
fn named_places(ruleset: &Ruleset) -> BTreeSet<String> {
    let places = &ruleset.game.places;
    let mut names = BTreeSet::new();
    if places.is_hex_grid {
        return names;
    }
    for name in ruleset.scenario_names() {
        for list in ruleset.scenario_files(name, &mut Complaints::default()) {
            names.extend(list.place_names().map(String::from));
        }
    }
    if !names.is_empty() {
        names.extend(places.boxes.iter().cloned());
    }
    names
}

/// Yields the keys of the maps that verbs give.
pub fn result_keys() -> impl Iterator<Item = &'static str> {
    verbs::all()
        .iter()
        .flat_map(|verb| verb.result_keys)
        .copied()
}

/// Returns what a figure of every piece names.
pub fn kind_of_figure(figure: &str) -> Option<ReferenceKind> {
    match figure {
        "kind" => Some(ReferenceKind::Kind),
        "side" => Some(ReferenceKind::Side),
        _ => None,
    }
}

impl<'a> ScriptVocabulary<'a> {
    /// Collects the names of a ruleset and of the maps in its scripts (`made`). `complete` says whether all files were read.
    pub fn new(ruleset: &'a Ruleset, map_keys: &MapKeys, complete: bool) -> ScriptVocabulary<'a> {
        let game = &ruleset.game;
        let tables: BTreeMap<&str, Arc<Table>> = ruleset
            .table_names()
            .filter_map(|id| Some((id, ruleset.table(id).ok().flatten()?)))
            .collect();
        let built_in = ["name", LENGTH].into_iter().chain(PIECE_FIGURES);
        let mut fields: BTreeSet<String> = game
            .all_attributes()
            .map(|(name, _)| name)
            .chain(built_in)
            .map(String::from)
            .collect();
        fields.extend(
            game.sheets
                .values()
                .chain([ruleset.any_given()])
                .flat_map(SheetFields::keys)
                .cloned(),
        );
        for table in tables.values() {
            fields.extend(
                table
                    .fields
                    .iter()
                    .chain(&table.axes[1].label_texts)
                    .cloned(),
            );
            fields.extend(table.marks.iter().map(|(_, field)| field.clone()));
        }
        fields.extend(map_keys.keys().cloned());
        fields.extend(result_keys().map(String::from));
        ScriptVocabulary {
            ruleset,
            tables,
            complete,
            fields,
            map_texts: map_keys.clone(),
            places: named_places(ruleset),
        }
    }

    pub fn game(&self) -> &'a Game {
        &self.ruleset.game
    }

    /// Returns the sheets that cases hand on, and what procedures are given.
    pub fn sheets(&self) -> impl Iterator<Item = &'a SheetFields> {
        self.game()
            .sheets
            .values()
            .chain([self.ruleset.any_given()])
    }

    /// Returns the fields of a sheet, or those that any procedure is given.
    pub fn sheet(&self, name: &str) -> Option<&'a SheetFields> {
        let given_fields = Some(self.ruleset.any_given())
            .filter(|given_fields| name == GIVEN && !given_fields.is_empty());
        given_fields.or_else(|| self.game().sheets.get(name))
    }

    /// Returns whether a chart has this field, column label or mark.
    pub fn is_chart_field(&self, field: &str) -> bool {
        let has_column = |table: &Arc<Table>| {
            table
                .fields
                .iter()
                .chain(&table.axes[1].label_texts)
                .any(|column| column == field)
        };
        let mark = |table: &Arc<Table>| table.marks.iter().any(|(_, mark)| mark == field);
        self.tables
            .values()
            .any(|table| has_column(table) || mark(table))
    }

    /// Returns the names of a kind that scripts may use.
    pub fn names_of(&self, kind: ReferenceKind) -> Vec<&str> {
        let game = self.game();
        let declared = |kind| game.declared_names(kind).into_iter().flatten();
        match kind {
            ReferenceKind::Table => self.ruleset.table_names().collect(),
            ReferenceKind::List => self.ruleset.scenario_names(),
            ReferenceKind::Field => self.fields.iter().map(String::as_str).collect(),
            ReferenceKind::Place => self.places.iter().map(String::as_str).collect(),
            ReferenceKind::Side => {
                let sheets = self.sheets().filter_map(|sheet| sheet.get("side"));
                let words = sheets.flat_map(|field| &field.constraint.words);
                declared(kind).chain(words.map(String::as_str)).collect()
            }
            _ => declared(kind).collect(),
        }
    }

    /// Returns the alternatives of a reading, by the name that a case uses for it.
    pub fn alternatives(&self, case: &Case, name: &str) -> Vec<&'a str> {
        let full = if name.contains('.') {
            name.to_string()
        } else {
            format!("{}.{name}", case.number)
        };
        let named_readings = |case: &'a Arc<Case>| {
            let short_name = full
                .strip_prefix(&*case.number)
                .and_then(|rest| rest.strip_prefix('.'));
            case.readings
                .iter()
                .filter(move |reading| short_name == Some(&*reading.name))
        };
        self.ruleset
            .cases
            .iter()
            .flat_map(named_readings)
            .flat_map(|reading| &reading.ways)
            .map(String::as_str)
            .collect()
    }

    /// Returns the words allowed in a field, if they are listed: for the sheet in variable `root`, or for pieces and maps in scripts.
    pub fn allowed_words(&self, root: Option<&str>, field: &str) -> Option<Vec<&str>> {
        let game = self.game();
        if let Some(sheet) = root.and_then(|root| self.sheet(root)) {
            let ValueConstraint {
                words,
                references: names,
                any_text: text,
                ..
            } = &sheet.get(field)?.constraint;
            let names_by_kind = names
                .iter()
                .map(|kind| Some(game.names_of_kind(kind)).filter(|allowed| !allowed.is_empty()));
            let mut allowed: Vec<&str> = names_by_kind.collect::<Option<Vec<_>>>()?.concat();
            allowed.extend(words.iter().map(String::as_str));
            return Some(allowed).filter(|allowed| !text && !allowed.is_empty());
        }
        let mut allowed = match kind_of_figure(field) {
            Some(kind) => self.names_of(kind),
            None => {
                let words = |(_, attribute): (&str, &'a AttributeType)| match attribute {
                    AttributeType::Word(words, _) if !words.is_empty() => Some(words),
                    _ => None,
                };
                // If one use of the name allows any text, the words are not known.
                let declared: Vec<_> = game
                    .all_attributes()
                    .filter(|(name, _)| *name == field)
                    .map(words)
                    .collect();
                if declared.is_empty() {
                    return None;
                }
                declared
                    .into_iter()
                    .collect::<Option<Vec<_>>>()?
                    .into_iter()
                    .flatten()
                    .map(String::as_str)
                    .collect()
            }
        };
        let sheets = self.sheets().filter_map(|sheet| sheet.get(field));
        allowed.extend(
            sheets
                .flat_map(|field| &field.constraint.words)
                .map(String::as_str),
        );
        allowed.extend(
            self.map_texts
                .get(field)
                .into_iter()
                .flatten()
                .map(String::as_str),
        );
        let columns = self
            .tables
            .values()
            .flat_map(|table| table.allowed_words(field));
        allowed.extend(columns);
        Some(allowed)
    }
}
