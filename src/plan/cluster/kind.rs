//! The kinds of objects that are looked at.

use std::fmt;

/// A kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// OpenShift's version.
    ClusterVersion,
    /// Classic: what somebody wants.
    Subscription,
    /// Classic: what is installed.
    ClusterServiceVersion,
    /// Classic: the namespaces that operators watch, and how they are upgraded.
    OperatorGroup,
    /// Classic: a catalog.
    CatalogSource,
    /// Classic: what is about to be installed.
    InstallPlan,
    /// v1: what somebody wants, and what is installed.
    ClusterExtension,
    /// v1: a catalog.
    ClusterCatalog,
}

impl Kind {
    /// All of them.
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

    /// As it stands in `kind`.
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

    /// The group of its API. Others have kinds of the same names: Knative has a `Subscription` too.
    pub const fn group(self) -> &'static str {
        match self {
            Self::ClusterVersion => "config.openshift.io",
            Self::ClusterExtension | Self::ClusterCatalog => "olm.operatorframework.io",
            _ => "operators.coreos.com",
        }
    }

    /// The kind of an object.
    pub(super) fn of(api_version: &str, kind: &str) -> Option<Self> {
        let (group, _) = api_version.split_once('/')?;
        Self::ALL.into_iter().find(|known| known.as_str() == kind && known.group() == group)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
