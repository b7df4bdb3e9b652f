//! Recipes read back from the source that they made, so that each is said, edited and taken back by itself.

use crate::author::blanks::{Blank, BlankKind, SourceEdits, blanks, with_edits};
use crate::author::case_text::with_comment;
use crate::author::recipes::{Recipe, RecipeKind, answer_body, comparisons, source_edits, throws};
use crate::author::shares::share_amounts;
use crate::testing::mutation_steps::tokens;
use casebook_engine::data::case::CaseFunction;
use std::collections::BTreeMap;
use std::ops::Range;

/// A recipe as the field of the form that makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeRecipe {
    pub kind: RecipeKind,
    /// The throw or comparison in the older function, from 0.
    pub index: usize,
    /// How much: `+1`, `1/2 rounded up`, `yes`.
    pub amount: String,
    /// When it holds, as a script; always, if there is none.
    pub condition: Option<String>,
    /// Of a throw: whether it stays within what the dice can show.
    pub is_capped: bool,
}

impl MadeRecipe {
    pub fn as_recipe(&self) -> Recipe<'_> {
        Recipe {
            kind: self.kind,
            index: self.index,
            amount: &self.amount,
            condition: self.condition.as_deref(),
            is_capped: self.is_capped,
        }
    }

    /// Returns the field of the form that makes it in a function.
    pub fn field(&self, function: &str) -> String {
        self.kind.field(function, self.index)
    }

    /// Returns the value of that field.
    pub fn value(&self) -> String {
        match &self.condition {
            Some(condition) => format!("{} when {condition}", self.amount),
            None => self.amount.clone(),
        }
    }
}

/// A function that forms made of an older one: figures of it are changed, and recipes are laid over it.
pub struct MadeFunction<'f> {
    key: &'f str,
    pub older: &'f CaseFunction,
    /// The changed figures, dice and conditions: their index among the blanks of the older source, and what stands there now.
    pub figures: BTreeMap<usize, String>,
    /// The recipes inside of it, for each throw and comparison from the inside out.
    pub recipes: Vec<MadeRecipe>,
}

impl<'f> MadeFunction<'f> {
    /// Reads a source back; `None` if more was done to it than forms do. `key` is the function's name with its number of parameters.
    pub fn read(key: &'f str, source: &str, older: &'f CaseFunction) -> Option<MadeFunction<'f>> {
        let (recipes, plain) = inside_recipes(source);
        let (new, old) = (blanks(&plain), blanks(&older.body));
        if new.len() != old.len() {
            return None;
        }
        let text = |source: &str, blank: &Blank| source[blank.range.clone()].to_string();
        let differs = |(new, old): (&Blank, &Blank)| {
            let now = text(&plain, new);
            (now != text(&older.body, old)).then_some(now)
        };
        let figures = (0..)
            .zip(new.iter().zip(&old).map(differs))
            .filter_map(|(index, now)| Some((index, now?)))
            .collect();
        let mut made = MadeFunction {
            key,
            older,
            figures,
            recipes,
        };
        let told: Vec<usize> = made
            .told_figures()
            .into_iter()
            .map(|(index, ..)| index)
            .collect();
        made.figures.retain(|index, _| told.contains(index));
        let all: Vec<&MadeRecipe> = made.recipes.iter().collect();
        let is_same = words(&made.source(&made.figures, &all, "")?) == words(source);
        is_same.then_some(made)
    }

    /// Returns the source of the older function with figures and recipes, and a comment that says what the recipes do.
    pub fn source(
        &self,
        figures: &BTreeMap<usize, String>,
        recipes: &[&MadeRecipe],
        comment: &str,
    ) -> Option<String> {
        let places = blanks(&self.older.body);
        let mut edits: SourceEdits = figures
            .iter()
            .map(|(index, now)| (places[*index].range.clone(), now.clone()))
            .collect();
        let fields = figures
            .iter()
            .map(|(index, now)| (format!("in:{}:{index}", self.key), now.clone()))
            .collect();
        let recipes: Vec<Recipe> = recipes.iter().map(|recipe| recipe.as_recipe()).collect();
        edits.extend(source_edits((self.key, self.older), &recipes, &fields).ok()?);
        let source = with_edits(&self.older.body, edits);
        Some(match comment {
            "" => source,
            _ => with_comment(&source, comment),
        })
    }
}

impl MadeFunction<'_> {
    /// Returns the recipes that are left without one of them. Where that one kept a throw within its dice, the outermost that is left does.
    pub fn without(&self, taken: Option<usize>) -> Vec<MadeRecipe> {
        let all = self.recipes.iter().enumerate();
        let mut left: Vec<MadeRecipe> = all
            .filter(|(at, _)| Some(*at) != taken)
            .map(|(_, recipe)| recipe.clone())
            .collect();
        if let Some(taken) = taken
            .map(|at| &self.recipes[at])
            .filter(|one| one.is_capped)
        {
            let is_same =
                |other: &&mut MadeRecipe| (other.kind, other.index) == (taken.kind, taken.index);
            let mut outer = left.iter_mut().rev();
            outer
                .find(is_same)
                .into_iter()
                .for_each(|outermost| outermost.is_capped = true);
        }
        left
    }

    /// Returns the changed figures with what they were: a condition in which a figure differs is told by the figure.
    pub fn told_figures(&self) -> Vec<(usize, &str, &str)> {
        let source = &*self.older.body;
        let places = blanks(source);
        let holds_another = |index: &usize| {
            let whole = &places[*index];
            matches!(whole.kind, BlankKind::Condition | BlankKind::Share)
                && self.figures.keys().any(|other| {
                    let inner = &places[*other].range;
                    other != index
                        && whole.range.start <= inner.start
                        && inner.end <= whole.range.end
                })
        };
        let told = self
            .figures
            .iter()
            .filter(|(index, _)| !holds_another(index));
        told.map(|(index, now)| (*index, &source[places[*index].range.clone()], &**now))
            .collect()
    }
}

fn words(source: &str) -> Vec<&str> {
    tokens(source).iter().map(|token| token.text).collect()
}

/// Takes the recipes inside of a source out of it: returns them, and what is left.
fn inside_recipes(source: &str) -> (Vec<MadeRecipe>, String) {
    let (mut recipes, mut cuts) = (Vec::new(), Vec::<Range<usize>>::new());
    let is_cut = |cuts: &[Range<usize>], at: usize| cuts.iter().any(|cut| cut.contains(&at));
    let made = |kind: RecipeKind, index: usize, bonus: Bonus| MadeRecipe {
        kind,
        index,
        amount: format!("{:+}", bonus.amount),
        condition: bonus.condition.map(String::from),
        is_capped: bonus.is_capped,
    };
    let mut index = 0;
    for throw in throws(source) {
        let (mut start, mut end) = (throw.range.start, throw.range.end);
        if is_cut(&cuts, start) {
            continue;
        }
        while let Some((bonus, close)) = added(source, start, end) {
            let open = start - if bonus.is_capped { CLAMP } else { OPEN }.len();
            cuts.extend([open..start, end..close]);
            (start, end) = (open, close);
            recipes.push(made(RecipeKind::Die, index, bonus));
        }
        index += 1;
    }
    let mut index = 0;
    for comparison in comparisons(source) {
        let mut at = comparison.needed;
        if is_cut(&cuts, at) {
            continue;
        }
        while let Some((bonus, rest)) = Bonus::parse(&source[at..])
            && rest.starts_with(PLUS)
        {
            let end = source.len() - rest.len() + PLUS.len();
            cuts.push(at..end);
            at = end;
            recipes.push(made(RecipeKind::Needs, index, bonus));
        }
        index += 1;
    }
    let cuts = cuts.into_iter().map(|cut| (cut, String::new())).collect();
    (recipes, with_edits(source, cuts))
}

const CLAMP: &str = "clamp(";
const OPEN: &str = "(";
const PLUS: &str = " + ";

/// Returns the bonus of a throw, which may be kept within bounds, and where that ends.
fn added(source: &str, start: usize, end: usize) -> Option<(Bonus<'_>, usize)> {
    let (bonus, rest) = Bonus::parse(source[end..].strip_prefix(PLUS)?)?;
    let close = |rest: &str| source.len() - rest.len();
    if let Some(rest) = rest.strip_prefix(')') {
        source[..start].strip_suffix(OPEN)?;
        return Some((bonus, close(rest)));
    }
    source[..start].strip_suffix(CLAMP)?;
    let (bounds, rest) = rest.strip_prefix(", ")?.split_once(')')?;
    let is_bound = |text: &str| text.parse::<i64>().is_ok();
    let (low, high) = bounds.split_once(", ")?;
    let capped = Bonus {
        is_capped: true,
        ..bonus
    };
    (is_bound(low) && is_bound(high)).then_some((capped, close(rest)))
}

/// What a recipe adds to a number: `(1)`, or `(if CONDITION { 1 } else { 0 })`.
struct Bonus<'s> {
    amount: i64,
    condition: Option<&'s str>,
    is_capped: bool,
}

impl Bonus<'_> {
    /// Parses a bonus at the start of a text; returns the rest behind it, too.
    fn parse(text: &str) -> Option<(Bonus<'_>, &str)> {
        let found = tokens(text);
        let mut depth = 0;
        let closes = found.iter().find(|token| {
            match token.text {
                "(" | "[" | "{" | "#{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        let inside = text[..closes.offset].strip_prefix('(')?;
        let (amount, condition) = match inside.strip_prefix("if ") {
            Some(rest) => {
                let (condition, amount) = rest.strip_suffix(" } else { 0 }")?.rsplit_once(" { ")?;
                (amount, Some(condition))
            }
            None => (inside, None),
        };
        let amount = amount.parse().ok()?;
        let bonus = Bonus {
            amount,
            condition,
            is_capped: false,
        };
        Some((bonus, &text[closes.offset + 1..]))
    }
}

/// Reads a recipe on the older answer back from the body of a function; `None` if it is none.
pub fn answer_recipe(function: &CaseFunction) -> Option<MadeRecipe> {
    let (_, body) = function.body.split_once('{')?;
    let body = body.trim_end().strip_suffix('}')?;
    let rest = body.split_once("let answer = prior();")?.1.trim();
    let (condition, changed) = match rest.strip_prefix("if ") {
        Some(rest) => {
            let inside = rest.strip_suffix(" } else { answer }")?;
            let (condition, changed) = inside.rsplit_once(" { ")?;
            (Some(condition.to_string()), changed)
        }
        None => (None, rest),
    };
    let number = changed
        .strip_prefix("answer ")
        .and_then(|more| more.replace(' ', "").parse::<i64>().ok());
    let shares = share_amounts().map(|amount| (RecipeKind::Share, amount.to_string()));
    let answers = ["yes".to_string(), "no".into()].into_iter();
    let amounts = answers.chain(number.map(|number| format!("{number:+}")));
    let tried = shares.chain(amounts.map(|amount| (RecipeKind::Adds, amount)));
    let mut recipes = tried.map(|(kind, amount)| MadeRecipe {
        kind,
        index: 0,
        amount,
        condition: condition.clone(),
        is_capped: false,
    });
    recipes.find(|recipe| {
        answer_body(&recipe.as_recipe()).is_ok_and(|made| words(&made) == words(body))
    })
}
