//! Who names what: the cases that call a function, read a table, or use a figure, track or deck.

use casebook_checks::testing::tokens::tokens;
use casebook_engine::data::case::CaseFunction;
use casebook_engine::data::manifest::function_name;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::situation::value_text::distinct;
use std::collections::{BTreeSet, HashMap};

/// The names in the scripts of a ruleset, each with the cases that have it.
pub struct References<'r> {
    ruleset: &'r Ruleset,
    /// Indices of cases in force and of their functions, by `name(` for calls, `"name"` for texts and `.name` for fields.
    by_form: HashMap<String, BTreeSet<[usize; 2]>>,
}

impl<'r> References<'r> {
    /// Indexes all cases in force.
    pub fn new(ruleset: &'r Ruleset) -> References<'r> {
        References::to(ruleset, "")
    }

    /// Indexes the functions whose text has a name, which are all that can refer to it.
    pub fn to(ruleset: &'r Ruleset, name: &str) -> References<'r> {
        let mut by_form: HashMap<String, BTreeSet<[usize; 2]>> = HashMap::new();
        for (index, case) in ruleset.cases.iter().enumerate() {
            let functions = case.functions.iter().enumerate();
            let is_read =
                |function: &CaseFunction| !function.is_example() && function.body.contains(name);
            for (number, function) in functions.filter(|(_, function)| is_read(function)) {
                for form in forms(function) {
                    by_form.entry(form).or_default().insert([index, number]);
                }
            }
        }
        References { ruleset, by_form }
    }

    fn with_form(&self, form: String) -> impl Iterator<Item = usize> + use<'_, 'r> {
        let found = self.by_form.get(&form).into_iter().flatten();
        distinct(found.map(|[case, _]| *case)).into_iter()
    }

    /// Yields the indices of the cases that call a function.
    pub fn callers_of(&self, function: &str) -> impl Iterator<Item = usize> + use<'_, 'r> {
        self.with_form(format!("{function}("))
    }

    /// Returns the procedures that come to a function, by calls.
    pub fn procedures_using(&self, function: &str) -> Vec<&'r str> {
        let (mut reached, mut next) = (vec![function], 0);
        while let Some(name) = reached.get(next).copied() {
            next += 1;
            for [case, function] in self.by_form.get(&format!("{name}(")).into_iter().flatten() {
                let caller = &*self.ruleset.cases[*case].functions[*function].name;
                if !reached.contains(&caller) {
                    reached.push(caller);
                }
            }
        }
        let procedures = self.ruleset.game.procedures.iter();
        let names = procedures.map(|(name, _)| name.as_str());
        names
            .filter(|procedure| reached.contains(&&*function_name(procedure)))
            .collect()
    }

    /// Yields the indices of the cases that name a thing in a text, such as a table.
    pub fn naming(&self, name: &str) -> impl Iterator<Item = usize> + use<'_, 'r> {
        self.with_form(format!("\"{name}\""))
    }

    /// Returns the numbers of the cases that call a function of this name, or name it in a text or as a field.
    pub fn cases_of(&self, name: &str) -> Vec<&'r str> {
        let fields = self.with_form(format!(".{name}"));
        let indices: BTreeSet<usize> = self
            .callers_of(name)
            .chain(self.naming(name))
            .chain(fields)
            .collect();
        let number = |index: usize| &*self.ruleset.cases[index].number;
        distinct(indices.into_iter().map(number))
    }
}

/// Yields the names in a function by their form.
fn forms(function: &CaseFunction) -> impl Iterator<Item = String> {
    let tokens = tokens(&function.body);
    let form = |at: usize| {
        let text = tokens[at].text;
        let is_after = |sign| at > 0 && tokens[at - 1].text == sign;
        match tokens.get(at + 1) {
            _ if text.starts_with('"') => Some(text.to_string()),
            Some(next) if next.text == "(" => (text != function.name).then(|| format!("{text}(")),
            _ => is_after(".").then(|| format!(".{text}")),
        }
    };
    (0..tokens.len())
        .filter_map(form)
        .collect::<Vec<_>>()
        .into_iter()
}
