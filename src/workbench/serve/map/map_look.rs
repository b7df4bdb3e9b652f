//! The selection on a map: a piece, a place, and a question from the `board:` section of the game's manifest.

use crate::serve::layout::{PageQuery, situation_address, with_query};
use crate::serve::page_request::PageRequest;
use crate::serve::queries;
use casebook_engine::complaint::Error;
use casebook_engine::data::manifest::{Game, MapQuestion};
use casebook_engine::ruling::resolve::ResolvedRuling;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::placed_piece::PlacedPiece;
use form_urlencoded::Serializer;

/// The map selection of an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapLook {
    /// The name of the selected question.
    pub question: String,
    /// The name of the selected piece; empty for none.
    pub piece: String,
    /// The name of the selected place; empty for none.
    pub place: String,
    /// Whether the question refers to the board before the ruling.
    pub before_ruling: bool,
}

/// The answer to a map question.
pub struct MapAnswer<'g> {
    pub question: &'g MapQuestion,
    /// The name of the piece; empty for a question about the whole board.
    pub piece: String,
    /// The ruling that answers it.
    pub resolved: ResolvedRuling,
}

impl MapLook {
    /// Reads the selection from the query string of a page of a situation. Its own page, where it is changed, shows it as it begins.
    pub fn from_query(page_query: &PageQuery, page: &str) -> MapLook {
        MapLook {
            question: page_query.parameter("asks"),
            piece: page_query.parameter("of"),
            place: page_query.parameter("to"),
            before_ruling: page.is_empty() && page_query.parameter("when") != "after",
        }
    }

    /// Returns the address with this selection.
    pub fn address(&self, request: &PageRequest, page: &str) -> String {
        let mut out = Serializer::new(String::new());
        for (key, text) in [
            ("asks", &*self.question),
            ("of", &self.piece),
            ("to", &self.place),
            (
                "when",
                if page.is_empty() && !self.before_ruling {
                    "after"
                } else {
                    ""
                },
            ),
        ] {
            if !text.is_empty() {
                out.append_pair(key, text);
            }
        }
        with_query(situation_address(request, page), &out.finish())
    }

    /// Returns the same moment with nothing selected.
    pub fn cleared(&self) -> MapLook {
        MapLook {
            before_ruling: self.before_ruling,
            ..MapLook::default()
        }
    }

    /// Looks up the selected question. A question about a piece requires a selected piece.
    fn find_question<'g>(&self, game: &'g Game) -> Option<&'g MapQuestion> {
        let question = game
            .map_questions
            .iter()
            .find(|question| question.name == self.question)?;
        (question.piece_param.is_none() || !self.piece.is_empty()).then_some(question)
    }

    /// Asks the question about the selected piece on the given board.
    pub fn answer<'g>(
        &self,
        situation: &'g Situation,
        board: &Board,
        request: &PageRequest,
    ) -> Option<Result<MapAnswer<'g>, Error>> {
        let question = self.find_question(&situation.ruleset().game)?;
        let piece = question
            .piece_param
            .iter()
            .map(|key| (key.as_str(), self.piece.as_str()));
        let place = question
            .place_param
            .iter()
            .map(|key| (key.as_str(), self.place.as_str()))
            .filter(|(_, to)| !to.is_empty());
        let arguments: Vec<(&str, &str)> = piece.chain(place).collect();
        let plain = PageRequest {
            strict: request.strict,
            ..PageRequest::default()
        };
        let result = situation
            .with_procedure(&question.procedure, &arguments, board)
            .and_then(|asked| queries::ruling(&asked, &plain));
        let piece_asked = if question.piece_param.is_some() {
            self.piece.clone()
        } else {
            String::new()
        };
        Some(result.map(|resolved| MapAnswer {
            question,
            piece: piece_asked,
            resolved,
        }))
    }

    /// Returns the pieces in the stack of the selected piece: same place and same side.
    pub fn stack<'s>(&self, placed: &'s [PlacedPiece]) -> Vec<&'s PlacedPiece> {
        let selected = placed.iter().find(|piece| piece.name == self.piece);
        placed
            .iter()
            .filter(|piece| {
                selected.is_some_and(|own| own.place == piece.place && own.side == piece.side)
            })
            .collect()
    }
}
