//! What makes the difference between two rulesets, for each outcome by itself.
//!
//! Causes are found by switching, and hold to this: with the named ones alone over the one ruleset an outcome is what it is under the
//! other, and with all but them it is what it is under the one; and none of them can be left out of that. Where not all can be counted
//! this holds of some seeds, those on which the outcome parted among them, and beyond them nothing is decided.

use crate::compare::pairs::{Pairs, machine};
use crate::compare::switches::{Between, Switch};
use crate::compare::view::{Question, View};
use crate::complaint::Error;
use crate::data::case::Source;
use crate::data::piece::show;
use crate::data::scenario::Scenario;
use crate::odds::distribution::Odds;
use crate::odds::runs::Runs;
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
enum Known {
    Counted(Odds),
    Played(Vec<BTreeMap<String, String>>),
}

impl Known {
    fn agrees(&self, other: &Known, outcome: &str) -> bool {
        match (self, other) {
            (Known::Counted(a), Known::Counted(b)) => a.of(outcome) == b.of(outcome),
            (Known::Played(a), Known::Played(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.get(outcome) == b.get(outcome)),
            _ => false,
        }
    }
}

/// Looks for what makes the difference.
pub struct Causes<'a> {
    question: &'a Question<'a>,
    between: &'a Between<'a>,
    /// The seeds that are played where not all can be counted.
    pub seeds: Vec<u64>,
    /// What some switches come to over the one ruleset; the files complained of where they can't stand by themselves.
    known: BTreeMap<BTreeSet<usize>, Result<Known, BTreeSet<String>>>,
    /// Switches that had a part in either count, as far as is known.
    part: BTreeSet<usize>,
    found: Vec<BTreeSet<usize>>,
    /// The layer that brings each switch.
    layers: Vec<String>,
}

/// Seeds played besides those on which an outcome parted.
const SEEDS: u64 = 24;

impl<'a> Causes<'a> {
    /// A search between two views; the pairs played where they were not counted whole.
    pub fn new(
        question: &'a Question<'a>,
        between: &'a Between<'a>,
        views: [&View; 2],
        pairs: Option<&Pairs>,
    ) -> Result<Causes<'a>, Error> {
        let counted = views.iter().all(|view| view.complete());
        let mut seeds: BTreeSet<u64> = BTreeSet::new();
        if !counted {
            seeds.extend(1..=SEEDS);
            seeds.extend(pairs.iter().flat_map(|pairs| pairs.parted.values().flatten()));
        }
        let all: BTreeSet<usize> = (0..between.switches.len()).collect();
        let part = all.iter().copied().filter(|place| had_part(&between.switches[*place], between, views, counted)).collect();
        let layers = between.switches.iter().map(|switch| cause(between, switch).layer).collect();
        let seeds = seeds.into_iter().collect();
        let mut causes = Causes { question, between, seeds, known: BTreeMap::new(), part, found: Vec::new(), layers };
        for (set, view) in [(BTreeSet::new(), views[0]), (all, views[1])] {
            let known = if counted { Known::Counted(view.odds.clone()) } else { causes.played(&view.situation)? };
            causes.known.insert(set, Ok(known));
        }
        Ok(causes)
    }

    /// The causes of an outcome's difference; none where time was up before they were found.
    pub fn of(&mut self, outcome: &str) -> Option<Vec<Cause>> {
        let all: BTreeSet<usize> = (0..self.between.switches.len()).collect();
        // What made another outcome differ often makes this one differ too.
        let mut start = vec![self.part.clone(), all];
        start.splice(0..0, self.found.iter().rev().cloned());
        let mut kept = None;
        for set in start {
            if self.makes(&set, outcome)? {
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
                self.leave_out(&own, &mut kept, outcome)?;
            }
            let mut size = kept.len().div_ceil(2);
            while size > 0 {
                let list: Vec<usize> = kept.iter().copied().collect();
                for chunk in list.chunks(size) {
                    self.leave_out(chunk, &mut kept, outcome)?;
                }
                size = if size == 1 { 0 } else { size.div_ceil(2) };
            }
            // What is gone may have held others in place.
            if kept.len() == before {
                break;
            }
        }
        if !self.found.contains(&kept) {
            self.found.push(kept.clone());
        }
        Some(kept.into_iter().map(|place| cause(self.between, &self.between.switches[place])).collect())
    }

    /// Leaves some switches out where the others make the outcome's difference too; none where time is up.
    fn leave_out(&mut self, some: &[usize], kept: &mut BTreeSet<usize>, outcome: &str) -> Option<()> {
        let less: BTreeSet<usize> = kept.iter().copied().filter(|place| !some.contains(place)).collect();
        if less.len() < kept.len() && self.makes(&less, outcome)? {
            *kept = less;
        }
        Some(())
    }

    /// Whether some switches alone make an outcome what it is under the other ruleset, and all but them leave it what it is under the one;
    /// none where time is up.
    fn makes(&mut self, set: &BTreeSet<usize>, outcome: &str) -> Option<bool> {
        let all: BTreeSet<usize> = (0..self.between.switches.len()).collect();
        self.look(set)?;
        if !self.agree(set, &all, outcome) {
            return Some(false);
        }
        let rest = self.standing(all.difference(set).copied().collect())?;
        Some(self.agree(&rest, &BTreeSet::new(), outcome))
    }

    fn agree(&self, own: &BTreeSet<usize>, wanted: &BTreeSet<usize>, outcome: &str) -> bool {
        matches!((&self.known[own], &self.known[wanted]), (Ok(own), Ok(wanted)) if own.agrees(wanted, outcome))
    }

    /// Of some switches those that can stand: cases that ask for what the others bring are left out.
    fn standing(&mut self, mut some: BTreeSet<usize>) -> Option<BTreeSet<usize>> {
        loop {
            self.look(&some)?;
            let Err(paths) = &self.known[&some] else { return Some(some) };
            let fails =
                |place: &usize| matches!(&self.between.switches[*place], Switch::Case(key) if paths.iter().any(|path| path.ends_with(key)));
            let stand: BTreeSet<usize> = some.iter().copied().filter(|place| !fails(place)).collect();
            if stand.len() == some.len() {
                return Some(some);
            }
            some = stand;
        }
    }

    /// Finds out what some switches over the one ruleset come to; none where time is up.
    fn look(&mut self, on: &BTreeSet<usize>) -> Option<()> {
        if self.known.contains_key(on) {
            return Some(());
        }
        if self.question.late() {
            return None;
        }
        (self.question.progress)("looking for causes", 0.0, self.known.len() as u64);
        // What can't stand by itself makes nothing.
        let found = self.between.with(self.question, on).and_then(|situation| match self.seeds.is_empty() {
            true => self.question.odds(&situation, self.question.end).map(|(odds, _)| Known::Counted(odds)),
            false => self.played(&situation),
        });
        let cut = |known: &Known| match known {
            Known::Counted(odds) => !odds.complete(),
            Known::Played(runs) => runs.len() < self.seeds.len(),
        };
        if found.as_ref().is_ok_and(cut) {
            return None;
        }
        let paths = |error| match error {
            Error::Data(complaints) => complaints.0.into_iter().map(|complaint| complaint.place.path).collect(),
            _ => BTreeSet::new(),
        };
        self.known.insert(on.clone(), found.map_err(paths));
        Some(())
    }

    fn played(&self, situation: &Situation) -> Result<Known, Error> {
        let decider = self.question.decider(situation);
        let mut played = Runs::new(machine(self.question, situation), &decider);
        let mut runs = Vec::new();
        for seed in &self.seeds {
            if self.question.late() {
                break;
            }
            runs.push(played.of_seed(situation, *seed)?.into_iter().collect());
        }
        Ok(Known::Played(runs))
    }
}

/// Whether a switch had a part in either view, as far as is known: what had none is tried last.
fn had_part(switch: &Switch, between: &Between, views: [&View; 2], counted: bool) -> bool {
    let files = |view: &View| if counted { view.odds.files.clone() } else { view.reachable().files.clone() };
    let any = |wanted: &dyn Fn(&str) -> bool| views.iter().any(|view| files(view).iter().any(|key| wanted(key)));
    match switch {
        Switch::Case(key) => any(&|file| file == key),
        Switch::Reading(name) => [between.from, between.to].iter().any(|situation| {
            let own = situation.ruleset().cases.iter().filter(|case| name.starts_with(&format!("{}.", case.number)));
            own.into_iter().any(|case| any(&|file| file == case.file.key))
        }),
        Switch::Cell(id, _) | Switch::Table(id) => {
            !counted || between.table(id).into_iter().flatten().any(|table| any(&|file| file == table.file.key))
        }
        _ => true,
    }
}

fn words(sources: &[Source]) -> String {
    sources.iter().map(|s| format!("{} {}", s.doc, s.at).trim().to_string()).collect::<Vec<_>>().join("; ")
}

/// A switch as a reader is told of it.
fn cause(between: &Between, switch: &Switch) -> Cause {
    let rulesets = [between.from.ruleset(), between.to.ruleset()];
    let optional = |layer: &str, option: Option<&String>| option.map(|option| format!("{layer}.{option}")).unwrap_or_default();
    match switch {
        Switch::Case(key) => {
            let added = rulesets[1].cases.iter().any(|case| case.file.key == *key);
            let Some(case) = rulesets[usize::from(added)].cases.iter().find(|case| case.file.key == *key) else { return Cause::default() };
            Cause {
                kind: "case",
                path: case.file.path.clone(),
                layer: case.layer.to_string(),
                what: case.number.clone(),
                title: format!("{} ({})", case.title, case.kind.word()),
                source: words(&case.sources),
                option: optional(&case.layer, case.option.as_ref()),
                added,
            }
        }
        Switch::Reading(name) => {
            let way = |ruleset: &crate::ruleset::compose::Ruleset| ruleset.readings.get(name).cloned();
            let (was, now) = (way(rulesets[0]), way(rulesets[1]));
            let title = match (was, now) {
                (Some(was), Some(now)) => format!("read as {now} instead of {was}"),
                (one, other) => format!("read as {}", one.or(other).unwrap_or_default()),
            };
            Cause { kind: "reading", what: format!("reading {name}"), title, added: true, ..Cause::default() }
        }
        Switch::Cell(id, index) => {
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
                source: words(&table.sources),
                option: optional(&cell.layer, option),
                added,
            }
        }
        Switch::Table(id) => {
            let [was, now] = between.table(id);
            let Some(table) = now.or(was) else { return Cause::default() };
            let (layer, _, title, file) = table
                .chain
                .last()
                .cloned()
                .unwrap_or_else(|| (table.id.as_str().into(), crate::data::case::Kind::Rule, String::new(), table.file.clone()));
            let (layer, path, what) = (layer.to_string(), file.path.clone(), format!("table {id}"));
            Cause { kind: "table", path, layer, what, title, source: words(&table.sources), added: now.is_some(), ..Cause::default() }
        }
        Switch::Figure(list, piece, figure) => {
            let told = between.list(list).map(|list| list.and_then(|list| list.pieces.iter().find(|entry| entry.name == *piece)));
            let text = |place: usize| told[place].and_then(|entry| entry.data.get(figure)).map_or("nothing".to_string(), show);
            let (layer, path, added) = said(between, list, told.map(|entry| entry.map(|entry| &*entry.path)));
            let kind = if ["at", "on"].contains(&figure.as_str()) { "placement" } else { "figure" };
            let (what, title) = (format!("{figure} of {piece} in {list}"), format!("{} instead of {}", text(1), text(0)));
            Cause { kind, path, layer, what, title, added, ..Cause::default() }
        }
        Switch::Piece(list, piece) => {
            let told = between.list(list).map(|list| list.and_then(|list| list.pieces.iter().find(|entry| entry.name == *piece)));
            let added = told[1].is_some();
            let (layer, path, _) = said(between, list, told.map(|entry| entry.map(|entry| &*entry.path)));
            Cause { kind: "piece", path, layer, what: format!("{piece} in {list}"), added, ..Cause::default() }
        }
        Switch::List(list) => {
            let both = between.list(list);
            let Some(file) = both[1].or(both[0]) else { return Cause::default() };
            let (path, layer) = (file.file.path.clone(), file.layer.to_string());
            Cause { kind: "list", path, layer, what: list.clone(), title: file.title.clone(), added: both[1].is_some(), ..Cause::default() }
        }
    }
}

/// Which layer says what a list has of a piece: its name, its file, and whether the other ruleset has it.
fn said(between: &Between, list: &str, paths: [Option<&str>; 2]) -> (String, String, bool) {
    let base = |scenario: Option<&Scenario>| scenario.map(|scenario| scenario.file.path.clone()).unwrap_or_default();
    let printed = base(between.list(list)[0]);
    let added = paths[1].is_some_and(|path| path != printed) || paths[0].is_none_or(|path| path == printed);
    let path = paths[usize::from(added)].or(paths[0]).unwrap_or_default();
    let ruleset = if added { between.to } else { between.from }.ruleset();
    let layer = ruleset.layers.iter().find(|layer| layer.scenarios.get(list).is_some_and(|file| file.path == path));
    (layer.map(|layer| layer.name.to_string()).unwrap_or_default(), path.to_string(), added)
}
