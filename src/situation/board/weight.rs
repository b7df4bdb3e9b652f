//! How much memory a board takes.

use super::Board;
use crate::situation::meter::{FIGURE, Scale};

impl Board {
    /// How much is looked through, now and then, to find or set a figure: a thousandth of it.
    pub fn load(&self) -> u32 {
        ((self.delta.len() + 16 * self.created.len() + 8 * (self.added_places.0.len() + self.added_places.1.len())) / 1024) as u32
    }

    /// Measures what has changed since the start.
    pub fn weigh(&self, scale: &mut Scale) {
        self.delta.iter().for_each(|(_, value)| scale.add(value));
        let told = self.added_places.0.iter().chain(self.added_places.1.iter().flat_map(|(a, b)| [a, b]));
        told.for_each(|name| scale.text(name));
        let figures =
            self.delta.len() + self.added_places.0.len() + self.added_places.1.len() + self.riders.len() + self.moved_pieces.len();
        scale.bytes += FIGURE * figures as u64 + self.created.iter().map(|made| made.bytes()).sum::<u64>();
    }
}
