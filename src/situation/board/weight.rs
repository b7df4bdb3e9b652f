//! How much memory a board takes.

use super::Board;
use crate::situation::meter::{FIGURE, Scale};

impl Board {
    /// How much is looked through, now and then, to find or set a figure: a thousandth of it.
    pub fn load(&self) -> u32 {
        ((self.changed.len() + 16 * self.made.len() + 8 * (self.told.0.len() + self.told.1.len())) / 1024) as u32
    }

    /// Measures what has changed since the start.
    pub fn weigh(&self, scale: &mut Scale) {
        self.changed.iter().for_each(|(_, value)| scale.add(value));
        let told = self.told.0.iter().chain(self.told.1.iter().flat_map(|(a, b)| [a, b]));
        told.for_each(|name| scale.text(name));
        let figures = self.changed.len() + self.told.0.len() + self.told.1.len() + self.riders.len() + self.moved.len();
        scale.bytes += FIGURE * figures as u64 + self.made.iter().map(|made| made.bytes()).sum::<u64>();
    }
}
