//! Actions of the shell by topic. They need more context than a target.

mod finding;
mod moving;
mod news;
mod places;

pub(super) use finding::FINDING;
pub(super) use moving::MOVING;
pub(super) use news::{MOUSE, NEWS};
pub(super) use places::PLACES;

use super::model::Model;
use crate::app::{
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
    pub(super) can: fn(&Model) -> Enabled,
    /// Runs the action.
    pub(super) run: fn(&mut Model) -> Vec<Effect>,
}

#[allow(clippy::unnecessary_wraps, reason = "it stands in a table beside others that refuse")]
fn always(_: &Model) -> Enabled {
    Ok(())
}

const fn act(spec: ActionSpec, run: fn(&mut Model) -> Vec<Effect>) -> ShellAction {
    ShellAction { spec, can: always, run }
}

impl ShellAction {
    const fn also(self, words: &'static [&'static str]) -> Self {
        Self { spec: self.spec.also(words), ..self }
    }

    const fn when(self, can: fn(&Model) -> Enabled) -> Self {
        Self { can, ..self }
    }
}

/// Returns an action of the shell.
pub(super) fn find(id: ActionId) -> Option<&'static ShellAction> {
    [NEWS, FINDING, MOVING, PLACES, MOUSE].into_iter().flatten().find(|action| action.spec.id == id)
}
