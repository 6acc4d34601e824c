//! Tests of new and renamed channels, new bundles, and descriptions of packages.

use super::{
    BY_HAND, CANONICAL, FLOW, JSON, canonical_json, edit_error, edit_text, parse_catalog, render_canonical,
    replace_part,
};
use crate::{
    Edit, EditError, apply_edit,
    operation::{NewEntry, NewIcon},
};
use olm_catalog::{
    BundleName, Origin,
    blob::{Entry, EntrySpec},
    load,
};
use olm_version::Version;

fn new_channel_edit(name: &str, entries: &[(&str, Option<&str>)]) -> Edit {
    let entries = entries.iter().map(|(name, replaces)| NewEntry {
        name: BundleName::from(*name),
        spec: EntrySpec { replaces: replaces.map(BundleName::from), ..EntrySpec::default() },
    });
    Edit::AddChannel { package: "p".into(), channel: name.into(), entries: entries.collect() }
}

fn rename_channel(channel: &str, to: &str) -> Edit {
    Edit::RenameChannel { package: "p".into(), channel: channel.into(), to: to.into() }
}

fn set_description(description: Option<&str>) -> Edit {
    Edit::SetDescription { package: "p".into(), description: description.map(Into::into) }
}

fn add_bundle(blob: &str) -> Edit {
    Edit::AddBundle { package: "p".into(), blob: blob.to_owned() }
}

/// Checks that a new document is between the documents that contain two adjacent texts.
#[track_caller]
fn assert_between(after: &str, first: &str, second: &str, new: &str) {
    let at = after.find(new).unwrap_or_else(|| panic!("{new} is not in {after}"));
    let (above, below) = (&after[..at], &after[at + new.len()..]);
    assert!(above.contains(first) && below.contains(second), "{after}");
    assert!(!above.contains(second) && !below.contains(first), "{after}");
}

#[test]
fn new_channel_is_where_opm_has_it_in_the_style_of_its_neighbors() {
    let edit = new_channel_edit("m", &[("p.v2", None), ("p.v3", Some("p.v2"))]);
    let document = "---\nentries:\n- name: p.v2\n- name: p.v3\n  replaces: p.v2\nname: m\npackage: p\nschema: olm.channel\n";
    let after = edit_text(CANONICAL, &edit);
    assert_between(&after, "name: c\n", "name: old\n", document);
    assert_eq!(after, render_canonical(&after));
    let after = edit_text(CANONICAL, &new_channel_edit("a", &[]));
    assert_between(&after, "name: p\nschema: olm.package\n", "name: c\n", "---\nentries: []\nname: a\n");
    assert_eq!(after, render_canonical(&after));

    let by_hand = "---\nschema: olm.channel\npackage: p\nname: m\nentries:\n  - name: p.v2\n  - name: p.v3\n    replaces: p.v2\n";
    assert_between(&edit_text(BY_HAND, &edit), "name: c   # the one", "# No news", by_hand);
    let line = "{\"schema\": \"olm.channel\", \"package\": \"p\", \"name\": \"m\", \"entries\": [{\"name\": \"p.v2\"}, {\"name\": \"p.v3\", \"replaces\": \"p.v2\"}]}\n";
    assert_between(&edit_text(JSON, &edit), "\"name\": \"c\"", "\"name\": \"old\"", line);
    let before = canonical_json();
    let after = edit_text(&before, &edit);
    assert_eq!(super::parse_catalog(&after).package("p").unwrap().channel("m").unwrap().entries.len(), 2);
    assert!(after.contains("    \"name\": \"m\",\n"), "{after}");
}

#[test]
fn new_channel_follows_the_last_in_unsorted_file() {
    let before =
        replace_part(&replace_part(BY_HAND, "name: old", "name: a"), "name: c   # the one to use", "name: c");
    let after = edit_text(&before, &new_channel_edit("b", &[("p.v1", None)]));
    assert_between(
        &after,
        "name: a\n",
        "schema: olm.bundle",
        "---\nschema: olm.channel\npackage: p\nname: b\n",
    );
}

#[test]
fn copies_channel_up_to_a_version() {
    let catalog = parse_catalog(CANONICAL);
    let package = catalog.package("p").unwrap();
    let top = Version::parse("2.0.0").unwrap();
    let copy = Edit::copy_channel(package, "c", "d".into(), Some(&top)).unwrap();
    assert_eq!(copy, new_channel_edit("d", &[("p.v1", None), ("p.v2", Some("p.v1"))]));
    let Edit::AddChannel { entries, .. } = Edit::copy_channel(package, "c", "d".into(), None).unwrap() else {
        panic!("not a new channel");
    };
    let specs: Vec<EntrySpec> = entries.into_iter().map(|entry| entry.spec).collect();
    let original: Vec<EntrySpec> = package.channel("c").unwrap().entries.iter().map(Entry::to_spec).collect();
    assert_eq!(specs, original);
    assert_eq!(Edit::copy_channel(package, "none", "d".into(), None), None);
}

#[test]
fn renames_channel_in_all_references_of_the_package() {
    let said = "---\nschema: olm.deprecations\npackage: p\nentries:\n- reference: {schema: olm.channel, name: c}\n  message: Gone.\n";
    let after = edit_text(&format!("{BY_HAND}{said}"), &rename_channel("c", "main"));
    let expected = replace_part(BY_HAND, "name: c   # the one to use", "name: main   # the one to use");
    let expected = replace_part(&expected, "defaultChannel: c", "defaultChannel: main");
    assert_eq!(after, expected + &replace_part(said, "name: c}", "name: main}"));
    let after = edit_text(JSON, &rename_channel("old", "older"));
    assert_eq!(after, replace_part(JSON, "\"name\": \"old\"", "\"name\": \"older\""));
    let after = edit_text(FLOW, &rename_channel("old", "older"));
    assert_eq!(after, replace_part(FLOW, "name: old,", "name: older,"));
}

#[test]
fn renamed_canonical_channel_moves_to_sorted_position() {
    for to in ["a", "d", "x", "zz"] {
        let after = edit_text(CANONICAL, &rename_channel("c", to));
        assert_eq!(after, render_canonical(&after), "{to}");
        assert!(after.contains(&format!("defaultChannel: {to}\n")), "{after}");
    }
    assert_eq!(
        edit_text(CANONICAL, &rename_channel("old", "older")),
        replace_part(CANONICAL, "name: old", "name: older")
    );
}

#[test]
fn refuses_duplicate_and_empty_channel_names() {
    assert!(matches!(edit_error(CANONICAL, &new_channel_edit("old", &[])), EditError::ChannelExists(_)));
    assert!(matches!(edit_error(CANONICAL, &new_channel_edit(" ", &[])), EditError::NoName));
    assert!(matches!(edit_error(CANONICAL, &rename_channel("old", "c")), EditError::ChannelExists(_)));
    assert!(matches!(edit_error(CANONICAL, &rename_channel("none", "d")), EditError::NoChannel(_)));
}

#[test]
fn sets_description_and_icon() {
    let after = edit_text(CANONICAL, &set_description(Some("Two\nlines.\n")));
    assert!(
        after.starts_with("---\ndefaultChannel: c\ndescription: |\n  Two\n  lines.\nname: p\n"),
        "{after}"
    );
    assert_eq!(after, render_canonical(&after));
    assert_eq!(edit_text(&after, &set_description(None)), CANONICAL);
    let icon = |base64data: &str| {
        let icon = NewIcon { base64data: base64data.into(), mediatype: "image/png".into() };
        Edit::SetIcon { package: "p".into(), icon: Some(icon) }
    };
    let after = edit_text(CANONICAL, &icon("aWNvbg=="));
    assert_eq!(after, render_canonical(&after));
    assert!(after.contains("icon:\n  base64data: aWNvbg==\n  mediatype: image/png\n"), "{after}");
    assert_eq!(edit_text(&after, &icon("b3RoZXI=")), replace_part(&after, "aWNvbg==", "b3RoZXI="));
    let none = Edit::SetIcon { package: "p".into(), icon: None };
    assert_eq!(edit_text(&after, &none), CANONICAL);
    let described = edit_text(BY_HAND, &set_description(Some("A thing: useful.")));
    assert!(described.starts_with("# The p operator.\nschema: olm.package\nname: p\n"), "{described}");
    assert!(described.contains("description: 'A thing: useful.'\n"), "{described}");
}

const BLOB: &str = "\
schema: olm.bundle
name: p.v2.5
package: p
image: example.com/p:25
properties:
- type: olm.package
  value: {packageName: p, version: 2.5.0}
";

#[test]
fn new_bundle_is_sorted_among_the_others_as_opm_renders_it() {
    let document = "---\nimage: example.com/p:25\nname: p.v2.5\npackage: p\nproperties:\n- type: olm.package\n  value:\n    packageName: p\n    version: 2.5.0\nschema: olm.bundle\n";
    for before in [CANONICAL, FLOW] {
        assert_between(&edit_text(before, &add_bundle(BLOB)), "name: p.v2", "example.com/p:3", document);
    }
    let indented = document.replace("- type", "  - type").replace("  value:\n    p", "    value:\n      p");
    let indented = indented.replace("    version", "      version");
    assert_between(&edit_text(BY_HAND, &add_bundle(BLOB)), "name: p.v2", "example.com/p:3", &indented);
    let after = edit_text(CANONICAL, &add_bundle(&format!("---\n{BLOB}")));
    assert_eq!(after, render_canonical(&after));
    let line = "{\"schema\":\"olm.bundle\",\"name\":\"p.v2.5\",\"package\":\"p\",\"image\":\"example.com/p:25\",\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"p\",\"version\":\"2.5.0\"}}]}\n";
    assert_between(&edit_text(JSON, &add_bundle(BLOB)), "example.com/p:2\"", "example.com/p:3", line);
    let after = edit_text(&canonical_json(), &add_bundle(BLOB));
    assert_between(&after, "example.com/p:2\"", "example.com/p:3", "    \"image\": \"example.com/p:25\",\n");
}

#[test]
fn empty_description_counts_as_absent() {
    let say = |text: &str| Edit::SetDescription { package: "p".into(), description: Some(text.to_owned()) };
    for before in
        [BY_HAND.to_owned(), replace_part(BY_HAND, "name: p\ndefault", "name: p\ndescription: ''\ndefault")]
    {
        assert_eq!(edit_text(&before, &say("")), before);
    }
    let said = edit_text(BY_HAND, &say("Something."));
    assert_eq!(edit_text(&said, &say("")), BY_HAND);
}

#[test]
fn keeps_sorted_order_in_separate_files() {
    let parts: Vec<&str> = CANONICAL.split_inclusive("schema: olm.channel\n").collect();
    let [first, second, bundles] = parts.as_slice() else { panic!("{parts:?}") };
    let (definition, first) = first.split_at(first.find("---\nentries").unwrap());
    let bundles = &bundles[..bundles.find("---\ndefaultChannel: d").unwrap()];
    let texts = [
        ("a.yaml", definition.to_owned()),
        ("b.yaml", format!("{first}{second}")),
        ("c.yaml", bundles.to_owned()),
    ];
    let texts = texts.into_iter().map(|(path, text)| (path.into(), text.into_bytes()));
    let before = load::from_texts(Origin::Directory("catalog".into()), texts);
    let now = |edit: Edit, file: usize| {
        let after = apply_edit(&before, &edit).unwrap();
        String::from_utf8(after.files()[file].current_bytes()).unwrap()
    };
    let blob = "{schema: olm.bundle, package: p, name: p.v0, image: 'example.com/p:0'}".to_owned();
    let after = now(Edit::AddBundle { package: "p".into(), blob }, 2);
    assert!(after.starts_with("---\nimage: example.com/p:0\n") && after.ends_with(bundles), "{after}");
    let rename = |channel: &str, to: &str| {
        now(Edit::RenameChannel { package: "p".into(), channel: channel.into(), to: to.into() }, 1)
    };
    for (channel, to) in [("old", "a"), ("old", "d"), ("c", "z"), ("c", "a")] {
        let after = rename(channel, to);
        assert_eq!(after, render_canonical(&after), "{channel} becomes {to}");
    }
}

#[test]
fn refuses_text_that_is_not_a_bundle_of_the_package() {
    let no = |blob: &str| edit_error(CANONICAL, &add_bundle(blob)).to_string();
    assert_eq!(no(""), "not a bundle of the package: it must be exactly one document");
    assert_eq!(no("a: [\n"), "not a bundle of the package: it cannot be read");
    assert_eq!(
        no(&replace_part(BLOB, "package: p\n", "package: q\n")),
        "not a bundle of the package: it belongs to another package"
    );
    assert_eq!(
        no(&replace_part(BLOB, "olm.bundle", "olm.channel")),
        "not a bundle of the package: its schema is not olm.bundle"
    );
    assert_eq!(no(&replace_part(BLOB, "p.v2.5", "p.v2")), "bundle p.v2 already exists");
}
