//! The diagnostic codes with their explanations. `casebook explain LAW` prints these texts.

use serde::{Serialize, Serializer};
use std::fmt;

macro_rules! diagnostic_codes {
    ($($(#[doc = $text:expr])+ $code:ident = $name:literal;)+) => {
        /// The code of a complaint: the law that the data break. Its name is stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum DiagnosticCode {
            $($(#[doc = $text])+ $code),+
        }

        impl DiagnosticCode {
            /// All codes.
            pub const ALL: &[DiagnosticCode] = &[$(DiagnosticCode::$code),+];

            /// Returns the name, as in `casebook explain NAME`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(DiagnosticCode::$code => $name),+
                }
            }

            /// Returns the explanation, for authors of data.
            pub fn explanation(self) -> String {
                let lines: &[&str] = match self {
                    $(DiagnosticCode::$code => &[$($text),+]),+
                };
                lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n")
            }
        }
    };
}

impl fmt::Display for DiagnosticCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for DiagnosticCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

diagnostic_codes! {
    /// Every file is YAML 1.2, without anchors and aliases: a chart is read by people before it is read by a program.
    Yaml = "yaml";
    /// What begins with a digit and is no plain whole number stands in quotes: "0130", "9.10", "3:1", "1-10", "7/61".
    /// YAML readers take 0130 for 130, 9.10 for 9.1 and 3:1 for 181, and say nothing.
    Quotes = "quotes";
    /// A key stands once in its map. A row entered twice would lose one of the two.
    KeyTwice = "key-twice";
    /// Only keys that mean something may stand in a file: a misspelt key would go unseen in silence.
    UnknownKey = "unknown-key";
    /// A key that the file can't do without is there.
    MissingKey = "missing-key";
    /// A list, a map or a single value stands where one is expected.
    Shape = "shape";
    /// A figure is a whole number. Percentages stand without their sign, fractions do not occur on charts.
    Number = "number";
    /// A flag is true or false (on/off and yes/no are read too).
    Flag = "flag";
    /// A file says something.
    EmptyFile = "empty-file";
    /// A data file is text in UTF-8 of at most 4 MB that ends in .yaml or .rhai.
    File = "file";
    /// A file in the right place is loaded; nothing is registered. The places are
    /// `rules/<game>/game.yaml`, `contents.yaml` and `<section>/<case>.rhai`, `tables/<game>/<table>.yaml`, `scenarios/<game>/<name>.yaml`,
    /// `tests/<game>/<name>.yaml`,
    /// and `variants/<variant>/variant.yaml` with rules, tables and scenarios below it, without `<game>`.
    Place = "place";
    /// A file and its card call the thing by one name: 8.16-allocation-of-losses.rhai is case "8.16".
    /// So `find . -name '8.16-*'` shows a case and everybody who touched it.
    Name = "name";
    /// An entry of accepted.yaml accepts a complaint that is made: the law, the file (or the end of its path), some words of it if they tell
    /// it from others, and why it may stand. What is accepted for good would hide the next fault.
    Accepted = "accepted";
    /// A case begins with its card in `//!` lines: case, title, kind, source, text.
    Card = "card";
    /// The kind of a file is a promise about the layers below it.
    /// rule: a case of the printed game itself, once.
    /// new case: no layer below has a case of this number.
    /// addition: the case is below; an answer it gives anew asks `prior()`, the older answer.
    /// correction, revision: the case is below, and what it has functions for is answered anew: one at least is a function of an older layer.
    /// A revision may name functions that no longer stand (`replaces:`).
    /// explanation: the case is below, and no answer changes.
    Kind = "kind";
    /// An addition adds. If it answers a function that a layer below answers, it asks `prior()` for that answer and builds on it;
    /// to put another answer in its place is a correction or a revision.
    Prior = "prior";
    /// A layer answers a function in one place.
    AnsweredTwice = "answered-twice";
    /// Two variants answer the same function, or set the same cell, and neither comes `after:` the other.
    /// Nobody has said which of them holds, so nothing is chosen in silence. Two that say the same agree, and are no conflict.
    /// Two new cases that bring one name with different meanings contradict each other in any order.
    /// A third that comes after both settles it by an answer or figure of its own; `casebook check --conflicts ONE,OTHER --patch NAME` lays it out.
    Conflict = "conflict";
    /// `after:` in variant.yaml says over which other variants this one is laid; the order has no circles.
    /// `needs:` names variants that come into force with it, `excludes:` those that can't be in force beside it.
    Order = "order";
    /// A change to a table or scenario says what was there (`was:`, or `missing`) and what is there now (`now:`).
    /// A `was` that does not match the layer below is an error: the erratum was written for another printing.
    WasNow = "was-now";
    /// An amendment that says what the layer below says already is kept, and noted.
    Already = "already";
    /// A figure's status is printed (seen in its source), derived (follows from printed ones), reconstructed (authored here) or missing.
    /// It is said, never implied: at the head of a file, or of each piece.
    Status = "status";
    /// Reconstructed figures state the method by which they were made.
    Method = "method";
    /// Hexes, dice, bands, odds, unit values and turns are written in the notation of the field.
    Notation = "notation";
    /// A track stands at a place it has: a number from its first to its last, a turn of its calendar, one of its named boxes.
    Track = "track";
    /// A name that a file mentions exists: side, kind, piece, track, procedure, table.
    UnknownName = "unknown-name";
    /// A situation hands its procedure what that can't do without: the fields that the game's manifest names under `procedures: NAME: given:`.
    /// What is not named there may be left out.
    Given = "given";
    /// `enemy(side)` is the other of two sides. In a game of one side, or of three and more, a rule says whom it means.
    Sides = "sides";
    /// The labels of an axis cover every number once, in rising order; where dice are thrown for it, exactly what they can throw.
    RowsCover = "rows-cover";
    /// Rows and columns are named by the labels of their axis.
    Label = "label";
    /// A cell has as many parts as its table has fields.
    Cell = "cell";
    /// A script is Rhai: functions only, no top-level statements, every `switch` with a `_` arm.
    Script = "script";
    /// A script calls functions that exist, with the number of arguments they take: verbs, cases in force, or its own helpers.
    UnknownFunction = "unknown-function";
    /// Values are held against their like and handed to what works with them: a number is never equal to a text, a choice comes to one of its
    /// options, a function that reckons with its argument is given a number. What would never hold is a slip of the pen, and runs in silence.
    Sorts = "sorts";
    /// A line is given as many values as it has `{}` to stand in: fewer would leave braces in the ruling, more would go unsaid.
    Line = "line";
    /// Cases answer, procedures act. Only a case with `procedure:` on its card may change the situation.
    Procedure = "procedure";
    /// Scripts are bounded in operations, depth, sizes and time. What runs away is stopped and shown.
    Limit = "limit";
    /// Something went wrong while a script ran.
    Running = "running";
    /// Typed dice show faces the die has, and are as many as the procedure throws.
    Dice = "dice";
    /// An answer to a choice is one of its options.
    Choice = "choice";
    /// A journal is what `--save` writes: what was in force, the dice, the choices, and what came of them. It is read whole or not at all.
    Journal = "journal";
    /// A pack is what `casebook pack` writes: a variant with its files and tests, and nothing else. It is laid out whole or not at all.
    Pack = "pack";
    /// A file of VASSAL is whole, of a sane size and without tricks, and a module map says what each piece and place in it is.
    Vassal = "vassal";
    /// With --strict, a ruling does not rest on reconstructed figures; a missing figure refuses always.
    /// Type your own chart into a variant: `casebook new variant my-charts --tables` lays out the blanks.
    Figure = "figure";
    /// A rule earns its place: each public function is asked by a procedure, and each amendment moves a situation or a test of a ruling
    /// where it is switched off. An explanation moves nothing by its kind; any other file says why under `idle:`.
    /// `casebook coverage` lists what is idle, with its reasons.
    Idle = "idle";
    /// An example states what the source says and holds. It expects something, the dice it sets up fall, and the answers it sets up are asked for;
    /// the lines above it say with:, reading: and option: of what is in force.
    /// Those that show the rule stand in the case's file, and those of its corners in its test file, `tests/<game>/<section>/<case>.rhai` or
    /// `variants/<variant>/tests/<section>/<case>.rhai`. That holds examples and `private` helpers of theirs, and sees those of the case.
    Example = "example";
    /// A test of a ruling holds: the outcomes it names under `then:`, the cases it names under `cites:`, the case that `refused:`.
    /// Tests stand in `tests/<game>/<name>.yaml` and under `tests:` in a situation's own file.
    Test = "test";
    /// A ruling says what its snapshot says, word for word. Where it changed for a good reason, `casebook test --accept` writes it anew.
    Snapshot = "snapshot";
}
