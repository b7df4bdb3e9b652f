//! Columns of figures, as bits: which were looked at, which were written.

/// So many columns there are at most.
pub const COLUMNS: usize = 1024;

/// Columns, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Columns([u64; COLUMNS / 64]);

impl Columns {
    /// Adds a column.
    #[inline]
    pub fn add(&mut self, slot: usize) {
        self.0[slot / 64] |= 1 << (slot % 64);
    }

    /// Whether a column is among them.
    pub fn has(&self, slot: usize) -> bool {
        self.0[slot / 64] & (1 << (slot % 64)) != 0
    }

    /// Whether no column is among these and others.
    pub fn apart_from(&self, other: &Columns) -> bool {
        self.0.iter().zip(other.0).all(|(word, more)| word & more == 0)
    }

    /// Takes a column out; whether it was there.
    pub fn take(&mut self, slot: usize) -> bool {
        let was = self.has(slot);
        self.0[slot / 64] &= !(1 << (slot % 64));
        was
    }

    /// Adds what another has.
    pub fn join(&mut self, other: &Columns) {
        self.0.iter_mut().zip(other.0).for_each(|(word, more)| *word |= more);
    }

    /// Those it has, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        bits(&self.0)
    }
}

/// The bits that are set, in order.
pub fn bits(words: &[u64]) -> impl Iterator<Item = usize> {
    let (mut place, mut left) = (0, words.first().copied().unwrap_or(0));
    std::iter::from_fn(move || {
        while left == 0 {
            place += 1;
            left = *words.get(place)?;
        }
        let bit = left.trailing_zeros() as usize;
        left &= left - 1;
        Some(64 * place + bit)
    })
}

#[cfg(test)]
mod tests {
    use super::Columns;

    #[test]
    fn columns_come_in_order() {
        let mut columns = Columns::default();
        let slots = [0, 1, 63, 64, 511, 962, 1023];
        slots.iter().rev().for_each(|slot| columns.add(*slot));
        assert!(columns.iter().eq(slots));
        assert!(columns.take(63) && !columns.take(63));
        assert_eq!(columns.iter().count(), slots.len() - 1);
    }
}
