//! The odds of a situation as blocks: a chart for each outcome, group by group, or a line for each.

use crate::block::AnswerBlock;
use casebook_analysis::odds::bar_chart::{
    BarRow, OutcomeRows, group_rows, percent, rows, unit_note, with_rare_together,
};
use casebook_analysis::odds::bounds::NEGLIGIBLE;
use casebook_analysis::odds::distribution::{NO_OUTCOME, Odds};
use casebook_analysis::odds::fraction::Distribution;
use casebook_analysis::odds::sample::Sample;
use casebook_engine::complaint::Remedy;
use casebook_engine::data::manifest::Game;
use casebook_engine::ruling::condition::GatheredValues;
use casebook_engine::ruling::headline::group_outcomes;
use casebook_engine::ruling::situation::Situation;

/// The number of values of an outcome that are listed; rarer ones are added up.
const MAX_SHOWN: usize = 200;
/// The number of values that stand in the line of an outcome.
const MAX_IN_LINE: usize = 3;

/// Returns a chance with the error of a sample.
pub fn chance_text(share: f64, error: Option<f64>) -> String {
    let error = error.map_or(String::new(), |error| format!(" ± {:.1}", error * 100.0));
    percent(share) + &*error
}

/// Adds up the values that the game groups; one that is alone in its group keeps its name.
fn grouped(odds: &Odds, name: &str, rows: &[BarRow], game: &Game) -> Vec<BarRow> {
    let mut grouped: Vec<BarRow> = Vec::new();
    for (group, members) in group_rows(rows, game) {
        let value = match members[..] {
            [only] => odds.shown(name, &only.value),
            _ => &group.value,
        };
        // What it means that an outcome is not named may be one of its values, too.
        let is_unnamed = group.value == NO_OUTCOME;
        let existing = match is_unnamed {
            true => grouped.iter_mut().find(|existing| existing.value == value),
            false => None,
        };
        match existing {
            Some(existing) => existing.add(&group),
            None => grouped.push(BarRow {
                value: value.into(),
                ..group
            }),
        }
    }
    grouped
}

/// Returns a chart for each outcome, with errors where a part was sampled. With `exact` it adds fractions and keeps values apart that the
/// game groups.
pub fn charts(
    odds: &Odds,
    sample: Option<&Sample>,
    exact: bool,
    situation: &Situation,
) -> Vec<AnswerBlock> {
    let game = &situation.ruleset().game;
    let outcomes = rows(odds, sample);
    let (mut is_grouped, mut is_rare) = (false, false);
    let mut chart = |(name, values): &OutcomeRows| {
        let mut rows = match exact {
            true => values.clone(),
            false => grouped(odds, name, values, game),
        };
        is_grouped |= rows.len() < values.len();
        if !exact {
            is_rare |= rows.len() > MAX_SHOWN;
            // Where values have no end, those that are as rare as what was left out tell nothing one by one.
            let is_endless = odds.is_all_but_complete() && !odds.is_complete();
            let is_told = |row: &&BarRow| !is_endless || row.chance >= NEGLIGIBLE;
            let most = rows.iter().filter(is_told).count().min(MAX_SHOWN);
            rows = with_rare_together(rows, most);
        }
        let counted = odds.distribution(name).filter(|_| sample.is_none());
        let mean = counted
            .filter(|_| rows.len() > 1)
            .and_then(Distribution::mean);
        let mean = mean.map_or(String::new(), |mean| {
            let fraction = match exact {
                true => format!(" = {mean}"),
                false => String::new(),
            };
            format!("   mean {:.2}{fraction}", mean.to_f64())
        });
        let row = |row: BarRow| {
            let error = row.error.filter(|_| !odds.is_all_but_complete());
            let cells = vec![
                odds.shown(name, &row.value).into(),
                chance_text(row.chance, error),
            ];
            (cells, row.chance, exact.then(|| row.counted.to_string()))
        };
        let chart = AnswerBlock::chart(&[], rows.into_iter().map(row));
        AnswerBlock::section(
            format!("{name}{}{mean}", unit_note(game, name)),
            vec![chart],
        )
    };
    let names: Vec<String> = outcomes.iter().map(|(name, _)| name.clone()).collect();
    let mut blocks = Vec::new();
    for group in group_outcomes(situation, &names) {
        let listed = |name: &String| outcomes.iter().find(|(outcome, _)| outcome == name);
        let charts: Vec<AnswerBlock> = group
            .outcomes
            .iter()
            .filter_map(listed)
            .map(&mut chart)
            .collect();
        match &*group.title {
            "" => blocks.extend(charts),
            title => blocks.push(AnswerBlock::section(title, charts)),
        }
    }
    let notes = [
        (
            is_grouped,
            "Values for which the game has one name are added up.".into(),
        ),
        (
            is_rare,
            format!("The {MAX_SHOWN} likeliest values are listed."),
        ),
    ];
    let notes = notes.into_iter().filter(|(is_needed, _)| *is_needed);
    blocks.extend(notes.map(|(_, note)| AnswerBlock::advised(note, Some(Remedy::ListValues))));
    blocks
}

/// Returns each outcome in one line: the mean of many numbers, else the likeliest values.
pub fn summary(odds: &Odds, sample: Option<&Sample>, game: &Game) -> AnswerBlock {
    let line = |(name, rows): OutcomeRows| {
        let is_number = |row: &BarRow| {
            row.value.parse::<i64>().is_ok() || GatheredValues::parse(&row.value).is_some()
        };
        let term = |row: &BarRow| Some(row.number()?.to_f64() * row.chance);
        let mean = rows.iter().map(term).sum::<Option<f64>>();
        let (low, high) = (rows.first(), rows.last());
        if let (Some(mean), Some(low), Some(high)) = (mean, low, high)
            && rows.len() > MAX_IN_LINE
            && rows.iter().all(is_number)
        {
            return vec![
                name,
                format!("mean {mean:.2}, {} to {}", low.value, high.value),
            ];
        }
        let mut rows = grouped(odds, &name, &rows, game);
        rows.sort_by(|a, b| b.chance.total_cmp(&a.chance));
        let more = match rows.len().saturating_sub(MAX_IN_LINE) {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        let values = rows.iter().take(MAX_IN_LINE);
        let values =
            values.map(|row| format!("{} {}", row.value, chance_text(row.chance, row.error)));
        vec![name, values.collect::<Vec<_>>().join(", ") + &*more]
    };
    AnswerBlock::rows(rows(odds, sample).into_iter().map(line).collect())
}
