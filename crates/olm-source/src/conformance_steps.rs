//! Comparison of step verdicts with the behavior of both OLMs on an API server (`steps/` in
//! `docs/conformance.md`).

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde_json::Value as Json;

use super::read_bundle_directory;
use olm_bundle::{
    manifests::BundleManifests,
    step::{OlmJudgement, StepBundle, earlier_stored_versions, judge_step},
};

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
