//! Tests of the About screen.

use insta::assert_snapshot;
use olm_check::review::Snapshot;
use olmap::demo::demo;
use olmap::{
    config::Config,
    tui::{Configuration, LoadOutcome, Settings, Source, keys::Screen},
};
use std::sync::Arc;

use super::support::ExplorerDriver;

/// Starts an explorer with the demo catalog under each source name.
fn open_with_sources(settings: Settings, sources: &[Source]) -> ExplorerDriver {
    let mut hand = ExplorerDriver::before_loading(sources.to_vec(), settings, 120, 48);
    let outcome = |source: &Source| LoadOutcome {
        source: source.clone(),
        result: Ok(Arc::new(Snapshot::new(demo()))),
        recoverable_edits: None,
    };
    hand.finish_loads(sources.iter().map(outcome).collect());
    hand
}

#[test]
fn about_screen_at_three_sizes() {
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = ExplorerDriver::demo(columns, rows);
        hand.press("g e ctrl-u enter I");
        let screen = hand.screen().replace(concat!(" ", env!("CARGO_PKG_VERSION")), " x.y.z");
        assert_snapshot!(format!("about_{columns}x{rows}"), screen);
    }
}

#[test]
fn about_tab_exists_only_while_shown() {
    let mut hand = ExplorerDriver::demo(120, 36);
    assert!(!hand.shows("About"), "{}", hand.screen());
    hand.press("3 I a");
    assert!(hand.shows("[About]"), "{}", hand.screen());
    hand.press("[");
    assert_eq!(hand.model.session.navigation.screen, Screen::Upgrades);
    assert!(!hand.shows("[About]"), "{}", hand.screen());
}

#[test]
fn about_screen_shows_configuration_problems() {
    let problems = Config::parse("theme = 'drak'\n").problems;
    let configuration = Arc::new(Configuration { path: Some("/etc/olmap.toml".into()), problems });
    let mut hand = open_with_sources(Settings { configuration, ..Settings::default() }, &[Source::Demo]);
    hand.press("esc I a");
    for words in ["/etc/olmap.toml", "! 1:9", "drak"] {
        assert!(hand.shows(words), "{words}\n{}", hand.screen());
    }
}

#[test]
fn about_screen_lists_each_open_catalog() {
    let mut hand = open_with_sources(Settings::default(), &[Source::Demo, Source::Path("other".into())]);
    hand.press("> I a");
    assert!(hand.shows("Catalog 1 of 2") && hand.shows("Catalog 2 of 2, current"), "{}", hand.screen());
}
