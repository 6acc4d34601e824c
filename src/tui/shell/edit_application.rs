//! Application of edits: new state, notice, and selection.

use super::model::Model;
use crate::tui::{
    session::{editing::edit_notice, what_if},
    work::{EditPurpose, Effect, preview::EditOutcome},
};
use olm_check::Severity;
use olm_edit::Edit;

/// Applies an edit, or adds it to the what-if.
pub(super) fn apply_outcome(model: &mut Model, purpose: EditPurpose, outcome: &EditOutcome) -> Vec<Effect> {
    match purpose {
        EditPurpose::WhatIf => model.with_context(|cx| what_if::add_outcome(cx, outcome)),
        EditPurpose::Edit => apply_edit(model, outcome),
    }
}

/// Makes the result of an edit the current state. If a row was removed, selects the next one.
fn apply_edit(model: &mut Model, outcome: &EditOutcome) -> Vec<Effect> {
    let list = model.screen_list();
    let row = model.list_cursor(list);
    model.session.catalogs.apply_outcome(model.session.catalogs.current_index(), outcome);
    let words = edit_notice(&model.view(), outcome);
    match outcome.worst_added_finding().filter(|brought| brought.severity() == Severity::Error) {
        // Edits with errors are applied too, because users edit step by step.
        Some(error) => {
            let rule = error.rule.id;
            model.notices.report_refusal(format!("applied, with a new error ({rule}): {words}"));
        }
        None => model.notices.report_done(words),
    }
    let last = match &outcome.edit {
        Edit::Several { edits, .. } => edits.last().unwrap_or(&outcome.edit),
        edit => edit,
    };
    let mut effects = Vec::new();
    if let Edit::RemoveEntry { .. } | Edit::RemoveBundle { .. } | Edit::RemoveChannel { .. } = last {
        model.derive();
        // Removed items may still have a row.
        let selected = model.session.selection().bundle.as_ref();
        let stays = model.list_cursor(list) == row
            && selected.is_some_and(|name| model.session.derived.removed_entry(name).is_some());
        let last = model.row_count(list).checked_sub(1);
        if let Some((row, last)) = row.zip(last) {
            let next = match stays {
                false => row.min(last),
                true if row < last => row + 1,
                true => row.saturating_sub(1),
            };
            effects = model.select_row(list, next);
        }
    } else if let Edit::Deprecate { .. } = last {
        model.derive();
        effects = model.with_screen(|screen, cx| screen.follow_edit(&outcome.edit, cx)).1;
    }
    model.session.correct_selection();
    effects
}
