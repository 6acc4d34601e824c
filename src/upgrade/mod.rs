//! Upgrade graph, Classic and v1 resolvers, and explanations of their answers.
//!
//! [`PackageGraph`] contains all data derived from one package. It is built once per catalog revision and used by every
//! screen, subcommand and rule, so that their answers cannot differ.

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
