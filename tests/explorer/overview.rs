//! Tests of the Overview screen: packages down, open catalogs across.

use std::{fmt::Write as _, sync::Arc};

use insta::assert_snapshot;
use olmap::tui::{Screen, session::jobs::overview::OverviewRequest};

use super::{
    plan::{open_plan_catalogs, plan_catalogs},
    support::ExplorerDriver,
};

/// Answers overview requests like the worker.
pub fn answer_overview_requests(hand: &mut ExplorerDriver) {
    while let Some(asked) = hand.take_request::<OverviewRequest>() {
        let overview = Arc::new(asked.compute_overview());
        hand.answer(asked, overview);
    }
}

pub fn press_and_answer(hand: &mut ExplorerDriver, keys: &str) {
    hand.press(keys);
    answer_overview_requests(hand);
}

#[test]
fn overview_at_several_sizes() {
    let mut all = String::new();
    for (columns, rows) in [(160, 48), (120, 36), (100, 30), (80, 24), (60, 18), (50, 15)] {
        let mut hand = open_plan_catalogs(columns, rows, &plan_catalogs());
        press_and_answer(&mut hand, "0");
        let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
        press_and_answer(&mut hand, "/ 'crane' enter right right");
        let _ = write!(all, "== crane in 4.22\n{}", hand.screen());
        press_and_answer(&mut hand, "esc S");
        let _ = write!(all, "== by name\n{}", hand.screen());
    }
    assert_snapshot!(all);
}

#[test]
fn each_cell_is_described() {
    let mut hand = open_plan_catalogs(120, 36, &plan_catalogs());
    press_and_answer(&mut hand, "0");
    for (keys, told) in [
        ("/ 'buoy' enter right right", "The catalog 4.22 has no package buoy; 4.20 has it."),
        ("/ 'crane' enter", "The head 2.0.0 is lower than that of 4.20: 2.1.0."),
        ("/ 'tide' enter left left", "1 blocks without an upgrade"),
    ] {
        press_and_answer(&mut hand, keys);
        assert!(hand.shows(told), "{keys}: {told}\n{}", hand.screen());
        press_and_answer(&mut hand, "esc");
    }
}

#[test]
fn enter_opens_the_package_in_that_catalog_and_back_returns() {
    let mut hand = open_plan_catalogs(120, 36, &plan_catalogs());
    press_and_answer(&mut hand, "0");
    press_and_answer(&mut hand, "/ 'dock' enter right right enter");
    assert_eq!(
        (hand.model.session.navigation.screen, hand.model.session.catalogs.current_index()),
        (Screen::Catalog, 2)
    );
    assert_eq!(
        hand.model.session.selection().package.as_ref().map(olm_catalog::PackageName::as_str),
        Some("dock")
    );
    press_and_answer(&mut hand, "0");
    assert_eq!(hand.model.screens.overview.highlighted_catalog(), 2);
    // Enter does nothing if the catalog does not have the package.
    press_and_answer(&mut hand, "esc esc");
    press_and_answer(&mut hand, "0 / 'buoy' enter right right enter");
    assert_eq!(hand.model.session.navigation.screen, Screen::Overview);
}

#[test]
fn overview_of_one_catalog_shows_its_problems() {
    let mut hand = open_plan_catalogs(80, 24, &plan_catalogs()[..1]);
    press_and_answer(&mut hand, "0");
    assert!(hand.shows("Packages 6") && hand.shows("4.18"), "{}", hand.screen());
}

/// The overview is recomputed after an edit.
#[test]
fn edit_updates_the_overview() {
    let mut hand = open_plan_catalogs(120, 36, &plan_catalogs());
    press_and_answer(&mut hand, "0");
    assert!(!hand.model.session.jobs.overview.is_waiting());
    press_and_answer(&mut hand, "/ 'ferry' enter enter");
    assert_eq!(hand.model.session.navigation.screen, Screen::Catalog);
    let before = hand.model.session.jobs.overview.overview().map(|(_, sorted)| Arc::clone(sorted));
    // The newest version is removed.
    press_and_answer(&mut hand, "tab tab x enter enter 0");
    let after = hand.model.session.jobs.overview.overview().map(|(_, sorted)| Arc::clone(sorted));
    assert_ne!(before, after, "{}", hand.screen());
}
