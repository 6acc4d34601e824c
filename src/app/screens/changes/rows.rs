//! What is shown of a comparison.

use crate::app::{
    parts::list::{ListId, passes},
    shell::model::Model,
    work::{comparison::Comparison, difference::Row},
};
use crate::app::{
    parts::memo::{Memo, Same},
    shell::derived::Derived,
};

/// Which rows of a comparison pass the filter.
pub(in crate::app) type Rows = Memo<(Same<Comparison>, String), Vec<usize>>;

impl Derived {
    /// The rows of the comparison that are shown.
    pub fn differences(&self) -> &[usize] {
        &self.differences.value
    }

    pub(in crate::app) fn list_differences(&mut self, model: &Model) {
        let comparison = model.session.comparison();
        let key = (Same::of(comparison), model.session.lists.filter(ListId::Differences).to_owned());
        self.differences.update(key, |(_, filter)| {
            let Some(comparison) = comparison else { return Vec::new() };
            passing(&comparison.rows, filter)
        });
    }
}

/// Rows that pass, each with the ones it belongs to.
fn passing(rows: &[Row], filter: &str) -> Vec<usize> {
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

impl Model {
    /// A row of the comparison, by its place among those that are shown.
    pub fn difference(&self, row: usize) -> Option<&Row> {
        let at = self.derived.differences().get(row)?;
        self.session.comparison()?.rows.get(*at)
    }

    /// Turns from the comparison to unsaved edits, or back.
    pub(in crate::app) fn turn_changes(&mut self) {
        if self.session.base().is_some() {
            self.session.shows_bytes = !self.session.shows_bytes;
        }
    }
}
