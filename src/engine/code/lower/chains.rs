//! Chains such as `a.b[c].d(e)`, read and assigned. As in Rhai, index keys and call arguments are evaluated before the links are followed.

use super::captures::inlined_closure;
use super::function_builder::{FunctionBuilder, LoweringResult};
use crate::code::bytecode::{Operand, Operation, PathStep, Register};
use crate::code::verbs;
use crate::situation::value::Value;
use crate::syntax::tree::{Call, Chain, Expression, Link, LinkKind, Name, SourcePosition};

/// The evaluated inputs of a link: the key of an index or the arguments of a call.
enum PreparedLink {
    Nothing,
    Key(Operand),
    Args(Vec<Operand>),
}

/// An assignable place: a variable, or the end of a path from a variable.
struct AssignmentTarget {
    register: Register,
    shared: Option<Register>,
    path: Vec<PathStep>,
    keys: Vec<Operand>,
}

impl FunctionBuilder<'_> {
    /// Compiles a chain that is read.
    pub fn lower_chain(
        &mut self,
        Chain { root, links, .. }: &Chain,
        dst: Register,
    ) -> LoweringResult {
        let prepared = self.prepare_links(links)?;
        let mut target = self.chain_root(root)?;
        let mut value = match &target {
            Some(target) => Operand(target.register),
            None => self.lower_operand(root)?,
        };
        let mut ends = Vec::new();
        for (index, (link, prepared)) in links.iter().zip(prepared).enumerate() {
            if link.is_optional {
                let skip_end = self.emit(Operation::JumpIfSome { src: value, to: 0 });
                let src = self.constant_operand(Value::Nothing);
                self.emit(Operation::Copy { dst, src });
                ends.push(self.emit(Operation::Jump { to: 0 }));
                self.patch_jump(skip_end);
            }
            let is_last = index + 1 == links.len();
            let to = if is_last { dst } else { self.alloc_register()? };
            match (&link.kind, prepared) {
                (LinkKind::Field(name), _) => {
                    let field = self.field_ref(name)?;
                    self.set_position(link.at);
                    self.emit(Operation::Get {
                        dst: to,
                        object: value,
                        field,
                    });
                    if let Some(target) = &mut target {
                        target.path.push(PathStep::Field(field));
                    }
                }
                (LinkKind::Key(_), PreparedLink::Key(key)) => {
                    self.set_position(link.at);
                    self.emit(Operation::Index {
                        dst: to,
                        object: value,
                        key,
                    });
                    if let Some(target) = &mut target {
                        target.path.push(PathStep::Key(target.keys.len() as u8));
                        target.keys.push(key);
                    }
                }
                (LinkKind::Method(call), PreparedLink::Args(args)) => {
                    self.lower_method(call, (value, target.take()), args, to)?
                }
                (LinkKind::Method(call), _) => self.lower_inline_method(call, value, to)?,
                (LinkKind::Key(_), _) => {}
            }
            value = Operand(to);
        }
        ends.into_iter().for_each(|jump| self.patch_jump(jump));
        Ok(())
    }

    /// Evaluates the index keys and call arguments of a chain.
    fn prepare_links(&mut self, links: &[Link]) -> LoweringResult<Vec<PreparedLink>> {
        let mut prepared = Vec::new();
        for link in links {
            prepared.push(match &link.kind {
                LinkKind::Field(_) => PreparedLink::Nothing,
                LinkKind::Key(key) => {
                    let key = self.lower_operand(key)?;
                    PreparedLink::Key(self.protect_key(key)?)
                }
                LinkKind::Method(call) if self.inlines_closure(call, true) => PreparedLink::Nothing,
                LinkKind::Method(call) => PreparedLink::Args(self.lower_operands(&call.args)?),
            });
        }
        Ok(prepared)
    }

    /// Copies a key out of its variable, so that a later method can't change it.
    fn protect_key(&mut self, key: Operand) -> LoweringResult<Operand> {
        match key.register() {
            Some(register) if self.variables.iter().any(|v| v.register == register) => {
                self.copy_to_register(key)
            }
            _ => Ok(key),
        }
    }

    /// Whether a call inlines its closure argument.
    pub fn inlines_closure(&self, call: &Call, method: bool) -> bool {
        let count = call.args.len() + usize::from(method);
        inlined_closure(call, method).is_some()
            && self.program.ruleset.slot(&call.name, count).is_none()
    }

    /// Returns the variable at the root of a chain.
    fn chain_root(&mut self, root: &Expression) -> LoweringResult<Option<AssignmentTarget>> {
        let Some(variable) = root
            .as_variable()
            .and_then(|name| self.find_variable(name))
            .cloned()
        else {
            return Ok(None);
        };
        let mut register = variable.register;
        if variable.shared {
            register = self.alloc_register()?;
            self.emit(Operation::LoadShared {
                dst: register,
                shared: variable.register,
            });
        }
        let shared = variable.shared.then_some(variable.register);
        Ok(Some(AssignmentTarget {
            register,
            shared,
            path: Vec::new(),
            keys: Vec::new(),
        }))
    }

    /// Compiles a method call: a case, helper or verb with the receiver as first argument.
    fn lower_method(
        &mut self,
        call: &Call,
        (receiver, target): (Operand, Option<AssignmentTarget>),
        args: Vec<Operand>,
        dst: Register,
    ) -> LoweringResult {
        self.set_position(call.at);
        let count = args.len() + 1;
        let verb = match self.resolve(&call.name, count) {
            super::calls::ResolvedName::Verb(number) => {
                Some((number, verbs::all()[number as usize]))
            }
            _ => None,
        };
        let Some((number, _)) = verb.filter(|(_, verb)| verb.changes_receiver()) else {
            let operands: Vec<Operand> = [receiver].into_iter().chain(args).collect();
            return self.call_with_operands(call, operands, dst);
        };
        // A mutating method works on the variable itself, or on a copy that is stored back.
        let register = match &target {
            Some(target) if target.path.is_empty() => target.register,
            _ => match receiver.register() {
                Some(register) if !self.variables.iter().any(|v| v.register == register) => {
                    register
                }
                _ => {
                    let copy = self.alloc_register()?;
                    self.emit(Operation::Copy {
                        dst: copy,
                        src: receiver,
                    });
                    copy
                }
            },
        };
        self.emit_mutation(number, register, &args, dst)?;
        if let Some(target) = target {
            self.store_back(target, register)?;
        }
        Ok(())
    }

    /// Stores a changed value back to its place.
    fn store_back(&mut self, target: AssignmentTarget, register: Register) -> LoweringResult {
        if !target.path.is_empty() {
            let operands: Vec<Operand> =
                [Operand(register)].into_iter().chain(target.keys).collect();
            let args = self.argument_list(&operands)?;
            self.function.paths.push(target.path);
            let path = self.function.paths.len() as u16 - 1;
            self.emit(Operation::StorePath {
                root: target.register,
                path,
                args,
            });
        }
        if let Some(shared) = target.shared {
            self.emit(Operation::StoreShared {
                shared,
                src: Operand(target.register),
            });
        }
        Ok(())
    }

    /// Compiles an assignment to a variable or to the end of a chain.
    pub fn lower_assign(
        &mut self,
        (sign, at): (Option<&Name>, SourcePosition),
        left: &Expression,
        right: &Expression,
    ) -> LoweringResult {
        let value = self.lower_operand(right)?;
        let Chain { root, links, .. } = match left {
            Expression::Variable(name, position) => {
                self.set_position(*position);
                return self.lower_variable_assign((sign, at), name, value);
            }
            Expression::Chain(chain) => &**chain,
            _ => {
                return self.fail(
                    "nothing can be assigned to this",
                    "assign to a variable, a field or an item",
                );
            }
        };
        let value = self.protect_key(value)?;
        let prepared = self.prepare_links(links)?;
        let mut target = match self.chain_root(root)? {
            Some(target) => target,
            None => {
                let register = self.alloc_register()?;
                self.lower_into(root, register)?;
                AssignmentTarget {
                    register,
                    shared: None,
                    path: Vec::new(),
                    keys: Vec::new(),
                }
            }
        };
        for (link, prepared) in links.iter().zip(prepared) {
            self.set_position(link.at);
            match (&link.kind, prepared) {
                (LinkKind::Field(name), _) => {
                    target.path.push(PathStep::Field(self.field_ref(name)?))
                }
                (LinkKind::Key(_), PreparedLink::Key(key)) => {
                    target.path.push(PathStep::Key(target.keys.len() as u8));
                    target.keys.push(key);
                }
                (LinkKind::Method(call), PreparedLink::Args(args)) => {
                    // An assignment to a call's result changes only the result, unless that is a sheet, which is a reference.
                    let sheet = self.alloc_register()?;
                    self.load_path(&target, sheet)?;
                    let result = self.alloc_register()?;
                    self.lower_method(call, (Operand(sheet), None), args, result)?;
                    target = AssignmentTarget {
                        register: result,
                        shared: None,
                        path: Vec::new(),
                        keys: Vec::new(),
                    };
                }
                _ => {
                    return self.fail(
                        "nothing can be assigned to this",
                        "assign to a variable, a field or an item",
                    );
                }
            }
        }
        // Errors of the store are reported at the assignment, errors of the operator at its token.
        let store_position = self.position;
        let value = match self.assign_operator(sign)? {
            None => value,
            Some(operator) => {
                let sum = self.alloc_register()?;
                self.load_path(&target, sum)?;
                self.set_position(at);
                self.emit_binary(operator, sum, value);
                self.position = store_position;
                Operand(sum)
            }
        };
        let source = match value.register() {
            Some(register) => register,
            None => {
                let register = self.alloc_register()?;
                self.emit(Operation::Copy {
                    dst: register,
                    src: value,
                });
                register
            }
        };
        self.store_back(target, source)
    }

    /// Reads the value at the end of a path.
    fn load_path(&mut self, target: &AssignmentTarget, dst: Register) -> LoweringResult {
        self.emit(Operation::Copy {
            dst,
            src: Operand(target.register),
        });
        for step in target.path.clone() {
            match step {
                PathStep::Field(field) => self.emit(Operation::Get {
                    dst,
                    object: Operand(dst),
                    field,
                }),
                PathStep::Key(number) => self.emit(Operation::Index {
                    dst,
                    object: Operand(dst),
                    key: target.keys[number as usize],
                }),
            };
        }
        Ok(())
    }

    fn assign_operator(
        &mut self,
        sign: Option<&Name>,
    ) -> LoweringResult<Option<crate::code::bytecode::BinaryOperator>> {
        let Some(sign) = sign else { return Ok(None) };
        match super::expressions::binary_operator(sign) {
            Some(op) => Ok(Some(op)),
            None => self.fail(
                format!("`{sign}=` is not in the language of cases"),
                "write it out: `x = x + 1`",
            ),
        }
    }

    fn emit_binary(
        &mut self,
        op: crate::code::bytecode::BinaryOperator,
        dst: Register,
        src: Operand,
    ) {
        match op {
            crate::code::bytecode::BinaryOperator::Add => {
                self.emit(Operation::AddAssign { dst, src })
            }
            op => self.emit(Operation::Binary {
                op,
                dst,
                a: Operand(dst),
                b: src,
            }),
        };
    }

    fn lower_variable_assign(
        &mut self,
        (sign, at): (Option<&Name>, SourcePosition),
        name: &str,
        value: Operand,
    ) -> LoweringResult {
        let Some(variable) = self.find_variable(name).cloned() else {
            return self.fail(
                format!("there is no variable `{name}`"),
                "a variable begins with `let`",
            );
        };
        if variable.constant {
            return self.fail(
                format!("`{name}` is a constant"),
                "write `let` for what is to change",
            );
        }
        let operator = self.assign_operator(sign)?;
        self.set_position(at);
        match (operator, variable.shared) {
            (None, false) => {
                let temporary = value
                    .register()
                    .filter(|register| !self.variables.iter().any(|v| v.register == *register));
                match temporary {
                    Some(src) => self.emit(Operation::Move {
                        dst: variable.register,
                        src,
                    }),
                    None => self.emit(Operation::Copy {
                        dst: variable.register,
                        src: value,
                    }),
                };
            }
            (None, true) => drop(self.emit(Operation::StoreShared {
                shared: variable.register,
                src: value,
            })),
            (Some(op), false) => self.emit_binary(op, variable.register, value),
            (Some(op), true) => {
                let sum = self.alloc_register()?;
                self.emit(Operation::LoadShared {
                    dst: sum,
                    shared: variable.register,
                });
                self.emit_binary(op, sum, value);
                self.emit(Operation::StoreShared {
                    shared: variable.register,
                    src: Operand(sum),
                });
            }
        }
        Ok(())
    }
}
