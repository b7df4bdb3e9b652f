//! A change of a layer's list: where it applies, what it does there, and when.
//!
//! The list of a layer is `changes:` in its manifest. This module reads it; `ruleset/changes.rs` applies it.

use crate::complaint::{DiagnosticCode, Span};
use crate::data::format::change::{CHANGE, ROUNDED};
use crate::data::node::flag_value;
use crate::data::yaml::{YamlNode, YamlReader, YamlValue};

/// Of scripts in a list of changes: the variable that holds what is changed.
pub const ANSWER: &str = "answer";
/// The key of an entry that names the situation, roster or deployment whose values it changes.
pub const VALUES_OF: &str = "of";
/// The part of a path that means each item of a list.
const EACH: &str = "each";

/// A text of a script in a data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptText {
    pub text: String,
    pub span: Span,
}

/// Where a change applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeAddress {
    /// An option of a variant, `VARIANT.OPTION`.
    Option(String),
    /// A reading, `CASE.READING`.
    Reading(String),
    /// A case as a whole.
    Case(String),
    /// Cells of a table, which its entry in the list selects.
    Cells(String),
    /// Values of a situation, roster or deployment, which its entry in the list selects as one in a file for it does.
    Values(String),
    /// A place in the scripts of a case, or of all cases.
    Script {
        case: Option<String>,
        function: Option<String>,
        place: ScriptPlace,
    },
}

/// A place in scripts, by a name that survives a correction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptPlace {
    /// What a function answers, or a part of it.
    Answer(String, Option<AnswerPart>),
    /// A throw, by its purpose.
    Throw(String),
    /// The look-ups of a table.
    LookUp(String),
    /// A number, with the expression around it.
    Number(i64, Option<ScriptText>),
    /// The value of a variable.
    Let(String),
    /// The options of a question.
    Choice(String),
}

/// Which part of an answer that is a map or list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerPart {
    /// The value of a key of a map.
    Key(String),
    /// An item of a list, from 0.
    Item(usize),
    /// Each item of a list.
    Each,
}

/// What a change does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeOperation {
    Add(i64),
    /// A share, `times / by`.
    Share {
        times: i64,
        by: i64,
        is_up: bool,
    },
    AtMost(i64),
    AtLeast(i64),
    /// The value of an expression.
    Now(ScriptText),
    /// Other dice.
    Dice(String),
    /// A look-up moves by so many sheets, columns and rows.
    Move([i64; 3]),
    /// One option more.
    Offer(ScriptText),
    /// An option is set, a reading chosen, a case struck out.
    Set(String),
}

/// A change of a layer's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub address: ChangeAddress,
    /// What it does, in the order in which the entry says it.
    pub operations: Vec<ChangeOperation>,
    /// What the place must have been below, as scripts have it; any of several.
    pub was: Vec<ScriptText>,
    /// The condition.
    pub when: Option<ScriptText>,
    /// Whether all places that fit change.
    pub is_of_all: bool,
    /// The reason.
    pub why: String,
    /// The option of the variant that switches it.
    pub option: Option<String>,
    /// Place in the list, from 1.
    pub number: usize,
    pub span: Span,
}

impl Change {
    /// Reads the list of a layer; entries that can't be read are reported and left out.
    pub fn read_all(list: Option<&YamlNode>, reader: &mut YamlReader) -> Vec<Change> {
        let items = list.map(YamlNode::items).unwrap_or_default();
        let read = |(index, node)| Change::read(index + 1, node, reader);
        items.iter().enumerate().filter_map(read).collect()
    }

    fn read(number: usize, node: &YamlNode, reader: &mut YamlReader) -> Option<Change> {
        let (address, operations) = match node.optional_text_of(VALUES_OF) {
            // What it does is read where the list is.
            Some(list) => (ChangeAddress::Values(list), Vec::new()),
            None => {
                reader.check_keys(node, &CHANGE.key_names());
                let address = read_address(node, reader)?;
                let operations = read_operations(node, &address, reader)?;
                (address, operations)
            }
        };
        let is_part = |address: &ChangeAddress| !matches!(address, ChangeAddress::Option(_));
        Some(Change {
            operations,
            was: script_texts(node, "was"),
            when: script_texts(node, "when").into_iter().next(),
            is_of_all: node.is_set("all"),
            why: node.text_of("why").into(),
            option: node
                .optional_text_of("option")
                .filter(|_| is_part(&address)),
            number,
            span: node.span,
            address,
        })
    }

    /// Returns the number of the case that it changes, if it names one.
    pub fn case_number(&self) -> Option<&str> {
        match &self.address {
            ChangeAddress::Case(number) => Some(number),
            ChangeAddress::Script { case, .. } => case.as_deref(),
            _ => None,
        }
    }

    /// Whether it only adds to a number, so that it and others of the kind may come in any order.
    pub fn is_addition(&self) -> bool {
        let adds = |operation: &ChangeOperation| matches!(operation, ChangeOperation::Add(_));
        self.operations.iter().all(adds)
    }
}

fn script_texts(node: &YamlNode, key: &str) -> Vec<ScriptText> {
    let of_item = |item: &YamlNode| {
        Some(ScriptText {
            text: item.as_text()?.to_string(),
            span: item.span,
        })
    };
    node.items_of(key).iter().filter_map(of_item).collect()
}

/// Reads where a change applies: exactly one place.
fn read_address(node: &YamlNode, reader: &mut YamlReader) -> Option<ChangeAddress> {
    let text = |key: &str| node.optional_text_of(key);
    let number = || {
        Some(ScriptPlace::Number(
            node.number_of("number")?,
            script_texts(node, "in").pop(),
        ))
    };
    let answer = || {
        Some(ScriptPlace::Answer(
            text("answer")?,
            text("part").map(read_part),
        ))
    };
    let places = [
        answer(),
        text("throw").map(ScriptPlace::Throw),
        text("look_up").map(ScriptPlace::LookUp),
        number(),
        text("let").map(ScriptPlace::Let),
        text("choice").map(ScriptPlace::Choice),
    ];
    let mut found: Vec<ScriptPlace> = places.into_iter().flatten().collect();
    let (case, reading, option) = (text("case"), text("reading"), text("option"));
    let has_labels = ["sheet", "column", "row"]
        .iter()
        .any(|key| node.get(key).is_some());
    let table = text("table");
    let is_mixed = match table {
        Some(_) => case.is_some() || reading.is_some() || !found.is_empty(),
        None => has_labels,
    };
    let address = if is_mixed {
        None
    } else if let Some(table) = table {
        // Under a condition only a look-up can move: the chart itself is the same for all.
        let is_look_up = node.get("when").is_some() && node.get("now").is_none() && !has_labels;
        Some(match is_look_up {
            true => ChangeAddress::Script {
                case: None,
                function: None,
                place: ScriptPlace::LookUp(table),
            },
            false => ChangeAddress::Cells(table),
        })
    } else {
        match (found.pop(), case, reading, option) {
            (Some(place), case, None, _) if found.is_empty() && is_found(&place, &case) => {
                Some(ChangeAddress::Script {
                    case,
                    function: text("function"),
                    place,
                })
            }
            (None, Some(case), None, _) => Some(ChangeAddress::Case(case)),
            (None, None, Some(reading), _) => Some(ChangeAddress::Reading(reading)),
            (None, None, None, Some(option)) => Some(ChangeAddress::Option(option)),
            _ => None,
        }
    };
    if address.is_none() {
        let message = "this change does not say in one way where it applies";
        let help = "write `case:` with one of answer, throw, look_up, number, let, choice; or `table:`, `option:` or `reading:` alone";
        reader.complain(DiagnosticCode::MissingKey, node.span, message, help);
    }
    address
}

/// Whether a place can be looked for: only look-ups of a table are meant everywhere.
fn is_found(place: &ScriptPlace, case: &Option<String>) -> bool {
    case.is_some() || matches!(place, ScriptPlace::LookUp(_))
}

fn read_part(text: String) -> AnswerPart {
    match text.parse() {
        Ok(item) => AnswerPart::Item(item),
        Err(_) if text == EACH => AnswerPart::Each,
        Err(_) => AnswerPart::Key(text),
    }
}

/// Reads what a change does, in the order of its keys.
fn read_operations(
    node: &YamlNode,
    address: &ChangeAddress,
    reader: &mut YamlReader,
) -> Option<Vec<ChangeOperation>> {
    let is_up = node.word_of("rounded", &ROUNDED).unwrap_or(false);
    let moved = ["sheets", "columns", "rows"].map(|key| node.number_of(key).unwrap_or(0));
    let mut operations = Vec::new();
    for (key, value) in node.entries() {
        let script = || ScriptText {
            text: value.text_or_empty().into(),
            span: value.span,
        };
        operations.push(match key.text_or_empty() {
            "add" => ChangeOperation::Add(value.parse()?),
            "at_most" => ChangeOperation::AtMost(value.parse()?),
            "at_least" => ChangeOperation::AtLeast(value.parse()?),
            "times" => match read_share(value.text_or_empty()) {
                Some((times, by)) => ChangeOperation::Share { times, by, is_up },
                None => {
                    let message = format!("`{}` is not a share", value.text_or_empty());
                    let help = "write a whole number or a fraction: `times: 2`, `times: 1/2`";
                    reader.complain(DiagnosticCode::Number, value.span, message, help);
                    return None;
                }
            },
            "now"
                if matches!(value.value, YamlValue::List(_))
                    && !matches!(address, ChangeAddress::Cells(_)) =>
            {
                let message = "several values stand here, and this place has one";
                let help = "write one value; a list of scripts stands in quotes: `now: \"[1, 2]\"`";
                reader.complain(DiagnosticCode::Shape, value.span, message, help);
                return None;
            }
            "now" if matches!(address, ChangeAddress::Script { .. }) => {
                ChangeOperation::Now(ScriptText {
                    text: value_text(value),
                    span: value.span,
                })
            }
            "now" => ChangeOperation::Set(value.text_or_empty().into()),
            "dice" => ChangeOperation::Dice(value.text_or_empty().into()),
            "offer" => ChangeOperation::Offer(script()),
            "sheets" | "columns" | "rows"
                if !operations.contains(&ChangeOperation::Move(moved)) =>
            {
                ChangeOperation::Move(moved)
            }
            _ => continue,
        });
    }
    let Some((fits, does)) = first_misfit(address, &operations) else {
        if let ([ChangeOperation::Move(_)], Some(was)) = (&operations[..], node.get("was")) {
            let message = "a shift goes from whatever is below, so it has no `was:`";
            reader.complain(
                DiagnosticCode::WasNow,
                was.span,
                message,
                "leave `was:` out",
            );
            return None;
        }
        return Some(operations);
    };
    let message = format!("this change says where it applies, and {does}");
    reader.complain(
        DiagnosticCode::MissingKey,
        node.span,
        message,
        format!("write one of {fits}"),
    );
    None
}

/// Says what can be done at an address, if an operation is missing there or can't be done.
fn first_misfit(
    address: &ChangeAddress,
    operations: &[ChangeOperation],
) -> Option<(&'static str, &'static str)> {
    use ChangeOperation::*;
    let (fits, is_fit): (_, fn(&ChangeOperation) -> bool) = match address {
        ChangeAddress::Script {
            place: ScriptPlace::LookUp(_),
            ..
        } => ("`columns`, `rows`, `sheets`", |o| matches!(o, Move(_))),
        ChangeAddress::Script {
            place: ScriptPlace::Choice(_),
            ..
        } => ("`offer`", |o| matches!(o, Offer(_))),
        ChangeAddress::Script {
            place: ScriptPlace::Throw(_),
            ..
        } => (
            "`add`, `times`, `at_most`, `at_least`, `now`, `dice`",
            |o| !matches!(o, Move(_) | Offer(_) | Set(_)),
        ),
        ChangeAddress::Script { .. } => ("`add`, `times`, `at_most`, `at_least`, `now`", |o| {
            !matches!(o, Move(_) | Offer(_) | Set(_) | Dice(_))
        }),
        ChangeAddress::Cells(_) => ("`now`, or `columns`, `rows`, `sheets`", |o| {
            matches!(o, Set(_) | Move(_))
        }),
        ChangeAddress::Case(_) => (
            "`now: off`, or a place in the case",
            |o| matches!(o, Set(word) if flag_value(word) == Some(false)),
        ),
        ChangeAddress::Option(_) => (
            "`now: on`, `now: off`",
            |o| matches!(o, Set(word) if flag_value(word).is_some()),
        ),
        ChangeAddress::Values(_) => return None,
        ChangeAddress::Reading(_) => ("`now:` with a way of reading", |o| matches!(o, Set(_))),
    };
    match operations {
        [_, _, ..] if matches!(address, ChangeAddress::Cells(_)) => {
            Some((fits, "two things that it does"))
        }
        [] => Some((fits, "not what it does")),
        _ if operations.iter().all(is_fit) => None,
        _ => Some((fits, "what can't be done there")),
    }
}

/// Reads a share: `2`, `1/2`.
fn read_share(text: &str) -> Option<(i64, i64)> {
    let (times, by) = text.split_once('/').unwrap_or((text, "1"));
    let share: (i64, i64) = (times.trim().parse().ok()?, by.trim().parse().ok()?);
    (share.0 >= 0 && share.1 > 0).then_some(share)
}

/// Returns a value as scripts write it: yes and no are true and false.
fn value_text(node: &YamlNode) -> String {
    match node.flag() {
        Some(flag) => flag.to_string(),
        None => node.text_or_empty().into(),
    }
}
