//! What is around every screen: header, tabs, hint bar, notices, the tour.

pub mod frame;
pub mod notices;
pub mod tour;
