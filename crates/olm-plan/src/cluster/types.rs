//! Model of a cluster with its installed operators.

use std::sync::Arc;

use super::{
    Condition, ConditionKind, Kind, Location, Note,
    objects::{CatalogOnCluster, ClusterVersion, ExtensionCatalog, OperatorGroup},
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_upgrade::{Engine, Installed, openshift::OpenShift, resolve::SourceKey, v1::Query};
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
        /// Labels of the selected catalogs; all catalogs if empty.
        selector: Vec<(String, String)>,
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
        let (phase, reason) = (String::new(), String::new());
        Self { name, version: None, phase, reason, replaces: None, properties: Vec::new() }
    }

    /// Returns the bundle as resolver input.
    pub fn to_installed(&self) -> Installed {
        Installed { name: self.name.clone(), version: self.version.clone() }
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
