//! What the address of the page asks for: the changes, the situations of the test bench, and the table or case that is open.

use crate::serve::api_answers::KeptPaths;
use crate::serve::layout::{LinkTarget, escape};
use crate::serve::page_request::PageRequest;
use crate::serve::workbench::{DataSnapshot, Workbench};
use casebook_analysis::usecase::settings::CountLimits;
use casebook_checks::house::change::RuleChange;
use casebook_checks::house::effect::EffectQuery;
use casebook_checks::house::entry::ListEntry;
use casebook_checks::house::kept::{KeptChange, check_kept, kept_changes};
use casebook_checks::house::rivals::is_house_set;
use casebook_checks::house::ruling_forks::{GivenThrow, RulingDice};
use casebook_checks::house::trial::{FIRST_VARIANT, ProgramSource, RulesTrial, free_variant_name};
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::Ruleset;
use form_urlencoded::{Serializer, parse};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The parameter of an address that stands for all rules of its sender.
pub const SHARED: &str = "shared";

/// The number of situations on the test bench.
pub const MAX_SITUATIONS: usize = 3;

/// The seed of the dice of the ruling as it is first shown.
const FIRST_SEED: u64 = 1;

/// A request for the page.
#[derive(Clone, Debug, Default)]
pub struct WhatIfRequest {
    /// What is tried.
    pub trial: RulesTrial,
    /// The situations of the test bench; none to have them proposed.
    pub at: Vec<String>,
    /// The table that is open.
    pub table: String,
    pub sheet: String,
    /// The case that is open.
    pub case: String,
    /// The value of the ruling that is open: the numbers of its line and of the value in it; of a line alone the conditions of it.
    pub open: String,
    /// The dice of the ruling.
    pub dice: RulingDice,
    /// What is wrong with changes of the address.
    pub wrong: Vec<String>,
    /// Why values that are typed into cells can't stand there; the other changes are tried.
    pub refused: Vec<String>,
}

/// Changes to keep.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("required" = ["game", "variant"]))]
pub struct ChangesToKeep {
    game: String,
    variant: String,
    /// Changes of cells, as `casebook what-if --cell` takes them: `TABLE SHEET COLUMN ROW = VALUE`.
    cell: Vec<String>,
    /// Changes of cases, options, readings and variants, as `casebook what-if --rule` takes them: `8.3 throw: run = add -1 when turn >= 3`, `8.21 off`.
    rule: Vec<String>,
    /// Entries of the list of the variant to take out, as they stand there: `{ case: "8.3", throw: run, add: -1 }`.
    without: Vec<String>,
}

/// Changes to try on a situation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangesToTry {
    at: PageRequest,
    /// Changes of cells: `TABLE SHEET COLUMN ROW = VALUE`.
    #[serde(default)]
    cell: Vec<String>,
    /// Changes of cases, options, readings and variants: `8.3 throw: run = add -1 when turn >= 3`, `8.21 off`.
    #[serde(default)]
    rule: Vec<String>,
    /// A variant to whose list they would be added; left out: none.
    #[serde(default)]
    variant: String,
}

/// Reads what was typed behind `--cell` and `--rule`.
fn parse_changes(cells: &[String], rules: &[String]) -> Result<Vec<RuleChange>, Error> {
    let cells = cells.iter().map(|text| RuleChange::parse_cells(text));
    let rules = rules.iter().map(|text| RuleChange::parse_rule(text));
    cells.chain(rules).collect()
}

impl ChangesToTry {
    /// Returns what the changes do to the situation, as `casebook what-if` prints it.
    pub fn answer(mut self, snapshot: &DataSnapshot, limits: CountLimits) -> Result<Value, Error> {
        let in_force = snapshot.complete_request(&mut self.at)?;
        if self.variant.is_empty() {
            self.variant = free_variant_name(&snapshot.library);
        }
        let program: ProgramSource = &|spec| snapshot.program(spec);
        let spec = self.at.spec(&snapshot.library, in_force);
        let below = program(&spec)?.ruleset.clone();
        let changes = parse_changes(&self.cell, &self.rule)?.into_iter();
        let changes = changes.map(|change| change.placed_in(&self.at.situation, &below));
        let trial = RulesTrial {
            game: self.at.game.clone(),
            variant: self.variant,
            changes: changes.collect::<Result<_, Error>>()?,
            ..RulesTrial::default()
        };
        let (situations, settings) = (&snapshot.known_situations, self.at.settings());
        let query = EffectQuery::new(&snapshot.library, &trial, program, situations, &settings);
        let (at, overrides) = ((&*self.at.situation, &spec), self.at.overrides()?);
        let answer = query.answer(at, &overrides, limits, &|_, _| {})?;
        Ok(json!(answer.report(&trial.changes, &[], None)))
    }
}

/// Returns the names of the user's own variants of a game.
pub fn own_variants<'s>(bench: &Workbench, snapshot: &'s DataSnapshot, game: &str) -> Vec<&'s str> {
    let mut names = snapshot.library.variants_of(game);
    names.retain(|name| {
        let manifest = format!("variants/{name}/variant.yaml");
        bench.is_user_file(&manifest) && snapshot.library.files.embedded.find(&manifest).is_none()
    });
    names
}

/// Returns the variant that changes belong to if nothing is said: one of the user's whose figures and cases are all of the house.
fn house_variant(bench: &Workbench, snapshot: &DataSnapshot, game: &str) -> String {
    let own = own_variants(bench, snapshot, game);
    let is_house = |name: &&&str| is_house_set(&snapshot.library, game, name);
    let house = own
        .iter()
        .find(|name| **name == FIRST_VARIANT)
        .or_else(|| own.iter().find(is_house));
    house.map_or_else(
        || free_variant_name(&snapshot.library),
        |name| (*name).into(),
    )
}

impl WhatIfRequest {
    /// Reads the query of an address.
    pub fn parse(
        bench: &Workbench,
        snapshot: &DataSnapshot,
        game: &str,
        query: &str,
    ) -> WhatIfRequest {
        let mut request = WhatIfRequest::default();
        request.dice.seed = FIRST_SEED;
        request.trial.game = game.into();
        let library = &snapshot.library;
        let is_switch = |name: &str| {
            let (variant, option) = name.split_once('.').unwrap_or((name, ""));
            let is_of_game = library.variants_of(game).contains(&variant);
            is_of_game && (option.is_empty() || library.has_option(variant, name))
        };
        let mut fields: Vec<String> = Vec::new();
        for (key, text) in parse(query.as_bytes()) {
            let text = text.trim();
            // A field says what its place becomes, whatever the address said before; another one of the same name adds to it.
            if let Some(("now" | "rule", place)) = key.split_once(' ')
                && !fields.iter().any(|present| *present == key)
            {
                let changes = &mut request.trial.changes;
                changes.retain(|change| change.place() != place);
                fields.push(key.to_string());
            }
            match &*key {
                _ if text.is_empty() => {}
                "variant" => request.trial.variant = text.into(),
                "without" => request.trial.without.push(text.into()),
                "at" if !request.at.iter().any(|present| present == text) => {
                    request.at.push(text.into())
                }
                "table" => request.table = text.into(),
                "sheet" => request.sheet = text.into(),
                "case" => request.case = text.into(),
                "open" => request.open = text.into(),
                "seed" => request.dice.seed = text.parse().unwrap_or(FIRST_SEED),
                "throw" => {
                    if let Some(throw) = GivenThrow::parse(text) {
                        request.dice.set(throw);
                    }
                }
                "on" | "off" if is_switch(text) => {
                    request.trial.switched.push((text.into(), key == "on"))
                }
                "on" | "off" => request
                    .wrong
                    .push(format!("`{text}` is no variant or option of {game}")),
                // Without scripts the fields of a table and of a case are sent as they stand.
                key => match key.split_once(' ') {
                    Some(("now", cell)) => {
                        request.add(RuleChange::parse_cells(&format!("{cell} = {text}")))
                    }
                    Some(("rule", field)) => {
                        request.add(RuleChange::parse_rule(&format!("{field} = {text}")))
                    }
                    _ => RuleChange::from_parameter(key, text)
                        .into_iter()
                        .for_each(|change| request.add(change)),
                },
            }
        }
        request.at.truncate(MAX_SITUATIONS);
        let named = snapshot.library.variants.get(&request.trial.variant);
        if let Some(other) = named.filter(|variant| variant.game != game) {
            let (name, game) = (&other.name, &other.game);
            request
                .wrong
                .push(format!("`{name}` belongs to {game}: it is left out here"));
            request.trial.variant.clear();
        }
        if request.trial.variant.is_empty() {
            request.trial.variant = house_variant(bench, snapshot, game);
        }
        if let Ok(rules) = PageRequest::parse(game, "", query) {
            request.switch_as(snapshot, &rules);
        }
        request
    }

    /// Switches variants, options and readings as another page had them in force.
    fn switch_as(&mut self, snapshot: &DataSnapshot, rules: &PageRequest) {
        let own = self.trial.variant.clone();
        if let Some(with) = &rules.with {
            // Situations name variants of their own, so that each is switched.
            let all = snapshot.library.variants_of(&rules.game).into_iter();
            let others = all.filter(|name| **name != *own);
            let is_on = |name: &str| with.iter().any(|variant| variant == name);
            let switched = others.map(|name| (name.to_string(), is_on(name)));
            self.trial.switched.extend(switched);
        }
        let options = rules.options.iter();
        let options = options.map(|(name, on)| (name.clone(), *on));
        self.trial.switched.extend(options);
        for (name, way) in &rules.readings {
            let entry = ListEntry::of([("reading", &**name), ("now", &**way)]);
            self.add(Ok(RuleChange::Entry(entry)));
        }
    }

    /// Returns the request for the rules of another variant of one's own, with the situations and switches as they are.
    pub fn of_variant(&self, name: &str) -> WhatIfRequest {
        self.with(|request| {
            request.trial.variant = name.into();
            request.trial.without.clear();
            request.trial.changes.clear();
        })
    }

    /// Returns the request for the ruling of another battle.
    pub fn of_battle(&self, name: &str) -> WhatIfRequest {
        self.with(|request| {
            request.at = vec![name.into()];
            request.open.clear();
            request.dice.given.clear();
        })
    }

    /// Returns a request under rules as they are switched here, with the own variant as it is kept.
    fn rules_in_request(&self, snapshot: &DataSnapshot, below: &Ruleset) -> PageRequest {
        let own = &self.trial.variant;
        let mut with = below.spec.variants.clone();
        if snapshot.library.variants.contains_key(own) && !with.contains(own) {
            with.push(own.clone());
        }
        PageRequest {
            with: Some(with),
            options: below.spec.options.iter().cloned().collect(),
            ..PageRequest::of_game(&self.trial.game)
        }
    }

    /// Returns links to other pages, which have the same variants and options in force.
    pub fn links(&self, snapshot: &DataSnapshot, below: &Ruleset) -> LinkTarget {
        match !self.trial.switched.is_empty() {
            true => LinkTarget::for_request(&self.rules_in_request(snapshot, below)),
            false => LinkTarget::of_game(&self.trial.game),
        }
    }

    /// Returns the request for a situation under the rules that the test bench has for it, as far as they are kept. `below` is what they are
    /// laid over.
    pub fn situation_request(
        &self,
        snapshot: &DataSnapshot,
        name: &str,
        below: &Ruleset,
    ) -> PageRequest {
        let is_kept = snapshot.library.variants.contains_key(&self.trial.variant);
        match is_kept || !self.trial.switched.is_empty() {
            true => self
                .rules_in_request(snapshot, below)
                .under_same_rules(name),
            false => PageRequest::of(&self.trial.game, name),
        }
    }

    /// Returns what is typed for a place.
    pub fn changes_at(&self, place: &str) -> impl Iterator<Item = String> {
        let at = move |change: &RuleChange| {
            let (_, line) = change.to_parameter();
            let value = line.strip_prefix(place)?.strip_prefix(" = ")?;
            Some(value.to_string())
        };
        self.trial.changes.iter().filter_map(at)
    }

    fn add(&mut self, change: Result<RuleChange, Error>) {
        match change {
            Ok(change) if self.trial.changes.contains(&change) => {}
            Ok(change) => self.trial.changes.push(change),
            Err(error) => self.wrong.push(error.to_string()),
        }
    }

    /// Drops changes of cells whose values can't stand there, which are said.
    pub fn with_fitting_cells(mut self, library: &Library, below: &Ruleset) -> WhatIfRequest {
        let refused = &mut self.refused;
        self.trial.changes.retain(|change| {
            let RuleChange::Cells(cells) = change else {
                return true;
            };
            let why = change.entry(library, below).err();
            refused.extend(
                why.iter()
                    .map(|why| format!("{}: {why}", cells.labels.join(", "))),
            );
            why.is_none()
        });
        self
    }

    /// Returns the query of its address.
    pub fn query(&self) -> String {
        let mut out = Serializer::new(String::new());
        for (key, text) in [
            ("variant", &self.trial.variant),
            ("table", &self.table),
            ("sheet", &self.sheet),
            ("case", &self.case),
            ("open", &self.open),
        ] {
            if !text.is_empty() {
                out.append_pair(key, text);
            }
        }
        if self.dice.seed != FIRST_SEED {
            out.append_pair("seed", &self.dice.seed.to_string());
        }
        for throw in &self.dice.given {
            out.append_pair("throw", &throw.to_parameter());
        }
        for (name, on) in &self.trial.switched {
            out.append_pair(if *on { "on" } else { "off" }, name);
        }
        for change in &self.trial.changes {
            let (key, text) = change.to_parameter();
            out.append_pair(key, &text);
        }
        for (key, list) in [("without", &self.trial.without), ("at", &self.at)] {
            list.iter().for_each(|text| {
                out.append_pair(key, text);
            });
        }
        out.finish()
            .replace("%3A", ":")
            .replace("%2C", ",")
            .replace("%2F", "/")
    }

    /// Returns its address; `page` is a page below it, or empty.
    pub fn address(&self, page: &str) -> String {
        let (query, page) = (
            self.query(),
            if page.is_empty() {
                String::new()
            } else {
                format!("/{page}")
            },
        );
        let query = if query.is_empty() {
            query
        } else {
            format!("?{query}")
        };
        format!("/what-if/{}{page}{query}", escape(&self.trial.game))
    }

    /// Returns its address for others, which stands for all of its rules: what they keep under the same name is none of them.
    pub fn shared_address(&self) -> String {
        let address = self.address("");
        let sign = if address.contains('?') { '&' } else { '?' };
        format!("{address}{sign}{SHARED}=on")
    }

    /// Returns the request with what is kept off, but for what its changes say, too.
    pub fn without_other_rules(&self, kept: &[KeptChange]) -> WhatIfRequest {
        let is_sent = |one: &&KeptChange| {
            let mut changes = self.trial.changes.iter();
            changes.any(|change| one.change.as_ref() == Some(change))
        };
        let off = kept
            .iter()
            .filter(|one| !is_sent(one) && one.change.is_some());
        let off = off.map(|one| one.id.clone()).collect();
        self.with(|request| request.trial.without = off)
    }

    /// Returns the request changed by `change`.
    pub fn with(&self, change: impl FnOnce(&mut WhatIfRequest)) -> WhatIfRequest {
        let mut request = self.clone();
        change(&mut request);
        request
    }

    /// Returns the rules that the changes are laid over on the page.
    pub fn below(&self, snapshot: &DataSnapshot) -> Result<Arc<Ruleset>, Error> {
        self.trial.below(
            &snapshot.library,
            &snapshot
                .keeping_spec(&self.trial.game, &self.trial.variant)?
                .0,
            &|spec| snapshot.program(spec),
        )
    }
}

impl ChangesToKeep {
    /// Takes the changes of a page.
    pub fn of_request(request: &WhatIfRequest) -> ChangesToKeep {
        let RulesTrial {
            game,
            variant,
            without,
            changes,
            ..
        } = request.trial.clone();
        let mut kept = ChangesToKeep {
            game,
            variant,
            without,
            ..ChangesToKeep::default()
        };
        for (key, text) in changes.iter().map(RuleChange::to_parameter) {
            if key == "cell" {
                kept.cell.push(text)
            } else {
                kept.rule.push(text)
            }
        }
        kept
    }

    /// Writes the changes into their variant, and takes out of it what is listed to go.
    pub fn keep(&self, bench: &Workbench) -> Result<KeptPaths, Error> {
        let snapshot = bench.snapshot()?;
        let changes = parse_changes(&self.cell, &self.rule)?;
        let trial = RulesTrial {
            game: self.game.clone(),
            variant: self.variant.clone(),
            without: self.without.clone(),
            changes,
            ..RulesTrial::default()
        };
        let program: ProgramSource = &|spec| snapshot.program(spec);
        snapshot.library.game(&self.game)?;
        let spec = snapshot.keeping_spec(&self.game, &self.variant)?.0;
        let below = trial.below(&snapshot.library, &spec, program)?;
        let kept = kept_changes(&snapshot.library, &below, &self.variant);
        check_kept(&kept, &self.variant, &trial.without)?;
        let tried = trial.over(
            &snapshot.library,
            &snapshot.keeping_spec(&self.game, &self.variant)?.0,
            program,
        )?;
        let kept = tried.keep(&snapshot.library, &bench.root(), &self.variant)?;
        bench.mark_stale();
        Ok(KeptPaths {
            written: kept.written,
            before: kept.before,
        })
    }
}
