//! Comparison of edges with the answers of opm for real catalogs.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{render_edge_lines, select_channels};
use olm_catalog::load;
use olm_upgrade::PackageGraph;

fn parse_edges(text: &str) -> BTreeSet<[String; 5]> {
    let mut edges = BTreeSet::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let edge =
            ["package", "channel", "from", "to", "kind"].map(|key| row[key].as_str().unwrap().to_owned());
        assert!(edges.insert(edge), "twice: {line}");
    }
    edges
}

#[test]
fn edges_are_those_of_opm() {
    for release in olmap_testing::list_names_with_suffix("successors", ".edges.jsonl") {
        let Some(catalog) = olmap_testing::find_data(&format!("repo/catalogs/{release}")) else { continue };
        let catalog = load::open_catalog(catalog).unwrap();
        let mut text = String::new();
        for package in catalog.packages() {
            let graph = PackageGraph::new(package);
            text += &render_edge_lines(&graph, &select_channels(&graph, None));
        }
        let expected = parse_edges(
            &olmap_testing::read_data_file(&format!("successors/{release}.edges.jsonl")).unwrap(),
        );
        assert!(!expected.is_empty(), "{release}");
        let found = parse_edges(&text);
        let missing: Vec<_> = expected.difference(&found).take(5).collect();
        let extra: Vec<_> = found.difference(&expected).take(5).collect();
        assert!(missing.is_empty() && extra.is_empty(), "{release}: missing {missing:?}, extra {extra:?}");
    }
}
