//! Tests of the effects of upgrade steps on a cluster.

use std::{fmt::Write as _, path::Path, sync::Arc};

use insta::assert_snapshot;
use olm_catalog::load::Progress;
use olm_check::{
    Finding,
    review::{DeferredChecks, PackageState},
};
use olmap::tui::{Source, session::jobs::deferred_checks::DeferredCheckRequest};

use super::support::{ExplorerDriver, check_package};

const KETTLE_DIR: &str = "tests/fixtures/safety/kettle";

fn open_kettle(columns: u16, rows: u16) -> ExplorerDriver {
    let catalog = olm_source::open_path(
        Path::new(KETTLE_DIR),
        &olm_source::OpenOptions::default(),
        &Progress::default(),
    )
    .unwrap();
    ExplorerDriver::open_source(Source::Path(KETTLE_DIR.into()), catalog, columns, rows)
}

/// Returns the packages that were requested by name.
fn requested_packages(hand: &ExplorerDriver) -> Vec<Arc<PackageState>> {
    hand.requests::<DeferredCheckRequest>().iter().filter_map(|asked| asked.package.clone()).collect()
}

/// Returns a result in which no step is known.
fn unknown_safety() -> DeferredChecks {
    DeferredChecks { safety: Some(Arc::default()), is_refused_by_v1: false, template: None }
}

/// Delivers results for the package that was requested last.
fn answer_package_check(hand: &mut ExplorerDriver, results: Vec<(Arc<PackageState>, DeferredChecks)>) {
    let mut requests = hand.requests::<DeferredCheckRequest>().into_iter();
    let asked = requests.rfind(|asked| asked.package.is_some()).unwrap();
    hand.answer(asked, results);
}

/// Answers the last request; returns the number of requests.
fn answer_last_check(hand: &mut ExplorerDriver) -> usize {
    let asked = requested_packages(hand);
    let package = asked.last().unwrap();
    let snapshot = hand.model.session.snapshot().unwrap().clone();
    let judged = vec![check_package(package, &snapshot)];
    answer_package_check(hand, judged);
    asked.len()
}

/// Answers the request for all remaining packages; returns their number. `None` if there is no such
/// request.
fn answer_remaining_checks(hand: &mut ExplorerDriver) -> Option<usize> {
    let mut requests = hand.requests::<DeferredCheckRequest>().into_iter();
    let asked = requests.rfind(|asked| asked.package.is_none())?;
    let all = Arc::clone(&asked.snapshot);
    hand.effects.clear();
    let packages = all.packages().map(|(_, package)| package);
    let judged: Vec<_> = packages
        .filter(|package| package.safety().is_none())
        .map(|package| check_package(package, &all))
        .collect();
    let count = judged.len();
    hand.answer(asked, judged);
    Some(count)
}

#[test]
fn refused_steps_at_three_sizes() {
    let mut all = String::new();
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = open_kettle(columns, rows);
        hand.press("l l G");
        answer_last_check(&mut hand);
        for key in ["2", "3"] {
            hand.press(key);
            let _ = write!(all, "== {key} at {columns}x{rows}\n{}", hand.screen());
        }
    }
    let mut hand = open_kettle(80, 24);
    answer_last_check(&mut hand);
    hand.model.settings.ascii = true;
    hand.press("2 G");
    let screen = hand.screen();
    assert!(screen.is_ascii(), "{screen}");
    let _ = write!(all, "== ASCII\n{screen}");
    assert_snapshot!(all);
}

/// Creates two operators with the same bundles under different names.
fn create_two_operators() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for name in ["kettle", "teapot"] {
        for version in ["1.0.0", "1.1.0"] {
            for file in [
                "manifests/kettle.clusterserviceversion.yaml",
                "manifests/kettles.crd.yaml",
                "metadata/annotations.yaml",
            ] {
                let text = std::fs::read_to_string(Path::new(KETTLE_DIR).join(version).join(file)).unwrap();
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
    let root = create_two_operators();
    let catalog =
        olm_source::open_path(root.path(), &olm_source::OpenOptions::default(), &Progress::default())
            .unwrap();
    let mut hand = ExplorerDriver::open_source(Source::Path(root.path().into()), catalog, 120, 36);
    let asked = |hand: &ExplorerDriver| -> Vec<String> {
        requested_packages(hand).iter().map(|judged| judged.package().name.to_string()).collect()
    };
    let judged = hand.model.session.selected_package().unwrap().clone();
    hand.press("j");
    assert_eq!(asked(&hand), ["kettle"], "the first is not answered yet");
    answer_package_check(&mut hand, vec![(judged, unknown_safety())]);
    assert_eq!(asked(&hand), ["kettle", "teapot"]);
    hand.press("k j k");
    assert_eq!(asked(&hand).len(), 2, "what is known is not asked for again");
}

#[test]
fn checked_package_is_not_requested_again() {
    let mut hand = open_kettle(120, 36);
    assert_eq!(answer_last_check(&mut hand), 1);
    hand.press("2 3 1 j k");
    assert_eq!(answer_last_check(&mut hand), 1, "nothing changed");
    hand.press("2");
    assert!(hand.shows("v1 refuses from 1.0.0"), "{}", hand.screen());
}

/// Results from before an edit do not apply to the edited package.
#[test]
fn stale_check_is_dropped() {
    let mut hand = ExplorerDriver::demo(120, 36);
    let judged = hand.model.session.selected_package().unwrap().clone();
    let snapshot = Arc::clone(hand.model.session.snapshot().unwrap());
    let asked = DeferredCheckRequest { package: Some(Arc::clone(&judged)), snapshot };
    hand.answer(Arc::new(asked), vec![(judged.clone(), unknown_safety())]);
    assert!(hand.model.session.catalogs.safety().is_some());
    hand.press("d 'x' enter");
    hand.press("enter");
    let now = hand.model.session.selected_package().unwrap();
    assert!(!Arc::ptr_eq(now, &judged), "the edit was made: {}", hand.screen());
    assert!(hand.model.session.catalogs.safety().is_none());
}

/// Findings about steps appear like all others, once no dialog is open.
#[test]
fn steps_of_all_packages_become_findings() {
    let root = create_two_operators();
    let catalog =
        olm_source::open_path(root.path(), &olm_source::OpenOptions::default(), &Progress::default())
            .unwrap();
    let mut hand = ExplorerDriver::open_source(Source::Path(root.path().into()), catalog, 120, 36);
    let unsafe_steps = |hand: &ExplorerDriver| -> Vec<String> {
        let snapshot = hand.model.session.snapshot().unwrap();
        let found = snapshot.findings().filter(|finding| finding.rule.id == "crd-upgrade-unsafe-v1");
        found.map(|finding| finding.package.as_ref().unwrap().to_string()).collect()
    };
    let before = hand.model.session.snapshot().unwrap().count_findings();
    assert_eq!(unsafe_steps(&hand), [""; 0]);
    hand.press("e");
    assert_eq!(answer_remaining_checks(&mut hand), Some(2));
    assert_eq!(unsafe_steps(&hand), [""; 0], "a dialog shows what follows from the state that is there");
    hand.press("esc");
    assert_eq!(unsafe_steps(&hand), ["kettle", "teapot"]);
    let snapshot = hand.model.session.snapshot().unwrap();
    assert_eq!(snapshot.count_findings(), snapshot.findings().map(Finding::finding_count).sum::<usize>());
    assert!(snapshot.count_findings() > before);
    assert_eq!(answer_remaining_checks(&mut hand), Some(0), "nothing is left to be judged");
    hand.press("4");
    assert!(hand.shows("crd-upgrade-unsafe-v1"), "{}", hand.screen());
    assert_eq!(answer_remaining_checks(&mut hand), None);
}
