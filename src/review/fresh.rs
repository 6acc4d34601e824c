//! Effects of a catalog change on new installations.

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

/// Result of a new `Subscription` or `ClusterExtension`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FreshInstall {
    /// Installed bundle, or the error of the resolver.
    pub pick: Result<BundleName, ResolveError>,
    /// Classic without a channel: the channel that it installs from.
    pub from: Option<ChannelName>,
    /// Reason why v1 would not install its pick; `None` if it would.
    pub refused: Option<BlockedKind>,
}

/// Changed result of a new installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreshChange {
    /// Name of the package.
    pub package: PackageName,
    /// Resolver.
    pub engine: Engine,
    /// Classic: the channel of the `Subscription`; `None` if it does not have one. v1 is queried without channels.
    pub channel: Option<ChannelName>,
    /// Previous result.
    pub before: FreshInstall,
    /// New result.
    pub after: FreshInstall,
}

impl FreshInstall {
    /// Returns true if a bundle is installed in the end.
    pub fn works(&self) -> bool {
        self.pick.is_ok() && self.refused.is_none()
    }

    fn nothing(error: ResolveError) -> Self {
        Self { pick: Err(error), from: None, refused: None }
    }
}

/// Returns the new installations of a package with a changed result: Classic without a channel, each channel, then v1.
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

/// Returns the channel of a `Subscription` without one: the default channel, otherwise the first by name (`cache.Sorted` of
/// operator-lifecycle-manager).
fn unnamed(package: &Package) -> Option<&ChannelName> {
    let names = || package.channels.iter().map(|channel| &channel.name.value);
    let default = package.default_channel().and_then(|default| names().find(|name| *name == default));
    default.or_else(|| names().min())
}

/// Returns the head of a channel, which a new `Subscription` installs.
fn head(judged: &Judged, channel: &ChannelName) -> Result<BundleName, ResolveError> {
    let answer = judged.graph.classic(channel.as_str(), None);
    match (answer.error, answer.pick) {
        (Some(error), _) => Err(error),
        (None, Some(bundle)) => Ok(bundle),
        (None, None) => Err(ResolveError::NoMatch(String::new())),
    }
}
