//! Renders a case: the text of each layer, its answers and removals, readings, examples and callers.

use crate::serve::book::Rulebook;
use crate::serve::book::index::section;
use crate::serve::layout::{escape, layer_colour, render_sources, render_with_commas};
use crate::serve::switches::render_reading;
use casebook_checks::testing::test::RulingTestFile;
use casebook_engine::complaint::counted;
use casebook_engine::data::case::{Case, CaseFunction, CaseKind};
use casebook_engine::data::manifest::function_name;
use casebook_engine::data::status::Status;
use casebook_engine::ruling::resolve::cite_case;
use casebook_engine::syntax::calls::reaches_prior;
use casebook_view::references::References;
use maud::{Markup, html};

/// How a case changes the answer of the layers below it.
enum CaseEffect {
    /// No lower layer answers the function.
    Answers,
    /// The case calls the older answer and builds on it.
    BuildsOn(usize),
    /// The case replaces the older answer.
    Replaces(usize),
    /// The case removes the older answer.
    Removes(usize),
    /// The case reinstates an older answer.
    Reinstates(usize),
}

/// A situation that can be carried out.
pub struct ListedSituation {
    title: String,
    name: String,
    procedure: String,
}

impl Rulebook<'_> {
    /// Renders a case by its number, with all its layers.
    pub fn render_case(
        &self,
        number: &str,
        references: &References,
        is_whole_page: bool,
    ) -> Markup {
        let layers: Vec<usize> = (0..self.ruleset.cases.len())
            .filter(|index| self.ruleset.cases[*index].number == number)
            .collect();
        let entry = self.ruleset.contents.get(number);
        let first_case = layers.first().map(|index| &self.ruleset.cases[*index]);
        let title = entry
            .map(|listed| listed.title.as_str())
            .or(first_case.map(|case| case.title.as_str()))
            .unwrap_or_default();
        // A revision replaces the whole case, so the layers before it are shown as struck.
        let written_anew = layers
            .iter()
            .rposition(|index| self.ruleset.cases[*index].kind == CaseKind::Revision)
            .unwrap_or(0);
        let changed =
            first_case.is_some_and(|case| self.is_variant(&case.layer)) || layers.len() > 1;
        html! {
            article.case.amended[changed] id={ "case-" (number) } {
                @if is_whole_page { h1 { span.number { (number) } " " (title) } }
                @else { h2 { a href=(self.links.page_address("case", number)) { span.number { (number) } " " (title) } } }
                @if layers.is_empty() {
                    p.quiet {
                        @if entry.is_some_and(|entry| entry.is_planned) { "It belongs to a part of the game that is not scripted yet." }
                        @else { "Only its number and title are known." }
                    }
                }
                @for (place, index) in layers.iter().enumerate() {
                    (self.render_layer(*index, place < written_anew, is_whole_page))
                }
                @if is_whole_page {
                    (self.render_callers(&layers, references))
                    @if self.links.is_live() {
                        (self.render_situations(&layers, references))
                        p.change-it { a.button href={ (self.links.what_if_address(&format!("case={}", escape(number)))) "#change" } { "What if …?" } }
                    }
                }
            }
        }
    }

    /// Returns title and name of those situations whose procedures a case is asked by, directly or through other cases.
    pub fn situations_that_use(
        &self,
        layers: &[usize],
        references: &References,
        situations: &[ListedSituation],
    ) -> Vec<(String, String)> {
        let cases = &self.ruleset.cases;
        let (mut reached, mut next_index) = (layers.to_vec(), 0);
        while let Some(case) = reached.get(next_index).map(|index| &cases[*index]) {
            for index in case
                .public_functions()
                .flat_map(|function| references.callers_of(&function.name))
            {
                if !reached.contains(&index) {
                    reached.push(index)
                }
            }
            next_index += 1;
        }
        let carries_out = |procedure: &str| {
            let name = function_name(procedure);
            reached.iter().any(|index| {
                cases[*index]
                    .functions
                    .iter()
                    .any(|function| function.name == name && !function.private)
            })
        };
        let uses = |one: &&ListedSituation| carries_out(&one.procedure);
        let used = situations.iter().filter(uses);
        used.map(|one| (one.title.clone(), one.name.clone()))
            .collect()
    }

    /// Returns the situations with a procedure, by title.
    pub fn listed_situations(&self) -> Vec<ListedSituation> {
        let mut ignored = Default::default();
        let listed = |name: &str| {
            let scenario = self.ruleset.stack_scenario(name, &mut ignored)?;
            Some(ListedSituation {
                title: scenario.title.clone(),
                name: name.into(),
                procedure: scenario.procedure.clone()?,
            })
        };
        let mut situations: Vec<ListedSituation> = self
            .ruleset
            .scenario_names()
            .into_iter()
            .filter_map(listed)
            .collect();
        situations.sort_by(|a, b| a.title.cmp(&b.title));
        situations
    }

    fn render_situations(&self, layers: &[usize], references: &References) -> Markup {
        let situations = self.situations_that_use(layers, references, &self.listed_situations());
        html! {
            @if !situations.is_empty() {
                details.asked {
                    summary { (counted(situations.len(), "situation")) " may use it" }
                    ul { @for (title, name) in &situations { li { a href=(self.links.situation_address(name)) { (title) } } } }
                }
            }
        }
    }

    /// Renders the text of one layer.
    fn render_layer(&self, index: usize, struck: bool, is_whole_page: bool) -> Markup {
        let case = &self.ruleset.cases[index];
        let amends = self.is_variant(&case.layer);
        let prose = self.prose();
        let label = case
            .printed_label
            .as_ref()
            .filter(|label| !label.eq_ignore_ascii_case(case.kind.as_str()));
        let shade = layer_colour(&self.ruleset.library, &self.ruleset.game.name, &case.layer);
        html! {
            section class={ "said " (shade) @if amends { " new" } } {
                @if amends {
                    p.gazette {
                        (self.layer_chip(&case.layer)) " "
                        span.kind { (case.kind.as_str()) }
                        @if let Some(label) = label { span.quiet { ", printed as “" (label) "”" } }
                        @if case.title != self.title_of(&case.number) { span.quiet { " · " (case.title) } }
                    }
                }
                @if struck {
                    p.words { del { (prose.render_of(&case.text, &case.number)) } }
                } @else if amends {
                    p.words { ins { (prose.render_of(&case.text, &case.number)) } }
                } @else {
                    p.words { (prose.render_of(&case.text, &case.number)) }
                }
                @if let Some(note) = &case.note { p.remark { (prose.render_of(note, &case.number)) } }
                (self.render_effects(index, case))
                @for read in &case.readings {
                    @let name = format!("{}.{}", case.number, read.name);
                    @if self.links.is_live() {
                        form.inline method="get" data-switch { (render_reading(self.ruleset, &name, &read.ways, self.links)) button { "Read it so" } }
                    } @else {
                        p.readings { "Read as " (self.ruleset.readings.get(&name).map_or("", String::as_str)) ", of " (read.ways.join(", ")) }
                    }
                }
                p.source {
                    @if case.status != Status::Printed { span class={ "status " (case.status.as_str()) } { (case.status.as_str()) } " " }
                    (render_sources(&self.ruleset.game, &case.sources))
                }
                @if is_whole_page { (self.render_for_authors(case)) }
            }
        }
    }

    /// Renders what only authors of rules ask of a layer, folded: its file, what its procedure is given, its examples and its script.
    fn render_for_authors(&self, case: &Case) -> Markup {
        html! {
            details.for-authors {
                summary { "For authors" }
                p { code { (case.file.key) } }
                @if !case.given.is_empty() {
                    h2.small { "What a situation gives " (case.procedures.join(", ")) }
                    dl {
                        @for (name, field) in &case.given {
                            dt { code { (name) } @if field.optional { span.quiet { " may be left out" } } }
                            dd { (field.title) " It is " (field.describe()) "." }
                        }
                    }
                }
                (self.render_examples(case))
                (self.render_script(case))
            }
        }
    }

    /// Returns the title of a case.
    pub fn title_of(&self, number: &str) -> &str {
        let listed_title = self
            .ruleset
            .contents
            .get(number)
            .map(|listed_title| listed_title.title.as_str());
        let case_title = || {
            self.ruleset
                .cases
                .iter()
                .find(|case| case.number == number)
                .map(|case| case.title.as_str())
        };
        listed_title.or_else(case_title).unwrap_or_default()
    }

    /// Returns the effect of a layer's case on the answers below it.
    fn effect(&self, index: usize, function: &CaseFunction) -> Option<CaseEffect> {
        let slot = &self.ruleset.slots[self.ruleset.slot(&function.name, function.arity())?];
        let position = slot.answers.iter().position(|answer| {
            answer.case == index && answer.removed_by.is_none() && answer.reinstated_by.is_none()
        })?;
        Some(match slot.answers.get(position + 1) {
            None => CaseEffect::Answers,
            Some(older)
                if reaches_prior(&self.ruleset.cases[index], slot.answers[position].function) =>
            {
                CaseEffect::BuildsOn(older.deciding_case())
            }
            Some(older) => CaseEffect::Replaces(older.deciding_case()),
        })
    }

    /// Renders the answers that a case gives, strikes and reinstates.
    fn render_effects(&self, index: usize, case: &Case) -> Markup {
        let mut effects: Vec<(String, CaseEffect)> = Vec::new();
        for function in case.public_functions() {
            effects.extend(
                self.effect(index, function)
                    .map(|does| (function.name.clone(), does)),
            );
        }
        for slot in &self.ruleset.slots {
            for answer in &slot.answers {
                let does = match (answer.removed_by, answer.reinstated_by) {
                    (Some(by), _) if by == index => CaseEffect::Removes(answer.case),
                    (_, Some(by)) if by == index => CaseEffect::Reinstates(answer.case),
                    _ => continue,
                };
                effects.push((slot.name.clone(), does));
            }
        }
        let has_amendment = effects
            .iter()
            .any(|(_, does)| !matches!(does, CaseEffect::Answers));
        html! {
            @if has_amendment {
                ul.effects {
                    @for (name, does) in &effects {
                        @match does {
                            CaseEffect::Answers => {}
                            CaseEffect::BuildsOn(older) => li.adds { code { (name) } " adds to " (self.render_cite(*older)) }
                            CaseEffect::Replaces(older) => li.strikes { code { (name) } " in the place of " (self.render_cite(*older)) }
                            CaseEffect::Removes(older) => li.strikes { del { code { (name) } } " of " (self.render_cite(*older)) " no longer holds" }
                            CaseEffect::Reinstates(older) => li.adds { code { (name) } " of " (self.render_cite(*older)) " holds again" }
                        }
                    }
                }
            }
        }
    }

    /// Renders a citation of a case in the colour of its layer.
    pub fn render_cite(&self, index: usize) -> Markup {
        let case = &self.ruleset.cases[index];
        let text = cite_case(self.ruleset, index);
        html! { a.cite href=(self.links.page_address("case", &case.number)) title=(case.title) { (text) } }
    }

    /// Renders the callers of a case's functions.
    fn render_callers(&self, layers: &[usize], references: &References) -> Markup {
        let mut names: Vec<&CaseFunction> = Vec::new();
        for function in layers
            .iter()
            .flat_map(|index| self.ruleset.cases[*index].public_functions())
        {
            if !names.iter().any(|other| other.name == function.name) {
                names.push(function);
            }
        }
        let number = layers
            .first()
            .map(|index| self.ruleset.cases[*index].number.clone());
        let callers_of = |function: &CaseFunction| -> Vec<usize> {
            references
                .callers_of(&function.name)
                .filter(|index| Some(&self.ruleset.cases[*index].number) != number.as_ref())
                .collect()
        };
        html! {
            @if !names.is_empty() {
                details.asked.for-authors {
                    summary { "For authors: who asks it" }
                    dl {
                        @for function in names {
                            dt { code { (function.name) "(" (function.params.join(", ")) ")" } }
                            dd {
                                @if let Some(doc) = function.doc_lines().first() { (doc) " " }
                                @let callers = callers_of(function);
                                @if callers.is_empty() {
                                    @if self.is_procedure(&function.name) { span.quiet { "A procedure, carried out as it is." } }
                                    @else { span.quiet { "Asked within its own case." } }
                                } @else {
                                    span.quiet { "Asked by " }
                                    (render_with_commas(callers.iter().map(|index| self.render_cite(*index))))
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn is_procedure(&self, function: &str) -> bool {
        self.ruleset
            .game
            .procedures
            .iter()
            .any(|(name, _)| function_name(name) == function)
    }

    /// Renders the script of a case, collapsed.
    fn render_script(&self, case: &Case) -> Markup {
        let code: String = case
            .file
            .text
            .lines()
            .skip_while(|line| line.starts_with("//!"))
            .collect::<Vec<_>>()
            .join("\n");
        let answers = case
            .functions
            .iter()
            .filter(|function| !function.is_example())
            .count();
        html! {
            @if answers > 0 {
                details.script {
                    summary { "The script" }
                    pre tabindex="0" { code { (code.trim()) } }
                }
            }
            @if self.links.is_live() {
                p.run { button type="button" data-examples=(case.file.key) { "Run the examples" } " " output {} }
            }
        }
    }

    /// Returns the chapter of a case.
    pub fn chapter_of(&self, number: &str) -> Option<&str> {
        self.ruleset
            .cases
            .iter()
            .find(|case| case.number == number)
            .map(|case| section(case))
    }

    /// Renders the examples of a case: functions beside it, and tests of rulings that hold it.
    fn render_examples(&self, case: &Case) -> Markup {
        let (in_test_file, examples): (Vec<&CaseFunction>, Vec<&CaseFunction>) = case
            .functions
            .iter()
            .filter(|function| function.is_example())
            .partition(|function| function.in_tests());
        let title = |function: &CaseFunction| {
            function
                .name
                .trim_start_matches("example_")
                .replace('_', " ")
        };
        let rulings = RulingTestFile::of_case(case, &self.ruleset.library);
        let tests = || {
            rulings.iter().flat_map(|file| {
                file.tests
                    .iter()
                    .enumerate()
                    .map(move |(index, test)| (file, index, test))
            })
        };
        html! {
            @if !(examples.is_empty() && in_test_file.is_empty() && tests().next().is_none()) {
                section.examples {
                    h2.small { "Examples" }
                    @for example in examples {
                        details {
                            summary {
                                (title(example))
                                @if let Some(id) = example.doc_lines().first() { " " span.quiet { (id) } }
                            }
                            @for line in example.doc_lines().iter().skip(1) { p.quiet { (line) } }
                            pre tabindex="0" { code { (example.body.trim()) } }
                        }
                    }
                    @for (file, index, test) in tests() {
                        details {
                            summary { (test.name) @if let Some(id) = &test.id { " " span.quiet { (id) } } }
                            pre tabindex="0" { code { (file.source(index)) } }
                        }
                    }
                    @if let Some(tests) = case.tests.as_ref().filter(|_| !in_test_file.is_empty()) {
                        p.quiet { "More examples, " (in_test_file.len()) " of them, are in " code { (tests.key) } "." }
                    }
                }
            }
        }
    }
}
