//! Types of expressions.

use super::analysis::FunctionAnalysis;
use super::types::InferredType;
use crate::author::script_vocabulary::{text_constant, text_constants};
use crate::code::verbs::types::{ANY, CLOSURE, FLAG, LIST, MAP, NOTHING, PIECE, PIECES, PLACE, RECORD, TEXT, describe};
use crate::code::verbs::{self, Verb};
use crate::data::manifest::Track;
use crate::data::places::AttributeType;
use crate::data::sheet::GIVEN;
use crate::syntax::tree::{Call, Chain, ClosureExpression, Expression, LinkKind, Name};

impl<'w> FunctionAnalysis<'_, 'w, '_> {
    /// Infers the type of an expression.
    pub fn infer_value(&mut self, expression: &'w Expression) -> InferredType {
        match expression {
            Expression::Nothing(_) | Expression::Bool(..) | Expression::Number(..) | Expression::Text(..) => {
                InferredType::literal(expression)
            }
            Expression::Interpolation(parts, _) => {
                parts.iter().for_each(|part| drop(self.infer_value(part)));
                InferredType::new(TEXT)
            }
            Expression::List(items, _) => {
                InferredType::list_of(items.iter().fold(InferredType::never(), |all, item| all.merge(self.infer_value(item))))
            }
            Expression::Map(entries, _) => {
                entries.iter().for_each(|(.., value)| drop(self.infer_value(value)));
                InferredType::new(MAP)
            }
            Expression::Variable(name, _) => self.variables.get(&**name).cloned().unwrap_or_else(InferredType::any),
            Expression::Call(call) => self.infer_call(call, None),
            Expression::Chain(chain) => self.infer_chain(chain),
            Expression::And(parts, _) | Expression::Or(parts, _) => {
                parts.iter().for_each(|part| self.check_condition(part));
                InferredType::new(FLAG)
            }
            Expression::Coalesce(parts, _) => {
                parts.iter().fold(InferredType::never(), |all, part| all.without_nothing().merge(self.infer_value(part)))
            }
            Expression::Closure(closure) => {
                // The arguments of a closure that is stored as a value are unknown.
                if !closure.captures.is_empty() {
                    self.infer_closure(closure, None);
                }
                InferredType::new(CLOSURE)
            }
            Expression::Block(body, _) => self.infer_block(body),
            Expression::Foreign(..) => InferredType::any(),
        }
    }

    fn infer_chain(&mut self, chain: &'w Chain) -> InferredType {
        let mut now = self.infer_value(&chain.root);
        let mut from = Some(&chain.root);
        for link in &chain.links {
            now = match &link.kind {
                LinkKind::Field(name) => {
                    if let Some(from) = from.filter(|_| &**name != "len" && !link.is_optional) {
                        self.require_types(from, PIECE | MAP | PLACE | RECORD);
                    }
                    self.infer_field(from.and_then(Expression::as_variable), name)
                }
                LinkKind::Key(key) => {
                    self.infer_value(key);
                    if now.types == LIST { now.item_type().merge(InferredType::new(NOTHING)) } else { InferredType::any() }
                }
                LinkKind::Method(call) => self.infer_call(call, Some((from, now))),
            };
            from = None;
        }
        now
    }

    /// Infers the type of a figure or of a field of a sheet.
    fn infer_field(&mut self, root: Option<&str>, name: &'w str) -> InferredType {
        if let Some(sheet) = root.and_then(|root| self.inference.vocabulary.sheet(root)) {
            return sheet.get(name).map_or_else(InferredType::any, |field| InferredType::from_constraint(&field.constraint));
        }
        if let Some(figure) = self.inference.fields.get(name) {
            return figure.clone();
        }
        let figure = self.figure_type(name);
        self.inference.fields.insert(name, figure.clone());
        figure
    }

    fn figure_type(&self, name: &str) -> InferredType {
        let words = self.inference.vocabulary;
        let game = words.game();
        let elsewhere = words.is_chart_field(name) || self.inference.vocabulary.sheets().any(|sheet| sheet.contains_key(name));
        let in_maps = self.inference.functions.map_values.get(name).cloned().unwrap_or_else(InferredType::never);
        if ["kind", "side"].contains(&name) && !elsewhere {
            return InferredType::one_of_texts(words.names_of(name)).merge(InferredType::new(NOTHING)).merge(in_maps);
        }
        let lists = [&game.attributes, &game.places.attributes, &game.places.side_attributes];
        let found =
            lists.into_iter().flatten().filter(|(known, _)| known == name).map(|(_, attribute)| self.attribute_type(name, attribute));
        found.reduce(InferredType::merge).filter(|_| !elsewhere).map_or_else(InferredType::any, |found| found.merge(in_maps))
    }

    /// Returns the type of an attribute; an attribute that names things of the game takes one of their names.
    fn attribute_type(&self, name: &str, attribute: &AttributeType) -> InferredType {
        let game = self.inference.vocabulary.game();
        let sorts = game.attribute_references.get(name).or(game.places.attribute_references.get(name));
        let known = |sort: &String| game.tracks.get(sort).map(Track::boxes).filter(|names| !names.is_empty());
        match sorts.map(|sorts| sorts.iter().map(known).collect::<Option<Vec<_>>>()) {
            Some(Some(names)) if InferredType::from_attribute(attribute).types & TEXT != 0 => {
                InferredType::one_of_texts(names.concat()).merge(InferredType::new(NOTHING))
            }
            _ => InferredType::from_attribute(attribute),
        }
    }

    /// Infers the type of a call by name, of a method call or of an operator.
    fn infer_call(&mut self, call: &'w Call, on: Option<(Option<&'w Expression>, InferredType)>) -> InferredType {
        let name = &*call.name;
        let (before, first) = on.unzip();
        let from: Vec<Option<&'w Expression>> = before.into_iter().chain(call.args.iter().map(Some)).collect();
        let mut args = Vec::with_capacity(from.len());
        // What the last closure among the arguments returns.
        let mut returned = InferredType::any();
        args.extend(first);
        for arg in &call.args {
            args.push(match arg {
                Expression::Closure(closure) if !args.is_empty() && ["where", "without", "map", "some", "all", "find"].contains(&name) => {
                    let items = args[0].item_type();
                    returned = self.infer_closure(closure, Some(items));
                    if name != "map" && returned.types != 0 && returned.types & FLAG == 0 {
                        let what = format!("this closure is a condition, and gives {}", describe(returned.types));
                        self.complain(arg.start(), 1, what, "compare something: `|n| n > 3`");
                    }
                    InferredType::new(CLOSURE)
                }
                _ => self.infer_value(arg),
            });
        }
        if call.is_operator || name == "contains" && args.len() == 2 {
            return self.infer_operator(call, &from, &args);
        }
        let count = args.len();
        let helper = self.case.functions.iter().position(|f| f.private && f.name == name && f.arity() == count);
        let slot = self.inference.vocabulary.ruleset.slot(name, count);
        let facts = match (helper, slot) {
            (Some(index), _) => self.inference.function_facts(self.case, index, None),
            (None, Some(slot)) => self.inference.slot_facts(slot),
            (None, None) => {
                let Some(verb) = verbs::find(name, count).map(|number| verbs::all()[number as usize]) else { return InferredType::any() };
                return self.infer_verb(verb, call, &from, &args, returned);
            }
        };
        let Some(facts) = facts else { return InferredType::any() };
        for (((place, arg), from), takes) in args.iter().enumerate().zip(&from).zip(&facts.parameters) {
            from.iter().for_each(|from| self.require_types(from, takes | NOTHING));
            let given = arg.types & !NOTHING;
            if given != 0 && given & takes == 0 {
                let param = self.parameter_name(name, count, place);
                let (works, gets) = (describe(takes & !NOTHING), describe(given));
                let at = from.map_or(call.at, Expression::start);
                let what = format!("`{name}` works with {works} as `{param}`, and is given {gets}");
                self.complain(at, 1, what, "give the function what it works with");
            }
        }
        facts.returns.clone()
    }

    fn infer_verb(
        &mut self,
        verb: &Verb,
        call: &'w Call,
        from: &[Option<&'w Expression>],
        args: &[InferredType],
        returned: InferredType,
    ) -> InferredType {
        let method = from.len() > call.args.len();
        for (((name, takes), arg), from) in verb.params.iter().zip(args).zip(from) {
            from.iter().for_each(|from| self.require_types(from, *takes));
            let items = arg.item_type().types;
            let given = if arg.types != 0 && arg.types & takes == 0 {
                describe(arg.types)
            } else if *takes == PIECES && arg.types == LIST && items != 0 && items & PIECE == 0 {
                format!("a list with {} in it", describe(items))
            } else {
                continue;
            };
            let at = from.map_or(call.at, Expression::start);
            let what = format!("`{}` takes {} for `{name}`, and is given {given}", verb.name, describe(*takes));
            self.complain(at, 1, what, format!("see `{}`: {}", verb.name, verb.description));
        }
        if let ("get" | "set" | "remove", [container, key, ..]) = (verb.name, args) {
            self.check_key(call, container, key);
        }
        let changed = call.args.first().filter(|_| !method).or(from.first().copied().flatten()).and_then(Expression::as_variable);
        if let (verbs::VerbImplementation::Mutate(_), Some(name), Some(first)) = (verb.implementation, changed, args.first())
            && !["push", "insert", "append", "pop", "shift"].contains(&verb.name)
        {
            self.assign(name, InferredType::new(first.types));
        }
        self.check_piece_conditions(verb.name, call, args, method);
        match (verb.name, args) {
            ("reading", _) => return self.reading_type(call),
            ("track", [_, otherwise @ ..]) => {
                let stands = self.track_type(call);
                return otherwise.iter().cloned().fold(stands, InferredType::merge);
            }
            _ => {}
        }
        match (verb.name, args) {
            ("refuse", _) => InferredType::never(),
            ("choose", [_, _, options]) => options.item_type(),
            ("first", [list]) => list.item_type().merge(InferredType::new(NOTHING)),
            ("where" | "without" | "distinct" | "sort_by", [list, ..]) if list.types == LIST => InferredType::list_of(list.item_type()),
            ("map", _) => InferredType::list_of(returned),
            ("asked", [_, _, otherwise]) => self.argument_type(call, method).merge(otherwise.clone()),
            ("push" | "insert" | "append", [list, .., item]) => {
                let items = if verb.name == "append" { item.item_type() } else { item.clone() };
                changed.into_iter().for_each(|name| self.assign(name, InferredType::list_of(list.item_type().merge(items.clone()))));
                InferredType::new(NOTHING)
            }
            ("pop" | "shift", [list]) => list.item_type().merge(InferredType::new(NOTHING)),
            _ => match verb.returns {
                ANY => InferredType::any(),
                given => InferredType::new(given | NOTHING),
            },
        }
    }

    /// Returns the type of a reading: one of its alternatives.
    fn reading_type(&self, call: &Call) -> InferredType {
        let Some((name, _)) = call.args.first().and_then(text_constant) else { return InferredType::new(TEXT) };
        let ways = self.inference.vocabulary.alternatives(self.case, name);
        if ways.is_empty() { InferredType::new(TEXT) } else { InferredType::one_of_texts(ways) }
    }

    /// Returns the type of a track's value: one of its names, if its places are named.
    fn track_type(&self, call: &Call) -> InferredType {
        let Some((name, _)) = call.args.first().and_then(text_constant) else { return InferredType::any() };
        let boxes = self.inference.vocabulary.game().tracks.get(name).map(Track::boxes).unwrap_or_default();
        if boxes.is_empty() { InferredType::any() } else { InferredType::one_of_texts(boxes).merge(InferredType::new(NOTHING)) }
    }

    /// Checks what selects pieces: kinds and groups, or a map of figures with their values.
    fn check_piece_conditions(&mut self, verb: &str, call: &'w Call, types: &[InferredType], method: bool) {
        if self.complaints.is_none() {
            return;
        }
        let args = call.args.get(usize::from(!method && verb != "pieces")..).unwrap_or_default();
        let mut pairs: Vec<(&'w str, &'w Expression)> = Vec::new();
        match (verb, args) {
            // In a list of texts, a text stands for itself; elsewhere for a kind or group.
            ("where" | "without", [which @ Expression::List(..)])
                if types.first().is_some_and(|list| list.item_type().types & TEXT == 0) =>
            {
                pairs.push(("kind", which));
            }
            ("pieces" | "where" | "without", [Expression::Map(entries, _), ..]) => {
                pairs.extend(entries.iter().map(|(key, _, value)| (&**key, value)));
            }
            _ => {}
        }
        for (figure, value) in pairs {
            let can = match figure {
                "kind" => InferredType::one_of_texts(
                    self.inference.vocabulary.names_of("kind").into_iter().chain(self.inference.vocabulary.names_of("group")),
                ),
                "side" => InferredType::one_of_texts(self.inference.vocabulary.names_of("side")),
                _ => self.infer_field(None, figure),
            };
            for (text, at) in text_constants(value) {
                self.check_possible_text(&can, text, at, "this is never");
            }
        }
    }

    /// Returns the type of the argument that a situation passes under a name.
    fn argument_type(&self, call: &Call, method: bool) -> InferredType {
        let field = match call.args.get(usize::from(!method)) {
            Some(Expression::Text(text, _)) => self.inference.vocabulary.sheet(GIVEN).and_then(|sheet| sheet.get(&**text)),
            _ => None,
        };
        field.map_or_else(InferredType::any, |field| InferredType::from_constraint(&field.constraint))
    }

    /// Infers the return type of a closure called with `item`; its parameter has any type if `item` is `None`.
    fn infer_closure(&mut self, closure: &'w ClosureExpression, item: Option<InferredType>) -> InferredType {
        let hide = |name: &'w Name| (&**name, self.variables.remove(&**name), self.parameter_indices.remove(&**name));
        let hidden: Vec<_> = closure.params.iter().map(hide).collect();
        let mut given = item;
        for name in &closure.params {
            self.variables.insert(name, given.take().unwrap_or_else(InferredType::any));
        }
        let outer = std::mem::replace(&mut self.returns, InferredType::never());
        let last = self.infer_block(&closure.body);
        let returned = std::mem::replace(&mut self.returns, outer);
        for (name, variable, param) in hidden {
            self.variables.remove(name);
            self.variables.extend(variable.map(|can| (name, can)));
            self.parameter_indices.extend(param.map(|place| (name, place)));
        }
        last.merge(returned)
    }
}
