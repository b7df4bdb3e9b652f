//! A house rule changed by a form: its effect on the odds, and how its files are saved.

use crate::author::check;
use crate::author::scaffold;
use crate::code::program::Program;
use crate::complaint::{Complaints, Error, Severity};
use crate::data::files::{DataFile, Files};
use crate::odds::assumptions::CountedOdds;
use crate::platform::clock::Instant;
use crate::ruleset::compose::Ruleset;
use crate::ruling::resolve::{ResolveRequest, resolve};
use crate::serve::chart::render_comparison;
use crate::serve::editor::situation_titles;
use crate::serve::layout::{PageQuery, escape, render_error, render_error_with};
use crate::serve::page_request::PageRequest;
use crate::serve::queries;
use crate::serve::workbench::{DataSnapshot, Workbench};
use crate::situation::trace::Event;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The proposed name of the first own variant.
const FIRST_VARIANT: &str = "my-house";
/// Time limit of the odds before and after together.
const ODDS_TIME: Duration = Duration::from_secs(4);
/// Time limit of the search for a situation that the change concerns, and of each ruling in it.
const SEARCH_TIME: (Duration, Duration) = (Duration::from_millis(1500), Duration::from_millis(40));

/// How closely an event concerns a change: not at all, the same table or case, or the very cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Concern {
    /// It does not read it.
    None,
    /// It reads another cell of the table.
    Near,
    /// It reads the changed cell or case.
    Exact,
}

/// A change of a house rule.
pub struct HouseChange<'a> {
    /// The game.
    pub game: &'a str,
    /// The variant that makes the change; it is created if it does not exist.
    pub variant: &'a str,
    /// What is changed, as a key for the situation that shows it.
    pub what: String,
    /// Whether an event of a ruling reads what is changed, under the ruleset below the variant.
    pub concerns: &'a dyn Fn(&Event, &Ruleset) -> Concern,
    /// The title of the odds with the change.
    pub title: String,
    /// The files that make it: keys and texts.
    pub files: Vec<(String, String)>,
}

/// Returns the ruleset that a variant's change is laid over: all compatible variants but its own.
pub fn ruleset_below(snapshot: &DataSnapshot, game: &str, variant: &str) -> Result<Arc<Program>, Error> {
    let variants = snapshot.library.compatible_variants(game).into_iter().filter(|name| name != variant).collect();
    snapshot.rulebook_program(&PageRequest { with: Some(variants), ..PageRequest::of_game(game) })
}

/// Returns the names of the user's own variants, and the one that a change belongs to: the named one, else the first.
pub fn own_variants<'s>(bench: &Workbench, snapshot: &'s DataSnapshot, game: &str, named: &str) -> (Vec<&'s str>, String) {
    let mut own_names: Vec<&str> = snapshot.library.variants_of(game);
    let built_in = Files::built_in();
    own_names.retain(|name| {
        let manifest = format!("variants/{name}/variant.yaml");
        bench.is_user_file(&manifest) && !built_in.by_key.contains_key(&manifest)
    });
    let first_own = own_names.first().map_or(FIRST_VARIANT, |name| name);
    let variant = if named.is_empty() { first_own.into() } else { named.into() };
    (own_names, variant)
}

impl HouseChange<'_> {
    /// Fails if the variant's name can't be used.
    pub fn check_variant(snapshot: &DataSnapshot, game: &str, variant: &str) -> Result<(), Error> {
        scaffold::check_plain_name(variant)?;
        match snapshot.library.variants.get(variant) {
            Some(existing) if existing.game != game => Err(Error::Usage(format!("`{variant}` is a variant of {}", existing.game))),
            _ => Ok(()),
        }
    }

    /// Returns a snapshot in which the change is made.
    fn changed(&self, snapshot: &DataSnapshot) -> DataSnapshot {
        let mut files: Files = snapshot.library.files.clone();
        for (key, text) in &self.files {
            let path = files.by_key.get(key).map_or_else(|| key.clone(), |file| file.path.clone());
            files.by_key.insert(key.clone(), DataFile { key: key.clone(), path, text: text.as_str().into() });
        }
        DataSnapshot::new(files)
    }

    /// Writes the change, unless the data would have errors or a file was changed elsewhere meanwhile.
    pub fn save(&self, bench: &Workbench, snapshot: &DataSnapshot) -> Result<Value, Error> {
        let changed = self.changed(snapshot);
        let variants = Some(changed.library.compatible_variants(self.game));
        let ask = PageRequest { with: variants, ..PageRequest::of_game(self.game) };
        changed.program(&ask.spec(&changed.library, Default::default()))?;
        let mut wrong = Complaints::default();
        for (key, _) in &self.files {
            let path = &changed.library.files.by_key[key].path;
            let complaints = check::check_file(&changed.library, key).0.into_iter();
            wrong.0.extend(complaints.filter(|one| one.weight == Severity::Error && one.place.path == *path));
        }
        if wrong.has_errors() {
            return Err(Error::Data(wrong.into_sorted()));
        }
        for (key, text) in &self.files {
            match snapshot.library.files.by_key.get(key).filter(|_| bench.is_user_file(key)) {
                Some(file) => drop(bench.save(key, text, Some(&file.text))?),
                None => drop(scaffold::write_files(&bench.root(), vec![(bench.root().join(key), text.clone())])?),
            }
        }
        bench.mark_stale();
        Ok(json!({ "saved": self.files.last().map(|(key, _)| key) }))
    }

    /// Renders the odds of a situation before and after; of one that the change concerns if none is named.
    pub fn render_effect(&self, snapshot: &DataSnapshot, situation: &str, stop: &AtomicBool) -> Markup {
        let shown_situation = match situation {
            "" => {
                let key = format!("{}/{}", self.game, self.what);
                snapshot.situations_that_show_changes.get_or_make(key, || self.situation_that_shows_it(snapshot))
            }
            name => Some(name.to_string()),
        };
        let Some(name) = shown_situation else {
            return html! { p.quiet { "No situation was found that comes to this: choose one." } };
        };
        match self.effect_of(snapshot, &name, stop) {
            Ok(effect) => html! { p { a href={ "/at/" (escape(self.game)) "/" (escape(&name)) } { (name.replace('-', " ")) } } (effect) },
            Err(error) => render_error_with("That can’t be put in force", &error, true),
        }
    }

    fn effect_of(&self, snapshot: &DataSnapshot, name: &str, stop: &AtomicBool) -> Result<Markup, Error> {
        let changed = self.changed(snapshot);
        let needed = changed.library.variants.get(self.variant).map(|variant| variant.needs.clone()).unwrap_or_default();
        let odds = |snapshot: &DataSnapshot, with_change: bool| -> Result<Arc<CountedOdds>, Error> {
            // What the variant needs is in force before the change, too: else it would count as its effect.
            let (situation, ask) = queries::situation_with(snapshot, (self.game, name), |variants| {
                variants.retain(|known| known != self.variant && !needed.contains(known));
                variants.extend(needed.iter().cloned().chain(with_change.then(|| self.variant.to_string())));
            })?;
            queries::cached_odds(snapshot, &situation, &ask, queries::count_limits(ODDS_TIME / 2, stop))
        };
        let odds_before = odds(snapshot, snapshot.library.variants.contains_key(self.variant))?;
        let odds_after = odds(&changed, true)?;
        let views = [("before".to_string(), &odds_before.result), (self.title.clone(), &odds_after.result)];
        Ok(render_comparison(&views, snapshot.library.game(self.game)?))
    }

    /// Returns a situation whose ruling reads the changed cell or case, else another cell of the table; `None` if none is found in time.
    fn situation_that_shows_it(&self, snapshot: &DataSnapshot) -> Option<String> {
        let until = Instant::now() + SEARCH_TIME.0;
        let mut near_situation = None;
        let program = ruleset_below(snapshot, self.game, self.variant).ok()?;
        let cases = program.ruleset.cases.iter().filter(|case| !case.headline.is_empty());
        let headlined: Vec<String> = cases.flat_map(|case| case.procedures.clone()).collect();
        let mut names: Vec<(bool, String)> = Vec::new();
        for (_, name) in situation_titles(snapshot, self.game) {
            let mut ask = PageRequest::of(self.game, &name);
            // A situation with a headline shows the most.
            let plain = snapshot
                .complete_request(&mut ask)
                .ok()
                .and_then(|default| snapshot.program_for(&ask, default).ok()?.ruleset.scenario(&name).ok());
            let procedure = plain.and_then(|scenario| scenario.procedure.clone()).unwrap_or_default();
            names.push((!headlined.contains(&procedure), name));
        }
        names.sort();
        for (_, name) in names {
            if Instant::now() > until {
                break;
            }
            let mut ask = PageRequest::of(self.game, &name);
            let Ok(situation) = snapshot.situation(&mut ask) else { continue };
            let mut machine = situation.machine();
            machine.time_limit = SEARCH_TIME.1;
            let Ok(ran) = resolve(&mut machine, &situation, ResolveRequest::default()) else { continue };
            match ran.events.iter().map(|event| (self.concerns)(event, situation.ruleset())).max() {
                Some(Concern::Exact) => return Some(name),
                Some(Concern::Near) => near_situation = near_situation.or(Some(name)),
                _ => {}
            }
        }
        near_situation
    }
}

/// Renders the fields that every change has: the variant, the situation that shows its effect, and the buttons. Without scripts the buttons
/// send the form.
pub fn render_change_fields(snapshot: &DataSnapshot, page_query: &PageQuery, (game, variant): (&str, &str), own_names: &[&str]) -> Markup {
    let situation = page_query.parameter("situation");
    html! {
        div.fields {
            label { span { "In the house rules" } input name="variant" value=(variant) list="own-variants" pattern="[a-z0-9\\-]+" data-plain="" data-still; }
            datalist #own-variants { @for name in own_names { option value=(name) {} } }
            label { span { "What it does to" }
                select name="situation" data-plain="" {
                    option value="" data-plain { "a situation that comes to it" }
                    @for (title, name) in situation_titles(snapshot, game) { option value=(name) selected[name == situation] { (title) } }
                }
            }
        }
        p.save {
            noscript { button { "Show the odds" } " " }
            button.main formmethod="post" data-save-change=(page_query.path.last().map_or("", String::as_str)) disabled[!page_query.may_write] { "Save" } " "
        }
    }
}

/// Renders the result of saving a form without scripts.
pub fn render_saved(saved: &Result<Value, Error>) -> Markup {
    match saved {
        Ok(saved) => {
            let key = saved["saved"].as_str().unwrap_or_default();
            html! { p role="status" { "saved: " a href={ "/edit/file?path=" (escape(key)) } { (key) } } }
        }
        Err(error) => render_error(error),
    }
}
