//! Actions of the shell by topic. They need more context than a target.

mod changes;
mod movement;
mod places;
mod search;

pub(super) use changes::CHANGE_ACTIONS;
pub(super) use movement::MOVING;
pub(super) use places::PLACES;
pub(super) use search::FINDING;

use super::model::Model;
use crate::tui::{
    keys::{
        ActionId,
        spec::{ActionSpec, Enabled},
    },
    work::Effect,
};

/// Action of the shell.
#[derive(Debug)]
pub(super) struct ShellAction {
    /// Static metadata of the action.
    pub(super) spec: ActionSpec,
    /// Returns the reason if the action is not possible now.
    pub(super) is_enabled: fn(&Model) -> Enabled,
    /// Runs the action.
    pub(super) run: fn(&mut Model) -> Vec<Effect>,
}

#[allow(clippy::unnecessary_wraps, reason = "it stands in a table beside others that refuse")]
fn always_enabled(_: &Model) -> Enabled {
    Ok(())
}

const fn shell_action(spec: ActionSpec, run: fn(&mut Model) -> Vec<Effect>) -> ShellAction {
    ShellAction { spec, is_enabled: always_enabled, run }
}

impl ShellAction {
    const fn with_search_terms(self, words: &'static [&'static str]) -> Self {
        Self { spec: self.spec.with_search_terms(words), ..self }
    }

    const fn enabled_when(self, can: fn(&Model) -> Enabled) -> Self {
        Self { is_enabled: can, ..self }
    }
}

/// Returns an action of the shell.
pub(super) fn find_shell_action(id: ActionId) -> Option<&'static ShellAction> {
    [CHANGE_ACTIONS, FINDING, MOVING, PLACES].into_iter().flatten().find(|action| action.spec.id == id)
}
