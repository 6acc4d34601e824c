//! Tests of pending operations: progress on screen and early keys.

use std::sync::Arc;

use olm_catalog::load;
use olm_check::review::Snapshot;
use olmap::demo::demo;
use olmap::tui::{
    Effect, LoadOutcome, LoadProgress, Msg, Settings, Source, Stage,
    session::recovery::DiskCheckRequest,
    work::{JobSlot, outcome::UnsavedEdits},
};

use super::support::ExplorerDriver;

const SHIP_CATALOG: &str = "schema: olm.package\nname: ship\ndefaultChannel: stable\n---\n\
                    schema: olm.channel\npackage: ship\nname: stable\nentries:\n- name: ship.v1.0.0\n---\n\
                    {schema: olm.bundle, package: ship, name: ship.v1.0.0, image: example.com/ship, properties: \
                    [{type: olm.package, value: {packageName: ship, version: 1.0.0}}]}\n";

fn start_loading() -> ExplorerDriver {
    ExplorerDriver::before_loading(vec![Source::Demo], Settings::default(), 100, 30)
}

fn finish_loading(hand: &mut ExplorerDriver) {
    hand.finish_loading(Source::Demo, Ok(Arc::new(Snapshot::new(demo()))));
}

/// Opens a catalog on disk.
fn open_on_disk(settings: Settings) -> (ExplorerDriver, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("catalog.yaml"), SHIP_CATALOG).unwrap();
    let source = Source::Path(folder.path().to_owned());
    let catalog = load::open_catalog(folder.path()).unwrap();
    let mut hand = ExplorerDriver::before_loading(vec![source.clone()], settings, 100, 30);
    hand.finish_loading(source, Ok(Arc::new(Snapshot::new(catalog))));
    (hand, folder)
}

#[test]
fn keys_pressed_during_loading_are_replayed() {
    let mut hand = start_loading();
    hand.press("j l");
    assert_eq!(hand.model.session.waiting.stage, Stage::Loading(LoadProgress::default()));
    finish_loading(&mut hand);
    let mut later = start_loading();
    finish_loading(&mut later);
    assert_ne!(hand.screen(), later.screen());
    later.press("j l");
    assert_eq!(hand.screen(), later.screen());
}

#[test]
fn quitting_does_not_wait_for_loading() {
    for key in ["q", "esc", "ctrl-c"] {
        let mut hand = start_loading();
        hand.press("j").press(key);
        assert!(hand.model.is_quitting, "{key}");
        assert!(
            matches!(hand.effects.as_slice(), [Effect::Stop(JobSlot::Load), Effect::Quit]),
            "{:?}",
            hand.effects
        );
    }
}

#[test]
fn number_of_buffered_keys_is_limited() {
    let mut hand = start_loading();
    for _ in 0..1000 {
        hand.press("G g");
    }
    hand.press("2");
    finish_loading(&mut hand);
    assert_eq!(
        hand.model.session.navigation.screen.title(),
        "Packages",
        "what was pressed after the last that fits is not kept"
    );
}

#[test]
fn early_keys_do_not_answer_an_unseen_question() {
    let mut hand = start_loading();
    hand.press("enter");
    let left_over =
        Some(UnsavedEdits { journal: "j".into(), age: std::time::Duration::ZERO, edits: Vec::new() });
    hand.finish_loads(vec![LoadOutcome {
        source: Source::Demo,
        result: Ok(Arc::new(Snapshot::new(demo()))),
        recoverable_edits: left_over,
    }]);
    assert_eq!(hand.model.dialogs.len(), 1, "the question is still there");
    hand.press("esc");
    assert_eq!(
        hand.model.session.navigation.pane,
        olmap::tui::session::navigation::Pane::Packages,
        "the early key is gone"
    );
}

#[test]
fn spinner_appears_only_during_a_slow_reload() {
    let (mut hand, _folder) = open_on_disk(Settings::default());
    hand.press("r");
    assert!(hand.model.session.waiting.is_waiting());
    assert!(!hand.shows("reading"), "nothing is said at once: {}", hand.screen());
    hand.send(Msg::WaitProgress(LoadProgress::default()));
    assert!(hand.shows("reloading"), "{}", hand.screen());
    let first = hand.screen();
    hand.send(Msg::WaitProgress(LoadProgress::default()));
    assert_ne!(hand.screen(), first, "it moves");
    let source = hand.model.session.catalogs.sources()[0].clone();
    let snapshot = hand.model.session.snapshot().unwrap().clone();
    hand.finish_loading(source, Ok(snapshot));
    assert!(!hand.model.session.waiting.is_waiting());
    assert!(!hand.shows("reloading"), "{}", hand.screen());
    assert!(hand.shows("reloaded from disk"), "{}", hand.screen());
}

#[test]
fn changes_on_disk_are_checked_when_focus_returns() {
    let looks = |hand: &ExplorerDriver| hand.requests::<DiskCheckRequest>().len();
    let (mut hand, _folder) = open_on_disk(Settings::default());
    hand.send(Msg::FocusGained);
    assert_eq!(looks(&hand), 1);
    // An open form is not disturbed; the check runs after it is closed.
    hand.press("l l e");
    hand.send(Msg::FocusGained);
    assert_eq!(looks(&hand), 1);
    hand.press("esc");
    assert_eq!(looks(&hand), 2);

    let (mut hand, _folder) = open_on_disk(Settings { no_watch: true, ..Settings::default() });
    hand.send(Msg::FocusGained);
    assert_eq!(looks(&hand), 0, "nobody wants that");
    let mut demo = ExplorerDriver::demo(100, 30);
    demo.send(Msg::FocusGained);
    assert_eq!(looks(&demo), 0, "there is nothing on disk");
}
