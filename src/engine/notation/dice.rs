//! Dice: what is thrown, and what of it counts.

use super::Band;
use super::face::{DieFaces, Face, SideSet};
use std::sync::Arc;

/// Dice that are thrown together: 2d6, d12, 1d6+1, 4d6kh3, 3d6r1, 3d6!2, d66, 4dF, 3 battle, {1d8, 1d6}kh1. There are 0 to 200 dice of 1
/// to 1000000 sides.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dice {
    /// Number of dice, without those of `others`.
    pub count: u32,
    /// Number of sides of each die.
    pub sides: u32,
    /// What the sides show, if not the numbers from 1 on.
    pub faces: Option<Arc<DieFaces>>,
    /// The sides that are thrown again when they fall first.
    pub reroll: Option<Reroll>,
    /// The sides after which a die is thrown on.
    pub explode: Option<Explosion>,
    /// Dice of other kinds in the same throw; they show numbers from 1 on, and what is kept and added is declared here.
    pub others: Vec<Dice>,
    /// The dice that count, if not all do.
    pub keep: Option<Keep>,
    /// Added to the total.
    pub modifier: i64,
}

/// The sides of a die that are thrown again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reroll {
    pub sides: SideSet,
    /// Whether until another side falls, and not only once.
    pub until_other: bool,
}

/// The sides after which a die is thrown on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Explosion {
    pub sides: SideSet,
    /// How often at most a die is thrown on; `None` without bound.
    pub limit: Option<u32>,
    /// Whether each further throw is a die by itself, and not added to the first.
    pub by_itself: bool,
}

/// The dice of a throw that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Keep {
    /// Their number, from 1 to one less than there are dice.
    pub count: u32,
    /// Whether they are the lowest instead of the highest.
    pub lowest: bool,
}

/// What one die of a throw showed.
struct FallenDie<'a> {
    kind: &'a Dice,
    /// The side that fell first, or after the reroll, and those that were thrown on.
    sides: Vec<u32>,
}

/// The most faces of a die that a message lists.
const MAX_LISTED: usize = 12;

/// A die without bound is thrown on until the chance to come so far is less than `2^-50`, less than 1 in 10^15.
const NEGLIGIBLE: f64 = 1.0 / (1u64 << 50) as f64;

impl Explosion {
    /// Returns how often at most a die of so many sides is thrown on: its bound, or where it has none the number at which the chance that it
    /// goes on still is negligible.
    pub fn depth(&self, sides: u32) -> u32 {
        if let Some(limit) = self.limit {
            return limit;
        }
        let share = f64::from(self.sides.count()) / f64::from(sides.max(1));
        let (mut depth, mut chance) = (0, 1.0);
        while chance > NEGLIGIBLE && depth <= Dice::MAX_DEPTH {
            (depth, chance) = (depth + 1, chance * share);
        }
        depth
    }
}

impl Dice {
    /// The greatest depth to which a die without bound is followed.
    pub(super) const MAX_DEPTH: u32 = 200;

    /// Returns dice whose sum counts.
    pub fn new(count: u32, sides: u32, modifier: i64) -> Dice {
        Dice {
            count,
            sides,
            faces: None,
            reroll: None,
            explode: None,
            others: Vec::new(),
            keep: None,
            modifier,
        }
    }

    pub(super) fn kinds(&self) -> impl Iterator<Item = &Dice> {
        std::iter::once(self).chain(&self.others)
    }

    /// Returns the number of sides of each die that falls first.
    pub fn first_dice(&self) -> impl Iterator<Item = u32> {
        self.kinds()
            .flat_map(|kind| std::iter::repeat_n(kind.sides, kind.count as usize))
    }

    /// Returns the number of dice of all kinds.
    pub fn dice_count(&self) -> u32 {
        self.kinds().map(|kind| kind.count).sum()
    }

    /// Returns whether the sides show words, which have no total.
    pub fn shows_words(&self) -> bool {
        self.faces
            .as_ref()
            .is_some_and(|face_set| matches!(face_set.faces[..], [Face::Word(_), ..]))
    }

    /// Returns whether dice may be thrown again or on.
    pub fn may_go_on(&self) -> bool {
        self.kinds()
            .any(|kind| kind.reroll.is_some() || kind.explode.is_some())
    }

    /// Returns after how many further throws a die without bound is cut off, and the chance that it would go on; `None` if all have a bound.
    pub fn truncation(&self) -> Option<(u32, f64)> {
        let cut = |kind: &Dice| {
            let explode = kind
                .explode
                .as_ref()
                .filter(|explode| explode.limit.is_none())?;
            let (depth, share) = (
                explode.depth(kind.sides),
                f64::from(explode.sides.count()) / f64::from(kind.sides),
            );
            Some((depth, share.powi(depth as i32 + 1)))
        };
        self.kinds()
            .filter_map(cut)
            .max_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// Returns where a die without bound is cut off, in words; `None` if all have a bound.
    pub fn truncation_text(&self) -> Option<String> {
        let (depth, chance) = self.truncation()?;
        Some(format!(
            "{self}: a die without bound is counted to {depth} further throws; it would go on with a chance of {chance:.1e}"
        ))
    }

    /// Returns whether a die of this kind that is thrown on counts as further dice.
    pub(super) fn throws_further_dice(&self) -> bool {
        let explode = self.explode.as_ref();
        explode.is_some_and(|explode| explode.by_itself)
    }

    /// Returns whether a die of any kind that is thrown on counts as further dice.
    pub(super) fn has_further_dice(&self) -> bool {
        self.kinds().any(Dice::throws_further_dice)
    }

    /// Returns the face that a side, counted from 1, shows.
    pub fn face(&self, side: u32) -> Face {
        self.faces
            .as_ref()
            .map_or(Face::Number(side.into()), |face_set| {
                face_set.faces[side as usize - 1].clone()
            })
    }

    /// Returns a side that shows a face, counted from 1; of cards one that is not among those drawn already.
    pub fn side(&self, face: &Face, drawn: &[u32]) -> Option<u32> {
        let unavailable: &[u32] = if self.is_draw() { drawn } else { &[] };
        match (&self.faces, face) {
            (Some(face_set), _) => (1..=self.sides)
                .zip(&face_set.faces)
                .find(|(side, shown)| *shown == face && !unavailable.contains(side))
                .map(|(side, _)| side),
            (None, Face::Number(number)) => u32::try_from(*number).ok().filter(|side| *side >= 1),
            (None, Face::Word(_)) => None,
        }
    }

    /// Returns the different faces of dice that do not show the numbers from 1 on, in the order of their sides; else nothing.
    pub fn own_faces(&self) -> Vec<Face> {
        self.faces.as_ref().map_or_else(Vec::new, |face_set| {
            face_set.shown().into_iter().cloned().collect()
        })
    }

    /// Returns what a die shows, in words: `1 to 6`; `hit, flag or miss`.
    pub fn describe_faces(&self) -> String {
        let mut shown: Vec<String> = self.own_faces().iter().map(Face::to_string).collect();
        if shown.is_empty() {
            return format!("1 to {}", self.sides);
        }
        if shown.len() > MAX_LISTED {
            shown.splice(3..shown.len() - 1, ["...".into()]);
        }
        let last = shown.pop().unwrap_or_default();
        if shown.is_empty() {
            last
        } else {
            format!("{} or {last}", shown.join(", "))
        }
    }

    /// Returns what a die of so many sides in this throw is called: `d6`, `d66`, `battle die`.
    pub fn die_title(&self, sides: u32) -> String {
        match &self.faces {
            Some(face_set) => face_set.title(),
            // `d66` is another die.
            None if sides == 66 => "1d66".into(),
            None => format!("d{sides}"),
        }
    }

    /// Returns the dice of this kind that showed these sides, counted in order.
    fn follow(&self, thrown: &[u32]) -> Result<Vec<FallenDie<'_>>, Vec<u32>> {
        let mut remaining = thrown;
        let mut take = |falling: Vec<u32>| -> Result<&[u32], Vec<u32>> {
            let (batch, tail) = remaining
                .split_at_checked(falling.len())
                .ok_or_else(|| falling[remaining.len()..].to_vec())?;
            remaining = tail;
            Ok(batch)
        };
        let kinds = self
            .kinds()
            .flat_map(|kind| std::iter::repeat_n(kind, kind.count as usize));
        let mut dice: Vec<FallenDie> = kinds
            .map(|kind| FallenDie {
                kind,
                sides: vec![0],
            })
            .collect();
        let first = take(dice.iter().map(|die| die.kind.sides).collect())?;
        dice.iter_mut()
            .zip(first)
            .for_each(|(die, side)| die.sides[0] = *side);
        let mut again: Vec<usize> = (0..dice.len()).collect();
        for pass in 0.. {
            again.retain(|index| {
                let FallenDie { kind, sides } = &dice[*index];
                kind.reroll.as_ref().is_some_and(|reroll| {
                    (pass == 0 || reroll.until_other) && reroll.sides.contains(sides[0])
                })
            });
            if again.is_empty() {
                break;
            }
            let batch = take(again.iter().map(|index| dice[*index].kind.sides).collect())?;
            again
                .iter()
                .zip(batch)
                .for_each(|(index, side)| dice[*index].sides[0] = *side);
        }
        let depths: Vec<u32> = self
            .kinds()
            .map(|kind| {
                kind.explode
                    .as_ref()
                    .map_or(0, |explode| explode.depth(kind.sides))
            })
            .collect();
        let depth_of: Vec<u32> = self
            .kinds()
            .zip(depths)
            .flat_map(|(kind, depth)| vec![depth; kind.count as usize])
            .collect();
        let mut going: Vec<usize> = (0..dice.len()).collect();
        for pass in 0.. {
            going.retain(|index| {
                let FallenDie { kind, sides } = &dice[*index];
                let goes_on = |explode: &Explosion| {
                    sides
                        .last()
                        .is_some_and(|side| explode.sides.contains(*side))
                };
                pass < depth_of[*index] && kind.explode.as_ref().is_some_and(goes_on)
            });
            if going.is_empty() {
                break;
            }
            let batch = take(going.iter().map(|index| dice[*index].kind.sides).collect())?;
            going
                .iter()
                .zip(batch)
                .for_each(|(index, side)| dice[*index].sides.push(*side));
        }
        Ok(dice)
    }

    /// Returns the number of sides of each die that must be thrown after these sides: first every die once, then those that are thrown again
    /// and on, in the order of the dice. None if the throw is complete.
    pub fn next_dice(&self, thrown: &[u32]) -> Vec<u32> {
        match self.may_go_on() || !self.others.is_empty() {
            true => self.follow(thrown).err().unwrap_or_default(),
            false => vec![self.sides; (self.count as usize).saturating_sub(thrown.len())],
        }
    }

    /// Returns how many more dice must be thrown after these; 0 if the throw is complete.
    pub fn missing(&self, thrown: &[u32]) -> usize {
        self.next_dice(thrown).len()
    }

    /// Returns the number of sides of each die that was thrown.
    pub fn sides_thrown(&self, thrown: &[u32]) -> Vec<u32> {
        let mut sides = Vec::with_capacity(thrown.len());
        while sides.len() < thrown.len() {
            let next = self.next_dice(&thrown[..sides.len()]);
            if next.is_empty() {
                break;
            }
            sides.extend(next);
        }
        sides.truncate(thrown.len());
        sides
    }

    /// Returns the number of dice that count, if none is thrown on.
    pub fn kept_count(&self) -> u32 {
        self.keep
            .map_or(self.dice_count(), |keep| keep.count.min(self.dice_count()))
    }

    /// Returns what a side is worth: its number, or for words the less the later they stand.
    pub(super) fn worth(&self, side: u32) -> i64 {
        self.faces
            .as_ref()
            .map_or(side.into(), |face_set| face_set.worth(side))
    }

    /// Returns the lowest and the highest that one die of this kind adds to the total.
    fn die_range(&self) -> (i64, i64) {
        let in_set = |set: &SideSet| match &self.faces {
            Some(_) => {
                let worths = set
                    .ranges()
                    .iter()
                    .flat_map(|(low, high)| *low..=*high)
                    .map(|side| self.worth(side));
                worths.fold((i64::MAX, i64::MIN), |(low, high), n| {
                    (low.min(n), high.max(n))
                })
            }
            None => (
                set.ranges()
                    .first()
                    .map_or(i64::MAX, |(low, _)| (*low).into()),
                set.ranges()
                    .last()
                    .map_or(i64::MIN, |(_, high)| (*high).into()),
            ),
        };
        let all = SideSet::new([(1, self.sides)]);
        let first = match &self.reroll {
            Some(reroll) if reroll.until_other => reroll.sides.complement(self.sides),
            _ => all.clone(),
        };
        let Some(explode) = &self.explode else {
            return in_set(&first);
        };
        let staying = explode.sides.complement(self.sides);
        // What follows a throw that goes on, one throw more each time.
        let mut range = in_set(&all);
        for is_first in (0..explode.depth(self.sides)).rev().map(|left| left == 0) {
            let thrown = if is_first { &first } else { &all };
            let (going, ended) = (
                in_set(&thrown.intersection(&explode.sides)),
                in_set(&thrown.intersection(&staying)),
            );
            let going = if going.0 > going.1 {
                going
            } else {
                (going.0 + range.0, going.1 + range.1)
            };
            range = (going.0.min(ended.0), going.1.max(ended.1));
        }
        range
    }

    /// Returns the lowest that a die of this kind is worth.
    pub fn min_worth(&self) -> i64 {
        self.kinds()
            .map(|kind| kind.die_range().0)
            .min()
            .unwrap_or(0)
    }

    /// Returns the total of the lowest or highest that each die adds, over the dice that count.
    fn extreme_total(&self, highest: bool) -> i64 {
        let extreme = |kind: &Dice| {
            if highest {
                kind.die_range().1
            } else {
                kind.die_range().0
            }
        };
        let mut dice: Vec<i64> = self
            .kinds()
            .flat_map(|kind| std::iter::repeat_n(extreme(kind), kind.count as usize))
            .collect();
        dice.sort_unstable_by(|a, b| b.cmp(a));
        self.keep_of(dice).iter().sum::<i64>() + self.modifier
    }

    /// Returns the lowest total.
    pub fn min_total(&self) -> i64 {
        self.extreme_total(false)
    }

    /// Returns the highest total.
    pub fn max_total(&self) -> i64 {
        self.extreme_total(true)
    }

    /// Returns the worths that count, of all from the highest to the lowest.
    pub(super) fn keep_of(&self, mut worths: Vec<i64>) -> Vec<i64> {
        if let Some(Keep { count, lowest }) = self.keep {
            let count = worths.len().min(count as usize);
            worths.drain(if lowest {
                0..worths.len() - count
            } else {
                count..worths.len()
            });
        }
        worths
    }

    /// Returns what those dice are worth that count, from the highest to the lowest, for the sides of a complete throw.
    pub fn kept(&self, thrown: &[u32]) -> Vec<i64> {
        let mut worths = self.worths(thrown);
        worths.sort_unstable_by(|a, b| b.cmp(a));
        self.keep_of(worths)
    }

    /// Returns what each die is worth, in the order thrown, for the sides of a complete throw.
    pub fn worths(&self, thrown: &[u32]) -> Vec<i64> {
        let worths_of = |FallenDie { kind, sides }: FallenDie| {
            let mut worths: Vec<i64> = sides.into_iter().map(|side| kind.worth(side)).collect();
            if kind
                .explode
                .as_ref()
                .is_some_and(|explode| !explode.by_itself)
            {
                worths = vec![worths.iter().sum()];
            }
            worths
        };
        self.follow(thrown)
            .unwrap_or_default()
            .into_iter()
            .flat_map(worths_of)
            .collect()
    }

    /// Returns the face of what a die is worth.
    pub fn face_worth(&self, worth: i64) -> Face {
        self.faces
            .as_ref()
            .map_or(Face::Number(worth), |face_set| face_set.face(worth))
    }

    /// Returns the total of a complete throw.
    pub fn total(&self, thrown: &[u32]) -> i64 {
        let is_plain = self.faces.is_none() && self.keep.is_none() && !self.may_go_on();
        let sum: i64 = if is_plain {
            thrown.iter().copied().map(i64::from).sum()
        } else {
            self.kept(thrown).iter().sum()
        };
        sum + self.modifier
    }

    /// Returns how many dice that count are in a band, for the sides of a complete throw.
    pub fn hits(&self, thrown: &[u32], band: Band) -> i64 {
        self.kept(thrown)
            .iter()
            .filter(|worth| band.contains(**worth))
            .count() as i64
    }

    /// Returns how often the dice that count show a symbol, for the sides of a complete throw.
    pub fn symbol_count(&self, thrown: &[u32], symbol: &str) -> i64 {
        self.kept(thrown)
            .into_iter()
            .map(|worth| self.symbols_worth(worth, symbol))
            .sum()
    }

    /// Returns how often the face of a worth shows a symbol.
    pub(super) fn symbols_worth(&self, worth: i64, symbol: &str) -> i64 {
        self.face_worth(worth)
            .symbols()
            .filter(|shown| *shown == symbol)
            .count() as i64
    }
}
