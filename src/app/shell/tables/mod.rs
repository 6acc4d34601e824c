//! The actions of the shell, by what they are about: those that need more than what is highlighted.

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

/// An action of the shell.
#[derive(Debug)]
pub(super) struct ShellAction {
    /// What is said of it.
    pub(super) spec: ActionSpec,
    /// Whether it can be done now, and if not, why.
    pub(super) can: fn(&Model) -> Enabled,
    /// Does it.
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

/// The action of a name.
pub(super) fn find(id: ActionId) -> Option<&'static ShellAction> {
    [NEWS, FINDING, MOVING, PLACES, MOUSE].into_iter().flatten().find(|action| action.spec.id == id)
}
