//! How those fare for whom something changes.

use std::collections::BTreeSet;

use super::Difference;
use crate::{
    catalog::{BundleName, PackageName},
    review::{FreshChange, FreshInstall, Moved, Outlook, Snapshot},
    upgrade::{Engine, table::Next},
    version::VersionRelease,
};

/// What a change is to somebody who has a bundle installed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fortune {
    /// There was a way on, or nothing better to be had; now there is none though newer versions are there. Or the
    /// resolver reports an error where it reported none.
    Stranded,
    /// What comes next is an older version than what is installed.
    Downgraded,
    /// There was no way on, and now there is.
    Freed,
    /// Something else comes next.
    Moved,
}

impl Fortune {
    /// What a change is. The installed bundle has the version that `old` has for it.
    pub fn of(moved: &Moved, old: &Snapshot, new: &Snapshot) -> Self {
        let (before, after) = (&moved.before, &moved.after);
        let installed = version(old, &moved.package, &moved.installed);
        let target = after.next.target().and_then(|to| version(new, &moved.package, to));
        if is_stuck(moved, after, installed, new) && !is_stuck(moved, before, installed, old) {
            Self::Stranded
        } else if before.next != after.next
            && matches!((installed, target), (Some(a), Some(b)) if b.cmp_precedence(a).is_lt())
        {
            Self::Downgraded
        } else if is_stuck(moved, before, installed, old) && !is_stuck(moved, after, installed, new) {
            Self::Freed
        } else {
            Self::Moved
        }
    }
}

impl Fortune {
    /// What a change is to somebody who installs the package for the first time: stranded where that no longer works.
    pub fn of_fresh(change: &FreshChange, old: &Snapshot, new: &Snapshot) -> Self {
        let (before, after) = (&change.before, &change.after);
        let of = |install: &FreshInstall, state| {
            install.pick.as_ref().ok().and_then(|name| version(state, &change.package, name))
        };
        match (before.works(), after.works()) {
            (true, false) => Self::Stranded,
            (false, true) => Self::Freed,
            _ => match (of(before, old), of(after, new)) {
                (Some(before), Some(after)) if after.cmp_precedence(before).is_lt() => Self::Downgraded,
                _ => Self::Moved,
            },
        }
    }
}

/// Whether there is no way on. Classic says so by the head of the channel. Under v1, which knows no head, it counts where
/// there was a way on in one of the two catalogs and a newer version is to be had in this one.
fn is_stuck(moved: &Moved, outlook: &Outlook, installed: Option<&VersionRelease>, state: &Snapshot) -> bool {
    match (&outlook.next, moved.engine) {
        (Next::Error(_), _) => true,
        (Next::To(_), _) => false,
        (Next::Stays, Engine::Classic) => outlook.dead_end,
        (Next::Stays, Engine::V1) => {
            let had_one = moved.before.next.target().is_some() || moved.after.next.target().is_some();
            let is_newer =
                |version: &VersionRelease| installed.is_some_and(|i| version.cmp_precedence(i).is_gt());
            let package = state.package(moved.package.as_str()).map(|judged| judged.package());
            let mut versions =
                package.into_iter().flat_map(|p| &p.bundles).filter_map(|b| b.version.as_ref());
            had_one && versions.any(is_newer)
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

/// How many installed versions fare how; each is counted once, by the worst that happens to it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Users {
    /// [`Fortune::Stranded`], for all of the package is gone.
    pub orphaned: usize,
    /// [`Fortune::Stranded`] otherwise.
    pub stranded: usize,
    /// [`Fortune::Downgraded`]
    pub downgraded: usize,
    /// [`Fortune::Freed`]
    pub freed: usize,
    /// [`Fortune::Moved`]
    pub moved: usize,
    /// The next step is the same, but in the end they come elsewhere.
    pub ends: usize,
    /// Fresh installs that no longer work: without a channel, in each channel, under v1.
    pub fresh_broken: usize,
    /// Those that get an older version.
    pub fresh_older: usize,
    /// Those that get another version otherwise, or one again.
    pub fresh: usize,
}

impl Users {
    /// Counts.
    pub fn of(difference: &Difference, old: &Snapshot, new: &Snapshot) -> Self {
        type Installed<'a> = (&'a PackageName, &'a BundleName);
        let mut told: BTreeSet<Installed<'_>> = BTreeSet::new();
        let consequences = &difference.consequences;
        let key = |moved: &Moved| Fortune::of(moved, old, new);
        let mut all: Vec<(Fortune, Installed<'_>)> =
            consequences.moved.iter().map(|m| (key(m), (&m.package, &m.installed))).collect();
        all.sort();
        let mut users = Self::default();
        for (fortune, installed) in all {
            if told.insert(installed) {
                *match fortune {
                    Fortune::Stranded if new.package(installed.0.as_str()).is_none() => &mut users.orphaned,
                    Fortune::Stranded => &mut users.stranded,
                    Fortune::Downgraded => &mut users.downgraded,
                    Fortune::Freed => &mut users.freed,
                    Fortune::Moved => &mut users.moved,
                } += 1;
            }
        }
        let ends: BTreeSet<_> = consequences.ends.iter().map(|m| (&m.package, &m.installed)).collect();
        for change in &consequences.fresh {
            *match Fortune::of_fresh(change, old, new) {
                Fortune::Stranded => &mut users.fresh_broken,
                Fortune::Downgraded => &mut users.fresh_older,
                Fortune::Freed | Fortune::Moved => &mut users.fresh,
            } += 1;
        }
        users.ends = ends.difference(&told).count();
        users
    }
}
