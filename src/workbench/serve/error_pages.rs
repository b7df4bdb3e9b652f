//! Error pages: what is wrong with a request, with links to continue.

use crate::serve::book::Rulebook;
use crate::serve::layout::{
    LinkTarget, PageFrame, PageQuery, WorkbenchSection, escape, layer_colour, render_error,
    render_error_with, render_faulty_variants, render_page, render_with_commas, situation_address,
};
use crate::serve::page_request::{PageRequest, REMOVED};
use crate::serve::workbench::{DataSnapshot, Workbench};
use casebook_engine::complaint::Error;
use casebook_engine::data::case::Case;
use casebook_engine::data::figure_name::FigureName;
use casebook_engine::data::library::Library;
use casebook_engine::situation::initial_board::CARRIER_COLUMN;
use casebook_view::references::References;
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A change to the situation that can't be applied.
pub struct EditError {
    /// Description of the change.
    description: String,
    /// The error it causes.
    error: Error,
}

/// Returns the request with only those changes that can be applied together, and the errors of the others. Fails if the situation can't be
/// built even without changes.
pub fn applicable_changes(
    snapshot: &DataSnapshot,
    request: &PageRequest,
) -> Result<(PageRequest, Vec<EditError>), Error> {
    let mut applicable = PageRequest {
        pieces: BTreeMap::new(),
        set: BTreeMap::new(),
        ..request.clone()
    };
    let plain = snapshot.situation(&mut applicable)?;
    // Removing a carrier removes the pieces that it carries.
    let carrier = |name: &str| {
        let piece = plain
            .initial_board
            .names
            .iter()
            .position(|piece| piece.as_str() == name)?;
        plain.initial_board.columns[CARRIER_COLUMN][piece]
            .as_text()
            .map(|on| on.to_string())
            .filter(|on| request.pieces.get(on).is_some_and(|kind| kind == REMOVED))
    };
    let mut groups: BTreeMap<(u8, String), PageRequest> = BTreeMap::new();
    for (name, kind) in &request.pieces {
        let outermost = std::iter::successors(Some(name.clone()), |name| carrier(name))
            .take(99)
            .last()
            .unwrap_or_default();
        let key = if kind == REMOVED {
            (2, outermost)
        } else {
            (0, name.clone())
        };
        groups
            .entry(key)
            .or_default()
            .pieces
            .insert(name.clone(), kind.clone());
    }
    for (name, value) in &request.set {
        let piece = FigureName::parse(name).map_or("", |name| name.target);
        let new = request
            .pieces
            .get(piece)
            .is_some_and(|kind| kind != REMOVED);
        let key = if new {
            (0, piece.to_string())
        } else {
            (1, name.clone())
        };
        groups
            .entry(key)
            .or_default()
            .set
            .insert(name.clone(), value.clone());
    }
    let mut wrong = Vec::new();
    for ((change, name), group) in groups {
        let mut tried = applicable.clone();
        tried.pieces.extend(group.pieces);
        tried.set.extend(group.set);
        match snapshot.situation(&mut tried) {
            Ok(_) => applicable = tried,
            Err(error) => {
                let description = match change {
                    0 => format!("{name} can't be put in"),
                    1 => format!(
                        "{name} can't be “{}”",
                        request.set.get(&name).map_or("", String::as_str)
                    ),
                    _ => format!("{name} can't be taken out: the situation needs it"),
                };
                wrong.push(EditError { description, error });
            }
        }
    }
    Ok((applicable, wrong))
}

/// Renders the changes that could not be applied, above the form.
pub fn render_edit_errors(wrong: &[EditError], applicable: &PageRequest) -> Markup {
    html! {
        div.undone data-undone {
            @for one in wrong { (render_error_with(&one.description, &one.error, false)) }
            p { @if wrong.len() == 1 { "This change was not made" } @else { "These changes were not made" } "; everything else is as it was. " a.button href=(situation_address(applicable, "")) { "Undo it" } }
        }
    }
}

/// Renders the page of an error.
pub fn not_found_page(bench: &Workbench, page_query: &PageQuery, error: &Error) -> Markup {
    let snapshot = bench.snapshot();
    let path: Vec<&str> = page_query.path.iter().map(String::as_str).collect();
    let game = match (path.first(), path.get(1)) {
        (Some(&("book" | "at")), Some(game)) => game.to_string(),
        _ => page_query.parameter("game"),
    };
    let not_in_force = |name: &str| {
        snapshot
            .as_ref()
            .is_ok_and(|snapshot| is_known_elsewhere(&snapshot.library, &game, name))
    };
    let title = match (error, &path[..]) {
        (Error::Unknown { .. }, ["book", _, "case", name]) if not_in_force(name) => {
            "Not in force here"
        }
        (Error::Unknown { .. }, _) => "There is no such page",
        _ => "That can't be shown",
    };
    if let Ok(snapshot) = &snapshot
        && let Ok(found_game) = snapshot.library.game(&game)
    {
        let request = PageRequest::parse(&game, "", page_query.query)
            .unwrap_or_else(|_| PageRequest::of_game(&game));
        if path[0] == "book"
            && let Ok(program) = snapshot.rulebook_program(&request)
        {
            let links = LinkTarget::for_request(&request);
            let default = snapshot.rulebook_default(&request).variants;
            let book = Rulebook {
                ruleset: &program.ruleset,
                links: &links,
                default_variants: &default,
                rules_of: None,
            };
            let kind = path.get(2).copied().unwrap_or("chapter");
            let text = html! {
                (render_faulty_variants(&snapshot.faulty_variants(&request, snapshot.all_variants(&game)), &game))
                h1 { (title) }
                (render_suggestions(error, &links, kind))
                (render_other_variants(&snapshot.library, &request, &program.ruleset.spec.variants, &path))
                (render_governing_cases(&book, &request, &path))
                p { a href=(links.contents_address()) { "To the contents" } }
            };
            let body = html! { div.book { (book.render_sidebar(None)) div.text { (text) } } };
            return render_page(
                &PageFrame {
                    title,
                    section: WorkbenchSection::Book,
                    game: Some(found_game),
                    links: &links,
                },
                body,
            );
        }
        let links = LinkTarget::of_game(&game);
        let plain = path
            .iter()
            .map(|part| escape(part))
            .collect::<Vec<_>>()
            .join("/");
        let body = html! {
            h1 { (title) }
            (render_error(error))
            @if path[0] == "at" && !page_query.query.is_empty() { p { a href={ "/" (plain) } { "Without what was changed" } } }
            p { a href={ "/at/" (escape(&game)) } { "All situations" } }
        };
        return render_page(
            &PageFrame {
                title,
                section: WorkbenchSection::Situations,
                game: Some(found_game),
                links: &links,
            },
            body,
        );
    }
    let links = LinkTarget::of_game("");
    let body = html! { h1 { (title) } (render_error(error)) p { a href="/" { "To the games" } } };
    render_page(
        &PageFrame {
            title,
            section: WorkbenchSection::Home,
            game: None,
            links: &links,
        },
        body,
    )
}

/// Returns whether some variant of a game has a case.
fn is_known_elsewhere(library: &Library, game: &str, number: &str) -> bool {
    let Ok(known_game) = library.game(game) else {
        return false;
    };
    let has = |variant: &str| {
        library
            .layer(known_game, Some(variant), &mut Default::default())
            .cases
            .iter()
            .any(|case| case.number == number)
    };
    library.variants_of(game).into_iter().any(has)
}

/// Renders links to similar names for an unknown one.
fn render_suggestions(error: &Error, links: &LinkTarget, kind: &str) -> Markup {
    let Error::Unknown {
        kind: thing,
        name,
        suggestions: similar_names,
    } = error
    else {
        return render_error(error);
    };
    html! {
        p role="alert" { "There is no " (thing) " called " code { (name) } "." }
        @if !similar_names.is_empty() {
            p { "There is " (render_with_commas(similar_names.iter().map(|name| html! { a href=(links.page_address(kind, name)) { (name) } }))) "." }
        }
    }
}

/// Renders the cases that govern in place of one that is not in force: those that answer the same functions, or the case it stands under.
fn render_governing_cases(book: &Rulebook, request: &PageRequest, path: &[&str]) -> Markup {
    let ["book", _, "case", number] = path[..] else {
        return html! {};
    };
    let (library, ruleset) = (&book.ruleset.library, book.ruleset);
    let Ok(game) = library.game(&request.game) else {
        return html! {};
    };
    let mut names: Vec<String> = Vec::new();
    for variant in library.variants_of(&request.game) {
        let layer = library.layer(game, Some(variant), &mut Default::default());
        let functions = layer
            .cases
            .iter()
            .filter(|case| case.number == number)
            .flat_map(|case| case.public_functions());
        names.extend(functions.map(|function| function.name.clone()));
    }
    let answers = |case: &&Arc<Case>| {
        case.functions
            .iter()
            .any(|function| !function.private && names.contains(&function.name))
    };
    let mut governing: Vec<&str> = ruleset
        .cases
        .iter()
        .filter(answers)
        .map(|case| case.number.as_str())
        .collect();
    // A case such as 8.16 stands under 8.1, and this under 8.0.
    let chapter = number.split('.').next().unwrap_or_default();
    let above = (1..number.len())
        .rev()
        .filter_map(|end| number.get(..end))
        .map(String::from)
        .chain([format!("{chapter}.0")]);
    let is_case =
        |name: &String| name.contains('.') && ruleset.cases.iter().any(|case| case.number == *name);
    if governing.is_empty()
        && let Some(name) = above.into_iter().find(is_case)
    {
        governing.extend(
            ruleset
                .cases
                .iter()
                .map(|case| case.number.as_str())
                .find(|number| *number == name),
        );
    }
    governing.sort();
    governing.dedup();
    let callers = References::new(ruleset);
    html! {
        @if !governing.is_empty() {
            p { "Without it " @if governing.len() == 1 { "this case governs" } @else { "these cases govern" } " instead:" }
            @for number in governing.iter().take(4) { (book.render_case(number, &callers, false)) }
        }
    }
}

/// Renders the variants that contain a case or table but are not in force.
fn render_other_variants(
    library: &Library,
    request: &PageRequest,
    with: &[String],
    path: &[&str],
) -> Markup {
    let ["book", game, kind, name] = path[..] else {
        return html! {};
    };
    let Ok(known_game) = library.game(game) else {
        return html! {};
    };
    let mut ignored = Default::default();
    let mut has = |variant: &str| {
        let layer = library.layer(known_game, Some(variant), &mut ignored);
        match kind {
            "case" => layer.cases.iter().any(|case| case.number == name),
            _ => kind == "table" && layer.tables.contains_key(name),
        }
    };
    let variants: Vec<&str> = library
        .variants_of(game)
        .into_iter()
        .filter(|variant| !with.iter().any(|on| on == variant) && has(variant))
        .collect();
    html! {
        @for variant in variants {
            @let more = PageRequest { with: Some(with.iter().cloned().chain([variant.to_string()]).collect()), ..request.clone() };
            p {
                "It is in " span class={ (layer_colour(library, game, variant)) " chip" } { (variant) } ", which is not in force here. "
                a.button href=(LinkTarget::for_request(&more).page_address(kind, name)) { "Put it in force" }
            }
        }
    }
}
