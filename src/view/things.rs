//! What has a name in a game, kind by kind: all names with a line about each, and where the manifest declares them.

use crate::block::{AnswerBlock, AnswerPage, ScriptExcerpt};
use casebook_engine::complaint::{Complaint, Complaints};
use casebook_engine::data::files::DataFile;
use casebook_engine::data::library::Library;
use casebook_engine::data::manifest::{AttributeType, Phase, Track};
use casebook_engine::data::piece::datum_text;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::data::sheet::SheetField;
use casebook_engine::data::status::Status;
use casebook_engine::data::variant::Variant;
use casebook_engine::data::yaml::{YamlNode, YamlReader};
use casebook_engine::ruleset::compose::Ruleset;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A kind of thing, in a phrase.
pub struct ThingKind {
    pub name: &'static str,
    pub is: &'static str,
    /// The list of all of it; empty for none.
    list: &'static str,
    /// The keys of the manifest below which one is declared, `*` for its own name; empty if another file declares it.
    declared: &'static str,
}

const fn kind(
    name: &'static str,
    is: &'static str,
    list: &'static str,
    declared: &'static str,
) -> ThingKind {
    ThingKind {
        name,
        is,
        list,
        declared,
    }
}

/// All kinds, in the order in which things of one name are shown.
pub const KINDS: [ThingKind; 22] = [
    kind("case", "a case", "cases", ""),
    kind("table", "a table", "tables", ""),
    kind("procedure", "a procedure", "procedures", ""),
    kind("kind", "a kind of piece", "kinds", "kinds.*"),
    kind("group", "a group of kinds of piece", "groups", "kinds"),
    kind("attribute", PIECES, "attributes", "attributes.*"),
    kind(
        "place attribute",
        PLACES,
        "attributes",
        "places.attributes.*",
    ),
    kind("border attribute", BORDERS, "attributes", "places.sides.*"),
    kind("track", "a track", "tracks", "tracks.*"),
    kind(
        "deck",
        "a deck of cards, or a cup of chits",
        "decks",
        "decks.*",
    ),
    kind("side", "a side", "sides", "sides"),
    kind("sheet", "a sheet that cases hand on", "sheets", "sheets.*"),
    kind("field", "a field of a sheet", "", "sheets.*"),
    kind("source", "a source", "sources", "sources.*"),
    kind(
        "phase",
        "a phase of the sequence of play",
        "phases",
        "sequence.*",
    ),
    kind("variant", "a variant", "variants", ""),
    kind("option", "an option", "options", ""),
    kind("reading", "a reading", "readings", ""),
    kind("game", "a game", "", ""),
    kind("function", "a function", "functions", ""),
    kind("piece", "a piece", "pieces", ""),
    kind("situation", "a situation", "situations", ""),
];

const PIECES: &str = "an attribute of pieces";
const PLACES: &str = "an attribute of places";
const BORDERS: &str = "an attribute of the sides of places";

/// Names, each with a line about it.
pub type NamedLines = Vec<(String, String)>;

pub fn things(ruleset: &Ruleset, kind: &str) -> NamedLines {
    let game = &ruleset.game;
    let attributes = |list: &[(String, AttributeType)]| -> NamedLines {
        let line =
            |(name, attribute): &(String, AttributeType)| (name.clone(), attribute.describe());
        list.iter().map(line).collect()
    };
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    match kind {
        "procedure" => return game.procedures.clone(),
        "attribute" => return attributes(&game.attributes),
        "place attribute" => return attributes(&game.places.attributes),
        "border attribute" => return attributes(&game.places.side_attributes),
        "phase" => {
            let line = |phase: &Phase| (phase.name.clone(), phase.procedures.join(", "));
            return game.sequence.iter().map(line).collect();
        }
        "side" => {
            return game
                .sides
                .iter()
                .map(|side| (side.clone(), String::new()))
                .collect();
        }
        "kind" => {
            return lines(&game.kinds, |kind| {
                format!("{}; {}", kind.title, kind.groups.join(", "))
            });
        }
        "track" => return lines(&game.tracks, Track::describe),
        "deck" => return lines(&game.decks, |deck| deck.describe()),
        "sheet" => return lines(&game.sheets, |fields| join(fields.keys())),
        "source" => return lines(&game.sources, String::clone),
        "game" => return vec![(game.name.clone(), game.title.clone())],
        "group" => {
            for group in game.groups() {
                let of_group = game
                    .kinds
                    .iter()
                    .filter(|(_, kind)| kind.groups.iter().any(|one| one == group));
                found.insert(group.into(), join(of_group.map(|(name, _)| name)));
            }
        }
        "field" => {
            for (sheet, fields) in &game.sheets {
                let named = |(field, holds)| (format!("{sheet}.{field}"), field_text(holds));
                found.extend(fields.iter().map(named));
            }
        }
        "variant" => {
            found.extend(variants(ruleset).map(|one| (one.name.clone(), one.title.clone())))
        }
        "option" => {
            for variant in variants(ruleset) {
                let options = variant.options.iter();
                found.extend(
                    options
                        .map(|one| (format!("{}.{}", variant.name, one.name), one.title.clone())),
                );
            }
        }
        // The newest case that has a reading says which way is its default.
        "reading" => {
            for case in &ruleset.cases {
                let readings = case.readings.iter();
                found.extend(readings.map(|one| {
                    (
                        format!("{}.{}", case.number, one.name),
                        one.ways.join(" | "),
                    )
                }));
            }
        }
        "case" => {
            let written = ruleset.cases.iter().rev();
            found.extend(written.map(|case| (case.number.clone(), case.title.clone())));
            found.extend(lines(&ruleset.contents, |entry| entry.title.clone()));
        }
        "table" => {
            for id in ruleset.table_names() {
                let table = ruleset.table(id).ok().flatten();
                found.insert(
                    id.into(),
                    table.map_or(String::new(), |table| table.title.clone()),
                );
            }
        }
        "function" => {
            let case = |index: usize| ruleset.cases[index].number.clone();
            found.extend(
                ruleset
                    .slots
                    .iter()
                    .map(|slot| (slot.name.clone(), case(slot.answers[0].case))),
            );
        }
        "situation" => {
            let started = scenarios(ruleset)
                .into_iter()
                .filter(|one| one.procedure.is_some());
            found.extend(started.map(|one| (one.name.clone(), one.title.clone())));
        }
        "piece" => {
            for piece in scenarios(ruleset).iter().flat_map(|one| &one.pieces) {
                let line = found.entry(piece.name.clone()).or_default();
                if let (true, Some(kind)) = (line.is_empty(), piece.attributes.get("kind")) {
                    *line = datum_text(kind);
                }
            }
        }
        _ => {}
    }
    found.into_iter().collect()
}

fn lines<T>(things: &BTreeMap<String, T>, line: impl Fn(&T) -> String) -> NamedLines {
    things
        .iter()
        .map(|(name, one)| (name.clone(), line(one)))
        .collect()
}

fn join<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// Describes a field: its title, and what it may hold.
pub fn field_text(field: &SheetField) -> String {
    match field.title.trim_end_matches('.') {
        "" => field.describe(),
        title => format!("{title}: {}", field.describe()),
    }
}

/// Returns the variants of the game, whether they are in force or not.
pub fn variants(ruleset: &Ruleset) -> impl Iterator<Item = &Variant> {
    let names = ruleset.library.variants_of(&ruleset.game.name).into_iter();
    names.map(|name| &ruleset.library.variants[name])
}

/// Returns the situations, rosters and deployments that can be read.
pub fn scenarios(ruleset: &Ruleset) -> Vec<Arc<Scenario>> {
    let mut ignore = Complaints::default();
    let names = ruleset.scenario_names().into_iter();
    names
        .filter_map(|name| ruleset.stack_scenario(name, &mut ignore))
        .collect()
}

/// Returns all names that can be found, but those of pieces.
pub fn names(ruleset: &Ruleset) -> Vec<String> {
    let mut names: Vec<String> = ruleset.table_names().map(String::from).collect();
    names.extend(ruleset.scenario_names().into_iter().map(String::from));
    names.extend(
        ruleset
            .game
            .sheets
            .values()
            .flat_map(|sheet| sheet.keys())
            .cloned(),
    );
    names.extend(list_names().map(String::from));
    let quick = KINDS
        .iter()
        .filter(|kind| !["table", "situation", "piece", "field"].contains(&kind.name));
    names.extend(
        quick
            .flat_map(|kind| things(ruleset, kind.name))
            .map(|(name, _)| name),
    );
    names
}

pub fn list_names() -> impl Iterator<Item = &'static str> {
    let mut names: Vec<&str> = KINDS
        .iter()
        .map(|kind| kind.list)
        .filter(|list| !list.is_empty())
        .collect();
    names.dedup();
    names.into_iter().chain(["sequence"])
}

/// Returns the entries of the list with this name, if there is one.
pub fn entries(ruleset: &Ruleset, list: &str) -> Option<NamedLines> {
    let key = if list == "sequence" { "phases" } else { list };
    let kinds: Vec<&ThingKind> = KINDS
        .iter()
        .filter(|kind| kind.list == key && !key.is_empty())
        .collect();
    let of_kind = |kind: &&ThingKind| {
        let prefix = kind
            .is
            .strip_prefix("an attribute ")
            .map_or(String::new(), |of| format!("{of}: "));
        let entries = things(ruleset, kind.name).into_iter();
        entries
            .map(|(name, line)| (name, format!("{prefix}{line}")))
            .collect::<NamedLines>()
    };
    (!kinds.is_empty()).then(|| kinds.iter().flat_map(of_kind).collect())
}

/// Returns the page of the list with this name, if there is one.
pub fn list(ruleset: &Ruleset, name: &str) -> Option<AnswerPage> {
    let entries = entries(ruleset, name)?;
    let game = &ruleset.game.name;
    let mut page = AnswerPage::new("list", name, game, format!("{name} of {game}"));
    page.push(match entries.is_empty() {
        true => AnswerBlock::text("none"),
        false => named_rows(entries),
    });
    let section = |root: YamlNode| root.entry(name).map(|(key, _)| key.span.line);
    if let Some(file) = ruleset.library.manifest(game)
        && let Some(line) = YamlReader::for_file(file).parse_file().and_then(section)
    {
        page.script.push(ScriptExcerpt::yaml_block(
            ruleset, &file.path, &file.text, line,
        ));
    }
    Some(page)
}

fn named_rows(entries: NamedLines) -> AnswerBlock {
    AnswerBlock::rows(
        entries
            .into_iter()
            .map(|(name, line)| vec![name, line])
            .collect(),
    )
}

/// Adds the lines of the manifest that declare a thing of a kind.
pub fn push_declaration(page: &mut AnswerPage, ruleset: &Ruleset, kind: &ThingKind) {
    let manifest = ruleset.library.manifest(&ruleset.game.name);
    let Some(file) = manifest.filter(|_| !kind.declared.is_empty()) else {
        return;
    };
    let parts = page.name.clone();
    // A field is declared below its sheet.
    let own = if kind.name == "field" {
        parts.split('.').collect()
    } else {
        vec![&*parts]
    };
    let keys = kind
        .declared
        .split('.')
        .flat_map(|key| if key == "*" { own.clone() } else { vec![key] });
    let line = line_of_keys(file, keys);
    let excerpt = ScriptExcerpt::yaml_block(ruleset, &file.path, &file.text, line);
    page.push_source(excerpt);
}

/// Returns the line of a nested key in a YAML file.
fn line_of_keys<'k>(file: &DataFile, keys: impl Iterator<Item = &'k str>) -> usize {
    let Some(root) = YamlReader::for_file(file).parse_file() else {
        return 1;
    };
    let (mut node, mut line) = (&root, 1);
    for name in keys {
        let has_name = |item: &&YamlNode| {
            let first = item.entries().first();
            first.is_some_and(|(_, value)| value.as_text() == Some(name))
        };
        if let Some((key, value)) = node.entry(name) {
            (line, node) = (key.span.line, value);
        } else if let Some(item) = node.items().iter().find(has_name) {
            (line, node) = (item.span.line, item);
        }
    }
    line
}

/// The games that are there, and what is wrong with their files.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ListReport {
    /// The games.
    pub games: Vec<AnswerPage>,
    /// What can't be read.
    pub complaints: Vec<Complaint>,
}

fn game_page(library: &Library, game: &str) -> AnswerPage {
    let title = library.games.get(game).map_or("", |game| &*game.title);
    AnswerPage::new("game", game, game, format!("{game}  {title}"))
}

/// Returns a game with the names of its variants.
pub fn overview(library: &Library, game: &str) -> AnswerPage {
    game_page(library, game).with([AnswerBlock::fact("variants", library.variants_of(game))])
}

/// Returns the contents of a game: variants with options, situations, readings, tables.
pub fn contents(ruleset: &Ruleset) -> AnswerPage {
    let mut rows = Vec::new();
    for variant in variants(ruleset) {
        let after = match variant.after.is_empty() {
            true => String::new(),
            false => format!("  (after {})", variant.after.join(", ")),
        };
        rows.push((variant.name.clone(), format!("{}{after}", variant.title)));
        let options = variant.options.iter();
        rows.extend(
            options.map(|one| (format!("{}.{}", variant.name, one.name), one.title.clone())),
        );
    }
    let started = scenarios(ruleset).into_iter().filter_map(|one| {
        Some(vec![
            one.name.clone(),
            one.procedure.clone()?,
            one.title.clone(),
        ])
    });
    let sections = [
        ("variants", named_rows(rows)),
        ("situations", AnswerBlock::rows(started.collect())),
        (
            "readings, the first being the default",
            named_rows(things(ruleset, "reading")),
        ),
        (
            "tables",
            AnswerBlock::rows(ruleset.table_names().map(|id| vec![id.into()]).collect()),
        ),
    ];
    let filled = sections.into_iter().filter(|(_, block)| !block.is_empty());
    game_page(&ruleset.library, &ruleset.game.name)
        .with(filled.map(|(title, block)| AnswerBlock::section(title, vec![block])))
}

/// Returns how the figures of every table are known, and how those were made that are not printed.
pub fn assumptions(ruleset: &Ruleset) -> AnswerPage {
    let mut page = game_page(&ruleset.library, &ruleset.game.name);
    for table in ruleset
        .table_names()
        .filter_map(|id| ruleset.table(id).ok().flatten())
    {
        let count = |status| {
            table
                .cells
                .iter()
                .filter(|cell| cell.status == status)
                .count()
        };
        let figures = Status::NAMES
            .map(|(word, status)| (word, count(status)))
            .into_iter();
        let counts = figures
            .filter(|(_, count)| *count > 0)
            .map(|(word, count)| format!("{count} {word}"));
        let blocks = vec![
            AnswerBlock::fact("figures", counts),
            AnswerBlock::text(&table.method),
            AnswerBlock::fact("file", [&table.file.path]),
        ];
        page.push(AnswerBlock::section(
            format!("{}  {}", table.id, table.title),
            blocks,
        ));
    }
    let about = match page.blocks.is_empty() {
        true => ": no tables",
        false => ": tables, and what was assumed for them",
    };
    page.title += about;
    page
}
