//! Valid subsets of a catalog: packages, channels or version ranges of channels, with everything they require.
//!
//! [`extract()`] returns an edit and a description of its result. The rules are opm's (`olmap explain`,
//! `opm validate`). The default channel of a package must exist, and a channel has exactly one head. Each other
//! entry is on the chain of `replaces` from the head down, or is skipped by an entry. oc-mirror cuts in a
//! different way: see [`mirror`](super::mirror).

mod channel_part;
mod dependencies;
mod error;
mod extraction;
mod files;
mod plan;
mod request;
#[cfg(test)]
mod tests;
mod upgrades;

pub use channel_part::InclusionReason;
pub use dependencies::MissingDependency;
pub use error::ExtractError;
pub use extraction::{
    DefaultChannel, Extract, ExtractOptions, ExtractPlan, ExtractReason, ExtractedChannel, ExtractedPackage,
    extract, new_rejections, plan_extract,
};
pub use files::catalog_files;
pub use request::ExtractRequest;
pub use upgrades::RedirectedUpgrade;
