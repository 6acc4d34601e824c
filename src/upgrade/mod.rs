//! The upgrade graph, the Classic and v1 resolvers, and why an answer is what it is.
//!
//! [`PackageGraph`] is everything derived from one package; it is made once a catalog revision and asked by every
//! screen, every subcommand and every rule, so that their answers cannot differ.

pub mod answer;
pub mod apis;
pub mod arrival;

pub mod blocked;
pub mod classic;
pub mod explain;
pub mod fresh;
pub mod graph;
pub mod installed;
pub mod openshift;
pub mod package;
pub mod path;
pub mod promote;
pub mod remark;
pub mod safety;
pub mod stuck;
pub mod table;
pub mod v1;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
pub(crate) mod picks;
#[cfg(test)]
mod tests;

pub use answer::{Admission, Answer, Candidate, Engine, Refusal, ResolveError, Solved, Verdict};
pub use graph::{ChannelGraph, EdgeKind, GraphNode};
pub use installed::Installed;
pub use package::PackageGraph;
pub use table::{UpgradeRow, UpgradeTable};
