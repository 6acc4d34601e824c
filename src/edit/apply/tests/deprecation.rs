//! Deprecations said, changed and taken back.

use super::{BY_HAND, CANONICAL, JSON, edited, refused, rendered, with, without};
use crate::{
    catalog::blob::DeprecationTarget,
    edit::{Edit, EditError},
};

fn bundle(name: &str) -> DeprecationTarget {
    DeprecationTarget::Bundle(name.into())
}

fn channel(name: &str) -> DeprecationTarget {
    DeprecationTarget::Channel(name.into())
}

fn say(target: DeprecationTarget, message: &str) -> Edit {
    Edit::Deprecate { package: "p".into(), target, message: message.into() }
}

fn take_back(target: DeprecationTarget) -> Edit {
    Edit::Undeprecate { package: "p".into(), target }
}

#[test]
fn in_a_canonical_file_the_first_one_stands_where_opm_puts_it() {
    let after = edited(CANONICAL, &say(bundle("p.v1"), "Use 2.\nOr 3."));
    let document = "\
---
entries:
- message: |-
    Use 2.
    Or 3.
  reference:
    name: p.v1
    schema: olm.bundle
package: p
schema: olm.deprecations
";
    let other = "---\ndefaultChannel: d\n";
    assert_eq!(after, with(CANONICAL, other, &format!("{document}{other}")));
    assert_eq!(after, rendered(&after));
    assert_eq!(edited(&after, &take_back(bundle("p.v1"))), CANONICAL);
}

#[test]
fn in_another_file_it_is_written_as_its_neighbours_are() {
    let after = edited(BY_HAND, &say(channel("old"), "Use c."));
    let document = "\
---
schema: olm.deprecations
package: p
entries:
  - reference:
      schema: olm.channel
      name: old
    message: Use c.
";
    assert_eq!(after, format!("{BY_HAND}{document}"));
    let more = edited(&after, &say(DeprecationTarget::Package, "Use q."));
    assert_eq!(more, format!("{after}  - reference:\n      schema: olm.package\n    message: Use q.\n"));
    assert_eq!(edited(&more, &take_back(DeprecationTarget::Package)), after);
    assert_eq!(edited(&after, &take_back(channel("old"))), BY_HAND);
}

#[test]
fn line_endings_and_a_missing_one_at_the_end_stay() {
    let dos = BY_HAND.replace('\n', "\r\n");
    let after = edited(&dos, &say(DeprecationTarget::Package, "Use q."));
    assert_eq!(after.matches("\r\n").count(), after.matches('\n').count());
    assert_eq!(edited(&after, &take_back(DeprecationTarget::Package)), dos);
    let open = BY_HAND.trim_end();
    let after = edited(open, &say(DeprecationTarget::Package, "Use q."));
    assert!(after.starts_with(BY_HAND) && after.ends_with("message: Use q."), "{after}");
}

#[test]
fn json_keeps_to_its_lines_and_blanks() {
    let line = r#"{"schema": "olm.deprecations", "package": "p", "entries": [{"reference": {"schema": "olm.bundle", "name": "p.v1"}, "message": "Use 2."}]}"#;
    let after = edited(JSON, &say(bundle("p.v1"), "Use 2."));
    assert_eq!(after, format!("{JSON}{line}\n"));
    assert_eq!(edited(&after, &take_back(bundle("p.v1"))), JSON);
    assert_eq!(edited(JSON.trim_end(), &say(bundle("p.v1"), "Use 2.")), format!("{JSON}{line}"));
    let tight = JSON.replace(": ", ":").replace(", ", ",").replace('\n', "");
    let after = edited(&tight, &say(bundle("p.v1"), "Use2."));
    let line = line.replace(": ", ":").replace(", ", ",").replace("Use 2.", "Use2.");
    assert_eq!(after, format!("{tight}\n{line}"));
    let pretty = "{\n  \"schema\": \"olm.package\",\n  \"name\": \"p\",\n  \"defaultChannel\": \"c\"\n}\n";
    let after = edited(pretty, &say(DeprecationTarget::Package, "Use q."));
    let object = "{\n  \"schema\": \"olm.deprecations\",\n  \"package\": \"p\",\n  \"entries\": [\n    {\n      \"reference\": {\n        \"schema\": \"olm.package\"\n      },\n      \"message\": \"Use q.\"\n    }\n  ]\n}\n";
    assert_eq!(after, format!("{pretty}{object}"));
}

#[test]
fn what_is_deprecated_already_tells_something_else_from_now_on() {
    let said = edited(BY_HAND, &say(bundle("p.v1"), "Use 2."));
    let after = edited(&said, &say(bundle("p.v1"), "Use 3: it is better."));
    assert_eq!(after, with(&said, "Use 2.", "'Use 3: it is better.'"));
    assert_eq!(edited(&said, &say(bundle("p.v1"), "Use 2.")), said);
}

#[test]
fn another_blob_of_the_package_is_not_made() {
    let said = format!(
        "{BY_HAND}---\nschema: olm.deprecations\npackage: p\nEntries:\n# first\n- {{reference: {{schema: olm.package}}, message: Going.}}\n"
    );
    let after = edited(&said, &say(bundle("p.v1"), "Gone."));
    let item = "- {reference: {schema: olm.bundle, name: p.v1}, message: Gone.}\n";
    assert_eq!(after, format!("{said}{item}"));
    assert_eq!(edited(&after, &take_back(bundle("p.v1"))), said);
    let rest = "# first\n- {reference: {schema: olm.package}, message: Going.}\n";
    assert_eq!(edited(&after, &take_back(DeprecationTarget::Package)), without(&after, rest));
}

#[test]
fn a_package_without_anything_but_its_definition_can_be_deprecated() {
    let before = "schema: olm.package\nname: 'no'\n";
    let edit = Edit::Deprecate {
        package: "no".into(),
        target: DeprecationTarget::Package,
        message: "Never used.".into(),
    };
    let document = "---\nschema: olm.deprecations\npackage: \"no\"\nentries:\n- reference:\n    schema: olm.package\n  message: Never used.\n";
    assert_eq!(edited(before, &edit), format!("{before}{document}"));
}

#[test]
fn what_cannot_be_deprecated_is_said() {
    assert!(matches!(refused(CANONICAL, &say(bundle("p.v9"), "x")), EditError::NoBundle(_)));
    assert!(matches!(refused(CANONICAL, &say(channel("no"), "x")), EditError::NoChannel(_)));
    assert!(matches!(refused(CANONICAL, &say(bundle("p.v1"), " ")), EditError::NoMessage));
    let error = refused(CANONICAL, &take_back(channel("c")));
    assert_eq!(error.to_string(), "channel c is not deprecated");
}
