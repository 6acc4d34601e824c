//! The screens, drawn.

pub mod catalog;
pub mod changes;
pub mod deprecations;
pub mod details;
pub mod differences;
pub mod expected;
pub mod graph;
pub mod problems;
pub mod upgrades;
pub mod what_if;
