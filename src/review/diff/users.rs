//! Impact of a change on installed versions and fresh installs.

use std::collections::BTreeSet;

use super::Difference;
use crate::{
    catalog::{BundleName, PackageName},
    review::{FreshChange, FreshInstall, Moved, Snapshot, stuck_changes::StuckChange},
    upgrade::table::Next,
    version::VersionRelease,
};

/// Impact of a change on a user who has a bundle installed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fortune {
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
    Moved,
}

impl Fortune {
    /// All impacts, most severe first.
    pub const ALL: [Self; 6] =
        [Self::Stuck, Self::Failing, Self::Downgraded, Self::Freed, Self::Recovered, Self::Moved];

    /// Returns true if users are worse off.
    pub fn is_harm(self) -> bool {
        matches!(self, Self::Stuck | Self::Failing | Self::Downgraded)
    }

    /// Judges a change. `old` has the version of the installed bundle, and `stuck` has the changes
    /// of its package.
    pub fn of(moved: &Moved, stuck: &[StuckChange], old: &Snapshot, new: &Snapshot) -> Self {
        let (before, after) = (&moved.before, &moved.after);
        let stuck = stuck.iter().find(|change| *change.package() == moved.package);
        let installed = version(old, &moved.package, &moved.installed);
        let target = after.next.target().and_then(|to| version(new, &moved.package, to));
        let is_error = |next: &Next| matches!(next, Next::Error(_));
        if stuck.is_some_and(|change| change.is_newly_stuck(moved.engine, &moved.installed)) {
            Self::Stuck
        } else if is_error(&after.next) && !is_error(&before.next) {
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
            Self::Moved
        }
    }

    /// Judges a change for a user who installs the package for the first time.
    pub fn of_fresh(change: &FreshChange, old: &Snapshot, new: &Snapshot) -> Self {
        let (before, after) = (&change.before, &change.after);
        let of = |install: &FreshInstall, state| {
            install.pick.as_ref().ok().and_then(|name| version(state, &change.package, name))
        };
        match (before.works(), after.works()) {
            (true, false) => Self::Failing,
            (false, true) => Self::Recovered,
            _ => match (of(before, old), of(after, new)) {
                (Some(before), Some(after)) if after.cmp_precedence(before).is_lt() => Self::Downgraded,
                _ => Self::Moved,
            },
        }
    }
}

fn version<'a>(
    state: &'a Snapshot,
    package: &PackageName,
    bundle: &BundleName,
) -> Option<&'a VersionRelease> {
    state.package(package.as_str())?.package().version_of(bundle.as_str())
}

/// Number of installed versions per impact. Each version is counted once, with its most severe
/// impact.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Users {
    /// Versions of removed packages.
    pub orphaned: usize,
    /// [`Fortune::Stuck`]: versions that are newly stuck on at least one engine.
    pub stuck: usize,
    /// [`Fortune::Failing`], except for removed packages.
    pub failing: usize,
    /// [`Fortune::Downgraded`]
    pub downgraded: usize,
    /// [`Fortune::Freed`]
    pub freed: usize,
    /// [`Fortune::Recovered`]
    pub recovered: usize,
    /// [`Fortune::Moved`]
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

impl Users {
    /// Counts the users of all packages of a comparison.
    pub fn of(difference: &Difference, old: &Snapshot, new: &Snapshot) -> Self {
        type Installed<'a> = (&'a PackageName, &'a BundleName);
        let consequences = &difference.consequences;
        let stuck = &consequences.stuck;
        let fortune = |moved: &Moved| Fortune::of(moved, stuck, old, new);
        let mut all: Vec<(Fortune, Installed<'_>)> =
            consequences.moved.iter().map(|m| (fortune(m), (&m.package, &m.installed))).collect();
        // Versions may be stuck or freed though their own next upgrade is the same.
        for change in stuck {
            let newly = change.newly.iter().map(|row| (Fortune::Stuck, &row.version));
            let freed = change.freed.iter().map(|(_, version)| (Fortune::Freed, version));
            all.extend(newly.chain(freed).map(|(fortune, version)| (fortune, (change.package(), version))));
        }
        all.sort();
        let mut counted: BTreeSet<Installed<'_>> = BTreeSet::new();
        let mut users = Self::default();
        for (fortune, installed) in all {
            if counted.insert(installed) {
                *match fortune {
                    Fortune::Stuck => &mut users.stuck,
                    Fortune::Failing if new.package(installed.0.as_str()).is_none() => &mut users.orphaned,
                    Fortune::Failing => &mut users.failing,
                    Fortune::Downgraded => &mut users.downgraded,
                    Fortune::Freed => &mut users.freed,
                    Fortune::Recovered => &mut users.recovered,
                    Fortune::Moved => &mut users.moved,
                } += 1;
            }
        }
        let ends: BTreeSet<_> = consequences.ends.iter().map(|m| (&m.package, &m.installed)).collect();
        for change in &consequences.fresh {
            *match Fortune::of_fresh(change, old, new) {
                Fortune::Failing => &mut users.fresh_broken,
                Fortune::Downgraded => &mut users.fresh_older,
                Fortune::Stuck | Fortune::Freed | Fortune::Recovered | Fortune::Moved => &mut users.fresh,
            } += 1;
        }
        users.ends = ends.difference(&counted).count();
        users
    }
}
