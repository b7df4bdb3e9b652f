//! Help for authors: verbs and error codes explained by working examples, formats, scaffolds, pinned rulings.

use crate::common::stacks::built_in;
use crate::common::{Folder, Says, page_text, schema_faults, yaml_to_json};
use casebook::DiagnosticCode;
use casebook::author::{code_examples, guide, schema};
use casebook::code::verbs::{self, AllowedIn};
use casebook::data::format;
use casebook::view::explain;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::LazyLock;

/// The game that `casebook new game` creates, created once for all tests.
fn starter_game() -> Folder {
    static FILES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
        let folder = Folder::empty();
        folder.ok("new game mine");
        let path = |file: &PathBuf| {
            file.strip_prefix(&folder.0)
                .expect("it lies below")
                .to_string_lossy()
                .into_owned()
        };
        folder
            .file_times()
            .keys()
            .map(path)
            .map(|path| (path.clone(), folder.read(&path)))
            .collect()
    });
    let folder = Folder::empty();
    for (path, text) in FILES.iter() {
        folder.write(path, text);
    }
    folder
}

/// What has to be mended stands before what may stay, and of that what is one's own.
#[test]
fn errors_are_not_buried_among_notes() {
    let folder = Folder::skirmish();
    folder.replace(
        "variants/errata/tables/combat.yaml",
        "now: \"2/1\"",
        "now: \"0/1\"",
    );
    folder.append("variants/winter/variant.yaml", "\nnonsense: 1\n");
    let out = folder.run("check").out;
    let (error, note) = (out.find("error["), out.find("note["));
    assert!(error < note && error.is_some(), "{out}");
    out.holds("variants/errata");
}

// Verbs

/// Every verb has an example, and each holds in the game that `new game` lays out.
#[test]
fn examples_of_verbs_hold() {
    let folder = starter_game();
    let mut text = String::new();
    let mut prior = String::new();
    for (number, verb) in verbs::all().iter().enumerate() {
        assert!(!verb.example.is_empty(), "`{}` has no example", verb.name);
        assert!(
            verb.example.contains(verb.name),
            "the example of `{}` does not call it",
            verb.name
        );
        if verb.example.starts_with("fn ") {
            prior = verb.example.to_string();
            continue;
        }
        text += &format!(
            "\n/// {}\nfn example_verb_{number}() {{\n    setup(\"first-fight\");\n    expect({{ {} }}, true);\n}}\n",
            verb.name, verb.example
        );
    }
    folder.append(
        "rules/mine/game.yaml",
        "\ndice: { battle: [hit, hit+flag, miss] }\n",
    );
    folder.append("rules/mine/01-fighting/1.1-fights.rhai", &text);
    folder.write(
        "variants/rain/variant.yaml",
        "variant: rain\ntitle: Rain\ngame: mine\n",
    );
    let card = "//! case: \"1.1\"\n//! title: Rain\n//! kind: addition\n\n";
    folder.write("variants/rain/rules/01-fighting/1.1-fights.rhai", format!("{card}{prior}\n\n/// prior\nfn example_prior() {{\n    expect(fight_odds([#{{ power: 4 }}], [#{{ power: 2 }}]), \"2:1\");\n}}\n"));
    folder.ok("check");
    folder.ok("test");
}

#[test]
fn verbs_that_change_the_situation_stand_in_procedures() {
    for verb in verbs::change::VERBS {
        assert_eq!(verb.allowed_in, AllowedIn::Procedures, "{}", verb.name);
    }
}

#[test]
fn a_verb_is_explained_listed_and_shown() {
    let folder = Folder::empty();
    let text = folder.out("explain without");
    for part in [
        "without(list, which)",
        "list: a list; which: anything",
        "cases, procedures and examples",
        "without(\"cart\")",
    ] {
        text.holds(part);
    }
    let verbs = folder.out("list --verbs");
    for verb in verbs::all() {
        assert!(
            verbs.contains(&verb.signature()),
            "{} is not listed",
            verb.name
        );
    }
    folder
        .out("show roll")
        .holds("roll(dice, purpose, [of]): a verb");
    folder
        .run("explain withot")
        .err
        .holds("did you mean `without`");
    folder
        .out("explain set_track")
        .holds("it changes the situation");
    let json = folder.json("list --verbs");
    let subjects = json["found"][0]["blocks"].as_array().expect("a list");
    let rows = subjects
        .iter()
        .filter_map(|subject| subject["blocks"][0]["rows"].as_array());
    assert_eq!(rows.map(Vec::len).sum::<usize>(), verbs::all().len());
}

#[test]
fn a_former_verb_is_named_by_its_new_name() {
    let old_names = [
        ("filter(|u| u.pace > 1)", "where"),
        ("only(\"soldier\")", "where"),
        ("having(\"pace\", 2)", "where"),
        ("not_having(\"pace\", 2)", "without"),
    ];
    for (call, verb) in old_names {
        let folder = starter_game();
        folder.replace(
            "rules/mine/01-fighting/1.1-fights.rhai",
            "    step(\"Losses\");",
            &format!("    attackers.{call};"),
        );
        let message = format!("is called `{verb}`");
        let name = call.split('(').next().unwrap();
        let run = folder.run("check");
        run.ends(1);
        run.out.holds(format!("the verb `{name}` {message}"));
        folder
            .out(&["explain", name])
            .holds(format!("It {message}"));
    }
}

#[test]
fn a_selection_by_an_unused_kind_is_reported() {
    for call in [
        "where(\"sodier\")",
        "without(\"sodier\")",
        "where([\"sodier\", \"cart\"])",
        "where(#{ kind: \"sodier\" })",
    ] {
        let folder = starter_game();
        let line = format!("    pieces().{call};");
        folder.replace(
            "rules/mine/01-fighting/1.1-fights.rhai",
            "    step(\"Losses\");",
            &line,
        );
        let run = folder.run("check");
        run.ends(1);
        run.out.holds("did you mean `soldier`");
    }
}

// Error codes

/// The files of two variants that the examples of codes amend.
const VARIANTS: [(&str, &str); 5] = [
    (
        "variants/rain/variant.yaml",
        "variant: rain\ntitle: Rain\ngame: mine\nafter: []\n",
    ),
    (
        "variants/rain/rules/01-fighting/1.1-fights.rhai",
        "//! case: \"1.1\"\n//! title: Fights in the rain\n//! kind: addition\n//! text: >\n//!   In the rain an attacker counts a point less.\n\n\
         /// The odds of a fight in the rain.\nfn fight_odds(attackers, defenders) {\n    let dry = prior();\n    \
         if dry == \"3:1\" { \"2:1\" } else { dry }\n}\n",
    ),
    (
        "variants/rain/tables/fight.yaml",
        "table: fight\ntitle: Fights in the rain\nkind: correction\nstatus: printed\nchanges:\n  \
         - { column: \"1:1\", row: 1, was: \"2/0\", now: \"2/1\" }\n",
    ),
    (
        "variants/snow/variant.yaml",
        "variant: snow\ntitle: Snow\ngame: mine\nafter: [rain]\n",
    ),
    (
        "variants/snow/rules/01-fighting/1.1-fights.rhai",
        "//! case: \"1.1\"\n//! title: Fights in the snow\n//! kind: revision\n//! text: >\n//!   In the snow every fight is at even odds.\n\n\
         /// The odds of a fight in the snow.\nfn fight_odds(attackers, defenders) {\n    \"1:1\"\n}\n",
    ),
];

/// The wrong text of each example is reported with its code, and the right text is not.
#[test]
fn examples_of_laws_fail_and_pass() {
    let shown: Vec<DiagnosticCode> = code_examples::CODE_EXAMPLES
        .iter()
        .map(|fault| fault.code)
        .collect();
    let without_example: Vec<&str> = DiagnosticCode::ALL
        .iter()
        .filter(|code| !shown.contains(code))
        .map(|code| code.as_str())
        .collect();
    assert!(
        without_example.is_empty(),
        "these codes have no example in author/code_examples.rs: {}",
        without_example.join(", ")
    );
    let mut wrong = Vec::new();
    for fault in code_examples::CODE_EXAMPLES {
        for (is_correct, (path, text)) in [(false, fault.wrong), (true, fault.right)] {
            let folder = starter_game();
            for (path, text) in VARIANTS {
                folder.write(path, text);
            }
            let typed = shell_words(text);
            let command = if path == code_examples::COMMAND_LINE {
                typed
            } else {
                shell_words(fault.command)
            };
            if path != code_examples::COMMAND_LINE {
                let existing = std::fs::read_to_string(folder.0.join(path)).unwrap_or_default();
                match existing.matches(fault.right.1).count() {
                    1 => folder.write(path, existing.replace(fault.right.1, text)),
                    _ => folder.write(path, text),
                };
            }
            let run = folder.run(&command.iter().map(String::as_str).collect::<Vec<_>>());
            // The report of idle functions names the function instead of the code.
            let sign = if fault.code == DiagnosticCode::Idle {
                "may_recover".into()
            } else {
                format!("[{}]", fault.code)
            };
            let named = run.terminal_output().contains(&sign);
            if named == is_correct {
                wrong.push(format!(
                    "{}, {}:\n{}",
                    fault.code,
                    if is_correct { "kept" } else { "broken" },
                    run.terminal_output()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The words of a command line, as a shell splits them.
fn shell_words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in command.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_string());
        } else {
            words.extend(part.split_whitespace().map(String::from));
        }
    }
    words
}

#[test]
fn a_law_is_explained_with_its_example() {
    let text = Folder::empty().out("explain quotes");
    text.holds("Wrong, in tables/mine/fight.yaml:\n    labels: [1:2");
    text.holds("Right:\n    labels: [\"1:2\"");
}

#[test]
fn a_name_that_is_a_law_and_a_verb_is_explained_as_both() {
    let text = Folder::empty().out("explain track");
    text.holds("track: a check");
    text.holds("track(name, [otherwise]): a verb");
}

#[test]
fn whatever_is_listed_is_explained() {
    for name in explain::names() {
        assert!(!explain::explain(name).expect(name).is_empty());
    }
}

// Formats

#[test]
fn the_format_of_journals_is_what_is_written() {
    let folder = starter_game();
    folder.ok("resolve first-fight --save journal.yaml");
    let journal = folder.read("journal.yaml");
    let written: Vec<&str> = journal
        .lines()
        .filter(|l| !l.starts_with([' ', '-']))
        .filter_map(|l| l.split(':').next())
        .collect();
    let journal_keys = format::ruling_test::JOURNAL.key_names();
    assert!(
        written.len() > 4 && written.iter().all(|key| journal_keys.contains(key)),
        "{written:?}"
    );
}

/// Parts of formats have unique names, as a schema refers to them by name.
#[test]
fn parts_of_formats_have_names_of_their_own() {
    fn walk(format: &'static format::FileFormat, visited: &mut Vec<&'static format::FileFormat>) {
        if visited.iter().any(|known| std::ptr::eq(*known, format)) {
            return;
        }
        assert!(
            !visited.iter().any(|known| known.name == format.name),
            "two formats are called {}",
            format.name
        );
        visited.push(format);
        format
            .keys
            .iter()
            .filter_map(|key| key.field_type.object_format())
            .for_each(|part| walk(part, visited));
    }
    let mut visited = Vec::new();
    format::FILE_FORMATS
        .into_iter()
        .for_each(|format| walk(format, &mut visited));
    assert!(visited.len() > 20);
}

/// The schema of situations says what each procedure is given: every situation of the games holds to it, and changed ones don't.
#[test]
fn what_a_procedure_is_given_has_a_schema() {
    let library = built_in();
    let mut root = schema::schema(&format::scenario::SITUATION);
    schema::add_procedures(&mut root, &library);
    let validator = jsonschema::validator_for(&root).expect("it is a schema");
    let mut checked = 0;
    for file in
        library.files.by_key.values().filter(|file| {
            format::for_file(&file.key).is_some_and(|format| format.name == "situation")
        })
    {
        let mut reader = casebook::data::yaml::YamlReader::new(&file.path, &file.text);
        let mut tree = yaml_to_json(&reader.parse_file().expect("a tree"));
        let faults: Vec<String> = validator
            .iter_errors(&tree)
            .map(|error| error.to_string())
            .collect();
        assert!(faults.is_empty(), "{}: {faults:?}", file.key);
        if tree.get("procedure").is_none()
            || tree["given"]
                .as_object()
                .is_none_or(|given| given.is_empty())
        {
            continue;
        }
        checked += 1;
        tree["given"]["nothing of the sort"] = "x".into();
        assert!(!validator.is_valid(&tree), "{} takes any name", file.key);
    }
    assert!(checked > 100, "{checked}");
    let starter = starter_game();
    let of_fight = starter.json("schema fight");
    assert_eq!(
        of_fight["required"],
        serde_json::json!(["from", "into", "side"])
    );
    let unknown = starter.run("schema fihgt");
    unknown.ends(2);
    unknown.err.holds("fight");
    starter
        .read(".casebook/situation.json")
        .holds("What the procedure fight is given");
}

/// A procedure that is given lists of what it is given itself has a schema, too.
#[test]
fn what_contains_itself_has_a_schema() {
    let starter = starter_game();
    let case = "rules/mine/01-fighting/1.1-fights.rhai";
    let given_keys = "given:\n//!   after: { list: true, optional: true, each: fight, what: Fights that come first. }\n";
    let reads = "fn fight(given) {\n    if \"after\" in given { require(given.after.len() < 3, \"{} are too many\", [given.after.len()]); }\n";
    starter.write(
        case,
        starter
            .read(case)
            .replacen("given:\n", given_keys, 1)
            .replacen("fn fight(given) {\n", reads, 1),
    );
    starter.ok("check");
    let schema = starter.json("schema fight");
    let of_each = &schema["properties"]["after"]["items"];
    assert_eq!(of_each["type"], "object", "{schema:#}");
    assert!(jsonschema::validator_for(&schema).is_ok_and(|schema| {
        let inner = serde_json::json!({ "side": "Red", "from": "Mill", "into": "Hill" });
        let situation = |after: Value| serde_json::json!({ "side": "Red", "from": "Mill", "into": "Hill", "after": after });
        schema.is_valid(&situation(serde_json::json!([inner]))) && !schema.is_valid(&situation(serde_json::json!(["Mill"])))
    }));
}

/// A value of `given` that no function reads is reported.
#[test]
fn a_declared_name_that_no_function_reads_is_reported() {
    let starter = starter_game();
    let case = "rules/mine/01-fighting/1.1-fights.rhai";
    let text = starter.read(case).replacen(
        "given:\n",
        "given:\n//!   weather: { what: what falls, optional: true }\n",
        1,
    );
    starter.write(case, &text);
    let checked = starter.run("check");
    assert_eq!(checked.status, Some(1));
    checked
        .terminal_output()
        .holds("no function reads `weather`, which fight is given");
}

/// Every YAML file of the games and of what `new` lays out holds to its schema.
#[test]
fn files_hold_to_their_schemas() {
    let starter = starter_game();
    let starter_files = casebook::data::files::Files::with_folder(&starter.0, casebook::EMBEDDED)
        .expect("the folder is there");
    let mut checked = 0;
    let mut wrong = Vec::new();
    for file in casebook::data::files::Files::built_in(casebook::EMBEDDED)
        .by_key
        .values()
        .chain(starter_files.by_key.values())
        .filter(|f| f.key.ends_with(".yaml"))
    {
        wrong.extend(schema_faults(&file.key, &file.text));
        checked += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        checked > 100,
        "only {checked} files were held against schemas"
    );
}

#[test]
fn a_schema_finds_a_misspelt_key() {
    let schema = schema::schema(&format::table::TABLE);
    let is_valid = |value: Value| jsonschema::is_valid(&schema, &value);
    assert!(!is_valid(
        serde_json::json!({ "kind": "rule", "feilds": ["a"] })
    ));
    assert!(!is_valid(serde_json::json!({ "kind": "rool" })));
    assert!(!is_valid(
        serde_json::json!({ "kind": "rule", "rows": { "label": [1] } })
    ));
    assert!(is_valid(
        serde_json::json!({ "kind": "rule", "rows": { "labels": [1, 2] } })
    ));
    for good in [
        serde_json::json!("0-12"),
        serde_json::json!({ "is": "0-9", "rises": ["rows"] }),
        serde_json::json!({ "dice": "0-3", "hits": { "is": "0-12" } }),
    ] {
        assert!(
            is_valid(serde_json::json!({ "kind": "rule", "holds": good })),
            "{good}"
        );
    }
    assert!(!is_valid(
        serde_json::json!({ "kind": "rule", "holds": { "dice": { "iss": "0-3" } } })
    ));
    assert!(!is_valid(
        serde_json::json!({ "kind": "rule", "holds": { "is": "0-3", "rises": "upwards" } })
    ));
    let game = schema::schema(&format::game::GAME);
    let is_valid = |value: Value| jsonschema::is_valid(&game, &value);
    assert!(is_valid(
        serde_json::json!({ "title": "x", "sheets": { "given": { "side": { "names": "side" } } }, "places": { "drawn": { "town": "mark" } } })
    ));
    assert!(!is_valid(
        serde_json::json!({ "title": "x", "sheets": { "given": { "side": { "name": "side" } } } })
    ));
    assert!(!is_valid(
        serde_json::json!({ "title": "x", "places": { "drawn": { "town": "marked" } } })
    ));
}

#[test]
fn files_name_schemas_that_are_there() {
    let folder = starter_game();
    let line = folder
        .read("tables/mine/fight.yaml")
        .lines()
        .next()
        .expect("a line")
        .to_string();
    let path = line
        .strip_prefix("# yaml-language-server: $schema=")
        .expect("it names a schema");
    let schema: Value =
        serde_json::from_str(&folder.read(&format!("tables/mine/{path}"))).expect("a schema");
    assert_eq!(
        schema["title"].as_str().map(|t| t.starts_with("table:")),
        Some(true)
    );
    assert_eq!(folder.json("schema table"), schema);
    assert_eq!(folder.run("schema tabel").status, Some(2));
}

// Files laid out

#[test]
fn a_new_game_is_whole() {
    let folder = starter_game();
    assert_eq!(folder.out("check"), "0 complaints\n");
    folder.out("test").holds("hold, 0 fail");
    folder.ok("resolve first-fight");
    let second = folder.run("new game mine");
    assert_eq!(second.status, Some(2));
    second.err.holds("already");
}

#[test]
fn a_game_of_ones_own_gets_cases_tables_and_situations() {
    let folder = starter_game();
    let out = folder.out("new case 2.0");
    assert_eq!(
        out, "rules/mine/02-section/2.0-weather.rhai\n",
        "the title in the contents names the file"
    );
    folder.ok("new case 1.3");
    assert!(
        folder.0.join("rules/mine/01-fighting/1.3.rhai").exists(),
        "a case stands beside its neighbours"
    );
    folder.ok("new case 8.1");
    assert!(
        folder.0.join("rules/mine/08-section/8.1.rhai").exists(),
        "built-in games have this number, too"
    );
    folder.ok("new table weather");
    folder
        .out("new situation ambush")
        .holds("scenarios/mine/ambush.yaml");
    let ambush = folder.read("scenarios/mine/ambush.yaml");
    ambush.holds("  from: Here");
    ambush.holds("# Whose attack it is.");
    let output = folder.run("check").terminal_output();
    // The template gives a value of its kind under every name.
    output.lacks("ambush.yaml");
    folder.replace("scenarios/mine/ambush.yaml", "  from: Here", "  form: Here");
    let output = folder.run("check").terminal_output();
    output.holds("`fight` is not given `form`");
    output.holds("`fight` needs `from`");
    std::fs::remove_file(folder.0.join("scenarios/mine/ambush.yaml")).expect("it is there");
    folder.ok("check");
    assert_eq!(
        folder.run("new case 1.1").status,
        Some(2),
        "there is such a case"
    );
    assert_eq!(
        folder.run("new situation raid --procedure figth").status,
        Some(2)
    );
}

#[test]
fn a_case_of_a_built_in_game_needs_a_variant() {
    let run = Folder::empty().run("new case 99.1");
    assert_eq!(run.status, Some(2));
    run.err.holds("--variant");
}

// Charts from a spreadsheet

#[test]
fn a_chart_is_pasted_from_a_spreadsheet() {
    let folder = starter_game();
    folder.write(
        "chart.tsv",
        "odds\\die\t1:1\t2:1\n1-2\t1/0\t1/1\n3-6\t0/1\t\n",
    );
    let run = folder.ok("new table raid --from chart.tsv --dice 1d6 --fields attacker,defender");
    assert_eq!(run.out, "tables/mine/raid.yaml\n");
    assert_eq!(run.err, "table raid: of 4 cells, 1 is not known\n");
    folder.ok("check");
    folder.out("show raid").holds("odds");
}

/// A chart of one column may leave it without a label; whole numbers need no quotes.
#[test]
fn a_list_is_a_chart_of_one_column() {
    let folder = starter_game();
    folder.write("nerve.csv", "die,\n1-3,broken\n4-6,0\n");
    folder.ok("new table nerve --from nerve.csv --dice 1d6");
    let text = folder.read("tables/mine/nerve.yaml");
    text.holds("\"1-3\": [broken]");
    text.holds("\"4-6\": [0]");
    text.lacks("columns");
    folder.ok("check");
}

/// A first line with one field less than all others has no corner.
#[test]
fn a_chart_is_pasted_with_or_without_a_corner() {
    for corner in ["row,", ",", ""] {
        let folder = starter_game();
        folder.write("chart.csv", format!("{corner}a,b\n1,3,4\n2,5,6\n"));
        folder.ok("new table raid --from chart.csv");
        let text = folder.read("tables/mine/raid.yaml");
        let parts = [
            "columns: { of: column, labels: [a, b] }",
            "rows: { of: row, labels: [1, 2] }",
            "  1: [3, 4]\n  2: [5, 6]\n",
        ];
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        folder.ok("check");
    }
}

/// The line that `check` suggests for a chart is one that it accepts, whatever its labels are.
#[test]
fn a_suggested_line_is_accepted() {
    let folder = starter_game();
    let table = "tables/mine/nerve.yaml";
    folder.ok("new table nerve --dice 1d6");
    for cell in ["?", "3", "1:2", "no", "*-"] {
        let text = folder.read(table);
        let rows = text
            .lines()
            .filter(|line| !line.starts_with("  ") && !line.starts_with("holds:"));
        let cells: String = (1..=6)
            .map(|row| format!("  {row}: [\"{cell}\", 2]\n"))
            .collect();
        folder.write(
            table,
            rows.map(|line| format!("{line}\n")).collect::<String>() + cells.as_str(),
        );
        let out = folder.run("check").terminal_output();
        let line = out
            .split("add a line such as `")
            .nth(1)
            .and_then(|rest| rest.split('`').next())
            .unwrap_or_else(|| panic!("{cell}: {out}"));
        folder.replace(table, "cells:\n", &format!("{line}\ncells:\n"));
        let out = folder.out("check");
        assert_eq!(out, "0 complaints\n", "{line}");
    }
}

/// A blank cell is missing, not zero.
#[test]
fn a_blank_chart_knows_nothing() {
    let run = starter_game().ok("new table nerve");
    assert_eq!(run.err, "table nerve: of 12 cells, 12 are not known\n");
}

#[test]
fn figures_typed_in_take_the_place_of_reconstructed_ones() {
    let folder = Folder::skirmish();
    folder.write("combat.csv", "die,1:2,1:1,2:1\n1,3/0,2/1,1/0\n2,2/0,1/0,1/1\n3,2/1,1/1,1/2\n4,1/1,1/3,0/2\n5,1/1,0/2,0/3\n6,,0/3,0/5\n");
    let run = folder.ok("new table combat --variant mine --from combat.csv");
    assert_eq!(
        run.err, "table combat: all of its 18 cells are known\n",
        "the errata slip, over which it is laid, knows the missing one"
    );
    let text = folder.read("variants/mine/tables/combat.yaml");
    // A known figure that differs is a change.
    text.holds("- { column: \"1:1\", row: \"4\", was: \"1/2\", now: \"1/3\" }");
    folder.ok("check");
    let shown = folder.out("resolve bridge --dice 4 --with mine");
    shown.holds("defender losses  3");
}

/// A printed chart may have other columns and bands than the reconstructed one.
#[test]
fn a_chart_with_bands_of_its_own_replaces_the_one_below() {
    let folder = Folder::skirmish();
    folder.write(
        "combat.csv",
        "odds\\die;1:1;3:1\n1-3;2/0;1/1\n4-6;0/2;0/4\n",
    );
    let run = folder.ok("new table combat --variant mine --from combat.csv");
    assert_eq!(run.err, "table combat: all of its 4 cells are known\n");
    folder.ok("check");
    let shown = folder.out("resolve bridge --dice 5 --with mine");
    shown.holds("defender losses  2");
    let both_run = folder
        .replace(
            "variants/mine/variant.yaml",
            "after: [errata, winter]",
            "after: []",
        )
        .run("check");
    assert!(
        both_run.err.contains("error[conflict]") || both_run.out.contains("error[conflict]"),
        "{}",
        both_run.terminal_output()
    );
}

#[test]
fn a_chart_that_is_wrong_is_not_written() {
    let folder = starter_game();
    folder.write("chart.csv", "die,1:1,2:1\n1-2,1/0,1/1\n4-6,0/1,1/1\n");
    let before = folder.file_times();
    let run = folder.run("new table raid --from chart.csv --dice 1d6");
    assert_eq!(run.status, Some(1));
    run.err.holds("error[rows-cover]");
    assert!(folder.file_times() == before, "nothing was written");
    folder.write("chart.csv", "die,1:1\n");
    assert_eq!(
        folder.run("new table raid --from chart.csv").status,
        Some(2)
    );
}

#[test]
fn blank_charts_say_how_much_is_made_up() {
    let run = Folder::skirmish().ok("new variant my-charts --tables");
    assert_eq!(
        run.err,
        "table combat: of 18 cells, 1 is still reconstructed and 1 not known\n"
    );
}

// Rulings pinned

#[test]
fn a_ruling_is_pinned_as_a_test() {
    let folder = starter_game();
    let pin = [
        "resolve",
        "first-fight",
        "--dice",
        "1",
        "--choose",
        "Red: first to lose=Red scouts",
        "--pin",
        "tests/mine/pinned.yaml",
    ];
    folder.ok(&pin);
    folder.ok("resolve first-fight --seed 3 --reading 1.1.carts=help --pin tests/mine/pinned.yaml");
    let text = folder.read("tests/mine/pinned.yaml");
    text.holds("\"Red: first to lose\": \"Red scouts\"");
    text.holds("\"1.1.carts\": \"help\"");
    assert_eq!(text.matches("- test:").count(), 2);
    let tests = folder.out("test pinned");
    assert_eq!(tests, "2 examples hold, 0 fail\n");
    folder.replace(
        "tables/mine/fight.yaml",
        "1: [\"3/0\", \"2/0\", \"1/0\"",
        "1: [\"3/0\", \"2/0\", \"1/2\"",
    );
    assert_eq!(
        folder.run("test pinned").status,
        Some(1),
        "it holds the ruling"
    );
}

#[test]
fn a_test_is_laid_out() {
    let folder = starter_game();
    folder.ok("new test first --given first-fight --dice 4");
    folder
        .out("test tests/mine/first.yaml")
        .holds("1 examples hold");
}

/// A pin is added to the list of tests, wherever that stands in its file and whatever form it has.
#[test]
fn a_ruling_is_pinned_in_a_file_of_any_form() {
    for (before, behind) in [
        (
            "form: 1\ntests:\n  - test: one\n    given: first-fight\n    then: {}",
            "\n# end\ntitle: ours\n",
        ),
        ("tests: [{ test: one, given: first-fight, then: {} }", "]"),
        ("{ form: 1", "}\n"),
        ("title: ours\r\n\"tests\": # none\r\n", ""),
        ("tests: []", ""),
        ("title: ours", ""),
    ] {
        let folder = starter_game();
        let (path, text) = ("tests/mine/odd.yaml", format!("{before}{behind}"));
        folder.write(path, &text);
        folder.ok(&["resolve", "first-fight", "--seed", "3", "--pin", path]);
        let pinned = folder.read(path);
        let before = before.trim_end_matches("[]");
        assert!(
            pinned.starts_with(before) && pinned.ends_with(behind),
            "{pinned:?}"
        );
        assert_eq!(pinned.contains('\r'), text.contains('\r'), "{pinned:?}");
        folder.ok("check");
        let tested = folder.run(&["test", path]);
        tested.out.holds("1 examples hold");
    }
}

#[test]
fn a_ruling_is_pinned_only_where_tests_stand() {
    let folder = starter_game();
    let before = folder.file_times();
    assert_eq!(
        folder.run("resolve first-fight --pin pinned.yaml").status,
        Some(2)
    );
    assert!(folder.file_times() == before);
    // Nor where `check` would not have it: beside a case that is not there, or in a variant that is none.
    for (path, why) in [
        ("tests/mine/01-fighting/none.yaml", "no case"),
        ("variants/none/tests/one.yaml", "no variant `none`"),
        ("variants/none/tests/mine/one.yaml", "no variant `none`"),
    ] {
        let run = folder.run(&["resolve", "first-fight", "--pin", path]);
        run.ends(2);
        run.err.holds(why);
    }
    assert!(folder.file_times() == before);
    folder.ok("new variant some");
    let run = folder.run("resolve first-fight --pin variants/some/tests/mine/one.yaml");
    run.ends(2);
    run.err.holds("no case");
    for path in [
        "tests/mine/01-fighting/1.1-fights.yaml",
        "variants/some/tests/one.yaml",
    ] {
        folder.ok(&["resolve", "first-fight", "--pin", path]);
    }
    folder.ok("check");
}

// The guide: tests/guide.rs runs it.

#[test]
fn the_guide_lists_its_chapters() {
    let list = Folder::empty().out("guide");
    for (name, text) in guide::CHAPTERS {
        assert!(
            list.contains(name) && list.contains(guide::title(text)),
            "{name} is not listed"
        );
    }
    assert_eq!(Folder::empty().out("guide 3"), guide::CHAPTERS[2].1);
    Folder::empty()
        .run("guide oods")
        .err
        .holds("did you mean `odds`");
}

/// The vocabulary of the product, as its design has it.
const VOCABULARY: &str = "game case table variant amendment option reading ruleset situation procedure ruling outcome headline journal policy \
    style status printed derived reconstructed missing layer readings choices given ends_when goes_on sequence card manifest scenario roster \
    deployment prior rule addition correction revision explanation snapshot example test citation throw draw seed choice verb source piece \
    kind group attribute place track side sheet phase board map coverage pack cell function trace refusal complaint code";

#[test]
fn every_word_and_every_key_is_explained() {
    let page = |name: &str| {
        let pages = explain::explain(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(
            pages
                .iter()
                .all(|page| page_text(page).len() > name.len() + 30),
            "{name} has a page that says something"
        );
        pages
    };
    VOCABULARY
        .split_whitespace()
        .chain(["new case", "house rule"])
        .for_each(|word| drop(page(word)));
    let even = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut keys = 0;
    for format in explain::formats() {
        page(format.name);
        for key in format.keys {
            let pages = page(key.name);
            assert!(
                pages
                    .iter()
                    .any(|page| even(&page_text(page)).contains(&even(key.description))),
                "`{}` of {} is explained by what it says there",
                key.name,
                format.name
            );
            keys += 1;
        }
    }
    assert!(keys > 150, "{keys} keys");
    // Schemas describe the same keys: none is described there and unknown here.
    fn property_names(schema: &serde_json::Value, names: &mut Vec<String>) {
        match schema {
            serde_json::Value::Object(entries) => {
                for (key, value) in entries {
                    if let ("properties", Some(properties)) = (key.as_str(), value.as_object()) {
                        names.extend(properties.keys().cloned());
                    }
                    property_names(value, names);
                }
            }
            serde_json::Value::Array(items) => {
                items.iter().for_each(|item| property_names(item, names))
            }
            _ => {}
        }
    }
    for format in casebook::author::schema::file_formats() {
        let mut names = Vec::new();
        property_names(&casebook::author::schema::schema(format), &mut names);
        names.iter().for_each(|name| drop(page(name)));
    }
    // Every cross-reference exists.
    let folder = Folder::empty();
    let out = folder.out("explain readings");
    assert!(
        out.contains("one of several ways") || out.contains("One of several ways"),
        "{out}"
    );
    out.holds("readings: a key");
    out.holds("in case: ");
    for word in casebook::author::glossary::ENTRIES {
        for command in word
            .see_also
            .split("; ")
            .filter_map(|see| see.strip_prefix("casebook explain "))
        {
            assert!(
                explain::explain(command).is_ok() || command.chars().all(|c| c.is_uppercase()),
                "{command} is explained"
            );
        }
    }
}

/// Whatever Unicode lets a program leave out when it shows a text stands in no file.
#[test]
fn letters_that_cannot_be_seen_are_reported() {
    let unseen = "\u{ad}\u{34f}\u{61c}\u{115f}\u{180e}\u{200b}\u{200d}\u{2028}\u{202e}\u{2064}\u{2066}\u{3164}\u{fe0f}\u{ffa0}\u{fff9}\u{e0041}";
    let folder = Folder::skirmish();
    let path = "scenarios/skirmish/bridge.yaml";
    let text = folder.read(path);
    for (number, c) in unseen.chars().enumerate() {
        folder.write(
            &format!("scenarios/skirmish/unseen-{number}.yaml"),
            text.replacen("title: ", &format!("title: B{c}"), 1),
        );
    }
    // What can be seen may stand there.
    folder.write(
        path,
        text.replacen("title: ", "title: Grüße – « é ½ ☞ Ж 橋 » ", 1),
    );
    let out = folder.run("check").out;
    for (number, c) in unseen.chars().enumerate() {
        let file = format!("scenarios/skirmish/unseen-{number}.yaml");
        let block = out
            .split("\n\n")
            .find(|block| block.contains(&file))
            .unwrap_or_else(|| panic!("{file}: {out}"));
        let expected = format!("can't be seen, \\u{:04x}", u32::from(c));
        block.holds(&expected);
    }
    out.lacks("bridge.yaml");
}

/// A name with a letter of another alphabet looks like one without.
#[test]
fn names_that_look_alike_are_reported() {
    let folder = Folder::skirmish();
    let path = "scenarios/skirmish/bridge.yaml";
    let text = folder.read(path);
    folder.write(
        "scenarios/skirmish/ford.yaml",
        text.replace("situation: bridge", "situation: ford")
            .replace("Red foot", "R\u{435}d foot"),
    );
    let run = folder.run("check");
    run.ends(1);
    run.out.holds("looks like `Red foot`");
    // The same letter with its accent in one and in two parts.
    folder.write(
        "scenarios/skirmish/ford.yaml",
        text.replace("situation: bridge", "situation: ford")
            .replace("Red foot", "Ren\u{e9}"),
    );
    folder.ok("check");
    folder.write(
        "scenarios/skirmish/pass.yaml",
        text.replace("situation: bridge", "situation: pass")
            .replace("Red foot", "Rene\u{301}"),
    );
    let run = folder.run("check");
    run.ends(1);
    run.out.holds("looks like");
}

/// A function is amended in the layer that defines it, under the procedures of its case, whichever layer of the case is the newest.
#[test]
fn an_amendment_of_a_function_is_never_empty() {
    let folder = starter_game();
    folder.ok("new case may_fight --variant other");
    folder.ok("new case fight_odds --variant house");
    let text = folder.read("variants/house/rules/01-fighting/1.1-fights.rhai");
    for part in [
        "//! procedure: fight\n",
        "fn fight_odds(attackers, defenders) {\n    prior()",
    ] {
        text.holds(part);
    }
    folder.ok("check");
}

/// A function is copied as it stands, with what it calls of its file, and answers as before until somebody changes it; a list goes on over it.
#[test]
fn a_function_is_copied_to_go_on_from() {
    let folder = Folder::skirmish();
    let rulings = || folder.run("resolve bridge --seed 3 --with mine").out;
    let rule = "1.1 throw: attack = at most 3";
    let keep = ["what-if", "bridge", "--rule", rule, "--keep", "mine"];
    folder.run(&keep);
    let before = rulings();
    let file = "variants/mine/rules/01-battle/1.1-attack.rhai";
    folder.ok("new case attack --variant mine --copy");
    let text = folder.read(file);
    text.holds("kind: correction");
    text.holds("let lost = table(");
    folder.ok("check");
    let outcome = |ruling: &str| {
        ruling
            .lines()
            .filter(|line| line.contains("losses"))
            .map(String::from)
            .collect::<Vec<_>>()
    };
    assert_eq!(outcome(&rulings()), outcome(&before));
    let wrong = folder.run("new case 1.2 --variant mine --copy");
    wrong.ends(2);
    wrong.err.holds("no function");
}
