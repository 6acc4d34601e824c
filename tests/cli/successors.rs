use serde_json::json;

use super::run::{fixture, olmap};

const GRANARY: [&str; 4] = ["successors", "demo/catalog", "--package", "granary-operator"];

#[test]
fn table_shows_upgrades_of_all_versions() {
    insta::assert_snapshot!(olmap(&GRANARY).exits(0).out);
}

#[test]
fn explains_a_dead_end() {
    let args = [&GRANARY[..], &["--installed", "granary-operator.v2.6.4", "--explain"]].concat();
    insta::assert_snapshot!(olmap(&args).exits(0).out);
}

#[test]
fn shows_obstacles_of_a_pick() {
    let run =
        olmap(&["successors", &fixture("anvil"), "--installed", "1.1.0", "--channel", "stable"]).exits(0);
    insta::assert_snapshot!(run.out);
}

#[test]
fn version_and_policy_apply_only_to_v1() {
    let args = ["successors", &fixture("anvil"), "--installed", "anvil.v1.2.0", "--version", "<1.1"];
    let down = olmap(&[&args[..], &["--policy", "selfcertified", "--format", "jsonl"]].concat())
        .exits(0)
        .json_lines();
    assert_eq!((&down[0]["engine"], &down[0]["pick"]), (&json!("classic"), &json!(null)));
    assert_eq!((&down[1]["engine"], &down[1]["pick"]), (&json!("v1"), &json!("anvil.v1.0.1")));
    let text = olmap(&[&args[..], &["--policy", "selfcertified", "--engine", "v1"]].concat()).exits(0).out;
    assert!(text.contains("is forced back (ROLLBACK) to anvil.v1.0.1"), "{text}");
    assert!(text.contains("warning: data may be lost"), "{text}");
    assert_eq!((&down[0]["downgrade"], &down[1]["downgrade"]), (&json!(null), &json!(true)));
    assert!(!text.contains("upgrades to"), "{text}");
    let nothing =
        olmap(&[&args[..], &["--engine", "v1", "--format", "jsonl"]].concat()).exits(1).json_lines();
    assert!(nothing[0]["error"].is_string(), "{nothing:?}");
}

#[test]
fn bundle_that_left_the_catalog_is_given_by_name_and_version() {
    let args = ["successors", &fixture("anvil"), "--engine", "classic", "--format", "json", "--installed"];
    let rows = olmap(&[&args[..], &["anvil.v1.1.5@1.1.5"]].concat()).exits(0).json();
    assert_eq!(rows[0]["pick"], "anvil.v1.2.0");
    assert_eq!(rows[0]["reason"], "skipRange >=1.1.0 <1.2.0 in stable includes 1.1.5");
    let run = olmap(&[&args[..], &["anvil.v1.1.5"]].concat()).exits(2);
    insta::assert_snapshot!(run.err, @r"
    olmap: anvil.v1.1.5: no such bundle in the package
    hint: did you mean anvil.v1.1.0 or anvil.v1.2.0? A bundle that is no longer in the catalog needs its version with --installed: NAME@1.2.3
    ");
}

#[test]
fn several_channels_are_separate_for_classic_and_combined_for_v1() {
    let run = olmap(&[
        "successors",
        &fixture("anvil"),
        "--channel",
        "stable",
        "--channel",
        "edge",
        "--installed",
        "1.2.0",
        "--format",
        "jsonl",
    ]);
    let rows = run.exits(0).json_lines();
    let asked: Vec<_> =
        rows.iter().map(|r| (r["channel"].clone(), r["channels"].clone(), r["pick"].clone())).collect();
    assert_eq!(
        asked,
        [
            (json!("stable"), json!(null), json!(null)),
            (json!("edge"), json!(null), json!("anvil.v2.0.0-rc.1")),
            (json!(null), json!(["stable", "edge"]), json!("anvil.v2.0.0-rc.1")),
        ]
    );
}

#[test]
fn rows_of_all_versions_begin_with_the_fresh_install() {
    let run = olmap(&["successors", &fixture("anvil"), "--engine", "classic", "--format", "jsonl"]);
    let rows = run.exits(0).json_lines();
    assert_eq!(rows.len(), 5);
    assert!(rows[0].get("installed").is_none() && rows[0]["order"].is_array());
    assert_eq!(rows[1]["installed"], "anvil.v1.2.0");
    assert!(rows[1].get("pick").is_none() && rows[1].get("order").is_none());
}

#[test]
fn explain_adds_candidates_to_rows() {
    let args = ["successors", &fixture("anvil"), "--installed", "1.0.1", "--engine", "classic", "--explain"];
    let rows = olmap(&[&args[..], &["--format", "json"]].concat()).exits(0).json();
    let first = &rows[0]["candidates"][0];
    assert_eq!((&first["name"], &first["version"]), (&json!("anvil.v1.2.0"), &json!("1.2.0")));
    assert_eq!((&first["admitted"], first["why"].is_string()), (&json!(false), true));
}

#[test]
fn mistakes_get_a_hint_with_the_known_names() {
    let run = olmap(&["successors", "demo/catalog"]).exits(2);
    assert!(
        run.err.starts_with("olmap: which package?\nhint: choose one with --package: ballast"),
        "{}",
        run.err
    );
    let run = olmap(&["successors", &fixture("anvil"), "--channel", "fast"]).exits(2);
    assert_eq!(run.err, "olmap: no channel fast in anvil\nhint: channels: stable, edge\n");
    let run = olmap(&["successors", &fixture("anvil"), "--version", ">>1"]).exits(2);
    assert!(run.err.starts_with("olmap: --version: "), "{}", run.err);
}

#[test]
fn reports_cluster_update_blockers_and_nearest_fix() {
    let quill = ["successors", "demo/catalog", "--package", "quill-operator", "--openshift", "4.18"];
    insta::assert_snapshot!(olmap(&quill).exits(0).out);
    let args = [&quill[..], &["--installed", "1.1.0"]].concat();
    let run = olmap(&args).exits(0);
    assert!(run.out.contains("BLOCKS OpenShift 4.18 -> 4.19: supports OpenShift up to 4.18;"), "{}", run.out);
    let rows = olmap(&[&args[..], &["--format", "json"]].concat()).exits(0).json();
    assert_eq!(
        rows[0]["openshift"],
        json!({
            "from": "4.18", "to": "4.19", "blocks": true, "max": "4.18",
            "reason": "supports OpenShift up to 4.18", "until": {"bundle": "quill-operator.v1.3.1", "hops": 2},
        })
    );
    assert_eq!((&rows[1]["engine"], rows[1]["openshift"].get("until")), (&json!("v1"), None));
    let next = [&quill[..5], &["4.17.3", "--installed", "1.1.0", "--format", "json"]].concat();
    let rows = olmap(&next).exits(0).json();
    assert_eq!(rows[0]["openshift"], json!({"from": "4.17", "to": "4.18", "blocks": false}));
    let run = olmap(&["successors", "demo/catalog", "--openshift", "four"]).exits(2);
    assert!(run.err.contains("`four` is not an OpenShift version"), "{}", run.err);
}
