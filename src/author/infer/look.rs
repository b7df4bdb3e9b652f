//! What is known of the functions of a ruleset, and a look through one of them.

use super::sorts::{ANY, Can, NOTHING, Sorts};
use crate::author::words::{Made, Words, constants};
use crate::code::parse::Lambda;
use crate::complaint::{Complaints, Span};
use crate::data::case::Case;
use crate::data::library::Library;
use crate::data::manifest::Game;
use rhai::{AST, ASTNode, Expr, Position};
use std::collections::{BTreeMap, BTreeSet, HashMap};

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

/// A function: the key of its case's file, its name, its number of parameters.
pub type Key = (String, String, usize);

/// The functions and closures of a script.
pub type Functions = BTreeMap<(String, usize), Lambda>;

/// What is known of the functions of a game, whatever is in force.
#[derive(Default)]
pub struct Known {
    /// Each function that was looked at.
    pub facts: HashMap<Key, Facts>,
    /// What the maps that scripts make have under each key.
    pub made: HashMap<String, Can>,
    /// The texts among that.
    pub texts: Made,
    /// The scripts whose maps are known.
    learnt: BTreeSet<String>,
    /// Those that more than one layer answers: what they come to hangs on what is in force.
    amended: BTreeSet<(String, usize)>,
}

impl Known {
    /// Whether the maps of a script are known.
    pub fn knows(&self, case: &Case) -> bool {
        self.learnt.contains(&case.file.key)
    }

    /// Adds the maps of a script.
    pub fn learn(&mut self, case: &Case, ast: &AST) {
        if !self.learnt.insert(case.file.key.clone()) {
            return;
        }
        ast.walk(&mut |path| {
            if let Some(ASTNode::Expr(Expr::Map(parts, _))) = path.last() {
                for (key, value) in &parts.0 {
                    let before = self.made.remove(key.name.as_str()).unwrap_or_else(Can::never);
                    self.made.insert(key.name.to_string(), before.or(Can::written(value)));
                    let texts = self.texts.entry(key.name.to_string()).or_default();
                    texts.extend(constants(value).into_iter().map(|(text, _)| text.to_string()));
                }
            }
            true
        });
    }

    /// Of a game nothing yet but which functions variants answer anew.
    pub fn of(library: &Library, game: &Game) -> Known {
        let mut seen = BTreeSet::new();
        let mut amended = BTreeSet::new();
        for variant in [None].into_iter().chain(library.variants_of(&game.name).into_iter().map(Some)) {
            let layer = library.layer(game, variant, &mut Complaints::default());
            let own: BTreeSet<(String, usize)> = layer
                .cases
                .iter()
                .flat_map(|case| &case.functions)
                .filter(|f| !f.private)
                .map(|f| (f.name.to_string(), f.arity()))
                .collect();
            amended.extend(own.intersection(&seen).cloned());
            seen.extend(own);
        }
        Known { amended, ..Known::default() }
    }
}

/// All functions of a ruleset, as far as they have been looked at.
pub struct Sorting<'w, 'a> {
    pub words: &'w Words<'a>,
    pub scripts: &'w [(&'w Case, Functions)],
    pub known: &'w mut Known,
    /// Those being looked at: who asks for them from within learns nothing.
    pub open: BTreeSet<Key>,
}

impl<'w> Sorting<'w, '_> {
    /// What is known of a function; complains of what is wrong in it if it is asked to.
    pub fn facts(&mut self, case: &Case, name: &str, arity: usize, all: Option<&mut Complaints>) -> Option<Facts> {
        let key: Key = (case.file.key.clone(), name.to_string(), arity);
        if let (Some(facts), None) = (self.known.facts.get(&key), &all) {
            return Some(facts.clone());
        }
        let (case, functions) = self.scripts.iter().find(|(other, _)| other.file.key == case.file.key)?;
        let function = functions.get(&(key.1.clone(), arity))?;
        if !self.open.insert(key.clone()) {
            return None;
        }
        let mut look = Look {
            sorting: self,
            case,
            functions,
            variables: HashMap::new(),
            params: function.params.iter().enumerate().map(|(place, name)| (name.clone(), place)).collect(),
            takes: vec![ANY; arity],
            allows: vec![NOTHING; arity],
            returns: Can::never(),
            looks: 0,
            changed: false,
            faults: None,
        };
        let gives = look.whole(function, all.is_some());
        let takes = look.takes.iter().zip(&look.allows).map(|(takes, allows)| if *takes == 0 { ANY } else { takes | allows }).collect();
        let faults = look.faults.unwrap_or_default();
        if let Some(all) = all {
            all.0.extend(faults.0);
        }
        self.open.remove(&key);
        let facts = Facts { gives, takes };
        self.known.facts.insert(key, facts.clone());
        Some(facts)
    }

    /// What is known of a function of cases; nothing, where another layer may answer it anew.
    pub fn answers(&mut self, name: &str, arity: usize) -> Option<Facts> {
        let ruleset = self.words.ruleset;
        let slot = &ruleset.slots[ruleset.slot(name, arity)?];
        let [answer] = slot.chain[..] else { return None };
        let alone = answer.struck_by.or(answer.reinstated_by).is_none() && !self.known.amended.contains(&(name.to_string(), arity));
        alone.then(|| self.facts(&ruleset.cases[answer.case], name, arity, None))?
    }
}

/// A look through one function.
pub struct Look<'s, 'w, 'a> {
    pub sorting: &'s mut Sorting<'w, 'a>,
    pub case: &'w Case,
    pub functions: &'w Functions,
    /// What each variable can be, by name.
    pub variables: HashMap<String, Can>,
    /// The parameters, as long as nothing else goes by their names.
    pub params: HashMap<String, usize>,
    /// What the parameters are worked with as, and what they are compared with besides.
    pub takes: Vec<Sorts>,
    pub allows: Vec<Sorts>,
    /// What the function, or the closure being looked at, returns.
    pub returns: Can,
    looks: usize,
    changed: bool,
    /// Complaints, on the last look.
    faults: Option<Complaints>,
}

impl<'w> Look<'_, 'w, '_> {
    /// Looks until no variable can be more than was known.
    pub fn whole(&mut self, function: &'w Lambda, complain: bool) -> Can {
        loop {
            self.returns = Can::never();
            self.changed = false;
            let last = self.block(&function.body);
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

    pub fn complain(&mut self, at: Position, length: usize, what: String, help: impl Into<String>) {
        let case = self.case;
        let span = Span { line: at.line().unwrap_or(1), column: at.position().unwrap_or(1), length: length.max(1) };
        if let Some(faults) = &mut self.faults {
            faults.push(case.complaint("sorts", span, what).help(help));
        }
    }

    pub fn put(&mut self, name: &str, can: Can) {
        if let Some(place) = self.params.remove(name) {
            self.takes[place] = 0;
            self.variables.insert(name.to_string(), Can::any());
        }
        let old = self.variables.get(name).cloned().unwrap_or_else(Can::never);
        let new = if self.looks < LOOKS { old.clone().or(can) } else { old.clone().or(can.clone()).or(Can::of(can.sorts)) };
        if new != old {
            self.changed = true;
            let new = if self.looks < 2 * LOOKS { new } else { Can::any() };
            self.variables.insert(name.to_string(), new);
        }
    }

    /// A parameter is worked with as this.
    pub fn demand(&mut self, expression: &Expr, sorts: Sorts) {
        if let Some(place) = variable(expression).and_then(|name| self.params.get(name)) {
            self.takes[*place] &= sorts;
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

/// The name of a variable.
pub fn variable(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Variable(parts, ..) => Some(&parts.1),
        _ => None,
    }
}
