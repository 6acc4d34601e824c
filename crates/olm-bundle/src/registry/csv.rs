//! The ClusterServiceVersion, with the fields that opm reads.

use std::borrow::Cow;

use super::{BundleError, Object, check_object_type};
use crate::typed::{DecoderKind, check_type, field_text, find_field, find_member};
use olm_catalog::{Node, Value};

/// A ClusterServiceVersion of a bundle.
#[derive(Clone, Copy, Debug)]
pub struct Csv<'b, 't> {
    /// Object of the bundle.
    pub object: &'b Object<'t>,
}

/// An API that a ClusterServiceVersion owns or requires.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DefinitionKey {
    /// Group; for a CRD, part of the name.
    pub group: String,
    /// Version of the API.
    pub version: String,
    /// Kind of the API.
    pub kind: String,
    /// `plural.group` of a CRD, or the plural of an API service.
    pub name: String,
}

impl<'b, 't> Csv<'b, 't> {
    pub(super) fn new(object: &'b Object<'t>) -> Self {
        Self { object }
    }

    /// Returns the whole object.
    pub fn node(self) -> &'b Node<'t> {
        &self.object.document.node
    }

    /// Returns its name, which is the bundle's name.
    pub fn name(self) -> &'b str {
        self.object.name()
    }

    /// Returns `spec`, if present.
    pub fn spec(self) -> Option<&'b Node<'t>> {
        find_field(self.node(), "spec")
    }

    /// Returns a field of `spec`.
    pub fn spec_field(self, key: &str) -> Option<&'b Node<'t>> {
        find_field(self.spec()?, key)
    }

    /// Returns an annotation.
    pub fn annotation(self, key: &str) -> Option<&'b str> {
        self.node().get("metadata")?.get("annotations")?.get(key)?.as_str()
    }

    /// Applies opm's first checks.
    pub(super) fn check_head(self) -> Result<(), BundleError> {
        check_object_type(self.object, "ClusterServiceVersionMeta")
    }

    /// Returns the owned and the required APIs under a key of `spec`.
    pub(crate) fn definitions(self, key: &str) -> Result<[Vec<DefinitionKey>; 2], BundleError> {
        // Null counts as an empty spec.
        find_member(self.node(), "spec").ok_or(BundleError::NoSpec)?;
        let Some(definitions) = self.spec_field(key) else { return Ok([Vec::new(), Vec::new()]) };
        self.check_type(definitions, "DefinitionKeys")?;
        let keys = |list: &str| {
            let items = find_field(definitions, list).map(Node::items).unwrap_or_default();
            items.iter().map(parse_definition_key).collect()
        };
        Ok([keys("owned"), keys("required")])
    }

    /// Returns `spec.version` as written.
    pub(crate) fn stated_version(self) -> Result<Cow<'b, str>, BundleError> {
        self.spec_string("version", false)
    }

    /// Returns `spec.release` as written, a string or a number.
    pub(crate) fn stated_release(self) -> Result<Cow<'b, str>, BundleError> {
        self.spec_string("release", true)
    }

    fn spec_string(self, key: &str, number_too: bool) -> Result<Cow<'b, str>, BundleError> {
        let Some(node) = self.spec_field(key) else { return Ok(Cow::Borrowed("")) };
        let reading = match node.value {
            Value::Number(_) if number_too => DecoderKind::Yaml,
            _ => DecoderKind::Json,
        };
        field_text(node, reading).ok_or_else(|| self.type_fault(node, key, "must be a string"))
    }

    /// Checks that a part of the object has a type.
    pub(crate) fn check_type(self, node: &Node, type_name: &str) -> Result<(), BundleError> {
        check_type(node, type_name, DecoderKind::Json)
            .map_err(|fault| BundleError::Type { file: self.object.file.path.clone(), fault })
    }

    fn type_fault(self, node: &Node, key: &str, reason: &str) -> BundleError {
        let fault = crate::typed::TypeError {
            path: format!("spec.{key}"),
            reason: reason.to_owned(),
            span: node.span,
        };
        BundleError::Type { file: self.object.file.path.clone(), fault }
    }
}

fn parse_definition_key(node: &Node) -> DefinitionKey {
    let text = |key| find_field(node, key).and_then(Node::as_str).unwrap_or_default().to_owned();
    DefinitionKey { group: text("group"), version: text("version"), kind: text("kind"), name: text("name") }
}
