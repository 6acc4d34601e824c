//! Filter for the rows of a comparison.

use crate::tui::{parts::list::passes_filter, work::difference_rows::DifferenceRow};

/// Returns the indexes of the rows that pass a filter, and of their parents.
pub(super) fn filter_rows(rows: &[DifferenceRow], filter: &str) -> Vec<usize> {
    let mut shown = Vec::new();
    // Parents of the current row that are not in the result yet, outermost first.
    let mut above: Vec<usize> = Vec::new();
    let mut title = "";
    for (at, row) in rows.iter().enumerate() {
        while above.last().and_then(|last| rows.get(*last)).is_some_and(|last| last.level >= row.level) {
            above.pop();
        }
        above.push(at);
        if row.level == 0 {
            title = &row.text;
        }
        if filter.is_empty() || passes_filter(filter, &format!("{title} {}", row.text)) {
            shown.append(&mut above);
        }
    }
    shown
}
