//! Everything we print for other programs: Mermaid, DOT, JSON, text.

pub mod graph;
pub mod plain;
