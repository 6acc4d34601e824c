//! Tests of edits of single entries, and of properties common to all edits.

use super::{BY_HAND, catalog_text, edit_text, parse_catalog, remove_part, render_canonical, replace_part};
use crate::{ChannelPlacement, Edit, EditError, apply_edit};
use olm_catalog::{BundleName, blob::EntrySpec};

fn set_entry(entry: &str, replaces: Option<&str>, skips: &[&str], range: Option<&str>) -> Edit {
    Edit::SetEntry {
        package: "p".into(),
        channel: "c".into(),
        entry: entry.into(),
        spec: EntrySpec {
            replaces: replaces.map(Into::into),
            skips: skips.iter().map(|s| BundleName::from(*s)).collect(),
            skip_range: range.map(Into::into),
        },
    }
}

const CANONICAL: &str = "\
---
defaultChannel: c
name: p
schema: olm.package
---
entries:
- name: p.v1
- name: p.v2
  replaces: p.v1
name: c
package: p
schema: olm.channel
";

#[test]
fn canonical_file_stays_canonical() {
    let edits = [
        set_entry("p.v2", Some("p.v0"), &["p.v1", "yes"], Some(">=1.0.0 <2.0.0")),
        set_entry("p.v2", None, &[], None),
        set_entry(
            "p.v1",
            Some("1_000"),
            &[],
            Some("<1.0.0 || >1.5.0 <1.6.0 || >2.5.0 <2.6.0 || >3.5.0 <3.6.0 || >4.5.0"),
        ),
        Edit::SetDefaultChannel { package: "p".into(), channel: "c".into() },
        Edit::RemoveEntry { package: "p".into(), channel: "c".into(), entry: "p.v1".into() },
        Edit::AddEntry {
            package: "p".into(),
            channel: "c".into(),
            entry: "p.v3".into(),
            spec: EntrySpec { replaces: Some("p.v2".into()), ..EntrySpec::default() },
        },
    ];
    for edit in edits {
        let after = edit_text(CANONICAL, &edit);
        assert_eq!(after, render_canonical(&after), "{}", edit.title());
    }
}

#[test]
fn other_file_keeps_comments_order_quotes_and_line_endings() {
    let before = "schema: olm.channel\r\npackage: p\r\nname: c\r\nentries:\r\n  # newest\r\n  - skips: [p.v1, \"p.v0\"]  # old\r\n    name: 'p.v2'\r\n";
    let after = edit_text(before, &set_entry("p.v2", None, &["p.v1", "p.v0", "p.v00"], None));
    assert_eq!(after, before.replace("\"p.v0\"]", "\"p.v0\", p.v00]"));
}

#[test]
fn json_keeps_its_indentation() {
    let before = "{\n\t\"schema\": \"olm.channel\",\n\t\"package\": \"p\",\n\t\"name\": \"c\",\n\t\"entries\": [\n\t\t{ \"name\": \"p.v2\", \"replaces\": \"p.v1\" }\n\t]\n}\n";
    let after = edit_text(before, &set_entry("p.v2", Some("p.v0"), &[], None));
    assert_eq!(after, before.replace("\"p.v1\"", "\"p.v0\""));
}

#[test]
fn keys_keep_their_case() {
    let before = "Schema: olm.channel\npackage: p\nname: c\nEntries:\n- Name: p.v2\n  Replaces: p.v1\n";
    assert_eq!(
        edit_text(before, &set_entry("p.v2", Some("p.v0"), &[], None)),
        before.replace("Replaces: p.v1", "Replaces: p.v0")
    );
}

#[test]
fn renames_misspelled_key() {
    let before = "schema: olm.channel\npackage: p\nname: c\nentries:\n- name: p.v2\n  replace: p.v1\n";
    let edit = Edit::RenameKey {
        package: "p".into(),
        channel: "c".into(),
        entry: "p.v2".into(),
        from: "replace".into(),
        to: "replaces".into(),
    };
    let after = apply_edit(&parse_catalog(before), &edit).unwrap();
    let channel = after.package("p").unwrap().channel("c").unwrap();
    assert_eq!(channel.entries[0].replaces.as_ref().unwrap().value, "p.v1");
    assert!(channel.entries[0].unknown.is_empty());
}

#[test]
fn changes_the_effective_spelling_of_a_key() {
    let before =
        replace_part(BY_HAND, "    replaces: \"p.v1\"\n", "    replaces: p.v1\n    Replaces: p.v0\n");
    let set = |replaces: Option<&str>| {
        let spec = EntrySpec { replaces: replaces.map(Into::into), ..EntrySpec::default() };
        Edit::SetEntry { package: "p".into(), channel: "c".into(), entry: "p.v2".into(), spec }
    };
    let after = edit_text(&before, &set(Some("p.v9")));
    assert_eq!(after, replace_part(&before, "    replaces: p.v1\n", "    replaces: p.v9\n"));
    let after = edit_text(&before, &set(None));
    assert_eq!(after, remove_part(&before, "    replaces: p.v1\n    Replaces: p.v0\n"));
}

#[test]
fn several_edits_apply_together_or_not_at_all() {
    let good = set_entry("p.v2", None, &[], None);
    let bad = set_entry("p.v9", None, &[], None);
    let several = |edits: Vec<Edit>| Edit::Several { title: "both".into(), edits };
    let before = parse_catalog(CANONICAL);
    assert!(apply_edit(&before, &several(vec![good.clone(), bad])).is_err());
    assert_eq!(catalog_text(&before), CANONICAL);
    let removal = Edit::RemoveEntry { package: "p".into(), channel: "c".into(), entry: "p.v1".into() };
    let after = apply_edit(&before, &several(vec![good, removal])).unwrap();
    assert_eq!(after.package("p").unwrap().channel("c").unwrap().entries.len(), 1);
}

#[test]
fn reports_missing_and_existing_targets() {
    let before = parse_catalog(CANONICAL);
    let no_entry = apply_edit(&before, &set_entry("p.v9", None, &[], None)).unwrap_err();
    assert_eq!(no_entry.to_string(), "no entry p.v9 in channel c");
    let place = ChannelPlacement::with_spec("c".into(), EntrySpec::default());
    let again = Edit::promote(before.package("p").unwrap(), &"p.v1".into(), &[place]);
    assert!(matches!(apply_edit(&before, &again), Err(EditError::EntryExists { .. })));
    let nowhere = Edit::SetDefaultChannel { package: "p".into(), channel: "nowhere".into() };
    assert!(matches!(apply_edit(&before, &nowhere), Err(EditError::NoChannel(_))));
}

#[test]
fn refuses_unsafe_edits_without_changes() {
    let before = "schema: olm.channel\npackage: p\nname: c\nentries:\n- &first {name: p.v1}\n- name: p.v2\n  replaces: &x p.v1\n- name: p.v3\n  replaces: *x\n";
    let error = apply_edit(&parse_catalog(before), &set_entry("p.v3", Some("p.v2"), &[], None)).unwrap_err();
    assert!(error.to_string().contains("$EDITOR"), "{error}");
}

#[test]
fn invalid_item_does_not_shift_other_entries() {
    let before = "schema: olm.channel\npackage: p\nname: c\nentries:\n- 7\n- name: p.v2\n  replaces: p.v1\n";
    assert_eq!(
        edit_text(before, &set_entry("p.v2", Some("p.v0"), &[], None)),
        before.replace("p.v1", "p.v0")
    );
}

/// Returns the names of the entries after an entry was added for each version.
fn entry_names_after(listed: &[&str], added: &[&str]) -> Vec<String> {
    let mut text = "schema: olm.package\nname: p\ndefaultChannel: c\n".to_owned();
    text += "---\nschema: olm.channel\npackage: p\nname: c\nentries:\n";
    for version in listed {
        text += &format!("- name: p.v{version}\n");
    }
    for version in listed.iter().chain(added) {
        text += &format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: example.com/p:{version}\n\
             properties:\n- {{type: olm.package, value: {{packageName: p, version: {version}}}}}\n"
        );
    }
    let mut catalog = parse_catalog(&text);
    for version in added {
        let place = ChannelPlacement::with_spec("c".into(), EntrySpec::default());
        let bundle = BundleName::from(format!("p.v{version}"));
        let edit = Edit::promote(catalog.package("p").unwrap(), &bundle, &[place]);
        catalog = apply_edit(&catalog, &edit).unwrap();
    }
    let channel = catalog.package("p").unwrap().channel("c").unwrap();
    let mut entries: Vec<_> = channel.entries.iter().collect();
    entries.sort_by_key(|entry| entry.position);
    entries.iter().map(|entry| entry.name.value.as_str().trim_start_matches("p.v").to_owned()).collect()
}

#[test]
fn new_entry_follows_the_order_of_versions_in_the_list() {
    assert_eq!(
        entry_names_after(&["1.0.0", "1.2.0"], &["1.1.0", "1.3.0"]),
        ["1.0.0", "1.1.0", "1.2.0", "1.3.0"]
    );
    assert_eq!(
        entry_names_after(&["1.2.0", "1.0.0"], &["1.1.0", "1.3.0"]),
        ["1.3.0", "1.2.0", "1.1.0", "1.0.0"]
    );
    assert_eq!(entry_names_after(&["1.2.0", "1.0.0"], &["0.9.0"]), ["1.2.0", "1.0.0", "0.9.0"]);
    assert_eq!(entry_names_after(&["1.2.0"], &["1.1.0"]), ["1.1.0", "1.2.0"]);
    assert_eq!(entry_names_after(&[], &["1.1.0"]), ["1.1.0"]);
    assert_eq!(entry_names_after(&["10.0.0", "2.0.0", "3.0.0", "4.0.0"], &["3.5.0"])[3], "3.5.0");
}
