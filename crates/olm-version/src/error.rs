//! Errors of versions and ranges, with hints for the user.

use thiserror::Error;

/// Error of an invalid version.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{kind}")]
pub struct VersionError {
    /// Kind of the error.
    pub kind: VersionErrorKind,
    /// Column, 1-based, in characters.
    pub column: usize,
    /// A similar valid version: `1.2.0` for `v1.2`.
    pub suggestion: Option<String>,
}

/// Kinds of errors of a strict semantic version.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum VersionErrorKind {
    /// The text is empty.
    #[error("the version is empty")]
    Empty,
    /// Fewer than three numbers.
    #[error("a version needs three numbers, major.minor.patch")]
    TooShort,
    /// A part that is not a number, such as the `v1` of `v1.2.3`.
    #[error("the {part} version `{text}` is not a number")]
    NotANumber {
        /// `major`, `minor` or `patch`.
        part: &'static str,
        /// Text of the part.
        text: String,
    },
    /// A leading zero as in `01`, in one of the three numbers or in a numeric pre-release identifier.
    #[error("the {part} version `{text}` begins with a zero")]
    LeadingZero {
        /// `major`, `minor`, `patch` or `pre-release`.
        part: &'static str,
        /// Text of the part.
        text: String,
    },
    /// A number beyond 64 bits.
    #[error("the {part} version `{text}` is larger than 18446744073709551615")]
    TooLarge {
        /// `major`, `minor`, `patch` or `pre-release`.
        part: &'static str,
        /// Text of the part.
        text: String,
    },
    /// An empty identifier in a pre-release or build metadata.
    #[error("the {part} has an empty identifier")]
    EmptyIdentifier {
        /// `pre-release` or `build metadata`.
        part: &'static str,
    },
    /// A character other than ASCII letters, digits and hyphens in a pre-release or build metadata.
    #[error("`{character}` is not allowed in the {part} `{text}`")]
    InvalidCharacter {
        /// `pre-release` or `build metadata`.
        part: &'static str,
        /// Identifier.
        text: String,
        /// First invalid character.
        character: char,
    },
}

/// Error of an invalid range.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct RangeError {
    /// Message.
    pub message: String,
    /// Column, 1-based, in characters. One past the last if text is missing.
    pub column: usize,
    /// Hint with the correct spelling, if the intention is clear.
    pub hint: Option<String>,
    /// Correct spelling without the words of `hint`; a valid range.
    pub suggestion: Option<String>,
}

impl RangeError {
    pub(super) fn new(message: String, column: usize) -> Self {
        Self { message, column, hint: None, suggestion: None }
    }

    pub(super) fn with_suggestion(mut self, suggestion: Option<String>) -> Self {
        self.hint = suggestion.as_ref().map(|text| format!("write `{text}`"));
        self.suggestion = suggestion;
        self
    }
}

/// Returns the 1-based column, in characters, of a byte offset.
pub(crate) fn column_of(text: &str, offset: usize) -> usize {
    text.char_indices().take_while(|(at, _)| *at < offset).count() + 1
}
