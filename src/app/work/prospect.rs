//! State of a dialog's preview.

use super::preview::Preview;
use crate::edit::Edit;

/// Preview of a dialog's edit: none, pending or ready.
#[derive(Debug, Default)]
pub enum Prospect {
    /// The dialog has no edit.
    #[default]
    Nothing,
    /// The preview is computed in the background, so that a frame does not wait for it.
    Awaited(Edit),
    /// The preview is ready.
    Known(Preview),
}

impl Prospect {
    /// Returns the preview if it is ready.
    pub fn known(&self) -> Option<&Preview> {
        match self {
            Self::Known(preview) => Some(preview),
            Self::Nothing | Self::Awaited(_) => None,
        }
    }

    /// Returns the edit whose preview is pending.
    pub(in crate::app) fn awaited(&self) -> Option<&Edit> {
        match self {
            Self::Awaited(edit) => Some(edit),
            Self::Nothing | Self::Known(_) => None,
        }
    }

    /// Returns true if there is no edit.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}
