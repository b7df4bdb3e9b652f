//! Generates procedures that move cards in every way from bytes.

/// The number of cards of all decks together.
pub const ALL_CARDS: u32 = 5 + 4;

const MANIFEST: &str = "game: made\ntitle: Made\nsides: [Red, Blue]\nsources:\n  rules: { title: rules, by: us, where: here }\n\
    decks:\n  cards: { holds: { 1: 2, b: 2, c: 1 }, reshuffled: true, after: discarded }\n  cup: { holds: { x: 3, y: 1 }, hands: open }\n\
    procedures:\n  deal: Cards are dealt.\n";
const SITUATION: &str = "situation: deal\ntitle: Deal\nstatus: house\nsource: { doc: rules, at: here }\nprocedure: deal\n";
const CARD: &str = "//! case: \"1.1\"\n//! title: Deal\n//! kind: rule\n//! source: { doc: rules, at: here }\n//! procedure: deal\n//! text: Ours.\n\n";

/// Code that counts the cards of all piles and hands.
const COUNT: &str = r#"
private fn all_of(deck) {
    cards_left(deck) + discards(deck).len() + cards_out(deck).len() + hand(deck, "Red").len() + hand(deck, "Blue").len()
}
private fn can_draw(deck, n) { if deck == "cards" { cards_left(deck) + discards(deck).len() >= n } else { cards_left(deck) >= n } }
"#;

/// The files of a game with the procedure generated from these bytes.
pub fn files(bytes: &[u8]) -> Vec<(String, String)> {
    let file = |path: &str, text: String| (path.to_string(), text);
    vec![
        file("rules/made/game.yaml", MANIFEST.into()),
        file("rules/made/contents.yaml", "\"1.1\": Deal\n".into()),
        file(
            "rules/made/01-deal/1.1-deal.rhai",
            format!("{CARD}{}{COUNT}", procedure(bytes)),
        ),
        file("scenarios/made/deal.yaml", SITUATION.into()),
    ]
}

/// Generates a procedure from bytes; when they run out, the simplest choice is taken.
pub fn procedure(bytes: &[u8]) -> String {
    let mut bytes = bytes.iter();
    let mut below = |limit: usize| bytes.next().map_or(0, |byte| *byte as usize % limit);
    let mut body = String::from("fn deal(given) {\n");
    for number in 0..3 + below(6) {
        let deck = ["cards", "cup"][below(2)];
        let side = ["Red", "Blue"][below(2)];
        let opponent = if side == "Red" { "Blue" } else { "Red" };
        let count = 1 + below(3);
        let hand = format!("hand(\"{deck}\", \"{side}\")");
        let discards = format!("cards_out(\"{deck}\")");
        let from_hand = |verb: &str| {
            format!("if {hand} != [] {{ {verb}(\"{deck}\", {hand}[0], \"{side}\"); }}")
        };
        let from_table = |verb: &str| format!("{verb}(\"{deck}\", {discards});");
        let named = |call: String| {
            format!("if can_draw(\"{deck}\", {count}) {{ result(\"{number}\", {call}); }}")
        };
        body += "    ";
        body += &match below(16) {
            0 => named(format!("draw_card(\"{deck}\", \"{number}\")")),
            1 => named(format!("draw_cards(\"{deck}\", {count}, \"{number}\")")),
            2 => named(format!(
                "draw_cards(\"{deck}\", {count}, \"{number}\", \"{side}\")"
            )),
            3 => format!(
                "if cards_left(\"{deck}\") >= {count} {{ result(\"{number}\", peek(\"{deck}\", {count}, \"{number}\")); }}"
            ),
            4 => from_hand("discard"),
            5 => from_hand("put_back"),
            6 => from_hand("put_on_top"),
            7 => from_hand("play_card"),
            8 => from_table("discard"),
            9 => from_table("put_back"),
            10 => from_table("put_on_top"),
            11 => from_hand("put_at_bottom"),
            12 => from_table("put_at_bottom"),
            13 => format!("take_cards(\"{deck}\", {discards}, \"{side}\");"),
            14 => format!("pass_cards(\"{deck}\", {hand}, \"{side}\", \"{opponent}\");"),
            _ => format!("reshuffle(\"{deck}\");"),
        };
        body += "\n";
    }
    body += "    result(\"red\", hand(\"cards\", \"Red\"));\n    if hand(\"cup\", \"Blue\") != [] { result(\"lot\", draw_lot(hand(\"cup\", \"Blue\"), \"lot\")); }\n";
    body + "    result(\"all cards\", all_of(\"cards\") + all_of(\"cup\"));\n}\n"
}
