//! The catalog filter of oc-mirror v2, and the installed versions that lose their upgrades in the filtered
//! catalog.
//!
//! The rules come from running oc-mirror v2 with catalog-filter 0.0.5. The filtered catalog is a normal
//! [`Catalog`](olm_catalog::Catalog), so all queries work with it. oc-mirror does not validate the catalogs
//! that it publishes.

mod channel;
mod check;
#[cfg(test)]
mod conformance;
mod error;
mod filter;
mod images;
mod kept_edit;
mod parser;
mod remedy;
mod section;
#[cfg(test)]
mod tests;

pub(super) use check::only_package;
pub use check::{Cause, CheckQuestion, FilterImpact, InstalledPosition, MirrorCheck, check_upgrades};
pub use error::MirrorError;
pub use filter::filter_catalog;
pub use kept_edit::build_filter_edit;
pub use parser::{ConfigurationError, ConfigurationErrorKind, parse_configuration};
pub use remedy::Remedy;
pub use section::{Bound, ChannelRule, PackageRule, Range, Section};
