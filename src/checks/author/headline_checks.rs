//! Checks that headlines, groups and units name possible outcomes of procedures, that questions of the map name what it is given, and
//! that functions read what it is given.

use crate::author::asked_questions::may_match;
use crate::author::procedure_summary::{ProcedureSummary, summarize};
use casebook_analysis::compare::view::RulesetView;
use casebook_analysis::odds::headline::EntryValues;
use casebook_analysis::odds::measure::Measure;
use casebook_analysis::usecase::compare::headline_of_view;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::{
    Complaints, Defect, DiagnosticCode, Error, did_you_mean, nearest_names,
};
use casebook_engine::data::case::Case;
use casebook_engine::data::files::DataFile;
use casebook_engine::data::format::card::{CARD, VARIANT};
use casebook_engine::data::format::game::GAME;
use casebook_engine::data::format::{FieldType, FileFormat};
use casebook_engine::data::manifest::{ASKED_SIDE, OTHER_SIDE};
use casebook_engine::data::reference_kind::ReferenceKind;
use casebook_engine::data::yaml::YamlReader;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruling::headline::{
    ENEMY, HeadlineFigure, arguments_in, headline_case, headline_of,
};
use casebook_engine::ruling::situation::Situation;
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The summaries made so far: each reads all that a procedure may call.
struct Summaries<'r> {
    program: &'r Program,
    computed: BTreeMap<String, ProcedureSummary>,
}

impl Summaries<'_> {
    fn summary(&mut self, procedure: &str) -> &ProcedureSummary {
        self.computed
            .entry(procedure.into())
            .or_insert_with(|| summarize(self.program, procedure))
    }
}

/// Checks the headlines of the cases that `is_checked` selects; of a whole ruleset also the names of outcomes in manifests.
pub fn check_headlines(
    program: &Program,
    is_checked: &dyn Fn(&Case) -> bool,
    is_whole: bool,
    complaints: &mut Complaints,
) {
    let ruleset = &program.ruleset;
    let mut summaries = Summaries {
        program,
        computed: BTreeMap::new(),
    };
    for case in ruleset
        .cases
        .iter()
        .filter(|case| !(case.headline.is_empty() && case.good_for.is_empty()) && is_checked(case))
    {
        check_card(case, &mut summaries, complaints);
    }
    if !is_whole {
        return;
    }
    check_manifests(&mut summaries, complaints);
    if ruleset.layers.len() == 1 {
        check_map_questions(ruleset, complaints);
    }
}

/// Checks the headline of a situation's procedure where an outcome of it was not among those named: the procedure may have no such outcome.
pub fn check_headline_of(
    situation: &Situation,
    is_named: impl Fn(&str) -> bool,
) -> Result<(), Error> {
    let mut complaints = Complaints::default();
    let headline = headline_of(situation);
    let mut figures = headline.iter().flat_map(|entry| &entry.figures);
    if let Some(stating) = headline_case(situation)
        && figures.any(|figure| !is_named(&figure.outcome))
    {
        let is_checked = |case: &Case| std::ptr::eq(case, &**stating);
        check_headlines(&situation.program, &is_checked, false, &mut complaints);
    }
    match complaints.has_errors() {
        true => Err(Error::Data(complaints)),
        false => Ok(()),
    }
}

/// Returns the headlines of counted rulesets, once the outcomes that they name are checked.
pub fn headlines_of(views: &[RulesetView]) -> Result<Vec<Vec<EntryValues>>, Error> {
    let headline = |view: &RulesetView| {
        check_headline_of(&view.situation, |name| {
            view.odds.distribution(name).is_some()
        })?;
        Ok(headline_of_view(view))
    };
    views.iter().map(headline).collect()
}

/// Checks what a card names of its procedures: their outcomes, what they are given, and for whom more of an outcome is good.
fn check_card(case: &Case, summaries: &mut Summaries, complaints: &mut Complaints) {
    let mut reader = YamlReader::for_file(&case.file);
    reader.context = case.context();
    let Some(card) = reader.parse_file() else {
        return;
    };
    let outcomes: BTreeSet<String> = case
        .procedures
        .iter()
        .flat_map(|name| summaries.summary(name).outcomes.clone())
        .collect();
    let ruleset = &summaries.program.ruleset;
    let given: BTreeSet<String> = case
        .procedures
        .iter()
        .flat_map(|procedure| ruleset.given(procedure).into_keys())
        .collect();
    let procedures = case.procedures.join(" or ");
    let unknown_outcome = |name: &str| {
        (!is_outcome(name, &outcomes)).then(|| {
            let message = format!("`{name}` is not an outcome of {procedures}");
            let help = format!(
                "see `casebook show \"procedure {}\"`, which lists the outcomes",
                case.procedures[0]
            );
            Defect::unknown_name(
                did_you_mean(message, name, outcomes.iter().map(String::as_str)),
                help,
            )
        })
    };
    let unknown_given = |text: &str| {
        let name = arguments_in(text).find(|name| !given.contains(*name))?;
        let message = format!("{procedures} is not given `{name}`");
        let message = did_you_mean(message, name, given.iter().map(String::as_str));
        Some(Defect::unknown_name(
            message,
            ReferenceKind::Caption.remedy(),
        ))
    };
    let unknown_beneficiary = |whom: &str| {
        let name = whom.strip_prefix(ENEMY).unwrap_or(whom).trim();
        let (sides, tracks) = (&ruleset.game.sides, ruleset.game.tracks.keys());
        let names = sides.iter().chain(&given).chain(tracks);
        (!names.clone().any(|names| names == name)).then(|| {
            let message =
                format!("`{name}` is not a side, a track or anything that {procedures} is given");
            let message = did_you_mean(message, name, names.map(String::as_str));
            Defect::unknown_name(message, ReferenceKind::Beneficiary.remedy())
        })
    };
    let unknown = |kind: ReferenceKind, text: &str| match kind {
        ReferenceKind::Caption => unknown_given(text),
        ReferenceKind::OutcomeFigure if arguments_in(text).next().is_some() => unknown_given(text),
        ReferenceKind::OutcomeFigure => unknown_outcome(&HeadlineFigure::parse(text).outcome),
        ReferenceKind::Outcome => unknown_outcome(text),
        ReferenceKind::Beneficiary => unknown_beneficiary(text),
        _ => None,
    };
    if case.procedures.is_empty() {
        let parts = [
            ("headline", "a headline", "the headline"),
            ("good_for", "`good_for:`", "it"),
        ];
        for (key, part, it) in parts {
            for (entry, _) in card.entries_of(key).iter().take(1) {
                let message = format!(
                    "{part} is of the outcomes of a procedure, and this case has a part in none"
                );
                let help = format!(
                    "write `procedure:`, or put {it} on the card of the case that carries the procedure out"
                );
                reader.complain(DiagnosticCode::UnknownName, entry.span, message, help);
            }
        }
    } else {
        reader.check_names(&card, FieldType::Object(&CARD), &unknown);
    }
    complaints.0.append(&mut reader.complaints.0);
}

/// Checks the names of outcomes in the manifest of the printed game, or else in those of the variants in force.
fn check_manifests(summaries: &mut Summaries, complaints: &mut Complaints) {
    let ruleset = summaries.program.ruleset.clone();
    let variants = ruleset
        .variants()
        .filter_map(|layer| layer.variant.as_ref());
    let variants: Vec<(&DataFile, &FileFormat)> =
        variants.map(|variant| (&variant.file, &VARIANT)).collect();
    let printed = ruleset
        .library
        .manifest(&ruleset.game.name)
        .map(|file| (file, &GAME));
    let manifests = match variants.is_empty() {
        true => printed.into_iter().collect(),
        false => variants,
    };
    for (file, format) in manifests {
        let mut reader = YamlReader::for_file(file);
        let Some(root) = reader.parse_file() else {
            continue;
        };
        let named = RefCell::new(BTreeSet::new());
        let collect = |kind, text: &str| {
            named
                .borrow_mut()
                .extend(outcomes_in(kind, text).unwrap_or_default());
            None
        };
        reader.check_names(&root, FieldType::Object(format), &collect);
        let (unknown, outcomes) = unknown_outcomes(summaries, named.into_inner());
        let complain = |kind: ReferenceKind, text: &str| {
            let names = match outcomes_in(kind, text) {
                Ok(names) => names,
                Err(fault) => return Some(Defect::unknown_name(fault, kind.remedy())),
            };
            let name = names.iter().find(|name| unknown.contains(*name))?;
            let is_group =
                |group: &str| matches!(kind, ReferenceKind::OutcomeOrGroup) && group == name;
            if ruleset.game.groups().any(is_group) {
                return None;
            }
            let message = format!("`{name}` is not a {}", kind.noun());
            let message = did_you_mean(message, name, outcomes.iter().map(String::as_str));
            Some(Defect::unknown_name(message, kind.remedy()))
        };
        reader.check_names(&root, FieldType::Object(format), &complain);
        complaints.0.append(&mut reader.complaints.0);
    }
}

/// Returns the outcomes that a text of a manifest names, with `*` for what varies; none where it names something else.
fn outcomes_in(kind: ReferenceKind, text: &str) -> Result<Vec<String>, String> {
    match kind {
        ReferenceKind::Outcome | ReferenceKind::OutcomeOrGroup => Ok(vec![text.into()]),
        ReferenceKind::OutcomeSum => {
            let text = text.replace(ASKED_SIDE, "*").replace(OTHER_SIDE, "*");
            let sum = Measure::parse(&text).map_err(|error| error.to_string())?;
            Ok(sum
                .terms()
                .iter()
                .map(|(_, name)| name.to_string())
                .collect())
        }
        _ => Ok(Vec::new()),
    }
}

/// Returns those of some names that no procedure has as an outcome, and the outcomes that were looked through.
fn unknown_outcomes(
    summaries: &mut Summaries,
    mut names: BTreeSet<String>,
) -> (BTreeSet<String>, BTreeSet<String>) {
    // Most names are in a headline, so the present summaries are searched first, and others are made only for the rest.
    let mut outcomes: BTreeSet<String> = BTreeSet::new();
    let computed: Vec<String> = summaries.computed.keys().cloned().collect();
    let game = summaries.program.ruleset.game.clone();
    let further = game.procedures.iter().map(|(name, _)| name);
    let further = further.filter(|name| !computed.contains(name));
    for procedure in computed.iter().chain(further) {
        if names.is_empty() {
            break;
        }
        let of_procedure = &summaries.summary(procedure).outcomes;
        names.retain(|name| !is_outcome(name, of_procedure));
        outcomes.extend(of_procedure.iter().cloned());
    }
    // An outcome with a name that is made up as it runs may be any; what is nearly one of the others is misspelt.
    if outcomes.iter().any(|outcome| is_made_up(outcome)) {
        names.retain(|name| !nearest_names(name, outcomes.iter().map(String::as_str)).is_empty());
    }
    (names, outcomes)
}

/// Checks that the arguments that a question of the map passes to its procedure are declared under `given:` of the case that carries it
/// out.
fn check_map_questions(ruleset: &Ruleset, complaints: &mut Complaints) {
    let Some(file) = ruleset.library.manifest(&ruleset.game.name) else {
        return;
    };
    let mut reader = YamlReader::for_file(file);
    let root = reader.parse_file();
    for (_, question) in root.iter().flat_map(|root| root.entries_of("board")) {
        let procedure = question.text_of("procedure");
        let given = ruleset.given(procedure);
        for name in ["piece", "place"]
            .iter()
            .filter_map(|key| question.get(key))
        {
            let text = name.text_or_empty();
            if !given.contains_key(text) {
                let message = format!("`{procedure}` is not given `{text}`");
                let message = did_you_mean(message, text, given.keys().map(String::as_str));
                let help =
                    "name what the card of the case that carries it out lists under `given:`";
                reader.complain(DiagnosticCode::UnknownName, name.span, message, help);
            }
        }
    }
    complaints.0.append(&mut reader.complaints.0);
}

/// Checks that some function reads each name that is declared under `given:` on the cards that `is_checked` selects.
pub fn check_given_is_read(
    ruleset: &Ruleset,
    is_checked: &dyn Fn(&Case) -> bool,
    complaints: &mut Complaints,
) {
    let declaring: Vec<&Arc<Case>> = ruleset
        .cases
        .iter()
        .filter(|case| !case.given.is_empty() && is_checked(case))
        .collect();
    if declaring.is_empty() {
        return;
    }
    let functions = ruleset
        .cases
        .iter()
        .flat_map(|case| &case.functions)
        .filter(|function| !function.is_example());
    let code = functions
        .flat_map(|function| function.body.lines())
        .map(|line| line.split("//").next().unwrap_or_default());
    let words: FxHashSet<&str> = code
        .flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .collect();
    for case in declaring {
        let card = YamlReader::for_file(&case.file).parse_file();
        let given = card.iter().flat_map(|card| card.entries_of("given"));
        let names = given.flat_map(|(name, field)| {
            let parts = field.entries_of("each").iter().map(|(part, _)| part);
            parts.chain([name])
        });
        for name in names.filter(|name| !words.contains(name.text_or_empty())) {
            let message = format!(
                "no function reads `{}`, which {} is given",
                name.text_or_empty(),
                case.procedures.join(" or ")
            );
            let help = "write `given.NAME` where a function needs it, or take it out of the card and of the situations";
            complaints.push(
                case.complaint(DiagnosticCode::Given, name.span, message)
                    .with_help(help),
            );
        }
    }
}

/// Returns whether a name is one of some outcomes, in which angle brackets mark a part that varies; `*` marks one in the name.
fn is_outcome(name: &str, outcomes: &BTreeSet<String>) -> bool {
    let fits = |outcome: &String| !is_made_up(outcome) && may_match(name, &pattern_of(outcome));
    outcomes.contains(name) || outcomes.iter().any(fits)
}

/// Returns an outcome with `*` for the parts that vary.
fn pattern_of(outcome: &str) -> String {
    let mut parts = outcome.split('<');
    let head = parts.next().unwrap_or_default().to_string();
    parts.fold(head, |pattern, part| {
        let behind = part.split_once('>').map_or("", |(_, behind)| behind);
        format!("{pattern}*{behind}")
    })
}

/// Returns whether an outcome has no word of its own: as a pattern it would fit everything.
fn is_made_up(outcome: &str) -> bool {
    let pattern = pattern_of(outcome);
    let has_word = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count() > 2;
    pattern.contains('*') && !pattern.split('*').any(has_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_patterns_with_words_of_their_own() {
        let is_one = |name: &str, outcome: &str| is_outcome(name, &[outcome.to_string()].into());
        assert!(is_one("battle 2: retreat", "<label>: retreat"));
        assert!(is_one("siege of A4501", "siege of <hex>"));
        assert!(is_one("* losses", "<side> losses"));
        assert!(
            !is_one("retreet", "<unit>"),
            "a pattern that fits everything says nothing"
        );
        assert!(!is_one("retreet", "retreat"));
    }
}
