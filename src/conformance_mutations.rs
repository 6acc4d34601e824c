//! Mutation tests: each comparison with recorded answers fails if one answer changes.

use serde_json::json;

use crate::conformance::assert_can_fail;

#[test]
fn verdict_and_reading_comparisons_can_fail() {
    let expected = "validate/expected.jsonl";
    let verdicts = "validate::tests::conformance::verdicts_are_those_of_opm";
    assert_can_fail(verdicts, expected, 0, "/valid", &json!(false));
    assert_can_fail(verdicts, expected, 1, "/valid", &json!(true));
    let unreadable = "catalog::text::split::tests::rejects_catalogs_that_opm_cannot_read";
    assert_can_fail(unreadable, expected, 0, "/opm", &json!("error converting YAML to JSON: yaml: line 1"));
    let images = "catalog::image_ref::tests::validates_references_like_opm";
    assert_can_fail(
        images,
        expected,
        3,
        "/opm",
        &json!(r#""invalid image pull spec \"example.com/kiln:v1\": no""#),
    );
    let yaml = "catalog::text::split::tests::parses_edge_cases_like_opm";
    assert_can_fail(yaml, "yaml-edge.json", 0, "/0/docs/0/v", &json!("yes"));
    let ignored = "catalog::paths::indexignore::tests::keeps_same_files_as_opm";
    assert_can_fail(ignored, "indexignore.json", 0, "/cases/0/kept_by_opm", &json!([]));
}

#[test]
fn range_comparison_can_fail() {
    let ranges = "version::conformance::ranges_match_like_go_libraries";
    for key in ["/blang_match", "/blang_ok", "/masterminds_match", "/masterminds_ok", "/version_ok"] {
        assert_can_fail(ranges, "ranges.jsonl", 0, key, &json!(false));
    }
}

#[test]
fn rendering_comparisons_can_fail() {
    let rendered = "catalog::text::canonical::tests::conformance::renders_catalogs_like_opm";
    assert_can_fail(rendered, "render.jsonl", 0, "/yaml_sha256", &json!("0"));
    assert_can_fail(rendered, "render.jsonl", 1, "/json_sha256", &json!("0"));
    let bundles = "source::conformance::bundles_render_to_the_byte";
    for key in ["/render", "/template", "/migrated"] {
        assert_can_fail(bundles, "bundles/render.jsonl", 0, key, &json!({"error": "no"}));
    }
    assert_can_fail(bundles, "bundles/render.jsonl", 0, "/migrated/json_sha256", &json!("0"));
    let templates = "template::conformance::templates_render_as_opm_renders_them";
    assert_can_fail(templates, "templates/cases.jsonl", 0, "/sha256", &json!("0"));
    let shown = "template::conformance::shown_templates_equal_rendered_templates";
    assert_can_fail(shown, "templates/cases.jsonl", 0, "/template", &json!("schema: olm.semver\n"));
    let converted = "template::conformance::catalogs_convert_as_opm_converts_them";
    assert_can_fail(converted, "templates/convert.jsonl", 1, "/sha256", &json!("0"));
}

#[test]
fn step_comparison_can_fail() {
    let steps = "source::conformance_steps::steps_agree_with_both_olms";
    assert_can_fail(steps, "steps/steps.jsonl", 0, "/classic/verdict", &json!("safe"));
    assert_can_fail(steps, "steps/steps.jsonl", 0, "/v1/reasons", &json!([]));
    assert_can_fail(steps, "steps/steps.jsonl", 1, "/dirs", &json!(["old", "new"]));
}

#[cfg(feature = "images")]
#[test]
fn image_comparison_can_fail() {
    let images = "source::images::conformance::images_render_as_opm_renders_them";
    assert_can_fail(images, "images/cases.jsonl", 0, "/sha256", &json!("0"));
}

#[cfg(feature = "sqlite")]
#[test]
fn index_comparison_can_fail() {
    let indexes = "source::legacy::tests::index::indexes_agree_with_opm";
    assert_can_fail(indexes, "legacy/cases.jsonl", 0, "/sha256", &json!("0"));
}

#[test]
fn upgrade_comparisons_can_fail() {
    let successors = "upgrade::tests::successors_are_those_of_the_real_programs";
    for file in ["successors/kilns.classic.jsonl", "successors/kilns.v1.jsonl"] {
        assert_can_fail(successors, file, 1, "/pick", &json!("kiln.v0.9.0"));
    }
    assert_can_fail(successors, "successors/kilns.classic.jsonl", 0, "/order", &json!([]));
    for file in ["random/classic.jsonl", "random/v1.jsonl"] {
        assert_can_fail(successors, file, 0, "/pick", &json!("kiln.v0.9.0"));
    }
    let edges = "export::graph::conformance::edges_are_those_of_opm";
    assert_can_fail(edges, "successors/kilns.edges.jsonl", 0, "/to", &json!("kiln.v0.9.0"));
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
fn bundle_comparisons_can_fail() {
    let suites = "source::conformance::suites_agree_with_the_real_programs";
    assert_can_fail(suites, "bundles/validate.jsonl", 0, "/format", &json!(["no"]));
    assert_can_fail(
        suites,
        "bundles/validate.jsonl",
        0,
        "/validate",
        &json!({"csv": [["Error", "x", "", "no"]]}),
    );
    let clusters = "source::conformance::v1_check_refuses_the_same_bundles_as_olm_v1";
    assert_can_fail(clusters, "bundles/v1.jsonl", 0, "/accepted", &json!(false));
    assert_can_fail(clusters, "bundles/classic.jsonl", 0, "/webhooks", &json!([{"rules_error": "no"}]));
    let pairs = "source::conformance_crds::made_pairs_agree_with_the_preflight";
    assert_can_fail(pairs, "crd-upgrade/pairs.jsonl", 0, "/ok", &json!(false));
    assert_can_fail(pairs, "crd-upgrade/pairs.jsonl", 1, "/findings", &json!([]));
    let published = "source::conformance_crds::published_pairs_agree_with_the_preflight";
    assert_can_fail(published, "crd-upgrade/real.jsonl", 0, "/findings", &json!([]));
}

#[test]
fn mirror_comparison_can_fail() {
    let cut = "plan::mirror::conformance::filtered_catalogs_match_oc_mirror";
    assert_can_fail(cut, "mirror/filter.jsonl", 0, "/result/kiln/bundles", &json!([]));
    assert_can_fail(cut, "mirror/filter.jsonl", 0, "/result/kiln/defaultChannel", &json!("fast"));
    assert_can_fail(cut, "mirror/filter.jsonl", 0, "/result/kiln/channels/stable", &json!([]));
    assert_can_fail(cut, "mirror/filter.jsonl", 0, "/result", &json!(null));
}
