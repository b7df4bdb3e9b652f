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

/// Time limit of the count. The page says meanwhile that it counts.
const TIME: Duration = Duration::from_millis(700);

/// Renders the headline of what the last answer of the request begins, or that it can't be counted in time; nothing if it begins nothing.
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
    let said = match begun.headline(&policies, limits) {
        Ok(Some(headline)) => sentence(&headline),
        Ok(None) => "too many ways to count the odds at once; after the answer \u{201c}Odds from here\u{201d} counts longer".into(),
        // The answer itself will complain.
        Err(_) => String::new(),
    };
    Ok(html! {
        @if !said.is_empty() {
            span.stake { b { (begun.remaining.procedure) } ": " (said) }
        }
    })
}
