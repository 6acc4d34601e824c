//! Installed operators: `olmap cluster`, `--cluster` of other commands, and custom resources.

use std::fs;

use serde_json::{Value, json};

use super::run::{olmap, olmap_with};

const CLUSTER: &str = "demo/cluster.yaml";
const CATALOG: &str = "demo/catalog";

fn run_cluster(arguments: &[&str]) -> super::run::Run {
    olmap(&[&["cluster", CLUSTER], arguments].concat())
}

#[test]
fn installed_operators_are_listed_with_their_problems() {
    let alone = run_cluster(&[]).exits(1);
    assert!(
        alone.out.starts_with("OpenShift 4.19.12, channel stable-4.19\n  not upgradeable: "),
        "{}",
        alone.out
    );
    assert!(
        alone.out.contains(
            "ballast-operator    storage    Classic  stable      1.3.0      to 1.4.0, waits for
"
        ),
        "{}",
        alone.out
    );
    assert!(
        alone.out.ends_with("4 operators, 1 in trouble; with --catalog: what olmap expects of each.\n"),
        "{}",
        alone.out
    );
    let told = run_cluster(&["--catalog", CATALOG]).exits(1);
    let differs = "  differs: upgrade\n    cluster: no upgrade\n    expected: tidewater-operator.v2.4.1\n";
    assert!(told.out.contains(differs), "{}", told.out);
    assert!(told.out.ends_with("4 operators, 1 in trouble, 1 not as expected.\n"), "{}", told.out);
    let other = run_cluster(&["--catalog", "4.18=demo/catalog"]).exits(1);
    let words = other.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("No catalog given is for OpenShift 4.19."), "{}", other.out);
}

#[test]
fn json_has_both_sides_of_each_comparison() {
    let row = run_cluster(&["--catalog", CATALOG, "-o", "json"]).exits(1).json();
    assert_eq!((&row["openshift"], &row["version"]), (&json!("4.19"), &json!("4.19.12")));
    let of = |package: &str| {
        let all = row["operators"].as_array().unwrap();
        all.iter().find(|operator| operator["package"] == package).unwrap().clone()
    };
    let ballast = of("ballast-operator");
    assert_eq!(ballast["waits_for"], "install-7xk2p");
    assert_eq!(
        ballast["compared"][1],
        json!({"topic": "minor-update", "cluster": {"yes": "IncompatibleOperatorsInstalled"},
        "expected": {"yes": "it runs up to OpenShift 4.19"}, "differs": false})
    );
    let tidewater = of("tidewater-operator");
    assert_eq!(tidewater["compared"][0]["cluster"], "stays");
    assert_eq!(tidewater["compared"][0]["differs"], true);
    assert_eq!(of("quill-operator")["object"], "ClusterExtension quill");
    assert_eq!(row["catalogs"].as_array().unwrap().len(), 2);
    let markdown = run_cluster(&["-o", "markdown"]).exits(1).out;
    assert!(
        markdown.contains("| ballast-operator | Subscription storage/ballast-operator | stable | 1.3.0 |  |"),
        "{markdown}"
    );
}

/// Writes a must-gather folder of a healthy cluster.
fn write_must_gather(subscription: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("must-gather.local.7/image-sha256-1");
    let classic = root.join("namespaces/operators/operators.coreos.com");
    let versions = root.join("cluster-scoped-resources/config.openshift.io/clusterversions");
    let secrets = root.join("namespaces/operators/core");
    for path in [&classic.join("subscriptions"), &versions, &secrets] {
        fs::create_dir_all(path).unwrap();
    }
    fs::write(classic.join("subscriptions/tide.yaml"), subscription).unwrap();
    fs::write(secrets.join("secrets.yaml"), "a: b: broken, and not looked at").unwrap();
    let version = "apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\nstatus: {history: [{state: Completed, version: 4.19.3}]}\n";
    fs::write(versions.join("version.yaml"), version).unwrap();
    folder
}

const SUBSCRIPTION: &str = "apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: tide, namespace: operators, annotations: {note: TOP-SECRET}}
spec: {name: tidewater-operator, channel: stable, source: harbour, sourceNamespace: olm}
status: {installedCSV: tidewater-operator.v2.4.1, currentCSV: tidewater-operator.v2.4.1, state: AtLatestKnown}
";

#[test]
fn must_gather_without_problems_exits_with_0() {
    let folder = write_must_gather(SUBSCRIPTION);
    let path = folder.path().to_str().unwrap();
    let fine = olmap(&["cluster", path, "--catalog", CATALOG]).exits(0);
    assert!(fine.out.starts_with("OpenShift 4.19.3\n"), "{}", fine.out);
    assert!(fine.out.contains("1 operator, 0 in trouble, 0 not as expected."), "{}", fine.out);
    for format in ["text", "json", "markdown"] {
        let run = olmap(&["cluster", path, "-o", format]).exits(0);
        assert!(!run.out.contains("TOP-SECRET"), "{}", run.out);
    }
    let broken =
        write_must_gather("a: b: c\n---\napiVersion: v1\nkind: Secret\ndata: {a: !!int TOP-SECRET}\n");
    let broken = olmap(&["cluster", broken.path().to_str().unwrap()]).exits(1);
    let words = broken.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("tide.yaml:1: this document is ignored: mapping values"), "{}", broken.out);
    assert!(!broken.out.contains("TOP-SECRET"), "{}", broken.out);
}

#[test]
fn refuses_files_without_operators_and_shows_the_command() {
    let refused = olmap(&["cluster", CATALOG]).exits(2);
    assert!(refused.err.contains("files say nothing about operators"), "{}", refused.err);
    assert!(refused.err.contains("hint: it is what this writes: kubectl get "), "{}", refused.err);
    olmap(&["cluster", "nowhere.yaml"]).exits(2);
    olmap(&["cluster"]).exits(2);
    olmap_with("", &["cluster", "-"]).exits(2);
    olmap_with("", &["cluster", "-", "--catalog", "-"]).exits(2);
    let stdin = olmap_with(SUBSCRIPTION, &["cluster", "-", "--catalog", CATALOG]).exits(0);
    assert!(stdin.out.starts_with("The files do not say the OpenShift version.\n"), "{}", stdin.out);
}

#[test]
fn resolves_a_namespace_of_the_cluster() {
    let resolve =
        |arguments: &[&str]| olmap(&[&["resolve", CATALOG, "--cluster", CLUSTER], arguments].concat());
    let several = resolve(&[]).exits(2);
    assert!(several.err.contains("choose one with --namespace: operators, storage"), "{}", several.err);
    let row = resolve(&["--namespace", "operators", "-o", "json"]).exits(0).json();
    assert_eq!(
        row["install"],
        json!([{"package": "tidewater-operator", "channel": "stable", "bundle": "tidewater-operator.v2.4.1",
            "catalog": "harbour", "replaces": "tidewater-operator.v2.3.2"}])
    );
    let more = resolve(&["--namespace", "operators", "--subscribe", "ballast-operator"]).exits(0);
    assert!(more.out.contains("installs ballast-operator.v1.5.1"), "{}", more.out);
    resolve(&["--namespace", "nowhere"]).exits(2);
    olmap(&["resolve", CATALOG, "--namespace", "operators", "--subscribe", "ballast-operator"]).exits(2);
    let other = olmap(&[
        "resolve",
        "a=demo/catalog",
        "b=demo/broken",
        "--cluster",
        CLUSTER,
        "--namespace",
        "operators",
    ])
    .exits(2);
    assert!(other.err.contains("say which one it is: harbour=CATALOG"), "{}", other.err);
    let queries = olmap(&["resolve", CATALOG, "--cluster", CLUSTER, "--queries", "-"]).exits(2);
    assert!(queries.err.contains("cannot be used with"), "{}", queries.err);
}

#[test]
fn answers_queries_of_custom_resources() {
    let answers = olmap(&["successors", CATALOG, "-f", CLUSTER, "-o", "json"]).exits(0).json();
    let rows: Vec<(&Value, &Value)> =
        answers.as_array().unwrap().iter().map(|row| (&row["object"], &row["pick"])).collect();
    assert_eq!(
        rows,
        [
            (&json!("Subscription storage/ballast-operator"), &json!("ballast-operator.v1.4.0")),
            (&json!("Subscription operators/granary-operator"), &Value::Null),
            (&json!("ClusterExtension quill"), &json!("quill-operator.v2.0.1")),
            (&json!("Subscription operators/tidewater-operator"), &json!("tidewater-operator.v2.4.1")),
        ]
    );
    let start = SUBSCRIPTION
        .split("status")
        .next()
        .unwrap()
        .replace("olm}", "olm, startingCSV: tidewater-operator.v2.2.1}");
    let starting = olmap_with(&start, &["successors", CATALOG, "-f", "-"]).exits(0);
    assert!(starting.out.contains("installs tidewater-operator.v2.2.1"), "{}", starting.out);
    let wrong =
        olmap_with(&start.replace("channel: stable", "channel: none"), &["successors", CATALOG, "-f", "-"])
            .exits(1);
    assert!(wrong.out.contains("no channel none in the package"), "{}", wrong.out);
    // Valid objects are answered, and errors are reported.
    let typed =
        olmap_with(&start.replace("channel: stable", "channel: [a]"), &["successors", CATALOG, "-f", "-"])
            .exits(0);
    assert!(
        typed.err.contains("standard input:4: Subscription operators/tide: spec.channel must be text"),
        "{}",
        typed.err
    );
    for other in [
        &["--package", "a"][..],
        &["--channel", "a"],
        &["--installed", "a"],
        &["--engine", "v1"],
        &["--safety"],
    ] {
        olmap(&[&["successors", CATALOG, "-f", CLUSTER][..], other].concat()).exits(2);
    }
    assert!(
        olmap(&["successors", CATALOG, "-f", "demo/catalog/tidewater-operator/catalog.yaml"])
            .exits(2)
            .err
            .contains("hint: olmap resources prints them")
    );
}

#[test]
fn refuses_options_of_the_other_olm_and_invalid_names() {
    let refused = |arguments: &[&str]| {
        let all = [&["resources", "2.4.0", CATALOG, "--package", "tidewater-operator"], arguments].concat();
        olmap(&all).exits(2).err
    };
    for option in
        [&["--watch", "a"][..], &["--without-group"], &["--source", "a/b"], &["--approval", "manual"]]
    {
        let err = refused(&[&["--engine", "v1"][..], option].concat());
        assert!(err.contains(&format!("{} is only for --engine classic", option[0])), "{err}");
    }
    assert!(refused(&["--engine", "classic", "--service-account", "a"]).contains("only for --engine v1"));
    for source in ["Bad Name/UP", "a/b/c"] {
        assert!(refused(&["--engine", "classic", "--source", source]).contains("is not a DNS-1123"));
    }
}

#[test]
fn printed_custom_resources_match_the_options() {
    let print = |arguments: &[&str]| {
        olmap(&[&["resources", "2.4.0", CATALOG, "--package", "tidewater-operator"], arguments].concat())
    };
    for (engine, kinds) in [
        ("classic", ["Namespace", "OperatorGroup", "Subscription"]),
        ("v1", ["Namespace", "ServiceAccount", "ClusterExtension"]),
    ] {
        let source: &[&str] = if engine == "classic" { &["--source", "olm/harbour"] } else { &[] };
        let yaml = print(&[&["--engine", engine][..], source].concat()).exits(0);
        let list = print(&[&["--engine", engine, "-o", "json"][..], source].concat()).exits(0).json();
        let found: Vec<&str> =
            list["items"].as_array().unwrap().iter().map(|item| item["kind"].as_str().unwrap()).collect();
        assert_eq!(found, kinds);
        // Printed resources are accepted as input.
        let answer = olmap_with(&yaml.out, &["successors", CATALOG, "-f", "-", "-o", "json"]).exits(0).json();
        assert_eq!(
            (&answer[0]["pick"], &answer[0]["engine"]),
            (&json!("tidewater-operator.v2.4.0"), &json!(engine))
        );
        assert_eq!(olmap_with(&yaml.out, &["cluster", "-"]).exits(0).err, "");
    }
    assert!(print(&[]).exits(0).err.contains("note: spec.source is a guess"));
    assert!(print(&["--source", "harbour"]).exits(2).err.contains("kubectl get catalogsources"));
    assert!(print(&["--channel", "none"]).exits(2).err.contains("hint: channels: "));
    assert!(print(&["--namespace", "A"]).exits(2).err.contains("is not a DNS-1123 label"));
    let refused = olmap(&["resources", "ballast-operator.v1.5.1", CATALOG, "--engine", "v1"]).exits(1);
    assert!(
        refused.err.contains("warning: v1 by default installs only bundles that support AllNamespaces"),
        "{}",
        refused.err
    );
    let named = olmap(&[
        "resources",
        "ballast-operator.v1.6.0-beta.2",
        CATALOG,
        "--engine",
        "v1",
        "--channel",
        "Preview",
    ])
    .exits(2);
    assert!(named.err.contains("channel \"Preview\" is not a DNS-1123 subdomain"), "{}", named.err);
    assert!(
        olmap(&["resources", "9.9.9", CATALOG, "--package", "ballast-operator"])
            .exits(2)
            .err
            .contains("did you mean")
    );
}
