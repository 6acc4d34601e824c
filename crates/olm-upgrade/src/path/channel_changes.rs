//! Paths of OLM Classic that change the channel on the way.

use std::collections::{HashMap, HashSet, VecDeque};

use super::{Hop, PathFix, PathOutcome, PickedPath, UpgradeContext, fix, follow_path, walker::Walker};
use crate::{Installed, PackageGraph};
use olm_catalog::{BundleName, ChannelName};

/// Position on a path: the installed bundle, and the channel of the Subscription.
type Position<'g> = (BundleName, &'g ChannelName);

/// Returns the upgrades that lead to the target with the fewest changes of the channel. Empty if none do, on OLM v1, or if the
/// path arrives without a change.
pub(super) fn find_channel_changes(graph: &PackageGraph, path: &PickedPath) -> Vec<Hop> {
    let (UpgradeContext::Classic(own), Some(to)) = (&path.context, &path.to) else { return Vec::new() };
    if path.arrives() {
        return Vec::new();
    }
    let mut seen = HashSet::new();
    let names = graph.channels().iter().map(|channel| channel.graph.name());
    let names: Vec<&ChannelName> = names.filter(|name| seen.insert(*name)).collect();
    let Some(own) = names.iter().find(|name| **name == own) else { return Vec::new() };
    let travellers: Vec<UpgradeContext> =
        names.iter().map(|name| UpgradeContext::Classic((*name).clone())).collect();
    let walkers: HashMap<&ChannelName, Walker<'_>> =
        names.iter().copied().zip(travellers.iter().map(|traveller| Walker::new(graph, traveller))).collect();
    // A change of the channel costs one, an upgrade nothing. Cheaper positions come first.
    let start: Position<'_> = (path.from.name.clone(), own);
    let mut before: HashMap<Position<'_>, Option<(Position<'_>, Option<Hop>)>> =
        HashMap::from([(start.clone(), None)]);
    let mut done: HashSet<Position<'_>> = HashSet::new();
    let mut open: VecDeque<Position<'_>> = VecDeque::from([start]);
    while let Some(at) = open.pop_front() {
        if at.0 == *to {
            return trace_hops(&before, at);
        }
        if !done.insert(at.clone()) {
            continue;
        }
        let installed = if at.0 == path.from.name {
            path.from.clone()
        } else {
            Installed::from_package(&graph.package, &at.0)
        };
        let step =
            walkers.get(at.1).and_then(|walker| walker.step(&installed).ok().flatten().zip(Some(walker)));
        if let Some(((next, rule), walker)) = step {
            let hop = Hop { engine: walker.engine(), from: at.0.clone(), to: next.clone(), rule };
            let next: Position<'_> = (next, at.1);
            if !done.contains(&next) {
                before.entry(next.clone()).or_insert_with(|| Some((at.clone(), Some(hop))));
                open.push_front(next);
            }
        }
        for name in &names {
            let next: Position<'_> = (at.0.clone(), name);
            if !before.contains_key(&next) {
                before.insert(next.clone(), Some((at.clone(), None)));
                open.push_back(next);
            }
        }
    }
    Vec::new()
}

fn trace_hops(
    before: &HashMap<Position<'_>, Option<(Position<'_>, Option<Hop>)>>,
    end: Position<'_>,
) -> Vec<Hop> {
    let mut hops = Vec::new();
    let mut at = end;
    while let Some(Some((from, hop))) = before.get(&at) {
        hops.extend(hop.clone());
        at = from.clone();
    }
    hops.reverse();
    hops
}

/// Returns an edit in another channel after which the target is reached with a change to that channel. The default channel is
/// tried first. `None` on OLM v1, and if the resolver reports an error in the channel of the path.
pub(super) fn find_fix_in_other_channel(graph: &PackageGraph, from_path: &PickedPath) -> Option<PathFix> {
    let (UpgradeContext::Classic(own), Some(to)) = (&from_path.context, &from_path.to) else { return None };
    if matches!(from_path.outcome, PathOutcome::Error { .. }) {
        return None;
    }
    let end = follow_path(graph, &from_path.context, &from_path.from, None);
    let end = if end.hops.is_empty() {
        from_path.from.clone()
    } else {
        Installed::from_package(&graph.package, end.last_bundle())
    };
    let default = graph.package.default_channel();
    let mut channels: Vec<&ChannelName> =
        graph.channels_with(to).map(|channel| channel.graph.name()).filter(|name| *name != own).collect();
    channels.sort_by_key(|name| Some(*name) != default);
    channels.into_iter().find_map(|name| {
        let other = follow_path(graph, &UpgradeContext::Classic(name.clone()), &end, Some(to));
        fix::find_fix(graph, &other)
    })
}
