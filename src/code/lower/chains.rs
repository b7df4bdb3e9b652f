//! `a.b[c].d(e)`, read and written. As in Rhai, what stands in brackets is worked out before what it is asked of.

use super::lowering::{Lowered, Lowering};
use super::sharing::laid_out;
use crate::code::unit::{Op, Operand, Register, Step};
use crate::code::verbs::{self, Run};
use crate::situation::value::Value;
use rhai::{ASTFlags, Expr, FnCallExpr, OpAssignment, Position};

/// A link of a chain.
pub enum Link<'e> {
    /// `.name`
    Property(&'e str),
    /// `[key]`
    Index(&'e Expr),
    /// `.call(...)`
    Method(&'e FnCallExpr),
}

/// A link, where it stands, and whether it may be asked of nothing (`?.`).
pub type Links<'e> = Vec<(Link<'e>, Position, bool)>;

/// The root of a chain and its links.
pub fn links(expression: &Expr) -> Option<(&Expr, Links<'_>)> {
    let (mut pair, mut flags, mut dot) = match expression {
        Expr::Dot(pair, flags, _) => (pair, *flags, true),
        Expr::Index(pair, flags, _) => (pair, *flags, false),
        _ => return None,
    };
    let root = &pair.lhs;
    let mut list = Links::new();
    loop {
        let safe = flags.intersects(ASTFlags::NEGATED);
        let next = match &pair.rhs {
            Expr::Dot(next, more, _) if !flags.intersects(ASTFlags::BREAK) => Some((next, *more, true)),
            Expr::Index(next, more, _) if !flags.intersects(ASTFlags::BREAK) => Some((next, *more, false)),
            _ => None,
        };
        let own = next.map_or(&pair.rhs, |(next, ..)| &next.lhs);
        let link = match own {
            Expr::Property(property, _) if dot => Link::Property(&property.2),
            Expr::MethodCall(call, _) if dot => Link::Method(call),
            key if !dot => Link::Index(key),
            _ => return None,
        };
        list.push((link, if dot { own.position() } else { own.start_position() }, safe));
        match next {
            Some((next, more, is_dot)) => (pair, flags, dot) = (next, more, is_dot),
            None => return Some((root, list)),
        }
    }
}

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
    pub fn chain(&mut self, expression: &Expr, dst: Register) -> Lowered {
        let Some((root, list)) = links(expression) else {
            return self.stuck("this is not in the language of cases", "see `casebook guide` for what a case may say");
        };
        let ready = self.ready(&list)?;
        let mut target = self.root(root)?;
        let mut now = match &target {
            Some(target) => Operand(target.register),
            None => self.value(root)?,
        };
        let mut ends = Vec::new();
        for (place, ((link, position, safe), ready)) in list.iter().zip(ready).enumerate() {
            if *safe {
                let some = self.emit(Op::JumpIfSome { src: now, to: 0 });
                let src = self.constant(Value::Nothing);
                self.emit(Op::Copy { dst, src });
                ends.push(self.emit(Op::Jump { to: 0 }));
                self.land(some);
            }
            let last = place + 1 == list.len();
            let to = if last { dst } else { self.fresh()? };
            match (link, ready) {
                (Link::Property(name), _) => {
                    let field = self.field(name)?;
                    self.at(*position);
                    self.emit(Op::Get { dst: to, of: now, field });
                    if let Some(target) = &mut target {
                        target.path.push(Step::Field(field));
                    }
                }
                (Link::Index(_), Ready::Key(key)) => {
                    self.at(*position);
                    self.emit(Op::Index { dst: to, of: now, key });
                    if let Some(target) = &mut target {
                        target.path.push(Step::Key(target.keys.len() as u8));
                        target.keys.push(key);
                    }
                }
                (Link::Method(call), Ready::Args(args)) => self.method(call, *position, (now, target.take()), args, to)?,
                (Link::Method(call), _) => self.laid_out_method(call, *position, now, to)?,
                (Link::Index(_), _) => {}
            }
            now = Operand(to);
        }
        ends.into_iter().for_each(|jump| self.land(jump));
        Ok(())
    }

    /// Works out what stands in the brackets of a chain.
    fn ready(&mut self, list: &Links) -> Lowered<Vec<Ready>> {
        let mut ready = Vec::new();
        for (link, ..) in list {
            ready.push(match link {
                Link::Property(_) => Ready::Nothing,
                Link::Index(key) => {
                    let key = self.value(key)?;
                    Ready::Key(self.settled(key)?)
                }
                Link::Method(call) if self.lays_out(call, true) => Ready::Nothing,
                Link::Method(call) => {
                    let args = self.values(&call.args.iter().collect::<Vec<_>>())?;
                    Ready::Args(args)
                }
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
    pub fn lays_out(&self, call: &FnCallExpr, method: bool) -> bool {
        let count = call.args.len() + usize::from(method);
        laid_out(call, method).is_some() && self.program.ruleset.slot(&call.name, count).is_none()
    }

    /// The variable a chain begins with.
    fn root(&mut self, root: &Expr) -> Lowered<Option<Target>> {
        let Expr::Variable(parts, ..) = root else { return Ok(None) };
        let Some(variable) = self.variable(&parts.1).cloned() else { return Ok(None) };
        let mut register = variable.register;
        if variable.shared {
            register = self.fresh()?;
            self.emit(Op::Load { dst: register, shared: variable.register });
        }
        let shared = variable.shared.then_some(variable.register);
        Ok(Some(Target { register, shared, path: Vec::new(), keys: Vec::new() }))
    }

    /// A method: a function of a case, a helper or a verb, asked with what stands before the point.
    fn method(
        &mut self,
        call: &FnCallExpr,
        position: Position,
        (now, target): (Operand, Option<Target>),
        args: Vec<Operand>,
        dst: Register,
    ) -> Lowered {
        self.at(position);
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
    pub fn assign(&mut self, op: &OpAssignment, left: &Expr, right: &Expr) -> Lowered {
        let value = self.value(right)?;
        if let Expr::Variable(parts, _, position) = left {
            self.at(*position);
            return self.assign_variable(op, &parts.1, value);
        }
        let Some((root, list)) = links(left) else {
            return self.stuck("nothing can be assigned to this", "assign to a variable, a field or an item");
        };
        let value = self.settled(value)?;
        let ready = self.ready(&list)?;
        let mut target = match self.root(root)? {
            Some(target) => target,
            None => {
                let register = self.fresh()?;
                self.into(root, register)?;
                Target { register, shared: None, path: Vec::new(), keys: Vec::new() }
            }
        };
        for ((link, position, _), ready) in list.iter().zip(ready) {
            self.at(*position);
            match (link, ready) {
                (Link::Property(name), _) => target.path.push(Step::Field(self.field(name)?)),
                (Link::Index(_), Ready::Key(key)) => {
                    target.path.push(Step::Key(target.keys.len() as u8));
                    target.keys.push(key);
                }
                (Link::Method(call), Ready::Args(args)) => {
                    // What a call gives is changed for itself: a sheet is held by reference.
                    let of = self.fresh()?;
                    self.follow(&target, of)?;
                    let given = self.fresh()?;
                    self.method(call, *position, (Operand(of), None), args, given)?;
                    target = Target { register: given, shared: None, path: Vec::new(), keys: Vec::new() };
                }
                _ => return self.stuck("nothing can be assigned to this", "assign to a variable, a field or an item"),
            }
        }
        // What can't be set is told of where it stands, and a sum that can't be at its sign.
        let last = self.spot;
        let value = match self.operator_of(op)? {
            None => value,
            Some(operator) => {
                let sum = self.fresh()?;
                self.follow(&target, sum)?;
                self.at(op.position());
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

    fn operator_of(&mut self, op: &OpAssignment) -> Lowered<Option<crate::code::unit::Binary>> {
        let Some((.., sign)) = op.get_op_assignment_info() else { return Ok(None) };
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

    fn assign_variable(&mut self, op: &OpAssignment, name: &str, value: Operand) -> Lowered {
        let Some(variable) = self.variable(name).cloned() else {
            return self.stuck(format!("there is no variable `{name}`"), "a variable begins with `let`");
        };
        if variable.constant {
            return self.stuck(format!("`{name}` is a constant"), "write `let` for what is to change");
        }
        let operator = self.operator_of(op)?;
        self.at(op.position());
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
