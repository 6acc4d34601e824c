//! A valid subset of a catalog: packages, channels or the versions of a channel in a range, and what must come along.
//!
//! [`extract()`] works out an edit and what is to be said of it. The rules are opm's (`olmap explain`, `opm validate`): a package
//! has a default channel that is there, a channel has exactly one head, and each of its entries is on the chain of `replaces`
//! from the head down or skipped by another one. oc-mirror's cut is another: see [`mirror`](super::mirror).

mod cut;
mod fault;
mod files;
mod needs;
mod plan;
mod taken;
#[cfg(test)]
mod tests;
mod upgrades;
mod wish;

pub use cut::Along;
pub use fault::Fault;
pub use files::files;
pub use needs::Missing;
pub use taken::{
    DefaultChannel, Extract, Options, Planned, Taken, TakenChannel, Why, extract, fresh_rejections, plan,
};
pub use upgrades::Changed;
pub use wish::Wish;
