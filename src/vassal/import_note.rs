//! What a reader of an imported game should know.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

/// Names with how often each came up.
pub type NameCounts = BTreeMap<String, usize>;

/// A note on an imported game: what was left out, what stays hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportNote {
    /// The game was saved with another version of the module: that version, and the one given.
    OtherVersion(String, String),
    /// The step of a log after which the board stands, and the number of steps.
    AfterStep(usize, usize),
    EmptyBoard,
    /// So many pieces are hidden from the reader.
    Hidden(usize),
    /// Masked pieces, by place.
    Masked(NameCounts),
    /// Pieces that the module map does not name.
    LeftOut(NameCounts),
    /// Pieces on other maps, by map or place.
    OffBoard(NameCounts),
    /// Images of boards that the module names and does not hold.
    MissingImages(Vec<String>),
    /// Properties that the module map asks for and pieces lack.
    MissingProperties(NameCounts),
    /// Traits that are not read.
    UnreadTraits(NameCounts),
    /// Parts of the file that are not read.
    UnreadParts(NameCounts),
    /// A second piece of the same name, and its new name.
    Renamed(String, String),
    /// A piece, its attribute that names another, and that other, which is not on the board.
    MissingPiece(String, String, String),
}

impl Display for ImportNote {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name_list = |counts: &NameCounts| {
            counts
                .iter()
                .map(|(name, count)| format!("{}{}", shortened(name), times(*count)))
                .collect::<Vec<_>>()
                .join(", ")
        };
        match self {
            ImportNote::OtherVersion(saved, given) => write!(
                f,
                "the game was saved with version {saved} of the module; this is {given}"
            ),
            ImportNote::AfterStep(step, steps) if step == steps => {
                write!(f, "this is a log: the board is as after its {steps} steps")
            }
            ImportNote::AfterStep(step, steps) => write!(
                f,
                "this is a log: the board is as after step {step} of {steps}"
            ),
            ImportNote::EmptyBoard => f.write_str("no piece of the game is on the board"),
            ImportNote::Hidden(count) => write!(
                f,
                "{count} hidden pieces stay hidden; the ruling does not know of them"
            ),
            ImportNote::Masked(places) => {
                write!(f, "masked pieces stay masked: at {}", name_list(places))
            }
            ImportNote::LeftOut(pieces) => write!(
                f,
                "not in the module map, and left out: {}",
                name_list(pieces)
            ),
            ImportNote::OffBoard(pieces) => {
                write!(f, "off the board, and left out: {}", name_list(pieces))
            }
            ImportNote::MissingImages(images) => {
                let images = images
                    .iter()
                    .map(|image| format!("`images/{}`", shortened(image)))
                    .collect::<Vec<_>>()
                    .join(", ");
                write!(
                    f,
                    "the module lacks images of its boards: {images}; pieces are placed by the grid alone, as far as the boards may go"
                )
            }
            ImportNote::MissingProperties(names) => {
                let reason = "properties that the pieces lack, or that need more of VASSAL than is read here";
                write!(f, "the module map asks for {reason}: {}", name_list(names))
            }
            ImportNote::UnreadTraits(traits) => {
                write!(f, "on the pieces, and not read: {}", name_list(traits))
            }
            ImportNote::UnreadParts(parts) => {
                write!(f, "in the file, and not read: {}", name_list(parts))
            }
            ImportNote::Renamed(name, new) => write!(f, "a second `{name}` is called `{new}`"),
            ImportNote::MissingPiece(piece, attribute, missing) => {
                write!(
                    f,
                    "{piece} has no `{attribute}: {missing}`: that piece is not on the board"
                )
            }
        }
    }
}

/// Shortens a name for a message: a file can hold megabytes in place of one.
pub fn shortened(name: &str) -> String {
    const MOST: usize = 120;
    if name.chars().count() <= MOST {
        name.into()
    } else {
        name.chars().take(MOST).chain(['…']).collect()
    }
}

/// Formats a count behind a name: ` (3)`; empty for one.
pub fn times(count: usize) -> String {
    if count == 1 {
        String::new()
    } else {
        format!(" ({count})")
    }
}

/// Lists names, those that differ only in their numbers as one: "`Tank #` (40: Tank 1, Tank 2 ...)". Many groups are cut off.
pub fn grouped<'n>(names: impl Iterator<Item = &'n str>) -> String {
    const MOST: usize = 12;
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in names {
        let mut pattern = String::new();
        for letter in name.chars() {
            match letter.is_ascii_digit() {
                true if pattern.ends_with('#') => {}
                true => pattern.push('#'),
                false => pattern.push(letter),
            }
        }
        groups.entry(pattern).or_default().push(name);
    }
    let mut groups: Vec<(String, Vec<&str>)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    let hidden: usize = groups.iter().skip(MOST).map(|(_, names)| names.len()).sum();
    let shown = groups
        .iter()
        .take(MOST)
        .map(|(pattern, names)| match &names[..] {
            [first, second, _, ..] => format!(
                "{} ({}: {}, {} ...)",
                shortened(pattern),
                names.len(),
                shortened(first),
                shortened(second)
            ),
            few => few
                .iter()
                .map(|name| shortened(name))
                .collect::<Vec<_>>()
                .join(", "),
        });
    let list = shown.collect::<Vec<_>>().join("; ");
    if hidden == 0 {
        list
    } else {
        format!("{list}; and {hidden} more")
    }
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn names_that_differ_in_numbers_are_one_group() {
        let tanks: Vec<String> = (1..=40).map(|number| format!("Tank {number}")).collect();
        let names = tanks
            .iter()
            .map(String::as_str)
            .chain(["Fog", "1/20 Ind", "2/20 Ind"]);
        assert_eq!(
            grouped(names),
            "Tank # (40: Tank 1, Tank 2 ...); 1/20 Ind, 2/20 Ind; Fog"
        );
        let words: Vec<String> = ('a'..='z').map(String::from).collect();
        assert!(grouped(words.iter().map(String::as_str)).ends_with("; l; and 14 more"));
    }
}
