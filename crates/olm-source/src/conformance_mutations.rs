//! Mutation tests: each comparison with recorded answers fails if one answer changes.

use olmap_testing::assert_can_fail;
use serde_json::json;

#[test]
fn rendering_comparisons_can_fail() {
    let bundles = "conformance::bundles_render_to_the_byte";
    for key in ["/render", "/template", "/migrated"] {
        assert_can_fail(bundles, "bundles/render.jsonl", 0, key, &json!({"error": "no"}));
    }
    assert_can_fail(bundles, "bundles/render.jsonl", 0, "/migrated/json_sha256", &json!("0"));
}

#[test]
fn step_comparison_can_fail() {
    let steps = "conformance_steps::steps_agree_with_both_olms";
    assert_can_fail(steps, "steps/steps.jsonl", 0, "/classic/verdict", &json!("safe"));
    assert_can_fail(steps, "steps/steps.jsonl", 0, "/v1/reasons", &json!([]));
    assert_can_fail(steps, "steps/steps.jsonl", 1, "/dirs", &json!(["old", "new"]));
}

#[cfg(feature = "images")]
#[test]
fn image_comparison_can_fail() {
    let images = "images::conformance::images_render_as_opm_renders_them";
    assert_can_fail(images, "images/cases.jsonl", 0, "/sha256", &json!("0"));
}

#[cfg(feature = "sqlite")]
#[test]
fn index_comparison_can_fail() {
    let indexes = "legacy::tests::index::indexes_agree_with_opm";
    assert_can_fail(indexes, "legacy/cases.jsonl", 0, "/sha256", &json!("0"));
}

#[test]
fn bundle_comparisons_can_fail() {
    let suites = "conformance::suites_agree_with_the_real_programs";
    assert_can_fail(suites, "bundles/validate.jsonl", 0, "/format", &json!(["no"]));
    assert_can_fail(
        suites,
        "bundles/validate.jsonl",
        0,
        "/validate",
        &json!({"csv": [["Error", "x", "", "no"]]}),
    );
    let clusters = "conformance::v1_check_refuses_the_same_bundles_as_olm_v1";
    assert_can_fail(clusters, "bundles/v1.jsonl", 0, "/accepted", &json!(false));
    assert_can_fail(clusters, "bundles/classic.jsonl", 0, "/webhooks", &json!([{"rules_error": "no"}]));
    let pairs = "conformance_crds::made_pairs_agree_with_the_preflight";
    assert_can_fail(pairs, "crd-upgrade/pairs.jsonl", 0, "/ok", &json!(false));
    assert_can_fail(pairs, "crd-upgrade/pairs.jsonl", 1, "/findings", &json!([]));
    let published = "conformance_crds::published_pairs_agree_with_the_preflight";
    assert_can_fail(published, "crd-upgrade/real.jsonl", 0, "/findings", &json!([]));
}
