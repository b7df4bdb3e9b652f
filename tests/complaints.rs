//! Complaints for authors of data: where, what, why, and how to fix it.
//!
//! Each row of the table breaks a small made-up game in one way, and says which codes are reported, where, and which facts the messages
//! hold. A few outputs are kept whole, as snapshots. Whatever is wrong, nothing panics, no file is written, and the exit status says so.

use crate::common::stacks::built_in;
use crate::common::{Folder, Run, Says};
use casebook::DiagnosticCode;
use std::collections::BTreeSet;

const BRIDGE: &str = "scenarios/skirmish/bridge.yaml";
const COMBAT: &str = "tables/skirmish/combat.yaml";
const ATTACK: &str = "rules/skirmish/01-battle/1.1-attack.rhai";
const LOSSES: &str = "rules/skirmish/02-losses/2.1-losses.rhai";
const GAME: &str = "rules/skirmish/game.yaml";
const SLIP: &str = "variants/errata/rules/02-losses/2.1-losses.rhai";
const SLIP_TABLE: &str = "variants/errata/tables/combat.yaml";
const SLIP_BRIDGE: &str = "variants/errata/scenarios/bridge.yaml";
const WEATHER: &str = "variants/winter/rules/01-battle/3.0-weather.rhai";
const LOSSES_TESTS: &str = "tests/skirmish/02-losses/2.1-losses.rhai";
const TESTS: &str = "tests/skirmish/bridge.yaml";
const BAD_ARGUMENTS: &str = "tests:\n  - test: The bridge\n    given: bridge\n    but: { sid: Red }\n    then: { defender losses: 1 }\n";

/// A fault, and what is said of it.
struct Fault {
    /// What is wrong.
    name: &'static str,
    /// The command that finds it.
    command: &'static str,
    /// Breaks the small game.
    corrupt: for<'f> fn(&'f Folder) -> &'f Folder,
    /// The codes of the complaints with their places, in their order; the exit status if there is none.
    said: &'static str,
    /// What the messages hold: names, figures, and what to write instead.
    facts: &'static [&'static str],
}

const fn fault(
    name: &'static str,
    command: &'static str,
    corrupt: for<'f> fn(&'f Folder) -> &'f Folder,
    said: &'static str,
    facts: &'static [&'static str],
) -> Fault {
    Fault {
        name,
        command,
        corrupt,
        said,
        facts,
    }
}

fn unchanged(folder: &Folder) -> &Folder {
    folder
}

/// Saves a journal of the situation.
fn saved(folder: &Folder) -> &Folder {
    folder.ok("resolve bridge --save journal.yaml");
    folder
}

/// A variant of the user's own beside the errata, with no word about which of them comes first.
fn house_rules(folder: &Folder) -> &Folder {
    folder.write(
        "variants/house/variant.yaml",
        "variant: house\ntitle: Our table\ngame: skirmish\n",
    )
}

/// Replaces the body of `loss_shares`, which every battle calls.
fn loss_shares<'a>(folder: &'a Folder, body: &str) -> &'a Folder {
    let text = folder.read(LOSSES);
    let from = text
        .find("    let left = points;")
        .expect("the function is there");
    let to = from + text[from..].find("\n}").expect("the function ends");
    folder.write(LOSSES, format!("{}{body}{}", &text[..from], &text[to..]))
}

/// The table: a line for each fault.
#[rustfmt::skip]
const FAULTS: &[Fault] = &[
    // Keys and words
    fault("key misspelt", "check", |f| f.replace(BRIDGE, "Red foot, kind: footman, side: Red, value:", "Red foot, kind: footman, side: Red, valeus:"), "unknown-key bridge.yaml:10:49", &["valeus", "value"]),
    fault("key misspelt on a card", "check", |f| f.replace(LOSSES, "//! title:", "//! titel:"), "unknown-key 2.1-losses.rhai:2:5", &["titel", "title"]),
    fault("key misspelt in a table", "check", |f| f.replace(COMBAT, "fields:", "feilds:"), "unknown-key combat.yaml:7:1", &["feilds", "fields"]),
    fault("key twice", "check", |f| f.replace(COMBAT, "  5: [", "  4: ["), "rows-cover combat.yaml:8:1; key-twice combat.yaml:13:3", &["row 5", "combat.yaml:12:3"]),
    fault("kind misspelt", "check", |f| f.replace(SLIP, "kind: addition", "kind: adition"), "kind 2.1-losses.rhai:3:11", &["adition", "addition"]),
    fault("status misspelt", "check", |f| f.replace(COMBAT, "status: reconstructed", "status: reconstucted"), "status combat.yaml:16:38", &["reconstucted", "reconstructed"]),
    fault("kind of piece unknown", "check", |f| f.replace(BRIDGE, "Red foot, kind: footman", "Red foot, kind: footmen"), "unknown-name bridge.yaml:10:29", &["footmen", "footman"]),
    fault("side unknown", "check", |f| f.replace(BRIDGE, "kind: wagon, side: Red", "kind: wagon, side: Rde"), "unknown-name bridge.yaml:12:43", &["Rde", "Red"]),
    fault("track unknown", "check", |f| f.replace(BRIDGE, "tracks: { turn: 3 }", "tracks: { trun: 3 }"), "unknown-name bridge.yaml:5:11", &["trun", "turn"]),
    fault("word of the map unknown", "check", |f| f.replace(BRIDGE, "ground: wood", "ground: woods"), "unknown-name bridge.yaml:7:31", &["woods", "`wood`"]),
    fault("procedure of a situation unknown", "resolve bridge", |f| f.replace(BRIDGE, "procedure: attack", "procedure: atack"), "unknown-name bridge.yaml:4:12", &["atack", "attack"]),
    fault("procedure of the sequence unknown", "check", |f| f.replace(GAME, "procedures: [attack]", "procedures: [atack]"), "unknown-name game.yaml:37:35", &["atack", "attack"]),
    fault("document unknown", "check", |f| f.replace(SLIP, "doc: slip", "doc: slib"), "unknown-name 2.1-losses.rhai:4:20", &["slib", "slip"]),
    fault("game of a variant unknown", "check", |f| f.replace("variants/errata/variant.yaml", "game: skirmish", "game: skirmisch"), "unknown-name variant.yaml:3:7", &["skirmisch", "skirmish"]),
    fault("attribute of a unit value unknown", "check", |f| f.replace(GAME, "first: strength", "first: strenght"), "unknown-name game.yaml:19:22", &["strenght", "strength"]),
    fault("procedure that nobody carries out", "check", |f| f.replace(GAME, "procedures:\n  attack:", "procedures:\n  parley: The sides talk.\n  attack:"), "unknown-name game.yaml:34:3", &["parley"]),
    fault("key that is needed missing", "check", |f| f.replace(BRIDGE, "title: At the bridge\n", ""), "missing-key bridge.yaml:1:1", &["title:"]),
    fault("flag that is neither", "check", |f| f.replace(BRIDGE, "brook: true", "brook: maybe"), "flag bridge.yaml:8:35", &["maybe"]),
    fault("complaint accepted that is not made", "check", |f| f.write("accepted.yaml", "- { code: cell, path: tables/skirmish/combat.yaml, why: the sheet has it so }\n"), "note accepted accepted.yaml:1:3", &["cell", "tables/skirmish/combat.yaml"]),

    // Numbers and notation
    fault("comma in a number", "check", |f| f.replace(BRIDGE, "value: \"3-2\"", "strength: \"0,15\""), "number bridge.yaml:13:61", &["0,15"]),
    // In a list in brackets a comma that was meant as a decimal point begins the next value.
    fault("comma in a number without quotes", "check", |f| f.replace(BRIDGE, "value: \"3-2\"", "strength: 0,15"), "number bridge.yaml:13:63", &["15"]),
    fault("comma in a cell", "check", |f| f.replace(COMBAT, "\"0/4\"", "\"0/0,15\""), "cell combat.yaml:14:19", &["0,15"]),
    fault("text for a number", "check", |f| f.replace(BRIDGE, "value: \"3-2\"", "strength: three"), "number bridge.yaml:13:61", &["three"]),
    // Amending a case of a variant that is not required gives one complaint.
    fault("a case of a variant that is not needed", "check", |f| f.write("variants/mine/variant.yaml", "variant: mine\ngame: skirmish\ntitle: Mine\nsource: { doc: slip }\n").write("variants/mine/rules/02-losses/2.9-riders.rhai", "//! case: \"2.9\"\n//! title: Riders\n//! kind: addition\n//! source: { doc: slip, at: \"2.9\" }\n//! text: Riders count.\n\n/// How often one counts.\nfn counts(unit) { prior() + 1 }\n").write("variants/errata/rules/02-losses/2.9-riders.rhai", "//! case: \"2.9\"\n//! title: Riders\n//! kind: new case\n//! source: { doc: slip, at: \"2.9\" }\n//! text: Riders count.\n\n/// How often one counts.\nfn counts(unit) { unit.strength }\n"), "kind 2.9-riders.rhai:3:11", &["needs: [errata]"]),
    // An answer of the situation that is not open is shown where it stands.
    fault("an answer of the situation that is not open", "resolve bridge --dice 5", |f| f.replace(BRIDGE, ": Blue riders }", ": Blue rdiers }"), "choice bridge.yaml:16:35", &["Blue rdiers", "Blue riders"]),
    fault("bounds that hold nothing", "check", |f| f.replace(GAME, "strength: { unit: points, default: 0 }", "strength: { unit: points, default: 0, to: -1 }"), "number game.yaml:15:45", &["`from:`", "-1"]),
    fault("number below the least", "check", |f| f.replace(BRIDGE, "value: \"3-2\"", "strength: -5"), "number bridge.yaml:13:61", &["from:"]),

    // Values of different types
    fault("number compared with a text", "check", |f| f.replace(LOSSES, "if points == 0 {", "if units.len() == \"0\" {"), "types 2.1-losses.rhai:28:20", &["a number", "a text"]),
    // The possible values of choices, functions, items and `switch` arms are known.
    fault("word that never comes", "check", |f| { f.replace(LOSSES, "    let order = loss_order(side, units);\n", "    let order = loss_order(side, units);\n    if choose(side, \"stand\", [\"stay\", \"go\"]) == \"sty\" { return; }\n    for unit in units {\n        switch how_hard(unit) { \"light\" => {}, \"haevy\" => return, _ => {} }\n        if how_hard(unit) in [\"heavy\", \"lihgt\"] { return; }\n    }\n"); let text = f.read(LOSSES) + "\n/// How hard a piece is hit.\nfn how_hard(unit) { if unit.strength > 3 { \"heavy\" } else { \"light\" } }\n"; f.write(LOSSES, text) }, "types 2.1-losses.rhai:30:49; types 2.1-losses.rhai:32:48; types 2.1-losses.rhai:33:40", &["sty", "stay", "haevy", "heavy", "lihgt", "light"]),
    // The use of a parameter decides its type.
    fault("argument of the wrong sort", "check", |f| f.replace(LOSSES, "loss_shares(order.map(|u| u.strength), points)", "loss_shares(order.len(), points)"), "types 2.1-losses.rhai:30:30", &["loss_shares", "strengths"]),
    fault("map that is gone through", "check", |f| f.replace(LOSSES, "for strength in strengths {", "let named = #{ one: 4, two: 2 }; for strength in named {"), "running 2.1-losses.rhai:19:54", &["map.keys()", "bridge.yaml"]),
    fault("verb given the wrong sort", "check", |f| f.replace(LOSSES, "min(left, strength)", "half_up(\"left\") - strengths"), "types 2.1-losses.rhai:20:29", &["half_up"]),
    fault("expectation that repeats its call", "check", |f| f.replace(LOSSES, "expect(loss_shares([4, 2], 5), [4, 1]);", "expect(loss_shares([4, 2], 5), loss_shares([4, 2], 5));"), "example 2.1-losses.rhai:41:36", &["the same text"]),
    fault("expectation of a test that repeats its call", "test 2.1", |f| f.replace(LOSSES, "expect(loss_shares([4, 2], 5), [4, 1]);", "expect(loss_shares([4, 2], 5), loss_shares([4, 2], 5));"), "example 2.1-losses.rhai:41:36", &["the same text"]),
    // A misspelt question leaves the choice to its first option, which may change the dice: the misspelling is reported first.
    fault("misspelt question before dice that do not fit", "resolve bridge --dice 5,3 --choose 'Red: frist to lose=Red foot'", unchanged, "dice (dice)", &["Red: frist to lose", "Blue: first to lose"]),
    // An invalid figure in an amendment gives one complaint, and no second one about its `was`.
    fault("amended figure that can not stand", "check", |f| f.replace(BRIDGE, "value: \"3-2\"", "strength: -5"), "number bridge.yaml:13:61", &["from:"]),
    fault("number too large", "check", |f| f.replace(BRIDGE, "value: \"3-2\"", "strength: 99999999999999999999"), "number bridge.yaml:13:61", &["99999999999999999999"]),
    fault("number beyond its track", "check", |f| f.replace(BRIDGE, "turn: 3", "turn: 12"), "track bridge.yaml:5:17", &["12", "turn"]),
    fault("turn that is none", "check", |f| f.replace(GAME, "turn: { from: 1, to: 8 }", "turn: { turns: \"1/09..6/15\", a_year: 12 }").replace(BRIDGE, "turn: 3", "turn: third of 09"), "notation bridge.yaml:5:17", &["third of 09", "62"]),
    fault("hex without quotes", "check", |f| f.replace(BRIDGE, "value: \"3-2\", at: \"0202\"", "value: \"3-2\", at: 0202"), "quotes bridge.yaml:13:69", &["0202"]),
    fault("range without quotes", "check", |f| f.replace(COMBAT, "labels: [1, 2, 3, 4, 5, 6]", "labels: [1-2, 3, 4, 5, 6]"), "quotes combat.yaml:6:41; label combat.yaml:9:3; label combat.yaml:10:3; label combat.yaml:6:27", &["1-2"]),
    fault("odds without quotes", "check", |f| f.replace(COMBAT, "\"1:1\", \"2:1\"]", "1:1, 2:1]"), "quotes combat.yaml:5:38; quotes combat.yaml:5:43", &["1:1", "2:1"]),
    fault("hex that is none", "check", |f| f.replace(BRIDGE, "value: \"3-2\", at: \"0202\"", "value: \"3-2\", at: \"202\""), "notation bridge.yaml:13:69", &["202"]),
    fault("side between hexes apart", "check", |f| f.replace(BRIDGE, "\"0201/0202\"", "\"0201/0203\""), "notation bridge.yaml:8:13", &["0201", "0203"]),
    fault("unit value that is none", "check", |f| f.replace(BRIDGE, "value: \"3-2\"", "value: \"3/2\""), "notation bridge.yaml:13:58", &["3/2"]),
    fault("dice that are none", "check", |f| f.replace(COMBAT, "dice: 1d6", "dice: d6*d6"), "notation combat.yaml:6:27", &["d6*d6", "200", "1000000"]),

    // Tables
    fault("row missing", "check", |f| f.replace(COMBAT, "  3: [\"2/1\", \"1/1\", \"1/2\"]\n", ""), "rows-cover combat.yaml:8:1", &["row 3"]),
    fault("row that is no label", "check", |f| f.replace(COMBAT, "  3: [", "  \"3-4\": ["), "label combat.yaml:11:3", &["3-4"]),
    fault("rows overlap", "check", |f| f.replace(COMBAT, "labels: [1, 2, 3, 4, 5, 6]", "labels: [\"1-2\", \"2-3\", 4, 5, 6]"), "rows-cover combat.yaml:6:48", &["1-2", "2-3"]),
    fault("rows leave a gap", "check", |f| f.replace(COMBAT, "labels: [1, 2, 3, 4, 5, 6]", "labels: [\"1-2\", \"4-5\", 6]"), "rows-cover combat.yaml:6:48", &["1-2", "4-5"]),
    fault("die not covered", "check", |f| f.replace(COMBAT, "dice: 1d6", "dice: 2d6"), "rows-cover combat.yaml:6:40", &["12"]),
    fault("die covered too far", "check", |f| f.replace(COMBAT, "labels: [1, 2, 3, 4, 5, 6]", "labels: [1, 2, 3, 4, 5, \"6-8\"]"), "rows-cover combat.yaml:6:40", &["1d6", "1 to 8"]),
    fault("column twice", "check", |f| f.replace(COMBAT, "labels: [\"1:2\", \"1:1\", \"2:1\"]", "labels: [\"1:2\", \"1:1\", \"1:1\"]"), "rows-cover combat.yaml:5:45", &["1:1"]),
    fault("cell too few", "check", |f| f.replace(COMBAT, "[\"2/1\", \"1/1\", \"1/2\"]", "[\"2/1\", \"1/1\"]"), "cell combat.yaml:11:6", &["2 cells", "3 columns"]),
    fault("cell of three parts", "check", |f| f.replace(COMBAT, "\"3/0\"", "\"3/0/1\""), "cell combat.yaml:9:7", &["3/0/1"]),
    // The letter O for a nought.
    fault("cell with a letter for a digit", "check", |f| f.replace(COMBAT, "\"2/1\", \"1/1\", \"1/2\"", "\"2/1\", \"O/1\", \"1/2\""), "cell combat.yaml:11:14", &["holds:"]),
    fault("cell beyond its range", "check", |f| f.replace(COMBAT, "\"3/0\"", "\"30/0\"").replace(SLIP_TABLE, "now: \"0/1\"", "now: \"-5/1\""), "cell combat.yaml:9:7; cell combat.yaml:7:49", &["30", "-5"]),
    fault("cell with a word mistyped", "check", |f| f.write("tables/skirmish/weather.yaml", "table: weather\ntitle: Weather\nkind: rule\nstatus: printed\nrows: { of: die, dice: 1d6, labels: [\"1-3\", \"4-6\"] }\nholds: [rain, snow]\ncells:\n  \"1-3\": rian\n  \"4-6\": snow\n"), "cell weather.yaml:8:10", &["rian", "rain"]),
    fault("cell that names no side", "check", |f| f.write("tables/skirmish/wind.yaml", "table: wind\ntitle: Wind\nkind: rule\nstatus: printed\nrows: { of: die, dice: 1d6, labels: [\"1-3\", \"4-6\"] }\nholds: { names: side }\ncells:\n  \"1-3\": Red\n  \"4-6\": Bleu\n"), "cell wind.yaml:9:10", &["Bleu", "Blue"]),
    fault("figures that should fall and rise", "check", |f| f.replace(COMBAT, "\"2/1\", \"1/1\", \"1/2\"", "\"2/1\", \"1/1\", \"3/2\""), "note cell combat.yaml:11:21", &["rises:"]),
    fault("chart that does not say what its cells hold", "check", |f| f.replace(COMBAT, "holds:\n  attacker: { is: \"0-9\", falls: [columns, rows] }\n  defender: \"0-9\"\n", ""), "note cell combat.yaml:1:1", &["holds: { attacker: \"0-3\", defender: \"0-4\" }"]),
    // One mistake, one complaint.
    fault("axis misspelt", "check", |f| f.replace(COMBAT, "columns: {", "colums: {"), "unknown-key combat.yaml:5:1", &["colums", "columns"]),
    fault("axis of a change misspelt", "check", |f| f.replace(SLIP_TABLE, "{ column: \"1:1\", row: 1", "{ colum: \"1:1\", row: 1"), "unknown-key combat.yaml:6:7", &["`colum`", "column"]),
    fault("chart typed without its sheets", "check", |f| f.replace(COMBAT, "kind: rule", "kind: rule\nsheets: { of: season, labels: [summer, winter] }"), "rows-cover combat.yaml:9:1", &["summer, winter"]),
    // Rows and sheets may bear the same labels: what stands under them tells them apart.
    fault("chart typed without its sheets of the same labels", "check", |f| f.replace(COMBAT, "kind: rule", "kind: rule\nsheets: { of: intensity, labels: [1, 2, 3, 4, 5, 6, 7, 8] }"), "rows-cover combat.yaml:9:1", &["1, 2, 3, 4, 5, 6, 7, 8"]),
    fault("labels out of order", "check", |f| f.replace(COMBAT, "[1, 2, 3, 4, 5, 6]", "[1, 2, 3, 5, 4, 6]"), "rows-cover combat.yaml:6:53", &["`4`", "`5`"]),
    fault("field of what cells hold unknown", "check", |f| f.replace(COMBAT, "  defender: \"0-9\"", "  defendr: \"0-9\""), "label combat.yaml:21:3", &["defendr", "defender"]),
    fault("was of a table does not match", "check", |f| f.replace(SLIP_TABLE, "was: \"2/0\"", "was: \"2/2\""), "was-now combat.yaml:6:35", &["was: 2/2", "combat.yaml:9:14"]),
    fault("was missing of a table", "check", |f| f.replace(SLIP_TABLE, "was: \"2/0\", ", ""), "was-now combat.yaml:6:5", &["was:"]),
    fault("column of a change unknown", "check", |f| f.replace(SLIP_TABLE, "column: \"1:1\"", "column: \"1:11\""), "label combat.yaml:6:15", &["1:11", "`1:1`"]),
    fault("reconstructed without method", "check", |f| f.replace(COMBAT, "fields:  [", "status: reconstructed\nfields:  ["), "method combat.yaml:1:1; key-twice combat.yaml:23:1", &["method:", "status", "combat.yaml:7:1"]),
    fault("table amended that is not there", "check", |f| f.write("variants/errata/tables/comabt.yaml", "table: comabt\ntitle: Combat\nkind: correction\nchanges:\n  - { row: 1, was: \"2/0\", now: \"2/1\" }\n"), "unknown-name comabt.yaml:3:7", &["combat"]),
    fault("set-up that the manifest says is not meant", "check", |f| f.replace(GAME, "procedures:\n  attack", "set_up:\n  - { asks: 'track(\"turn\") > 7', says: it begins too early }\nprocedures:\n  attack"), "note set-up bridge.yaml", &["it begins too early"]),
    fault("cell changed to what it is", "check", |f| f.replace(SLIP_TABLE, "now: \"2/1\"", "now: \"2/0\""), "note already combat.yaml:6:47", &["below"]),

    // Cases and layers
    fault("case amended that is not there", "check", |f| f.write("variants/errata/rules/02-losses/7.4-night.rhai", "//! case: \"7.4\"\n//! title: Losses at night\n//! kind: correction\n//! text: nothing\n"), "kind 7.4-night.rhai:3:11", &["kind: new case"]),
    fault("case number misspelt", "check", |f| f.write("variants/errata/rules/02-losses/2.11-losses.rhai", "//! case: \"2.11\"\n//! title: Losses\n//! kind: correction\n//! text: nothing\n"), "kind 2.11-losses.rhai:3:11", &["2.1"]),
    fault("case number differs from file name", "check", |f| f.replace(SLIP, "case: \"2.1\"", "case: \"1.2\""), "name 2.1-losses.rhai:1:11", &["1.2", "2.1"]),
    fault("new case that is there", "check", |f| f.replace(SLIP, "kind: addition", "kind: new case"), "kind 2.1-losses.rhai:3:11", &["kind: addition", "2.1-losses.rhai:3:11"]),
    fault("rule in a variant", "check", |f| f.replace(WEATHER, "kind: addition", "kind: rule"), "kind 3.0-weather.rhai:3:11", &["kind: rule"]),
    fault("addition without prior", "check", |f| f.replace(WEATHER, "    prior();\n", ""), "prior 3.0-weather.rhai:9:4", &["attack_odds", "prior()", "1.1-attack.rhai:23:4"]),
    fault("explanation that answers", "check", |f| f.replace(SLIP, "kind: addition", "kind: explanation"), "kind 2.1-losses.rhai:9:4", &["loss_order", "2.1-losses.rhai:10:4"]),
    fault("function answered twice", "check", |f| f.write("rules/skirmish/02-losses/2.2-more-losses.rhai", "//! case: \"2.2\"\n//! title: More losses\n//! kind: rule\n//! text: nothing\n\nfn loss_shares(strengths, points) { strengths }\n"), "answered-twice 2.2-more-losses.rhai:6:4", &["loss_shares", "2.1-losses.rhai:16:4"]),
    fault("replaces unknown", "check", |f| f.replace(SLIP, "kind: addition", "kind: revision\n//! replaces: [loss_oder]"), "kind 2.1-losses.rhai:4:16", &["loss_oder", "loss_order"]),
    fault("reinstates unknown", "check", |f| f.replace(SLIP, "kind: addition", "kind: revision\n//! reinstates: skirmisch"), "kind 2.1-losses.rhai:4:17", &["skirmisch", "skirmish"]),
    fault("pack that is none", "unpack x.pack.yaml", |f| f.write("x.pack.yaml", "pack: 1\nvariant: x\n"), "pack x.pack.yaml", &["title"]),
    // The keys of a later form are not known, so its number is what counts.
    fault("pack of a newer form", "unpack x.pack.yaml", |f| f.write("x.pack.yaml", "pack: 2\nvariant: x\nsigned: by its author\n"), "pack x.pack.yaml", &["form 2", "form 1"]),
    fault("pack of an older form", "unpack x.pack.yaml", |f| f.write("x.pack.yaml", "pack: 0\nvariant: x\n"), "pack x.pack.yaml", &["form 0", "form 1"]),
    fault("after in a circle", "check", |f| f.append("variants/errata/variant.yaml", "after: [winter]\n"), "order variant.yaml:5:8", &["after:"]),
    fault("after unknown", "check", |f| f.replace("variants/winter/variant.yaml", "after: [errata]", "after: [erata]"), "unknown-name variant.yaml:4:9", &["erata", "errata"]),
    fault("option unknown", "check", |f| f.replace(WEATHER, "option: frost", "option: forst"), "unknown-name 3.0-weather.rhai:4:13", &["forst", "frost"]),
    fault("excluded variant unknown", "check", |f| house_rules(f).append("variants/house/variant.yaml", "excludes: [erata]\n"), "unknown-name variant.yaml:4:12", &["erata", "errata"]),
    // Two variants that define one name in different cases conflict, whatever their order.
    fault("one name for two things", "check", |f| f.write("variants/errata/rules/02-losses/lost-wagons.rhai", "//! case: lost-wagons\n//! title: lost-wagons\n//! kind: new case\n//! text: >\n//!   Nothing.\n\nfn is_lost(how) { how == \"burnt\" }\n").write("variants/winter/rules/02-losses/lost-in-snow.rhai", "//! case: lost-in-snow\n//! title: lost-in-snow\n//! kind: new case\n//! text: >\n//!   Nothing.\n\nfn is_lost(how) { how != \"found\" }\n"), "conflict lost-in-snow.rhai:7:4", &["is_lost", "lost-wagons.rhai:7:4"]),
    // A variant that amends a case which another brings, and asks a function of it.
    fault("case of a variant not in force", "check", |f| house_rules(f.write("variants/winter/rules/01-battle/snow.rhai", "//! case: snow\n//! title: Snow\n//! kind: new case\n//! text: nothing\n\nfn snow_lies() { true }\n")).append("variants/house/variant.yaml", "after: [winter]\n").write("variants/house/rules/01-battle/snow.rhai", "//! case: snow\n//! title: More snow\n//! kind: correction\n//! text: nothing\n\nfn snow_lies() { false }\n").write("variants/skis/variant.yaml", "variant: skis\ntitle: Skis\ngame: skirmish\n").write("variants/skis/rules/01-battle/skis.rhai", "//! case: skis\n//! title: Skis\n//! kind: new case\n//! text: nothing\n\nfn skis_help() { snow_lies() }\n"), "kind snow.rhai:3:11; unknown-function skis.rhai:6:18", &["needs: [winter]", "snow_lies"]),
    fault("document deep in a chart unknown", "check", |f| f.replace(COMBAT, "note: the corner of the sheet is torn", "source: { doc: shet, at: corner }"), "unknown-name combat.yaml:16:68", &["shet", "sheet"]),
    fault("figures of which nobody says how they are known", "check", |f| f.replace(COMBAT, "\nstatus: printed\n", "\n").replace(BRIDGE, "\nstatus: printed\n", "\n"), "status bridge.yaml:10:5; status combat.yaml:8:1", &["status:"]),
    fault("two variants on one cell", "check", |f| house_rules(f).write("variants/house/tables/combat.yaml", "table: combat\ntitle: Combat at our table\nkind: revision\nchanges:\n  - { column: \"1:1\", row: 1, was: \"2/0\", now: \"2/2\" }\n"), "conflict combat.yaml:5:47", &["after: [errata]", "combat.yaml:6:47"]),
    fault("two variants on one figure of a piece", "check", |f| house_rules(f).write("variants/house/scenarios/bridge.yaml", "situation: bridge\ntitle: At our bridge\nkind: revision\nchanges:\n  - { piece: Blue foot, strength: { was: 3, now: 5 } }\n"), "conflict bridge.yaml:5:50", &["after: [errata]", "bridge.yaml:6:50"]),

    // Scenarios
    fault("was of a piece does not match", "check", |f| f.replace(SLIP_BRIDGE, "was: 3", "was: 2"), "was-now bridge.yaml:6:42", &["was: 2", "Blue foot"]),
    fault("piece changed that is not there", "check", |f| f.replace(SLIP_BRIDGE, "piece: Blue foot", "piece: Blue fot"), "was-now bridge.yaml:6:5", &["Blue fot", "Blue foot"]),
    fault("piece without kind", "check", |f| f.replace(BRIDGE, "Red riders, kind: rider, ", "Red riders, "), "unknown-name bridge.yaml:11:5", &["Red riders"]),
    fault("two pieces of one name", "check", |f| f.replace(BRIDGE, "name: Red riders", "name: Red foot"), "key-twice bridge.yaml:11:5", &["Red foot"]),
    fault("carrier unknown", "check", |f| f.replace(BRIDGE, "kind: wagon, side: Red,", "kind: wagon, side: Red, on: Red rider,"), "unknown-name bridge.yaml:12:52", &["`Red rider`", "Red riders"]),
    fault("figure reconstructed that no piece has", "check", |f| f.replace(BRIDGE, "kind: wagon, side: Red,", "kind: wagon, side: Red, reconstructed: [strenght],"), "unknown-name bridge.yaml:12:64", &["strenght", "strength"]),
    fault("situation amended that is not there", "check", |f| f.write("variants/errata/scenarios/brigde.yaml", f.read(SLIP_BRIDGE).replace("situation: bridge", "situation: brigde")), "kind brigde.yaml:1:12", &["bridge"]),
    fault("piece named by an attribute unknown", "check", |f| f.replace(BRIDGE, "kind: wagon, side: Red,", "kind: wagon, side: Red, under: Red rider,"), "unknown-name bridge.yaml:12:55", &["`Red rider`", "Red riders"]),
    fault("hex off the map", "check", |f| f.replace(BRIDGE, "value: \"3-2\", at: \"0202\"", "value: \"3-2\", at: \"9999\""), "notation bridge.yaml:13:69", &["9999"]),
    fault("names given that nothing has", "check", |f| f.replace(BRIDGE, "given: { side: Red, from: \"0201\", into: \"0202\" }", "given: { side: Rde, from: \"0201\", into: \"0292\", units: [Red fot] }"), "unknown-name bridge.yaml:15:16; unknown-name bridge.yaml:15:41; unknown-name bridge.yaml:15:57", &["Rde", "`Red`", "0292", "Red fot", "Red foot"]),
    fault("side of a choice unknown", "check", |f| f.replace(BRIDGE, "\"Blue: first to lose\"", "\"Bleu: first to lose\""), "unknown-name bridge.yaml:16:12", &["Bleu", "Blue"]),
    fault("given misspelt", "resolve bridge", |f| f.replace(BRIDGE, "given: { side: Red, from:", "given: { side: Red, form:"), "unknown-key bridge.yaml:15:21; given bridge.yaml:15:1", &["attack", "form", "from"]),
    fault("roster unknown", "check", |f| f.replace(BRIDGE, "procedure: attack", "procedure: attack\nuses: [brigde]"), "unknown-name bridge.yaml:5:8", &["brigde", "bridge"]),
    fault("variant of a situation unknown", "check", |f| f.replace(BRIDGE, "procedure: attack", "procedure: attack\nwith: [erata]"), "unknown-name bridge.yaml:5:8", &["erata", "errata"]),
    fault("example in a variant unknown", "test 2.1", |f| f.replace(LOSSES, "/// 2.1 stated\n", "/// 2.1 stated\n/// with: erata\n"), "example 2.1-losses.rhai:40:11", &["erata", "errata"]),
    fault("example of a table that fails", "test combat", |f| f.replace(COMBAT, "then: 1 }", "then: 2 }"), "example combat.yaml:18:31", &["expected 2", "got 1"]),
    fault("example of a table misspelt", "check", |f| f.replace(COMBAT, "then: 1 }", "thne: 1 }"), "unknown-key combat.yaml:18:69", &["thne", "then"]),

    // Files
    fault("file empty", "check", |f| f.write(COMBAT, "").write(LOSSES, "").write("variants/errata/variant.yaml", "# nothing yet\n"), "empty-file 2.1-losses.rhai; empty-file combat.yaml; empty-file variant.yaml", &["empty"]),
    fault("file of bytes", "check", |f| f.write(COMBAT, [0x7f, b'E', b'L', b'F', 0, 0xff, 0xfe, 10]).write(LOSSES, "fn a() {\u{0}}"), "file 2.1-losses.rhai; file combat.yaml", &["UTF-8"]),
    fault("file too large", "check", |f| { std::fs::File::create(f.0.join("tables/skirmish/flood.yaml")).and_then(|file| file.set_len(100 << 20)).expect("a file may have a hole"); f }, "file flood.yaml", &["104857600", "4194304"]),
    fault("folder for a file", "check", |f| { std::fs::create_dir(f.0.join("tables/skirmish/odds.yaml")).expect("the test's own folder can be written"); f }, "file odds.yaml", &["a folder", "a file"]),
    fault("file misplaced", "check", |f| f.write("tables/combat.yaml", "table: x\ntitle: x\nkind: rule\n").write("tables/skirmisch/x.yaml", "table: x\ntitle: x\nkind: rule\n").write("rules/skirmish/x.rhai", "").write("variants/none/tables/x.yaml", "table: x\ntitle: x\nkind: rule\n"), "empty-file x.rhai; place x.rhai; place combat.yaml; place x.yaml; place x.yaml", &["empty", "rules/<game>/<section>/<case>.rhai", "tables/<game>/", "skirmisch", "skirmish", "none"]),
    fault("test file without a case", "check", |f| f.write("tests/skirmish/02-losses/2.1-lost.rhai", "fn example_two() { expect(loss_shares([4, 2], 5), [4, 1]); }\n").write("variants/errata/tests/02-losses/9.9-night.rhai", "fn example_two() { expect(loss_shares([4, 2], 5), [4, 1]); }\n"), "place 2.1-lost.rhai; place 9.9-night.rhai", &["rules/skirmish/02-losses/2.1-lost.rhai", "variants/errata/rules/02-losses/9.9-night.rhai"]),
    fault("test file misplaced", "check", |f| f.write("tests/skirmish/2.1-losses.rhai", "fn example_two() { expect(loss_shares([4, 2], 5), [4, 1]); }\n").write("variants/errata/tests/2.1-losses.rhai", "fn example_two() { expect(loss_shares([4, 2], 5), [4, 1]); }\n"), "place 2.1-losses.rhai; place 2.1-losses.rhai", &["tests/<game>/<name>.yaml", "variants/<variant>/tests/<section>/<case>.rhai"]),
    fault("two tests of one name", "check", |f| f.write("tests/skirmish/twice.yaml", "form: 1\ntests:\n  - { test: twice, given: bridge, dice: [3], then: { defender losses: 1 } }\n  - { test: twice, given: bridge, dice: [3], then: { defender losses: 1 } }\n"), "test twice.yaml:4:13", &["two tests have this name"]),
    fault("test file without an example", "check", |f| f.write(LOSSES_TESTS, "private fn five() { 5 }\n"), "example 2.1-losses.rhai", &["fn example_...() { ... }"]),
    fault("rule in a test file", "check", |f| f.write(LOSSES_TESTS, "fn five() { 5 }\n\nprivate fn loss_shares(strengths, points) { [] }\n\nfn example_five() { expect(five(), 5); }\n"), "example 2.1-losses.rhai:1:4; example 2.1-losses.rhai:3:12", &["five", "loss_shares", "2.1-losses.rhai:16:4"]),
    // A case does not see its test file; the test file sees the helpers of its case.
    fault("case that asks a helper of its tests", "check", |f| f.write(LOSSES_TESTS, "private fn five() { 5 }\n\nfn example_five() { expect(half(five()), 2); }\n").append(LOSSES, "\nprivate fn half(points) { points / 2 }\n\nfn fewest() { half(five()) }\n"), "unknown-function 2.1-losses.rhai:46:20", &["five", "dice", "fill"]),
    fault("script broken in a test file", "check", |f| f.write(LOSSES_TESTS, "\n\nfn example_five() {\n    expect(5 5);\n}\n"), "script 2.1-losses.rhai:4:14", &["5);"]),
    fault("name unknown in a test file", "check", |f| f.write(LOSSES_TESTS, "\n\nfn example_five() {\n    expect(fvie(2), 5);\n}\n"), "unknown-function 2.1-losses.rhai:4:12", &["fvie"]),
    fault("file with another ending", "check", |f| f.write("tables/skirmish/combat.yml", "table: combat\n").write("rules/skirmish/01-battle/notes.txt", "x"), "file notes.txt; file combat.yml", &[".rhai", ".yaml", ".md"]),
    fault("yaml broken", "check", |f| f.replace(COMBAT, "  2: [\"2/0\", \"1/0\", \"1/1\"]", "  2: [\"2/0\", \"1/0\", \"1/1\""), "yaml combat.yaml:11:4", &["not YAML", "':'"]),
    fault("yaml with tabs", "check", |f| f.replace(COMBAT, "  2: [", "\t2: ["), "yaml combat.yaml:10:2", &["  2: [\"2/0\", \"1/0\", \"1/1\"]"]),
    fault("yaml with an anchor", "check", |f| f.replace(COMBAT, "  2: [\"2/0\", \"1/0\", \"1/1\"]", "  2: *first"), "yaml combat.yaml:10:6", &["not YAML", "anchor"]),
    fault("yaml of the wrong shape", "check", |f| f.write(COMBAT, "- table: combat\n- rows\n").write("variants/errata/variant.yaml", "errata\n"), "shape combat.yaml:1:1; shape variant.yaml:1:1", &["a list", "a single value"]),
    fault("yaml a million lists deep", "check", |f| f.write("variants/errata/tables/deep.yaml", format!("table: deep\ncells: {}", "[".repeat(1_000_000))), "yaml deep.yaml:2:263", &["not YAML", "recursion"]),
    fault("card missing", "check", |f| f.write(LOSSES, "// Losses\nfn loss_order(side, units) { units }\n"), "card 2.1-losses.rhai:1:1", &["//! case: \"8.16\""]),
    fault("manifest broken", "check", |f| f.replace(GAME, "sides: [Red, Blue]", "sides: [Red, Blue"), "yaml game.yaml:3:8", &["sides: [Red, Blue]"]),
    fault("manifest start unknown", "check", |f| f.append(GAME, "start: { situation: brigde, figure: \"Red foot: strenght\", from: 6, to: 1 }\n"), "unknown-name game.yaml:38:21; unknown-name game.yaml:38:37; number game.yaml:38:72", &["brigde", "bridge", "strenght", "strength", "to:"]),
    fault("manifest broken at resolve", "resolve bridge", |f| f.replace(GAME, "sides: [Red, Blue]", "sides: [Red, Blue"), "yaml game.yaml:3:8", &["sides: [Red, Blue]"]),

    // Scripts, before they run
    fault("script with a syntax error", "check", |f| f.replace(LOSSES, "let shares = [];", "let shares = [;"), "script 2.1-losses.rhai:18:19", &["not Rhai", "';'"]),
    fault("script with statements outside functions", "check", |f| f.replace(LOSSES, "/// What each of these strengths loses.", "let most = 3;\n\n/// What each of these strengths loses."), "script 2.1-losses.rhai:15:1", &["not Rhai", "nothing outside"]),
    fault("script with a switch without rest", "check", |f| loss_shares(f, "    switch points { 0 => [], 1 => strengths }"), "script 2.1-losses.rhai:17:5", &["switch"]),
    fault("script with a float", "check", |f| loss_shares(f, "    strengths.map(|s| s * 0.15)"), "number 2.1-losses.rhai:17:29", &["n * 15 / 100"]),
    fault("script with too many brackets", "check", |f| loss_shares(f, &format!("    {}points{}", "(".repeat(5000), ")".repeat(5000))), "script 2.1-losses.rhai:17:27", &["not Rhai", "complexity"]),
    fault("script with a function twice", "check", |f| f.append(LOSSES, "\nfn loss_order(side, units) { units }\n"), "answered-twice 2.1-losses.rhai:44:4", &["loss_order", "2.1-losses.rhai:10:4"]),
    fault("script with an indented function", "check", |f| f.replace(LOSSES, "fn loss_order(", "  fn loss_order("), "script 2.1-losses.rhai:1:1", &["loss_order"]),
    fault("script with a function called like a verb", "check", |f| f.append(LOSSES, "\nfn roll(dice, purpose) { 6 }\n"), "script 2.1-losses.rhai:44:4", &["roll"]),
    fault("script that asks an unknown function", "check", |f| f.replace(LOSSES, "loss_shares(order.map", "loss_share(order.map"), "unknown-function 2.1-losses.rhai:30:18", &["`loss_share`", "loss_shares"]),
    fault("script with too many arguments", "check", |f| f.replace(LOSSES, "loss_order(side, units);", "loss_order(side, units, points);"), "unknown-function 2.1-losses.rhai:29:17", &["loss_order"]),
    fault("script with a verb misspelt", "check", |f| f.replace(ATTACK, "pieces_at(given.into", "peices_at(given.into"), "unknown-function 1.1-attack.rhai:30:21", &["peices_at", "pieces_at"]),
    fault("script with a variable misspelt", "check", |f| f.replace(LOSSES, "shares.push(share);", "shares.push(shar);"), "script 2.1-losses.rhai:21:21", &["`shar`", "share"]),
    fault("script that asks an unknown table", "resolve bridge", |f| f.replace(ATTACK, "table(\"combat\"", "table(\"combta\""), "unknown-name 1.1-attack.rhai:35:16", &["combta", "combat"]),
    fault("script that moves a piece and is no procedure", "check", |f| f.replace(LOSSES, "//! procedure: attack\n", "").replace(LOSSES, "remove(order[i], \"no strength left\")", "move_piece(order[i], \"0303\")"), "procedure 2.1-losses.rhai:32:9; procedure 2.1-losses.rhai:34:37", &["set", "move_piece"]),
    // `set` is also a word of Rhai's own, for lists; a piece is set only when the script runs.
    fault("script that sets a figure and is no procedure", "resolve bridge", |f| f.replace(LOSSES, "//! procedure: attack\n", ""), "procedure 2.1-losses.rhai:32:9", &["set"]),
    fault("script that types its own dice", "check", |f| loss_shares(f, "    dice([6]);\n    [roll(\"1d6\", \"attack\")]"), "procedure 2.1-losses.rhai:17:5", &["dice"]),
    fault("script that evaluates text", "check", |f| loss_shares(f, "    eval(\"40 + 2\")"), "script 2.1-losses.rhai:17:5", &["not Rhai", "'eval'"]),
    // Names that stand in a script as they are, each looked up where it stands.
    fault("script with names that nothing has", "check", |f| loss_shares(f, r#"    let unit = piece("Red foot");
    if unit.strenght > 2 || unit.kind == "footmann" || unit.side == "Bleu" { return []; }
    if track("turn") == 9 || is_a(unit, "solder") || unit.at == "0909" { return [0]; }
    let first = choose("Rde", "first to lose", strengths);
    let die = roll("1w6", "losses");
    create(#{ name: "reserve", kind: "fotman", side: "Red", sterngth: 1 });
    set_track("turn", 12);
    set(unit, "speeed", total([unit], "strenth"));
    [entries("troops"), first, die]"#), "unknown-name 2.1-losses.rhai:18:13; unknown-name 2.1-losses.rhai:18:42; unknown-name 2.1-losses.rhai:18:69; unknown-name 2.1-losses.rhai:19:41; notation 2.1-losses.rhai:19:65; unknown-name 2.1-losses.rhai:20:24; notation 2.1-losses.rhai:21:20; unknown-name 2.1-losses.rhai:22:38; unknown-name 2.1-losses.rhai:22:61; track 2.1-losses.rhai:23:23; unknown-name 2.1-losses.rhai:24:15; unknown-name 2.1-losses.rhai:24:39; unknown-name 2.1-losses.rhai:25:14", &["strenght", "strength", "footmann", "`footman`", "Bleu", "Blue", "solder", "soldier", "0909", "Rde", "Red", "1w6", "200", "1000000", "fotman", "sterngth", "12", "turn", "speeed", "speed", "strenth", "troops"]),
    fault("script that asks charts wrongly", "check", |f| loss_shares(f, "    let a = table(\"combta\", 3);\n    let b = table(\"combat\", 3).attacker;\n    let c = table(\"combat\", \"1:1\", 9).attacker;\n    [table(\"combat\", \"1:1\", points).atacker, row(\"combat\", 7), a, b, c]"), "unknown-name 2.1-losses.rhai:17:19; label 2.1-losses.rhai:18:13; label 2.1-losses.rhai:19:36; unknown-name 2.1-losses.rhai:20:37; label 2.1-losses.rhai:20:60", &["combta", "column, row", "no row `9`", "atacker", "no row `7`"]),
    fault("script with a reading mistyped", "check", |f| f.replace(ATTACK, "reading(\"wagons\") == \"help\"", "reading(\"wagons\") == \"halp\""), "unknown-name 1.1-attack.rhai:19:73", &["halp", "help"]),
    // A field of a sheet that nobody declared would read as nothing, and say so nowhere.
    fault("script with a field of a sheet mistyped", "check", |f| { f.append(GAME, "  fight:\n    loser: { what: who loses, by: \"1.1\", names: side }\n    points: { by: \"2.1\", is: \"0-99\" }\n"); f.replace(ATTACK, "    step(\"Losses\");", "    let fight = record(#{ looser: given.sied, points: 1 });\n    fight.pionts += fight.points;\n    if fight.loser == \"Bleu\" { fill(fight, #{ loser: \"Red\", point: 2 }); }\n    step(\"Losses\");") }, "yaml game.yaml:38:3", &["not YAML", "'-'"]),
    fault("card with an unknown procedure", "check", |f| f.replace(LOSSES, "procedure: attack", "procedure: atack"), "unknown-name 2.1-losses.rhai:5:16", &["atack", "attack"]),
    fault("headline of an outcome that nobody names", "check", |f| f.replace(ATTACK, "//! procedure: attack", "//! procedure: attack\n//! headline:\n//!   losses: [mean los, \"mean losses of {atacker}\"]"), "unknown-name 1.1-attack.rhai:7:16; unknown-name 1.1-attack.rhai:7:26", &["`los`", "attacker losses", "defender losses", "atacker"]),
    fault("headline without a procedure", "check", |f| f.replace(LOSSES, "//! procedure: attack", "//! headline: { won: winner = Red }"), "unknown-name 2.1-losses.rhai:5:17; procedure 2.1-losses.rhai:33:9; procedure 2.1-losses.rhai:35:37", &["procedure:", "set", "remove"]),
    fault("group of something that is not there", "check", |f| f.replace(GAME, "\nprocedures:", "\ngroups: { Soldiers: [foott] }\nunits: { los: men }\nprocedures:"), "unknown-name game.yaml:33:22; unknown-name game.yaml:34:10", &["foott", "`los`", "attacker losses", "defender losses"]),
    fault("line with a value too few", "check", |f| f.replace(LOSSES, "[order[i], shares[i], order[i].strength]", "[order[i], shares[i]]"), "line 2.1-losses.rhai:34:13", &["has 3 `{}`", "2 values"]),
    fault("change of a copy that nobody reads", "check", |f| f.replace(LOSSES, "say(\"{} loses nothing.\", [side]); return;", "let sum = #{ lost: 0 }; sum.lost = 1; return;"), "note lost-update 2.1-losses.rhai:28:50", &["a copy"]),
    fault("function that no procedure asks", "check", |f| f.append(LOSSES, "\n/// Whether it heals.\nfn may_heal(unit) { unit.strength > 1 }\n"), "note idle 2.1-losses.rhai:45:4", &["may_heal/1"]),
    fault("deck with a negative number of cards", "check", |f| f.replace(GAME, "\ntracks:\n", "\ndecks:\n  events: { holds: { rain: -2, sun: 3 } }\ntracks:\n"), "deck game.yaml:31:28", &["-2", "1 to 1000"]),

    // Scripts, while they run
    fault("script that asks itself", "resolve bridge", |f| loss_shares(f, "    loss_shares(strengths, points)"), "limit 2.1-losses.rhai:17:5", &["40"]),
    fault("script that calls its helper without end", "resolve bridge", |f| { loss_shares(f, "    deeper(points)"); f.append(LOSSES, "\nprivate fn deeper(n) { deeper(n + 1) }\n") }, "limit 2.1-losses.rhai:37:24", &["calls itself"]),
    // Nested cases and calls end by the limit of the machine, not by the stack of the process.
    fault("script that goes as deep as it may", "resolve bridge", |f| { loss_shares(f, "    deeper(strengths, points, 0)"); f.append(LOSSES, "\nprivate fn deeper(s, p, n) { if n > 20 { loss_shares(s, p) } else { deeper(s, p, n + 1) } }\n") }, "limit 2.1-losses.rhai:37:69", &["calls itself"]),
    fault("script with a huge text", "resolve bridge", |f| loss_shares(f, "    let text = \"x\";\n    while true { text += text; }\n    text"), "limit 2.1-losses.rhai:18:23", &["a text"]),
    fault("script with a huge list", "resolve bridge", |f| loss_shares(f, "    let list = [];\n    while true { list.push(1); }\n    list"), "limit 2.1-losses.rhai:18:23", &["a list"]),
    fault("script that fails", "resolve bridge", |f| loss_shares(f, "    [strengths[7]]"), "running 2.1-losses.rhai:17:16", &["list.len()"]),
    fault("script that adds what cannot be added", "resolve bridge", |f| loss_shares(f, "    [strengths[0] + #{ a: 1 }]"), "running 2.1-losses.rhai:17:19", &["`+`", "a number", "a map"]),
    fault("script that counts too far", "resolve bridge", |f| loss_shares(f, "    [9223372036854775807 + strengths[0]]"), "running 2.1-losses.rhai:17:26", &["9223372036854775807", "clamp"]),
    fault("script that divides by nothing", "resolve bridge", |f| loss_shares(f, "    [points / (points - points)]"), "running 2.1-losses.rhai:17:13", &["clamp"]),
    fault("script that throws dice that are none", "resolve bridge", |f| f.replace(ATTACK, "roll(\"1d6\"", "roll(\"1w6\""), "notation 1.1-attack.rhai:34:15", &["1w6", "200", "1000000"]),
    fault("piece unknown", "resolve bridge", |f| loss_shares(f, "    [piece(\"Blue fot\").strength]"), "unknown-name 2.1-losses.rhai:17:6", &["Blue fot", "Blue foot"]),
    fault("figure unknown", "resolve bridge", |f| f.replace(ATTACK, "unit.strength > 0", "unit.strenght > 0"), "unknown-name 1.1-attack.rhai:19:10", &["strenght", "strength"]),
    fault("group unknown", "resolve bridge", |f| f.replace(ATTACK, "\"soldier\"", "\"solder\""), "unknown-name 1.1-attack.rhai:19:27", &["solder", "soldier"]),
    fault("row asked that is not there", "resolve bridge", |f| f.replace(ATTACK, "table(\"combat\", against, die)", "table(\"combat\", against, die + 9)"), "label 1.1-attack.rhai:35:16", &["10"]),
    fault("field of a cell unknown", "resolve bridge", |f| f.replace(ATTACK, "take_losses(given.side, attackers, lost.attacker)", "take_losses(given.side, attackers, lost.atacker)"), "running 1.1-attack.rhai:38:45", &["atacker", "attacker"]),
    fault("prior with nothing older", "resolve bridge", |f| loss_shares(f, "    prior()"), "prior 2.1-losses.rhai:17:5", &["loss_shares"]),
    fault("reading asked that is not there", "resolve bridge", |f| f.replace(ATTACK, "reading(\"wagons\")", "reading(\"wagon\")"), "unknown-name 1.1-attack.rhai:19:52", &["`1.1.wagon`", "1.1.wagons"]),
    // The slip fills this cell; without it the sheet is torn here.
    fault("figure missing", "resolve bridge --dice 6", |f| f.replace(BRIDGE, "value: \"4-2\"", "value: \"2-2\""), "figure 1.1-attack.rhai:35:16", &["table combat", "odds 1:2", "die 6"]),
    fault("piece moved off the map", "check --play 16", |f| f.replace(ATTACK, "result(\"attacker losses\", lost.attacker);", "move_piece(attackers, \"0909\");"), "off-map bridge.yaml", &["Red foot", "0909"]),
    fault("figure below its least", "check --play 16", |f| f.replace(LOSSES, "let share = min(left, strength);", "let share = left;"), "below-least bridge.yaml", &["Blue riders", "strength -1"]),
    fault("phase that breaks off", "check --play 16", |f| f.replace(ATTACK, "let lost = table(\"combat\", against, die);", "let lost = table(\"combat\", against, die); require(lost.attacker == 0, \"no\", []);"), "broken-off 1.1-attack.rhai", &["attack"]),

    // The command line
    fault("die of seven", "resolve bridge --dice 7", unchanged, "dice 1.1-attack.rhai:34:15", &["shows 7", "1 to 6"]),
    fault("die of none", "resolve bridge --dice 0", unchanged, "dice 1.1-attack.rhai:34:15", &["shows 0", "1 to 6"]),
    fault("dice too few", "resolve bridge --dice 2", |f| f.replace(ATTACK, "roll(\"1d6\"", "roll(\"2d6\""), "dice 1.1-attack.rhai:34:15", &["2d6", "2 dice", "1 is left"]),
    fault("dice too many", "resolve bridge --dice 2,5,1", unchanged, "dice (dice)", &["--trace"]),
    fault("dice that are no numbers", "resolve bridge --dice x", unchanged, "dice 1.1-attack.rhai:34:15", &["shows x", "1 to 6"]),
    fault("list resolved that is no situation", "resolve troops", |f| f.write("scenarios/skirmish/troops.yaml", "roster: troops\ntitle: Troops\npieces:\n  - { name: Red foot, kind: footman, side: Red }\n"), "status 2", &["troops", "no procedure"]),
    fault("situation unknown", "resolve brigde", unchanged, "status 2", &["brigde", "bridge"]),
    fault("variant unknown", "resolve bridge --with erata", unchanged, "status 2", &["erata", "errata"]),
    fault("option unknown on the command line", "resolve bridge --with winter --option winter.forst=off", unchanged, "status 2", &["winter.forst", "winter.frost"]),
    fault("option neither on nor off", "resolve bridge --with winter --option winter.frost=of", unchanged, "status 2", &["winter.frost=of"]),
    fault("reading unknown", "resolve bridge --reading 1.1.wagon=help", unchanged, "status 2", &["1.1.wagon", "1.1.wagons"]),
    fault("way of a reading unknown", "resolve bridge --reading 1.1.wagons=halp", unchanged, "status 2", &["1.1.wagons", "halp", "help"]),
    fault("code unknown", "explain row-cover", unchanged, "status 2", &["row-cover", "rows-cover"]),
    fault("thing shown unknown", "show may_atack", unchanged, "status 2", &["may_atack", "may_attack"]),
    fault("game unknown", "list --game skirmisch", unchanged, "status 2", &["skirmisch", "skirmish"]),
    fault("data folder that is not there", "resolve bridge --data nowhere", unchanged, "status 2", &["nowhere"]),
    fault("tests of no file", "test 9.9", unchanged, "status 1", &["9.9"]),
    fault("procedure played like a game", "balance bridge --style all=first", unchanged, "whole-game bridge.yaml", &["no winner", "goes_on: true"]),
    fault("file that VASSAL did not write", "import scenarios/skirmish/bridge.yaml --module mine.vmod --map mine.yaml", unchanged, "vassal bridge.yaml", &["VASSAL"]),

    // Journals
    fault("journal that is not there", "replay none.yaml", unchanged, "status 1", &["none.yaml"]),
    fault("journal damaged", "replay journal.yaml", |f| { let text = saved(f).read("journal.yaml"); f.write("journal.yaml", &text[..text.len() / 2]) }, "yaml journal.yaml:8:5", &["  - { choice: fi }"]),
    fault("journal with a key misspelt", "replay journal.yaml", |f| saved(f).replace("journal.yaml", "\nmoves:", "\nmovs:"), "unknown-key journal.yaml:6:1", &["movs", "moves"]),
    fault("journal of another form", "replay journal.yaml", |f| saved(f).replace("journal.yaml", "journal: 2", "journal: 9"), "journal journal.yaml:1:10", &["form 9", "form 2"]),
    fault("journal of an older form", "replay journal.yaml", |f| saved(f).replace("journal.yaml", "journal: 2", "journal: 1"), "journal journal.yaml:1:10", &["play and save it again"]),
    fault("journal of a situation that is gone", "replay journal.yaml", |f| saved(f).replace("journal.yaml", "situation: bridge", "situation: brigde"), "status 2", &["brigde", "bridge"]),
    fault("journal changed where nothing comes up", "replay journal.yaml --change attack#2=3", saved, "status 2", &["attack", "#2"]),
    fault("journal of another throw", "replay saved.yaml", |f| f.write("saved.yaml", "journal: 2\ngame: skirmish\nsituation: bridge\nmoves:\n  - { throw: 1d6, for: atack, faces: [4] }\n"), "journal saved.yaml:5:5", &["1d6 for atack", "1d6 for attack"]),

    // Tests of rulings
    fault("test that hands over what nobody is given", "check", |f| f.write(TESTS, BAD_ARGUMENTS), "unknown-key bridge.yaml:4:12", &["attack", "`sid`", "side"]),
    fault("test that hands over what nobody is given tried", "test tests/", |f| f.write(TESTS, BAD_ARGUMENTS), "unknown-key bridge.yaml:4:12", &["attack", "`sid`", "side"]),
    fault("test file in a folder of its own", "check", |f| f.write("tests/skirmish/sub/bridge.yaml", "tests: []\n").write("tests/elsewhere/sub/bridge.yaml", "tests: []\n"), "place bridge.yaml", &["rules/skirmish/sub/bridge.rhai"]),
    fault("test file in a folder of its own tried", "test tests/", |f| f.write("tests/skirmish/sub/bridge.yaml", "tests: []\n").write("tests/elsewhere/sub/bridge.yaml", "tests: []\n"), "place bridge.yaml", &["rules/skirmish/sub/bridge.rhai"]),
    fault("seed that is no number", "check", |f| f.write(TESTS, "tests:\n  - test: The bridge\n    given: bridge\n    seed: x\n"), "number bridge.yaml:4:11", &["`x`"]),
    fault("ruling that differs from its snapshot", "test tests/", |f| f.write(TESTS, "tests:\n  - test: the whole ruling\n    given: bridge\n    dice: [4]\n    snapshot: nobody was hurt\n"), "snapshot bridge.yaml:5:5", &["differs"]),

    // Answers of a situation
    // An answer that is invalid in some rulings is a note, one that is invalid in all is an error.
    fault("answer that some rulings come to", "check", |f| f.replace(BRIDGE, "riders }\nstatus", "riders, \"Red: first to lose\": Blue foot }\nstatus"), "note choice bridge.yaml:16:70", &["Blue foot"]),
    fault("answer that is never open", "check", |f| f.replace(BRIDGE, "riders }\nstatus", "riders, \"Red: first to lose\": Blue foot }\nstatus").replace(COMBAT, "\"0/2\", \"0/3\"]", "\"1/2\", \"0/3\"]").replace(COMBAT, "\"?\", \"0/3\"", "\"?\", \"1/3\""), "choice bridge.yaml:16:70; note cell combat.yaml:7:49", &["Blue foot", "rises:"]),

    // Ids of statements
    fault("statement that a source does not have", "check", |f| f.append(LOSSES, "\n/// SLIP-4 stated\nfn example_one() { expect(min(1, 2), 1); }\n\n/// SLIP-9 stated\nfn example_two() { expect(min(1, 2), 1); }\n\n/// SLPI-1 stated\nfn example_three() { expect(min(1, 2), 1); }\n").replace(COMBAT, "id: combat stated", "id: SLIP-5 stated"), "unknown-name 2.1-losses.rhai:47:5; unknown-name 2.1-losses.rhai:50:5; unknown-name combat.yaml:18:11", &["sources:", "SLPI", "SLIP"]),
    fault("ids that are no row", "check", |f| f.replace(GAME, "ids: SLIP-1-4", "ids: SLIP"), "notation game.yaml:7:83", &["SLIP"]),

    // A game beside the built-in ones

    // Nothing is overwritten
    fault("variant laid out twice", "new variant errata", unchanged, "status 2", &["errata"]),
    fault("situation laid out twice", "new scenario bridge --like bridge", unchanged, "status 2", &["bridge"]),
    fault("situation laid out like none", "new scenario ford --like brigde", unchanged, "status 2", &["brigde", "bridge"]),
    fault("name with a space", "new variant 'Our House'", unchanged, "status 2", &["Our House"]),
    fault("name that leads out of the folder", "new case ../../../1.1 --variant house", unchanged, "status 2", &["../../../1.1"]),

    // Sides
    fault("enemy in a game of three sides", "check", |f| f.replace(GAME, "sides: [Red, Blue]", "sides: [Red, Blue, Green]"), "sides 1.1-attack.rhai:30:43; sides 1.1-attack.rhai:39:17", &["enemy"]),
    fault("enemy of what is no side", "resolve bridge", |f| f.replace(ATTACK, "pieces_at(given.into, enemy(given.side))", "pieces_at(given.into, enemy(given.from))"), "unknown-name 1.1-attack.rhai:30:43", &["enemy", "0201"]),
];

/// The words that remedies begin with.
const INSTRUCTIONS: &[&str] = &[
    "add", "answer", "ask", "begin", "check", "choose", "copy", "correct", "divide", "end", "fill",
    "find", "first", "give", "go", "keep", "leave", "look", "name", "play", "put", "remove",
    "save", "say", "see", "split", "start", "stay", "take", "type", "use", "write",
];

/// Runs a command in a folder, in which it writes nothing; whatever it complains of, it says how to mend it, once.
fn complain(folder: &Folder, command: &str) -> Run {
    let before = folder.file_times();
    let args = words(command);
    let run = folder.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let output = run.terminal_output();
    assert!(
        folder.file_times() == before,
        "a file was written or touched:\n{output}"
    );
    let errors: Vec<&str> = output.split("error[").skip(1).collect();
    for error in &errors {
        let error = error.split("\nnote[").next().unwrap_or_default();
        assert_eq!(
            error.matches("= help: ").count(),
            1,
            "every complaint says how to mend it, once:\n{output}"
        );
        let remedy = error.split("= help: ").nth(1).unwrap_or_default();
        // A remedy is an instruction.
        assert!(INSTRUCTIONS.contains(&remedy.split([' ', '\n']).next().unwrap_or_default()));
        let code = error.split(']').next().unwrap_or_default();
        assert!(
            DiagnosticCode::ALL
                .iter()
                .any(|known| known.as_str() == code),
            "`casebook explain {code}` has nothing to say:\n{output}"
        );
    }
    if output.contains("error[limit]") || output.contains("error[running]") {
        // What goes wrong in a script is shown at its line.
        output.lacks(".rhai:1:1\n");
    }
    run
}

/// The words of a command; what stands between quotes is one.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('\'').enumerate();
    parts
        .flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().map(String::from).collect(),
            _ => vec![part.to_string()],
        })
        .collect()
}

/// The codes of an output with the places that they name, without folders: `label combat.yaml:9:3`. Without any, the exit status.
fn codes_and_places(run: &Run) -> String {
    let output = run.terminal_output();
    let lines: Vec<&str> = output.lines().collect();
    let mut said = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some((before, code)) = line
            .split_once("]: ")
            .and_then(|(head, _)| head.split_once('['))
        else {
            continue;
        };
        if !DiagnosticCode::ALL
            .iter()
            .any(|known| known.as_str() == code)
        {
            continue;
        }
        let place = lines.get(index + 1).copied().unwrap_or_default();
        let place = place.trim_start().trim_start_matches("--> ");
        let place = place.split(", ").next().unwrap_or_default();
        let file = place.rsplit('/').next().unwrap_or_default();
        let note = if before == "note" { "note " } else { "" };
        said.push(format!("{note}{code} {file}"));
    }
    if said.is_empty() {
        return format!("status {}", run.status.unwrap_or(-1));
    }
    let expected = i32::from(said.iter().any(|said| !said.starts_with("note ")));
    assert_eq!(run.status, Some(expected), "{output}");
    said.join("; ")
}

/// Why an output isn't what was expected; `None` if it is.
fn mismatch(run: &Run, said: &str, facts: &[&str]) -> Option<String> {
    let output = run.terminal_output();
    // Lines that quote a file hold everything that is in it.
    let quotes = |line: &&str| {
        line.split_once('|')
            .is_some_and(|(number, _)| number.trim().chars().all(|c| c.is_ascii_digit()))
    };
    let messages: Vec<&str> = output
        .lines()
        .skip(1)
        .filter(|line| !quotes(line))
        .collect();
    let messages = messages.join("\n");
    let missing: Vec<&&str> = facts
        .iter()
        .filter(|fact| !messages.contains(**fact))
        .collect();
    let found = codes_and_places(run);
    (found != said || !missing.is_empty())
        .then(|| format!("found `{found}`, without {missing:?}\n{output}"))
}

/// Compares the output of a command with what was expected.
fn assert_said(folder: &Folder, command: &str, said: &str, facts: &[&str]) {
    let wrong = mismatch(&complain(folder, command), said, facts);
    assert!(wrong.is_none(), "{}", wrong.unwrap_or_default());
}

/// Compares the whole output of a command with a snapshot.
fn assert_prose(name: &str, folder: &Folder, command: &str) {
    let output = complain(folder, command)
        .terminal_output()
        .replace(&*folder.0.to_string_lossy(), "(the test's folder)");
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => true }, { insta::assert_snapshot!(name, output) });
}

/// Tries the rows of the table that have a number in one half.
fn try_faults(half: usize) {
    let mut wrong = Vec::new();
    for fault in FAULTS.iter().skip(half).step_by(2) {
        let folder = Folder::skirmish();
        (fault.corrupt)(&folder);
        let run = complain(&folder, fault.command);
        wrong.extend(
            mismatch(&run, fault.said, fault.facts).map(|wrong| format!("{}: {wrong}", fault.name)),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn even_rows_are_reported() {
    try_faults(0);
}

#[test]
fn odd_rows_are_reported() {
    try_faults(1);
}

#[test]
fn every_code_is_in_the_table() {
    let said = FAULTS.iter().flat_map(|fault| fault.said.split("; "));
    let codes: BTreeSet<&str> = said
        .filter_map(|said| said.trim_start_matches("note ").split(' ').next())
        .collect();
    let missing: Vec<&str> = DiagnosticCode::ALL
        .iter()
        .map(|code| code.as_str())
        .filter(|code| !codes.contains(code))
        .collect();
    assert!(
        missing.is_empty(),
        "no row of the table leads to {}",
        missing.join(", ")
    );
}

// Outputs that are kept whole

/// Sides, kinds, readings and turns are known also through variables, lists and the conditions of a verb.
#[test]
fn name_that_never_comes() {
    let folder = Folder::skirmish();
    folder.replace(LOSSES, "    let order = loss_order(side, units);\n", "    let order = loss_order(side, units);\n    let read = reading(\"1.1.wagons\");\n    if read == \"stya out\" { return; }\n    let whose = units[0].side;\n    switch whose { \"Rde\" => return, _ => {} }\n    if pieces().where(#{ side: \"Bleu\" }).len() > 0 && pieces(#{ kind: \"ridder\" }).len() > 0 { return; }\n");
    assert_prose("name-that-never-comes", &folder, "check");
}

#[test]
fn two_variants_on_one_function() {
    let folder = Folder::skirmish();
    let f = &folder;
    house_rules(f).write("variants/house/rules/02-losses/2.1-losses.rhai", "//! case: \"2.1\"\n//! title: Losses at our table\n//! kind: addition\n//! text: The last loses first.\n\nfn loss_order(side, units) { prior().reverse(); prior() }\n");
    assert_prose("two-variants-on-one-function", &folder, "check");
}

#[test]
fn example_that_fails() {
    let folder = Folder::skirmish();
    folder.replace(LOSSES, "[4, 1]);", "[3, 2]);");
    assert_prose("example-that-fails", &folder, "test");
}

/// The mark stands under the fault, however many bytes the letters before it have.
#[test]
fn fault_behind_letters_of_many_bytes() {
    let folder = Folder::skirmish();
    folder.replace(
        BRIDGE,
        "Red foot, kind: footman",
        "Žižka's Häufen ⚔, kind: footmen",
    );
    assert_prose("fault-behind-letters-of-many-bytes", &folder, "check");
}

#[test]
fn several_faults_in_several_files() {
    let folder = Folder::skirmish();
    folder
        .replace(COMBAT, "\"3/0\"", "\"3\"")
        .replace(COMBAT, "kind: rule", "kind: rul")
        .replace(COMBAT, "title:", "titel:");
    folder
        .replace(BRIDGE, "kind: wagon", "kind: wagen")
        .replace(BRIDGE, "kind: rider, side: Red", "kind: rider, side: Rot")
        .replace(BRIDGE, "turn: 3", "turn: three");
    folder
        .replace(ATTACK, "may_attack(u))", "may_atack(u))")
        .replace(LOSSES, "doc: sheet", "doc: shet");
    assert_prose("several-faults-in-several-files", &folder, "check");
}

#[test]
fn script_that_never_ends() {
    let folder = Folder::skirmish();
    let f = &folder;
    loss_shares(f, "    let n = 0;\n    while true { n += 1; }\n    n");
    assert_prose("script-that-never-ends", &folder, "resolve bridge");
}

#[test]
fn choice_that_is_not_open() {
    let folder = Folder::skirmish();
    assert_prose(
        "choice-that-is-not-open",
        &folder,
        "resolve bridge --choose 'Red: first to lose=Red wagons'",
    );
}

#[test]
fn strict_refuses_what_is_reconstructed() {
    let folder = Folder::skirmish();
    folder.replace(BRIDGE, "value: \"4-2\"", "value: \"9-2\"");
    assert_prose(
        "strict-refuses-what-is-reconstructed",
        &folder,
        "resolve bridge --strict --dice 6",
    );
}

#[test]
fn refused_by_a_case() {
    let folder = Folder::skirmish();
    folder.replace(BRIDGE, "into: \"0202\"", "into: \"0205\"");
    assert_prose("refused-by-a-case", &folder, "resolve bridge");
}

#[test]
fn command_unknown() {
    let folder = Folder::skirmish();
    assert_prose("command-unknown", &folder, "reslove bridge");
}

// What a row of the table can't say

/// The shipped charts say what their cells hold, and the games declare what is given and handed on.
#[test]
fn the_shipped_games_declare_what_can_be_checked() {
    let library = built_in();
    let charts = library
        .files
        .by_key
        .values()
        .filter(|file| file.key.contains("tables/") && file.text.contains("\ncells:"));
    let undeclared: Vec<&str> = charts
        .filter(|file| !file.text.contains("\nholds:"))
        .map(|file| &*file.key)
        .collect();
    assert!(
        undeclared.is_empty(),
        "these charts do not say what their cells hold: {}",
        undeclared.join(", ")
    );
    for game in library.games.values() {
        let prefix = format!("rules/{}/", game.name);
        let cards =
            library.files.by_key.values().filter(|file| {
                file.key.starts_with(&prefix) && file.text.contains("\n//! given:\n")
            });
        assert!(
            cards.count() > 10,
            "{} declares what its procedures are given",
            game.name
        );
        assert!(
            !game.attribute_references.is_empty(),
            "{} says which attributes name something",
            game.name
        );
    }
}

#[test]
fn the_made_up_game_has_no_fault() {
    let folder = Folder::skirmish();
    assert_eq!(folder.out("check"), "0 complaints\n");
    assert_eq!(folder.out("test"), "4 examples hold, 0 fail\n");
}

#[test]
fn variants_that_exclude_each_other() {
    let folder = Folder::skirmish();
    house_rules(&folder).append("variants/house/variant.yaml", "excludes: [errata]\n");
    let text = "table: combat\ntitle: Combat at our table\nkind: revision\nchanges:\n  - { column: \"1:1\", row: 1, was: \"2/0\", now: \"2/2\" }\n";
    folder.write("variants/house/tables/combat.yaml", text);
    assert_eq!(
        folder.out("check"),
        "0 complaints\n",
        "rivals live in one folder"
    );
    assert_said(
        &folder,
        "resolve bridge --with errata,house",
        "order variant.yaml:4:12",
        &["house or errata"],
    );
}

#[test]
fn two_variants_that_agree_are_no_conflict() {
    let folder = Folder::skirmish();
    house_rules(&folder).write(
        "variants/house/tables/combat.yaml",
        "table: combat\ntitle: Combat\nkind: correction\nchanges:\n  - { column: \"1:1\", row: 1, was: \"2/0\", now: \"2/1\" }\n",
    );
    let run = folder.ok("check");
    run.out.holds("incorporated");
    run.out.lacks("error");
}

/// A long line does not bury the message, and the column is still that of the fault.
#[test]
fn fault_far_out_on_a_line() {
    let folder = Folder::skirmish();
    folder.replace(
        BRIDGE,
        "  - { name: Red foot, kind: footman",
        &format!(
            "  - {{ name: Red foot, note: \"{}\", kind: footmen",
            "so it was. ".repeat(40)
        ),
    );
    let run = folder.run("check");
    run.out.holds("bridge.yaml:10:479");
    assert_prose("fault-far-out-on-a-line", &folder, "check");
}

/// The number of closures of a function is limited, that of functions in a file is not. `check` and `test` report the same.
#[test]
fn script_with_more_closures_than_a_function_may_have() {
    let part = |number: usize| format!("    n += [1].where(|unit| unit > {number}).len();\n");
    let body = |count: usize| (0..count).map(part).collect::<String>();
    let folder = Folder::skirmish();
    for number in 0..3 {
        folder.append(
            LOSSES,
            &format!(
                "\nprivate fn count_{number}(of) {{\n    let n = of;\n{}    n\n}}\n",
                body(100)
            ),
        );
    }
    assert!(folder.out("check").starts_with("0 complaints"));
    folder.append(
        LOSSES,
        &format!(
            "\nprivate fn count(of) {{\n    let n = of;\n{}    n\n}}\n",
            body(257)
        ),
    );
    folder.append(
        LOSSES,
        "\n/// ours\nfn example_count() { expect(count(1), 258); }\n",
    );
    assert_said(
        &folder,
        "check",
        "limit 2.1-losses.rhai:359:12",
        &["count", "256"],
    );
    assert_said(
        &folder,
        "test 2.1",
        "limit 2.1-losses.rhai:359:12",
        &["count", "256"],
    );
}

/// An answer to a question that was not asked is noted: dice decide what is asked, so it is no fault.
#[test]
fn choice_that_nobody_has() {
    let run = Folder::skirmish().ok("resolve bridge --choose 'Red: frist to lose=Red foot'");
    format!("{}{}", run.out, run.err).holds("frist to lose");
}

/// All of them, not the first.
#[test]
fn strict_lists_every_figure_it_refuses() {
    let folder = Folder::skirmish();
    folder.replace(
        BRIDGE,
        "status: printed",
        "status: reconstructed\nmethod: guessed",
    );
    let run = folder.run("resolve bridge --strict");
    run.ends(1);
    for piece in ["Red foot", "Red riders", "Blue foot", "Blue riders"] {
        run.err
            .holds(format!("{piece}: the figure `strength` is reconstructed"));
    }
    for odds in [
        &["odds", "bridge", "--strict"][..],
        &["odds", "bridge", "--by", "1.1", "--strict"],
    ] {
        let refused = folder.run(odds);
        assert!(refused.err == run.err, "{}", refused.terminal_output());
        refused.ends(1);
    }
}

/// An answer of the situation to a misspelt question is noted.
#[test]
fn an_answer_to_a_misspelt_question() {
    let folder = Folder::skirmish();
    folder.replace(
        BRIDGE,
        "choices: { ",
        "choices: { \"Red: frist to lose\": Red foot, ",
    );
    let run = folder.ok("check");
    run.out
        .holds("`Red: frist to lose` is not asked here; did you mean `Red: first to lose`?");
}

/// A figure is shown where its piece is listed, not where a note speaks of it.
#[test]
fn a_doubtful_figure_is_shown_at_its_piece() {
    let folder = Folder::skirmish();
    folder.replace(
        BRIDGE,
        "status: printed",
        "status: reconstructed\nmethod: Red foot by guess",
    );
    let run = folder.run("resolve bridge --strict");
    run.err.holds("name: Red foot");
    run.err.lacks("method: Red foot");
}

/// A case that can't be read gives one complaint, and none about the functions that others miss.
#[test]
fn a_case_that_is_not_read_leads_to_no_other_complaint() {
    let corruptions: [fn(&str) -> String; 3] = [
        |text| format!("{text}\0"),
        |text| text.replacen("//! case: \"2.1\"", "//! case: [\"2.1\"", 1),
        |text| text.replacen("fn loss_shares(", "fn loss_shares((", 1),
    ];
    for corrupt in corruptions {
        let folder = Folder::skirmish();
        folder.write(LOSSES, corrupt(&folder.read(LOSSES)));
        let run = folder.run("check --format json");
        let json = run.json();
        let complaints = json["complaints"].as_array().expect("a list");
        let errors: Vec<_> = complaints
            .iter()
            .filter(|c| c["level"] == "error" || c["note"] == false)
            .collect();
        assert!(
            complaints.len() == 1,
            "{errors:?}\n{}",
            run.terminal_output()
        );
    }
}

/// Accepted complaints are listed with their reason; an entry without a match is noted, one without a reason is ignored.
#[test]
fn complaints_can_be_accepted() {
    let folder = Folder::skirmish();
    folder.replace(BRIDGE, "kind: wagon", "kind: waggon");
    let entry = "- { code: unknown-name, path: scenarios/skirmish/bridge.yaml, what: waggon, why: as the sheet spells it }\n";
    folder.write("accepted.yaml", entry);
    let run = folder.ok("check");
    run.out.holds("1 more accepted");
    run.out.lacks("waggon");
    folder.write(
        "accepted.yaml",
        entry.replace(", why: as the sheet spells it", ""),
    );
    let run = folder.run("check");
    run.ends(1);
    run.out.holds("waggon");
    run.out.holds("`why:` is missing");
    folder
        .write("accepted.yaml", entry)
        .replace(BRIDGE, "kind: waggon", "kind: wagon");
    let run = folder.ok("check");
    run.out.holds("note[accepted]");
}

/// An arm of a `switch` has to be a possible value.
#[test]
fn arm_of_a_switch_that_can_never_be() {
    let folder = Folder::skirmish();
    let arms = "fn may_attack(unit) {\n    let by_ground = switch place(unit.at).ground { \"wod\" => false, _ => true };\n    let read = switch reading(\"wagons\") { \"hlp\" => true, _ => false };\n    let kind = switch unit.kind { \"wagn\" => false, _ => true };\n";
    folder.replace(ATTACK, "fn may_attack(unit) {\n", arms);
    let run = folder.run("check");
    for (word, near) in [("wod", "wood"), ("hlp", "help"), ("wagn", "wagon")] {
        run.out.holds(format!("`{word}`; did you mean `{near}`?"));
    }
    run.out.holds("likely, not certain: ");
}

/// `check` resolves situations, and reports a fault with the ruleset under which it happens.
#[test]
fn situations_are_carried_out() {
    let folder = Folder::skirmish();
    folder.replace(
        SLIP,
        "let order = prior();",
        "let order = prior();\n    let last = order[99];",
    );
    let run = folder.run("check");
    run.ends(1);
    run.out.holds("carried out under");
    run.out.holds("errata");
}

/// No complaint uses words of the engine or its libraries.
#[test]
fn messages_are_in_the_authors_words() {
    const FOREIGN: &[&str] = &[
        "i64",
        "ImmutableString",
        "Dynamic",
        "is not registered",
        "Rhai function",
        "Option",
        "None",
        "Some(",
        "usize",
        "&str",
        "unwrap",
        "serde",
        "saphyr",
        "DuplicateKey",
        "panicked",
        "AST",
        "FnPtr",
        "ErrorMismatch",
        "expected `",
        "(expression)",
    ];
    let faults: &[(&str, &str, &str)] = &[
        (ATTACK, "unit.strength > 0", "unit.strength > \"x\""),
        (ATTACK, "unit.strength > 0", "unit.strength + #{} > 0"),
        (
            ATTACK,
            "total(attackers, \"strength\")",
            "total(7, \"strength\")",
        ),
        (
            ATTACK,
            "total(attackers, \"strength\")",
            "total(attackers, 7)",
        ),
        (ATTACK, "roll(\"1d6\", \"attack\")", "roll(6, \"attack\")"),
        (ATTACK, "roll(\"1d6\", \"attack\")", "roll(\"1d6\").len"),
        (
            ATTACK,
            "table(\"combat\", against, die)",
            "table(\"combat\", die, against)",
        ),
        (
            ATTACK,
            "table(\"combat\", against, die)",
            "table(\"combat\", (), [die])",
        ),
        (
            ATTACK,
            "losses\", lost.attacker);",
            "losses\", lost.attacker.len());",
        ),
        (ATTACK, "losses\", lost.attacker);", "losses\", lost[7]);"),
        (ATTACK, "step(\"Attack\");", "step(7);"),
        (ATTACK, "step(\"Attack\");", "let x = [1, 2][9];"),
        (ATTACK, "step(\"Attack\");", "let x = 1 / 0;"),
        (
            ATTACK,
            "step(\"Attack\");",
            "let x = 9223372036854775807 + 1;",
        ),
        (ATTACK, "step(\"Attack\");", "let x = (|a| a).call(1, 2);"),
        (ATTACK, "step(\"Attack\");", "let x = \"a\" - 1;"),
        (ATTACK, "step(\"Attack\");", "let x = \"1.5\".parse_int();"),
        (ATTACK, "step(\"Attack\");", "let x = no_one(1);"),
        (ATTACK, "step(\"Attack\");", "let x = y;"),
        (ATTACK, "step(\"Attack\");", "let x = ;"),
        (ATTACK, "step(\"Attack\");", "for i in 7 { }"),
        (ATTACK, "step(\"Attack\");", "if 7 { }"),
        (ATTACK, "step(\"Attack\");", "set(7, \"speed\", 1);"),
        (
            ATTACK,
            "step(\"Attack\");",
            "set(attackers, \"speed\", \"fast\");",
        ),
        (
            ATTACK,
            "step(\"Attack\");",
            "move_piece(\"nobody\", \"0101\");",
        ),
        (ATTACK, "step(\"Attack\");", "choose(1, 2, 3);"),
        (
            BRIDGE,
            "value: \"3-2\", at: \"0202\"",
            "value: \"3-2\", at: [0202]",
        ),
        (BRIDGE, "value: \"4-2\"", "value: { a: 1 }"),
        (BRIDGE, "tracks: { turn: 3 }", "tracks: [turn]"),
        (BRIDGE, "tracks: { turn: 3 }", "tracks: { turn: !!float 3 }"),
        (
            BRIDGE,
            "tracks: { turn: 3 }",
            "tracks: { turn: 3, turn: 4 }",
        ),
        (BRIDGE, "given: {", "given: [{"),
        (COMBAT, "cells:", "cells: 7\nceils:"),
        (GAME, "sides: [Red, Blue]", "sides: Red"),
    ];
    let mut jargon = Vec::new();
    for (path, was, now) in faults {
        let folder = Folder::skirmish();
        folder.replace(path, was, now);
        for args in [&["check"][..], &["resolve", "bridge"]] {
            let run = folder.run(args);
            // Lines that quote the author's text are left out.
            let messages: String = run
                .terminal_output()
                .lines()
                .filter(|line| !line.contains(" | ") && !line.contains("-->"))
                .map(|l| format!("{l}\n"))
                .collect();
            jargon.extend(
                FOREIGN
                    .iter()
                    .filter(|word| messages.contains(**word))
                    .map(|word| format!("{now}: `{word}` in\n{messages}")),
            );
        }
    }
    assert!(jargon.is_empty(), "{}", jargon.join("\n\n"));
}

/// The real rules: units may combine against one hex, not two (8.21).
#[test]
fn attack_on_two_hexes_at_once() {
    let folder = Folder::empty();
    let text = "\
situation: two-targets
title: Lee attacks two hexes at once
source: { doc: wbts2-combat, at: Ground Combat }
procedure: ground combat
tracks: { cycle: \"6/62\" }
pieces:
  - { name: Lee, kind: leader, side: Confederate, at: C2516 }
  - { name: Porter's division, kind: infantry, side: Union, value: \"8-3\", at: C2515 }
  - { name: Franklin's division, kind: infantry, side: Union, value: \"8-3\", at: C2616 }
given: { target: [C2515, C2616], attackers: [Lee] }
";
    folder.write("scenarios/wbts/two-targets.yaml", text);
    assert_prose(
        "attack-on-two-hexes-at-once",
        &folder,
        "resolve two-targets",
    );
    let refused = &folder.run("resolve two-targets --format json").json()["refused"];
    // The case that forbids it is named.
    refused["cites"].to_string().holds("8.21");
}

#[test]
fn journal_whose_rules_have_changed() {
    let folder = Folder::skirmish();
    folder.ok("resolve bridge --save journal.yaml");
    folder.replace(COMBAT, "\"2/0\", \"1/0\"]", "\"2/2\", \"1/0\"]");
    assert_prose(
        "journal-whose-rules-have-changed",
        &folder,
        "replay journal.yaml",
    );
}

/// An answer that is sometimes open is accepted.
#[test]
fn an_answer_that_is_open_is_none() {
    let folder = Folder::skirmish();
    folder.replace(
        BRIDGE,
        "riders }\nstatus",
        "riders, \"Red: first to lose\": Red riders }\nstatus",
    );
    assert_eq!(folder.out("check"), "0 complaints\n");
}

/// A game in the folder does not hide built-in games that the folder amends.
#[test]
fn a_situation_of_a_built_in_game_beside_a_game_of_ones_own() {
    let folder = Folder::skirmish();
    let open = || casebook::open(&folder.0).expect("a library");
    assert_eq!(open().games.keys().collect::<Vec<_>>(), ["skirmish"]);
    folder.write(
        "scenarios/wbts/mine.yaml",
        "situation: mine\ntitle: mine\nprocedure: battle\n",
    );
    let library = open();
    assert!(library.games.contains_key("skirmish") && library.games.contains_key("wbts"));
    assert!(
        library.complaints.0.is_empty(),
        "{}",
        library.complaints.render(false)
    );
}

// Complaints without a snapshot: where they point, and how often

/// What `check` prints of the small game with a change.
fn checked(corrupt: impl FnOnce(&Folder) -> &Folder) -> String {
    let folder = Folder::skirmish();
    corrupt(&folder);
    folder.run("check").terminal_output()
}

#[test]
fn the_key_of_a_list_is_missing() {
    for indent in ["  ", ""] {
        let list = format!(
            "table: combat\ntitle: Combat\nkind: correction\n{indent}- {{ column: \"1:1\", row: 1, was: \"2/0\", now: \"1/0\" }}\n"
        );
        let output = checked(|f| f.write(SLIP_TABLE, &list));
        let expected = [
            "combat.yaml:4:",
            "the key of the list is missing",
            "such as `changes:`",
        ];
        assert!(
            expected.iter().all(|text| output.contains(text)) && !output.contains("not YAML"),
            "{output}"
        );
    }
}

#[test]
fn a_headline_is_reported_at_the_entry_that_is_wrong() {
    let headline = "//! procedure: attack\n//! headline:\n//!   hurt: mean attacker losses\n//!   lost: mean defender loses\n//! good_for:\n//!   attacker losses: Blue\n//!   defender loses: Red";
    let output = checked(|f| f.replace(ATTACK, "//! procedure: attack", headline));
    for line in [8, 11] {
        output.holds(format!("1.1-attack.rhai:{line}:"));
    }
    output.lacks("1.1-attack.rhai:7:");
    output.lacks("1.1-attack.rhai:10:");
}

#[test]
fn an_option_that_is_off_by_default_is_checked() {
    let output = checked(|f| {
        f.replace(
            "variants/winter/variant.yaml",
            "default: on",
            "default: off",
        );
        f.replace(WEATHER, "    prior();\n", "")
    });
    output.holds("error[prior]");
    output.holds("3.0-weather.rhai");
}

#[test]
fn one_syntax_error_is_printed_once() {
    let folder = Folder::skirmish();
    folder.replace(
        ATTACK,
        "fn attack_odds(attackers, defenders) {",
        "fn attack_odds(attackers, defenders) { let x = ;",
    );
    for args in [&["check"][..], &["test"], &["resolve", "bridge"]] {
        let output = folder.run(args).terminal_output();
        assert_eq!(
            output.matches("this is not Rhai").count(),
            1,
            "{args:?}: {output}"
        );
    }
    folder
        .run("test")
        .out
        .holds("as above: error[script] in rules/skirmish/01-battle/1.1-attack.rhai:");
}

/// A folder that is named with its path is that folder, not those whose names begin alike.
#[test]
fn the_tests_of_one_variant_are_run() {
    let folder = Folder::skirmish();
    for (name, number) in [("audit", "7.1"), ("audit-two", "7.2")] {
        folder.write(
            &format!("variants/{name}/variant.yaml"),
            format!("variant: {name}\ntitle: Audit\ngame: skirmish\n"),
        );
        let case = format!(
            "//! case: \"{number}\"\n//! title: One\n//! kind: new case\n//! text: >\n//!   One.\n\n/// {number} ours\nfn example_one() {{\n    expect(abs(-1), 1);\n}}\n"
        );
        folder.write(
            &format!("variants/{name}/rules/07-audit/{number}-one.rhai"),
            case,
        );
    }
    let names = |path: &str| folder.run(&["test", path, "--verbose"]).out;
    names("variants/audit").holds("7.1 ours");
    names("variants/audit").lacks("7.2 ours");
    names("variants/audit/").holds("7.1 ours");
    names("variants/audit-two").holds("7.2 ours");
    // A part of a name selects both.
    names("audit").holds("7.1 ours");
    names("audit").holds("7.2 ours");
}
