//! Renders comparisons and rulings as HTML.

use crate::serve::layout::{LinkTarget, render_with_commas};
use crate::serve::prose::Prose;
use crate::serve::switches::render_reading_text;
use casebook_analysis::odds::assumptions::{
    Assumptions, PARTLY_OPEN, SettledQuestion, TRUNCATED, TypedPolicy,
};
use casebook_analysis::odds::bar_chart::{BarRow, partly, percent, rows};
use casebook_analysis::odds::distribution::{NO_OUTCOME, Odds};
use casebook_analysis::odds::fraction::{Distribution, Fraction};
use casebook_analysis::odds::query::OddsResult;
use casebook_analysis::odds::sample::{Estimate, Sample};
use casebook_engine::complaint::counted;
use casebook_engine::data::manifest::Game;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruling::citations::SHOWN_CITES;
use casebook_engine::ruling::render::TAKEN_BACK;
use casebook_engine::ruling::resolve::{Ruling, RulingLine};
use casebook_engine::ruling::terminal_page::json_text;
use casebook_engine::situation::trace::UnusedAnswer;
use casebook_engine::situation::value_text::distinct;
use maud::{Markup, html};
use rustc_hash::FxHashMap;
use std::borrow::Borrow;
use std::collections::BTreeSet;

/// Maximum number of chart rows shown before the rest is collapsed.
const MAX_ROWS: usize = 12;

/// Maximum number of chart rows that can be expanded; rarer values are only counted.
pub const MAX_FOLDED: usize = 500;

/// Returns the rows of each outcome. For a sample it also counts the runs in which the outcome did not occur.
fn outcome_rows(result: &OddsResult) -> Vec<(String, Vec<BarRow>)> {
    let mut charts = rows(&result.odds, result.sample.as_ref());
    let Some(sample) = &result.sample else {
        return charts;
    };
    for (name, chart) in &mut charts {
        let Some(Estimate { share, error }) = sample
            .of_outcome(name)
            .map(|sampled| sampled.chance(NO_OUTCOME, 0.0))
        else {
            continue;
        };
        if share > 0.0 && !chart.iter().any(|row| row.value == NO_OUTCOME) {
            chart.push(BarRow {
                value: NO_OUTCOME.into(),
                counted: Fraction::ZERO,
                chance: share,
                error: Some(error),
                gathered_mean: None,
            });
        }
    }
    charts
}

/// Says how much was counted and which limit ended it; a page leaves out how the command line raises the limit.
pub fn partly_counted(odds: &Odds, sample: &Sample) -> String {
    let summary = partly(odds, sample, "");
    summary
        .split_once(": --")
        .map_or_else(|| summary.clone(), |(before, _)| format!("{before}."))
}

/// Renders the assumptions of the odds beyond the printed rules.
pub fn render_assumptions(assumed: &Assumptions, ruleset: &Ruleset, links: &LinkTarget) -> Markup {
    let listed = |title: &str, lines: &[String]| html! { @if !lines.is_empty() { h3 { (title) } ul { @for line in lines { li { (line) } } } } };
    let nothing = assumed.is_empty();
    html! {
        (render_list("Answers to questions that were not asked", &UnusedAnswer::describe_all(&assumed.unused_answers)))
        (render_list(PARTLY_OPEN, &assumed.partly_open.iter().map(SettledQuestion::to_string).collect::<Vec<_>>()))
        (render_list(TRUNCATED, &assumed.truncations))
        @if !nothing {
            details.rests {
                summary { "What these odds rest on" }
                @if !assumed.choices.is_empty() {
                    h3 { "Unanswered choices: each takes its first option" }
                    ul { @for left in &assumed.choices { li { (left.question) ": " b { (left.first.join(" or ")) } } } }
                }
                (listed("Policies", &assumed.policies.iter().map(TypedPolicy::to_string).collect::<Vec<_>>()))
                @if !assumed.readings.is_empty() {
                    h3 { "Doubtful places, and how they are read" }
                    ul {
                        @for read in &assumed.readings {
                            li { (render_reading_text(ruleset, &read.reading, links)) ": " b { (read.way) } span.quiet { " (or " (read.others.join(", ")) ")" } }
                        }
                    }
                }
                (listed("Reconstructed figures", &assumed.reconstructed.iter().map(|line| named_by_title(line)).collect::<Vec<_>>()))
                @if !assumed.cases_reconstructed.is_empty() { (render_reconstructed_cases(&assumed.cases_reconstructed, links)) }
            }
        }
    }
}

/// Names a file in a line such as "scenarios/GAME/two-hills.yaml: size of Red" by its title, without the path.
fn named_by_title(line: &str) -> String {
    match line.split_once(".yaml: ") {
        Some((path, figures)) => {
            let name = path.rsplit('/').next().unwrap_or(path);
            format!("{}: {figures}", name.replace('-', " "))
        }
        None => line.into(),
    }
}

/// Renders links to the cases whose printed wording is not known.
fn render_reconstructed_cases(cases: &[String], links: &LinkTarget) -> Markup {
    html! {
        p.quiet {
            "The printed wording is not known of "
            (render_with_commas(cases.iter().map(|cite| html! { a.cite href=(links.cite_address(cite)) { (cite) } })))
            "."
        }
    }
}

/// Groups the values that the game reports together; each group keeps its rows, and all other values stay single.
pub fn group_rows<'r>(rows: &'r [BarRow], game: &Game) -> Vec<(BarRow, Vec<&'r BarRow>)> {
    let mut groups: Vec<(BarRow, Vec<&BarRow>)> = Vec::new();
    let mut index_of_name: FxHashMap<&str, usize> = FxHashMap::default();
    for row in rows {
        let name = game.group_outcome(&row.value);
        match index_of_name.get(name) {
            Some(index) => {
                let (group, members) = &mut groups[*index];
                group.add(row);
                members.push(row);
            }
            None => {
                index_of_name.insert(name, groups.len());
                groups.push((
                    BarRow {
                        value: name.into(),
                        ..row.clone()
                    },
                    vec![row],
                ));
            }
        }
    }
    groups
}

/// Renders a value of an outcome; `unnamed` is what it means that it is not named.
pub fn render_value(text: &str, unnamed: &str) -> Markup {
    // A negative number has a minus sign, not a hyphen.
    let text_shown = match text.strip_prefix('-') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => format!("−{rest}"),
        _ => text.to_string(),
    };
    html! { @if text == NO_OUTCOME { span.quiet { (unnamed) } } @else { (text_shown) } }
}

/// Renders the odds under several rulesets. It draws the outcomes that differ and names the others; incomplete counts are never called
/// equal.
pub fn render_comparison<R: Borrow<OddsResult>>(views: &[(String, R)], game: &Game) -> Markup {
    let views: Vec<(String, &OddsResult)> = views
        .iter()
        .map(|(title, found)| (title.clone(), found.borrow()))
        .collect();
    let views = views.as_slice();
    let rows: Vec<Vec<(String, Vec<BarRow>)>> =
        views.iter().map(|(_, found)| outcome_rows(found)).collect();
    let names = distinct(rows.iter().flatten().map(|(name, _)| name.as_str()));
    let is_exact = views.iter().all(|(_, found)| found.sample.is_none());
    let differs = |name: &&str| {
        !is_exact
            || views.iter().any(|(_, found)| {
                found.odds.distribution(name) != views[0].1.odds.distribution(name)
            })
    };
    let (differing, unchanged): (Vec<_>, Vec<_>) = names.into_iter().partition(differs);
    html! {
        ol.key aria-label="Rulesets" {
            @for (i, (title, found)) in views.iter().enumerate() {
                li class={ "r" (i % 6 + 1) } { (title) @if let Some(sample) = &found.sample { span.quiet { " " (partly_counted(&found.odds, sample)) } } }
            }
        }
        @if differing.is_empty() && views.len() > 1 { p role="status" { "The odds are the same." } }
        div.charts { @for name in differing { (render_outcome_comparison(name, views, &rows, game)) } }
        @if !unchanged.is_empty() {
            p.quiet { @if views.len() > 1 { "The same under all: " } @else { "Beside that: " } (unchanged.join(", ")) "." }
        }
    }
}

fn render_outcome_comparison(
    name: &str,
    views: &[(String, &OddsResult)],
    rows: &[Vec<(String, Vec<BarRow>)>],
    game: &Game,
) -> Markup {
    let rows_of = |charts: &[(String, Vec<BarRow>)]| -> Option<Vec<BarRow>> {
        let (_, list) = charts.iter().find(|(known, _)| known == name)?;
        Some(
            group_rows(list, game)
                .into_iter()
                .map(|(row, _)| row)
                .collect(),
        )
    };
    // An outcome that a ruleset never names has all its probability on "does not occur".
    let never = |result: &OddsResult| {
        let exact = result.odds.counted_share.clone().unwrap_or(Fraction::ZERO);
        BarRow {
            value: NO_OUTCOME.into(),
            chance: 1.0,
            error: result.sample.as_ref().map(|_| 1.0 - exact.to_f64()),
            counted: exact,
            gathered_mean: None,
        }
    };
    let lists: Vec<Vec<BarRow>> = views
        .iter()
        .zip(rows)
        .map(|((_, found), list)| rows_of(list).unwrap_or_else(|| vec![never(found)]))
        .collect();
    let rows_by_value: Vec<FxHashMap<&str, &BarRow>> = lists
        .iter()
        .map(|list| list.iter().map(|row| (row.value.as_str(), row)).collect())
        .collect();
    let mut values: Vec<&str> = lists
        .iter()
        .flatten()
        .map(|row| row.value.as_str())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    // Numeric order: "6 left" precedes "10 left".
    let number = |text: &str| {
        text.split(|c: char| !c.is_ascii_digit())
            .find(|part| !part.is_empty())
            .and_then(|part| part.parse::<i64>().ok())
    };
    values.sort_by_cached_key(|value| (*value == NO_OUTCOME, number(value), value.to_string()));
    let share = |list: &FxHashMap<&str, &BarRow>, value: &str| {
        list.get(value).map_or(0.0, |row| row.chance)
    };
    let error =
        |list: &FxHashMap<&str, &BarRow>, value: &str| list.get(value).and_then(|row| row.error);
    let mean = |found: &OddsResult| {
        found
            .odds
            .distribution(name)
            .filter(|_| found.sample.is_none())
            .and_then(Distribution::mean)
    };
    let means: Vec<Option<Fraction>> = views.iter().map(|(_, found)| mean(found)).collect();
    let means: Vec<String> = match means.iter().any(Option::is_some) {
        true => means
            .iter()
            .map(|mean| {
                mean.as_ref()
                    .map_or("–".into(), |mean| format!("{:.2}", mean.to_f64()))
            })
            .collect(),
        false => Vec::new(),
    };
    // Values that are likely under any ruleset are shown; the rest are collapsed.
    let greatest = |value: &str| {
        rows_by_value
            .iter()
            .map(|list| share(list, value))
            .fold(0.0, f64::max)
    };
    let mut rank: Vec<f64> = values.iter().map(|value| greatest(value)).collect();
    rank.sort_by(f64::total_cmp);
    let threshold = rank
        .len()
        .checked_sub(MAX_ROWS)
        .map_or(0.0, |index| rank[index]);
    let (mut shown_values, mut folded_values): (Vec<&str>, Vec<&str>) = values
        .into_iter()
        .partition(|value| greatest(value) >= threshold);
    // Equally likely values are all above the threshold.
    folded_values.extend(shown_values.split_off(shown_values.len().min(MAX_FOLDED)));
    let left_out = folded_values.len().saturating_sub(MAX_FOLDED);
    folded_values.sort_by(|a, b| greatest(b).total_cmp(&greatest(a)));
    folded_values.truncate(MAX_FOLDED);
    let unnamed = views[0].1.odds.shown(name, NO_OUTCOME);
    // Each bar carries the name of its ruleset, so that colour is not the only key.
    let row = |text: &str| {
        html! {
            tbody {
                tr { th.value scope="rowgroup" colspan="3" { (render_value(text, unnamed)) } }
                @for (i, list) in rows_by_value.iter().enumerate() {
                    tr class={ "r" (i % 6 + 1) } {
                        th.of scope="row" { (views[i].0) }
                        td.bar { span style={ "--share:" (format!("{:.4}", share(list, text))) } {} }
                        td.percent {
                            @if share(list, text) > 0.0 { (percent(share(list, text))) } @else if views[i].1.sample.is_some() { "not seen" } @else { "0" }
                            @if let Some(error) = error(list, text) { " ± " (format!("{:.1}", error * 100.0)) }
                        }
                    }
                }
            }
        }
    };
    html! {
        figure.odds.beside {
            table {
                caption { (name) @if !means.is_empty() { span.quiet { "mean " (means.join(" · ")) } } }
                @for text in &shown_values { (row(text)) }
            }
            @if !folded_values.is_empty() {
                details {
                    summary { (folded_values.len()) " less likely" }
                    table aria-label={ (name) ", the less likely" } { @for text in &folded_values { (row(text)) } }
                    @if left_out > 0 { p.quiet { "and " (counted(left_out, "value")) " that are less likely still" } }
                }
            }
        }
    }
}

/// Renders a ruling; each line shows the cases and tables that it cites.
pub fn render_ruling(ruling: &Ruling, prose: &Prose) -> Markup {
    let links = prose.links;
    html! {
        div.ruling {
            @for step in &ruling.steps {
                section {
                    @if !step.title.is_empty() { h3 { (step.title) } }
                    @for line in &step.lines { (render_line(line, prose)) }
                }
            }
            @if let Some(refusal) = &ruling.refused {
                section.refused role="alert" { h3 { "Refused" } (render_line(refusal, prose)) @if ruling.taken_back { p { (TAKEN_BACK) } } }
            }
            @if !ruling.results.is_empty() {
                section.outcome {
                    h3 { "Outcome" }
                    @if !ruling.headline.is_empty() { p.headline { (ruling.headline) } }
                    @for (i, group) in ruling.groups.iter().enumerate() {
                        @let list = html! { dl { @for name in &group.outcomes { @if let Some(value) = ruling.results.get(name) { div { dt { (name) } dd { (json_text(value)) (render_outcome_cites(ruling, name, links)) } } } } } };
                        @if i == 0 { (list) } @else { details.group { summary { (group.title) " " span.quiet { (group.outcomes.len()) } } (list) } }
                    }
                }
            }
            (render_list("Answers to questions that were not asked", &UnusedAnswer::describe_all(&ruling.unused_answers)))
            @if !ruling.reconstructed.is_empty() {
                details.rests {
                    summary { span.status.reconstructed { "~" } " Rests on reconstructed figures" }
                    ul { @for line in &ruling.reconstructed { li { (named_by_title(line)) } } }
                }
            }
            @let count = ruling.cases_reconstructed.len();
            @if count > 0 {
                details.rests {
                    summary { "The printed wording of " (counted(count, "case")) " is not known" }
                    (render_reconstructed_cases(&ruling.cases_reconstructed, links))
                }
            }
        }
    }
}

/// Renders what an outcome cites that has no line of its own.
fn render_outcome_cites(ruling: &Ruling, name: &str, links: &LinkTarget) -> Markup {
    let cites = ruling
        .outcome_cites
        .get(name)
        .map(Vec::as_slice)
        .unwrap_or_default();
    html! { @for cite in &cites[..cites.len().min(SHOWN_CITES)] { " " a.cite href=(links.cite_address(cite)) { (cite) } } }
}

/// Renders lines below a title; nothing without lines.
pub fn render_list(title: &str, lines: &[String]) -> Markup {
    html! { @if !lines.is_empty() { section.quiet { h3 { (title) } ul { @for line in lines { li { (line) } } } } } }
}

/// Renders a line with its citations; further citations and details are collapsed.
fn render_line(line: &RulingLine, prose: &Prose) -> Markup {
    let links = prose.links;
    let (shown_cites, folded_cites) = line.cites.split_at(line.cites.len().min(SHOWN_CITES));
    let folded = folded_cites.len() + line.behind.len();
    // A page has a thousand of them: what they look like is said of what holds them.
    let cited = |cites: &[String]| html! { @for cite in cites { a href=(links.cite_address(cite)) { (cite) } " " } };
    html! {
        div.line {
            p { (prose.render(&line.text)) }
            @if !shown_cites.is_empty() {
                div.cites {
                    (cited(shown_cites))
                    @if folded > 0 {
                        details { summary title="What else it rests on" { "+" (folded) span.hidden { " more that this rests on" } } (cited(folded_cites)) (cited(&line.behind)) }
                    }
                }
            }
        }
    }
}
