//! What an edit changes for those who are on something deprecated.

use std::collections::BTreeSet;

use super::{Deprecated, deprecated};
use crate::{
    catalog::{BundleName, ChannelName, PackageName, blob::DeprecationTarget},
    review::Judged,
    upgrade::Engine,
};

/// Somebody on something deprecated, without a way out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stranded {
    /// Under which OLM.
    pub engine: Engine,
    /// Classic: the subscribed channel.
    pub channel: Option<ChannelName>,
    /// What is installed.
    pub installed: BundleName,
}

/// What two states of a package differ in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// The package.
    pub package: PackageName,
    /// Deprecations that are new, with how many installed versions each concerns.
    pub added: Vec<(DeprecationTarget, usize)>,
    /// Deprecations that are gone.
    pub removed: Vec<DeprecationTarget>,
    /// Who has no way out now, and had one or needed none.
    pub lost: Vec<Stranded>,
    /// Who had no way out, and has one now or needs none.
    pub found: Vec<Stranded>,
    /// Installed versions on which v1 stays now because what comes next is deprecated.
    pub stopped: Vec<BundleName>,
    /// Installed versions that v1 moves on again.
    pub freed: Vec<BundleName>,
}

impl Effects {
    /// Compares two states of a package; `None` where they do not differ in any of this.
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
