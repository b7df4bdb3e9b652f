//! Which piece goes by a name, who stands where, and who passes a test.

use super::{Board, Moved, is_carrier};
use crate::situation::changed::Column;
use crate::situation::figures::{Figure, Of};
use crate::situation::start::{AT, GONE, ON, SIDE, Standing};
use crate::situation::value::{PieceId, Text, Value};
use std::sync::Arc;

/// A column of pieces: its number, what has changed of it, and how it was at the start.
type View<'a> = (usize, Column<'a>, &'a [Value]);

/// So many pieces that have moved are looked through; of more it is found anew who stands where.
const FEW: usize = 32;

impl Board {
    /// A piece by its name: of several that went by it, the one that is not gone.
    pub fn find(&mut self, name: &Text) -> Option<PieceId> {
        let first = self.named(name).next();
        if let Some(piece) = first.filter(|piece| !self.is_gone(*piece)) {
            if piece.0 >= self.start.names.len() {
                // It goes by this name since it was made.
                self.look(Figure::new(Of::Count, 0, 0));
            }
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
        let made = self.made.iter().zip(first..).filter(move |(made, _)| made.name == *name).map(|(_, number)| number);
        self.start.find(name).into_iter().chain(made).map(PieceId)
    }

    /// Where a piece is, with a note of all that was looked at.
    pub fn whereabouts(&mut self, piece: PieceId) -> Text {
        let carried = self.peek(Figure::new(Of::Piece, ON, piece.0)).is_some_and(is_carrier);
        let mut looked = |of: Of, column: usize| self.looked.add(Figure::new(of, column, 0).slot());
        [AT, ON].iter().for_each(|column| looked(Of::Piece, *column));
        if carried {
            // Who goes by the carrier's name, and is not gone.
            looked(Of::Piece, GONE);
            looked(Of::Count, 0);
        }
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
        for piece in (0..self.count()).map(PieceId) {
            if let Some(place) = self.stands(piece) {
                standing.entry(place).or_default().push(piece);
            }
        }
        Arc::new(standing)
    }

    /// Where a piece stands, if it is not gone.
    fn stands(&self, piece: PieceId) -> Option<Text> {
        let gone = self.peek(Figure::new(Of::Piece, GONE, piece.0)) == Some(&Value::True);
        (!gone).then(|| self.place_of(piece).clone())
    }

    /// The pieces at a place, carried ones included.
    pub fn at(&mut self, place: &Text) -> Vec<PieceId> {
        self.at_any(std::slice::from_ref(place))
    }

    /// The pieces at some places, place by place, carried ones included.
    pub fn at_any(&mut self, places: &[Text]) -> Vec<PieceId> {
        self.look(Figure::new(Of::Count, 0, 0));
        [AT, ON, GONE].iter().for_each(|column| self.look_at_column(*column));
        if self.scattered {
            self.standing = Some(self.stand());
            (self.scattered, self.moved) = (false, Vec::new());
        }
        for place in 0..self.moved.len() {
            if self.moved[place].place.is_none() {
                self.moved[place].place = Some(self.stands(self.moved[place].piece));
            }
        }
        let at_start = || self.start.standing.get_or_init(|| Board::new(self.start.clone()).stand());
        let standing = self.standing.as_ref().unwrap_or_else(at_start);
        let mut found = Vec::new();
        for place in places {
            let from = found.len();
            let stood = standing.get(place).map(Vec::as_slice).unwrap_or_default();
            found.extend(stood.iter().filter(|piece| !self.moved.iter().any(|moved| moved.piece == **piece)));
            let stayed = found.len();
            let here = self.moved.iter().filter(|moved| moved.place.as_ref().is_some_and(|now| now.as_ref() == Some(place)));
            found.extend(here.map(|moved| moved.piece));
            if found.len() > stayed {
                found[from..].sort();
            }
        }
        found
    }

    /// A piece is at another place from now on, or nowhere; those that it carries move with it.
    pub(super) fn moves(&mut self, piece: PieceId) {
        if self.scattered {
            return;
        }
        match self.moved.iter().position(|moved| moved.piece == piece) {
            // Who carries each other in a circle ends here.
            Some(known) if self.moved[known].place.is_none() => return,
            Some(known) => self.moved[known].place = None,
            None if self.moved.len() >= FEW => {
                (self.scattered, self.standing, self.moved) = (true, None, Vec::new());
                return;
            }
            None => self.moved.push(Moved { piece, place: None }),
        }
        let (start, name) = (self.start.clone(), self.name(piece).clone());
        start.carried_by(&name).iter().for_each(|carried| self.moves(*carried));
        for place in 0..self.riders.len() {
            if self.riders[place].0 == name {
                self.moves(self.riders[place].1);
            }
        }
    }

    /// A piece is on another from now on, if that is what the name says.
    pub(super) fn rides(&mut self, piece: PieceId, carrier: &Value) {
        let rider = carrier.text().filter(|_| is_carrier(carrier)).map(|carrier| (carrier.clone(), piece));
        self.riders.extend(rider.filter(|rider| !self.riders.contains(rider)));
    }

    /// The pieces on the board that pass a test, in their order; these columns are what it looks at.
    pub fn select(&mut self, columns: &[usize], test: impl Fn(&[&Value]) -> bool) -> Vec<PieceId> {
        self.look(Figure::new(Of::Count, 0, 0));
        [GONE].iter().chain(columns).for_each(|column| self.look_at_column(*column));
        let (views, gone): (Vec<_>, _) = (columns.iter().map(|column| self.view(*column)).collect(), self.view(GONE));
        let mut found = Vec::new();
        let mut row: Vec<&Value> = Vec::with_capacity(columns.len());
        for number in 0..self.count() {
            if *self.seen(&gone, number) == Value::True {
                continue;
            }
            row.clear();
            row.extend(views.iter().map(|view| self.seen(view, number)));
            if test(&row) {
                found.push(PieceId(number));
            }
        }
        found
    }

    fn view(&self, column: usize) -> View<'_> {
        let start = self.start.columns.get(column).map(Vec::as_slice).unwrap_or_default();
        (column, self.changed.column(Of::Piece, column), start)
    }

    fn seen<'a>(&'a self, (column, changed, start): &View<'a>, number: usize) -> &'a Value {
        let first = || start.get(number).or_else(|| self.made(number)?.get(*column));
        changed.get(number).or_else(first).unwrap_or(&Value::Nothing)
    }

    /// Those of some pieces that belong to a side.
    pub fn of_side(&mut self, pieces: Vec<PieceId>, side: &Text) -> Vec<PieceId> {
        pieces.into_iter().filter(|piece| self.text(*piece, SIDE) == Some(side)).collect()
    }
}
