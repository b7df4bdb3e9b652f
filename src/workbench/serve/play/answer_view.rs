//! The odds of what an answer begins, such as a battle: loaded when somebody points at the answer.

use crate::serve::page_request::AddressMove;
use crate::serve::play::{TableRequest, hidden_sides, hides_cards};
use casebook_analysis::usecase::answer_odds::{BegunProcedure, procedure_begun};
use casebook_analysis::usecase::settings::{CountLimits, SituationSettings};
use casebook_engine::complaint::Error;
use maud::{Markup, html};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time limit of the count. The page says meanwhile that it counts.
const TIME: Duration = Duration::from_millis(700);

/// Renders the headline of what the last answer of the request begins, or that it can't be counted in time; nothing if it begins nothing.
pub fn render_answer_odds(table: TableRequest, stop: &AtomicBool) -> Result<Markup, Error> {
    let (situation, request) = (table.situation, table.request);
    let Some((last, option)) = request
        .moves
        .last()
        .and_then(AddressMove::option)
        .map(|option| (request.moves.len() - 1, option))
    else {
        return Ok(html! {});
    };
    // The session is free while it is counted: the answer that is pointed at usually comes next.
    let (begun, hidden) = table
        .with(&request.after_moves(last))
        .with_session(|session| {
            let hidden = hidden_sides(session, request);
            let begun = match hides_cards(session, request) {
                true => Vec::new(),
                // What can't be found is left unsaid: the answer itself will complain.
                false => procedure_begun(session, option, &hidden).unwrap_or_default(),
            };
            (begun, hidden)
        })?;
    let Some(BegunProcedure { remaining, .. }) = begun.first() else {
        return Ok(html! {});
    };
    let settings = SituationSettings {
        hidden,
        ..request.settings()
    };
    let policies = settings.policies(&situation.ruleset().game)?;
    let limits = CountLimits::new(TIME / begun.len() as u32, stop);
    let counted: Result<Option<Vec<String>>, Error> = begun
        .iter()
        .map(|begun| begun.headline(&policies, limits))
        .collect();
    let lines = match counted {
        Ok(Some(stated)) if stated.windows(2).all(|pair| pair[0] == pair[1]) => stated[..1].to_vec(),
        Ok(Some(stated)) => begun
            .iter()
            .zip(stated)
            .map(|(begun, stated)| format!("if {}: {stated}", begun.assumed))
            .collect(),
        Ok(None) => vec!["too many ways to count the odds at once; after the answer \u{201c}Odds from here\u{201d} counts longer".into()],
        // The answer itself will complain.
        Err(_) => Vec::new(),
    };
    let stated = lines.join(" ");
    Ok(html! {
        @if !stated.is_empty() {
            span.stake { b { (remaining.procedure) } ": " (stated) }
        }
    })
}
