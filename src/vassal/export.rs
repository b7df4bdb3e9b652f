//! Makes a module of a situation: its map and counters drawn, its set-up as a saved game, and the module map that reads it back.

use crate::archive::pack;
use crate::board_grid::grid_xml;
use crate::drawing::{COUNTER, MapPicture, draw_counter, draw_map};
use crate::element::escape;
use crate::obfuscation::encode;
use crate::saved_game::SAVED_GAME;
use crate::sequence::{COMMAND, join};
use crate::traits::{PieceTrait, nest};
use casebook_engine::complaint::Error;
use casebook_engine::data::manifest::Game;
use casebook_engine::data::piece::{PieceEntry, datum_text};
use casebook_engine::data::yaml_writer::write_scalar;
use casebook_engine::notation::Hex;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::map_plan::MapPlan;
use casebook_engine::situation::placed_piece::{PlacedPiece, placed_pieces};
use casebook_engine::situation::value::HashedText;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The name of the only map of a module.
const MAP: &str = "Map";

/// The name of its only board.
const BOARD: &str = "Board";

/// The version of VASSAL whose form the files have; later ones read it.
const VASSAL_VERSION: &str = "3.6.0";

const MODULE_VERSION: &str = "1.0";

/// What VASSAL shows of files that are made here.
pub const OWN_FILE: &str = "made by Casebook";

/// The set-up in a module.
const SETUP: &str = "set-up.vsav";

/// The key with which files are encoded. Equal situations give equal files.
const KEY: u8 = 0x5a;

/// The type of a label in the upper right corner of a counter that shows what is left of the first figure printed on it. It adds nothing to
/// the name of the piece.
const NOW_LABEL: &str =
    "label;;;10;255,255,255;160,0,0;t;0;r;0;t;r;$pieceName$;Dialog;0;0;Now;;false";

/// A module made of a situation.
pub struct ExportedModule {
    /// The name of the module.
    pub module: String,
    /// The `.vmod` file.
    pub vmod: Vec<u8>,
    /// The set-up as a `.vsav` file.
    pub vsav: Vec<u8>,
    /// The module map.
    pub map_yaml: String,
    /// Number of counters.
    pub counters: usize,
}

/// A counter: the piece, its figures that change in play, and its picture.
struct Counter {
    piece: PlacedPiece,
    figures: Vec<(String, String)>,
    image: String,
}

/// Makes a module of a situation; `map_name` is the name of its module map.
pub fn export(situation: &Situation, map_name: &str) -> Result<ExportedModule, Error> {
    let scene = ModuleScene::new(situation);
    let mut files = vec![("buildFile.xml".to_string(), scene.build_file().into_bytes())];
    files.push((
        "moduledata".into(),
        scene.saved_module().data(&[("name", &scene.module)]),
    ));
    files.push((
        "images/map.svg".into(),
        scene.picture.svg.clone().into_bytes(),
    ));
    files.extend(
        scene
            .images
            .iter()
            .map(|(svg, name)| (format!("images/{name}"), svg.clone().into_bytes())),
    );
    let vsav = scene.saved_module().file(&scene.saved_text())?;
    files.push((SETUP.into(), vsav.clone()));
    Ok(ExportedModule {
        vmod: pack(&files)?,
        vsav,
        map_yaml: scene.module_map(map_name),
        counters: scene.counters.len(),
        module: scene.module,
    })
}

/// The module that a saved game belongs to.
pub struct SavedModule {
    pub name: String,
    pub version: String,
}

impl SavedModule {
    /// Packs the text of a saved game or log.
    pub fn file(&self, text: &str) -> Result<Vec<u8>, Error> {
        pack(&[
            (SAVED_GAME.into(), encode(text, KEY)),
            (
                "savedata".into(),
                self.data(&[("moduleName", &self.name), ("moduleVersion", &self.version)]),
            ),
            ("moduledata".into(), self.data(&[("name", &self.name)])),
        ])
    }

    /// Describes a file of the module: what VASSAL shows before it opens one.
    fn data(&self, extra: &[(&str, &str)]) -> Vec<u8> {
        let fields = [
            ("version", self.version.as_str()),
            ("VassalVersion", VASSAL_VERSION),
            ("dateSaved", "0"),
            ("description", OWN_FILE),
        ];
        let lines: String = fields
            .iter()
            .chain(extra)
            .map(|(key, value)| format!("  <{key}>{}</{key}>\n", escape(value)))
            .collect();
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<data version=\"1\">\n{lines}</data>\n"
        )
        .into_bytes()
    }
}

/// Everything that is drawn.
struct ModuleScene<'a> {
    situation: &'a Situation,
    module: String,
    picture: MapPicture,
    counters: Vec<Counter>,
    /// Names of pictures by their content.
    images: BTreeMap<String, String>,
}

impl<'a> ModuleScene<'a> {
    fn new(situation: &'a Situation) -> ModuleScene<'a> {
        let (game, board) = (&situation.ruleset().game, situation.before());
        let pieces = placed_pieces(board, game);
        let place_names: Vec<&str> = board
            .start
            .geography
            .places
            .iter()
            .map(HashedText::as_str)
            .collect();
        let is_box = |place: &str| game.places.boxes.iter().any(|name| name == place);
        let on_map: Vec<PlacedPiece> = pieces
            .iter()
            .filter(|piece| !piece.place.is_empty() && !is_box(&piece.place))
            .cloned()
            .collect();
        let map_places: Vec<&str> = place_names
            .iter()
            .copied()
            .filter(|place| !is_box(place))
            .collect();
        let mut plan = MapPlan::new(board, game, &on_map, &map_places, false);
        if plan.hexes && !place_names.is_empty() {
            // A piece can go to a hex beside it of which the situation says nothing.
            let stands: Vec<Hex> = on_map
                .iter()
                .filter_map(|piece| Hex::parse(&piece.place).ok())
                .collect();
            let beside: BTreeSet<String> = stands
                .iter()
                .flat_map(|hex| game.places.neighbours(hex))
                .map(|hex| hex.to_string())
                .collect();
            keep_places(&mut plan, |name| {
                place_names.contains(&name)
                    || beside.contains(name)
                    || on_map.iter().any(|piece| piece.place == name)
            });
        }
        let mut boxes: Vec<&str> = game.places.boxes.iter().map(String::as_str).collect();
        let mut picture = draw_map(&plan, game, &boxes);
        // A piece may be at a place that is on no map.
        let lost = |piece: &&PlacedPiece| {
            !piece.place.is_empty() && !picture.places.iter().any(|(name, _)| *name == piece.place)
        };
        let without_dot: Vec<&PlacedPiece> = pieces.iter().filter(lost).collect();
        if !without_dot.is_empty() {
            boxes.extend(without_dot.iter().map(|piece| piece.place.as_str()));
            boxes.dedup();
            picture = draw_map(&plan, game, &boxes);
        }
        let entries: BTreeMap<&str, &PieceEntry> = situation
            .scenario
            .pieces
            .iter()
            .map(|entry| (entry.name.as_str(), entry))
            .collect();
        let mut images: BTreeMap<String, String> = BTreeMap::new();
        let mut counters = Vec::new();
        for piece in pieces.iter().filter(|piece| !piece.place.is_empty()) {
            let entry = entries.get(piece.name.as_str());
            let new_name = format!("counter-{}.svg", images.len() + 1);
            let image = images
                .entry(draw_counter(piece, game))
                .or_insert(new_name)
                .clone();
            let figures = entry
                .map(|entry| changing_figures(entry, game))
                .unwrap_or_default();
            counters.push(Counter {
                piece: piece.clone(),
                figures,
                image,
            });
        }
        ModuleScene {
            situation,
            module: situation.scenario.title.clone(),
            picture,
            counters,
            images,
        }
    }

    fn game(&self) -> &Game {
        &self.situation.ruleset().game
    }

    /// The traits of a counter, the outermost first, on a map at a dot or on none.
    fn traits(&self, counter: &Counter, at: Option<(i32, i32)>, number: usize) -> String {
        let mut traits = vec![PieceTrait::new("delete;Remove;68,130;", "")];
        let first_figure = self
            .game()
            .unit_value
            .as_ref()
            .map(|figures| &figures.first);
        if let Some((name, _)) = counter
            .figures
            .iter()
            .find(|(name, _)| Some(name) == first_figure)
        {
            traits.push(PieceTrait::new(NOW_LABEL, format!("${name}$")));
        }
        for (name, value) in &counter.figures {
            // Ctrl+Shift+P asks for a new value.
            let command = join(
                &[
                    format!("{name} ..."),
                    "80,195".into(),
                    join(&["R", name], ','),
                ],
                ':',
            );
            traits.push(PieceTrait::new(
                format!(
                    "PROP;{}",
                    join(
                        &[name.as_str(), "false,0,0,false", &join(&[command], ','), ""],
                        ';'
                    )
                ),
                value,
            ));
        }
        traits.push(PieceTrait::new(
            format!(
                "piece;{}",
                join(&["", "", &counter.image, &counter.piece.name], ';')
            ),
            basic_state(at, number),
        ));
        let kinds = nest(traits.iter().map(|one| one.kind.as_str()));
        join(
            &[kinds, nest(traits.iter().map(|one| one.state.as_str()))],
            '/',
        )
    }

    /// The saved game: each piece, then the stacks, then the board.
    fn saved_text(&self) -> String {
        let mut records = vec!["begin_save".to_string()];
        let mut stacks: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (number, counter) in (1..).zip(&self.counters) {
            let place = counter.piece.place.as_str();
            records.push(format!(
                "+/{number}/{}",
                self.traits(counter, Some(self.dot(place)), number)
            ));
            stacks.entry(place).or_default().push(number.to_string());
        }
        for (number, (place, members)) in (self.counters.len() + 1..).zip(&stacks) {
            let (x, y) = self.dot(place);
            let mut state = vec![MAP.to_string(), x.to_string(), y.to_string()];
            state.extend(members.iter().cloned());
            state.push("@@-1".into());
            records.push(format!(
                "+/{number}/stack/{}",
                join(&[join(&state, ';')], '/')
            ));
        }
        records.push(join(
            &[format!("{MAP}BoardPicker").as_str(), BOARD, "0", "0"],
            '\t',
        ));
        records.push("end_save".into());
        join(&records, COMMAND)
    }

    fn saved_module(&self) -> SavedModule {
        SavedModule {
            name: self.module.clone(),
            version: MODULE_VERSION.into(),
        }
    }

    fn dot(&self, place: &str) -> (i32, i32) {
        self.picture
            .places
            .iter()
            .find(|(name, _)| name == place)
            .map_or((0, 0), |(_, dot)| *dot)
    }

    /// What the module consists of.
    fn build_file(&self) -> String {
        let sides: String = self
            .game()
            .sides
            .iter()
            .map(|side| format!("<entry>{}</entry>", escape(side)))
            .collect();
        let (wide, high) = self.picture.size;
        [
            ("@next@", (self.counters.len() + 1).to_string()),
            ("@version@", MODULE_VERSION.into()),
            ("@width@", wide.to_string()),
            ("@height@", high.to_string()),
            ("@sides@", sides),
            ("@grid@", grid_xml(&self.picture, self.game())),
            ("@counters@", self.palette()),
            ("@name@", escape(&self.module)),
        ]
        .iter()
        .fold(
            include_str!("assets/module.xml").to_string(),
            |text, (mark, value)| text.replace(mark, value),
        )
    }

    /// The palette: a list of counters for each side, and one of those that belong to none.
    fn palette(&self) -> String {
        let mut out = String::new();
        for side in self.game().sides.iter().map(String::as_str).chain([""]) {
            let title = escape(if side.is_empty() { "Markers" } else { side });
            let _ = writeln!(
                out,
                "<VASSAL.build.widget.ListWidget divider=\"194\" entryName=\"{title}\" height=\"0\" scale=\"1.0\" width=\"300\">"
            );
            for (number, counter) in (1..)
                .zip(&self.counters)
                .filter(|(_, counter)| counter.piece.side == side)
            {
                let (name, piece) = (
                    escape(&counter.piece.name),
                    escape(&format!("+/null/{}", self.traits(counter, None, number))),
                );
                let _ = writeln!(
                    out,
                    "<VASSAL.build.widget.PieceSlot entryName=\"{name}\" gpid=\"{number}\" height=\"{COUNTER}\" width=\"{COUNTER}\">{piece}\
                     </VASSAL.build.widget.PieceSlot>"
                );
            }
            out.push_str("</VASSAL.build.widget.ListWidget>\n");
        }
        out
    }

    fn module_map(&self, name: &str) -> String {
        let scenario = &self.situation.scenario;
        let mut out = String::new();
        for (key, value) in [
            ("module_map", name),
            ("module", &self.module),
            ("game", &self.game().name),
            ("like", &scenario.name),
        ] {
            let _ = writeln!(out, "{key}: {}", write_scalar(value));
        }
        let has_counter = |name: &str| {
            self.counters
                .iter()
                .any(|counter| counter.piece.name == name)
        };
        let without_counter: Vec<String> = scenario
            .pieces
            .iter()
            .filter(|piece| !has_counter(&piece.name))
            .map(|piece| write_scalar(&piece.name))
            .collect();
        if !without_counter.is_empty() {
            let _ = writeln!(out, "keep: [{}]", without_counter.join(", "));
        }
        out.push_str(if self.counters.is_empty() {
            "pieces: {}\n"
        } else {
            "pieces:\n"
        });
        for counter in &self.counters {
            let figures: Vec<String> = counter
                .figures
                .iter()
                .map(|(name, _)| format!("{}: {}", write_scalar(name), write_scalar(name)))
                .collect();
            let figures = if figures.is_empty() {
                "{}".into()
            } else {
                format!("{{ figures: {{ {} }} }}", figures.join(", "))
            };
            let _ = writeln!(out, "  {}: {figures}", write_scalar(&counter.piece.name));
        }
        out
    }
}

/// Returns the state of a basic piece.
fn basic_state(at: Option<(i32, i32)>, number: usize) -> String {
    let (map, (x, y)) = at.map_or(("null", (0, 0)), |at| (MAP, at));
    join(
        &[
            map,
            &x.to_string(),
            &y.to_string(),
            &number.to_string(),
            "0",
        ],
        ';',
    )
}

/// Returns the figures that a situation itself gives a piece, as far as play changes them: of those printed on its counter only the first,
/// which losses lower.
fn changing_figures(entry: &PieceEntry, game: &Game) -> Vec<(String, String)> {
    let printed: Vec<&String> = game
        .unit_value
        .iter()
        .flat_map(|figures| [&figures.second].into_iter().chain(&figures.bracketed))
        .collect();
    let changing = |(name, _): &(&String, _)| {
        game.index_of_attribute(name).is_some() && !printed.contains(name)
    };
    entry
        .attributes
        .iter()
        .filter(changing)
        .map(|(name, datum)| (name.clone(), datum_text(datum)))
        .collect()
}

/// Leaves only some places in a plan, with the edges between them.
fn keep_places(plan: &mut MapPlan, stays: impl Fn(&str) -> bool) {
    let mut numbers = Vec::new();
    let mut next_index = 0;
    for place in &plan.places {
        let stays = stays(&place.name);
        numbers.push(stays.then_some(next_index));
        next_index += usize::from(stays);
    }
    plan.places.retain(|place| stays(&place.name));
    plan.edges
        .retain_mut(|edge| match (numbers[edge.ends.0], numbers[edge.ends.1]) {
            (Some(a), Some(b)) => {
                edge.ends = (a, b);
                true
            }
            _ => false,
        });
}
