//! The ruling as a form: what a value is said to be made of moves it, what is only said moves nothing else, and what other faces give is
//! what they give.

use crate::common::Folder;
use casebook::RulesetSpec;
use casebook::code::program::Program;
use casebook::data::library::Library;
use casebook::house::change::RuleChange;
use casebook::house::effect::{EffectQuery, KnownSituations};
use casebook::house::ruling_forks::{GivenThrow, RulingDice, forks};
use casebook::house::ruling_form::{FormLine, FormPlace, LinePart, RulingForm, ruling_form};
use casebook::house::trial::RulesTrial;
use casebook::ruleset::diagnostics::build_ruleset;
use casebook::ruling::resolve::{ResolveRequest, resolve};
use casebook::ruling::situation::Situation;
use casebook::situation::dice::SeededDice;
use casebook::situation::value::Value;
use casebook::usecase::settings::SituationSettings;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Situations whose rulings are read here, with what is switched on below.
const BATTLES: [(&str, &str, &[&str]); 4] = [
    ("wbts", "lee-attacks-porter", &["second-edition", "dye"]),
    ("wbts", "lee-crosses-the-pamunkey", &[]),
    ("tmag", "macdougall-assaults", &[]),
    ("banasik", "regiment-assault", &[]),
];
const SEED: u64 = 1;
const DICE: RulingDice = RulingDice {
    seed: SEED,
    given: Vec::new(),
};

/// The shipped games, with the rules that were compiled.
struct Games {
    library: Arc<Library>,
    programs: Mutex<Vec<(RulesetSpec, Arc<Program>)>>,
}

impl Games {
    fn new() -> Games {
        Games {
            library: casebook::built_in(),
            programs: Mutex::default(),
        }
    }

    fn program(&self, spec: &RulesetSpec) -> Result<Arc<Program>, casebook::Error> {
        let mut programs = self.programs.lock().expect("no test failed here");
        if let Some((_, program)) = programs.iter().find(|(known, _)| known == spec) {
            return Ok(program.clone());
        }
        let program = Arc::new(Program::new(Arc::new(
            build_ruleset(&self.library, spec)?.0,
        )));
        programs.push((spec.clone(), program.clone()));
        Ok(program)
    }

    /// Asks what changes do to a battle.
    fn tried<T>(
        &self,
        (game, on): (&str, &[&str]),
        changes: Vec<RuleChange>,
        ask: impl FnOnce(&EffectQuery) -> T,
    ) -> T {
        let trial = RulesTrial {
            game: game.into(),
            variant: "mine".into(),
            changes,
            switched: on.iter().map(|name| (name.to_string(), true)).collect(),
            ..RulesTrial::default()
        };
        let (known, settings) = (KnownSituations::default(), SituationSettings::default());
        let program = |spec: &RulesetSpec| self.program(spec);
        ask(&EffectQuery::new(
            &self.library,
            &trial,
            &program,
            &known,
            &settings,
        ))
    }

    fn situation(&self, (game, name, on): (&str, &str, &[&str])) -> Situation {
        self.tried((game, on), Vec::new(), |query| query.situation_before(name))
            .expect("a situation")
    }
}

fn values(line: &FormLine) -> impl Iterator<Item = (&str, &[FormPlace])> {
    line.parts.iter().filter_map(|part| match part {
        LinePart::Value(value) => Some((value.text.as_str(), &value.places[..])),
        LinePart::Text(_) => None,
    })
}

/// Returns the places of numbers by their address, each with the line in which a value was made of it.
fn number_places(form: &RulingForm) -> BTreeMap<String, (FormPlace, String)> {
    let mut found = BTreeMap::new();
    for line in &form.lines {
        for place in values(line).flat_map(|(_, places)| places) {
            let is_number = matches!(place.value, Value::Number(_)) && place.kind != "figure";
            if is_number && place.address.0 == "rule" {
                let entry = || (place.clone(), line.text());
                found.entry(place.address.1.clone()).or_insert_with(entry);
            }
        }
    }
    found
}

/// The lines of the form are those of the ruling.
#[test]
fn the_lines_are_those_of_the_ruling() {
    let games = Games::new();
    for battle in BATTLES {
        let situation = games.situation(battle);
        let form = ruling_form(&situation, &DICE, Some(0)).expect("a form");
        let request = ResolveRequest {
            stream: Box::new(SeededDice::new(SEED)),
            ..ResolveRequest::default()
        };
        let ruling = resolve(&mut situation.machine(), &situation, request).expect("a ruling");
        let lines = ruling.ruling.steps.iter().flat_map(|step| &step.lines);
        let said = lines.map(|line| (line.text.clone(), &*line.cites));
        let shown = form.lines.iter().map(|line| (line.text(), &*line.cites));
        assert!(shown.eq(said), "{}", battle.1);
    }
}

/// A number that a place adds one to is another number: where it counts, the ruling is another one.
#[test]
fn what_a_value_is_made_of_moves_the_ruling() {
    let games = Games::new();
    let (mut tried, mut still) = (0, Vec::new());
    for (game, name, on) in BATTLES {
        let situation = games.situation((game, name, on));
        let form = ruling_form(&situation, &DICE, None).expect("a form");
        let before: Vec<String> = form.lines.iter().map(FormLine::text).collect();
        for (address, (place, line)) in number_places(&form) {
            let typed = format!("{address} = add 1");
            let change = RuleChange::parse_rule(&typed).expect(&typed);
            let after = games.tried((game, on), vec![change], |query| {
                ruling_form(&query.situation_after(name)?, &DICE, None)
            });
            tried += 1;
            // A rule that breaks with it has asked it.
            let is_same = after.is_ok_and(|after| {
                let after = after.lines.iter().map(FormLine::text);
                after.eq(before.iter().cloned())
            });
            if is_same {
                still.push(format!(
                    "{name}: {typed} (used: {}) in {line}",
                    place.is_used
                ));
            }
        }
    }
    // What is left are bounds, such as the 0 of `max(0, ...)`, that do not bind here.
    assert!(tried > 200 && still.len() * 10 < tried, "{still:#?}");
}

/// The faces of a throw are those of its dice, one of them is what was thrown, and that is what the ruling says.
#[test]
fn other_faces_are_those_of_the_dice() {
    let games = Games::new();
    for battle in BATTLES {
        let situation = games.situation(battle);
        let form = ruling_form(&situation, &DICE, None).expect("a form");
        let texts: Vec<String> = form.lines.iter().map(FormLine::text).collect();
        let forks = forks(&situation, &DICE).expect("forks");
        assert!(!forks.is_empty(), "{}", battle.1);
        for fork in forks {
            let chance: f64 = fork.cases.iter().map(|case| case.chance).sum();
            assert!((chance - 1.0).abs() < 1e-9, "{}: {chance}", fork.purpose);
            let mut totals: Vec<u32> = fork
                .cases
                .iter()
                .flat_map(|case| case.totals.clone())
                .collect();
            totals.sort_unstable();
            let all: Vec<u32> = (totals[0]..=totals[totals.len() - 1]).collect();
            assert_eq!(totals, all, "{}", fork.purpose);
            let mut thrown = fork.cases.iter().filter(|case| case.is_thrown);
            let (case, other) = (thrown.next().expect("one was thrown"), thrown.next());
            assert!(other.is_none(), "{}", fork.purpose);
            if let [total] = case.totals[..] {
                let said = case.texts();
                let shown = &texts[fork.line..fork.line + said.len()];
                assert_eq!(said, shown, "{}: {total}", fork.purpose);
            }
            // With its dice chosen the ruling is the one that was forked.
            for case in fork.cases.iter().filter(|case| case.totals.len() == 1) {
                let mut chosen = DICE;
                chosen.set(GivenThrow::parse(&case.throw.to_parameter()).expect("a throw"));
                let form = ruling_form(&situation, &chosen, None).expect("a form");
                let texts: Vec<String> = form.lines.iter().map(FormLine::text).collect();
                let said = case.texts();
                let shown = &texts[fork.line..fork.line + said.len()];
                assert_eq!(said, shown, "{}: {:?}", fork.purpose, case.totals);
            }
        }
    }
}

/// A rule that builds a long list, or loops often, is recorded as far as the bounds go, in time.
#[test]
fn long_loops_are_recorded_within_bounds() {
    const ATTACK: &str = "rules/skirmish/01-battle/1.1-attack.rhai";
    let folder = Folder::skirmish();
    let text = folder.read(ATTACK);
    let loops = "    let seen = [];
    let sum = 0;
    for n in 0..60000 { if n % 3 == 0 { sum += n; } }
    for n in 0..5000 { seen.push(n); }
    let add = |n| { sum += n; };
    add.call(2);
    say(\"{} of {}.\", [sum, seen.len()]);
    step(\"Attack\");";
    folder.write(ATTACK, text.replacen("    step(\"Attack\");", loops, 1));
    let start = Instant::now();
    let run = folder
        .run(&["what-if", "bridge", "--rule", "1.1"])
        .expect_success();
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
    // A variable that a closure shares has its value, and not the number of its cell.
    assert!(
        run.out.contains("1.1 let: sum = add 1 (here 0)"),
        "{}",
        run.out
    );
}
