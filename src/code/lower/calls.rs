//! Calls: the helper of the file goes before the case in force, and the case before the verb.

use super::closures::Body;
use super::lowering::{Lowered, Lowering};
use crate::code::program::Source;
use crate::code::unit::{Op, Operand, Register};
use crate::code::verbs::{self, Run};
use crate::complaint::did_you_mean;
use crate::data::case::Kind;
use crate::data::heads::TEST_LINES;
use crate::data::library::Layer;
use crate::ruleset::laws::elsewhere;
use crate::situation::value::Value;
use crate::syntax::calls::{called, reaches_prior};
use crate::syntax::tree::{Call, Expression, Node, Spot, Statement};

/// What a name means with so many arguments.
pub enum Resolved {
    /// A unit of the program.
    Unit(u32),
    /// A verb.
    Verb(u16),
    /// Nothing.
    Unknown,
}

impl Lowering<'_> {
    /// What a name means with so many arguments.
    pub fn resolve(&self, name: &str, count: usize) -> Resolved {
        if let (Some(case), Some(file)) = (self.case, self.file())
            && let Some(index) = file.helper(name, count, self.spot.0 as usize > TEST_LINES)
        {
            // A helper belongs to the answer it works for only where it asks `prior()`, itself or through another.
            let within = self.within.filter(|_| reaches_prior(file, index));
            return Resolved::Unit(self.program.number(Source::Helper(case, index, within)));
        }
        match self.program.ruleset.slot(name, count) {
            Some(slot) => Resolved::Unit(self.program.number(Source::Answer(slot, 0))),
            None => verbs::find(name, count).map_or(Resolved::Unknown, Resolved::Verb),
        }
    }

    /// A call as it is written: `name(a, b)`.
    pub fn called_by_name(&mut self, call: &Call, dst: Register) -> Lowered {
        let Call { name, args, at, .. } = call;
        let (name, at) = (&**name, *at);
        self.at(at);
        match self.resolve(name, args.len()) {
            Resolved::Unit(unit) => {
                // The arguments are worked out where the function called will look for them.
                let base = self.window(args.len())?;
                for (place, arg) in args.iter().enumerate() {
                    self.into(arg, base + place as Register)?;
                }
                self.at(at);
                let unit = self.called(unit);
                self.emit(Op::Call { unit, base, count: args.len() as u8, dst });
                Ok(())
            }
            Resolved::Verb(number) => {
                let verb = verbs::all()[number as usize];
                match verb.run {
                    Run::Change(_) => self.change(number, args, at, dst),
                    _ if verb.name == "sort" => self.change(number, args, at, dst),
                    Run::Operation => self.operation(call, dst),
                    Run::Answer(_) if matches!(name, "say" | "step" | "describe_option") => self.line(number, args, at, dst),
                    Run::Answer(_) if matches!(name, "expect_refused" | "why_refused") => self.refused(number, args, at, dst),
                    _ => {
                        let operands = self.values(args)?;
                        self.at(at);
                        self.ask(name, operands, dst)
                    }
                }
            }
            Resolved::Unknown if name == "call" && !args.is_empty() => {
                let operands = self.values(args)?;
                self.at(at);
                self.call_closure(operands[0], &operands[1..], dst)
            }
            Resolved::Unknown if lambda_curry(name) => {
                self.stuck("`curry` is not in the language of cases", "a closure uses the variables round it")
            }
            Resolved::Unknown => {
                let operands = self.values(args)?;
                self.at(at);
                self.unknown(name, operands.len());
                Ok(())
            }
        }
    }

    /// Asks a function or verb whose arguments stand somewhere.
    pub fn ask(&mut self, name: &str, operands: Vec<Operand>, dst: Register) -> Lowered {
        match self.resolve(name, operands.len()) {
            Resolved::Unit(unit) => {
                self.call_unit(unit, operands, dst)?;
            }
            Resolved::Verb(verb) => match verbs::all()[verb as usize].run {
                Run::Operation if super::sharing::IN_PLACE.contains(&name) && operands.len() == 2 => {
                    return self.each(name, operands[0], Body::Held(operands[1]), dst);
                }
                Run::Operation => {
                    return self.stuck(format!("`{name}` is called by its name"), "write it before its arguments: `name(a, b)`");
                }
                _ => {
                    let args = self.args(&operands)?;
                    self.emit(Op::Verb { verb, dst, args });
                }
            },
            Resolved::Unknown if name == "call" && !operands.is_empty() => return self.call_closure(operands[0], &operands[1..], dst),
            Resolved::Unknown => self.unknown(name, operands.len()),
        }
        Ok(())
    }

    fn unknown(&mut self, name: &str, count: usize) {
        let ruleset = &self.program.ruleset;
        let arities = ruleset.arities(name);
        let known = ruleset.slots.iter().map(|s| s.name.as_str()).chain(verbs::all().iter().map(|verb| verb.name));
        let (what, help) = if arities.is_empty() && !verbs::knows(name) {
            let answers = |new: bool| {
                move |layer: &Layer| {
                    let cases = layer.cases.iter().filter(|case| !new || case.kind == Kind::NewCase);
                    cases.flat_map(|case| &case.functions).any(|f| !f.private && f.name == name)
                }
            };
            match elsewhere(ruleset, answers(true)).or_else(|| elsewhere(ruleset, answers(false))) {
                Some(other) => {
                    let what = format!("nothing answers `{name}`: it belongs to {other}, which is not in force");
                    (what, format!("write `needs: [{other}]` in the variant.yaml of whoever asks it"))
                }
                None => {
                    let what = format!("nothing answers `{name}`{}", did_you_mean(name, known));
                    (what, "it is no verb, no function of a case in force, and no helper of this file".to_string())
                }
            }
        } else {
            let list: Vec<String> = match arities.is_empty() {
                false => arities.iter().map(usize::to_string).collect(),
                true => verbs::all().iter().filter(|verb| verb.name == name).map(|verb| verb.signature()).collect(),
            };
            let what = format!("`{name}` is asked with {count} arguments; it takes {}", list.join(" or "));
            (what, format!("see `casebook {} {name}`", if arities.is_empty() { "explain" } else { "show" }))
        };
        self.fault("unknown-function", what, help);
    }

    /// A built-in function that changes its first argument, written before it: `push(list, 3)`.
    fn change(&mut self, verb: u16, args: &[Expression], at: Spot, dst: Register) -> Lowered {
        let rest = self.values(&args[1..])?;
        let variable = args[0].variable().and_then(|name| self.variable(name)).cloned();
        let (target, shared) = match variable {
            Some(variable) if !variable.shared => (variable.register, None),
            Some(variable) => {
                let target = self.fresh()?;
                self.emit(Op::Load { dst: target, shared: variable.register });
                (target, Some(variable.register))
            }
            None => {
                let target = self.fresh()?;
                self.into(&args[0], target)?;
                (target, None)
            }
        };
        self.at(at);
        if verbs::all()[verb as usize].name == "sort" {
            let all: Vec<Operand> = [Operand(target)].into_iter().chain(rest).collect();
            let args = self.args(&all)?;
            let sorted = self.fresh()?;
            self.emit(Op::Verb { verb, dst: sorted, args });
            self.emit(Op::Move { dst: target, src: sorted });
            let src = self.constant(Value::Nothing);
            self.emit(Op::Copy { dst, src });
        } else {
            let args = self.args(&rest)?;
            self.emit(Op::Change { verb, dst, target, args });
        }
        if let Some(shared) = shared {
            self.emit(Op::Store { shared, src: Operand(target) });
        }
        Ok(())
    }

    /// `say`, `step` and `describe_option`: where nobody reads the ruling, nothing of it is made, unless more than an answer stands in it.
    fn line(&mut self, verb: u16, args: &[Expression], at: Spot, dst: Register) -> Lowered {
        let quiet = args.iter().all(|arg| self.plain(arg)).then(|| self.emit(Op::Quiet { to: 0 }));
        let operands = self.values(args)?;
        self.at(at);
        let args = self.args(&operands)?;
        self.emit(Op::Verb { verb, dst, args });
        if let Some(quiet) = quiet {
            self.land(quiet);
            // Made or not, it comes to nothing.
            let src = self.constant(Value::Nothing);
            self.emit(Op::Copy { dst, src });
        }
        Ok(())
    }

    /// Whether nothing happens where an expression is worked out: no case is asked, nothing thrown, chosen or changed.
    fn plain(&self, expression: &Expression) -> bool {
        let mut plain = true;
        expression.walk(&mut |node| {
            plain &= match (called(node), node) {
                (Some((call, method)), _) => call.sign || self.answers(&call.name, call.args.len() + usize::from(method)),
                (_, Node::Statement(statement)) => {
                    matches!(statement, Statement::Value(_) | Statement::If { .. } | Statement::Switch(_))
                }
                _ => !matches!(node, Node::Expression(Expression::Closure(_))),
            };
            plain
        });
        plain
    }

    /// Whether a call only answers.
    fn answers(&self, name: &str, count: usize) -> bool {
        match self.resolve(name, count) {
            Resolved::Verb(number) => {
                let verb = verbs::all()[number as usize];
                matches!(verb.run, Run::Answer(_))
                    && verb.place == verbs::Place::Anywhere
                    && !matches!(name, "say" | "step" | "describe_option" | "result" | "fill" | "record")
            }
            _ => false,
        }
    }

    /// Verbs that are operations of the machine.
    fn operation(&mut self, call: &Call, dst: Register) -> Lowered {
        let Call { name, args, at, .. } = call;
        let at = *at;
        match &**name {
            "roll" | "hits" => {
                let operands = self.values(args)?;
                self.at(at);
                let args = self.args(&operands)?;
                self.emit(Op::Roll { dst, args, counts: &**name == "hits" });
            }
            "choose" | "choose_piece" => {
                let operands = self.values(args)?;
                self.at(at);
                let args = self.args(&operands)?;
                self.emit(Op::Choose { dst, args });
            }
            "table" => {
                let operands = self.values(args)?;
                self.at(at);
                let args = self.args(&operands)?;
                self.emit(Op::Table { dst, args });
            }
            "reading" => return self.reading(&args[0], at, dst),
            "prior" => return self.prior(args, at, dst),
            "refuse" => {
                let operands = self.values(args)?;
                self.at(at);
                let args = self.args(&operands)?;
                self.emit(Op::Refuse { args, answered: false });
            }
            "require" => return self.require(args, at, dst),
            "chance" | "mean" => {
                let operands = self.values(args)?;
                self.at(at);
                let args = self.args(&operands)?;
                self.emit(Op::Count { dst, args });
            }
            "outcome" => return self.outcome(&args[0], at, dst),
            name => {
                // filter, map, some, all, find: `filter(list, |u| ...)`
                let list = self.value(&args[0])?;
                let list = self.aside(list)?;
                let body = match &args[1] {
                    Expression::Closure(closure) => Body::Here(closure),
                    held => Body::Held(self.value(held)?),
                };
                return self.each(name, list, body, dst);
            }
        }
        Ok(())
    }

    /// Which way a doubtful text is read is known before anything runs.
    fn reading(&mut self, name: &Expression, at: Spot, dst: Register) -> Lowered {
        self.at(at);
        let Expression::Text(name, _) = name else {
            return self.stuck("a reading is named by a text", "write reading(\"remainder\")");
        };
        let full = match self.file() {
            Some(case) if !name.contains('.') => format!("{}.{name}", case.number),
            _ => name.to_string(),
        };
        let readings = &self.program.ruleset.readings;
        match readings.get(&full) {
            Some(way) => {
                let src = self.constant(way.as_str().into());
                self.emit(Op::Copy { dst, src });
            }
            None => {
                let near = did_you_mean(&full, readings.keys().map(String::as_str));
                let what = format!("no reading in force is called `{full}`{near}");
                self.fault("unknown-name", what, "readings stand on the card of a case: `readings:`");
            }
        }
        Ok(())
    }

    /// `prior()`: the next older answer, with the same arguments or others.
    fn prior(&mut self, args: &[Expression], at: Spot, dst: Register) -> Lowered {
        let Some((slot, depth)) = self.within else {
            self.at(at);
            let what = "`prior()` asks for an older answer, and nothing is being answered here";
            self.fault("prior", what, "use it inside a function that an older layer answers");
            return Ok(());
        };
        let asked = &self.program.ruleset.slots[slot];
        let (name, arity) = (asked.name.clone(), asked.arity);
        let operands = match args.is_empty() {
            true => self.kept.clone(),
            false => self.values(args)?,
        };
        self.at(at);
        if depth + 1 >= asked.chain.len() {
            self.fault("prior", format!("no older layer answers `{name}`"), "`prior()` is for cases that amend an older answer");
            return Ok(());
        }
        if operands.len() != arity {
            let what = format!("`{name}` takes {arity} arguments, `prior` was given {}", operands.len());
            self.fault("prior", what, "give all of them or none");
            return Ok(());
        }
        let unit = self.program.number(Source::Answer(slot, depth + 1));
        self.call_unit(unit, operands, dst)
    }

    /// Calls a unit with arguments that stand somewhere.
    fn call_unit(&mut self, unit: u32, operands: Vec<Operand>, dst: Register) -> Lowered {
        let base = self.window(operands.len())?;
        let count = operands.len() as u8;
        for (place, src) in operands.into_iter().enumerate() {
            self.emit(Op::Copy { dst: base + place as Register, src });
        }
        let unit = self.called(unit);
        self.emit(Op::Call { unit, base, count, dst });
        Ok(())
    }

    /// `require(holds, line, values)`: the line is made where it does not hold.
    fn require(&mut self, args: &[Expression], at: Spot, dst: Register) -> Lowered {
        let holds = self.value(&args[0])?;
        let holds = if args[1..].iter().all(|arg| self.plain(arg)) { holds } else { self.aside(holds)? };
        let early = match args[1..].iter().all(|arg| self.plain(arg)) {
            true => None,
            false => Some(self.values(&args[1..])?),
        };
        self.at(at);
        let over = self.emit(Op::JumpIf { flag: holds, so: true, to: 0 });
        let operands = match early {
            Some(operands) => operands,
            None => self.values(&args[1..])?,
        };
        self.at(at);
        let args = self.args(&operands)?;
        self.emit(Op::Refuse { args, answered: true });
        self.land(over);
        let src = self.constant(Value::Nothing);
        self.emit(Op::Copy { dst, src });
        Ok(())
    }

    /// Calls a closure held somewhere.
    pub fn call_closure(&mut self, closure: Operand, args: &[Operand], dst: Register) -> Lowered {
        let closure = self.aside(closure)?;
        let base = self.window(args.len())?;
        for (place, src) in args.iter().enumerate() {
            self.emit(Op::Copy { dst: base + place as Register, src: *src });
        }
        self.emit(Op::CallClosure { closure, base, count: args.len() as u8, dst });
        Ok(())
    }
}

fn lambda_curry(name: &str) -> bool {
    name == "curry"
}
