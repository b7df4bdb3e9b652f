//! Test: some reader reads every key of tables, situations, journals and tests of rulings, except those for human readers.

use crate::testing::effectless;
use crate::testing::example;
use crate::testing::mutation_steps::Equivalents;
use crate::testing::test::RulingTestFile;
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::files::{DataFile, Files};
use casebook_engine::data::format::ruling_test::{EQUIVALENTS, JOURNAL, TESTS};
use casebook_engine::data::format::scenario::SITUATION;
use casebook_engine::data::format::table::TABLE;
use casebook_engine::data::keys::{KeyCheck, assert_every_key_is_read};
use casebook_engine::data::library::Library;
use casebook_engine::data::table_file::TableFile;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruling::journal::Journal;
use casebook_engine::ruling::situation::Situation;
use std::sync::Arc;

#[test]
fn every_key_of_a_table_or_a_test_is_read() {
    let checks = [
        KeyCheck {
            more: &[
                "{kind: rule, title: a, sheets: {labels: [x]}, rows: {labels: [a]}, cells: {a: [1]}, known: [{sheet: x, status: printed}]}",
            ],
            ..KeyCheck::new(&TABLE, "tables/a/1.1-a.yaml")
        },
        KeyCheck { more: &["{tests: [{test: a, given: a, odds: {a: 1/2}}]}"], ..KeyCheck::new(&TESTS, "tests/a/a.yaml") },
        KeyCheck::new(&EQUIVALENTS, "tests/a/equivalent-mutants.yaml"),
    ];
    let library = Library::of_repository();
    let table = library.files.by_key.values().find(|file| file.key.starts_with("tables/")).expect("there are tables");
    let table = TableFile::read(table, &"a".into(), &mut Complaints::default()).expect("it is whole");
    assert_every_key_is_read(&checks, &|file: &DataFile, format| {
        let (mut complaints, layer) = (Complaints::default(), "a".into());
        match format.name {
            "table" => {
                example::read_questions(file, "a", None);
                let Some(read) = TableFile::read(file, &layer, &mut complaints) else { return complaints };
                effectless::idle_reason(&read.root);
                if let Some(below) = read.to_table(&mut complaints).or_else(|| table.to_table(&mut complaints)) {
                    read.amend(&below, &mut complaints);
                }
            }
            "tests" => drop(RulingTestFile::parse(file)),
            _ => drop(Equivalents::read(file, &library)),
        }
        complaints
    });
}

#[test]
fn every_key_of_a_situation_is_read() {
    let checks = [KeyCheck {
        needs: "\"situation\": a",
        more: &[
            "{situation: a, title: a, changes: [{piece: one, status: printed, option: b, power: {was: 1, now: 2}}, \
              {piece: two, was: absent, now: {kind: man}}, {place: Here, option: b, hill: {was: true, now: false}}, \
              {side: Here/There, option: b, hill: {was: true, now: false}}]}",
            "{situation: a, title: a, tests: [{test: a, given: a, odds: {a: 1/2}}]}",
        ],
        ..KeyCheck::new(&SITUATION, "scenarios/a/a.yaml")
    }];
    let game = "game: a\ntitle: A\nsides: [Red, Blue]\nkinds: { man: { title: men } }\nattributes: { power: {} }\n\
        places: { named: [Here, There], attributes: { hill: { flag: true } }, sides: { hill: { flag: true } } }\n\
        decks: { a: { holds: { \"1\": 9 } } }\ntracks: { a: { from: 0, to: 9 } }\nprocedures: { act: It acts. }\n";
    let case = "//! case: \"1.1\"\n//! title: A\n//! kind: rule\n//! procedure: act\n//! text: A.\n\nfn act(given) { choose(\"Red\", \"way\", [1, 2]); }\n";
    let below = "situation: a\ntitle: A\nprocedure: act\npieces: [{ name: one, kind: man, power: 1 }]\n\
        map: { places: { Here: { hill: true } }, sides: { Here/There: { hill: true } } }\n";
    let small = Files::default()
        .with_text("rules/a/game.yaml", game)
        .with_text("rules/a/01-a/1.1-a.rhai", case)
        .with_text("variants/v/variant.yaml", "variant: v\ntitle: V\ngame: a\noptions: { b: { title: B } }\n");
    assert_every_key_is_read(&checks, &|file: &DataFile, _| {
        let mut complaints = Complaints::default();
        example::read_questions(file, "a", None);
        drop(RulingTestFile::parse(file));
        for files in [
            small.clone().with_text("scenarios/a/a.yaml", &file.text),
            small.clone().with_text("scenarios/a/a.yaml", below).with_text("variants/v/scenarios/a.yaml", &file.text),
        ] {
            let library = Arc::new(Library::new(files));
            library.in_force_for("a", "a", None);
            let spec = RulesetSpec::new("a", &["v"]);
            let situation = Situation::load(&library, &spec, "a");
            if let Ok(scenario) = Ruleset::compose(&library, &spec).and_then(|(ruleset, _)| ruleset.scenario("a")) {
                effectless::idle_reason(&scenario.root);
                scenario.search_words().for_each(drop);
            }
            if let Err(Error::Data(situation_complaints)) = situation {
                complaints.0.extend(situation_complaints.0);
            }
        }
        complaints
    });
}

#[test]
fn every_key_of_a_journal_is_read() {
    let checks = [KeyCheck {
        more: &[
            "{journal: 2, game: a, situation: a, moves: [{throw: d6, for: a, faces: [1]}, {choice: a, side: a, options: [a, b], taken: a}]}",
        ],
        ..KeyCheck::new(&JOURNAL, "a.yaml")
    }];
    assert_every_key_is_read(&checks, &|file: &DataFile, _| {
        // The sample of a number is 1; a move with one key alone lacks others.
        match Journal::parse(&file.path, &file.text.replace("\"journal\": 1", "\"journal\": 2")) {
            Err(Error::Data(complaints)) if !file.text.contains("\"moves\"") => complaints,
            _ => Complaints::default(),
        }
    });
}
