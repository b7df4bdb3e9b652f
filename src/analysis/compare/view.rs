//! The outcome of a situation under one ruleset, as far as time allows to count it.

use crate::odds::best_play::{best_play, has_measured_choices};
use crate::odds::bounds::SearchLimits;
use crate::odds::count::CountJob;
use crate::odds::distribution::{NO_OUTCOME, Odds};
use crate::odds::explore::StateKeyParts;
use crate::odds::fold::Strategy;
use crate::odds::fraction::Fraction;
use crate::odds::measure::Measure;
use crate::odds::query::{not_counted, refuse_reconstructed};
use casebook_engine::code::machine::Consulted;
use casebook_engine::code::reachable::Reachable;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::data::manifest::function_name;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::overrides::Overrides;
use casebook_engine::situation::policy::Policies;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The settings of a comparison: a situation, the answers to its choices, and the limits.
pub struct Comparison<'a> {
    /// The library of games and variants.
    pub library: &'a Arc<Library>,
    pub situation_name: &'a str,
    /// The figures of the situation overridden by hand.
    pub overrides: &'a Overrides,
    /// Answers to choices.
    pub choices: &'a [(String, String)],
    /// The policies that answer the other choices.
    pub policies: Arc<Policies>,
    /// The measure that `best` and `worst` optimize.
    pub measure: Option<&'a Measure>,
    /// Whether reconstructed figures are an error.
    pub strict: bool,
    /// The deadline of the whole comparison.
    pub deadline: Instant,
    /// The memory limit of each count in bytes.
    pub memory: u64,
    /// A flag that ends the comparison when it is set.
    pub stop: &'a AtomicBool,
    /// A callback for progress: the current activity, the share done, and the number of states or runs.
    pub progress: &'a (dyn Fn(&str, f64, u64) + Sync),
    /// The number of threads.
    pub threads: usize,
}

/// The outcome of a situation under one ruleset.
pub struct RulesetView {
    /// The name of the ruleset.
    pub title: String,
    /// The situation under the ruleset.
    pub situation: Situation,
    /// The counted odds.
    pub odds: Odds,
    /// The rules and figures that were consulted.
    pub consulted: Consulted,
    reachable: OnceLock<Reachable>,
}

impl Comparison<'_> {
    /// Whether the deadline has passed or the user has stopped the comparison.
    pub fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || Instant::now() > self.deadline
    }

    /// Returns the deadline of one of `parts` equal shares of the remaining time.
    pub fn end_of_share(&self, parts: usize) -> Instant {
        let now = Instant::now();
        now + self.deadline.saturating_duration_since(now) / parts.max(1) as u32
    }

    /// Loads the situation under a ruleset.
    pub fn situation(&self, spec: &RulesetSpec) -> Result<Situation, Error> {
        Situation::with_overrides(self.library, spec, self.situation_name, self.overrides)
    }

    /// Returns the scenario under a ruleset, with the overrides applied.
    pub fn scenario(&self, ruleset: &Ruleset) -> Result<Arc<Scenario>, Error> {
        self.overrides
            .apply(&ruleset.scenario(self.situation_name)?, ruleset)
    }

    /// Creates the source of answers to the choices of a situation.
    pub fn choice_source(&self, situation: &Situation) -> ChoiceSource {
        ChoiceSource {
            only_where_open: true,
            ..situation.choice_source(self.choices, self.policies.clone())
        }
    }

    /// Counts a situation as far as possible until the given time.
    pub fn evaluate(&self, situation: Situation, until: Instant) -> Result<RulesetView, Error> {
        let (odds, consulted) = self.count_odds(&situation, until)?;
        Ok(RulesetView {
            title: situation.ruleset().short_title(),
            situation,
            odds,
            consulted,
            reachable: OnceLock::new(),
        })
    }

    /// Returns the odds of a situation, counted as far as possible until the given time, and what was consulted.
    pub fn count_odds(
        &self,
        situation: &Situation,
        until: Instant,
    ) -> Result<(Odds, Consulted), Error> {
        let source = self.choice_source(situation);
        let progress =
            |share: f64, states: u64| (self.progress)("counting states and runs", share, states);
        let bounds = SearchLimits {
            deadline: until,
            memory: self.memory,
            stop: self.stop,
            progress: &progress,
        };
        let key_parts = StateKeyParts::of_question(self.measure, &self.policies);
        let count = CountJob {
            situation,
            choice_source: &source,
            key_parts: &key_parts,
            threads: self.threads,
            limits: &bounds,
        };
        let counted = count.run()?;
        self.policies.check_presets()?;
        if self.strict {
            refuse_reconstructed(&counted.consulted, situation)?;
        }
        let odds = Odds::new(&counted, &Strategy::default())?;
        counted.check_known(odds.is_known())?;
        match has_measured_choices(&counted.root) {
            false => Ok((odds, counted.consulted)),
            true if counted.complete => Ok((
                best_play(&counted, &odds, self.measure)?.odds,
                counted.consulted,
            )),
            true => Err(not_counted(counted.ended)),
        }
    }
}

impl RulesetView {
    /// Whether everything was counted.
    pub fn is_complete(&self) -> bool {
        self.odds.is_complete()
    }

    /// Returns the code and data that its procedure can reach statically.
    pub fn reachable(&self) -> &Reachable {
        self.reachable.get_or_init(|| {
            Reachable::from_function(
                self.situation.ruleset(),
                &function_name(&self.situation.procedure),
            )
        })
    }

    /// Returns the counted probability of a value; an outcome that was never named has all of it on `NO_OUTCOME`.
    pub fn counted_chance(&self, outcome: &str, value: &str) -> Fraction {
        match self.odds.distribution(outcome) {
            Some(distribution) => distribution.chance(value),
            None if value == NO_OUTCOME => {
                self.odds.counted_share.clone().unwrap_or(Fraction::ZERO)
            }
            None => Fraction::ZERO,
        }
    }
}
