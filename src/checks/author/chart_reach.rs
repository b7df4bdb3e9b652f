//! Labels of charts that no call reaches: `odds(3, 2)` is "1:1", so a column 3:2 is never read.
//!
//! A key is followed where its values are plain to see: constants, `odds`, `roll` with constant dice, fields with listed words, and what is
//! chosen among these, also by variables and functions. Any other key may reach every label.

use crate::author::script_vocabulary::{
    CallTarget, ScriptVocabulary, call_target, called_verb, last_field, text_constant,
};
use casebook_engine::code::throw_verb::ThrowVerb;
use casebook_engine::code::verbs::{self, ResultRule, TableAccess, Verb, VerbOperation};
use casebook_engine::complaint::{Complaint, DiagnosticCode, Place};
use casebook_engine::data::axis::{Axis, AxisKey, AxisLabels};
use casebook_engine::data::case::Case;
use casebook_engine::data::table::Table;
use casebook_engine::notation::{Dice, OddsRatio};
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::syntax::calls::as_call;
use casebook_engine::syntax::parse;
use casebook_engine::syntax::tree::{self, Call, Expression, Statement};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Calls of functions are followed so deep.
const MAX_DEPTH: usize = 4;

/// What a key can be.
enum KeySet {
    /// Anything.
    Any,
    /// One of these.
    Of(Vec<Key>),
}

enum Key {
    Number(i64),
    Text(String),
    /// Odds of any two numbers in whole numbers, as `odds` makes them.
    WholeOdds,
    /// Odds of any two numbers, rounded as the chart says.
    Odds,
}

impl KeySet {
    fn merge(self, other: KeySet) -> KeySet {
        match (self, other) {
            (KeySet::Of(mut keys), KeySet::Of(more)) => {
                keys.extend(more);
                KeySet::Of(keys)
            }
            _ => KeySet::Any,
        }
    }
}

/// The labels of an axis that were reached; `None` if all of them may be.
type ReachedLabels = Option<BTreeSet<usize>>;

/// Reports the labels of charts that no call in the scripts of a ruleset reaches; `is_checked` selects the charts.
pub fn check(vocabulary: &ScriptVocabulary, is_checked: impl Fn(&str) -> bool) -> Vec<Complaint> {
    let mut search = ReachSearch {
        vocabulary,
        ruleset: vocabulary.ruleset,
        reached: BTreeMap::new(),
        any_chart: false,
        by_odds: BTreeSet::new(),
    };
    for case in &vocabulary.ruleset.cases {
        for (index, function) in case
            .functions
            .iter()
            .enumerate()
            .filter(|(_, function)| !function.is_example())
        {
            // Most functions read no chart, and need not be parsed.
            if chart_verbs().any(|verb| function.body.contains(verb.name))
                && let Ok(body) = parse::function_body(case, index)
            {
                search.add_function(case, &body);
            }
        }
    }
    let by_odds = search.by_odds.iter().filter(|(id, _)| is_checked(id));
    let mut complaints: Vec<Complaint> = by_odds
        .filter_map(|(id, axis)| below_lowest(vocabulary.tables.get(id.as_str())?, *axis))
        .collect();
    if search.any_chart {
        return complaints;
    }
    let reached = std::mem::take(&mut search.reached);
    let charts = reached
        .iter()
        .filter(|(id, _)| is_checked(id))
        .filter_map(|(id, axes)| Some((vocabulary.tables.get(id.as_str())?, axes)));
    complaints.extend(charts.flat_map(|(table, axes)| {
        (0..3).filter_map(|axis| unreached(table, axis, axes[axis].as_ref()?))
    }));
    complaints
}

/// Asks what becomes of odds below the lowest label of an axis.
fn below_lowest(table: &Table, axis: usize) -> Option<Complaint> {
    let axis = &table.axes[axis];
    let lowest = axis.label_texts.first()?;
    let is_asked = axis.refuses_below.is_none() && matches!(axis.labels, AxisLabels::Odds(_));
    is_asked.then(|| {
        let message = format!("odds below {lowest} count as {lowest} here, and the chart does not say so");
        let help = "write `below: lowest` beside these labels, or `below: refused` where no such attack is allowed";
        Complaint::new(DiagnosticCode::RowsCover, labels_place(table, axis), message)
            .with_context(format!("table {}", table.id))
            .with_help(help)
            .into_note()
    })
}

/// Reports the labels of an axis that were not reached.
fn unreached(table: &Table, axis: usize, reached: &BTreeSet<usize>) -> Option<Complaint> {
    let (word, labels) = (["sheet", "column", "row"][axis], &table.axes[axis]);
    if labels.label_texts.len() < 2 || !labels.is_valid {
        return None;
    }
    let missing: Vec<usize> = (0..labels.label_texts.len())
        .filter(|index| !reached.contains(index))
        .collect();
    let names: Vec<&str> = missing
        .iter()
        .take(8)
        .map(|index| labels.label_texts[*index].as_str())
        .collect();
    let plural = if missing.len() == 1 { "" } else { "s" };
    let more = if missing.len() > names.len() {
        format!(" and {} more", missing.len() - names.len())
    } else {
        String::new()
    };
    let is_fraction = |index: &usize| match &labels.labels {
        AxisLabels::Odds(ladder) => ladder[*index].attacker != 1 && ladder[*index].defender != 1,
        _ => false,
    };
    let help = if missing.iter().any(is_fraction) {
        "`odds` makes whole numbers of odds; give the chart both numbers instead, `table(\"...\", [attacker, defender], ...)`, and say under \
         the axis how it rounds, `rounds: half`"
    } else {
        "correct the label or the key; or take the label away"
    };
    let place = labels_place(table, labels);
    (!missing.is_empty()).then(|| {
        Complaint::new(
            DiagnosticCode::RowsCover,
            place,
            format!(
                "no call reaches the {word}{plural} {}{more}",
                names.join(", ")
            ),
        )
        .with_context(format!("table {}", table.id))
        .with_help(help)
        .into_note()
    })
}

fn labels_place(table: &Table, axis: &Axis) -> Place {
    table.file.place(axis.span)
}

/// Returns the verbs that read charts.
fn chart_verbs() -> impl Iterator<Item = &'static &'static Verb> {
    verbs::all()
        .iter()
        .filter(|verb| verb.table_access().is_some())
}

/// The search for the calls that read charts.
struct ReachSearch<'w, 'a> {
    vocabulary: &'w ScriptVocabulary<'a>,
    ruleset: &'w Ruleset,
    reached: BTreeMap<String, [ReachedLabels; 3]>,
    /// Whether a call computes the name of its chart.
    any_chart: bool,
    /// Charts and axes that are looked up by odds of any numbers.
    by_odds: BTreeSet<(String, usize)>,
}

impl ReachSearch<'_, '_> {
    fn add_function(&mut self, case: &Case, body: &Rc<[Statement]>) {
        tree::walk(body, &mut |node| {
            if let Some((call, false)) = as_call(node)
                && let Some(access) = called_verb(self.ruleset, case, &call.name, call.args.len())
                    .and_then(Verb::table_access)
            {
                self.add_call(case, body, call, access);
            }
            true
        });
    }

    fn add_call(&mut self, case: &Case, body: &[Statement], call: &Call, access: TableAccess) {
        let [chart, keys @ ..] = &call.args[..] else {
            return;
        };
        let Some((id, _)) = text_constant(chart) else {
            self.any_chart |= access != TableAccess::IsKnown;
            return;
        };
        let Some(table) = self.vocabulary.tables.get(id) else {
            return;
        };
        let mut axes = self
            .reached
            .remove(id)
            .unwrap_or_else(|| [(); 3].map(|()| Some(BTreeSet::new())));
        match access {
            TableAccess::Cell | TableAccess::Row => {
                if access == TableAccess::Row {
                    axes[1] = None;
                }
                for (axis, key) in (0..3).rev().zip(keys.iter().rev()) {
                    let keys = self.keys_of(case, body, key, 0);
                    if let KeySet::Of(keys) = &keys
                        && keys
                            .iter()
                            .any(|key| matches!(key, Key::WholeOdds | Key::Odds))
                    {
                        self.by_odds.insert((id.into(), axis));
                    }
                    axes[axis] = axes[axis]
                        .take()
                        .and_then(|reached| reach(&table.axes[axis], keys, reached));
                }
            }
            TableAccess::IsKnown => {}
            // What reads labels may ask for each of them.
            TableAccess::Labels => {
                let named = keys.first().and_then(text_constant).map(|(name, _)| name);
                (0..3)
                    .filter(|axis| named.is_none_or(|name| table.axes[*axis].name == name))
                    .for_each(|axis| axes[axis] = None);
            }
        }
        self.reached.insert(id.into(), axes);
    }

    /// Returns what an expression of a function can be.
    fn keys_of(&self, case: &Case, body: &[Statement], key: &Expression, depth: usize) -> KeySet {
        if depth > MAX_DEPTH {
            return KeySet::Any;
        }
        match key {
            Expression::Number(number, _) => KeySet::Of(vec![Key::Number(*number)]),
            Expression::Text(text, _) => KeySet::Of(vec![Key::Text(text.to_string())]),
            Expression::List(parts, _) if parts.len() == 2 => KeySet::Of(vec![Key::Odds]),
            Expression::Block(block, _) => self.value_of(case, body, block, depth),
            Expression::Variable(name, _) => self.values_of_variable(case, body, name, depth),
            Expression::Call(call) if !call.is_operator => self.values_of_call(case, call, depth),
            Expression::Chain(chain) => {
                let Some((field, _)) = last_field(chain) else {
                    return KeySet::Any;
                };
                let root = chain.root.as_variable().filter(|_| chain.links.len() == 1);
                match self
                    .vocabulary
                    .allowed_words(root, field)
                    .filter(|words| !words.is_empty())
                {
                    Some(words) => KeySet::Of(
                        words
                            .into_iter()
                            .map(|word| Key::Text(word.into()))
                            .collect(),
                    ),
                    None => KeySet::Any,
                }
            }
            _ => KeySet::Any,
        }
    }

    /// Returns what the last statement of a block can be.
    fn value_of(
        &self,
        case: &Case,
        body: &[Statement],
        block: &[Statement],
        depth: usize,
    ) -> KeySet {
        match block.last() {
            Some(Statement::Expression(value)) => self.keys_of(case, body, value, depth + 1),
            Some(Statement::Block(inner, _)) => self.value_of(case, body, inner, depth + 1),
            Some(Statement::If {
                then, otherwise, ..
            }) if !otherwise.is_empty() => self
                .value_of(case, body, then, depth + 1)
                .merge(self.value_of(case, body, otherwise, depth + 1)),
            Some(Statement::Switch(switch)) if switch.default_arm.is_some() => {
                let arms = switch
                    .arms
                    .iter()
                    .map(|arm| self.keys_of(case, body, &arm.value, depth + 1));
                arms.fold(KeySet::Of(Vec::new()), KeySet::merge)
            }
            Some(Statement::Return(Some(value), _)) => self.keys_of(case, body, value, depth + 1),
            _ => KeySet::Any,
        }
    }

    /// Returns what a variable of a function can be: what is assigned to a variable of this name anywhere in it.
    fn values_of_variable(
        &self,
        case: &Case,
        body: &[Statement],
        name: &str,
        depth: usize,
    ) -> KeySet {
        let mut keys = None;
        tree::walk(body, &mut |node| {
            let set = match node {
                tree::TreeNode::Statement(Statement::Let {
                    name: own, value, ..
                }) if **own == *name => self.keys_of(case, body, value, depth + 1),
                tree::TreeNode::Statement(Statement::Assign {
                    target,
                    operator,
                    value,
                    ..
                }) if target.as_variable() == Some(name) => {
                    if operator.is_some() {
                        KeySet::Any
                    } else {
                        self.keys_of(case, body, value, depth + 1)
                    }
                }
                tree::TreeNode::Statement(Statement::For { name: own, .. }) if **own == *name => {
                    KeySet::Any
                }
                tree::TreeNode::Expression(Expression::Closure(closure))
                    if closure.params.iter().any(|own| **own == *name) =>
                {
                    KeySet::Any
                }
                _ => return true,
            };
            keys = Some(match keys.take() {
                None => set,
                Some(before) => KeySet::merge(before, set),
            });
            true
        });
        // Nothing is assigned to a parameter.
        keys.unwrap_or(KeySet::Any)
    }

    fn values_of_call(&self, case: &Case, call: &Call, depth: usize) -> KeySet {
        let target = call_target(self.ruleset, case, &call.name, call.args.len());
        let answers: Vec<(&Case, usize)> = match target {
            Some(CallTarget::Helper(index)) => vec![(case, index)],
            Some(CallTarget::Answers(slot)) => {
                let answers = self.ruleset.slots[slot].answers.iter();
                answers
                    .map(|answer| (&*self.ruleset.cases[answer.case], answer.function))
                    .collect()
            }
            Some(CallTarget::Verb(verb)) => return self.values_of_verb(verb, call),
            None => return KeySet::Any,
        };
        let mut keys = KeySet::Of(Vec::new());
        for (case, index) in answers {
            let Ok(body) = parse::function_body(case, index) else {
                return KeySet::Any;
            };
            keys = keys.merge(self.value_of(case, &body, &body, depth + 1));
            tree::walk(&body, &mut |node| {
                if let tree::TreeNode::Statement(Statement::Return(value, _)) = node {
                    let returned = value.as_ref().map_or(KeySet::Any, |value| {
                        self.keys_of(case, &body, value, depth + 1)
                    });
                    keys = std::mem::replace(&mut keys, KeySet::Any).merge(returned);
                }
                !matches!(node, tree::TreeNode::Expression(Expression::Closure(_)))
            });
        }
        keys
    }

    fn values_of_verb(&self, verb: &Verb, call: &Call) -> KeySet {
        if verb.result == ResultRule::WholeOdds {
            return KeySet::Of(vec![Key::WholeOdds]);
        }
        let (Some(VerbOperation::Throw(ThrowVerb::Roll)), Some(Expression::Text(text, _))) =
            (verb.form(), call.args.first())
        else {
            return KeySet::Any;
        };
        match Dice::parse_with(text, &self.ruleset.game.dice) {
            Ok(dice)
                if !dice.shows_words() && dice.min_total() > -1_000 && dice.max_total() < 1_000 =>
            {
                let totals = dice.min_total()..=dice.max_total();
                KeySet::Of(totals.map(Key::Number).collect())
            }
            _ => KeySet::Any,
        }
    }
}

/// Adds the labels that keys reach.
fn reach(axis: &Axis, keys: KeySet, mut reached: BTreeSet<usize>) -> ReachedLabels {
    let KeySet::Of(keys) = keys else { return None };
    for key in keys {
        match (key, &axis.labels) {
            (Key::Number(number), _) => reached.extend(axis.find(AxisKey::Number(number))),
            (Key::Text(text), _) => reached.extend(axis.find(AxisKey::Text(&text))),
            (Key::WholeOdds, AxisLabels::Odds(ladder)) => {
                reached.extend((0..ladder.len()).filter(|index| holds_whole_odds(ladder, *index)))
            }
            (Key::Odds, AxisLabels::Odds(_)) => return None,
            (Key::WholeOdds | Key::Odds, _) => {}
        }
    }
    Some(reached)
}

/// Whether odds with 1 on one side fall under a label: the first takes all below it, the last all above.
fn holds_whole_odds(ladder: &[OddsRatio], index: usize) -> bool {
    let (label, next) = (&ladder[index], ladder.get(index + 1));
    let lowest = if label.attacker > label.defender {
        OddsRatio {
            attacker: label.attacker.saturating_add(label.defender - 1) / label.defender,
            defender: 1,
        }
    } else {
        OddsRatio {
            attacker: 1,
            defender: label.defender / label.attacker,
        }
    };
    index == 0 || next.is_none_or(|next| lowest.compare(next).is_lt())
}
