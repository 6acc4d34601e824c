//! Relevant kinds of objects.

use std::fmt;

/// Kind of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Version of OpenShift.
    ClusterVersion,
    /// Classic: request for an operator.
    Subscription,
    /// Classic: an installed bundle.
    ClusterServiceVersion,
    /// Classic: watched namespaces of operators, and their upgrade strategy.
    OperatorGroup,
    /// Classic: a catalog.
    CatalogSource,
    /// Classic: a pending installation.
    InstallPlan,
    /// v1: request for an operator, with its installed bundle.
    ClusterExtension,
    /// v1: a catalog.
    ClusterCatalog,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::ClusterVersion,
        Self::Subscription,
        Self::ClusterServiceVersion,
        Self::OperatorGroup,
        Self::CatalogSource,
        Self::InstallPlan,
        Self::ClusterExtension,
        Self::ClusterCatalog,
    ];

    /// Returns the value of `kind`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClusterVersion => "ClusterVersion",
            Self::Subscription => "Subscription",
            Self::ClusterServiceVersion => "ClusterServiceVersion",
            Self::OperatorGroup => "OperatorGroup",
            Self::CatalogSource => "CatalogSource",
            Self::InstallPlan => "InstallPlan",
            Self::ClusterExtension => "ClusterExtension",
            Self::ClusterCatalog => "ClusterCatalog",
        }
    }

    /// Returns the API group. Other groups have kinds with the same names, such as Knative's `Subscription`.
    pub const fn group(self) -> &'static str {
        match self {
            Self::ClusterVersion => "config.openshift.io",
            Self::ClusterExtension | Self::ClusterCatalog => "olm.operatorframework.io",
            _ => "operators.coreos.com",
        }
    }

    /// Returns the kind of an object.
    pub(super) fn from_type_meta(api_version: &str, kind: &str) -> Option<Self> {
        let (group, _) = api_version.split_once('/')?;
        Self::ALL.into_iter().find(|known| known.as_str() == kind && known.group() == group)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
