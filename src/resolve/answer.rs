//! What comes of a resolution.

use super::{
    constraint::Fault,
    limit::{NOT_OLMS, Stopped},
    problem::At,
    question::SourceKey,
};
use crate::{
    catalog::{BundleName, ChannelName, PackageName, Span},
    upgrade::ResolveError,
    version::Version,
};

/// What OLM would do in a namespace.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What is installed anew, or why nothing is.
    pub outcome: Result<Vec<Pick>, Vec<Failure>>,
    /// The subscriptions that OLM makes for it.
    pub subscriptions: Vec<NewSubscription>,
    /// Who needs what is installed along, line by line, for people.
    pub along: Vec<String>,
    /// Why nothing is installed, or not what a subscription would get first, line by line; what belongs to a line is indented.
    pub why: Vec<String>,
    /// Whether OLM may answer otherwise another time.
    pub is_unstable: bool,
    /// The limit that kept `is_unstable` from being decided.
    pub stability_limit: Option<Stopped>,
}

/// A bundle that is installed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pick {
    /// The package.
    pub package: PackageName,
    /// The channel.
    pub channel: ChannelName,
    /// The bundle.
    pub bundle: BundleName,
    /// Its version.
    pub version: Option<Version>,
    /// The catalog.
    pub catalog: SourceKey,
    /// What is installed that it replaces; of a new one what its entry replaces.
    pub replaces: Option<BundleName>,
    /// Whether it takes the place of something installed.
    pub is_upgrade: bool,
    /// Who asked for it.
    pub by: Vec<By>,
}

/// Who asks for a bundle.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum By {
    /// A subscription, by its name.
    Subscription(String),
    /// Another bundle.
    Bundle {
        /// Which.
        bundle: BundleName,
        /// What it needs, in words.
        what: String,
    },
}

/// A subscription that OLM makes for what was installed along.
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
    /// The bundle it begins with.
    pub starting_csv: BundleName,
}

/// What a subscription names and does not exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// The catalog, or anything in it.
    Catalog,
    /// The package.
    Package,
    /// The channel.
    Channel,
    /// `startingCSV`
    StartingCsv,
}

/// Why nothing is installed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Failure {
    /// A catalog in sight cannot be served.
    #[error(
        "catalog {catalog} does not load, and that fails every resolution that sees it: {reason}; olmap validate tells all of it"
    )]
    Source {
        /// The catalog.
        catalog: SourceKey,
        /// Why not.
        reason: String,
    },
    /// What is installed is in a state that OLM refuses.
    #[error("{0}")]
    Existing(String),
    /// A dependency that cannot be read: by OLM, or by olmap alone.
    #[error("{}", requirement(entry, fault))]
    Requirement {
        /// The bundle.
        entry: BundleName,
        /// Where it is.
        at: At,
        /// The property's value in its document.
        span: Span,
        /// What is wrong.
        fault: Fault,
    },
    /// A channel has no single chain.
    #[error("package {package} of {catalog}: {error}")]
    Chain {
        /// The catalog.
        catalog: SourceKey,
        /// The package.
        package: PackageName,
        /// Why not.
        error: ResolveError,
    },
    /// Two that are installed satisfy one dependency and are of one package.
    #[error("{} and {} are both installed and of {}: OLM finds 2 replacement chains", csvs[0], csvs[1], of(package))]
    TwoInstalled {
        /// The package; empty where they do not say.
        package: String,
        /// The two.
        csvs: [BundleName; 2],
    },
    /// What a subscription names does not exist.
    #[error("subscription {subscription}: {}", missing.words())]
    Nothing {
        /// The subscription.
        subscription: String,
        /// Its place in the question.
        asked: usize,
        /// What is missing.
        missing: Missing,
    },
    /// Not everything can be had together; why stands in the answer.
    #[error("no set of bundles satisfies all constraints")]
    Unsatisfiable,
    /// olmap gave up, and nobody knows what OLM does.
    #[error("{0}")]
    Stopped(Stopped),
}

fn of(package: &str) -> String {
    if package.is_empty() { "no package".to_owned() } else { format!("package {package}") }
}

fn requirement(entry: &BundleName, fault: &Fault) -> String {
    if fault.is_own_limit() {
        return format!("{entry} has a dependency that olmap does not read: {fault}; {NOT_OLMS}");
    }
    format!(
        "{entry} has a dependency that OLM cannot read, and that fails every resolution that reaches it: {fault}"
    )
}

impl Failure {
    /// Whether it is no failure of OLM's: a limit of olmap's own ended the work.
    pub fn is_own_limit(&self) -> bool {
        match self {
            Self::Stopped(_) => true,
            Self::Requirement { fault, .. } => fault.is_own_limit(),
            _ => false,
        }
    }
}

impl Missing {
    /// In words: there is ...
    pub fn words(self) -> &'static str {
        match self {
            Self::Catalog => "no such catalog in sight, or nothing in it",
            Self::Package => "no such package in the catalog",
            Self::Channel => "no such channel in the package",
            Self::StartingCsv => "no bundle in the channel that is called as startingCSV says",
        }
    }
}
