//! Output formats for catalogs, upgrades and findings of Operator Lifecycle Manager (OLM).
//!
//! The other crates return answers as values. This crate turns them into text for people and for programs: plain
//! text, JSON, Markdown, HTML, SARIF, SVG, Mermaid, DOT. Every function is pure, and the caller prints the result.
//! The module of a topic has all of its formats. Start with [`graph::render_graph`] or [`finding::render_findings`].
//!
//! | to | use |
//! |---|---|
//! | draw the upgrade graph of a channel | [`graph::render_graph`] |
//! | lay out a graph for a picture of your own | [`layout::draw_layout()`] |
//! | print findings | [`finding::render_findings`], [`finding::Row`] |
//! | print findings for a service | [`sarif::Log`], [`gitlab::code_quality_issues`], [`github::finding_commands`], [`junit::render_junit`], [`rdjson::DiagnosticResult`] |
//! | print findings for an editor | [`concise::render_concise`] |
//! | comment on a pull request | [`markdown::render_findings_comment`], [`diff::markdown::render_difference_comment`] |
//! | print an answer of a resolver | [`answer::render_answer`] |
//! | print a difference between two catalogs | [`diff::text::render_difference`], [`diff::json::difference_json`] |
//! | write a self-contained HTML report | [`report::render_page`] |
//! | say which parts a report omits | [`omissions::OmittedPart`] |
//! | choose colors and width | [`Style`], [`Ink`] |
//! | write lines with colors | [`document::Piece`], [`Style::paint_line`] |
//! | escape text of a catalog | [`escape`] |
//!
//! ```
//! use olm_catalog::load;
//! use olm_upgrade::PackageGraph;
//! use olmap_report::graph::{Format, render_graph};
//!
//! let text = "\
//! schema: olm.package
//! name: ship
//! defaultChannel: stable
//! ---
//! schema: olm.channel
//! package: ship
//! name: stable
//! entries:
//! - name: ship.v1.0.0
//! - name: ship.v1.1.0
//!   replaces: ship.v1.0.0
//! ";
//! let catalog = load::from_bytes(text.as_bytes().to_vec());
//! let package = PackageGraph::new(catalog.package("ship").ok_or("no such package")?);
//! let flowchart = render_graph(&package, Some("stable"), Format::Mermaid, false).text;
//! assert!(flowchart.contains("flowchart") && flowchart.contains("ship.v1.1.0"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - **Text of a catalog is data.** Text for people is escaped ([`escape`], [`Style::paint`]). In JSON it is
//!   unchanged. Text for the log of a CI job is escaped last ([`log`]), so no line is a command for the runner.
//! - **Reports name what they omit.** A report about a catalog with unreadable parts says so
//!   ([`omissions::OmittedPart`]).
//! - **JSON is stable.** Its fields keep their meaning within a major version of the program.
//! - No input causes a panic. There is no unsafe code and no I/O.

pub mod answer;
pub mod apis;
pub mod bundle;
pub mod changed_upgrades;
pub mod cluster;
pub mod cluster_answer;
pub mod cluster_path;
pub mod concise;
#[cfg(test)]
mod conformance_mutations;
pub mod console_filter;
pub mod deprecations;
pub mod description;
pub mod diff;
pub mod dockerfile;
pub mod document;
pub mod edit;
pub mod excerpt;
pub mod expectations;
pub mod extraction;
pub mod finding;
mod fingerprint;
pub mod github;
pub mod gitlab;
pub mod graph;
pub mod history;
pub mod imageset;
pub mod json;
pub mod junit;
pub mod layout;
pub mod links;
pub mod listing;
pub mod log;
pub mod markdown;
pub mod markup;
pub mod mirror;
pub mod mirror_check;
pub mod new_upgrades;
pub mod omissions;
pub mod overview;
pub mod path;
pub mod plan;
pub mod range;
pub mod rdjson;
pub mod readiness;
pub mod report;
pub mod repository;
pub mod resolution;
pub mod resources;
pub mod rule;
pub mod safety;
pub mod sarif;
pub mod scope;
pub mod stuck;
pub mod stuck_changes;
mod stuck_remedy;
pub mod stuck_sentences;
pub mod style;
pub mod table;
pub mod template;
pub mod unmet_dependencies;

pub use olm_catalog::escape;
pub use style::{Ink, Style};
