//! Analyses for clusters that see only part of a catalog, or several catalogs in sequence. This module does no
//! I/O.

pub mod cluster;
#[cfg(test)]
mod conformance_mutations;
pub mod extract;
pub mod image_set;
pub mod mirror;
pub mod overview;
pub mod planner;
pub mod resources;
pub mod series;
