//! What a piece of VASSAL shows: its name, layers, properties, and from whom it is hidden.

use crate::vassal::sequence::SequenceReader;
use crate::vassal::traits::PieceTrait;

/// Position of the images among the arguments of a layer; the name follows three later.
const LAYER_IMAGES: usize = 15;

/// Returns the name of a piece: the one that overrides all others, that of the basic piece, or its image.
pub fn piece_name(traits: &[PieceTrait]) -> String {
    let overriding = traits.iter().find_map(|one| one.arguments("basicName;"));
    if let Some(mut arguments) = overriding {
        return arguments.text().into_owned();
    }
    let Some(arguments) = traits.iter().rev().find_map(|one| one.arguments("piece;")) else { return String::new() };
    let mut arguments = arguments.skip(2);
    let (image, name) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    if name.trim().is_empty() { image.rsplit_once('.').map_or(&*image, |(stem, _)| stem).into() } else { name.into_owned() }
}

/// Returns the layers of a piece, the outermost first: name, number of levels, and the level that shows (`None` if the layer is off). A
/// layer without a name is called by its number.
pub fn layers(traits: &[PieceTrait]) -> Vec<(String, usize, Option<i32>)> {
    let mut found = Vec::new();
    for one in traits {
        let Some(arguments) = one.arguments("emb2;") else { continue };
        let mut arguments = arguments.skip(LAYER_IMAGES);
        let images = arguments.next().unwrap_or_default();
        let name = arguments.nth(2).unwrap_or_default();
        let name = if name.trim().is_empty() { format!("layer {}", found.len() + 1) } else { name.into_owned() };
        let level = SequenceReader::new(&one.state, ';').number().filter(|level| *level > 0);
        found.push((name, SequenceReader::new(&images, ',').count(), level));
    }
    found
}

/// Returns a property of a piece: of a marker or a dynamic property.
pub fn property(traits: &[PieceTrait], wanted: &str) -> Option<String> {
    traits.iter().find_map(|one| {
        if let Some(mut arguments) = one.arguments("PROP;") {
            return (arguments.text() == wanted).then(|| one.state.clone());
        }
        let names = one.kind.strip_prefix("mark;")?;
        let place = SequenceReader::new(names, ',').position(|name| name == wanted)?;
        SequenceReader::new(&one.state, ',').nth(place).map(|value| value.into_owned())
    })
}

/// Returns whether a trait keeps the piece from somebody who is `viewer` (empty for a stranger).
fn hides(owner: &str, viewer: &str) -> bool {
    !matches!(owner, "null" | "") && (viewer.is_empty() || owner != viewer)
}

/// Returns whether a piece can't be seen at all.
pub fn is_hidden(traits: &[PieceTrait], viewer: &str) -> bool {
    traits.iter().any(|one| one.kind.starts_with("hide;") && hides(&one.state, viewer))
}

/// Returns whether a piece is seen, but not what it is.
pub fn is_masked(traits: &[PieceTrait], viewer: &str) -> bool {
    traits.iter().any(|one| one.kind.starts_with("obs;") && hides(&SequenceReader::new(&one.state, ';').text(), viewer))
}
