//! `olmap resources --engine v1 --bundles`: the roles that the installing service account needs.

use serde_json::Value;

use super::run::{Run, olmap_in, root};

const CATALOG: &str = "\
schema: olm.package
name: kettle
defaultChannel: stable
---
schema: olm.channel
package: kettle
name: stable
entries:
- name: kettle.v1.1.0
---
schema: olm.bundle
package: kettle
name: kettle.v1.1.0
image: registry.example.com/kettle:1.1.0
properties:
- type: olm.package
  value: {packageName: kettle, version: 1.1.0}
";

/// Prints the resources for a catalog without manifests.
fn print_resources(args: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("catalog.yaml"), CATALOG).unwrap();
    olmap_in(folder.path(), &[&["resources", "1.1.0", "."], args].concat())
}

fn object_kinds(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["kind"].as_str().unwrap()).collect()
}

#[test]
fn roles_of_the_installer_are_printed_with_the_manifests() {
    let bundles = root().join("tests/fixtures/safety").display().to_string();
    let run = print_resources(&["--engine", "v1", "--bundles", &bundles, "-o", "json"]).exits(0);
    let list = run.json();
    let kinds = object_kinds(&list);
    assert_eq!(
        kinds,
        [
            "Namespace",
            "ServiceAccount",
            "ClusterRole",
            "ClusterRoleBinding",
            "Role",
            "RoleBinding",
            "ClusterExtension"
        ]
    );
    let rules = list["items"][2]["rules"].as_array().unwrap();
    let crd = |rule: &&Value| {
        rule["resources"][0] == "customresourcedefinitions" && rule["resourceNames"].is_array()
    };
    let named = rules.iter().find(crd).unwrap();
    assert_eq!(named["resourceNames"], serde_json::json!(["kettles.kitchen.example.com"]));
    assert!(run.err.contains("spec.serviceAccount counts in operator-controller 1.0 to 1.10"), "{}", run.err);
    assert!(!run.err.contains("needs a ClusterRole"), "{}", run.err);

    let without = print_resources(&["--engine", "v1", "-o", "json"]).exits(0);
    assert_eq!(object_kinds(&without.json()), ["Namespace", "ServiceAccount", "ClusterExtension"]);
    assert!(without.err.contains("needs a ClusterRole"), "{}", without.err);
}

#[test]
fn roles_of_the_installer_need_manifests_and_olm_v1() {
    let run = print_resources(&["--engine", "v1", "--installer-role"]).exits(2);
    assert!(
        run.err.contains("the roles of the installer need the manifests of kettle.v1.1.0"),
        "{}",
        run.err
    );
    assert_eq!(run.out, "");
    let run = print_resources(&["--installer-role"]).exits(2);
    assert!(run.err.contains("--installer-role is only for --engine v1"), "{}", run.err);
    // The manifests of bundle directories are part of the catalog.
    let own = ["resources", "1.1.0", "tests/fixtures/safety/kettle", "--engine", "v1", "--installer-role"];
    assert!(olmap_in(&root(), &own).out.contains("kind: ClusterRole\n"));
}
