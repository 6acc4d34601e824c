//! JSON for programs that is also safe to print on a terminal.
//!
//! Values are not changed. Characters that could act on a terminal, hide text or form a command for
//! a CI runner are escaped (`\u009b`, `##\u005b`), which JSON readers decode.

use std::{borrow::Cow, fmt::Write as _};

use serde::Serialize;

use super::{escape, log::CommandDetector};

/// Returns one value on one line with a line break: JSON Lines.
pub fn to_json_line<T: Serialize>(value: &T) -> String {
    escape_and_terminate(serde_json::to_string(value))
}

/// Returns one value over several lines with a final line break.
pub fn to_pretty_json<T: Serialize>(value: &T) -> String {
    escape_and_terminate(serde_json::to_string_pretty(value))
}

/// Ends the text. Our structs of strings and numbers always serialize; any failure is reported as
/// JSON.
fn escape_and_terminate(text: serde_json::Result<String>) -> String {
    let mut text = text.map_or_else(
        |error| format!("{{\"error\":{:?}}}", error.to_string()),
        |text| escape_harmful(&text).into_owned(),
    );
    text.push('\n');
    text
}

/// Escapes the harmful characters of JSON text. They occur only inside strings: the syntax of JSON
/// is ASCII, control characters below U+0020 are escaped already, and a runner command contains
/// `#`.
fn escape_harmful(json: &str) -> Cow<'_, str> {
    let is_harmful = |c: char| (!c.is_ascii() || c == '\u{7f}') && escape::is_harmful(c);
    if !json.contains('#') && !json.chars().any(is_harmful) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    let mut watch = CommandDetector::default();
    for c in json.chars() {
        if watch.completes_command(c) || is_harmful(c) {
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
    fn harmful_characters_are_escaped_without_changing_the_value() {
        let text = "a\x1b\u{9b}31m\u{202e}\u{e0041}\u{7f}演算子";
        let json = to_json_line(&text);
        assert_eq!(json, "\"a\\u001b\\u009b31m\\u202e\\udb40\\udc41\\u007f演算子\"\n");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }

    #[test]
    fn runner_commands_are_escaped_without_changing_the_value() {
        let text =
            ["##[error]x", "a ##vso[x]", "###teamcity[", "#\u{591}#[", "## heading", "#[", "::error::"];
        let json = to_pretty_json(&text);
        assert_eq!(json.matches("\\u005b").count(), 4, "{json}");
        assert!(!json.contains("##["), "{json}");
        assert_eq!(serde_json::from_str::<[String; 7]>(&json).unwrap(), text);
    }

    #[test]
    fn lines_have_no_breaks_inside() {
        assert_eq!(to_json_line(&["a\nb"]), "[\"a\\nb\"]\n");
        assert_eq!(to_pretty_json(&["a"]), "[\n  \"a\"\n]\n");
    }
}
