//! Statements about bundle directories: manifests, annotations and dependencies.

use std::{fs, path::Path};

use super::{
    super::{
        run::{Run, olmap_in},
        seeds_bundles::{ANNOTATIONS_FILE, CSV, CSV_FILE, write_bundle},
    },
    assert_message, finding_messages,
};

fn validate_bundle(folder: &Path) -> Run {
    olmap_in(folder, &["bundle", "validate", "b", "-o", "json"])
}

#[test]
fn bundle_has_at_least_one_channel_and_exactly_one_csv() {
    let folder = tempfile::tempdir().unwrap();
    write_bundle(folder.path(), "b", ANNOTATIONS_FILE, "channels.v1: stable", "channels.v1: ''");
    assert_message(&validate_bundle(folder.path()).exits(1), "bundle.channels.v1 is empty");
    write_bundle(folder.path(), "b", "", "", "");
    validate_bundle(folder.path()).exits(0);
    let second = folder.path().join("b/manifests/second.yaml");
    fs::write(&second, CSV).unwrap();
    let two = validate_bundle(folder.path()).exits(1);
    let second_csv = "manifests/second.yaml is a second ClusterServiceVersion";
    assert_eq!(finding_messages(&two), [second_csv]);
    fs::remove_file(&second).unwrap();
    fs::remove_file(folder.path().join("b").join(CSV_FILE)).unwrap();
    assert_message(&validate_bundle(folder.path()).exits(1), "holds a ClusterServiceVersion");
}

#[test]
fn optional_kinds_are_accepted_and_other_kinds_are_not() {
    const KINDS: [(&str, &str); 17] = [
        ("rbac.authorization.k8s.io/v1", "ClusterRole"),
        ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
        ("v1", "ConfigMap"),
        ("console.openshift.io/v1", "ConsoleCLIDownload"),
        ("console.openshift.io/v1", "ConsoleLink"),
        ("console.openshift.io/v1", "ConsoleQuickStart"),
        ("console.openshift.io/v1", "ConsoleYAMLSample"),
        ("policy/v1", "PodDisruptionBudget"),
        ("scheduling.k8s.io/v1", "PriorityClass"),
        ("monitoring.coreos.com/v1", "PrometheusRule"),
        ("rbac.authorization.k8s.io/v1", "Role"),
        ("rbac.authorization.k8s.io/v1", "RoleBinding"),
        ("v1", "Secret"),
        ("v1", "Service"),
        ("v1", "ServiceAccount"),
        ("monitoring.coreos.com/v1", "ServiceMonitor"),
        ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler"),
    ];
    let folder = tempfile::tempdir().unwrap();
    write_bundle(folder.path(), "b", "", "", "");
    let write_object = |api: &str, kind: &str| {
        let text = format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: spindle}}\n");
        fs::write(folder.path().join("b/manifests/spindle.yaml"), text).unwrap();
    };
    for (api, kind) in KINDS {
        write_object(api, kind);
        let run = validate_bundle(folder.path()).exits(0);
        assert!(!run.out.contains("does not support"), "{kind}: {}", run.out);
        let shown = olmap_in(folder.path(), &["bundle", "show", "b", "--section", "objects"]).exits(0);
        assert!(shown.out.contains(kind) && !shown.out.contains("does not install"), "{}", shown.out);
    }
    for (api, kind) in [("v1", "Pod"), ("apps/v1", "Deployment"), ("storage.k8s.io/v1", "StorageClass")] {
        write_object(api, kind);
        let run = validate_bundle(folder.path()).exits(1);
        assert_message(&run, &format!("OLM does not support {kind} in bundles"));
    }
}

#[test]
fn every_annotation_but_the_default_channel_is_required() {
    for (line, key) in [
        ("  operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n", "mediatype.v1 is missing"),
        ("  operators.operatorframework.io.bundle.manifests.v1: manifests/\n", "manifests.v1 is missing"),
        ("  operators.operatorframework.io.bundle.metadata.v1: metadata/\n", "metadata.v1 is missing"),
        ("  operators.operatorframework.io.bundle.package.v1: loom\n", "package.v1 is missing"),
        ("  operators.operatorframework.io.bundle.channels.v1: stable\n", "channels.v1 is missing"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write_bundle(folder.path(), "b", ANNOTATIONS_FILE, line, "");
        let messages = finding_messages(&validate_bundle(folder.path()).exits(1));
        let about = |message: &&String| message.contains(key.trim_end_matches(" is missing"));
        let messages: Vec<&String> = messages.iter().filter(about).collect();
        assert!(messages.len() == 1 && messages[0].ends_with(key), "{key}: {messages:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let default = "  operators.operatorframework.io.bundle.channel.default.v1: stable\n";
    write_bundle(folder.path(), "b", ANNOTATIONS_FILE, default, "");
    assert_eq!(finding_messages(&validate_bundle(folder.path()).exits(0)), [""; 0]);
    let shown = olmap_in(folder.path(), &["bundle", "show", "b", "--section", "bundle"]).exits(0);
    assert!(shown.out.contains("channels          stable\n"), "{}", shown.out);
}

#[test]
fn media_type_must_be_that_of_the_content() {
    for other in ["plain", "helm"] {
        let folder = tempfile::tempdir().unwrap();
        write_bundle(folder.path(), "b", ANNOTATIONS_FILE, "registry+v1", other);
        let run = validate_bundle(folder.path()).exits(1);
        assert_message(&run, &format!("mediatype.v1 must be `registry+v1`, not `{other}`"));
    }
}

#[test]
fn dependencies_are_versions_ranges_apis_and_constraints() {
    let folder = tempfile::tempdir().unwrap();
    write_bundle(folder.path(), "b", "", "", "");
    let write_dependencies = |exact: &str| {
        let text = format!(
            "dependencies:\n- type: olm.package\n  value: {{packageName: wick, version: {exact}}}\n\
             - type: olm.package\n  value: {{packageName: lantern, version: '>0.27.0'}}\n\
             - type: olm.gvk\n  value: {{group: oil.example.com, kind: Barrel, version: v1beta2}}\n\
             - type: olm.constraint\n  value: {{failureMessage: needs a harbor, cel: {{rule: 'true'}}}}\n"
        );
        fs::write(folder.path().join("b/metadata/dependencies.yaml"), text).unwrap();
    };
    write_dependencies("0.5.2");
    assert_eq!(finding_messages(&validate_bundle(folder.path()).exits(0)), [""; 0]);
    let shown = olmap_in(folder.path(), &["bundle", "show", "b", "--section", "dependencies"]).exits(0);
    assert_eq!(
        shown.out,
        "Dependencies and properties
  needs package  wick 0.5.2
  needs package  lantern >0.27.0
  needs API      Barrel v1beta2 (oil.example.com)
  needs          needs a harbor
    CEL rule  true
"
    );
    let rendered = olmap_in(folder.path(), &["render", "b"]).exits(0);
    assert!(rendered.out.contains("packageName: wick\n    versionRange: 0.5.2\n"), "{}", rendered.out);
    assert!(rendered.out.contains("group: oil.example.com\n    kind: Barrel\n"), "{}", rendered.out);
    write_dependencies("newest");
    assert_message(&validate_bundle(folder.path()).exits(1), "the version range `newest`");
}
