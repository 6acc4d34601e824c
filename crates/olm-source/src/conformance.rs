//! Comparison with recorded answers of the real programs (`docs/conformance.md`): for 874 bundle directories
//! (`bundles/`), for 718 pairs of CRDs by OLM v1's preflight (`crd-upgrade/`), and for steps by both OLMs on
//! an API server (`steps/`). Each comparison fails if one answer changes.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use serde_json::{Value as Json, json};

use crate::read_bundle_directory;
use olm_bundle::{
    Tree, classic,
    crd::{CrdFinding, Validation, compare_crds, parse_pair},
    manifests::BundleManifests,
    registry::{Bundle, DirectoryContents},
    render::{Options, render_olm_bundle},
    step::{OlmJudgement, StepBundle, earlier_stored_versions, judge_step},
    suites::{self, Level, Settings, Suite, Verdict},
    v1,
};
use olm_catalog::text::canonical::RenderFormat;
use olmap_testing::{assert_can_fail, sha256::hex_digest};

/// Template that produced the recorded answers.
const TEMPLATE: &str = "registry.example.com/{{.Package}}/bundle:v{{.Version}}";
/// Prefix of cases whose files are too large for the repository. The tool that scores the program generates
/// them.
const LARGE_CASE_PREFIX: &str = "bundle-size-";

struct Cases {
    path: std::path::PathBuf,
    _unpacked: tempfile::TempDir,
}

impl Cases {
    fn unpack() -> Option<Self> {
        let unpacked = tempfile::tempdir().unwrap();
        Some(Self { path: olmap_testing::unpack_bundles(unpacked.path())?, _unpacked: unpacked })
    }

    fn load_rows(file: &str) -> Vec<Json> {
        let rows = olmap_testing::load_json_lines(&format!("bundles/{file}")).unwrap_or_default();
        rows.into_iter().filter(|row| !row["case"].as_str().unwrap().contains(LARGE_CASE_PREFIX)).collect()
    }

    fn load_tree(&self, row: &Json) -> Tree {
        read_bundle_directory(&self.path.join(row["case"].as_str().unwrap())).unwrap()
    }
}

#[test]
fn bundles_render_to_the_byte() {
    let Some(cases) = Cases::unpack() else { return };
    let mut wrong = Vec::new();
    for row in Cases::load_rows("render.jsonl") {
        let tree = cases.load_tree(&row);
        for (key, template, migrate) in
            [("render", None, false), ("template", Some(TEMPLATE), false), ("migrated", Some(TEMPLATE), true)]
        {
            let Some(expected) = row.get(key) else { continue };
            let options = Options { image: template.map(|text| text.parse().unwrap()), migrate };
            let made = Bundle::from_tree(&tree).and_then(|bundle| render_olm_bundle(&bundle, &options));
            let same = match &made {
                Err(_) => expected.get("error").is_some(),
                Ok(made) => [("yaml_sha256", RenderFormat::Yaml), ("json_sha256", RenderFormat::Json)]
                    .iter()
                    .all(|(key, format)| expected[key] == hex_digest(made.to_text(*format).as_bytes())),
            };
            if !same {
                wrong.push(format!("{} {key}", row["case"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Counts the errors and warnings of each validator.
fn count_verdicts(verdicts: &[Verdict]) -> BTreeMap<(&str, Level), usize> {
    let mut counts = BTreeMap::new();
    for verdict in verdicts {
        *counts.entry((verdict.validator, verdict.level)).or_default() += 1;
    }
    counts
}

#[test]
fn suites_agree_with_the_real_programs() {
    let Some(cases) = Cases::unpack() else { return };
    let mut wrong = Vec::new();
    for row in Cases::load_rows("validate.jsonl") {
        let tree = cases.load_tree(&row);
        let all = suites::run_suites(&tree, &Suite::ALL, &Settings::default());
        let found = count_verdicts(&all);
        // The recorded data of the other suites needs values.
        let is_in_data = |suite: &Suite| !matches!(suite, Suite::Multiarch | Suite::OpenShift);
        for suite in Suite::ALL.into_iter().filter(is_in_data) {
            let name = suite.name();
            let count = |level| found.get(&(name, level)).copied().unwrap_or_default();
            let (errors, warnings) = (count(Level::Error), count(Level::Warning));
            let is_refused = row["validate"].get("load_error").is_some();
            let expected = match suite {
                Suite::Format | Suite::Content => &row[name],
                _ if is_refused => {
                    if !found.contains_key(&("load", Level::Error)) {
                        wrong.push(format!("{} load", row["case"]));
                    }
                    continue;
                }
                _ => &row["validate"][name],
            };
            let same = match expected {
                // The library crashes here.
                Json::String(_) => errors > 0,
                Json::Array(list) if matches!(suite, Suite::Format | Suite::Content) => list.len() == errors,
                Json::Array(list) => {
                    let mut theirs: Vec<String> =
                        list.iter().map(|finding| format!("{} {}", finding[0], finding[1])).collect();
                    let of_suite = all.iter().filter(|verdict| verdict.validator == name);
                    let mut ours: Vec<String> = of_suite
                        .map(|verdict| format!("\"{:?}\" \"{}\"", verdict.level, verdict.kind))
                        .collect();
                    theirs.sort();
                    ours.sort();
                    theirs == ours
                }
                _ => errors + warnings == 0,
            };
            if !same {
                wrong.push(format!("{} {name}", row["case"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn v1_check_refuses_the_same_bundles_as_olm_v1() {
    let Some(cases) = Cases::unpack() else { return };
    let mut wrong = Vec::new();
    for row in Cases::load_rows("v1.jsonl") {
        let found = v1::check_tree(&cases.load_tree(&row));
        let is_accepted = found.iter().all(|verdict| verdict.level != Level::Error);
        if row["accepted"] != is_accepted {
            wrong.push(format!("{} v1", row["case"]));
        }
    }
    for row in Cases::load_rows("classic.jsonl") {
        let tree = cases.load_tree(&row);
        let contents = DirectoryContents::from_tree(&tree);
        let found = contents.any_csv().map(classic::check_csv).unwrap_or_default();
        let rules = row["webhooks"].as_array().map_or(0, |list| {
            list.iter()
                .filter(|webhook| webhook["rules_error"].as_str().is_some_and(|text| !text.is_empty()))
                .count()
        });
        let modes = usize::from(row.get("install_modes_error").is_some());
        let count = |name| found.iter().filter(|verdict| verdict.validator == name).count();
        if (count("webhook-rules"), count("install-modes")) != (rules, modes) {
            wrong.push(format!("{} classic", row["case"]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns a finding in the form of the recorded answers. The texts of two validations are our own.
fn recorded_form(finding: &CrdFinding) -> String {
    let is_ours = matches!(finding.validation, Validation::Unhandled | Validation::OneOf);
    join_fields(
        finding.check.name(),
        finding.reported_version(),
        finding.reported_property(),
        finding.validation.name(),
        if is_ours { "" } else { &finding.message },
    )
}

fn join_fields(
    check: &str,
    version: Option<&str>,
    property: Option<&str>,
    validation: &str,
    message: &str,
) -> String {
    let message = if ["unhandled", "oneOf"].contains(&validation) { "" } else { message };
    let (version, property) = (version.unwrap_or_default(), property.unwrap_or_default());
    format!("{check} | {version} | {property} | {validation} | {message}")
}

fn find_mismatches(file: &str) -> Vec<String> {
    let Some(rows) = olmap_testing::load_json_lines(&format!("crd-upgrade/{file}")) else {
        return Vec::new();
    };
    let mut wrong = Vec::new();
    for expected in rows {
        let pair = json!({"old": expected["old"], "new": expected["new"]}).to_string();
        let [old, new] = parse_pair(pair.as_bytes()).unwrap();
        let comparison = compare_crds(&old, &new).unwrap();
        let theirs = expected["findings"].as_array().unwrap().iter().map(|finding| {
            let field = |key: &str| finding[key].as_str();
            let message = field("message").unwrap_or_default();
            join_fields(
                field("check").unwrap(),
                field("version"),
                field("property"),
                field("validation").unwrap(),
                message,
            )
        });
        let mut theirs: Vec<String> = theirs.collect();
        let mut ours: Vec<String> = comparison.findings.iter().map(recorded_form).collect();
        theirs.sort();
        ours.sort();
        if theirs != ours || expected["ok"] != comparison.is_safe() {
            let missing = theirs.iter().filter(|finding| !ours.contains(finding)).take(3);
            let more = ours.iter().filter(|finding| !theirs.contains(finding)).take(3);
            let told: Vec<_> = missing
                .map(|finding| format!("- {finding}"))
                .chain(more.map(|finding| format!("+ {finding}")))
                .collect();
            wrong.push(format!("{}: {told:#?}", expected["case"]));
        }
    }
    wrong
}

#[test]
fn made_pairs_agree_with_the_preflight() {
    let wrong = find_mismatches("pairs.jsonl");
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
}

#[test]
fn published_pairs_agree_with_the_preflight() {
    let wrong = find_mismatches("real.jsonl");
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
}

fn load_step_bundle(path: &Path) -> StepBundle {
    let tree = read_bundle_directory(path).unwrap();
    StepBundle::from_manifests(BundleManifests { tree, shown: Some(path.display().to_string()) }).unwrap()
}

fn recorded_verdict(olm: &Json) -> (String, BTreeSet<String>) {
    let text = |value: &Json| value.as_str().unwrap().to_owned();
    (text(&olm["verdict"]), olm["reasons"].as_array().unwrap().iter().map(|one| text(&one["kind"])).collect())
}

fn own_verdict(olm: &OlmJudgement) -> (String, BTreeSet<String>) {
    (olm.verdict().id().to_owned(), olm.reasons.iter().map(|reason| reason.kind.id().to_owned()).collect())
}

#[test]
fn steps_agree_with_both_olms() {
    let unpacked = tempfile::tempdir().unwrap();
    let Some(cases) = olmap_testing::unpack_cases("steps", unpacked.path()) else { return };
    let mut wrong = Vec::new();
    for row in olmap_testing::load_json_lines("steps/steps.jsonl").unwrap_or_default() {
        let folder: PathBuf = cases.join(row["case"].as_str().unwrap());
        let (old, new) = (load_step_bundle(&folder.join("old")), load_step_bundle(&folder.join("new")));
        let is_before = |name: &&Json| name.as_str() == Some("before");
        let before: Vec<StepBundle> = row["dirs"]
            .as_array()
            .unwrap()
            .iter()
            .filter(is_before)
            .map(|_| load_step_bundle(&folder.join("before")))
            .collect();
        let step = judge_step(&old, &new, &earlier_stored_versions(before.iter(), &old));
        for (key, olm) in [("classic", &step.classic), ("v1", &step.v1)] {
            let (expected, found) = (recorded_verdict(&row[key]), own_verdict(olm));
            if expected != found {
                wrong.push(format!("{} {key}: {expected:?}, not {found:?}", row["case"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
}

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
    let steps = "conformance::steps_agree_with_both_olms";
    assert_can_fail(steps, "steps/steps.jsonl", 0, "/classic/verdict", &json!("safe"));
    assert_can_fail(steps, "steps/steps.jsonl", 0, "/v1/reasons", &json!([]));
    assert_can_fail(steps, "steps/steps.jsonl", 1, "/dirs", &json!(["old", "new"]));
}

#[cfg(feature = "images")]
#[test]
fn image_comparison_can_fail() {
    let images = "images::tests::images_render_as_opm_renders_them";
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
    let pairs = "conformance::made_pairs_agree_with_the_preflight";
    assert_can_fail(pairs, "crd-upgrade/pairs.jsonl", 0, "/ok", &json!(false));
    assert_can_fail(pairs, "crd-upgrade/pairs.jsonl", 1, "/findings", &json!([]));
    let published = "conformance::published_pairs_agree_with_the_preflight";
    assert_can_fail(published, "crd-upgrade/real.jsonl", 0, "/findings", &json!([]));
}
