//! What a series of runs came to, as blocks: games by policies, and a search for situations in which two rulesets differ.

use crate::block::AnswerBlock;
use crate::odds::chance_text;
use casebook_analysis::odds::games::GamesShards;
use casebook_analysis::odds::outcome_key::plain;
use casebook_analysis::odds::sample::Sample;
use casebook_engine::ruling::headline::NOT_REACHED;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The number of games that could not be played that are listed.
const MAX_BROKEN: usize = 10;

/// Returns how often each outcome ended a game, and the means of outcomes that are followed from round to round.
pub fn games(games: &GamesShards, title: &str) -> AnswerBlock {
    let (spec, total, missing) = (&games.of, games.total(), games.missing_shards());
    let policies = spec.policies.iter();
    let policies: Vec<String> = policies
        .map(|(side, policy)| format!("{side} {policy}"))
        .collect();
    let played = format!("{} games, seed {}", total.games, spec.seed);
    let mut about = vec![spec.ruleset.clone(), played, policies.join(", ")];
    about.retain(|part| !part.is_empty());
    let broken_off = match missing.is_none() && total.games < spec.games {
        true => format!(
            "broken off: {} of {} games were played",
            total.games, spec.games
        ),
        false => String::new(),
    };
    let texts = [about.join(" · "), broken_off, missing.unwrap_or_default()];
    let mut blocks: Vec<AnswerBlock> = texts.map(AnswerBlock::text).into();
    let runs = total.games - total.broken.len() as u64;
    for (name, values) in &total.came {
        blocks.push(AnswerBlock::section(name, vec![ended(values, runs)]));
    }
    for (name, rounds) in &total.rounds {
        let mean = |(sum, count): &(i64, u64)| *sum as f64 / (*count).max(1) as f64;
        let greatest = rounds.iter().map(mean).fold(1.0, f64::max);
        let row = |(round, totals): (usize, &(i64, u64))| {
            let mean = mean(totals);
            let cells = vec![round.to_string(), format!("{mean:.2}")];
            (cells, (mean / greatest).max(0.0), None)
        };
        let chart = AnswerBlock::chart(&[], (1..).zip(rounds).map(row));
        blocks.push(AnswerBlock::section(
            format!("{name}, round by round"),
            vec![chart],
        ));
    }
    let broken = total.broken.iter().take(MAX_BROKEN);
    blocks.extend(broken.map(|(game, reason)| {
        let seed = spec.seed.wrapping_add(*game);
        AnswerBlock::text(format!(
            "game {game} (seed {seed}) could not be played: {reason}"
        ))
    }));
    if total.broken.len() > MAX_BROKEN {
        let more = total.broken.len() - MAX_BROKEN;
        blocks.push(AnswerBlock::text(format!("and {more} games more")));
    }
    AnswerBlock::section(title, blocks)
}

/// Returns how often each value ended so many games.
fn ended(values: &BTreeMap<String, u64>, runs: u64) -> AnswerBlock {
    let tried = Sample {
        runs,
        uncounted_share: 1.0,
        ..Sample::default()
    };
    let shown = |key| {
        Some(plain(key))
            .filter(|text| !values.contains_key(*text))
            .unwrap_or(key)
    };
    let mut rows: Vec<(&str, u64)> = values
        .iter()
        .map(|(key, times)| (shown(key), *times))
        .collect();
    rows.sort_by_key(|(value, times)| (value.parse::<i64>().ok(), Reverse(*times)));
    let unnamed = runs.saturating_sub(values.values().sum());
    rows.extend((unnamed > 0).then_some((NOT_REACHED, unnamed)));
    AnswerBlock::chart(
        &[],
        rows.into_iter().map(|(value, times)| {
            let estimate = tried.estimate(times, 0.0);
            let chance = chance_text(estimate.share, Some(estimate.error));
            (
                vec![value.into(), times.to_string(), chance],
                estimate.share,
                None,
            )
        }),
    )
}
