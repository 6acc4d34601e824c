//! Tests of restoring edits after external changes and after a crash.

use std::{path::PathBuf, sync::Arc, time::Duration};

use olmap::{
    app::{
        Effect, LoadOutcome, Msg, NotSaved, Settings, Source, parts::notice::Tone, update,
        work::outcome::LeftOver,
    },
    catalog::{blob::EntrySpec, load},
    edit::{Batch, Edit, Recorded},
    review::Snapshot,
};

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::support::Hand;

const SHIP: &str = "\
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

fn source() -> Source {
    Source::Path(PathBuf::from("catalog"))
}

fn state(text: &str) -> Arc<Snapshot> {
    Arc::new(Snapshot::new(load::from_bytes(text.as_bytes().to_vec())))
}

fn ship() -> Hand {
    Hand::open(source(), load::from_bytes(SHIP.as_bytes().to_vec()), 100, 30)
}

/// Adds a skipRange to 1.1.0.
fn with_range(hand: &mut Hand) {
    hand.press("l l e tab tab '>=1.0.0' space '<1.1.0' enter");
    assert_eq!(hand.model.session.unsaved(), 1, "{}", hand.screen());
}

fn text_now(hand: &Hand) -> String {
    String::from_utf8(hand.model.session.snapshot().unwrap().catalog.files()[0].bytes()).unwrap()
}

/// Returns the edits in the last journal effect.
fn journaled(hand: &Hand) -> Option<Vec<String>> {
    hand.effects.iter().rev().find_map(|effect| match effect {
        Effect::Journal { edits, .. } => Some(edits.iter().map(|edit| edit.edit.title()).collect()),
        _ => None,
    })
}

fn range_edit() -> Arc<Recorded> {
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
    Arc::new(Recorded::new(&load::from_bytes(SHIP.as_bytes().to_vec()), edit))
}

/// Opens a catalog with unsaved edits from an earlier session.
fn opened_with_left_over(text: &str, settings: Settings) -> Hand {
    let mut hand = Hand::starting(vec![source()], settings, 100, 30);
    let journal = PathBuf::from("journal");
    let left_over = LeftOver { journal, age: Duration::from_secs(200), edits: vec![range_edit()] };
    let outcomes =
        vec![LoadOutcome { source: source(), result: Ok(state(text)), left_over: Some(left_over) }];
    hand.send(Msg::Loaded { generation: hand.model.session.generation, outcomes });
    hand
}

fn forgotten(hand: &Hand) -> bool {
    hand.effects.iter().any(|effect| matches!(effect, Effect::Forget { .. }))
}

#[test]
fn edits_are_made_again_on_what_somebody_else_wrote() {
    let mut hand = ship();
    with_range(&mut hand);
    hand.press("ctrl-s enter");
    let written = hand.model.session.snapshot().unwrap().clone();
    let changed = "catalog.yaml changed on disk since it was loaded".to_owned();
    hand.send(Msg::Saved {
        written: vec![(0, written)],
        outcome: Err(NotSaved::ChangedOnDisk(changed)),
        warning: None,
    });
    assert!(hand.shows("Nothing was saved"), "{}", hand.screen());
    hand.press("enter");
    assert!(matches!(hand.effects.last(), Some(Effect::Load { .. })));
    hand.loaded(source(), Ok(state(&SHIP.replace("# newest", "# best"))));
    assert!(
        text_now(&hand).contains("# best") && text_now(&hand).contains("skipRange"),
        "{}",
        text_now(&hand)
    );
    assert_eq!(hand.model.session.unsaved(), 1);
    hand.press("u");
    assert_eq!(text_now(&hand), SHIP.replace("# newest", "# best"));
}

#[test]
fn an_edit_that_somebody_elses_is_in_the_way_of_is_named_and_left_out() {
    let mut hand = ship();
    with_range(&mut hand);
    hand.press("r");
    let theirs = SHIP.replace("  replaces: ship.v1.0.0", "  skips: [ship.v1.0.0]");
    hand.loaded(source(), Ok(state(&theirs)));
    assert!(hand.shows("1 edit not restored"), "{}", hand.screen());
    assert!(hand.shows("now skips ship.v1.0.0"), "{}", hand.screen());
    hand.press("esc");
    assert_eq!((text_now(&hand), hand.model.session.unsaved()), (theirs, 0));
}

#[test]
fn journal_follows_edits_undo_redo_and_save() {
    let mut hand = ship();
    assert_eq!(journaled(&hand), None, "nothing was edited");
    with_range(&mut hand);
    assert_eq!(journaled(&hand).unwrap().len(), 1);
    hand.press("u");
    assert_eq!(journaled(&hand).unwrap().len(), 0);
    hand.press("ctrl-r");
    assert_eq!(journaled(&hand).unwrap().len(), 1);
    hand.press("ctrl-s enter");
    hand.saved();
    assert_eq!(journaled(&hand).unwrap().len(), 0, "what is on disk needs no journal");
    let told = hand.effects.iter().filter(|effect| matches!(effect, Effect::Journal { .. })).count();
    hand.press("j k 2 1");
    let again = hand.effects.iter().filter(|effect| matches!(effect, Effect::Journal { .. })).count();
    assert_eq!(told, again, "it is told of news only");
}

#[test]
fn edits_after_undoing_a_saved_one_are_journaled() {
    let mut hand = ship();
    with_range(&mut hand);
    hand.press("ctrl-s enter");
    hand.saved();
    hand.press("1 u");
    assert_eq!(journaled(&hand).unwrap().len(), 0, "that a saved edit is undone is for undo alone");
    hand.press("g x space enter");
    assert_eq!(journaled(&hand).unwrap().len(), 1, "{}", hand.screen());
}

#[test]
fn edits_from_before_a_crash_come_back_when_one_wants_them() {
    let mut hand = opened_with_left_over(SHIP, Settings::default());
    assert!(
        hand.shows("1 edit of this catalog was not saved when olmap ended, 3 minutes ago"),
        "{}",
        hand.screen()
    );
    assert!(hand.shows("ship.v1.1.0 in stable: replaces ship.v1.0.0, skipRange <1.1.0"), "{}", hand.screen());
    hand.press("enter");
    assert!(text_now(&hand).contains("  skipRange: <1.1.0\n"), "{}", text_now(&hand));
    let kept = hand.effects.iter().position(|effect| matches!(effect, Effect::Journal { .. }));
    let gone = hand.effects.iter().position(|effect| matches!(effect, Effect::Forget { .. }));
    assert!(
        kept.is_some() && kept < gone,
        "the old journal goes once the new one is there: {:?}",
        hand.effects
    );
    hand.press("u");
    assert_eq!(text_now(&hand), SHIP);
}

#[test]
fn recovered_edits_are_discarded_or_kept_for_later() {
    let mut hand = opened_with_left_over(SHIP, Settings::default());
    hand.press("d");
    assert!(forgotten(&hand) && hand.model.session.unsaved() == 0);
    let mut hand = opened_with_left_over(SHIP, Settings::default());
    hand.press("esc");
    assert!(!forgotten(&hand) && hand.model.session.unsaved() == 0);
}

#[test]
fn edits_from_before_a_crash_that_cannot_be_made_are_named() {
    let theirs = SHIP.replace("- name: ship.v1.1.0   # newest\n  replaces: ship.v1.0.0\n", "");
    let mut hand = opened_with_left_over(&theirs, Settings::default());
    hand.press("enter");
    assert!(hand.shows("1 edit not restored"), "{}", hand.screen());
    assert_eq!(text_now(&hand), theirs);
}

#[test]
fn recovered_edits_are_not_offered_in_read_only_mode() {
    let settings = Settings { read_only: Some("a test".to_owned()), ..Settings::default() };
    let hand = opened_with_left_over(SHIP, settings);
    assert!(hand.model.dialogs.is_empty());
    assert!(!forgotten(&hand));
}

/// Simulates an external change that the explorer detects.
fn written_by_another(hand: &mut Hand, text: &str) {
    hand.send(Msg::Touched(source()));
    looked_at(hand, text);
}

/// Answers the last request to check the files.
fn looked_at(hand: &mut Hand, text: &str) {
    let asked = hand.effects.iter().rev().find_map(|effect| match effect {
        Effect::LookAgain { source, baseline } => Some((source.clone(), baseline.clone())),
        _ => None,
    });
    let (source, baseline) = asked.unwrap();
    let news = LoadOutcome { source: source.clone(), result: Ok(state(text)), left_over: None };
    hand.send(Msg::LookedAgain { source, baseline, news: Some(news) });
}

#[test]
fn external_change_is_loaded_and_keeps_selection_and_edits() {
    let mut hand = ship();
    with_range(&mut hand);
    hand.press("2 j");
    let selected = hand.model.session.selection().clone();
    written_by_another(&mut hand, &SHIP.replace("# newest", "# best"));
    assert!(hand.shows("changed on disk: reloaded, your edits are kept"), "{}", hand.screen());
    assert!(
        text_now(&hand).contains("# best") && text_now(&hand).contains("skipRange"),
        "{}",
        text_now(&hand)
    );
    assert_eq!((hand.model.session.selection(), hand.model.session.unsaved()), (&selected, 1));
}

#[test]
fn external_change_that_breaks_the_catalog_is_a_warning() {
    let mut hand = ship();
    with_range(&mut hand);
    // The entry has changed, so the edit is not restored.
    written_by_another(&mut hand, &SHIP.replace("replaces: ship.v1.0.0", "skips: [ship.v1.0.0]"));
    assert_eq!(hand.model.session.unsaved(), 0);
    let last = hand.model.notices.log.last().unwrap();
    assert!(last.tone != Tone::Done && last.text.contains("all your edits are obsolete"), "{last:?}");
    hand.press("enter");
    written_by_another(&mut hand, &SHIP.replace("replaces: ship.v1.0.0", "replaces: ["));
    let standing = hand.model.notices.standing.last().unwrap();
    assert!(standing.1.text.contains("1 new error"), "{standing:?}");
    written_by_another(&mut hand, "");
    assert!(hand.shows("it has no packages now"), "{}", hand.screen());
}

/// A change by another program is not reported as an error, and its notice is cleared once
/// obsolete.
#[test]
fn notice_about_external_change_is_cleared_when_obsolete() {
    let mut hand = ship();
    let broken = SHIP.replace("replaces: ship.v1.0.0", "replaces: ship.v1.1.0");
    written_by_another(&mut hand, &broken);
    assert!(hand.shows("1 new error") || hand.shows("new errors"), "{}", hand.screen());
    assert!(hand.shows(" Changed on disk ") && !hand.shows("went wrong"), "{}", hand.screen());
    // Fixed by an edit.
    hand.press("l l g e ctrl-u 'ship.v1.0.0' enter");
    assert!(!hand.shows(" Changed on disk "), "{}", hand.screen());
    // Fixed by the other program.
    let mut hand = ship();
    written_by_another(&mut hand, &broken);
    written_by_another(&mut hand, SHIP);
    assert!(hand.model.notices.standing.is_empty(), "{:?}", hand.model.notices.standing);
}

/// Keys pressed before a question appears do not answer it.
#[test]
fn keys_typed_ahead_do_not_answer_an_unseen_question() {
    let mut hand = Hand::starting(vec![source()], Settings::default(), 100, 30);
    let left_over = LeftOver {
        journal: PathBuf::from("journal"),
        age: Duration::from_secs(200),
        edits: vec![range_edit()],
    };
    let outcomes =
        vec![LoadOutcome { source: source(), result: Ok(state(SHIP)), left_over: Some(left_over) }];
    let generation = hand.model.session.generation;
    hand.press("enter");
    // No frame is drawn between the message and the key.
    update(&mut hand.model, Msg::Loaded { generation, outcomes });
    for code in [KeyCode::Enter, KeyCode::Char('d')] {
        update(&mut hand.model, Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    }
    assert_eq!((hand.model.dialogs.len(), hand.model.session.unsaved()), (1, 0));
    hand.send(Msg::FocusGained);
    hand.press("enter");
    assert_eq!((hand.model.dialogs.len(), hand.model.session.unsaved()), (0, 1), "{}", hand.screen());
}

#[test]
fn external_change_waits_until_the_edit_form_is_closed() {
    let mut hand = ship();
    hand.press("l l e tab tab '>=1.0.0' space '<1.1.0'");
    hand.send(Msg::Touched(source()));
    let asks = |hand: &Hand| hand.effects.iter().any(|effect| matches!(effect, Effect::LookAgain { .. }));
    assert!(!asks(&hand), "the form is open");
    hand.press("enter");
    assert!(asks(&hand), "the form is closed");
    hand.press("e");
    looked_at(&mut hand, &SHIP.replace("# newest", "# best"));
    assert!(!text_now(&hand).contains("# best"), "another form is open");
    hand.press("esc");
    looked_at(&mut hand, &SHIP.replace("# newest", "# best"));
    assert!(
        text_now(&hand).contains("# best") && text_now(&hand).contains("skipRange"),
        "{}",
        text_now(&hand)
    );
}

#[test]
fn own_save_is_not_reported_as_an_external_change() {
    let mut hand = ship();
    with_range(&mut hand);
    hand.press("ctrl-s enter");
    hand.send(Msg::Touched(source()));
    assert!(
        !hand.effects.iter().any(|effect| matches!(effect, Effect::LookAgain { .. })),
        "it is being saved"
    );
    hand.saved();
    let baseline = hand.model.session.open[0].baseline.clone();
    assert!(hand.effects.iter().any(|effect| matches!(effect, Effect::LookAgain { .. })));
    hand.send(Msg::LookedAgain { source: source(), baseline, news: None });
    assert!(!hand.shows("another program"), "{}", hand.screen());
}

/// Opens catalogs with one unsaved edit each, in the given batches, and restores the edits.
fn restored(batches: &[Option<Batch>]) -> Hand {
    let sources: Vec<Source> = (1..=batches.len()).map(|n| Source::Path(format!("v{n}").into())).collect();
    let mut hand = Hand::starting(sources.clone(), Settings::default(), 100, 30);
    let outcome = |(source, batch): (Source, &Option<Batch>)| {
        let journal = PathBuf::from(format!("journal of {}", source.label()));
        let edit = Recorded { batch: batch.clone(), ..Recorded::clone(&range_edit()) };
        let left_over = LeftOver { journal, age: Duration::from_secs(200), edits: vec![Arc::new(edit)] };
        LoadOutcome { source, result: Ok(state(SHIP)), left_over: Some(left_over) }
    };
    let outcomes = sources.into_iter().zip(batches).map(outcome).collect();
    hand.send(Msg::Loaded { generation: hand.model.session.generation, outcomes });
    assert_eq!(hand.model.dialogs.len(), 1, "{}", hand.screen());
    assert!(hand.shows("3 edits of v1, v2, v3 were not saved"), "{}", hand.screen());
    hand.press("enter");
    assert_eq!(unsaved(&hand), [1, 1, 1]);
    assert!(hand.shows("3 edits in 3 catalogs restored"), "{}", hand.screen());
    assert!(hand.model.dialogs.is_empty());
    let forgotten = hand.effects.iter().filter(|effect| matches!(effect, Effect::Forget { .. })).count();
    assert_eq!(forgotten, 3);
    hand
}

/// Returns the number of unsaved edits of each catalog.
fn unsaved(hand: &Hand) -> Vec<usize> {
    hand.model.session.open.iter().map(|open| open.history.unsaved(&open.baseline)).collect()
}

#[test]
fn restored_edit_of_several_catalogs_is_one_step_of_undo() {
    let batch = Some(Batch::unique());
    let mut hand = restored(&[batch.clone(), batch.clone(), batch.clone()]);
    // The journals of this session contain the same batch.
    let journaled = hand.effects.iter().filter_map(|effect| match effect {
        Effect::Journal { edits, .. } => edits.first().map(|edit| edit.batch.clone()),
        _ => None,
    });
    assert_eq!(journaled.collect::<Vec<_>>(), [batch.clone(), batch.clone(), batch]);
    hand.press("u");
    assert_eq!(unsaved(&hand), [0, 0, 0], "{}", hand.screen());
    assert!(hand.shows("in 3 catalogs"), "{}", hand.screen());
}

#[test]
fn restored_edits_with_equal_titles_are_undone_one_by_one_if_made_independently() {
    let batch = Some(Batch::unique());
    // The edit of the first catalog is independent of the edits of the other two, which were made
    // together.
    let mut hand = restored(&[Some(Batch::unique()), batch.clone(), batch]);
    hand.press("u");
    assert_eq!(unsaved(&hand), [0, 1, 1], "{}", hand.screen());
    // Journals of earlier versions contain no batches.
    let mut hand = restored(&[None, None, None]);
    hand.press("u");
    assert_eq!(unsaved(&hand), [0, 1, 1], "{}", hand.screen());
}
