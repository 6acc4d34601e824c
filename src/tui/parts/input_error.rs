//! Errors in typed text.

use std::fmt;

/// Error in a line of text, shown while the user types.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InputError {
    /// Message without position and hint.
    pub message: String,
    /// Column of the error, 1-based and in characters; `None` if it is unknown.
    pub column: Option<usize>,
    /// Suggested correction; `None` if there is none.
    pub hint: Option<String>,
}

impl<T: Into<String>> From<T> for InputError {
    fn from(message: T) -> Self {
        Self { message: message.into(), ..Self::default() }
    }
}

impl InputError {
    /// Adds a suggested correction.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Formats the error as one line, for places without a marker below the column.
impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(column) = self.column {
            write!(f, "column {column}: ")?;
        }
        f.write_str(&self.message)?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}
