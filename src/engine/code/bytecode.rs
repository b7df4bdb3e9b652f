//! Bytecode of a script function: operations on registers, with every name resolved.

pub use crate::code::flow::Register;
use crate::code::flow::{DataFlow, LiveRegisters, SkippedCondition, VariableScope};
use crate::code::throw_verb::ThrowVerb;
use crate::complaint::{DiagnosticCode, Message, Remedy, Span};
use crate::situation::column_set::ColumnSet;
use crate::situation::value::{HashedText, Value};
use std::sync::OnceLock;

/// An input of an operation: a register, or an index into the function's constants if [`CONSTANT_BIT`] is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand(pub u16);

/// Marks an [`Operand`] as a constant.
pub const CONSTANT_BIT: u16 = 0x8000;

impl Operand {
    /// Returns the register, or `None` for a constant.
    #[inline]
    pub fn register(self) -> Option<Register> {
        (self.0 & CONSTANT_BIT == 0).then_some(self.0)
    }
}

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
    /// `value in list`, with the list as the first operand
    Range,
    /// `a..=b`
    RangeInclusive,
}

/// A variable-length argument list: a range of [`CompiledFunction::operands`].
#[derive(Clone, Copy, Debug)]
pub struct ArgumentList {
    /// Index of the first operand.
    pub start: u32,
    /// Number of operands.
    pub count: u8,
}

/// One operation. `to` is the index of the jump target; `dst` is the register that receives the result.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // dst, src, to and args mean the same everywhere
pub enum Operation {
    /// Copies a value into a register.
    Copy { dst: Register, src: Operand },
    /// Moves a value out of a register that is not read again.
    Move { dst: Register, src: Register },
    /// `!`
    Not { dst: Register, src: Operand },
    /// `-`
    Neg { dst: Register, src: Operand },
    /// Applies a binary operator.
    Binary {
        op: BinaryOperator,
        dst: Register,
        a: Operand,
        b: Operand,
    },
    /// Jumps unconditionally.
    Jump { to: u32 },
    /// Jumps if the flag equals `expected`.
    JumpIf {
        flag: Operand,
        expected: bool,
        to: u32,
    },
    /// Jumps if the result of the comparison equals `expected`.
    Compare {
        op: BinaryOperator,
        expected: bool,
        a: Operand,
        b: Operand,
        to: u32,
    },
    /// Jumps if the value is not `()`.
    JumpIfSome { src: Operand, to: u32 },
    /// Jumps to the target that a [`SwitchTable`] gives for the value.
    Switch { src: Operand, table: u16 },
    /// Builds a list.
    List { dst: Register, args: ArgumentList },
    /// Builds a map whose keys are one of [`CompiledFunction::map_shapes`].
    Map {
        dst: Register,
        shape: u16,
        args: ArgumentList,
    },
    /// Builds a text by concatenating the arguments.
    Interpolate { dst: Register, args: ArgumentList },
    /// Reads a named field.
    Get {
        dst: Register,
        object: Operand,
        field: u16,
    },
    /// Reads a list item by index, or a field whose name is computed at run time.
    Index {
        dst: Register,
        object: Operand,
        key: Operand,
    },
    /// Assigns to the end of a path. The first argument is the value; the others are the computed keys.
    StorePath {
        root: Register,
        path: u16,
        args: ArgumentList,
    },
    /// Loads the next item of a list, range or text; jumps at the end. `count` is the register of the loop counter.
    Next {
        dst: Register,
        iterable: Operand,
        count: Register,
        to: u32,
    },
    /// `+=` in place. A list also accepts a single value, which is appended.
    AddAssign { dst: Register, src: Operand },
    /// Appends to a list that has no other owner yet.
    Push { list: Register, src: Operand },
    /// Calls a function. The arguments are in the registers from `base` on, which become the first registers of the callee.
    Call {
        callee: u16,
        base: Register,
        count: u8,
        dst: Register,
    },
    /// Calls a closure value.
    CallClosure {
        closure: Operand,
        base: Register,
        count: u8,
        dst: Register,
    },
    /// Creates a closure that captures the shared variables in its argument registers.
    Closure {
        dst: Register,
        function: u16,
        args: ArgumentList,
    },
    /// Creates a shared variable with an initial value; `dst` receives its id.
    NewShared { dst: Register, src: Operand },
    /// Reads a shared variable.
    LoadShared { dst: Register, shared: Register },
    /// Writes a shared variable.
    StoreShared { shared: Register, src: Operand },
    /// Calls a verb or built-in function that changes no argument.
    CallVerb {
        verb: u16,
        dst: Register,
        args: ArgumentList,
    },
    /// Calls a built-in function that mutates its receiver.
    CallMutatingVerb {
        verb: u16,
        dst: Register,
        target: Register,
        args: ArgumentList,
    },
    /// Requests a throw: dice, for `hits` the lowest face that counts, purpose, and an optional owner.
    Roll {
        dst: Register,
        args: ArgumentList,
        verb: ThrowVerb,
    },
    /// Moves the cards that were drawn, which are in `dst`: the arguments of the verb that drew them.
    TakeDrawn {
        dst: Register,
        args: ArgumentList,
        verb: ThrowVerb,
    },
    /// Requests a choice: side, question, options.
    Choose { dst: Register, args: ArgumentList },
    /// Reads a table cell: table and keys.
    ReadTable { dst: Register, args: ArgumentList },
    /// Jumps if the run records no lines.
    JumpIfUntraced { to: u32 },
    /// Returns from the function.
    Return { src: Operand },
    /// Refuses with a template and its arguments. Cites the running case and the cases whose indices are listed in `cases`.
    Refuse { args: ArgumentList, cases: Operand },
    /// Stores the number of outcomes recorded so far.
    MarkOutcomes { dst: Register },
    /// Collects the outcomes recorded since a mark.
    OutcomesSince { dst: Register, mark: Register },
    /// Installs a refusal handler: a refusal jumps to `to` with the refusing cases in `dst`.
    Try { dst: Register, to: u32 },
    /// Removes the innermost refusal handler.
    EndTry,
    /// Asks the driver for the outcome distribution of a closure: the probability of a value, or the mean if the value is `()`.
    CountOutcomes { dst: Register, args: ArgumentList },
    /// Fails with an error found at compile time.
    Fault { fault: u16 },
}

/// What an operation does, as one fact of several.
#[derive(Clone, Copy, Debug)]
pub enum OperationFact {
    Reads(Operand),
    /// It always writes a register, without reading it.
    Writes(Register),
    /// It changes a register that it also reads, or writes it only on one of its paths.
    Updates(Register),
    /// It may continue at this operation.
    Target(u32),
    /// It may continue at the next operation.
    Continues,
    /// It leaves the function with a result.
    Returns,
    /// The machine may stop at it.
    MayStop,
    /// From the next operation on, a refusal continues at this operation.
    Catches(u32),
    /// The innermost refusal handler ends.
    EndsCatching,
    /// It calls a function, or creates a closure of one: an index into [`CompiledFunction::callees`].
    Calls(u16),
    /// It calls a verb with these arguments (without the receiver, if it changes that).
    CallsVerb(u16, ArgumentList),
    /// It reads the table that the first argument names.
    ReadsTable(ArgumentList),
    Refuses,
    /// It writes a variable that closures share.
    WritesShared,
    /// It moves cards of the stock that the first argument names.
    WritesStock(ArgumentList),
    /// It writes the fields of a path, which may be those of a sheet.
    WritesPath(u16),
}

/// A step of an assignment path.
#[derive(Clone, Copy, Debug)]
pub enum PathStep {
    /// A named field: index into [`CompiledFunction::fields`].
    Field(u16),
    /// A computed key: index into the operation's arguments.
    Key(u8),
}

/// A field name resolved for each type of receiver.
#[derive(Clone, Debug)]
pub struct FieldRef {
    /// The field name.
    pub name: HashedText,
    /// Column of pieces with this name.
    pub piece_column: Option<u16>,
    /// Column of places with this name.
    pub place_column: Option<u16>,
    /// Column of sides between places with this name.
    pub side_column: Option<u16>,
    /// Number of the sheet field with this name.
    pub record_field: u16,
}

/// The jump targets of a switch.
#[derive(Clone, Debug, Default)]
pub struct SwitchTable {
    /// Targets by constant.
    pub arms: Vec<(Value, u32)>,
    /// Targets by range.
    pub ranges: Vec<SwitchRange>,
    /// Target if no arm matches.
    pub default_target: u32,
}

/// The jump target of a range of numbers.
#[derive(Clone, Copy, Debug)]
pub struct SwitchRange {
    /// The first number.
    pub start: i64,
    /// The first number after it.
    pub end: i64,
    pub target: u32,
}

/// An error in a script, with advice.
#[derive(Clone, Debug)]
pub struct StaticFault {
    pub diagnostic_code: DiagnosticCode,
    /// What is wrong.
    pub message: Message,
    /// How to fix it.
    pub help: String,
    /// What helps on the surface that shows it.
    pub remedy: Option<Remedy>,
}

/// A compiled function or closure. It is immutable and shared by all threads.
#[derive(Clone, Debug, Default)]
pub struct CompiledFunction {
    /// Function name.
    pub name: String,
    /// Index of the case that declares it; `None` for a typed-in expression.
    pub case: Option<usize>,
    /// Slot and position in the slot's chain for an answer; `None` for helpers and closures.
    pub answer_slot: Option<(usize, usize)>,
    /// The case cited for it: the case that reinstated the answer, if any, else `case`.
    pub cited_case: Option<usize>,
    /// Its position in the file.
    pub span: Span,
    /// Number of parameters.
    pub arity: usize,
    /// Size of its frame in registers.
    pub registers: usize,
    pub ops: Vec<Operation>,
    /// Line and column of each operation.
    pub positions: Vec<(u32, u32)>,
    /// Constant pool.
    pub constants: Vec<Value>,
    /// Operand pool of the [`ArgumentList`]s.
    pub operands: Vec<Operand>,
    /// Field references.
    pub fields: Vec<FieldRef>,
    /// Key lists of map literals.
    pub map_shapes: Vec<Vec<HashedText>>,
    /// Assignment paths.
    pub paths: Vec<Vec<PathStep>>,
    pub switches: Vec<SwitchTable>,
    /// Errors found at compile time.
    pub faults: Vec<StaticFault>,
    /// Program-wide numbers of the functions it calls and of its closures.
    pub callees: Vec<u32>,
    /// The variables, and the operations in which each is in scope. An outer one comes before those that it encloses.
    pub variables: Vec<VariableScope>,
    /// The conditions of what is done, or else nothing.
    pub skipped_conditions: Vec<SkippedCondition>,
    /// For each block of statements, the inner ones first: where its statements begin, and its end.
    pub blocks: Vec<Box<[u32]>>,
    /// Live registers. Computed lazily, for state merging.
    pub live_registers: OnceLock<LiveRegisters>,
    /// The registers that hold the numbers of shared variables. Computed lazily, for state merging.
    pub shared_registers: OnceLock<Vec<Register>>,
    /// How values flow through its operations. Computed lazily, for provenance tracking.
    pub data_flow: OnceLock<DataFlow>,
    /// Combined effects of the function and its callees. Computed lazily, for provenance tracking.
    pub effects: OnceLock<OperationEffects>,
}

/// Side effects beyond registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationEffects {
    /// The columns that may be written.
    pub written_columns: ColumnSet,
    /// Whether a rule may refuse.
    pub may_refuse: bool,
}

impl OperationEffects {
    /// Adds the effects of `other`.
    pub fn union_with(&mut self, other: &OperationEffects) {
        self.written_columns.union_with(&other.written_columns);
        self.may_refuse |= other.may_refuse;
    }
}

impl CompiledFunction {
    /// Makes a deep copy, which avoids contention on shared reference counts between threads.
    pub fn deep_clone(&self) -> CompiledFunction {
        CompiledFunction {
            constants: self.constants.iter().map(Value::deep_clone).collect(),
            fields: self
                .fields
                .iter()
                .map(|field| FieldRef {
                    name: field.name.deep_clone(),
                    ..field.clone()
                })
                .collect(),
            map_shapes: self
                .map_shapes
                .iter()
                .map(|names| names.iter().map(HashedText::deep_clone).collect())
                .collect(),
            ..self.clone()
        }
    }

    /// Names of the tables that the function reads by a constant name.
    pub fn table_names(&self) -> impl Iterator<Item = &str> {
        let mut names = Vec::new();
        for op in &self.ops {
            self.operation_facts(*op, &mut |fact| {
                if let OperationFact::ReadsTable(args) = fact {
                    names.extend(self.text_constant(args, 0).map(HashedText::as_str));
                }
            });
        }
        names.into_iter()
    }

    pub fn text_constant(&self, args: ArgumentList, index: usize) -> Option<&HashedText> {
        let operand = self.args(args).get(index)?;
        if operand.register().is_some() {
            None
        } else {
            self.constants[(operand.0 & !CONSTANT_BIT) as usize].as_text()
        }
    }

    /// Returns the name of the variable that is in a register at an operation, if one is.
    pub fn variable_at(&self, op: u32, register: Register) -> Option<&str> {
        let mut scopes = self.variables.iter().rev();
        scopes
            .find(|scope| scope.register == register && scope.ops.contains(&op))
            .map(|scope| scope.name.as_str())
    }

    /// Passes each fact about an operation to `visit`. This is the only table of what operations do, apart from the loop that runs them.
    pub fn operation_facts(&self, op: Operation, visit: &mut impl FnMut(OperationFact)) {
        use OperationFact::*;
        let reads_all = |args: ArgumentList, visit: &mut dyn FnMut(OperationFact)| {
            self.args(args).iter().for_each(|o| visit(Reads(*o)))
        };
        let window = |base: Register, count: u8, visit: &mut dyn FnMut(OperationFact)| {
            (base..base + u16::from(count)).for_each(|register| visit(Reads(Operand(register))));
        };
        match op {
            Operation::Copy { dst, src }
            | Operation::Not { dst, src }
            | Operation::Neg { dst, src }
            | Operation::NewShared { dst, src } => {
                [Reads(src), Writes(dst), Continues]
                    .into_iter()
                    .for_each(visit);
            }
            Operation::Move { dst, src } | Operation::LoadShared { dst, shared: src } => {
                [Reads(Operand(src)), Writes(dst), Continues]
                    .into_iter()
                    .for_each(visit);
            }
            Operation::Binary { dst, a, b, .. }
            | Operation::Index {
                dst,
                object: a,
                key: b,
            } => {
                [Reads(a), Reads(b), Writes(dst), Continues]
                    .into_iter()
                    .for_each(visit);
            }
            Operation::Jump { to } => visit(Target(to)),
            Operation::JumpIf { flag: src, to, .. } | Operation::JumpIfSome { src, to } => {
                [Reads(src), Target(to), Continues]
                    .into_iter()
                    .for_each(visit);
            }
            Operation::Compare { a, b, to, .. } => [Reads(a), Reads(b), Target(to), Continues]
                .into_iter()
                .for_each(visit),
            Operation::Switch { src, table } => {
                let switch = &self.switches[table as usize];
                visit(Reads(src));
                let targets = switch
                    .arms
                    .iter()
                    .map(|(_, to)| *to)
                    .chain(switch.ranges.iter().map(|range| range.target));
                targets
                    .chain([switch.default_target])
                    .for_each(|to| visit(Target(to)));
            }
            Operation::List { dst, args }
            | Operation::Map { dst, args, .. }
            | Operation::Interpolate { dst, args } => {
                reads_all(args, visit);
                [Writes(dst), Continues].into_iter().for_each(visit);
            }
            Operation::Get { dst, object, .. } => [Reads(object), Writes(dst), Continues]
                .into_iter()
                .for_each(visit),
            Operation::StorePath { root, path, args } => {
                reads_all(args, visit);
                [
                    Reads(Operand(root)),
                    Updates(root),
                    WritesPath(path),
                    Continues,
                ]
                .into_iter()
                .for_each(visit);
            }
            // The item is written only if the loop continues.
            Operation::Next {
                dst,
                iterable,
                count,
                to,
            } => {
                [
                    Reads(iterable),
                    Reads(Operand(count)),
                    Updates(dst),
                    Updates(count),
                    Target(to),
                    Continues,
                ]
                .into_iter()
                .for_each(visit);
            }
            Operation::AddAssign { dst, src } | Operation::Push { list: dst, src } => {
                [Reads(Operand(dst)), Reads(src), Updates(dst), Continues]
                    .into_iter()
                    .for_each(visit);
            }
            Operation::Call {
                callee,
                base,
                count,
                dst,
            } => {
                window(base, count, visit);
                [Writes(dst), Calls(callee), MayStop, Continues]
                    .into_iter()
                    .for_each(visit);
            }
            Operation::CallClosure {
                closure,
                base,
                count,
                dst,
            } => {
                window(base, count, visit);
                [Reads(closure), Writes(dst), MayStop, Continues]
                    .into_iter()
                    .for_each(visit);
            }
            // A call of the closure counts where the closure is created.
            Operation::Closure {
                dst,
                function,
                args,
            } => {
                reads_all(args, visit);
                [Writes(dst), Calls(function), Continues]
                    .into_iter()
                    .for_each(visit);
            }
            Operation::StoreShared { shared, src } => {
                [Reads(Operand(shared)), Reads(src), WritesShared, Continues]
                    .into_iter()
                    .for_each(visit);
            }
            Operation::CallVerb { verb, dst, args } => {
                reads_all(args, visit);
                [Writes(dst), CallsVerb(verb, args), Continues]
                    .into_iter()
                    .for_each(visit);
            }
            Operation::CallMutatingVerb {
                verb,
                dst,
                target,
                args,
            } => {
                reads_all(args, visit);
                let facts = [
                    Reads(Operand(target)),
                    Updates(target),
                    Writes(dst),
                    CallsVerb(verb, args),
                    Continues,
                ];
                facts.into_iter().for_each(visit);
            }
            Operation::Roll { dst, args, .. }
            | Operation::Choose { dst, args }
            | Operation::CountOutcomes { dst, args } => {
                reads_all(args, visit);
                [Writes(dst), MayStop, Continues]
                    .into_iter()
                    .for_each(visit);
            }
            Operation::TakeDrawn { dst, args, .. } => {
                reads_all(args, visit);
                [
                    Reads(Operand(dst)),
                    Updates(dst),
                    WritesStock(args),
                    Continues,
                ]
                .into_iter()
                .for_each(visit);
            }
            Operation::ReadTable { dst, args } => {
                reads_all(args, visit);
                [Writes(dst), ReadsTable(args), Continues]
                    .into_iter()
                    .for_each(visit);
            }
            Operation::JumpIfUntraced { to } => [Target(to), Continues].into_iter().for_each(visit),
            Operation::Return { src } => [Reads(src), Returns].into_iter().for_each(visit),
            Operation::Refuse { args, cases } => {
                reads_all(args, visit);
                [Reads(cases), Refuses].into_iter().for_each(visit);
            }
            Operation::MarkOutcomes { dst } => [Writes(dst), Continues].into_iter().for_each(visit),
            Operation::OutcomesSince { dst, mark } => {
                [Reads(Operand(mark)), Writes(dst), Continues]
                    .into_iter()
                    .for_each(visit)
            }
            Operation::Try { dst, to } => [Writes(dst), Catches(to), Target(to), Continues]
                .into_iter()
                .for_each(visit),
            Operation::EndTry => [EndsCatching, Continues].into_iter().for_each(visit),
            Operation::Fault { .. } => {}
        }
    }

    /// Passes each successor of an operation to `visit`. A return leads to the number of operations; a refusal or fault has no successor.
    pub fn for_each_successor(&self, index: usize, visit: &mut impl FnMut(usize)) {
        self.operation_facts(self.ops[index], &mut |fact| match fact {
            OperationFact::Target(to) => visit(to as usize),
            OperationFact::Continues => visit(index + 1),
            OperationFact::Returns => visit(self.ops.len()),
            _ => {}
        });
    }

    #[inline]
    pub fn args(&self, args: ArgumentList) -> &[Operand] {
        &self.operands[args.start as usize..args.start as usize + args.count as usize]
    }
}
