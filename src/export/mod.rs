//! Everything we print for other programs and on the command line: text, JSON, Mermaid, DOT.
//!
//! Exports are pure: they turn answers into text and leave printing to whoever asked. Catalog text that becomes
//! text for people is made harmless on the way ([`plain`], [`Style::paint`]); in JSON it stays what it is.

pub mod answer;
pub mod deprecations;
pub mod description;
pub mod diff;
pub mod edit;
pub mod excerpt;
pub mod expect;
pub mod finding;
pub mod github;
pub mod graph;
pub mod json;
pub mod left_out;
pub mod listing;
pub mod markdown;
pub mod moved;
pub mod path;
pub mod plain;
pub mod range;
pub mod rule;
pub mod sarif;
pub mod style;
pub mod table;
pub mod wrap;

pub use style::{Ink, Style};
