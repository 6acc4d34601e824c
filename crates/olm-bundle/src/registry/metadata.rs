//! `metadata/`: annotations, dependencies and properties.

use std::borrow::Cow;

use crate::{
    document::{self, Document},
    tree::{Tree, TreeFile},
    typed::{DecoderKind, field_text, find_field, find_member},
};
use olm_catalog::{Node, Value};

/// Prefix of all annotations of a bundle.
pub const PREFIX: &str = "operators.operatorframework.io.bundle.";

/// Content of `metadata/`.
#[derive(Debug, Default)]
pub struct Metadata<'t> {
    /// Annotations of the first file that has any.
    pub annotations: Option<Annotations>,
    /// Dependencies of the bundle.
    pub dependencies: Vec<Dependency<'t>>,
    /// Properties of the bundle.
    pub properties: Vec<Property<'t>>,
}

/// Annotations that opm reads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Annotations {
    /// File of the annotations.
    pub file: String,
    /// `package.v1`.
    pub package: String,
    /// `channels.v1`: a comma-separated list.
    pub channels: String,
    /// `channel.default.v1`.
    pub default_channel: String,
}

impl Annotations {
    /// Returns the trimmed, non-empty channels.
    pub fn channel_list(&self) -> impl Iterator<Item = &str> {
        self.channels.split(',').map(str::trim).filter(|channel| !channel.is_empty())
    }
}

/// A dependency with its type and value.
pub type Dependency<'t> = Property<'t>;

/// A property with its type and value.
#[derive(Debug)]
pub struct Property<'t> {
    /// Type, such as `olm.gvk`.
    pub kind: String,
    /// Value; `None` if the key is absent, which differs from null.
    pub value: Option<Node<'t>>,
}

impl<'t> Metadata<'t> {
    pub(super) fn from_tree(tree: &'t Tree) -> Self {
        let mut metadata = Self::default();
        let (mut has_dependencies, mut has_properties) = (false, false);
        for file in tree.files_in("metadata") {
            if metadata.annotations.is_none() {
                metadata.annotations = parse_annotations(file);
            }
            if !has_dependencies && let Some(found) = parse_property_list(file, "dependencies") {
                metadata.dependencies = found;
                has_dependencies = true;
            }
            if !has_properties && let Some(found) = parse_property_list(file, "properties") {
                metadata.properties = found;
                has_properties = true;
            }
        }
        metadata
    }
}

fn parse_annotations(file: &TreeFile) -> Option<Annotations> {
    let document = document::parse_first(file.content_or_empty()).ok()?;
    let map = find_field(&document.node, "annotations")?;
    let text = |key: &str| match find_field(map, &format!("{PREFIX}{key}")) {
        None => Some(Cow::Borrowed("")),
        Some(node) => field_text(node, DecoderKind::Yaml),
    };
    let read = Annotations {
        file: file.path.clone(),
        package: text("package.v1")?.into_owned(),
        channels: text("channels.v1")?.into_owned(),
        default_channel: text("channel.default.v1")?.into_owned(),
    };
    let is_empty = read.package.is_empty() && read.channels.is_empty() && read.default_channel.is_empty();
    (!is_empty).then_some(read)
}

/// Returns the list under a key of a file, if it is a non-empty list of properties.
fn parse_property_list<'t>(file: &'t TreeFile, key: &str) -> Option<Vec<Property<'t>>> {
    let Document { node, .. } = document::parse_first(file.content_or_empty()).ok()?;
    let Value::List(items) = &find_field(&node, key)?.value else { return None };
    let read: Option<Vec<Property<'t>>> = items.iter().map(parse_property).collect();
    read.filter(|items| !items.is_empty())
}

/// Parses a property; `None` if its type is not a string.
fn parse_property<'a>(node: &Node<'a>) -> Option<Property<'a>> {
    if !matches!(node.value, Value::Map(_) | Value::Null) {
        return None;
    }
    let kind = match find_field(node, "type") {
        None => String::new(),
        Some(kind) => field_text(kind, DecoderKind::Yaml)?.into_owned(),
    };
    Some(Property { kind, value: find_member(node, "value").cloned() })
}
