//! Closures: laid out where they are called, or made values.

use super::lowering::{Inlined, Lowered, Lowering, Variable};
use super::sharing::laid_out;
use crate::code::unit::{Binary, Op, Operand, Register};
use crate::situation::value::Value;
use crate::syntax::tree::{Call, Closure, Expression, Spot};

/// What is done with each item.
pub enum Body<'e> {
    /// A closure laid out here.
    Here(&'e Closure),
    /// A closure held somewhere.
    Held(Operand),
}

impl Lowering<'_> {
    /// Makes a closure a value.
    pub fn closure(&mut self, closure: &Closure, dst: Register) -> Lowered {
        let mut shares = Vec::new();
        for name in &closure.taken {
            match self.variable(name).cloned() {
                Some(variable) if variable.shared => shares.push(Operand(variable.register)),
                _ => {
                    return self
                        .stuck(format!("there is no variable `{name}` that this closure could use"), "a variable begins with `let`");
                }
            }
        }
        let mut inner = Lowering::new(self.program, self.case, self.within);
        inner.shared = self.shared.clone();
        inner.unit.name = format!("a closure in {}", self.unit.name);
        inner.unit.span = self.unit.span;
        match inner.lambda(closure) {
            Ok(()) => {}
            Err(stuck) => {
                self.complaints.0.append(&mut inner.complaints.0);
                return Err(stuck);
            }
        }
        let number = self.program.add(inner.unit);
        let unit = self.called(number);
        let args = self.args(&shares)?;
        self.emit(Op::Closure { dst, unit, args });
        Ok(())
    }

    /// The body of a closure that is a unit of its own: the variables it shares stand before its parameters.
    fn lambda(&mut self, Closure { taken, params: own, body, .. }: &Closure) -> Lowered {
        self.unit.arity = own.len();
        let first = self.window(taken.len() + own.len())?;
        for (place, name) in taken.iter().enumerate() {
            let register = first + place as Register;
            self.variables.push(Variable { name: name.to_string(), register, shared: true, constant: false });
        }
        for (place, name) in own.iter().enumerate() {
            self.declare(name, first + (taken.len() + place) as Register, false)?;
        }
        let dst = self.fresh()?;
        self.block(body, Some(dst))?;
        self.emit(Op::Return { src: Operand(dst) });
        Ok(())
    }

    /// Lays a closure out here, its parameters standing in these registers.
    fn lay_out(&mut self, closure: &Closure, args: &[Register], dst: Register) -> Lowered {
        // What it uses of the function is in sight.
        let variables = self.variables.len();
        for (name, register) in closure.params.iter().zip(args) {
            self.declare(name, *register, false)?;
        }
        self.inlined.push(Inlined { returns: Vec::new(), dst, loops: self.loops.len() });
        self.block(&closure.body, Some(dst))?;
        if let Some(inlined) = self.inlined.pop() {
            inlined.returns.into_iter().for_each(|jump| self.land(jump));
        }
        self.variables.truncate(variables);
        Ok(())
    }

    /// `list.filter(|u| ...)` and its like, the closure laid out.
    pub fn laid_out_method(&mut self, call: &Call, list: Operand, dst: Register) -> Lowered {
        self.at(call.at);
        match laid_out(call, true) {
            Some(closure) => self.each(&call.name, list, Body::Here(closure), dst),
            None => self.stuck("this is not in the language of cases", "see `casebook guide` for what a case may say"),
        }
    }

    /// Goes through a list with a closure.
    pub fn each(&mut self, name: &str, list: Operand, body: Body, dst: Register) -> Lowered {
        let top = self.top();
        let list = self.aside(list)?;
        let (count, item, found) = (self.fresh()?, self.fresh()?, self.fresh()?);
        let mut args = vec![item];
        let wide = match &body {
            Body::Here(closure) => closure.params.len(),
            Body::Held(_) => 1,
        };
        if wide > 1 && matches!(name, "filter" | "map" | "some" | "all") {
            args.push(self.fresh()?);
        }
        let zero = self.constant(Value::Number(0));
        self.emit(Op::Copy { dst: count, src: zero });
        let start = match name {
            "filter" | "map" => {
                let args = self.args(&[])?;
                self.emit(Op::List { dst, args });
                None
            }
            "some" => Some(Value::False),
            "all" => Some(Value::True),
            _ => Some(Value::Nothing),
        };
        if let Some(start) = start {
            let src = self.constant(start);
            self.emit(Op::Copy { dst, src });
        }
        let again = self.here();
        let next = self.emit(Op::Next { dst: item, of: list, count, to: 0 });
        if let Some(place) = args.get(1).copied() {
            let one = self.constant(Value::Number(1));
            self.emit(Op::Binary { op: Binary::Sub, dst: place, a: Operand(count), b: one });
        }
        // A closure of several statements may make something else of its parameter.
        let long = matches!(&body, Body::Here(closure) if closure.body.len() > 1);
        let made = if long { self.item_kept(item)? } else { item };
        let spot = self.spot;
        match body {
            Body::Here(closure) => self.lay_out(closure, &args, found)?,
            Body::Held(closure) => self.call_closure(closure, &[Operand(item)], found)?,
        }
        self.spot = spot;
        let yes = self.constant(Value::True);
        let end = match name {
            "map" => {
                self.emit(Op::Push { list: dst, src: Operand(found) });
                None
            }
            "filter" => {
                let not = self.emit(Op::JumpIf { flag: Operand(found), so: false, to: 0 });
                self.emit(Op::Push { list: dst, src: Operand(made) });
                self.land(not);
                None
            }
            "all" => {
                let holds = self.emit(Op::JumpIf { flag: Operand(found), so: true, to: 0 });
                let src = self.constant(Value::False);
                self.emit(Op::Copy { dst, src });
                let end = self.emit(Op::Jump { to: 0 });
                self.land(holds);
                Some(end)
            }
            _ => {
                let not = self.emit(Op::JumpIf { flag: Operand(found), so: false, to: 0 });
                let src = if name == "find" { Operand(made) } else { yes };
                self.emit(Op::Copy { dst, src });
                let end = self.emit(Op::Jump { to: 0 });
                self.land(not);
                Some(end)
            }
        };
        self.emit(Op::Jump { to: again });
        self.land(next);
        if let Some(end) = end {
            self.land(end);
        }
        self.back_to(top);
        Ok(())
    }

    /// The item itself, whatever the closure makes of its parameter.
    fn item_kept(&mut self, item: Register) -> Lowered<Register> {
        let kept = self.fresh()?;
        self.emit(Op::Copy { dst: kept, src: Operand(item) });
        Ok(kept)
    }

    /// `outcome(|| ...)`: what is tried stands here, and the outcomes it names are gathered.
    pub fn outcome(&mut self, closure: &Expression, at: Spot, dst: Register) -> Lowered {
        self.at(at);
        let mark = self.fresh()?;
        self.emit(Op::Mark { dst: mark });
        self.tried(closure)?;
        self.at(at);
        self.emit(Op::Since { dst, mark });
        Ok(())
    }

    /// `expect_refused(|| ..., case)`, `why_refused(|| ...)`: a refusal of what is tried goes on here.
    pub fn refused(&mut self, verb: u16, args: &[Expression], at: Spot, dst: Register) -> Lowered {
        let case = if args.len() > 1 { Some(self.value(&args[1])?) } else { None };
        self.at(at);
        let refused = self.fresh()?;
        let jump = self.emit(Op::Try { dst: refused, to: 0 });
        self.tried(&args[0])?;
        self.emit(Op::EndTry);
        self.land(jump);
        self.at(at);
        let operands: Vec<Operand> = [Operand(refused)].into_iter().chain(case).collect();
        let args = self.args(&operands)?;
        self.emit(Op::Verb { verb, dst, args });
        Ok(())
    }

    fn tried(&mut self, closure: &Expression) -> Lowered {
        let scratch = self.fresh()?;
        match closure {
            Expression::Closure(closure) => self.lay_out(closure, &[], scratch),
            held => {
                let held = self.value(held)?;
                self.call_closure(held, &[], scratch)
            }
        }
    }
}
