//! Exports of bundles for people and programs.

pub mod contents;
pub mod crds;
pub mod diff;
pub mod outline;
pub mod outline_markdown;
pub mod step;
