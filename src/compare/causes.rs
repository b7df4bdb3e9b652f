//! What makes the difference between two rulesets, for each outcome by itself.
//!
//! Causes are found by switching, and hold to this: with the named ones alone over the one ruleset an outcome is what it is under the
//! other, and with all but them it is what it is under the one; and none of them can be left out of that. Where not all can be counted
//! this holds of some seeds, those on which the outcome parted among them, and beyond them nothing is decided.

use crate::compare::paired_runs::{PairCounts, machine};
use crate::compare::switches::{RulesetPair, RulesetSwitch};
use crate::compare::view::{Comparison, RulesetView};
use crate::complaint::Error;
use crate::data::case::SourceRef;
use crate::data::piece::datum_text;
use crate::data::scenario::Scenario;
use crate::odds::distribution::Odds;
use crate::odds::run_sampler::RunSampler;
use crate::ruling::situation::Situation;
use std::collections::{BTreeMap, BTreeSet};

/// One thing that makes a difference, as a reader is told of it.
#[derive(Clone, Debug, Default, serde::Serialize, PartialEq, Eq)]
pub struct Cause {
    /// What sort of thing: `case`, `reading`, `cell`, `table`, `figure`, `placement`, `piece`, `list`.
    pub kind: &'static str,
    /// The file.
    pub path: String,
    /// The layer that says it.
    pub layer: String,
    /// Case number, table and cell, figure and piece.
    pub what: String,
    /// Its title, or what it was and is now.
    pub title: String,
    /// Where it comes from.
    pub source: String,
    /// The option that switches it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub option: String,
    /// Whether the other ruleset has it, or lacks it.
    pub added: bool,
}

/// What a ruleset is known to make of a situation: odds, or what came of some seeds.
enum RulesetResult {
    Counted(Odds),
    Played(Vec<BTreeMap<String, String>>),
}

impl RulesetResult {
    fn agrees(&self, other: &RulesetResult, outcome: &str) -> bool {
        match (self, other) {
            (RulesetResult::Counted(a), RulesetResult::Counted(b)) => a.distribution(outcome) == b.distribution(outcome),
            (RulesetResult::Played(a), RulesetResult::Played(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.get(outcome) == b.get(outcome))
            }
            _ => false,
        }
    }
}

/// Looks for what makes the difference.
pub struct CauseSearch<'a> {
    comparison: &'a Comparison<'a>,
    pair: &'a RulesetPair<'a>,
    /// The seeds that are played where not all can be counted.
    pub seeds: Vec<u64>,
    /// What some switches come to over the one ruleset; the files complained of where they can't stand by themselves.
    results: BTreeMap<BTreeSet<usize>, Result<RulesetResult, BTreeSet<String>>>,
    /// Switches that had a part in either count, as far as is known.
    involved: BTreeSet<usize>,
    minimal_sets: Vec<BTreeSet<usize>>,
    /// The layer that brings each switch.
    layers: Vec<String>,
}

/// Seeds played besides those on which an outcome parted.
const EXTRA_SEEDS: u64 = 24;

impl<'a> CauseSearch<'a> {
    /// A search between two views; the pairs played where they were not counted whole.
    pub fn new(
        question: &'a Comparison<'a>,
        between: &'a RulesetPair<'a>,
        views: [&RulesetView; 2],
        pairs: Option<&PairCounts>,
    ) -> Result<CauseSearch<'a>, Error> {
        let counted = views.iter().all(|view| view.is_complete());
        let mut seeds: BTreeSet<u64> = BTreeSet::new();
        if !counted {
            seeds.extend(1..=EXTRA_SEEDS);
            seeds.extend(pairs.iter().flat_map(|pairs| pairs.differing_seeds.values().flatten()));
        }
        let all: BTreeSet<usize> = (0..between.switches.len()).collect();
        let part = all.iter().copied().filter(|place| is_involved(&between.switches[*place], between, views, counted)).collect();
        let layers = between.switches.iter().map(|switch| describe_cause(between, switch).layer).collect();
        let seeds = seeds.into_iter().collect();
        let mut causes = CauseSearch {
            comparison: question,
            pair: between,
            seeds,
            results: BTreeMap::new(),
            involved: part,
            minimal_sets: Vec::new(),
            layers,
        };
        for (set, view) in [(BTreeSet::new(), views[0]), (all, views[1])] {
            let known = if counted { RulesetResult::Counted(view.odds.clone()) } else { causes.play_seeds(&view.situation)? };
            causes.results.insert(set, Ok(known));
        }
        Ok(causes)
    }

    /// The causes of an outcome's difference; none where time was up before they were found.
    pub fn causes_of(&mut self, outcome: &str) -> Option<Vec<Cause>> {
        let all: BTreeSet<usize> = (0..self.pair.switches.len()).collect();
        // What made another outcome differ often makes this one differ too.
        let mut start = vec![self.involved.clone(), all];
        start.splice(0..0, self.minimal_sets.iter().rev().cloned());
        let mut kept = None;
        for set in start {
            if self.explains(&set, outcome)? {
                kept = Some(set);
                break;
            }
        }
        let mut kept = kept?;
        loop {
            let before = kept.len();
            // What a variant brings may not stand one without the other: it is left out whole first.
            for layer in kept.iter().map(|place| self.layers[*place].clone()).collect::<BTreeSet<_>>() {
                let own: Vec<usize> = kept.iter().copied().filter(|place| self.layers[*place] == layer).collect();
                self.try_without(&own, &mut kept, outcome)?;
            }
            let mut size = kept.len().div_ceil(2);
            while size > 0 {
                let list: Vec<usize> = kept.iter().copied().collect();
                for chunk in list.chunks(size) {
                    self.try_without(chunk, &mut kept, outcome)?;
                }
                size = if size == 1 { 0 } else { size.div_ceil(2) };
            }
            // What is gone may have held others in place.
            if kept.len() == before {
                break;
            }
        }
        if !self.minimal_sets.contains(&kept) {
            self.minimal_sets.push(kept.clone());
        }
        Some(kept.into_iter().map(|place| describe_cause(self.pair, &self.pair.switches[place])).collect())
    }

    /// Leaves some switches out where the others make the outcome's difference too; none where time is up.
    fn try_without(&mut self, some: &[usize], kept: &mut BTreeSet<usize>, outcome: &str) -> Option<()> {
        let less: BTreeSet<usize> = kept.iter().copied().filter(|place| !some.contains(place)).collect();
        if less.len() < kept.len() && self.explains(&less, outcome)? {
            *kept = less;
        }
        Some(())
    }

    /// Whether some switches alone make an outcome what it is under the other ruleset, and all but them leave it what it is under the one;
    /// none where time is up.
    fn explains(&mut self, set: &BTreeSet<usize>, outcome: &str) -> Option<bool> {
        let all: BTreeSet<usize> = (0..self.pair.switches.len()).collect();
        self.evaluate(set)?;
        if !self.results_agree(set, &all, outcome) {
            return Some(false);
        }
        let rest = self.buildable(all.difference(set).copied().collect())?;
        Some(self.results_agree(&rest, &BTreeSet::new(), outcome))
    }

    fn results_agree(&self, own: &BTreeSet<usize>, wanted: &BTreeSet<usize>, outcome: &str) -> bool {
        matches!((&self.results[own], &self.results[wanted]), (Ok(own), Ok(wanted)) if own.agrees(wanted, outcome))
    }

    /// Of some switches those that can stand: cases that ask for what the others bring are left out.
    fn buildable(&mut self, mut some: BTreeSet<usize>) -> Option<BTreeSet<usize>> {
        loop {
            self.evaluate(&some)?;
            let Err(paths) = &self.results[&some] else { return Some(some) };
            let fails = |place: &usize| matches!(&self.pair.switches[*place], RulesetSwitch::Case(key) if paths.iter().any(|path| path.ends_with(key)));
            let stand: BTreeSet<usize> = some.iter().copied().filter(|place| !fails(place)).collect();
            if stand.len() == some.len() {
                return Some(some);
            }
            some = stand;
        }
    }

    /// Finds out what some switches over the one ruleset come to; none where time is up.
    fn evaluate(&mut self, on: &BTreeSet<usize>) -> Option<()> {
        if self.results.contains_key(on) {
            return Some(());
        }
        if self.comparison.should_stop() {
            return None;
        }
        (self.comparison.progress)("looking for causes", 0.0, self.results.len() as u64);
        // What can't stand by itself makes nothing.
        let found = self.pair.with_switches(self.comparison, on).and_then(|situation| match self.seeds.is_empty() {
            true => self.comparison.count_odds(&situation, self.comparison.deadline).map(|(odds, _)| RulesetResult::Counted(odds)),
            false => self.play_seeds(&situation),
        });
        let cut = |known: &RulesetResult| match known {
            RulesetResult::Counted(odds) => !odds.is_complete(),
            RulesetResult::Played(runs) => runs.len() < self.seeds.len(),
        };
        if found.as_ref().is_ok_and(cut) {
            return None;
        }
        let paths = |error| match error {
            Error::Data(complaints) => complaints.0.into_iter().map(|complaint| complaint.place.path).collect(),
            _ => BTreeSet::new(),
        };
        self.results.insert(on.clone(), found.map_err(paths));
        Some(())
    }

    fn play_seeds(&self, situation: &Situation) -> Result<RulesetResult, Error> {
        let decider = self.comparison.choice_source(situation);
        let mut played = RunSampler::new(machine(self.comparison, situation), &decider);
        let mut runs = Vec::new();
        for seed in &self.seeds {
            if self.comparison.should_stop() {
                break;
            }
            runs.push(played.run_seed(situation, *seed)?.into_iter().collect());
        }
        Ok(RulesetResult::Played(runs))
    }
}

/// Whether a switch had a part in either view, as far as is known: what had none is tried last.
fn is_involved(switch: &RulesetSwitch, between: &RulesetPair, views: [&RulesetView; 2], counted: bool) -> bool {
    let files = |view: &RulesetView| if counted { view.odds.files.clone() } else { view.reachable().files.clone() };
    let any = |wanted: &dyn Fn(&str) -> bool| views.iter().any(|view| files(view).iter().any(|key| wanted(key)));
    match switch {
        RulesetSwitch::Case(key) => any(&|file| file == key),
        RulesetSwitch::Reading(name) => [between.from, between.to].iter().any(|situation| {
            let own = situation.ruleset().cases.iter().filter(|case| name.starts_with(&format!("{}.", case.number)));
            own.into_iter().any(|case| any(&|file| file == case.file.key))
        }),
        RulesetSwitch::Cell(id, _) | RulesetSwitch::Table(id) => {
            !counted || between.table(id).into_iter().flatten().any(|table| any(&|file| file == table.file.key))
        }
        _ => true,
    }
}

fn sources_text(sources: &[SourceRef]) -> String {
    sources.iter().map(|s| format!("{} {}", s.doc, s.at).trim().to_string()).collect::<Vec<_>>().join("; ")
}

/// A switch as a reader is told of it.
fn describe_cause(between: &RulesetPair, switch: &RulesetSwitch) -> Cause {
    let rulesets = [between.from.ruleset(), between.to.ruleset()];
    let optional = |layer: &str, option: Option<&String>| option.map(|option| format!("{layer}.{option}")).unwrap_or_default();
    match switch {
        RulesetSwitch::Case(key) => {
            let added = rulesets[1].cases.iter().any(|case| case.file.key == *key);
            let Some(case) = rulesets[usize::from(added)].cases.iter().find(|case| case.file.key == *key) else { return Cause::default() };
            Cause {
                kind: "case",
                path: case.file.path.clone(),
                layer: case.layer.to_string(),
                what: case.number.clone(),
                title: format!("{} ({})", case.title, case.kind.as_str()),
                source: sources_text(&case.sources),
                option: optional(&case.layer, case.option.as_ref()),
                added,
            }
        }
        RulesetSwitch::Reading(name) => {
            let way = |ruleset: &crate::ruleset::compose::Ruleset| ruleset.readings.get(name).cloned();
            let (was, now) = (way(rulesets[0]), way(rulesets[1]));
            let title = match (was, now) {
                (Some(was), Some(now)) => format!("read as {now} instead of {was}"),
                (one, other) => format!("read as {}", one.or(other).unwrap_or_default()),
            };
            Cause { kind: "reading", what: format!("reading {name}"), title, added: true, ..Cause::default() }
        }
        RulesetSwitch::Cell(id, index) => {
            let [Some(a), Some(b)] = between.table(id) else { return Cause::default() };
            let (was, now) = (&a.cells[*index], &b.cells[*index]);
            let base = rulesets[0].layers[0].name.clone();
            // A figure that goes back to the printed one is taken away, not said.
            let (cell, table, added) = if now.layer == base && was.layer != base { (was, a, false) } else { (now, b, true) };
            let mut ignored = crate::complaint::Complaints::default();
            let files = rulesets[usize::from(added)].table_files(id, &mut ignored);
            let option =
                files.iter().find(|file| file.layer == cell.layer && *file.file.path == *cell.path).and_then(|f| f.option.as_ref());
            Cause {
                kind: "cell",
                path: format!("{}:{}", cell.path, cell.span.line),
                layer: cell.layer.to_string(),
                what: format!("table {id}, {}", table.label(*index)),
                title: format!("{} instead of {}", now.text, was.text),
                source: sources_text(&table.sources),
                option: optional(&cell.layer, option),
                added,
            }
        }
        RulesetSwitch::Table(id) => {
            let [was, now] = between.table(id);
            let Some(table) = now.or(was) else { return Cause::default() };
            let (layer, _, title, file) = table
                .layers
                .last()
                .cloned()
                .unwrap_or_else(|| (table.id.as_str().into(), crate::data::case::CaseKind::Rule, String::new(), table.file.clone()));
            let (layer, path, what) = (layer.to_string(), file.path.clone(), format!("table {id}"));
            Cause {
                kind: "table",
                path,
                layer,
                what,
                title,
                source: sources_text(&table.sources),
                added: now.is_some(),
                ..Cause::default()
            }
        }
        RulesetSwitch::Figure(list, piece, figure) => {
            let told = between.list(list).map(|list| list.and_then(|list| list.pieces.iter().find(|entry| entry.name == *piece)));
            let text = |place: usize| told[place].and_then(|entry| entry.attributes.get(figure)).map_or("nothing".to_string(), datum_text);
            let (layer, path, added) = list_source(between, list, told.map(|entry| entry.map(|entry| &*entry.path)));
            let kind = if ["at", "on"].contains(&figure.as_str()) { "placement" } else { "figure" };
            let (what, title) = (format!("{figure} of {piece} in {list}"), format!("{} instead of {}", text(1), text(0)));
            Cause { kind, path, layer, what, title, added, ..Cause::default() }
        }
        RulesetSwitch::Piece(list, piece) => {
            let told = between.list(list).map(|list| list.and_then(|list| list.pieces.iter().find(|entry| entry.name == *piece)));
            let added = told[1].is_some();
            let (layer, path, _) = list_source(between, list, told.map(|entry| entry.map(|entry| &*entry.path)));
            Cause { kind: "piece", path, layer, what: format!("{piece} in {list}"), added, ..Cause::default() }
        }
        RulesetSwitch::List(list) => {
            let both = between.list(list);
            let Some(file) = both[1].or(both[0]) else { return Cause::default() };
            let (path, layer) = (file.file.path.clone(), file.layer.to_string());
            Cause { kind: "list", path, layer, what: list.clone(), title: file.title.clone(), added: both[1].is_some(), ..Cause::default() }
        }
    }
}

/// Which layer says what a list has of a piece: its name, its file, and whether the other ruleset has it.
fn list_source(between: &RulesetPair, list: &str, paths: [Option<&str>; 2]) -> (String, String, bool) {
    let base = |scenario: Option<&Scenario>| scenario.map(|scenario| scenario.file.path.clone()).unwrap_or_default();
    let printed = base(between.list(list)[0]);
    let added = paths[1].is_some_and(|path| path != printed) || paths[0].is_none_or(|path| path == printed);
    let path = paths[usize::from(added)].or(paths[0]).unwrap_or_default();
    let ruleset = if added { between.to } else { between.from }.ruleset();
    let layer = ruleset.layers.iter().find(|layer| layer.scenarios.get(list).is_some_and(|file| file.path == path));
    (layer.map(|layer| layer.name.to_string()).unwrap_or_default(), path.to_string(), added)
}
