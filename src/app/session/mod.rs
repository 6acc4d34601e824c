//! The open catalogs, what is selected and asked of them, and what follows from that for every screen.

pub mod action;
pub mod against;
pub mod answers;
pub mod editing;
pub mod expecting;
pub mod history;
pub mod loading;
pub mod model;
pub mod outcome;
pub mod place;
pub mod recovery;
mod select;
pub mod spot;
pub mod what_if;
