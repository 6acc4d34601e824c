//! Dialog with the commits that changed a package.

use super::dialog::{DialogState, DialogStep, RowCursor};
use crate::tui::{
    keys::{ActionId, Dialog, KeyPress},
    session::{
        context::{Context, ViewContext},
        git_history,
    },
};
use olm_catalog::PackageName;

/// State of the dialog.
#[derive(Debug)]
pub struct HistoryList {
    /// Package of the history.
    pub package: PackageName,
    /// Index of the selected row. The first row is the present, followed by the commits, newest
    /// first.
    pub cursor: usize,
    commit_count: usize,
    /// True after the cursor was moved to the shown commit.
    is_cursor_placed: bool,
}

impl HistoryList {
    /// Opens an empty list.
    pub(in crate::tui) fn new(package: PackageName) -> Self {
        Self { package, cursor: 0, commit_count: 0, is_cursor_placed: false }
    }
}

impl DialogState for HistoryList {
    fn id(&self) -> Dialog {
        Dialog::History
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if press != KeyPress::Action(ActionId::Accept) {
            return DialogStep::Stay;
        }
        match (&cx.session.git_history.result, self.cursor.checked_sub(1)) {
            (None, _) => return DialogStep::Stay,
            (Some(Err(_)), _) => {}
            (Some(Ok(_)), None) => git_history::end_history(cx),
            (Some(Ok(_)), Some(at)) => git_history::show_requested_commit(cx, at),
        }
        DialogStep::Close
    }

    fn on_cancel(&mut self, cx: &mut Context<'_>) {
        if cx.session.git_history.result.is_none() {
            git_history::stop_reading_history(cx);
        }
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        let count = if self.commit_count == 0 { 0 } else { self.commit_count + 1 };
        Some(RowCursor { count, cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn refresh_state(&mut self, view_cx: &ViewContext<'_>) {
        let Some(Ok(history)) = &view_cx.session.git_history.result else { return };
        self.commit_count = history.steps.len();
        if !std::mem::replace(&mut self.is_cursor_placed, true) {
            let at = view_cx.session.past_commit().filter(|past| past.history.package == self.package);
            let commit = at.and_then(|past| past.step()).map(|step| &step.committed.commit);
            let at =
                commit.and_then(|commit| history.steps.iter().position(|s| s.committed.commit == *commit));
            self.cursor = at.map_or_else(|| self.commit_count.min(1), |at| at + 1);
        }
        self.cursor = self.cursor.min(self.commit_count);
    }
}
