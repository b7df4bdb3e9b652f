//! The computer plays: in every game that ships and is played to an end nobody who could act stands idle to the end, and each style is a match for
//! whoever takes the first option, or an option by lot.
//!
//! Every run plays a few games on one seed. `CASEBOOK_STYLES=first-day cargo test --release --test suite styles:: -- --nocapture` plays one on ten seeds,
//! and forty pairs of games (`CASEBOOK_PAIRS`) of each style against each of the two; `CASEBOOK_STYLES=all` plays every game, which takes hours.

use crate::common::stacks::built_in;
use casebook::balance::paired_games::GamesPlan;
use casebook::balance::pairing::pairings;
use casebook::code::context::TraceDetail;
use casebook::code::machine::Machine;
use casebook::code::program::Program;
use casebook::code::state::{Refusal, State};
use casebook::complaint::Complaints;
use casebook::data::library::Library;
use casebook::odds::game_run::{GameRecorder, GameRun, RunUntil};
use casebook::odds::game_score::{GameReading, GameScore};
use casebook::platform::clock::Instant;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruleset::diagnostics::build_ruleset;
use casebook::ruling::choice_source::ChoiceSource;
use casebook::ruling::situation::Situation;
use casebook::situation::board::Board;
use casebook::situation::cell_key::{CellKey, EntityKind};
use casebook::situation::dice::SeededDice;
use casebook::situation::overrides::Overrides;
use casebook::situation::policy::Policies;
use casebook::situation::trace::{BoardChange, Event};
use casebook::situation::value::{PieceId, Value};
use casebook::situation::value_text::value_text;
use casebook::usecase::play_on::weigher;
use casebook::usecase::settings::CountLimits;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The games that every run plays with the styles that weigh nothing, and those in which they win against the lot on each of a few seeds.
const QUICK: [&str; 2] = ["first-day", "fleetwood-hill"];
const SURE: [&str; 1] = ["first-day"];
const QUICK_SEEDS: u64 = 1;

/// Seeds for idle pieces, and pairs of games for the strength of a style, where everything is played.
const ALL_SEEDS: u64 = 10;
const ALL_PAIRS: u64 = 40;

/// Seeds on which a style that plays on plays the first option.
const PLAN_SEEDS: u64 = 6;

/// The game of years, which is left out: its cycles alone take minutes.
const CAMPAIGN: &str = "set-up-of-the-campaign";

/// What a style's description says if it is no match for an opponent.
const NO_MATCH: [(&str, &str); 2] = [
    ("first", "no better than the first option"),
    ("random", "no better than the lot"),
];

/// How a game shows that a piece has acted, and who could not.
struct Deeds {
    game: &'static str,
    /// The group of the pieces that act.
    group: &'static str,
    /// Figures that are set when a piece acts.
    figures: &'static [&'static str],
    /// Whether moving to a place is acting.
    moves: bool,
    /// The feature of places that are not on the map: who still stands there at the end has done nothing, wherever he went.
    away: Option<&'static str>,
    /// How questions begin that are asked because a piece acts; its name follows.
    questions: &'static [&'static str],
    /// How questions begin whose answer sets a piece to a post, and that answer; the piece or its brigade follows.
    post: Option<(&'static str, &'static str)>,
}

/// The games that ship.
const GAMES: [&str; 3] = ["tmag", "banasik", "wbts"];

/// In wbts a side has fewer commands than forces, and garrisons stay where they are: nobody can be told to stand idle by oversight.
const DEEDS: [Deeds; 2] = [
    Deeds {
        game: "tmag",
        group: "combat",
        figures: &["deeds"],
        moves: false,
        away: Some("off_map"),
        questions: &[],
        post: None,
    },
    Deeds {
        game: "banasik",
        group: "unit",
        figures: &["moved", "facing", "dismounted"],
        moves: true,
        away: None,
        questions: &["target of "],
        post: Some(("orders of ", "keep its post")),
    },
];

/// Keeps the boards at the ends of the last two rounds.
#[derive(Default)]
struct LastRounds {
    current: Option<Board>,
    ends: Vec<Board>,
}

impl GameRecorder for LastRounds {
    fn procedure_ended(
        &mut self,
        state: &mut State,
        _: (&str, &str),
        _: Option<&Refusal>,
    ) -> Result<(), Complaints> {
        self.current = Some(state.board.without_records());
        Ok(())
    }

    fn round_ended(&mut self, _: u64) {
        self.ends.extend(self.current.take());
        if self.ends.len() > 2 {
            self.ends.remove(0);
        }
    }
}

/// Returns what is to be played: the games named by `CASEBOOK_STYLES`, or a few.
fn wanted() -> Option<String> {
    std::env::var("CASEBOOK_STYLES")
        .ok()
        .filter(|wanted| !wanted.is_empty())
}

/// Returns the situations of the games that are played to an end.
fn games(library: &Arc<Library>) -> Vec<Situation> {
    let mut found = Vec::new();
    let build = |game: &str, variants: Vec<String>| {
        let (ruleset, _) = build_ruleset(library, &RulesetSpec::with_variants(game, variants))
            .expect("the ruleset is sound");
        Arc::new(Program::new(Arc::new(ruleset)))
    };
    for game in GAMES {
        let base = build(game, Vec::new());
        for name in base.ruleset.scenario_names() {
            let is_wanted = match wanted() {
                None => QUICK.contains(&name),
                Some(wanted) => wanted == "all" || wanted == name,
            };
            if !is_wanted || name == CAMPAIGN {
                continue;
            }
            let scenario = base.ruleset.scenario(name).expect("the scenario is sound");
            if scenario.is_game {
                let program = build(game, scenario.variants.clone().unwrap_or_default());
                let scenario = program
                    .ruleset
                    .scenario(name)
                    .expect("the scenario is sound");
                found.push(Situation::new(&program, scenario).expect("the situation is sound"));
            }
        }
    }
    assert!(!found.is_empty(), "no game is called {:?}", wanted());
    found
}

/// Returns the styles of a game; where little is played those that don't look ahead, which takes long.
fn styles(situation: &Situation) -> Vec<(String, String)> {
    let game = &situation.ruleset().game;
    let styles = game
        .styles
        .iter()
        .filter(|style| wanted().is_some() || style.plays_on.is_none());
    styles
        .map(|style| (style.name.clone(), style.description.clone()))
        .collect()
}

/// Plays a game in which all sides have one style. Returns its events, and its boards.
fn play(situation: &Situation, style: &str, seed: u64) -> (Vec<Event>, LastRounds) {
    let policies = Arc::new(
        Policies::parse(&[("all".into(), style.into())], &situation.ruleset().game)
            .expect("the game has the style"),
    );
    let weigher = weigher(situation, &policies);
    let source = ChoiceSource {
        weigher,
        ..situation.choice_source(&[], policies)
    };
    let mut machine = Machine::new(situation.program.clone());
    machine.trace = Some(Vec::new());
    machine.run_mode.trace_detail = TraceDetail::Results;
    let stop = AtomicBool::new(false);
    let run = GameRun {
        from: None,
        situation,
        choice_source: &source,
        until: RunUntil {
            end: None,
            stop: &stop,
        },
        max_rounds: 1_000,
    };
    let mut rounds = LastRounds::default();
    if let Err(fault) = run.play(&mut machine, &mut SeededDice::new(seed), &mut rounds) {
        panic!(
            "{}, {style}, seed {seed}: {}",
            situation.scenario.name,
            fault.line()
        );
    }
    (machine.trace.take().unwrap_or_default(), rounds)
}

/// Returns the pieces that stood idle in a game in which all sides have one style.
fn idle_pieces(situation: &Situation, deeds: &Deeds, style: &str, seed: u64) -> Vec<String> {
    let game = &situation.ruleset().game;
    let (events, mut rounds) = play(situation, style, seed);
    let [before, end] = &mut rounds.ends[..] else {
        return Vec::new();
    };
    let acted = who_acted(&events, deeds, end);
    let column =
        |name: &str| Board::column_of_attribute(game, name).expect("the attribute is declared");
    let text = |board: &mut Board, piece: usize, name: &str| {
        let value = board.piece_value(PieceId(piece), column(name));
        value_text(&value, board)
    };
    let away = deeds.away.and_then(|feature| {
        game.places
            .attributes
            .iter()
            .position(|(name, _)| name == feature)
    });
    let is_away = |board: &Board, place: &str| {
        let number = board
            .places()
            .find(|(name, _)| name.as_str() == place)
            .map(|(_, number)| number);
        let is_set = |(column, number)| {
            board.peek(CellKey::new(EntityKind::Place, column, number)) == Some(&Value::True)
        };
        away.zip(number).is_some_and(is_set)
    };
    let mut idle = Vec::new();
    for piece in 0..before.piece_count() {
        let kind = text(end, piece, "kind");
        let is_meant = game
            .kinds
            .get(&kind)
            .is_some_and(|kind| kind.groups.iter().any(|group| group == deeds.group));
        let at = text(end, piece, "at");
        // Who came in the last round, is gone or was set aside had no time to act; who stands on what his side is to hold does his part.
        let is_in_play = end.piece_value(PieceId(piece), column("gone")) != Value::True
            && !game.places.out_of_play.contains(&at)
            && !at.is_empty();
        let was_in_play = !game.places.out_of_play.contains(&text(before, piece, "at"))
            && !text(before, piece, "at").is_empty();
        let has_acted = acted.contains(&end.name(PieceId(piece)).to_string()) && !is_away(end, &at);
        if !is_meant || !is_in_play || !was_in_play || has_acted {
            continue;
        }
        let side = text(end, piece, "side");
        let keeps = (0..end.piece_count()).any(|other| {
            text(end, other, "kind") == "objective"
                && text(end, other, "at") == at
                && text(end, other, "side") == side
        });
        let brigade = if deeds.post.is_some() {
            text(end, piece, "brigade")
        } else {
            String::new()
        };
        let name = end.name(PieceId(piece)).to_string();
        if !keeps && !has_a_post(&events, deeds, &[&name, &brigade]) {
            idle.push(name);
        }
    }
    idle
}

/// Returns the names of the pieces that acted in a game.
fn who_acted(events: &[Event], deeds: &Deeds, board: &Board) -> BTreeSet<String> {
    let is_something = |value: &Value| match value {
        Value::List(list) => !list.is_empty(),
        _ => true,
    };
    let mut acted = BTreeSet::new();
    for event in events {
        match event {
            Event::Change(change) => match &**change {
                BoardChange::Set(piece, figure, value)
                    if deeds.figures.contains(&figure.as_str()) && is_something(value) =>
                {
                    acted.insert(board.name(*piece).to_string());
                }
                BoardChange::Move(piece, _) if deeds.moves => {
                    acted.insert(board.name(*piece).to_string());
                }
                _ => {}
            },
            Event::Choice(choice) => {
                let asked = deeds
                    .questions
                    .iter()
                    .find_map(|start| choice.question.as_str().strip_prefix(start));
                acted.extend(asked.map(String::from));
            }
            _ => {}
        }
    }
    acted
}

/// Whether a piece, or the brigade of that name, was last told to keep its post.
fn has_a_post(events: &[Event], deeds: &Deeds, names: &[&str]) -> bool {
    let Some((start, answer)) = deeds.post else {
        return false;
    };
    events.iter().any(|event| {
        let Event::Choice(choice) = event else {
            return false;
        };
        let asked = choice.question.as_str().strip_prefix(start);
        let chosen = choice
            .options
            .get(choice.chosen_index)
            .and_then(Value::as_text);
        asked.is_some_and(|name| names.contains(&name))
            && chosen.is_some_and(|chosen| chosen.as_str() == answer)
    })
}

#[test]
fn nobody_who_could_act_stands_idle_to_the_end() {
    let library = built_in();
    let seeds = if wanted().is_some() {
        ALL_SEEDS
    } else {
        QUICK_SEEDS
    };
    let mut faults = Vec::new();
    for situation in games(&library) {
        let Some(deeds) = DEEDS
            .iter()
            .find(|deeds| deeds.game == situation.ruleset().game.name)
        else {
            continue;
        };
        for (style, _) in styles(&situation) {
            for seed in 1..=seeds {
                let idle = idle_pieces(&situation, deeds, &style, seed);
                println!(
                    "{}, {style}, seed {seed}: {} idle {idle:?}",
                    situation.scenario.name,
                    idle.len()
                );
                if !idle.is_empty() {
                    faults.push(format!(
                        "{}, {style}, seed {seed}: {}",
                        situation.scenario.name,
                        idle.join(", ")
                    ));
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "pieces stand idle from the first round to the last:\n{}",
        faults.join("\n")
    );
}

/// A side that always passes is found idle, so the games above would not pass by oversight.
#[test]
fn a_side_that_passes_is_found_idle() {
    let library = built_in();
    let situation = games(&library)
        .into_iter()
        .find(|situation| situation.scenario.name == "first-day");
    let Some(situation) = situation else { return };
    let deeds = DEEDS
        .iter()
        .find(|deeds| deeds.game == "tmag")
        .expect("the game is listed");
    let passes = "|what, options| if what == \"impulse\" { \"pass\" } else { options[0] }";
    let idle = idle_pieces(&situation, deeds, passes, 1);
    assert!(
        ["Pettigrew a", "Devin", "Meredith a"]
            .iter()
            .all(|name| idle.iter().any(|piece| piece == name)),
        "{idle:?}"
    );
}

/// Plays a game on each of a few seeds, the sides having these styles in their order.
fn games_between(situation: &Situation, styles: [&str; 2], count: u64) -> Vec<GameScore> {
    let game = &situation.ruleset().game;
    let reading = GameReading::new(game, None, None).expect("the game says who wins");
    let stop = AtomicBool::new(false);
    let limits = CountLimits {
        threads: 2,
        ..CountLimits::new(Duration::from_secs(86_400), &stop)
    };
    let named = styles
        .iter()
        .zip(&game.sides)
        .map(|(style, side)| (side.clone(), style.to_string()))
        .collect::<Vec<_>>();
    let (pairings, _) = pairings(game, &named).expect("the styles are there");
    let deadline = Instant::now() + Duration::from_secs(86_400);
    let plan = GamesPlan {
        from: None,
        pairings: &pairings,
        choices: &[],
        reading: &reading,
        seed: 1,
        shard: casebook::odds::shards::Shard::WHOLE,
        margin: 0.0,
        limits,
        deadline,
    };
    let (games, _) = plan.play(
        situation,
        &plan.seeds(0..count as usize),
        plan.until(deadline),
    );
    games
        .into_iter()
        .flatten()
        .map(|game| game.unwrap_or_else(|fault| panic!("{}", fault.line())))
        .collect()
}

/// Returns the pairs of games that a style wins and loses against an opponent, each with both sides in turn and the same dice. A pair goes to who
/// wins more of it, and where that is equal to the higher score.
fn pairs(situation: &Situation, style: &str, opponent: &str, count: u64) -> (u64, u64) {
    let as_first = games_between(situation, [style, opponent], count);
    let as_second = games_between(situation, [opponent, style], count);
    let mut result = (0, 0);
    for (one, other) in as_first.iter().zip(&as_second) {
        let by_share = i64::from(one.doubled_share) - i64::from(other.doubled_share);
        let balance = if by_share != 0 {
            by_share
        } else {
            one.score.unwrap_or(0) - other.score.unwrap_or(0)
        };
        result = (
            result.0 + u64::from(balance > 0),
            result.1 + u64::from(balance < 0),
        );
    }
    result
}

/// The shipped style that plays on gains more ground in the last Game-Turn than the first option, against the same opponent with the same
/// dice.
#[test]
fn playing_on_gains_more_than_the_first_option() {
    let library = built_in();
    let spec = RulesetSpec::new("wbts", &["hardy"]);
    let last = [("track: game-turn".to_string(), "4".to_string())];
    let last = Overrides::parse_all(&last).expect("it can be set");
    let situation = Situation::with_overrides(&library, &spec, "first-manassas", &last);
    let situation = situation.expect("the situation is sound");
    // Who wins, and where that is equal the score.
    let result = |style: &str| {
        let games = games_between(&situation, [style, "first"], PLAN_SEEDS);
        let won: u64 = games.iter().map(|game| u64::from(game.doubled_share)).sum();
        let gained: i64 = games.iter().filter_map(|game| game.score).sum();
        (won, gained)
    };
    let (planned, first) = (result("far-sighted"), result("first"));
    assert!(
        planned > first,
        "by playing on {planned:?}, by the first option {first:?}"
    );
}

#[test]
fn each_style_is_a_match_for_the_first_option_and_for_the_lot() {
    let library = built_in();
    let is_full = wanted().is_some();
    let pairs_asked = std::env::var("CASEBOOK_PAIRS")
        .ok()
        .and_then(|pairs| pairs.parse().ok());
    let count = if is_full {
        pairs_asked.unwrap_or(ALL_PAIRS)
    } else {
        QUICK_SEEDS
    };
    let mut faults = Vec::new();
    for situation in games(&library)
        .into_iter()
        .filter(|situation| is_full || SURE.contains(&situation.scenario.name.as_str()))
    {
        for (style, what) in styles(&situation) {
            // One game says nothing of the first option, which plays well.
            for opponent in if is_full {
                &["first", "random"][..]
            } else {
                &["random"]
            } {
                let (won, lost) = pairs(&situation, &style, opponent, count);
                println!(
                    "{}, {style} against {opponent}: {won} of {count} pairs won, {lost} lost",
                    situation.scenario.name
                );
                let is_admitted = NO_MATCH
                    .iter()
                    .any(|(of, words)| of == opponent && what.contains(words));
                if won <= lost && !is_admitted {
                    faults.push(format!(
                        "{}, {style} against {opponent}: {won} won, {lost} lost",
                        situation.scenario.name
                    ));
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "styles that lose, and don't say so in their description:\n{}",
        faults.join("\n")
    );
}
