//! Shapes on counters: those of staff maps, as outlines in a box.

use maud::{Markup, html};

/// Renders the shapes of a kind in a box around the origin.
pub fn render_symbol(symbol: &[&str], (wide, high): (f64, f64)) -> Markup {
    let boxed = symbol.iter().any(|shape| matches!(*shape, "cross" | "slash" | "dot" | "bar" | "staff" | "wheels" | "box"));
    let (x, y) = (wide / 2.0, high / 2.0);
    let frame = format!("M{:.1} {:.1}h{wide:.1}v{high:.1}h-{wide:.1}z", -x, -y);
    html! {
        @if boxed { path.shape d=(frame) {} }
        @for shape in symbol {
            @match *shape {
                "cross" => path.shape d=(format!("M{0:.1} {1:.1}L{2:.1} {3:.1}M{0:.1} {3:.1}L{2:.1} {1:.1}", -x, -y, x, y)) {},
                "slash" => path.shape d=(format!("M{:.1} {:.1}L{:.1} {:.1}", -x, y, x, -y)) {},
                "bar" => path.shape d=(format!("M{:.1} {:.1}h{wide:.1}", -x, y * 0.45)) {},
                "staff" => path.shape d=(format!("M{:.1} {:.1}v{:.1}", -x, y, high * 0.45)) {},
                "dot" => circle.solid r=(format!("{:.1}", high * 0.22)) {},
                "ring" => circle.shape r=(format!("{:.1}", high * 0.42)) {},
                "wheels" => { circle.solid cx=(format!("{:.1}", -x * 0.5)) cy=(format!("{y:.1}")) r="1.8" {} circle.solid cx=(format!("{:.1}", x * 0.5)) cy=(format!("{y:.1}")) r="1.8" {} }
                "star" => path.solid d=(star(high * 0.55)) {},
                "hull" => path.shape d=(format!("M{:.1} 0h{wide:.1}l{:.1} {y:.1}h{:.1}zM0 0v{:.1}", -x, -wide * 0.2, -wide * 0.6, -y)) {},
                "battlements" => path.shape d=(format!("M{:.1} {y:.1}v-{high:.1}h{1:.1}v{2:.1}h{1:.1}v-{2:.1}h{1:.1}v{2:.1}h{1:.1}v-{2:.1}h{1:.1}v{high:.1}z", -x, wide / 5.0, high * 0.35)) {},
                "arrow" => path.shape d=(format!("M{:.1} 0h{wide:.1}l{:.1} {:.1}m{0:.1} {:.1}l{1:.1} {2:.1}", -x, -wide * 0.25, -y * 0.7, y * 0.7)) {},
                _ => {},
            }
        }
    }
}

/// Returns the outline of a star with five points.
fn star(radius: f64) -> String {
    let point = |n: u32| {
        let (angle, distance) = (f64::from(n) * std::f64::consts::PI / 5.0, if n.is_multiple_of(2) { radius } else { radius * 0.42 });
        format!("{:.1} {:.1}", distance * angle.sin(), -distance * angle.cos())
    };
    format!("M{}z", (0..10).map(point).collect::<Vec<_>>().join("L"))
}
