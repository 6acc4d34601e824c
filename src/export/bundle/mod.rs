//! Bundles for people and programs.

pub mod verdicts;
