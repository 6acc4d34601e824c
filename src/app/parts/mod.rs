//! Building blocks of screens and dialogs: lists and their orders, text fields, panes, clickable
//! areas and notices.

pub(in crate::app) mod awaited;
pub mod field;
pub mod frame;
pub mod fuzzy;
pub mod hit;
pub mod list;
pub mod look;
pub(in crate::app) mod memo;
pub mod mistake;
pub mod names;
pub mod notice;
pub mod orders;
pub mod proposing;
pub mod splits;
pub mod text;
pub mod way;
