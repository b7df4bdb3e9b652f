//! What is known of the functions of a ruleset, and a look through one of them.

use super::sorts::{ANY, Can, NOTHING, Sorts};
use crate::author::words::{Made, Script, Words, constants};
use crate::complaint::{Complaints, Span};
use crate::data::case::Case;
use crate::data::library::Library;
use crate::data::manifest::Game;
use crate::syntax::tree::{self, Expression, Node, Spot, Statement};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// After so many looks a variable that still grows can be anything.
const LOOKS: usize = 4;

/// What is known of a function.
#[derive(Clone, Debug)]
pub struct Facts {
    /// What it answers.
    pub gives: Can,
    /// What it works with, parameter by parameter.
    pub takes: Vec<Sorts>,
}

/// What is known of the functions of a game, whatever is in force.
#[derive(Default)]
pub struct Known {
    /// Each function that was looked at, by the key of its file and its place in it.
    facts: FxHashMap<String, FxHashMap<usize, Rc<Facts>>>,
    /// What the maps that scripts make have under each key.
    pub made: FxHashMap<String, Can>,
    /// The texts among that.
    pub texts: Made,
    /// The scripts whose maps are known.
    learnt: BTreeSet<String>,
    /// Those that more than one layer answers, by their numbers of parameters: what they come to hangs on what is in force.
    amended: BTreeMap<usize, BTreeSet<String>>,
}

impl Known {
    /// Whether the maps of a script are known.
    pub fn knows(&self, case: &Case) -> bool {
        self.learnt.contains(&case.file.key)
    }

    /// Adds the maps of a script.
    pub fn learn(&mut self, script: &Script) {
        if !self.learnt.insert(script.case.file.key.clone()) {
            return;
        }
        for (_, body) in script.functions() {
            tree::walk(body, &mut |node| {
                if let Node::Expression(Expression::Map(entries, _)) = node {
                    entries.iter().for_each(|(key, _, value)| self.add(key, value));
                }
                true
            });
        }
    }

    /// Adds what stands under a key of a map.
    fn add(&mut self, key: &str, value: &Expression) {
        let before = self.made.remove(key).unwrap_or_else(Can::never);
        self.made.insert(key.to_string(), before.or(Can::written(value)));
        let texts = self.texts.entry(key.to_string()).or_default();
        texts.extend(constants(value).map(|(text, _)| text.to_string()));
    }

    /// Of a game nothing yet but which functions variants answer anew.
    pub fn of(library: &Library, game: &Game) -> Known {
        let mut seen = BTreeSet::new();
        let mut amended: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for variant in [None].into_iter().chain(library.variants_of(&game.name).into_iter().map(Some)) {
            let layer = library.layer(game, variant, &mut Complaints::default());
            let functions = layer.cases.iter().flat_map(|case| &case.functions).filter(|f| !f.private);
            let own: BTreeSet<(usize, String)> = functions.map(|f| (f.arity(), f.name.clone())).collect();
            for (arity, name) in own.intersection(&seen) {
                amended.entry(*arity).or_default().insert(name.clone());
            }
            seen.extend(own);
        }
        Known { amended, ..Known::default() }
    }
}

/// All functions of a ruleset, as far as they have been looked at.
pub struct Sorting<'w, 'a> {
    pub words: &'w Words<'a>,
    /// By the keys of their files.
    scripts: FxHashMap<&'w str, &'w Script<'w>>,
    pub known: &'w mut Known,
    /// What was found so far of what stands after a point.
    pub figures: FxHashMap<&'w str, Can>,
    /// Those being looked at: who asks for them from within learns nothing.
    open: Vec<(&'w str, usize)>,
}

impl<'w, 'a> Sorting<'w, 'a> {
    pub fn new(words: &'w Words<'a>, scripts: &'w [Script<'w>], known: &'w mut Known) -> Sorting<'w, 'a> {
        let scripts = scripts.iter().map(|script| (script.case.file.key.as_str(), script)).collect();
        Sorting { words, scripts, known, figures: FxHashMap::default(), open: Vec::new() }
    }

    /// What is known of a function, by its place in its case; complains of what is wrong in it if it is asked to.
    pub fn facts(&mut self, case: &Case, index: usize, all: Option<&mut Complaints>) -> Option<Rc<Facts>> {
        let file = case.file.key.as_str();
        if let (Some(facts), None) = (self.known.facts.get(file).and_then(|known| known.get(&index)), &all) {
            return Some(facts.clone());
        }
        let (file, script) = self.scripts.get_key_value(file).map(|(file, script)| (*file, *script))?;
        let (function, body) = script.functions().nth(index)?;
        if self.open.contains(&(file, index)) {
            return None;
        }
        self.open.push((file, index));
        let mut look = Look {
            sorting: self,
            case: script.case,
            variables: FxHashMap::default(),
            params: function.params.iter().map(String::as_str).zip(0..).collect(),
            takes: vec![ANY; function.arity()],
            allows: vec![NOTHING; function.arity()],
            returns: Can::never(),
            looks: 0,
            changed: false,
            faults: None,
        };
        let gives = look.whole(body, all.is_some());
        let takes = look.takes.iter().zip(&look.allows).map(|(takes, allows)| if *takes == 0 { ANY } else { takes | allows }).collect();
        let faults = look.faults.unwrap_or_default();
        if let Some(all) = all {
            all.0.extend(faults.0);
        }
        self.open.pop();
        let facts = Rc::new(Facts { gives, takes });
        self.known.facts.entry(file.to_string()).or_default().insert(index, facts.clone());
        Some(facts)
    }

    /// What is known of the function of cases in a slot; nothing, where another layer may answer it anew.
    pub fn answers(&mut self, slot: usize) -> Option<Rc<Facts>> {
        let ruleset = self.words.ruleset;
        let slot = &ruleset.slots[slot];
        let [answer] = slot.chain[..] else { return None };
        let amended = self.known.amended.get(&slot.arity).is_some_and(|names| names.contains(&slot.name));
        let alone = answer.struck_by.or(answer.reinstated_by).is_none() && !amended;
        alone.then(|| self.facts(&ruleset.cases[answer.case], answer.function, None))?
    }
}

/// A look through one function.
pub struct Look<'s, 'w, 'a> {
    pub sorting: &'s mut Sorting<'w, 'a>,
    pub case: &'w Case,
    /// What each variable can be, by name.
    pub variables: FxHashMap<&'w str, Can>,
    /// The parameters, as long as nothing else goes by their names.
    pub params: FxHashMap<&'w str, usize>,
    /// What the parameters are worked with as, and what they are compared with besides.
    pub takes: Vec<Sorts>,
    pub allows: Vec<Sorts>,
    /// What the function, or the closure being looked at, returns.
    pub returns: Can,
    looks: usize,
    changed: bool,
    /// Complaints, on the last look.
    pub faults: Option<Complaints>,
}

impl<'w> Look<'_, 'w, '_> {
    /// Looks until no variable can be more than was known.
    pub fn whole(&mut self, body: &'w [Statement], complain: bool) -> Can {
        loop {
            self.returns = Can::never();
            self.changed = false;
            let last = self.block(body);
            self.looks += 1;
            if !self.changed {
                if complain && self.faults.is_none() {
                    self.faults = Some(Complaints::default());
                    continue;
                }
                return std::mem::replace(&mut self.returns, Can::never()).or(last);
            }
        }
    }

    pub fn complain(&mut self, at: Spot, length: usize, what: String, help: impl Into<String>) {
        let case = self.case;
        let span = Span { line: at.0.max(1) as usize, column: at.1.max(1) as usize, length: length.max(1) };
        if let Some(faults) = &mut self.faults {
            faults.push(case.complaint("sorts", span, what).help(help));
        }
    }

    pub fn put(&mut self, name: &'w str, can: Can) {
        if let Some(place) = self.params.remove(name) {
            self.takes[place] = 0;
            self.variables.insert(name, Can::any());
        }
        let old = self.variables.get(name).cloned().unwrap_or_else(Can::never);
        let new = if self.looks < LOOKS { old.clone().or(can) } else { old.clone().or(can.clone()).or(Can::of(can.sorts)) };
        if new != old {
            self.changed = true;
            let new = if self.looks < 2 * LOOKS { new } else { Can::any() };
            self.variables.insert(name, new);
        }
    }

    /// The place of the parameter that an expression is.
    fn place_of(&self, expression: &Expression) -> Option<usize> {
        self.params.get(expression.variable()?).copied()
    }

    /// A parameter is worked with as this.
    pub fn demand(&mut self, expression: &Expression, sorts: Sorts) {
        if let Some(place) = self.place_of(expression) {
            self.takes[place] &= sorts;
        }
    }

    /// A parameter is compared with this.
    pub fn allow(&mut self, expression: &Expression, sorts: Sorts) {
        if let Some(place) = self.place_of(expression) {
            self.allows[place] |= sorts;
        }
    }

    /// What a parameter of a function is called.
    pub fn param(&self, name: &str, arity: usize, place: usize) -> String {
        let ruleset = self.sorting.words.ruleset;
        let own = self.case.functions.iter().find(|f| f.private && f.name == name && f.arity() == arity);
        let answer = || ruleset.slot(name, arity).and_then(|slot| ruleset.slots[slot].chain.first());
        let function = own.or_else(|| answer().map(|answer| &ruleset.cases[answer.case].functions[answer.function]));
        function.and_then(|function| function.params.get(place)).map(ToString::to_string).unwrap_or_default()
    }
}
