//! Errors of rewriting a document in place.

use std::fmt;

use olm_catalog::{ReadError, Span};

/// Reason why a document cannot be rewritten. The text stays unchanged.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// The form of the affected part cannot be edited safely.
    #[error("{what} here cannot be edited in place")]
    Unsupported {
        /// Kind of obstacle.
        what: Obstacle,
        /// Location in the text of the document.
        span: Span,
    },
    /// The change is deeper than any catalog.
    #[error("the change is nested too deep")]
    TooDeep,
    /// The document would not be a map with members.
    #[error("a document must stay a map and not be empty")]
    NotAMap,
    /// The tree does not belong to the text.
    #[error("internal error: the tree does not belong to the text")]
    ForeignTree,
    /// The result cannot be parsed, which is a bug. The edit is not applied.
    #[error("internal error: the edited document cannot be read: {0}")]
    Unreadable(#[source] ReadError),
    /// The result differs from the requested content, which is a bug. The edit is not applied.
    #[error("internal error: the edited document would not match the edit")]
    WrongMeaning,
}

/// Syntax that cannot be edited in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// `&name`, which other places may refer to.
    Anchor,
    /// `*name`, which refers to another place.
    Alias,
    /// `<<`, which includes keys of another place.
    MergeKey,
    /// `!tag`.
    Tag,
    /// `? key`, a multi-line key, or a pair without braces inside brackets.
    UnusualKey,
    /// Any other unexpected syntax.
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
    /// Returns the location in the text of the document, if there is one.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Unsupported { span, .. } => Some(*span),
            _ => None,
        }
    }

    /// Returns a suggestion for the user as a sentence.
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
