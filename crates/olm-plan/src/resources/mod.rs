//! Custom resources to install a version.
//!
//! OLM v1 uses a `ClusterExtension`. OLM Classic uses a `Subscription` with a matching `OperatorGroup`. This
//! module only creates the resources. It does not apply them.
//!
//! Sources: `operator-controller` `api/v1/clusterextension_types.go` (1.x), `operator-framework/api`
//! `pkg/operators/v1alpha1/subscription_types.go` and `pkg/operators/v1/operatorgroup_types.go`.

mod classic;
mod name;
mod sequence;
mod tree;
mod v1;

#[cfg(test)]
mod tests;

use crate::cluster::Approval;
use olm_catalog::{BundleName, ChannelName, Node, PackageName};
use olm_upgrade::{Engine, PackageGraph, ResolveError, resolve::SourceKey};
use olm_version::VersionRelease;

pub use sequence::{InstallStep, install_steps};

/// Version to install.
#[derive(Clone, PartialEq, Debug)]
pub struct InstallTarget {
    /// The OLM engine.
    pub engine: Engine,
    /// The name of the package.
    pub package: PackageName,
    /// The channel. Optional in OLM v1.
    pub channel: Option<ChannelName>,
    /// The bundle to install.
    pub bundle: BundleName,
    /// The version of the bundle.
    pub version: Option<VersionRelease>,
}

/// Options for the resources. Unset options have defaults based on the package.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ResourceOptions {
    /// The name of the `Subscription` or `ClusterExtension`. The default is the package name.
    pub name: Option<String>,
    /// The namespace of the operator. The default is the package name.
    pub namespace: Option<String>,
    /// The namespaces that the operator watches, in OLM Classic.
    pub watch: Vec<String>,
    /// True if the namespace already has an `OperatorGroup`, in OLM Classic. A second one stops all
    /// operators in the namespace.
    pub has_group: bool,
    /// The `CatalogSource`, in OLM Classic.
    pub source: Option<SourceKey>,
    /// The `installPlanApproval`, in OLM Classic. The default is `Manual`.
    pub approval: Option<Approval>,
    /// The service account of the installation, in OLM v1. The default is the extension name with `-installer`.
    pub service_account: Option<String>,
}

/// Custom resources in the order in which to apply them.
#[derive(Debug)]
pub struct Resources {
    /// The objects.
    pub objects: Vec<Node<'static>>,
    /// The remarks to read before applying them.
    pub remarks: Vec<ResourceNote>,
}

/// Remark about the resources.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourceNote {
    /// True if OLM does not install the resources as they are.
    pub refuses: bool,
    /// The text of the remark.
    pub text: String,
}

/// The reason why the resources cannot be created.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ResourceError {
    /// The API of the object does not accept a name.
    #[error("{field} {name:?} is not a {form}")]
    Name {
        /// The field.
        field: &'static str,
        /// The name.
        name: String,
        /// The required form.
        form: &'static str,
    },
    /// No channel has the bundle, in OLM Classic.
    #[error("no channel has {0}, so a Subscription cannot install it")]
    NoChannel(BundleName),
    /// The channel does not install the bundle, in OLM Classic.
    #[error("OLM Classic does not install {bundle} from channel {channel}: {why}")]
    NotInstalled {
        /// The bundle that is not installed.
        bundle: BundleName,
        /// The channel of the Subscription.
        channel: ChannelName,
        /// The reason.
        why: ResolveError,
    },
    /// The operator does not support the target namespaces, in OLM Classic.
    #[error("{bundle} does not support {mode}; it supports {supported}")]
    InstallMode {
        /// The bundle of the operator.
        bundle: BundleName,
        /// The required install mode.
        mode: &'static str,
        /// The supported install modes.
        supported: String,
    },
    /// The operator does not support all namespaces or its own, and no namespaces are given, in OLM Classic.
    #[error("{0} watches chosen namespaces only, and none is given")]
    NoTargets(BundleName),
    /// The bundle does not have a version to pin, in OLM v1.
    #[error("{0} has no version that can be pinned")]
    NoVersion(BundleName),
    /// The version is longer than the API allows, in OLM v1.
    #[error("the version of {0} is longer than 64 characters, which a ClusterExtension does not take")]
    LongVersion(BundleName),
}

impl ResourceError {
    /// Returns a suggestion how to solve the problem.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoTargets(_) => Some("say which with --watch NAMESPACE"),
            Self::InstallMode { .. } => {
                Some("--watch chooses the namespaces it watches, --namespace where it is")
            }
            Self::Name { field: "channel", .. } => {
                Some("OLM v1 needs no channel: without --channel the pinned version is taken from any")
            }
            _ => None,
        }
    }
}

/// Information about the bundle to install.
#[derive(Clone, Copy, Debug)]
pub struct BundleInformation<'a> {
    /// The upgrade graph of the package.
    pub graph: &'a PackageGraph,
    /// The supported install modes. Empty if unknown.
    pub install_modes: &'a [String],
}

/// Creates the resources to install a version. With `known`, it also checks that OLM installs the bundle.
///
/// # Errors
///
/// Returns an error if no resource of the engine can install the bundle.
pub fn create_resources(
    stop: &InstallTarget,
    known: Option<BundleInformation<'_>>,
    choices: &ResourceOptions,
) -> Result<Resources, ResourceError> {
    match stop.engine {
        Engine::Classic => classic::classic_resources(stop, known, choices),
        Engine::V1 => v1::extension_resources(stop, known, choices),
    }
}
