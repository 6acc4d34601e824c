//! Reasons why upgrades end at a bundle.

use std::fmt;

use petgraph::graph::NodeIndex;

use crate::{Engine, Installed, PackageGraph, answer::ResolveError, package::ChannelUpgrades};
use olm_catalog::BundleName;

/// Reason why upgrades end at a bundle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StuckReason {
    /// Its upgrades lead back to it.
    Cycle,
    /// Entries upgrade from it, but the engine never picks them: they are skipped, or the head does
    /// not lead to them.
    BlockedBySkips,
    /// Its only upgrades are deprecated.
    OnlyDeprecated,
    /// Head of its channel without an upgrade from another channel.
    OldChannel,
    /// No entry upgrades from it.
    NoEdge,
}

impl StuckReason {
    /// Returns the name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Cycle => "cycle",
            Self::BlockedBySkips => "blocked by skips",
            Self::OnlyDeprecated => "only deprecated upgrades",
            Self::OldChannel => "old channel",
            Self::NoEdge => "no edge",
        }
    }

    /// Returns a short text for lists: `its channel ends here`.
    pub fn short_text(self) -> &'static str {
        match self {
            Self::Cycle | Self::BlockedBySkips | Self::OnlyDeprecated => self.id(),
            Self::OldChannel => "its channel ends here",
            Self::NoEdge => "nothing upgrades it",
        }
    }
}

impl fmt::Display for StuckReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cycle => "its upgrades lead back to it",
            Self::BlockedBySkips => {
                "entries upgrade from it, but they are skipped or the head does not lead to them"
            }
            Self::OnlyDeprecated => "its upgrades are deprecated",
            Self::OldChannel => "it is the head of its channel, and no other channel upgrades from it",
            Self::NoEdge => "no entry upgrades from it",
        })
    }
}

/// Finds the reasons why upgrades end at bundles of a package.
pub(super) struct ReasonFinder<'g> {
    graph: &'g PackageGraph,
    /// Entries with a skipRange of each channel.
    ranged: Vec<Vec<NodeIndex>>,
}

impl<'g> ReasonFinder<'g> {
    pub(super) fn for_package(graph: &'g PackageGraph) -> Self {
        let ranged_entries = |channel: &ChannelUpgrades| {
            let is_ranged =
                |at: &NodeIndex| channel.graph.entry(*at).is_some_and(|entry| entry.skip_range.is_some());
            channel.graph.entry_nodes().filter(is_ranged).collect()
        };
        Self { graph, ranged: graph.channels().iter().map(ranged_entries).collect() }
    }

    /// Returns the reason why the engine stays at an installed bundle.
    pub(super) fn find_reason(&self, engine: Engine, installed: &Installed) -> StuckReason {
        let end = &installed.name;
        let package = &self.graph.package;
        let has_cycle = |channel: &ChannelUpgrades| {
            matches!(channel.chain, Err(ResolveError::Cycle { .. }))
                && channel.graph.entry_named(end.as_str()).is_some()
        };
        if engine == Engine::Classic && self.graph.channels().iter().any(has_cycle) {
            return StuckReason::Cycle;
        }
        match engine {
            Engine::Classic => {
                if self.upgrades_from(installed).next().is_some() {
                    return StuckReason::BlockedBySkips;
                }
            }
            Engine::V1 => {
                // OLM v1 never picks a lower version, and skips do not block it.
                let is_higher = |name: &BundleName| {
                    let versions = package.bundle_version(name.as_str()).zip(installed.version.as_ref());
                    versions.is_some_and(|(version, own)| version.cmp_precedence(own).is_gt())
                };
                let mut higher = self.upgrades_from(installed).filter(|name| is_higher(name)).peekable();
                if higher.peek().is_some() && higher.all(|name| package.bundle_deprecation(name).is_some()) {
                    return StuckReason::OnlyDeprecated;
                }
            }
        }
        let is_head = self
            .graph
            .channels_with(end)
            .any(|channel| channel.graph.head().is_some_and(|head| head.name == *end));
        if is_head { StuckReason::OldChannel } else { StuckReason::NoEdge }
    }

    /// Returns the entries that upgrade from an installed bundle, in any channel.
    fn upgrades_from<'a>(&'a self, installed: &'a Installed) -> impl Iterator<Item = &'a BundleName> {
        let channels = self.graph.channels().iter().zip(&self.ranged);
        let entries = channels.flat_map(|(channel, ranged)| {
            let graph = &channel.graph;
            let at = graph.find_node(installed.name.as_str());
            let named = at.into_iter().flat_map(|at| graph.graph().neighbors(at));
            let is_included = |at: &NodeIndex| {
                let entry = graph.entry(*at).zip(installed.version.as_ref());
                entry.is_some_and(|(entry, version)| entry.range_matches(&version.version))
            };
            let by_range = ranged.iter().copied().filter(is_included);
            named.chain(by_range).filter_map(|at| Some(&graph.node(at)?.name))
        });
        entries.filter(|name| **name != installed.name)
    }
}
