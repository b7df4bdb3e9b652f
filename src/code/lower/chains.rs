//! `a.b[c].d(e)`, read and written. As in Rhai, what stands in brackets is worked out before what it is asked of.

use super::lowering::{Lowered, Lowering};
use super::sharing::laid_out;
use crate::code::unit::{Op, Operand, Register, Step};
use crate::code::verbs::{self, Run};
use crate::situation::value::Value;
use crate::syntax::tree::{Asked, Call, Chain, Expression, Link, Name, Spot};

/// What of a chain was worked out before it is followed: the key of an index, the arguments of a call.
enum Ready {
    Nothing,
    Key(Operand),
    Args(Vec<Operand>),
}

/// What a method may change: a variable, or what stands at the end of a path from one.
struct Target {
    register: Register,
    shared: Option<Register>,
    path: Vec<Step>,
    keys: Vec<Operand>,
}

impl Lowering<'_> {
    /// Reads a chain.
    pub fn chain(&mut self, Chain { root, links, .. }: &Chain, dst: Register) -> Lowered {
        let ready = self.ready(links)?;
        let mut target = self.root(root)?;
        let mut now = match &target {
            Some(target) => Operand(target.register),
            None => self.value(root)?,
        };
        let mut ends = Vec::new();
        for (place, (link, ready)) in links.iter().zip(ready).enumerate() {
            if link.safe {
                let some = self.emit(Op::JumpIfSome { src: now, to: 0 });
                let src = self.constant(Value::Nothing);
                self.emit(Op::Copy { dst, src });
                ends.push(self.emit(Op::Jump { to: 0 }));
                self.land(some);
            }
            let last = place + 1 == links.len();
            let to = if last { dst } else { self.fresh()? };
            match (&link.asked, ready) {
                (Asked::Field(name), _) => {
                    let field = self.field(name)?;
                    self.at(link.at);
                    self.emit(Op::Get { dst: to, of: now, field });
                    if let Some(target) = &mut target {
                        target.path.push(Step::Field(field));
                    }
                }
                (Asked::Key(_), Ready::Key(key)) => {
                    self.at(link.at);
                    self.emit(Op::Index { dst: to, of: now, key });
                    if let Some(target) = &mut target {
                        target.path.push(Step::Key(target.keys.len() as u8));
                        target.keys.push(key);
                    }
                }
                (Asked::Method(call), Ready::Args(args)) => self.method(call, (now, target.take()), args, to)?,
                (Asked::Method(call), _) => self.laid_out_method(call, now, to)?,
                (Asked::Key(_), _) => {}
            }
            now = Operand(to);
        }
        ends.into_iter().for_each(|jump| self.land(jump));
        Ok(())
    }

    /// Works out what stands in the brackets of a chain.
    fn ready(&mut self, links: &[Link]) -> Lowered<Vec<Ready>> {
        let mut ready = Vec::new();
        for link in links {
            ready.push(match &link.asked {
                Asked::Field(_) => Ready::Nothing,
                Asked::Key(key) => {
                    let key = self.value(key)?;
                    Ready::Key(self.settled(key)?)
                }
                Asked::Method(call) if self.lays_out(call, true) => Ready::Nothing,
                Asked::Method(call) => Ready::Args(self.values(&call.args)?),
            });
        }
        Ok(ready)
    }

    /// A key that a method further on can't change.
    fn settled(&mut self, key: Operand) -> Lowered<Operand> {
        match key.register() {
            Some(register) if self.variables.iter().any(|v| v.register == register) => self.aside(key),
            _ => Ok(key),
        }
    }

    /// Whether a call lays its closure out in place.
    pub fn lays_out(&self, call: &Call, method: bool) -> bool {
        let count = call.args.len() + usize::from(method);
        laid_out(call, method).is_some() && self.program.ruleset.slot(&call.name, count).is_none()
    }

    /// The variable a chain begins with.
    fn root(&mut self, root: &Expression) -> Lowered<Option<Target>> {
        let Some(variable) = root.variable().and_then(|name| self.variable(name)).cloned() else { return Ok(None) };
        let mut register = variable.register;
        if variable.shared {
            register = self.fresh()?;
            self.emit(Op::Load { dst: register, shared: variable.register });
        }
        let shared = variable.shared.then_some(variable.register);
        Ok(Some(Target { register, shared, path: Vec::new(), keys: Vec::new() }))
    }

    /// A method: a function of a case, a helper or a verb, asked with what stands before the point.
    fn method(&mut self, call: &Call, (now, target): (Operand, Option<Target>), args: Vec<Operand>, dst: Register) -> Lowered {
        self.at(call.at);
        let count = args.len() + 1;
        let found = match self.resolve(&call.name, count) {
            super::calls::Resolved::Verb(number) => Some((number, verbs::all()[number as usize])),
            _ => None,
        };
        let sorts = found.is_some_and(|(_, verb)| verb.name == "sort");
        let changes = found.filter(|(_, verb)| matches!(verb.run, Run::Change(_)) || sorts);
        let Some((number, _)) = changes else {
            let all: Vec<Operand> = [now].into_iter().chain(args).collect();
            return self.ask(&call.name, all, dst);
        };
        // What is changed stands in the variable itself, or is put back where it came from.
        let own = match &target {
            Some(target) if target.path.is_empty() => target.register,
            _ => match now.register() {
                Some(register) if !self.variables.iter().any(|v| v.register == register) => register,
                _ => {
                    let copy = self.fresh()?;
                    self.emit(Op::Copy { dst: copy, src: now });
                    copy
                }
            },
        };
        if sorts {
            let all: Vec<Operand> = [Operand(own)].into_iter().chain(args).collect();
            let sorted = self.fresh()?;
            let args = self.args(&all)?;
            self.emit(Op::Verb { verb: number, dst: sorted, args });
            self.emit(Op::Move { dst: own, src: sorted });
            let src = self.constant(Value::Nothing);
            self.emit(Op::Copy { dst, src });
        } else {
            let args = self.args(&args)?;
            self.emit(Op::Change { verb: number, dst, target: own, args });
        }
        if let Some(target) = target {
            self.put_back(target, own)?;
        }
        Ok(())
    }

    /// Puts a changed value back where it came from.
    fn put_back(&mut self, target: Target, own: Register) -> Lowered {
        if !target.path.is_empty() {
            let operands: Vec<Operand> = [Operand(own)].into_iter().chain(target.keys).collect();
            let args = self.args(&operands)?;
            self.unit.paths.push(target.path);
            let path = self.unit.paths.len() as u16 - 1;
            self.emit(Op::Put { root: target.register, path, args });
        }
        if let Some(shared) = target.shared {
            self.emit(Op::Store { shared, src: Operand(target.register) });
        }
        Ok(())
    }

    /// An assignment, to a variable or to what a chain leads to.
    pub fn assign(&mut self, (sign, at): (Option<&Name>, Spot), left: &Expression, right: &Expression) -> Lowered {
        let value = self.value(right)?;
        let Chain { root, links, .. } = match left {
            Expression::Variable(name, spot) => {
                self.at(*spot);
                return self.assign_variable((sign, at), name, value);
            }
            Expression::Chain(chain) => &**chain,
            _ => return self.stuck("nothing can be assigned to this", "assign to a variable, a field or an item"),
        };
        let value = self.settled(value)?;
        let ready = self.ready(links)?;
        let mut target = match self.root(root)? {
            Some(target) => target,
            None => {
                let register = self.fresh()?;
                self.into(root, register)?;
                Target { register, shared: None, path: Vec::new(), keys: Vec::new() }
            }
        };
        for (link, ready) in links.iter().zip(ready) {
            self.at(link.at);
            match (&link.asked, ready) {
                (Asked::Field(name), _) => target.path.push(Step::Field(self.field(name)?)),
                (Asked::Key(_), Ready::Key(key)) => {
                    target.path.push(Step::Key(target.keys.len() as u8));
                    target.keys.push(key);
                }
                (Asked::Method(call), Ready::Args(args)) => {
                    // What a call gives is changed for itself: a sheet is held by reference.
                    let of = self.fresh()?;
                    self.follow(&target, of)?;
                    let given = self.fresh()?;
                    self.method(call, (Operand(of), None), args, given)?;
                    target = Target { register: given, shared: None, path: Vec::new(), keys: Vec::new() };
                }
                _ => return self.stuck("nothing can be assigned to this", "assign to a variable, a field or an item"),
            }
        }
        // What can't be set is told of where it stands, and a sum that can't be at its sign.
        let last = self.spot;
        let value = match self.operator_of(sign)? {
            None => value,
            Some(operator) => {
                let sum = self.fresh()?;
                self.follow(&target, sum)?;
                self.at(at);
                self.combine(operator, sum, value);
                self.spot = last;
                Operand(sum)
            }
        };
        let own = match value.register() {
            Some(register) => register,
            None => {
                let register = self.fresh()?;
                self.emit(Op::Copy { dst: register, src: value });
                register
            }
        };
        self.put_back(target, own)
    }

    /// Reads what stands at the end of a path.
    fn follow(&mut self, target: &Target, dst: Register) -> Lowered {
        self.emit(Op::Copy { dst, src: Operand(target.register) });
        for step in target.path.clone() {
            match step {
                Step::Field(field) => self.emit(Op::Get { dst, of: Operand(dst), field }),
                Step::Key(number) => self.emit(Op::Index { dst, of: Operand(dst), key: target.keys[number as usize] }),
            };
        }
        Ok(())
    }

    fn operator_of(&mut self, sign: Option<&Name>) -> Lowered<Option<crate::code::unit::Binary>> {
        let Some(sign) = sign else { return Ok(None) };
        match super::expressions::operator(sign) {
            Some(op) => Ok(Some(op)),
            None => self.stuck(format!("`{sign}=` is not in the language of cases"), "write it out: `x = x + 1`"),
        }
    }

    fn combine(&mut self, op: crate::code::unit::Binary, dst: Register, src: Operand) {
        match op {
            crate::code::unit::Binary::Add => self.emit(Op::AddTo { dst, src }),
            op => self.emit(Op::Binary { op, dst, a: Operand(dst), b: src }),
        };
    }

    fn assign_variable(&mut self, (sign, at): (Option<&Name>, Spot), name: &str, value: Operand) -> Lowered {
        let Some(variable) = self.variable(name).cloned() else {
            return self.stuck(format!("there is no variable `{name}`"), "a variable begins with `let`");
        };
        if variable.constant {
            return self.stuck(format!("`{name}` is a constant"), "write `let` for what is to change");
        }
        let operator = self.operator_of(sign)?;
        self.at(at);
        match (operator, variable.shared) {
            (None, false) => {
                let own = value.register().filter(|register| !self.variables.iter().any(|v| v.register == *register));
                match own {
                    Some(src) => self.emit(Op::Move { dst: variable.register, src }),
                    None => self.emit(Op::Copy { dst: variable.register, src: value }),
                };
            }
            (None, true) => drop(self.emit(Op::Store { shared: variable.register, src: value })),
            (Some(op), false) => self.combine(op, variable.register, value),
            (Some(op), true) => {
                let sum = self.fresh()?;
                self.emit(Op::Load { dst: sum, shared: variable.register });
                self.combine(op, sum, value);
                self.emit(Op::Store { shared: variable.register, src: Operand(sum) });
            }
        }
        Ok(())
    }
}
