//! `--migrate-level bundle-object-to-csv-metadata`: replaces all objects by one property.

use super::{
    JsonStyle, RawProperty, compact_json,
    properties::{CSV_METADATA, OBJECT},
    quote_string,
};
use crate::{
    registry::{Bundle, BundleError},
    typed::{self, DecoderKind, TypeError, find_field, order_field, write_as_go},
};
use olm_catalog::{Node, Span, Value};

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
const KEYS: [(&str, Part, &str); 14] = [
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
    let members = KEYS.into_iter().filter_map(|(key, part, name)| {
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
    let position = |key: &str| KEYS.iter().position(|(known, ..)| *known == key);
    members.sort_by_key(|member| position(&member.key).unwrap_or(usize::MAX));
    for member in members {
        if let Some((_, part, name)) = KEYS.iter().find(|(known, ..)| *known == member.key) {
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
