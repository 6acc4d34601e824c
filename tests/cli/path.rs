//! `olmap path`: upgrade paths from an installed version.

use serde_json::json;

use super::run::{Run, fixture, olmap};

fn granary_path(from: &str, to: &str, more: &[&str]) -> Run {
    olmap(&[&["path", from, to, "demo/catalog", "--package", "granary-operator"][..], more].concat())
}

#[test]
fn shows_hops_of_both_engines() {
    insta::assert_snapshot!(granary_path("2.6.1", "head", &[]).exits(0).out);
}

#[test]
fn incomplete_path_has_reason_and_edit() {
    let run = granary_path("2.6.4", "head", &[]).exits(1);
    assert!(run.out.lines().all(|line| line.chars().count() <= 80), "{}", run.out);
    insta::assert_snapshot!(run.out);
}

#[test]
fn exits_with_0_if_every_requested_engine_arrives() {
    granary_path("2.6.4", "head", &["--engine", "v1"]).exits(0);
    granary_path("2.6.4", "head", &["--engine", "classic"]).exits(1);
}

#[test]
fn json_has_the_documented_fields() {
    let run = granary_path("2.6.4", "head", &["--format", "json"]).exits(1);
    let rows = run.json();
    assert_eq!(
        rows[0]["opening"],
        json!({"channel": "stable", "entry": "granary-operator.v3.1.0", "skips": "granary-operator.v2.6.4"})
    );
    assert_eq!((&rows[0]["ends"], &rows[0]["arrives"]), (&json!("stays"), &json!(false)));
    assert_eq!(
        rows[1]["hops"][0],
        json!({"from": "granary-operator.v2.6.4", "to": "granary-operator.v3.0.1", "kind": "skips",
            "channel": "stable", "reason": "skips granary-operator.v2.6.4 in stable"})
    );
}

#[test]
fn version_and_policy_apply_to_v1() {
    let held = ["--engine", "v1", "--version", "<=3.0.1", "--format", "json"];
    let run = granary_path("2.6.4", "head", &held).exits(1).json();
    assert_eq!((&run[0]["ends"], &run[0]["version"]), (&json!("never"), &json!("<=3.0.1")));
    let free = ["--engine", "v1", "--policy", "selfcertified", "--format", "json"];
    let run = granary_path("3.1.1", "2.6.4", &free).exits(1).json();
    assert_eq!(run[0]["constraint"], "<=2.6.4", "down, if one certifies it oneself");
}

#[test]
fn suggests_names_for_an_unknown_bundle() {
    let path = |from: &str, to: &str| olmap(&["path", from, to, &fixture("anvil")]).exits(2).err;
    insta::assert_snapshot!(path("anvil-v1.0.0", "head"), @r"
    olmap: anvil-v1.0.0: no such bundle in the package
    hint: did you mean anvil.v1.0.0? A bundle that is no longer in the catalog needs its version: NAME@1.2.3
    ");
    insta::assert_snapshot!(path("1.0.0", "1.1.5"), @r"
    olmap: 1.1.5: the package has no bundle of this version
    hint: did you mean anvil.v1.1.0 or anvil.v1.2.0? head is the channel's head
    ");
    insta::assert_snapshot!(path("1.0.0", "anvil.v1.1.5@1.1.5"), @r"
    olmap: anvil.v1.1.5 is not in the catalog
    ");
    let args = ["path", "1.0.0", "head", &fixture("anvil"), "--channel", "stable", "--channel", "edge"];
    insta::assert_snapshot!(olmap(&args).exits(2).err, @r"
    olmap: which head? There are several channels, and v1 uses all of them
    hint: give a bundle, one --channel, or --engine classic
    ");
    let args = ["path", "1.0.0", "head", &fixture("anvil"), "--channel", "fast"];
    assert!(olmap(&args).exits(2).err.contains("hint: channels: stable, edge"));
}

#[test]
fn version_that_left_the_catalog_has_a_path() {
    let run =
        olmap(&["path", "anvil.v1.1.5@1.1.5", "1.2.0", &fixture("anvil"), "--engine", "classic"]).exits(0);
    insta::assert_snapshot!(run.out, @r"
    anvil

    Classic, channel stable: arrives in 1 upgrade
         anvil.v1.1.5
      1  anvil.v1.2.0  skipRange >=1.1.0 <1.2.0 in stable includes 1.1.5
    ");
}
