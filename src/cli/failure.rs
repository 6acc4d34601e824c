//! Error with a reason, a hint and an excerpt.

use std::{fmt::Write as _, path::Path};

use anyhow::Error;

use super::Out;
use crate::tui::UserError;
use olm_catalog::load::{LoadError, quotable};
use olm_edit::save::SaveError;
use olmap_report::{Ink, escape};

/// Error of a command: a reason, an optional hint, and lines that show the location.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct Failure {
    reason: String,
    detail: String,
    /// Lines of the hint.
    hint: Vec<String>,
}

impl Failure {
    /// Creates an error with a reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), detail: String::new(), hint: Vec::new() }
    }

    /// Returns `quoting`, an error that may quote the content of the file. If the content must not
    /// be shown, returns an error with only the path, the line and the optional column.
    pub fn in_file(path: &Path, place: Option<(usize, Option<usize>)>, quoting: Self) -> Self {
        match hidden_content_message(path) {
            None => quoting,
            Some(words) => {
                let mut at = path.display().to_string();
                if let Some((line, column)) = place {
                    let _ = write!(at, ":{line}");
                    if let Some(column) = column {
                        let _ = write!(at, ":{column}");
                    }
                }
                Self::new(format!("{at}: {words}"))
            }
        }
    }

    /// Prefixes the reason with a label.
    #[must_use]
    pub fn with_label(mut self, label: &str) -> Self {
        self.reason = format!("{label}: {}", self.reason);
        self
    }

    /// Adds a hint on a separate line.
    #[must_use]
    pub fn add_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint.push(hint.into());
        self
    }

    /// Sets the hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = vec![hint.into()];
        self
    }

    /// Sets the hint, if there is one.
    #[must_use]
    pub fn with_optional_hint(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into).into_iter().collect();
        self
    }

    /// Sets lines that are printed unchanged between reason and hint. They must not contain control
    /// characters.
    #[must_use]
    pub fn with_detail(mut self, lines: impl Into<String>) -> Self {
        self.detail = lines.into();
        self
    }

    /// Prints an error on standard error.
    pub fn print(error: &Error, out: &Out) {
        let style = out.error_style();
        let name = style.paint(Ink::Error, "olmap");
        let reason = escape::escape_line(&format!("{error:#}")).into_owned();
        let mut text = format!("{name}: {reason}\n");
        if let Some(failure) = error.downcast_ref::<Self>() {
            text.push_str(&failure.detail);
            if !failure.hint.is_empty() {
                let label = style.paint(Ink::Note, "hint");
                let lines = failure.hint.iter().map(|line| format!("{}\n", escape::escape_line(line)));
                let _ = write!(text, "{label}: {}", lines.collect::<Vec<_>>().join("      "));
            }
        }
        out.print_stderr(&text);
    }
}

impl From<UserError> for Failure {
    fn from(UserError { message, hint }: UserError) -> Self {
        Self::new(message).with_optional_hint(hint)
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        Self::new(error.to_string()).with_optional_hint(error.hint())
    }
}

impl From<SaveError> for Failure {
    fn from(error: SaveError) -> Self {
        Self::new(error.to_string()).with_hint(error.hint())
    }
}

/// Lists the first reasons, one per line, without control characters.
pub fn list_reasons(reasons: &[String], most: usize) -> String {
    let mut text = String::new();
    for reason in reasons.iter().take(most) {
        let _ = writeln!(text, "  {}", escape::escape_line(reason));
    }
    if reasons.len() > most {
        let _ = writeln!(text, "  and {} more", reasons.len() - most);
    }
    text
}

/// Returns the message for a mistake in a file whose content must not be shown; `None` if it may be
/// shown. Standard input may always be shown.
pub fn hidden_content_message(path: &Path) -> Option<String> {
    if super::source::is_stdin(path) {
        return None;
    }
    quotable::check_quotable(path).err().map(|why| format!("invalid content, not shown: {why}"))
}

/// Joins names for a sentence, and truncates a long list.
pub fn join_names<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    const SHOWN: usize = 12;
    let names: Vec<T> = names.into_iter().collect();
    let mut text = names.iter().take(SHOWN).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        let _ = write!(text, " and {} more", names.len() - SHOWN);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_list_of_names_is_truncated() {
        assert_eq!(join_names(["a", "b"]), "a, b");
        let many: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        assert!(join_names(&many).ends_with("10, 11 and 8 more"));
    }
}
