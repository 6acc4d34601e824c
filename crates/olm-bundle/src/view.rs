//! Description of a bundle for a console before installation: the package server's description of its CSV.
//!
//! Source: operator-lifecycle-manager, `pkg/package-server/apis/operators/v1/packagemanifest_types.go` and
//! `pkg/package-server/provider`.

use super::{
    field_access::node_at,
    registry::Csv,
    render,
    typed::{DecoderKind, check_type, write_as_go},
};
use olm_catalog::{Member, Node, Span, Value};

/// Returns the description as a tree in Go's order of fields.
pub fn console_view(csv: Csv<'_, '_>) -> Node<'static> {
    let empty = Node::new(Value::Null, Span::default());
    let spec = csv.spec().unwrap_or(&empty);
    let mut members: Vec<Member> = Vec::new();
    let mut add = |key: &str, value: Node<'static>| {
        members.push(Member { key: key.to_owned().into(), key_span: Span::default(), value });
    };
    let written = |type_name| Node::new(write_as_go(spec, type_name, DecoderKind::Yaml), Span::default());
    // Fields with the same name in the spec.
    for member in written("CSVDescription").members() {
        if !matches!(member.key.as_ref(), "annotations" | "relatedImages" | "nativeApis") {
            add(&member.key, member.value.detached());
        }
    }
    if let Some(list) = written("ClusterServiceVersionSpec").get("nativeAPIs") {
        add("nativeApis", list.detached());
    }
    let metadata = node_at(csv.node(), &["metadata"]);
    let metadata =
        metadata.map(|node| Node::new(write_as_go(node, "ObjectMeta", DecoderKind::Yaml), Span::default()));
    if let Some(annotations) = metadata.as_ref().and_then(|metadata| metadata.get("annotations")) {
        add("annotations", annotations.detached());
    }
    let images = related_images(csv);
    if !images.is_empty() {
        let images = images.into_iter().map(|image| Node::new(Value::String(image.into()), Span::default()));
        add("relatedImages", Node::new(Value::List(images.collect()), Span::default()));
    }
    Node::new(Value::Map(members), Span::default())
}

/// Returns the images of the CSV and its deployments, without duplicates, sorted by name. Empty if opm does not
/// read the CSV.
pub fn related_images(csv: Csv) -> Vec<String> {
    if check_type(csv.node(), "ClusterServiceVersionMeta", DecoderKind::Json).is_err() {
        return Vec::new();
    }
    let mut images: Vec<String> =
        render::related_images(csv, "").unwrap_or_default().into_iter().map(|(_, image)| image).collect();
    images.dedup();
    images
}
