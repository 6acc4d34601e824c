//! Harm of a change: installed bundles and fresh installs that are worse off.

use std::collections::HashSet;

use super::{
    ChangedUpgrade, Consequences, FreshInstallChange, Snapshot,
    diff::Impact,
    stuck_changes::{NewlyStuck, StuckChange},
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_upgrade::Engine;

/// Users who are worse off after a change, most severe first.
#[derive(Clone, Debug, Default)]
pub struct Harm {
    /// Versions that are newly stuck, by package.
    pub stuck: Vec<(PackageName, Vec<NewlyStuck>)>,
    /// Installed bundles with a new resolver error.
    pub failing: Vec<ChangedUpgrade>,
    /// Installed bundles that get an older version.
    pub downgraded: Vec<ChangedUpgrade>,
    /// Fresh installs that fail.
    pub fresh_broken: Vec<FreshInstallChange>,
    /// Fresh installs that get an older version.
    pub fresh_older: Vec<FreshInstallChange>,
}

/// Key of an installed bundle: package, OLM, channel and bundle.
type InstalledKey<'a> = (&'a PackageName, Engine, Option<&'a ChannelName>, &'a BundleName);

fn installed_key(moved: &ChangedUpgrade) -> InstalledKey<'_> {
    (&moved.package, moved.engine, moved.channel.as_ref(), &moved.installed)
}

/// Returns the number of versions, each counted once for both engines.
fn count_versions(rows: &[NewlyStuck]) -> usize {
    rows.iter().map(|row| &row.version).collect::<HashSet<_>>().len()
}

impl Harm {
    /// Selects the consequences that leave users worse off.
    pub(super) fn from_consequences(consequences: &Consequences, old: &Snapshot, new: &Snapshot) -> Self {
        let stuck = &consequences.stuck;
        let newly = |change: &StuckChange| (change.package_name().clone(), change.newly_stuck.clone());
        let with = stuck.iter().filter(|change| !change.newly_stuck.is_empty());
        let mut harm = Self { stuck: with.map(newly).collect(), ..Self::default() };
        for moved in &consequences.changed_steps {
            match Impact::judge_change(moved, stuck, old, new) {
                Impact::Failing => harm.failing.push(moved.clone()),
                Impact::Downgraded => harm.downgraded.push(moved.clone()),
                // Newly stuck versions are already in the list.
                Impact::Stuck | Impact::Freed | Impact::Recovered | Impact::Redirected => {}
            }
        }
        for change in &consequences.fresh {
            match Impact::judge_fresh_install(change, old, new) {
                Impact::Failing => harm.fresh_broken.push(change.clone()),
                Impact::Downgraded => harm.fresh_older.push(change.clone()),
                Impact::Stuck | Impact::Freed | Impact::Recovered | Impact::Redirected => {}
            }
        }
        harm
    }

    /// Returns the number of versions that are newly stuck on at least one engine.
    pub fn count_stuck(&self) -> usize {
        self.stuck.iter().map(|(_, rows)| count_versions(rows)).sum()
    }

    /// Returns the number of installed versions that are worse off, each counted once for both OLMs and all channels.
    pub fn count_versions(&self) -> usize {
        let stuck =
            self.stuck.iter().flat_map(|(package, rows)| rows.iter().map(move |row| (package, &row.version)));
        let moved =
            self.failing.iter().chain(&self.downgraded).map(|moved| (&moved.package, &moved.installed));
        stuck.chain(moved).collect::<HashSet<_>>().len()
    }

    /// Returns the number of fresh installs that are worse off: by OLM, and for Classic by channel.
    pub fn count_fresh_installs(&self) -> usize {
        self.fresh_broken.len() + self.fresh_older.len()
    }

    /// Returns true if a user is worse off.
    pub fn affects_users(&self) -> bool {
        self.count_versions() + self.count_fresh_installs() > 0
    }

    /// Returns the changed upgrades that are not in `failing` or `downgraded`.
    pub fn unharmed_upgrades(&self, all: &[ChangedUpgrade]) -> Vec<ChangedUpgrade> {
        let harmed: HashSet<InstalledKey<'_>> =
            self.failing.iter().chain(&self.downgraded).map(installed_key).collect();
        all.iter().filter(|moved| !harmed.contains(&installed_key(moved))).cloned().collect()
    }

    /// Returns the changed fresh installs that are not in `fresh_broken` or `fresh_older`.
    pub fn unharmed_fresh_installs(&self, all: &[FreshInstallChange]) -> Vec<FreshInstallChange> {
        let is_harmed = |change: &&FreshInstallChange| {
            self.fresh_broken.iter().chain(&self.fresh_older).any(|harmed| harmed == *change)
        };
        all.iter().filter(|change| !is_harmed(change)).cloned().collect()
    }

    /// Removes everything that is not about some packages.
    pub(super) fn retain_packages(&mut self, is_kept: impl Fn(&PackageName) -> bool) {
        self.stuck.retain(|(package, _)| is_kept(package));
        self.failing.retain(|moved| is_kept(&moved.package));
        self.downgraded.retain(|moved| is_kept(&moved.package));
        self.fresh_broken.retain(|change| is_kept(&change.package));
        self.fresh_older.retain(|change| is_kept(&change.package));
    }
}
