//! Checks names in data files: options, variants, procedures, ids of examples. It checks layer by layer, independent of a ruleset.

use crate::author::asked_questions::AskedQuestions;
use crate::author::axis_dice::check_axis_dice;
use crate::testing::setting::doc_line_place;
use crate::testing::test::RulingTestFile;
use casebook_engine::complaint::{
    Complaint, Complaints, Defect, DiagnosticCode, Message, Place, did_you_mean, edit_distance,
    nearest_names, unknown_name,
};
use casebook_engine::data::case::Case;
use casebook_engine::data::figure_name::FigureName;
use casebook_engine::data::files::{DataFile, manifest_key};
use casebook_engine::data::format::FieldType;
use casebook_engine::data::format::card::{CARD, VARIANT};
use casebook_engine::data::format::ruling_test::TEST;
use casebook_engine::data::format::scenario::SITUATION;
use casebook_engine::data::format::table::{EXAMPLE, TABLE};
use casebook_engine::data::format_check::NameCheck;
use casebook_engine::data::library::{Layer, Library};
use casebook_engine::data::manifest::{AttributeType, Game, StatementIds, function_name};
use casebook_engine::data::reference_kind::ReferenceKind;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::data::status::Status;
use casebook_engine::data::table_file::TableFile;
use casebook_engine::data::variant::Variant;
use casebook_engine::data::yaml::{YamlNode, YamlReader};
use casebook_engine::situation::policy::{NAMES, PolicyKind};
use casebook_engine::syntax::grammar::is_function_name;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Checks the names in all files of a game and its variants, or only in the file with the key `only`.
pub fn check(library: &Library, game: &Game, only: Option<&str>, complaints: &mut Complaints) {
    let is_checked = |file: &DataFile| only.is_none_or(|key| key == file.key);
    let variant_names = library.variants_of(&game.name);
    library.glossary(&game.name, complaints);
    let mut cases = Vec::new();
    let printed = game;
    for variant in library.layer_names(&game.name) {
        let layer = library.layer(printed, variant, complaints);
        // A variant may name its own contents and those of its dependencies.
        let dependencies = variant
            .map(|variant| library.with_dependencies(variant))
            .unwrap_or_default();
        let added = library.with_additions(printed, dependencies.iter().map(String::as_str));
        let game = added.as_ref().unwrap_or(printed);
        if variant.is_none() && library.manifest(&game.name).is_some_and(is_checked) {
            check_start(library, game, &layer, complaints);
        }
        if let Some(variant) = &layer.variant {
            for (list, name) in printed.duplicate_names(&variant.additions) {
                let message =
                    format!("{name} is already in the manifest of the game, under `{list}:`");
                let key = variant
                    .root
                    .get(list)
                    .and_then(|node| node.entry(&name))
                    .map(|(key, _)| key.span)
                    .unwrap_or_default();
                let place = variant.file.place(key);
                complaints.push(
                    Complaint::new(DiagnosticCode::Kind, place, message)
                        .with_help("a variant adds names of its own: give it another"),
                );
            }
            let older = dependencies
                .iter()
                .filter(|name| **name != variant.name)
                .map(String::as_str);
            let below = library.with_additions(printed, older);
            check_phases(variant, below.as_ref().unwrap_or(printed), complaints);
        }
        // What a situation names of its game is checked where it is read.
        let unknown = |kind: ReferenceKind, text: &str| match kind {
            ReferenceKind::Document => game.unknown_name(kind, text),
            ReferenceKind::Procedure if !game.procedures.is_empty() => {
                game.unknown_name(kind, text)
            }
            ReferenceKind::Variant => unknown_variant(library, game, text),
            ReferenceKind::Switch => unknown_option(&layer, text),
            ReferenceKind::Statement => unknown_statement(game, text),
            _ => None,
        };
        let check_names =
            |root: &YamlNode, format, reader: &mut YamlReader, complaints: &mut Complaints| {
                reader.check_names(root, FieldType::Object(format), &unknown);
                complaints.0.append(&mut reader.complaints.0);
            };
        for case in layer
            .cases
            .iter()
            .filter(|case| only.is_none_or(|key| case.has_file(key)))
        {
            check_example_ids(case, game, complaints);
            let mut reader = YamlReader::for_file(&case.file);
            reader.context = case.context();
            if let Some(card) = reader.parse_file() {
                let unknown = |kind: ReferenceKind, text: &str| match kind {
                    ReferenceKind::Procedure => misspelt_procedure(case, game, text),
                    _ => unknown(kind, text),
                };
                reader.check_names(&card, FieldType::Object(&CARD), &unknown);
                complaints.0.append(&mut reader.complaints.0);
                if !(case.questions.is_empty() && case.usual.0.is_empty() && case.secret.is_empty())
                {
                    AskedQuestions::of_cases([case]).check_card(&card, &mut reader);
                    complaints.0.append(&mut reader.complaints.0);
                }
            }
        }
        for id in layer.tables.keys() {
            for table in library
                .table_files(&layer, id, complaints)
                .iter()
                .filter(|table| is_checked(&table.file))
            {
                check_examples(&table.root, &table.file, &layer, &unknown, complaints);
                check_names(
                    &table.root,
                    &TABLE,
                    &mut YamlReader::for_file(&table.file),
                    complaints,
                );
                complaints.0.extend(
                    missing_chart_status(table)
                        .into_iter()
                        .chain(check_axis_dice(table, game)),
                );
            }
        }
        let below = scenarios_below(library, game, &layer);
        for (name, file) in layer.scenarios.iter().filter(|(_, file)| is_checked(file)) {
            if let Some(scenario) = library.scenario(&layer, name, game, complaints) {
                if let Some(root) = YamlReader::for_file(file).parse_file() {
                    check_examples(&root, file, &layer, &unknown, complaints);
                    check_names(
                        &root,
                        &SITUATION,
                        &mut YamlReader::for_file(file),
                        complaints,
                    );
                    complaints.0.extend(missing_status(&root, &scenario, game));
                }
                if !below.contains(&scenario.name.as_str())
                    && (scenario.changes.iter().any(|change| change.was.is_some())
                        || !scenario.is_standalone())
                {
                    complaints.push(missing_target(&scenario, &below));
                }
            }
        }
        if let Some(variant) = &layer.variant {
            let unknown_track = |kind, text: &str| {
                if kind == ReferenceKind::Track {
                    game.unknown_name(kind, text)
                } else {
                    unknown(kind, text)
                }
            };
            let mut reader = YamlReader::for_file(&variant.file);
            reader.check_names(&variant.root, FieldType::Object(&VARIANT), &unknown_track);
            complaints.0.append(&mut reader.complaints.0);
            let lists = [
                ("after", &variant.after),
                ("needs", &variant.needs),
                ("excludes", &variant.excludes),
            ];
            for (key, _) in lists
                .into_iter()
                .filter(|(_, names)| names.contains(&variant.name))
            {
                let message = format!("{} names itself under `{key}:`", variant.name);
                let complaint = Complaint::new(
                    DiagnosticCode::Order,
                    variant.place_of(key, &variant.name),
                    message,
                );
                complaints.push(
                    complaint.with_help("take it out: a variant comes in no order with itself"),
                );
            }
        }
        cases.extend(layer.cases.iter().cloned());
    }
    let variants = library
        .variants
        .values()
        .filter(|variant| variant.game == game.name)
        .map(|variant| &variant.file);
    variants
        .chain(library.manifest(&game.name))
        .filter(|file| is_checked(file))
        .for_each(|file| check_styles(file, &cases, complaints));
    let is_carried_out = |name: &str| {
        let function = function_name(name);
        cases
            .iter()
            .flat_map(|case| &case.functions)
            .any(|f| !f.private && f.name == function && f.arity() == 1)
    };
    let with_variants = library.with_additions(printed, variant_names.iter().copied());
    for (name, _) in &with_variants.as_ref().unwrap_or(printed).procedures {
        if !is_function_name(&function_name(name)) {
            let message = format!(
                "no case can carry out `{name}`: `{}` can't be the name of a function",
                function_name(name)
            );
            let help = "rename it, in letters, figures and spaces, and with no word of the language: `throw dice`, say, instead of `throw`";
            complaints.push(name_complaint(
                manifest_place(library, game, name),
                message,
                help,
            ));
            continue;
        }
        if !is_carried_out(name) {
            let (message, help) = (
                format!("no case carries out `{name}`"),
                format!("write a case with `fn {}(given)`", function_name(name)),
            );
            complaints.push(name_complaint(
                manifest_place(library, game, name),
                message,
                help,
            ));
        }
    }
}

fn name_complaint(place: Place, message: impl Into<Message>, help: impl Into<String>) -> Complaint {
    Complaint::new(DiagnosticCode::UnknownName, place, message).with_help(help)
}

/// Reports what phases and procedures of a variant come after and what neither the game nor the variant has.
fn check_phases(variant: &Variant, below: &Game, complaints: &mut Complaints) {
    let items = variant.root.items_of("sequence");
    for (name, defect) in below.unknown_in_phases(&variant.additions) {
        let mut after = items.iter().filter_map(|item| item.get("after"));
        let after = after.find(|after| after.as_text() == Some(&name));
        let place = variant
            .file
            .place(after.map(|after| after.span).unwrap_or_default());
        complaints.push(defect.at(place));
    }
}

/// Reports unknown names under `start:` of a manifest, and a slider without a range.
fn check_start(library: &Library, game: &Game, layer: &Layer, complaints: &mut Complaints) {
    let (Some(start), Some(file)) = (&game.start, library.manifest(&game.name)) else {
        return;
    };
    let mut reader = YamlReader::for_file(file);
    let root = reader.parse_file();
    let span = |key: &str| {
        let node = root.as_ref().and_then(|root| root.at(&["start", key]));
        node.map(|node| node.span).unwrap_or_default()
    };
    let mut check = |key: &str, kind: &str, name: &str, names: Vec<&str>| {
        if !names.contains(&name) {
            let message = unknown_name(kind, name, names.iter().copied());
            let help = "name a situation of the game, and a figure as `PIECE: ATTRIBUTE`";
            reader.complain(DiagnosticCode::UnknownName, span(key), message, help);
        }
    };
    let (piece, attribute) = FigureName::parse(&start.figure)
        .map_or((start.figure.as_str(), ""), |name| (name.target, name.key));
    let situations = layer.scenarios.keys().map(String::as_str).collect();
    check("situation", "situation", &start.situation, situations);
    if let Some(scenario) =
        library.scenario(layer, &start.situation, game, &mut Complaints::default())
    {
        let pieces = scenario.pieces.iter().map(|entry| entry.name.as_str());
        check("figure", "piece of the situation", piece, pieces.collect());
    }
    let attributes = game.attributes.iter().map(|(name, _)| name.as_str());
    check("figure", "attribute", attribute, attributes.collect());
    if start.from >= start.to {
        let message = format!("the slider goes from {} to {}", start.from, start.to);
        let help = "write a `to:` that is more than `from:`";
        reader.complain(DiagnosticCode::Number, span("to"), message, help);
    }
    complaints.0.append(&mut reader.complaints.0);
}

/// Checks that some case of the game or of its variants asks the questions that the styles of a manifest answer.
fn check_styles(manifest: &DataFile, cases: &[Arc<Case>], complaints: &mut Complaints) {
    let mut reader = YamlReader::for_file(manifest);
    let root = reader.parse_file();
    let styles = root
        .as_ref()
        .map_or(&[][..], |root| root.entries_of("styles"));
    if styles.is_empty() {
        return;
    }
    let asked = AskedQuestions::of_cases(cases);
    for (name, style) in styles {
        let text = name.as_text().unwrap_or_default();
        if NAMES.contains(&text) {
            let message = format!("`{text}` is the name of a policy of every game already");
            reader.complain(
                DiagnosticCode::KeyTwice,
                name.span,
                message,
                "give the style another name",
            );
        }
        let owner = format!("the style `{text}`");
        if let Some(answers) = style.get("answers") {
            asked.check_answers(answers, &owner, &mut reader);
        }
        let policy_names = || {
            let own = styles.iter().filter_map(|(name, _)| name.as_text());
            // Best and worst play would need a count of each game.
            let is_played =
                |name: &&str| PolicyKind::from_name(name).is_some_and(|kind| !kind.is_explored());
            own.chain(NAMES.iter().copied().filter(is_played))
        };
        let plays_on = style.get("plays_on").into_iter();
        for policy in plays_on.flat_map(|plays_on| plays_on.items_of("policies")) {
            let name = policy.text_or_empty();
            if !policy_names().any(|policy_names| policy_names == name) {
                let message = did_you_mean(
                    format!("no policy is called `{name}`"),
                    name,
                    policy_names(),
                );
                let help = "name a style of the game, or first, last, highest, lowest or random";
                reader.complain(DiagnosticCode::UnknownName, policy.span, message, help);
            }
        }
    }
    complaints.0.extend(reader.complaints.0);
}

fn manifest_place(library: &Library, game: &Game, procedure: &str) -> Place {
    let declaring = library.variants.values().find(|v| {
        v.game == game.name
            && v.additions
                .procedures
                .iter()
                .any(|(name, _)| name == procedure)
    });
    let Some(file) = declaring
        .map(|variant| &variant.file)
        .or(library.manifest(&game.name))
    else {
        return Place::whole_file(&manifest_key(&game.name));
    };
    let root = YamlReader::for_file(file).parse_file();
    let mut entries = root.iter().flat_map(|root| root.entries_of("procedures"));
    let key = entries.find(|(key, _)| key.as_text() == Some(procedure));
    key.map_or(Place::whole_file(&file.path), |(key, _)| {
        file.place(key.span)
    })
}

/// Returns why a variant does not belong to a game; `None` if it does, even if its manifest has errors.
fn unknown_variant(library: &Library, game: &Game, name: &str) -> Option<Defect> {
    let is_of_game = match library.variants.get(name) {
        Some(variant) => variant.game == game.name || !library.games.contains_key(&variant.game),
        None => library
            .files
            .by_key
            .contains_key(&format!("variants/{name}/variant.yaml")),
    };
    let noun = || format!("variant of {}", game.name);
    (!is_of_game).then(|| {
        Defect::unknown_name(
            unknown_name(&noun(), name, library.variants_of(&game.name)),
            ReferenceKind::Variant.remedy(),
        )
    })
}

/// Returns why an option does not belong to a layer.
fn unknown_option(layer: &Layer, option: &str) -> Option<Defect> {
    let Some(variant) = &layer.variant else {
        let message = format!("{} is the printed game, which has no options", layer.name);
        return Some(Defect::unknown_name(
            message,
            "options are parts of a variant",
        ));
    };
    let options = || variant.options.iter().map(|part| part.name.as_str());
    let message = || {
        did_you_mean(
            format!("{} has no option `{option}`", layer.name),
            option,
            options(),
        )
    };
    (!options().any(|name| name == option))
        .then(|| Defect::unknown_name(message(), ReferenceKind::Switch.remedy()))
}

/// Returns why the id of an example is no statement of a source; `None` unless the manifest lists the ids of that source.
fn unknown_statement(game: &Game, text: &str) -> Option<Defect> {
    let fault = |message: Message| Defect::unknown_name(message, ReferenceKind::Statement.remedy());
    let id = text.split_whitespace().next()?;
    let (prefix, number) = id.rsplit_once('-')?;
    let number: u32 = number.parse().ok()?;
    if text.ends_with(" ours") || game.statement_ids.is_empty() {
        return None;
    }
    let statement_ids: Vec<&StatementIds> = game
        .statement_ids
        .iter()
        .filter(|ids| ids.prefix == prefix)
        .collect();
    let Some(first) = statement_ids.first() else {
        let suggestions = nearest_names(
            prefix,
            game.statement_ids.iter().map(|ids| ids.prefix.as_str()),
        );
        let message = format!("no source has statements `{prefix}`");
        return (!suggestions.is_empty())
            .then(|| fault(Message::with_suggestions(message, suggestions)));
    };
    let is_in_range = statement_ids
        .iter()
        .any(|ids| (ids.numbers.0..=ids.numbers.1).contains(&number));
    let (lowest, highest) = first.numbers;
    let message = || {
        format!(
            "{} has no statement {id}: its ids go from {lowest} to {highest}",
            first.doc
        )
    };
    (!is_in_range).then(|| fault(message().into()))
}

fn check_example_ids(case: &Case, game: &Game, complaints: &mut Complaints) {
    for function in case
        .functions
        .iter()
        .filter(|function| function.is_example())
    {
        if let Some((id, defect)) = function
            .doc_lines()
            .first()
            .and_then(|id| Some((id, unknown_statement(game, id)?)))
        {
            let place = doc_line_place(
                case,
                function,
                id.split_whitespace().next().unwrap_or_default(),
            );
            complaints.push(defect.at(place).with_context(case.context()));
        }
    }
}

/// Returns what is wrong with a procedure of a card. Subprocedures may have any name, except one that is a single edit away from a procedure of
/// the game.
fn misspelt_procedure(case: &Case, game: &Game, name: &str) -> Option<Defect> {
    let mut procedures = game.procedures.iter();
    let is_misspelt = procedures.any(|(procedure, _)| edit_distance(name, procedure) == 1)
        && !case.functions.iter().any(|f| f.name == function_name(name));
    is_misspelt.then(|| game.unknown_name(ReferenceKind::Procedure, name))?
}

fn check_examples(
    root: &YamlNode,
    file: &DataFile,
    layer: &Layer,
    unknown: NameCheck,
    complaints: &mut Complaints,
) {
    let mut reader = YamlReader::for_file(file);
    reader.context = format!("example in {} of {}", file.stem(), layer.name);
    for item in root.items_of("examples") {
        reader.check(item, &EXAMPLE);
        reader.check_names(item, FieldType::Object(&EXAMPLE), unknown);
    }
    complaints.0.append(&mut reader.complaints.0);
}

/// The check `status` for a list of pieces: a figure without a status would pass for printed.
fn missing_status(root: &YamlNode, scenario: &Scenario, game: &Game) -> Option<Complaint> {
    if root.get("status").is_some() {
        return None;
    }
    let figure = |key: &str| {
        key == "value"
            || matches!(
                game.index_of_attribute(key)
                    .map(|index| &game.attributes[index].1),
                Some(AttributeType::Number(..))
            )
    };
    let stated = |piece: &YamlNode, key: &str| {
        let lists = Status::NAMES.iter().filter_map(|(word, _)| piece.get(word));
        lists
            .flat_map(YamlNode::items)
            .any(|item| item.as_text() == Some(key))
    };
    let lacks_status = |piece: &&YamlNode| {
        let mut keys = piece.entries().iter().filter_map(|(key, _)| key.as_text());
        piece.get("status").is_none() && keys.any(|key| figure(key) && !stated(piece, key))
    };
    let lacking: Vec<&YamlNode> = root
        .items_of("pieces")
        .iter()
        .filter(lacks_status)
        .collect();
    let first = lacking.first()?;
    let name = first.text_of("name");
    let ending = if lacking.len() == 1 {
        " does".to_string()
    } else {
        format!(" and {} more do", lacking.len() - 1)
    };
    let message =
        format!("{name}{ending} not say how the figures are known: they would pass for printed");
    let help = "write `status:` at the head of the file, or of a piece: printed, derived, or reconstructed with a `method:`";
    let place = scenario.file.place(first.span);
    let context = format!("{} of {}", scenario.name, scenario.layer);
    Some(
        Complaint::new(DiagnosticCode::Status, place, message)
            .with_context(context)
            .with_help(help),
    )
}

/// The check `status` for a chart.
fn missing_chart_status(table: &TableFile) -> Option<Complaint> {
    let bare = table.is_full_table() && table.root.get("status").is_none();
    let (key, _) = table.root.entry("cells").filter(|_| bare)?;
    let message = format!(
        "table {} does not say how its figures are known: they would pass for printed",
        table.id
    );
    let help = "write `status:` at the head of the file: printed, derived, reconstructed with a `method:`, or missing";
    Some(
        Complaint::new(DiagnosticCode::Status, table.file.place(key.span), message).with_help(help),
    )
}

/// Returns the situations, rosters and deployments of the game and of its other variants, which a layer may amend.
fn scenarios_below<'a>(library: &'a Library, game: &Game, layer: &Layer) -> Vec<&'a str> {
    let variants = library.variants_of(&game.name);
    let below = |key: &str| match key.split('/').collect::<Vec<_>>()[..] {
        ["scenarios", name, _] => name == game.name && layer.variant.is_some(),
        ["variants", name, "scenarios", _] => *name != *layer.name && variants.contains(&name),
        _ => false,
    };
    library
        .files
        .by_key
        .values()
        .filter(|file| below(&file.key))
        .map(DataFile::stem)
        .collect()
}

/// The check `kind` for situations, rosters and deployments: the target of an amendment must exist.
fn missing_target(scenario: &Scenario, below: &[&str]) -> Complaint {
    let (kind, name) = (scenario.list_kind.as_str(), &scenario.name);
    let message = format!("this file amends the {kind} {name}, which the layers below do not have");
    let message = did_you_mean(message, name, below.iter().copied());
    let place = scenario.file.place(scenario.root.span_of(kind, name));
    let context = format!("{name}, {} of {}", scenario.kind.as_str(), scenario.layer);
    let help = "correct the name, or write the whole list with its pieces";
    Complaint::new(DiagnosticCode::Kind, place, message)
        .with_context(context)
        .with_help(help)
}

/// Returns whether a key is that of a situation or roster of a game with this name.
fn is_scenario_of(key: &str, name: &str, library: &Library, game: &str) -> bool {
    let path = key
        .strip_suffix(".yaml")
        .and_then(|path| path.strip_suffix(name))
        .and_then(|path| path.strip_suffix('/'));
    path.is_some_and(|path| path.starts_with("scenarios/") || path.ends_with("/scenarios"))
        && library.game_of(key) == Some(game)
}

/// Checks ruling tests: the situation, the ruleset and the procedure exist, and no two tests of a layer and a
/// situation share a name (`seen` has those so far).
pub fn check_tests(
    test_file: &RulingTestFile,
    game: &Game,
    library: &Library,
    seen: &mut BTreeSet<(Option<String>, String, String)>,
    complaints: &mut Complaints,
) {
    let with_variants = library.with_additions(game, library.variants_of(&game.name).into_iter());
    let game = with_variants.as_ref().unwrap_or(game);
    let situations = library.scenarios(&game.name);
    let unknown_situation = |name: &str, takes_list: bool| {
        let mut keys = library.files.by_key.keys();
        let is_known = situations.iter().any(|(situation, _)| situation == name)
            || takes_list && keys.any(|key| is_scenario_of(key, name, library, &game.name));
        let message = || {
            let names = situations.iter().map(|(name, _)| name.as_str());
            unknown_name("situation", name, names)
        };
        (!is_known).then(|| Defect::unknown_name(message(), ReferenceKind::Situation.remedy()))
    };
    for ruling_test in &test_file.tests {
        let unknown = |kind: ReferenceKind, text: &str| match kind {
            ReferenceKind::Statement => unknown_statement(game, text),
            ReferenceKind::Variant => unknown_variant(library, game, text),
            // A test that names its procedure and pieces needs a map only: a roster will do.
            ReferenceKind::Situation => unknown_situation(text, ruling_test.procedure.is_some()),
            ReferenceKind::Procedure if !game.procedures.is_empty() => {
                game.unknown_name(kind, text)
            }
            _ => None,
        };
        let mut reader = YamlReader::for_file(&test_file.file);
        reader.context = format!("test `{}`", ruling_test.name);
        reader.check_names(&ruling_test.node, FieldType::Object(&TEST), &unknown);
        complaints.0.append(&mut reader.complaints.0);
        let in_variants = test_file.file.path.strip_prefix("variants/");
        let variant = in_variants.and_then(|path| path.split('/').next());
        if !seen.insert((
            variant.map(String::from),
            ruling_test.name.clone(),
            ruling_test.situation.0.clone(),
        )) {
            let message = "two tests have this name and situation";
            complaints.push(
                ruling_test
                    .complaint(DiagnosticCode::Test, ruling_test.span, message)
                    .with_help("remove one of them, or give it another name"),
            );
        }
    }
}
