//! Geometry of maps: hexes, cells around points, outlines of regions, lines that are joined and smoothed.

use std::collections::{BTreeMap, BTreeSet};

/// A point of a drawing; y grows downwards.
pub type Point = (f64, f64);

/// Half the width of a hex, in drawing units.
pub const HEX_HALF_WIDTH: f64 = 26.0;

/// Returns the corners of a hex around its centre.
pub fn hex_corners((x, y): Point, half_width: f64) -> [Point; 6] {
    let (half, high) = (half_width / 2.0, 3.0_f64.sqrt() / 2.0 * half_width);
    [
        (half_width, 0.0),
        (half, high),
        (-half, high),
        (-half_width, 0.0),
        (-half, -high),
        (half, -high),
    ]
    .map(|(dx, dy)| (x + dx, y + dy))
}

/// Returns the end points of the common side of two hexes, given their centres.
pub fn common_side(a: Point, b: Point) -> [Point; 2] {
    let centre = midpoint(a, b);
    let distance = (b.0 - a.0).hypot(b.1 - a.1).max(1.0);
    let (dx, dy) = (
        -(b.1 - a.1) / distance * HEX_HALF_WIDTH / 2.0,
        (b.0 - a.0) / distance * HEX_HALF_WIDTH / 2.0,
    );
    [
        (centre.0 - dx, centre.1 - dy),
        (centre.0 + dx, centre.1 + dy),
    ]
}

/// Returns the point between two others.
pub fn midpoint(a: Point, b: Point) -> Point {
    ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0)
}

/// A rectangle: left, top, right, bottom.
pub type Rectangle = (f64, f64, f64, f64);

pub fn rectangle_corners((left, top, right, bottom): Rectangle) -> Vec<Point> {
    vec![(left, top), (right, top), (right, bottom), (left, bottom)]
}

/// Sides of cells that are shorter than this are drawn as a point: what is known of positions is no more exact.
const SHORTEST_SIDE: f64 = 8.0;

/// Returns for each point the part of a frame that is nearer to it than to any other point (its Voronoi cell). Corners that nearly meet are
/// one.
pub fn cells(points: &[Point], frame: Rectangle) -> Vec<Vec<Point>> {
    let cell = |own: &Point| {
        points.iter().fold(rectangle_corners(frame), |cell, other| {
            clip(&cell, *own, *other)
        })
    };
    let mut cells: Vec<Vec<Point>> = points.iter().map(cell).collect();
    merge_corners(&mut cells, frame);
    cells
}

/// Moves corners that nearly meet to one place; what then is no corner any more is left out.
fn merge_corners(cells: &mut [Vec<Point>], (left, top, right, bottom): Rectangle) {
    let is_inside = |at: &Point| {
        at.0 > left + 0.5 && at.0 < right - 0.5 && at.1 > top + 0.5 && at.1 < bottom - 0.5
    };
    let mut merged: Vec<(Point, f64)> = Vec::new();
    for corner in cells.iter().flatten().filter(|at| is_inside(at)) {
        let far = |(at, _): &(Point, f64)| (at.0 - corner.0).hypot(at.1 - corner.1);
        let near = merged
            .iter_mut()
            .filter(|at| far(at) < SHORTEST_SIDE)
            .min_by(|a, b| far(a).total_cmp(&far(b)));
        match near {
            Some((at, count)) => {
                at.0 = (at.0 * *count + corner.0) / (*count + 1.0);
                at.1 = (at.1 * *count + corner.1) / (*count + 1.0);
                *count += 1.0;
            }
            None => merged.push((*corner, 1.0)),
        }
    }
    for cell in cells {
        for corner in cell.iter_mut().filter(|at| is_inside(at)) {
            let far = |(at, _): &&(Point, f64)| (at.0 - corner.0).hypot(at.1 - corner.1);
            if let Some((at, _)) = merged.iter().min_by(|a, b| far(a).total_cmp(&far(b))) {
                *corner = *at;
            }
        }
        leave_out_doubles(cell);
    }
}

/// Clips a polygon to what is nearer to one point than to another.
fn clip(polygon: &[Point], own: Point, other: Point) -> Vec<Point> {
    let towards = (other.0 - own.0, other.1 - own.1);
    if towards.0.hypot(towards.1) < 1e-6 {
        return polygon.to_vec();
    }
    let half_way = midpoint(own, other);
    let beyond = |at: Point| (at.0 - half_way.0) * towards.0 + (at.1 - half_way.1) * towards.1;
    let mut clipped = Vec::new();
    for (index, from) in polygon.iter().enumerate() {
        let to = polygon[(index + 1) % polygon.len()];
        let (start, end) = (beyond(*from), beyond(to));
        if start <= 0.0 {
            clipped.push(*from);
        }
        if (start < 0.0 && end > 0.0) || (start > 0.0 && end < 0.0) {
            let share = start / (start - end);
            clipped.push((
                from.0 + (to.0 - from.0) * share,
                from.1 + (to.1 - from.1) * share,
            ));
        }
    }
    clipped
}

/// Leaves out corners that are at the place of the one before; the first one follows the last.
fn leave_out_doubles(cell: &mut Vec<Point>) {
    let is_same = |a: &Point, b: &Point| (a.0 - b.0).hypot(a.1 - b.1) < 0.5;
    cell.dedup_by(|b, a| is_same(a, b));
    if let [first, .., last] = cell[..]
        && is_same(&first, &last)
    {
        cell.pop();
    }
}

/// Draws together the border of two cells to a point, if it is short, so that the cells at its ends meet there, too.
pub fn meet_in_a_point(cells: &mut [Vec<Point>], one: usize, other: usize) {
    let shared = common_corners(&cells[one], &cells[other]);
    let (Some(from), Some(to)) = (shared.first(), shared.last()) else {
        return;
    };
    let apart = |a: &Point, b: &Point| (a.0 - b.0).hypot(a.1 - b.1);
    if apart(from, to) > 4.0 * SHORTEST_SIDE {
        return;
    }
    let point = midpoint(*from, *to);
    for cell in cells {
        for corner in cell.iter_mut() {
            if apart(corner, from) < 0.5 || apart(corner, to) < 0.5 {
                *corner = point;
            }
        }
        leave_out_doubles(cell);
    }
}

/// A point by which corners are compared.
type CornerKey = (i64, i64);

/// A point as a key: points of one corner differ by rounding only.
fn corner_key((x, y): Point) -> CornerKey {
    ((x * 4.0).round() as i64, (y * 4.0).round() as i64)
}

/// Returns the corners that two cells have in common.
pub fn common_corners(one: &[Point], other: &[Point]) -> Vec<Point> {
    one.iter()
        .copied()
        .filter(|corner| {
            other
                .iter()
                .any(|at| (at.0 - corner.0).hypot(at.1 - corner.1) < 0.5)
        })
        .collect()
}

/// Returns the outlines of what equal polygons cover together: their sides, without those that lie between two of them.
pub fn outlines<'a>(polygons: impl Iterator<Item = &'a [Point]>) -> Vec<Vec<Point>> {
    let mut sides: BTreeMap<(CornerKey, CornerKey), (Point, Point)> = BTreeMap::new();
    for polygon in polygons {
        for (index, from) in polygon.iter().enumerate() {
            let to = polygon[(index + 1) % polygon.len()];
            let (start, end) = (corner_key(*from), corner_key(to));
            if sides.remove(&(end, start)).is_none() {
                sides.insert((start, end), (*from, to));
            }
        }
    }
    let mut loops = Vec::new();
    while let Some((&(start, mut end), &(from, _))) = sides.first_key_value() {
        sides.remove(&(start, end));
        let mut corners = vec![from];
        while let Some((key, side)) = sides
            .range((end, (i64::MIN, i64::MIN))..=(end, (i64::MAX, i64::MAX)))
            .next()
            .map(|(key, side)| (*key, *side))
        {
            sides.remove(&key);
            corners.push(side.0);
            end = key.1;
        }
        loops.push(corners);
    }
    loops
}

/// Joins segments to lines that are as long as possible. A line ends where more than two segments meet, and at the points that stop it.
pub fn joined_lines(segments: &[[Point; 2]], stops: &dyn Fn(Point) -> bool) -> Vec<Vec<Point>> {
    let mut at_corner: BTreeMap<CornerKey, Vec<usize>> = BTreeMap::new();
    for (index, segment) in segments.iter().enumerate() {
        for end in segment {
            at_corner.entry(corner_key(*end)).or_default().push(index);
        }
    }
    let passes = |at: Point| {
        at_corner
            .get(&corner_key(at))
            .is_some_and(|there| there.len() == 2)
            && !stops(at)
    };
    let mut used = vec![false; segments.len()];
    let mut lines = Vec::new();
    // Lines with ends come first; what is left over then are rings.
    for rings in [false, true] {
        for first in 0..segments.len() {
            let [a, b] = segments[first];
            let (from, mut to) = if passes(a) { (b, a) } else { (a, b) };
            if used[first] || (!rings && passes(from)) {
                continue;
            }
            used[first] = true;
            let mut line = vec![from, to];
            while passes(to)
                && let Some(next) = at_corner[&corner_key(to)]
                    .iter()
                    .copied()
                    .find(|index| !used[*index])
            {
                used[next] = true;
                let [a, b] = segments[next];
                to = if corner_key(a) == corner_key(to) {
                    b
                } else {
                    a
                };
                line.push(to);
            }
            lines.push(line);
        }
    }
    lines
}

/// Points of a drawing, to be found again in spite of rounding.
#[derive(Clone, Debug, Default)]
pub struct PointSet(BTreeSet<(i64, i64)>);

impl PointSet {
    /// Collects points.
    pub fn new(points: impl IntoIterator<Item = Point>) -> PointSet {
        PointSet(points.into_iter().map(corner_key).collect())
    }

    /// Returns whether a point is among them.
    pub fn contains(&self, at: Point) -> bool {
        self.0.contains(&corner_key(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(polygon: &[Point]) -> f64 {
        let cross = |index: usize| {
            let (a, b) = (polygon[index], polygon[(index + 1) % polygon.len()]);
            a.0 * b.1 - b.0 * a.1
        };
        (0..polygon.len()).map(cross).sum::<f64>().abs() / 2.0
    }

    #[test]
    fn cells_fill_the_frame_and_each_point_is_in_its_own() {
        let points: Vec<Point> = (0..40)
            .map(|n| {
                (
                    f64::from(n * 37 % 101) * 10.0,
                    f64::from(n * 53 % 97) * 10.0,
                )
            })
            .collect();
        let cells = cells(&points, (-100.0, -100.0, 1100.0, 1100.0));
        let total: f64 = cells.iter().map(|cell| area(cell)).sum();
        assert!((total - 1200.0 * 1200.0).abs() < 1e-3, "{total}");
        // But for corners that were merged, a cell is what is nearest to its point.
        for (index, cell) in cells.iter().enumerate() {
            for corner in cell {
                let far = |at: &Point| (at.0 - corner.0).hypot(at.1 - corner.1);
                let least = points.iter().map(far).fold(f64::MAX, f64::min);
                assert!(
                    far(&points[index]) < least + SHORTEST_SIDE,
                    "{index}: {corner:?}"
                );
            }
        }
        assert!(common_corners(&cells[0], &cells[0]).len() > 1);
    }

    #[test]
    fn hexes_side_by_side_have_one_outline() {
        let step = (1.5 * HEX_HALF_WIDTH, 3.0_f64.sqrt() * HEX_HALF_WIDTH);
        let centres = [(0.0, 0.0), (0.0, step.1), (step.0, step.1 / 2.0)];
        let hexes = centres.map(|at| hex_corners(at, HEX_HALF_WIDTH));
        let outlines = outlines(hexes.iter().map(|hex| hex.as_slice()));
        assert_eq!(outlines.len(), 1);
        assert_eq!(outlines[0].len(), 12);
        let one = common_corners(&hexes[0], &hexes[2]);
        assert_eq!(one.len(), 2);
        let side = common_side(centres[0], centres[2]);
        let far = |a: Point, b: Point| (a.0 - b.0).hypot(a.1 - b.1);
        assert!(
            one.iter()
                .all(|end| side.iter().any(|at| far(*at, *end) < 0.5))
        );
    }

    #[test]
    fn segments_are_joined_up_to_forks_and_stops() {
        let at = |x: i32| (f64::from(x) * 10.0, 0.0);
        let segments = [
            [at(1), at(0)],
            [at(1), at(2)],
            [at(3), at(2)],
            [at(3), (30.0, 10.0)],
            [at(3), at(4)],
        ];
        let lines = joined_lines(&segments, &|_| false);
        assert_eq!(lines.len(), 3);
        assert!(
            lines.contains(&vec![at(0), at(1), at(2), at(3)]),
            "{lines:?}"
        );
        let stopped = joined_lines(&segments, &|point| point == at(1));
        assert_eq!(stopped.len(), 4, "{stopped:?}");
        let ring = joined_lines(
            &[[at(0), at(1)], [at(1), (5.0, 5.0)], [(5.0, 5.0), at(0)]],
            &|_| false,
        );
        assert_eq!(ring.len(), 1);
        assert_eq!(ring[0].len(), 4);
    }
}
