//! `casebook show`: what has a name, with what each layer has of it, newest first, who names it, and the source.

use crate::block::{AnswerBlock, AnswerPage, ScriptExcerpt, display_path};
use crate::references::References;
use crate::things::{self, KINDS, ThingKind, field_text, scenarios, variants};
use casebook_checks::author::procedure_summary::summarize;
use casebook_checks::author::rule_search::{RuleHit, SearchWords, search_rules};
use casebook_checks::testing::test::RulingTestFile;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::{Complaints, Error, Remedy};
use casebook_engine::data::case::{Case, CaseFunction, sources_text};
use casebook_engine::data::manifest::{Track, function_name};
use casebook_engine::data::piece::{PieceEntry, datum_text};
use casebook_engine::data::status::Status;
use casebook_engine::data::table::{Cell, Table};
use casebook_engine::data::yaml::{YamlNode, YamlValue};
use casebook_engine::data::yaml_writer::write_flow;
use casebook_engine::ruleset::compose::{Ruleset, Slot};
use casebook_engine::ruling::resolve::cite_case;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

/// The fewest words of a question, and the most rules that answer it.
const MIN_QUESTION: usize = 3;
const MAX_HITS: usize = 6;

/// Finds everything in a game with this name. `kind NAME`, `track NAME` and so on restrict the search to one kind.
pub fn find(ruleset: &Arc<Ruleset>, name: &str) -> Result<Vec<AnswerPage>, Error> {
    let pages = find_all(ruleset, name)?;
    if !pages.is_empty() {
        return Ok(pages);
    }
    for (at, _) in name.match_indices(' ') {
        let (kind, bare_name) = name.split_at(at);
        let mut pages = find_all(ruleset, bare_name.trim())?;
        pages.retain(|shown| shown.kind == kind);
        if !pages.is_empty() {
            return Ok(pages);
        }
    }
    Ok(things::list(ruleset, name).into_iter().collect())
}

/// Like [`find`], but fails if nothing has the name.
pub fn find_known(ruleset: &Arc<Ruleset>, name: &str) -> Result<Vec<AnswerPage>, Error> {
    let pages = find(ruleset, name)?;
    let all_names = || things::names(ruleset);
    if pages.is_empty() {
        Err(unknown_name(name, all_names().iter().map(String::as_str)))
    } else {
        Ok(pages)
    }
}

/// Returns the error for an unknown name, with similar names as suggestions.
pub fn unknown_name<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Error {
    Error::unknown(
        "case, table, function, procedure, kind of piece, piece or situation",
        name,
        names,
    )
}

fn find_all(ruleset: &Arc<Ruleset>, name: &str) -> Result<Vec<AnswerPage>, Error> {
    let mut pages = Vec::new();
    for kind in &KINDS {
        match kind.name {
            "table" => {
                let table = ruleset.table(name).map_err(Error::Data)?;
                pages.extend(table.map(|table| table_page(ruleset, kind, &table)));
            }
            "situation" if ruleset.scenario_names().contains(&name) => {
                pages.push(situation_page(ruleset, kind, name)?);
            }
            "situation" => {}
            "function" => {
                let slots = ruleset.slots.iter().filter(|slot| slot.name == name);
                pages.extend(slots.map(|slot| function_page(ruleset, kind, slot)));
            }
            "piece" => pages.extend(piece_pages(ruleset, kind, name)),
            _ => {
                let is_named = |(full, _): &(String, String)| {
                    let field = full.rsplit('.').next().filter(|_| kind.name == "field");
                    *full == name || field == Some(name)
                };
                let named = things::things(ruleset, kind.name)
                    .into_iter()
                    .filter(is_named);
                pages.extend(named.map(|(full, line)| declared_page(ruleset, kind, &full, &line)));
            }
        }
    }
    Ok(pages)
}

/// The kinds of what scripts name as they are declared.
const NAMED_IN_SCRIPTS: [&str; 7] = [
    "kind",
    "group",
    "attribute",
    "place attribute",
    "border attribute",
    "track",
    "deck",
];

/// Lists the cases that name a thing.
fn named_in(ruleset: &Ruleset, name: &str) -> AnswerBlock {
    AnswerBlock::fact("named in", References::to(ruleset, name).cases_of(name))
}

fn page_of(ruleset: &Ruleset, kind: &ThingKind, name: &str) -> AnswerPage {
    let game = &ruleset.game.name;
    let title = match kind.name {
        "game" => format!("{name}: {}", kind.is),
        _ => format!("{name}: {} of {game}", kind.is),
    };
    AnswerPage::new(kind.name, name, game, title)
}

/// A page about what the manifest, a variant or a card declares.
fn declared_page(ruleset: &Arc<Ruleset>, kind: &ThingKind, name: &str, line: &str) -> AnswerPage {
    let game = &ruleset.game;
    let mut page = page_of(ruleset, kind, name);
    page.push(AnswerBlock::text(line));
    match kind.name {
        "case" => push_case(&mut page, ruleset),
        "procedure" => push_procedure(&mut page, ruleset),
        "kind" => {
            let pieces = scenarios(ruleset).into_iter().filter_map(|list| {
                let of_kind = |piece: &&PieceEntry| piece.word("kind") == Some(name);
                let count = list.pieces.iter().filter(of_kind).count();
                (count > 0).then(|| format!("{count} in {}", list.name))
            });
            page.push(AnswerBlock::fact("pieces", pieces));
        }
        "attribute" | "place attribute" => {
            let references = match kind.name {
                "attribute" => &game.attribute_references,
                _ => &game.places.attribute_references,
            };
            page.push(AnswerBlock::fact(
                "names a",
                references.get(name).into_iter().flatten(),
            ));
        }
        "track" => {
            if let Some(Track::Names(boxes)) = game.tracks.get(name) {
                page.push(AnswerBlock::fact("boxes", boxes));
            }
        }
        "deck" => page.push(AnswerBlock::fact("cards", game.decks[name].kind_names())),
        "sheet" => {
            let fields = game.sheets[name].iter();
            let rows = fields.map(|(field, holds)| vec![field.clone(), field_text(holds)]);
            page.push(AnswerBlock::rows(rows.collect()));
        }
        "phase" => {
            let phase = game.sequence.iter().find(|phase| phase.name == name);
            let track = phase.and_then(|phase| phase.once_per_track.as_ref());
            page.push(AnswerBlock::fact(
                "played once for each place of the track",
                track,
            ));
        }
        "variant" | "option" => push_variant(&mut page, ruleset),
        "reading" => push_reading(&mut page, ruleset),
        "game" => {
            page.push(AnswerBlock::advised(
                "Variants, situations, readings and tables have a list.",
                Some(Remedy::ListContents(name.into())),
            ));
            let file = ruleset.library.manifest(name);
            let excerpt = file.map(|file| ScriptExcerpt::new(ruleset, &file.path, 1, &file.text));
            excerpt
                .into_iter()
                .for_each(|excerpt| page.push_source(excerpt));
        }
        _ => {}
    }
    if NAMED_IN_SCRIPTS.contains(&kind.name) {
        page.push(named_in(ruleset, name));
    }
    things::push_declaration(&mut page, ruleset, kind);
    page
}

/// Adds what each layer has of a case, or that it is not written.
fn push_case(page: &mut AnswerPage, ruleset: &Ruleset) {
    let number = page.name.clone();
    let is_planned = ruleset
        .contents
        .get(&number)
        .is_some_and(|entry| entry.is_planned);
    for case in ruleset
        .cases
        .iter()
        .rev()
        .filter(|case| case.number == number)
    {
        page.push(layer_of_case(ruleset, case));
        let path = &case.file.path;
        page.script.push(match case.is_list() {
            true => ScriptExcerpt::yaml_block(ruleset, path, &case.file.text, case.kind_span.line),
            false => {
                let changes = listed_changes(ruleset, &case.functions);
                let text = with_changes(&changes, 1, &case.file.text);
                ScriptExcerpt::new(ruleset, path, 1, &text)
            }
        });
    }
    if !page.script.is_empty() {
        page.title += ", newest first";
        return;
    }
    page.push(AnswerBlock::text(match is_planned {
        true => "It belongs to a part of the game that is not scripted yet.",
        false => "No case is written for it: its number and title are all that is known.",
    }));
}

fn layer_of_case(ruleset: &Ruleset, case: &Case) -> AnswerBlock {
    let label = case.printed_label.as_ref();
    let label = label.map_or(String::new(), |label| format!(", printed as \"{label}\""));
    let title = format!(
        "{} · {}{label} · {} · {}",
        case.layer,
        case.kind.as_str(),
        case.status.as_str(),
        case.title
    );
    let mut blocks = vec![AnswerBlock::text(&case.text)];
    for reading in &case.readings {
        let key = format!("{}.{}", case.number, reading.name);
        let chosen = ruleset.readings.get(&key).map_or("", String::as_str);
        let ways = format!("{}  (in force: {chosen})", reading.ways.join(" | "));
        blocks.push(AnswerBlock::fact(&format!("reading {key}"), [ways]));
    }
    let answers = case.functions.iter().filter(|f| f.is_answer());
    let answers = answers.map(|f| f.name.as_str());
    let ids = case.functions.iter().filter(|f| f.is_example());
    let ids = ids.filter_map(|f| f.doc_lines().first().copied());
    let ruling_tests = RulingTestFile::of_case(case, &ruleset.library);
    let tests = || ruling_tests.iter().flat_map(|file| &file.tests);
    let ids = ids.chain(tests().filter_map(|test| test.id.as_deref()));
    let files = case
        .tests
        .iter()
        .chain(ruling_tests.as_ref().map(|file| &*file.file));
    let path = |path: &str| display_path(ruleset, path);
    blocks.extend([
        AnswerBlock::fact("answers", answers),
        AnswerBlock::fact("examples", ids.filter(|id| !id.starts_with("ours"))),
        AnswerBlock::text(
            case.note
                .as_ref()
                .map_or(String::new(), |note| format!("note: {note}")),
        ),
        AnswerBlock::fact("source", [sources_text(&case.sources)]),
        AnswerBlock::fact("file", [path(&case.file.path)]),
        AnswerBlock::fact("rulings", tests().map(|test| &test.name)),
        AnswerBlock::fact("tests", files.map(|file| path(&file.path))),
    ]);
    AnswerBlock::section(title, blocks)
}

/// Returns what lists of changes do to functions, each with the line where it does.
fn listed_changes<'r>(ruleset: &'r Ruleset, functions: &[CaseFunction]) -> Vec<(usize, &'r Case)> {
    let placed = functions.iter().flat_map(|function| &function.placed);
    let mut changes: Vec<(usize, &Case)> = placed
        .map(|change| (change.at.0 as usize, &*ruleset.cases[change.by.0]))
        .collect();
    changes.dedup_by_key(|(line, by)| (*line, by.key()));
    changes
}

/// Returns a script that begins on a line of its file with what lists of changes do to it, above the lines where they do.
fn with_changes(changes: &[(usize, &Case)], first: usize, text: &str) -> String {
    let mut out = String::new();
    for (line, text_line) in (first..).zip(text.lines()) {
        let indent = &text_line[..text_line.len() - text_line.trim_start().len()];
        for (_, by) in changes.iter().filter(|(at, _)| *at == line) {
            let _ = writeln!(out, "{indent}// {} {}: {}", by.number, by.layer, by.text);
        }
        let _ = writeln!(out, "{text_line}");
    }
    out
}

fn function_page(ruleset: &Ruleset, kind: &ThingKind, slot: &Slot) -> AnswerPage {
    let mut page = page_of(ruleset, kind, &slot.name);
    page.title += "; who answers, newest first";
    let mut procedures = ruleset.game.procedures.iter();
    let carried = procedures.find(|(name, _)| function_name(name) == slot.name && slot.arity == 1);
    let carried = carried.map(|(name, _)| format!("It carries out the procedure `{name}`."));
    page.push(AnswerBlock::text(carried.unwrap_or_default()));
    for answer in &slot.answers {
        let case = &ruleset.cases[answer.case];
        let f = &case.functions[answer.function];
        let change = match (answer.reinstated_by, answer.removed_by) {
            (Some(by), _) => format!(", brought back by {}", cite_case(ruleset, by)),
            (_, Some(by)) => format!(", struck by {}", cite_case(ruleset, by)),
            _ => String::new(),
        };
        let line = f.name_span.line;
        let changes = listed_changes(ruleset, std::slice::from_ref(f));
        let text = with_changes(&changes, line, &f.body);
        let excerpt = ScriptExcerpt::new(ruleset, &case.file.path, line, &text);
        let mut blocks = vec![
            AnswerBlock::text(format!("{}({})", f.name, f.params.join(", "))),
            AnswerBlock::text(match case.is_list() {
                true => case.text.clone(),
                false => f.doc_lines().join(" "),
            }),
            AnswerBlock::fact("file", [&excerpt.place]),
        ];
        blocks.extend(changes.iter().map(|(_, by)| {
            let entry = format!("{} {} ({}): {}", by.number, by.layer, by.path(), by.text);
            AnswerBlock::fact("changed by", [entry])
        }));
        page.push(AnswerBlock::section(
            format!("{} {}{change}", case.number, case.layer),
            blocks,
        ));
        page.script.push(excerpt);
    }
    page.push(named_in(ruleset, &slot.name));
    page
}

fn table_page(ruleset: &Ruleset, kind: &ThingKind, table: &Table) -> AnswerPage {
    let mut page = page_of(ruleset, kind, &table.id);
    page.push(AnswerBlock::text(&table.title));
    let [sheets, columns, rows] = &table.axes;
    // The text of a missing cell is its mark.
    let marked = |cell: &Cell| match cell.status {
        Status::Missing => cell.text.to_string(),
        status => format!("{}{}", status.mark(), cell.text),
    };
    let row = |(label, cells): (&String, &[Cell])| {
        let cells = cells.iter().map(marked);
        std::iter::once(label.clone())
            .chain(cells)
            .collect::<Vec<_>>()
    };
    let wide = columns.label_texts.len();
    let sheet_cells = table.cells.chunks(wide * rows.label_texts.len());
    for (sheet, cells) in sheets.label_texts.iter().zip(sheet_cells) {
        let corner = match &*columns.name {
            "" => rows.name.to_string(),
            across => format!("{} / {across}", rows.name),
        };
        let labels = columns.label_texts.iter().cloned();
        let head = match columns.label_texts.iter().all(String::is_empty) {
            true => Vec::new(),
            false => std::iter::once(corner).chain(labels).collect(),
        };
        let rows = rows
            .label_texts
            .iter()
            .zip(cells.chunks(wide))
            .map(row)
            .collect();
        let block = AnswerBlock::Table { head, rows };
        page.push(match &**sheet {
            "" => block,
            sheet => AnswerBlock::section(format!("{} {sheet}", sheets.name), vec![block]),
        });
    }
    page.push(AnswerBlock::text(
        "~ reconstructed, = derived, + of a house rule, ? not known; no mark: printed",
    ));
    page.push(AnswerBlock::text(&table.method));
    page.push(named_in(ruleset, &table.id));
    for layer in table.layers.iter().rev() {
        let title = format!("{} · {} · {}", layer.name, layer.kind.as_str(), layer.title);
        let is_own = |cell: &&(usize, &Cell)| table.layers.len() > 1 && cell.1.layer == layer.name;
        let amended = table.cells.iter().enumerate().filter(|cell| is_own(&cell));
        let amended =
            amended
                .filter(|_| layer.name != table.layers[0].name)
                .map(|(index, cell)| {
                    let by = match &*sources_text(table.sources_of(cell)) {
                        "" => String::new(),
                        source => format!(" ({source})"),
                    };
                    vec![
                        table.label(index),
                        format!("{} by {}{by}", cell.text, cell.layer),
                    ]
                });
        let blocks = vec![
            AnswerBlock::fact("source", [sources_text(&layer.sources)]),
            AnswerBlock::fact("file", [display_path(ruleset, &layer.file.path)]),
            AnswerBlock::rows(amended.collect()),
        ];
        page.push(AnswerBlock::section(title, blocks));
        page.script.push(ScriptExcerpt::new(
            ruleset,
            &layer.file.path,
            1,
            &layer.file.text,
        ));
    }
    page
}

/// Returns whether two names are the same but for capitals.
fn is_alike(a: &str, b: &str) -> bool {
    let letters = |text| str::chars(text).flat_map(char::to_lowercase);
    // Nearly all names differ in length, and a name is looked for among thousands.
    a.len() == b.len() && letters(a).eq(letters(b))
}

/// Returns the pages of pieces in rosters and deployments whose name is the given one, or else ends in it.
fn piece_pages(ruleset: &Ruleset, kind: &ThingKind, name: &str) -> Vec<AnswerPage> {
    let scenarios = scenarios(ruleset);
    let is_exact = |entry: &PieceEntry| is_alike(&entry.name, name);
    let has_exact = scenarios
        .iter()
        .any(|list| list.pieces.iter().any(is_exact));
    let ends_in_name = |entry: &PieceEntry| {
        let start = entry.name.len().checked_sub(name.len());
        let split = start.and_then(|start| entry.name.split_at_checked(start));
        split.is_some_and(|(before, end)| before.ends_with(' ') && is_alike(end, name))
    };
    let mut pages = Vec::new();
    for list in &scenarios {
        let is_meant = |entry: &&PieceEntry| {
            if has_exact {
                is_exact(entry)
            } else {
                ends_in_name(entry)
            }
        };
        for entry in list.pieces.iter().filter(is_meant) {
            let mut page = page_of(ruleset, kind, &entry.name);
            let _ = write!(page.title, ", in {}", list.name);
            let figures = entry
                .attributes
                .iter()
                .map(|(key, datum)| match entry.status_of(key) {
                    Status::Printed => format!("{key} {}", datum_text(datum)),
                    status => format!("{key} {} ({})", datum_text(datum), status.as_str()),
                });
            page.push(AnswerBlock::text(figures.collect::<Vec<_>>().join(", ")));
            let missing = entry
                .status_by_figure
                .iter()
                .filter(|(_, status)| **status == Status::Missing);
            page.push(AnswerBlock::fact("not known", missing.map(|(key, _)| key)));
            let mut files = ruleset
                .layers
                .iter()
                .flat_map(|layer| layer.scenarios.values());
            let file = files.find(|file| *file.path == *entry.path);
            let text = file.map_or("", |file| &file.text);
            page.push_source(ScriptExcerpt::yaml_block(
                ruleset,
                &entry.path,
                text,
                entry.span.line,
            ));
            pages.push(page);
        }
    }
    pages
}

fn situation_page(ruleset: &Ruleset, kind: &ThingKind, name: &str) -> Result<AnswerPage, Error> {
    let scenario = ruleset.scenario(name)?;
    let mut page = page_of(ruleset, kind, name);
    page.push(AnswerBlock::text(&scenario.title));
    page.push(AnswerBlock::fact("procedure", &scenario.procedure));
    page.push(AnswerBlock::fact(
        "with",
        scenario.variants.iter().flatten(),
    ));
    let rows = scenario.pieces.iter().map(|entry| {
        let figures = entry
            .attributes
            .iter()
            .map(|(key, datum)| format!("{key} {}", datum_text(datum)));
        vec![entry.name.clone(), figures.collect::<Vec<_>>().join(", ")]
    });
    page.push(AnswerBlock::rows(rows.collect()));
    page.push(AnswerBlock::fact(
        "source",
        [sources_text(&scenario.sources)],
    ));
    let lists = ruleset.scenario_files(name, &mut Complaints::default());
    let value = |node: &YamlNode| match &node.value {
        YamlValue::Scalar(text, _) => text.to_string(),
        _ => write_flow(node),
    };
    let changes = lists.iter().flat_map(|list| &list.changes).map(|change| {
        let place = change.path.iter().filter(|key| *key != "pieces");
        let was = change.was.as_ref().map_or(String::new(), value);
        let place = place.cloned().collect::<Vec<_>>().join(": ");
        vec![place, was, value(&change.now), change.layer.to_string()]
    });
    let rows: Vec<Vec<String>> = changes.collect();
    if !rows.is_empty() {
        let head = ["changed", "was", "is", "by"].map(String::from).into();
        page.push(AnswerBlock::Table { head, rows });
    }
    for list in lists.iter().rev() {
        page.push_source(ScriptExcerpt::new(
            ruleset,
            &list.file.path,
            1,
            &list.file.text,
        ));
    }
    Ok(page)
}

fn push_procedure(page: &mut AnswerPage, ruleset: &Arc<Ruleset>) {
    let name = page.name.clone();
    let game = &ruleset.game;
    let takes = ruleset.given(&name).into_iter().map(|(field, holds)| {
        let open = match (&holds.alternative, holds.optional) {
            (Some(other), _) => format!(" (or `{other}` in its place)"),
            (None, true) => " (may be left out)".into(),
            (None, false) => String::new(),
        };
        vec![field.to_string(), format!("{}{open}", field_text(&holds))]
    });
    let takes = AnswerBlock::rows(takes.collect());
    page.push(match takes.is_empty() {
        true => AnswerBlock::text("It takes nothing."),
        false => AnswerBlock::section("takes (`given:` of a situation)", vec![takes]),
    });
    let slot = ruleset.slot(&function_name(&name), 1);
    let mut by = Vec::new();
    for answer in slot
        .into_iter()
        .flat_map(|slot| &ruleset.slots[slot].answers)
    {
        let case = &ruleset.cases[answer.case];
        let function = &case.functions[answer.function];
        let line = function.name_span.line;
        let excerpt = ScriptExcerpt::new(ruleset, &case.file.path, line, &function.body);
        let cite = format!("{} {}", case.number, case.layer);
        by.push(vec![cite, case.title.clone(), excerpt.place.clone()]);
        page.script.push(excerpt);
    }
    page.push(AnswerBlock::section(
        "is carried out by",
        vec![AnswerBlock::rows(by)],
    ));
    // Fixed names come before names with a variable part; a name that varies as a whole tells nothing.
    let list = |set: BTreeSet<String>| {
        let mut list: Vec<String> = set.into_iter().collect();
        list.retain(|text| text.chars().any(char::is_alphanumeric));
        list.sort_by_key(|text| (text.starts_with('<'), text.contains('<')));
        list
    };
    let phases = game
        .sequence
        .iter()
        .filter(|phase| phase.procedures.contains(&name));
    let board = game
        .map_questions
        .iter()
        .filter(|question| question.procedure == name);
    let started = scenarios(ruleset).into_iter();
    let started = started.filter(|list| list.procedure.as_ref() == Some(&name));
    let summary = summarize(&Program::new(ruleset.clone()), &name);
    let blocks = [
        AnswerBlock::fact("phases", phases.map(|phase| &phase.name)),
        AnswerBlock::fact("answers on the map", board.map(|question| &question.name)),
        AnswerBlock::fact(
            "outcomes (< > marks a part that varies)",
            list(summary.outcomes),
        ),
        AnswerBlock::fact("asks the sides", list(summary.questions)),
        AnswerBlock::fact("throws for", list(summary.throws)),
        AnswerBlock::fact("situations", started.map(|list| list.name.clone())),
    ];
    blocks.into_iter().for_each(|block| page.push(block));
}

/// Adds what is known of a variant or of an option.
fn push_variant(page: &mut AnswerPage, ruleset: &Ruleset) {
    let name = page.name.clone();
    let (variant_name, option) = match name.split_once('.') {
        Some((variant, option)) => (variant, Some(option)),
        None => (&*name, None),
    };
    let Some(variant) = variants(ruleset).find(|variant| variant.name == variant_name) else {
        return;
    };
    for one in &variant.options {
        match option {
            None => page.push(AnswerBlock::fact(
                &format!("option {name}.{}", one.name),
                [&one.title],
            )),
            Some(option) if option == one.name => {
                let default = if one.default { "on" } else { "off" };
                page.push(AnswerBlock::fact("where nothing is said it is", [default]));
            }
            Some(_) => {}
        }
    }
    let is_own = |case: &&Arc<Case>| {
        *case.layer == *variant_name
            && option.is_none_or(|option| case.option.as_deref() == Some(option))
    };
    let cases = ruleset.cases.iter().filter(is_own);
    page.push(AnswerBlock::fact("cases", cases.map(|case| &case.number)));
    if option.is_none() {
        page.push(AnswerBlock::fact("after", &variant.after));
        page.push(AnswerBlock::fact("needs", &variant.needs));
        page.push(AnswerBlock::fact("not together with", &variant.excludes));
    }
    page.push_source(ScriptExcerpt::new(
        ruleset,
        &variant.file.path,
        1,
        &variant.file.text,
    ));
}

fn push_reading(page: &mut AnswerPage, ruleset: &Ruleset) {
    let name = page.name.clone();
    let has_it = |case: &&Arc<Case>| {
        let mut readings = case.readings.iter();
        readings.any(|reading| format!("{}.{}", case.number, reading.name) == name)
    };
    let Some(case) = ruleset.cases.iter().rev().find(has_it) else {
        return;
    };
    page.push(AnswerBlock::text("The first way is the default."));
    page.push(AnswerBlock::fact("case", [&case.title]));
    page.push(AnswerBlock::fact("in force", ruleset.readings.get(&name)));
    page.push(AnswerBlock::fact("note", &case.note));
    page.push_source(ScriptExcerpt::new(
        ruleset,
        &case.file.path,
        1,
        &case.file.text,
    ));
}

/// Answers a question: the nearest cases and charts, each with its sentence. `None` if it is no question, or nothing fits.
pub fn search_page(ruleset: &Ruleset, question: &str) -> Option<AnswerPage> {
    if question.split_whitespace().count() < MIN_QUESTION {
        return None;
    }
    let hits = search_rules(ruleset, &SearchWords::parse(question));
    let section = |hit: &RuleHit| {
        let title = format!("{} {}  {}", hit.name, hit.title, hit.layer);
        AnswerBlock::section(title, vec![AnswerBlock::text(&hit.sentence)])
    };
    let title = format!(
        "{}: nothing is called so; the rules that are nearest to it",
        ruleset.game.title
    );
    let page = AnswerPage::new("question", question, &ruleset.game.name, title);
    (!hits.is_empty()).then(|| page.with(hits.iter().take(MAX_HITS).map(section)))
}
