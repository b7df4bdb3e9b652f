//! How likely each total, number of hits and hand of dice is.

use super::dice::Dice;
use super::face::{DieFaces, SideSet};
use super::sums::{Steps, Ways, sums_of_both, sums_of_kept, sums_of_kept_kinds};
use super::{Band, Weight};
use std::collections::BTreeMap;

/// The room for a list: how many bytes it may take, and whether its time is over.
pub struct Room<'a> {
    /// The most bytes.
    pub bytes: u64,
    /// Whether nobody waits for the list any more.
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

/// The most additions that a die takes which is thrown on after many sides, many times.
const MAX_ADDITIONS: u64 = 2_000_000;

/// What each die that counts is worth, from the highest to the lowest, with the number of combinations that show it.
pub type Hand = (Vec<i64>, Weight);

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
}

impl Dice {
    /// Adds the scores of some sides to those of a die, each with some combinations.
    fn add_sides(&self, steps: &mut Steps, sides: &SideSet, score: DieScore, ways: &Weight) {
        for (low, high) in sides.ranges() {
            match (score, &self.faces) {
                (DieScore::Worth, None) => steps.add_run((*low).into(), high - low + 1, ways),
                (DieScore::Band(band), None) => {
                    let (first, last) = (
                        i64::from(*low).max(band.low),
                        i64::from(*high).min(band.high),
                    );
                    let good = if first <= last {
                        (last - first + 1) as u32
                    } else {
                        0
                    };
                    for (score, count) in [(1, good), (0, high - low + 1 - good)]
                        .into_iter()
                        .filter(|(_, count)| *count > 0)
                    {
                        steps.add_run(score, 1, &(ways * &Weight::from(count)));
                    }
                }
                (DieScore::Symbol(symbol), Some(own)) => {
                    (*low..=*high)
                        .for_each(|side| steps.add_run(own.symbol_count(side, symbol), 1, ways));
                }
                _ => (*low..=*high)
                    .for_each(|side| steps.add_run(score.of(self, self.worth(side)), 1, ways)),
            }
        }
    }

    /// Returns the sides that count when a die falls first, with their combinations.
    fn first_sides(&self) -> Vec<(SideSet, Weight)> {
        let all = SideSet::new([(1, self.sides)]);
        let Some(reroll) = &self.reroll else {
            return vec![(all, Weight::ONE)];
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

    /// Returns the sum of the scores of one die and of those that are thrown on after it; `None` if there are too many.
    fn die_steps(&self, score: DieScore) -> Option<Steps> {
        let all = SideSet::new([(1, self.sides)]);
        let mut steps = Steps::default();
        let Some(explode) = &self.explode else {
            self.first_sides()
                .iter()
                .for_each(|(sides, ways)| self.add_sides(&mut steps, sides, score, ways));
            return Some(steps);
        };
        let depth = explode.depth(self.sides);
        let ends = explode.sides.complement(self.sides);
        self.add_sides(&mut steps, &all, score, &Weight::ONE);
        if explode.limit.is_none() && self.keep.is_none() {
            steps = mean_of_endless(&steps, ends.count())?;
        }
        // What may follow, and its combinations; each pass allows one throw more.
        let mut total = steps.total();
        for left in (0..depth).rev() {
            let falling = if left == 0 {
                self.first_sides()
            } else {
                vec![(all.clone(), Weight::ONE)]
            };
            let mut next = Steps::default();
            for (sides, ways) in falling {
                self.add_sides(
                    &mut next,
                    &sides.intersection(&ends),
                    score,
                    &(&ways * &total),
                );
                let mut going = Steps::default();
                self.add_sides(
                    &mut going,
                    &sides.intersection(&explode.sides),
                    score,
                    &ways,
                );
                let going = going.values()?;
                if (going.len() * steps.len()) as u64 * u64::from(depth) > MAX_ADDITIONS {
                    return None;
                }
                going
                    .iter()
                    .for_each(|(score, ways)| next.add_moved(&steps, *score, ways));
            }
            steps = next;
            total = steps.total();
        }
        Some(steps)
    }

    /// Returns what one die of this kind may be worth, the lowest first; `None` if there is too much.
    pub(super) fn die_ways(&self) -> Option<Ways> {
        self.die_steps(DieScore::Worth)?.values()
    }

    /// Returns the score of one die, of which those that are thrown on are a part, by its worth.
    fn die_scores(&self, score: DieScore) -> Option<Steps> {
        let is_whole = self
            .explode
            .as_ref()
            .is_some_and(|explode| !explode.by_itself);
        if !is_whole || matches!(score, DieScore::Worth) {
            return self.die_steps(score);
        }
        let mut steps = Steps::default();
        self.die_ways()?
            .iter()
            .for_each(|(worth, ways)| steps.add_run(score.of(self, *worth), 1, ways));
        Some(steps)
    }

    /// Returns each sum of the scores of the dice that count, the lowest first; `None` if there are too many.
    fn score_distribution(&self, score: DieScore) -> Option<Ways> {
        if let Some(keep) = self.keep.filter(|_| self.dice_count() > 0) {
            // The best come first.
            let die = |kind: &Dice| {
                let mut values = kind.die_ways()?;
                if !keep.lowest {
                    values.reverse();
                }
                Some(values)
            };
            if self.others.is_empty() {
                let scores = die(self)?
                    .into_iter()
                    .map(|(worth, ways)| (score.of(self, worth), ways));
                return sums_of_kept(scores, self.count, self.kept_count());
            }
            // What is lowest is best there, so its worth is turned round.
            let sign = if keep.lowest { -1 } else { 1 };
            let kinds: Option<Vec<_>> = self
                .kinds()
                .map(|kind| {
                    let die = die(kind)?
                        .into_iter()
                        .map(|(worth, ways)| (sign * worth, score.of(kind, worth), ways))
                        .collect();
                    Some((kind.count, die))
                })
                .collect();
            return sums_of_kept_kinds(&kinds?, self.kept_count());
        }
        let sums = |kind: &Dice| kind.die_scores(score)?.power(kind.count);
        let first = sums(self)?;
        self.others
            .iter()
            .try_fold(first, |known, kind| sums_of_both(&known, &sums(kind)?))
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
        if self.is_draw() {
            let rows = self.drawn_hands(room)?;
            return Some(
                rows.into_iter()
                    .map(|(hand, ways)| make(&hand, ways))
                    .collect(),
            );
        }
        if !self.others.is_empty() || self.has_further_dice() {
            let hands = self.hands_by_die(room)?;
            return Some(
                hands
                    .into_iter()
                    .rev()
                    .map(|(hand, ways)| make(&hand, ways))
                    .collect(),
            );
        }
        let counted = self.kept_count();
        let mut die = self.die_ways()?;
        let mut hand_count = 1u64;
        for step in 1..=u64::from(counted) {
            hand_count = hand_count.checked_mul(die.len() as u64 - 1 + step)? / step;
            if !room.has_room_for(hand_count, counted) {
                return None;
            }
        }
        // The worth that counts first comes first.
        if self.keep.is_none_or(|keep| !keep.lowest) {
            die.reverse();
        }
        let mut hands = Vec::with_capacity(hand_count as usize);
        let mut take = |hand: &[i64], ways: Weight| {
            let mut counted = hand.to_vec();
            counted.sort_unstable_by(|a, b| b.cmp(a));
            hands.push(make(&counted, ways));
            let looks = hands.len().is_multiple_of(HANDS_BETWEEN);
            (!looks || !(room.is_over)()).then_some(())
        };
        self.add_hands(
            &die,
            self.count,
            (&mut Vec::with_capacity(counted as usize), Weight::ONE),
            &mut take,
        )?;
        Some(hands)
    }

    /// Passes on the hands that begin with `hand`, if `dice_left` dice are worth one of `die`, whose first counts first; `None` if they are not
    /// taken any more.
    fn add_hands(
        &self,
        die: &[(i64, Weight)],
        dice_left: u32,
        (hand, ways): (&mut Vec<i64>, Weight),
        take: &mut dyn FnMut(&[i64], Weight) -> Option<()>,
    ) -> Option<()> {
        let Some(((worth, weight), worse_values)) = die.split_first() else {
            return Some(());
        };
        let needed = (self.kept_count() as usize).saturating_sub(hand.len()) as u32;
        let worse: Weight = worse_values.iter().map(|(_, ways)| ways).sum();
        let before = hand.len();
        // The combinations in which so many dice have this worth that no worse die counts.
        let mut enough = Weight::ZERO;
        for count in 0..=dice_left {
            let ways_of_count = &Weight::binomial(dice_left, count) * &weight.pow(count);
            if count >= needed {
                enough += &ways_of_count * &worse.pow(dice_left - count);
            } else if !worse.is_zero() {
                hand.resize(before + count as usize, *worth);
                self.add_hands(
                    worse_values,
                    dice_left - count,
                    (hand, &ways * &ways_of_count),
                    take,
                )?;
            }
        }
        if !enough.is_zero() {
            hand.resize(before + needed as usize, *worth);
            take(hand, &ways * &enough)?;
        }
        hand.truncate(before);
        Some(())
    }

    /// Returns what one die and those that are thrown on after it may be worth, in the order thrown; `None` if there is too much.
    fn die_rows(&self, room: &Room) -> Option<Vec<Hand>> {
        let Some(explode) = self.explode.as_ref().filter(|explode| explode.by_itself) else {
            return Some(
                self.die_ways()?
                    .into_iter()
                    .map(|(worth, ways)| (vec![worth], ways))
                    .collect(),
            );
        };
        let mut rows: Vec<Hand> = Vec::new();
        // The throws that went on so far.
        let mut going: Vec<Hand> = vec![(Vec::new(), Weight::ONE)];
        for pass in 0..=explode.depth(self.sides) {
            let falling = if pass == 0 {
                self.first_sides()
            } else {
                vec![(SideSet::new([(1, self.sides)]), Weight::ONE)]
            };
            let later = Weight::from(self.sides).pow(explode.depth(self.sides) - pass);
            let mut next = Vec::new();
            for (row, known) in &going {
                for (sides, ways) in &falling {
                    for side in sides.ranges().iter().flat_map(|(low, high)| *low..=*high) {
                        let longer = [&row[..], &[self.worth(side)]].concat();
                        match pass < explode.depth(self.sides) && explode.sides.contains(side) {
                            true => next.push((longer, known * ways)),
                            false => rows.push((longer, &(known * ways) * &later)),
                        }
                    }
                }
                if !room.has_room_for((rows.len() + next.len()) as u64, pass + 1) {
                    return None;
                }
            }
            going = next;
        }
        Some(rows)
    }

    /// Returns the hands of dice of several kinds, or with further dice, one die after another.
    fn hands_by_die(&self, room: &Room) -> Option<BTreeMap<Vec<i64>, Weight>> {
        let mut hands: BTreeMap<Vec<i64>, Weight> = BTreeMap::from([(Vec::new(), Weight::ONE)]);
        for kind in self.kinds() {
            let rows = kind.die_rows(room)?;
            for _ in 0..kind.count {
                let mut next: BTreeMap<Vec<i64>, Weight> = BTreeMap::new();
                for (hand, known) in &hands {
                    for (row, ways) in &rows {
                        let mut longer = [&hand[..], &row[..]].concat();
                        longer.sort_unstable_by(|a, b| b.cmp(a));
                        *next.entry(self.keep_of(longer)).or_default() += known * ways;
                    }
                    // A map holds a hand in about twice the bytes of a list.
                    let dice = next.keys().next().map_or(0, Vec::len) as u32;
                    if !room.has_room_for(2 * next.len() as u64, 2 * dice) {
                        return None;
                    }
                }
                hands = next;
            }
        }
        Some(hands)
    }

    /// Returns how often each symbol of the dice may show, in the order of the dice's symbols, with the number of combinations; `None` if
    /// there are too many.
    pub fn symbol_counts(&self, room: &Room) -> Option<Vec<Hand>> {
        let symbols = self
            .faces
            .as_ref()
            .map(|own| own.symbols())
            .unwrap_or_default();
        let add = |counts: &mut Vec<i64>, worth: i64| {
            counts
                .iter_mut()
                .zip(&symbols)
                .for_each(|(count, symbol)| *count += self.symbols_worth(worth, symbol));
        };
        let mut sums: BTreeMap<Vec<i64>, Weight> = BTreeMap::new();
        if self.keep.is_some() {
            self.hands(room, |hand, ways| {
                let mut counts = vec![0; symbols.len()];
                hand.iter().for_each(|worth| add(&mut counts, *worth));
                *sums.entry(counts).or_default() += ways;
            })?;
            return Some(sums.into_iter().rev().collect());
        }
        let mut die: BTreeMap<Vec<i64>, Weight> = BTreeMap::new();
        for (row, ways) in self.die_rows(room)? {
            let mut counts = vec![0; symbols.len()];
            row.into_iter().for_each(|worth| add(&mut counts, worth));
            *die.entry(counts).or_default() += ways;
        }
        sums.insert(vec![0; symbols.len()], Weight::ONE);
        for _ in 0..self.count {
            let mut next: BTreeMap<Vec<i64>, Weight> = BTreeMap::new();
            for (known, known_ways) in &sums {
                for (counts, ways) in &die {
                    let sum = known
                        .iter()
                        .zip(counts)
                        .map(|(known, count)| known + count)
                        .collect();
                    *next.entry(sum).or_default() += known_ways * ways;
                }
            }
            // A map of symbols takes about three times the bytes of a hand.
            if !room.has_room_for(3 * next.len() as u64, symbols.len() as u32) {
                return None;
            }
            sums = next;
        }
        Some(sums.into_iter().rev().collect())
    }

    /// Returns the symbols that the dice show.
    pub fn symbols(&self) -> Vec<&str> {
        self.faces
            .as_deref()
            .map(DieFaces::symbols)
            .unwrap_or_default()
    }
}

/// Returns two neighbouring scores whose mean is that of a die which is thrown on without end: what stands for it where the count is cut off,
/// so that the mean of a total is exact. `thrown` are the scores of one throw, and `ends` is the number of sides that end it: the mean is
/// `m = sum / sides + (1 - ends / sides) * m`.
fn mean_of_endless(thrown: &Steps, ends: u32) -> Option<Steps> {
    let score = |(score, ways): (i64, Weight)| Some(score * i64::try_from(ways.as_integer()).ok()?);
    let sum: i64 = thrown.values()?.into_iter().map(score).sum::<Option<_>>()?;
    let (whole, rest) = (
        sum.div_euclid(ends.into()),
        sum.rem_euclid(ends.into()) as u32,
    );
    let mut steps = Steps::default();
    for (score, ways) in [(whole, ends - rest), (whole + 1, rest)] {
        if ways > 0 {
            steps.add_run(score, 1, &ways.into());
        }
    }
    Some(steps)
}
