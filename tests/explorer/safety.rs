//! Tests of the effects of upgrade steps on a cluster.

use std::{fmt::Write as _, path::Path, sync::Arc};

use insta::assert_snapshot;
use olm_catalog::load::Progress;
use olm_check::{
    Finding,
    review::{DeferredChecks, PackageState, Snapshot},
};
use olm_source::ManifestSearchPath;
use olmap::tui::{Effect, LoadOutcome, Msg, Source, session::jobs::deferred_checks::DeferredCheckRequest};

use super::{
    base_comparison::package_yaml,
    support::{ExplorerDriver, check_package},
};

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

/// A refused step is the state of all versions whose path takes it.
#[test]
fn refused_step_later_on_the_path_is_named() {
    let entries = "- name: kettle.v1.1.0\n  replaces: kettle.v1.0.0\n- name: kettle.v1.0.0\n  replaces: kettle.v0.9.0\n\
                   - name: kettle.v0.9.0\n";
    let yaml = package_yaml("kettle", &[("stable", entries)], &["1.1.0", "1.0.0", "0.9.0"]);
    let mut hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
    hand.press("3");
    assert!(upgrade_row(&hand, "0.9.0").contains("ok"), "{}", hand.screen());
    answer_checks_with(&mut hand, Path::new(KETTLE_DIR));
    assert!(upgrade_row(&hand, "1.1.0").contains("ok"), "{}", hand.screen());
    assert!(upgrade_row(&hand, "1.0.0").contains("v1 refused  v1 refuses 1.1.0"), "{}", hand.screen());
    assert!(upgrade_row(&hand, "0.9.0").contains("v1 later refuses 1.1.0"), "{}", hand.screen());
    assert!(hand.shows("v1 refuses an upgrade of 2 versions"), "{}", hand.screen());
}

/// Returns the row of an installed version on Upgrades.
fn upgrade_row(hand: &ExplorerDriver, version: &str) -> String {
    let screen = hand.screen();
    let row = screen.lines().find(|line| line.trim_start_matches(['>', ' ']).starts_with(version));
    row.unwrap_or_else(|| panic!("{screen}")).to_owned()
}

/// Answers all requests for checks with the manifests of a folder.
fn answer_checks_with(hand: &mut ExplorerDriver, folder: &Path) {
    let search_path = ManifestSearchPath { folders: vec![folder.into()], ..ManifestSearchPath::default() };
    while let Some(asked) = hand.take_request::<DeferredCheckRequest>() {
        let checks = olmap::run_deferred_checks(asked.package.as_ref(), &asked.snapshot, &search_path, None);
        hand.answer(asked, checks);
    }
}

/// Each OLM has its own verdict on a step that both refuse. Neither is named alone.
#[test]
fn step_that_both_refuse_names_both() {
    let root = create_two_operators();
    let folder = root.path().join("operators/kettle");
    // The new CRD does not have the stored version.
    let crd = folder.join("1.1.0/manifests/kettles.crd.yaml");
    let text = std::fs::read_to_string(&crd).unwrap();
    std::fs::write(&crd, text.replace("name: v1\n", "name: v2\n")).unwrap();
    let entries = "- name: kettle.v1.1.0\n  replaces: kettle.v1.0.0\n- name: kettle.v1.0.0\n";
    let yaml = package_yaml("kettle", &[("stable", entries)], &["1.1.0", "1.0.0"]);
    let mut hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
    hand.press("3");
    answer_checks_with(&mut hand, &folder);
    let row = upgrade_row(&hand, "1.0.0");
    assert!(row.contains("  refused") && row.contains("both refuse 1.1.0"), "{}", hand.screen());
}

/// Without manifests, nearly nothing of two bundles is compared.
#[test]
fn comparison_without_manifests_is_not_called_equal() {
    let entries = "- name: kettle.v1.1.0\n  replaces: kettle.v1.0.0\n- name: kettle.v1.0.0\n";
    let yaml = package_yaml("kettle", &[("stable", entries)], &["1.1.0", "1.0.0"]);
    let mut hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
    hand.press("l l V");
    assert!(hand.shows("no difference in what was compared"), "{}", hand.screen());
    assert!(hand.shows("not compared: not in this catalog"), "{}", hand.screen());
}

/// Bundle directories that are open have the manifests of the other open catalogs.
#[test]
fn open_bundle_directories_are_searched_for_manifests() {
    let entries = "- name: kettle.v1.1.0\n  replaces: kettle.v1.0.0\n- name: kettle.v1.0.0\n";
    let yaml = package_yaml("kettle", &[("stable", entries)], &["1.1.0", "1.0.0"]);
    let mut hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
    let is_used = |effect: &Effect| matches!(effect, Effect::UseBundleDirectory { .. });
    assert!(!hand.effects.iter().any(is_used));
    // The catalog is checked before the directories are opened.
    while let Some(asked) = hand.take_request::<DeferredCheckRequest>() {
        hand.answer(asked, Vec::new());
    }
    hand.press("ctrl-o").send(Msg::Paste(KETTLE_DIR.to_owned()));
    hand.press("enter");
    let catalog = olm_source::open_path(
        Path::new(KETTLE_DIR),
        &olm_source::OpenOptions::default(),
        &Progress::default(),
    );
    hand.finish_loads(vec![LoadOutcome {
        source: Source::Path(KETTLE_DIR.into()),
        result: Ok(Arc::new(Snapshot::new(catalog.unwrap()))),
        recoverable_edits: None,
    }]);
    let used: Vec<_> = hand.effects.iter().filter(|effect| is_used(effect)).collect();
    let [Effect::UseBundleDirectory { package, path }] = used.as_slice() else { panic!("{used:?}") };
    assert_eq!((package.as_str(), path.parent()), ("kettle", Some(Path::new(KETTLE_DIR))));
    assert!(requested_packages(&hand).iter().any(|package| package.package().name.as_str() == "kettle"));
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
