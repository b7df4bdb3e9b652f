//! What a manifest names, each thing as a page: procedures, kinds and groups of pieces, attributes, tracks, sides, sheets, sources, phases;
//! variants with their options, readings, outcomes; and lists of each sort.

use crate::author::carried::{Carried, carried};
use crate::author::lists;
use crate::author::shown::{self, Script, Shown, place};
use crate::complaint::Complaints;
use crate::data::case::Case;
use crate::data::files::File;
use crate::data::manifest::{Game, Track, function_of};
use crate::data::piece::Datum;
use crate::data::sheet::GIVEN;
use crate::data::yaml::{Node, Reader};
use crate::ruleset::compose::Ruleset;
use crate::ruling::page::indented;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

/// So many names stand in a line of a page; as data there are all.
const MOST: usize = 40;

/// A page being written: what it is of, its lines, and the same as data.
struct Page<'r> {
    ruleset: &'r Ruleset,
    shown: Shown,
}

impl<'r> Page<'r> {
    fn new(ruleset: &'r Ruleset, sort: &'static str, name: &str, is: &str) -> Page<'r> {
        let game = &ruleset.game.name;
        let text = format!("{name}: {is} of {game}\n");
        let json = json!({ sort: name, "game": game });
        Page { ruleset, shown: Shown { sort, name: name.into(), text, json, scripts: Vec::new() } }
    }

    fn says(mut self, text: &str) -> Self {
        indented(&mut self.shown.text, text);
        self.shown.json["text"] = json!(text);
        self
    }

    /// A line, and its value as data; none where there is nothing to say.
    fn line(mut self, word: &str, key: &str, value: &[String]) -> Self {
        if !value.is_empty() {
            let mut said = String::new();
            let more = if value.len() > MOST { format!(" and {} more", value.len() - MOST) } else { String::new() };
            indented(&mut said, &format!("{word} {}{more}", value[..value.len().min(MOST)].join(", ")));
            self.shown.text += &said;
        }
        self.shown.json[key] = json!(value);
        self
    }

    /// The lines of the manifest it stands in.
    fn from(mut self, path: &[&str]) -> Self {
        let key = format!("rules/{}/game.yaml", self.ruleset.game.name);
        if let Some(file) = self.ruleset.library.shelf.files.get(&key) {
            let line = line_of(file, path);
            let _ = writeln!(self.shown.text, "  {}", shown::line(self.ruleset, &file.path, line));
            self.shown.json["path"] = json!(file.path);
            self.shown.scripts.push(Script::block(self.ruleset, &file.path, &file.text, line));
        }
        self
    }

    fn done(self) -> Shown {
        self.shown
    }
}

/// The line on which a key below others stands in a file of YAML.
fn line_of(file: &File, path: &[&str]) -> usize {
    let Some(root) = Reader::of(file).whole() else { return 1 };
    let (mut node, mut line) = (&root, 1);
    for name in path {
        let named = |item: &&Node| item.entries().first().is_some_and(|(_, value)| value.text() == Some(name));
        if let Some((key, value)) = node.entry(name) {
            (line, node) = (key.span.line, value);
        } else if let Some(item) = node.items().iter().find(named) {
            (line, node) = (item.span.line, item);
        }
    }
    line
}

/// What the manifest, the variants and the cards of a ruleset call by a name.
pub fn named(ruleset: &Arc<Ruleset>, name: &str) -> Vec<Shown> {
    let game = &ruleset.game;
    let mut found = Vec::new();
    found.extend(game.procedures.iter().filter(|(known, _)| known == name).map(|(name, does)| procedure(ruleset, name, does)));
    if let Some(kind) = game.kinds.get(name) {
        let pieces = pieces_of(ruleset, |of| of == name);
        let page = Page::new(ruleset, "kind", name, "a kind of piece").line("called", "title", std::slice::from_ref(&kind.title));
        found.push(page.line("belongs to", "is", &kind.groups).line("pieces:", "pieces", &pieces).from(&["kinds", name]).done());
    }
    let of_group: Vec<String> =
        game.kinds.iter().filter(|(_, kind)| kind.groups.iter().any(|group| group == name)).map(|(kind, _)| kind.clone()).collect();
    if !of_group.is_empty() {
        found.push(
            Page::new(ruleset, "group", name, "a group of kinds of piece").line("kinds:", "kinds", &of_group).from(&["kinds"]).done(),
        );
    }
    found.extend(attributes(ruleset, name));
    if let Some(track) = game.tracks.get(name) {
        let page = Page::new(ruleset, "track", name, "a track").says(&track.describe()).line("boxes:", "boxes", &boxes(track));
        found.push(page.line("named in", "cases", &cases_with(ruleset, name)).from(&["tracks", name]).done());
    }
    if game.sides.iter().any(|side| side == name) {
        found.push(Page::new(ruleset, "side", name, "a side").from(&["sides"]).done());
    }
    if let Some(sheet) = game.sheets.get(name) {
        let is = if name == GIVEN { "what a situation hands to its procedure, a sheet" } else { "a sheet that cases hand on" };
        let mut page = Page::new(ruleset, "sheet", name, is);
        for (field, holds) in sheet {
            let _ = writeln!(page.shown.text, "  {field:<18} {}", held(&holds.title, &holds.holds.describe()));
        }
        found.push(page.line("", "fields", &[]).from(&["sheets", name]).done());
    }
    for (sheet, fields) in &game.sheets {
        let full = |field: &String| field == name || format!("{sheet}.{field}") == name;
        for (field, holds) in fields.iter().filter(|(field, _)| full(field)) {
            let page = Page::new(ruleset, "field", &format!("{sheet}.{field}"), "a field of a sheet");
            found.push(page.says(&held(&holds.title, &holds.holds.describe())).from(&["sheets", sheet, field]).done());
        }
    }
    if let Some(title) = game.sources.get(name) {
        found.push(Page::new(ruleset, "source", name, "a source").says(title).from(&["sources", name]).done());
    }
    let phases: Vec<_> = game.sequence.iter().filter(|phase| phase.name == name).collect();
    if let Some(phase) = phases.first() {
        let page =
            Page::new(ruleset, "phase", name, "a phase of the sequence of play").line("procedures:", "procedures", &phase.procedures);
        let once: Vec<String> = phase.once_a.iter().cloned().collect();
        found.push(page.line("played once for each place of the track", "once_a", &once).from(&["sequence", name]).done());
    }
    found.extend(variants(ruleset, name));
    found.extend(readings(ruleset, name));
    if game.name == name {
        let mut page = Page::new(ruleset, "game", name, "a game").says(&game.title).from(&[]);
        page.shown.text = page.shown.text.replacen(&format!("a game of {name}"), "a game", 1);
        let _ = writeln!(page.shown.text, "  casebook list --game {name}");
        let manifest = ruleset.library.shelf.files.get(&format!("rules/{name}/game.yaml"));
        page.shown.scripts = manifest.map(|file| Script::of(ruleset, &file.path, 1, &file.text)).into_iter().collect();
        found.push(page.done());
    }
    found
}

/// Every name that this page of names knows.
pub fn names(ruleset: &Ruleset) -> Vec<String> {
    let game = &ruleset.game;
    let attributes = [&game.attributes, &game.places.attributes, &game.places.sides].into_iter().flatten().map(|(name, _)| name.clone());
    let mut all: Vec<String> = game.procedures.iter().map(|(name, _)| name.clone()).chain(attributes).collect();
    all.extend(game.groups().map(String::from));
    all.extend(game.tracks.keys().chain(&game.sides).chain(game.sheets.keys()).chain(game.sources.keys()).cloned());
    all.extend(game.sheets.values().flat_map(|sheet| sheet.keys()).cloned());
    all.extend(game.sequence.iter().map(|phase| phase.name.clone()).chain([game.name.clone()]));
    for variant in ruleset.library.variants.values().filter(|variant| variant.game == game.name) {
        all.push(variant.name.clone());
        all.extend(variant.options.iter().map(|part| format!("{}.{}", variant.name, part.name)));
    }
    all.extend(ruleset.readings.keys().cloned());
    all.extend(lists::names().map(String::from));
    all
}

/// What is said of a field: what it is, and what it may hold.
fn held(title: &str, holds: &str) -> String {
    match title {
        "" => holds.into(),
        title => format!("{title}: {holds}"),
    }
}

fn boxes(track: &Track) -> Vec<String> {
    match track {
        Track::Names(names) => names.clone(),
        _ => Vec::new(),
    }
}

fn procedure(ruleset: &Arc<Ruleset>, name: &str, does: &str) -> Shown {
    let mut page = Page::new(ruleset, "procedure", name, "a procedure").says(does);
    let Carried { handed, outcomes, questions, throws } = carried(ruleset, name);
    let text = &mut page.shown.text;
    let given = ruleset.game.sheets.get(GIVEN);
    let what = |field: &String| given.and_then(|sheet| sheet.get(field)).map(|field| held(&field.title, &field.holds.describe()));
    text.push_str(if handed.is_empty() { "\n  is handed nothing\n" } else { "\n  is handed (`given:` of a situation)\n" });
    for (field, open) in &handed {
        let _ = writeln!(text, "    {field:<14} {}{}", what(field).unwrap_or_default(), if *open { " (may be left out)" } else { "" });
    }
    let slot = ruleset.slot(&function_of(name), 1).map(|slot| &ruleset.slots[slot]);
    let mut by = Vec::new();
    text.push_str("\n  is carried out by\n");
    for answer in slot.into_iter().flat_map(|slot| &slot.chain) {
        let case = &ruleset.cases[answer.case];
        let function = &case.functions[answer.function];
        let path = shown::line(ruleset, &case.file.path, function.span.line);
        let _ = writeln!(text, "    {} {}  {}   {path}", case.number, case.layer, case.title);
        by.push(json!({ "case": case.number, "layer": &*case.layer, "path": case.file.path, "line": function.span.line }));
        page.shown.scripts.push(Script::of(ruleset, &case.file.path, function.span.line, &function.body));
    }
    let phases: Vec<String> =
        ruleset.game.sequence.iter().filter(|phase| phase.procedures.iter().any(|own| own == name)).map(|p| p.name.clone()).collect();
    let board: Vec<String> = ruleset.game.board.iter().filter(|question| question.procedure == name).map(|q| q.name.clone()).collect();
    let situations = situations(ruleset, name);
    let fields: Vec<Value> =
        handed.iter().map(|(field, open)| json!({ "field": field, "what": what(field), "may_be_left_out": open })).collect();
    page.shown.json["handed"] = json!(fields);
    page.shown.json["carried_out_by"] = json!(by);
    page.shown.text.push('\n');
    // What has a name of its own comes first, then what is named after something.
    let list = |set: BTreeSet<String>| {
        let mut list: Vec<String> = set.into_iter().collect();
        list.sort_by_key(|text| (text.starts_with('<'), text.contains('<')));
        list
    };
    page.line("phases:", "phases", &phases)
        .line("answers on the map:", "board", &board)
        .line("outcomes (what stands in < > is put in):", "outcomes", &list(outcomes))
        .line("asks the sides:", "questions", &list(questions))
        .line("throws for:", "throws", &list(throws))
        .line("situations:", "situations", &situations)
        .done()
}

/// The situations that carry a procedure out.
fn situations(ruleset: &Ruleset, procedure: &str) -> Vec<String> {
    let mut ignore = Complaints::default();
    let mut of = |name: &&str| ruleset.stack_scenario(name, &mut ignore).is_some_and(|list| list.procedure.as_deref() == Some(procedure));
    ruleset.scenario_names().into_iter().filter(|name| of(name)).map(String::from).collect()
}

/// The lists with pieces of a kind, and how many each has.
fn pieces_of(ruleset: &Ruleset, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut ignore = Complaints::default();
    let mut found = Vec::new();
    for list in ruleset.scenario_names() {
        let Some(scenario) = ruleset.stack_scenario(list, &mut ignore) else { continue };
        let own = scenario.pieces.iter().filter(|piece| matches!(piece.data.get("kind"), Some(Datum::Word(kind)) if wanted(kind)));
        match own.count() {
            0 => {}
            count => found.push(format!("{count} in {list}")),
        }
    }
    found
}

/// The cases in whose functions a name stands, as a field or as a text.
fn cases_with(ruleset: &Ruleset, name: &str) -> Vec<String> {
    let whole = |text: &str, at: usize| !text[at..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let field = |text: &str| text.match_indices(&format!(".{name}")).any(|(at, found)| whole(text, at + found.len()));
    let stands = |case: &Arc<Case>| case.functions.iter().any(|f| f.body.contains(&format!("\"{name}\"")) || field(&f.body));
    let mut found: Vec<String> = Vec::new();
    for case in ruleset.cases.iter().filter(|case| stands(case)) {
        if !found.contains(&case.number) {
            found.push(case.number.clone());
        }
    }
    found
}

fn attributes(ruleset: &Ruleset, name: &str) -> Vec<Shown> {
    let Game { attributes, places, names, .. } = &*ruleset.game;
    let lists: [(&str, &'static str, &[&str], _, _); 3] = [
        ("an attribute of pieces", "attribute", &["attributes"], attributes, names),
        ("an attribute of places", "place attribute", &["places", "attributes"], &places.attributes, &places.names),
        ("an attribute of the sides of places", "border attribute", &["places", "sides"], &places.sides, &places.names),
    ];
    let mut found = Vec::new();
    for (is, sort, path, list, names) in lists {
        for (known, attribute) in list.iter().filter(|(known, _)| known == name) {
            let names: Vec<String> = names.get(known).cloned().unwrap_or_default();
            let page = Page::new(ruleset, sort, name, is).says(&attribute.describe()).line("names a", "names", &names);
            let path: Vec<&str> = path.iter().copied().chain([name]).collect();
            found.push(page.line("named in", "cases", &cases_with(ruleset, name)).from(&path).done());
        }
    }
    found
}

fn variants(ruleset: &Ruleset, name: &str) -> Vec<Shown> {
    let mut found = Vec::new();
    for variant in ruleset.library.variants.values().filter(|variant| variant.game == ruleset.game.name) {
        let path = place(ruleset, &variant.file.path);
        if variant.name == name {
            let mut page = Page::new(ruleset, "variant", name, "a variant").says(&variant.title);
            for part in &variant.options {
                let _ = writeln!(page.shown.text, "  option {name}.{:<18} {}", part.name, part.title);
            }
            let options: Vec<String> = variant.options.iter().map(|part| format!("{name}.{}", part.name)).collect();
            page.shown.json["options"] = json!(options);
            let amends: Vec<String> = ruleset.cases.iter().filter(|case| *case.layer == *name).map(|case| case.number.clone()).collect();
            page = page.line("cases:", "cases", &amends).line("after", "after", &variant.after).line("needs", "needs", &variant.needs);
            page = page.line("not together with", "excludes", &variant.excludes);
            let _ = writeln!(page.shown.text, "  {path}");
            page.shown.json["path"] = json!(variant.file.path);
            page.shown.scripts.push(Script::of(ruleset, &variant.file.path, 1, &variant.file.text));
            found.push(page.done());
        }
        for part in variant.options.iter().filter(|part| format!("{}.{}", variant.name, part.name) == name) {
            let page = Page::new(ruleset, "option", name, "an option").says(&part.title);
            let default = if part.default { "on" } else { "off" };
            let of = |case: &&Arc<Case>| *case.layer == *variant.name && case.option.as_ref() == Some(&part.name);
            let cases: Vec<String> = ruleset.cases.iter().filter(of).map(|case| case.number.clone()).collect();
            let mut page = page.line("where nothing is said it is", "default", &[default.to_string()]).line("cases:", "cases", &cases);
            let _ = writeln!(page.shown.text, "  {path}");
            page.shown.scripts.push(Script::of(ruleset, &variant.file.path, 1, &variant.file.text));
            found.push(page.done());
        }
    }
    found
}

fn readings(ruleset: &Ruleset, name: &str) -> Option<Shown> {
    let chosen = ruleset.readings.get(name)?;
    let of = |case: &&Arc<Case>| case.readings.iter().any(|reading| format!("{}.{}", case.number, reading.name) == name);
    let case = ruleset.cases.iter().rev().find(of)?;
    let reading = case.readings.iter().find(|reading| format!("{}.{}", case.number, reading.name) == name)?;
    let page = Page::new(ruleset, "reading", name, "a reading").says(&case.title).line(
        "ways, the first being the default:",
        "ways",
        &reading.ways,
    );
    let mut page = page.line("in force:", "in_force", std::slice::from_ref(chosen)).line("note:", "note", case.note.as_slice());
    let _ = writeln!(page.shown.text, "  {}", place(ruleset, &case.file.path));
    page.shown.scripts.push(Script::of(ruleset, &case.file.path, 1, &case.file.text));
    Some(page.done())
}
