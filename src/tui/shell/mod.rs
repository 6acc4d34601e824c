//! The update function (keys, mouse, navigation, the action table) and the view function.

pub mod action_table;
mod catalog_results;
pub mod command;
#[cfg(test)]
mod command_tests;
pub mod describe;
pub(in crate::tui) mod dialog_stack;
pub(in crate::tui) mod edit_application;
mod frame;
mod job_answers;
mod list_rows;
pub mod model;
pub mod mouse;
pub mod movement;
mod notices;
pub mod panes;
pub mod places;
mod program_menu;
pub mod search;
pub mod shell_actions;
#[cfg(test)]
mod tests;
pub mod tour;
pub mod update;
pub mod view;
