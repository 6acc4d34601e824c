//! Review of changes: a catalog with everything derived from it, and the consequences of an edit.

pub mod accepted;
pub mod consequences;
pub mod deprecations;
pub mod diff;
mod evaluation;
pub mod expect;
pub mod files;
mod findings;
pub mod fresh;
pub mod harm;
pub mod history;
pub mod left;
pub mod readiness;
pub mod snapshot;
pub mod stuck;
pub mod stuck_changes;
pub mod template;
pub mod touched;

pub use consequences::{Consequences, Moved, Outlook};
pub use diff::Difference;
pub use evaluation::Unchecked;
pub use files::{FileDiff, Report};
pub use fresh::{FreshChange, FreshInstall};
pub use harm::Harm;
pub use left::{Left, LeftWithout};
pub use snapshot::{Judged, Learned, Snapshot};
pub use stuck_changes::StuckChange;
pub use touched::Touched;

#[cfg(test)]
mod evaluation_tests;
#[cfg(test)]
mod resolution_tests;
#[cfg(test)]
mod stuck_changes_tests;
#[cfg(test)]
mod tests;
