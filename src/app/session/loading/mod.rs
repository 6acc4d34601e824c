//! Loading of catalogs.

pub mod growing;
pub(in crate::app) mod opening;
pub(in crate::app) mod others;
pub mod returning;
pub(in crate::app) mod templates;
pub mod waiting;
