//! Building blocks of views: the canvas, text in columns, themes, and elements that several screens
//! and dialogs draw.

pub mod answers;
pub mod boxes;
pub mod canvas;
pub mod capture;
pub mod cluster_answers;
pub mod details;
pub mod effects;
pub mod expectations;
pub mod installed_operators;
pub mod lists;
pub mod preview;
pub mod stuck_versions;
#[cfg(test)]
mod tests;
pub mod text;
pub mod theme;
pub mod what_if;
