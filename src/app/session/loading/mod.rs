//! Loading of catalogs.

pub(in crate::app) mod additional_catalog;
pub mod last_place;
pub(in crate::app) mod open_catalogs;
pub mod partial_catalogs;
pub(in crate::app) mod templates;
pub mod wait_state;
