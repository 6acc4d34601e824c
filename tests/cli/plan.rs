//! `olmap plan`: upgrade plans over several OpenShift versions.

use serde_json::json;

use super::run::{Run, olmap};

const CATALOGS: [&str; 3] = ["demo/openshift/v4.18", "demo/openshift/v4.20", "demo/openshift/v4.22"];

fn run_plan(words: &[&str]) -> Run {
    olmap(&[&["plan"][..], words, &CATALOGS].concat())
}

#[test]
fn plan_lists_stops_within_80_columns() {
    let run = run_plan(&["--engine", "classic", "--installed", "gangway-operator.v1.4.0"]).exits(0);
    assert!(run.out.lines().all(|line| line.chars().count() <= 80), "{}", run.out);
    insta::assert_snapshot!(run.out);
}

#[test]
fn plan_orders_several_operators() {
    let installed = ["--installed", "capstan-operator.v2.3.0", "--installed", "davit-operator.v0.8.0@legacy"];
    let run = run_plan(&[&["--engine", "classic"][..], &installed].concat()).exits(1);
    insta::assert_snapshot!(run.out);
}

#[test]
fn plans_all_versions_and_fails_if_one_is_stranded() {
    let run = run_plan(&["--all"]).exits(0);
    assert!(run.out.lines().all(|line| line.chars().count() <= 80), "{}", run.out);
    insta::assert_snapshot!(run.out);
    run_plan(&["--all", "--fail-on", "stranded"]).exits(1);
    run_plan(&["--all", "--fail-on", "stranded", "--package", "beacon-operator"]).exits(0);
    insta::assert_snapshot!(
        "everybody_in_markdown",
        run_plan(&["--all", "--format", "markdown"]).exits(0).out
    );
    let one = run_plan(&["--installed", "moorage-operator.v3.0.0", "--format", "markdown"]).exits(1);
    insta::assert_snapshot!("one_in_markdown", one.out);
}

#[test]
fn json_has_the_documented_fields() {
    let run = run_plan(&["--engine", "classic", "--installed", "davit-operator.v0.8.0", "--format", "json"])
        .exits(1);
    let found = run.json();
    assert_eq!(
        found["catalogs"],
        json!({"4.18": "demo/openshift/v4.18", "4.20": "demo/openshift/v4.20", "4.22": "demo/openshift/v4.22"})
    );
    assert_eq!(
        (&found["from"], &found["to"], &found["missing"]),
        (&json!("4.18"), &json!("4.22"), &json!(["4.19", "4.21"]))
    );
    let one = &found["operators"][0];
    assert_eq!(
        one["stops"],
        json!([
            {"openshift": "4.18", "channel": "legacy", "bundle": "davit-operator.v0.8.0", "version": "0.8.0", "by": "installed"},
            {"openshift": "4.18", "channel": "legacy", "bundle": "davit-operator.v0.9.0", "version": "0.9.0", "by": "pick",
                "edge": "replaces"}
        ])
    );
    assert_eq!(
        (&one["ok"], &one["reaches"], &one["blocked"]["kind"]),
        (&json!(false), &json!("4.18"), &json!("max-openshift"))
    );
    assert_eq!(one["blocked"]["opens"]["catalog"], "demo/openshift/v4.18");
    assert_eq!(one["blocked"]["opens"]["edit"]["entry"], "davit-operator.v1.0.0");
    let all = run_plan(&["--all", "--format", "json", "--engine", "v1"]).exits(0).json();
    let operators = all["operators"].as_array().unwrap();
    assert_eq!(operators.len(), 13, "every entry of every channel of 4.18");
    assert_eq!(operators.iter().filter(|one| one["ok"] == json!(false)).count(), 4);
}

#[test]
fn versions_come_from_arguments_or_paths_and_are_limited() {
    let run =
        run_plan(&["--from", "4.20", "--installed", "beacon-operator.v1.0.0", "--engine", "v1"]).exits(0);
    assert!(run.out.starts_with("OpenShift 4.20 to 4.22\n"), "{}", run.out);
    let said = ["plan", "--all", "4.20=demo/openshift/v4.18", "4.21=demo/openshift/v4.20"];
    assert!(olmap(&said).exits(0).out.contains("OpenShift 4.20 to 4.21"));
}

#[test]
fn equivalent_openshift_versions_are_the_same_version() {
    let [_, old, new] = CATALOGS;
    let run = olmap(&["plan", "--all", &format!("4.23={old}"), &format!("5.0={new}")]).exits(2);
    assert!(run.err.contains("two catalogs are for OpenShift 4.23"), "{}", run.err);
    let to = ["plan", "--all", "--to", "4.23", &format!("4.22={old}"), &format!("5.0={new}")];
    assert!(olmap(&to).exits(0).out.contains("OpenShift 4.22 to 5.0"));
}

#[test]
fn cluster_is_planned_with_its_channels_and_approval() {
    let run = run_plan(&["--cluster", "demo/openshift/cluster.yaml"]).exits(0);
    insta::assert_snapshot!("of_a_cluster", run.out);
    let run = run_plan(&["--cluster", "demo/openshift/cluster.yaml", "--format", "resources"]).exits(0);
    insta::assert_snapshot!("resources_of_a_cluster", run.out);
    run_plan(&["--all", "--format", "resources"]).exits(2);
    let either = run_plan(&["--installed", "beacon-operator.v1.0.0", "--format", "resources"]).exits(2);
    assert!(either.err.contains("resources need one OLM"), "{}", either.err);
    // An operator that stays on 4.18 keeps the cluster on that version.
    let held = ["--installed", "davit-operator.v0.8.0@legacy", "--installed", "capstan-operator.v2.3.0"];
    let held = run_plan(&[&held[..], &["--engine", "classic", "--format", "resources"]].concat()).exits(1);
    assert!(
        held.out.contains("capstan-operator on OpenShift 4.18") && !held.out.contains("Update the cluster"),
        "{}",
        held.out
    );
    run_plan(&["--all", "--safety"]).exits(2);
    run_plan(&["--all", "--index", "example.com/index"]).exits(2);
    let several = olmap(&[
        "plan",
        "--cluster",
        "tests/fixtures/cluster-several-channels.yaml",
        CATALOGS[0],
        CATALOGS[1],
    ]);
    assert!(
        several.exits(0).err.contains("beacon-operator: no plan, for it may be upgraded in several channels")
    );
}

#[test]
fn earliest_updates_match_automatic_approval() {
    let early =
        run_plan(&["--engine", "classic", "--installed", "beacon-operator.v1.0.0", "--updates", "earliest"])
            .exits(0);
    let alone = run_plan(&[
        "--engine",
        "classic",
        "--installed",
        "beacon-operator.v1.0.0",
        "--approval",
        "automatic",
    ])
    .exits(0);
    let stops = |run: &Run| {
        run.out.lines().filter(|line| line.starts_with("  ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(stops(&early), stops(&alone));
    assert!(stops(&early)[1].contains("beacon-operator.v1.1.0"), "{}", early.out);
    let fewest = ["--engine", "classic", "--installed", "beacon-operator.v1.1.0", "--prefer", "fewest"];
    assert!(run_plan(&fewest).exits(0).out.contains("stays as it is"));
}

#[test]
fn image_set_contains_every_stop() {
    let words = ["--engine", "classic", "--installed", "capstan-operator.v2.3.0"];
    let run =
        run_plan(&[&words[..], &["--format", "imageset", "--index", "registry.example.com/index"]].concat())
            .exits(0);
    insta::assert_snapshot!("imageset", run.out);
    let unnamed = run_plan(&[&words[..], &["--format", "imageset"]].concat()).exits(0);
    assert!(
        unnamed
            .out
            .contains("# Write the image of demo/openshift/v4.18 in place of example.com/catalog:v4.18.")
    );
    let images = run_plan(&[&words[..], &["--format", "images"]].concat()).exits(0);
    assert_eq!(
        images.out.lines().count(),
        8,
        "a bundle image and an operator's for each of four stops: {}",
        images.out
    );
    assert!(images.out.lines().all(|line| line.contains("\tcapstan-operator.v")), "{}", images.out);
}

#[test]
fn diff_between_versions_reports_stranded_users() {
    let [_, old, new] = CATALOGS;
    let diff = |words: &[&str]| olmap(&[&["diff", old, new][..], words].concat());
    let text = diff(&[]).exits(0).out;
    assert!(text.contains("\ncluster update\n"), "{text}");
    assert!(
        text.contains("OpenShift 4.20 to 4.22: with Classic 3 of 13 installed versions strand"),
        "{text}"
    );
    let update = &diff(&["--format", "json"]).exits(0).json()["update"];
    assert_eq!((&update["from"], &update["to"]), (&json!("4.20"), &json!("4.22")));
    assert_eq!(
        update["stranded"][0],
        json!({"package": "fender-operator", "engine": "classic", "stranded": 1, "of": 1,
            "places": [{"openshift": "4.22", "kind": "package-gone", "count": 1}]})
    );
    assert!(diff(&["--format", "markdown"]).exits(0).out.contains("### Cluster update"));
    diff(&["--fail-on", "stranded"]).exits(1);
    diff(&["--fail-on", "stranded", "--package", "beacon-operator"]).exits(0);
    assert_eq!(
        olmap(&["diff", new, old, "--format", "json"]).exits(0).json()["update"],
        json!(null),
        "not down"
    );
}

#[test]
fn mistakes_get_a_hint() {
    let refused = |words: &[&str]| olmap(words).exits(2).err;
    let [old, new, _] = CATALOGS;
    insta::assert_snapshot!(
        [
            refused(&["plan", old, new]),
            refused(&["plan", "--all", "demo/catalog", new]),
            refused(&["plan", "--all", old, "4.18=demo/openshift/v4.20"]),
            refused(&["plan", "--all", "--to", "4.30", old, new]),
            refused(&["plan", "--all", "--from", "4.20", "--to", "4.18", old, new]),
            refused(&["plan", "--installed", "beacon-operator.v1.0.1", old, new]),
            refused(&["plan", "--all", "--package", "beacon", old, new]),
        ]
        .concat()
    );
}
