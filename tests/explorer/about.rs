//! The About screen.

use insta::assert_snapshot;
use olmap::{
    app::{Configuration, LoadOutcome, Msg, Settings, Source, keys::Screen},
    catalog::demo::demo,
    config::Config,
    review::Snapshot,
};
use std::sync::Arc;

use super::support::Hand;

/// The demo, under each of these names.
fn open(settings: Settings, sources: &[Source]) -> Hand {
    let mut hand = Hand::starting(sources.to_vec(), settings, 120, 48);
    let generation = hand.model.session.generation;
    let outcome = |source: &Source| LoadOutcome {
        source: source.clone(),
        result: Ok(Arc::new(Snapshot::new(demo()))),
        left_over: None,
    };
    hand.send(Msg::Loaded { generation, outcomes: sources.iter().map(outcome).collect() });
    hand
}

#[test]
fn pictures() {
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = Hand::demo(columns, rows);
        hand.press("g e ctrl-u enter I");
        let screen = hand.screen().replace(concat!(" ", env!("CARGO_PKG_VERSION")), " x.y.z");
        assert_snapshot!(format!("about_{columns}x{rows}"), screen);
    }
}

#[test]
fn it_has_a_tab_while_it_is_shown_and_the_place_before_is_gone_back_to() {
    let mut hand = Hand::demo(120, 36);
    assert!(!hand.shows("About"), "{}", hand.screen());
    hand.press("3 I");
    assert!(hand.shows("[About]"), "{}", hand.screen());
    hand.press("[");
    assert_eq!(hand.model.session.screen, Screen::Upgrades);
    assert!(!hand.shows("[About]"), "{}", hand.screen());
}

#[test]
fn what_is_wrong_with_the_configuration_stands_there() {
    let problems = Config::read("theme = 'drak'\n").problems;
    let configuration = Arc::new(Configuration { path: Some("/etc/olmap.toml".into()), problems });
    let mut hand = open(Settings { configuration, ..Settings::default() }, &[Source::Demo]);
    hand.press("esc I");
    for words in ["/etc/olmap.toml", "! 1:9", "drak"] {
        assert!(hand.shows(words), "{words}\n{}", hand.screen());
    }
}

#[test]
fn each_open_catalog_has_its_own_lines_and_the_shown_one_is_told() {
    let mut hand = open(Settings::default(), &[Source::Demo, Source::Path("other".into())]);
    hand.press("> I");
    assert!(hand.shows("Catalog 1 of 2") && hand.shows("Catalog 2 of 2, current"), "{}", hand.screen());
}
