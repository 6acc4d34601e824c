//! Elements shared by screens and dialogs.

pub mod answers;
pub mod boxes;
pub mod details;
pub mod effects;
pub mod expected;
pub mod extract;
pub mod lists;
pub mod names;
pub mod needs;
pub mod notice;
pub mod on_cluster;
pub mod preview;
pub mod reading;
pub mod stuck;
pub mod what_if;
pub mod who_needs_whom;
