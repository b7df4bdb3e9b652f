//! What questions say to a person: an option that is a bare number says what it counts, or what it does.

use crate::common::Folder;
use crate::common::runner::with_deep_stack;
use crate::common::stacks::built_in;
use casebook::code::state::ChoiceRequest;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::session::{Session, WaitingFor};
use casebook::ruling::situation::Situation;
use casebook::situation::value_text::value_text;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Maximum number of answers in a situation.
const MAX_ANSWERS: usize = 40;
/// Words that say what is counted.
const COUNTING: [&str; 6] = [
    "how many",
    "how far",
    "how near",
    "how strong",
    "points",
    "inches",
];

/// Returns whether a question offers numbers and says nowhere what they are.
fn is_bare(session: &Session, asked: &ChoiceRequest) -> bool {
    let (worded, notes) = (session.worded(asked), session.notes(asked));
    let sentence = worded.sentence.to_lowercase();
    let bare = asked.options.iter().enumerate().filter(|(index, option)| {
        let text = value_text(option, session.board());
        text.parse::<i64>().is_ok()
            && worded.options[*index] == text
            && notes.options[*index].is_empty()
    });
    bare.count() > 1 && !COUNTING.iter().any(|word| sentence.contains(word))
}

#[test]
fn numbers_say_what_they_count() {
    with_deep_stack(|| {
        let library = built_in();
        let mut found = BTreeSet::new();
        for game in ["wbts", "tmag", "banasik"] {
            for (name, variant) in library.scenarios(game) {
                let spec = RulesetSpec {
                    game: game.into(),
                    variants: library
                        .in_force_for(game, &name, variant.as_deref())
                        .variants,
                    ..RulesetSpec::default()
                };
                let Ok(situation) = Situation::load(&library, &spec, &name) else {
                    continue;
                };
                for option in [0, 1] {
                    let mut session =
                        Session::begin(situation.deep_clone(), 1, false).expect("it begins");
                    for _ in 0..MAX_ANSWERS {
                        let answered = match session.waiting_for() {
                            WaitingFor::Finished(_) => break,
                            WaitingFor::Throw(_) => session.roll(),
                            WaitingFor::Choice(asked) => {
                                if is_bare(&session, asked) {
                                    found.insert(format!(
                                        "{game}/{name}: {}",
                                        session.worded(asked).sentence
                                    ));
                                }
                                let last = asked.options.len() - 1;
                                session.choose(option.min(last))
                            }
                        };
                        if answered.is_err() {
                            break;
                        }
                    }
                }
            }
        }
        let found: Vec<String> = found.into_iter().collect();
        assert!(found.is_empty(), "{}", found.join("\n"));
    });
}

/// A way over several hexes says what the whole of it costs, of what there is; none leads back to where it begins.
#[test]
fn a_way_says_what_it_costs() {
    let library = built_in();
    let spec = RulesetSpec::new("wbts", &["hardy"]);
    let situation = Situation::load(&library, &spec, "first-manassas").expect("it is loaded");
    let mut session = Session::begin(situation, 1, false).expect("it begins");
    let mut marches = 0;
    for _ in 0..300 {
        let asked = match session.waiting_for().clone() {
            WaitingFor::Finished(_) => break,
            WaitingFor::Throw(_) => {
                session.roll().expect("it is thrown");
                continue;
            }
            WaitingFor::Choice(asked) => asked,
        };
        let texts: Vec<String> = asked
            .options
            .iter()
            .map(|option| value_text(option, session.board()))
            .collect();
        // Whoever can be set going is, and goes one hex.
        let is_march = texts.iter().any(|text| text == "halt");
        let place = session.notes(&asked).subject.map(|piece| {
            let board = session.board();
            board.place_of(piece).to_string()
        });
        if is_march {
            for walk in session.walks(Duration::from_secs(5)) {
                assert_ne!(Some(&walk.to), place.as_ref(), "{walk:?}");
                let numbers: Vec<i64> = walk
                    .note
                    .split(' ')
                    .filter_map(|word| word.parse().ok())
                    .collect();
                if walk.note.contains("movement point") {
                    assert!(
                        numbers[0] >= walk.answers.len() as i64 && numbers[0] <= numbers[1],
                        "{walk:?}"
                    );
                    marches += usize::from(walk.answers.len() > 1);
                }
            }
        }
        let first_hex = is_march.then(|| texts.iter().position(|text| text.starts_with('C')));
        let next = match first_hex.flatten() {
            Some(hex) if marches < 20 => hex,
            _ => texts
                .iter()
                .position(|text| text == "halt" || text == "McDowell")
                .unwrap_or(0),
        };
        session.choose(next).expect("it is open");
        if marches > 40 {
            break;
        }
    }
    assert!(marches > 10, "{marches}");
}

/// A battle that is over, with nothing lost.
const OVER: &str = "situation: the-verdict
title: The verdict
source: { doc: banasik, at: Victory status }
status: reconstructed
method: Units, distances and ground are ours; none of the figures is printed.
procedure: end of battle
uses: [commanders]
tracks: { battle-turn: 7, Union turns without initiative: 0, Confederate turns without initiative: 0 }
map:
  places: { the ridge: { depth: 72 } }
pieces:
  - { name: the third of July, kind: engagement, last_turn: 6 }
  - { name: Robert E. Lee, at: the ridge, edge: 2 }
  - { name: George Meade, at: the ridge, edge: 2 }
  - { name: 19th Maine, kind: infantry, side: Union, at: the ridge, edge: 20, figures: 8, start: 8, under: George Meade }
  - { name: 7th Virginia, kind: infantry, side: Confederate, at: the ridge, edge: 14, figures: 9, start: 10, under: Robert E. Lee }
";

/// The players judge an army: the place that its losses suggest is the usual one, and each place says what it means.
#[test]
fn an_army_is_judged_by_what_it_lost() {
    let folder = Folder::empty();
    folder.write("scenarios/banasik/the-verdict.yaml", OVER);
    let library = Arc::new(casebook::open(&folder.0).expect("it is read"));
    let situation = Situation::load(&library, &RulesetSpec::new("banasik", &[]), "the-verdict")
        .expect("it is loaded");
    let mut session = Session::begin(situation, 1, false).expect("it begins");
    for side in ["Union", "Confederate"] {
        let WaitingFor::Choice(asked) = session.waiting_for().clone() else {
            panic!("the {side} army is judged");
        };
        let notes = session.notes(&asked);
        assert_eq!(session.usual_answer(), Some(0));
        assert!(
            notes.question.contains("no general lost"),
            "{}",
            notes.question
        );
        assert!(
            notes.options[0].starts_with("by the sums; "),
            "{:?}",
            notes.options
        );
        assert!(
            notes
                .options
                .iter()
                .all(|note| note.contains("it ") || note.contains("the ")),
            "{:?}",
            notes.options
        );
        session.choose(0).expect("it is open");
    }
    assert!(session.is_over());
}
