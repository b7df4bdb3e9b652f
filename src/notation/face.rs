//! The faces of dice: numbers from 1 on, or what a die of its own shows.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

/// A face as it shows on the die.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
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
        text.parse().map_or_else(|_| Face::Word(text.into()), Face::Number)
    }
}

impl FromStr for Face {
    type Err = String;

    fn from_str(text: &str) -> Result<Face, String> {
        let text = text.trim();
        let fits = !text.is_empty() && text.len() <= Face::LONGEST && !text.contains(|c: char| c.is_control() || ",:".contains(c));
        fits.then(|| Face::from(text)).ok_or_else(|| format!("`{text}` is no face: write a number or one word"))
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

    /// Joins faces as they are typed: `5, hit`.
    pub fn join(faces: &[Face], separator: &str) -> String {
        faces.iter().map(Face::to_string).collect::<Vec<_>>().join(separator)
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
    /// A die whose name is written without a space: `2d66`.
    Short,
    /// A die of a game.
    Named,
    /// A stock of cards, each of which is drawn once.
    Stock,
}

/// The dice that a game declares, by name.
pub type NamedDice = BTreeMap<String, Arc<DieFaces>>;

/// Returns d66, two dice read as tens and ones.
pub(super) static TENS: LazyLock<Arc<DieFaces>> =
    LazyLock::new(|| DieFaces::short("d66", (1..=6).flat_map(|tens| (1..=6).map(move |ones| tens * 10 + ones))));
/// Returns a die with two blank sides, two that add and two that subtract.
pub(super) static FUDGE: LazyLock<Arc<DieFaces>> = LazyLock::new(|| DieFaces::short("dF", -1..=1));

impl DieFaces {
    /// Creates a die of a game. Returns what is wrong, and how to mend it, if the name can't be written in a rule or the faces make no die.
    pub fn new(name: &str, faces: Vec<Face>) -> Result<DieFaces, (String, &'static str)> {
        let word_count = faces.iter().filter(|face| matches!(face, Face::Word(_))).count();
        if name.is_empty() || !name.bytes().all(|c| c.is_ascii_lowercase() || c == b'_') {
            return Err((format!("`{name}` is no name of a die"), "write small letters and `_` only: a rule throws `3 battle`"));
        }
        if !(2..=1000).contains(&faces.len()) {
            return Err((format!("the die `{name}` has {} sides", faces.len()), "list what each side shows, from 2 to 1000 sides"));
        }
        if word_count > 0 && word_count < faces.len() {
            return Err((format!("the die `{name}` shows numbers and words"), "write numbers only, which add up, or words only"));
        }
        Ok(DieFaces { name: name.into(), faces, kind: FacesKind::Named })
    }

    fn short(name: &str, faces: impl Iterator<Item = i64>) -> Arc<DieFaces> {
        Arc::new(DieFaces { name: name.into(), faces: faces.map(Face::Number).collect(), kind: FacesKind::Short })
    }

    /// Creates a stock of cards; its faces may be numbers and words.
    pub(super) fn stock(name: &str, faces: Vec<Face>) -> DieFaces {
        DieFaces { name: name.into(), faces, kind: FacesKind::Stock }
    }

    /// Returns whether the name is written without a space: `2d66`.
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

    /// Returns what a side, counted from 1, is worth: its number, or for words and cards the less the later they stand.
    pub(super) fn worth(&self, side: u32) -> i64 {
        match &self.faces[side as usize - 1] {
            Face::Number(number) if !self.is_stock() => *number,
            word => -(self.faces.iter().position(|face| face == word).unwrap_or(0) as i64),
        }
    }

    /// Returns the face of a worth.
    pub(super) fn face(&self, worth: i64) -> Face {
        match self.faces.first() {
            first if self.is_stock() || matches!(first, Some(Face::Word(_))) => self.faces[worth.unsigned_abs() as usize].clone(),
            _ => Face::Number(worth),
        }
    }
}
