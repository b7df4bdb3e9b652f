//! Closures, inlined or as values.

use super::captures::inlined_closure;
use super::function_builder::{FunctionBuilder, InlinedClosure, LocalVariable, LoweringResult};
use crate::code::bytecode::{BinaryOperator, Operand, Operation, Register};
use crate::code::verbs::texts::TYPE_OF;
use crate::code::verbs::{self, Iteration};
use crate::situation::value::Value;
use crate::syntax::tree::{Call, ClosureExpression, Expression, SourcePosition};

/// The function applied to each item of a list.
pub enum ClosureBody<'e> {
    Inline(&'e ClosureExpression),
    /// A closure value.
    Value(Operand),
}

impl FunctionBuilder<'_> {
    /// Compiles a closure to a value.
    pub fn lower_closure(&mut self, closure: &ClosureExpression, dst: Register) -> LoweringResult {
        let (mut shares, mut captured) = (Vec::new(), Vec::new());
        for name in &closure.captures {
            match self.find_variable(name).cloned() {
                Some(variable) if variable.shared => {
                    shares.push(Operand(variable.register));
                    captured.push(variable);
                }
                _ => {
                    return self.fail(
                        format!("there is no variable `{name}` that this closure could use"),
                        "a variable begins with `let`",
                    );
                }
            }
        }
        let mut inner = FunctionBuilder::new(self.program, self.case, self.answer_slot);
        inner.shared_names = self.shared_names.clone();
        inner.function.name = format!("a closure in {}", self.function.name);
        inner.function.span = self.function.span;
        match inner.lower_closure_body(closure, captured) {
            Ok(()) => {}
            Err(stuck) => {
                self.complaints.0.append(&mut inner.complaints.0);
                return Err(stuck);
            }
        }
        let number = self.program.add_function(inner.function);
        let function = self.function_ref(number);
        let args = self.argument_list(&shares)?;
        self.emit(Operation::Closure {
            dst,
            function,
            args,
        });
        Ok(())
    }

    /// Compiles the body of a closure value. Its captured variables come before its parameters.
    fn lower_closure_body(
        &mut self,
        closure: &ClosureExpression,
        captured: Vec<LocalVariable>,
    ) -> LoweringResult {
        self.function.arity = closure.params.len();
        let first_register = self.alloc_registers(captured.len() + closure.params.len())? as usize;
        let first_param = first_register + captured.len();
        for (index, variable) in captured.into_iter().enumerate() {
            self.variables.push(LocalVariable {
                register: (first_register + index) as Register,
                constant: false,
                ..variable
            });
        }
        for (index, name) in closure.params.iter().enumerate() {
            self.declare_variable(name, (first_param + index) as Register, false, None)?;
        }
        let dst = self.alloc_register()?;
        self.lower_block(&closure.body, Some(dst))?;
        self.emit(Operation::Return { src: Operand(dst) });
        Ok(())
    }

    /// Inlines a closure whose parameters are in these registers.
    fn inline_closure(
        &mut self,
        closure: &ClosureExpression,
        args: &[Register],
        dst: Register,
    ) -> LoweringResult {
        // The closure's body can see the variables of the function.
        let variables = self.variables.len();
        for (name, register) in closure.params.iter().zip(args) {
            self.declare_variable(name, *register, false, None)?;
        }
        self.inlined_closures.push(InlinedClosure {
            return_jumps: Vec::new(),
            dst,
            outer_loops: self.loops.len(),
        });
        self.lower_block(&closure.body, Some(dst))?;
        if let Some(inlined) = self.inlined_closures.pop() {
            inlined
                .return_jumps
                .into_iter()
                .for_each(|jump| self.patch_jump(jump));
        }
        self.end_scopes(variables);
        Ok(())
    }

    /// Compiles `list.where(|u| ...)` and similar calls with an inlined closure.
    pub fn lower_inline_method(
        &mut self,
        call: &Call,
        list: Operand,
        dst: Register,
    ) -> LoweringResult {
        self.set_position(call.at);
        let iteration =
            verbs::lookup(&call.name, call.args.len() + 1).and_then(|verb| verb.iteration);
        match (iteration, inlined_closure(call, true)) {
            (Some(iteration), Some(closure)) => {
                self.lower_iteration(iteration, list, ClosureBody::Inline(closure), dst)
            }
            _ => self.fail(
                "this is not in the language of cases",
                "see `casebook guide` for what a case may say",
            ),
        }
    }

    /// Compiles the iteration of a list with a closure.
    pub fn lower_iteration(
        &mut self,
        iteration: Iteration,
        list: Operand,
        body: ClosureBody,
        dst: Register,
    ) -> LoweringResult {
        let top = self.register_mark();
        let list = self.copy_to_register(list)?;
        let (count, item, result) = (
            self.alloc_register()?,
            self.alloc_register()?,
            self.alloc_register()?,
        );
        let mut args = vec![item];
        let param_count = match &body {
            ClosureBody::Inline(closure) => closure.params.len(),
            ClosureBody::Value(_) => 1,
        };
        if param_count > 1 && iteration != Iteration::Find {
            args.push(self.alloc_register()?);
        }
        let zero = self.constant_operand(Value::Number(0));
        self.emit(Operation::Copy {
            dst: count,
            src: zero,
        });
        let start = match iteration {
            Iteration::Keep(_) | Iteration::Map => {
                let args = self.argument_list(&[])?;
                self.emit(Operation::List { dst, args });
                None
            }
            Iteration::Some => Some(Value::False),
            Iteration::All => Some(Value::True),
            Iteration::Find => Some(Value::Nothing),
        };
        if let Some(start) = start {
            let src = self.constant_operand(start);
            self.emit(Operation::Copy { dst, src });
        }
        let loop_start = self.next_op();
        let next = self.emit(Operation::Next {
            dst: item,
            iterable: list,
            count,
            to: 0,
        });
        if let Some(position) = args.get(1).copied() {
            let step = self.constant_operand(Value::Number(1));
            self.emit(Operation::Binary {
                op: BinaryOperator::Sub,
                dst: position,
                a: Operand(count),
                b: step,
            });
        }
        // A closure with several statements may reassign its parameter.
        let may_reassign = matches!(&body, ClosureBody::Inline(closure) if closure.body.len() > 1);
        let unchanged_item = if may_reassign {
            self.copy_item(item)?
        } else {
            item
        };
        let position = self.position;
        match body {
            ClosureBody::Inline(closure) => self.inline_closure(closure, &args, result)?,
            ClosureBody::Value(closure) => {
                self.emit_closure_call(closure, &[Operand(item)], result)?
            }
        }
        self.position = position;
        let yes = self.constant_operand(Value::True);
        let end = match iteration {
            Iteration::Map => {
                self.emit(Operation::Push {
                    list: dst,
                    src: Operand(result),
                });
                None
            }
            Iteration::Keep(kept) => {
                let not = self.emit(Operation::JumpIf {
                    flag: Operand(result),
                    expected: !kept,
                    to: 0,
                });
                self.emit(Operation::Push {
                    list: dst,
                    src: Operand(unchanged_item),
                });
                self.patch_jump(not);
                None
            }
            Iteration::All => {
                let holds = self.emit(Operation::JumpIf {
                    flag: Operand(result),
                    expected: true,
                    to: 0,
                });
                let src = self.constant_operand(Value::False);
                self.emit(Operation::Copy { dst, src });
                let end = self.emit(Operation::Jump { to: 0 });
                self.patch_jump(holds);
                Some(end)
            }
            Iteration::Some | Iteration::Find => {
                let not = self.emit(Operation::JumpIf {
                    flag: Operand(result),
                    expected: false,
                    to: 0,
                });
                let src = if iteration == Iteration::Find {
                    Operand(unchanged_item)
                } else {
                    yes
                };
                self.emit(Operation::Copy { dst, src });
                let end = self.emit(Operation::Jump { to: 0 });
                self.patch_jump(not);
                Some(end)
            }
        };
        self.emit(Operation::Jump { to: loop_start });
        self.patch_jump(next);
        if let Some(end) = end {
            self.patch_jump(end);
        }
        self.free_registers_to(top);
        Ok(())
    }

    /// Compiles `where` and `without` with a value that may turn out to be a closure.
    pub fn lower_selection(
        &mut self,
        verb: u16,
        iteration: Iteration,
        (list, criterion): (Operand, Operand),
        dst: Register,
    ) -> LoweringResult {
        let top = self.register_mark();
        let (list, criterion) = (
            self.copy_to_register(list)?,
            self.copy_to_register(criterion)?,
        );
        let is_closure = self.alloc_register()?;
        if let Some(verb) = verbs::find(TYPE_OF, 1) {
            let args = self.argument_list(&[criterion])?;
            self.emit(Operation::CallVerb {
                verb,
                dst: is_closure,
                args,
            });
        }
        let closure = self.constant_operand("Fn".into());
        self.emit(Operation::Binary {
            op: BinaryOperator::Eq,
            dst: is_closure,
            a: Operand(is_closure),
            b: closure,
        });
        let plain = self.emit(Operation::JumpIf {
            flag: Operand(is_closure),
            expected: false,
            to: 0,
        });
        self.lower_iteration(iteration, list, ClosureBody::Value(criterion), dst)?;
        let end = self.emit(Operation::Jump { to: 0 });
        self.patch_jump(plain);
        let args = self.argument_list(&[list, criterion])?;
        self.emit(Operation::CallVerb { verb, dst, args });
        self.patch_jump(end);
        self.free_registers_to(top);
        Ok(())
    }

    /// Copies the item, so that the closure can't change it.
    fn copy_item(&mut self, item: Register) -> LoweringResult<Register> {
        let copy = self.alloc_register()?;
        self.emit(Operation::Copy {
            dst: copy,
            src: Operand(item),
        });
        Ok(copy)
    }

    /// `outcome(|| ...)`: inlines the closure and collects the outcomes it records.
    pub fn lower_outcome(
        &mut self,
        closure: &Expression,
        at: SourcePosition,
        dst: Register,
    ) -> LoweringResult {
        self.set_position(at);
        let mark = self.alloc_register()?;
        self.emit(Operation::MarkOutcomes { dst: mark });
        self.lower_trial(closure)?;
        self.set_position(at);
        self.emit(Operation::OutcomesSince { dst, mark });
        Ok(())
    }

    /// `expect_refused(|| ..., case)`, `why_refused(|| ...)`: inlines the closure under a refusal handler.
    pub fn lower_refused(
        &mut self,
        verb: u16,
        args: &[Expression],
        at: SourcePosition,
        dst: Register,
    ) -> LoweringResult {
        let case = if args.len() > 1 {
            Some(self.lower_operand(&args[1])?)
        } else {
            None
        };
        self.set_position(at);
        let refused = self.alloc_register()?;
        let jump = self.emit(Operation::Try {
            dst: refused,
            to: 0,
        });
        self.lower_trial(&args[0])?;
        self.emit(Operation::EndTry);
        self.patch_jump(jump);
        self.set_position(at);
        let operands: Vec<Operand> = [Operand(refused)].into_iter().chain(case).collect();
        let args = self.argument_list(&operands)?;
        self.emit(Operation::CallVerb { verb, dst, args });
        Ok(())
    }

    fn lower_trial(&mut self, closure: &Expression) -> LoweringResult {
        let scratch = self.alloc_register()?;
        match closure {
            Expression::Closure(closure) => self.inline_closure(closure, &[], scratch),
            value => {
                let value = self.lower_operand(value)?;
                self.emit_closure_call(value, &[], scratch)
            }
        }
    }
}
