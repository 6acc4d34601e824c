//! Templates among the open catalogs.

use std::sync::Arc;

use crate::tui::{
    session::{Session, open_catalog::OpenCatalog},
    work::outcome::LoadOutcome,
};
use olm_catalog::{KnownBundles, PackageName, TemplateSource};
use olm_check::review::Snapshot;
use olmap_report::escape;

/// Provides loaded templates with the bundles of the other open catalogs.
pub(in crate::tui) fn resolve_templates(
    session: &Session,
    mut outcomes: Vec<LoadOutcome>,
) -> Vec<LoadOutcome> {
    let is_template = |snapshot: &Arc<Snapshot>| snapshot.catalog.template().is_some();
    if !outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok()).any(is_template) {
        return outcomes;
    }
    let loaded = outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok());
    let open = session.open_catalogs.iter().map(|open| &open.baseline);
    let known = Arc::new(KnownBundles::from_catalogs(loaded.chain(open).map(|snapshot| &*snapshot.catalog)));
    for outcome in &mut outcomes {
        if let Ok(snapshot) = &mut outcome.result
            && is_template(snapshot)
        {
            *snapshot = Arc::new(Snapshot::new(snapshot.catalog.with_known_bundles(Arc::clone(&known))));
        }
    }
    outcomes
}

/// Returns the template that would overwrite a catalog's edits, if the first edit was just made.
pub(in crate::tui) fn overwriting_template(open: &OpenCatalog) -> Option<String> {
    let edited = open.edited_generated_packages();
    let first = edited.first().filter(|_| open.history.unsaved_count(&open.baseline) == 1)?;
    let name = first.1.display_path.file_name()?.to_string_lossy();
    Some(format!("template {}", escape::escape_line(&name)))
}

impl OpenCatalog {
    /// Returns the packages with unsaved edits that templates generate, each with its template.
    pub fn edited_generated_packages(&self) -> Vec<(&PackageName, &TemplateSource)> {
        let now = self.history.now();
        let touched = now.changed_packages(&self.baseline).into_iter();
        touched.filter_map(|name| Some((name, now.catalog.template_source(name)?))).collect()
    }
}
