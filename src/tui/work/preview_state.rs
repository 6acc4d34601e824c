//! State of a dialog's preview.

use super::preview::Preview;
use olm_edit::Edit;

/// Preview of a dialog's edit: none, pending or ready.
#[derive(Debug, Default)]
pub enum PreviewState {
    /// The dialog has no edit.
    #[default]
    NoEdit,
    /// The preview is computed in the background, so that a frame does not wait for it.
    Pending(Edit),
    /// The preview is ready.
    Ready(Preview),
}

impl PreviewState {
    /// Returns the preview if it is ready.
    pub fn ready_preview(&self) -> Option<&Preview> {
        match self {
            Self::Ready(preview) => Some(preview),
            Self::NoEdit | Self::Pending(_) => None,
        }
    }

    /// Returns the edit whose preview is pending.
    pub(in crate::tui) fn pending_edit(&self) -> Option<&Edit> {
        match self {
            Self::Pending(edit) => Some(edit),
            Self::NoEdit | Self::Ready(_) => None,
        }
    }

    /// Returns true if there is no edit.
    pub fn has_no_edit(&self) -> bool {
        matches!(self, Self::NoEdit)
    }
}
