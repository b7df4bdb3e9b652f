//! Transcripts of runs, and their comparison between both evaluators.

use casebook::complaint::{Complaint, Complaints, DiagnosticCode};
use casebook::ruling::driver::EndReason;
use casebook::situation::board::Board;
use casebook::situation::trace::Event;

/// The transcript of a run.
pub struct RunTranscript {
    /// The events.
    pub events: Vec<Event>,
    /// The end of the run.
    pub end: Result<EndReason, Complaints>,
    /// The final board.
    pub board: Board,
    /// Whether Rhai stopped at a value that a closure captures: only the events before are compared.
    pub data_race: bool,
}

/// Whether an event is compared. Reads of figures for the text of a refusal happen only if the text is built, so they are not.
fn is_compared(event: &&Event) -> bool {
    !matches!(event, Event::ReconstructedFigure(..))
}

/// Whether two events are equal, ignoring the provenance of lines, which only the machine tracks.
fn events_equal(a: &Event, b: &Event) -> bool {
    use Event::*;
    match (a, b) {
        (Call(a), Call(b)) => a == b,
        (Return, Return) => true,
        (Cell(a, i), Cell(b, j)) => (&a.id, i) == (&b.id, j),
        (Throw(a), Throw(b)) => a == b,
        (Choice(a), Choice(b)) => a == b,
        (Step(a), Step(b)) => a == b,
        (Line(a), Line(b)) => (&a.template, &a.values) == (&b.template, &b.values),
        (MapDrawing(a), MapDrawing(b)) => a == b,
        (Outcome(a), Outcome(b)) => a.name == b.name && a.value == b.value,
        (Change(a), Change(b)) => a == b,
        (Described(a), Described(b)) => a == b,
        _ => false,
    }
}

/// Whether two complaints have equal diagnostic codes and, if both know it, equal positions; the wording may differ.
fn complaints_equal(machine: &Complaint, rhai: &Complaint) -> bool {
    let position =
        |complaint: &Complaint| complaint.place.span.map(|span| (span.line, span.column));
    let places = position(machine)
        .zip(position(rhai))
        .is_none_or(|(a, b)| a == b && machine.place.path == rhai.place.path);
    // Each evaluator has its own limits and reaches them at different positions.
    machine.code == rhai.code && (places || machine.code == DiagnosticCode::Limit)
}

/// Returns the number of equal events including the end of the runs, or a description of the first difference.
pub fn compare_transcripts(machine: &RunTranscript, rhai: &RunTranscript) -> Result<u64, String> {
    let (mut a, mut b) = (
        machine.events.iter().filter(is_compared),
        rhai.events.iter().filter(is_compared),
    );
    let mut events = 0;
    loop {
        match (a.next(), b.next()) {
            (None, None) => break,
            (Some(a), Some(b)) if events_equal(a, b) => events += 1,
            (Some(_), None) if rhai.data_race => return Ok(events),
            (a, b) => {
                return Err(format!(
                    "after {events} events the machine has {a:?},\nRhai has {b:?}{}",
                    describe_ends(machine, rhai)
                ));
            }
        }
    }
    let same_end = match (&machine.end, &rhai.end) {
        (Ok(a), Ok(b)) => a == b,
        (Err(a), Err(b)) => a.0.iter().zip(&b.0).all(|(a, b)| complaints_equal(a, b)),
        _ => false,
    };
    match same_end
        && !machine
            .board
            .without_records()
            .differs_from(&rhai.board.without_records())
    {
        true => Ok(events + 1),
        false if rhai.data_race => Ok(events),
        false => Err(format!(
            "after {events} events the ends or the boards differ{}",
            describe_ends(machine, rhai)
        )),
    }
}

fn describe_ends(machine: &RunTranscript, rhai: &RunTranscript) -> String {
    let end = |run: &RunTranscript| match &run.end {
        Ok(ended) => format!("{ended:?}"),
        Err(complaints) => complaints.render(false),
    };
    format!(
        "\nthe machine ends with {}\nRhai with {}",
        end(machine),
        end(rhai)
    )
}
