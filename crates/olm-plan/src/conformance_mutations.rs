//! Mutation tests: each comparison with recorded answers fails if one answer changes.

use olmap_testing::assert_can_fail;
use serde_json::json;

#[test]
fn mirror_comparison_can_fail() {
    let cut = "mirror::conformance::filtered_catalogs_match_oc_mirror";
    assert_can_fail(cut, "mirror/filter.jsonl", 0, "/result/kiln/bundles", &json!([]));
    assert_can_fail(cut, "mirror/filter.jsonl", 0, "/result/kiln/defaultChannel", &json!("fast"));
    assert_can_fail(cut, "mirror/filter.jsonl", 0, "/result/kiln/channels/stable", &json!([]));
    assert_can_fail(cut, "mirror/filter.jsonl", 0, "/result", &json!(null));
}
