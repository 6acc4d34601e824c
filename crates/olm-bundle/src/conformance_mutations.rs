//! Mutation tests: each comparison with recorded answers fails if one answer changes.

use olmap_testing::assert_can_fail;
use serde_json::json;

#[test]
fn rendering_comparisons_can_fail() {
    let templates = "template::conformance::templates_render_as_opm_renders_them";
    assert_can_fail(templates, "templates/cases.jsonl", 0, "/sha256", &json!("0"));
    let shown = "template::conformance::shown_templates_equal_rendered_templates";
    assert_can_fail(shown, "templates/cases.jsonl", 0, "/template", &json!("schema: olm.semver\n"));
    let converted = "template::conformance::catalogs_convert_as_opm_converts_them";
    assert_can_fail(converted, "templates/convert.jsonl", 1, "/sha256", &json!("0"));
}
