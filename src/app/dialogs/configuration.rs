//! What is wrong in the configuration.

use super::dialog::{DialogState, Rows};
use crate::app::{keys::Dialog, session::settings::Settings};

/// Its problems; they themselves stand in the settings.
#[derive(Debug)]
pub struct ConfigurationProblems {
    /// How many there are.
    pub count: usize,
    /// The row.
    pub cursor: usize,
}

impl ConfigurationProblems {
    /// Those there are.
    pub(in crate::app) fn new(settings: &Settings) -> Self {
        Self { count: settings.configuration.problems.len(), cursor: 0 }
    }
}

impl DialogState for ConfigurationProblems {
    fn id(&self) -> Dialog {
        Dialog::Configuration
    }

    fn rows(&self) -> Option<Rows> {
        Some(Rows { count: self.count, cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }
}
