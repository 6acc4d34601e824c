//! Dialog with the problems in the configuration.

use super::dialog::{DialogState, RowCursor};
use crate::tui::{keys::Dialog, session::settings::Settings};

/// State of the dialog. The problems themselves are part of the settings.
#[derive(Debug)]
pub struct ConfigurationProblems {
    /// Number of problems.
    pub count: usize,
    /// Index of the selected problem.
    pub cursor: usize,
}

impl ConfigurationProblems {
    /// Counts the problems of the settings.
    pub(in crate::tui) fn new(settings: &Settings) -> Self {
        Self { count: settings.configuration.problems.len(), cursor: 0 }
    }
}

impl DialogState for ConfigurationProblems {
    fn id(&self) -> Dialog {
        Dialog::Configuration
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.count, cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }
}
