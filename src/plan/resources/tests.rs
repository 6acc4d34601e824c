//! Tests that the APIs accept the created resources, and that impossible resources are errors.

use super::*;
use crate::{
    bundle::schema::{self, Budget},
    catalog::text::{emit, yaml},
    upgrade::fixture::{channel, channels},
};

const SCHEMAS: [&str; 3] = [
    include_str!("../../../tests/fixtures/apis/clusterextension.yaml"),
    include_str!("../../../tests/fixtures/apis/operatorgroup.yaml"),
    include_str!("../../../tests/fixtures/apis/subscription.yaml"),
];

/// Returns the schema violations of an object. Returns `None` if there is no schema for it.
fn schema_errors(object: &Node<'_>) -> Option<Vec<String>> {
    let text = |node: &Node<'_>, path: &[&str]| {
        let found = path.iter().try_fold(node, |node, key| node.get(key));
        found.and_then(Node::as_str).unwrap_or_default().to_owned()
    };
    for schema in SCHEMAS {
        let crd = yaml::parse(schema.as_bytes()).unwrap();
        let api = text(object, &["apiVersion"]);
        let (group, version) = api.split_once('/').unwrap_or_default();
        if text(&crd, &["spec", "names", "kind"]) == text(object, &["kind"])
            && text(&crd, &["spec", "group"]) == group
        {
            let of = schema::of_version(&crd, version).expect("the version is in its schema");
            let faults = of.judge(object, &Budget::default()).list;
            return Some(faults.into_iter().map(|f| format!("{} {}", f.field, f.message)).collect());
        }
    }
    None
}

fn stop(engine: Engine, version: &str, channel: Option<&str>) -> Stop {
    Stop {
        engine,
        package: "p".into(),
        channel: channel.map(Into::into),
        bundle: format!("p.v{version}").as_str().into(),
        version: Some(VersionRelease::parse(version, "").unwrap()),
    }
}

fn made(graph: &PackageGraph, stop: &Stop, modes: &[&str], choices: &Choices) -> Result<Resources, Refused> {
    let modes: Vec<String> = modes.iter().map(|mode| (*mode).to_owned()).collect();
    resources(stop, Some(Known { graph, install_modes: &modes }), choices)
}

fn assert_valid(resources: &Resources) {
    let judged: Vec<_> = resources.objects.iter().filter_map(schema_errors).collect();
    assert!(!judged.is_empty());
    assert!(judged.iter().all(Vec::is_empty), "{judged:?}");
}

fn last_yaml(resources: &Resources) -> String {
    emit::yaml(resources.objects.last().unwrap())
}

#[test]
fn schemas_reject_invalid_objects() {
    let refused = |text: &str| !schema_errors(&yaml::parse(text.as_bytes()).unwrap()).unwrap().is_empty();
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
    let graph = channel("2.0.0 replaces=1.0.0\n1.0.0");
    let pinned = made(&graph, &stop(Engine::V1, "1.0.0", Some("c")), &[], &Choices::default()).unwrap();
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
    let graph = channels(&[("Fast", "2.0.0 replaces=1.0.0 requires=other\n1.0.0+b\n1.0.0+a")]);
    let v1 =
        |version: &str, channel| made(&graph, &stop(Engine::V1, version, channel), &[], &Choices::default());
    assert!(v1("2.0.0", Some("Fast")).is_err_and(|refused| refused.hint().is_some()));
    let refuses = |version: &str| {
        let texts = v1(version, None).unwrap().remarks.into_iter().filter(|remark| remark.refuses);
        texts.map(|remark| remark.text).collect::<Vec<_>>()
    };
    assert_eq!(refuses("2.0.0"), ["v1 installs no bundle with dependencies: it requires other >=1.0.0"]);
    assert_eq!(refuses("1.0.0+a"), ["OLM v1 installs p.v1.0.0+b, not p.v1.0.0+a"]);
    let unknown = Stop { version: None, ..stop(Engine::V1, "1.0.0", None) };
    assert_eq!(
        resources(&unknown, None, &Choices::default()).unwrap_err(),
        Refused::NoVersion("p.v1.0.0".into())
    );
    let long = format!("1.0.0-{}", "a".repeat(64));
    assert!(matches!(v1(&long, None), Err(Refused::LongVersion(_))));
}

#[test]
fn subscription_starts_with_version_and_manual_approval() {
    let graph = channels(&[("fast", "2.0.0 replaces=1.0.0\n1.0.0"), ("slow", "1.0.0")]);
    let source = Some(SourceKey { name: "harbour".to_owned(), namespace: "olm".to_owned() });
    let choices = Choices { source, namespace: Some("tides".to_owned()), ..Choices::default() };
    let made = |version: &str, channel| {
        made(&graph, &stop(Engine::Classic, version, channel), &["AllNamespaces"], &choices)
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
    let there = Choices { has_group: true, ..choices.clone() };
    let alone = super::resources(&stop(Engine::Classic, "1.0.0", Some("slow")), None, &there).unwrap();
    assert_eq!((alone.objects.len(), alone.remarks.len()), (1, 0));
    assert!(last_yaml(&made("1.0.0", Some("slow")).unwrap()).contains("channel: slow"));
    assert!(matches!(made("2.0.0", Some("slow")), Err(Refused::NotInstalled { .. })));
    assert!(matches!(made("3.0.0", None), Err(Refused::NoChannel(_))));
}

#[test]
fn operator_group_matches_install_modes() {
    let graph = channel("1.0.0");
    let targets = |modes: &[&str], watch: &[&str]| {
        let watch = watch.iter().map(|name| (*name).to_owned()).collect();
        let choices = Choices { watch, ..Choices::default() };
        let made = made(&graph, &stop(Engine::Classic, "1.0.0", None), modes, &choices)?;
        assert_valid(&made);
        let group = &made.objects[1];
        assert_eq!(group.get("kind").unwrap().as_str(), Some("OperatorGroup"));
        let listed = group.get("spec").unwrap().get("targetNamespaces");
        let names = listed.map(Node::items).unwrap_or_default().iter().filter_map(Node::as_str);
        Ok::<_, Refused>(names.map(str::to_owned).collect::<Vec<_>>())
    };
    let (all, own, single, multi) = ("AllNamespaces", "OwnNamespace", "SingleNamespace", "MultiNamespace");
    assert_eq!(targets(&[all, own], &[]).unwrap(), [""; 0]);
    assert_eq!(targets(&[own], &[]).unwrap(), ["p"]);
    assert!(matches!(targets(&[single, multi], &[]), Err(Refused::NoTargets(_))));
    assert_eq!(targets(&[single], &["a"]).unwrap(), ["a"]);
    assert_eq!(targets(&[multi], &["a", "b"]).unwrap(), ["a", "b"]);
    assert!(matches!(targets(&[multi], &["a", "p"]), Err(Refused::InstallMode { mode: "OwnNamespace", .. })));
    assert!(matches!(targets(&[all], &["a"]), Err(Refused::InstallMode { mode: "SingleNamespace", .. })));
    assert!(matches!(targets(&[all], &["A"]), Err(Refused::Name { .. })));
}

#[test]
fn invalid_names_are_converted_or_rejected() {
    assert_eq!(
        (
            name::from_package("My_Op.x"),
            name::from_package("\u{1b}"),
            name::from_package(&"a".repeat(99)).len()
        ),
        ("my-op-x".into(), "operator".into(), 63)
    );
    let stop = stop(Engine::V1, "1.0.0", None);
    for choices in [
        Choices { name: Some("A b".to_owned()), ..Choices::default() },
        Choices { namespace: Some("a.b".to_owned()), ..Choices::default() },
        Choices { service_account: Some(String::new()), ..Choices::default() },
    ] {
        assert!(matches!(resources(&stop, None, &choices), Err(Refused::Name { .. })));
    }
    let package = Stop { package: "Loud".into(), ..stop };
    assert!(matches!(
        resources(&package, None, &Choices::default()),
        Err(Refused::Name { field: "the package", .. })
    ));
}

#[test]
fn sequence_follows_plan_stops() {
    let graph = channels(&[("a", "2.0.0 replaces=1.0.0\n1.0.0"), ("b", "3.0.0 replaces=2.0.0\n2.0.0")]);
    let known = |_: &Stop| Some(Known { graph: &graph, install_modes: &[] });
    let stops = |engine| {
        [("1.0.0", "a"), ("2.0.0", "a"), ("2.0.0", "b"), ("3.0.0", "b")]
            .map(|(version, channel)| stop(engine, version, Some(channel)))
    };
    let words = |engine, is_installed| {
        let steps = sequence(&stops(engine), is_installed, known, |_| Choices::default()).unwrap();
        for fault in steps.iter().flat_map(|step| &step.objects).filter_map(schema_errors) {
            assert!(fault.is_empty(), "{fault:?}");
        }
        steps.into_iter().map(|step| format!("{} ({})", step.words, step.objects.len())).collect::<Vec<_>>()
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
