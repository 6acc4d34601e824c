//! What oc-mirror v2 keeps of a catalog, and who can no longer be upgraded in what it keeps.
//!
//! Source of the rules: oc-mirror v2 and its catalog-filter 0.0.5, as run. The filtered catalog is a [`Catalog`](crate::catalog::Catalog) like any
//! other, so every question that can be asked of a catalog can be asked of it. oc-mirror does not validate what it publishes.

mod channel;
mod check;
#[cfg(test)]
mod conformance;
mod cut;
mod fault;
mod images;
mod kept;
mod read;
mod remedy;
mod section;
#[cfg(test)]
mod tests;

pub(super) use check::only;
pub use check::{Cause, Check, Fate, Position, Question, check};
pub use cut::filter;
pub use fault::Fault;
pub use kept::kept;
pub use read::{Broken, BrokenKind, read};
pub use remedy::Remedy;
pub use section::{Bound, ChannelRule, PackageRule, Range, Section};
