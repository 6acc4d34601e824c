//! Effects of a catalog change on new installations.

use std::collections::BTreeSet;

use super::snapshot::PackageState;
use olm_catalog::{BundleName, ChannelName, PackageName, package::Package};
use olm_upgrade::{
    Engine, ResolveError,
    install_blockers::{self, InstallBlockerKind},
    v1::Query,
};

/// Result of a new `Subscription` or `ClusterExtension`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FreshInstall {
    /// Installed bundle, or the error of the resolver.
    pub pick: Result<BundleName, ResolveError>,
    /// Classic without a channel: the channel that it installs from.
    pub from: Option<ChannelName>,
    /// Reason why v1 would not install its pick; `None` if it would.
    pub refused: Option<InstallBlockerKind>,
}

/// Changed result of a new installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreshInstallChange {
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

    fn failed(error: ResolveError) -> Self {
        Self { pick: Err(error), from: None, refused: None }
    }
}

/// Returns the new installations of a package with a changed result: Classic without a channel, each channel, then v1.
pub(super) fn changed_installs(
    package: &PackageName,
    old: &PackageState,
    new: &PackageState,
) -> Vec<FreshInstallChange> {
    let channels = [old, new].into_iter().flat_map(|judged| judged.package().channels.iter());
    let names: BTreeSet<&ChannelName> = channels.map(|channel| &channel.name.value).collect();
    let classic = std::iter::once(None).chain(names.into_iter().map(Some));
    let asked = classic.map(|channel| (Engine::Classic, channel)).chain([(Engine::V1, None)]);
    let change = |(engine, channel): (Engine, Option<&ChannelName>)| {
        let (before, after) = (install_result(old, engine, channel), install_result(new, engine, channel));
        let (differs, channel) = (before != after, channel.cloned());
        differs.then(|| FreshInstallChange { package: package.clone(), engine, channel, before, after })
    };
    asked.filter_map(change).collect()
}

fn install_result(judged: &PackageState, engine: Engine, channel: Option<&ChannelName>) -> FreshInstall {
    match engine {
        Engine::Classic => {
            let Some(named) = channel.or_else(|| implicit_channel(judged.package())) else {
                return FreshInstall::failed(ResolveError::NoPackage(judged.package().name.to_string()));
            };
            let from = channel.is_none().then(|| named.clone());
            FreshInstall { pick: installed_head(judged, named), from, refused: None }
        }
        Engine::V1 => {
            let answer = judged.graph.resolve_v1(&Query::default(), None);
            let pick = match (answer.error, answer.pick) {
                (Some(error), _) => Err(error),
                (None, None) => Err(ResolveError::NoMatch(String::new())),
                (None, Some(bundle)) => Ok(bundle),
            };
            let picked = pick.as_ref().ok().and_then(|name| judged.package().bundle(name.as_str()));
            let refused = picked.and_then(|bundle| install_blockers::first_v1_blocker(bundle, &[]));
            FreshInstall { pick, from: None, refused }
        }
    }
}

/// Returns the channel of a `Subscription` without one: the default channel, otherwise the first by name (`cache.SortedOverview` of
/// operator-lifecycle-manager).
fn implicit_channel(package: &Package) -> Option<&ChannelName> {
    let names = || package.channels.iter().map(|channel| &channel.name.value);
    let default = package.default_channel().and_then(|default| names().find(|name| *name == default));
    default.or_else(|| names().min())
}

/// Returns the head of a channel, which a new `Subscription` installs.
fn installed_head(judged: &PackageState, channel: &ChannelName) -> Result<BundleName, ResolveError> {
    let answer = judged.graph.resolve_classic(channel.as_str(), None);
    match (answer.error, answer.pick) {
        (Some(error), _) => Err(error),
        (None, Some(bundle)) => Ok(bundle),
        (None, None) => Err(ResolveError::NoMatch(String::new())),
    }
}
