//! How likely each total, number of hits and hand of dice is.

use super::dice::Dice;
use super::face::{DieFaces, SideSet};
use super::sums::{RankedDice, Ways, add_up, sums, sums_of_kept, total};
use super::{Band, Weight};
use std::collections::BTreeMap;

/// The room for a list: how many bytes it may take, and whether its time is over.
pub struct Room<'a> {
    /// The most bytes.
    pub bytes: u64,
    /// Whether the list is no longer wanted.
    pub is_over: &'a dyn Fn() -> bool,
}

/// The estimated bytes of a hand in a list without those of its dice, and of each die.
pub const HAND_BYTES: (u64, u64) = (96, 4);

/// The number of hands after which the time is looked at.
const HANDS_BETWEEN: usize = 256;

impl Room<'_> {
    /// Room for everything.
    pub const UNBOUNDED: Room<'static> = Room {
        bytes: u64::MAX,
        is_over: &|| false,
    };

    /// Whether there is room for so many hands of so many dice.
    pub(super) fn has_room_for(&self, hands: u64, dice: u32) -> bool {
        let bytes = HAND_BYTES.0 + HAND_BYTES.1 * u64::from(dice);
        hands.saturating_mul(bytes) <= self.bytes && !(self.is_over)()
    }
}

/// The most sides that are added for a die which is thrown on after many others.
const MAX_ADDITIONS: usize = 2_000_000;

/// What each die that counts is worth, from the highest to the lowest, with the number of combinations that show it.
pub type Hand = (Vec<i64>, Weight);

/// The score of a throw, whether the die is thrown on, and the combinations.
type Throw = ((i64, bool), Weight);

/// What of a die is added up.
#[derive(Clone, Copy)]
enum DieScore<'a> {
    /// What it is worth.
    Worth,
    Band(Band),
    /// How often it shows a symbol.
    Symbol(&'a str),
}

impl DieScore<'_> {
    /// Returns the score of a die by its worth.
    fn of(self, dice: &Dice, worth: i64) -> i64 {
        match self {
            DieScore::Worth => worth,
            DieScore::Band(band) => i64::from(band.contains(worth)),
            DieScore::Symbol(symbol) => dice.symbols_worth(worth, symbol),
        }
    }

    /// Returns the same for neighbouring worths of which it makes no difference which counts, and more for a higher worth.
    fn rank(self, worth: i64) -> i64 {
        match self {
            DieScore::Band(band) => i64::from(worth >= band.low) + i64::from(worth > band.high),
            _ => worth,
        }
    }
}

impl Dice {
    fn all_sides(&self) -> Vec<(SideSet, Weight)> {
        vec![(SideSet::new([(1, self.sides)]), Weight::ONE)]
    }

    /// Returns the sides that count when a die falls first, with their combinations.
    fn first_sides(&self) -> Vec<(SideSet, Weight)> {
        let Some(reroll) = &self.reroll else {
            return self.all_sides();
        };
        let others = reroll.sides.complement(self.sides);
        let again = Weight::from(reroll.sides.count());
        match reroll.until_other {
            true => vec![(others, Weight::ONE)],
            // A face falls on the first throw and stays, or on the second after one that is thrown again.
            false => vec![
                (others, again.clone() + &Weight::from(self.sides)),
                (reroll.sides.clone(), again),
            ],
        }
    }

    /// Returns what one die and those that are thrown on after it come to, where `add` adds the score of a throw to what the die has come
    /// to; `None` if there is too much. With `in_mean` a die without bound ends in what it is worth in the mean.
    fn die_outcomes<S: Ord>(
        &self,
        score: DieScore,
        (start, in_mean): (S, bool),
        room: &Room,
        add: impl Fn(&S, i64) -> S,
    ) -> Option<Vec<(S, Weight)>> {
        let explode = self.explode.as_ref();
        // The scores of a throw, and whether the die is thrown on.
        let throws = |sides: Vec<(SideSet, Weight)>| {
            let mut scored = Vec::new();
            for (set, ways) in sides {
                scored.extend(set.sides().map(|side| {
                    let goes_on = explode.is_some_and(|explode| explode.sides.contains(side));
                    let score = score.of(self, self.worth(side));
                    ((score, goes_on), ways.clone())
                }));
            }
            add_up(scored)
        };
        let first = throws(self.first_sides());
        let Some(explode) = explode else {
            let once = first.into_iter();
            return Some(add_up(
                once.map(|((score, _), ways)| (add(&start, score), ways)),
            ));
        };
        let depth = explode.depth(self.sides);
        let later = throws(self.all_sides());
        let last = match explode.limit {
            None if in_mean => mean_of_endless(&later, self.sides - explode.sides.count())?,
            _ => later.clone(),
        };
        let mut ended: Vec<(S, Weight)> = Vec::new();
        let mut going = vec![(start, Weight::ONE)];
        for pass in 0..=depth {
            let falling = match pass {
                0 => &first,
                _ if pass == depth => &last,
                _ => &later,
            };
            let rest = match depth - pass {
                0 => Weight::ONE,
                left => &total(&last) * &Weight::from(self.sides).pow(left - 1),
            };
            if going.len() > 1 && going.len() * falling.len() * depth as usize > MAX_ADDITIONS {
                return None;
            }
            let mut next = Vec::new();
            for (partial_sum, ways) in &going {
                for ((score, goes_on), more) in falling {
                    let (sum, ways) = (add(partial_sum, *score), ways * more);
                    match *goes_on && pass < depth {
                        true => next.push((sum, ways)),
                        false => ended.push((sum, &ways * &rest)),
                    }
                }
            }
            if !room.has_room_for((ended.len() + next.len()) as u64, pass + 1) {
                return None;
            }
            going = add_up(next);
        }
        Some(add_up(ended))
    }

    /// Returns the sum of the scores of one die and of those that are thrown on after it, the lowest first; `None` if there are too many.
    fn die_sums(&self, score: DieScore, in_mean: bool) -> Option<Ways> {
        self.die_outcomes(score, (0, in_mean), &Room::UNBOUNDED, |sum, score| {
            sum + score
        })
    }

    /// Returns each sum of the scores of the dice that count, the lowest first; `None` if there are too many.
    fn score_distribution(&self, score: DieScore) -> Option<Ways> {
        if let Some(keep) = self.keep.filter(|_| self.dice_count() > 0) {
            let sign = if keep.lowest { -1 } else { 1 };
            let ranked = |kind: &Dice| -> Option<RankedDice> {
                let die = kind.die_sums(DieScore::Worth, false)?.into_iter();
                let ranked = die
                    .map(|(worth, ways)| ((sign * score.rank(worth), score.of(kind, worth)), ways));
                Some((kind.count, add_up(ranked)))
            };
            let kinds: Vec<RankedDice> = self.kinds().map(ranked).collect::<Option<_>>()?;
            return sums_of_kept(&kinds, self.kept_count());
        }
        let scores = |kind: &Dice| {
            if kind.throws_further_dice() {
                return kind.die_sums(score, true);
            }
            let worths = kind.die_sums(DieScore::Worth, true)?.into_iter();
            let scores = worths.map(|(worth, ways)| (score.of(kind, worth), ways));
            Some(add_up(scores))
        };
        let dice: Vec<Ways> = self.kinds().map(scores).collect::<Option<_>>()?;
        let counts = self.kinds().map(|kind| kind.count);
        sums(&counts.zip(&dice).collect::<Vec<_>>())
    }

    /// Returns each total with its number of combinations; `None` if there are too many.
    pub fn total_distribution(&self) -> Option<Ways> {
        let sums = self.score_distribution(DieScore::Worth)?;
        Some(
            sums.into_iter()
                .map(|(sum, ways)| (sum + self.modifier, ways))
                .collect(),
        )
    }

    /// Returns each possible number of dice that count and are worth something in a band, with its number of combinations; `None` if there
    /// are too many.
    pub fn hit_distribution(&self, band: Band) -> Option<Ways> {
        self.score_distribution(DieScore::Band(band))
    }

    /// Returns how often the dice that count may show a symbol, with the number of combinations; `None` if there are too many.
    pub fn symbol_distribution(&self, symbol: &str) -> Option<Ways> {
        self.score_distribution(DieScore::Symbol(symbol))
    }

    /// Returns each hand of the dice that count with its number of combinations, as `make` makes it; `None` if there is no room for them.
    pub fn hands<T>(
        &self,
        room: &Room,
        mut make: impl FnMut(&[i64], Weight) -> T,
    ) -> Option<Vec<T>> {
        if !self.others.is_empty() || self.has_further_dice() {
            let hands = self.hands_by_die(room)?.into_iter().rev();
            return Some(hands.map(|(hand, ways)| make(&hand, ways)).collect());
        }
        let counted = self.kept_count();
        let mut faces = match self.is_draw() {
            true => self.card_kinds(),
            false => self.die_sums(DieScore::Worth, self.keep.is_none())?,
        };
        let mut hand_count = 1u64;
        for step in (1..=u64::from(counted)).filter(|_| !self.is_draw()) {
            hand_count = hand_count.checked_mul(faces.len() as u64 - 1 + step)? / step;
            if !room.has_room_for(hand_count, counted) {
                return None;
            }
        }
        // The worth that counts first comes first.
        if self.keep.is_none_or(|keep| !keep.lowest) {
            faces.reverse();
        }
        let mut hands = Vec::with_capacity(hand_count as usize);
        let mut take = |hand: &[i64], ways: Weight| {
            let mut counted = hand.to_vec();
            counted.sort_unstable_by(|a, b| b.cmp(a));
            hands.push(make(&counted, ways));
            let looks = hands.len().is_multiple_of(HANDS_BETWEEN);
            (!looks || room.has_room_for(hands.len() as u64, hand.len() as u32)).then_some(())
        };
        let mut hand = Vec::with_capacity(counted as usize);
        self.add_hands(&faces, self.count, (&mut hand, Weight::ONE), &mut take)?;
        if self.is_draw() {
            hands.reverse();
        }
        Some(hands)
    }

    /// Passes on the hands that begin with `hand`, if `dice_left` dice show one of `faces`, whose first counts first; `None` if they are not
    /// taken any more.
    fn add_hands(
        &self,
        faces: &[(i64, Weight)],
        dice_left: u32,
        (hand, ways): (&mut Vec<i64>, Weight),
        take: &mut dyn FnMut(&[i64], Weight) -> Option<()>,
    ) -> Option<()> {
        let Some(((worth, weight), worse_faces)) = faces.split_first() else {
            return (dice_left > 0).then_some(()).or_else(|| take(hand, ways));
        };
        let needed = self.kept_count() - hand.len() as u32;
        let worse = total(worse_faces);
        let before = hand.len();
        // A face shows on any number of dice, and on as many cards as there are of it.
        let some = |weight: &Weight, count: u32| match self.is_draw() {
            true => weight.choose(count),
            false => weight.pow(count),
        };
        // The combinations in which so many dice have this worth that no worse die counts.
        let mut enough = Weight::ZERO;
        for count in 0..=dice_left {
            let mut shown = some(weight, count);
            if !self.is_draw() {
                shown *= &Weight::binomial(dice_left, count);
            }
            if count >= needed {
                enough += &shown * &some(&worse, dice_left - count);
            } else if !shown.is_zero() && !worse.is_zero() {
                hand.resize(before + count as usize, *worth);
                let longer = (&mut *hand, &ways * &shown);
                self.add_hands(worse_faces, dice_left - count, longer, take)?;
            }
        }
        if !enough.is_zero() {
            hand.resize(before + needed as usize, *worth);
            take(hand, &ways * &enough)?;
        }
        hand.truncate(before);
        Some(())
    }

    /// Returns the hands of dice of several kinds, or with further dice.
    fn hands_by_die(&self, room: &Room) -> Option<BTreeMap<Vec<i64>, Weight>> {
        let mut hands = BTreeMap::from([(Vec::new(), Weight::ONE)]);
        for kind in self.kinds() {
            let rows = if kind.throws_further_dice() {
                let add = |row: &Vec<i64>, worth| [&row[..], &[worth]].concat();
                kind.die_outcomes(DieScore::Worth, (Vec::new(), false), room, add)?
            } else {
                let worths = kind.die_sums(DieScore::Worth, self.keep.is_none())?;
                let rows = worths.into_iter();
                rows.map(|(worth, ways)| (vec![worth], ways)).collect()
            };
            hands = add_dice(hands, (kind.count, &rows), room, |hand, row| {
                let mut longer = [hand, row].concat();
                longer.sort_unstable_by(|a, b| b.cmp(a));
                self.keep_of(longer)
            })?;
        }
        Some(hands)
    }

    /// Returns how often each symbol of the dice may show, in the order of the dice's symbols, with the number of combinations; `None` if
    /// there are too many.
    pub fn symbol_counts(&self, room: &Room) -> Option<Vec<Hand>> {
        let symbols = self.symbols();
        let shown = |worth: i64| -> Vec<i64> {
            let shown = symbols.iter();
            shown
                .map(|symbol| self.symbols_worth(worth, symbol))
                .collect()
        };
        let sum = |counted: &[i64], more: &[i64]| -> Vec<i64> {
            counted
                .iter()
                .zip(more)
                .map(|(counted, more)| counted + more)
                .collect()
        };
        let add = |counts: &Vec<i64>, worth: i64| sum(counts, &shown(worth));
        let none = vec![0; symbols.len()];
        let counts = if self.keep.is_some() {
            add_up(self.hands(room, |hand, ways| {
                let counts = hand
                    .iter()
                    .fold(none.clone(), |counted, worth| add(&counted, *worth));
                (counts, ways)
            })?)
        } else {
            let die = self.die_outcomes(DieScore::Worth, (none.clone(), false), room, add)?;
            let start = BTreeMap::from([(none, Weight::ONE)]);
            let counts = add_dice(start, (self.count, &die), room, sum)?;
            counts.into_iter().collect()
        };
        Some(counts.into_iter().rev().collect())
    }

    /// Returns the symbols that the dice show.
    pub fn symbols(&self) -> Vec<&str> {
        self.faces
            .as_deref()
            .map(DieFaces::symbols)
            .unwrap_or_default()
    }
}

/// Adds dice one after another, each of which comes to one of `rows`; `None` if there is no room for what they come to.
fn add_dice(
    mut sums: BTreeMap<Vec<i64>, Weight>,
    (count, rows): (u32, &[Hand]),
    room: &Room,
    add: impl Fn(&[i64], &[i64]) -> Vec<i64>,
) -> Option<BTreeMap<Vec<i64>, Weight>> {
    for _ in 0..count {
        let mut next: BTreeMap<Vec<i64>, Weight> = BTreeMap::new();
        for (partial_sum, partial_ways) in &sums {
            for (row, ways) in rows {
                *next.entry(add(partial_sum, row)).or_default() += partial_ways * ways;
            }
        }
        // A map takes up to three times the bytes of a list.
        let width = next.keys().next().map_or(0, Vec::len) as u32;
        if !room.has_room_for(3 * next.len() as u64, width) {
            return None;
        }
        sums = next;
    }
    Some(sums)
}

/// Returns two neighbouring scores whose mean is that of a die which is thrown on without end: what stands for it where the count is cut off,
/// so that the mean of a total is exact. `thrown` are the scores of one throw, and `ends` is the number of sides that end it: the mean is
/// `m = sum / sides + (1 - ends / sides) * m`.
fn mean_of_endless(thrown: &[Throw], ends: u32) -> Option<Vec<Throw>> {
    let score = |((score, _), ways): &Throw| Some(score * i64::try_from(ways.as_integer()).ok()?);
    let sum: i64 = thrown.iter().map(score).sum::<Option<_>>()?;
    let (whole, rest) = (
        sum.div_euclid(ends.into()),
        sum.rem_euclid(ends.into()) as u32,
    );
    let scores = [(whole, ends - rest), (whole + 1, rest)].into_iter();
    let falling = scores.filter(|(_, ways)| *ways > 0);
    Some(
        falling
            .map(|(score, ways)| ((score, false), ways.into()))
            .collect(),
    )
}
