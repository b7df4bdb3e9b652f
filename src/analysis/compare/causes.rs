//! Finds the causes of the difference between two rulesets, separately for each outcome.
//!
//! A set of causes is verified by switching. Applied alone to the first ruleset, it gives the outcome its value under the second;
//! everything but the set leaves the outcome at its value under the first; and no cause can be dropped. A case that can't be dropped only
//! because others call it is put out of action instead, and is no cause if the outcome stays. If the situation can't be fully counted, this is verified only for some seeds, including those on which the outcome differed, and nothing is claimed beyond them.

use crate::compare::paired_runs::{PairCounts, machine};
use crate::compare::switches::{RulesetPair, RulesetSwitch};
use crate::compare::view::{Comparison, RulesetView};
use crate::odds::distribution::Odds;
use crate::odds::seeded_run::{plain_outcomes, run_seed};
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::case::sources_text;
use casebook_engine::data::list_change::{ListChange, path_label};
use casebook_engine::data::piece::datum_text;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruling::situation::Situation;
use std::collections::{BTreeMap, BTreeSet};

/// A cause of a difference, described for the user.
#[derive(Clone, Debug, Default, serde::Serialize, schemars::JsonSchema, PartialEq, Eq)]
pub struct Cause {
    /// What it is.
    #[schemars(extend("enum" = ["case", "reading", "cell", "table", "figure", "placement", "piece", "list"]))]
    pub kind: &'static str,
    /// The file.
    pub path: String,
    /// The layer that the file belongs to.
    pub layer: String,
    /// The identity: a case number, a table and cell, or a figure and piece.
    #[serde(rename = "what")]
    pub identity: String,
    /// The case or table, as citations name it.
    #[serde(skip)]
    pub cite: String,
    /// The title, or the old and the new value.
    pub title: String,
    /// The printed source.
    pub source: String,
    /// The option that switches it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub option: String,
    /// Whether the second ruleset adds it; otherwise the second ruleset lacks it.
    pub added: bool,
}

/// The outcome of a ruleset: its odds, or the outcomes of some seeds.
enum RulesetResult {
    Counted(Odds),
    Played(Vec<BTreeMap<String, String>>),
}

impl RulesetResult {
    fn agrees(&self, other: &RulesetResult, outcome: &str) -> bool {
        match (self, other) {
            (RulesetResult::Counted(a), RulesetResult::Counted(b)) => {
                a.distribution(outcome) == b.distribution(outcome)
            }
            (RulesetResult::Played(a), RulesetResult::Played(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .zip(b)
                        .all(|(a, b)| a.get(outcome) == b.get(outcome))
            }
            _ => false,
        }
    }
}

/// A search for the causes of differences.
pub struct CauseSearch<'a> {
    comparison: &'a Comparison<'a>,
    pair: &'a RulesetPair<'a>,
    /// The seeds to play if the situation can't be fully counted.
    pub seeds: Vec<u64>,
    /// The results of sets of switches applied to the first ruleset, or the files with complaints if a set can't be built.
    results: BTreeMap<BTreeSet<usize>, Result<RulesetResult, BTreeSet<String>>>,
    /// The results with one case put out of action, by its switch; `None` where that is a fault, or the case can be left out.
    idle_results: BTreeMap<usize, Option<RulesetResult>>,
    /// Switches that are known to be involved in either view.
    involved: BTreeSet<usize>,
    minimal_sets: Vec<BTreeSet<usize>>,
    /// The layer of each switch.
    layers: Vec<String>,
}

/// The number of seeds played in addition to those on which an outcome differed.
const EXTRA_SEEDS: u64 = 24;

impl<'a> CauseSearch<'a> {
    /// Creates a search between two views; `pairs` are the paired runs if the views are incomplete.
    pub fn new(
        comparison: &'a Comparison<'a>,
        pair: &'a RulesetPair<'a>,
        views: [&RulesetView; 2],
        pairs: Option<&PairCounts>,
    ) -> Result<CauseSearch<'a>, Error> {
        let counted = views.iter().all(|view| view.is_complete());
        let mut seeds: BTreeSet<u64> = BTreeSet::new();
        if !counted {
            seeds.extend(1..=EXTRA_SEEDS);
            seeds.extend(
                pairs
                    .iter()
                    .flat_map(|pairs| pairs.differing_seeds.values().flatten()),
            );
        }
        let all_switches: BTreeSet<usize> = (0..pair.switches.len()).collect();
        let involved = all_switches
            .iter()
            .copied()
            .filter(|index| is_involved(&pair.switches[*index], pair, views, counted))
            .collect();
        let layers = pair
            .switches
            .iter()
            .map(|switch| describe_cause(pair, switch).layer)
            .collect();
        let seeds = seeds.into_iter().collect();
        let (results, idle_results) = Default::default();
        let mut causes = CauseSearch {
            comparison,
            pair,
            seeds,
            results,
            idle_results,
            involved,
            minimal_sets: Vec::new(),
            layers,
        };
        for (set, view) in [(BTreeSet::new(), views[0]), (all_switches, views[1])] {
            let result = if counted {
                RulesetResult::Counted(view.odds.clone())
            } else {
                causes.play_seeds(&view.situation)?
            };
            causes.results.insert(set, Ok(result));
        }
        Ok(causes)
    }

    /// Returns the causes of an outcome's difference; `None` if time was up first.
    pub fn causes_of(&mut self, outcome: &str) -> Option<Vec<Cause>> {
        let all_switches: BTreeSet<usize> = (0..self.pair.switches.len()).collect();
        // The causes of another outcome often explain this one too.
        let mut start = vec![self.involved.clone(), all_switches];
        start.splice(0..0, self.minimal_sets.iter().rev().cloned());
        let mut minimal = None;
        for set in start {
            if self.explains(&set, outcome)? {
                minimal = Some(set);
                break;
            }
        }
        let mut minimal = minimal?;
        loop {
            let size_before = minimal.len();
            // The changes of a variant may depend on each other, so whole layers are dropped first.
            for layer in minimal
                .iter()
                .map(|index| self.layers[*index].clone())
                .collect::<BTreeSet<_>>()
            {
                let layer_switches: Vec<usize> = minimal
                    .iter()
                    .copied()
                    .filter(|index| self.layers[*index] == layer)
                    .collect();
                self.try_without(&layer_switches, &mut minimal, outcome)?;
            }
            let mut size = minimal.len().div_ceil(2);
            while size > 0 {
                let remaining: Vec<usize> = minimal.iter().copied().collect();
                for chunk in remaining.chunks(size) {
                    self.try_without(chunk, &mut minimal, outcome)?;
                }
                size = if size == 1 { 0 } else { size.div_ceil(2) };
            }
            // A dropped switch may have been the only reason to keep others, so the loop repeats until nothing changes.
            if minimal.len() == size_before {
                break;
            }
        }
        if !self.minimal_sets.contains(&minimal) {
            self.minimal_sets.push(minimal.clone());
        }
        let mut effective = Vec::new();
        for index in minimal.iter().copied() {
            if self.has_effect(index, outcome)? {
                effective.push(index);
            }
        }
        // Where each does nothing alone, they make the difference together.
        if effective.is_empty() {
            effective = minimal.into_iter().collect();
        }
        Some(
            effective
                .into_iter()
                .map(|index| describe_cause(self.pair, &self.pair.switches[index]))
                .collect(),
        )
    }

    /// Whether a cause makes a difference itself, or is only called by others that do; `None` if time is up.
    fn has_effect(&mut self, index: usize, outcome: &str) -> Option<bool> {
        let RulesetSwitch::Case(key) = &self.pair.switches[index] else {
            return Some(true);
        };
        if !self.idle_results.contains_key(&index) {
            if self.comparison.should_stop() {
                return None;
            }
            let idle = self.pair.with_idle_case(self.comparison, key);
            let idle = idle.and_then(|situation| {
                situation
                    .map(|situation| self.result_of(&situation))
                    .transpose()
            });
            if idle.as_ref().is_ok_and(|result| {
                result
                    .as_ref()
                    .is_some_and(|result| self.is_incomplete(result))
            }) {
                return None;
            }
            self.idle_results.insert(index, idle.ok().flatten());
        }
        let is_added = self
            .pair
            .to
            .ruleset()
            .cases
            .iter()
            .any(|case| case.key() == *key);
        let reference = if is_added {
            (0..self.pair.switches.len()).collect()
        } else {
            BTreeSet::new()
        };
        let is_same = matches!((&self.idle_results[&index], &self.results[&reference]), (Some(idle), Ok(result)) if idle.agrees(result, outcome));
        Some(!is_same)
    }

    /// Drops some switches if the others still explain the outcome's difference; `None` if time is up.
    fn try_without(
        &mut self,
        dropped: &[usize],
        minimal: &mut BTreeSet<usize>,
        outcome: &str,
    ) -> Option<()> {
        let reduced: BTreeSet<usize> = minimal
            .iter()
            .copied()
            .filter(|index| !dropped.contains(index))
            .collect();
        if reduced.len() < minimal.len() && self.explains(&reduced, outcome)? {
            *minimal = reduced;
        }
        Some(())
    }

    /// Whether a set of switches alone gives the outcome its value under the second ruleset, and all others leave it at its value under
    /// the first; `None` if time is up.
    fn explains(&mut self, set: &BTreeSet<usize>, outcome: &str) -> Option<bool> {
        let all_switches: BTreeSet<usize> = (0..self.pair.switches.len()).collect();
        self.evaluate(set)?;
        if !self.results_agree(set, &all_switches, outcome) {
            return Some(false);
        }
        let complement = self.buildable(all_switches.difference(set).copied().collect())?;
        Some(self.results_agree(&complement, &BTreeSet::new(), outcome))
    }

    fn results_agree(
        &self,
        set: &BTreeSet<usize>,
        reference: &BTreeSet<usize>,
        outcome: &str,
    ) -> bool {
        matches!((&self.results[set], &self.results[reference]), (Ok(set), Ok(reference)) if set.agrees(reference, outcome))
    }

    /// Returns the switches that can be built together: cases that depend on switches outside of the set are dropped.
    fn buildable(&mut self, mut switches: BTreeSet<usize>) -> Option<BTreeSet<usize>> {
        loop {
            self.evaluate(&switches)?;
            let Err(paths) = &self.results[&switches] else {
                return Some(switches);
            };
            let fails = |index: &usize| matches!(&self.pair.switches[*index], RulesetSwitch::Case(key) if paths.iter().any(|path| path.ends_with(key)));
            let needed: BTreeSet<usize> = switches
                .iter()
                .copied()
                .filter(|index| !fails(index))
                .collect();
            if needed.len() == switches.len() {
                return Some(switches);
            }
            switches = needed;
        }
    }

    /// Evaluates a set of switches applied to the first ruleset; `None` if time is up.
    fn evaluate(&mut self, switches: &BTreeSet<usize>) -> Option<()> {
        if self.results.contains_key(switches) {
            return Some(());
        }
        if self.comparison.should_stop() {
            return None;
        }
        (self.comparison.progress)("looking for causes", 0.0, self.results.len() as u64);
        // A set that can't be built has no result.
        let evaluated = self
            .pair
            .with_switches(self.comparison, switches)
            .and_then(|situation| self.result_of(&situation));
        if evaluated
            .as_ref()
            .is_ok_and(|result| self.is_incomplete(result))
        {
            return None;
        }
        let paths = |error| match error {
            Error::Data(complaints) => complaints
                .0
                .into_iter()
                .map(|complaint| complaint.place.path)
                .collect(),
            _ => BTreeSet::new(),
        };
        self.results
            .insert(switches.clone(), evaluated.map_err(paths));
        Some(())
    }

    fn result_of(&self, situation: &Situation) -> Result<RulesetResult, Error> {
        match self.seeds.is_empty() {
            true => self
                .comparison
                .count_odds(situation, self.comparison.deadline)
                .map(|(odds, _)| RulesetResult::Counted(odds)),
            false => self.play_seeds(situation),
        }
    }

    fn is_incomplete(&self, result: &RulesetResult) -> bool {
        match result {
            RulesetResult::Counted(odds) => !odds.is_complete(),
            RulesetResult::Played(runs) => runs.len() < self.seeds.len(),
        }
    }

    fn play_seeds(&self, situation: &Situation) -> Result<RulesetResult, Error> {
        let source = self.comparison.choice_source(situation);
        let mut machine = machine(self.comparison, situation);
        let mut runs = Vec::new();
        for seed in &self.seeds {
            if self.comparison.should_stop() {
                break;
            }
            runs.push(
                plain_outcomes(run_seed(&mut machine, situation, &source, *seed)?)
                    .into_iter()
                    .collect(),
            );
        }
        Ok(RulesetResult::Played(runs))
    }
}

/// Whether a switch is known to be involved in either view; those that are not are tried last.
fn is_involved(
    switch: &RulesetSwitch,
    pair: &RulesetPair,
    views: [&RulesetView; 2],
    counted: bool,
) -> bool {
    let files = |view: &RulesetView| {
        if counted {
            view.odds.files.clone()
        } else {
            view.reachable().files.clone()
        }
    };
    let any_file = |predicate: &dyn Fn(&str) -> bool| {
        views
            .iter()
            .any(|view| files(view).iter().any(|key| predicate(key)))
    };
    match switch {
        RulesetSwitch::Case(key) => any_file(&|file| file == key),
        RulesetSwitch::Reading(name) => [pair.from, pair.to].iter().any(|situation| {
            let reading_cases = situation
                .ruleset()
                .cases
                .iter()
                .filter(|case| name.starts_with(&format!("{}.", case.number)));
            reading_cases
                .into_iter()
                .any(|case| any_file(&|file| file == case.key()))
        }),
        RulesetSwitch::Cell(id, _) | RulesetSwitch::Table(id) => {
            !counted
                || pair
                    .table(id)
                    .into_iter()
                    .flatten()
                    .any(|table| any_file(&|file| file == table.file.key))
        }
        _ => true,
    }
}

/// Describes a switch for the user.
pub fn describe_cause(pair: &RulesetPair, switch: &RulesetSwitch) -> Cause {
    let rulesets = [pair.from.ruleset(), pair.to.ruleset()];
    let optional = |layer: &str, option: Option<&String>| {
        option
            .map(|option| format!("{layer}.{option}"))
            .unwrap_or_default()
    };
    match switch {
        RulesetSwitch::Case(key) => {
            let added = rulesets[1].cases.iter().any(|case| case.key() == *key);
            let Some(case) = rulesets[usize::from(added)]
                .cases
                .iter()
                .find(|case| case.key() == *key)
            else {
                return Cause::default();
            };
            Cause {
                kind: "case",
                path: case.path(),
                layer: case.layer.to_string(),
                identity: case.number.clone(),
                cite: case.number.clone(),
                title: format!("{} ({})", case.title, case.kind.as_str()),
                source: sources_text(&case.sources),
                option: optional(&case.layer, case.option.as_ref()),
                added,
            }
        }
        RulesetSwitch::Reading(name) => {
            let alternative = |ruleset: &Ruleset| ruleset.readings.get(name).cloned();
            let (was, now) = (alternative(rulesets[0]), alternative(rulesets[1]));
            let title = match (was, now) {
                (Some(was), Some(now)) => format!("read as {now} instead of {was}"),
                (was, now) => format!("read as {}", was.or(now).unwrap_or_default()),
            };
            Cause {
                kind: "reading",
                identity: format!("reading {name}"),
                title,
                added: true,
                ..Cause::default()
            }
        }
        RulesetSwitch::Cell(id, index) => {
            let [Some(a), Some(b)] = pair.table(id) else {
                return Cause::default();
            };
            let (was, now) = (&a.cells[*index], &b.cells[*index]);
            let base = rulesets[0].layers[0].name.clone();
            // A cell that reverts to its printed value counts as removed, not as added.
            let (cell, table, added) = if now.layer == base && was.layer != base {
                (was, a, false)
            } else {
                (now, b, true)
            };
            let mut ignored = Complaints::default();
            let files = rulesets[usize::from(added)].table_files(id, &mut ignored);
            let option = files
                .iter()
                .find(|file| file.layer == cell.layer && *file.file.path == *cell.path)
                .and_then(|f| f.option.as_ref());
            Cause {
                kind: "cell",
                path: format!("{}:{}", cell.path, cell.span.line),
                layer: cell.layer.to_string(),
                identity: format!("table {id}, {}", table.label(*index)),
                cite: format!("table {id}"),
                title: format!("{} instead of {}", now.text, was.text),
                source: sources_text(table.sources_of(cell)),
                option: optional(&cell.layer, option),
                added,
            }
        }
        RulesetSwitch::Table(id) => {
            let [was, now] = pair.table(id);
            let Some(table) = now.or(was) else {
                return Cause::default();
            };
            let Some(newest) = table.layers.last() else {
                return Cause::default();
            };
            let (layer, path, identity) = (
                newest.name.to_string(),
                newest.file.path.clone(),
                format!("table {id}"),
            );
            let (cite, source, added, title) = (
                identity.clone(),
                sources_text(&newest.sources),
                now.is_some(),
                newest.title.clone(),
            );
            Cause {
                kind: "table",
                path,
                layer,
                cite,
                identity,
                title,
                source,
                added,
                ..Cause::default()
            }
        }
        RulesetSwitch::Figure(list, piece, figure) => {
            let entries = pair.list(list).map(|list| {
                list.and_then(|list| list.pieces.iter().find(|entry| entry.name == *piece))
            });
            let text = |side: usize| {
                entries[side]
                    .and_then(|entry| entry.attributes.get(figure))
                    .map_or("nothing".to_string(), datum_text)
            };
            let CauseSource { layer, path, added } = list_source(
                pair,
                list,
                entries.map(|entry| entry.map(|entry| &*entry.path)),
            );
            let kind = if ["at", "on"].contains(&figure.as_str()) {
                "placement"
            } else {
                "figure"
            };
            let (identity, title) = (
                format!("{figure} of {piece} in {list}"),
                format!("{} instead of {}", text(1), text(0)),
            );
            Cause {
                kind,
                path,
                layer,
                identity,
                title,
                added,
                ..Cause::default()
            }
        }
        RulesetSwitch::Value(list, path) => {
            let lists = pair.list(list);
            let changed = |side: usize| {
                let mut changed = lists[side]?.changed.iter().rev();
                changed.find(|value| value.path == *path)
            };
            let text = |side: usize| {
                let text = lists[side].and_then(|list| list.value_at(path));
                text.unwrap_or("nothing".into())
            };
            let Some(value) = changed(1).or(changed(0)) else {
                return Cause::default();
            };
            Cause {
                kind: "figure",
                path: format!("{}:{}", value.file.path, value.span().line),
                layer: value.layer.to_string(),
                identity: format!("{} in {list}", path_label(path, "")),
                title: format!("{} instead of {}", text(1), text(0)),
                added: changed(1).is_some(),
                ..Cause::default()
            }
        }
        RulesetSwitch::Piece(list, piece) => {
            let entries = pair.list(list).map(|list| {
                list.and_then(|list| list.pieces.iter().find(|entry| entry.name == *piece))
            });
            let CauseSource { layer, path, added } = match entries {
                [Some(_), None] => removal_source(pair.to.ruleset(), list, piece, true),
                [None, Some(_)] => removal_source(pair.from.ruleset(), list, piece, false),
                _ => None,
            }
            .unwrap_or_else(|| {
                let paths = entries.map(|entry| entry.map(|entry| &*entry.path));
                CauseSource {
                    added: entries[1].is_some(),
                    ..list_source(pair, list, paths)
                }
            });
            Cause {
                kind: "piece",
                path,
                layer,
                identity: format!("{piece} in {list}"),
                added,
                ..Cause::default()
            }
        }
        RulesetSwitch::List(list) => {
            let lists = pair.list(list);
            let Some(file) = lists[1].or(lists[0]) else {
                return Cause::default();
            };
            let (path, layer) = (file.file.path.clone(), file.layer.to_string());
            Cause {
                kind: "list",
                path,
                layer,
                identity: list.clone(),
                title: file.title.clone(),
                source: sources_text(&file.sources),
                added: lists[1].is_some(),
                ..Cause::default()
            }
        }
    }
}

/// What determines a piece in a list.
struct CauseSource {
    layer: String,
    path: String,
    /// Whether the second ruleset adds it.
    added: bool,
}

/// Returns the layer of a ruleset that takes a piece out of a list; `None` if none does.
fn removal_source(ruleset: &Ruleset, list: &str, piece: &str, added: bool) -> Option<CauseSource> {
    let files = ruleset.scenario_files(list, &mut Complaints::default());
    let removes =
        |change: &&ListChange| change.path == ["pieces", piece] && change.new_value().is_none();
    let changes = files.iter().rev().flat_map(|file| &file.changes);
    let removal = changes.clone().find(removes)?;
    let path = format!("{}:{}", removal.file.path, removal.entry_span.line);
    Some(CauseSource {
        layer: removal.layer.to_string(),
        path,
        added,
    })
}

/// Returns the layer that determines a piece in a list.
fn list_source(pair: &RulesetPair, list: &str, paths: [Option<&str>; 2]) -> CauseSource {
    let base = |scenario: Option<&Scenario>| {
        scenario
            .map(|scenario| scenario.file.path.clone())
            .unwrap_or_default()
    };
    let printed = base(pair.list(list)[0]);
    let added =
        paths[1].is_some_and(|path| path != printed) || paths[0].is_none_or(|path| path == printed);
    let path = paths[usize::from(added)].or(paths[0]).unwrap_or_default();
    let ruleset = if added { pair.to } else { pair.from }.ruleset();
    let layer = ruleset.layers.iter().find(|layer| {
        let manifest = layer.variant.as_ref().map(|variant| &variant.file);
        let mut files = layer.scenarios.get(list).into_iter().chain(manifest);
        files.any(|file| file.path == path)
    });
    CauseSource {
        layer: layer
            .map(|layer| layer.name.to_string())
            .unwrap_or_default(),
        path: path.to_string(),
        added,
    }
}
