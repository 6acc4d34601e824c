//! Exit paths from deprecated bundles and channels. `docs/deprecations.md` explains how both OLMs
//! treat deprecations.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use olm_catalog::{BundleName, ChannelName, blob::DeprecationTarget, package::Package};
use olm_upgrade::{
    Installed, PackageGraph, ResolveError,
    package::ChannelUpgrades,
    table::{NextUpgrade, classic_next, v1_next},
    v1::{Query, Resolver},
};

/// Way out for users of a deprecated bundle or channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExitPath {
    /// Not needed: v1 ignores channels, and the bundle is also in a channel that is not deprecated.
    NotNeeded,
    /// Automatic upgrades lead to a bundle that is not deprecated.
    Upgrades {
        /// First bundle on the path that is not deprecated.
        to: BundleName,
        /// Number of upgrades to this bundle.
        hops: usize,
    },
    /// The user must change the channel of the Subscription for Classic, or the list of channels
    /// for v1.
    ChannelSwitch {
        /// New channels; exactly one for Classic.
        channels: Vec<ChannelName>,
        /// First bundle on the path from there that is not deprecated.
        to: BundleName,
        /// Number of upgrades to this bundle; 0 if the new channel contains the installed bundle.
        hops: usize,
    },
    /// No way out.
    Closed {
        /// End of the upgrades.
        at: BundleName,
    },
    /// Unknown, because the resolver reports an error.
    Unknown(ResolveError),
}

impl ExitPath {
    /// Returns true if there is certainly no way out.
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Closed { .. })
    }
}

/// Deprecated bundles and channels of a package. Ignores a deprecation of the package itself.
#[derive(Debug, Default)]
struct DeprecatedNames {
    bundles: HashSet<BundleName>,
    channels: HashSet<ChannelName>,
}

/// End of a sequence of upgrades.
#[derive(Clone, Debug)]
enum UpgradesEnd {
    /// Bundle that is not deprecated.
    Free { to: BundleName, hops: usize },
    /// Deprecated bundle at the end of the sequence.
    Stuck { at: BundleName },
    /// Error of the resolver.
    Error(ResolveError),
}

/// Cache of the ends of upgrade sequences, by the bundle at which a sequence starts.
#[derive(Debug, Default)]
struct CachedWalk(HashMap<BundleName, UpgradesEnd>);

impl CachedWalk {
    /// Returns the end of the upgrades from a bundle; computes each bundle once.
    fn find_end(
        &mut self,
        from: &BundleName,
        next: impl Fn(&BundleName) -> NextUpgrade,
        is_free: impl Fn(&BundleName) -> bool,
    ) -> UpgradesEnd {
        let mut trail: Vec<BundleName> = Vec::new();
        let mut on_trail: HashSet<BundleName> = HashSet::new();
        let mut at = from.clone();
        let mut reach = loop {
            if let Some(known) = self.0.get(&at) {
                break known.clone();
            }
            if !on_trail.insert(at.clone()) {
                break UpgradesEnd::Stuck { at };
            }
            if is_free(&at) {
                break UpgradesEnd::Free { to: at, hops: 0 };
            }
            let next = next(&at);
            trail.push(at.clone());
            match next {
                NextUpgrade::To(to) => at = to,
                NextUpgrade::Stays => break UpgradesEnd::Stuck { at },
                NextUpgrade::Error(error) => break UpgradesEnd::Error(error),
            }
        };
        for name in trail.into_iter().rev() {
            if let UpgradesEnd::Free { hops, .. } = &mut reach {
                *hops += 1;
            }
            self.0.insert(name, reach.clone());
        }
        reach
    }
}

/// Computes exit paths for one package and caches intermediate results.
pub(super) struct ExitPaths<'a> {
    graph: &'a PackageGraph,
    deprecated: DeprecatedNames,
    /// Cache for Classic, per channel of the graph.
    classic: Vec<CachedWalk>,
    /// Cache for v1 without a list of channels.
    v1: CachedWalk,
    /// Resolver and cache for v1 with only the channels that are not deprecated; created on first
    /// use.
    v1_with_channels: Option<(Result<Arc<Resolver>, ResolveError>, CachedWalk)>,
    /// Indices of channels that are not deprecated: the default one first, then by name.
    usable_channels: Vec<usize>,
}

impl<'a> ExitPaths<'a> {
    pub(super) fn new(graph: &'a PackageGraph) -> Self {
        let package = &graph.package;
        let mut deprecated = DeprecatedNames::default();
        for entry in package.deprecations.iter().flat_map(|blob| &blob.entries) {
            match &entry.target {
                Some(DeprecationTarget::Bundle(name)) => drop(deprecated.bundles.insert(name.clone())),
                Some(DeprecationTarget::Channel(name)) => drop(deprecated.channels.insert(name.clone())),
                Some(DeprecationTarget::Package) | None => {}
            }
        }
        let channels = graph.channels();
        let is_alive = |at: &usize| {
            channels.get(*at).is_some_and(|channel| !deprecated.channels.contains(channel.graph.name()))
        };
        let mut alive: Vec<usize> = (0..channels.len()).filter(is_alive).collect();
        let default = package.default_channel();
        alive.sort_by_key(|at| channels.get(*at).map(|c| (Some(c.graph.name()) != default, c.graph.name())));
        let classic = channels.iter().map(|_| CachedWalk::default()).collect();
        Self {
            graph,
            deprecated,
            classic,
            v1: CachedWalk::default(),
            v1_with_channels: None,
            usable_channels: alive,
        }
    }

    fn package(&self) -> &'a Package {
        &self.graph.package
    }

    /// Returns the exit path with a Subscription to a channel.
    pub(super) fn classic_path(&mut self, channel: usize, installed: &BundleName) -> ExitPath {
        let end = self.find_end_in_channel(channel, installed);
        match end {
            UpgradesEnd::Free { hops: 0, .. } => return ExitPath::NotNeeded,
            UpgradesEnd::Free { to, hops } => return ExitPath::Upgrades { to, hops },
            UpgradesEnd::Stuck { .. } | UpgradesEnd::Error(_) => {}
        }
        let mut best: Option<(usize, ExitPath)> = None;
        for other in self.usable_channels.clone().into_iter().filter(|other| *other != channel) {
            if let Some((to, hops)) = self.find_end_after_switch(other, installed)
                && best.as_ref().is_none_or(|(fewest, _)| hops < *fewest)
            {
                let channels = self.graph.channels().get(other).map(|c| c.graph.name().clone());
                best = Some((
                    hops,
                    ExitPath::ChannelSwitch { channels: channels.into_iter().collect(), to, hops },
                ));
                // The default channel takes precedence over any other.
                if self.is_default(other) {
                    break;
                }
            }
        }
        match (best, end) {
            (Some((_, way)), _) => way,
            (None, UpgradesEnd::Error(error)) => ExitPath::Unknown(error),
            (None, UpgradesEnd::Stuck { at } | UpgradesEnd::Free { to: at, .. }) => ExitPath::Closed { at },
        }
    }

    fn is_default(&self, channel: usize) -> bool {
        let name = self.graph.channels().get(channel).map(|c| c.graph.name());
        name.is_some() && name == self.package().default_channel()
    }

    /// Returns the end of the upgrades in a channel. In a deprecated channel, all bundles count as
    /// deprecated.
    fn find_end_in_channel(&mut self, channel: usize, from: &BundleName) -> UpgradesEnd {
        let Some((upgrades, walk)) = self.graph.channels().get(channel).zip(self.classic.get_mut(channel))
        else {
            return UpgradesEnd::Stuck { at: from.clone() };
        };
        let deprecated = &self.deprecated;
        let is_alive = !deprecated.channels.contains(upgrades.graph.name());
        let package = &self.graph.package;
        walk.find_end(
            from,
            |at| classic_next(upgrades, &Installed::from_package(package, at)),
            |at| is_alive && !deprecated.bundles.contains(at),
        )
    }

    /// Returns the first bundle that is not deprecated after a switch to a channel, with the number
    /// of upgrades. `None` if the channel does not lead to one.
    fn find_end_after_switch(
        &mut self,
        channel: usize,
        installed: &BundleName,
    ) -> Option<(BundleName, usize)> {
        let upgrades: &ChannelUpgrades = self.graph.channels().get(channel)?;
        let (from, before) = if upgrades.graph.entry_named(installed.as_str()).is_some() {
            (installed.clone(), 0)
        } else {
            match classic_next(upgrades, &Installed::from_package(self.package(), installed)) {
                NextUpgrade::To(to) => (to, 1),
                NextUpgrade::Stays | NextUpgrade::Error(_) => return None,
            }
        };
        match self.find_end_in_channel(channel, &from) {
            UpgradesEnd::Free { to, hops } => Some((to, hops + before)),
            UpgradesEnd::Stuck { .. } | UpgradesEnd::Error(_) => None,
        }
    }

    /// Returns the exit path with a `ClusterExtension` without channels.
    pub(super) fn v1_path(&mut self, installed: &BundleName) -> ExitPath {
        let graph = self.graph;
        let (package, deprecated) = (&graph.package, &self.deprecated);
        let resolver = graph.v1_resolver(&Query::default());
        let here = self.v1.find_end(
            installed,
            |at| v1_next(&resolver, &Installed::from_package(package, at)),
            |at| is_free(package, deprecated, at),
        );
        match here {
            UpgradesEnd::Free { hops: 0, .. } => ExitPath::NotNeeded,
            UpgradesEnd::Free { to, hops } => ExitPath::Upgrades { to, hops },
            UpgradesEnd::Stuck { at } => {
                self.v1_path_with_channels(installed).unwrap_or(ExitPath::Closed { at })
            }
            UpgradesEnd::Error(error) => {
                self.v1_path_with_channels(installed).unwrap_or(ExitPath::Unknown(error))
            }
        }
    }

    /// Returns the exit path if the user lists only the channels that are not deprecated.
    fn v1_path_with_channels(&mut self, installed: &BundleName) -> Option<ExitPath> {
        if self.deprecated.channels.is_empty() || self.usable_channels.is_empty() {
            return None;
        }
        let graph = self.graph;
        let channels = graph.channels();
        let names: Vec<ChannelName> = self
            .usable_channels
            .iter()
            .filter_map(|at| Some(channels.get(*at)?.graph.name().clone()))
            .collect();
        let (resolver, walk) = self.v1_with_channels.get_or_insert_with(|| {
            let query = Query { channels: names.clone(), ..Query::default() };
            (graph.v1_resolver(&query), CachedWalk::default())
        });
        let (package, deprecated) = (&graph.package, &self.deprecated);
        let reach = walk.find_end(
            installed,
            |at| v1_next(resolver, &Installed::from_package(package, at)),
            |at| is_free(package, deprecated, at),
        );
        match reach {
            UpgradesEnd::Free { to, hops } => Some(ExitPath::ChannelSwitch { channels: names, to, hops }),
            UpgradesEnd::Stuck { .. } | UpgradesEnd::Error(_) => None,
        }
    }
}

/// Returns true unless the bundle or all of its channels are deprecated. v1 does not know the
/// channel of an installed bundle.
fn is_free(package: &Package, deprecated: &DeprecatedNames, name: &BundleName) -> bool {
    let mut homes = package.channels_with(name).map(|channel| &channel.name.value).peekable();
    !deprecated.bundles.contains(name)
        && (homes.peek().is_none() || homes.any(|home| !deprecated.channels.contains(home)))
}
