//! `bundle diff` as a gate: steps that OLM refuses, and steps that were not checked.

use std::{fs, path::Path};

use super::run::olmap;

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: spindle}\n";

/// Writes a bundle: the label that its deployment selects, and a further object.
fn bundle(folder: &Path, version: &str, label: &str, object: &str) -> String {
    let path = folder.join(version);
    for folder in ["manifests", "metadata"] {
        fs::create_dir_all(path.join(folder)).unwrap();
    }
    let csv = format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: lathe.v{version}}}\nspec:\n  \
         version: {version}\n  installModes: [{{type: AllNamespaces, supported: true}}]\n  install:\n    strategy: deployment\n    \
         spec:\n      deployments:\n      - name: lathe\n        spec:\n          selector: {{matchLabels: {{app: {label}}}}}\n          \
         template:\n            metadata: {{labels: {{app: {label}}}}}\n            spec: {{containers: [{{name: a, image: b}}]}}\n"
    );
    fs::write(path.join("manifests/lathe.csv.yaml"), csv).unwrap();
    fs::write(path.join("manifests/object.yaml"), object).unwrap();
    let annotations = "annotations: {operators.operatorframework.io.bundle.package.v1: lathe}\n";
    fs::write(path.join("metadata/annotations.yaml"), annotations).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Returns the exit codes of `bundle diff` for values of `--fail-on`.
fn codes(old: &str, new: &str, values: &[&str]) -> Vec<i32> {
    let run = |value: &&str| olmap(&["bundle", "diff", old, new, "--fail-on", value]).code;
    values.iter().map(run).collect()
}

const VALUES: [&str; 5] = ["refused", "serious", "all", "not-checked", "new-webhook"];

#[test]
fn step_that_is_refused_or_not_checked_passes_no_gate() {
    let folder = tempfile::tempdir().unwrap();
    let old = bundle(folder.path(), "1.0.0", "lathe", MAP);
    let safe = bundle(folder.path(), "1.1.0", "lathe", MAP);
    assert_eq!(codes(&old, &safe, &VALUES), [0; 5]);
    let refused = bundle(folder.path(), "1.2.0", "other", MAP);
    assert_eq!(codes(&old, &refused, &VALUES), [1, 1, 1, 0, 0]);
    let foreign = MAP.replace("v1\n", "example.com/v1\n");
    let unknown = bundle(folder.path(), "1.3.0", "lathe", &foreign);
    assert_eq!(codes(&old, &unknown, &VALUES), [2, 2, 2, 1, 0]);
    let both = olmap(&["bundle", "diff", &old, &unknown, "--fail-on", "refused,not-checked"]).exits(1);
    assert!(
        both.out.contains("not checked: no rule for ConfigMap spindle of example.com/v1"),
        "{}",
        both.out
    );
    olmap(&["bundle", "diff", &old, &unknown]).exits(0);
}

#[test]
fn verdicts_and_reasons_are_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let old = bundle(folder.path(), "1.0.0", "lathe", MAP);
    let new = bundle(folder.path(), "1.1.0", "other", MAP);
    let step = olmap(&["bundle", "diff", &old, &new, "-o", "json"]).exits(0).json()["step"].clone();
    for olm in ["classic", "v1"] {
        let (olm, reason) = (&step[olm], &step[olm]["reasons"][0]);
        assert_eq!((&olm["verdict"], &reason["kind"]), (&"refused".into(), &"immutable-field".into()));
        assert_eq!(
            (&reason["object"], &reason["field"]),
            (&"Deployment/lathe".into(), &"spec.selector".into())
        );
        assert_eq!((&reason["file"], &reason["line"]), (&"manifests/lathe.csv.yaml".into(), &11.into()));
    }
}

#[test]
fn object_that_cannot_be_read_is_not_checked() {
    let folder = tempfile::tempdir().unwrap();
    let old = bundle(folder.path(), "1.0.0", "lathe", MAP);
    let new = bundle(folder.path(), "1.1.0", "lathe", "metadata:\n  name: {{ .Values.name }}\n");
    let run = olmap(&["bundle", "diff", &old, &new, "-o", "json"]).exits(2);
    let step = &run.json()["step"];
    assert_eq!(step["v1"]["verdict"], "not-checked");
    assert!(
        step["classic"]["notChecked"][0].as_str().unwrap().contains("object.yaml cannot be read"),
        "{step}"
    );
}
