//! What odds rest on beside the printed rules: choices nobody made, policies, readings, reconstructed figures.

use crate::code::machine::Consulted;
use crate::data::case::Status;
use crate::ruling::doubts;
use crate::ruling::page::Page;
use crate::ruling::resolve::cite;
use crate::ruling::situation::Situation;
use crate::situation::policy::{EVERYBODY, Policies, question};
use crate::situation::trace::unasked;
use serde::Serialize;

/// What odds rest on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Assumed {
    /// Questions left to the option offered first, with what that was: several where they were put in several ways.
    pub choices: Vec<Left>,
    /// Policies typed in, of sides that were asked something.
    pub policies: Vec<String>,
    /// How doubtful places that had a part are read: reading, way, and the other ways.
    pub readings: Vec<String>,
    /// Reconstructed figures that were read.
    pub reconstructed: Vec<String>,
    /// Cases that had a part and whose printed wording is not known.
    pub cases_reconstructed: Vec<String>,
    /// Answers typed in to what nobody asked.
    pub unheard: Vec<String>,
}

/// A question left to the option offered first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Whose and of what.
    pub question: String,
    /// What was offered first.
    pub first: Vec<String>,
}

/// What odds rest on that were found with these policies and these answers by hand.
pub fn assumed(situation: &Situation, consulted: &Consulted, policies: &Policies, by_hand: &[(String, String)]) -> Assumed {
    let ruleset = situation.ruleset();
    let asked = policies.asked();
    let sides = || asked.values().flatten();
    let told = policies.typed().iter().filter(|(side, _)| side == EVERYBODY || sides().any(|asked| asked == side));
    let mut found = Assumed {
        choices: policies.left().into_iter().map(|(question, first)| Left { question, first: first.into_iter().collect() }).collect(),
        policies: told.map(|(side, kind)| format!("{side}={kind}")).collect(),
        ..Assumed::default()
    };
    for (index, case) in ruleset.cases.iter().enumerate().filter(|(_, case)| consulted.files.contains(&case.file.key)) {
        for reading in &case.readings {
            let name = format!("{}.{}", case.number, reading.name);
            let Some(way) = ruleset.readings.get(&name) else { continue };
            let others: Vec<&str> = reading.ways.iter().filter(|other| *other != way).map(String::as_str).collect();
            found.readings.push(format!("{name} = {way} (or {})", others.join(", ")));
        }
        if case.status == Status::Reconstructed {
            found.cases_reconstructed.push(cite(ruleset, index));
        }
    }
    found.reconstructed = doubts::told(&consulted.doubts);
    found.unheard = not_asked(policies, by_hand);
    found
}

/// Answers by hand to questions that nobody was asked who decides so.
pub fn not_asked(policies: &Policies, by_hand: &[(String, String)]) -> Vec<String> {
    let asked = policies.asked();
    unasked(asked.iter().flat_map(|(what, sides)| sides.iter().map(move |side| (question(side, what), what.as_str()))).collect(), by_hand)
}

impl Assumed {
    /// Odds for a program with what they rest on.
    pub fn with(&self, mut odds: serde_json::Value) -> serde_json::Value {
        odds["assumed"] = serde_json::json!(self);
        odds
    }

    /// As a person reads it; nothing where nothing was assumed.
    pub fn render(&self, page: Page) -> String {
        let mut out = String::new();
        let left = |left: &Left| format!("{}: {}", left.question, left.first.join(" or "));
        let choices: Vec<String> = self.choices.iter().map(left).collect();
        page.list(&mut out, "Choices left to their first option (settle them with --choose 'WHO: WHAT=OPTION', or --policy)", &choices);
        page.list(&mut out, "Policies", &self.policies);
        page.list(&mut out, "Answers to what nobody asked", &self.unheard);
        page.list(&mut out, "Doubtful places, and how they are read (--reading reads them otherwise)", &self.readings);
        page.list(&mut out, "Reconstructed figures this rests on (--strict refuses them)", &self.reconstructed);
        let cases: Vec<String> =
            self.cases_reconstructed.is_empty().then(Vec::new).unwrap_or_else(|| vec![self.cases_reconstructed.join(", ")]);
        page.list(&mut out, "Cases whose printed wording is not known", &cases);
        out
    }
}
