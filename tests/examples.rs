//! Every example of a case, table or scenario and every test of a ruling is a test here, named by its id, its function
//! or situation, and its file.

use casebook::ruling::terminal_page::TerminalPage;
use casebook::testing::suite;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    // The binary gives the engine a thread with room for deep calls, and so does this.
    let thread = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(trials)
        .expect("a thread can be started");
    let trials = thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn trials() -> Vec<Trial> {
    let library = casebook::built_in();
    let mut trials = Vec::new();
    for game in library.games.keys() {
        // All run at once, in one thread: examples share rulesets, and take less time than starting a thread.
        match suite::run(&library, game, "", &mut |_| false, |_| (), None) {
            Ok(examples) => trials.extend(examples.into_iter().map(|example| {
                let name = format!("{}  {}  {}", example.id, example.name, example.path);
                Trial::test(name, move || match &example.complaint {
                    None => Ok(()),
                    Some(_) => Err(Failed::from(
                        example
                            .render_failure(TerminalPage::kept())
                            .unwrap_or_default(),
                    )),
                })
            })),
            Err(error) => trials.push(Trial::test(format!("the rules of {game}"), move || {
                Err(Failed::from(error.to_string()))
            })),
        }
    }
    trials
}
