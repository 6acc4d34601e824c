//! Keys, of the table and of a configuration: what they do, where that is told, and what is shown of them.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod support;

use olmap::app::overlay::Overlay;
use support::Hand;

/// Keys of dialogs are listed where they work, and can be run from there.
#[test]
fn a_dialog_tells_of_its_keys() {
    let mut hand = Hand::demo(100, 30);
    hand.press("l l p f1");
    assert!(hand.shows("Keys in promoting"), "{}", hand.screen());
    assert!(hand.shows("Choose the row, or no longer"), "{}", hand.screen());
    assert!(!hand.shows("Take the first name"), "that is for fields");
    hand.press("esc");
    let row = |hand: &Hand| match hand.model.overlays.last() {
        Some(Overlay::Promote(promote)) => promote.cursor,
        _ => panic!("the dialog is still there:\n{}", hand.screen()),
    };
    let before = row(&hand);
    hand.press("? 'down' enter");
    assert_eq!(row(&hand), before + 1);
    hand.press("q");
    assert!(hand.model.overlays.is_empty());
}

#[test]
fn in_a_field_signs_and_letters_are_typed_and_f1_helps() {
    let mut hand = Hand::demo(100, 30);
    hand.press("ctrl-p ? q");
    let Some(Overlay::Finder(finder)) = hand.model.overlays.last() else { panic!("{}", hand.screen()) };
    assert_eq!(finder.input.value(), "?q");
    hand.press("f1");
    assert!(hand.shows("Keys in the finder"), "{}", hand.screen());
    hand.press("f1 ctrl-u");
    let Some(Overlay::Finder(finder)) = hand.model.overlays.last() else { panic!("{}", hand.screen()) };
    assert_eq!(finder.input.value(), "");
}

#[test]
fn keys_of_dialogs_stand_in_the_help_of_a_screen_and_say_why_not_now() {
    let mut hand = Hand::demo(100, 30);
    hand.press("? 'skiprange'");
    assert!(hand.shows("not now: no dialog is open"), "{}", hand.screen());
}
