//! Search for edits that free stuck versions.

use std::sync::Arc;

use crate::tui::parts::memo::SharedRef;
use olm_catalog::PackageName;
use olm_check::review::{
    Snapshot,
    stuck::{self, FoundRemedy, JudgeSteps, RemedyError, Scope},
};

/// Stuck versions of a package to search edits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RemedySearch {
    /// The catalog.
    snapshot: SharedRef<Snapshot>,
    /// The package.
    pub package: PackageName,
    /// The versions.
    pub scope: Scope,
}

/// Result of a search.
pub type Remedies = Result<Vec<FoundRemedy>, RemedyError>;

impl RemedySearch {
    pub(in crate::tui) fn new(snapshot: &Arc<Snapshot>, package: PackageName, scope: Scope) -> Self {
        Self { snapshot: SharedRef::from_shared(Some(snapshot)), package, scope }
    }

    /// Returns the catalog.
    pub fn snapshot(&self) -> Option<&Snapshot> {
        self.snapshot.get()
    }

    /// Searches the edits. This may take seconds.
    ///
    /// # Errors
    ///
    /// The reason, if no edit frees the versions.
    pub fn search_remedies(&self, judge: JudgeSteps<'_>) -> Remedies {
        let snapshot = self.snapshot();
        let known = snapshot.and_then(|now| Some((now, now.package(self.package.as_str())?)));
        let Some((snapshot, package_state)) = known else { return Err(RemedyError::NoneFrees) };
        stuck::find_remedies(snapshot, package_state, &self.scope, judge)
    }
}
