//! What becomes of a throw: whether the number thrown is looked up, as a row or column of a table or in a list. Such a number has to stay
//! within what the dice can show; one that is added to others or compared has not.

use casebook_engine::code::throw_verb::ThrowVerb;
use casebook_engine::code::verbs::arithmetic::BOUNDING;
use casebook_engine::code::verbs::signature::Role;
use casebook_engine::code::verbs::{named, throw_name};
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::syntax::parse::{self, FunctionBody};
use casebook_engine::syntax::tree::{
    self, Call, Chain, Expression, Link, LinkKind, Statement, TreeNode,
};
use std::collections::BTreeSet;

/// The rounds in which a thrown number is followed into the functions that it is handed to.
const MAX_ROUNDS: usize = 8;

/// Returns whether a number that a function throws, with some dice and for a purpose, is looked up somewhere: followed through variables,
/// fields, parameters and answers. `key` is the function's name with its number of parameters. A sum with another throw is no longer the number, nor is one that the rule itself
/// keeps within bounds.
pub fn is_looked_up(ruleset: &Ruleset, key: &str, (dice, purpose): (&str, Option<&str>)) -> bool {
    let functions = functions_of(ruleset);
    let is_this = |call: &Call| {
        let is_text = |index: usize, text: &str| matches!(call.args.get(index), Some(Expression::Text(known, _)) if **known == *text);
        is_text(0, dice) && purpose.is_none_or(|purpose| is_text(1, purpose))
    };
    let is_other = |function: &str, call: &Call| function != key || !is_this(call);
    let others = ThrownNumber::follow(&functions, &is_other, None);
    let is_thrown = |function: &str, call: &Call| function == key && is_this(call);
    let this = ThrownNumber::follow(&functions, &is_thrown, Some(&others));
    let mut found = false;
    for function in &functions {
        let is_number = |value: &Expression| this.is_thrown(&function.key, value);
        tree::walk(&function.body, &mut |node| {
            found |= match node {
                TreeNode::Expression(Expression::Call(call)) if !call.is_operator => {
                    looked_up(call).any(is_number)
                }
                TreeNode::Link(Link {
                    kind: LinkKind::Key(key),
                    ..
                }) => is_number(key),
                _ => false,
            };
            !found
        });
    }
    found
}

/// Yields the arguments of a call that are looked up in a table.
fn looked_up(call: &Call) -> impl Iterator<Item = &Expression> {
    let count = call.args.len();
    let verb = named(&call.name).find(|verb| verb.params.len() >= count);
    let is_key = move |index: &usize| {
        verb.is_some_and(|verb| {
            verb.params
                .get(*index)
                .is_some_and(|one| one.role == Role::Key)
        })
    };
    (0..count).filter(is_key).map(|index| &call.args[index])
}

struct Function {
    key: String,
    params: Vec<String>,
    body: FunctionBody,
}

fn functions_of(ruleset: &Ruleset) -> Vec<Function> {
    let mut functions = Vec::new();
    for case in &ruleset.cases {
        for (index, function) in case.functions.iter().enumerate() {
            if function.is_example() || function.in_tests() {
                continue;
            }
            if let Ok(body) = parse::function_body(case, index) {
                functions.push(Function {
                    key: format!("{}.{}", function.name, function.arity()),
                    params: function.params.clone(),
                    body,
                });
            }
        }
    }
    functions
}

/// A throw that is followed: a function, and the call in it.
type IsFollowed<'a> = &'a dyn Fn(&str, &Call) -> bool;

/// Where thrown numbers are.
struct ThrownNumber<'a> {
    is_followed: IsFollowed<'a>,
    /// Where the numbers of other throws are.
    others: Option<&'a ThrownNumber<'a>>,
    /// Variables and parameters, each with its function.
    names: BTreeSet<(String, String)>,
    /// Fields of whatever.
    fields: BTreeSet<String>,
    /// Functions that answer with one.
    answers: BTreeSet<String>,
}

impl<'a> ThrownNumber<'a> {
    /// Follows throws through the functions.
    fn follow(
        functions: &[Function],
        is_followed: IsFollowed<'a>,
        others: Option<&'a ThrownNumber<'a>>,
    ) -> ThrownNumber<'a> {
        let mut found = ThrownNumber {
            is_followed,
            others,
            names: BTreeSet::new(),
            fields: BTreeSet::new(),
            answers: BTreeSet::new(),
        };
        for _ in 0..MAX_ROUNDS {
            let before = found.count();
            for function in functions {
                found.look_through(function, functions);
            }
            if found.count() == before {
                break;
            }
        }
        found
    }

    fn count(&self) -> usize {
        self.names.len() + self.fields.len() + self.answers.len()
    }

    fn look_through(&mut self, function: &Function, functions: &[Function]) {
        let key = &function.key;
        tree::walk(&function.body, &mut |node| {
            match node {
                TreeNode::Statement(Statement::Let { name, value, .. })
                    if self.is_thrown(key, value) =>
                {
                    self.names.insert((key.clone(), name.to_string()));
                }
                TreeNode::Statement(Statement::Assign { target, value, .. })
                    if self.is_thrown(key, value) =>
                {
                    match target {
                        Expression::Variable(name, _) => {
                            self.names.insert((key.clone(), name.to_string()));
                        }
                        Expression::Chain(chain) => self.fields.extend(last_field(chain)),
                        _ => {}
                    }
                }
                TreeNode::Statement(Statement::Return(Some(value), _))
                    if self.is_thrown(key, value) =>
                {
                    self.answers.insert(key.clone());
                }
                TreeNode::Expression(Expression::Map(entries, _)) => {
                    for (name, _, value) in entries {
                        if self.is_thrown(key, value) {
                            self.fields.insert(name.to_string());
                        }
                    }
                }
                TreeNode::Expression(Expression::Call(call)) if !call.is_operator => {
                    for (place, argument) in call.args.iter().enumerate() {
                        if !self.is_thrown(key, argument) {
                            continue;
                        }
                        let callee = format!("{}.{}", call.name, call.args.len());
                        for other in functions.iter().filter(|other| other.key == callee) {
                            let name = other.params.get(place);
                            self.names
                                .extend(name.map(|name| (callee.clone(), name.clone())));
                        }
                    }
                }
                _ => {}
            }
            true
        });
        let last = function.body.last();
        if last.is_some_and(|last| self.is_answer(key, last)) {
            self.answers.insert(key.clone());
        }
    }

    /// Whether a statement that stands last answers with the number.
    fn is_answer(&self, function: &str, statement: &Statement) -> bool {
        let is_last = |body: &[Statement]| {
            body.last()
                .is_some_and(|last| self.is_answer(function, last))
        };
        match statement {
            Statement::Expression(value) | Statement::Return(Some(value), _) => {
                self.is_thrown(function, value)
            }
            Statement::Block(body, _) => is_last(body),
            Statement::If {
                then, otherwise, ..
            } => is_last(then) || is_last(otherwise),
            Statement::Switch(switch) => switch
                .arms
                .iter()
                .any(|arm| self.is_thrown(function, &arm.value)),
            _ => false,
        }
    }

    fn is_thrown(&self, function: &str, value: &Expression) -> bool {
        let is_thrown = |value: &Expression| self.is_thrown(function, value);
        match value {
            Expression::Variable(name, _) => self
                .names
                .contains(&(function.to_string(), name.to_string())),
            Expression::Call(call) if call.is_operator => {
                let is_other = |value: &Expression| {
                    let is_theirs = |others: &ThrownNumber| others.is_thrown(function, value);
                    self.others.is_some_and(is_theirs) && !is_thrown(value)
                };
                matches!(&*call.name, "+" | "-" | "*" | "/")
                    && call.args.iter().any(is_thrown)
                    && !call.args.iter().any(is_other)
            }
            Expression::Call(call) if &*call.name == throw_name(ThrowVerb::Roll) => {
                (self.is_followed)(function, call)
            }
            Expression::Call(call) if &*call.name == BOUNDING => false,
            Expression::Call(call) => {
                let key = format!("{}.{}", call.name, call.args.len());
                self.answers.contains(&key)
                    || named(&call.name).next().is_some() && call.args.iter().any(is_thrown)
            }
            Expression::Chain(chain) => self.is_chain_thrown(chain, &is_thrown),
            Expression::List(parts, _) | Expression::Coalesce(parts, _) => {
                parts.iter().any(is_thrown)
            }
            Expression::Block(body, _) => body
                .last()
                .is_some_and(|last| self.is_answer(function, last)),
            _ => false,
        }
    }

    fn is_chain_thrown(&self, chain: &Chain, is_thrown: &dyn Fn(&Expression) -> bool) -> bool {
        let mut thrown = is_thrown(&chain.root);
        for link in &chain.links {
            thrown = match &link.kind {
                LinkKind::Field(name) => self.fields.contains(&**name),
                LinkKind::Key(_) => thrown,
                LinkKind::Method(call) => {
                    let key = format!("{}.{}", call.name, call.args.len() + 1);
                    thrown || self.answers.contains(&key) || call.args.iter().any(is_thrown)
                }
            };
        }
        thrown
    }
}

fn last_field(chain: &Chain) -> Option<String> {
    match &chain.links.last()?.kind {
        LinkKind::Field(name) => Some(name.to_string()),
        _ => None,
    }
}
