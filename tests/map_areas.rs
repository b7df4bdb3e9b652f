//! The geometry of maps: areas share a border exactly where the data says that they touch, and counters stand in their places.

use crate::common::stacks::built_in;
use casebook::code::program::Program;
use casebook::data::draw_style::DrawStyle;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruleset::diagnostics::build_ruleset;
use casebook::ruling::situation::Situation;
use casebook::situation::board::Board;
use casebook::situation::map_geometry::{HEX_HALF_WIDTH, Point, common_corners};
use casebook::situation::map_plan::{MapPlan, STRIP_UNIT};
use casebook::situation::map_stacks::COUNTER;
use casebook::situation::placed_piece::placed_pieces;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The map of the first day of Gettysburg.
fn plan() -> MapPlan {
    let library = built_in();
    let build = |variants| {
        let spec = RulesetSpec {
            game: "tmag".into(),
            variants,
            ..RulesetSpec::default()
        };
        let (ruleset, _) = build_ruleset(&library, &spec).expect("the ruleset is sound");
        Arc::new(Program::new(Arc::new(ruleset)))
    };
    let base = build(Vec::new());
    let named = base.ruleset.scenario("first-day").expect("it is shipped");
    let program = build(named.variants.clone().unwrap_or_default());
    let scenario = program.ruleset.scenario("first-day").expect("it is sound");
    let situation = Situation::new(&program, scenario).expect("the situation is sound");
    let board = Board::new(situation.initial_board.clone());
    let game = &situation.ruleset().game;
    MapPlan::new(&board, game, &placed_pieces(&board, game), &[], true)
}

#[test]
fn areas_share_a_border_where_they_touch() {
    let plan = plan();
    let is_area = |index: usize| {
        let spot = &plan.places[index];
        !spot
            .notes
            .iter()
            .any(|note| note.starts_with("off the map"))
    };
    let borders = || {
        plan.edges
            .iter()
            .filter(|edge| edge.style == Some(DrawStyle::Border))
            .filter(|edge| is_area(edge.ends.0) && is_area(edge.ends.1))
    };
    let declared: BTreeSet<(usize, usize)> = borders().map(|edge| edge.ends).collect();
    assert!(declared.len() > 150, "{} borders", declared.len());
    let name =
        |(a, b): &(usize, usize)| format!("{}/{}", plan.places[*a].name, plan.places[*b].name);
    let shared =
        |(a, b): (usize, usize)| common_corners(&plan.places[a].cell, &plan.places[b].cell).len();
    // What touches in a line has a border, what touches in a point a corner.
    let missing: Vec<String> = borders()
        .filter(|edge| (shared(edge.ends) > 1) == edge.is_point() || shared(edge.ends) == 0)
        .map(|edge| format!("{}: {}", name(&edge.ends), edge.notes))
        .collect();
    let count = plan.places.len();
    let surplus: Vec<String> = (0..count)
        .flat_map(|a| (a + 1..count).map(move |b| (a, b)))
        .filter(|(a, b)| is_area(*a) && is_area(*b) && shared((*a, *b)) > 1)
        .filter(|pair| !declared.contains(pair))
        .map(|pair| name(&pair))
        .collect();
    assert!(
        missing.is_empty() && surplus.is_empty(),
        "they touch, and are drawn apart: {missing:?}\nthey share a border, and don't touch: {surplus:?}"
    );
    // What lies beyond the map is a box at its edge, beside the areas that it leads to.
    let beyond = |index: &usize| !is_area(*index);
    assert_eq!((0..count).filter(beyond).count(), 10);
    assert!(plan.places.iter().all(|spot| spot.cell.len() >= 3));
}

/// Returns whether a polygon contains a point.
fn contains(polygon: &[Point], (x, y): Point) -> bool {
    let ends = polygon.iter().zip(polygon.iter().cycle().skip(1));
    let crossed = ends.filter(|((ax, ay), (bx, by))| {
        (*ay > y) != (*by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax
    });
    crossed.count() % 2 == 1
}

/// In every situation a counter stands within a third of a hex from its place, in its area, and on no other counter there; where is the same
/// whatever else is drawn.
#[test]
fn counters_stand_in_their_places() {
    let library = built_in();
    let (mut counters, mut shared) = (0, 0);
    for game in library.games.keys() {
        for (name, variant) in library.scenarios(game) {
            let variants = library
                .in_force_for(game, &name, variant.as_deref())
                .variants;
            let spec = RulesetSpec {
                game: game.clone(),
                variants,
                ..RulesetSpec::default()
            };
            let Ok(situation) = Situation::load(&library, &spec, &name) else {
                continue;
            };
            let board = Board::new(situation.initial_board.clone());
            let game = &situation.ruleset().game;
            let mut pieces = placed_pieces(&board, game);
            pieces.retain(|piece| !piece.is_area() && !piece.is_mark());
            let whole = situation.scenario.is_game;
            let plan = MapPlan::new(&board, game, &pieces, &[], whole);
            let stacks = plan.stacks(game, pieces.iter());
            for (index, stack) in stacks.iter().enumerate() {
                let (spot, (x, y)) = (stack.spot, stack.at);
                let reached = stack.pieces[0].offset;
                let line = spot.strip_y(game.is_far_side(stack.side), reached.1);
                let home = match spot.strip {
                    None => spot.centre,
                    Some(_) => (spot.centre.0 + reached.0 as f64 * STRIP_UNIT, line),
                };
                let away = (x - home.0).hypot(y - home.1);
                assert!(away < HEX_HALF_WIDTH * 2.0 / 3.0, "{name}: {}", spot.name);
                let is_in = spot.cell.is_empty() || contains(&spot.cell, stack.at);
                assert!(is_in, "{name}: outside of {}", spot.name);
                // On a border of hexes counters are drawn small.
                let size = if spot.name.contains('/') { 0.65 } else { 1.0 };
                let others = stacks[..index].iter();
                let others = others.filter(|other| other.spot.name == spot.name);
                for other in others {
                    let apart = (x - other.at.0).abs() >= size * COUNTER.0 - 0.2
                        || (y - other.at.1).abs() >= size * COUNTER.1 - 0.2;
                    assert!(apart, "{name}: two counters on each other in {}", spot.name);
                    shared += 1;
                }
                counters += 1;
            }
            if plan.hexes {
                let places: Vec<&str> = plan.places.iter().map(|spot| spot.name.as_str()).collect();
                let again = MapPlan::new(&board, game, &pieces, &places, whole);
                let at: Vec<Point> = again
                    .stacks(game, pieces.iter())
                    .iter()
                    .map(|stack| stack.at)
                    .collect();
                assert_eq!(
                    at,
                    stacks.iter().map(|stack| stack.at).collect::<Vec<_>>(),
                    "{name}"
                );
            }
        }
    }
    assert!(
        counters > 500 && shared > 50,
        "{counters} counters, {shared} in one place"
    );
}
