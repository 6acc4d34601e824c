//! Edits of a what-if: all screens show them, but they are not applied until the user applies or drops
//! them.

use std::{collections::BTreeSet, sync::Arc};

use crate::tui::{
    keys::{ActionId, spec::Reason},
    session::{
        catalogs::Catalogs,
        context::{Context, ViewContext},
        open_catalog::OpenCatalog,
    },
    work::preview::EditOutcome,
};
use olm_catalog::{BundleName, PackageName};
use olm_check::review::{Consequences, Snapshot};
use olm_edit::{Edit, EditError};
use olmap_report::stuck_changes;

/// Returns the reason why other edits are blocked.
pub(in crate::tui) fn block_reason(view_cx: &ViewContext<'_>) -> Reason {
    format!("a what-if is active: {} applies or drops it", view_cx.key_label(ActionId::WhatIf))
}

/// Edits of a what-if with their result.
#[derive(Clone, Debug)]
pub struct WhatIf {
    /// The edits in order.
    pub edits: Vec<Edit>,
    /// State after the edits.
    pub state: Arc<Snapshot>,
    /// Changes in meaning.
    pub consequences: Consequences,
    /// Number of bundles that the edits remove.
    pub removed_bundles: usize,
}

impl WhatIf {
    /// Applies edits to a state. `None` if there are no edits.
    fn from_edits(real: &Snapshot, edits: Vec<Edit>) -> Result<Option<Self>, EditError> {
        let mut catalog = None;
        for edit in &edits {
            catalog = Some(olm_edit::apply_edit(catalog.as_ref().unwrap_or(&real.catalog), edit)?);
        }
        Ok(catalog.map(|catalog| {
            let state = Arc::new(real.after_change(catalog));
            let consequences = Consequences::compare_snapshots(real, &state);
            let left_out = removed_bundle_count(real, &state);
            Self { edits, state, consequences, removed_bundles: left_out }
        }))
    }

    /// Creates a what-if from one edit whose result is known.
    fn from_outcome(real: &Snapshot, outcome: &EditOutcome) -> Self {
        Self {
            edits: vec![outcome.edit.clone()],
            state: outcome.after.clone(),
            consequences: outcome.consequences.clone(),
            removed_bundles: removed_bundle_count(real, &outcome.after),
        }
    }

    /// Returns the number of installed versions whose upgrade target changes under either OLM
    /// version.
    fn changed_upgrade_count(&self) -> usize {
        let moved = self.consequences.changed_steps.iter().map(|moved| (&moved.package, &moved.installed));
        moved.collect::<BTreeSet<_>>().len()
    }

    /// Returns the edits as one edit.
    fn combined_edit(&self) -> Option<Edit> {
        match self.edits.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            [first, rest @ ..] => {
                let title = format!("{} and {} more", first.title(), rest.len());
                Some(Edit::Several { title, edits: self.edits.clone() })
            }
        }
    }
}

/// Returns the number of removed bundles.
fn removed_bundle_count(before: &Snapshot, after: &Snapshot) -> usize {
    after.changed_packages(before).into_iter().map(|name| removed_bundles_of(before, after, name)).sum()
}

/// Returns the number of removed bundles of a package.
fn removed_bundles_of(before: &Snapshot, after: &Snapshot, package: &PackageName) -> usize {
    let Some(before) = before.package(package.as_str()) else { return 0 };
    let is_left = |name: &BundleName| {
        after
            .package(package.as_str())
            .is_some_and(|package_state| package_state.package().bundle(name.as_str()).is_some())
    };
    before.package().bundles.iter().filter(|bundle| !is_left(&bundle.name.value)).count()
}

/// Adds an edit to the what-if.
pub(in crate::tui) fn add_edit(cx: &mut Context<'_>, edit: Edit) -> Result<(), Reason> {
    add_edit_with_outcome(cx, edit, None)
}

/// Adds an edit with a known result to the what-if. Reports the reason if that is not possible.
pub(in crate::tui) fn add_outcome(cx: &mut Context<'_>, outcome: &EditOutcome) {
    if let Err(reason) = add_edit_with_outcome(cx, outcome.edit.clone(), Some(outcome)) {
        cx.notices.report_refusal(reason);
    }
}

fn add_edit_with_outcome(
    cx: &mut Context<'_>,
    edit: Edit,
    known: Option<&EditOutcome>,
) -> Result<(), Reason> {
    let title = edit.title();
    // Reading and writing replace the state, which would silently drop the what-if.
    if let Some(busy) = cx.session.waiting.busy {
        return Err(busy.block_reason().to_owned());
    }
    let Some(open) = cx.session.catalogs.current_mut() else { return Err("no catalog is open".to_owned()) };
    open.what_if = match (open.what_if.as_ref(), known) {
        // For large catalogs this is too slow to compute twice.
        (None, Some(outcome)) => Some(WhatIf::from_outcome(open.history.now(), outcome)),
        (before, _) => {
            let mut edits = before.map(|what_if| what_if.edits.clone()).unwrap_or_default();
            edits.push(edit);
            WhatIf::from_edits(open.history.now(), edits).map_err(|error| error.to_string())?
        }
    };
    let (moved, left_out) =
        open.what_if.as_ref().map(|w| (w.changed_upgrade_count(), w.removed_bundles)).unwrap_or_default();
    let stuck = open.what_if.as_ref().and_then(|what_if| summarize_stuck_changes(&what_if.consequences));
    let gone = match left_out {
        0 => String::new(),
        1 => ", 1 bundle removed".to_owned(),
        gone => format!(", {gone} bundles removed"),
    };
    let moved = match moved {
        0 => "no version changes its upgrade target".to_owned(),
        1 => "1 version changes its upgrade target".to_owned(),
        moved => format!("{moved} versions change their upgrade target"),
    };
    let moved = stuck.unwrap_or(moved);
    cx.notices.report_done(format!("what if: {moved}{gone}: {title}"));
    cx.session.correct_selection();
    Ok(())
}

/// Summarizes which versions become stuck, are freed, or then need a channel change: `30 more stuck, 1 freed`.
/// `None` if there are none.
pub(in crate::tui) fn summarize_stuck_changes(consequences: &Consequences) -> Option<String> {
    let all = stuck_changes::summarize_stuck_changes(&consequences.stuck).into_iter();
    let parts: Vec<String> = all.map(|(_, words)| words).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Adds an edit to the what-if. Reports the reason if that is not possible.
pub(in crate::tui) fn add_edit_or_report(cx: &mut Context<'_>, edit: Edit) {
    if let Err(reason) = add_edit(cx, edit) {
        cx.notices.report_refusal(reason);
    }
}

/// Removes the last edit of the what-if.
pub(in crate::tui) fn remove_last_edit(cx: &mut Context<'_>) {
    let Some(open) = cx.session.catalogs.current_mut() else { return };
    let Some(mut what_if) = open.what_if.take() else { return };
    let Some(last) = what_if.edits.pop() else { return };
    // The remaining edits were applied before, so they can be applied again.
    open.what_if = WhatIf::from_edits(open.history.now(), what_if.edits).ok().flatten();
    cx.notices.report_done(format!("what-if undone: {}", last.title()));
    cx.session.correct_selection();
}

impl Catalogs {
    /// Ends the what-if and returns all its edits as one edit.
    pub(in crate::tui) fn end_what_if(&mut self) -> Option<EditOutcome> {
        let what_if = self.current_mut().and_then(|open| open.what_if.take())?;
        let edit = what_if.combined_edit()?;
        let WhatIf { state: after, consequences, .. } = what_if;
        Some(EditOutcome::from_consequences(edit, self.snapshot()?, after, consequences))
    }
}

impl OpenCatalog {
    /// Turns the what-if into an edit, if this state of it was written.
    pub(in crate::tui) fn apply_written_what_if(&mut self, written: &Arc<Snapshot>) {
        let is_it = self.what_if.as_ref().is_some_and(|what_if| Arc::ptr_eq(&what_if.state, written));
        if let Some(what_if) = self.what_if.take_if(|_| is_it)
            && let Some(edit) = what_if.combined_edit()
        {
            self.history.push(what_if.state, edit);
        }
    }
}

/// Drops the what-if.
pub(in crate::tui) fn drop_what_if(cx: &mut Context<'_>) {
    if cx.session.catalogs.current_mut().and_then(|open| open.what_if.take()).is_some() {
        cx.notices.report_done("what-if dropped");
    }
    cx.session.correct_selection();
}
