//! Statements and blocks: what each leaves behind.

use super::look::{Look, variable};
use super::sorts::{Can, FLAG, LIST, MAP, NOTHING, NUMBER, OTHER, TEXT, sum};
use crate::code::lower::chain_of;
use rhai::{Expr, Stmt};

impl<'w> Look<'_, 'w, '_> {
    pub fn block(&mut self, list: &'w [Stmt]) -> Can {
        list.iter().fold(Can::of(NOTHING), |_, statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'w Stmt) -> Can {
        match statement {
            Stmt::Expr(expression) => return self.value(expression),
            Stmt::FnCall(call, at) => return self.called(call, None, *at),
            Stmt::Block(block) => return self.block(block.statements()),
            Stmt::If(flow, _) => {
                self.condition(&flow.expr);
                let then = self.block(flow.body.statements());
                return then.or(self.block(flow.branch.statements()));
            }
            Stmt::Switch(parts, at) => {
                let asked = self.value(&parts.0);
                for arm in parts.1.cases.values() {
                    self.arm(&parts.0, &asked, &arm.value, *at);
                }
                let rest = if parts.1.def_case.is_none() { Can::of(NOTHING) } else { Can::never() };
                return parts.1.expressions.iter().fold(rest, |all, arm| {
                    self.value(&arm.lhs);
                    all.or(self.value(&arm.rhs))
                });
            }
            Stmt::While(flow, _) | Stmt::Do(flow, ..) => {
                if !matches!(flow.expr, Expr::Unit(_)) {
                    self.condition(&flow.expr);
                }
                self.block(flow.body.statements());
                return Can::any();
            }
            Stmt::For(parts, _) => {
                let of = self.value(&parts.2.expr);
                self.demand(&parts.2.expr, LIST | OTHER | TEXT);
                let item = of.item();
                self.put(&parts.0.name, item);
                if let Some(counter) = &parts.1 {
                    self.put(&counter.name, Can::of(NUMBER));
                }
                self.block(parts.2.body.statements());
                return Can::any();
            }
            Stmt::Var(parts, ..) => {
                let value = self.value(&parts.1);
                self.put(&parts.0.name, value);
            }
            Stmt::Assignment(parts) => {
                let value = self.value(&parts.1.rhs);
                let before = self.value(&parts.1.lhs);
                match &parts.1.lhs {
                    Expr::Variable(name, ..) if parts.0.is_op_assignment() => self.put(&name.1, sum(before, value)),
                    Expr::Variable(name, ..) => self.put(&name.1, value),
                    changed => {
                        if let Some(name) = chain_of(changed).and_then(|(root, _)| variable(root)) {
                            self.put(name, Can::of(LIST | MAP));
                        }
                    }
                }
            }
            Stmt::BreakLoop(value, ..) => {
                value.iter().for_each(|value| drop(self.value(value)));
                return Can::never();
            }
            Stmt::Return(value, ..) => {
                let value = value.as_ref().map_or(Can::of(NOTHING), |value| self.value(value));
                let so_far = std::mem::replace(&mut self.returns, Can::never());
                self.returns = so_far.or(value);
                return Can::never();
            }
            _ => {}
        }
        Can::of(NOTHING)
    }

    pub fn condition(&mut self, expression: &'w Expr) {
        self.value(expression);
        self.demand(expression, FLAG);
    }
}
