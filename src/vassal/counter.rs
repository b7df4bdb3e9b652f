//! What a piece of VASSAL shows: its name, layers, properties, and from whom it is hidden.

use crate::expression::evaluate;
use crate::sequence::SequenceReader;
use crate::traits::PieceTrait;
use std::cell::Cell;

/// Positions among the arguments of a layer, as far as they are read, each relative to the one before.
const LAYER_IMAGES: usize = 15;

/// Positions among the arguments of a text label: the format of the name, then the name of its property, then whether an empty label counts.
const LABEL_FORMAT: usize = 11;

/// Maximum number of properties that are read for one: they can lead to each other in a circle.
const MAX_READS: u32 = 200;

#[derive(Debug, PartialEq, Eq)]
pub struct PieceLayer {
    /// Its name; its number if it has none.
    pub name: String,
    /// Number of levels.
    pub levels: usize,
    /// The level that shows; `None` if the layer is off.
    pub level: Option<i32>,
    /// What the level makes of the name of the piece: `Veteran +` or `+ (flipped)`, where `+` stands for the name.
    pub level_name: String,
    /// The property that the layer follows and that can't be read; the level is then as it was stored.
    pub lacks: Option<String>,
}

/// Returns the name of a piece: the one that overrides all others, that of the basic piece, or its image.
pub fn piece_name(traits: &[PieceTrait]) -> String {
    piece_name_within(traits, &Cell::new(MAX_READS))
}

fn piece_name_within(traits: &[PieceTrait], reads: &Cell<u32>) -> String {
    let overriding = traits.iter().find_map(|one| one.arguments("basicName;"));
    if let Some(mut arguments) = overriding {
        let name = arguments.text();
        return evaluate(&name, &|wanted| property_within(traits, wanted, reads))
            .unwrap_or_else(|| name.into_owned());
    }
    let Some(arguments) = traits.iter().rev().find_map(|one| one.arguments("piece;")) else {
        return String::new();
    };
    let mut arguments = arguments.skip(2);
    let (image, name) = (
        arguments.next().unwrap_or_default(),
        arguments.next().unwrap_or_default(),
    );
    if name.trim().is_empty() {
        image
            .rsplit_once('.')
            .map_or(&*image, |(stem, _)| stem)
            .into()
    } else {
        name.into_owned()
    }
}

/// Returns the name that VASSAL shows: that of the piece, with what layers and text labels add to it, from the inside out.
pub fn shown_name(traits: &[PieceTrait]) -> String {
    let mut layers = layers(traits);
    traits
        .iter()
        .rev()
        .fold(piece_name(traits), |name, piece_trait| {
            if piece_trait.kind.starts_with("emb2;") {
                let level_name = layers
                    .pop()
                    .map(|layer| layer.level_name)
                    .unwrap_or_default();
                return match level_name.split_once('+') {
                    _ if level_name.is_empty() => name,
                    Some(("", behind)) => name + behind,
                    Some((before, _)) => format!("{before}{name}"),
                    None => level_name,
                };
            }
            label_name(traits, piece_trait, &name).unwrap_or(name)
        })
}

/// Returns what a text label makes of a name; `None` for another trait, for an empty label, and for a format that can't be read.
fn label_name(traits: &[PieceTrait], piece_trait: &PieceTrait, name: &str) -> Option<String> {
    let mut arguments = piece_trait.arguments("label;")?.skip(LABEL_FORMAT);
    let format = arguments.next().unwrap_or("$pieceName$ ($label$)".into());
    let counts_empty = arguments.nth(5).is_some_and(|always| always == "true");
    if piece_trait.state.is_empty() && !counts_empty {
        return None;
    }
    let label = evaluate(&piece_trait.state, &|wanted| property(traits, wanted))?;
    evaluate(&format, &|wanted| match wanted {
        "pieceName" => Some(name.into()),
        "label" => Some(label.clone()),
        _ => property(traits, wanted),
    })
}

/// Returns the layers of a piece, the outermost first.
pub fn layers(traits: &[PieceTrait]) -> Vec<PieceLayer> {
    layers_within(traits, &Cell::new(MAX_READS))
}

fn layers_within(traits: &[PieceTrait], reads: &Cell<u32>) -> Vec<PieceLayer> {
    let mut found: Vec<PieceLayer> = Vec::new();
    for piece_trait in traits {
        let Some(arguments) = piece_trait.arguments("emb2;") else {
            continue;
        };
        let mut arguments = arguments.skip(LAYER_IMAGES);
        let (images, names) = (
            arguments.next().unwrap_or_default(),
            arguments.next().unwrap_or_default(),
        );
        let name = arguments.nth(1).unwrap_or_default();
        let name = if name.trim().is_empty() {
            format!("layer {}", found.len() + 1)
        } else {
            name.into_owned()
        };
        let levels = SequenceReader::new(&images, ',').count();
        let mut level = SequenceReader::new(&piece_trait.state, ';')
            .number()
            .filter(|level| *level > 0);
        let follows = arguments.nth(2).is_some_and(|follows| follows == "true");
        let (followed, first_level) = (
            arguments.next().unwrap_or_default(),
            arguments
                .next()
                .and_then(|first_level| first_level.parse().ok())
                .unwrap_or(1),
        );
        let mut lacks = None;
        if follows && !followed.is_empty() && level.is_some() {
            let value = match followed.starts_with('{') {
                true => evaluate(&followed, &|wanted| property_within(traits, wanted, reads)),
                false => property_within(traits, &followed, reads),
            };
            let number = value.and_then(|value| {
                if value.is_empty() {
                    Some(first_level)
                } else {
                    value.trim().parse::<i32>().ok()
                }
            });
            lacks = number.is_none().then(|| followed.into_owned());
            let max_level = i32::try_from(levels).unwrap_or(i32::MAX).max(1);
            level = number
                .map(|number| {
                    number
                        .saturating_sub(first_level)
                        .saturating_add(1)
                        .clamp(1, max_level)
                })
                .or(level);
        }
        let named = level.and_then(|level| {
            SequenceReader::new(&names, ',').nth(usize::try_from(level).ok()? - 1)
        });
        found.push(PieceLayer {
            name,
            levels,
            level,
            level_name: named.unwrap_or_default().into_owned(),
            lacks,
        });
    }
    found
}

/// Returns a property of a piece: of a marker, a dynamic or calculated property, a property sheet, a text label or a layer.
pub fn property(traits: &[PieceTrait], property_name: &str) -> Option<String> {
    property_within(traits, property_name, &Cell::new(MAX_READS))
}

fn property_within(
    traits: &[PieceTrait],
    property_name: &str,
    reads: &Cell<u32>,
) -> Option<String> {
    reads.set(reads.get().checked_sub(1)?);
    let inner = |name: &str| property_within(traits, name, reads);
    let value = traits.iter().find_map(|piece_trait| {
        if let Some(mut arguments) = piece_trait.arguments("PROP;") {
            return (arguments.text() == property_name).then(|| piece_trait.state.clone());
        }
        if let Some(mut arguments) = piece_trait.arguments("calcProp;") {
            return (arguments.text() == property_name)
                .then(|| evaluate(&arguments.text(), &inner))?;
        }
        if let Some(mut arguments) = piece_trait.arguments("propertysheet;") {
            // Each field begins with the digit of its sort; a row of boxes to tick has its value before what it has at most.
            let fields = arguments.text();
            let field_index = SequenceReader::new(&fields, '~')
                .filter(|field| !field.is_empty())
                .position(|field| field.get(1..) == Some(property_name))?;
            let value = SequenceReader::new(&piece_trait.state, '~')
                .nth(field_index)
                .unwrap_or_default();
            let ticks = SequenceReader::new(&fields, '~')
                .filter(|field| !field.is_empty())
                .nth(field_index)?
                .starts_with(['3', '4', '5', '6']);
            return Some(
                value
                    .split_once('/')
                    .filter(|_| ticks)
                    .map_or(&*value, |(value, _)| value)
                    .into(),
            );
        }
        if let Some(arguments) = piece_trait.arguments("label;") {
            let name = arguments
                .skip(LABEL_FORMAT)
                .nth(4)
                .unwrap_or("TextLabel".into());
            return (name == property_name).then(|| evaluate(&piece_trait.state, &inner))?;
        }
        let names = piece_trait.kind.strip_prefix("mark;")?;
        let index = SequenceReader::new(names, ',').position(|name| name == property_name)?;
        SequenceReader::new(&piece_trait.state, ',')
            .nth(index)
            .map(|value| value.into_owned())
    });
    value.or_else(|| match property_name {
        "BasicName" => Some(piece_name_within(traits, reads)),
        _ => {
            let (name, aspect) = property_name.rsplit_once('_')?;
            let layer = layers_within(traits, reads)
                .into_iter()
                .find(|layer| layer.name == name)?;
            match aspect {
                "Level" => Some(layer.level.unwrap_or(0).to_string()),
                "Active" => Some(layer.level.is_some().to_string()),
                "Name" => Some(layer.level_name.trim_matches('+').into()),
                _ => None,
            }
        }
    })
}

/// Names what a piece holds and this module does not read. Traits that only answer a key hold nothing.
pub fn unread(traits: &[PieceTrait]) -> Vec<String> {
    const STATES: [(&str, &str); 13] = [
        ("rotate;", "Can Rotate"),
        ("pivot;", "Can Pivot"),
        ("table;", "Spreadsheet"),
        ("restrict;", "Restricted Access"),
        ("markmoved;", "Mark When Moved"),
        ("footprint;", "Trail of moves"),
        ("AreaOfEffect;", "Area Of Effect"),
        ("mat;", "Mat"),
        ("matPiece;", "Mat Cargo"),
        ("attach;", "Attachment"),
        ("prototype;", "Prototype"),
        ("emb;", "Layer of an old version"),
        ("locmsg;", "Translatable Message"),
    ];
    // Those above that are read, hide a piece, or only draw it or answer a key.
    const OTHERS: &str = "emb2; PROP; calcProp; propertysheet; label; mark; basicName; piece; hide; obs; immob; nonRect; nonRect2; \
                          placemark; replace; report; return; sendto; clone; delete; submenu; menuSeparator; translate; globalkey; macro; \
                          setprop; setpieceprop; hideCmd; playSound; button; globalhotkey; deselect; border; locCommand; cmt;";
    let mut unread_names: Vec<String> = layers(traits)
        .into_iter()
        .filter_map(|layer| {
            Some(format!(
                "Layer `{}` that follows `{}`",
                layer.name, layer.lacks?
            ))
        })
        .collect();
    for piece_trait in traits {
        let id = piece_trait
            .kind
            .split_inclusive(';')
            .next()
            .unwrap_or_default();
        if let Some((_, name)) = STATES.iter().find(|(trait_id, _)| *trait_id == id) {
            unread_names.push(name.to_string());
        } else if let Some(mut arguments) = piece_trait.arguments("calcProp;") {
            let name = arguments.text();
            if property(traits, &name).is_none() {
                unread_names.push(format!("Calculated Property `{name}`"));
            }
        } else if piece_trait.kind.starts_with("label;")
            && !piece_trait.state.is_empty()
            && label_name(traits, piece_trait, "").is_none()
        {
            unread_names.push("Text Label with an expression".into());
        } else if !OTHERS.split_whitespace().any(|trait_id| trait_id == id) {
            unread_names.push(format!("trait `{}`", id.trim_end_matches(';')));
        }
    }
    unread_names
}

/// Returns whether an owner hides a piece from `viewer` (empty for a stranger).
fn hides(owner: &str, viewer: &str) -> bool {
    !matches!(owner, "null" | "") && (viewer.is_empty() || owner != viewer)
}

/// Returns whether a piece can't be seen at all.
pub fn is_hidden(traits: &[PieceTrait], viewer: &str) -> bool {
    traits
        .iter()
        .any(|one| one.kind.starts_with("hide;") && hides(&one.state, viewer))
}

/// Returns whether a piece is visible, but its identity is hidden.
pub fn is_masked(traits: &[PieceTrait], viewer: &str) -> bool {
    traits.iter().any(|one| {
        one.kind.starts_with("obs;") && hides(&SequenceReader::new(&one.state, ';').text(), viewer)
    })
}
