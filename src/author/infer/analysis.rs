//! What is known of the functions of a ruleset, and a look through one of them.

use super::types::{ANY, InferredType, NOTHING, TypeSet};
use crate::author::script_vocabulary::{CaseScript, MapKeys, ScriptVocabulary, text_constants};
use crate::complaint::{Complaints, Span};
use crate::data::case::Case;
use crate::data::library::Library;
use crate::data::manifest::Game;
use crate::syntax::tree::{self, Expression, SourcePosition, Statement, TreeNode};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// After so many looks a variable that still grows can be anything.
const MAX_PASSES: usize = 4;

/// What is known of a function.
#[derive(Clone, Debug)]
pub struct FunctionFacts {
    /// What it answers.
    pub returns: InferredType,
    /// What it works with, parameter by parameter.
    pub parameters: Vec<TypeSet>,
}

/// What is known of the functions of a game, whatever is in force.
#[derive(Default)]
pub struct GameFunctions {
    /// Each function that was looked at, by the key of its file and its place in it.
    facts: FxHashMap<String, FxHashMap<usize, Rc<FunctionFacts>>>,
    /// What the maps that scripts make have under each key.
    pub map_values: FxHashMap<String, InferredType>,
    /// The texts among that.
    pub map_texts: MapKeys,
    /// The scripts whose maps are known.
    known_scripts: BTreeSet<String>,
    /// Those that more than one layer answers, by their numbers of parameters: what they come to hangs on what is in force.
    amended: BTreeMap<usize, BTreeSet<String>>,
}

impl GameFunctions {
    /// Whether the maps of a script are known.
    pub fn has_maps_of(&self, case: &Case) -> bool {
        self.known_scripts.contains(&case.file.key)
    }

    /// Adds the maps of a script.
    pub fn add_script(&mut self, script: &CaseScript) {
        if !self.known_scripts.insert(script.case.file.key.clone()) {
            return;
        }
        for (_, body) in script.functions() {
            tree::walk(body, &mut |node| {
                if let TreeNode::Expression(Expression::Map(entries, _)) = node {
                    entries.iter().for_each(|(key, _, value)| self.add_map_value(key, value));
                }
                true
            });
        }
    }

    /// Adds what stands under a key of a map.
    fn add_map_value(&mut self, key: &str, value: &Expression) {
        let before = self.map_values.remove(key).unwrap_or_else(InferredType::never);
        self.map_values.insert(key.to_string(), before.merge(InferredType::literal(value)));
        let texts = self.map_texts.entry(key.to_string()).or_default();
        texts.extend(text_constants(value).map(|(text, _)| text.to_string()));
    }

    /// Of a game nothing yet but which functions variants answer anew.
    pub fn new(library: &Library, game: &Game) -> GameFunctions {
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
        GameFunctions { amended, ..GameFunctions::default() }
    }
}

/// All functions of a ruleset, as far as they have been looked at.
pub struct TypeInference<'w, 'a> {
    pub vocabulary: &'w ScriptVocabulary<'a>,
    /// By the keys of their files.
    scripts: FxHashMap<&'w str, &'w CaseScript<'w>>,
    pub functions: &'w mut GameFunctions,
    /// What was found so far of what stands after a point.
    pub fields: FxHashMap<&'w str, InferredType>,
    /// Those being looked at: who asks for them from within learns nothing.
    in_progress: Vec<(&'w str, usize)>,
}

impl<'w, 'a> TypeInference<'w, 'a> {
    pub fn new(words: &'w ScriptVocabulary<'a>, scripts: &'w [CaseScript<'w>], known: &'w mut GameFunctions) -> TypeInference<'w, 'a> {
        let scripts = scripts.iter().map(|script| (script.case.file.key.as_str(), script)).collect();
        TypeInference { vocabulary: words, scripts, functions: known, fields: FxHashMap::default(), in_progress: Vec::new() }
    }

    /// What is known of a function, by its place in its case; complains of what is wrong in it if it is asked to.
    pub fn function_facts(&mut self, case: &Case, index: usize, all: Option<&mut Complaints>) -> Option<Rc<FunctionFacts>> {
        let file = case.file.key.as_str();
        if let (Some(facts), None) = (self.functions.facts.get(file).and_then(|known| known.get(&index)), &all) {
            return Some(facts.clone());
        }
        let (file, script) = self.scripts.get_key_value(file).map(|(file, script)| (*file, *script))?;
        let (function, body) = script.functions().nth(index)?;
        if self.in_progress.contains(&(file, index)) {
            return None;
        }
        self.in_progress.push((file, index));
        let mut look = FunctionAnalysis {
            inference: self,
            case: script.case,
            variables: FxHashMap::default(),
            parameter_indices: function.params.iter().map(String::as_str).zip(0..).collect(),
            parameters: vec![ANY; function.arity()],
            compared_with: vec![NOTHING; function.arity()],
            returns: InferredType::never(),
            passes: 0,
            changed: false,
            complaints: None,
        };
        let gives = look.analyze(body, all.is_some());
        let takes =
            look.parameters.iter().zip(&look.compared_with).map(|(takes, allows)| if *takes == 0 { ANY } else { takes | allows }).collect();
        let faults = look.complaints.unwrap_or_default();
        if let Some(all) = all {
            all.0.extend(faults.0);
        }
        self.in_progress.pop();
        let facts = Rc::new(FunctionFacts { returns: gives, parameters: takes });
        self.functions.facts.entry(file.to_string()).or_default().insert(index, facts.clone());
        Some(facts)
    }

    /// What is known of the function of cases in a slot; nothing, where another layer may answer it anew.
    pub fn slot_facts(&mut self, slot: usize) -> Option<Rc<FunctionFacts>> {
        let ruleset = self.vocabulary.ruleset;
        let slot = &ruleset.slots[slot];
        let [answer] = slot.answers[..] else { return None };
        let amended = self.functions.amended.get(&slot.arity).is_some_and(|names| names.contains(&slot.name));
        let alone = answer.removed_by.or(answer.reinstated_by).is_none() && !amended;
        alone.then(|| self.function_facts(&ruleset.cases[answer.case], answer.function, None))?
    }
}

/// A look through one function.
pub struct FunctionAnalysis<'s, 'w, 'a> {
    pub inference: &'s mut TypeInference<'w, 'a>,
    pub case: &'w Case,
    /// What each variable can be, by name.
    pub variables: FxHashMap<&'w str, InferredType>,
    /// The parameters, as long as nothing else goes by their names.
    pub parameter_indices: FxHashMap<&'w str, usize>,
    /// What the parameters are worked with as, and what they are compared with besides.
    pub parameters: Vec<TypeSet>,
    pub compared_with: Vec<TypeSet>,
    /// What the function, or the closure being looked at, returns.
    pub returns: InferredType,
    passes: usize,
    changed: bool,
    /// Complaints, on the last look.
    pub complaints: Option<Complaints>,
}

impl<'w> FunctionAnalysis<'_, 'w, '_> {
    /// Looks until no variable can be more than was known.
    pub fn analyze(&mut self, body: &'w [Statement], complain: bool) -> InferredType {
        loop {
            self.returns = InferredType::never();
            self.changed = false;
            let last = self.infer_block(body);
            self.passes += 1;
            if !self.changed {
                if complain && self.complaints.is_none() {
                    self.complaints = Some(Complaints::default());
                    continue;
                }
                return std::mem::replace(&mut self.returns, InferredType::never()).merge(last);
            }
        }
    }

    pub fn complain(&mut self, at: SourcePosition, length: usize, what: String, help: impl Into<String>) {
        let case = self.case;
        let span = Span { line: at.0.max(1) as usize, column: at.1.max(1) as usize, length: length.max(1) };
        if let Some(faults) = &mut self.complaints {
            faults.push(case.complaint("sorts", span, what).with_help(help));
        }
    }

    pub fn assign(&mut self, name: &'w str, can: InferredType) {
        if let Some(place) = self.parameter_indices.remove(name) {
            self.parameters[place] = 0;
            self.variables.insert(name, InferredType::any());
        }
        let old = self.variables.get(name).cloned().unwrap_or_else(InferredType::never);
        let new = if self.passes < MAX_PASSES {
            old.clone().merge(can)
        } else {
            old.clone().merge(can.clone()).merge(InferredType::new(can.types))
        };
        if new != old {
            self.changed = true;
            let new = if self.passes < 2 * MAX_PASSES { new } else { InferredType::any() };
            self.variables.insert(name, new);
        }
    }

    /// The place of the parameter that an expression is.
    fn parameter_index(&self, expression: &Expression) -> Option<usize> {
        self.parameter_indices.get(expression.as_variable()?).copied()
    }

    /// A parameter is worked with as this.
    pub fn require_types(&mut self, expression: &Expression, sorts: TypeSet) {
        if let Some(place) = self.parameter_index(expression) {
            self.parameters[place] &= sorts;
        }
    }

    /// A parameter is compared with this.
    pub fn allow_types(&mut self, expression: &Expression, sorts: TypeSet) {
        if let Some(place) = self.parameter_index(expression) {
            self.compared_with[place] |= sorts;
        }
    }

    /// What a parameter of a function is called.
    pub fn parameter_name(&self, name: &str, arity: usize, place: usize) -> String {
        let ruleset = self.inference.vocabulary.ruleset;
        let own = self.case.functions.iter().find(|f| f.private && f.name == name && f.arity() == arity);
        let answer = || ruleset.slot(name, arity).and_then(|slot| ruleset.slots[slot].answers.first());
        let function = own.or_else(|| answer().map(|answer| &ruleset.cases[answer.case].functions[answer.function]));
        function.and_then(|function| function.params.get(place)).map(ToString::to_string).unwrap_or_default()
    }
}
