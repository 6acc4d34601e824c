//! Upgrade graph, Classic and v1 resolvers, and explanations of their answers.
//!
//! [`PackageGraph`] contains all data derived from one package. It is built once per catalog revision and used by every
//! screen, subcommand and rule, so that their answers cannot differ.

pub mod answer;
pub mod apis;
#[cfg(test)]
mod conformance_mutations;
pub mod pending_bundle;

pub mod classic;
pub mod explanation;
pub mod fresh_install;
pub mod graph;
pub mod install_blockers;
pub mod installed;
pub mod openshift;
pub mod package;
pub mod path;
pub mod promotion;
pub mod resolve;
pub mod row_notes;
pub mod safety;
pub mod stuck;
pub mod table;
pub mod v1;

#[cfg(any(test, feature = "fixtures"))]
#[doc(hidden)]
pub mod fixture;
#[cfg(test)]
mod pick_tests;
#[cfg(test)]
mod tests;

pub use answer::{Admission, Answer, Candidate, DependencyResult, Engine, Refusal, ResolveError, Verdict};
pub use graph::{ChannelGraph, EdgeKind, GraphNode};
pub use installed::Installed;
pub use package::PackageGraph;
pub use table::{UpgradeRow, UpgradeTable};
