//! Expressions: what each can be.

use super::look::Look;
use super::sorts::{Can, FLAG, LIST, MAP, NOTHING, OTHER, PIECE, TEXT, words};
use crate::author::words::{constant, constants};
use crate::code::verbs::{self, Verb};
use crate::data::manifest::Track;
use crate::data::places::Attribute;
use crate::data::sheet::{GIVEN, Sheet};
use crate::syntax::tree::{Asked, Call, Chain, Closure, Expression, Name};

impl<'w> Look<'_, 'w, '_> {
    /// Of an expression: what it can be.
    pub fn value(&mut self, expression: &'w Expression) -> Can {
        match expression {
            Expression::Nothing(_) | Expression::Flag(..) | Expression::Number(..) | Expression::Text(..) => Can::written(expression),
            Expression::Words(parts, _) => {
                parts.iter().for_each(|part| drop(self.value(part)));
                Can::of(TEXT)
            }
            Expression::List(items, _) => Can::list(items.iter().fold(Can::never(), |all, item| all.or(self.value(item)))),
            Expression::Map(entries, _) => {
                entries.iter().for_each(|(.., value)| drop(self.value(value)));
                Can::of(MAP)
            }
            Expression::Variable(name, _) => self.variables.get(&**name).cloned().unwrap_or_else(Can::any),
            Expression::Call(call) => self.called(call, None),
            Expression::Chain(chain) => self.chain(chain),
            Expression::And(parts, _) | Expression::Or(parts, _) => {
                parts.iter().for_each(|part| self.condition(part));
                Can::of(FLAG)
            }
            Expression::Else(parts, _) => parts.iter().fold(Can::never(), |all, part| all.some().or(self.value(part))),
            Expression::Closure(closure) => {
                // Nobody knows with what a closure that is held as a value is called.
                if !closure.taken.is_empty() {
                    self.closure(closure, None);
                }
                Can::of(OTHER)
            }
            Expression::Block(body, _) => self.block(body),
            Expression::Foreign(..) => Can::any(),
        }
    }

    fn chain(&mut self, chain: &'w Chain) -> Can {
        let mut now = self.value(&chain.root);
        let mut from = Some(&chain.root);
        for link in &chain.links {
            now = match &link.asked {
                Asked::Field(name) => {
                    if let Some(from) = from.filter(|_| &**name != "len" && !link.safe) {
                        self.demand(from, PIECE | MAP | OTHER);
                    }
                    self.field(from.and_then(Expression::variable), name)
                }
                Asked::Key(key) => {
                    self.value(key);
                    if now.sorts == LIST { now.item().or(Can::of(NOTHING)) } else { Can::any() }
                }
                Asked::Method(call) => self.called(call, Some((from, now))),
            };
            from = None;
        }
        now
    }

    /// A figure, or a field of a sheet.
    fn field(&mut self, root: Option<&str>, name: &'w str) -> Can {
        if let Some(sheet) = root.and_then(|root| self.sorting.words.game().sheets.get(root)) {
            return sheet.get(name).map_or_else(Can::any, |field| Can::held(&field.holds));
        }
        if let Some(figure) = self.sorting.figures.get(name) {
            return figure.clone();
        }
        let figure = self.figure(name);
        self.sorting.figures.insert(name, figure.clone());
        figure
    }

    fn figure(&self, name: &str) -> Can {
        let words = self.sorting.words;
        let game = words.game();
        let elsewhere = words.on_a_chart(name) || game.sheets.values().any(|sheet: &Sheet| sheet.contains_key(name));
        let made = self.sorting.known.made.get(name).cloned().unwrap_or_else(Can::never);
        if ["kind", "side"].contains(&name) && !elsewhere {
            return Can::text(words.known(name)).or(Can::of(NOTHING)).or(made);
        }
        let lists = [&game.attributes, &game.places.attributes, &game.places.sides];
        let found = lists.into_iter().flatten().filter(|(known, _)| known == name).map(|(_, attribute)| self.attribute(name, attribute));
        found.reduce(Can::or).filter(|_| !elsewhere).map_or_else(Can::any, |found| found.or(made))
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
    fn called(&mut self, call: &'w Call, on: Option<(Option<&'w Expression>, Can)>) -> Can {
        let (name, method) = (&*call.name, on.is_some());
        let (before, first) = on.unzip();
        let from: Vec<Option<&'w Expression>> = before.into_iter().chain(call.args.iter().map(Some)).collect();
        let mut args = Vec::with_capacity(from.len());
        args.extend(first);
        for arg in &call.args {
            args.push(match arg {
                Expression::Closure(closure) if ["filter", "map", "some", "all", "find"].contains(&name) => {
                    let items = args.first().map_or_else(Can::any, Can::item);
                    self.closure(closure, Some(items))
                }
                _ => self.value(arg),
            });
        }
        if call.sign || name == "contains" && args.len() == 2 {
            return self.operated(call, &from, &args);
        }
        let count = args.len();
        let helper = self.case.functions.iter().position(|f| f.private && f.name == name && f.arity() == count);
        let slot = self.sorting.words.ruleset.slot(name, count);
        let facts = match (helper, slot) {
            (Some(index), _) => self.sorting.facts(self.case, index, None),
            (None, Some(slot)) => self.sorting.answers(slot),
            (None, None) => {
                let Some(verb) = verbs::find(name, count).map(|number| verbs::all()[number as usize]) else { return Can::any() };
                return self.verb(verb, call, &from, &args, method);
            }
        };
        let Some(facts) = facts else { return Can::any() };
        for (((place, arg), from), takes) in args.iter().enumerate().zip(&from).zip(&facts.takes) {
            from.iter().for_each(|from| self.demand(from, takes | NOTHING));
            let given = arg.sorts & !NOTHING;
            if given != 0 && given & takes == 0 {
                let param = self.param(name, count, place);
                let (works, gets) = (words(takes & !NOTHING), words(given));
                let at = from.map_or(call.at, Expression::start);
                let what = format!("`{name}` works with {works} as `{param}`, and is given {gets}");
                self.complain(at, 1, what, "hand over what the function works with, or see what it does with it");
            }
        }
        facts.gives.clone()
    }

    fn verb(&mut self, verb: &Verb, call: &'w Call, from: &[Option<&'w Expression>], args: &[Can], method: bool) -> Can {
        // One name may belong to several verbs: of pieces, of lists, of texts.
        if verbs::named(verb.name).count() == 1 {
            for (((name, kind), arg), from) in verb.takes.iter().zip(args).zip(from) {
                let takes = Can::from(*kind).sorts;
                from.iter().for_each(|from| self.demand(from, takes));
                if arg.sorts != 0 && arg.sorts & takes == 0 {
                    let at = from.map_or(call.at, Expression::start);
                    let what = format!("`{}` takes {} for `{name}`, and is given {}", verb.name, kind.word(), words(arg.sorts));
                    self.complain(at, 1, what, verb.does);
                }
            }
        }
        let changed = call.args.first().filter(|_| !method).or(from.first().copied().flatten()).and_then(Expression::variable);
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
    fn reading(&self, call: &Call) -> Can {
        let Some((name, _)) = call.args.first().and_then(constant) else { return Can::of(TEXT) };
        let ways = self.sorting.words.ways(self.case, name);
        if ways.is_empty() { Can::of(TEXT) } else { Can::text(ways) }
    }

    /// Where a track can stand, where its places have names.
    fn track(&self, call: &Call) -> Can {
        let Some((name, _)) = call.args.first().and_then(constant) else { return Can::any() };
        let boxes = self.sorting.words.game().tracks.get(name).map(Track::boxes).unwrap_or_default();
        if boxes.is_empty() { Can::any() } else { Can::text(boxes).or(Can::of(NOTHING)) }
    }

    /// What pieces are picked by: a figure and its values, or a map of both.
    fn conditions(&mut self, verb: &str, call: &'w Call, method: bool) {
        if self.faults.is_none() {
            return;
        }
        let args = call.args.get(usize::from(!method && verb != "pieces")..).unwrap_or_default();
        let mut pairs: Vec<(&'w str, &'w Expression)> = Vec::new();
        match (verb, args) {
            ("having" | "not_having", [Expression::Text(figure, _), value]) => pairs.push((figure, value)),
            ("pieces" | "where" | "without", [Expression::Map(entries, _), ..]) => {
                pairs.extend(entries.iter().map(|(key, _, value)| (&**key, value)));
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
    fn asked(&self, call: &Call, method: bool) -> Can {
        let field = match call.args.get(usize::from(!method)) {
            Some(Expression::Text(text, _)) => self.sorting.words.game().sheets.get(GIVEN).and_then(|sheet| sheet.get(&**text)),
            _ => None,
        };
        field.map_or_else(Can::any, |field| Can::held(&field.holds))
    }

    /// What a closure answers when it is called with this; with anything, where that is not known.
    fn closure(&mut self, closure: &'w Closure, item: Option<Can>) -> Can {
        let hide = |name: &'w Name| (&**name, self.variables.remove(&**name), self.params.remove(&**name));
        let hidden: Vec<_> = closure.params.iter().map(hide).collect();
        let mut given = item;
        for name in &closure.params {
            self.variables.insert(name, given.take().unwrap_or_else(Can::any));
        }
        let outer = std::mem::replace(&mut self.returns, Can::never());
        let last = self.block(&closure.body);
        let returned = std::mem::replace(&mut self.returns, outer);
        for (name, variable, param) in hidden {
            self.variables.remove(name);
            self.variables.extend(variable.map(|can| (name, can)));
            self.params.extend(param.map(|place| (name, place)));
        }
        last.or(returned)
    }
}
