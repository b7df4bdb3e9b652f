//! A unit while it is made: its registers, the variables in sight, its constants.

use crate::code::program::Program;
use crate::code::unit::{Args, CONSTANT, Found, Op, Operand, Register, Unit};
use crate::complaint::{Complaint, Complaints, Place};
use crate::data::case::Case;
use crate::situation::value::{Text, Value};
use crate::syntax::tree::{Spot, Statement};
use std::collections::BTreeSet;

/// Registers of one function, at most.
const REGISTERS: usize = 2_000;

/// Why something can't be lowered; complaints are collected as they are met, and the work goes on no further.
#[derive(Debug)]
pub struct Stuck;

/// What lowering gives.
pub type Lowered<T = ()> = Result<T, Stuck>;

/// A variable in sight.
#[derive(Clone, Debug)]
pub struct Variable {
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
pub struct Loop {
    /// Jumps to what ends a round.
    pub continues: Vec<usize>,
    /// Jumps out of it.
    pub breaks: Vec<usize>,
    /// The register for the value it comes to.
    pub dst: Register,
}

/// A closure laid out in place: its `return` goes to its end.
#[derive(Debug)]
pub struct Inlined {
    /// Jumps to its end.
    pub returns: Vec<usize>,
    /// The register for what it comes to.
    pub dst: Register,
    /// Loops round it are none of its own.
    pub loops: usize,
}

/// A unit being made.
pub struct Lowering<'a> {
    /// The program it belongs to.
    pub program: &'a Program,
    /// Its case.
    pub case: Option<usize>,
    /// The answer it works for: slot and depth.
    pub within: Option<(usize, usize)>,
    /// What is made of it.
    pub unit: Unit,
    /// Variables in sight, the innermost last.
    pub variables: Vec<Variable>,
    /// Names that closures share.
    pub shared: BTreeSet<String>,
    /// Loops round what is being lowered.
    pub loops: Vec<Loop>,
    /// Closures laid out round it.
    pub inlined: Vec<Inlined>,
    /// Arguments as they came, for `prior()`.
    pub kept: Vec<Operand>,
    /// What was wrong.
    pub complaints: Complaints,
    top: usize,
    /// Where what is being lowered stands in the text.
    pub spot: Spot,
}

impl<'a> Lowering<'a> {
    /// Begins a unit.
    pub fn new(program: &'a Program, case: Option<usize>, within: Option<(usize, usize)>) -> Lowering<'a> {
        Lowering {
            program,
            case,
            within,
            unit: Unit { case, ..Unit::default() },
            variables: Vec::new(),
            shared: BTreeSet::new(),
            loops: Vec::new(),
            inlined: Vec::new(),
            kept: Vec::new(),
            complaints: Complaints::default(),
            top: 0,
            spot: (1, 1),
        }
    }

    /// The case it stands in.
    pub fn file(&self) -> Option<&'a Case> {
        self.case.map(|case| &*self.program.ruleset.cases[case])
    }

    /// Notes where what follows stands in the text.
    pub fn at(&mut self, spot: Spot) {
        if spot != (0, 0) {
            self.spot = spot;
        }
    }

    /// Adds an operation, and returns its place.
    pub fn emit(&mut self, op: Op) -> usize {
        self.unit.ops.push(op);
        self.unit.spots.push(self.spot);
        self.unit.ops.len() - 1
    }

    /// The place of the operation that comes next.
    pub fn here(&self) -> u32 {
        self.unit.ops.len() as u32
    }

    /// Lets a jump go to what comes next.
    pub fn land(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.unit.ops[jump] {
            Op::Jump { to }
            | Op::JumpIf { to, .. }
            | Op::Compare { to, .. }
            | Op::JumpIfSome { to, .. }
            | Op::Next { to, .. }
            | Op::Quiet { to }
            | Op::Try { to, .. } => *to = here,
            _ => {}
        }
    }

    /// A new register.
    pub fn fresh(&mut self) -> Lowered<Register> {
        self.window(1)
    }

    /// New registers side by side; returns the first.
    pub fn window(&mut self, count: usize) -> Lowered<Register> {
        let first = self.top;
        self.top += count;
        self.unit.registers = self.unit.registers.max(self.top);
        if self.top > REGISTERS {
            return self.stuck("this function needs too much at once", "make functions of its parts");
        }
        Ok(first as Register)
    }

    /// The registers in use.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Frees the registers above.
    pub fn back_to(&mut self, top: usize) {
        self.top = top;
    }

    /// A constant.
    pub fn constant(&mut self, value: Value) -> Operand {
        let known = self.unit.constants.iter().position(|constant| *constant == value && constant.type_name() == value.type_name());
        let place = known.unwrap_or_else(|| {
            self.unit.constants.push(value);
            self.unit.constants.len() - 1
        });
        Operand(place as u16 | CONSTANT)
    }

    /// Operands that stand anywhere.
    pub fn args(&mut self, operands: &[Operand]) -> Lowered<Args> {
        let from = self.unit.operands.len() as u32;
        let Ok(count) = u8::try_from(operands.len()) else {
            return self.stuck("this has too many parts", "at most 255 stand in one list; build it with a loop, or make it a table");
        };
        self.unit.operands.extend_from_slice(operands);
        Ok(Args { from, count })
    }

    /// A field by its name.
    pub fn field(&mut self, name: &str) -> Lowered<u16> {
        if let Some(known) = self.unit.fields.iter().position(|field| field.name.as_str() == name) {
            return Ok(known as u16);
        }
        let Some(field) = self.program.words.meaning(&Text::from(name), &self.program.ruleset.game) else {
            return self.stuck("the sheets of these rules have too many fields", "give several things one name");
        };
        self.unit.fields.push(field);
        Ok(self.unit.fields.len() as u16 - 1)
    }

    /// A unit that is called, by its number in the program.
    pub fn called(&mut self, number: u32) -> u16 {
        let known = self.unit.units.iter().position(|unit| *unit == number);
        known.unwrap_or_else(|| {
            self.unit.units.push(number);
            self.unit.units.len() - 1
        }) as u16
    }

    /// Adds an operation that ends in a fault, where the script comes to it.
    pub fn fault(&mut self, law: &'static str, what: impl Into<String>, help: impl Into<String>) {
        self.unit.faults.push(Found { law, what: what.into(), help: help.into() });
        let fault = self.unit.faults.len() as u16 - 1;
        self.emit(Op::Fault { fault });
    }

    /// Complains that something can't be lowered.
    pub fn stuck<T>(&mut self, what: impl Into<String>, help: &str) -> Lowered<T> {
        let complaint = match self.file() {
            Some(case) => case.complaint("script", crate::syntax::parse::span(self.spot, case), what),
            None => Complaint::new("script", Place::file("(expression)"), what),
        };
        self.complaints.push(complaint.help(help));
        Err(Stuck)
    }

    /// The variable of a name in sight.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().rev().find(|variable| variable.name == name)
    }

    /// Declares a variable whose value stands in a register.
    pub fn declare(&mut self, name: &str, register: Register, constant: bool) -> Lowered {
        let mut register = register;
        let shared = self.shared.contains(name);
        if shared {
            let number = self.fresh()?;
            self.emit(Op::Share { dst: number, src: Operand(register) });
            register = number;
        }
        self.variables.push(Variable { name: name.into(), register, shared, constant });
        Ok(())
    }

    /// Lowers a whole function: its parameters stand in the first registers.
    pub fn whole(mut self, params: &[String], body: &[Statement]) -> Result<Unit, Complaints> {
        self.shared = super::sharing::shared(body);
        self.unit.arity = params.len();
        match self.body(params, body) {
            Ok(()) => {}
            Err(Stuck) => return Err(self.complaints),
        }
        Ok(self.unit)
    }

    fn body(&mut self, params: &[String], body: &[Statement]) -> Lowered {
        let first = self.window(params.len())?;
        if super::sharing::asks_prior(body) {
            // The arguments as they came: `prior()` asks with them, whatever became of the variables.
            for (place, _) in params.iter().enumerate() {
                let kept = self.fresh()?;
                self.emit(Op::Copy { dst: kept, src: Operand(first + place as Register) });
                self.kept.push(Operand(kept));
            }
        }
        for (place, name) in params.iter().enumerate() {
            self.declare(name, first + place as Register, false)?;
        }
        let dst = self.fresh()?;
        self.block(body, Some(dst))?;
        self.emit(Op::Return { src: Operand(dst) });
        Ok(())
    }
}
