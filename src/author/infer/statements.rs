//! Types of statements and blocks.

use super::analysis::FunctionAnalysis;
use super::types::{InferredType, add_types};
use crate::code::verbs::types::{ANY, FLAG, LIST, MAP, NOTHING, NUMBER, RANGE, TEXT};
use crate::syntax::tree::{Expression, Statement, SwitchStatement, UnsupportedSyntax};

impl<'w> FunctionAnalysis<'_, 'w, '_> {
    pub fn infer_block(&mut self, list: &'w [Statement]) -> InferredType {
        list.iter().fold(InferredType::new(NOTHING), |_, statement| self.infer_statement(statement))
    }

    fn infer_statement(&mut self, statement: &'w Statement) -> InferredType {
        match statement {
            Statement::Nothing(_) => {}
            Statement::Expression(expression) => return self.infer_value(expression),
            Statement::Block(body, _) => return self.infer_block(body),
            Statement::If { condition, then, otherwise, .. } => {
                self.check_condition(condition);
                return self.infer_block(then).merge(self.infer_block(otherwise));
            }
            Statement::Switch(switch) => return self.infer_switch(switch),
            Statement::While { condition, body, .. } => {
                condition.iter().for_each(|condition| self.check_condition(condition));
                self.infer_block(body);
                return InferredType::any();
            }
            Statement::Do { body, condition, .. } => {
                self.check_condition(condition);
                self.infer_block(body);
                return InferredType::any();
            }
            Statement::For { name, index_name: counter, iterable: list, body, .. } => {
                let of = self.infer_value(list);
                self.require_types(list, LIST | RANGE | TEXT);
                self.assign(name, of.item_type());
                counter.iter().for_each(|counter| self.assign(counter, InferredType::new(NUMBER)));
                self.infer_block(body);
                return InferredType::any();
            }
            Statement::Let { name, value, .. } => {
                let value = self.infer_value(value);
                self.assign(name, value);
            }
            Statement::Assign { target: left, operator: sign, value: right, .. } => {
                let value = self.infer_value(right);
                let before = self.infer_value(left);
                match left {
                    Expression::Variable(name, _) => self.assign(name, if sign.is_some() { add_types(before, value) } else { value }),
                    Expression::Chain(chain) => {
                        chain.root.as_variable().into_iter().for_each(|name| self.assign(name, InferredType::new(LIST | MAP)))
                    }
                    _ => {}
                }
            }
            Statement::LoopExit { value, .. } => {
                value.iter().for_each(|value| drop(self.infer_value(value)));
                return InferredType::never();
            }
            Statement::Return(value, _) => {
                let value = value.as_ref().map_or(InferredType::new(NOTHING), |value| self.infer_value(value));
                let so_far = std::mem::replace(&mut self.returns, InferredType::never());
                self.returns = so_far.merge(value);
                return InferredType::never();
            }
            Statement::Foreign(UnsupportedSyntax::Throw, _) => return InferredType::never(),
            Statement::Foreign(..) => {}
        }
        InferredType::new(NOTHING)
    }

    fn infer_switch(&mut self, switch: &'w SwitchStatement) -> InferredType {
        let asked = self.infer_value(&switch.scrutinee);
        for arm in &switch.arms {
            arm.values.iter().for_each(|value| self.check_arm(switch, &asked, value));
            if !arm.ranges.is_empty() {
                self.allow_types(&switch.scrutinee, ANY);
            }
        }
        let rest = if switch.default_arm.is_none() { InferredType::new(NOTHING) } else { InferredType::never() };
        switch.arms.iter().fold(rest, |all, arm| {
            arm.guard.iter().for_each(|guard| drop(self.infer_value(guard)));
            all.merge(self.infer_value(&arm.value))
        })
    }

    pub fn check_condition(&mut self, expression: &'w Expression) {
        self.infer_value(expression);
        self.require_types(expression, FLAG);
    }
}
