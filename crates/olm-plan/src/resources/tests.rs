//! Tests that the APIs accept the created resources, and that impossible resources are errors.

use super::*;
use olm_bundle::schema::{self, Budget};
use olm_catalog::text::{emit, yaml};
use olm_upgrade::{
    cluster::{LabelSelector, SelectorExpression},
    fixture::{graph_from_channels, graph_from_lines},
    v1,
};

const SCHEMAS: [&str; 3] = [
    include_str!("../../tests/fixtures/apis/clusterextension.yaml"),
    include_str!("../../tests/fixtures/apis/operatorgroup.yaml"),
    include_str!("../../tests/fixtures/apis/subscription.yaml"),
];

/// Returns the schema violations of an object. Returns `None` if there is no schema for it.
fn schema_errors(object: &Node<'_>) -> Option<Vec<String>> {
    let text = |node: &Node<'_>, path: &[&str]| {
        let found = path.iter().try_fold(node, |node, key| node.get(key));
        found.and_then(Node::as_str).unwrap_or_default().to_owned()
    };
    for schema in SCHEMAS {
        let crd = yaml::parse_yaml(schema.as_bytes()).unwrap();
        let api = text(object, &["apiVersion"]);
        let (group, version) = api.split_once('/').unwrap_or_default();
        if text(&crd, &["spec", "names", "kind"]) == text(object, &["kind"])
            && text(&crd, &["spec", "group"]) == group
        {
            let of = schema::version_schema(&crd, version).expect("the version is in its schema");
            let faults = of.validate(object, &Budget::default()).list;
            return Some(faults.into_iter().map(|f| format!("{} {}", f.field, f.message)).collect());
        }
    }
    None
}

fn sample_target(engine: Engine, version: &str, channel: Option<&str>) -> InstallTarget {
    InstallTarget {
        engine,
        package: "p".into(),
        channel: channel.map(Into::into),
        bundle: format!("p.v{version}").as_str().into(),
        version: Some(VersionRelease::parse(version, "").unwrap()),
    }
}

fn create_for(
    graph: &PackageGraph,
    stop: &InstallTarget,
    modes: &[&str],
    choices: &ResourceOptions,
) -> Result<Resources, ResourceError> {
    let modes: Vec<String> = modes.iter().map(|mode| (*mode).to_owned()).collect();
    create_resources(stop, Some(BundleInformation { graph, install_modes: &modes }), choices)
}

fn assert_valid(resources: &Resources) {
    let judged: Vec<_> = resources.objects.iter().filter_map(schema_errors).collect();
    assert!(!judged.is_empty());
    assert!(judged.iter().all(Vec::is_empty), "{judged:?}");
}

fn last_yaml(resources: &Resources) -> String {
    emit::write_yaml(resources.objects.last().unwrap())
}

#[test]
fn schemas_reject_invalid_objects() {
    let refused =
        |text: &str| !schema_errors(&yaml::parse_yaml(text.as_bytes()).unwrap()).unwrap().is_empty();
    let extension = "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nspec: {namespace: a, serviceAccount: {name: b}, source: {sourceType: Catalog, catalog: {packageName: p, channels: [c]}}}";
    assert!(!refused(extension));
    assert!(refused(&extension.replace("[c]", "[Fast]")));
    assert!(refused(&extension.replace(", serviceAccount: {name: b}", "")));
    assert!(refused(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {}\nspec: {name: p}"
    ));
}

#[test]
fn extension_pins_version() {
    let graph = graph_from_lines("2.0.0 replaces=1.0.0\n1.0.0");
    let pinned =
        create_for(&graph, &sample_target(Engine::V1, "1.0.0", Some("c")), &[], &ResourceOptions::default())
            .unwrap();
    assert_valid(&pinned);
    assert_eq!(
        last_yaml(&pinned),
        "\
apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata:
  name: p
spec:
  namespace: p
  serviceAccount:
    name: p-installer
  source:
    catalog:
      channels:
      - c
      packageName: p
      version: 1.0.0
    sourceType: Catalog
"
    );
    assert!(pinned.remarks.iter().all(|remark| !remark.refuses), "{:?}", pinned.remarks);
}

#[test]
fn v1_installation_problems_are_reported() {
    let graph = graph_from_channels(&[("Fast", "2.0.0 replaces=1.0.0 requires=other\n1.0.0+b\n1.0.0+a")]);
    let v1 = |version: &str, channel| {
        create_for(&graph, &sample_target(Engine::V1, version, channel), &[], &ResourceOptions::default())
    };
    assert!(v1("2.0.0", Some("Fast")).is_err_and(|refused| refused.hint().is_some()));
    let refuses = |version: &str| {
        let texts = v1(version, None).unwrap().remarks.into_iter().filter(|remark| remark.refuses);
        texts.map(|remark| remark.text).collect::<Vec<_>>()
    };
    assert_eq!(refuses("2.0.0"), ["v1 installs no bundle with dependencies: it requires other >=1.0.0"]);
    assert_eq!(refuses("1.0.0+a"), ["OLM v1 installs p.v1.0.0+b, not p.v1.0.0+a"]);
    let unknown = InstallTarget { version: None, ..sample_target(Engine::V1, "1.0.0", None) };
    assert_eq!(
        create_resources(&unknown, None, &ResourceOptions::default()).unwrap_err(),
        ResourceError::NoVersion("p.v1.0.0".into())
    );
    let long = format!("1.0.0-{}", "a".repeat(64));
    assert!(matches!(v1(&long, None), Err(ResourceError::LongVersion(_))));
}

#[test]
fn subscription_starts_with_version_and_manual_approval() {
    let graph = graph_from_channels(&[("fast", "2.0.0 replaces=1.0.0\n1.0.0"), ("slow", "1.0.0")]);
    let source = Some(SourceKey { name: "harbour".to_owned(), namespace: "olm".to_owned() });
    let choices =
        ResourceOptions { source, namespace: Some("tides".to_owned()), ..ResourceOptions::default() };
    let made = |version: &str, channel| {
        create_for(&graph, &sample_target(Engine::Classic, version, channel), &["AllNamespaces"], &choices)
    };
    let first = made("1.0.0", None).unwrap();
    assert_valid(&first);
    assert_eq!(
        last_yaml(&first),
        "\
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata:
  name: p
  namespace: tides
spec:
  channel: fast
  installPlanApproval: Manual
  name: p
  source: harbour
  sourceNamespace: olm
  startingCSV: p.v1.0.0
"
    );
    assert_eq!(first.remarks.len(), 1, "a namespace takes one OperatorGroup: {:?}", first.remarks);
    let there = ResourceOptions { has_group: true, ..choices.clone() };
    let alone = super::create_resources(&sample_target(Engine::Classic, "1.0.0", Some("slow")), None, &there)
        .unwrap();
    assert_eq!((alone.objects.len(), alone.remarks.len()), (1, 0));
    assert!(last_yaml(&made("1.0.0", Some("slow")).unwrap()).contains("channel: slow"));
    assert!(matches!(made("2.0.0", Some("slow")), Err(ResourceError::NotInstalled { .. })));
    assert!(matches!(made("3.0.0", None), Err(ResourceError::NoChannel(_))));
}

#[test]
fn operator_group_matches_install_modes() {
    let graph = graph_from_lines("1.0.0");
    let targets = |modes: &[&str], watch: &[&str]| {
        let watch = watch.iter().map(|name| (*name).to_owned()).collect();
        let choices = ResourceOptions { watch, ..ResourceOptions::default() };
        let made = create_for(&graph, &sample_target(Engine::Classic, "1.0.0", None), modes, &choices)?;
        assert_valid(&made);
        let group = &made.objects[1];
        assert_eq!(group.get("kind").unwrap().as_str(), Some("OperatorGroup"));
        let listed = group.get("spec").unwrap().get("targetNamespaces");
        let names = listed.map(Node::items).unwrap_or_default().iter().filter_map(Node::as_str);
        Ok::<_, ResourceError>(names.map(str::to_owned).collect::<Vec<_>>())
    };
    let (all, own, single, multi) = ("AllNamespaces", "OwnNamespace", "SingleNamespace", "MultiNamespace");
    assert_eq!(targets(&[all, own], &[]).unwrap(), [""; 0]);
    assert_eq!(targets(&[own], &[]).unwrap(), ["p"]);
    assert!(matches!(targets(&[single, multi], &[]), Err(ResourceError::NoTargets(_))));
    assert_eq!(targets(&[single], &["a"]).unwrap(), ["a"]);
    assert_eq!(targets(&[multi], &["a", "b"]).unwrap(), ["a", "b"]);
    assert!(matches!(
        targets(&[multi], &["a", "p"]),
        Err(ResourceError::InstallMode { mode: "OwnNamespace", .. })
    ));
    assert!(matches!(
        targets(&[all], &["a"]),
        Err(ResourceError::InstallMode { mode: "SingleNamespace", .. })
    ));
    assert!(matches!(targets(&[all], &["A"]), Err(ResourceError::Name { .. })));
}

#[test]
fn invalid_names_are_converted_or_rejected() {
    assert_eq!(
        (name_from_package("My_Op.x"), name_from_package("\u{1b}"), name_from_package(&"a".repeat(99)).len()),
        ("my-op-x".into(), "operator".into(), 63)
    );
    let stop = sample_target(Engine::V1, "1.0.0", None);
    for choices in [
        ResourceOptions { name: Some("A b".to_owned()), ..ResourceOptions::default() },
        ResourceOptions { namespace: Some("a.b".to_owned()), ..ResourceOptions::default() },
        ResourceOptions { service_account: Some(String::new()), ..ResourceOptions::default() },
    ] {
        assert!(matches!(create_resources(&stop, None, &choices), Err(ResourceError::Name { .. })));
    }
    let package = InstallTarget { package: "Loud".into(), ..stop };
    assert!(matches!(
        create_resources(&package, None, &ResourceOptions::default()),
        Err(ResourceError::Name { field: "the package", .. })
    ));
}

#[test]
fn sequence_follows_plan_stops() {
    let graph =
        graph_from_channels(&[("a", "2.0.0 replaces=1.0.0\n1.0.0"), ("b", "3.0.0 replaces=2.0.0\n2.0.0")]);
    let known = |_: &InstallTarget| Some(BundleInformation { graph: &graph, install_modes: &[] });
    let stops = |engine| {
        [("1.0.0", "a"), ("2.0.0", "a"), ("2.0.0", "b"), ("3.0.0", "b")]
            .map(|(version, channel)| sample_target(engine, version, Some(channel)))
    };
    let words = |engine, is_installed| {
        let steps =
            install_steps(&stops(engine), is_installed, known, |_| ResourceOptions::default()).unwrap();
        for fault in steps.iter().flat_map(|step| &step.objects).filter_map(schema_errors) {
            assert!(fault.is_empty(), "{fault:?}");
        }
        steps.into_iter().map(|step| format!("{} ({})", step.text, step.objects.len())).collect::<Vec<_>>()
    };
    assert_eq!(
        words(Engine::Classic, true),
        [
            "approve the InstallPlan for p.v2.0.0 (0)",
            "change the channel to b (1)",
            "approve the InstallPlan for p.v3.0.0 (0)"
        ]
    );
    assert_eq!(words(Engine::Classic, false)[0], "install p.v1.0.0 (3)");
    assert_eq!(words(Engine::V1, true).len(), 3);
    assert_eq!(words(Engine::V1, true)[0], "upgrade to p.v2.0.0 (1)");
}

/// Reads the written objects as a cluster does, and returns the operator.
fn read_back(resources: &Resources) -> crate::cluster::Operator {
    let mut reader = crate::cluster::Reader::default();
    for (at, object) in resources.objects.iter().enumerate() {
        reader.add_file(&format!("{at}.json"), emit::write_json(object).as_bytes());
    }
    let mut cluster = reader.finish_cluster().unwrap();
    assert_eq!(cluster.notes, []);
    cluster.operators.remove(0)
}

#[test]
fn extension_requests_are_read_back_unchanged() {
    let graph =
        graph_from_channels(&[("c", "2.0.0 replaces=1.0.0\n1.0.0"), ("d", "2.0.0 replaces=1.0.0\n1.0.0")]);
    let labels = [("env".to_owned(), "prod".to_owned()), ("example.com/tier".to_owned(), "gold".to_owned())];
    let expression = |key: &str, operator: &str, values: &[&str]| SelectorExpression {
        key: key.to_owned(),
        operator: operator.to_owned(),
        values: values.iter().map(|&value| value.to_owned()).collect(),
    };
    let selectors = [
        LabelSelector::default(),
        LabelSelector { match_labels: labels.into(), ..LabelSelector::default() },
        LabelSelector {
            match_expressions: vec![expression("a", "NotIn", &["b", "c"]), expression("d", "Exists", &[])],
            ..LabelSelector::for_catalog("harbour")
        },
    ];
    for channel in [None, Some("c")] {
        for more in [vec![], vec!["d".into()]] {
            for range in [None, Some(">=1.0.0, <2.0.0".to_owned())] {
                for policy in [v1::Policy::CatalogProvided, v1::Policy::SelfCertified] {
                    for selector in selectors.clone() {
                        let request = ExtensionRequest {
                            more_channels: more.clone(),
                            version_range: range.clone(),
                            policy,
                            selector: selector.clone(),
                        };
                        let stop = sample_target(Engine::V1, "1.0.0", channel);
                        let choices =
                            ResourceOptions { request: request.clone(), ..ResourceOptions::default() };
                        let made = create_for(&graph, &stop, &[], &choices).unwrap();
                        assert_valid(&made);
                        assert!(made.remarks.iter().all(|remark| !remark.refuses), "{:?}", made.remarks);
                        let operator = read_back(&made);
                        let expected = crate::cluster::OperatorRequest::Extension {
                            query: request.to_query(&stop),
                            selector,
                        };
                        assert_eq!(operator.request, expected);
                        assert_eq!((operator.package, operator.namespace.as_str()), (Some("p".into()), "p"));
                    }
                }
            }
        }
    }
}

#[test]
fn range_that_installs_another_version_is_reported() {
    let graph = graph_from_channels(&[("c", "2.0.0 replaces=1.0.0\n1.0.0")]);
    let request =
        ExtensionRequest { version_range: Some(">=1.0.0".to_owned()), ..ExtensionRequest::default() };
    let choices = ResourceOptions { request, ..ResourceOptions::default() };
    let made = create_for(&graph, &sample_target(Engine::V1, "1.0.0", None), &[], &choices).unwrap();
    let refused: Vec<_> =
        made.remarks.iter().filter(|remark| remark.refuses).map(|it| it.text.as_str()).collect();
    assert_eq!(refused, ["OLM v1 installs p.v2.0.0, not p.v1.0.0"]);
}

#[test]
fn subscriptions_are_read_back_unchanged() {
    let graph = graph_from_channels(&[("c", "2.0.0 replaces=1.0.0\n1.0.0")]);
    for version in ["1.0.0", "2.0.0"] {
        for approval in [Approval::Manual, Approval::Automatic] {
            for namespace in [None, Some("tides".to_owned())] {
                let source = SourceKey { name: "harbour".to_owned(), namespace: "olm".to_owned() };
                let choices = ResourceOptions {
                    namespace: namespace.clone(),
                    source: Some(source.clone()),
                    approval: Some(approval),
                    ..ResourceOptions::default()
                };
                let stop = sample_target(Engine::Classic, version, Some("c"));
                let operator = read_back(&create_for(&graph, &stop, &["AllNamespaces"], &choices).unwrap());
                let asks = operator.subscription().unwrap();
                assert_eq!(asks.starting_csv.as_ref(), Some(&stop.bundle));
                assert_eq!((&asks.channel, &asks.source, asks.approval), (&stop.channel, &source, approval));
                assert_eq!(operator.namespace, namespace.unwrap_or_else(|| "p".to_owned()));
            }
        }
    }
}
