//! Errors of SQLite indexes.

use thiserror::Error;

/// Reason why an index cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IndexFault {
    /// The file is not an SQLite database.
    #[error("it is not an SQLite database")]
    NotAnIndex,
    /// Error from SQLite.
    #[error("{0}")]
    Database(String),
    /// A table that every index has is missing.
    #[error("it has no table {0}, so it is not an index of operators")]
    NoTable(&'static str),
    /// The index exceeds all plausible limits of size or query time, which suggests an attack.
    #[error("it is not an index that can be read in bounded time and memory")]
    Unbounded,
    /// The program was built without SQLite.
    #[error("this olmap was built without SQLite; try: opm render")]
    NotBuilt,
    /// A package does not have an existing default channel. opm crashes.
    #[error("package {0} has no default channel")]
    NoDefault(String),
    /// The head of a default channel is missing.
    #[error("package {package}: the head of its default channel {channel} is not in the index")]
    NoHead {
        /// Name of the package.
        package: String,
        /// Name of the channel.
        channel: String,
    },
    /// A ClusterServiceVersion is not JSON.
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
    /// A property or dependency is not JSON, or does not match its type.
    #[error("bundle {bundle}: its property {kind} cannot be read")]
    BadProperty {
        /// Name of the bundle.
        bundle: String,
        /// Type of the property.
        kind: String,
    },
    /// Objects are not JSON.
    #[error("bundle {0}: its objects cannot be read")]
    BadObjects(String),
}
