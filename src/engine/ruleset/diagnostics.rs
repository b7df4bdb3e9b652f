//! The checks across layers. Checks of a single file are made where the file is read.

use crate::complaint::{Complaint, Complaints, DiagnosticCode, Error, Message, did_you_mean};
use crate::data::case::{Case, CaseFunction, CaseKind};
use crate::data::library::{Layer, Library};
use crate::ruleset::compose::{Ruleset, RulesetSpec, Slot};
use crate::syntax::calls::{reachable_functions, reaches_prior};
use crate::syntax::normalize::normalize;
use crate::syntax::parse::function_body;
use std::sync::Arc;

/// Builds a ruleset: composes it and checks its layers. Returns notes with the ruleset, and fails on errors.
pub fn build_ruleset(
    library: &Arc<Library>,
    spec: &RulesetSpec,
) -> Result<(Ruleset, Complaints), Error> {
    let (ruleset, complaints) = compose_checked(library, spec)?;
    if complaints.has_errors() {
        Err(Error::Data(complaints.into_sorted()))
    } else {
        Ok((ruleset, complaints))
    }
}

/// Composes a ruleset and checks its layers; returns it also where they don't go together.
pub fn compose_checked(
    library: &Arc<Library>,
    spec: &RulesetSpec,
) -> Result<(Ruleset, Complaints), Error> {
    let (ruleset, mut complaints) = Ruleset::compose(library, spec)?;
    let names: Vec<String> = ruleset
        .variants()
        .map(|layer| layer.name.to_string())
        .collect();
    if let Some(complaint) = ruleset
        .variants()
        .filter_map(|layer| layer.variant.as_ref())
        .find_map(|variant| variant.check_exclusions(&names))
    {
        return Err(complaint.into());
    }
    check_layers(&ruleset, &mut complaints);
    Ok((ruleset, complaints))
}

/// Checks the layers of a ruleset against each other.
fn check_layers(ruleset: &Ruleset, complaints: &mut Complaints) {
    for (index, case) in ruleset.cases.iter().enumerate() {
        check_kind(ruleset, index, case, complaints);
    }
    for slot in &ruleset.slots {
        check_additions(ruleset, slot, complaints);
        check_conflicts(ruleset, slot, complaints);
        check_list_answers(ruleset, slot, complaints);
        check_hidden_changes(ruleset, slot, complaints);
    }
    for case in &ruleset.cases {
        check_places_changed_twice(ruleset, case, complaints);
    }
}

/// Notes the changes of lists that a later script hides: it answers the function without asking the older answer.
fn check_hidden_changes(ruleset: &Ruleset, slot: &Slot, complaints: &mut Complaints) {
    let hiding = slot.answers.iter().position(|answer| {
        let case = &ruleset.cases[answer.case];
        answer.removed_by.is_some() || !case.is_list() && !reaches_prior(case, answer.function)
    });
    let Some(hiding) = hiding else { return };
    let newer = &ruleset.cases[slot.answers[hiding].deciding_case()];
    for answer in &slot.answers[hiding + 1..] {
        let case = &ruleset.cases[answer.case];
        let function = &case.functions[answer.function];
        let placed = function.placed.iter().map(|placed| placed.by);
        let own = case.is_list().then_some((answer.case, answer.function));
        for (list, index) in placed.chain(own) {
            let list = &ruleset.cases[list];
            // What a layer hides of itself is its author's order.
            if list.layer == newer.layer {
                continue;
            }
            let message = format!(
                "this change has no effect: {} answers `{}` anew",
                newer.layer, slot.name
            );
            let span = list.functions[index].name_span;
            let note = list
                .complaint(DiagnosticCode::Already, span, message)
                .with_help(
                    "write `after:` in the variant.yaml of this layer, or take the change out",
                )
                .with_related(newer.place(newer.kind_span), newer.context());
            complaints.push(note.into_note());
        }
    }
}

/// Complains of two functions of lists that change the same, without an order between their layers: they may both add to a number, no more.
fn check_order(
    ruleset: &Ruleset,
    older: (usize, usize),
    newer: (usize, usize),
    complaints: &mut Complaints,
) {
    let of = |(list, index): (usize, usize)| {
        let list = &ruleset.cases[list];
        (list, &list.functions[index])
    };
    let ((a, f), (b, g)) = (of(older), of(newer));
    let is_ordered = a.layer == b.layer || ruleset.declared_before(&a.layer, &b.layer);
    if is_ordered || f.adds_only && g.adds_only {
        return;
    }
    let message = format!(
        "{} and {} both change this, and neither comes after the other",
        a.layer, b.layer
    );
    let help = format!(
        "write `after: [{}]` in the variant.yaml of {}, or the other way round",
        a.layer, b.layer
    );
    let complaint = b.complaint(DiagnosticCode::Conflict, g.name_span, message);
    complaints.push(
        complaint
            .with_help(help)
            .with_related(a.place(f.name_span), format!("the change of {}", a.layer)),
    );
}

/// The check `conflict` for answers that entries of lists change: of two layers without an order between them, each with each.
fn check_list_answers(ruleset: &Ruleset, slot: &Slot, complaints: &mut Complaints) {
    let listed = slot
        .answers
        .iter()
        .map(|answer| (answer.case, answer.function));
    let listed: Vec<_> = listed
        .filter(|(case, _)| ruleset.cases[*case].is_list())
        .collect();
    for (index, older) in listed.iter().enumerate().rev() {
        for newer in listed[..index].iter().rev() {
            check_order(ruleset, *older, *newer, complaints);
        }
    }
}

/// The check `conflict` for places in functions: two lists without an order between them may both add to a number, and no more.
fn check_places_changed_twice(ruleset: &Ruleset, case: &Case, complaints: &mut Complaints) {
    for function in &case.functions {
        for (index, newer) in function.placed.iter().enumerate() {
            for older in &function.placed[..index] {
                if (older.at, older.node) != (newer.at, newer.node) {
                    continue;
                }
                check_order(ruleset, older.by, newer.by, complaints);
            }
        }
    }
}

/// The check `kind`: whether the case exists in a lower layer as its kind requires.
fn check_kind(ruleset: &Ruleset, index: usize, case: &Case, complaints: &mut Complaints) {
    let base = case.layer == ruleset.layers[0].name;
    let rank = |name: &str| ruleset.layers.iter().position(|l| &*l.name == name);
    let below = ruleset.cases[..index]
        .iter()
        .find(|c| c.number == case.number && rank(&c.layer) < rank(&case.layer));
    let listed = ruleset.contents.contains_key(&case.number);
    let mut complain = |message: Message, help: &str| {
        let mut complaint = case
            .complaint(DiagnosticCode::Kind, case.kind_span, message)
            .with_help(help);
        if let Some(old) = below {
            complaint = complaint.with_related(
                old.file.place(old.kind_span),
                format!("case {} of {}", old.number, old.layer),
            );
        }
        complaints.push(complaint);
    };
    match case.kind {
        CaseKind::Rule if !base => complain(
            "only the printed game has a case of `kind: rule`".into(),
            "write `kind: new case` or another kind of amendment",
        ),
        CaseKind::Rule => {}
        _ if base => complain(
            format!("the printed game amends nothing: `{}`", case.kind.as_str()).into(),
            "write `kind: rule`",
        ),
        CaseKind::NewCase if below.is_some() => {
            complain(
                format!("the layers below have a case {} already", case.number).into(),
                "give the new case a number of its own, or write `kind: addition` or `revision` to amend the old one",
            );
        }
        CaseKind::NewCase => {}
        _ if below.is_none() && !listed => {
            let known_numbers = ruleset
                .contents
                .keys()
                .map(String::as_str)
                .chain(ruleset.cases[..index].iter().map(|c| c.number.as_str()));
            match find_other_variant(ruleset, |layer| {
                layer
                    .cases
                    .iter()
                    .any(|c| c.kind == CaseKind::NewCase && c.number == case.number)
            }) {
                Some(variant) => {
                    let message = format!(
                        "this file amends case {} of {variant}, which is not in force",
                        case.number
                    );
                    complain(
                        message.into(),
                        &format!(
                            "write `needs: [{variant}]` in the variant.yaml of {}",
                            case.layer
                        ),
                    );
                }
                None => {
                    let message = did_you_mean(
                        format!(
                            "this file amends case {}, which the layers below do not have",
                            case.number
                        ),
                        &case.number,
                        known_numbers.filter(|number| *number != case.number),
                    );
                    complain(message, "correct the number, or write `kind: new case`");
                }
            }
        }
        _ => check_correction(ruleset, case, complaints),
    }
}

/// The check `kind`: a correction or revision must answer a function of an older layer, since it would otherwise change nothing.
fn check_correction(ruleset: &Ruleset, case: &Case, complaints: &mut Complaints) {
    if !matches!(case.kind, CaseKind::Correction | CaseKind::Revision)
        || !case.replaces.is_empty()
        || case.reinstates.is_some()
    {
        return;
    }
    let answers: Vec<&CaseFunction> = case
        .functions
        .iter()
        .filter(|f| !f.private && !f.is_example())
        .collect();
    let older = |f: &&&CaseFunction| {
        ruleset
            .slot(&f.name, f.arity())
            .is_some_and(|slot| ruleset.slots[slot].answers.len() > 1)
    };
    let (Some(first_answer), None) = (answers.first(), answers.iter().find(older)) else {
        return;
    };
    let is_of_other_layer = |slot: &&Slot| {
        slot.answers
            .iter()
            .any(|answer| ruleset.cases[answer.case].layer != case.layer)
    };
    let arities: Vec<String> = ruleset
        .slots
        .iter()
        .filter(is_of_other_layer)
        .filter(|s| s.name == first_answer.name)
        .map(|s| s.arity.to_string())
        .collect();
    let new = format!(
        "this {} answers nothing that an older layer answers: `{}` is new",
        case.kind.as_str(),
        first_answer.name
    );
    let message = match arities.is_empty() {
        true => did_you_mean(
            new,
            &first_answer.name,
            ruleset
                .slots
                .iter()
                .filter(is_of_other_layer)
                .map(|slot| slot.name.as_str()),
        ),
        false => format!(
            "{new}; the older one takes {}, and this takes {}",
            arities.join(" or "),
            first_answer.arity()
        )
        .into(),
    };
    let help = "write the function as the older layer has it; or `kind: addition`, where something new is added beside it";
    complaints.push(
        case.complaint(DiagnosticCode::Kind, first_answer.name_span, message)
            .with_help(help),
    );
}

/// Returns the first variant of the game that is not in force and passes `has`.
pub fn find_other_variant(ruleset: &Ruleset, has: impl Fn(&Layer) -> bool) -> Option<String> {
    let library = &ruleset.library;
    let idle = library
        .variants_of(&ruleset.game.name)
        .into_iter()
        .filter(|name| !ruleset.layers.iter().any(|layer| *layer.name == **name));
    let mut matching = idle
        .map(|name| library.layer(&ruleset.game, Some(name), &mut Complaints::default()))
        .filter(|layer| has(layer));
    matching.next().map(|layer| layer.name.to_string())
}

/// The checks `prior` and `kind`: an addition calls the older answer, and an explanation gives no answer.
fn check_additions(ruleset: &Ruleset, slot: &Slot, complaints: &mut Complaints) {
    for (depth, answer) in slot.answers.iter().enumerate() {
        let (case, older) = (&ruleset.cases[answer.case], slot.answers.get(depth + 1));
        let function = &case.functions[answer.function];
        let (Some(older), None, None) = (older, answer.reinstated_by, answer.removed_by) else {
            continue;
        };
        let old = &ruleset.cases[older.case];
        let also = |complaint: Complaint| {
            let place = old.file.place(old.functions[older.function].name_span);
            complaint.with_related(place, format!("the answer of {}", old.layer))
        };
        if case.kind == CaseKind::Explanation {
            let message = format!("this explanation changes the answer of `{}`", function.name);
            let complaint = case
                .complaint(DiagnosticCode::Kind, function.name_span, message)
                .with_help(
                    "write another kind, such as `correction`: an explanation changes no answer",
                );
            complaints.push(also(complaint));
        } else if case.kind == CaseKind::Addition && !reaches_prior(case, answer.function) {
            // What can't be read may ask `prior()`: its own fault is said instead.
            if let Err(faults) = function_body(case, answer.function) {
                for fault in faults.0 {
                    if !complaints.0.contains(&fault) {
                        complaints.push(fault);
                    }
                }
                continue;
            }
            let message = format!(
                "this {} replaces the answer of `{}` without asking `prior()`",
                case.kind.as_str(),
                function.name
            );
            let help = "ask `prior()` for the older answer and build on it, or write `kind: correction` or `revision`";
            complaints.push(also(
                case.complaint(DiagnosticCode::Prior, function.name_span, message)
                    .with_help(help),
            ));
        }
    }
}

/// The check `conflict` for functions.
fn check_conflicts(ruleset: &Ruleset, slot: &Slot, complaints: &mut Complaints) {
    // A reinstated answer counts as old as the case that reinstated it, which takes account of what it amends.
    for (depth, pair) in slot
        .answers
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| pair.iter().all(|a| a.reinstated_by.is_none()))
    {
        let (newer, older) = (&ruleset.cases[pair[0].case], &ruleset.cases[pair[1].case]);
        // Two new cases that define the same name mean different things by it, in any order.
        let clash = [newer, older]
            .iter()
            .all(|case| case.kind == CaseKind::NewCase)
            && newer.number != older.number;
        let printed = slot
            .answers
            .iter()
            .any(|answer| ruleset.cases[answer.case].layer == ruleset.layers[0].name);
        let clash = clash && !printed && !reaches_prior(newer, pair[0].function);
        if newer.layer == older.layer
            || !clash && ruleset.declared_before(&older.layer, &newer.layer)
        {
            continue;
        }
        let (f, g) = (
            &newer.functions[pair[0].function],
            &older.functions[pair[1].function],
        );
        // Entries of lists are compared each with each.
        if newer.is_list() && older.is_list() {
            continue;
        }
        if normalized_code(newer, pair[0].function) == normalized_code(older, pair[1].function)
            || settling_layer(ruleset, slot, depth, &older.layer).is_some()
        {
            continue;
        }
        let place = older.file.place(g.name_span);
        if clash {
            let message = format!(
                "{} and {} both define `{}`, each in a new case of its own",
                older.layer, newer.layer, slot.name
            );
            let help = "give one of the two another name; or ask `prior()` where the newer builds on the older, or amend its case";
            complaints.push(
                newer
                    .complaint(DiagnosticCode::Conflict, f.name_span, message)
                    .with_help(help)
                    .with_related(place, older.context()),
            );
            continue;
        }
        let message = format!(
            "{} and {} both answer `{}`, and neither comes after the other",
            older.layer, newer.layer, slot.name
        );
        let help = format!(
            "write `after: [{}]` in the variant.yaml of {}, or the other way round",
            older.layer, newer.layer
        );
        complaints.push(
            newer
                .complaint(DiagnosticCode::Conflict, f.name_span, message)
                .with_help(help)
                .with_related(place, older.context()),
        );
    }
}

/// Returns the layer that settles a conflict of two answers: it comes after both, and gives an answer or reinstates one.
pub fn settling_layer<'a>(
    ruleset: &'a Ruleset,
    slot: &Slot,
    depth: usize,
    older: &str,
) -> Option<&'a str> {
    let newer = &ruleset.cases[slot.answers[depth].case].layer;
    slot.answers[..depth].iter().find_map(|answer| {
        let layer = &ruleset.cases[answer.deciding_case()].layer;
        let answers_anew = answer.deciding_case() != answer.case
            || !reaches_prior(&ruleset.cases[answer.case], answer.function);
        (answers_anew
            && ruleset.declared_before(older, layer)
            && ruleset.declared_before(newer, layer))
        .then_some(&**layer)
    })
}

/// Returns the code of a function without comments and spacing, with the helpers that it depends on.
pub fn normalized_code(case: &Case, function: usize) -> Vec<String> {
    let mut named: Vec<String> = reachable_functions(case, function)
        .into_iter()
        .map(|index| normalize(&case.functions[index].body))
        .collect();
    named[1..].sort();
    named
}
