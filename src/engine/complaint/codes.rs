//! The diagnostic codes with their explanations. `casebook explain CODE` prints these texts.

use serde::{Serialize, Serializer};
use std::fmt;

macro_rules! diagnostic_codes {
    ($($(#[doc = $text:expr])+ $code:ident = $name:literal;)+) => {
        /// The code of a complaint: what the check demands of the data. Its name is stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum DiagnosticCode {
            $($(#[doc = $text])+ $code),+
        }

        impl DiagnosticCode {
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
    /// Every file is YAML 1.2, without anchors and aliases, so that people can read a chart as easily as programs do.
    Yaml = "yaml";
    /// A value that begins with a digit and is no whole number needs quotes: "0130", "9.10", "3:1", "1-10", "7/61".
    /// Without them YAML readers silently take 0130 for 130, 9.10 for 9.1 and 3:1 for 181.
    Quotes = "quotes";
    /// A part of a file has each key once. Of a row that was entered twice, one would be lost.
    KeyTwice = "key-twice";
    /// A file has only keys that Casebook knows. It would silently ignore a misspelt one.
    UnknownKey = "unknown-key";
    /// A file has every key that it needs.
    MissingKey = "missing-key";
    /// Each key has the form of value that it needs: a list, keys with values, or a single value.
    Shape = "shape";
    /// A figure is a whole number. Write a percentage without its sign; charts have no fractions.
    Number = "number";
    /// A flag is true or false; on and off, yes and no mean the same.
    Flag = "flag";
    /// A file has contents.
    EmptyFile = "empty-file";
    /// A data file is text in UTF-8 of at most 4 MB that ends in .yaml or .rhai.
    File = "file";
    /// Casebook loads every file that is in the right place; there is no list of files to keep. The places are
    /// `rules/<game>/game.yaml`, `contents.yaml`, `glossary.yaml` and `<section>/<case>.rhai`, `tables/<game>/<table>.yaml`, `scenarios/<game>/<name>.yaml`,
    /// `tests/<game>/<name>.yaml`, `tests/<game>/<section>/<case>.rhai` or `.yaml`,
    /// and `variants/<variant>/variant.yaml` with rules, tables, scenarios and tests of cases below it, without `<game>`.
    Place = "place";
    /// A file is named as its card says: 8.16-allocation-of-losses.rhai is case "8.16".
    /// So `find . -name '8.16-*'` lists a case and all its amendments.
    Name = "name";
    /// An entry of accepted.yaml names a complaint that Casebook makes, and says why it may stand: the code, the file or the end of its path,
    /// and some words of the complaint if it has several like it. An entry for no complaint would hide the next fault.
    Accepted = "accepted";
    /// A case begins with its card: lines that begin with `//!` and give the case's number, title, kind, source and text.
    Card = "card";
    /// The kind of a file is a promise about the layers below it.
    /// rule: a case of the printed game; each number has one.
    /// new case: the layers below have no case of this number.
    /// addition: the layers below have the case. An answer that the addition changes builds on `prior()`, the older answer.
    /// correction, revision: the layers below have the case, and this one replaces at least one of its answers.
    /// A revision may also remove functions: it names them under `replaces:`.
    /// explanation: the layers below have the case, and no answer changes.
    Kind = "kind";
    /// An addition adds to an answer. If a layer below answers the same function, the addition asks `prior()` for that answer and builds on it.
    /// A change that puts another answer in its place is a correction or a revision.
    Prior = "prior";
    /// A game, or a variant, answers each function in one place.
    AnsweredTwice = "answered-twice";
    /// Two variants answer the same function, or set the same cell, and neither comes `after:` the other.
    /// Nothing says which of them holds, so Casebook does not choose. Two that give the same answer do not conflict.
    /// Two new cases that give one name different meanings conflict in any order.
    /// A third variant after both settles it with an answer or figure of its own; `casebook check` writes its skeleton.
    Conflict = "conflict";
    /// `after:` in variant.yaml names the variants that this one changes where both are in force; the order has no circles.
    /// `needs:` names variants that come into force with it, `excludes:` those that can't be in force together with it.
    Order = "order";
    /// A change to a table or situation gives the old figure (`was:`, or `missing`) and the new one (`now:`).
    /// If `was:` is not the figure of the layer below, the erratum was written for another printing.
    WasNow = "was-now";
    /// A change to what the layer below has already does nothing. It may stay; Casebook notes it.
    Already = "already";
    /// A figure's status is printed (seen in its source), derived (follows from printed ones), reconstructed (made up here), missing, or
    /// house (set by a house rule).
    /// Each file states it, and each piece, map, place or side that differs.
    Status = "status";
    /// A file with reconstructed figures says how they were made.
    Method = "method";
    /// Hexes, dice, ranges of numbers, odds, unit values and turns are written as wargames print them.
    Notation = "notation";
    /// A marker stands on its track: at a number from the first to the last, a turn of its calendar, or one of its boxes.
    Track = "track";
    /// Every side, kind, piece, track, procedure and table that a file names exists.
    UnknownName = "unknown-name";
    /// A situation gives its procedure everything that it needs. The card of the case that carries the procedure out declares it under `given:`;
    /// a situation may leave out what is `optional` there. Some function reads each declared name.
    Given = "given";
    /// `enemy(side)` is the other of two sides. In a game of one side, or of three and more, a rule names the side that it means.
    Sides = "sides";
    /// The labels of rows or columns cover every number once, in rising order. Where dice choose the row, they cover all that the dice can show,
    /// and nothing more.
    RowsCover = "rows-cover";
    /// A rule names rows and columns by their labels.
    Label = "label";
    /// A cell has as many parts as its table has fields.
    Cell = "cell";
    /// A script is written in the language Rhai. It has functions and nothing outside them, and every `switch` has an arm `_` for all else.
    Script = "script";
    /// A script calls functions that exist, with as many arguments as they take: verbs, functions of cases in force, or its own helpers.
    UnknownFunction = "unknown-function";
    /// A rule compares and passes values of the right kind: a number is never equal to a text, a choice is one of its options,
    /// and a function that calculates with its argument gets a number. A comparison that can never be true is a mistake that no run would show.
    Types = "types";
    /// A line of a ruling gets one value for each `{}` in it: fewer would leave braces in the ruling, more would be lost.
    Line = "line";
    /// Only a case with `procedure:` on its card may change the situation. All others answer questions.
    Procedure = "procedure";
    /// Balance and trials play whole games: situations with `goes_on: true`, from which the sequence of play leads to an end.
    WholeGame = "whole-game";
    /// A piece stands at a place that exists: a hex of a sheet, a place of the map, or a box that the manifest names; or on a carrier that is on
    /// the board. Who lies in a box out of play is moved by `take_from_box` only. Tests and trials look at each step of a procedure.
    OffMap = "off-map";
    /// A figure of a piece is never below the least that the manifest gives it under `from:`, which is 0 where nothing is said.
    BelowLeast = "below-least";
    /// A situation begins as the `set_up:` of its manifest says: who may be on whom and under whom, what a piece needs, who is never at one place;
    /// it draws on what it uses, and something comes of its procedure. What is otherwise may be meant; Casebook notes it.
    SetUp = "set-up";
    /// A phase of the sequence of play ends, or is refused before anything is thrown or chosen; if an order can't be carried out, it is dropped.
    BrokenOff = "broken-off";
    /// A function receives copies of lists and maps. A change to one that it neither reads again nor gives back is lost. Give the new value back:
    /// `side = after_hit(side)`. Or hand on a sheet: `record(#{ men: 3 })` is one sheet for all who hold it. The runs of `check` find this, since
    /// only they know whether it is a copy or a sheet.
    LostUpdate = "lost-update";
    /// A script has limits of steps, depth, size and time. Casebook stops one that exceeds them and shows where.
    Limit = "limit";
    /// A script failed while it ran.
    Running = "running";
    /// Dice that you type show faces that the die has, and there are as many as the procedure throws.
    Dice = "dice";
    /// A deck has each card as often as its manifest says, and each card lies in one place: in the stock, in a hand, laid out or among the
    /// discards. A rule draws no more than there are, and moves only cards that lie where it takes them from.
    Deck = "deck";
    /// An answer to a choice is one of its options.
    Choice = "choice";
    /// A journal has what was in force, the dice, the choices and the results. Casebook reads it whole or not at all.
    Journal = "journal";
    /// `casebook pack` writes a pack: a variant with its files and tests, and nothing else. Casebook unpacks it whole or not at all.
    Pack = "pack";
    /// A file of VASSAL is complete and of a normal size, and a module map says what each piece and place in it is.
    Vassal = "vassal";
    /// A strict ruling uses no reconstructed figure. It never goes on without a missing one.
    /// Type your own chart into a variant: `casebook new variant` writes the empty charts.
    Figure = "figure";
    /// Every rule has an effect: a procedure asks each public function, and some situation or test of a ruling comes out otherwise without the
    /// amendment. An explanation has no effect by its kind; any other file without one says why under `idle:`.
    /// `casebook coverage` lists the files without an effect, with their reasons.
    Idle = "idle";
    /// An example states what the source says, and the rules agree. It expects a result, and the rules use all dice and answers that it sets up;
    /// the lines `with:`, `reading:` and `option:` above it say what is in force.
    /// Examples that show the rule are in the case's file. Those of its corners are in its test file, `tests/<game>/<section>/<case>.rhai` or
    /// `variants/<variant>/tests/<section>/<case>.rhai`, which has only examples and their `private` helpers, and can use those of the case.
    Example = "example";
    /// A test of a ruling holds: the ruling has the outcomes under `then:`, leaves the figures under `board:`, cites the cases under `cites:`,
    /// and the case under `refused:` refuses. Tests are in `tests/<game>/<name>.yaml`, and under `tests:` in a situation's own file. Those that
    /// hold a case are in `tests/<game>/<section>/<case>.yaml` or `variants/<variant>/tests/<section>/<case>.yaml`.
    Test = "test";
    /// A ruling equals its snapshot, word for word. Where it changed for a good reason, accept the new one with `casebook test`.
    Snapshot = "snapshot";
}
