//! Tests of removed channels.

use super::{BY_HAND, CANONICAL, FLOW, JSON, edited, indented, refused, rendered, with, without};
use crate::edit::{Edit, EditError};

fn remove(channel: &str, default: Option<&str>) -> Edit {
    Edit::RemoveChannel { package: "p".into(), channel: channel.into(), default: default.map(Into::into) }
}

#[test]
fn removes_only_the_document_of_the_channel() {
    let after = edited(CANONICAL, &remove("old", None));
    let document = "---\nentries:\n- name: p.v1\nname: old\npackage: p\nschema: olm.channel\n";
    assert_eq!(after, without(CANONICAL, document));
    assert_eq!(after, rendered(&after));
    let document =
        "---\n# No news here.\nschema: olm.channel\npackage: p\nname: old\nentries:\n  - name: p.v1\n";
    assert_eq!(edited(BY_HAND, &remove("old", None)), without(BY_HAND, document));
    let line = JSON.lines().nth(2).unwrap().to_owned() + "\n";
    assert_eq!(edited(JSON, &remove("old", None)), without(JSON, &line));
}

#[test]
fn removes_deprecations_of_the_channel() {
    let said = "---\nschema: olm.deprecations\npackage: p\nentries:\n- reference: {schema: olm.channel, name: old}\n  message: Gone.\n";
    let more = "- reference: {schema: olm.package}\n  message: Going.\n";
    let removed = edited(BY_HAND, &remove("old", None));
    assert_eq!(edited(&format!("{BY_HAND}{said}"), &remove("old", None)), removed);
    let left = with(said, "- reference: {schema: olm.channel, name: old}\n  message: Gone.\n", more);
    assert_eq!(edited(&format!("{BY_HAND}{said}{more}"), &remove("old", None)), format!("{removed}{left}"));
}

#[test]
fn default_channel_is_removed_only_with_a_new_default() {
    assert!(matches!(refused(CANONICAL, &remove("c", None)), EditError::IsDefault(_)));
    assert!(matches!(refused(CANONICAL, &remove("c", Some("c"))), EditError::IsDefault(_)));
    assert!(matches!(refused(CANONICAL, &remove("c", Some("none"))), EditError::NoChannel(_)));
    assert!(matches!(refused(CANONICAL, &remove("none", None)), EditError::NoChannel(_)));
    let after = edited(CANONICAL, &remove("c", Some("old")));
    assert!(after.contains("defaultChannel: old\nname: p\n") && !after.contains("name: c\n"), "{after}");
    assert_eq!(after, rendered(&after));
    let after = edited(FLOW, &remove("c", Some("old")));
    let expected = without(FLOW, &format!("---\n{}\n", FLOW.lines().nth(3).unwrap()));
    assert_eq!(after, with(&expected, "defaultChannel: c", "defaultChannel: old"));
    let before = indented();
    let expected = without(&before, before.split_inclusive("\n}\n").nth(1).unwrap());
    let expected = with(&expected, "\"defaultChannel\": \"c\"", "\"defaultChannel\": \"old\"");
    assert_eq!(edited(&before, &remove("c", Some("old"))), expected);
}
