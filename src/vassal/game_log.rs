//! Writes a ruling as a log that VASSAL steps through: each step of the ruling is one of the log, its lines stand in the chat.

use crate::complaint::Error;
use crate::notation::Face;
use crate::ruling::render::render_ending;
use crate::ruling::resolve::Ruling;
use crate::ruling::terminal_page::TerminalPage;
use crate::vassal::export::SavedModule;
use crate::vassal::sequence::{COMMAND, join};

/// Makes a `.vlog` file that begins with a saved game.
pub fn log_file(begin: &str, module: &SavedModule, ruling: &Ruling) -> Result<Vec<u8>, Error> {
    // Each command of a step is logged by itself; the step contains them.
    let steps = steps(ruling).into_iter().map(|lines| {
        let logged: Vec<String> = lines.iter().map(|line| format!("LOG\t{}", chat_line(line))).collect();
        join(&logged, COMMAND)
    });
    let logged = join(&steps.collect::<Vec<_>>(), COMMAND);
    module.file(&format!("{begin}{COMMAND}{logged}"))
}

/// The lines of a ruling, step by step.
fn steps(ruling: &Ruling) -> Vec<Vec<String>> {
    let mut all = vec![vec![ruling.title.clone(), format!("{} · {} · {}", ruling.procedure, ruling.ruleset, ruling.dice_from)]];
    if !ruling.dice.is_empty() {
        let thrown = |(purpose, faces): &(String, Vec<Face>)| format!("*** {purpose} = {} ***", Face::join(faces, ","));
        all.push(ruling.dice.iter().map(thrown).collect());
    }
    for step in &ruling.steps {
        let cited = |cites: &[String]| if cites.is_empty() { String::new() } else { format!(" [{}]", cites.join(", ")) };
        let lines = step.lines.iter().map(|line| format!("{}{}", line.text, cited(&line.cites)));
        all.push([step.title.clone()].into_iter().filter(|title| !title.is_empty()).chain(lines).collect());
    }
    let ending = render_ending(ruling, TerminalPage { colour: false });
    all.push(ending.lines().map(str::trim).filter(|line| !line.is_empty()).map(String::from).collect());
    all.retain(|lines| !lines.is_empty());
    all
}

/// Makes a line of the chat. It is a report, which begins with a star, and holds no HTML.
fn chat_line(text: &str) -> String {
    let plain = text.replace('<', "&lt;").replace('>', "&gt;").replace(|c: char| c.is_control(), " ");
    format!("CHAT{}{plain}", if plain.starts_with('*') { "" } else { "* " })
}
