//! Text tables of a comparison: one column per ruleset, and the differences below.

use casebook_analysis::compare::causes::Cause;
use casebook_analysis::compare::paired_runs::PairCounts;
use casebook_analysis::compare::ruleset_difference::RulesetDifference;
use casebook_analysis::compare::verdicts::{DifferenceVerdict, OutcomeDifference, ShareChange};
use casebook_analysis::compare::view::RulesetView;
use casebook_analysis::odds::bar_chart::percent;
use casebook_analysis::odds::distribution::{NO_OUTCOME, Odds, grouped_chances, shown_value};
use casebook_analysis::odds::fraction::Fraction;
use casebook_analysis::odds::sample::{Estimate, Sample};
use casebook_engine::ruling::terminal_page::{TerminalPage, json_text};
use casebook_engine::situation::value_text::distinct;
use serde_json::Value;
use std::fmt::Write;

/// Renders the outcomes of the same dice and the odds, one column per ruleset. A view that was not counted completely shows the estimate
/// from its paired runs.
pub fn render_side_by_side(
    views: &[RulesetView],
    differences: &[RulesetDifference],
    played: &[Value],
    dice: &str,
    page: TerminalPage,
) -> String {
    let mut rows: Vec<(String, Vec<String>)> = vec![(
        format!("the same dice ({dice})"),
        vec![String::new(); views.len()],
    )];
    for name in distinct(
        played
            .iter()
            .filter_map(Value::as_object)
            .flat_map(|outcomes| outcomes.keys()),
    ) {
        rows.push((
            format!("  {name}"),
            played
                .iter()
                .zip(views)
                .map(|(played, view)| {
                    let unnamed = || view.odds.shown(name, NO_OUTCOME).to_string();
                    played.get(name).map_or_else(unnamed, json_text)
                })
                .collect(),
        ));
    }
    let dice_rows = rows.len();
    rows.push(("odds".into(), vec![String::new(); views.len()]));
    let sampled: Vec<Option<(&PairCounts, bool)>> = (0..views.len())
        .map(|index| pairs_of(views, differences, index))
        .collect();
    let counted = views.iter().flat_map(|view| &view.odds.order);
    for name in distinct(
        counted.chain(
            sampled
                .iter()
                .flatten()
                .flat_map(|(pairs, _)| pairs.counts.keys()),
        ),
    ) {
        let cell = |(view, sampled): (&RulesetView, &Option<(&PairCounts, bool)>)| match sampled {
            _ if view.is_complete() => outcome_cell(view, name),
            Some((pairs, other)) => sampled_cell(pairs, &view.odds, name, *other),
            None => "not counted".into(),
        };
        rows.push((
            format!("  {name}"),
            views.iter().zip(&sampled).map(cell).collect(),
        ));
    }
    // What is the same everywhere is told once, by its name.
    let is_proved = |name: &str| {
        let verdicts = differences
            .iter()
            .map(|one| one.outcomes.iter().find(|outcome| outcome.outcome == name));
        !differences.is_empty()
            && verdicts
                .into_iter()
                .all(|one| one.is_none_or(|one| one.verdict == DifferenceVerdict::Same))
    };
    let is_head = |place: usize| place == 0 || place == dice_rows;
    let mut place = 0;
    rows.retain(|(name, cells)| {
        place += 1;
        is_head(place - 1)
            || !(is_proved(name.trim_start()) && cells.windows(2).all(|pair| pair[0] == pair[1]))
    });
    if rows
        .iter()
        .all(|(_, cells)| cells.iter().all(String::is_empty))
    {
        return String::new();
    }
    let first = rows
        .iter()
        .map(|(n, _)| n.chars().count())
        .max()
        .unwrap_or(0);
    let title = |(view, sampled): (&RulesetView, &Option<(&PairCounts, bool)>)| match sampled {
        _ if view.is_complete() => view.title.clone(),
        Some((pairs, _)) => format!("{} (a sample of {} runs)", view.title, pairs.runs),
        None => format!("{} (not counted)", view.title),
    };
    let titles: Vec<String> = views.iter().zip(&sampled).map(title).collect();
    let width = |i: usize| {
        rows.iter()
            .map(|(_, c)| c[i].chars().count())
            .chain([titles[i].chars().count()])
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..views.len()).map(width).collect();
    let line = |name: &str, cells: &[String]| {
        let cells: Vec<String> = cells
            .iter()
            .zip(&widths)
            .map(|(c, w)| format!("{c:<w$}"))
            .collect();
        format!("{name:<first$}  {}\n", cells.join("  "))
            .trim_end()
            .to_string()
            + "\n"
    };
    let mut out = format!("\n{}", page.paint("1", &line("", &titles)));
    for (name, cells) in &rows {
        let differ = cells.windows(2).any(|pair| pair[0] != pair[1]);
        let text = line(name, cells);
        out.push_str(&if cells.iter().all(String::is_empty) {
            page.paint("1", &text)
        } else if differ {
            page.paint("33", &text)
        } else {
            text
        });
    }
    out
}

/// Formats an outcome in one cell: the mean of numeric values, otherwise the likeliest values; values of one group are added up.
fn outcome_cell(view: &RulesetView, name: &str) -> String {
    let Some(distribution) = view.odds.distribution(name) else {
        return view.odds.shown(name, NO_OUTCOME).into();
    };
    let named_values: Vec<_> = distribution
        .iter()
        .filter(|(value, _)| *value != NO_OUTCOME)
        .collect();
    let total = named_values
        .iter()
        .fold(Fraction::ZERO, |sum, (_, chance)| &sum + *chance);
    let number = |value: &str| {
        value
            .parse()
            .ok()
            .map(Fraction::from_integer)
            .or(distribution.gathered_mean(value).cloned())
    };
    let term = |(value, chance): &(&str, &Fraction)| Some(*chance * &number(value)?);
    let sum = named_values
        .iter()
        .try_fold(Fraction::ZERO, |sum, one| Some(&sum + &term(one)?));
    if let (Some(sum), true) = (sum, named_values.len() > 1) {
        let mean = sum.checked_div(&total).map_or(0.0, |mean| mean.to_f64());
        return if total.to_f64() < 1.0 {
            format!("mean {mean:.2} in {}", percent(total.to_f64()))
        } else {
            format!("mean {mean:.2}")
        };
    }
    let game = &view.situation.ruleset().game;
    let mut list: Vec<_> = grouped_chances(distribution, game).into_iter().collect();
    list.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    list.iter()
        .take(2)
        .map(|(value, chance)| {
            let value = view.odds.shown(name, value);
            format!("{value} {}", percent(chance.to_f64()))
        })
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns the paired runs of a view that was not counted completely, and whether it is the second of the pair.
fn pairs_of<'p>(
    views: &[RulesetView],
    differences: &'p [RulesetDifference],
    index: usize,
) -> Option<(&'p PairCounts, bool)> {
    let pairs = |index: usize| {
        differences
            .get(index)?
            .pairs
            .as_ref()
            .filter(|pairs| pairs.runs > 0)
    };
    let before = || Some((pairs(index.checked_sub(1)?)?, true));
    (!views[index].is_complete())
        .then(|| pairs(index).map(|pairs| (pairs, false)).or_else(before))?
}

/// Formats an outcome in one cell as estimated from paired runs, with the error at 95 % confidence.
fn sampled_cell(pairs: &PairCounts, odds: &Odds, name: &str, of_second: bool) -> String {
    let counts = pairs.counts_of(name, of_second);
    let sample = Sample {
        runs: pairs.runs,
        uncounted_share: 1.0,
        ..Sample::default()
    };
    let chance = |sample: &Sample, times: u64| {
        let Estimate { share, error } = sample.estimate(times, 0.0);
        format!("{} ± {:.1}", percent(share), error * 100.0)
    };
    let named_values: Vec<&(&str, u64)> = counts
        .iter()
        .filter(|(value, _)| *value != NO_OUTCOME)
        .collect();
    let numbers: Option<Vec<(f64, f64)>> = named_values
        .iter()
        .map(|(value, times)| Some((value.parse::<i64>().ok()? as f64, *times as f64)))
        .collect();
    if let Some(numbers) = numbers.filter(|numbers| numbers.len() > 1) {
        let runs: f64 = numbers.iter().map(|(_, times)| times).sum();
        let mean = numbers
            .iter()
            .map(|(value, times)| value * times)
            .sum::<f64>()
            / runs;
        let spread = numbers
            .iter()
            .map(|(value, times)| (value - mean).powi(2) * times)
            .sum::<f64>()
            / (runs - 1.0).max(1.0);
        let text = format!("mean {mean:.2} ± {:.2}", 1.96 * (spread / runs).sqrt());
        return if (runs as u64) < sample.runs {
            format!("{text} in {}", chance(&sample, runs as u64))
        } else {
            text
        };
    }
    let mut list = counts;
    list.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    list.iter()
        .take(2)
        .map(|(value, times)| {
            let value = odds.shown(name, value);
            format!("{value} {}", chance(&sample, *times))
        })
        .collect::<Vec<_>>()
        .join(", ")
}

/// Outcomes with the same causes, where these were searched for and found.
type OutcomeGroup<'a> = (Option<&'a Option<Vec<Cause>>>, Vec<&'a OutcomeDifference>);

/// Renders the comparison of two rulesets: values that changed, their causes, outcomes proved equal, and outcomes that are undecided.
pub fn render_verdicts(
    difference: &RulesetDifference,
    titles: [&str; 2],
    page: TerminalPage,
) -> String {
    let outcomes_with = |verdict: DifferenceVerdict| {
        difference
            .with_verdict(verdict)
            .map(|d| d.outcome.clone())
            .collect::<Vec<_>>()
    };
    let (same, open) = (
        outcomes_with(DifferenceVerdict::Same),
        difference
            .with_verdict(DifferenceVerdict::Undecided)
            .map(render_undecided)
            .collect::<Vec<_>>(),
    );
    let mut out = String::new();
    let word = match difference.verdict() {
        DifferenceVerdict::Differs => "differ",
        DifferenceVerdict::Same => "give the same (proved)",
        DifferenceVerdict::Undecided => "may differ or be the same: not decided",
    };
    let runs_text = match difference.runs {
        0 => String::new(),
        runs => format!("; not all chances were counted: {runs} pairs of runs on the same dice"),
    };
    let _ = writeln!(
        out,
        "\n{}",
        page.paint(
            "1",
            &format!("{} and {} {word}{runs_text}", titles[0], titles[1])
        )
    );
    if difference.verdict() == DifferenceVerdict::Same {
        return out;
    }
    let rows: Vec<&OutcomeDifference> = difference
        .with_verdict(DifferenceVerdict::Differs)
        .collect();
    let width = rows
        .iter()
        .flat_map(|d| {
            d.values.iter().map(|m| {
                shown_value(&difference.unnamed, &d.outcome, &m.value)
                    .chars()
                    .count()
            })
        })
        .max()
        .unwrap_or(0)
        .max(4)
        + 2;
    // Long titles are listed above the values and referred to by number.
    let has_long_titles = titles.iter().any(|title| title.chars().count() > 24);
    let headings = if has_long_titles {
        ["(1)", "(2)"]
    } else {
        titles
    };
    let [from, to] = headings.map(|title| title.chars().count().max(7));
    let groups = groups_of(difference);
    if !groups.is_empty() {
        for (number, title) in ["(1)", "(2)"]
            .iter()
            .zip(titles)
            .filter(|_| has_long_titles)
        {
            out.push_str(&page.line(&format!("{number} {title}"), &[]));
        }
        let head = format!(
            "  {:width$}  {:>from$}  {:>to$}  difference",
            "", headings[0], headings[1]
        );
        let _ = writeln!(out, "{}", page.paint("2", &head));
    }
    for (causes, list) in groups {
        for outcome in list {
            let played = if outcome.proved {
                ""
            } else {
                "   (by the pairs played, not proved)"
            };
            let _ = writeln!(out, "  {}{played}", page.paint("33", &outcome.outcome));
            for change in &outcome.values {
                let (a, b, by) = share_texts(change);
                let _ = writeln!(
                    out,
                    "    {:width$}{a:>from$}  {b:>to$}  {by}",
                    shown_value(&difference.unnamed, &outcome.outcome, &change.value)
                );
            }
        }
        out.push_str(&causes_text(causes, difference.seeds, page));
    }
    let list = |list: Vec<String>| {
        if list.is_empty() {
            list
        } else {
            vec![list.join(", ")]
        }
    };
    page.list(&mut out, "the same (proved)", &list(same));
    page.list(
        &mut out,
        "not decided; in brackets the possible difference of a chance, in percentage points",
        &list(open),
    );
    out
}

/// Groups the outcomes that differ by their causes.
fn groups_of(difference: &RulesetDifference) -> Vec<OutcomeGroup<'_>> {
    let mut groups: Vec<OutcomeGroup> = Vec::new();
    for row in difference.with_verdict(DifferenceVerdict::Differs) {
        let mut known = difference.causes.iter();
        let causes = known.find(|(name, _)| *name == row.outcome);
        let causes = causes.map(|(_, causes)| causes);
        match groups.iter_mut().find(|(group, _)| *group == causes) {
            Some((_, list)) => list.push(row),
            None => groups.push((causes, vec![row])),
        }
    }
    groups
}

/// Renders the causes by themselves, where the outcomes that differ stand above.
pub fn render_causes(difference: &RulesetDifference, page: TerminalPage) -> String {
    let groups = groups_of(difference);
    let mut out = String::new();
    for (causes, list) in &groups {
        if groups.len() > 1 {
            let names: Vec<&str> = list.iter().map(|one| &*one.outcome).collect();
            out.push_str(&page.paint("33", &page.line(&names.join(", "), &[])));
        }
        out.push_str(&causes_text(*causes, difference.seeds, page));
    }
    out
}

fn causes_text(causes: Option<&Option<Vec<Cause>>>, seeds: usize, page: TerminalPage) -> String {
    let mut out = String::new();
    match causes {
        Some(Some(causes)) => {
            for cause in causes {
                out.push_str(&page.line(&cause_line(cause), &[]));
            }
            if seeds > 0 {
                let on = format!(
                    "on {seeds} seeds: so it differs with them alone, and is the same without them; on others: not decided"
                );
                out.push_str(&page.paint("2", &page.line(&on, &[])));
            }
        }
        Some(None) => {
            let late = "  the cause of the difference was not found in time; --limit SECONDS allows more\n";
            out.push_str(late);
        }
        None => {}
    }
    out
}

/// Formats an undecided outcome with the widest confidence interval of its values, if there are any.
fn render_undecided(difference: &OutcomeDifference) -> String {
    if difference.values.is_empty() {
        return difference.outcome.clone();
    }
    let low = difference
        .values
        .iter()
        .map(|change| change.low)
        .fold(0.0, f64::min)
        * 100.0;
    let high = difference
        .values
        .iter()
        .map(|change| change.high)
        .fold(0.0, f64::max)
        * 100.0;
    format!("{} ({low:+.1} to {high:+.1})", difference.outcome)
}

/// Formats a changed value: both chances and their difference, with a confidence interval if it is not exact.
fn share_texts(change: &ShareChange) -> (String, String, String) {
    if change.value == "mean" && change.exact.is_some() {
        return (
            format!("{:.2}", change.from),
            format!("{:.2}", change.to),
            format!("{:+.2}", change.to - change.from),
        );
    }
    let points = |share: f64| match share * 100.0 {
        p if p.abs() < 0.05 && p > 0.0 => "+<0.1".to_string(),
        p if p.abs() < 0.05 && p < 0.0 => "-<0.1".to_string(),
        p => format!("{p:+.1}"),
    };
    let ends = if change.exact.is_some() {
        String::new()
    } else {
        format!("  ({} to {})", points(change.low), points(change.high))
    };
    (
        percent(change.from),
        percent(change.to),
        format!("{:>5}{ends}", points(change.to - change.from)),
    )
}

/// Formats a cause as a sentence, with its option, source and place: `errata sets table fights, odds 1:1, die 1: 2/1 instead of 2/0 (...)`.
fn cause_line(cause: &Cause) -> String {
    let Cause {
        layer, what, title, ..
    } = cause;
    let subject = match (cause.kind, cause.added) {
        ("reading", _) => format!("{what} is {title}"),
        ("case", true) => format!("case {what} of {layer}"),
        ("case", false) => format!("without case {what} of {layer}"),
        _ if layer.is_empty() => what.clone(),
        (_, true) => format!("{layer} sets {what}"),
        (_, false) => format!("without {layer}, {what}"),
    };
    let title = if title.is_empty() || cause.kind == "reading" {
        String::new()
    } else {
        format!(": {title}")
    };
    let option = if cause.option.is_empty() {
        String::new()
    } else {
        format!("option {}", cause.option)
    };
    let parts = [option.as_str(), &cause.source, &cause.path]
        .into_iter()
        .filter(|part| !part.is_empty());
    let parts = parts.collect::<Vec<_>>().join("; ");
    let parts = if parts.is_empty() {
        parts
    } else {
        format!(" ({parts})")
    };
    format!("cause: {subject}{title}{parts}")
}
