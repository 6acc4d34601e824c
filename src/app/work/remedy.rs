//! Search for edits that free stuck versions.

use std::sync::Arc;

use crate::{
    app::parts::memo::Same,
    catalog::PackageName,
    review::{
        Snapshot,
        stuck::{self, FoundRemedy, JudgeSteps, NoRemedy, Scope},
    },
};

/// Stuck versions of a package to search edits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RemedySearch {
    /// The catalog.
    snapshot: Same<Snapshot>,
    /// The package.
    pub package: PackageName,
    /// The versions.
    pub scope: Scope,
}

/// Result of a search.
pub type Remedies = Result<Vec<FoundRemedy>, NoRemedy>;

impl RemedySearch {
    pub(in crate::app) fn new(snapshot: &Arc<Snapshot>, package: PackageName, scope: Scope) -> Self {
        Self { snapshot: Same::of(Some(snapshot)), package, scope }
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
    pub fn find(&self, judge: JudgeSteps<'_>) -> Remedies {
        let snapshot = self.snapshot();
        let known = snapshot.and_then(|now| Some((now, now.package(self.package.as_str())?)));
        let Some((snapshot, judged)) = known else { return Err(NoRemedy::NoneFrees) };
        stuck::find(snapshot, judged, &self.scope, judge)
    }
}
