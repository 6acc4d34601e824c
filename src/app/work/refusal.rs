//! Why something was not done, and a way out.

use std::fmt;

/// Why something was not done. The errors of the library become this where they leave it; who shows it makes it text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Why, in words, without a full stop.
    pub message: String,
    /// A way out, where one is known.
    pub hint: Option<String>,
}

impl Refusal {
    /// A refusal without a way out.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// The same with a way out.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Both, as sentences.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { message, hint } = self;
        match hint {
            Some(hint) => write!(f, "{message}. {hint}"),
            None => write!(f, "{message}."),
        }
    }
}

impl std::error::Error for Refusal {}
