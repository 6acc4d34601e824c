//! Exports of bundles for people and programs.

pub mod contents;
pub mod crd_resources;
pub mod crds;
pub mod diff;
pub mod outline;
pub mod outline_markdown;
pub mod step;
