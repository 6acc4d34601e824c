//! The Catalog screen.

pub mod descriptions;
