//! The Graph screen.

pub mod all_channels;
pub mod exports;
pub mod folds;
pub mod moves;
pub mod picture;
pub mod side_by_side;
pub mod table;
pub mod view;
pub mod zoom;
