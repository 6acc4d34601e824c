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
pub mod readiness;
pub mod snapshot;
pub mod stuck;
pub mod stuck_changes;
pub mod template;
pub mod touched;
pub mod unmet_dependencies;

pub use consequences::{ChangedUpgrade, Consequences, UpgradeOutcome};
pub use diff::Difference;
pub use evaluation::UncheckedFinding;
pub use files::{ChangeReport, FileDiff};
pub use fresh::{FreshInstall, FreshInstallChange};
pub use harm::Harm;
pub use snapshot::{DeferredChecks, PackageState, Snapshot};
pub use stuck_changes::StuckChange;
pub use touched::Touched;
pub use unmet_dependencies::{UnmetDependencies, UnmetDependency};

#[cfg(test)]
mod evaluation_tests;
#[cfg(test)]
mod resolution_tests;
#[cfg(test)]
mod stuck_changes_tests;
#[cfg(test)]
mod tests;
