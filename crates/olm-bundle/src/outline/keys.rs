//! Unique keys of rows in a section, so that outlines can be compared row by row.

use std::collections::{HashMap, HashSet};

use super::Row;

/// Keys in use.
#[derive(Default)]
pub(super) struct RowKeys {
    taken: HashSet<String>,
    counts: HashMap<String, usize>,
}

impl RowKeys {
    /// Returns the row with a unique key: duplicates get a number.
    pub fn make_unique(&mut self, row: Row) -> Row {
        if self.taken.insert(row.key.clone()) {
            return row;
        }
        let count = self.counts.entry(row.key.clone()).or_insert(1);
        let key = loop {
            *count += 1;
            // A key of the bundle may be `x #2`.
            let key = format!("{} #{count}", row.key);
            if self.taken.insert(key.clone()) {
                break key;
            }
        };
        Row { key, ..row }
    }
}

/// Returns the rows with unique keys.
pub(super) fn with_unique_keys(rows: Vec<Row>) -> Vec<Row> {
    let mut keys = RowKeys::default();
    rows.into_iter().map(|row| keys.make_unique(row)).collect()
}
