//! A unit while it is made: its registers, the variables in sight, its constants.

use crate::code::bytecode::{ArgumentList, CONSTANT_BIT, CompiledFunction, Operand, Operation, Register, StaticFault};
use crate::code::program::Program;
use crate::complaint::{Complaint, Complaints, Place};
use crate::data::case::Case;
use crate::situation::value::{HashedText, Value};
use crate::syntax::tree::{SourcePosition, Statement};
use std::collections::BTreeSet;

/// Registers of one function, at most.
const MAX_REGISTERS: usize = 2_000;

/// Why something can't be lowered; complaints are collected as they are met, and the work goes on no further.
#[derive(Debug)]
pub struct LoweringError;

/// What lowering gives.
pub type LoweringResult<T = ()> = Result<T, LoweringError>;

/// A variable in sight.
#[derive(Clone, Debug)]
pub struct LocalVariable {
    /// Its name.
    pub name: String,
    /// Its register; where closures share it, the register holds the number of the shared one.
    pub register: Register,
    /// Whether closures share it.
    pub shared: bool,
    /// Whether it may not be set.
    pub constant: bool,
}

/// A loop being lowered: where `continue` and `break` go, and the value of a `break`.
#[derive(Debug, Default)]
pub struct LoopContext {
    /// Jumps to what ends a round.
    pub continue_jumps: Vec<usize>,
    /// Jumps out of it.
    pub break_jumps: Vec<usize>,
    /// The register for the value it comes to.
    pub dst: Register,
}

/// A closure laid out in place: its `return` goes to its end.
#[derive(Debug)]
pub struct InlinedClosure {
    /// Jumps to its end.
    pub return_jumps: Vec<usize>,
    /// The register for what it comes to.
    pub dst: Register,
    /// Loops round it are none of its own.
    pub outer_loops: usize,
}

/// A unit being made.
pub struct FunctionBuilder<'a> {
    /// The program it belongs to.
    pub program: &'a Program,
    /// Its case.
    pub case: Option<usize>,
    /// The answer it works for: slot and depth.
    pub answer_slot: Option<(usize, usize)>,
    /// What is made of it.
    pub function: CompiledFunction,
    /// Variables in sight, the innermost last.
    pub variables: Vec<LocalVariable>,
    /// Names that closures share.
    pub shared_names: BTreeSet<String>,
    /// Loops round what is being lowered.
    pub loops: Vec<LoopContext>,
    /// Closures laid out round it.
    pub inlined_closures: Vec<InlinedClosure>,
    /// Arguments as they came, for `prior()`.
    pub original_args: Vec<Operand>,
    /// What was wrong.
    pub complaints: Complaints,
    next_register: usize,
    /// Where what is being lowered stands in the text.
    pub position: SourcePosition,
}

impl<'a> FunctionBuilder<'a> {
    /// Begins a unit.
    pub fn new(program: &'a Program, case: Option<usize>, within: Option<(usize, usize)>) -> FunctionBuilder<'a> {
        FunctionBuilder {
            program,
            case,
            answer_slot: within,
            function: CompiledFunction { case, ..CompiledFunction::default() },
            variables: Vec::new(),
            shared_names: BTreeSet::new(),
            loops: Vec::new(),
            inlined_closures: Vec::new(),
            original_args: Vec::new(),
            complaints: Complaints::default(),
            next_register: 0,
            position: (1, 1),
        }
    }

    /// The case it stands in.
    pub fn case_file(&self) -> Option<&'a Case> {
        self.case.map(|case| &*self.program.ruleset.cases[case])
    }

    /// Notes where what follows stands in the text.
    pub fn set_position(&mut self, spot: SourcePosition) {
        if spot != (0, 0) {
            self.position = spot;
        }
    }

    /// Adds an operation, and returns its place.
    pub fn emit(&mut self, op: Operation) -> usize {
        self.function.ops.push(op);
        self.function.positions.push(self.position);
        self.function.ops.len() - 1
    }

    /// The place of the operation that comes next.
    pub fn next_op(&self) -> u32 {
        self.function.ops.len() as u32
    }

    /// Lets a jump go to what comes next.
    pub fn patch_jump(&mut self, jump: usize) {
        let here = self.next_op();
        match &mut self.function.ops[jump] {
            Operation::Jump { to }
            | Operation::JumpIf { to, .. }
            | Operation::Compare { to, .. }
            | Operation::JumpIfSome { to, .. }
            | Operation::Next { to, .. }
            | Operation::JumpIfUntraced { to }
            | Operation::Try { to, .. } => *to = here,
            _ => {}
        }
    }

    /// A new register.
    pub fn alloc_register(&mut self) -> LoweringResult<Register> {
        self.alloc_registers(1)
    }

    /// New registers side by side; returns the first.
    pub fn alloc_registers(&mut self, count: usize) -> LoweringResult<Register> {
        let first = self.next_register;
        self.next_register += count;
        self.function.registers = self.function.registers.max(self.next_register);
        if self.next_register > MAX_REGISTERS {
            return self.fail("this function needs too much at once", "make functions of its parts");
        }
        Ok(first as Register)
    }

    /// The registers in use.
    pub fn register_mark(&self) -> usize {
        self.next_register
    }

    /// Frees the registers above.
    pub fn free_registers_to(&mut self, top: usize) {
        self.next_register = top;
    }

    /// A constant.
    pub fn constant_operand(&mut self, value: Value) -> Operand {
        let known = self.function.constants.iter().position(|constant| *constant == value && constant.type_name() == value.type_name());
        let place = known.unwrap_or_else(|| {
            self.function.constants.push(value);
            self.function.constants.len() - 1
        });
        Operand(place as u16 | CONSTANT_BIT)
    }

    /// Operands that stand anywhere.
    pub fn argument_list(&mut self, operands: &[Operand]) -> LoweringResult<ArgumentList> {
        let from = self.function.operands.len() as u32;
        let Ok(count) = u8::try_from(operands.len()) else {
            return self.fail("this has too many parts", "at most 255 stand in one list; build it with a loop, or make it a table");
        };
        self.function.operands.extend_from_slice(operands);
        Ok(ArgumentList { start: from, count })
    }

    /// A field by its name.
    pub fn field_ref(&mut self, name: &str) -> LoweringResult<u16> {
        if let Some(known) = self.function.fields.iter().position(|field| field.name.as_str() == name) {
            return Ok(known as u16);
        }
        let Some(field) = self.program.vocabulary.field_ref(&HashedText::from(name), &self.program.ruleset.game) else {
            return self.fail("the sheets of these rules have too many fields", "give several things one name");
        };
        self.function.fields.push(field);
        Ok(self.function.fields.len() as u16 - 1)
    }

    /// A unit that is called, by its number in the program.
    pub fn function_ref(&mut self, number: u32) -> u16 {
        let known = self.function.callees.iter().position(|unit| *unit == number);
        known.unwrap_or_else(|| {
            self.function.callees.push(number);
            self.function.callees.len() - 1
        }) as u16
    }

    /// Adds an operation that ends in a fault, where the script comes to it.
    pub fn emit_fault(&mut self, law: &'static str, what: impl Into<String>, help: impl Into<String>) {
        self.function.faults.push(StaticFault { diagnostic_code: law, message: what.into(), help: help.into() });
        let fault = self.function.faults.len() as u16 - 1;
        self.emit(Operation::Fault { fault });
    }

    /// Complains that something can't be lowered.
    pub fn fail<T>(&mut self, what: impl Into<String>, help: &str) -> LoweringResult<T> {
        let complaint = match self.case_file() {
            Some(case) => case.complaint("script", crate::syntax::parse::word_span(self.position, case), what),
            None => Complaint::new("script", Place::whole_file("(expression)"), what),
        };
        self.complaints.push(complaint.with_help(help));
        Err(LoweringError)
    }

    /// The variable of a name in sight.
    pub fn find_variable(&self, name: &str) -> Option<&LocalVariable> {
        self.variables.iter().rev().find(|variable| variable.name == name)
    }

    /// Declares a variable whose value stands in a register.
    pub fn declare_variable(&mut self, name: &str, register: Register, constant: bool) -> LoweringResult {
        let mut register = register;
        let shared = self.shared_names.contains(name);
        if shared {
            let number = self.alloc_register()?;
            self.emit(Operation::NewShared { dst: number, src: Operand(register) });
            register = number;
        }
        self.variables.push(LocalVariable { name: name.into(), register, shared, constant });
        Ok(())
    }

    /// Lowers a whole function: its parameters stand in the first registers.
    pub fn lower_function(mut self, params: &[String], body: &[Statement]) -> Result<CompiledFunction, Complaints> {
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
            // The arguments as they came: `prior()` asks with them, whatever became of the variables.
            for (place, _) in params.iter().enumerate() {
                let kept = self.alloc_register()?;
                self.emit(Operation::Copy { dst: kept, src: Operand(first + place as Register) });
                self.original_args.push(Operand(kept));
            }
        }
        for (place, name) in params.iter().enumerate() {
            self.declare_variable(name, first + place as Register, false)?;
        }
        let dst = self.alloc_register()?;
        self.lower_block(body, Some(dst))?;
        self.emit(Operation::Return { src: Operand(dst) });
        Ok(())
    }
}
