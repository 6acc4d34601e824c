//! Property tests with random user actions at random sizes: nothing panics, and nothing is written
//! without a request.

use olmap::tui::{Effect, Settings};
use proptest::prelude::*;

use super::{
    deeds::{ACTION_BYTES, ActionKinds, assert_selection_exists, decode_actions, run_actions},
    installed_operators,
    support::ExplorerDriver,
    wild,
};

/// Generates the bytes of up to `most` actions.
fn action_bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<[u8; ACTION_BYTES]>(), 1..most).prop_map(|deeds| deeds.concat())
}

/// Returns the factor for the number of cases.
fn case_factor() -> u32 {
    std::env::var("OLMAP_MONKEY").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

#[test]
fn every_screen_fits_every_small_terminal() {
    for screen in ["1", "2", "2 tab", "2 m j tab", "2 z", "2 w", "3", "3 enter", "4", "5", "6"] {
        let mut hand = ExplorerDriver::demo(100, 30);
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
    #![proptest_config(ProptestConfig { cases: 40 * case_factor(), ..ProptestConfig::default() })]

    #[test]
    fn random_actions_never_panic(bytes in action_bytes(50)) {
        let mut hand = ExplorerDriver::demo(100, 30);
        run_actions(&mut hand, decode_actions(&bytes, ActionKinds::All));
        assert_selection_exists(&hand);
    }

    #[test]
    fn random_actions_with_a_cluster_never_panic(bytes in action_bytes(50)) {
        let mut hand = installed_operators::open_demo_with_cluster(100, 30);
        run_actions(&mut hand, decode_actions(&bytes, ActionKinds::All));
        assert_selection_exists(&hand);
    }

    #[test]
    fn random_actions_on_any_catalog_never_panic(yaml in wild::any_catalog(), size in (1u16..160, 1u16..60), bytes in action_bytes(40)) {
        let mut hand = ExplorerDriver::open_yaml(&yaml, size.0, size.1);
        run_actions(&mut hand, decode_actions(&bytes, ActionKinds::All));
        assert_selection_exists(&hand);
    }

    #[test]
    fn read_only_writes_nothing(bytes in action_bytes(50)) {
        let mut hand = ExplorerDriver::demo(80, 24);
        hand.model.settings = Settings { read_only: Some("a test".to_owned()), ..Settings::default() };
        let before = hand.model.session.snapshot().unwrap().clone();
        run_actions(&mut hand, decode_actions(&bytes, ActionKinds::InputOnly));
        // Exporting the graph is not an edit.
        let writes = hand.effects.iter().any(|e| matches!(e, Effect::Save { .. } | Effect::SaveAs { .. }));
        prop_assert!(!writes);
        // A what-if is not saved, so only the edit history counts.
        let now = hand.model.session.current_catalog().unwrap().history.now();
        prop_assert!(now.catalog.files_changed_since(&before.catalog).is_empty());
    }
}
