//! Frame around every screen: header, tabs, hint bar, notices and tour.

pub mod frame;
pub mod notices;
pub mod tour;
