//! Tests of differences: examples and properties.

use std::collections::BTreeSet;

use proptest::{prelude::*, sample::Index};

use super::*;
use crate::Severity;
use olm_catalog::{
    BundleName, ChannelName,
    blob::{DeprecationTarget, EntrySpec},
    load,
};
use olm_edit::{
    Edit,
    operation::{NewEntry, NewIcon},
};
use olm_upgrade::{
    Engine,
    fixture::{self, any_channel_lines},
    table::NextUpgrade,
};

fn parse_snapshot(text: &str) -> Snapshot {
    Snapshot::new(load::from_bytes(text.as_bytes().to_vec()))
}

/// Returns all differences, one line each; edges and heads follow from entries.
fn list_differences(difference: &Difference) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for package in &difference.packages {
        if package.change_kind != ChangeKind::Changed {
            named.insert(format!("{} package {}", package.change_kind.diff_mark(), package.name));
        }
        if package.default_channel.is_some() {
            named.insert("~ default channel".to_owned());
        }
        named.extend(package.description.iter().map(|leaf| format!("~ {}", leaf.path)));
        for channel in &package.channels {
            if channel.change_kind != ChangeKind::Changed {
                named.insert(format!("{} channel {}", channel.change_kind.diff_mark(), channel.name));
            }
            let entry = |entry: &EntryDiff| {
                format!("{} {} in {}", entry.change_kind().diff_mark(), entry.name, channel.name)
            };
            named.extend(channel.entries.iter().map(entry));
        }
        named.extend(
            package.bundles.iter().map(|b| format!("{} bundle {}", b.change_kind.diff_mark(), b.name)),
        );
        named.extend(
            package.deprecations.iter().map(|d| format!("{} {:?}", d.change_kind().diff_mark(), d.target)),
        );
        named.extend(
            package.others.iter().map(|o| format!("{} {} {:?}", o.fate.diff_mark(), o.schema, o.name)),
        );
    }
    named
}

const CATALOG: &str = "\
schema: olm.package
name: p
defaultChannel: c
---
schema: olm.channel
package: p
name: c
entries:
- {name: p.v2, replaces: p.v1, skips: [p.v0, p.v00], skipRange: '>=1.0.0 <2.0.0'}
- {name: p.v1}
---
schema: olm.bundle
package: p
name: p.v1
image: example.com/p:1
relatedImages: [{name: a, image: example.com/a:1}, {name: b, image: example.com/b:1}]
properties:
- {type: olm.package, value: {packageName: p, version: 1.0.0}}
- {type: olm.gvk, value: {group: g, version: v1, kind: K}}
- {type: mine, value: {deep: {list: [1, 2], same: yes}}}
---
schema: olm.bundle
package: p
name: p.v2
image: example.com/p:2
properties: [{type: olm.package, value: {packageName: p, version: 2.0.0}}]
---
{schema: olm.deprecations, package: p, entries: [{reference: {schema: olm.package}, message: Old.}]}
---
{schema: mine, package: p, name: one, rows: [1, 2, 3]}
---
{schema: mine, name: of nobody}
";

fn compare_texts(old: &str, new: &str) -> Difference {
    Difference::compare_catalogs(&parse_snapshot(old), &parse_snapshot(new))
}

fn compare_with_replacement(from: &str, to: &str) -> Difference {
    assert!(CATALOG.contains(from), "{from}");
    compare_texts(CATALOG, &CATALOG.replacen(from, to, 1))
}

#[test]
fn formatting_makes_no_difference() {
    let mut documents: Vec<&str> = CATALOG.split("---\n").collect();
    documents.reverse();
    let other = documents
        .join("---\n")
        .replace("- {name: p.v2, replaces: p.v1, skips: [p.v0, p.v00], skipRange: '>=1.0.0 <2.0.0'}\n- {name: p.v1}",
            "# By hand.\n- name: p.v1\n- skipRange: \">=1.0.0   <2.0.0\"\n  skips: [p.v00, p.v0]\n  replaces: p.v1\n  name: p.v2")
        .replace("[{name: a, image: example.com/a:1}, {name: b, image: example.com/b:1}]",
            "[{image: example.com/b:1, name: b}, {name: a, image: 'example.com/a:1'}]")
        .replace("- {type: olm.gvk, value: {group: g, version: v1, kind: K}}\n", "")
        .replace("- {type: olm.package, value: {packageName: p, version: 1.0.0}}",
            "- {value: {kind: K, group: g, version: v1}, type: olm.gvk}\n- {type: olm.package, value: {packageName: p, version: 1.0.0}}");
    let difference = compare_texts(CATALOG, &other);
    assert!(difference.is_empty(), "{difference:#?}");
    let rewritten: Vec<String> =
        difference.packages[0].rewritten.iter().map(|r| format!("{} {}", r.schema, r.name)).collect();
    assert_eq!(rewritten, ["olm.bundle p.v1", "olm.channel c"]);
}

#[test]
fn reports_changed_parts_of_published_bundle() {
    let difference = compare_with_replacement("list: [1, 2], same: yes", "list: [1, 3], same: yes");
    let bundle = &difference.packages[0].bundles[0];
    assert_eq!((bundle.name.as_str(), bundle.change_kind), ("p.v1", ChangeKind::Changed));
    let leaf = Leaf { path: "deep.list[1]".into(), before: Some("2".into()), after: Some("3".into()) };
    assert_eq!(bundle.properties, [PropertyDiff { kind: "mine".into(), leaves: vec![leaf] }]);

    let difference = compare_with_replacement("image: example.com/p:1", "image: example.com/p:other");
    let image = difference.packages[0].bundles[0].image.clone().unwrap();
    assert_eq!(image.after.as_deref(), Some("example.com/p:other"));

    let difference = compare_with_replacement("example.com/b:1", "example.com/b:2");
    let [image] = difference.packages[0].bundles[0].related_images.as_slice() else { panic!() };
    assert_eq!((image.name.as_str(), image.before.as_deref()), ("b", Some("example.com/b:1")));
    assert_eq!(image.after.as_deref(), Some("example.com/b:2"));

    let difference =
        compare_with_replacement("- {type: olm.gvk, value: {group: g, version: v1, kind: K}}\n", "");
    let [property] = difference.packages[0].bundles[0].properties.as_slice() else { panic!() };
    assert_eq!(property.kind, "olm.gvk");
    assert_eq!(property.leaves[0].after, None);
}

#[test]
fn changed_bundle_version_changes_edges_of_ranges() {
    let difference =
        compare_with_replacement("packageName: p, version: 1.0.0", "packageName: p, version: 0.1.0");
    let package = &difference.packages[0];
    assert_eq!(package.bundles[0].version.as_ref().unwrap().before.as_deref(), Some("1.0.0"));
    let channel = &package.channels[0];
    assert!(channel.entries.is_empty() && channel.new_edges.is_empty());
    let edge = Edge { from: "p.v1".into(), to: "p.v2".into(), kind: "skipRange" };
    assert_eq!(channel.removed_edges, [edge]);
}

#[test]
fn compares_deprecations_and_objects_of_other_schemas() {
    let difference = compare_with_replacement("message: Old.", "message: Older.");
    let [deprecation] = difference.packages[0].deprecations.as_slice() else { panic!() };
    assert_eq!(deprecation.target, Some(DeprecationTarget::Package));
    assert_eq!((deprecation.before.as_deref(), deprecation.after.as_deref()), (Some("Old."), Some("Older.")));

    let difference = compare_with_replacement("rows: [1, 2, 3]", "rows: [1, 2]");
    let [other] = difference.packages[0].others.as_slice() else { panic!() };
    assert_eq!(
        (other.schema.as_str(), other.fate, other.leaves[0].path.as_str()),
        ("mine", ChangeKind::Changed, "rows[2]")
    );

    let difference = compare_with_replacement("name: of nobody", "name: of somebody");
    let fates: Vec<_> = difference.others.iter().map(|o| (o.fate, o.name.clone().unwrap())).collect();
    assert_eq!(fates, [(ChangeKind::Removed, "of nobody".into()), (ChangeKind::Added, "of somebody".into())]);
}

#[test]
fn removed_bundle_keeps_its_version_for_upgrades() {
    let line = "- {name: p.v1}\n";
    let bundle = CATALOG.find("---\nschema: olm.bundle\npackage: p\nname: p.v1").unwrap();
    let next = CATALOG.find("---\nschema: olm.bundle\npackage: p\nname: p.v2").unwrap();
    let without = format!("{}{}", &CATALOG[..bundle], &CATALOG[next..]).replace(line, "");
    let difference = compare_texts(CATALOG, &without);
    // The skipRange of p.v2 includes the version of v1, so all upgrades stay the same.
    assert!(difference.consequences.changed_steps.is_empty(), "{:?}", difference.consequences.changed_steps);
    let stranded = without.replace(", skipRange: '>=1.0.0 <2.0.0'", "").replace("replaces: p.v1, ", "");
    let moved = compare_texts(CATALOG, &stranded).consequences.changed_steps;
    let of: Vec<_> =
        moved.iter().map(|m| (m.engine, m.installed.as_str(), m.removed, m.after.dead_end)).collect();
    assert_eq!(of, [(Engine::Classic, "p.v1", true, true), (Engine::V1, "p.v1", true, false)]);
    assert_eq!(moved[0].before.next, NextUpgrade::To("p.v2".into()));
    assert_eq!(moved[0].after.next, NextUpgrade::Stays);
    assert!(matches!(moved[1].after.next, NextUpgrade::Error(_)));
}

#[test]
fn new_head_changes_all_path_ends_but_few_next_upgrades() {
    let catalog = |lines| Snapshot::new(fixture::catalog_from_channels(&[("c", lines)]));
    let old = catalog("3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0");
    let new = catalog("4.0.0 replaces=3.0.0\n3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0");
    let consequences = Difference::compare_catalogs(&old, &new).consequences;
    let of = |moved: &[crate::review::ChangedUpgrade]| -> Vec<String> {
        moved.iter().map(|m| format!("{} {} => {}", m.installed, m.before.end, m.after.end)).collect()
    };
    assert_eq!(of(&consequences.changed_steps), ["p.v3.0.0 p.v3.0.0 => p.v4.0.0"; 2]);
    let ends = ["p.v1.0.0 p.v3.0.0 => p.v4.0.0", "p.v2.0.0 p.v3.0.0 => p.v4.0.0"];
    assert_eq!(of(&consequences.changed_ends), [ends, ends].concat());
}

#[test]
fn removed_package_leaves_installed_bundles_without_upgrade() {
    let difference = compare_texts(CATALOG, "{schema: mine, name: of nobody}\n");
    assert_eq!(difference.packages[0].change_kind, ChangeKind::Removed);
    assert!(difference.others.is_empty());
    assert!(list_differences(&difference).contains("- p.v2 in c"));
    assert!(
        difference
            .consequences
            .changed_steps
            .iter()
            .all(|m| m.removed && matches!(m.after.next, NextUpgrade::Error(_)))
    );
    assert_eq!(difference.consequences.changed_steps.len(), 4);
}

/// Returns an item of a list; `None` if the list is empty.
fn pick_item<T: Clone>(all: &[T], at: Index) -> Option<T> {
    (!all.is_empty()).then(|| at.get(all).clone())
}

/// Creates an edit of a catalog, with its expected differences in the notation of [`named`].
fn any_edit(
    catalog: &Catalog,
    kind: usize,
    a: Index,
    b: Index,
    c: Index,
) -> Option<(Edit, BTreeSet<String>)> {
    let package = catalog.package("p")?;
    let p = || PackageName::from("p");
    let channels: Vec<ChannelName> = package.channels.iter().map(|c| c.name.value.clone()).collect();
    let channel = pick_item(&channels, a)?;
    let blob = package.channel(channel.as_str())?;
    let entries: Vec<BundleName> = blob.entries.iter().map(|e| e.name.value.clone()).collect();
    let bundles: Vec<BundleName> = package.bundles.iter().map(|b| b.name.value.clone()).collect();
    let (entry, bundle) = (pick_item(&entries, b)?, pick_item(&bundles, c)?);
    let is_default = package.default_channel() == Some(&channel);
    let spec = EntrySpec {
        replaces: Some(bundle.clone()),
        skips: vec![entry.clone()],
        skip_range: Some(">=0.0.1 <1.0.0".to_owned()),
    };
    let (edit, says): (Edit, Vec<String>) = match kind {
        0 => {
            let says = vec![format!("~ {entry} in {channel}")];
            (Edit::SetEntry { package: p(), channel, entry, spec }, says)
        }
        1 => {
            let entry = bundles.iter().find(|name| !entries.contains(name))?.clone();
            let says = vec![format!("+ {entry} in {channel}")];
            (Edit::AddEntry { package: p(), channel, entry, spec }, says)
        }
        2 => {
            let says = vec![format!("- {entry} in {channel}")];
            (Edit::RemoveEntry { package: p(), channel, entry }, says)
        }
        3 => {
            let says = if is_default { vec![] } else { vec!["~ default channel".to_owned()] };
            (Edit::SetDefaultChannel { package: p(), channel }, says)
        }
        4 => {
            let entries = vec![NewEntry { name: bundle.clone(), spec: EntrySpec::default() }];
            let says = vec!["+ channel x".to_owned(), format!("+ {bundle} in x")];
            (Edit::AddChannel { package: p(), channel: "x".into(), entries }, says)
        }
        5 => {
            let mut says = vec![format!("- channel {channel}"), "+ channel x".to_owned()];
            for entry in &entries {
                says.extend([format!("- {entry} in {channel}"), format!("+ {entry} in x")]);
            }
            says.extend(is_default.then(|| "~ default channel".to_owned()));
            (Edit::RenameChannel { package: p(), channel, to: "x".into() }, says)
        }
        6 => {
            let description = Some("Something else.".to_owned());
            (Edit::SetDescription { package: p(), description }, vec!["~ description".to_owned()])
        }
        7 => {
            let default = is_default.then(|| channels.iter().find(|c| **c != channel).cloned()).flatten();
            let mut says = vec![format!("- channel {channel}")];
            says.extend(entries.iter().map(|entry| format!("- {entry} in {channel}")));
            says.extend(is_default.then(|| "~ default channel".to_owned()));
            (Edit::RemoveChannel { package: p(), channel, default }, says)
        }
        10 => {
            let blob = "{schema: olm.bundle, package: p, name: p.new, image: i, properties: [{type: olm.package, \
                        value: {packageName: p, version: 9.9.9}}]}";
            (Edit::AddBundle { package: p(), blob: blob.to_owned() }, vec!["+ bundle p.new".to_owned()])
        }
        11 => {
            let icon = NewIcon { mediatype: "image/png".to_owned(), base64data: "bmV3".to_owned() };
            (Edit::SetIcon { package: p(), icon: Some(icon) }, vec!["~ icon".to_owned()])
        }
        8 => {
            let is_known = package.bundle_deprecation(&bundle).is_some();
            let target = DeprecationTarget::Bundle(bundle);
            let says = vec![format!("{} {:?}", if is_known { '~' } else { '+' }, Some(&target))];
            (Edit::Deprecate { package: p(), target, message: "New words.".into() }, says)
        }
        _ => {
            let target = DeprecationTarget::Bundle(bundle);
            let says = vec![format!("- {:?}", Some(&target))];
            (Edit::Undeprecate { package: p(), target }, says)
        }
    };
    Some((edit, says.into_iter().collect()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn catalog_does_not_differ_from_itself(c in any_channel_lines(), d in any_channel_lines()) {
        let catalog = || Snapshot::new(fixture::catalog_from_channels(&[("c", &c), ("d", &d)]));
        let one = catalog();
        for other in [&one, &catalog()] {
            let difference = Difference::compare_catalogs(&one, other);
            prop_assert!(difference.is_empty() && difference.packages.is_empty());
        }
    }

    #[test]
    fn difference_contains_exactly_the_effects_of_an_edit(
        (c, d) in (any_channel_lines(), any_channel_lines()), kind in 0..12usize, at in any::<[Index; 3]>(),
    ) {
        let before = Snapshot::new(fixture::catalog_from_channels(&[("c", &c), ("d", &d)]));
        let [a, b, c] = at;
        let Some((edit, says)) = any_edit(&before.catalog, kind, a, b, c) else { return Ok(()) };
        // An edit that does not apply to this catalog has no differences.
        let Ok(edited) = olm_edit::apply_edit(&before.catalog, &edit) else { return Ok(()) };
        let after = before.after_change(edited);
        let difference = Difference::compare_catalogs(&before, &after);
        prop_assert_eq!(list_differences(&difference), says, "{:?}", edit);
        // The preview of an edit must show the same consequences.
        let told = crate::review::Consequences::compare_snapshots(&before, &after);
        prop_assert_eq!(&told.changed_steps, &difference.consequences.changed_steps);
        // A reload from disk must have the same difference.
        let bytes = after.catalog.files()[0].current_bytes();
        let again = Difference::compare_catalogs(&before, &Snapshot::new(load::from_bytes(bytes)));
        prop_assert_eq!(list_differences(&again), list_differences(&difference));
        prop_assert_eq!(again.consequences.changed_steps, difference.consequences.changed_steps);
    }

    #[test]
    fn removed_bundle_changes_only_entries_with_its_name(c in any_channel_lines(), d in any_channel_lines(), at in any::<Index>()) {
        let before = Snapshot::new(fixture::catalog_from_channels(&[("c", &c), ("d", &d)]));
        let package = before.package("p").unwrap().package().clone();
        let bundles: Vec<BundleName> = package.bundles.iter().map(|b| b.name.value.clone()).collect();
        let Some(gone) = pick_item(&bundles, at) else { return Ok(()) };
        let edit = Edit::RemoveBundle { package: "p".into(), bundle: gone.clone() };
        let Ok(edited) = olm_edit::apply_edit(&before.catalog, &edit) else { return Ok(()) };
        let difference = Difference::compare_catalogs(&before, &before.after_change(edited));
        let package = difference.find_package("p").unwrap();
        let [bundle] = package.bundles.as_slice() else { panic!("{:?}", package.bundles) };
        prop_assert_eq!((&bundle.name, bundle.change_kind), (&gone, ChangeKind::Removed));
        for entry in package.channels.iter().flat_map(|channel| &channel.entries) {
            let named_it = entry.before.as_ref().is_some_and(|spec| {
                spec.replaces.as_ref() == Some(&gone) || spec.skips.contains(&gone)
            });
            prop_assert!(entry.name == gone || named_it, "{:?}", entry);
        }
        let moved = difference.consequences.changed_steps.iter();
        prop_assert!(moved.into_iter().all(|moved| moved.removed == (moved.installed == gone)));
    }

    #[test]
    fn reverse_difference_is_symmetric(a in any_channel_lines(), b in any_channel_lines()) {
        let (a, b) = (Snapshot::new(fixture::catalog_from_channels(&[("c", &a)])), Snapshot::new(fixture::catalog_from_channels(&[("c", &b)])));
        let turned = |name: String| match name.as_bytes()[0] {
            b'+' => name.replacen('+', "-", 1),
            b'-' => name.replacen('-', "+", 1),
            _ => name,
        };
        let there: BTreeSet<String> = list_differences(&Difference::compare_catalogs(&a, &b)).into_iter().map(turned).collect();
        let back = Difference::compare_catalogs(&b, &a);
        prop_assert_eq!(there, list_differences(&back));
        prop_assert_eq!(back.is_empty(), Difference::compare_catalogs(&a, &b).is_empty());
    }
}

#[test]
fn findings_about_two_engines_do_not_change_their_severity() {
    // Classic and v1 end at 2.0.0. One finding is a warning, the other one a note.
    let channel = "3.0.0 replaces=2.0.0-0 skips=1.0.0\n2.0.0-0 replaces=1.1.0-rc.1\n1.1.0-rc.1 replaces=1.0.0 deprecated\n1.0.0";
    let other = "10.0.0 skips=1.1.0\n2.0.0 range=<1.1.0_||_>2.0.0\n2.0.0-0 replaces=10.0.0\n1.1.0+2 skips=1.0.0\n1.1.0 skips=2.0.0\n1.0.0 skips=1.1.0+2";
    let catalog = Snapshot::new(fixture::catalog_from_channels(&[("c", channel), ("d", other)]));
    let findings = || catalog.findings().filter(|it| it.rule.id == "stuck");
    let severities: BTreeSet<Severity> = findings().map(Finding::severity).collect();
    assert_eq!(severities.len(), 2);
    assert!(Difference::compare_catalogs(&catalog, &catalog).is_empty());
}
