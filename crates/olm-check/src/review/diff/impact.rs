//! Impact of a comparison on users, and the number of affected users.

use std::{
    collections::{BTreeMap, BTreeSet},
    iter::Sum,
};

use super::Difference;
use crate::review::{ChangedUpgrade, FreshInstall, FreshInstallChange, Snapshot, stuck_changes::StuckChange};
use olm_catalog::{BundleName, PackageName};
use olm_upgrade::table::NextUpgrade;
use olm_version::VersionRelease;

/// Impact of a change on a user who has a bundle installed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Impact {
    /// The version is newly stuck: see [`StuckChange`].
    Stuck,
    /// The resolver newly reports an error. For a fresh install: it no longer works.
    Failing,
    /// The next upgrade leads to an older version than the installed one.
    Downgraded,
    /// The version was stuck and no longer is.
    Freed,
    /// The resolver no longer reports an error. For a fresh install: it works again.
    Recovered,
    /// The next upgrade changes.
    Redirected,
}

impl Impact {
    /// All impacts, most severe first.
    pub const ALL: [Self; 6] =
        [Self::Stuck, Self::Failing, Self::Downgraded, Self::Freed, Self::Recovered, Self::Redirected];

    /// Returns true if users are worse off.
    pub fn is_harm(self) -> bool {
        matches!(self, Self::Stuck | Self::Failing | Self::Downgraded)
    }

    /// Judges a change. `old` has the version of the installed bundle, and `stuck` has the changes
    /// of its package.
    pub(in crate::review) fn judge_change(
        moved: &ChangedUpgrade,
        stuck: &[StuckChange],
        old: &Snapshot,
        new: &Snapshot,
    ) -> Self {
        let (before, after) = (&moved.before, &moved.after);
        let stuck = stuck.iter().find(|change| *change.package_name() == moved.package);
        let installed = version_in(old, &moved.package, &moved.installed);
        let target = after.next.target().and_then(|to| version_in(new, &moved.package, to));
        if stuck.is_some_and(|change| change.is_newly_stuck(moved.engine, &moved.installed)) {
            Self::Stuck
        } else if gets_error(moved) {
            Self::Failing
        } else if before.next != after.next
            && matches!((installed, target), (Some(a), Some(b)) if b.cmp_precedence(a).is_lt())
        {
            Self::Downgraded
        } else if stuck.is_some_and(|change| change.is_freed(moved.engine, &moved.installed)) {
            Self::Freed
        } else if is_error(&before.next) && !is_error(&after.next) {
            Self::Recovered
        } else {
            Self::Redirected
        }
    }

    /// Judges a change for a user who installs the package for the first time.
    pub(in crate::review) fn judge_fresh_install(
        change: &FreshInstallChange,
        old: &Snapshot,
        new: &Snapshot,
    ) -> Self {
        let (before, after) = (&change.before, &change.after);
        let of = |install: &FreshInstall, state| {
            install.pick.as_ref().ok().and_then(|name| version_in(state, &change.package, name))
        };
        match (before.works(), after.works()) {
            (true, false) => Self::Failing,
            (false, true) => Self::Recovered,
            _ => match (of(before, old), of(after, new)) {
                (Some(before), Some(after)) if after.cmp_precedence(before).is_lt() => Self::Downgraded,
                _ => Self::Redirected,
            },
        }
    }
}

fn is_error(next: &NextUpgrade) -> bool {
    matches!(next, NextUpgrade::Error(_))
}

/// Returns true if the resolver newly reports an error.
fn gets_error(moved: &ChangedUpgrade) -> bool {
    is_error(&moved.after.next) && !is_error(&moved.before.next)
}

fn version_in<'a>(
    state: &'a Snapshot,
    package: &PackageName,
    bundle: &BundleName,
) -> Option<&'a VersionRelease> {
    state.package(package.as_str())?.package().bundle_version(bundle.as_str())
}

/// Number of installed versions per impact. Each version is counted once, with its most severe
/// impact.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ImpactCounts {
    /// Versions of removed packages.
    pub orphaned: usize,
    /// [`Impact::Stuck`]: versions that are newly stuck on at least one engine.
    pub stuck: usize,
    /// [`Impact::Failing`], except for removed packages.
    pub failing: usize,
    /// All versions of remaining packages that get an error, also those that are counted as stuck.
    pub failing_in_all: usize,
    /// [`Impact::Downgraded`]
    pub downgraded: usize,
    /// [`Impact::Freed`]
    pub freed: usize,
    /// [`Impact::Recovered`]
    pub recovered: usize,
    /// [`Impact::Redirected`]
    pub moved: usize,
    /// Versions with the same next upgrade but another end of the upgrade path.
    pub ends: usize,
    /// Fresh installs that no longer work: without a channel, in each channel, on v1.
    pub fresh_broken: usize,
    /// Fresh installs that get an older version.
    pub fresh_older: usize,
    /// Other fresh installs with another version, or that work again.
    pub fresh: usize,
}

impl ImpactCounts {
    /// Returns true if versions are counted with a more severe impact, which may also have this one.
    pub fn has_more_severe_than(&self, impact: Impact) -> bool {
        let counts = [
            (Impact::Stuck, self.stuck),
            (Impact::Failing, self.failing),
            (Impact::Downgraded, self.downgraded),
            (Impact::Freed, self.freed),
            (Impact::Recovered, self.recovered),
        ];
        counts.into_iter().any(|(other, count)| other < impact && count > 0)
    }

    /// Counts the users of all packages of a comparison.
    pub fn count_users(difference: &Difference) -> Self {
        Self::count_users_by_package(difference).into_values().sum()
    }

    /// Counts like [`Self::count_users`], by package. Packages without affected users are absent.
    pub fn count_users_by_package(difference: &Difference) -> BTreeMap<&PackageName, Self> {
        type Installed<'a> = (&'a PackageName, &'a BundleName);
        let consequences = &difference.consequences;
        let fortune = |moved: &ChangedUpgrade| difference.impact_of_upgrade(moved);
        let mut all: Vec<(Impact, Installed<'_>)> =
            consequences.changed_steps.iter().map(|m| (fortune(m), (&m.package, &m.installed))).collect();
        // Versions may be stuck or freed though their own next upgrade is the same.
        for change in &consequences.stuck {
            let newly = change.newly_stuck.iter().map(|row| (Impact::Stuck, &row.version));
            let freed = change.freed.iter().map(|row| (Impact::Freed, &row.version));
            all.extend(
                newly.chain(freed).map(|(fortune, version)| (fortune, (change.package_name(), version))),
            );
        }
        all.sort();
        let mut counted: BTreeSet<Installed<'_>> = BTreeSet::new();
        let mut packages: BTreeMap<&PackageName, Self> = BTreeMap::new();
        for (fortune, installed) in all {
            if counted.insert(installed) {
                let users = packages.entry(installed.0).or_default();
                *match fortune {
                    Impact::Stuck => &mut users.stuck,
                    Impact::Failing if difference.after.package(installed.0.as_str()).is_none() => {
                        &mut users.orphaned
                    }
                    Impact::Failing => &mut users.failing,
                    Impact::Downgraded => &mut users.downgraded,
                    Impact::Freed => &mut users.freed,
                    Impact::Recovered => &mut users.recovered,
                    Impact::Redirected => &mut users.moved,
                } += 1;
            }
        }
        let failing = consequences.changed_steps.iter().filter(|moved| gets_error(moved));
        let failing: BTreeSet<Installed<'_>> =
            failing.map(|moved| (&moved.package, &moved.installed)).collect();
        for (package, _) in failing {
            if difference.after.package(package.as_str()).is_some() {
                packages.entry(package).or_default().failing_in_all += 1;
            }
        }
        for change in &consequences.fresh {
            let users = packages.entry(&change.package).or_default();
            *match difference.impact_of_fresh_install(change) {
                Impact::Failing => &mut users.fresh_broken,
                Impact::Downgraded => &mut users.fresh_older,
                Impact::Stuck | Impact::Freed | Impact::Recovered | Impact::Redirected => &mut users.fresh,
            } += 1;
        }
        let ends: BTreeSet<_> =
            consequences.changed_ends.iter().map(|m| (&m.package, &m.installed)).collect();
        for (package, _) in ends.difference(&counted) {
            packages.entry(package).or_default().ends += 1;
        }
        packages
    }
}

impl ImpactCounts {
    /// Returns the numbers of installed versions and of fresh installs that are worse off.
    pub fn count_harmed(&self) -> (usize, usize) {
        let installed = self.orphaned + self.stuck + self.failing + self.downgraded;
        (installed, self.fresh_broken + self.fresh_older)
    }
}

impl Sum for ImpactCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |a, b| Self {
            orphaned: a.orphaned + b.orphaned,
            stuck: a.stuck + b.stuck,
            failing: a.failing + b.failing,
            failing_in_all: a.failing_in_all + b.failing_in_all,
            downgraded: a.downgraded + b.downgraded,
            freed: a.freed + b.freed,
            recovered: a.recovered + b.recovered,
            moved: a.moved + b.moved,
            ends: a.ends + b.ends,
            fresh_broken: a.fresh_broken + b.fresh_broken,
            fresh_older: a.fresh_older + b.fresh_older,
            fresh: a.fresh + b.fresh,
        })
    }
}
