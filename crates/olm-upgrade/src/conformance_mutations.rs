//! Mutation tests: each comparison with recorded answers fails if one answer changes.

use olmap_testing::assert_can_fail;
use serde_json::json;

#[test]
fn upgrade_comparisons_can_fail() {
    let successors = "tests::successors_are_those_of_the_real_programs";
    for file in ["successors/kilns.classic.jsonl", "successors/kilns.v1.jsonl"] {
        assert_can_fail(successors, file, 1, "/pick", &json!("kiln.v0.9.0"));
    }
    assert_can_fail(successors, "successors/kilns.classic.jsonl", 0, "/order", &json!([]));
    for file in ["random/classic.jsonl", "random/v1.jsonl"] {
        assert_can_fail(successors, file, 0, "/pick", &json!("kiln.v0.9.0"));
    }
}

#[test]
fn dependency_comparisons_can_fail() {
    let resolved = "resolve::conformance::namespaces_agree_with_the_reference";
    assert_can_fail(resolved, "dependencies/resolve.jsonl", 0, "/result", &json!([]));
    assert_can_fail(resolved, "dependencies/resolve.jsonl", 1, "/error", &json!(null));
    let real = "resolve::conformance::channels_of_published_catalogs_agree_with_the_reference";
    assert_can_fail(real, "dependencies/real/kilns.jsonl", 0, "/result", &json!([]));
    let rules = "resolve::cel::conformance::rules_agree_with_the_reference";
    assert_can_fail(rules, "dependencies/cel.jsonl", 0, "/match", &json!(false));
    assert_can_fail(rules, "dependencies/cel.jsonl", 1, "/compiles", &json!(true));
}

#[test]
fn cluster_comparison_can_fail() {
    let catalogs = "cluster::conformance::catalogs_of_a_cluster_agree_with_the_reference";
    let file = "v1-catalogs/rows.jsonl";
    assert_can_fail(catalogs, file, 0, "/answer/pick", &json!("kiln.v1.1.0"));
    assert_can_fail(catalogs, file, 1, "/answer/error/catalogs", &json!(["one"]));
    assert_can_fail(catalogs, file, 2, "/answer/catalog", &json!("two"));
    assert_can_fail(catalogs, file, 3, "/stays", &json!(false));
}
