//! Actions of the Changes screen.

use super::Changes;
use crate::app::{
    keys::{
        ActionId, Screen,
        spec::{Context::On, Enabled, Writes},
    },
    session::{
        action::{Action, action},
        cx::{Cx, See},
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
    write,
)
.also(&["save"])
.hinted()
.writing(Writes::Package)
.when(has_changes)];

fn has_changes(_: &Changes, see: &See<'_>) -> Enabled {
    saving::has_changes(see)
}

fn write(_: &mut Changes, cx: &mut Cx<'_>) {
    saving::write(cx);
}
