//! `olmap readiness`: packages that OLM v1 can take over, and obstacles of the others.

use super::run::{olmap, olmap_with};

#[test]
fn demo_in_three_formats() {
    insta::assert_snapshot!(olmap(&["readiness", "demo/catalog"]).exits(1).out);
    insta::assert_snapshot!(olmap(&["readiness", "demo/catalog", "--format", "markdown"]).exits(1).out);
    let rows = olmap(&["readiness", "demo/catalog", "--package", "quill-operator", "--format", "json"]);
    let rows = rows.exits(1).json();
    assert_eq!(rows.as_array().unwrap().len(), 1);
    assert_eq!(rows[0]["package"], "quill-operator");
    assert_eq!(rows[0]["ready"], false);
    assert_eq!(rows[0]["blockers"][0]["kind"], "dependency");
}

/// Returns a catalog with one bundle that contains its manifests.
fn catalog_with_manifests(csv: &serde_json::Value) -> String {
    use base64::Engine as _;
    let data = base64::engine::general_purpose::STANDARD.encode(csv.to_string());
    format!(
        "---\nschema: olm.package\nname: lamp\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: lamp\nname: stable\n\
         entries:\n- name: lamp.v1.0.0\n---\nschema: olm.bundle\npackage: lamp\nname: lamp.v1.0.0\nimage: example.com/lamp:v1\n\
         properties:\n- type: olm.package\n  value: {{packageName: lamp, version: 1.0.0}}\n- type: olm.bundle.object\n  \
         value: {{data: {data}}}\n"
    )
}

#[test]
fn reads_manifests_of_a_catalog() {
    let csv = |webhooks: serde_json::Value| {
        serde_json::json!({
            "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
            "metadata": {"name": "lamp.v1.0.0"},
            "spec": {
                "version": "1.0.0", "displayName": "Lamp",
                "installModes": [
                    {"type": "AllNamespaces", "supported": true}, {"type": "OwnNamespace", "supported": true}
                ],
                "install": {"strategy": "deployment", "spec": {"deployments": [{"name": "lamp", "spec": {}}]}},
                "customresourcedefinitions": {"owned": []},
                "webhookdefinitions": webhooks,
            }
        })
    };
    let good =
        olmap_with(&catalog_with_manifests(&csv(serde_json::json!([]))), &["readiness", "-"]).exits(0).out;
    assert!(good.contains("1 of 1 packages are ready"), "{good}");
    assert!(!good.contains("not looked at"), "{good}");
    let hook = serde_json::json!([{
        "type": "ValidatingAdmissionWebhook", "generateName": "v.lamp.example.com", "deploymentName": "other",
        "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "rules": [{"apiGroups": ["*"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["lamps"]}],
    }]);
    let bad = olmap_with(&catalog_with_manifests(&csv(hook)), &["readiness", "-", "--format", "json"])
        .exits(1)
        .json();
    let kinds: Vec<&str> =
        bad[0]["blockers"].as_array().unwrap().iter().map(|row| row["text"].as_str().unwrap()).collect();
    assert!(kinds.iter().any(|text| text.starts_with("webhook-deployment: ")), "{kinds:?}");
    assert!(kinds.iter().any(|text| text.starts_with("webhook-rules: ")), "{kinds:?}");
    assert!(bad[0].get("unseen").is_none());
}
