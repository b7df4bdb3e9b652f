//! Every example beside a case, table or scenario is a test of its own, called by its id, its function and its file.

use casebook::{example, library::Library, shelf::Shelf};
use libtest_mimic::{Arguments, Failed, Trial};
use std::sync::Arc;

fn main() {
    // The binary gives the engine a thread with room for deep calls, and so does this.
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(trials).expect("a thread can be started");
    let trials = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn trials() -> Vec<Trial> {
    let library = Arc::new(Library::new(Shelf::built_in()));
    let mut trials = Vec::new();
    for game in library.games.keys() {
        // All are run here, once: rulesets are made once for all the examples under them, and an example takes less than a thread.
        match example::run(&library, game, "", |_| ()) {
            Ok(proofs) => trials.extend(proofs.into_iter().map(|proof| {
                let name = format!("{}  {}  {}", proof.id, proof.name, proof.path);
                Trial::test(name, move || match proof.complaint {
                    None => Ok(()),
                    Some(complaint) => Err(Failed::from(format!("under {}\n{}", proof.ruleset, complaint.render(false)))),
                })
            })),
            Err(error) => trials.push(Trial::test(format!("the rules of {game}"), move || Err(Failed::from(error.to_string())))),
        }
    }
    trials
}
