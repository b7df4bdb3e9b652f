//! What a ruleset makes of a situation, as far as there is time to count it.

use crate::code::machine::Consulted;
use crate::code::reachable::Reachable;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::data::manifest::function_name;
use crate::data::scenario::Scenario;
use crate::odds::best_play::{best_play, has_measured_choices};
use crate::odds::bounds::SearchLimits;
use crate::odds::count::CountJob;
use crate::odds::distribution::{NO_OUTCOME, Odds};
use crate::odds::explore::KeptApart;
use crate::odds::fold::Strategy;
use crate::odds::fraction::Fraction;
use crate::odds::measure::Measure;
use crate::odds::query::{not_counted, refuse_reconstructed};
use crate::ruleset::compose::{Ruleset, RulesetSpec};
use crate::ruling::choice_source::ChoiceSource;
use crate::ruling::situation::Situation;
use crate::situation::overrides::Overrides;
use crate::situation::policy::{Policies, PolicyKind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// What is compared: a situation of a library, with answers to its choices, in the time there is for all of it.
pub struct Comparison<'a> {
    /// The data.
    pub library: &'a Arc<Library>,
    /// The situation.
    pub situation_name: &'a str,
    /// Figures set in it by hand.
    pub overrides: &'a Overrides,
    /// Answers to choices.
    pub choices: &'a [(String, String)],
    /// Who answers the rest.
    pub policies: Arc<Policies>,
    /// What best and worst are measured by.
    pub measure: Option<&'a Measure>,
    /// Whether reconstructed figures refuse.
    pub strict: bool,
    /// When the whole of it has to end.
    pub deadline: Instant,
    /// The bytes that each count may use.
    pub memory: u64,
    /// Ends it when it is set.
    pub stop: &'a AtomicBool,
    /// Told now and then what is being done, how much of it is done, and in how many states or runs.
    pub progress: &'a (dyn Fn(&str, f64, u64) + Sync),
    /// On how many threads.
    pub threads: usize,
}

/// What a ruleset makes of a situation.
pub struct RulesetView {
    /// The ruleset in words.
    pub title: String,
    /// The situation under it.
    pub situation: Situation,
    /// Its odds, as far as they were counted.
    pub odds: Odds,
    /// What was consulted on the way.
    pub consulted: Consulted,
    reachable: OnceLock<Reachable>,
}

impl Comparison<'_> {
    /// Whether time is up, or whoever asked has had enough.
    pub fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || Instant::now() > self.deadline
    }

    /// The end of one of so many equal parts of the time left.
    pub fn end_of_share(&self, parts: usize) -> Instant {
        let now = Instant::now();
        now + self.deadline.saturating_duration_since(now) / parts.max(1) as u32
    }

    /// The situation under a ruleset.
    pub fn situation(&self, wish: &RulesetSpec) -> Result<Situation, Error> {
        Situation::with_overrides(self.library, wish, self.situation_name, self.overrides)
    }

    /// The situation of a ruleset as it is compared: with what is set in it by hand.
    pub fn scenario(&self, ruleset: &Ruleset) -> Result<Arc<Scenario>, Error> {
        self.overrides.laid(&ruleset.scenario(self.situation_name)?, ruleset)
    }

    /// Who answers the choices of a situation.
    pub fn choice_source(&self, situation: &Situation) -> ChoiceSource {
        situation.choice_source(self.choices, self.policies.clone())
    }

    /// What a situation comes to, as far as it can be counted until then.
    pub fn evaluate(&self, situation: Situation, until: Instant) -> Result<RulesetView, Error> {
        let (odds, consulted) = self.count_odds(&situation, until)?;
        Ok(RulesetView { title: ruleset_title(situation.ruleset()), situation, odds, consulted, reachable: OnceLock::new() })
    }

    /// The odds of a situation, as far as they can be counted until then, and what was consulted.
    pub fn count_odds(&self, situation: &Situation, until: Instant) -> Result<(Odds, Consulted), Error> {
        let decider = self.choice_source(situation);
        let title = ruleset_title(situation.ruleset());
        let progress = |seen: f64, states: u64| (self.progress)(&format!("counting {title}"), seen, states);
        let bounds = SearchLimits { end: until, memory: self.memory, stop: self.stop, progress: &progress };
        let measured = self.measure.iter().flat_map(|measure| measure.terms()).map(|(_, name)| name.clone()).collect();
        let wanted =
            KeptApart { measured_outcomes: measured, all_outcomes: self.policies.any(|kind| *kind == PolicyKind::All), answer: false };
        let count = CountJob { situation, choice_source: &decider, kept_apart: &wanted, threads: self.threads, limits: &bounds };
        let counted = count.run()?;
        if self.strict {
            refuse_reconstructed(&counted.consulted, situation)?;
        }
        let odds = Odds::new(&counted, &Strategy::default());
        match has_measured_choices(&counted.root) {
            false => Ok((odds, counted.consulted)),
            true if counted.complete => Ok((best_play(&counted, &odds, self.measure)?.odds, counted.consulted)),
            true => Err(not_counted(counted.ended)),
        }
    }
}

impl RulesetView {
    /// Whether everything was counted.
    pub fn is_complete(&self) -> bool {
        self.odds.is_complete()
    }

    /// What its procedure can come to, by its code.
    pub fn reachable(&self) -> &Reachable {
        self.reachable.get_or_init(|| reachable(&self.situation))
    }

    /// The chance of a value as far as it was counted; of what was never named the whole chance is that it is not.
    pub fn counted_chance(&self, outcome: &str, value: &str) -> Fraction {
        match self.odds.distribution(outcome) {
            Some(distribution) => distribution.chance(value),
            None if value == NO_OUTCOME => self.odds.counted_share.clone().unwrap_or(Fraction::ZERO),
            None => Fraction::ZERO,
        }
    }
}

/// What the procedure of a situation can come to, by its code.
pub fn reachable(situation: &Situation) -> Reachable {
    Reachable::from_function(situation.ruleset(), &function_name(&situation.procedure))
}

/// A ruleset in words, with what was chosen by hand.
pub fn ruleset_title(ruleset: &Ruleset) -> String {
    let options = ruleset.spec.options.iter().map(|(name, on)| format!("{name}={}", if *on { "on" } else { "off" }));
    let readings = ruleset.spec.readings.iter().map(|(name, way)| format!("{name}={way}"));
    let by_hand: Vec<String> = options.chain(readings).collect();
    let variants: Vec<&str> = ruleset.variants().map(|l| &*l.name).collect();
    let title = if variants.is_empty() { ruleset.game.name.clone() } else { variants.join(", ") };
    if by_hand.is_empty() { title } else { format!("{title} ({})", by_hand.join(", ")) }
}
