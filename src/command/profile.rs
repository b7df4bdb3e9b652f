//! Where the states of a count arise: `odds --profile`, and the advice after a long count.

use crate::command::counting::OddsArgs;
use casebook_analysis::odds::count::CountResult;
use casebook_analysis::odds::profile::{ProfiledPlace, advice};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::terminal_page::TerminalPage;
use casebook_view::block::AnswerBlock;
use casebook_view::text::blocks_text;
use std::time::Duration;

/// The time after which a count advises without being asked.
const LONG: Duration = Duration::from_secs(1);
/// The maximum number of places that are listed.
const MAX_PLACES: usize = 12;

/// Returns the profile, if it is asked for.
pub fn asked(
    counted: &CountResult,
    situation: &Situation,
    args: &OddsArgs,
) -> Option<Vec<ProfiledPlace>> {
    args.profile.then(|| {
        counted
            .profile
            .describe(&mut situation.machine(), situation)
    })
}

/// Renders the profile, if it is asked for. After a long count a note says the most important part of it, apart from the answer.
pub fn render(
    counted: &CountResult,
    situation: &Situation,
    args: &OddsArgs,
    page: TerminalPage,
) -> String {
    if !args.profile && counted.time < LONG {
        return String::new();
    }
    let places = counted
        .profile
        .describe(&mut situation.machine(), situation);
    let advice = advice(&places).unwrap_or_default();
    if !args.profile {
        eprintln!("note: {advice} --profile lists more.");
        return String::new();
    }
    let row = |place: &ProfiledPlace| {
        let apart = place.apart.iter();
        let apart = apart.map(|value| format!("{} {}", value.name, value.values));
        let apart = apart.collect::<Vec<_>>().join(", ");
        vec![place.states.to_string(), place.place.clone(), apart]
    };
    let title = "States by place, and how many values keep them apart";
    let rows = AnswerBlock::rows(places.iter().take(MAX_PLACES).map(row).collect());
    let section = AnswerBlock::section(title, vec![rows, AnswerBlock::text(advice)]);
    format!("\n{}", blocks_text(&[section], page))
}
