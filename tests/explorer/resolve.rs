//! Tests of the Resolve screen: assumptions about a cluster and their resolution by OLM Classic.

use std::{fmt::Write as _, sync::Arc};

use insta::assert_snapshot;
use olmap::tui::work::cluster::{DependencyQuery, ResolverQuery};

use super::{plan::open_plan_catalogs, support::ExplorerDriver};

/// Returns a package: channels with their versions, oldest first, and properties of each version.
pub fn package_yaml(name: &str, channels: &[(&str, &[&str])], bundles: &[(&str, &str)]) -> String {
    let mut yaml = format!("---\nschema: olm.package\nname: {name}\ndefaultChannel: {}\n", channels[0].0);
    for (channel, versions) in channels {
        let _ = write!(yaml, "---\nschema: olm.channel\npackage: {name}\nname: {channel}\nentries:\n");
        let mut before = None;
        for version in *versions {
            let _ = writeln!(yaml, "- name: {name}.v{version}");
            yaml += &before.map(|before| format!("  replaces: {name}.v{before}\n")).unwrap_or_default();
            before = Some(version);
        }
    }
    for (version, properties) in bundles {
        let _ = write!(
            yaml,
            "---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{version}\nimage: example.com/{name}:v{version}\n\
             properties:\n- type: olm.package\n  value: {{packageName: {name}, version: {version}}}\n{properties}"
        );
    }
    yaml
}

const NEEDS_LAMP: &str =
    "- type: olm.package.required\n  value: {packageName: lamp, versionRange: '>=1.0.0 <2.0.0'}\n";
const NEEDS_OIL: &str =
    "- type: olm.gvk.required\n  value: {group: sea.example.com, version: v2, kind: Oil}\n";

fn provides_oil(version: &str) -> String {
    format!("- type: olm.gvk\n  value: {{group: sea.example.com, version: {version}, kind: Oil}}\n")
}

fn sea_catalog() -> String {
    let (oil, both) = (provides_oil("v1"), format!("{NEEDS_LAMP}{NEEDS_OIL}"));
    package_yaml(
        "beacon",
        &[("stable", &["1.0.0", "2.0.0"]), ("tested", &["1.0.0"])],
        &[("1.0.0", NEEDS_LAMP), ("2.0.0", &both)],
    ) + &package_yaml("lamp", &[("stable", &["1.0.0", "2.0.0"])], &[("1.0.0", &oil), ("2.0.0", &oil)])
}

fn vendor_catalog() -> String {
    package_yaml("tanker", &[("stable", &["1.0.0"])], &[("1.0.0", &provides_oil("v2"))])
}

/// Answers resolve requests like the worker.
pub fn answer_resolve_requests(hand: &mut ExplorerDriver) {
    while let Some(asked) = hand.take_request::<ResolverQuery>() {
        let resolved = Arc::new(asked.resolve());
        hand.answer(asked, resolved);
    }
}

fn press_and_answer(hand: &mut ExplorerDriver, keys: &str) {
    hand.press(keys);
    answer_resolve_requests(hand);
}

#[test]
fn resolve_screen_at_several_sizes() {
    let mut all = String::new();
    for (columns, rows) in [(160, 48), (120, 36), (100, 30), (80, 24), (60, 18), (50, 15)] {
        let mut hand =
            open_plan_catalogs(columns, rows, &[("sea", sea_catalog()), ("vendor", vendor_catalog())]);
        press_and_answer(&mut hand, "9");
        let _ = write!(all, "== {columns}x{rows}, nothing yet\n{}", hand.screen());
        press_and_answer(&mut hand, "9 t s");
        let _ = write!(all, "== the head needs both catalogs\n{}", hand.screen());
        press_and_answer(&mut hand, "j j space");
        let _ = write!(all, "== without the other\n{}", hand.screen());
        press_and_answer(&mut hand, "1 j 9 t i");
        let _ = write!(all, "== lamp 2.0.0 is there\n{}", hand.screen());
        press_and_answer(&mut hand, "tab G");
        let _ = write!(all, "== read on\n{}", hand.screen());
    }
    assert_snapshot!(all);
}

#[test]
fn assumption_is_removed_by_the_same_key() {
    let mut hand = open_plan_catalogs(120, 36, &[("sea", sea_catalog())]);
    press_and_answer(&mut hand, "9 t s");
    assert!(hand.shows("assumed: subscription to beacon, channel stable"), "{}", hand.screen());
    press_and_answer(&mut hand, "k");
    assert!(hand.shows("installs beacon.v1.0.0"), "{}", hand.screen());
    assert!(hand.shows("beacon.v1.0.0 is installed and not beacon.v2.0.0"), "{}", hand.screen());
    press_and_answer(&mut hand, "t s");
    assert!(hand.shows("no longer assumed"), "{}", hand.screen());
    press_and_answer(&mut hand, "k");
    assert!(hand.shows("The test cluster is empty"), "{}", hand.screen());
}

#[test]
fn channel_and_catalog_of_an_assumption_are_changed_by_keys() {
    let mut hand = open_plan_catalogs(120, 36, &[("sea", sea_catalog()), ("copy", sea_catalog())]);
    press_and_answer(&mut hand, "9 t s");
    assert!(hand.shows("channel stable of sea"), "{}", hand.screen());
    press_and_answer(&mut hand, "c");
    assert!(hand.shows("channel tested of sea"), "{}", hand.screen());
    press_and_answer(&mut hand, "n");
    assert!(hand.shows("channel tested of copy"), "{}", hand.screen());
    press_and_answer(&mut hand, "c");
    assert!(hand.shows("channel stable of copy"), "{}", hand.screen());
    press_and_answer(&mut hand, "x");
    assert!(hand.shows("The test cluster is empty"), "{}", hand.screen());
}

#[test]
fn excluded_assumption_does_not_affect_the_resolution() {
    let mut hand = open_plan_catalogs(120, 36, &[("sea", sea_catalog())]);
    // Lamp 2.0.0 has no subscription and must stay, so beacon cannot be installed.
    press_and_answer(&mut hand, "9 t s 1 j 9 t i");
    assert!(hand.shows("blocked"), "{}", hand.screen());
    assert!(
        hand.shows("lamp.v2.0.0 is installed and has no subscription, so it must stay"),
        "{}",
        hand.screen()
    );
    press_and_answer(&mut hand, "j space");
    assert!(hand.shows("installs beacon.v1.0.0"), "{}", hand.screen());
    assert!(hand.shows("excluded"), "{}", hand.screen());
    press_and_answer(&mut hand, "space");
    assert!(hand.shows("blocked"), "{}", hand.screen());
    press_and_answer(&mut hand, "X");
    assert!(hand.shows("The test cluster is empty"), "{}", hand.screen());
}

/// An installed bundle provides its APIs, even if its catalog is excluded.
#[test]
fn installed_bundle_of_an_excluded_catalog_still_provides_its_apis() {
    let mut hand = open_plan_catalogs(120, 36, &[("sea", sea_catalog()), ("vendor", vendor_catalog())]);
    press_and_answer(&mut hand, "9 t s > t i G space");
    assert!(hand.shows("excluded"), "{}", hand.screen());
    assert!(hand.shows("installs 2.0.0") && hand.shows("tanker.v1.0.0 (installed)"), "{}", hand.screen());
}

/// A preview names the packages left with unmet dependencies in every open catalog.
#[test]
fn preview_names_unmet_dependencies_in_other_catalogs() {
    let oil = provides_oil("v2");
    let vendor =
        package_yaml("tanker", &[("stable", &["1.0.0", "2.0.0"])], &[("1.0.0", &oil), ("2.0.0", "")]);
    let mut hand = open_plan_catalogs(120, 36, &[("vendor", vendor), ("sea", sea_catalog())]);
    hand.press("/ 'tanker' enter l l G x");
    assert!(hand.shows("Left without what they need 1"), "{}", hand.screen());
    assert!(hand.shows("beacon 2.0.0 (1 bundle) of sea needs"), "{}", hand.screen());
}

/// Catalogs for different OpenShift versions are excluded by default, because they do not serve the
/// same cluster.
#[test]
fn catalog_of_another_openshift_version_is_excluded() {
    let mut hand = open_plan_catalogs(120, 36, &[("v4.18", sea_catalog()), ("v4.20", vendor_catalog())]);
    press_and_answer(&mut hand, "9 t s");
    assert!(hand.shows("excluded"), "{}", hand.screen());
    assert!(hand.shows("installs beacon.v1.0.0"), "{}", hand.screen());
    press_and_answer(&mut hand, "G space");
    assert!(hand.shows("installs beacon.v2.0.0"), "{}", hand.screen());
    assert!(hand.shows("tanker-stable-v4.20-olm"), "{}", hand.screen());
}

/// Requests during a pending answer are sent after it; the old result is marked as stale.
#[test]
fn resolutions_are_requested_one_at_a_time() {
    let mut hand = open_plan_catalogs(120, 36, &[("sea", sea_catalog())]);
    hand.press("9 t s");
    assert!(hand.shows("resolving"), "{}", hand.screen());
    hand.press("c c c");
    let asked = hand.requests::<ResolverQuery>().len();
    assert_eq!(asked, 1);
    answer_resolve_requests(&mut hand);
    assert!(hand.shows("channel tested of sea"), "{}", hand.screen());
}

#[test]
fn enter_opens_the_item_of_a_row_and_back_returns() {
    let mut hand = open_plan_catalogs(120, 36, &[("sea", sea_catalog()), ("vendor", vendor_catalog())]);
    press_and_answer(&mut hand, "9 t s > t i j enter");
    assert!(hand.shows("[1 Packages]") && hand.shows("tanker.v1.0.0"), "{}", hand.screen());
    press_and_answer(&mut hand, "[");
    assert!(hand.shows("Test cluster: 1 subscription, 1 installed"), "{}", hand.screen());
}

/// Long resolutions run in the worker, so that no key takes longer than a frame.
#[test]
fn long_dependency_chain_is_resolved_by_the_worker_and_cut_on_screen() {
    let mut yaml = String::new();
    for n in 0..400 {
        let needs = format!(
            "- type: olm.package.required\n  value: {{packageName: p{}, versionRange: '>=1.0.0'}}\n",
            n + 1
        );
        yaml += &package_yaml(
            &format!("p{n}"),
            &[("stable", &["1.0.0"])],
            &[("1.0.0", if n == 399 { "" } else { &needs })],
        );
    }
    let mut hand = open_plan_catalogs(120, 36, &[("big", yaml)]);
    press_and_answer(&mut hand, "9 t s");
    assert!(hand.shows("adds"), "{}", hand.screen());
    hand.press("tab G");
    assert!(hand.shows("299 more that need something"), "{}", hand.screen());
    let asked = |hand: &ExplorerDriver| hand.requests::<ResolverQuery>().len();
    assert_eq!(asked(&hand), 0);
    hand.press("tab space");
    assert_eq!(asked(&hand), 1, "no key waits for the answer");
}

/// Answers requests for resolving each installed version, like the worker.
fn answer_solve_requests(hand: &mut ExplorerDriver) {
    while let Some(asked) = hand.take_request::<DependencyQuery>() {
        let solved = Arc::new(asked.resolve_upgrades());
        hand.answer(asked, solved);
    }
}

#[test]
fn upgrades_screen_shows_picks_that_differ_with_dependencies() {
    let mut all = String::new();
    for (columns, rows) in [(160, 48), (120, 36), (80, 24), (50, 15)] {
        let mut hand = open_plan_catalogs(columns, rows, &[("sea", sea_catalog())]);
        hand.press("3");
        assert!(!hand.shows("With dependencies"), "{}", hand.screen());
        answer_solve_requests(&mut hand);
        hand.press("G");
        let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
    }
    assert_snapshot!(all);
    // The dependency is provided by another catalog.
    let mut hand = open_plan_catalogs(120, 36, &[("sea", sea_catalog()), ("vendor", vendor_catalog())]);
    hand.press("3");
    answer_solve_requests(&mut hand);
    assert!(!hand.shows("With dependencies"), "{}", hand.screen());
}

#[test]
fn bundle_screen_shows_providers_of_its_dependencies() {
    let mut all = String::new();
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand =
            open_plan_catalogs(columns, rows, &[("sea", sea_catalog()), ("vendor", vendor_catalog())]);
        hand.press("l l 7 / 'lamp' enter");
        let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
    }
    assert_snapshot!(all);
    let mut hand = open_plan_catalogs(120, 36, &[("sea", sea_catalog())]);
    hand.press("l l 7 / 'lamp' enter");
    assert!(
        hand.shows("nothing satisfies it; lamp.v2.0.0 of sea provides sea.example.com/v1 Oil"),
        "{}",
        hand.screen()
    );
}
