//! What `casebook play` says beside a throw, and the faces that are typed.

use crate::code::state::{ThrowReading, ThrowRequest};
use crate::complaint::Error;
use crate::notation::Face;

/// Returns what counts of a throw, and what can be typed: `   [Enter rolls, or type the face]`.
pub fn throw_hint(asked: &ThrowRequest) -> String {
    let (verb, one, many) = if asked.is_draw() { ("draws", "the card", "cards") } else { ("rolls", "the face", "faces") };
    let what = match asked.dice.count {
        _ if asked.dice.may_go_on() => "all faces, also of dice thrown again".to_string(),
        1 => one.to_string(),
        count => format!("{count} {many}"),
    };
    let counted = match asked.reading {
        ThrowReading::Hits(band) if band.high == i64::MAX => format!(", each {} or more counts", band.low),
        ThrowReading::Hits(band) => format!(", each {} counts", asked.dice.face_worth(band.low)),
        ThrowReading::CardsInOrder => ", the first on top".into(),
        _ => String::new(),
    };
    format!("{counted}   [Enter {verb}, or type {what}]")
}

/// Reads the faces that were typed. The name of a card may have spaces: several are then separated by commas.
pub fn typed_faces(asked: &ThrowRequest, line: &str) -> Result<Vec<Face>, Error> {
    let parts: Vec<&str> = match asked.is_draw() && (asked.dice.count == 1 || line.contains(',')) {
        true => line.split(',').collect(),
        false => line.split([' ', ',']).collect(),
    };
    let faces: Result<Vec<Face>, _> = parts.into_iter().filter(|part| !part.trim().is_empty()).map(str::parse).collect();
    faces.map_err(|_| Error::Usage(format!("`{line}` is no row of faces; type each die singly, such as 3 5; h helps")))
}
