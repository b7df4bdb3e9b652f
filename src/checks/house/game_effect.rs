//! What changed rules do to a whole game: it is played by the declared styles under the old and the new rules, on the same dice, until it
//! is decided who wins more often.

use crate::house::trial::{ProgramSource, RulesTrial};
use casebook_analysis::balance::betting_test::BalanceVerdict;
use casebook_analysis::balance::question::{BalanceAnswer, BalanceRequest, balance};
use casebook_analysis::balance::report::winner_sentence;
use casebook_analysis::odds::shards::Shard;
use casebook_analysis::usecase::settings::CountLimits;
use casebook_engine::complaint::{Error, counted};
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
        shard: Shard::WHOLE,
        margin,
        causes: false,
    };
    balance(&tried.library, &request, limits)
}

/// Says in one sentence what became of the games: first whether any came out otherwise at all.
pub fn game_sentence(answer: &BalanceAnswer) -> String {
    let Some(one) = answer.rulesets.first() else {
        return String::new();
    };
    let winner = winner_sentence(&answer.spec, &one.share, answer.margin);
    let (games, altered) = games_of_both(answer);
    if games == 0 || one.share.verdict == BalanceVerdict::Same {
        return winner;
    }
    let all = counted(games, "game");
    match altered {
        0 => format!("This change altered none of {all}"),
        altered => format!("{winner}; the change altered {altered} of {all}"),
    }
}

/// Returns how many games were played to the end under both rules, and in how many of them the winner or the score is not the same.
pub fn games_of_both(answer: &BalanceAnswer) -> (u64, u64) {
    let differences = answer.total.differences.first();
    differences.map_or((0, 0), |one| (one.games, one.altered))
}

/// Says what was counted: games, pairs of styles, and what stands in the rows of the table.
pub fn counts_in_words(answer: &BalanceAnswer) -> String {
    let (games, altered) = games_of_both(answer);
    let all = match games {
        1 => "1 game was played twice".to_string(),
        games => format!("{games} games were each played twice"),
    };
    let pairings = answer.spec.pairings.len() as u64;
    let each = match pairings {
        0 | 1 => String::new(),
        pairings => format!(
            ", {} for each of {pairings} pairs of styles",
            games / pairings
        ),
    };
    let range = match altered {
        0 if answer.spec.score.is_empty() => "; the winner was the same both times",
        0 => "; winner and score were the same both times",
        _ => "; the range holds in 95 % of such trials",
    };
    format!("{all}, on the same dice, under the old and the new rules{each}{range}.")
}

/// Returns an answer in which the rules have the names that a reader gives them: variants that are only tried have none of their own.
pub fn with_plain_names(answer: &BalanceAnswer, is_over_kept: bool) -> BalanceAnswer {
    let before = if is_over_kept {
        "current rules"
    } else {
        "before"
    };
    let names = [before, "with the change"].map(String::from);
    let mut answer = answer.clone();
    for (ruleset, name) in answer.spec.rulesets.iter_mut().zip(&names) {
        ruleset.clone_from(name);
    }
    for (one, name) in answer.rulesets.iter_mut().zip(&names[1..]) {
        one.ruleset.clone_from(name);
    }
    answer
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
