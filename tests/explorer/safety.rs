//! Tests of the effects of upgrade steps on a cluster.

use std::{fmt::Write as _, path::Path, sync::Arc};

use insta::assert_snapshot;
use olmap::{
    app::{Effect, Msg, Source},
    catalog::load::Progress,
    review::{Judged, Learned, Snapshot},
    source::{self, Shelves, Sight},
    upgrade::safety::{Grounds, Neighbours, PackageSafety},
    validate::Diagnostic,
};

use super::support::Hand;

const KETTLE: &str = "tests/fixtures/safety/kettle";

fn kettle(columns: u16, rows: u16) -> Hand {
    let catalog =
        source::open(Path::new(KETTLE), &olmap::source::How::default(), &Progress::default()).unwrap();
    Hand::open(Source::Path(KETTLE.into()), catalog, columns, rows)
}

/// Returns the packages that were requested by name.
fn asked(hand: &Hand) -> Vec<Arc<Judged>> {
    let package = |effect: &Effect| match effect {
        Effect::Learn { package, .. } => package.clone(),
        _ => None,
    };
    hand.effects.iter().filter_map(package).collect()
}

fn judged(package: &Arc<Judged>, snapshot: &Snapshot) -> (Arc<Judged>, Learned) {
    let progress = Progress::default();
    let shelves = Shelves::new(&snapshot.catalog, &Sight::default(), &progress).unwrap();
    let neighbours = Neighbours::of(&snapshot.catalog);
    let grounds = Grounds { manifests: &shelves, neighbours: &neighbours, memory: None };
    let safety = Some(Arc::new(PackageSafety::judge(&package.graph, grounds)));
    (package.clone(), Learned { safety, is_refused_by_v1: false, template: None })
}

/// Returns a result in which no step is known.
fn nothing() -> Learned {
    Learned { safety: Some(Arc::default()), is_refused_by_v1: false, template: None }
}

/// Answers the last request; returns the number of requests.
fn judge(hand: &mut Hand) -> usize {
    let asked = asked(hand);
    let package = asked.last().unwrap();
    let snapshot = hand.model.session.snapshot().unwrap().clone();
    let judged = vec![judged(package, &snapshot)];
    hand.send(Msg::Learned { all_of: None, learned: judged });
    asked.len()
}

/// Answers the request for all remaining packages; returns their number. `None` if there is no such
/// request.
fn sweep(hand: &mut Hand) -> Option<usize> {
    let all = hand.effects.iter().rev().find_map(|effect| match effect {
        Effect::Learn { package: None, snapshot } => Some(snapshot.clone()),
        _ => None,
    })?;
    hand.effects.clear();
    let packages = all.packages().map(|(_, package)| package);
    let judged: Vec<_> =
        packages.filter(|package| package.safety().is_none()).map(|package| judged(package, &all)).collect();
    let count = judged.len();
    hand.send(Msg::Learned { all_of: Some(all), learned: judged });
    Some(count)
}

#[test]
fn refused_steps_at_three_sizes() {
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

/// Creates two operators with the same bundles under different names.
fn two_operators() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for name in ["kettle", "teapot"] {
        for version in ["1.0.0", "1.1.0"] {
            for file in [
                "manifests/kettle.clusterserviceversion.yaml",
                "manifests/kettles.crd.yaml",
                "metadata/annotations.yaml",
            ] {
                let text = std::fs::read_to_string(Path::new(KETTLE).join(version).join(file)).unwrap();
                let path = root.path().join("operators").join(name).join(version).join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text.replace("kettle", name)).unwrap();
            }
        }
    }
    root
}

/// Only one package is checked at a time, then the selected one.
#[test]
fn packages_are_checked_one_at_a_time() {
    let root = two_operators();
    let catalog = source::open(root.path(), &olmap::source::How::default(), &Progress::default()).unwrap();
    let mut hand = Hand::open(Source::Path(root.path().into()), catalog, 120, 36);
    let asked = |hand: &Hand| -> Vec<String> {
        asked(hand).iter().map(|judged| judged.package().name.to_string()).collect()
    };
    let judged = hand.model.session.package().unwrap().clone();
    hand.press("j");
    assert_eq!(asked(&hand), ["kettle"], "the first is not answered yet");
    hand.send(Msg::Learned { all_of: None, learned: vec![(judged, nothing())] });
    assert_eq!(asked(&hand), ["kettle", "teapot"]);
    hand.press("k j k");
    assert_eq!(asked(&hand).len(), 2, "what is known is not asked for again");
}

#[test]
fn checked_package_is_not_requested_again() {
    let mut hand = kettle(120, 36);
    assert_eq!(judge(&mut hand), 1);
    hand.press("2 3 1 j k");
    assert_eq!(judge(&mut hand), 1, "nothing changed");
    hand.press("2");
    assert!(hand.shows("v1 refuses from 1.0.0"), "{}", hand.screen());
}

/// Results from before an edit do not apply to the edited package.
#[test]
fn stale_check_is_dropped() {
    let mut hand = Hand::demo(120, 36);
    let judged = hand.model.session.package().unwrap().clone();
    hand.send(Msg::Learned { all_of: None, learned: vec![(judged.clone(), nothing())] });
    assert!(hand.model.session.safety().is_some());
    hand.press("d 'x' enter");
    hand.press("enter");
    let now = hand.model.session.package().unwrap();
    assert!(!Arc::ptr_eq(now, &judged), "the edit was made: {}", hand.screen());
    assert!(hand.model.session.safety().is_none());
}

/// Findings about steps appear like all others, once no dialog is open.
#[test]
fn steps_of_all_packages_become_findings() {
    let root = two_operators();
    let catalog = source::open(root.path(), &olmap::source::How::default(), &Progress::default()).unwrap();
    let mut hand = Hand::open(Source::Path(root.path().into()), catalog, 120, 36);
    let unsafe_steps = |hand: &Hand| -> Vec<String> {
        let snapshot = hand.model.session.snapshot().unwrap();
        let found = snapshot.findings().filter(|finding| finding.rule.id == "crd-upgrade-unsafe-v1");
        found.map(|finding| finding.package.as_ref().unwrap().to_string()).collect()
    };
    let before = hand.model.session.snapshot().unwrap().total();
    assert_eq!(unsafe_steps(&hand), [""; 0]);
    hand.press("e");
    assert_eq!(sweep(&mut hand), Some(2));
    assert_eq!(unsafe_steps(&hand), [""; 0], "a dialog shows what follows from the state that is there");
    hand.press("esc");
    assert_eq!(unsafe_steps(&hand), ["kettle", "teapot"]);
    let snapshot = hand.model.session.snapshot().unwrap();
    assert_eq!(snapshot.total(), snapshot.findings().map(Diagnostic::count).sum::<usize>());
    assert!(snapshot.total() > before);
    assert_eq!(sweep(&mut hand), Some(0), "nothing is left to be judged");
    hand.press("4");
    assert!(hand.shows("crd-upgrade-unsafe-v1"), "{}", hand.screen());
    assert_eq!(sweep(&mut hand), None);
}
