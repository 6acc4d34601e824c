//! What every dialog can be asked.

use std::{path::Path, sync::Arc};

use tui_input::Input;

use crate::{
    app::{
        keys::{ActionId, Dialog, Press},
        session::cx::{Cx, See},
        work::{
            Base, Opening, Prospect, Refusal, Reply,
            effect::SoughtBundle,
            outcome::{BundlesCompared, Names},
            remedy::{Remedies, RemedySearch},
        },
    },
    bundle::NewBundle,
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

/// The rows of a dialog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// How many there are.
    pub count: usize,
    /// The row the cursor is on.
    pub cursor: usize,
}

impl Rows {
    /// Where a key puts the cursor, where it does; `page` is how many rows a page has.
    #[must_use]
    pub fn moved(self, press: Press, page: usize) -> Option<usize> {
        let Press::Action(action) = press else { return None };
        let last = self.count.saturating_sub(1);
        let down = |by: usize| self.cursor.saturating_add(by).min(last);
        Some(match action {
            ActionId::RowDown => down(1),
            ActionId::RowUp => self.cursor.saturating_sub(1),
            ActionId::RowPageDown => down(page),
            ActionId::RowPageUp => self.cursor.saturating_sub(page),
            ActionId::RowFirst => 0,
            ActionId::RowLast => last,
            _ => return None,
        })
    }
}

/// A dialog: its own state, and what keys do with it. It knows no screen and no other dialog: what it wants of them it says
/// by [`Step`] and [`Cx`].
pub trait DialogState {
    /// What sort of dialog it is.
    fn id(&self) -> Dialog;

    /// Does what a key stands for. What cancels, and what moves the cursor, does not come here: the shell does that.
    fn press(&mut self, press: Press, _cx: &mut Cx<'_>) -> Step {
        if press == Press::Action(ActionId::Accept) { Step::Close } else { Step::Stay }
    }

    /// It is cancelled, and goes.
    fn cancelled(&mut self, _cx: &mut Cx<'_>) {}

    /// The field that gets the keys, where one does.
    fn field(&mut self) -> Option<&mut Input> {
        None
    }

    /// Where the edit leads that it stands for.
    fn prospect(&mut self) -> Option<&mut Prospect> {
        None
    }

    /// Its rows, where it has a cursor that goes through them.
    fn rows(&self) -> Option<Rows> {
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

    /// What one wants to compare with was read, or was not and here is why.
    fn was_read(&mut self, _base: &Base, _refused: Option<&Refusal>) -> Waited {
        Waited::No
    }

    /// No more images are fetched, and so many could not be.
    fn fetch_ended(&mut self, _failed: usize) -> Waited {
        Waited::No
    }

    /// Names on disk that a path could go on with, as it was typed when it asked for them.
    fn listed(&mut self, _typed: &str, _outcome: &Result<Names, Refusal>) {}

    /// Goes back a step within the dialog, in place of closing it; whether there was one.
    fn steps_back(&mut self) -> bool {
        false
    }

    /// A new bundle was read, or was not and here is why.
    fn bundle_read(
        &mut self,
        _path: &Path,
        _image: &str,
        _outcome: &Result<Arc<NewBundle>, Refusal>,
        _see: &See<'_>,
    ) {
    }

    /// A search for edits that free stuck versions ended.
    fn remedies_found(&mut self, _asked: &Arc<RemedySearch>, _found: Remedies, _see: &See<'_>) {}

    /// Two bundles were compared by their directories, or were not and here is why.
    fn bundles_compared(
        &mut self,
        _sought: &[SoughtBundle; 2],
        _outcome: &Result<Arc<BundlesCompared>, Refusal>,
    ) {
    }

    /// Makes what it shows true again. Cheap where nothing changed.
    fn settle(&mut self, _see: &See<'_>) {}
}
