//! The names that the lists of the Catalog screen hold, in their order.

use std::collections::HashSet;

use crate::{
    app::parts::{
        list::passes,
        orders::{self, Order},
    },
    catalog::{BundleName, ChannelName, PackageName},
    review::{Judged, Snapshot},
};

/// The packages that pass a filter.
pub(super) fn packages(snapshot: &Snapshot, filter: &str, order: Option<Order>) -> Vec<PackageName> {
    let names = snapshot.packages().map(|(name, _)| name);
    let mut names: Vec<PackageName> = names.filter(|name| passes(filter, name.as_str())).cloned().collect();
    orders::packages(&mut names, order, snapshot);
    names
}

/// The channels that pass a filter, the default one first.
pub(super) fn channels(package: &Judged, filter: &str, order: Option<Order>) -> Vec<ChannelName> {
    let default = package.package().default_channel();
    let mut seen = HashSet::new();
    let named = package.package().channels.iter().map(|channel| &channel.name.value);
    let passing = named.filter(|name| passes(filter, name.as_str()) && seen.insert(*name));
    let mut names: Vec<ChannelName> = passing.cloned().collect();
    names.sort_by(|a, b| {
        (Some(b) == default).cmp(&(Some(a) == default)).then_with(|| a.as_str().cmp(b.as_str()))
    });
    orders::channels(&mut names, order, package);
    names
}

/// The entries of a channel that pass a filter.
pub(super) fn entries(
    package: &Judged,
    channel: &ChannelName,
    filter: &str,
    order: Option<Order>,
) -> Vec<BundleName> {
    let Some(upgrades) = package.graph.channel(channel.as_str()) else { return Vec::new() };
    let nodes = orders::entries(&upgrades.graph, order).into_iter();
    let nodes = nodes.filter_map(|at| upgrades.graph.node(at));
    let entries = nodes.filter(|node| node.entry.is_some() && passes(filter, node.name.as_str()));
    entries.map(|node| node.name.clone()).collect()
}
