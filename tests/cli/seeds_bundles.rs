//! Statements of the format documents about bundles and the `ClusterServiceVersion`: a bundle that
//! breaks one of them gets a finding at the place.

use std::{collections::BTreeSet, fs, path::Path};

use super::run::{Run, olmap_in};

/// Bundle that breaks no rule.
pub(super) const CSV: &str = r#"apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: loom.v1.0.0
  annotations:
    alm-examples: '[{"apiVersion": "cloth.example.com/v1", "kind": "Loom", "metadata": {"name": "first"}}]'
    capabilities: Basic Install
    operators.openshift.io/infrastructure-features: '["disconnected"]'
    operators.openshift.io/valid-subscription: '["Weavers Premium"]'
    operators.operatorframework.io/internal-objects: '["looms.cloth.example.com"]'
    operatorframework.io/initialization-resource: '{"apiVersion": "cloth.example.com/v1", "kind": "Loom", "metadata": {"name": "first"}}'
    operatorframework.io/suggested-namespace: looms
spec:
  displayName: Loom
  description: Weaves cloth.
  version: 1.0.0
  maturity: alpha
  minKubeVersion: 1.27.0
  keywords: [cloth]
  maintainers: [{name: Weavers, email: weavers@example.com}]
  provider: {name: Weavers}
  installModes: [{type: AllNamespaces, supported: true}]
  install: {strategy: deployment, spec: {deployments: []}}
  customresourcedefinitions:
    owned: [{name: looms.cloth.example.com, version: v1, kind: Loom, displayName: Loom, description: A loom.}]
    required: [{name: threads.yarn.example.com, version: v1, kind: Thread, displayName: Thread, description: A thread.}]
"#;

pub(super) const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: looms.cloth.example.com}
spec:
  group: cloth.example.com
  names: {kind: Loom, listKind: LoomList, plural: looms, singular: loom}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
";

const ANNOTATIONS: &str = "annotations:
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: loom
  operators.operatorframework.io.bundle.channels.v1: stable
  operators.operatorframework.io.bundle.channel.default.v1: stable
";

/// Rule, file, text that the finding points at, and its replacement.
type Statement = (&'static str, &'static str, &'static str, &'static str);

pub(super) const CSV_FILE: &str = "manifests/loom.clusterserviceversion.yaml";
pub(super) const CRD_FILE: &str = "manifests/looms.crd.yaml";
pub(super) const ANNOTATIONS_FILE: &str = "metadata/annotations.yaml";

/// Statements, each with a change that breaks it.
const STATEMENTS: [Statement; 13] = [
    ("infrastructure-features", CSV_FILE, r#"["disconnected"]"#, r#"["proxyaware"]"#),
    ("valid-subscription", CSV_FILE, r#"'["Weavers Premium"]'"#, "Weavers Premium"),
    ("internal-objects", CSV_FILE, r#"["looms.cloth.example.com"]"#, r#"["loom.cloth.example.com"]"#),
    ("initialization-resource", CSV_FILE, r#"{"apiVersion": "cloth.example.com/v1", "kind": "Loom", "metadata": {"name": "first"}}'
    operatorframework.io/suggested"#, "kind: Loom'\n    operatorframework.io/suggested"),
    ("suggested-namespace", CSV_FILE, "suggested-namespace: looms", "suggested-namespace: Loom_NS"),
    ("missing-csv-field", CSV_FILE, "  description: Weaves cloth.\n", ""),
    ("capability-level", CSV_FILE, "Basic Install", "Super"),
    ("maturity-level", CSV_FILE, "maturity: alpha", "maturity: foo"),
    ("api-description", CSV_FILE, ", description: A thread.", ""),
    ("unread-label", CSV_FILE, "  version: 1.0.0\n", "  version: 1.0.0\n  skip: [loom.v0.9.0]\n"),
    ("webhook-configurations", CSV_FILE, "deployments: []}}\n", "deployments: [{name: loom, spec: {}}]}}
  webhookdefinitions:
  - {type: ValidatingAdmissionWebhook, generateName: a.example.com, deploymentName: loom, rules: [{apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations]}]}
"),
    ("folder-annotation", ANNOTATIONS_FILE, "manifests.v1: manifests/", "manifests.v1: deploy/"),
    ("default-not-listed", ANNOTATIONS_FILE, "default.v1: stable", "default.v1: stabel"),
];

/// Writes the bundle to `folder/NAME`, with one text replaced.
pub(super) fn write_bundle(folder: &Path, name: &str, file: &str, from: &str, to: &str) {
    for (path, text) in [(CSV_FILE, CSV), (CRD_FILE, CRD), (ANNOTATIONS_FILE, ANNOTATIONS)] {
        let path_on_disk = folder.join(name).join(path);
        fs::create_dir_all(path_on_disk.parent().unwrap()).unwrap();
        let text = if path == file {
            assert_eq!(text.matches(from).count(), 1, "{from}");
            text.replacen(from, to, 1)
        } else {
            text.to_owned()
        };
        fs::write(path_on_disk, text).unwrap();
    }
}

fn rule_ids(run: &Run) -> BTreeSet<String> {
    run.json().as_array().unwrap().iter().map(|row| row["rule"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn bundle_that_keeps_every_statement_has_no_findings() {
    let folder = tempfile::tempdir().unwrap();
    write_bundle(folder.path(), "b", "", "", "");
    let run = olmap_in(folder.path(), &["bundle", "validate", "b", "-o", "json"]).exits(0);
    assert_eq!(rule_ids(&run), BTreeSet::new(), "{}", run.out);
}

#[test]
fn broken_statement_is_reported_at_its_place_but_never_with_parity() {
    for (rule, file, from, to) in STATEMENTS {
        let folder = tempfile::tempdir().unwrap();
        write_bundle(folder.path(), "b", file, from, to);
        let run = |args: &[&str]| olmap_in(folder.path(), &[args, &["-o", "json"]].concat());
        let own = run(&["bundle", "validate", "b"]).exits(0);
        assert_eq!(rule_ids(&own), BTreeSet::from([rule.to_owned()]), "{}", own.out);
        let row = &own.json()[0];
        assert!(row["path"].as_str().unwrap().ends_with(file), "{rule}: {row}");
        assert!(row["line"].as_u64().unwrap() > 0, "{rule}: {row}");
        // opm, operator-sdk and OLM accept the bundle.
        let parity = run(&["bundle", "validate", "b", "--parity"]).exits(0);
        assert_eq!(rule_ids(&parity), BTreeSet::new(), "{rule}");
        let suites = run(&["bundle", "validate", "b", "--suite", "format", "--suite", "csv"]).exits(0);
        assert_eq!(rule_ids(&suites), BTreeSet::new(), "{rule}");
    }
}

#[test]
fn unknown_default_channel_of_a_directory_is_one_error_in_the_annotations() {
    let folder = tempfile::tempdir().unwrap();
    write_bundle(folder.path(), "b", ANNOTATIONS_FILE, "default.v1: stable", "default.v1: stabel");
    let run = olmap_in(folder.path(), &["validate", "b", "-o", "json"]).exits(1);
    let json = run.json();
    let rows: Vec<_> = json
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["message"].as_str().unwrap().contains("stabel"))
        .collect();
    assert_eq!(rows.len(), 1, "{}", run.out);
    assert_eq!(rows[0]["rule"], "unknown-default-channel");
    assert_eq!((&rows[0]["path"], &rows[0]["line"]), (&"b/metadata/annotations.yaml".into(), &7.into()));
    let parity = olmap_in(folder.path(), &["validate", "b", "--parity", "-o", "json"]).exits(1);
    assert!(rule_ids(&parity).contains("unknown-default-channel"), "{}", parity.out);
}

#[test]
fn default_channel_of_another_bundle_of_the_package_is_correct() {
    let folder = tempfile::tempdir().unwrap();
    write_bundle(folder.path(), "1.0.0", "", "", "");
    write_bundle(folder.path(), "1.1.0", ANNOTATIONS_FILE, "channels.v1: stable", "channels.v1: fast");
    let csv = folder.path().join("1.1.0").join(CSV_FILE);
    fs::write(&csv, CSV.replace("1.0.0", "1.1.0")).unwrap();
    let alone = olmap_in(folder.path(), &["bundle", "validate", "1.1.0", "-o", "json"]).exits(0);
    assert_eq!(rule_ids(&alone), BTreeSet::from(["default-not-listed".to_owned()]), "{}", alone.out);
    let together = olmap_in(folder.path(), &["validate", ".", "-o", "json"]);
    assert!(!together.out.contains("default channel"), "{}", together.out);
}
