//! The faces of dice: numbers from 1 on, or what a die of its own shows.

use crate::complaint::{Defect, DiagnosticCode};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

/// A face as it shows on the die.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Face {
    /// A number.
    Number(i64),
    /// A word, such as `hit`.
    Word(Box<str>),
}

impl From<u32> for Face {
    fn from(number: u32) -> Face {
        Face::Number(number.into())
    }
}

impl From<i32> for Face {
    fn from(number: i32) -> Face {
        Face::Number(number.into())
    }
}

impl From<&str> for Face {
    fn from(text: &str) -> Face {
        text.parse()
            .map_or_else(|_| Face::Word(text.into()), Face::Number)
    }
}

impl FromStr for Face {
    type Err = String;

    fn from_str(text: &str) -> Result<Face, String> {
        let text = text.trim();
        let fits = !text.is_empty()
            && text.len() <= Face::LONGEST
            && !text.contains(|c: char| c.is_control() || ",:".contains(c));
        fits.then(|| Face::from(text))
            .ok_or_else(|| format!("`{text}` is not a face: write a number or one word"))
    }
}

impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Face::Number(number) => write!(f, "{number}"),
            Face::Word(word) => write!(f, "{word}"),
        }
    }
}

impl Face {
    /// Maximum length of a word in bytes.
    const LONGEST: usize = 40;

    /// Returns the symbols on a face: `hit` and `flag` of `hit+flag`; none of a number.
    pub fn symbols(&self) -> impl Iterator<Item = &str> {
        let word = if let Face::Word(word) = self {
            Some(&**word)
        } else {
            None
        };
        word.into_iter().flat_map(|word| word.split('+'))
    }

    /// Joins faces as they are typed: `5, hit`.
    pub fn join(faces: &[Face], separator: &str) -> String {
        faces
            .iter()
            .map(Face::to_string)
            .collect::<Vec<_>>()
            .join(separator)
    }
}

/// Sides of a die, counted from 1: ranges in ascending order that don't touch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SideSet(Vec<(u32, u32)>);

impl SideSet {
    /// Creates a set of ranges, each with its first and last side.
    pub fn new(ranges: impl IntoIterator<Item = (u32, u32)>) -> SideSet {
        let mut sorted: Vec<(u32, u32)> = ranges
            .into_iter()
            .filter(|(low, high)| low <= high)
            .collect();
        sorted.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (low, high) in sorted {
            match merged.last_mut() {
                Some((_, last)) if low <= last.saturating_add(1) => *last = (*last).max(high),
                _ => merged.push((low, high)),
            }
        }
        SideSet(merged)
    }

    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    /// Returns the number of sides.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|(low, high)| high - low + 1).sum()
    }

    pub fn sides(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|(low, high)| *low..=*high)
    }

    /// Returns whether a side is in the set.
    pub fn contains(&self, side: u32) -> bool {
        self.0
            .iter()
            .any(|(low, high)| (*low..=*high).contains(&side))
    }

    /// Returns the other sides of a die.
    pub fn complement(&self, sides: u32) -> SideSet {
        let mut next = 1;
        let mut others = Vec::new();
        for (low, high) in &self.0 {
            others.push((next, low - 1));
            next = high + 1;
        }
        others.push((next, sides));
        SideSet::new(others)
    }

    /// Returns the sides that are in both sets.
    pub fn intersection(&self, other: &SideSet) -> SideSet {
        let both = |(low, high): &(u32, u32)| {
            other
                .0
                .iter()
                .map(|(l, h)| (*low.max(l), *high.min(h)))
                .collect::<Vec<_>>()
        };
        SideSet::new(self.0.iter().flat_map(both))
    }
}

/// The faces of a die that does not show the numbers from 1 on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DieFaces {
    /// The name of the die.
    pub name: String,
    /// What its sides show: numbers only, or words only, the best first.
    pub faces: Vec<Face>,
    /// How many of these dice there are, and how their name is written.
    kind: FacesKind,
}

/// What has the faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum FacesKind {
    /// A die whose name is written without a space: `4dF`.
    Short,
    /// A die of a game.
    Named,
    /// A stock of cards, each of which is drawn once.
    Stock,
}

/// The dice that a game declares, by name.
pub type NamedDice = BTreeMap<String, Arc<DieFaces>>;

/// Returns d66, two dice read as tens and ones.
pub(super) static TENS: LazyLock<Arc<DieFaces>> = LazyLock::new(|| {
    DieFaces::short(
        "d66",
        (1..=6).flat_map(|tens| (1..=6).map(move |ones| tens * 10 + ones)),
    )
});
/// Returns a die with two blank sides, two that add and two that subtract.
pub(super) static FUDGE: LazyLock<Arc<DieFaces>> = LazyLock::new(|| DieFaces::short("dF", -1..=1));

impl DieFaces {
    /// Creates a die of a game. Returns what is wrong, and how to mend it, if the name can't be written in a rule or the faces make no die.
    pub fn new(name: &str, faces: Vec<Face>) -> Result<DieFaces, Defect> {
        let defect =
            |message: String, help: &str| Defect::new(DiagnosticCode::Notation, message, help);
        let word_count = faces
            .iter()
            .filter(|face| matches!(face, Face::Word(_)))
            .count();
        if name.is_empty() || !name.bytes().all(|c| c.is_ascii_lowercase() || c == b'_') {
            return Err(defect(
                format!("`{name}` is not a name of a die"),
                "write small letters and `_` only: a rule throws `3 battle`",
            ));
        }
        if !(2..=1000).contains(&faces.len()) {
            return Err(defect(
                format!("the die `{name}` has {} sides", faces.len()),
                "list what each side shows, from 2 to 1000 sides",
            ));
        }
        if word_count > 0 && word_count < faces.len() {
            return Err(defect(
                format!("the die `{name}` shows numbers and words"),
                "write numbers only, which add up, or words only",
            ));
        }
        if let Some(face) = faces.iter().find(
            |face| matches!(face, Face::Number(number) if number.abs() > DieFaces::MAX_NUMBER),
        ) {
            return Err(defect(
                format!("the die `{name}` shows {face}"),
                "write numbers from -1000000 to 1000000",
            ));
        }
        if let Some(face) = faces
            .iter()
            .find(|face| matches!(face, Face::Word(_)) && face.symbols().any(str::is_empty))
        {
            let help = "write `hit+flag` for a face with two symbols";
            return Err(defect(
                format!("the face `{face}` of the die `{name}` has a symbol without a name"),
                help,
            ));
        }
        Ok(DieFaces {
            name: name.into(),
            faces,
            kind: FacesKind::Named,
        })
    }

    /// The greatest number that a side may show.
    const MAX_NUMBER: i64 = 1_000_000;

    fn short(name: &str, faces: impl Iterator<Item = i64>) -> Arc<DieFaces> {
        Arc::new(DieFaces {
            name: name.into(),
            faces: faces.map(Face::Number).collect(),
            kind: FacesKind::Short,
        })
    }

    /// Creates a stock of cards; its faces may be numbers and words.
    pub(super) fn stock(name: &str, faces: Vec<Face>) -> DieFaces {
        DieFaces {
            name: name.into(),
            faces,
            kind: FacesKind::Stock,
        }
    }

    /// Returns whether the name is written without a space: `4dF`.
    pub(super) fn is_short(&self) -> bool {
        self.kind == FacesKind::Short
    }

    /// Returns whether these are the cards of a stock, each of which is drawn once.
    pub(super) fn is_stock(&self) -> bool {
        self.kind == FacesKind::Stock
    }

    /// Returns what one die or card is called: `d66`; `battle die`; `card of events`.
    pub fn title(&self) -> String {
        match self.kind {
            FacesKind::Short => self.name.clone(),
            FacesKind::Named => format!("{} die", self.name),
            FacesKind::Stock => format!("card of {}", self.name),
        }
    }

    /// Returns the different faces, in the order of the sides.
    pub fn shown(&self) -> Vec<&Face> {
        let mut shown = Vec::new();
        for face in &self.faces {
            if !shown.contains(&face) {
                shown.push(face);
            }
        }
        shown
    }

    /// Returns the different symbols on the faces, in the order of the sides: `hit` and `flag` of `hit+flag`.
    pub fn symbols(&self) -> Vec<&str> {
        let mut symbols = Vec::new();
        for symbol in self.faces.iter().flat_map(Face::symbols) {
            if !symbols.contains(&symbol) {
                symbols.push(symbol);
            }
        }
        symbols
    }

    /// Returns what a side, counted from 1, is worth: its number, or for words and cards the less the later they stand.
    pub(super) fn worth(&self, side: u32) -> i64 {
        match &self.faces[side as usize - 1] {
            Face::Number(number) if !self.is_stock() => *number,
            word => -(self.faces.iter().position(|face| face == word).unwrap_or(0) as i64),
        }
    }

    pub(super) fn face(&self, worth: i64) -> Face {
        match self.faces.first() {
            first if self.is_stock() || matches!(first, Some(Face::Word(_))) => {
                self.faces[worth.unsigned_abs() as usize].clone()
            }
            _ => Face::Number(worth),
        }
    }
}
