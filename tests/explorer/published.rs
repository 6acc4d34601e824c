//! Snapshots of the Graph and Upgrades screens with catalogs shaped like published ones, at common
//! sizes.

use insta::assert_snapshot;

use super::{shapes, support::Hand};

const SIZES: [(u16, u16); 4] = [(160, 48), (120, 36), (80, 24), (50, 15)];

/// Takes snapshots after a key script at all sizes.
fn look(name: &str, yaml: &str, script: &str) {
    for (columns, rows) in SIZES {
        let mut hand = Hand::text(yaml, columns, rows);
        hand.press(script);
        // The hint bar has its own tests and changes with every action.
        let screen = hand.screen();
        let above = screen.trim_end().rsplit_once('\n').map_or("", |(above, _)| above);
        assert_snapshot!(format!("{name}_{columns}x{rows}"), above);
    }
}

#[test]
fn screens_with_long_chain() {
    look("upgrades_long_chain", &shapes::long_chain(), "3 G");
    look("graph_long_chain", &shapes::long_chain(), "2 G k k");
    look("graph_long_chain_folded", &shapes::long_chain(), "2 F G");
}

#[test]
fn screens_with_many_skips() {
    look("upgrades_many_skips", &shapes::many_skips(), "3 j j");
    look("graph_many_skips", &shapes::many_skips(), "2 j j");
}

#[test]
fn screens_with_wide_ranges() {
    look("upgrades_wide_ranges", &shapes::wide_ranges(), "3 j j j j j j enter");
    look("graph_wide_ranges", &shapes::wide_ranges(), "2 j j j j j j");
}

#[test]
fn screens_with_dead_ends() {
    look("upgrades_dead_ends", &shapes::dead_ends(), "3 S S");
    look("graph_dead_ends", &shapes::dead_ends(), "2 }");
    look("graph_dead_ends_path", &shapes::dead_ends(), "2 } m g");
}

#[test]
fn screens_with_downgrades() {
    look("upgrades_going_down", &shapes::going_down(), "3 D G");
    look("graph_going_down", &shapes::going_down(), "2 G");
}

#[test]
fn screens_with_many_channels() {
    look("upgrades_many_channels", &shapes::many_channels(), "3 j");
    look("graph_many_channels", &shapes::many_channels(), "2 j j j");
}

#[test]
fn screens_with_five_hundred_entries() {
    look("upgrades_five_hundred", &shapes::five_hundred(), "3 / '6.4.0' enter");
    look("graph_five_hundred", &shapes::five_hundred(), "2 / '6.4.0' enter esc");
    look("graph_five_hundred_folded", &shapes::five_hundred(), "2 F j j j f");
}
