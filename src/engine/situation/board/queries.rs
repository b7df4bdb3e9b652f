//! Board queries: pieces by name, by place, and by predicate.

use super::{Board, MovedPiece, is_carrier};
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::delta::ColumnDelta;
use crate::situation::initial_board::{
    CARRIER_COLUMN, GONE_COLUMN, PLACE_COLUMN, PieceStanding, SIDE_COLUMN,
};
use crate::situation::value::{HashedText, PieceId, Value};
use std::sync::Arc;

/// A column of pieces.
struct ColumnView<'a> {
    column: usize,
    changed: ColumnDelta<'a>,
    start: &'a [Value],
}

/// Maximum number of moved pieces that are tracked incrementally; beyond it, the occupants are recomputed.
const MAX_MOVED: usize = 32;

impl Board {
    /// Finds a piece by name; among several with the name, prefers one that is not gone.
    pub fn find(&mut self, name: &HashedText) -> Option<PieceId> {
        let first_named = self.pieces_named(name).next();
        if let Some(piece) = first_named.filter(|piece| !self.is_gone(*piece)) {
            if piece.0 >= self.start.names.len() {
                // Creating a piece may change the result.
                self.record_read(CellKey::new(EntityKind::Count, 0, 0));
            }
            return Some(piece);
        }
        self.record_read(CellKey::new(EntityKind::Count, 0, 0));
        self.pieces_named(name)
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|piece| {
                self.record_read(CellKey::new(EntityKind::Piece, GONE_COLUMN, piece.0))
            });
        self.peek_by_name(name)
    }

    /// Returns whether a piece has left the board.
    pub fn is_gone(&mut self, piece: PieceId) -> bool {
        self.get(CellKey::new(EntityKind::Piece, GONE_COLUMN, piece.0)) == Some(Value::True)
    }

    /// Returns the name of the place of a piece, which is that of its carrier if it is carried; empty if it is nowhere.
    pub fn place_of(&self, piece: PieceId) -> &HashedText {
        let text = |piece: PieceId, column| {
            self.peek(CellKey::new(EntityKind::Piece, column, piece.0))
                .and_then(Value::as_text)
        };
        let mut piece = piece;
        // The limit also ends a circular chain of carriers.
        for _ in 0..8 {
            let at = text(piece, PLACE_COLUMN).filter(|at| !at.is_empty());
            let on = text(piece, CARRIER_COLUMN).filter(|on| !on.is_empty());
            let carrier = on
                .filter(|_| at.is_none())
                .and_then(|on| self.peek_by_name(on));
            match carrier {
                Some(carrier) => piece = carrier,
                None => break,
            }
        }
        text(piece, PLACE_COLUMN).unwrap_or(self.name(piece))
    }

    /// Finds a piece by name as [`Board::find`] does, without recording reads.
    pub fn peek_by_name(&self, name: &HashedText) -> Option<PieceId> {
        let is_gone = |piece: &PieceId| {
            self.peek(CellKey::new(EntityKind::Piece, GONE_COLUMN, piece.0)) == Some(&Value::True)
        };
        self.pieces_named(name)
            .find(|piece| !is_gone(piece))
            .or_else(|| self.pieces_named(name).last())
    }

    /// Returns all pieces with a name, in order of creation.
    fn pieces_named<'a>(&'a self, name: &'a HashedText) -> impl Iterator<Item = PieceId> + 'a {
        let first_created = self.start.names.len();
        let created = self
            .created
            .iter()
            .zip(first_created..)
            .filter(move |(created, _)| created.name == *name)
            .map(|(_, number)| number);
        self.start
            .find(name)
            .into_iter()
            .chain(created)
            .map(PieceId)
    }

    /// Like [`Board::place_of`], and records all reads.
    pub fn read_place_of(&mut self, piece: PieceId) -> HashedText {
        let carried = self
            .peek(CellKey::new(EntityKind::Piece, CARRIER_COLUMN, piece.0))
            .is_some_and(is_carrier);
        let mut record_column = |kind: EntityKind, column: usize| {
            self.read_columns
                .insert(CellKey::new(kind, column, 0).column_index())
        };
        [PLACE_COLUMN, CARRIER_COLUMN]
            .iter()
            .for_each(|column| record_column(EntityKind::Piece, *column));
        if carried {
            // The carrier is the piece with that name that is not gone.
            record_column(EntityKind::Piece, GONE_COLUMN);
            record_column(EntityKind::Count, 0);
        }
        if self.recorder.is_some() {
            let mut current = Some(piece);
            for _ in 0..8 {
                let Some(piece) = current else { break };
                let at = self.piece_value(piece, PLACE_COLUMN);
                let on = self.piece_value(piece, CARRIER_COLUMN);
                let carried = at.as_text().is_none_or(|at| at.is_empty());
                current = on
                    .as_text()
                    .filter(|on| carried && !on.is_empty())
                    .and_then(|on| self.find(on));
            }
        }
        self.place_of(piece).clone()
    }

    /// Computes the pieces by place.
    fn compute_occupants(&self) -> Arc<PieceStanding> {
        let mut standing = PieceStanding::default();
        for piece in (0..self.piece_count()).map(PieceId) {
            if let Some(place) = self.current_place(piece) {
                standing.entry(place).or_default().push(piece);
            }
        }
        Arc::new(standing)
    }

    /// Returns the place of a piece; `None` if it is gone.
    fn current_place(&self, piece: PieceId) -> Option<HashedText> {
        let gone =
            self.peek(CellKey::new(EntityKind::Piece, GONE_COLUMN, piece.0)) == Some(&Value::True);
        (!gone).then(|| self.place_of(piece).clone())
    }

    /// Returns the pieces at a place, including carried ones.
    pub fn pieces_at(&mut self, place: &HashedText) -> Vec<PieceId> {
        self.pieces_at_any(std::slice::from_ref(place))
    }

    /// Returns the pieces at several places, place by place, including carried ones.
    pub fn pieces_at_any(&mut self, places: &[HashedText]) -> Vec<PieceId> {
        self.record_read(CellKey::new(EntityKind::Count, 0, 0));
        [PLACE_COLUMN, CARRIER_COLUMN, GONE_COLUMN]
            .iter()
            .for_each(|column| self.record_column_read(*column));
        if self.occupants_stale {
            self.occupants = Some(self.compute_occupants());
            (self.occupants_stale, self.moved_pieces) = (false, Vec::new());
        }
        for index in 0..self.moved_pieces.len() {
            if self.moved_pieces[index].place.is_none() {
                self.moved_pieces[index].place =
                    Some(self.current_place(self.moved_pieces[index].piece));
            }
        }
        let at_start = || {
            self.start
                .occupants
                .get_or_init(|| Board::new(self.start.clone()).compute_occupants())
        };
        let standing = self.occupants.as_ref().unwrap_or_else(at_start);
        let mut pieces = Vec::new();
        for place in places {
            let place_start = pieces.len();
            let at_start = standing.get(place).map(Vec::as_slice).unwrap_or_default();
            pieces.extend(
                at_start
                    .iter()
                    .filter(|piece| !self.moved_pieces.iter().any(|moved| moved.piece == **piece)),
            );
            let stayed = pieces.len();
            let newly_there = self.moved_pieces.iter().filter(|moved| {
                moved
                    .place
                    .as_ref()
                    .is_some_and(|now| now.as_ref() == Some(place))
            });
            pieces.extend(newly_there.map(|moved| moved.piece));
            if pieces.len() > stayed {
                pieces[place_start..].sort();
            }
        }
        pieces
    }

    /// Records that a piece and everything it carries has moved.
    pub(super) fn note_moved(&mut self, piece: PieceId) {
        if self.occupants_stale {
            return;
        }
        match self
            .moved_pieces
            .iter()
            .position(|moved| moved.piece == piece)
        {
            // A circular chain of carriers ends here.
            Some(index) if self.moved_pieces[index].place.is_none() => return,
            Some(index) => self.moved_pieces[index].place = None,
            None if self.moved_pieces.len() >= MAX_MOVED => {
                (self.occupants_stale, self.occupants, self.moved_pieces) =
                    (true, None, Vec::new());
                return;
            }
            None => self.moved_pieces.push(MovedPiece { piece, place: None }),
        }
        let (start, name) = (self.start.clone(), self.name(piece).clone());
        start
            .carried_by(&name)
            .iter()
            .for_each(|carried| self.note_moved(*carried));
        for index in 0..self.riders.len() {
            if self.riders[index].0 == name {
                self.note_moved(self.riders[index].1);
            }
        }
    }

    /// Records that a piece is on a carrier, if the value names one.
    pub(super) fn note_rider(&mut self, piece: PieceId, carrier: &Value) {
        let rider = carrier
            .as_text()
            .filter(|_| is_carrier(carrier))
            .map(|carrier| (carrier.clone(), piece));
        self.riders
            .extend(rider.filter(|rider| !self.riders.contains(rider)));
    }

    /// Returns the pieces on the board that pass `test`, in order; `test` receives the values of `columns`.
    pub fn select(&mut self, columns: &[usize], test: impl Fn(&[&Value]) -> bool) -> Vec<PieceId> {
        self.record_read(CellKey::new(EntityKind::Count, 0, 0));
        [GONE_COLUMN]
            .iter()
            .chain(columns)
            .for_each(|column| self.record_column_read(*column));
        let (views, gone): (Vec<_>, _) = (
            columns
                .iter()
                .map(|column| self.column_view(*column))
                .collect(),
            self.column_view(GONE_COLUMN),
        );
        let mut selected = Vec::new();
        let mut row: Vec<&Value> = Vec::with_capacity(columns.len());
        for number in 0..self.piece_count() {
            if *self.view_value(&gone, number) == Value::True {
                continue;
            }
            row.clear();
            row.extend(views.iter().map(|view| self.view_value(view, number)));
            if test(&row) {
                selected.push(PieceId(number));
            }
        }
        selected
    }

    fn column_view(&self, column: usize) -> ColumnView<'_> {
        let start = self
            .start
            .columns
            .get(column)
            .map(Vec::as_slice)
            .unwrap_or_default();
        ColumnView {
            column,
            changed: self.delta.column(EntityKind::Piece, column),
            start,
        }
    }

    fn view_value<'a>(&'a self, view: &ColumnView<'a>, number: usize) -> &'a Value {
        let ColumnView {
            column,
            changed,
            start,
        } = view;
        let initial = || {
            start
                .get(number)
                .or_else(|| self.created_piece(number)?.get(*column))
        };
        changed
            .get(number)
            .or_else(initial)
            .unwrap_or(&Value::Nothing)
    }

    /// Returns those of `pieces` that belong to a side.
    pub fn filter_side(&mut self, pieces: Vec<PieceId>, side: &HashedText) -> Vec<PieceId> {
        pieces
            .into_iter()
            .filter(|piece| self.piece_text(*piece, SIDE_COLUMN) == Some(side))
            .collect()
    }
}
