//! Whether dice are fair: Pearson's chi-square test of the faces that fell, over any number of journals.

use casebook_engine::code::state::ThrowRequest;
use casebook_engine::notation::Face;
use schemars::JsonSchema;
use serde::Serialize;
use statrs::function::gamma::checked_gamma_ur;
use std::collections::BTreeMap;

/// The least expected number of a face for which the chi-square distribution is a good approximation.
pub const LEAST_EXPECTED: f64 = 5.0;

/// A kind of die that was thrown, for a purpose or for all purposes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct DieUse {
    /// The die, such as `d6`.
    pub die: String,
    /// The purpose up to its first colon, as what follows mostly is a name; null over all purposes.
    #[serde(rename = "for")]
    pub purpose: Option<String>,
}

/// How often a face fell.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FaceCount {
    /// The face.
    pub face: Face,
    /// How many sides show it.
    pub sides: u32,
    /// How often it fell.
    pub count: u64,
}

/// Counts the faces of all dice.
#[derive(Clone, Debug, Default)]
pub struct DiceRecord {
    uses: BTreeMap<DieUse, Vec<FaceCount>>,
    /// The number of draws of cards or lots. What can be drawn changes with each, so they are not tested.
    pub draws: u64,
}

/// A chi-square test of a die.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "die_test")]
pub struct FairnessTest {
    #[serde(flatten)]
    pub die_use: DieUse,
    /// The number of dice that fell.
    pub dice: u64,
    /// How often each face fell.
    pub faces: Vec<FaceCount>,
    /// The sum over the faces of the squared difference to the expected number, divided by that number.
    pub chi_square: f64,
    /// The degrees of freedom: one less than the number of faces.
    pub freedom: u64,
    /// The chance of a sum as high or higher with fair dice; null for a die of one face.
    pub chance: Option<f64>,
    /// The smallest number of a face that is to be expected: below 5 the chance is not reliable.
    pub least_expected: f64,
}

/// The most sides of dice that are tested.
const MAX_SIDES: u32 = 1_000;

impl DiceRecord {
    /// Adds the faces of a throw of dice; a draw is only counted. Dice that are thrown again count as well: each die that falls is as free as the first.
    pub fn add(&mut self, request: &ThrowRequest, faces: &[Face]) {
        if request.drawn.is_some() {
            self.draws += 1;
            return;
        }
        let dice = &request.dice;
        let purpose = request
            .purpose
            .split(':')
            .next()
            .unwrap_or_default()
            .trim()
            .to_string();
        let thrown: Vec<u32> = faces
            .iter()
            .filter_map(|face| dice.side(face, &[]))
            .collect();
        for (face, sides) in faces.iter().zip(dice.sides_thrown(&thrown)) {
            // Each face of a die of more sides falls too seldom for a test.
            if sides > MAX_SIDES {
                continue;
            }
            for purpose in [None, Some(purpose.clone())] {
                let counts = self
                    .uses
                    .entry(DieUse {
                        die: dice.die_title(sides),
                        purpose,
                    })
                    .or_insert_with(|| {
                        let mut counts: Vec<FaceCount> = Vec::new();
                        for face in (1..=sides).map(|side| dice.face(side)) {
                            let (sides, count) = (1, 0);
                            match counts.iter_mut().find(|counted| counted.face == face) {
                                Some(counted) => counted.sides += 1,
                                None => counts.push(FaceCount { face, sides, count }),
                            }
                        }
                        counts
                    });
                counts
                    .iter_mut()
                    .filter(|counted| counted.face == *face)
                    .for_each(|counted| counted.count += 1);
            }
        }
    }

    /// Returns the tests: of each die over all purposes, then of each purpose.
    pub fn tests(&self) -> Vec<FairnessTest> {
        let (over_all, by_purpose): (Vec<_>, Vec<_>) = self
            .uses
            .iter()
            .partition(|(die_use, _)| die_use.purpose.is_none());
        over_all
            .into_iter()
            .chain(by_purpose)
            .map(|(die_use, faces)| test(die_use.clone(), faces.clone()))
            .collect()
    }
}

fn test(die_use: DieUse, faces: Vec<FaceCount>) -> FairnessTest {
    let dice: u64 = faces.iter().map(|face| face.count).sum();
    let sides: u32 = faces.iter().map(|face| face.sides).sum();
    let expected = |face_sides: u32| dice as f64 * f64::from(face_sides) / f64::from(sides.max(1));
    let term = |face: &FaceCount| {
        (face.count as f64 - expected(face.sides)).powi(2) / expected(face.sides)
    };
    let chi_square = if dice == 0 {
        0.0
    } else {
        faces.iter().map(term).sum()
    };
    let freedom = faces.len().saturating_sub(1) as u64;
    let least_expected = faces
        .iter()
        .map(|face| expected(face.sides))
        .fold(f64::INFINITY, f64::min);
    FairnessTest {
        chance: chi_square_tail(chi_square, freedom),
        die_use,
        faces,
        dice,
        chi_square,
        freedom,
        least_expected,
    }
}

/// Returns the chance that a chi-square variable exceeds a value: the regularised upper incomplete gamma function of half of both
/// (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.4.19).
pub fn chi_square_tail(chi_square: f64, freedom: u64) -> Option<f64> {
    match (freedom, chi_square) {
        (0, _) => None,
        (_, none) if none <= 0.0 => Some(1.0),
        _ => checked_gamma_ur(freedom as f64 / 2.0, chi_square / 2.0)
            .ok()
            .map(|chance| chance.clamp(0.0, 1.0)),
    }
}

/// Returns the smallest chance of several tests after Bonferroni's correction: times the number of tests, 1 at most.
pub fn corrected_least(tests: &[FairnessTest]) -> Option<f64> {
    let chances: Vec<f64> = tests.iter().filter_map(|test| test.chance).collect();
    chances
        .iter()
        .copied()
        .reduce(f64::min)
        .map(|least| (least * chances.len() as f64).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_agree_with_published_tables() {
        // Critical values of the upper 5 % and 1 % (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4).
        for (value, freedom, chance) in [
            (11.070, 5, 0.05),
            (15.086, 5, 0.01),
            (3.841, 1, 0.05),
            (19.675, 11, 0.05),
            (24.725, 11, 0.01),
        ] {
            let computed = chi_square_tail(value, freedom).expect("a chance");
            assert!(
                (computed - chance).abs() < 1e-4,
                "{value} of {freedom}: {computed}"
            );
        }
        assert_eq!(
            (chi_square_tail(3.0, 0), chi_square_tail(0.0, 5)),
            (None, Some(1.0))
        );
    }
}
