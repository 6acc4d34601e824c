//! The screens, a folder each.

pub mod catalog;
pub mod changes;
pub mod deprecations;
pub mod graph;
pub mod news;
pub mod upgrades;
