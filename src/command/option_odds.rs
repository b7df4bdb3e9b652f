//! `o` in `play`: what each option of the pending choice does to the odds.

use casebook_analysis::odds::sample::SampleQuery;
use casebook_analysis::usecase::odds::odds;
use casebook_analysis::usecase::settings::{CountLimits, SituationSettings};
use casebook_engine::complaint::Error;
use casebook_engine::ruling::headline::UnnamedOutcomes;
use casebook_engine::ruling::session::{Session, WaitingFor};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::terminal_page::TerminalPage;
use casebook_engine::situation::value_text::value_text;
use casebook_view::grid::{OddsGrid, Variation};
use casebook_view::text::blocks_text;

/// Maximum number of options whose odds are counted.
const MAX_OPTIONS: usize = 8;

/// The number of values of an outcome that are shown.
const MAX_VALUES: usize = 6;

/// Counts the odds after each option of the pending choice, each in its share of the time, and for each answer of another side that is not
/// known: those of the `hidden` sides, and those to come of a simultaneous question. The session stays as it is.
pub fn option_odds(
    session: &mut Session,
    strict: bool,
    hidden: &[String],
    limits: CountLimits,
) -> Result<Vec<Variation>, Error> {
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
            options.push(Variation::counted(
                &text,
                &counted.odds,
                counted.sample.as_ref(),
            ));
        }
    }
    Ok(options)
}

/// Renders the outcomes that the options make different.
pub fn render_option_odds(
    options: Vec<Variation>,
    situation: &Situation,
    all: usize,
    page: TerminalPage,
) -> String {
    let unnamed = UnnamedOutcomes::new(situation);
    let grid = OddsGrid::new(options, &situation.ruleset().game, &unnamed);
    let mut names = grid.outcomes();
    names.retain(|name| grid.outcome(name, MAX_VALUES).differs());
    let mut out = blocks_text(&grid.changes(&names, MAX_VALUES), page);
    if names.is_empty() {
        out += "\n  each option has the same odds\n";
    }
    if MAX_OPTIONS < all {
        out += &format!("\n  the first {MAX_OPTIONS} of {all} options\n");
    }
    out
}
