//! Tests of restoring edits after external changes and after a crash.

use std::{path::PathBuf, sync::Arc, time::Duration};

use olm_catalog::{blob::EntrySpec, load};
use olm_check::review::Snapshot;
use olm_edit::{Batch, Edit, RecordedEdit};
use olmap::tui::{
    Effect, LoadOutcome, Msg, SaveFailure, Settings, Source,
    parts::notice::NoticeKind,
    session::{
        jobs::load::{LoadAnswer, LoadRequest},
        open_catalog::OpenCatalog,
        recovery::DiskCheckRequest,
    },
    update,
    work::outcome::UnsavedEdits,
};

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::support::ExplorerDriver;

const SHIP_CATALOG: &str = "\
schema: olm.package
name: ship
defaultChannel: stable
---
schema: olm.channel
package: ship
name: stable
entries:
- name: ship.v1.1.0   # newest
  replaces: ship.v1.0.0
- name: ship.v1.0.0
---
{schema: olm.bundle, package: ship, name: ship.v1.1.0, image: 'example.com/ship:1.1.0', properties: [{type: olm.package, value: {packageName: ship, version: 1.1.0}}]}
---
{schema: olm.bundle, package: ship, name: ship.v1.0.0, image: 'example.com/ship:1.0.0', properties: [{type: olm.package, value: {packageName: ship, version: 1.0.0}}]}
";

fn catalog_source() -> Source {
    Source::Path(PathBuf::from("catalog"))
}

fn snapshot_from_text(text: &str) -> Arc<Snapshot> {
    Arc::new(Snapshot::new(load::from_bytes(text.as_bytes().to_vec())))
}

fn open_ship() -> ExplorerDriver {
    ExplorerDriver::open_source(catalog_source(), load::from_bytes(SHIP_CATALOG.as_bytes().to_vec()), 100, 30)
}

/// Adds a skipRange to 1.1.0.
fn add_skip_range(hand: &mut ExplorerDriver) {
    hand.press("l l e tab tab '>=1.0.0' space '<1.1.0' enter");
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1, "{}", hand.screen());
}

fn current_text(hand: &ExplorerDriver) -> String {
    String::from_utf8(hand.model.session.snapshot().unwrap().catalog.files()[0].current_bytes()).unwrap()
}

/// Returns the edits in the last journal effect.
fn journaled_titles(hand: &ExplorerDriver) -> Option<Vec<String>> {
    hand.effects.iter().rev().find_map(|effect| match effect {
        Effect::WriteJournal { edits, .. } => Some(edits.iter().map(|edit| edit.edit.title()).collect()),
        _ => None,
    })
}

fn range_edit() -> Arc<RecordedEdit> {
    let spec = EntrySpec {
        replaces: Some("ship.v1.0.0".into()),
        skip_range: Some("<1.1.0".to_owned()),
        ..EntrySpec::default()
    };
    let edit = Edit::SetEntry {
        package: "ship".into(),
        channel: "stable".into(),
        entry: "ship.v1.1.0".into(),
        spec,
    };
    Arc::new(RecordedEdit::new(&load::from_bytes(SHIP_CATALOG.as_bytes().to_vec()), edit))
}

/// Opens a catalog with unsaved edits from an earlier session.
fn open_with_left_over(text: &str, settings: Settings) -> ExplorerDriver {
    let mut hand = ExplorerDriver::before_loading(vec![catalog_source()], settings, 100, 30);
    let journal = PathBuf::from("journal");
    let left_over = UnsavedEdits { journal, age: Duration::from_secs(200), edits: vec![range_edit()] };
    let outcomes = vec![LoadOutcome {
        source: catalog_source(),
        result: Ok(snapshot_from_text(text)),
        recoverable_edits: Some(left_over),
    }];
    hand.finish_loads(outcomes);
    hand
}

fn has_discarded_journal(hand: &ExplorerDriver) -> bool {
    hand.effects.iter().any(|effect| matches!(effect, Effect::RemoveJournal { .. }))
}

#[test]
fn edits_are_reapplied_to_an_externally_changed_file() {
    let mut hand = open_ship();
    add_skip_range(&mut hand);
    hand.press("ctrl-s enter");
    let written = hand.model.session.snapshot().unwrap().clone();
    let changed = "catalog.yaml changed on disk since it was loaded".to_owned();
    hand.send(Msg::Saved {
        written: vec![(0, written)],
        outcome: Err(SaveFailure::ChangedOnDisk(changed)),
        warning: None,
    });
    assert!(hand.shows("Nothing was saved"), "{}", hand.screen());
    hand.press("enter");
    assert!(hand.effects.last().and_then(Effect::question::<LoadRequest>).is_some());
    hand.finish_loading(
        catalog_source(),
        Ok(snapshot_from_text(&SHIP_CATALOG.replace("# newest", "# best"))),
    );
    assert!(
        current_text(&hand).contains("# best") && current_text(&hand).contains("skipRange"),
        "{}",
        current_text(&hand)
    );
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1);
    hand.press("u");
    assert_eq!(current_text(&hand), SHIP_CATALOG.replace("# newest", "# best"));
}

#[test]
fn edit_that_conflicts_with_an_external_change_is_named_and_dropped() {
    let mut hand = open_ship();
    add_skip_range(&mut hand);
    hand.press("r");
    let theirs = SHIP_CATALOG.replace("  replaces: ship.v1.0.0", "  skips: [ship.v1.0.0]");
    hand.finish_loading(catalog_source(), Ok(snapshot_from_text(&theirs)));
    assert!(hand.shows("1 edit not restored"), "{}", hand.screen());
    assert!(hand.shows("now skips ship.v1.0.0"), "{}", hand.screen());
    hand.press("esc");
    assert_eq!((current_text(&hand), hand.model.session.catalogs.unsaved_count()), (theirs, 0));
}

#[test]
fn journal_follows_edits_undo_redo_and_save() {
    let mut hand = open_ship();
    assert_eq!(journaled_titles(&hand), None, "nothing was edited");
    add_skip_range(&mut hand);
    assert_eq!(journaled_titles(&hand).unwrap().len(), 1);
    hand.press("u");
    assert_eq!(journaled_titles(&hand).unwrap().len(), 0);
    hand.press("ctrl-r");
    assert_eq!(journaled_titles(&hand).unwrap().len(), 1);
    hand.press("ctrl-s enter");
    hand.finish_saving();
    assert_eq!(journaled_titles(&hand).unwrap().len(), 0, "what is on disk needs no journal");
    let told = hand.effects.iter().filter(|effect| matches!(effect, Effect::WriteJournal { .. })).count();
    hand.press("j k 2 1");
    let again = hand.effects.iter().filter(|effect| matches!(effect, Effect::WriteJournal { .. })).count();
    assert_eq!(told, again, "it is told of news only");
}

#[test]
fn edits_after_undoing_a_saved_one_are_journaled() {
    let mut hand = open_ship();
    add_skip_range(&mut hand);
    hand.press("ctrl-s enter");
    hand.finish_saving();
    hand.press("1 u");
    assert_eq!(journaled_titles(&hand).unwrap().len(), 0, "that a saved edit is undone is for undo alone");
    hand.press("g x space enter");
    assert_eq!(journaled_titles(&hand).unwrap().len(), 1, "{}", hand.screen());
}

#[test]
fn edits_from_before_a_crash_are_restored_on_request() {
    let mut hand = open_with_left_over(SHIP_CATALOG, Settings::default());
    assert!(
        hand.shows("1 edit of this catalog was not saved when olmap ended, 3 minutes ago"),
        "{}",
        hand.screen()
    );
    assert!(hand.shows("ship.v1.1.0 in stable: replaces ship.v1.0.0, skipRange <1.1.0"), "{}", hand.screen());
    hand.press("enter");
    assert!(current_text(&hand).contains("  skipRange: <1.1.0\n"), "{}", current_text(&hand));
    let kept = hand.effects.iter().position(|effect| matches!(effect, Effect::WriteJournal { .. }));
    let gone = hand.effects.iter().position(|effect| matches!(effect, Effect::RemoveJournal { .. }));
    assert!(
        kept.is_some() && kept < gone,
        "the old journal goes once the new one is there: {:?}",
        hand.effects
    );
    hand.press("u");
    assert_eq!(current_text(&hand), SHIP_CATALOG);
}

#[test]
fn recovered_edits_are_discarded_or_kept_for_later() {
    let mut hand = open_with_left_over(SHIP_CATALOG, Settings::default());
    hand.press("d");
    assert!(has_discarded_journal(&hand) && hand.model.session.catalogs.unsaved_count() == 0);
    let mut hand = open_with_left_over(SHIP_CATALOG, Settings::default());
    hand.press("esc");
    assert!(!has_discarded_journal(&hand) && hand.model.session.catalogs.unsaved_count() == 0);
}

#[test]
fn edits_from_before_a_crash_that_conflict_are_named() {
    let theirs = SHIP_CATALOG.replace("- name: ship.v1.1.0   # newest\n  replaces: ship.v1.0.0\n", "");
    let mut hand = open_with_left_over(&theirs, Settings::default());
    hand.press("enter");
    assert!(hand.shows("1 edit not restored"), "{}", hand.screen());
    assert_eq!(current_text(&hand), theirs);
}

#[test]
fn recovered_edits_are_not_offered_in_read_only_mode() {
    let settings = Settings { read_only: Some("a test".to_owned()), ..Settings::default() };
    let hand = open_with_left_over(SHIP_CATALOG, settings);
    assert!(hand.model.dialogs.is_empty());
    assert!(!has_discarded_journal(&hand));
}

/// Simulates an external change that the explorer detects.
fn change_externally(hand: &mut ExplorerDriver, text: &str) {
    hand.send(Msg::ChangedOnDisk(catalog_source()));
    answer_file_check(hand, text);
}

/// Answers the last request to check the files.
fn answer_file_check(hand: &mut ExplorerDriver, text: &str) {
    let asked = hand.last_request::<DiskCheckRequest>().unwrap();
    let source = asked.source.clone();
    let news = LoadOutcome { source, result: Ok(snapshot_from_text(text)), recoverable_edits: None };
    hand.answer(asked, Some(news));
}

#[test]
fn external_change_is_loaded_and_keeps_selection_and_edits() {
    let mut hand = open_ship();
    add_skip_range(&mut hand);
    hand.press("2 j");
    let selected = hand.model.session.selection().clone();
    change_externally(&mut hand, &SHIP_CATALOG.replace("# newest", "# best"));
    assert!(hand.shows("changed on disk: reloaded, your edits are kept"), "{}", hand.screen());
    assert!(
        current_text(&hand).contains("# best") && current_text(&hand).contains("skipRange"),
        "{}",
        current_text(&hand)
    );
    assert_eq!((hand.model.session.selection(), hand.model.session.catalogs.unsaved_count()), (&selected, 1));
}

#[test]
fn external_change_that_breaks_the_catalog_is_a_warning() {
    let mut hand = open_ship();
    add_skip_range(&mut hand);
    // The entry has changed, so the edit is not restored.
    change_externally(&mut hand, &SHIP_CATALOG.replace("replaces: ship.v1.0.0", "skips: [ship.v1.0.0]"));
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0);
    let last = hand.model.notices.log.last().unwrap();
    assert!(last.kind != NoticeKind::Done && last.text.contains("all your edits are obsolete"), "{last:?}");
    hand.press("enter");
    change_externally(&mut hand, &SHIP_CATALOG.replace("replaces: ship.v1.0.0", "replaces: ["));
    let standing = hand.model.notices.persistent.last().unwrap();
    assert!(standing.1.text.contains("1 new error"), "{standing:?}");
    change_externally(&mut hand, "");
    assert!(hand.shows("it has no packages now"), "{}", hand.screen());
}

/// A change by another program is not reported as an error, and its notice is cleared once
/// obsolete.
#[test]
fn notice_about_external_change_is_cleared_when_obsolete() {
    let mut hand = open_ship();
    let broken = SHIP_CATALOG.replace("replaces: ship.v1.0.0", "replaces: ship.v1.1.0");
    change_externally(&mut hand, &broken);
    assert!(hand.shows("1 new error") || hand.shows("new errors"), "{}", hand.screen());
    assert!(hand.shows(" Changed on disk ") && !hand.shows("went wrong"), "{}", hand.screen());
    // Fixed by an edit.
    hand.press("l l g e ctrl-u 'ship.v1.0.0' enter");
    assert!(!hand.shows(" Changed on disk "), "{}", hand.screen());
    // Fixed by the other program.
    let mut hand = open_ship();
    change_externally(&mut hand, &broken);
    change_externally(&mut hand, SHIP_CATALOG);
    assert!(hand.model.notices.persistent.is_empty(), "{:?}", hand.model.notices.persistent);
}

/// Keys pressed before a question appears do not answer it.
#[test]
fn keys_typed_ahead_do_not_answer_an_unseen_question() {
    let mut hand = ExplorerDriver::before_loading(vec![catalog_source()], Settings::default(), 100, 30);
    let left_over = UnsavedEdits {
        journal: PathBuf::from("journal"),
        age: Duration::from_secs(200),
        edits: vec![range_edit()],
    };
    let outcomes = vec![LoadOutcome {
        source: catalog_source(),
        result: Ok(snapshot_from_text(SHIP_CATALOG)),
        recoverable_edits: Some(left_over),
    }];
    let asked = Arc::clone(hand.model.session.jobs.load_request().unwrap());
    hand.press("enter");
    // No frame is drawn between the message and the key.
    update(&mut hand.model, Msg::answer(asked, LoadAnswer::Done(outcomes)));
    for code in [KeyCode::Enter, KeyCode::Char('d')] {
        update(&mut hand.model, Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    }
    assert_eq!((hand.model.dialogs.len(), hand.model.session.catalogs.unsaved_count()), (1, 0));
    hand.send(Msg::FocusGained);
    hand.press("enter");
    assert_eq!(
        (hand.model.dialogs.len(), hand.model.session.catalogs.unsaved_count()),
        (0, 1),
        "{}",
        hand.screen()
    );
}

#[test]
fn external_change_waits_until_the_edit_form_is_closed() {
    let mut hand = open_ship();
    hand.press("l l e tab tab '>=1.0.0' space '<1.1.0'");
    hand.send(Msg::ChangedOnDisk(catalog_source()));
    let asks = |hand: &ExplorerDriver| hand.last_request::<DiskCheckRequest>().is_some();
    assert!(!asks(&hand), "the form is open");
    hand.press("enter");
    assert!(asks(&hand), "the form is closed");
    hand.press("e");
    answer_file_check(&mut hand, &SHIP_CATALOG.replace("# newest", "# best"));
    assert!(!current_text(&hand).contains("# best"), "another form is open");
    hand.press("esc");
    answer_file_check(&mut hand, &SHIP_CATALOG.replace("# newest", "# best"));
    assert!(
        current_text(&hand).contains("# best") && current_text(&hand).contains("skipRange"),
        "{}",
        current_text(&hand)
    );
}

#[test]
fn own_save_is_not_reported_as_an_external_change() {
    let mut hand = open_ship();
    add_skip_range(&mut hand);
    hand.press("ctrl-s enter");
    hand.send(Msg::ChangedOnDisk(catalog_source()));
    assert!(hand.last_request::<DiskCheckRequest>().is_none(), "it is being saved");
    hand.finish_saving();
    let asked = hand.last_request::<DiskCheckRequest>().unwrap();
    hand.answer(asked, None);
    assert!(!hand.shows("another program"), "{}", hand.screen());
}

/// Opens catalogs with one unsaved edit each, in the given batches, and restores the edits.
fn restore_batches(batches: &[Option<Batch>]) -> ExplorerDriver {
    let sources: Vec<Source> = (1..=batches.len()).map(|n| Source::Path(format!("v{n}").into())).collect();
    let mut hand = ExplorerDriver::before_loading(sources.clone(), Settings::default(), 100, 30);
    let outcome = |(source, batch): (Source, &Option<Batch>)| {
        let journal = PathBuf::from(format!("journal of {}", source.label()));
        let edit = RecordedEdit { batch: batch.clone(), ..RecordedEdit::clone(&range_edit()) };
        let left_over = UnsavedEdits { journal, age: Duration::from_secs(200), edits: vec![Arc::new(edit)] };
        LoadOutcome {
            source,
            result: Ok(snapshot_from_text(SHIP_CATALOG)),
            recoverable_edits: Some(left_over),
        }
    };
    let outcomes = sources.into_iter().zip(batches).map(outcome).collect();
    hand.finish_loads(outcomes);
    assert_eq!(hand.model.dialogs.len(), 1, "{}", hand.screen());
    assert!(hand.shows("3 edits of v1, v2, v3 were not saved"), "{}", hand.screen());
    hand.press("enter");
    assert_eq!(unsaved_counts(&hand), [1, 1, 1]);
    assert!(hand.shows("3 edits in 3 catalogs restored"), "{}", hand.screen());
    assert!(hand.model.dialogs.is_empty());
    let forgotten =
        hand.effects.iter().filter(|effect| matches!(effect, Effect::RemoveJournal { .. })).count();
    assert_eq!(forgotten, 3);
    hand
}

/// Returns the number of unsaved edits of each catalog.
fn unsaved_counts(hand: &ExplorerDriver) -> Vec<usize> {
    hand.model.session.catalogs.all().iter().map(OpenCatalog::unsaved_count).collect()
}

#[test]
fn restored_edit_of_several_catalogs_is_one_step_of_undo() {
    let batch = Some(Batch::unique());
    let mut hand = restore_batches(&[batch.clone(), batch.clone(), batch.clone()]);
    // The journals of this session contain the same batch.
    let journaled = hand.effects.iter().filter_map(|effect| match effect {
        Effect::WriteJournal { edits, .. } => edits.first().map(|edit| edit.batch.clone()),
        _ => None,
    });
    assert_eq!(journaled.collect::<Vec<_>>(), [batch.clone(), batch.clone(), batch]);
    hand.press("u");
    assert_eq!(unsaved_counts(&hand), [0, 0, 0], "{}", hand.screen());
    assert!(hand.shows("in 3 catalogs"), "{}", hand.screen());
}

#[test]
fn restored_edits_with_equal_titles_are_undone_one_by_one_if_made_independently() {
    let batch = Some(Batch::unique());
    // The edit of the first catalog is independent of the edits of the other two, which were made
    // together.
    let mut hand = restore_batches(&[Some(Batch::unique()), batch.clone(), batch]);
    hand.press("u");
    assert_eq!(unsaved_counts(&hand), [0, 1, 1], "{}", hand.screen());
    // Journals of earlier versions contain no batches.
    let mut hand = restore_batches(&[None, None, None]);
    hand.press("u");
    assert_eq!(unsaved_counts(&hand), [0, 1, 1], "{}", hand.screen());
}
