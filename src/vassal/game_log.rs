//! Writes a ruling as a log that VASSAL steps through: each step of the ruling is one of the log, its lines are in the chat, and the counters
//! move as it says.

use crate::export::SavedModule;
use crate::sequence::{COMMAND, join};
use casebook_engine::complaint::Error;
use casebook_engine::notation::Face;
use casebook_engine::ruling::citations::cites_text;
use casebook_engine::ruling::render::render_ending;
use casebook_engine::ruling::resolve::Ruling;
use casebook_engine::ruling::terminal_page::TerminalPage;

/// What a ruling does to the counters.
#[derive(Default)]
pub struct CounterSteps {
    /// What each step of the ruling does, as parts of a log; what is beyond its steps belongs to the last.
    pub steps: Vec<Vec<String>>,
    /// What no counter shows, and has to be done by hand.
    pub by_hand: Vec<String>,
}

/// Makes a `.vlog` file that begins with a saved game.
pub fn log_file(
    begin: &str,
    module: &SavedModule,
    ruling: &Ruling,
    counters: CounterSteps,
) -> Result<Vec<u8>, Error> {
    // Each part of a step is logged by itself; the step contains them.
    let steps = steps(ruling, counters).into_iter().map(|parts| {
        let logged: Vec<String> = parts.iter().map(|part| format!("LOG\t{part}")).collect();
        join(&logged, COMMAND)
    });
    let logged = join(&steps.collect::<Vec<_>>(), COMMAND);
    module.file(&format!("{begin}{COMMAND}{logged}"))
}

/// The last part of a saved game.
const END: &str = "end_save";

/// Makes a `.vsav` file of a saved game after more parts of a log.
pub fn save_file(begin: &str, module: &SavedModule, parts: Vec<String>) -> Result<Vec<u8>, Error> {
    let begin = begin.strip_suffix(END).unwrap_or(begin);
    let parts: Vec<String> = parts.into_iter().chain([END.into()]).collect();
    module.file(&format!(
        "{}{COMMAND}{}",
        begin.trim_end_matches(COMMAND),
        join(&parts, COMMAND)
    ))
}

/// The parts of a log, step by step: the lines of the ruling, and what they do to the counters.
fn steps(ruling: &Ruling, counters: CounterSteps) -> Vec<Vec<String>> {
    let chat = |lines: Vec<String>| lines.iter().map(|line| chat_line(line)).collect::<Vec<_>>();
    let mut steps = vec![chat(vec![
        ruling.title.clone(),
        format!(
            "{} · {} · {}",
            ruling.procedure, ruling.ruleset, ruling.dice_from
        ),
    ])];
    if !ruling.dice.is_empty() {
        let thrown = |(purpose, faces): &(String, Vec<Face>)| {
            format!("*** {purpose} = {} ***", Face::join(faces, ","))
        };
        steps.push(chat(ruling.dice.iter().map(thrown).collect()));
    }
    let mut moves = counters.steps.into_iter();
    for step in &ruling.steps {
        let cited = |cites: &[String]| {
            if cites.is_empty() {
                String::new()
            } else {
                format!(" [{}]", cites_text(cites))
            }
        };
        let lines = step
            .lines
            .iter()
            .map(|line| format!("{}{}", line.text, cited(&line.cites)));
        let mut records = chat(
            [step.title.clone()]
                .into_iter()
                .filter(|title| !title.is_empty())
                .chain(lines)
                .collect(),
        );
        records.extend(moves.next().unwrap_or_default());
        steps.push(records);
    }
    if let Some(last_step) = steps.last_mut() {
        last_step.extend(moves.flatten());
    }
    if !counters.by_hand.is_empty() {
        let by_hand = counters
            .by_hand
            .into_iter()
            .map(|action| format!("By hand: {action}"));
        steps.push(chat(by_hand.collect()));
    }
    let ending = render_ending(ruling, TerminalPage::kept());
    steps.push(chat(
        ending
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(String::from)
            .collect(),
    ));
    steps.retain(|parts| !parts.is_empty());
    steps
}

/// Makes a line of the chat. It is a report, which begins with a star, and holds no HTML.
fn chat_line(text: &str) -> String {
    let plain = text
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace(|c: char| c.is_control(), " ");
    format!(
        "CHAT{}{plain}",
        if plain.starts_with('*') { "" } else { "* " }
    )
}
