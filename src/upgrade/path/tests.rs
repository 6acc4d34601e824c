//! Tests of paths of every shape, and of openings.

use std::{collections::BTreeSet, fmt::Write};

use proptest::prelude::*;

use super::{End, Never, OpeningKind, Path, Route, Stop, Traveller, path};
use crate::{
    catalog::{BundleName, Catalog},
    edit,
    upgrade::{
        EdgeKind, Installed, PackageGraph, UpgradeTable,
        fixture::{catalog, channel, graph},
        v1::{Policy, Query},
    },
};

fn classic() -> Traveller {
    Traveller::Classic("c".into())
}

fn v1() -> Traveller {
    Traveller::V1(Query::default())
}

fn name(version: &str) -> BundleName {
    format!("p.v{version}").into()
}

fn route(catalog: &Catalog, traveller: &Traveller, from: &str, to: &str) -> Route {
    let graph = graph(catalog);
    let from = Installed::of(&graph.package, &name(from));
    Route::new(&graph, traveller, &from, &name(to))
}

fn lands(path: &Path) -> Vec<&str> {
    path.hops.iter().map(|hop| hop.to.as_str().trim_start_matches("p.v")).collect()
}

/// Returns the path after the offered edit.
fn opened(catalog: &Catalog, route: &Route) -> Path {
    let opening = route.opening.as_ref().unwrap();
    let catalog = edit::apply(catalog, &opening.edit).unwrap();
    path(&graph(&catalog), &route.path.traveller, &route.path.from, route.path.to.as_ref())
}

/// Formats an edit as `ENTRY skips FROM` or `ENTRY RANGE`.
fn edit_in_words(route: &Route) -> String {
    let opening = route.opening.as_ref().unwrap();
    match &opening.kind {
        OpeningKind::Skips => format!("{} skips {}", opening.entry, opening.from),
        OpeningKind::SkipRange { range } => format!("{} {range}", opening.entry),
    }
}

#[test]
fn hops_have_edge_and_channel() {
    let catalog = catalog(&[
        ("c", "3.0.0 replaces=2.5.0 range=<2.0.0\n2.5.0 replaces=1.0.0 skips=2.0.0\n2.0.0\n1.0.0"),
        ("d", "2.0.0"),
    ]);
    let two = route(&catalog, &classic(), "2.0.0", "3.0.0");
    assert!(two.path.arrives() && two.opening.is_none());
    let hops: Vec<_> =
        two.path.hops.iter().map(|hop| (hop.edge(), hop.channel().unwrap().as_str())).collect();
    assert_eq!(hops, [(Some(EdgeKind::Skips), "c"), (Some(EdgeKind::Replaces), "c")]);
    assert_eq!(two.path.hops[0].why(), "skips it in c");
    let one = route(&catalog, &v1(), "1.0.0", "3.0.0");
    assert_eq!(one.path.hops[0].why(), "skipRange <2.0.0 in c includes 1.0.0");
    let free = Traveller::V1(Query { policy: Policy::SelfCertified, ..Query::default() });
    let free = route(&catalog, &free, "1.0.0", "3.0.0");
    assert_eq!((free.path.hops[0].edge(), free.path.arrives()), (None, true));
}

#[test]
fn opening_of_dead_end_is_in_the_entry_that_skips() {
    let lines = "3.0.0 replaces=2.6.0\n2.6.0 replaces=2.0.0 skips=2.5.0\n2.5.0 skips=1.9.0\n2.0.0\n1.9.0";
    let catalog = catalog(&[("c", lines)]);
    let stuck = route(&catalog, &classic(), "1.9.0", "3.0.0");
    let End::Stays { at, why: Stop::DeadEnd(ignored) } = &stuck.path.end else {
        panic!("{:?}", stuck.path.end)
    };
    assert_eq!((at, &ignored[0].to), (&name("1.9.0"), &name("2.5.0")));
    assert_eq!(edit_in_words(&stuck), "p.v2.6.0 skips p.v1.9.0");
    assert_eq!(lands(&opened(&catalog, &stuck)), ["2.6.0", "3.0.0"], "the way goes on from there");
    let v1 = route(&catalog, &v1(), "1.9.0", "3.0.0");
    assert_eq!(lands(&v1.path), ["2.5.0", "2.6.0", "3.0.0"]);
}

#[test]
fn opening_of_stop_on_chain_is_a_range() {
    // Classic upgrades to 1.1.0, and would not if another entry skipped it.
    let lines = "3.0.0 replaces=2.0.0\n2.0.0 replaces=1.2.0 skips=1.2.0\n1.2.0 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0";
    let catalog = catalog(&[("c", lines)]);
    let stuck = route(&catalog, &classic(), "1.0.0", "3.0.0");
    assert!(matches!(&stuck.path.end, End::Stays { at, .. } if *at == name("1.1.0")));
    assert_eq!(edit_in_words(&stuck), "p.v2.0.0 =1.1.0");
    assert_eq!(lands(&opened(&catalog, &stuck)), ["1.1.0", "2.0.0", "3.0.0"]);
    // The same applies if 1.1.0 is installed: it is on the chain, and 1.0.0 upgrades to it.
    assert_eq!(edit_in_words(&route(&catalog, &classic(), "1.1.0", "3.0.0")), "p.v2.0.0 =1.1.0");
}

#[test]
fn head_stays_and_nothing_is_downgraded() {
    let catalog = catalog(&[("c", "3.0.0 replaces=2.0.0\n2.0.0"), ("d", "1.0.0 replaces=1.5.0\n1.5.0")]);
    for traveller in [classic(), v1()] {
        let down = route(&catalog, &traveller, "3.0.0", "2.0.0");
        assert_eq!((&down.path.end, down.path.hops.len()), (&End::Never(Never::Lower), 0));
        assert_eq!(down.opening, None);
    }
    let graph = graph(&catalog);
    let head = Installed::of(&graph.package, &name("3.0.0"));
    assert!(path(&graph, &classic(), &head, None).arrives(), "to stay is to arrive where there is no goal");
    // The versions on this chain increase downwards: 1.5.0 is further from the head though it is higher.
    let earlier = route(&catalog, &Traveller::Classic("d".into()), "1.0.0", "1.5.0");
    assert_eq!(earlier.path.end, End::Never(Never::Earlier));
}

#[test]
fn passed_goal_has_no_opening() {
    let lines =
        "2.5.4 replaces=2.5.1 skips=2.5.3 range=<2.5.4\n2.5.3 replaces=2.5.1\n2.5.1 replaces=2.4.0\n2.4.0";
    let catalog = catalog(&[("c", lines)]);
    let skipped = route(&catalog, &classic(), "2.4.0", "2.5.3");
    assert_eq!(
        skipped.path.end,
        End::PassesBy { from: name("2.4.0"), to: name("2.5.4"), skipped_by: Some(name("2.5.4")) }
    );
    let passed = route(&catalog, &classic(), "2.4.0", "2.5.1");
    assert_eq!(passed.path.end, End::PassesBy { from: name("2.4.0"), to: name("2.5.4"), skipped_by: None });
    assert_eq!((&skipped.opening, &passed.opening), (&None, &None));
    let v1 = route(&catalog, &v1(), "2.4.0", "2.5.1");
    assert_eq!(v1.constraint.as_deref(), Some("<=2.5.1"), "v1 can be held back");
    assert_eq!(lands(&v1.path), ["2.5.4"]);
}

#[test]
fn goal_that_is_passed_later_may_have_an_opening() {
    // 1.0.0 upgrades to 2.0.0, whose next upgrade is 4.0.0; the next upgrade of 2.1.0 is 3.0.0.
    let lines = "4.0.0 replaces=3.0.0 range=>=2.0.0_<2.1.0\n3.0.0 replaces=2.1.0\n2.1.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0";
    let catalog = catalog(&[("c", lines)]);
    let passed = route(&catalog, &classic(), "1.0.0", "3.0.0");
    assert_eq!(passed.path.end, End::PassesBy { from: name("2.0.0"), to: name("4.0.0"), skipped_by: None });
    assert_eq!(edit_in_words(&passed), "p.v3.0.0 skips p.v1.0.0");
    assert_eq!(lands(&opened(&catalog, &passed)), ["3.0.0"]);
}

#[test]
fn goal_in_other_channel_names_that_channel() {
    let catalog = catalog(&[("c", "1.0.0"), ("d", "2.0.0 replaces=1.0.0\n1.0.0")]);
    let elsewhere = Never::NotInChannel { channels: vec!["c".into()], has: vec!["d".into()] };
    assert_eq!(route(&catalog, &classic(), "1.0.0", "2.0.0").path.end, End::Never(elsewhere.clone()));
    let listed = Traveller::V1(Query { channels: vec!["c".into()], ..Query::default() });
    assert_eq!(route(&catalog, &listed, "1.0.0", "2.0.0").path.end, End::Never(elsewhere));
    assert_eq!(route(&catalog, &v1(), "1.0.0", "9.0.0").path.end, End::Never(Never::NoBundle));
    let below = Traveller::V1(Query { version: "<2".into(), ..Query::default() });
    let below = route(&catalog, &below, "1.0.0", "2.0.0");
    assert!(matches!(below.path.end, End::Never(Never::Constraint { .. })));
    assert_eq!(below.constraint.as_deref(), Some("<=2.0.0"));
}

#[test]
fn v1_stop_has_a_reason() {
    let why = |lines: &str, query: Query, from: &str, to: &str| {
        let catalog = catalog(&[("c", lines), ("d", "2.5.0 replaces=2.0.0")]);
        match route(&catalog, &Traveller::V1(query), from, to).path.end {
            End::Stays { why, .. } => why,
            end => panic!("{end:?}"),
        }
    };
    let deprecated = "3.0.0 replaces=2.0.0 deprecated\n2.0.0";
    let c = Query { channels: vec!["c".into()], ..Query::default() };
    assert_eq!(why(deprecated, c.clone(), "2.0.0", "3.0.0"), Stop::OnlyDeprecated(vec![name("3.0.0")]));
    let apart = "4.0.0\n3.0.0 replaces=2.0.0\n2.0.0";
    assert_eq!(why(apart, c.clone(), "3.0.0", "4.0.0"), Stop::NoEdge { is_entry: true });
    let in_d = Stop::OtherChannels { channel: "d".into(), to: name("2.5.0") };
    assert_eq!(why("3.0.0\n2.0.0", c, "2.0.0", "3.0.0"), in_d);
    let few = Query { version: "2.0.0 || 4.0.0".into(), ..Query::default() };
    let held = Stop::Constraint { constraint: few.version.clone(), to: name("3.0.0") };
    assert_eq!(why(apart, few, "2.0.0", "4.0.0"), held);
}

#[test]
fn v1_has_opening_if_goal_is_not_deprecated() {
    let catalog = catalog(&[("c", "4.0.0\n3.0.0 deprecated\n2.0.0")]);
    let up = route(&catalog, &v1(), "2.0.0", "4.0.0");
    assert_eq!(edit_in_words(&up), "p.v4.0.0 skips p.v2.0.0");
    assert_eq!(route(&catalog, &v1(), "2.0.0", "3.0.0").opening, None, "v1 would stay all the same");
}

#[test]
fn reports_goals_that_classic_never_picks_and_broken_channels() {
    let catalog = catalog(&[
        ("c", "3.0.0 replaces=2.0.0 skips=2.5.0\n2.5.0\n2.0.0\n1.0.0 replaces=1.1.0\n1.1.0 replaces=1.0.0"),
        ("heads", "2.0.0\n1.0.0"),
    ]);
    assert_eq!(
        route(&catalog, &classic(), "1.0.0", "2.5.0").path.end,
        End::Never(Never::Skipped { by: name("3.0.0") })
    );
    assert_eq!(route(&catalog, &classic(), "1.0.0", "1.1.0").path.end, End::Never(Never::OffChain));
    let heads = route(&catalog, &Traveller::Classic("heads".into()), "1.0.0", "2.0.0");
    assert!(matches!(heads.path.end, End::Error { .. }) && heads.opening.is_none());
    let none = route(&catalog, &Traveller::Classic("none".into()), "1.0.0", "2.0.0");
    assert!(matches!(none.path.end, End::Error { .. }));
}

#[test]
fn bundle_that_left_the_catalog_has_a_path() {
    let catalog = catalog(&[("c", "3.0.0 range=>=1.0.0_<3.0.0\n2.0.0")]);
    let graph = graph(&catalog);
    let gone = Installed { name: name("1.0.0"), version: None };
    let stuck = Route::new(&graph, &classic(), &gone, &name("3.0.0"));
    assert!(matches!(stuck.path.end, End::Error { .. }), "two heads");
    let graph = channel("3.0.0 range=>=1.0.0_<3.0.0");
    let known =
        Installed { version: crate::version::VersionRelease::parse("1.0.0", "").ok(), ..gone.clone() };
    assert!(path(&graph, &classic(), &known, Some(&name("3.0.0"))).arrives());
    let unknown = path(&graph, &classic(), &gone, Some(&name("3.0.0")));
    assert!(matches!(unknown.end, End::Stays { why: Stop::NoEdge { is_entry: false }, .. }));
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
fn moving(graph: &PackageGraph) -> BTreeSet<BundleName> {
    let table = UpgradeTable::new(graph, &"c".into(), &Query::default());
    let moves = table.rows.iter().filter(|row| row.classic.target().is_some());
    moves.map(|row| row.installed.name.clone()).collect()
}

proptest! {
    #[test]
    fn opening_makes_path_arrive_and_strands_no_bundle(lines in any_channel(), is_v1: bool) {
        let catalog = catalog(&[("c", &lines)]);
        let before = graph(&catalog);
        let traveller = if is_v1 { v1() } else { classic() };
        for from in &before.package.bundles {
            for to in &before.package.bundles {
                let from = Installed::of(&before.package, &from.name.value);
                let route = Route::new(&before, &traveller, &from, &to.name.value);
                prop_assert!(!route.path.arrives() || route.opening.is_none());
                if route.opening.is_none() {
                    continue;
                }
                prop_assert!(opened(&catalog, &route).arrives(), "{route:?}");
                let edited = edit::apply(&catalog, &route.opening.as_ref().unwrap().edit).unwrap();
                let stuck: Vec<_> = moving(&before).difference(&moving(&graph(&edited))).cloned().collect();
                prop_assert!(stuck.is_empty(), "{stuck:?} {route:?}");
            }
        }
    }

    #[test]
    fn path_is_the_sequence_of_picks(lines in any_channel(), is_v1: bool) {
        let graph = channel(&lines);
        let table = UpgradeTable::new(&graph, &"c".into(), &Query::default());
        let traveller = if is_v1 { v1() } else { classic() };
        for row in &table.rows {
            let way = path(&graph, &traveller, &row.installed, None);
            let (next, end) = if is_v1 { (&row.v1, &row.v1_end) } else { (&row.classic, &row.classic_end) };
            prop_assert_eq!(way.hops.first().map(|hop| &hop.to), next.target());
            if way.arrives() {
                prop_assert_eq!((way.last(), way.hops.len()), (&end.name, end.hops));
            }
        }
    }
}
