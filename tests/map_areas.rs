//! Areas of a map that are drawn around their points: they share a border exactly where the data says that they touch.

use casebook::code::program::Program;
use casebook::data::draw_style::DrawStyle;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruleset::diagnostics::build_ruleset;
use casebook::ruling::situation::Situation;
use casebook::situation::board::Board;
use casebook::situation::map_geometry::common_corners;
use casebook::situation::map_plan::MapPlan;
use casebook::situation::placed_piece::placed_pieces;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The map of the first day of Gettysburg.
fn plan() -> MapPlan {
    let library = casebook::built_in();
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
        !spot.notes.iter().any(|note| note.starts_with("off_map"))
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
