//! One geometry: `adjacent`, `neighbours`, `distance` and searches agree on every pair of places, on whatever sheets of the map they lie, and
//! a place that several sheets print is one place under all its labels.

use crate::common::{Folder, Items, Says};
use std::collections::{BTreeMap, BTreeSet};

/// Three sheets that overlap and touch, each with how its columns, odd rows and even rows are shifted on the common grid, and how many of both
/// it has. The odd columns of the last are even ones of the grid.
const SHEETS: [(char, [i64; 3], [i64; 2]); 3] = [
    ('A', [0, -3, -3], [5, 5]),
    ('B', [0, 0, 0], [5, 4]),
    ('C', [3, -2, -1], [4, 6]),
];

/// A place by what tells it from others: its column, and twice the height of its middle.
type Middle = (i64, i64);

/// The middle of each label, found from nothing but the shifts of the sheets.
fn middles() -> BTreeMap<String, Middle> {
    let mut middles = BTreeMap::new();
    for (sheet, [right, odd, even], [columns, rows]) in SHEETS {
        for (column, row) in
            (1..=columns).flat_map(|column| (1..=rows).map(move |row| (column, row)))
        {
            let (x, y) = (
                column + right,
                row + if column % 2 == 0 { even } else { odd },
            );
            let lower = i64::from(x.rem_euclid(2) == 0);
            middles.insert(format!("{sheet}{column:02}{row:02}"), (x, 2 * y + lower));
        }
    }
    middles
}

/// The middles of the six hexes around one.
fn around((x, y): Middle) -> [Middle; 6] {
    [
        (x, y - 2),
        (x, y + 2),
        (x - 1, y - 1),
        (x - 1, y + 1),
        (x + 1, y - 1),
        (x + 1, y + 1),
    ]
}

/// The cheapest way from a place to all others, one place after another, each for what `price` says.
fn cheapest(
    from: Middle,
    open: &dyn Fn(&Middle) -> bool,
    price: &dyn Fn(&Middle) -> i64,
) -> BTreeMap<Middle, i64> {
    let (mut found, mut edge) = (BTreeMap::new(), BTreeSet::from([(0, from)]));
    while let Some((cost, at)) = edge.pop_first() {
        if found.contains_key(&at) {
            continue;
        }
        found.insert(at, cost);
        edge.extend(
            around(at)
                .into_iter()
                .filter(open)
                .map(|to| (cost + price(&to), to)),
        );
    }
    found
}

/// What it costs to go to a place, from its name.
fn price(name: &str) -> i64 {
    name[1..].parse::<i64>().expect("four digits") % 3 + 1
}

/// The small game on these sheets, with a procedure whose script is given.
fn folder(script: &str, given: &str, pieces: &str) -> Folder {
    let folder = Folder::skirmish();
    let sheets = SHEETS.map(|(sheet, [right, odd, even], [columns, rows])| {
        format!("{sheet}: {{ dx: {right}, odd: {odd}, even: {even}, columns: 1-{columns}, rows: 1-{rows} }}")
    });
    folder.replace(
        "rules/skirmish/game.yaml",
        r#"sheets: { "": { columns: "1-8", rows: "1-8" } }"#,
        &format!("sheets: {{ {} }}", sheets.join(", ")),
    );
    folder.replace(
        "rules/skirmish/game.yaml",
        "procedures:\n",
        "procedures:\n  survey: The map is looked at.\n",
    );
    folder.write("rules/skirmish/01-battle/1.2-survey.rhai", format!(
        "//! case: \"1.2\"\n//! title: Survey\n//! kind: rule\n//! source: {{ doc: sheet, at: \"1.2\" }}\n//! procedure: survey\n//! given:\n\
         //!   labels: {{ is: text, what: Labels. }}\n//!   from: {{ names: place, optional: true, what: A hex. }}\n//! text: All places.\n\n\
         fn survey(given) {{\n{script}\n}}\n"
    ));
    folder.write("scenarios/skirmish/map.yaml", format!(
        "situation: map\ntitle: The map\nstatus: printed\nsource: {{ doc: sheet, at: \"1.2\" }}\nprocedure: survey\ntracks: {{ turn: 1 }}\n\
         given: {{ labels: \"{given}\", from: A0204 }}\n{pieces}"
    ));
    folder
}

/// The outcomes of the survey by name, as texts.
fn survey(folder: &Folder, args: &[&str]) -> BTreeMap<String, String> {
    let ruling = folder.json(&[&["resolve", "map", "--format", "json"], args].concat());
    let outcomes = ruling["results"].as_object().expect("the outcomes");
    let text = |value: &serde_json::Value| value.as_str().map_or(value.to_string(), String::from);
    outcomes
        .iter()
        .map(|(name, value)| (name.clone(), text(value)))
        .collect()
}

#[test]
fn all_questions_about_the_map_agree_on_every_pair_of_places() {
    let middles = middles();
    let mut names: BTreeMap<Middle, &str> = BTreeMap::new();
    // The last sheet that prints a place gives it its name.
    names.extend(
        middles
            .iter()
            .map(|(label, middle)| (*middle, label.as_str())),
    );
    let labels: Vec<&str> = middles.keys().map(String::as_str).collect();
    let folder = folder(
        "let labels = given.labels.split(\" \");\n\
         let all = distinct(labels);\n\
         for part in 0..all.len() {\n\
             let a = all[part];\n\
             let reached = reach(a, |at, cost| neighbours(at).map(|to| [to, cost + to.sub_string(1).parse_int() % 3 + 1]));\n\
             let told = [neighbours(a)];\n\
             for b in all {\n\
                 let apart = distance(a, b);\n\
                 if adjacent(a, b) != (apart == 1) || adjacent(a, b) != neighbours(a).contains(b) { told.push(`${a} and ${b}`); }\n\
                 told.push([b, apart, reached[b].cost]);\n\
             }\n\
             result(\"from \" + a, told);\n\
         }\n\
         for label in labels { result(\"of \" + label, label); }",
        &labels.join(" "),
        "",
    );
    // What a text is made of is no label until it is one.
    let found = survey(&folder, &[]);
    let canvas = |(x, y): &Middle| (-3..12).contains(x) && (-12..20).contains(y);
    for (middle, name) in &names {
        let mut beside: Vec<&str> = around(*middle)
            .iter()
            .filter_map(|at| names.get(at).copied())
            .collect();
        let steps = cheapest(*middle, &canvas, &|_| 1);
        let costs = cheapest(*middle, &|at| names.contains_key(at), &|at| {
            price(names[at])
        });
        let told: serde_json::Value =
            serde_json::from_str(&found[&format!("from {name}")]).expect("a list");
        let told = told.as_array().expect("a list");
        let mut neighbours: Vec<&str> = told[0]
            .items()
            .filter_map(serde_json::Value::as_str)
            .collect();
        neighbours.sort();
        beside.sort();
        assert_eq!(neighbours, beside, "around {name}");
        assert_eq!(
            told.len(),
            names.len() + 1,
            "{name} and all places, and no pair on which the answers differ: {told:?}"
        );
        for row in &told[1..] {
            let to = middles[row[0].as_str().expect("a name")];
            assert_eq!(
                (row[1].as_i64(), row[2].as_i64()),
                (steps.get(&to).copied(), costs.get(&to).copied()),
                "{name}: {row}"
            );
        }
    }
    for (label, middle) in &middles {
        assert_eq!(
            found
                .get(&format!("of {}", names[middle]))
                .map(String::as_str),
            Some(names[middle]),
            "{label}"
        );
    }
}

/// A piece, a feature, a side, an input, an answer, a row of a table and a text of a script name one place by two labels.
#[test]
fn a_place_is_one_place_under_all_its_labels() {
    let folder = folder(
        "let hex = \"A0\" + \"204\";\n\
         result(\"at\", piece(\"Red foot\").at);\n\
         result(\"there\", names(pieces_at(hex)));\n\
         result(\"around\", names(pieces_around(\"A0205\", \"Red\")));\n\
         result(\"ground\", place(hex).ground + place(\"B0201\").ground);\n\
         result(\"brook\", between(\"A0205\", \"A0204\").brook);\n\
         result(\"given\", given.from == hex);\n\
         result(\"side\", piece(\"Red boat\").at);\n\
         result(\"on the side\", names(pieces_at(\"A0204/A0205\")) + names(pieces_at(\"B0202/B0201\")));\n\
         result(\"literal\", #{ A0204: [\"A0204\"] }[hex] == [hex]);\n\
         result(\"table\", table(\"hexes\", hex));\n\
         result(\"chosen\", choose(\"Red\", \"hex\", [\"B0202\", \"B0201\"]));\n\
         move_piece(piece(\"Red foot\"), \"A0205\");\n\
         result(\"moved\", piece(\"Red foot\").at);\n\
         result(\"sheets\", sheets_of(hex));",
        "A0204",
        "choices: { \"Red: hex\": A0204 }\nmap:\n  places: { A0204: { ground: wood } }\n  sides: { A0204/A0205: { brook: true } }\n\
         pieces:\n  - { name: Red foot, kind: footman, side: Red, value: \"4-2\", at: A0204 }\n  \
         - { name: Red boat, kind: footman, side: Red, value: \"4-2\", at: A0205/A0204 }\n",
    );
    folder.write("tables/skirmish/hexes.yaml",
        "table: hexes\ntitle: Hexes\nkind: rule\nsource: { doc: sheet, at: \"1.2\" }\nstatus: printed\nrows: { of: hex, labels: [A0204] }\ncells:\n  A0204: [A0205]\n");
    let found = survey(&folder, &[]);
    let expected = [
        ("at", "B0201"),
        ("there", "Red foot"),
        ("around", "Red foot"),
        ("ground", "woodwood"),
        ("brook", "true"),
        ("given", "true"),
        ("side", "B0201/B0202"),
        ("on the side", "Red boatRed boat"),
        ("literal", "true"),
        ("table", "B0202"),
        ("chosen", "B0201"),
        ("moved", "B0202"),
        ("sheets", "[\"A\",\"B\"]"),
    ];
    for (name, value) in expected {
        assert_eq!(found.get(name).map(String::as_str), Some(value), "{name}");
    }
    let by_hand = [
        "--set",
        "Red foot: at=A0305",
        "--set",
        "A0204: ground=open",
        "--choose",
        "Red: hex=A0205",
    ];
    let found = survey(&folder, &by_hand);
    let told = ["at", "ground", "chosen"].map(|name| found[name].as_str());
    assert_eq!(told, ["B0302", "openopen", "B0202"]);
    // Two labels in one list are one place, of which all is said at once.
    folder.replace(
        "scenarios/skirmish/map.yaml",
        "A0204: { ground: wood }",
        "A0204: { ground: wood }, B0201: { ground: open }",
    );
    let output = folder.run("resolve map").terminal_output();
    output.holds("error[key-twice]");
    output.holds("B0201");
}
