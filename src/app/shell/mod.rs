//! The update function: keys, mouse, navigation, and the action table.

mod arrivals;
pub mod describe;
pub(in crate::app) mod dialogs;
pub mod finding;
pub mod flow;
pub(in crate::app) mod keeping;
pub mod model;
pub mod mouse;
pub mod moving;
pub mod panes;
pub mod places;
mod rows;
pub mod table;
pub mod tables;
#[cfg(test)]
mod tests;
pub mod tour;
pub mod update;
#[cfg(test)]
mod wants_tests;
