//! Recipes of new rules: a die modified, another roll needed, another share, another answer; each always, under a condition, or where a
//! side chooses so. A recipe is a field of the form of a case, and makes the function of a variant that carries it out.

use crate::author::blanks::{BlankKind, SourceEdits, blanks};
use crate::author::shares::Share;
use crate::author::throw_use::is_looked_up;
use crate::author::wording::{in_words, summary_of};
use crate::testing::mutation_steps::{Token, tokens};
use casebook_engine::code::throw_verb::ThrowVerb;
use casebook_engine::code::verbs::arithmetic::BOUNDING;
use casebook_engine::code::verbs::throw_name;
use casebook_engine::complaint::Error;
use casebook_engine::data::case::CaseFunction;
use casebook_engine::notation::Dice;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::syntax::parse::parse_expression;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecipeKind {
    /// A throw is read higher or lower: `die:FUNCTION:THROW = +1`.
    Die,
    /// What a thrown die is compared with is higher or lower: `needs:FUNCTION:COMPARISON = -1`.
    Needs,
    /// A share of an answer: `share:FUNCTION = 1/2 rounded up`; of a list of numbers `1/2 of each`.
    Share,
    /// An answer that is more or less, yes or no: `adds:FUNCTION = +1`.
    Adds,
}

/// The word before the condition of a recipe.
const WHEN: &str = " when ";
/// What a side is offered beside the new option.
const AS_PRINTED: &str = "as printed";

/// A recipe as a form has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe<'t> {
    pub kind: RecipeKind,
    /// The throw or comparison in the function, from 0.
    pub index: usize,
    /// How much.
    pub amount: &'t str,
    /// When it holds, as a script; always, if there is none.
    pub condition: Option<&'t str>,
    /// Of a throw: whether it stays within what the dice can show. It has to where the number is looked up.
    pub is_capped: bool,
}

impl RecipeKind {
    pub const ALL: [RecipeKind; 4] = [
        RecipeKind::Die,
        RecipeKind::Needs,
        RecipeKind::Share,
        RecipeKind::Adds,
    ];

    /// Returns the name of its field.
    pub fn key(self) -> &'static str {
        match self {
            RecipeKind::Die => "die",
            RecipeKind::Needs => "needs",
            RecipeKind::Share => "share",
            RecipeKind::Adds => "adds",
        }
    }

    /// Returns whether it changes the source of a function in place. The others build on its answer.
    pub fn is_inside(self) -> bool {
        matches!(self, RecipeKind::Die | RecipeKind::Needs)
    }

    /// Returns the field of a form for a function, and for a throw or comparison in it.
    pub fn field(self, function: &str, index: usize) -> String {
        if self.is_inside() {
            format!("{}:{function}:{index}", self.key())
        } else {
            format!("{}:{function}", self.key())
        }
    }
}

/// Returns the script of the condition that a side chooses so, by an expression that says which side.
pub fn choice_condition(who: &str, option: &str) -> String {
    format!("choose({who}, \"{option}\", [\"{option}\", \"{AS_PRINTED}\"]) == \"{option}\"")
}

/// Returns the first choice that a condition asks for, as it is taken: "who takes an option whenever it is offered".
pub fn option_taken(condition: &str) -> Option<String> {
    let (who, rest) = condition.split_once("choose(")?.1.split_once(", \"")?;
    let option = rest.split_once('"')?.0;
    Some(format!(
        "{} takes “{option}” whenever it is offered",
        in_words(who)
    ))
}

/// Splits the value of a field into how much, and when.
pub fn split_value(value: &str) -> (&str, Option<&str>) {
    // Where no amount is typed, nothing stands before the word.
    if let Some(condition) = value.trim_start().strip_prefix(WHEN.trim_start()) {
        return ("", Some(condition.trim()));
    }
    match value.split_once(WHEN) {
        Some((amount, condition)) => (amount.trim(), Some(condition.trim())),
        None => (value.trim(), None),
    }
}

/// Parses a field of a form; `None` if it is no recipe of the function.
fn parse<'t>(field: &str, value: &'t str, function: &str) -> Option<Recipe<'t>> {
    let (key, rest) = field.split_once(':')?;
    let kind = RecipeKind::ALL.into_iter().find(|kind| kind.key() == key)?;
    let (named, index) = rest.split_once(':').unwrap_or((rest, "0"));
    // On the command line the number of parameters may be left out.
    let is_named = named == function
        || function
            .rsplit_once('.')
            .is_some_and(|(name, _)| name == named);
    let index = index.parse().ok().filter(|_| is_named)?;
    let (amount, condition) = split_value(value);
    Some(Recipe {
        kind,
        index,
        amount,
        condition,
        is_capped: false,
    })
}

/// Returns the recipes for a function among the fields of a form. `key` is the function's name with its number of parameters.
pub fn recipes_of<'t>(
    (key, function): (&str, &CaseFunction),
    below: &Ruleset,
    fields: &'t BTreeMap<String, String>,
) -> Vec<Recipe<'t>> {
    let parsed = fields
        .iter()
        .filter_map(|(field, value)| parse(field, value, key));
    // A throw that is kept within bounds already is not bounded once more: what two recipes add to it is summed first.
    let is_bounded = |throw: &Throw| {
        let before = function.body[..throw.range.start].trim_end_matches('(');
        before.ends_with(BOUNDING)
    };
    let with_cap = |recipe: Recipe<'t>| Recipe {
        is_capped: recipe.kind == RecipeKind::Die
            && throws(&function.body)
                .get(recipe.index)
                .is_some_and(|throw| {
                    !is_bounded(throw) && is_looked_up(below, key, (throw.dice, throw.purpose))
                }),
        ..recipe
    };
    parsed.map(with_cap).collect()
}

/// Returns whether a form changes a function by a recipe.
pub fn has_recipe(key: &str, fields: &BTreeMap<String, String>) -> bool {
    let mut fields = fields.iter();
    fields.any(|(field, value)| parse(field, value, key).is_some())
}

/// Returns whether a form changes a function by a recipe that builds on its answer.
pub fn builds_on_answer(key: &str, fields: &BTreeMap<String, String>) -> bool {
    let mut recipes = fields
        .iter()
        .filter_map(|(field, value)| parse(field, value, key));
    recipes.any(|recipe| !recipe.kind.is_inside())
}

/// The dice of a throw in a source, what they are thrown for, and the bytes of the call.
pub struct Throw<'s> {
    /// Its number among the blanks of the function.
    pub blank: usize,
    pub dice: &'s str,
    /// What they are thrown for, if it is a plain text.
    pub purpose: Option<&'s str>,
    /// The variable that it is put in.
    pub variable: Option<&'s str>,
    /// The names of variables that the call mentions.
    pub names: Vec<&'s str>,
    pub range: std::ops::Range<usize>,
}

/// Finds the throws of dice that stand in a source, in order.
pub fn throws(source: &str) -> Vec<Throw<'_>> {
    let tokens = tokens(source);
    let dice_blanks = blanks(source)
        .into_iter()
        .enumerate()
        .filter(|(_, blank)| blank.kind == BlankKind::Dice);
    let throw = |(number, blank): (usize, crate::author::blanks::Blank)| {
        let at = tokens
            .iter()
            .position(|token| token.offset + 1 == blank.range.start)?;
        let start = at.checked_sub(2)?;
        if tokens[start].text != throw_name(ThrowVerb::Roll) || tokens[at - 1].text != "(" {
            return None;
        }
        let (mut depth, mut end) = (1, at);
        while depth > 0 {
            end += 1;
            match tokens.get(end)?.text {
                "(" | "[" | "{" | "#{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
        }
        let purpose = tokens.get(at + 2).and_then(|token| unquoted(token.text));
        let names = tokens[at..end].iter().map(|token| token.text);
        let put_in = |sign: usize| {
            (tokens[sign].text == "=").then(|| Some(tokens[sign.checked_sub(1)?].text))
        };
        Some(Throw {
            blank: number,
            variable: start.checked_sub(1).and_then(put_in).flatten(),
            dice: &source[blank.range],
            purpose: purpose.filter(|_| tokens[at + 1].text == ","),
            names: names.filter(|text| is_name(text)).collect(),
            range: tokens[start].offset..tokens[end].range().end,
        })
    };
    dice_blanks.filter_map(throw).collect()
}

fn unquoted(token: &str) -> Option<&str> {
    token.strip_prefix('"')?.strip_suffix('"')
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_ascii_lowercase())
}

/// A comparison of a name with what stands behind the sign.
pub struct OrderComparison<'s> {
    pub name: &'s str,
    /// The bytes of the comparison up to where what it is compared with begins.
    start: usize,
    /// Where what it is compared with begins.
    pub needed: usize,
}

/// Finds the comparisons by order in a source whose left side is a plain name.
pub fn comparisons(source: &str) -> Vec<OrderComparison<'_>> {
    let tokens = tokens(source);
    let at = |index: usize| {
        let (name, next) = (&tokens[index - 1], tokens.get(index + 1)?);
        let before = index.checked_sub(2).map_or("", |index| tokens[index].text);
        let is_plain = is_name(name.text) && !matches!(before, "." | "+" | "-" | "*" | "/");
        is_plain.then_some(OrderComparison {
            name: name.text,
            start: name.offset,
            needed: next.offset,
        })
    };
    let is_order = |token: &Token| matches!(token.text, "<" | "<=" | ">" | ">=");
    (1..tokens.len())
        .filter(|index| is_order(&tokens[*index]))
        .filter_map(at)
        .collect()
}

impl OrderComparison<'_> {
    /// Returns the comparison in words, to the end of its line.
    pub fn in_words(&self, source: &str) -> String {
        // What is told apart by a condition is said no further.
        if source[self.needed..].starts_with("if ") {
            return format!("{} and what is needed", self.name.replace('_', " "));
        }
        let rest = &source[self.start..];
        let end = rest.find(['{', ';', '\n', '}']).unwrap_or(rest.len());
        in_words(rest[..end].trim())
    }
}

/// Returns the amount of a recipe as a whole number.
fn whole(recipe: &Recipe) -> Result<i64, Error> {
    let number = recipe.amount.parse::<i64>();
    number.map_err(|_| {
        Error::Usage(match recipe.amount {
            "" => "how much is not said: write +1 or -1".into(),
            amount => format!("“{amount}” is not a whole number: write how much, as +1 or -1"),
        })
    })
}

/// Fails if the condition of a recipe can't be read, and says what is typed wrongly in it.
pub fn check_condition(recipe: &Recipe, function: &CaseFunction) -> Result<(), Error> {
    let Some(condition) = recipe.condition else {
        return Ok(());
    };
    let tokens_of_body = tokens(&function.body);
    let names: Vec<&str> = tokens_of_body
        .iter()
        .map(|token| token.text)
        .filter(|text| is_name(text))
        .chain(["answer"])
        .collect();
    let Err(faults) = parse_expression(condition, &names) else {
        return Ok(());
    };
    if let Some((sign, typed)) = compared_with(condition)
        .into_iter()
        .find(|(_, typed)| typed.is_empty() || parse_expression(typed, &names).is_err())
    {
        return Err(Error::Usage(match typed {
            "" => format!("a number is missing behind “{}”", in_words(sign).trim()),
            typed => format!("“{typed}” is not a whole number"),
        }));
    }
    let what = faults.0.into_iter().next().map(|fault| fault.what);
    Err(Error::Usage(format!(
        "the condition “{condition}” can't be read: {}",
        what.unwrap_or_default()
    )))
}

/// Returns the signs of the comparisons by order in a condition, each with what stands behind it.
fn compared_with(condition: &str) -> Vec<(&str, &str)> {
    let tokens = tokens(condition);
    let behind = |index: usize| {
        let (mut depth, start) = (0, tokens[index].range().end);
        let end = tokens[index + 1..].iter().find(|token| {
            match token.text {
                "(" | "[" | "{" | "#{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            depth < 0 || depth == 0 && matches!(token.text, "&&" | "||")
        });
        condition[start..end.map_or(condition.len(), |token| token.offset)].trim()
    };
    let is_order = |token: &Token| matches!(token.text, "<" | "<=" | ">" | ">=");
    (0..tokens.len())
        .filter(|index| is_order(&tokens[*index]))
        .map(|index| (tokens[index].text, behind(index)))
        .collect()
}

/// Returns the replacements in the source of a function that carry out recipes; `fields` are those of the form.
pub fn source_edits(
    (key, function): (&str, &CaseFunction),
    recipes: &[Recipe],
    fields: &BTreeMap<String, String>,
) -> Result<SourceEdits, Error> {
    let source = &*function.body;
    let changed = || Error::Usage("the case was changed meanwhile: choose the rule again".into());
    // What opens a recipe stands before what opens those inside of it.
    let (mut edits, mut openings) = (SourceEdits::new(), SourceEdits::new());
    for recipe in recipes {
        let amount = whole(recipe)?;
        let bonus = match recipe.condition {
            Some(condition) => format!("(if {condition} {{ {amount} }} else {{ 0 }})"),
            None => format!("({amount})"),
        };
        match recipe.kind {
            RecipeKind::Die => {
                let throws = throws(source);
                let throw = throws.get(recipe.index).ok_or_else(changed)?;
                let text = fields
                    .get(&format!("in:{key}:{}", throw.blank))
                    .map_or(throw.dice, String::as_str);
                let dice = Dice::parse(text).map_err(|error| Error::Usage(error.to_string()))?;
                let (lowest, highest) = (dice.min_total(), dice.max_total());
                let (start, end) = (throw.range.start, throw.range.end);
                let (before, behind) = match recipe.is_capped {
                    true => ("clamp(", format!(" + {bonus}, {lowest}, {highest})")),
                    false => ("(", format!(" + {bonus})")),
                };
                openings.push((start..start, before.into()));
                edits.push((end..end, behind));
            }
            _ => {
                let comparisons = comparisons(source);
                let needed = comparisons.get(recipe.index).ok_or_else(changed)?.needed;
                edits.push((needed..needed, format!("{bonus} + ")));
            }
        }
    }
    edits.extend(openings.into_iter().rev());
    Ok(edits)
}

/// Returns the body of a function that carries out a recipe on the older answer.
pub fn answer_body(recipe: &Recipe) -> Result<String, Error> {
    let changed = match (recipe.kind, recipe.amount) {
        (RecipeKind::Share, text) => Share::parse(text)?.script(),
        (_, "yes") => "true".into(),
        (_, "no") => "false".into(),
        _ => format!("answer + {}", whole(recipe)?).replace("+ -", "- "),
    };
    Ok(match recipe.condition {
        Some(condition) => {
            format!("let answer = prior();\nif {condition} {{ {changed} }} else {{ answer }}")
        }
        None if matches!(recipe.amount, "yes" | "no") => changed,
        None => format!("let answer = prior();\n{changed}"),
    })
}

/// Says within which bounds a throw stays that a recipe changes: "at most 6".
fn cap_in_words(recipe: &Recipe, throw: Option<&Throw>) -> Option<String> {
    let dice = Dice::parse(throw.filter(|_| recipe.is_capped)?.dice).ok()?;
    Some(match recipe.amount.parse::<i64>().ok()? < 0 {
        true => format!("at least {}", dice.min_total()),
        false => format!("at most {}", dice.max_total()),
    })
}

/// Says what a recipe changes in a function.
pub fn sentence(recipe: &Recipe, function: &CaseFunction, ruleset: &Ruleset) -> String {
    let name = summary_of(function);
    let more = |amount: &str, what: [&str; 2]| match amount.parse::<i64>() {
        Ok(number) => format!("{} {}", number.abs(), what[usize::from(number < 0)]),
        Err(_) if amount.is_empty() => "…".into(),
        Err(_) => amount.to_string(),
    };
    let source = &*function.body;
    let what = match recipe.kind {
        RecipeKind::Die => {
            let throw = throws(source).into_iter().nth(recipe.index);
            let die = throw.as_ref().and_then(|throw| throw.purpose).map_or_else(
                || format!("{name}: the die"),
                |purpose| format!("the die for {purpose}"),
            );
            let cap = cap_in_words(recipe, throw.as_ref());
            let counts = more(recipe.amount, ["more", "less"]);
            let words = [Some(format!("{die} counts {counts}")), cap];
            words.into_iter().flatten().collect::<Vec<_>>().join(", ")
        }
        RecipeKind::Needs => format!(
            "{name}: the number that the roll is compared with is {}",
            more(recipe.amount, ["higher", "lower"])
        ),
        RecipeKind::Share => {
            let share = Share::parse(recipe.amount);
            let share = share.map_or_else(|_| recipe.amount.into(), |share| share.in_words());
            format!("{name}: {share}")
        }
        RecipeKind::Adds => match recipe.amount {
            answer @ ("yes" | "no") => format!("{name}: {answer}"),
            amount => format!("{name}: {}", more(amount, ["more", "less"])),
        },
    };
    let condition = recipe
        .condition
        .map(|condition| condition_in_words(condition, ruleset));
    format!(
        "{what}{}",
        condition.map_or(String::new(), |words| format!(", {words}"))
    )
}

/// Says a condition in words, from "if" or "unless" on: a question of the rules in its own words, a choice by what is chosen.
pub fn condition_in_words(condition: &str, ruleset: &Ruleset) -> String {
    let (word, condition) = match condition
        .strip_prefix("!(")
        .and_then(|rest| rest.strip_suffix(')'))
    {
        Some(inner) => ("unless", inner),
        None => ("if", condition),
    };
    let call = condition
        .strip_suffix(')')
        .and_then(|text| text.split_once('('));
    let asked = call
        .filter(|(_, argument)| {
            argument
                .chars()
                .all(|letter| letter.is_alphanumeric() || letter == '_')
        })
        .and_then(|(name, _)| question_in_words(name, ruleset));
    let chosen = condition.strip_prefix("choose(").and_then(|rest| {
        let (who, rest) = rest.split_once(", \"")?;
        let option = rest.split_once('"')?.0;
        rest.contains(AS_PRINTED)
            .then(|| format!("{} chooses “{option}”", in_words(who)))
    });
    let words = chosen.or(asked).unwrap_or_else(|| in_words(condition));
    format!("{word} {words}")
}

/// Returns the words of a question with one parameter that is answered yes or no: "Whether a unit is silent." is "a unit is silent".
pub fn question_in_words(name: &str, ruleset: &Ruleset) -> Option<String> {
    let slot = &ruleset.slots[ruleset.slot(name, 1)?];
    let functions = slot
        .answers
        .iter()
        .map(|answer| &ruleset.cases[answer.case].functions[answer.function]);
    functions.map(summary_of).find_map(|summary| {
        let words = summary.strip_prefix("Whether ")?;
        Some(words.split(['.', ':']).next().unwrap_or(words).to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throws_and_comparisons_are_found() {
        let source = "fn f(unit, die) {\n    let a = roll(\"1d6\", \"shots\", unit);\n    let b = roll(`${a}d6`, \"x\");\n    if a >= unit.size && 3 < die { say(\"2d6\"); }\n    die <= needed(unit)\n}";
        let thrown: Vec<_> = throws(source)
            .iter()
            .map(|throw| (throw.dice, throw.purpose, throw.names.clone()))
            .collect();
        assert_eq!(thrown, [("1d6", Some("shots"), vec!["unit"])]);
        let compared: Vec<String> = comparisons(source)
            .iter()
            .map(|comparison| comparison.in_words(source))
            .collect();
        assert_eq!(
            compared,
            [
                "a is at least unit size and 3 is less than die",
                "die is at most needed of unit"
            ]
        );
    }
}
