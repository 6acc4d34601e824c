//! The one update: keys, mouse, moving about, places; and what is said of the actions.

pub mod describe;
pub mod finding;
pub mod mouse;
pub mod moving;
pub mod panes;
pub mod places;
pub mod table;
pub mod tables;
#[cfg(test)]
mod tests;
pub mod tour;
pub mod update;
