//! Why an SQLite index cannot be read.

use thiserror::Error;

/// What is wrong with an index.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IndexFault {
    /// Another file.
    #[error("it is not an SQLite database")]
    NotAnIndex,
    /// What SQLite says of it.
    #[error("{0}")]
    Database(String),
    /// A table that every index has.
    #[error("it has no table {0}, so it is not an index of operators")]
    NoTable(&'static str),
    /// More than an index holds, or questions that take forever: somebody made it so.
    #[error("it is not an index that can be read in bounded time and memory")]
    Unbounded,
    /// The program was built without SQLite.
    #[error("this olmap was built without SQLite; try: opm render")]
    NotBuilt,
    /// A package that has no default channel, or one that is not there. opm crashes.
    #[error("package {0} has no default channel")]
    NoDefault(String),
    /// The head of a default channel that is not there.
    #[error("package {package}: the head of its default channel {channel} is not in the index")]
    NoHead {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
    },
    /// A ClusterServiceVersion that is no JSON.
    #[error("bundle {0}: its ClusterServiceVersion cannot be read")]
    BadCsv(String),
    /// A bundle whose version is not a strict semantic version.
    #[error("bundle {bundle} has the version {version}, which is not a semantic version")]
    BadVersion {
        /// Name of the bundle.
        bundle: String,
        /// Version as written.
        version: String,
    },
    /// Two bundles of a package with the same version.
    #[error("package {package}: {first} and {second} have the same version {version}")]
    SameVersion {
        /// Name of the package.
        package: String,
        /// Version of both bundles.
        version: String,
        /// Name of a bundle.
        first: String,
        /// Name of another bundle.
        second: String,
    },
    /// A property or dependency that is no JSON, or not of its type.
    #[error("bundle {bundle}: its property {kind} cannot be read")]
    BadProperty {
        /// The bundle.
        bundle: String,
        /// The type.
        kind: String,
    },
    /// Objects that are no JSON.
    #[error("bundle {0}: its objects cannot be read")]
    BadObjects(String),
}
