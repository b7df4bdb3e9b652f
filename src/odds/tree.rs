//! The tree of what was chosen: paths through dice and choices, folded back from their ends.
//!
//! Dice have weights and are added up; of the options of a choice one is taken. So the tree is folded from its ends: where dice fall the
//! values add up, where somebody chooses he sees what each option comes to. What lies behind the last choice of a path is kept as rows.

use crate::complaint::Error;
use crate::odds::distribution::{Odds, Row};
use crate::situation::dice::Turn;
use crate::situation::fraction::Fraction;
use crate::situation::policy::Decision;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A place on the paths.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// What is chosen here, if something is.
    pub decision: Option<Arc<Decision>>,
    /// What it comes to where nothing more is chosen.
    rows: BTreeMap<(Row, Vec<usize>), Fraction>,
    /// Where it goes on, by throw or option.
    pub next: BTreeMap<usize, Tree>,
}

/// What a folded place is worth: the value, the option taken, and the same of the places behind it.
#[derive(Debug)]
pub struct Line {
    /// The value, weighed with the chance to come here.
    pub value: Fraction,
    picked: Option<usize>,
    next: BTreeMap<usize, Line>,
}

/// What was decided: for each side and question the options taken, with their chances.
pub type Decided = BTreeMap<(String, String), BTreeMap<String, Fraction>>;

/// Says what a row with its parts is worth.
pub type Weigh<'a> = &'a dyn Fn(&Row, &[usize]) -> Result<Fraction, Error>;

/// These numbers can't be held any more.
pub fn too_many() -> Error {
    Error::Usage("these chances have too many ways to be counted exactly; ask for a smaller part of the procedure".into())
}

impl Tree {
    /// Adds the end of a path.
    pub fn add(&mut self, turns: &[Turn], row: Row, parts: Vec<usize>, chance: Fraction) -> Option<()> {
        let mut here = self;
        for (taken, decision) in turns {
            if here.decision.is_none() {
                here.decision.clone_from(decision);
            }
            here = here.next.entry(*taken).or_default();
        }
        let slot = here.rows.entry((row, parts)).or_insert(Fraction::ZERO);
        *slot = slot.plus(chance)?;
        Some(())
    }

    /// Adds what another has found; its parts have these numbers here.
    pub fn join(&mut self, other: Tree, numbers: &[usize]) -> Option<()> {
        self.decision = self.decision.take().or(other.decision);
        for ((row, parts), chance) in other.rows {
            let slot = self.rows.entry((row, parts.into_iter().map(|p| numbers[p]).collect())).or_insert(Fraction::ZERO);
            *slot = slot.plus(chance)?;
        }
        other.next.into_iter().try_for_each(|(taken, tree)| self.next.entry(taken).or_default().join(tree, numbers))
    }

    /// Every place where something is chosen, with the choices on the way to it.
    pub fn decisions<'a>(&'a self, above: &mut Vec<&'a Decision>, told: &mut dyn FnMut(&'a Decision, &[&'a Decision])) {
        if let Some(decision) = &self.decision {
            told(decision, above);
            above.push(decision);
        }
        self.next.values().for_each(|tree| tree.decisions(above, told));
        if self.decision.is_some() {
            above.pop();
        }
    }

    /// Folds the tree: `weigh` says what a row is worth, `pick` which of the options is taken.
    pub fn fold(&self, weigh: Weigh, pick: &dyn Fn(&Decision, &[Fraction]) -> usize) -> Result<Line, Error> {
        let next =
            self.next.iter().map(|(taken, tree)| Ok((*taken, tree.fold(weigh, pick)?))).collect::<Result<BTreeMap<_, _>, Error>>()?;
        if let Some(decision) = &self.decision {
            let values: Vec<Fraction> = next.values().map(|line| line.value).collect();
            let place = pick(decision, &values).min(values.len().saturating_sub(1));
            let picked = next.keys().nth(place).copied();
            return Ok(Line { value: values.get(place).copied().unwrap_or(Fraction::ZERO), picked, next });
        }
        let own = self.rows.iter().try_fold(Fraction::ZERO, |sum, ((row, parts), chance)| {
            sum.plus(weigh(row, parts)?.by(*chance).ok_or_else(too_many)?).ok_or_else(too_many)
        })?;
        let value = next.values().try_fold(own, |sum, line| sum.plus(line.value)).ok_or_else(too_many)?;
        Ok(Line { value, picked: None, next })
    }

    /// Adds every row to odds, whatever would be chosen: what can come up at all.
    pub fn everything(&self, odds: &mut Odds) -> Option<()> {
        self.rows.iter().try_for_each(|((row, parts), chance)| odds.add(row.clone(), parts.clone(), *chance))?;
        self.next.values().try_for_each(|tree| tree.everything(odds))
    }

    /// The odds along a folded line, added to others, with what was decided on it; returns the chance to come here.
    pub fn along(&self, line: &Line, odds: &mut Odds, decided: &mut Decided) -> Option<Fraction> {
        let mut sum = Fraction::ZERO;
        for ((row, parts), chance) in &self.rows {
            odds.add(row.clone(), parts.clone(), *chance)?;
            sum = sum.plus(*chance)?;
        }
        for (taken, tree) in self.next.iter().filter(|(taken, _)| line.picked.is_none_or(|picked| picked == **taken)) {
            sum = sum.plus(tree.along(line.next.get(taken)?, odds, decided)?)?;
        }
        if let (Some(decision), Some(picked)) = (&self.decision, line.picked) {
            let key = (decision.side.clone(), decision.what.clone());
            let slot = decided.entry(key).or_default().entry(decision.options.get(picked)?.clone()).or_insert(Fraction::ZERO);
            *slot = slot.plus(sum)?;
        }
        Some(sum)
    }
}

/// The place of the highest value, or of the lowest; of equals the first.
pub fn extreme(values: &[Fraction], highest: bool) -> usize {
    let better = |a: &Fraction, b: &Fraction| if highest { a.order(b).is_gt() } else { a.order(b).is_lt() };
    (1..values.len()).fold(0, |best, i| if better(&values[i], &values[best]) { i } else { best })
}
