//! Expressions: what each can be.

use super::look::{Look, variable};
use super::sorts::{Can, FLAG, LIST, MAP, NOTHING, NUMBER, OTHER, PIECE, TEXT, constant, words};
use crate::author::words::constants;
use crate::code::lower::{Link, chain_of, lambda};
use crate::code::verbs::{self, Verb};
use crate::data::manifest::Track;
use crate::data::places::Attribute;
use crate::data::sheet::{GIVEN, Sheet};
use rhai::{Expr, FnCallExpr, Position};
use std::collections::BTreeMap;

impl<'w> Look<'_, 'w, '_> {
    /// Of an expression: what it can be.
    pub fn value(&mut self, expression: &'w Expr) -> Can {
        match expression {
            Expr::IntegerConstant(..) => Can::of(NUMBER),
            Expr::BoolConstant(..) => Can::of(FLAG),
            Expr::StringConstant(text, _) => Can::text([text.as_str()]),
            Expr::CharConstant(letter, _) => Can::text([letter.to_string().as_str()]),
            Expr::Unit(_) => Can::of(NOTHING),
            Expr::InterpolatedString(parts, _) => {
                parts.iter().for_each(|part| drop(self.value(part)));
                Can::of(TEXT)
            }
            Expr::Array(items, _) => Can::list(items.iter().fold(Can::never(), |all, item| all.or(self.value(item)))),
            Expr::Map(parts, _) => {
                parts.0.iter().for_each(|(_, value)| drop(self.value(value)));
                Can::of(MAP)
            }
            Expr::DynamicConstant(..) if lambda(expression).is_some() => Can::of(OTHER),
            Expr::DynamicConstant(value, _) => constant(value),
            Expr::Variable(parts, ..) => self.variables.get(parts.1.as_str()).cloned().unwrap_or_else(Can::any),
            Expr::Stmt(block) => match lambda(expression) {
                Some(_) => {
                    // Nobody knows with what a closure that is held as a value is called.
                    self.closure(expression, &[]);
                    Can::of(OTHER)
                }
                None => self.block(block.statements()),
            },
            Expr::FnCall(call, at) => self.called(call, None, *at),
            Expr::And(parts, _) | Expr::Or(parts, _) => {
                parts.iter().for_each(|part| self.condition(part));
                Can::of(FLAG)
            }
            Expr::Coalesce(parts, _) => parts.iter().fold(Can::never(), |all, part| all.some().or(self.value(part))),
            Expr::Dot(..) | Expr::Index(..) => self.chain(expression),
            _ => Can::any(),
        }
    }

    fn chain(&mut self, expression: &'w Expr) -> Can {
        let Some((root, links)) = chain_of(expression) else { return Can::any() };
        let mut now = self.value(root);
        let mut from = Some(root);
        for (link, at, safe) in links {
            now = match link {
                Link::Property(name) => {
                    if let Some(from) = from.filter(|_| name != "len" && !safe) {
                        self.demand(from, PIECE | MAP | OTHER);
                    }
                    self.field(from.and_then(variable), name)
                }
                Link::Index(key) => {
                    self.value(key);
                    if now.sorts == LIST { now.item().or(Can::of(NOTHING)) } else { Can::any() }
                }
                Link::Method(call) => self.called(call, Some((from, now)), at),
            };
            from = None;
        }
        now
    }

    /// A figure, or a field of a sheet.
    fn field(&self, root: Option<&str>, name: &str) -> Can {
        let words = self.sorting.words;
        let game = words.game();
        if let Some(sheet) = root.and_then(|root| game.sheets.get(root)) {
            return sheet.get(name).map_or_else(Can::any, |field| Can::held(&field.holds));
        }
        let elsewhere = words.on_a_chart(name) || game.sheets.values().any(|sheet: &Sheet| sheet.contains_key(name));
        if ["kind", "side"].contains(&name) && !elsewhere {
            let known = Can::text(words.known(name)).or(Can::of(NOTHING));
            return self.sorting.known.made.get(name).cloned().map_or(known.clone(), |made| known.or(made));
        }
        let lists = [&game.attributes, &game.places.attributes, &game.places.sides];
        let found = lists.into_iter().flatten().filter(|(known, _)| known == name).map(|(_, attribute)| self.attribute(name, attribute));
        let made = self.sorting.known.made.get(name).cloned();
        found.reduce(Can::or).filter(|_| !elsewhere).map_or_else(Can::any, |found| found.or(made.unwrap_or_else(Can::never)))
    }

    /// What an attribute holds; where its words name something, what there is of that.
    fn attribute(&self, name: &str, attribute: &Attribute) -> Can {
        let game = self.sorting.words.game();
        let sorts = game.names.get(name).or(game.places.names.get(name));
        let known = |sort: &String| game.tracks.get(sort).map(Track::boxes).filter(|names| !names.is_empty());
        match sorts.map(|sorts| sorts.iter().map(known).collect::<Option<Vec<_>>>()) {
            Some(Some(names)) if Can::attribute(attribute).sorts & TEXT != 0 => Can::text(names.concat()).or(Can::of(NOTHING)),
            _ => Can::attribute(attribute),
        }
    }

    /// A call, by name or of something; an operator.
    pub fn called(&mut self, call: &'w FnCallExpr, on: Option<(Option<&'w Expr>, Can)>, at: Position) -> Can {
        let (name, method) = (call.name.as_str(), on.is_some());
        let mut from: Vec<Option<&'w Expr>> = on.iter().map(|(from, _)| *from).collect();
        from.extend(call.args.iter().map(Some));
        let first = on.map(|(_, can)| can);
        let of = first.clone();
        let mut args: Vec<Can> = first.into_iter().collect();
        for arg in &call.args {
            let items = args.first().or(of.as_ref()).map_or_else(Can::any, Can::item);
            let gone_through = ["filter", "map", "some", "all", "find"].contains(&name);
            args.push(match lambda(arg) {
                Some(_) if gone_through => self.closure(arg, &[items]),
                _ => self.value(arg),
            });
        }
        if call.op_token.is_some() || name == "contains" && args.len() == 2 {
            return self.operated(name, call, &from, &args, at);
        }
        let count = args.len();
        let helper = self.case.functions.iter().any(|f| f.private && f.name == name && f.arity() == count);
        let facts = if helper { self.sorting.facts(self.case, name, count, None) } else { self.sorting.answers(name, count) };
        if helper || self.sorting.words.ruleset.slot(name, count).is_some() {
            let Some(facts) = facts else { return Can::any() };
            for ((place, arg), from) in args.iter().enumerate().zip(&from) {
                let takes = facts.takes[place];
                from.iter().for_each(|from| self.demand(from, takes | NOTHING));
                let given = arg.sorts & !NOTHING;
                if given != 0 && given & takes == 0 {
                    let param = self.param(name, count, place);
                    let (works, gets) = (words(takes & !NOTHING), words(given));
                    let at = from.map_or(at, Expr::start_position);
                    let what = format!("`{name}` works with {works} as `{param}`, and is given {gets}");
                    self.complain(at, 1, what, "hand over what the function works with, or see what it does with it");
                }
            }
            return facts.gives;
        }
        let Some(verb) = verbs::find(name, count).map(|number| verbs::all()[number as usize]) else { return Can::any() };
        self.verb(verb, call, &from, &args, at, method)
    }

    fn verb(&mut self, verb: &Verb, call: &'w FnCallExpr, from: &[Option<&'w Expr>], args: &[Can], at: Position, method: bool) -> Can {
        // One name may belong to several verbs: of pieces, of lists, of texts.
        if verbs::named(verb.name).count() == 1 {
            for (((name, kind), arg), from) in verb.takes.iter().zip(args).zip(from) {
                let takes = Can::from(*kind).sorts;
                from.iter().for_each(|from| self.demand(from, takes));
                if arg.sorts != 0 && arg.sorts & takes == 0 {
                    let at = from.map_or(at, Expr::start_position);
                    let what = format!("`{}` takes {} for `{name}`, and is given {}", verb.name, kind.word(), words(arg.sorts));
                    self.complain(at, 1, what, verb.does);
                }
            }
        }
        let changed = call.args.first().filter(|_| !method).or(from.first().copied().flatten()).and_then(variable);
        if let (verbs::Run::Change(_), Some(name), Some(first)) = (verb.run, changed, args.first())
            && !["push", "insert", "append", "pop", "shift"].contains(&verb.name)
        {
            self.put(name, Can::of(first.sorts));
        }
        self.conditions(verb.name, call, method);
        match (verb.name, args) {
            ("reading", _) => return self.reading(call),
            ("track", [_, otherwise @ ..]) => {
                let stands = self.track(call);
                return otherwise.iter().cloned().fold(stands, Can::or);
            }
            _ => {}
        }
        match (verb.name, args) {
            ("refuse", _) => Can::never(),
            ("choose", [_, _, options]) => options.item(),
            ("first", [list]) => list.item().or(Can::of(NOTHING)),
            ("filter" | "without" | "where" | "only" | "having" | "not_having" | "distinct" | "sort_by", [list, ..])
                if list.sorts == LIST =>
            {
                Can::list(list.item())
            }
            ("map", [_, made]) if made.sorts != OTHER => Can::list(made.clone()),
            ("asked", [_, _, otherwise]) => self.asked(call, method).or(otherwise.clone()),
            ("push" | "insert" | "append", [list, .., item]) => {
                let items = if verb.name == "append" { item.item() } else { item.clone() };
                changed.into_iter().for_each(|name| self.put(name, Can::list(list.item().or(items.clone()))));
                Can::of(NOTHING)
            }
            ("pop" | "shift", [list]) => list.item().or(Can::of(NOTHING)),
            _ => match verb.gives {
                verbs::Kind::Any => Can::any(),
                kind => Can::from(kind).or(Can::of(NOTHING)),
            },
        }
    }

    /// How a text is read: one of its ways.
    fn reading(&self, call: &FnCallExpr) -> Can {
        let Some(Expr::StringConstant(name, _)) = call.args.first() else { return Can::of(TEXT) };
        let full = if name.contains('.') { name.to_string() } else { format!("{}.{name}", self.case.number) };
        let cases = &self.sorting.words.ruleset.cases;
        let readings = cases.iter().flat_map(|case| case.readings.iter().map(move |reading| (case, reading)));
        let own = readings.filter(|(case, reading)| format!("{}.{}", case.number, reading.name) == full);
        let ways: Vec<&str> = own.flat_map(|(_, reading)| &reading.ways).map(String::as_str).collect();
        if ways.is_empty() { Can::of(TEXT) } else { Can::text(ways) }
    }

    /// Where a track can stand, where its places have names.
    fn track(&self, call: &FnCallExpr) -> Can {
        let Some(Expr::StringConstant(name, _)) = call.args.first() else { return Can::any() };
        let boxes = self.sorting.words.game().tracks.get(name.as_str()).map(Track::boxes).unwrap_or_default();
        if boxes.is_empty() { Can::any() } else { Can::text(boxes).or(Can::of(NOTHING)) }
    }

    /// What pieces are picked by: a figure and its values, or a map of both.
    fn conditions(&mut self, verb: &str, call: &'w FnCallExpr, method: bool) {
        let args = call.args.get(usize::from(!method && verb != "pieces")..).unwrap_or_default();
        let mut pairs: Vec<(&str, &'w Expr)> = Vec::new();
        match (verb, args) {
            ("having" | "not_having", [Expr::StringConstant(figure, _), value]) => pairs.push((figure, value)),
            ("pieces" | "where" | "without", [Expr::Map(parts, _), ..]) => {
                pairs.extend(parts.0.iter().map(|(key, value)| (key.name.as_str(), value)));
            }
            _ => {}
        }
        for (figure, value) in pairs {
            let can = match figure {
                "kind" => Can::text(self.sorting.words.known("kind").into_iter().chain(self.sorting.words.known("group"))),
                "side" => Can::text(self.sorting.words.known("side")),
                _ => self.field(None, figure),
            };
            for (text, at) in constants(value) {
                self.one_of(&can, text, at, "this is never");
            }
        }
    }

    /// What a situation hands over under a name.
    fn asked(&self, call: &FnCallExpr, method: bool) -> Can {
        let field = match call.args.get(usize::from(!method)) {
            Some(Expr::StringConstant(text, _)) => self.sorting.words.game().sheets.get(GIVEN).and_then(|s| s.get(text.as_str())),
            _ => None,
        };
        field.map_or_else(Can::any, |field| Can::held(&field.holds))
    }

    /// What a closure answers when it is called with these.
    fn closure(&mut self, expression: &'w Expr, args: &[Can]) -> Can {
        let Some(named) = lambda(expression) else { return Can::any() };
        let functions = self.functions;
        let Some((_, function)) = functions.iter().find(|((name, _), _)| *name == named.name) else { return Can::any() };
        let own: Vec<&String> = function.params.iter().skip(named.taken).collect();
        let hidden: BTreeMap<_, _> =
            own.iter().map(|name| ((*name).clone(), (self.variables.remove(*name), self.params.remove(*name)))).collect();
        for (place, name) in own.iter().enumerate() {
            self.variables.insert((*name).clone(), args.get(place).cloned().unwrap_or_else(Can::any));
        }
        let outer = std::mem::replace(&mut self.returns, Can::never());
        let last = self.block(&function.body);
        let returned = std::mem::replace(&mut self.returns, outer);
        for (name, (variable, param)) in hidden {
            self.variables.remove(&name);
            self.variables.extend(variable.map(|can| (name.clone(), can)));
            self.params.extend(param.map(|place| (name, place)));
        }
        last.or(returned)
    }
}
