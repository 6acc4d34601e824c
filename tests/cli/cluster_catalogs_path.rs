//! Upgrade paths and resources over the catalogs of one cluster.

use serde_json::{Value, json};
use tempfile::TempDir;

use super::cluster_catalogs::{catalog_yaml, catalogs, write_catalog};
use super::run::{Run, olmap_in};

/// Returns the catalogs of `catalogs`, and `next` with 1.1.0 and 1.2.0.
fn catalogs_with_next() -> TempDir {
    let folder = catalogs();
    write_catalog(folder.path(), "next", &catalog_yaml(&["1.1.0", "1.2.0"]));
    folder
}

fn run_with_catalogs(folder: &TempDir, command: &[&str], catalogs: &[&str]) -> Run {
    let catalogs = catalogs.iter().flat_map(|catalog| ["--catalog", catalog]);
    let line: Vec<&str> = command.iter().copied().chain(catalogs).collect();
    olmap_in(folder.path(), &line)
}

fn path_row(folder: &TempDir, bundles: [&str; 2], catalogs: &[&str], code: i32) -> Value {
    let line = ["path", bundles[0], bundles[1], "-o", "json"];
    run_with_catalogs(folder, &line, catalogs).exits(code).json()[0].clone()
}

#[test]
fn path_names_the_catalog_of_each_stop() {
    let folder = catalogs_with_next();
    let both = ["redhat=two,priority=-100", "own=next"];
    insta::assert_snapshot!(run_with_catalogs(&folder, &["path", "1.0.0", "1.2.0"], &both).exits(0).out);
    let row = path_row(&folder, ["1.0.0", "1.2.0"], &both, 0);
    let stops: Vec<_> = row["hops"].as_array().unwrap().iter().map(|hop| hop["catalog"].clone()).collect();
    assert_eq!(stops, [json!("redhat"), json!("own")]);
    assert_eq!((&row["hops"][1]["earlierCatalog"], &row["arrives"]), (&json!("redhat"), &json!(true)));
}

#[test]
fn ambiguity_ends_the_path_with_the_reason() {
    let folder = catalogs_with_next();
    let both = ["redhat=two", "own=next"];
    insta::assert_snapshot!(run_with_catalogs(&folder, &["path", "1.0.0", "1.2.0"], &both).exits(1).out);
    let row = path_row(&folder, ["1.0.0", "1.2.0"], &both, 1);
    assert_eq!((&row["ends"], &row["error"]["kind"]), (&json!("error"), &json!("ambiguous")));
    assert_eq!(row["error"]["catalogs"], json!(["own", "redhat"]));
    assert_eq!(row["notes"][0]["kind"], "second-catalog-stops");
    let label = "olm.operatorframework.io/metadata.name=own";
    let line = ["path", "1.1.0", "1.2.0", "--selector", label, "-o", "json"];
    assert_eq!(run_with_catalogs(&folder, &line, &both).exits(0).json()[0]["arrives"], true);
    let broken = path_row(&folder, ["1.0.0", "1.1.0"], &["redhat=two", "own=broken"], 1);
    assert_eq!(broken["error"]["kind"], "unreadable-catalog");
    assert!(broken["reason"].as_str().unwrap().contains("catalog.yaml:"), "{broken}");
}

#[test]
fn silent_stop_below_a_catalog_of_higher_priority_is_told() {
    let folder = catalogs_with_next();
    let both = ["redhat=two", "own=one,priority=5"];
    insta::assert_snapshot!(run_with_catalogs(&folder, &["path", "1.0.0", "1.1.0"], &both).exits(1).out);
}

#[test]
fn head_is_a_goal_if_the_catalogs_agree() {
    let folder = catalogs_with_next();
    let same = ["redhat=two,priority=1", "own=copy"];
    assert_eq!(path_row(&folder, ["1.0.0", "head"], &same, 0)["to"], "kiln.v1.1.0");
    let run = run_with_catalogs(&folder, &["path", "1.0.0", "head"], &["redhat=two", "own=next"]).exits(2);
    assert!(run.err.contains("kiln.v1.2.0 in own, kiln.v1.1.0 in redhat"), "{}", run.err);
}

#[test]
fn path_and_resources_refuse_options_about_one_catalog() {
    let folder = catalogs_with_next();
    for (line, part) in [
        (&["path", "1.0.0", "1.1.0", "--engine", "classic"][..], "OLM Classic takes a package from one"),
        (&["path", "1.0.0", "1.1.0", "--safety"], "--safety is about one catalog"),
        (&["path", "1.0.0", "9.0.0"], "no catalog of the cluster has a bundle 9.0.0"),
        (&["path", "9.0.0", "1.0.0"], "no catalog of the cluster has a bundle 9.0.0"),
        (&["path", "1.0.0", "1.1.0", "one"], "different ways to give a catalog"),
        (&["resources", "1.1.0"], "OLM Classic takes a package from one catalog"),
        (&["resources", "9.0.0", "--engine", "v1"], "no catalog of the cluster has a bundle 9.0.0"),
        (
            &["resources", "1.1.0", "--engine", "v1", "-c", "beta"],
            "no catalog of the cluster has a channel beta",
        ),
    ] {
        let run = run_with_catalogs(&folder, line, &["a=two"]).exits(2);
        assert!(run.err.contains(part), "{line:?}: {}", run.err);
    }
    let run = olmap_in(folder.path(), &["path", "1.0.0", "1.1.0", "two", "one"]).exits(2);
    assert!(run.err.contains("--one-cluster"), "{}", run.err);
}

/// Returns the selected catalog, and what standard error says.
fn selected_catalog(folder: &TempDir, args: &[&str], catalogs: &[&str], code: i32) -> (Value, String) {
    let line: Vec<&str> =
        ["resources", "--engine", "v1", "-o", "json"].into_iter().chain(args.iter().copied()).collect();
    let run = run_with_catalogs(folder, &line, catalogs).exits(code);
    let extension = run.json()["items"][2].clone();
    assert_eq!(extension["kind"], "ClusterExtension");
    let selector = &extension["spec"]["source"]["catalog"]["selector"];
    (selector["matchLabels"]["olm.operatorframework.io/metadata.name"].clone(), run.err)
}

#[test]
fn extension_gets_a_selector_only_if_it_is_needed() {
    let folder = catalogs_with_next();
    let (selector, notes) = selected_catalog(&folder, &["1.2.0"], &["redhat=two", "own=next"], 0);
    assert_eq!(selector, Value::Null, "only one catalog has the version: {notes}");
    assert!(notes.contains("installs kiln.v1.2.0 from catalog own"), "{notes}");
    let (selector, notes) = selected_catalog(&folder, &["1.1.0"], &["redhat=two", "own=next"], 0);
    assert_eq!(selector, "own");
    assert!(notes.contains("the selector is needed: without it, OLM v1 installs nothing"), "{notes}");
    assert!(notes.contains("redhat has the bundle too"), "{notes}");
    let higher = ["redhat=two,priority=-100", "own=next"];
    let (selector, notes) = selected_catalog(&folder, &["1.1.0"], &higher, 0);
    assert_eq!(selector, Value::Null, "the priority decides: {notes}");
    let range = ["1.1.0", "--version", ">=1.0.0"];
    let (selector, notes) = selected_catalog(&folder, &range, &higher, 0);
    assert_eq!(selector, "redhat", "own has a higher version: {notes}");
    assert!(notes.contains("OLM v1 installs kiln.v1.2.0 from own, not kiln.v1.1.0"), "{notes}");
    let own = ["1.0.0", "--selector", "olm.operatorframework.io/metadata.name=own"];
    let (selector, notes) = selected_catalog(&folder, &own, &higher, 1);
    assert_eq!(selector, "own", "a selector of the user stays");
    assert!(notes.contains("OLM v1 installs nothing: no selected catalog has a bundle"), "{notes}");
}

#[test]
fn dependencies_are_refused_in_every_catalog() {
    let folder = tempfile::tempdir().unwrap();
    let text = catalog_yaml(&["1.0.0"]);
    let dependency = "{type: olm.package.required, value: {packageName: lamp, versionRange: '>=1.0.0'}}";
    let text = text.replace("properties: [", &format!("properties: [{dependency}, "));
    write_catalog(folder.path(), "a", &text);
    write_catalog(folder.path(), "b", &text);
    let (selector, notes) = selected_catalog(&folder, &["1.0.0"], &["a=a,priority=1", "b=b"], 1);
    assert_eq!(selector, Value::Null);
    assert!(notes.contains("installs no bundle with dependencies"), "{notes}");
}
