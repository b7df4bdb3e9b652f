//! What a procedure is given and may do without: asked alone without it, the ruling is one that a value of it gives, a part of one or more than one,
//! a refusal in words, or a question to a side. Nothing breaks off, and no input goes untried.

use crate::common::runner::with_deep_stack;
use crate::common::stacks::built_in;
use casebook::RulesetSpec;
use casebook::code::program::Program;
use casebook::data::node::{YamlNode, YamlValue};
use casebook::data::scenario::Scenario;
use casebook::data::sheet::SheetField;
use casebook::data::yaml::YamlReader;
use casebook::ruleset::diagnostics::build_ruleset;
use casebook::ruling::resolve::{self, ResolveRequest};
use casebook::ruling::situation::Situation;
use casebook::situation::trace::Event;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Maximum number of names of pieces or places that are tried.
const MAX_NAMES: usize = 12;

/// What no shipped situation says: procedure, name and value.
const MADE: [(&str, &str, &str); 4] = [
    ("*", "label", "the first"),
    ("direct command", "as", "brigadier general"),
    ("manoeuvre", "step", "forward"),
    ("voyage", "path", "[B2603/B2704, B2603/B2604]"),
];

/// Procedures that no shipped situation asks for alone, and a situation whose board they can be asked on.
const BOARDS: [(&str, &str); 2] = [
    ("combat initiative", "warrens-corps"),
    ("end of a player-turn", "warrens-corps"),
];

/// What no shipped situation can be given: none has a leader with ships before a fort.
const UNTRIED: [&str; 1] = ["wbts naval attack on a fort: leader"];

fn node(yaml: &str) -> YamlNode {
    let text = format!("made: {yaml}");
    let root = YamlReader::new("made", &text)
        .parse(&text)
        .expect("it is YAML");
    root.get("made").expect("it is there").clone()
}

/// The scenario with another value of one input, or without it.
fn with_given(scenario: &Scenario, key: &str, value: Option<YamlNode>) -> Scenario {
    let mut scenario = scenario.clone();
    let mut given = scenario.root.entries_of("given").to_vec();
    given.retain(|(name, _)| name.as_text() != Some(key));
    given.extend(value.map(|value| (node(&format!("{key:?}")), value)));
    if let YamlValue::Map(entries) = &mut scenario.root.value {
        entries.retain(|(name, _)| name.as_text() != Some("given"));
        let given = YamlNode {
            span: Default::default(),
            value: YamlValue::Map(given),
        };
        entries.push((node("given"), given));
    }
    scenario
}

/// A ruling: its lines and outcomes, or why it refused; and what it asked.
struct Ruled {
    text: Vec<String>,
    results: String,
    refused: Option<String>,
    asked: BTreeSet<String>,
}

/// Resolves it; the error is that of a rule that broke off.
fn ruled(program: &Arc<Program>, scenario: Scenario) -> Result<Ruled, String> {
    let resolved = Situation::new(program, scenario).and_then(|situation| {
        resolve::resolve(
            &mut situation.machine(),
            &situation,
            ResolveRequest::default(),
        )
    });
    let resolved = match resolved {
        Ok(resolved) => resolved,
        // What the situation lacks is said in words.
        Err(error)
            if [
                "has no value for the track",
                "error[given]",
                "can't be given",
            ]
            .iter()
            .any(|words| error.to_string().contains(words)) =>
        {
            return Ok(Ruled {
                text: Vec::new(),
                results: String::new(),
                refused: Some(error.to_string()),
                asked: BTreeSet::new(),
            });
        }
        Err(error) => return Err(error.to_string()),
    };
    let lines = resolved.ruling.steps.iter().flat_map(|step| &step.lines);
    Ok(Ruled {
        text: lines.map(|line| line.text.clone()).collect(),
        results: format!("{:?}", resolved.ruling.results),
        refused: resolved.ruling.refused.map(|line| line.text),
        asked: resolved
            .events
            .iter()
            .filter_map(|event| match event {
                Event::Choice(made) => Some(made.question.to_string()),
                _ => None,
            })
            .collect(),
    })
}

/// The values of an input that are tried.
fn values(
    procedure: &str,
    key: &str,
    field: &SheetField,
    scenario: &Scenario,
    program: &Program,
) -> Vec<YamlNode> {
    let made = MADE
        .iter()
        .filter(|(of, name, _)| *name == key && ["*", procedure].contains(of));
    let mut values: Vec<YamlNode> = made.map(|(.., yaml)| node(yaml)).collect();
    values.extend(
        scenario
            .root
            .get("given")
            .and_then(|given| given.get(key))
            .cloned(),
    );
    let rule = &field.constraint;
    let mut names: BTreeSet<String> = rule.words.iter().cloned().collect();
    for kind in &rule.references {
        let pieces = scenario.pieces.iter();
        match &kind[..] {
            "side" => names.extend(program.ruleset.game.sides.iter().cloned()),
            "piece" => names.extend(pieces.map(|piece| piece.name.clone()).take(MAX_NAMES)),
            "place" => names.extend(
                pieces
                    .filter_map(|piece| piece.word("at").map(String::from))
                    .take(MAX_NAMES),
            ),
            _ => {}
        }
    }
    if !rule.bands.is_empty() {
        names.extend((0..37).map(|number| number.to_string()));
    }
    if field.is_list {
        values.push(node("[]"));
        values.push(node(&format!("{:?}", names.iter().collect::<Vec<_>>())));
    }
    let one = |name: &String| match (field.is_list, rule.references.is_empty()) {
        (true, _) => node(&format!("[{name:?}]")),
        (false, true) => node(name),
        (false, false) => node(&format!("{name:?}")),
    };
    values.extend(names.iter().map(one));
    values
}

/// Every line of one is in the other, or the outcomes are the same.
fn is_part(one: &Ruled, other: &Ruled) -> bool {
    one.results == other.results || one.text.iter().all(|line| other.text.contains(line))
}

/// What is found of all inputs that may be left out.
#[derive(Default)]
struct Found {
    /// Every input that a procedure may do without.
    all: BTreeSet<String>,
    tried: BTreeSet<String>,
    faults: Vec<String>,
}

impl Found {
    /// Asks for the procedure of a scenario without each of its inputs that may be left out, and with the values of it.
    fn ask(&mut self, program: &Arc<Program>, scenario: &Scenario) {
        let procedure = scenario.procedure.as_deref().unwrap_or_default();
        for (key, field) in program.ruleset.given(procedure) {
            if !field.optional && field.alternative.is_none() {
                continue;
            }
            let what = format!("{} {procedure}: {key}", program.ruleset.game.name);
            self.all.insert(what.clone());
            let at = format!("{what}, in {}", scenario.name);
            let without = match ruled(program, with_given(scenario, &key, None)) {
                Ok(ruled) => ruled,
                Err(error) => {
                    self.faults.push(format!("{at}: {error}"));
                    continue;
                }
            };
            let mut others = Vec::new();
            for value in values(procedure, &key, &field, scenario, program) {
                let shown = format!("{:?}", value.value);
                let with = match ruled(program, with_given(scenario, &key, Some(value))) {
                    Ok(ruled) => ruled,
                    Err(error) => {
                        self.faults.push(format!("{at}, given {shown}: {error}"));
                        continue;
                    }
                };
                // What is refused supplies nothing.
                if with.refused.is_some() && with.refused != without.refused {
                    continue;
                }
                let in_words = without.refused.is_some() || !without.asked.is_subset(&with.asked);
                if in_words || is_part(&without, &with) || is_part(&with, &without) {
                    others.clear();
                    self.tried.insert(what.clone());
                    break;
                }
                others.push(format!(
                    "{at}: {:?}; given {shown}: {:?}",
                    without.text, with.text
                ));
            }
            self.faults.extend(others.into_iter().next());
        }
    }
}

#[test]
fn what_is_left_out_is_supplied_refused_or_asked() {
    let found = with_deep_stack(|| {
        let library = built_in();
        let mut found = Found::default();
        for game in library.games.keys() {
            let mut programs: BTreeMap<Vec<String>, Arc<Program>> = BTreeMap::new();
            for (name, variant) in library.scenarios(game) {
                let with = library
                    .in_force_for(game, &name, variant.as_deref())
                    .variants;
                let program = programs.entry(with.clone()).or_insert_with(|| {
                    let spec = RulesetSpec::with_variants(game, with);
                    let built = build_ruleset(&library, &spec).expect("it is built");
                    Arc::new(Program::new(Arc::new(built.0)))
                });
                let scenario = program.ruleset.scenario(&name).expect("it is shipped");
                if scenario.is_game {
                    continue;
                }
                found.ask(program, &scenario);
                for (procedure, _) in BOARDS.iter().filter(|(_, board)| *board == name) {
                    let mut asked = Scenario::clone(&scenario);
                    asked.procedure = Some((*procedure).into());
                    found.ask(program, &asked);
                }
            }
            for program in programs.values() {
                for (procedure, _) in &program.ruleset.game.procedures {
                    let fields = program.ruleset.given(procedure);
                    let left_out = fields.iter().filter(|(_, field)| field.optional);
                    found
                        .all
                        .extend(left_out.map(|(key, _)| format!("{game} {procedure}: {key}")));
                }
            }
        }
        found
    });
    assert!(found.faults.is_empty(), "{}", found.faults.join("\n"));
    assert!(found.tried.len() > 150, "{:?}", found.tried);
    let untried: Vec<_> = found.all.difference(&found.tried).collect();
    assert_eq!(untried, UNTRIED);
}
