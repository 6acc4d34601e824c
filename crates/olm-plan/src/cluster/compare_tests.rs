//! Tests of the comparison of cluster and catalog.

use std::sync::Arc;

use super::*;
use crate::series::Release;
use olm_upgrade::{
    fixture,
    resolve::{CatalogIndex, Limits, Source, resolve},
};

const VERSION: &str = "apiVersion: config.openshift.io/v1
kind: ClusterVersion
metadata: {name: version}
status:
  history: [{state: Completed, version: 4.18.2}]
  conditions: [{type: Upgradeable, status: \"UPGRADEABLE\", reason: Incompatible, message: 'blocking: ns/p.v1.0.0 is incompatible'}]
---
";

/// Returns a Subscription to channel `c` of package `p`, with its installed and current bundles.
fn subscription_yaml(installed: &str, current: &str, conditions: &str) -> String {
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

fn read_cluster(text: &str) -> Cluster {
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
    let points = compare_operator(&cluster, &cluster.operators[0], Some(&graph));
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
    let points = compare_operator(&gone, &gone.operators[0], None);
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
    assert_eq!(operator_problems(&cluster.operators[0]), ["CatalogSourcesUnhealthy: R: m"]);
}

#[test]
fn report_uses_catalog_of_cluster_version() {
    let text = VERSION.replace("UPGRADEABLE", "True") + &subscription_yaml("1.0.0", "1.0.0", "");
    let cluster = read_cluster(&text);
    let catalog = |lines| fixture::catalog_from_channels(&[("c", lines)]);
    let release = |label: &str, lines| Release::new(label.to_owned(), catalog(lines));
    let both = [release("v4.17", TWO), release("v4.18", "1.0.0")];
    let told = report_cluster(&cluster, &both);
    assert!(!told.has_findings() && told.operators[0].catalog.as_deref() == Some("v4.18"));
    let other = report_cluster(&cluster, &both[..1]);
    assert!(other.is_other_version && other.has_findings());
    let none = report_cluster(&cluster, &[]);
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
