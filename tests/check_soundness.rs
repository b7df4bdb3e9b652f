//! `check` reports exactly the faults that stop a run, however a fault is written and wherever it stands.

use crate::common::server::Served;
use crate::common::{Folder, Says, repository};
use serde_json::json;

const ATTACK: &str = "rules/skirmish/01-battle/1.1-attack.rhai";
const LOSSES: &str = "rules/skirmish/02-losses/2.1-losses.rhai";
const SLIP: &str = "variants/errata/rules/02-losses/2.1-losses.rhai";
const GAME: &str = "rules/skirmish/game.yaml";

/// The output of `check`, and whether it found errors.
fn check_output(folder: &Folder) -> (String, bool) {
    let output = folder.run("check").terminal_output();
    let wrong = output.contains("error[");
    (output, wrong)
}

/// The output of `resolve`, and whether it found errors.
fn resolve_output(folder: &Folder) -> (String, bool) {
    let output = folder
        .run("resolve bridge --with errata --seed 1")
        .terminal_output();
    let wrong = output.contains("error[");
    (output, wrong)
}

/// The small game in which the errata's addition has these functions.
fn with_slip_functions(functions: &str) -> Folder {
    let folder = Folder::skirmish();
    let text = folder.read(SLIP);
    let card = &text[..text
        .find("/// Footmen first")
        .expect("the function is there")];
    folder.write(SLIP, format!("{card}{functions}"));
    folder
}

#[test]
fn an_addition_asks_prior_however_it_is_written() {
    let helper = |call: &str| {
        format!(
            "fn loss_order(side, units) {{ older(side, units) }}\n\nprivate fn older(side, units) {{ {call} }}\n"
        )
    };
    let asks = [
        "fn loss_order(side, units) { prior () }\n".to_string(),
        "fn loss_order(side, units) { prior/* the older */() }\n".into(),
        "fn loss_order(side, units) {\n    prior // the older\n        (side,\n         units)\n}\n".into(),
        "fn loss_order(side, units) { \"//\"; prior() }\n".into(),
        "fn loss_order(side, units) { let f = || prior(side, units); f.call() }\n".into(),
        "fn loss_order(side, units) { `of ${prior().len()}`; prior(side, units) }\n".into(),
        helper("prior ( )"),
        helper("prior/*c*/()"),
        helper("prior\n        (side, units)"),
        "fn loss_order(side, units) { first(side, units) }\n\nprivate fn first(a, b) { older(a, b) }\n\nprivate fn older(a, b) { prior(a, b) }\n".into(),
    ];
    for functions in asks {
        let folder = with_slip_functions(&functions);
        for (output, wrong) in [check_output(&folder), resolve_output(&folder)] {
            assert!(!wrong, "{functions}\n{output}");
        }
    }
    let does_not = [
        "fn loss_order(side, units) { units }\n",
        "fn loss_order(side, units) { /* prior() */ units } // prior()\n",
        "fn loss_order(side, units) { say(\"prior()\"); units }\n",
        "fn loss_order(side, units) { units }\n\nprivate fn older(side, units) { prior(side, units) }\n",
        "fn loss_order(side, units) { prior(units) }\n\nprivate fn prior(units) { units }\n",
    ];
    for functions in does_not {
        let folder = with_slip_functions(functions);
        for (output, wrong) in [check_output(&folder), resolve_output(&folder)] {
            assert!(wrong, "{functions}\n{output}");
            output.holds("without asking `prior()`");
        }
    }
}

/// A fault in a branch that no situation enters, and how `check` names it.
const BRANCH_FAULTS: &[(&str, &str)] = &[
    (
        "set(attackers[0], \"strength\", 0);",
        "`set` changes the situation, and this case is not a procedure",
    ),
    (
        "attackers[0].set(\"strength\", 0);",
        "`set` changes the situation, and this case is not a procedure",
    ),
    (
        "remove(attackers[0], \"gone\");",
        "`remove` changes the situation, and this case is not a procedure",
    ),
    (
        "attackers[0].move_piece(\"0101\");",
        "`move_piece` changes the situation, and this case is not a procedure",
    ),
    (
        "let f = |u| move_piece(u, \"0101\"); f.call(attackers[0]);",
        "`move_piece` changes the situation, and this case is not a procedure",
    ),
    (
        "switch 3 { 3 => set_track(\"turn\", 2), _ => 1 };",
        "`set_track` changes the situation, and this case is not a procedure",
    ),
    ("table(\"nix\", 3);", "no table is called `nix`"),
    ("track(\"nix\");", "no track is called `nix`"),
    ("entry(\"nix\", \"Guard\");", "no list is called `nix`"),
    (
        "table(\"combat\", \"1:1\", 9);",
        "table combat has no row `9`",
    ),
    (
        "is_a(attackers[0], \"nix\");",
        "no kind or group of pieces is called `nix`",
    ),
    (
        "pieces_at(\"9999\", \"Red\");",
        "`9999` is not a place of this game",
    ),
    ("pieces_at(\"0101\", \"Nix\");", "no side is called `Nix`"),
    ("let die = roll(\"1x6\", \"who\");", "1x6"),
    (
        "reading(\"nix\");",
        "no reading in force is called `3.2.nix`",
    ),
    (
        "nobody_answers(3);",
        "there is no function `nobody_answers`",
    ),
    ("say(\"{} and {}\", [1]);", "this line has 2 `{}`"),
    (
        "choose(\"Red\", \"which\", []);",
        "this choice has no options",
    ),
    (
        "let n = 3; if !n { return 1; }",
        "`!` takes true or false, and gets a number",
    ),
    (
        "if attackers[0].strength == \"three\" { return 1; }",
        "a number is compared with a text",
    ),
];

#[test]
fn every_branch_is_checked() {
    let card = "//! case: \"3.2\"\n//! title: Of many\n//! kind: rule\n//! source: { doc: sheet, at: \"3.2\" }\n//! text: Ours.\n//! idle: a test\n\n";
    for visibility in ["", "private "] {
        for (fault, message) in BRANCH_FAULTS {
            let folder = Folder::skirmish();
            let asks = if visibility.is_empty() {
                ""
            } else {
                "fn of_several(attackers) { of_many(attackers) }\n\n"
            };
            let text = format!(
                "{card}{asks}{visibility}fn of_many(attackers) {{\n    if attackers.len() > 3 {{ {fault} }}\n    0\n}}\n"
            );
            folder.write("rules/skirmish/03-many/3.2-of-many.rhai", text);
            let (output, _) = check_output(&folder);
            output.holds(message);
        }
    }
}

#[test]
fn a_game_without_tables_and_tracks_knows_none() {
    let folder = Folder::skirmish();
    let manifest = folder.read(GAME);
    let from = manifest.find("tracks:").expect("tracks");
    let to = manifest.find("procedures:").expect("procedures");
    folder.write(GAME, format!("{}{}", &manifest[..from], &manifest[to..]));
    folder.replace(
        "scenarios/skirmish/bridge.yaml",
        "tracks: { turn: 3 }\n",
        "",
    );
    folder.replace(
        ATTACK,
        "    step(\"Attack\");\n",
        "    step(\"Attack\");\n    if given.side == \"Blue\" { track(\"turn\"); }\n",
    );
    check_output(&folder).0.holds("no track is called `turn`");
}

#[test]
fn any_function_may_change_maps_and_lists() {
    let folder = Folder::skirmish();
    let card = "//! case: \"3.2\"\n//! title: Of many\n//! kind: rule\n//! source: { doc: sheet, at: \"3.2\" }\n//! text: Ours.\n//! idle: a test\n\n";
    let function = "fn of_many(units) {\n    let map = #{ strength: 3 };\n    set(map, \"strength\", 4);\n    remove(map, \"strength\");\n    let list = [1];\n    \
                    set(list, 0, 2);\n    remove(list, 0);\n    list\n}\n\n/// ours\nfn example_of_many() { expect(of_many([]), []); }\n";
    folder.write(
        "rules/skirmish/03-many/3.2-of-many.rhai",
        format!("{card}{function}"),
    );
    let (output, wrong) = check_output(&folder);
    assert!(!wrong, "{output}");
}

/// A reserved word is reported where the manifest names the procedure and where a case names the function.
/// What a run does to the copy of a list or map that nobody reads again is lost, and `check` says so; a sheet is one for all who hold it.
#[test]
fn a_change_of_a_copy_that_nobody_reads_is_reported() {
    let notes = |functions: &str| {
        let folder = with_slip_functions(&format!("fn loss_order(side, units) {{ {functions}\n"));
        let (output, wrong) = check_output(&folder);
        assert!(!wrong, "{functions}\n{output}");
        output.matches("[lost-update]").count()
    };
    let lost = [
        "let side = #{ men: 3 }; hit(side); prior() }\n\nprivate fn hit(side) { side.men -= 1; }",
        "let side = #{ men: 3 }; hit(side); prior() }\n\nprivate fn hit(side) { side[\"men\"] = 1; }",
        "let side = #{ men: 3 }; hit(side); prior() }\n\nprivate fn hit(side) { side.set(\"men\", 1); }",
        "let side = #{ men: 3 }; hit(side); prior() }\n\nprivate fn hit(side) { set(side, \"men\", 1); }",
        "let side = #{ men: [1, 2] }; hit(side); prior() }\n\nprivate fn hit(side) { side.men.push(1); }",
        "let list = []; note(list); prior() }\n\nprivate fn note(list) { list.push(1); }",
    ];
    for functions in lost {
        assert_eq!(notes(functions), 1, "{functions}");
    }
    let kept = [
        "let side = #{ men: 3 }; side = hit(side); require(side.men == 2, \"\"); prior() }\n\nprivate fn hit(side) { side.men -= 1; side }",
        "let side = #{ men: 3 }; hit(side); prior() }\n\nprivate fn hit(side) { side.men -= 1; if side.men < 0 { refuse(\"\"); } }",
        "let side = record(#{ points: 3 }); hit(side); prior() }\n\nprivate fn hit(side) { side.points -= 1; }",
        "let all = #{ one: record(#{ points: 3 }) }; hit(all); prior() }\n\nprivate fn hit(all) { all.one.points = 1; }",
        "for side in [#{ points: 3 }, record(#{ points: 3 })] { hit(side); } prior() }\n\nprivate fn hit(side) { side.points = 1; }",
        "let list = []; let note = || list.push(1); note.call(); require(list.len() == 1, \"\"); prior() }",
        "let list = [1, 2]; let last = list.pop(); require(last == 2, \"\"); prior() }",
        "let list = []; for i in 0..3 { list.push(i); if list.len() == 2 { break; } } prior() }",
    ];
    for functions in kept {
        assert_eq!(notes(functions), 0, "{functions}");
    }
}

#[test]
fn words_of_the_language_are_no_names_of_procedures() {
    for word in [
        "throw", "switch", "loop", "is", "new", "match", "go", "private", "eval", "print",
    ] {
        let folder = Folder::skirmish();
        folder.replace(
            GAME,
            "  attack: The pieces",
            &format!("  {word}: The pieces"),
        );
        folder.replace(
            GAME,
            "procedures: [attack]",
            &format!("procedures: [{word}]"),
        );
        folder.replace(
            "scenarios/skirmish/bridge.yaml",
            "procedure: attack",
            &format!("procedure: {word}"),
        );
        folder.replace(ATTACK, "procedure: attack", &format!("procedure: {word}"));
        folder.replace(ATTACK, "fn attack(given)", &format!("fn {word}(given)"));
        folder.replace(LOSSES, "procedure: attack", &format!("procedure: {word}"));
        let (output, wrong) = check_output(&folder);
        assert!(wrong, "{word}\n{output}");
        output.holds(format!("no case can carry out `{word}`"));
        output.holds(format!("`{word}` is a word of the language"));
        output.holds(format!("{ATTACK}:"));
        let (output, wrong) = resolve_output(&folder);
        assert!(wrong, "{word}\n{output}");
        output.holds(format!("`{word}` is a word of the language"));
    }
}

/// Faults that show only in the file as a whole: `check` and `resolve` report the same.
#[test]
fn a_file_is_whole_or_does_not_run() {
    let strays = [
        "let stray = 3;\n",
        "  fn indented() { 3 }\n",
        "fn twice(a) { a }\n\nfn twice(a) { a }\n",
        "fn parameter(throw) { 3 }\n",
        "fn default(a = 3) { a }\n",
        "fn same(a, a) { a }\n",
        "fn variable() { let throw = 3; throw }\n",
        "fn broken() { 3 + }\n",
        "fn open() { 3 \n",
        "fn unknown() { no_such }\n",
    ];
    for stray in strays {
        let folder = Folder::skirmish();
        let text = folder.read(ATTACK);
        folder.write(ATTACK, format!("{text}\n{stray}"));
        let (check, wrong) = check_output(&folder);
        assert!(wrong, "{stray}\n{check}");
        let (resolve, wrong) = resolve_output(&folder);
        assert!(wrong, "check: {check}\nresolve: {resolve}");
    }
}

#[test]
fn parameters_may_stand_on_several_lines() {
    let folder = Folder::skirmish();
    folder.replace(
        ATTACK,
        "fn attack_odds(attackers, defenders) {",
        "fn attack_odds(\n    attackers,\n    defenders\n) {",
    );
    for (output, wrong) in [check_output(&folder), resolve_output(&folder)] {
        assert!(!wrong, "{output}");
    }
}

#[test]
fn a_case_may_serve_two_procedures() {
    let folder = Folder::skirmish();
    folder.replace(
        GAME,
        "  attack: The pieces",
        "  storm: The pieces of one hex attack the next, whatever it costs.\n  attack: The pieces",
    );
    folder.replace(ATTACK, "procedure: attack", "procedure: [attack, storm]");
    folder.replace(LOSSES, "procedure: attack", "procedure: [attack, storm]");
    folder.replace(
        ATTACK,
        "fn attack(given) {",
        "fn storm(given) { attack(given) }\n\nfn attack(given) {",
    );
    for (output, wrong) in [check_output(&folder), resolve_output(&folder)] {
        assert!(!wrong, "{output}");
    }
    folder.replace(LOSSES, "[attack, storm]", "[attack, storn]");
    check_output(&folder)
        .0
        .holds("no procedure is called `storn`; did you mean `storm`?");
}

/// `enemy()` is refused in every form where a game does not have exactly two sides.
#[test]
fn enemy_is_for_two_sides() {
    for sides in ["[Red, Blue, Green]", "[Red]"] {
        for expression in [
            "enemy(given.side)",
            "given.side.enemy()",
            "[given.side].map(|side| enemy(side))[0]",
        ] {
            let folder = Folder::skirmish();
            folder.replace(GAME, "sides: [Red, Blue]", &format!("sides: {sides}"));
            let text = folder.read(ATTACK).replace("enemy(given.side)", expression);
            folder.write(ATTACK, text);
            let (output, wrong) = check_output(&folder);
            assert!(wrong, "{output}");
            output.holds("`enemy` has no meaning in a game of");
        }
    }
}

/// Where figures should rise, the changed one is reported.
#[test]
fn a_figure_out_of_order_is_reported_at_its_place() {
    let chart = |cells: [u32; 5]| {
        let rows: String = cells
            .iter()
            .enumerate()
            .map(|(row, cell)| format!("  {}: [{cell}]\n", row + 1))
            .collect();
        format!(
            "table: pay\ntitle: Pay\nkind: rule\nstatus: printed\nsource: {{ doc: sheet, at: pay }}\nrows: {{ of: men, labels: [1, 2, 3, 4, 5] }}\n\
             holds: {{ is: \"0-99\", rises: rows }}\ncells:\n{rows}"
        )
    };
    for (column, cells) in [
        (0, [9, 2, 3, 4, 5]),
        (1, [1, 9, 3, 4, 5]),
        (2, [1, 2, 0, 4, 5]),
        (3, [1, 2, 3, 9, 5]),
        (4, [1, 2, 3, 4, 0]),
    ] {
        let folder = Folder::skirmish();
        folder.write("tables/skirmish/pay.yaml", chart(cells));
        let output = check_output(&folder).0;
        let line = chart(cells)
            .lines()
            .position(|line| line == "cells:")
            .expect("cells")
            + 2
            + column;
        assert!(
            output.contains(&format!("pay.yaml:{line}:"))
                && output.matches("figures here rise").count() == 1,
            "{cells:?}\n{output}"
        );
    }
}

/// A situation that leaves out a required value of its procedure is reported at its place.
#[test]
fn a_situation_hands_its_procedure_what_that_needs() {
    const BRIDGE: &str = "scenarios/skirmish/bridge.yaml";
    let folder = Folder::skirmish();
    const ATTACK: &str = "rules/skirmish/01-battle/1.1-attack.rhai";
    folder.replace(
        ATTACK,
        "from: { names: place,",
        "from: { names: place, or: units,",
    );
    for (output, wrong) in [check_output(&folder), resolve_output(&folder)] {
        assert!(!wrong, "{output}");
    }
    for (left, advice) in [
        (
            "given: { side: Red, from: \"0201\" }",
            "`attack` needs `into`, which this situation leaves out",
        ),
        (
            "given: { from: \"0201\" }",
            "`attack` needs `into` and `side`, which this situation leaves out",
        ),
        (
            "given: { side: Red, into: \"0202\" }",
            "`attack` needs `from` or `units`, which this situation leaves out",
        ),
        (
            "note: nothing is given",
            "`attack` needs `from` or `units` and `into` and `side`, which this situation leaves out",
        ),
    ] {
        let folder = Folder::copy_of(&folder.0, &["rules", "tables", "scenarios", "variants"]);
        folder.replace(
            BRIDGE,
            "given: { side: Red, from: \"0201\", into: \"0202\" }",
            left,
        );
        for (output, wrong) in [check_output(&folder), resolve_output(&folder)] {
            assert!(wrong, "{left}\n{output}");
            output.holds(advice);
            output.holds("bridge.yaml:");
            output.lacks("error[running]");
        }
    }
    folder.replace(ATTACK, "or: units", "or: unit");
    check_output(&folder)
        .0
        .holds("nothing here is called `unit`; did you mean `units`?");
}

/// `check` of a folder leaves out notes on built-in files.
#[test]
fn check_of_a_folder_reports_no_built_in_files() {
    let folder = Folder::empty();
    folder.write(
        "variants/mine/variant.yaml",
        "variant: mine\ntitle: Mine\ngame: tmag\n",
    );
    let (output, wrong) = check_output(&folder);
    assert!(!wrong && output.matches("note[").count() == 0, "{output}");
}

/// A name that no procedure has as an outcome would count as nothing, in silence.
#[test]
fn outcomes_are_checked_in_every_key_that_names_them() {
    let said_of = |path: &str, line: &str, name: &str| {
        let folder = Folder::skirmish();
        folder.append(path, &line.replace("NAME", name));
        check_output(&folder).0
    };
    let keys = [
        "won_by: NAME\n",
        "score: NAME - defender losses\n",
        "ends_when: { NAME: 3 }\n",
        "follow: [NAME]\n",
        "units: { NAME: points }\n",
        "groups: { Losses: [NAME] }\n",
        "styles:\n  bold: { what: Bold., plays_on: { score: NAME } }\n",
    ];
    let of_variants = ["ends_when: { NAME: 3 }\n", "follow: [NAME]\n"];
    let lines = keys.map(|line| (GAME, line)).into_iter();
    let lines = lines.chain(of_variants.map(|line| ("variants/errata/variant.yaml", line)));
    for (path, line) in lines {
        let right = said_of(path, line, "attacker losses");
        right.lacks("outcome");
        let wrong = said_of(path, line, "atacker losses");
        let what = "`atacker losses` is not a procedure's outcome";
        let place = format!("{path}:");
        for part in [what, "did you mean `attacker losses`?", &place] {
            wrong.holds(part);
        }
    }
}

/// What a script makes up as it runs can't be known, so that no card or style is refused for it; what is plain to see is.
#[test]
fn options_that_scripts_make_up_are_not_refused() {
    let said_of = |asks: &str, question: &str, option: &str| {
        let folder = Folder::skirmish();
        folder.replace(
            LOSSES,
            "    let first = choose(side, \"first to lose\", units);",
            &format!(
                "    let said = {asks};\n    let first = choose(side, \"first to lose\", units);"
            ),
        );
        folder.replace(
            LOSSES,
            "//! text: >",
            &format!("//! questions: {{ \"{question}\": {{ ask: A question., options: {{ \"{option}\": It. }} }} }}\n//! text: >"),
        );
        folder.append(
            GAME,
            &format!(
                "styles:\n  bold: {{ what: Bold., answers: {{ \"{question}\": \"{option}\" }} }}\n"
            ),
        );
        check_output(&folder)
    };
    let unknown = [
        (
            "choose(side, \"whom\", units.map(|u| u.name))",
            "whom",
            "Red guard",
        ),
        (
            "choose(side, \"whom\", [units[0].at + \" to \" + units[1].at, \"nobody\"])",
            "whom",
            "0101 to 0202",
        ),
        (
            "choose(side, units[0].at + \" or \" + units[1].at, [\"a\", \"b\"])",
            "0101 or *",
            "b",
        ),
        (
            "choose(side, \"whom\", [\"nobody\", units[0].name])",
            "wh*",
            "Blue foot",
        ),
    ];
    for (asks, question, option) in unknown {
        let (output, wrong) = said_of(asks, question, option);
        assert!(!wrong, "{asks}\n{output}");
    }
    let plain = [
        (
            "choose(side, \"whom\", [\"nobody\", \"all\"])",
            "whom",
            "al",
        ),
        // A text elsewhere in the script is no option.
        (
            "choose(side, \"whom\", [\"nobody\", \"all\"])",
            "whom",
            "first to lose",
        ),
        (
            "choose(side, \"whom\", [\"nobody\", \"all\"])",
            "whon",
            "all",
        ),
    ];
    for (asks, question, option) in plain {
        let (output, _) = said_of(asks, question, option);
        for owner in ["`questions:`", "the style `bold`"] {
            output.holds(format!("{owner} speaks of"));
        }
    }
}

/// A card that words a question nobody asks is a fault of that card alone: other situations run.
#[test]
fn a_wrong_question_stops_no_situation() {
    let folder = Folder::skirmish();
    folder.replace(
        LOSSES,
        "//! text: >",
        "//! questions: { whom: { ask: Who? } }\n//! text: >",
    );
    assert!(check_output(&folder).1);
    assert!(!resolve_output(&folder).1);
}

#[test]
fn what_a_search_says_of_a_place_may_be_read() {
    let folder = Folder::skirmish();
    folder.replace(
        ATTACK,
        "    step(\"Losses\");",
        "    let found = reach(given.from, |at, so_far| if so_far < 2 { neighbours(at).map(|to| [to, so_far + 1]) } else { [] });\n    \
             let sum = found.values().reduce(|s, x| s + x.cost, 0);\n    result(\"reached\", found[given.into].cost + sum);\n    step(\"Losses\");",
    );
    for (output, wrong) in [check_output(&folder), resolve_output(&folder)] {
        assert!(!wrong, "{output}");
    }
}

/// Odds below the lowest label: the chart says what they get, and `check` asks where it doesn't.
#[test]
fn a_chart_says_what_odds_below_the_lowest_get() {
    const CHART: &str = "tables/skirmish/combat.yaml";
    let folder = Folder::skirmish();
    folder.replace(
        "scenarios/skirmish/bridge.yaml",
        "side: Blue, value: \"2-4\"",
        "side: Blue, value: \"90-4\"",
    );
    assert!(!resolve_output(&folder).1);
    folder.replace(CHART, "below: lowest", "below: refused");
    let (output, wrong) = resolve_output(&folder);
    assert!(wrong, "{output}");
    output.holds("1:");
    folder.replace(CHART, ", below: refused", "");
    let (output, wrong) = check_output(&folder);
    assert!(!wrong, "{output}");
    output.holds("odds below 1:2 count as 1:2 here");
}

/// The cause is said once, and first: not once more in the situation that uses the list, and not for each piece.
#[test]
fn a_fault_in_a_list_is_said_once() {
    let folder = Folder::skirmish();
    folder.write(
        "scenarios/skirmish/roster.yaml",
        "roster: roster\ntitle: A roster\nstatus: printed\npeices: []\npieces:\n  - { name: Red foot, kind: footman, side: Red, value: \"4-2\" }\n",
    );
    let bridge = folder.read("scenarios/skirmish/bridge.yaml");
    let without = bridge.replace(
        "{ name: Red foot, kind: footman, side: Red, value: \"4-2\", at:",
        "{ name: Red foot, at:",
    );
    folder.write(
        "scenarios/skirmish/bridge.yaml",
        without.replace("pieces:\n", "uses: roster\npieces:\n"),
    );
    for output in [check_output(&folder).0, resolve_output(&folder).0] {
        assert_eq!(output.matches("error[").count(), 1, "{output}");
        output.holds("did you mean `pieces`?");
    }
}

/// What would be silent is said: a board to which `uses:` brings nobody, one test of two in two files, a reading that nothing asks for.
#[test]
fn what_does_nothing_is_said() {
    let folder = Folder::skirmish();
    let bridge = folder.read("scenarios/skirmish/bridge.yaml");
    let from = bridge.find("pieces:").expect("pieces");
    let to = bridge.find("given:").expect("given");
    let empty = format!("{}uses: bridge\n{}", &bridge[..from], &bridge[to..]);
    folder.write(
        "scenarios/skirmish/nobody.yaml",
        empty.replace("situation: bridge", "situation: nobody"),
    );
    folder.replace(
        ATTACK,
        "    step(\"Attack\");",
        "    if pieces() == [] { return; }\n    step(\"Attack\");",
    );
    let run = folder.run("resolve nobody").terminal_output();
    run.holds("Nothing came of it: no piece is on the board");

    let folder = Folder::skirmish();
    for name in ["one", "two"] {
        let text = "form: 1\ntests:\n  - test: The bridge holds\n    given: bridge\n    dice: 3\n";
        folder.write(&format!("tests/skirmish/{name}.yaml"), text);
    }
    let (output, wrong) = check_output(&folder);
    assert!(wrong, "{output}");
    output.holds("two tests have this name and situation");

    let folder = Folder::skirmish();
    folder.write(
        "variants/winter/rules/01-battle/1.1-attack.rhai",
        "//! case: \"1.1\"\n//! title: Attack\n//! kind: correction\n\n/// Wagons never do.\nfn may_attack(unit) { unit.strength > 0 }\n",
    );
    let note = "no case in force asks for the reading 1.1.wagons";
    for command in ["resolve", "odds"] {
        let output = |with: &str| {
            let args = [
                command,
                "bridge",
                "--with",
                with,
                "--reading",
                "1.1.wagons=help",
            ];
            folder.run(&args).terminal_output()
        };
        output("winter").holds(note);
        output("errata").lacks(note);
    }
    let args = "resolve bridge --with winter --reading 1.1.wagons=help --format json";
    let answer = folder.run(&args.split(' ').collect::<Vec<_>>()).json();
    assert_eq!(answer["in_force"]["unasked_readings"][0], "1.1.wagons");
    let args = "show 1.1 --with winter --reading 1.1.wagons=help --format json";
    let shown = folder.run(&args.split(' ').collect::<Vec<_>>()).json();
    assert_eq!(shown["unasked_readings"][0], "1.1.wagons");
    let args = "pin bridge --because so --with winter --reading 1.1.wagons=help";
    let pinned = folder.run(&args.split(' ').collect::<Vec<_>>());
    assert_eq!(pinned.terminal_output().matches(note).count(), 1);
}

/// Texts that select pieces are kinds and groups; where nothing says that they are some, `check` says so before a run comes there.
#[test]
fn texts_that_are_no_kinds_select_no_pieces() {
    let losses = |selection: &str| {
        with_slip_functions(&format!(
            "fn loss_order(side, units) {{\n    let older = prior();\n    let led = pieces(#{{ side: side }});\n    if led.{selection} == [] {{ return older; }}\n    older\n}}\n"
        ))
    };
    for unclear in [
        "without(figures(units, \"name\"))",
        "where(figures(units, \"under\"))",
        "without(units.map(|unit| unit.name + \"\"))",
    ] {
        let (output, _) = check_output(&losses(unclear));
        output.holds("error[types]");
        output.holds("taken for kinds");
    }
    for clear in [
        "without(figures(units, \"kind\"))",
        "without([\"rider\", \"wagon\"])",
        "without(units)",
        "without(#{ name: figures(units, \"name\") })",
    ] {
        let (output, wrong) = check_output(&losses(clear));
        assert!(!wrong, "{clear}\n{output}");
    }
}

/// What `check` refuses in a headline is no figure of odds.
#[test]
fn slips_in_headlines_are_reported() {
    let folder = Folder::skirmish();
    folder.replace(
        ATTACK,
        "//! source:",
        "//! headline:\n//!   the attack wins: defender loses > 1\n//! source:",
    );
    let meant = "did you mean `defender losses`";
    for command in [
        "resolve bridge",
        "odds bridge",
        "compare bridge --with errata --with winter",
    ] {
        let run = folder.run(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(run.status, Some(1), "{}", run.out);
        let output = run.terminal_output();
        output.holds(meant);
        output.lacks("in no case");
    }
    let server = Served::start(&folder.0);
    let asked = json!({ "game": "skirmish", "situation": "bridge" });
    for route in ["/ruling", "/odds"] {
        let (status, answer) = server.request_with("POST", route, Some(&asked), &[]);
        assert_eq!(status, 422, "{answer}");
        answer.to_string().holds(meant);
    }
    let (_, page) = server.page("/at/skirmish/bridge?part=ruling");
    page.holds("defender losses");
    page.lacks("in no case");
}

/// Where places are names, a side between two can be misspelt.
#[test]
fn slips_in_the_sides_of_a_map_are_reported() {
    let variant = "variants/perla-1997";
    let trees = ["rules/tmag", "tables/tmag", "scenarios/tmag", variant];
    let folder = Folder::copy_of(&repository(), &trees);
    let check = || folder.run("check").terminal_output();
    let map = "scenarios/tmag/gettysburg-map.yaml";
    folder.replace(map, "\"Benner farm/Lady", "\"Bener farm/Lady");
    let output = check();
    output.holds("did you mean `Benner farm`");
    folder.replace(map, "\"Bener farm/Lady", "\"Quarry/Lady");
    let output = check();
    output.lacks("Quarry");
}
