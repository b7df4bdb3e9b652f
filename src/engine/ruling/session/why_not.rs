//! Why a place is none of the options of the pending choice, by the map questions of the game.

use super::{Session, WaitingFor};
use crate::complaint::Error;
use crate::ruling::menu::{place_called, place_words};
use crate::ruling::resolve::{ResolveRequest, Ruling, RulingLine, cite_case, resolve};

/// Why a place is not open, if it is not.
pub struct WhyNot {
    /// Whether it is open, in a sentence.
    pub verdict: String,
    /// The map question that says it; empty if only the case that asks is known.
    pub question: String,
    /// The line that says it.
    pub line: RulingLine,
}

impl Session {
    /// Explains why a place, by its identifier or name, is not open: by the game's map questions about the piece that the choice is about, or by what
    /// comes first. Fails if the text is no place.
    pub fn why_not(&self, place: &str) -> Result<WhyNot, Error> {
        let (board, ruleset) = (self.board(), self.situation.ruleset());
        let place = place_called(place, board, &ruleset.game)?;
        let is_open = self.find_option(&place).is_ok();
        let first = match self.waiting_for() {
            WaitingFor::Choice(request) => {
                format!("the question is “{}”", self.worded(request).sentence)
            }
            WaitingFor::Throw(thrown) => {
                format!("{} for {} comes first", thrown.notation, thrown.purpose)
            }
            WaitingFor::Finished(_) => "this is the end".into(),
        };
        let case = self.call_stack().last().copied();
        let line = RulingLine {
            text: format!("Now {first}."),
            cites: case
                .map(|case| cite_case(ruleset, case))
                .into_iter()
                .collect(),
            behind: Vec::new(),
        };
        let explained = self.explained(&place).filter(|_| !is_open);
        let (question, line) = explained.unwrap_or((String::new(), line));
        let not = if is_open { "" } else { "not " };
        let verdict = format!(
            "{} is {not}open.",
            place_words(&place, board, &ruleset.game)
        );
        Ok(WhyNot {
            verdict,
            question,
            line,
        })
    }

    /// Asks the map questions of the game about the piece that the choice is about; returns the one that explains why a place is not open, with its line.
    fn explained(&self, place: &str) -> Option<(String, RulingLine)> {
        let WaitingFor::Choice(request) = self.waiting_for() else {
            return None;
        };
        let (game, board) = (&self.situation.ruleset().game, self.board());
        let piece = self
            .notes(request)
            .subject
            .map(|piece| board.name(piece).to_string());
        piece.and_then(|piece| {
            game.map_questions
                .iter()
                .filter(|question| question.explains_choice(&request.question))
                .find_map(|question| {
                    let (as_piece, as_place) = (
                        question.piece_param.as_ref()?,
                        question.place_param.as_ref()?,
                    );
                    let given = [
                        (as_piece.as_str(), piece.as_str()),
                        (as_place.as_str(), place),
                    ];
                    let situation = self
                        .situation
                        .with_procedure(&question.procedure, &given, board)
                        .ok()?;
                    let resolved = resolve(
                        &mut situation.machine(),
                        &situation,
                        ResolveRequest::default(),
                    )
                    .ok()?;
                    // What is reached and not refused is closed by another rule, such as that of a retreat.
                    let is_reached = resolved
                        .ruling
                        .drawn
                        .iter()
                        .any(|drawn| drawn.places.contains_key(place));
                    let says_why = resolved.ruling.refused.is_some() || !is_reached;
                    line_about(&resolved.ruling, place)
                        .filter(|_| says_why)
                        .map(|line| (question.name.clone(), line))
                })
        })
    }
}

/// Returns the line of a ruling about a place: the refusal, otherwise the last line that names it, otherwise the last.
fn line_about(ruling: &Ruling, place: &str) -> Option<RulingLine> {
    let mut lines = ruling.steps.iter().flat_map(|step| &step.lines).rev();
    let last = lines.clone().next();
    ruling.refused.clone().or_else(|| {
        lines
            .find(|line| line.text.contains(place))
            .or(last)
            .cloned()
    })
}
