//! Why something could not be done, and what to try instead.

use std::{fmt::Write as _, path::Path};

use anyhow::Error;

use super::out::Out;
use crate::{
    catalog::load::quotable,
    export::{Ink, plain},
};

/// A reason, a way out where one is known, and lines that show the place.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct Failure {
    reason: String,
    detail: String,
    /// Its lines.
    hint: Vec<String>,
}

impl Failure {
    /// A failure for a reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), detail: String::new(), hint: Vec::new() }
    }

    /// A failure of a file beside a catalog, at a line and perhaps a column. If text of the file may not be quoted, neither
    /// reason, hint nor detail of `quoting` is shown.
    pub fn quoting(path: &Path, place: Option<(usize, Option<usize>)>, quoting: Self) -> Self {
        match unquoted(path) {
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

    /// The same, said of one of several things.
    #[must_use]
    pub fn of(mut self, label: &str) -> Self {
        self.reason = format!("{label}: {}", self.reason);
        self
    }

    /// With another thing to try, on a line of its own.
    #[must_use]
    pub fn also(mut self, hint: impl Into<String>) -> Self {
        self.hint.push(hint.into());
        self
    }

    /// With something to try.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = vec![hint.into()];
        self
    }

    /// With a hint, where there is one.
    #[must_use]
    pub fn maybe_hint(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into).into_iter().collect();
        self
    }

    /// With lines that are printed as they are, between reason and hint. They must be harmless already.
    #[must_use]
    pub fn detail(mut self, lines: impl Into<String>) -> Self {
        self.detail = lines.into();
        self
    }

    /// Prints any error on standard error, once and for all.
    pub fn print(error: &Error, out: &Out) {
        let style = out.error_style();
        let name = style.paint(Ink::Error, "olmap");
        let reason = plain::line(&format!("{error:#}")).into_owned();
        let mut text = format!("{name}: {reason}\n");
        if let Some(failure) = error.downcast_ref::<Self>() {
            text.push_str(&failure.detail);
            if !failure.hint.is_empty() {
                let label = style.paint(Ink::Note, "hint");
                let lines = failure.hint.iter().map(|line| format!("{}\n", plain::line(line)));
                let _ = write!(text, "{label}: {}", lines.collect::<Vec<_>>().join("      "));
            }
        }
        out.error(&text);
    }
}

/// Message that takes the place of one that would quote a file; `None` if the file may be quoted. Standard input may.
pub fn unquoted(path: &Path) -> Option<String> {
    if path.as_os_str() == super::source::STDIN {
        return None;
    }
    quotable::check(path).err().map(|why| format!("invalid content, not shown: {why}"))
}

/// A list of names in a sentence, cut where it gets long.
pub fn some_of<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
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
    fn long_lists_of_names_are_cut() {
        assert_eq!(some_of(["a", "b"]), "a, b");
        let many: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        assert!(some_of(&many).ends_with("10, 11 and 8 more"));
    }
}
