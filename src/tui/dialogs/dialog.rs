//! Interface of all dialogs.

use std::{any::Any, fmt::Debug, path::Path};

use crate::tui::{
    keys::{
        ActionId, Dialog, KeyPress, Keymap,
        spec::{ActionSpec, Enabled},
    },
    parts::{field::TextField, list::ListId},
    session::context::{Context, ViewContext},
    widgets::{
        canvas::{Canvas, ListView, Rect},
        lists,
    },
    work::{Base, JobResult, NewDialog, PreviewState, UserError},
};

/// Result of handling a key in a dialog.
#[derive(Debug)]
pub enum DialogStep {
    /// Keeps the dialog open.
    Stay,
    /// Closes the dialog.
    Close,
    /// Replaces the dialog with another one.
    Replace(Box<dyn DialogState>),
    /// Opens another dialog above this one.
    OpenAbove(Box<dyn DialogState>),
}

/// Reaction of a dialog to the end of a background operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperationResponse {
    /// Dialog was not waiting for the operation.
    NotWaiting,
    /// Dialog was waiting and closes.
    Close,
    /// Dialog was waiting and shows the error.
    ShowError,
}

/// Number of rows of a dialog and the position of its cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowCursor {
    /// Number of rows.
    pub count: usize,
    /// Index of the row with the cursor.
    pub cursor: usize,
}

impl RowCursor {
    /// Returns the new cursor position if the key moves the cursor. `page` is the number of rows on
    /// a page.
    #[must_use]
    pub fn move_by_key(self, press: KeyPress, page: usize) -> Option<usize> {
        let KeyPress::Action(action) = press else { return None };
        let last = self.count.saturating_sub(1);
        let down = |by: usize| self.cursor.saturating_add(by).min(last);
        Some(match action {
            ActionId::RowDown => down(1),
            ActionId::RowUp => self.cursor.saturating_sub(1),
            ActionId::DialogPageDown => down(page),
            ActionId::DialogPageUp => self.cursor.saturating_sub(page),
            ActionId::RowFirst => 0,
            ActionId::RowLast => last,
            _ => return None,
        })
    }
}

/// State of a dialog, its view and its reaction to keys. A dialog does not know screens; it sends
/// requests with [`DialogStep`] and [`Context`].
pub trait DialogState: Any + Debug {
    /// Returns the kind of dialog.
    fn id(&self) -> Dialog;

    /// Returns true if the dialog opens without a key. A key that was pressed before it was drawn is
    /// not an answer to it.
    fn opens_by_itself(&self) -> bool {
        false
    }

    /// Handles a key. The shell handles cancellation and cursor movement itself.
    fn handle_press(&mut self, press: KeyPress, _cx: &mut Context<'_>) -> DialogStep {
        if press == KeyPress::Action(ActionId::Accept) { DialogStep::Close } else { DialogStep::Stay }
    }

    /// Draws the dialog above the screen. `area` is the whole terminal.
    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect);

    /// Reacts to its cancellation.
    fn on_cancel(&mut self, _cx: &mut Context<'_>) {}

    /// Returns the text field that receives typed keys.
    fn text_field(&mut self) -> Option<&mut TextField> {
        None
    }

    /// Returns the preview of the dialog's edit. `None` if the dialog does not preview edits.
    fn edit_preview(&mut self) -> Option<&mut PreviewState> {
        None
    }

    /// Returns the rows if the dialog has a cursor.
    fn row_cursor(&self) -> Option<RowCursor> {
        None
    }

    /// Moves the cursor to a row.
    fn set_cursor(&mut self, _row: usize) {}

    /// Returns true if a click on the selected row accepts it. If Enter may write, a click only
    /// selects.
    fn click_accepts(&self) -> bool {
        false
    }

    /// Reacts to the end of a write, with the reason if it failed. The path is the one in the
    /// request; `None` for a copy of the catalog.
    fn on_written(&mut self, _requested_path: Option<&Path>, _error: Option<&str>) -> OperationResponse {
        OperationResponse::NotWaiting
    }

    /// Reacts to the loaded base of a comparison, or to the reason why it could not be loaded.
    fn on_base_loaded(&mut self, _base: &Base, _error: Option<&UserError>) -> OperationResponse {
        OperationResponse::NotWaiting
    }

    /// Reacts to the end of an image fetch with the number of failed images.
    fn on_fetch_ended(&mut self, _failed: usize) -> OperationResponse {
        OperationResponse::NotWaiting
    }

    /// Receives the answer of a background job. Ignores answers to questions that it did not ask.
    fn on_answer(&mut self, _result: &JobResult, _cx: &mut Context<'_>) {}

    /// Goes back a step within the dialog. Returns false if the dialog has to close instead.
    fn go_back(&mut self) -> bool {
        false
    }

    /// Stores which actions are possible now, if the dialog lists actions.
    fn check_actions(&mut self, _check: &dyn Fn(&ActionSpec) -> Enabled, _keys: &Keymap) {}

    /// Recomputes derived state; cheap if nothing changed.
    fn refresh_state(&mut self, _see: &ViewContext<'_>) {}
}

impl dyn DialogState {
    /// Returns the state of the dialog if it has the given type.
    pub fn downcast<T: DialogState>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }
}

impl<D: DialogState> From<D> for NewDialog {
    fn from(dialog: D) -> Self {
        Self::wrap::<Box<dyn DialogState>>(Box::new(dialog))
    }
}

/// Returns the properties for drawing the rows of a dialog.
pub fn dialog_list(dialog: &dyn DialogState, view_cx: &ViewContext<'_>, canvas: &Canvas<'_>) -> ListView {
    let rows = dialog.row_cursor();
    lists::list_view(
        view_cx,
        canvas,
        ListId::Dialog(canvas.dialogs_below),
        rows.map_or(0, |rows| rows.count),
        rows.map(|rows| rows.cursor),
    )
}
