//! Templates among the open catalogs.

use std::sync::Arc;

use crate::{
    app::{
        session::{Session, open::Open},
        work::outcome::LoadOutcome,
    },
    catalog::{Known, MadeFrom, PackageName},
    export::plain,
    review::Snapshot,
};

/// Provides loaded templates with the bundles of the other open catalogs.
pub(in crate::app) fn told(session: &Session, mut outcomes: Vec<LoadOutcome>) -> Vec<LoadOutcome> {
    let is_template = |snapshot: &Arc<Snapshot>| snapshot.catalog.template().is_some();
    if !outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok()).any(is_template) {
        return outcomes;
    }
    let loaded = outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok());
    let open = session.open.iter().map(|open| &open.baseline);
    let known = Arc::new(Known::of(loaded.chain(open).map(|snapshot| &*snapshot.catalog)));
    for outcome in &mut outcomes {
        if let Ok(snapshot) = &mut outcome.result
            && is_template(snapshot)
        {
            *snapshot = Arc::new(Snapshot::new(snapshot.catalog.with_known(Arc::clone(&known))));
        }
    }
    outcomes
}

/// Returns the template that would overwrite a catalog's edits, if the first edit was just made.
pub(in crate::app) fn lost_edits(open: &Open) -> Option<String> {
    let edited = open.made_from();
    let first = edited.first().filter(|_| open.history.unsaved(&open.baseline) == 1)?;
    let name = first.1.shown.file_name()?.to_string_lossy();
    Some(format!("template {}", plain::line(&name)))
}

impl Open {
    /// Returns the packages with unsaved edits that templates generate, each with its template.
    pub fn made_from(&self) -> Vec<(&PackageName, &MadeFrom)> {
        let now = self.history.now();
        let touched = now.touched(&self.baseline).into_iter();
        touched.filter_map(|name| Some((name, now.catalog.made_from(name)?))).collect()
    }
}
