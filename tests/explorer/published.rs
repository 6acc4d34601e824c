//! Snapshots of the Graph and Upgrades screens with catalogs shaped like published ones, at common
//! sizes.

use insta::assert_snapshot;

use super::{shapes, support::ExplorerDriver};

const SIZES: [(u16, u16); 4] = [(160, 48), (120, 36), (80, 24), (50, 15)];

/// Takes snapshots after a key script at all sizes.
fn snapshot_at_sizes(name: &str, yaml: &str, script: &str) {
    for (columns, rows) in SIZES {
        let mut hand = ExplorerDriver::open_yaml(yaml, columns, rows);
        hand.press(script);
        // The hint bar has its own tests and changes with every action.
        let screen = hand.screen();
        let above = screen.trim_end().rsplit_once('\n').map_or("", |(above, _)| above);
        assert_snapshot!(format!("{name}_{columns}x{rows}"), above);
    }
}

#[test]
fn screens_with_long_chain() {
    snapshot_at_sizes("upgrades_long_chain", &shapes::long_chain(), "3 G");
    snapshot_at_sizes("graph_long_chain", &shapes::long_chain(), "2 G k k");
    snapshot_at_sizes("graph_long_chain_folded", &shapes::long_chain(), "2 F G");
}

#[test]
fn screens_with_many_skips() {
    snapshot_at_sizes("upgrades_many_skips", &shapes::many_skips(), "3 j j");
    snapshot_at_sizes("graph_many_skips", &shapes::many_skips(), "2 j j");
}

#[test]
fn screens_with_wide_ranges() {
    snapshot_at_sizes("upgrades_wide_ranges", &shapes::wide_ranges(), "3 j j j j j j enter");
    snapshot_at_sizes("graph_wide_ranges", &shapes::wide_ranges(), "2 j j j j j j");
}

#[test]
fn screens_with_dead_ends() {
    snapshot_at_sizes("upgrades_dead_ends", &shapes::dead_ends(), "3 S S");
    snapshot_at_sizes("graph_dead_ends", &shapes::dead_ends(), "2 }");
    snapshot_at_sizes("graph_dead_ends_path", &shapes::dead_ends(), "2 } m g");
}

#[test]
fn screens_with_downgrades() {
    snapshot_at_sizes("upgrades_going_down", &shapes::with_withdrawn_release(), "3 D G");
    snapshot_at_sizes("graph_going_down", &shapes::with_withdrawn_release(), "2 G");
}

#[test]
fn screens_with_many_channels() {
    snapshot_at_sizes("upgrades_many_channels", &shapes::many_channels(), "3 j");
    snapshot_at_sizes("graph_many_channels", &shapes::many_channels(), "2 j j j");
}

#[test]
fn screens_with_five_hundred_entries() {
    snapshot_at_sizes("upgrades_five_hundred", &shapes::five_hundred(), "3 / '6.4.0' enter");
    snapshot_at_sizes("graph_five_hundred", &shapes::five_hundred(), "2 / '6.4.0' enter esc");
    snapshot_at_sizes("graph_five_hundred_folded", &shapes::five_hundred(), "2 F j j j f");
}
