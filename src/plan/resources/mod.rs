//! The custom resources that have OLM install a version: for OLM v1 a `ClusterExtension`, for OLM Classic a `Subscription` with the
//! `OperatorGroup` that fits the bundle. They are made, never sent anywhere.
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

use crate::{
    catalog::{BundleName, ChannelName, Node, PackageName},
    plan::cluster::Approval,
    resolve::SourceKey,
    upgrade::{Engine, PackageGraph, ResolveError},
    version::VersionRelease,
};

pub use sequence::{Step, sequence};

/// A version that is to be installed.
#[derive(Clone, PartialEq, Debug)]
pub struct Stop {
    /// Who installs it.
    pub engine: Engine,
    /// Its package.
    pub package: PackageName,
    /// Its channel; v1 needs none.
    pub channel: Option<ChannelName>,
    /// The bundle.
    pub bundle: BundleName,
    /// Its version.
    pub version: Option<VersionRelease>,
}

/// What is chosen beside the version. What is not said follows from the package.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    /// What the `Subscription` or `ClusterExtension` is called: like the package.
    pub name: Option<String>,
    /// Where it is installed: a namespace that is called like the package.
    pub namespace: Option<String>,
    /// Classic: the namespaces that the operator watches.
    pub watch: Vec<String>,
    /// Classic: the namespace is there with its `OperatorGroup`; a second one would stop all operators in it.
    pub has_group: bool,
    /// Classic: the catalog.
    pub source: Option<SourceKey>,
    /// Classic: whether somebody approves each upgrade; `Manual`, or the next one is installed at once.
    pub approval: Option<Approval>,
    /// v1: the service account that installs: called like the extension, with `-installer`.
    pub service_account: Option<String>,
}

/// Custom resources, in the order in which they are applied.
#[derive(Debug)]
pub struct Resources {
    /// The objects.
    pub objects: Vec<Node<'static>>,
    /// What somebody should know before they apply them.
    pub remarks: Vec<Remark>,
}

/// Something to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// Whether OLM will not install it as it stands.
    pub refuses: bool,
    /// What it is.
    pub text: String,
}

/// Why there are no such resources.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// A name that the API of the object does not take.
    #[error("{field} {name:?} is not a {form}")]
    Name {
        /// The field.
        field: &'static str,
        /// The name.
        name: String,
        /// What it must be.
        form: &'static str,
    },
    /// Classic: no channel has the bundle.
    #[error("no channel has {0}, so a Subscription cannot install it")]
    NoChannel(BundleName),
    /// Classic: the channel does not install it.
    #[error("OLM Classic does not install {bundle} from channel {channel}: {why}")]
    NotInstalled {
        /// The bundle.
        bundle: BundleName,
        /// The channel.
        channel: ChannelName,
        /// Why.
        why: ResolveError,
    },
    /// Classic: the operator does not support the namespaces.
    #[error("{bundle} does not support {mode}; it supports {supported}")]
    InstallMode {
        /// The bundle.
        bundle: BundleName,
        /// What is asked for.
        mode: &'static str,
        /// What it supports.
        supported: String,
    },
    /// Classic: the operator watches other namespaces than its own, and nobody said which.
    #[error("{0} watches chosen namespaces only, and none is given")]
    NoTargets(BundleName),
    /// v1: it has no version to pin.
    #[error("{0} has no version that can be pinned")]
    NoVersion(BundleName),
    /// v1: the version is longer than the API takes.
    #[error("the version of {0} is longer than 64 characters, which a ClusterExtension does not take")]
    LongVersion(BundleName),
}

impl Refused {
    /// What to do.
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

/// What is known of the bundle that is to be installed.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Its package.
    pub graph: &'a PackageGraph,
    /// The install modes it supports; none where nobody knows.
    pub install_modes: &'a [String],
}

/// The resources that install a version. Of a bundle that is `known`, it is checked that OLM would.
///
/// # Errors
///
/// When no resource of that kind can install it.
pub fn resources(stop: &Stop, known: Option<Known<'_>>, choices: &Choices) -> Result<Resources, Refused> {
    match stop.engine {
        Engine::Classic => classic::resources(stop, known, choices),
        Engine::V1 => v1::resources(stop, known, choices),
    }
}
