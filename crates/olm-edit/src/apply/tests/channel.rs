//! Tests of removed channels.

use super::{
    BY_HAND, CANONICAL, FLOW, JSON, canonical_json, edit_error, edit_text, remove_part, render_canonical,
    replace_part,
};
use crate::{Edit, EditError};

fn remove_channel(channel: &str, default: Option<&str>) -> Edit {
    Edit::RemoveChannel { package: "p".into(), channel: channel.into(), default: default.map(Into::into) }
}

#[test]
fn removes_only_the_document_of_the_channel() {
    let after = edit_text(CANONICAL, &remove_channel("old", None));
    let document = "---\nentries:\n- name: p.v1\nname: old\npackage: p\nschema: olm.channel\n";
    assert_eq!(after, remove_part(CANONICAL, document));
    assert_eq!(after, render_canonical(&after));
    let document =
        "---\n# No news here.\nschema: olm.channel\npackage: p\nname: old\nentries:\n  - name: p.v1\n";
    assert_eq!(edit_text(BY_HAND, &remove_channel("old", None)), remove_part(BY_HAND, document));
    let line = JSON.lines().nth(2).unwrap().to_owned() + "\n";
    assert_eq!(edit_text(JSON, &remove_channel("old", None)), remove_part(JSON, &line));
}

#[test]
fn removes_deprecations_of_the_channel() {
    let said = "---\nschema: olm.deprecations\npackage: p\nentries:\n- reference: {schema: olm.channel, name: old}\n  message: Gone.\n";
    let more = "- reference: {schema: olm.package}\n  message: Going.\n";
    let removed = edit_text(BY_HAND, &remove_channel("old", None));
    assert_eq!(edit_text(&format!("{BY_HAND}{said}"), &remove_channel("old", None)), removed);
    let left = replace_part(said, "- reference: {schema: olm.channel, name: old}\n  message: Gone.\n", more);
    assert_eq!(
        edit_text(&format!("{BY_HAND}{said}{more}"), &remove_channel("old", None)),
        format!("{removed}{left}")
    );
}

#[test]
fn default_channel_is_removed_only_with_a_new_default() {
    assert!(matches!(edit_error(CANONICAL, &remove_channel("c", None)), EditError::IsDefault(_)));
    assert!(matches!(edit_error(CANONICAL, &remove_channel("c", Some("c"))), EditError::IsDefault(_)));
    assert!(matches!(edit_error(CANONICAL, &remove_channel("c", Some("none"))), EditError::NoChannel(_)));
    assert!(matches!(edit_error(CANONICAL, &remove_channel("none", None)), EditError::NoChannel(_)));
    let after = edit_text(CANONICAL, &remove_channel("c", Some("old")));
    assert!(after.contains("defaultChannel: old\nname: p\n") && !after.contains("name: c\n"), "{after}");
    assert_eq!(after, render_canonical(&after));
    let after = edit_text(FLOW, &remove_channel("c", Some("old")));
    let expected = remove_part(FLOW, &format!("---\n{}\n", FLOW.lines().nth(3).unwrap()));
    assert_eq!(after, replace_part(&expected, "defaultChannel: c", "defaultChannel: old"));
    let before = canonical_json();
    let expected = remove_part(&before, before.split_inclusive("\n}\n").nth(1).unwrap());
    let expected = replace_part(&expected, "\"defaultChannel\": \"c\"", "\"defaultChannel\": \"old\"");
    assert_eq!(edit_text(&before, &remove_channel("c", Some("old"))), expected);
}
