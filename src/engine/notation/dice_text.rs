//! Dice as they are written.

use super::dice::{Dice, Explosion, Keep, Reroll};
use super::face::{FUDGE, Face, NamedDice, SideSet, TENS};
use super::grammar::Rule;
use super::{NotationError, parse};
use pest::iterators::Pair;
use std::fmt;

/// The most dice of a throw, and of one whose chances are asked without rules.
const MAX_DICE: u32 = 200;
const MANY_DICE: u32 = 20_000;

/// The most times that a die may be thrown on, where that is written.
const MAX_EXPLOSIONS: u32 = 20;

/// Where dice are thrown again until another side falls, at least one side of so many is another.
const MAX_UNTIL: u32 = 100;

/// The greatest number that is added to a total.
const MAX_MODIFIER: i64 = 1_000_000;

impl Dice {
    /// Maximum length in bytes of valid dice.
    const LONGEST: usize = 120;
    const EXPECTED: &'static str = "a throw such as 1d6, 2d6+1, 1d8+2d6 or 4d6kh3, the 3 highest of 4 (at most 200 dice of 1000000 sides)";
    const EXPECTED_KEEP: &'static str =
        "a throw that keeps no more dice than it throws, or drops fewer, such as 4d6kh3";
    const EXPECTED_REROLL: &'static str =
        "a throw that has the faces to throw again, and others too, such as 3d6r1 or 3d6r1..2";
    const EXPECTED_EXPLOSIONS: &'static str =
        "a throw whose dice are thrown again and added 1 to 20 times, such as 3d6!2";
    const EXPECTED_FACES: &'static str = "a throw that has the faces to throw on, and without a bound most others too, such as 3d6!5..6";
    const EXPECTED_NUMBERS: &'static str = "a sum of dice: its dice show words; write e instead of !, so that each rerolled die counts by itself";
    const EXPECTED_ONE_KIND: &'static str =
        "a throw of several kinds of dice that show numbers from 1 on, such as {1d8, 1d6}kh1";
    const EXPECTED_WHOLE: &'static str = "a throw whose dice can be kept: with e their number is open; write ! to add the rerolled dice";

    /// Parses dice whose sides show the numbers from 1 on, d66 or dF.
    pub fn parse(text: &str) -> Result<Dice, NotationError> {
        Dice::parse_with(text, &NamedDice::new())
    }

    /// Parses dice whose chances are asked, and which are not thrown: the limit is higher.
    pub fn parse_many(text: &str) -> Result<Dice, NotationError> {
        Dice::parse_up_to(text, &NamedDice::new(), MANY_DICE)
    }

    /// Parses dice, also those that a game declares.
    pub fn parse_with(text: &str, declared: &NamedDice) -> Result<Dice, NotationError> {
        Dice::parse_up_to(text, declared, MAX_DICE)
    }

    fn parse_up_to(text: &str, declared: &NamedDice, most: u32) -> Result<Dice, NotationError> {
        let error_expecting = |expected| NotationError {
            text: text.into(),
            expected,
        };
        let syntax_error = || error_expecting(Dice::EXPECTED);
        if text.len() > Dice::LONGEST {
            return Err(syntax_error());
        }
        let mut kinds: Vec<Dice> = Vec::new();
        let mut kept = None;
        let mut modifier = 0;
        for pair in parse(Rule::dice, text, Dice::EXPECTED)?.into_inner() {
            match pair.as_rule() {
                Rule::kind => {
                    kinds.push(parse_kind(pair, declared, most).map_err(error_expecting)?)
                }
                Rule::mixed | Rule::sum => {
                    for pair in pair.into_inner() {
                        kinds.push(parse_kind(pair, declared, most).map_err(error_expecting)?);
                    }
                }
                Rule::keep => {
                    let mut pairs = pair.into_inner();
                    let keyword = pairs.next().ok_or_else(syntax_error)?.as_str();
                    kept = Some((
                        keyword,
                        pairs.next().and_then(number).ok_or_else(syntax_error)?,
                    ));
                }
                Rule::shift => {
                    modifier = pair
                        .as_str()
                        .replace(' ', "")
                        .parse::<i64>()
                        .map_err(|_| syntax_error())?
                }
                _ => {}
            }
        }
        let mut kinds = kinds.into_iter();
        let mut dice = kinds.next().ok_or_else(syntax_error)?;
        dice.others = kinds.collect();
        dice.modifier = modifier;
        if !dice.others.is_empty() && dice.kinds().any(|kind| kind.faces.is_some()) {
            return Err(error_expecting(Dice::EXPECTED_ONE_KIND));
        }
        let count = dice.kinds().map(|kind| u64::from(kind.count)).sum::<u64>();
        if count > most.into() || !(-MAX_MODIFIER..=MAX_MODIFIER).contains(&modifier) {
            return Err(syntax_error());
        }
        if let Some((keyword, amount)) = kept {
            let count = count as u32;
            if dice.has_further_dice() {
                return Err(error_expecting(Dice::EXPECTED_WHOLE));
            }
            // To keep all is to keep as many as there are.
            let (kept_all, too_many) = match keyword.starts_with('d') {
                true => (false, amount >= count),
                false => (amount == count, amount > count),
            };
            if amount == 0 || too_many && count > 0 {
                return Err(error_expecting(Dice::EXPECTED_KEEP));
            }
            let kept_count = if keyword.starts_with('d') {
                count.saturating_sub(amount)
            } else {
                amount
            };
            dice.keep = Some(Keep {
                count: kept_count,
                lowest: matches!(keyword, "kl" | "dh"),
            })
            .filter(|_| count > 0 && !kept_all);
        }
        Ok(dice)
    }

    /// Returns the name of a die in a text that is written as dice which a game declares: `battle` of `3 battle`.
    pub fn die_name(text: &str) -> Option<&str> {
        let pairs = parse(Rule::dice, text, Dice::EXPECTED).ok()?.into_inner();
        let die_pair = pairs
            .flatten()
            .filter(|pair| pair.as_rule() == Rule::named)
            .last()?;
        die_pair.into_inner().last().map(|die| die.as_str())
    }

    /// Returns the sides that a list of faces and ranges of numbers names; `None` if no side shows one of them.
    fn sides_of(&self, faces: &[Pair<Rule>]) -> Option<SideSet> {
        let mut ranges = Vec::new();
        for face in faces {
            let text = face.as_str().trim();
            let (low, high) = text.split_once("..").unwrap_or((text, text));
            let before = ranges.len();
            match (low.trim().parse::<i64>(), high.trim().parse::<i64>()) {
                (Ok(low), Ok(high)) if self.faces.is_none() => {
                    let fits = 1 <= low && low <= high && high <= self.sides.into();
                    ranges.extend(fits.then_some((low as u32, high as u32)));
                }
                (Ok(low), Ok(high)) => {
                    let sides = (1..=self.sides).filter(
                        |side| matches!(self.face(*side), Face::Number(n) if low <= n && n <= high),
                    );
                    ranges.extend(sides.map(|side| (side, side)));
                }
                _ => {
                    let sides = (1..=self.sides).filter(
                        |side| matches!(self.face(*side), Face::Word(word) if *word == *text),
                    );
                    ranges.extend(sides.map(|side| (side, side)));
                }
            }
            if ranges.len() == before {
                return None;
            }
        }
        Some(SideSet::new(ranges))
    }

    /// Returns the sides after which a die is thrown on where none are written: the highest face, or the best word.
    fn best_sides(&self) -> SideSet {
        if self.faces.is_none() {
            return SideSet::new([(self.sides, self.sides)]);
        }
        let best = (1..=self.sides).map(|side| self.worth(side)).max();
        SideSet::new(
            (1..=self.sides)
                .filter(|side| Some(self.worth(*side)) == best)
                .map(|side| (side, side)),
        )
    }

    /// Writes a set of sides as it is read: `1`, `1..2`, `(1,6)`, `(hit,miss)`.
    fn sides_text(&self, sides: &SideSet) -> String {
        let range = |(low, high): &(u32, u32)| {
            if low == high {
                low.to_string()
            } else {
                format!("{low}..{high}")
            }
        };
        match (&self.faces, sides.ranges()) {
            (None, [one]) => range(one),
            (None, ranges) => format!(
                "({})",
                ranges.iter().map(range).collect::<Vec<_>>().join(",")
            ),
            (Some(own), _) => {
                let shown = own.shown().into_iter().filter(|face| {
                    self.side(face, &[])
                        .is_some_and(|side| sides.contains(side))
                });
                format!(
                    "({})",
                    shown.map(Face::to_string).collect::<Vec<_>>().join(",")
                )
            }
        }
    }

    /// Writes the dice of one kind.
    fn write_kind(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut space = "";
        match &self.faces {
            // Only the bare d66 is that die.
            Some(own) if self.count == 1 && own.name == TENS.name => write!(f, "{}", own.name)?,
            Some(own) if own.is_short() => write!(f, "{}{}", self.count, own.name)?,
            Some(own) => write!(f, "{} {}", self.count, own.name)?,
            None => write!(f, "{}d{}", self.count, self.sides)?,
        }
        if self.faces.is_some() {
            space = " ";
        }
        if let Some(Reroll { sides, until_other }) = &self.reroll {
            write!(
                f,
                "{space}{}{}",
                if *until_other { "rr" } else { "r" },
                self.sides_text(sides)
            )?;
        }
        let Some(Explosion {
            sides,
            limit,
            by_itself,
        }) = &self.explode
        else {
            return Ok(());
        };
        write!(f, "{space}{}", if *by_itself { "e" } else { "!" })?;
        let limit = limit.map(|limit| limit.to_string()).unwrap_or_default();
        if *sides == self.best_sides() {
            return write!(f, "{limit}");
        }
        match sides.ranges() {
            [(low, high)] if low == high && self.faces.is_none() => write!(f, "({low})")?,
            _ => write!(f, "{}", self.sides_text(sides))?,
        }
        if limit.is_empty() {
            Ok(())
        } else {
            write!(f, "x{limit}")
        }
    }
}

fn number(pair: Pair<Rule>) -> Option<u32> {
    pair.as_str().parse().ok()
}

/// Parses the dice of one kind, or returns what is expected instead.
fn parse_kind(pair: Pair<Rule>, declared: &NamedDice, most: u32) -> Result<Dice, &'static str> {
    let mut dice = Dice::new(1, 0, 0);
    for pair in pair.into_inner() {
        match pair.as_rule() {
            Rule::numbered | Rule::named => {
                let mut pairs: Vec<Pair<Rule>> = pair.into_inner().collect();
                let die = pairs.pop().ok_or(Dice::EXPECTED)?;
                if let Some(count) = pairs.pop() {
                    dice.count = number(count).ok_or(Dice::EXPECTED)?;
                }
                match die.as_rule() {
                    Rule::percent => dice.sides = 100,
                    Rule::tens => dice.faces = Some(TENS.clone()),
                    Rule::fudge => dice.faces = Some(FUDGE.clone()),
                    Rule::die => {
                        dice.faces = Some(declared.get(die.as_str()).ok_or(Dice::EXPECTED)?.clone())
                    }
                    _ => dice.sides = number(die).ok_or(Dice::EXPECTED)?,
                }
                if let Some(face_set) = &dice.faces {
                    dice.sides = face_set.faces.len() as u32;
                }
                if dice.count > most || !(1..=1_000_000).contains(&dice.sides) {
                    return Err(Dice::EXPECTED);
                }
            }
            Rule::reroll => {
                let mut pairs = pair.into_inner();
                let until_other = pairs.next().is_some_and(|again| again.as_str() == "rr");
                let sides = dice
                    .sides_of(&faces_of(pairs.next()))
                    .ok_or(Dice::EXPECTED_REROLL)?;
                let others = dice.sides - sides.count();
                if others == 0 || until_other && others * MAX_UNTIL < dice.sides {
                    return Err(Dice::EXPECTED_REROLL);
                }
                dice.reroll = Some(Reroll { sides, until_other });
            }
            Rule::explode => {
                let (mut sides, mut limit, mut by_itself) = (dice.best_sides(), None, false);
                for pair in pair.into_inner() {
                    match pair.as_rule() {
                        Rule::on => by_itself = pair.as_str() == "e",
                        Rule::count => limit = Some(number(pair).ok_or(Dice::EXPECTED_EXPLOSIONS)?),
                        Rule::limit => {
                            limit = pair
                                .into_inner()
                                .next()
                                .map(|pair| number(pair).ok_or(Dice::EXPECTED_EXPLOSIONS))
                                .transpose()?
                        }
                        _ => {
                            sides = dice
                                .sides_of(&faces_of(Some(pair)))
                                .ok_or(Dice::EXPECTED_FACES)?
                        }
                    }
                }
                if limit.is_some_and(|limit| !(1..=MAX_EXPLOSIONS).contains(&limit)) {
                    return Err(Dice::EXPECTED_EXPLOSIONS);
                }
                if dice.shows_words() && !by_itself {
                    return Err(Dice::EXPECTED_NUMBERS);
                }
                let explode = Explosion {
                    sides,
                    limit,
                    by_itself,
                };
                if explode.depth(dice.sides) > Dice::MAX_DEPTH {
                    return Err(Dice::EXPECTED_FACES);
                }
                dice.explode = Some(explode);
            }
            _ => {}
        }
    }
    Ok(dice)
}

/// Returns the faces and ranges of a list, or the single one that has no list around it.
fn faces_of(pair: Option<Pair<Rule>>) -> Vec<Pair<Rule>> {
    match pair {
        Some(pair) if pair.as_rule() == Rule::list => pair.into_inner().collect(),
        pair => pair.into_iter().collect(),
    }
}

impl fmt::Display for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without a keep, dice of several kinds are read as their sum.
        let (open, between, close) = match (self.others.is_empty(), &self.keep) {
            (false, Some(_)) => ("{", ", ", "}"),
            _ => ("", "+", ""),
        };
        write!(f, "{open}")?;
        for (index, kind) in self.kinds().enumerate() {
            write!(f, "{}", if index == 0 { "" } else { between })?;
            kind.write_kind(f)?;
        }
        write!(f, "{close}")?;
        if let Some(Keep { count, lowest }) = self.keep {
            let space = if self.faces.is_some() { " " } else { "" };
            write!(f, "{space}{}{count}", if lowest { "kl" } else { "kh" })?;
        }
        if self.modifier != 0 {
            write!(f, "{:+}", self.modifier)
        } else {
            Ok(())
        }
    }
}
