//! Tests of the Overview screen: packages down, open catalogs across.

use std::{fmt::Write as _, sync::Arc};

use insta::assert_snapshot;
use olmap::app::{Effect, Msg, Screen};

use super::{
    plan::{catalogs, open},
    support::Hand,
};

/// Answers overview requests like the worker.
pub fn overlook(hand: &mut Hand) {
    while let Some(at) = hand.effects.iter().position(|effect| matches!(effect, Effect::Overlook(_))) {
        let Effect::Overlook(asked) = hand.effects.remove(at) else { unreachable!() };
        let overview = Arc::new(asked.overview());
        hand.send(Msg::Overlooked { asked, overview });
    }
}

pub fn press(hand: &mut Hand, keys: &str) {
    hand.press(keys);
    overlook(hand);
}

#[test]
fn overview_at_several_sizes() {
    let mut all = String::new();
    for (columns, rows) in [(160, 48), (120, 36), (100, 30), (80, 24), (60, 18), (50, 15)] {
        let mut hand = open(columns, rows, &catalogs());
        press(&mut hand, "0");
        let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
        press(&mut hand, "/ 'crane' enter right right");
        let _ = write!(all, "== crane in 4.22\n{}", hand.screen());
        press(&mut hand, "esc S");
        let _ = write!(all, "== by name\n{}", hand.screen());
    }
    assert_snapshot!(all);
}

#[test]
fn each_cell_is_described() {
    let mut hand = open(120, 36, &catalogs());
    press(&mut hand, "0");
    for (keys, told) in [
        ("/ 'buoy' enter right right", "The catalog 4.22 has no package buoy; 4.20 has it."),
        ("/ 'crane' enter", "The head 2.0.0 is lower than that of 4.20: 2.1.0."),
        ("/ 'tide' enter left left", "1 blocks without an upgrade"),
    ] {
        press(&mut hand, keys);
        assert!(hand.shows(told), "{keys}: {told}\n{}", hand.screen());
        press(&mut hand, "esc");
    }
}

#[test]
fn enter_opens_the_package_in_that_catalog_and_back_returns() {
    let mut hand = open(120, 36, &catalogs());
    press(&mut hand, "0");
    press(&mut hand, "/ 'dock' enter right right enter");
    assert_eq!((hand.model.session.screen, hand.model.session.current), (Screen::Catalog, 2));
    assert_eq!(
        hand.model.session.selection().package.as_ref().map(olmap::catalog::PackageName::as_str),
        Some("dock")
    );
    press(&mut hand, "0");
    assert_eq!(hand.model.screens.overview.catalog(), 2);
    // Enter does nothing if the catalog does not have the package.
    press(&mut hand, "esc esc");
    press(&mut hand, "0 / 'buoy' enter right right enter");
    assert_eq!(hand.model.session.screen, Screen::Overview);
}

#[test]
fn overview_of_one_catalog_shows_its_problems() {
    let mut hand = open(80, 24, &catalogs()[..1]);
    press(&mut hand, "0");
    assert!(hand.shows("Packages 6") && hand.shows("4.18"), "{}", hand.screen());
}

/// The overview is recomputed after an edit.
#[test]
fn edit_updates_the_overview() {
    let mut hand = open(120, 36, &catalogs());
    press(&mut hand, "0");
    assert!(!hand.model.session.overlooking.is_waiting());
    press(&mut hand, "/ 'ferry' enter enter");
    assert_eq!(hand.model.session.screen, Screen::Catalog);
    let before = hand.model.session.overlooking.overview().map(|(_, sorted)| Arc::clone(sorted));
    // The newest version is removed.
    press(&mut hand, "tab tab x enter enter 0");
    let after = hand.model.session.overlooking.overview().map(|(_, sorted)| Arc::clone(sorted));
    assert_ne!(before, after, "{}", hand.screen());
}
