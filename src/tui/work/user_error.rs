//! Errors for the user, with hints.

use std::fmt;

/// Error for the user. Errors of the crates are converted to it at the boundary; the UI formats
/// it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UserError {
    /// The reason, without a full stop.
    pub message: String,
    /// A hint how to solve the problem.
    pub hint: Option<String>,
}

impl UserError {
    /// Creates an error without a hint.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Message and hint as sentences.
impl fmt::Display for UserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { message, hint } = self;
        match hint {
            Some(hint) => write!(f, "{message}. {hint}"),
            None => write!(f, "{message}."),
        }
    }
}

impl std::error::Error for UserError {}
