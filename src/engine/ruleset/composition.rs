//! The cases and functions of a ruleset while its layers are stacked: who answers each function, newest first.

use crate::complaint::{Complaint, Complaints, DiagnosticCode, did_you_mean};
use crate::data::case::{Case, CaseFunction};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The answer of one layer to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerAnswer {
    /// Index of the case among the cases in force.
    pub case: usize,
    /// Index of the function in the case.
    pub function: usize,
    /// The later case that reinstated this answer.
    pub reinstated_by: Option<usize>,
    /// The later case that removed this answer.
    pub removed_by: Option<usize>,
}

impl LayerAnswer {
    /// Returns the case that decides about the answer: the one that reinstated or removed it, else the one that gives it.
    pub fn deciding_case(&self) -> usize {
        self.removed_by.or(self.reinstated_by).unwrap_or(self.case)
    }

    /// Returns the case to cite for the answer: the one that reinstated it, else the one that gives it.
    pub fn cited_case(&self) -> usize {
        self.reinstated_by.unwrap_or(self.case)
    }
}

/// A function with the answers of all layers.
#[derive(Clone, Debug)]
pub struct Slot {
    pub name: String,
    /// Number of parameters.
    pub arity: usize,
    /// Answers, newest first.
    pub answers: Vec<LayerAnswer>,
}

/// The cases and functions of a ruleset while its layers are stacked.
#[derive(Default)]
pub struct Composition {
    /// Cases in force, layer by layer.
    pub cases: Vec<Arc<Case>>,
    pub slots: Vec<Slot>,
    /// Slot by name and arity.
    pub slot_index: FxHashMap<(String, usize), usize>,
}

impl Composition {
    /// Adds the cases of a layer and their answers.
    pub fn add_layer<'c>(
        &mut self,
        cases: impl Iterator<Item = &'c Arc<Case>>,
        complaints: &mut Complaints,
    ) {
        let first = self.cases.len();
        self.cases.extend(cases.cloned());
        for index in first..self.cases.len() {
            let case = self.cases[index].clone();
            for (function, header) in case.functions.iter().enumerate() {
                if header.is_answer() {
                    self.add_answer(&case, (index, function), complaints);
                }
            }
            for name in &case.replaces {
                remove_function(&mut self.slots, &self.cases, index, name, complaints);
            }
            if let Some(older_layer) = &case.reinstates {
                self.reinstate_answers(index, older_layer, complaints);
            }
        }
    }

    fn add_answer(
        &mut self,
        case: &Case,
        (index, function): (usize, usize),
        complaints: &mut Complaints,
    ) {
        let header = &case.functions[function];
        let slot = self.slot_of(&header.name, header.arity());
        let chain = &mut self.slots[slot].answers;
        let is_of_layer = |answer: &&LayerAnswer| self.cases[answer.case].layer == case.layer;
        if let Some(earlier) = chain.iter().find(is_of_layer) {
            let other = &self.cases[earlier.case];
            let other_function = &other.functions[earlier.function];
            complaints.push(duplicate_answer(case, header, other, other_function));
            return;
        }
        let answer = LayerAnswer {
            case: index,
            function,
            reinstated_by: None,
            removed_by: None,
        };
        chain.insert(0, answer);
    }

    /// Returns the slot of a function, made if there is none.
    fn slot_of(&mut self, name: &str, arity: usize) -> usize {
        let slots = &mut self.slots;
        let key = (name.to_string(), arity);
        *self.slot_index.entry(key).or_insert_with(|| {
            slots.push(Slot {
                name: name.into(),
                arity,
                answers: Vec::new(),
            });
            slots.len() - 1
        })
    }

    /// Yields the answers of a slot that scripts give, the newest first, up to one that was removed.
    pub fn script_answers(&self, slot: usize) -> impl Iterator<Item = LayerAnswer> {
        let answers = self.slots[slot].answers.iter().copied();
        let in_force = answers.take_while(|answer| answer.removed_by.is_none());
        in_force.filter(|answer| !self.cases[answer.case].is_list())
    }

    /// Returns the newest answer of a slot that a script gives.
    pub fn newest_script(&self, slot: usize) -> Option<LayerAnswer> {
        self.script_answers(slot).next()
    }

    /// Looks up the function that gives an answer.
    pub fn function_of(&self, answer: LayerAnswer) -> &CaseFunction {
        &self.cases[answer.case].functions[answer.function]
    }

    /// Returns the greatest number of answers of a slot.
    pub fn max_depth(&self) -> usize {
        let depths = self.slots.iter().map(|slot| slot.answers.len());
        depths.max().unwrap_or_default()
    }
}

/// Applies a revision's `replaces:`: the function is removed unless the revision answers it.
fn remove_function(
    slots: &mut [Slot],
    cases: &[Arc<Case>],
    remover: usize,
    name: &str,
    complaints: &mut Complaints,
) {
    let mut any = false;
    for slot in slots.iter_mut().filter(|s| s.name == name) {
        any = true;
        if let Some(top) = slot.answers.first().copied()
            && top.case != remover
        {
            slot.answers.insert(
                0,
                LayerAnswer {
                    removed_by: Some(remover),
                    reinstated_by: None,
                    ..top
                },
            );
        }
    }
    if !any {
        let message = did_you_mean(
            format!("no case below has a function `{name}`"),
            name,
            slots.iter().map(|s| s.name.as_str()),
        );
        let span = cases[remover].span_of("replaces", name);
        complaints.push(
            cases[remover]
                .complaint(DiagnosticCode::Kind, span, message)
                .with_help("name a function of the older case"),
        );
    }
}

impl Composition {
    /// Applies `reinstates:`: adds the answers of an older layer's case of the same number as new answers, as they are printed.
    fn reinstate_answers(&mut self, reinstating: usize, layer: &str, complaints: &mut Complaints) {
        let number = self.cases[reinstating].number.clone();
        let mut any = false;
        for slot in 0..self.slots.len() {
            let old = self.slots[slot].answers.iter().copied().find(|a| {
                let case = &self.cases[a.case];
                a.reinstated_by.is_none() && &*case.layer == layer && case.number == number
            });
            if let Some(old) = old {
                any = true;
                let answer = LayerAnswer {
                    case: self.printed_case(old.case),
                    reinstated_by: Some(reinstating),
                    removed_by: None,
                    ..old
                };
                self.slots[slot].answers.insert(0, answer);
            }
        }
        if !any {
            let case = &self.cases[reinstating];
            let same_number = self.cases.iter().filter(|c| c.number == number);
            let message = did_you_mean(
                format!("`{layer}` answers nothing in case {number}"),
                layer,
                same_number.map(|c| &*c.layer),
            );
            let span = case.span_of("reinstates", layer);
            complaints.push(
                case.complaint(DiagnosticCode::Kind, span, message)
                    .with_help("name a layer in force that has this case"),
            );
        }
    }

    /// Returns a case as it is printed: a copy of one that lists have changed.
    fn printed_case(&mut self, index: usize) -> usize {
        let case = &self.cases[index];
        if case.functions.iter().all(|f| f.placed.is_empty()) {
            return index;
        }
        let mut printed = Case::clone(case);
        printed.functions.iter_mut().for_each(|f| f.placed.clear());
        self.cases.push(Arc::new(printed));
        self.cases.len() - 1
    }
}

/// Reports `answered-twice`.
fn duplicate_answer(
    case: &Case,
    function: &CaseFunction,
    other: &Case,
    other_function: &CaseFunction,
) -> Complaint {
    let message = format!("`{}` is answered twice in {}", function.name, case.layer);
    let place = other.file.place(other_function.name_span);
    case.complaint(DiagnosticCode::AnsweredTwice, function.name_span, message)
        .with_help("keep one; a helper of a single file is `private fn`")
        .with_related(place, format!("case {}", other.number))
}
