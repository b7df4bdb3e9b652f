//! Which piece goes by a name, and who stands where.

use super::Board;
use crate::situation::figures::{Figure, Of};
use crate::situation::start::{AT, GONE, ON, Standing};
use crate::situation::value::{PieceId, Text, Value};
use std::sync::Arc;

impl Board {
    /// A piece by its name: of several that went by it, the one that is not gone.
    pub fn find(&mut self, name: &Text) -> Option<PieceId> {
        let first = self.named(name).next();
        if let Some(piece) = first.filter(|piece| !self.is_gone(*piece)) {
            return Some(piece);
        }
        self.look(Figure::new(Of::Count, 0, 0));
        self.named(name).collect::<Vec<_>>().into_iter().for_each(|piece| self.look(Figure::new(Of::Piece, GONE, piece.0)));
        self.find_any(name)
    }

    /// Whether a piece has been removed.
    pub fn is_gone(&mut self, piece: PieceId) -> bool {
        self.get(Figure::new(Of::Piece, GONE, piece.0)) == Some(Value::True)
    }

    /// Where a piece is, by name: its own place, or that of what carries it; empty for nowhere.
    pub fn place_of(&self, piece: PieceId) -> &Text {
        let text = |piece: PieceId, column| self.peek(Figure::new(Of::Piece, column, piece.0)).and_then(Value::text);
        let mut piece = piece;
        // A chain of carriers is short; a circle of them ends here too.
        for _ in 0..8 {
            let at = text(piece, AT).filter(|at| !at.is_empty());
            let on = text(piece, ON).filter(|on| !on.is_empty());
            let carrier = on.filter(|_| at.is_none()).and_then(|on| self.find_any(on));
            match carrier {
                Some(carrier) => piece = carrier,
                None => break,
            }
        }
        text(piece, AT).unwrap_or(self.name(piece))
    }

    fn find_any(&self, name: &Text) -> Option<PieceId> {
        let gone = |piece: &PieceId| self.peek(Figure::new(Of::Piece, GONE, piece.0)) == Some(&Value::True);
        self.named(name).find(|piece| !gone(piece)).or_else(|| self.named(name).last())
    }

    /// All pieces that went by a name, as they came.
    fn named<'a>(&'a self, name: &'a Text) -> impl Iterator<Item = PieceId> + 'a {
        let first = self.start.names.len();
        let made = self.made.iter().zip(first..).filter(move |(made, _)| *made == name).map(|(_, number)| number);
        self.start.find(name).into_iter().chain(made).map(PieceId)
    }

    /// Where a piece is, with a note of all that was looked at.
    pub fn whereabouts(&mut self, piece: PieceId) -> Text {
        [AT, ON].iter().for_each(|column| self.looked.add(Figure::new(Of::Piece, *column, 0).slot()));
        if self.watch.is_some() {
            let mut next = Some(piece);
            for _ in 0..8 {
                let Some(piece) = next else { break };
                let at = self.piece(piece, AT);
                let on = self.piece(piece, ON);
                let carried = at.text().is_none_or(|at| at.is_empty());
                next = on.text().filter(|on| carried && !on.is_empty()).and_then(|on| self.find(on));
            }
        }
        self.place_of(piece).clone()
    }

    /// Who stands where.
    fn stand(&self) -> Arc<Standing> {
        let mut standing = Standing::default();
        for number in 0..self.count() {
            let piece = PieceId(number);
            if self.peek(Figure::new(Of::Piece, GONE, number)) != Some(&Value::True) {
                standing.entry(self.place_of(piece).clone()).or_default().push(piece);
            }
        }
        Arc::new(standing)
    }

    /// The pieces at a place, carried ones included.
    pub fn at(&mut self, place: &Text) -> Vec<PieceId> {
        self.at_any(std::slice::from_ref(place))
    }

    /// The pieces at some places, place by place, carried ones included.
    pub fn at_any(&mut self, places: &[Text]) -> Vec<PieceId> {
        self.look(Figure::new(Of::Count, 0, 0));
        [AT, ON, GONE].iter().for_each(|column| self.look_at_column(*column));
        if self.standing.is_none() {
            let nobody_moved = ![AT, ON, GONE].iter().any(|column| self.touched.has(Figure::new(Of::Piece, *column, 0).slot()));
            let standing = if nobody_moved { self.start.standing.get_or_init(|| self.stand()).clone() } else { self.stand() };
            self.standing = Some(standing);
        }
        let standing = self.standing.iter().flat_map(|standing| places.iter().filter_map(|place| standing.get(place)));
        standing.flatten().copied().collect()
    }
}
