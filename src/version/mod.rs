//! Versions, releases and the two range dialects. Pure: no catalog in sight.
//!
//! - [`Version`]: strict `SemVer` as OLM reads it.
//! - [`Release`] and [`VersionRelease`]: the packaging number beside a version, and the order of both together.
//! - [`blang::Range`]: the dialect of `skipRange` and of `olm.package.required`.
//! - [`masterminds::Constraint`]: the dialect of `spec.source.catalog.version` of OLM v1.
//!
//! The two dialects share a look and little else: see their modules for what each accepts.

pub mod blang;
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
