//! Ways out of what is deprecated; how both OLMs treat deprecations is in `docs/deprecations.md`.

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

/// How those who have something deprecated get to something that is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// They need not go anywhere: v1 does not look at channels, and the bundle is in one that is not deprecated.
    Here,
    /// Upgrades lead there while nobody does anything.
    Upgrades {
        /// The first bundle on the way that is not deprecated.
        to: BundleName,
        /// Upgrades until there.
        hops: usize,
    },
    /// Somebody must change what is asked for: under Classic the channel of the subscription, under v1 the list of
    /// channels.
    Switch {
        /// To these channels: one under Classic.
        channels: Vec<ChannelName>,
        /// The first bundle from there on that is not deprecated.
        to: BundleName,
        /// Upgrades until there; none where the bundle itself is in the channel.
        hops: usize,
    },
    /// There is none.
    Closed {
        /// Where the upgrades end.
        at: BundleName,
    },
    /// The resolver reports an error, so nobody knows.
    Unknown(ResolveError),
}

impl Way {
    /// Whether there is none, for sure.
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Closed { .. })
    }
}

/// What of a package is deprecated, as far as it decides where one is: the package as a whole aside.
#[derive(Debug, Default)]
struct Deprecated {
    bundles: HashSet<BundleName>,
    channels: HashSet<ChannelName>,
}

/// Where a sequence of upgrades gets to.
#[derive(Clone, Debug)]
enum Reach {
    /// To something that is not deprecated.
    Free { to: BundleName, hops: usize },
    /// To nothing of the kind: it ends here.
    Stuck { at: BundleName },
    /// Nowhere: the resolver reports an error.
    Error(ResolveError),
}

/// Who upgrades, and what of each step is known.
#[derive(Debug, Default)]
struct Walk(HashMap<BundleName, Reach>);

impl Walk {
    /// Where upgrades lead from a bundle; each bundle is asked once.
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

/// Answers for one package, each worked out once.
pub(super) struct Ways<'a> {
    graph: &'a PackageGraph,
    deprecated: Deprecated,
    /// One for each channel of the graph.
    classic: Vec<Walk>,
    v1: Walk,
    /// v1 when it is asked for the channels that are not deprecated alone; made when somebody needs it.
    listed: Option<(Result<Arc<Resolver>, ResolveError>, Walk)>,
    /// Channels that are not deprecated: the default one first, then by name.
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

    /// The way of a subscriber to a channel.
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
                // The channel that everybody gets is preferred to any other.
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

    /// Where upgrades lead in a channel. In a deprecated one nothing is free.
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

    /// Where somebody gets who switches to a channel: to something in it.
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

    /// The way of somebody whose `ClusterExtension` asks for no channel in particular.
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

    /// The way if the channels that are not deprecated are asked for, and nothing else.
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

/// Whether neither a bundle nor every channel that has it is deprecated. v1 does not ask from which channel it came.
fn is_free(package: &Package, deprecated: &Deprecated, name: &BundleName) -> bool {
    let mut homes = package.channels_with(name).map(|channel| &channel.name.value).peekable();
    !deprecated.bundles.contains(name)
        && (homes.peek().is_none() || homes.any(|home| !deprecated.channels.contains(home)))
}
