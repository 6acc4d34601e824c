//! The Deprecations screen.

pub mod rows;
