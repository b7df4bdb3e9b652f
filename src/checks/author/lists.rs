//! Lists of the contents of a game, by kind: procedures, kinds, attributes, tracks, tables, cases and more.

use crate::author::show_page::{FoundThing, ListPage, NamedLine, ScriptExcerpt, ShowPage};
use casebook_engine::complaint::{Complaint, Complaints};
use casebook_engine::data::case::{Case, Reading};
use casebook_engine::data::files::DataFile;
use casebook_engine::data::library::Library;
use casebook_engine::data::manifest::AttributeType;
use casebook_engine::data::piece::datum_text;
use casebook_engine::data::sheet::SheetFields;
use casebook_engine::data::status::Status;
use casebook_engine::data::yaml::YamlReader;
use casebook_engine::ruleset::compose::{Ruleset, Slot};
use casebook_engine::ruling::terminal_page::push_indented;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// Returns the entries of one list: name and one-line description.
type Listing = fn(&Ruleset) -> Vec<(String, String)>;

/// The available lists, by name.
const LISTS: [(&str, Listing); 19] = [
    ("procedures", |r| r.game.procedures.clone()),
    ("kinds", |r| {
        r.game
            .kinds
            .iter()
            .map(|(name, kind)| {
                (
                    name.clone(),
                    format!("{}; {}", kind.title, kind.groups.join(", ")),
                )
            })
            .collect()
    }),
    ("groups", |r| {
        let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (kind, group) in r
            .game
            .kinds
            .iter()
            .flat_map(|(name, kind)| kind.groups.iter().map(move |group| (name, group)))
        {
            found.entry(group.clone()).or_default().push(kind);
        }
        found
            .into_iter()
            .map(|(group, kinds)| (group, kinds.join(", ")))
            .collect()
    }),
    ("attributes", |r| {
        let lists = [
            ("pieces", &r.game.attributes),
            ("places", &r.game.places.attributes),
            ("the sides of places", &r.game.places.side_attributes),
        ];
        let line = |of: &str, (name, attribute): &(String, AttributeType)| {
            (name.clone(), format!("of {of}: {}", attribute.describe()))
        };
        lists
            .into_iter()
            .flat_map(|(of, list)| list.iter().map(move |entry| line(of, entry)))
            .collect()
    }),
    ("tracks", |r| {
        r.game
            .tracks
            .iter()
            .map(|(name, track)| (name.clone(), track.describe()))
            .collect()
    }),
    ("decks", |r| {
        r.game
            .decks
            .iter()
            .map(|(name, deck)| (name.clone(), deck.describe()))
            .collect()
    }),
    ("sides", |r| {
        r.game
            .sides
            .iter()
            .map(|side| (side.clone(), String::new()))
            .collect()
    }),
    ("sheets", |r| {
        let fields = |sheet: &SheetFields| sheet.keys().cloned().collect::<Vec<_>>().join(", ");
        r.game
            .sheets
            .iter()
            .map(|(name, sheet)| (name.clone(), fields(sheet)))
            .collect()
    }),
    ("sources", |r| r.game.sources.clone().into_iter().collect()),
    ("phases", phases),
    ("sequence", phases),
    ("variants", |r| {
        let own = r
            .library
            .variants
            .values()
            .filter(|variant| variant.game == r.game.name);
        own.map(|variant| (variant.name.clone(), variant.title.clone()))
            .collect()
    }),
    ("options", |r| {
        let own = r
            .library
            .variants
            .values()
            .filter(|variant| variant.game == r.game.name);
        own.flat_map(|v| {
            v.options
                .iter()
                .map(move |part| (format!("{}.{}", v.name, part.name), part.title.clone()))
        })
        .collect()
    }),
    ("readings", |r| {
        let of = |case: &Arc<Case>| {
            let line = |reading: &Reading| {
                (
                    format!("{}.{}", case.number, reading.name),
                    reading.ways.join(" | "),
                )
            };
            case.readings.iter().map(line).collect::<Vec<_>>()
        };
        r.cases
            .iter()
            .flat_map(of)
            .collect::<BTreeMap<_, _>>()
            .into_iter()
            .collect()
    }),
    ("cases", |r| {
        let mut all: BTreeMap<String, String> = r
            .contents
            .iter()
            .map(|(number, known)| (number.clone(), known.title.clone()))
            .collect();
        for case in &r.cases {
            all.entry(case.number.clone())
                .or_insert_with(|| case.title.clone());
        }
        all.into_iter().collect()
    }),
    ("tables", |r| {
        let title = |id: &str| {
            r.table(id)
                .ok()
                .flatten()
                .map(|table| table.title.clone())
                .unwrap_or_default()
        };
        r.table_names()
            .map(|id| (id.to_string(), title(id)))
            .collect()
    }),
    ("functions", |r| {
        let line = |slot: &Slot| {
            (
                slot.name.clone(),
                r.cases[slot.answers[0].case].number.clone(),
            )
        };
        r.slots
            .iter()
            .map(line)
            .collect::<BTreeMap<_, _>>()
            .into_iter()
            .collect()
    }),
    ("situations", |r| {
        let mut ignore = Complaints::default();
        let mut of = |name: &str| {
            r.stack_scenario(name, &mut ignore)
                .filter(|list| list.procedure.is_some())
        };
        r.scenario_names()
            .into_iter()
            .filter_map(|name| Some((name.to_string(), of(name)?.title.clone())))
            .collect()
    }),
    ("pieces", |r| {
        let mut ignore = Complaints::default();
        let mut all: BTreeMap<String, String> = BTreeMap::new();
        for scenario in r
            .scenario_names()
            .into_iter()
            .filter_map(|name| r.stack_scenario(name, &mut ignore))
        {
            for piece in &scenario.pieces {
                let kind = || {
                    piece
                        .attributes
                        .get("kind")
                        .map(datum_text)
                        .unwrap_or_default()
                };
                all.entry(piece.name.clone())
                    .and_modify(|old| {
                        if old.is_empty() {
                            *old = kind()
                        }
                    })
                    .or_insert_with(kind);
            }
        }
        all.into_iter().collect()
    }),
];

/// Returns the names of the lists.
pub fn names() -> impl Iterator<Item = &'static str> {
    LISTS.iter().map(|(name, _)| *name)
}

fn phases(ruleset: &Ruleset) -> Vec<(String, String)> {
    ruleset
        .game
        .sequence
        .iter()
        .map(|phase| (phase.name.clone(), phase.procedures.join(", ")))
        .collect()
}

/// Returns the entries of the list with this name, if there is one: names and one-line descriptions.
pub fn entries(ruleset: &Ruleset, name: &str) -> Option<Vec<(String, String)>> {
    LISTS
        .iter()
        .find(|(list_name, _)| *list_name == name)
        .map(|(_, entries_of)| entries_of(ruleset))
}

/// Returns the list with this name, if there is one.
pub fn list(ruleset: &Ruleset, name: &str) -> Option<ShowPage> {
    let entries = entries(ruleset, name)?;
    let game = &ruleset.game.name;
    let width = entries
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0)
        .min(34);
    let mut text = format!("{name} of {game}\n");
    entries.iter().for_each(|(name, line)| {
        text += &format!("  {}\n", format!("{name:<width$}  {line}").trim_end())
    });
    if entries.is_empty() {
        text += "  none\n";
    }
    let section = |file: &DataFile| {
        YamlReader::for_file(file)
            .parse_file()
            .and_then(|root| root.entry(name).map(|(key, _)| key.span.line))
    };
    let file_and_line = ruleset
        .library
        .manifest(game)
        .and_then(|file| Some((file, section(file)?)));
    let script = file_and_line
        .map(|(file, line)| ScriptExcerpt::yaml_block(ruleset, &file.path, &file.text, line));
    let entries = entries
        .into_iter()
        .map(|(name, text)| NamedLine { name, text });
    let page = ListPage {
        list: name.into(),
        game: game.clone(),
        entries: entries.collect(),
        script: None,
    };
    Some(ShowPage::new(
        "list",
        name,
        text,
        FoundThing::List(page),
        script,
    ))
}

/// The games that are there, and what is wrong with their files.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ListReport<G> {
    /// The games.
    pub games: Vec<G>,
    /// What can't be read.
    pub complaints: Vec<Complaint>,
}

/// A game with the names of its variants.
#[derive(Serialize, JsonSchema)]
pub struct GameTitle {
    /// Its name.
    pub game: String,
    /// Its title.
    pub title: String,
    /// Its variants.
    pub variants: Vec<String>,
}

/// The contents of a game.
#[derive(Serialize, JsonSchema)]
pub struct GameContents {
    /// Its name.
    pub game: String,
    /// Its title.
    pub title: String,
    /// Its variants.
    pub variants: Vec<ListedVariant>,
    /// Its situations.
    pub situations: Vec<GameSituation>,
    /// The readings of its doubtful places.
    pub readings: Vec<ListedReading>,
    /// The names of its tables.
    pub tables: Vec<String>,
}

/// A variant of a game.
#[derive(Serialize, JsonSchema)]
pub struct ListedVariant {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The variants that it lies over.
    pub after: Vec<String>,
    /// Its options.
    pub options: Vec<ListedOption>,
}

/// An option of a variant.
#[derive(Serialize, JsonSchema)]
pub struct ListedOption {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Whether it is on where nothing is said.
    pub default: bool,
}

/// A situation of a game.
#[derive(Serialize, JsonSchema)]
pub struct GameSituation {
    /// Its name.
    pub name: String,
    /// The procedure that it starts.
    pub procedure: String,
    /// Its title.
    pub title: String,
}

/// A reading of a doubtful place.
#[derive(Serialize, JsonSchema)]
pub struct ListedReading {
    /// The case and the reading.
    pub name: String,
    /// Its ways, the first being the default.
    pub ways: Vec<String>,
}

/// With --tables: the tables of a game, and how their figures are known.
#[derive(Serialize, JsonSchema)]
pub struct GameTables {
    /// Its name.
    pub game: String,
    /// Its title.
    pub title: String,
    /// Its tables.
    pub tables: Vec<TableFigures>,
}

/// How the figures of a table are known.
#[derive(Serialize, JsonSchema)]
pub struct TableFigures {
    /// Its id.
    pub table: String,
    /// Its title.
    pub title: String,
    /// How many figures are printed, derived, of a house rule, reconstructed, missing.
    pub figures: BTreeMap<&'static str, usize>,
    /// How the reconstructed figures were made.
    pub method: String,
    /// The file.
    pub path: String,
}

/// Appends a heading with its rows, or nothing if there are none.
fn push_section(text: &mut String, heading: &str, rows: Vec<String>) {
    if !rows.is_empty() {
        text.push_str(&format!("\n{heading}\n"));
        rows.iter()
            .for_each(|row| text.push_str(&format!("  {row}\n")));
    }
}

/// Returns the contents of a game as text and as data: variants with options, situations, tables, readings.
pub fn contents(library: &Library, ruleset: &Ruleset) -> (String, GameContents) {
    let game = &ruleset.game;
    let mut text = format!("{}  {}\n", game.name, game.title);
    let (mut variants, mut rows) = (Vec::new(), Vec::new());
    for name in library.variants_of(&game.name) {
        let variant = &library.variants[name];
        let after = if variant.after.is_empty() {
            String::new()
        } else {
            format!("  (after {})", variant.after.join(", "))
        };
        rows.push(format!("{name:<16} {}{after}", variant.title));
        for option in &variant.options {
            rows.push(format!("  {name}.{:<18} {}", option.name, option.title));
        }
        let options = variant.options.iter().map(|option| ListedOption {
            name: option.name.clone(),
            title: option.title.clone(),
            default: option.default,
        });
        variants.push(ListedVariant {
            name: name.to_string(),
            title: variant.title.clone(),
            after: variant.after.clone(),
            options: options.collect(),
        });
    }
    push_section(&mut text, "variants", rows);
    let (mut situations, mut rows) = (Vec::new(), Vec::new());
    let mut ignore = Complaints::default();
    for name in ruleset.scenario_names() {
        let Some(scenario) = ruleset.stack_scenario(name, &mut ignore) else {
            continue;
        };
        if let Some(procedure) = &scenario.procedure {
            rows.push(format!("{name:<28} {procedure:<26} {}", scenario.title));
            situations.push(GameSituation {
                name: name.to_string(),
                procedure: procedure.clone(),
                title: scenario.title.clone(),
            });
        }
    }
    push_section(&mut text, "situations", rows);
    // The newest case that has a reading says which way is its default.
    let mut ways_by_reading: Vec<(String, &[String])> = Vec::new();
    for (case, reading) in ruleset
        .cases
        .iter()
        .flat_map(|case| case.readings.iter().map(move |reading| (case, reading)))
    {
        let name = format!("{}.{}", case.number, reading.name);
        match ways_by_reading.iter_mut().find(|(other, _)| *other == name) {
            Some((_, ways)) => *ways = &reading.ways,
            None => ways_by_reading.push((name, &reading.ways)),
        }
    }
    let rows = ways_by_reading
        .iter()
        .map(|(name, ways)| format!("{name:<34} {}", ways.join(" | ")))
        .collect();
    push_section(&mut text, "readings, the first being the default", rows);
    let readings = ways_by_reading
        .into_iter()
        .map(|(name, ways)| ListedReading {
            name,
            ways: ways.to_vec(),
        });
    let tables: Vec<&str> = ruleset.table_names().collect();
    if !tables.is_empty() {
        text.push_str("\ntables\n");
        push_indented(&mut text, &tables.join(", "));
    }
    let contents = GameContents {
        game: game.name.clone(),
        title: game.title.clone(),
        variants,
        situations,
        readings: readings.collect(),
        tables: tables.into_iter().map(String::from).collect(),
    };
    (text, contents)
}

/// Returns the status of the figures of every table, and the method for those that are not printed, as text and as data.
pub fn assumptions(ruleset: &Ruleset) -> (String, GameTables) {
    let game = &ruleset.game;
    let mut text = String::new();
    let mut tables = Vec::new();
    for id in ruleset.table_names() {
        let Ok(Some(table)) = ruleset.table(id) else {
            continue;
        };
        let count = |status: Status| {
            table
                .cells
                .iter()
                .filter(|cell| cell.status == status)
                .count()
        };
        let figures: Vec<(&'static str, usize)> = Status::NAMES
            .map(|(word, status)| (word, count(status)))
            .into_iter()
            .filter(|(_, n)| *n > 0)
            .collect();
        let counted: Vec<String> = figures
            .iter()
            .map(|(word, n)| format!("{n} {word}"))
            .collect();
        let _ = writeln!(
            text,
            "\n{id}  {}\n  figures: {}",
            table.title,
            counted.join(", ")
        );
        if !table.method.is_empty() {
            push_indented(&mut text, &table.method);
        }
        tables.push(TableFigures {
            table: id.to_string(),
            title: table.title.clone(),
            figures: figures.into_iter().collect(),
            method: table.method.clone(),
            path: table.file.path.to_string(),
        });
    }
    let about = if tables.is_empty() {
        "no tables"
    } else {
        "tables, and what was assumed for them"
    };
    text.insert_str(0, &format!("{}  {}: {about}\n", game.name, game.title));
    let tables = GameTables {
        game: game.name.clone(),
        title: game.title.clone(),
        tables,
    };
    (text, tables)
}
