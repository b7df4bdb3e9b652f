//! Bit sets of column indices.

/// Exclusive limit of column indices.
pub const MAX_COLUMNS: usize = 1024;

/// A set of column indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnSet([u64; MAX_COLUMNS / 64]);

impl ColumnSet {
    /// Adds a column.
    #[inline]
    pub fn insert(&mut self, slot: usize) {
        self.0[slot / 64] |= 1 << (slot % 64);
    }

    /// Returns whether the set contains a column.
    pub fn contains(&self, slot: usize) -> bool {
        self.0[slot / 64] & (1 << (slot % 64)) != 0
    }

    /// Returns whether the sets have no column in common.
    pub fn is_disjoint(&self, other: &ColumnSet) -> bool {
        self.0
            .iter()
            .zip(other.0)
            .all(|(word, more)| word & more == 0)
    }

    /// Removes a column and returns whether it was present.
    pub fn remove(&mut self, slot: usize) -> bool {
        let was = self.contains(slot);
        self.0[slot / 64] &= !(1 << (slot % 64));
        was
    }

    /// Adds all columns of another set.
    pub fn union_with(&mut self, other: &ColumnSet) {
        self.0
            .iter_mut()
            .zip(other.0)
            .for_each(|(word, more)| *word |= more);
    }

    /// Iterates over the columns in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        iter_bits(&self.0)
    }
}

/// Iterates over the indices of set bits in ascending order.
pub fn iter_bits(words: &[u64]) -> impl Iterator<Item = usize> {
    let (mut index, mut remaining) = (0, words.first().copied().unwrap_or(0));
    std::iter::from_fn(move || {
        while remaining == 0 {
            index += 1;
            remaining = *words.get(index)?;
        }
        let bit = remaining.trailing_zeros() as usize;
        remaining &= remaining - 1;
        Some(64 * index + bit)
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
