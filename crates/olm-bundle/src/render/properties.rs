//! Properties of a rendered bundle. `--migrate-level bundle-object-to-csv-metadata` replaces all objects by one
//! property.

use std::collections::{BTreeSet, HashSet};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{JsonStyle, RawProperty, compact_json, quote_string, strip_blanks};
use crate::{
    registry::{Bundle, BundleError, Gvk, Property},
    typed::{self, DecoderKind, TypeError, find_field, find_member, order_field, write_as_go},
};
use olm_catalog::{Node, Span, Value, text::json};

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

/// Returns all properties in opm's order, with or without those of the objects.
pub(super) fn sorted_properties(
    bundle: &Bundle,
    with_objects: bool,
) -> Result<Vec<RawProperty>, BundleError> {
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
    if with_objects {
        properties.extend(bundle.contents.objects.iter().map(|object| {
            let data = STANDARD.encode(compact_json(&object.document.node, JsonStyle::Marshalled));
            RawProperty::new(OBJECT, format!("{{\"data\":\"{data}\"}}"))
        }));
    }
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

/// Replaces the `olm.bundle.object`s by one `olm.csv.metadata`, unless there already is one.
pub(super) fn migrate_objects(bundle: &Bundle, properties: &mut Vec<RawProperty>) -> Result<(), BundleError> {
    if properties.iter().any(|property| property.kind == CSV_METADATA) {
        return Ok(());
    }
    let csv = bundle.csv();
    let fault = |fault| BundleError::Type { file: csv.object.file.path.clone(), fault };
    let property = metadata_property(csv.node()).map_err(fault)?;
    properties.retain(|property| property.kind != OBJECT);
    properties.push(property);
    Ok(())
}

/// Returns true for the migrated property.
pub(super) fn is_csv_metadata(property: &RawProperty) -> bool {
    property.kind == CSV_METADATA
}

/// Returns the `olm.csv.metadata` of a ClusterServiceVersion.
///
/// # Errors
///
/// If Go rejects a value in it.
pub fn metadata_property(csv: &Node) -> Result<RawProperty, TypeError> {
    typed::check_type(csv, "ClusterServiceVersion", DecoderKind::Json)?;
    Ok(RawProperty::new(CSV_METADATA, metadata_value(csv)))
}

/// Keys of the property in Go's order, with their fields in a ClusterServiceVersion.
const METADATA_KEYS: [(&str, Part, &str); 14] = [
    ("annotations", Part::Metadata, "annotations"),
    ("apiServiceDefinitions", Part::Spec, "apiservicedefinitions"),
    ("crdDescriptions", Part::Spec, "customresourcedefinitions"),
    ("description", Part::Spec, "description"),
    ("displayName", Part::Spec, "displayName"),
    ("installModes", Part::Spec, "installModes"),
    ("keywords", Part::Spec, "keywords"),
    ("labels", Part::Metadata, "labels"),
    ("links", Part::Spec, "links"),
    ("maintainers", Part::Spec, "maintainers"),
    ("maturity", Part::Spec, "maturity"),
    ("minKubeVersion", Part::Spec, "minKubeVersion"),
    ("nativeAPIs", Part::Spec, "nativeAPIs"),
    ("provider", Part::Spec, "provider"),
];

/// Part of a ClusterServiceVersion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Metadata,
    Spec,
}

impl Part {
    fn type_name(self) -> &'static str {
        match self {
            Self::Metadata => "ObjectMeta",
            Self::Spec => "ClusterServiceVersionSpec",
        }
    }
}

/// Returns the property's value.
fn metadata_value(csv: &Node) -> String {
    let empty = Node::new(Value::Null, Span::default());
    let written = |part: Part, key: &str| {
        let value = write_as_go(find_field(csv, key).unwrap_or(&empty), part.type_name(), DecoderKind::Json);
        Node::new(value, Span::default())
    };
    let (spec, meta) = (written(Part::Spec, "spec"), written(Part::Metadata, "metadata"));
    let members = METADATA_KEYS.into_iter().filter_map(|(key, part, name)| {
        let node = if part == Part::Spec { &spec } else { &meta };
        let value = node.get(name).filter(|value| is_present(value))?;
        Some(format!("{}:{}", quote_string(key), compact_json(value, JsonStyle::Raw)))
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// Sorts the keys of each `olm.csv.metadata` of an `olm.bundle` in opm's order for a rendered bundle image. In
/// a catalog that opm has read and written again they are sorted.
pub fn order_metadata(bundle: &mut Node) {
    let Value::Map(members) = &mut bundle.value else { return };
    let properties = members.iter_mut().filter(|member| member.key == "properties");
    for property in properties.filter_map(|member| list_mut(&mut member.value)).flatten() {
        if property.get("type").and_then(Node::as_str) != Some(CSV_METADATA) {
            continue;
        }
        let Value::Map(members) = &mut property.value else { continue };
        for member in members.iter_mut().filter(|member| member.key == "value") {
            order_keys(&mut member.value);
        }
    }
}

fn list_mut<'n, 'a>(node: &'n mut Node<'a>) -> Option<&'n mut Vec<Node<'a>>> {
    match &mut node.value {
        Value::List(items) => Some(items),
        _ => None,
    }
}

fn order_keys(value: &mut Node) {
    let Value::Map(members) = &mut value.value else { return };
    let position = |key: &str| METADATA_KEYS.iter().position(|(known, ..)| *known == key);
    members.sort_by_key(|member| position(&member.key).unwrap_or(usize::MAX));
    for member in members {
        if let Some((_, part, name)) = METADATA_KEYS.iter().find(|(known, ..)| *known == member.key) {
            order_field(&mut member.value, part.type_name(), name);
        }
    }
}

/// Returns true if a value is not omitted as empty; structs are kept as `{}`.
fn is_present(node: &Node) -> bool {
    match &node.value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::List(items) => !items.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_catalog::text::{canonical, json};

    #[test]
    fn metadata_has_order_of_go_structs() {
        let written = r#"{"schema":"olm.bundle","name":"p.v1","package":"p","image":"q.io/p:1","properties":[{"type":"olm.csv.metadata","value":{"annotations":{"a":"1","b":"2"},"crdDescriptions":{"owned":[{"name":"a.b","version":"v1","kind":"A","displayName":"D","resources":[{"name":"","kind":"Pod","version":"v1"}],"specDescriptors":[{"path":"x","displayName":"X","x-descriptors":["u"]}],"unknown":1}]},"description":"d","installModes":[{"type":"OwnNamespace","supported":true}],"links":[{"name":"n","url":"u"}],"maintainers":[{"name":"m","email":"e"}],"provider":{"name":"q","url":"w"},"zebra":1}}]}"#;
        let tree = json::parse_json(written.as_bytes()).unwrap();
        let mut sorted = canonical::normalize(&tree);
        assert_ne!(compact_json(&sorted, JsonStyle::Raw), written, "opm sorts what it reads from a catalog");
        order_metadata(&mut sorted);
        assert_eq!(compact_json(&sorted, JsonStyle::Raw), written);
    }
}
