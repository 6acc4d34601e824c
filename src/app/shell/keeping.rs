//! Making an edit: the state, what is said of it, and what is selected then.

use crate::app::keys::Screen;
use crate::app::parts::list::ListId;
use crate::app::screens::deprecations::rows::DeprecationRow;
use crate::app::session::{editing::told, what_if};
use crate::app::shell::model::Model;
use crate::app::work::Effect;
use crate::app::work::opening::Purpose;
use crate::app::work::preview::Outcome;
use crate::edit::Edit;

/// Makes the state an edit leads to the present one. Of what is gone, the next row is selected.
pub(in crate::app) fn accept(model: &mut Model, outcome: &Outcome) {
    let list = model.list_below();
    let row = model.cursor(list);
    let current = model.session.current;
    model.session.keep(current, outcome);
    let words = told(&model.see(), outcome);
    model.notices.done(words);
    let last = match &outcome.edit {
        Edit::Several { edits, .. } => edits.last().unwrap_or(&outcome.edit),
        edit => edit,
    };
    match last {
        Edit::RemoveEntry { .. } | Edit::RemoveBundle { .. } | Edit::RemoveChannel { .. } => {
            model.derive();
            let last = model.rows(list).checked_sub(1);
            if let Some((row, last)) = row.zip(last) {
                model.select(list, row.min(last));
            }
        }
        Edit::Deprecate { .. } if model.session.screen == Screen::Deprecations => {
            model.derive();
            follow(model, &outcome.edit);
        }
        _ => {}
    }
    model.session.settle();
}

/// What was suggested stands with what is deprecated now; the cursor goes along, to the first where there are several.
fn follow(model: &mut Model, edit: &Edit) {
    let first = match edit {
        Edit::Several { edits, .. } => edits.first(),
        edit => Some(edit),
    };
    let Some(Edit::Deprecate { package, target, .. }) = first else { return };
    let is_it = |row: &DeprecationRow| {
        row.deprecated().is_some() && row.package == *package && row.target() == Some(target)
    };
    if let Some(row) = model.derived.deprecations().iter().position(is_it) {
        model.select(ListId::Deprecations, row);
    }
}

/// Makes what was asked for: an edit, or a supposition.
pub(in crate::app) fn keep(model: &mut Model, purpose: Purpose, outcome: &Outcome) -> Vec<Effect> {
    match purpose {
        Purpose::Suppose => model.with(|cx| what_if::suppose_at_once(cx, outcome.edit.clone())),
        Purpose::Edit => {
            accept(model, outcome);
            Vec::new()
        }
    }
}
