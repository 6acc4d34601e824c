//! Tests that indexed rules agree with a full search.

use std::collections::HashSet;

use proptest::prelude::*;

use super::super::{
    CatalogContext,
    channel::{reason_for_head, unknown_targets},
    subject::PackageSubject,
    upgrades::{DeprecatedUpgrades, dead_ends},
    way_out::{all_successors, bundles_with_way_out},
};
use olm_catalog::{
    BundleName,
    blob::{BundleBlob, Entry},
    similar_names,
};
use olm_upgrade::{
    EdgeKind, Installed, PackageGraph, classic,
    fixture::{self, any_channel_lines},
};

/// Returns upgrades that an entry would have if their targets were not skipped.
fn search_escapes(graph: &PackageGraph, channel: usize, name: &BundleName) -> Vec<(BundleName, BundleName)> {
    let graph_of = &graph.channels()[channel].graph;
    let installed = Installed::from_package(&graph.package, name);
    let skipped = graph_of.entry_nodes().filter_map(|at| {
        let by = graph_of.successors(at, EdgeKind::Skips).next()?;
        Some((graph_of.entry(at)?, graph_of.entry(by)?))
    });
    let leads = |(entry, _): &(&Entry, &Entry)| {
        entry.name.value != *name && classic::edge_kind(entry, &installed).is_some()
    };
    skipped.filter(leads).map(|(a, b)| (a.name.value.clone(), b.name.value.clone())).collect()
}

fn search_upgrades_from<'a>(
    s: &PackageSubject<'a>,
    deprecated: &[&'a BundleBlob],
    installed: &Installed,
) -> HashSet<&'a BundleName> {
    let leads_away = |target: &&&BundleBlob| {
        s.all_entries().any(|(_, entry)| {
            entry.name.value == target.name.value && classic::edge_kind(entry, installed).is_some()
        })
    };
    deprecated.iter().filter(leads_away).map(|target| &target.name.value).collect()
}

fn search_way_out<'s>(
    s: &'s PackageSubject<'_>,
    from: &'s BundleName,
    is_away: &impl Fn(&BundleName) -> bool,
) -> bool {
    let mut seen: HashSet<&BundleName> = HashSet::from([from]);
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if is_away(at) {
            return true;
        }
        open.extend(all_successors(s, at).into_iter().filter(|name| seen.insert(name)));
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn indexes_agree_with_full_search(c in any_channel_lines(), d in any_channel_lines()) {
        let catalog = fixture::catalog_from_channels(&[("c", &c), ("d", &d)]);
        let graph = fixture::graph_from_catalog(&catalog);
        let around = CatalogContext::from_catalog(&catalog);
        let standings = around.resolve_package(&graph.package.name);
        let s = PackageSubject::new(&around, &graph, &standings);
        let package = &graph.package;
        let is_deprecated = |name: &BundleName| package.bundle_deprecation(name).is_some();
        let names: Vec<&BundleName> = package.bundles.iter().map(|bundle| &bundle.name.value).collect();
        for name in &names {
            let listed = package.deprecations.iter().flat_map(|blob| &blob.entries);
            let slow = listed.filter(|d| d.name.as_ref().is_some_and(|n| n.value == name.as_str())).count();
            prop_assert_eq!(is_deprecated(name), slow > 0);
            let has_it = |channel: &&std::sync::Arc<olm_catalog::blob::ChannelBlob>| {
                channel.entries.iter().any(|entry| entry.name.value == **name)
            };
            let slow: Vec<_> = package.channels.iter().filter(has_it).map(|c| &c.name.value).collect();
            let quick: Vec<_> = package.channels_with(name).map(|c| &c.name.value).collect();
            prop_assert_eq!(quick, slow);
        }
        for (number, upgrades) in graph.channels().iter().enumerate() {
            let head = upgrades.graph.head_node().and_then(|at| upgrades.graph.entry(at));
            let Some(head) = head else { continue };
            for (name, end) in dead_ends(&s, upgrades, head) {
                let ways = end.escapes.iter().map(|(a, b)| (a.name.value.clone(), b.name.value.clone()));
                prop_assert_eq!(ways.collect::<Vec<_>>(), search_escapes(&graph, number, name), "{}", name);
            }
        }
        let deprecated: Vec<&BundleBlob> =
            package.bundles.iter().filter(|b| is_deprecated(&b.name.value)).map(|b| &**b).collect();
        let leads = DeprecatedUpgrades::new(&s, &deprecated);
        for name in &names {
            let installed = Installed::from_package(package, name);
            let quick: HashSet<&BundleName> = leads.upgrades_from(&installed).collect();
            prop_assert_eq!(quick, search_upgrades_from(&s, &deprecated, &installed), "{}", name);
        }
        let is_away = |name: &BundleName| !is_deprecated(name);
        let of_deprecated = || names.iter().copied().filter(|name| is_deprecated(name));
        let away = bundles_with_way_out(&s, of_deprecated(), is_away);
        for name in of_deprecated() {
            prop_assert_eq!(away.contains(name), search_way_out(&s, name, &is_away), "{}", name);
        }
        for walk in &s.walks {
            let slips = unknown_targets(walk);
            for name in &names {
                let is_slip = |edge: &str| similar_names::is_similar(edge, name.as_str());
                let edges = walk.channel.entries.iter().flat_map(|e| e.replaces.iter().chain(&e.skips));
                let mut dangling = edges.filter(|edge| !walk.entries.contains_key(&edge.value));
                let slow = dangling.find(|edge| is_slip(edge.value.as_str())).map(|edge| edge.span);
                let (words, span) = reason_for_head(walk, &slips, name, name);
                prop_assert_eq!(slow, words.contains("did you mean").then_some(span), "{}", words);
            }
        }
    }
}
