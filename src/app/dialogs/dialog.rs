//! Interface of all dialogs.

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

/// Result of handling a key in a dialog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Keeps the dialog open.
    Stay,
    /// Closes the dialog.
    Close,
    /// Replaces the dialog with another one.
    Instead(Opening),
    /// Opens another dialog above this one.
    Above(Opening),
}

/// Reaction of a dialog to the end of a background operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waited {
    /// Dialog was not waiting for the operation.
    No,
    /// Dialog was waiting and closes.
    Done,
    /// Dialog was waiting and shows the error.
    Stays,
}

/// Rows of a dialog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// Number of rows.
    pub count: usize,
    /// Index of the row with the cursor.
    pub cursor: usize,
}

impl Rows {
    /// Returns the new cursor position if the key moves the cursor. `page` is the number of rows on
    /// a page.
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

/// State of a dialog and its reaction to keys. A dialog does not know screens or other dialogs; it
/// sends requests with [`Step`] and [`Cx`].
pub trait DialogState {
    /// Returns the kind of dialog.
    fn id(&self) -> Dialog;

    /// Handles a key. The shell handles cancellation and cursor movement itself.
    fn press(&mut self, press: Press, _cx: &mut Cx<'_>) -> Step {
        if press == Press::Action(ActionId::Accept) { Step::Close } else { Step::Stay }
    }

    /// Reacts to its cancellation.
    fn cancelled(&mut self, _cx: &mut Cx<'_>) {}

    /// Returns the text field that receives typed keys.
    fn field(&mut self) -> Option<&mut Input> {
        None
    }

    /// Returns the preview of the edit.
    fn prospect(&mut self) -> Option<&mut Prospect> {
        None
    }

    /// Returns the rows if the dialog has a cursor.
    fn rows(&self) -> Option<Rows> {
        None
    }

    /// Moves the cursor to a row.
    fn set_cursor(&mut self, _row: usize) {}

    /// Returns true if a click on the selected row accepts it. If Enter may write, a click only
    /// selects.
    fn click_accepts(&self) -> bool {
        false
    }

    /// Receives the answer of the dialog above this one.
    fn replied(&mut self, _reply: Reply, _see: &See<'_>) {}

    /// Reacts to the end of a write, with the reason if it failed. `asked` is the requested path;
    /// `None` for a copy of the catalog.
    fn wrote(&mut self, _asked: Option<&Path>, _refused: Option<&str>) -> Waited {
        Waited::No
    }

    /// Reacts to the loaded base of a comparison, or to the reason why it could not be loaded.
    fn was_read(&mut self, _base: &Base, _refused: Option<&Refusal>) -> Waited {
        Waited::No
    }

    /// Reacts to the end of an image fetch with the number of failed images.
    fn fetch_ended(&mut self, _failed: usize) -> Waited {
        Waited::No
    }

    /// Receives path completions for the text that was typed when they were requested.
    fn listed(&mut self, _typed: &str, _outcome: &Result<Names, Refusal>) {}

    /// Goes back a step within the dialog. Returns false if the dialog has to close instead.
    fn steps_back(&mut self) -> bool {
        false
    }

    /// Reacts to a new bundle, or to the reason why it could not be read.
    fn bundle_read(
        &mut self,
        _path: &Path,
        _image: &str,
        _outcome: &Result<Arc<NewBundle>, Refusal>,
        _see: &See<'_>,
    ) {
    }

    /// Reacts to the end of a search for edits that free stuck versions.
    fn remedies_found(&mut self, _asked: &Arc<RemedySearch>, _found: Remedies, _see: &See<'_>) {}

    /// Reacts to the comparison of two bundle directories, or to the reason why it failed.
    fn bundles_compared(
        &mut self,
        _sought: &[SoughtBundle; 2],
        _outcome: &Result<Arc<BundlesCompared>, Refusal>,
    ) {
    }

    /// Recomputes derived state; cheap if nothing changed.
    fn settle(&mut self, _see: &See<'_>) {}
}
