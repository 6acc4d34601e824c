//! Every screen of the demo at two sizes and more. Read a picture before you accept it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use insta::assert_snapshot;
use olmap::app::Settings;
use support::Hand;

/// The dead end of the demo, selected.
const DEAD_END: &str = "/ 'granary' enter l l j j j j";

fn at(columns: u16, rows: u16, keys: &str) -> String {
    let mut hand = Hand::demo(columns, rows);
    hand.press(DEAD_END).press(keys);
    hand.screen()
}

macro_rules! screens {
    ($($name:ident: $keys:expr;)*) => {
        $(
            #[test]
            fn $name() {
                assert_snapshot!(concat!(stringify!($name), "_120x36"), at(120, 36, $keys));
                assert_snapshot!(concat!(stringify!($name), "_80x24"), at(80, 24, $keys));
            }
        )*
    };
}

screens! {
    catalog: "";
    graph: "2";
    zoom: "2 z";
    zoom_head: "2 z g";
    upgrades: "3";
    upgrades_reasons: "3 enter";
    problems: "4";
    deprecations: "5 j";
    changes_empty: "6";
    changes: "g j e tab end space 'granary-operator.v2.6.4' enter ctrl-s";
    entry_form: "g j e tab end space 'granary-operator.v2.6.4'";
    entry_form_that_breaks: "g e ctrl-u 'granary-operator.v9'";
    promote: "g p space";
    finder: "ctrl-p 'nightly'";
    palette: ": 'undo'";
    help: "2 ?";
    filter: "/ '3.0'";
    pick_channels: "3 shift-tab shift-tab shift-tab enter";
    prompt_version: "3 shift-tab shift-tab enter '>=3.0.0,' space '<4'";
    leave: "g e ctrl-u enter ctrl-c";
}

#[test]
fn small_terminals() {
    assert_snapshot!("catalog_50x15", at(50, 15, ""));
    assert_snapshot!("graph_50x15", at(50, 15, "2"));
    assert_snapshot!("zoom_50x15", at(50, 15, "2 z"));
    assert_snapshot!("zoom_head_50x15", at(50, 15, "2 z g"));
    assert_snapshot!("upgrades_50x15", at(50, 15, "3"));
    assert_snapshot!("catalog_40x10", at(40, 10, ""));
    assert_snapshot!("graph_40x10", at(40, 10, "2"));
    assert_snapshot!("too_small_20x5", at(20, 5, ""));
}

#[test]
fn ascii_only() {
    let mut hand = Hand::demo(80, 24);
    hand.model.settings = Settings { ascii: true, ..Settings::default() };
    hand.press(DEAD_END);
    assert_snapshot!("ascii_catalog_80x24", hand.screen());
    hand.press("2");
    assert_snapshot!("ascii_graph_80x24", hand.screen());
    assert!(hand.screen().is_ascii(), "{}", hand.screen());
    hand.press("z g");
    assert_snapshot!("ascii_zoom_head_80x24", hand.screen());
    assert!(hand.screen().is_ascii(), "{}", hand.screen());
    hand.press("3 : 'e'");
    assert!(hand.screen().is_ascii(), "{}", hand.screen());
}

#[test]
fn wide_characters_and_escape_sequences() {
    let mut hand = Hand::demo(100, 30);
    hand.press("/ 'kotatsu' enter l l");
    assert_snapshot!("wide_100x30", hand.screen());
    hand.press("h h / ctrl-u 'tinsel' enter l l");
    assert_snapshot!("escapes_100x30", hand.screen());
    assert!(!hand.screen().contains('\u{1b}'));
}

#[test]
fn a_channel_that_is_deprecated_and_a_package_too() {
    let mut hand = Hand::demo(100, 30);
    hand.press("/ 'quill' enter l");
    assert_snapshot!("deprecated_100x30", hand.screen());
}
