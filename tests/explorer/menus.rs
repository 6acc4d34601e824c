//! Tests of menus: each letter runs its choice, and choices that are not possible say why.

use olmap::tui::{Effect, ThemeName, dialogs::menu};

use super::support::ExplorerDriver;

fn is_menu_open(hand: &ExplorerDriver) -> bool {
    hand.model.dialogs.last().is_some_and(|dialog| dialog.id() == menu::DIALOG)
}

#[test]
fn letter_and_enter_run_the_same_choice() {
    let mut by_letter = ExplorerDriver::demo(120, 36);
    by_letter.press("l l y n");
    let mut by_enter = ExplorerDriver::demo(120, 36);
    by_enter.press("l l y enter");
    for hand in [&by_letter, &by_enter] {
        assert!(!is_menu_open(hand));
        let is_copied = hand.effects.iter().any(|effect| matches!(effect, Effect::Copy(_)));
        assert!(is_copied, "{}", hand.screen());
    }
    assert_eq!(by_letter.screen(), by_enter.screen());
}

#[test]
fn theme_menu_starts_at_the_current_theme() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("I t d");
    assert_eq!(hand.model.settings.theme_settings.theme, ThemeName::Dark);
    hand.press("I t enter");
    assert_eq!(hand.model.settings.theme_settings.theme, ThemeName::Dark);
    hand.press("I t j enter");
    assert_eq!(hand.model.settings.theme_settings.theme, ThemeName::Light);
}

#[test]
fn impossible_choice_says_why_and_keeps_the_menu_open() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("l l y j j j");
    assert!(hand.shows("not now: the demo is built into"), "{}", hand.screen());
    hand.effects.clear();
    hand.press("s");
    assert!(is_menu_open(&hand) && hand.effects.is_empty(), "{}", hand.screen());
    hand.press("enter");
    assert!(hand.effects.is_empty(), "the cursor is on the refused choice: {}", hand.screen());
    hand.press("esc");
    assert!(!is_menu_open(&hand));
}

#[test]
fn every_letter_of_a_menu_is_unique_and_no_key_of_lists() {
    for (setup, title) in [
        ("l l y", "Copy"),
        ("l l 2 W", "What if"),
        ("l l 2 W l W", "What if"),
        ("A", "Edit the package"),
        ("9 t", "Set up"),
        ("6 y", "Copy"),
        ("l l 7 j y", "Copy"),
        ("I", "olmap"),
        ("I t", "Theme"),
    ] {
        let mut hand = ExplorerDriver::demo(120, 36);
        hand.press(setup);
        assert!(is_menu_open(&hand) && hand.shows(title), "{setup}: {}", hand.screen());
        let menu = hand.model.dialogs.last().and_then(|dialog| dialog.downcast::<menu::Menu>()).unwrap();
        let letters: Vec<char> = menu.letters().collect();
        assert!(letters.len() > 2, "{setup}: {letters:?}");
        for letter in &letters {
            assert_eq!(letters.iter().filter(|other| *other == letter).count(), 1, "{setup}: {letter}");
            assert!(!"jkgGq?".contains(*letter), "{setup}: {letter} moves the cursor or closes");
        }
    }
}
