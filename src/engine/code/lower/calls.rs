//! Calls. A helper of the file takes precedence over a case, and a case over a verb.

use super::captures::inlined_closure;
use super::closures::ClosureBody;
use super::consulted_cases::ConsultedCases;
use super::function_builder::{FunctionBuilder, LoweringResult};
use crate::code::bytecode::{Operand, Operation, Register};
use crate::code::program::FunctionSource;
use crate::code::verbs::{self, VerbEffect, VerbImplementation, VerbOperation};
use crate::complaint::{DiagnosticCode, Message, did_you_mean, nearest_names, unknown_name};
use crate::data::case::CaseKind;
use crate::data::function_headers::TEST_LINES;
use crate::data::library::Layer;
use crate::ruleset::diagnostics::find_other_variant;
use crate::situation::value::Value;
use crate::syntax::calls::{FACES, TOTAL, as_call, reaches_prior};
use crate::syntax::tree::{
    Call, ChangedExpression, Expression, SourcePosition, Statement, TreeNode,
};

/// What a call resolves to.
pub enum ResolvedName {
    /// A function of a case.
    Function(FunctionSource),
    /// A verb, by its number.
    Verb(u16),
    /// Nothing has this name and arity.
    Unknown,
}

impl FunctionBuilder<'_> {
    /// Resolves a name with this number of arguments.
    pub fn resolve(&self, name: &str, count: usize) -> ResolvedName {
        if let (Some(case), Some(file)) = (self.case, self.case_file())
            && let Some(index) = file.helper(name, count, self.position.0 as usize > TEST_LINES)
        {
            // Only a helper that reaches `prior()` depends on the answer it works for.
            let answer_slot = self.answer_slot.filter(|_| reaches_prior(file, index));
            return ResolvedName::Function(FunctionSource::Helper(case, index, answer_slot));
        }
        match self.program.ruleset.slot(name, count) {
            Some(slot) => ResolvedName::Function(FunctionSource::Answer(slot, 0)),
            None => verbs::find(name, count).map_or(ResolvedName::Unknown, ResolvedName::Verb),
        }
    }

    /// Compiles a call `name(a, b)`.
    pub fn lower_call(&mut self, call: &Call, dst: Register) -> LoweringResult {
        let Call { name, args, at, .. } = call;
        let (name, at) = (&**name, *at);
        self.set_position(at);
        match self.resolve(name, args.len()) {
            ResolvedName::Function(source) => {
                // The arguments are evaluated directly into the callee's frame.
                let base = self.alloc_registers(args.len())?;
                for (index, arg) in args.iter().enumerate() {
                    self.lower_into(arg, base + index as Register)?;
                }
                self.set_position(at);
                let callee = self.function_ref(self.program.function_number(source));
                self.emit(Operation::Call {
                    callee,
                    base,
                    count: args.len() as u8,
                    dst,
                });
                Ok(())
            }
            ResolvedName::Verb(number) => {
                let verb = verbs::all()[number as usize];
                match verb.implementation {
                    VerbImplementation::Mutate(_) | VerbImplementation::ReplaceWithClosures(_) => {
                        self.lower_mutating_verb(number, args, at, dst)
                    }
                    VerbImplementation::Operation(form) => self.lower_operation(form, call, dst),
                    VerbImplementation::OfRefusal(_) => self.lower_refused(number, args, at, dst),
                    VerbImplementation::Function(_) if inlined_closure(call, false).is_some() => {
                        self.lower_operation(VerbOperation::Iterate, call, dst)
                    }
                    VerbImplementation::Function(_) if verb.effect == VerbEffect::Trace => {
                        self.lower_line(number, args, at, dst)
                    }
                    VerbImplementation::Function(_) | VerbImplementation::WithClosures(_) => {
                        let operands = self.lower_operands(args)?;
                        self.set_position(at);
                        self.call_with_operands(call, operands, dst)
                    }
                }
            }
            ResolvedName::Unknown if name == "call" && !args.is_empty() => {
                let operands = self.lower_operands(args)?;
                self.set_position(at);
                self.emit_closure_call(operands[0], &operands[1..], dst)
            }
            ResolvedName::Unknown if is_curry(name) => self.fail(
                "`curry` is not in the language of cases",
                "a closure can use the variables around it",
            ),
            ResolvedName::Unknown => {
                let operands = self.lower_operands(args)?;
                self.set_position(at);
                self.fault_unknown(name, operands.len());
                Ok(())
            }
        }
    }

    /// Compiles a value that a change of a later layer replaces: the layer's function is handed the value and the variables that it uses.
    pub fn lower_changed(&mut self, changed: &ChangedExpression, dst: Register) -> LoweringResult {
        if changed.asks_faces {
            return self.lower_into(&with_faces(changed), dst);
        }
        let at = changed.value.position();
        let base = self.alloc_registers(1 + changed.args.len())?;
        self.lower_into(&changed.value, base)?;
        for (index, name) in changed.args.iter().enumerate() {
            let variable = Expression::Variable(name.clone(), at);
            self.lower_into(&variable, base + 1 + index as Register)?;
        }
        self.set_position(at);
        let (case, index) = changed.by;
        let source = FunctionSource::Helper(case, index, None);
        let callee = self.function_ref(self.program.function_number(source));
        let count = 1 + changed.args.len() as u8;
        self.emit(Operation::Call {
            callee,
            base,
            count,
            dst,
        });
        Ok(())
    }

    /// Compiles a call of a function or verb with evaluated arguments.
    pub fn call_with_operands(
        &mut self,
        call: &Call,
        operands: Vec<Operand>,
        dst: Register,
    ) -> LoweringResult {
        let name = &*call.name;
        match self.resolve(name, operands.len()) {
            ResolvedName::Function(source) => {
                self.emit_call(self.program.function_number(source), operands, dst)?;
            }
            ResolvedName::Verb(verb) => match (
                verbs::all()[verb as usize].implementation,
                verbs::all()[verb as usize].iteration,
            ) {
                (VerbImplementation::Operation(_), Some(iteration)) => {
                    return self.lower_iteration(
                        iteration,
                        operands[0],
                        ClosureBody::Value(operands[1]),
                        dst,
                    );
                }
                (VerbImplementation::Function(_), Some(iteration))
                    if call.args.last().is_some_and(may_be_closure) =>
                {
                    return self.lower_selection(verb, iteration, (operands[0], operands[1]), dst);
                }
                (VerbImplementation::Operation(_) | VerbImplementation::OfRefusal(_), _) => {
                    return self.fail(
                        format!("`{name}` is called by its name"),
                        "write it before its arguments: `name(a, b)`",
                    );
                }
                _ => {
                    let args = self.argument_list(&operands)?;
                    self.emit(Operation::CallVerb { verb, dst, args });
                }
            },
            ResolvedName::Unknown if name == "call" && !operands.is_empty() => {
                return self.emit_closure_call(operands[0], &operands[1..], dst);
            }
            ResolvedName::Unknown => self.fault_unknown(name, operands.len()),
        }
        Ok(())
    }

    fn fault_unknown(&mut self, name: &str, count: usize) {
        let ruleset = &self.program.ruleset;
        let arities = ruleset.arities(name);
        let names = ruleset
            .slots
            .iter()
            .map(|s| s.name.as_str())
            .chain(verbs::all().iter().map(|verb| verb.name));
        let (message, help) = if arities.is_empty() && !verbs::is_verb(name) {
            let answers = |new: bool| {
                move |layer: &Layer| {
                    let cases = layer
                        .cases
                        .iter()
                        .filter(|case| !new || case.kind == CaseKind::NewCase);
                    cases
                        .flat_map(|case| &case.functions)
                        .any(|f| !f.private && f.name == name)
                }
            };
            match find_other_variant(ruleset, answers(true))
                .or_else(|| find_other_variant(ruleset, answers(false)))
            {
                Some(layer) => {
                    let message =
                        format!("`{name}` is a function of {layer}, which is not in force");
                    (
                        message.into(),
                        format!(
                            "write `needs: [{layer}]` in the variant.yaml of the variant that calls it"
                        ),
                    )
                }
                None => {
                    match verbs::replacement(name) {
                        Some((verb, call)) => (
                            format!("the verb `{name}` is called `{verb}`").into(),
                            format!("write `{call}`"),
                        ),
                        None => {
                            let message =
                                did_you_mean(format!("there is no function `{name}`"), name, names);
                            (message, "name a verb, a function of a case in force, or a helper of this file".to_string())
                        }
                    }
                }
            }
        } else {
            let list: Vec<String> = match arities.is_empty() {
                false => arities.iter().map(usize::to_string).collect(),
                true => verbs::all()
                    .iter()
                    .filter(|verb| verb.name == name)
                    .map(|verb| verb.signature())
                    .collect(),
            };
            let message = format!(
                "`{name}` is called with {count} arguments; it takes {}",
                list.join(" or ")
            );
            (
                message.into(),
                format!(
                    "see `casebook {} {name}`",
                    if arities.is_empty() {
                        "explain"
                    } else {
                        "show"
                    }
                ),
            )
        };
        self.emit_fault(DiagnosticCode::UnknownFunction, message, help);
    }

    /// Compiles a mutating built-in function in call form: `push(list, 3)`.
    fn lower_mutating_verb(
        &mut self,
        verb: u16,
        args: &[Expression],
        at: SourcePosition,
        dst: Register,
    ) -> LoweringResult {
        let operands = self.lower_operands(&args[1..])?;
        let variable = args[0]
            .as_variable()
            .and_then(|name| self.find_variable(name))
            .cloned();
        let (target, shared) = match variable {
            Some(variable) if !variable.shared => (variable.register, None),
            Some(variable) => {
                let target = self.alloc_register()?;
                self.emit(Operation::LoadShared {
                    dst: target,
                    shared: variable.register,
                });
                (target, Some(variable.register))
            }
            None => {
                let target = self.alloc_register()?;
                self.lower_into(&args[0], target)?;
                (target, None)
            }
        };
        self.set_position(at);
        self.emit_mutation(verb, target, &operands, dst)?;
        if let Some(shared) = shared {
            self.emit(Operation::StoreShared {
                shared,
                src: Operand(target),
            });
        }
        Ok(())
    }

    /// Emits the call of a verb that changes what a register holds.
    pub fn emit_mutation(
        &mut self,
        verb: u16,
        target: Register,
        operands: &[Operand],
        dst: Register,
    ) -> LoweringResult {
        if let VerbImplementation::ReplaceWithClosures(_) =
            verbs::all()[verb as usize].implementation
        {
            let operands = [&[Operand(target)], operands].concat();
            let args = self.argument_list(&operands)?;
            let sorted = self.alloc_register()?;
            self.emit(Operation::CallVerb {
                verb,
                dst: sorted,
                args,
            });
            self.emit(Operation::Move {
                dst: target,
                src: sorted,
            });
            let src = self.constant_operand(Value::Nothing);
            self.emit(Operation::Copy { dst, src });
        } else {
            let args = self.argument_list(operands)?;
            self.emit(Operation::CallMutatingVerb {
                verb,
                dst,
                target,
                args,
            });
        }
        Ok(())
    }

    /// Compiles a verb that writes to the trace. Untraced runs skip the whole call if its arguments are pure.
    fn lower_line(
        &mut self,
        verb: u16,
        args: &[Expression],
        at: SourcePosition,
        dst: Register,
    ) -> LoweringResult {
        let quiet = args
            .iter()
            .all(|arg| self.is_pure(arg))
            .then(|| self.emit(Operation::JumpIfUntraced { to: 0 }));
        let operands = self.lower_operands(args)?;
        self.set_position(at);
        let args = self.argument_list(&operands)?;
        self.emit(Operation::CallVerb { verb, dst, args });
        if let Some(quiet) = quiet {
            self.patch_jump(quiet);
            // The call evaluates to `()` on both paths.
            let src = self.constant_operand(Value::Nothing);
            self.emit(Operation::Copy { dst, src });
        }
        Ok(())
    }

    /// Whether an expression is pure: it calls no case, throws nothing, requests no choice and changes nothing.
    fn is_pure(&self, expression: &Expression) -> bool {
        let mut plain = true;
        expression.walk(&mut |node| {
            plain &= match (as_call(node), node) {
                (Some((call, method)), _) => {
                    call.is_operator
                        || self.is_pure_call(&call.name, call.args.len() + usize::from(method))
                }
                (_, TreeNode::Statement(statement)) => {
                    matches!(
                        statement,
                        Statement::Expression(_) | Statement::If { .. } | Statement::Switch(_)
                    )
                }
                _ => !matches!(
                    node,
                    TreeNode::Expression(Expression::Closure(_) | Expression::Changed(_))
                ),
            };
            plain
        });
        plain
    }

    fn is_pure_call(&self, name: &str, count: usize) -> bool {
        match self.resolve(name, count) {
            ResolvedName::Verb(number) => {
                let verb = verbs::all()[number as usize];
                matches!(verb.implementation, VerbImplementation::Function(_))
                    && verb.allowed_in == verbs::AllowedIn::Anywhere
                    && verb.effect == VerbEffect::None
            }
            _ => false,
        }
    }

    /// Compiles the verbs that are operations of the machine.
    fn lower_operation(
        &mut self,
        form: VerbOperation,
        call: &Call,
        dst: Register,
    ) -> LoweringResult {
        let Call { name, args, at, .. } = call;
        let at = *at;
        match form {
            VerbOperation::Reading => return self.lower_reading(&args[0], at, dst),
            VerbOperation::Prior => return self.lower_prior(args, at, dst),
            VerbOperation::Require => return self.lower_require(args, at, dst),
            VerbOperation::Outcome => return self.lower_outcome(&args[0], at, dst),
            VerbOperation::Iterate => {
                // A list and a closure: `where(list, |u| ...)`.
                let list = self.lower_operand(&args[0])?;
                let list = self.copy_to_register(list)?;
                let body = match &args[1] {
                    Expression::Closure(closure) => ClosureBody::Inline(closure),
                    value => ClosureBody::Value(self.lower_operand(value)?),
                };
                let iteration = verbs::lookup(name, args.len()).and_then(|verb| verb.iteration);
                return match iteration {
                    Some(iteration) => self.lower_iteration(iteration, list, body, dst),
                    None => self.fail(
                        format!("`{name}` calls no closure"),
                        "see `casebook explain` for what it takes",
                    ),
                };
            }
            VerbOperation::Throw(_)
            | VerbOperation::Choose
            | VerbOperation::ReadTable
            | VerbOperation::Refuse
            | VerbOperation::Count => {}
        }
        let operands = self.lower_operands(args)?;
        self.set_position(at);
        let args = self.argument_list(&operands)?;
        match form {
            VerbOperation::Throw(verb) if verb.takes_cards() => {
                // The result may overwrite a variable that an argument reads.
                let faces = self.alloc_register()?;
                self.emit(Operation::Roll {
                    dst: faces,
                    args,
                    verb,
                });
                self.emit(Operation::TakeDrawn {
                    dst: faces,
                    args,
                    verb,
                });
                self.emit(Operation::Move { dst, src: faces });
            }
            VerbOperation::Throw(verb) => drop(self.emit(Operation::Roll { dst, args, verb })),
            VerbOperation::Choose => drop(self.emit(Operation::Choose { dst, args })),
            VerbOperation::ReadTable => drop(self.emit(Operation::ReadTable { dst, args })),
            VerbOperation::Refuse => {
                let cases = self.case_list(&ConsultedCases::default());
                self.emit(Operation::Refuse { args, cases });
            }
            _ => drop(self.emit(Operation::CountOutcomes { dst, args })),
        }
        Ok(())
    }

    /// Compiles a test of a reading as a constant, because the ruleset fixes the readings.
    fn lower_reading(
        &mut self,
        name: &Expression,
        at: SourcePosition,
        dst: Register,
    ) -> LoweringResult {
        self.set_position(at);
        let Expression::Text(name, _) = name else {
            return self.fail(
                "a reading is named by a text",
                "write reading(\"remainder\")",
            );
        };
        let full = match self.case_file() {
            Some(case) if !name.contains('.') => format!("{}.{name}", case.number),
            _ => name.to_string(),
        };
        let readings = &self.program.ruleset.readings;
        match readings.get(&full) {
            Some(reading) => {
                let src = self.constant_operand(reading.as_str().into());
                self.emit(Operation::Copy { dst, src });
            }
            None => {
                let message = unknown_name(
                    "reading in force",
                    &full,
                    readings.keys().map(String::as_str),
                );
                self.emit_fault(
                    DiagnosticCode::UnknownName,
                    message,
                    "name a reading that the card of a case lists under `readings:`",
                );
            }
        }
        Ok(())
    }

    /// Says that no older layer has a function, and how to mend that: it may be misspelt, or take another number of values.
    fn without_older_answer(&self, name: &str, arity: usize) -> (Message, &'static str) {
        let ruleset = &self.program.ruleset;
        let (message, written) = (
            format!("no older layer answers `{name}`"),
            "write the function as the older layer has it",
        );
        if let Some(other) = ruleset
            .arities(name)
            .into_iter()
            .find(|other| *other != arity)
        {
            return (
                format!("{message} with {arity} in brackets; the older one has {other}").into(),
                written,
            );
        }
        let similar = nearest_names(
            name,
            ruleset
                .slots
                .iter()
                .map(|slot| slot.name.as_str())
                .filter(|candidate| *candidate != name),
        );
        match similar.is_empty() {
            true => (
                message.into(),
                "take `prior()` out: only a case that amends an older answer has one",
            ),
            false => (Message::with_suggestions(message, similar), written),
        }
    }

    /// `prior()`: calls the next older answer, with the same arguments or new ones.
    fn lower_prior(
        &mut self,
        args: &[Expression],
        at: SourcePosition,
        dst: Register,
    ) -> LoweringResult {
        let Some((slot, depth)) = self.answer_slot else {
            self.set_position(at);
            let message = "`prior()` asks for an older answer, and nothing is being answered here";
            self.emit_fault(
                DiagnosticCode::Prior,
                message,
                "use it inside a function that an older layer answers",
            );
            return Ok(());
        };
        let answered_slot = &self.program.ruleset.slots[slot];
        let (name, arity) = (answered_slot.name.clone(), answered_slot.arity);
        let operands = match args.is_empty() {
            true => self.original_args.clone(),
            false => self.lower_operands(args)?,
        };
        self.set_position(at);
        if depth + 1 >= answered_slot.answers.len() {
            let (message, help) = self.without_older_answer(&name, arity);
            self.emit_fault(DiagnosticCode::Prior, message, help);
            return Ok(());
        }
        if operands.len() != arity {
            let message = format!(
                "`{name}` takes {arity} arguments, `prior` was given {}",
                operands.len()
            );
            self.emit_fault(DiagnosticCode::Prior, message, "give all of them or none");
            return Ok(());
        }
        let function = self
            .program
            .function_number(FunctionSource::Answer(slot, depth + 1));
        self.emit_call(function, operands, dst)
    }

    /// Compiles a call of a function with evaluated arguments.
    fn emit_call(
        &mut self,
        function: u32,
        operands: Vec<Operand>,
        dst: Register,
    ) -> LoweringResult {
        let base = self.alloc_registers(operands.len())?;
        let count = operands.len() as u8;
        for (index, src) in operands.into_iter().enumerate() {
            self.emit(Operation::Copy {
                dst: base + index as Register,
                src,
            });
        }
        let callee = self.function_ref(function);
        self.emit(Operation::Call {
            callee,
            base,
            count,
            dst,
        });
        Ok(())
    }

    /// `require(holds, line, values)`: the line is evaluated only if the condition fails.
    fn lower_require(
        &mut self,
        args: &[Expression],
        at: SourcePosition,
        dst: Register,
    ) -> LoweringResult {
        let (holds, cases) = self.lower_requirement(&args[0])?;
        let holds = if args[1..].iter().all(|arg| self.is_pure(arg)) {
            holds
        } else {
            self.copy_to_register(holds)?
        };
        let early = match args[1..].iter().all(|arg| self.is_pure(arg)) {
            true => None,
            false => Some(self.lower_operands(&args[1..])?),
        };
        self.set_position(at);
        let skip = self.emit(Operation::JumpIf {
            flag: holds,
            expected: true,
            to: 0,
        });
        let operands = match early {
            Some(operands) => operands,
            None => self.lower_operands(&args[1..])?,
        };
        self.set_position(at);
        let args = self.argument_list(&operands)?;
        self.emit(Operation::Refuse { args, cases });
        self.patch_jump(skip);
        self.note_skipped_condition(skip, skip + 1);
        let src = self.constant_operand(Value::Nothing);
        self.emit(Operation::Copy { dst, src });
        Ok(())
    }

    /// Compiles the condition of a requirement to an operand, and the cases to cite if it fails to another. Of `a && b` the second is
    /// consulted only if the first holds, so the cases are those of the parts up to the one that fails.
    fn lower_requirement(&mut self, condition: &Expression) -> LoweringResult<(Operand, Operand)> {
        let Expression::And(parts, _) = condition else {
            let cases = self.case_list(&self.consulted_cases(condition, Some(false)));
            return Ok((self.lower_operand(condition)?, cases));
        };
        let (holds, cited) = (self.alloc_register()?, self.alloc_register()?);
        let (mut cases, mut failed) = (ConsultedCases::default(), Vec::new());
        for operand in parts {
            cases.extend(self.consulted_cases(operand, Some(false)).0);
            let src = self.case_list(&cases);
            self.emit(Operation::Copy { dst: cited, src });
            failed.extend(self.lower_condition(operand, false)?);
        }
        let src = self.constant_operand(Value::True);
        self.emit(Operation::Copy { dst: holds, src });
        let end = self.emit(Operation::Jump { to: 0 });
        failed.into_iter().for_each(|jump| self.patch_jump(jump));
        let src = self.constant_operand(Value::False);
        self.emit(Operation::Copy { dst: holds, src });
        self.patch_jump(end);
        Ok((Operand(holds), Operand(cited)))
    }

    /// Compiles a call of a closure value.
    pub fn emit_closure_call(
        &mut self,
        closure: Operand,
        args: &[Operand],
        dst: Register,
    ) -> LoweringResult {
        let closure = self.copy_to_register(closure)?;
        let base = self.alloc_registers(args.len())?;
        for (index, src) in args.iter().enumerate() {
            self.emit(Operation::Copy {
                dst: base + index as Register,
                src: *src,
            });
        }
        self.emit(Operation::CallClosure {
            closure,
            base,
            count: args.len() as u8,
            dst,
        });
        Ok(())
    }
}

/// Whether an expression that is no closure itself may come to one.
fn may_be_closure(expression: &Expression) -> bool {
    !matches!(
        expression,
        Expression::Text(..)
            | Expression::List(..)
            | Expression::Map(..)
            | Expression::Interpolation(..)
    )
}

fn is_curry(name: &str) -> bool {
    name == "curry"
}

/// Returns a change that asks for the faces of its throw with these in a variable: `{ let faces = faces(dice, purpose); change(total(faces), faces) }`.
fn with_faces(changed: &ChangedExpression) -> Expression {
    let mut changed = changed.clone();
    let thrown = add_up_faces(&mut changed);
    let value = Expression::Changed(Box::new(changed));
    let Some(thrown) = thrown else {
        return value;
    };
    let at = thrown.at;
    let faces = Statement::Let {
        name: FACES.into(),
        value: Expression::Call(thrown),
        constant: true,
        at,
    };
    Expression::Block(vec![faces, Statement::Expression(value)], at)
}

/// Lets the throw below all changes be the total of faces that are known, and returns the throw of these.
fn add_up_faces(changed: &mut ChangedExpression) -> Option<Box<Call>> {
    changed.asks_faces = false;
    match &mut changed.value {
        Expression::Changed(inner) => add_up_faces(inner),
        Expression::Call(call) => {
            let total = Call {
                name: TOTAL.into(),
                args: vec![Expression::Variable(FACES.into(), call.at)],
                is_operator: false,
                at: call.at,
            };
            let mut thrown = std::mem::replace(call, Box::new(total));
            thrown.name = FACES.into();
            Some(thrown)
        }
        _ => None,
    }
}
