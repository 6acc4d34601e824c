//! Versions, releases and the two range dialects. Independent of catalogs.
//!
//! - [`Version`]: strict `SemVer` by OLM's rules.
//! - [`Release`] and [`VersionRelease`]: the packaging number next to a version, and the order of both.
//! - [`blang::Range`]: the dialect of `skipRange` and of `olm.package.required`.
//! - [`masterminds::Constraint`]: the dialect of `spec.source.catalog.version` of OLM v1.
//!
//! The dialects look similar but differ; see their modules.

pub mod blang;
#[cfg(test)]
mod conformance_mutations;
pub mod masterminds;

mod error;
mod release;
mod semantic;
mod tolerant;

pub use error::{RangeError, VersionError, VersionErrorKind};
pub use release::{
    MAX_RELEASE_LEN, Release, ReleaseError, VersionRelease, VersionReleaseError, with_release_from_build,
};
pub use semantic::Version;

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod properties;
