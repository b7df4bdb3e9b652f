//! Columns of figures, as bits: which were looked at, which were written.

/// So many columns there are at most.
pub const MAX_COLUMNS: usize = 1024;

/// Columns, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnSet([u64; MAX_COLUMNS / 64]);

impl ColumnSet {
    /// Adds a column.
    #[inline]
    pub fn insert(&mut self, slot: usize) {
        self.0[slot / 64] |= 1 << (slot % 64);
    }

    /// Whether a column is among them.
    pub fn contains(&self, slot: usize) -> bool {
        self.0[slot / 64] & (1 << (slot % 64)) != 0
    }

    /// Whether no column is among these and others.
    pub fn is_disjoint(&self, other: &ColumnSet) -> bool {
        self.0.iter().zip(other.0).all(|(word, more)| word & more == 0)
    }

    /// Takes a column out; whether it was there.
    pub fn remove(&mut self, slot: usize) -> bool {
        let was = self.contains(slot);
        self.0[slot / 64] &= !(1 << (slot % 64));
        was
    }

    /// Adds what another has.
    pub fn union_with(&mut self, other: &ColumnSet) {
        self.0.iter_mut().zip(other.0).for_each(|(word, more)| *word |= more);
    }

    /// Those it has, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        iter_bits(&self.0)
    }
}

/// The bits that are set, in order.
pub fn iter_bits(words: &[u64]) -> impl Iterator<Item = usize> {
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
    use super::ColumnSet;

    #[test]
    fn columns_come_in_order() {
        let mut columns = ColumnSet::default();
        let slots = [0, 1, 63, 64, 511, 962, 1023];
        slots.iter().rev().for_each(|slot| columns.insert(*slot));
        assert!(columns.iter().eq(slots));
        assert!(columns.remove(63) && !columns.remove(63));
        assert_eq!(columns.iter().count(), slots.len() - 1);
    }
}
