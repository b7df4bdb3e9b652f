//! Names that files mention, looked up: options, variants, procedures, the keys of examples. Layer by layer, whatever is in force.

use crate::complaint::{Complaint, Complaints, Place, Span, did_you_mean, distance};
use crate::data::amendment::TableFile;
use crate::data::case::{Case, Status};
use crate::data::files::File;
use crate::data::format::chart;
use crate::data::library::{Layer, Library};
use crate::data::manifest::{Attribute, Game, Ids, OR, function_of};
use crate::data::scenario::Scenario;
use crate::data::sheet::GIVEN;
use crate::data::variant::Variant;
use crate::data::yaml::{Node, Reader, Value};
use crate::syntax::grammar::names_a_function;
use crate::testing::setting::doc_line;
use crate::testing::test::Claims;
use std::collections::BTreeSet;

/// Looks up what the files of a game and its variants mention; or what one of them does, named by its key.
pub fn check(library: &Library, game: &Game, only: Option<&str>, all: &mut Complaints) {
    let wanted = |file: &File| only.is_none_or(|key| key == file.key);
    let known = library.variants_of(&game.name);
    let mut cases = Vec::new();
    let printed = game;
    for variant in [None].into_iter().chain(known.iter().copied().map(Some)) {
        let layer = library.layer(printed, variant, all);
        // What a variant names may be its own, or of those it is written over.
        let over = variant.map(|variant| library.written_over(variant)).unwrap_or_default();
        let added = library.with_additions(printed, over.iter().map(String::as_str));
        let game = added.as_ref().unwrap_or(printed);
        if let Some(variant) = &layer.variant {
            for (list, name) in printed.twice(&variant.adds) {
                let what = format!("{name} stands in the manifest of the game already, under `{list}:`");
                let key = variant.root.get(list).and_then(|node| node.entry(&name)).map(|(key, _)| key.span).unwrap_or_default();
                let place = Place::at(&variant.file.path, &variant.file.text, key);
                all.push(Complaint::new("kind", place, what).help("a variant adds names of its own: give it another"));
            }
            all.0.extend(undeclared(variant, game));
            let older = over.iter().filter(|name| **name != variant.name).map(String::as_str);
            let below = library.with_additions(printed, older);
            all.0.extend(unknown_in_phases(variant, below.as_ref().unwrap_or(printed), game));
        }
        layer.cases.iter().filter(|case| only.is_none_or(|key| case.has_file(key))).for_each(|case| card(case, &layer, game, all));
        for id in layer.tables.keys() {
            for table in library.table_files(&layer, id, all).iter().filter(|table| wanted(&table.file)) {
                listed(&table.root, &table.file, &layer, game, all);
                documents(&table.root, &table.file, game, all);
                all.0.extend(unstated_chart(table));
            }
        }
        for (name, file) in layer.scenarios.iter().filter(|(_, file)| wanted(file)) {
            if let Some(scenario) = library.scenario(&layer, name, game, all) {
                if let Some(root) = Reader::of(file).whole() {
                    listed(&root, file, &layer, game, all);
                    documents(&root, file, game, all);
                    all.0.extend(unstated(&root, &scenario, game));
                }
                situation(&scenario, game, library, all);
                let below = scenarios_below(library, game, &layer);
                if !below.contains(&scenario.name.as_str()) && (!scenario.changes.is_empty() || !scenario.stands_alone()) {
                    all.push(nothing_below(&scenario, below));
                }
            }
        }
        if let Some(variant) = &layer.variant {
            documents(&variant.root, &variant.file, game, all);
            let lists = [
                ("after", &variant.after, "`after:` names variants over which this one is laid"),
                ("needs", &variant.needs, "`needs:` names variants that come into force with this one"),
                ("excludes", &variant.excludes, "`excludes:` names variants that can't be in force with this one"),
            ];
            for (key, names, help) in lists {
                if names.contains(&variant.name) {
                    let what = format!("{} names itself under `{key}:`", variant.name);
                    all.push(Complaint::new("order", variant.place_of(key, &variant.name), what).help(help));
                }
                for (name, what) in names.iter().filter_map(|name| Some((name, no_variant(library, game, name)?))) {
                    all.push(unknown(variant.place_of(key, name), what, help));
                }
            }
        }
        cases.extend(layer.cases.iter().cloned());
    }
    let done = |name: &str| {
        let function = function_of(name);
        cases.iter().flat_map(|case| &case.functions).any(|f| !f.private && f.name == function && f.arity() == 1)
    };
    let every = library.with_additions(printed, known.iter().copied());
    for (name, _) in &every.as_ref().unwrap_or(printed).procedures {
        if !names_a_function(&function_of(name)) {
            let what = format!("no case can carry out `{name}`: `{}` can't be the name of a function", function_of(name));
            let help =
                "call it otherwise, in letters, figures and spaces, and by no word of the language: `throw dice`, say, instead of `throw`";
            all.push(unknown(manifest(library, game, name), what, help));
            continue;
        }
        if done(name) {
            continue;
        }
        let what = format!("no case carries out `{name}`");
        all.push(unknown(manifest(library, game, name), what, format!("a case answers `{}(given)`", function_of(name))));
    }
}

fn unknown(place: Place, what: impl Into<String>, help: impl Into<String>) -> Complaint {
    Complaint::new("unknown-name", place, what).help(help)
}

/// What procedures of a variant are handed and nobody declares.
fn undeclared(variant: &Variant, game: &Game) -> Vec<Complaint> {
    let Some(given) = game.sheets.get(GIVEN) else { return Vec::new() };
    let procedures = variant.root.get("procedures");
    let mut found = Vec::new();
    for (procedure, fields) in &variant.adds.handed {
        for field in fields.iter().flat_map(|field| field.split(OR)).filter(|field| !given.contains_key(*field)) {
            let span = procedures.and_then(|node| node.get(procedure)).map(|node| node.span_of("given", field)).unwrap_or_default();
            let what = format!("no procedure is given `{field}`{}", did_you_mean(field, given.keys().map(String::as_str)));
            found.push(unknown(Place::at(&variant.file.path, &variant.file.text, span), what, "name it under `sheets: given:`"));
        }
    }
    found
}

/// What phases of a variant name and the game with it does not know.
fn unknown_in_phases(variant: &Variant, below: &Game, game: &Game) -> Vec<Complaint> {
    let items = variant.root.get("sequence").map(Node::items).unwrap_or_default();
    let complaint = |(key, name, what, known): (&str, String, &str, Vec<String>)| {
        let stands = |item: &&Node| item.get(key).is_some_and(|node| node.items().iter().any(|item| item.text() == Some(&name)));
        let span = items.iter().find(stands).map(|item| item.span_of(key, &name)).unwrap_or_default();
        let text = format!("no {what} is called `{name}`{}", did_you_mean(&name, known.iter().map(String::as_str)));
        unknown(Place::at(&variant.file.path, &variant.file.text, span), text, &format!("known: {}", known.join(", ")))
    };
    game.unknown_in_phases(&below.sequence, &variant.adds).into_iter().map(complaint).collect()
}

/// Where a procedure stands in the manifest.
fn manifest(library: &Library, game: &Game, procedure: &str) -> Place {
    let path = format!("rules/{}/game.yaml", game.name);
    let Some(file) = library.shelf.files.get(&path) else { return Place::file(&path) };
    let own = library.variants.values().find(|v| v.game == game.name && v.adds.procedures.iter().any(|(name, _)| name == procedure));
    let file = own.map_or(file, |variant| &variant.file);
    let root = Reader::of(file).whole();
    let entries = root.as_ref().and_then(|root| root.get("procedures")).map(Node::entries).unwrap_or_default();
    let key = entries.iter().find(|(key, _)| key.text() == Some(procedure));
    key.map_or(Place::file(&file.path), |(key, _)| Place::at(&file.path, &file.text, key.span))
}

/// Why a variant is none of a game. One whose manifest is at fault is there all the same.
fn no_variant(library: &Library, game: &Game, name: &str) -> Option<String> {
    let there = match library.variants.get(name) {
        Some(variant) => variant.game == game.name || !library.games.contains_key(&variant.game),
        None => library.shelf.files.contains_key(&format!("variants/{name}/variant.yaml")),
    };
    let near = || did_you_mean(name, library.variants_of(&game.name));
    (!there).then(|| format!("no variant of {} is called `{name}`{}", game.name, near()))
}

/// Why an option is none of a layer.
fn no_option(layer: &Layer, option: &str) -> Option<(String, &'static str)> {
    let Some(variant) = &layer.variant else {
        return Some((format!("{} is the printed game, which has no options", layer.name), "options are parts of a variant"));
    };
    let known = variant.options.iter().map(|part| part.name.as_str());
    let what = || format!("{} has no option `{option}`{}", layer.name, did_you_mean(option, known.clone()));
    (!known.clone().any(|name| name == option)).then(|| (what(), "options stand in variant.yaml"))
}

fn no_procedure(game: &Game, procedure: &str) -> Option<String> {
    let known = game.procedures.iter().map(|(name, _)| name.as_str());
    let found = game.procedures.is_empty() || known.clone().any(|name| name == procedure);
    (!found).then(|| format!("no procedure is called `{procedure}`{}", did_you_mean(procedure, known)))
}

/// Why an example's id names no statement of a source: only of those whose ids the manifest has can that be told.
fn no_statement(game: &Game, text: &str) -> Option<String> {
    let id = text.split_whitespace().next()?;
    let (prefix, number) = id.rsplit_once('-')?;
    let number: u32 = number.parse().ok()?;
    if text.ends_with(" ours") || game.ids.is_empty() {
        return None;
    }
    let known: Vec<&Ids> = game.ids.iter().filter(|ids| ids.prefix == prefix).collect();
    let Some(first) = known.first() else {
        let near = did_you_mean(prefix, game.ids.iter().map(|ids| ids.prefix.as_str()));
        return (!near.is_empty()).then(|| format!("no source has statements `{prefix}`{near}"));
    };
    let within = known.iter().any(|ids| (ids.numbers.0..=ids.numbers.1).contains(&number));
    (!within).then(|| format!("{} has no statement {id}: its ids go from {} to {}", first.doc, first.numbers.0, first.numbers.1))
}

const IDS: &str = "look at the id; those of a source stand in the game's manifest under `sources:`";

/// The names on the card of a case, and the ids of its examples.
fn card(case: &Case, layer: &Layer, game: &Game, all: &mut Complaints) {
    for function in case.functions.iter().filter(|function| function.is_example()) {
        if let Some((id, what)) = function.doc().first().and_then(|id| Some((id, no_statement(game, id)?))) {
            let place = doc_line(case, function, id.split_whitespace().next().unwrap_or_default());
            all.push(unknown(place, what, IDS).crumbs(case.crumbs()));
        }
    }
    let mut wrong = |key: &str, word: &str, what: String, help: &str| {
        all.push(case.complaint("unknown-name", case.span_of(key, word), what).help(help));
    };
    if let Some(option) = &case.option
        && let Some((what, help)) = no_option(layer, option)
    {
        wrong("option", option, what, help);
    }
    // A part of a procedure may go by a name of its own; one that is all but the name of a procedure is misspelt.
    let misspelt = |name: &str| game.procedures.iter().any(|(known, _)| distance(name, known) == 1);
    for procedure in &case.procedures {
        if !case.functions.iter().any(|f| f.name == function_of(procedure))
            && misspelt(procedure)
            && let Some(what) = no_procedure(game, procedure)
        {
            wrong("procedure", procedure, what, "procedures stand in the game's manifest");
        }
    }
}

/// Options and examples of a YAML file.
fn listed(root: &Node, file: &File, layer: &Layer, game: &Game, all: &mut Complaints) {
    let changes = root.get("changes").map(Node::items).unwrap_or_default();
    for node in [root].into_iter().chain(changes).filter_map(|node| node.get("option")) {
        if let Some((what, help)) = node.text().and_then(|option| no_option(layer, option)) {
            all.push(unknown(Place::at(&file.path, &file.text, node.span), what, help));
        }
    }
    let mut reader = Reader::of(file);
    reader.crumbs = format!("example in {} of {}", file.stem(), layer.name);
    for item in root.get("examples").map(Node::items).unwrap_or_default() {
        reader.fits(item, &chart::EXAMPLE);
        reader.need(item, "ask");
        if let Some((id, what)) = item.get("id").and_then(|id| Some((id, no_statement(game, id.text()?)?))) {
            reader.complain("unknown-name", id.span, what, IDS);
        }
    }
    all.0.append(&mut reader.complaints.0);
}

/// Every `doc:` of a file, however deep it stands, is a document the manifest names.
fn documents(node: &Node, file: &File, game: &Game, all: &mut Complaints) {
    if let Some((doc, name)) = node.get("doc").and_then(|doc| Some((doc, doc.text()?)))
        && !game.sources.contains_key(name)
    {
        let what = format!("no source is called `{name}`{}", did_you_mean(name, game.sources.keys().map(String::as_str)));
        let help = "documents stand in the game's manifest under `sources:`";
        all.push(unknown(Place::at(&file.path, &file.text, doc.span), what, help));
    }
    match &node.value {
        Value::Map(entries) => entries.iter().for_each(|(_, value)| documents(value, file, game, all)),
        Value::List(items) => items.iter().for_each(|item| documents(item, file, game, all)),
        Value::Scalar(..) => {}
    }
}

/// Law `status` for a list of pieces: a figure of which nobody says how it is known would pass for printed.
fn unstated(root: &Node, scenario: &Scenario, game: &Game) -> Option<Complaint> {
    if root.get("status").is_some() {
        return None;
    }
    let figure =
        |key: &str| key == "value" || matches!(game.attribute(key).map(|index| &game.attributes[index].1), Some(Attribute::Number(..)));
    let stated = |piece: &Node, key: &str| {
        let lists = Status::WORDS.iter().filter_map(|(word, _)| piece.get(word));
        lists.flat_map(Node::items).any(|item| item.text() == Some(key))
    };
    let open = |piece: &&Node| {
        let mut keys = piece.entries().iter().filter_map(|(key, _)| key.text());
        piece.get("status").is_none() && keys.any(|key| figure(key) && !stated(piece, key))
    };
    let open: Vec<&Node> = root.get("pieces").map(Node::items).unwrap_or_default().iter().filter(open).collect();
    let first = open.first()?;
    let name = first.get("name").and_then(Node::text).unwrap_or_default();
    let others = if open.len() == 1 { " does".to_string() } else { format!(" and {} more do", open.len() - 1) };
    let what = format!("{name}{others} not say how the figures are known: they would pass for printed");
    let help = "write `status:` at the head of the file, or of a piece: printed, derived, or reconstructed with a `method:`";
    let place = Place::at(&scenario.file.path, &scenario.file.text, first.span);
    Some(Complaint::new("status", place, what).crumbs(format!("{} of {}", scenario.name, scenario.layer)).help(help))
}

/// Law `status` for a chart.
fn unstated_chart(table: &TableFile) -> Option<Complaint> {
    let bare = table.whole() && table.root.get("status").is_none();
    let (key, _) = table.root.entry("cells").filter(|_| bare)?;
    let what = format!("table {} does not say how its figures are known: they would pass for printed", table.id);
    let help = "write `status:` at the head of the file: printed, derived, reconstructed with a `method:`, or missing";
    Some(Complaint::new("status", Place::at(&table.file.path, &table.file.text, key.span), what).help(help))
}

/// The situations, rosters and deployments that may lie below a layer: those of the game and of its other variants.
fn scenarios_below<'a>(library: &'a Library, game: &Game, layer: &Layer) -> Vec<&'a str> {
    let variants = library.variants_of(&game.name);
    let below = |key: &str| match key.split('/').collect::<Vec<_>>()[..] {
        ["scenarios", name, _] => name == game.name && layer.variant.is_some(),
        ["variants", name, "scenarios", _] => *name != *layer.name && variants.contains(&name),
        _ => false,
    };
    library.shelf.files.values().filter(|file| below(&file.key)).map(File::stem).collect()
}

/// Law `kind` for situations, rosters and deployments: what is amended is there.
fn nothing_below(scenario: &Scenario, below: Vec<&str>) -> Complaint {
    let what = format!("there is no {} {} below to be amended{}", scenario.sort.word(), scenario.name, did_you_mean(&scenario.name, below));
    let place = Place::at(&scenario.file.path, &scenario.file.text, scenario.root.span_of(scenario.sort.word(), &scenario.name));
    let crumbs = format!("{}, {} of {}", scenario.name, scenario.kind.word(), scenario.layer);
    Complaint::new("kind", place, what).crumbs(crumbs).help("look at the name, or lay out the whole with its pieces")
}

/// The names at the head of a situation.
fn situation(scenario: &Scenario, game: &Game, library: &Library, all: &mut Complaints) {
    let place = |span: Span| Place::at(&scenario.file.path, &scenario.file.text, span);
    for (name, what) in scenario.with.iter().flatten().filter_map(|name| Some((name, no_variant(library, game, name)?))) {
        all.push(unknown(place(scenario.root.span_of("with", name)), what, "`with:` names the variants that are in force"));
    }
    if let Some(procedure) = &scenario.procedure
        && let Some(what) = no_procedure(game, procedure)
    {
        all.push(unknown(place(scenario.root.span_of("procedure", procedure)), what, "procedures stand in the game's manifest"));
    }
}

/// The names in tests of rulings: the situation, what is in force, the procedure; and whether each is told from the others.
pub fn tests(claims: &Claims, game: &Game, library: &Library, all: &mut Complaints) {
    let every = library.with_additions(game, library.variants_of(&game.name).into_iter());
    let game = every.as_ref().unwrap_or(game);
    let known = library.scenarios(&game.name);
    let mut told = BTreeSet::new();
    for claim in &claims.list {
        let mut wrong = |law, span, what, help: &str| all.push(claim.complaint(law, span, &claims.file, what).help(help));
        if !known.iter().any(|(name, _)| *name == claim.given.0) {
            let near = did_you_mean(&claim.given.0, known.iter().map(|(name, _)| name.as_str()));
            let what = format!("no situation is called `{}`{near}", claim.given.0);
            wrong("unknown-name", claim.given.1, what, "`casebook list` names the situations");
        }
        for (name, span) in claim.with.iter().flatten() {
            if let Some(what) = no_variant(library, game, name) {
                wrong("unknown-name", *span, what, "`with:` names the variants that are in force");
            }
        }
        if let Some((when, span)) = &claim.when
            && let Some(what) = no_procedure(game, when)
        {
            wrong("unknown-name", *span, what, "procedures stand in the game's manifest");
        }
        if !told.insert((&claim.name, &claim.given.0)) {
            let what = "two tests of this file say the same of the same situation";
            wrong("test", claim.span, what.into(), "leave one of them out, or say in its sentence what sets it apart");
        }
    }
}
