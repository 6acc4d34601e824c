//! Objects beside the operators: the cluster's version, catalogs and operator groups, as far as they are kept.

use super::{Condition, ConditionKind, Place, fields::Fields, redact::redacted};
use crate::{resolve::SourceKey, upgrade::openshift::OpenShift};

/// Excludes the global catalogs from the namespace (`operator-framework/api`, `pkg/operators/v1/operatorgroup_types.go`).
const EXCLUDES_GLOBAL: &str = "olm.operatorframework.io/exclude-global-namespace-resolution";
/// The upgrade strategy that goes on after a failed upgrade.
const FAIL_FORWARD: &str = "TechPreviewUnsafeFailForward";

/// The version of OpenShift.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClusterVersion {
    /// The version that was installed last, as written.
    pub version: String,
    /// Its minor version.
    pub openshift: Option<OpenShift>,
    /// The version that the cluster is being updated to.
    pub updating_to: Option<String>,
    /// `spec.channel`
    pub channel: Option<String>,
    /// Whether it may go to the next minor version.
    pub upgradeable: Option<Condition>,
    /// Where it stands.
    pub place: Place,
}

/// A `CatalogSource`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CatalogOnCluster {
    /// Its name and namespace.
    pub key: SourceKey,
    /// Its image.
    pub image: Option<String>,
    /// The higher comes first.
    pub priority: i64,
    /// What OLM last saw of its connection, such as `READY`; empty where nobody knows.
    pub state: String,
    /// Where it stands.
    pub place: Place,
}

/// A `ClusterCatalog`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtensionCatalog {
    /// Its name.
    pub name: String,
    /// Its image.
    pub image: Option<String>,
    /// The higher comes first.
    pub priority: i64,
    /// Whether it may be installed from.
    pub available: bool,
    /// Its labels, which extensions select by.
    pub labels: Vec<(String, String)>,
    /// Where it stands.
    pub place: Place,
}

/// An `OperatorGroup`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperatorGroup {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The namespaces that operators watch; all where there are none and no selector.
    pub targets: Vec<String>,
    /// Whether a selector chooses the namespaces.
    pub selects: bool,
    /// Whether upgrades go on after one has failed.
    pub fails_forward: bool,
    /// Whether the global catalogs do not count in the namespace.
    pub excludes_global: bool,
    /// Where it stands.
    pub place: Place,
}

impl ClusterVersion {
    /// The newest version that is complete is what the cluster has; a newer one that is not, where it goes.
    pub(super) fn of(fields: &Fields<'_>, place: Place) -> Option<Self> {
        let history = fields.objects(&["status", "history"]);
        let state = |one: &Fields<'_>| one.text(&["state"]).unwrap_or_default();
        let version = |one: &Fields<'_>| one.text(&["version"]);
        let complete = history.iter().find(|one| state(one) == "Completed").and_then(version);
        let newest = history.first().filter(|one| state(one) != "Completed").and_then(version);
        let (version, updating_to) = match (complete, newest) {
            (Some(complete), newest) => (complete, newest),
            // It is being installed.
            (None, Some(newest)) => (newest, None),
            (None, None) => (fields.text(&["status", "desired", "version"])?, None),
        };
        Some(Self {
            openshift: OpenShift::parse(&version).ok(),
            version,
            updating_to,
            channel: fields.text(&["spec", "channel"]),
            upgradeable: Condition::all(fields)
                .into_iter()
                .find(|condition| condition.kind == ConditionKind::Upgradeable),
            place,
        })
    }
}

impl CatalogOnCluster {
    pub(super) fn of(fields: &Fields<'_>, key: SourceKey, place: Place) -> Self {
        Self {
            key,
            image: fields.text(&["spec", "image"]).map(|image| redacted(&image)),
            priority: fields.number(&["spec", "priority"]).unwrap_or_default(),
            state: fields.text(&["status", "connectionState", "lastObservedState"]).unwrap_or_default(),
            place,
        }
    }
}

impl ExtensionCatalog {
    pub(super) fn of(fields: &Fields<'_>, name: String, place: Place) -> Self {
        Self {
            name,
            image: fields.text(&["spec", "source", "image", "ref"]).map(|image| redacted(&image)),
            priority: fields.number(&["spec", "priority"]).unwrap_or_default(),
            available: fields.text(&["spec", "availabilityMode"]).as_deref() != Some("Unavailable"),
            labels: fields.pairs(&["metadata", "labels"]),
            place,
        }
    }
}

impl OperatorGroup {
    pub(super) fn of(fields: &Fields<'_>, namespace: String, name: String, place: Place) -> Self {
        let excludes = fields.text(&["metadata", "annotations", EXCLUDES_GLOBAL]);
        Self {
            namespace,
            name,
            targets: fields.texts(&["spec", "targetNamespaces"]),
            selects: fields.at(&["spec", "selector"]).is_some_and(|node| !node.members().is_empty()),
            fails_forward: fields.text(&["spec", "upgradeStrategy"]).as_deref() == Some(FAIL_FORWARD),
            excludes_global: excludes.as_deref() == Some("true"),
            place,
        }
    }
}
