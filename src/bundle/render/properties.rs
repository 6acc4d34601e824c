//! Properties of a rendered bundle.

use std::collections::{BTreeSet, HashSet};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    RawProperty,
    json::{Style, compact, quoted, without_blanks},
};
use crate::{
    bundle::{
        registry::{Bundle, BundleFault, Gvk, Property},
        typed::{field, member},
    },
    catalog::{Node, Value, text::json},
};

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
pub(super) fn sorted_properties(bundle: &Bundle) -> Result<Vec<RawProperty>, BundleFault> {
    let mut provided: BTreeSet<Gvk> = bundle.provided()?.into_iter().map(|api| api.gvk).collect();
    let mut required: BTreeSet<Gvk> = bundle.required()?.into_iter().map(|api| api.gvk).collect();
    let mut properties = Vec::new();
    let mut package = None;
    for given in stated(bundle)? {
        match given.kind.as_str() {
            "olm.gvk" => drop(provided.insert(gvk(&given)?)),
            PACKAGE => package = Some(package_property(&given)?),
            _ => properties.push(RawProperty::new(given.kind, given.value.unwrap_or_else(null))),
        }
    }
    for given in bundle.contents.metadata.dependencies.iter().map(given) {
        match given.kind.as_str() {
            "olm.gvk" => drop(required.insert(gvk(&given)?)),
            PACKAGE => {
                let [name, range] = texts(&given, ["packageName", "version"])?;
                let value =
                    format!("{{\"packageName\":{},\"versionRange\":{}}}", quoted(&name), quoted(&range));
                properties.push(RawProperty::new("olm.package.required", value));
            }
            _ => properties.push(RawProperty::new(given.kind, given.value.unwrap_or_else(null))),
        }
    }
    properties.extend(package);
    properties.extend(provided.iter().map(|gvk| RawProperty::new("olm.gvk", gvk_value(gvk))));
    properties.extend(required.iter().map(|gvk| RawProperty::new("olm.gvk.required", gvk_value(gvk))));
    properties.extend(bundle.contents.objects.iter().map(|object| {
        let data = STANDARD.encode(compact(&object.document.node, Style::Marshalled));
        RawProperty::new(OBJECT, format!("{{\"data\":\"{data}\"}}"))
    }));
    properties.sort();
    properties.sort_by_key(|property| matches!(property.kind.as_str(), OBJECT | CSV_METADATA));
    Ok(properties)
}

/// Returns the version for an image template: that of the first package property.
pub(super) fn version_for_template(bundle: &Bundle) -> Result<String, BundleFault> {
    let package = stated(bundle)?.into_iter().find(|given| given.kind == PACKAGE);
    Ok(package.and_then(|given| texts(&given, ["version"]).ok()).map(|[version]| version).unwrap_or_default())
}

/// Returns the stated properties without duplicates: those of `metadata/`, the package from CSV and
/// annotations, and those of the CSV's annotation `olm.properties`.
fn stated(bundle: &Bundle) -> Result<Vec<StatedProperty>, BundleFault> {
    let csv = bundle.csv();
    let mut stated: Vec<StatedProperty> = bundle.contents.metadata.properties.iter().map(given).collect();
    if !bundle.package().is_empty() {
        let (version, release) = (csv.version()?, csv.release()?);
        let value = package_value(bundle.package(), &version, &release);
        stated.push(StatedProperty { kind: PACKAGE.to_owned(), value: Some(value) });
    }
    stated.extend(csv.annotation("olm.properties").map(annotated).unwrap_or_default());
    let mut known = HashSet::new();
    stated.retain(|given| known.insert(given.clone()));
    Ok(stated)
}

/// Parses the properties of the annotation. A type that is not a string becomes empty; invalid JSON has no
/// properties.
fn annotated(text: &str) -> Vec<StatedProperty> {
    let Ok(list) = json::parse(text.as_bytes()) else { return Vec::new() };
    let given = |node: &Node| {
        let kind = field(node, "type").and_then(Node::as_str).unwrap_or_default().to_owned();
        let value = member(node, "value").and_then(|value| text.get(value.span.range())).map(without_blanks);
        StatedProperty { kind, value }
    };
    list.items().iter().map(given).collect()
}

fn given(property: &Property) -> StatedProperty {
    let value = property.value.as_ref().map(|value| compact(value, Style::Kept));
    StatedProperty { kind: property.kind.clone(), value }
}

fn null() -> String {
    "null".to_owned()
}

/// Returns string fields of a property's value; empty if absent.
fn texts<const N: usize>(given: &StatedProperty, keys: [&str; N]) -> Result<[String; N], BundleFault> {
    let fault = || BundleFault::PropertyValue(given.kind.clone());
    let value = given.value.as_deref().ok_or_else(fault)?;
    let node = json::parse(value.as_bytes()).map_err(|_| fault())?;
    if !matches!(node.value, Value::Map(_) | Value::Null) {
        return Err(fault());
    }
    let mut read = keys.map(|_| String::new());
    for (slot, key) in read.iter_mut().zip(keys) {
        if let Some(value) = field(&node, key) {
            value.as_str().ok_or_else(fault)?.clone_into(slot);
        }
    }
    Ok(read)
}

fn gvk(given: &StatedProperty) -> Result<Gvk, BundleFault> {
    let [group, kind, version] = texts(given, ["group", "kind", "version"])?;
    Ok(Gvk { group, kind, version })
}

fn gvk_value(gvk: &Gvk) -> String {
    let (group, kind, version) = (quoted(&gvk.group), quoted(&gvk.kind), quoted(&gvk.version));
    format!("{{\"group\":{group},\"kind\":{kind},\"version\":{version}}}")
}

fn package_property(given: &StatedProperty) -> Result<RawProperty, BundleFault> {
    let [name, version, release] = texts(given, ["packageName", "version", "release"])?;
    Ok(RawProperty::new(PACKAGE, package_value(&name, &version, &release)))
}

fn package_value(name: &str, version: &str, release: &str) -> String {
    let release =
        if release.is_empty() { String::new() } else { format!(",\"release\":{}", quoted(release)) };
    format!("{{\"packageName\":{},\"version\":{}{release}}}", quoted(name), quoted(version))
}
