//! The mistakes of beginners in a house rule.

/// The manifest of the variant.
pub const MANIFEST: &str = "variants/mine/variant.yaml";
/// A case of it.
pub const CASE: &str = "variants/mine/rules/02-losses/2.1-losses.rhai";
/// A table of it.
pub const TABLE: &str = "variants/mine/tables/combat.yaml";

/// A mistake, and what is said of it.
pub struct Mistake {
    /// Its name.
    pub name: &'static str,
    /// The file.
    pub path: &'static str,
    /// The text in it.
    pub text: String,
    /// The line of the message; 0 where it is not the same for all.
    pub line: usize,
    /// What it says.
    pub what: &'static str,
    /// How it mends that.
    pub help: &'static str,
}

/// The manifest of the variant, without a fault.
pub fn manifest() -> String {
    "variant: mine\ntitle: Mine\ngame: skirmish\nafter: [errata, winter]\n".into()
}

/// A case of five lines of card, whose function has this body.
fn case(body: &str) -> String {
    format!(
        "//! case: \"2.1\"\n//! title: Losses\n//! kind: addition\n//! status: house\n\nfn loss_order(side, units) {{\n{body}\n}}\n"
    )
}

fn table(change: &str) -> String {
    format!("table: combat\ntitle: Mine\nkind: revision\nstatus: house\nchanges:\n{change}\n")
}

/// The mistakes.
pub fn mistakes() -> Vec<Mistake> {
    let order = |rest: &str| case(&format!("    let order = prior();\n{rest}"));
    let change = "  - { column: \"1:1\", row: 6, was: \"0/3\", now: \"0/9\" }";
    let mistakes: Vec<(&str, &str, String, usize, &str, &str)> = vec![
        ("a comma is missing", CASE, order("    [order[0] order[1]]"), 8, "a comma is missing before `order[1]]`", "write `[order[0], order[1]]`"),
        ("a comma is missing at the end of a line", CASE, case("    switch side {\n        \"Red\" => prior()\n        _ => [],\n    }"), 9, "the line above has no comma at its end", "write `\"Red\" => prior(),`"),
        ("= for ==", CASE, case("    if side = \"Red\" { return []; }\n    prior()"), 7, "`==` asks whether two are equal", "write `if side == \"Red\" { return []; }`"),
        ("a semicolon is missing", CASE, case("    let order = prior()\n    order"), 8, "the line above has no semicolon at its end", "write `let order = prior();`"),
        ("a brace is missing", CASE, case("    if side == \"Red\" { prior()"), 0, "the `{` in line 7 is not closed", "write `if side == \"Red\" { prior() }`"),
        ("a bracket is missing", CASE, case("    prior("), 8, "the `(` in line 7 is not closed", "write `prior()`"),
        ("a block is not closed", CASE, case("    if side == \"Red\" {\n        return [];\n    prior()"), 0, "the `{` in line 7 is not closed", "write `}` in a line of its own behind line 8"),
        ("a function is not closed", CASE, case("    let x = 3;\n    prior()\n\n/// The shares.\nfn loss_shares(points, strengths) {\n    prior()"), 0, "the `{` in line 6 is not closed", "write `}` in a line of its own behind line 8"),
        ("a list is not closed before a comment", CASE, case("    let first = [units[0] // the first\n    prior()"), 8, "the `[` in line 7 is not closed", "write `let first = [units[0]]; // the first`"),
        ("a semicolon is missing before comments", CASE, case("    let size = 3 // of \"them\"\n    // and so on\n    prior()"), 9, "line 7 has no semicolon at its end", "write `let size = 3; // of \"them\"`"),
        ("dice without quotes", CASE, case("    let die = roll(1d6, \"losses\");\n    prior()"), 7, "dice stand in quotation marks: \"1d6\"", "write `let die = roll(\"1d6\", \"losses\");`"),
        ("a quote is missing between texts", CASE, case("    let die = roll(\"1d6, \"losses\");\n    prior()"), 7, "a quotation mark is missing in this line", "write `let die = roll(\"1d6\", \"losses\");`"),
        ("throw for roll", CASE, case("    let die = throw(\"1d6\", \"losses\");\n    prior()"), 7, "they have `roll`", "write `let die = roll(\"1d6\", \"losses\");`"),
        ("a number in quotes", CASE, case("    if units[0].strength > \"3\" { return []; }\n    prior()"), 7, "a number is compared with a text", "write `3` without quotation marks"),
        ("no space behind a colon", MANIFEST, manifest().replace("game: ", "game:"), 3, "the colon behind this key has no space after it", "write `game: skirmish`"),
        ("typographic quotes", CASE, case("    if side == “Red” { return []; }\n    prior()"), 7, "`“` is a quotation mark of a word processor", "write `if side == \"Red\" { return []; }`"),
        ("a quote is not closed", CASE, case("    if side == \"Red { return []; }\n    prior()"), 7, "this quotation mark is not closed", "write `if side == \"Red\" { return []; }`"),
        ("a misspelt verb", CASE, case("    prior().wehre(|u| u.strength > 1)"), 7, "there is no function `wehre`; did you mean `where`?", "name a verb"),
        ("a misspelt variable", CASE, order("    ordr"), 8, "nothing is called `ordr` here; did you mean `order`?", "write `order`"),
        ("a misspelt figure", CASE, case("    prior().where(|u| u.strenght > 1)"), 7, "has a `strenght`; did you mean `strength`?", "correct the name"),
        ("and for &&", CASE, case("    if side == \"Red\" and units.len() > 1 { return []; }\n    prior()"), 7, "`and` is not a word of scripts: they have `&&`", "write `if side == \"Red\" && units.len() > 1 { return []; }`"),
        ("elseif", CASE, case("    if side == \"Red\" { prior() } elseif side == \"Blue\" { [] } else { [] }"), 7, "they have `else if`", "} else if side =="),
        ("def", CASE, case("    prior()").replace("fn loss_order(side, units) {", "def loss_order(side, units):"), 6, "they have `fn`", "write `fn loss_order(side, units) {`"),
        ("function", CASE, case("    prior()").replace("fn loss_order(side, units) {", "function loss_order(side, units) {"), 6, "they have `fn`", "write `fn loss_order(side, units) {`"),
        ("===", CASE, case("    if side === \"Red\" { return []; }\n    prior()"), 7, "they have `==`", "write `if side == \"Red\" { return []; }`"),
        ("a map of JavaScript", CASE, order("    let m = { a: 1 };\n    order"), 8, "they have `#{ ... }` for a map", "write `let m = #{ a: 1 };`"),
        ("an arrow", CASE, case("    prior().where(u => u.strength > 1)"), 7, "they have `|x| ...` for a closure", "write `prior().where(|u| u.strength > 1)`"),
        ("a question mark", CASE, order("    let n = order.len() > 1 ? 2 : 1;\n    order"), 8, "they have `if ... { ... } else { ... }` as a value", "write it with `if ... { ... } else { ... }` as a value"),
        ("++", CASE, order("    let i = 0; i++;\n    order"), 8, "they have `+= 1`", "write `let i = 0; i += 1;`"),
        ("a counting loop", CASE, order("    for (let i = 0; i < order.len(); i++) { say(\"x\"); }\n    order"), 8, "they have `for i in 0..n`", "write it with `for i in 0..n`"),
        ("single quotes", CASE, case("    if side == 'Red' { return []; }\n    prior()"), 7, "they have quotation marks", "write `if side == \"Red\" { return []; }`"),
        ("var", CASE, order("    var n = 3;\n    order"), 8, "they have `let`", "write `let n = 3;`"),
        ("Math.floor", CASE, order("    let n = Math.floor(order.len() / 2);\n    order"), 8, "they have `/`, which rounds down", "write `let n = (order.len() / 2);`"),
        ("includes", CASE, case("    if units.includes(side) { return []; }\n    prior()"), 7, "the verb `includes` is called `contains`", "write `list.contains(value)`"),
        ("forEach", CASE, case("    units.forEach(|u| u);\n    prior()"), 7, "the verb `forEach` is called `for`", "write `for unit in list { ... }`"),
        ("null", CASE, case("    if units == null { return []; }\n    prior()"), 7, "they have `()`", "write `if units == () { return []; }`"),
        ("a fraction", CASE, case("    units.len() * 0.5;\n    prior()"), 7, "there are no fractions here: 0.5", "use whole numbers"),
        ("a misspelt function", CASE, case("    prior()").replace("fn loss_order", "fn loss_ordre"), 7, "no older layer answers `loss_ordre`; did you mean `loss_order`?", "write the function as the older layer has it"),
        ("another number of values", CASE, case("    prior()").replace("(side, units)", "(units)"), 7, "the older one has 2", "write the function as the older layer has it"),
        ("an addition that replaces", CASE, case("    units"), 6, "without asking `prior()`", "or write `kind: correction`"),
        ("a wrong case number", "variants/mine/rules/02-losses/2.9-losses.rhai", case("    prior()").replace("\"2.1\"", "\"2.9\""), 3, "amends case 2.9, which the layers below do not have; did you mean `2.1`?", "correct the number"),
        ("another number in the card", CASE, case("    prior()").replace("\"2.1\"", "\"2.2\""), 1, "the file is called `2.1`, the case `2.2`", "write `case: \"2.1\"`"),
        ("an unknown kind", CASE, case("    prior()").replace("addition", "adition"), 3, "did you mean `addition`?", "write one of: rule"),
        ("a tab in the card", CASE, case("    prior()").replace("//! title", "//! \ttitle"), 2, "this is a tab, and YAML takes spaces only", "write `//!   title: Losses`"),
        ("a misspelt key of the card", CASE, case("    prior()").replace("title:", "titel:"), 2, "did you mean `title`?", "use one of these keys"),
        ("a figure set in a case", CASE, case("    units[0].strength = 0;\n    prior()"), 7, "figures of the situation are not written like this", "a procedure sets them"),
        ("was that does not match", TABLE, table(&change.replace("0/3", "0/4")), 6, "`was: 0/4` does not match: the layer below has 0/3", "write `was: \"0/3\"`"),
        ("no was", TABLE, table(&change.replace("was: \"0/3\", ", "")), 6, "`was:` is missing", "add a line `was: ...`"),
        ("an unknown column", TABLE, table(&change.replace("1:1", "3:1")), 6, "the table has no column `3:1`", "write one of its labels: 1:2, 1:1, 2:1"),
        ("a value that can't be", TABLE, table(&change.replace("0/9", "0/99")), 6, "`99` is not allowed for defender", "a number 0-9"),
        ("one part of two", TABLE, table(&change.replace("\"0/9\"", "9")), 6, "`9` has 1 part; a cell of this table has 2", "write the parts with / between them"),
        ("a tab in a table", TABLE, table(&change.replacen("  -", "\t-", 1)), 6, "this is a tab", "write `  - { column: \"1:1\""),
        ("a colon is missing", TABLE, table(&change.replace("column: ", "column ")), 6, "a colon is missing behind `column`", "write `column: \"1:1\"`"),
        ("a brace of YAML is missing", TABLE, table(change.trim_end_matches(" }")), 6, "the `{` here is not closed", "now: \"0/9\" }`"),
        ("a brace in a line above", TABLE, table(change).replace("status: house\n", "source: { doc: slip\n"), 4, "the `{` here is not closed", "write `source: { doc: slip }`"),
        ("a bracket in a line above", TABLE, table(change).replace("status: house\n", "marks: [a, b\n"), 4, "the `[` here is not closed", "write `marks: [a, b]`"),
        ("a quote in a line above", TABLE, table(change).replace("status: house\n", "note: \"it's\n"), 4, "this quotation mark is not closed", "write `note: \"it's\"`"),
        ("a key without its colon", TABLE, table(change).replace("changes:", "changes"), 5, "this key has no colon after it", "write `changes:`"),
        ("a misspelt table", "variants/mine/tables/combta.yaml", table(change).replace("combat", "combta"), 3, "amends table combta, which the layers below do not have; did you mean `combat`?", "correct the name"),
        ("a row too short", TABLE, "table: combat\ntitle: Mine\nkind: revision\nstatus: house\ncolumns: { of: odds, labels: [\"1:2\", \"1:1\", \"2:1\"] }\nrows: { of: die, labels: [a, b] }\nfields: [attacker, defender]\nholds: \"0-9\"\ncells:\n  a: [\"3/0\", \"2/0\"]\n  b: [\"2/0\", \"1/0\", \"1/1\"]\n".into(), 10, "this row has 2 cells, but the table has 3 columns", "write one cell for each column"),
        ("a game that is not there", MANIFEST, manifest().replace("skirmish", "skirmsh"), 3, "did you mean `skirmish`?", "name a game"),
        ("a variant that is not there", MANIFEST, manifest().replace("errata", "eratta"), 4, "did you mean `errata`?", "name a variant"),
    ];
    mistakes
        .into_iter()
        .map(|(name, path, text, line, what, help)| Mistake {
            name,
            path,
            text,
            line,
            what,
            help,
        })
        .collect()
}
