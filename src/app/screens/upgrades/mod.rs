//! The Upgrades screen.

pub mod fields;
pub mod rows;
pub mod table;
