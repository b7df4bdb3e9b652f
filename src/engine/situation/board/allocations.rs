//! Sheets and shared variables that nothing refers to any more. A loop makes new ones in each round; without them its rounds are equal.

use super::Board;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::value::Value;

/// A sheet or a shared variable, by its kind and number.
pub type Allocation = (EntityKind, usize);

/// Adds the sheets and shared variables that a value refers to.
pub fn add_allocations(value: &Value, found: &mut Vec<Allocation>) {
    match value {
        Value::Record(number) => found.push((EntityKind::Record, *number)),
        Value::Closure(closure) => found.extend(
            closure
                .captures
                .iter()
                .map(|number| (EntityKind::Shared, *number as usize)),
        ),
        Value::List(list) => list
            .as_slice()
            .iter()
            .for_each(|item| add_allocations(item, found)),
        Value::Map(map) => map
            .entries()
            .iter()
            .for_each(|(_, item)| add_allocations(item, found)),
        _ => {}
    }
}

fn is_allocation(kind: EntityKind) -> bool {
    matches!(kind, EntityKind::Record | EntityKind::Shared)
}

impl Board {
    /// Returns whether there are sheets or shared variables.
    pub fn has_allocations(&self) -> bool {
        self.record_count + self.shared_count > 0
    }

    /// Drops the newest sheets and shared variables that can't be reached; `reached` are those that the state refers to.
    pub fn drop_unreachable(&mut self, mut reached: Vec<Allocation>) {
        for (_, value) in self
            .delta
            .iter()
            .filter(|(cell, _)| !is_allocation(cell.kind()))
        {
            add_allocations(value, &mut reached);
        }
        let (mut records, mut shared) = (0, 0);
        let mut seen: Vec<Allocation> = Vec::new();
        while let Some((kind, number)) = reached.pop() {
            let count = if kind == EntityKind::Record {
                &mut records
            } else {
                &mut shared
            };
            *count = number.saturating_add(1).max(*count);
            if records >= self.record_count && shared >= self.shared_count {
                return;
            }
            if !seen.contains(&(kind, number)) {
                seen.push((kind, number));
                let cells = self
                    .delta
                    .iter()
                    .filter(|(cell, _)| cell.kind() == kind && cell.row() == number);
                cells.for_each(|(_, value)| add_allocations(value, &mut reached));
            }
        }
        let is_dropped = |cell: CellKey| match cell.kind() {
            EntityKind::Record => cell.row() >= records,
            EntityKind::Shared => cell.row() >= shared,
            _ => false,
        };
        let dropped: Vec<CellKey> = self
            .delta
            .iter()
            .map(|(cell, _)| cell)
            .filter(|cell| is_dropped(*cell))
            .collect();
        for cell in dropped {
            self.delta.remove(cell);
            self.stale_columns.insert(cell.column_index());
        }
        (self.record_count, self.shared_count) = (
            records.min(self.record_count),
            shared.min(self.shared_count),
        );
    }
}
