//! Checks questions and options that cards and styles name against what scripts ask. What a script makes up as it runs can't be known, so
//! it is not refused.

use crate::author::procedure_summary::{LocalNames, text_patterns};
use casebook_engine::code::verbs::{self, Role, Verb};
use casebook_engine::complaint::DiagnosticCode;
use casebook_engine::data::answer_rules::{AnswerRules, RANKS};
use casebook_engine::data::case::{Case, script_text};
use casebook_engine::data::yaml::{YamlNode, YamlReader};
use casebook_engine::syntax::calls::visit_calls;
use casebook_engine::syntax::parse;
use casebook_engine::syntax::tree::Expression;
use std::sync::Arc;

/// A question that a script asks: it and its options as patterns, in which `*` matches any text.
struct ScriptQuestion {
    questions: Vec<String>,
    options: Vec<String>,
}

/// What some cases ask.
pub struct AskedQuestions {
    scripts: Vec<String>,
    asked: Vec<ScriptQuestion>,
}

impl AskedQuestions {
    pub fn of_cases<'c>(cases: impl IntoIterator<Item = &'c Arc<Case>>) -> AskedQuestions {
        let (mut scripts, mut asked) = (Vec::new(), Vec::new());
        for case in cases {
            scripts.push(script_text(&case.file.text));
            for index in 0..case.functions.len() {
                add_asked(case, index, &mut asked);
            }
        }
        AskedQuestions { scripts, asked }
    }

    /// Complains of a question that no script asks.
    pub fn check_question(
        &self,
        text: &str,
        node: &YamlNode,
        owner: &str,
        reader: &mut YamlReader,
    ) {
        let Some(part) = self.unasked_part(text) else {
            return;
        };
        let is_asked = |asked: &ScriptQuestion| {
            let mut patterns = asked.questions.iter().filter(|pattern| *pattern != "*");
            patterns.any(|pattern| may_match(text, pattern))
        };
        if !self.asked.iter().any(is_asked) {
            complain(owner, text, part, node, reader);
        }
    }

    /// Complains of an option that no question of a pattern has.
    pub fn check_option(
        &self,
        question: &str,
        option: (&str, &YamlNode),
        owner: &str,
        reader: &mut YamlReader,
    ) {
        let (text, node) = option;
        let option = text.strip_prefix("not ").unwrap_or(text);
        if RANKS.contains(&text) || text.parse::<i64>().is_ok() {
            return;
        }
        let fits = |asked: &ScriptQuestion| {
            let mut questions = asked.questions.iter();
            questions.any(|pattern| may_match(question, pattern))
        };
        let mut asked = self.asked.iter().filter(|asked| fits(asked)).peekable();
        let unknown = match asked.peek() {
            Some(_) => {
                let mut options = asked.flat_map(|asked| &asked.options);
                let is_offered = options.any(|pattern| may_match(option, pattern));
                (!is_offered).then_some(option)
            }
            None => self.unasked_part(option),
        };
        if let Some(part) = unknown {
            complain(owner, text, part, node, reader);
        }
    }

    /// Returns the first part of a pattern that does not stand in any script, or not in the one that has most of it.
    fn unasked_part<'p>(&self, pattern: &'p str) -> Option<&'p str> {
        let parts = || pattern.split('*').map(str::trim);
        let unasked = |script: &String| parts().find(|part| !script.contains(part));
        let least = self.scripts.iter().map(unasked).min_by_key(Option::is_some);
        least.unwrap_or_else(|| parts().next())
    }

    /// Checks answers by question.
    pub fn check_answers(&self, node: &YamlNode, owner: &str, reader: &mut YamlReader) {
        let rules = AnswerRules::read(Some(node)).0.into_iter();
        for (rule, (key, _)) in rules.zip(node.entries()) {
            self.check_question(&rule.question, key, owner, reader);
            for answer in &rule.answers {
                self.check_option(&rule.question, (answer, key), owner, reader);
            }
        }
    }

    /// Checks the questions that a card words, and its usual answers.
    pub fn check_card(&self, card: &YamlNode, reader: &mut YamlReader) {
        let owner = "`questions:`";
        for (key, words) in card.entries_of("questions") {
            let question = key.text_or_empty();
            self.check_question(question, key, owner, reader);
            let options = words.entries_of("options").iter().map(|(option, _)| option);
            for option in options.chain(words.get("main")) {
                self.check_option(question, (option.text_or_empty(), option), owner, reader);
            }
        }
        for secret in card.items_of("secret") {
            self.check_question(secret.text_or_empty(), secret, "`secret:`", reader);
        }
        if let Some(usual) = card.get("usual") {
            self.check_answers(usual, "`usual:`", reader);
        }
    }
}

fn complain(owner: &str, text: &str, part: &str, node: &YamlNode, reader: &mut YamlReader) {
    let message =
        format!("{owner} speaks of `{text}`, and no `choose` that it may answer has `{part}`");
    let help = "write the question as the case asks it, with `*` for a name in it, and one of its options or `first`";
    reader.complain(DiagnosticCode::UnknownName, node.span, message, help);
}

/// Adds the questions that a function asks.
fn add_asked(case: &Case, index: usize, asked: &mut Vec<ScriptQuestion>) {
    let function = &case.functions[index];
    let asks = |verb: &&&Verb| {
        verb.index_of(Role::Question).is_some() && function.body.contains(verb.name)
    };
    if verbs::all().iter().find(asks).is_none() {
        return;
    }
    let Ok(body) = parse::function_body(case, index) else {
        return;
    };
    let names = LocalNames::new(&function.params, &body);
    visit_calls(&body, &mut |call, args, _| {
        let Some(verb) = verbs::lookup(&call.name, args.len()) else {
            return;
        };
        let arg = |role| args.get(verb.index_of(role)?).copied();
        if let Some(question) = arg(Role::Question) {
            let options = arg(Role::Options).map(|options| match options {
                Expression::List(items, _) => items
                    .iter()
                    .flat_map(|item| text_patterns(item, &names))
                    .collect(),
                _ => vec!["*".into()],
            });
            asked.push(ScriptQuestion {
                questions: text_patterns(question, &names),
                options: options.unwrap_or_else(|| vec!["*".into()]),
            });
        }
    });
}

/// Whether some text fits both of two patterns, in which `*` matches any text.
pub fn may_match(a: &str, b: &str) -> bool {
    let begins = |text: &str| text.chars().next().filter(|first| *first != '*');
    if let (Some(x), Some(y)) = (begins(a), begins(b))
        && x != y
    {
        return false;
    }
    let b: Vec<char> = b.chars().collect();
    // Whether what was read of `a` and so many letters of `b` may be the same text.
    let mut fits: Vec<bool> = (0..=b.len())
        .map(|read| b[..read].iter().all(|letter| *letter == '*'))
        .collect();
    for x in a.chars() {
        let mut diagonal = fits[0];
        fits[0] &= x == '*';
        for (at, y) in b.iter().enumerate() {
            let above = fits[at + 1];
            fits[at + 1] = match x == '*' || *y == '*' {
                true => above || fits[at],
                false => x == *y && diagonal,
            };
            diagonal = above;
        }
    }
    fits[b.len()]
}

#[cfg(test)]
mod tests {
    use super::may_match;

    #[test]
    fn patterns_meet_where_one_text_fits_both() {
        for (a, b, meet) in [
            ("losses", "losses", true),
            ("* to *", "A1 to B2", true),
            ("move of *", "* of Lee", true),
            ("*", "", true),
            ("*ab", "a*b", true),
            ("ab*", "*c", true),
            ("losses", "loses", false),
            ("* to", "to *x", false),
            ("a*b", "a*c", false),
        ] {
            assert_eq!(may_match(a, b), meet, "{a} {b}");
            assert_eq!(may_match(b, a), meet, "{b} {a}");
        }
    }
}
