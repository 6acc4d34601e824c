//! Table of all options, used for parsing, for `olmap config` and for its schema.

use std::fmt::Write as _;

use super::{Clipboard, Color, Config};
use olmap_report::{escape, log::CommandDetector};

/// Names of the themes.
pub const THEMES: &[&str] = &["terminal", "dark", "light", "high-contrast", "mono", "auto"];

const COLORS: &[&str] = &["auto", "always", "never"];
const CLIPBOARDS: &[&str] = &["auto", "osc52", "off"];

/// Type of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `true` or `false`.
    Flag,
    /// A word from a list.
    Word(&'static [&'static str]),
    /// Any text that is not blank.
    Text,
}

/// A parsed value that matches the [`OptionKind`] of its option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Flag(bool),
    /// A word from the list, or any text.
    Text(String),
}

impl Value {
    fn into_flag(self) -> Option<bool> {
        if let Self::Flag(flag) = self { Some(flag) } else { None }
    }

    fn into_text(self) -> Option<String> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

/// Specification of an option.
#[derive(Debug)]
pub struct OptionSpec {
    /// Name in the configuration.
    pub name: &'static str,
    /// Description as a sentence without a full stop.
    pub doc: &'static str,
    /// Type of the value.
    pub kind: OptionKind,
    /// Default value as TOML; `None` if it depends on the environment.
    pub default: Option<&'static str>,
    /// Function that stores a value.
    pub(super) set: fn(&mut Config, Value),
    /// Function that returns the value as TOML, if it is set.
    pub(super) get: fn(&Config) -> Option<String>,
}

impl OptionSpec {
    /// Returns the value in a configuration as TOML, if it is set.
    pub fn configured_value(&self, config: &Config) -> Option<String> {
        (self.get)(config)
    }
}

/// Returns the option with a name.
pub fn find_option(name: &str) -> Option<&'static OptionSpec> {
    OPTIONS.iter().find(|option| option.name == name)
}

/// Quotes a text as a TOML string. Starts from JSON, whose escapes TOML has too. Invisible
/// characters and the ends of commands for CI runners get `\U` escapes, which JSON does not have.
pub fn quote_toml(text: &str) -> String {
    let mut watch = CommandDetector::default();
    let mut out = String::new();
    for c in serde_json::Value::from(text).to_string().chars() {
        if watch.completes_command(c) || escape::is_harmful(c) {
            let _ = write!(out, "\\U{:08X}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// All options.
pub static OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "theme",
        doc: "The theme; auto: dark or light, by the background of the terminal",
        kind: OptionKind::Word(THEMES),
        default: Some("\"terminal\""),
        set: |config, value| config.theme = value.into_text(),
        get: |config| config.theme.as_deref().map(quote_toml),
    },
    OptionSpec {
        name: "ascii",
        doc: "Draw with ASCII only",
        kind: OptionKind::Flag,
        default: Some("false"),
        set: |config, value| config.ascii = value.into_flag(),
        get: |config| config.ascii.map(|flag| flag.to_string()),
    },
    OptionSpec {
        name: "color",
        doc: "When to use colours; auto: on a terminal, unless NO_COLOR is set",
        kind: OptionKind::Word(COLORS),
        default: Some("\"auto\""),
        set: |config, value| {
            config.color = value.into_text().and_then(|text| match text.as_str() {
                "auto" => Some(Color::Auto),
                "always" => Some(Color::Always),
                "never" => Some(Color::Never),
                _ => None,
            });
        },
        get: |config| {
            config.color.map(|color| {
                quote_toml(match color {
                    Color::Auto => "auto",
                    Color::Always => "always",
                    Color::Never => "never",
                })
            })
        },
    },
    OptionSpec {
        name: "mouse",
        doc: "Use the mouse; if false, the mouse selects text in the terminal",
        kind: OptionKind::Flag,
        default: Some("true"),
        set: |config, value| config.mouse = value.into_flag(),
        get: |config| config.mouse.map(|flag| flag.to_string()),
    },
    OptionSpec {
        name: "watch",
        doc: "Watch open files for changes by other programs",
        kind: OptionKind::Flag,
        default: Some("true"),
        set: |config, value| config.watch = value.into_flag(),
        get: |config| config.watch.map(|flag| flag.to_string()),
    },
    OptionSpec {
        name: "clipboard",
        doc: "How to copy text; auto: the system clipboard, else through the terminal (OSC 52)",
        kind: OptionKind::Word(CLIPBOARDS),
        default: Some("\"auto\""),
        set: |config, value| {
            config.clipboard = value.into_text().and_then(|text| match text.as_str() {
                "auto" => Some(Clipboard::Auto),
                "osc52" => Some(Clipboard::Osc52),
                "off" => Some(Clipboard::Off),
                _ => None,
            });
        },
        get: |config| {
            config.clipboard.map(|clipboard| {
                quote_toml(match clipboard {
                    Clipboard::Auto => "auto",
                    Clipboard::Osc52 => "osc52",
                    Clipboard::Off => "off",
                })
            })
        },
    },
    OptionSpec {
        name: "editor",
        doc: "The editor, with its arguments; default: $VISUAL, then $EDITOR",
        kind: OptionKind::Text,
        default: None,
        set: |config, value| config.editor = value.into_text(),
        get: |config| config.editor.as_deref().map(quote_toml),
    },
];
