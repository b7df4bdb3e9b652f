//! What the address of the page asks for: the changes, the situations of the test bench, and the table or case that is open.

use crate::serve::api_answers::KeptPaths;
use crate::serve::layout::{LinkTarget, escape};
use crate::serve::page_request::PageRequest;
use crate::serve::workbench::{DataSnapshot, Workbench};
use casebook_checks::author::recipe_offers::{TYPED_NUMBER, TYPED_OPTION};
use casebook_checks::author::recipes::{option_taken, split_value};
use casebook_checks::house::change::RuleChange;
use casebook_checks::house::kept::{KeptChange, as_changes, check_kept, kept_changes};
use casebook_checks::house::rivals::is_house_set;
use casebook_checks::house::table_changes::kept_values;
use casebook_checks::house::trial::{FIRST_VARIANT, ProgramSource, RulesTrial, free_variant_name};
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::Ruleset;
use form_urlencoded::{Serializer, parse};
use serde::Deserialize;
use std::sync::Arc;

/// The parameter of an address that stands for all rules of its sender.
pub const SHARED: &str = "shared";

/// The number of situations on the test bench.
pub const MAX_SITUATIONS: usize = 3;

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
    /// The recipe of a new rule that is open, and where it is to hold: a case, and a field of its form.
    pub recipe: String,
    pub place: String,
    /// What is wrong with changes of the address.
    pub wrong: Vec<String>,
    /// Why values that are typed into cells can't stand there; the other changes are tried.
    pub refused: Vec<String>,
}

/// The name of a new option as long as none is typed.
pub const FIRST_OPTION: &str = "the other way";

/// What was picked for a new rule, as a form without scripts sends it.
#[derive(Clone, Debug, Default)]
pub struct PickedRecipe {
    /// How much.
    pub amount: String,
    /// `if` or `unless`.
    pub word: String,
    /// The condition.
    pub when: String,
    pub number: String,
    /// The name of the new option in it.
    pub option: String,
}

impl PickedRecipe {
    /// Returns the value of the field of the form; `None` if no amount was sent.
    pub fn value(&self) -> Option<String> {
        if self.amount.is_empty() {
            return None;
        }
        if self.when.is_empty() {
            return Some(self.amount.clone());
        }
        let number = if self.number.is_empty() {
            "1"
        } else {
            &self.number
        };
        let option = if self.option.is_empty() {
            FIRST_OPTION
        } else {
            &self.option
        };
        let condition = self
            .when
            .replace(TYPED_NUMBER, number)
            .replace(TYPED_OPTION, &option.replace('"', "'"));
        Some(match &*self.word {
            "unless" => format!("{} when !({condition})", self.amount),
            _ => format!("{} when {condition}", self.amount),
        })
    }
}

/// Changes to keep: the body of a request of the API.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChangesToKeep {
    game: String,
    variant: String,
    cell: Vec<String>,
    rule: Vec<String>,
    without: Vec<String>,
    /// Kept changes that go one step back: what was edited says again what it said before.
    back: Vec<String>,
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
        request.trial.game = game.into();
        let mut picked = PickedRecipe::default();
        for (key, text) in parse(query.as_bytes()).filter(|(_, text)| !text.trim().is_empty()) {
            let text = text.trim();
            match &*key {
                "variant" => request.trial.variant = text.into(),
                "without" => request.trial.without.push(text.into()),
                "at" if !request.at.iter().any(|known| known == text) => {
                    request.at.push(text.into())
                }
                "table" => request.table = text.into(),
                "sheet" => request.sheet = text.into(),
                "case" => request.case = text.into(),
                "recipe" => request.recipe = text.into(),
                "place" => request.place = text.into(),
                "amount" => picked.amount = text.into(),
                "word" => picked.word = text.into(),
                "when" => picked.when = text.into(),
                "number" => picked.number = text.into(),
                "option" => picked.option = text.into(),
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
        if let Some(value) = picked.value().filter(|_| request.place.contains(' ')) {
            request.add(RuleChange::parse_rule(&format!(
                "{} = {value}",
                request.place
            )));
        }
        request.at.truncate(MAX_SITUATIONS);
        let named = snapshot.library.variants.get(&request.trial.variant);
        if let Some(other) = named.filter(|variant| variant.game != game) {
            let (name, game) = (&other.name, &other.game);
            request.wrong.push(format!(
                "`{name}` is a set of rules of {game}: it is left out here"
            ));
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
        let library = &snapshot.library;
        let own = self.trial.variant.clone();
        let mut switch = |name: &str, on: bool| {
            let name = name.to_string();
            self.add(Ok(RuleChange::Switch { name, on }));
        };
        if let Some(with) = &rules.with {
            // Situations name variants of their own, so that each is switched.
            for name in library.variants_of(&rules.game) {
                if name != own {
                    switch(name, with.iter().any(|known| known == name));
                }
            }
        }
        for (name, on) in &rules.options {
            switch(name, *on);
        }
        for (name, way) in &rules.readings {
            if let Some((case, reading)) = name.rsplit_once('.') {
                self.add(Ok(RuleChange::Field {
                    case: case.into(),
                    field: format!("reading:{reading}"),
                    value: way.clone(),
                }));
            }
        }
    }

    /// Returns the request for the rules of another variant of one's own, with the situations and switches as they are.
    pub fn of_variant(&self, name: &str) -> WhatIfRequest {
        self.with(|request| {
            request.trial.variant = name.into();
            request.trial.without.clear();
            request
                .trial
                .changes
                .retain(|change| matches!(change, RuleChange::Switch { .. }));
        })
    }

    /// Returns whether a variant or option is switched.
    fn has_switches(&self, snapshot: &DataSnapshot) -> bool {
        let library = &snapshot.library;
        let is_switch = |change: &RuleChange| match change {
            RuleChange::Switch { name, .. } => library
                .variants
                .contains_key(name.split('.').next().unwrap_or_default()),
            _ => false,
        };
        self.trial.changes.iter().any(is_switch)
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
        match self.has_switches(snapshot) {
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
        match is_kept || self.has_switches(snapshot) {
            true => self
                .rules_in_request(snapshot, below)
                .under_same_rules(name),
            false => PageRequest::of(&self.trial.game, name),
        }
    }

    /// Returns which options the changes put on the menu of a side, in words: they are offered first, so that they are counted as taken.
    pub fn options_taken(&self) -> Vec<String> {
        let taken = |change: &RuleChange| match change {
            RuleChange::Field { value, .. } => option_taken(split_value(value).1?),
            _ => None,
        };
        self.trial.changes.iter().filter_map(taken).collect()
    }

    fn add(&mut self, change: Result<RuleChange, Error>) {
        match change {
            Ok(change) if self.trial.changes.contains(&change) => {}
            Ok(change) => self.trial.changes.push(change),
            Err(error) => self.wrong.push(error.to_string()),
        }
    }

    /// Drops changes of cells that leave them as they are kept, and those whose values can't stand there, which are said.
    pub fn with_fitting_cells(mut self, library: &Library, below: &Ruleset) -> WhatIfRequest {
        self.trial.drop_overridden(below);
        // What is kept and off is as it is below.
        let variant = match self.trial.without.is_empty() {
            true => self.trial.variant.clone(),
            false => String::new(),
        };
        let refused = &mut self.refused;
        self.trial.changes.retain(|change| {
            let RuleChange::Cells(change) = change else {
                return true;
            };
            let table = below.table(&change.table).ok().flatten();
            let known = table.and_then(|table| Some((change.cells(&table).ok()?, table)));
            let Some((cells, table)) = known else {
                return true;
            };
            let now = change.values(&table, &cells);
            let mut each = cells.iter().zip(&now);
            let refusal = |(index, now): (&usize, &String)| {
                let why = table.refusal_of(*index, now)?;
                Some(format!("{}: {why}", table.label(*index)))
            };
            if let Some(why) = each.find_map(refusal) {
                refused.push(why);
                return false;
            }
            let kept = kept_values(library, &variant, &table);
            let mut each = cells.iter().zip(&now);
            each.any(|(index, now)| kept[*index] != *now)
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
            ("recipe", &self.recipe),
            ("place", &self.place),
        ] {
            if !text.is_empty() {
                out.append_pair(key, text);
            }
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
    pub fn without_other_rules(
        &self,
        snapshot: &DataSnapshot,
        below: &Ruleset,
        kept: &[KeptChange],
    ) -> WhatIfRequest {
        let without =
            |ids: &[String]| as_changes(&snapshot.library, below, &self.trial.variant, ids);
        let all = without(&[]);
        let is_sent = |one: &KeptChange| {
            let rest = without(std::slice::from_ref(&one.id));
            let mut own = all
                .iter()
                .filter(|change| !rest.contains(change))
                .peekable();
            own.peek().is_some() && own.all(|change| self.trial.changes.contains(change))
        };
        let off = kept
            .iter()
            .filter(|one| !is_sent(one))
            .map(|one| one.id.clone());
        self.with(|request| request.trial.without = off.collect())
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
        let cells = self.cell.iter().map(|text| RuleChange::parse_cells(text));
        let changes = cells
            .chain(self.rule.iter().map(|text| RuleChange::parse_rule(text)))
            .collect::<Result<Vec<_>, _>>()?;
        let mut trial = RulesTrial {
            game: self.game.clone(),
            variant: self.variant.clone(),
            without: self.without.clone(),
            changes,
        };
        let program: ProgramSource = &|spec| snapshot.program(spec);
        snapshot.library.game(&self.game)?;
        let spec = snapshot.keeping_spec(&self.game, &self.variant)?.0;
        let below = trial.below(&snapshot.library, &spec, program)?;
        let kept = kept_changes(&snapshot.library, &below, &self.variant);
        trial.step_back(&kept, &self.back);
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
