//! Comparison with the recorded answers of the real programs for 874 bundle directories (`bundles/` in
//! `docs/conformance.md`).

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::read_bundle_directory;
use olm_bundle::{
    Tree, classic,
    registry::{Bundle, DirectoryContents},
    render::{Options, render_olm_bundle},
    suites::{self, Level, Settings, Suite, Verdict},
    v1,
};
use olm_catalog::text::canonical::RenderFormat;
use olmap_testing::sha256::hex_digest;

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
