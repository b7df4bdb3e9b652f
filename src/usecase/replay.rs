//! A journal that is replayed under other rules or with other answers.

use crate::complaint::{Error, Place};
use crate::data::library::Library;
use crate::odds::distribution::Odds;
use crate::odds::sample::SampleQuery;
use crate::ruleset::compose::RulesetSpec;
use crate::ruleset::spec::RulesetChoices;
use crate::ruling::journal::{Journal, results_text};
use crate::ruling::moves::JournalMove;
use crate::ruling::replay::{JournalChange, ReplaySpec, Replayed, ReplayedLine, first_difference, replay as replay_moves};
use crate::ruling::resolve::ResolvedRuling;
use crate::ruling::session::Session;
use crate::ruling::situation::Situation;
use crate::usecase::odds::odds;
use crate::usecase::rulesets::spec_of_journal;
use crate::usecase::settings::{CountLimits, SituationSettings};
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
    /// The replay.
    pub replayed: Replayed,
    /// The ruling of the replay.
    pub ruling: ResolvedRuling,
    /// Whether the journal can still be replayed under its own rules.
    pub is_original_known: bool,
    /// The first lines that differ, of the journal and of the replay; `None` if all lines are the same.
    pub first_difference: Option<(Option<ReplayedLine>, Option<ReplayedLine>)>,
    /// The outcomes of the journal.
    pub original_results: BTreeMap<String, String>,
    /// The outcomes that differ.
    pub changed_outcomes: Vec<ChangedOutcome>,
}

/// A changed outcome: name, old value, new value.
pub type ChangedOutcome = (String, String, String);

/// Replays a journal with changes. If its rules have changed since it was written, only its own record of the old run is known.
pub fn replay(
    library: &Arc<Library>,
    (journal, places): (&Journal, &[Place]),
    settings: &ReplaySettings,
) -> Result<ReplayComparison, Error> {
    let spec = spec_of_journal(journal, &settings.rules);
    let original = journal.play_back(library, places, settings.strict).ok().map(|session| session.resolved());
    let situation = Situation::with_overrides(library, &spec, &journal.situation, &journal.overrides)?;
    let moves = ReplaySpec { moves: &journal.moves, seed: journal.seed.unwrap_or(1), unfinished: journal.results.is_none() };
    let replayed = replay_moves(situation, &moves, &settings.changes, settings.strict)?;
    let ruling = ruling_of(&replayed.session);
    let results_of = |original: &ResolvedRuling| results_text(&original.ruling.results);
    let original_results = journal.results.clone().unwrap_or_else(|| original.as_ref().map(results_of).unwrap_or_default());
    Ok(ReplayComparison {
        first_difference: original.as_ref().and_then(|original| first_difference(original, &ruling)),
        changed_outcomes: changed_outcomes(&original_results, &results_of(&ruling)),
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
    (journal, places): (&Journal, &[Place]),
    settings: &ReplaySettings,
) -> Result<(Session, ResolvedRuling), Error> {
    let session = journal.play_back(library, places, settings.strict)?;
    let ruling = ruling_of(&session);
    Ok((session, ruling))
}

fn ruling_of(session: &Session) -> ResolvedRuling {
    let mut resolved = session.resolved();
    resolved.ruling.dice_from = "the dice of the journal".into();
    resolved
}

/// Returns the outcomes whose values differ.
pub fn changed_outcomes(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> Vec<ChangedOutcome> {
    let value_in = |outcomes: &BTreeMap<String, String>, name: &String| outcomes.get(name).cloned().unwrap_or_else(|| "not named".into());
    let mut names: Vec<&String> = new.keys().chain(old.keys().filter(|name| !new.contains_key(*name))).collect();
    names.retain(|name| old.get(*name) != new.get(*name));
    names.into_iter().map(|name| (name.clone(), value_in(old, name), value_in(new, name))).collect()
}

/// Counts the odds of the journal and of a replay, each in half of the time, with the changed choices fixed to the old or the new answer
/// and all others as in the situation. Returns `None` if either count fails, for example because an answer is not allowed after every throw.
pub fn odds_of_both(
    library: &Arc<Library>,
    journal: &Journal,
    spec: &RulesetSpec,
    settings: &ReplaySettings,
    limits: CountLimits,
) -> Option<(Odds, Odds)> {
    let (mut old_choices, mut new_choices) = (Vec::new(), Vec::new());
    for journal_move in &journal.moves {
        let JournalMove::Choice { side, what, taken, .. } = journal_move else { continue };
        let full = if side.is_empty() { what.clone() } else { format!("{side}: {what}") };
        if let Some(change) = settings.changes.iter().find(|change| change.what == full || change.what == *what) {
            old_choices.push((full.clone(), taken.clone()));
            new_choices.push((full, change.answer.clone()));
        }
    }
    let count = |spec: &RulesetSpec, choices: Vec<(String, String)>| -> Result<Odds, Error> {
        let situation = Situation::with_overrides(library, spec, &journal.situation, &journal.overrides)?;
        let settings = SituationSettings { choices, strict: settings.strict, ..SituationSettings::default() };
        let limits = CountLimits { time: limits.time / 2, ..limits };
        Ok(odds(&situation, &settings, SampleQuery::default(), limits)?.result.odds)
    };
    Some((count(&journal.spec(), old_choices).ok()?, count(spec, new_choices).ok()?))
}
