//! Statements and blocks.

use super::lowering::{Loop, Lowered, Lowering};
use crate::code::unit::{Binary, Op, Operand, Register, Switch};
use crate::situation::value::Value;
use crate::syntax::tree::{self, Expression, Foreign, Statement};

impl Lowering<'_> {
    /// A block: its variables end with it. Its value, that of the last statement, goes to `dst`.
    pub fn block(&mut self, list: &[Statement], dst: Option<Register>) -> Lowered {
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

    fn statement(&mut self, statement: &Statement, dst: Option<Register>) -> Lowered {
        self.at(statement.at());
        let top = self.top();
        match statement {
            Statement::Let { name, value, constant, .. } => {
                let register = self.fresh()?;
                self.into(value, register)?;
                self.back_to(register as usize + 1);
                self.declare(name, register, *constant)?;
                self.nothing(dst);
                return Ok(());
            }
            Statement::Nothing(_) => self.nothing(dst),
            Statement::Value(expression) => self.effect(expression, dst)?,
            Statement::Block(body, _) => self.block(body, dst)?,
            Statement::If { condition, then, otherwise, .. } => self.either(condition, then, otherwise, dst)?,
            Statement::Switch(switch) => self.switch(switch, dst)?,
            Statement::While { condition, body, .. } => self.while_loop(condition.as_ref(), body, dst)?,
            Statement::Do { body, condition, until, .. } => self.do_loop(body, condition, *until, dst)?,
            Statement::For { name, counter, list, body, .. } => self.for_loop(name, counter.as_deref(), list, body, dst)?,
            Statement::Assign { left, sign, right, at } => {
                self.assign((sign.as_ref(), *at), left, right)?;
                self.nothing(dst);
            }
            Statement::Leave { value, done, .. } => self.leave_loop(value.as_ref(), *done)?,
            Statement::Return(value, _) => self.leave(value.as_ref())?,
            Statement::Foreign(foreign, _) => return self.foreign(*foreign),
        }
        self.back_to(top);
        Ok(())
    }

    /// What Rhai has and cases have not.
    pub fn foreign<T>(&mut self, foreign: Foreign) -> Lowered<T> {
        let (what, help) = match foreign {
            Foreign::This => ("`this` is not in the language of cases", "name what the closure works on: |n| n + 1"),
            Foreign::Throw => ("`throw` is not in the language of cases", "a rule says no with `refuse`, which cites it"),
            Foreign::Try => {
                ("`try` is not in the language of cases", "a refusal ends the procedure, and a fault is mended where it is made")
            }
            Foreign::Constant => ("this constant is not in the language of cases", "write numbers, texts, true, false, lists or maps"),
            Foreign::Other => ("this is not in the language of cases", "see `casebook guide` for what a case may say"),
        };
        self.stuck(what, help)
    }

    /// An expression for what it does, and for its value where that is wanted.
    fn effect(&mut self, expression: &Expression, dst: Option<Register>) -> Lowered {
        match (dst, expression) {
            (Some(dst), _) => self.into(expression, dst),
            // Nothing happens where a value is just named.
            (
                None,
                Expression::Variable(..) | Expression::Nothing(_) | Expression::Number(..) | Expression::Text(..) | Expression::Flag(..),
            ) => Ok(()),
            (None, Expression::Block(body, _)) => self.block(body, None),
            (None, _) => {
                let scratch = self.fresh()?;
                self.into(expression, scratch)
            }
        }
    }

    fn either(&mut self, condition: &Expression, then: &[Statement], otherwise: &[Statement], dst: Option<Register>) -> Lowered {
        let unmet = self.condition(condition, false)?;
        self.block(then, dst)?;
        if otherwise.is_empty() && dst.is_none() {
            unmet.into_iter().for_each(|jump| self.land(jump));
            return Ok(());
        }
        let end = self.emit(Op::Jump { to: 0 });
        unmet.into_iter().for_each(|jump| self.land(jump));
        self.block(otherwise, dst)?;
        self.land(end);
        Ok(())
    }

    fn switch(&mut self, said: &tree::Switch, dst: Option<Register>) -> Lowered {
        let src = self.value(&said.of)?;
        // Guards are looked at by the arm itself, and go on to the rest where they don't hold.
        let table = self.unit.switches.len() as u16;
        self.unit.switches.push(Switch::default());
        self.emit(Op::Switch { src, table });
        let mut starts = Vec::new();
        let mut ends = Vec::new();
        let mut unmet = Vec::new();
        for arm in &said.arms {
            starts.push(self.here());
            if let Some(guard) = &arm.guard {
                unmet.extend(self.condition(guard, false)?);
            }
            let top = self.top();
            self.effect(&arm.value, dst)?;
            self.back_to(top);
            ends.push(self.emit(Op::Jump { to: 0 }));
        }
        let rest = match said.rest {
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
        for (arm, start) in said.arms.iter().zip(starts) {
            for value in &arm.values {
                let value = self.literal(value)?;
                if switch.arms.iter().any(|(known, _)| *known == value && known.type_name() == value.type_name()) {
                    return self.stuck("two arms of this `switch` name the same value", "write one arm, and an `if` in it");
                }
                switch.arms.push((value, start));
            }
            switch.ranges.extend(arm.ranges.iter().map(|(from, to)| (*from, *to, start)));
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

    /// A constant as a value.
    fn literal(&mut self, constant: &Expression) -> Lowered<Value> {
        Ok(match constant {
            Expression::Nothing(_) => Value::Nothing,
            Expression::Flag(flag, _) => (*flag).into(),
            Expression::Number(number, _) => Value::Number(*number),
            Expression::Text(text, _) => (**text).into(),
            Expression::List(list, _) => list.iter().map(|item| self.literal(item)).collect::<Lowered<Vec<_>>>()?.into(),
            Expression::Map(entries, _) => {
                let entries = entries.iter().map(|(name, _, item)| Ok(((**name).into(), self.literal(item)?)));
                Value::Map(entries.collect::<Lowered<Vec<_>>>()?.into_iter().collect())
            }
            _ => return self.foreign(Foreign::Constant),
        })
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
    fn round(&mut self, body: &[Statement], again: u32) -> Lowered {
        let spot = self.spot;
        self.block(body, None)?;
        self.spot = spot;
        self.emit(Op::Jump { to: again });
        Ok(())
    }

    fn while_loop(&mut self, condition: Option<&Expression>, body: &[Statement], dst: Option<Register>) -> Lowered {
        self.begin_loop(dst)?;
        let again = self.here();
        let out = match condition {
            None => Vec::new(),
            Some(condition) => {
                self.at(condition.at());
                self.condition(condition, false)?
            }
        };
        self.round(body, again)?;
        out.into_iter().for_each(|jump| self.land(jump));
        self.end_loop(again, dst.is_some());
        Ok(())
    }

    fn do_loop(&mut self, body: &[Statement], condition: &Expression, until: bool, dst: Option<Register>) -> Lowered {
        self.begin_loop(dst)?;
        let start = self.here();
        self.block(body, None)?;
        let again = self.here();
        for jump in self.condition(condition, !until)? {
            self.jump_to(jump, start);
        }
        self.end_loop(again, dst.is_some());
        Ok(())
    }

    fn for_loop(&mut self, name: &str, counter: Option<&str>, list: &Expression, body: &[Statement], dst: Option<Register>) -> Lowered {
        // What is gone through is what it was at the start, whatever the loop makes of the variable.
        let of = self.fresh()?;
        self.into(list, of)?;
        let count = self.fresh()?;
        let zero = self.constant(Value::Number(0));
        self.emit(Op::Copy { dst: count, src: zero });
        self.begin_loop(dst)?;
        let again = self.here();
        let variables = self.variables.len();
        let top = self.top();
        let item = self.fresh()?;
        self.at(list.at());
        let next = self.emit(Op::Next { dst: item, of: Operand(of), count, to: 0 });
        self.declare(name, item, false)?;
        if let Some(counter) = counter {
            let register = self.fresh()?;
            let one = self.constant(Value::Number(1));
            self.emit(Op::Binary { op: Binary::Sub, dst: register, a: Operand(count), b: one });
            self.declare(counter, register, false)?;
        }
        self.round(body, again)?;
        self.variables.truncate(variables);
        self.back_to(top);
        self.land(next);
        self.end_loop(again, dst.is_some());
        Ok(())
    }

    /// `break` and `continue`.
    fn leave_loop(&mut self, value: Option<&Expression>, leave: bool) -> Lowered {
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
    fn leave(&mut self, value: Option<&Expression>) -> Lowered {
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
