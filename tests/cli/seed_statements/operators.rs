//! Statements about the `ClusterServiceVersion` of an operator.

use std::{fs, path::Path};

use super::{
    super::{
        run::{Run, olmap_in},
        seeds_bundles::{CRD, CRD_FILE, CSV, CSV_FILE, write_bundle},
    },
    assert_message, finding_messages,
};

/// Writes a bundle whose CSV has other lines instead of one text.
fn write_changed_csv(folder: &Path, from: &str, to: &str) {
    write_bundle(folder, "b", CSV_FILE, from, to);
}

fn validate_bundle(folder: &Path) -> Run {
    olmap_in(folder, &["bundle", "validate", "b", "-o", "json"])
}

fn show_sections(folder: &Path, sections: &[&str]) -> String {
    let sections = sections.iter().flat_map(|section| ["--section", section]);
    let args: Vec<&str> = ["bundle", "show", "b"].into_iter().chain(sections).collect();
    olmap_in(folder, &args).exits(0).out
}

#[test]
fn optional_fields_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let fields = "  version: 1.0.0
  replaces: loom.v0.9.0
  links: [{name: Guide, url: 'https://loom.example.com/guide'}]
  selector: {matchLabels: {app: loom}}
  labels: {app: loom}
  icon: [{base64data: aWNvbg==, mediatype: image/png}]
";
    write_changed_csv(folder.path(), "  version: 1.0.0\n", fields);
    assert_eq!(finding_messages(&validate_bundle(folder.path()).exits(0)), [""; 0]);
    let shown = show_sections(folder.path(), &["bundle", "links"]);
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        "replaces loom.v0.9.0",
        "Guide https://loom.example.com/guide",
        "selector app=loom",
        "icon image/png",
        "maturity alpha",
    ] {
        assert!(words.contains(text), "{text}: {shown}");
    }
}

#[test]
fn platforms_without_labels_are_amd64_and_linux() {
    let folder = tempfile::tempdir().unwrap();
    write_bundle(folder.path(), "b", "", "", "");
    let shown = show_sections(folder.path(), &["requirements"]);
    assert!(shown.contains("architectures        amd64  (no labels: OLM's default)"), "{shown}");
    assert!(shown.contains("operating systems    linux  (no labels: OLM's default)"), "{shown}");
    let labels = "  name: loom.v1.0.0
  labels:
    operatorframework.io/arch.s390x: supported
    operatorframework.io/arch.ppc64le: supported
    operatorframework.io/os.zos: supported
    operatorframework.io/os.linux: supported
";
    write_changed_csv(folder.path(), "  name: loom.v1.0.0\n", labels);
    assert_eq!(finding_messages(&validate_bundle(folder.path()).exits(0)), [""; 0]);
    let shown = show_sections(folder.path(), &["requirements"]);
    assert!(shown.contains("architectures        ppc64le, s390x\n"), "{shown}");
    assert!(shown.contains("operating systems    linux, zos\n"), "{shown}");
}

/// Deployment and webhooks of the three types.
const WEBHOOKS: &str = "deployments: [{name: loom, spec: {selector: {matchLabels: {app: loom}}, template: {metadata: {labels: {app: loom}}, spec: {containers: [{name: loom, image: 'example.com/loom@sha256:0000000000000000000000000000000000000000000000000000000000000000'}]}}}}]}}
  webhookdefinitions:
  - {type: ValidatingAdmissionWebhook, admissionReviewVersions: [v1beta1, v1], containerPort: 443, targetPort: 4343, deploymentName: loom, failurePolicy: Fail, generateName: validate.example.com, rules: [{apiGroups: [cloth.example.com], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [looms]}], sideEffects: None, webhookPath: /validate}
  - {type: MutatingAdmissionWebhook, admissionReviewVersions: [v1beta1, v1], containerPort: 443, targetPort: 4343, deploymentName: loom, failurePolicy: Fail, generateName: mutate.example.com, rules: [{apiGroups: [cloth.example.com], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [looms]}], sideEffects: None, webhookPath: /mutate}
  - {type: ConversionWebhook, admissionReviewVersions: [v1beta1, v1], containerPort: 443, targetPort: 4343, deploymentName: loom, generateName: convert.example.com, sideEffects: None, webhookPath: /convert, conversionCRDs: [looms.cloth.example.com]}
";

/// Writes a bundle with three webhooks and replaces one text.
fn write_webhooks(folder: &Path, from: &str, to: &str) {
    assert!(WEBHOOKS.contains(from), "{from}");
    write_changed_csv(folder, "deployments: []}}\n", &WEBHOOKS.replacen(from, to, 1));
}

#[test]
fn webhooks_of_three_types_are_accepted_by_both_olms() {
    let folder = tempfile::tempdir().unwrap();
    write_webhooks(folder.path(), "", "");
    assert_eq!(finding_messages(&validate_bundle(folder.path()).exits(0)), [""; 0]);
    for target in ["classic", "v1"] {
        let run = olmap_in(folder.path(), &["bundle", "validate", "b", "--target", target]).exits(0);
        assert_eq!(run.out, "b: no findings\n", "{target}");
    }
    let shown = show_sections(folder.path(), &["webhooks"]);
    for name in ["ValidatingAdmissionWebhook", "MutatingAdmissionWebhook", "ConversionWebhook"] {
        assert!(shown.contains(name), "{shown}");
    }
}

#[test]
fn webhook_rules_must_not_include_all_groups_or_the_group_of_olm() {
    for (group, what) in [("'*'", "all groups"), ("operators.coreos.com", "OLM's group")] {
        let folder = tempfile::tempdir().unwrap();
        write_webhooks(folder.path(), "apiGroups: [cloth.example.com]", &format!("apiGroups: [{group}]"));
        let text = format!("webhook `validate.example.com`: its rules must not be about {what}");
        assert_message(&validate_bundle(folder.path()).exits(1), &text);
    }
}

#[test]
fn webhook_names_one_of_three_types_and_an_existing_deployment() {
    for (from, to, text) in [
        ("type: ValidatingAdmissionWebhook", "type: Validating", "Validating"),
        ("deploymentName: loom, failurePolicy", "deploymentName: lom, failurePolicy", "lom"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write_webhooks(folder.path(), from, to);
        let run = olmap_in(
            folder.path(),
            &["bundle", "validate", "b", "--rule", "webhook-definition", "-o", "json"],
        );
        assert_message(&run.exits(1), text);
    }
}

#[test]
fn conversion_webhook_needs_all_namespaces_and_pruned_fields() {
    let folder = tempfile::tempdir().unwrap();
    write_webhooks(folder.path(), "", "");
    let csv = folder.path().join("b").join(CSV_FILE);
    let text = fs::read_to_string(&csv).unwrap();
    let modes = "{type: AllNamespaces, supported: true}, {type: OwnNamespace, supported: true}";
    fs::write(&csv, text.replace("{type: AllNamespaces, supported: true}", modes)).unwrap();
    assert_message(&validate_bundle(folder.path()).exits(1), "only the install mode AllNamespaces");
    fs::write(&csv, &text).unwrap();
    let crd = folder.path().join("b").join(CRD_FILE);
    for (value, code) in [("true", 1), ("false", 0)] {
        let fields = format!("  scope: Namespaced\n  preserveUnknownFields: {value}\n");
        fs::write(&crd, CRD.replace("  scope: Namespaced\n", &fields)).unwrap();
        let args = ["bundle", "validate", "b", "--rule", "conversion-webhook", "-o", "json"];
        let run = olmap_in(folder.path(), &args).exits(code);
        assert_eq!(finding_messages(&run).len(), code as usize, "{value}: {}", run.out);
    }
}

#[test]
fn install_modes_are_shown_and_limit_both_olms() {
    let folder = tempfile::tempdir().unwrap();
    let modes = "{type: OwnNamespace, supported: true}, {type: AllNamespaces, supported: false}";
    write_changed_csv(folder.path(), "{type: AllNamespaces, supported: true}", modes);
    let shown = show_sections(folder.path(), &["installModes"]);
    assert!(shown.contains("OwnNamespace   supported"), "{shown}");
    assert!(shown.contains("AllNamespaces  not supported"), "{shown}");
    let v1 = olmap_in(folder.path(), &["bundle", "validate", "b", "--target", "v1", "-o", "json"]).exits(1);
    assert_message(&v1, "OLM v1 needs the install mode AllNamespaces");
    olmap_in(folder.path(), &["bundle", "validate", "b", "--target", "classic"]).exits(0);
}

#[test]
fn new_crd_version_is_added_with_the_owned_version() {
    let folder = tempfile::tempdir().unwrap();
    write_bundle(folder.path(), "old", "", "", "");
    write_bundle(folder.path(), "b", "", "", "");
    let old = "  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
";
    let versions = |first: &str| {
        let new = "  - {name: v2, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n";
        assert_eq!(CRD.matches(old).count(), 1);
        CRD.replace(old, &format!("{first}{new}"))
    };
    let write_csv = |owned: &str| {
        let csv = CSV.replace("1.0.0", "1.1.0").replace(
            "looms.cloth.example.com, version: v1",
            &format!("looms.cloth.example.com, version: {owned}"),
        );
        let csv = csv
            .replace("\"apiVersion\": \"cloth.example.com/v1\"", "\"apiVersion\": \"cloth.example.com/v2\"");
        fs::write(folder.path().join("b").join(CSV_FILE), csv).unwrap();
    };
    let crd = folder.path().join("b").join(CRD_FILE);
    let diff = |gate: &str| olmap_in(folder.path(), &["bundle", "diff", "old", "b", "--fail-on", gate]);
    // v2 is added and stored, v1 is still served.
    let both = versions(&old.replace("storage: true", "storage: false"));
    fs::write(&crd, &both).unwrap();
    write_csv("v2");
    assert_eq!(finding_messages(&validate_bundle(folder.path()).exits(0)), [""; 0]);
    let run = diff("all").exits(0);
    assert!(run.out.contains("upgrade with OLM Classic and OLM v1: safe"), "{}", run.out);
    // The owned version must be one of the CRD.
    write_csv("v3");
    let run = validate_bundle(folder.path()).exits(1);
    assert_message(&run, "owns cloth.example.com/v3 Loom, for which the bundle has no CRD");
    // v1 must not vanish at once, but may be served no longer.
    write_csv("v2");
    fs::write(&crd, versions("")).unwrap();
    diff("removed-version").exits(1);
    fs::write(&crd, both.replacen("served: true", "served: false", 1)).unwrap();
    diff("removed-version").exits(0);
    diff("unserved-version").exits(1);
}
