//! What a cluster says is installed.

use std::sync::Arc;

use super::{
    Condition, ConditionKind, Kind, Note, Place,
    objects::{CatalogOnCluster, ClusterVersion, ExtensionCatalog, OperatorGroup},
};
use crate::{
    catalog::{BundleName, ChannelName, PackageName},
    resolve::SourceKey,
    upgrade::{Engine, Installed, openshift::OpenShift, v1::Query},
    version::VersionRelease,
};

/// A cluster.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Cluster {
    /// Its OpenShift version; nothing where the files do not say, or it is another Kubernetes.
    pub version: Option<ClusterVersion>,
    /// What is installed, and what somebody wants installed, by package, namespace and name.
    pub operators: Vec<Operator>,
    /// The catalogs of OLM Classic.
    pub catalogs: Vec<CatalogOnCluster>,
    /// The catalogs of OLM v1.
    pub extension_catalogs: Vec<ExtensionCatalog>,
    /// The operator groups.
    pub groups: Vec<OperatorGroup>,
    /// Which kinds of objects the files have.
    pub kinds: Vec<Kind>,
    /// What could not be read.
    pub notes: Vec<Note>,
    /// What the files are called.
    pub files: Vec<Arc<str>>,
}

/// An operator that is installed, or that somebody wants.
#[derive(Clone, PartialEq, Debug)]
pub struct Operator {
    /// Its package; nothing where the cluster does not say.
    pub package: Option<PackageName>,
    /// Its namespace.
    pub namespace: String,
    /// The name of its `Subscription` or `ClusterExtension`; without either, of its `ClusterServiceVersion`.
    pub name: String,
    /// What is asked for.
    pub asks: Asks,
    /// What is installed; nothing where nothing is yet.
    pub installed: Option<InstalledBundle>,
    /// The conditions that say something about upgrades.
    pub conditions: Vec<Condition>,
    /// Where it stands.
    pub place: Place,
}

/// Who asks for what.
#[derive(Clone, PartialEq, Debug)]
pub enum Asks {
    /// OLM Classic: a `Subscription`.
    Subscription(SubscriptionAsks),
    /// OLM Classic: nobody; the `ClusterServiceVersion` is there by itself or as a dependency, and is not upgraded.
    Nothing,
    /// OLM v1: a `ClusterExtension`.
    Extension {
        /// Channels, version and policy.
        query: Query,
        /// Labels of the catalogs that count; all catalogs where there are none.
        selector: Vec<(String, String)>,
    },
}

/// What a `Subscription` asks for, and how far OLM Classic is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubscriptionAsks {
    /// `spec.channel`; the default channel where there is none.
    pub channel: Option<ChannelName>,
    /// `spec.source` and `spec.sourceNamespace`
    pub source: SourceKey,
    /// `spec.startingCSV`
    pub starting_csv: Option<BundleName>,
    /// `spec.installPlanApproval`
    pub approval: Approval,
    /// `status.currentCSV`: what is installed or about to be.
    pub current: Option<BundleName>,
    /// `status.state`, such as `UpgradePending`; empty where nobody knows.
    pub state: String,
    /// The `InstallPlan` that waits for approval.
    pub waits_for: Option<String>,
}

/// Whether somebody has to approve each upgrade.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Approval {
    /// Nobody has to.
    #[default]
    Automatic,
    /// Each install plan waits for a person.
    Manual,
}

impl Approval {
    /// As it stands in `installPlanApproval`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Automatic => "Automatic",
            Self::Manual => "Manual",
        }
    }
}

/// An installed bundle.
#[derive(Clone, PartialEq, Debug)]
pub struct InstalledBundle {
    /// Its name.
    pub name: BundleName,
    /// Its version, where the cluster says it.
    pub version: Option<VersionRelease>,
    /// Classic: the phase of its `ClusterServiceVersion`; empty where that is not in the files.
    pub phase: String,
    /// Classic: why it is in that phase.
    pub reason: String,
    /// Classic: `spec.replaces`
    pub replaces: Option<BundleName>,
    /// Classic: the properties that matter to OLM, as type and JSON text.
    pub properties: Vec<(String, String)>,
}

impl InstalledBundle {
    /// One of which only the name is known.
    pub fn named(name: BundleName) -> Self {
        let (phase, reason) = (String::new(), String::new());
        Self { name, version: None, phase, reason, replaces: None, properties: Vec::new() }
    }

    /// As resolvers ask for it.
    pub fn asked(&self) -> Installed {
        Installed { name: self.name.clone(), version: self.version.clone() }
    }
}

impl Operator {
    /// Who upgrades it.
    pub fn engine(&self) -> Engine {
        match self.asks {
            Asks::Subscription(_) | Asks::Nothing => Engine::Classic,
            Asks::Extension { .. } => Engine::V1,
        }
    }

    /// The subscribed channel, or the channels of the extension.
    pub fn channels(&self) -> &[ChannelName] {
        match &self.asks {
            Asks::Subscription(asks) => asks.channel.as_slice(),
            Asks::Nothing => &[],
            Asks::Extension { query, .. } => &query.channels,
        }
    }

    /// What its `Subscription` asks for.
    pub fn subscription(&self) -> Option<&SubscriptionAsks> {
        match &self.asks {
            Asks::Subscription(asks) => Some(asks),
            _ => None,
        }
    }

    /// What its `ClusterExtension` asks for.
    pub fn query(&self) -> Option<&Query> {
        match &self.asks {
            Asks::Extension { query, .. } => Some(query),
            _ => None,
        }
    }

    /// A condition.
    pub fn condition(&self, kind: ConditionKind) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.kind == kind)
    }

    /// The kind and name of the object that asks for it, for people.
    pub fn object(&self) -> String {
        let kind = match self.asks {
            Asks::Subscription(_) => Kind::Subscription,
            Asks::Nothing => Kind::ClusterServiceVersion,
            Asks::Extension { .. } => return format!("{} {}", Kind::ClusterExtension, self.name),
        };
        format!("{kind} {}/{}", self.namespace, self.name)
    }
}

impl Cluster {
    /// Its OpenShift version.
    pub fn openshift(&self) -> Option<OpenShift> {
        self.version.as_ref()?.openshift
    }

    /// The installed operators of a package.
    pub fn of_package<'c>(&'c self, package: &'c PackageName) -> impl Iterator<Item = &'c Operator> {
        self.operators.iter().filter(move |operator| operator.package.as_ref() == Some(package))
    }

    /// Who has a bundle of a package installed.
    pub fn has_installed<'c>(
        &'c self,
        package: &'c PackageName,
        bundle: &'c BundleName,
    ) -> impl Iterator<Item = &'c Operator> {
        let is_it = move |operator: &&Operator| {
            operator.installed.as_ref().is_some_and(|installed| installed.name == *bundle)
        };
        self.of_package(package).filter(is_it)
    }

    /// The operator group of a namespace.
    pub fn group(&self, namespace: &str) -> Option<&OperatorGroup> {
        self.groups.iter().find(|group| group.namespace == namespace)
    }
}
