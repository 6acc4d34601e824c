//! Mutation tests: each comparison with recorded answers fails if one answer changes.

use olmap_testing::assert_can_fail;
use serde_json::json;

#[test]
fn upgrade_comparisons_can_fail() {
    let edges = "graph::conformance::edges_are_those_of_opm";
    assert_can_fail(edges, "successors/kilns.edges.jsonl", 0, "/to", &json!("kiln.v0.9.0"));
}
