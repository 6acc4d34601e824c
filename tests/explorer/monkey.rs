//! Property tests with random user actions at random sizes: nothing panics, and nothing is written
//! without a request.

use olmap::app::{Effect, Settings};
use proptest::prelude::*;

use super::{
    deeds::{Among, BYTES, deeds, lean, selection_is_there},
    on_cluster,
    support::Hand,
    wild,
};

/// Generates the bytes of up to `most` actions.
fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<[u8; BYTES]>(), 1..most).prop_map(|deeds| deeds.concat())
}

/// Returns the factor for the number of cases.
fn times() -> u32 {
    std::env::var("OLMAP_MONKEY").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

#[test]
fn every_screen_fits_every_small_terminal() {
    for screen in ["1", "2", "2 tab", "2 m j tab", "2 z", "2 w", "3", "3 enter", "4", "5", "6"] {
        let mut hand = Hand::demo(100, 30);
        hand.press(screen);
        for rows in 1..18 {
            for columns in [1, 2, 5, 19, 20, 21, 33, 40, 47, 64] {
                hand.resize(columns, rows);
            }
        }
    }
}

proptest! {
    // `OLMAP_MONKEY=10` runs ten times as many cases.
    #![proptest_config(ProptestConfig { cases: 96 * times(), ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(bytes in bytes(50)) {
        let mut hand = Hand::demo(100, 30);
        lean(&mut hand, &deeds(&bytes, Among::Everything));
        selection_is_there(&hand);
    }

    #[test]
    fn nothing_panics_beside_a_cluster(bytes in bytes(50)) {
        let mut hand = on_cluster::demo(100, 30);
        lean(&mut hand, &deeds(&bytes, Among::Everything));
        selection_is_there(&hand);
    }

    #[test]
    fn nothing_panics_whatever_is_open(yaml in wild::catalog(), size in (1u16..160, 1u16..60), bytes in bytes(40)) {
        let mut hand = Hand::text(&yaml, size.0, size.1);
        lean(&mut hand, &deeds(&bytes, Among::Everything));
        selection_is_there(&hand);
    }

    #[test]
    fn read_only_writes_nothing(bytes in bytes(50)) {
        let mut hand = Hand::demo(80, 24);
        hand.model.settings = Settings { read_only: Some("a test".to_owned()), ..Settings::default() };
        let before = hand.model.session.snapshot().unwrap().clone();
        lean(&mut hand, &deeds(&bytes, Among::WhatHandsDo));
        // Exporting the graph is not an edit.
        let writes = hand.effects.iter().any(|e| matches!(e, Effect::Save { .. } | Effect::SaveAs { .. }));
        prop_assert!(!writes);
        // A what-if is not saved, so only the edit history counts.
        let now = hand.model.session.catalog().unwrap().history.now();
        prop_assert!(now.catalog.files_changed_since(&before.catalog).is_empty());
    }
}
