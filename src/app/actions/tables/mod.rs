//! The actions of several screens, by what they are about.

pub mod away;
pub mod editing;
pub mod what_if;
