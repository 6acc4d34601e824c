//! Readiness over the catalogs of one cluster, and for an OpenShift version.

use serde_json::{Value, json};
use tempfile::TempDir;

use super::cluster_catalogs::{catalog_yaml, catalogs, write_catalog};
use super::run::{Run, olmap_in};

fn readiness(folder: &TempDir, args: &[&str]) -> Run {
    olmap_in(folder.path(), &[&["readiness"][..], args].concat())
}

#[test]
fn each_package_is_checked_in_the_catalog_of_its_pick() {
    let folder = catalogs();
    write_catalog(folder.path(), "lamps", &catalog_yaml(&["2.0.0"]).replace("kiln", "lamp"));
    let both = ["--catalog", "redhat=two,priority=-100", "--catalog", "own=lamps"];
    insta::assert_snapshot!(readiness(&folder, &both).exits(0).out);
    let rows = readiness(&folder, &[&both[..], &["-o", "json"]].concat()).exits(0).json();
    assert_eq!((&rows[0]["catalog"], &rows[1]["catalog"]), (&json!("redhat"), &json!("own")));
    let one = readiness(&folder, &[&both[..], &["-p", "lamp", "-o", "json"]].concat()).exits(0).json();
    assert_eq!((one.as_array().unwrap().len(), &one[0]["package"]), (1, &json!("lamp")));
}

#[test]
fn package_in_two_catalogs_of_equal_priority_is_ambiguous() {
    let folder = catalogs();
    let both = ["--one-cluster", "two", "copy"];
    insta::assert_snapshot!(readiness(&folder, &both).exits(1).out);
    let row = readiness(&folder, &[&both[..], &["-o", "json"]].concat()).exits(1).json()[0].clone();
    assert_eq!((&row["blockers"][0]["kind"], &row["bundle"]), (&json!("ambiguous"), &Value::Null));
    let selector = ["--selector", "olm.operatorframework.io/metadata.name=copy"];
    readiness(&folder, &[&both[..], &selector].concat()).exits(0);
    let broken = readiness(&folder, &["--one-cluster", "two", "broken", "-o", "json"]).exits(1).json();
    let text = broken[0]["blockers"][0]["text"].as_str().unwrap();
    assert!(text.contains("broken: catalog.yaml:11:1: "), "{text}");
    let dependent = catalog_yaml(&["9.0.0"]).replace(
        "properties: [",
        "properties: [{type: olm.gvk.required, value: {group: a.example.com, version: v1, kind: A}}, ",
    );
    write_catalog(folder.path(), "needs", &dependent);
    let line = ["--catalog", "a=needs,priority=5", "--catalog", "b=two", "-o", "json"];
    let row = readiness(&folder, &line).exits(1).json()[0].clone();
    assert_eq!((&row["blockers"][0]["kind"], &row["catalog"]), (&json!("dependency"), &json!("a")));
}

/// Writes a catalog whose bundle has a webhook and supports only `OwnNamespace`.
fn write_webhook_catalog(folder: &TempDir) {
    let csv = json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {"name": "kiln.v1.0.0"},
        "spec": {
            "version": "1.0.0",
            "installModes": [{"type": "AllNamespaces", "supported": true}],
            "install": {"strategy": "deployment", "spec": {"deployments": [{"name": "kiln", "spec": {}}]}},
            "webhookdefinitions": [{
                "type": "ValidatingAdmissionWebhook", "generateName": "a.example.com", "deploymentName": "kiln",
                "admissionReviewVersions": ["v1"], "sideEffects": "None",
                "rules": [{"apiGroups": ["a.example.com"], "apiVersions": ["v1"], "operations": ["CREATE"],
                    "resources": ["as"]}],
            }],
        },
    });
    let data = base64_text(csv.to_string().as_bytes());
    let text = catalog_yaml(&["1.0.0"]).replace(
        "properties: [",
        &format!("properties: [{{type: olm.bundle.object, value: {{data: {data}}}}}, "),
    );
    write_catalog(folder.path(), "hooks", &text);
}

/// Encodes bytes as base64.
fn base64_text(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let number =
            part.iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        for at in 0..4 {
            let letter = LETTERS[(number >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= part.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[test]
fn answers_name_the_openshift_version_they_hold_for() {
    let folder = catalogs();
    write_webhook_catalog(&folder);
    let kinds = |args: &[&str], code: i32| {
        let row =
            readiness(&folder, &[&["hooks", "-o", "json"], args].concat()).exits(code).json()[0].clone();
        let kinds = |list: &Value| -> Vec<String> {
            list.as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap().to_owned()).collect()
        };
        (kinds(&row["blockers"]), kinds(&row["remarks"]), row["openshift"].clone())
    };
    let none = Vec::<String>::new;
    let webhook = || vec!["webhook".to_owned()];
    assert_eq!(kinds(&[], 0), (none(), webhook(), Value::Null));
    assert_eq!(kinds(&["--openshift", "4.19"], 1), (webhook(), none(), json!("4.19")));
    assert_eq!(kinds(&["--openshift", "4.20"], 1), (webhook(), none(), json!("4.20")));
    assert_eq!(kinds(&["--openshift", "4.21"], 0), (none(), none(), json!("4.21")));
    insta::assert_snapshot!(readiness(&folder, &["hooks"]).exits(0).out);
    insta::assert_snapshot!(readiness(&folder, &["hooks", "--openshift", "4.18"]).exits(1).out);
    let run = readiness(&folder, &["hooks", "--openshift", "4.14"]).exits(2);
    assert!(run.err.contains("on OpenShift 4.14") && run.err.contains("4.17 to 5.1"), "{}", run.err);
}
