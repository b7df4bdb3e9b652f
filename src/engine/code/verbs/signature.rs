//! What a row of the table says of a verb besides its text: what its parameters name, how it is compiled, what it reads, and what it gives.

use super::types::TypeSet;
use crate::code::throw_verb::ThrowVerb;
use crate::situation::cell_key::EntityKind;

/// What an argument of a verb names, or what it is for. A text constant in its place can be checked, and completed while it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing: any value of the types that the parameter takes.
    Value,
    /// A table, by its id.
    Table,
    /// What falls on an axis of a table.
    Key,
    /// An axis of a table.
    Axis,
    /// A roster or deployment.
    List,
    /// A situation, roster or deployment.
    Situation,
    Track,
    /// A place of a track.
    Box,
    /// A deck or cup.
    Deck,
    Side,
    /// A piece, by its name.
    Piece,
    /// A place of the map, or a box.
    Place,
    /// Maps that describe pieces.
    NewPieces,
    /// A kind or group of pieces.
    Group,
    /// What is taken from a list: a kind or group, conditions, members, or a closure.
    Selection,
    /// A map of figures and the values that they may have.
    Conditions,
    /// A figure of pieces.
    Figure,
    /// A figure of pieces or places, or the key of an item of a list or map.
    FigureOrKey,
    /// Why a piece leaves the board, or the key of an item of a list or map.
    ReasonOrKey,
    /// The key of an item of a list, map or text.
    ItemKey,
    /// A sheet, or the map that a situation hands over.
    Sheet,
    /// A field of the map that a situation hands over.
    SheetField,
    /// A map of fields of a sheet.
    Fields,
    Dice,
    /// What dice are thrown or cards are drawn for.
    Purpose,
    /// What a side is asked.
    Question,
    /// What a side may choose from.
    Options,
    /// An outcome of the ruling.
    Outcome,
    /// A line of the ruling; the list of its values comes next.
    Line,
    /// A reading of a case.
    Reading,
}

impl Role {
    /// Whether it may be the key of an item.
    pub fn is_item_key(self) -> bool {
        matches!(self, Role::ItemKey | Role::FigureOrKey | Role::ReasonOrKey)
    }
}

/// A parameter of a verb.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    /// The types that it takes.
    pub types: TypeSet,
    /// What its argument names.
    pub role: Role,
}

/// Creates a parameter that names nothing.
pub const fn param(name: &'static str, types: TypeSet) -> Parameter {
    Parameter {
        name,
        types,
        role: Role::Value,
    }
}

impl Parameter {
    /// Declares what the argument names.
    pub const fn naming(mut self, role: Role) -> Parameter {
        self.role = role;
        self
    }
}

/// What a call of a table wants to know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableAccess {
    /// The cell on which keys fall.
    Cell,
    /// All cells of a row.
    Row,
    /// Whether the cell on which keys fall is known.
    IsKnown,
    /// Labels of an axis.
    Labels,
}

/// What a verb reads besides its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerbReads {
    /// Nothing that depends on the situation or on the data.
    Nothing,
    /// These columns of the board.
    Columns(&'static [(EntityKind, usize)]),
    /// The table that its first argument names.
    Table(TableAccess),
    /// The roster or deployment that its first argument names.
    List,
}

/// The operations of the machine that verbs stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerbOperation {
    /// Throws dice, or draws cards or lots.
    Throw(ThrowVerb),
    /// Asks a side.
    Choose,
    /// Reads a cell of a table.
    ReadTable,
    /// Reads how a doubtful text is read.
    Reading,
    /// Calls the answer of the next older layer.
    Prior,
    Refuse,
    /// Refuses unless a condition holds.
    Require,
    /// Counts the results of a closure.
    Count,
    /// Collects the outcomes that a closure names.
    Outcome,
    /// Calls a closure for each item; [`Iteration`] says to what end.
    Iterate,
}

/// What becomes of the items for which a closure is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iteration {
    /// Those for which the closure gives this value are kept.
    Keep(bool),
    /// The results make a list.
    Map,
    /// The first for which the closure holds is the result.
    Find,
    /// Whether the closure holds for one.
    Some,
    /// Whether the closure holds for each.
    All,
}

/// How the result follows from the arguments, where more is known than its types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultRule {
    /// A value of the types of the row.
    OfTypes,
    /// No result: the procedure ends.
    Never,
    /// An item of the first argument, or nothing.
    Item,
    Option,
    /// A list of items of the first argument.
    SameItems,
    /// A list of pieces.
    Pieces,
    /// A list of the values of the figure that the second argument names.
    FigureValues,
    /// A list of what a closure gives.
    ClosureResults,
    /// Nothing; the list has the last argument as another item.
    AddsItem,
    /// Nothing; the list has the items of the last argument besides.
    AddsItems,
    /// An item that the list no longer has, or nothing.
    TakesItem,
    /// The lesser of two numbers.
    Lesser,
    /// The greater of two numbers.
    Greater,
    /// The odds of two numbers, in whole numbers.
    WholeOdds,
    /// The side that the first argument is not.
    OtherSide,
    /// A way of reading.
    Reading,
    /// The place at which a track stands, or the second argument.
    TrackBox,
    /// A field of the map that a situation hands over, or the last argument.
    SheetField,
}

impl ResultRule {
    /// Whether the verb changes the items of a list, and the list stays one.
    pub fn changes_items(self) -> bool {
        matches!(
            self,
            ResultRule::AddsItem | ResultRule::AddsItems | ResultRule::TakesItem
        )
    }
}
