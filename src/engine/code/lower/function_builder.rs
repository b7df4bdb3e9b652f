//! The function being compiled: registers, variables in scope, constants.

use super::consulted_cases::ConsultedCases;
use crate::code::bytecode::{
    ArgumentList, CONSTANT_BIT, CompiledFunction, Operand, Operation, Register, StaticFault,
};
use crate::code::flow::{SkippedCondition, VariableScope};
use crate::code::program::Program;
use crate::complaint::{Complaint, Complaints, DiagnosticCode, Message, Place};
use crate::data::case::Case;
use crate::situation::value::{HashedText, Value};
use crate::syntax::tree::{Expression, SourcePosition, Statement};
use std::collections::BTreeSet;

/// Maximum number of registers of a function.
const MAX_REGISTERS: usize = 2_000;

/// Compilation failed. The complaints are in the [`FunctionBuilder`]; the first error ends the compilation.
#[derive(Debug)]
pub struct LoweringError;

/// The result of a compilation step.
pub type LoweringResult<T = ()> = Result<T, LoweringError>;

/// A variable in scope.
#[derive(Clone, Debug)]
pub struct LocalVariable {
    pub name: String,
    /// The register of its value, or of its id if it is shared with closures.
    pub register: Register,
    /// Whether it is shared with closures.
    pub shared: bool,
    pub constant: bool,
    /// The cases that gave its value.
    pub consulted: ConsultedCases,
}

/// A loop being compiled.
#[derive(Debug, Default)]
pub struct LoopContext {
    /// Jumps to the next iteration, to be patched.
    pub continue_jumps: Vec<usize>,
    /// Jumps out of the loop, to be patched.
    pub break_jumps: Vec<usize>,
    /// The register for the value of the loop.
    pub dst: Register,
}

/// An inlined closure being compiled, whose `return` jumps to its end.
#[derive(Debug)]
pub struct InlinedClosure {
    /// Jumps to its end, to be patched.
    pub return_jumps: Vec<usize>,
    /// The register for its result.
    pub dst: Register,
    /// Number of loops around it, which its `break` and `continue` cannot leave.
    pub outer_loops: usize,
}

pub struct FunctionBuilder<'a> {
    pub program: &'a Program,
    /// Index of the case.
    pub case: Option<usize>,
    /// The answer the function works for: slot and depth.
    pub answer_slot: Option<(usize, usize)>,
    /// The function built so far.
    pub function: CompiledFunction,
    /// Variables in scope, the innermost last.
    pub variables: Vec<LocalVariable>,
    /// Names of variables shared with closures.
    pub shared_names: BTreeSet<String>,
    /// Enclosing loops, the innermost last.
    pub loops: Vec<LoopContext>,
    /// Enclosing inlined closures, the innermost last.
    pub inlined_closures: Vec<InlinedClosure>,
    /// Copies of the arguments, for `prior()`.
    pub original_args: Vec<Operand>,
    /// Errors found so far.
    pub complaints: Complaints,
    /// Helpers whose consulted cases are being collected, the innermost last.
    pub open_helpers: Vec<usize>,
    next_register: usize,
    /// Source position of the code being compiled.
    pub position: SourcePosition,
}

impl<'a> FunctionBuilder<'a> {
    /// Creates a builder for an empty function.
    pub fn new(
        program: &'a Program,
        case: Option<usize>,
        answer_slot: Option<(usize, usize)>,
    ) -> FunctionBuilder<'a> {
        FunctionBuilder {
            program,
            case,
            answer_slot,
            function: CompiledFunction {
                case,
                ..CompiledFunction::default()
            },
            variables: Vec::new(),
            shared_names: BTreeSet::new(),
            loops: Vec::new(),
            inlined_closures: Vec::new(),
            original_args: Vec::new(),
            complaints: Complaints::default(),
            open_helpers: Vec::new(),
            next_register: 0,
            position: (1, 1),
        }
    }

    pub fn case_file(&self) -> Option<&'a Case> {
        self.case.map(|case| &*self.program.ruleset.cases[case])
    }

    /// Sets the source position of the operations that follow. Ignores a position of (0, 0).
    pub fn set_position(&mut self, position: SourcePosition) {
        if position != (0, 0) {
            self.position = position;
        }
    }

    /// Appends an operation and returns its index.
    pub fn emit(&mut self, op: Operation) -> usize {
        self.function.ops.push(op);
        self.function.positions.push(self.position);
        self.function.ops.len() - 1
    }

    /// Returns the index of the next operation.
    pub fn next_op(&self) -> u32 {
        self.function.ops.len() as u32
    }

    /// Sets the target of a jump to the next operation.
    pub fn patch_jump(&mut self, jump: usize) {
        self.patch_jump_to(jump, self.next_op());
    }

    /// Notes that the operations from `first` to `end` are a condition of what lies between it and the next operation.
    pub fn note_skipped_condition(&mut self, first: usize, end: usize) {
        let after = self.next_op();
        let ops = first as u32..end as u32;
        let conditions = &mut self.function.skipped_conditions;
        conditions.push(SkippedCondition { ops, after });
    }

    /// Sets the target of a jump.
    pub fn patch_jump_to(&mut self, jump: usize, index: u32) {
        use Operation::*;
        match &mut self.function.ops[jump] {
            Jump { to } | JumpIf { to, .. } | Compare { to, .. } | JumpIfSome { to, .. } => {
                *to = index
            }
            Next { to, .. } | JumpIfUntraced { to } | Try { to, .. } => *to = index,
            // The others are named, so that the compiler asks about a new one.
            Copy { .. }
            | Move { .. }
            | Not { .. }
            | Neg { .. }
            | Binary { .. }
            | Switch { .. }
            | List { .. }
            | Map { .. } => {}
            Interpolate { .. }
            | Get { .. }
            | Index { .. }
            | StorePath { .. }
            | AddAssign { .. }
            | Push { .. }
            | Call { .. } => {}
            CallClosure { .. }
            | Closure { .. }
            | NewShared { .. }
            | LoadShared { .. }
            | StoreShared { .. }
            | CallVerb { .. } => {}
            CallMutatingVerb { .. }
            | Roll { .. }
            | TakeDrawn { .. }
            | Choose { .. }
            | ReadTable { .. }
            | Return { .. }
            | Refuse { .. } => {}
            MarkOutcomes { .. }
            | OutcomesSince { .. }
            | EndTry
            | CountOutcomes { .. }
            | Fault { .. } => {}
        }
    }

    /// Allocates a register.
    pub fn alloc_register(&mut self) -> LoweringResult<Register> {
        self.alloc_registers(1)
    }

    /// Allocates consecutive registers and returns the first.
    pub fn alloc_registers(&mut self, count: usize) -> LoweringResult<Register> {
        let first = self.next_register;
        self.next_register += count;
        self.function.registers = self.function.registers.max(self.next_register);
        if self.next_register > MAX_REGISTERS {
            return self.fail(
                "this function keeps too many values at once",
                "make functions of its parts",
            );
        }
        Ok(first as Register)
    }

    /// Returns the number of registers in use.
    pub fn register_mark(&self) -> usize {
        self.next_register
    }

    /// Frees all registers from `top` on.
    pub fn free_registers_to(&mut self, top: usize) {
        self.next_register = top;
    }

    /// Returns a text of the script; the label of a place by the name of the place.
    pub fn named(&self, text: &str) -> HashedText {
        HashedText::from(&*self.program.ruleset.game.places.name_of(text))
    }

    /// Returns the operand of a constant, adding it to the pool if needed.
    pub fn constant_operand(&mut self, value: Value) -> Operand {
        let existing =
            self.function.constants.iter().position(|constant| {
                *constant == value && constant.type_name() == value.type_name()
            });
        let index = existing.unwrap_or_else(|| {
            self.function.constants.push(value);
            self.function.constants.len() - 1
        });
        Operand(index as u16 | CONSTANT_BIT)
    }

    /// Adds operands to the pool and returns their range.
    pub fn argument_list(&mut self, operands: &[Operand]) -> LoweringResult<ArgumentList> {
        let from = self.function.operands.len() as u32;
        let Ok(count) = u8::try_from(operands.len()) else {
            return self.fail(
                "this list has too many items",
                "one list has at most 255; build it with a loop, or make it a table",
            );
        };
        self.function.operands.extend_from_slice(operands);
        Ok(ArgumentList { start: from, count })
    }

    /// Returns the index of a field reference, adding it if needed.
    pub fn field_ref(&mut self, name: &str) -> LoweringResult<u16> {
        if let Some(existing) = self
            .function
            .fields
            .iter()
            .position(|field| field.name.as_str() == name)
        {
            return Ok(existing as u16);
        }
        let Some(field) = self
            .program
            .vocabulary
            .field_ref(&HashedText::from(name), &self.program.ruleset.game)
        else {
            return self.fail(
                "the sheets of these rules have too many fields",
                "give several things one name",
            );
        };
        self.function.fields.push(field);
        Ok(self.function.fields.len() as u16 - 1)
    }

    /// Returns the index of a callee, adding it if needed.
    pub fn function_ref(&mut self, number: u32) -> u16 {
        let existing = self
            .function
            .callees
            .iter()
            .position(|function| *function == number);
        existing.unwrap_or_else(|| {
            self.function.callees.push(number);
            self.function.callees.len() - 1
        }) as u16
    }

    /// Emits an operation that fails with this error when it runs.
    pub fn emit_fault(
        &mut self,
        code: DiagnosticCode,
        message: impl Into<Message>,
        help: impl Into<String>,
    ) {
        self.function.faults.push(StaticFault {
            diagnostic_code: code,
            message: message.into(),
            help: help.into(),
            remedy: None,
        });
        let fault = self.function.faults.len() as u16 - 1;
        self.emit(Operation::Fault { fault });
    }

    /// Records an error and ends the compilation.
    pub fn fail<T>(&mut self, message: impl Into<Message>, help: &str) -> LoweringResult<T> {
        let complaint = match self.case_file() {
            Some(case) => case.complaint(
                DiagnosticCode::Script,
                crate::syntax::parse::word_span(self.position, case),
                message,
            ),
            None => Complaint::new(
                DiagnosticCode::Script,
                Place::whole_file("(expression)"),
                message,
            ),
        };
        self.complaints.push(complaint.with_help(help));
        Err(LoweringError)
    }

    /// Finds a variable in scope by name.
    pub fn find_variable(&self, name: &str) -> Option<&LocalVariable> {
        self.variables
            .iter()
            .rev()
            .find(|variable| variable.name == name)
    }

    /// Declares a variable whose value is in a register. `value` is the expression that gave it, if there is one.
    pub fn declare_variable(
        &mut self,
        name: &str,
        register: Register,
        constant: bool,
        value: Option<&Expression>,
    ) -> LoweringResult {
        let consulted = value
            .map(|value| self.consulted_cases(value, None))
            .unwrap_or_default();
        let mut register = register;
        let shared = self.shared_names.contains(name);
        if shared {
            let number = self.alloc_register()?;
            self.emit(Operation::NewShared {
                dst: number,
                src: Operand(register),
            });
            register = number;
        }
        self.variables.push(LocalVariable {
            name: name.into(),
            register,
            shared,
            constant,
            consulted,
        });
        let ops = self.next_op()..u32::MAX;
        self.function.variables.push(VariableScope {
            name: name.into(),
            register,
            ops,
            is_let: false,
        });
        Ok(())
    }

    /// Ends the scopes of all variables from one on.
    pub fn end_scopes(&mut self, from: usize) {
        let end = self.next_op();
        let ended = self
            .variables
            .drain(from.min(self.variables.len())..)
            .count();
        let open = self
            .function
            .variables
            .iter_mut()
            .rev()
            .filter(|scope| scope.ops.end == u32::MAX);
        open.take(ended).for_each(|scope| scope.ops.end = end);
    }

    /// Compiles a function. Its parameters are in the first registers.
    pub fn lower_function(
        mut self,
        params: &[String],
        body: &[Statement],
    ) -> Result<CompiledFunction, Complaints> {
        self.shared_names = super::captures::captured_variables(body);
        self.function.arity = params.len();
        match self.lower_body(params, body) {
            Ok(()) => {}
            Err(LoweringError) => return Err(self.complaints),
        }
        Ok(self.function)
    }

    fn lower_body(&mut self, params: &[String], body: &[Statement]) -> LoweringResult {
        let first = self.alloc_registers(params.len())?;
        if super::captures::calls_plain_prior(body) {
            // `prior()` passes the original arguments, even if the parameters are reassigned.
            for (index, _) in params.iter().enumerate() {
                let copy = self.alloc_register()?;
                self.emit(Operation::Copy {
                    dst: copy,
                    src: Operand(first + index as Register),
                });
                self.original_args.push(Operand(copy));
            }
        }
        for (index, name) in params.iter().enumerate() {
            self.declare_variable(name, first + index as Register, false, None)?;
        }
        let dst = self.alloc_register()?;
        self.lower_block(body, Some(dst))?;
        self.emit(Operation::Return { src: Operand(dst) });
        Ok(())
    }
}
