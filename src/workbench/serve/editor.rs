//! The user's variants: their files, and an editor that validates, runs examples and compares odds.

use crate::serve::api_answers::FaultyFile;
use crate::serve::chart::render_comparison;
use crate::serve::layout::{
    LinkTarget, PageFrame, PageQuery, WorkbenchSection, escape, layer_colour, render_page,
};
use crate::serve::page_request::PageRequest;
use crate::serve::queries::{self, count_limits};
use crate::serve::situations::is_situation;
use crate::serve::variant_files::{render_variant_forms, user_files};
use crate::serve::workbench::{DataSnapshot, Workbench};
use casebook_analysis::odds::query::OddsResult;
use casebook_checks::author::accepted;
use casebook_checks::author::charts::{self, ChartRequest};
use casebook_checks::author::check;
use casebook_checks::author::dry_run;
use casebook_checks::author::pack::Pack;
use casebook_checks::author::scaffold;
use casebook_checks::author::situations;
use casebook_checks::conflicts::report::{ConflictReport, find_conflicts, find_contradictions};
use casebook_checks::testing::check::TestReport;
use casebook_checks::testing::suite;
use casebook_engine::complaint::{Complaint, Complaints, Error, Severity};
use casebook_engine::data::case::test_file_of;
use casebook_engine::data::library::Library;
use casebook_engine::platform::clock::Instant;
use casebook_engine::situation::value_text::join_words;
use casebook_view::block::WrittenFiles;
use casebook_view::conflicts;
use casebook_view::html::render_blocks;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Number of files of a variant up to which its list is open.
const MAX_FILES_SHOWN: usize = 12;
/// Time limit for the odds before and after an edit.
const ODDS_TIME: Duration = Duration::from_secs(4);

fn file_address(key: &str) -> String {
    format!("/edit/file?path={}", escape(key))
}

/// Renders how to get write access, for a user who lacks it.
pub fn render_permission(page_query: &PageQuery) -> Markup {
    html! {
        @if !page_query.may_write {
            p.permission role="note" { "To write here, open the address with the part after " code { "?token=" } " that was printed when the workbench was started." }
        }
    }
}

/// Renders a form that creates files.
fn render_new_form(
    kind: &str,
    title: &str,
    hidden: &[(&str, &str)],
    fields: Markup,
    may: bool,
) -> Markup {
    html! {
        form.new data-new=(kind) {
            @for (name, value) in hidden { input type="hidden" name=(name) value=(value); }
            fieldset disabled[!may] { legend { (title) } (fields) button { "Create" } output {} }
        }
    }
}

/// Renders what authors do with files: those of the user's variants, new ones, and variants that were sent.
pub fn render_author_files(
    bench: &Workbench,
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    game: &str,
    own_variants: &[&str],
) -> Markup {
    let library = &snapshot.library;
    let hidden = [("game", game)];
    let root = bench.root();
    let folder = root.canonicalize().unwrap_or(root).join("variants");
    html! {
        details.authors {
            summary { "For authors: files" }
            p.quiet { "House rules are plain files in " code { (folder.display()) } "." }
            @for name in own_variants {
                section.variant {
                    h3 { span class={ (layer_colour(library, game, name)) " chip" } { (name) } " " (library.variants[*name].title) }
                    @let files = user_files(bench, library, name);
                    details open[files.len() <= MAX_FILES_SHOWN] {
                        summary { "Its files: " (files.len()) }
                        ul.files { @for key in &files { li { a href=(file_address(key)) { (key.trim_start_matches("variants/").trim_start_matches(name).trim_start_matches('/')) } } } }
                    }
                    @let hidden_fields = [hidden[0], ("variant", name)];
                    div.columns {
                        (render_new_form("case", "A new case", &hidden_fields, html! { label { span { "Number or name" } input name="name" required placeholder="8.16"; } }, page_query.may_write))
                        (render_new_form("table", "A table as a file", &hidden_fields, html! { label { span { "Name" } select name="name" { @for id in table_names(snapshot, game) { option { (id) } } } } }, page_query.may_write))
                        (render_new_form("situation", "A scenario of your own", &hidden_fields, html! {
                            label { span { "Name" } input name="name" required pattern="[a-z0-9\\-]+" placeholder="my-battle"; }
                            label { span { "Begin as" } select name="like" { @for (title, name) in situation_titles(snapshot, game) { option value=(name) { (title) } } } }
                            label { span { "Its pieces, if others" } textarea name="rows" rows="3" placeholder="rows pasted from a spreadsheet: name,kind,side,at" {} }
                        }, page_query.may_write))
                    }
                    (render_variant_forms(name, page_query.may_write))
                    @let beside: Vec<&str> = library.variants_of(game).into_iter().filter(|other| other != name).collect();
                    @if !beside.is_empty() {
                        p.quiet {
                            "Conflicts with "
                            @for (i, other) in beside.iter().enumerate() {
                                @if i > 0 { ", " }
                                a href={ "/edit/meet?with=" (escape(name)) "," (escape(other)) } { (other) }
                            }
                        }
                    }
                }
            }
            // A variant with an unreadable manifest is not in the library, but its files are listed.
            @for key in library.files.by_key.keys().filter(|key| key.ends_with("/variant.yaml") && bench.is_user_file(key)) {
                @let name = variant_of(key);
                @if !library.variants.contains_key(name) && game_of(library, name) == game {
                    section.variant { h3 { (name) } p { "Its manifest can't be read. " a.button href=(file_address(key)) { "Mend it" } } }
                }
            }
            form.new data-unpack {
                fieldset disabled[!page_query.may_write] {
                    legend { "House rules that were sent to you" }
                    label { span { "Packed file" } input type="file" accept=".yaml,.yml" required; }
                    button { "Unpack" }
                    output {}
                }
            }
            (render_new_form("variant", "A new variant", &hidden, html! { label { span { "Name" } input name="name" required pattern="[a-z0-9\\-]+" placeholder="my-house"; } }, page_query.may_write))
        }
    }
}

fn table_names(snapshot: &DataSnapshot, game: &str) -> Vec<String> {
    let request = PageRequest::of_game(game);
    snapshot
        .rulebook_program(&request)
        .map(|program| program.ruleset.table_names().map(String::from).collect())
        .unwrap_or_default()
}

/// Lists the situations of a game: name and title.
pub fn situation_titles(snapshot: &DataSnapshot, game: &str) -> Vec<(String, String)> {
    let Ok(program) = snapshot.rulebook_program(&PageRequest::of_game(game)) else {
        return Vec::new();
    };
    let mut ignored = Complaints::default();
    let title = |name: &str| {
        program
            .ruleset
            .stack_scenario(name, &mut ignored)
            .filter(|one| is_situation(one))
            .map(|one| (one.title.clone(), name.to_string()))
    };
    let mut titles: Vec<(String, String)> = program
        .ruleset
        .scenario_names()
        .into_iter()
        .filter_map(title)
        .collect();
    titles.sort();
    titles
}

/// Returns the variant that a file belongs to.
fn variant_of(key: &str) -> &str {
    key.split('/').nth(1).unwrap_or_default()
}

/// Returns the game of a variant. If the manifest is unreadable, it is taken from the manifest's text.
fn game_of<'l>(library: &'l Library, variant: &str) -> &'l str {
    if let Some(existing) = library.variants.get(variant) {
        return &existing.game;
    }
    let text = library
        .files
        .by_key
        .get(&format!("variants/{variant}/variant.yaml"))
        .map_or("", |file| &*file.text);
    text.lines()
        .find_map(|line| line.strip_prefix("game:"))
        .map_or("", |game| game.trim_matches([' ', '"', '\'']))
}

/// Renders the editor for one file.
pub fn file_page(
    bench: &Workbench,
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
) -> Result<Markup, Error> {
    let library = &snapshot.library;
    let key = page_query.parameter("path");
    let file_keys = || user_files(bench, library, variant_of(&key));
    let Some(file) = library
        .files
        .by_key
        .get(&key)
        .filter(|_| bench.is_user_file(&key))
    else {
        return Err(Error::Unknown {
            kind: "file of a variant in this folder",
            name: key.clone(),
            suggestions: file_keys().into_iter().map(String::from).collect(),
        });
    };
    let game = library.game(game_of(library, variant_of(&key)))?;
    let links = LinkTarget::of_game(&game.name);
    let language = if key.ends_with(".yaml") {
        "yaml"
    } else {
        "rhai"
    };
    let situations = situation_titles(snapshot, &game.name);
    let body = html! {
        header.title {
            p { a href={ "/what-if/" (escape(&game.name)) } { "What if …?" } }
            h1.path { (key) }
        }
        (render_permission(page_query))
        div.editor data-path=(key) data-game=(game.name) {
            div.written {
                // HTML drops a line end behind the opening tag; the text may begin with one.
                div.code { textarea #code data-editor=(language) spellcheck="false" aria-label={ "Text of " (key) } rows="24" { "\n" (&*file.text) } }
                p.buttons {
                    button type="button" data-save disabled[!page_query.may_write] { "Save" } " "
                    output data-saved role="status" {}
                }
                section aria-labelledby="complaints-head" { h2 #complaints-head { "Complaints" } div data-complaints role="status" { p.quiet { "Looking…" } } }
                section aria-labelledby="conflicts-head" { h2 #conflicts-head { "Against other variants" } div data-conflicts role="status" { p.quiet { "Looking…" } } }
            }
            div.beside {
                section aria-labelledby="examples-head" {
                    h2 #examples-head { "Examples" }
                    div data-proofs role="status" { p.quiet { "They run as you write." } }
                }
                section aria-labelledby="odds-head" {
                    h2 #odds-head { "Odds before and after" }
                    label { span.hidden { "Situation" }
                        select data-situation {
                            option value="" { "choose a situation" }
                            @for (title, name) in &situations { option value=(name) { (title) } }
                        }
                    }
                    div data-odds role="status" {}
                }
            }
        }
        script src="/assets/editor.js" defer {}
        script src="/assets/editing.js" defer {}
    };
    Ok(render_page(
        &PageFrame {
            title: &key,
            section: WorkbenchSection::Editor,
            game: Some(game),
            links: &links,
        },
        body,
    ))
}

/// Renders the conflicts between two variants, as on the command line.
pub fn conflicts_page(snapshot: &DataSnapshot, page_query: &PageQuery) -> Result<Markup, Error> {
    let variants: Vec<String> = page_query
        .parameter("with")
        .split(',')
        .map(String::from)
        .collect();
    let report = find_conflicts(&snapshot.library, &variants)?;
    let game = snapshot.library.game(&report.game)?;
    let links = LinkTarget::of_game(&game.name);
    let body = html! {
        header.title {
            p { a href={ "/what-if/" (escape(&game.name)) } { "What if …?" } }
            h1 { (join_words(variants.clone())) }
            p.lead { @if report.has_contradiction() { "They contradict each other." } @else { "They contradict each other nowhere." } }
        }
        h2.hidden { "Conflicts" }
        (render_blocks(&[conflicts::blocks(&report)]))
    };
    Ok(render_page(
        &PageFrame {
            title: "Conflicts",
            section: WorkbenchSection::Editor,
            game: Some(game),
            links: &links,
        },
        body,
    ))
}

/// How long the situations of a variant are tried while somebody types.
const TRIAL_TIME: Duration = Duration::from_millis(500);

/// Validates the data with `text` in place of a file, and tries its situations. Returns the complaints about the file itself, and a summary of those about other
/// files.
pub fn check_text(
    bench: &Workbench,
    key: &str,
    text: &str,
) -> Result<(Vec<Complaint>, Vec<FaultyFile>), Error> {
    let snapshot = bench.snapshot_with_text(key, text)?;
    let path = snapshot
        .library
        .files
        .by_key
        .get(key)
        .map(|file| file.path.clone())
        .unwrap_or_default();
    let mut complaints = check::check_variant(&snapshot.library, variant_of(key));
    // What can't be read can't be run.
    if !complaints.has_errors() {
        let until = Instant::now() + TRIAL_TIME;
        let faults = dry_run::run_variant(&snapshot.library, variant_of(key), until);
        complaints.0.extend(faults.0);
    }
    let (accepted, _) =
        accepted::filter_accepted(snapshot.library.files.root.as_deref(), complaints);
    let (of_file, of_others): (Vec<Complaint>, Vec<Complaint>) = accepted
        .0
        .into_iter()
        .partition(|complaint| complaint.place.path == path);
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for complaint in &of_others {
        let path = complaint.place.path.as_str();
        let key = snapshot
            .library
            .files
            .by_key
            .values()
            .find(|file| file.path == path)
            .map_or(path, |file| file.key.as_str());
        // Warnings about files that the user can't change are dropped.
        if complaint.severity == Severity::Error || bench.is_user_file(key) {
            *count.entry(key).or_default() += 1;
        }
    }
    let others = count.into_iter().map(|(path, count)| FaultyFile {
        path: path.into(),
        count,
        editable: bench.is_user_file(path),
    });
    Ok((of_file, others.collect()))
}

/// Reports the contradictions of `text` in place of a file with other variants.
pub fn conflicts_of_text(
    bench: &Workbench,
    key: &str,
    text: &str,
) -> Result<ConflictReport, Error> {
    let snapshot = bench.snapshot_with_text(key, text)?;
    let path = snapshot
        .library
        .files
        .by_key
        .get(key)
        .map(|file| file.path.clone())
        .unwrap_or_default();
    let mut report = find_contradictions(&snapshot.library, variant_of(key))?;
    report
        .rows
        .retain(|row| row.pair.iter().any(|side| side.path == path));
    Ok(report)
}

/// Unpacks a variant from one file, and reports what is wrong with it in this data folder.
pub fn unpack(bench: &Workbench, text: &str) -> Result<WrittenFiles, Error> {
    let pack = Pack::parse(text, "(the file)")?;
    let written = pack.unpack(&bench.snapshot()?.library, &bench.root())?;
    bench.mark_stale();
    let library = &bench.snapshot()?.library;
    let complaints = if pack.variant.is_empty() {
        check::check(library, &|game| game == pack.game)
    } else {
        check::check_variant(library, &pack.variant)
    };
    Ok(WrittenFiles {
        complaints: complaints.0,
        ..WrittenFiles::new(relative_paths(&written, &bench.root()))
    })
}

/// Returns the paths of files relative to the data folder.
fn relative_paths(written: &[PathBuf], root: &Path) -> Vec<String> {
    written
        .iter()
        .filter_map(|path| path.strip_prefix(root).ok())
        .map(|path| path.to_string_lossy().replace('\\', "/"))
        .collect()
}

/// Runs the examples of a file, optionally with `text` in its place.
pub fn run_examples(bench: &Workbench, key: &str, text: Option<&str>) -> Result<TestReport, Error> {
    let current_snapshot = bench.snapshot()?;
    let changed = text
        .map(|text| bench.snapshot_with_text(key, text))
        .transpose()?;
    let library = changed
        .as_ref()
        .map_or(&current_snapshot.library, |snapshot| &snapshot.library);
    let Some(file) = library.files.by_key.get(key) else {
        return Err(Error::Unknown {
            kind: "file",
            name: key.into(),
            suggestions: Vec::new(),
        });
    };
    let game = match library
        .variants
        .get(variant_of(key))
        .filter(|_| key.starts_with("variants/"))
    {
        Some(variant) => variant.game.as_str(),
        None => variant_of(key),
    };
    let tests = test_file_of(key)
        .and_then(|key| library.files.by_key.get(&key))
        .map(|tests| &tests.path);
    let mut outcomes = suite::run(library, game, &file.path, &mut |_| false, |_| {}, None)?;
    outcomes.retain(|outcome| outcome.path == file.path || tests == Some(&outcome.path));
    Ok(TestReport::new(outcomes))
}

/// Computes the odds of a situation with the saved file and with `text` in its place. If one of them is faulty, only those of the other are
/// returned.
pub fn compare_odds(
    bench: &Workbench,
    key: &str,
    text: &str,
    situation: &str,
    stop: &AtomicBool,
) -> Result<Markup, Error> {
    let odds = |snapshot: &DataSnapshot| -> Result<OddsResult, Error> {
        let game = snapshot
            .library
            .variants
            .get(variant_of(key))
            .map_or("", |variant| &variant.game);
        let (situation, request) =
            queries::situation_with(snapshot, (game, situation), |variants| {
                if !variants.iter().any(|name| name == variant_of(key)) {
                    variants.push(variant_of(key).into());
                }
            })?;
        Ok(queries::odds(&situation, &request, count_limits(ODDS_TIME, stop))?.result)
    };
    let (saved, written) = (
        odds(&*bench.snapshot()?),
        bench.snapshot_with_text(key, text)?,
    );
    let written_odds = odds(&written);
    let note = match (&saved, &written_odds) {
        (Err(_), Ok(_)) => "The saved file has errors; this is what the text here gives.",
        (Ok(_), Err(Error::Data(_))) => "The text has errors; this is what was saved last.",
        (_, Err(_)) => return written_odds.map(|_| Markup::default()),
        (Ok(_), Ok(_)) => "",
    };
    let views = [("as saved", saved), ("as written here", written_odds)];
    let views: Vec<(String, OddsResult)> = views
        .into_iter()
        .filter_map(|(title, odds)| Some((title.into(), odds.ok()?)))
        .collect();
    let game = written
        .library
        .variants
        .get(variant_of(key))
        .map_or("", |variant| variant.game.as_str());
    let comparison = render_comparison(&views, written.library.game(game)?);
    Ok(html! { @if !note.is_empty() { p role="status" { (note) } } (comparison) })
}

/// What can be created.
const NEW_KINDS: [&str; 5] = ["variant", "case", "script", "table", "situation"];

/// A variant to create, or a case, table or situation of one.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "New")]
pub struct NewContent {
    #[schemars(extend("enum" = NEW_KINDS))]
    #[serde(rename = "what")]
    kind: String,
    game: String,
    #[serde(default)]
    variant: String,
    name: String,
    /// The situation that a new one begins as.
    #[serde(default)]
    like: String,
    /// The pieces of a new situation as rows of CSV or JSON.
    #[serde(default)]
    rows: String,
}

impl NewContent {
    pub fn create(&self, bench: &Workbench) -> Result<WrittenFiles, Error> {
        let NewContent {
            kind,
            game,
            variant,
            name,
            like,
            rows,
        } = self;
        let snapshot = bench.snapshot()?;
        let (library, root) = (&snapshot.library, &bench.root());
        let game = &library.game(game)?.name;
        let home = scaffold::Destination {
            library,
            root,
            game,
            variant: Some(variant),
        };
        let written: Vec<PathBuf> = match kind.as_str() {
            "variant" => scaffold::new_variant(library, root, game, (name, None), false)?.0,
            "case" => scaffold::new_case(home, name, true, false)?,
            // A function as it stands, with the variant if there is none yet.
            "script" => scaffold::new_case(home, name, false, true)?,
            "table" => {
                charts::write_table(
                    home,
                    &ChartRequest {
                        id: name,
                        is_new: true,
                        ..ChartRequest::default()
                    },
                )?
                .0
            }
            "situation" => {
                let rows = Some(&**rows).filter(|rows| !rows.trim().is_empty());
                situations::copy_situation(home, name, like, rows)?
            }
            unknown => {
                return Err(Error::Unknown {
                    kind: "thing to lay out",
                    name: unknown.into(),
                    suggestions: NEW_KINDS.map(String::from).into(),
                });
            }
        };
        bench.mark_stale();
        Ok(WrittenFiles::new(relative_paths(&written, root)))
    }
}
