//! How likely hands are as far as a rule reads them: hands that agree in what is read of them are one.

use super::chances::{Hand, MAX_HANDS};
use super::dice::Dice;
use super::sums::Ways;
use super::{Band, Weight};
use std::collections::{BTreeMap, BTreeSet};

/// What is read of a hand. Its number of dice is always known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandReads {
    /// Where classes of worths begin, each after the lowest: of a die only its class is read. So the number of dice of each class is read.
    pub class_starts: Vec<i64>,
    /// Whether single dice are compared with something. A hand that stands for others then shows faces that the dice have.
    pub compared: bool,
    /// Whether the total is read.
    pub total: bool,
    /// Whether the total of the dice of each class is read.
    pub class_totals: bool,
    /// The dice whose worth is read, by their place from the highest on, or from the end if that is negative.
    pub places: BTreeSet<i64>,
}

/// The most steps that are taken to find the hands that differ.
const MAX_STEPS: u64 = 3_000_000;

/// What is known of the dice seen so far, the ones that count first: the numbers of dice, the sums, the worths at places.
type Seen = Vec<i64>;

/// The dice seen so far, as worths with the number of dice that show them, and their number of combinations.
type SeenDice = (Vec<(i64, u32)>, Weight);

impl HandReads {
    /// Returns numbers that are equal for equal readings.
    pub fn numbers(&self) -> impl Iterator<Item = i64> {
        let flags =
            i64::from(self.total) + 2 * i64::from(self.class_totals) + 4 * i64::from(self.compared);
        [flags, self.class_starts.len() as i64]
            .into_iter()
            .chain(self.class_starts.iter().copied())
            .chain(self.places.iter().copied())
    }

    fn class(&self, worth: i64) -> usize {
        self.class_starts.partition_point(|start| *start <= worth)
    }
}

impl Dice {
    /// Returns what a die may be worth, the lowest first; `None` if that is too much.
    pub fn possible_worths(&self) -> Option<Vec<i64>> {
        let mut worths = BTreeSet::new();
        for kind in self.kinds() {
            worths.extend(kind.die_ways()?.into_iter().map(|(worth, _)| worth));
        }
        (worths.len() <= MAX_HANDS).then(|| worths.into_iter().collect())
    }

    /// Returns a hand for all hands that agree in what is read of them, with their number of combinations; `None` if there are too many, or
    /// the number of dice is open.
    pub fn hands_as_read(&self, reads: &HandReads) -> Option<Vec<Hand>> {
        if self.is_draw() || self.has_further_dice() || self.dice_count() == 0 {
            return None;
        }
        let kept = self.kept_count() as usize;
        if reads.places.is_empty() {
            match reads.class_starts[..] {
                [] if !reads.total && !reads.class_totals => {
                    let lowest = if reads.compared {
                        *self.possible_worths()?.first()?
                    } else {
                        0
                    };
                    return Some(vec![(vec![lowest; kept], Weight::ONE)]);
                }
                // Where only the total is read, one die may stand for all.
                [] if !reads.compared => {
                    let hand = |total| [&[total][..], &vec![0; kept - 1]].concat();
                    return Some(
                        self.total_distribution()?
                            .into_iter()
                            .map(|(total, ways)| (hand(total - self.modifier), ways))
                            .collect(),
                    );
                }
                [start] if !reads.total && !reads.class_totals => {
                    let lowest = *self.possible_worths()?.first()?;
                    let hand = |high: i64| {
                        (0..kept)
                            .map(|index| if (index as i64) < high { start } else { lowest })
                            .collect()
                    };
                    let hits = self.hit_distribution(Band {
                        low: start,
                        high: i64::MAX,
                    })?;
                    return Some(
                        hits.into_iter()
                            .map(|(high, ways)| (hand(high), ways))
                            .collect(),
                    );
                }
                _ => {}
            }
        }
        if reads.places.is_empty() && self.keep.is_none() && (reads.total || reads.class_totals) {
            return self.hands_by_class(reads);
        }
        self.hands_by_face(reads)
    }

    /// Returns the hands as [`Dice::hands_as_read`] does, where all dice of one kind count and only numbers and sums of classes are read: each
    /// class by itself, then together.
    fn hands_by_class(&self, reads: &HandReads) -> Option<Vec<Hand>> {
        if !self.others.is_empty() {
            return None;
        }
        let mut classes: BTreeMap<usize, Ways> = BTreeMap::new();
        self.die_ways()?.into_iter().for_each(|(worth, ways)| {
            classes
                .entry(reads.class(worth))
                .or_default()
                .push((worth, ways))
        });
        let mut steps = 0;
        let mut states: BTreeMap<(u32, Seen), SeenDice> =
            BTreeMap::from([((0, vec![0]), (Vec::new(), Weight::ONE))]);
        while let Some((_, faces)) = classes.pop_last() {
            let of_class = self.dice_of_class(&faces, &mut steps)?;
            let mut next: BTreeMap<(u32, Seen), SeenDice> = BTreeMap::new();
            for ((before, seen), (hand, known)) in states {
                let left = self.count - before;
                let least = if classes.is_empty() { left } else { 0 };
                for ((count, sum), (more, ways)) in
                    of_class.range((least, i64::MIN)..=(left, i64::MAX))
                {
                    let mut seen = seen.clone();
                    seen.push((*count).into());
                    if reads.class_totals {
                        seen.push(*sum);
                    } else {
                        seen[0] += sum;
                    }
                    let chosen = &Weight::binomial(before + count, *count) * ways;
                    next.entry((before + count, seen))
                        .or_insert_with(|| ([&hand[..], &more[..]].concat(), Weight::ZERO))
                        .1 += &known * &chosen;
                    steps += 1;
                }
                if steps > MAX_STEPS || next.len() > MAX_HANDS {
                    return None;
                }
            }
            states = next;
        }
        Some(whole_hands(states.into_values(), self.count as usize))
    }

    /// Returns what so many dice may add up to that all show one of some faces, by their number and the sum.
    fn dice_of_class(
        &self,
        faces: &Ways,
        steps: &mut u64,
    ) -> Option<BTreeMap<(u32, i64), SeenDice>> {
        let mut known: BTreeMap<(u32, i64), SeenDice> =
            BTreeMap::from([((0, 0), (Vec::new(), Weight::ONE))]);
        for (worth, ways) in faces.iter().rev() {
            let mut next: BTreeMap<(u32, i64), SeenDice> = BTreeMap::new();
            for ((before, sum), (dice, known)) in known {
                let mut power = known;
                for count in 0..=self.count - before {
                    let key = (before + count, sum + worth * i64::from(count));
                    next.entry(key)
                        .or_insert_with(|| (longer(&dice, *worth, count), Weight::ZERO))
                        .1 += &Weight::binomial(before + count, count) * &power;
                    power *= ways;
                }
                *steps += u64::from(self.count - before) + 1;
                if *steps > MAX_STEPS || next.len() > MAX_HANDS {
                    return None;
                }
            }
            known = next;
        }
        Some(known)
    }

    /// Returns the hands as [`Dice::hands_as_read`] does, for dice of one kind, face after face. What is seen of the dice is kept, and not
    /// the dice, so that hands that agree in it merge.
    fn hands_by_face(&self, reads: &HandReads) -> Option<Vec<Hand>> {
        if !self.others.is_empty() {
            return None;
        }
        let kept = self.kept_count() as usize;
        let place = |place: &i64| {
            usize::try_from(if *place < 0 {
                place + kept as i64
            } else {
                *place
            })
            .ok()
            .filter(|place| *place < kept)
        };
        let mut places: Vec<usize> = reads.places.iter().filter_map(place).collect();
        let reads_all = !reads.class_starts.is_empty() || reads.total || reads.class_totals;
        // Where only the last are read, the worst come first.
        let is_ascending = match self.keep {
            Some(keep) => keep.lowest,
            None => !reads_all && places.iter().all(|place| *place >= kept / 2),
        };
        if is_ascending {
            places
                .iter_mut()
                .for_each(|place| *place = kept - 1 - *place);
        }
        let needed = if reads_all {
            kept
        } else {
            places.iter().max().map_or(0, |last| last + 1)
        } as u32;
        let class_count = reads.class_starts.len() + 1;
        let sums = if reads.class_totals {
            class_count
        } else {
            usize::from(reads.total)
        };
        let see = |seen: &mut Seen, before: u32, worth: i64, count: u32| {
            seen[reads.class(worth)] += i64::from(count);
            if reads.class_totals || reads.total {
                seen[class_count
                    + if reads.class_totals {
                        reads.class(worth)
                    } else {
                        0
                    }] += worth * i64::from(count);
            }
            for (index, place) in places.iter().enumerate() {
                if (before as usize..(before + count) as usize).contains(place) {
                    seen[class_count + sums + index] = worth;
                }
            }
        };
        let mut die = self.die_ways()?;
        if die.len() as u64 * u64::from(self.count) > MAX_STEPS {
            return None;
        }
        if sums == 0 && places.is_empty() {
            // Within a class it makes no difference which face falls.
            let mut classes: Ways = Vec::new();
            for (worth, ways) in die {
                match classes.last_mut() {
                    Some((last, sum)) if reads.class(*last) == reads.class(worth) => *sum += ways,
                    _ => classes.push((worth, ways)),
                }
            }
            die = classes;
        }
        if !is_ascending {
            die.reverse();
        }
        let mut rest: Weight = die.iter().map(|(_, ways)| ways).sum();
        let mut found: BTreeMap<Seen, SeenDice> = BTreeMap::new();
        let start = (0, vec![0; class_count + sums + places.len()]);
        let mut states: BTreeMap<(u32, Seen), SeenDice> =
            BTreeMap::from([(start, (Vec::new(), Weight::ONE))]);
        let mut steps = 0;
        for (worth, ways) in die {
            rest = ways.complement_to(&rest);
            let powers = |base: &Weight| -> Vec<Weight> {
                std::iter::successors(Some(Weight::ONE), |power| Some(power * base))
                    .take(self.count as usize + 1)
                    .collect()
            };
            let (powers, rest_powers) = (powers(&ways), powers(&rest));
            let ways_of =
                |left: u32, count: u32| &Weight::binomial(left, count) * &powers[count as usize];
            // By the dice seen before: in how many ways so many others show this face that no other needs to be seen.
            let mut enough: BTreeMap<u32, Weight> = BTreeMap::new();
            let mut of_count: BTreeMap<(u32, u32), Weight> = BTreeMap::new();
            let mut next: BTreeMap<(u32, Seen), SeenDice> = BTreeMap::new();
            for ((before, seen), (hand, known)) in states {
                let (left, missing) = (self.count - before, needed - before);
                let last = enough.entry(before).or_insert_with(|| {
                    let others =
                        |count: u32| &ways_of(left, count) * &rest_powers[(left - count) as usize];
                    (missing..=left)
                        .map(others)
                        .fold(Weight::ZERO, |sum, ways| sum + &ways)
                });
                let see_more = |count: u32| {
                    let mut seen = seen.clone();
                    see(&mut seen, before, worth, count);
                    seen
                };
                let new = |count: u32| (longer(&hand, worth, count), Weight::ZERO);
                found
                    .entry(see_more(missing))
                    .or_insert_with(|| new(missing))
                    .1 += &known * last;
                if !rest.is_zero() {
                    for count in 0..missing {
                        let ways = of_count
                            .entry((left, count))
                            .or_insert_with(|| ways_of(left, count));
                        next.entry((before + count, see_more(count)))
                            .or_insert_with(|| new(count))
                            .1 += &known * ways;
                    }
                }
                steps += u64::from(missing) + 1;
            }
            if next.len() + found.len() > MAX_HANDS || steps > MAX_STEPS {
                return None;
            }
            states = next;
        }
        Some(whole_hands(found.into_values(), kept))
    }
}

/// Returns hands in full, the lowest first. Dice that are not read are like the last that is.
fn whole_hands(found: impl Iterator<Item = SeenDice>, kept: usize) -> Vec<Hand> {
    let hand = |(dice, ways): SeenDice| {
        let mut worths: Vec<i64> = dice
            .iter()
            .flat_map(|(worth, count)| std::iter::repeat_n(*worth, *count as usize))
            .collect();
        worths.resize(kept, worths.last().copied().unwrap_or_default());
        worths.sort_unstable_by(|a, b| b.cmp(a));
        (worths, ways)
    };
    let mut hands: Vec<Hand> = found.map(hand).collect();
    hands.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    hands
}

/// Returns a hand with some dice more that show a worth.
fn longer(hand: &[(i64, u32)], worth: i64, count: u32) -> Vec<(i64, u32)> {
    [hand, &[(worth, count)][..usize::from(count > 0)]].concat()
}
