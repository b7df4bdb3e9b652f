//! Applies the list of changes of a layer to the cases below it, while a ruleset is composed.
//!
//! An entry becomes a function of a case of the list's own. Of an answer as a whole it is one more answer, which asks `prior()`. A place
//! inside a function hands its value to a private function of the list. So what is corrected below stays corrected, and the list is cited as
//! any case is.

use crate::complaint::{Complaint, Complaints, DiagnosticCode, Message, Place, Span, did_you_mean};
use crate::data::case::{Case, CaseFunction, PlacedChange, PlacedNode};
use crate::data::change::{
    ANSWER, AnswerPart, Change, ChangeAddress, ChangeOperation, ScriptPlace, ScriptText,
};
use crate::data::library::Layer;
use crate::data::variant::Variant;
use crate::ruleset::composition::{Composition, LayerAnswer};
use crate::ruleset::script_sites::{ScriptSite, plain_expression, sites_of, sites_that_fit};
use crate::syntax::answer_kind::{AnswerKind, answer_kind};
use crate::syntax::calls::{FACES, reachable_functions};
use crate::syntax::grammar;
use crate::syntax::parse;
use crate::syntax::tree::{self, Expression, TreeNode};
use rhai::ParseErrorType;
use std::sync::Arc;

/// The variable that holds an answer of which a part changes.
const WHOLE: &str = "whole_answer";

/// Whether an entry of a list in a file is in force.
pub type EntryFilter<'a> = &'a dyn Fn(&Change, &str) -> bool;

/// Applies the entries of a layer that `is_on` holds in force.
pub fn apply_changes(
    composition: &mut Composition,
    layer: &Layer,
    is_on: EntryFilter,
    layers: &[Arc<Layer>],
    absent: &[Option<Arc<Layer>>],
    complaints: &mut Complaints,
) {
    let Some(variant) = &layer.variant else {
        return;
    };
    let mut list = ChangeList {
        composition,
        layer,
        variant,
        layers,
        absent,
        is_elsewhere: false,
        complaints,
    };
    for change in variant
        .changes
        .iter()
        .filter(|change| is_on(change, &variant.file.key))
    {
        list.apply(change);
    }
}

/// The list of a layer while it is applied.
struct ChangeList<'a> {
    composition: &'a mut Composition,
    layer: &'a Layer,
    variant: &'a Variant,
    /// All layers in force.
    layers: &'a [Arc<Layer>],
    /// The variants that it comes after and that are not in force: what is missing may be theirs.
    absent: &'a [Option<Arc<Layer>>],
    /// Whether one of these may have what the entry changes that is applied.
    is_elsewhere: bool,
    complaints: &'a mut Complaints,
}

/// Whether one of some layers, which are not in force, may have what an entry changes; `None` is a layer that there is not.
pub fn may_have(absent: &[Option<Arc<Layer>>], address: &ChangeAddress) -> bool {
    let has_case = |layer: &Layer, number: &str| {
        let listed = layer.variant.iter().flat_map(|variant| &variant.changes);
        let mut listed = listed.filter(|change| change.case_number() == Some(number));
        layer.cases.iter().any(|case| case.number == number) || listed.next().is_some()
    };
    let may_have = |layer: &Arc<Layer>| match address {
        ChangeAddress::Cells(table) => layer.tables.contains_key(table),
        ChangeAddress::Values(list) => layer.scenarios.contains_key(list),
        ChangeAddress::Case(number)
        | ChangeAddress::Script {
            case: Some(number), ..
        } => has_case(layer, number),
        ChangeAddress::Script { case: None, .. } => !layer.cases.is_empty(),
        ChangeAddress::Option(name) => name.split('.').next() == Some(&*layer.name),
        ChangeAddress::Reading(name) => {
            let number = name.rsplit_once('.').map_or("", |(number, _)| number);
            has_case(layer, number)
        }
    };
    absent
        .iter()
        .any(|layer| layer.as_ref().is_none_or(may_have))
}

impl ChangeList<'_> {
    fn apply(&mut self, change: &Change) {
        self.is_elsewhere = may_have(self.absent, &change.address);
        match &change.address {
            // These act before it is known which cases are in force.
            ChangeAddress::Option(_) | ChangeAddress::Reading(_) => {}
            // These act when the table is asked for.
            ChangeAddress::Cells(table) => self.check_cells(change, table),
            ChangeAddress::Values(list) => self.check_list(change, list),
            ChangeAddress::Case(number) => self.strike(change, number),
            ChangeAddress::Script {
                case: Some(case),
                function,
                place: ScriptPlace::Answer(name, part),
            } => {
                self.change_answer(
                    change,
                    (case, function.as_deref().unwrap_or(name)),
                    part.as_ref(),
                );
            }
            ChangeAddress::Script {
                case,
                function,
                place,
            } => {
                self.change_place(change, (case.as_deref(), function.as_deref()), place);
            }
        }
    }

    /// Creates a complaint about an entry.
    fn complaint(
        &self,
        code: DiagnosticCode,
        span: Span,
        message: impl Into<Message>,
        help: &str,
    ) -> Complaint {
        let file = &self.variant.file;
        Complaint::new(code, file.place(span), message)
            .with_context(format!("changes of {}", self.layer.name))
            .with_help(help)
    }

    fn complain(
        &mut self,
        code: DiagnosticCode,
        span: Span,
        message: impl Into<Message>,
        help: &str,
    ) {
        if code == DiagnosticCode::UnknownName && self.is_elsewhere {
            return;
        }
        let complaint = self.complaint(code, span, message, help);
        self.complaints.push(complaint);
    }

    /// Returns the case that an entry makes for a case of a number; made if there is none.
    fn case_of(&mut self, change: &Change, number: &str) -> usize {
        let is_it = |case: &Arc<Case>| {
            case.list_entry == Some(change.number)
                && case.layer == self.layer.name
                && case.number == number
        };
        let cases = &mut self.composition.cases;
        if let Some(existing) = cases.iter().rposition(is_it) {
            return existing;
        }
        let entry = &self.variant.root.items_of("changes")[change.number - 1];
        let (layer, file) = (&self.layer.name, &self.variant.file);
        let title = &self.variant.title;
        let case = Case::of_list(number, title, layer, file, change.number, entry);
        cases.push(Arc::new(case));
        cases.len() - 1
    }

    /// Adds a function to a case of the list.
    fn add_function(
        &mut self,
        change: &Change,
        case: usize,
        mut function: CaseFunction,
    ) -> LayerAnswer {
        function.adds_only = change.is_addition();
        let functions = &mut Arc::make_mut(&mut self.composition.cases[case]).functions;
        functions.push(function);
        let answer = LayerAnswer {
            case,
            function: functions.len() - 1,
            reinstated_by: None,
            removed_by: None,
        };
        self.check_function(change, answer);
        answer
    }

    /// Complains of cells of a table that no layer has, and of a condition, which a chart knows nothing of.
    fn check_cells(&mut self, change: &Change, table: &str) {
        if let Some(when) = &change.when {
            let message = "cells are the same under all conditions";
            let help = "let the look-up move under a condition: `table:` with `columns:` or `rows:`, without labels";
            return self.complain(DiagnosticCode::Kind, when.span, message, help);
        }
        let tables = self.layers.iter().flat_map(|layer| layer.tables.keys());
        if let Some(message) = self.not_in_force(&format!("table {table}"), table, tables) {
            let help = "name a table of the game, or of a variant that this one comes after";
            self.complain(DiagnosticCode::UnknownName, change.span, message, help);
        }
    }

    /// Complains of a situation, roster or deployment that no layer has.
    fn check_list(&mut self, change: &Change, list: &str) {
        let lists = self.layers.iter().flat_map(|layer| layer.scenarios.keys());
        if let Some(message) = self.not_in_force(&format!("situation or list {list}"), list, lists)
        {
            let help = "name a situation, roster or deployment of the game, or of a variant that this one comes after";
            self.complain(DiagnosticCode::UnknownName, change.span, message, help);
        }
    }

    /// Says that no layer below has a name; `None` if one has.
    fn not_in_force<'n>(
        &self,
        subject: &str,
        name: &str,
        names: impl Iterator<Item = &'n String> + Clone,
    ) -> Option<Message> {
        let message = format!("no {subject} is in force below {}", self.layer.name);
        let is_known = names.clone().any(|in_force| in_force == name);
        (!is_known).then(|| did_you_mean(message, name, names.map(String::as_str)))
    }

    /// Strikes a case out: its answers are nothing, where that is plain.
    fn strike(&mut self, change: &Change, number: &str) {
        let composition = &self.composition;
        let newest = |slot: usize| composition.newest_script(slot).map(|answer| (slot, answer));
        let answers: Vec<(usize, LayerAnswer)> = (0..composition.slots.len())
            .filter_map(newest)
            .filter(|(_, answer)| composition.cases[answer.case].number == number)
            .collect();
        if answers.is_empty() {
            return self.complain_of_case(change, number);
        }
        for (slot, answer) in answers {
            let case = &self.composition.cases[answer.case];
            let body = parse::function_body(case, answer.function);
            let nothing = match body.ok().and_then(|body| answer_kind(&body)) {
                Some(AnswerKind::Number) => "0",
                Some(AnswerKind::YesNo) => "false",
                Some(AnswerKind::List) => "[]",
                None => {
                    let function = &self.composition.slots[slot].name;
                    let message = format!(
                        "case {number} can't be struck out as a whole: nothing says what `{function}` answers without it"
                    );
                    return self.complain(
                        DiagnosticCode::Kind,
                        change.span,
                        message,
                        "change what it answers, as `answer: ..., now: ...`",
                    );
                }
            };
            let script = format!("let {WHOLE} = prior();\n{WHOLE} = {nothing};\n{WHOLE}");
            self.add_answer(change, (number, slot), &script);
        }
    }

    fn complain_of_case(&mut self, change: &Change, number: &str) {
        let numbers = self
            .composition
            .cases
            .iter()
            .map(|case| case.number.as_str());
        let message = did_you_mean(
            format!("no case {number} is in force below {}", self.layer.name),
            number,
            numbers,
        );
        self.complain(
            DiagnosticCode::UnknownName,
            change.span,
            message,
            "name a case of the game, or of a variant that this one comes after",
        );
    }

    /// Changes what a function of a case answers.
    fn change_answer(
        &mut self,
        change: &Change,
        (number, function): (&str, &str),
        part: Option<&AnswerPart>,
    ) {
        let (name, arity) = split_arity(function);
        let composition = &self.composition;
        let is_answered = |slot: &usize| {
            let mut answers = composition.slots[*slot].answers.iter();
            answers.any(|answer| composition.cases[answer.case].number == number)
        };
        let named: Vec<usize> = (0..composition.slots.len())
            .filter(|slot| {
                let slot = &composition.slots[*slot];
                slot.name == name && arity.is_none_or(|arity| slot.arity == arity)
            })
            .filter(is_answered)
            .collect();
        let [slot] = named[..] else {
            if !named.is_empty() {
                let message =
                    format!("case {number} answers `{name}` with different numbers of parameters");
                return self.complain(
                    DiagnosticCode::UnknownName,
                    change.span,
                    message,
                    "add `function:` with the number, as `function: name/2`",
                );
            }
            if !composition.cases.iter().any(|case| case.number == number) {
                return self.complain_of_case(change, number);
            }
            let slots = 0..composition.slots.len();
            let answered: Vec<&str> = slots
                .filter(is_answered)
                .map(|slot| composition.slots[slot].name.as_str())
                .collect();
            let help = format!("it answers {}", answered.join(", "));
            let message = did_you_mean(
                format!("case {number} does not answer `{name}`"),
                name,
                answered,
            );
            return self.complain(DiagnosticCode::UnknownName, change.span, message, &help);
        };
        let Some(answer) = self.composition.newest_script(slot) else {
            return;
        };
        let mut names = self.composition.function_of(answer).params.clone();
        names.push(ANSWER.into());
        let Some(used) = self.check_scripts(change, &names) else {
            return;
        };
        if let (None, None, [ChangeOperation::Now(script)]) =
            (part, &change.when, &change.operations[..])
            && !used.iter().any(|name| name == ANSWER)
        {
            // What it was is not asked.
            return self.add_answer(change, (number, slot), &format!("({}\n)", script.text));
        }
        let does = statements_of(change);
        let statement = match part {
            None => format!("let {ANSWER} = {WHOLE}; {does} {WHOLE} = {ANSWER};"),
            Some(AnswerPart::Key(key)) => {
                format!("let {ANSWER} = {WHOLE}.{key}; {does} {WHOLE}.{key} = {ANSWER};")
            }
            Some(AnswerPart::Item(item)) => {
                format!("let {ANSWER} = {WHOLE}[{item}]; {does} {WHOLE}[{item}] = {ANSWER};")
            }
            Some(AnswerPart::Each) => format!(
                "for (item, index) in {WHOLE} {{ let {ANSWER} = item; {does} {WHOLE}[index] = {ANSWER}; }}"
            ),
        };
        let script = format!("let {WHOLE} = prior();\n{{ {statement} }}\n{WHOLE}");
        self.add_answer(change, (number, slot), &script);
    }

    /// Answers a function anew by a script.
    fn add_answer(&mut self, change: &Change, (number, slot): (&str, usize), body: &str) {
        let Some(older) = self.composition.newest_script(slot) else {
            return;
        };
        let base = self.composition.function_of(older);
        let (name, params) = (base.name.clone(), base.params.clone());
        let script = format!("fn {name}({}) {{\n{body}\n}}\n", params.join(", "));
        let case = self.case_of(change, number);
        let function = CaseFunction::of_list(&name, &params, false, script, change.span);
        let answer = self.add_function(change, case, function);
        self.composition.slots[slot].answers.insert(0, answer);
    }

    /// Complains of an entry whose function can't be parsed.
    fn check_function(&mut self, change: &Change, answer: LayerAnswer) {
        let body = parse::function_body(&self.composition.cases[answer.case], answer.function);
        if body.is_err() {
            let message = "this change does not make a script";
            self.complain(
                DiagnosticCode::Script,
                change.span,
                message,
                "write expressions of scripts, without statements: `casebook guide` shows some",
            );
        }
    }

    /// Checks the scripts of an entry against the variables that they may use, and returns those that they do use.
    fn check_scripts(&mut self, change: &Change, names: &[String]) -> Option<Vec<String>> {
        let in_operations = change
            .operations
            .iter()
            .filter_map(|operation| match operation {
                ChangeOperation::Now(script) | ChangeOperation::Offer(script) => Some(script),
                _ => None,
            });
        let mut used: Vec<String> = Vec::new();
        for script in change.when.iter().chain(in_operations) {
            match grammar::parse_expression(&script.text, names.iter().map(String::as_str)) {
                Ok(parsed) => tree::walk(&parsed.to_tree(), &mut |node| {
                    if let TreeNode::Expression(Expression::Variable(name, _)) = node
                        && !used.iter().any(|earlier| **earlier == **name)
                    {
                        used.push(name.to_string());
                    }
                    true
                }),
                Err((kind, _)) => {
                    self.complain_of_script(script, &kind, names);
                    return None;
                }
            }
        }
        used.retain(|name| names.contains(name));
        Some(used)
    }

    fn complain_of_script(&mut self, script: &ScriptText, kind: &ParseErrorType, names: &[String]) {
        let variable_names = || names.iter().map(String::as_str);
        let (message, help) = match kind {
            ParseErrorType::VariableUndefined(name) => {
                let message = did_you_mean(
                    format!("nothing is called `{name}` where this applies"),
                    name,
                    variable_names(),
                );
                (
                    message,
                    format!(
                        "known there are {}; a text stands in quotes",
                        names.join(", ")
                    ),
                )
            }
            kind => (
                format!("this is not an expression of scripts: {kind}").into(),
                "see https://rhai.rs/book for the language".into(),
            ),
        };
        self.complain(DiagnosticCode::Script, script.span, message, &help);
    }

    /// Changes a place inside the functions of a case, or of all cases.
    fn change_place(
        &mut self,
        change: &Change,
        (number, function): (Option<&str>, Option<&str>),
        place: &ScriptPlace,
    ) {
        let (mut sites, mut all_sites) = (Vec::new(), Vec::new());
        // Where the newest answers have no such place, those that they ask may.
        for depth in 0..self.composition.max_depth() {
            for (case, index) in self.functions_of(number, function, depth) {
                let case_sites = sites_of(&self.composition.cases[case], (case, index));
                sites.extend(sites_that_fit(
                    &self.composition.cases[case],
                    &case_sites,
                    place,
                ));
                all_sites.extend(case_sites);
            }
            if !sites.is_empty() {
                break;
            }
        }
        if all_sites.is_empty()
            && let Some(number) = number
            && !self
                .composition
                .cases
                .iter()
                .any(|case| case.number == number)
        {
            return self.complain_of_case(change, number);
        }
        if sites.is_empty() {
            return self.complain_of_place(change, place, &all_sites);
        }
        let fitting = sites.clone();
        sites.retain(|site| self.was_fits(change, site));
        if sites.is_empty() {
            return self.complain_of_was(change, &fitting[0]);
        }
        // Equal expressions written twice are one place.
        if sites.len() > 1 && !change.is_of_all && !matches!(place, ScriptPlace::Number(_, Some(_)))
        {
            return self.complain_of_several(change, &sites);
        }
        for (index, site) in sites.iter().enumerate() {
            self.place_at(change, place, (index, site));
        }
    }

    /// Returns the functions of cases that are searched: answers of a depth below the newest, with the helpers that they reach.
    fn functions_of(
        &self,
        number: Option<&str>,
        function: Option<&str>,
        depth: usize,
    ) -> Vec<(usize, usize)> {
        let composition = &self.composition;
        let named = function.map(split_arity);
        let mut found = Vec::new();
        for slot in 0..composition.slots.len() {
            let Some(answer) = composition.script_answers(slot).nth(depth) else {
                continue;
            };
            let case = &composition.cases[answer.case];
            if number.is_some_and(|number| case.number != number) {
                continue;
            }
            for index in reachable_functions(case, answer.function) {
                let function = &case.functions[index];
                let is_named = named.is_none_or(|(name, arity)| {
                    function.name == name && arity.is_none_or(|arity| function.arity() == arity)
                });
                if is_named && !found.contains(&(answer.case, index)) {
                    found.push((answer.case, index));
                }
            }
        }
        found
    }

    fn place_of(&self, site: &ScriptSite) -> Place {
        let case = &self.composition.cases[site.function.0];
        case.place(parse::word_span(site.at, case))
    }

    fn was_fits(&self, change: &Change, site: &ScriptSite) -> bool {
        change.was.is_empty()
            || change.was.iter().any(|was| {
                site.dice.as_deref() == Some(&was.text)
                    || plain_expression(&was.text)
                        .is_some_and(|was| site.plain.as_ref() == Some(&was))
            })
    }

    fn complain_of_was(&mut self, change: &Change, site: &ScriptSite) {
        let was: Vec<&str> = change.was.iter().map(|was| was.text.as_str()).collect();
        let message = format!("this was not {} below", was.join(" or "));
        let complaint = self
            .complaint(
                DiagnosticCode::WasNow,
                change.was[0].span,
                message,
                "write `was:` as it is now below, or take it away",
            )
            .with_related(self.place_of(site), "the place below");
        self.complaints.push(complaint);
    }

    fn complain_of_several(&mut self, change: &Change, sites: &[ScriptSite]) {
        let message = format!("this fits {} places", sites.len());
        let help = "say which with `function:`, or `all: true` for all of them";
        let mut complaint = self.complaint(DiagnosticCode::Conflict, change.span, message, help);
        for site in sites.iter().take(4) {
            complaint = complaint.with_related(self.place_of(site), "one of them");
        }
        self.complaints.push(complaint);
    }

    /// Complains of a place that is not there, with those of its kind that are.
    fn complain_of_place(&mut self, change: &Change, place: &ScriptPlace, sites: &[ScriptSite]) {
        let (message, name) = match place {
            ScriptPlace::Throw(purpose) => (
                format!("nothing is thrown for `{purpose}` here"),
                purpose.clone(),
            ),
            ScriptPlace::LookUp(table) => (
                format!("table {table} is not looked up here"),
                table.clone(),
            ),
            ScriptPlace::Number(number, None) => {
                (format!("no number {number} stands here"), String::new())
            }
            ScriptPlace::Number(number, Some(within)) => (
                format!("no number {number} stands in `{}` here", within.text),
                String::new(),
            ),
            ScriptPlace::Let(name) => (
                format!("no variable `{name}` is declared here"),
                name.clone(),
            ),
            ScriptPlace::Choice(question) => (
                format!("nobody is asked `{question}` here"),
                question.clone(),
            ),
            ScriptPlace::Answer(name, _) => {
                (format!("nothing answers `{name}` here"), name.clone())
            }
        };
        let names = || {
            sites
                .iter()
                .filter(|site| site.is_kind_of(place))
                .map(|site| site.name.as_str())
        };
        let mut site_names: Vec<&str> = names().collect();
        site_names.sort_unstable();
        site_names.dedup();
        let help = match site_names.is_empty() {
            true => "name a place that the case has: `casebook show` prints it".to_string(),
            false => format!("there are {}", site_names.join(", ")),
        };
        self.complain(
            DiagnosticCode::UnknownName,
            change.span,
            did_you_mean(message, &name, names()),
            &help,
        );
    }

    /// Hands the value of a place to functions of the list.
    fn place_at(
        &mut self,
        change: &Change,
        place: &ScriptPlace,
        (index, site): (usize, &ScriptSite),
    ) {
        let mut names = site.scope.clone();
        names.push(ANSWER.into());
        // A variable of the script goes before the faces of the throw.
        let has_faces = site.total_of.is_some() && !names.iter().any(|name| name == FACES);
        names.extend(has_faces.then(|| FACES.to_string()));
        let Some(mut args) = self.check_scripts(change, &names) else {
            return;
        };
        args.retain(|name| name != ANSWER);
        let thrown = site
            .total_of
            .filter(|_| has_faces && args.iter().any(|name| name == FACES));
        let has_dice = |operation: &ChangeOperation| matches!(operation, ChangeOperation::Dice(_));
        if thrown.is_some() && change.operations.iter().any(has_dice) {
            let message = "which dice are thrown is settled before they show a face";
            let help = "change the dice under another condition, or their total under this one";
            return self.complain(DiagnosticCode::Kind, change.span, message, help);
        }
        let number = self.composition.cases[site.function.0].number.clone();
        let case = self.case_of(change, &number);
        let mut params = vec![ANSWER.to_string()];
        params.extend(args.iter().cloned());
        for (part, (node, does)) in placed_scripts(change, place, site).into_iter().enumerate() {
            let name = format!("change_{}_{index}_{part}", change.number);
            let script = format!(
                "fn {name}({}) {{\n{does}\n{ANSWER}\n}}\n",
                params.join(", ")
            );
            let function = CaseFunction::of_list(&name, &params, true, script, change.span);
            let answer = self.add_function(change, case, function);
            // Where a variable holds a throw they are one place, so that changes of either act in the order of the list.
            let of_throw = site
                .total_of
                .filter(|_| thrown.is_some() || node == PlacedNode::Let);
            let (at, node) = of_throw.map_or((site.at, node), |(at, _)| (at, PlacedNode::Call));
            let placed = PlacedChange {
                at,
                node,
                by: (answer.case, answer.function),
                args: args.clone(),
                asks_faces: thrown.is_some(),
            };
            let changed = Arc::make_mut(&mut self.composition.cases[site.function.0]);
            changed.functions[site.function.1].placed.push(placed);
        }
    }
}

/// Splits `name/2` into a name and a number of parameters.
fn split_arity(function: &str) -> (&str, Option<usize>) {
    match function.split_once('/') {
        Some((name, arity)) => (name, arity.parse().ok()),
        None => (function, None),
    }
}

/// Returns the statements of an entry on the variable [`ANSWER`], under its condition.
fn statements_of(change: &Change) -> String {
    under_condition(
        change,
        change.operations.iter().filter_map(statement).collect(),
    )
}

fn under_condition(change: &Change, statements: Vec<String>) -> String {
    let statements = statements.join(" ");
    match &change.when {
        // A comment at the end of the condition ends with its line.
        Some(when) => format!("if ({}\n) {{ {statements} }}", when.text),
        None => statements,
    }
}

/// Returns what an operation does to [`ANSWER`].
fn statement(operation: &ChangeOperation) -> Option<String> {
    let value = match operation {
        ChangeOperation::Add(number) => format!("{ANSWER} + {number}"),
        ChangeOperation::Share {
            times,
            by,
            is_up: true,
        } => format!("share_up({ANSWER}, {times}, {by})"),
        ChangeOperation::Share { times, by, .. } => format!("share_down({ANSWER}, {times}, {by})"),
        ChangeOperation::AtMost(number) => format!("min({ANSWER}, {number})"),
        ChangeOperation::AtLeast(number) => format!("max({ANSWER}, {number})"),
        ChangeOperation::Now(script) => format!("({}\n)", script.text),
        ChangeOperation::Offer(script) => {
            return Some(format!("{ANSWER}.push({}\n);", script.text));
        }
        ChangeOperation::Dice(dice) => format!("{dice:?}"),
        ChangeOperation::Move(_) | ChangeOperation::Set(_) => return None,
    };
    Some(format!("{ANSWER} = {value};"))
}

/// Returns the scripts that a place hands its values to, each with the part of the place.
fn placed_scripts(
    change: &Change,
    place: &ScriptPlace,
    site: &ScriptSite,
) -> Vec<(PlacedNode, String)> {
    match place {
        ScriptPlace::Number(..) => vec![(PlacedNode::Number, statements_of(change))],
        ScriptPlace::Let(_) => vec![(PlacedNode::Let, statements_of(change))],
        ScriptPlace::Choice(_) => vec![(PlacedNode::Argument(2), statements_of(change))],
        ScriptPlace::LookUp(table) => moves(change, table, site.argument_count),
        ScriptPlace::Throw(_) => throw_scripts(change),
        ScriptPlace::Answer(..) => Vec::new(),
    }
}

/// Returns how the keys of a look-up move: by axis, from the last argument back.
fn moves(change: &Change, table: &str, argument_count: usize) -> Vec<(PlacedNode, String)> {
    let axes = ["sheets", "columns", "rows"];
    let mut moves = Vec::new();
    for operation in &change.operations {
        let ChangeOperation::Move(by) = operation else {
            continue;
        };
        for (axis, by) in axes.iter().zip(by).rev().filter(|(_, by)| **by != 0) {
            let from_end = axes
                .iter()
                .rev()
                .position(|axis_name| axis_name == axis)
                .unwrap_or_default();
            // A chart without this axis is looked up by fewer keys.
            if let Some(argument) = argument_count
                .checked_sub(from_end + 1)
                .filter(|argument| *argument > 0)
            {
                let label = format!("{ANSWER} = label({table:?}, {axis:?}, {ANSWER}, {by});");
                moves.push((
                    PlacedNode::Argument(argument),
                    under_condition(change, vec![label]),
                ));
            }
        }
    }
    moves
}

/// Returns what becomes of a throw: other dice, or another number, of which the ruling says what was thrown.
fn throw_scripts(change: &Change) -> Vec<(PlacedNode, String)> {
    let is_dice = |operation: &&ChangeOperation| matches!(operation, ChangeOperation::Dice(_));
    let dice: Vec<String> = change
        .operations
        .iter()
        .filter(is_dice)
        .filter_map(statement)
        .collect();
    let counts: Vec<String> = change
        .operations
        .iter()
        .filter(|operation| !is_dice(operation))
        .filter_map(statement)
        .collect();
    let mut scripts = Vec::new();
    if !dice.is_empty() {
        scripts.push((PlacedNode::Argument(0), under_condition(change, dice)));
    }
    if !counts.is_empty() {
        let counts = under_condition(change, counts);
        let line = format!(
            "if thrown != {ANSWER} {{ say(\"The {{}} thrown counts as {{}}.\", [thrown, {ANSWER}]); }}"
        );
        scripts.push((
            PlacedNode::Call,
            format!("let thrown = {ANSWER};\n{counts}\n{line}"),
        ));
    }
    scripts
}
