//! Mutation tests: each comparison with recorded answers fails if one answer changes.

use olmap_testing::assert_can_fail;
use serde_json::json;

#[test]
fn verdict_and_reading_comparisons_can_fail() {
    let unreadable = "text::split::tests::rejects_catalogs_that_opm_cannot_read";
    assert_can_fail(
        unreadable,
        "validate/expected.jsonl",
        0,
        "/opm",
        &json!("error converting YAML to JSON: yaml: line 1"),
    );
    let images = "image_ref::tests::validates_references_like_opm";
    assert_can_fail(
        images,
        "validate/expected.jsonl",
        3,
        "/opm",
        &json!(r#""invalid image pull spec \"example.com/kiln:v1\": no""#),
    );
    let yaml = "text::split::tests::parses_edge_cases_like_opm";
    assert_can_fail(yaml, "yaml-edge.json", 0, "/0/docs/0/v", &json!("yes"));
    let ignored = "paths::indexignore::tests::keeps_same_files_as_opm";
    assert_can_fail(ignored, "indexignore.json", 0, "/cases/0/kept_by_opm", &json!([]));
}

#[test]
fn rendering_comparisons_can_fail() {
    let rendered = "text::canonical::tests::conformance::renders_catalogs_like_opm";
    assert_can_fail(rendered, "render.jsonl", 0, "/yaml_sha256", &json!("0"));
    assert_can_fail(rendered, "render.jsonl", 1, "/json_sha256", &json!("0"));
}
