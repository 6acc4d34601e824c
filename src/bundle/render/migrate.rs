//! `--migrate-level bundle-object-to-csv-metadata`: one property in place of all objects.

use super::{
    RawProperty,
    json::{Style, compact, quoted},
    properties::{CSV_METADATA, OBJECT},
};
use crate::{
    bundle::{
        registry::{Bundle, BundleFault},
        typed::{self, Reading, TypeFault, field, write},
    },
    catalog::{Node, Span, Value},
};

/// Puts one `olm.csv.metadata` in place of the `olm.bundle.object`s, unless there is one already.
pub(super) fn objects_to_metadata(
    bundle: &Bundle,
    properties: &mut Vec<RawProperty>,
) -> Result<(), BundleFault> {
    if properties.iter().any(|property| property.kind == CSV_METADATA) {
        return Ok(());
    }
    let csv = bundle.csv();
    let fault = |fault| BundleFault::Type { file: csv.object.file.path.clone(), fault };
    let property = metadata_property(csv.node()).map_err(fault)?;
    properties.retain(|property| property.kind != OBJECT);
    properties.push(property);
    Ok(())
}

/// The `olm.csv.metadata` of a ClusterServiceVersion.
///
/// # Errors
///
/// A value that Go refuses in one.
pub fn metadata_property(csv: &Node) -> Result<RawProperty, TypeFault> {
    typed::check(csv, "ClusterServiceVersion", Reading::Json)?;
    Ok(RawProperty::new(CSV_METADATA, metadata(csv)))
}

/// The property's value.
fn metadata(csv: &Node) -> String {
    let empty = Node::new(Value::Null, Span::default());
    let spec = write(field(csv, "spec").unwrap_or(&empty), "ClusterServiceVersionSpec", Reading::Json);
    let meta = write(field(csv, "metadata").unwrap_or(&empty), "ObjectMeta", Reading::Json);
    let (spec, meta) = (Node::new(spec, Span::default()), Node::new(meta, Span::default()));
    let of = |node: &Node, key: &str| {
        node.get(key).filter(|value| is_worth(value)).map(|v| compact(v, Style::Raw))
    };
    let fields = [
        ("annotations", of(&meta, "annotations")),
        ("apiServiceDefinitions", of(&spec, "apiservicedefinitions")),
        ("crdDescriptions", of(&spec, "customresourcedefinitions")),
        ("description", of(&spec, "description")),
        ("displayName", of(&spec, "displayName")),
        ("installModes", of(&spec, "installModes")),
        ("keywords", of(&spec, "keywords")),
        ("labels", of(&meta, "labels")),
        ("links", of(&spec, "links")),
        ("maintainers", of(&spec, "maintainers")),
        ("maturity", of(&spec, "maturity")),
        ("minKubeVersion", of(&spec, "minKubeVersion")),
        ("nativeAPIs", of(&spec, "nativeAPIs")),
        ("provider", of(&spec, "provider")),
    ];
    let members = fields.into_iter().filter_map(|(key, value)| Some(format!("{}:{}", quoted(key), value?)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// What is not left out as empty; structs stay as `{}`.
fn is_worth(node: &Node) -> bool {
    match &node.value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::List(items) => !items.is_empty(),
        _ => true,
    }
}
