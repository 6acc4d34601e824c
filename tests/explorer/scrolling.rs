//! Tests of scrolling: finding details, previews, help over a dialog, and text that does not fit.

use std::fmt::Write as _;

use olmap::tui::{keys::Screen, parts::list::ListId};

use super::support::ExplorerDriver;

/// Returns a catalog with a chain of entries.
fn chain_catalog(entries: usize) -> String {
    let mut yaml = "schema: olm.package\nname: ship\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ship\nname: stable\nentries:\n".to_owned();
    for n in (0..entries).rev() {
        let _ = writeln!(yaml, "- name: ship.v1.{n}.0");
        if n > 0 {
            let _ = writeln!(yaml, "  replaces: ship.v1.{}.0", n - 1);
        }
    }
    for n in 0..entries {
        let _ = write!(
            yaml,
            "---\n{{schema: olm.bundle, package: ship, name: ship.v1.{n}.0, image: 'example.com/ship:{n}', properties: [{{type: olm.package, value: {{packageName: ship, version: 1.{n}.0}}}}]}}\n"
        );
    }
    yaml
}

/// Keys that open the form of the head and enter a range that matches all entries.
const RANGE_KEYS: &str = "l l g e tab tab '>=1.0.0' space '<1.19.0'";

#[test]
fn finding_details_scroll_with_a_hint() {
    for (columns, rows) in [(80, 24), (50, 15), (40, 14)] {
        let mut hand = ExplorerDriver::demo(columns, rows);
        hand.press("4");
        let found = (0..40).any(|_| {
            hand.shows(" scrolls: ") || {
                hand.press("j");
                false
            }
        });
        assert!(found, "{columns}x{rows}: {}", hand.screen());
        let row = hand.model.list_cursor(ListId::Problems);
        hand.press("tab");
        assert_eq!(hand.model.focused_list(), ListId::Finding);
        assert!(!hand.shows(" scrolls: "), "{}", hand.screen());
        let before = hand.screen();
        hand.press("G");
        assert_ne!(hand.screen(), before, "the last line is shown");
        assert_eq!(hand.model.list_cursor(ListId::Problems), row, "the finding stays selected");
        // Escape returns to the list, and the details of another finding start at the top.
        hand.press("esc");
        assert_eq!(hand.model.session.navigation.screen, Screen::Problems);
        assert_eq!(hand.model.focused_list(), ListId::Problems);
        hand.press("k").press("j");
        assert_eq!(hand.model.session.lists.first_row(ListId::Finding), 0);
    }
}

#[test]
fn preview_scrolls_in_the_dialog() {
    let mut hand = ExplorerDriver::open_yaml(&chain_catalog(20), 50, 15);
    hand.press(RANGE_KEYS);
    assert!(hand.shows("pgdn scrolls: "), "{}", hand.screen());
    assert!(!hand.shows("1.15.0 1.16.0 1.17.0"), "{}", hand.screen());
    for _ in 0..9 {
        hand.press("pgdn");
    }
    assert!(hand.shows("1.15.0 1.16.0 1.17.0"), "{}", hand.screen());
    assert!(!hand.shows(" scrolls: "), "{}", hand.screen());
    hand.press("pgup pgup pgup pgup pgup pgup pgup pgup pgup");
    assert_eq!(hand.model.session.lists.first_row(ListId::Preview), 0);
    // A changed text starts at the top.
    hand.press("pgdn backspace");
    assert_eq!(hand.model.session.lists.first_row(ListId::Preview), 0);
}

#[test]
fn versions_with_the_same_successor_share_a_row_of_the_preview() {
    let mut hand = ExplorerDriver::open_yaml(&chain_catalog(20), 120, 36);
    hand.press(RANGE_KEYS);
    let rows = hand.screen().matches("=> 1.19.0").count();
    assert_eq!(rows, 2, "one for each OLM:\n{}", hand.screen());
}

#[test]
fn help_over_a_dialog_does_not_scroll_its_list() {
    let channels = (0..40).fold(chain_catalog(2), |mut yaml, n| {
        let _ = write!(
            yaml,
            "---\n{{schema: olm.channel, package: ship, name: c{n}, entries: [{{name: ship.v1.0.0}}]}}\n"
        );
        yaml
    });
    let mut hand = ExplorerDriver::open_yaml(&channels, 120, 36);
    hand.press("h h l l g p").press(&"j ".repeat(30));
    let list = ListId::Dialog(0);
    let (first, cursor) = (hand.model.session.lists.first_row(list), hand.model.list_cursor(list));
    assert!(first > 0 && cursor.is_some_and(|row| row > 20), "{first} {cursor:?}\n{}", hand.screen());
    hand.press("?").press(&"down ".repeat(5));
    assert_eq!((hand.model.session.lists.first_row(list), hand.model.list_cursor(list)), (first, cursor));
    assert_eq!(hand.model.list_cursor(ListId::Dialog(1)), Some(5));
    // The visible part of the dialog below does not change.
    hand.press("esc");
    assert_eq!((hand.model.session.lists.first_row(list), hand.model.list_cursor(list)), (first, cursor));
}

/// All marks of the graph are listed, even at the smallest size.
/// Returns the legend of a graph at a size, scrolled to its end.
fn read_legend(hand: &mut ExplorerDriver) -> String {
    hand.press("i");
    let mut seen = hand.screen();
    for _ in 0..12 {
        hand.press("pgdn");
        seen.push_str(&hand.screen());
    }
    assert!(!hand.shows("all keys here"), "any key closes it: there is no help of it");
    hand.press("j");
    assert!(hand.model.dialogs.is_empty());
    seen
}

/// The legend explains only what is on screen.
#[test]
fn legend_scrolls_to_its_end_and_explains_what_is_on_screen() {
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = ExplorerDriver::demo(columns, rows);
        hand.press("/ 'gran' enter l l 2");
        let legend = read_legend(&mut hand);
        for words in ["skipped", "never upgrades", "replaces the next row", "the selected bundle"] {
            assert!(legend.contains(words), "{columns}x{rows} {words}: {legend}");
        }
        assert!(!legend.contains("the mark: start of"), "{columns}x{rows}: {legend}");
        let mut hand = ExplorerDriver::open_yaml(&chain_catalog(60), columns, rows);
        hand.press("2 j m k");
        let legend = read_legend(&mut hand);
        for words in ["the mark: start of", "the head", "In the overview"] {
            assert!(legend.contains(words), "{columns}x{rows} {words}: {legend}");
        }
        assert!(!legend.contains("never upgrades"), "{columns}x{rows}: {legend}");
    }
}

/// The key hints at the end of a message stay visible.
#[test]
fn long_message_keeps_its_end() {
    let mut hand = ExplorerDriver::open_yaml(&chain_catalog(20), 50, 15);
    hand.press(RANGE_KEYS).press("enter");
    let last = hand.screen().lines().last().unwrap_or_default().to_owned();
    assert!(last.contains("ship.v1.19.0") && last.contains('\u{2026}'), "{last}");
    assert!(last.ends_with("(u undo, ctrl-s review)"), "{last}");
}

#[test]
fn only_the_last_entry_of_the_walk_is_the_first_of_the_channel() {
    let mut yaml = chain_catalog(3);
    yaml = yaml
        .replace("- name: ship.v1.0.0\n", "- name: ship.v1.0.0\n- name: ship.v0.9.0\n- name: ship.v0.8.0\n");
    let mut hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
    hand.press("l l");
    let count = |words: &str| hand.screen().matches(words).count();
    assert_eq!((count("first of the channel"), count("no edges")), (1, 2), "{}", hand.screen());
}

/// Without brackets the count would look like part of the tab number.
#[test]
fn counts_on_narrow_tabs_are_in_brackets() {
    let hand = ExplorerDriver::demo(50, 15);
    let tabs = hand.screen().lines().nth(1).unwrap_or_default().to_owned();
    assert!(tabs.contains("4(9)") || tabs.contains("4("), "{tabs}");
}

/// The key that closes a dialog is visible at every size.
#[test]
fn key_hints_of_dialogs_are_complete() {
    let mut hand = ExplorerDriver::demo(50, 15);
    hand.press("/ 'tide' enter l l p j");
    assert!(hand.shows("esc cancel"), "{}", hand.screen());
    hand.press("esc e");
    assert!(hand.shows("esc cancel"), "{}", hand.screen());
    assert!(hand.shows("enter apply"), "{}", hand.screen());
}

/// The name of a bundle can differ from that of its package.
#[test]
fn missing_bundle_is_labeled_with_the_version_in_its_name() {
    let yaml = "schema: olm.package\nname: ship\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ship\n\
                name: stable\nentries:\n- name: ship-operator.v1.1.0\n  replaces: ship-operator.v1.0.5\n";
    let mut hand = ExplorerDriver::open_yaml(yaml, 120, 36);
    hand.press("l l");
    assert!(hand.shows("replaces 1.0.5 (not here)"), "{}", hand.screen());
    assert!(!hand.shows("operator.v1.0.5"), "{}", hand.screen());
}

/// A column is shown if there is room for it.
#[test]
fn upgrade_table_uses_room_left_by_short_states() {
    let mut hand = ExplorerDriver::open_yaml(&chain_catalog(4), 80, 24);
    hand.press("3");
    assert!(hand.shows("v1 ends at"), "{}", hand.screen());
}
