//! The ClusterServiceVersion, with the fields that opm reads.

use std::borrow::Cow;

use super::{BundleFault, Object, typed};
use crate::{
    bundle::typed::{Reading, check, field, member, text_of},
    catalog::{Node, Value},
};

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
        field(self.node(), "spec")
    }

    /// Returns a field of `spec`.
    pub fn in_spec(self, key: &str) -> Option<&'b Node<'t>> {
        field(self.spec()?, key)
    }

    /// Returns an annotation.
    pub fn annotation(self, key: &str) -> Option<&'b str> {
        self.node().get("metadata")?.get("annotations")?.get(key)?.as_str()
    }

    /// Applies opm's first checks.
    pub(super) fn check_head(self) -> Result<(), BundleFault> {
        typed(self.object, "ClusterServiceVersionMeta")
    }

    /// Returns the owned and the required APIs under a key of `spec`.
    pub(crate) fn definitions(self, key: &str) -> Result<[Vec<DefinitionKey>; 2], BundleFault> {
        // Null counts as an empty spec.
        member(self.node(), "spec").ok_or(BundleFault::NoSpec)?;
        let Some(definitions) = self.in_spec(key) else { return Ok([Vec::new(), Vec::new()]) };
        self.fits(definitions, "DefinitionKeys")?;
        let keys = |list: &str| {
            let items = field(definitions, list).map(Node::items).unwrap_or_default();
            items.iter().map(definition_key).collect()
        };
        Ok([keys("owned"), keys("required")])
    }

    /// Returns `spec.version` as written.
    pub(in crate::bundle) fn version(self) -> Result<Cow<'b, str>, BundleFault> {
        self.string("version", false)
    }

    /// Returns `spec.release` as written, a string or a number.
    pub(in crate::bundle) fn release(self) -> Result<Cow<'b, str>, BundleFault> {
        self.string("release", true)
    }

    fn string(self, key: &str, number_too: bool) -> Result<Cow<'b, str>, BundleFault> {
        let Some(node) = self.in_spec(key) else { return Ok(Cow::Borrowed("")) };
        let reading = match node.value {
            Value::Number(_) if number_too => Reading::Yaml,
            _ => Reading::Json,
        };
        text_of(node, reading).ok_or_else(|| self.fault(node, key, "must be a string"))
    }

    /// Checks that a part of the object has a type.
    pub(in crate::bundle) fn fits(self, node: &Node, type_name: &str) -> Result<(), BundleFault> {
        check(node, type_name, Reading::Json)
            .map_err(|fault| BundleFault::Type { file: self.object.file.path.clone(), fault })
    }

    fn fault(self, node: &Node, key: &str, reason: &str) -> BundleFault {
        let fault = crate::bundle::typed::TypeFault {
            path: format!("spec.{key}"),
            reason: reason.to_owned(),
            span: node.span,
        };
        BundleFault::Type { file: self.object.file.path.clone(), fault }
    }
}

fn definition_key(node: &Node) -> DefinitionKey {
    let text = |key| field(node, key).and_then(Node::as_str).unwrap_or_default().to_owned();
    DefinitionKey { group: text("group"), version: text("version"), kind: text("kind"), name: text("name") }
}
