//! A journal that is replayed under other rules or with other answers.

use crate::luck::baseline::{ChoiceBaseline, answers_in};
use crate::odds::bounds::Cap;
use crate::odds::distribution::{NO_OUTCOME, Odds};
use crate::odds::report::CountedReport;
use crate::usecase::odds::count;
use crate::usecase::rulesets::spec_of_journal;
use crate::usecase::settings::{CountLimits, SituationSettings};
use casebook_engine::complaint::{Error, Place};
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruleset::spec::RulesetChoices;
use casebook_engine::ruling::journal::{Journal, results_text};
use casebook_engine::ruling::json::RulingReport;
use casebook_engine::ruling::moves::JournalMove;
use casebook_engine::ruling::replay::{
    JournalChange, ReplaySpec, Replayed, ReplayedLine, first_difference, replay as replay_moves,
};
use casebook_engine::ruling::resolve::ResolvedRuling;
use casebook_engine::ruling::session::Session;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::policy::question_key;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a user changes of a journal.
#[derive(Clone, Debug, Default)]
pub struct ReplaySettings {
    /// Rules in force instead of those of the journal.
    pub rules: RulesetChoices,
    /// Changed answers and dice.
    pub changes: Vec<JournalChange>,
    /// Whether a reconstructed figure is an error.
    pub strict: bool,
}

impl ReplaySettings {
    /// Returns whether the journal is replayed as it is.
    pub fn is_unchanged(&self, journal: &Journal) -> bool {
        self.changes.is_empty() && spec_of_journal(journal, &self.rules) == journal.spec()
    }
}

/// A replay compared with its journal.
pub struct ReplayComparison {
    /// The ruleset of the replay.
    pub spec: RulesetSpec,
    pub replayed: Replayed,
    /// The ruling of the replay.
    pub ruling: ResolvedRuling,
    /// Whether the journal can still be replayed under its own rules.
    pub is_original_known: bool,
    /// The first lines that differ, of the journal and of the replay; `None` if all lines are the same.
    pub first_difference: Option<(Option<ReplayedLine>, Option<ReplayedLine>)>,
    /// The outcomes of the journal.
    pub original_results: BTreeMap<String, String>,
    /// The outcomes that differ; of a replay that stops before its end only those that it has reached.
    pub changed_outcomes: Vec<ChangedOutcome>,
}

/// A journal played otherwise; as it was, the answer is the ruling.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "replay")]
pub struct ReplayReport<'a> {
    /// The ruling of the replay.
    pub ruling: RulingReport<'a>,
    /// The outcomes of the journal.
    pub then: BTreeMap<String, String>,
    /// Outcomes that differ.
    pub differ: Vec<String>,
    /// The first line that differs; null if none does.
    pub parts: Option<PartingLines>,
    /// Throws and choices for which the journal had nothing.
    pub fresh: Vec<String>,
    /// What the journal has and the replay does not ask for.
    pub idle: Vec<String>,
    /// What is asked next where the journal stops before its end; null where it went to its end.
    pub stopped: Option<String>,
    /// The odds of both, with choices answered as in each, or with the first option where that answer is not open.
    pub odds: Option<OddsOfBoth>,
    /// Why outcomes differ without odds; null where there are odds, or no outcome differs.
    pub no_odds: Option<String>,
}

/// The first lines that differ: the text of each, and what it cites; null at the end.
#[derive(Serialize, JsonSchema)]
pub struct PartingLines {
    /// In the journal.
    pub then: Option<ReplayedLine>,
    /// In the replay.
    pub now: Option<ReplayedLine>,
}

/// The odds of a journal, and of its replay.
#[derive(Serialize, JsonSchema)]
pub struct OddsOfBoth {
    /// Of the journal.
    pub then: CountedReport,
    /// Of the replay.
    pub now: CountedReport,
}

/// If it was verified: every throw is that of the seed committed to.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "replay_verify")]
pub struct VerifiedDice {
    /// True; else a complaint is the answer.
    #[schemars(extend("const" = true))]
    pub verified: bool,
    /// The number of throws.
    pub throws: usize,
    /// What was given away before the first throw.
    pub hash: String,
    /// The other side's half of the seed; empty if it gave none.
    pub half: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedOutcome {
    pub name: String,
    /// Its value in the journal, or [`NO_OUTCOME`].
    pub then: String,
    /// Its value now.
    pub now: String,
}

/// Replays a journal with changes. If its rules have changed since it was written, only its own record of the old run is known.
pub fn replay(
    library: &Arc<Library>,
    journal: &Journal,
    places: &[Place],
    settings: &ReplaySettings,
) -> Result<ReplayComparison, Error> {
    let spec = spec_of_journal(journal, &settings.rules);
    let original = journal
        .play_back(library, places, settings.strict)
        .ok()
        .map(|session| session.resolved());
    let situation =
        Situation::with_overrides(library, &spec, &journal.situation, &journal.overrides)?;
    let moves = ReplaySpec {
        moves: &journal.moves,
        seed: journal.seed.unwrap_or(1),
        unfinished: journal.results.is_none(),
    };
    let replayed = replay_moves(situation, &moves, &settings.changes, settings.strict)?;
    let ruling = ruling_of(&replayed.session);
    // What a run that stops early has not reached may still come.
    let is_reached =
        |outcome: &ChangedOutcome| replayed.stopped_at.is_none() || outcome.now != NO_OUTCOME;
    let results_of = |original: &ResolvedRuling| results_text(&original.ruling.results);
    let original_results = journal
        .results
        .clone()
        .unwrap_or_else(|| original.as_ref().map(results_of).unwrap_or_default());
    Ok(ReplayComparison {
        first_difference: original
            .as_ref()
            .and_then(|original| first_difference(original, &ruling)),
        changed_outcomes: changed_outcomes(&original_results, &results_of(&ruling))
            .into_iter()
            .filter(is_reached)
            .collect(),
        is_original_known: original.is_some(),
        original_results,
        spec,
        replayed,
        ruling,
    })
}

/// Replays a journal as it is; reports the first move that the rules don't ask for.
pub fn play_back(
    library: &Arc<Library>,
    journal: &Journal,
    places: &[Place],
    settings: &ReplaySettings,
) -> Result<(Session, ResolvedRuling), Error> {
    let session = journal.play_back(library, places, settings.strict)?;
    let ruling = ruling_of(&session);
    Ok((session, ruling))
}

fn ruling_of(session: &Session) -> ResolvedRuling {
    let mut resolved = session.resolved();
    resolved.ruling.dice_from = "the dice of the journal".into();
    if !session.is_over() {
        // Its sentence would say what has not been decided yet.
        resolved.ruling.headline.clear();
    }
    resolved
}

/// Returns the outcomes whose values differ.
pub fn changed_outcomes(
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
) -> Vec<ChangedOutcome> {
    let value_in = |outcomes: &BTreeMap<String, String>, name: &String| {
        let value = outcomes.get(name).map_or(NO_OUTCOME, String::as_str);
        value.to_string()
    };
    let mut names: Vec<&String> = new
        .keys()
        .chain(old.keys().filter(|name| !new.contains_key(*name)))
        .collect();
    names.retain(|name| old.get(*name) != new.get(*name));
    names
        .into_iter()
        .map(|name| ChangedOutcome {
            name: name.clone(),
            then: value_in(old, name),
            now: value_in(new, name),
        })
        .collect()
}

/// Counts the odds of the journal and of its replay, each in half of the time: the dice are left to chance, and choices are answered as in
/// the run that is compared, or with the first option where its answer is not open. The error says in one line why there are no odds.
pub fn odds_of_both(
    library: &Arc<Library>,
    journal: &Journal,
    comparison: &ReplayComparison,
    strict: bool,
    limits: CountLimits,
) -> Result<(Odds, Odds), Error> {
    let refused = |message: String| Err(Error::Usage(message));
    let session = &comparison.replayed.session;
    if session.situation.scenario.is_game {
        return refused("this is a whole game, and only single procedures are counted".into());
    }
    if comparison.replayed.stopped_at.is_some() {
        return refused("the journal stops before its end".into());
    }
    let count = |run: &str, spec: &RulesetSpec, moves: &[JournalMove]| -> Result<Odds, Error> {
        if let Some(question) = differently_answered(moves) {
            return Err(Error::Usage(format!(
                "in the {run}, `{question}` is answered differently at different times, and odds are counted with one answer"
            )));
        }
        let odds = run_odds(
            library,
            journal,
            spec,
            moves,
            strict,
            CountLimits {
                time: limits.time / 2,
                ..limits
            },
        )
        .map_err(|error| {
            Error::Usage(format!(
                "those of the {run} can't be counted: {}",
                error.first_line()
            ))
        })?;
        if odds.is_complete() {
            return Ok(odds);
        }
        let message = format!("not all chances of the {run} were counted");
        Err(match odds.ended.and_then(Cap::remedy) {
            Some(remedy) => Error::unanswered(message, remedy),
            None => Error::Usage(message),
        })
    };
    Ok((
        count("journal", &journal.spec(), &journal.moves)?,
        count("replay", &comparison.spec, &session.moves())?,
    ))
}

/// Counts the odds with choices answered as in `moves`.
fn run_odds(
    library: &Arc<Library>,
    journal: &Journal,
    spec: &RulesetSpec,
    moves: &[JournalMove],
    strict: bool,
    limits: CountLimits,
) -> Result<Odds, Error> {
    let mut situation =
        Situation::with_overrides(library, spec, &journal.situation, &journal.overrides)?;
    // A replay doesn't use the answers of the situation's file either.
    situation.choices.clear();
    let policies = ChoiceBaseline::new(&situation, moves, &[])?.source.policies;
    count(
        &situation,
        &SituationSettings {
            strict,
            ..SituationSettings::default()
        },
        policies,
        limits,
    )
}

/// Returns a question with different answers that were not all the first option.
fn differently_answered(moves: &[JournalMove]) -> Option<String> {
    let answers = answers_in(moves);
    moves.iter().find_map(|journal_move| {
        let JournalMove::Choice {
            side,
            question,
            options,
            taken,
        } = journal_move
        else {
            return None;
        };
        let question = question_key(side, question);
        (options.first() != Some(taken) && answers.get(&question) == Some(&None))
            .then_some(question)
    })
}
