//! Expressions and operators.

use super::lowering::{Lowered, Lowering};
use super::sharing::changes;
use crate::code::unit::{Binary, Op, Operand, Register};
use crate::situation::value::{Text, Value};
use crate::syntax::tree::{Call, Expression};
use std::collections::BTreeMap;

/// The operator of a sign.
pub fn operator(name: &str) -> Option<Binary> {
    Some(match name {
        "+" => Binary::Add,
        "-" => Binary::Sub,
        "*" => Binary::Mul,
        "/" => Binary::Div,
        "%" => Binary::Rem,
        "**" => Binary::Pow,
        "==" => Binary::Eq,
        "!=" => Binary::Ne,
        "<" => Binary::Lt,
        "<=" => Binary::Le,
        ">" => Binary::Gt,
        ">=" => Binary::Ge,
        "&" => Binary::And,
        "|" => Binary::Or,
        "^" => Binary::Xor,
        "<<" => Binary::Shl,
        ">>" => Binary::Shr,
        ".." => Binary::Range,
        "..=" => Binary::Through,
        _ => return None,
    })
}

fn compares(op: Binary) -> bool {
    matches!(op, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge)
}

impl Lowering<'_> {
    /// Where the value of an expression stands: a constant, a variable as it is, or a register of its own.
    pub fn value(&mut self, expression: &Expression) -> Lowered<Operand> {
        match expression {
            Expression::Flag(flag, _) => Ok(self.constant((*flag).into())),
            Expression::Number(n, _) => Ok(self.constant(Value::Number(*n))),
            Expression::Text(text, _) => Ok(self.constant((**text).into())),
            Expression::Nothing(_) => Ok(self.constant(Value::Nothing)),
            Expression::Variable(name, at) => {
                self.at(*at);
                match self.variable(name).cloned() {
                    Some(variable) if !variable.shared => Ok(Operand(variable.register)),
                    Some(variable) => {
                        let dst = self.fresh()?;
                        self.emit(Op::Load { dst, shared: variable.register });
                        Ok(Operand(dst))
                    }
                    None => self.stuck(format!("there is no variable `{name}`"), "a variable begins with `let`"),
                }
            }
            _ => {
                let dst = self.fresh()?;
                self.into(expression, dst)?;
                Ok(Operand(dst))
            }
        }
    }

    /// The values of several expressions, worked out in their order.
    pub fn values<'e>(&mut self, list: impl IntoIterator<Item = &'e Expression, IntoIter: Clone>) -> Lowered<Vec<Operand>> {
        let (mut operands, mut later) = (Vec::new(), list.into_iter());
        while let Some(expression) = later.next() {
            let operand = self.value(expression)?;
            // What a later one may change is put aside.
            let disturbed = expression.variable().is_some() && later.clone().any(changes);
            operands.push(if disturbed { self.aside(operand)? } else { operand });
        }
        Ok(operands)
    }

    /// A copy of a value in a register of its own.
    pub fn aside(&mut self, operand: Operand) -> Lowered<Operand> {
        let dst = self.fresh()?;
        self.emit(Op::Copy { dst, src: operand });
        Ok(Operand(dst))
    }

    /// Works an expression out into a register that nothing else uses yet.
    pub fn into(&mut self, expression: &Expression, dst: Register) -> Lowered {
        let top = self.top();
        match expression {
            Expression::List(list, at) => {
                let operands = self.values(list)?;
                self.at(*at);
                let args = self.args(&operands)?;
                self.emit(Op::List { dst, args });
            }
            Expression::Map(entries, at) => {
                let operands = self.values(entries.iter().map(|(.., value)| value))?;
                self.at(*at);
                // A map keeps the order of its names, and no name stands twice.
                let names = entries.iter().map(|(name, ..)| Text::from(&**name));
                let (names, operands): (Vec<Text>, Vec<Operand>) = names.zip(operands).collect::<BTreeMap<_, _>>().into_iter().unzip();
                let args = self.args(&operands)?;
                self.unit.shapes.push(names);
                let shape = self.unit.shapes.len() as u16 - 1;
                self.emit(Op::Map { dst, shape, args });
            }
            Expression::Words(list, at) => {
                let operands = self.values(list)?;
                self.at(*at);
                let args = self.args(&operands)?;
                self.emit(Op::Words { dst, args });
            }
            Expression::Closure(closure) => self.closure(closure, dst)?,
            Expression::Block(body, _) => self.block(body, Some(dst))?,
            Expression::Call(call) => self.function(call, dst)?,
            Expression::Chain(chain) => self.chain(chain, dst)?,
            Expression::And(..) | Expression::Or(..) => {
                let no = self.condition(expression, false)?;
                let src = self.constant(Value::True);
                self.emit(Op::Copy { dst, src });
                let end = self.emit(Op::Jump { to: 0 });
                no.into_iter().for_each(|jump| self.land(jump));
                let src = self.constant(Value::False);
                self.emit(Op::Copy { dst, src });
                self.land(end);
            }
            Expression::Else(list, _) => {
                let mut ends = Vec::new();
                for (place, part) in list.iter().enumerate() {
                    self.into(part, dst)?;
                    if place + 1 < list.len() {
                        ends.push(self.emit(Op::JumpIfSome { src: Operand(dst), to: 0 }));
                    }
                }
                ends.into_iter().for_each(|jump| self.land(jump));
            }
            Expression::Foreign(foreign, at) => {
                self.at(*at);
                return self.foreign(*foreign);
            }
            _ => {
                let src = self.value(expression)?;
                self.emit(Op::Copy { dst, src });
            }
        }
        self.back_to(top);
        Ok(())
    }

    /// An operator, or a call.
    fn function(&mut self, call: &Call, dst: Register) -> Lowered {
        let Call { name, args, sign, at } = call;
        let at = *at;
        if !(*sign || &**name == "contains" && args.len() == 2) {
            return self.called_by_name(call, dst);
        }
        match (&**name, &args[..]) {
            ("!", [_]) => {
                let src = self.value(&args[0])?;
                self.at(at);
                self.emit(Op::Not { dst, src });
            }
            ("-", [_]) => {
                let src = self.value(&args[0])?;
                self.at(at);
                self.emit(Op::Neg { dst, src });
            }
            ("contains", [_, _]) => {
                let found = self.values(args)?;
                self.at(at);
                self.emit(Op::Binary { op: Binary::In, dst, a: found[0], b: found[1] });
            }
            (name, [_, _]) => match operator(name) {
                Some(op) => {
                    let found = self.values(args)?;
                    self.at(at);
                    self.emit(Op::Binary { op, dst, a: found[0], b: found[1] });
                }
                None => {
                    return self.stuck(format!("`{name}` is not in the language of cases"), "see `casebook guide` for what a case may say");
                }
            },
            (name, _) => {
                return self.stuck(format!("`{name}` is not in the language of cases"), "see `casebook guide` for what a case may say");
            }
        }
        Ok(())
    }

    /// Jumps where a condition comes out as named; goes on otherwise. Returns the jumps, which are to land.
    pub fn condition(&mut self, expression: &Expression, so: bool) -> Lowered<Vec<usize>> {
        let top = self.top();
        let jumps = match expression {
            Expression::And(list, _) | Expression::Or(list, _) => {
                // One that decides: a false one of `&&`, a true one of `||`.
                let deciding = matches!(expression, Expression::Or(..));
                let mut jumps = Vec::new();
                if so == deciding {
                    for part in list.iter() {
                        jumps.extend(self.condition(part, so)?);
                    }
                } else {
                    let mut past = Vec::new();
                    for (place, part) in list.iter().enumerate() {
                        if place + 1 < list.len() {
                            past.extend(self.condition(part, deciding)?);
                        } else {
                            jumps.extend(self.condition(part, so)?);
                        }
                    }
                    past.into_iter().for_each(|jump| self.land(jump));
                }
                jumps
            }
            Expression::Call(call) if call.sign && &*call.name == "!" && call.args.len() == 1 => {
                let jumps = match &call.args[0] {
                    Expression::And(..) | Expression::Or(..) => true,
                    Expression::Call(call) => call.sign && (&*call.name == "!" || operator(&call.name).is_some_and(compares)),
                    _ => false,
                };
                if jumps {
                    return self.condition(&call.args[0], !so);
                }
                let flag = self.value(&call.args[0])?;
                self.at(call.at);
                vec![self.emit(Op::JumpIf { flag, so: !so, to: 0 })]
            }
            Expression::Call(call) if call.sign && call.args.len() == 2 && operator(&call.name).is_some_and(compares) => {
                let op = operator(&call.name).unwrap_or(Binary::Eq);
                let found = self.values(&call.args)?;
                self.at(call.at);
                vec![self.emit(Op::Compare { op, so, a: found[0], b: found[1], to: 0 })]
            }
            _ => {
                let flag = self.value(expression)?;
                self.at(expression.at());
                vec![self.emit(Op::JumpIf { flag, so, to: 0 })]
            }
        };
        self.back_to(top);
        Ok(jumps)
    }
}
