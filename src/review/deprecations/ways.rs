//! Ways out of deprecations; `docs/deprecations.md` explains how both OLMs treat deprecations.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    catalog::{BundleName, ChannelName, blob::DeprecationTarget, package::Package},
    upgrade::{
        Installed, PackageGraph, ResolveError,
        package::ChannelUpgrades,
        table::{Next, classic_next, v1_next},
        v1::{Query, Resolver},
    },
};

/// Way out for users of a deprecated bundle or channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// Not needed: v1 ignores channels, and the bundle is also in a channel that is not deprecated.
    Here,
    /// Automatic upgrades lead there.
    Upgrades {
        /// First bundle on the path that is not deprecated.
        to: BundleName,
        /// Number of upgrades to this bundle.
        hops: usize,
    },
    /// The user must change the channel: for Classic that of the Subscription, for v1 the list of channels.
    Switch {
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

impl Way {
    /// Returns true if there is certainly no way out.
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Closed { .. })
    }
}

/// Deprecated bundles and channels of a package; the package itself does not matter here.
#[derive(Debug, Default)]
struct Deprecated {
    bundles: HashSet<BundleName>,
    channels: HashSet<ChannelName>,
}

/// End of a sequence of upgrades.
#[derive(Clone, Debug)]
enum Reach {
    /// Bundle that is not deprecated.
    Free { to: BundleName, hops: usize },
    /// Deprecated bundle at the end of the sequence.
    Stuck { at: BundleName },
    /// Error of the resolver.
    Error(ResolveError),
}

/// Sequence of upgrades, with cached results for each bundle.
#[derive(Debug, Default)]
struct Walk(HashMap<BundleName, Reach>);

impl Walk {
    /// Returns the end of the upgrades from a bundle; computes each bundle once.
    fn reach(
        &mut self,
        from: &BundleName,
        next: impl Fn(&BundleName) -> Next,
        is_free: impl Fn(&BundleName) -> bool,
    ) -> Reach {
        let mut trail: Vec<BundleName> = Vec::new();
        let mut on_trail: HashSet<BundleName> = HashSet::new();
        let mut at = from.clone();
        let mut reach = loop {
            if let Some(known) = self.0.get(&at) {
                break known.clone();
            }
            if !on_trail.insert(at.clone()) {
                break Reach::Stuck { at };
            }
            if is_free(&at) {
                break Reach::Free { to: at, hops: 0 };
            }
            let next = next(&at);
            trail.push(at.clone());
            match next {
                Next::To(to) => at = to,
                Next::Stays => break Reach::Stuck { at },
                Next::Error(error) => break Reach::Error(error),
            }
        };
        for name in trail.into_iter().rev() {
            if let Reach::Free { hops, .. } = &mut reach {
                *hops += 1;
            }
            self.0.insert(name, reach.clone());
        }
        reach
    }
}

/// Cached ways out for one package.
pub(super) struct Ways<'a> {
    graph: &'a PackageGraph,
    deprecated: Deprecated,
    /// A walk per channel of the graph.
    classic: Vec<Walk>,
    v1: Walk,
    /// v1 with only the channels that are not deprecated; created on first use.
    listed: Option<(Result<Arc<Resolver>, ResolveError>, Walk)>,
    /// Indices of channels that are not deprecated: the default one first, then by name.
    alive: Vec<usize>,
}

impl<'a> Ways<'a> {
    pub(super) fn new(graph: &'a PackageGraph) -> Self {
        let package = &graph.package;
        let mut deprecated = Deprecated::default();
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
        let classic = channels.iter().map(|_| Walk::default()).collect();
        Self { graph, deprecated, classic, v1: Walk::default(), listed: None, alive }
    }

    fn package(&self) -> &'a Package {
        &self.graph.package
    }

    /// Returns the way out with a Subscription to a channel.
    pub(super) fn classic(&mut self, channel: usize, installed: &BundleName) -> Way {
        let here = self.reach_in(channel, installed);
        match here {
            Reach::Free { hops: 0, .. } => return Way::Here,
            Reach::Free { to, hops } => return Way::Upgrades { to, hops },
            Reach::Stuck { .. } | Reach::Error(_) => {}
        }
        let mut best: Option<(usize, Way)> = None;
        for other in self.alive.clone().into_iter().filter(|other| *other != channel) {
            if let Some((to, hops)) = self.switched_to(other, installed)
                && best.as_ref().is_none_or(|(fewest, _)| hops < *fewest)
            {
                let channels = self.graph.channels().get(other).map(|c| c.graph.name().clone());
                best = Some((hops, Way::Switch { channels: channels.into_iter().collect(), to, hops }));
                // The default channel takes precedence over any other.
                if self.is_default(other) {
                    break;
                }
            }
        }
        match (best, here) {
            (Some((_, way)), _) => way,
            (None, Reach::Error(error)) => Way::Unknown(error),
            (None, Reach::Stuck { at } | Reach::Free { to: at, .. }) => Way::Closed { at },
        }
    }

    fn is_default(&self, channel: usize) -> bool {
        let name = self.graph.channels().get(channel).map(|c| c.graph.name());
        name.is_some() && name == self.package().default_channel()
    }

    /// Returns the end of the upgrades in a channel. In a deprecated channel all bundles count as deprecated.
    fn reach_in(&mut self, channel: usize, from: &BundleName) -> Reach {
        let Some((upgrades, walk)) = self.graph.channels().get(channel).zip(self.classic.get_mut(channel))
        else {
            return Reach::Stuck { at: from.clone() };
        };
        let deprecated = &self.deprecated;
        let is_alive = !deprecated.channels.contains(upgrades.graph.name());
        let package = &self.graph.package;
        walk.reach(
            from,
            |at| classic_next(upgrades, &Installed::of(package, at)),
            |at| is_alive && !deprecated.bundles.contains(at),
        )
    }

    /// Returns the first bundle that is not deprecated after a switch to a channel, with the number of upgrades.
    fn switched_to(&mut self, channel: usize, installed: &BundleName) -> Option<(BundleName, usize)> {
        let upgrades: &ChannelUpgrades = self.graph.channels().get(channel)?;
        let (from, before) = if upgrades.graph.entry_named(installed.as_str()).is_some() {
            (installed.clone(), 0)
        } else {
            match classic_next(upgrades, &Installed::of(self.package(), installed)) {
                Next::To(to) => (to, 1),
                Next::Stays | Next::Error(_) => return None,
            }
        };
        match self.reach_in(channel, &from) {
            Reach::Free { to, hops } => Some((to, hops + before)),
            Reach::Stuck { .. } | Reach::Error(_) => None,
        }
    }

    /// Returns the way out of a `ClusterExtension` without channels.
    pub(super) fn v1(&mut self, installed: &BundleName) -> Way {
        let graph = self.graph;
        let (package, deprecated) = (&graph.package, &self.deprecated);
        let resolver = graph.resolver(&Query::default());
        let here = self.v1.reach(
            installed,
            |at| v1_next(&resolver, &Installed::of(package, at)),
            |at| is_free(package, deprecated, at),
        );
        match here {
            Reach::Free { hops: 0, .. } => Way::Here,
            Reach::Free { to, hops } => Way::Upgrades { to, hops },
            Reach::Stuck { at } => self.v1_listing(installed).unwrap_or(Way::Closed { at }),
            Reach::Error(error) => self.v1_listing(installed).unwrap_or(Way::Unknown(error)),
        }
    }

    /// Returns the way out if only the channels that are not deprecated are selected.
    fn v1_listing(&mut self, installed: &BundleName) -> Option<Way> {
        if self.deprecated.channels.is_empty() || self.alive.is_empty() {
            return None;
        }
        let graph = self.graph;
        let channels = graph.channels();
        let names: Vec<ChannelName> =
            self.alive.iter().filter_map(|at| Some(channels.get(*at)?.graph.name().clone())).collect();
        let (resolver, walk) = self.listed.get_or_insert_with(|| {
            let query = Query { channels: names.clone(), ..Query::default() };
            (graph.resolver(&query), Walk::default())
        });
        let (package, deprecated) = (&graph.package, &self.deprecated);
        let reach = walk.reach(
            installed,
            |at| v1_next(resolver, &Installed::of(package, at)),
            |at| is_free(package, deprecated, at),
        );
        match reach {
            Reach::Free { to, hops } => Some(Way::Switch { channels: names, to, hops }),
            Reach::Stuck { .. } | Reach::Error(_) => None,
        }
    }
}

/// Returns true unless the bundle or all of its channels are deprecated. v1 ignores the channel that it came from.
fn is_free(package: &Package, deprecated: &Deprecated, name: &BundleName) -> bool {
    let mut homes = package.channels_with(name).map(|channel| &channel.name.value).peekable();
    !deprecated.bundles.contains(name)
        && (homes.peek().is_none() || homes.any(|home| !deprecated.channels.contains(home)))
}
