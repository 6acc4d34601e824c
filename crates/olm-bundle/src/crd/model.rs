//! A CRD with the parts that the upgrade checks use.
//!
//! Source: operator-controller, `internal/operator-controller/rukpak/preflights/crdupgradesafety`: scope,
//! versions with their schemas, the conversion strategy, `status.storedVersions`. Other parts are ignored.

use std::{borrow::Cow, sync::Arc};

use super::{CrdLocation, SourceText};
use crate::{
    field_access::{is_true_at, items_at, node_at, text_at},
    registry::CRD_KIND,
};
use olm_catalog::{Node, Span};

/// API group of CRDs.
const GROUP: &str = "apiextensions.k8s.io/";

/// API version of a CRD.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrdApi {
    /// `apiextensions.k8s.io/v1`.
    V1,
    /// `apiextensions.k8s.io/v1beta1`, which Kubernetes 1.22 removed and OLM v1 ignores.
    V1beta1,
}

/// A CRD with its location.
#[derive(Debug)]
pub struct Crd<'a> {
    node: Node<'a>,
    api: CrdApi,
    source: Arc<SourceText<'a>>,
    start: usize,
}

/// A version of a CRD.
#[derive(Clone, Debug)]
pub struct CrdVersion<'n> {
    /// Name, such as `v1alpha1`.
    pub name: Cow<'n, str>,
    /// True if resources can be read and written in it.
    pub is_served: bool,
    /// True if resources are stored in it.
    pub is_stored: bool,
    /// Schema, if any.
    pub schema: Option<&'n Node<'n>>,
    /// Span in the document.
    pub(super) span: Span,
}

impl<'a> Crd<'a> {
    /// Interprets a document as a CRD, if it is one. `start` is the offset of the document in its file.
    pub fn from_node(node: Node<'a>, ground: Arc<SourceText<'a>>, start: usize) -> Option<Self> {
        if text_at(&node, &["kind"]) != CRD_KIND {
            return None;
        }
        let api = match text_at(&node, &["apiVersion"]).strip_prefix(GROUP) {
            Some("v1") => CrdApi::V1,
            Some("v1beta1") => CrdApi::V1beta1,
            _ => return None,
        };
        Some(Self { node, api, source: ground, start })
    }

    /// Returns `metadata.name`, such as `widgets.example.com`.
    pub fn name(&self) -> Cow<'_, str> {
        text_at(&self.node, &["metadata", "name"])
    }

    /// Returns the API version.
    pub fn api(&self) -> CrdApi {
        self.api
    }

    /// Returns `spec.group`.
    pub fn group(&self) -> Cow<'_, str> {
        text_at(&self.node, &["spec", "group"])
    }

    /// Returns `spec.names.kind`.
    pub fn kind(&self) -> Cow<'_, str> {
        text_at(&self.node, &["spec", "names", "kind"])
    }

    /// Returns `spec.scope`; in the old API, `Namespaced` if absent.
    pub fn scope(&self) -> Cow<'_, str> {
        match text_at(&self.node, &["spec", "scope"]) {
            scope if scope.is_empty() && self.api == CrdApi::V1beta1 => "Namespaced".into(),
            scope => scope,
        }
    }

    /// Returns true if a webhook converts between versions.
    pub fn converts_by_webhook(&self) -> bool {
        text_at(&self.node, &["spec", "conversion", "strategy"]) == "Webhook"
    }

    /// Returns the versions in order.
    pub fn versions(&self) -> Vec<CrdVersion<'_>> {
        let is_old = self.api == CrdApi::V1beta1;
        // In the old API, a common schema is outside of the versions.
        let common = node_at(&self.node, &["spec", "validation", "openAPIV3Schema"]).filter(|_| is_old);
        let versions = items_at(&self.node, &["spec", "versions"]).iter().map(|version| CrdVersion {
            name: text_at(version, &["name"]),
            is_served: is_true_at(version, &["served"]),
            is_stored: is_true_at(version, &["storage"]),
            schema: node_at(version, &["schema", "openAPIV3Schema"]).or(common),
            span: version.span,
        });
        let versions: Vec<_> = versions.collect();
        let only = text_at(&self.node, &["spec", "version"]);
        if !is_old || !versions.is_empty() || only.is_empty() {
            return versions;
        }
        let span = node_at(&self.node, &["spec"]).unwrap_or(&self.node).span;
        vec![CrdVersion { name: only, is_served: true, is_stored: true, schema: common, span }]
    }

    /// Returns the versions in which objects may be stored: `status.storedVersions`, or the storage version if
    /// that is empty, as in bundles. The preflight of OLM v1 does the same.
    pub fn stored_versions(&self) -> Vec<String> {
        let stated = items_at(&self.node, &["status", "storedVersions"]);
        if !stated.is_empty() {
            return stated.iter().map(|name| text_at(name, &[]).into_owned()).collect();
        }
        let stored = self.versions().into_iter().filter(|version| version.is_stored);
        stored.map(|version| version.name.into_owned()).collect()
    }

    /// Returns true if two CRDs have the same content.
    pub fn has_same_content(&self, other: &Crd) -> bool {
        self.node.has_same_value(&other.node)
    }

    /// Returns the location of its first byte.
    pub fn location(&self) -> Option<CrdLocation> {
        self.location_of(self.node.span)
    }

    pub(super) fn location_of(&self, span: Span) -> Option<CrdLocation> {
        self.source.location_of_span(self.start, span)
    }

    /// Returns the document.
    pub(crate) fn node(&self) -> &Node<'a> {
        &self.node
    }

    /// Returns the location of a field, or of the CRD if it does not have the field.
    pub(crate) fn location_at(&self, path: &[&str]) -> Option<CrdLocation> {
        self.location_of(node_at(&self.node, path).unwrap_or(&self.node).span)
    }
}
