//! What every dialog can be asked.

use std::path::Path;

use tui_input::Input;

use crate::app::{
    keys::{Dialog, Press},
    session::cx::{Cx, See},
    work::{Opening, Reply},
};

/// What becomes of a dialog after a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// It stays.
    Stay,
    /// It goes.
    Close,
    /// It gives way to another one.
    Instead(Opening),
    /// Another one opens above it.
    Above(Opening),
}

/// What a dialog makes of the news that something was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waited {
    /// It does not wait for that.
    No,
    /// That was what it waited for: it goes.
    Done,
    /// That was what it waited for, and it went wrong: it says so.
    Stays,
}

/// A dialog: its own state, and what keys do with it. It knows no screen and no other dialog: what it wants of them it says
/// by [`Step`] and [`Cx`].
pub trait DialogState {
    /// What sort of dialog it is.
    fn id(&self) -> Dialog;

    /// Does what a key stands for.
    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step;

    /// The field that gets the keys, where one does.
    fn field(&mut self) -> Option<&mut Input> {
        None
    }

    /// How many rows it has.
    fn rows(&self) -> usize {
        0
    }

    /// The row the cursor is on.
    fn cursor(&self) -> Option<usize> {
        None
    }

    /// Puts the cursor on a row.
    fn set_cursor(&mut self, _row: usize) {}

    /// Whether a click on the row under the cursor takes it. Where Enter may write, a click only selects.
    fn click_accepts(&self) -> bool {
        false
    }

    /// The dialog above this one answers.
    fn replied(&mut self, _reply: Reply, _see: &See<'_>) {}

    /// Something was written, or was not and here is why. `asked` is the path that was asked for; `None` where it is a copy
    /// of the catalog.
    fn wrote(&mut self, _asked: Option<&Path>, _refused: Option<&str>) -> Waited {
        Waited::No
    }

    /// Makes what it shows true again. Cheap where nothing changed.
    fn settle(&mut self, _see: &See<'_>) {}
}
