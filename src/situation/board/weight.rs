//! Memory use of a board.

use super::Board;
use crate::situation::meter::{CELL_BYTES, Scale};

impl Board {
    /// Returns the approximate cost of a cell access: the number of changed entries in thousands.
    pub fn work_units(&self) -> u32 {
        ((self.delta.len() + 16 * self.created.len() + 8 * (self.added_places.0.len() + self.added_places.1.len())) / 1024) as u32
    }

    /// Adds the size of all changes since the start to a scale.
    pub fn add_to(&self, scale: &mut Scale) {
        self.delta.iter().for_each(|(_, value)| scale.add(value));
        let added = self.added_places.0.iter().chain(self.added_places.1.iter().flat_map(|(a, b)| [a, b]));
        added.for_each(|name| scale.text(name));
        let figures =
            self.delta.len() + self.added_places.0.len() + self.added_places.1.len() + self.riders.len() + self.moved_pieces.len();
        scale.bytes += CELL_BYTES * figures as u64 + self.created.iter().map(|piece| piece.bytes()).sum::<u64>();
    }
}
