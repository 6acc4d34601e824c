//! Tests of paths of every shape, and of openings.

use std::{collections::BTreeSet, fmt::Write};

use proptest::prelude::*;

use super::{
    PathFix, PathFixKind, PathOutcome, PathReport, PickedPath, StopReason, UnreachableReason, UpgradeContext,
    follow_path,
};
use crate::{
    EdgeKind, Installed, PackageGraph, UpgradeTable,
    fixture::{catalog_from_channels, graph_from_catalog, graph_from_lines},
    v1::{Policy, Query},
};
use olm_catalog::{BundleName, Catalog};

fn on_classic() -> UpgradeContext {
    UpgradeContext::Classic("c".into())
}

fn on_v1() -> UpgradeContext {
    UpgradeContext::V1(Query::default())
}

fn bundle_name(version: &str) -> BundleName {
    format!("p.v{version}").into()
}

fn route_between(catalog: &Catalog, traveller: &UpgradeContext, from: &str, to: &str) -> PathReport {
    let graph = graph_from_catalog(catalog);
    let from = Installed::from_package(&graph.package, &bundle_name(from));
    PathReport::new(&graph, traveller, &from, &bundle_name(to))
}

fn landed_versions(path: &PickedPath) -> Vec<&str> {
    path.hops.iter().map(|hop| hop.to.as_str().trim_start_matches("p.v")).collect()
}

/// Returns the catalog after a fix.
fn apply_path_fix(catalog: &Catalog, fix: &PathFix) -> Catalog {
    let PathFix { package, channel, entry, spec, .. } = fix.clone();
    olm_edit::apply_edit(catalog, &olm_edit::Edit::SetEntry { package, channel, entry, spec }).unwrap()
}

/// Returns the path after the offered edit.
fn apply_fix(catalog: &Catalog, route: &PathReport) -> PickedPath {
    let opening = route.fix.as_ref().unwrap();
    let catalog = apply_path_fix(catalog, opening);
    follow_path(&graph_from_catalog(&catalog), &route.path.context, &route.path.from, route.path.to.as_ref())
}

/// Formats an edit as `ENTRY skips FROM` or `ENTRY RANGE`.
fn describe_edit(route: &PathReport) -> String {
    let opening = route.fix.as_ref().unwrap();
    match &opening.kind {
        PathFixKind::Skips => format!("{} skips {}", opening.entry, opening.from),
        PathFixKind::SkipRange { range } => format!("{} {range}", opening.entry),
    }
}

#[test]
fn hops_have_edge_and_channel() {
    let catalog = catalog_from_channels(&[
        ("c", "3.0.0 replaces=2.5.0 range=<2.0.0\n2.5.0 replaces=1.0.0 skips=2.0.0\n2.0.0\n1.0.0"),
        ("d", "2.0.0"),
    ]);
    let two = route_between(&catalog, &on_classic(), "2.0.0", "3.0.0");
    assert!(two.path.arrives() && two.fix.is_none());
    let hops: Vec<_> =
        two.path.hops.iter().map(|hop| (hop.edge(), hop.channel().unwrap().as_str())).collect();
    assert_eq!(hops, [(Some(EdgeKind::Skips), "c"), (Some(EdgeKind::Replaces), "c")]);
    assert_eq!(two.path.hops[0].describe_rule(), "skips it in c");
    let one = route_between(&catalog, &on_v1(), "1.0.0", "3.0.0");
    assert_eq!(one.path.hops[0].describe_rule(), "skipRange <2.0.0 in c includes 1.0.0");
    let free = UpgradeContext::V1(Query { policy: Policy::SelfCertified, ..Query::default() });
    let free = route_between(&catalog, &free, "1.0.0", "3.0.0");
    assert_eq!((free.path.hops[0].edge(), free.path.arrives()), (None, true));
}

#[test]
fn opening_of_dead_end_is_in_the_entry_that_skips() {
    let lines = "3.0.0 replaces=2.6.0\n2.6.0 replaces=2.0.0 skips=2.5.0\n2.5.0 skips=1.9.0\n2.0.0\n1.9.0";
    let catalog = catalog_from_channels(&[("c", lines)]);
    let stuck = route_between(&catalog, &on_classic(), "1.9.0", "3.0.0");
    let PathOutcome::Stays { at, why: StopReason::DeadEnd(ignored) } = &stuck.path.outcome else {
        panic!("{:?}", stuck.path.outcome)
    };
    assert_eq!((at, &ignored[0].to), (&bundle_name("1.9.0"), &bundle_name("2.5.0")));
    assert_eq!(describe_edit(&stuck), "p.v2.6.0 skips p.v1.9.0");
    assert_eq!(
        landed_versions(&apply_fix(&catalog, &stuck)),
        ["2.6.0", "3.0.0"],
        "the way goes on from there"
    );
    let v1 = route_between(&catalog, &on_v1(), "1.9.0", "3.0.0");
    assert_eq!(landed_versions(&v1.path), ["2.5.0", "2.6.0", "3.0.0"]);
}

#[test]
fn opening_of_stop_on_chain_is_a_range() {
    // Classic upgrades to 1.1.0, and would not if another entry skipped it.
    let lines = "3.0.0 replaces=2.0.0\n2.0.0 replaces=1.2.0 skips=1.2.0\n1.2.0 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0";
    let catalog = catalog_from_channels(&[("c", lines)]);
    let stuck = route_between(&catalog, &on_classic(), "1.0.0", "3.0.0");
    assert!(matches!(&stuck.path.outcome, PathOutcome::Stays { at, .. } if *at == bundle_name("1.1.0")));
    assert_eq!(describe_edit(&stuck), "p.v2.0.0 =1.1.0");
    assert_eq!(landed_versions(&apply_fix(&catalog, &stuck)), ["1.1.0", "2.0.0", "3.0.0"]);
    // The same applies if 1.1.0 is installed: it is on the chain, and 1.0.0 upgrades to it.
    assert_eq!(describe_edit(&route_between(&catalog, &on_classic(), "1.1.0", "3.0.0")), "p.v2.0.0 =1.1.0");
}

#[test]
fn head_stays_and_nothing_is_downgraded() {
    let catalog =
        catalog_from_channels(&[("c", "3.0.0 replaces=2.0.0\n2.0.0"), ("d", "1.0.0 replaces=1.5.0\n1.5.0")]);
    for traveller in [on_classic(), on_v1()] {
        let down = route_between(&catalog, &traveller, "3.0.0", "2.0.0");
        assert_eq!(
            (&down.path.outcome, down.path.hops.len()),
            (&PathOutcome::Never(UnreachableReason::Lower), 0)
        );
        assert_eq!(down.fix, None);
    }
    let graph = graph_from_catalog(&catalog);
    let head = Installed::from_package(&graph.package, &bundle_name("3.0.0"));
    assert!(
        follow_path(&graph, &on_classic(), &head, None).arrives(),
        "to stay is to arrive where there is no goal"
    );
    // The versions on this chain increase downwards: 1.5.0 is further from the head though it is higher.
    let earlier = route_between(&catalog, &UpgradeContext::Classic("d".into()), "1.0.0", "1.5.0");
    assert_eq!(earlier.path.outcome, PathOutcome::Never(UnreachableReason::Earlier));
}

#[test]
fn passed_goal_has_no_opening() {
    let lines =
        "2.5.4 replaces=2.5.1 skips=2.5.3 range=<2.5.4\n2.5.3 replaces=2.5.1\n2.5.1 replaces=2.4.0\n2.4.0";
    let catalog = catalog_from_channels(&[("c", lines)]);
    let skipped = route_between(&catalog, &on_classic(), "2.4.0", "2.5.3");
    assert_eq!(
        skipped.path.outcome,
        PathOutcome::PassesBy {
            from: bundle_name("2.4.0"),
            to: bundle_name("2.5.4"),
            skipped_by: Some(bundle_name("2.5.4"))
        }
    );
    let passed = route_between(&catalog, &on_classic(), "2.4.0", "2.5.1");
    assert_eq!(
        passed.path.outcome,
        PathOutcome::PassesBy { from: bundle_name("2.4.0"), to: bundle_name("2.5.4"), skipped_by: None }
    );
    assert_eq!((&skipped.fix, &passed.fix), (&None, &None));
    let v1 = route_between(&catalog, &on_v1(), "2.4.0", "2.5.1");
    assert_eq!(v1.constraint.as_deref(), Some("<=2.5.1"), "v1 can be held back");
    assert_eq!(landed_versions(&v1.path), ["2.5.4"]);
}

#[test]
fn goal_that_is_passed_later_may_have_an_opening() {
    // 1.0.0 upgrades to 2.0.0, whose next upgrade is 4.0.0; the next upgrade of 2.1.0 is 3.0.0.
    let lines = "4.0.0 replaces=3.0.0 range=>=2.0.0_<2.1.0\n3.0.0 replaces=2.1.0\n2.1.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0";
    let catalog = catalog_from_channels(&[("c", lines)]);
    let passed = route_between(&catalog, &on_classic(), "1.0.0", "3.0.0");
    assert_eq!(
        passed.path.outcome,
        PathOutcome::PassesBy { from: bundle_name("2.0.0"), to: bundle_name("4.0.0"), skipped_by: None }
    );
    assert_eq!(describe_edit(&passed), "p.v3.0.0 skips p.v1.0.0");
    assert_eq!(landed_versions(&apply_fix(&catalog, &passed)), ["3.0.0"]);
}

#[test]
fn goal_in_other_channel_names_that_channel() {
    let catalog = catalog_from_channels(&[("c", "1.0.0"), ("d", "2.0.0 replaces=1.0.0\n1.0.0")]);
    let elsewhere = UnreachableReason::NotInChannel { channels: vec!["c".into()], has: vec!["d".into()] };
    assert_eq!(
        route_between(&catalog, &on_classic(), "1.0.0", "2.0.0").path.outcome,
        PathOutcome::Never(elsewhere.clone())
    );
    let listed = UpgradeContext::V1(Query { channels: vec!["c".into()], ..Query::default() });
    assert_eq!(
        route_between(&catalog, &listed, "1.0.0", "2.0.0").path.outcome,
        PathOutcome::Never(elsewhere)
    );
    assert_eq!(
        route_between(&catalog, &on_v1(), "1.0.0", "9.0.0").path.outcome,
        PathOutcome::Never(UnreachableReason::NoBundle)
    );
    let below = UpgradeContext::V1(Query { version: "<2".into(), ..Query::default() });
    let below = route_between(&catalog, &below, "1.0.0", "2.0.0");
    assert!(matches!(below.path.outcome, PathOutcome::Never(UnreachableReason::Constraint { .. })));
    assert_eq!(below.constraint.as_deref(), Some("<=2.0.0"));
}

#[test]
fn v1_stop_has_a_reason() {
    let why = |lines: &str, query: Query, from: &str, to: &str| {
        let catalog = catalog_from_channels(&[("c", lines), ("d", "2.5.0 replaces=2.0.0")]);
        match route_between(&catalog, &UpgradeContext::V1(query), from, to).path.outcome {
            PathOutcome::Stays { why, .. } => why,
            end => panic!("{end:?}"),
        }
    };
    let deprecated = "3.0.0 replaces=2.0.0 deprecated\n2.0.0";
    let c = Query { channels: vec!["c".into()], ..Query::default() };
    assert_eq!(
        why(deprecated, c.clone(), "2.0.0", "3.0.0"),
        StopReason::OnlyDeprecated(vec![bundle_name("3.0.0")])
    );
    let apart = "4.0.0\n3.0.0 replaces=2.0.0\n2.0.0";
    assert_eq!(why(apart, c.clone(), "3.0.0", "4.0.0"), StopReason::NoEdge { is_entry: true });
    let in_d = StopReason::OtherChannels { channel: "d".into(), to: bundle_name("2.5.0") };
    assert_eq!(why("3.0.0\n2.0.0", c, "2.0.0", "3.0.0"), in_d);
    let few = Query { version: "2.0.0 || 4.0.0".into(), ..Query::default() };
    let held = StopReason::Constraint { constraint: few.version.clone(), to: bundle_name("3.0.0") };
    assert_eq!(why(apart, few, "2.0.0", "4.0.0"), held);
}

#[test]
fn v1_has_opening_if_goal_is_not_deprecated() {
    let catalog = catalog_from_channels(&[("c", "4.0.0\n3.0.0 deprecated\n2.0.0")]);
    let up = route_between(&catalog, &on_v1(), "2.0.0", "4.0.0");
    assert_eq!(describe_edit(&up), "p.v4.0.0 skips p.v2.0.0");
    assert_eq!(route_between(&catalog, &on_v1(), "2.0.0", "3.0.0").fix, None, "v1 would stay all the same");
}

#[test]
fn reports_goals_that_classic_never_picks_and_broken_channels() {
    let catalog = catalog_from_channels(&[
        ("c", "3.0.0 replaces=2.0.0 skips=2.5.0\n2.5.0\n2.0.0\n1.0.0 replaces=1.1.0\n1.1.0 replaces=1.0.0"),
        ("heads", "2.0.0\n1.0.0"),
    ]);
    assert_eq!(
        route_between(&catalog, &on_classic(), "1.0.0", "2.5.0").path.outcome,
        PathOutcome::Never(UnreachableReason::Skipped { by: bundle_name("3.0.0") })
    );
    assert_eq!(
        route_between(&catalog, &on_classic(), "1.0.0", "1.1.0").path.outcome,
        PathOutcome::Never(UnreachableReason::OffChain)
    );
    let heads = route_between(&catalog, &UpgradeContext::Classic("heads".into()), "1.0.0", "2.0.0");
    assert!(matches!(heads.path.outcome, PathOutcome::Error { .. }) && heads.fix.is_none());
    let none = route_between(&catalog, &UpgradeContext::Classic("none".into()), "1.0.0", "2.0.0");
    assert!(matches!(none.path.outcome, PathOutcome::Error { .. }));
}

#[test]
fn bundle_that_left_the_catalog_has_a_path() {
    let catalog = catalog_from_channels(&[("c", "3.0.0 range=>=1.0.0_<3.0.0\n2.0.0")]);
    let graph = graph_from_catalog(&catalog);
    let gone = Installed { name: bundle_name("1.0.0"), version: None };
    let stuck = PathReport::new(&graph, &on_classic(), &gone, &bundle_name("3.0.0"));
    assert!(matches!(stuck.path.outcome, PathOutcome::Error { .. }), "two heads");
    let graph = graph_from_lines("3.0.0 range=>=1.0.0_<3.0.0");
    let known = Installed { version: olm_version::VersionRelease::parse("1.0.0", "").ok(), ..gone.clone() };
    assert!(follow_path(&graph, &on_classic(), &known, Some(&bundle_name("3.0.0"))).arrives());
    let unknown = follow_path(&graph, &on_classic(), &gone, Some(&bundle_name("3.0.0")));
    assert!(matches!(
        unknown.outcome,
        PathOutcome::Stays { why: StopReason::NoEdge { is_entry: false }, .. }
    ));
}

/// Generates a channel of up to nine entries with random edges, as lines for [`catalog`].
fn any_channel() -> impl Strategy<Value = String> {
    let entry = (
        prop::option::weighted(0.7, 0..9usize),
        prop::collection::btree_set(0..9usize, 0..3),
        prop::option::weighted(0.3, 0..9usize),
        prop::bool::weighted(0.2),
    );
    (prop::collection::vec(entry, 2..9), any::<bool>()).prop_map(|(entries, chain)| {
        let mut lines = String::new();
        for (index, (replaces, skips, range, deprecated)) in entries.iter().enumerate().rev() {
            let _ = write!(lines, "{index}.0.0");
            // Half of the channels have a chain, so that Classic can walk it.
            let replaces = if chain { index.checked_sub(1) } else { replaces.map(|r| r % entries.len()) };
            if let Some(target) = replaces {
                let _ = write!(lines, " replaces={target}.0.0");
            }
            let skips: Vec<String> =
                skips.iter().filter(|&&s| s < index).map(|s| format!("{s}.0.0")).collect();
            if !skips.is_empty() {
                let _ = write!(lines, " skips={}", skips.join(","));
            }
            if let Some(low) = range {
                let _ = write!(lines, " range=>={low}.0.0_<{index}.0.0");
            }
            lines.push_str(if *deprecated { " deprecated\n" } else { "\n" });
        }
        lines
    })
}

/// Returns the bundles that Classic upgrades.
fn upgraded_bundles(graph: &PackageGraph) -> BTreeSet<BundleName> {
    let table = UpgradeTable::new(graph, &"c".into(), &Query::default());
    let moves = table.rows.iter().filter(|row| row.classic.target().is_some());
    moves.map(|row| row.installed.name.clone()).collect()
}

proptest! {
    #[test]
    fn opening_makes_path_arrive_and_strands_no_bundle(lines in any_channel(), is_v1: bool) {
        let catalog = catalog_from_channels(&[("c", &lines)]);
        let before = graph_from_catalog(&catalog);
        let traveller = if is_v1 { on_v1() } else { on_classic() };
        for from in &before.package.bundles {
            for to in &before.package.bundles {
                let from = Installed::from_package(&before.package, &from.name.value);
                let route = PathReport::new(&before, &traveller, &from, &to.name.value);
                prop_assert!(!route.path.arrives() || route.fix.is_none());
                if route.fix.is_none() {
                    continue;
                }
                prop_assert!(apply_fix(&catalog, &route).arrives(), "{route:?}");
                let edited = apply_path_fix(&catalog, route.fix.as_ref().unwrap());
                let stuck: Vec<_> = upgraded_bundles(&before).difference(&upgraded_bundles(&graph_from_catalog(&edited))).cloned().collect();
                prop_assert!(stuck.is_empty(), "{stuck:?} {route:?}");
            }
        }
    }

    #[test]
    fn path_is_the_sequence_of_picks(lines in any_channel(), is_v1: bool) {
        let graph = graph_from_lines(&lines);
        let table = UpgradeTable::new(&graph, &"c".into(), &Query::default());
        let traveller = if is_v1 { on_v1() } else { on_classic() };
        for row in &table.rows {
            let way = follow_path(&graph, &traveller, &row.installed, None);
            let (next, end) = if is_v1 { (&row.v1, &row.v1_end) } else { (&row.classic, &row.classic_end) };
            prop_assert_eq!(way.hops.first().map(|hop| &hop.to), next.target());
            if way.arrives() {
                prop_assert_eq!((way.last_bundle(), way.hops.len()), (&end.name, end.hops));
            }
        }
    }
}
