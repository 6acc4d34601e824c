//! Effects of an edit on users of deprecated bundles.

use std::collections::BTreeSet;

use super::{Deprecated, deprecated};
use crate::{
    catalog::{BundleName, ChannelName, PackageName, blob::DeprecationTarget},
    review::Judged,
    upgrade::Engine,
};

/// Installed deprecated bundle without a way out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stranded {
    /// OLM that manages it.
    pub engine: Engine,
    /// Classic: the subscribed channel.
    pub channel: Option<ChannelName>,
    /// Installed bundle.
    pub installed: BundleName,
}

/// Differences between two states of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Name of the package.
    pub package: PackageName,
    /// New deprecations, each with the number of affected installed versions.
    pub added: Vec<(DeprecationTarget, usize)>,
    /// Removed deprecations.
    pub removed: Vec<DeprecationTarget>,
    /// Users who lose their way out, or who newly need one and do not have it.
    pub lost: Vec<Stranded>,
    /// Users who gain a way out, or no longer need one.
    pub found: Vec<Stranded>,
    /// Installed versions on which v1 newly stays because the next version is deprecated.
    pub stopped: Vec<BundleName>,
    /// Installed versions that v1 upgrades again.
    pub freed: Vec<BundleName>,
}

impl Effects {
    /// Compares two states of a package; `None` if there are no differences.
    pub fn between(package: &PackageName, old: Option<&Judged>, new: Option<&Judged>) -> Option<Self> {
        let (old, new) = (State::of(old), State::of(new));
        let gone = |one: &State, other: &State| -> Vec<DeprecationTarget> {
            let targets = one.all.iter().filter_map(|d| d.target.clone());
            targets.filter(|target| other.deprecation(target).is_none()).collect()
        };
        let count = |target: DeprecationTarget| {
            let concerned = new.deprecation(&target).map_or(0, |d| d.concerned.len());
            (target, concerned)
        };
        let effects = Self {
            package: package.clone(),
            added: gone(&new, &old).into_iter().map(count).collect(),
            removed: gone(&old, &new),
            lost: new.stranded.difference(&old.stranded).cloned().collect(),
            found: old.stranded.difference(&new.stranded).cloned().collect(),
            stopped: new.stopped.difference(&old.stopped).cloned().collect(),
            freed: old.stopped.difference(&new.stopped).cloned().collect(),
        };
        (effects != Self { package: package.clone(), ..Self::default() }).then_some(effects)
    }
}

#[derive(Default)]
struct State {
    all: Vec<Deprecated>,
    stranded: BTreeSet<Stranded>,
    stopped: BTreeSet<BundleName>,
}

impl State {
    fn of(judged: Option<&Judged>) -> Self {
        let all = judged.map(deprecated).unwrap_or_default();
        let users = all.iter().flat_map(|d| &d.users);
        let stranded = users.flat_map(|user| {
            user.closed().map(|(engine, channel)| Stranded {
                engine,
                channel: channel.cloned(),
                installed: user.installed.clone(),
            })
        });
        let stranded = stranded.collect();
        let stopped = all.iter().flat_map(|d| d.stopped.iter().cloned()).collect();
        Self { all, stranded, stopped }
    }

    fn deprecation(&self, target: &DeprecationTarget) -> Option<&Deprecated> {
        self.all.iter().find(|d| d.target.as_ref() == Some(target))
    }
}
