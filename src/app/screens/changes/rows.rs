//! Which rows of a comparison are shown.

use crate::app::{parts::list::passes, work::difference::Row};

/// Rows that pass a filter, each with the ones it belongs to.
pub(super) fn passing(rows: &[Row], filter: &str) -> Vec<usize> {
    let mut shown = Vec::new();
    // What the row that is looked at belongs to, from the outside in, as far as that is not shown yet.
    let mut above: Vec<usize> = Vec::new();
    let mut title = "";
    for (at, row) in rows.iter().enumerate() {
        while above.last().and_then(|last| rows.get(*last)).is_some_and(|last| last.level >= row.level) {
            above.pop();
        }
        above.push(at);
        if row.level == 0 {
            title = &row.words;
        }
        if filter.is_empty() || passes(filter, &format!("{title} {}", row.words)) {
            shown.append(&mut above);
        }
    }
    shown
}
