//! Upgrade graphs of Operator Lifecycle Manager (OLM): what both OLMs upgrade an installed version to, and why.
//!
//! Both generations of OLM read the same catalog and pick different upgrades. This crate implements both resolvers
//! and explains their answers. Start with [`PackageGraph::new`], which has everything derived from one package.
//!
//! | to | use |
//! |---|---|
//! | derive the graphs of a package | [`PackageGraph::new`] |
//! | name an installed version | [`Installed::parse`] |
//! | get the pick of OLM Classic, or of OLM v1 | [`PackageGraph::resolve_classic`], [`PackageGraph::resolve_v1`] |
//! | resolve OLM v1 over the catalogs of a cluster | [`cluster::ClusterResolver`] |
//! | explain an answer | its `Display`, [`Answer::reason`], [`explanation::explain_answer`] |
//! | walk the edges of a channel | [`ChannelGraph`] |
//! | list the next upgrade of every version | [`UpgradeTable`] |
//! | follow an upgrade path to its end, and find a fix | [`path::PathReport`] |
//! | find versions that never reach the current one | [`PackageGraph::stuck`] |
//! | find the place of a new bundle in a channel | [`placement::ChannelPlacements`] |
//! | resolve a namespace with dependencies | [`resolve::resolve`] |
//! | judge if a cluster accepts an upgrade | [`safety::PackageSafety`] |
//! | find who provides and requires an API | [`apis::DependencyIndex`] |
//!
//! ```
//! use olm_catalog::load;
//! use olm_upgrade::{Installed, PackageGraph, v1::Query};
//!
//! let mut text = "\
//! schema: olm.package
//! name: ship
//! defaultChannel: stable
//! ---
//! schema: olm.channel
//! package: ship
//! name: stable
//! entries:
//! - name: ship.v1.0.0
//! - {name: ship.v1.1.0, skips: [ship.v1.0.0]}
//! - {name: ship.v1.2.0, skips: [ship.v1.1.0]}
//! ".to_owned();
//! for version in ["1.0.0", "1.1.0", "1.2.0"] {
//!     text += &format!("\
//! ---
//! schema: olm.bundle
//! package: ship
//! name: ship.v{version}
//! image: registry.example.com/ship:v{version}
//! properties:
//! - {{type: olm.package, value: {{packageName: ship, version: {version}}}}}
//! ");
//! }
//! let catalog = load::from_bytes(text.into_bytes());
//! let package = catalog.package("ship").ok_or("no such package")?;
//! let graph = PackageGraph::new(package);
//! let installed = Installed::parse(package, "1.0.0")?;
//!
//! // The only entry that would upgrade 1.0.0 is itself skipped. Classic never installs it, v1 does.
//! assert!(graph.resolve_classic("stable", Some(&installed)).stays());
//! let answer = graph.resolve_v1(&Query::default(), Some(&installed));
//! assert_eq!(answer.upgrade_target().map(|name| name.as_str()), Some("ship.v1.1.0"));
//! assert_eq!(answer.reason(), "skips ship.v1.0.0 in stable");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - **Picks are those of the real programs**, including their mistakes. Each module names its source in OLM.
//! - **Data derived from a package is computed once** ([`PackageGraph`]). All callers share it, so their answers
//!   cannot differ. Clones are cheap.
//! - **Every answer has its reasons**: each considered bundle is a [`Candidate`] with a [`Verdict`]. Their `Display` has the
//!   words of the program. It is not escaped.
//! - **Searches have a limit** ([`resolve::Limits`]). An answer that exceeds it is unknown, never a guess.
//! - No input causes a panic. There is no unsafe code and no I/O.
//!
//! # Terms
//!
//! A *head* is an entry that no other entry of its channel replaces or skips. A *dead edge* comes from a skipped
//! entry, so OLM Classic ignores it. A *dead end* is an installed version without an upgrade path although newer
//! versions exist. A version is *stuck* if its upgrades never lead to the head of the default channel. A *dangling*
//! name is not an entry of the channel.

pub mod answer;
pub mod apis;
#[cfg(test)]
mod conformance_mutations;

pub mod classic;
pub mod cluster;
pub mod explanation;
pub mod fresh_install;
pub mod graph;
pub mod install_blockers;
pub mod installed;
pub mod openshift;
pub mod package;
pub mod path;
pub mod placement;
mod range_index;
pub mod resolve;
pub mod row_notes;
pub mod safety;
pub mod stuck;
pub mod table;
pub mod v1;
pub mod v1_capabilities;

#[cfg(any(test, feature = "fixtures"))]
#[doc(hidden)]
pub mod fixture;
#[cfg(test)]
mod pick_tests;
#[cfg(test)]
mod tests;

pub use answer::{Admission, Answer, Candidate, DependencyResult, Engine, Refusal, ResolveError, Verdict};
pub use graph::{ChannelGraph, EdgeKind, GraphNode, NodeIndex};
pub use installed::Installed;
pub use package::PackageGraph;
pub use table::{UpgradeRow, UpgradeTable};
