//! A page for each entry of a manifest: procedures, kinds and groups of pieces, attributes, tracks, sides, sheets, sources and phases; for
//! variants, options, readings and outcomes.

use crate::author::lists;
use crate::author::procedure_summary::{ProcedureSummary, summarize};
use crate::author::show_page::{
    self, CarryingCase, DeclaredThing, FoundThing, HandedField, ScriptExcerpt, ShowPage,
    display_path,
};
use casebook_engine::code::program::Program;
use casebook_engine::complaint::Complaints;
use casebook_engine::data::case::Case;
use casebook_engine::data::files::DataFile;
use casebook_engine::data::manifest::{Game, Track, function_name};
use casebook_engine::data::sheet::SheetField;
use casebook_engine::data::yaml::{YamlNode, YamlReader};
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruling::terminal_page::push_indented;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

/// A line lists at most this many names; JSON has all of them.
const MAX_NAMES: usize = 40;

/// A page under construction: its subject, its lines, and the same as data.
struct EntryPage<'r> {
    ruleset: &'r Ruleset,
    kind: &'static str,
    name: String,
    text: String,
    thing: DeclaredThing,
    excerpts: Vec<ScriptExcerpt>,
}

type DeclaredList = fn(&mut DeclaredThing) -> &mut Option<Vec<String>>;

impl<'r> EntryPage<'r> {
    fn new(ruleset: &'r Ruleset, kind: &'static str, name: &str, is: &str) -> EntryPage<'r> {
        let game = &ruleset.game.name;
        let text = format!("{name}: {is} of {game}\n");
        let thing = DeclaredThing {
            named: BTreeMap::from([(kind, name.to_string())]),
            game: (kind != "game").then(|| game.clone()),
            ..DeclaredThing::default()
        };
        EntryPage {
            ruleset,
            kind,
            name: name.into(),
            text,
            thing,
            excerpts: Vec::new(),
        }
    }

    fn with_text(mut self, text: &str) -> Self {
        push_indented(&mut self.text, text);
        self.thing.text = Some(text.into());
        self
    }

    /// Adds a list, and a line of text if it has entries.
    fn with_line(mut self, word: &str, list: DeclaredList, value: &[String]) -> Self {
        if !value.is_empty() {
            let suffix = if value.len() > MAX_NAMES {
                format!(" and {} more", value.len() - MAX_NAMES)
            } else {
                String::new()
            };
            push_indented(
                &mut self.text,
                &format!(
                    "{word} {}{suffix}",
                    value[..value.len().min(MAX_NAMES)].join(", ")
                ),
            );
        }
        *list(&mut self.thing) = Some(value.to_vec());
        self
    }

    /// Adds the lines of the manifest that define the entry.
    fn with_source_lines(mut self, path: &[&str]) -> Self {
        if let Some(file) = self.ruleset.library.manifest(&self.ruleset.game.name) {
            let line = line_of_key(file, path);
            let _ = writeln!(
                self.text,
                "  {}",
                show_page::display_line(self.ruleset, &file.path, line)
            );
            self.thing.path = Some(file.path.to_string());
            self.excerpts.push(ScriptExcerpt::yaml_block(
                self.ruleset,
                &file.path,
                &file.text,
                line,
            ));
        }
        self
    }

    /// Adds the whole file that defines the entry.
    fn with_file(mut self, file: &DataFile) -> Self {
        let _ = writeln!(self.text, "  {}", display_path(self.ruleset, &file.path));
        self.excerpts
            .push(ScriptExcerpt::new(self.ruleset, &file.path, 1, &file.text));
        self
    }

    fn finish(self) -> ShowPage {
        let thing = FoundThing::Entry(Box::new(self.thing));
        ShowPage::new(self.kind, &self.name, self.text, thing, self.excerpts)
    }
}

/// Returns the line of a nested key in a YAML file.
fn line_of_key(file: &DataFile, path: &[&str]) -> usize {
    let Some(root) = YamlReader::for_file(file).parse_file() else {
        return 1;
    };
    let (mut node, mut line) = (&root, 1);
    for name in path {
        let has_name = |item: &&YamlNode| {
            item.entries()
                .first()
                .is_some_and(|(_, value)| value.as_text() == Some(name))
        };
        if let Some((key, value)) = node.entry(name) {
            (line, node) = (key.span.line, value);
        } else if let Some(item) = node.items().iter().find(has_name) {
            (line, node) = (item.span.line, item);
        }
    }
    line
}

/// Returns a page for everything that the manifest, the variants and the cards of a ruleset call by this name.
pub fn entries_named(ruleset: &Arc<Ruleset>, name: &str) -> Vec<ShowPage> {
    let game = &ruleset.game;
    let mut pages = Vec::new();
    pages.extend(
        game.procedures
            .iter()
            .filter(|(procedure, _)| procedure == name)
            .map(|(name, description)| procedure_page(ruleset, name, description)),
    );
    if let Some(kind) = game.kinds.get(name) {
        let page = EntryPage::new(ruleset, "kind", name, "a kind of piece")
            .with_line(
                "called",
                |thing| &mut thing.title,
                std::slice::from_ref(&kind.title),
            )
            .with_line("belongs to", |thing| &mut thing.is, &kind.groups)
            .with_line(
                "pieces:",
                |thing| &mut thing.pieces,
                &lists_with(ruleset, name),
            );
        pages.push(page.with_source_lines(&["kinds", name]).finish());
    }
    let of_group: Vec<String> = game
        .kinds
        .iter()
        .filter(|(_, kind)| kind.groups.iter().any(|group| group == name))
        .map(|(kind, _)| kind.clone())
        .collect();
    if !of_group.is_empty() {
        let page = EntryPage::new(ruleset, "group", name, "a group of kinds of piece").with_line(
            "kinds:",
            |thing| &mut thing.kinds,
            &of_group,
        );
        pages.push(page.with_source_lines(&["kinds"]).finish());
    }
    pages.extend(attribute_pages(ruleset, name));
    if let Some(track) = game.tracks.get(name) {
        let page = EntryPage::new(ruleset, "track", name, "a track")
            .with_text(&track.describe())
            .with_line("boxes:", |thing| &mut thing.boxes, &box_names(track));
        pages.push(
            page.with_line(
                "named in",
                |thing| &mut thing.cases,
                &cases_with(ruleset, name),
            )
            .with_source_lines(&["tracks", name])
            .finish(),
        );
    }
    if let Some(deck) = game.decks.get(name) {
        let page = EntryPage::new(ruleset, "deck", name, "a deck of cards, or a cup of chits")
            .with_text(&deck.describe());
        let page = page.with_line("cards:", |thing| &mut thing.cards, &deck.kind_names());
        pages.push(
            page.with_line(
                "named in",
                |thing| &mut thing.cases,
                &cases_with(ruleset, name),
            )
            .with_source_lines(&["decks", name])
            .finish(),
        );
    }
    if game.sides.iter().any(|side| side == name) {
        pages.push(
            EntryPage::new(ruleset, "side", name, "a side")
                .with_source_lines(&["sides"])
                .finish(),
        );
    }
    if let Some(sheet) = game.sheets.get(name) {
        let mut page = EntryPage::new(ruleset, "sheet", name, "a sheet that cases hand on");
        for (field, holds) in sheet {
            let _ = writeln!(
                page.text,
                "  {field:<18} {}",
                field_text(&holds.title, &holds.constraint.describe())
            );
        }
        pages.push(
            page.with_line("", |thing| &mut thing.fields, &[])
                .with_source_lines(&["sheets", name])
                .finish(),
        );
    }
    for (sheet, fields) in &game.sheets {
        let full = |field: &String| field == name || format!("{sheet}.{field}") == name;
        for (field, holds) in fields.iter().filter(|(field, _)| full(field)) {
            let page = EntryPage::new(
                ruleset,
                "field",
                &format!("{sheet}.{field}"),
                "a field of a sheet",
            );
            let page = page.with_text(&field_text(&holds.title, &holds.constraint.describe()));
            pages.push(page.with_source_lines(&["sheets", sheet, field]).finish());
        }
    }
    if let Some(title) = game.sources.get(name) {
        pages.push(
            EntryPage::new(ruleset, "source", name, "a source")
                .with_text(title)
                .with_source_lines(&["sources", name])
                .finish(),
        );
    }
    if let Some(phase) = game.sequence.iter().find(|phase| phase.name == name) {
        let page = EntryPage::new(ruleset, "phase", name, "a phase of the sequence of play")
            .with_line(
                "procedures:",
                |thing| &mut thing.procedures,
                &phase.procedures,
            )
            .with_line(
                "played once for each place of the track",
                |thing| &mut thing.once_a,
                phase.once_per_track.as_slice(),
            );
        pages.push(page.with_source_lines(&["sequence", name]).finish());
    }
    pages.extend(variant_pages(ruleset, name));
    pages.extend(reading_page(ruleset, name));
    if game.name == name {
        let mut page = EntryPage::new(ruleset, "game", name, "a game")
            .with_text(&game.title)
            .with_source_lines(&[]);
        page.text = page
            .text
            .replacen(&format!("a game of {name}"), "a game", 1);
        let _ = writeln!(page.text, "  casebook list --game {name}");
        page.excerpts = ruleset
            .library
            .manifest(name)
            .map(|file| ScriptExcerpt::new(ruleset, &file.path, 1, &file.text))
            .into_iter()
            .collect();
        pages.push(page.finish());
    }
    pages
}

/// Returns all names that have a page here.
pub fn names(ruleset: &Ruleset) -> Vec<String> {
    let game = &ruleset.game;
    let mut names: Vec<String> = game
        .procedures
        .iter()
        .map(|(name, _)| name.clone())
        .collect();
    names.extend(game.all_attributes().map(|(name, _)| name.into()));
    names.extend(game.groups().map(String::from));
    names.extend(
        game.tracks
            .keys()
            .chain(game.decks.keys())
            .chain(&game.sides)
            .chain(game.sheets.keys())
            .chain(game.sources.keys())
            .cloned(),
    );
    names.extend(game.sheets.values().flat_map(|sheet| sheet.keys()).cloned());
    names.extend(
        game.sequence
            .iter()
            .map(|phase| phase.name.clone())
            .chain([game.name.clone()]),
    );
    for variant in ruleset
        .library
        .variants
        .values()
        .filter(|variant| variant.game == game.name)
    {
        names.push(variant.name.clone());
        names.extend(
            variant
                .options
                .iter()
                .map(|option| format!("{}.{}", variant.name, option.name)),
        );
    }
    names.extend(ruleset.readings.keys().cloned());
    names.extend(lists::names().map(String::from));
    names
}

/// Describes a field: its title and its allowed values.
fn field_text(title: &str, holds: &str) -> String {
    match title {
        "" => holds.into(),
        title => format!("{title}: {holds}"),
    }
}

fn box_names(track: &Track) -> Vec<String> {
    match track {
        Track::Names(names) => names.clone(),
        _ => Vec::new(),
    }
}

fn procedure_page(ruleset: &Arc<Ruleset>, name: &str, description: &str) -> ShowPage {
    let mut page = EntryPage::new(ruleset, "procedure", name, "a procedure").with_text(description);
    let ProcedureSummary {
        outcomes,
        questions,
        throws,
    } = summarize(&Program::new(ruleset.clone()), name);
    let text = &mut page.text;
    let fields = ruleset.given(name);
    let what =
        |field: &SheetField| field_text(field.title.trim_end_matches('.'), &field.describe());
    text.push_str(if fields.is_empty() {
        "\n  takes nothing\n"
    } else {
        "\n  takes (`given:` of a situation)\n"
    });
    for (name, field) in &fields {
        let open = match &field.alternative {
            Some(alternative) => format!(" (or `{alternative}` in its place)"),
            None => if field.optional {
                " (may be left out)"
            } else {
                ""
            }
            .into(),
        };
        let _ = writeln!(text, "    {name:<14} {}{open}", what(field));
    }
    let slot = ruleset
        .slot(&function_name(name), 1)
        .map(|slot| &ruleset.slots[slot]);
    let mut by = Vec::new();
    text.push_str("\n  is carried out by\n");
    for answer in slot.into_iter().flat_map(|slot| &slot.answers) {
        let case = &ruleset.cases[answer.case];
        let function = &case.functions[answer.function];
        let path = show_page::display_line(ruleset, &case.file.path, function.name_span.line);
        let _ = writeln!(
            text,
            "    {} {}  {}   {path}",
            case.number, case.layer, case.title
        );
        by.push(CarryingCase {
            case: case.number.clone(),
            layer: case.layer.to_string(),
            path: case.file.path.to_string(),
            line: function.name_span.line,
        });
        page.excerpts.push(ScriptExcerpt::new(
            ruleset,
            &case.file.path,
            function.name_span.line,
            &function.body,
        ));
    }
    let phases: Vec<String> = ruleset
        .game
        .sequence
        .iter()
        .filter(|phase| phase.procedures.iter().any(|procedure| procedure == name))
        .map(|p| p.name.clone())
        .collect();
    let board: Vec<String> = ruleset
        .game
        .map_questions
        .iter()
        .filter(|question| question.procedure == name)
        .map(|q| q.name.clone())
        .collect();
    let situations = situations_with(ruleset, name);
    let handed = fields.iter().map(|(name, field)| HandedField {
        field: name.to_string(),
        what: what(field),
        may_be_left_out: field.optional,
    });
    page.thing.handed = Some(handed.collect());
    page.thing.carried_out_by = Some(by);
    page.text.push('\n');
    // Fixed names come before names with a variable part.
    let list = |set: BTreeSet<String>| {
        let mut list: Vec<String> = set.into_iter().collect();
        // A name that varies as a whole tells nothing.
        list.retain(|text| text.chars().any(char::is_alphanumeric));
        list.sort_by_key(|text| (text.starts_with('<'), text.contains('<')));
        list
    };
    page.with_line("phases:", |thing| &mut thing.phases, &phases)
        .with_line("answers on the map:", |thing| &mut thing.board, &board)
        .with_line(
            "outcomes (< > marks a part that varies):",
            |thing| &mut thing.outcomes,
            &list(outcomes),
        )
        .with_line(
            "asks the sides:",
            |thing| &mut thing.questions,
            &list(questions),
        )
        .with_line("throws for:", |thing| &mut thing.throws, &list(throws))
        .with_line("situations:", |thing| &mut thing.situations, &situations)
        .finish()
}

/// Returns the situations that run a procedure.
fn situations_with(ruleset: &Ruleset, procedure: &str) -> Vec<String> {
    let mut ignore = Complaints::default();
    let mut is_of_procedure = |name: &&str| {
        ruleset
            .stack_scenario(name, &mut ignore)
            .is_some_and(|list| list.procedure.as_deref() == Some(procedure))
    };
    ruleset
        .scenario_names()
        .into_iter()
        .filter(|name| is_of_procedure(name))
        .map(String::from)
        .collect()
}

/// Returns the lists with pieces of a kind, and the number of pieces in each.
fn lists_with(ruleset: &Ruleset, kind: &str) -> Vec<String> {
    let mut ignore = Complaints::default();
    let mut counts = Vec::new();
    for list in ruleset.scenario_names() {
        let Some(scenario) = ruleset.stack_scenario(list, &mut ignore) else {
            continue;
        };
        match scenario
            .pieces
            .iter()
            .filter(|piece| piece.word("kind") == Some(kind))
            .count()
        {
            0 => {}
            count => counts.push(format!("{count} in {list}")),
        }
    }
    counts
}

/// Returns the cases whose functions use a name as a field or as a text.
fn cases_with(ruleset: &Ruleset, name: &str) -> Vec<String> {
    let ends_word =
        |text: &str, at: usize| !text[at..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let field = |text: &str| {
        text.match_indices(&format!(".{name}"))
            .any(|(at, matched)| ends_word(text, at + matched.len()))
    };
    let names_it = |case: &Arc<Case>| {
        case.functions
            .iter()
            .any(|f| f.body.contains(&format!("\"{name}\"")) || field(&f.body))
    };
    let mut numbers: Vec<String> = Vec::new();
    for case in ruleset.cases.iter().filter(|case| names_it(case)) {
        if !numbers.contains(&case.number) {
            numbers.push(case.number.clone());
        }
    }
    numbers
}

fn attribute_pages(ruleset: &Ruleset, name: &str) -> Vec<ShowPage> {
    let Game {
        attributes,
        places,
        attribute_references: names,
        ..
    } = &*ruleset.game;
    let lists: [(&str, &'static str, &[&str], _, _); 3] = [
        (
            "an attribute of pieces",
            "attribute",
            &["attributes"],
            attributes,
            names,
        ),
        (
            "an attribute of places",
            "place attribute",
            &["places", "attributes"],
            &places.attributes,
            &places.attribute_references,
        ),
        (
            "an attribute of the sides of places",
            "border attribute",
            &["places", "sides"],
            &places.side_attributes,
            &places.attribute_references,
        ),
    ];
    let mut pages = Vec::new();
    for (is, kind, path, list, names) in lists {
        for (attribute_name, attribute) in list
            .iter()
            .filter(|(attribute_name, _)| attribute_name == name)
        {
            let names: Vec<String> = names.get(attribute_name).cloned().unwrap_or_default();
            let page = EntryPage::new(ruleset, kind, name, is)
                .with_text(&attribute.describe())
                .with_line("names a", |thing| &mut thing.names, &names);
            let path: Vec<&str> = path.iter().copied().chain([name]).collect();
            pages.push(
                page.with_line(
                    "named in",
                    |thing| &mut thing.cases,
                    &cases_with(ruleset, name),
                )
                .with_source_lines(&path)
                .finish(),
            );
        }
    }
    pages
}

fn variant_pages(ruleset: &Ruleset, name: &str) -> Vec<ShowPage> {
    let mut pages = Vec::new();
    for variant in ruleset
        .library
        .variants
        .values()
        .filter(|variant| variant.game == ruleset.game.name)
    {
        if variant.name == name {
            let mut page =
                EntryPage::new(ruleset, "variant", name, "a variant").with_text(&variant.title);
            for option in &variant.options {
                let _ = writeln!(
                    page.text,
                    "  option {name}.{:<18} {}",
                    option.name, option.title
                );
            }
            let options = variant.options.iter();
            let options = options.map(|option| format!("{name}.{}", option.name));
            page.thing.options = Some(options.collect());
            let amends: Vec<String> = ruleset
                .cases
                .iter()
                .filter(|case| *case.layer == *name)
                .map(|case| case.number.clone())
                .collect();
            page = page
                .with_line("cases:", |thing| &mut thing.cases, &amends)
                .with_line("after", |thing| &mut thing.after, &variant.after)
                .with_line("needs", |thing| &mut thing.needs, &variant.needs)
                .with_line(
                    "not together with",
                    |thing| &mut thing.excludes,
                    &variant.excludes,
                )
                .with_file(&variant.file);
            page.thing.path = Some(variant.file.path.to_string());
            pages.push(page.finish());
        }
        for option in variant
            .options
            .iter()
            .filter(|option| format!("{}.{}", variant.name, option.name) == name)
        {
            let page =
                EntryPage::new(ruleset, "option", name, "an option").with_text(&option.title);
            let default = if option.default { "on" } else { "off" }.to_string();
            let is_of_option = |case: &&Arc<Case>| {
                *case.layer == *variant.name && case.option.as_ref() == Some(&option.name)
            };
            let cases: Vec<String> = ruleset
                .cases
                .iter()
                .filter(is_of_option)
                .map(|case| case.number.clone())
                .collect();
            let page = page
                .with_line(
                    "where nothing is said it is",
                    |thing| &mut thing.default,
                    &[default],
                )
                .with_line("cases:", |thing| &mut thing.cases, &cases);
            pages.push(page.with_file(&variant.file).finish());
        }
    }
    pages
}

fn reading_page(ruleset: &Ruleset, name: &str) -> Option<ShowPage> {
    let chosen = ruleset.readings.get(name)?;
    let reading_of = |case: &Case| {
        case.readings
            .iter()
            .find(|reading| format!("{}.{}", case.number, reading.name) == name)
            .cloned()
    };
    let (case, reading) = ruleset
        .cases
        .iter()
        .rev()
        .find_map(|case| Some((case, reading_of(case)?)))?;
    let page = EntryPage::new(ruleset, "reading", name, "a reading")
        .with_text(&case.title)
        .with_line(
            "ways, the first being the default:",
            |thing| &mut thing.ways,
            &reading.ways,
        )
        .with_line(
            "in force:",
            |thing| &mut thing.in_force,
            std::slice::from_ref(chosen),
        )
        .with_line("note:", |thing| &mut thing.note, case.note.as_slice());
    Some(page.with_file(&case.file).finish())
}
