//! Catalogs on their way in: looked at while they are being read, and come back to.

pub mod growing;
pub(in crate::app) mod opening;
pub(in crate::app) mod others;
pub mod returning;
pub(in crate::app) mod templates;
pub mod waiting;
