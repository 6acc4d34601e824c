//! An overview over catalogs: packages down, catalogs across, each cell the head of the default channel and what is wrong.
//!
//! Every count is one that the Upgrades screen or `olmap validate` gives for that package of that catalog alone.

mod health;
mod mark;
#[cfg(test)]
mod tests;

use std::{cmp::Ordering, collections::BTreeSet};

use rayon::prelude::*;

pub use health::{Head, Health};
pub use mark::{Mark, Trouble, some};

use crate::{
    catalog::{ChannelName, PackageName},
    review::{Judged, Snapshot},
    upgrade::openshift::OpenShift,
    validate::{Diagnostic, Severity},
};

/// See the module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overview {
    /// The packages by name.
    pub rows: Vec<Row>,
}

/// A package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The package.
    pub package: PackageName,
    /// What is to be said of it catalog by catalog; `None` where a catalog does not have it.
    pub cells: Vec<Option<Cell>>,
    /// Whether each catalog follows the one before: both are for OpenShift versions that are known, and for two.
    follows: Vec<bool>,
}

/// A package of a catalog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The channel of a `Subscription` that names none.
    pub default_channel: Option<ChannelName>,
    /// How that is; `None` where there is no such channel.
    pub health: Option<Health>,
    /// Versions of the package that are stuck on OLM Classic and on OLM v1. `None` if nobody knows.
    pub stuck: Option<(usize, usize)>,
    /// Versions that are stuck on either engine.
    pub stuck_any: usize,
    /// How many bundles the package has, whatever channels they are in.
    pub bundles: usize,
    /// How many errors `validate` finds in the package.
    pub errors: usize,
    /// How many warnings it finds.
    pub warnings: usize,
    /// How many errors `validate` finds in the catalog outside of packages: what it drops may be of this one.
    pub outside_errors: usize,
    /// True if some checks of the package are not done: of its template, or of the steps between its bundle directories.
    pub is_pending: bool,
    /// What differs from the catalog before.
    pub change: Option<Change>,
}

/// What differs from the catalog before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// The catalog before does not have the package.
    New,
    /// The head of the default channel is lower than in the catalog before.
    Lower,
}

impl Overview {
    /// Looks at the packages that are wanted. `catalogs`: in the order in which a cluster meets them, each with the version it is
    /// for, where that is known.
    pub fn new(
        catalogs: &[(Option<OpenShift>, &Snapshot)],
        is_wanted: impl Fn(&PackageName) -> bool + Sync,
    ) -> Self {
        let names: BTreeSet<&PackageName> =
            catalogs.iter().flat_map(|(_, catalog)| catalog.packages().map(|(name, _)| name)).collect();
        let names: Vec<&PackageName> = names.into_iter().filter(|name| is_wanted(name)).collect();
        let versions = || catalogs.iter().map(|(openshift, _)| *openshift);
        let before = std::iter::once(None).chain(versions());
        let follows: Vec<bool> = versions()
            .zip(before)
            .map(|(own, before)| own.zip(before).is_some_and(|(own, before)| own != before))
            .collect();
        let row = |name: &PackageName| {
            let cell = |(openshift, catalog): &(Option<OpenShift>, &Snapshot)| {
                Some(Cell::new(catalog.package(name.as_str())?, catalog, *openshift))
            };
            Row::new(name.clone(), catalogs.iter().map(cell).collect(), follows.clone())
        };
        Self { rows: names.into_par_iter().map(row).collect() }
    }

    /// How many packages have trouble in some catalog.
    pub fn troubled(&self) -> usize {
        self.rows.iter().filter(|row| row.trouble().grave > 0).count()
    }
}

impl Row {
    fn new(package: PackageName, cells: Vec<Option<Cell>>, follows: Vec<bool>) -> Self {
        let mut row = Self { package, cells, follows };
        let heads: Vec<_> = row
            .cells
            .iter()
            .map(|cell| Some(cell.as_ref()?.head().map(|head| head.version.clone())))
            .collect();
        let before = std::iter::once(None).chain(heads.iter().map(Some));
        for (nth, (cell, before)) in row.cells.iter_mut().zip(before).enumerate() {
            let follows = row.follows.get(nth).copied().unwrap_or_default();
            let Some(cell) = cell.as_mut().filter(|_| follows) else { continue };
            let own = cell.head().and_then(|head| head.version.as_ref());
            let known = before.and_then(Option::as_ref).map(|head| head.as_ref().and_then(Option::as_ref));
            let is_lower = |before: Option<&crate::version::VersionRelease>| {
                own.zip(before).is_some_and(|(own, before)| own.cmp_precedence(before) == Ordering::Less)
            };
            cell.change = match known {
                None => Some(Change::New),
                Some(before) => is_lower(before).then_some(Change::Lower),
            };
        }
        row
    }

    /// Whether a catalog does not have the package though the one before it does.
    pub fn is_gone(&self, nth: usize) -> bool {
        let has = |nth: usize| self.cells.get(nth).is_some_and(Option::is_some);
        let follows = self.follows.get(nth).copied().unwrap_or_default();
        follows && nth > 0 && nth < self.cells.len() && !has(nth) && has(nth - 1)
    }

    /// How much is wrong, in all catalogs together. A package that is gone counts as one more.
    pub fn trouble(&self) -> Trouble {
        let gone = (0..self.cells.len()).filter(|nth| self.is_gone(*nth)).count();
        let gone = Trouble { grave: gone, slight: 0 };
        self.cells.iter().flatten().map(Cell::trouble).fold(gone, std::ops::Add::add)
    }
}

impl Cell {
    fn new(judged: &Judged, snapshot: &Snapshot, openshift: Option<OpenShift>) -> Self {
        let (package, catalog) = (judged.package(), &snapshot.catalog);
        let outside = snapshot.outside().iter().filter(|finding| finding.severity() == Severity::Error);
        let default_channel = package.default_channel();
        let stuck = judged.graph.stuck();
        let count = |severity| {
            let those = judged.findings.iter().filter(|finding| finding.severity() == severity);
            those.map(Diagnostic::count).sum()
        };
        Self {
            health: default_channel.and_then(|channel| Health::of(&judged.graph, channel, openshift)),
            stuck: stuck.answer.as_ref().map(|answer| (answer.classic.len(), answer.v1.len())),
            stuck_any: stuck.count_any(),
            default_channel: default_channel.cloned(),
            bundles: package.bundles.len(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            outside_errors: outside.map(Diagnostic::count).sum(),
            is_pending: judged.learned().is_none()
                && (catalog.made_from(&package.name).is_some() || !catalog.bundle_directories().is_empty()),
            change: None,
        }
    }

    /// The head of the default channel.
    pub fn head(&self) -> Option<&Head> {
        self.health.as_ref()?.head.as_ref()
    }

    /// How many there are of something; 0 where it does not apply.
    pub fn count(&self, mark: Mark) -> usize {
        match mark {
            Mark::Errors => self.errors,
            Mark::Warnings => self.warnings,
            Mark::Stuck => self.stuck_any,
            _ => self.health.as_ref().map_or(0, |health| health.count(mark)),
        }
    }

    /// How much is wrong with it.
    pub fn trouble(&self) -> Trouble {
        let lower = Trouble { grave: usize::from(self.change == Some(Change::Lower)), slight: 0 };
        Mark::ALL.iter().map(|mark| mark.trouble(self.count(*mark))).fold(lower, std::ops::Add::add)
    }
}

/// How each channel of a package is: the default channel, then the others in source order.
pub fn channels(judged: &Judged, openshift: Option<OpenShift>) -> Vec<Health> {
    let default = judged.package().default_channel();
    let mut names: Vec<&ChannelName> =
        judged.graph.channels().iter().map(|channel| channel.graph.name()).collect();
    names.sort_by_key(|name| Some(*name) != default);
    names.dedup();
    names.into_iter().filter_map(|name| Health::of(&judged.graph, name, openshift)).collect()
}
