//! Exact distributions: fractions of whole numbers, nothing rounded.

use crate::situation::fraction::{Distribution, Fraction};
use std::collections::{BTreeMap, BTreeSet};

/// Named outcomes of one run, as text.
pub type Row = BTreeMap<String, String>;

/// A part of a procedure whose chances are independent of all the rest: its outcomes with their chances.
pub type Part = Vec<(Row, Fraction)>;

/// What a procedure can come to: rows with their chances, each to be multiplied with the parts it names.
#[derive(Clone, Debug, Default)]
pub struct Odds {
    /// Outcomes, the parts that go with each, and the chance.
    pub rows: BTreeMap<(Row, Vec<usize>), Fraction>,
    /// Independent parts.
    pub parts: Vec<Part>,
    /// Runs it took.
    pub runs: u64,
    /// The names of outcomes in the order the rules gave them.
    pub order: Vec<String>,
    /// The keys of the files that had a part in it.
    pub files: BTreeSet<String>,
}

/// A condition on a named outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The outcome.
    pub name: String,
    /// How it compares: `=`, `!=`, `<`, `<=`, `>`, `>=`.
    pub sign: String,
    /// With what.
    pub value: String,
}

impl Condition {
    /// Reads "defender losses >= 4"; a name alone asks for `yes`.
    pub fn read(text: &str) -> Condition {
        for sign in ["!=", "<=", ">=", "=", "<", ">"] {
            if let Some((name, value)) = text.split_once(sign) {
                return Condition { name: name.trim().into(), sign: sign.into(), value: value.trim().into() };
            }
        }
        Condition { name: text.trim().into(), sign: "=".into(), value: "yes".into() }
    }

    /// Whether a value meets it.
    fn holds(&self, value: &str) -> bool {
        let order = match (value.parse::<i64>(), self.value.parse::<i64>()) {
            (Ok(a), Ok(b)) => a.cmp(&b),
            _ if self.sign == "=" || self.sign == "!=" => value.cmp(&self.value),
            _ => return false,
        };
        match self.sign.as_str() {
            "=" => order.is_eq(),
            "!=" => order.is_ne(),
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            _ => order.is_ge(),
        }
    }
}

/// What stands for an outcome that a run did not name.
pub const NOTHING: &str = "—";

impl Odds {
    /// Adds a row; none where the numbers grow too large.
    pub fn add(&mut self, row: Row, parts: Vec<usize>, chance: Fraction) -> Option<()> {
        let slot = self.rows.entry((row, parts)).or_insert(Fraction::ZERO);
        *slot = slot.plus(chance)?;
        Some(())
    }

    /// Adds what another has found; its parts get numbers of their own here.
    pub fn join(&mut self, other: Odds) -> Option<()> {
        self.names_in(other.order.iter().map(String::as_str));
        let numbers: Vec<usize> = other.parts.into_iter().map(|part| self.part(part)).collect();
        for ((row, parts), chance) in other.rows {
            self.add(row, parts.into_iter().map(|p| numbers[p]).collect(), chance)?;
        }
        self.runs += other.runs;
        self.files.extend(other.files);
        Some(())
    }

    /// Notes the order in which outcomes are named.
    pub fn names_in<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        for name in names {
            if !self.order.iter().any(|known| known == name) {
                self.order.push(name.into());
            }
        }
    }

    /// The number of a part, new or known.
    pub fn part(&mut self, part: Part) -> usize {
        self.parts.iter().position(|known| *known == part).unwrap_or_else(|| {
            self.parts.push(part);
            self.parts.len() - 1
        })
    }

    /// How much of all chances the rows hold: 1 when all has been seen.
    pub fn whole(&self) -> Option<Fraction> {
        self.rows.values().try_fold(Fraction::ZERO, |sum, chance| sum.plus(*chance))
    }

    /// The values of one outcome with their chances.
    pub fn of(&self, name: &str) -> Option<Distribution> {
        let mut found = Distribution::default();
        for ((row, parts), chance) in &self.rows {
            // What a part names, the part decides; later parts speak last, as a run would.
            let part = parts.iter().rev().map(|p| &self.parts[*p]).find(|part| part.iter().any(|(row, _)| row.contains_key(name)));
            match part {
                Some(part) => {
                    for (own, share) in part {
                        let value = own.get(name).or_else(|| row.get(name)).map_or(NOTHING, String::as_str);
                        found.put(value, chance.by(*share)?)?;
                    }
                }
                None => found.put(row.get(name).map_or(NOTHING, String::as_str), *chance)?,
            }
        }
        Some(found)
    }

    /// The odds where all conditions hold, with the chance that they do; none where the numbers grow too large.
    pub fn given(&self, conditions: &[Condition]) -> Option<(Odds, Fraction)> {
        let mut kept = Odds { runs: self.runs, order: self.order.clone(), ..Odds::default() };
        for ((row, parts), chance) in &self.rows {
            let mut chance = *chance;
            let mut own = Vec::new();
            let mut open: Vec<&Condition> = conditions.iter().collect();
            for part in parts.iter().map(|p| &self.parts[*p]) {
                let (here, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(|c| part.iter().any(|(row, _)| row.contains_key(&c.name)));
                open = rest;
                let fits = |(row, _): &&(Row, Fraction)| here.iter().all(|c| c.holds(row.get(&c.name).map_or(NOTHING, String::as_str)));
                let some: Vec<_> = part.iter().filter(fits).cloned().collect();
                let share = some.iter().try_fold(Fraction::ZERO, |sum, (_, f)| sum.plus(*f))?;
                chance = chance.by(share)?;
                let scaled: Option<Part> = some.into_iter().map(|(row, f)| Some((row, f.over(share)?))).collect();
                own.push(scaled);
            }
            if chance.top == 0 || !open.iter().all(|c| c.holds(row.get(&c.name).map_or(NOTHING, String::as_str))) {
                continue;
            }
            let parts = own.into_iter().map(|part| part.map(|p| kept.part(p))).collect::<Option<Vec<_>>>()?;
            kept.add(row.clone(), parts, chance)?;
        }
        let all = kept.whole()?;
        if all.top == 0 {
            return Some((Odds::default(), all));
        }
        for chance in kept.rows.values_mut() {
            *chance = chance.over(all)?;
        }
        Some((kept, all))
    }

    /// Every row with its parts multiplied out, likeliest first; none where they are more than `most` or the numbers too large.
    pub fn joint(&self, most: usize) -> Option<Vec<(Row, Fraction)>> {
        let mut all: BTreeMap<Row, Fraction> = BTreeMap::new();
        for ((row, parts), chance) in &self.rows {
            let mut found = vec![(row.clone(), *chance)];
            for part in parts.iter().map(|p| &self.parts[*p]) {
                let mut next = Vec::with_capacity(found.len() * part.len());
                for (row, chance) in &found {
                    for (own, share) in part {
                        let mut joined = row.clone();
                        joined.extend(own.clone());
                        next.push((joined, chance.by(*share)?));
                    }
                }
                if next.len() > most {
                    return None;
                }
                found = next;
            }
            for (row, chance) in found {
                let slot = all.entry(row).or_insert(Fraction::ZERO);
                *slot = slot.plus(chance)?;
            }
        }
        let mut list: Vec<_> = all.into_iter().collect();
        list.sort_by(|(a, x), (b, y)| y.order(x).then_with(|| a.cmp(b)));
        (list.len() <= most).then_some(list)
    }
}
