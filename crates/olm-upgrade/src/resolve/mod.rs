//! OLM Classic's resolution of a namespace: subscriptions, installed bundles, dependencies and several
//! catalogs.
//!
//! [`resolve`] returns the bundles that OLM Classic would install or upgrade in a namespace and the
//! Subscriptions that it would add, or the reasons why it does nothing. It is a pure function:
//! catalogs are data, with lookups in a [`CatalogIndex`] that is created once per catalog. Each
//! module names its source in OLM.

pub mod answer;
pub mod cel;
pub mod channel_resolution;
#[cfg(any(test, fuzzing))]
pub mod checker;
#[cfg(test)]
mod conformance;
pub mod constraint;
pub mod entry;
mod explain;
#[cfg(test)]
mod fixture;
pub mod index;
#[cfg(test)]
mod laws;
pub mod limit;
pub mod needs;
pub mod problem;
pub mod question;
mod reference_solver;
mod resolution;
pub mod search;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Failure, MissingTarget, NewSubscription, Pick, Requester};
pub use channel_resolution::{ChangedPackages, ChannelResolution, HeadOutcome, PackageResolution};
pub use index::CatalogIndex;
pub use limit::{Limits, StepLimitExceeded};
pub use question::{InstalledCsv, Question, Source, SourceKey, Subscription};
pub use question::{SinglePackageAnswer, resolve_single_package};
pub use resolution::resolve;
