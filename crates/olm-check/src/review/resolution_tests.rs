//! Tests of dependency resolution with several packages or catalogs.

use std::sync::Arc;

use proptest::prelude::*;

use crate::review::{Consequences, Snapshot};
use olm_catalog::{
    blob::{EntrySpec, Gvk},
    load,
};
use olm_edit::{Edit, apply_edit};
use olm_upgrade::resolve::{
    CatalogIndex, ChangedPackages, HeadOutcome, PackageResolution, Source,
    channel_resolution::steps_per_channel, constraint::Predicate,
};

/// Creates a catalog from lines of `PACKAGE VERSION [needs=PACKAGE:RANGE] [gives=KIND] [newer=KIND] [asks=KIND]`. Each
/// version replaces the previous one. `newer` provides an API in a version that no bundle requires.
fn snapshot_from_lines(lines: &str) -> Snapshot {
    use std::fmt::Write as _;
    let mut text = String::new();
    let mut packages: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in lines.lines() {
        let mut words = line.split_whitespace();
        let (package, version) = (words.next().unwrap(), words.next().unwrap());
        match packages.iter_mut().find(|(known, _)| *known == package) {
            Some((_, versions)) => versions.push(version),
            None => packages.push((package, vec![version])),
        }
        let _ = writeln!(
            text,
            "---\nschema: olm.bundle\npackage: {package}\nname: {package}.v{version}\nimage: example.com/{package}@sha256:{:064}\n\
             properties:\n- type: olm.package\n  value: {{packageName: {package}, version: {version}}}",
            text.len()
        );
        for word in words {
            let (what, of) = word.split_once('=').unwrap();
            let version = if what == "newer" { "v2" } else { "v1" };
            let api = format!("{{group: x.io, version: {version}, kind: {of}}}");
            let (kind, value) = match what {
                "gives" | "newer" => ("olm.gvk", api),
                "asks" => ("olm.gvk.required", api),
                _ => {
                    let (name, range) = of.split_once(':').unwrap();
                    ("olm.package.required", format!("{{packageName: {name}, versionRange: '{range}'}}"))
                }
            };
            let _ = writeln!(text, "- type: {kind}\n  value: {value}");
        }
    }
    for (package, versions) in &packages {
        let _ = writeln!(text, "---\nschema: olm.package\nname: {package}\ndefaultChannel: stable");
        let _ = writeln!(text, "---\nschema: olm.channel\npackage: {package}\nname: stable\nentries:");
        for (at, version) in versions.iter().enumerate() {
            let _ = writeln!(text, "- name: {package}.v{version}");
            if let Some(before) = at.checked_sub(1).and_then(|at| versions.get(at)) {
                let _ = writeln!(text, "  replaces: {package}.v{before}");
            }
        }
    }
    Snapshot::new(load::from_bytes(text.into_bytes()))
}

fn dependency_findings(state: &Snapshot) -> Vec<String> {
    let ours = state.findings().filter(|finding| {
        finding.rule.id.starts_with("dependency-") || finding.rule.id == "resolution-unstable"
    });
    ours.map(|finding| format!("{} {:?}: {}", finding.rule.id, finding.severity, finding.message)).collect()
}

#[test]
fn conflict_is_a_warning_and_missing_dependency_a_note() {
    // Both provide K, and a namespace may have only one provider.
    let state = snapshot_from_lines("a 1.0.0 needs=b:1.0.0 needs=c:1.0.0\nb 1.0.0 gives=K\nc 1.0.0 gives=K");
    assert_eq!(
        dependency_findings(&state),
        [
            "dependency-unsatisfiable Warning: OLM Classic cannot install anything from stable: a.v1.0.0 needs package b in 1.0.0: \
             only b.v1.0.0; a.v1.0.0 needs package c in 1.0.0: only c.v1.0.0; b.v1.0.0 and c.v1.0.0 provide x.io/v1 K, and \
             only one fits in a namespace"
        ]
    );
    let state = snapshot_from_lines("a 1.0.0 needs=b:1.0.0\nb 2.0.0");
    assert_eq!(
        dependency_findings(&state),
        [
            "dependency-unsatisfiable Note: OLM Classic cannot install anything from stable: a.v1.0.0 needs package b in 1.0.0: \
          no open catalog provides it; this catalog has b 2.0.0"
        ]
    );
}

#[test]
fn names_the_open_catalog_that_provides_a_dependency() {
    let (own, other) = (
        snapshot_from_lines("a 1.0.0\na 2.0.0 asks=K\nz 1.0.0\nz 2.0.0"),
        snapshot_from_lines("b 1.0.0 gives=K"),
    );
    assert_eq!(
        dependency_findings(&own),
        [
            "dependency-head-unsatisfiable Note: OLM Classic installs a.v1.0.0 and not a.v2.0.0, the head of stable: a.v2.0.0 \
          needs API x.io/v1 K: no open catalog provides it"
        ]
    );
    assert!(!own.is_independent() && other.is_independent());
    let beside = own.with_other_catalogs(vec![Source::new("vendor", other.index())]);
    assert_eq!(
        dependency_findings(&beside),
        ["dependency-only-elsewhere Note: a.v2.0.0, the head of stable, needs what only vendor has"]
    );
    assert!(Arc::ptr_eq(own.package("z").unwrap(), beside.package("z").unwrap()));
    // The finding stays after an edit, until the other catalog no longer provides it.
    let edit = Edit::RemoveBundle { package: "z".into(), bundle: "z.v2.0.0".into() };
    let after = beside.after_change(apply_edit(&beside.catalog, &edit).unwrap());
    assert_eq!(dependency_findings(&after), dependency_findings(&beside));
    let nothing = snapshot_from_lines("c 1.0.0");
    let alone = beside.with_other_catalogs(vec![Source::new("vendor", nothing.index())]);
    assert_eq!(dependency_findings(&alone), dependency_findings(&own));
}

#[test]
fn index_keeps_unchanged_packages_after_an_edit() {
    let state = snapshot_from_lines("a 1.0.0 needs=b:1.0.0\nb 1.0.0\nb 2.0.0");
    let edit = Edit::RemoveBundle { package: "b".into(), bundle: "b.v1.0.0".into() };
    let after = CatalogIndex::updated_for(state.index(), &apply_edit(&state.catalog, &edit).unwrap());
    let same = |at: usize| Arc::ptr_eq(&state.index().packages()[at], &after.packages()[at]);
    assert_eq!([same(0), same(1)], [true, false]);
}

/// The index of providers survives edits, and is rebuilt if many packages were edited.
#[test]
fn providers_are_correct_after_any_number_of_edits() {
    let package = |n: u8| match n % 2 {
        0 => format!("p{n} 1.0.0\np{n} 2.0.0 gives=K\n"),
        _ => format!("p{n} 1.0.0 gives=K\np{n} 2.0.0\n"),
    };
    let mut state = snapshot_from_lines(&(0..12).map(package).collect::<String>());
    let api = Gvk { group: "x.io".into(), version: "v1".into(), kind: "K".into() };
    let providers = |index: &CatalogIndex| index.matching_bundles(&Predicate::Gvk(api.clone()), &mut 1000);
    assert_eq!(providers(state.index()).len(), 12);
    for n in 0..12u8 {
        let version = if n % 3 == 0 { "2.0.0" } else { "1.0.0" };
        let (package, bundle) = (format!("p{n}"), format!("p{n}.v{version}"));
        let edit = Edit::RemoveBundle { package: package.as_str().into(), bundle: bundle.as_str().into() };
        state = state.after_change(apply_edit(&state.catalog, &edit).unwrap());
        let anew = CatalogIndex::new(&state.catalog);
        assert_eq!(providers(state.index()), providers(&anew), "{n}");
    }
    assert_eq!(providers(state.index()).len(), 6);
}

/// More channels leave fewer steps for each; channels that exceed their budget have no findings.
#[test]
fn channel_over_its_budget_is_not_checked() {
    let state = snapshot_from_lines("a 1.0.0 needs=b:1.0.0\nb 1.0.0");
    let end = |steps: u64| {
        let standings = PackageResolution::resolve(state.index(), "a", &[], steps);
        standings.channels.into_iter().map(|standing| standing.outcome).collect::<Vec<_>>()
    };
    assert_eq!([end(1000), end(1)], [[HeadOutcome::Head], [HeadOutcome::Unknown]]);
    assert_eq!(steps_per_channel(state.index()), 1_000_000);
    let many: Vec<String> = (0..600).map(|n| format!("p{n} 1.0.0 needs=b:1.0.0\n")).collect();
    let many = many.concat();
    assert_eq!(steps_per_channel(snapshot_from_lines(&many).index()), 50_000_000 / 600);
}

const PACKAGES: [&str; 3] = ["first", "second", "third"];

fn any_lines() -> impl Strategy<Value = String> {
    // Similar names, so that suggestions occur.
    let name = prop::sample::select(vec!["first", "second", "third", "thirt"]);
    let range = prop::sample::select(vec![">=1.0.0", ">=2.0.0", "<2.0.0", "9.0.0"]);
    let need = (name, range).prop_map(|(name, range)| format!("needs={name}:{range}"));
    let one = prop_oneof![
        need,
        (0..3u8).prop_map(|kind| format!("asks=K{kind}")),
        (0..3u8).prop_map(|kind| format!("gives=K{kind}")),
        (0..3u8).prop_map(|kind| format!("newer=K{kind}"))
    ];
    let bundle = prop::collection::btree_set(one, 0..3);
    prop::collection::vec(prop::collection::vec(bundle, 1..=3), 3).prop_map(|packages| {
        let mut lines = String::new();
        for (name, bundles) in PACKAGES.iter().zip(packages) {
            for (at, traits) in bundles.iter().enumerate() {
                let traits: Vec<&str> = traits.iter().map(String::as_str).collect();
                lines += &format!("{name} {}.0.0 {}\n", at + 1, traits.join(" "));
            }
        }
        lines
    })
}

proptest! {
    /// State that survives an edit must equal the state of a fresh computation.
    #[test]
    fn edits_leave_no_stale_findings(lines in any_lines(), removed in prop::collection::vec((0..3usize, 1..4u8), 1..4)) {
        let mut state = snapshot_from_lines(&lines);
        for (package, version) in removed {
            let package = PACKAGES[package];
            let bundle = format!("{package}.v{version}.0.0").as_str().into();
            let edit = Edit::RemoveBundle { package: package.into(), bundle };
            let Ok(after) = apply_edit(&state.catalog, &edit) else { continue };
            state = state.after_change(after);
            let anew = Snapshot::new((*state.catalog).clone());
            prop_assert_eq!(dependency_findings(&state), dependency_findings(&anew));
        }
    }
}

/// In vendor catalogs some packages always lack a dependency, and edits elsewhere must not wait for them.
#[test]
fn package_with_missing_dependency_depends_on_possible_providers() {
    let state = snapshot_from_lines(
        "a 1.0.0 needs=second:>=1.0.0\nb 1.0.0 asks=K\nk 1.0.0 newer=K\nk 2.0.0\nz 1.0.0 gives=L\nz 2.0.0",
    );
    let may_change = |edited: &str| {
        let touched = ChangedPackages::from_packages([state.catalog.package(edited).unwrap().as_ref()]);
        ["a", "b"].map(|name| state.package(name).unwrap().resolution().may_change(&touched))
    };
    assert_eq!(may_change("z"), [false, false], "it is no part of why");
    assert_eq!(may_change("k"), [false, true], "the API in another version comes nearest");
    assert_eq!(may_change("a"), [true, false]);
    let edit = Edit::AddPackage {
        package: "secand".into(),
        default_channel: "stable".into(),
        description: None,
        icon: None,
        folder: None,
    };
    let after = state.after_change(apply_edit(&state.catalog, &edit).unwrap());
    assert!(
        !dependency_findings(&state).concat().contains("did the author mean"),
        "{:?}",
        dependency_findings(&state)
    );
    assert!(
        dependency_findings(&after).concat().contains("did the author mean secand?"),
        "{:?}",
        dependency_findings(&after)
    );
}

/// Bundles that a removal leaves without a dependency, with unchanged other catalogs.
#[test]
fn reports_unmet_dependencies_in_every_open_catalog() {
    let own = snapshot_from_lines(
        "a 1.0.0 needs=b:1.0.0\na 2.0.0 needs=b:1.0.0 asks=K\nb 1.0.0\nb 2.0.0\nk 1.0.0 gives=K\nk 2.0.0\nz 1.0.0\nz 2.0.0",
    );
    let other = snapshot_from_lines("far 1.0.0 asks=K");
    let left = |edit: Edit, beside: &[&Snapshot]| {
        let after = own.after_change(apply_edit(&own.catalog, &edit).unwrap());
        let named = beside.iter().enumerate();
        let beside: Vec<Source> =
            named.map(|(at, state)| Source::new(&format!("o{at}"), state.index())).collect();
        Consequences::compare_beside(&own, &after, &beside).unmet.to_lines()
    };
    let remove = |package: &str| {
        let bundle = format!("{package}.v1.0.0").as_str().into();
        Edit::RemoveBundle { package: package.into(), bundle }
    };
    assert_eq!(left(remove("z"), &[&other]), Vec::<String>::new());
    assert_eq!(
        left(remove("k"), &[&other]),
        [
            "a 2.0.0 (1 bundle) needs API x.io/v1 K, and no open catalog provides it any more",
            "far 1.0.0 (1 bundle) of o0 needs API x.io/v1 K, and no open catalog provides it any more",
        ]
    );
    let another = snapshot_from_lines("w 1.0.0 gives=K");
    assert_eq!(left(remove("k"), &[&other, &another]), Vec::<String>::new(), "another catalog has it");
    // A skipped bundle is not a candidate.
    let spec = EntrySpec { skips: vec!["b.v1.0.0".into()], ..EntrySpec::default() };
    let (package, channel, entry) = ("b".into(), "stable".into(), "b.v2.0.0".into());
    assert_eq!(
        left(Edit::SetEntry { package, channel, entry, spec }, &[]),
        ["a 1.0.0 to 2.0.0 (2 bundles) need package b in 1.0.0, and no open catalog provides it any more"]
    );
}
