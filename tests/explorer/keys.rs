//! Tests of key bindings, default and configured: their effect, their help and their display.

use std::sync::Arc;

use olm_check::review::Snapshot;
use olmap::demo::demo;
use olmap::{
    config::Config,
    tui::{
        Configuration, Keymap, Settings, Source,
        dialogs::{finder::Finder, release::Release},
    },
};

use super::support::ExplorerDriver;

/// Keys of dialogs are listed in their help and can be run from there.
#[test]
fn dialog_help_lists_and_runs_its_keys() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press("l l p f1");
    assert!(hand.shows("Keys in a release"), "{}", hand.screen());
    assert!(hand.shows("Select the row, or deselect it"), "{}", hand.screen());
    assert!(!hand.shows("Take the first name"), "that is for fields");
    hand.press("esc");
    let row = |hand: &ExplorerDriver| match hand
        .model
        .dialogs
        .last()
        .and_then(|dialog| dialog.downcast::<Release>())
    {
        Some(release) => release.targets.cursor,
        _ => panic!("the dialog is still there:\n{}", hand.screen()),
    };
    let before = row(&hand);
    hand.press("? 'down' enter");
    assert_eq!(row(&hand), before + 1);
    hand.press("q");
    assert!(hand.model.dialogs.is_empty());
}

#[test]
fn field_accepts_letters_and_signs_and_f1_opens_help() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press("ctrl-p ? q");
    let Some(finder) = hand.model.dialogs.last().and_then(|dialog| dialog.downcast::<Finder>()) else {
        panic!("{}", hand.screen())
    };
    assert_eq!(finder.input.value(), "?q");
    hand.press("f1");
    assert!(hand.shows("Keys in the finder"), "{}", hand.screen());
    hand.press("f1 ctrl-u");
    let Some(finder) = hand.model.dialogs.last().and_then(|dialog| dialog.downcast::<Finder>()) else {
        panic!("{}", hand.screen())
    };
    assert_eq!(finder.input.value(), "");
}

#[test]
fn screen_help_begins_with_the_hints_and_lists_no_dialog_keys() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press("?");
    let screen = hand.screen();
    let row = |title: &str| screen.lines().position(|line| line.contains(title)).unwrap();
    assert!(row(" filter ") < row(" compare "), "{screen}");
    hand.press("'top'");
    assert!(hand.shows("Go to the first row"), "a search finds the members of a family: {}", hand.screen());
    hand.press("ctrl-u 'own space 'range'");
    assert!(hand.shows("no action matches"), "{}", hand.screen());
}

/// Configuration problems are listed at startup and by an action.
#[test]
fn invalid_settings_are_listed_and_valid_ones_apply() {
    let config = Config::parse("theme = 'dork'\n[keys]\nfind = 'ctrl-f'\nundoo = 'u'\n");
    let (keymap, wrong) = Keymap::from_settings(olmap::tui::action_table(), &config.keys);
    let problems = config.problems.into_iter().chain(wrong).collect();
    let settings = Settings {
        keymap: Some(Arc::new(keymap)),
        configuration: Arc::new(Configuration { path: Some("/home/me/config.toml".into()), problems }),
        ..Settings::default()
    };
    let mut hand = ExplorerDriver::before_loading(vec![Source::Demo], settings, 100, 30);
    assert!(hand.shows("Configuration: 2 problems"), "{}", hand.screen());
    hand.finish_loading(Source::Demo, Ok(Arc::new(Snapshot::new(demo()))));
    assert!(hand.shows("/home/me/config.toml: invalid settings are ignored"), "{}", hand.screen());
    assert!(
        hand.shows("1:9  theme cannot be \"dork\"") && hand.shows("did you mean \"dark\"?"),
        "{}",
        hand.screen()
    );
    hand.press("down");
    assert!(hand.shows("did you mean undo?"), "{}", hand.screen());
    hand.press("esc");
    assert!(hand.shows("ctrl-f find") && !hand.shows("Configuration"), "{}", hand.screen());
    hand.press("ctrl-p");
    assert!(hand.model.dialogs.is_empty(), "another key has it now");
    hand.press("ctrl-f");
    assert!(hand.model.dialogs.last().and_then(|dialog| dialog.downcast::<Finder>()).is_some());
    hand.press("esc I c");
    assert!(hand.shows("Configuration: 2 problems"), "{}", hand.screen());
}

/// Keys in texts on the screen follow the configuration.
#[test]
fn displayed_keys_follow_the_configuration() {
    let config = Config::parse(
        "[keys]\nundo = 'f7'\nreview = 'f8'\nback-or-quit = 'f9'\naccept = 'f10'\nwhat-if-apply = 'f11'\napply-fix = 'f12'\n\
         help = 'f3'\nback = 'backspace'\ncancel = 'f6'\n",
    );
    let (keymap, wrong) = Keymap::from_settings(olmap::tui::action_table(), &config.keys);
    assert_eq!((config.problems, wrong), (vec![], vec![]));
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.model.keys.map = Arc::new(keymap);
    hand.press("l l p");
    assert!(hand.shows("f10 apply  f6 cancel"), "{}", hand.screen());
    hand.press("space f10");
    assert!(hand.shows("(f7 undo, f8 review)"), "{}", hand.screen());
    hand.press("f7");
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0);
    hand.press("backspace backspace backspace");
    assert!(hand.shows("this is the top: f9 quits"), "{}", hand.screen());
    hand.press("j");
    assert!(hand.shows("f3 help"), "{}", hand.screen());
    hand.press("f9");
    assert!(hand.model.is_quitting);
}

#[test]
fn unbound_key_shows_where_it_works_or_how_to_get_help() {
    let mut hand = ExplorerDriver::demo(80, 24);
    hand.press("m");
    assert!(hand.shows("m is not used here: mark on Graph"), "{}", hand.screen());
    hand.press("#");
    assert!(hand.shows("# is not used here: ? shows all keys"), "{}", hand.screen());
    hand.press("esc");
    assert!(!hand.shows("is not used here"), "{}", hand.screen());
}
