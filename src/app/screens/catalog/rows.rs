//! Sorted names for the lists of the Catalog screen.

use std::collections::HashSet;

use crate::{
    app::{
        parts::{
            list::passes,
            orders::{self, Order},
        },
        session::Session,
        work::marks::Marks,
    },
    catalog::{BundleName, ChannelName, PackageName},
    layout::gone,
    review::{Judged, Snapshot},
};

/// Returns the packages that pass a filter.
pub(super) fn packages(
    session: &Session,
    (snapshot, baseline): (&Snapshot, &Snapshot),
    filter: &str,
    order: Option<Order>,
) -> Vec<PackageName> {
    let names = snapshot.packages().map(|(name, _)| name);
    let mut names: Vec<PackageName> = names.filter(|name| passes(filter, name.as_str())).cloned().collect();
    orders::packages(&mut names, order, (snapshot, baseline), |name| {
        (session.worst(name), session.counting_of(name).count())
    });
    names
}

/// Returns the channels that pass a filter, the default channel first.
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

/// Returns the entries of a channel that pass a filter.
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

/// Adds removed names that pass the filter: at their position if the names are sorted, otherwise at
/// the end.
pub(super) fn with_gone<'a, T>(
    mut names: Vec<T>,
    gone: impl Iterator<Item = &'a T>,
    filter: &str,
    by_name: bool,
) -> Vec<T>
where
    T: Clone + Ord + AsRef<str> + 'a,
{
    let there = names.len();
    names.extend(gone.filter(|name| passes(filter, (*name).as_ref())).cloned());
    if by_name && names.len() > there {
        names.sort();
    }
    names
}

/// Adds removed entries that pass the filter: at the position of their version for the order by
/// version, otherwise at the end.
pub(super) fn with_gone_entries(
    package: &Judged,
    mut names: Vec<BundleName>,
    marks: &Marks,
    filter: &str,
    order: Option<Order>,
) -> Vec<BundleName> {
    for gone in marks.gone.iter().filter(|gone| passes(filter, gone.name.as_str())) {
        let version = |name: &BundleName| {
            let known = marks.gone(name).map(|gone| gone.version.as_ref());
            known.unwrap_or_else(|| package.package().version_of(name.as_str()))
        };
        let versions = names.iter().map(version);
        let place = if order == Some(Order::NewestFirst) {
            gone::place(versions, gone.version.as_ref())
        } else {
            None
        };
        names.insert(place.unwrap_or(names.len()), gone.name.clone());
    }
    names
}
