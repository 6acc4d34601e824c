//! The Template screen: the lists of a semver template, and what becomes of edits there.

use std::{fmt::Write as _, path::PathBuf, sync::Arc};

use insta::assert_snapshot;
use olmap::{
    app::{LoadOutcome, Msg, Settings, Source},
    catalog::{
        Catalog, Known,
        load::{self, Progress},
    },
    review::Snapshot,
};

use super::support::Hand;

const FOLDER: &str = "tests/fixtures/template";

fn read(name: &str) -> Catalog {
    load::open(&PathBuf::from(FOLDER).join(name), &Progress::default()).unwrap()
}

/// The template; what the catalog beside it has is known, as if it were published.
pub fn template(columns: u16, rows: u16) -> Hand {
    let catalog = read("semver.yaml").with_known(Arc::new(Known::published([&read("catalog.yaml")])));
    let source = Source::Path(PathBuf::from(FOLDER).join("semver.yaml"));
    let mut hand = Hand::starting(vec![source.clone()], Settings::default(), columns, rows);
    let outcome = LoadOutcome { source, result: Ok(Arc::new(Snapshot::new(catalog))), left_over: None };
    hand.send(Msg::Loaded { generation: 0, outcomes: vec![outcome] });
    hand
}

/// What would be written.
fn text(hand: &Hand) -> String {
    let snapshot = hand.model.session.snapshot().unwrap();
    String::from_utf8(snapshot.catalog.files()[0].bytes()).unwrap()
}

fn file() -> String {
    std::fs::read_to_string(PathBuf::from(FOLDER).join("semver.yaml")).unwrap()
}

#[test]
fn pictures() {
    let mut all = String::new();
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = template(columns, rows);
        hand.press("8");
        let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
        hand.press("j enter j");
        let _ = write!(all, "== what can be done\n{}", hand.screen());
        hand.press("esc s");
        let _ = write!(all, "== what is generated\n{}", hand.screen());
        hand.press("esc a j j enter");
        hand.press("tab");
        let _ = write!(all, "== a new image\n{}", hand.screen());
    }
    assert_snapshot!(all);
}

#[test]
fn a_bundle_is_promoted_in_the_template_and_back() {
    let mut hand = template(120, 36);
    hand.press("8 j p");
    assert!(hand.shows("add to stable"), "{}", hand.screen());
    hand.press("j enter");
    let line = "    - image: registry.example/pump@sha256:1100000000000000000000000000000000000000000000000000000000000000\n";
    assert_eq!(text(&hand), file() + line);
    let package = hand.model.session.snapshot().unwrap().package("pump").unwrap().package().clone();
    let edges = |channel: &str| {
        let entry = package.channel(channel).unwrap().entries.last().unwrap().clone();
        (entry.name.value.to_string(), entry.replaces.map(|replaces| replaces.value.to_string()))
    };
    assert_eq!(edges("stable-v1.1"), ("pump.v1.1.0".to_owned(), Some("pump.v1.0.1".to_owned())));
    assert_eq!(package.default_channel().unwrap().as_str(), "stable-v1.1");
    hand.press("u");
    assert_eq!(text(&hand), file());
}

#[test]
fn the_last_image_takes_its_list_along() {
    let mut hand = template(120, 36);
    hand.press("8 G x j enter");
    assert_eq!(text(&hand).matches("pump@sha256:100").count(), 1, "{}", text(&hand));
    hand.press("G k x j enter");
    assert!(!text(&hand).contains("stable:"), "{}", text(&hand));
    assert!(hand.model.session.snapshot().unwrap().catalog.template().unwrap().semver().is_some());
    hand.press("u u");
    assert_eq!(text(&hand), file());
}

/// A typed image is offered with what it leads to, known or not.
#[test]
fn a_new_image_shows_what_it_makes() {
    let mut hand = template(120, 36);
    hand.press("8 a j j enter");
    assert!(hand.shows("Bundle image to add to stable"), "{}", hand.screen());
    hand.press("tab");
    assert!(hand.shows("pump.v2.0.0"), "{}", hand.screen());
    assert!(hand.shows("stable-v2.0"), "{}", hand.screen());
    hand.press("ctrl-u 'registry.example/other:9'");
    assert!(hand.shows("no open or published catalog has this image"), "{}", hand.screen());
    hand.press("enter");
    assert!(text(&hand).ends_with("    - image: registry.example/other:9\n"), "{}", text(&hand));
    assert!(hand.shows("other:9"), "{}", hand.screen());
}

/// Channels of such a catalog follow from the lists: elsewhere they cannot be edited, and it is said where.
#[test]
fn generated_channels_are_not_edited() {
    let mut hand = template(120, 36);
    hand.press("l l e");
    hand.press("ctrl-u 'x' enter");
    assert_eq!(text(&hand), file(), "{}", hand.screen());
    assert!(hand.shows("generated from the lists"), "{}", hand.screen());
}

#[test]
fn what_is_no_semver_template_has_no_such_screen() {
    let mut hand = Hand::demo(120, 36);
    hand.press("8");
    assert!(hand.shows("no olm.semver template"), "{}", hand.screen());
}
