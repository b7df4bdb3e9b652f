//! Generates procedures of the small game from bytes: they throw, change every kind of figure, and name outcomes.

use casebook::data::files::Files;

/// Functions that the procedures call, so that their answers are memoized.
pub const HELPERS: &str = r#"
private fn pick(name) { if has_piece(name) { piece(name) } else { piece("Red foot") } }
private fn newest() { let all = pieces(); if all.len() == 0 { piece("Red foot") } else { all[all.len() - 1] } }
private fn label(who) { marked(who) + marked(who) }
private fn marked(who) { `<${who.name}>` }
private fn balance(place) { strength(place, "Red") - strength(place, "Blue") }
private fn strength(place, side) { total(pieces_at(place, side), "strength") }
private fn leader(who) { let other = who.under; if other == () { "nobody" } else { label(other) } }
private fn load(carrier) { names(pieces_on(carrier)) + names(fit(pieces_on(carrier))) }
private fn fit(list) { list.where(#{ strength: [1, 2, 3, 4, 5] }) }
private fn stands(who) { if who.at == () { "nowhere" } else { who.at + spot(who.at) } }
private fn spot(place) { place(place).ground }
private fn crossing() { [between("0201", "0202").brook, far()] }
private fn far() { between("0202", "0303").brook }
private fn gone() { [has_piece("Red foot"), has_piece("New 1"), pieces().len()] }
private fn lost(sheet) { [sheet.lost ?? 0, sheet.list ?? 0] }
private fn worth(who) { if (who.strength ?? 0) > 2 { table("combat", "1:1", 3).attacker } else { weight(1) } }
private fn weight(more) { if more > 0 { table("combat", "2:1", 4).defender + more } else { 0 } }
private fn heavy(place) { let sum = 0; for who in pieces_at(place) { if marked(who) == "<Red foot>" { continue; } sum += worth(who); } sum }
private fn maybe(who, n) { if n > 90 { set(who, "strength", n); } if who.at == () { return 0; } n + weight(n) }
private fn wanted(who) { require(worth(who) != 99, "no"); weight(worth(who)) }
private fn ranked(place) { let all = pieces_at(place).map(|who| worth(who)); all.sort(|a, b| weight(a) - b); all }
private fn either(flag, a, b) { if flag { chosen(a, b) } else { b } }
private fn chosen(a, b) { let c = a; if b == 1 { c = weight(b); } c }
"#;

/// The small game with another body of its attack, and more functions below it.
pub fn with_attack(files: &Files, body: &str, below: &str) -> Files {
    let attack = "rules/skirmish/01-battle/1.1-attack.rhai";
    let text = files.by_key[attack]
        .text
        .replace("    step(\"Attack\");\n", "    deeds();\n    return;\n");
    files.with_text(
        attack,
        &format!("{text}\nprivate fn deeds() {{\n{body}}}\n{below}\n"),
    )
}

/// A policy of Red that reads the board.
pub const POLICY: &str = "|what, options| if track(\"turn\") > 2 || total(pieces_at(\"0201\"), \"strength\") > 4 { options[0] } else { options[1] }";

/// Generates procedures from bytes; when they run out, the simplest choice is taken.
pub struct Deeds<'a> {
    bytes: std::slice::Iter<'a, u8>,
    throw_count: usize,
    outcome_count: usize,
    loop_count: usize,
}

impl Deeds<'_> {
    /// The body of a procedure generated from these bytes.
    pub fn generate(bytes: &[u8]) -> String {
        let mut deeds = Deeds {
            bytes: bytes.iter(),
            throw_count: 0,
            outcome_count: 0,
            loop_count: 0,
        };
        let mut body = String::from(
            "    let n = 0;\n    let sheet = record(#{ lost: 0 });\n    let other = record(#{});\n    let sum = 0;\n    let add = |more| { sum += more; sum };\n",
        );
        for _ in 0..4 + deeds.number_below(9) {
            body += &format!("    {}\n", deeds.statement(2));
        }
        for _ in 0..3 {
            body += &format!("    {}\n", deeds.outcome());
        }
        body
    }

    fn number_below(&mut self, below: usize) -> usize {
        self.bytes.next().map_or(0, |byte| *byte as usize % below)
    }

    fn pick(&mut self, list: &[&str]) -> String {
        list[self.number_below(list.len())].into()
    }

    fn piece(&mut self) -> String {
        match self.pick(&[
            "Red foot",
            "Red riders",
            "Red wagon",
            "Blue foot",
            "Blue riders",
            "New 1",
            "New 2",
            "",
        ]) {
            name if name.is_empty() => "newest()".into(),
            name => format!("pick(\"{name}\")"),
        }
    }

    fn place(&mut self) -> String {
        self.pick(&["\"0201\"", "\"0202\"", "\"0303\""])
    }

    fn number(&mut self) -> String {
        match self.number_below(9) {
            0 => "n".into(),
            7 => format!("worth({})", self.piece()),
            8 => format!(
                "either({}, {}, {})",
                self.pick(&["n > 1", "has_piece(\"New 1\")", "true"]),
                self.pick(&["n", "sum"]),
                self.pick(&["1", "n"])
            ),
            1 => format!("balance({})", self.place()),
            2 => "sheet.lost".into(),
            3 => "sum".into(),
            4 => "track(\"turn\")".into(),
            _ => self.pick(&["0", "1", "2", "3"]),
        }
    }

    fn boolean(&mut self) -> String {
        match self.number_below(5) {
            0 => format!(
                "has_piece({})",
                self.pick(&["\"Red foot\"", "\"New 1\"", "\"New 2\""])
            ),
            1 => format!("stands({}) == stands({})", self.piece(), self.piece()),
            2 => "between(\"0201\", \"0202\").brook".into(),
            _ => format!(
                "{} {} {}",
                self.number(),
                self.pick(&["==", "<", ">"]),
                self.number()
            ),
        }
    }

    fn statement(&mut self, deep: usize) -> String {
        match self.number_below(if deep == 0 { 20 } else { 30 }) {
            0..=2 if self.throw_count < 5 => {
                self.throw_count += 1;
                let dice = match self.number_below(4) {
                    0 => "\"1d2\"".into(),
                    1 => "\"1d3\"".into(),
                    2 => format!("max(0, min(2, {})) + \"d2\"", self.number()),
                    _ => format!("\"1d\" + max(1, min(3, {}))", self.number()),
                };
                let purpose = self.pick(&["\"here\"", "\"there\"", "`for ${n}`"]);
                match self.number_below(8) {
                    0 => format!("n = hits({dice}, 2, {purpose});"),
                    1 => format!("for die in faces({dice}, {purpose}) {{ n = die; }}"),
                    3 => format!("n = hits({dice}, \"..1\", {purpose});"),
                    4 => format!(
                        "if chance_of(max(0, min(3, {})), 3, {purpose}) {{ n = 1; }}",
                        self.number()
                    ),
                    2 => format!("for die in faces(\"3d3kl2\", {purpose}) {{ n = n * 3 + die; }}"),
                    _ => format!("n = roll({dice}, {purpose});"),
                }
            }
            3 => format!("set({}, \"strength\", {});", self.piece(), self.number()),
            4 => format!("set({}, \"under\", {});", self.piece(), self.piece()),
            5 => format!("move_piece({}, {});", self.piece(), self.place()),
            6 => format!(
                "put_on({}, {});",
                self.piece(),
                self.pick(&["\"Red wagon\"", "\"New 1\"", "\"New 2\""])
            ),
            7 => format!("remove({}, \"lost\");", self.piece()),
            8 | 9 => {
                let (name, side, place) = (
                    self.pick(&["New 1", "New 2", "New ${n}"]),
                    self.pick(&["Red", "Blue"]),
                    self.place(),
                );
                let extra_keys = self.pick(&["", ", strength: n", ", under: \"Blue foot\""]);
                format!(
                    "if !has_piece(`{name}`) {{ create(#{{ name: `{name}`, kind: \"wagon\", side: \"{side}\", at: {place}{extra_keys} }}); }}"
                )
            }
            10 => format!("set_track(\"turn\", max(1, min(8, {})));", self.number()),
            11 => format!(
                "{}.{} = {};",
                self.pick(&["sheet", "other"]),
                self.pick(&["lost", "list", "late"]),
                self.number()
            ),
            12 => format!("fill(other, #{{ late: {} }});", self.number()),
            13 => format!("add.call({});", self.number()),
            14 => format!(
                "set(place({}), \"ground\", {});",
                self.place(),
                self.pick(&["\"open\"", "\"wood\""])
            ),
            15 => {
                let pair = self.pick(&["\"0201\", \"0202\"", "\"0202\", \"0303\""]);
                format!("set(between({pair}), \"brook\", {});", self.boolean())
            }
            16 | 17 => self.outcome(),
            18 | 19 => {
                self.outcome_count += 1;
                format!(
                    "n = choose(\"Red\", \"way\", [{}, 5]); result(\"r{}\", n);",
                    self.number(),
                    self.outcome_count
                )
            }
            20 => format!("require({}, \"no\");", self.boolean()),
            21 => format!(
                "for side in [\"Red\", \"Blue\"] {{ {} }}",
                self.statement(deep - 1)
            ),
            26 | 27 => {
                let guard = |deeds: &mut Self| {
                    if deeds.number_below(2) == 0 {
                        String::new()
                    } else {
                        format!(" if {}", deeds.boolean())
                    }
                };
                let (first, second, third) = (guard(self), guard(self), guard(self));
                let deeds = [(); 4].map(|()| self.statement(deep - 1));
                let [a, b, c, d] = deeds.map(|deed| format!("{{ {deed} }}"));
                format!(
                    "switch {} {{ 0 | 3{first} => {a}, 1..=2{second} => {b}, 0..4{third} => {c}, _ => {d} }}",
                    self.number()
                )
            }
            28 => {
                self.loop_count += 1;
                let (turns, deed) = (
                    format!("turns{}", self.loop_count),
                    self.statement(deep - 1),
                );
                let condition = self.boolean();
                let text = self.pick(&[
                    "while § < 2 && ¤ { § += 1; ¶ }",
                    "do { § += 1; ¶ } until § > 1 || ¤;",
                    "do { § += 1; ¶ } while § < 2 && ¤;",
                    "loop { § += 1; if § > 2 || ¤ { break; } ¶ }",
                ]);
                format!(
                    "let {turns} = 0; {}",
                    text.replace('§', &turns)
                        .replace('¤', &condition)
                        .replace('¶', &deed)
                )
            }
            29 => {
                let exit = self.pick(&["if n > i { continue; }", "if n > i { break; }"]);
                format!(
                    "for (who, i) in pieces_at({}) {{ {exit} {} }}",
                    self.place(),
                    self.statement(deep - 1)
                )
            }
            22.. => format!(
                "if {} {{ {} }} else {{ {} }}",
                self.boolean(),
                self.statement(deep - 1),
                self.statement(deep - 1)
            ),
            _ => format!("n = {};", self.number()),
        }
    }

    fn outcome(&mut self) -> String {
        self.outcome_count += 1;
        let value = match self.number_below(23) {
            18 => format!("heavy({})", self.place()),
            19 => format!("maybe({}, {})", self.piece(), self.number()),
            20 => format!("wanted({})", self.piece()),
            21 => format!("ranked({})", self.place()),
            22 => format!(
                "either({}, {}, {})",
                self.boolean(),
                self.number(),
                self.number()
            ),
            0 | 16 => format!("label({})", self.piece()),
            1 | 17 => format!("leader({})", self.piece()),
            2 => format!("load({})", self.pick(&["\"Red wagon\"", "\"New 1\""])),
            3 => format!("stands({})", self.piece()),
            4 => "crossing()".into(),
            5 => "gone()".into(),
            6 => "lost(sheet)".into(),
            7 => self.pick(&["sheet", "other", "[n, sheet]"]),
            8 => format!("names(pieces(#{{ at: {} }}))", self.place()),
            9 => format!("names(pieces_around({}, \"Red\"))", self.place()),
            10 => "names(pieces(#{ kind: \"wagon\" }))".into(),
            11 => self.piece(),
            12 => format!("{}.on", self.piece()),
            13 => "names(sort_by(pieces(), \"strength\"))".into(),
            _ => self.number(),
        };
        format!("result(\"r{}\", {value});", self.outcome_count)
    }
}
