//! Tests of the Plan screen: upgrades from the lowest to the highest OpenShift version, what blocks
//! them, and the edits that help.

use std::{fmt::Write as _, sync::Arc};

use insta::assert_snapshot;
use olm_catalog::load;
use olm_check::review::Snapshot;
use olmap::tui::{LoadOutcome, Screen, Settings, Source, session::jobs::upgrade_plans::PlanRequest};

use super::{resolve::package_yaml, support::ExplorerDriver};

const UP_TO_4_18: &str = "- type: olm.maxOpenShiftVersion\n  value: \"4.18\"\n";
const NEW_KUBERNETES: &str = "- type: olm.csv.metadata\n  value: {minKubeVersion: 1.40.0}\n";

/// Returns three catalogs: one package whose upgrades all succeed, and one for each kind of
/// problem.
pub fn plan_catalogs() -> Vec<(&'static str, String)> {
    let ferry = package_yaml("ferry", &[("stable", &["1.0.0", "1.1.0"])], &[("1.0.0", ""), ("1.1.0", "")]);
    let ferry_later =
        package_yaml("ferry", &[("stable", &["1.1.0", "1.2.0"])], &[("1.1.0", ""), ("1.2.0", "")]);
    let tide = package_yaml("tide", &[("stable", &["1.0.0"])], &[("1.0.0", UP_TO_4_18)]);
    let tide_later = package_yaml("tide", &[("stable", &["1.1.0"])], &[("1.1.0", "")]);
    let buoy = package_yaml("buoy", &[("stable", &["1.0.0"])], &[("1.0.0", "")]);
    let crane = package_yaml("crane", &[("fast", &["2.0.0", "2.1.0"])], &[("2.0.0", ""), ("2.1.0", "")]);
    let crane_later = package_yaml("crane", &[("fast", &["2.0.0"])], &[("2.0.0", "")]);
    let dock = package_yaml("dock", &[("stable", &["1.0.0"])], &[("1.0.0", "")]);
    let dock_later =
        package_yaml("dock", &[("stable", &["1.1.0", "1.2.0"])], &[("1.1.0", ""), ("1.2.0", "")]);
    let winch = package_yaml("winch", &[("old", &["1.0.0"])], &[("1.0.0", "")]);
    let winch_later =
        package_yaml("winch", &[("new", &["1.0.0", "2.0.0"])], &[("1.0.0", ""), ("2.0.0", NEW_KUBERNETES)]);
    vec![
        (
            "catalogs/v4.18",
            [ferry.clone(), tide, buoy.clone(), crane.clone(), dock.clone(), winch.clone()].concat(),
        ),
        ("catalogs/v4.20", [ferry, tide_later.clone(), buoy, crane, dock, winch].concat()),
        ("catalogs/v4.22", [ferry_later, tide_later, crane_later, dock_later, winch_later].concat()),
    ]
}

pub fn open_plan_catalogs(columns: u16, rows: u16, catalogs: &[(&str, String)]) -> ExplorerDriver {
    open_with_settings(Settings::default(), columns, rows, catalogs)
}

fn open_with_settings(
    settings: Settings,
    columns: u16,
    rows: u16,
    catalogs: &[(&str, String)],
) -> ExplorerDriver {
    let outcome = |(path, yaml): &(&str, String)| LoadOutcome {
        source: Source::Path((*path).into()),
        result: Ok(Arc::new(Snapshot::new(load::from_bytes(yaml.clone().into_bytes())))),
        recoverable_edits: None,
    };
    let outcomes: Vec<_> = catalogs.iter().map(outcome).collect();
    let sources = outcomes.iter().map(|outcome| outcome.source.clone()).collect();
    let mut hand = ExplorerDriver::before_loading(sources, settings, columns, rows);
    hand.finish_loads(outcomes);
    hand
}

/// Answers plan requests like the worker.
pub fn answer_plan_requests(hand: &mut ExplorerDriver) {
    while let Some(asked) = hand.take_request::<PlanRequest>() {
        let plans = Arc::new(asked.compute_plans());
        hand.answer(asked, plans);
    }
}

fn press_and_answer(hand: &mut ExplorerDriver, keys: &str) {
    hand.press(keys);
    answer_plan_requests(hand);
}

#[test]
fn plan_at_several_sizes() {
    let mut all = String::new();
    for (columns, rows) in [(160, 48), (120, 36), (100, 30), (80, 24), (60, 18), (50, 15)] {
        let mut hand = open_plan_catalogs(columns, rows, &plan_catalogs());
        press_and_answer(&mut hand, "0");
        let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
        press_and_answer(&mut hand, "/ 'ferry' enter enter");
        let _ = write!(all, "== ferry's versions\n{}", hand.screen());
        press_and_answer(&mut hand, "tab v");
        let _ = write!(all, "== the stops, under v1\n{}", hand.screen());
    }
    assert_snapshot!(all);
}

#[test]
fn each_kind_of_problem_has_its_reason() {
    let mut hand = open_plan_catalogs(160, 48, &plan_catalogs());
    press_and_answer(&mut hand, "0");
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
        press_and_answer(&mut hand, &format!("/ '{package}' enter"));
        assert!(hand.shows(told), "{package}\n{}", hand.screen());
        press_and_answer(&mut hand, "esc");
    }
    press_and_answer(&mut hand, "/ 'winch' enter");
    assert!(hand.shows("change of channel"), "{}", hand.screen());
}

#[test]
fn edit_that_adds_an_upgrade_path_is_applied_in_the_blocking_catalog() {
    let mut hand = open_plan_catalogs(120, 36, &plan_catalogs());
    press_and_answer(&mut hand, "0");
    press_and_answer(&mut hand, "/ 'dock' enter enter");
    assert!(
        hand.shows(
            "One edit adds an upgrade path, in the catalog of 4.22: dock.v1.2.0 in stable skips dock.v1.0.0"
        ),
        "{}",
        hand.screen()
    );
    press_and_answer(&mut hand, ".");
    assert!(hand.shows("the edit is one of the catalog of 4.22: enter goes there"), "{}", hand.screen());
    press_and_answer(&mut hand, "enter");
    assert_eq!(
        (hand.model.session.navigation.screen, hand.model.session.catalogs.current_index()),
        (Screen::Packages, 2)
    );
    press_and_answer(&mut hand, "0 .");
    assert!(hand.shows("Add upgrade path"), "{}", hand.screen());
    press_and_answer(&mut hand, "enter");
    answer_plan_requests(&mut hand);
    press_and_answer(&mut hand, "enter enter 0");
    assert!(!hand.shows("entry gone"), "{}", hand.screen());
}

/// Installed operators are marked, also on the Overview screen.
#[test]
fn installed_operators_are_marked() {
    let cluster = super::installed_operators::parse_cluster(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: ferry, namespace: port}\n\
         spec: {name: ferry, channel: stable, source: a, sourceNamespace: b}\n\
         status: {installedCSV: ferry.v1.0.0, currentCSV: ferry.v1.0.0}\n",
    );
    let mut hand = open_with_settings(
        Settings { installed_operators: cluster, ..Settings::default() },
        120,
        36,
        &plan_catalogs(),
    );
    press_and_answer(&mut hand, "0");
    assert!(hand.shows("i ferry"), "{}", hand.screen());
    press_and_answer(&mut hand, "/ 'ferry' enter");
    assert!(hand.shows("1.2.0 +1  INSTALLED in port"), "{}", hand.screen());
    press_and_answer(&mut hand, "esc 0");
    super::package_table::answer_overview_requests(&mut hand);
    assert!(hand.shows("i ferry"), "{}", hand.screen());
}

#[test]
fn single_version_shows_how_to_open_another() {
    let mut hand = open_plan_catalogs(80, 24, &plan_catalogs()[..1]);
    press_and_answer(&mut hand, "0");
    assert!(hand.shows("a plan needs catalogs of two OpenShift versions"), "{}", hand.screen());
}

/// Requests during a pending answer are sent after it.
#[test]
fn plans_are_requested_one_at_a_time() {
    let mut hand = open_plan_catalogs(120, 36, &plan_catalogs());
    hand.press("0");
    assert!(hand.shows("planning"), "{}", hand.screen());
    hand.press("v n w");
    let asked = hand.requests::<PlanRequest>().len();
    assert_eq!(asked, 1);
    answer_plan_requests(&mut hand);
    assert!(hand.shows("4.18 to 4.22, v1, no pinned version"), "{}", hand.screen());
}
