//! Preview of an edit, and its state in a dialog.

use std::sync::Arc;

use crate::tui::work::job::PackageChecks;
use olm_catalog::Catalog;
use olm_check::{
    Finding, Severity,
    review::{Consequences, PackageState, Snapshot},
};
use olm_edit::Edit;
use olm_upgrade::resolve::Source;
use olmap_report::new_upgrades::packages_with_unchecked_upgrades;

/// Preview of an edit, or the reason why the edit cannot be applied.
pub type Preview = Result<Arc<EditOutcome>, String>;

/// Runs the deferred checks of a package of a state.
pub type CheckPackage<'a> = &'a dyn Fn(&Arc<PackageState>, &Snapshot) -> Vec<PackageChecks>;

/// Computes the preview of an edit. Checks dependencies against the other open catalogs, each with
/// its display name.
///
/// # Errors
///
/// The reason why the edit cannot be applied.
pub fn preview_edit(before: &Arc<Snapshot>, edit: Edit, beside: &[(String, Arc<Snapshot>)]) -> Preview {
    let catalog = olm_edit::apply_edit(&before.catalog, &edit).map_err(|error| error.to_string())?;
    Ok(Arc::new(EditOutcome::from_catalog(edit, before, catalog, beside)))
}

/// State and consequences of an edit. See [`Preview`].
#[derive(Debug)]
pub struct EditOutcome {
    /// The edit.
    pub edit: Edit,
    /// The state before the edit.
    before: Arc<Snapshot>,
    /// The other open catalogs, each with its display name.
    other_catalogs: Vec<(String, Arc<Snapshot>)>,
    /// The state after the edit.
    pub after: Arc<Snapshot>,
    /// Changes in meaning.
    pub consequences: Consequences,
    /// Errors and warnings that the state before the edit has, but that were not known before the checks.
    pub earlier_findings: Vec<Finding>,
    /// True while the CRD safety of new upgrades is not checked.
    pub needs_checks: bool,
}

impl EditOutcome {
    /// Creates the outcome from the changed catalog. Checks dependencies against the other open catalogs, each with its
    /// display name.
    pub fn from_catalog(
        edit: Edit,
        before: &Arc<Snapshot>,
        changed: Catalog,
        other_catalogs: &[(String, Arc<Snapshot>)],
    ) -> Self {
        let after = Arc::new(before.after_change(changed));
        let consequences = compare_states(before, &after, other_catalogs);
        let needs_checks = !packages_with_unchecked_upgrades(&consequences, &after).is_empty();
        let (before, other_catalogs) = (Arc::clone(before), other_catalogs.to_vec());
        let earlier_findings = Vec::new();
        Self { edit, before, other_catalogs, after, consequences, earlier_findings, needs_checks }
    }

    /// Creates the outcome from known consequences.
    pub fn from_consequences(
        edit: Edit,
        before: &Arc<Snapshot>,
        after: Arc<Snapshot>,
        consequences: Consequences,
    ) -> Self {
        let (before, other_catalogs, earlier_findings) = (Arc::clone(before), Vec::new(), Vec::new());
        Self { edit, before, other_catalogs, after, consequences, earlier_findings, needs_checks: false }
    }

    /// Returns the outcome with the results of the deferred checks of packages with new upgrades. Both states are
    /// checked, because the manifests may be newer than the checks of the state before the edit.
    #[must_use]
    pub fn with_checks(&self, check: CheckPackage<'_>) -> Self {
        let packages = packages_with_unchecked_upgrades(&self.consequences, &self.after);
        let check_state = |state: &Arc<Snapshot>| {
            let packages = packages.iter().filter_map(|name| state.package(name.as_str()));
            let checks = packages.flat_map(|package| check(package, state));
            let checked: Vec<_> = checks
                .map(|(package, checks)| {
                    let checked = package.with_deferred_checks(checks);
                    (package, checked)
                })
                .collect();
            state.with_deferred_checks(&checked).map_or_else(|| Arc::clone(state), Arc::new)
        };
        let (checked_before, after) = (check_state(&self.before), check_state(&self.after));
        let consequences = compare_states(&checked_before, &after, &self.other_catalogs);
        let mut earlier_findings =
            compare_states(&self.before, &checked_before, &self.other_catalogs).new_findings;
        earlier_findings.retain(|finding| finding.severity() < Severity::Note);
        let (edit, before) = (self.edit.clone(), Arc::clone(&self.before));
        let other_catalogs = self.other_catalogs.clone();
        Self { edit, before, other_catalogs, after, consequences, earlier_findings, needs_checks: false }
    }

    /// Returns the worst finding above a note that the edit adds. A finding that only changed its
    /// message is not added.
    pub fn worst_added_finding(&self) -> Option<&Finding> {
        let Consequences { new_findings, fixed_findings, unchecked_findings, .. } = &self.consequences;
        let was_there = |new: &&Finding| {
            let unchecked = unchecked_findings.iter().map(|unchecked| &unchecked.finding);
            fixed_findings.iter().chain(unchecked).any(|old| {
                (old.rule.id, &old.package, &old.channel) == (new.rule.id, &new.package, &new.channel)
            })
        };
        let brought = new_findings.iter().filter(|new| new.severity() < Severity::Note && !was_there(new));
        brought.min_by_key(|new| new.severity())
    }
}

/// Compares two states of a catalog, and dependencies against the other open catalogs.
fn compare_states(
    before: &Snapshot,
    after: &Snapshot,
    other_catalogs: &[(String, Arc<Snapshot>)],
) -> Consequences {
    let others = other_catalogs.iter().map(|(name, snapshot)| Source::new(name, snapshot.index()));
    Consequences::compare_beside(before, after, &others.collect::<Vec<_>>())
}

/// Two outcomes are equal if they are about the same edit of the same state.
impl PartialEq for EditOutcome {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.before, &other.before) && self.edit == other.edit
    }
}

impl Eq for EditOutcome {}

/// Edit of an open catalog whose preview is pending.
#[derive(Clone, PartialEq, Debug)]
pub struct PendingEdit {
    /// Index of the catalog.
    pub catalog: usize,
    /// The edit.
    pub edit: Edit,
}

/// Preview of a dialog's edit: none, pending or ready.
#[derive(Debug, Default)]
pub enum PreviewState {
    /// The dialog has no edit.
    #[default]
    NoEdit,
    /// The preview is computed in the background, so that a frame does not wait for it.
    Pending(PendingEdit),
    /// The preview is ready.
    Ready(Preview),
}

impl PreviewState {
    /// Returns the preview if it is ready.
    pub fn ready_preview(&self) -> Option<&Preview> {
        match self {
            Self::Ready(preview) => Some(preview),
            Self::NoEdit | Self::Pending(_) => None,
        }
    }

    /// Returns the preview to compute next: the first pending one. If there is none, returns the first without checks.
    pub(in crate::tui) fn find_unfinished<'p>(
        previews: impl Iterator<Item = &'p mut Self>,
    ) -> Option<&'p mut Self> {
        let mut first_unchecked = None;
        for preview in previews {
            if preview.pending_edit().is_some() {
                return Some(preview);
            }
            if first_unchecked.is_none() && preview.unchecked_outcome().is_some() {
                first_unchecked = Some(preview);
            }
        }
        first_unchecked
    }

    /// Returns the outcome if its new upgrades are not checked.
    pub(in crate::tui) fn unchecked_outcome(&self) -> Option<&Arc<EditOutcome>> {
        self.ready_preview()?.as_ref().ok().filter(|outcome| outcome.needs_checks)
    }

    /// Returns the edit whose preview is pending.
    pub(in crate::tui) fn pending_edit(&self) -> Option<&PendingEdit> {
        match self {
            Self::Pending(pending) => Some(pending),
            Self::NoEdit | Self::Ready(_) => None,
        }
    }

    /// Returns true if the edit cannot be applied.
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Ready(Err(_)))
    }

    /// Returns true if there is no edit.
    pub fn has_no_edit(&self) -> bool {
        matches!(self, Self::NoEdit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_catalog::blob::EntrySpec;
    use olm_upgrade::fixture;

    /// Returns the rule of the finding that another range of the head adds.
    fn rule_added_by_range(range: &str) -> Option<&'static str> {
        let before = Arc::new(Snapshot::new(fixture::catalog_from_channels(&[(
            "c",
            "1.1.0 replaces=1.0.0 range=>=0.9.0_<0.8.0\n1.0.0",
        )])));
        let spec = EntrySpec {
            replaces: Some("p.v1.0.0".into()),
            skip_range: Some(range.to_owned()),
            ..EntrySpec::default()
        };
        let (package, channel, entry) = ("p".into(), "c".into(), "p.v1.1.0".into());
        let edit = Edit::SetEntry { package, channel, entry, spec };
        let outcome = preview_edit(&before, edit, &[]).unwrap();
        outcome.worst_added_finding().map(|finding| finding.rule.id)
    }

    #[test]
    fn edit_adds_new_findings_above_notes_only() {
        assert_eq!(rule_added_by_range("nonsense"), Some("bad-skip-range"));
        assert_eq!(rule_added_by_range(">=1.0.0"), None, "a note");
        assert_eq!(
            rule_added_by_range(">=0.9.0 <0.7.0"),
            None,
            "a range that holds nothing was there, in other words"
        );
        assert_eq!(rule_added_by_range(">=1.0.0 <1.1.0"), None);
    }
}
