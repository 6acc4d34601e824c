//! Tests of stuck versions: every screen shows the same number, and `.` leads to the edit that
//! frees them.

use std::{fmt::Write as _, sync::Arc};

use insta::assert_snapshot;
use olm_check::review::{
    PackageState, Snapshot,
    stuck::{self, RemedyError, Scope},
};
use olm_upgrade::{
    Engine,
    stuck::{StuckReport, format_counts},
};
use olmap::tui::{
    Effect, Screen,
    parts::list::ListId,
    session::jobs::dialog_questions::PreviewRequest,
    work::{preview, remedy::RemedySearch},
};
use olmap_report::stuck::{describe_stuck_versions, format_stuck_title};

use super::{
    base_comparison::{package_yaml, selected_names},
    package_table::answer_overview_requests,
    plan::open_plan_catalogs,
    support::ExplorerDriver,
};

/// Returns a package `ship` with channels; the first one is the default. Each entry is a version
/// and its other keys as YAML flow.
fn ship_catalog(channels: &[(&str, &[(&str, &str)])], deprecated: &[&str]) -> String {
    let default = channels[0].0;
    let mut yaml = format!("---\nschema: olm.package\nname: ship\ndefaultChannel: {default}\n");
    let mut versions = std::collections::BTreeSet::new();
    for (name, entries) in channels {
        let _ = write!(yaml, "---\nschema: olm.channel\npackage: ship\nname: {name}\nentries:\n");
        for (version, keys) in *entries {
            versions.insert(*version);
            let gap = if keys.is_empty() { "" } else { ", " };
            let _ = writeln!(yaml, "- {{name: ship.v{version}{gap}{keys}}}");
        }
    }
    for version in versions {
        let _ = write!(
            yaml,
            "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: example.com/ship@sha256:{:064}\n\
             properties:\n- type: olm.package\n  value: {{packageName: ship, version: {version}}}\n",
            0
        );
    }
    if !deprecated.is_empty() {
        yaml += "---\nschema: olm.deprecations\npackage: ship\nentries:\n";
        for version in deprecated {
            let _ =
                write!(yaml, "- reference: {{schema: olm.bundle, name: ship.v{version}}}\n  message: old\n");
        }
    }
    yaml
}

/// Returns a channel in which all entries that upgrade 1.2.0 are skipped, and 1.1.0 leads to it.
fn dead_end_catalog() -> String {
    ship_catalog(
        &[(
            "stable",
            &[
                ("3.0.0", "replaces: ship.v2.0.0, skips: [ship.v2.0.0]"),
                ("2.0.0", "replaces: ship.v1.2.0"),
                ("1.2.0", "replaces: ship.v1.1.0"),
                ("1.1.0", ""),
            ],
        )],
        &[],
    )
}

/// Returns old channels whose heads have no upgrade.
fn old_channel_catalog() -> String {
    ship_catalog(
        &[
            ("stable", &[("2.1.0", "replaces: ship.v2.0.0"), ("2.0.0", "")]),
            ("old", &[("1.2.0", "replaces: ship.v1.1.0"), ("1.1.0", "replaces: ship.v1.0.0"), ("1.0.0", "")]),
            ("older", &[("0.9.0", "")]),
        ],
        &[],
    )
}

/// Returns channels whose picks lead back to each other.
fn cycle_catalog() -> String {
    ship_catalog(
        &[
            ("stable", &[("2.0.0", "")]),
            ("left", &[("1.1.0", "replaces: ship.v1.0.0"), ("1.0.0", "")]),
            ("right", &[("1.0.0", "replaces: ship.v1.1.0"), ("1.1.0", "")]),
        ],
        &[],
    )
}

/// Returns a channel whose upgrade is deprecated; OLM v1 does not upgrade to it.
fn deprecated_upgrade_catalog() -> String {
    ship_catalog(
        &[(
            "stable",
            &[("3.0.0", "replaces: ship.v2.0.0"), ("2.0.0", "replaces: ship.v1.0.0"), ("1.0.0", "")],
        )],
        &["2.0.0"],
    )
}

/// Returns a default channel with two heads.
fn no_head_catalog() -> String {
    ship_catalog(&[("stable", &[("2.0.0", ""), ("1.0.0", "")])], &[])
}

/// Answers searches and previews like the worker.
fn answer_requests(hand: &mut ExplorerDriver) {
    loop {
        if let Some(asked) = hand.take_request::<RemedySearch>() {
            let found = asked.search_remedies(&|_, _| None);
            hand.answer(asked, found);
        } else if let Some(asked) = hand.take_request::<PreviewRequest>() {
            let preview = asked.compute_preview();
            hand.answer(asked, preview);
        } else {
            break;
        }
    }
}

fn current_snapshot(hand: &ExplorerDriver) -> Arc<Snapshot> {
    Arc::clone(hand.model.session.snapshot().unwrap())
}

fn package_stuck(hand: &ExplorerDriver, package: &str) -> StuckReport {
    current_snapshot(hand).package(package).unwrap().graph.stuck().clone()
}

/// Returns the row of a list that starts with a name, ignoring marks.
fn find_row<'s>(screen: &'s str, name: &str) -> &'s str {
    let found = screen.lines().find(|line| line.trim_start_matches(['>', '▌', ' ', '*']).starts_with(name));
    found.unwrap_or_else(|| panic!("{name} is not listed:\n{screen}"))
}

/// Returns the numbers of stuck versions in the list of packages: one for both engines, or one for
/// each if they differ in any package.
fn stuck_cell(stuck: &StuckReport, all: &[StuckReport]) -> String {
    let counts = |stuck: &StuckReport| {
        let answer = stuck.answer.as_ref()?;
        Some((answer.classic.len(), answer.v1.len()))
    };
    let text = |count: Option<usize>| match count {
        None => "?".to_owned(),
        Some(0) => "-".to_owned(),
        Some(count) => count.to_string(),
    };
    let classic = text(counts(stuck).map(|(classic, _)| classic));
    let v1 = text(counts(stuck).map(|(_, v1)| v1));
    if all.iter().filter_map(counts).any(|(classic, v1)| classic != v1) {
        format!(" {classic:>7}{v1:>4} ")
    } else {
        format!(" {v1:>5} ")
    }
}

/// Asserts that every screen shows the same number of stuck versions of a package.
fn assert_same_number_everywhere(hand: &mut ExplorerDriver, package: &str) {
    let stuck = package_stuck(hand, package);
    let all: Vec<StuckReport> =
        current_snapshot(hand).packages().map(|(_, judged)| judged.graph.stuck().clone()).collect();
    let count = |engine| all.iter().map(|stuck| stuck.count_stuck(engine)).sum();
    let whole = format_stuck_title(count(Engine::Classic), count(Engine::V1));
    let first = |hand: &ExplorerDriver| hand.screen().lines().next().unwrap().to_owned();
    assert!(first(hand).contains(&whole), "{whole}:\n{}", hand.screen());
    let is_unknown = stuck.answer.is_none();
    assert_eq!(first(hand).contains("unknown"), is_unknown, "{}", hand.screen());
    hand.press(&format!("1 esc esc / '{package}' enter"));
    let screen = hand.screen();
    let cell = stuck_cell(&stuck, &all);
    assert!(find_row(&screen, package).contains(&cell), "{cell}:\n{screen}");
    let judged = Arc::clone(current_snapshot(hand).package(package).unwrap());
    let words = describe_stuck_versions(&stuck, |name| judged.package().short_name(name));
    if let Some(words) = words {
        let start: String = words.chars().take(60).collect();
        assert!(screen.contains(start.trim_end()), "{words}:\n{screen}");
    }
    let channels: Vec<String> =
        judged.graph.channels().iter().map(|channel| channel.graph.name().to_string()).collect();
    for channel in channels {
        hand.press("1 esc esc esc");
        hand.press(&format!("/ '{package}' enter l / '{channel}' enter"));
        let counts = stuck.count_in_channel(&judged.graph.channel(&channel).unwrap().graph);
        let Some((classic, v1)) = counts else { continue };
        if classic + v1 > 0 {
            let number = format_counts(classic, v1);
            let line = find_row(&hand.screen(), package).to_owned();
            // The mark of a deprecated channel can follow the number.
            let is_listed = ["", "D"].iter().any(|mark| line.contains(&format!(" {number}{mark} ")));
            assert!(is_listed, "{channel}: {number}:\n{}", hand.screen());
            hand.press("2");
            let rows = classic.max(v1);
            assert!(hand.shows(&format!("{rows} stuck")), "{channel}: {rows}:\n{}", hand.screen());
            assert!(hand.shows("STUCK"), "{channel}:\n{}", hand.screen());
            hand.press("3");
            assert!(hand.shows(&format!("{number} of ")), "{channel}: {number}:\n{}", hand.screen());
            assert!(hand.shows("stuck"), "{channel}:\n{}", hand.screen());
        }
    }
    hand.press("1");
}

/// The words between the numbers of stuck versions disappear before the names of channels are cut.
#[test]
fn numbers_of_stuck_versions_are_shorter_in_a_narrow_pane() {
    let entries = [
        ("3.0.0", "replaces: ship.v2.0.0, skips: [ship.v2.0.0]"),
        ("2.0.0", "replaces: ship.v1.2.0"),
        ("1.2.0", "replaces: ship.v1.1.0"),
        ("1.1.0", "replaces: ship.v1.0.0"),
        ("1.0.0", ""),
    ];
    let yaml = ship_catalog(&[("candidate", &entries), ("fast", &entries[..4])], &["1.1.0"]);
    let hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
    assert!(hand.shows("candidate ") && hand.shows("Classic 3, v1 1 "), "{}", hand.screen());
    let hand = ExplorerDriver::open_yaml(&yaml, 80, 24);
    assert!(hand.shows("candidate ") && hand.shows(" C:3 v1:1 "), "{}", hand.screen());
    assert!(hand.shows("fast ") && hand.shows(" C:2 "), "{}", hand.screen());
    // The table of several catalogs does the same.
    let mut hand = open_plan_catalogs(64, 18, &[("v4.18", yaml.clone()), ("v4.20", yaml)]);
    answer_overview_requests(&mut hand);
    assert!(hand.shows("3.0.0 E2 C:3 v1:1"), "{}", hand.screen());
}

#[test]
fn every_screen_shows_the_same_number_of_stuck_versions() {
    for (yaml, expected) in [
        (dead_end_catalog(), "Classic 2"),
        (old_channel_catalog(), "4"),
        (cycle_catalog(), "2"),
        (deprecated_upgrade_catalog(), "v1 1"),
        (no_head_catalog(), "?"),
    ] {
        let mut hand = ExplorerDriver::open_yaml(&yaml, 140, 40);
        assert_eq!(package_stuck(&hand, "ship").brief(), expected, "{yaml}");
        assert_same_number_everywhere(&mut hand, "ship");
    }
    for package in ["quill-operator", "granary-operator", "ballast-operator"] {
        let mut hand = ExplorerDriver::demo(140, 40);
        assert_same_number_everywhere(&mut hand, package);
    }
}

/// Number and reason are visible on the selected row. One key opens the edit, and four save it.
#[test]
fn four_keys_lead_from_a_package_to_the_saved_fix() {
    for yaml in [dead_end_catalog(), old_channel_catalog()] {
        let mut hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
        assert!(hand.shows("versions are stuck below"), "{}", hand.screen());
        hand.press(".");
        assert!(hand.shows("Looking for an edit"), "{}", hand.screen());
        answer_requests(&mut hand);
        assert!(hand.shows("frees all"), "{}", hand.screen());
        assert_eq!(hand.model.session.catalogs.unsaved_count(), 0, "it is shown, not made");
        hand.press("enter");
        assert_eq!(package_stuck(&hand, "ship").count_any(), 0, "{}", hand.screen());
        assert!(hand.screen().lines().next().unwrap().contains("0 stuck"), "{}", hand.screen());
        hand.press("ctrl-s enter");
        let is_written = hand.effects.iter().any(|effect| matches!(effect, Effect::Save { .. }));
        let asks_where = !hand.model.dialogs.is_empty();
        assert!(is_written || asks_where, "{}", hand.screen());
    }
}

#[test]
fn graph_shows_a_channel_that_has_the_version_of_upgrades() {
    let mut hand = ExplorerDriver::open_yaml(&old_channel_catalog(), 120, 36);
    hand.press("3 G");
    assert_eq!(selected_names(&hand), "ship stable ship.v0.9.0");
    hand.press("2");
    assert_eq!(selected_names(&hand), "ship older ship.v0.9.0");
    assert!(hand.shows("older has ship.v0.9.0, stable does not"), "{}", hand.screen());
    assert_eq!(hand.model.list_cursor(ListId::Graph), Some(0));
}

#[test]
fn filter_finds_packages_and_entries_with_stuck_versions() {
    let with_package = |name: &str| {
        let entry = format!("- name: {name}.v1.0.0\n");
        old_channel_catalog() + &package_yaml(name, &[("stable", &entry)], &["1.0.0"])
    };
    let mut hand = ExplorerDriver::open_yaml(&with_package("anchor"), 120, 36);
    hand.press("/ 'stuck' enter");
    assert!(hand.shows("Packages 1 of 2"), "{}", hand.screen());
    assert_eq!(hand.model.session.selection().package.as_ref().unwrap(), "ship");
    hand.press("l j l / 'stuck' enter");
    assert!(hand.shows("Entries 3  /stuck"), "{}", hand.screen());
    // A name that contains the text comes before the state.
    let mut hand = ExplorerDriver::open_yaml(&with_package("unstuck"), 120, 36);
    hand.press("/ 'stuck' enter");
    assert_eq!(hand.model.session.selection().package.as_ref().unwrap(), "unstuck", "{}", hand.screen());
}

/// The messages differ, but the stuck versions of a package are one problem.
#[test]
fn stuck_versions_of_a_package_are_one_row_and_dot_frees_all() {
    let mut hand = ExplorerDriver::open_yaml(&old_channel_catalog(), 120, 36);
    hand.press("2");
    assert!(hand.shows("4 stuck in other channels"), "{}", hand.screen());
    hand.press("4");
    let rows = hand.screen().lines().filter(|line| line.contains("  stuck  ")).count();
    assert_eq!(rows, 1, "{}", hand.screen());
    assert!(
        hand.shows("4  stuck  2 ends, the largest: 3 versions are stuck below ship.v2.1.0"),
        "{}",
        hand.screen()
    );
    hand.press(".");
    answer_requests(&mut hand);
    assert!(hand.shows("Free stuck versions of ship") && hand.shows("frees all 4"), "{}", hand.screen());
    // With a filter, each finding has its own row.
    hand.press("esc / 'stuck' enter");
    assert!(hand.shows("ship.v0.9.0 is stuck below ship.v2.1.0") && !hand.shows("at 2 ends"));
}

#[test]
fn dot_works_on_rows_of_channels_entries_graph_and_upgrades() {
    for keys in ["l / 'old' enter", "l / 'old' enter l", "l / 'old' enter l 2", "l / 'old' enter l 3"] {
        let mut hand = ExplorerDriver::open_yaml(&old_channel_catalog(), 120, 36);
        hand.press(keys);
        hand.press(".");
        answer_requests(&mut hand);
        assert!(hand.shows("frees "), "{keys}:\n{}", hand.screen());
        hand.press("enter");
        assert_eq!(hand.model.session.catalogs.unsaved_count(), 1, "{keys}:\n{}", hand.screen());
    }
}

#[test]
fn dot_shows_the_preview_in_read_only_mode_and_enter_refuses() {
    let mut hand = ExplorerDriver::open_yaml(&old_channel_catalog(), 120, 36);
    hand.model.settings.read_only = Some("as asked with --read-only".to_owned());
    hand.press(".");
    answer_requests(&mut hand);
    assert!(hand.shows("frees "), "{}", hand.screen());
    assert!(hand.shows("only a preview; read-only: as asked with --read-only"), "{}", hand.screen());
    hand.press("enter");
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0, "{}", hand.screen());
    assert!(hand.shows("frees "), "the preview stays: {}", hand.screen());
}

#[test]
fn dot_shows_reason_if_nothing_can_be_freed() {
    let mut hand = ExplorerDriver::open_yaml(&no_head_catalog(), 120, 36);
    hand.press(".");
    assert!(hand.shows("has no single head"), "{}", hand.screen());
    let mut hand = ExplorerDriver::open_yaml(&old_channel_catalog(), 120, 36);
    hand.press("l .");
    assert!(hand.shows("no version in stable is stuck"), "{}", hand.screen());
    hand.press("l .");
    assert!(hand.shows("ship.v2.1.0 is not stuck"), "{}", hand.screen());
}

#[test]
fn edit_that_adds_a_refused_step_is_never_offered() {
    let folder = super::agreement::catalog_with_objects("AllNamespaces");
    let path = folder.path().join("catalog.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    let old = "- {name: kettle.v1.0.0, replaces: kettle.v0.9.0}\n- {name: kettle.v0.9.0}\n";
    let new = "- {name: kettle.v1.2.0, replaces: kettle.v1.1.0, skips: [kettle.v1.0.0, kettle.v0.9.0]}\n\
               - {name: kettle.v1.1.0, replaces: kettle.v1.0.0}\n";
    // The default channel loses the old versions, the other one the new versions.
    let head = "- {name: kettle.v1.2.0, replaces: kettle.v1.1.0}\n- {name: kettle.v1.1.0}\n";
    let text = text.replacen(&format!("{new}{old}"), head, 1).replacen(new, "", 1);
    let snapshot = Arc::new(Snapshot::new(olm_catalog::load::from_bytes(text.into_bytes())));
    let judged = snapshot.package("kettle").unwrap();
    assert_eq!(judged.graph.stuck().brief(), "2");
    let check = |package: &Arc<PackageState>, after: &Snapshot| {
        olmap::run_deferred_checks(Some(package), after, &olm_source::ManifestSearchPath::default(), None)
    };
    let judge = |after: &Snapshot, package: &Arc<PackageState>| {
        check(package, after).into_iter().find_map(|(_, learned)| learned.safety)
    };
    let found = stuck::find_remedies(&snapshot, judged, &Scope::Package, &judge);
    assert_eq!(found, Err(RemedyError::Refused), "v1 refuses a CRD that loses a field");
    let unchecked = stuck::find_remedies(&snapshot, judged, &Scope::Package, &|_, _| None).unwrap();
    assert_eq!(unchecked[0].remedy.frees, 2);

    // The preview of the same edit shows the refused steps. Those that the catalog already has are not new.
    let edit = stuck::remedy_edit(judged, &unchecked[0].remedy);
    let preview = preview::preview_edit(&snapshot, edit, &[]).unwrap();
    assert!(preview.needs_checks && preview.consequences.new_findings.is_empty());
    let checked = preview.with_checks(&check);
    let rules: Vec<&str> = checked.consequences.new_findings.iter().map(|finding| finding.rule.id).collect();
    assert!(!checked.needs_checks && rules == ["crd-upgrade-unsafe-v1"], "{rules:?}");
}

#[test]
fn answer_to_older_search_is_dropped() {
    let mut hand = ExplorerDriver::open_yaml(&old_channel_catalog(), 120, 36);
    hand.press(". esc .");
    assert_eq!(hand.requests::<RemedySearch>().len(), 2);
    let asked = hand.take_request::<RemedySearch>().unwrap();
    let found = asked.search_remedies(&|_, _| None);
    hand.answer(asked, found);
    assert!(hand.shows("Looking for an edit"), "{}", hand.screen());
    answer_requests(&mut hand);
    assert!(hand.shows("frees all"), "{}", hand.screen());
}

/// Returns several packages; the stuck one is last by name.
fn several_packages_catalog() -> String {
    let other = |name: &str| {
        ship_catalog(&[("stable", &[("1.1.0", "replaces: ship.v1.0.0"), ("1.0.0", "")])], &[])
            .replace("ship", name)
    };
    [other("anchor"), other("buoy"), old_channel_catalog()].concat()
}

#[test]
fn stuck_packages_come_first_and_edits_keep_the_order() {
    let names = |hand: &ExplorerDriver| -> Vec<String> {
        hand.model.screens.packages.package_names().iter().map(ToString::to_string).collect()
    };
    let mut hand = ExplorerDriver::open_yaml(&several_packages_catalog(), 120, 36);
    assert_eq!(names(&hand), ["ship", "anchor", "buoy"]);
    assert_eq!(hand.model.session.selection().package.as_ref().unwrap().as_str(), "ship");
    hand.press(".");
    answer_requests(&mut hand);
    hand.press("enter");
    assert_eq!(package_stuck(&hand, "ship").count_any(), 0);
    assert_eq!(names(&hand), ["ship", "anchor", "buoy"], "the order is that of the files");
    hand.press("S");
    assert_eq!(names(&hand), ["anchor", "buoy", "ship"], "by name");
    assert_eq!(hand.model.session.navigation.screen, Screen::Packages);
}

#[test]
fn stuck_versions_at_three_sizes() {
    let mut all = String::new();
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = ExplorerDriver::open_yaml(&several_packages_catalog(), columns, rows);
        let mut look = |keys: &str| {
            hand.press(keys);
            answer_requests(&mut hand);
            let _ = write!(all, "== {columns}x{rows} {keys}\n{}", hand.screen());
        };
        look("1");
        look(".");
        look("esc l / 'old' enter");
        look("l 2");
        look("3");
    }
    assert_snapshot!(all);
}
