//! Safety of upgrade steps: `crds graph`, `successors --safety`, `path --safety`.

use insta::assert_snapshot;

use super::run::{olmap_in, root};

const KETTLE: &str = "tests/fixtures/safety/kettle";

/// Catalog of the same bundles without their manifests.
const CATALOG: &str = "\
schema: olm.package
name: kettle
defaultChannel: stable
---
schema: olm.channel
package: kettle
name: stable
entries:
- name: kettle.v1.0.0
- name: kettle.v1.1.0
  replaces: kettle.v1.0.0
- name: kettle.v1.2.0
  replaces: kettle.v1.1.0
";

fn write_catalog_without_manifests() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut text = CATALOG.to_owned();
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        text.push_str(&format!(
            "---\nschema: olm.bundle\npackage: kettle\nname: kettle.v{version}\nimage: registry.example.com/kettle:{version}\n\
             properties:\n- type: olm.package\n  value: {{packageName: kettle, version: {version}}}\n"
        ));
    }
    std::fs::write(folder.path().join("catalog.yaml"), text).unwrap();
    folder
}

#[test]
fn every_step_of_bundle_directories_is_checked() {
    let run = olmap_in(&root(), &["crds", "graph", KETTLE, "--all"]).exits(1);
    assert_snapshot!(run.out);
    let run = olmap_in(&root(), &["crds", "graph", KETTLE, "--refused", "--format", "json"]).exits(1);
    let rows: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(rows.as_array().map(Vec::len), Some(1));
    let row = &rows[0];
    assert_eq!((&row["from"], &row["to"]), (&"kettle.v1.0.0".into(), &"kettle.v1.1.0".into()));
    assert_eq!(row["safety"]["verdict"], "refused-by-v1");
    let refusal = &row["safety"]["v1"][0];
    assert_eq!(refusal["crd"], "kettles.kitchen.example.com");
    assert_eq!(refusal["file"], "tests/fixtures/safety/kettle/1.0.0/manifests/kettles.crd.yaml");
}

#[test]
fn steps_are_not_checked_until_manifests_are_given() {
    let folder = write_catalog_without_manifests();
    let run = olmap_in(folder.path(), &["crds", "graph", "."]).exits(0);
    assert!(run.out.contains("2 steps: 2 not checked"), "{}", run.out);
    assert!(run.out.contains("CRDs not available"), "{}", run.out);
    let bundles = root().join("tests/fixtures/safety").display().to_string();
    let run = olmap_in(folder.path(), &["crds", "graph", ".", "--bundles", &bundles]).exits(1);
    assert!(run.out.contains("2 steps: 1 needs a look, 1 v1 refuses"), "{}", run.out);
    let nothing = olmap_in(folder.path(), &["crds", "graph", ".", "--bundles", "."]).exits(2);
    assert!(nothing.err.contains("no bundle directory in ."), "{}", nothing.err);
}

#[test]
fn successors_and_path_show_the_safety_of_steps() {
    let one =
        olmap_in(&root(), &["successors", KETTLE, "--installed", "1.0.0", "--safety", "--engine", "v1"]);
    assert_snapshot!("successors_one", one.exits(0).out);
    let all = olmap_in(&root(), &["successors", KETTLE, "--safety"]).exits(0);
    assert_snapshot!("successors_all", all.out);
    let path = olmap_in(&root(), &["path", "1.0.0", "head", KETTLE, "--safety"]).exits(0);
    assert_snapshot!("path", path.out);
    let json = olmap_in(&root(), &["path", "1.0.0", "head", KETTLE, "--safety", "--format", "json"]).exits(0);
    let rows: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(rows[0]["hops"][1]["safety"]["looks"][0]["kind"], "permissions-grow");
    let without = olmap_in(&root(), &["path", "1.0.0", "head", KETTLE]).exits(0);
    assert_eq!(without.out.matches("v1 refuses: ").count(), 1, "only refused steps: {}", without.out);
    assert!(!without.out.contains("permissions"), "only refused steps: {}", without.out);
    let without =
        olmap_in(&root(), &["successors", KETTLE, "--installed", "1.0.0", "--engine", "v1"]).exits(0);
    assert!(without.out.contains("step: v1 refuses"), "{}", without.out);
    let next = olmap_in(&root(), &["successors", KETTLE, "--installed", "1.1.0"]).exits(0);
    assert!(!next.out.contains("step:"), "a step that is not refused: {}", next.out);
    let all = olmap_in(&root(), &["successors", KETTLE]).exits(0);
    assert!(all.out.contains("! kettle.v1.0.0 -> kettle.v1.1.0: v1 refuses"), "{}", all.out);
    assert!(!all.out.contains("steps:"), "no verdict on the others: {}", all.out);
    let json = olmap_in(&root(), &["successors", KETTLE, "--installed", "1.0.0", "-o", "json"]).exits(0);
    let rows: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let verdicts: Vec<_> = rows.as_array().unwrap().iter().map(|row| &row["safety"]["verdict"]).collect();
    assert_eq!(verdicts, [&serde_json::Value::Null, &"refused-by-v1".into()]);
    let ready = olmap_in(&root(), &["readiness", "tests/fixtures/safety/kettle"]);
    assert!(!ready.out.contains("the upgrade from kettle.v1.0.0"), "it is not to the head: {}", ready.out);
}

#[test]
fn unsafe_steps_are_findings_if_manifests_are_available() {
    let run = olmap_in(
        &root(),
        &["validate", KETTLE, "--rule", "crd-upgrade-unsafe-v1", "--rule", "permissions-grow"],
    );
    assert_snapshot!("findings", run.exits(0).out);
    let folder = write_catalog_without_manifests();
    let told = |more: &[&str]| {
        let all = ["validate", ".", "--format", "json", "--rule", "crd-upgrade-unsafe-v1"];
        let run = olmap_in(folder.path(), &[&all, more].concat()).exits(0);
        serde_json::from_str::<serde_json::Value>(&run.out).unwrap()
    };
    assert_eq!(told(&[]), serde_json::json!([]), "nothing is known");
    let bundles = root().join("tests/fixtures/safety").display().to_string();
    let found = told(&["--bundles", &bundles]);
    assert_eq!((found.as_array().map(Vec::len), &found[0]["bundle"]), (Some(1), &"kettle.v1.1.0".into()));
    assert_eq!(found[0]["line"], 10, "the entry: {found}");
}

/// Checks that a comparison reports the findings of new upgrade steps.
#[test]
fn diff_reports_findings_of_new_steps() {
    let (old, new) = (write_catalog_without_manifests(), write_catalog_without_manifests());
    let path = old.path().join("catalog.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("- name: kettle.v1.2.0\n  replaces: kettle.v1.1.0\n", "")).unwrap();
    let [old, new] = [&old, &new].map(|folder| folder.path().display().to_string());
    let bundles = root().join("tests/fixtures/safety").display().to_string();
    let run = olmap_in(&root(), &["diff", &old, &new, "--bundles", &bundles]).exits(0);
    assert!(run.out.contains("permissions-grow"), "{}", run.out);
    assert!(!run.out.contains("crd-upgrade-unsafe-v1"), "it was there before: {}", run.out);
    let without = olmap_in(&root(), &["diff", &old, &new]).exits(0);
    assert!(!without.out.contains("permissions-grow"), "{}", without.out);
}
