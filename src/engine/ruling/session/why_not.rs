//! Why a place is none of the options of the pending choice, by the map questions of the game.

use super::{Session, WaitingFor};
use crate::ruling::menu::is_place;
use crate::ruling::resolve::{ResolveRequest, Ruling, RulingLine, cite_case, resolve};
use crate::situation::value_text::value_text;

/// Why a place is not open.
pub struct WhyNot {
    /// The map question that says it; empty if only the case that lists what is open is known.
    pub question: String,
    /// The line that says it.
    pub line: RulingLine,
}

impl Session {
    /// Explains why a place is not open: asks the game's map questions about the piece that the choice is about, or says which case lists what
    /// is open. Returns `None` if the text is no place or nothing is to be chosen.
    pub fn why_not(&self, place: &str) -> Option<WhyNot> {
        let WaitingFor::Choice(request) = self.waiting_for() else {
            return None;
        };
        let (game, board) = (&self.situation.ruleset().game, self.board());
        if !is_place(place, board, game) {
            return None;
        }
        let offers_places = request.options.iter().any(|option| {
            let text = value_text(option, board);
            is_place(&text, board, game)
                || text
                    .rsplit(' ')
                    .next()
                    .is_some_and(|last| is_place(last, board, game))
        });
        let piece = self
            .notes(request)
            .subject
            .map(|piece| board.name(piece).to_string());
        let found = piece.and_then(|piece| {
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
                        .map(|line| WhyNot {
                            question: question.name.clone(),
                            line,
                        })
                })
        });
        Some(found.unwrap_or_else(|| {
            let (ruleset, case) = (self.situation.ruleset(), self.call_stack().last().copied());
            let text = match case {
                Some(case) if offers_places => {
                    format!("What is open is listed by “{}”.", ruleset.cases[case].title)
                }
                _ => "No place is asked for here.".into(),
            };
            let cites = case
                .map(|case| cite_case(ruleset, case))
                .into_iter()
                .collect();
            WhyNot {
                question: String::new(),
                line: RulingLine {
                    text,
                    cites,
                    behind: Vec::new(),
                },
            }
        }))
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
