//! Tests of suggested deprecations.

use super::short_version;
use crate::review::{
    Snapshot,
    deprecations::{Suggestion, suggest_deprecations},
};
use olm_catalog::{blob::DeprecationTarget, lifecycle::Date, load};
use olm_upgrade::fixture;

fn format_suggestions(text: &str, today: &str) -> Vec<String> {
    let snapshot = Snapshot::new(load::from_bytes(text.as_bytes().to_vec()));
    let judged = snapshot.package("p").unwrap();
    let all = suggest_deprecations(&snapshot.catalog, judged, Date::parse(today).ok());
    let name = |target: &DeprecationTarget| match target {
        DeprecationTarget::Package => "package".to_owned(),
        DeprecationTarget::Channel(name) => name.to_string(),
        DeprecationTarget::Bundle(name) => short_version(name).to_owned(),
    };
    let line = |s: &Suggestion| {
        let targets: Vec<String> = s.targets.iter().map(name).collect();
        format!(
            "{}: {} | {}",
            targets.join(" "),
            s.describe_reason(|name| short_version(name).to_owned()),
            s.message
        )
    };
    all.iter().map(line).collect()
}

fn catalog_text(channels: &[(&str, &str)], rest: &str) -> String {
    let catalog = fixture::catalog_from_channels(channels);
    let file = catalog.files().first().unwrap();
    String::from_utf8(file.current_bytes()).unwrap() + rest
}

const LIFECYCLE: &str = "---\nschema: io.openshift.operators.lifecycles.v1alpha1\npackage: p\nversions:\n- {name: '2.0', phases: [{name: Full, startDate: '2026-01-01', endDate: '2026-12-31'}]}\n- {name: '1.1', phases: [{name: Full, startDate: '2025-01-01', endDate: '2025-12-31'}]}\n";

#[test]
fn suggests_versions_after_their_end_of_support() {
    let channels = [("c", "2.0.0 replaces=1.1.1\n1.1.1 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0")];
    let text = catalog_text(&channels, LIFECYCLE);
    let old = "1.0.0: older than 1.1, the oldest version in the package's lifecycle data | Versions \
     before 1.1 are not supported. Please upgrade.";
    let ended = "1.1.1 1.1.0: support for 1.1 ended on 2025-12-31 | Support of 1.1 ended on 2025-12-31. \
     Please upgrade.";
    assert_eq!(format_suggestions(&text, "2025-12-31"), [old]);
    // If 1.0.0 is not deprecated, v1 would stay on it after a deprecation of its successor.
    assert_eq!(format_suggestions(&text, "2026-01-01"), [old]);
    let told = "---\nschema: olm.deprecations\npackage: p\nentries:\n- {reference: {schema: olm.bundle, name: p.v1.0.0}, message: m}\n";
    assert_eq!(format_suggestions(&format!("{text}{told}"), "2026-01-01"), [ended]);
}

#[test]
fn does_not_suggest_deprecation_without_way_out() {
    let today = "2026-01-01";
    let closed = [("s-3", "2.0.0"), ("s-2", "1.5.0 range=<1.5.0"), ("s-1", "1.0.0")];
    assert_eq!(format_suggestions(&catalog_text(&closed, ""), today).len(), 1, "from s-1, s-2 is a way out");
    let closed = [("s-3", "2.0.0"), ("s-2", "1.5.0"), ("s-1", "1.0.0")];
    assert!(format_suggestions(&catalog_text(&closed, ""), today).is_empty(), "nothing leads on from s-1");
    // Of several joint suggestions, only the bundle that can be deprecated remains.
    let lifecycle = LIFECYCLE.replace("'1.1'", "'1.2'");
    let channels = [("c", "2.0.0 replaces=1.0.1\n1.0.1"), ("d", "1.0.2")];
    let found = format_suggestions(&catalog_text(&channels, &lifecycle), today);
    assert!(found.len() == 1 && found[0].starts_with("1.0.1: older than 1.2"), "{found:?}");
}

#[test]
fn does_not_suggest_existing_deprecations() {
    let channels = [("c", "2.0.0 replaces=1.1.1\n1.1.1 replaces=1.1.0\n1.1.0"), ("old", "1.1.2")];
    let told = "---\nschema: olm.deprecations\npackage: p\nentries:\n- {reference: {schema: olm.channel, name: old}, message: m}\n- {reference: {schema: olm.bundle, name: p.v1.1.1}, message: m}\n";
    let text = catalog_text(&channels, &format!("{LIFECYCLE}{told}"));
    let found = format_suggestions(&text, "2026-01-01");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("1.1.0: support"), "1.1.2 is in a deprecated channel only: {found:?}");
}

#[test]
fn suggests_channel_behind_all_others() {
    let today = "2026-01-01";
    let three = [("s-3", "3.0.0 range=<3.0.0"), ("s-2", "2.0.0"), ("s-1", "1.0.0")];
    assert_eq!(
        format_suggestions(&catalog_text(&three, ""), today),
        [
            "s-1: its head 1.0.0 is older than all other heads: the next is 2.0.0 of s-2 | Channel s-1 gets no \
             more updates. Please switch to s-3."
        ]
    );
    let none: [&[(&str, &str)]; 7] = [
        &[("s-3", "1.0.2"), ("s-2", "1.0.1-rc.1"), ("s-1", "1.0.0")],
        &[("s-2", "1.0.0"), ("s-1", "2.0.0")],
        &[("s-3", "3.0.0"), ("s-2", "1.0.0"), ("s-1", "1.0.0")],
        &[("s-3", "3.0.0"), ("s-2", "2.0.0\n1.0.0")],
        &[("s-1", "1.0.0")],
        &[("candidate", "3.0.0 range=<3.0.0"), ("fast", "2.0.0"), ("stable", "1.0.0")],
        &[("fast-2", "3.0.0 range=<3.0.0"), ("fast-1", "2.0.0"), ("stable-1", "1.0.0")],
    ];
    for channels in none {
        assert!(format_suggestions(&catalog_text(channels, ""), today).is_empty(), "{channels:?}");
    }
    let told = "---\nschema: olm.deprecations\npackage: p\nentries:\n- {reference: {schema: olm.channel, name: s-1}, message: m}\n";
    assert!(format_suggestions(&catalog_text(&three, told), today).is_empty());
}
