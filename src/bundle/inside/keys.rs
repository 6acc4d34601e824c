//! Keys of rows: one row of a section has each, so that outlines can be compared row by row.

use std::collections::{HashMap, HashSet};

use super::Row;

/// The keys that are taken.
#[derive(Default)]
pub(super) struct Keys {
    taken: HashSet<String>,
    counts: HashMap<String, usize>,
}

impl Keys {
    /// A row with a key that no other has: the second of a key gets a number.
    pub fn tell_apart(&mut self, row: Row) -> Row {
        if self.taken.insert(row.key.clone()) {
            return row;
        }
        let count = self.counts.entry(row.key.clone()).or_insert(1);
        let key = loop {
            *count += 1;
            // A bundle may call something `x #2`.
            let key = format!("{} #{count}", row.key);
            if self.taken.insert(key.clone()) {
                break key;
            }
        };
        Row { key, ..row }
    }
}

/// Rows of which each has its own key.
pub(super) fn told_apart(rows: Vec<Row>) -> Vec<Row> {
    let mut keys = Keys::default();
    rows.into_iter().map(|row| keys.tell_apart(row)).collect()
}
