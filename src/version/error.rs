//! What can be wrong with a version or a range, said so that a person can put it right.

use thiserror::Error;

/// Why a text is no version.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{kind}")]
pub struct VersionError {
    /// What is wrong.
    pub kind: VersionErrorKind,
    /// Where in the text it is wrong: 1-based, counted in characters.
    pub column: usize,
    /// A valid version that was probably meant: `1.2.0` for `v1.2`.
    pub suggestion: Option<String>,
}

/// The ways in which a text fails to be a strict semantic version.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum VersionErrorKind {
    /// Nothing there.
    #[error("the version is empty")]
    Empty,
    /// Fewer than three numbers.
    #[error("a version needs three numbers, major.minor.patch")]
    TooShort,
    /// A number that is no number, such as the `v1` of `v1.2.3`.
    #[error("the {part} version `{text}` is not a number")]
    NotANumber {
        /// `major`, `minor` or `patch`.
        part: &'static str,
        /// What stands there.
        text: String,
    },
    /// `01`: neither the three numbers nor numeric pre-release identifiers may begin with a zero.
    #[error("the {part} version `{text}` begins with a zero")]
    LeadingZero {
        /// `major`, `minor`, `patch` or `pre-release`.
        part: &'static str,
        /// What stands there.
        text: String,
    },
    /// A number beyond 64 bits.
    #[error("the {part} version `{text}` is larger than 18446744073709551615")]
    TooLarge {
        /// `major`, `minor`, `patch` or `pre-release`.
        part: &'static str,
        /// What stands there.
        text: String,
    },
    /// Nothing before, between or after the dots of a pre-release or of build metadata.
    #[error("the {part} has an empty identifier")]
    EmptyIdentifier {
        /// `pre-release` or `build metadata`.
        part: &'static str,
    },
    /// Something else than ASCII letters, digits and hyphens in a pre-release or in build metadata.
    #[error("`{character}` is not allowed in the {part} `{text}`")]
    InvalidCharacter {
        /// `pre-release` or `build metadata`.
        part: &'static str,
        /// The identifier.
        text: String,
        /// The first character that is not allowed.
        character: char,
    },
}

/// Why a text is no range in the dialect it was read in.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct RangeError {
    /// What is wrong.
    pub message: String,
    /// Where in the text it is wrong: 1-based, counted in characters. One past the last where something is missing.
    pub column: usize,
    /// How to spell what was evidently meant, in words for a person, where that is known.
    pub hint: Option<String>,
    /// The spelling alone: a range that parses.
    pub suggestion: Option<String>,
}

impl RangeError {
    pub(super) fn new(message: String, column: usize) -> Self {
        Self { message, column, hint: None, suggestion: None }
    }

    pub(super) fn suggesting(mut self, suggestion: Option<String>) -> Self {
        self.hint = suggestion.as_ref().map(|text| format!("write `{text}`"));
        self.suggestion = suggestion;
        self
    }
}

/// The 1-based column, in characters, of a byte offset.
pub(crate) fn column_of(text: &str, offset: usize) -> usize {
    text.char_indices().take_while(|(at, _)| *at < offset).count() + 1
}
