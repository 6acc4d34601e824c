//! Output of `opm render`: every document normalized, in opm's order, as one stream.
//!
//! The rules come from operator-registry `alpha/declcfg/{declcfg,write}.go` and `alpha/action/render.go`, and
//! from the way Go's `encoding/json` fills structs.

#[cfg(test)]
pub(crate) mod tests;

use std::borrow::{Borrow, Cow};

use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use rayon::prelude::*;

use super::emit;
use crate::{
    node::{Member, Node, Number, Value},
    span::Span,
    text::emit::{effective_members, format_json_number},
};

/// Output formats of `opm render`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RenderFormat {
    /// `-o yaml`: `---` before every document.
    Yaml,
    /// `-o json`: one object after another.
    Json,
}

/// Renders the documents of a catalog as `opm render` does. `docs` are in the order in which they were read.
pub fn render_documents(docs: &[Node], format: RenderFormat) -> String {
    write_in_parallel(sort_documents(docs).into_par_iter().map(normalize), format)
}

/// Renders documents that are already [normalized](normalize).
pub fn write_documents(docs: &[Node], format: RenderFormat) -> String {
    write_in_parallel(sort_documents(docs).into_par_iter(), format)
}

fn write_in_parallel<'a, D>(docs: impl IndexedParallelIterator<Item = D>, format: RenderFormat) -> String
where
    D: Borrow<Node<'a>> + Send,
{
    let parts: Vec<String> = docs
        .map(|doc| match format {
            RenderFormat::Yaml => emit::write_yaml(doc.borrow()),
            RenderFormat::Json => emit::write_json(doc.borrow()),
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

/// Sorts documents as opm does. Each package has its package meta, channels by name, bundles by name, other
/// metas by schema, and deprecations. Metas without a package come last. The sort is stable.
///
/// Omits packages without a name, and channels, bundles and deprecations without a package.
pub fn sort_documents<'n, 'a>(docs: &'n [Node<'a>]) -> Vec<&'n Node<'a>> {
    let mut kept: Vec<(OrderKey<'_>, &Node<'a>)> =
        docs.iter().filter_map(|doc| Some((OrderKey::new(doc)?, doc))).collect();
    kept.sort_by(|a, b| a.0.cmp(&b.0));
    kept.into_iter().map(|(_, doc)| doc).collect()
}

/// Place of a document in the output of opm. The order is that of [`sort_documents`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct DocumentOrder {
    rootless: bool,
    package: String,
    rank: u8,
    within: String,
}

impl DocumentOrder {
    /// Returns the place of a document; `None` if opm omits it.
    pub fn from_document(doc: &Node) -> Option<Self> {
        let OrderKey { rootless, package, rank, within } = OrderKey::new(doc)?;
        Some(Self { rootless, package: package.to_owned(), rank, within: within.to_owned() })
    }
}

/// Sort key of a document, compared field by field.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct OrderKey<'a> {
    rootless: bool,
    package: &'a str,
    rank: u8,
    within: &'a str,
}

impl<'a> OrderKey<'a> {
    fn new(doc: &'a Node) -> Option<Self> {
        let text = |name| find_folded(doc, name).and_then(Node::as_str).unwrap_or_default();
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

/// Normalizes a document as opm does when it reads and writes it.
///
/// A document of a typed schema keeps only the fields of the schema, with their spelling and order. Empty lists
/// and strings are omitted if the schema says so. The big properties of a bundle come last, and its related
/// images are sorted by image. Other values have keys sorted by bytes, the last of repeated keys, and numbers
/// rounded to 64-bit floats.
///
/// The result does not have spans. Values of a wrong type count as absent: opm rejects such a catalog and the
/// loader reports it.
pub fn normalize<'a>(doc: &'a Node) -> Node<'a> {
    let schema = find_folded(doc, "schema").and_then(Node::as_str).unwrap_or_default();
    let mut value = match schema {
        "olm.package" => convert_to_shape(Some(doc), PACKAGE),
        "olm.channel" => convert_to_shape(Some(doc), CHANNEL),
        "olm.bundle" => convert_to_shape(Some(doc), BUNDLE),
        "olm.deprecations" => convert_to_shape(Some(doc), DEPRECATIONS),
        _ => normalize_generic(doc),
    };
    if schema == "olm.bundle" {
        arrange_bundle(&mut value);
    }
    Node { span: Span::default(), value }
}

/// Normalizes a document as opm does for an unknown schema, whatever its schema is. Keys are sorted by bytes,
/// the last of repeated keys counts, and numbers are rounded to 64-bit floats. The result does not have spans.
pub fn sort_keys<'a>(doc: &'a Node) -> Node<'a> {
    Node { span: Span::default(), value: normalize_generic(doc) }
}

/// Applies the rendering rules for bundles: `olm.bundle.object` and `olm.csv.metadata` properties come last,
/// and related images are sorted by image.
///
/// Equal images keep their order here. opm's sort does not guarantee that, but keeps the order of up to twelve
/// images and of sorted images.
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

/// Normalizes a tree as opm does: sorts keys by bytes, keeps the last of repeated keys, and rounds numbers to
/// 64-bit floats.
fn normalize_generic<'a>(node: &'a Node) -> Value<'a> {
    // An explicit stack, because nesting may be 10,000 levels deep.
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut next = node;
    loop {
        let mut finished = match &next.value {
            Value::List(items) => {
                open.push(Open::List { items: items.iter(), done: Vec::with_capacity(items.len()) });
                None
            }
            Value::Map(members) => {
                let mut members = effective_members(members);
                members.sort_unstable_by(|a, b| a.key.cmp(&b.key));
                let done = Vec::with_capacity(members.len());
                open.push(Open::Map { members: members.into_iter(), key: Cow::default(), done });
                None
            }
            Value::Number(Number(text)) => Some(Value::Number(Number(format_json_number(text).into()))),
            Value::String(text) => Some(Value::String(Cow::Borrowed(text))),
            scalar @ (Value::Null | Value::Bool(_)) => Some(scalar.clone()),
        };
        next = loop {
            if let Some(value) = finished.take() {
                match open.last_mut() {
                    Some(parent) => parent.add_value(value),
                    None => return value,
                }
            }
            if let Some(child) = open.last_mut().and_then(Open::next_child) {
                break child;
            }
            // A collection is open: `finished` was empty, or its parent took it.
            finished = open.pop().map(Open::into_value);
        };
    }
}

/// A list or map under construction.
enum Open<'a> {
    List { items: std::slice::Iter<'a, Node<'a>>, done: Vec<Node<'a>> },
    Map { members: std::vec::IntoIter<&'a Member<'a>>, key: Cow<'a, str>, done: Vec<Member<'a>> },
}

impl<'a> Open<'a> {
    fn next_child(&mut self) -> Option<&'a Node<'a>> {
        match self {
            Self::List { items, .. } => items.next(),
            Self::Map { members, key, .. } => {
                let member = members.next()?;
                *key = Cow::Borrowed(&member.key);
                Some(&member.value)
            }
        }
    }

    fn add_value(&mut self, value: Value<'a>) {
        let node = Node { span: Span::default(), value };
        match self {
            Self::List { done, .. } => done.push(node),
            Self::Map { key, done, .. } => {
                done.push(Member { key: std::mem::take(key), key_span: Span::default(), value: node });
            }
        }
    }

    fn into_value(self) -> Value<'a> {
        match self {
            Self::List { done, .. } => Value::List(done),
            Self::Map { done, .. } => Value::Map(done),
        }
    }
}

/// Fields of a struct, in the order of their JSON output.
type Shape = &'static [Field];

struct Field {
    name: &'static str,
    kind: Kind,
    /// `omitempty`: omitted if it is an empty string, an empty list or absent.
    optional: bool,
}

/// Type of a field.
enum Kind {
    /// A string; `""` if absent.
    Text,
    /// A list of strings; `null` if absent.
    Texts,
    /// Bytes in base64, written without line breaks; `null` if absent.
    Base64,
    /// Any JSON value; `null` if absent.
    Any,
    /// A struct. If absent, it has empty fields, or is omitted if optional.
    Struct(Shape),
    /// A list of structs; `null` if absent.
    Structs(Shape),
}

const fn required(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, optional: false }
}

const fn optional(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, optional: true }
}

/// `olm.package`.
const PACKAGE: Shape = &[
    required("schema", Kind::Text),
    required("name", Kind::Text),
    required("defaultChannel", Kind::Text),
    optional(
        "icon",
        Kind::Struct(&[required("base64data", Kind::Base64), required("mediatype", Kind::Text)]),
    ),
    optional("description", Kind::Text),
    optional("properties", Kind::Structs(PROPERTY)),
];

/// `olm.channel`.
const CHANNEL: Shape = &[
    required("schema", Kind::Text),
    required("name", Kind::Text),
    required("package", Kind::Text),
    required(
        "entries",
        Kind::Structs(&[
            required("name", Kind::Text),
            optional("replaces", Kind::Text),
            optional("skips", Kind::Texts),
            optional("skipRange", Kind::Text),
        ]),
    ),
    optional("properties", Kind::Structs(PROPERTY)),
];

/// `olm.bundle`.
const BUNDLE: Shape = &[
    required("schema", Kind::Text),
    optional("name", Kind::Text),
    optional("package", Kind::Text),
    required("image", Kind::Text),
    optional("properties", Kind::Structs(PROPERTY)),
    optional("relatedImages", Kind::Structs(&[required("name", Kind::Text), required("image", Kind::Text)])),
];

/// `olm.deprecations`.
const DEPRECATIONS: Shape = &[
    required("schema", Kind::Text),
    required("package", Kind::Text),
    required(
        "entries",
        Kind::Structs(&[
            required(
                "reference",
                Kind::Struct(&[required("schema", Kind::Text), optional("name", Kind::Text)]),
            ),
            required("message", Kind::Text),
        ]),
    ),
];

const PROPERTY: Shape = &[required("type", Kind::Text), required("value", Kind::Any)];

/// Converts a map to a shape. Any other value counts as an empty map.
fn convert_to_shape<'a>(node: Option<&'a Node>, shape: Shape) -> Value<'a> {
    let members = shape.iter().filter_map(|field| {
        let value = field.convert_value(node.and_then(|node| find_folded(node, field.name)));
        let empty = match &value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::List(items) => items.is_empty(),
            _ => false,
        };
        (!(empty && field.optional)).then(|| Member {
            key: field.name.into(),
            key_span: Span::default(),
            value: Node { span: Span::default(), value },
        })
    });
    Value::Map(members.collect())
}

impl Field {
    fn convert_value<'a>(&self, node: Option<&'a Node>) -> Value<'a> {
        let list = |item: &dyn Fn(&'a Node) -> Value<'a>| match node.map(|node| &node.value) {
            Some(Value::List(items)) => Value::List(
                items.iter().map(|node| Node { span: Span::default(), value: item(node) }).collect(),
            ),
            _ => Value::Null,
        };
        let text =
            |node: Option<&'a Node>| Value::String(node.and_then(Node::as_str).unwrap_or_default().into());
        match self.kind {
            Kind::Text => text(node),
            Kind::Texts => list(&|item| text(Some(item))),
            Kind::Base64 => node.and_then(Node::as_str).map_or(Value::Null, |text| {
                Value::String(reencode_base64(text).map_or(text.into(), Cow::Owned))
            }),
            Kind::Any => node.map_or(Value::Null, normalize_generic),
            Kind::Struct(_)
                if self.optional && !node.is_some_and(|node| matches!(node.value, Value::Map(_))) =>
            {
                Value::Null
            }
            Kind::Struct(shape) => convert_to_shape(node, shape),
            Kind::Structs(shape) => list(&|item| convert_to_shape(Some(item), shape)),
        }
    }
}

/// Decodes base64 as Go does (skips line breaks, ignores spare bits) and encodes it again. `None` if the text
/// is not base64.
fn reencode_base64(text: &str) -> Option<String> {
    let config = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical);
    let engine = GeneralPurpose::new(&STANDARD, config);
    let packed: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    Some(engine.encode(engine.decode(packed).ok()?))
}

/// Returns the value of a field, ignoring the case of its key. If a map has several spellings, the last in byte
/// order counts, because opm sorts the keys before it fills its structs.
fn find_folded<'n>(node: &'n Node, name: &str) -> Option<&'n Node<'n>> {
    let mut found: Option<&Member> = None;
    for member in node.members() {
        if key_matches_field(&member.key, name) && found.is_none_or(|found| found.key <= member.key) {
            found = Some(member);
        }
    }
    found.map(|member| &member.value)
}

/// Returns true if Go's `encoding/json` accepts `key` for the ASCII field `name`. The long s and the Kelvin
/// sign also fold to letters.
fn key_matches_field(key: &str, name: &str) -> bool {
    let fold = |c: char| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        _ => c.to_ascii_lowercase(),
    };
    key == name || key.chars().map(fold).eq(name.chars().map(fold))
}
