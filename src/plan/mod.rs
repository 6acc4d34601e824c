//! What follows from a catalog for clusters that do not see all of it, or not at once. A pure room.

pub mod cluster;
pub mod extract;
pub mod imageset;
pub mod mirror;
pub mod overview;
pub mod planner;
pub mod resources;
pub mod series;
