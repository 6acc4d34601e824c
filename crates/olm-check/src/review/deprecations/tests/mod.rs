//! Tests of ways out of deprecations, and of conditions that clusters show.

#![allow(clippy::format_push_string)] // readable enough for tests

mod effects;
mod laws;
mod suggestions;

use super::{ConditionKind, DeprecationReport, ExitPath, Status, extension_conditions, list_deprecations};
use crate::review::{PackageState, Snapshot};
use olm_catalog::{BundleName, Catalog, ChannelName, blob::DeprecationTarget, load};
use olm_edit::Edit;
use olm_upgrade::fixture;

fn parse_target(text: &str) -> DeprecationTarget {
    match text.split_once(' ') {
        Some(("channel", name)) => DeprecationTarget::Channel(name.into()),
        Some(("bundle", version)) => DeprecationTarget::Bundle(format!("p.v{version}").into()),
        _ => DeprecationTarget::Package,
    }
}

fn with_deprecation(catalog: &Catalog, target: &DeprecationTarget) -> Catalog {
    let edit = Edit::Deprecate { package: "p".into(), target: target.clone(), message: "old".into() };
    olm_edit::apply_edit(catalog, &edit).unwrap()
}

/// Creates a snapshot of channels in the notation of the fixture, with deprecations such as `package`, `channel c`, `bundle
/// 1.0.0`.
fn deprecated_snapshot(channels: &[(&str, &str)], deprecations: &[&str]) -> Snapshot {
    let mut catalog = fixture::catalog_from_channels(channels);
    for text in deprecations {
        catalog = with_deprecation(&catalog, &parse_target(text));
    }
    Snapshot::new(catalog)
}

fn short_version(name: &BundleName) -> &str {
    name.as_str().strip_prefix("p.v").unwrap()
}

fn format_way(way: &ExitPath) -> String {
    match way {
        ExitPath::NotNeeded => "here".to_owned(),
        ExitPath::Upgrades { to, hops } => format!("{} in {hops}", short_version(to)),
        ExitPath::ChannelSwitch { channels, to, hops } => {
            let names: Vec<&str> = channels.iter().map(ChannelName::as_str).collect();
            format!("{} in {hops} by {}", short_version(to), names.join("+"))
        }
        ExitPath::Closed { at } => format!("none at {}", short_version(at)),
        ExitPath::Unknown(_) => "unknown".to_owned(),
    }
}

/// Formats deprecations, with a line per affected bundle and a mark if it is blocked.
fn format_deprecations(all: &[DeprecationReport]) -> String {
    let mut out = String::new();
    for one in all {
        let name = one.reference.replace("olm.", "").replace("p.v", "");
        out += &format!("{name}{}\n", if one.blocks() { " BLOCKS" } else { "" });
        for user in &one.affected {
            let classic =
                user.classic.iter().map(|(channel, found)| format!(" {channel}: {}", format_way(found)));
            let classic: String = classic.collect();
            out += &format!("  {}{classic} v1: {}\n", short_version(&user.installed), format_way(&user.v1));
        }
        let stopped: Vec<&str> = one.stopped.iter().map(short_version).collect();
        if !stopped.is_empty() {
            out += &format!("  v1 stops on {}\n", stopped.join(" "));
        }
    }
    out
}

#[track_caller]
fn assert_deprecations(channels: &[(&str, &str)], deprecations: &[&str], expected: &str) {
    let snapshot = deprecated_snapshot(channels, deprecations);
    let found = format_deprecations(&list_deprecations(snapshot.package("p").unwrap()));
    let expected: String = expected.trim_start_matches('\n').lines().fold(String::new(), |all, line| {
        let line = line.strip_prefix("        ").unwrap_or(line).trim_end();
        if line.is_empty() { all } else { all + line + "\n" }
    });
    assert_eq!(found, expected, "found\n{found}");
}

const LINE: &str = "3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0";

#[test]
fn upgrades_leave_a_deprecated_bundle() {
    assert_deprecations(
        &[("c", LINE)],
        &["bundle 1.0.0"],
        "
        bundle 1.0.0
          1.0.0 c: 2.0.0 in 1 v1: 2.0.0 in 1
        ",
    );
}

#[test]
fn v1_stops_before_deprecated_successor_and_classic_does_not() {
    assert_deprecations(
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
fn deprecated_head_has_no_way_out() {
    assert_deprecations(
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
fn v1_does_not_stop_if_another_successor_remains() {
    assert_deprecations(
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
    assert_deprecations(
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
fn way_out_of_deprecated_channel_is_the_default_channel() {
    assert_deprecations(
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
fn way_out_is_the_closest_channel_if_the_default_has_none() {
    assert_deprecations(
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
fn deprecated_channel_without_successor_blocks() {
    assert_deprecations(
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
fn v1_must_select_channels_to_avoid_a_deprecated_one() {
    // v1 upgrades to 3.0.0, the highest, though its channel is deprecated. With the other channels selected it picks 2.0.0.
    assert_deprecations(
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
fn deprecated_package_has_no_way_out_and_does_not_block() {
    assert_deprecations(&[("c", LINE)], &["package"], "\n        package\n        ");
    assert_deprecations(
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
fn resolver_error_does_not_block() {
    assert_deprecations(
        &[("c", "2.0.0\n1.0.0")],
        &["bundle 1.0.0"],
        "
        bundle 1.0.0 BLOCKS
          1.0.0 c: unknown v1: none at 1.0.0
        ",
    );
}

#[test]
fn ignores_missing_bundles() {
    let text = "---\nschema: olm.package\nname: p\n---\nschema: olm.channel\npackage: p\nname: c\nentries: [{name: gone}]\n---\nschema: olm.deprecations\npackage: p\nentries:\n- {reference: {schema: olm.channel, name: c}, message: a}\n- {reference: {schema: olm.bundle, name: gone}, message: b}\n- {reference: {schema: olm.thing, name: c}, message: c}\n";
    let snapshot = Snapshot::new(load::from_bytes(text.as_bytes().to_vec()));
    let all = list_deprecations(snapshot.package("p").unwrap());
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(|one| one.concerned.is_empty() && !one.blocks()));
    assert_eq!(all[0].target, None);
    assert_eq!(all[0].reference, "olm.thing c");
}

fn format_conditions(judged: &PackageState, channels: &[&str], installed: Option<&str>) -> String {
    let channels: Vec<_> = channels.iter().map(|name| (*name).into()).collect();
    let installed = installed.map(|version| format!("p.v{version}").into());
    let all = extension_conditions(judged.package(), &channels, installed.as_ref());
    let lines = all.iter().map(|c| {
        format!("{}={} {}: {}", c.kind.as_str(), c.status.as_str(), c.reason, c.message.replace('\n', " / "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The texts are those of operator-controller.
#[test]
fn conditions_agree_with_operator_controller() {
    let mut catalog = fixture::catalog_from_channels(&[("c", LINE), ("d", "1.0.0")]);
    for (text, message) in
        [("bundle 1.0.0", "bundle"), ("channel d", "d ends"), ("channel c", "c ends"), ("package", "over")]
    {
        let edit =
            Edit::Deprecate { package: "p".into(), target: parse_target(text), message: message.to_owned() };
        catalog = olm_edit::apply_edit(&catalog, &edit).unwrap();
    }
    let snapshot = Snapshot::new(catalog);
    let judged = snapshot.package("p").unwrap();
    let order: Vec<_> =
        judged.package().deprecations[0].entries.iter().map(|e| e.message.value.clone()).collect();
    let channels = order.iter().filter(|m| m.ends_with("ends")).cloned().collect::<Vec<_>>();
    assert_eq!(
        format_conditions(judged, &[], Some("1.0.0")),
        format!(
            "Deprecated=True Deprecated: over / {0} / bundle\nPackageDeprecated=True Deprecated: over\nChannelDeprecated=True Deprecated: {0}\nBundleDeprecated=True Deprecated: bundle",
            channels.join(" / ")
        ),
        "who asks for no channel hears of all"
    );
    assert!(format_conditions(judged, &["d"], Some("2.0.0")).ends_with(
        "ChannelDeprecated=True Deprecated: d ends\nBundleDeprecated=False NotDeprecated: bundle not deprecated"
    ));
    let quiet = crate::review::tests::sample_snapshot();
    let quiet = quiet.package("p").unwrap();
    assert_eq!(
        format_conditions(quiet, &[], None),
        "Deprecated=False NotDeprecated: not deprecated\nPackageDeprecated=False NotDeprecated: package not deprecated\nChannelDeprecated=False NotDeprecated: channel not deprecated\nBundleDeprecated=Unknown Absent: no bundle installed yet"
    );
}

#[test]
fn deprecation_without_message_sets_no_condition() {
    let text = "---\nschema: olm.package\nname: p\n---\nschema: olm.deprecations\npackage: p\nentries:\n- {reference: {schema: olm.package}, message: ''}\n";
    let snapshot = Snapshot::new(load::from_bytes(text.as_bytes().to_vec()));
    let all = extension_conditions(snapshot.package("p").unwrap().package(), &[], None);
    let package = all.iter().find(|c| c.kind == ConditionKind::Package).unwrap();
    assert_eq!(package.status, Status::False);
}
