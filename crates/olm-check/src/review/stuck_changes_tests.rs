//! Tests of changes of stuck versions: small packages, and random ones compared with two
//! independent answers.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{
    Difference, Snapshot, StuckChange,
    diff::{Gate, Impact, ImpactCounts, gate},
    stuck_changes::{Publication, StuckCounts, StuckState},
};
use olm_catalog::{BundleName, load};
use olm_upgrade::{
    Engine, Installed, PackageGraph,
    fixture::{self, any_channel_lines},
    stuck::StuckReport,
    v1::Query,
};
use olm_version::Version;

fn snapshot_of_channels(channels: &[(&str, &str)]) -> Snapshot {
    Snapshot::new(fixture::catalog_from_channels(channels))
}

fn find_change(before: &Snapshot, after: &Snapshot) -> Option<StuckChange> {
    let stuck = Difference::compare_catalogs(before, after).consequences.stuck;
    assert!(stuck.len() <= 1);
    stuck.into_iter().next()
}

/// Returns engine, version, end and reason of each newly stuck version.
fn list_newly_stuck(change: &StuckChange) -> Vec<(Engine, &str, &str, &'static str)> {
    let row = |row: &'_ super::stuck_changes::NewlyStuck| row.end.reason.id();
    change
        .newly_stuck
        .iter()
        .map(|stuck| (stuck.engine, stuck.version.as_str(), stuck.end.end.as_str(), row(stuck)))
        .collect()
}

fn list_violations(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let difference = Difference::compare_catalogs(before, after);
    let violations = gate::find_violations(&difference, &[Gate::NewStuck], &[]);
    violations.into_iter().map(|violation| violation.text).collect()
}

const CHAIN: &str = "4.0.0 replaces=3.0.0\n3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0\n";
const SKIPPED: &str = "4.0.0 replaces=3.0.0 skips=3.0.0\n3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0\n";

#[test]
fn all_versions_behind_a_new_dead_end_are_newly_stuck() {
    let (before, after) = (snapshot_of_channels(&[("c", CHAIN)]), snapshot_of_channels(&[("c", SKIPPED)]));
    let change = find_change(&before, &after).unwrap();
    let row = |version| (Engine::Classic, version, "p.v2.0.0", "blocked by skips");
    assert_eq!(list_newly_stuck(&change), [row("p.v2.0.0"), row("p.v1.0.0")]);
    assert_eq!(change.count_newly_stuck(), StuckCounts { classic: 2, v1: 0 });
    let difference = Difference::compare_catalogs(&before, &after);
    assert_eq!(difference.consequences.harm.count_stuck(), 2);
    // Only the next upgrade of 2.0.0 changes, yet both are counted.
    assert_eq!(ImpactCounts::count_users(&difference).stuck, 2);
    assert_eq!(list_violations(&before, &after).len(), 2);
}

#[test]
fn freed_versions_and_those_that_stay_stuck_are_counted() {
    let before = snapshot_of_channels(&[("c", SKIPPED), ("old", "0.5.0 replaces=0.4.0\n0.4.0\n")]);
    let after = snapshot_of_channels(&[("c", CHAIN), ("old", "0.5.0 replaces=0.4.0\n0.4.0\n")]);
    let change = find_change(&before, &after).unwrap();
    assert_eq!(change.newly_stuck, []);
    assert_eq!(change.count_freed(), StuckCounts { classic: 2, v1: 0 });
    assert_eq!(change.count_staying(), StuckCounts { classic: 2, v1: 2 });
    assert_eq!(list_violations(&before, &after), Vec::<String>::new());
}

#[test]
fn version_of_another_channel_is_freed_by_a_channel_change_on_classic_only() {
    let old = ("old", "1.0.0 replaces=0.9.0\n0.9.0\n");
    let before = snapshot_of_channels(&[("c", "4.0.0 replaces=3.0.0\n3.0.0\n"), old]);
    let after = snapshot_of_channels(&[("c", "4.0.0 replaces=3.0.0\n3.0.0 replaces=1.0.0\n"), old]);
    let change = find_change(&before, &after).unwrap();
    let rows: Vec<(Engine, &str, bool)> =
        change.freed.iter().map(|row| (row.engine, row.version.as_str(), row.needs_channel_change)).collect();
    assert_eq!(
        rows,
        [
            (Engine::Classic, "p.v1.0.0", true),
            (Engine::Classic, "p.v0.9.0", true),
            (Engine::V1, "p.v1.0.0", false),
            (Engine::V1, "p.v0.9.0", false),
        ]
    );
    assert_eq!(change.count_freed_by_channel_change(), 2);
    // They were stuck, so they are not counted among those that lose their way within a channel.
    assert_eq!(change.needs_channel_change, Vec::<BundleName>::new());
}

/// A Subscription to the old channel does not follow an entry that another channel gets.
#[test]
fn version_that_another_channel_gets_is_freed_by_a_channel_change() {
    let old = "1.1.0 replaces=1.0.0\n1.0.0\n";
    let before = snapshot_of_channels(&[("c", "2.0.0 replaces=1.0.0\n1.0.0\n"), ("old", old)]);
    let promoted = "2.0.0 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0\n";
    let after = snapshot_of_channels(&[("c", promoted), ("old", old)]);
    let change = find_change(&before, &after).unwrap();
    let freed = change.freed.iter().map(|row| (row.engine, row.version.as_str(), row.needs_channel_change));
    let version = "p.v1.1.0";
    assert_eq!(freed.collect::<Vec<_>>(), [(Engine::Classic, version, true), (Engine::V1, version, false)]);
}

#[test]
fn versions_that_are_stuck_and_get_an_error_are_counted_in_all() {
    let old = "1.1.0 replaces=1.0.0\n1.0.0\n";
    let before =
        snapshot_of_channels(&[("c", "2.0.0 range=>=1.0.0_<2.0.0\n"), ("old", old), ("older", "0.9.0\n")]);
    // Both channels get a second head. 1.0.0 and 1.1.0 are newly stuck, 0.8.0 is added, and 0.9.0 was stuck before.
    let after =
        snapshot_of_channels(&[("c", "2.0.0\n"), ("old", "1.1.0\n1.0.0\n"), ("older", "0.9.0\n0.8.0\n")]);
    let counts = ImpactCounts::count_users(&Difference::compare_catalogs(&before, &after));
    assert_eq!((counts.stuck, counts.failing, counts.failing_in_all), (3, 1, 3));
}

#[test]
fn removed_version_is_neither_freed_nor_newly_stuck_if_it_was_stuck() {
    let before = snapshot_of_channels(&[("c", SKIPPED)]);
    let after = snapshot_of_channels(&[("c", "4.0.0 skips=3.0.0\n3.0.0\n")]);
    // On v1 they were not stuck.
    let newly = find_change(&before, &after).map(|change| (change.count_removed(), change.freed.len()));
    assert_eq!(newly, Some((StuckCounts { classic: 0, v1: 2 }, 0)));
    let difference = Difference::compare_catalogs(&before, &after);
    let counts = difference.stuck.first().map(|totals| (totals.before.counts(), totals.after.counts()));
    assert_eq!(counts, Some((StuckCounts { classic: 2, v1: 0 }, StuckCounts::default())));
}

#[test]
fn removed_version_is_newly_stuck_unless_its_name_or_version_is_upgraded() {
    let before = snapshot_of_channels(&[("c", CHAIN)]);
    let stays =
        snapshot_of_channels(&[("c", "4.0.0 replaces=3.0.0\n3.0.0 replaces=2.0.0 range=<2.0.0\n2.0.0\n")]);
    assert_eq!(find_change(&before, &stays), None);
    let gone = snapshot_of_channels(&[("c", "4.0.0 replaces=3.0.0\n3.0.0 replaces=2.0.0\n2.0.0\n")]);
    let change = find_change(&before, &gone).unwrap();
    let row = |engine| (engine, "p.v1.0.0", "p.v1.0.0", "no edge");
    assert_eq!(list_newly_stuck(&change), [row(Engine::Classic), row(Engine::V1)]);
    assert!(change.newly_stuck.iter().all(|row| row.publication == Publication::Removed));
}

#[test]
fn removed_version_that_is_upgraded_to_a_stuck_one_ends_there() {
    let before = snapshot_of_channels(&[("c", CHAIN)]);
    let after = snapshot_of_channels(&[(
        "c",
        "4.0.0 replaces=3.0.0 skips=3.0.0\n3.0.0 replaces=2.0.0\n2.0.0 range=<2.0.0\n",
    )]);
    let change = find_change(&before, &after).unwrap();
    let ends: Vec<&str> = list_newly_stuck(&change).into_iter().map(|row| row.2).collect();
    assert_eq!(ends, ["p.v2.0.0", "p.v2.0.0"]);
}

#[test]
fn package_whose_answer_becomes_unknown_is_not_freed_and_fails_the_gate() {
    let (before, after) = (
        snapshot_of_channels(&[("c", SKIPPED)]),
        snapshot_of_channels(&[("c", "4.0.0\n3.0.0\n2.0.0\n1.0.0\n")]),
    );
    let there = find_change(&before, &after).unwrap();
    assert!(there.becomes_unknown());
    assert_eq!((there.newly_stuck.len(), there.freed.len()), (0, 0));
    assert!(list_violations(&before, &after).iter().any(|what| what.contains("not known any more")));
    let back = find_change(&after, &before).unwrap();
    assert_eq!((back.newly_stuck.len(), back.totals.before), (0, StuckState::Unknown));
}

#[test]
fn new_package_is_not_newly_stuck() {
    let empty = Snapshot::new(load::from_bytes(b"{schema: mine, name: of nobody}\n".to_vec()));
    let there = snapshot_of_channels(&[("c", SKIPPED)]);
    let added = find_change(&empty, &there).unwrap();
    assert_eq!((added.newly_stuck.len(), added.totals.after.counts().classic), (0, 2));
    assert_eq!(list_violations(&empty, &there), Vec::<String>::new());
    assert_eq!(find_change(&there, &empty), None);
}

#[test]
fn raised_head_in_another_channel_makes_versions_stuck_whose_upgrades_are_the_same() {
    let old = "1.1.0 replaces=1.0.0\n1.0.0\n";
    let before = snapshot_of_channels(&[("new", "1.1.0\n"), ("old", old)]);
    let after = snapshot_of_channels(&[("new", "2.0.0 skips=1.1.0\n"), ("old", old)]);
    assert_eq!(
        find_change(&before, &after).map(|change| change.newly_stuck.len()),
        Some(0),
        "a channel change"
    );
    let after = snapshot_of_channels(&[("new", "2.0.0\n"), ("old", old)]);
    let difference = Difference::compare_catalogs(&before, &after);
    let change = find_change(&before, &after).unwrap();
    assert_eq!(change.count_newly_stuck(), StuckCounts { classic: 2, v1: 2 });
    assert_eq!(ImpactCounts::count_users(&difference).stuck, 2);
    let moved = difference.consequences.changed_steps.iter();
    let fortunes: BTreeSet<Impact> = moved.map(|m| difference.impact_of_upgrade(m)).collect();
    assert!(!fortunes.contains(&Impact::Freed), "{fortunes:?}");
}

/// Returns true if picks lead an installed bundle to a version at or above the goal. Queries the
/// resolvers step by step.
fn naive_arrives(graph: &PackageGraph, engine: Engine, installed: &Installed, goal: &Version) -> bool {
    let (mut open, mut seen) = (vec![installed.clone()], BTreeSet::new());
    while let Some(at) = open.pop() {
        if at.version.as_ref().is_some_and(|version| version.version.cmp_precedence(goal).is_ge()) {
            return true;
        }
        if !seen.insert(at.name.clone()) {
            continue;
        }
        let answers = match engine {
            Engine::V1 => vec![graph.resolve_v1(&Query::default(), Some(&at))],
            Engine::Classic => graph
                .channels()
                .iter()
                .map(|channel| graph.resolve_classic(channel.graph.name().as_str(), Some(&at)))
                .collect(),
        };
        let picks = answers.into_iter().filter_map(|answer| answer.pick);
        open.extend(picks.map(|name| Installed::from_package(&graph.package, &name)));
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn change_is_the_difference_of_two_answers(
        (c, d) in (any_channel_lines(), any_channel_lines()), (e, f) in (any_channel_lines(), any_channel_lines()),
    ) {
        let (before, after) = (snapshot_of_channels(&[("c", &c), ("d", &d)]), snapshot_of_channels(&[("c", &e), ("d", &f)]));
        let graph = |snapshot: &Snapshot| PackageGraph::new(snapshot.package("p").unwrap().package());
        let (old_graph, new_graph) = (graph(&before), graph(&after));
        let (old, new) = (StuckReport::find_stuck(&old_graph), StuckReport::find_stuck(&new_graph));
        let change = find_change(&before, &after);
        let (Some(old), Some(new)) = (&old.answer, &new.answer) else {
            let rows = change.map_or(0, |change| change.newly_stuck.len() + change.freed.len());
            prop_assert_eq!(rows, 0);
            return Ok(());
        };
        let (old_package, new_package) = (&old_graph.package, &new_graph.package);
        for engine in [Engine::Classic, Engine::V1] {
            let set = |names: &[BundleName]| -> BTreeSet<BundleName> { names.iter().cloned().collect() };
            let (was, is) = (set(old.on_engine(engine)), set(new.on_engine(engine)));
            let rows = change.iter().flat_map(|change| &change.newly_stuck).filter(|row| row.engine == engine);
            let (removed, published): (Vec<_>, Vec<_>) =
                rows.partition(|row| row.publication == Publication::Removed);
            let published: BTreeSet<BundleName> = published.iter().map(|row| row.version.clone()).collect();
            prop_assert_eq!(published, is.difference(&was).cloned().collect::<BTreeSet<_>>());
            let freed: BTreeSet<BundleName> = change
                .iter()
                .flat_map(|change| &change.freed)
                .filter(|row| row.engine == engine)
                .map(|row| row.version.clone())
                .collect();
            let there = |name: &&BundleName| new_package.bundle(name.as_str()).is_some();
            prop_assert_eq!(freed, was.difference(&is).filter(there).cloned().collect::<BTreeSet<_>>());
            // Removed versions are resolved one by one.
            let removed: BTreeSet<BundleName> = removed.iter().map(|row| row.version.clone()).collect();
            let goal = new_package.bundle_version(new.head.as_str()).unwrap().version.clone();
            let expected: BTreeSet<BundleName> = old_package
                .bundles
                .iter()
                .map(|bundle| &bundle.name.value)
                .filter(|name| new_package.bundle(name.as_str()).is_none() && !was.contains(*name))
                .filter(|name| !naive_arrives(&new_graph, engine, &Installed::from_package(old_package, name), &goal))
                .cloned()
                .collect();
            prop_assert_eq!(removed, expected);
        }
    }
}
