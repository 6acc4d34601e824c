//! Versions of operators, and both range dialects of Operator Lifecycle Manager (OLM).
//!
//! OLM Classic and OLM v1 read ranges with two different Go libraries. Their dialects look alike but differ. This
//! crate parses and matches both as those libraries do, including their mistakes. Start with [`Version::parse`].
//!
//! | to | use |
//! |---|---|
//! | parse a version by the rules of OLM | [`Version::parse`] |
//! | compare two versions in the order of OLM | [`Version::cmp_precedence`] |
//! | order bundles of the same version | [`VersionRelease`], [`Release`] |
//! | match a `skipRange` or an `olm.package.required` | [`blang::Range`] |
//! | list the surprises in such a range | [`blang::Range::quirks`] |
//! | find versions that no range covers | [`blang::Coverage`] |
//! | match `spec.source.catalog.version` of OLM v1 | [`masterminds::Constraint`] |
//!
//! ```
//! use olm_version::{Version, blang, masterminds};
//!
//! let skip_range = blang::Range::parse(">=1.2.0 <1.5.0")?;
//! let constraint = masterminds::Constraint::parse(">=1.2.0 <1.5.0")?;
//! let release = Version::parse("1.4.0")?;
//! assert!(skip_range.matches(&release) && constraint.matches(&release));
//!
//! // A pre-release is an ordinary version in one dialect only.
//! let candidate = Version::parse("1.4.0-rc.1")?;
//! assert!(skip_range.matches(&candidate));
//! assert!(!constraint.matches(&candidate));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - A range matches exactly the versions that it matches in OLM.
//! - An error names the column in the text ([`RangeError`], [`VersionError`]).
//! - [`Version`] and [`VersionRelease`] do not implement `Ord`: two different versions can have the same precedence.
//! - No input causes a panic. There is no unsafe code and no I/O.

pub mod blang;
pub mod masterminds;

mod error;
mod release;
mod semantic;

pub use error::{RangeError, VersionError, VersionErrorKind};
pub use release::{
    MAX_RELEASE_LEN, Release, ReleaseError, VersionRelease, VersionReleaseError, with_release_from_build,
};
pub use semantic::Version;

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod properties;
