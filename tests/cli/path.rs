//! How an installed version gets somewhere.

use serde_json::json;

use super::run::{Run, fixture, olmap};

fn granary(from: &str, to: &str, more: &[&str]) -> Run {
    olmap(&[&["path", from, to, "demo/catalog", "--package", "granary-operator"][..], more].concat())
}

#[test]
fn a_path_is_told_hop_by_hop_for_both() {
    insta::assert_snapshot!(granary("2.6.1", "head", &[]).exits(0).out);
}

#[test]
fn a_path_that_does_not_arrive_says_why_and_which_edit_opens_it() {
    let run = granary("2.6.4", "head", &[]).exits(1);
    assert!(run.out.lines().all(|line| line.chars().count() <= 80), "{}", run.out);
    insta::assert_snapshot!(run.out);
}

#[test]
fn it_is_fine_where_every_engine_that_is_asked_arrives() {
    granary("2.6.4", "head", &["--engine", "v1"]).exits(0);
    granary("2.6.4", "head", &["--engine", "classic"]).exits(1);
}

#[test]
fn the_shape_for_programs() {
    let run = granary("2.6.4", "head", &["--format", "json"]).exits(1);
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
fn what_v1_is_asked_for_counts() {
    let held = ["--engine", "v1", "--version", "<=3.0.1", "--format", "json"];
    let run = granary("2.6.4", "head", &held).exits(1).json();
    assert_eq!((&run[0]["ends"], &run[0]["version"]), (&json!("never"), &json!("<=3.0.1")));
    let free = ["--engine", "v1", "--policy", "selfcertified", "--format", "json"];
    let run = granary("3.1.1", "2.6.4", &free).exits(1).json();
    assert_eq!(run[0]["constraint"], "<=2.6.4", "down, if one certifies it oneself");
}

#[test]
fn what_is_nowhere_is_refused_with_what_may_be_meant() {
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
fn a_version_that_left_the_catalog_goes_on() {
    let run =
        olmap(&["path", "anvil.v1.1.5@1.1.5", "1.2.0", &fixture("anvil"), "--engine", "classic"]).exits(0);
    insta::assert_snapshot!(run.out, @r"
    anvil

    Classic, channel stable: arrives in 1 upgrade
         anvil.v1.1.5
      1  anvil.v1.2.0  skipRange >=1.1.0 <1.2.0 in stable includes 1.1.5
    ");
}
