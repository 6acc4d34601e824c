//! Graphs, resolvers and pictures of any small package: nothing panics, and what they promise holds.
#![no_main]

mod channels;

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use olmap::{
    catalog::load,
    export::graph,
    layout::{self, Options},
    upgrade::{
        Installed, PackageGraph, UpgradeTable,
        path::{Traveller, path},
        v1::Query,
    },
};

fuzz_target!(|input: (channels::Package, u8, u8)| {
    let (package, lanes, selected) = input;
    let catalog = load::from_bytes(channels::catalog(&package).into_bytes());
    let Some(package) = catalog.package("p") else { return };
    let package_graph = PackageGraph::new(package);
    let query = Query::default();
    for upgrades in package_graph.channels() {
        let table = UpgradeTable::new(&package_graph, upgrades.graph.name(), &query);
        assert_eq!(table.rows.len(), package.bundles.len());
        for row in &table.rows {
            if let (Ok(chain), Some(pick)) = (&upgrades.chain, row.classic.target()) {
                let at = upgrades.graph.find(pick.as_str()).expect("a pick is in the channel");
                assert!(chain.order.contains(&at), "Classic lands on the chain only");
                assert!(!upgrades.graph.is_skipped(at), "and never on what is skipped");
            }
            let answer = package_graph.classic(upgrades.graph.name().as_str(), Some(&row.installed));
            assert_eq!(answer.moves_to(), row.classic.target(), "the table and the answer agree");
            let answer = package_graph.v1(&query, Some(&row.installed));
            assert_eq!(answer.moves_to(), row.v1.target(), "the table and the answer agree");
            let classic = Traveller::Classic(upgrades.graph.name().clone());
            let steps = path(&package_graph, &classic, &row.installed, None);
            assert!(steps.hops.len() <= package.bundles.len());
            if steps.arrives() {
                assert_eq!(steps.last(&row.installed.name), &row.classic_end.name);
                assert_eq!(steps.hops.len(), row.classic_end.hops);
            }
        }
        let node = upgrades.graph.find(&channels::name(selected));
        let options = Options::within(usize::from(lanes)).with_selected(node);
        let picture = layout::layout(&package_graph, upgrades, &options);
        let rows: HashSet<_> = picture.rows.iter().map(|row| row.at).collect();
        assert_eq!(rows.len(), upgrades.graph.graph().node_count(), "every bundle has one row");
        assert!(picture.rows.iter().all(|row| row.cells.len() == picture.width()));
    }
    let all = graph::select(&package_graph, None);
    let _text = graph::text(&package_graph, &all, selected % 2 == 0);
    let _mermaid = graph::mermaid(&package_graph, &all);
    let _dot = graph::dot(&package_graph, &all);
    let _jsonl = graph::jsonl(&package_graph, &all);
    let _installed = Installed::of(package, &channels::name(selected).as_str().into());
});
