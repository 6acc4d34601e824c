//! What a change to a catalog does to those who install a package for the first time.

use std::collections::BTreeSet;

use super::snapshot::Judged;
use crate::{
    catalog::{BundleName, ChannelName, PackageName, package::Package},
    upgrade::{
        Engine, ResolveError,
        blocked::{self, BlockedKind},
        v1::Query,
    },
};

/// What a new `Subscription` or `ClusterExtension` gets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FreshInstall {
    /// The bundle, or why there is none.
    pub pick: Result<BundleName, ResolveError>,
    /// Classic without a channel: the channel it installs from.
    pub from: Option<ChannelName>,
    /// Why v1 would not install what it picks.
    pub refused: Option<BlockedKind>,
}

/// A fresh install that gets something else than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreshChange {
    /// The package.
    pub package: PackageName,
    /// Which OLM.
    pub engine: Engine,
    /// Classic: the channel that the `Subscription` names; `None` where it names none. v1 is asked without channels.
    pub channel: Option<ChannelName>,
    /// What it got.
    pub before: FreshInstall,
    /// What it gets.
    pub after: FreshInstall,
}

impl FreshInstall {
    /// Whether something is installed in the end.
    pub fn works(&self) -> bool {
        self.pick.is_ok() && self.refused.is_none()
    }

    fn nothing(error: ResolveError) -> Self {
        Self { pick: Err(error), from: None, refused: None }
    }
}

/// The fresh installs of a package that change: Classic without a channel, channel by channel, then v1.
pub(super) fn changed(package: &PackageName, old: &Judged, new: &Judged) -> Vec<FreshChange> {
    let channels = [old, new].into_iter().flat_map(|judged| judged.package().channels.iter());
    let names: BTreeSet<&ChannelName> = channels.map(|channel| &channel.name.value).collect();
    let classic = std::iter::once(None).chain(names.into_iter().map(Some));
    let asked = classic.map(|channel| (Engine::Classic, channel)).chain([(Engine::V1, None)]);
    let change = |(engine, channel): (Engine, Option<&ChannelName>)| {
        let (before, after) = (fresh(old, engine, channel), fresh(new, engine, channel));
        let (differs, channel) = (before != after, channel.cloned());
        differs.then(|| FreshChange { package: package.clone(), engine, channel, before, after })
    };
    asked.filter_map(change).collect()
}

fn fresh(judged: &Judged, engine: Engine, channel: Option<&ChannelName>) -> FreshInstall {
    match engine {
        Engine::Classic => {
            let Some(named) = channel.or_else(|| unnamed(judged.package())) else {
                return FreshInstall::nothing(ResolveError::NoPackage(judged.package().name.to_string()));
            };
            let from = channel.is_none().then(|| named.clone());
            FreshInstall { pick: head(judged, named), from, refused: None }
        }
        Engine::V1 => {
            let answer = judged.graph.v1(&Query::default(), None);
            let pick = match (answer.error, answer.pick) {
                (Some(error), _) => Err(error),
                (None, None) => Err(ResolveError::NoMatch(String::new())),
                (None, Some(bundle)) => Ok(bundle),
            };
            let picked = pick.as_ref().ok().and_then(|name| judged.package().bundle(name.as_str()));
            let refused = picked.and_then(|bundle| blocked::refusal(bundle, &[]));
            FreshInstall { pick, from: None, refused }
        }
    }
}

/// The channel that a `Subscription` without one installs from: the default channel comes before the others, which come
/// by name (`cache.Sorted` of operator-lifecycle-manager).
fn unnamed(package: &Package) -> Option<&ChannelName> {
    let names = || package.channels.iter().map(|channel| &channel.name.value);
    let default = package.default_channel().and_then(|default| names().find(|name| *name == default));
    default.or_else(|| names().min())
}

/// The head of a channel: what a fresh `Subscription` to it gets.
fn head(judged: &Judged, channel: &ChannelName) -> Result<BundleName, ResolveError> {
    let answer = judged.graph.classic(channel.as_str(), None);
    match (answer.error, answer.pick) {
        (Some(error), _) => Err(error),
        (None, Some(bundle)) => Ok(bundle),
        (None, None) => Err(ResolveError::NoMatch(String::new())),
    }
}
