//! Text within XML and HTML, with the one escape function for both.

use std::fmt::Write as _;

use super::{escape, log::CommandDetector};

/// Escapes catalog text ([`escape`]) for use between tags and inside double-quoted attributes. The
/// result does not contain commands for a CI runner, so markup can be printed to a log unchanged.
pub fn escape_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split('\n') {
        let mut watch = CommandDetector::default();
        for c in escape::escape_line(line).chars() {
            match c {
                c if watch.completes_command(c) => {
                    let _ = write!(out, "&#{};", u32::from(c));
                }
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                c => out.push(c),
            }
        }
        out.push('\n');
    }
    out.pop();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_characters_are_escaped() {
        assert_eq!(escape_markup("<b title=\"&\">"), "&lt;b title=&quot;&amp;&quot;&gt;");
        assert_eq!(escape_markup("a\u{202e}b\u{1b}"), "a&lt;U+202E&gt;b\u{241b}");
        assert_eq!(escape_markup("::error::x\n##[y]"), ":&#58;error::x\n##&#91;y]");
    }
}
