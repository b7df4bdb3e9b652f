//! Statements and blocks.

use super::captures::may_mutate;
use super::function_builder::{FunctionBuilder, LoopContext, LoweringResult};
use crate::code::bytecode::{
    BinaryOperator, Operand, Operation, Register, SwitchRange, SwitchTable,
};
use crate::situation::value::Value;
use crate::syntax::tree::{self, Expression, Statement, UnsupportedSyntax};

impl FunctionBuilder<'_> {
    /// Compiles a block, which is a scope. The value of its last statement goes to `dst`.
    pub fn lower_block(&mut self, list: &[Statement], dst: Option<Register>) -> LoweringResult {
        let variables = self.variables.len();
        let top = self.register_mark();
        let mut starts = Vec::with_capacity(list.len() + 1);
        for (index, statement) in list.iter().enumerate() {
            starts.push(self.next_op());
            let last = index + 1 == list.len();
            self.lower_statement(statement, dst.filter(|_| last))?;
        }
        starts.push(self.next_op());
        self.function.blocks.push(starts.into());
        if list.is_empty() {
            self.emit_nothing(dst);
        }
        self.end_scopes(variables);
        self.free_registers_to(top);
        Ok(())
    }

    fn emit_nothing(&mut self, dst: Option<Register>) {
        if let Some(dst) = dst {
            let src = self.constant_operand(Value::Nothing);
            self.emit(Operation::Copy { dst, src });
        }
    }

    fn lower_statement(&mut self, statement: &Statement, dst: Option<Register>) -> LoweringResult {
        self.set_position(statement.position());
        let top = self.register_mark();
        match statement {
            Statement::Let {
                name,
                value,
                constant,
                ..
            } => {
                let register = self.alloc_register()?;
                self.lower_into(value, register)?;
                self.free_registers_to(register as usize + 1);
                self.declare_variable(name, register, *constant, Some(value))?;
                if let Some(declared) = self.function.variables.last_mut() {
                    declared.is_let = true;
                }
                self.emit_nothing(dst);
                return Ok(());
            }
            Statement::Nothing(_) => self.emit_nothing(dst),
            Statement::Expression(expression) => self.lower_for_effect(expression, dst)?,
            Statement::Block(body, _) => self.lower_block(body, dst)?,
            Statement::If {
                condition,
                then,
                otherwise,
                ..
            } => self.lower_if(condition, then, otherwise, dst)?,
            Statement::Switch(switch) => self.lower_switch(switch, dst)?,
            Statement::While {
                condition, body, ..
            } => self.lower_while(condition.as_ref(), body, dst)?,
            Statement::Do {
                body,
                condition,
                until,
                ..
            } => self.lower_do(body, condition, *until, dst)?,
            Statement::For {
                name,
                index_name: counter,
                iterable: list,
                body,
                ..
            } => self.lower_for(name, counter.as_deref(), list, body, dst)?,
            Statement::Assign {
                target: left,
                operator: sign,
                value: right,
                at,
            } => {
                self.lower_assign((sign.as_ref(), *at), left, right)?;
                if let (None, Some(name)) = (sign, left.as_variable()) {
                    self.forget_consulted(name);
                }
                self.emit_nothing(dst);
            }
            Statement::LoopExit {
                value,
                is_break: done,
                ..
            } => self.lower_loop_exit(value.as_ref(), *done)?,
            Statement::Return(value, _) => self.lower_return(value.as_ref())?,
            Statement::Foreign(foreign, _) => return self.unsupported(*foreign),
        }
        self.free_registers_to(top);
        Ok(())
    }

    /// Reports syntax that Rhai has and cases do not.
    pub fn unsupported<T>(&mut self, foreign: UnsupportedSyntax) -> LoweringResult<T> {
        let (message, help) = match foreign {
            UnsupportedSyntax::This => (
                "`this` is not in the language of cases",
                "name what the closure works on: |n| n + 1",
            ),
            UnsupportedSyntax::Throw => (
                "`throw` is not in the language of cases",
                "write `refuse(...)`: it says no and cites the rule",
            ),
            UnsupportedSyntax::Try => (
                "`try` is not in the language of cases",
                "leave it out: a refusal ends the procedure, and a fault is fixed where it occurs",
            ),
            UnsupportedSyntax::Constant => (
                "this constant is not in the language of cases",
                "write numbers, texts, true, false, lists or maps",
            ),
            UnsupportedSyntax::Other => (
                "this is not in the language of cases",
                "see `casebook guide` for what a case may say",
            ),
        };
        self.fail(message, help)
    }

    /// Compiles an expression for its side effects, and for its value if `dst` is given.
    fn lower_for_effect(
        &mut self,
        expression: &Expression,
        dst: Option<Register>,
    ) -> LoweringResult {
        match (dst, expression) {
            (Some(dst), _) => self.lower_into(expression, dst),
            // A bare constant or variable has no side effects.
            (
                None,
                Expression::Variable(..)
                | Expression::Nothing(_)
                | Expression::Number(..)
                | Expression::Text(..)
                | Expression::Bool(..),
            ) => Ok(()),
            (None, Expression::Block(body, _)) => self.lower_block(body, None),
            (None, _) => {
                let scratch = self.alloc_register()?;
                self.lower_into(expression, scratch)
            }
        }
    }

    fn lower_if(
        &mut self,
        condition: &Expression,
        then: &[Statement],
        otherwise: &[Statement],
        dst: Option<Register>,
    ) -> LoweringResult {
        let first = self.next_op() as usize;
        let unmet = self.lower_condition(condition, false)?;
        let condition_end = self.next_op() as usize;
        self.lower_block(then, dst)?;
        if otherwise.is_empty() && dst.is_none() {
            unmet.into_iter().for_each(|jump| self.patch_jump(jump));
            self.note_skipped_condition(first, condition_end);
            return Ok(());
        }
        let end = self.emit(Operation::Jump { to: 0 });
        unmet.into_iter().for_each(|jump| self.patch_jump(jump));
        self.lower_block(otherwise, dst)?;
        self.patch_jump(end);
        Ok(())
    }

    /// Compiles a `switch`. A guard that fails goes on to the next arm that fits the value: the guards stand before each other's
    /// arms, and each has a table of the arms below it.
    fn lower_switch(
        &mut self,
        statement: &tree::SwitchStatement,
        dst: Option<Register>,
    ) -> LoweringResult {
        let mut src = self.lower_operand(&statement.scrutinee)?;
        // A guard must not change the value that later arms are compared with.
        if statement.scrutinee.as_variable().is_some()
            && statement
                .arms
                .iter()
                .any(|arm| arm.guard.as_ref().is_some_and(may_mutate))
        {
            src = self.copy_to_register(src)?;
        }
        let constants = self.arm_constants(&statement.arms)?;
        let first_table = self.emit_switch(src);
        let (mut starts, mut ends, mut tables) = (Vec::new(), Vec::new(), vec![(first_table, 0)]);
        for (index, arm) in statement.arms.iter().enumerate() {
            starts.push(self.next_op());
            if let Some(guard) = &arm.guard {
                let met = self.lower_condition(guard, true)?;
                tables.push((self.emit_switch(src), index + 1));
                met.into_iter().for_each(|jump| self.patch_jump(jump));
            }
            let top = self.register_mark();
            self.lower_for_effect(&arm.value, dst)?;
            self.free_registers_to(top);
            ends.push(self.emit(Operation::Jump { to: 0 }));
        }
        let default_target = statement
            .default_arm
            .map_or_else(|| self.next_op(), |index| starts[index]);
        if statement.default_arm.is_none() {
            self.emit_nothing(dst);
        }
        for (table, first) in tables {
            let switch = &mut self.function.switches[table as usize];
            switch.default_target = default_target;
            for (index, arm) in statement.arms.iter().enumerate().skip(first) {
                switch.arms.extend(
                    constants[index]
                        .iter()
                        .map(|value| (value.clone(), starts[index])),
                );
                switch
                    .ranges
                    .extend(arm.ranges.iter().map(|(start, end)| SwitchRange {
                        start: *start,
                        end: *end,
                        target: starts[index],
                    }));
            }
        }
        ends.into_iter().for_each(|jump| self.patch_jump(jump));
        Ok(())
    }

    /// Emits a switch with an empty table, and returns the index of the table.
    fn emit_switch(&mut self, src: Operand) -> u16 {
        let table = self.function.switches.len() as u16;
        self.function.switches.push(SwitchTable::default());
        self.emit(Operation::Switch { src, table });
        table
    }

    /// Returns the constants of each arm. An arm below one of the same value without a guard can never be taken.
    fn arm_constants(&mut self, arms: &[tree::Arm]) -> LoweringResult<Vec<Vec<Value>>> {
        let (mut constants, mut settled): (Vec<Vec<Value>>, Vec<Value>) = (Vec::new(), Vec::new());
        for arm in arms {
            let own = arm
                .values
                .iter()
                .map(|value| self.literal_value(value))
                .collect::<LoweringResult<Vec<_>>>()?;
            for value in &own {
                if settled
                    .iter()
                    .any(|other| other == value && other.type_name() == value.type_name())
                {
                    let help = "take this one away; or, if it depends, put the arm with its condition first: `1 if wet => ..., 1 => ...`";
                    return self.fail(
                        "an arm above names the same value, so this one is never taken",
                        help,
                    );
                }
                if arm.guard.is_none() {
                    settled.push(value.clone());
                }
            }
            constants.push(own);
        }
        Ok(constants)
    }

    fn literal_value(&mut self, constant: &Expression) -> LoweringResult<Value> {
        Ok(match constant {
            Expression::Nothing(_) => Value::Nothing,
            Expression::Bool(flag, _) => (*flag).into(),
            Expression::Number(number, _) => Value::Number(*number),
            Expression::Text(text, _) => self.named(text).into(),
            Expression::List(list, _) => list
                .iter()
                .map(|item| self.literal_value(item))
                .collect::<LoweringResult<Vec<_>>>()?
                .into(),
            Expression::Map(entries, _) => {
                let entries = entries
                    .iter()
                    .map(|(name, _, item)| Ok((self.named(name), self.literal_value(item)?)));
                Value::Map(
                    entries
                        .collect::<LoweringResult<Vec<_>>>()?
                        .into_iter()
                        .collect(),
                )
            }
            _ => return self.unsupported(UnsupportedSyntax::Constant),
        })
    }

    fn begin_loop(&mut self, dst: Option<Register>) -> LoweringResult {
        let dst = match dst {
            Some(dst) => dst,
            None => self.alloc_register()?,
        };
        self.loops.push(LoopContext {
            dst,
            ..LoopContext::default()
        });
        Ok(())
    }

    /// Ends a loop: patches `continue` to jump to `continue_target` and `break` to jump here.
    fn end_loop(&mut self, continue_target: u32, needs_value: bool) {
        let Some(inner) = self.loops.pop() else {
            return;
        };
        inner
            .continue_jumps
            .into_iter()
            .for_each(|jump| self.patch_jump_to(jump, continue_target));
        if needs_value {
            // A loop without `break` evaluates to `()`; `break` sets its own value.
            self.emit_nothing(Some(inner.dst));
        }
        inner
            .break_jumps
            .into_iter()
            .for_each(|jump| self.patch_jump(jump));
    }

    /// Compiles the body of a loop and the jump back, which has the position of the loop so that an endless loop is reported there.
    fn lower_loop_body(&mut self, body: &[Statement], loop_start: u32) -> LoweringResult {
        let position = self.position;
        self.lower_block(body, None)?;
        self.position = position;
        self.emit(Operation::Jump { to: loop_start });
        Ok(())
    }

    fn lower_while(
        &mut self,
        condition: Option<&Expression>,
        body: &[Statement],
        dst: Option<Register>,
    ) -> LoweringResult {
        self.begin_loop(dst)?;
        let loop_start = self.next_op();
        let out = match condition {
            None => Vec::new(),
            Some(condition) => {
                self.set_position(condition.position());
                self.lower_condition(condition, false)?
            }
        };
        self.lower_loop_body(body, loop_start)?;
        out.into_iter().for_each(|jump| self.patch_jump(jump));
        self.end_loop(loop_start, dst.is_some());
        Ok(())
    }

    fn lower_do(
        &mut self,
        body: &[Statement],
        condition: &Expression,
        until: bool,
        dst: Option<Register>,
    ) -> LoweringResult {
        self.begin_loop(dst)?;
        let start = self.next_op();
        self.lower_block(body, None)?;
        let loop_start = self.next_op();
        for jump in self.lower_condition(condition, !until)? {
            self.patch_jump_to(jump, start);
        }
        self.end_loop(loop_start, dst.is_some());
        Ok(())
    }

    fn lower_for(
        &mut self,
        name: &str,
        counter: Option<&str>,
        list: &Expression,
        body: &[Statement],
        dst: Option<Register>,
    ) -> LoweringResult {
        // The iterable is copied, so that the body can't change the iteration.
        let iterable = self.alloc_register()?;
        self.lower_into(list, iterable)?;
        let count = self.alloc_register()?;
        let zero = self.constant_operand(Value::Number(0));
        self.emit(Operation::Copy {
            dst: count,
            src: zero,
        });
        self.begin_loop(dst)?;
        let loop_start = self.next_op();
        let variables = self.variables.len();
        let top = self.register_mark();
        let item = self.alloc_register()?;
        self.set_position(list.position());
        let next = self.emit(Operation::Next {
            dst: item,
            iterable: Operand(iterable),
            count,
            to: 0,
        });
        self.declare_variable(name, item, false, Some(list))?;
        if let Some(counter) = counter {
            let register = self.alloc_register()?;
            let step = self.constant_operand(Value::Number(1));
            self.emit(Operation::Binary {
                op: BinaryOperator::Sub,
                dst: register,
                a: Operand(count),
                b: step,
            });
            self.declare_variable(counter, register, false, None)?;
        }
        self.lower_loop_body(body, loop_start)?;
        self.end_scopes(variables);
        self.free_registers_to(top);
        self.patch_jump(next);
        self.end_loop(loop_start, dst.is_some());
        Ok(())
    }

    /// Compiles `break` and `continue`.
    fn lower_loop_exit(&mut self, value: Option<&Expression>, leave: bool) -> LoweringResult {
        let outer_loops = self
            .inlined_closures
            .last()
            .map_or(0, |inlined| inlined.outer_loops);
        if self.loops.len() <= outer_loops {
            return self.fail(
                "`break` and `continue` belong in a loop",
                "to leave a function, `return`",
            );
        }
        if let (Some(value), Some(dst)) = (value, self.loops.last().map(|l| l.dst)) {
            self.lower_into(value, dst)?;
        } else if let (true, Some(dst)) = (leave, self.loops.last().map(|l| l.dst)) {
            self.emit_nothing(Some(dst));
        }
        let jump = self.emit(Operation::Jump { to: 0 });
        if let Some(around) = self.loops.last_mut() {
            if leave {
                around.break_jumps.push(jump)
            } else {
                around.continue_jumps.push(jump)
            }
        }
        Ok(())
    }

    /// Compiles `return`, which leaves an inlined closure or the function.
    fn lower_return(&mut self, value: Option<&Expression>) -> LoweringResult {
        if let Some(dst) = self.inlined_closures.last().map(|inlined| inlined.dst) {
            match value {
                Some(value) => self.lower_into(value, dst)?,
                None => self.emit_nothing(Some(dst)),
            }
            let jump = self.emit(Operation::Jump { to: 0 });
            if let Some(inlined) = self.inlined_closures.last_mut() {
                inlined.return_jumps.push(jump);
            }
            return Ok(());
        }
        let src = match value {
            Some(value) => self.lower_operand(value)?,
            None => self.constant_operand(Value::Nothing),
        };
        self.emit(Operation::Return { src });
        Ok(())
    }
}
