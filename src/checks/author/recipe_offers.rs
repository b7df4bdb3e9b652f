//! Where a recipe fits in the rules of a game, and the conditions that can be set there: all taken from the code and the manifest.

use crate::author::case_form::{CaseForm, FormFunction};
use crate::author::infer::{FunctionTypes, function_types};
use crate::author::recipes::{
    RecipeKind, Throw, choice_condition, comparisons, question_in_words, throws,
};
use crate::author::shares::{SHARES, SHARES_OF_EACH};
use crate::author::wording::{in_words, summary_of};
use casebook_engine::code::throw_verb::ThrowVerb;
use casebook_engine::code::verbs::examples::EXPECT;
use casebook_engine::code::verbs::throw_name;
use casebook_engine::code::verbs::types::{ANY, FLAG, LIST, NUMBER, PIECE, TEXT, TypeSet};
use casebook_engine::data::library::Library;
use casebook_engine::data::places::AttributeType;
use casebook_engine::data::sheet::GIVEN;
use casebook_engine::data::track::Track;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::syntax::parse;
use casebook_engine::syntax::tree::{self, Call, Expression, Statement, TreeNode};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// A place in the rules where a recipe fits.
pub struct RecipeOffer {
    /// The number of the case.
    pub case: String,
    /// The title of the case.
    pub title: String,
    /// The field of the form.
    pub field: String,
    /// What would be changed, in words.
    pub words: String,
    /// What the function answers that it stands in.
    pub answer: String,
    /// The amounts that can be picked; empty for any number.
    pub amounts: &'static [(&'static str, &'static str)],
    /// The names of values that a condition can be about.
    scope: Vec<String>,
    /// The source of the function.
    source: String,
}

/// A condition that can be picked. `#` stands for a number that is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedCondition {
    /// What the condition is about.
    pub group: String,
    /// The condition in words.
    pub words: String,
    /// The condition as a script.
    pub script: String,
}

/// What stands for a typed number in a condition.
pub const TYPED_NUMBER: &str = "#";

/// What stands for the name of the option in the condition that a side chooses so.
pub const TYPED_OPTION: &str = "OPTION";

const ANSWERS: [(&str, &str); 2] = [("yes", "yes"), ("no", "no")];

/// The rules that recipes are offered for, with what is inferred of their functions.
pub struct RecipeOffers<'a> {
    library: &'a Library,
    ruleset: &'a Ruleset,
    types: BTreeMap<(String, usize), FunctionTypes>,
    thrown: BTreeSet<(String, String)>,
    /// The functions whose answer an example states as a list of numbers.
    numbers_stated: BTreeSet<String>,
    /// The types that parameters of a name are used as.
    names: BTreeMap<String, TypeSet>,
}

impl<'a> RecipeOffers<'a> {
    /// Looks a ruleset through.
    pub fn new(library: &'a Library, ruleset: &'a Ruleset) -> RecipeOffers<'a> {
        let types = function_types(library, ruleset);
        let mut names: BTreeMap<String, TypeSet> = BTreeMap::new();
        for case in &ruleset.cases {
            for (index, function) in case.functions.iter().enumerate() {
                let Some(known) = types.get(&(case.file.key.clone(), index)) else {
                    continue;
                };
                for (name, used) in function.params.iter().zip(&known.parameters) {
                    if *used != ANY {
                        *names.entry(name.clone()).or_default() |= used;
                    }
                }
            }
        }
        RecipeOffers {
            library,
            ruleset,
            types,
            thrown: thrown_names(ruleset),
            numbers_stated: numbers_stated(ruleset),
            names,
        }
    }

    /// Returns the places where a kind of recipe fits, in the order of the rules; `variant` is the one that keeps the change.
    pub fn places(&self, kind: RecipeKind, variant: &str) -> Vec<RecipeOffer> {
        let mut numbers: Vec<&str> = Vec::new();
        for case in &self.ruleset.cases {
            if !numbers.contains(&case.number.as_str()) {
                numbers.push(&case.number);
            }
        }
        let mut offers = Vec::new();
        for number in numbers {
            let Ok(form) = CaseForm::new(self.library, self.ruleset, variant, number) else {
                continue;
            };
            for function in &form.functions {
                offers.extend(self.offers_in(kind, (number, &form), function));
            }
        }
        offers
    }

    /// Returns the place that a field of the form of a case names.
    pub fn place(
        &self,
        kind: RecipeKind,
        variant: &str,
        (number, field): (&str, &str),
    ) -> Option<RecipeOffer> {
        let form = CaseForm::new(self.library, self.ruleset, variant, number).ok()?;
        let offers = form
            .functions
            .iter()
            .flat_map(|function| self.offers_in(kind, (number, &form), function));
        offers.into_iter().find(|offer| offer.field == field)
    }

    fn offers_in(
        &self,
        kind: RecipeKind,
        (number, form): (&str, &CaseForm),
        function: &FormFunction,
    ) -> Vec<RecipeOffer> {
        let source = &*function.function().body;
        let title = form.title();
        let offer = |index: usize, words: String, more_names: &[&str], amounts| {
            let params = function.function().params.iter().map(String::as_str);
            let mut scope: Vec<String> = Vec::new();
            for name in params.chain(more_names.iter().copied()) {
                if !scope.iter().any(|known| known == name) {
                    scope.push(name.into());
                }
            }
            RecipeOffer {
                case: number.into(),
                title: title.into(),
                field: kind.field(&function.key, index),
                words,
                answer: summary_of(function.function()),
                amounts,
                scope,
                source: source.into(),
            }
        };
        let summary = summary_of(function.function());
        let types = self
            .types
            .get(&(function.case.file.key.clone(), function.index));
        match kind {
            RecipeKind::Die if function.is_open => {
                let thrown = throws(source);
                let words = |throw: &Throw| {
                    format!("{} ({})", throw.purpose.unwrap_or(&summary), throw.dice)
                };
                let is_told_apart = |throw: &Throw| {
                    let same = |other: &&Throw| words(other) == words(throw);
                    thrown.iter().filter(same).count() == 1
                };
                let offered = |(index, throw): (usize, &Throw)| {
                    let words = match throw.variable.filter(|_| !is_told_apart(throw)) {
                        Some(variable) => {
                            format!("{}, the {}", words(throw), variable.replace('_', " "))
                        }
                        None => words(throw),
                    };
                    offer(index, words, &throw.names, &[][..])
                };
                thrown.iter().enumerate().map(offered).collect()
            }
            RecipeKind::Needs if function.is_open => comparisons(source)
                .into_iter()
                .enumerate()
                .filter(|(_, comparison)| {
                    self.thrown
                        .contains(&(function.key.clone(), comparison.name.to_string()))
                })
                .map(|(index, comparison)| {
                    let words = format!("{summary}: {}", comparison.in_words(source));
                    offer(index, words, &[], &[][..])
                })
                .collect(),
            RecipeKind::Share | RecipeKind::Adds
                if !function.function().private && !form.is_own(function) =>
            {
                let amounts: Option<&'static [_]> = match (kind, types) {
                    (RecipeKind::Share, Some(types)) if types.returns == NUMBER => Some(&SHARES),
                    (RecipeKind::Share, Some(types))
                        if types.returns == LIST
                            && (types.items == NUMBER
                                || self.numbers_stated.contains(&function.key)) =>
                    {
                        Some(&SHARES_OF_EACH)
                    }
                    (RecipeKind::Adds, Some(types)) if types.returns == NUMBER => Some(&[]),
                    (RecipeKind::Adds, Some(types)) if types.returns == FLAG => Some(&ANSWERS),
                    _ => None,
                };
                amounts
                    .map(|amounts| offer(0, summary, &[], amounts))
                    .into_iter()
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns whether values of a name are pieces.
    fn is_piece(&self, name: &str) -> bool {
        if name == GIVEN || self.ruleset.game.sheets.contains_key(name) {
            return false;
        }
        self.names
            .get(name)
            .is_some_and(|types| types & PIECE != 0 && types & LIST == 0)
    }

    /// Returns the conditions that can be set at a place.
    pub fn conditions(&self, offer: &RecipeOffer) -> Vec<OfferedCondition> {
        let game = &self.ruleset.game;
        let mut conditions = Vec::new();
        let mut add = |group: &str, words: String, script: String| {
            conditions.push(OfferedCondition {
                group: group.replace('_', " "),
                words,
                script,
            })
        };
        for who in self.sides_named(offer) {
            let words = in_words(&who);
            for side in &game.sides {
                add(
                    "side",
                    format!("{words} is {side}"),
                    format!("{who} == {}", json!(side)),
                );
            }
        }
        for name in &offer.scope {
            let types = self.names.get(name).copied().unwrap_or(ANY);
            for (question, words) in self.questions_about(name) {
                add(name, words, format!("{question}({name})"));
            }
            for word in compared_words(&offer.source, name) {
                let words = format!("{} is {word}", name.replace('_', " "));
                add(name, words, format!("{name} == {}", json!(word)));
            }
            if types & NUMBER != 0 && types & (PIECE | LIST | TEXT) == 0 {
                for (sign, words) in [(">=", "is at least"), ("<=", "is at most")] {
                    let words = format!("{} {words} …", name.replace('_', " "));
                    add(name, words, format!("{name} {sign} {TYPED_NUMBER}"));
                }
            }
            if !self.is_piece(name) {
                continue;
            }
            // What is called by a kind is of that kind.
            let kinds = game.kinds.iter().filter(|_| !game.kinds.contains_key(name));
            for (kind, about) in kinds {
                let title = about.title.trim_start_matches("the ");
                let words = format!("{} is of the {title}", name.replace('_', " "));
                add(name, words, format!("is_a({name}, {})", json!(kind)));
            }
            for (attribute, about) in &game.attributes {
                let words = format!("{} {}", name, attribute).replace('_', " ");
                match about {
                    AttributeType::Number(..) => {
                        for (sign, is) in [(">=", "is at least"), ("<=", "is at most")] {
                            add(
                                name,
                                format!("{words} {is} …"),
                                format!("{name}.{attribute} {sign} {TYPED_NUMBER}"),
                            );
                        }
                    }
                    AttributeType::Word(listed, _) => {
                        for word in listed {
                            add(
                                name,
                                format!("{words} is {word}"),
                                format!("{name}.{attribute} == {}", json!(word)),
                            );
                        }
                    }
                    AttributeType::Flag => add(name, words, format!("{name}.{attribute}")),
                    _ => {}
                }
            }
        }
        for name in &offer.scope {
            self.places_of(offer, name)
                .into_iter()
                .for_each(|(words, script)| add(name, words, script));
        }
        for (track, about) in &game.tracks {
            let said = track.replace('-', " ");
            let asked = format!("track({})", json!(track));
            if let Track::Names(boxes) = about {
                for name in boxes {
                    add(
                        "tracks",
                        format!("{said} is {name}"),
                        format!("{asked} == {}", json!(name)),
                    );
                }
            }
            for (question, answers) in self.words_asked_about(track) {
                for answer in &answers {
                    let words = format!("the {} is {answer}", question.replace('_', " "));
                    add(
                        "tracks",
                        words,
                        format!("{question}({asked}) == {}", json!(answer)),
                    );
                }
            }
            if let Track::Numbers { .. } = about {
                for (sign, words) in [(">=", "is at least"), ("<=", "is at most")] {
                    add(
                        "tracks",
                        format!("the {said} {words} …"),
                        format!("{asked} {sign} {TYPED_NUMBER}"),
                    );
                }
            }
        }
        conditions
    }

    /// Returns the conditions about the place where a piece of a name stands, or that the name says, with their scripts.
    fn places_of(&self, offer: &RecipeOffer, name: &str) -> Vec<(String, String)> {
        let said = name.replace('_', " ");
        let (place, words) = if self.is_piece(name) {
            (format!("place({name}.at)"), format!("{said} stands where"))
        } else if offer.source.contains(&format!("place({name})")) {
            (format!("place({name})"), said)
        } else {
            return Vec::new();
        };
        let mut conditions = Vec::new();
        for (attribute, about) in &self.ruleset.game.places.attributes {
            let asked = format!("{place}.{attribute}");
            let words = format!("{words} {}", attribute.replace('_', " "));
            match about {
                AttributeType::Word(listed, _) => conditions.extend(listed.iter().map(|word| {
                    (
                        format!("{words} is {word}"),
                        format!("{asked} == {}", json!(word)),
                    )
                })),
                AttributeType::Flag => conditions.push((words, asked)),
                _ => {}
            }
        }
        conditions
    }

    /// Returns the questions of the rules that are asked of a track and answered by one of a few words, with these words.
    fn words_asked_about(&self, track: &str) -> BTreeMap<String, Vec<String>> {
        let mut questions = BTreeMap::new();
        for case in &self.ruleset.cases {
            for (index, function) in case.functions.iter().enumerate() {
                let is_asked =
                    !function.private && function.is_answer() && function.params == [track];
                let known = self.types.get(&(case.file.key.clone(), index));
                let words = known.map_or(&[][..], |types| &types.texts);
                if is_asked && words.len() > 1 {
                    questions.insert(function.name.clone(), words.to_vec());
                }
            }
        }
        questions
    }

    /// Returns the conditions that a side chooses so, one for each side that can be named at a place. [`TYPED_OPTION`] stands for the name
    /// of the new option.
    pub fn choices(&self, offer: &RecipeOffer) -> Vec<OfferedCondition> {
        let named = self.sides_named(offer);
        let fixed = self
            .ruleset
            .game
            .sides
            .iter()
            .map(|side| json!(side).to_string());
        let choice = |who: String| OfferedCondition {
            group: "a side chooses".into(),
            words: format!("{} chooses", in_words(&who)),
            script: choice_condition(&who, TYPED_OPTION),
        };
        let mut all = named;
        all.extend(fixed);
        all.into_iter().map(choice).collect()
    }

    /// Returns the scripts that say a side at a place: a value of that name, the side of a piece, and what the rules ask for a side.
    fn sides_named(&self, offer: &RecipeOffer) -> Vec<String> {
        let mut named = Vec::new();
        for name in &offer.scope {
            if name == "side" {
                named.push(name.clone());
            } else if self.is_piece(name) {
                named.push(format!("{name}.side"));
            } else {
                named.extend(self.sides_asked_of(name));
            }
        }
        named
    }

    /// Returns the paths from a name to a side that the rules have somewhere, such as `battle.attack.side`.
    fn sides_asked_of(&self, name: &str) -> BTreeSet<String> {
        let (start, end) = (format!("{name}."), ".side");
        let mut paths = BTreeSet::new();
        let bodies = self.ruleset.cases.iter().flat_map(|case| &case.functions);
        for body in bodies.map(|function| &*function.body) {
            for (at, _) in body.match_indices(&start) {
                let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let path = body[at..]
                    .split(|c: char| !is_part(c) && c != '.')
                    .next()
                    .unwrap_or_default();
                let is_whole = !body[..at].ends_with(|c: char| is_part(c) || c == '.');
                if is_whole && path.ends_with(end) && !body[at + path.len()..].starts_with('(') {
                    paths.insert(path.to_string());
                }
            }
        }
        paths
    }

    /// Returns the questions of the rules with one parameter of a name that are answered yes or no, each with its words.
    fn questions_about(&self, name: &str) -> Vec<(String, String)> {
        let mut questions: BTreeMap<String, String> = BTreeMap::new();
        for case in &self.ruleset.cases {
            for (index, function) in case.functions.iter().enumerate() {
                let is_asked =
                    !function.private && function.is_answer() && function.params == [name];
                let answers = || self.types.get(&(case.file.key.clone(), index));
                if is_asked
                    && answers().is_some_and(|types| types.returns == FLAG)
                    && let Some(words) = question_in_words(&function.name, self.ruleset)
                {
                    questions.insert(function.name.clone(), words);
                }
            }
        }
        questions.into_iter().collect()
    }
}

fn compared_words(source: &str, name: &str) -> Vec<String> {
    let tokens = crate::testing::mutation_steps::tokens(source);
    let mut words: Vec<String> = Vec::new();
    for three in tokens.windows(3) {
        let [left, sign, right] = three else { continue };
        let word = right
            .text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        let word = word.filter(|_| left.text == name && sign.text == "==");
        words.extend(
            word.filter(|word| !words.iter().any(|known| known == word))
                .map(String::from),
        );
    }
    words
}

/// Returns the functions whose answer an example states as a list of numbers: `expect(shares([4, 2], 5), [4, 1])`.
fn numbers_stated(ruleset: &Ruleset) -> BTreeSet<String> {
    let mut stated = BTreeSet::new();
    for case in &ruleset.cases {
        let examples =
            (0..case.functions.len()).filter(|index| case.functions[*index].is_example());
        for body in examples.filter_map(|index| parse::function_body(case, index).ok()) {
            tree::walk(&body, &mut |node| {
                if let TreeNode::Expression(Expression::Call(call)) = node
                    && &*call.name == EXPECT
                    && let [Expression::Call(asked), Expression::List(items, _)] = &call.args[..]
                    && !items.is_empty()
                    && items
                        .iter()
                        .all(|item| matches!(item, Expression::Number(..)))
                {
                    stated.insert(format!("{}.{}", asked.name, asked.args.len()));
                }
                true
            });
        }
    }
    stated
}

/// The rounds in which thrown values are followed into the functions that they are handed to.
const MAX_ROUNDS: usize = 4;

/// Returns the names that hold thrown dice, each with its function: variables that a throw is put in, and the parameters that such a value,
/// or a sum with it, is handed to.
fn thrown_names(ruleset: &Ruleset) -> BTreeSet<(String, String)> {
    let functions = || {
        ruleset.cases.iter().flat_map(|case| {
            let key = |index: usize| {
                format!(
                    "{}.{}",
                    case.functions[index].name,
                    case.functions[index].arity()
                )
            };
            (0..case.functions.len()).map(move |index| (case, index, key(index)))
        })
    };
    let mut parameters: BTreeMap<String, Vec<&[String]>> = BTreeMap::new();
    for (case, index, key) in functions() {
        parameters
            .entry(key)
            .or_default()
            .push(&case.functions[index].params);
    }
    let mut thrown: BTreeSet<(String, String)> = BTreeSet::new();
    for _ in 0..MAX_ROUNDS {
        let before = thrown.len();
        for (case, index, key) in functions() {
            let Ok(body) = parse::function_body(case, index) else {
                continue;
            };
            tree::walk(&body, &mut |node| {
                if let TreeNode::Statement(Statement::Let { name, value, .. }) = node
                    && is_throw(value)
                {
                    thrown.insert((key.clone(), name.to_string()));
                }
                if let TreeNode::Expression(Expression::Call(call)) = node
                    && !call.is_operator
                {
                    for (place, argument) in call.args.iter().enumerate() {
                        if !is_thrown(argument, &key, &thrown) {
                            continue;
                        }
                        let callee = format!("{}.{}", call.name, call.args.len());
                        for names in parameters.get(&callee).into_iter().flatten() {
                            thrown.extend(
                                names.get(place).map(|name| (callee.clone(), name.clone())),
                            );
                        }
                    }
                }
                true
            });
        }
        if thrown.len() == before {
            break;
        }
    }
    thrown
}

fn is_throw(value: &Expression) -> bool {
    matches!(value, Expression::Call(call) if !call.is_operator && &*call.name == throw_name(ThrowVerb::Roll))
}

/// Returns whether a value is thrown: a throw, a name that holds one, or a sum with such a value.
fn is_thrown(value: &Expression, function: &str, thrown: &BTreeSet<(String, String)>) -> bool {
    let is_sum = |call: &Call| call.is_operator && matches!(&*call.name, "+" | "-");
    match value {
        Expression::Variable(name, _) => thrown.contains(&(function.to_string(), name.to_string())),
        Expression::Call(call) if is_sum(call) => call
            .args
            .iter()
            .any(|part| is_thrown(part, function, thrown)),
        value => is_throw(value),
    }
}
