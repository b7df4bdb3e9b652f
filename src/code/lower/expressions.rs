//! Expressions and operators.

use super::lowering::{Lowered, Lowering};
use super::sharing::{changes, lambda};
use crate::code::unit::{Binary, Op, Operand, Register};
use crate::situation::value::{Text, Value};
use rhai::{Expr, FnCallExpr};
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
    pub fn value(&mut self, expression: &Expr) -> Lowered<Operand> {
        match expression {
            Expr::BoolConstant(flag, _) => Ok(self.constant((*flag).into())),
            Expr::IntegerConstant(n, _) => Ok(self.constant(Value::Number(*n))),
            Expr::CharConstant(c, _) => Ok(self.constant(c.to_string().into())),
            Expr::StringConstant(text, _) => Ok(self.constant(text.as_str().into())),
            Expr::Unit(_) => Ok(self.constant(Value::Nothing)),
            Expr::DynamicConstant(value, _) if lambda(expression).is_none() => {
                let value = self.literal(value)?;
                Ok(self.constant(value))
            }
            Expr::Variable(parts, _, position) => {
                self.at(*position);
                match self.variable(&parts.1).cloned() {
                    Some(variable) if !variable.shared => Ok(Operand(variable.register)),
                    Some(variable) => {
                        let dst = self.fresh()?;
                        self.emit(Op::Load { dst, shared: variable.register });
                        Ok(Operand(dst))
                    }
                    None => self.stuck(format!("there is no variable `{}`", parts.1), "a variable begins with `let`"),
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
    pub fn values(&mut self, list: &[&Expr]) -> Lowered<Vec<Operand>> {
        let mut operands = Vec::with_capacity(list.len());
        for (place, expression) in list.iter().enumerate() {
            let operand = self.value(expression)?;
            // What a later one may change is put aside.
            let disturbed = matches!(expression, Expr::Variable(..)) && list[place + 1..].iter().any(|later| changes(later));
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
    pub fn into(&mut self, expression: &Expr, dst: Register) -> Lowered {
        let top = self.top();
        match expression {
            Expr::Array(list, position) => {
                let operands = self.values(&list.iter().collect::<Vec<_>>())?;
                self.at(*position);
                let args = self.args(&operands)?;
                self.emit(Op::List { dst, args });
            }
            Expr::Map(parts, position) => {
                let operands = self.values(&parts.0.iter().map(|(_, value)| value).collect::<Vec<_>>())?;
                self.at(*position);
                // A map keeps the order of its names, and no name stands twice.
                let names = parts.0.iter().map(|(name, _)| Text::from(name.name.as_str()));
                let (names, operands): (Vec<Text>, Vec<Operand>) = names.zip(operands).collect::<BTreeMap<_, _>>().into_iter().unzip();
                let args = self.args(&operands)?;
                self.unit.shapes.push(names);
                let shape = self.unit.shapes.len() as u16 - 1;
                self.emit(Op::Map { dst, shape, args });
            }
            Expr::InterpolatedString(list, position) => {
                let operands = self.values(&list.iter().collect::<Vec<_>>())?;
                self.at(*position);
                let args = self.args(&operands)?;
                self.emit(Op::Words { dst, args });
            }
            Expr::Stmt(block) => match lambda(expression) {
                Some(named) => self.closure(&named, dst)?,
                None => self.block(block.statements(), Some(dst))?,
            },
            Expr::DynamicConstant(value, _) => match lambda(expression) {
                Some(named) => self.closure(&named, dst)?,
                None => {
                    let value = self.literal(value)?;
                    let src = self.constant(value);
                    self.emit(Op::Copy { dst, src });
                }
            },
            Expr::FnCall(call, position) => self.function(call, *position, dst)?,
            Expr::Dot(..) | Expr::Index(..) => self.chain(expression, dst)?,
            Expr::And(..) | Expr::Or(..) => {
                let no = self.condition(expression, false)?;
                let src = self.constant(Value::True);
                self.emit(Op::Copy { dst, src });
                let end = self.emit(Op::Jump { to: 0 });
                no.into_iter().for_each(|jump| self.land(jump));
                let src = self.constant(Value::False);
                self.emit(Op::Copy { dst, src });
                self.land(end);
            }
            Expr::Coalesce(list, _) => {
                let mut ends = Vec::new();
                for (place, part) in list.iter().enumerate() {
                    self.into(part, dst)?;
                    if place + 1 < list.len() {
                        ends.push(self.emit(Op::JumpIfSome { src: Operand(dst), to: 0 }));
                    }
                }
                ends.into_iter().for_each(|jump| self.land(jump));
            }
            Expr::ThisPtr(position) => {
                self.at(*position);
                return self.stuck("`this` is not in the language of cases", "name what the closure works on: |n| n + 1");
            }
            Expr::Property(..) | Expr::MethodCall(..) => {
                return self.stuck("this is not in the language of cases", "see `casebook guide` for what a case may say");
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
    fn function(&mut self, call: &FnCallExpr, position: rhai::Position, dst: Register) -> Lowered {
        if call.op_token.is_none() && !(call.name == "contains" && call.args.len() == 2) {
            return self.called_by_name(call, position, dst);
        }
        let args: Vec<&Expr> = call.args.iter().collect();
        match (call.name.as_str(), &args[..]) {
            ("!", [_]) => {
                let src = self.value(args[0])?;
                self.at(position);
                self.emit(Op::Not { dst, src });
            }
            ("-", [_]) => {
                let src = self.value(args[0])?;
                self.at(position);
                self.emit(Op::Neg { dst, src });
            }
            ("contains", [_, _]) => {
                let found = self.values(&args)?;
                self.at(position);
                self.emit(Op::Binary { op: Binary::In, dst, a: found[0], b: found[1] });
            }
            (name, [_, _]) => match operator(name) {
                Some(op) => {
                    let found = self.values(&args)?;
                    self.at(position);
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
    pub fn condition(&mut self, expression: &Expr, so: bool) -> Lowered<Vec<usize>> {
        let top = self.top();
        let jumps = match expression {
            Expr::And(list, _) | Expr::Or(list, _) => {
                // One that decides: a false one of `&&`, a true one of `||`.
                let deciding = matches!(expression, Expr::Or(..));
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
            Expr::FnCall(call, position) if call.op_token.is_some() && call.name == "!" && call.args.len() == 1 => {
                let jumps = match &call.args[0] {
                    Expr::And(..) | Expr::Or(..) => true,
                    Expr::FnCall(call, _) => call.op_token.is_some() && (call.name == "!" || operator(&call.name).is_some_and(compares)),
                    _ => false,
                };
                if jumps {
                    return self.condition(&call.args[0], !so);
                }
                let flag = self.value(&call.args[0])?;
                self.at(*position);
                vec![self.emit(Op::JumpIf { flag, so: !so, to: 0 })]
            }
            Expr::FnCall(call, position)
                if call.op_token.is_some() && call.args.len() == 2 && operator(&call.name).is_some_and(compares) =>
            {
                let op = operator(&call.name).unwrap_or(Binary::Eq);
                let found = self.values(&call.args.iter().collect::<Vec<_>>())?;
                self.at(*position);
                vec![self.emit(Op::Compare { op, so, a: found[0], b: found[1], to: 0 })]
            }
            _ => {
                let flag = self.value(expression)?;
                self.at(expression.position());
                vec![self.emit(Op::JumpIf { flag, so, to: 0 })]
            }
        };
        self.back_to(top);
        Ok(jumps)
    }
}
