//! Valid subsets of a catalog: packages, channels or version ranges of channels, with everything they require.
//!
//! [`extract()`] returns an edit and a description of its result. The rules are opm's (`olmap explain`,
//! `opm validate`). The default channel of a package must exist, and a channel has exactly one head. Each other
//! entry is on the chain of `replaces` from the head down, or is skipped by an entry. oc-mirror cuts in a
//! different way: see [`mirror`](super::mirror).

mod cut;
mod extraction;
mod fault;
mod files;
mod needs;
mod plan;
#[cfg(test)]
mod tests;
mod upgrades;
mod wish;

pub use cut::Along;
pub use extraction::{
    DefaultChannel, Extract, Options, Planned, Taken, TakenChannel, Why, extract, fresh_rejections, plan,
};
pub use fault::Fault;
pub use files::files;
pub use needs::Missing;
pub use upgrades::Changed;
pub use wish::Wish;
