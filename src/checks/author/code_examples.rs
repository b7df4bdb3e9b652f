//! An example of each diagnostic code: the wrong and the right content of a file. `casebook explain CODE` shows it.
//!
//! All examples apply to the game that `casebook new game mine` creates, with two variants. The tests check that each wrong content is
//! reported and each right one is not.

use casebook_engine::complaint::DiagnosticCode;

/// An example of a code: wrong and right.
pub struct CodeExample {
    pub code: DiagnosticCode,
    /// The file and its wrong content; or a whole file that should not exist.
    pub wrong: (&'static str, &'static str),
    /// The file and its right content; the whole file if it does not exist yet.
    pub right: (&'static str, &'static str),
    /// The command that reports the fault.
    pub command: &'static str,
}

pub fn find(code: DiagnosticCode) -> Option<&'static CodeExample> {
    CODE_EXAMPLES.iter().find(|fault| fault.code == code)
}

/// A fault in one file that `check` reports.
const fn for_check(
    code: DiagnosticCode,
    path: &'static str,
    wrong: &'static str,
    right: &'static str,
) -> CodeExample {
    CodeExample {
        code,
        wrong: (path, wrong),
        right: (path, right),
        command: "check",
    }
}

/// A fault in one file that another command reports.
const fn for_command(
    command: &'static str,
    code: DiagnosticCode,
    path: &'static str,
    wrong: &'static str,
    right: &'static str,
) -> CodeExample {
    CodeExample {
        code,
        wrong: (path, wrong),
        right: (path, right),
        command,
    }
}

/// A fault on the command line.
const fn for_command_line(
    code: DiagnosticCode,
    wrong: &'static str,
    right: &'static str,
) -> CodeExample {
    CodeExample {
        code,
        wrong: (COMMAND_LINE, wrong),
        right: (COMMAND_LINE, right),
        command: "",
    }
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

/// The examples, in the order of the codes.
pub const CODE_EXAMPLES: &[CodeExample] = &[
    for_check(
        DiagnosticCode::Yaml,
        FIRST,
        "tracks: { turn: 3, season: spring",
        "tracks: { turn: 3, season: spring }",
    ),
    for_check(
        DiagnosticCode::Quotes,
        CHART,
        "labels: [1:2, 1:1, 2:1, 3:1]",
        "labels: [\"1:2\", \"1:1\", \"2:1\", \"3:1\"]",
    ),
    for_check(
        DiagnosticCode::KeyTwice,
        CHART,
        "  3: [\"1/1\", \"1/2\", \"0/2\", \"0/3\"]",
        "  4: [\"1/1\", \"1/2\", \"0/2\", \"0/3\"]",
    ),
    for_check(
        DiagnosticCode::UnknownKey,
        CHART,
        "feilds:  [attacker, defender]",
        "fields:  [attacker, defender]",
    ),
    for_check(
        DiagnosticCode::MissingKey,
        FIRST,
        "situation: first-fight\n",
        "situation: first-fight\ntitle: The first fight\n",
    ),
    for_check(
        DiagnosticCode::Shape,
        FIRST,
        "title: [The first fight]",
        "title: The first fight",
    ),
    for_check(DiagnosticCode::Number, FIRST, "turn: three", "turn: 3"),
    for_check(
        DiagnosticCode::Flag,
        FIRST,
        "Hill: { shelter: maybe }",
        "Hill: { shelter: true }",
    ),
    for_check(
        DiagnosticCode::EmptyFile,
        SECOND,
        "# to be written\n",
        "situation: second-fight\ntitle: The second fight\npieces: []\n",
    ),
    CodeExample {
        code: DiagnosticCode::File,
        wrong: ("tables/mine/losses.csv", "die,losses\n1-3,0\n4-6,1\n"),
        right: ("tables/mine/losses.yaml", LOSS_CHART),
        command: "check",
    },
    CodeExample {
        code: DiagnosticCode::Place,
        wrong: ("tables/losses.yaml", LOSS_CHART),
        right: ("tables/mine/losses.yaml", LOSS_CHART),
        command: "check",
    },
    for_check(
        DiagnosticCode::Name,
        CHART,
        "table: fights\n",
        "table: fight\n",
    ),
    CodeExample {
        code: DiagnosticCode::Accepted,
        wrong: (
            "accepted.yaml",
            "- { code: cell, path: tables/mine/fight.yaml, why: the sheet has it so }\n",
        ),
        right: ("accepted.yaml", "[]\n"),
        command: "check",
    },
    for_check(
        DiagnosticCode::Card,
        FIGHTS,
        "// case: \"1.1\"\n",
        "//! case: \"1.1\"\n",
    ),
    for_check(
        DiagnosticCode::Kind,
        FIGHTS,
        "//! kind: addition",
        "//! kind: rule",
    ),
    for_check(
        DiagnosticCode::Prior,
        RAIN,
        "let dry = \"3:1\";",
        "let dry = prior();",
    ),
    for_check(
        DiagnosticCode::AnsweredTwice,
        LOSSES,
        "/// Whether a piece can lose.\nfn may_fight(unit) {\n    true\n}\n\n/// The order in which pieces lose.",
        "/// The order in which pieces lose.",
    ),
    for_check(
        DiagnosticCode::Conflict,
        "variants/snow/variant.yaml",
        "after: []",
        "after: [rain]",
    ),
    for_check(
        DiagnosticCode::Order,
        "variants/rain/variant.yaml",
        "after: [snow]",
        "after: []",
    ),
    for_check(
        DiagnosticCode::WasNow,
        RAIN_CHART,
        "was: \"3/0\", now: \"2/1\"",
        "was: \"2/0\", now: \"2/1\"",
    ),
    for_check(
        DiagnosticCode::Already,
        RAIN_CHART,
        "was: \"2/0\", now: \"2/0\"",
        "was: \"2/0\", now: \"2/1\"",
    ),
    for_check(
        DiagnosticCode::Status,
        RAIN_CHART,
        "status: print\n",
        "status: printed\n",
    ),
    for_check(
        DiagnosticCode::Method,
        "tables/mine/losses.yaml",
        RECONSTRUCTED,
        METHOD,
    ),
    for_check(
        DiagnosticCode::Notation,
        FIRST,
        "value: \"4/2\"",
        "value: \"4-2\"",
    ),
    for_check(
        DiagnosticCode::Track,
        FIRST,
        "season: winter",
        "season: spring",
    ),
    for_check(
        DiagnosticCode::UnknownName,
        FIRST,
        "side: Bleu",
        "side: Blue",
    ),
    for_check(
        DiagnosticCode::Given,
        FIRST,
        "given: { side: Red, from: Mill }",
        "given: { side: Red, from: Mill, into: Hill }",
    ),
    for_check(
        DiagnosticCode::Sides,
        "rules/mine/game.yaml",
        "sides: [Red, Blue, Green]",
        "sides: [Red, Blue]",
    ),
    for_check(
        DiagnosticCode::RowsCover,
        CHART,
        "labels: [1, 2, 3, 4, 6]",
        "labels: [1, 2, 3, 4, 5, 6]",
    ),
    for_check(
        DiagnosticCode::Label,
        CHART,
        "  7: [\"1/1\",",
        "  5: [\"1/1\",",
    ),
    for_check(
        DiagnosticCode::Cell,
        CHART,
        "  5: [\"1/1\", \"0/2\", \"0/3\"]",
        "  5: [\"1/1\", \"0/2\", \"0/3\", \"0/4\"]",
    ),
    for_check(
        DiagnosticCode::Script,
        FIGHTS,
        "let die = roll(\"1d6\", \"fight\")\n",
        "let die = roll(\"1d6\", \"fight\");\n",
    ),
    for_check(
        DiagnosticCode::UnknownFunction,
        FIGHTS,
        "let die = rol(\"1d6\", \"fight\");",
        "let die = roll(\"1d6\", \"fight\");",
    ),
    for_check(
        DiagnosticCode::Line,
        LOSSES,
        "say(\"{} loses {} and has {} left.\", [unit, share]);",
        "say(\"{} loses {} and has {} left.\", [unit, share, unit.power]);",
    ),
    for_check(
        DiagnosticCode::Types,
        LOSSES,
        "if unit.power == \"0\" {",
        "if unit.power == 0 {",
    ),
    for_command(
        "resolve first-fight --dice 4",
        DiagnosticCode::Procedure,
        LOSSES,
        "//! source: { doc: sheet, at: \"1.2\" }\n",
        "//! source: { doc: sheet, at: \"1.2\" }\n//! procedure: fight\n",
    ),
    for_check(
        DiagnosticCode::LostChange,
        FIGHTS,
        "result(\"defender losses\", defender);\n    let sum = #{ lost: 0 };\n    sum.lost = attacker + defender;",
        "result(\"defender losses\", defender);",
    ),
    for_command(
        "resolve first-fight",
        DiagnosticCode::Limit,
        FIGHTS,
        "let die = 0;\n    while die < 1 { die = 0; }\n",
        "let die = roll(\"1d6\", \"fight\");\n",
    ),
    for_command(
        "resolve first-fight",
        DiagnosticCode::Running,
        FIGHTS,
        "require(attackers[9].power > 0,",
        "require(attackers.len() > 0,",
    ),
    for_command(
        "check --play 40",
        DiagnosticCode::OffMap,
        FIGHTS,
        "result(\"attacker losses\", attacker);\n    move_piece(attackers, \"Nowhere\");",
        "result(\"attacker losses\", attacker);",
    ),
    for_command(
        "check --play 40",
        DiagnosticCode::BelowLeast,
        LOSSES,
        "let share = left;",
        "let share = min(left, unit.power);",
    ),
    for_command(
        "check --play 40",
        DiagnosticCode::BrokenOff,
        FIGHTS,
        "let lost = table(\"fight\", against, die);\n    require(lost.attacker == 0, \"{} would lose\", [attackers]);",
        "let lost = table(\"fight\", against, die);",
    ),
    for_command_line(
        DiagnosticCode::WholeGame,
        "balance first-fight --style all=first",
        "odds first-fight",
    ),
    for_command_line(
        DiagnosticCode::Dice,
        "resolve first-fight --dice 7",
        "resolve first-fight --dice 4",
    ),
    for_check(
        DiagnosticCode::Deck,
        "rules/mine/game.yaml",
        "events: { holds: { rain: -2, mud: 1, sun: 3 } }",
        "events: { holds: { rain: 2, mud: 1, sun: 3 } }",
    ),
    for_command_line(
        DiagnosticCode::Choice,
        "resolve first-fight --dice 1 --choose 'Red: first to lose=Blue guard'",
        "resolve first-fight --dice 1 --choose 'Red: first to lose=Red scouts'",
    ),
    for_command(
        "replay saved.yaml",
        DiagnosticCode::Journal,
        "saved.yaml",
        "journal: 1\ngame: mine\nsituation: first-fight\nmoves:\n  - { throw: 1d6, for: fight, faces: [4] }\n",
        "journal: 2\ngame: mine\nsituation: first-fight\nmoves:\n  - { throw: 1d6, for: fight, faces: [4] }\n",
    ),
    for_command_line(
        DiagnosticCode::Vassal,
        "import scenarios/mine/first-fight.yaml --module mine.vmod --map mine.yaml",
        "export vmod first-fight --out mine.vmod",
    ),
    for_command(
        "unpack sent.pack.yaml",
        DiagnosticCode::Pack,
        "sent.pack.yaml",
        "pack: 9\nvariant: hail\ntitle: Hail\ngame: mine\nneeds: []\nexcludes: []\nfiles:\n  variants/hail/variant.yaml: \"variant: hail\\ntitle: Hail\\ngame: mine\\n\"\n",
        "pack: 1\nvariant: hail\ntitle: Hail\ngame: mine\nneeds: []\nexcludes: []\nfiles:\n  variants/hail/variant.yaml: \"variant: hail\\ntitle: Hail\\ngame: mine\\n\"\n",
    ),
    for_command(
        "resolve first-fight --dice 6",
        DiagnosticCode::Figure,
        CHART,
        "  6: [\"0/1\", \"0/3\", \"?\",",
        "  6: [\"0/1\", \"0/3\", \"0/4\",",
    ),
    for_command(
        "coverage",
        DiagnosticCode::Idle,
        LOSSES,
        "/// Whether a piece recovers.\nfn may_recover(unit) {\n    unit.power > 1\n}\n\n/// The order in which pieces lose.",
        "/// The order in which pieces lose.",
    ),
    for_command(
        "test",
        DiagnosticCode::Example,
        FIGHTS,
        "expect(may_fight(#{ kind: \"cart\", power: 1 }), true);\n}\n\n/// 1.1 in doubt",
        "expect(may_fight(#{ kind: \"cart\", power: 1 }), false);\n}\n\n/// 1.1 in doubt",
    ),
    for_command(
        "test",
        DiagnosticCode::Test,
        TESTS,
        "defender losses: 3 }",
        "defender losses: 2 }",
    ),
    for_command(
        "test",
        DiagnosticCode::Snapshot,
        "tests/mine/whole.yaml",
        "tests:\n  - test: the whole ruling\n    given: first-fight\n    dice: [4]\n    snapshot: nobody was hurt\n",
        "tests:\n  - test: the losses\n    given: first-fight\n    dice: [4]\n    then: { defender losses: 2 }\n",
    ),
];
