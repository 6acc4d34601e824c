//! Mutation tests: each comparison with recorded answers fails if one answer changes.

use olmap_testing::assert_can_fail;
use serde_json::json;

#[test]
fn verdict_and_reading_comparisons_can_fail() {
    let verdicts = "tests::conformance::verdicts_are_those_of_opm";
    assert_can_fail(verdicts, "validate/expected.jsonl", 0, "/valid", &json!(false));
    assert_can_fail(verdicts, "validate/expected.jsonl", 1, "/valid", &json!(true));
}
