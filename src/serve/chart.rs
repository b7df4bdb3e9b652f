//! Odds and rulings as a page shows them.

use crate::data::manifest::Game;
use crate::odds::assumed::{Assumed, Typed};
use crate::odds::bars::{Row, partly, percent, rows};
use crate::odds::distribution::NOTHING;
use crate::odds::find::Found;
use crate::odds::fraction::{Distribution, Fraction};
use crate::ruleset::compose::Ruleset;
use crate::ruling::page::plain;
use crate::ruling::render::TAKEN_BACK;
use crate::ruling::resolve::{Line, Ruling};
use crate::ruling::situation::Situation;
use crate::serve::answers::Counted;
use crate::serve::layout::Links;
use crate::serve::switches::doubt;
use crate::situation::trace::Unheard;
use maud::{Markup, html};

/// Rows of a chart that are shown at once.
const ROWS: usize = 12;

/// What was found, outcome by outcome, and what it rests on.
pub fn odds(counted: &Counted, situation: &Situation, links: &Links) -> Markup {
    let (found, game) = (&counted.found, &situation.ruleset().game);
    let charts = values(found);
    // Of a sample nothing is certain.
    let (certain, open): (Vec<_>, Vec<_>) = charts.into_iter().partition(|(_, list)| list.len() == 1 && found.sample.is_none());
    html! {
        @match &found.sample {
            Some(sample) => p.partly role="status" { (partly(&found.odds, sample)) }
            None => p.quiet { "Exact: every chance was counted." }
        }
        @if !certain.is_empty() {
            dl.certain { @for (name, list) in &certain { div { dt { (name) } dd { (value(&list[0].value)) } } } }
        }
        div.charts {
            @for (name, list) in &open {
                (chart(name, list, found.odds.of(name).filter(|_| found.sample.is_none()), game))
            }
        }
        (rests_on(&counted.assumed, situation.ruleset(), links))
    }
}

/// The values of every outcome; of a sample, too, how often an outcome did not come up.
fn values(found: &Found) -> Vec<(String, Vec<Row>)> {
    let mut charts = rows(&found.odds, found.sample.as_ref());
    let Some(sample) = &found.sample else { return charts };
    for (name, list) in &mut charts {
        let (share, error) = sample.chance(name, NOTHING, 0.0);
        if share > 0.0 && !list.iter().any(|row| row.value == NOTHING) {
            list.push(Row { value: NOTHING.into(), exact: Fraction::ZERO, share, error: Some(error) });
        }
    }
    charts
}

/// What odds rest on beside the printed rules.
fn rests_on(assumed: &Assumed, ruleset: &Ruleset, links: &Links) -> Markup {
    let listed =
        |title: &str, lines: &[String]| html! { @if !lines.is_empty() { h3 { (title) } ul { @for line in lines { li { (line) } } } } };
    let nothing = assumed.nothing();
    html! {
        (named("Answers to what nobody asked", &Unheard::told(&assumed.unheard)))
        @if !nothing {
            details.rests {
                summary { "What these odds rest on" }
                @if !assumed.choices.is_empty() {
                    h3 { "Choices left to the option offered first" }
                    ul { @for left in &assumed.choices { li { (left.question) ": " b { (left.first.join(" or ")) } } } }
                }
                (listed("Policies", &assumed.policies.iter().map(Typed::to_string).collect::<Vec<_>>()))
                @if !assumed.readings.is_empty() {
                    h3 { "Doubtful places, and how they are read" }
                    ul {
                        @for read in &assumed.readings {
                            li { (doubt(ruleset, &read.reading, links)) ": " b { (read.way) } span.quiet { " (or " (read.others.join(", ")) ")" } }
                        }
                    }
                }
                (listed("Reconstructed figures", &assumed.reconstructed))
                @if !assumed.cases_reconstructed.is_empty() { (unworded(&assumed.cases_reconstructed, links)) }
            }
        }
    }
}

/// Cases whose printed wording is not known, each with the way to it.
fn unworded(cases: &[String], links: &Links) -> Markup {
    html! {
        p.quiet {
            "The printed wording is not known of "
            @for (i, cite) in cases.iter().enumerate() { @if i > 0 { ", " } a.cite href=(links.cited(cite)) { (cite) } }
            "."
        }
    }
}

/// One outcome: its values with their chances. Values that the game tells together are one, and can be unfolded.
fn chart(name: &str, list: &[Row], counted: Option<&Distribution>, game: &Game) -> Markup {
    let mean = counted.and_then(Distribution::mean);
    let groups = grouped(list, game);
    let most = groups.iter().map(|(row, _)| row.share).fold(0.0, f64::max);
    let (shown, rest) = groups.split_at(groups.len().min(ROWS));
    let row = |row: &Row, most: f64| {
        html! {
            tr.likeliest[row.share == most] {
                th scope="row" { (value(&row.value)) }
                td.bar { span style={ "--share:" (format!("{:.4}", row.share)) } {} }
                td.percent title=[row.error.is_none().then(|| row.exact.to_string())] {
                    (percent(row.share)) @if let Some(error) = row.error { span.quiet { " ± " (format!("{:.1}", error * 100.0)) } }
                }
            }
        }
    };
    let unfolded = |summary: String, list: &[&Row]| {
        html! { details { summary { (summary) } table aria-label={ (name) ", " (summary) } { tbody { @for one in list { (row(one, -1.0)) } } } } }
    };
    html! {
        figure.odds {
            table {
                caption { (name) @if let Some(mean) = mean { span.quiet { "mean " (format!("{:.2}", mean.share())) } } }
                tbody { @for (one, _) in shown { (row(one, most)) } }
            }
            @for (one, ways) in &groups { @if ways.len() > 1 { (unfolded(format!("{}: {} ways", one.value, ways.len()), ways)) } }
            @if !rest.is_empty() { (unfolded(format!("{} more", rest.len()), &rest.iter().map(|(one, _)| one).collect::<Vec<_>>())) }
        }
    }
}

/// Values that the game tells together, as one, each with its rows; the others by themselves.
fn grouped<'r>(list: &'r [Row], game: &Game) -> Vec<(Row, Vec<&'r Row>)> {
    let mut groups: Vec<(Row, Vec<&Row>)> = Vec::new();
    for row in list {
        let name = game.together(&row.value);
        match groups.iter_mut().find(|(known, _)| known.value == name) {
            Some((whole, ways)) => {
                whole.exact += &row.exact;
                whole.share += row.share;
                // Errors of parts of one sample: never less than that of the whole.
                whole.error = whole.error.zip(row.error).map(|(a, b)| a.hypot(b));
                ways.push(row);
            }
            None => groups.push((Row { value: name.into(), exact: row.exact.clone(), ..*row }, vec![row])),
        }
    }
    groups
}

/// A value; what did not come up is said in words.
fn value(text: &str) -> Markup {
    html! { @if text == NOTHING { span.quiet { "doesn’t come up" } } @else { (text) } }
}

/// Odds under several rulesets side by side: outcomes that differ drawn, the others named. Where not all was counted, nothing is called the same.
pub fn side_by_side(views: &[(String, Found)], game: &Game) -> Markup {
    let rows: Vec<Vec<(String, Vec<Row>)>> = views.iter().map(|(_, found)| values(found)).collect();
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in rows.iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let counted = views.iter().all(|(_, found)| found.sample.is_none());
    let differs = |name: &&String| !counted || views.iter().any(|(_, found)| found.odds.of(name) != views[0].1.odds.of(name));
    let (differing, same): (Vec<_>, Vec<_>) = names.into_iter().partition(differs);
    html! {
        ol.key aria-label="Rulesets" {
            @for (i, (title, found)) in views.iter().enumerate() {
                li class={ "r" (i % 6 + 1) } { (title) @if let Some(sample) = &found.sample { span.quiet { " " (partly(&found.odds, sample)) } } }
            }
        }
        @if differing.is_empty() && views.len() > 1 { p role="status" { "The odds are the same." } }
        div.charts { @for name in differing { (beside(name, views, &rows, game)) } }
        @if !same.is_empty() {
            p.quiet { @if views.len() > 1 { "The same under all: " } @else { "Beside that: " } @for (i, name) in same.iter().enumerate() { @if i > 0 { ", " } (name) } "." }
        }
    }
}

fn beside(name: &str, views: &[(String, Found)], rows: &[Vec<(String, Vec<Row>)>], game: &Game) -> Markup {
    let of = |list: &[(String, Vec<Row>)]| -> Option<Vec<Row>> {
        let (_, list) = list.iter().find(|(known, _)| known == name)?;
        Some(grouped(list, game).into_iter().map(|(row, _)| row).collect())
    };
    // What a ruleset never names doesn't come up under it: that is all of its chance.
    let never = |found: &Found| {
        let exact = found.odds.seen.clone().unwrap_or(Fraction::ZERO);
        Row { value: NOTHING.into(), share: 1.0, error: found.sample.as_ref().map(|_| 1.0 - exact.share()), exact }
    };
    let lists: Vec<Vec<Row>> = views.iter().zip(rows).map(|((_, found), list)| of(list).unwrap_or_else(|| vec![never(found)])).collect();
    let mut values: Vec<&String> = Vec::new();
    for row in lists.iter().flatten() {
        if !values.contains(&&row.value) {
            values.push(&row.value);
        }
    }
    // "6 left" stands before "10 left".
    let number =
        |text: &str| text.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty()).and_then(|part| part.parse::<i64>().ok());
    values.sort_by_key(|value| (*value == NOTHING, number(value), value.to_string()));
    let share = |list: &[Row], value: &str| list.iter().find(|row| row.value == value).map_or(0.0, |row| row.share);
    let error = |list: &[Row], value: &str| list.iter().find(|row| row.value == value).and_then(|row| row.error);
    let mean = |found: &Found| found.odds.of(name).filter(|_| found.sample.is_none()).and_then(Distribution::mean);
    let means: Vec<Option<Fraction>> = views.iter().map(|(_, found)| mean(found)).collect();
    let means: Vec<String> = match means.iter().any(Option::is_some) {
        true => means.iter().map(|mean| mean.as_ref().map_or("–".into(), |mean| format!("{:.2}", mean.share()))).collect(),
        false => Vec::new(),
    };
    // Of many values those that are likely anywhere are shown; the others can be unfolded.
    let most = |value: &str| lists.iter().map(|list| share(list, value)).fold(0.0, f64::max);
    let mut rank: Vec<f64> = values.iter().map(|value| most(value)).collect();
    rank.sort_by(f64::total_cmp);
    let least = rank.len().checked_sub(ROWS).map_or(0.0, |place| rank[place]);
    let (shown, rest): (Vec<&String>, Vec<&String>) = values.into_iter().partition(|value| most(value) >= least);
    // Each bar bears the name of its ruleset: nobody need look up a colour.
    let row = |text: &str| {
        html! {
            tbody {
                tr { th.value scope="rowgroup" colspan="3" { (value(text)) } }
                @for (i, list) in lists.iter().enumerate() {
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
                @for text in &shown { (row(text)) }
            }
            @if !rest.is_empty() {
                details { summary { (rest.len()) " less likely" } table aria-label={ (name) ", the less likely" } { @for text in &rest { (row(text)) } } }
            }
        }
    }
}

/// A ruling, every line with the cases and tables it rests on.
pub fn ruling(ruling: &Ruling, links: &Links) -> Markup {
    html! {
        div.ruling {
            @for step in &ruling.steps {
                section {
                    @if !step.title.is_empty() { h3 { (step.title) } }
                    @for line in &step.lines { (said(line, links)) }
                }
            }
            @if let Some(refusal) = &ruling.refused {
                section.refused role="alert" { h3 { "Refused" } (said(refusal, links)) @if ruling.taken_back { p { (TAKEN_BACK) } } }
            }
            @if !ruling.results.is_empty() {
                section.outcome {
                    h3 { "Outcome" }
                    dl { @for (name, value) in &ruling.results { div { dt { (name) } dd { (plain(value)) } } } }
                }
            }
            (named("Answers to what nobody asked", &Unheard::told(&ruling.unheard)))
            @if !ruling.reconstructed.is_empty() {
                details.rests {
                    summary { span.status.reconstructed { "~" } " Rests on reconstructed figures" }
                    ul { @for line in &ruling.reconstructed { li { (line) } } }
                }
            }
            @if !ruling.cases_reconstructed.is_empty() {
                (unworded(&ruling.cases_reconstructed, links))
            }
        }
    }
}

fn named(title: &str, lines: &[String]) -> Markup {
    html! { @if !lines.is_empty() { section.quiet { h3 { (title) } ul { @for line in lines { li { (line) } } } } } }
}

/// Citations of a line that are seen at once.
const CITES: usize = 3;

/// A line with its citations; the later ones, and what stands behind the line, are folded away.
fn said(line: &Line, links: &Links) -> Markup {
    let (first, more) = line.cites.split_at(line.cites.len().min(CITES));
    let folded = more.len() + line.behind.len();
    let cited = |cites: &[String]| html! { @for cite in cites { a.cite href=(links.cited(cite)) { (cite) } " " } };
    html! {
        div.line {
            p { (line.text) }
            @if !first.is_empty() {
                div.cites {
                    (cited(first))
                    @if folded > 0 {
                        details { summary title="What else it rests on" { "+" (folded) span.hidden { " more that this rests on" } } (cited(more)) (cited(&line.behind)) }
                    }
                }
            }
        }
    }
}
