//! What upgrade steps do to a cluster, in the explorer.

use std::{fmt::Write as _, path::Path, sync::Arc};

use insta::assert_snapshot;
use olmap::{
    app::{Effect, Msg, Source},
    catalog::load::Progress,
    source::{self, Shelves},
    upgrade::safety::PackageSafety,
};

use super::support::Hand;

const KETTLE: &str = "tests/fixtures/safety/kettle";

fn kettle(columns: u16, rows: u16) -> Hand {
    let catalog = source::open(Path::new(KETTLE), None, &Progress::default()).unwrap();
    Hand::open(Source::Path(KETTLE.into()), catalog, columns, rows)
}

/// Answers what was asked last; how often it was asked.
fn judge(hand: &mut Hand) -> usize {
    let asked: Vec<_> = hand
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::JudgeSteps { judged, snapshot } => Some((judged.clone(), snapshot.clone())),
            _ => None,
        })
        .collect();
    let (judged, snapshot) = asked.last().cloned().unwrap();
    let shelves = Shelves::new(&snapshot.catalog, &[]).unwrap();
    let safety = Arc::new(PackageSafety::judge(&judged.graph, &shelves));
    hand.send(Msg::StepsJudged { judged, safety });
    asked.len()
}

#[test]
fn pictures_of_steps_that_are_refused() {
    let mut all = String::new();
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = kettle(columns, rows);
        hand.press("l l G");
        judge(&mut hand);
        for key in ["2", "3"] {
            hand.press(key);
            let _ = write!(all, "== {key} at {columns}x{rows}\n{}", hand.screen());
        }
    }
    let mut hand = kettle(80, 24);
    judge(&mut hand);
    hand.model.settings.ascii = true;
    hand.press("2 G");
    let screen = hand.screen();
    assert!(screen.is_ascii(), "{screen}");
    let _ = write!(all, "== ASCII\n{screen}");
    assert_snapshot!(all);
}

#[test]
fn steps_are_judged_once_and_again_after_an_edit() {
    let mut hand = kettle(120, 36);
    assert_eq!(judge(&mut hand), 1);
    hand.press("2 3 1 j k");
    assert_eq!(judge(&mut hand), 1, "nothing changed");
    hand.press("2");
    assert!(hand.shows("v1 refuses from 1.0.0"), "{}", hand.screen());
}

/// What was judged before an edit says nothing of the package as it is now.
#[test]
fn an_old_judgement_is_dropped() {
    let mut hand = Hand::demo(120, 36);
    let judged = hand.model.session.package().unwrap().clone();
    hand.send(Msg::StepsJudged { judged: judged.clone(), safety: Arc::default() });
    assert!(hand.model.session.safety().is_some());
    hand.press("d 'x' enter");
    hand.press("enter");
    let now = hand.model.session.package().unwrap();
    assert!(!Arc::ptr_eq(now, &judged), "the edit was made: {}", hand.screen());
    assert!(hand.model.session.safety().is_none());
}
