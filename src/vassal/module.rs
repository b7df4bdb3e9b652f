//! A module: its maps with boards and grids, and the pieces of its palettes.

use crate::archive::Archive;
use crate::element::Element;
use crate::fault::{VassalFault, VassalFaultKind};
use crate::grid::PlaceGrid;
use crate::piece_table::AddedPiece;
use crate::saved_game::{BoardPosition, added_piece, board_positions};
use crate::sequence::SequenceReader;
use crate::traits::PieceTrait;
use casebook_engine::complaint::Error;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// Maximum number of prototypes in each other.
const MAX_PROTOTYPES: usize = 20;

/// Maximum number of traits of a piece with its prototypes.
const MAX_ALL_TRAITS: usize = 5_000;

#[derive(Debug)]
pub struct VassalModule {
    pub name: String,
    pub version: String,
    pub maps: Vec<ModuleMap>,
    /// The pieces of its palettes and set-ups, in order, each with the traits of its prototypes.
    pub pieces: Vec<Vec<PieceTrait>>,
}

#[derive(Debug)]
pub struct ModuleMap {
    pub name: String,
    /// Its identifier in saved games if it has no name.
    pub id: String,
    /// The sides that alone may look at it; empty for everybody.
    pub owners: Vec<String>,
    edge: (i32, i32),
    boards: Vec<ModuleBoard>,
    default_boards: Vec<BoardPosition>,
}

#[derive(Debug)]
struct ModuleBoard {
    name: String,
    size: (i32, i32),
    grid: Option<PlaceGrid>,
    /// Its image, if the module does not hold it.
    missing_image: Option<String>,
}

/// The size of a board of unknown size: no board is larger, and sums of some of them are still numbers.
const ANY_SIZE: (i32, i32) = (1 << 20, 1 << 20);

impl VassalModule {
    pub fn open(path: &Path) -> Result<VassalModule, Error> {
        VassalModule::read(Archive::open(path)?).map_err(Error::from)
    }

    pub fn read(mut archive: Archive) -> Result<VassalModule, VassalFault> {
        let mut named = None;
        for name in ["buildFile.xml", "buildFile"] {
            named = named.or(archive.text(name)?.map(|text| (archive.place(name), text)));
        }
        let missing = || VassalFaultKind::NoBuildFile.at(&archive.place("buildFile.xml"));
        let (place, text) = named.ok_or_else(missing)?;
        let root = Element::parse(&text, &place)?;
        let mut map_elements = Vec::new();
        // Modules have classes of their own; what has boards is a map.
        root.collect(
            &|element| {
                element
                    .children
                    .iter()
                    .any(|child| child.is(".BoardPicker"))
            },
            &mut map_elements,
        );
        let maps = map_elements
            .iter()
            .enumerate()
            .map(|(index, map)| ModuleMap::read(map, index, &mut archive, &place))
            .collect::<Result<_, _>>()?;
        Ok(VassalModule {
            name: root.attribute("name").into(),
            version: root.attribute("version").into(),
            maps,
            pieces: palette(&root, &place)?,
        })
    }

    /// Returns the images of boards that the module names and does not hold.
    pub fn missing_images(&self) -> impl Iterator<Item = &str> {
        self.maps
            .iter()
            .flat_map(|map| &map.boards)
            .filter_map(|board| board.missing_image.as_deref())
    }

    /// Returns the map that a saved game names.
    pub fn map(&self, name: &str) -> Option<&ModuleMap> {
        self.maps
            .iter()
            .find(|map| map.name == name || map.id == name)
    }
}

/// Reads the pieces that the module offers.
fn palette(root: &Element, place: &str) -> Result<Vec<Vec<PieceTrait>>, VassalFault> {
    let mut slots = Vec::new();
    root.collect(
        &|element| element.is(".PieceSlot") || element.is(".CardSlot"),
        &mut slots,
    );
    let prototypes: BTreeMap<&str, &str> = root
        .all(".PrototypeDefinition")
        .into_iter()
        .map(|element| (element.attribute("name"), element.text.trim()))
        .collect();
    let mut pieces = Vec::new();
    for slot in slots {
        // A slot whose text is no piece is empty.
        let Some(AddedPiece { traits, .. }) = added_piece(slot.text.trim(), place)? else {
            continue;
        };
        let mut expanded = Vec::new();
        expand(traits, &prototypes, place, 0, &mut expanded)?;
        pieces.push(expanded);
    }
    Ok(pieces)
}

/// Adds traits with those of the prototypes that they name. The basic piece of a prototype is left out.
fn expand(
    traits: Vec<PieceTrait>,
    prototypes: &BTreeMap<&str, &str>,
    place: &str,
    depth: usize,
    expanded: &mut Vec<PieceTrait>,
) -> Result<(), VassalFault> {
    for piece_trait in traits {
        let name = piece_trait
            .arguments("prototype;")
            .map(|mut arguments| arguments.text().into_owned());
        let Some(name) = name else {
            if depth == 0 || !piece_trait.kind.starts_with("piece;") {
                expanded.push(piece_trait);
            }
            if expanded.len() > MAX_ALL_TRAITS {
                return Err(VassalFaultKind::TooManyPrototypeTraits {
                    most: MAX_ALL_TRAITS,
                }
                .at(place));
            }
            continue;
        };
        if depth == MAX_PROTOTYPES {
            return Err(VassalFaultKind::PrototypeInItself {
                name: name.to_string(),
            }
            .at(place));
        }
        let inner = prototypes
            .get(name.as_str())
            .map(|text| added_piece(text, place))
            .transpose()?
            .flatten();
        if let Some(inner) = inner {
            expand(inner.traits, prototypes, place, depth + 1, expanded)?;
        }
    }
    Ok(())
}

impl ModuleMap {
    fn read(
        element: &Element,
        index: usize,
        archive: &mut Archive,
        place: &str,
    ) -> Result<ModuleMap, VassalFault> {
        let mut boards = Vec::new();
        for board in element.all(".Board") {
            boards.push(ModuleBoard::read(board, archive)?);
        }
        let mut setups = Vec::new();
        element.collect(&|element| element.name == "setup", &mut setups);
        let setup = setups
            .first()
            .map(|setup| setup.text.trim())
            .unwrap_or_default();
        let owners = match element.is(".Map") || element.flag("visible", false) {
            true => Vec::new(),
            false => SequenceReader::new(element.attribute("side"), ',')
                .map(Cow::into_owned)
                .filter(|side| !side.is_empty())
                .collect(),
        };
        Ok(ModuleMap {
            name: element.attribute("mapName").into(),
            id: format!("Map{index}"),
            owners,
            edge: (
                element.number("edgeWidth").unwrap_or(0),
                element.number("edgeHeight").unwrap_or(0),
            ),
            boards,
            default_boards: board_positions(setup, place)?
                .map(|(_, boards)| boards)
                .unwrap_or_default(),
        })
    }

    /// Returns the name of the place at a dot, with the boards as a saved game lays them; `None` off the boards.
    pub fn place_name(
        &self,
        dot: (i32, i32),
        positions: Option<&[BoardPosition]>,
    ) -> Option<String> {
        let (board, local_dot) = self
            .boards_laid(positions)
            .into_iter()
            .find_map(|positions| Some((positions.board, positions.local(dot)?)))?;
        let grid = board.grid.as_ref()?;
        // Numbers that count from the far edge would be wrong ones.
        if board.size == ANY_SIZE && grid.counts_from_far_edge(local_dot) {
            return None;
        }
        grid.place_name(local_dot, board.size)
    }

    /// Returns the dot that counters near a dot snap to; the dot itself where nothing says where that is.
    pub fn snap(&self, dot: (i32, i32), positions: Option<&[BoardPosition]>) -> (i32, i32) {
        let snapped = |board: LaidBoard| {
            let local_dot = board.local(dot)?;
            let snapped_dot = board.board.grid.as_ref()?.snap(local_dot)?;
            Some(board.local_to_map(snapped_dot))
        };
        self.boards_laid(positions)
            .into_iter()
            .find_map(snapped)
            .unwrap_or(dot)
    }

    /// Returns left upper dot and size of each board.
    pub fn areas(&self, positions: Option<&[BoardPosition]>) -> Vec<((i32, i32), (i32, i32))> {
        self.boards_laid(positions)
            .into_iter()
            .map(|board| (board.origin, board.board.size))
            .collect()
    }

    fn boards_laid(&self, positions: Option<&[BoardPosition]>) -> Vec<LaidBoard<'_>> {
        let single = self
            .boards
            .first()
            .filter(|_| self.boards.len() == 1)
            .map(|board| BoardPosition::single(&board.name));
        let positions = match positions.unwrap_or(&self.default_boards) {
            [] => single.as_slice(),
            positions => positions,
        };
        let find_board =
            |at: &BoardPosition| self.boards.iter().find(|board| board.name == at.name);
        let sizes: BTreeMap<(i32, i32), (i32, i32)> = positions
            .iter()
            .filter_map(|at| Some(((at.column, at.row), find_board(at)?.size)))
            .collect();
        // The last board on a slot gives it its size.
        let size = |slot: (i32, i32)| sizes.get(&slot).copied().unwrap_or((0, 0));
        let placed = |position: &BoardPosition| {
            let left: i64 = (0..position.column)
                .map(|column| i64::from(size((column, position.row)).0))
                .sum();
            let top: i64 = (0..position.row)
                .map(|row| i64::from(size((position.column, row)).1))
                .sum();
            let origin = (
                i32::try_from(left + i64::from(self.edge.0)).ok()?,
                i32::try_from(top + i64::from(self.edge.1)).ok()?,
            );
            Some(LaidBoard {
                board: find_board(position)?,
                origin,
                reversed: position.reversed,
            })
        };
        positions.iter().filter_map(placed).collect()
    }
}

/// A board where a saved game lays it.
struct LaidBoard<'a> {
    board: &'a ModuleBoard,
    origin: (i32, i32),
    reversed: bool,
}

impl LaidBoard<'_> {
    /// Converts a dot of the map to one of the board; `None` if it lies beside the board.
    fn local(&self, (x, y): (i32, i32)) -> Option<(i32, i32)> {
        let (x, y) = (x.checked_sub(self.origin.0)?, y.checked_sub(self.origin.1)?);
        let (wide, high) = self.board.size;
        let on_it = (0..wide).contains(&x) && (0..high).contains(&y);
        on_it.then_some(if self.reversed {
            (wide - x, high - y)
        } else {
            (x, y)
        })
    }

    fn local_to_map(&self, (x, y): (i32, i32)) -> (i32, i32) {
        let (wide, high) = self.board.size;
        let (x, y) = if self.reversed {
            (wide.wrapping_sub(x), high.wrapping_sub(y))
        } else {
            (x, y)
        };
        (x.wrapping_add(self.origin.0), y.wrapping_add(self.origin.1))
    }
}

impl ModuleBoard {
    fn read(element: &Element, archive: &mut Archive) -> Result<ModuleBoard, VassalFault> {
        let image = element.attribute("image");
        let header = match image {
            "" => None,
            name => archive.read_start(&format!("images/{name}"), HEADER_BYTES, false)?,
        };
        let own_size = (element.number("width"), element.number("height"));
        let missing_image = (!image.is_empty() && header.is_none()).then(|| image.to_string());
        let size = match header.and_then(|bytes| image_size(&bytes)) {
            Some(size) => size,
            None if missing_image.is_some() && own_size == (None, None) => ANY_SIZE,
            None => (own_size.0.unwrap_or(500), own_size.1.unwrap_or(500)),
        };
        Ok(ModuleBoard {
            name: element.attribute("name").into(),
            size,
            grid: PlaceGrid::read(element),
            missing_image,
        })
    }
}

/// Number of bytes that the header of an image may take; photographs carry much before their size.
const HEADER_BYTES: u64 = 1 << 20;

/// Number of bytes of an SVG image in which its outermost element begins.
const SVG_HEAD: usize = 4096;

/// Returns width and height of a PNG, GIF, JPEG or SVG image.
fn image_size(bytes: &[u8]) -> Option<(i32, i32)> {
    let big = |at: usize| {
        Some(i32::from(u16::from_be_bytes([
            *bytes.get(at)?,
            *bytes.get(at + 1)?,
        ])))
    };
    let little = |at: usize| {
        Some(i32::from(u16::from_le_bytes([
            *bytes.get(at)?,
            *bytes.get(at + 1)?,
        ])))
    };
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        // No board has a side of 65,536 dots.
        return if big(16)? == 0 && big(20)? == 0 {
            Some((big(18)?, big(22)?))
        } else {
            None
        };
    }
    if bytes.starts_with(b"GIF8") {
        return Some((little(6)?, little(8)?));
    }
    if bytes.starts_with(&[0xff, 0xd8]) {
        return jpeg_size(bytes);
    }
    // The size is at the beginning; later the bytes may end within a character.
    svg_size(&String::from_utf8_lossy(
        &bytes[..bytes.len().min(SVG_HEAD)],
    ))
}

/// Walks over the segments of a JPEG image to the one with its size.
fn jpeg_size(bytes: &[u8]) -> Option<(i32, i32)> {
    let big = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    let mut offset = 2;
    loop {
        match *bytes.get(offset..offset + 2)? {
            [0xff, 0xff] => offset += 1,
            [
                0xff,
                mark @ (0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf),
            ] if mark != 0 => {
                return Some((big(offset + 7)?.into(), big(offset + 5)?.into()));
            }
            [0xff, _] => offset += 2 + usize::from(big(offset + 2)?.max(2)),
            _ => return None,
        }
    }
}

/// Returns width and height of the outermost element of an SVG image.
fn svg_size(text: &str) -> Option<(i32, i32)> {
    let head = &text[text.find("<svg")?..];
    let head = &head[..head.find('>')?];
    let side = |name: &str| {
        let value = head.split_once(&format!(" {name}=\""))?.1;
        let number = value
            .trim_start()
            .split(|c: char| !c.is_ascii_digit() && c != '.')
            .next()?;
        number.parse::<f64>().ok().map(|side| side.ceil() as i32)
    };
    Some((side("width")?, side("height")?))
}
