//! Sums of dice, by arithmetic of polynomials: the coefficient of the term `n` is the number of combinations that give `n`, and dice that
//! fall together are the product. A polynomial is one large number, each coefficient in as many whole words as the greatest of a result may
//! take, so that rows of words are added and never carried from one coefficient to the next.

use super::Weight;
use dashu_int::{IBig, Sign, UBig, Word};
use std::collections::BTreeMap;

/// Each value with its number of combinations.
pub type Ways = Vec<(i64, Weight)>;

/// A number of equal dice, and what each may show: its rank, where the highest counts first, its score, and its combinations.
pub(super) type RankedDice = (u32, Vec<((i64, i64), Weight)>);

/// The most values that are listed, and about the most memory in words that their numbers of combinations may take.
const MAX_VALUES: u64 = 4_000_000;
const MAX_WORDS: u64 = 32_000_000;

/// About the most additions of words that a distribution may take: a few seconds.
const MAX_WORK: u64 = 2_000_000_000;

/// About the most additions of words up to which adding die after die is fastest.
const MAX_FEW: u64 = 20_000;

/// Returns each key once, the lowest first, with all its combinations.
pub(super) fn add_up<K: Ord>(list: impl IntoIterator<Item = (K, Weight)>) -> Vec<(K, Weight)> {
    let mut sums: Vec<(K, Weight)> = list.into_iter().collect();
    sums.sort_by(|(a, _), (b, _)| a.cmp(b));
    sums.dedup_by(|(key, ways), (last, sum)| {
        let is_equal = key == last;
        if is_equal {
            *sum += &*ways;
        }
        is_equal
    });
    sums
}

/// Returns all combinations together.
pub(super) fn total<K>(list: &[(K, Weight)]) -> Weight {
    list.iter().map(|(_, ways)| ways).sum()
}

/// Returns the greatest common divisor; that of 0 and a number is the number.
pub fn greatest_divisor(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        greatest_divisor(b, a % b)
    }
}

/// The coefficients of a die, as the changes from each value to the next. They are few also for a die of many sides: they change only
/// where a run of equally likely values begins or ends.
#[derive(Default)]
struct Steps(BTreeMap<i64, IBig>);

impl Steps {
    /// Adds a value with its combinations; the next value is so much above it.
    fn add(&mut self, value: i64, ways: &Weight, stride: u64) {
        let ways = IBig::from(ways.as_integer().clone());
        for (at, change) in [(value + stride as i64, -&ways), (value, ways)] {
            let sum = self.0.entry(at).or_default();
            *sum += change;
            if sum.is_zero() {
                self.0.remove(&at);
            }
        }
    }

    /// Returns the polynomial of the values less `low`.
    fn polynomial(&self, low: i64, stride: u64) -> DiePolynomial<'_> {
        let place = |value: &i64| (value.abs_diff(low) / stride) as usize;
        let changes: Vec<_> = self
            .0
            .iter()
            .map(|(value, change)| (place(value), change))
            .collect();
        let end = changes.last().map_or(0, |(place, _)| place - 1);
        DiePolynomial { changes, end }
    }
}

/// The factor of a product of dice.
struct DiePolynomial<'a> {
    /// The changes of its coefficients, by place.
    changes: Vec<(usize, &'a IBig)>,
    /// The last place.
    end: usize,
}

impl DiePolynomial<'_> {
    /// Returns the polynomial of so many dice, with coefficients of so many words; `None` if that takes too long.
    ///
    /// With `p` for the changes of one die, `f = (p / (1 - x))^n`, so `p * (1 - x) * f' = n * (p' * (1 - x) + p) * f`: each coefficient
    /// follows from as many before it as `p` has terms (Euler).
    fn power(&self, count: u32, width: usize) -> Option<UBig> {
        let (terms, last) = (
            self.changes.len() as u64,
            self.end as u64 * u64::from(count),
        );
        let words = last.saturating_mul(terms * width as u64);
        if count == 1 || words.saturating_mul(count.into()) <= MAX_FEW {
            let one: Vec<Word> = (0..width).map(|word| Word::from(word == 0)).collect();
            let rows = (0..count).fold(one, |product, _| self.multiply(&product, width));
            return Some(UBig::from_words(&rows));
        }
        // The factor of the coefficient `back` places before `k` is `plain - falling * (k - back)`.
        let mut factors: BTreeMap<usize, (IBig, IBig)> = BTreeMap::new();
        for (place, change) in &self.changes {
            let of_place = *change * IBig::from(*place) * count;
            factors.entry(*place).or_default().0 += &of_place;
            factors.entry(*place).or_default().1 += *change;
            let next = factors.entry(place + 1).or_default();
            (next.0, next.1) = (&next.0 + *change * count - of_place, &next.1 - *change);
        }
        let (_, first) = factors.remove(&0)?;
        if words > MAX_WORK / 8 {
            return None;
        }
        let mut sums: Vec<IBig> = vec![first.pow(count as usize)];
        for k in 1..=last as usize {
            let mut sum = IBig::ZERO;
            for (back, (plain, falling)) in factors.range(..=k) {
                let earlier = &sums[k - back];
                if !earlier.is_zero() {
                    sum += (plain - falling * IBig::from(k - back)) * earlier;
                }
            }
            sums.push(sum / (&first * IBig::from(k)));
        }
        let mut rows: Vec<Word> = vec![0; sums.len() * width];
        for (row, sum) in rows.chunks_mut(width).zip(&sums) {
            let (_, words) = sum.as_sign_words();
            row[..words.len()].copy_from_slice(words);
        }
        Some(UBig::from_words(&rows))
    }

    /// Returns the product with a polynomial whose coefficients have so many words.
    fn multiply(&self, polynomial: &[Word], width: usize) -> Vec<Word> {
        if polynomial.is_empty() {
            return Vec::new();
        }
        let mut product: Vec<Word> = vec![0; polynomial.len() + self.end * width];
        for (place, change) in &self.changes {
            let (sign, factor) = IBig::clone(change).into_parts();
            let target = &mut product[(place * width).min(polynomial.len() + self.end * width)..];
            let multiple;
            let row = if factor.is_one() {
                polynomial
            } else {
                multiple = UBig::from_words(polynomial) * factor;
                multiple.as_words()
            };
            let row = &row[..row.len().min(target.len())];
            add_words(target, row, sign == Sign::Negative);
        }
        // From the changes to the coefficients: the quotient by `1 - x`.
        let mut carry = false;
        for at in width..product.len() {
            let (sum, first) = product[at].overflowing_add(product[at - width]);
            let (sum, second) = sum.overflowing_add(carry.into());
            (product[at], carry) = (sum, first | second);
        }
        product
    }
}

/// Adds a number to another of no fewer words, or subtracts it; what is beyond them is dropped.
fn add_words(number: &mut [Word], other: &[Word], negative: bool) {
    // A negative number is its complement and 1.
    let (mask, mut carry) = (if negative { Word::MAX } else { 0 }, negative);
    let mut add = |word: &mut Word, added: Word| {
        let (sum, first) = word.overflowing_add(added ^ mask);
        let (sum, second) = sum.overflowing_add(carry.into());
        (*word, carry) = (sum, first | second);
        carry != negative
    };
    let (low, high) = number.split_at_mut(other.len());
    let rest = low
        .iter_mut()
        .zip(other)
        .fold(false, |_, (word, added)| add(word, *added));
    if rest {
        high.iter_mut().all(|word| add(word, 0));
    }
}

/// Returns the values of a polynomial, the lowest first. Impossible ones would be branches of probability 0.
fn values(polynomial: &[Word], width: usize, low: i64, stride: u64) -> Ways {
    (low..)
        .step_by(stride as usize)
        .zip(polynomial.chunks(width).map(UBig::from_words))
        .filter(|(_, ways)| !ways.is_zero())
        .map(|(value, ways)| (value, Weight::from(ways)))
        .collect()
}

/// Returns the number of words of a coefficient, if so many bits are enough for it and the values are not too many.
fn width(bits: usize, values: u64) -> Option<usize> {
    let width = bits.div_ceil(Word::BITS as usize).max(1);
    let fits = values <= MAX_VALUES && values * width as u64 <= MAX_WORDS;
    fits.then_some(width)
}

/// Returns each sum of so many values of each list, the lowest first; `None` if there are too many. The lists begin with their lowest values.
pub fn sums(lists: &[(u32, &Ways)]) -> Option<Ways> {
    if let [(1, values)] = lists {
        return Some((*values).clone());
    }
    let lists = || lists.iter().filter(|(count, _)| *count > 0);
    let (mut low, mut span, mut stride, mut bits) = (0, 0u64, 0, 0);
    for (count, values) in lists() {
        let (first, last) = (values.first()?.0, values.last()?.0);
        low += i64::from(*count) * first;
        span = span.saturating_add(first.abs_diff(last).saturating_mul((*count).into()));
        stride = values.iter().fold(stride, |stride, (value, _)| {
            greatest_divisor(stride, value.abs_diff(first))
        });
        bits += total(values).bits() * *count as usize;
    }
    let stride = stride.max(1);
    let width = width(bits, (span / stride).saturating_add(1))?;
    let mut product = UBig::ONE;
    for (count, values) in lists() {
        let mut die = Steps::default();
        values
            .iter()
            .for_each(|(value, ways)| die.add(*value, ways, stride));
        product *= die.polynomial(values[0].0, stride).power(*count, width)?;
    }
    Some(values(product.as_words(), width, low, stride))
}

/// Returns each sum of the scores of the `kept` dice of the highest ranks, the lowest first; `None` if there are too many.
///
/// Let `v` be the lowest rank that counts. Fewer than `kept` dice are above `v`, and enough others are equal to it that `kept` dice are at
/// least `v`. What those above add up to is a product of powers of the scores above `v`; the sum over their number is Horner's scheme.
pub(super) fn sums_of_kept(kinds: &[RankedDice], kept: u32) -> Option<Ways> {
    let sides = kinds.iter().flat_map(|(_, die)| die);
    let mut ranks: Vec<(i64, i64)> = sides.map(|(side, _)| *side).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let low = ranks.iter().map(|(_, score)| *score).min()?;
    let high = ranks.iter().map(|(_, score)| *score).max()?;
    let bits = |(count, die): &RankedDice| total(die).bits() * *count as usize;
    let places = high.abs_diff(low).saturating_mul(kept.into());
    let width = width(kinds.iter().map(bits).sum(), places.saturating_add(1))?;
    // On average half of the sides are above, and half of the dice.
    let choices = kinds.iter().fold(1, |choices: u64, (count, _)| {
        choices.saturating_mul((*count.min(&(kept - 1))).max(1).into())
    });
    let work = places / 4 * u64::from(kept > 1) * 3 + 4 * u64::from(kept) + 10;
    let work = work.saturating_mul(width as u64 * ranks.len() as u64);
    if work.saturating_mul(choices) > MAX_WORK {
        return None;
    }
    let mut sums = vec![0; (places as usize + 1) * width];
    let mut kinds: Vec<DiceBeside> = kinds
        .iter()
        .map(|(count, die)| DiceBeside {
            count: *count,
            die,
            above: Steps::default(),
            equal: (0, Weight::ZERO),
            below: total(die),
        })
        .collect();
    let mut least = high;
    for (rank, score) in ranks.into_iter().rev() {
        kinds.iter_mut().for_each(|kind| kind.go_down(rank));
        least = least.min(score);
        // Where only one die counts, none above it adds anything.
        let base = if kept > 1 { least } else { score };
        let above: Vec<DiePolynomial> = kinds
            .iter()
            .map(|kind| kind.above.polynomial(least, 1))
            .collect();
        let beside: Vec<_> = kinds.iter().zip(&above).collect();
        let others = Others {
            all: UBig::ONE,
            few: UBig::ONE,
        };
        let place = score.abs_diff(base) as usize;
        let terms = scores_above(&beside, kept, others, (width, place));
        let first = base.abs_diff(low) as usize * kept as usize;
        add_words(&mut sums[first * width..], &terms, false);
    }
    Some(values(&sums, width, low * i64::from(kept), 1))
}

/// The dice of one kind, relative to a rank.
struct DiceBeside<'a> {
    count: u32,
    /// The sides below it.
    die: &'a [((i64, i64), Weight)],
    /// The scores above it.
    above: Steps,
    /// The score of a die that is equal, and its combinations.
    equal: (i64, Weight),
    /// The combinations of a die that is below it.
    below: Weight,
}

impl DiceBeside<'_> {
    /// Goes down to the next rank.
    fn go_down(&mut self, rank: i64) {
        let (score, ways) = std::mem::take(&mut self.equal);
        self.above.add(score, &ways, 1);
        if let Some((((last, score), ways), below)) = self.die.split_last()
            && *last == rank
        {
            (self.equal, self.die) = ((*score, ways.clone()), below);
            self.below = ways.complement_to(&self.below);
        }
    }
}

/// The combinations of dice that are not above a rank.
#[derive(Clone)]
struct Others {
    all: UBig,
    /// Those with fewer equal dice than are missing, as a polynomial in their number.
    few: UBig,
}

impl Others {
    /// Adds a die, where so many dice are missing.
    fn add(&mut self, die: &DiceBeside, (width, missing): (usize, u32)) {
        let (equal, below) = (die.equal.1.as_integer(), die.below.as_integer());
        let bits = width * Word::BITS as usize;
        self.all *= equal + below;
        self.few = ((&self.few * equal) << bits) + &self.few * below;
        self.few.clear_high_bits(bits * missing as usize);
    }
}

/// Returns the scores of the dice that count, as long as so many are missing. `others` are the dice seen so far that are not above the
/// rank; the score of a die that is equal is at `place`.
fn scores_above(
    kinds: &[(&DiceBeside, &DiePolynomial)],
    missing: u32,
    mut others: Others,
    (width, place): (usize, usize),
) -> Vec<Word> {
    let Some(((kind, scores), later)) = kinds.split_first() else {
        let mut few = vec![0; width];
        let chunks = others.few.as_words().chunks(width).take(missing as usize);
        chunks.for_each(|chunk| add_words(&mut few, chunk, false));
        let enough = others.all - UBig::from_words(&few);
        let mut term = vec![0; (place * missing as usize + 1) * width];
        add_words(
            &mut term[place * missing as usize * width..],
            enough.as_words(),
            false,
        );
        return term;
    };
    let most = match scores.changes[..] {
        [] => 0,
        _ => kind.count.min(missing - 1),
    };
    (most..kind.count).for_each(|_| others.add(kind, (width, missing)));
    let mut sum: Vec<Word> = Vec::new();
    for above in (0..=most).rev() {
        sum = scores.multiply(&sum, width);
        let term = scores_above(later, missing - above, others.clone(), (width, place));
        let chosen = Weight::binomial(kind.count, above);
        let term = UBig::from_words(&term) * chosen.as_integer();
        sum.resize(
            sum.len().max(term.as_words().len().next_multiple_of(width)),
            0,
        );
        add_words(&mut sum, term.as_words(), false);
        if above > 0 {
            others.add(kind, (width, missing));
        }
    }
    sum
}
