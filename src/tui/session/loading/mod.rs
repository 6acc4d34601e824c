//! Loading of catalogs.

pub(in crate::tui) mod additional_catalog;
pub mod last_place;
pub(in crate::tui) mod open_catalogs;
pub mod partial_catalogs;
pub(in crate::tui) mod templates;
pub mod wait_state;
