//! What is wrong with what is typed.

use std::fmt;

/// A mistake in a line of text, told while one types.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mistake {
    /// In words.
    pub message: String,
    /// Where, where that is known: 1-based, in characters of what is typed.
    pub column: Option<usize>,
    /// What to write instead, where that is known.
    pub hint: Option<String>,
}

impl<T: Into<String>> From<T> for Mistake {
    fn from(message: T) -> Self {
        Self { message: message.into(), ..Self::default() }
    }
}

impl Mistake {
    /// The same with what to write instead.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// All of it in a line, for where no mark stands below the column.
impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(column) = self.column {
            write!(f, "column {column}: ")?;
        }
        f.write_str(&self.message)?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}
