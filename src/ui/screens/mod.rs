//! Drawing of the screens.

pub mod about;
pub mod bundle;
pub mod catalog;
pub mod changes;
pub mod deprecations;
pub mod graph;
pub mod overview;
pub mod plan;
pub mod problems;
pub mod resolve;
pub mod template;
pub mod upgrades;
