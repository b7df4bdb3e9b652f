//! Sums of dice: how many combinations give each sum, by arithmetic of polynomials. The coefficient of the term `n` is the number of
//! combinations that give `n`; dice that fall together are the product.

use super::Weight;
use dashu_int::{IBig, UBig, Word};
use std::collections::BTreeMap;

/// Each value with its number of combinations.
pub type Ways = Vec<(i64, Weight)>;

/// A number of equal dice, and what each may show: its worth, score and combinations.
pub(super) type ScoredDice = (u32, Vec<(i64, i64, Weight)>);

/// The most values that are listed, and about the most memory in words that their numbers of combinations may take.
const MAX_VALUES: u64 = 4_000_000;
const MAX_WORDS: u64 = 32_000_000;

/// About the most additions in small numbers, beyond which large ones take less time.
const MAX_FEW: u64 = 10_000;

/// About the most operations on words that a distribution may take: a few seconds.
const MAX_WORK: u64 = 3_000_000_000;

/// The numbers of combinations of one die, as the changes from each value to the next. That is short even for a die of many sides: they
/// change only where a run of equally likely values begins or ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Steps(BTreeMap<i64, IBig>);

impl Steps {
    /// Adds `ways` to each of `length` values from `low` on.
    pub fn add_run(&mut self, low: i64, length: u32, ways: &Weight) {
        let change = IBig::from(ways.as_integer().clone());
        self.change(low, &change);
        self.change(low + i64::from(length), &-change);
    }

    /// Adds those of another die, moved by `by` and multiplied by `ways`.
    pub fn add_moved(&mut self, other: &Steps, by: i64, ways: &Weight) {
        let factor = IBig::from(ways.as_integer().clone());
        other
            .0
            .iter()
            .for_each(|(value, change)| self.change(value + by, &(change * &factor)));
    }

    fn change(&mut self, value: i64, change: &IBig) {
        let sum = self.0.entry(value).or_default();
        *sum += change;
        if sum.is_zero() {
            self.0.remove(&value);
        }
    }

    /// Returns the number of changes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns each run of equally likely values: the first, the number of values, and the combinations of each.
    fn runs(&self) -> impl Iterator<Item = (i64, u64, Weight)> {
        let mut ways = IBig::ZERO;
        self.0
            .iter()
            .zip(self.0.keys().skip(1))
            .filter_map(move |((low, change), next)| {
                ways += change;
                let ways = UBig::try_from(ways.clone())
                    .ok()
                    .filter(|ways| !ways.is_zero())?;
                Some((*low, low.abs_diff(*next), Weight::from(ways)))
            })
    }

    /// Returns the number of values.
    fn value_count(&self) -> u64 {
        self.runs().map(|(_, length, _)| length).sum()
    }

    /// Returns each value with its combinations, the lowest first; `None` if there are too many.
    pub fn values(&self) -> Option<Ways> {
        let listed = self.value_count() <= MAX_VALUES;
        listed.then(|| {
            self.runs()
                .flat_map(|(low, length, ways)| {
                    (low..)
                        .take(length as usize)
                        .map(move |n| (n, ways.clone()))
                })
                .collect()
        })
    }

    /// Returns each sum of `count` such dice, the lowest first; `None` if there are too many.
    ///
    /// With `f = q^n`, `q * f' = n * q' * f`, so each coefficient follows from as many before it as `q` has terms (Euler). Where `q` has
    /// many terms it is a short `p` over `1 - x`, and `p * (1 - x) * f' = n * (p' * (1 - x) + p) * f`.
    pub fn power(&self, count: u32) -> Option<Ways> {
        match count {
            0 => return Some(vec![(0, Weight::ONE)]),
            1 => return self.values(),
            _ => {}
        }
        let low = *self.0.keys().next()?;
        let (value_count, is_short) = (self.value_count(), 2 * self.len() as u64);
        if let Some(sums) = self.few_sums(count, value_count) {
            return Some(sums);
        }
        let n = IBig::from(count);
        let (stride, left, right) = if value_count <= is_short {
            let values = self.values()?;
            let stride = values
                .iter()
                .fold(0, |stride, (value, _)| {
                    greatest_divisor(stride, value.abs_diff(low))
                })
                .max(1);
            let q: Terms = values
                .into_iter()
                .map(|(n, ways)| {
                    (
                        n.abs_diff(low) / stride,
                        IBig::from(ways.as_integer().clone()),
                    )
                })
                .collect();
            let derived = derivative(&q, &n);
            (stride, q, derived)
        } else {
            let p: Terms = self
                .0
                .iter()
                .map(|(value, change)| (value.abs_diff(low), change.clone()))
                .collect();
            let mut right = differences(&derivative(&p, &n));
            p.iter()
                .for_each(|(power, factor)| add_term(&mut right, *power, factor * &n));
            (1, differences(&p), right)
        };
        let span = self.0.keys().next_back()?.abs_diff(low).saturating_sub(1) / stride;
        let last = span.checked_mul(count.into())?;
        let words = self.total().bits() as u64 * u64::from(count) / 64 + 1;
        let term_count = left.len() as u64 + right.len() as u64;
        let fits = last < MAX_VALUES
            && last.saturating_mul(words) <= MAX_WORDS
            && last.saturating_mul(words * term_count) <= MAX_WORK;
        let first = left.get(&0).filter(|_| fits)?;
        // The factor of the coefficient `back` places before `k` is `right[back - 1] - left[back] * (k - back)`.
        let mut factors: BTreeMap<u64, (IBig, IBig)> = BTreeMap::new();
        left.iter()
            .filter(|(power, _)| **power > 0)
            .for_each(|(power, factor)| factors.entry(*power).or_default().1 = factor.clone());
        right
            .iter()
            .for_each(|(power, factor)| factors.entry(power + 1).or_default().0 = factor.clone());
        let mut sums: Vec<IBig> = vec![first.pow(count as usize)];
        for k in 1..=last {
            let mut sum = IBig::ZERO;
            for (back, (plain, falling)) in factors.range(..=k) {
                let earlier = &sums[(k - back) as usize];
                if !earlier.is_zero() {
                    sum += (plain - falling * IBig::from(k - back)) * earlier;
                }
            }
            sums.push(sum / (first * IBig::from(k)));
        }
        let value = |place: u64| i64::from(count) * low + (place * stride) as i64;
        let ways = |sum: IBig| {
            UBig::try_from(sum)
                .ok()
                .filter(|ways| !ways.is_zero())
                .map(Weight::from)
        };
        // Impossible sums would be branches of probability 0.
        Some(
            (0..)
                .zip(sums)
                .filter_map(|(place, sum)| Some((value(place), ways(sum)?)))
                .collect(),
        )
    }

    /// Returns each sum by adding die after die, if the dice are few and the combinations fit in 128 bits, where that is fastest.
    fn few_sums(&self, count: u32, value_count: u64) -> Option<Ways> {
        let span = self.0.keys().next_back()?.abs_diff(*self.0.keys().next()?);
        let additions = u64::from(count)
            .pow(2)
            .saturating_mul(span)
            .saturating_mul(value_count);
        if additions > MAX_FEW || self.total().bits() as u64 * u64::from(count) > 127 {
            return None;
        }
        let low = *self.0.keys().next()?;
        let die: Vec<(usize, u128)> = self
            .values()?
            .into_iter()
            .map(|(value, ways)| {
                Some((
                    value.abs_diff(low) as usize,
                    u128::try_from(ways.as_integer()).ok()?,
                ))
            })
            .collect::<Option<_>>()?;
        let mut sums = vec![1u128];
        for _ in 0..count {
            let mut next = vec![0; sums.len() + span as usize - 1];
            for (place, known) in sums.iter().enumerate().filter(|(_, known)| **known > 0) {
                die.iter()
                    .for_each(|(value, ways)| next[place + value] += known * ways);
            }
            sums = next;
        }
        let first = low * i64::from(count);
        Some(
            (first..)
                .zip(sums)
                .filter(|(_, ways)| *ways > 0)
                .map(|(sum, ways)| (sum, Weight::from(ways)))
                .collect(),
        )
    }

    /// Returns the number of all combinations.
    pub fn total(&self) -> Weight {
        let mut total = Weight::ZERO;
        self.runs()
            .for_each(|(_, length, ways)| total += &ways * &Weight::from(u128::from(length)));
        total
    }
}

/// The terms of a polynomial: by exponent the factor.
type Terms = BTreeMap<u64, IBig>;

fn add_term(terms: &mut Terms, power: u64, factor: IBig) {
    let sum = terms.entry(power).or_default();
    *sum += factor;
    if sum.is_zero() {
        terms.remove(&power);
    }
}

/// Returns the derivative times a number.
fn derivative(terms: &Terms, times: &IBig) -> Terms {
    terms
        .iter()
        .filter(|(power, _)| **power > 0)
        .map(|(power, factor)| (power - 1, factor * IBig::from(*power) * times))
        .collect()
}

/// Returns the product with `1 - x`.
fn differences(terms: &Terms) -> Terms {
    let mut product = terms.clone();
    terms
        .iter()
        .for_each(|(power, factor)| add_term(&mut product, power + 1, -factor));
    product
}

/// Returns the greatest common divisor; that of 0 and a number is the number.
pub fn greatest_divisor(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        greatest_divisor(b, a % b)
    }
}

/// Returns the sums of one value of `a` and one of `b`; `None` if there are too many. Both are written into one large number each, every
/// coefficient in as many bits as the product may have, so that a single multiplication multiplies the polynomials (Kronecker).
pub fn sums_of_both(a: &Ways, b: &Ways) -> Option<Ways> {
    let total = |ways: &Ways| ways.iter().map(|(_, ways)| ways).sum::<Weight>();
    let bits = total(a).bits() + total(b).bits();
    let packed = |ways: &Ways| {
        let (low, high) = (ways.first()?.0, ways.last()?.0);
        let fits = high.abs_diff(low) < MAX_VALUES
            && high.abs_diff(low).saturating_mul(bits as u64 / 64 + 1) <= MAX_WORDS;
        let mut chunks = vec![
            UBig::ZERO;
            if fits {
                high.abs_diff(low) as usize + 1
            } else {
                return None;
            }
        ];
        ways.iter().for_each(|(value, ways)| {
            chunks[value.abs_diff(low) as usize] = ways.as_integer().clone()
        });
        Some((low, UBig::from_chunks(chunks.iter(), bits)))
    };
    let ((low_a, a), (low_b, b)) = (packed(a)?, packed(b)?);
    let chunks = (a * b).to_chunks(bits).into_vec();
    Some(
        (low_a + low_b..)
            .zip(chunks)
            .filter(|(_, ways)| !ways.is_zero())
            .map(|(value, ways)| (value, Weight::from(ways)))
            .collect(),
    )
}

/// Returns each sum of the scores of the `kept` best of `count` equal dice, of which fewer count than fall. `die` has what a die may show,
/// the best first: its score, and its combinations. `None` if there are too many.
///
/// Let `v` be the worst that counts. If `above` dice show better than `v`, then enough others show `v` and the rest less that `kept` dice
/// show `v` or better. What those above add up to is a power of the polynomial of the scores above `v`; the sum over `above` is Horner's
/// scheme, in which a polynomial is one large number as in [`sums_of_both`].
pub(super) fn sums_of_kept(
    die: impl IntoIterator<Item = (i64, Weight)>,
    count: u32,
    kept: u32,
) -> Option<Ways> {
    // Between neighbours of equal score it makes no difference which of them counts.
    let mut classes: Ways = Vec::new();
    for (score, ways) in die {
        match classes.last_mut() {
            Some((last, sum)) if *last == score => *sum += ways,
            _ => classes.push((score, ways)),
        }
    }
    let left_out = count.checked_sub(kept)?;
    let (lowest, highest) = (
        classes.iter().map(|(score, _)| *score).min()?,
        classes.iter().map(|(score, _)| *score).max()?,
    );
    let total: Weight = classes.iter().map(|(_, ways)| ways).sum();
    // Whole words, so that coefficients are moved and not shifted.
    let width = (total.bits() * count as usize + 1).div_ceil(Word::BITS as usize);
    let places = highest.abs_diff(lowest).checked_mul(kept.into())?;
    let words = width as u64;
    // On average half of the scores lie above, and half of the dice are above.
    let above_places = places - highest.abs_diff(lowest);
    let mut all = Above {
        width,
        runs: Vec::new(),
    };
    classes
        .iter()
        .for_each(|(score, ways)| all.push(*score, ways.clone()));
    let runs = 1 + all.runs.len() as u64 / 2;
    let work = (classes.len() as u64 * runs)
        .saturating_mul(u64::from(kept))
        .saturating_mul(1 + above_places / 4)
        .saturating_mul(words);
    if places >= MAX_VALUES || places.saturating_mul(words) > MAX_WORDS || work > MAX_WORK {
        return None;
    }
    let mut sums: Vec<Word> = vec![0; (places as usize + 1) * width];
    let chosen: Vec<Weight> = (0..kept)
        .map(|above| Weight::binomial(count, above))
        .collect();
    let left_of: Vec<Weight> = (0..kept)
        .map(|above| Weight::binomial(count - above - 1, left_out))
        .collect();
    let mut above_v = Above {
        width,
        runs: Vec::new(),
    };
    let (mut least, mut rest) = (i64::MAX, total);
    let mut rest_power = rest.pow(left_out + 1);
    for (score, ways) in classes {
        least = least.min(score);
        let less = ways.complement_to(&rest);
        let less_power = less.pow(left_out + 1);
        // The combinations of the dice that are not above in which at most `left_out` of them show less; the number of those dice grows.
        let mut enough = less_power.complement_to(&rest_power);
        let (mut ways_power, mut packed) = (Weight::ONE, Vec::new());
        for above in (0..kept).rev() {
            if above + 1 < kept {
                ways_power *= &ways;
                let too_few = &(&left_of[above as usize] * &less_power) * &ways_power;
                enough = too_few.complement_to(&(&enough * &rest));
            }
            packed = above_v.multiply(&packed, least);
            if above == 0 || !above_v.runs.is_empty() {
                let place = score.abs_diff(least) as usize * (kept - above) as usize;
                packed.resize(packed.len().max((place + 1) * width), 0);
                let term = &chosen[above as usize] * &enough;
                add_words(
                    &mut packed[place * width..][..width],
                    term.as_integer().as_words(),
                );
            }
        }
        let first = least.abs_diff(lowest) as usize * kept as usize;
        sums[first * width..]
            .chunks_exact_mut(width)
            .zip(packed.chunks_exact(width))
            .for_each(|(sum, ways)| add_words(sum, ways));
        above_v.push(score, ways);
        (rest, rest_power) = (less, less_power);
    }
    let low = lowest * i64::from(kept);
    let ways = sums.chunks_exact(width).map(UBig::from_words);
    Some(
        (low..)
            .zip(ways)
            .filter(|(_, ways)| !ways.is_zero())
            .map(|(sum, ways)| (sum, Weight::from(ways)))
            .collect(),
    )
}

/// The scores of a die above some value, as runs of equally likely ones: the lowest, their number, and the combinations of each. A
/// polynomial is a row of coefficients, each of so many words.
struct Above {
    width: usize,
    runs: Vec<(i64, usize, Weight)>,
}

impl Above {
    fn push(&mut self, score: i64, ways: Weight) {
        match self.runs.last_mut() {
            Some((low, length, known)) if *low == score + 1 && *known == ways => {
                (*low, *length) = (score, *length + 1)
            }
            _ => self.runs.push((score, 1, ways)),
        }
    }

    /// Returns the product of a polynomial and that of the scores, each less `least`.
    fn multiply(&self, polynomial: &[Word], least: i64) -> Vec<Word> {
        let (width, place) = (self.width, |low: &i64| low.abs_diff(least) as usize);
        let Some(end) = self
            .runs
            .iter()
            .map(|(low, length, _)| place(low) + length - 1)
            .max()
            .filter(|_| !polynomial.is_empty())
        else {
            return Vec::new();
        };
        let mut product: Vec<Word> = vec![0; polynomial.len() + end * width];
        for (low, length, ways) in &self.runs {
            let times_ways;
            let factor = if *ways == Weight::ONE {
                polynomial
            } else {
                let words = (UBig::from_words(polynomial) * ways.as_integer())
                    .as_words()
                    .to_vec();
                times_ways = [
                    &words[..],
                    &vec![0; polynomial.len().saturating_sub(words.len())],
                ]
                .concat();
                &times_ways[..polynomial.len()]
            };
            let target = &mut product[place(low) * width..][..factor.len() + (length - 1) * width];
            // Each coefficient is the sum of as many as the run is long, that end there.
            let mut window: Vec<Word> = vec![0; width];
            for (index, sum) in target.chunks_exact_mut(width).enumerate() {
                if let Some(next) = factor.get(index * width..(index + 1) * width) {
                    add_words(&mut window, next);
                }
                if let Some(first) = index.checked_sub(*length) {
                    subtract_words(&mut window, &factor[first * width..][..width]);
                }
                add_words(sum, &window);
            }
        }
        product
    }
}

/// Adds a number to another of no fewer words, in which the sum has room.
#[inline]
fn add_words(number: &mut [Word], other: &[Word]) {
    let mut carry = false;
    let (low, high) = number.split_at_mut(other.len());
    for (word, added) in low.iter_mut().zip(other) {
        let (sum, first) = word.overflowing_add(*added);
        let (sum, second) = sum.overflowing_add(carry.into());
        (*word, carry) = (sum, first | second);
    }
    for word in high {
        if !carry {
            return;
        }
        (*word, carry) = word.overflowing_add(1);
    }
}

/// Subtracts a number from another of as many words that is no smaller.
#[inline]
fn subtract_words(number: &mut [Word], other: &[Word]) {
    let mut borrow = false;
    for (word, taken) in number.iter_mut().zip(other) {
        let (rest, first) = word.overflowing_sub(*taken);
        let (rest, second) = rest.overflowing_sub(borrow.into());
        (*word, borrow) = (rest, first | second);
    }
}

/// Returns each sum of the scores of the `kept` best of dice of several kinds; `None` if there are too many. `kinds` has the number of dice
/// of each kind, and what a die may show: its worth, score and combinations.
///
/// As in [`sums_of_kept`] by the worst that counts, here for each number of dice of each kind that are above it.
pub(super) fn sums_of_kept_kinds(kinds: &[ScoredDice], kept: u32) -> Option<Ways> {
    let kinds = merge_equal_scores(kinds);
    let mut worths: Vec<i64> = kinds
        .iter()
        .flat_map(|(_, die)| die.iter().map(|(worth, ..)| *worth))
        .collect();
    worths.sort_unstable();
    worths.dedup();
    let scores = || {
        kinds
            .iter()
            .flat_map(|(_, die)| die.iter().map(|(_, score, _)| *score))
    };
    let places = (scores().max()?.abs_diff(scores().min()?) + 1).saturating_mul(kept.into());
    // The ways to choose how many dice of each kind are above.
    let choices = kinds.iter().fold(1u64, |choices, (count, _)| {
        choices.saturating_mul(u64::from(*count.min(&kept)) + 1)
    });
    let bits = |(count, die): &ScoredDice| {
        die.iter().map(|(.., ways)| ways).sum::<Weight>().bits() as u64 * u64::from(*count)
    };
    let words = kinds.iter().map(bits).sum::<u64>() / 64 + 1;
    let work = (worths.len() as u64)
        .saturating_mul(choices)
        .saturating_mul(places)
        .saturating_mul(words);
    if places >= MAX_VALUES || work > MAX_WORK / 60 {
        return None;
    }
    let mut sums: BTreeMap<i64, Weight> = BTreeMap::new();
    for v in worths {
        let score_of_v = kinds
            .iter()
            .flat_map(|(_, die)| die)
            .find(|(worth, ..)| *worth == v)
            .map_or(0, |(_, score, _)| *score);
        let split: Vec<KindAt> = kinds
            .iter()
            .map(|(count, die)| KindAt::new(*count, die, v, kept))
            .collect::<Option<_>>()?;
        let seen = SeenAbove {
            above: 0,
            scores: vec![(0, Weight::ONE)],
            equal: vec![Weight::ONE],
        };
        add_kept(&split, seen, (kept, score_of_v), &mut sums)?;
    }
    Some(
        sums.into_iter()
            .filter(|(_, ways)| !ways.is_zero())
            .collect(),
    )
}

/// The dice of one kind beside a worth.
struct KindAt {
    /// By the number of dice above it, fewer than count in the throw: the sums of their scores.
    above: Vec<Ways>,
    /// For the same numbers, by the number of dice equal to it, at most as many as count: the combinations of the dice that are not above.
    equal: Vec<Vec<Weight>>,
}

impl KindAt {
    fn new(count: u32, die: &[(i64, i64, Weight)], v: i64, kept: u32) -> Option<KindAt> {
        let mut scores: BTreeMap<i64, Weight> = BTreeMap::new();
        die.iter()
            .filter(|(worth, ..)| *worth > v)
            .for_each(|(_, score, ways)| *scores.entry(*score).or_default() += ways);
        let one: Ways = scores.into_iter().collect();
        let mut above = vec![vec![(0, Weight::ONE)]];
        if !one.is_empty() {
            for dice in 1..kept.min(count + 1) {
                above.push(sums_of_both(&above[dice as usize - 1], &one)?);
            }
        }
        let ways = |shows: &dyn Fn(i64) -> bool| {
            die.iter()
                .filter(|(worth, ..)| shows(*worth))
                .map(|(.., ways)| ways)
                .sum()
        };
        let powers = |base: Weight| -> Vec<Weight> {
            std::iter::successors(Some(Weight::ONE), |power| Some(power * &base))
                .take(count as usize + 1)
                .collect()
        };
        let (of_equal, of_less) = (
            powers(ways(&|worth| worth == v)),
            powers(ways(&|worth| worth < v)),
        );
        let equal = |above: u32| {
            let (left, chosen) = (count - above, Weight::binomial(count, above));
            let mut by_number = vec![Weight::ZERO; left.min(kept) as usize + 1];
            for dice in 0..=left {
                let of_dice = &Weight::binomial(left, dice)
                    * &(&of_equal[dice as usize] * &of_less[(left - dice) as usize]);
                by_number[dice.min(kept) as usize] += &chosen * &of_dice;
            }
            by_number
        };
        Some(KindAt {
            equal: (0..above.len() as u32).map(equal).collect(),
            above,
        })
    }
}

/// What is known of the kinds seen so far: how many of their dice are above, the sums of their scores, and by the number of dice that are
/// equal, at most as many as count, their combinations.
struct SeenAbove {
    above: u32,
    scores: Ways,
    equal: Vec<Weight>,
}

/// Adds the sums in which as many dice are above as were seen, and any number of the others.
fn add_kept(
    kinds: &[KindAt],
    seen: SeenAbove,
    (kept, score_of_v): (u32, i64),
    sums: &mut BTreeMap<i64, Weight>,
) -> Option<()> {
    let Some((kind, others)) = kinds.split_first() else {
        let missing = kept - seen.above;
        let enough: Weight = seen.equal.iter().skip(missing as usize).sum();
        if !enough.is_zero() {
            let of_equal = score_of_v * i64::from(missing);
            seen.scores
                .iter()
                .for_each(|(sum, ways)| *sums.entry(sum + of_equal).or_default() += ways * &enough);
        }
        return Some(());
    };
    for (above, (scores, ways_by_equal)) in
        (0..kept - seen.above).zip(kind.above.iter().zip(&kind.equal))
    {
        let most = kept as usize;
        let mut equal =
            vec![Weight::ZERO; (seen.equal.len() + ways_by_equal.len() - 1).min(most + 1)];
        for (dice, ways) in ways_by_equal
            .iter()
            .enumerate()
            .filter(|(_, ways)| !ways.is_zero())
        {
            seen.equal
                .iter()
                .enumerate()
                .for_each(|(known, known_ways)| {
                    equal[(known + dice).min(most)] += known_ways * ways
                });
        }
        let scores = if above == 0 {
            seen.scores.clone()
        } else {
            sums_of_both(&seen.scores, scores)?
        };
        add_kept(
            others,
            SeenAbove {
                above: seen.above + above,
                scores,
                equal,
            },
            (kept, score_of_v),
            sums,
        )?;
    }
    Some(())
}

/// Returns the dice with one worth for all neighbouring worths of equal score: it makes no difference which of them counts.
fn merge_equal_scores(kinds: &[ScoredDice]) -> Vec<ScoredDice> {
    let scores: BTreeMap<i64, i64> = kinds
        .iter()
        .flat_map(|(_, die)| die.iter().map(|(worth, score, _)| (*worth, *score)))
        .collect();
    let (mut classes, mut class, mut last) = (BTreeMap::new(), 0, None);
    for (worth, score) in scores {
        class += i64::from(last.is_some_and(|last| last != score));
        (_, last) = (classes.insert(worth, class), Some(score));
    }
    let merged = |die: &[(i64, i64, Weight)]| {
        let mut sums: BTreeMap<i64, (i64, Weight)> = BTreeMap::new();
        for (worth, score, ways) in die {
            let sum = sums.entry(classes[worth]).or_default();
            (sum.0, sum.1) = (*score, std::mem::take(&mut sum.1) + ways);
        }
        sums.into_iter()
            .map(|(class, (score, ways))| (class, score, ways))
            .collect()
    };
    kinds
        .iter()
        .map(|(count, die)| (*count, merged(die)))
        .collect()
}
