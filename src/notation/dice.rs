//! Dice: what is thrown, what of it counts, and how likely that is.

use super::face::{DieFaces, FUDGE, Face, NamedDice, TENS};
use super::grammar::Rule;
use super::{Band, NotationError, Weight, parse};
use pest::iterators::Pair;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Dice that are thrown together: 2d6, d12, 1d6+1, 4d6kh3, 3d6r1, 3d6!2, 2d66, 4dF, 3 battle. There are 1 to 100 dice of 2 to 1000 sides.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dice {
    /// Number of dice.
    pub count: u32,
    /// Number of sides of each die.
    pub sides: u32,
    /// What the sides show, if not the numbers from 1 on.
    pub faces: Option<Arc<DieFaces>>,
    /// The lowest and highest face that is thrown again, once.
    pub reroll: Option<(u32, u32)>,
    /// How often at most the highest face is thrown again and added.
    pub explode: u32,
    /// The dice that count, if not all do.
    pub keep: Option<Keep>,
    /// Added to the total.
    pub modifier: i64,
}

/// The dice of a throw that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Keep {
    /// Their number, from 1 to one less than there are dice.
    pub count: u32,
    /// Whether they are the lowest instead of the highest.
    pub lowest: bool,
}

/// The maximum number of hands that are counted one by one.
pub(super) const MAX_HANDS: usize = 20_000;

/// The maximum number of products that are added to the totals of a throw.
const MAX_PRODUCTS: usize = 20_000_000;

/// The most faces of a die that a message lists.
const MAX_LISTED: usize = 12;

/// The most times that a die may be thrown again.
const MAX_EXPLOSIONS: u32 = 20;

/// What each die that counts is worth, from the highest to the lowest, with the number of combinations that show it.
pub type Hand = (Vec<i64>, Weight);

impl Dice {
    /// Maximum length in bytes of valid dice.
    const LONGEST: usize = 60;
    const EXPECTED: &'static str = "dice such as 1d6, 2d6, d12 or 4d6kh3, the 3 highest of 4 (at most 100 dice of 1000 sides)";
    const EXPECTED_KEEP: &'static str = "dice of which fewer are kept or dropped than are thrown, such as 4d6kh3";
    const EXPECTED_REROLL: &'static str = "dice that have the faces to throw again, and others too, such as 3d6r1 or 3d6r1..2";
    const EXPECTED_EXPLOSIONS: &'static str = "dice that are thrown again and added 1 to 20 times, such as 3d6!2";
    const EXPECTED_NUMBERS: &'static str = "dice to throw again: only dice with numbers from 1 on are, not those with faces of their own";

    /// Returns dice whose sum counts.
    pub fn new(count: u32, sides: u32, modifier: i64) -> Dice {
        Dice { count, sides, faces: None, reroll: None, explode: 0, keep: None, modifier }
    }

    /// Parses dice whose sides show the numbers from 1 on, d66 or dF.
    pub fn parse(text: &str) -> Result<Dice, NotationError> {
        Dice::parse_with(text, &NamedDice::new())
    }

    /// Parses dice, also those that a game declares.
    pub fn parse_with(text: &str, declared: &NamedDice) -> Result<Dice, NotationError> {
        let syntax_error = || NotationError { text: text.into(), expected: Dice::EXPECTED };
        let error_expecting = |expected| Err(NotationError { text: text.into(), expected });
        if text.len() > Dice::LONGEST {
            return Err(syntax_error());
        }
        let number = |pair: Pair<Rule>| pair.as_str().parse::<u32>().map_err(|_| syntax_error());
        let mut dice = Dice::new(1, 0, 0);
        for pair in parse(Rule::dice, text, Dice::EXPECTED)?.into_inner() {
            match pair.as_rule() {
                Rule::numbered | Rule::named => {
                    let mut pairs: Vec<Pair<Rule>> = pair.into_inner().collect();
                    let die = pairs.pop().ok_or_else(syntax_error)?;
                    if let Some(count) = pairs.pop() {
                        dice.count = number(count)?;
                    }
                    match die.as_rule() {
                        Rule::percent => dice.sides = 100,
                        Rule::tens => dice.faces = Some(TENS.clone()),
                        Rule::fudge => dice.faces = Some(FUDGE.clone()),
                        Rule::die => dice.faces = Some(declared.get(die.as_str()).ok_or_else(syntax_error)?.clone()),
                        _ => dice.sides = number(die)?,
                    }
                }
                Rule::reroll => {
                    let band = pair.into_inner().map(number).collect::<Result<Vec<_>, _>>()?;
                    dice.reroll = Some((band[0], *band.last().ok_or_else(syntax_error)?));
                }
                Rule::explode => {
                    dice.explode = pair.into_inner().next().map_or(Ok(1), number)?;
                    if !(1..=MAX_EXPLOSIONS).contains(&dice.explode) {
                        return error_expecting(Dice::EXPECTED_EXPLOSIONS);
                    }
                }
                Rule::keep => {
                    let mut pairs = pair.into_inner();
                    let (keyword, amount) =
                        (pairs.next().ok_or_else(syntax_error)?.as_str(), number(pairs.next().ok_or_else(syntax_error)?)?);
                    if amount == 0 || amount >= dice.count {
                        return error_expecting(Dice::EXPECTED_KEEP);
                    }
                    let count = if keyword.starts_with('d') { dice.count - amount } else { amount };
                    dice.keep = Some(Keep { count, lowest: matches!(keyword, "kl" | "dh") });
                }
                Rule::shift => dice.modifier = pair.as_str().parse::<i64>().map_err(|_| syntax_error())?,
                _ => {}
            }
        }
        if let Some(face_set) = &dice.faces {
            dice.sides = face_set.faces.len() as u32;
        }
        if !((1..=100).contains(&dice.count) && (2..=1000).contains(&dice.sides) && (-1000..=1000).contains(&dice.modifier)) {
            return Err(syntax_error());
        }
        if dice.faces.is_some() && (dice.reroll.is_some() || dice.explode > 0) {
            return error_expecting(Dice::EXPECTED_NUMBERS);
        }
        match dice.reroll {
            Some((low, high)) if low < 1 || low > high || high > dice.sides || high - low + 1 >= dice.sides => {
                error_expecting(Dice::EXPECTED_REROLL)
            }
            _ => Ok(dice),
        }
    }

    /// Returns the name of a die in a text that is written as dice which a game declares: `battle` of `3 battle`.
    pub fn die_name(text: &str) -> Option<&str> {
        let pairs = parse(Rule::dice, text, Dice::EXPECTED).ok()?.into_inner();
        let die_pair = pairs.filter(|pair| pair.as_rule() == Rule::named).last()?;
        die_pair.into_inner().last().map(|die| die.as_str())
    }

    /// Returns whether the sides show words, which have no total.
    pub fn shows_words(&self) -> bool {
        self.faces.as_ref().is_some_and(|face_set| matches!(face_set.faces[..], [Face::Word(_), ..]))
    }

    /// Returns whether dice may be thrown again.
    pub fn may_go_on(&self) -> bool {
        self.reroll.is_some() || self.explode > 0
    }

    /// Returns the face that a side, counted from 1, shows.
    pub fn face(&self, side: u32) -> Face {
        self.faces.as_ref().map_or(Face::Number(side.into()), |face_set| face_set.faces[side as usize - 1].clone())
    }

    /// Returns a side that shows a face, counted from 1; of cards one that is not among those drawn already.
    pub fn side(&self, face: &Face, drawn: &[u32]) -> Option<u32> {
        let unavailable: &[u32] = if self.is_draw() { drawn } else { &[] };
        match (&self.faces, face) {
            (Some(face_set), _) => (1..=self.sides)
                .zip(&face_set.faces)
                .find(|(side, shown)| *shown == face && !unavailable.contains(side))
                .map(|(side, _)| side),
            (None, Face::Number(number)) => u32::try_from(*number).ok().filter(|side| (1..=self.sides).contains(side)),
            (None, Face::Word(_)) => None,
        }
    }

    /// Returns the different faces of dice that do not show the numbers from 1 on, in the order of their sides; else nothing.
    pub fn own_faces(&self) -> Vec<Face> {
        self.faces.as_ref().map_or_else(Vec::new, |face_set| face_set.shown().into_iter().cloned().collect())
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
        if shown.is_empty() { last } else { format!("{} or {last}", shown.join(", ")) }
    }

    /// Returns how a face is read by `hits`: from a number on, or a word itself; `None` if no side shows the word.
    pub fn hit_band(&self, face: &Face) -> Option<Band> {
        match face {
            Face::Number(_) if self.shows_words() => None,
            Face::Number(least) => Some(Band { low: *least, high: i64::MAX }),
            Face::Word(_) => {
                let worth = self.faces.as_ref()?.worth(self.side(face, &[])?);
                Some(Band { low: worth, high: worth })
            }
        }
    }

    /// Follows the sides thrown, in their order: first every die once, then those that are thrown again, in the order of the dice. Returns
    /// what each die is worth, or how many more dice must be thrown.
    fn follow(&self, thrown: &[u32]) -> Result<Vec<i64>, usize> {
        let mut remaining = thrown;
        let mut take = |count: usize| -> Result<&[u32], usize> {
            let (batch, tail) = remaining.split_at_checked(count).ok_or_else(|| count - remaining.len())?;
            remaining = tail;
            Ok(batch)
        };
        let mut last: Vec<u32> = take(self.count as usize)?.to_vec();
        if let Some(face_set) = &self.faces {
            return Ok(last.into_iter().map(|side| face_set.worth(side)).collect());
        }
        if let Some((low, high)) = self.reroll {
            let rerolled: Vec<usize> = (0..last.len()).filter(|die| (low..=high).contains(&last[*die])).collect();
            let sides = take(rerolled.len())?;
            rerolled.iter().zip(sides).for_each(|(die, side)| last[*die] = *side);
        }
        let mut worth: Vec<i64> = last.iter().copied().map(i64::from).collect();
        let mut going: Vec<usize> = (0..last.len()).collect();
        for _ in 0..self.explode {
            going.retain(|die| last[*die] == self.sides);
            let sides = take(going.len())?;
            for (die, side) in going.iter().zip(sides) {
                last[*die] = *side;
                worth[*die] += i64::from(*side);
            }
        }
        Ok(worth)
    }

    /// Returns how many more dice must be thrown after these; 0 if the throw is complete.
    pub fn missing(&self, thrown: &[u32]) -> usize {
        match self.may_go_on() {
            true => self.follow(thrown).err().unwrap_or(0),
            false => (self.count as usize).saturating_sub(thrown.len()),
        }
    }

    /// Returns the number of dice that count.
    fn kept_count(&self) -> u32 {
        self.keep.map_or(self.count, |keep| keep.count)
    }

    /// Returns the lowest and the highest that one die is worth.
    fn die_range(&self) -> (i64, i64) {
        match &self.faces {
            Some(face_set) => {
                (1..=self.sides).map(|side| face_set.worth(side)).fold((i64::MAX, i64::MIN), |(low, high), n| (low.min(n), high.max(n)))
            }
            None => (1, i64::from(self.sides) * i64::from(self.explode + 1)),
        }
    }

    /// Returns the lowest total.
    pub fn min_total(&self) -> i64 {
        i64::from(self.kept_count()) * self.die_range().0 + self.modifier
    }

    /// Returns the highest total.
    pub fn max_total(&self) -> i64 {
        i64::from(self.kept_count()) * self.die_range().1 + self.modifier
    }

    /// Returns what those dice are worth that count, from the highest to the lowest, for the sides of a complete throw.
    pub fn kept(&self, thrown: &[u32]) -> Vec<i64> {
        let mut worths = self.follow(thrown).unwrap_or_default();
        worths.sort_unstable_by(|a, b| b.cmp(a));
        let count = worths.len().min(self.kept_count() as usize);
        match self.keep {
            Some(Keep { lowest: true, .. }) => worths.split_off(worths.len() - count),
            _ => {
                worths.truncate(count);
                worths
            }
        }
    }

    /// Returns what each die is worth, in the order thrown, for the sides of a complete throw.
    pub fn worths(&self, thrown: &[u32]) -> Vec<i64> {
        self.follow(thrown).unwrap_or_default()
    }

    /// Returns the face of what a die is worth.
    pub fn face_worth(&self, worth: i64) -> Face {
        self.faces.as_ref().map_or(Face::Number(worth), |face_set| face_set.face(worth))
    }

    /// Returns the total of a complete throw.
    pub fn total(&self, thrown: &[u32]) -> i64 {
        let is_plain = self.faces.is_none() && self.keep.is_none() && !self.may_go_on();
        let sum: i64 = if is_plain { thrown.iter().copied().map(i64::from).sum() } else { self.kept(thrown).iter().sum() };
        sum + self.modifier
    }

    /// Returns what one die can be worth, from the highest to the lowest, each with its number of combinations.
    fn die_distribution(&self) -> Vec<(i64, Weight)> {
        let sides = Weight::from(self.sides);
        if let Some(face_set) = &self.faces {
            let mut ways: BTreeMap<i64, Weight> = BTreeMap::new();
            (1..=self.sides).for_each(|side| *ways.entry(face_set.worth(side)).or_default() += Weight::ONE);
            return ways.into_iter().rev().collect();
        }
        // A face falls on the first throw and stays, or on the second after a face of the band.
        let first_weight = |face: u32| match self.reroll {
            Some((low, high)) => Weight::from(high - low + 1 + if (low..=high).contains(&face) { 0 } else { self.sides }),
            None => Weight::ONE,
        };
        // What further throws add to the highest face; each pass allows one more of them.
        let mut chained: Vec<(i64, Weight)> = Vec::new();
        for rolls_left in 0..=self.explode {
            let is_first = rolls_left == self.explode;
            let weight = |face: u32| if is_first { first_weight(face) } else { Weight::ONE };
            let tail_ways = sides.pow(rolls_left);
            let mut next: Vec<(i64, Weight)> = Vec::new();
            for (worth, ways) in chained {
                next.push((worth + i64::from(self.sides), &weight(self.sides) * &ways));
            }
            let lower = if rolls_left == 0 { self.sides } else { self.sides - 1 };
            for face in (1..=lower).rev() {
                next.push((i64::from(face), &weight(face) * &tail_ways));
            }
            chained = next;
        }
        chained
    }

    /// Returns each hand of the dice that count with its number of combinations; `None` if there are too many hands.
    pub fn hands(&self) -> Option<Vec<Hand>> {
        if self.is_draw() {
            return self.drawn_hands();
        }
        let counted = self.kept_count();
        let mut die = self.die_distribution();
        let mut hand_count = 1;
        for step in 1..=counted as usize {
            // Below the limit times the number of worths, so it fits.
            hand_count = hand_count * (die.len() - 1 + step) / step;
            if hand_count > MAX_HANDS {
                return None;
            }
        }
        if self.keep.is_some_and(|keep| keep.lowest) {
            die.reverse();
        }
        let mut hands = Vec::with_capacity(hand_count);
        self.add_hands(&die, self.count, (&mut Vec::with_capacity(counted as usize), Weight::ONE), &mut hands);
        Some(hands)
    }

    /// Adds the hands that begin with `hand`, if `dice_left` dice are worth one of `die`, whose first counts first.
    fn add_hands(&self, die: &[(i64, Weight)], dice_left: u32, (hand, ways): (&mut Vec<i64>, Weight), hands: &mut Vec<Hand>) {
        let Some(((worth, weight), worse_values)) = die.split_first() else { return };
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
                self.add_hands(worse_values, dice_left - count, (hand, &ways * &ways_of_count), hands);
            }
        }
        if !enough.is_zero() {
            hand.resize(before + needed as usize, *worth);
            let mut counted = hand.clone();
            counted.sort_unstable_by(|a, b| b.cmp(a));
            hands.push((counted, &ways * &enough));
        }
        hand.truncate(before);
    }

    /// Returns each total with its number of combinations; `None` if there are too many.
    pub fn total_distribution(&self) -> Option<Vec<(i64, Weight)>> {
        if self.keep.is_some() {
            return self.sum_hands(|hand| hand.iter().sum::<i64>() + self.modifier);
        }
        let sums = sum_distribution(&self.die_distribution(), self.count)?;
        Some(sums.into_iter().map(|(sum, ways)| (sum + self.modifier, ways)).collect())
    }

    /// Returns each value of the hands with its number of combinations.
    fn sum_hands(&self, value: impl Fn(&[i64]) -> i64) -> Option<Vec<(i64, Weight)>> {
        let mut sums: BTreeMap<i64, Weight> = BTreeMap::new();
        for (hand, ways) in self.hands()? {
            *sums.entry(value(&hand)).or_default() += ways;
        }
        Some(sums.into_iter().collect())
    }

    /// Returns each possible number of dice that count and are worth something in a band, with its number of combinations; `None` if there
    /// are too many.
    pub fn hit_distribution(&self, band: Band) -> Option<Vec<(i64, Weight)>> {
        if self.keep.is_some() {
            return self.sum_hands(|hand| hand.iter().filter(|worth| band.contains(**worth)).count() as i64);
        }
        let (mut good, mut bad) = (Weight::ZERO, Weight::ZERO);
        for (worth, ways) in self.die_distribution() {
            *if band.contains(worth) { &mut good } else { &mut bad } += ways;
        }
        sum_distribution(&[(1, good), (0, bad)], self.count)
    }
}

/// Returns each sum of `count` values with its number of combinations, the lowest first; `None` if there are too many.
fn sum_distribution(values: &[(i64, Weight)], count: u32) -> Option<Vec<(i64, Weight)>> {
    let numbers = || values.iter().map(|(value, _)| *value);
    let (low, high) = (numbers().min()?, numbers().max()?);
    let range = (high - low) as usize;
    let products = (range + 1).checked_mul((count as usize).pow(2)).and_then(|sums| sums.checked_mul(values.len()));
    products.filter(|products| *products / 2 <= MAX_PRODUCTS)?;
    let mut ways = vec![Weight::ONE];
    for _ in 0..count {
        let mut next = vec![Weight::ZERO; ways.len() + range];
        for (i, w) in ways.iter().enumerate().filter(|(_, w)| !w.is_zero()) {
            for (value, weight) in values {
                next[i + (value - low) as usize] += w * weight;
            }
        }
        ways = next;
    }
    // Impossible sums would be branches of probability 0.
    Some((low * i64::from(count)..).zip(ways).filter(|(_, w)| !w.is_zero()).collect())
}

impl fmt::Display for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.faces {
            Some(face_set) if face_set.is_short() => write!(f, "{}{}", self.count, face_set.name)?,
            Some(face_set) => write!(f, "{} {}", self.count, face_set.name)?,
            None => write!(f, "{}d{}", self.count, self.sides)?,
        }
        match self.reroll {
            Some((low, high)) if low == high => write!(f, "r{low}")?,
            Some((low, high)) => write!(f, "r{low}..{high}")?,
            None => {}
        }
        if self.explode > 0 {
            write!(f, "!{}", self.explode)?;
        }
        if let Some(Keep { count, lowest }) = self.keep {
            let space = if self.faces.is_some() { " " } else { "" };
            write!(f, "{space}{}{count}", if lowest { "kl" } else { "kh" })?;
        }
        if self.modifier != 0 { write!(f, "{:+}", self.modifier) } else { Ok(()) }
    }
}
