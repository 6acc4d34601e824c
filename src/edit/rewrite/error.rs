//! Why a document could not be rewritten in place.

use std::fmt;

use crate::catalog::{ReadError, Span};

/// Why a document could not be rewritten. The text is untouched in every case.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// The part to change is written in a way that cannot be changed surely.
    #[error("{what} here cannot be edited in place")]
    Unsupported {
        /// What is in the way.
        what: Obstacle,
        /// Where it stands in the document text.
        span: Span,
    },
    /// The change lies, or reaches, deeper than any catalog is nested.
    #[error("the change is nested too deep")]
    TooDeep,
    /// The document as a whole would become something other than a map with members.
    #[error("a document must stay a map and not be empty")]
    NotAMap,
    /// The tree was not read from this text.
    #[error("internal error: the tree does not belong to the text")]
    ForeignTree,
    /// What was written cannot be read: a mistake of ours. Nothing is lost, the edit was not made.
    #[error("internal error: the edited document cannot be read: {0}")]
    Unreadable(#[source] ReadError),
    /// What was written means something else than it should: a mistake of ours. Nothing is lost, the edit was not
    /// made.
    #[error("internal error: the edited document would not match the edit")]
    WrongMeaning,
}

/// What cannot be edited in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// `&name`: other places may refer to it.
    Anchor,
    /// `*name`: it stands for something written elsewhere.
    Alias,
    /// `<<`: keys that are written elsewhere.
    MergeKey,
    /// `!tag`.
    Tag,
    /// `? key`, a key of several lines, or a pair without braces inside brackets.
    UnusualKey,
    /// Anything else that was not expected there.
    UnusualLayout,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anchor => "an anchor (&)",
            Self::Alias => "an alias (*)",
            Self::MergeKey => "a merge key (<<)",
            Self::Tag => "a tag (!)",
            Self::UnusualKey => "an unusual key",
            Self::UnusualLayout => "an unusual layout",
        })
    }
}

impl RewriteError {
    /// Where in the document text it is, as far as it is anywhere.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Unsupported { span, .. } => Some(*span),
            _ => None,
        }
    }

    /// What the user can do about it, as a sentence.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unsupported { .. } | Self::TooDeep => "Make this edit in $EDITOR.",
            Self::NotAMap => "Remove the whole document instead.",
            Self::ForeignTree => "Reload the catalog.",
            Self::Unreadable(_) | Self::WrongMeaning => {
                "Nothing was changed. Make this edit in $EDITOR, and please report the document."
            }
        }
    }
}
