//! Model of a cluster: its installed operators, version, catalogs and operator groups.

use std::sync::Arc;

use super::{Condition, ConditionKind, Kind, Location, Note, operators::Fields};
use olm_catalog::{BundleName, ChannelName, PackageName, redact::redact};
use olm_upgrade::{
    Engine, Installed,
    cluster::{CatalogProperties, InstalledMetadata, LabelSelector},
    openshift::OpenShift,
    resolve::SourceKey,
    v1::Query,
};
use olm_version::VersionRelease;

/// Cluster with its operators and catalogs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Cluster {
    /// OpenShift version; `None` if unknown, or for another Kubernetes.
    pub version: Option<ClusterVersion>,
    /// Installed and requested operators, sorted by package, namespace and name.
    pub operators: Vec<Operator>,
    /// Catalogs of OLM Classic.
    pub catalogs: Vec<CatalogOnCluster>,
    /// Catalogs of OLM v1.
    pub extension_catalogs: Vec<ExtensionCatalog>,
    /// Operator groups.
    pub groups: Vec<OperatorGroup>,
    /// Kinds of objects in the files.
    pub kinds: Vec<Kind>,
    /// Mistakes in the files.
    pub notes: Vec<Note>,
    /// Names of the files.
    pub files: Vec<Arc<str>>,
}

/// Installed or requested operator.
#[derive(Clone, PartialEq, Debug)]
pub struct Operator {
    /// Name of the package; `None` if unknown.
    pub package: Option<PackageName>,
    /// Namespace of the operator.
    pub namespace: String,
    /// Name of its `Subscription` or `ClusterExtension`; else of its `ClusterServiceVersion`.
    pub name: String,
    /// Request for the operator.
    pub request: OperatorRequest,
    /// Installed bundle, if there is one.
    pub installed: Option<InstalledBundle>,
    /// Conditions that are relevant for upgrades.
    pub conditions: Vec<Condition>,
    /// Location of the object.
    pub place: Location,
}

/// Request for an operator.
#[derive(Clone, PartialEq, Debug)]
pub enum OperatorRequest {
    /// OLM Classic: a `Subscription`.
    Subscription(SubscriptionRequest),
    /// OLM Classic: no request. The `ClusterServiceVersion` was created directly or as a
    /// dependency, and is not upgraded.
    Nothing,
    /// OLM v1: a `ClusterExtension`.
    Extension {
        /// Channels, version and policy.
        query: Query,
        /// Selector of catalogs.
        selector: LabelSelector,
    },
}

/// Request of a `Subscription`, with the progress of OLM Classic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubscriptionRequest {
    /// `spec.channel`; the default channel if it is `None`.
    pub channel: Option<ChannelName>,
    /// `spec.source` and `spec.sourceNamespace`
    pub source: SourceKey,
    /// `spec.startingCSV`
    pub starting_csv: Option<BundleName>,
    /// `spec.installPlanApproval`
    pub approval: Approval,
    /// `status.currentCSV`: the installed or pending bundle.
    pub current: Option<BundleName>,
    /// `status.state`, such as `UpgradePending`; empty if unknown.
    pub state: String,
    /// Name of the `InstallPlan` that waits for approval.
    pub waits_for: Option<String>,
}

/// Approval policy for upgrades.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Approval {
    /// Upgrades do not need approval.
    #[default]
    Automatic,
    /// Each install plan waits for approval.
    Manual,
}

impl Approval {
    /// Returns the value of `installPlanApproval`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Automatic => "Automatic",
            Self::Manual => "Manual",
        }
    }
}

/// Installed bundle.
#[derive(Clone, PartialEq, Debug)]
pub struct InstalledBundle {
    /// Name of the bundle.
    pub name: BundleName,
    /// Version, if the cluster has it.
    pub version: Option<VersionRelease>,
    /// v1: version as written; empty if the cluster does not have it.
    pub version_text: String,
    /// Classic: phase of its `ClusterServiceVersion`; empty if that is not in the files.
    pub phase: String,
    /// Classic: reason of the phase.
    pub reason: String,
    /// Classic: `spec.replaces`
    pub replaces: Option<BundleName>,
    /// Classic: relevant properties, as type and JSON text.
    pub properties: Vec<(String, String)>,
}

impl InstalledBundle {
    /// Creates a bundle with only a name.
    pub fn from_name(name: BundleName) -> Self {
        Self {
            name,
            version: None,
            version_text: String::new(),
            phase: String::new(),
            reason: String::new(),
            replaces: None,
            properties: Vec::new(),
        }
    }

    /// Returns the bundle as resolver input.
    pub fn to_installed(&self) -> Installed {
        Installed { name: self.name.clone(), version: self.version.clone() }
    }

    /// Returns the bundle as OLM v1 sees it: with the version as text.
    pub fn to_metadata(&self) -> InstalledMetadata {
        InstalledMetadata { name: self.name.clone(), version: self.version_text.clone() }
    }
}

impl Operator {
    /// Returns the OLM version that manages the operator.
    pub fn engine(&self) -> Engine {
        match self.request {
            OperatorRequest::Subscription(_) | OperatorRequest::Nothing => Engine::Classic,
            OperatorRequest::Extension { .. } => Engine::V1,
        }
    }

    /// Returns the subscribed channel, or the channels of the extension.
    pub fn requested_channels(&self) -> &[ChannelName] {
        match &self.request {
            OperatorRequest::Subscription(asks) => asks.channel.as_slice(),
            OperatorRequest::Nothing => &[],
            OperatorRequest::Extension { query, .. } => &query.channels,
        }
    }

    /// Returns the request of its `Subscription`.
    pub fn subscription(&self) -> Option<&SubscriptionRequest> {
        match &self.request {
            OperatorRequest::Subscription(asks) => Some(asks),
            _ => None,
        }
    }

    /// Returns the request of its `ClusterExtension`.
    pub fn query(&self) -> Option<&Query> {
        match &self.request {
            OperatorRequest::Extension { query, .. } => Some(query),
            _ => None,
        }
    }

    /// Returns a condition.
    pub fn condition(&self, kind: ConditionKind) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.kind == kind)
    }

    /// Returns the kind and name of the requesting object, for messages.
    pub fn request_label(&self) -> String {
        let kind = match self.request {
            OperatorRequest::Subscription(_) => Kind::Subscription,
            OperatorRequest::Nothing => Kind::ClusterServiceVersion,
            OperatorRequest::Extension { .. } => return format!("{} {}", Kind::ClusterExtension, self.name),
        };
        format!("{kind} {}/{}", self.namespace, self.name)
    }
}

impl Cluster {
    /// Returns the OpenShift version.
    pub fn openshift(&self) -> Option<OpenShift> {
        self.version.as_ref()?.openshift
    }

    /// Iterates over the operators of a package.
    pub fn operators_of<'c>(&'c self, package: &'c PackageName) -> impl Iterator<Item = &'c Operator> {
        self.operators.iter().filter(move |operator| operator.package.as_ref() == Some(package))
    }

    /// Iterates over the operators with an installed bundle of a package.
    pub fn operators_with_bundle<'c>(
        &'c self,
        package: &'c PackageName,
        bundle: &'c BundleName,
    ) -> impl Iterator<Item = &'c Operator> {
        let is_it = move |operator: &&Operator| {
            operator.installed.as_ref().is_some_and(|installed| installed.name == *bundle)
        };
        self.operators_of(package).filter(is_it)
    }

    /// Returns the operator group of a namespace.
    pub fn operator_group(&self, namespace: &str) -> Option<&OperatorGroup> {
        self.groups.iter().find(|group| group.namespace == namespace)
    }
}

/// Annotation that excludes the global catalogs from the namespace (`operator-framework/api`,
/// `pkg/operators/v1/operatorgroup_types.go`).
const EXCLUDES_GLOBAL: &str = "olm.operatorframework.io/exclude-global-namespace-resolution";

/// Upgrade strategy that continues after a failed upgrade.
const FAIL_FORWARD: &str = "TechPreviewUnsafeFailForward";

/// Version of OpenShift.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClusterVersion {
    /// Last completely installed version, as written.
    pub version: String,
    /// Minor version.
    pub openshift: Option<OpenShift>,
    /// Target version of a running update.
    pub updating_to: Option<String>,
    /// `spec.channel`
    pub channel: Option<String>,
    /// Condition for an update to the next minor version.
    pub upgradeable: Option<Condition>,
    /// Location of the object.
    pub place: Location,
}

/// `CatalogSource` object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CatalogOnCluster {
    /// Name and namespace.
    pub key: SourceKey,
    /// Image of the catalog.
    pub image: Option<String>,
    /// Priority; higher values come first.
    pub priority: i64,
    /// Last observed connection state, such as `READY`; empty if unknown.
    pub state: String,
    /// Location of the object.
    pub place: Location,
}

/// `ClusterCatalog` object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtensionCatalog {
    /// Name of the catalog.
    pub name: String,
    /// Image of the catalog.
    pub image: Option<String>,
    /// Priority; higher values come first.
    pub priority: i64,
    /// True if bundles of the catalog may be installed.
    pub available: bool,
    /// Labels, which extensions select by.
    pub labels: Vec<(String, String)>,
    /// Location of the object.
    pub place: Location,
}

/// `OperatorGroup` object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperatorGroup {
    /// Namespace of the group.
    pub namespace: String,
    /// Name of the group.
    pub name: String,
    /// Watched namespaces; all if the list is empty and there is no selector.
    pub targets: Vec<String>,
    /// True if a selector chooses the namespaces.
    pub selects: bool,
    /// True if upgrades continue after a failed upgrade.
    pub fails_forward: bool,
    /// True if the namespace ignores the global catalogs.
    pub excludes_global: bool,
    /// Location of the object.
    pub place: Location,
}

impl ClusterVersion {
    /// Parses the version. The newest complete version is the current version; a newer incomplete version is
    /// the target.
    pub(super) fn from_fields(fields: &Fields<'_>, place: Location) -> Option<Self> {
        let history = fields.objects_at(&["status", "history"]);
        let state = |one: &Fields<'_>| one.text_at(&["state"]).unwrap_or_default();
        let version = |one: &Fields<'_>| one.text_at(&["version"]);
        let complete = history.iter().find(|one| state(one) == "Completed").and_then(version);
        let newest = history.first().filter(|one| state(one) != "Completed").and_then(version);
        let (version, updating_to) = match (complete, newest) {
            (Some(complete), newest) => (complete, newest),
            // The cluster is being installed.
            (None, Some(newest)) => (newest, None),
            (None, None) => (fields.text_at(&["status", "desired", "version"])?, None),
        };
        Some(Self {
            openshift: OpenShift::parse(&version).ok(),
            version,
            updating_to,
            channel: fields.text_at(&["spec", "channel"]),
            upgradeable: Condition::from_status(fields)
                .into_iter()
                .find(|condition| condition.kind == ConditionKind::Upgradeable),
            place,
        })
    }
}

impl CatalogOnCluster {
    pub(super) fn from_fields(fields: &Fields<'_>, key: SourceKey, place: Location) -> Self {
        Self {
            key,
            image: fields.text_at(&["spec", "image"]).map(|image| redact_secrets(&image)),
            priority: fields.integer_at(&["spec", "priority"]).unwrap_or_default(),
            state: fields.text_at(&["status", "connectionState", "lastObservedState"]).unwrap_or_default(),
            place,
        }
    }
}

impl ExtensionCatalog {
    /// Returns the properties that OLM v1 uses. A priority beyond 32 bits, which Kubernetes rejects, is the nearest.
    pub fn to_properties(&self) -> CatalogProperties {
        let nearest = if self.priority < 0 { i32::MIN } else { i32::MAX };
        CatalogProperties {
            name: self.name.clone(),
            priority: i32::try_from(self.priority).unwrap_or(nearest),
            labels: self.labels.iter().cloned().collect(),
            is_available: self.available,
        }
    }

    pub(super) fn from_fields(fields: &Fields<'_>, name: String, place: Location) -> Self {
        Self {
            name,
            image: fields.text_at(&["spec", "source", "image", "ref"]).map(|image| redact_secrets(&image)),
            priority: fields.integer_at(&["spec", "priority"]).unwrap_or_default(),
            available: fields.text_at(&["spec", "availabilityMode"]).as_deref() != Some("Unavailable"),
            labels: fields.pairs_at(&["metadata", "labels"]),
            place,
        }
    }
}

impl OperatorGroup {
    pub(super) fn from_fields(fields: &Fields<'_>, namespace: String, name: String, place: Location) -> Self {
        let excludes = fields.text_at(&["metadata", "annotations", EXCLUDES_GLOBAL]);
        Self {
            namespace,
            name,
            targets: fields.texts_at(&["spec", "targetNamespaces"]),
            selects: fields.value_at(&["spec", "selector"]).is_some_and(|node| !node.members().is_empty()),
            fails_forward: fields.text_at(&["spec", "upgradeStrategy"]).as_deref() == Some(FAIL_FORWARD),
            excludes_global: excludes.as_deref() == Some("true"),
            place,
        }
    }
}

/// Removes passwords and tokens from a text: `https://user:PASSWORD@host`, `user:PASSWORD@host/image`,
/// `Bearer TOKEN`, `Basic TOKEN`.
pub(super) fn redact_secrets(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut is_token = false;
    for word in text.split(' ') {
        if is_token && !word.is_empty() {
            words.push("***".to_owned());
            is_token = false;
            continue;
        }
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        is_token = is_token || bare.eq_ignore_ascii_case("bearer") || bare.eq_ignore_ascii_case("basic");
        words.push(redact(word).into_owned());
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_passwords_and_tokens_but_keeps_references() {
        let digest = format!("quay.io:443/a/b:v1@sha256:{}", "a".repeat(64));
        for (text, expected) in [
            ("GET https://user:secret@host/v2/: 401", "GET https://***@host/v2/: 401"),
            ("user:secret@quay.io/a/b:v1", "***@quay.io/a/b:v1"),
            ("sent Authorization: Bearer abc.def and more", "sent Authorization: Bearer *** and more"),
            ("\"Basic dXNlcg==\" was refused", "\"Basic *** was refused"),
            ("me@example.com", "me@example.com"),
            (&digest, &digest),
            ("nothing  here", "nothing  here"),
        ] {
            assert_eq!(redact_secrets(text), expected);
        }
    }
}
