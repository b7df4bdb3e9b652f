//! A function of a case, lowered: operations on registers, with every name resolved.

use crate::complaint::Span;
use crate::situation::column_set::ColumnSet;
use crate::situation::value::{HashedText, Value};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// A register of a function's frame.
pub type Register = u16;

/// What an operation takes: a register, or a constant of the unit where the highest bit is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand(pub u16);

/// The bit that tells constants from registers.
pub const CONSTANT_BIT: u16 = 0x8000;

impl Operand {
    /// The register, if it is one.
    #[inline]
    pub fn register(self) -> Option<Register> {
        (self.0 & CONSTANT_BIT == 0).then_some(self.0)
    }
}

/// Operators of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `**`
    Pow,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `value in list`: the list first
    In,
    /// `a..b`
    Range,
    /// `a..=b`
    RangeInclusive,
}

/// Arguments that stand anywhere: where in the unit's list of operands they begin, and how many.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentList {
    /// The first.
    pub start: u32,
    /// How many.
    pub count: u8,
}

/// One operation. `to` is the place of another operation; `dst` the register for the result.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // dst, src, to and args mean the same everywhere
pub enum Operation {
    /// Copies a value.
    Copy { dst: Register, src: Operand },
    /// Moves a value that nobody needs where it stands.
    Move { dst: Register, src: Register },
    /// `!`
    Not { dst: Register, src: Operand },
    /// `-`
    Neg { dst: Register, src: Operand },
    /// An operator of two values.
    Binary { op: BinaryOperator, dst: Register, a: Operand, b: Operand },
    /// Goes on elsewhere.
    Jump { to: u32 },
    /// Goes on elsewhere if a flag is so.
    JumpIf { flag: Operand, expected: bool, to: u32 },
    /// Goes on elsewhere if a comparison comes out so.
    Compare { op: BinaryOperator, expected: bool, a: Operand, b: Operand, to: u32 },
    /// Goes on elsewhere if a value is something.
    JumpIfSome { src: Operand, to: u32 },
    /// Goes on where the table of a switch says.
    Switch { src: Operand, table: u16 },
    /// A list of values.
    List { dst: Register, args: ArgumentList },
    /// A map, its names being a shape of the unit.
    Map { dst: Register, shape: u16, args: ArgumentList },
    /// A text of several values.
    Interpolate { dst: Register, args: ArgumentList },
    /// A field by its name.
    Get { dst: Register, object: Operand, field: u16 },
    /// An item by number, or a field by a name worked out.
    Index { dst: Register, object: Operand, key: Operand },
    /// Sets what a path leads to; its first argument is the value, the others the computed keys.
    StorePath { root: Register, path: u16, args: ArgumentList },
    /// The next item of a list, range or text; `count` is the register that counts them.
    Next { dst: Register, iterable: Operand, count: Register, to: u32 },
    /// `+=`: adds to a value where it stands; to a list also a single value.
    AddAssign { dst: Register, src: Operand },
    /// Adds a value at the end of a list that nobody else holds yet.
    Push { list: Register, src: Operand },
    /// Asks a function: the arguments stand in registers from `base` on, which become its first.
    Call { callee: u16, base: Register, count: u8, dst: Register },
    /// Calls a closure held in a register.
    CallClosure { closure: Operand, base: Register, count: u8, dst: Register },
    /// Makes a closure that shares the registers of its arguments.
    Closure { dst: Register, function: u16, args: ArgumentList },
    /// A new shared variable with a value; the register holds its number.
    NewShared { dst: Register, src: Operand },
    /// Reads a shared variable.
    LoadShared { dst: Register, shared: Register },
    /// Writes a shared variable.
    StoreShared { shared: Register, src: Operand },
    /// A verb or built-in function that only answers.
    CallVerb { verb: u16, dst: Register, args: ArgumentList },
    /// A built-in function that changes the value it is called on.
    CallMutatingVerb { verb: u16, dst: Register, target: Register, args: ArgumentList },
    /// Throws dice: dice, purpose, of whom (or none), and the face from which dice count (or none).
    Roll { dst: Register, args: ArgumentList, counts: bool },
    /// Lets a side choose: side, question, options.
    Choose { dst: Register, args: ArgumentList },
    /// Reads a cell: the chart and its keys.
    ReadTable { dst: Register, args: ArgumentList },
    /// Goes on elsewhere where nobody reads the lines of the ruling.
    JumpIfUntraced { to: u32 },
    /// Ends the function.
    Return { src: Operand },
    /// Refuses, by the case that runs and, if `answered`, by the one that answered last: template, arguments.
    Refuse { args: ArgumentList, answered: bool },
    /// Notes how many outcomes have been named.
    MarkOutcomes { dst: Register },
    /// The outcomes named since a mark.
    OutcomesSince { dst: Register, mark: Register },
    /// A refusal from here on goes on elsewhere, with the cases that refused in `dst`.
    Try { dst: Register, to: u32 },
    /// Refusals end the procedure again.
    EndTry,
    /// Asks the driver to count what a closure can come to: closure, and the value whose chance is asked (or none for the mean).
    CountOutcomes { dst: Register, args: ArgumentList },
    /// Something that can't be done, found when the function was lowered.
    Fault { fault: u16 },
}

/// A step of a path that is set.
#[derive(Clone, Copy, Debug)]
pub enum PathStep {
    /// A field by name, by its number in the unit.
    Field(u16),
    /// A key worked out, by its number among the arguments.
    Key(u8),
}

/// A field by its name, with what it means of pieces, places, sides and sheets.
#[derive(Clone, Debug)]
pub struct FieldRef {
    /// The name.
    pub name: HashedText,
    /// The column of pieces.
    pub piece_column: Option<u16>,
    /// The column of places.
    pub place_column: Option<u16>,
    /// The column of sides between places.
    pub side_column: Option<u16>,
    /// The field of sheets.
    pub record_field: u16,
}

/// Where the arms of a switch begin.
#[derive(Clone, Debug, Default)]
pub struct SwitchTable {
    /// By value.
    pub arms: Vec<(Value, u32)>,
    /// By range: from, to (not included).
    pub ranges: Vec<(i64, i64, u32)>,
    /// What no arm names.
    pub default_target: u32,
}

/// What can't be done.
#[derive(Clone, Debug)]
pub struct StaticFault {
    /// The law.
    pub diagnostic_code: &'static str,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: String,
}

/// A function or closure, ready to run. Immutable, and shared by all threads.
#[derive(Clone, Debug, Default)]
pub struct CompiledFunction {
    /// Its name.
    pub name: String,
    /// The case it stands in; none for an expression typed in.
    pub case: Option<usize>,
    /// The question it answers: slot, and which answer of its chain; none for helpers and closures.
    pub answer_slot: Option<(usize, usize)>,
    /// The case that is cited for it: the one that brought the answer back, else its own.
    pub cited_case: Option<usize>,
    /// Where it stands in its file.
    pub span: Span,
    /// How many arguments it takes.
    pub arity: usize,
    /// How many registers it needs.
    pub registers: usize,
    /// Its operations.
    pub ops: Vec<Operation>,
    /// Where each of them stands in the text: line and column.
    pub positions: Vec<(u32, u32)>,
    /// Its constants.
    pub constants: Vec<Value>,
    /// Operands of operations that take several.
    pub operands: Vec<Operand>,
    /// Fields.
    pub fields: Vec<FieldRef>,
    /// The names of maps.
    pub map_shapes: Vec<Vec<HashedText>>,
    /// Paths that are set.
    pub paths: Vec<Vec<PathStep>>,
    /// Switches.
    pub switches: Vec<SwitchTable>,
    /// What can't be done.
    pub faults: Vec<StaticFault>,
    /// The units it calls and makes closures of, by their numbers in the program.
    pub callees: Vec<u32>,
    /// The registers still needed after an operation at which the machine may stop, as bits; found where somebody counts.
    pub live_registers: OnceLock<LiveRegisters>,
    /// Where the ways that part at an operation meet again; found where somebody reads the ruling.
    pub join_points: OnceLock<JoinPoints>,
    /// What all of it may do; found likewise.
    pub effects: OnceLock<OperationEffects>,
}

/// Where the ways that part at an operation meet again.
#[derive(Clone, Debug, Default)]
pub struct JoinPoint {
    /// The operation; one past the last where they meet only at the end of the function.
    pub join_op: u32,
    /// The registers that are set on some of the ways.
    pub written_registers: Vec<Register>,
    /// The ways: the operation with which each begins, the columns that may be written on it, and whether a rule may refuse there.
    pub branches: Vec<(u32, Vec<usize>, bool)>,
}

/// The joins of a unit.
#[derive(Clone, Debug, Default)]
pub struct JoinPoints {
    /// One after the other.
    pub points: Vec<JoinPoint>,
    /// By operation: which join the ways have that part there.
    pub point_of_branch: Vec<Option<u32>>,
    /// By operation: whether ways meet there.
    pub is_join: Vec<bool>,
}

/// What may be done beyond registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationEffects {
    /// The columns that may be written.
    pub written_columns: ColumnSet,
    /// Whether a rule may refuse.
    pub may_refuse: bool,
}

impl OperationEffects {
    /// Adds those of something else.
    pub fn union_with(&mut self, other: &OperationEffects) {
        self.written_columns.union_with(&other.written_columns);
        self.may_refuse |= other.may_refuse;
    }
}

/// Registers, as bits, by operation.
pub type LiveRegisters = FxHashMap<u32, Vec<u64>>;

impl CompiledFunction {
    /// The same in memory of its own: threads that run it don't wait for each other's counts.
    pub fn deep_clone(&self) -> CompiledFunction {
        CompiledFunction {
            constants: self.constants.iter().map(Value::deep_clone).collect(),
            fields: self.fields.iter().map(|field| FieldRef { name: field.name.deep_clone(), ..field.clone() }).collect(),
            map_shapes: self.map_shapes.iter().map(|names| names.iter().map(HashedText::deep_clone).collect()).collect(),
            ..self.clone()
        }
    }

    /// The charts that it reads by name.
    pub fn table_names(&self) -> impl Iterator<Item = &str> {
        let constant = |operand: &Operand| (operand.register().is_none()).then(|| &self.constants[(operand.0 & !CONSTANT_BIT) as usize]);
        self.ops.iter().filter_map(move |op| match op {
            Operation::ReadTable { args, .. } => self.args(*args).first().and_then(constant)?.as_text().map(HashedText::as_str),
            _ => None,
        })
    }

    /// The operands of some arguments.
    #[inline]
    pub fn args(&self, args: ArgumentList) -> &[Operand] {
        &self.operands[args.start as usize..args.start as usize + args.count as usize]
    }
}
