//! Statements and blocks: what each leaves behind.

use super::look::Look;
use super::sorts::{ANY, Can, FLAG, LIST, MAP, NOTHING, NUMBER, OTHER, TEXT, sum};
use crate::syntax::tree::{Expression, Foreign, Statement, Switch};

impl<'w> Look<'_, 'w, '_> {
    pub fn block(&mut self, list: &'w [Statement]) -> Can {
        list.iter().fold(Can::of(NOTHING), |_, statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'w Statement) -> Can {
        match statement {
            Statement::Nothing(_) => {}
            Statement::Value(expression) => return self.value(expression),
            Statement::Block(body, _) => return self.block(body),
            Statement::If { condition, then, otherwise, .. } => {
                self.condition(condition);
                return self.block(then).or(self.block(otherwise));
            }
            Statement::Switch(switch) => return self.switched(switch),
            Statement::While { condition, body, .. } => {
                condition.iter().for_each(|condition| self.condition(condition));
                self.block(body);
                return Can::any();
            }
            Statement::Do { body, condition, .. } => {
                self.condition(condition);
                self.block(body);
                return Can::any();
            }
            Statement::For { name, counter, list, body, .. } => {
                let of = self.value(list);
                self.demand(list, LIST | OTHER | TEXT);
                self.put(name, of.item());
                counter.iter().for_each(|counter| self.put(counter, Can::of(NUMBER)));
                self.block(body);
                return Can::any();
            }
            Statement::Let { name, value, .. } => {
                let value = self.value(value);
                self.put(name, value);
            }
            Statement::Assign { left, sign, right, .. } => {
                let value = self.value(right);
                let before = self.value(left);
                match left {
                    Expression::Variable(name, _) => self.put(name, if sign.is_some() { sum(before, value) } else { value }),
                    Expression::Chain(chain) => chain.root.variable().into_iter().for_each(|name| self.put(name, Can::of(LIST | MAP))),
                    _ => {}
                }
            }
            Statement::Leave { value, .. } => {
                value.iter().for_each(|value| drop(self.value(value)));
                return Can::never();
            }
            Statement::Return(value, _) => {
                let value = value.as_ref().map_or(Can::of(NOTHING), |value| self.value(value));
                let so_far = std::mem::replace(&mut self.returns, Can::never());
                self.returns = so_far.or(value);
                return Can::never();
            }
            Statement::Foreign(Foreign::Throw, _) => return Can::never(),
            Statement::Foreign(..) => {}
        }
        Can::of(NOTHING)
    }

    fn switched(&mut self, switch: &'w Switch) -> Can {
        let asked = self.value(&switch.of);
        for arm in &switch.arms {
            arm.values.iter().for_each(|value| self.arm(switch, &asked, value));
            if !arm.ranges.is_empty() {
                self.allow(&switch.of, ANY);
            }
        }
        let rest = if switch.rest.is_none() { Can::of(NOTHING) } else { Can::never() };
        switch.arms.iter().fold(rest, |all, arm| {
            arm.guard.iter().for_each(|guard| drop(self.value(guard)));
            all.or(self.value(&arm.value))
        })
    }

    pub fn condition(&mut self, expression: &'w Expression) {
        self.value(expression);
        self.demand(expression, FLAG);
    }
}
