//! A small map of a situation: its places and who stands where, as an image.

use crate::ruling::situation::Situation;
use crate::serve::layout::side_colour;
use crate::serve::map::plan::{HEX_HALF_WIDTH, MapPlan, placed_pieces};
use crate::situation::board::Board;
use maud::{Markup, html};

/// The colours of the image. It is no part of a page, so it can't use its style sheet.
const STYLE: &str = ".g{fill:#e9e3d3}.s1{fill:#2b4f86}.s2{fill:#86603a}.s3{fill:#3e6b3b}.s4{fill:#7b3550}.s5{fill:#a3302a}.s6{fill:#5b5f66}\
.n{fill:#8f877a}@media(prefers-color-scheme:dark){.g{fill:#3a362f}.s1{fill:#8fb3ec}.s2{fill:#dcae7d}.s3{fill:#99cb92}.s4{fill:#e79bb5}.s5{fill:#f19a8f}.s6{fill:#b9bec7}}";
/// Maximum number of places and pieces drawn.
const MAX_DRAWN: usize = 400;

/// Renders the image.
pub fn render_thumbnail(situation: &Situation) -> Markup {
    let game = &situation.ruleset().game;
    let board = Board::new(situation.initial_board.clone());
    let placed: Vec<_> = placed_pieces(&board, game).into_iter().filter(|piece| piece.stands_alone).take(MAX_DRAWN).collect();
    // Where nobody stands yet, the whole map is drawn, thinned out.
    let plan = MapPlan::new(&board, game, &placed, &[], placed.is_empty());
    let drawn: Vec<_> = plan.places.iter().filter(|place| place.placed || !plan.hexes).collect();
    let every = if placed.is_empty() { drawn.len().div_ceil(MAX_DRAWN).max(1) } else { 1 };
    let spots: Vec<_> = drawn.into_iter().step_by(every).take(MAX_DRAWN).collect();
    let at = |name: &str| spots.iter().find(|place| place.name == name).map(|place| place.centre);
    let ends = |axis: fn(&(f64, f64)) -> f64| {
        let list = || spots.iter().map(|place| axis(&place.centre));
        let (low, high) = (list().fold(f64::MAX, f64::min), list().fold(f64::MIN, f64::max));
        if low > high { (0.0, 0.0) } else { (low - 40.0, high - low + 80.0) }
    };
    let ((left, wide), (top, high)) = (ends(|at| at.0), ends(|at| at.1));
    let radius = HEX_HALF_WIDTH * 1.15;
    let side = |name: &str| side_colour(game, name).rsplit(' ').next().filter(|class| !class.is_empty()).unwrap_or("n").to_string();
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("{left:.0} {top:.0} {wide:.0} {high:.0}")) width="132" height="88" {
            style { (STYLE) }
            @for spot in &spots {
                @match spot.strip {
                    Some((wide, high)) => rect.g x=(format!("{:.0}", spot.centre.0 - wide / 2.0)) y=(format!("{:.0}", spot.centre.1 - high / 2.0)) width=(format!("{wide:.0}")) height=(format!("{high:.0}")) {},
                    None => circle.g cx=(format!("{:.0}", spot.centre.0)) cy=(format!("{:.0}", spot.centre.1)) r=(format!("{radius:.0}")) {},
                }
            }
            @let dot = (wide.max(high) / 30.0).clamp(9.0, 60.0);
            @for (nth, piece) in placed.iter().enumerate() {
                @if let Some((x, y)) = at(&piece.place) {
                    // Pieces of one place are spread a little, so that more of them look like more.
                    @let turn = nth as f64 * 2.4;
                    circle class=(side(&piece.side)) cx=(format!("{:.0}", x + turn.cos() * dot * 0.6)) cy=(format!("{:.0}", y + turn.sin() * dot * 0.6)) r=(format!("{dot:.0}")) {}
                }
            }
        }
    }
}
