//! Templates among the open catalogs.

use std::sync::Arc;

use super::{model::Model, msg::LoadOutcome};
use crate::{catalog::Known, review::Snapshot};

/// Tells templates that were loaded what the catalogs beside them know of their bundles.
pub(super) fn told(model: &Model, mut outcomes: Vec<LoadOutcome>) -> Vec<LoadOutcome> {
    let is_template = |snapshot: &Arc<Snapshot>| snapshot.catalog.template().is_some();
    if !outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok()).any(is_template) {
        return outcomes;
    }
    let loaded = outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok());
    let open = model.open.iter().map(|open| &open.baseline);
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
