//! What dialogs are drawn with.

pub mod boxes;
pub mod preview;
