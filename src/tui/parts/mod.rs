//! Building blocks of screens and dialogs: lists and their orders, text fields, panes, clickable
//! areas and notices.

pub mod completions;
pub mod field;
pub mod frame;
pub mod list;
pub(in crate::tui) mod memo;
pub mod notice;
pub mod text;
pub mod theme_settings;
