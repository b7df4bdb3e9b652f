//! A fault caused by `()` names the value that was `()`.

use crate::common::limited::fault;
use casebook::situation::policy::Policies;

/// The lines fail because of a `()`, and the advice names it; without a name it gives the usual advice alone.
#[test]
fn what_is_nothing_is_named() {
    let given =
        "`units` is nothing: this situation doesn't give it; `attack` takes it under `given:`; ";
    let helper =
        "\nprivate fn no_one(n) { if n > 5 { return 7; } }\nprivate fn more(n) { n + 1 }\n";
    let rows = [
        ("let n = given.units.len();", given),
        ("for unit in given.units { }", given),
        (
            "let units = given.units; units + 1;",
            "`units` is () here; ",
        ),
        ("more(given.units);", "`n` is () here; "),
        ("let n = no_one(3); n + 1;", "`n` is () here; "),
        ("no_one(3) + 1;", "`no_one(...)` is () here; "),
        ("let map = #{ one: 1 }; map.two * 3;", "`two` is () here; "),
        (
            "piece(\"Red foot\").under.strength;",
            "`under` is () here; ",
        ),
        ("for n in [1, ()] { n + 1; }", "`n` is () here; "),
        ("[1, 2].map(|n| n + given.units);", given),
        ("(if given.from == \"0101\" { 1 }) + 1;", ""),
    ];
    for (lines, name) in rows {
        let complaint = fault(&format!("    {lines}"), helper, Policies::default());
        assert!(
            complaint.place.span.is_some_and(|span| span.line > 1),
            "{complaint:?}"
        );
        let help = format!("{name}check the value here: a figure that was not given reads as ()");
        assert_eq!(complaint.help, help, "{lines}");
    }
}
