//! HTML being written. Markup is text of ours that the compiler knows; whatever else comes in is escaped on the way.

use crate::export::{graph::Inline, markup::escape, plain};

/// A piece of a page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// Markup as it is written in this program.
    pub fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// A line of text, of a catalog or not.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&escape(&plain::line(text)));
        self
    }

    /// Text of several lines, with its line breaks.
    pub fn lines(&mut self, text: &str) -> &mut Self {
        for (nth, line) in text.lines().enumerate() {
            if nth > 0 {
                self.raw("<br/>");
            }
            self.text(line);
        }
        self
    }

    /// An attribute of the tag that is open.
    pub fn attr(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.raw(" ").raw(name).raw("=\"").text(value).raw("\"")
    }

    /// A picture.
    pub fn picture(&mut self, picture: &Inline) -> &mut Self {
        self.0.push_str(picture.as_str());
        self
    }

    /// Another piece.
    pub fn push(&mut self, other: &Self) -> &mut Self {
        self.0.push_str(&other.0);
        self
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How much of something there is, in words.
pub(super) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
