use super::{Bundle, Row, check_rows};

/// Returns a bundle whose deployment has extra spec fields and a pod spec.
fn deployment_bundle(spec: &str, pod: &str) -> Bundle {
    Bundle::with_deployments(&format!(
        "{{name: lathe-controller, spec: {{{spec}selector: {{matchLabels: {{app: lathe}}}}, \
         template: {{metadata: {{labels: {{app: lathe}}}}, spec: {{{pod}}}}}}}}}"
    ))
}

fn container_bundle(rest: &str) -> Bundle {
    deployment_bundle("", &format!("containers: [{{name: manager, image: a{rest}}}]"))
}

fn selector_bundle(selector: &str, labels: &str) -> Bundle {
    Bundle::with_deployments(&format!(
        "{{name: lathe-controller, spec: {{selector: {selector}, template: {{metadata: {{labels: {labels}}}, \
         spec: {{containers: [{{name: manager, image: a}}]}}}}}}}}"
    ))
}

#[test]
fn changed_deployment_selectors_are_refused() {
    let refused = "refused: immutable-field spec.selector";
    let plain = || selector_bundle("{matchLabels: {app: a}}", "{app: a, tier: b}");
    let expression = |values: &str| {
        selector_bundle(
            &format!("{{matchExpressions: [{{key: app, operator: In, values: [{values}]}}]}}"),
            "{app: a}",
        )
    };
    let twice = Bundle::with_deployments(&format!("{0}, {0}", super::DEPLOYMENT));
    let renamed = Bundle::with_deployments(&super::DEPLOYMENT.replace("lathe-controller", "lathe-manager"));
    let invalid = "refused: invalid-object spec.template.metadata.labels";
    check_rows(vec![
        ("same", plain(), plain(), "safe", "safe"),
        (
            "label added",
            plain(),
            selector_bundle("{matchLabels: {app: a, tier: b}}", "{app: a, tier: b}"),
            refused,
            refused,
        ),
        ("label changed", plain(), selector_bundle("{matchLabels: {app: b}}", "{app: b}"), refused, refused),
        ("order of values", expression("a, b"), expression("b, a"), refused, refused),
        (
            "order of labels",
            selector_bundle("{matchLabels: {a: a, b: b}}", "{a: a, b: b}"),
            selector_bundle("{matchLabels: {b: b, a: a}}", "{a: a, b: b}"),
            "safe",
            "safe",
        ),
        (
            "pod label added",
            plain(),
            selector_bundle("{matchLabels: {app: a}}", "{app: a, tier: b, new: c}"),
            "safe",
            "safe",
        ),
        (
            "labels that miss it",
            plain(),
            selector_bundle("{matchLabels: {app: a}}", "{app: b}"),
            invalid,
            invalid,
        ),
        (
            "two of one name",
            Bundle::default(),
            twice,
            "refused: duplicate-object",
            "refused: duplicate-object",
        ),
        ("another name", Bundle::default(), renamed, "safe", "safe"),
    ]);
}

#[test]
fn leftover_fields_of_pods_need_a_look_with_v1_only() {
    let base = "spec.template.spec.containers[]";
    let row = |case, old: Bundle, new: Bundle, field: &str| {
        let v1 = if field.is_empty() { "safe".to_owned() } else { format!("look: leftover-field {field}") };
        check_rows(vec![(case, old, new, "safe", &v1)]);
    };
    let volumes = |volume: &str| {
        deployment_bundle("", &format!("containers: [{{name: manager, image: a}}], volumes: [{volume}]"))
    };
    let pod =
        |rest: &str| deployment_bundle("", &format!("containers: [{{name: manager, image: a}}], {rest}"));
    let plain = || container_bundle("");
    let only = "containers: [{name: manager, image: a}]";
    let strategy = |text: &str| deployment_bundle(&format!("strategy: {text}, "), only);
    row("recreate", plain(), strategy("{type: Recreate}"), "spec.strategy.rollingUpdate");
    row("rolling", strategy("{type: Recreate}"), strategy("{type: RollingUpdate}"), "");
    row(
        "no surge, none unavailable",
        strategy("{rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"),
        strategy("{rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"),
        "",
    );
    row(
        "surge left out",
        strategy("{rollingUpdate: {maxSurge: 0}}"),
        strategy("{rollingUpdate: {maxUnavailable: 0}}"),
        "spec.strategy.rollingUpdate",
    );
    let env = |text: &str| container_bundle(&format!(", env: [{{name: A, {text}}}]"));
    let from = "valueFrom: {fieldRef: {fieldPath: metadata.name}}";
    let secret = "valueFrom: {secretKeyRef: {name: a, key: b}}";
    row("value from", env("value: a"), env(from), &format!("{base}.env"));
    row("value from, the other way", env(from), env("value: a"), &format!("{base}.env"));
    row("another source", env(from), env(secret), &format!("{base}.env"));
    row("another value", env("value: a"), env("value: b"), "");
    row("variable removed", env("value: a"), plain(), "");
    let probe = |kind: &str, handler: &str| container_bundle(&format!(", {kind}: {{{handler}}}"));
    for kind in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let field = format!("{base}.{kind}");
        row(kind, probe(kind, "httpGet: {port: 1}"), probe(kind, "tcpSocket: {port: 1}"), &field);
        row(kind, probe(kind, "httpGet: {port: 1}"), probe(kind, "httpGet: {port: 2}"), "");
    }
    let hook = |handler: &str| container_bundle(&format!(", lifecycle: {{preStop: {{{handler}}}}}"));
    row("hook", hook("exec: {command: [a]}"), hook("sleep: {seconds: 1}"), &format!("{base}.lifecycle"));
    let ports = |list: &str| container_bundle(&format!(", ports: [{list}]"));
    row(
        "container port",
        ports("{name: a, containerPort: 1}"),
        ports("{name: a, containerPort: 2}"),
        &format!("{base}.ports"),
    );
    row("port without a name", ports("{containerPort: 1}"), ports("{containerPort: 2}"), "");
    row(
        "port of the node",
        ports("{name: a, containerPort: 1, hostPort: 80}"),
        ports("{name: b, containerPort: 2, hostPort: 80}"),
        &format!("{base}.ports"),
    );
    let mount =
        |key: &str| container_bundle(&format!(", volumeMounts: [{{name: v, mountPath: /a, {key}: b}}]"));
    row("mount", mount("subPath"), mount("subPathExpr"), &format!("{base}.volumeMounts"));
    row(
        "volume",
        volumes("{name: v, emptyDir: {}}"),
        volumes("{name: v, configMap: {name: a}}"),
        "spec.template.spec.volumes",
    );
    row(
        "volume without a source",
        volumes("{name: v}"),
        volumes("{name: v, configMap: {name: a}}"),
        "spec.template.spec.volumes",
    );
    row("another volume", volumes("{name: v, emptyDir: {}}"), volumes("{name: w, configMap: {name: a}}"), "");
    let security = |text: &str| container_bundle(&format!(", securityContext: {{{text}}}"));
    row(
        "privileged",
        security("privileged: true"),
        security("allowPrivilegeEscalation: false"),
        &format!("{base}.securityContext"),
    );
    row(
        "not privileged",
        security("privileged: true"),
        security("privileged: false, allowPrivilegeEscalation: false"),
        "",
    );
    let seccomp = |text: &str| pod(&format!("securityContext: {{seccompProfile: {{{text}}}}}"));
    row(
        "profile",
        seccomp("type: Localhost, localhostProfile: a"),
        seccomp("type: RuntimeDefault"),
        "spec.template.spec.securityContext",
    );
    let resources = |text: &str| container_bundle(&format!(", resources: {{{text}}}"));
    row(
        "request above the old limit",
        resources("limits: {memory: 64Mi}"),
        resources("requests: {memory: 128Mi}"),
        &format!("{base}.resources"),
    );
    row("request below the old limit", resources("limits: {cpu: 1}"), resources("requests: {cpu: 100m}"), "");
    let initial = "containers: [{name: b, image: a}], initContainers: [{name: manager, image: a}]";
    row("container moves", plain(), deployment_bundle("", initial), "spec.template.spec.containers");
    row("container renamed", plain(), deployment_bundle("", "containers: [{name: other, image: a}]"), "");
}

fn modes_bundle(list: &str) -> Bundle {
    let modes = list.split(' ').filter(|mode| !mode.is_empty());
    let modes: Vec<String> = modes.map(|mode| format!("{{type: {mode}, supported: true}}")).collect();
    Bundle::default().and_modes(&format!("  installModes: [{}]\n", modes.join(", ")))
}

#[test]
fn install_modes_and_minimum_versions_are_compared() {
    let version = |version: &str| Bundle::with_spec(&format!("  minKubeVersion: {version}\n"));
    let kube = "look: kube-version spec.minKubeVersion";
    let gone = "look: install-mode-removed spec.installModes";
    let refused = "refused: install-mode-removed spec.installModes";
    let missing = "refused: install-mode-missing spec.installModes";
    check_rows(vec![
        (
            "mode added",
            modes_bundle("AllNamespaces"),
            modes_bundle("AllNamespaces OwnNamespace"),
            "safe",
            "safe",
        ),
        (
            "mode gone",
            modes_bundle("AllNamespaces OwnNamespace"),
            modes_bundle("AllNamespaces"),
            gone,
            "safe",
        ),
        (
            "all namespaces gone",
            modes_bundle("AllNamespaces OwnNamespace"),
            modes_bundle("OwnNamespace"),
            gone,
            refused,
        ),
        (
            "all namespaces come",
            modes_bundle("OwnNamespace"),
            modes_bundle("AllNamespaces OwnNamespace"),
            "safe",
            "safe",
        ),
        ("never all namespaces", modes_bundle("OwnNamespace"), modes_bundle("OwnNamespace"), "safe", missing),
        ("none left", modes_bundle("AllNamespaces"), modes_bundle(""), refused, refused),
        ("raised", version("1.21.0"), version("1.30.0"), kube, "safe"),
        ("new", Bundle::default(), version("1.30.0"), kube, "safe"),
        ("lowered", version("1.30.0"), version("1.21.0"), "safe", "safe"),
        ("unreadable", version("1.30.0"), version("latest"), kube, "safe"),
    ]);
}

fn permissions_bundle(account: &str, list: &str, rules: &str) -> Bundle {
    let deployment =
        super::DEPLOYMENT.replace("{containers", &format!("{{serviceAccountName: {account}, containers"));
    Bundle::with_deployments(&format!(
        "{deployment}], {list}: [{{serviceAccountName: {account}, rules: [{rules}]}}"
    ))
}

#[test]
fn accounts_and_permissions_are_compared() {
    let pods = |verbs: &str| format!("{{apiGroups: [''], resources: [pods], verbs: [{verbs}]}}");
    let own = |rules: &str| permissions_bundle("lathe", "permissions", rules);
    let cluster = |rules: &str| permissions_bundle("lathe", "clusterPermissions", rules);
    let renamed = "look: service-account-renamed";
    let added = "look: permissions-added spec.install.spec.clusterPermissions";
    let named = "{apiGroups: [''], resources: [pods], resourceNames: [a], verbs: [get]}";
    let all = "{apiGroups: ['*'], resources: ['*'], verbs: ['*']}";
    let below = "{apiGroups: [''], resources: ['*/exec'], verbs: [create]}";
    let exec = "{apiGroups: [''], resources: [pods/exec], verbs: [create]}";
    let url = |path: &str| format!("{{nonResourceURLs: [{path}], verbs: [get]}}");
    check_rows(vec![
        ("same", cluster(&pods("get")), cluster(&pods("get")), "safe", "safe"),
        ("verb added", cluster(&pods("get")), cluster(&pods("get, list")), "safe", added),
        ("verb gone", cluster(&pods("get, list")), cluster(&pods("get")), "safe", "safe"),
        ("all before", cluster(all), cluster(&pods("get")), "safe", "safe"),
        ("name gone", cluster(named), cluster(&pods("get")), "safe", added),
        ("name added", cluster(&pods("get")), cluster(named), "safe", "safe"),
        ("subresource of all", cluster(below), cluster(exec), "safe", "safe"),
        ("from one list to the other", own(&pods("get")), cluster(&pods("get")), "safe", "safe"),
        (
            "own namespace",
            own(&pods("get")),
            own(&pods("list")),
            "safe",
            "look: permissions-added spec.install.spec.permissions",
        ),
        ("URL below another", cluster(&url("/metrics*")), cluster(&url("/metrics/a")), "safe", "safe"),
        ("another URL", cluster(&url("/metrics")), cluster(&url("/healthz")), "safe", added),
        (
            "renamed",
            own(&pods("get")),
            permissions_bundle("lathe-manager", "permissions", &pods("get")),
            renamed,
            renamed,
        ),
    ]);
}

fn webhooks_bundle(list: &str) -> Bundle {
    Bundle::with_spec(&format!("  webhookdefinitions: [{list}]\n"))
}

fn webhook_yaml(name: &str, deployment: &str, groups: &str) -> String {
    format!(
        "{{type: ValidatingAdmissionWebhook, generateName: {name}, deploymentName: {deployment}, \
         rules: [{{apiGroups: ['{groups}'], resources: [lathes]}}]}}"
    )
}

#[test]
fn webhooks_and_api_services_are_compared() {
    let one = |name: &str| webhooks_bundle(&webhook_yaml(name, "lathe-controller", "example.com"));
    let field = "spec.webhookdefinitions";
    let rules = format!("refused: webhook-rules {field}");
    let missing = format!("refused: webhook-deployment-missing {field}");
    let service = |deployment: &str| {
        Bundle::with_spec(&format!(
            "  apiservicedefinitions: {{owned: [{{name: readings, group: example.com, version: v1, kind: Reading, \
             deploymentName: {deployment}}}]}}\n"
        ))
    };
    let unsupported = "refused: unsupported-api-service spec.apiservicedefinitions";
    let moot = super::judge_bundles(&service("lathe-controller"), &service("lathe-controller"));
    assert!(moot.is_v1_moot && !moot.is_refused(), "OLM v1 did not install the old one: {moot:?}");
    let begun = super::judge_bundles(&Bundle::default(), &service("lathe-controller"));
    assert!(begun.is_refused() && !begun.is_v1_moot, "{begun:?}");
    let rows: Vec<Row<'_>> = vec![
        ("added", Bundle::default(), one("a.example.com"), "safe", "safe"),
        ("renamed", one("a.example.com"), one("b.example.com"), "safe", "safe"),
        ("removed", one("a.example.com"), Bundle::default(), "safe", "safe"),
        (
            "all groups",
            Bundle::default(),
            webhooks_bundle(&webhook_yaml("a.example.com", "lathe-controller", "*")),
            &rules,
            &rules,
        ),
        (
            "no deployment",
            Bundle::default(),
            webhooks_bundle(&webhook_yaml("a.example.com", "other", "example.com")),
            &missing,
            &missing,
        ),
        ("API service", Bundle::default(), service("lathe-controller"), "safe", unsupported),
        (
            "API service without a deployment",
            Bundle::default(),
            service("other"),
            "refused: api-service-deployment-missing spec.apiservicedefinitions",
            unsupported,
        ),
    ];
    check_rows(rows);
}
