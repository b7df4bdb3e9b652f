//! `o` in `play`: what each option of the pending choice does to the odds.

use casebook_analysis::odds::bar_chart::{BarRow, percent, rows};
use casebook_analysis::odds::distribution::{NO_OUTCOME, Odds};
use casebook_analysis::odds::sample::SampleQuery;
use casebook_analysis::usecase::odds::odds;
use casebook_analysis::usecase::settings::{CountLimits, SituationSettings};
use casebook_engine::complaint::Error;
use casebook_engine::ruling::headline::UnnamedOutcomes;
use casebook_engine::ruling::session::{Session, WaitingFor};
use casebook_engine::ruling::terminal_page::TerminalPage;
use casebook_engine::situation::value_text::{distinct, value_text};

/// Maximum number of options whose odds are counted.
const MAX_OPTIONS: usize = 8;

/// An option, and what each outcome comes to after it.
type OptionOutcomes = (String, Vec<(String, String)>);

/// Counts the odds after each option of the pending choice, each in its share of the time, and for each answer of another side that is not
/// known: those of the `hidden` sides, and those to come of a simultaneous question. The session stays as it is.
pub fn option_odds(
    session: &mut Session,
    strict: bool,
    hidden: &[String],
    limits: CountLimits,
) -> Result<Vec<OptionOutcomes>, Error> {
    let WaitingFor::Choice(choice) = session.waiting_for().clone() else {
        return Ok(Vec::new());
    };
    let count = choice.options.len().min(MAX_OPTIONS);
    let settings = SituationSettings {
        strict,
        hidden: hidden.to_vec(),
        ..SituationSettings::default()
    };
    let mut options = Vec::new();
    for (index, option) in choice.options.iter().enumerate().take(count) {
        let text = value_text(option, session.board());
        let positions = session.possible_positions(Some(index), hidden)?;
        let parts = (count * positions.len().max(1)) as u32;
        for (assumed, state) in positions {
            let text = match &*assumed {
                "" => text.clone(),
                assumed => format!("{text}, if {assumed}"),
            };
            let limits = CountLimits {
                time: limits.time / parts,
                ..limits
            };
            let remaining = session.situation.with_state(state);
            let counted = odds(&remaining, &settings, SampleQuery::default(), limits)?.result;
            let outcomes = rows(&counted.odds, counted.sample.as_ref()).into_iter();
            let outcomes = outcomes.map(|(name, rows)| {
                let text = summary(&counted.odds, &name, &rows);
                (name, text)
            });
            options.push((text, outcomes.collect()));
        }
    }
    Ok(options)
}

/// Summarizes the values of an outcome: the mean of numbers, else the likeliest values.
fn summary(odds: &Odds, name: &str, values: &[BarRow]) -> String {
    let (about, named) = (
        values.iter().any(|row| row.error.is_some()),
        values.iter().filter(|row| row.value != NO_OUTCOME),
    );
    let about = if about { "about " } else { "" };
    let numbers: Option<Vec<(f64, f64)>> = named
        .map(|row| Some((row.value.parse::<i64>().ok()? as f64, row.chance)))
        .collect();
    if let Some(numbers) = numbers.filter(|numbers| numbers.len() > 1) {
        let total: f64 = numbers.iter().map(|(_, chance)| chance).sum();
        let mean = numbers
            .iter()
            .map(|(value, chance)| value * chance)
            .sum::<f64>()
            / total;
        let share = if total < 0.9995 {
            format!(" in {}", percent(total))
        } else {
            String::new()
        };
        return format!("{about}mean {mean:.2}{share}");
    }
    let mut likeliest: Vec<&BarRow> = values.iter().filter(|row| row.chance > 0.0).collect();
    likeliest.sort_by(|a, b| b.chance.total_cmp(&a.chance));
    let texts = likeliest.iter().take(3).map(|row| match row.chance {
        1.0 => odds.shown(name, &row.value).to_string(),
        chance => format!("{} {}", odds.shown(name, &row.value), percent(chance)),
    });
    format!("{about}{}", texts.collect::<Vec<_>>().join(", "))
}

/// Renders the outcomes that the options make different, each option on a line.
pub fn render_option_odds(
    options: &[OptionOutcomes],
    all: usize,
    unnamed: &UnnamedOutcomes,
    page: TerminalPage,
) -> String {
    let mut out = String::new();
    let names = distinct(
        options
            .iter()
            .flat_map(|(_, outcomes)| outcomes.iter().map(|(name, _)| name)),
    );
    let width = options
        .iter()
        .map(|(text, _)| text.chars().count())
        .max()
        .unwrap_or(0);
    let of = |outcomes: &[(String, String)], name: &String| {
        let found = outcomes.iter().find(|(known, _)| known == name);
        found.map_or(unnamed.words_for(name).to_string(), |(_, text)| {
            text.clone()
        })
    };
    for name in names {
        let texts: Vec<String> = options
            .iter()
            .map(|(_, outcomes)| of(outcomes, name))
            .collect();
        if texts.windows(2).all(|pair| pair[0] == pair[1]) {
            continue;
        }
        out += &format!("\n  {}\n", page.paint("1", name));
        for ((option, _), text) in options.iter().zip(&texts) {
            out += &format!("    {option:<width$}  {text}\n");
        }
    }
    if out.is_empty() {
        out += "\n  each option has the same odds\n";
    }
    if MAX_OPTIONS < all {
        out += &format!("\n  the first {MAX_OPTIONS} of {all} options\n");
    }
    out
}
