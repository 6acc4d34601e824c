//! Actions of the Changes screen.

use super::Changes;
use crate::tui::{
    keys::{
        ActionId, Screen,
        spec::{ActionContext::On, Enabled, WriteScope},
    },
    session::{
        action::{Action, action},
        context::{Context, ViewContext},
        saving,
    },
};

/// The actions.
pub static TABLE: &[Action<Changes>] = &[action(
    ActionId::Write,
    On(&[Screen::Changes]),
    &["enter"],
    "write",
    "Save the changed files; in a comparison, Enter goes to the change",
    save_changes,
)
.with_search_terms(&["save"])
.with_hint()
.with_write_scope(WriteScope::Package)
.enabled_when(has_changes)];

fn has_changes(_: &Changes, view_cx: &ViewContext<'_>) -> Enabled {
    saving::has_changes(view_cx)
}

fn save_changes(_: &mut Changes, cx: &mut Context<'_>) {
    saving::save_all(cx);
}
