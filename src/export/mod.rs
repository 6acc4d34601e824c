//! Everything we print for other programs and on the command line: text, JSON, Mermaid, DOT.
//!
//! Exports are pure: they turn answers into text and leave printing to whoever asked. Catalog text that becomes
//! text for people is made harmless on the way ([`plain`], [`Style::paint`]); in JSON it stays what it is. What goes into
//! the log of a CI job is made safe last of all ([`log`]).

pub mod answer;
pub mod apis;
pub mod bundle;
pub mod cluster;
pub mod deprecations;
pub mod description;
pub mod diff;
pub mod dockerfile;
pub mod edit;
pub mod excerpt;
pub mod expect;
pub mod extract;
pub mod finding;
pub mod github;
pub mod gitlab;
pub mod graph;
pub mod history;
pub mod imageset;
pub mod json;
pub mod left;
pub mod left_out;
pub mod listing;
pub mod log;
pub mod markdown;
pub mod markup;
pub mod mirror;
pub mod mirror_check;
pub mod moved;
pub mod overview;
pub mod path;
pub mod plan;
pub mod range;
pub mod readiness;
pub mod report;
pub mod repository;
pub mod resolve;
pub mod resources;
pub mod rule;
pub mod safety;
pub mod sarif;
pub mod scope;
pub mod stuck;
pub mod stuck_changes;
mod stuck_remedy;
pub mod stuck_words;
pub mod style;
pub mod table;
pub mod template;

pub use crate::catalog::plain;
pub use style::{Ink, Style};
