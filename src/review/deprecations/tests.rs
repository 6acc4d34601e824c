//! Who gets away from what, drawn as channels; and the laws that hold for all of them.

#![allow(clippy::format_push_string)] // plain enough for tests

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{ConditionKind, Deprecated, Effects, Status, Way, conditions, deprecated, suggestions};
use crate::{
    catalog::{BundleName, Catalog, blob::DeprecationTarget, lifecycle::Date, load},
    edit::{self, Edit},
    review::{Consequences, Judged, Snapshot},
    upgrade::{
        Installed, fixture,
        path::{self, End, Traveller},
        picks,
        table::{Next, v1_next},
        v1::Query,
    },
};

fn target(text: &str) -> DeprecationTarget {
    match text.split_once(' ') {
        Some(("channel", name)) => DeprecationTarget::Channel(name.into()),
        Some(("bundle", version)) => DeprecationTarget::Bundle(format!("p.v{version}").into()),
        _ => DeprecationTarget::Package,
    }
}

fn deprecating(catalog: &Catalog, target: &DeprecationTarget) -> Catalog {
    let edit = Edit::Deprecate { package: "p".into(), target: target.clone(), message: "old".into() };
    edit::apply(catalog, &edit).unwrap()
}

/// Channels as the fixture draws them, with deprecations such as `package`, `channel c`, `bundle 1.0.0`.
fn snapshot(channels: &[(&str, &str)], deprecations: &[&str]) -> Snapshot {
    let mut catalog = fixture::catalog(channels);
    for text in deprecations {
        catalog = deprecating(&catalog, &target(text));
    }
    Snapshot::new(catalog)
}

fn short(name: &BundleName) -> &str {
    name.as_str().strip_prefix("p.v").unwrap()
}

fn way(way: &Way) -> String {
    match way {
        Way::Here => "here".to_owned(),
        Way::Upgrades { to, hops } => format!("{} in {hops}", short(to)),
        Way::Switch { channels, to, hops } => {
            let names: Vec<&str> = channels.iter().map(super::ChannelName::as_str).collect();
            format!("{} in {hops} by {}", short(to), names.join("+"))
        }
        Way::Closed { at } => format!("none at {}", short(at)),
        Way::Unknown(_) => "unknown".to_owned(),
    }
}

/// A line for each deprecation, and for each that is concerned; a mark where it blocks.
fn table(all: &[Deprecated]) -> String {
    let mut out = String::new();
    for one in all {
        let name = one.reference.replace("olm.", "").replace("p.v", "");
        out += &format!("{name}{}\n", if one.blocks() { " BLOCKS" } else { "" });
        for user in &one.users {
            let classic = user.classic.iter().map(|(channel, found)| format!(" {channel}: {}", way(found)));
            let classic: String = classic.collect();
            out += &format!("  {}{classic} v1: {}\n", short(&user.installed), way(&user.v1));
        }
        let stopped: Vec<&str> = one.stopped.iter().map(short).collect();
        if !stopped.is_empty() {
            out += &format!("  v1 stops on {}\n", stopped.join(" "));
        }
    }
    out
}

#[track_caller]
fn is(channels: &[(&str, &str)], deprecations: &[&str], expected: &str) {
    let snapshot = snapshot(channels, deprecations);
    let found = table(&deprecated(snapshot.package("p").unwrap()));
    let expected: String = expected.trim_start_matches('\n').lines().fold(String::new(), |all, line| {
        let line = line.strip_prefix("        ").unwrap_or(line).trim_end();
        if line.is_empty() { all } else { all + line + "\n" }
    });
    assert_eq!(found, expected, "found\n{found}");
}

const LINE: &str = "3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0";

#[test]
fn what_is_replaced_is_left_by_upgrades() {
    is(
        &[("c", LINE)],
        &["bundle 1.0.0"],
        "
        bundle 1.0.0
          1.0.0 c: 2.0.0 in 1 v1: 2.0.0 in 1
        ",
    );
}

#[test]
fn v1_stops_before_the_only_successor_and_classic_walks_through() {
    is(
        &[("c", LINE)],
        &["bundle 2.0.0"],
        "
        bundle 2.0.0 BLOCKS
          2.0.0 c: 3.0.0 in 1 v1: 3.0.0 in 1
          v1 stops on 1.0.0
        ",
    );
}

#[test]
fn a_deprecated_head_is_left_by_nobody() {
    is(
        &[("c", LINE)],
        &["bundle 3.0.0"],
        "
        bundle 3.0.0 BLOCKS
          3.0.0 c: none at 3.0.0 v1: none at 3.0.0
          v1 stops on 2.0.0
        ",
    );
}

#[test]
fn v1_does_not_stop_where_another_successor_is_left() {
    is(
        &[("c", "3.0.0 replaces=2.0.0 skips=1.0.0\n2.0.0 replaces=1.0.0\n1.0.0")],
        &["bundle 2.0.0"],
        "
        bundle 2.0.0
          2.0.0 c: 3.0.0 in 1 v1: 3.0.0 in 1
        ",
    );
}

#[test]
fn two_deprecated_successors_both_stop_v1() {
    is(
        &[("c", "3.0.0 replaces=2.0.0 range=<3.0.0\n2.0.0 replaces=1.0.0\n1.0.0")],
        &["bundle 3.0.0", "bundle 2.0.0"],
        "
        bundle 3.0.0 BLOCKS
          3.0.0 c: none at 3.0.0 v1: none at 3.0.0
          v1 stops on 1.0.0
        bundle 2.0.0 BLOCKS
          2.0.0 c: none at 3.0.0 v1: none at 3.0.0
          v1 stops on 1.0.0
        ",
    );
}

#[test]
fn subscribers_of_a_deprecated_channel_switch_to_the_default_one() {
    is(
        &[("stable", LINE), ("old", "2.0.0 replaces=1.0.0\n1.0.0"), ("new", "2.0.0\n")],
        &["channel old"],
        "
        channel old
          2.0.0 old: 2.0.0 in 0 by stable v1: here
          1.0.0 old: 1.0.0 in 0 by stable v1: here
        ",
    );
}

#[test]
fn where_the_default_channel_leads_nowhere_the_nearest_other_does() {
    is(
        &[
            ("stable", "9.0.0"),
            ("far", "2.0.0 range=<2.0.0"),
            ("near", "3.0.0 replaces=1.0.0\n1.0.0"),
            ("old", "1.0.0"),
        ],
        &["channel old", "bundle 1.0.0"],
        "
        channel old
          1.0.0 old: 2.0.0 in 1 by far v1: 3.0.0 in 1
        bundle 1.0.0
          1.0.0 near: 3.0.0 in 1 old: 2.0.0 in 1 by far v1: 3.0.0 in 1
        ",
    );
}

#[test]
fn a_channel_with_nothing_after_it_blocks() {
    is(
        &[("stable", "3.0.0"), ("old", "2.0.0 replaces=1.0.0\n1.0.0")],
        &["channel old"],
        "
        channel old BLOCKS
          2.0.0 old: none at 2.0.0 v1: none at 2.0.0
          1.0.0 old: none at 2.0.0 v1: none at 2.0.0
        ",
    );
}

#[test]
fn a_channel_that_is_not_asked_for_keeps_v1_from_escaping_into_a_dead_one() {
    // v1 goes on to 3.0.0, the highest, though its channel is deprecated; asked for the others it takes 2.0.0.
    is(
        &[("stable", "2.0.0 replaces=1.0.0\n1.0.0"), ("old", "3.0.0 replaces=1.0.0\n1.0.0")],
        &["channel old", "bundle 1.0.0"],
        "
        channel old BLOCKS
          3.0.0 old: none at 3.0.0 v1: none at 3.0.0
          1.0.0 old: 2.0.0 in 1 by stable v1: 2.0.0 in 1 by stable
        bundle 1.0.0
          1.0.0 stable: 2.0.0 in 1 old: 2.0.0 in 1 by stable v1: 2.0.0 in 1 by stable
        ",
    );
}

#[test]
fn a_package_that_ends_has_no_way_out_and_blocks_nobody() {
    is(&[("c", LINE)], &["package"], "\n        package\n        ");
    is(
        &[("c", LINE)],
        &["package", "bundle 1.0.0"],
        "
        package
        bundle 1.0.0
          1.0.0 c: 2.0.0 in 1 v1: 2.0.0 in 1
        ",
    );
}

#[test]
fn what_cannot_be_answered_blocks_nobody() {
    is(
        &[("c", "2.0.0\n1.0.0")],
        &["bundle 1.0.0"],
        "
        bundle 1.0.0 BLOCKS
          1.0.0 c: unknown v1: none at 1.0.0
        ",
    );
}

#[test]
fn nothing_is_said_of_bundles_that_are_not_there() {
    let text = "---\nschema: olm.package\nname: p\n---\nschema: olm.channel\npackage: p\nname: c\nentries: [{name: gone}]\n---\nschema: olm.deprecations\npackage: p\nentries:\n- {reference: {schema: olm.channel, name: c}, message: a}\n- {reference: {schema: olm.bundle, name: gone}, message: b}\n- {reference: {schema: olm.thing, name: c}, message: c}\n";
    let snapshot = Snapshot::new(load::from_bytes(text.as_bytes().to_vec()));
    let all = deprecated(snapshot.package("p").unwrap());
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(|one| one.concerned.is_empty() && !one.blocks()));
    assert_eq!(all[0].target, None);
    assert_eq!(all[0].reference, "olm.thing c");
}

fn said(judged: &Judged, channels: &[&str], installed: Option<&str>) -> String {
    let channels: Vec<_> = channels.iter().map(|name| (*name).into()).collect();
    let installed = installed.map(|version| format!("p.v{version}").into());
    let all = conditions(judged.package(), &channels, installed.as_ref());
    let lines = all.iter().map(|c| {
        format!("{}={} {}: {}", c.kind.as_str(), c.status.as_str(), c.reason, c.message.replace('\n', " / "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The words of operator-controller.
#[test]
fn conditions_are_those_of_operator_controller() {
    let mut catalog = fixture::catalog(&[("c", LINE), ("d", "1.0.0")]);
    for (text, message) in
        [("bundle 1.0.0", "bundle"), ("channel d", "d ends"), ("channel c", "c ends"), ("package", "over")]
    {
        let edit = Edit::Deprecate { package: "p".into(), target: target(text), message: message.to_owned() };
        catalog = edit::apply(&catalog, &edit).unwrap();
    }
    let snapshot = Snapshot::new(catalog);
    let judged = snapshot.package("p").unwrap();
    let order: Vec<_> =
        judged.package().deprecations[0].entries.iter().map(|e| e.message.value.clone()).collect();
    let channels = order.iter().filter(|m| m.ends_with("ends")).cloned().collect::<Vec<_>>();
    assert_eq!(
        said(judged, &[], Some("1.0.0")),
        format!(
            "Deprecated=True Deprecated: over / {0} / bundle\nPackageDeprecated=True Deprecated: over\nChannelDeprecated=True Deprecated: {0}\nBundleDeprecated=True Deprecated: bundle",
            channels.join(" / ")
        ),
        "who asks for no channel hears of all"
    );
    assert!(said(judged, &["d"], Some("2.0.0")).ends_with(
        "ChannelDeprecated=True Deprecated: d ends\nBundleDeprecated=False NotDeprecated: bundle not deprecated"
    ));
    let quiet = super::super::tests::snapshot();
    let quiet = quiet.package("p").unwrap();
    assert_eq!(
        said(quiet, &[], None),
        "Deprecated=False NotDeprecated: not deprecated\nPackageDeprecated=False NotDeprecated: package not deprecated\nChannelDeprecated=False NotDeprecated: channel not deprecated\nBundleDeprecated=Unknown Absent: no bundle installed yet"
    );
}

#[test]
fn a_deprecation_without_a_message_raises_no_condition() {
    let text = "---\nschema: olm.package\nname: p\n---\nschema: olm.deprecations\npackage: p\nentries:\n- {reference: {schema: olm.package}, message: ''}\n";
    let snapshot = Snapshot::new(load::from_bytes(text.as_bytes().to_vec()));
    let all = conditions(snapshot.package("p").unwrap().package(), &[], None);
    let package = all.iter().find(|c| c.kind == ConditionKind::Package).unwrap();
    assert_eq!(package.status, Status::False);
}

fn suggested(text: &str, today: &str) -> Vec<String> {
    let snapshot = Snapshot::new(load::from_bytes(text.as_bytes().to_vec()));
    let judged = snapshot.package("p").unwrap();
    let all = suggestions(&snapshot.catalog, judged, Date::parse(today).unwrap());
    let name = |target: &DeprecationTarget| match target {
        DeprecationTarget::Package => "package".to_owned(),
        DeprecationTarget::Channel(name) => name.to_string(),
        DeprecationTarget::Bundle(name) => short(name).to_owned(),
    };
    let line = |s: &super::Suggestion| {
        let targets: Vec<String> = s.targets.iter().map(name).collect();
        format!("{}: {} | {}", targets.join(" "), s.reason(|name| short(name).to_owned()), s.message)
    };
    all.iter().map(line).collect()
}

fn text(channels: &[(&str, &str)], rest: &str) -> String {
    let catalog = fixture::catalog(channels);
    let file = catalog.files().first().unwrap();
    String::from_utf8(file.bytes()).unwrap() + rest
}

const LIFECYCLE: &str = "---\nschema: io.openshift.operators.lifecycles.v1alpha1\npackage: p\nversions:\n- {name: '2.0', phases: [{name: Full, startDate: '2026-01-01', endDate: '2026-12-31'}]}\n- {name: '1.1', phases: [{name: Full, startDate: '2025-01-01', endDate: '2025-12-31'}]}\n";

#[test]
fn versions_whose_support_ended_are_suggested_together_and_only_once_it_has() {
    let channels = [("c", "2.0.0 replaces=1.1.1\n1.1.1 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0")];
    let text = text(&channels, LIFECYCLE);
    let old = "1.0.0: older than 1.1, the oldest version that the lifecycle of the package lists | Versions before 1.1 are not supported. Please upgrade.";
    let ended = "1.1.1 1.1.0: support of 1.1 ended on 2025-12-31 | Support of 1.1 ended on 2025-12-31. Please upgrade.";
    assert_eq!(suggested(&text, "2025-12-31"), [old]);
    assert_eq!(suggested(&text, "2026-01-01"), [ended, old]);
}

#[test]
fn what_users_are_told_already_is_not_suggested() {
    let channels = [("c", "2.0.0 replaces=1.1.1\n1.1.1 replaces=1.1.0\n1.1.0"), ("old", "1.1.2")];
    let told = "---\nschema: olm.deprecations\npackage: p\nentries:\n- {reference: {schema: olm.channel, name: old}, message: m}\n- {reference: {schema: olm.bundle, name: p.v1.1.1}, message: m}\n";
    let text = text(&channels, &format!("{LIFECYCLE}{told}"));
    let found = suggested(&text, "2026-01-01");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("1.1.0: support"), "1.1.2 is in a deprecated channel only: {found:?}");
}

#[test]
fn a_channel_is_suggested_when_every_other_is_ahead_of_it() {
    let today = "2026-01-01";
    let three = [("c", "3.0.0"), ("b", "2.0.0"), ("a", "1.0.0")];
    assert_eq!(
        suggested(&text(&three, ""), today),
        [
            "a: its head 1.0.0 is older than that of every other channel: the next is 2.0.0 of b | Channel a gets no more updates. Please switch to c."
        ]
    );
    let none: [&[(&str, &str)]; 5] = [
        &[("c", "1.0.2"), ("b", "1.0.1-rc.1"), ("a", "1.0.0")],
        &[("c", "1.0.0"), ("b", "2.0.0")],
        &[("c", "3.0.0"), ("b", "1.0.0"), ("a", "1.0.0")],
        &[("c", "3.0.0"), ("b", "2.0.0\n1.0.0")],
        &[("c", "1.0.0")],
    ];
    for channels in none {
        assert!(suggested(&text(channels, ""), today).is_empty(), "{channels:?}");
    }
    let told = "---\nschema: olm.deprecations\npackage: p\nentries:\n- {reference: {schema: olm.channel, name: a}, message: m}\n";
    assert!(suggested(&text(&three, told), today).is_empty());
}

fn effects(before: &Snapshot, edit: &Edit) -> Option<Effects> {
    let after = before.after(edit::apply(&before.catalog, edit).unwrap());
    let found = Consequences::between(before, &after).deprecations;
    assert!(found.len() < 2);
    found.into_iter().next()
}

fn deprecate(text: &str) -> Edit {
    Edit::Deprecate { package: "p".into(), target: target(text), message: "m".into() }
}

#[test]
fn before_a_deprecation_is_kept_those_it_strands_are_known() {
    let before = snapshot(&[("c", LINE)], &[]);
    let effects_of = |text: &str| effects(&before, &deprecate(text)).unwrap();
    let head = effects_of("bundle 3.0.0");
    assert_eq!(head.added, [(target("bundle 3.0.0"), 1)]);
    assert_eq!(head.lost.len(), 2, "Classic in c, and v1");
    assert_eq!(head.stopped, ["p.v2.0.0"]);
    let package = effects_of("package");
    assert_eq!(package.added, [(DeprecationTarget::Package, 3)]);
    assert!(package.lost.is_empty() && package.stopped.is_empty());
}

#[test]
fn taking_a_deprecation_back_frees_those_it_held() {
    let before = snapshot(&[("c", LINE)], &["bundle 3.0.0"]);
    let back = Edit::Undeprecate { package: "p".into(), target: target("bundle 3.0.0") };
    let effects = effects(&before, &back).unwrap();
    assert_eq!(effects.removed, [target("bundle 3.0.0")]);
    assert_eq!((effects.found.len(), effects.freed.len()), (2, 1));
    assert!(effects.added.is_empty() && effects.lost.is_empty() && effects.stopped.is_empty());
}

#[test]
fn an_edit_that_cuts_the_way_out_strands_too_and_other_words_change_nothing() {
    let before = snapshot(&[("c", LINE)], &["bundle 2.0.0"]);
    let cut = Edit::RemoveEntry { package: "p".into(), channel: "c".into(), entry: "p.v3.0.0".into() };
    let lost = effects(&before, &cut).unwrap();
    assert!(lost.added.is_empty());
    assert!(lost.lost.iter().all(|s| s.installed == "p.v2.0.0"), "{lost:?}");
    assert_eq!(lost.lost.len(), 2);
    assert_eq!(effects(&before, &deprecate("bundle 2.0.0")), None, "the message alone is another");
}

/// Something of a package with the channels `c` and `d`, deprecated.
fn targets() -> impl Strategy<Value = Vec<DeprecationTarget>> {
    let version = prop::sample::select(&["1.0.0", "1.1.0", "1.2.0", "2.0.0", "2.0.1", "3.0.0", "10.0.0"][..]);
    let one = prop_oneof![
        1 => Just(target("package")),
        2 => Just(target("channel c")),
        2 => Just(target("channel d")),
        8 => version.prop_map(|version| target(&format!("bundle {version}"))),
    ];
    prop::collection::vec(one, 1..5)
}

fn all_of(catalog: &Catalog, targets: &[DeprecationTarget]) -> Option<Catalog> {
    let mut catalog = catalog.clone();
    for target in targets {
        let edit = Edit::Deprecate { package: "p".into(), target: target.clone(), message: "m".into() };
        // What is not there cannot be deprecated.
        catalog = edit::apply(&catalog, &edit).ok()?;
    }
    Some(catalog)
}

/// Whether a bundle on a path is deprecated for who is subscribed to a channel, or under v1 for who is to none.
fn is_free(judged: &Judged, by: &Traveller, name: &BundleName) -> bool {
    let package = judged.package();
    let dead = |channel: &super::ChannelName| package.channel_deprecation(channel).is_some();
    package.bundle_deprecation(name).is_none()
        && match by {
            Traveller::Classic(channel) => !dead(channel),
            Traveller::V1(_) => {
                let homes: Vec<_> = package.channels_with(name).map(|c| c.name.value.clone()).collect();
                homes.is_empty() || !homes.iter().all(dead)
            }
        }
}

/// The bundles on a whole path, the first one too.
fn on_path(judged: &Judged, by: &Traveller, from: &BundleName) -> (Vec<BundleName>, End) {
    let installed = Installed::of(judged.package(), from);
    let path = path::path(&judged.graph, by, &installed, None);
    let all = std::iter::once(from.clone()).chain(path.hops.into_iter().map(|hop| hop.to));
    (all.collect(), path.end)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The ways are those that paths take, which are worked out elsewhere.
    #[test]
    fn a_way_by_upgrades_is_a_path_and_none_is_none(c in picks::lines(), d in picks::lines(), targets in targets()) {
        let Some(catalog) = all_of(&fixture::catalog(&[("c", &c), ("d", &d)]), &targets) else { return Ok(()) };
        let snapshot = Snapshot::new(catalog);
        let judged = snapshot.package("p").unwrap();
        for user in deprecated(judged).iter().flat_map(|one| &one.users) {
            let classic = user.classic.iter().map(|(channel, way)| (Traveller::Classic(channel.clone()), way));
            for (by, way) in classic.chain([(Traveller::V1(Query::default()), &user.v1)]) {
                let (path, end) = on_path(judged, &by, &user.installed);
                let first = path.iter().position(|name| is_free(judged, &by, name));
                match way {
                    Way::Here => prop_assert_eq!(first, Some(0)),
                    Way::Upgrades { to, hops } => {
                        prop_assert_eq!(first, Some(*hops), "{:?} {:?}", by, path);
                        prop_assert_eq!(&path[*hops], to);
                    }
                    Way::Switch { .. } | Way::Closed { .. } => prop_assert_eq!(first, None, "{:?} {:?}", by, path),
                    Way::Unknown(error) => {
                        prop_assert_eq!(first, None);
                        let reports = matches!(&end, End::Error { error: found, .. } if found == error);
                        prop_assert!(reports, "{:?}", end);
                    }
                }
                if let (Way::Switch { channels, to, hops }, Traveller::Classic(_)) = (way, &by) {
                    let other = Traveller::Classic(channels[0].clone());
                    let (path, _) = on_path(judged, &other, &user.installed);
                    prop_assert_eq!(&path[*hops], to);
                    prop_assert!(is_free(judged, &other, to));
                }
            }
        }
    }

    /// Without any deprecation nobody is held, and each that v1 stops on would go on.
    #[test]
    fn taking_everything_back_frees_everybody(c in picks::lines(), d in picks::lines(), targets in targets()) {
        let Some(catalog) = all_of(&fixture::catalog(&[("c", &c), ("d", &d)]), &targets) else { return Ok(()) };
        let before = Snapshot::new(catalog);
        let judged = before.package("p").unwrap();
        let all = deprecated(judged);
        let mut free = (*before.catalog).clone();
        // The fixture may say it twice of a bundle in two channels; it is taken back once.
        for target in all.iter().filter_map(|one| one.target.clone()).collect::<BTreeSet<_>>() {
            free = edit::apply(&free, &Edit::Undeprecate { package: "p".into(), target }).unwrap();
        }
        let after = before.after(free);
        let freed = after.package("p").unwrap();
        prop_assert!(deprecated(freed).is_empty());
        let (now, then) = (judged.graph.resolver(&Query::default()), freed.graph.resolver(&Query::default()));
        for bundle in &judged.package().bundles {
            let installed = Installed::of(judged.package(), &bundle.name.value);
            let stays = v1_next(&now, &installed) == Next::Stays;
            let goes_on = matches!(v1_next(&then, &installed), Next::To(_));
            let is_deprecated = judged.package().bundle_deprecation(&installed.name).is_some();
            let stopped = all.iter().any(|one| one.stopped.contains(&installed.name));
            prop_assert_eq!(stopped, stays && goes_on && !is_deprecated, "{}", installed.name);
        }
        let effects = Consequences::between(&before, &after).deprecations;
        for effects in effects {
            prop_assert!(effects.added.is_empty() && effects.lost.is_empty() && effects.stopped.is_empty());
        }
    }

    /// One more deprecation never opens a way under Classic, whose picks do not look at them.
    #[test]
    fn a_deprecation_closes_ways_of_classic_and_opens_none(
        c in picks::lines(),
        d in picks::lines(),
        targets in targets(),
        more in targets(),
    ) {
        let channels = fixture::catalog(&[("c", &c), ("d", &d)]);
        let Some(before) = all_of(&channels, &targets) else { return Ok(()) };
        let Some(after) = all_of(&before, &more) else { return Ok(()) };
        let (before, after) = (Snapshot::new(before), Snapshot::new(after));
        let effects = Consequences::between(&before, &after).deprecations;
        for found in effects.iter().flat_map(|effects| &effects.found) {
            prop_assert_eq!(found.engine, crate::upgrade::Engine::V1, "{:?}", found);
        }
    }

    /// A channel nobody is in, deprecated: nobody notices.
    #[test]
    fn deprecating_what_nobody_is_on_affects_nobody(c in picks::lines(), targets in targets()) {
        let Some(before) = all_of(&fixture::catalog(&[("c", &c), ("d", &c)]), &targets) else { return Ok(()) };
        let empty = Edit::AddChannel { package: "p".into(), channel: "empty".into(), entries: Vec::new() };
        let before = edit::apply(&before, &empty).unwrap();
        let target = target("channel empty");
        let after = deprecating(&before, &target);
        let (before, after) = (Snapshot::new(before), Snapshot::new(after));
        let effects = Consequences::between(&before, &after).deprecations;
        let expected = Effects { package: "p".into(), added: vec![(target, 0)], ..Effects::default() };
        prop_assert_eq!(effects, [expected]);
    }
}
