//! HTML writer. Markup is a static string of this program; all other text is escaped.

pub(super) use crate::document::count_noun;
use crate::{escape, graph::InlineSvg, markup::escape_markup};

/// Fragment of a page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// Appends static markup.
    pub fn push_markup(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Appends a line of text, escaped.
    pub fn push_text(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&escape_markup(&escape::escape_line(text)));
        self
    }

    /// Appends text of several lines with its line breaks.
    pub fn push_text_lines(&mut self, text: &str) -> &mut Self {
        for (nth, line) in text.lines().enumerate() {
            if nth > 0 {
                self.push_markup("<br/>");
            }
            self.push_text(line);
        }
        self
    }

    /// Appends an attribute to the open tag.
    pub fn push_attribute(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.push_markup(" ").push_markup(name).push_markup("=\"").push_text(value).push_markup("\"")
    }

    /// Appends an image.
    pub fn push_svg(&mut self, picture: &InlineSvg) -> &mut Self {
        self.0.push_str(picture.as_str());
        self
    }

    /// Appends another fragment.
    pub fn push(&mut self, other: &Self) -> &mut Self {
        self.0.push_str(&other.0);
        self
    }

    /// Returns the size in bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the fragment is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the HTML.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
