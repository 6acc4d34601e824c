//! The Changes screen.

pub mod rows;
pub mod table;
