//! An example of each law: the wrong and the right content of a file. `casebook explain LAW` shows it.
//!
//! All examples apply to the game that `casebook new game mine` creates, with two variants. The tests check that each wrong content is
//! reported and each right one is not.

/// An example of a law: wrong and right.
pub struct LawExample {
    /// The law.
    pub code: &'static str,
    /// The file and its wrong content; or a whole file that should not exist.
    pub wrong: (&'static str, &'static str),
    /// The file and its right content; the whole file if it does not exist yet.
    pub right: (&'static str, &'static str),
    /// The command that reports the fault.
    pub command: &'static str,
}

/// Returns the example of a law.
pub fn find(law: &str) -> Option<&'static LawExample> {
    LAW_EXAMPLES.iter().find(|fault| fault.code == law)
}

/// A fault in one file that `check` reports.
const fn for_check(law: &'static str, path: &'static str, wrong: &'static str, right: &'static str) -> LawExample {
    LawExample { code: law, wrong: (path, wrong), right: (path, right), command: "check" }
}

/// A fault in one file that another command reports.
const fn for_command(command: &'static str, law: &'static str, path: &'static str, wrong: &'static str, right: &'static str) -> LawExample {
    LawExample { code: law, wrong: (path, wrong), right: (path, right), command }
}

/// A fault on the command line.
const fn for_command_line(law: &'static str, wrong: &'static str, right: &'static str) -> LawExample {
    LawExample { code: law, wrong: (COMMAND_LINE, wrong), right: (COMMAND_LINE, right), command: "" }
}

/// Takes the place of a path in faults on the command line.
pub const COMMAND_LINE: &str = "the command";

const FIGHTS: &str = "rules/mine/01-fighting/1.1-fights.rhai";
const LOSSES: &str = "rules/mine/01-fighting/1.2-losses.rhai";
const CHART: &str = "tables/mine/fight.yaml";
const FIRST: &str = "scenarios/mine/first-fight.yaml";
const SECOND: &str = "scenarios/mine/second-fight.yaml";
const TESTS: &str = "tests/mine/first-fight.yaml";
const RAIN: &str = "variants/rain/rules/01-fighting/1.1-fights.rhai";
const RAIN_CHART: &str = "variants/rain/tables/fight.yaml";

const LOSS_CHART: &str = "table: losses\ntitle: Losses of carts\nkind: rule\nsource: { doc: sheet, at: the back }\n\
                          rows: { of: die, dice: 1d6, labels: [\"1-3\", \"4-6\"] }\ncells:\n  \"1-3\": 0\n  \"4-6\": 1\n";

const RECONSTRUCTED: &str = "table: losses\ntitle: Losses of carts\nkind: rule\nstatus: reconstructed\n\
                             rows: { of: die, dice: 1d6, labels: [\"1-3\", \"4-6\"] }\ncells:\n  \"1-3\": 0\n  \"4-6\": 1\n";
const METHOD: &str = "table: losses\ntitle: Losses of carts\nkind: rule\nstatus: reconstructed\nmethod: One throw in two, as for troopers.\n\
                      rows: { of: die, dice: 1d6, labels: [\"1-3\", \"4-6\"] }\ncells:\n  \"1-3\": 0\n  \"4-6\": 1\n";

/// The examples, in the order of the laws.
pub const LAW_EXAMPLES: &[LawExample] = &[
    for_check("yaml", FIRST, "tracks: { turn: 3, season: spring", "tracks: { turn: 3, season: spring }"),
    for_check("quotes", CHART, "labels: [1:2, 1:1, 2:1, 3:1]", "labels: [\"1:2\", \"1:1\", \"2:1\", \"3:1\"]"),
    for_check("key-twice", CHART, "  3: [\"1/1\", \"1/2\", \"0/2\", \"0/3\"]", "  4: [\"1/1\", \"1/2\", \"0/2\", \"0/3\"]"),
    for_check("unknown-key", CHART, "feilds:  [attacker, defender]", "fields:  [attacker, defender]"),
    for_check("missing-key", FIRST, "situation: first-fight\n", "situation: first-fight\ntitle: The first fight\n"),
    for_check("shape", FIRST, "title: [The first fight]", "title: The first fight"),
    for_check("number", FIRST, "turn: three", "turn: 3"),
    for_check("flag", FIRST, "Hill: { shelter: maybe }", "Hill: { shelter: true }"),
    for_check("empty-file", SECOND, "# to be written\n", "situation: second-fight\ntitle: The second fight\npieces: []\n"),
    LawExample {
        code: "file",
        wrong: ("tables/mine/losses.csv", "die,losses\n1-3,0\n4-6,1\n"),
        right: ("tables/mine/losses.yaml", LOSS_CHART),
        command: "check",
    },
    LawExample {
        code: "place",
        wrong: ("tables/losses.yaml", LOSS_CHART),
        right: ("tables/mine/losses.yaml", LOSS_CHART),
        command: "check",
    },
    for_check("name", CHART, "table: fights\n", "table: fight\n"),
    LawExample {
        code: "accepted",
        wrong: ("accepted.yaml", "- { law: cell, path: tables/mine/fight.yaml, why: the sheet has it so }\n"),
        right: ("accepted.yaml", "[]\n"),
        command: "check",
    },
    for_check("card", FIGHTS, "// case: \"1.1\"\n", "//! case: \"1.1\"\n"),
    for_check("kind", FIGHTS, "//! kind: addition", "//! kind: rule"),
    for_check("prior", RAIN, "let dry = \"3:1\";", "let dry = prior();"),
    for_check(
        "answered-twice",
        LOSSES,
        "/// Whether a piece can lose.\nfn may_fight(unit) {\n    true\n}\n\n/// The order in which pieces lose.",
        "/// The order in which pieces lose.",
    ),
    for_check("conflict", "variants/snow/variant.yaml", "after: []", "after: [rain]"),
    for_check("order", "variants/rain/variant.yaml", "after: [snow]", "after: []"),
    for_check("was-now", RAIN_CHART, "was: \"3/0\", now: \"2/1\"", "was: \"2/0\", now: \"2/1\""),
    for_check("already", RAIN_CHART, "was: \"2/0\", now: \"2/0\"", "was: \"2/0\", now: \"2/1\""),
    for_check("status", RAIN_CHART, "status: print\n", "status: printed\n"),
    for_check("method", "tables/mine/losses.yaml", RECONSTRUCTED, METHOD),
    for_check("notation", FIRST, "value: \"4/2\"", "value: \"4-2\""),
    for_check("track", FIRST, "season: winter", "season: spring"),
    for_check("unknown-name", FIRST, "side: Bleu", "side: Blue"),
    for_check("given", FIRST, "given: { side: Red, from: Mill }", "given: { side: Red, from: Mill, into: Hill }"),
    for_check("sides", "rules/mine/game.yaml", "sides: [Red, Blue, Green]", "sides: [Red, Blue]"),
    for_check("rows-cover", CHART, "labels: [1, 2, 3, 4, 6]", "labels: [1, 2, 3, 4, 5, 6]"),
    for_check("label", CHART, "  7: [\"1/1\",", "  5: [\"1/1\","),
    for_check("cell", CHART, "  5: [\"1/1\", \"0/2\", \"0/3\"]", "  5: [\"1/1\", \"0/2\", \"0/3\", \"0/4\"]"),
    for_check("script", FIGHTS, "let die = roll(\"1d6\", \"fight\")\n", "let die = roll(\"1d6\", \"fight\");\n"),
    for_check("unknown-function", FIGHTS, "let die = rol(\"1d6\", \"fight\");", "let die = roll(\"1d6\", \"fight\");"),
    for_check(
        "line",
        LOSSES,
        "say(\"{} loses {} and has {} left.\", [unit, share]);",
        "say(\"{} loses {} and has {} left.\", [unit, share, unit.power]);",
    ),
    for_check("sorts", LOSSES, "if unit.power == \"0\" {", "if unit.power == 0 {"),
    for_command(
        "resolve first-fight --dice 4",
        "procedure",
        LOSSES,
        "//! source: { doc: sheet, at: \"1.2\" }\n",
        "//! source: { doc: sheet, at: \"1.2\" }\n//! procedure: fight\n",
    ),
    for_command(
        "resolve first-fight",
        "limit",
        FIGHTS,
        "let die = 0;\n    while die < 1 { die = 0; }\n",
        "let die = roll(\"1d6\", \"fight\");\n",
    ),
    for_command("resolve first-fight", "running", FIGHTS, "require(attackers[9].power > 0,", "require(attackers.len() > 0,"),
    for_command_line("dice", "resolve first-fight --dice 7", "resolve first-fight --dice 4"),
    for_command_line(
        "choice",
        "resolve first-fight --dice 1 --choose 'Red: first to lose=Blue guard'",
        "resolve first-fight --dice 1 --choose 'Red: first to lose=Red scouts'",
    ),
    for_command(
        "replay saved.yaml",
        "journal",
        "saved.yaml",
        "journal: 1\ngame: mine\nsituation: first-fight\nmoves:\n  - { throw: 1d6, for: fight, faces: [4] }\n",
        "journal: 2\ngame: mine\nsituation: first-fight\nmoves:\n  - { throw: 1d6, for: fight, faces: [4] }\n",
    ),
    for_command(
        "unpack sent.pack.yaml",
        "pack",
        "sent.pack.yaml",
        "pack: 9\nvariant: hail\ntitle: Hail\ngame: mine\nneeds: []\nexcludes: []\nfiles:\n  variants/hail/variant.yaml: \"variant: hail\\ntitle: Hail\\ngame: mine\\n\"\n",
        "pack: 1\nvariant: hail\ntitle: Hail\ngame: mine\nneeds: []\nexcludes: []\nfiles:\n  variants/hail/variant.yaml: \"variant: hail\\ntitle: Hail\\ngame: mine\\n\"\n",
    ),
    for_command("resolve first-fight --dice 6", "figure", CHART, "  6: [\"0/1\", \"0/3\", \"?\",", "  6: [\"0/1\", \"0/3\", \"0/4\","),
    for_command(
        "coverage",
        "idle",
        LOSSES,
        "/// Whether a piece recovers.\nfn may_recover(unit) {\n    unit.power > 1\n}\n\n/// The order in which pieces lose.",
        "/// The order in which pieces lose.",
    ),
    for_command(
        "test",
        "example",
        FIGHTS,
        "expect(may_fight(#{ kind: \"cart\", power: 1 }), true);\n}\n\n/// 1.1 in doubt",
        "expect(may_fight(#{ kind: \"cart\", power: 1 }), false);\n}\n\n/// 1.1 in doubt",
    ),
    for_command("test", "test", TESTS, "defender losses: 3 }", "defender losses: 2 }"),
    for_command(
        "test",
        "snapshot",
        "tests/mine/whole.yaml",
        "tests:\n  - test: the whole ruling\n    given: first-fight\n    dice: [4]\n    snapshot: nobody was hurt\n",
        "tests:\n  - test: the losses\n    given: first-fight\n    dice: [4]\n    then: { defender losses: 2 }\n",
    ),
];
