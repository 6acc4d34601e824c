//! The one edit that opens a way, tried out before it is offered.

use std::{collections::HashMap, sync::Arc};

use petgraph::graph::NodeIndex;

use super::{End, Never, Path, Stop, Traveller, path, walker::Walker};
use crate::{
    catalog::{BundleName, ChannelName, blob::EntrySpec},
    edit::Edit,
    upgrade::{
        answer::ResolveError,
        classic,
        graph::ChannelGraph,
        installed::Installed,
        package::{ChannelUpgrades, PackageGraph},
        table::{self, Next},
        v1::Query,
    },
    version::VersionRelease,
};

/// An edit with which a path arrives.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// The edit.
    pub edit: Edit,
    /// The channel it changes.
    pub channel: ChannelName,
    /// The entry it changes.
    pub entry: BundleName,
    /// What can then be upgraded to that entry.
    pub from: BundleName,
    /// Which edge it adds.
    pub kind: OpeningKind,
}

/// The edge that an [`Opening`] adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningKind {
    /// One more name in `skips`.
    Skips,
    /// A wider `skipRange`.
    SkipRange {
        /// The range as it becomes.
        range: String,
    },
}

/// The smallest edit after which a path arrives that does not: one more edge into one entry.
///
/// Where a way out of the last stop exists but does not count, the entry that stands in its way is tried first, then the
/// goal, then the entries below it from where the path goes on to the goal. A bundle that Classic lands on is not made a
/// skipped one where others would be stuck behind it; there the range is widened by its version. Every edit is tried out on
/// the package before it is given. `None` where the path arrives, or no edge opens the way.
pub(super) fn opening(graph: &PackageGraph, path: &Path) -> Option<Opening> {
    let to = path.to.as_ref()?;
    match &path.end {
        // v1 says so of an installed bundle that left the catalog.
        End::Error { error: ResolveError::NoMatch(_) | ResolveError::NoEdge { .. }, .. } => {}
        End::Arrives | End::Never(_) | End::Error { .. } => return None,
        // Classic lands on no bundle that somebody skips.
        End::PassesBy { skipped_by: Some(_), .. } => return None,
        End::PassesBy { .. } | End::Stays { .. } | End::Circle { .. } => {}
    }
    let walker = Walker::new(graph, &path.traveller);
    walker.rank(to)?;
    let search = Search { graph, path, to, preference: walker.preference(), walker };
    search.run()
}

struct Search<'a> {
    graph: &'a PackageGraph,
    path: &'a Path,
    to: &'a BundleName,
    walker: Walker<'a>,
    preference: Vec<BundleName>,
}

impl Search<'_> {
    fn run(&self) -> Option<Opening> {
        let mut arrives = HashMap::new();
        let stops = self.path.hops.iter().rev().map(|hop| self.walker.installed(&hop.to));
        for stop in stops.chain([self.path.from.clone()]) {
            let next = match self.walker.step(&stop) {
                Err(ResolveError::NoMatch(_)) => None,
                next => next.ok()?,
            };
            let better_than = match next {
                Some((next, _)) => self.walker.rank(&next),
                // v1 stays where the installed bundle itself ranks before all it could go to.
                None => match self.path.traveller {
                    Traveller::Classic(_) => None,
                    Traveller::V1(_) => self.walker.rank(&stop.name),
                },
            };
            for entry in self.targets(&stop, better_than) {
                if !self.arrives_from(entry, &mut arrives) {
                    continue;
                }
                if let Some(opening) = self.edge(&stop, entry) {
                    return Some(opening);
                }
            }
        }
        None
    }

    /// The entries an edge from `stop` would lead to, the likeliest first.
    fn targets<'s>(
        &'s self,
        stop: &'s Installed,
        better_than: Option<usize>,
    ) -> impl Iterator<Item = &'s BundleName> {
        let mut targets: Vec<&BundleName> = Vec::new();
        if let End::Stays { why: Stop::DeadEnd(ignored), .. } = &self.path.end {
            targets.extend(ignored.iter().filter_map(|way_out| match &way_out.why {
                crate::upgrade::Refusal::Skipped { by, .. } => Some(by),
                _ => None,
            }));
        }
        targets.push(self.to);
        // From the goal down: what comes before it in the order of preference leads away from it.
        targets.extend(self.preference.iter().skip(self.walker.rank(self.to).unwrap_or(0)));
        let mut seen = std::collections::HashSet::new();
        targets.into_iter().filter(move |name| {
            let counts =
                self.walker.rank(name).is_some_and(|rank| better_than.is_none_or(|best| rank < best));
            counts && **name != stop.name && self.is_higher(name, stop) && seen.insert(*name)
        })
    }

    /// Nobody is upgraded to a lower version by an edit of ours.
    fn is_higher(&self, name: &BundleName, than: &Installed) -> bool {
        match (self.graph.package.version_of(name.as_str()), &than.version) {
            (Some(there), Some(here)) => there.cmp_precedence(here).is_gt(),
            _ => true,
        }
    }

    /// Whether the path from an entry comes to the goal. What is known of others on the way is not asked again.
    fn arrives_from(&self, entry: &BundleName, known: &mut HashMap<BundleName, bool>) -> bool {
        let mut trail = Vec::new();
        let mut at = entry.clone();
        let arrives = loop {
            if at == *self.to {
                break true;
            }
            if let Some(&arrives) = known.get(&at) {
                break arrives;
            }
            // Who comes back here goes round in a circle.
            known.insert(at.clone(), false);
            let next = self.walker.next(&self.walker.installed(&at));
            trail.push(at);
            match next {
                Some(next) => at = next,
                None => break false,
            }
        };
        known.extend(trail.into_iter().map(|name| (name, arrives)));
        arrives
    }

    /// The edge from a stop to an entry, by a skip or else by a range.
    fn edge(&self, stop: &Installed, name: &BundleName) -> Option<Opening> {
        let mut channels: Vec<&ChannelGraph> = self.walker.channels().collect();
        let default = self.graph.package.default_channel();
        // A channel that has both comes first, then the default channel.
        channels.sort_by_key(|graph| {
            (graph.entry_named(stop.name.as_str()).is_none(), Some(graph.name()) != default)
        });
        let with_entry =
            channels.into_iter().filter_map(|graph| Some((graph, graph.entry_named(name.as_str())?)));
        let (graph, entry) = with_entry.into_iter().next()?;
        let opening = |spec: EntrySpec, kind: OpeningKind| Opening {
            edit: Edit::SetEntry {
                package: self.graph.package.name.clone(),
                channel: graph.name().clone(),
                entry: name.clone(),
                spec,
            },
            channel: graph.name().clone(),
            entry: name.clone(),
            from: stop.name.clone(),
            kind,
        };
        let by_skip = (!entry.skips(&stop.name)).then(|| {
            let mut spec = entry.spec();
            spec.skips.push(stop.name.clone());
            opening(spec, OpeningKind::Skips)
        });
        let by_range = || {
            let range = widened(entry.spec().skip_range.as_deref(), stop.version.as_ref()?);
            let spec = EntrySpec { skip_range: Some(range.clone()), ..entry.spec() };
            Some(opening(spec, OpeningKind::SkipRange { range }))
        };
        by_skip
            .filter(|opening| self.holds(opening, graph.name()))
            .or_else(|| by_range().filter(|opening| self.holds(opening, graph.name())))
    }

    /// Whether the path arrives after the edit, and nobody who moved is stuck.
    fn holds(&self, opening: &Opening, channel: &ChannelName) -> bool {
        let Edit::SetEntry { spec, .. } = &opening.edit else { return false };
        let supposed = self.graph.package.with_entry(channel, &opening.entry, spec);
        let Some(package) = supposed else { return false };
        let after = PackageGraph::new(&Arc::new(package));
        let way = path(&after, &self.path.traveller, &self.path.from, Some(self.to));
        let channels = (self.graph.channel(channel.as_str()), after.channel(channel.as_str()));
        way.arrives()
            && match channels {
                (Some(before), Some(after)) => !strands(before, after, &opening.from),
                _ => false,
            }
    }
}

/// Whether Classic is worse off after an edit into which `name` gave an edge: the channel broken, or a bundle that was
/// upgraded to `name` stuck because `name` is now skipped.
fn strands(before: &ChannelUpgrades, after: &ChannelUpgrades, name: &BundleName) -> bool {
    if before.chain.is_err() || after.chain.is_err() {
        return before.chain.is_ok();
    }
    let Some(entry) = before.graph.entry_named(name.as_str()) else { return false };
    let moved = |at: NodeIndex| {
        let node = before.graph.node(at)?;
        let installed = Installed { name: node.name.clone(), version: node.version.clone() };
        classic::edge_kind(entry, &installed)?;
        let was = table::classic_next(before, &installed);
        Some(was.target() == Some(name) && table::classic_next(after, &installed) == Next::Stays)
    };
    before.graph.graph().node_indices().any(|at| moved(at).unwrap_or(false))
}

/// A skipRange that holds one more version.
fn widened(range: Option<&str>, version: &VersionRelease) -> String {
    // Build metadata says nothing in a range.
    let version = version.version.without_build();
    match range.map(str::trim) {
        None | Some("") => format!("={version}"),
        Some(range) => format!("{range} || ={version}"),
    }
}

/// v1: a version constraint with which the path arrives, no edit needed.
pub(super) fn constraint(graph: &PackageGraph, path: &Path) -> Option<String> {
    let Traveller::V1(query) = &path.traveller else { return None };
    let to = path.to.as_ref()?;
    let is_left_out = match &path.end {
        End::PassesBy { .. } | End::Never(Never::Constraint { .. }) => true,
        End::Stays { why, .. } => matches!(why, Stop::Highest | Stop::Constraint { .. }),
        _ => false,
    };
    if !is_left_out {
        return None;
    }
    let version = graph.package.version_of(to.as_str())?.version.without_build();
    ["<=", "="].into_iter().map(|sign| format!("{sign}{version}")).find(|text| {
        let query = Query { version: text.clone(), ..query.clone() };
        super::path(graph, &Traveller::V1(query), &path.from, Some(to)).arrives()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::{Halt, walk},
        *,
    };
    use crate::upgrade::{fixture, picks::lines};

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_known_of_others_is_what_walking_says(c in lines(), d in lines(), to in 0..12_usize) {
            let graph = fixture::channels(&[("c", &c), ("d", &d)]);
            let names: Vec<&BundleName> = graph.package.bundles.iter().map(|b| &b.name.value).collect();
            let (to, from) = (names[to % names.len()], Installed::of(&graph.package, names[0]));
            for traveller in [Traveller::Classic("c".into()), Traveller::V1(Query::default())] {
                let path = path(&graph, &traveller, &from, Some(to));
                let walker = Walker::new(&graph, &traveller);
                let preference = walker.preference();
                let search = Search { graph: &graph, path: &path, to, walker, preference };
                let mut known = HashMap::new();
                for name in &names {
                    let from = search.walker.installed(name);
                    let slow = matches!(walk(&search.walker, &from, Some(to)).1, Halt::Arrives);
                    prop_assert_eq!(search.arrives_from(name, &mut known), slow, "{} to {}", name, to);
                }
            }
        }
    }
}
