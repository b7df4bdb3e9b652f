//! Statements and blocks.

use super::lowering::{Loop, Lowered, Lowering};
use crate::code::unit::{Op, Operand, Register, Switch};
use crate::situation::value::Value;
use rhai::{ASTFlags, Expr, FlowControl, Stmt, SwitchCasesCollection};
use std::sync::Arc;

impl Lowering<'_> {
    /// A block: its variables end with it. Its value, that of the last statement, goes to `dst`.
    pub fn block(&mut self, list: &[Stmt], dst: Option<Register>) -> Lowered {
        let variables = self.variables.len();
        let top = self.top();
        for (place, statement) in list.iter().enumerate() {
            let last = place + 1 == list.len();
            self.statement(statement, dst.filter(|_| last))?;
        }
        if list.is_empty() {
            self.nothing(dst);
        }
        self.variables.truncate(variables);
        self.back_to(top);
        Ok(())
    }

    fn nothing(&mut self, dst: Option<Register>) {
        if let Some(dst) = dst {
            let src = self.constant(Value::Nothing);
            self.emit(Op::Copy { dst, src });
        }
    }

    fn statement(&mut self, statement: &Stmt, dst: Option<Register>) -> Lowered {
        self.at(statement.position());
        let top = self.top();
        match statement {
            Stmt::Var(parts, flags, _) => {
                let register = self.fresh()?;
                self.into(&parts.1, register)?;
                self.back_to(register as usize + 1);
                self.declare(&parts.0.name, register, flags.intersects(ASTFlags::CONSTANT))?;
                self.nothing(dst);
                return Ok(());
            }
            Stmt::Noop(_) | Stmt::Share(_) => self.nothing(dst),
            Stmt::Expr(expression) => self.effect(expression, dst)?,
            Stmt::FnCall(call, position) => self.effect(&Expr::FnCall(call.clone(), *position), dst)?,
            Stmt::Block(block) => self.block(block.statements(), dst)?,
            Stmt::If(flow, _) => self.either(flow, dst)?,
            Stmt::Switch(switch, _) => self.switch(&switch.0, &switch.1, dst)?,
            Stmt::While(flow, _) => self.while_loop(flow, dst)?,
            Stmt::Do(flow, flags, _) => self.do_loop(flow, flags.intersects(ASTFlags::NEGATED), dst)?,
            Stmt::For(parts, _) => self.for_loop(&parts.0.name, parts.1.as_ref().map(|n| n.name.as_str()), &parts.2, dst)?,
            Stmt::Assignment(parts) => {
                self.assign(&parts.0, &parts.1.lhs, &parts.1.rhs)?;
                self.nothing(dst);
            }
            Stmt::BreakLoop(value, flags, _) => self.leave_loop(value.as_deref(), flags.intersects(ASTFlags::BREAK))?,
            Stmt::Return(value, flags, _) => {
                if flags.intersects(ASTFlags::BREAK) {
                    return self.stuck("`throw` is not in the language of cases", "a rule says no with `refuse`, which cites it");
                }
                self.leave(value.as_deref())?;
            }
            Stmt::TryCatch(..) => {
                return self.stuck(
                    "`try` is not in the language of cases",
                    "a refusal ends the procedure, and a fault is mended where it is made",
                );
            }
            _ => return self.stuck("this is not in the language of cases", "see `casebook guide` for what a case may say"),
        }
        self.back_to(top);
        Ok(())
    }

    /// An expression for what it does, and for its value where that is wanted.
    fn effect(&mut self, expression: &Expr, dst: Option<Register>) -> Lowered {
        match dst {
            Some(dst) => self.into(expression, dst),
            None => match expression {
                // Nothing happens where a value is just named.
                Expr::Variable(..) | Expr::Unit(_) | Expr::IntegerConstant(..) | Expr::StringConstant(..) | Expr::BoolConstant(..) => {
                    Ok(())
                }
                Expr::Stmt(block) if super::sharing::lambda(expression).is_none() => self.block(block.statements(), None),
                _ => {
                    let scratch = self.fresh()?;
                    self.into(expression, scratch)
                }
            },
        }
    }

    fn either(&mut self, flow: &FlowControl, dst: Option<Register>) -> Lowered {
        let otherwise = self.condition(&flow.expr, false)?;
        self.block(flow.body.statements(), dst)?;
        if flow.branch.is_empty() && dst.is_none() {
            otherwise.into_iter().for_each(|jump| self.land(jump));
            return Ok(());
        }
        let end = self.emit(Op::Jump { to: 0 });
        otherwise.into_iter().for_each(|jump| self.land(jump));
        self.block(flow.branch.statements(), dst)?;
        self.land(end);
        Ok(())
    }

    fn switch(&mut self, item: &Expr, cases: &SwitchCasesCollection, dst: Option<Register>) -> Lowered {
        let src = self.value(item)?;
        // Guards are looked at by the arm itself, and go on to the rest where they don't hold.
        let table = self.unit.switches.len() as u16;
        self.unit.switches.push(Switch::default());
        self.emit(Op::Switch { src, table });
        let mut starts = Vec::new();
        let mut ends = Vec::new();
        let mut unmet = Vec::new();
        for arm in &cases.expressions {
            starts.push(self.here());
            if !matches!(arm.lhs, Expr::BoolConstant(true, _)) {
                unmet.extend(self.condition(&arm.lhs, false)?);
            }
            let top = self.top();
            self.effect(&arm.rhs, dst)?;
            self.back_to(top);
            ends.push(self.emit(Op::Jump { to: 0 }));
        }
        let rest = match cases.def_case {
            Some(place) => {
                let start = starts[place];
                unmet.into_iter().for_each(|jump| self.jump_to(jump, start));
                start
            }
            None => {
                let start = self.here();
                unmet.into_iter().for_each(|jump| self.land(jump));
                self.nothing(dst);
                start
            }
        };
        let mut switch = Switch { rest, ..Switch::default() };
        for list in cases.cases.values() {
            let value = self.literal(&list.value)?;
            if list.blocks.len() > 1 {
                return self.stuck("two arms of this `switch` name the same value", "write one arm, and an `if` in it");
            }
            // Ranges stand in a list of their own.
            if let (Some(place), false) = (list.blocks.first(), matches!(value, Value::Range(_))) {
                switch.arms.push((value, starts[*place]));
            }
        }
        switch.arms.sort_by_key(|(_, start)| *start);
        for range in &cases.ranges {
            let (from, to) = match range {
                rhai::RangeCase::ExclusiveInt(range, _) => (range.start, range.end),
                rhai::RangeCase::InclusiveInt(range, _) => (*range.start(), range.end().saturating_add(1)),
            };
            switch.ranges.push((from, to, starts[range.index()]));
        }
        self.unit.switches[table as usize] = switch;
        ends.into_iter().for_each(|jump| self.land(jump));
        Ok(())
    }

    fn jump_to(&mut self, jump: usize, place: u32) {
        match &mut self.unit.ops[jump] {
            Op::Jump { to } | Op::JumpIf { to, .. } | Op::Compare { to, .. } => *to = place,
            _ => {}
        }
    }

    /// A constant of the parser's as a value.
    pub fn literal(&mut self, value: &rhai::Dynamic) -> Lowered<Value> {
        if let Ok(n) = value.as_int() {
            return Ok(Value::Number(n));
        }
        if let Ok(flag) = value.as_bool() {
            return Ok(flag.into());
        }
        if let Ok(letter) = value.as_char() {
            return Ok(letter.to_string().into());
        }
        if let Some(text) = value.read_lock::<rhai::ImmutableString>() {
            return Ok(text.as_str().into());
        }
        if let Some(list) = value.read_lock::<rhai::Array>() {
            let items = list.iter().map(|item| self.literal(item)).collect::<Lowered<Vec<_>>>()?;
            return Ok(items.into());
        }
        if let Some(map) = value.read_lock::<rhai::Map>() {
            let entries = map.iter().map(|(name, item)| Ok((name.as_str().into(), self.literal(item)?))).collect::<Lowered<Vec<_>>>()?;
            return Ok(Value::Map(entries.into_iter().collect()));
        }
        if let Some(range) = value.read_lock::<std::ops::Range<i64>>() {
            return Ok(Value::Range(Arc::new((range.start, range.end))));
        }
        if let Some(range) = value.read_lock::<std::ops::RangeInclusive<i64>>() {
            return Ok(Value::Range(Arc::new((*range.start(), range.end().saturating_add(1)))));
        }
        if value.is_unit() {
            return Ok(Value::Nothing);
        }
        self.stuck("this constant is not in the language of cases", "write numbers, texts, true, false, lists or maps")
    }

    fn begin_loop(&mut self, dst: Option<Register>) -> Lowered {
        let dst = match dst {
            Some(dst) => dst,
            None => self.fresh()?,
        };
        self.loops.push(Loop { dst, ..Loop::default() });
        Ok(())
    }

    /// Ends a loop: `continue` went to `again`, `break` goes here.
    fn end_loop(&mut self, again: u32, wanted: bool) {
        let Some(done) = self.loops.pop() else { return };
        done.continues.into_iter().for_each(|jump| self.jump_to(jump, again));
        if wanted {
            // A loop that runs to its end comes to nothing; `break` brings its own value.
            self.nothing(Some(done.dst));
        }
        done.breaks.into_iter().for_each(|jump| self.land(jump));
    }

    /// The body of a loop, and the way back; whoever goes round for ever is told of the place where the loop begins.
    fn round(&mut self, flow: &FlowControl, again: u32) -> Lowered {
        let spot = self.spot;
        self.block(flow.body.statements(), None)?;
        self.spot = spot;
        self.emit(Op::Jump { to: again });
        Ok(())
    }

    fn while_loop(&mut self, flow: &FlowControl, dst: Option<Register>) -> Lowered {
        self.begin_loop(dst)?;
        let again = self.here();
        let out = match &flow.expr {
            Expr::Unit(_) => Vec::new(),
            condition => {
                self.at(condition.position());
                self.condition(condition, false)?
            }
        };
        self.round(flow, again)?;
        out.into_iter().for_each(|jump| self.land(jump));
        self.end_loop(again, dst.is_some());
        Ok(())
    }

    fn do_loop(&mut self, flow: &FlowControl, until: bool, dst: Option<Register>) -> Lowered {
        self.begin_loop(dst)?;
        let start = self.here();
        self.block(flow.body.statements(), None)?;
        let again = self.here();
        for jump in self.condition(&flow.expr, !until)? {
            self.jump_to(jump, start);
        }
        self.end_loop(again, dst.is_some());
        Ok(())
    }

    fn for_loop(&mut self, name: &str, counter: Option<&str>, flow: &FlowControl, dst: Option<Register>) -> Lowered {
        // What is gone through is what it was at the start, whatever the loop makes of the variable.
        let of = self.fresh()?;
        self.into(&flow.expr, of)?;
        let count = self.fresh()?;
        let zero = self.constant(Value::Number(0));
        self.emit(Op::Copy { dst: count, src: zero });
        self.begin_loop(dst)?;
        let again = self.here();
        let variables = self.variables.len();
        let top = self.top();
        let item = self.fresh()?;
        self.at(flow.expr.position());
        let next = self.emit(Op::Next { dst: item, of: Operand(of), count, to: 0 });
        self.declare(name, item, false)?;
        if let Some(counter) = counter {
            let register = self.fresh()?;
            let one = self.constant(Value::Number(1));
            self.emit(Op::Binary { op: crate::code::unit::Binary::Sub, dst: register, a: Operand(count), b: one });
            self.declare(counter, register, false)?;
        }
        self.round(flow, again)?;
        self.variables.truncate(variables);
        self.back_to(top);
        self.land(next);
        self.end_loop(again, dst.is_some());
        Ok(())
    }

    /// `break` and `continue`.
    fn leave_loop(&mut self, value: Option<&Expr>, leave: bool) -> Lowered {
        let within = self.inlined.last().map_or(0, |inlined| inlined.loops);
        if self.loops.len() <= within {
            return self.stuck("`break` and `continue` stand in a loop", "to leave a function, `return`");
        }
        if let (Some(value), Some(dst)) = (value, self.loops.last().map(|l| l.dst)) {
            self.into(value, dst)?;
        } else if let (true, Some(dst)) = (leave, self.loops.last().map(|l| l.dst)) {
            self.nothing(Some(dst));
        }
        let jump = self.emit(Op::Jump { to: 0 });
        if let Some(around) = self.loops.last_mut() {
            if leave { around.breaks.push(jump) } else { around.continues.push(jump) }
        }
        Ok(())
    }

    /// `return`: from a closure laid out here, else from the function.
    fn leave(&mut self, value: Option<&Expr>) -> Lowered {
        if let Some(dst) = self.inlined.last().map(|inlined| inlined.dst) {
            match value {
                Some(value) => self.into(value, dst)?,
                None => self.nothing(Some(dst)),
            }
            let jump = self.emit(Op::Jump { to: 0 });
            if let Some(inlined) = self.inlined.last_mut() {
                inlined.returns.push(jump);
            }
            return Ok(());
        }
        let src = match value {
            Some(value) => self.value(value)?,
            None => self.constant(Value::Nothing),
        };
        self.emit(Op::Return { src });
        Ok(())
    }
}
