//! Each law broken and kept: what stands wrong in a file, and what should stand there. `casebook explain LAW` shows it.
//!
//! All of it is written for the game that `casebook new game mine` lays out, with two variants over it; the tests put each fault in and
//! see that it is complained of, and that what should stand there is not.

/// A law broken and kept.
pub struct Fault {
    /// The law.
    pub law: &'static str,
    /// The file, and what stands wrong in it; or the whole of a file that should not be there.
    pub wrong: (&'static str, &'static str),
    /// The file, and what should stand there; the whole file, where there is none yet.
    pub right: (&'static str, &'static str),
    /// The command that complains.
    pub command: &'static str,
}

/// The fault that shows a law.
pub fn of(law: &str) -> Option<&'static Fault> {
    FAULTS.iter().find(|fault| fault.law == law)
}

/// A fault in one file that `check` finds.
const fn check(law: &'static str, path: &'static str, wrong: &'static str, right: &'static str) -> Fault {
    Fault { law, wrong: (path, wrong), right: (path, right), command: "check" }
}

/// A fault in one file that another command finds.
const fn when(command: &'static str, law: &'static str, path: &'static str, wrong: &'static str, right: &'static str) -> Fault {
    Fault { law, wrong: (path, wrong), right: (path, right), command }
}

/// A fault on the command line.
const fn typed(law: &'static str, wrong: &'static str, right: &'static str) -> Fault {
    Fault { law, wrong: (TYPED, wrong), right: (TYPED, right), command: "" }
}

/// Stands for a file where a command is meant.
pub const TYPED: &str = "the command";

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

/// The faults, in the order of the laws.
pub const FAULTS: &[Fault] = &[
    check("yaml", FIRST, "tracks: { turn: 3, season: spring", "tracks: { turn: 3, season: spring }"),
    check("quotes", CHART, "labels: [1:2, 1:1, 2:1, 3:1]", "labels: [\"1:2\", \"1:1\", \"2:1\", \"3:1\"]"),
    check("key-twice", CHART, "  3: [\"1/1\", \"1/2\", \"0/2\", \"0/3\"]", "  4: [\"1/1\", \"1/2\", \"0/2\", \"0/3\"]"),
    check("unknown-key", CHART, "feilds:  [attacker, defender]", "fields:  [attacker, defender]"),
    check("missing-key", FIRST, "situation: first-fight\n", "situation: first-fight\ntitle: The first fight\n"),
    check("shape", FIRST, "title: [The first fight]", "title: The first fight"),
    check("number", FIRST, "turn: three", "turn: 3"),
    check("flag", FIRST, "Hill: { shelter: maybe }", "Hill: { shelter: true }"),
    check("empty-file", SECOND, "# to be written\n", "situation: second-fight\ntitle: The second fight\npieces: []\n"),
    Fault {
        law: "file",
        wrong: ("tables/mine/losses.csv", "die,losses\n1-3,0\n4-6,1\n"),
        right: ("tables/mine/losses.yaml", LOSS_CHART),
        command: "check",
    },
    Fault { law: "place", wrong: ("tables/losses.yaml", LOSS_CHART), right: ("tables/mine/losses.yaml", LOSS_CHART), command: "check" },
    check("name", CHART, "table: fights\n", "table: fight\n"),
    Fault {
        law: "accepted",
        wrong: ("accepted.yaml", "- { law: cell, path: tables/mine/fight.yaml, why: the sheet has it so }\n"),
        right: ("accepted.yaml", "[]\n"),
        command: "check",
    },
    check("card", FIGHTS, "// case: \"1.1\"\n", "//! case: \"1.1\"\n"),
    check("kind", FIGHTS, "//! kind: addition", "//! kind: rule"),
    check("prior", RAIN, "let dry = \"3:1\";", "let dry = prior();"),
    check(
        "answered-twice",
        LOSSES,
        "/// Whether a piece can lose.\nfn may_fight(unit) {\n    true\n}\n\n/// The order in which pieces lose.",
        "/// The order in which pieces lose.",
    ),
    check("conflict", "variants/snow/variant.yaml", "after: []", "after: [rain]"),
    check("order", "variants/rain/variant.yaml", "after: [snow]", "after: []"),
    check("was-now", RAIN_CHART, "was: \"3/0\", now: \"2/1\"", "was: \"2/0\", now: \"2/1\""),
    check("already", RAIN_CHART, "was: \"2/0\", now: \"2/0\"", "was: \"2/0\", now: \"2/1\""),
    check("status", RAIN_CHART, "status: print\n", "status: printed\n"),
    check("method", "tables/mine/losses.yaml", RECONSTRUCTED, METHOD),
    check("notation", FIRST, "value: \"4/2\"", "value: \"4-2\""),
    check("track", FIRST, "season: winter", "season: spring"),
    check("unknown-name", FIRST, "side: Bleu", "side: Blue"),
    check("given", FIRST, "given: { side: Red, from: Mill }", "given: { side: Red, from: Mill, into: Hill }"),
    check("sides", "rules/mine/game.yaml", "sides: [Red, Blue, Green]", "sides: [Red, Blue]"),
    check("rows-cover", CHART, "labels: [1, 2, 3, 4, 6]", "labels: [1, 2, 3, 4, 5, 6]"),
    check("label", CHART, "  7: [\"1/1\",", "  5: [\"1/1\","),
    check("cell", CHART, "  5: [\"1/1\", \"0/2\", \"0/3\"]", "  5: [\"1/1\", \"0/2\", \"0/3\", \"0/4\"]"),
    check("script", FIGHTS, "let die = roll(\"1d6\", \"fight\")\n", "let die = roll(\"1d6\", \"fight\");\n"),
    check("unknown-function", FIGHTS, "let die = rol(\"1d6\", \"fight\");", "let die = roll(\"1d6\", \"fight\");"),
    check(
        "line",
        LOSSES,
        "say(\"{} loses {} and has {} left.\", [unit, share]);",
        "say(\"{} loses {} and has {} left.\", [unit, share, unit.power]);",
    ),
    check("sorts", LOSSES, "if unit.power == \"0\" {", "if unit.power == 0 {"),
    when(
        "resolve first-fight --dice 4",
        "procedure",
        LOSSES,
        "//! source: { doc: sheet, at: \"1.2\" }\n",
        "//! source: { doc: sheet, at: \"1.2\" }\n//! procedure: fight\n",
    ),
    when("resolve first-fight", "limit", FIGHTS, "let die = 0;\n    while die < 1 { die = 0; }\n", "let die = roll(\"1d6\", \"fight\");\n"),
    when("resolve first-fight", "running", FIGHTS, "require(attackers[9].power > 0,", "require(attackers.len() > 0,"),
    typed("dice", "resolve first-fight --dice 7", "resolve first-fight --dice 4"),
    typed(
        "choice",
        "resolve first-fight --dice 1 --choose 'Red: first to lose=Blue guard'",
        "resolve first-fight --dice 1 --choose 'Red: first to lose=Red scouts'",
    ),
    when(
        "replay saved.yaml",
        "journal",
        "saved.yaml",
        "journal: 1\ngame: mine\nsituation: first-fight\nmoves:\n  - { throw: 1d6, for: fight, faces: [4] }\n",
        "journal: 2\ngame: mine\nsituation: first-fight\nmoves:\n  - { throw: 1d6, for: fight, faces: [4] }\n",
    ),
    when(
        "unpack sent.pack.yaml",
        "pack",
        "sent.pack.yaml",
        "pack: 9\nvariant: hail\ntitle: Hail\ngame: mine\nneeds: []\nexcludes: []\nfiles:\n  variants/hail/variant.yaml: \"variant: hail\\ntitle: Hail\\ngame: mine\\n\"\n",
        "pack: 1\nvariant: hail\ntitle: Hail\ngame: mine\nneeds: []\nexcludes: []\nfiles:\n  variants/hail/variant.yaml: \"variant: hail\\ntitle: Hail\\ngame: mine\\n\"\n",
    ),
    when("resolve first-fight --dice 6", "figure", CHART, "  6: [\"0/1\", \"0/3\", \"?\",", "  6: [\"0/1\", \"0/3\", \"0/4\","),
    when(
        "coverage",
        "idle",
        LOSSES,
        "/// Whether a piece recovers.\nfn may_recover(unit) {\n    unit.power > 1\n}\n\n/// The order in which pieces lose.",
        "/// The order in which pieces lose.",
    ),
    when(
        "test",
        "example",
        FIGHTS,
        "expect(may_fight(#{ kind: \"cart\", power: 1 }), true);\n}\n\n/// 1.1 in doubt",
        "expect(may_fight(#{ kind: \"cart\", power: 1 }), false);\n}\n\n/// 1.1 in doubt",
    ),
    when("test", "test", TESTS, "defender losses: 3 }", "defender losses: 2 }"),
    when(
        "test",
        "snapshot",
        "tests/mine/whole.yaml",
        "tests:\n  - test: the whole ruling\n    given: first-fight\n    dice: [4]\n    snapshot: nobody was hurt\n",
        "tests:\n  - test: the losses\n    given: first-fight\n    dice: [4]\n    then: { defender losses: 2 }\n",
    ),
];
