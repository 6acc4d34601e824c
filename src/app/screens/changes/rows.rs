//! What is shown of a comparison.

use std::sync::Arc;

use crate::app::{
    parts::memo::{Memo, Same},
    session::answers::Derived,
};
use crate::{
    app::{
        parts::list::{ListId, passes},
        session::model::Model,
        work::{
            comparison::{Comparison, Marks},
            difference::Row,
        },
    },
    catalog::{BundleName, ChannelName, PackageName},
};

/// Which rows of a comparison pass the filter.
pub(in crate::app) type Rows = Memo<(Same<Comparison>, String), Vec<usize>>;

/// What became of the entries of a channel.
pub(in crate::app) type EntryMarks =
    Memo<(Same<Comparison>, Option<PackageName>, Option<ChannelName>), Marks>;

impl Derived {
    /// The rows of the comparison that are shown.
    pub fn differences(&self) -> &[usize] {
        &self.differences.value
    }

    /// What became of the entries of the selected channel.
    pub fn marks(&self) -> &Marks {
        &self.marks.value
    }

    pub(in crate::app) fn list_differences(&mut self, model: &Model) {
        let comparison = model.comparison();
        let key = (Same::of(comparison), model.lists.filter(ListId::Differences).to_owned());
        self.differences.update(key, |(_, filter)| {
            let Some(comparison) = comparison else { return Vec::new() };
            passing(&comparison.rows, filter)
        });
    }

    pub(in crate::app) fn mark_entries(&mut self, model: &Model) {
        let selection = model.selection();
        let comparison = model.comparison();
        let key = (Same::of(comparison), selection.package.clone(), selection.channel.clone());
        self.marks.update(key, |(_, package, channel)| {
            let wanted = comparison.zip(package.as_ref()).zip(channel.as_ref());
            wanted.map_or_else(Marks::default, |((comparison, package), channel)| {
                Marks::of(comparison, package, channel.as_str())
            })
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
        self.comparison()?.rows.get(*at)
    }

    /// Whether a bundle is new in the selected package, compared with what one compares with.
    pub fn is_new_bundle(&self, name: &BundleName) -> bool {
        let compares = self.base_state().is_some() && self.what_if().is_none();
        let known = self.base_package().map(Arc::as_ref);
        compares && known.is_none_or(|judged| judged.package().bundle(name.as_str()).is_none())
    }

    /// How many bundles of the selected package what one compares with has, and the catalog has no more.
    pub fn gone_bundles(&self) -> usize {
        let (Some(before), Some(now)) = (self.base_package(), self.package()) else { return 0 };
        let bundles = &before.package().bundles;
        bundles.iter().filter(|bundle| now.package().bundle(bundle.name.value.as_str()).is_none()).count()
    }

    /// Turns from the comparison to unsaved edits, or back.
    pub(in crate::app) fn turn_changes(&mut self) {
        if self.base().is_some() {
            self.shows_bytes = !self.shows_bytes;
        }
    }
}
