//! The ClusterServiceVersion, as far as opm looks into it.

use std::borrow::Cow;

use super::{BundleFault, Object, typed};
use crate::{
    bundle::typed::{Reading, check, field, member, text_of},
    catalog::{Node, Value},
};

/// A ClusterServiceVersion of a bundle.
#[derive(Clone, Copy, Debug)]
pub struct Csv<'b, 't> {
    /// The object.
    pub object: &'b Object<'t>,
}

/// An API that a ClusterServiceVersion owns or requires.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DefinitionKey {
    /// Its group; of a CRD it is part of the name.
    pub group: String,
    /// Its version.
    pub version: String,
    /// Its kind.
    pub kind: String,
    /// `plural.group` of a CRD, the plural of an API service.
    pub name: String,
}

impl<'b, 't> Csv<'b, 't> {
    pub(super) fn new(object: &'b Object<'t>) -> Self {
        Self { object }
    }

    /// The whole object.
    pub fn node(self) -> &'b Node<'t> {
        &self.object.document.node
    }

    /// Its name, which is the bundle's.
    pub fn name(self) -> &'b str {
        self.object.name()
    }

    /// `spec`, or nothing.
    pub fn spec(self) -> Option<&'b Node<'t>> {
        field(self.node(), "spec")
    }

    /// A field of `spec`.
    pub fn in_spec(self, key: &str) -> Option<&'b Node<'t>> {
        field(self.spec()?, key)
    }

    /// An annotation.
    pub fn annotation(self, key: &str) -> Option<&'b str> {
        self.node().get("metadata")?.get("annotations")?.get(key)?.as_str()
    }

    /// What opm checks before it looks any further.
    pub(super) fn check_head(self) -> Result<(), BundleFault> {
        typed(self.object, "ClusterServiceVersionMeta")
    }

    /// The owned and the required APIs under a key of `spec`.
    pub(crate) fn definitions(self, key: &str) -> Result<[Vec<DefinitionKey>; 2], BundleFault> {
        // Null is a spec, if an empty one.
        member(self.node(), "spec").ok_or(BundleFault::NoSpec)?;
        let Some(definitions) = self.in_spec(key) else { return Ok([Vec::new(), Vec::new()]) };
        self.fits(definitions, "DefinitionKeys")?;
        let keys = |list: &str| {
            let items = field(definitions, list).map(Node::items).unwrap_or_default();
            items.iter().map(definition_key).collect()
        };
        Ok([keys("owned"), keys("required")])
    }

    /// `spec.version` as it is written.
    pub(in crate::bundle) fn version(self) -> Result<Cow<'b, str>, BundleFault> {
        self.string("version", false)
    }

    /// `spec.release` as it is written: a text or a number.
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

    /// Whether a part of the object fits a type.
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
