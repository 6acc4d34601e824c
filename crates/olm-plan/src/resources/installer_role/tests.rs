//! Tests of the roles against the requests that OLM v1 makes with the account.

use super::*;
use olm_bundle::{Tree, TreeFile};
use olm_catalog::text::emit;
use olm_upgrade::Engine;

const CSV: &str = r#"
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: ship.v1.0.0}
spec:
  installModes: [{type: MODE, supported: true}]
  webhookdefinitions:
  - {type: ValidatingAdmissionWebhook, generateName: vship.example.com-, deploymentName: ship.manager}
  install:
    spec:
      deployments:
      - {name: ship.manager, spec: {template: {spec: {serviceAccountName: ship}}}}
      permissions:
      - {rules: [{apiGroups: [sea.example.com], resources: [ships], verbs: ["*"]}]}
      clusterPermissions:
      - serviceAccountName: ship
        rules: [{apiGroups: [""], resources: [secrets], resourceNames: [key], verbs: [get, "<&>"]}]
"#;
const OBJECTS: &str = r"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ships.sea.example.com}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: ship}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: ship-high}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ship-view}
rules: [{apiGroups: [sea.example.com], resources: [ships], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ship-view}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
";
/// Computed from the Go source with another program.
const CLUSTER_NAME: &str = "ship.v1.0.0-ship-1yyj6qlipl7n7vizebedfvzlz0pieycyn6qad6pgzwze";
const PLAIN_NAME: &str = "ship.v1.0.0-default-2n0r01py1a7nh9cpi89ikcbmmxxbld1t3ez18pmo8ze9";
const LIFTED_NAME: &str = "ship.v1.0.0-default-1rjohyc56vfown1g8p4zirk0d9aq9t6d4dzczs97ma44";

fn sample_tree(mode: &str) -> Tree {
    let file =
        |name: &str, text: String| TreeFile { path: format!("manifests/{name}"), content: Ok(text.into()) };
    let files = vec![file("csv.yaml", CSV.replace("MODE", mode)), file("objects.yaml", OBJECTS.to_owned())];
    Tree { files, folders: vec!["manifests".to_owned()] }
}

fn sample_permissions(mode: &str) -> InstallerPermissions {
    let tree = sample_tree(mode);
    let names = ObjectNames {
        name: "ship".to_owned(),
        namespace: "harbour".to_owned(),
        account: "porter".to_owned(),
    };
    InstallerPermissions::from_bundle(&LoadedBundle::load_objects(&tree).unwrap(), &names)
}

/// Returns true if a rule allows a request.
fn allows(rules: &[PolicyRule], verb: &str, group: &str, resource: &str, name: &str) -> bool {
    let names = (!name.is_empty()).then_some(name);
    let request = PolicyRule::on_resource(group, resource, &[verb]).limited_to(names);
    rules.iter().any(|rule| rule.includes_rule(&request))
}

#[test]
fn roles_allow_the_requests_of_olm_v1_and_no_others() {
    let [cluster, namespaced] = sample_permissions("AllNamespaces").to_rules();
    let cluster_objects = [
        ("apiextensions.k8s.io", "customresourcedefinitions", "ships.sea.example.com"),
        ("scheduling.k8s.io", "priorityclasses", "ship-high"),
        ("admissionregistration.k8s.io", "validatingwebhookconfigurations", "vship.example.com"),
        (RBAC_GROUP, "clusterroles", "ship-view"),
        (RBAC_GROUP, "clusterroles", CLUSTER_NAME),
        (RBAC_GROUP, "clusterroles", PLAIN_NAME),
        (RBAC_GROUP, "clusterroles", LIFTED_NAME),
        (RBAC_GROUP, "clusterrolebindings", CLUSTER_NAME),
    ];
    for (group, resource, name) in cluster_objects {
        for verb in ["create", "list", "watch"] {
            assert!(allows(&cluster, verb, group, resource, ""), "{verb} {resource}");
        }
        for verb in OBJECT_VERBS {
            assert!(allows(&cluster, verb, group, resource, name), "{verb} {resource} {name}");
            assert!(!allows(&cluster, verb, group, resource, "another"), "{verb} {resource}");
        }
    }
    let namespace_objects = [
        ("apps", "deployments", "ship.manager"),
        ("", "serviceaccounts", "ship"),
        ("", "services", "ship-manager-service"),
        ("networking.k8s.io", "networkpolicies", "ship"),
        (RBAC_GROUP, "rolebindings", "ship-view"),
    ];
    for (group, resource, name) in namespace_objects {
        for verb in COLLECTION_VERBS {
            assert!(allows(&cluster, verb, group, resource, ""), "{verb} {resource}");
        }
        assert!(
            allows(&namespaced, "create", group, resource, "")
                && !allows(&cluster, "create", group, resource, "")
        );
        for verb in OBJECT_VERBS {
            assert!(allows(&namespaced, verb, group, resource, name), "{verb} {resource} {name}");
            assert!(!allows(&namespaced, verb, group, resource, "another"), "{verb} {resource}");
            assert!(!allows(&cluster, verb, group, resource, name), "{verb} {resource} {name}");
        }
    }
    // What the account grants, it must have.
    assert!(allows(&cluster, "delete", "sea.example.com", "ships", ""));
    assert!(allows(&cluster, "get", "", "secrets", "key") && !allows(&cluster, "get", "", "secrets", ""));
    assert!(allows(&cluster, "watch", "", "namespaces", ""));
    assert!(allows(&namespaced, "bind", RBAC_GROUP, "clusterroles", "view"));
    assert!(allows(&cluster, "update", "olm.operatorframework.io", "clusterextensions/finalizers", "ship"));
    // The rule of `ship-view` is part of the operator's permission.
    let of_ships = cluster.iter().filter(|rule| rule.resources == ["ships"]).count();
    assert_eq!(of_ships, 1);
}

#[test]
fn permissions_stay_in_the_namespace_unless_the_operator_watches_all() {
    let own = sample_permissions("OwnNamespace");
    let [cluster, namespaced] = own.to_rules();
    assert!(allows(&namespaced, "delete", "sea.example.com", "ships", ""));
    assert!(!allows(&cluster, "delete", "sea.example.com", "ships", ""));
    assert!(allows(&namespaced, "patch", RBAC_GROUP, "roles", PLAIN_NAME));
    assert!(!allows(&cluster, "get", "", "namespaces", ""));

    let chosen = sample_permissions("SingleNamespace");
    let [cluster, namespaced] = chosen.to_rules();
    assert!(!allows(&namespaced, "delete", "sea.example.com", "ships", ""));
    assert!(allows(&cluster, "watch", RBAC_GROUP, "roles", ""));
    assert!(chosen.notes.iter().any(|note| note.contains("watches a namespace that the extension names")));
    assert!(!own.notes.iter().any(|note| note.contains("watches a namespace")));
}

#[test]
fn generated_names_are_labels() {
    let base = "a".repeat(80);
    let name = join_object_name(&base, "suffix");
    assert_eq!((name.len(), name.ends_with("a-suffix")), (63, true));
    assert_eq!(join_object_name("short", "suffix"), "short-suffix");
    assert_eq!(to_base36(&[0]), "0");
    assert_eq!(to_base36(&[1, 0]), "74");
}

#[test]
fn roles_come_before_the_extension_and_bind_its_account() {
    let stop = InstallTarget {
        engine: Engine::V1,
        package: "ship".into(),
        channel: None,
        bundle: "ship.v1.0.0".into(),
        version: Some(olm_version::VersionRelease::parse("1.0.0", "").unwrap()),
    };
    let choices = ResourceOptions { namespace: Some("harbour".to_owned()), ..ResourceOptions::default() };
    let tree = sample_tree("AllNamespaces");
    let bundle = LoadedBundle::load_objects(&tree).unwrap();
    let made = super::super::create_resources(&stop, None, &choices).unwrap();
    let made = made.with_installer_role(&stop, &choices, &bundle).unwrap();
    let kinds: Vec<_> = made.objects.iter().map(|object| text_at(object, &["kind"]).into_owned()).collect();
    let expected = [
        "Namespace",
        "ServiceAccount",
        "ClusterRole",
        "ClusterRoleBinding",
        "Role",
        "RoleBinding",
        "ClusterExtension",
    ];
    assert_eq!(kinds, expected);
    let binding = "apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: ship-installer
  namespace: harbour
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: ship-installer
subjects:
- kind: ServiceAccount
  name: ship-installer
  namespace: harbour
";
    assert_eq!(emit::write_yaml(&made.objects[5]), binding);
    let notes: Vec<_> = made.remarks.iter().map(|remark| remark.text.as_str()).collect();
    assert!(notes.iter().any(|note| note.contains("1.11 ignores it")), "{notes:?}");
    assert!(notes.iter().all(|note| !note.contains("needs a ClusterRole")), "{notes:?}");
}
