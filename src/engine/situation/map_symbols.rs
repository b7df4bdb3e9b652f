//! Shapes on counters: those of staff maps, as outlines in a box.

/// A part of a symbol, around the origin. Outlines are path data of SVG, which any drawing program understands.
pub enum SymbolPart {
    /// Lines that are drawn.
    Lines(String),
    /// An outline that is filled.
    Filled(String),
    /// A circle that is drawn, by its radius.
    Ring(f64),
    /// A circle that is filled, by its centre and radius.
    Disc((f64, f64), f64),
}

/// Returns the shapes of a kind in a box around the origin.
pub fn symbol_parts(symbol: &[&str], (wide, high): (f64, f64)) -> Vec<SymbolPart> {
    use SymbolPart::{Disc, Filled, Lines, Ring};
    let boxed = symbol.iter().any(|shape| {
        matches!(
            *shape,
            "cross" | "slash" | "dot" | "bar" | "staff" | "wheels" | "box"
        )
    });
    let (x, y) = (wide / 2.0, high / 2.0);
    let mut parts = Vec::new();
    if boxed {
        parts.push(Lines(format!(
            "M{:.1} {:.1}h{wide:.1}v{high:.1}h-{wide:.1}z",
            -x, -y
        )));
    }
    for shape in symbol {
        match *shape {
            "cross" => parts.push(Lines(format!(
                "M{0:.1} {1:.1}L{2:.1} {3:.1}M{0:.1} {3:.1}L{2:.1} {1:.1}",
                -x, -y, x, y
            ))),
            "slash" => parts.push(Lines(format!("M{:.1} {:.1}L{:.1} {:.1}", -x, y, x, -y))),
            "bar" => parts.push(Lines(format!("M{:.1} {:.1}h{wide:.1}", -x, y * 0.45))),
            "staff" => parts.push(Lines(format!("M{:.1} {:.1}v{:.1}", -x, y, high * 0.45))),
            "dot" => parts.push(Disc((0.0, 0.0), high * 0.22)),
            "ring" => parts.push(Ring(high * 0.42)),
            "wheels" => parts.extend([-x * 0.5, x * 0.5].map(|x| Disc((x, y), 1.8))),
            "star" => parts.push(Filled(star(high * 0.55))),
            "hull" => {
                let lines = format!(
                    "M{:.1} 0h{wide:.1}l{:.1} {y:.1}h{:.1}zM0 0v{:.1}",
                    -x,
                    -wide * 0.2,
                    -wide * 0.6,
                    -y
                );
                parts.push(Lines(lines));
            }
            "battlements" => {
                let (notch, step) = (high * 0.35, wide / 5.0);
                let teeth = format!("h{step:.1}v{notch:.1}h{step:.1}v-{notch:.1}").repeat(2);
                parts.push(Lines(format!(
                    "M{:.1} {y:.1}v-{high:.1}{teeth}h{step:.1}v{high:.1}z",
                    -x
                )));
            }
            "arrow" => {
                let (back, side) = (-wide * 0.25, y * 0.7);
                parts.push(Lines(format!(
                    "M{:.1} 0h{wide:.1}l{back:.1} {:.1}m{:.1} {side:.1}l{back:.1} {side:.1}",
                    -x, -side, -back
                )));
            }
            _ => {}
        }
    }
    parts
}

/// Returns the outline of a star with five points.
fn star(radius: f64) -> String {
    let point = |n: u32| {
        let (angle, distance) = (
            f64::from(n) * std::f64::consts::PI / 5.0,
            if n.is_multiple_of(2) {
                radius
            } else {
                radius * 0.42
            },
        );
        format!(
            "{:.1} {:.1}",
            distance * angle.sin(),
            -distance * angle.cos()
        )
    };
    format!("M{}z", (0..10).map(point).collect::<Vec<_>>().join("L"))
}
