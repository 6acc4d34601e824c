//! A CRD as the checks of an upgrade see it.
//!
//! Source: operator-controller, `internal/operator-controller/rukpak/preflights/crdupgradesafety`: scope, versions with their
//! schemas, the strategy of conversion, `status.storedVersions`. Nothing else of a CRD is looked at.

use std::{borrow::Cow, sync::Arc};

use super::place::{Ground, Place};
use crate::{
    bundle::{
        read::{at, items, text, truth},
        registry::CRD_KIND,
    },
    catalog::{Node, Span},
};

/// The group of CRDs.
const GROUP: &str = "apiextensions.k8s.io/";

/// Which of the two APIs of Kubernetes a CRD is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrdApi {
    /// `apiextensions.k8s.io/v1`.
    V1,
    /// `apiextensions.k8s.io/v1beta1`, which Kubernetes 1.22 removed and OLM v1 passes over.
    V1beta1,
}

/// A CRD and where it stands.
#[derive(Debug)]
pub struct Crd<'a> {
    node: Node<'a>,
    api: CrdApi,
    ground: Arc<Ground<'a>>,
    start: usize,
}

/// A version of a CRD.
#[derive(Clone, Debug)]
pub struct CrdVersion<'n> {
    /// `v1alpha1`.
    pub name: Cow<'n, str>,
    /// Whether resources can be read and written in it.
    pub is_served: bool,
    /// Whether resources are stored in it.
    pub is_stored: bool,
    /// Its schema; none where nothing is said.
    pub schema: Option<&'n Node<'n>>,
    /// Where it stands, in the document.
    pub(super) span: Span,
}

impl<'a> Crd<'a> {
    /// A document as a CRD, if it is one. `start`: where the document begins in its file.
    pub fn read(node: Node<'a>, ground: Arc<Ground<'a>>, start: usize) -> Option<Self> {
        if text(&node, &["kind"]) != CRD_KIND {
            return None;
        }
        let api = match text(&node, &["apiVersion"]).strip_prefix(GROUP) {
            Some("v1") => CrdApi::V1,
            Some("v1beta1") => CrdApi::V1beta1,
            _ => return None,
        };
        Some(Self { node, api, ground, start })
    }

    /// `metadata.name`: `widgets.example.com`.
    pub fn name(&self) -> Cow<'_, str> {
        text(&self.node, &["metadata", "name"])
    }

    /// The API it is written in.
    pub fn api(&self) -> CrdApi {
        self.api
    }

    /// `spec.group`.
    pub fn group(&self) -> Cow<'_, str> {
        text(&self.node, &["spec", "group"])
    }

    /// `spec.names.kind`.
    pub fn kind(&self) -> Cow<'_, str> {
        text(&self.node, &["spec", "names", "kind"])
    }

    /// `spec.scope`; the old API takes it for `Namespaced` where nothing is said.
    pub fn scope(&self) -> Cow<'_, str> {
        match text(&self.node, &["spec", "scope"]) {
            scope if scope.is_empty() && self.api == CrdApi::V1beta1 => "Namespaced".into(),
            scope => scope,
        }
    }

    /// Whether a webhook turns versions into each other.
    pub fn converts_by_webhook(&self) -> bool {
        text(&self.node, &["spec", "conversion", "strategy"]) == "Webhook"
    }

    /// The versions, in the order given.
    pub fn versions(&self) -> Vec<CrdVersion<'_>> {
        let is_old = self.api == CrdApi::V1beta1;
        // In the old API what all versions have in common stands above them.
        let common = at(&self.node, &["spec", "validation", "openAPIV3Schema"]).filter(|_| is_old);
        let versions = items(&self.node, &["spec", "versions"]).iter().map(|version| CrdVersion {
            name: text(version, &["name"]),
            is_served: truth(version, &["served"]),
            is_stored: truth(version, &["storage"]),
            schema: at(version, &["schema", "openAPIV3Schema"]).or(common),
            span: version.span,
        });
        let versions: Vec<_> = versions.collect();
        let only = text(&self.node, &["spec", "version"]);
        if !is_old || !versions.is_empty() || only.is_empty() {
            return versions;
        }
        let span = at(&self.node, &["spec"]).unwrap_or(&self.node).span;
        vec![CrdVersion { name: only, is_served: true, is_stored: true, schema: common, span }]
    }

    /// The versions that objects may be stored in: `status.storedVersions`, or the storage version where that is empty, as it
    /// is in bundles: the preflight of OLM v1 counts so too.
    pub fn stored_versions(&self) -> Vec<String> {
        let stated = items(&self.node, &["status", "storedVersions"]);
        if !stated.is_empty() {
            return stated.iter().map(|name| text(name, &[]).into_owned()).collect();
        }
        let stored = self.versions().into_iter().filter(|version| version.is_stored);
        stored.map(|version| version.name.into_owned()).collect()
    }

    /// Whether two CRDs say the same, wherever they stand.
    pub fn is_same(&self, other: &Crd) -> bool {
        self.node.same_meaning(&other.node)
    }

    /// Returns the location of its first byte.
    pub fn place(&self) -> Option<Place> {
        self.place_of(self.node.span)
    }

    pub(super) fn place_of(&self, span: Span) -> Option<Place> {
        self.ground.of(self.start, span)
    }

    /// The document.
    pub(crate) fn node(&self) -> &Node<'a> {
        &self.node
    }

    /// Returns the location of a field, or of the CRD if it does not have the field.
    pub(in crate::bundle) fn place_at(&self, path: &[&str]) -> Option<Place> {
        self.place_of(at(&self.node, path).unwrap_or(&self.node).span)
    }
}
