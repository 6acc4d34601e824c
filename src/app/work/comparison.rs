//! What differs, ready to be shown.

use std::{collections::HashMap, sync::Arc};

use crate::app::work::{difference as row, difference::Row};
use crate::{
    catalog::{BundleName, PackageName, blob::DeprecationTarget},
    export::{diff::Compared, left_out::LeftOut},
    review::{
        Difference, Snapshot,
        diff::{Fate, Fortune, PackageDiff},
    },
};

/// Two states, what differs between them, and how that is told.
#[derive(Debug)]
pub struct Comparison {
    before: Arc<Snapshot>,
    after: Arc<Snapshot>,
    /// What differs.
    pub difference: Difference,
    /// How many packages differ in meaning.
    pub packages: usize,
    /// How users fare, in words, the worst first.
    pub users: Vec<(Fortune, String)>,
    /// What could not be read of the two, and so is not compared: a sentence for each.
    pub left_out: Vec<String>,
    /// All of it, row by row.
    pub rows: Vec<Row>,
}

impl Comparison {
    /// Compares two states, on all cores: takes longer than a frame.
    pub fn between(before: Arc<Snapshot>, after: Arc<Snapshot>) -> Self {
        let difference = Difference::between(&before, &after);
        let compared = Compared {
            old_label: "",
            new_label: "",
            old: &before,
            new: &after,
            difference: &difference,
            violations: &[],
            left_out: [&before, &after]
                .into_iter()
                .filter_map(|side| LeftOut::of_all(&side.catalog))
                .collect(),
            formatting: false,
        };
        let users = compared.fortunes();
        let rows = row::all(&compared);
        let packages = compared.differing();
        let left_out = compared.left_out.iter().map(LeftOut::sentence).collect();
        Self { before, after, difference, packages, users, left_out, rows }
    }

    /// Whether it is that of two states.
    pub(in crate::app) fn is_of(&self, before: &Arc<Snapshot>, after: &Arc<Snapshot>) -> bool {
        Arc::ptr_eq(&self.before, before) && Arc::ptr_eq(&self.after, after)
    }

    /// What differs of a package, where that means something.
    pub fn package(&self, name: &PackageName) -> Option<&PackageDiff> {
        // They stand in the order of their names.
        let packages = &self.difference.packages;
        let at = packages.binary_search_by(|package| package.name.as_str().cmp(name.as_str())).ok()?;
        packages.get(at).filter(|package| !package.means_the_same())
    }

    /// How many packages are gone.
    pub fn gone_packages(&self) -> usize {
        self.difference.packages.iter().filter(|package| package.fate == Fate::Removed).count()
    }
}

/// What became of the entries of a channel.
#[derive(Default, Debug)]
pub struct Marks {
    fates: HashMap<BundleName, Fate>,
    /// Entries that are gone, the newest first, as people call them.
    pub gone: Vec<String>,
}

impl Marks {
    /// What became of the entries of a channel of a package.
    pub(in crate::app) fn of(comparison: &Comparison, package: &PackageName, channel: &str) -> Self {
        let Some(diff) = comparison.package(package) else { return Self::default() };
        let before = comparison.before.package(package.as_str()).map(|judged| judged.package());
        let mut marks = Self::default();
        // What was published and differs now, or is deprecated, is worth a look in every channel.
        for bundle in diff.bundles.iter().filter(|bundle| bundle.fate == Fate::Changed) {
            marks.fates.insert(bundle.name.clone(), Fate::Changed);
        }
        for deprecation in &diff.deprecations {
            if let Some(DeprecationTarget::Bundle(name)) = &deprecation.target {
                marks.fates.insert(name.clone(), Fate::Changed);
            }
        }
        for entry in diff.channel(channel).into_iter().flat_map(|channel| &channel.entries) {
            if entry.fate() == Fate::Removed {
                let label = before.map(|package| package.short_name(&entry.name));
                marks.gone.push(label.unwrap_or_else(|| entry.name.to_string()));
            }
            marks.fates.insert(entry.name.clone(), entry.fate());
        }
        marks
    }

    /// What became of an entry.
    pub fn fate(&self, name: &BundleName) -> Option<Fate> {
        self.fates.get(name).copied()
    }
}
