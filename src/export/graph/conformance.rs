//! Edges against what opm made of real catalogs.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{jsonl, select};
use crate::{catalog::load, upgrade::PackageGraph};

fn edges(text: &str) -> BTreeSet<[String; 5]> {
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
    let Some(data) = crate::conformance::data() else { return };
    let mut total = 0;
    for release in ["v4.18", "v4.20", "v4.22"] {
        let catalog =
            load::open(&data.join("repo/catalogs").join(release), &load::Progress::default()).unwrap();
        let mut text = String::new();
        for package in catalog.packages() {
            let graph = PackageGraph::new(package);
            text += &jsonl(&graph, &select(&graph, None));
        }
        let expected =
            edges(&std::fs::read_to_string(data.join(format!("successors/{release}.edges.jsonl"))).unwrap());
        let found = edges(&text);
        total += expected.len();
        let missing: Vec<_> = expected.difference(&found).take(5).collect();
        let extra: Vec<_> = found.difference(&expected).take(5).collect();
        assert!(missing.is_empty() && extra.is_empty(), "{release}: missing {missing:?}, extra {extra:?}");
    }
    assert_eq!(total, 4092);
}
