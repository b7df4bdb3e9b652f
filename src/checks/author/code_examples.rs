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

/// Declares the examples, each in a row: the code, the command that reports the fault, the file, what is wrong in it and what is right, and its
/// file where that is another.
macro_rules! code_examples {
    ($($code:ident: $command:literal, $path:tt, $wrong:tt => $right:tt $(in $other:literal)?;)*) => {
        /// The examples, in the order of the codes.
        pub const CODE_EXAMPLES: &[CodeExample] = &[$(CodeExample {
            code: DiagnosticCode::$code,
            wrong: ($path, $wrong),
            right: (code_examples!(@last $path $($other)?), $right),
            command: $command,
        }),*];
    };
    (@last $path:tt) => { $path };
    (@last $path:tt $other:tt) => { $other };
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

code_examples! {
    Yaml: "check", FIRST, "tracks: { turn: 3, season: spring" => "tracks: { turn: 3, season: spring }";
    Quotes: "check", CHART, "labels: [1:2, 1:1, 2:1, 3:1]" => "labels: [\"1:2\", \"1:1\", \"2:1\", \"3:1\"]";
    KeyTwice: "check", CHART, "  3: [\"1/1\", \"1/2\", \"0/2\", \"0/3\"]" => "  4: [\"1/1\", \"1/2\", \"0/2\", \"0/3\"]";
    UnknownKey: "check", CHART, "feilds:  [attacker, defender]" => "fields:  [attacker, defender]";
    MissingKey: "check", FIRST, "situation: first-fight\n" => "situation: first-fight\ntitle: The first fight\n";
    Shape: "check", FIRST, "title: [The first fight]" => "title: The first fight";
    Number: "check", FIRST, "turn: three" => "turn: 3";
    Flag: "check", FIRST, "Hill: { shelter: maybe }" => "Hill: { shelter: true }";
    EmptyFile: "check", SECOND, "# to be written\n" => "situation: second-fight\ntitle: The second fight\npieces: []\n";
    File: "check", "tables/mine/losses.csv", "die,losses\n1-3,0\n4-6,1\n" => LOSS_CHART in "tables/mine/losses.yaml";
    Place: "check", "tables/losses.yaml", LOSS_CHART => LOSS_CHART in "tables/mine/losses.yaml";
    Name: "check", CHART, "table: fights\n" => "table: fight\n";
    Accepted: "check", "accepted.yaml", "- { code: cell, path: tables/mine/fight.yaml, why: the sheet has it so }\n" => "[]\n";
    Card: "check", FIGHTS, "// case: \"1.1\"\n" => "//! case: \"1.1\"\n";
    Kind: "check", FIGHTS, "//! kind: addition" => "//! kind: rule";
    Prior: "check", RAIN, "let dry = \"3:1\";" => "let dry = prior();";
    AnsweredTwice: "check", LOSSES,
        "/// Whether a piece can lose.\nfn may_fight(unit) {\n    true\n}\n\n/// The order in which pieces lose." =>
        "/// The order in which pieces lose.";
    Conflict: "check", "variants/snow/variant.yaml", "after: []" => "after: [rain]";
    Order: "check", "variants/rain/variant.yaml", "after: [snow]" => "after: []";
    WasNow: "check", RAIN_CHART, "was: \"3/0\", now: \"2/1\"" => "was: \"2/0\", now: \"2/1\"";
    Already: "check", RAIN_CHART, "was: \"2/0\", now: \"2/0\"" => "was: \"2/0\", now: \"2/1\"";
    Status: "check", RAIN_CHART, "status: print\n" => "status: printed\n";
    Method: "check", "tables/mine/losses.yaml", RECONSTRUCTED => METHOD;
    Notation: "check", FIRST, "value: \"4/2\"" => "value: \"4-2\"";
    Track: "check", FIRST, "season: winter" => "season: spring";
    UnknownName: "check", FIRST, "side: Bleu" => "side: Blue";
    Given: "check", FIRST, "given: { side: Red, from: Mill }" => "given: { side: Red, from: Mill, into: Hill }";
    Sides: "check", "rules/mine/game.yaml", "sides: [Red, Blue, Green]" => "sides: [Red, Blue]";
    RowsCover: "check", CHART, "labels: [1, 2, 3, 4, 6]" => "labels: [1, 2, 3, 4, 5, 6]";
    Label: "check", CHART, "  7: [\"1/1\"," => "  5: [\"1/1\",";
    Cell: "check", CHART, "  5: [\"1/1\", \"0/2\", \"0/3\"]" => "  5: [\"1/1\", \"0/2\", \"0/3\", \"0/4\"]";
    Script: "check", FIGHTS, "let die = roll(\"1d6\", \"fight\")\n" => "let die = roll(\"1d6\", \"fight\");\n";
    UnknownFunction: "check", FIGHTS, "let die = rol(\"1d6\", \"fight\");" => "let die = roll(\"1d6\", \"fight\");";
    Line: "check", LOSSES,
        "say(\"{} loses {} and has {} left.\", [unit, share]);" => "say(\"{} loses {} and has {} left.\", [unit, share, unit.power]);";
    Types: "check", LOSSES, "if unit.power == \"0\" {" => "if unit.power == 0 {";
    Procedure: "resolve first-fight --dice 4", LOSSES,
        "//! source: { doc: sheet, at: \"1.2\" }\n" => "//! source: { doc: sheet, at: \"1.2\" }\n//! procedure: fight\n";
    LostUpdate: "check", FIGHTS,
        "result(\"defender losses\", defender);\n    let sum = #{ lost: 0 };\n    sum.lost = attacker + defender;" =>
        "result(\"defender losses\", defender);";
    Limit: "resolve first-fight", FIGHTS, "let die = 0;\n    while die < 1 { die = 0; }\n" => "let die = roll(\"1d6\", \"fight\");\n";
    Running: "resolve first-fight", FIGHTS, "require(attackers[9].power > 0," => "require(attackers.len() > 0,";
    OffMap: "check --play 40", FIGHTS,
        "result(\"attacker losses\", attacker);\n    move_piece(attackers, \"Nowhere\");" => "result(\"attacker losses\", attacker);";
    BelowLeast: "check --play 40", LOSSES, "let share = left;" => "let share = min(left, unit.power);";
    SetUp: "check", FIRST, "value: \"3-2\", at: Mill" => "value: \"3-2\", at: Hill";
    BrokenOff: "check --play 40", FIGHTS,
        "let lost = table(\"fight\", against, die);\n    require(lost.attacker == 0, \"{} would lose\", [attackers]);" =>
        "let lost = table(\"fight\", against, die);";
    WholeGame: "", COMMAND_LINE, "balance first-fight --style all=first" => "odds first-fight";
    Dice: "", COMMAND_LINE, "resolve first-fight --dice 7" => "resolve first-fight --dice 4";
    Deck: "check", "rules/mine/game.yaml",
        "events: { holds: { rain: -2, mud: 1, sun: 3 } }" => "events: { holds: { rain: 2, mud: 1, sun: 3 } }";
    Choice: "", COMMAND_LINE, "resolve first-fight --dice 1 --choose 'Red: first to lose=Blue guard'" =>
        "resolve first-fight --dice 1 --choose 'Red: first to lose=Red scouts'";
    Journal: "replay saved.yaml", "saved.yaml",
        "journal: 1\ngame: mine\nsituation: first-fight\nmoves:\n  - { throw: 1d6, for: fight, faces: [4] }\n" =>
        "journal: 2\ngame: mine\nsituation: first-fight\nmoves:\n  - { throw: 1d6, for: fight, faces: [4] }\n";
    Vassal: "", COMMAND_LINE,
        "import scenarios/mine/first-fight.yaml --module mine.vmod --map mine.yaml" => "export vmod first-fight --out mine.vmod";
    Pack: "unpack sent.pack.yaml", "sent.pack.yaml",
        "pack: 9\nvariant: hail\ntitle: Hail\ngame: mine\nneeds: []\nexcludes: []\nfiles:\n  variants/hail/variant.yaml: \"variant: \
            hail\\ntitle: Hail\\ngame: mine\\n\"\n" =>
        "pack: 1\nvariant: hail\ntitle: Hail\ngame: mine\nneeds: []\nexcludes: []\nfiles:\n  variants/hail/variant.yaml: \"variant: \
            hail\\ntitle: Hail\\ngame: mine\\n\"\n";
    Figure: "resolve first-fight --dice 6", CHART, "  6: [\"0/1\", \"0/3\", \"?\"," => "  6: [\"0/1\", \"0/3\", \"0/4\",";
    Idle: "coverage", LOSSES,
        "/// Whether a piece recovers.\nfn may_recover(unit) {\n    unit.power > 1\n}\n\n/// The order in which pieces lose." =>
        "/// The order in which pieces lose.";
    Example: "test", FIGHTS, "expect(may_fight(#{ kind: \"cart\", power: 1 }), true);\n}\n\n/// 1.1 in doubt" =>
        "expect(may_fight(#{ kind: \"cart\", power: 1 }), false);\n}\n\n/// 1.1 in doubt";
    Test: "test", TESTS, "defender losses: 3 }" => "defender losses: 2 }";
    Snapshot: "test", "tests/mine/whole.yaml",
        "tests:\n  - test: the whole ruling\n    given: first-fight\n    dice: [4]\n    snapshot: nobody was hurt\n" =>
        "tests:\n  - test: the losses\n    given: first-fight\n    dice: [4]\n    then: { defender losses: 2 }\n";
}
