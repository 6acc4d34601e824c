//! Elements shared by screens and dialogs.

pub mod answers;
pub mod boxes;
pub mod dependency_tree;
pub mod details;
pub mod effects;
pub mod expectations;
pub mod extract_preview;
pub mod installed_operators;
pub mod lists;
pub mod need_tree;
pub mod notice;
pub mod path_names;
pub mod preview;
pub mod scrolled_lines;
pub mod stuck_versions;
pub mod what_if;
