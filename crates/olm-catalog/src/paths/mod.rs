//! Rules for the paths of a catalog, without disk access.

pub mod glob;
pub mod indexignore;
pub mod leftover;
