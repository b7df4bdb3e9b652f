//! Output of `casebook odds` for games with choices: strategies, ranges, matrices, and the effect of a case.

use crate::command::compare::{MAX_VALUES, sorted_names};
use crate::command::counting::{OddsAnswer, OddsArgs};
use crate::command::out::Printer;
use casebook_analysis::compare::alternatives::alternatives;
use casebook_analysis::compare::verdicts::DifferenceVerdict;
use casebook_analysis::compare::view::RulesetView;
use casebook_analysis::odds::assumptions::assumptions;
use casebook_analysis::odds::bar_chart::percent;
use casebook_analysis::odds::best_play::{BestPlayOdds, ChanceRange, OutcomeRange, ranges};
use casebook_analysis::odds::count::CountResult;
use casebook_analysis::odds::distribution::shown_value;
use casebook_analysis::odds::fraction::Fraction;
use casebook_analysis::odds::matrix::{self, Matrix, MixedStrategy};
use casebook_analysis::odds::measure::Measure;
use casebook_analysis::odds::report::{MatrixReport, RangesReport};
use casebook_analysis::usecase::compare::{
    RulesetComparison, ViewPairs, compare, comparison, uncounted_lines,
};
use casebook_analysis::usecase::comparison_report::{ComparisonReport, EffectReport};
use casebook_checks::author::headline_checks::headlines_of;
use casebook_engine::complaint::{Error, Remedy};
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::situation::overrides::Overrides;
use casebook_engine::situation::policy::{ALL_SIDES, Policies, PolicyKind};
use casebook_engine::situation::value_text::distinct;
use casebook_view::block::AnswerBlock;
use casebook_view::comparison::verdict;
use casebook_view::grid::OddsGrid;
use casebook_view::text::blocks_text;
use std::sync::Arc;

fn fraction_text(f: &Fraction, exact: bool) -> String {
    if exact {
        f.to_string()
    } else {
        format!("{:.3}", f.to_f64())
    }
}

fn chance_text(f: &Fraction, exact: bool) -> String {
    if exact {
        f.to_string()
    } else {
        percent(f.to_f64())
    }
}

/// Returns the value of the measure and the strategy that achieves it; nothing if nobody chooses by one.
pub fn strategy(
    played: &BestPlayOdds,
    measure: Option<&Measure>,
    policies: &Policies,
    exact: bool,
) -> Vec<AnswerBlock> {
    let mut lines = Vec::new();
    for (kind, word) in [(PolicyKind::Best, "highest"), (PolicyKind::Worst, "lowest")] {
        for side in policies.sides_with(&kind) {
            let chooser = match side == ALL_SIDES {
                true if policies.entries().iter().any(|(who, _)| who != ALL_SIDES) => {
                    "everybody else"
                }
                true => "each side",
                false => &side,
            };
            lines.push(format!(
                "{chooser} takes what makes it {word}, knowing what came before"
            ));
            let asked = policies.asked_questions();
            if side != ALL_SIDES && !asked.values().any(|sides| sides.contains(&side)) {
                lines.push(format!("(but {side} is not asked anything here)"));
            }
        }
    }
    for ((side, question), options) in &played.decisions {
        let sum = options.values().map(|f| f.to_f64()).sum::<f64>();
        let mut list: Vec<_> = options.iter().collect();
        list.sort_by(|a, b| b.1.cmp(a.1));
        let often: Vec<String> = match list[..] {
            [(option, _)] => vec![option.clone()],
            _ => list
                .iter()
                .map(|(option, f)| format!("{option} {}", percent(f.to_f64() / sum)))
                .collect(),
        };
        lines.push(format!("{side}: {question}: {}", often.join(", ")));
    }
    let lines: Vec<AnswerBlock> = lines.into_iter().map(AnswerBlock::text).collect();
    let (Some(measure), Some(value)) = (measure, &played.value) else {
        return lines;
    };
    let fraction = match exact {
        true => format!(" = {value}"),
        false => String::new(),
    };
    let title = format!("{}   {:.3}{fraction}", measure.text, value.to_f64());
    vec![AnswerBlock::section(title, lines)]
}

/// Prints the range of every outcome.
pub fn print_ranges(answer: &OddsAnswer, counted: &CountResult) -> Result<(), Error> {
    let (shown, exact) = (&answer.args.shown, answer.args.exact);
    let mut list = ranges(counted)?;
    shown.check_names(
        &list
            .iter()
            .map(|range| range.outcome.clone())
            .collect::<Vec<_>>(),
    )?;
    list.retain(|range| shown.includes(&range.outcome));
    let to = |low: String, high: String| match low == high {
        true => low,
        false => format!("{low} to {high}"),
    };
    let section = |range: &OutcomeRange| {
        let mean = range.mean.as_ref();
        let mean =
            mean.map(|(low, high)| to(fraction_text(low, exact), fraction_text(high, exact)));
        let mean = mean.map_or(String::new(), |mean| format!("   mean {mean}"));
        // With `--brief`, the range of the mean is enough.
        let values = range.values.iter();
        let values = values.filter(|_| !shown.brief || range.mean.is_none());
        let rows = values.map(|ChanceRange { value, low, high }| {
            let value = shown_value(&counted.unnamed, &range.outcome, value);
            vec![
                value.into(),
                to(chance_text(low, exact), chance_text(high, exact)),
            ]
        });
        let left_out = match range.left_out {
            0 => String::new(),
            count => format!("and {count} more values, for which the time was up."),
        };
        let left_out = AnswerBlock::advised(left_out, Some(Remedy::MoreTime));
        let title = format!("{}{mean}", range.outcome);
        AnswerBlock::section(title, vec![AnswerBlock::rows(rows.collect()), left_out])
    };
    let head = || std::iter::once(answer.head(None));
    answer.print(
        || RangesReport::new(&list),
        || head().chain(list.iter().map(section)).collect(),
    );
    Ok(())
}

/// Prints the value of each pair of answers to a question, and the optimal mixed strategies.
pub fn print_matrix(
    answer: &OddsAnswer,
    counted: &CountResult,
    policies: &Policies,
    question: &str,
    measure: &Measure,
) -> Result<(), Error> {
    let high = policies.sides_with(&PolicyKind::Best);
    let high = high.first().map(String::as_str);
    let games = matrix::matrices(counted, policies, question, measure, high)?;
    let too_large = || Error::Usage("these numbers are too large for the mix to be found".into());
    let mixes = games
        .iter()
        .map(|(matrix, _)| matrix.equilibrium())
        .collect::<Option<Vec<MixedStrategy>>>()
        .ok_or_else(too_large)?;
    let report = || MatrixReport::new(question, measure, &games, &mixes);
    answer.print(report, || {
        let parts = games.iter().zip(&mixes);
        let mut blocks: Vec<AnswerBlock> = parts
            .flat_map(|((matrix, chance), mix)| {
                matrix_section(matrix, chance, mix, answer.args.exact)
            })
            .collect();
        if games.len() > 1 {
            let total = games.iter().map(|(_, chance)| chance.to_f64()).sum::<f64>();
            let worth = games
                .iter()
                .zip(&mixes)
                .map(|((_, chance), mix)| chance.to_f64() * mix.value.to_f64())
                .sum::<f64>();
            blocks.push(AnswerBlock::text(format!(
                "Over all these positions it is worth {:.3}.",
                worth / total
            )));
        }
        let title = format!("{question} · {}", measure.text);
        vec![answer.head(None), AnswerBlock::section(title, blocks)]
    });
    Ok(())
}

fn matrix_section(
    matrix: &Matrix,
    chance: &Fraction,
    mix: &MixedStrategy,
    exact: bool,
) -> Vec<AnswerBlock> {
    let ((high, rows), (low, columns)) = (&matrix.rows, &matrix.columns);
    let occurs = (*chance != Fraction::ONE).then(|| {
        format!(
            "this occurs with a chance of {}",
            chance_text(chance, exact)
        )
    });
    let head = [String::new()].into_iter().chain(columns.iter().cloned());
    let row = |(number, cells): (usize, &Vec<Fraction>)| {
        let cells = cells.iter().map(|cell| fraction_text(cell, exact));
        let plays = chance_text(&mix.rows[number], exact);
        [rows[number].clone()]
            .into_iter()
            .chain(cells)
            .chain([plays])
            .collect()
    };
    let plays = mix.columns.iter().map(|share| chance_text(share, exact));
    let plays = [format!("{low} plays")].into_iter().chain(plays).collect();
    let fraction = match exact {
        true => format!(" = {}", mix.value),
        false => String::new(),
    };
    let rounded =
        "The cells were rounded to ten-thousandths for the mix: exact, its numbers are too large.";
    vec![
        AnswerBlock::text(format!(
            "down: {high}, who wants it high; across: {low}, who wants it low"
        )),
        AnswerBlock::text(occurs.unwrap_or_default()),
        AnswerBlock::Table {
            head: head.chain([format!("{high} plays")]).collect(),
            rows: matrix
                .cells
                .iter()
                .enumerate()
                .map(row)
                .chain([plays])
                .collect(),
        },
        AnswerBlock::text(format!(
            "Played so, it is worth {:.3}{fraction}; neither side does better with any one option.",
            mix.value.to_f64()
        )),
        AnswerBlock::text(if mix.rounded { rounded } else { "" }),
    ]
}

/// Prints the effect of a case, table, variant, option or reading, which `--by` names, on the odds.
pub fn print_effect(
    library: &Arc<Library>,
    (name, overrides): (&str, &Overrides),
    (spec, ruleset): (&RulesetSpec, &Ruleset),
    rule: &str,
    args: &OddsArgs,
    out: Printer,
) -> Result<(), Error> {
    let (settings, page) = (args.settings(), out.page);
    let (policies, measure) = (settings.policies(&ruleset.game)?, settings.measure()?);
    let RulesetComparison {
        mut views,
        mut differences,
        left_out,
    } = args.with_progress(|limits| {
        let question = comparison(
            library,
            (name, overrides),
            &settings,
            (policies.clone(), measure.as_ref()),
            limits,
        );
        let rulesets = alternatives(library, spec, ruleset, rule)?.into_iter();
        let situations = rulesets
            .map(|(title, spec)| Ok((Some(title), question.situation(&spec)?)))
            .collect::<Result<_, Error>>()?;
        compare(&question, situations, ViewPairs::WithFirst, false)
    })?;
    args.shown.check_names(&sorted_names(
        views.iter().flat_map(|view| view.odds.order.clone()),
        &differences,
    ))?;
    let headlines = headlines_of(&views)?;
    views
        .iter_mut()
        .for_each(|view| view.odds.order.retain(|name| args.shown.includes(name)));
    differences.iter_mut().for_each(|difference| {
        difference
            .outcomes
            .retain(|outcome| args.shown.includes(&outcome.outcome))
    });
    let assumed =
        |view: &RulesetView| assumptions(&view.situation, &view.consulted, &policies, &args.choose);
    let assumptions = assumed(&views[0]);
    let outcomes_with = |verdict: DifferenceVerdict| {
        let differences = differences
            .iter()
            .flat_map(|difference| difference.with_verdict(verdict));
        distinct(differences.map(|difference| difference.outcome.clone()))
    };
    let (differing, open) = (
        outcomes_with(DifferenceVerdict::Differs),
        outcomes_with(DifferenceVerdict::Undecided),
    );
    let compared = RulesetComparison {
        views,
        differences,
        left_out,
    };
    let report = || {
        let pairs = ViewPairs::WithFirst;
        let comparison = ComparisonReport::new(&compared, pairs, &headlines, &[], &assumed);
        EffectReport::new(
            comparison,
            rule,
            differing.clone(),
            open.clone(),
            &assumptions,
        )
    };
    let text = || {
        let titles: Vec<&str> = compared.views.iter().map(|view| &*view.title).collect();
        let mut blocks = Vec::new();
        if differing.is_empty() && open.is_empty() && titles.len() > 1 {
            let outcomes = match args.shown.only.is_empty() {
                true => String::new(),
                false => format!(" of {}", args.shown.only.join(" and ")),
            };
            blocks.push(AnswerBlock::text(format!(
                "{rule} has no effect here: {} have the same odds{outcomes}.",
                titles.join(" and ")
            )));
        }
        if !compared.views.iter().all(RulesetView::is_complete) {
            let differences = compared.differences.iter().zip(&titles[1..]);
            blocks.extend(differences.map(|(one, title)| verdict(one, [titles[0], title])));
        }
        let grid = OddsGrid {
            exact: args.exact,
            brief: args.shown.brief,
            ..OddsGrid::of_comparison(&compared, ViewPairs::WithFirst)
        };
        let names: Vec<String> = differing.iter().chain(&open).cloned().collect();
        blocks.extend(grid.changes(&names, MAX_VALUES));
        let left_out = uncounted_lines(&compared.left_out);
        blocks.push(AnswerBlock::list("left out", left_out));
        blocks_text(&blocks, page) + &*args.shown.render_footer(&assumptions, page)
    };
    out.print(report, text);
    Ok(())
}
