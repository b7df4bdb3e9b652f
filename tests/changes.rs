//! Lists of changes: each operation on every form of expression, composed with corrections below, other lists and later layers.

use crate::common::Says;
use casebook::complaint::{Complaints, Error};
use casebook::data::embedded::Embedded;
use casebook::data::library::Library;
use casebook::notation::Face;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruleset::diagnostics::build_ruleset;
use casebook::ruling::resolve::{ResolveRequest, Ruling, resolve};
use casebook::ruling::situation::Situation;
use casebook::situation::dice::TypedDice;
use std::sync::Arc;

const GAME: &str =
    "game: race\ntitle: A race\nsides: [Red, Blue]\nprocedures: { race: Red throws. }\n";
const START: &str = "situation: start\ntitle: The start\nstatus: printed\nprocedure: race\n";
const CHART: &str = "table: chart\ntitle: A chart\nkind: rule\nstatus: printed\ncolumns: { of: odds, labels: [\"1:1\", \"2:1\", \"3:1\"] }\nrows: { of: die, labels: [1, 2, 3], }\nholds: text\ncells: { 1: [a, b, c], 2: [d, e, f], 3: [g, h, i] }\n";
const LOSSES: &str = "table: losses\ntitle: Losses\nkind: rule\nstatus: printed\ncolumns: { of: odds, labels: [\"1:1\", \"2:1\"] }\nrows: { of: die, labels: [1, 2] }\nfields: [attacker, defender]\nmarks: { \"*\": retreat }\ncells: { 1: [1/2*, 1/3], 2: [\"?\", 1/2*] }\n";

/// The files of a game whose case 1 has these functions, and of layers over it: name, what else its manifest says, its own case 1.
fn files(functions: &str, layers: &[(&str, &str, &str)]) -> Vec<(String, String)> {
    let card = |kind: &str, text: &str| {
        format!(
            "//! case: \"1\"\n//! title: The race\n//! kind: {kind}\n//! text: Red throws.\n\n{text}\n"
        )
    };
    let mut files = vec![
        ("rules/race/game.yaml".into(), GAME.into()),
        (
            "rules/race/1-race/1-race.rhai".into(),
            card("rule", functions),
        ),
        ("tables/race/chart.yaml".into(), CHART.into()),
        ("tables/race/losses.yaml".into(), LOSSES.into()),
        ("scenarios/race/start.yaml".into(), START.into()),
    ];
    for (name, manifest, script) in layers {
        let head = format!("variant: {name}\ntitle: Layer {name}\ngame: race\n{manifest}\n");
        files.push((format!("variants/{name}/variant.yaml"), head));
        if !script.is_empty() {
            files.push((
                format!("variants/{name}/rules/1-race/1-race.rhai"),
                card("correction", script),
            ));
        }
    }
    files
}

fn ruling(functions: &str, layers: &[(&str, &str, &str)], faces: &[u32]) -> Result<Ruling, Error> {
    let library = Library::from_files(files(functions, layers), Embedded::default())?;
    assert!(
        !library.complaints().has_errors(),
        "{}",
        library.complaints()
    );
    let names: Vec<&str> = layers.iter().map(|(name, ..)| *name).collect();
    let spec = RulesetSpec::new("race", &names);
    build_ruleset(&library, &spec)?;
    let situation = Situation::load(&library, &spec, "start")?;
    let faces = faces.iter().map(|face| Face::from(*face)).collect();
    let request = ResolveRequest {
        stream: Box::new(TypedDice::new(faces)),
        dice_from: "typed".into(),
        ..ResolveRequest::default()
    };
    Ok(resolve(&mut situation.machine(), &situation, request)?.ruling)
}

/// The outcome `v` of the race with one list of changes.
fn value(functions: &str, changes: &str, faces: &[u32]) -> String {
    let ruling = ruling(functions, &[("mine", &list(changes), "")], faces);
    let ruling = ruling.unwrap_or_else(|error| panic!("{functions}\n{changes}\n{error}"));
    ruling.results["v"].to_string().replace('"', "")
}

fn list(changes: &str) -> String {
    let entries = changes.lines().filter(|line| !line.trim().is_empty());
    format!(
        "changes:\n{}",
        entries
            .map(|entry| format!("  - {{ {} }}\n", entry.trim()))
            .collect::<String>()
    )
}

/// What is wrong with the rules under some layers.
fn faults(functions: &str, layers: &[(&str, &str, &str)]) -> Complaints {
    let library = Library::from_files(files(functions, layers), Embedded::default())
        .expect("these are files");
    let names: Vec<&str> = layers.iter().map(|(name, ..)| *name).collect();
    let mut complaints = library.complaints().clone();
    match build_ruleset(&library, &RulesetSpec::new("race", &names)) {
        Ok((ruleset, notes)) => {
            complaints.0.extend(notes.0);
            let tables = ruleset.table_names().map(|id| ruleset.table(id));
            for errors in tables.filter_map(Result::err) {
                complaints.0.extend(errors.0);
            }
        }
        Err(Error::Data(errors)) => complaints.0.extend(errors.0),
        Err(error) => panic!("{error}"),
    }
    complaints
}

const ROLLS: &str = "fn race(given) { result(\"v\", speed(3)); }\nfn speed(n) { ";

#[test]
fn places_are_changed_in_every_form_of_expression() {
    for (body, entry, faces, expected) in [
        (
            "roll(\"1d6\", \"run\") + n",
            "case: \"1\", throw: run, add: 2",
            &[4][..],
            "9",
        ),
        (
            "-roll(\"1d6\", \"run\")",
            "case: \"1\", throw: run, add: 2",
            &[4],
            "-6",
        ),
        (
            "() ?? roll(\"1d6\", \"run\")",
            "case: \"1\", throw: run, add: -1",
            &[4],
            "3",
        ),
        (
            "max(0, min(5, roll(\"1d6\", \"run\")))",
            "case: \"1\", throw: run, add: 3",
            &[4],
            "5",
        ),
        (
            "[1, 2].map(|x| x + roll(\"1d6\", \"run\")).sum()",
            "case: \"1\", throw: run, add: n, when: n == 3",
            &[],
            "n is not a number",
        ),
        (
            "let t = 0; for x in [1, 2] { t += roll(\"1d6\", \"run\"); } t",
            "case: \"1\", throw: run, add: 1, when: x == 2",
            &[1, 1],
            "3",
        ),
        (
            "[1, 2].where(|x| roll(\"1d6\", \"run\") > 3).len()",
            "case: \"1\", throw: run, add: 2, when: x == n - 1",
            &[3, 3],
            "1",
        ),
        (
            "switch n { 3 => roll(\"1d6\", \"run\"), _ => 0 }",
            "case: \"1\", throw: run, times: 1/2, rounded: up",
            &[5],
            "3",
        ),
        (
            "if n > 2 { roll(\"1d6\", \"run\") } else { 0 }",
            "case: \"1\", throw: run, at_most: 2",
            &[5],
            "2",
        ),
        (
            "#{ a: roll(\"1d6\", \"run\") }.a",
            "case: \"1\", throw: run, at_least: 4",
            &[1],
            "4",
        ),
        (
            "roll(\"1d6\", \"run\")",
            "case: \"1\", throw: run, dice: 2d6",
            &[5, 6],
            "11",
        ),
        (
            "roll(\"1d6\", \"run\")",
            "case: \"1\", throw: run, now: \"if answer == 6 { 0 } else { answer }\"",
            &[6],
            "0",
        ),
        (
            "pace(n)\n}\nprivate fn pace(m) { roll(\"1d6\", \"run\") + m",
            "case: \"1\", throw: run, add: m",
            &[],
            "m is not a number",
        ),
        (
            "pace(n)\n}\nprivate fn pace(m) { roll(\"1d6\", \"run\") + m",
            "case: \"1\", throw: run, add: 1, when: m == 3",
            &[2],
            "6",
        ),
        (
            "let far = n * 2; far + 1",
            "case: \"1\", let: far, add: 10",
            &[],
            "17",
        ),
        (
            "let far = n * 2; far + 1",
            "case: \"1\", let: far, was: n * 2, now: n",
            &[],
            "4",
        ),
        ("n + 7", "case: \"1\", number: 7, now: 8", &[], "11"),
        (
            "(n + 2) * 2 - 2",
            "case: \"1\", number: 2, in: n + 2, now: 5",
            &[],
            "14",
        ),
        (
            "(n + 2) * (n + 2)",
            "case: \"1\", number: 2, in: n + 2, now: 0",
            &[],
            "9",
        ),
        (
            "table(\"chart\", \"2:1\", 2)",
            "case: \"1\", look_up: chart, columns: -1",
            &[],
            "d",
        ),
        (
            "table(\"chart\", \"2:1\", 2)",
            "look_up: chart, columns: 1, rows: 1",
            &[],
            "i",
        ),
        (
            "table(\"chart\", [5, 1], 3)",
            "look_up: chart, columns: 7, rows: 9",
            &[],
            "i",
        ),
        (
            "choose(\"Red\", \"way\", [\"road\"])",
            "case: \"1\", choice: way, offer: '\"ford\"'",
            &[],
            "road",
        ),
        (
            "choose(\"Red\", \"way\", [])",
            "case: \"1\", choice: way, offer: '\"ford\"', when: n == 3",
            &[],
            "ford",
        ),
    ] {
        let functions = format!("{ROLLS}{body}\n}}\n");
        if expected.ends_with("is not a number") {
            let found = faults(&functions, &[("mine", &list(entry), "")]).to_string();
            found.holds("number");
            continue;
        }
        assert_eq!(value(&functions, entry, faces), expected, "{body}\n{entry}");
    }
}

#[test]
fn answers_are_changed_as_a_whole_and_by_their_parts() {
    for (body, entries, expected) in [
        ("n", "case: \"1\", answer: speed, add: 2", "5"),
        // A ladder: each entry builds on those before it.
        (
            "n",
            "case: \"1\", answer: speed, add: 2, when: n > 2\ncase: \"1\", answer: speed, add: 1, when: n > 1\ncase: \"1\", answer: speed, at_most: 5",
            "5",
        ),
        (
            "n",
            "case: \"1\", answer: speed, at_most: 4\ncase: \"1\", answer: speed, add: 2",
            "5",
        ),
        (
            "n",
            "case: \"1\", answer: speed, at_least: 9, when: answer == 3",
            "9",
        ),
        ("n > 2", "case: \"1\", answer: speed, now: no", "false"),
        ("n * 2 + 1", "case: \"1\", answer: speed, times: 1/2", "3"),
        (
            "n * 2 + 1",
            "case: \"1\", answer: speed, times: 1/2, rounded: up",
            "4",
        ),
        (
            "n",
            "case: \"1\", answer: speed, add: 4, times: 2, at_most: 12",
            "12",
        ),
        (
            "#{ rows: n, to: 1 }",
            "case: \"1\", answer: speed, part: rows, add: 1",
            "{rows: 4, to: 1}",
        ),
        (
            "[n, 1]",
            "case: \"1\", answer: speed, part: 1, add: 1",
            "3 and 2",
        ),
        (
            "[n, 1]",
            "case: \"1\", answer: speed, part: each, times: 2, when: answer > 1",
            "6 and 1",
        ),
    ] {
        // A list or map is an outcome as a text.
        let outcome = match body.starts_with(['#', '[']) {
            true => "`${speed(3)}`",
            false => "speed(3)",
        };
        let functions =
            format!("fn race(given) {{ result(\"v\", {outcome}); }}\nfn speed(n) {{ {body} }}\n");
        let found = value(&functions, entries, &[]).replace(['"', ' '], "");
        assert_eq!(found, expected.replace(' ', ""), "{body}\n{entries}");
    }
}

#[test]
fn what_is_corrected_below_stays_corrected() {
    let functions = "fn race(given) { let x = roll(\"1d6\", \"run\") + bonus(); say(\"Red runs {}.\", [x]); result(\"v\", x); }\nfn bonus() { 2 }\n";
    let mine = list("case: \"1\", throw: run, add: -1\ncase: \"1\", answer: bonus, add: 10");
    let erratum = ("erratum", "", "fn bonus() { 5 }");
    let over = ("mine", &*format!("after: [erratum]\n{mine}"), "");
    for (functions, layers, expected) in [
        (functions.to_string(), vec![("mine", &*mine, "")], "15"),
        (
            functions.replace("{ 2 }", "{ 3 }"),
            vec![("mine", &*mine, "")],
            "16",
        ),
        // A comment, a title, another order of the file.
        (
            functions.replace("let x", "// the run\n    let x"),
            vec![("mine", &*mine, "")],
            "15",
        ),
        (functions.to_string(), vec![erratum, over], "18"),
    ] {
        let ruling = ruling(&functions, &layers, &[4]).expect("the changes apply");
        assert_eq!(ruling.results["v"].to_string(), expected, "{functions}");
        let lines = &ruling.steps[0].lines;
        assert_eq!(lines[0].text, "The 4 thrown counts as 3.");
        assert!(lines[0].cites.contains(&"1 mine".to_string()));
        assert!(lines[1].cites.contains(&"1 mine".to_string()));
    }
}

#[test]
fn entries_that_fit_nothing_say_so() {
    let functions = "fn race(given) { result(\"v\", speed(3)); }\nfn speed(n) { let far = n; if roll(\"1d6\", \"run\") > 3 { far + 2 } else { far - 2 } }\n";
    for (entry, code, fact) in [
        (
            "case: \"1\", throw: rum, add: 1",
            "unknown-name",
            "did you mean `run`?",
        ),
        ("case: \"2\", throw: run, add: 1", "unknown-name", "case 2"),
        (
            "case: \"1\", answer: sped, add: 1",
            "unknown-name",
            "`speed`",
        ),
        (
            "case: \"1\", throw: run, add: 1, when: m > 2",
            "script",
            "nothing is called `m`",
        ),
        (
            "case: \"1\", throw: run, add: 1, when: n >",
            "script",
            "expression",
        ),
        ("case: \"1\", throw: run, now: 1; 2", "script", "script"),
        ("case: \"1\", number: 2, now: 3", "conflict", "2 places"),
        (
            "case: \"1\", number: 4, now: 3",
            "unknown-name",
            "no number 4",
        ),
        (
            "case: \"1\", let: far, was: n + 1, now: 3",
            "was-now",
            "n + 1",
        ),
        (
            "case: \"1\", throw: run, columns: 1",
            "missing-key",
            "`add`",
        ),
        ("case: \"1\", throw: run", "missing-key", "not what it does"),
        ("throw: run, add: 1", "missing-key", "`case:`"),
        ("case: \"1\", now: off", "kind", "can't be struck out"),
        ("option: frost.cold, now: off", "unknown-name", "frost.cold"),
        ("reading: 1.way, now: left", "unknown-name", "1.way"),
    ] {
        let found = faults(functions, &[("mine", &list(entry), "")]);
        let fits = |text: String| text.contains(&format!("[{code}]")) && text.contains(fact);
        assert!(
            found
                .0
                .iter()
                .any(|complaint| fits(Complaints::from(complaint.clone()).to_string())),
            "{entry}: {found}"
        );
    }
}

#[test]
fn cases_are_struck_out_and_brought_back() {
    let case = |number: &str, kind: &str, more: &str| {
        format!(
            "//! case: \"{number}\"\n//! title: A case\n//! kind: {kind}\n//! text: Red is fast.\n{more}"
        )
    };
    let race = "fn race(given) { result(\"v\", 10 + bonus() + extra()); }\n";
    let bonus = "fn bonus() { if true { 2 } else { 3 } }\n";
    let extra = case("2", "rule", "\nfn extra() { if true { 5 } else { 6 } }\n");
    let value = |layers: &[(&str, &str, &str)], back: bool| {
        let mut all = files(&format!("{race}{bonus}"), layers);
        all.push(("rules/race/1-race/2-extra.rhai".into(), extra.clone()));
        if back {
            let card = case("1", "correction", "//! reinstates: race\n");
            all.push(("variants/back/rules/1-race/1-race.rhai".into(), card));
        }
        let library: Arc<Library> =
            Library::from_files(all, Embedded::default()).expect("these are files");
        let names: Vec<&str> = layers.iter().map(|(name, ..)| *name).collect();
        let situation = Situation::load(&library, &RulesetSpec::new("race", &names), "start")
            .expect("the rules hold");
        let ruling = resolve(
            &mut situation.machine(),
            &situation,
            ResolveRequest::default(),
        );
        ruling.expect("it runs").ruling.results["v"].to_string()
    };
    let struck = list("case: \"2\", now: off");
    assert_eq!(value(&[("mine", &struck, "")], false), "12");
    let mine = list("case: \"1\", number: 2, now: 7");
    assert_eq!(value(&[("mine", &mine, "")], false), "22");
    // What a later layer brings back is the printed answer, without the change.
    assert_eq!(
        value(&[("mine", &mine, ""), ("back", "after: [mine]", "")], true),
        "17"
    );
}

#[test]
fn what_another_layer_may_have_is_asked_of_it_alone() {
    let functions = "fn race(given) { result(\"v\", roll(\"1d6\", \"run\")); }\n";
    let mine = format!(
        "after: [frost]\n{}",
        list("case: \"9\", answer: ice, add: 1\noption: frost.cold, now: off")
    );
    let frost = ("frost", "", "");
    let alone = faults(functions, &[("mine", &mine, "")]);
    let is_of_after = |text: &str| text.contains("frost");
    assert!(
        alone
            .0
            .iter()
            .all(|complaint| is_of_after(&complaint.message)),
        "{alone}"
    );
    let both = faults(functions, &[frost, ("mine", &mine, "")]).to_string();
    both.holds("case 9");
    both.holds("frost.cold");
}

#[test]
fn lists_without_an_order_add_up_or_conflict() {
    let functions =
        "fn race(given) { result(\"v\", roll(\"1d6\", \"run\") + bonus()); }\nfn bonus() { 2 }\n";
    let add = |n: i64| {
        list(&format!(
            "case: \"1\", throw: run, add: {n}\ncase: \"1\", answer: bonus, add: {n}"
        ))
    };
    let (one, ten) = (add(1), add(10));
    let ruling = ruling(functions, &[("one", &one, ""), ("ten", &ten, "")], &[3]);
    assert_eq!(
        ruling.expect("both only add").results["v"].to_string(),
        "27"
    );
    for cap in [
        "case: \"1\", throw: run, at_most: 3",
        "case: \"1\", answer: bonus, at_most: 3",
    ] {
        let cap = list(cap);
        let found = faults(functions, &[("one", &one, ""), ("cap", &cap, "")]).to_string();
        found.holds("[conflict]");
        found.holds("one");
        found.holds("cap");
        let ordered = format!("after: [one]\n{cap}");
        let found = faults(functions, &[("one", &one, ""), ("cap", &ordered, "")]);
        assert!(!found.has_errors(), "{found}");
    }
    // A later script that asks nothing older hides what a list changed.
    let later = ("later", "after: [one]", "fn bonus() { 9 }");
    let found = faults(functions, &[("one", &one, ""), later]).to_string();
    found.holds("has no effect");
    found.holds("later");
}

/// Every throw, look-up, variable and number of the shipped rules is found again by its own address, wrapped, and still parsed and compiled.
#[test]
fn shipped_places_are_found_by_their_addresses() {
    use casebook::ruleset::script_sites::sites_of;
    use casebook::syntax::parse::function_body;
    let library = crate::common::stacks::built_in();
    for game in library.games.keys() {
        let spec = RulesetSpec::new(game, &[]);
        let (ruleset, _) = build_ruleset(&library, &spec).expect("the printed game is sound");
        let mut count = 0;
        for (index, case) in ruleset.cases.iter().enumerate() {
            for function in (0..case.functions.len()).filter(|f| !case.functions[*f].in_tests()) {
                let sites = sites_of(case, (index, function));
                let mut changed = (**case).clone();
                changed.functions[function].placed =
                    sites.iter().map(|site| site.placed((0, 0))).collect();
                let body = function_body(&changed, function).expect("it was parsed before");
                let wrapped = format!("{body:?}").matches("Changed(").count();
                assert_eq!(
                    wrapped,
                    sites.len(),
                    "{} {}",
                    case.number,
                    case.functions[function].name
                );
                count += wrapped;
            }
        }
        assert!(count > 300, "{game}: {count}");
    }
}

#[test]
fn cells_are_changed_in_the_list_and_shifts_stop_at_the_edge() {
    let functions = |cell: &str| {
        let (column, row) = cell.split_once(' ').expect("a column and a row");
        format!("fn race(given) {{ result(\"v\", table(\"chart\", \"{column}\", {row})); }}\n")
    };
    for (entries, cell, expected) in [
        (
            "table: chart, column: \"2:1\", row: 2, now: x",
            "2:1 2",
            "x",
        ),
        (
            "table: chart, column: \"2:1\", row: 2, was: e, now: x",
            "2:1 2",
            "x",
        ),
        (
            "table: chart, row: 3, was: [g, h, i], now: [x, y, z]",
            "3:1 3",
            "z",
        ),
        ("table: chart, columns: -1", "3:1 1", "b"),
        ("table: chart, columns: -9", "3:1 1", "a"),
        ("table: chart, rows: 1", "1:1 3", "g"),
        // A row moves alone; each entry goes on from those before it.
        ("table: chart, row: 2, columns: 1", "1:1 1", "a"),
        (
            "table: chart, columns: 1\ntable: chart, columns: 1",
            "1:1 1",
            "c",
        ),
        // A figure by itself holds over a shift, wherever it stands in the list.
        (
            "table: chart, column: \"1:1\", row: 1, now: x\ntable: chart, columns: 1",
            "1:1 1",
            "x",
        ),
        ("table: chart, columns: 1, when: 1 > 0", "1:1 1", "b"),
        ("table: chart, columns: 1, when: 1 > 2", "1:1 1", "a"),
    ] {
        assert_eq!(value(&functions(cell), entries, &[]), expected, "{entries}");
    }
    // What a later layer has below it is what the list made of the chart.
    let mine = list("table: chart, columns: 1");
    let over = |was: &str| {
        let entry = format!("table: chart, column: \"1:1\", row: 1, was: {was}, now: x");
        format!("after: [mine]\n{}", list(&entry))
    };
    for (was, is_sound) in [("b", true), ("c", false)] {
        let layers = [("mine", &*mine, ""), ("over", &*over(was), "")];
        let found = faults(&functions("1:1 1"), &layers);
        assert_eq!(!found.has_errors(), is_sound, "{was}: {found}");
    }
    for (entry, code, fact) in [
        (
            "table: chart, column: \"2:1\", row: 2, was: f, now: x",
            "was-now",
            "`was: f`",
        ),
        (
            "table: chart, column: \"5:1\", row: 2, now: x",
            "label",
            "5:1",
        ),
        ("table: char, row: 2, now: x", "unknown-name", "`chart`"),
        (
            "table: chart, row: 2, now: x, when: 1 > 0",
            "kind",
            "conditions",
        ),
        ("table: chart, row: 2", "missing-key", "columns"),
        (
            "case: \"1\", table: chart, row: 2, now: x",
            "missing-key",
            "in one way",
        ),
        (
            "case: \"1\", row: 2, answer: race, now: 1",
            "missing-key",
            "in one way",
        ),
        (
            "case: \"1\", answer: race, now: [1, 2]",
            "shape",
            "several values",
        ),
        ("table: chart, columns: 1, was: a", "was-now", "no `was:`"),
        (
            "table: chart, row: 2, now: x, columns: 1",
            "missing-key",
            "two things",
        ),
    ] {
        let layers = [("mine", &*list(entry), "")];
        let found = faults(&functions("1:1 1"), &layers).to_string();
        found.holds(format!("[{code}]"));
        found.holds(fact);
    }
}

/// The cells of the chart of losses under some layers, or what is wrong with them.
fn losses(layers: &[(&str, &str, &str)]) -> Result<Vec<String>, Complaints> {
    let all = files("fn race(given) { result(\"v\", 1); }\n", layers);
    let library: Arc<Library> = Library::from_files(all, Embedded::default()).expect("files");
    let names: Vec<&str> = layers.iter().map(|(name, ..)| *name).collect();
    let rules = build_ruleset(&library, &RulesetSpec::new("race", &names)).expect("they hold");
    let table = rules.0.table("losses")?.expect("it is there");
    Ok(table.cells.iter().map(|cell| cell.text.clone()).collect())
}

/// A part of a figure stays what it is below, its mark with it, and what is not known stays so; `all` means the cells that read alike. Both
/// hold over a correction below, and where nothing fits, that is said.
#[test]
fn a_part_of_a_figure_stays_and_all_that_read_alike_change() {
    let printed = ["1/2*", "1/3", "?", "1/2*"];
    for (entries, cells) in [
        ("table: losses, now: 0/=", ["0/2*", "0/3", "?", "0/2*"]),
        ("table: losses, now: =/0", ["1/0", "1/0", "?", "1/0"]),
        (
            "table: losses, row: 1, now: \"=/=*\"",
            ["1/2*", "1/3*", "?", "1/2*"],
        ),
        (
            "table: losses, now: 0/=\ntable: losses, row: 1, now: =/9",
            ["0/9", "0/9", "?", "0/2*"],
        ),
        (
            "table: losses, was: 1/2*, now: 4/4, all: true",
            ["4/4", "1/3", "?", "4/4"],
        ),
        (
            "table: losses, was: [1/3, 1/2*], now: 4/=, all: true",
            ["4/2*", "4/3", "?", "4/2*"],
        ),
        (
            "table: losses, column: \"2:1\", was: 1/=, now: 0/=, all: true",
            ["1/2*", "0/3", "?", "0/2*"],
        ),
        (
            "table: losses, was: missing, now: 0/0, all: true",
            ["1/2*", "1/3", "0/0", "1/2*"],
        ),
        // Later entries go on from those before.
        (
            "table: losses, was: 1/3, now: 4/4, all: true\ntable: losses, was: 4/4, now: 5/=, all: true",
            ["1/2*", "5/4", "?", "1/2*"],
        ),
        (
            "table: losses, row: 1, column: \"1:1\", was: 1/=, now: 7/=",
            ["7/2*", "1/3", "?", "1/2*"],
        ),
    ] {
        let found = losses(&[("mine", &list(entries), "")]);
        assert_eq!(found.expect(entries), cells, "{entries}");
        assert_ne!(cells, printed);
    }
    let correction = list("table: losses, row: 1, column: \"1:1\", was: 1/2*, now: 1/3");
    for (entry, cells) in [
        ("table: losses, now: 0/=", ["0/3", "0/3", "?", "0/2*"]),
        (
            "table: losses, was: 1/3, now: 6/6, all: true",
            ["6/6", "6/6", "?", "1/2*"],
        ),
    ] {
        let mine = format!("after: [errata]\n{}", list(entry));
        let found = losses(&[("errata", &correction, ""), ("mine", &mine, "")]);
        assert_eq!(found.expect(entry), cells, "{entry}");
    }
    for (entry, fact) in [
        (
            "table: losses, was: 8/8, now: 0/0, all: true",
            "no cell that this would change reads 8/8",
        ),
        (
            "table: losses, row: 1, column: \"1:1\", was: 2/=, now: 7/=",
            "`was: 2/=` does not match",
        ),
        ("table: losses, row: 1, now: 0/=/1", "has 3 parts"),
    ] {
        let found = losses(&[("mine", &list(entry), "")]).expect_err(entry);
        found.to_string().holds(fact);
    }
}

#[test]
fn a_figure_that_was_made_up_stays_so_where_a_shift_reads_it() {
    let entry = list("table: chart, columns: -1");
    let mut all = files(
        "fn race(given) { result(\"v\", 1); }\n",
        &[("mine", &entry, "")],
    );
    for (key, text) in &mut all {
        if key.ends_with("chart.yaml") {
            text.push_str("known: [{ column: \"1:1\", status: reconstructed }]\nmethod: by ear\n");
        }
    }
    let library: Arc<Library> =
        Library::from_files(all, Embedded::default()).expect("these are files");
    let (ruleset, _) =
        build_ruleset(&library, &RulesetSpec::new("race", &["mine"])).expect("the rules hold");
    let chart = ruleset
        .table("chart")
        .expect("it is sound")
        .expect("it is there");
    let row: Vec<&str> = chart.cells[..3]
        .iter()
        .map(|cell| cell.status.as_str())
        .collect();
    // The first column stays where it is, the second reads it, the third reads a printed one.
    assert_eq!(row, ["reconstructed", "reconstructed", "house"]);
}

/// A condition asks for the faces of a throw, at the throw and at a variable that holds it, and changes act in the order of the list.
#[test]
fn faces_are_asked_in_the_order_of_the_list() {
    const THROWN: &str = "roll(\"2d6\", \"run\") + n";
    const HELD: &str = "let x = roll(\"2d6\", \"run\"); x + n";
    const DOUBLE: &str = "at_most: 9, when: 'faces[0] == faces[1]'";
    let throw = |does: &str| format!("case: \"1\", throw: run, {does}");
    let held = |does: &str| format!("case: \"1\", let: x, {does}");
    let both = |first: String, second: String| format!("{first}\n{second}");
    for (body, changes, faces, expected) in [
        (THROWN, throw(DOUBLE), [5, 5], "12"),
        (THROWN, throw(DOUBLE), [6, 5], "14"),
        (THROWN, both(throw("add: 5"), throw(DOUBLE)), [4, 4], "12"),
        (THROWN, both(throw(DOUBLE), throw("add: 5")), [5, 5], "17"),
        (HELD, both(held("add: 5"), held(DOUBLE)), [4, 4], "12"),
        (HELD, both(held(DOUBLE), held("add: 5")), [5, 5], "17"),
        (HELD, both(held("add: 5"), throw(DOUBLE)), [4, 4], "12"),
        (
            "let faces = 1; roll(\"2d6\", \"run\") + faces",
            throw("add: 2, when: faces == 1"),
            [4, 3],
            "10",
        ),
    ] {
        let functions = format!("{ROLLS}{body} }}");
        assert_eq!(
            value(&functions, &changes, &faces),
            expected,
            "{body}\n{changes}"
        );
    }
    for refused in [
        throw("dice: 1d6, when: 'faces[0] == 6'"),
        "case: \"1\", answer: speed, add: 1, when: 'faces[0] == 6'".to_string(),
    ] {
        let functions = format!("{ROLLS}{THROWN} }}");
        let faults = faults(&functions, &[("mine", &list(&refused), "")]);
        assert!(faults.has_errors(), "{refused}");
    }
}
