//! For every stack that options, `after` and `excludes` allow, composition succeeds or `check` has complained: generated folders against all
//! stacks, composed one by one.

use crate::common::repository;
use casebook::Library;
use casebook::author::check::check;
use casebook::complaint::{Complaint, Complaints, Error, Severity};
use casebook::data::files::Files;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruleset::diagnostics::build_ruleset;
use std::fmt::Write;
use std::sync::Arc;

const NAMES: [&str; 3] = ["ash", "birch", "cedar"];

/// Picks by a generator of its own, so that a number names a folder.
struct Picks(u64);

impl Picks {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % below
    }

    fn of<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len() as u64) as usize]
    }

    /// A line that names an option, or none.
    fn option(&mut self, lead: &str) -> String {
        match self.below(4) {
            0 => format!("{lead}option: one\n"),
            1 => format!("{lead}option: two\n"),
            _ => String::new(),
        }
    }
}

/// The files of a variant: some changes of a cell, of a figure, of a function and of a place in it.
fn variant(picks: &mut Picks, index: usize, files: &mut Vec<(String, String)>) {
    let folder = format!("variants/{}", NAMES[index]);
    let flags = [picks.of(&["on", "off"]), picks.of(&["on", "off"])];
    let mut manifest = format!(
        "title: A variant\ngame: skirmish\noptions:\n  one: {{ title: One, default: {} }}\n  two: {{ title: Two, default: {} }}\n",
        flags[0], flags[1]
    );
    for older in &NAMES[..index] {
        match picks.below(6) {
            0 | 1 => writeln!(manifest, "after: [{older}]"),
            2 => writeln!(manifest, "after: [{older}]\nneeds: [{older}]"),
            3 => writeln!(manifest, "excludes: [{older}]"),
            _ => continue,
        }
        .expect("a text can be written");
        break;
    }
    if picks.below(4) == 0 {
        let option = picks.option("    ").trim_start().to_string();
        let was = picks.of(&["1d6", "2d6"]);
        write!(
            manifest,
            "changes:\n  - case: \"1.1\"\n    throw: attack\n    was: {was}\n    dice: {}\n",
            picks.of(&["1d6+1", "2d6"])
        )
        .expect("a text can be written");
        if !option.is_empty() {
            write!(manifest, "    {option}").expect("a text can be written");
        }
    }
    files.push((format!("{folder}/variant.yaml"), manifest));
    let values = ["1/1", "2/1", "2/2"];
    if picks.below(2) == 0 {
        let text = format!(
            "table: combat\ntitle: Combat\nkind: correction\n{}changes:\n  - {{ column: \"2:1\", row: 1, was: \"{}\", now: \"{}\" }}\n",
            picks.option(""),
            picks.of(&["1/0", "1/1", "2/1"]),
            picks.of(&values)
        );
        files.push((format!("{folder}/tables/combat.yaml"), text));
    }
    if picks.below(2) == 0 {
        let text = format!(
            "situation: bridge\ntitle: At the bridge\nkind: correction\nchanges:\n  - piece: Blue foot\n    strength: {{ was: {}, now: {} }}\n{}",
            picks.of(&["3", "3", "4"]),
            picks.of(&["4", "5"]),
            picks.option("    ")
        );
        files.push((format!("{folder}/scenarios/bridge.yaml"), text));
    }
    if picks.below(3) == 0 {
        let option = picks.option("//! ");
        let (kind, body) = match picks.below(3) {
            0 => ("addition", "prior()"),
            1 => ("correction", "units"),
            _ => ("correction", "units.where(|u| u.strength > 0)"),
        };
        let text = format!(
            "//! case: \"2.1\"\n//! title: Losses\n//! kind: {kind}\n{option}\n/// Who loses first.\nfn loss_order(side, units) {{\n    {body}\n}}\n"
        );
        files.push((format!("{folder}/rules/02-losses/2.1-losses.rhai"), text));
    }
}

fn library(seed: u64) -> Arc<Library> {
    let root = repository().join("tests/skirmish");
    let mut files: Vec<(String, String)> = [
        "rules/skirmish/game.yaml",
        "rules/skirmish/contents.yaml",
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "rules/skirmish/02-losses/2.1-losses.rhai",
        "tables/skirmish/combat.yaml",
        "scenarios/skirmish/bridge.yaml",
    ]
    .map(|path| {
        let text = std::fs::read_to_string(root.join(path)).expect("the file is there");
        (path.to_string(), text)
    })
    .into();
    let mut picks = Picks(seed);
    (0..NAMES.len()).for_each(|index| variant(&mut picks, index, &mut files));
    let texts = files.into_iter().collect();
    Arc::new(Library::new(
        Files::with_texts(texts, casebook::data::embedded::Embedded::default()).read_all(),
    ))
}

/// What one stack is refused for; nothing if it composes.
fn faults(library: &Arc<Library>, spec: &RulesetSpec) -> Vec<Complaint> {
    let of_error = |error: Error| match error {
        Error::Data(list) => list.0,
        other => panic!("{spec:?}: {other}"),
    };
    let (ruleset, _) = match build_ruleset(library, spec) {
        Ok(built) => built,
        Err(error) => return of_error(error),
    };
    let tables = ruleset
        .table_names()
        .filter_map(|id| ruleset.table(id).err());
    let lists = ruleset.scenario_names().into_iter();
    let lists = lists
        .filter_map(|name| ruleset.scenario(name).err())
        .map(of_error);
    let all = tables.map(|list| list.0).chain(lists).flatten();
    all.filter(|complaint| complaint.severity == Severity::Error)
        .collect()
}

/// All stacks: each set of variants that don't exclude each other, under each setting of the options in force.
fn stacks(library: &Library) -> Vec<RulesetSpec> {
    let mut stacks = Vec::new();
    for bits in 1usize..1 << NAMES.len() {
        let chosen = NAMES.iter().enumerate();
        let chosen: Vec<&str> = chosen
            .filter(|(at, _)| bits >> at & 1 == 1)
            .map(|(_, name)| *name)
            .collect();
        let in_force: Vec<String> = chosen
            .iter()
            .flat_map(|name| library.with_needs(name))
            .collect();
        let excludes = |name: &String| {
            library.variants[name]
                .excludes
                .iter()
                .any(|other| in_force.contains(other))
        };
        if in_force.iter().any(excludes) {
            continue;
        }
        let options: Vec<String> = chosen
            .iter()
            .flat_map(|name| ["one", "two"].map(|option| format!("{name}.{option}")))
            .collect();
        for set in 0usize..1 << options.len() {
            let switched = options.iter().enumerate();
            let options = switched
                .map(|(at, name)| (name.clone(), set >> at & 1 == 1))
                .collect();
            stacks.push(RulesetSpec {
                options,
                ..RulesetSpec::new("skirmish", &chosen)
            });
        }
    }
    stacks
}

#[test]
fn what_does_not_compose_is_complained_of_and_nothing_else() {
    let (mut sound, mut faulty) = (0, 0);
    for seed in 0..40 {
        let library = library(seed);
        let complaints = check(&library, &|_| true);
        let shown = || {
            let variants = library
                .files
                .by_key
                .values()
                .filter(|file| file.key.starts_with("variants/"));
            let texts: String = variants
                .map(|file| format!("--- {}\n{}\n", file.key, &*file.text))
                .collect();
            format!("folder {seed}\n{texts}\n{}", complaints.render(false))
        };
        let mut fails = false;
        for spec in stacks(&library) {
            let faults = faults(&library, &spec);
            fails |= !faults.is_empty();
            let is_known = |fault: &Complaint| {
                let mut known = complaints.0.iter();
                known.any(|known| (known.code, &known.place) == (fault.code, &fault.place))
            };
            // Of three, the pairs among them say it.
            let is_said = match spec.variants.len() {
                1 | 2 => faults.is_empty() || faults.iter().any(is_known),
                _ => faults.is_empty() || !complaints.0.is_empty(),
            };
            assert!(
                is_said,
                "{spec:?}\n{}\n{}",
                Complaints(faults).render(false),
                shown()
            );
        }
        assert!(fails || !complaints.has_errors(), "{}", shown());
        (sound, faulty) = (sound + usize::from(!fails), faulty + usize::from(fails));
    }
    assert!(sound > 1 && faulty > 20, "{sound} sound, {faulty} faulty");
}
