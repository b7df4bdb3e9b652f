//! Odds where sides choose with the end in view: the best of a measure, the worst, or the range over all options.

use crate::complaint::Error;
use crate::odds::count::Counted;
use crate::odds::distribution::{NOTHING, Odds};
use crate::odds::fold::Picked;
use crate::odds::fraction::Fraction;
use crate::odds::graph::{Branch, NameId, Names, Node, ValueId, from_the_ends};
use crate::odds::measure::{Measure, number};
use crate::situation::policy::{Decision, Kind};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What was decided: for each side and question the options taken, with their chances.
pub type Decided = BTreeMap<(String, String), BTreeMap<String, Fraction>>;

/// What values of outcomes are worth: a sum over the outcomes named.
pub struct Worth<'a> {
    /// The outcomes that count.
    pub names: Vec<NameId>,
    /// What a value of one of them is worth.
    pub of: &'a dyn Fn(NameId, ValueId) -> Fraction,
}

impl<'a> Worth<'a> {
    /// The outcomes of a measure.
    pub fn names_of(measure: &Measure, names: &Names) -> Vec<NameId> {
        let mut list: Vec<NameId> = measure.terms().iter().map(|(_, name)| names.name(name)).collect();
        list.sort_unstable();
        list.dedup();
        list
    }
}

/// Of one outcome from one node on: what it is worth where it is still named, and the chance that it is not.
type Ahead = (Fraction, Fraction);

/// A graph folded by what it is worth.
pub struct Folded {
    /// Which option is taken at each choice.
    pub picked: Picked,
    ahead: FxHashMap<*const Node, Vec<Ahead>>,
}

/// Says which option is taken, by what each is worth.
pub type Pick<'a> = &'a dyn Fn(&Decision, &[Fraction]) -> usize;

/// Folds what lies behind an branch.
pub fn fold(root: &Branch, worth: &Worth, pick: Pick) -> Folded {
    let mut folded = Folded { picked: Picked::default(), ahead: FxHashMap::default() };
    for node in from_the_ends(&root.to) {
        let none = |unnamed: Fraction| worth.names.iter().map(|_| (Fraction::ZERO, unnamed.clone())).collect::<Vec<Ahead>>();
        let found = match &**node {
            Node::Done | Node::Came(_) => none(Fraction::ONE),
            Node::Refused(_) | Node::Unseen(..) => none(Fraction::ZERO),
            Node::Throw(ways) => {
                let all = Fraction::of(ways.iter().map(|(weight, _)| weight).sum::<u128>().into(), 1u8.into());
                let mut sum = none(Fraction::ZERO);
                for (weight, branch) in ways {
                    let share = &Fraction::of((*weight).into(), 1u8.into()) / &all;
                    for (sum, own) in sum.iter_mut().zip(folded.along(branch, worth)) {
                        sum.0 += &(&own.0 * &share);
                        sum.1 += &(&own.1 * &share);
                    }
                }
                sum
            }
            Node::Choice(decision, before, options) => {
                let mut ahead: Vec<Vec<Ahead>> = options.iter().map(|branch| folded.along(branch, worth)).collect();
                let values: Vec<Fraction> = ahead.iter().map(|ahead| value(ahead, before, worth)).collect();
                let picked = pick(decision, &values).min(options.len().saturating_sub(1));
                folded.picked.insert(Arc::as_ptr(node), picked);
                ahead.swap_remove(picked)
            }
        };
        folded.ahead.insert(Arc::as_ptr(node), found);
    }
    folded
}

/// What is ahead is worth, where so much has been named before.
fn value(ahead: &[Ahead], before: &[(NameId, ValueId)], worth: &Worth) -> Fraction {
    let mut sum = Fraction::ZERO;
    for (name, (named, unnamed)) in worth.names.iter().zip(ahead) {
        sum += named;
        if let Some((_, value)) = before.iter().find(|(known, _)| known == name) {
            sum += &(unnamed * &(worth.of)(*name, *value));
        }
    }
    sum
}

impl Folded {
    /// What lies ahead on an branch: what is named on it counts where it is not named again.
    fn along(&self, branch: &Branch, worth: &Worth) -> Vec<Ahead> {
        let mut ahead = self.ahead[&Arc::as_ptr(&branch.to)].clone();
        for (name, value) in branch.named.iter().rev() {
            if let Ok(place) = worth.names.binary_search(name) {
                let (named, unnamed) = &ahead[place];
                ahead[place] = (named + &(unnamed * &(worth.of)(*name, *value)), Fraction::ZERO);
            }
        }
        ahead
    }

    /// What all of it is worth.
    pub fn value(&self, root: &Branch, worth: &Worth) -> Fraction {
        value(&self.along(root, worth), &[], worth)
    }

    /// What a choice is worth, with what had been named before it.
    pub fn value_at(&self, node: &Arc<Node>, worth: &Worth) -> Fraction {
        let before = if let Node::Choice(_, before, _) = &**node { before.as_slice() } else { &[] };
        value(&self.ahead[&Arc::as_ptr(node)], before, worth)
    }
}

/// How likely it is to come to each node, if choices are made so; where they stop short, nothing comes of what lies behind.
pub fn reach(root: &Branch, picked: &Picked, stops: &dyn Fn(&Node) -> bool) -> FxHashMap<*const Node, Fraction> {
    let mut reach: FxHashMap<*const Node, Fraction> = FxHashMap::default();
    reach.insert(Arc::as_ptr(&root.to), Fraction::ONE);
    for node in from_the_ends(&root.to).into_iter().rev() {
        let Some(own) = reach.get(&Arc::as_ptr(node)).cloned() else { continue };
        if stops(node) {
            continue;
        }
        let mut add = |branch: &Branch, share: Fraction| match reach.get_mut(&Arc::as_ptr(&branch.to)) {
            Some(sum) => *sum += &share,
            None => drop(reach.insert(Arc::as_ptr(&branch.to), share)),
        };
        match &**node {
            Node::Throw(ways) => {
                let all: u128 = ways.iter().map(|(weight, _)| weight).sum();
                ways.iter().for_each(|(weight, branch)| add(branch, &own * &Fraction::of((*weight).into(), all.into())));
            }
            Node::Choice(_, _, options) => add(&options[picked.get(&Arc::as_ptr(node)).copied().unwrap_or(0)], own),
            _ => {}
        }
    }
    reach
}

/// The odds of a procedure in which everybody has chosen.
#[derive(Debug)]
pub struct Played {
    /// The odds.
    pub odds: Odds,
    /// Which option was taken at each choice.
    pub picked: Picked,
    /// What was chosen, and how often.
    pub decided: Decided,
    /// The expected value of the measure, where there is one.
    pub value: Option<Fraction>,
}

/// Which option a side takes that wants the measure high, or low; of equals the first.
pub fn by_value(decision: &Decision, values: &[Fraction]) -> usize {
    extreme(values, decision.kind != Kind::Worst)
}

/// The place of the highest value, or of the lowest; of equals the first.
pub fn extreme(values: &[Fraction], highest: bool) -> usize {
    (1..values.len()).fold(0, |best, i| if if highest { values[i] > values[best] } else { values[i] < values[best] } { i } else { best })
}

/// Whether anything is chosen with the end in view.
pub fn chooses(root: &Branch) -> bool {
    from_the_ends(&root.to).into_iter().any(|node| matches!(**node, Node::Choice(..)))
}

/// Chooses for everybody, by the measure; `odds` are those with each choice at its first option.
pub fn played(counted: &Counted, odds: &Odds, measure: Option<&Measure>) -> Result<Played, Error> {
    let root = &counted.root;
    let Some(measure) = measure else {
        if chooses(root) {
            let named = odds.order.join(", ");
            return Err(Error::Usage(format!(
                "best and worst of what? Name a measure, such as --measure 'X - Y'; the outcomes here are {named}"
            )));
        }
        return Ok(Played { odds: odds.clone(), picked: Picked::default(), decided: Decided::new(), value: None });
    };
    measure.check(odds)?;
    let names = &counted.names;
    let of = |name: NameId, value: ValueId| measure.worth(&names.name_of(name), &names.value_of(value));
    let worth = Worth { names: Worth::names_of(measure, names), of: &of };
    let folded = fold(root, &worth, &by_value);
    let reached = reach(root, &folded.picked, &|_| false);
    let mut decided = Decided::new();
    for node in from_the_ends(&root.to) {
        if let (Node::Choice(decision, ..), Some(chance)) = (&**node, reached.get(&Arc::as_ptr(node))) {
            let picked = folded.picked.get(&Arc::as_ptr(node)).copied().unwrap_or(0);
            let sums = decided.entry((decision.side.clone(), decision.what.clone())).or_default();
            *sums.entry(decision.options[picked].clone()).or_insert(Fraction::ZERO) += chance;
        }
    }
    let value = Some(folded.value(root, &worth));
    Ok(Played { odds: Odds::new(counted, &folded.picked), picked: folded.picked, decided, value })
}

impl Played {
    /// For a program, laid into the odds: what the measure comes to, and what is taken.
    pub fn told(&self, mut odds: Value, measure: Option<&Measure>) -> Value {
        if let (Some(measure), Some(value)) = (measure, &self.value) {
            odds["measure"] = json!({ "text": measure.text, "value": value.to_string() });
        }
        let option = |(option, f): (&String, &Fraction)| json!({ "option": option, "chance": f.to_string() });
        let choices: Vec<Value> = self
            .decided
            .iter()
            .map(|((side, what), options)| json!({ "side": side, "what": what, "taken": options.iter().map(option).collect::<Vec<_>>() }))
            .collect();
        if !choices.is_empty() {
            odds["choices"] = json!(choices);
        }
        odds
    }
}

/// How far an outcome can be moved by choosing.
#[derive(Clone, Debug)]
pub struct Range {
    /// The outcome.
    pub outcome: String,
    /// Its lowest and highest expected value, where it is a number.
    pub mean: Option<(Fraction, Fraction)>,
    /// Each value with its lowest and highest chance.
    pub values: Vec<(String, Fraction, Fraction)>,
}

/// The range of every outcome over all combinations of options.
pub fn ranges(counted: &Counted) -> Vec<Range> {
    let root = &counted.root;
    let mut values: BTreeMap<NameId, Vec<ValueId>> = BTreeMap::new();
    let mut note = |branch: &Branch| {
        for (name, value) in &branch.named {
            let list = values.entry(*name).or_default();
            if !list.contains(value) {
                list.push(*value);
            }
        }
    };
    note(root);
    for node in from_the_ends(&root.to) {
        match &**node {
            Node::Throw(ways) => ways.iter().for_each(|(_, branch)| note(branch)),
            Node::Choice(_, _, options) => options.iter().for_each(&mut note),
            _ => {}
        }
    }
    crate::odds::graph::order(root).into_iter().map(|name| range(counted, name, values.remove(&name).unwrap_or_default())).collect()
}

fn range(counted: &Counted, name: NameId, values: Vec<ValueId>) -> Range {
    let (root, names) = (&counted.root, &counted.names);
    let both = |of: &dyn Fn(NameId, ValueId) -> Fraction| {
        let worth = Worth { names: vec![name], of };
        let end = |highest: bool| fold(root, &worth, &|_, values| extreme(values, highest)).value(root, &worth);
        (end(false), end(true))
    };
    let outcome = names.name_of(name);
    let mut texts: Vec<(ValueId, String)> = values.into_iter().map(|value| (value, names.value_of(value))).collect();
    texts.sort_by_key(|(_, text)| (text.parse::<i64>().unwrap_or(0), text.clone()));
    let numbers = texts.iter().all(|(_, text)| number(&outcome, text).is_ok() && text.parse::<i64>().is_ok());
    let mut list = Vec::new();
    for (value, text) in &texts {
        let (low, high) = both(&|_, other| Fraction::whole(i64::from(other == *value)));
        list.push((text.clone(), low, high));
    }
    // What is left is that it is not named: the other way round.
    let (named_least, named_most) = both(&|_, _| Fraction::ONE);
    let nothing = (&Fraction::ONE - &named_most, &Fraction::ONE - &named_least);
    if !nothing.1.is_zero() {
        list.push((NOTHING.to_string(), nothing.0, nothing.1));
    }
    // A mean is of what is named, and how often that is hangs on what is chosen.
    let always = list.last().is_none_or(|(value, ..)| value != NOTHING);
    let mean = (numbers && always).then(|| both(&|_, value| Fraction::whole(names.value_of(value).parse().unwrap_or(0))));
    Range { outcome, mean, values: list }
}
