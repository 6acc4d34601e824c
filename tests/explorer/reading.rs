//! What a pane has no room for can be read: details of findings, previews of edits; and help leaves what it covers alone.

use std::fmt::Write as _;

use olmap::app::{keys::Screen, parts::list::ListId};

use super::support::Hand;

/// A chain of so many entries.
fn chain(entries: usize) -> String {
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

/// The form of the head, with a range that takes everybody straight to it.
const SHORT_CUT: &str = "l l g e tab tab '>=1.0.0' space '<1.19.0'";

#[test]
fn the_details_of_a_finding_scroll_and_say_so() {
    for (columns, rows) in [(80, 24), (50, 15), (40, 14)] {
        let mut hand = Hand::demo(columns, rows);
        hand.press("4");
        let found = (0..40).any(|_| {
            hand.shows(" scrolls: ") || {
                hand.press("j");
                false
            }
        });
        assert!(found, "{columns}x{rows}: {}", hand.screen());
        let row = hand.model.cursor(ListId::Problems);
        hand.press("tab");
        assert_eq!(hand.model.focused_list(), ListId::Finding);
        assert!(!hand.shows(" scrolls: "), "{}", hand.screen());
        let before = hand.screen();
        hand.press("G");
        assert_ne!(hand.screen(), before, "the last line is shown");
        assert_eq!(hand.model.cursor(ListId::Problems), row, "the finding stays selected");
        // Esc goes back to the list, and another finding is read from its beginning.
        hand.press("esc");
        assert_eq!(hand.model.session.screen, Screen::Problems);
        assert_eq!(hand.model.focused_list(), ListId::Problems);
        hand.press("k").press("j");
        assert_eq!(hand.model.session.lists.first(ListId::Finding), 0);
    }
}

#[test]
fn all_of_a_preview_can_be_read_in_the_dialog() {
    let mut hand = Hand::text(&chain(20), 50, 15);
    hand.press(SHORT_CUT);
    assert!(hand.shows("pgdn scrolls: "), "{}", hand.screen());
    assert!(!hand.shows("1.15.0 1.16.0 1.17.0"), "{}", hand.screen());
    for _ in 0..9 {
        hand.press("pgdn");
    }
    assert!(hand.shows("1.15.0 1.16.0 1.17.0"), "{}", hand.screen());
    assert!(!hand.shows(" scrolls: "), "{}", hand.screen());
    hand.press("pgup pgup pgup pgup pgup pgup pgup pgup pgup");
    assert_eq!(hand.model.session.lists.first(ListId::Preview), 0);
    // Another text is read from its beginning.
    hand.press("pgdn backspace");
    assert_eq!(hand.model.session.lists.first(ListId::Preview), 0);
}

#[test]
fn those_who_get_the_same_successor_are_one_row_of_a_preview() {
    let mut hand = Hand::text(&chain(20), 120, 36);
    hand.press(SHORT_CUT);
    let rows = hand.screen().matches("=> 1.19.0").count();
    assert_eq!(rows, 2, "one for each OLM:\n{}", hand.screen());
}

#[test]
fn help_over_a_dialog_leaves_its_list_where_it_is() {
    let channels = (0..40).fold(chain(2), |mut yaml, n| {
        let _ = write!(
            yaml,
            "---\n{{schema: olm.channel, package: ship, name: c{n}, entries: [{{name: ship.v1.0.0}}]}}\n"
        );
        yaml
    });
    let mut hand = Hand::text(&channels, 120, 36);
    hand.press("h h l l g p").press(&"j ".repeat(30));
    let list = ListId::Dialog(0);
    let (first, cursor) = (hand.model.session.lists.first(list), hand.model.cursor(list));
    assert!(first > 0 && cursor.is_some_and(|row| row > 20), "{first} {cursor:?}\n{}", hand.screen());
    hand.press("?").press(&"down ".repeat(5));
    assert_eq!((hand.model.session.lists.first(list), hand.model.cursor(list)), (first, cursor));
    assert_eq!(hand.model.cursor(ListId::Dialog(1)), Some(5));
    // What is seen of it beside the help is what was there.
    hand.press("esc");
    assert_eq!((hand.model.session.lists.first(list), hand.model.cursor(list)), (first, cursor));
}

/// The marks of the graph are all told, at the smallest size too.
#[test]
fn the_legend_is_read_to_its_end_and_knows_what_stands_at_the_right_edge() {
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = Hand::demo(columns, rows);
        hand.press("/ 'gran' enter l l 2 i");
        let mut seen = hand.screen();
        for _ in 0..12 {
            hand.press("pgdn");
            seen.push_str(&hand.screen());
        }
        for words in ["an entry", "the mark: start of", "search match", "selected bundle", "the head"] {
            assert!(seen.contains(words), "{columns}x{rows} {words}: {seen}");
        }
        assert!(!hand.shows("all keys here"), "any key closes it: there is no help of it");
        hand.press("j");
        assert!(hand.model.dialogs.is_empty());
    }
}

/// What is done about a message stands at its end, and is seen.
#[test]
fn a_message_that_is_too_long_keeps_its_end() {
    let mut hand = Hand::text(&chain(20), 50, 15);
    hand.press(SHORT_CUT).press("enter");
    let last = hand.screen().lines().last().unwrap_or_default().to_owned();
    assert!(last.contains("ship.v1.19.0") && last.contains('\u{2026}'), "{last}");
    assert!(last.ends_with("(u undo, ctrl-s save)"), "{last}");
}

#[test]
fn entries_without_edges_are_not_all_the_first_of_the_channel() {
    let mut yaml = chain(3);
    yaml = yaml
        .replace("- name: ship.v1.0.0\n", "- name: ship.v1.0.0\n- name: ship.v0.9.0\n- name: ship.v0.8.0\n");
    let mut hand = Hand::text(&yaml, 120, 36);
    hand.press("l l");
    let count = |words: &str| hand.screen().matches(words).count();
    assert_eq!((count("first of the channel"), count("no edges")), (1, 2), "{}", hand.screen());
}

/// A number beside a number would be read as one of two.
#[test]
fn counts_on_narrow_tabs_are_in_brackets() {
    let hand = Hand::demo(50, 15);
    let tabs = hand.screen().lines().nth(1).unwrap_or_default().to_owned();
    assert!(tabs.contains("4(9)") || tabs.contains("4("), "{tabs}");
}

/// How a dialog is left is seen at every size.
#[test]
fn hints_in_dialogs_are_whole() {
    let mut hand = Hand::demo(50, 15);
    hand.press("/ 'tide' enter l l p j");
    assert!(hand.shows("esc cancel"), "{}", hand.screen());
    hand.press("esc e");
    assert!(hand.shows("esc cancel"), "{}", hand.screen());
    assert!(hand.shows("enter apply"), "{}", hand.screen());
}

/// Bundles need not be called as their package is.
#[test]
fn a_bundle_that_is_not_there_is_called_by_the_version_in_its_name() {
    let yaml = "schema: olm.package\nname: ship\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ship\n\
                name: stable\nentries:\n- name: ship-operator.v1.1.0\n  replaces: ship-operator.v1.0.5\n";
    let mut hand = Hand::text(yaml, 120, 36);
    hand.press("l l");
    assert!(hand.shows("replaces? 1.0.5"), "{}", hand.screen());
    assert!(!hand.shows("operator.v1.0.5"), "{}", hand.screen());
}

/// A column that there is room for is there.
#[test]
fn the_upgrade_table_uses_the_room_that_words_leave() {
    let mut hand = Hand::text(&chain(4), 80, 24);
    hand.press("3");
    assert!(hand.shows("v1 ends at"), "{}", hand.screen());
}
