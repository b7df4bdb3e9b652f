//! The binary from end to end, as players, modders and rules lawyers use it.

use crate::common::{Folder, Items, Says, repository};
use crate::oracle::compare_in_folder;
use serde_json::Value;

const COMBAT: &str = "tables/skirmish/combat.yaml";
const BRIDGE: &str = "scenarios/skirmish/bridge.yaml";
const ATTACK: &str = "rules/skirmish/01-battle/1.1-attack.rhai";

/// The battle of the real rules that these tests fight.
const BATTLE: &str = "lee-attacks-porter";

/// The named outcomes of a ruling.
fn results(folder: &Folder, args: &[&str]) -> Value {
    folder.json(args)["results"].clone()
}

/// All dice of a ruling in the order thrown, in the form of `--dice`.
fn dice_argument(ruling: &Value) -> String {
    let throws = ruling["dice"].as_array().expect("a ruling lists its dice");
    let faces = throws
        .iter()
        .flat_map(|throw| throw[1].as_array().expect("a throw lists its faces"));
    faces.map(Value::to_string).collect::<Vec<_>>().join(",")
}

// A ruling

#[test]
fn a_battle_is_resolved_from_an_empty_folder() {
    let run = Folder::empty().ok(&["resolve", BATTLE]);
    for part in ["Lee", "Initiative", "Losses", "Outcome", "seed 1", "[8."] {
        run.out.holds(part);
    }
    assert_eq!(run.err, "");
}

#[test]
fn a_part_of_the_name_will_do() {
    let folder = Folder::empty();
    assert_eq!(
        folder.out("resolve lee-att"),
        folder.out(&["resolve", BATTLE])
    );
}

#[test]
fn the_same_seed_gives_the_same_ruling() {
    let folder = Folder::empty();
    for seed in ["1", "2", "18446744073709551615"] {
        let run = || folder.out(&["resolve", BATTLE, "--seed", seed, "--trace"]);
        assert_eq!(run(), run());
    }
}

#[test]
fn another_seed_gives_other_dice() {
    let folder = Folder::skirmish();
    let mut outputs: Vec<String> = (1..=12)
        .map(|seed: u32| {
            dice_argument(&folder.json(&[
                "resolve",
                "bridge",
                "--format",
                "json",
                "--seed",
                &seed.to_string(),
            ]))
        })
        .collect();
    outputs.sort();
    outputs.dedup();
    assert!(outputs.len() > 2, "twelve seeds threw only {outputs:?}");
}

/// Faulty arguments are reported in a player's words.
#[test]
fn another_games_variant_and_a_time_below_nothing() {
    let folder = Folder::empty();
    let run = folder.run("resolve first-morning --game tmag --with hardy");
    run.err
        .holds("`hardy` is a variant of wbts, and not of tmag");
    let limit = folder.run(&["odds", BATTLE, "--limit", "-1"]);
    limit.err.holds("write whole seconds, not `-1`");
}

#[test]
fn json_says_what_text_says() {
    let folder = Folder::skirmish();
    let ruling = folder.json("resolve bridge");
    assert_eq!(ruling["situation"], "bridge");
    assert_eq!(ruling["procedure"], "attack");
    assert_eq!(ruling["steps"][0]["title"], "Attack");
    assert_eq!(
        ruling["steps"][0]["lines"][0]["cites"],
        serde_json::json!(["1.1"])
    );
    let text = folder.out("resolve bridge");
    for step in ruling["steps"].as_array().expect("steps") {
        assert!(text.contains(step["title"].as_str().expect("a title")));
    }
}

#[test]
fn dice_thrown_at_the_table_are_typed_in() {
    let folder = Folder::skirmish();
    assert_eq!(
        results(&folder, &["resolve", "bridge", "--dice", "5"])["defender losses"],
        2
    );
    assert_eq!(
        results(&folder, &["resolve", "bridge", "--dice", "1"])["attacker losses"],
        2
    );
}

/// What a seed threw can be typed in: the ruling is the same.
#[test]
fn typed_dice_repeat_a_seed() {
    let folder = Folder::empty();
    let seeded = folder.json(&["resolve", BATTLE, "--seed", "3"]);
    let typed = folder.json(&["resolve", BATTLE, "--dice", &dice_argument(&seeded)]);
    assert_eq!(seeded["steps"], typed["steps"]);
    assert_eq!(seeded["results"], typed["results"]);
}

#[test]
fn choices_are_made_on_the_command_line() {
    let folder = Folder::skirmish();
    let args = ["resolve", "bridge", "--dice", "1"];
    let (open, chosen) = (
        folder.out(&args),
        folder.out(&[&args[..], &["--choose", "Red: first to lose=Red riders"]].concat()),
    );
    open.holds("Red foot loses 2");
    open.holds("Choices left to their first option");
    chosen.holds("Red riders loses 2");
    chosen.lacks("Choices left");
}

/// The command line overrides the answer that the situation gives for Blue.
#[test]
fn the_command_line_goes_before_the_situation() {
    let folder = Folder::skirmish();
    let args = ["resolve", "bridge", "--dice", "5"];
    folder.out(&args).holds("Blue riders loses 2");
    let out = folder.out(&[&args[..], &["--choose", "Blue: first to lose=Blue foot"]].concat());
    out.holds("Blue foot loses 2");
    let out = folder.out(&[&args[..], &["--choose", "first to lose=Blue foot"]].concat());
    // An answer for every side goes before that for one.
    out.holds("Blue foot loses 2");
}

#[test]
fn a_trace_shows_everything() {
    let out = Folder::skirmish().out("resolve bridge --dice 5 --trace --with errata");
    for line in [
        "attack/1 1.1",
        "1d6 for attack: 5 (5)",
        "table combat (odds 1:1, die 5) = 0/2 printed of skirmish",
        "loss_order/2 2.1 errata",
        "first to lose = Blue riders",
    ] {
        out.holds(line);
    }
}

#[test]
fn a_ruling_is_saved_and_played_again() {
    let folder = Folder::skirmish();
    let args = [
        "resolve",
        "bridge",
        "--seed",
        "5",
        "--with",
        "errata,winter",
        "--reading",
        "1.1.wagons=help",
        "--option",
        "winter.frost=off",
        "--choose",
        "Red: first to lose=Red riders",
    ];
    let saved = folder.json(&[&args[..], &["--save", "journal.yaml", "--format", "json"]].concat());
    let journal = folder.read("journal.yaml");
    let replayed = folder.json("replay journal.yaml");
    for part in ["steps", "results", "dice", "ruleset"] {
        assert_eq!(saved[part], replayed[part]);
    }
    folder.ok("replay journal.yaml --save journal.yaml");
    assert_eq!(
        folder.read("journal.yaml"),
        journal,
        "the journal of a replay is the journal"
    );
    let left: Vec<_> = folder
        .file_times()
        .into_keys()
        .filter(|path| path.extension().is_some_and(|end| end == "part"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_big_battle_is_saved_and_played_again() {
    let folder = Folder::empty();
    let saved = folder.json(format!(
        "resolve {BATTLE} --seed 4 --save there/journal.yaml"
    ));
    let replayed = folder.json("replay there/journal.yaml");
    assert_eq!(saved["steps"], replayed["steps"]);
}

// What is in force

#[test]
fn variants_change_the_ruling() {
    let folder = Folder::skirmish();
    let odds = |with: &str| folder.out(&["resolve", "bridge", "--dice", "4", "--with", with]);
    odds("").holds("at 1:1");
    // Six points less one against five.
    odds("winter").holds("at 1:1");
    // The slip gives Blue a point more.
    odds("errata,winter").holds("at 1:2");
    assert_eq!(
        odds("errata,winter"),
        odds("winter,errata"),
        "`after:` decides, not the command line"
    );
    folder
        .out("resolve bridge --dice 4 --with errata,winter --option winter.frost=off")
        .holds("at 1:1");
}

#[test]
fn readings_change_the_ruling() {
    let folder = Folder::skirmish();
    folder.replace(BRIDGE, "value: \"1-1\"", "value: \"4-1\"");
    folder.out("resolve bridge --dice 4").holds("at 1:1");
    folder
        .out("resolve bridge --dice 4 --reading 1.1.wagons=help")
        .holds("at 2:1");
}

/// What a list shows of a situation finds it: its name or its title, or a part of one, in capital letters or not.
#[test]
fn a_situation_is_found_by_its_title() {
    let folder = Folder::skirmish();
    for title in ["At the bridge", "at the BRIDGE", "the bridge"] {
        for command in ["resolve", "odds", "what-if"] {
            let change: &[&str] = match command {
                "what-if" => &["--rule", "winter on"],
                _ => &[],
            };
            let run = folder.run(&[&[command, title], change].concat());
            run.out.holds("At the bridge");
        }
    }
    let text = folder.read("scenarios/skirmish/bridge.yaml");
    let other = "scenarios/skirmish/ford.yaml";
    folder.write(other, text.replace("At the bridge", "Beside the bridge"));
    let run = folder.run("resolve 'the bridge'");
    run.ends(2);
    run.err
        .holds("bridge (At the bridge), ford (Beside the bridge)");
    let run = folder.run("resolve 'At the bridge'");
    assert_eq!(run.status, Some(0), "{}", run.err);
    // What begins a word is meant before what stands inside one.
    folder.write(other, text.replace("At the bridge", "A footbridge"));
    let run = folder.run("resolve BRIDGE");
    run.out.holds("At the bridge");
}

#[test]
fn a_situation_names_its_own_ruleset() {
    let folder = Folder::skirmish();
    folder.replace(
        BRIDGE,
        "procedure: attack",
        "procedure: attack\nwith: [errata]",
    );
    folder.out("resolve bridge").holds("skirmish with errata");
    assert!(
        !folder.out("resolve bridge --with ''").contains("errata"),
        "`--with ''` is the printed game"
    );
}

// Looking things up

#[test]
fn cases_tables_functions_pieces_and_situations_are_shown() {
    let folder = Folder::skirmish();
    let shows = |name: &str, parts: &[&str]| {
        let out = folder.out(&["show", name]);
        for part in parts {
            out.holds(part);
        }
    };
    shows(
        "2.1",
        &[
            "Losses",
            "errata",
            "addition",
            "rule",
            "slip",
            "newest first",
        ],
    );
    shows("3.0", &["Weather", "winter"]);
    shows(
        "combat",
        &["~0/4", "torn", "2/1 by errata"].map(|p| if p == "torn" { "reconstructed" } else { p }),
    );
    shows("loss_order", &["2.1 errata", "2.1 skirmish"]);
    shows("bridge", &["Red riders", "attack"]);
    shows("Red foot", &["strength 4", "footman"]);
    folder.json("show 2.1");
}

#[test]
fn real_cases_are_shown() {
    let folder = Folder::empty();
    for name in ["8.16", "12.12", "Lee", "may_stay", BATTLE] {
        let out = folder.out(&["show", name, "--game", "wbts"]);
        assert!(!out.is_empty(), "{name}");
        folder.json(&["show", name, "--game", "wbts"]);
    }
}

#[test]
fn games_variants_and_situations_are_listed() {
    let folder = Folder::skirmish();
    let out = folder.out("list");
    for part in [
        "Skirmish",
        "errata",
        "The errata slip",
        "winter.frost",
        "(after errata)",
        "bridge",
        "1.1.wagons",
        "stay out | help",
        "combat",
    ] {
        out.holds(part);
    }
    let listed = folder.json("list");
    let games: Vec<&Value> = listed["games"].items().map(|game| &game["game"]).collect();
    assert!(
        games.contains(&&Value::from("skirmish")) && games.len() > 1,
        "the built-in games are there too: {games:?}"
    );
    Folder::empty().out("list").holds(BATTLE);
}

#[test]
fn every_law_is_explained() {
    let folder = Folder::empty();
    let list = folder.out("explain");
    for code in casebook::DiagnosticCode::ALL
        .iter()
        .map(|code| code.as_str())
    {
        assert!(list.contains(code), "{code} is not listed");
        let run = folder.ok(&["explain", code]);
        assert!(
            run.out.starts_with(&format!("{code}: a check\n\n")) && run.out.len() > code.len() + 20,
            "{}",
            run.out
        );
        folder.json(&["explain", code]);
    }
}

#[test]
fn the_version_is_printed_and_a_command_is_needed() {
    let folder = Folder::empty();
    assert!(folder.out("--version").starts_with("casebook "));
    assert_eq!(
        folder.run("").status,
        Some(2),
        "without a command, the help is shown"
    );
}

#[test]
fn complaints_are_json_too() {
    let folder = Folder::skirmish();
    folder.replace(COMBAT, "\"3/0\"", "\"3\"");
    let run = folder.run("check --format json");
    assert_eq!(run.status, Some(1));
    let complaint = &run.json()["complaints"][0];
    assert_eq!(complaint["code"], "cell");
    assert_eq!(complaint["place"]["path"], COMBAT);
    assert_eq!(complaint["place"]["span"]["line"], 9);
    let run = folder.run("resolve brigde --format json");
    assert_eq!(run.status, Some(2));
    run.json()["error"].holds("bridge");
}

// The data of this repository; `tests/examples.rs` carries out its examples

#[test]
fn the_built_in_data_has_no_fault() {
    let run = Folder::empty().run("check");
    assert_eq!(run.status, Some(0), "{}", run.out);
}

#[test]
fn examples_of_one_file_are_run() {
    let folder = Folder::skirmish();
    let run = folder.ok("test rules/skirmish/01-battle --verbose");
    run.out.holds("ok  1.1 stated");
    run.out.holds("2 examples hold, 0 fail");
    assert_eq!(folder.json("test")["passed"], 4);
}

/// Lines may end as on Windows, and a file may begin with a byte order mark: nothing changes.
#[test]
fn files_from_windows_are_read() {
    let folder = Folder::skirmish();
    let before = folder.out("resolve bridge --with errata,winter --trace");
    for path in folder.file_times().into_keys() {
        let text = std::fs::read_to_string(&path).expect("a file of the test");
        std::fs::write(&path, format!("\u{feff}{}", text.replace('\n', "\r\n")))
            .expect("a file of the test");
    }
    assert_eq!(folder.out("check"), "0 complaints\n");
    assert_eq!(folder.out("test"), "4 examples hold, 0 fail\n");
    assert_eq!(
        folder.out("resolve bridge --with errata,winter --trace"),
        before
    );
}

#[test]
fn a_data_folder_is_used_from_anywhere() {
    let (data, elsewhere) = (Folder::skirmish(), Folder::empty());
    let path = data.0.to_string_lossy();
    assert_eq!(
        elsewhere.out(&["resolve", "bridge", "--data", &path]),
        data.out("resolve bridge")
    );
    assert_eq!(elsewhere.out(&["check", "--data", &path]), "0 complaints\n");
    elsewhere.ok(&["new", "variant", "house", "--data", &path]);
    // What is laid out goes where the data is.
    data.read("variants/house/variant.yaml")
        .holds("game: skirmish");
    assert!(elsewhere.file_times().is_empty());
}

/// A copy of this repository's data instead of the data in the binary: nothing changes but the paths.
#[test]
fn a_copy_of_the_data_gives_the_same_ruling() {
    let copy = Folder::copy_of(&repository(), &["rules", "tables", "scenarios", "variants"]);
    let (copied, bound) = (
        copy.out(&["resolve", BATTLE]),
        Folder::empty().out(&["resolve", BATTLE]),
    );
    let remainder = copied.strip_prefix(&bound).expect("the same ruling");
    // And a word of where the data lie.
    remainder.holds(&*copy.0.to_string_lossy());
}

// Files laid out to be filled in

/// Created files are listed, exist, and cause no new complaint.
fn assert_files_created_after(
    before: Option<&[String]>,
    folder: &Folder,
    args: &[&str],
    files: &[&str],
) {
    let run = folder.ok(&[&["new"], args].concat());
    for file in files {
        assert!(run.out.contains(file), "{file} is not named:\n{}", run.out);
        assert!(!folder.read(file).is_empty());
    }
    assert_eq!(run.out.lines().count(), files.len(), "{}", run.out);
    let Some(before) = before else { return };
    let new: Vec<_> = complaint_places(folder)
        .into_iter()
        .filter(|place| !before.contains(place))
        .collect();
    assert!(
        new.is_empty(),
        "after casebook new {}:\n{}",
        args.join(" "),
        folder.run("check").out
    );
}

/// To check the shipped games takes seconds: of what is laid out for them another test finds that it has no complaint.
fn assert_files_created(folder: &Folder, args: &[&str], files: &[&str]) {
    let is_own = folder.0.join("rules").exists();
    let before = is_own.then(|| complaint_places(folder));
    assert_files_created_after(before.as_deref(), folder, args, files);
}

/// The places of complaints.
fn complaint_places(folder: &Folder) -> Vec<String> {
    let complaints = folder.run("check --format json").json()["complaints"].clone();
    let errors = complaints.items().filter(|c| c["severity"] == "error");
    errors
        .map(|c| {
            format!(
                "{}:{} {}",
                c["place"]["path"], c["place"]["span"]["line"], c["what"]
            )
        })
        .collect()
}

#[test]
fn a_house_rule_begins_in_an_empty_folder() {
    let folder = Folder::empty();
    let before = folder.out(&["resolve", BATTLE, "--with", ""]);
    assert_files_created(
        &folder,
        &["variant", "house", "--game", "wbts"],
        &["variants/house/variant.yaml"],
    );
    assert_files_created_after(
        Some(&[]),
        &folder,
        &["case", "8.3", "--variant", "house", "--game", "wbts"],
        &["variants/house/rules/08-combat/8.3-initiative-to-attack.rhai"],
    );
    let blank = folder.out(&["resolve", BATTLE, "--with", "house"]);
    assert_eq!(
        results_of(&blank),
        results_of(&before),
        "a blank that asks `prior()` changes no answer"
    );
}

/// The outcome part of a ruling.
fn results_of(text: &str) -> &str {
    text.split("\nOutcome\n")
        .nth(1)
        .expect("an outcome")
        .split("\n\n")
        .next()
        .expect("its lines")
}

#[test]
fn a_new_case_is_laid_out_with_an_example_of_its_own() {
    let folder = Folder::empty();
    assert_files_created(
        &folder,
        &["case", "99.1", "--variant", "house", "--game", "wbts"],
        &[
            "variants/house/variant.yaml",
            "variants/house/rules/house/99.1-house-rule.rhai",
        ],
    );
    assert_eq!(
        folder.out("test variants/house"),
        "1 examples hold, 0 fail\n"
    );
    folder.ok(&["resolve", BATTLE, "--with", "house"]);
}

#[test]
fn a_case_known_only_by_its_number_is_laid_out() {
    let folder = Folder::skirmish();
    std::fs::remove_dir_all(folder.0.join("variants")).expect("the test's own folder");
    assert_files_created(
        &folder,
        &["case", "3.0", "--variant", "house"],
        &[
            "variants/house/variant.yaml",
            "variants/house/rules/house/3.0-house-rule.rhai",
        ],
    );
}

#[test]
fn tables_are_laid_out() {
    let folder = Folder::empty();
    assert_files_created(
        &folder,
        &["table", "12.12", "--variant", "house", "--game", "wbts"],
        &[
            "variants/house/variant.yaml",
            "variants/house/tables/12.12-supply-consumption.yaml",
        ],
    );
    let morale = ["table", "morale", "--variant", "house", "--game", "wbts"];
    assert_files_created_after(
        None,
        &folder,
        &morale,
        &["variants/house/tables/morale.yaml"],
    );
    folder.ok(&["resolve", BATTLE, "--with", "house"]);
}

/// A player fills in blank charts: blanks change nothing, and typed figures replace reconstructed ones.
#[test]
fn blank_charts_are_laid_out_and_filled_in() {
    let folder = Folder::skirmish();
    assert_files_created(
        &folder,
        &["variant", "my-charts", "--tables"],
        &[
            "variants/my-charts/variant.yaml",
            "variants/my-charts/tables/combat.yaml",
        ],
    );
    let resolve = |more: &[&str]| {
        folder.run(
            &[
                &["resolve", "bridge", "--dice", "6", "--with", "my-charts"],
                more,
            ]
            .concat(),
        )
    };
    folder.replace(BRIDGE, "value: \"4-2\"", "value: \"9-2\"");
    resolve(&[])
        .expect_success()
        .out
        .holds("Reconstructed figures");
    let blank = folder.read("variants/my-charts/tables/combat.yaml");
    assert_eq!(
        blank.matches("\"?\"").count(),
        2,
        "one torn corner, one figure that nobody knows:\n{blank}"
    );
    folder.write(
        "variants/my-charts/tables/combat.yaml",
        blank.replace("\"?\"", "\"0/5\""),
    );
    let out = resolve(&["--strict"]).expect_success().out;
    out.holds("defender losses  5");
    out.lacks("Reconstructed");
}

#[test]
fn a_situation_is_laid_out_like_another() {
    let folder = Folder::empty();
    assert_files_created(
        &folder,
        &["scenario", "my-battle", "--like", BATTLE, "--game", "wbts"],
        &["scenarios/wbts/my-battle.yaml"],
    );
    assert_eq!(
        results(&folder, &["resolve", "my-battle"]),
        results(&folder, &["resolve", BATTLE])
    );
}

/// Existing files are kept: if one of several files exists, none is written.
#[test]
fn nothing_is_overwritten() {
    let folder = Folder::skirmish();
    folder.ok("new case 2.1 --variant house");
    let before = folder.file_times();
    for args in [
        &["new", "case", "2.1", "--variant", "house"][..],
        &["new", "variant", "house"],
        &["new", "scenario", "bridge", "--like", "bridge"],
        &["new", "table", "combat", "--variant", "errata"],
    ] {
        let run = folder.run(args);
        run.ends(2);
        run.err.holds("already");
    }
    assert!(folder.file_times() == before, "nothing was written");
}

// A house rule, tried at once

#[test]
fn one_cell_is_edited_and_the_ruling_is_another() {
    let folder = Folder::skirmish();
    let args = ["resolve", "bridge", "--dice", "1"];
    assert_eq!(results(&folder, &args)["attacker losses"], 2);
    folder.replace(COMBAT, "  1: [\"3/0\", \"2/0\"", "  1: [\"3/0\", \"3/0\"");
    assert_eq!(results(&folder, &args)["attacker losses"], 3);
}

#[test]
fn one_line_of_a_case_is_edited_and_the_ruling_is_another() {
    let folder = Folder::skirmish();
    folder.replace(ATTACK, "unit.strength > 0 &&", "unit.strength > 2 &&");
    let out = folder.out("resolve bridge --dice 1");
    out.holds("Red foot attack Blue foot and Blue riders at 1:2");
}

/// The same with the real rules: one file of the charts beside the binary, one cell of it edited.
#[test]
fn a_real_chart_is_edited_and_the_battle_is_another() {
    let folder = Folder::empty();
    let before = folder.json(&["resolve", BATTLE, "--trace"]);
    let read = before["trace"]
        .items()
        .filter_map(Value::as_str)
        .rfind(|line| line.contains("table combat-results ("))
        .expect("a battle reads the chart");
    let cell = read
        .split(" = ")
        .nth(1)
        .and_then(|rest| rest.split("  ").next())
        .expect("a cell as written");
    let chart = std::fs::read_to_string(repository().join("tables/wbts/combat-results.yaml"))
        .expect("the chart");
    assert!(
        chart.contains(&format!("\"{cell}\"")),
        "{cell} stands in the chart"
    );
    folder.write(
        "tables/wbts/combat-results.yaml",
        chart.replace(&format!("\"{cell}\""), "\"50/50\""),
    );
    let after = folder.json(&["resolve", BATTLE]);
    assert_ne!(before["results"], after["results"]);
    assert_eq!(before["dice"][0], after["dice"][0], "the same dice fell");
}

/// The same with a case of a variant of one's own over the real rules.
#[test]
fn a_real_case_is_amended_and_the_battle_is_another() {
    let folder = Folder::empty();
    folder.write(
        "variants/house/variant.yaml",
        "variant: house\ntitle: Our table\ngame: wbts\nafter: [hardy, second-edition, dye]\n",
    );
    let case = "//! case: \"8.3\"\n//! title: No initiative\n//! kind: revision\n//! text: Nobody ever passes.\n\nfn wins_initiative(die, rating) { false }\n";
    folder.write(
        "variants/house/rules/08-combat/8.3-initiative-to-attack.rhai",
        case,
    );
    assert_ne!(results(&folder, &["resolve", BATTLE])["attack"], "none");
    assert_eq!(
        results(&folder, &["resolve", BATTLE, "--with", "house"])["attack"],
        "none"
    );
    let cites = folder.out(&["resolve", BATTLE, "--with", "house"]);
    cites.holds("8.3 house");
}

// Names of all sorts

/// Names that YAML would read as another type are quoted.
#[test]
fn odd_names_are_laid_out() {
    for name in ["0130", "1e5", "0x1f", "null", "true", "1-1", "9"] {
        let folder = Folder::skirmish();
        let file = format!("variants/{name}/variant.yaml");
        assert_files_created(&folder, &["variant", name], &[&file]);
        assert_files_created(
            &folder,
            &["case", "2.1", "--variant", name],
            &[&format!("variants/{name}/rules/02-losses/2.1-losses.rhai")],
        );
        assert_files_created(
            &folder,
            &["scenario", &format!("{name}9"), "--like", "bridge"],
            &[&format!("scenarios/skirmish/{name}9.yaml")],
        );
        folder.ok(&["resolve", "bridge", &format!("--with={name}")]);
    }
}

#[test]
fn a_misspelt_name_creates_nothing() {
    let folder = Folder::empty();
    for (args, suggestion) in [
        (
            [
                "new",
                "case",
                "retrat",
                "--variant",
                "house",
                "--game",
                "wbts",
            ],
            "did you mean `retreat`",
        ),
        (
            [
                "new",
                "table",
                "combat-suply",
                "--variant",
                "house",
                "--game",
                "wbts",
            ],
            "did you mean `combat-supply`",
        ),
    ] {
        let run = folder.run(&args);
        run.ends(2);
        run.err.holds(suggestion);
        run.err.holds("--new");
        assert!(folder.file_times().is_empty());
    }
    folder.ok("new case retrat --variant house --game wbts --new");
}

/// What is named decides the game, as for `resolve`.
#[test]
fn what_one_game_has_is_laid_out_for_that_game() {
    for (args, file, game) in [
        (
            &["case", "rally", "--variant", "house"][..],
            "variants/house/rules/01-command/rally.rhai",
            "banasik",
        ),
        (
            &["case", "volley-tem", "--variant", "house"],
            "variants/house/rules/09-volley/volley-tem.rhai",
            "tmag",
        ),
        (
            &["table", "casualty-points", "--variant", "house"],
            "variants/house/tables/casualty-points.yaml",
            "tmag",
        ),
        (
            &["table", "morale-of-ours", "--variant", "house"],
            "variants/house/tables/morale-of-ours.yaml",
            "wbts",
        ),
        (
            &["case", "rule-of-ours", "--variant", "house"],
            "variants/house/rules/house/rule-of-ours-house-rule.rhai",
            "wbts",
        ),
        (
            &[
                "situation",
                "mine",
                "--procedure",
                "woods crossing",
                "--variant",
                "house",
            ],
            "variants/house/scenarios/mine.yaml",
            "banasik",
        ),
    ] {
        let folder = Folder::empty();
        let run = folder.ok(&[&["new"], args].concat());
        run.out.holds(file);
        let manifest = folder.read("variants/house/variant.yaml");
        manifest.holds(format!("\ngame: {game}\n"));
    }
    let folder = Folder::empty();
    folder.ok("new situation mine --like volley");
    folder
        .read("scenarios/banasik/mine.yaml")
        .holds("situation: mine");
    assert_eq!(
        results(&folder, &["resolve", "mine"]),
        results(&folder, &["resolve", "volley"])
    );
    // A variant that exists decides, too.
    folder.write(
        "variants/house/variant.yaml",
        "variant: house\ntitle: House\ngame: tmag\n",
    );
    let run = folder.ok("new case losses --variant house");
    run.out.holds("losses.rhai");
    for (kind, name, games) in [
        ("case", "losses", ["banasik", "tmag", "wbts"].as_slice()),
        ("table", "movement-allowances", &["banasik", "wbts"]),
    ] {
        let folder = Folder::empty();
        let run = folder.run(&["new", kind, name, "--variant", "house"]);
        let games_named =
            games.iter().all(|game| run.err.contains(game)) && run.err.contains("--game");
        assert!(
            run.status == Some(2) && games_named && folder.file_times().is_empty(),
            "{}",
            run.terminal_output()
        );
        folder.ok(&["new", kind, name, "--variant", "house", "--game", games[0]]);
    }
}

/// A case of a variant is a house rule, not a printed one.
#[test]
fn a_house_rule_is_not_called_printed() {
    let folder = Folder::empty();
    folder.ok("new case 26.2 --variant my-house");
    let out = folder.out("show 26.2 --with second-edition,my-house");
    out.holds("my-house · addition · house · ");
    out.holds("wbts · rule · ");
    let text = folder.out("explain status");
    for page in text.split("\nstatus: ").take(2) {
        for status in ["printed", "derived", "reconstructed", "missing", "house"] {
            page.holds(status);
        }
    }
}

/// A case of another variant can be amended only if the manifest requires that variant; the message says what to write.
#[test]
fn an_amendment_of_a_variants_case_needs_the_variant() {
    let folder = Folder::empty();
    let args = [
        "new",
        "case",
        "captured-leaders",
        "--variant",
        "house",
        "--game",
        "wbts",
    ];
    let manifest = "variants/house/variant.yaml";
    folder.write(manifest, "variant: house\ntitle: House\ngame: wbts\n");
    let run = folder.run(&args);
    run.ends(2);
    run.err.holds("`after: [dye]` and `needs: [dye]`");
    run.err.holds(manifest);
    folder.append(manifest, "after: [dye]\nneeds: [dye]\n");
    folder.out(&args).holds("captured-leaders.rhai");
    assert_eq!(
        folder.read(manifest),
        "variant: house\ntitle: House\ngame: wbts\nafter: [dye]\nneeds: [dye]\n"
    );
}

#[test]
fn a_variant_without_a_game_is_reported() {
    let folder = Folder::empty();
    folder.write("variants/bare/variant.yaml", "excludes: [dye]\n");
    let run = folder.run(&["resolve", BATTLE, "--with", "bare"]);
    run.err
        .holds("`bare` does not say which game it is a variant of");
    run.err.holds("add a line `game: ...`");
}

/// A reading that needs a missing figure is left out and named.
#[test]
fn a_reading_without_its_figure_is_left_out() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    folder
        .replace("scenarios/mine/first-fight.yaml", "\"4-2\"", "\"5-2\"")
        .replace("scenarios/mine/first-fight.yaml", "\"1-1\"", "\"2-1\"");
    let compare = [
        "compare",
        "first-fight",
        "--with",
        "",
        "--with",
        "1.1.carts=help",
    ];
    for args in [&["odds", "first-fight", "--by", "1.1.carts"][..], &compare] {
        let text = folder.out(args);
        text.holds("left out\n");
        text.holds("1.1.carts=help");
        text.holds("the figure is not known");
        let json = folder.json(args);
        assert!(json["left_out"][0]["why"].is_string(), "{json:#}");
    }
    let none = folder.run("compare first-fight --with 1.1.carts=help --with 1.1.carts=help");
    assert!(none.status != Some(0), "{}", none.terminal_output());
    none.err.holds("nothing is left to compare");
}

#[test]
fn what_a_ruling_rests_on_is_listed_where_it_is_asked_for() {
    let folder = Folder::empty();
    let (short, long) = (
        folder.out(&["resolve", BATTLE]),
        folder.out(&["resolve", BATTLE, "--sources"]),
    );
    short.holds("--sources lists them");
    short.lacks("headquarters-commander,");
    assert!(long.lines().count() > short.lines().count(), "{long}");
    long.holds("headquarters-commander,");
}

/// Contradictory or unknown arguments are refused before anything is printed.
#[test]
fn contradictory_arguments_are_refused() {
    let folder = Folder::skirmish();
    let expect_refusal = |args: &[&str]| {
        let run = folder.run(args);
        run.ends(2);
        assert_eq!(run.out, "", "{args:?}");
        run.err
    };
    expect_refusal(&["odds", "bridge", "--after", "3"]).holds("bridge is a situation");
    let twice = expect_refusal(&[
        "odds",
        "bridge",
        "--choose",
        "Red: first to lose=Red foot",
        "--choose",
        "Red: first to lose=Red riders",
    ]);
    twice.holds("conflicting values for `Red: first to lose`: Red foot and Red riders");
    expect_refusal(&[
        "odds",
        "bridge",
        "--policy",
        "Red=first",
        "--policy",
        "Red=last",
    ])
    .holds("--policy has conflicting values");
    expect_refusal(&["odds", "bridge", "--given", "attaker losses>=1"]).holds("did you mean");
    expect_refusal(&[
        "odds",
        "bridge",
        "--measure",
        "attaker losses",
        "--policy",
        "Red=best",
    ])
    .holds("attaker losses");
    let unasked = folder.out("odds bridge --runs 3 --choose 'Red: nope=1'");
    unasked.holds("Answers to questions that were not asked");
    unasked.holds("Red: nope");
}

/// Help fits a narrow terminal.
#[test]
fn help_fits() {
    for columns in ["20", "40", "72"] {
        for command in [
            &["--help"][..],
            &["resolve", "--help"],
            &["odds", "--help"],
            &["odds"],
        ] {
            let run = Folder::skirmish()
                .run_configured(command, |command| command.env("COLUMNS", columns));
            let width = columns.parse::<usize>().expect("a number");
            for line in run.out.lines().chain(run.err.lines()) {
                assert!(line.chars().count() <= width, "{columns}: {line}");
            }
        }
    }
}

/// Figures that follow from reconstructed ones are marked as reconstructed in a saved situation.
#[test]
fn a_saved_board_says_what_is_made_up() {
    let folder = Folder::skirmish();
    folder.replace(
        "scenarios/skirmish/bridge.yaml",
        "status: printed",
        "status: reconstructed\nmethod: Made up.",
    );
    folder.ok("resolve bridge --dice 5 --save-situation scenarios/skirmish/after.yaml");
    let after = folder.read("scenarios/skirmish/after.yaml");
    let marked: Vec<&str> = after
        .lines()
        .filter(|line| line.contains("reconstructed: [strength"))
        .collect();
    assert_eq!(
        marked.len(),
        after.matches("- { name: ").count(),
        "whoever lost by it and whoever did not:\n{after}"
    );
    let strict = folder.run("resolve after --dice 5 --strict");
    strict.err.holds("strength");
    folder.ok("check");
}

/// What it means that an outcome is not named is said in the words of the manifest: by its name, or by the kind of the piece that it is of.
#[test]
fn odds_say_what_it_means_that_an_outcome_is_not_named() {
    let folder = Folder::skirmish();
    folder.append(
        "rules/skirmish/game.yaml",
        "unnamed: { no loss: [footman], nobody flees: [\"flee*\"] }\n",
    );
    folder.replace(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "    let lost = table",
        "    if die == 6 { result(\"fleeing\", 1); result(\"Red foot\", \"hit\"); result(\"Red riders\", \"hit\"); result(\"news\", 1); }\n    let lost = table",
    );
    let odds = folder.out("odds bridge");
    let of = |outcome: &str| {
        let heading = format!("\n{outcome}\n");
        odds.split(&heading)
            .nth(1)
            .unwrap_or_default()
            .split("\n\n")
            .next()
            .unwrap_or_default()
            .to_string()
    };
    for (outcome, words) in [
        ("fleeing", "nobody flees"),
        ("Red foot", "no loss"),
        ("Red riders", "unchanged"),
        ("news", "not reached"),
    ] {
        of(outcome).holds(words);
    }
    folder.write(
        "tests/skirmish/odds.yaml",
        "form: 1\ntests:\n  - test: the odds at the bridge\n    given: bridge\n    odds: { Red foot: { no loss: 5/6, hit: 1/6 } }\n",
    );
    folder.ok("test odds");
    folder.ok("check");
}

// How much is printed

#[test]
fn output_fits_what_was_asked() {
    let folder = Folder::empty();
    let out = |args: &[&str]| folder.out(args);
    let full = out(&["odds", "leader-wounded"]);
    // A wound is one value, whatever the date of return, as in `compare`.
    full.holds("wounded");
    full.lacks("back in 6/62");
    full.holds("unchanged");
    full.lacks("—");
    assert!(full.lines().count() < 45, "{full}");
    full.holds("--sources lists them.");
    full.lacks("Doubtful places");
    out(&["odds", "leader-wounded", "--exact"]).holds("wounded, back in 6/62");
    let sources = out(&["odds", "leader-wounded", "--sources"]);
    for part in [
        "Doubtful places",
        "Choices left to their first option",
        "Cases whose printed wording is not known",
    ] {
        sources.holds(part);
    }
    let single = out(&["odds", "leader-wounded", "--only", "sherman"]);
    single.holds("Sherman");
    single.lacks("Grant");
    single.lacks("Most likely");
    let json = folder.json("odds leader-wounded --only Sherman");
    assert_eq!(json["outcomes"].as_array().map(Vec::len), Some(1));
    let brief = out(&["odds", "leader-wounded", "--brief"]);
    assert!(brief.lines().count() < 12, "{brief}");
    brief.holds("Sherman              unhurt 90.4 %, wounded 5.4 %, killed 4.2 %");
    let args = ["compare", "leader-wounded", "--with", "", "--with", "dye"];
    let compared = out(&[&args[..], &["--brief"]].concat());
    compared.holds("wbts and dye differ");
    compared.lacks("by dye");
    compared.lacks("—");
    let compared = out(&[&args[..], &["--only", "Army"]].concat());
    compared.holds("under Beauregard");
    compared.lacks("Sherman");
    let ruling = out(&["resolve", BATTLE, "--brief"]);
    ruling.holds("defender losses");
    ruling.lacks("Initiative");
    let part = out(&["resolve", BATTLE, "--only", "initiative"]);
    part.holds("Lee rolls 3");
    part.lacks("Leader losses");
    part.lacks("defender losses");
    for command in [&["resolve", BATTLE][..], &["odds", "leader-wounded"], &args] {
        let run = folder.run(&[command, &["--only", "shermn"]].concat());
        run.ends(2);
        run.err.holds("no outcome or part of it is called `shermn`");
    }
}

/// Comparisons obey `--only` and `--brief`, or say that they can't.
#[test]
fn comparisons_fit_what_was_asked() {
    let folder = Folder::skirmish();
    let out = |args: &[&str]| folder.out(args);
    let readings = [
        "compare",
        "bridge",
        "--readings",
        "all",
        "--set",
        "Red wagon: strength=8",
    ];
    let full = out(&readings);
    full.holds("attacker losses");
    full.holds("defender losses");
    let single = out(&[&readings[..], &["--only", "defender"]].concat());
    single.holds("defender losses");
    single.lacks("attacker losses");
    let brief = out(&[&readings[..], &["--brief"]].concat());
    assert!(brief.lines().count() < full.lines().count(), "{brief}");
    brief.lacks("%");
    let json = folder.json(&[&readings[..], &["--only", "defender", "--format", "json"]].concat());
    assert_eq!(
        json["default"]["outcomes"].as_array().map(Vec::len),
        Some(1),
        "{json:#}"
    );
    let by = [
        "odds",
        "bridge",
        "--by",
        "1.1.wagons",
        "--set",
        "Red wagon: strength=8",
    ];
    let full = out(&by);
    full.holds("attacker losses");
    full.holds("defender losses");
    full.holds("Rests on");
    let single = out(&[&by[..], &["--only", "attacker"]].concat());
    single.holds("attacker losses");
    single.lacks("defender losses");
    let brief = out(&[&by[..], &["--brief"]].concat());
    brief.holds("mean");
    brief.lacks("%");
    brief.lacks("Rests on");
    let ranges = out(&[
        "odds", "bridge", "--policy", "all=all", "--only", "attacker", "--brief",
    ]);
    ranges.holds("attacker losses");
    ranges.lacks("defender losses");
    ranges.lacks("Rests on");
    let joint = [
        "odds",
        "bridge",
        "--joint",
        "attacker losses,defender losses",
    ];
    out(&[&joint[..], &["--brief"]].concat()).lacks("Rests on");
    for (args, part) in [
        (
            &joint[..],
            "--joint names its outcomes itself: --only has no effect with it",
        ),
        (&readings, "no outcome or part of it is called `shermn`"),
        (&by, "no outcome or part of it is called `shermn`"),
    ] {
        let run = folder.run(&[args, &["--only", "shermn"]].concat());
        run.ends(2);
        run.err.holds(part);
    }
}

/// A chance may be a fraction, a percentage or a decimal; other texts are refused.
#[test]
fn fractions_are_expected_as_numbers() {
    let example = |body: &str| {
        let folder = Folder::skirmish();
        folder.append(
            ATTACK,
            &format!("\n/// SLIP-9 stated\nfn example_of_a_chance() {{\n    {body}\n}}\n"),
        );
        folder.run("test 1.1")
    };
    for stated in ["1/3", "2/6", "2890/8670", "33.3 %", "0.33"] {
        // A decimal has to be the exact chance, or a text of its own.
        let holds = stated.contains('/');
        let run = example(&format!(
            "expect(chance(|| roll(\"1d6\", \"fight\") >= 5, true), \"{stated}\");"
        ));
        assert_eq!(
            run.status,
            Some(i32::from(!holds)),
            "{stated}\n{}",
            run.terminal_output()
        );
    }
    example("expect(mean(|| roll(\"1d6\", \"fight\")), \"14/4\");").expect_success();
    example("expect(chance(|| roll(\"1d6\", \"fight\") >= 1, true), 1);").expect_success();
    example("expect([chance(|| roll(\"1d6\", \"fight\") >= 4, true)], [\"3/6\"]);")
        .expect_success();
    let off = example("expect(chance(|| roll(\"1d6\", \"fight\") >= 5, true), \"3/6\");");
    off.out.holds("expected 3/6, got 1/3");
    // Texts that are no chance are texts.
    let turn = example(
        "expect(\"6/62\", \"3/31\"); expect(chance(|| roll(\"1d6\", \"fight\") >= 5, true), \"1/3\");",
    );
    turn.out.holds("expected 3/31, got 6/62");
}

/// A test of a ruling states odds: exactly as fractions, as rounded in per cent or decimals.
#[test]
fn tests_of_rulings_state_odds() {
    let test_odds = |odds: &str, keys: &str| {
        let folder = Folder::skirmish();
        let test = format!(
            "form: 1\ntests:\n  - test: the odds at the bridge\n    given: bridge\n    odds: {odds}\n{keys}"
        );
        folder.write("tests/skirmish/odds.yaml", test);
        folder.run("test odds")
    };
    for odds in [
        "{ attacker losses: { 0: 1/3, 1: 1/2, 2: 2/12 } }",
        "{ attacker losses: { 0: 33.3 %, 1: \"0.5\", 2: 17 %, 3: 0 }, defender losses: { mean: 8/6 } }",
        "{ defender losses: { mean: \"1.33\" }, attacker losses: { not reached: 0 } }",
    ] {
        test_odds(odds, "").expect_success();
    }
    test_odds(
        "{ attacker losses: { 0: 1/3 } }",
        "    dice: [1]\n    then: { attacker losses: 2 }\n",
    )
    .expect_success();
    test_odds(
        "{ defender losses: { mean: 2 } }",
        "    set: { \"Red foot: strength\": 8 }\n",
    )
    .expect_success();
    for (odds, part) in [
        (
            "{ attacker losses: { 0: 1/2 } }",
            "`attacker losses`, 0: expected a chance of 1/2 (50.0 %), it is 1/3 (33.3 %)",
        ),
        (
            "{ attacker losses: { 0: 1/2 } }",
            "counted: 0 1/3, 1 1/2, 2 1/6",
        ),
        (
            "{ attacker losses: { 0: 33.4 % } }",
            "expected a chance of 33.4 %, it is 1/3",
        ),
        (
            "{ attacker losses: { 0: \"0.3334\" } }",
            "expected a chance of 0.3334, it is 1/3",
        ),
        (
            "{ attacker losses: { mean: 1 } }",
            "expected a mean of 1, it is 5/6",
        ),
        (
            "{ atacker losses: { 0: 1/3 } }",
            "no outcome is called `atacker losses`; did you mean `attacker losses`?",
        ),
        (
            "{ attacker losses: { 0: often } }",
            "`often` is not a chance",
        ),
        ("{ attacker losses: { 0: 1/0 } }", "`1/0` is not a chance"),
        (
            "{ attacker losses: [1/3] }",
            "an outcome has values, each with its chance",
        ),
    ] {
        let run = test_odds(odds, "");
        run.ends(1);
        run.terminal_output().holds(part);
        run.terminal_output().holds("odds.yaml:5");
    }
    // An answer that no path asks for is reported; one that some paths ask for is not.
    let unasked = test_odds(
        "{ attacker losses: { 0: 1/3 } }",
        "    choose: { \"Red: nothing\": 1 }\n",
    );
    unasked
        .out
        .holds("no question asks for the answer given to");
    let check = Folder::skirmish();
    check.write(
        "tests/skirmish/set.yaml",
        "form: 1\ntests:\n  - test: a slip\n    given: bridge\n    set: { \"Red fot: strength\": 8 }\n    then: { attacker losses: 2 }\n",
    );
    let checked = check.run("check");
    checked
        .terminal_output()
        .holds("no piece or place is called `Red fot`; did you mean `Red foot`?");
}

// What was typed and passed over

#[test]
fn a_refusal_in_runs_counts_as_in_the_odds() {
    let folder = Folder::skirmish();
    let throw = "    let die = roll(\"1d6\", \"attack\");\n";
    folder.replace(
        ATTACK,
        throw,
        &format!("{throw}    require(die > 2, \"the guns are wet\", []);\n"),
    );
    let runs = folder.out("odds bridge --runs 60");
    let share = |heading: &str| {
        runs.split(&format!("\n{heading}\n"))
            .nth(1)
            .unwrap_or_default()
            .split("\n\n")
            .next()
            .unwrap_or_default()
            .to_string()
    };
    share("refused").holds("±");
    share("attacker losses").holds("not reached");
}

#[test]
fn a_range_of_outcomes_takes_no_conditions() {
    for args in [
        ["--given", "retreat"],
        ["--joint", "retreat"],
        ["--measure", "defender losses"],
    ] {
        let run =
            Folder::empty().run(&[&["odds", BATTLE, "--policy", "all=all"][..], &args].concat());
        assert!(run.status != Some(0), "{}", run.terminal_output());
        run.err.holds("have no effect with it");
    }
}

#[test]
fn one_of_several_that_are_as_likely_is_not_called_the_likeliest() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    folder.replace(
        "scenarios/mine/first-fight.yaml",
        "value: \"3-2\"",
        "value: \"5-2\"",
    );
    let odds = folder.out("odds first-fight");
    odds.holds("Most likely of all, 16.7 %, as likely as 5 others");
    // Games are summed up whole.
    let run = folder.run("odds first-fight --runs 10 --only retreat");
    run.ends(2);
    run.err.holds("--only");
    // A comparison by size with a word holds for no value, which does not mean that it never happens.
    for condition in ["attacker losses > defender losses", "attacker losses >="] {
        let run = folder.run(&["odds", "first-fight", "--given", condition]);
        run.ends(2);
        run.err.holds("does not compare with a number");
    }
    let never = folder.run("odds first-fight --given 'attacker losses == 7'");
    never
        .err
        .holds("`attacker losses = 7` never happens here: attacker losses can be 0, 1, 2");
}

#[test]
fn a_pack_takes_the_place_of_nothing_but_a_pack() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    folder.ok("new variant house");
    let chart = folder.read("tables/mine/fight.yaml");
    let run = folder.run("pack house --out tables/mine/fight.yaml");
    assert!(run.status != Some(0), "{}", run.terminal_output());
    run.err.holds("this file is not a pack");
    assert_eq!(folder.read("tables/mine/fight.yaml"), chart);
    folder.ok("pack house");
    folder.ok("pack house");
}

#[test]
fn a_variant_that_cannot_be_read_is_shown_not_missed() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    folder.write("variants/house/variant.yaml", "title: a: b\n");
    let run = folder.run("resolve first-fight --with house");
    run.err.holds("error[yaml]");
    run.err.holds("variants/house/variant.yaml:1");
    folder.write(
        "variants/house/variant.yaml",
        "variant: house\ntitle: House\ngame: mine\noptions: [ditches]\n",
    );
    let run = folder.run("check");
    run.out
        .holds("this part takes names and values, not a list");
}

#[test]
fn a_correction_that_corrects_nothing_is_told_what_was_meant() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    folder.write(
        "variants/house/variant.yaml",
        "variant: house\ntitle: House\ngame: mine\n",
    );
    let case = "variants/house/rules/01-fights/1.1-fights.rhai";
    let card = "//! case: \"1.1\"\n//! title: Fights\n//! kind: correction\n//! text: ours\n\n";
    for (function, message) in [
        ("may_figth(unit) { true }", "did you mean `may_fight`?"),
        (
            "may_fight(unit, x) { true }",
            "the older one takes 1, and this takes 2",
        ),
    ] {
        folder.write(case, format!("{card}fn {function}\n"));
        let run = folder.run("resolve first-fight --with house");
        assert!(run.status != Some(0), "{}", run.terminal_output());
        run.err.holds("error[kind]");
        run.err.holds(message);
    }
}

#[test]
fn a_line_of_a_chart_that_is_too_long_is_not_cut() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    folder.write(
        "weather.csv",
        "die\\season,1-3,4-6\nspring,rain,fair,snow\n",
    );
    let run = folder.run("new table weather --from weather.csv");
    assert!(run.status != Some(0), "{}", run.terminal_output());
    run.err.holds("`snow` is under none");
}

#[test]
fn a_book_is_written_over_a_book_and_nothing_else() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    let run = folder.run("book --out rules");
    assert!(run.status != Some(0), "{}", run.terminal_output());
    run.err.holds("holds other things than a rulebook");
    folder.ok("book --out site");
    std::fs::remove_file(folder.0.join("rules/mine/01-fighting/1.2-losses.rhai"))
        .expect("it is there");
    let page = folder.0.join("site/case-1.2.html");
    assert!(page.exists());
    folder.replace(
        "rules/mine/01-fighting/1.1-fights.rhai",
        "take_losses(given.side, attackers, lost.attacker)",
        "lost.attacker",
    );
    folder.replace(
        "rules/mine/01-fighting/1.1-fights.rhai",
        "take_losses(enemy(given.side), defenders, lost.defender)",
        "lost.defender",
    );
    folder.replace("rules/mine/contents.yaml", "\"1.2\"", "\"1.3\"");
    folder.ok("book --out site");
    assert!(!page.exists(), "the page of a case that is no more goes");
}

#[test]
fn a_variant_that_names_itself_or_says_nothing_is_complained_of() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    folder.write(
        "variants/house/variant.yaml",
        "variant: house\ntitle: \"\"\ngame: mine\nafter: [house]\n",
    );
    let out = folder.run("check").out;
    out.holds("`title:` says nothing");
    out.holds("house names itself under `after:`");
}

#[test]
fn check_reports_tests_that_name_unknown_things() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    let test =
        |more: &str| format!("form: 1\ntests:\n  - test: one\n    given: first-fight\n{more}");
    for (args, message) in [
        (
            "  - test: one\n    given: first-fight\n",
            "two tests have this name and situation",
        ),
        (
            "  - test: two\n    given: frist-fight\n",
            "no situation is called `frist-fight`; did you mean `first-fight`?",
        ),
        (
            "    with: [hosue]\n",
            "no variant of mine is called `hosue`",
        ),
        (
            "    when: figth\n",
            "no procedure is called `figth`; did you mean `fight`?",
        ),
    ] {
        folder.write("tests/mine/more.yaml", test(args));
        let run = folder.run("check");
        run.ends(1);
        run.out.holds(message);
        run.out.holds("tests/mine/more.yaml:");
    }
}

#[test]
fn a_ruling_is_pinned_once() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    let pin = [
        "resolve",
        "first-fight",
        "--dice",
        "6",
        "--pin",
        "tests/mine/pinned.yaml",
    ];
    folder.ok(&pin);
    let before = folder.read("tests/mine/pinned.yaml");
    let second = folder.run(&pin);
    assert!(second.status != Some(0), "{}", second.terminal_output());
    second.err.holds("already");
    assert_eq!(folder.read("tests/mine/pinned.yaml"), before);
}

#[test]
fn a_test_of_items_says_yes_or_no() {
    for (verb, test) in [
        ("where", "|u| u.power"),
        ("without", "|u| u.power"),
        ("some", "|u| u.power"),
        ("all", "|u| u.name"),
        ("find", "|u| ()"),
    ] {
        let folder = Folder::empty();
        folder.ok("new game mine");
        folder.replace(
            "rules/mine/01-fighting/1.1-fights.rhai",
            "    step(\"Losses\");",
            &format!("    attackers.{verb}({test});"),
        );
        let run = folder.run("resolve first-fight");
        run.err.holds("a condition is true or false");
        let (same, by_reference) = compare_in_folder(&folder, "mine", "first-fight");
        same.unwrap_or_else(|why| panic!("{verb}: {why}"));
        let complaints = by_reference.expect_err("Rhai's evaluator ends in a fault, too");
        complaints.0[0]
            .message
            .holds("a condition is true or false");
    }
}

#[test]
fn no_two_pieces_go_by_one_name() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    let twice = "    create(#{ name: \"Red guard\", kind: \"trooper\", side: \"Red\", at: \"Mill\" });\n    step(\"Losses\");";
    folder.replace(
        "rules/mine/01-fighting/1.1-fights.rhai",
        "    step(\"Losses\");",
        twice,
    );
    let run = folder.run("resolve first-fight");
    run.err.holds("a piece named `Red guard` already exists");
}

#[test]
fn a_situation_of_several_games_is_asked_for_by_its_game() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    folder.ok("new game yours");
    let run = folder.run("resolve first-fight");
    assert!(run.status != Some(0), "{}", run.terminal_output());
    run.err
        .holds("several games have a situation `first-fight`");
    folder.ok("resolve first-fight --game yours");
}

#[test]
fn messages_are_in_words_for_players() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    for args in [
        &["resolve", "first-fight", "--seed", "abc"][..],
        &["resolve", "first-fight", "--dice", "6,x"],
        &["odds", "first-fight", "--runs", "0"],
        &["merge", "nowhere.json"],
        &["replay", "nowhere.yaml"],
        &[
            "odds",
            "first-fight",
            "--policy",
            "Red=|what, options| optoins[0]",
        ],
    ] {
        let run = folder.run(args);
        let jargon = ["os error", "invalid digit", "Undefined", "parse"]
            .iter()
            .find(|word| run.err.contains(**word));
        assert!(
            run.status != Some(0) && jargon.is_none() && !run.err.is_empty(),
            "{args:?}: {}",
            run.terminal_output()
        );
    }
}

#[test]
fn odds_of_a_game_say_what_they_cover() {
    let odds = Folder::empty().out("odds first-manassas --limit 1");
    odds.holds("with which this begins; --rounds 1 counts a whole round, --runs");
    let battle = Folder::empty().out(&["odds", BATTLE]);
    battle.lacks("with which this begins");
}

#[test]
fn saving_a_situation_outside_its_folder_says_where_it_belongs() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    let saved = folder.ok("resolve first-fight --save-situation after.yaml");
    saved.err.holds("put it there to go on from it");
    let run = folder.ok("resolve first-fight --save-situation scenarios/mine/after.yaml");
    assert!(run.err.is_empty(), "{}", run.terminal_output());
}

#[test]
fn a_case_that_a_variant_has_is_not_laid_out_over_it() {
    let folder = Folder::empty();
    let run = folder.run("new case 8.16 --variant hardy");
    assert!(run.status != Some(0), "{}", run.terminal_output());
    run.err.holds("hardy has a case 8.16 already");
    assert!(!folder.0.join("variants").exists());
}

#[test]
fn a_sound_variant_is_unpacked_without_a_word() {
    let folder = Folder::empty();
    folder.ok("pack dye --out dye.pack.yaml");
    let text = folder
        .read("dye.pack.yaml")
        .replace("variants/dye/", "variants/dye2/")
        .replace("variant: dye\n", "variant: dye2\n");
    // Whoever changes a pack by hand takes its checksum out.
    let text = text.split("checksum:").next().expect("a part");
    folder.write("dye2.pack.yaml", text);
    let run = folder.ok("unpack dye2.pack.yaml");
    run.out.lacks("error[");
    run.out.lacks("note[");
}

#[test]
fn tables_say_what_was_assumed_for_them() {
    let run = Folder::empty().ok("list --tables --format json");
    let games = run.json()["games"].as_array().cloned().unwrap_or_default();
    assert_eq!(games.len(), 3, "the games that are built in");
    for table in games
        .iter()
        .flat_map(|game| game["tables"].as_array().into_iter().flatten())
    {
        let reconstructed = table["figures"]["reconstructed"].as_u64().unwrap_or(0);
        let method = table["method"].as_str().unwrap_or_default();
        assert!(
            reconstructed == 0 || !method.is_empty(),
            "{}: reconstructed figures have a method",
            table["table"]
        );
    }
    let text = Folder::empty().out("list --tables --game wbts");
    text.holds("combat-results  Combat Results Tables\n  figures: 912 reconstructed\n");
    text.holds("the stronger side loses less, the greater the odds");
}

// What is read first

#[test]
fn the_headline_comes_first() {
    let folder = Folder::empty();
    let odds = folder.out(&["odds", BATTLE]);
    let position = |text: &str, part: &str| {
        text.find(part)
            .unwrap_or_else(|| panic!("no {part} in\n{text}"))
    };
    let sentence = "The attack is made in 83.3 %; the defender retreats in 55.6 %; losses 3.8";
    assert!(position(&odds, sentence) < position(&odds, "\nattack\n"));
    assert!(position(&odds, "defender losses (points)") < position(&odds, "\nUnits\n"));
    assert!(position(&odds, "\nUnits\n") < position(&odds, "\nMorell's division\n"));
    let json = folder.json(&["odds", BATTLE]);
    assert!(
        json["headline"]["text"]
            .as_str()
            .is_some_and(|text| text.starts_with(sentence)),
        "{:#}",
        json["headline"]
    );
    assert_eq!(json["headline"]["entries"][0]["figures"][0]["exact"], "5/6");
    let ruling = folder.out(&["resolve", BATTLE, "--brief"]);
    assert!(
        position(
            &ruling,
            "The attack is made: yes; the defender retreats: yes; losses 4 against 5."
        ) < position(&ruling, "  Morell's division")
    );
    let compared = folder.out(format!(
        "compare {BATTLE} --with hardy --with second-edition"
    ));
    // Both have the same, so it is there once.
    assert_eq!(
        compared.matches("The attack is made in").count(),
        1,
        "{compared}"
    );
}

#[test]
fn numbers_are_in_order_whatever_stands_behind_them() {
    let odds = Folder::empty().out(&["odds", BATTLE]);
    let part = odds
        .split("\nSykes's division\n")
        .nth(1)
        .expect("it may lose men");
    assert!(part.find("4 left") < part.find("5 left"), "{part}");
}

/// Switching an option off drops the readings of its cases that the situation names; a reading that is typed is refused.
#[test]
fn an_option_switched_off_takes_its_readings_along() {
    let folder = Folder::empty();
    let off = [
        "resolve",
        "clear-then-fire",
        "--seed",
        "3",
        "--option",
        "perla-1997.q2=off",
    ];
    folder.ok(&off);
    let typed = folder.run(&[&off[..], &["--reading", "q2.areas=those picked"]].concat());
    typed.ends(2);
    typed.err.holds("no reading in force is called `q2.areas`");
}

/// The default of a reading is that of the newest layer, also in the list of everything.
#[test]
fn readings_are_listed_by_their_default() {
    let folder = Folder::empty();
    for (with, ways) in [("", "single | shared"), ("perla-1997", "shared | single")] {
        let out = folder.out(&["list", "--game", "tmag", "--with", with]);
        let line = out
            .lines()
            .find(|line| line.trim_start().starts_with("3.2.box"))
            .expect("the reading is listed");
        assert!(line.ends_with(ways), "{line}");
    }
}

// What is typed

/// Variants, options and readings stand in one word, as in `compare`.
#[test]
fn options_and_readings_stand_among_the_variants() {
    let folder = Folder::skirmish();
    let ruleset = |args: &[&str]| {
        let words = [&["resolve", "bridge", "--format", "json"], args].concat();
        folder.json(&words)["in_force"].clone()
    };
    let apart = ruleset(&[
        "--with",
        "winter",
        "--option",
        "winter.frost=off",
        "--reading",
        "1.1.wagons=help",
    ]);
    assert_eq!(
        ruleset(&["--with", "winter,winter.frost=off,1.1.wagons=help"]),
        apart
    );
    assert_ne!(ruleset(&["--with", "winter"]), apart);
}

/// What is written in another way than it is read gets the right one.
#[test]
fn what_is_typed_in_another_way_is_shown_as_it_should_be() {
    let folder = Folder::skirmish();
    for (args, expected) in [
        (
            &["resolve", "bridge", "--dice", "3 1 2"][..],
            "--dice 3,1,2",
        ),
        (
            &["resolve", "bridge", "--with", "errata", "winter"],
            "--with errata,winter",
        ),
        (
            &["resolve", "bridge", "--dice", "3", "1", "2"],
            "--dice 3,1,2",
        ),
        (&["resolve", "bridge", "--dice", "3-1;2"], "--dice 3,1,2"),
        (
            &["resolve", "bridge", "--with", "errata winter"],
            "errata,winter",
        ),
        (&["resolve", "bridge", "--with", "a and b"], "a,b"),
        (
            &["odds", "bridge", "--with", "winter winter.frost=on"],
            "winter,winter.frost",
        ),
        (
            &["odds", "bridge", "--with", "winter.frost=on"],
            "winter,winter.frost=on",
        ),
        (
            &["odds", "bridge", "--with", "winter,winter.frost=maybe"],
            "on or off",
        ),
        (
            &["odds", "bridge", "--sweep", "Red foot: strength=1-4"],
            "1..4",
        ),
        (
            &["odds", "bridge", "--sweep", "Red foot: strength=1 to 4"],
            "1..4",
        ),
        (
            &["odds", "bridge", "--sweep", "Red foot: strength=1 2 4"],
            "1,2,4",
        ),
        (&["schema", "card"], "game, contents, glossary, table"),
        (&["watch", "nowhere"], "nowhere"),
    ] {
        let run = folder.run(args);
        run.ends(2);
        run.err.holds(expected);
    }
    // The name is marked that is not known.
    for typed in [
        "Red foot: strenth=4",
        "Red foot: name=4",
        "track: tern=4",
        "given: sde=Red",
        "Reed foot: strength=4",
        "0202: grond=wood",
    ] {
        let run = folder.run(&["resolve", "bridge", "--set", typed]);
        let (excerpt, caret) = run
            .err
            .split_once(typed)
            .expect("what was typed is shown")
            .1
            .split_once('^')
            .expect("a mark");
        let (target, key) = typed
            .split_once(['='])
            .and_then(|(name, _)| name.split_once(": "))
            .expect("a name");
        let (before, name) = if target == "Reed foot" {
            (0, target)
        } else {
            (target.len() + 2, key)
        };
        let mark = excerpt.lines().last().expect("the line of the mark").len() - "  | ".len();
        assert!(
            mark == before && caret.trim_start_matches('^').len() == caret.len() + 1 - name.len(),
            "the name is marked:\n{}",
            run.err
        );
        run.err.lacks("did you mean `name`");
    }
    // A game without tables has no heading for them.
    std::fs::remove_dir_all(folder.0.join("tables")).expect("the test's own folder");
    let tables = folder.out("list --tables --game skirmish");
    tables.holds("skirmish  Skirmish: no tables\n");
    // A number that says nothing of a terminal is none.
    let list = |columns: &str| {
        folder
            .run_configured("list", |command| command.env("COLUMNS", columns))
            .expect_success()
            .out
    };
    assert_eq!(list("0"), list(""));
}

/// The headline is of the whole, whatever outcomes are shown.
#[test]
fn a_headline_of_rulesets_does_not_hang_on_what_is_shown() {
    let folder = Folder::empty();
    let headlines = |more: &[&str]| {
        let args = [
            &[
                "compare",
                BATTLE,
                "--with",
                "hardy",
                "--with",
                "second-edition",
                "--format",
                "json",
            ],
            more,
        ]
        .concat();
        let answer = folder.json(&args);
        answer["rulesets"]
            .items()
            .map(|one| one["odds"]["headline"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(headlines(&["--only", "attacker losses"]), headlines(&[]));
}

/// In a folder with several games the main one is meant, if it is among them.
#[test]
fn the_main_game_is_meant_among_several() {
    let folder = Folder::empty();
    let games = ["wbts", "tmag"].map(|game| (game, format!("rules/{game}/game.yaml")));
    for (_, manifest) in &games {
        folder.write(
            manifest,
            std::fs::read_to_string(repository().join(manifest)).expect("a manifest"),
        );
    }
    folder.ok("new variant my-charts --tables");
    folder.read("variants/my-charts/variant.yaml").holds("wbts");
}

/// A replay that stops early says nothing of what it has not reached.
#[test]
fn a_replay_that_stops_early_speaks_of_what_it_has_reached() {
    let folder = Folder::empty();
    folder.ok(format!("resolve {BATTLE} --with hardy --save battle.yaml"));
    let text = folder.read("battle.yaml");
    let moves = text
        .lines()
        .position(|line| line == "moves:")
        .expect("moves")
        + 1;
    let cut: Vec<&str> = text
        .lines()
        .take_while(|line| !line.starts_with("results:"))
        .take(moves + 2)
        .collect();
    folder.write("half.yaml", cut.join("\n") + "\n");
    let answer = folder.json("replay half.yaml --with hardy,dye");
    assert!(
        !answer["stopped"].is_null(),
        "it is not at its end: {answer:#}"
    );
    let results = answer["ruling"]["results"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    for name in answer["differ"].as_array().expect("a list") {
        assert!(
            results.contains_key(name.as_str().expect("a name")),
            "{name} was not reached"
        );
    }
    assert!(
        answer["ruling"]["headline"]
            .as_str()
            .is_none_or(str::is_empty),
        "{answer:#}"
    );
}
