//! OLM Classic's resolution of a namespace: subscriptions, installed bundles, dependencies and several
//! catalogs.
//!
//! [`resolve`] returns the bundles that OLM Classic would install or upgrade in a namespace and the
//! Subscriptions that it would add, or the reasons why it does nothing. It is a pure function:
//! catalogs are data, with lookups in a [`CatalogIndex`] that is created once per catalog. Each
//! module names its source in OLM.

pub mod answer;
#[cfg(feature = "cel")]
pub mod cel;
#[cfg(not(feature = "cel"))]
#[path = "cel_disabled.rs"]
pub mod cel;
#[cfg(all(test, feature = "cel"))]
#[path = "cel_disabled.rs"]
#[expect(dead_code, clippy::unnecessary_wraps, reason = "only its test uses it in a build with the feature")]
mod cel_disabled;
pub mod channel_resolution;
#[cfg(any(test, feature = "fuzzing"))]
pub mod checker;
pub mod constraint;
pub mod entry;
mod explain;
pub mod index;
mod installed_bundles;
pub mod limit;
pub mod needs;
pub mod problem;
pub mod question;
mod reference_solver;
mod resolution;
pub mod search;
pub mod single_package;
mod suggestion;

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Failure, MissingTarget, NewSubscription, Pick, Requester};
pub use channel_resolution::{ChangedPackages, ChannelResolution, HeadOutcome, PackageResolution};
pub use index::CatalogIndex;
pub use limit::{Limits, StepLimitExceeded};
pub use question::{InstalledCsv, Question, Source, SourceKey, Subscription};
pub use resolution::resolve;
pub use single_package::{SinglePackageAnswer, resolve_single_package};
