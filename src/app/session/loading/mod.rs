//! Catalogs on their way in: looked at while they are being read, and come back to.

pub mod growing;
pub mod returning;
pub(in crate::app) mod templates;
pub mod waiting;
