//! What a console is told of a bundle before one installs it: the package server's description of its CSV.
//!
//! Source: operator-lifecycle-manager, `pkg/package-server/apis/operators/v1/packagemanifest_types.go` and
//! `pkg/package-server/provider`.

use super::{
    read::{at, items, text},
    registry::Csv,
    typed::{Reading, write},
};
use crate::catalog::{Member, Node, Span, Value};

/// The description, as a tree in Go's order of fields.
pub fn view(csv: Csv<'_, '_>) -> Node<'static> {
    let spec = csv.spec();
    let mut members: Vec<Member> = Vec::new();
    let plain = |key: &'static str, value: Value<'static>| Member {
        key: key.into(),
        key_span: Span::default(),
        value: Node::new(value, Span::default()),
    };
    if let Some(spec) = spec {
        // The fields that have the same name in the spec.
        for member in Node::new(write(spec, "CSVDescription", Reading::Yaml), Span::default()).members() {
            if !matches!(member.key.as_ref(), "annotations" | "relatedImages" | "nativeApis") {
                members.push(Member {
                    key: member.key.to_string().into(),
                    key_span: Span::default(),
                    value: member.value.detached(),
                });
            }
        }
        let native = Node::new(write(spec, "ClusterServiceVersionSpec", Reading::Yaml), Span::default());
        if let Some(list) = native.get("nativeAPIs") {
            members.push(Member { key: "nativeApis".into(), key_span: Span::default(), value: list.detached() });
        }
    }
    let metadata = at(csv.node(), &["metadata"]);
    let metadata = metadata.map(|node| Node::new(write(node, "ObjectMeta", Reading::Yaml), Span::default()));
    if let Some(annotations) = metadata.as_ref().and_then(|metadata| metadata.get("annotations")) {
        let value = annotations.detached();
        members.push(Member { key: "annotations".into(), key_span: Span::default(), value });
    }
    let images = related_images(csv);
    if !images.is_empty() {
        let images = images.into_iter().map(|image| Node::new(Value::String(image.into()), Span::default()));
        members.push(plain("relatedImages", Value::List(images.collect())));
    }
    Node::new(Value::Map(members), Span::default())
}

/// The images that the CSV lists, and those of its deployments, each once.
pub fn related_images(csv: Csv) -> Vec<String> {
    let mut images: Vec<String> = Vec::new();
    let mut add = |image: String| {
        if !image.is_empty() && !images.contains(&image) {
            images.push(image);
        }
    };
    for image in items(csv.node(), &["spec", "relatedImages"]) {
        add(text(image, &["image"]).into_owned());
    }
    for deployment in items(csv.node(), &["spec", "install", "spec", "deployments"]) {
        for list in ["containers", "initContainers"] {
            for container in items(deployment, &["spec", "template", "spec", list]) {
                add(text(container, &["image"]).into_owned());
            }
        }
    }
    images
}
