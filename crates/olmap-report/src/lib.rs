//! Output for other programs and for the command line: text, JSON, Mermaid, DOT.
//!
//! Exports are pure: they turn answers into text, and the caller prints it. Catalog text in output
//! for people is escaped ([`escape`], [`Style::paint`]); in JSON it is unchanged. Text for the log
//! of a CI job is escaped last ([`log`]).

pub mod answer;
pub mod apis;
pub mod bundle;
pub mod changed_upgrades;
pub mod cluster;
#[cfg(test)]
mod conformance_mutations;
pub mod deprecations;
pub mod description;
pub mod diff;
pub mod dockerfile;
pub mod edit;
pub mod excerpt;
pub mod expectations;
pub mod extraction;
pub mod finding;
pub mod github;
pub mod gitlab;
pub mod graph;
pub mod history;
pub mod imageset;
pub mod json;
pub mod layout;
pub mod listing;
pub mod log;
pub mod markdown;
pub mod markup;
pub mod mirror;
pub mod mirror_check;
pub mod omissions;
pub mod overview;
pub mod path;
pub mod plan;
pub mod range;
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
