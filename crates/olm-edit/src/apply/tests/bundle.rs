//! Tests of removed bundles and repaired edges.

use super::{
    BY_HAND, CANONICAL, FLOW, JSON, canonical_json, catalog_text, edit_error, edit_text, parse_catalog,
    remove_part, render_canonical, replace_part,
};
use crate::{Edit, EditError, apply_edit};
use olm_catalog::{Origin, load};

fn remove_bundle(bundle: &str) -> Edit {
    Edit::RemoveBundle { package: "p".into(), bundle: bundle.into() }
}

fn remove_below(version: &str) -> Edit {
    Edit::LeaveOutBelow { package: "p".into(), version: olm_version::Version::parse(version).unwrap() }
}

/// Returns the entries of channel `c` after an edit, each as `name > replaces - skips`.
pub(super) fn entries_after(before: &str, edit: &Edit) -> Vec<String> {
    let after = apply_edit(&parse_catalog(before), edit).unwrap();
    let channel = after.package("p").unwrap().channel("c").unwrap();
    let line = |entry: &olm_catalog::blob::Entry| {
        let spec = entry.to_spec();
        let replaces = spec.replaces.map(|r| format!(" > {r}")).unwrap_or_default();
        let skips: Vec<String> = spec.skips.iter().map(|s| format!(" - {s}")).collect();
        let skips = skips.concat();
        format!("{}{replaces}{skips}", entry.name.value)
    };
    channel.entries.iter().map(line).collect()
}

/// Returns channel `c` with these entries, each as `name > replaces - skips`, and a bundle for each. `a12` has
/// version 1.2.0.
pub(super) fn channel_yaml(lines: &[&str]) -> String {
    let mut text = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n".to_owned();
    let mut bundles = String::new();
    for line in lines {
        let mut words = line.split(' ');
        let name = words.next().unwrap();
        let mut skips = Vec::new();
        text += &format!("- name: {name}\n");
        while let (Some(sign), Some(target)) = (words.next(), words.next()) {
            match sign {
                ">" => text += &format!("  replaces: {target}\n"),
                _ => skips.push(target),
            }
        }
        if !skips.is_empty() {
            text += &format!("  skips: [{}]\n", skips.join(", "));
        }
        let digits: Vec<String> = name.chars().skip(1).map(String::from).collect();
        bundles += &format!(
            "---\nschema: olm.bundle\npackage: p\nname: {name}\nimage: example.com/{name}\nproperties:\n- {{type: olm.package, value: {{packageName: p, version: {}.0}}}}\n",
            digits.join(".")
        );
    }
    text + &bundles
}

#[test]
fn removes_bundle_from_flow_style_and_indented_json() {
    let expected = remove_part(FLOW, &format!("---\n{}\n", FLOW.lines().nth(9).unwrap()));
    let expected = remove_part(&expected, ", {name: p.v2, replaces: p.v1}");
    assert_eq!(
        edit_text(FLOW, &remove_bundle("p.v2")),
        replace_part(&expected, "replaces: p.v2", "replaces: p.v1")
    );
    let before = canonical_json();
    let document = before.split_inclusive("\n}\n").nth(4).unwrap();
    let expected = remove_part(&before, document);
    let entry =
        "        {\n            \"name\": \"p.v2\",\n            \"replaces\": \"p.v1\"\n        },\n";
    let expected = remove_part(&expected, entry);
    let expected = replace_part(&expected, "\"replaces\": \"p.v2\"", "\"replaces\": \"p.v1\"");
    assert_eq!(edit_text(&before, &remove_bundle("p.v2")), expected);
}

#[test]
fn removes_bundle_with_its_entries_and_deprecations() {
    let after = edit_text(CANONICAL, &remove_bundle("p.v2"));
    let document = CANONICAL.split_inclusive("schema: olm.bundle\n").nth(1).unwrap();
    let expected = remove_part(CANONICAL, document);
    let expected = remove_part(&expected, "- name: p.v2\n  replaces: p.v1\n");
    assert_eq!(after, replace_part(&expected, "replaces: p.v2", "replaces: p.v1"));
    assert_eq!(after, render_canonical(&after));
    let document = BY_HAND.split("---").nth(4).unwrap();
    let expected = remove_part(BY_HAND, &format!("---{document}"));
    let expected = remove_part(&expected, "  - name: p.v2   # broken on Tuesdays\n    replaces: \"p.v1\"\n");
    let said = "---\nschema: olm.deprecations\npackage: p\nentries:\n- reference: {schema: olm.bundle, name: p.v2}\n  message: Gone.\n";
    assert_eq!(
        edit_text(&format!("{BY_HAND}{said}"), &remove_bundle("p.v2")),
        replace_part(&expected, "\"p.v2\"", "\"p.v1\"")
    );
    let expected = remove_part(JSON, &format!("{}\n", JSON.lines().nth(4).unwrap()));
    let expected = remove_part(&expected, ", {\"name\": \"p.v2\", \"replaces\": \"p.v1\"}");
    assert_eq!(
        edit_text(JSON, &remove_bundle("p.v2")),
        replace_part(&expected, "\"replaces\": \"p.v2\"", "\"replaces\": \"p.v1\"")
    );
}

#[test]
fn byte_order_mark_stays_when_first_document_is_removed() {
    let bundles = BY_HAND
        .split_once("---\nschema: olm.bundle")
        .map(|(_, rest)| format!("schema: olm.bundle{rest}"))
        .unwrap();
    let rest = BY_HAND.strip_suffix(bundles.as_str()).and_then(|rest| rest.strip_suffix("---\n")).unwrap();
    let texts = [("a.yaml", format!("\u{feff}{bundles}")), ("b.yaml", rest.to_owned())];
    let texts = texts.into_iter().map(|(path, text)| (path.into(), text.into_bytes()));
    let before = load::from_texts(Origin::Directory("catalog".into()), texts);
    let after =
        apply_edit(&before, &Edit::RemoveBundle { package: "p".into(), bundle: "p.v1".into() }).unwrap();
    assert_eq!(after.revision, before.revision + 1);
    let now = catalog_text(&after);
    assert!(now.starts_with("\u{feff}---\nschema: olm.bundle\npackage: p\nname: p.v2\n"), "{now}");
    assert_eq!(load::from_bytes(now.into_bytes()).package("p").unwrap().bundles.len(), 2);
}

#[test]
fn removes_channel_that_becomes_empty() {
    let after = edit_text(BY_HAND, &remove_bundle("p.v1"));
    assert!(!after.contains("name: old"), "{after}");
    assert_eq!(entries_after(BY_HAND, &remove_bundle("p.v1")), ["p.v3 > p.v2 - p.v1", "p.v2"]);
}

#[test]
fn replacing_entry_inherits_edges_of_removed_bundle() {
    let before = channel_yaml(&["a14 > a13", "a13 > a11 - a12", "a12 > a11", "a11 > a10", "a10"]);
    assert_eq!(
        entries_after(&before, &remove_bundle("a13")),
        ["a14 > a11 - a12", "a12 > a11", "a11 > a10", "a10"]
    );
    assert_eq!(
        entries_after(&before, &remove_bundle("a12")),
        ["a14 > a13", "a13 > a11 - a12", "a11 > a10", "a10"],
        "who has it installed still gets away from it"
    );
    assert_eq!(
        entries_after(&before, &remove_bundle("a10")),
        ["a14 > a13", "a13 > a11 - a12", "a12 > a11", "a11"],
        "it replaced nothing, so nothing is replaced now"
    );
    assert_eq!(
        entries_after(&before, &remove_bundle("a14")),
        ["a13 > a11 - a12", "a12 > a11", "a11 > a10", "a10"]
    );
}

#[test]
fn skipping_entry_inherits_skips_of_removed_bundle() {
    let before = channel_yaml(&["a14 > a10 - a13", "a13 > a10 - a11 - a12", "a12 > a11", "a11 > a10", "a10"]);
    assert_eq!(
        entries_after(&before, &remove_bundle("a13")),
        ["a14 > a10 - a13 - a11 - a12", "a12 > a11", "a11 > a10", "a10"]
    );
}

#[test]
fn tail_and_skips_keep_names_of_bundles_removed_below_version() {
    let before = channel_yaml(&["a30 > a21 - a20", "a21 > a12 - a20 - a11", "a20 > a12", "a12 > a11", "a11"]);
    assert_eq!(
        entries_after(&before, &remove_below("2.0.0")),
        ["a30 > a21 - a20", "a21 > a12 - a20 - a11", "a20 > a12"]
    );
    assert_eq!(entries_after(&before, &remove_below("2.1.0")), ["a30 > a21 - a20", "a21 > a12 - a20 - a11"]);
    assert_eq!(entries_after(&before, &remove_below("3.0.0")), ["a30 > a21 - a20"]);
}

#[test]
fn entry_replaces_next_remaining_bundle_below_version() {
    // A fix of an old version, which was published later.
    let before = channel_yaml(&["a31 > a12", "a12 > a30", "a30 > a11", "a11"]);
    assert_eq!(entries_after(&before, &remove_below("2.0.0")), ["a31 > a30", "a30 > a11"]);
}

#[test]
fn replacement_cycles_end() {
    let before = channel_yaml(&["a30 > a20", "a20 > a10", "a10 > a20"]);
    assert_eq!(entries_after(&before, &remove_below("3.0.0")), ["a30 > a20"]);
    assert_eq!(entries_after(&before, &remove_bundle("a10")), ["a30 > a20", "a20"]);
}

#[test]
fn refuses_to_empty_a_package() {
    assert!(matches!(edit_error(CANONICAL, &remove_bundle("p.v9")), EditError::NoBundle(_)));
    assert!(matches!(edit_error(CANONICAL, &remove_below("0.1.0")), EditError::NothingBelow(_)));
    assert!(matches!(edit_error(CANONICAL, &remove_below("9.0.0")), EditError::NothingLeft(_)));
    let old_is_default = replace_part(CANONICAL, "defaultChannel: c", "defaultChannel: old");
    let error = edit_error(&old_is_default, &remove_below("2.0.0"));
    assert!(matches!(error, EditError::EmptyDefault(_)), "{error}");
    assert!(edit_text(CANONICAL, &remove_below("2.0.0")).contains("replaces: p.v1\n"));
}

#[test]
fn refuses_removal_that_changes_how_the_file_is_read() {
    // opm ignores a mark after the separator, but at the beginning of the file it would be an error.
    let only = "schema: olm.channel\npackage: p\nname: c\nentries: []\n";
    let edit = Edit::RemoveChannel { package: "p".into(), channel: "c".into(), default: None };
    let before = format!("{only}---\n\u{feff}schema: x\n");
    assert!(matches!(edit_error(&before, &edit), EditError::UnsafeSplit(_)));
}

#[test]
fn final_separator_stays_while_there_is_a_document() {
    // opm ignores it here; alone in the file it would be an empty document, which opm refuses.
    let alone = channel_yaml(&["a11 > a10", "a10"]);
    let before = format!("{alone}---\n");
    assert!(edit_text(&before, &remove_bundle("a10")).ends_with("---\n"));
    let only = "---\nschema: olm.channel\npackage: p\nname: c\nentries: []\n---\n";
    let edit = Edit::RemoveChannel { package: "p".into(), channel: "c".into(), default: None };
    assert_eq!(edit_text(only, &edit), "");
}
