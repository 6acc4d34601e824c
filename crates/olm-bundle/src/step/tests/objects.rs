use super::{Bundle, Row, check_rows};

fn object_bundle(kind: &str, rest: &str) -> Bundle {
    let api = match kind {
        "RoleBinding" | "ClusterRoleBinding" | "Role" | "ClusterRole" => "rbac.authorization.k8s.io/v1",
        "PriorityClass" => "scheduling.k8s.io/v1",
        "PodDisruptionBudget" => "policy/v1",
        "NetworkPolicy" => "networking.k8s.io/v1",
        "ServiceMonitor" | "PodMonitor" => "monitoring.coreos.com/v1",
        "StorageClass" => "storage.k8s.io/v1",
        _ => "v1",
    };
    Bundle::with_file(&format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: spindle}}\n{rest}\n"))
}

fn empty_bundle() -> Bundle {
    Bundle::default()
}

#[test]
fn immutable_fields_are_refused_and_others_are_not() {
    let pair = |case, kind, old: &str, new: &str, classic, v1| -> Row<'_> {
        (case, object_bundle(kind, old), object_bundle(kind, new), classic, v1)
    };
    let role = |kind: &str, name: &str| {
        format!("roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: {kind}, name: {name}}}")
    };
    let refused = |field: &str| format!("refused: immutable-field {field}");
    let role_ref = refused("roleRef");
    let (data, mutable, kind) = (refused("data"), refused("immutable"), refused("type"));
    let (value, policy, ip) = (refused("value"), refused("preemptionPolicy"), refused("spec.clusterIP"));
    check_rows(vec![
        pair("name of a role", "RoleBinding", &role("Role", "a"), &role("Role", "b"), &role_ref, &role_ref),
        pair(
            "kind of a role",
            "RoleBinding",
            &role("Role", "a"),
            &role("ClusterRole", "a"),
            &role_ref,
            &role_ref,
        ),
        pair(
            "subjects",
            "ClusterRoleBinding",
            &format!("{}\nsubjects: []", role("ClusterRole", "a")),
            &format!("{}\nsubjects: [{{kind: Group, name: x}}]", role("ClusterRole", "a")),
            "safe",
            "safe",
        ),
        pair("mutable data", "ConfigMap", "data: {a: b}", "data: {a: c}", "safe", "safe"),
        pair(
            "immutable data",
            "ConfigMap",
            "immutable: true\ndata: {a: b}",
            "immutable: true\ndata: {a: c}",
            &data,
            &data,
        ),
        pair(
            "immutable key",
            "ConfigMap",
            "immutable: true\ndata: {a: b}",
            "immutable: true\ndata: {}",
            &data,
            &data,
        ),
        pair(
            "immutable, same",
            "ConfigMap",
            "immutable: true\ndata: {a: b}",
            "immutable: true\ndata: {a: b}",
            "safe",
            "safe",
        ),
        pair("immutable dropped", "ConfigMap", "immutable: true", "immutable: false", &mutable, &mutable),
        pair("immutable set", "ConfigMap", "data: {a: b}", "immutable: true\ndata: {a: c}", "safe", "safe"),
        pair(
            "immutable secret",
            "Secret",
            "immutable: true\nstringData: {a: b}",
            "immutable: true\nstringData: {a: c}",
            &data,
            &data,
        ),
        pair(
            "same secret in base64",
            "Secret",
            "immutable: true\nstringData: {a: b}",
            "immutable: true\ndata: {a: Yg==}",
            "safe",
            "safe",
        ),
        pair("type of a secret", "Secret", "stringData: {}", "type: example.com/key", &kind, &kind),
        pair("default type of a secret", "Secret", "stringData: {}", "type: Opaque", "safe", "safe"),
        pair("priority", "PriorityClass", "value: 1", "value: 2", &value, &value),
        pair(
            "preemption",
            "PriorityClass",
            "value: 1",
            "value: 1\npreemptionPolicy: Never",
            &policy,
            &policy,
        ),
        pair(
            "default preemption",
            "PriorityClass",
            "value: 1",
            "value: 1\npreemptionPolicy: PreemptLowerPriority",
            "safe",
            "safe",
        ),
        pair("service becomes headless", "Service", "spec: {}", "spec: {clusterIP: None}", &ip, &ip),
        pair("service stays headless", "Service", "spec: {clusterIP: None}", "spec: {}", "safe", "safe"),
        pair(
            "headless becomes a node port",
            "Service",
            "spec: {clusterIP: None}",
            "spec: {type: NodePort}",
            &ip,
            &ip,
        ),
        pair(
            "service with another address",
            "Service",
            "spec: {clusterIP: 10.0.0.1}",
            "spec: {clusterIP: 10.0.0.2}",
            &ip,
            &ip,
        ),
        pair(
            "external name becomes headless",
            "Service",
            "spec: {type: ExternalName, externalName: a.b}",
            "spec: {clusterIP: None}",
            "safe",
            "safe",
        ),
        pair("type of a service", "Service", "spec: {}", "spec: {type: NodePort}", "safe", "safe"),
    ]);
}

#[test]
fn kinds_and_apis_are_those_that_olm_and_kubernetes_have() {
    let with = |api: &str, kind: &str| {
        Bundle::with_file(&format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: spindle}}\n"))
    };
    let removed = "refused: removed-api apiVersion";
    let unsupported = "refused: unsupported-object kind";
    check_rows(vec![
        (
            "new object",
            empty_bundle(),
            object_bundle("NetworkPolicy", "spec: {podSelector: {}}"),
            "safe",
            "safe",
        ),
        ("removed object", object_bundle("ConfigMap", ""), empty_bundle(), "safe", "safe"),
        ("old API", empty_bundle(), with("policy/v1beta1", "PodDisruptionBudget"), removed, removed),
        ("old group", empty_bundle(), with("extensions/v1beta1", "NetworkPolicy"), removed, removed),
        ("kind of neither", empty_bundle(), object_bundle("StorageClass", ""), unsupported, unsupported),
        (
            "kind of neither, in both",
            object_bundle("StorageClass", ""),
            object_bundle("StorageClass", ""),
            unsupported,
            unsupported,
        ),
        (
            "pod monitor",
            empty_bundle(),
            object_bundle("PodMonitor", ""),
            unsupported,
            "look: needs-api apiVersion",
        ),
        (
            "optional API",
            empty_bundle(),
            object_bundle("ServiceMonitor", ""),
            "look: needs-api apiVersion",
            "look: needs-api apiVersion",
        ),
        (
            "optional API that was needed before",
            object_bundle("ServiceMonitor", ""),
            object_bundle("ServiceMonitor", "spec: {}"),
            "safe",
            "safe",
        ),
        (
            "foreign API of a known kind",
            empty_bundle(),
            with("serving.example.com/v1", "Service"),
            "not-checked",
            "not-checked",
        ),
    ]);
}

#[test]
fn objects_that_are_invalid_by_themselves_are_refused() {
    let invalid = |field: &str| format!("refused: invalid-object {field}");
    let budget = object_bundle("PodDisruptionBudget", "spec: {minAvailable: 1, maxUnavailable: 1}");
    let rows = [
        ("both limits", budget, "spec"),
        ("text as a number", object_bundle("PriorityClass", "value: high"), "value"),
        ("number as a text", object_bundle("ConfigMap", "data: {a: 1}"), "data.a"),
        ("not base64", object_bundle("Secret", "data: {a: '!'}"), "data"),
        ("key twice", object_bundle("ConfigMap", "data: {a: b}\nbinaryData: {a: Yg==}"), "data"),
        (
            "ports without names",
            object_bundle("Service", "spec: {ports: [{port: 1}, {port: 2}]}"),
            "spec.ports",
        ),
        (
            "ports of one name",
            object_bundle("Service", "spec: {ports: [{name: a, port: 1}, {name: a, port: 2}]}"),
            "spec.ports",
        ),
        (
            "no role",
            object_bundle("RoleBinding", "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role}"),
            "roleRef",
        ),
        (
            "role of a cluster",
            object_bundle("ClusterRoleBinding", "roleRef: {kind: Role, name: a}"),
            "roleRef",
        ),
        (
            "template in a name",
            Bundle::with_file("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .name }}'}\n"),
            "metadata.name",
        ),
    ];
    for (case, bundle, field) in rows {
        let expected = invalid(field);
        check_rows(vec![(case, empty_bundle(), bundle, &expected, &expected)]);
    }
}

#[test]
fn fields_that_boxcutter_cannot_take_away_need_a_look() {
    let pair = |case, kind, old: &str, new: &str, v1| -> Row<'_> {
        (case, object_bundle(kind, old), object_bundle(kind, new), "safe", v1)
    };
    let ports = "look: leftover-field spec.ports";
    check_rows(vec![
        pair(
            "port number",
            "Service",
            "spec: {ports: [{name: a, port: 1}]}",
            "spec: {ports: [{name: a, port: 2}]}",
            ports,
        ),
        pair(
            "port protocol",
            "Service",
            "spec: {ports: [{name: a, port: 1}]}",
            "spec: {ports: [{name: a, port: 1, protocol: UDP}]}",
            ports,
        ),
        pair(
            "port without a name",
            "Service",
            "spec: {ports: [{port: 1}]}",
            "spec: {ports: [{port: 2}]}",
            ports,
        ),
        pair(
            "port name",
            "Service",
            "spec: {ports: [{name: a, port: 1}]}",
            "spec: {ports: [{name: b, port: 1}]}",
            "safe",
        ),
        pair(
            "port and its name",
            "Service",
            "spec: {ports: [{name: a, port: 1}]}",
            "spec: {ports: [{name: b, port: 2}]}",
            "safe",
        ),
        pair(
            "port removed",
            "Service",
            "spec: {ports: [{name: a, port: 1}, {name: b, port: 2}]}",
            "spec: {ports: [{name: a, port: 1}]}",
            "safe",
        ),
        pair(
            "explicit TCP",
            "Service",
            "spec: {ports: [{name: a, port: 1}]}",
            "spec: {ports: [{name: a, port: 1, protocol: TCP}]}",
            "safe",
        ),
        pair(
            "node port moves",
            "Service",
            "spec: {ports: [{name: a, port: 1, nodePort: 30000}]}",
            "spec: {ports: [{name: b, port: 2, nodePort: 30000}]}",
            ports,
        ),
        pair(
            "affinity",
            "Service",
            "spec: {sessionAffinity: ClientIP}",
            "spec: {sessionAffinity: None}",
            "look: leftover-field spec.sessionAffinityConfig",
        ),
        pair(
            "limit",
            "PodDisruptionBudget",
            "spec: {minAvailable: 1}",
            "spec: {maxUnavailable: 1}",
            "look: leftover-field spec",
        ),
        pair(
            "limit changes",
            "PodDisruptionBudget",
            "spec: {minAvailable: 1}",
            "spec: {minAvailable: 2}",
            "safe",
        ),
        pair(
            "key becomes binary",
            "ConfigMap",
            "data: {a: b}",
            "binaryData: {a: Yg==}",
            "look: leftover-field data",
        ),
        pair("key removed", "ConfigMap", "data: {a: b, c: d}", "data: {a: b}", "safe"),
    ]);
}

#[test]
fn duplicate_or_ignored_objects_are_not_safe_with_at_least_one_olm() {
    let two = |first: &str, second: &str| {
        let one = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
        format!("{}---\n{}", one(first), one(second))
    };
    let files = empty_bundle().and_file("a.yaml", &two("a", "b"));
    check_rows(vec![("second document", empty_bundle(), files, "look: lost-object", "safe")]);
    let one = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: spindle}\n";
    let both = empty_bundle().and_file("a.yaml", one).and_file("b.yaml", one);
    let account = Bundle::with_file("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: lathe}\n");
    let permissions = |bundle: Bundle| {
        let list = format!("{}], permissions: [{{serviceAccountName: lathe, rules: []}}", super::DEPLOYMENT);
        Bundle { deployments: Some(list), ..bundle }
    };
    check_rows(vec![
        ("in two files", empty_bundle(), both.clone(), "look: duplicate-object", "refused: duplicate-object"),
        (
            "in two files, and there before",
            Bundle::with_file(one),
            both,
            "look: duplicate-object",
            "look: duplicate-object",
        ),
        (
            "account that OLM v1 makes too",
            empty_bundle(),
            permissions(account.clone()),
            "safe",
            "refused: duplicate-object",
        ),
        (
            "account that OLM v1 made before",
            permissions(empty_bundle()),
            permissions(account),
            "safe",
            "look: duplicate-object",
        ),
    ]);
}
