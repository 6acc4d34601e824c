//! Bundles for people and programs.

pub mod show;
pub mod verdicts;
