//! What changed rules do to situations, and which situations they move most.

use crate::house::trial::{ChangedParts, ProgramSource, RulesTrial, TriedRules};
use crate::testing::trials::compile_program;
use casebook_analysis::compare::ruleset_difference::{RulesetDifference, compare_views};
use casebook_analysis::compare::verdicts::{DifferenceVerdict, OutcomeDifference};
use casebook_analysis::compare::view::{Comparison, RulesetView};
use casebook_analysis::odds::bar_chart::percent;
use casebook_analysis::odds::headline::{EntryValues, FigureValue};
use casebook_analysis::usecase::compare::{comparison, headline_of_view};
use casebook_analysis::usecase::settings::{CountLimits, SituationSettings};
use casebook_engine::complaint::Error;
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::data::library::Library;
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::headline::join_entries;
use casebook_engine::ruling::resolve::{ResolveRequest, resolve};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::dice::SeededDice;
use casebook_engine::situation::overrides::Overrides;
use casebook_engine::situation::trace::Event;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A situation before and after a change.
pub struct SituationEffect {
    /// The name of the situation.
    pub name: String,
    /// Its odds before.
    pub before: Arc<RulesetView>,
    /// Its odds after.
    pub after: RulesetView,
    /// The differences of its outcomes, those of pieces last, the greatest first, and their causes if they were asked for.
    pub difference: RulesetDifference,
}

/// The odds of situations before a change, and what situations read; they hold as long as the data do.
#[derive(Default)]
pub struct KnownSituations {
    views: Mutex<Vec<(SituationUnderRules, Arc<RulesetView>)>>,
    reads: Mutex<BTreeMap<(String, String), Arc<SituationReads>>>,
}

/// The name of a situation, and the rules that it is looked at under.
type SituationUnderRules = (String, RulesetSpec);

/// What some rulings of a situation read.
#[derive(Default)]
struct SituationReads {
    cells: BTreeSet<(String, usize)>,
    cases: BTreeSet<String>,
}

/// The number of views that are kept.
const MAX_VIEWS: usize = 64;
/// The dice of the rulings that show what a situation reads, and the time for one.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=3;
const RULING_TIME: Duration = Duration::from_millis(40);
/// The time in which a situation has to be counted to be proposed.
const PROPOSAL_TIME: Duration = Duration::from_millis(250);
/// How many situations are counted to find those that a change moves most.
const MAX_TRIED: usize = 16;

/// A question what changes do.
pub struct EffectQuery<'a> {
    /// The data without the changes.
    pub library: &'a Arc<Library>,
    /// What is tried.
    pub trial: &'a RulesTrial,
    /// Compiled rules of the data without the changes.
    pub program: ProgramSource<'a>,
    /// What is known of situations.
    pub known: &'a KnownSituations,
    /// Answers to what situations leave open.
    pub settings: &'a SituationSettings,
    /// The rules that the changed ones are compared with; `None` for the same ones without the changes.
    pub versus: Option<&'a RulesetSpec>,
    /// Whether the causes are searched for.
    pub causes: bool,
}

impl EffectQuery<'_> {
    /// Returns what the changes do to a situation under some rules, with figures of its own.
    pub fn effect_on(
        &self,
        name: &str,
        spec: &RulesetSpec,
        overrides: &Overrides,
        limits: CountLimits,
    ) -> Result<SituationEffect, Error> {
        let tried = self.trial.over(self.library, spec, self.program)?;
        let settings = self.settings;
        let game = self.library.game(&self.trial.game)?;
        let (policies, measure) = (settings.policies(game)?, settings.measure()?);
        let question = |library| {
            comparison(
                library,
                (name, overrides),
                settings,
                (policies.clone(), measure.as_ref()),
                limits,
            )
        };
        let question_before = question(self.library);
        let until = question_before.deadline;
        let before = self.view_before(&question_before, self.versus.unwrap_or(&tried.from))?;
        let question_after = question(&tried.library);
        let after = question_after.evaluate(
            situation_under(&tried, &question_after)?,
            question_after.end_of_share(2),
        )?;
        let mut difference = compare_views(&question_after, &before, &after, until, self.causes)?;
        // What becomes of single pieces says less than what the procedure comes to.
        let pieces = &before.situation.initial_board.names;
        let is_piece = |outcome: &OutcomeDifference| {
            pieces.iter().any(|name| name.as_str() == outcome.outcome)
        };
        difference.outcomes.sort_by(|a, b| {
            is_piece(a)
                .cmp(&is_piece(b))
                .then(size_of(b).total_cmp(&size_of(a)))
        });
        Ok(SituationEffect {
            name: name.into(),
            before,
            after,
            difference,
        })
    }

    fn view_before(
        &self,
        question: &Comparison,
        spec: &RulesetSpec,
    ) -> Result<Arc<RulesetView>, Error> {
        let key = (
            format!(
                "{} {:?}",
                question.situation_name,
                (
                    &question.overrides,
                    question.choices,
                    &self.settings.policies
                )
            ),
            spec.clone(),
        );
        if let Some((_, view)) = lock_unpoisoned(&self.known.views)
            .iter()
            .find(|(known, _)| *known == key)
        {
            return Ok(view.clone());
        }
        let program = (self.program)(spec)?;
        let situation = Situation::new(&program, question.scenario(&program.ruleset)?)?;
        let view = Arc::new(question.evaluate(situation, question.end_of_share(2))?);
        if view.is_complete() {
            let mut views = lock_unpoisoned(&self.known.views);
            if views.len() >= MAX_VIEWS {
                views.remove(0);
            }
            views.push((key, view.clone()));
        }
        Ok(view)
    }

    /// Returns the situations that the changes move most, at most `count`, by trying until the time is up; the first that are offered are
    /// tried first.
    pub fn most_moved(&self, names: &[String], count: usize, limits: CountLimits) -> Vec<String> {
        let until = limits.deadline();
        let (mut exact, mut near): (Vec<&String>, Vec<&String>) = Default::default();
        for name in names {
            if Instant::now() > until || exact.len() >= MAX_TRIED {
                break;
            }
            let spec = self.spec_of(name);
            let Ok(below) = self.trial.below(self.library, &spec, self.program) else {
                continue;
            };
            match self.concern(&self.trial.parts(self.library, &below), name, &spec) {
                Concern::Exact => exact.push(name),
                Concern::Near => near.push(name),
                Concern::None => {}
            }
        }
        let mut found: Vec<(f64, String)> = Vec::new();
        for name in exact.into_iter().chain(near).take(MAX_TRIED) {
            if Instant::now() > until && found.iter().any(|(size, _)| *size > 0.0) {
                break;
            }
            let limits = CountLimits {
                time: PROPOSAL_TIME,
                ..limits
            };
            if let Ok(effect) =
                self.effect_on(name, &self.spec_of(name), &Overrides::default(), limits)
            {
                found.push((effect.size(), name.clone()));
            }
        }
        found.retain(|(size, _)| *size > 0.0);
        found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        found
            .into_iter()
            .take(count)
            .map(|(_, name)| name)
            .collect()
    }

    /// Returns the rules that a situation names.
    pub fn spec_of(&self, name: &str) -> RulesetSpec {
        let variant = self
            .library
            .scenarios(&self.trial.game)
            .into_iter()
            .find(|(known, _)| known == name)
            .and_then(|(_, variant)| variant);
        let in_force = self
            .library
            .in_force_for(&self.trial.game, name, variant.as_deref());
        RulesetSpec {
            game: self.trial.game.clone(),
            variants: in_force.variants,
            options: in_force.options,
            readings: in_force.readings,
            ..RulesetSpec::default()
        }
    }

    /// Returns how closely a situation concerns what is changed.
    fn concern(&self, parts: &ChangedParts, name: &str, spec: &RulesetSpec) -> Concern {
        let key = (self.trial.game.clone(), name.to_string());
        let known = lock_unpoisoned(&self.known.reads).get(&key).cloned();
        let reads = known.unwrap_or_else(|| {
            let reads = Arc::new(self.reads_of(name, spec).unwrap_or_default());
            lock_unpoisoned(&self.known.reads).insert(key, reads.clone());
            reads
        });
        let reads_table = |(table, _): &(String, usize)| {
            reads
                .cells
                .range((table.clone(), 0)..)
                .next()
                .is_some_and(|(known, _)| known == table)
        };
        if parts.cells.iter().any(|cell| reads.cells.contains(cell))
            || parts.cases.iter().any(|case| reads.cases.contains(case))
        {
            Concern::Exact
        } else if parts.cells.iter().any(reads_table) {
            Concern::Near
        } else {
            Concern::None
        }
    }

    fn reads_of(&self, name: &str, spec: &RulesetSpec) -> Result<SituationReads, Error> {
        let program = (self.program)(spec)?;
        let situation = Situation::new(&program, program.ruleset.scenario(name)?)?;
        let mut reads = SituationReads::default();
        for seed in SEEDS {
            let mut machine = situation.machine();
            machine.time_limit = RULING_TIME;
            let request = ResolveRequest {
                stream: Box::new(SeededDice::new(seed)),
                ..ResolveRequest::default()
            };
            let Ok(resolved) = resolve(&mut machine, &situation, request) else {
                break;
            };
            for event in &resolved.events {
                match event {
                    Event::Cell(table, index) => {
                        reads.cells.insert((table.id.clone(), *index as usize));
                    }
                    Event::Call(call) => {
                        let case = &program.ruleset.cases[call.answer(&program.ruleset).case];
                        if !reads.cases.contains(&case.number) {
                            reads.cases.insert(case.number.clone());
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(reads)
    }
}

/// How closely a situation concerns a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Concern {
    /// It does not read it.
    None,
    /// It reads another cell of the table.
    Near,
    /// It reads the changed cell or case.
    Exact,
}

fn situation_under(tried: &TriedRules, question: &Comparison) -> Result<Situation, Error> {
    let program = compile_program(&tried.library, &tried.to)?;
    Situation::new(&program, question.scenario(&program.ruleset)?)
}

/// Formats a figure of a headline as all chances and means beside it.
pub fn figure_text(figure: &FigureValue) -> String {
    match figure.value {
        None => "–".into(),
        Some(share) if figure.figure.condition.is_some() => percent(share),
        Some(mean) => format!("{mean:.1}"),
    }
}

/// Returns how far an outcome moved: the greatest change of a chance.
fn size_of(difference: &OutcomeDifference) -> f64 {
    let moved = difference.verdict == DifferenceVerdict::Differs;
    let changes = difference
        .values
        .iter()
        .filter(|change| moved && change.value != "mean");
    changes
        .map(|change| (change.to - change.from).abs())
        .fold(0.0, f64::max)
}

impl SituationEffect {
    /// Returns how far the situation moved: the greatest change of a chance.
    pub fn size(&self) -> f64 {
        self.difference
            .outcomes
            .iter()
            .map(size_of)
            .fold(0.0, f64::max)
    }

    /// Returns its headline before and after; empty if its procedure has none, or it was not counted whole.
    pub fn headlines(&self) -> [Vec<EntryValues>; 2] {
        [
            headline_of_view(&self.before),
            headline_of_view(&self.after),
        ]
    }

    /// Returns the headlines as sentences, with every chance as a percentage; empty where there is none.
    pub fn headline_sentences(&self) -> [String; 2] {
        let entry = |entry: &EntryValues| {
            let by = if entry.is_chance() { " in" } else { "" };
            let figures: Vec<String> = entry.figures.iter().map(figure_text).collect();
            format!(
                "{}{by} {} {}",
                entry.caption,
                figures.join(" against "),
                entry.unit()
            )
            .trim_end()
            .to_string()
        };
        self.headlines()
            .map(|values| join_entries(&values.iter().map(entry).collect::<Vec<_>>()))
    }

    /// Returns the outcomes that differ, those of pieces last, the greatest difference first.
    pub fn moved(&self) -> impl Iterator<Item = &OutcomeDifference> {
        self.difference.with_verdict(DifferenceVerdict::Differs)
    }

    /// Returns whether everything was counted, before and after.
    pub fn is_counted(&self) -> bool {
        self.before.is_complete() && self.after.is_complete()
    }
}
