//! Tests of a catalog that is shown while it is still loading.

use olmap::tui::UserError;
use std::{path::PathBuf, sync::Arc};

use olm_catalog::load::{self, Progress};
use olm_check::review::Snapshot;
use olmap::tui::{
    Effect, Settings, Source, Stage,
    session::{
        jobs::load::{LoadAnswer, LoadRequest},
        wait_state::BlockingWork,
    },
    work::JobSlot,
};

use super::support::ExplorerDriver;

/// Returns a package with so much text that it is shown before the rest is loaded.
fn padded_package(name: &str) -> String {
    let blanks = " ".repeat(3_000_000);
    let channel = |channel: &str| {
        format!(
            "{{\"schema\":\"olm.channel\",\"package\":\"{name}\",\"name\":\"{channel}\",\"entries\":[{{\"name\":\"{name}.v1.0.0\"}}]}}\n"
        )
    };
    let bundle = format!(
        "{{\"schema\":\"olm.bundle\",\"package\":\"{name}\",\"name\":\"{name}.v1.0.0\",\"image\":\"example.com/{name}:v1\",{blanks}\"properties\":[{{\"type\":\"olm.package\",\"value\":{{\"packageName\":\"{name}\",\"version\":\"1.0.0\"}}}}]}}\n"
    );
    format!(
        "{{\"schema\":\"olm.package\",\"name\":\"{name}\",\"defaultChannel\":\"stable\"}}\n{}{}{bundle}",
        channel("beta"),
        channel("stable")
    )
}

/// Returns the partial snapshots of a catalog of three packages, and the complete one.
fn partial_and_complete_snapshots() -> (Vec<Arc<Snapshot>>, Arc<Snapshot>) {
    let bytes = ["kiln", "loom", "mill"].map(padded_package).concat().into_bytes();
    let mut shown: Vec<Arc<Snapshot>> = Vec::new();
    let whole = load::from_bytes_incremental(bytes, &Progress::default(), &mut |catalog| {
        shown.push(Arc::new(Snapshot::from_partial(shown.last().map(|s| &**s), catalog)));
    });
    (shown, Arc::new(Snapshot::new(whole.unwrap())))
}

fn json_source() -> Source {
    Source::Path(PathBuf::from("big.json"))
}

/// Starts an explorer and sends the first partial snapshot; returns the complete snapshot too.
fn open_partial_catalog() -> (ExplorerDriver, Arc<Snapshot>) {
    let (mut shown, whole) = partial_and_complete_snapshots();
    let mut hand = ExplorerDriver::before_loading(vec![json_source()], Settings::default(), 100, 20);
    let first = shown.remove(0);
    hand.load_partially(json_source(), first);
    (hand, whole)
}

#[test]
fn partial_catalog_is_shown_and_unread_packages_are_listed() {
    let (mut hand, whole) = open_partial_catalog();
    assert_eq!(hand.model.session.waiting.stage, Stage::Ready);
    insta::assert_snapshot!(hand.screen());
    // The selected package is requested before the others, once.
    hand.press("G");
    let wanted = |hand: &ExplorerDriver| -> Vec<String> {
        let wanted = hand.effects.iter().filter_map(|effect| match effect {
            Effect::ReadFirst { package } => Some(package.to_string()),
            _ => None,
        });
        wanted.collect()
    };
    assert_eq!(wanted(&hand), ["mill"]);
    assert!(hand.shows("not read yet"), "{}", hand.screen());
    for screen in ["2", "3", "4", "5", "6", "1"] {
        hand.press(screen);
    }
    assert_eq!(wanted(&hand), ["mill"]);
    hand.press("4");
    assert!(hand.shows("Problems appear when the catalog is loaded"), "{}", hand.screen());
    hand.press("1");
    hand.finish_loading(json_source(), Ok(whole));
    assert_eq!(hand.model.session.selection().package.as_ref().unwrap().as_str(), "mill", "where one was");
    assert_eq!(
        hand.model.session.selection().channel.as_ref().unwrap().as_str(),
        "stable",
        "the default channel"
    );
    assert!(hand.shows("0 errors"), "{}", hand.screen());
    assert_eq!(hand.model.session.waiting.busy, None);
}

#[test]
fn editing_is_refused_until_the_catalog_is_loaded() {
    let (mut hand, whole) = open_partial_catalog();
    hand.press("l l e");
    assert!(hand.shows("the files are being read"), "{}", hand.screen());
    hand.finish_loading(json_source(), Ok(whole));
    hand.press("e");
    assert!(hand.shows("skipRange"), "{}", hand.screen());
}

#[test]
fn stopped_load_keeps_the_partial_catalog() {
    let (mut hand, whole) = open_partial_catalog();
    hand.press("esc");
    assert!(matches!(hand.effects.last(), Some(Effect::Stop(JobSlot::Load))), "{:?}", hand.effects);
    assert!(!hand.model.is_quitting);
    assert!(hand.shows("stopping"), "{}", hand.screen());
    hand.finish_loading(json_source(), Err(UserError::new("loading was cancelled")));
    assert!(hand.shows("stopped at 2 of 3 packages: r reads all"), "{}", hand.screen());
    hand.press("j");
    assert!(hand.shows("partly read"), "{}", hand.screen());
    assert!(hand.shows("r reads all"), "{}", hand.screen());
    hand.press("k l l e");
    assert!(hand.shows("only part of this catalog was read"), "{}", hand.screen());
    hand.press("r");
    assert_eq!(hand.model.session.waiting.busy, Some(BlockingWork::Reading));
    hand.finish_loading(json_source(), Ok(whole));
    assert!(!hand.shows("partly read"), "{}", hand.screen());
    hand.press("e");
    assert!(hand.shows("skipRange"), "{}", hand.screen());
}

#[test]
fn escape_right_after_loading_does_not_quit() {
    let (mut hand, whole) = open_partial_catalog();
    hand.finish_loading(json_source(), Ok(whole));
    hand.press("esc");
    assert!(!hand.model.is_quitting);
    assert!(hand.shows("q quits"), "{}", hand.screen());
    hand.press("q");
    assert!(hand.model.is_quitting);
}

#[test]
fn catalogs_are_shown_one_by_one_as_they_load() {
    let (_, whole) = partial_and_complete_snapshots();
    let other = Source::Path(PathBuf::from("other.json"));
    let mut hand =
        ExplorerDriver::before_loading(vec![json_source(), other.clone()], Settings::default(), 100, 20);
    hand.load_partially(json_source(), whole.clone());
    assert!(hand.shows("kiln"), "{}", hand.screen());
    assert!(hand.shows("[1/2]"), "the one that is still read counts: {}", hand.screen());
    let stale = LoadRequest { sources: vec![json_source(), other.clone()], show_partial: true };
    let part = LoadAnswer::Partial { source: other.clone(), snapshot: whole.clone() };
    hand.answer(Arc::new(stale), part);
    assert_eq!(hand.model.session.catalogs.all().len(), 1, "of another loading");
    hand.load_partially(other, whole);
    assert_eq!(hand.model.session.catalogs.all().len(), 2);
    assert!(hand.shows("[1/2]"), "{}", hand.screen());
}

#[test]
fn opened_default_catalog_is_announced_until_the_next_key() {
    let greeting = Some("opened ..: the nearest catalog above".to_owned());
    let settings = Settings { greeting, ..Settings::default() };
    let mut hand = ExplorerDriver::before_loading(vec![Source::Demo], settings, 100, 30);
    hand.finish_loading(Source::Demo, Ok(Arc::new(Snapshot::new(olmap::demo::demo()))));
    assert!(hand.shows("opened ..: the nearest catalog above"), "{}", hand.screen());
    hand.press("j");
    assert!(!hand.shows("the nearest catalog above"), "{}", hand.screen());
}

#[test]
fn filter_selects_a_package_that_arrives_later() {
    let catalog = |name: &str| {
        format!(
            "{{\"schema\":\"olm.package\",\"name\":\"{name}\",\"defaultChannel\":\"stable\"}}\n\
             {{\"schema\":\"olm.channel\",\"package\":\"{name}\",\"name\":\"stable\",\"entries\":[{{\"name\":\"{name}.v1\"}}]}}\n"
        )
    };
    let snapshot = |text: String| Arc::new(Snapshot::new(load::from_bytes(text.into_bytes())));
    for typed_before_loading in [true, false] {
        let mut hand = ExplorerDriver::before_loading(vec![json_source()], Settings::default(), 100, 20);
        if typed_before_loading {
            hand.press("/ 'loom'");
        }
        hand.load_partially(json_source(), snapshot(catalog("kiln")));
        if !typed_before_loading {
            hand.press("/ 'loom'");
        }
        assert!(!hand.shows("│ stable"), "no pane shows a package outside of the list: {}", hand.screen());
        hand.finish_loading(json_source(), Ok(snapshot(catalog("kiln") + &catalog("loom"))));
        assert!(hand.shows("› loom › stable"), "{}", hand.screen());
        hand.press("enter 2");
        assert!(hand.shows("› loom › stable") && hand.shows("[2 Graph]"), "{}", hand.screen());
    }
}
