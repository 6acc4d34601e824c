//! JSON for programs that is also safe to look at.
//!
//! Values stay exactly what they are; what could act on a terminal, hide, or be a command for a CI runner is spelled as an
//! escape (`\u009b`, `##\u005b`), which JSON readers undo.

use std::{borrow::Cow, fmt::Write as _};

use serde::Serialize;

use super::{log::Watch, plain};

/// One value on one line, line break included: JSON Lines.
pub fn line<T: Serialize>(value: &T) -> String {
    finish(serde_json::to_string(value))
}

/// One value over several lines, line break included.
pub fn pretty<T: Serialize>(value: &T) -> String {
    finish(serde_json::to_string_pretty(value))
}

/// Our own structs of strings and numbers always serialise; if one ever does not, say so in JSON.
fn finish(text: serde_json::Result<String>) -> String {
    let mut text = text.map_or_else(
        |error| format!("{{\"error\":{:?}}}", error.to_string()),
        |text| harmless(&text).into_owned(),
    );
    text.push('\n');
    text
}

/// JSON text with its harmful characters escaped. They stand inside strings only: JSON's own signs are ASCII, control
/// characters below U+0020 are escaped already, and what a runner takes for a command has a `#`.
fn harmless(json: &str) -> Cow<'_, str> {
    let is_harmful = |c: char| (!c.is_ascii() || c == '\u{7f}') && plain::is_harmful(c);
    if !json.contains('#') && !json.chars().any(is_harmful) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    let mut watch = Watch::default();
    for c in json.chars() {
        if watch.completes(c) || is_harmful(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmful_characters_are_escaped_and_mean_the_same() {
        let text = "a\x1b\u{9b}31m\u{202e}\u{e0041}\u{7f}演算子";
        let json = line(&text);
        assert_eq!(json, "\"a\\u001b\\u009b31m\\u202e\\udb40\\udc41\\u007f演算子\"\n");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }

    #[test]
    fn commands_of_runners_are_escaped_and_mean_the_same() {
        let text =
            ["##[error]x", "a ##vso[x]", "###teamcity[", "#\u{591}#[", "## heading", "#[", "::error::"];
        let json = pretty(&text);
        assert_eq!(json.matches("\\u005b").count(), 4, "{json}");
        assert!(!json.contains("##["), "{json}");
        assert_eq!(serde_json::from_str::<[String; 7]>(&json).unwrap(), text);
    }

    #[test]
    fn lines_have_no_breaks_inside() {
        assert_eq!(line(&["a\nb"]), "[\"a\\nb\"]\n");
        assert_eq!(pretty(&["a"]), "[\n  \"a\"\n]\n");
    }
}
