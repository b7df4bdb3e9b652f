//! The glossary: terms of the product that occur in messages, files and the guide, each in a sentence or two.

/// An entry of the glossary.
pub struct GlossaryEntry {
    /// The term and its synonyms.
    pub names: &'static [&'static str],
    /// The definition.
    pub text: &'static str,
    /// What to type to read more.
    pub see_also: &'static str,
}

const fn entry(names: &'static [&'static str], text: &'static str, see: &'static str) -> GlossaryEntry {
    GlossaryEntry { names, text, see_also: see }
}

/// All entries.
pub static ENTRIES: &[GlossaryEntry] = &[
    entry(
        &["game", "games"],
        "One set of numbered rules, with its tables and situations: the folder rules/<game>/ with a game.yaml in it.",
        "casebook list; casebook guide 8",
    ),
    entry(
        &["manifest"],
        "The file that declares a game or a variant: rules/<game>/game.yaml, variants/<variant>/variant.yaml.",
        "casebook explain game; casebook explain variant",
    ),
    entry(
        &["case", "cases"],
        "The smallest numbered rule, in a file of its own: a card in //! lines, then functions, then examples.",
        "casebook show 1.1; casebook guide 2",
    ),
    entry(
        &["card"],
        "The //! lines at the head of a case: its number, title, kind, source, and what it says in plain words.",
        "casebook explain case",
    ),
    entry(
        &["function", "functions"],
        "A question of the rules that a case answers: `may_fight(unit)`. Any case may ask any other; the newest layer in force answers.",
        "casebook show NAME; casebook show NAME --script",
    ),
    entry(
        &["prior"],
        "The older answer: inside a function of a variant, `prior()` asks the next older layer the same question.",
        "casebook explain layer",
    ),
    entry(
        &["table", "tables", "chart"],
        "A chart of the rules, by number or name: labels of columns and rows, and cells, each with its status.",
        "casebook show NAME; casebook guide 1",
    ),
    entry(
        &["cell", "cells"],
        "One figure of a table. A variant that changes it says what it was and what it is now.",
        "casebook explain table",
    ),
    entry(
        &["variant", "variants"],
        "A layer over a game that can be switched on and off: errata, an edition, a variant, a house rule.",
        "casebook list; --with NAME; casebook guide 3",
    ),
    entry(&["house rule"], "A variant of your own.", "casebook new variant NAME; casebook guide 3"),
    entry(
        &["layer", "layers"],
        "The printed game, or a variant laid over it. The newest layer in force that answers a question decides; it may ask the older one with `prior()`.",
        "casebook explain order; casebook show NAME",
    ),
    entry(
        &["amendment", "amendments"],
        "What a variant does to one case, table or situation. Its `kind` says how: addition, correction, revision, explanation, or a new case.",
        "casebook explain kind; casebook show NAME",
    ),
    entry(
        &["option", "options"],
        "A part of a variant that can be switched by itself: `--option errata.frost=off`, or `options:` in a situation.",
        "casebook list",
    ),
    entry(
        &["reading", "readings"],
        "One of several ways to read a doubtful text. The card of the case names them, the first is the default; `--reading 8.16.remainder=even` chooses another.",
        "casebook show readings; casebook compare SITUATION --readings all",
    ),
    entry(&["ruleset"], "What is in force: a game, its variants in order, with their options and readings.", "--with, --option, --reading"),
    entry(
        &["situation", "situations"],
        "Pieces, places and tracks, with the procedure to carry out. `resolve`, `odds`, `compare` and `play` take one.",
        "casebook list; casebook guide 6",
    ),
    entry(
        &["scenario", "scenarios"],
        "A situation that is played to its end (`goes_on: true`). All situations, rosters and deployments stand in scenarios/<game>/.",
        "casebook explain situation",
    ),
    entry(
        &["roster", "deployment"],
        "A list that situations draw on with `uses:`: a roster has pieces with their figures, a deployment says where they stand.",
        "casebook explain situation",
    ),
    entry(
        &["procedure", "procedures"],
        "What is carried out at the table: a battle, a phase, a check. The manifest names it, a case carries it out, and it alone changes the situation.",
        "casebook show procedures; casebook show NAME",
    ),
    entry(
        &["given"],
        "The inputs of a procedure: who, where, with what. The page of a procedure lists them.",
        "casebook show PROCEDURE; casebook explain situation",
    ),
    entry(
        &["piece", "pieces", "counter"],
        "Anything that a situation places. It has a name, a kind, a side, a place, and the attributes of its game.",
        "casebook show NAME; casebook show kinds",
    ),
    entry(
        &["group", "groups"],
        "A word for several kinds of piece, named by `is:` of a kind; rules ask `is_a(piece, group)`.",
        "casebook show groups",
    ),
    entry(
        &["attribute", "attributes"],
        "A figure, flag or word that a piece, a place or the side of a place may have.",
        "casebook show attributes",
    ),
    entry(
        &["place", "places", "hex"],
        "Where pieces stand: a hex of a sheet, or a name that `map:` joins with others; boxes beside the map are places too.",
        "casebook explain places",
    ),
    entry(
        &["deck", "decks", "cup", "hand"],
        "Cards, chits or markers that are drawn without being looked at: under `decks:` the manifest says what is in it. A hand is what a side holds of it.",
        "casebook show decks; casebook explain draw_card",
    ),
    entry(
        &["track", "tracks"],
        "A row of boxes, turns or numbers beside the map: the turn, the weather, points of a side.",
        "casebook show tracks",
    ),
    entry(
        &["side", "sides"],
        "Who plays: the manifest lists the sides in order. Of a place, a side is what lies between it and its neighbour.",
        "casebook show sides",
    ),
    entry(
        &["sheet", "sheets"],
        "A map of named fields that cases hand on to each other, declared in the manifest field by field. Of a map of hexes, a sheet is one printed part.",
        "casebook show sheets",
    ),
    entry(
        &["sequence", "phase", "phases", "sequence of play"],
        "The order of play: phases with their procedures, one after the other, round by round, until `ends_when` holds.",
        "casebook show sequence; casebook explain phase",
    ),
    entry(
        &["goes_on"],
        "`goes_on: true` makes a situation a game: after its own procedure the sequence of play goes on to the end.",
        "casebook play SITUATION",
    ),
    entry(
        &["ends_when"],
        "The outcomes that end a game, with the value each then has: `ends_when: { game: over }`.",
        "casebook explain game",
    ),
    entry(
        &["ruling", "rulings"],
        "The result of a procedure, line by line, each line with the cases and tables that decided it.",
        "casebook resolve SITUATION",
    ),
    entry(
        &["outcome", "outcomes"],
        "A named result of a ruling: losses, a retreat, who won. `odds` counts the chances of each value.",
        "casebook odds SITUATION; casebook show PROCEDURE",
    ),
    entry(&["headline", "headlines"], "The few outcomes that are shown first.", "casebook odds SITUATION --brief"),
    entry(
        &["citation", "cites"],
        "The cases and tables in brackets at the end of a line: what decided it. `--sources` repeats those of the lines above.",
        "casebook resolve SITUATION --sources",
    ),
    entry(
        &["choice", "choices"],
        "A decision that a side makes. `--choose 'SIDE: QUESTION=OPTION'` answers it, a situation may answer it under `choices:`, and in `play` you do; what nobody answers takes the first option.",
        "casebook explain policy",
    ),
    entry(
        &["throw", "throws", "dice"],
        "Dice thrown for a named purpose: `--dice 3,5,2` types them in, `--seed N` throws them.",
        "casebook explain roll",
    ),
    entry(&["draw", "draws"], "What is left to a shuffled deck or a cup.", "casebook list --verbs"),
    entry(
        &["seed"],
        "The number that determines the dice: the same seed gives the same dice for the same purposes, also under other rules.",
        "--seed N",
    ),
    entry(
        &["journal", "journals"],
        "Dice, draws and choices of a ruling in their order. With ruleset and situation it reproduces the ruling; under other rules it shows what changes.",
        "--save FILE; casebook replay FILE",
    ),
    entry(
        &["set", "override", "overrides"],
        "Another value for one figure of a situation in a single run; no file changes. The figure is that of a piece, a place, a track, or a given entry.",
        "casebook resolve SITUATION --set 'Red guard: size=5'; --set 'track: turn=4'; --set 'given: side=Red'",
    ),
    entry(
        &["sweep"],
        "The odds of a situation over the values of one figure, as a table: a line for each value, 200 at most.",
        "casebook odds SITUATION --sweep 'Red guard: size=1..20' --format csv",
    ),
    entry(
        &["policy", "policies"],
        "Who answers the choices of a side: first, last, highest, lowest, random, best, worst, all, or a closure such as '|what, options| options[0]'.",
        "casebook odds SITUATION --policy SIDE=best --measure OUTCOME",
    ),
    entry(
        &["style", "styles"],
        "A policy with a name that a game declares under `styles:`, such as bold and careful. With `weighs:` it looks at odds: at a question that it names it takes the option after which a sum of outcomes is highest on average to the end of the procedure, and play says so. A count of odds takes its `answers:` instead. The policies that every game has are: first, last, highest, lowest, random, best, worst, all.",
        "casebook explain policy",
    ),
    entry(
        &["status"],
        "How a figure or a case is known: printed, derived, reconstructed, missing or house. Without a status nothing counts as printed.",
        "casebook resolve SITUATION --strict; --sources",
    ),
    entry(&["printed"], "Status: seen in the source that is named.", "casebook explain status"),
    entry(&["house"], "Status: set by a house rule, and printed nowhere.", "casebook explain status"),
    entry(&["derived"], "Status: follows from printed figures by arithmetic or logic.", "casebook explain status"),
    entry(
        &["reconstructed"],
        "Status: made up so that the game can be played, by a method that the file states. `--strict` refuses such figures, and every ruling says how many it rests on.",
        "casebook resolve SITUATION --sources",
    ),
    entry(
        &["missing", "?"],
        "Status: not known. Casebook refuses a ruling that needs such a figure, and names the file to fill in.",
        "casebook new variant my-charts --tables",
    ),
    entry(&["rule"], "Kind: a case or table of the game itself.", "casebook explain kind"),
    entry(&["new case"], "Kind: a case of a variant that no layer below has.", "casebook explain kind"),
    entry(&["addition"], "Kind: adds to a case below; it builds on the older answer, `prior()`.", "casebook explain kind"),
    entry(&["correction"], "Kind: corrects an error in a case or a cell below.", "casebook explain kind"),
    entry(
        &["revision"],
        "Kind: replaces a case; `replaces:` names the functions of the older case that no longer hold.",
        "casebook explain kind",
    ),
    entry(&["explanation"], "Kind: says what a case means and changes no answer.", "casebook explain kind"),
    entry(
        &["example", "examples"],
        "A statement of the source that `casebook test` runs: a function `example_...` of a case, a test of a ruling that holds the case, or a line under `examples:` of a table.",
        "casebook guide 4",
    ),
    entry(
        &["test", "tests"],
        "A situation with dice and expected results, in tests/<game>/ or under `tests:` of a situation; one beside the other tests of a case is an example of it.",
        "casebook guide 4",
    ),
    entry(&["snapshot"], "A ruling that a test keeps word for word; `casebook test` shows each change.", "casebook test --accept"),
    entry(
        &["odds", "chance"],
        "The chances of everything that can come of a situation, counted exactly as long as they can be counted.",
        "casebook odds SITUATION; casebook guide 5",
    ),
    entry(
        &["exact", "fingerprint", "fingerprints"],
        "Chances are fractions, and equal positions are counted once. Positions are compared by fingerprints of 128 bits, made of hashes of 64: in a count of a million positions the chance that two different ones count as one is at most 2.7 in 100 million, if the hashes behave like random numbers. What can't be counted within time (--limit) and memory (--memory) is sampled, and labelled so.",
        "casebook odds SITUATION --exact",
    ),
    entry(&["coverage"], "What no example and no test reaches: cases, functions, cells, amendments.", "casebook coverage"),
    entry(
        &["complaint", "complaints", "law", "laws"],
        "What is wrong in a file: the law that the file breaks, the place, the reason, and how to fix it.",
        "casebook check; casebook explain LAW",
    ),
    entry(&["pack"], "A variant as one file to send.", "casebook pack NAME; casebook unpack FILE"),
    entry(
        &["source", "sources"],
        "Where a rule or a figure comes from: a document that the manifest names, and the place in it.",
        "casebook show sources",
    ),
    entry(
        &["contents"],
        "The list of all case numbers of the printed rules with their titles: rules/<game>/contents.yaml.",
        "casebook show cases",
    ),
    entry(
        &["board"],
        "Pieces, places and tracks as they stand at one moment. Under `board:` the manifest has questions that the map answers.",
        "casebook play SITUATION, then b",
    ),
    entry(
        &["map"],
        "What is known of places and of the sides between them, under `map:` of a situation or a list it uses.",
        "casebook serve",
    ),
    entry(&["trace"], "All calls, lookups and throws of a ruling, in order.", "casebook resolve SITUATION --trace"),
    entry(
        &["refusal", "refused"],
        "A rule forbids the action: nothing changes, and the ruling names the case.",
        "casebook resolve SITUATION",
    ),
    entry(
        &["verb", "verbs"],
        "What scripts may call beside the functions of cases: `roll`, `set`, `say`, `result`.",
        "casebook list --verbs",
    ),
];
