//! Exports of bundles for people and programs.

pub mod crds;
pub mod diff;
pub mod inside;
pub mod inside_markdown;
pub mod show;
pub mod step;
