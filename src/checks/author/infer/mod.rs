//! Type inference for scripts: reports comparisons that can never be true, operations on the wrong type and arguments of the wrong type.
//!
//! A variable has the union of all types assigned to it in its function. The type of a figure comes from the manifest, that of a call from
//! its case if no variant amends it. An unknown value has any type and is never reported.
//!
//! | file | what it is |
//! |---|---|
//! | [`types`] | types of values |
//! | [`values`] | types of expressions, and checks of comparisons and arguments |
//!
//! This file has the facts about functions and the analysis of one body, statement by statement.

mod types;
mod values;

use crate::author::script_vocabulary::{
    CallTarget, CaseScript, MapKeys, ScriptVocabulary, call_target, span_at, text_constants,
};
use casebook_engine::code::verbs::types::{
    ANY, FLAG, LIST, MAP, NOTHING, NUMBER, RANGE, TEXT, TypeSet,
};
use casebook_engine::complaint::{Complaint, Complaints, DiagnosticCode, Message};
use casebook_engine::data::case::Case;
use casebook_engine::data::library::Library;
use casebook_engine::data::manifest::Game;
use casebook_engine::syntax::tree::{
    self, Expression, SourcePosition, Statement, SwitchStatement, TreeNode, UnsupportedSyntax,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use types::{InferredType, add_types};

/// Infers the types in the scripts of a ruleset and reports errors to `complaints`.
pub fn check(
    vocabulary: &ScriptVocabulary,
    scripts: &[CaseScript],
    game_functions: &mut GameFunctions,
    complaints: &mut Complaints,
) {
    let mut inference = TypeInference::new(vocabulary, scripts, game_functions);
    let mut faults = Complaints::default();
    for script in scripts {
        let functions = &script.case.functions;
        let mut order: Vec<usize> = (0..functions.len()).collect();
        order.sort_by_key(|index| (&functions[*index].name, functions[*index].arity()));
        for index in order {
            inference.function_facts(script.case, index, Some(&mut faults));
        }
    }
    // Unknown names are already reported at the same place.
    let position = |complaint: &Complaint| {
        (
            complaint.place.path.clone(),
            complaint.place.span.map(|span| (span.line, span.column)),
        )
    };
    let reported: BTreeSet<_> = complaints.0.iter().map(position).collect();
    complaints.0.extend(
        faults
            .0
            .into_iter()
            .filter(|complaint| !reported.contains(&position(complaint))),
    );
}

/// A variable whose type still grows after this many passes gets any type.
const MAX_PASSES: usize = 4;

/// The inferred facts about a function.
#[derive(Clone, Debug)]
struct FunctionFacts {
    /// The type of its return value.
    pub returns: InferredType,
    /// The types each parameter is used as, by position.
    pub parameters: Vec<TypeSet>,
}

/// Facts about the functions of a game that hold under every ruleset.
#[derive(Clone, Default)]
pub struct GameFunctions {
    /// The facts of each analysed function, by file key and index in the file.
    facts: FxHashMap<String, FxHashMap<usize, Arc<FunctionFacts>>>,
    /// The types of the values that scripts store in maps, by map key.
    pub map_values: FxHashMap<String, InferredType>,
    /// The texts among these values, by map key.
    pub map_texts: MapKeys,
    /// The scripts whose maps have been added.
    known_scripts: BTreeSet<String>,
    /// Functions that several layers define, by number of parameters: their results depend on the ruleset.
    amended: BTreeMap<usize, BTreeSet<String>>,
}

impl GameFunctions {
    /// Returns whether the maps of a script have been added.
    pub fn has_maps_of(&self, case: &Case) -> bool {
        self.known_scripts.contains(&case.file.key)
    }

    /// Adds the keys and values of the maps that a script builds.
    pub fn add_script(&mut self, script: &CaseScript) {
        if !self.known_scripts.insert(script.case.file.key.clone()) {
            return;
        }
        for (_, body) in script.functions() {
            tree::walk(body, &mut |node| {
                if let TreeNode::Expression(Expression::Map(entries, _)) = node {
                    entries
                        .iter()
                        .for_each(|(key, _, value)| self.add_map_value(key, value));
                }
                true
            });
        }
    }

    /// Adds a value that a script stores under a map key.
    fn add_map_value(&mut self, key: &str, value: &Expression) {
        let before = self
            .map_values
            .remove(key)
            .unwrap_or_else(InferredType::never);
        self.map_values
            .insert(key.to_string(), before.merge(InferredType::literal(value)));
        let texts = self.map_texts.entry(key.to_string()).or_default();
        texts.extend(text_constants(value).map(|(text, _)| text.to_string()));
    }

    /// Creates the facts of a game; only the functions that variants amend are recorded yet.
    pub fn new(library: &Library, game: &Game) -> GameFunctions {
        let mut earlier = BTreeSet::new();
        let mut amended: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for variant in library.layer_names(&game.name) {
            let layer = library.layer(game, variant, &mut Complaints::default());
            let functions = layer
                .cases
                .iter()
                .flat_map(|case| &case.functions)
                .filter(|f| !f.private);
            let layer_functions: BTreeSet<(usize, String)> =
                functions.map(|f| (f.arity(), f.name.clone())).collect();
            for (arity, name) in layer_functions.intersection(&earlier) {
                amended.entry(*arity).or_default().insert(name.clone());
            }
            earlier.extend(layer_functions);
        }
        GameFunctions {
            amended,
            ..GameFunctions::default()
        }
    }
}

/// Infers the types of the functions of a ruleset on demand.
struct TypeInference<'w, 'a> {
    pub vocabulary: &'w ScriptVocabulary<'a>,
    /// The scripts by file key.
    scripts: FxHashMap<&'w str, &'w CaseScript<'w>>,
    pub functions: &'w mut GameFunctions,
    /// The types of fields resolved so far, by field name.
    pub fields: FxHashMap<&'w str, InferredType>,
    /// The functions under analysis; a recursive request for one of them returns no facts.
    in_progress: Vec<(&'w str, usize)>,
}

impl<'w, 'a> TypeInference<'w, 'a> {
    pub fn new(
        vocabulary: &'w ScriptVocabulary<'a>,
        scripts: &'w [CaseScript<'w>],
        functions: &'w mut GameFunctions,
    ) -> TypeInference<'w, 'a> {
        let scripts = scripts
            .iter()
            .map(|script| (script.case.file.key.as_str(), script))
            .collect();
        TypeInference {
            vocabulary,
            scripts,
            functions,
            fields: FxHashMap::default(),
            in_progress: Vec::new(),
        }
    }

    /// Returns the facts of the function at `index` in its case; reports errors in it to `complaints` if that is given.
    pub fn function_facts(
        &mut self,
        case: &Case,
        index: usize,
        complaints: Option<&mut Complaints>,
    ) -> Option<Arc<FunctionFacts>> {
        let file = case.file.key.as_str();
        if let (Some(facts), None) = (
            self.functions
                .facts
                .get(file)
                .and_then(|by_index| by_index.get(&index)),
            &complaints,
        ) {
            return Some(facts.clone());
        }
        let (file, script) = self
            .scripts
            .get_key_value(file)
            .map(|(file, script)| (*file, *script))?;
        let (function, body) = script.functions().nth(index)?;
        if self.in_progress.contains(&(file, index)) {
            return None;
        }
        self.in_progress.push((file, index));
        let mut analysis = FunctionAnalysis {
            inference: self,
            case: script.case,
            variables: FxHashMap::default(),
            parameter_indices: function
                .params
                .iter()
                .map(String::as_str)
                .zip(0..)
                .collect(),
            parameters: vec![ANY; function.arity()],
            compared_with: vec![NOTHING; function.arity()],
            returns: InferredType::never(),
            passes: 0,
            changed: false,
            complaints: None,
        };
        let returns = analysis.analyze(body, complaints.is_some());
        let takes = analysis
            .parameters
            .iter()
            .zip(&analysis.compared_with)
            .map(|(takes, allows)| if *takes == 0 { ANY } else { takes | allows })
            .collect();
        let faults = analysis.complaints.unwrap_or_default();
        if let Some(complaints) = complaints {
            complaints.0.extend(faults.0);
        }
        self.in_progress.pop();
        let facts = Arc::new(FunctionFacts {
            returns,
            parameters: takes,
        });
        self.functions
            .facts
            .entry(file.to_string())
            .or_default()
            .insert(index, facts.clone());
        Some(facts)
    }

    /// Returns the facts of the function in a slot; `None` if another layer may amend it.
    pub fn slot_facts(&mut self, slot: usize) -> Option<Arc<FunctionFacts>> {
        let ruleset = self.vocabulary.ruleset;
        let slot = &ruleset.slots[slot];
        let [answer] = slot.answers[..] else {
            return None;
        };
        let amended = self
            .functions
            .amended
            .get(&slot.arity)
            .is_some_and(|names| names.contains(&slot.name));
        let is_unamended = answer.removed_by.or(answer.reinstated_by).is_none() && !amended;
        is_unamended
            .then(|| self.function_facts(&ruleset.cases[answer.case], answer.function, None))?
    }
}

/// The analysis of one function body.
struct FunctionAnalysis<'s, 'w, 'a> {
    pub inference: &'s mut TypeInference<'w, 'a>,
    pub case: &'w Case,
    /// The type of each variable, by name.
    pub variables: FxHashMap<&'w str, InferredType>,
    /// The indices of the parameters that no local variable shadows.
    pub parameter_indices: FxHashMap<&'w str, usize>,
    /// The types each parameter is used as, by position, and the types it is compared with.
    pub parameters: Vec<TypeSet>,
    pub compared_with: Vec<TypeSet>,
    /// The return type of the function or of the closure under analysis.
    pub returns: InferredType,
    passes: usize,
    changed: bool,
    /// The complaints; they are collected in the last pass only.
    pub complaints: Option<Complaints>,
}

impl<'w> FunctionAnalysis<'_, 'w, '_> {
    /// Repeats passes over the body until the types of its variables are stable; returns the type of its value.
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

    pub fn complain(
        &mut self,
        at: SourcePosition,
        length: usize,
        message: impl Into<Message>,
        help: impl Into<String>,
    ) {
        let case = self.case;
        if let Some(faults) = &mut self.complaints {
            faults.push(
                case.complaint(DiagnosticCode::Types, span_at(at, length), message)
                    .with_help(help),
            );
        }
    }

    pub fn assign(&mut self, name: &'w str, value_type: InferredType) {
        if let Some(index) = self.parameter_indices.remove(name) {
            self.parameters[index] = 0;
            self.variables.insert(name, InferredType::any());
        }
        let old_type = self
            .variables
            .get(name)
            .cloned()
            .unwrap_or_else(InferredType::never);
        let new_type = old_type.clone().merge(if self.passes < MAX_PASSES {
            value_type
        } else {
            InferredType::new(value_type.types)
        });
        if new_type != old_type {
            self.changed = true;
            let new_type = if self.passes < 2 * MAX_PASSES {
                new_type
            } else {
                InferredType::any()
            };
            self.variables.insert(name, new_type);
        }
    }

    /// Returns the index of the parameter that an expression names.
    fn parameter_index(&self, expression: &Expression) -> Option<usize> {
        self.parameter_indices
            .get(expression.as_variable()?)
            .copied()
    }

    /// Records that a parameter is used as one of these types.
    pub fn require_types(&mut self, expression: &Expression, types: TypeSet) {
        if let Some(index) = self.parameter_index(expression) {
            self.parameters[index] &= types;
        }
    }

    /// Records that a parameter is compared with a value of these types.
    pub fn allow_types(&mut self, expression: &Expression, types: TypeSet) {
        if let Some(index) = self.parameter_index(expression) {
            self.compared_with[index] |= types;
        }
    }

    /// Returns the name of a parameter of a function.
    pub fn parameter_name(&self, name: &str, arity: usize, index: usize) -> String {
        let ruleset = self.inference.vocabulary.ruleset;
        let function = match call_target(ruleset, self.case, name, arity) {
            Some(CallTarget::Helper(index)) => self.case.functions.get(index),
            Some(CallTarget::Answers(slot)) => {
                let answer = ruleset.slots[slot].answers.first();
                answer.map(|answer| &ruleset.cases[answer.case].functions[answer.function])
            }
            Some(CallTarget::Verb(_)) | None => None,
        };
        function
            .and_then(|function| function.params.get(index))
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    pub fn infer_block(&mut self, list: &'w [Statement]) -> InferredType {
        list.iter()
            .fold(InferredType::new(NOTHING), |_, statement| {
                self.infer_statement(statement)
            })
    }

    fn infer_statement(&mut self, statement: &'w Statement) -> InferredType {
        match statement {
            Statement::Nothing(_) => {}
            Statement::Expression(expression) => return self.infer_value(expression),
            Statement::Block(body, _) => return self.infer_block(body),
            Statement::If {
                condition,
                then,
                otherwise,
                ..
            } => {
                self.check_condition(condition);
                return self.infer_block(then).merge(self.infer_block(otherwise));
            }
            Statement::Switch(switch) => return self.infer_switch(switch),
            Statement::While {
                condition, body, ..
            } => {
                condition
                    .iter()
                    .for_each(|condition| self.check_condition(condition));
                self.infer_block(body);
                return InferredType::any();
            }
            Statement::Do {
                body, condition, ..
            } => {
                self.check_condition(condition);
                self.infer_block(body);
                return InferredType::any();
            }
            Statement::For {
                name,
                index_name: counter,
                iterable: list,
                body,
                ..
            } => {
                let list_type = self.infer_value(list);
                self.require_types(list, LIST | RANGE | TEXT);
                self.assign(name, list_type.item_type());
                counter
                    .iter()
                    .for_each(|counter| self.assign(counter, InferredType::new(NUMBER)));
                self.infer_block(body);
                return InferredType::any();
            }
            Statement::Let { name, value, .. } => {
                let value = self.infer_value(value);
                self.assign(name, value);
            }
            Statement::Assign {
                target: left,
                operator: sign,
                value: right,
                ..
            } => {
                let value = self.infer_value(right);
                let before = self.infer_value(left);
                match left {
                    Expression::Variable(name, _) => self.assign(
                        name,
                        if sign.is_some() {
                            add_types(before, value)
                        } else {
                            value
                        },
                    ),
                    Expression::Chain(chain) => chain
                        .root
                        .as_variable()
                        .into_iter()
                        .for_each(|name| self.assign(name, InferredType::new(LIST | MAP))),
                    _ => {}
                }
            }
            Statement::LoopExit { value, .. } => {
                value.iter().for_each(|value| drop(self.infer_value(value)));
                return InferredType::never();
            }
            Statement::Return(value, _) => {
                let value = value
                    .as_ref()
                    .map_or(InferredType::new(NOTHING), |value| self.infer_value(value));
                let so_far = std::mem::replace(&mut self.returns, InferredType::never());
                self.returns = so_far.merge(value);
                return InferredType::never();
            }
            Statement::Foreign(UnsupportedSyntax::Throw, _) => return InferredType::never(),
            Statement::Foreign(..) => {}
        }
        InferredType::new(NOTHING)
    }

    fn infer_switch(&mut self, switch: &'w SwitchStatement) -> InferredType {
        let scrutinee_type = self.infer_value(&switch.scrutinee);
        for arm in &switch.arms {
            arm.values
                .iter()
                .for_each(|value| self.check_arm(switch, &scrutinee_type, value));
            if !arm.ranges.is_empty() {
                self.allow_types(&switch.scrutinee, ANY);
            }
        }
        let default_type = if switch.default_arm.is_none() {
            InferredType::new(NOTHING)
        } else {
            InferredType::never()
        };
        switch.arms.iter().fold(default_type, |merged, arm| {
            arm.guard
                .iter()
                .for_each(|guard| drop(self.infer_value(guard)));
            merged.merge(self.infer_value(&arm.value))
        })
    }

    pub fn check_condition(&mut self, expression: &'w Expression) {
        self.infer_value(expression);
        self.require_types(expression, FLAG);
    }
}
