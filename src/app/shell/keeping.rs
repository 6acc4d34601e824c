//! Application of edits: new state, notice, and selection.

use super::model::Model;
use crate::{
    app::{
        session::{editing::told, what_if},
        work::{Effect, opening::Purpose, preview::Outcome},
    },
    edit::Edit,
    validate::Severity,
};

/// Applies an edit, or adds it to the what-if.
pub(super) fn keep(model: &mut Model, purpose: Purpose, outcome: &Outcome) -> Vec<Effect> {
    match purpose {
        Purpose::Suppose => model.with(|cx| what_if::suppose_known(cx, outcome)),
        Purpose::Edit => accept(model, outcome),
    }
}

/// Makes the result of an edit the current state. If a row was removed, selects the next one.
fn accept(model: &mut Model, outcome: &Outcome) -> Vec<Effect> {
    let list = model.list_below();
    let row = model.cursor(list);
    model.session.keep(model.session.current, outcome);
    let words = told(&model.see(), outcome);
    match outcome.brings().filter(|brought| brought.severity() == Severity::Error) {
        // Edits with errors are applied too, because users edit step by step.
        Some(error) => {
            let error = format!("{}: {}", error.rule.id, error.message);
            model.notices.refused(format!("{error}; edited: {words}"));
        }
        None => model.notices.done(words),
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
        let stays =
            model.cursor(list) == row && selected.is_some_and(|name| model.session.gone(name).is_some());
        let last = model.rows(list).checked_sub(1);
        if let Some((row, last)) = row.zip(last) {
            let next = match stays {
                false => row.min(last),
                true if row < last => row + 1,
                true => row.saturating_sub(1),
            };
            effects = model.select(list, next);
        }
    } else if let Edit::Deprecate { .. } = last {
        model.derive();
        effects = model.with_screen(|screen, cx| screen.edited(&outcome.edit, cx)).1;
    }
    model.session.settle();
    effects
}
