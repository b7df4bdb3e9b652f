//! Two rulesets on one situation: where they part, and which amendments make the difference.
//!
//! The amendments are found by leaving them out, one half after another, until no more can go without the difference going too.

use crate::complaint::Error;
use crate::data::library::Library;
use crate::data::scenario::Scenario;
use crate::odds::count::Count;
use crate::odds::distribution::Odds;
use crate::odds::explore::{Bounds, Wanted};
use crate::odds::fold::Picked;
use crate::ruleset::compose::{Ruleset, Wish};
use crate::ruleset::laws;
use crate::ruling::decide::Decider;
use crate::ruling::situation::Situation;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What a ruleset makes of a situation.
#[derive(Clone, Debug)]
pub struct View {
    /// The ruleset in words.
    pub title: String,
    /// Its odds.
    pub odds: Odds,
    /// Whether they were counted whole.
    pub complete: bool,
}

/// One amendment that makes a difference, as a reader is told of it.
#[derive(Clone, Debug, serde::Serialize, PartialEq, Eq)]
pub struct Cause {
    /// The file.
    pub path: String,
    /// The layer.
    pub layer: String,
    /// Case number, table or list.
    pub what: String,
    /// Its title.
    pub title: String,
    /// Where it comes from.
    pub source: String,
}

/// What is compared: a situation of a library, with answers to its choices.
pub struct Question<'a> {
    /// The data.
    pub library: &'a Arc<Library>,
    /// The situation.
    pub name: &'a str,
    /// Answers to choices.
    pub choices: &'a [(String, String)],
    /// How long a count may take.
    pub time: Duration,
    /// Ends the counts when it is set.
    pub stop: &'a AtomicBool,
    /// Told now and then how much of all chances has been seen.
    pub progress: &'a (dyn Fn(f64, u64) + Sync),
    /// On how many threads.
    pub threads: usize,
}

impl Question<'_> {
    /// The odds under a ruleset.
    pub fn view(&self, wish: &Wish) -> Result<View, Error> {
        let situation = Situation::of(self.library, wish, self.name)?;
        let title = titled(situation.ruleset());
        let decider = Decider { answers: situation.answers(self.choices), ..Decider::default() };
        let bounds = Bounds { end: Instant::now() + self.time, stop: self.stop, progress: self.progress };
        let (wanted, threads) = (Wanted::default(), self.threads);
        let counted = Count { situation: &situation, decider: &decider, strict: false, wanted: &wanted, threads, bounds: &bounds }.run()?;
        Ok(View { title, odds: Odds::new(&counted, &Picked::default()), complete: counted.complete })
    }

    /// The smallest set found of a ruleset's amendments, options and readings without which its odds are no longer these.
    pub fn causes(&self, wish: &Wish, view: &View) -> Result<Vec<Cause>, Error> {
        let (ruleset, _) = laws::enact(self.library, wish)?;
        // A file that had no part in the count can't have made the difference; lists of pieces may have, before it began.
        let part = |key: &String| view.odds.files.contains(key) || key.contains("/scenarios/");
        let files = ruleset.amendments().into_iter().filter(part).map(Piece::File);
        let all: Vec<Piece> = files.chain(wish.readings.iter().cloned().map(Piece::Reading)).collect();
        let kept = smallest(all, |some| {
            let less = without(wish, &ruleset, some);
            // What can't stand without the rest is no smaller ruleset.
            self.view(&less).is_ok_and(|other| same(&other.odds, &view.odds))
        });
        Ok(kept.iter().map(|piece| cause(&ruleset, piece)).collect())
    }
}

/// A ruleset in words, with what was chosen by hand.
fn titled(ruleset: &Ruleset) -> String {
    let options = ruleset.wish.options.iter().map(|(name, on)| format!("{name}={}", if *on { "on" } else { "off" }));
    let readings = ruleset.wish.readings.iter().map(|(name, way)| format!("{name}={way}"));
    let by_hand: Vec<String> = options.chain(readings).collect();
    let variants: Vec<&str> = ruleset.variants().map(|l| &*l.name).collect();
    let title = if variants.is_empty() { ruleset.game.name.clone() } else { variants.join(", ") };
    if by_hand.is_empty() { title } else { format!("{title} ({})", by_hand.join(", ")) }
}

/// Something that can be left out of a ruleset.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    File(String),
    Reading((String, String)),
}

/// A wish with nothing of its amendments and readings but these.
fn without(wish: &Wish, ruleset: &Ruleset, kept: &[Piece]) -> Wish {
    let file = |key: &String| kept.contains(&Piece::File(key.clone()));
    let mut less = wish.clone();
    less.leave_out = ruleset.amendments().into_iter().filter(|key| !file(key)).collect();
    less.readings.retain(|reading| kept.contains(&Piece::Reading(reading.clone())));
    less
}

/// The smallest part of a list for which a test still holds, as far as leaving out single items and halves finds it.
fn smallest<T: Clone>(all: Vec<T>, holds: impl Fn(&[T]) -> bool) -> Vec<T> {
    let mut kept = all;
    let mut size = kept.len();
    while size > 0 && !kept.is_empty() {
        let mut start = 0;
        while start < kept.len() {
            let end = (start + size).min(kept.len());
            let less: Vec<T> = kept[..start].iter().chain(&kept[end..]).cloned().collect();
            if holds(&less) {
                kept = less;
            } else {
                start = end;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    kept
}

/// Whether two odds say the same of every outcome.
pub fn same(a: &Odds, b: &Odds) -> bool {
    let names: std::collections::BTreeSet<&String> = a.order.iter().chain(&b.order).collect();
    names.into_iter().all(|name| a.of(name) == b.of(name))
}

/// The outcomes on which odds differ.
pub fn differing(a: &Odds, b: &Odds) -> Vec<String> {
    let mut names: Vec<String> = a.order.clone();
    names.extend(b.order.iter().filter(|n| !a.order.contains(n)).cloned());
    names.retain(|name| a.of(name) != b.of(name));
    names
}

fn cause(ruleset: &Ruleset, piece: &Piece) -> Cause {
    let words = |sources: &[crate::data::case::Source]| {
        sources.iter().map(|s| format!("{} {}", s.doc, s.at).trim().to_string()).collect::<Vec<_>>().join("; ")
    };
    let key = match piece {
        Piece::Reading((name, way)) => {
            let title = format!("read as {way}");
            return Cause { path: String::new(), layer: String::new(), what: format!("reading {name}"), title, source: String::new() };
        }
        Piece::File(key) => key,
    };
    if let Some(case) = ruleset.cases.iter().find(|c| c.file.key == *key) {
        let title = format!("{} ({})", case.title, case.kind.word());
        return Cause {
            path: case.file.path.clone(),
            layer: case.layer.to_string(),
            what: case.number.clone(),
            title,
            source: words(&case.sources),
        };
    }
    let parts: Vec<&str> = key.split('/').collect();
    let (layer, sort) = (parts.get(1).copied().unwrap_or_default(), parts.get(2).copied().unwrap_or_default());
    let stem = parts.last().and_then(|f| f.strip_suffix(".yaml")).unwrap_or_default();
    let what = if sort == "tables" { format!("table {}", crate::data::case::number_of(stem)) } else { stem.to_string() };
    Cause { path: key.clone(), layer: layer.into(), what, title: String::new(), source: String::new() }
}

/// What the readings of doubtful places make of a situation.
pub struct Readings {
    /// The odds as things stand.
    pub default: View,
    /// Reading, way, and what it makes of the odds.
    pub changed: Vec<(String, String, View)>,
    /// Readings that change nothing here.
    pub idle: Vec<String>,
}

/// Every way to read the doubtful places of a case, or of all cases, that changes the odds: reading, way, odds.
pub fn readings(question: &Question, wish: &Wish, case: &str) -> Result<Readings, Error> {
    let (ruleset, _) = laws::enact(question.library, wish)?;
    let default = question.view(wish)?;
    let (mut changed, mut idle) = (Vec::new(), Vec::new());
    let mut ways: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in ruleset.cases.iter().filter(|c| case.is_empty() || c.number == case) {
        for reading in &one.readings {
            ways.insert(format!("{}.{}", one.number, reading.name), reading.ways.clone());
        }
    }
    if ways.is_empty() {
        let known = ruleset.readings.keys().map(|k| k.rsplit_once('.').map_or(k.as_str(), |(case, _)| case));
        return Err(Error::Unknown { what: "case with readings in force", name: case.into(), near: crate::complaint::near(case, known) });
    }
    for (name, list) in ways {
        let chosen = ruleset.readings.get(&name).cloned().unwrap_or_default();
        for way in list.into_iter().filter(|way| *way != chosen) {
            let mut other = wish.clone();
            other.readings.retain(|(known, _)| *known != name);
            other.readings.push((name.clone(), way.clone()));
            let view = question.view(&other)?;
            if same(&view.odds, &default.odds) { idle.push(format!("{name}={way}")) } else { changed.push((name.clone(), way, view)) }
        }
    }
    Ok(Readings { default, changed, idle })
}

/// A situation as a ruleset has it; an error where it can't apply to it.
pub fn applies(library: &Arc<Library>, wish: &Wish, name: &str) -> Result<Scenario, Error> {
    laws::enact(library, wish)?.0.scenario(name)
}
