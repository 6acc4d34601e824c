//! Tests of the Plan screen: upgrades from the lowest to the highest OpenShift version, what blocks
//! them, and the edits that help.

use std::{fmt::Write as _, sync::Arc};

use insta::assert_snapshot;
use olmap::{
    app::{Effect, LoadOutcome, Msg, Screen, Settings, Source},
    catalog::load,
    review::Snapshot,
};

use super::{resolve::package, support::Hand};

const UP_TO_4_18: &str = "- type: olm.maxOpenShiftVersion\n  value: \"4.18\"\n";
const NEW_KUBERNETES: &str = "- type: olm.csv.metadata\n  value: {minKubeVersion: 1.40.0}\n";

/// Returns three catalogs: one package whose upgrades all succeed, and one for each kind of
/// problem.
pub fn catalogs() -> Vec<(&'static str, String)> {
    let ferry = package("ferry", &[("stable", &["1.0.0", "1.1.0"])], &[("1.0.0", ""), ("1.1.0", "")]);
    let ferry_later = package("ferry", &[("stable", &["1.1.0", "1.2.0"])], &[("1.1.0", ""), ("1.2.0", "")]);
    let tide = package("tide", &[("stable", &["1.0.0"])], &[("1.0.0", UP_TO_4_18)]);
    let tide_later = package("tide", &[("stable", &["1.1.0"])], &[("1.1.0", "")]);
    let buoy = package("buoy", &[("stable", &["1.0.0"])], &[("1.0.0", "")]);
    let crane = package("crane", &[("fast", &["2.0.0", "2.1.0"])], &[("2.0.0", ""), ("2.1.0", "")]);
    let crane_later = package("crane", &[("fast", &["2.0.0"])], &[("2.0.0", "")]);
    let dock = package("dock", &[("stable", &["1.0.0"])], &[("1.0.0", "")]);
    let dock_later = package("dock", &[("stable", &["1.1.0", "1.2.0"])], &[("1.1.0", ""), ("1.2.0", "")]);
    let winch = package("winch", &[("old", &["1.0.0"])], &[("1.0.0", "")]);
    let winch_later =
        package("winch", &[("new", &["1.0.0", "2.0.0"])], &[("1.0.0", ""), ("2.0.0", NEW_KUBERNETES)]);
    vec![
        (
            "catalogs/v4.18",
            [ferry.clone(), tide, buoy.clone(), crane.clone(), dock.clone(), winch.clone()].concat(),
        ),
        ("catalogs/v4.20", [ferry, tide_later.clone(), buoy, crane, dock, winch].concat()),
        ("catalogs/v4.22", [ferry_later, tide_later, crane_later, dock_later, winch_later].concat()),
    ]
}

pub fn open(columns: u16, rows: u16, catalogs: &[(&str, String)]) -> Hand {
    open_with(Settings::default(), columns, rows, catalogs)
}

fn open_with(settings: Settings, columns: u16, rows: u16, catalogs: &[(&str, String)]) -> Hand {
    let outcome = |(path, yaml): &(&str, String)| LoadOutcome {
        source: Source::Path((*path).into()),
        result: Ok(Arc::new(Snapshot::new(load::from_bytes(yaml.clone().into_bytes())))),
        left_over: None,
    };
    let outcomes: Vec<_> = catalogs.iter().map(outcome).collect();
    let sources = outcomes.iter().map(|outcome| outcome.source.clone()).collect();
    let mut hand = Hand::starting(sources, settings, columns, rows);
    hand.send(Msg::Loaded { generation: 0, outcomes });
    hand
}

/// Answers plan requests like the worker.
pub fn plan(hand: &mut Hand) {
    while let Some(at) = hand.effects.iter().position(|effect| matches!(effect, Effect::Plan(_))) {
        let Effect::Plan(asked) = hand.effects.remove(at) else { unreachable!() };
        let plans = Arc::new(asked.plan());
        hand.send(Msg::Planned { asked, plans });
    }
}

fn press(hand: &mut Hand, keys: &str) {
    hand.press(keys);
    plan(hand);
}

#[test]
fn plan_at_several_sizes() {
    let mut all = String::new();
    for (columns, rows) in [(160, 48), (120, 36), (100, 30), (80, 24), (60, 18), (50, 15)] {
        let mut hand = open(columns, rows, &catalogs());
        press(&mut hand, "Q");
        let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
        press(&mut hand, "/ 'ferry' enter enter");
        let _ = write!(all, "== ferry's versions\n{}", hand.screen());
        press(&mut hand, "tab v");
        let _ = write!(all, "== the stops, under v1\n{}", hand.screen());
    }
    assert_snapshot!(all);
}

#[test]
fn each_kind_of_problem_has_its_reason() {
    let mut hand = open(160, 48, &catalogs());
    press(&mut hand, "Q");
    for (package, told) in [
        (
            "tide",
            "tide.v1.0.0 supports OpenShift up to 4.18, and nothing in channel stable of 4.18 upgrades it",
        ),
        ("buoy", "4.22 has no package buoy"),
        (
            "crane",
            "crane.v2.1.0 is not in the catalog of 4.22: the head of channel fast is crane.v2.0.0, which is lower",
        ),
        ("dock", "dock.v1.0.0 is not in the catalog of 4.22, and nothing in channel stable upgrades it"),
    ] {
        press(&mut hand, &format!("/ '{package}' enter"));
        assert!(hand.shows(told), "{package}\n{}", hand.screen());
        press(&mut hand, "esc");
    }
    press(&mut hand, "/ 'winch' enter");
    assert!(hand.shows("change of channel"), "{}", hand.screen());
}

#[test]
fn edit_that_adds_an_upgrade_path_is_applied_in_the_blocking_catalog() {
    let mut hand = open(120, 36, &catalogs());
    press(&mut hand, "Q");
    press(&mut hand, "/ 'dock' enter enter");
    assert!(
        hand.shows(
            "One edit adds an upgrade path, in the catalog of 4.22: dock.v1.2.0 in stable skips dock.v1.0.0"
        ),
        "{}",
        hand.screen()
    );
    press(&mut hand, ".");
    assert!(hand.shows("the edit is one of the catalog of 4.22: enter goes there"), "{}", hand.screen());
    press(&mut hand, "enter");
    assert_eq!((hand.model.session.screen, hand.model.session.current), (Screen::Catalog, 2));
    press(&mut hand, "Q .");
    assert!(hand.shows("Add upgrade path"), "{}", hand.screen());
    press(&mut hand, "enter");
    plan(&mut hand);
    press(&mut hand, "enter enter Q");
    assert!(!hand.shows("entry gone"), "{}", hand.screen());
}

/// Installed operators are marked, also on the Overview screen.
#[test]
fn installed_operators_are_marked() {
    let cluster = super::on_cluster::cluster(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: ferry, namespace: port}\n\
         spec: {name: ferry, channel: stable, source: a, sourceNamespace: b}\n\
         status: {installedCSV: ferry.v1.0.0, currentCSV: ferry.v1.0.0}\n",
    );
    let mut hand = open_with(Settings { cluster, ..Settings::default() }, 120, 36, &catalogs());
    press(&mut hand, "Q");
    assert!(hand.shows("i ferry"), "{}", hand.screen());
    press(&mut hand, "/ 'ferry' enter");
    assert!(hand.shows("1.2.0 +1  INSTALLED in port"), "{}", hand.screen());
    press(&mut hand, "esc 0");
    super::overview::overlook(&mut hand);
    assert!(hand.shows("i ferry"), "{}", hand.screen());
}

#[test]
fn single_version_shows_how_to_open_another() {
    let mut hand = open(80, 24, &catalogs()[..1]);
    press(&mut hand, "Q");
    assert!(
        hand.shows("A plan needs the catalogs of two OpenShift versions or more; 1 is open."),
        "{}",
        hand.screen()
    );
}

/// Requests during a pending answer are sent after it.
#[test]
fn plans_are_requested_one_at_a_time() {
    let mut hand = open(120, 36, &catalogs());
    hand.press("Q");
    assert!(hand.shows("planning"), "{}", hand.screen());
    hand.press("v n w");
    let asked = hand.effects.iter().filter(|effect| matches!(effect, Effect::Plan(_))).count();
    assert_eq!(asked, 1);
    plan(&mut hand);
    assert!(hand.shows("4.18 to 4.22, v1, no pinned version"), "{}", hand.screen());
}
