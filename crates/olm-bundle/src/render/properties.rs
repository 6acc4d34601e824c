//! Properties of a rendered bundle.

use std::collections::{BTreeSet, HashSet};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{JsonStyle, RawProperty, compact_json, quote_string, strip_blanks};
use crate::{
    registry::{Bundle, BundleError, Gvk, Property},
    typed::{find_field, find_member},
};
use olm_catalog::{Node, Value, text::json};

/// Type of the package property.
pub(super) const PACKAGE: &str = "olm.package";
/// Type of an object.
pub(super) const OBJECT: &str = "olm.bundle.object";
/// Type of the migrated property.
pub(super) const CSV_METADATA: &str = "olm.csv.metadata";

/// A property with its value as raw JSON, if present.
#[derive(Clone, PartialEq, Eq, Hash)]
struct StatedProperty {
    kind: String,
    value: Option<String>,
}

/// Returns all properties in opm's order.
pub(super) fn sorted_properties(bundle: &Bundle) -> Result<Vec<RawProperty>, BundleError> {
    let mut provided: BTreeSet<Gvk> = bundle.provided_apis()?.into_iter().map(|api| api.gvk).collect();
    let mut required: BTreeSet<Gvk> = bundle.required_apis()?.into_iter().map(|api| api.gvk).collect();
    let mut properties = Vec::new();
    let mut package = None;
    for given in stated_properties(bundle)? {
        match given.kind.as_str() {
            "olm.gvk" => drop(provided.insert(parse_gvk(&given)?)),
            PACKAGE => package = Some(package_property(&given)?),
            _ => properties.push(RawProperty::new(given.kind, given.value.unwrap_or_else(null_text))),
        }
    }
    for given in bundle.contents.metadata.dependencies.iter().map(to_stated_property) {
        match given.kind.as_str() {
            "olm.gvk" => drop(required.insert(parse_gvk(&given)?)),
            PACKAGE => {
                let [name, range] = string_fields(&given, ["packageName", "version"])?;
                let value = format!(
                    "{{\"packageName\":{},\"versionRange\":{}}}",
                    quote_string(&name),
                    quote_string(&range)
                );
                properties.push(RawProperty::new("olm.package.required", value));
            }
            _ => properties.push(RawProperty::new(given.kind, given.value.unwrap_or_else(null_text))),
        }
    }
    properties.extend(package);
    properties.extend(provided.iter().map(|gvk| RawProperty::new("olm.gvk", gvk_value(gvk))));
    properties.extend(required.iter().map(|gvk| RawProperty::new("olm.gvk.required", gvk_value(gvk))));
    properties.extend(bundle.contents.objects.iter().map(|object| {
        let data = STANDARD.encode(compact_json(&object.document.node, JsonStyle::Marshalled));
        RawProperty::new(OBJECT, format!("{{\"data\":\"{data}\"}}"))
    }));
    properties.sort();
    properties.sort_by_key(|property| matches!(property.kind.as_str(), OBJECT | CSV_METADATA));
    Ok(properties)
}

/// Returns the version for an image template: that of the first package property.
pub(super) fn version_for_template(bundle: &Bundle) -> Result<String, BundleError> {
    let package = stated_properties(bundle)?.into_iter().find(|given| given.kind == PACKAGE);
    Ok(package
        .and_then(|given| string_fields(&given, ["version"]).ok())
        .map(|[version]| version)
        .unwrap_or_default())
}

/// Returns the stated properties without duplicates: those of `metadata/`, the package from CSV and
/// annotations, and those of the CSV's annotation `olm.properties`.
fn stated_properties(bundle: &Bundle) -> Result<Vec<StatedProperty>, BundleError> {
    let csv = bundle.csv();
    let mut stated: Vec<StatedProperty> =
        bundle.contents.metadata.properties.iter().map(to_stated_property).collect();
    if !bundle.package().is_empty() {
        let (version, release) = (csv.stated_version()?, csv.stated_release()?);
        let value = package_value(bundle.package(), &version, &release);
        stated.push(StatedProperty { kind: PACKAGE.to_owned(), value: Some(value) });
    }
    stated.extend(csv.annotation("olm.properties").map(annotation_properties).unwrap_or_default());
    let mut known = HashSet::new();
    stated.retain(|given| known.insert(given.clone()));
    Ok(stated)
}

/// Parses the properties of the annotation. A type that is not a string becomes empty; invalid JSON has no
/// properties.
fn annotation_properties(text: &str) -> Vec<StatedProperty> {
    let Ok(list) = json::parse_json(text.as_bytes()) else { return Vec::new() };
    let given = |node: &Node| {
        let kind = find_field(node, "type").and_then(Node::as_str).unwrap_or_default().to_owned();
        let value =
            find_member(node, "value").and_then(|value| text.get(value.span.range())).map(strip_blanks);
        StatedProperty { kind, value }
    };
    list.items().iter().map(given).collect()
}

fn to_stated_property(property: &Property) -> StatedProperty {
    let value = property.value.as_ref().map(|value| compact_json(value, JsonStyle::Kept));
    StatedProperty { kind: property.kind.clone(), value }
}

fn null_text() -> String {
    "null".to_owned()
}

/// Returns string fields of a property's value; empty if absent.
fn string_fields<const N: usize>(
    given: &StatedProperty,
    keys: [&str; N],
) -> Result<[String; N], BundleError> {
    let fault = || BundleError::PropertyValue(given.kind.clone());
    let value = given.value.as_deref().ok_or_else(fault)?;
    let node = json::parse_json(value.as_bytes()).map_err(|_| fault())?;
    if !matches!(node.value, Value::Map(_) | Value::Null) {
        return Err(fault());
    }
    let mut read = keys.map(|_| String::new());
    for (slot, key) in read.iter_mut().zip(keys) {
        if let Some(value) = find_field(&node, key) {
            value.as_str().ok_or_else(fault)?.clone_into(slot);
        }
    }
    Ok(read)
}

fn parse_gvk(given: &StatedProperty) -> Result<Gvk, BundleError> {
    let [group, kind, version] = string_fields(given, ["group", "kind", "version"])?;
    Ok(Gvk { group, kind, version })
}

fn gvk_value(gvk: &Gvk) -> String {
    let (group, kind, version) =
        (quote_string(&gvk.group), quote_string(&gvk.kind), quote_string(&gvk.version));
    format!("{{\"group\":{group},\"kind\":{kind},\"version\":{version}}}")
}

fn package_property(given: &StatedProperty) -> Result<RawProperty, BundleError> {
    let [name, version, release] = string_fields(given, ["packageName", "version", "release"])?;
    Ok(RawProperty::new(PACKAGE, package_value(&name, &version, &release)))
}

fn package_value(name: &str, version: &str, release: &str) -> String {
    let release =
        if release.is_empty() { String::new() } else { format!(",\"release\":{}", quote_string(release)) };
    format!("{{\"packageName\":{},\"version\":{}{release}}}", quote_string(name), quote_string(version))
}
