//! What a dialog knows of where the edit leads that it stands for: at once, or a little later.

use super::preview::Preview;
use crate::edit::Edit;

/// What a dialog knows of where the edit leads that it stands for.
#[derive(Debug, Default)]
pub enum Prospect {
    /// It stands for no edit.
    #[default]
    Nothing,
    /// It is worked out in the background: a frame must not wait for it.
    Awaited(Edit),
    /// It is known.
    Known(Preview),
}

impl Prospect {
    /// What is known, if it is.
    pub fn known(&self) -> Option<&Preview> {
        match self {
            Self::Known(preview) => Some(preview),
            Self::Nothing | Self::Awaited(_) => None,
        }
    }

    /// The edit that is awaited.
    pub(in crate::app) fn awaited(&self) -> Option<&Edit> {
        match self {
            Self::Awaited(edit) => Some(edit),
            Self::Nothing | Self::Known(_) => None,
        }
    }

    /// Whether there is no edit.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}
