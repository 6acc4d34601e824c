//! Tests of changes of properties and related images.

use serde_json::json;

use super::*;
use crate::bundle_change::BundleChange;

const CATALOG: &str = "\
schema: olm.package
name: p
defaultChannel: c
---
schema: olm.channel
package: p
name: c
entries: [{name: p.v1}, {name: p.v2, replaces: p.v1}]
---
schema: olm.bundle # the first
package: p
name: p.v1
image: example.com/p:1
properties:
- type: olm.package
  value: {packageName: p, version: 1.0.0} # its version
- type: olm.gvk
  value: {group: example.com, kind: P, version: v1}
- {type: olm.gvk, value: {group: example.com, kind: Q, version: v1}}
relatedImages:
- {name: lamp, image: example.com/lamp:1}
---
schema: olm.bundle
package: p
name: p.v2
image: example.com/p:2
properties:
- type: olm.package
  value: {packageName: p, version: 2.0.0}
- {type: olm.maxOpenShiftVersion, value: '4.20'}
";

fn change_text(bundles: &[&str], change: BundleChange) -> Result<String, String> {
    let catalog = olm_catalog::load::from_bytes(CATALOG.as_bytes().to_vec());
    let bundles = bundles.iter().map(|name| (*name).into()).collect();
    let edit = Edit::Bundles { package: "p".into(), bundles, change };
    let again: Edit = serde_json::from_str(&serde_json::to_string(&edit).unwrap()).unwrap();
    assert_eq!(again, edit);
    let after = apply_edit(&catalog, &edit).map_err(|error| error.to_string())?;
    let bytes = after.files().iter().flat_map(|file| file.current_bytes()).collect();
    Ok(String::from_utf8(bytes).unwrap())
}

fn set_property(kind: &str, value: serde_json::Value) -> BundleChange {
    BundleChange::SetProperty { kind: kind.to_owned(), value }
}

#[test]
fn property_is_set_or_added_and_all_else_stays() {
    let text =
        change_text(&["p.v1", "p.v2"], set_property("olm.maxOpenShiftVersion", json!("4.21"))).unwrap();
    let expected = CATALOG
        .replace("value: '4.20'", "value: '4.21'")
        .replace("relatedImages:", "- {type: olm.maxOpenShiftVersion, value: \"4.21\"}\nrelatedImages:");
    assert_eq!(text, expected);
    let same = change_text(&["p.v2"], set_property("olm.maxOpenShiftVersion", json!("4.20"))).unwrap();
    assert_eq!(same, CATALOG);
    let error = change_text(&["p.v1"], set_property("olm.gvk", json!({}))).unwrap_err();
    assert_eq!(error, "p.v1 has several properties olm.gvk: add or remove one of them");
    assert!(change_text(&["p.v1"], set_property("", json!(1))).is_err());
    assert!(change_text(&["p.v3"], set_property("x", json!(1))).is_err());
}

#[test]
fn property_is_added_beside_those_of_its_type() {
    let value = json!({"version": "v1", "kind": "R", "group": "example.com"});
    let add = |value: &serde_json::Value| BundleChange::AddProperty {
        kind: "olm.gvk".to_owned(),
        value: value.clone(),
    };
    let text = change_text(&["p.v1"], add(&value)).unwrap();
    assert_eq!(text.matches("olm.gvk").count(), 3, "{text}");
    // The order of keys does not matter.
    let same = json!({"version": "v1", "kind": "Q", "group": "example.com"});
    assert_eq!(change_text(&["p.v1"], add(&same)).unwrap(), CATALOG);
}

#[test]
fn removed_parts_must_exist_in_one_of_the_bundles() {
    let remove = |kind: &str, value| BundleChange::RemoveProperty { kind: kind.to_owned(), value };
    let text = change_text(&["p.v1", "p.v2"], remove("olm.maxOpenShiftVersion", None)).unwrap();
    assert_eq!(text, CATALOG.replace("- {type: olm.maxOpenShiftVersion, value: '4.20'}\n", ""));
    let one = json!({"group": "example.com", "kind": "P", "version": "v1"});
    let text = change_text(&["p.v1"], remove("olm.gvk", Some(one))).unwrap();
    assert_eq!((text.contains("kind: P"), text.contains("kind: Q")), (false, true));
    let error = change_text(&["p.v1"], remove("olm.maxOpenShiftVersion", None)).unwrap_err();
    assert_eq!(error, "no bundle has a property olm.maxOpenShiftVersion");
}

#[test]
fn related_images_are_set_added_and_removed() {
    let set = |name: &str, image: &str| BundleChange::SetRelatedImage {
        name: name.to_owned(),
        image: image.to_owned(),
    };
    let text = change_text(&["p.v1", "p.v2"], set("lamp", "example.com/lamp:2")).unwrap();
    assert!(text.contains("- {name: lamp, image: 'example.com/lamp:2'}\n"), "{text}");
    assert!(text.ends_with("relatedImages:\n- name: lamp\n  image: example.com/lamp:2\n"), "{text}");
    assert!(change_text(&["p.v1"], set("lamp", "")).is_err());
    let remove = |name: &str| BundleChange::RemoveRelatedImage { name: name.to_owned() };
    let text = change_text(&["p.v1"], remove("lamp")).unwrap();
    assert_eq!(text, CATALOG.replace("relatedImages:\n- {name: lamp, image: example.com/lamp:1}\n", ""));
    assert_eq!(change_text(&["p.v2"], remove("lamp")).unwrap_err(), "no bundle has a related image lamp");
}
