//! What a run came to, as both evaluators tell it, and where they part.

use crate::complaint::{Complaint, Complaints};
use crate::reference::run::RACE;
use crate::ruling::drive::Ended;
use crate::situation::board::Board;
use crate::situation::trace::{Event, all};

/// What a run came to.
pub struct Told {
    /// What happened.
    pub events: Vec<Event>,
    /// How it ended.
    pub ended: Result<Ended, Complaints>,
    /// The board at its end.
    pub board: Board,
}

impl Told {
    /// Whether Rhai could not go on with a value that a closure holds: what came before counts, the rest it can't say.
    fn raced(&self) -> bool {
        matches!(&self.ended, Err(complaints) if complaints.0.iter().any(|complaint| complaint.what == RACE))
    }
}

/// Whether an event is held against the other evaluator's. Figures that lines of a refusal speak of are read only where it is made.
fn counts(event: &&Event) -> bool {
    !matches!(event, Event::Figure(..))
}

/// Whether two events are one: what lines came from is the machine's alone to say.
fn alike(a: &Event, b: &Event) -> bool {
    use Event::*;
    match (a, b) {
        (Ask(a), Ask(b)) => a == b,
        (Done, Done) => true,
        (Cell(a, i), Cell(b, j)) => (&a.id, i) == (&b.id, j),
        (Die(a), Die(b)) => a == b,
        (Choice(a), Choice(b)) => a == b,
        (Step(a), Step(b)) => a == b,
        (Say(a), Say(b)) => (&a.line, &a.values) == (&b.line, &b.values),
        (Drawn(a), Drawn(b)) | (Result(a), Result(b)) => a == b,
        (Change(a), Change(b)) => a == b,
        _ => false,
    }
}

/// Whether two complaints are of one thing: the law and, where both know it, the place. Their wording is each evaluator's own.
fn same(machine: &Complaint, rhai: &Complaint) -> bool {
    let at = |complaint: &Complaint| complaint.place.span.map(|span| (span.line, span.column));
    let places = at(machine).zip(at(rhai)).is_none_or(|(a, b)| a == b && machine.place.path == rhai.place.path);
    // Each has limits of its own, and meets them where it comes to them.
    machine.law == rhai.law && (places || machine.law == "limit")
}

/// How many events two runs agree on, their ends among them; or where they part, in words.
pub fn agree(machine: &Told, rhai: &Told) -> Result<u64, String> {
    let (mut a, mut b) = (all(&machine.events).filter(counts), all(&rhai.events).filter(counts));
    let mut events = 0;
    loop {
        match (a.next(), b.next()) {
            (None, None) => break,
            (Some(a), Some(b)) if alike(a, b) => events += 1,
            (Some(_), None) if rhai.raced() => return Ok(events),
            (a, b) => return Err(format!("after {events} events the machine has {a:?},\nRhai has {b:?}{}", ends(machine, rhai))),
        }
    }
    let one = match (&machine.ended, &rhai.ended) {
        (Ok(a), Ok(b)) => a == b,
        (Err(a), Err(b)) => a.0.iter().zip(&b.0).all(|(a, b)| same(a, b)),
        _ => false,
    };
    match one && !machine.board.settled().differs(&rhai.board.settled()) {
        true => Ok(events + 1),
        false if rhai.raced() => Ok(events),
        false => Err(format!("after {events} events the ends or the boards differ{}", ends(machine, rhai))),
    }
}

fn ends(machine: &Told, rhai: &Told) -> String {
    let end = |told: &Told| match &told.ended {
        Ok(ended) => format!("{ended:?}"),
        Err(complaints) => complaints.render(false),
    };
    format!("\nthe machine ends with {}\nRhai with {}", end(machine), end(rhai))
}
