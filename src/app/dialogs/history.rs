//! Dialog with the commits that changed a package.

use super::dialog::{DialogState, Rows, Step};
use crate::{
    app::{
        keys::{ActionId, Dialog, Press},
        session::{
            cx::{Cx, See},
            past,
        },
    },
    catalog::PackageName,
};

/// State of the dialog.
#[derive(Debug)]
pub struct HistoryList {
    /// Package of the history.
    pub package: PackageName,
    /// Index of the selected row. The first row is the present, followed by the commits, newest
    /// first.
    pub cursor: usize,
    commits: usize,
    /// True after the cursor was moved to the shown commit.
    is_placed: bool,
}

impl HistoryList {
    /// Opens an empty list.
    pub(in crate::app) fn new(package: PackageName) -> Self {
        Self { package, cursor: 0, commits: 0, is_placed: false }
    }
}

impl DialogState for HistoryList {
    fn id(&self) -> Dialog {
        Dialog::History
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        if press != Press::Action(ActionId::Accept) {
            return Step::Stay;
        }
        match (&cx.session.looking.found, self.cursor.checked_sub(1)) {
            (None, _) => return Step::Stay,
            (Some(Err(_)), _) => {}
            (Some(Ok(_)), None) => past::end(cx),
            (Some(Ok(_)), Some(at)) => past::choose(cx, at),
        }
        Step::Close
    }

    fn cancelled(&mut self, cx: &mut Cx<'_>) {
        if cx.session.looking.found.is_none() {
            past::stop(cx);
        }
    }

    fn rows(&self) -> Option<Rows> {
        let count = if self.commits == 0 { 0 } else { self.commits + 1 };
        Some(Rows { count, cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn settle(&mut self, see: &See<'_>) {
        let Some(Ok(history)) = &see.session.looking.found else { return };
        self.commits = history.steps.len();
        if !std::mem::replace(&mut self.is_placed, true) {
            let at = see.session.past().filter(|past| past.history.package == self.package);
            let commit = at.and_then(|past| past.step()).map(|step| &step.committed.commit);
            let at =
                commit.and_then(|commit| history.steps.iter().position(|s| s.committed.commit == *commit));
            self.cursor = at.map_or_else(|| self.commits.min(1), |at| at + 1);
        }
        self.cursor = self.cursor.min(self.commits);
    }
}
