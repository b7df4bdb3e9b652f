//! `casebook new situation`: creates a situation of a game or a variant, from a template for a procedure or as a copy.

use crate::author::piece_rows::read_pieces;
use crate::author::scaffold::{Destination, NewFiles, check_plain_name, write_files};
use casebook_engine::complaint::{Error, Remedy};
use casebook_engine::data::case::CaseKind;
use casebook_engine::data::library::Library;
use casebook_engine::data::manifest::{AttributeType, Game, Track};
use casebook_engine::data::piece::{Datum, PieceEntry};
use casebook_engine::data::sheet::SheetField;
use casebook_engine::data::yaml::YamlReader;
use casebook_engine::data::yaml_edit::{self, YamlStep};
use casebook_engine::data::yaml_writer::{write_figure, write_key, write_scalar};
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruleset::diagnostics;
use std::fmt::Write;
use std::path::PathBuf;

/// Creates a situation from a template; its arguments come from the manifest and from the variant. Of a variant, under the name of a situation
/// that there is, it is a file that changes that one.
pub fn new_situation(
    home: Destination,
    name: &str,
    procedure: Option<&str>,
    rows: Option<&str>,
) -> Result<Vec<PathBuf>, Error> {
    let Destination {
        library,
        root,
        game,
        variant,
    } = home;
    check_plain_name(name)?;
    let existing = library.scenarios(game);
    let is_known = existing.iter().any(|(situation, _)| situation == name);
    if let (Some(variant), None, None, true) = (variant, procedure, rows, is_known) {
        return amend_situation(home, name, variant);
    }
    check_name_free(library, game, name)?;
    let (ruleset, mut files) = in_force(home)?;
    let manifest = &ruleset.game;
    let procedure_names = || manifest.procedures.iter().map(|(name, _)| name.as_str());
    let procedure = match procedure {
        Some(requested) if !procedure_names().any(|name| name == requested) => {
            if let Some(owner) = variant_with_procedure(library, game, requested) {
                let message = format!(
                    "`{requested}` is a procedure of the variant {owner}: name this variant, too; nothing was written"
                );
                let remedy = Remedy::NameVariant(owner.to_string());
                return Err(Error::unanswered(message, remedy));
            }
            return Err(Error::unknown("procedure", requested, procedure_names()));
        }
        Some(requested) => requested,
        None => procedure_names().next().unwrap_or_default(),
    };
    let mut text = format!(
        "situation: {0}\ntitle: {0}\n{1}procedure: {2}\n",
        write_scalar(name),
        kind_of(variant),
        write_scalar(procedure)
    );
    let tracks: Vec<String> = manifest
        .tracks
        .iter()
        .map(|(name, track)| format!("{}: {}", write_key(name), track_start(track)))
        .collect();
    let _ = writeln!(text, "tracks: {{ {} }}", tracks.join(", "));
    let _ = writeln!(
        text,
        "map:\n  places: {{}}      # what is known of places: {}",
        describe_attributes(&manifest.places.attributes)
    );
    if !manifest.places.is_hex_grid {
        text.push_str("  sides: {}       # the places that touch: A/B: {}\n");
    }
    let _ = writeln!(
        text,
        "pieces:           # with name, kind, side, at: {}",
        describe_attributes(&manifest.attributes)
    );
    let kind = manifest.kinds.keys().next().map(|kind| write_scalar(kind));
    for side in &manifest.sides {
        let _ = writeln!(
            text,
            "  - {{ name: {}, kind: {}, side: {}, at: {} }}",
            write_scalar(&format!("{side} one")),
            kind.as_deref().unwrap_or_default(),
            write_scalar(side),
            any_place(manifest)
        );
    }
    let fields = ruleset.given(procedure);
    let _ = match (
        fields.is_empty(),
        fields.values().all(|field| field.optional),
    ) {
        (true, _) => writeln!(text, "given: {{}}         # {procedure} takes nothing"),
        // All keys may be left out: they follow as comments.
        (false, true) => writeln!(text, "given: {{}}"),
        (false, false) => writeln!(text, "given:"),
    };
    // One of two names that stand for each other is enough.
    let is_alternative = |name: &str| {
        fields
            .values()
            .any(|field| field.alternative.as_deref() == Some(name))
    };
    for (name, field) in &fields {
        let off = if field.optional || is_alternative(name) {
            "# "
        } else {
            ""
        };
        let line = format!(
            "  {off}{}: {}",
            write_key(name),
            sample_value(field, manifest)
        );
        let _ = writeln!(
            text,
            "{line:<32} # {}{}",
            field.title,
            if off.is_empty() {
                ""
            } else {
                " May be left out."
            }
        );
    }
    let text = with_pieces(text, rows, manifest)?;
    files.push((home.folder("scenarios").join(format!("{name}.yaml")), text));
    write_files(library, root, files)
}

/// Returns the text of a situation with the pieces of rows in place of its own.
fn with_pieces(text: String, rows: Option<&str>, game: &Game) -> Result<String, Error> {
    let Some(rows) = rows else {
        return Ok(text);
    };
    let items = read_pieces(rows, game)?.into_iter();
    let list: String = items.map(|item| format!("\n- {item}")).collect();
    yaml_edit::set(&text, &[YamlStep::Key("pieces")], &list).map_err(Error::Usage)
}

/// Creates the file with which a variant changes a situation: as yet it changes nothing, and shows what changes look like.
fn amend_situation(home: Destination, name: &str, variant: &str) -> Result<Vec<PathBuf>, Error> {
    let path = home.folder("scenarios").join(format!("{name}.yaml"));
    let key = format!("variants/{variant}/scenarios/{name}.yaml");
    if home.library.files.by_key.contains_key(&key) {
        return Err(Error::Usage(format!(
            "{variant} changes or has `{name}` already: {}; nothing was written",
            path.display()
        )));
    }
    let (ruleset, mut files) = in_force(home)?;
    let scenario = ruleset.scenario(name)?;
    let mut text = format!(
        "situation: {}\ntitle: {}\nkind: {}\nchanges: []\n",
        write_scalar(name),
        write_scalar(&format!("{}, as {variant} has it", scenario.title)),
        CaseKind::Correction.as_str()
    );
    text.push_str("# What is changed says what it was, so that a correction below is noticed. Beside `changes:` every key of a situation\n# may stand here: `title: { was: ..., now: ... }`. In place of the brackets above:\n");
    let figure = |value: &Datum| match value {
        Datum::Number(number) => Some(number.to_string()),
        Datum::Word(word) => Some(write_figure(word)),
        _ => None,
    };
    let at_of = |piece: &PieceEntry| figure(piece.attributes.get("at")?);
    let placed = scenario
        .pieces
        .iter()
        .find_map(|piece| Some((piece, at_of(piece)?)));
    if let Some((piece, at)) = placed {
        let piece = write_scalar(&piece.name);
        let _ = write!(
            text,
            "#   - {{ piece: {piece}, at: {{ was: {at}, now: ... }} }}\n#   - {{ piece: {piece}, was: present, now: absent }}\n#   - {{ piece: another, was: absent, now: {{ kind: ..., at: {at} }} }}\n"
        );
    }
    let mut tracks = scenario.tracks.iter();
    if let Some((track, value)) = tracks.find_map(|(name, value)| Some((name, figure(value)?))) {
        let track = write_key(track);
        let _ = writeln!(
            text,
            "# tracks: {{ {track}: {{ was: {value}, now: ... }} }}"
        );
    }
    files.push((path, text));
    write_files(home.library, home.root, files)
}

/// Returns the ruleset for a new situation, and the manifest of a variant that does not exist yet.
fn in_force(home: Destination) -> Result<(Ruleset, NewFiles), Error> {
    match home
        .variant
        .filter(|name| !home.library.variants.contains_key(*name))
    {
        Some(_) => home.ruleset(),
        None => {
            let spec = RulesetSpec::new(home.game, home.variant.as_slice());
            Ok((
                diagnostics::build_ruleset(home.library, &spec)?.0,
                NewFiles::new(),
            ))
        }
    }
}

/// Returns whether a game has a procedure, with its variants or without.
pub fn has_procedure(library: &Library, game: &Game, procedure: &str) -> bool {
    game.procedures.iter().any(|(name, _)| name == procedure)
        || variant_with_procedure(library, &game.name, procedure).is_some()
}

/// Returns the variant that adds a procedure to a game.
fn variant_with_procedure<'l>(
    library: &'l Library,
    game: &str,
    procedure: &str,
) -> Option<&'l str> {
    let adds = |name: &&str| {
        library.variants[*name]
            .additions
            .procedures
            .iter()
            .any(|(added, _)| added == procedure)
    };
    library.variants_of(game).into_iter().find(adds)
}

/// Returns the `kind` line of a variant's situation, which says that it amends none of the game.
fn kind_of(variant: Option<&str>) -> &'static str {
    if variant.is_some() {
        "kind: new case\n"
    } else {
        ""
    }
}

/// Returns the initial value of a track.
fn track_start(track: &Track) -> String {
    match track {
        Track::Turns { first, .. } => write_scalar(&first.to_string()),
        Track::Names(names) => write_scalar(names.first().map_or("", String::as_str)),
        Track::Numbers { from, .. } => from.to_string(),
    }
}

/// Formats the declared attributes as one line.
fn describe_attributes(attributes: &[(String, AttributeType)]) -> String {
    if attributes.is_empty() {
        "nothing".into()
    } else {
        attributes
            .iter()
            .map(|(name, _)| name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// Returns some place of a game, as an example value.
fn any_place(game: &Game) -> String {
    match (
        game.places.is_hex_grid,
        game.places.sheet_bounds.keys().next(),
    ) {
        (true, Some(sheet)) if !sheet.is_empty() => format!("{sheet}0101"),
        (true, _) => "\"0101\"".into(),
        (false, _) => "Here".into(),
    }
}

/// Returns a value of the kind that a procedure is given under a name, as an example.
fn sample_value(field: &SheetField, game: &Game) -> String {
    let holds = &field.constraint;
    let first = |list: &[String]| {
        list.first()
            .map(|word| write_scalar(word))
            .unwrap_or_default()
    };
    let value = match holds.references.first().map(String::as_str) {
        _ if field.same_as.is_some() => "{}".into(),
        _ if !field.parts.is_empty() => {
            let parts: Vec<String> = field
                .parts
                .iter()
                .map(|(name, part)| format!("{}: {}", write_key(name), sample_value(part, game)))
                .collect();
            format!("{{ {} }}", parts.join(", "))
        }
        Some("piece") => write_scalar(&format!(
            "{} one",
            game.sides.first().map(String::as_str).unwrap_or_default()
        )),
        Some("place") => any_place(game),
        Some(kind) => first(
            &game
                .names_of_kind(kind)
                .into_iter()
                .map(String::from)
                .collect::<Vec<_>>(),
        ),
        None => holds
            .bands
            .first()
            .map_or_else(|| first(&holds.words), |band| band.low.to_string()),
    };
    if field.is_list {
        format!("[{value}]")
    } else if value.is_empty() {
        "\"\"".into()
    } else {
        value
    }
}

fn check_name_free(library: &Library, game: &str, name: &str) -> Result<(), Error> {
    match library
        .scenarios(game)
        .iter()
        .any(|(situation, _)| situation == name)
    {
        true => Err(Error::Usage(format!(
            "a situation named `{name}` already exists; nothing was written"
        ))),
        false => Ok(()),
    }
}

/// Creates a situation as a copy of another, with the pieces of rows if there are some; fails if there is none of that name.
pub fn copy_situation(
    home: Destination,
    name: &str,
    like: &str,
    rows: Option<&str>,
) -> Result<Vec<PathBuf>, Error> {
    let Destination {
        library,
        root,
        game,
        variant,
    } = home;
    check_plain_name(name)?;
    check_name_free(library, game, name)?;
    let names = library.scenarios(game);
    let situation_variant = names
        .iter()
        .find(|(situation, _)| situation == like)
        .and_then(|(_, variant)| variant.clone());
    let (_, mut files) = in_force(home)?;
    let variants = situation_variant.into_iter().chain(
        variant
            .filter(|name| library.variants.contains_key(*name))
            .map(String::from),
    );
    let (ruleset, _) =
        diagnostics::build_ruleset(library, &RulesetSpec::with_variants(game, variants))?;
    let model = ruleset.scenario(like)?;
    let text = copied_text(&model.file.text, name, variant).map_err(Error::Usage)?;
    let text = with_pieces(text, rows, &ruleset.game)?;
    files.push((home.folder("scenarios").join(format!("{name}.yaml")), text));
    write_files(library, root, files)
}

/// Returns the text of a situation under another name, in a variant if one is named; examples of the original don't apply to it.
pub fn copied_text(text: &str, name: &str, variant: Option<&str>) -> Result<String, String> {
    let root = YamlReader::new("", text).parse(text);
    let has = |key: &str| root.as_ref().is_some_and(|root| root.get(key).is_some());
    let mut text = yaml_edit::set(text, &[YamlStep::Key("situation")], &write_scalar(name))?;
    if has("examples") {
        text = yaml_edit::remove(&text, &[YamlStep::Key("examples")])?;
    }
    if variant.is_some() && !has("kind") {
        let kind = CaseKind::NewCase.as_str();
        text = yaml_edit::set(&text, &[YamlStep::Key("kind")], kind)?;
    }
    Ok(text)
}
