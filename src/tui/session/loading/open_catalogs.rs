//! Dependencies between open catalogs.

use std::sync::Arc;

use crate::tui::{
    session::Session,
    work::{Source, outcome::LoadOutcome},
};
use olm_check::review::Snapshot;
use olm_upgrade::resolve;

/// Resolves loaded catalogs with unmet dependencies again, together with the other open catalogs.
pub(in crate::tui) fn resolve_with_open_catalogs(
    session: &Session,
    mut outcomes: Vec<LoadOutcome>,
) -> Vec<LoadOutcome> {
    let loaded = outcomes.iter().filter_map(|outcome| Some((&outcome.source, outcome.result.as_ref().ok()?)));
    let is_new = |source: &Source| outcomes.iter().any(|outcome| outcome.source == *source);
    let open = session.open_catalogs.iter().filter(|open| !is_new(&open.source));
    let open = open.map(|open| (&open.source, &open.baseline));
    let all: Vec<(Source, Arc<Snapshot>)> = loaded
        .chain(open)
        .filter(|(_, snapshot)| snapshot.catalog.template().is_none() && snapshot.first_rejection().is_none())
        .map(|(source, snapshot)| (source.clone(), Arc::clone(snapshot)))
        .collect();
    for outcome in &mut outcomes {
        let Ok(snapshot) = &mut outcome.result else { continue };
        let others = all.iter().filter(|(source, _)| *source != outcome.source);
        let others: Vec<resolve::Source> = others
            .map(|(source, snapshot)| {
                resolve::Source::new(&session.short_source_name(source), snapshot.index())
            })
            .collect();
        if !others.is_empty() && !snapshot.is_independent() {
            *snapshot = Arc::new(snapshot.with_other_catalogs(others));
        }
    }
    outcomes
}
