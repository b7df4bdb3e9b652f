//! Expressions and operators.

use super::captures::may_mutate;
use super::function_builder::{FunctionBuilder, LoweringResult};
use crate::code::bytecode::{BinaryOperator, Operand, Operation, Register};
use crate::situation::value::{HashedText, Value};
use crate::syntax::calls::CONTAINS;
use crate::syntax::tree::{Call, Expression};
use std::collections::BTreeMap;

/// Returns the binary operator of a token.
pub fn binary_operator(name: &str) -> Option<BinaryOperator> {
    Some(match name {
        "+" => BinaryOperator::Add,
        "-" => BinaryOperator::Sub,
        "*" => BinaryOperator::Mul,
        "/" => BinaryOperator::Div,
        "%" => BinaryOperator::Rem,
        "**" => BinaryOperator::Pow,
        "==" => BinaryOperator::Eq,
        "!=" => BinaryOperator::Ne,
        "<" => BinaryOperator::Lt,
        "<=" => BinaryOperator::Le,
        ">" => BinaryOperator::Gt,
        ">=" => BinaryOperator::Ge,
        "&" => BinaryOperator::And,
        "|" => BinaryOperator::Or,
        "^" => BinaryOperator::Xor,
        "<<" => BinaryOperator::Shl,
        ">>" => BinaryOperator::Shr,
        ".." => BinaryOperator::Range,
        "..=" => BinaryOperator::RangeInclusive,
        _ => return None,
    })
}

fn is_comparison(op: BinaryOperator) -> bool {
    matches!(
        op,
        BinaryOperator::Eq
            | BinaryOperator::Ne
            | BinaryOperator::Lt
            | BinaryOperator::Le
            | BinaryOperator::Gt
            | BinaryOperator::Ge
    )
}

impl FunctionBuilder<'_> {
    /// Compiles an expression to an operand: a constant, the register of a variable, or a new register.
    pub fn lower_operand(&mut self, expression: &Expression) -> LoweringResult<Operand> {
        match expression {
            Expression::Bool(flag, _) => Ok(self.constant_operand((*flag).into())),
            Expression::Number(n, _) => Ok(self.constant_operand(Value::Number(*n))),
            Expression::Text(text, _) => Ok(self.constant_operand(self.named(text).into())),
            Expression::Nothing(_) => Ok(self.constant_operand(Value::Nothing)),
            Expression::Variable(name, at) => {
                self.set_position(*at);
                match self.find_variable(name).cloned() {
                    Some(variable) if !variable.shared => Ok(Operand(variable.register)),
                    Some(variable) => {
                        let dst = self.alloc_register()?;
                        self.emit(Operation::LoadShared {
                            dst,
                            shared: variable.register,
                        });
                        Ok(Operand(dst))
                    }
                    None => self.fail(
                        format!("there is no variable `{name}`"),
                        "a variable begins with `let`",
                    ),
                }
            }
            _ => {
                let dst = self.alloc_register()?;
                self.lower_into(expression, dst)?;
                Ok(Operand(dst))
            }
        }
    }

    /// Compiles several expressions in order.
    pub fn lower_operands<'e>(
        &mut self,
        list: impl IntoIterator<Item = &'e Expression, IntoIter: Clone>,
    ) -> LoweringResult<Vec<Operand>> {
        let (mut operands, mut later) = (Vec::new(), list.into_iter());
        while let Some(expression) = later.next() {
            let operand = self.lower_operand(expression)?;
            // Copy a variable that a later operand may change.
            let disturbed = expression.as_variable().is_some() && later.clone().any(may_mutate);
            operands.push(if disturbed {
                self.copy_to_register(operand)?
            } else {
                operand
            });
        }
        Ok(operands)
    }

    /// Copies a value to a new register.
    pub fn copy_to_register(&mut self, operand: Operand) -> LoweringResult<Operand> {
        let dst = self.alloc_register()?;
        self.emit(Operation::Copy { dst, src: operand });
        Ok(Operand(dst))
    }

    /// Compiles an expression into a register that holds no other value.
    pub fn lower_into(&mut self, expression: &Expression, dst: Register) -> LoweringResult {
        let top = self.register_mark();
        match expression {
            Expression::List(list, at) => {
                let operands = self.lower_operands(list)?;
                self.set_position(*at);
                let args = self.argument_list(&operands)?;
                self.emit(Operation::List { dst, args });
            }
            Expression::Map(entries, at) => {
                let operands = self.lower_operands(entries.iter().map(|(.., value)| value))?;
                self.set_position(*at);
                // Maps are sorted by key, and keys are unique.
                let names = entries.iter().map(|(name, ..)| self.named(name));
                let (names, operands): (Vec<HashedText>, Vec<Operand>) = names
                    .zip(operands)
                    .collect::<BTreeMap<_, _>>()
                    .into_iter()
                    .unzip();
                let args = self.argument_list(&operands)?;
                self.function.map_shapes.push(names);
                let shape = self.function.map_shapes.len() as u16 - 1;
                self.emit(Operation::Map { dst, shape, args });
            }
            Expression::Interpolation(list, at) => {
                let operands = self.lower_operands(list)?;
                self.set_position(*at);
                let args = self.argument_list(&operands)?;
                self.emit(Operation::Interpolate { dst, args });
            }
            Expression::Closure(closure) => self.lower_closure(closure, dst)?,
            Expression::Block(body, _) => self.lower_block(body, Some(dst))?,
            Expression::Call(call) => self.lower_function_call(call, dst)?,
            Expression::Chain(chain) => self.lower_chain(chain, dst)?,
            Expression::And(..) | Expression::Or(..) => {
                let false_jumps = self.lower_condition(expression, false)?;
                let src = self.constant_operand(Value::True);
                self.emit(Operation::Copy { dst, src });
                let end = self.emit(Operation::Jump { to: 0 });
                false_jumps
                    .into_iter()
                    .for_each(|jump| self.patch_jump(jump));
                let src = self.constant_operand(Value::False);
                self.emit(Operation::Copy { dst, src });
                self.patch_jump(end);
            }
            Expression::Coalesce(list, _) => {
                let mut ends = Vec::new();
                for (index, operand) in list.iter().enumerate() {
                    self.lower_into(operand, dst)?;
                    if index + 1 < list.len() {
                        ends.push(self.emit(Operation::JumpIfSome {
                            src: Operand(dst),
                            to: 0,
                        }));
                    }
                }
                ends.into_iter().for_each(|jump| self.patch_jump(jump));
            }
            Expression::Changed(changed) => self.lower_changed(changed, dst)?,
            Expression::Foreign(foreign, at) => {
                self.set_position(*at);
                return self.unsupported(*foreign);
            }
            _ => {
                let src = self.lower_operand(expression)?;
                self.emit(Operation::Copy { dst, src });
            }
        }
        self.free_registers_to(top);
        Ok(())
    }

    /// Compiles an operator or a call.
    fn lower_function_call(&mut self, call: &Call, dst: Register) -> LoweringResult {
        let Call {
            name,
            args,
            is_operator: sign,
            at,
        } = call;
        let at = *at;
        if !(*sign || &**name == CONTAINS && args.len() == 2) {
            return self.lower_call(call, dst);
        }
        match (&**name, &args[..]) {
            ("!", [_]) => {
                let src = self.lower_operand(&args[0])?;
                self.set_position(at);
                self.emit(Operation::Not { dst, src });
            }
            ("-", [_]) => {
                let src = self.lower_operand(&args[0])?;
                self.set_position(at);
                self.emit(Operation::Neg { dst, src });
            }
            (CONTAINS, [_, _]) => {
                let operands = self.lower_operands(args)?;
                self.set_position(at);
                self.emit(Operation::Binary {
                    op: BinaryOperator::In,
                    dst,
                    a: operands[0],
                    b: operands[1],
                });
            }
            (name, [_, _]) => match binary_operator(name) {
                Some(op) => {
                    let operands = self.lower_operands(args)?;
                    self.set_position(at);
                    self.emit(Operation::Binary {
                        op,
                        dst,
                        a: operands[0],
                        b: operands[1],
                    });
                }
                None => {
                    return self.fail(
                        format!("`{name}` is not in the language of cases"),
                        "see `casebook guide` for what a case may say",
                    );
                }
            },
            (name, _) => {
                return self.fail(
                    format!("`{name}` is not in the language of cases"),
                    "see `casebook guide` for what a case may say",
                );
            }
        }
        Ok(())
    }

    /// Compiles a condition to jumps that are taken if it equals `expected`. Returns the jumps, to be patched.
    pub fn lower_condition(
        &mut self,
        expression: &Expression,
        expected: bool,
    ) -> LoweringResult<Vec<usize>> {
        let top = self.register_mark();
        let jumps = match expression {
            Expression::And(list, _) | Expression::Or(list, _) => {
                // The value that short-circuits: false for `&&`, true for `||`.
                let deciding = matches!(expression, Expression::Or(..));
                let mut jumps = Vec::new();
                if expected == deciding {
                    for operand in list.iter() {
                        jumps.extend(self.lower_condition(operand, expected)?);
                    }
                } else {
                    let mut past = Vec::new();
                    for (index, operand) in list.iter().enumerate() {
                        if index + 1 < list.len() {
                            past.extend(self.lower_condition(operand, deciding)?);
                        } else {
                            jumps.extend(self.lower_condition(operand, expected)?);
                        }
                    }
                    past.into_iter().for_each(|jump| self.patch_jump(jump));
                }
                jumps
            }
            Expression::Call(call)
                if call.is_operator && &*call.name == "!" && call.args.len() == 1 =>
            {
                let jumps = match &call.args[0] {
                    Expression::And(..) | Expression::Or(..) => true,
                    Expression::Call(call) => {
                        call.is_operator
                            && (&*call.name == "!"
                                || binary_operator(&call.name).is_some_and(is_comparison))
                    }
                    _ => false,
                };
                if jumps {
                    return self.lower_condition(&call.args[0], !expected);
                }
                let flag = self.lower_operand(&call.args[0])?;
                self.set_position(call.at);
                vec![self.emit(Operation::JumpIf {
                    flag,
                    expected: !expected,
                    to: 0,
                })]
            }
            Expression::Call(call)
                if call.is_operator
                    && call.args.len() == 2
                    && binary_operator(&call.name).is_some_and(is_comparison) =>
            {
                let op = binary_operator(&call.name).unwrap_or(BinaryOperator::Eq);
                let operands = self.lower_operands(&call.args)?;
                self.set_position(call.at);
                vec![self.emit(Operation::Compare {
                    op,
                    expected,
                    a: operands[0],
                    b: operands[1],
                    to: 0,
                })]
            }
            _ => {
                let flag = self.lower_operand(expression)?;
                self.set_position(expression.position());
                vec![self.emit(Operation::JumpIf {
                    flag,
                    expected,
                    to: 0,
                })]
            }
        };
        self.free_registers_to(top);
        Ok(jumps)
    }
}
