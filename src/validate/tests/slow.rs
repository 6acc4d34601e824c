//! Tests that indexed rules agree with a full search.

use std::collections::HashSet;

use proptest::prelude::*;

use super::super::{
    Surroundings,
    channel::{slips, why_head},
    subject::Subject,
    upgrades::{LeadsAway, dead_ends},
    way_out::{get_away, successors},
};
use crate::{
    catalog::{
        BundleName,
        blob::{BundleBlob, Entry},
        near,
    },
    upgrade::{EdgeKind, Installed, PackageGraph, classic, fixture, picks::lines},
};

/// Returns upgrades that an entry would have if their targets were not skipped.
fn slow_ways(graph: &PackageGraph, channel: usize, name: &BundleName) -> Vec<(BundleName, BundleName)> {
    let graph_of = &graph.channels()[channel].graph;
    let installed = Installed::of(&graph.package, name);
    let skipped = graph_of.entries().filter_map(|at| {
        let by = graph_of.successors(at, EdgeKind::Skips).next()?;
        Some((graph_of.entry(at)?, graph_of.entry(by)?))
    });
    let leads = |(entry, _): &(&Entry, &Entry)| {
        entry.name.value != *name && classic::edge_kind(entry, &installed).is_some()
    };
    skipped.filter(leads).map(|(a, b)| (a.name.value.clone(), b.name.value.clone())).collect()
}

fn slow_leads<'a>(
    s: &Subject<'a>,
    deprecated: &[&'a BundleBlob],
    installed: &Installed,
) -> HashSet<&'a BundleName> {
    let leads_away = |target: &&&BundleBlob| {
        s.entries().any(|(_, entry)| {
            entry.name.value == target.name.value && classic::edge_kind(entry, installed).is_some()
        })
    };
    deprecated.iter().filter(leads_away).map(|target| &target.name.value).collect()
}

fn slowly_gets_away<'s>(
    s: &'s Subject<'_>,
    from: &'s BundleName,
    is_away: &impl Fn(&BundleName) -> bool,
) -> bool {
    let mut seen: HashSet<&BundleName> = HashSet::from([from]);
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if is_away(at) {
            return true;
        }
        open.extend(successors(s, at).into_iter().filter(|name| seen.insert(name)));
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn indexes_agree_with_full_search(c in lines(), d in lines()) {
        let catalog = fixture::catalog(&[("c", &c), ("d", &d)]);
        let graph = fixture::graph(&catalog);
        let around = Surroundings::of(&catalog);
        let standings = around.standings(&graph.package.name);
        let s = Subject::new(&around, &graph, &standings);
        let package = &graph.package;
        let is_deprecated = |name: &BundleName| package.bundle_deprecation(name).is_some();
        let names: Vec<&BundleName> = package.bundles.iter().map(|bundle| &bundle.name.value).collect();
        for name in &names {
            let listed = package.deprecations.iter().flat_map(|blob| &blob.entries);
            let slow = listed.filter(|d| d.name.as_ref().is_some_and(|n| n.value == name.as_str())).count();
            prop_assert_eq!(is_deprecated(name), slow > 0);
            let has_it = |channel: &&std::sync::Arc<crate::catalog::blob::ChannelBlob>| {
                channel.entries.iter().any(|entry| entry.name.value == **name)
            };
            let slow: Vec<_> = package.channels.iter().filter(has_it).map(|c| &c.name.value).collect();
            let quick: Vec<_> = package.channels_with(name).map(|c| &c.name.value).collect();
            prop_assert_eq!(quick, slow);
        }
        for (number, upgrades) in graph.channels().iter().enumerate() {
            let head = upgrades.graph.head().and_then(|at| upgrades.graph.entry(at));
            let Some(head) = head else { continue };
            for (name, end) in dead_ends(&s, upgrades, head) {
                let ways = end.ways.iter().map(|(a, b)| (a.name.value.clone(), b.name.value.clone()));
                prop_assert_eq!(ways.collect::<Vec<_>>(), slow_ways(&graph, number, name), "{}", name);
            }
        }
        let deprecated: Vec<&BundleBlob> =
            package.bundles.iter().filter(|b| is_deprecated(&b.name.value)).map(|b| &**b).collect();
        let leads = LeadsAway::new(&s, &deprecated);
        for name in &names {
            let installed = Installed::of(package, name);
            let quick: HashSet<&BundleName> = leads.from(&installed).collect();
            prop_assert_eq!(quick, slow_leads(&s, &deprecated, &installed), "{}", name);
        }
        let is_away = |name: &BundleName| !is_deprecated(name);
        let of_deprecated = || names.iter().copied().filter(|name| is_deprecated(name));
        let away = get_away(&s, of_deprecated(), is_away);
        for name in of_deprecated() {
            prop_assert_eq!(away.contains(name), slowly_gets_away(&s, name, &is_away), "{}", name);
        }
        for walk in &s.walks {
            let slips = slips(walk);
            for name in &names {
                let is_slip = |edge: &str| near::is_near(edge, name.as_str());
                let edges = walk.channel.entries.iter().flat_map(|e| e.replaces.iter().chain(&e.skips));
                let mut dangling = edges.filter(|edge| !walk.entries.contains_key(&edge.value));
                let slow = dangling.find(|edge| is_slip(edge.value.as_str())).map(|edge| edge.span);
                let (words, span) = why_head(walk, &slips, name, name);
                prop_assert_eq!(slow, words.contains("did you mean").then_some(span), "{}", words);
            }
        }
    }
}
