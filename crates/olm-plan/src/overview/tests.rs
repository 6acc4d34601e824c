//! Tests of the overview.

use proptest::prelude::*;

use super::*;
use olm_catalog::{Catalog, load};
use olm_upgrade::{
    UpgradeTable,
    fixture::{self, any_channel_lines},
    openshift::ClusterUpdate,
    table::TableSummary,
    v1::Query,
};

fn parse_openshift(text: &str) -> Option<OpenShift> {
    OpenShift::parse(text).ok()
}

fn build_overview(catalogs: Vec<(&str, Catalog)>) -> Overview {
    let catalogs: Vec<_> =
        catalogs.into_iter().map(|(name, catalog)| (parse_openshift(name), Snapshot::new(catalog))).collect();
    let catalogs: Vec<_> = catalogs.iter().map(|(version, catalog)| (*version, catalog)).collect();
    Overview::new(&catalogs, |_| true)
}

fn empty_catalog() -> Catalog {
    load::from_bytes(Vec::new())
}

fn one_channel_catalog(lines: &str) -> Catalog {
    fixture::catalog_from_channels(&[("c", lines)])
}

#[test]
fn further_packages_have_rows_without_cells() {
    let snapshots = [one_channel_catalog("1.0.0\n"), empty_catalog()].map(Snapshot::new);
    let versions = ["4.18", "4.19"].map(parse_openshift);
    let catalogs: Vec<_> = versions.into_iter().zip(&snapshots).collect();
    let further = ["zebra", "p", "aardvark"].map(PackageName::from);
    let overview = Overview::with_further_packages(&catalogs, &further.into_iter().collect());
    let names: Vec<&str> = overview.rows.iter().map(|row| row.package.as_str()).collect();
    assert_eq!(names, ["aardvark", "p", "zebra"]);
    assert!(overview.rows[1].is_removed(1), "a catalog has it");
    assert_eq!(overview.rows[2].cells, [None, None]);
    assert!(!overview.rows[2].is_removed(1), "no open catalog had it");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// The counts equal those of the Upgrades table and those of the findings.
    #[test]
    fn cell_counts_match_the_upgrades_table(lines in any_channel_lines(), other in any_channel_lines()) {
        let catalog = fixture::catalog_from_channels(&[("c", &lines), ("other", &other)]);
        let snapshot = Snapshot::new(catalog);
        let judged = snapshot.package("p").unwrap();
        let at = parse_openshift("4.18");
        let overview = Overview::new(&[(at, &snapshot)], |_| true);
        let cell = overview.rows[0].cells[0].as_ref().unwrap();
        let health = cell.health.as_ref().unwrap();
        let table = UpgradeTable::new(&judged.graph, &"c".into(), &Query::default());
        let TableSummary { total, dead_ends, escapes, deprecated, errors, .. } = table.summarize_channel();
        prop_assert_eq!(
            (health.versions, health.dead_ends, health.escaping, health.deprecated, health.unanswered),
            (total, dead_ends, escapes, deprecated, errors)
        );
        let update = ClusterUpdate::new(judged.package(), &table, at.unwrap());
        prop_assert_eq!(health.blocked, Some(update.count_blockers(&table).block));
        prop_assert!(Some(health.blocked_for_good) <= health.blocked);
        let found = |severity| snapshot.findings().filter(|finding| finding.severity() == severity).map(Finding::finding_count).sum::<usize>();
        prop_assert!(snapshot.outside_findings().is_empty());
        prop_assert_eq!((cell.errors, cell.warnings), (found(Severity::Error), found(Severity::Warning)));
        let stuck = judged.graph.stuck();
        prop_assert_eq!(cell.stuck, stuck.answer.as_ref().map(|answer| (answer.classic.len(), answer.v1.len())));
        prop_assert_eq!(cell.count_marked(ProblemMark::Stuck), stuck.count_any());
        prop_assert_eq!(health.stuck, stuck.count_in_channel(&judged.graph.channel("c").unwrap().graph));
        let all = channel_health(judged, at);
        prop_assert_eq!(all.first(), Some(health));
        prop_assert_eq!(all.len(), 2);
    }
}

/// Returns the number of severe problems without errors, since these small fixtures have errors.
fn severe_without_errors(row: &OverviewRow) -> usize {
    row.trouble().severe - row.cells.iter().flatten().map(|cell| cell.errors).sum::<usize>()
}

#[test]
fn change_reports_new_removed_and_lower_packages() {
    let (low, high) = ("1.0.0", "1.1.0 replaces=1.0.0\n1.0.0");
    let found = build_overview(vec![
        ("4.18", one_channel_catalog(high)),
        ("4.19", one_channel_catalog(low)),
        ("4.20", empty_catalog()),
        ("4.21", one_channel_catalog(low)),
    ]);
    let row = &found.rows[0];
    let changes: Vec<_> = row.cells.iter().map(|cell| cell.as_ref().and_then(|cell| cell.change)).collect();
    assert_eq!(changes, [None, Some(Change::Lower), None, Some(Change::New)]);
    assert_eq!((0..5).map(|nth| row.is_removed(nth)).collect::<Vec<_>>(), [false, false, true, false, false]);
    assert_eq!(severe_without_errors(row), 2);
    assert_eq!(found.count_troubled(), 1);
}

#[test]
fn first_catalog_and_equal_heads_have_no_change() {
    let found =
        build_overview(vec![("4.18", one_channel_catalog("1.0.0")), ("4.20", one_channel_catalog("1.0.0"))]);
    assert!(found.rows[0].cells.iter().flatten().all(|cell| cell.change.is_none()));
    assert_eq!(severe_without_errors(&found.rows[0]), 0);
}

#[test]
fn stuck_versions_are_counted_to_the_end_of_the_path() {
    // Only a skipped entry upgrades 1.1.0 and 1.0.0: v1 uses it, Classic does not.
    let found = build_overview(vec![(
        "4.18",
        one_channel_catalog("3.0.0 replaces=2.0.0 skips=2.5.0\n2.5.0 skips=1.1.0,1.0.0\n2.0.0\n1.1.0\n1.0.0"),
    )]);
    let cell = found.rows[0].cells[0].as_ref().unwrap();
    let health = cell.health.as_ref().unwrap();
    assert_eq!((cell.stuck, health.stuck), (Some((2, 0)), Some((2, 0))));
    assert_eq!((health.dead_ends, health.escaping), (2, 0));
    let told: Vec<ProblemMark> =
        nonzero_marks(|mark| health.count_marked(mark)).map(|(mark, _)| mark).collect();
    assert_eq!(told, [ProblemMark::Stuck]);
    assert_eq!(cell.trouble().severe, cell.errors + 2);
}

#[test]
fn head_of_an_old_channel_is_stuck_and_no_head_is_unknown() {
    let catalog = fixture::catalog_from_channels(&[("c", "2.0.0"), ("old", "1.1.0 replaces=1.0.0\n1.0.0")]);
    let found = build_overview(vec![("4.18", catalog), ("4.20", one_channel_catalog("2.0.0\n1.0.0"))]);
    let [old, no_head] = found.rows[0].cells.as_slice() else { panic!("{found:?}") };
    assert_eq!(old.as_ref().unwrap().stuck, Some((2, 2)));
    assert_eq!(no_head.as_ref().unwrap().stuck, None);
}

#[test]
fn blocking_versions_are_unknown_without_openshift_version() {
    let lines = "1.1.0 replaces=1.0.0\n1.0.0 max='4.18'";
    let count = |name| {
        let found = build_overview(vec![(name, one_channel_catalog(lines))]);
        let health = found.rows[0].cells[0].as_ref().unwrap().health.clone().unwrap();
        (health.blocked, health.blocked_for_good)
    };
    assert_eq!((count("4.18"), count("4.17"), count("mine")), ((Some(1), 0), (Some(0), 0), (None, 0)));
    let found = build_overview(vec![("4.18", one_channel_catalog("1.0.0 max='4.18'"))]);
    assert_eq!(found.rows[0].cells[0].as_ref().unwrap().count_marked(ProblemMark::BlocksPermanently), 1);
}

#[test]
fn missing_default_channel_has_no_counts() {
    let yaml = "schema: olm.package\nname: p\ndefaultChannel: gone\n";
    let found = build_overview(vec![("4.18", load::from_bytes(yaml.into()))]);
    let cell = found.rows[0].cells[0].as_ref().unwrap();
    assert!(cell.health.is_none() && cell.errors > 0 && cell.head().is_none());
}

#[test]
fn signs_are_all_different() {
    let signs: BTreeSet<&str> = ProblemMark::ALL.iter().map(|mark| mark.sign()).collect();
    assert_eq!(signs.len(), ProblemMark::ALL.len());
}
