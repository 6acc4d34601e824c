//! Tests of the tour: it advances with the actions of the user and does not block other
//! keys.

use std::sync::Arc;

use insta::assert_snapshot;
use olm_check::review::Snapshot;
use olmap::demo::demo;
use olmap::tui::{Settings, Source};

use super::support::ExplorerDriver;

fn open_with_tour(columns: u16, rows: u16) -> ExplorerDriver {
    let settings = Settings { tour: true, ..Settings::default() };
    let mut hand = ExplorerDriver::before_loading(vec![Source::Demo], settings, columns, rows);
    hand.finish_loading(Source::Demo, Ok(Arc::new(Snapshot::new(demo()))));
    hand
}

#[test]
fn each_step_completes_when_its_action_is_done() {
    let mut hand = open_with_tour(120, 36);
    assert!(hand.shows("Tour 1 of 5"), "{}", hand.screen());
    hand.press("ctrl-p 'gran'");
    assert!(hand.shows("Tour 1 of 5"), "typing is not finding");
    hand.press("enter");
    assert!(hand.shows("Tour 2 of 5"), "{}", hand.screen());
    hand.press("2");
    let mut rows = 0;
    while !hand.shows("Tour 3 of 5") {
        rows += 1;
        assert!(rows < 20, "the dead end is below: {}", hand.screen());
        hand.press("j");
    }
    hand.press("3 enter");
    assert!(hand.shows("Tour 4 of 5"), "{}", hand.screen());
    hand.press("4 / 'dead-end' enter .");
    let mut keys = 0;
    while hand.model.session.catalogs.unsaved_count() == 0 {
        keys += 1;
        assert!(keys < 5, "{}", hand.screen());
        hand.press("enter");
    }
    assert!(hand.shows("Tour 5 of 5") && !hand.model.tour_is_over(), "{}", hand.screen());
    hand.press("6");
    assert!(hand.shows("Tour: done"), "{}", hand.screen());
    assert!(hand.model.tour_is_over());
    hand.press("I h");
    assert!(!hand.shows("Tour"), "{}", hand.screen());
    hand.press("u I h");
    assert!(hand.shows("Tour"), "it can be seen again");
}

/// The result decides whether the tour starts automatically the next time.
#[test]
fn tour_is_over_after_the_user_ends_it() {
    let mut hand = open_with_tour(100, 30);
    assert!(!hand.model.tour_is_over());
    hand.press("I h");
    assert!(hand.model.tour_is_over());
    hand.press("I h");
    assert!(!hand.model.tour_is_over(), "somebody wants to see it again");
    let mut other = ExplorerDriver::demo(100, 30);
    other.press("H H");
    assert!(!other.model.tour_is_over(), "it did not begin by itself");
}

/// The tour starts after the catalog is loaded.
#[test]
fn tour_starts_when_the_demo_is_loaded() {
    let settings = Settings { tour: true, ..Settings::default() };
    let mut hand = ExplorerDriver::before_loading(vec![Source::Demo], settings, 100, 30);
    hand.resize(100, 30);
    assert!(!hand.shows("Tour"), "{}", hand.screen());
    assert_eq!(hand.model.frame.tour_rows, 0);
    hand.finish_loading(Source::Demo, Ok(Arc::new(Snapshot::new(demo()))));
    assert!(hand.shows("Tour 1 of 5"), "{}", hand.screen());
}

#[test]
fn tour_fits_every_size() {
    for (columns, rows) in [(160, 48), (120, 36), (80, 24), (50, 15)] {
        assert_snapshot!(format!("tour_{columns}x{rows}"), open_with_tour(columns, rows).screen());
    }
    for rows in [1, 2, 9, 10, 14, 15, 19, 20, 33] {
        for columns in [1, 40, 60, 100] {
            open_with_tour(columns, rows).press("2 z 3 4 5 6");
        }
    }
}

/// The last words of every step are visible at every width.
#[test]
fn no_step_is_cut() {
    for columns in [60, 66, 80, 81, 99, 120, 160] {
        let mut hand = open_with_tour(columns, 30);
        for last in
            ["and findings.", "newest one.", "or not.", "upgrade path.", "confirm it there.", "olmap PATH."]
        {
            assert!(hand.shows(last.split(' ').next_back().unwrap()), "{columns}: {last}\n{}", hand.screen());
            let tour = hand.model.tour.as_mut().unwrap();
            tour.done += 1;
            hand.resize(columns, 30);
        }
    }
}

#[test]
fn tour_starts_on_request_in_any_catalog() {
    let mut hand = ExplorerDriver::demo(100, 30);
    assert!(!hand.shows("Tour"));
    hand.press("I h");
    assert!(hand.shows("Tour 1 of 5"));
    let mut hand = ExplorerDriver::open_yaml("", 100, 30);
    hand.press("I h");
    assert!(hand.shows("the tour needs a catalog with a package"), "{}", hand.screen());
}

/// In the user's catalog the tour is about the package with most stuck versions, and changes nothing.
#[test]
fn tour_of_an_own_catalog_uses_its_most_stuck_package() {
    let yaml = std::fs::read_to_string("demo/catalog/granary-operator/catalog.yaml").unwrap();
    let mut hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
    hand.press("I h");
    assert!(hand.shows("Tour 1 of 4"), "its only package is selected: {}", hand.screen());
    assert!(hand.shows("to a row that says STUCK"), "{}", hand.screen());
    hand.press("2");
    let mut rows = 0;
    while !hand.shows("Tour 2 of 4") {
        rows += 1;
        assert!(rows < 20, "a stuck row is below: {}", hand.screen());
        hand.press("j");
    }
    hand.press("3 enter");
    assert!(hand.shows("Tour 3 of 4"), "{}", hand.screen());
    hand.press("4");
    assert!(hand.shows("Tour 4 of 4"), "{}", hand.screen());
    hand.press("6");
    assert!(hand.shows("Tour: done"), "{}", hand.screen());
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0);
}
