//! How a game comes out between styles, as blocks.

use crate::block::AnswerBlock;
use casebook_analysis::balance::question::{self, BalanceAnswer, RulesetBalance};
use casebook_analysis::balance::report::{
    SCOPE, cause_lines, error_words, score_sentence, share_sentence, shown_pairings, winner_shares,
    winners_named,
};
use casebook_analysis::balance::totals::{BalanceShards, BalanceSpec, BalanceTotal, PairingTotal};
use casebook_analysis::odds::bar_chart::percent;
use casebook_engine::complaint::counted;

pub fn answer(answer: &BalanceAnswer) -> AnswerBlock {
    let (spec, rulesets) = (&answer.spec, &answer.rulesets);
    let mut notes = Vec::new();
    if answer.budget_used_up && !rulesets.is_empty() {
        notes.push("The budget was used up before everything was decided.".into());
    }
    if !answer.slow_styles.is_empty() {
        let styles = answer.slow_styles.join(", ");
        notes.push(format!(
            "Left out, as it looks ahead at each choice, unless it is named: {styles}."
        ));
    }
    let parts = (spec, &answer.total);
    blocks_of(parts, None, (rulesets, answer.margin), notes)
}

/// Returns merged parts; nothing is decided while parts are missing.
pub fn shards(shards: &BalanceShards, margin: f64) -> AnswerBlock {
    let total = shards.total();
    let rulesets = question::judge(&shards.of, &total, margin, &[]);
    let parts = (&shards.of, &total);
    blocks_of(
        parts,
        shards.missing_shards(),
        (&rulesets, margin),
        Vec::new(),
    )
}

/// Returns games; `lacking` says which parts are missing, and `notes` stand below the verdicts.
fn blocks_of(
    (spec, total): (&BalanceSpec, &BalanceTotal),
    lacking: Option<String>,
    (rulesets, margin): (&[RulesetBalance], f64),
    mut notes: Vec<String>,
) -> AnswerBlock {
    let games = total
        .totals_by_pairing
        .iter()
        .flatten()
        .map(|one| one.games)
        .sum::<u64>();
    let played = format!(
        "styles of {} · {} on {} from {}",
        spec.sides.join(" : "),
        counted(games, "game"),
        counted(total.seeds, "seed"),
        spec.seed
    );
    if !rulesets.is_empty() {
        notes.push(error_words(spec));
    }
    let mut blocks = vec![
        AnswerBlock::text(played),
        AnswerBlock::text(SCOPE),
        AnswerBlock::text(lacking.unwrap_or_default()),
        winners(spec, total),
    ];
    blocks.extend(verdicts(spec, rulesets, margin));
    blocks.extend(notes.into_iter().map(AnswerBlock::text));
    let faults = total.faults.iter().take(10);
    let faults = faults
        .map(|(why, (seed, count))| format!("{count} games, the first with seed {seed}: {why}"));
    blocks.push(AnswerBlock::fact(
        &format!("{} games could not be played", total.broken),
        faults,
    ));
    let assumed = &total.assumed;
    let rests = [
        (assumed.settled.len(), "choices settled beforehand"),
        (assumed.choices.len(), "choices left to their first option"),
        (
            assumed.readings.len(),
            "doubtful places, each read in its first way or as the ruleset says",
        ),
        (
            assumed.reconstructed.len(),
            "lists of reconstructed figures",
        ),
        (
            assumed.cases_reconstructed.len(),
            "cases whose printed wording is not known",
        ),
    ];
    let rests = rests
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| format!("{count} {noun}"));
    blocks.push(AnswerBlock::fact(
        "What this rests on beside what is printed (JSON names it)",
        rests,
    ));
    AnswerBlock::section(&spec.title, blocks)
}

/// Returns the table of winners and scores: for each pairing a row for each ruleset.
pub fn winners(spec: &BalanceSpec, total: &BalanceTotal) -> AnswerBlock {
    let winners = winners_named(total);
    let names = winner_shares(spec, &PairingTotal::default(), &winners)
        .into_iter()
        .map(|one| one.winner);
    let mut head = vec![spec.sides.join(" : "), "ruleset".into(), "games".into()];
    head.extend(names);
    head.extend((!spec.score.is_empty()).then(|| "score".into()));
    let mut rows = Vec::new();
    for (place, styles) in shown_pairings(spec, total) {
        for (number, (ruleset, totals)) in spec
            .rulesets
            .iter()
            .zip(&total.totals_by_pairing)
            .enumerate()
        {
            let Some(played) = totals.get(place) else {
                continue;
            };
            let styles = if number == 0 {
                styles.clone()
            } else {
                String::new()
            };
            let mut row = vec![styles, ruleset.clone(), played.games.to_string()];
            row.extend(
                winner_shares(spec, played, &winners)
                    .into_iter()
                    .map(|one| match played.games {
                        0 => "–".into(),
                        _ => format!(
                            "{} ({:.0}–{:.0})",
                            percent(one.share),
                            one.low * 100.0,
                            one.high * 100.0
                        ),
                    }),
            );
            let score = played.mean_score();
            row.push(score.map_or(String::new(), |mean| {
                format!("{mean:.2} ± {:.2}", played.score_error())
            }));
            rows.push(row);
        }
    }
    AnswerBlock::Table { head, rows }
}

/// Returns what is decided of each ruleset, and what makes the difference.
pub fn verdicts(spec: &BalanceSpec, rulesets: &[RulesetBalance], margin: f64) -> Vec<AnswerBlock> {
    let verdict = |one: &RulesetBalance| {
        let score = one.score.as_ref().map(|score| score_sentence(spec, score));
        let mut blocks = vec![
            AnswerBlock::text(share_sentence(spec, &one.share, margin) + "."),
            AnswerBlock::text(score.map_or(String::new(), |score| score + ".")),
        ];
        if let Some(causes) = &one.causes {
            let of_what = match causes.measure {
                "share" => "What makes it",
                _ => "What makes it, of the score",
            };
            let lines = cause_lines(causes).into_iter().map(|line| vec![line]);
            blocks.push(AnswerBlock::section(
                of_what,
                vec![AnswerBlock::rows(lines.collect())],
            ));
        }
        AnswerBlock::section(
            format!("{}, against {}", one.ruleset, spec.rulesets[0]),
            blocks,
        )
    };
    rulesets.iter().map(verdict).collect()
}
