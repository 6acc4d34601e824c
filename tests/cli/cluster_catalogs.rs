//! OLM v1 over the catalogs of one cluster.

use std::{fs, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::run::{Run, command, olmap_in, run_with_input};

/// Returns a catalog of package `kiln`, each version with an edge from the one before.
pub(super) fn catalog_yaml(versions: &[&str]) -> String {
    let mut text = "{schema: olm.package, name: kiln, defaultChannel: stable}\n---\nschema: olm.channel\n\
                    package: kiln\nname: stable\nentries:\n"
        .to_owned();
    for (at, version) in versions.iter().enumerate() {
        text += &format!("- name: kiln.v{version}\n");
        if let Some(before) = at.checked_sub(1).and_then(|at| versions.get(at)) {
            text += &format!("  replaces: kiln.v{before}\n");
        }
    }
    for version in versions {
        text += &format!(
            "---\n{{schema: olm.bundle, package: kiln, name: kiln.v{version}, image: example.com/kiln:v{version}, \
             properties: [{{type: olm.package, value: {{packageName: kiln, version: {version}}}}}]}}\n"
        );
    }
    text
}

/// Writes catalogs: `two` and `copy` with 1.0.0 and 1.1.0, `one` with 1.0.0, `broken`, `odd,name`.
pub(super) fn catalogs() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| write_catalog(folder.path(), name, text);
    write("two", &catalog_yaml(&["1.0.0", "1.1.0"]));
    write("copy", &catalog_yaml(&["1.0.0", "1.1.0"]));
    write("one", &catalog_yaml(&["1.0.0"]));
    write("broken", &format!("{}---\n- list\n", catalog_yaml(&["2.0.0"])));
    write("odd,name", &catalog_yaml(&["3.0.0"]));
    folder
}

pub(super) fn write_catalog(root: &Path, name: &str, text: &str) {
    fs::create_dir_all(root.join(name)).unwrap();
    fs::write(root.join(name).join("catalog.yaml"), text).unwrap();
}

/// Runs `olmap successors` with a catalog option for each word.
fn successors(folder: &TempDir, catalogs: &[&str], args: &[&str]) -> Run {
    let catalogs = catalogs.iter().flat_map(|catalog| ["--catalog", catalog]);
    let line: Vec<&str> = ["successors"].into_iter().chain(catalogs).chain(args.iter().copied()).collect();
    olmap_in(folder.path(), &line)
}

/// Answers one query.
fn ask(folder: &TempDir, catalogs: &[&str], query: &Value) -> Value {
    let catalogs = catalogs.iter().flat_map(|catalog| ["--catalog", catalog]);
    let line = ["successors", "--queries", "-"].into_iter().chain(catalogs);
    let mut command = command();
    command.current_dir(folder.path()).args(line);
    let run = run_with_input(&mut command, format!("{query}\n").as_bytes()).exits(0);
    run.json_lines().remove(0)
}

fn picked(row: &Value) -> (Value, Value, Value) {
    (row["pick"].clone(), row["catalog"].clone(), row["error"]["kind"].clone())
}

#[test]
fn queries_choose_between_catalogs() {
    let folder = catalogs();
    let none = Value::Null;
    let installed = json!({"name": "kiln.v1.0.0", "version": "1.0.0"});
    let upgrade = json!({"package": "kiln", "installed": installed});
    let same = ask(&folder, &["a=two", "b=copy"], &upgrade);
    assert_eq!(picked(&same), (none.clone(), none.clone(), json!("ambiguous")));
    assert_eq!(same["error"]["catalogs"], json!(["a", "b"]));
    assert_eq!(same["notes"][0]["kind"], "second-catalog-stops");
    let higher = ask(&folder, &["a=two", "b=one,priority=5"], &upgrade);
    assert_eq!(picked(&higher), (json!("kiln.v1.0.0"), json!("b"), none.clone()));
    assert_eq!((&higher["version"], &higher["error"]), (&json!("1.0.0"), &none));
    assert_eq!(higher["notes"][0]["kind"], "higher-priority-stops");
    let labels = ["a=two,label=example.com/tier=gold", "b=copy,label=empty="];
    let select = |selector: Value| {
        let query = json!({"package": "kiln", "selector": selector});
        ask(&folder, &labels, &query)["catalog"].clone()
    };
    assert_eq!(select(json!({"matchLabels": {"example.com/tier": "gold"}})), "a");
    assert_eq!(select(json!({"matchLabels": {"empty": ""}})), "b");
    assert_eq!(select(json!({"matchLabels": {"olm.operatorframework.io/metadata.name": "b"}})), "b");
    let expression = json!({"key": "empty", "operator": "DoesNotExist"});
    assert_eq!(select(json!({"matchExpressions": [expression]})), "a");
    let unavailable = ask(&folder, &["a=two", "b=missing,unavailable"], &json!({"package": "kiln"}));
    assert_eq!(unavailable["catalog"], "a", "it is not opened");
}

#[test]
fn every_answer_has_pick_catalog_and_error() {
    let folder = catalogs();
    for (query, kind) in [
        (json!({"package": "absent"}), json!("not-found")),
        (json!({"package": "kiln", "version": ">>1"}), json!("invalid-version")),
        (json!({"package": "kiln", "selector": {"matchLabels": {"a b": ""}}}), json!("invalid-selector")),
        (
            json!({"package": "kiln", "installed": {"name": "x", "version": "one"}}),
            json!("invalid-installed"),
        ),
        (json!({"package": "kiln", "installed": "1.0.0"}), Value::Null),
        (json!({}), Value::Null),
    ] {
        let row = ask(&folder, &["a=two"], &query);
        for key in ["pick", "version", "catalog", "error", "stays"] {
            assert!(row.get(key).is_some(), "{key}: {row}");
        }
        assert_eq!(row["error"]["kind"], kind, "{query}");
    }
    let broken = ask(&folder, &["a=two", "b=broken"], &json!({"package": "kiln"}));
    assert_eq!(
        (&broken["error"]["kind"], &broken["error"]["catalogs"]),
        (&json!("unreadable-catalog"), &json!(["b"]))
    );
}

#[test]
fn unknown_keys_and_engines_of_queries_are_refused() {
    let folder = catalogs();
    for line in [r#"{"package": "kiln", "catalogs": []}"#, r#"{"package": "kiln", "engine": "classic"}"#] {
        let mut command = command();
        command.current_dir(folder.path()).args(["successors", "--catalog", "a=two", "--queries", "-"]);
        let run = run_with_input(&mut command, format!("{line}\n").as_bytes()).exits(2);
        assert!(
            run.json_lines()[0]["error"].as_str().unwrap().starts_with("not a valid query"),
            "{}",
            run.out
        );
    }
}

#[test]
fn text_names_the_catalog_and_the_reason() {
    let folder = catalogs();
    let catalogs = ["redhat=two,priority=-100", "own=one"];
    insta::assert_snapshot!(
        successors(&folder, &catalogs, &["--installed", "1.0.0", "--explain"]).exits(0).out
    );
    let broken = ["redhat=two", "own=broken"];
    insta::assert_snapshot!(successors(&folder, &broken, &["--installed", "1.0.0"]).exits(1).out);
}

#[test]
fn table_shows_upgrades_over_all_catalogs() {
    let folder = catalogs();
    insta::assert_snapshot!(successors(&folder, &["redhat=two", "own=one,priority=5"], &[]).exits(0).out);
    let rows = successors(&folder, &["a=two", "b=copy"], &["-o", "json"]).exits(1).json();
    let installed: Vec<_> =
        rows.as_array().unwrap().iter().map(|row| row["installed"]["name"].clone()).collect();
    assert_eq!(installed, [Value::Null, json!("kiln.v1.1.0"), json!("kiln.v1.0.0")]);
}

#[test]
fn paths_are_one_cluster_only_with_the_option() {
    let folder = catalogs();
    let run = olmap_in(folder.path(), &["successors", "two", "one"]).exits(2);
    assert!(run.err.contains("--one-cluster"), "{}", run.err);
    let line = ["successors", "--one-cluster", "two", "own=one,priority=5", "-o", "jsonl"];
    let rows = olmap_in(folder.path(), &line).exits(0).json_lines();
    assert_eq!(picked(&rows[0]), (json!("kiln.v1.0.0"), json!("own"), Value::Null));
    let line =
        ["successors", "--one-cluster", "two", "--selector", "olm.operatorframework.io/metadata.name=two"];
    let run = olmap_in(folder.path(), &[&line[..], &["one", "-o", "jsonl"]].concat()).exits(0);
    assert_eq!(run.json_lines()[0]["catalog"], "two");
}

#[test]
fn mistakes_in_catalog_options_are_explained() {
    let folder = catalogs();
    for (catalogs, args, part) in [
        (&["two"][..], &[][..], "name of the catalog is missing"),
        (&["A=two"], &[], "is not a name of a ClusterCatalog"),
        (&["a=two,prio=3"], &[], "unknown option prio"),
        (&["a=two,priority=3000000000"], &[], "32 bits"),
        (&["a=two", "a=one"], &[], "two catalogs are called a"),
        (&["a=missing"], &[], "missing"),
        (&["a=two"], &["one"], "different ways to give a catalog"),
        (&["a=two"], &["--engine", "classic"], "OLM Classic takes a package from one catalog"),
        (&["a=two"], &["--openshift", "4.18"], "--openshift is about one catalog"),
        (&["a=two"], &["--safety"], "--safety is about one catalog"),
        (&["a=two"], &["-p", "anvil"], "packages: kiln"),
        (&["a=two"], &["--installed", "9.0.0"], "no catalog of the cluster has a bundle 9.0.0"),
        (&[], &["two", "--selector", "a=b"], "--selector selects catalogs of one cluster"),
        (&[], &["--one-cluster"], "--one-cluster needs the PATHs"),
    ] {
        let run = successors(&folder, catalogs, args).exits(2);
        assert!(run.err.contains(part), "{catalogs:?} {args:?}: {}", run.err);
    }
    let rows = successors(&folder, &["a=odd,name,priority=1"], &["-o", "jsonl"]).exits(0).json_lines();
    assert_eq!(rows[0]["pick"], "kiln.v3.0.0", "a path may contain commas");
}

#[test]
fn explorer_explains_mistakes_in_catalogs_of_one_cluster() {
    let folder = catalogs();
    write_catalog(folder.path(), "repository/catalogs/v4.18", &catalog_yaml(&["1.0.0"]));
    write_catalog(folder.path(), "repository/catalogs/v4.20", &catalog_yaml(&["1.0.0"]));
    for (args, part) in [
        (&["--one-cluster"][..], "PATH"),
        (&["--one-cluster", "a=two", "a=one"], "two catalogs are called a"),
        (&["--one-cluster", "two", "own=one,prio=5"], "unknown option prio"),
        (&["--one-cluster", "repository"], "repository has 2 catalogs"),
        (&["--one-cluster", "a=missing"], "missing"),
        // The words are right, so only the terminal is missing.
        (&["--one-cluster", "two", "own=one,priority=5"], "needs a terminal"),
    ] {
        let run = olmap_in(folder.path(), args).exits(2);
        assert!(run.err.contains(part), "{args:?}: {}", run.err);
    }
}

const EXTENSIONS: &str = "\
apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata: {name: any}
spec: {namespace: kilns, source: {sourceType: Catalog, catalog: {packageName: kiln}}}
status: {install: {bundle: {name: kiln.v1.0.0, version: 1.0.0}}}
---
apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata: {name: own}
spec:
  namespace: kilns
  source:
    sourceType: Catalog
    catalog:
      packageName: kiln
      selector:
        matchExpressions:
        - {key: olm.operatorframework.io/metadata.name, operator: NotIn, values: [two]}
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: kiln, namespace: kilns}
spec: {name: kiln, channel: stable, source: copy, sourceNamespace: olm}
";

/// Returns a `ClusterCatalog`.
fn cluster_catalog(name: &str, priority: i32) -> String {
    format!(
        "---\napiVersion: olm.operatorframework.io/v1\nkind: ClusterCatalog\nmetadata: {{name: {name}}}\n\
         spec: {{priority: {priority}, source: {{type: Image, image: {{ref: example.com/{name}}}}}}}\n"
    )
}

fn answer_file(folder: &TempDir, text: &str, args: &[&str]) -> Run {
    fs::write(folder.path().join("wanted.yaml"), text).unwrap();
    olmap_in(folder.path(), &[&["successors", "-f", "wanted.yaml", "--one-cluster"][..], args].concat())
}

#[test]
fn custom_resources_select_among_the_catalogs() {
    let folder = catalogs();
    let rows = answer_file(&folder, EXTENSIONS, &["two", "copy", "-o", "json"]).exits(1).json();
    assert_eq!(picked(&rows[0]), (Value::Null, Value::Null, json!("ambiguous")));
    assert_eq!((&rows[1]["engine"], &rows[1]["pick"]), (&json!("classic"), &json!("kiln.v1.1.0")));
    assert_eq!(picked(&rows[2]), (json!("kiln.v1.1.0"), json!("copy"), Value::Null));
    assert_eq!(rows[2]["object"], "ClusterExtension own");
    let run = answer_file(&folder, EXTENSIONS, &["two", "one"]).exits(2);
    assert!(run.err.contains("CatalogSource copy, which is not given"), "{}", run.err);
}

#[test]
fn priorities_come_from_the_cluster_catalogs_of_the_file() {
    let folder = catalogs();
    let ask = |catalogs: &str, args: &[&str]| {
        let text = format!("{EXTENSIONS}{catalogs}");
        answer_file(&folder, &text, &[args, &["-o", "jsonl"]].concat()).json_lines().remove(0)
    };
    let known = format!("{}{}", cluster_catalog("two", 5), cluster_catalog("copy", 0));
    assert_eq!(ask(&known, &["two", "copy"])["catalog"], "two");
    assert_eq!(ask(&known, &["two", "copy,priority=7"])["catalog"], "copy", "an option wins");
    let more = format!("{known}{}", cluster_catalog("redhat", -100));
    let unknown = ask(&more, &["two", "copy"]);
    assert_eq!(unknown["error"]["kind"], "catalog-not-given", "it may have the package");
    assert_eq!(unknown["error"]["catalogs"], json!(["redhat"]));
}

/// Runs `olmap cluster` with two catalogs and the extension `any`, which the cluster cannot resolve.
fn compare_cluster(folder: &TempDir, message: &str, args: &[&str]) -> Value {
    let condition = format!("{{type: Progressing, status: 'True', reason: {message}, message: m}}");
    let extension = EXTENSIONS.split("---\n").next().unwrap().trim_end();
    let extension =
        extension.replace("status: {install", &format!("status: {{conditions: [{condition}], install"));
    let text = format!("{extension}\n{}{}", cluster_catalog("two", 0), cluster_catalog("copy", 0));
    fs::write(folder.path().join("cluster.yaml"), text).unwrap();
    let line = [&["cluster", "cluster.yaml", "-o", "json"][..], args].concat();
    olmap_in(folder.path(), &line).json()["operators"][0].clone()
}

#[test]
fn cluster_is_compared_with_all_of_its_catalogs() {
    let folder = catalogs();
    let both = ["--catalog", "two", "--catalog", "copy"];
    let ambiguous = compare_cluster(&folder, "Retrying", &both);
    let compared = &ambiguous["compared"][0];
    assert_eq!((&compared["differs"], &ambiguous["compared_with"]), (&json!(false), &json!("copy, two")));
    assert!(compared["expected"]["error"].as_str().unwrap().contains("copy, two"), "{compared}");
    let named = ["--catalog", "two=one", "--catalog", "copy=broken"];
    let expected = compare_cluster(&folder, "Retrying", &named)["compared"][0]["expected"].clone();
    assert!(
        expected["error"].as_str().unwrap().contains("does not serve the package from copy"),
        "{expected}"
    );
    let one = compare_cluster(&folder, "Succeeded", &["--catalog", "two"]);
    assert_eq!(one["compared"][0]["expected"], "nothing", "the content of the other is not known");
    let elsewhere = compare_cluster(&folder, "Retrying", &["--catalog", "one"]);
    let reason = elsewhere["compared"][0]["why"].as_str().unwrap();
    assert!(
        reason.starts_with("the cluster may have other catalogs"),
        "not a text about Subscriptions: {reason}"
    );
}
