//! The odds of what an answer begins, such as a battle: loaded when somebody points at the answer.

use crate::serve::page_request::{AddressMove, PageRequest};
use crate::serve::play::{hides_cards, with_session};
use crate::serve::workbench::DataSnapshot;
use casebook_analysis::odds::headline::sentence;
use casebook_analysis::usecase::answer_odds::procedure_begun;
use casebook_analysis::usecase::settings::CountLimits;
use casebook_engine::complaint::Error;
use casebook_engine::ruling::situation::Situation;
use maud::{Markup, html};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time limit of the count: whoever points at an answer does not wait.
const TIME: Duration = Duration::from_millis(220);

/// Renders the headline of what the last answer of the request begins; nothing if it begins nothing, or that can't be counted in time.
pub fn render_answer_odds(
    snapshot: &DataSnapshot,
    situation: &Situation,
    ask: &PageRequest,
    stop: &AtomicBool,
) -> Result<Markup, Error> {
    let Some((last, option)) = ask
        .moves
        .last()
        .and_then(AddressMove::option)
        .map(|option| (ask.moves.len() - 1, option))
    else {
        return Ok(html! {});
    };
    let policies = ask.settings().policies(&situation.ruleset().game)?;
    // Others may have the session while it is counted: whoever points at an answer gives it next.
    let begun = with_session(snapshot, situation, &ask.after_moves(last), |session| {
        let is_hidden =
            hides_cards(session, ask) || ask.hides_answers() && session.secret_choices() > 0;
        if is_hidden {
            None
        } else {
            // What can't be found is left unsaid: the answer itself will complain.
            procedure_begun(session, option).ok().flatten()
        }
    })?;
    let Some(begun) = begun else {
        return Ok(html! {});
    };
    let limits = CountLimits::new(TIME, stop);
    let headline = begun.headline(&policies, limits).ok().flatten();
    let said = headline
        .map(|headline| sentence(&headline))
        .unwrap_or_default();
    Ok(html! {
        @if !said.is_empty() {
            span.stake { b { (begun.remaining.procedure) } ": " (said) }
        }
    })
}
