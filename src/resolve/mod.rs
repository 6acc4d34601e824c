//! OLM Classic's whole resolution: subscriptions, what is installed, dependencies, several catalogs.
//!
//! [`resolve`] answers for a namespace what OLM Classic would install, upgrade and add, or why it does nothing. It is pure:
//! catalogs are data, looked things up in through a [`CatalogIndex`] that is made once a catalog. How OLM does it stands in
//! each module with its source.

pub mod alone;
pub mod answer;
pub mod cel;
#[cfg(any(test, fuzzing))]
pub mod checker;
pub mod constraint;
pub mod entry;
mod existing;
mod explain;
pub mod index;
pub mod limit;
mod nearest;
pub mod needs;
pub mod problem;
pub mod question;
mod resolved;
pub mod search;
mod settled;
pub mod standing;

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

pub use alone::{Alone, alone};
pub use answer::{Answer, By, Failure, Missing, NewSubscription, Pick};
pub use index::CatalogIndex;
pub use limit::{Limits, Stopped};
pub use question::{InstalledCsv, Question, Source, SourceKey, Subscription};
pub use resolved::resolve;
pub use standing::{End, Standing, Standings, Touched};
