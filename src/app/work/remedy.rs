//! A search for edits that free stuck versions, as data: what is searched for, and what comes back.

use std::sync::Arc;

use crate::{
    app::parts::memo::Same,
    catalog::PackageName,
    review::{
        Snapshot,
        stuck::{self, FoundRemedy, JudgeSteps, NoRemedy, Scope},
    },
};

/// Stuck versions of a package that an edit is searched for.
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

    /// The catalog.
    pub fn snapshot(&self) -> Option<&Snapshot> {
        self.snapshot.get()
    }

    /// Searches the edits. This may take seconds.
    ///
    /// # Errors
    ///
    /// The reason, if there is none.
    pub fn find(&self, judge: JudgeSteps<'_>) -> Remedies {
        let snapshot = self.snapshot();
        let known = snapshot.and_then(|now| Some((now, now.package(self.package.as_str())?)));
        let Some((snapshot, judged)) = known else { return Err(NoRemedy::NoneFrees) };
        stuck::find(snapshot, judged, &self.scope, judge)
    }
}
