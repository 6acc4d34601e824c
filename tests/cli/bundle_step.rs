//! `bundle diff` as a gate: refused steps, and steps that were not checked.

use std::{fs, path::Path};

use serde_json::Value;

use super::run::olmap;

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: spindle}\n";

/// Writes a bundle whose deployment selects the label, with an additional object.
fn write_bundle(folder: &Path, version: &str, label: &str, object: &str) -> String {
    let path = folder.join(version);
    for folder in ["manifests", "metadata"] {
        fs::create_dir_all(path.join(folder)).unwrap();
    }
    let replaces = if version == "1.0.0" { "" } else { "  replaces: lathe.v1.0.0\n" };
    let csv = format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: lathe.v{version}}}\nspec:\n  \
         version: {version}\n{replaces}  installModes: [{{type: AllNamespaces, supported: true}}]\n  install:\n    strategy: deployment\n    \
         spec:\n      deployments:\n      - name: lathe\n        spec:\n          selector: {{matchLabels: {{app: {label}}}}}\n          \
         template:\n            metadata: {{labels: {{app: {label}}}}}\n            spec: {{containers: [{{name: a, image: b}}]}}\n"
    );
    fs::write(path.join("manifests/lathe.csv.yaml"), csv).unwrap();
    fs::write(path.join("manifests/object.yaml"), object).unwrap();
    let annotations = "annotations:\n  operators.operatorframework.io.bundle.package.v1: lathe\n  \
        operators.operatorframework.io.bundle.channels.v1: stable\n";
    fs::write(path.join("metadata/annotations.yaml"), annotations).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Returns the exit codes of `bundle diff` for values of `--fail-on`.
fn exit_codes(old: &str, new: &str, values: &[&str]) -> Vec<i32> {
    let run = |value: &&str| olmap(&["bundle", "diff", old, new, "--fail-on", value]).code;
    values.iter().map(run).collect()
}

const VALUES: [&str; 5] = ["refused", "serious", "all", "not-checked", "new-webhook"];

#[test]
fn refused_or_unchecked_step_fails_the_gates_that_deny_it() {
    let folder = tempfile::tempdir().unwrap();
    let old = write_bundle(folder.path(), "1.0.0", "lathe", MAP);
    let safe = write_bundle(folder.path(), "1.1.0", "lathe", MAP);
    assert_eq!(exit_codes(&old, &safe, &VALUES), [0; 5]);
    let refused = write_bundle(folder.path(), "1.2.0", "other", MAP);
    assert_eq!(exit_codes(&old, &refused, &VALUES), [1, 1, 1, 0, 0]);
    let foreign = MAP.replace("v1\n", "example.com/v1\n");
    let unknown = write_bundle(folder.path(), "1.3.0", "lathe", &foreign);
    assert_eq!(exit_codes(&old, &unknown, &VALUES), [2, 2, 2, 1, 0]);
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
    let old = write_bundle(folder.path(), "1.0.0", "lathe", MAP);
    let new = write_bundle(folder.path(), "1.1.0", "other", MAP);
    let step = olmap(&["bundle", "diff", &old, &new, "-o", "json"]).exits(0).json()["step"].clone();
    for olm in ["classic", "v1"] {
        let (olm, reason, line) = (&step[olm], &step[olm]["reasons"][0], 12);
        assert_eq!((&olm["verdict"], &reason["kind"]), (&"refused".into(), &"immutable-field".into()));
        assert_eq!(
            (&reason["object"], &reason["field"]),
            (&"Deployment/lathe".into(), &"spec.selector".into())
        );
        assert_eq!((&reason["file"], &reason["line"]), (&"manifests/lathe.csv.yaml".into(), &line.into()));
    }
}

#[test]
fn all_commands_give_the_verdict_of_bundle_diff() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("lathe");
    let old = write_bundle(&root, "1.0.0", "lathe", MAP);
    let monitor = MAP.replace("v1\nkind: ConfigMap", "monitoring.coreos.com/v1\nkind: PodMonitor");
    for (label, object, verdict) in [
        ("lathe", MAP, "safe"),
        ("other", MAP, "refused-by-both"),
        ("lathe", monitor.as_str(), "refused-by-classic"),
    ] {
        let new = write_bundle(&root, "1.1.0", label, object);
        let catalog = root.to_str().unwrap();
        let kinds = |step: &Value| -> Vec<String> {
            let reasons = ["classic", "v1"].map(|olm| step[olm]["reasons"].as_array().unwrap().clone());
            reasons
                .concat()
                .iter()
                .map(|reason| format!("{} {}", reason["kind"], reason["verdict"]))
                .collect()
        };
        let expected = kinds(&olmap(&["bundle", "diff", &old, &new, "-o", "json"]).json()["step"]);
        let graph = olmap(&["crds", "graph", catalog, "--all", "-o", "json"]).json();
        let path = olmap(&["path", "1.0.0", "head", catalog, "--safety", "-o", "json"]).json();
        let successors =
            olmap(&["successors", catalog, "--installed", "1.0.0", "--safety", "-o", "json"]).json();
        for safety in [&graph[0]["safety"], &path[0]["hops"][0]["safety"], &successors[0]["safety"]] {
            assert_eq!((&safety["verdict"], kinds(&safety["step"])), (&verdict.into(), expected.clone()));
        }
        let findings = olmap(&["validate", catalog, "--rule", "upgrade-refused", "-o", "json"]).json();
        assert_eq!(findings.as_array().unwrap().len(), usize::from(verdict != "safe"), "{findings}");
    }
}

#[test]
fn object_that_cannot_be_read_is_not_checked() {
    let folder = tempfile::tempdir().unwrap();
    let old = write_bundle(folder.path(), "1.0.0", "lathe", MAP);
    let new = write_bundle(folder.path(), "1.1.0", "lathe", "metadata:\n  name: {{ .Values.name }}\n");
    let run = olmap(&["bundle", "diff", &old, &new, "-o", "json"]).exits(2);
    let step = &run.json()["step"];
    assert_eq!(step["v1"]["verdict"], "not-checked");
    assert!(
        step["classic"]["notChecked"][0].as_str().unwrap().contains("object.yaml cannot be read"),
        "{step}"
    );
}
