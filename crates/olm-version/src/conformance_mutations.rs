//! Mutation tests: each comparison with recorded answers fails if one answer changes.

use olmap_testing::assert_can_fail;
use serde_json::json;

#[test]
fn range_comparison_can_fail() {
    let ranges = "conformance::ranges_match_like_go_libraries";
    for key in ["/blang_match", "/blang_ok", "/masterminds_match", "/masterminds_ok", "/version_ok"] {
        assert_can_fail(ranges, "ranges.jsonl", 0, key, &json!(false));
    }
}
