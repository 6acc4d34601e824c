//! HTML writer. Markup is a static string of this program; all other text is escaped.

pub(super) use crate::document::count_noun;
use crate::{
    escape,
    graph::{InlineSvg, SignSample},
    links::WebAddress,
    markup::escape_markup,
};

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

    /// Appends text of a file path, which may break after its separators.
    pub fn push_path(&mut self, path: &str) -> &mut Self {
        let path = escape::escape_line(path);
        for part in path.split_inclusive(['/', '-', '_', ':']) {
            self.0.push_str(&escape_markup(part));
            self.push_markup("<wbr/>");
        }
        self
    }

    /// Appends text in which backticks mark code.
    pub fn push_prose(&mut self, text: &str) -> &mut Self {
        for (nth, part) in text.split('`').enumerate() {
            if nth % 2 == 0 {
                self.push_text(part);
            } else {
                self.push_markup("<code>").push_text(part).push_markup("</code>");
            }
        }
        self
    }

    /// Appends a link to an anchor of the page, or only the text.
    pub fn push_link(&mut self, anchor: Option<&str>, text: &str) -> &mut Self {
        match anchor {
            Some(anchor) => self
                .push_markup("<a")
                .push_attribute("href", &format!("#{anchor}"))
                .push_markup(">")
                .push_text(text)
                .push_markup("</a>"),
            None => self.push_text(text),
        }
    }

    /// Appends a link to a page on the web.
    pub fn push_web_link(&mut self, address: &WebAddress, text: &str) -> &mut Self {
        self.push_markup("<a").push_attribute("href", address.as_str()).push_markup(">");
        self.push_path(text).push_markup("</a>")
    }

    /// Appends a sample of a sign.
    pub fn push_sample(&mut self, sample: &SignSample) -> &mut Self {
        self.0.push_str(&sample.to_markup(" class=\"graph\" aria-hidden=\"true\"", [0, 0]));
        self
    }

    /// Appends lines for a `pre` element. A leading dash is escaped, because the log of a CI job
    /// interprets the start of a YAML document.
    pub fn push_code_lines(&mut self, text: &str) -> &mut Self {
        for (nth, line) in text.lines().enumerate() {
            if nth > 0 {
                self.push_markup("\n");
            }
            match line.strip_prefix('-') {
                Some(rest) => self.push_markup("&#45;").push_text(rest),
                None => self.push_text(line),
            };
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
