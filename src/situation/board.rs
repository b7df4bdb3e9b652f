//! The board as it stands: the start, what has changed since, and the sheets that procedures fill in.

use crate::data::case::Status;
use crate::data::manifest::Game;
use crate::data::piece::Entry;
use crate::situation::bytes::{Digest, mixed};
use crate::situation::changed::{Changed, Prints};
use crate::situation::columns::{COLUMNS, Columns};
use crate::situation::figures::{Figure, MOST, Of, Watch, sort_of};
use crate::situation::meter::{FIGURE, Meter};
use crate::situation::start::{AT, FIRST, GONE, KIND, ON, SIDE, Standing, Start};
use crate::situation::value::{PieceId, Text, Value};
use std::sync::{Arc, LazyLock};

/// Places, and sides between two of them.
type Told = (Vec<Text>, Vec<(Text, Text)>);

/// The board.
#[derive(Clone, Debug, Default)]
pub struct Board {
    /// As the situation laid it out.
    pub start: Arc<Start>,
    changed: Changed,
    /// The pieces made since.
    made: Arc<Vec<Arc<Made>>>,
    /// Places and sides that were nothing said of, until something changed there.
    told: Arc<Told>,
    records: usize,
    shared: usize,
    /// Who stood where when that was last worked out; at the start, where there is none.
    standing: Option<Arc<Standing>>,
    /// Pieces that have moved since that was so.
    moved: Vec<Moved>,
    /// Whether it is to be worked out anew.
    scattered: bool,
    /// Pieces that were put on another since the start, with its name.
    riders: Vec<(Text, PieceId)>,
    /// Whether any figure names a piece that was made.
    names_made: bool,
    /// The columns that were looked at.
    pub looked: Columns,
    /// How often something was written.
    pub writes: u64,
    /// Fingerprints of columns, as far as they are known.
    prints: Vec<u64>,
    /// By column, where its fingerprint stands, from 1 on.
    printed: Arc<[u16]>,
    /// The columns whose fingerprints are out of date.
    stale: Columns,
    /// The columns that were ever written: all others are as they were at the start.
    pub touched: Columns,
    /// What is looked at and written, where that is wanted.
    pub watch: Option<Box<Watch>>,
    /// How much memory the run has taken that works on it.
    pub meter: Meter,
}

/// A piece that has moved, and where it stands now, if anywhere: found when somebody asks.
#[derive(Clone, Debug)]
struct Moved {
    piece: PieceId,
    place: Option<Option<Text>>,
}

/// The name of a piece that is not here.
static NOBODY: LazyLock<Text> = LazyLock::new(Text::default);

/// Whether this is who carries a piece.
fn is_carrier(on: &Value) -> bool {
    on.text().is_some_and(|carrier| !carrier.is_empty())
}

mod finding;
mod made;
mod told;
mod weight;

use made::Made;

impl Board {
    /// The board at its start.
    pub fn new(start: Arc<Start>) -> Board {
        Board { start, ..Board::default() }
    }

    /// Sets up another board; sheets and variables that closures share stay as they are.
    pub fn set_up(&mut self, start: Arc<Start>) {
        let (records, shared, watch, meter) = (self.records, self.shared, self.watch.take(), self.meter.clone());
        let mut kept = Board { start, records, shared, watch, meter, ..Board::default() };
        kept.take_over(self, |figure| matches!(figure.of(), Of::Record | Of::Shared));
        kept.names_made = self.names_made;
        *self = kept;
    }

    /// The same board over a start of the same content.
    pub fn over(&self, start: Arc<Start>) -> Board {
        Board { start, ..self.clone() }
    }

    /// The board without sheets and shared variables, which belong to the procedure that made them.
    pub fn settled(&self) -> Board {
        let mut board = Board {
            made: self.made.clone(),
            told: self.told.clone(),
            standing: self.standing.clone(),
            moved: self.moved.clone(),
            scattered: self.scattered,
            riders: self.riders.clone(),
            names_made: self.names_made,
            ..Board::new(self.start.clone())
        };
        board.take_over(self, |figure| !matches!(figure.of(), Of::Record | Of::Shared | Of::Outcome));
        if !self.made.is_empty() {
            board.touched.join(&self.start.own);
        }
        board
    }

    /// Takes over what has changed of some figures.
    fn take_over(&mut self, other: &Board, wanted: impl Fn(Figure) -> bool) {
        for (figure, value) in other.changed.iter().filter(|(figure, _)| wanted(*figure)) {
            self.touched.add(figure.slot());
            self.changed.set(figure, value.clone());
        }
    }

    /// How many bytes of its own it takes.
    pub fn bytes(&self) -> u64 {
        self.changed.bytes() + (size_of_val(&*self.moved) + size_of_val(&*self.riders) + size_of_val(&*self.prints)) as u64
    }

    /// How many pieces there are, those that have left included.
    pub fn count(&self) -> usize {
        self.start.names.len() + self.made.len()
    }

    /// The name of a piece.
    pub fn name(&self, piece: PieceId) -> &Text {
        let number = piece.0;
        let made = || Some(&self.made(number)?.name);
        // A piece that was made on another board has no name here.
        self.start.names.get(number).or_else(made).unwrap_or(&NOBODY)
    }

    /// The names of all pieces.
    pub fn names(&self) -> impl Iterator<Item = &Text> {
        self.start.names.iter().chain(self.made.iter().map(|made| &made.name))
    }

    /// The places of which something is known, with their numbers.
    pub fn places(&self) -> impl Iterator<Item = (&Text, usize)> {
        self.start.geography.places.iter().chain(&self.told.0).zip(0..)
    }

    /// The sides between two places of which something is known, with their numbers.
    pub fn sides(&self) -> impl Iterator<Item = (&Text, &Text, usize)> {
        self.start.geography.sides().chain(self.told.1.iter().zip(MOST.1 / 2..).map(|((a, b), number)| (a, b, number)))
    }

    /// A fingerprint of a column as it stands; none of one that was never written.
    pub fn print(&mut self, slot: usize) -> u64 {
        if !self.touched.has(slot) {
            return 0;
        }
        let fresh = !self.stale.take(slot);
        let place = match self.printed.get(slot).map_or(0, |place| usize::from(*place)) {
            0 => {
                if self.printed.is_empty() {
                    self.printed = [0; COLUMNS].into();
                }
                self.prints.push(0);
                Arc::make_mut(&mut self.printed)[slot] = self.prints.len() as u16;
                self.prints.len()
            }
            known if fresh => return self.prints[known - 1],
            known => known,
        };
        self.prints[place - 1] = self.print_anew(slot);
        self.prints[place - 1]
    }

    /// Places and sides that were told of since are numbered as they came: what stands in a column is theirs.
    fn print_anew(&mut self, slot: usize) -> u64 {
        let made = self.made.iter().map(|made| made.print_of(slot)).fold(0, u64::wrapping_add);
        let print = self.changed.fingerprint(slot).wrapping_add(made);
        let names = || self.told.0.iter().chain(self.told.1.iter().flat_map(|(a, b)| [a, b]));
        if matches!(sort_of(slot), Of::Place | Of::Side) { names().fold(print, |sum, name| mixed(sum, name.fingerprint())) } else { print }
    }

    /// How many sheets and shared variables there are.
    pub fn heads(&self) -> (usize, usize) {
        (self.records, self.shared)
    }

    fn look(&mut self, figure: Figure) {
        self.look_in(figure.slot(), figure);
    }

    fn look_in(&mut self, slot: usize, figure: Figure) {
        self.looked.add(slot);
        if let Some(watch) = &mut self.watch {
            watch.read(figure);
        }
    }

    fn look_at_column(&mut self, column: usize) {
        let count = self.count();
        self.looked.add(Figure::new(Of::Piece, column, 0).slot());
        if let Some(watch) = &mut self.watch {
            watch.read_column(Of::Piece, column, count);
        }
    }

    /// A figure, without a note that it was looked at: for showing.
    pub fn peek(&self, figure: Figure) -> Option<&Value> {
        self.peek_in(figure.slot(), figure)
    }

    /// The same where the place of its column is known.
    fn peek_in(&self, slot: usize, figure: Figure) -> Option<&Value> {
        let changed = if self.touched.has(slot) { self.changed.get(figure) } else { None };
        changed.or_else(|| self.at_first(figure))
    }

    /// A figure as it was at the start, or as its piece was made.
    fn at_first(&self, figure: Figure) -> Option<&Value> {
        match figure.of() {
            Of::Piece if !self.made.is_empty() && figure.number() >= self.start.names.len() => {
                self.made(figure.number())?.get(figure.column())
            }
            _ => self.start.get(figure),
        }
    }

    /// A piece that was made.
    fn made(&self, number: usize) -> Option<&Made> {
        self.made.get(number.checked_sub(self.start.names.len())?).map(Arc::as_ref)
    }

    /// A figure; none where nothing is known of it.
    pub fn get(&mut self, figure: Figure) -> Option<Value> {
        let slot = figure.slot();
        self.look_in(slot, figure);
        self.peek_in(slot, figure).cloned()
    }

    /// Sets a figure.
    pub fn set(&mut self, figure: Figure, value: Value) {
        self.wrote(figure);
        self.meter.made(FIGURE);
        if figure.of() == Of::Piece && figure.column() == ON {
            self.rides(PieceId(figure.number()), &value);
        }
        self.names_made |= self.is_of_made(&value);
        // Back to what it was: two boards that are equal are to look equal. A doubtful figure that was set is doubtful no more.
        if self.at_first(figure) == Some(&value) && self.start.doubt(figure).is_none() {
            self.changed.forget(figure);
        } else {
            self.changed.set(figure, value);
        }
    }

    /// A figure of a piece.
    pub fn piece(&mut self, piece: PieceId, column: usize) -> Value {
        self.get(Figure::new(Of::Piece, column, piece.0)).unwrap_or_default()
    }

    /// A word among the figures of a piece.
    pub fn text(&mut self, piece: PieceId, column: usize) -> Option<&Text> {
        let figure = Figure::new(Of::Piece, column, piece.0);
        let slot = figure.slot();
        self.look_in(slot, figure);
        self.peek_in(slot, figure).and_then(Value::text)
    }

    /// Why a figure of a piece is doubtful, with the file it comes from where one is known. A piece that was made has every figure but those
    /// that nobody knows.
    pub fn doubt(&self, figure: Figure) -> Option<(Status, Option<&Arc<str>>)> {
        if self.changed.get(figure).is_some() {
            return None;
        }
        match self.made(figure.number()).filter(|_| figure.of() == Of::Piece) {
            Some(made) => made.get(figure.column()).is_none().then_some((Status::Missing, None)),
            None => self.start.doubt(figure).map(|(status, path)| (status, Some(path))),
        }
    }

    /// A track; none where the situation does not say where it stands.
    pub fn track(&mut self, number: u32) -> Option<Value> {
        self.get(Figure::new(Of::Track, 0, number as usize))
    }

    /// A new sheet with these fields.
    pub fn record(&mut self, fields: impl IntoIterator<Item = (usize, Value)>) -> usize {
        let number = self.records;
        self.records += 1;
        fields.into_iter().for_each(|(field, value)| self.set(Figure::new(Of::Record, field, number), value));
        number
    }

    /// A new variable that closures share.
    pub fn share(&mut self, value: Value) -> usize {
        let number = self.shared;
        self.shared += 1;
        self.set(Figure::new(Of::Shared, 0, number), value);
        number
    }

    /// The fields of a sheet that are filled in. Whoever looks at them sees those that are not, too.
    pub fn fields(&mut self, record: usize) -> Vec<(usize, Value)> {
        (0..MOST.0).for_each(|field| self.look(Figure::new(Of::Record, field, record)));
        let of = |(figure, value): (Figure, &Value)| {
            (figure.of() == Of::Record && figure.number() == record).then(|| (figure.column(), value.clone()))
        };
        self.changed.iter().filter_map(of).collect()
    }

    /// Puts a new piece on the board.
    pub fn add(&mut self, entry: &Entry, game: &Game) -> PieceId {
        let number = self.count();
        let count = Figure::new(Of::Count, 0, 0);
        self.look(count);
        let made = Made::new(entry, game, number, &self.start.blank);
        self.meter.made(made.bytes());
        if let Some(carrier) = made.get(ON).cloned() {
            self.rides(PieceId(number), &carrier);
        }
        Arc::make_mut(&mut self.made).push(Arc::new(made));
        self.stale.join(&self.start.own);
        self.touched.join(&self.start.own);
        if let Some(watch) = &mut self.watch {
            (0..self.start.blank.len()).for_each(|column| watch.wrote(Figure::new(Of::Piece, column, number)));
        }
        self.moves(PieceId(number));
        let names = self.made.iter().map(|made| Value::Text(made.name.clone())).collect();
        self.set(count, names);
        PieceId(number)
    }

    /// Notes that a figure is another from now on.
    fn wrote(&mut self, figure: Figure) {
        let slot = figure.slot();
        self.writes += 1;
        self.stale.add(slot);
        self.touched.add(slot);
        if let Some(watch) = &mut self.watch {
            watch.wrote(figure);
        }
        if figure.of() == Of::Piece && matches!(figure.column(), AT | ON | GONE) {
            self.moves(PieceId(figure.number()));
        }
    }

    /// The column of an attribute of pieces.
    pub fn column(game: &Game, name: &str) -> Option<usize> {
        match name {
            "kind" => Some(KIND),
            "side" => Some(SIDE),
            "at" => Some(AT),
            "on" => Some(ON),
            "gone" => Some(GONE),
            _ => game.attribute(name).map(|index| FIRST + index),
        }
    }

    /// Whether two boards that began alike differ now.
    pub fn differs(&self, other: &Board) -> bool {
        self.made != other.made || !self.changed.iter().eq(other.changed.iter())
    }

    /// What has changed, to hold another board against it.
    pub fn prints(&mut self) -> Prints {
        self.changed.prints()
    }

    /// A fingerprint of all that has changed since the start.
    pub fn print_of_all(&mut self) -> u128 {
        self.changed.print_of_all()
    }

    /// Tells which figures are otherwise than on another board; see [`Changed::apart`].
    pub fn apart(&mut self, there: &Prints, tell: impl FnMut(Figure, Option<u64>, Option<u64>)) {
        self.changed.apart(there, tell);
    }

    /// What else tells boards apart: what was made, and how many sheets there are.
    pub fn digest(&self, digest: &mut Digest) {
        [self.records, self.shared, self.made.len(), self.told.0.len()].into_iter().for_each(|count| digest.add(count as u64));
        self.made.iter().flat_map(|made| [made.name.fingerprint(), made.print()]).for_each(|print| digest.add(print));
        let told = self.told.0.iter().chain(self.told.1.iter().flat_map(|(a, b)| [a, b]));
        told.for_each(|name| digest.add(name.fingerprint()));
    }
}
