//! What changed rules do to a whole game: it is played by the declared styles under the old and the new rules, on the same dice, until it
//! is decided who wins more often.

use crate::house::trial::{ProgramSource, RulesTrial};
use casebook_analysis::balance::betting_test::BalanceVerdict;
use casebook_analysis::balance::question::{BalanceAnswer, BalanceRequest, balance};
use casebook_analysis::balance::report::winner_sentence;
use casebook_analysis::usecase::settings::CountLimits;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::situation::overrides::Overrides;
use std::sync::Arc;

/// The most games of each pair of styles under each ruleset, and the difference of shares that is not worth deciding.
const BOUNDS: (u64, f64) = (2_000, 0.03);

/// Plays a situation under rules without and with what is tried.
pub fn game_effect(
    library: &Arc<Library>,
    trial: &RulesTrial,
    (situation, spec): (&str, &RulesetSpec),
    program: ProgramSource,
    limits: CountLimits,
) -> Result<BalanceAnswer, Error> {
    let tried = trial.over(library, spec, program)?;
    if tried.from == tried.to {
        return Err(Error::Usage(
            "no rule is changed, so every game is the same".into(),
        ));
    }
    let (games, margin) = BOUNDS;
    let request = BalanceRequest {
        situation: situation.into(),
        overrides: Overrides::default(),
        rulesets: vec![tried.from, tried.to],
        styles: Vec::new(),
        choices: Vec::new(),
        winner: None,
        score: None,
        seed: 1,
        games,
        shard: (1, 1),
        margin,
        causes: false,
    };
    balance(&tried.library, &request, limits)
}

/// Says in one sentence what became of the winner.
pub fn game_sentence(answer: &BalanceAnswer) -> String {
    answer
        .rulesets
        .first()
        .map(|one| winner_sentence(&answer.spec, &one.share, answer.margin))
        .unwrap_or_default()
}

/// Returns whether it is decided that one side wins more often.
pub fn game_differs(answer: &BalanceAnswer) -> bool {
    answer
        .rulesets
        .iter()
        .any(|one| one.share.verdict == BalanceVerdict::Differs)
}

/// Returns whether it is decided who wins more often, or that nobody does.
pub fn is_decided(answer: &BalanceAnswer) -> bool {
    answer
        .rulesets
        .iter()
        .all(|one| one.share.verdict != BalanceVerdict::Undecided)
}
