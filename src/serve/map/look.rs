//! What is looked at on a map: a piece, and a question of it or of the whole board, as the game's manifest names them under `board:`.

use crate::complaint::Error;
use crate::data::manifest::{Game, Question};
use crate::ruling::resolve::Ran;
use crate::ruling::situation::Situation;
use crate::serve::answers;
use crate::serve::ask::Ask;
use crate::serve::layout::{Wanted, address};
use crate::serve::map::plan::Stand;
use crate::situation::board::Board;
use form_urlencoded::Serializer;

/// What an address looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The question.
    pub asks: String,
    /// The piece.
    pub of: String,
    /// The place.
    pub to: String,
    /// Whether the board is meant as it was before the ruling.
    pub before: bool,
}

/// What a question came to: the piece that answered it, and the ruling.
pub struct Seen<'g> {
    /// The question.
    pub question: &'g Question,
    /// The piece; empty where it was asked of the whole board.
    pub of: String,
    /// The ruling.
    pub ran: Ran,
}

impl Look {
    /// What an address looks at.
    pub fn read(wanted: &Wanted) -> Look {
        Look { asks: wanted.word("asks"), of: wanted.word("of"), to: wanted.word("to"), before: wanted.word("when") == "before" }
    }

    /// The address that looks at this.
    pub fn address(&self, ask: &Ask, page: &str) -> String {
        let mut out = Serializer::new(String::new());
        for (key, text) in [("asks", &*self.asks), ("of", &self.of), ("to", &self.to), ("when", if self.before { "before" } else { "" })] {
            if !text.is_empty() {
                out.append_pair(key, text);
            }
        }
        let (plain, more) = (address(ask, page), out.finish());
        match (more.is_empty(), plain.contains('?')) {
            (true, _) => plain,
            (_, true) => format!("{plain}&{more}"),
            (_, false) => format!("{plain}?{more}"),
        }
    }

    /// The question as the game has it; one of a piece wants a piece.
    fn question<'g>(&self, game: &'g Game) -> Option<&'g Question> {
        let found = game.board.iter().find(|question| question.name == self.asks)?;
        (found.piece.is_none() || !self.of.is_empty()).then_some(found)
    }

    /// Puts the question to the board, of the piece that is looked at and of no other.
    pub fn put<'g>(&self, situation: &'g Situation, board: &Board, ask: &Ask) -> Option<Result<Seen<'g>, Error>> {
        let question = self.question(&situation.ruleset().game)?;
        let piece = question.piece.iter().map(|key| (key.as_str(), self.of.as_str()));
        let place = question.place.iter().map(|key| (key.as_str(), self.to.as_str())).filter(|(_, to)| !to.is_empty());
        let given: Vec<(&str, &str)> = piece.chain(place).collect();
        let plain = Ask { strict: ask.strict, ..Ask::default() };
        let found = situation.asking(&question.procedure, &given, board).and_then(|asked| answers::ruling(&asked, &plain));
        let of = if question.piece.is_some() { self.of.clone() } else { String::new() };
        Some(found.map(|ran| Seen { question, of, ran }))
    }

    /// The pieces of a side that stand where the piece looked at stands, itself among them.
    pub fn company<'s>(&self, stands: &'s [Stand]) -> Vec<&'s Stand> {
        let own = stands.iter().find(|stand| stand.name == self.of);
        stands.iter().filter(|stand| own.is_some_and(|own| own.place == stand.place && own.side == stand.side)).collect()
    }
}
