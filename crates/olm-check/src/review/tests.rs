//! Tests of the consequences of an edit for installed bundles.

use super::{Consequences, FreshInstall, Snapshot};
use crate::Severity;
use olm_catalog::{
    blob::{DeprecationTarget, EntrySpec},
    load,
};
use olm_edit::Edit;
use olm_upgrade::{Engine, fixture, install_blockers::InstallBlockerKind, table::NextUpgrade};

pub(super) fn sample_snapshot() -> Snapshot {
    let mut text = String::from("schema: olm.package\nname: p\ndefaultChannel: c\n");
    text += "---\nschema: olm.channel\npackage: p\nname: c\nentries:\n- {name: p.v3.0.0, replaces: p.v2.0.0}\n- {name: p.v2.0.0, replaces: p.v1.0.0}\n- {name: p.v1.0.0}\n";
    for version in ["1.0.0", "2.0.0", "3.0.0"] {
        text += &format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: example.com/p:{version}\nproperties:\n- {{type: olm.package, value: {{packageName: p, version: {version}}}}}\n"
        );
    }
    text += "---\nschema: olm.package\nname: other\ndefaultChannel: none\n";
    Snapshot::new(load::from_bytes(text.into_bytes()))
}

fn set_entry(spec: EntrySpec) -> Edit {
    Edit::SetEntry { package: "p".into(), channel: "c".into(), entry: "p.v3.0.0".into(), spec }
}

fn snapshot_after(before: &Snapshot, edit: &Edit) -> Snapshot {
    before.after_change(olm_edit::apply_edit(&before.catalog, edit).unwrap())
}

#[test]
fn state_has_no_consequences_for_itself() {
    let state = sample_snapshot();
    assert!(Consequences::compare_snapshots(&state, &state).is_empty());
}

#[test]
fn reports_changed_upgrade_with_both_targets() {
    let before = sample_snapshot();
    let spec = EntrySpec {
        replaces: Some("p.v2.0.0".into()),
        skips: vec!["p.v1.0.0".into()],
        ..EntrySpec::default()
    };
    let moved =
        Consequences::compare_snapshots(&before, &snapshot_after(&before, &set_entry(spec))).changed_steps;
    let one = |engine| moved.iter().find(|m| m.engine == engine).unwrap();
    assert_eq!(moved.len(), 2, "{moved:?}");
    for engine in [Engine::Classic, Engine::V1] {
        assert_eq!(one(engine).installed, "p.v1.0.0");
        assert_eq!(one(engine).before.next, NextUpgrade::To("p.v2.0.0".into()));
        assert_eq!(one(engine).after.next, NextUpgrade::To("p.v3.0.0".into()));
    }
    assert_eq!(one(Engine::Classic).channel.as_ref().unwrap(), "c");
}

/// Creates a catalog where two bundles of `harbour` provide an API and three of `beacon` require
/// it. `other` is unrelated.
fn dependent_packages() -> Snapshot {
    let mut text = String::new();
    let mut package = |name: &str, versions: [&str; 3], property: &str| {
        text += &format!("---\nschema: olm.package\nname: {name}\ndefaultChannel: c\n");
        text += &format!("---\nschema: olm.channel\npackage: {name}\nname: c\nentries:\n");
        let mut last = None;
        for version in versions {
            text += &format!("- name: {name}.v{version}\n");
            text += &last.map(|last: &str| format!("  replaces: {name}.v{last}\n")).unwrap_or_default();
            last = Some(version);
        }
        for version in versions {
            text += &format!("---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{version}\n");
            text += "image: i.example/x:1\nproperties:\n- type: olm.package\n";
            text += &format!("  value: {{packageName: {name}, version: {version}}}\n{property}");
        }
    };
    let ship = "value: {group: sea.example.com, version: v1, kind: Ship}";
    package("beacon", ["0.1.0", "0.2.0", "0.10.0"], &format!("- type: olm.gvk.required\n  {ship}\n"));
    package("other", ["1.0.0", "1.1.0", "1.2.0"], "");
    package("harbour", ["1.0.0", "1.1.0", "2.0.0"], &format!("- type: olm.gvk\n  {ship}\n"));
    // The head of `harbour` does not provide the API.
    let last = text.rfind("- type: olm.gvk\n").unwrap();
    text.truncate(last);
    Snapshot::new(load::from_bytes(text.into_bytes()))
}

#[test]
fn reports_unmet_dependency_before_removal_of_provider() {
    let before = dependent_packages();
    let found: Vec<&str> = before.findings().map(|finding| finding.rule.id).collect();
    assert_eq!(found, ["outdated-dependency", "v1-dependencies"], "the head provides nothing already");
    let remove = |state: &Snapshot, version: &str| {
        let bundle = format!("harbour.v{version}").as_str().into();
        snapshot_after(state, &Edit::RemoveBundle { package: "harbour".into(), bundle })
    };
    let one_left = remove(&before, "1.0.0");
    let told = Consequences::compare_snapshots(&before, &one_left);
    assert!(told.new_findings.is_empty() && told.fixed_findings.is_empty(), "{told:?}");
    let none_left = remove(&one_left, "1.1.0");
    let told = Consequences::compare_snapshots(&one_left, &none_left);
    let messages: Vec<&str> = told.new_findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "OLM Classic cannot install anything from c: beacon.v0.10.0, beacon.v0.2.0 and beacon.v0.1.0 need API \
             sea.example.com/v1 Ship: no open catalog provides it"
        ]
    );
    assert_eq!(told.fixed_findings.first().map(|finding| finding.rule.id), Some("outdated-dependency"));
    // The reverse edit fixes it.
    let told = Consequences::compare_snapshots(&none_left, &one_left);
    let fixed: Vec<&str> = told.fixed_findings.iter().map(|finding| finding.rule.id).collect();
    assert_eq!(fixed, ["dependency-unsatisfiable"]);
    // Unrelated packages are not checked again.
    let same = |name: &str| {
        std::sync::Arc::ptr_eq(one_left.package(name).unwrap(), none_left.package(name).unwrap())
    };
    assert_eq!([same("other"), same("beacon")], [true, false]);
    // An edited state has the same findings as a fresh one.
    let anew = Snapshot::new((*none_left.catalog).clone());
    let told = |state: &Snapshot| state.findings().map(|f| f.message.clone()).collect::<Vec<_>>();
    assert_eq!(told(&none_left), told(&anew));
}

#[test]
fn finding_about_fewer_bundles_is_neither_new_nor_fixed() {
    let before = dependent_packages();
    let edit = Edit::RemoveBundle { package: "harbour".into(), bundle: "harbour.v1.0.0".into() };
    let edit = [edit, Edit::RemoveBundle { package: "harbour".into(), bundle: "harbour.v1.1.0".into() }];
    let gone = edit.iter().fold(before, |state, edit| snapshot_after(&state, edit));
    let fewer = snapshot_after(
        &gone,
        &Edit::RemoveBundle { package: "beacon".into(), bundle: "beacon.v0.1.0".into() },
    );
    let told = Consequences::compare_snapshots(&gone, &fewer);
    assert!(told.new_findings.is_empty() && told.fixed_findings.is_empty(), "{told:?}");
}

#[test]
fn edit_adds_and_fixes_findings() {
    let before = sample_snapshot();
    let broken = snapshot_after(&before, &set_entry(EntrySpec::default()));
    let consequences = Consequences::compare_snapshots(&before, &broken);
    assert!(consequences.new_findings.iter().any(|f| f.rule.id == "multiple-heads"));
    assert!(consequences.fixed_findings.is_empty());
    let back = Consequences::compare_snapshots(&broken, &before);
    assert!(back.fixed_findings.iter().any(|f| f.rule.id == "multiple-heads"));
}

#[test]
fn finding_with_another_severity_is_neither_new_nor_fixed() {
    let channels = [("new", "2.0.0"), ("old", "1.1.0 replaces=1.0.0\n1.0.0")];
    let before = Snapshot::new(fixture::catalog_from_channels(&channels));
    let edit = Edit::Deprecate {
        package: "p".into(),
        target: DeprecationTarget::Channel("old".into()),
        message: "Use new.".to_owned(),
    };
    let consequences = Consequences::compare_snapshots(&before, &snapshot_after(&before, &edit));
    let compared = consequences.new_findings.iter().chain(&consequences.fixed_findings);
    assert!(compared.map(|finding| finding.rule.id).all(|rule| rule != "stuck"), "{consequences:?}");
    let changes: Vec<_> = consequences
        .severity_changes
        .iter()
        .map(|change| (change.finding.rule.id, change.before, change.finding.severity()))
        .collect();
    assert_eq!(changes, [("stuck", Severity::Warning, Severity::Note)]);
}

#[test]
fn only_the_edited_package_is_judged_again() {
    let before = sample_snapshot();
    let after = snapshot_after(&before, &set_entry(EntrySpec::default()));
    assert_eq!(after.changed_packages(&before), [&olm_catalog::PackageName::from("p")]);
    let judged = [before.package("other").unwrap(), after.package("other").unwrap()];
    assert!(std::sync::Arc::ptr_eq(judged[0], judged[1]));
}

#[test]
fn skip_prevents_stranding_by_removal_of_old_versions() {
    let mut text = String::from("schema: olm.package\nname: p\ndefaultChannel: c\n");
    text += "---\nschema: olm.channel\npackage: p\nname: c\nentries:\n- {name: p.v1.0.2, skips: [p.v1.0.0, p.v1.0.1]}\n- {name: p.v1.0.1}\n- {name: p.v1.0.0}\n";
    for version in ["1.0.0", "1.0.1", "1.0.2"] {
        text += &format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: example.com/p:{version}\nproperties:\n- {{type: olm.package, value: {{packageName: p, version: {version}}}}}\n"
        );
    }
    let before = Snapshot::new(load::from_bytes(text.into_bytes()));
    let version = olm_version::Version::parse("1.0.2").unwrap();
    let edit = Edit::LeaveOutBelow { package: "p".into(), version };
    let consequences = Consequences::compare_snapshots(&before, &snapshot_after(&before, &edit));
    assert_eq!(consequences.changed_steps, []);
    assert!(consequences.new_findings.is_empty(), "{:?}", consequences.new_findings);
}

#[test]
fn removed_entry_changes_upgrades_of_others() {
    let before = sample_snapshot();
    let edit = Edit::RemoveEntry { package: "p".into(), channel: "c".into(), entry: "p.v3.0.0".into() };
    let moved = Consequences::compare_snapshots(&before, &snapshot_after(&before, &edit)).changed_steps;
    let stays = |m: &&super::ChangedUpgrade| m.installed == "p.v2.0.0" && m.after.next == NextUpgrade::Stays;
    assert_eq!(moved.iter().filter(stays).count(), 2, "{moved:?}");
}

/// Creates a package with a separate channel for unreleased versions; its default channel is `stable`.
fn two_channels() -> Snapshot {
    two_channels_with("")
}

/// Creates the same package; the bundle in `nightly` has one more property.
fn two_channels_with(property: &str) -> Snapshot {
    let mut text = String::from("schema: olm.package\nname: p\ndefaultChannel: stable\n");
    text += "---\nschema: olm.channel\npackage: p\nname: stable\nentries:\n- {name: p.v1.1.0, replaces: p.v1.0.0}\n- {name: p.v1.0.0}\n";
    text += "---\nschema: olm.channel\npackage: p\nname: nightly\nentries:\n- {name: p.v2.0.0-n, skipRange: '>=1.0.0 <2.0.0-n'}\n";
    for version in ["1.0.0", "1.1.0", "2.0.0-n"] {
        text += &format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: example.com/p:{version}\nproperties:\n- {{type: olm.package, value: {{packageName: p, version: {version}}}}}\n- {{type: olm.csv.metadata, value: {{installModes: [{{type: AllNamespaces, supported: true}}]}}}}\n"
        );
    }
    text += property;
    Snapshot::new(load::from_bytes(text.into_bytes()))
}

/// Engine, channel, previous pick and new pick of a fresh install.
type FormattedChange = (Engine, Option<String>, Option<String>, Option<String>);

fn fresh_install_changes(before: &Snapshot, edit: &Edit) -> Vec<FormattedChange> {
    let told = Consequences::compare_snapshots(before, &snapshot_after(before, edit)).fresh;
    let pick = |install: &FreshInstall| install.pick.as_ref().ok().map(ToString::to_string);
    told.iter()
        .map(|c| (c.engine, c.channel.as_ref().map(ToString::to_string), pick(&c.before), pick(&c.after)))
        .collect()
}

#[test]
fn new_default_channel_changes_only_installs_without_channel() {
    let before = two_channels();
    let edit = Edit::SetDefaultChannel { package: "p".into(), channel: "nightly".into() };
    let consequences = Consequences::compare_snapshots(&before, &snapshot_after(&before, &edit));
    assert_eq!(consequences.changed_steps, [], "v1 went there before, and knows no default channel");
    assert_eq!(consequences.changed_ends, []);
    let [change] = consequences.fresh.as_slice() else { panic!("{:?}", consequences.fresh) };
    assert_eq!((change.engine, &change.channel), (Engine::Classic, &None));
    let side = |install: &FreshInstall| {
        (install.pick.clone().unwrap().to_string(), install.from.as_ref().map(ToString::to_string))
    };
    assert_eq!(side(&change.before), ("p.v1.1.0".to_owned(), Some("stable".to_owned())));
    assert_eq!(side(&change.after), ("p.v2.0.0-n".to_owned(), Some("nightly".to_owned())));
    assert!(!consequences.is_empty());
}

#[test]
fn new_head_changes_installs_with_and_without_channel() {
    let before = two_channels();
    let edit = Edit::RemoveEntry { package: "p".into(), channel: "stable".into(), entry: "p.v1.1.0".into() };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        fresh_install_changes(&before, &edit),
        [
            (Engine::Classic, None, some("p.v1.1.0"), some("p.v1.0.0")),
            (Engine::Classic, some("stable"), some("p.v1.1.0"), some("p.v1.0.0")),
        ],
        "v1 takes the nightly before and after"
    );
}

#[test]
fn new_or_removed_package_has_no_fresh_install_changes() {
    let (there, empty) = (two_channels(), Snapshot::new(load::from_bytes(Vec::new())));
    assert_eq!(Consequences::compare_snapshots(&there, &empty).fresh, []);
    assert_eq!(Consequences::compare_snapshots(&empty, &there).fresh, []);
}

#[test]
fn new_refusal_of_v1_is_a_change_with_same_pick() {
    let before = two_channels();
    let now = two_channels_with("- {type: olm.gvk.required, value: {group: g, kind: K, version: v1}}\n");
    let changed = Consequences::compare_snapshots(&before, &now).fresh;
    let [change] = changed.as_slice() else { panic!("{changed:?}") };
    assert_eq!(change.before.pick, change.after.pick);
    assert_eq!((change.before.refused, change.after.refused), (None, Some(InstallBlockerKind::Dependency)));
}
