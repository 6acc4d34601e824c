//! What `opm render` makes of a catalog: every document normalised, all of them in opm's order, written as one stream.
//!
//! Source of the rules: operator-registry `alpha/declcfg/{declcfg,write}.go` and `alpha/action/render.go`, and the way
//! Go's `encoding/json` fills structs.

mod generic;
mod shape;

#[cfg(test)]
pub(crate) mod tests;

use self::{
    generic::generic,
    shape::{BUNDLE, CHANNEL, DEPRECATIONS, PACKAGE, folded, structure},
};
use super::emit;
use crate::catalog::{
    node::{Node, Value},
    span::Span,
};
use rayon::prelude::*;
use std::borrow::Borrow;

/// The two forms `opm render` can write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RenderFormat {
    /// `-o yaml`: `---` before every document.
    Yaml,
    /// `-o json`: one object after another.
    Json,
}

/// The whole output of `opm render` for the documents of a catalog, in the order in which they were read.
pub fn render(docs: &[Node], format: RenderFormat) -> String {
    written(order(docs).into_par_iter().map(normalise), format)
}

/// The same for documents that are [normalised](normalise) already.
pub fn write(docs: &[Node], format: RenderFormat) -> String {
    written(order(docs).into_par_iter(), format)
}

fn written<'a, D>(docs: impl IndexedParallelIterator<Item = D>, format: RenderFormat) -> String
where
    D: Borrow<Node<'a>> + Send,
{
    let parts: Vec<String> = docs
        .map(|doc| match format {
            RenderFormat::Yaml => emit::yaml(doc.borrow()),
            RenderFormat::Json => emit::json(doc.borrow()),
        })
        .collect();
    let marker = if format == RenderFormat::Yaml { "---\n" } else { "" };
    let mut out = String::with_capacity(parts.iter().map(|part| part.len() + marker.len()).sum());
    for part in &parts {
        out.push_str(marker);
        out.push_str(part);
    }
    out
}

/// The documents in opm's order: package by package, in each the packages, channels by name, bundles by name, other
/// metas by schema, deprecations; then the metas of no package. What is equal stays in the order given. Packages
/// without a name, and channels, bundles and deprecations without a package, are not written at all.
pub fn order<'n, 'a>(docs: &'n [Node<'a>]) -> Vec<&'n Node<'a>> {
    let mut kept: Vec<(OrderKey<'_>, &Node<'a>)> =
        docs.iter().filter_map(|doc| Some((OrderKey::of(doc)?, doc))).collect();
    kept.sort_by(|a, b| a.0.cmp(&b.0));
    kept.into_iter().map(|(_, doc)| doc).collect()
}

/// Where a document belongs, compared field by field.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct OrderKey<'a> {
    rootless: bool,
    package: &'a str,
    rank: u8,
    within: &'a str,
}

impl<'a> OrderKey<'a> {
    fn of(doc: &'a Node) -> Option<Self> {
        let text = |name| folded(doc, name).and_then(Node::as_str).unwrap_or_default();
        let (schema, package, name) = (text("schema"), text("package"), text("name"));
        let (rank, package, within) = match schema {
            "olm.package" => (0, name, ""),
            "olm.channel" => (1, package, name),
            "olm.bundle" => (2, package, name),
            "olm.deprecations" => (4, package, ""),
            _ if package.is_empty() => return Some(Self { rootless: true, package, rank: 3, within: "" }),
            _ => (3, package, schema),
        };
        (!package.is_empty()).then_some(Self { rootless: false, package, rank, within })
    }
}

/// A document as opm holds it once read: what a blob of a typed schema does not define is gone, keys are spelled as
/// the schema has them and stand in its order, empty lists and texts are gone where the schema leaves them out, the big
/// properties of a bundle come last and its related images by image. In everything else keys are sorted by bytes, of
/// repeated keys the last counts, and numbers have passed through a 64-bit float.
///
/// The result has no spans. Values of a type the schema refuses count as absent: a catalog with such is refused by opm
/// and reported by the loader.
pub fn normalise<'a>(doc: &'a Node) -> Node<'a> {
    let schema = folded(doc, "schema").and_then(Node::as_str).unwrap_or_default();
    let mut value = match schema {
        "olm.package" => structure(Some(doc), PACKAGE),
        "olm.channel" => structure(Some(doc), CHANNEL),
        "olm.bundle" => structure(Some(doc), BUNDLE),
        "olm.deprecations" => structure(Some(doc), DEPRECATIONS),
        _ => generic(doc),
    };
    if schema == "olm.bundle" {
        arrange_bundle(&mut value);
    }
    Node { span: Span::default(), value }
}

/// A document as opm holds one whose schema it does not know, whatever its schema is: keys sorted by bytes, of repeated
/// keys the last, numbers through a 64-bit float. The result has no spans.
pub fn sorted<'a>(doc: &'a Node) -> Node<'a> {
    Node { span: Span::default(), value: generic(doc) }
}

/// What rendering does to a bundle beyond reading it: `olm.bundle.object` and `olm.csv.metadata` properties go to the
/// end, related images are sorted by image. Equal images keep their order here; opm's sort promises nothing for them
/// (and leaves them alone up to twelve images, or when they are sorted already).
fn arrange_bundle(bundle: &mut Value) {
    let Value::Map(members) = bundle else {
        return;
    };
    for member in members {
        let Value::List(items) = &mut member.value.value else {
            continue;
        };
        let text = |item: &Node, name| item.get(name).and_then(Node::as_str).unwrap_or_default().to_owned();
        match member.key.as_ref() {
            "properties" => items.sort_by_key(|property| {
                matches!(text(property, "type").as_str(), "olm.bundle.object" | "olm.csv.metadata")
            }),
            "relatedImages" => items.sort_by_cached_key(|image| text(image, "image")),
            _ => {}
        }
    }
}
