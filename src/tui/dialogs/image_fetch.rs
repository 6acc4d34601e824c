//! Dialog that chooses which bundle images to fetch, then shows the progress.

use super::dialog::{DialogState, DialogStep, OperationResponse, RowCursor};
use crate::tui::{
    keys::{ActionId, Dialog, KeyPress},
    session::{
        context::{Context, ViewContext},
        image_fetch,
    },
    work::dialog_request::FetchChoice,
};
use olm_catalog::PackageName;

/// State of the dialog.
#[derive(Debug)]
pub struct ImageFetch {
    /// Package of the bundles.
    pub package: PackageName,
    /// Sets of images to choose from.
    pub choices: Vec<FetchChoice>,
    /// True after a set was chosen; the dialog then shows the progress.
    pub is_started: bool,
    /// Index of the selected choice, or of the selected failed image after the start.
    pub cursor: usize,
    failed_images: usize,
}

impl ImageFetch {
    /// Opens the dialog with the cursor on the given choice.
    pub(in crate::tui) fn new(package: PackageName, choices: Vec<FetchChoice>, cursor: usize) -> Self {
        Self { package, choices, is_started: false, cursor, failed_images: 0 }
    }
}

impl DialogState for ImageFetch {
    fn id(&self) -> Dialog {
        Dialog::Fetch
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if press != KeyPress::Action(ActionId::Accept) {
            return DialogStep::Stay;
        }
        if self.is_started {
            return if cx.session.image_fetch.is_running { DialogStep::Stay } else { DialogStep::Close };
        }
        if let Some(chosen) = self.choices.get(self.cursor) {
            image_fetch::start_fetch(cx, self.package.clone(), chosen.images.clone());
            self.is_started = true;
            self.cursor = 0;
        }
        DialogStep::Stay
    }

    fn on_cancel(&mut self, cx: &mut Context<'_>) {
        if self.is_started {
            image_fetch::stop_fetch(cx);
        }
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        let count = if self.is_started { self.failed_images } else { self.choices.len() };
        Some(RowCursor { count, cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn on_fetch_ended(&mut self, failed: usize) -> OperationResponse {
        match (self.is_started, failed) {
            (false, _) => OperationResponse::NotWaiting,
            (true, 0) => OperationResponse::Close,
            (true, _) => OperationResponse::ShowError,
        }
    }

    fn refresh_state(&mut self, view_cx: &ViewContext<'_>) {
        self.failed_images = view_cx.session.image_fetch.failed.len();
    }
}
