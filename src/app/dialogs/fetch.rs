//! Dialog that chooses which bundle images to fetch, then shows the progress.

use super::dialog::{DialogState, Rows, Step, Waited};
use crate::{
    app::{
        keys::{ActionId, Dialog, Press},
        session::{
            cx::{Cx, See},
            fetching,
        },
        work::opening::ToFetch,
    },
    catalog::PackageName,
};

/// State of the dialog.
#[derive(Debug)]
pub struct Fetch {
    /// Package of the bundles.
    pub package: PackageName,
    /// Sets of images to choose from.
    pub choices: Vec<ToFetch>,
    /// True after a set was chosen; the dialog then shows the progress.
    pub is_begun: bool,
    /// Index of the selected choice, or of the selected failed image after the start.
    pub cursor: usize,
    failed: usize,
}

impl Fetch {
    /// Opens the dialog with the cursor on the given choice.
    pub(in crate::app) fn new(package: PackageName, choices: Vec<ToFetch>, cursor: usize) -> Self {
        Self { package, choices, is_begun: false, cursor, failed: 0 }
    }
}

impl DialogState for Fetch {
    fn id(&self) -> Dialog {
        Dialog::Fetch
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        if press != Press::Action(ActionId::Accept) {
            return Step::Stay;
        }
        if self.is_begun {
            return if cx.session.fetching.is_running { Step::Stay } else { Step::Close };
        }
        if let Some(chosen) = self.choices.get(self.cursor) {
            fetching::begin(cx, self.package.clone(), chosen.images.clone());
            self.is_begun = true;
            self.cursor = 0;
        }
        Step::Stay
    }

    fn cancelled(&mut self, cx: &mut Cx<'_>) {
        if self.is_begun {
            fetching::stop(cx);
        }
    }

    fn rows(&self) -> Option<Rows> {
        let count = if self.is_begun { self.failed } else { self.choices.len() };
        Some(Rows { count, cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn fetch_ended(&mut self, failed: usize) -> Waited {
        match (self.is_begun, failed) {
            (false, _) => Waited::No,
            (true, 0) => Waited::Done,
            (true, _) => Waited::Stays,
        }
    }

    fn settle(&mut self, see: &See<'_>) {
        self.failed = see.session.fetching.failed.len();
    }
}
