//! Tests of removed items and of marks for unsaved edits. A removed item keeps a struck-out row
//! that shows its old edges and current upgrades. Unsaved edits are marked even if nothing is
//! compared.

use std::fmt::Write as _;

use insta::assert_snapshot;
use olmap::tui::{Settings, Theme, parts::list::ListId};
use ratatui::style::Modifier;

use super::{
    base_comparison::{
        answer_comparison_effects, choose_base, open_both_with, open_compared, selected_names,
    },
    support::ExplorerDriver,
};

const SHIP_CHANNELS: &str = "\
---
schema: olm.package
name: ship
defaultChannel: stable
---
schema: olm.channel
package: ship
name: stable
entries:
- name: ship.v1.0.0
- name: ship.v1.1.0
  replaces: ship.v1.0.0
- name: ship.v1.2.0
  replaces: ship.v1.1.0
  skips:
  - ship.v1.0.0
- name: ship.v1.3.0
  replaces: ship.v1.2.0
---
schema: olm.channel
package: ship
name: tested
entries:
- name: ship.v1.2.0
- name: ship.v1.0.0
";

fn open_ship(columns: u16, rows: u16) -> ExplorerDriver {
    let bundle = |version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: registry.example/ship:{version}\n\
             properties:\n- type: olm.package\n  value:\n    packageName: ship\n    version: {version}\n"
        )
    };
    let bundles: String = ["1.0.0", "1.1.0", "1.2.0", "1.3.0"].map(bundle).concat();
    ExplorerDriver::open_yaml(&format!("{SHIP_CHANNELS}{bundles}"), columns, rows)
}

/// Returns the struck-out text of each row.
fn struck_texts(hand: &ExplorerDriver) -> Vec<String> {
    let buffer = hand.frame();
    let rows = (0..buffer.area.height).map(|y| {
        let cells = (0..buffer.area.width).filter_map(|x| buffer.cell((x, y)));
        let struck = cells.filter(|cell| cell.modifier.contains(Modifier::CROSSED_OUT));
        struck.map(ratatui::buffer::Cell::symbol).collect::<String>()
    });
    rows.filter(|row| !row.is_empty()).collect()
}

/// Removes the second entry and repairs the edges to it.
fn remove_second_entry(hand: &mut ExplorerDriver) {
    hand.press("l l g j j x");
    assert!(hand.shows("Remove ship.v1.1.0"), "{}", hand.screen());
    hand.press("g enter");
    if !hand.model.dialogs.is_empty() {
        hand.press("enter");
    }
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1, "{}", hand.screen());
}

#[test]
fn removed_entry_keeps_a_row_with_its_upgrades() {
    let mut hand = open_compared(120, 36);
    hand.press("j l l 2 j j");
    assert_eq!(selected_names(&hand), "ship stable ship.v1.1.0");
    assert_eq!(struck_texts(&hand), ["1.1.0"]);
    assert!(hand.shows("- 1.1.0    gone: only in old  replaced 1.0.0"), "{}", hand.screen());
    assert!(hand.shows("ship.v1.1.0 is gone: only in old; it replaced 1.0.0"), "{}", hand.screen());
    assert!(hand.shows("Classic  stays"), "{}", hand.screen());
    // The removed entry itself cannot be edited.
    for key in ["e", "p", "x"] {
        hand.press(key);
        assert!(hand.model.dialogs.is_empty(), "{key}: {}", hand.screen());
        assert!(hand.shows("ship.v1.1.0 was removed: it is not in this catalog"), "{key}: {}", hand.screen());
    }
    // It can be selected from both sides.
    hand.press("j");
    assert_eq!(selected_names(&hand), "ship stable ship.v1.0.0");
    hand.press("k k");
    assert_eq!(selected_names(&hand), "ship stable ship.v1.2.0");
    // Without a comparison there are no removed entries.
    hand.press("j");
    choose_base(&mut hand, "nothing");
    assert!(struck_texts(&hand).is_empty() && !selected_names(&hand).contains("1.1.0"), "{}", hand.screen());
}

#[test]
fn removed_versions_have_rows_on_the_upgrades_screen() {
    let mut hand = open_compared(120, 36);
    hand.press("j l l 3 j j");
    assert_eq!(selected_names(&hand), "ship stable ship.v1.1.0");
    assert_eq!(struck_texts(&hand), ["1.1.0"]);
    assert!(hand.shows("- gone: only in old  ≠ was 1.2.0"), "{}", hand.screen());
    assert!(hand.shows("Why, with 1.1.0 installed"), "{}", hand.screen());
    hand.press("/ '1.1' enter");
    assert_eq!(hand.model.row_count(ListId::Upgrades), 1);
}

#[test]
fn removed_packages_and_channels_are_shown_and_skipped() {
    let mut hand = open_compared(120, 36);
    assert!(hand.shows("- boat  gone") && hand.shows("Packages 3 (-1)"), "{}", hand.screen());
    assert_eq!(selected_names(&hand), "raft alpha raft.v0.2.0");
    hand.press("k g");
    assert_eq!(selected_names(&hand), "raft alpha raft.v0.2.0");
    let mut hand = open_ship(120, 36);
    hand.press("l j x enter enter");
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1, "{}", hand.screen());
    assert!(hand.shows("- tested  gone") && hand.shows("Channels 1 (-1)"), "{}", hand.screen());
    hand.press("G");
    assert!(selected_names(&hand).starts_with("ship stable"), "{}", selected_names(&hand));
}

#[test]
fn unsaved_edits_are_marked_in_place() {
    let mut hand = open_ship(120, 36);
    assert!(hand.model.session.mark_comparison().is_none(), "nothing is worked out while nothing is edited");
    remove_second_entry(&mut hand);
    assert_eq!(struck_texts(&hand), ["1.1.0"]);
    assert!(hand.shows("- ") && hand.shows("gone: unsaved edit  replaced 1.0.0"), "{}", hand.screen());
    hand.press("2");
    assert!(hand.shows("~ 1.2.0"), "{}", hand.screen());
    assert!(hand.shows("unsaved edits: ") && hand.shows(", 1 gone"), "{}", hand.screen());
    hand.press("i");
    assert!(hand.shows("compared with what was loaded"), "{}", hand.screen());
    hand.press("esc 3");
    assert_eq!(struck_texts(&hand), ["1.1.0"], "{}", hand.screen());
    // Undone or saved edits are not marked.
    hand.press("2 u");
    assert!(
        hand.model.session.mark_comparison().is_none() && struck_texts(&hand).is_empty(),
        "{}",
        hand.screen()
    );
    hand.press("ctrl-r");
    assert_eq!(struck_texts(&hand), ["1.1.0"]);
    hand.finish_saving();
    assert!(
        hand.model.session.mark_comparison().is_none() && struck_texts(&hand).is_empty(),
        "{}",
        hand.screen()
    );
    assert!(hand.model.list_cursor(ListId::Graph).is_some(), "{}", hand.screen());
}

#[test]
fn bundle_removed_from_the_channel_can_be_promoted_again() {
    let mut hand = open_ship(120, 36);
    hand.press("l l g j j x j enter enter");
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1, "{}", hand.screen());
    hand.press("2 g j j");
    assert_eq!(selected_names(&hand), "ship stable ship.v1.1.0");
    hand.press("e");
    assert!(hand.shows("ship.v1.1.0 was removed: it is not an entry of stable"), "{}", hand.screen());
    hand.press("p");
    assert!(hand.shows("Release ship.v1.1.0"), "{}", hand.screen());
}

#[test]
fn removed_items_at_three_sizes() {
    for (name, keys) in [("all_channels", "j l l 2 w j j"), ("zoom", "j l l 2 j z"), ("legend", "j l l 2 i")]
    {
        let mut all = String::new();
        for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
            let mut hand = open_compared(columns, rows);
            hand.press(keys);
            answer_comparison_effects(&mut hand);
            let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
        }
        let mut hand = open_both_with(80, 24, Settings { ascii: true, ..Settings::default() });
        choose_base(&mut hand, "old");
        hand.press(keys);
        assert!(hand.screen().is_ascii(), "{}", hand.screen());
        let _ = write!(all, "== ascii\n{}", hand.screen());
        assert_snapshot!(name, all);
    }
    let mut all = String::new();
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        for keys in ["2", "3"] {
            let mut hand = open_ship(columns, rows);
            remove_second_entry(&mut hand);
            hand.press(keys).press("g j j");
            let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
        }
    }
    assert_snapshot!("unsaved", all);
    assert!(Theme::mono().style(olmap::tui::Ink::Gone).add_modifier.contains(Modifier::CROSSED_OUT));
}
