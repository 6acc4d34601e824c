//! Answers of a resolution.

use super::{
    constraint::RequirementError,
    limit::{NOT_OLM_LIMIT, StepLimitExceeded},
    problem::VariableBundle,
    question::SourceKey,
};
use crate::ResolveError;
use olm_catalog::{BundleName, ChannelName, PackageName, Span};
use olm_version::Version;

/// Behavior of OLM in a namespace.
#[derive(Clone, Debug)]
pub struct Answer {
    /// New installations, or the reasons for none.
    pub outcome: Result<Vec<Pick>, Vec<Failure>>,
    /// Subscriptions that OLM creates.
    pub subscriptions: Vec<NewSubscription>,
    /// Reasons for the installed dependencies, line by line.
    pub dependency_reasons: Vec<String>,
    /// Reasons for a failure or for a choice other than the preferred one, line by line. Details of a line are
    /// indented.
    pub why: Vec<String>,
    /// True if OLM may give another answer at another time.
    pub is_unstable: bool,
    /// Limit that prevented the computation of `is_unstable`.
    pub stability_limit: Option<StepLimitExceeded>,
}

/// A bundle to install.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pick {
    /// The package.
    pub package: PackageName,
    /// The channel.
    pub channel: ChannelName,
    /// The bundle.
    pub bundle: BundleName,
    /// Version of the bundle.
    pub version: Option<Version>,
    /// The catalog.
    pub catalog: SourceKey,
    /// Installed bundle that it replaces. For a new installation, the `replaces` of its entry.
    pub replaces: Option<BundleName>,
    /// True if it replaces an installed bundle.
    pub is_upgrade: bool,
    /// Subscriptions and bundles that requested it.
    pub requesters: Vec<Requester>,
}

/// Requester of a bundle.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Requester {
    /// A subscription, by name.
    Subscription(String),
    /// Another bundle.
    Bundle {
        /// Name of the bundle.
        bundle: BundleName,
        /// Requirement in words.
        requirement: String,
    },
}

/// A subscription that OLM creates for a dependency.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewSubscription {
    /// `PACKAGE-CHANNEL-CATALOG-NAMESPACE`
    pub name: String,
    /// The package.
    pub package: PackageName,
    /// The channel.
    pub channel: ChannelName,
    /// The catalog.
    pub catalog: SourceKey,
    /// Bundle that the subscription begins with.
    pub starting_csv: BundleName,
}

/// Missing target of a subscription.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MissingTarget {
    /// The catalog is missing or empty.
    Catalog,
    /// The package is missing.
    Package,
    /// The channel is missing.
    Channel,
    /// The `startingCSV` is missing.
    StartingCsv,
}

/// Reason why nothing is installed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A visible catalog cannot be served.
    #[error(
        "catalog {catalog} does not load, and that fails every resolution that sees it: {reason}; olmap validate tells all of it"
    )]
    Source {
        /// The catalog.
        catalog: SourceKey,
        /// Reason.
        reason: String,
    },
    /// OLM refuses the state of the installed operators.
    #[error("{0}")]
    Existing(String),
    /// OLM or olmap cannot read a dependency.
    #[error("{}", requirement_message(entry, fault))]
    Requirement {
        /// Name of the bundle.
        entry: BundleName,
        /// Variable of the bundle.
        at: VariableBundle,
        /// Location of the property's value in its document.
        span: Span,
        /// Reason.
        fault: RequirementError,
    },
    /// A channel does not have a single chain.
    #[error("package {package} of {catalog}: {error}")]
    Chain {
        /// Name of the catalog.
        catalog: SourceKey,
        /// Name of the package.
        package: PackageName,
        /// Reason.
        error: ResolveError,
    },
    /// Two installed bundles of one package satisfy the same dependency.
    #[error("{} and {} are both installed and of {}: OLM finds 2 replacement chains; delete the CSV that is left over", csvs[0], csvs[1], describe_package(package))]
    TwoInstalled {
        /// Name of the package; empty if unknown.
        package: String,
        /// Names of the two bundles.
        csvs: [BundleName; 2],
    },
    /// The target of a subscription does not exist.
    #[error("subscription {subscription}: {}", missing.description())]
    NoTarget {
        /// Name of the subscription.
        subscription: String,
        /// Index of the subscription in the question.
        asked: usize,
        /// Missing part.
        missing: MissingTarget,
    },
    /// The constraints contradict each other. The answer contains the reasons.
    #[error("no set of bundles satisfies all constraints")]
    Unsatisfiable,
    /// olmap exceeded a limit, so the behavior of OLM is unknown.
    #[error("{0}")]
    StepLimitExceeded(StepLimitExceeded),
}

fn describe_package(package: &str) -> String {
    if package.is_empty() { "no package".to_owned() } else { format!("package {package}") }
}

fn requirement_message(entry: &BundleName, fault: &RequirementError) -> String {
    if fault.is_own_limit() {
        return format!("{entry} has a dependency that olmap does not read: {fault}; {NOT_OLM_LIMIT}");
    }
    format!(
        "{entry} has a dependency that OLM cannot read, and that fails every resolution that reaches it: {fault}"
    )
}

impl Failure {
    /// Returns true if only a limit of olmap ended the work, not a failure of OLM.
    pub fn is_own_limit(&self) -> bool {
        match self {
            Self::StepLimitExceeded(_) => true,
            Self::Requirement { fault, .. } => fault.is_own_limit(),
            _ => false,
        }
    }
}

impl MissingTarget {
    /// Returns the reason, to follow "there is".
    pub fn description(self) -> &'static str {
        match self {
            Self::Catalog => "no such open catalog, or it is empty",
            Self::Package => "no such package in the catalog",
            Self::Channel => "no such channel in the package",
            Self::StartingCsv => "no bundle in the channel that is called as startingCSV says",
        }
    }
}
