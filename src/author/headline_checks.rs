//! Checks that headlines, groups and units name outcomes that a procedure can come to, that questions of the map name what it is given, and
//! that functions read what it is given.

use crate::author::procedure_summary::{ProcedureSummary, summarize};
use crate::code::program::Program;
use crate::complaint::{Complaint, Complaints, DiagnosticCode, Place, Span, did_you_mean};
use crate::data::answer_rules::matches_pattern;
use crate::data::case::Case;
use crate::ruleset::compose::Ruleset;
use crate::ruling::headline::{ENEMY, HeadlineFigure, arguments_in};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The summaries made so far: each reads all that a procedure may call.
struct Summaries<'r> {
    program: &'r Program,
    known: BTreeMap<String, ProcedureSummary>,
}

impl Summaries<'_> {
    fn summary(&mut self, procedure: &str) -> &ProcedureSummary {
        self.known.entry(procedure.into()).or_insert_with(|| summarize(self.program, procedure))
    }
}

/// Checks the headlines of those cases that `wanted` selects, and with `groups` what the manifest of the printed game groups and gives units.
pub fn check_headlines(program: &Program, wanted: &dyn Fn(&Case) -> bool, groups: bool, all: &mut Complaints) {
    let ruleset = &program.ruleset;
    let mut summaries = Summaries { program, known: BTreeMap::new() };
    for case in ruleset.cases.iter().filter(|case| !case.headline.is_empty() && wanted(case)) {
        if case.procedures.is_empty() {
            let what = "a headline is of the outcomes of a procedure, and this case has a part in none";
            let help = "write `procedure:`, or put the headline on the card of the case that carries the procedure out";
            all.push(case.complaint(DiagnosticCode::UnknownName, case.headline_span, what).with_help(help));
            continue;
        }
        for name in &case.procedures {
            summaries.summary(name);
        }
        let of_case: Vec<&ProcedureSummary> = case.procedures.iter().filter_map(|name| summaries.known.get(name)).collect();
        let texts = case.headline.iter().flat_map(|(caption, figures)| [caption].into_iter().chain(figures));
        for name in texts.flat_map(|text| arguments_in(text)) {
            let known: BTreeSet<String> = case.procedures.iter().flat_map(|procedure| ruleset.given(procedure).into_keys()).collect();
            if !known.contains(name) {
                let what = format!("{} is not given `{name}`", case.procedures.join(" or "));
                let what = did_you_mean(what, name, known.iter().map(String::as_str));
                let help = "write a key of the situation's `given:` in the braces";
                all.push(case.complaint(DiagnosticCode::UnknownName, case.headline_span, what).with_help(help));
            }
        }
        let outcomes: BTreeSet<&String> = of_case.iter().flat_map(|summary| &summary.outcomes).collect();
        for figure in case.headline.iter().flat_map(|(_, figures)| figures) {
            let name = HeadlineFigure::parse(figure).outcome;
            if arguments_in(&name).next().is_none() && !is_outcome(&name, &outcomes) {
                let what = format!("`{name}` is no outcome of {}", case.procedures.join(" or "));
                let what = did_you_mean(what, &name, outcomes.iter().map(|known| known.as_str()));
                let help = format!("see `casebook show \"procedure {}\"`, which lists the outcomes", case.procedures[0]);
                all.push(case.complaint(DiagnosticCode::UnknownName, case.headline_span, what).with_help(help));
            }
        }
    }
    for case in ruleset.cases.iter().filter(|case| !case.good_for.is_empty() && wanted(case)) {
        check_beneficiaries(case, &mut summaries, all);
    }
    if groups {
        check_groups(&mut summaries, all);
        check_map_questions(ruleset, all);
    }
}

/// Checks that `good_for:` of a card names outcomes of its procedures, and sides or what these are given.
fn check_beneficiaries(case: &Case, summaries: &mut Summaries, all: &mut Complaints) {
    let ruleset = &summaries.program.ruleset;
    let procedures = case.procedures.join(" or ");
    if case.procedures.is_empty() {
        let what = "`good_for:` is of the outcomes of a procedure, and this case has a part in none";
        let help = "write `procedure:`, or put it on the card of the case that carries the procedure out";
        all.push(case.complaint(DiagnosticCode::UnknownName, case.good_for_span, what).with_help(help));
        return;
    }
    let outcomes: BTreeSet<String> = case.procedures.iter().flat_map(|name| summaries.summary(name).outcomes.clone()).collect();
    let given: BTreeSet<String> = case.procedures.iter().flat_map(|procedure| ruleset.given(procedure).into_keys()).collect();
    let sides = &ruleset.game.sides;
    for (outcome, whom) in &case.good_for {
        if !is_outcome(outcome, &outcomes.iter().collect()) {
            let what = did_you_mean(format!("`{outcome}` is no outcome of {procedures}"), outcome, outcomes.iter().map(String::as_str));
            let help = format!("see `casebook show \"procedure {}\"`, which lists the outcomes", case.procedures[0]);
            all.push(case.complaint(DiagnosticCode::UnknownName, case.good_for_span, what).with_help(help));
        }
        for name in whom.iter().map(|whom| whom.strip_prefix(ENEMY).unwrap_or(whom).trim()) {
            let tracks = || ruleset.game.tracks.keys();
            if !given.contains(name) && !sides.iter().chain(tracks()).any(|known| known == name) {
                let known = sides.iter().chain(&given).chain(tracks()).map(String::as_str);
                let what = did_you_mean(format!("`{name}` is no side, no track, and nothing that {procedures} is given"), name, known);
                let help = "name a side, a key of the situation's `given:`, a track that names a side, or `enemy of` one of them";
                all.push(case.complaint(DiagnosticCode::UnknownName, case.good_for_span, what).with_help(help));
            }
        }
    }
}

/// Checks the members of `groups:` and the keys of `units:` in the manifest of the printed game.
fn check_groups(summaries: &mut Summaries, all: &mut Complaints) {
    let ruleset = &summaries.program.ruleset;
    let game = &ruleset.game;
    let known: BTreeSet<&str> = game.kinds.keys().map(String::as_str).chain(game.groups()).collect();
    let members = game.outcome_sections.iter().flat_map(|(_, members)| members).filter(|name| !known.contains(name.as_str()));
    let mut unknown: Vec<&String> = members.chain(game.outcome_units.keys()).collect();
    // Most stand in a headline, so the summaries that are there come first, and others are made only for what is not found.
    let mut outcomes: BTreeSet<String> = BTreeSet::new();
    let others = game.procedures.iter().map(|(name, _)| name).filter(|name| !summaries.known.contains_key(*name));
    let procedures: Vec<String> = summaries.known.keys().chain(others).cloned().collect();
    for name in procedures {
        if unknown.is_empty() {
            return;
        }
        let more = &summaries.summary(&name).outcomes;
        let is_met = |name: &str| more.iter().any(|outcome| matches_pattern(name, outcome));
        unknown.retain(|name| !is_outcome(name, &more.iter().collect()) && !is_met(name));
        outcomes.extend(more.iter().cloned());
    }
    let key = format!("rules/{}/game.yaml", game.name);
    let Some(file) = ruleset.library.files.by_key.get(&key) else { return };
    for name in unknown {
        let place = Place::from_text(&file.path, &file.text, span_of_entry(&file.text, name, &["groups:", "units:"]));
        let what = format!("`{name}` is no outcome of a procedure, and no kind or group of pieces");
        let what = did_you_mean(what, name, outcomes.iter().map(|name| name.as_str()).chain(known.iter().copied()));
        all.push(Complaint::new(DiagnosticCode::UnknownName, place, what).with_help("name an outcome, a kind or a group, or take it out"));
    }
}

/// Checks that what a question of the map hands its procedure stands under `given:` of the case that carries it out.
fn check_map_questions(ruleset: &Ruleset, all: &mut Complaints) {
    let Some(file) = ruleset.library.files.by_key.get(&format!("rules/{}/game.yaml", ruleset.game.name)) else { return };
    for question in &ruleset.game.map_questions {
        let given = ruleset.given(&question.procedure);
        for name in question.piece_param.iter().chain(&question.place_param).filter(|name| !given.contains_key(*name)) {
            let place = Place::from_text(&file.path, &file.text, span_of_entry(&file.text, name, &["board:"]));
            let what = did_you_mean(format!("`{}` is not given `{name}`", question.procedure), name, given.keys().map(String::as_str));
            let help = "name what the card of the case that carries it out lists under `given:`";
            all.push(Complaint::new(DiagnosticCode::UnknownName, place, what).with_help(help));
        }
    }
}

/// Checks that some function names each thing that the cards of the cases that `wanted` selects say a procedure is given.
pub fn check_given_is_read(ruleset: &Ruleset, wanted: &dyn Fn(&Case) -> bool, all: &mut Complaints) {
    let declaring: Vec<&Arc<Case>> = ruleset.cases.iter().filter(|case| !case.given.is_empty() && wanted(case)).collect();
    if declaring.is_empty() {
        return;
    }
    let functions = ruleset.cases.iter().flat_map(|case| &case.functions).filter(|function| !function.is_example());
    let code = functions.flat_map(|function| function.body.lines()).map(|line| line.split("//").next().unwrap_or_default());
    let words: FxHashSet<&str> = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
    for case in declaring {
        for name in
            case.given.iter().flat_map(|(name, field)| field.parts.keys().chain([name])).filter(|name| !words.contains(name.as_str()))
        {
            let key = format!("{name}:");
            let line = case.file.text.lines().position(|line| line.trim_start_matches(['/', '!', ' ', '{']).starts_with(&key)).unwrap_or(0);
            let column = case.file.text.lines().nth(line).and_then(|text| text.find(&key)).unwrap_or(0) + 1;
            let span = Span { line: line + 1, column, length: name.chars().count() };
            let what = format!("no function reads `{name}`, which {} is given", case.procedures.join(" or "));
            let help = "write `given.NAME` where a function needs it, or take it out of the card and of the situations";
            all.push(case.complaint(DiagnosticCode::Given, span, what).with_help(help));
        }
    }
}

/// Returns where a name first stands below one of some keys of a manifest.
fn span_of_entry(text: &str, name: &str, keys: &[&str]) -> Span {
    let mut inside = false;
    for (line, number) in text.lines().zip(1..) {
        if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            inside = keys.iter().any(|key| line.starts_with(key));
        }
        if let Some(at) = line.find(name).filter(|_| inside) {
            return Span { line: number, column: line[..at].chars().count() + 1, length: name.chars().count() };
        }
    }
    Span { line: 1, column: 1, length: 1 }
}

/// Returns whether a name is one of some outcomes, in which angle brackets mark a part that varies.
fn is_outcome(name: &str, outcomes: &BTreeSet<&String>) -> bool {
    outcomes.iter().any(|known| *known == name) || outcomes.iter().any(|pattern| fits(name, pattern))
}

/// Returns whether a name fits a pattern of an outcome. A pattern without a word of its own would fit everything, so it fits nothing.
fn fits(name: &str, pattern: &str) -> bool {
    let mut literals = Vec::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('<') {
        literals.push(before);
        rest = after.split_once('>').map_or("", |(_, after)| after);
    }
    literals.push(rest);
    if literals.len() < 2 || !literals.iter().any(|text| text.chars().filter(|c| c.is_alphabetic()).count() > 2) {
        return false;
    }
    let Some(mut left) = name.strip_prefix(literals[0]) else { return false };
    for literal in &literals[1..literals.len() - 1] {
        match left.find(literal) {
            Some(at) => left = &left[at + literal.len()..],
            None => return false,
        }
    }
    left.len() > literals[literals.len() - 1].len() && left.ends_with(literals[literals.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_patterns_with_words_of_their_own() {
        assert!(fits("battle 2: retreat", "<label>: retreat"));
        assert!(fits("siege of A4501", "siege of <hex>"));
        assert!(!fits("retreet", "<unit>"), "a pattern that fits everything says nothing");
        assert!(!fits("siege of ", "siege of <hex>"));
        assert!(!fits("retreat", "retreat"), "a plain name is no pattern");
    }
}
