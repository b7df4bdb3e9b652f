//! Dice streams, seeded or typed. A rule does not know which one it uses.

use crate::notation::{Dice, Face};
use rand::Rng;
use rand_pcg::Pcg32;
use rustc_hash::FxHashMap;

/// Reason why a stream cannot provide a throw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoThrow {
    /// The typed dice are used up.
    TooFew {
        /// Number of typed dice.
        typed: usize,
    },
    /// Faces are typed for the dice, but not for those that are thrown again.
    TooFewAgain {
        /// Number of dice that are thrown again.
        missing: usize,
    },
    /// A program gave another number of faces than it was asked for.
    Miscounted {
        /// Number of faces given.
        given: usize,
        /// Number of faces asked for.
        wanted: usize,
    },
    /// A typed face does not exist on the die, or all cards that show it are drawn.
    InvalidFace {
        /// The face typed.
        face: Face,
        /// Position among the typed dice, from 1.
        position: usize,
        /// Number of sides of the die.
        sides: u32,
    },
}

/// A source of dice.
pub trait DiceStream {
    /// Throws dice for a purpose; returns the side that each die shows, from 1, in the order thrown: first every die once, then those that
    /// are thrown again, then those that are thrown on.
    fn throw(&mut self, dice: &Dice, purpose: &str) -> Result<Vec<u32>, NoThrow>;

    /// Returns the number of typed dice that were not used.
    fn unused_dice(&self) -> usize {
        0
    }
}

/// Seeded dice. Each purpose has its own generator, so that an additional throw for one purpose does not change the others. The generator
/// is PCG-XSH-RR 64/32 and faces are drawn by rejection; a seed gives the same dice on every machine and in every version.
#[derive(Clone, Debug)]
pub struct SeededDice {
    seed: u64,
    streams: FxHashMap<String, Pcg32>,
}

impl SeededDice {
    /// Creates dice from a seed.
    pub fn new(seed: u64) -> SeededDice {
        SeededDice {
            seed,
            streams: FxHashMap::default(),
        }
    }
}

/// FNV-1a, a hash that is stable across platforms.
fn fnv1a(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// SplitMix64's finaliser; it spreads seed and name over the whole state, because similar states give correlated streams.
fn mix_seed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Draws a face from 1 to `sides` uniformly; numbers from the incomplete last interval are rejected.
fn draw_face(generator: &mut Pcg32, sides: u32) -> u32 {
    let even = u32::MAX - u32::MAX % sides;
    loop {
        let number = generator.next_u32();
        if number < even {
            return number % sides + 1;
        }
    }
}

impl DiceStream for SeededDice {
    fn throw(&mut self, dice: &Dice, purpose: &str) -> Result<Vec<u32>, NoThrow> {
        let generator = match self.streams.get_mut(purpose) {
            Some(generator) => generator,
            None => {
                let name = fnv1a(purpose);
                self.streams
                    .entry(purpose.into())
                    .or_insert(Pcg32::new(mix_seed(self.seed ^ mix_seed(name)), name))
            }
        };
        if dice.is_draw() {
            let mut undrawn: Vec<u32> = (1..=dice.sides).collect();
            return Ok((0..dice.count)
                .map(|drawn| undrawn.remove(draw_face(generator, dice.sides - drawn) as usize - 1))
                .collect());
        }
        let mut thrown: Vec<u32> = dice
            .first_dice()
            .map(|sides| draw_face(generator, sides))
            .collect();
        if !dice.may_go_on() {
            return Ok(thrown);
        }
        while let next @ [_, ..] = &dice.next_dice(&thrown)[..] {
            thrown.extend(next.iter().map(|sides| draw_face(generator, *sides)));
        }
        Ok(thrown)
    }
}

/// Typed dice: one face per die, in the order of the throws.
#[derive(Clone, Debug, Default)]
pub struct TypedDice {
    faces: Vec<Face>,
    used: usize,
}

impl TypedDice {
    /// Creates typed dice from faces.
    pub fn new(faces: Vec<Face>) -> TypedDice {
        TypedDice { faces, used: 0 }
    }
}

impl DiceStream for TypedDice {
    fn throw(&mut self, dice: &Dice, _purpose: &str) -> Result<Vec<u32>, NoThrow> {
        let mut thrown: Vec<u32> = Vec::new();
        while let next @ [_, ..] = &dice.next_dice(&thrown)[..] {
            let first = self.used + thrown.len();
            let Some(faces) = self.faces.get(first..first + next.len()) else {
                let (is_first, missing) = (thrown.is_empty(), next.len());
                return Err(if is_first {
                    NoThrow::TooFew {
                        typed: self.faces.len(),
                    }
                } else {
                    NoThrow::TooFewAgain { missing }
                });
            };
            for ((face, sides), position) in faces.iter().zip(next).zip(first + 1..) {
                let side = dice.side(face, &thrown).filter(|side| side <= sides);
                thrown.push(side.ok_or_else(|| NoThrow::InvalidFace {
                    face: face.clone(),
                    position,
                    sides: *sides,
                })?);
            }
        }
        self.used += thrown.len();
        Ok(thrown)
    }

    fn unused_dice(&self) -> usize {
        self.faces.len() - self.used
    }
}
