//! Tests of parsed and ignored data, that secrets are never stored, and of the comparison of cluster and
//! catalog.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::series::Release;
use olm_catalog::PackageName;
use olm_upgrade::{
    Engine, fixture,
    resolve::{CatalogIndex, Limits, Source, resolve},
};

const ALL: &str = r#"
apiVersion: v1
kind: List
items:
- apiVersion: config.openshift.io/v1
  kind: ClusterVersion
  metadata: {name: version}
  spec: {channel: stable-4.18, clusterID: 11111111-2222-3333-4444-555555555555}
  status:
    conditions:
    - {type: Upgradeable, status: "False", reason: IncompatibleOperatorsInstalled, message: blocked}
    - {type: Available, status: "True"}
    history:
    - {state: Partial, version: 4.19.1}
    - {state: Completed, version: 4.18.22}
    - {state: Completed, version: 4.17.3}
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: tide, namespace: tides}
  spec: {name: tide, channel: stable, source: harbour, sourceNamespace: olm, installPlanApproval: Manual, startingCSV: tide.v1.0.0}
  status:
    installedCSV: tide.v1.0.0
    currentCSV: tide.v1.1.0
    state: UpgradePending
    conditions:
    - {type: ResolutionFailed, status: "True", reason: ConstraintsNotSatisfiable, message: no way}
    - {type: SomethingElse, status: "True"}
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata:
    name: tide.v1.0.0
    namespace: tides
    annotations:
      operatorframework.io/properties: '{"properties":[{"type":"olm.package","value":{"packageName":"tide","version":"1.0.0"}},{"type":"olm.maxOpenShiftVersion","value":"4.18"},{"type":"mine","value":"TOP-SECRET"}]}'
      token: TOP-SECRET
  spec: {version: 1.0.0, replaces: tide.v0.9.0, install: {spec: {password: TOP-SECRET}}}
  status: {phase: Succeeded, reason: InstallSucceeded}
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: tide.v1.0.0, namespace: other, labels: {olm.copiedFrom: tides}}
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: tide.v0.9.0, namespace: tides}
  status: {phase: Replacing}
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata:
    name: buoy.v3.0.0
    namespace: tides
    annotations: {olm.properties: '[{"type":"olm.package","value":{"packageName":"buoy","version":"3.0.0"}}]'}
- apiVersion: operators.coreos.com/v1alpha1
  kind: InstallPlan
  metadata: {name: install-abcde, namespace: tides}
  spec: {approved: false, clusterServiceVersionNames: [tide.v1.1.0]}
  status: {phase: RequiresApproval}
- apiVersion: operators.coreos.com/v1
  kind: OperatorGroup
  metadata: {name: tides, namespace: tides, annotations: {olm.operatorframework.io/exclude-global-namespace-resolution: "true"}}
  spec: {targetNamespaces: [tides], upgradeStrategy: TechPreviewUnsafeFailForward}
- apiVersion: operators.coreos.com/v1alpha1
  kind: CatalogSource
  metadata: {name: harbour, namespace: olm}
  spec: {image: registry.example.com/harbour:v4.18, priority: -100, secrets: [TOP-SECRET]}
  status: {connectionState: {lastObservedState: READY}}
- apiVersion: olm.operatorframework.io/v1
  kind: ClusterExtension
  metadata: {name: lamp}
  spec:
    namespace: lamps
    serviceAccount: {name: lamp-installer}
    source:
      sourceType: Catalog
      catalog: {packageName: lamp, channels: [fast, stable], version: "<3", upgradeConstraintPolicy: SelfCertified, selector: {matchLabels: {tier: gold}}}
  status:
    install: {bundle: {name: lamp.v2.0.0, version: 2.0.0}}
    conditions: [{type: Progressing, status: "True", reason: Succeeded, message: done}]
- apiVersion: olm.operatorframework.io/v1
  kind: ClusterCatalog
  metadata: {name: lights, labels: {tier: gold}}
  spec: {priority: 3, availabilityMode: Unavailable, source: {type: Image, image: {ref: "registry.example.com/lights:v4.18"}}}
- apiVersion: v1
  kind: Secret
  metadata: {name: key}
  data: {token: TOP-SECRET}
- apiVersion: messaging.example.com/v1
  kind: Subscription
  metadata: {name: queue}
"#;

fn parse_files(texts: &[(&str, &str)]) -> Result<Cluster, NothingFound> {
    let mut reader = Reader::default();
    for (label, text) in texts {
        reader.add_file(label, text.as_bytes());
    }
    reader.finish_cluster()
}

fn parse_cluster(text: &str) -> Cluster {
    parse_files(&[("cluster.yaml", text)]).unwrap()
}

fn note_texts(cluster: &Cluster) -> Vec<String> {
    cluster.notes.iter().map(ToString::to_string).collect()
}

#[test]
fn reads_all_relevant_data() {
    let cluster = parse_cluster(ALL);
    assert_eq!(note_texts(&cluster), [""; 0]);
    let version = cluster.version.as_ref().unwrap();
    assert_eq!((version.version.as_str(), version.updating_to.as_deref()), ("4.18.22", Some("4.19.1")));
    assert_eq!(cluster.openshift().unwrap().to_string(), "4.18");
    assert_eq!(
        version.upgradeable.as_ref().unwrap().describe_condition(),
        "IncompatibleOperatorsInstalled: blocked"
    );
    let names: Vec<String> = cluster.operators.iter().map(Operator::request_label).collect();
    assert_eq!(
        names,
        ["ClusterServiceVersion tides/buoy.v3.0.0", "ClusterExtension lamp", "Subscription tides/tide"],
        "neither a copy nor what is being replaced is installed"
    );
    let tide = &cluster.operators[2];
    let asks = tide.subscription().unwrap();
    assert_eq!((asks.approval, asks.waits_for.as_deref()), (Approval::Manual, Some("install-abcde")));
    assert_eq!((tide.requested_channels()[0].as_str(), asks.source.name.as_str()), ("stable", "harbour"));
    let installed = tide.installed.as_ref().unwrap();
    assert_eq!(installed.version.as_ref().unwrap().to_string(), "1.0.0");
    assert_eq!(installed.properties.len(), 2, "{:?}", installed.properties);
    assert_eq!(tide.conditions.len(), 1);
    assert!(tide.condition(ConditionKind::ResolutionFailed).unwrap().holds());
    let lamp = &cluster.operators[1];
    assert_eq!((lamp.engine(), lamp.namespace.as_str()), (Engine::V1, "lamps"));
    let query = lamp.query().unwrap();
    assert_eq!(
        (query.channels.len(), query.version.as_str(), query.policy.as_str()),
        (2, "<3", "SelfCertified")
    );
    assert_eq!(lamp.installed.as_ref().unwrap().name, "lamp.v2.0.0");
    let buoy = &cluster.operators[0];
    assert_eq!((buoy.package.as_ref().unwrap().as_str(), &buoy.request), ("buoy", &OperatorRequest::Nothing));
    assert!(
        cluster
            .operator_group("tides")
            .is_some_and(|g| g.fails_forward && g.excludes_global && g.targets == ["tides"])
    );
    assert_eq!((cluster.catalogs[0].priority, cluster.catalogs[0].state.as_str()), (-100, "READY"));
    assert!(!cluster.extension_catalogs[0].available);
    assert_eq!(cluster.kinds, Kind::ALL);
    let package = PackageName::from("tide");
    assert_eq!(cluster.operators_with_bundle(&package, &"tide.v1.0.0".into()).count(), 1);
}

#[test]
fn stores_no_secrets() {
    let kept = format!("{:?}", parse_cluster(ALL));
    assert!(!kept.contains("TOP-SECRET"), "{kept}");
    for broken in [
        "apiVersion: v1\nkind: Secret\ndata: {a: !!int TOP-SECRET}\n",
        "apiVersion: v1\nkind: Secret\ndata: *TOP-SECRET\n",
        "{\"kind\": \"Secret\", \"data\": \"TOP-SECRET\n",
        "kind: Secret\ndata: \"TOP-SECRET\nmore\n",
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: a}\nspec: {name: [TOP-SECRET]}\n",
    ] {
        let words = format!("{:?}", parse_files(&[("secret.yaml", broken)]));
        assert!(!words.contains("TOP-SECRET"), "{words}");
    }
}

#[test]
fn json_documents_and_several_files_give_the_same_result() {
    let tree = olm_catalog::text::yaml::parse_yaml(ALL.as_bytes()).unwrap();
    let json = olm_catalog::text::emit::write_json(&tree);
    let places = |cluster: Cluster| {
        let cluster: Vec<_> =
            cluster.operators.into_iter().map(|operator| (operator.name.clone(), operator.request)).collect();
        cluster
    };
    assert_eq!(places(parse_cluster(&json)), places(parse_cluster(ALL)));
    let items: Vec<String> =
        tree.get("items").unwrap().items().iter().map(olm_catalog::text::emit::write_yaml).collect();
    assert_eq!(places(parse_cluster(&items.join("---\n"))), places(parse_cluster(ALL)));
    let files: Vec<(&str, &str)> = items.iter().rev().map(|item| ("one.yaml", item.as_str())).collect();
    assert_eq!(places(parse_files(&files).unwrap()), places(parse_cluster(ALL)));
    let typed = "apiVersion: operators.coreos.com/v1alpha1\nkind: SubscriptionList\nitems:\n- metadata: {name: a}\n  spec: {name: tide}\n";
    assert_eq!(parse_cluster(typed).operators[0].package.as_ref().unwrap().as_str(), "tide");
}

#[test]
fn reports_invalid_data_with_line_and_keeps_the_rest() {
    let text = "\
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: a, namespace: ns}
spec:
  name: tide
  channel: 4.18
status:
  conditions:
  - text
  - type: [1]
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {namespace: ns}
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: b, namespace: ns}
---
a: b: c
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: a.v1, namespace: ns}
spec: {version: one}
---
apiVersion: config.openshift.io/v1
kind: ClusterVersion
metadata: {name: version}
---
- 1
";
    let read = parse_cluster(text);
    assert_eq!(
        note_texts(&read),
        [
            "cluster.yaml:6: Subscription ns/a: spec.channel must be text; it is ignored",
            "cluster.yaml:9: Subscription ns/a: status.conditions[0] must be an object; it is ignored",
            "cluster.yaml:10: Subscription ns/a: status.conditions[1].type must be text; it is ignored",
            "cluster.yaml:12: this Subscription has no metadata.name and is ignored",
            "cluster.yaml:16: Subscription ns/b has no spec.name and is ignored",
            "cluster.yaml:20: this document is ignored: mapping values are not allowed in this context",
            "cluster.yaml:22: ClusterServiceVersion ns/a.v1: spec.version is not a version",
            "cluster.yaml:27: ClusterVersion version has no status.history and is ignored",
        ]
    );
    assert_eq!(read.operators.len(), 2);
    assert_eq!(read.openshift(), None);
}

#[test]
fn duplicates_are_reported_only_if_they_differ() {
    let one = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: a}\nspec: {name: tide}\n";
    let other = one.replace("tide", "buoy");
    let read = |a: &str, b: &str| parse_files(&[("a.yaml", a), ("b.yaml", b)]).unwrap();
    assert_eq!(note_texts(&read(one, one)), [""; 0]);
    let differ = read(one, &other);
    assert_eq!(differ.operators.len(), 1);
    assert_eq!(
        note_texts(&differ),
        ["b.yaml:1: Subscription a is here and at a.yaml:1, and they differ; a.yaml:1 is ignored"]
    );
}

#[test]
fn refuses_other_files_and_suggests_the_command() {
    let error =
        parse_files(&[("pods.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")]).unwrap_err();
    assert_eq!(error.to_string(), "pods.yaml says nothing about operators; it has 1 object of other kinds");
    assert!(error.hint().contains("kubectl get"));
    for empty in ["", "---\n", "# nothing\n", "\u{1b}", "{", "[]"] {
        assert!(parse_files(&[("a", empty)]).is_err(), "{empty:?}");
    }
    assert!(parse_files(&[]).is_err());
}

#[test]
fn extension_has_selector_and_installed_version_as_written() {
    let text = "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata: {name: a}\n\
        spec: {namespace: n, source: {catalog: {packageName: tide, selector: {matchLabels: {tier: gold}, \
        matchExpressions: [{key: old, operator: DoesNotExist}, {key: env, operator: In, values: [a, '']}]}}}}\n\
        status: {install: {bundle: {name: tide.v1, version: v1.0}}}\n";
    let list = parse_operator_list("ext.yaml", text.as_bytes()).unwrap();
    let operator = &list.operators[0];
    let OperatorRequest::Extension { selector, .. } = &operator.request else { panic!("{operator:?}") };
    assert_eq!(selector.to_string(), "tier=gold,!old,env in (a,)");
    assert_eq!(operator.installed.as_ref().unwrap().to_metadata().version, "v1.0");
}

#[test]
fn custom_resource_becomes_a_question() {
    let ask = |text: &str| parse_operator_list("ext.yaml", text.as_bytes());
    let subscription = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: a}\nspec: {name: tide, channel: fast}\nstatus: {installedCSV: tide.v1.0.0}\n";
    let asked = ask(subscription).unwrap();
    assert_eq!(asked.operators[0].installed.as_ref().unwrap().name, "tide.v1.0.0");
    let asked = ask(&subscription.replace("fast", "[]")).unwrap();
    let counts = (asked.operators.len(), asked.notes.len());
    assert_eq!(counts, (1, 1), "what is right counts, what is wrong is said");
    let nameless = subscription.replace("name: tide, ", "");
    assert!(ask(&nameless).is_err_and(|error| matches!(error, OperatorListError::Note(_))));
    let group = "apiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata: {name: a}\n";
    assert!(ask(group).is_err_and(|error| matches!(error, OperatorListError::NoRequests(_))));
    assert!(ask("kind: Pod").is_err_and(|error| error.hint().is_some()));
}

/// Truncated and damaged files never cause a panic.
#[test]
fn damaged_files_never_panic() {
    let bytes = ALL.as_bytes();
    for end in (0..bytes.len()).step_by(7) {
        let _ = parse_files(&[("a", &ALL[..end])]);
    }
    let odd = [b'\n', b'-', b'{', b'[', b':', b'&', b'*', 0, 0xFF, b'"', b' '];
    for (at, odd) in (0..bytes.len()).step_by(11).zip(odd.iter().cycle()) {
        let mut changed = bytes.to_vec();
        changed[at] = *odd;
        let mut reader = Reader::default();
        reader.add_file("a", &changed);
        let _ = reader.finish_cluster();
    }
    let deep = format!("apiVersion: v1\nkind: List\nitems: {}{}", "[".repeat(5000), "]".repeat(5000));
    assert!(parse_files(&[("a", &deep)]).is_err());
    let lists = "{apiVersion: v1, kind: List, items: [".repeat(2000) + &"]}".repeat(2000);
    assert!(parse_files(&[("a", &lists)]).is_err());
}

/// Returns a document of relevant keys with random values.
fn any_document() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("[]".to_owned()),
        Just("4.18".to_owned()),
        Just("\"True\"".to_owned()),
        "\\PC{0,6}".prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    let keys = "metadata|name|namespace|annotations|olm.properties|spec|status|channel|version|history|conditions|type|items|install|bundle|source|catalog|packageName|channels|installedCSV|currentCSV|state";
    let tree = leaf.prop_recursive(4, 24, 4, move |inner| {
        let key = prop::sample::select(keys.split('|').collect::<Vec<_>>());
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|all| format!("[{}]", all.join(","))),
            prop::collection::vec((key, inner), 0..4).prop_map(|all| {
                let members: Vec<String> =
                    all.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    });
    (prop::sample::select(Kind::ALL.to_vec()), tree.clone(), tree.clone(), tree).prop_map(
        |(kind, metadata, spec, status)| {
            format!(
                "{{\"apiVersion\":\"{}/v1\",\"kind\":\"{kind}\",\"metadata\":{metadata},\"spec\":{spec},\"status\":{status}}}\n",
                kind.group()
            )
        },
    )
}

proptest! {
    #[test]
    fn any_bytes_can_be_parsed(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut reader = Reader::default();
        reader.add_file("a", &bytes);
        let _ = reader.finish_cluster();
    }

    #[test]
    fn any_documents_can_be_parsed_and_reported(documents in prop::collection::vec(any_document(), 1..5)) {
        let text = documents.concat();
        let _ = parse_operator_list("a", text.as_bytes());
        if let Ok(cluster) = parse_files(&[("a", &text)]) {
            let told = report_cluster(&cluster, &[], None);
            prop_assert_eq!(told.operators.len(), cluster.operators.len());
            for operator in &cluster.operators {
                let _ = compare_operator(&cluster, operator, None, None);
            }
            let _ = build_question(&cluster, None, &[]);
        }
    }
}

const VERSION: &str = "apiVersion: config.openshift.io/v1
kind: ClusterVersion
metadata: {name: version}
status:
  history: [{state: Completed, version: 4.18.2}]
  conditions: [{type: Upgradeable, status: \"UPGRADEABLE\", reason: Incompatible, message: 'blocking: ns/p.v1.0.0 is incompatible'}]
---
";

/// Returns a Subscription to channel `c` of package `p`, with its installed and current bundles.
pub(super) fn subscription_yaml(installed: &str, current: &str, conditions: &str) -> String {
    format!(
        "apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {{name: p, namespace: ns}}
spec: {{name: p, channel: c, source: s, sourceNamespace: market}}
status: {{installedCSV: p.v{installed}, currentCSV: p.v{current}, conditions: [{conditions}]}}
"
    )
}

fn extension_yaml(installed: &str, conditions: &str) -> String {
    format!(
        "apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata: {{name: p}}
spec: {{namespace: ns, source: {{catalog: {{packageName: p}}}}}}
status: {{install: {{bundle: {{name: p.v{installed}, version: {installed}}}}}, conditions: [{conditions}]}}
"
    )
}

pub(super) fn read_cluster(text: &str) -> Cluster {
    let mut reader = Reader::default();
    reader.add_file("cluster.yaml", text.as_bytes());
    let cluster = reader.finish_cluster().unwrap();
    assert_eq!(cluster.notes, []);
    cluster
}

/// Returns the subject, both statements, and whether they differ.
fn format_comparisons(text: &str, lines: &str) -> Vec<String> {
    let cluster = read_cluster(text);
    let graph = fixture::graph_from_lines(lines);
    let points = compare_operator(&cluster, &cluster.operators[0], Some(&graph), None);
    let word = |point: &ComparedStatements| {
        let sign = if point.differs() { "DIFFERS" } else { "same" };
        format!(
            "{}: {} | {} {sign}",
            point.topic.title(),
            point.cluster.format_statement(),
            point.expected.format_statement()
        )
    };
    points.iter().map(word).collect()
}

const TWO: &str = "2.0.0 replaces=1.0.0\n1.0.0";

#[test]
fn classic_upgrades_are_compared_by_current_csv() {
    let say = |installed, current, conditions| {
        format_comparisons(&subscription_yaml(installed, current, conditions), TWO)
    };
    assert_eq!(say("1.0.0", "2.0.0", ""), ["upgrade: p.v2.0.0 | p.v2.0.0 same"]);
    assert_eq!(say("2.0.0", "2.0.0", ""), ["upgrade: no upgrade | no upgrade same"]);
    assert_eq!(say("1.0.0", "1.0.0", ""), ["upgrade: no upgrade | p.v2.0.0 DIFFERS"]);
    assert_eq!(say("2.0.0", "3.0.0", ""), ["upgrade: p.v3.0.0 | no upgrade DIFFERS"]);
    let failed = "{type: ResolutionFailed, status: 'True', reason: R, message: m}";
    assert_eq!(say("1.0.0", "1.0.0", failed), ["upgrade: error: R: m | p.v2.0.0 DIFFERS"]);
    let failed = failed.replace("'True'", "'False'");
    assert_eq!(say("1.0.0", "2.0.0", &failed), ["upgrade: p.v2.0.0 | p.v2.0.0 same"]);
    let heads = format_comparisons(&subscription_yaml("1.0.0", "1.0.0", ""), "3.0.0\n2.0.0\n1.0.0");
    assert!(heads[0].ends_with("DIFFERS") && heads[0].contains("3 heads"), "{heads:?}");
}

#[test]
fn missing_statement_of_cluster_is_never_a_difference() {
    let text = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: p}\nspec: {name: p, channel: c}\n";
    assert_eq!(format_comparisons(text, TWO), ["upgrade: nothing | p.v2.0.0 same"]);
    let start = text.replace("channel: c", "channel: c, startingCSV: p.v1.0.0");
    assert_eq!(format_comparisons(&start, TWO), ["upgrade: nothing | p.v1.0.0 same"]);
    let gone = read_cluster(&subscription_yaml("1.0.0", "1.0.0", ""));
    let points = compare_operator(&gone, &gone.operators[0], None, None);
    assert_eq!(points[0].expected.format_statement(), "error: no package p in the catalog");
}

#[test]
fn v1_is_compared_by_its_progress() {
    let say = |installed, reason: &str| {
        let condition = format!("{{type: Progressing, status: 'True', reason: {reason}, message: m}}");
        format_comparisons(&extension_yaml(installed, &condition), TWO)
    };
    assert_eq!(say("2.0.0", "Succeeded"), ["upgrade: no upgrade | no upgrade same"]);
    assert_eq!(say("1.0.0", "Succeeded"), ["upgrade: no upgrade | p.v2.0.0 DIFFERS"]);
    assert_eq!(say("1.0.0", "Retrying"), ["upgrade: error: Retrying: m | p.v2.0.0 DIFFERS"]);
    assert_eq!(say("1.0.0", "RollingOut"), ["upgrade: nothing | p.v2.0.0 same"]);
}

#[test]
fn deprecations_are_compared() {
    let lines = "2.0.0 replaces=1.0.0\n1.0.0 deprecated";
    let bundle = |status: &str| format!("{{type: BundleDeprecated, status: '{status}', message: gone}}");
    let classic = |conditions: &str| {
        format_comparisons(&subscription_yaml("1.0.0", "1.0.0", conditions), lines)[1..].to_vec()
    };
    assert_eq!(classic(&bundle("True")), ["bundle deprecated: yes: gone | yes: old same"]);
    assert_eq!(classic(""), ["bundle deprecated: no | yes: old DIFFERS"]);
    assert_eq!(format_comparisons(&subscription_yaml("2.0.0", "2.0.0", ""), lines).len(), 1);
    let package = "{type: PackageDeprecated, status: 'True', message: gone}";
    assert_eq!(classic(package)[0], "package deprecated: yes: gone | no DIFFERS");
    let v1 = |conditions: &str| format_comparisons(&extension_yaml("1.0.0", conditions), lines)[1..].to_vec();
    assert_eq!(v1(&bundle("False")), ["bundle deprecated: no | yes: old DIFFERS"]);
    assert_eq!(v1(&bundle("True")), ["bundle deprecated: yes: gone | yes: old same"]);
    assert_eq!(v1(""), ["bundle deprecated: nothing | yes: old same"]);
}

#[test]
fn blocks_of_next_minor_version_are_compared() {
    let say = |upgradeable: &str, max: &str| {
        let text = VERSION.replace("UPGRADEABLE", upgradeable) + &subscription_yaml("1.0.0", "1.0.0", "");
        format_comparisons(&text, &format!("1.0.0{max}"))[1..].to_vec()
    };
    let limit = "blocks the next OpenShift: yes: Incompatible | yes: it runs up to OpenShift 4.18 same";
    assert_eq!(say("False", " max=4.18"), [limit]);
    assert_eq!(
        say("True", " max=4.18"),
        ["blocks the next OpenShift: no | yes: it runs up to OpenShift 4.18 DIFFERS"]
    );
    assert_eq!(say("False", " max=4.19"), ["blocks the next OpenShift: yes: Incompatible | no DIFFERS"]);
    assert_eq!(say("True", ""), [""; 0]);
    assert!(!super::compare::mentions_name("a/p.v1.0.0-x and p.v1.0.01", "p.v1.0.0"));
    assert!(super::compare::mentions_name("ns/p.v1.0.0. Then", "p.v1.0.0"));
}

#[test]
fn troubles_come_from_cluster_conditions() {
    let cluster = read_cluster(&subscription_yaml(
        "1.0.0",
        "1.0.0",
        "{type: CatalogSourcesUnhealthy, status: 'True', reason: R, message: m}",
    ));
    assert_eq!(operator_problems(&cluster, &cluster.operators[0]), ["CatalogSourcesUnhealthy: R: m"]);
}

#[test]
fn report_uses_catalog_of_cluster_version() {
    let text = VERSION.replace("UPGRADEABLE", "True") + &subscription_yaml("1.0.0", "1.0.0", "");
    let cluster = read_cluster(&text);
    let catalog = |lines| fixture::catalog_from_channels(&[("c", lines)]);
    let release = |label: &str, lines| Release::new(label.to_owned(), catalog(lines));
    let both = [release("v4.17", TWO), release("v4.18", "1.0.0")];
    let told = report_cluster(&cluster, &both, None);
    assert!(!told.has_findings() && told.operators[0].catalog.as_deref() == Some("v4.18"));
    let other = report_cluster(&cluster, &both[..1], None);
    assert!(other.is_other_version && other.has_findings());
    let none = report_cluster(&cluster, &[], None);
    assert!(none.operators[0].points.is_empty() && !none.has_findings());
}

#[test]
fn namespace_becomes_resolver_question() {
    let text = "apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\nmetadata: {name: s, namespace: market}\nspec: {priority: 7}\n---\napiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata: {name: g, namespace: ns}\nspec: {upgradeStrategy: TechPreviewUnsafeFailForward}\n---\n".to_owned()
        + &subscription_yaml("1.0.0", "1.0.0", "");
    let cluster = read_cluster(&text);
    let source = |name: &str| {
        Source::new(name, &Arc::new(CatalogIndex::new(&fixture::catalog_from_channels(&[("c", TWO)]))))
    };
    for sources in [vec![source("s")], vec![source("mine")], vec![source("other"), source("s")]] {
        let question = build_question(&cluster, None, &sources).unwrap();
        assert!(question.fails_forward && question.sources.iter().any(|source| source.priority == 7));
        let answer = resolve(&question, Limits::default());
        assert_eq!(answer.picks()[0].bundle, "p.v2.0.0");
    }
    let asked = |namespace, names: &[&str]| {
        let sources: Vec<Source> = names.iter().map(|name| source(name)).collect();
        build_question(&cluster, namespace, &sources).map(|_| ())
    };
    assert!(matches!(asked(None, &["a", "b"]), Err(QuestionError::NoCatalog { .. })));
    assert_eq!(asked(Some("other"), &["s"]), Err(QuestionError::Empty("other".to_owned())));
    let two = text.clone()
        + "---\n"
        + &subscription_yaml("1.0.0", "1.0.0", "").replace("namespace: ns", "namespace: two");
    let mut reader = Reader::default();
    reader.add_file("a", two.as_bytes());
    let several = build_question(&reader.finish_cluster().unwrap(), None, &[source("s")]).unwrap_err();
    assert_eq!(several.hint().as_deref(), Some("choose one with --namespace: ns, two"));
}
