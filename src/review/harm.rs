//! Users who are worse off after a change.

use std::collections::HashSet;

use super::{
    Consequences, FreshChange, Moved, Snapshot,
    diff::Fortune,
    stuck_changes::{NewlyStuck, StuckChange},
};
use crate::{
    catalog::{BundleName, ChannelName, PackageName},
    upgrade::Engine,
};

/// Users who are worse off after a change, most severe first.
#[derive(Clone, Debug, Default)]
pub struct Harm {
    /// Versions that are newly stuck, by package.
    pub stuck: Vec<(PackageName, Vec<NewlyStuck>)>,
    /// Installed bundles with a new resolver error.
    pub failing: Vec<Moved>,
    /// Installed bundles that get an older version.
    pub downgraded: Vec<Moved>,
    /// Fresh installs that fail.
    pub fresh_broken: Vec<FreshChange>,
    /// Fresh installs that get an older version.
    pub fresh_older: Vec<FreshChange>,
}

/// Key of an installed bundle: package, OLM, channel and bundle.
type Installed<'a> = (&'a PackageName, Engine, Option<&'a ChannelName>, &'a BundleName);

fn installed(moved: &Moved) -> Installed<'_> {
    (&moved.package, moved.engine, moved.channel.as_ref(), &moved.installed)
}

impl Harm {
    /// Collects the users who are worse off.
    pub(super) fn of(consequences: &Consequences, old: &Snapshot, new: &Snapshot) -> Self {
        let stuck = &consequences.stuck;
        let newly = |change: &StuckChange| (change.package().clone(), change.newly.clone());
        let with = stuck.iter().filter(|change| !change.newly.is_empty());
        let mut harm = Self { stuck: with.map(newly).collect(), ..Self::default() };
        for moved in &consequences.moved {
            match Fortune::of(moved, stuck, old, new) {
                Fortune::Failing => harm.failing.push(moved.clone()),
                Fortune::Downgraded => harm.downgraded.push(moved.clone()),
                // Newly stuck versions are already in the list.
                Fortune::Stuck | Fortune::Freed | Fortune::Recovered | Fortune::Moved => {}
            }
        }
        for change in &consequences.fresh {
            match Fortune::of_fresh(change, old, new) {
                Fortune::Failing => harm.fresh_broken.push(change.clone()),
                Fortune::Downgraded => harm.fresh_older.push(change.clone()),
                Fortune::Stuck | Fortune::Freed | Fortune::Recovered | Fortune::Moved => {}
            }
        }
        harm
    }

    /// Returns the number of versions that are newly stuck on at least one engine.
    pub fn stuck_count(&self) -> usize {
        let versions =
            |rows: &[NewlyStuck]| rows.iter().map(|row| &row.version).collect::<HashSet<_>>().len();
        self.stuck.iter().map(|(_, rows)| versions(rows)).sum()
    }

    /// Returns the total: newly stuck versions, other installed bundles per OLM and channel, and
    /// fresh installs that are worse off.
    pub fn count(&self) -> usize {
        self.stuck_count()
            + self.failing.len()
            + self.downgraded.len()
            + self.fresh_broken.len()
            + self.fresh_older.len()
    }

    /// Returns the changed installed bundles that are not worse off.
    pub fn other_moved(&self, all: &[Moved]) -> Vec<Moved> {
        let harmed: HashSet<Installed<'_>> =
            self.failing.iter().chain(&self.downgraded).map(installed).collect();
        all.iter().filter(|moved| !harmed.contains(&installed(moved))).cloned().collect()
    }

    /// Returns the changed fresh installs that are not worse off.
    pub fn other_fresh(&self, all: &[FreshChange]) -> Vec<FreshChange> {
        let is_harmed = |change: &&FreshChange| {
            self.fresh_broken.iter().chain(&self.fresh_older).any(|harmed| harmed == *change)
        };
        all.iter().filter(|change| !is_harmed(change)).cloned().collect()
    }

    /// Removes everything that is not about some packages.
    pub(super) fn keep(&mut self, is_kept: impl Fn(&PackageName) -> bool) {
        self.stuck.retain(|(package, _)| is_kept(package));
        self.failing.retain(|moved| is_kept(&moved.package));
        self.downgraded.retain(|moved| is_kept(&moved.package));
        self.fresh_broken.retain(|change| is_kept(&change.package));
        self.fresh_older.retain(|change| is_kept(&change.package));
    }
}
