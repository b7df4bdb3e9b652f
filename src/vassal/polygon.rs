//! Zones of a board: polygons on a grid of dots.

/// A polygon; points on its left and upper border belong to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polygon(pub Vec<(i32, i32)>);

impl Polygon {
    /// Reads `x,y;x,y;...`. A point that can't be read is left out.
    pub fn parse(text: &str) -> Polygon {
        let point = |text: &str| {
            let (x, y) = text.split_once(',')?;
            Some((x.trim().parse().ok()?, y.trim().parse().ok()?))
        };
        Polygon(text.split(';').filter_map(point).collect())
    }

    /// Returns width and height of the box around it.
    pub fn size(&self) -> (i32, i32) {
        let side = |coordinate: fn(&(i32, i32)) -> i32| {
            let (minimum, maximum) = (
                self.0.iter().map(coordinate).min().unwrap_or(0),
                self.0.iter().map(coordinate).max().unwrap_or(0),
            );
            maximum.saturating_sub(minimum)
        };
        (side(|point| point.0), side(|point| point.1))
    }

    /// Returns whether a point lies in it: a line to the left crosses an odd number of edges.
    pub fn contains(&self, (x, y): (i32, i32)) -> bool {
        let mut hits = 0;
        let mut previous = self.0.last().copied().unwrap_or_default();
        for &point in &self.0 {
            let (upper, lower) = if point.1 < previous.1 {
                (point, previous)
            } else {
                (previous, point)
            };
            if (upper.1..lower.1).contains(&y) && x < upper.0.max(lower.0) {
                let along = f64::from(y) - f64::from(upper.1);
                let across = along / (f64::from(lower.1) - f64::from(upper.1))
                    * (f64::from(lower.0) - f64::from(upper.0));
                hits += u32::from(
                    x < upper.0.min(lower.0) || f64::from(x) - f64::from(upper.0) < across,
                );
            }
            previous = point;
        }
        self.0.len() > 2 && hits % 2 == 1
    }
}
