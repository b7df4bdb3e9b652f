//! Types of expressions, and checks of comparisons, operands and arguments.

use super::FunctionAnalysis;
use super::types::{InferredType, add_types};
use crate::author::script_vocabulary::{
    CallTarget, call_target, find_constant, kind_of_figure, result_keys, text_constant,
    text_constants,
};
use casebook_engine::code::fields::LENGTH;
use casebook_engine::code::verbs::types::{
    ANY, CLOSURE, FLAG, LIST, MAP, NOTHING, NUMBER, PIECE, PIECES, PLACE, RECORD, TEXT, describe,
    key_types, member_types,
};
use casebook_engine::code::verbs::{self, Iteration, Parameter, ResultRule, Role, Verb};
use casebook_engine::complaint::did_you_mean;
use casebook_engine::data::manifest::Track;
use casebook_engine::data::places::AttributeType;
use casebook_engine::data::reference_kind::ReferenceKind;
use casebook_engine::data::sheet::GIVEN;
use casebook_engine::syntax::calls::CONTAINS;
use casebook_engine::syntax::tree::{
    Call, Chain, ClosureExpression, Expression, LinkKind, Name, SourcePosition, SwitchStatement,
};

/// A complaint lists at most this many possible words.
const MAX_WORDS: usize = 24;

impl<'w> FunctionAnalysis<'_, 'w, '_> {
    pub fn infer_value(&mut self, expression: &'w Expression) -> InferredType {
        match expression {
            Expression::Nothing(_)
            | Expression::Bool(..)
            | Expression::Number(..)
            | Expression::Text(..) => InferredType::literal(expression),
            Expression::Interpolation(parts, _) => {
                parts.iter().for_each(|part| drop(self.infer_value(part)));
                InferredType::new(TEXT)
            }
            Expression::List(items, _) => {
                InferredType::list_of(items.iter().fold(InferredType::never(), |merged, item| {
                    merged.merge(self.infer_value(item))
                }))
            }
            Expression::Map(entries, _) => {
                entries
                    .iter()
                    .for_each(|(.., value)| drop(self.infer_value(value)));
                InferredType::new(MAP)
            }
            Expression::Variable(name, _) => self
                .variables
                .get(&**name)
                .cloned()
                .unwrap_or_else(InferredType::any),
            Expression::Call(call) => self.infer_call(call, None),
            Expression::Chain(chain) => self.infer_chain(chain),
            Expression::And(parts, _) | Expression::Or(parts, _) => {
                parts.iter().for_each(|part| self.check_condition(part));
                InferredType::new(FLAG)
            }
            Expression::Coalesce(parts, _) => {
                parts.iter().fold(InferredType::never(), |merged, part| {
                    merged.without_nothing().merge(self.infer_value(part))
                })
            }
            Expression::Closure(closure) => {
                // The arguments of a closure that is stored as a value are unknown.
                if !closure.captures.is_empty() {
                    self.infer_closure(closure, None);
                }
                InferredType::new(CLOSURE)
            }
            Expression::Block(body, _) => self.infer_block(body),
            Expression::Changed(changed) => self.infer_value(&changed.value),
            Expression::Foreign(..) => InferredType::any(),
        }
    }

    fn infer_chain(&mut self, chain: &'w Chain) -> InferredType {
        let mut current = self.infer_value(&chain.root);
        let mut from = Some(&chain.root);
        for link in &chain.links {
            current = match &link.kind {
                LinkKind::Field(name) => {
                    if let Some(from) = from.filter(|_| &**name != LENGTH && !link.is_optional) {
                        self.require_types(from, PIECE | MAP | PLACE | RECORD);
                    }
                    self.infer_field(from.and_then(Expression::as_variable), name)
                }
                LinkKind::Key(key) => {
                    self.infer_value(key);
                    if current.types == LIST {
                        current.item_type().merge(InferredType::new(NOTHING))
                    } else {
                        InferredType::any()
                    }
                }
                LinkKind::Method(call) => self.infer_call(call, Some((from, current))),
            };
            from = None;
        }
        current
    }

    /// Infers the type of a figure or of a field of a sheet.
    fn infer_field(&mut self, root: Option<&str>, name: &'w str) -> InferredType {
        if let Some(sheet) = root.and_then(|root| self.inference.vocabulary.sheet(root)) {
            return sheet.get(name).map_or_else(InferredType::any, |field| {
                InferredType::from_constraint(&field.constraint)
            });
        }
        if let Some(figure) = self.inference.fields.get(name) {
            return figure.clone();
        }
        let figure = self.figure_type(name);
        self.inference.fields.insert(name, figure.clone());
        figure
    }

    fn figure_type(&self, name: &str) -> InferredType {
        let vocabulary = self.inference.vocabulary;
        let elsewhere = vocabulary.is_chart_field(name)
            || result_keys().any(|key| key == name)
            || vocabulary.sheets().any(|sheet| sheet.contains_key(name));
        let in_maps = self
            .inference
            .functions
            .map_values
            .get(name)
            .cloned()
            .unwrap_or_else(InferredType::never);
        if let Some(kind) = kind_of_figure(name).filter(|_| !elsewhere) {
            return InferredType::one_of_texts(vocabulary.names_of(kind))
                .merge(InferredType::new(NOTHING))
                .merge(in_maps);
        }
        let attributes = vocabulary
            .game()
            .all_attributes()
            .filter(|(attribute_name, _)| *attribute_name == name);
        let attribute_types = attributes.map(|(_, attribute)| self.attribute_type(name, attribute));
        attribute_types
            .reduce(InferredType::merge)
            .filter(|_| !elsewhere)
            .map_or_else(InferredType::any, |merged| merged.merge(in_maps))
    }

    /// Returns the type of an attribute; an attribute that names things of the game takes one of their names.
    fn attribute_type(&self, name: &str, attribute: &AttributeType) -> InferredType {
        let game = self.inference.vocabulary.game();
        let kinds = game
            .attribute_references
            .get(name)
            .or(game.places.attribute_references.get(name));
        let boxes_of = |kind: &String| {
            game.tracks
                .get(kind)
                .map(Track::boxes)
                .filter(|names| !names.is_empty())
        };
        match kinds.map(|kinds| kinds.iter().map(boxes_of).collect::<Option<Vec<_>>>()) {
            Some(Some(names)) if InferredType::from_attribute(attribute).types & TEXT != 0 => {
                InferredType::one_of_texts(names.concat()).merge(InferredType::new(NOTHING))
            }
            _ => InferredType::from_attribute(attribute),
        }
    }

    /// Infers the type of a call by name, of a method call or of an operator.
    fn infer_call(
        &mut self,
        call: &'w Call,
        on: Option<(Option<&'w Expression>, InferredType)>,
    ) -> InferredType {
        let name = &*call.name;
        let (before, first) = on.unzip();
        let from: Vec<Option<&'w Expression>> = before
            .into_iter()
            .chain(call.args.iter().map(Some))
            .collect();
        let iteration = verbs::lookup(name, from.len()).and_then(|verb| verb.iteration);
        let mut args = Vec::with_capacity(from.len());
        // What the last closure among the arguments returns.
        let mut returned = InferredType::any();
        args.extend(first);
        for arg in &call.args {
            args.push(match arg {
                Expression::Closure(closure) if !args.is_empty() && iteration.is_some() => {
                    let items = args[0].item_type();
                    returned = self.infer_closure(closure, Some(items));
                    if iteration != Some(Iteration::Map)
                        && returned.types != 0
                        && returned.types & FLAG == 0
                    {
                        let message = format!(
                            "this closure is a condition, and gives {}",
                            describe(returned.types)
                        );
                        self.complain(arg.start(), 1, message, "compare something: `|n| n > 3`");
                    }
                    InferredType::new(CLOSURE)
                }
                _ => self.infer_value(arg),
            });
        }
        if call.is_operator || name == CONTAINS && args.len() == 2 {
            return self.infer_operator(call, &from, &args);
        }
        let count = args.len();
        let target = call_target(self.inference.vocabulary.ruleset, self.case, name, count);
        let facts = match target {
            Some(CallTarget::Helper(index)) => {
                self.inference.function_facts(self.case, index, None)
            }
            Some(CallTarget::Answers(slot)) => self.inference.slot_facts(slot),
            Some(CallTarget::Verb(verb)) => {
                return self.infer_verb(verb, call, &from, &args, returned);
            }
            None => return InferredType::any(),
        };
        let Some(facts) = facts else {
            return InferredType::any();
        };
        for (((index, arg), from), takes) in
            args.iter().enumerate().zip(&from).zip(&facts.parameters)
        {
            from.iter()
                .for_each(|from| self.require_types(from, takes | NOTHING));
            let arg_types = arg.types & !NOTHING;
            if arg_types != 0 && arg_types & takes == 0 {
                let param = self.parameter_name(name, count, index);
                let (works, gets) = (describe(takes & !NOTHING), describe(arg_types));
                let at = from.map_or(call.at, Expression::start);
                let message =
                    format!("`{name}` works with {works} as `{param}`, and is given {gets}");
                self.complain(at, 1, message, "give the function what it works with");
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
        for (
            (
                Parameter {
                    name, types: takes, ..
                },
                arg,
            ),
            from,
        ) in verb.params.iter().zip(args).zip(from)
        {
            from.iter()
                .for_each(|from| self.require_types(from, *takes));
            let items = arg.item_type().types;
            let description = if arg.types != 0 && arg.types & takes == 0 {
                describe(arg.types)
            } else if *takes == PIECES && arg.types == LIST && items != 0 && items & PIECE == 0 {
                format!("a list with {} in it", describe(items))
            } else {
                continue;
            };
            let at = from.map_or(call.at, Expression::start);
            let message = format!(
                "`{}` takes {} for `{name}`, and is given {description}",
                verb.name,
                describe(*takes)
            );
            self.complain(
                at,
                1,
                message,
                format!("see `{}`: {}", verb.name, verb.description),
            );
        }
        if let (Some(Parameter { role, .. }), [container, key, ..]) = (verb.params.get(1), args)
            && role.is_item_key()
        {
            self.check_key(call, *role, container, key);
        }
        let changed = call
            .args
            .first()
            .filter(|_| !method)
            .or(from.first().copied().flatten())
            .and_then(Expression::as_variable);
        if let (verbs::VerbImplementation::Mutate(_), Some(name), Some(first)) =
            (verb.implementation, changed, args.first())
            && !verb.result.changes_items()
        {
            self.assign(name, InferredType::new(first.types));
        }
        self.check_piece_conditions(verb, call, args, method);
        match (verb.result, args) {
            (ResultRule::Reading, _) => self.reading_type(call),
            (ResultRule::TrackBox, [_, otherwise @ ..]) => otherwise
                .iter()
                .cloned()
                .fold(self.track_type(call), InferredType::merge),
            (ResultRule::Never, _) => InferredType::never(),
            (ResultRule::Option, [_, _, options]) => options.item_type(),
            (ResultRule::Item, [list]) => list.item_type().merge(InferredType::new(NOTHING)),
            (ResultRule::SameItems, [list, ..]) if list.types == LIST => {
                InferredType::list_of(list.item_type())
            }
            (ResultRule::Pieces, _) => InferredType::list_of(InferredType::new(PIECE)),
            (ResultRule::FigureValues, _) => {
                InferredType::list_of(match call.args.last().and_then(text_constant) {
                    Some(("name", _)) => InferredType::new(TEXT),
                    Some((figure, _)) => self.infer_field(None, figure),
                    None => InferredType::any(),
                })
            }
            (ResultRule::ClosureResults, _) => InferredType::list_of(returned),
            (ResultRule::SheetField, [_, _, otherwise]) => {
                self.argument_type(call, method).merge(otherwise.clone())
            }
            (ResultRule::AddsItem | ResultRule::AddsItems, [list, .., item]) => {
                let items = if verb.result == ResultRule::AddsItems {
                    item.item_type()
                } else {
                    item.clone()
                };
                changed.into_iter().for_each(|name| {
                    self.assign(
                        name,
                        InferredType::list_of(list.item_type().merge(items.clone())),
                    )
                });
                InferredType::new(NOTHING)
            }
            (ResultRule::TakesItem, [list]) => list.item_type().merge(InferredType::new(NOTHING)),
            _ => match verb.returns {
                ANY => InferredType::any(),
                types => InferredType::new(types | NOTHING),
            },
        }
    }

    /// Returns the type of a reading: one of its alternatives.
    fn reading_type(&self, call: &Call) -> InferredType {
        let Some((name, _)) = call.args.first().and_then(text_constant) else {
            return InferredType::new(TEXT);
        };
        let alternatives = self.inference.vocabulary.alternatives(self.case, name);
        if alternatives.is_empty() {
            InferredType::new(TEXT)
        } else {
            InferredType::one_of_texts(alternatives)
        }
    }

    /// Returns the type of a track's value: one of its names, if its places are named.
    fn track_type(&self, call: &Call) -> InferredType {
        let Some((name, _)) = call.args.first().and_then(text_constant) else {
            return InferredType::any();
        };
        let boxes = self
            .inference
            .vocabulary
            .game()
            .tracks
            .get(name)
            .map(Track::boxes)
            .unwrap_or_default();
        if boxes.is_empty() {
            InferredType::any()
        } else {
            InferredType::one_of_texts(boxes).merge(InferredType::new(NOTHING))
        }
    }

    /// Checks what selects pieces: kinds and groups, or a map of figures with their values.
    fn check_piece_conditions(
        &mut self,
        verb: &Verb,
        call: &'w Call,
        types: &[InferredType],
        method: bool,
    ) {
        if self.complaints.is_none() {
            return;
        }
        let mut pairs: Vec<(&'w str, &'w Expression)> = Vec::new();
        let chosen = verb
            .params
            .iter()
            .position(|parameter| matches!(parameter.role, Role::Selection | Role::Conditions));
        match chosen.and_then(|index| call.args.get(index.checked_sub(usize::from(method))?)) {
            // In a list of texts, a text means itself; elsewhere it names a kind or group.
            Some(which @ Expression::List(..))
                if types
                    .first()
                    .is_some_and(|list| list.item_type().types & TEXT == 0) =>
            {
                pairs.push(("kind", which));
            }
            Some(which)
                if types.len() > 1
                    && types[1].types == LIST
                    && types[0].item_type().types == PIECE
                    && types[1].item_type().without_nothing().types == TEXT =>
            {
                let kinds = self.kind_names();
                let texts = types[1].item_type().texts;
                if !texts.is_some_and(|texts| texts.iter().all(|text| kinds.may_be_text(text))) {
                    let message = "these texts are taken for kinds of pieces, and nothing says that they are some";
                    let help = "to select by another figure, write #{ figure: texts }";
                    self.complain(which.start(), 1, message, help);
                }
            }
            Some(Expression::Map(entries, _)) => {
                pairs.extend(entries.iter().map(|(key, _, value)| (&**key, value)));
            }
            _ => {}
        }
        let vocabulary = self.inference.vocabulary;
        for (figure, value) in pairs {
            let possible = match kind_of_figure(figure) {
                Some(ReferenceKind::Kind) => self.kind_names(),
                Some(kind) => InferredType::one_of_texts(vocabulary.names_of(kind)),
                None => self.infer_field(None, figure),
            };
            for (text, at) in text_constants(value) {
                self.check_possible_text(&possible, text, at, "this is never");
            }
        }
    }

    /// Returns the type of the name of a kind or group.
    fn kind_names(&self) -> InferredType {
        let vocabulary = self.inference.vocabulary;
        InferredType::one_of_texts(vocabulary.names_of(ReferenceKind::Group))
    }

    /// Returns the type of the argument that a situation passes under a name.
    fn argument_type(&self, call: &Call, method: bool) -> InferredType {
        let field = match call.args.get(usize::from(!method)) {
            Some(Expression::Text(text, _)) => self
                .inference
                .vocabulary
                .sheet(GIVEN)
                .and_then(|sheet| sheet.get(&**text)),
            _ => None,
        };
        field.map_or_else(InferredType::any, |field| {
            InferredType::from_constraint(&field.constraint)
        })
    }

    /// Infers the return type of a closure called with `item`; its parameter has any type if `item` is `None`.
    fn infer_closure(
        &mut self,
        closure: &'w ClosureExpression,
        item: Option<InferredType>,
    ) -> InferredType {
        let hide = |name: &'w Name| {
            (
                &**name,
                self.variables.remove(&**name),
                self.parameter_indices.remove(&**name),
            )
        };
        let hidden: Vec<_> = closure.params.iter().map(hide).collect();
        let mut item_type = item;
        for name in &closure.params {
            self.variables
                .insert(name, item_type.take().unwrap_or_else(InferredType::any));
        }
        let outer = std::mem::replace(&mut self.returns, InferredType::never());
        let last = self.infer_block(&closure.body);
        let returned = std::mem::replace(&mut self.returns, outer);
        for (name, variable, param) in hidden {
            self.variables.remove(name);
            self.variables
                .extend(variable.map(|variable_type| (name, variable_type)));
            self.parameter_indices
                .extend(param.map(|index| (name, index)));
        }
        last.merge(returned)
    }

    /// Infers the type of an operator and checks its operands.
    pub fn infer_operator(
        &mut self,
        call: &'w Call,
        from: &[Option<&'w Expression>],
        args: &[InferredType],
    ) -> InferredType {
        match (&*call.name, args) {
            ("==" | "!=" | "<" | "<=" | ">" | ">=", [a, b]) => {
                self.check_comparison(&call.args[0], &call.args[1], a, b, call.at);
                InferredType::new(FLAG)
            }
            (CONTAINS, [container, item]) => {
                self.check_members(call, container, item);
                let Some(sought) = from.get(1).copied().flatten() else {
                    return InferredType::new(FLAG);
                };
                // In `x in ["a", "b"]` both operands are checked by name.
                let item_types = InferredType {
                    types: if container.types == LIST {
                        container.item_type().types
                    } else {
                        ANY
                    },
                    ..container.item_type()
                };
                if let (Some(Expression::List(items, _)), true) = (from[0], container.types == LIST)
                {
                    items.iter().for_each(|literal| {
                        self.check_comparison(
                            sought,
                            literal,
                            item,
                            &InferredType::literal(literal),
                            literal.start(),
                        )
                    });
                } else if let Some((text, at)) = text_constant(sought) {
                    self.check_possible_text(&item_types, text, at, "no item of this list is ever");
                }
                InferredType::new(FLAG)
            }
            ("!", [operand_type]) => {
                self.require_types(&call.args[0], FLAG);
                if operand_type.types != 0 && operand_type.types & FLAG == 0 {
                    let message = format!(
                        "`!` takes true or false, and gets {}",
                        describe(operand_type.types)
                    );
                    self.complain(
                        call.args[0].start(),
                        1,
                        message,
                        "compare it with something: `== nobody`, `> 0`",
                    );
                }
                InferredType::new(FLAG)
            }
            ("+", [a, b]) => add_types(a.clone(), b.clone()),
            (sign @ ("-" | "*" | "/" | "%" | "**"), _) => {
                for (arg, operand_type) in call.args.iter().zip(args) {
                    self.require_types(arg, NUMBER);
                    if operand_type.types != 0 && operand_type.types & NUMBER == 0 {
                        let message = format!(
                            "`{sign}` takes numbers, and gets {}",
                            describe(operand_type.types)
                        );
                        self.complain(
                            arg.start(),
                            1,
                            message,
                            "check the value here: a figure that was not given reads as ()",
                        );
                    }
                }
                InferredType::new(NUMBER)
            }
            _ => InferredType::any(),
        }
    }

    /// Reports `in` and `contains` where the value has no members, or none of the type that is looked for.
    fn check_members(&mut self, call: &'w Call, container: &InferredType, item: &InferredType) {
        let members = member_types(container.types);
        if container.types != 0 && item.types != 0 && item.types & members == 0 {
            let message = format!(
                "`in` can't look for {} in {}",
                describe(item.types),
                describe(container.types)
            );
            self.complain(call.at, 1, message, "look for a value in a list, a name in a map, a part in a text, a number in a range");
        }
    }

    /// Reports a key that does not name an item of its container. Lists of pieces have figures besides.
    pub fn check_key(
        &mut self,
        call: &'w Call,
        role: Role,
        container: &InferredType,
        key: &InferredType,
    ) {
        let pieces = container.types & LIST != 0 && container.item_type().types & PIECE != 0;
        let keys = key_types(container.types) | if pieces { TEXT } else { 0 };
        let removed = role == Role::ReasonOrKey && (pieces || container.types & PIECE != 0);
        if !removed && container.types != 0 && key.types != 0 && keys != 0 && key.types & keys == 0
        {
            let (container_text, names, key_text) = (
                describe(container.types),
                describe(keys),
                describe(key.types),
            );
            let message =
                format!("an item of {container_text} is named by {names}, but this is {key_text}");
            self.complain(
                call.at,
                1,
                message,
                "items of lists have numbers, entries of maps and figures of pieces have names",
            );
        }
    }

    /// Reports a comparison of two values that can never be equal.
    fn check_comparison(
        &mut self,
        a: &'w Expression,
        b: &'w Expression,
        can_a: &InferredType,
        can_b: &InferredType,
        at: SourcePosition,
    ) {
        self.allow_types(a, can_b.types);
        self.allow_types(b, can_a.types);
        // A comparison with `()` is always allowed.
        if can_a.types == NOTHING || can_b.types == NOTHING || can_a.types == 0 || can_b.types == 0
        {
            return;
        }
        if can_a.types & can_b.types & !NOTHING == 0 {
            let (left, right) = (
                describe(can_a.types & !NOTHING),
                describe(can_b.types & !NOTHING),
            );
            let message = format!(
                "{left} is compared with {right}: they are never equal, and neither is greater"
            );
            let quoted = [(a, can_b), (b, can_a)]
                .into_iter()
                .filter(|(_, other)| other.types & NUMBER != 0)
                .find_map(|(operand, _)| text_constant(operand)?.0.parse::<i64>().ok());
            let help = match quoted {
                Some(number) => format!("write `{number}` without quotation marks"),
                None => "write numbers without quotes and texts in quotes; compare a figure or the name of a piece, not the piece".into(),
            };
            return self.complain(at, 1, message, &help);
        }
        for (operand, other_type) in [(a, can_b), (b, can_a)] {
            text_constant(operand).into_iter().for_each(|(text, at)| {
                self.check_possible_text(other_type, text, at, "this is never")
            });
        }
    }

    /// Reports a text that the value can never equal.
    pub fn check_possible_text(
        &mut self,
        value_type: &InferredType,
        text: &str,
        at: SourcePosition,
        never: &str,
    ) {
        let Some(texts) = value_type
            .texts
            .as_ref()
            .filter(|_| !value_type.may_be_text(text) && !text.is_empty())
        else {
            return;
        };
        let message = did_you_mean(
            format!("{never} `{text}`"),
            text,
            texts.iter().map(String::as_str),
        );
        let shown: Vec<&str> = texts
            .iter()
            .map(String::as_str)
            .filter(|text| !text.is_empty())
            .take(MAX_WORDS)
            .collect();
        let help = match (shown.is_empty(), texts.len().saturating_sub(MAX_WORDS)) {
            (true, _) => "it is never a text".to_string(),
            (_, 0) => format!("write a value that it can have: {}", shown.join(", ")),
            (_, hidden) => format!(
                "write a value that it can have: {} and {hidden} more",
                shown.join(", ")
            ),
        };
        self.complain(at, text.chars().count() + 2, message, help);
    }

    /// Reports an arm of a `switch` that can never match.
    pub fn check_arm(
        &mut self,
        switch: &'w SwitchStatement,
        scrutinee_type: &InferredType,
        arm_value: &Expression,
    ) {
        let value = InferredType::literal(arm_value);
        self.allow_types(&switch.scrutinee, value.types);
        if scrutinee_type.types == 0 || scrutinee_type.types == NOTHING || value.types == NOTHING {
            return;
        }
        let text = text_constant(arm_value).map(|(text, _)| text);
        let at = || text.map_or(switch.at, |text| find_constant(self.case, text, switch.at));
        if scrutinee_type.types & value.types & !NOTHING == 0 {
            let message = format!(
                "this `switch` is over {}, and an arm names {}",
                describe(scrutinee_type.types & !NOTHING),
                describe(value.types)
            );
            self.complain(
                at(),
                1,
                message,
                "write numbers without quotes, texts in quotes",
            );
        } else if let Some(text) = text.filter(|text| !scrutinee_type.may_be_text(text)) {
            self.check_possible_text(scrutinee_type, text, at(), "this is never");
        }
    }
}
