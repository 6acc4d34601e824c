//! The table of options: reading them, `olmap config` and its schema all come from it.

use std::fmt::Write as _;

use super::{Clipboard, Color, Config};
use crate::export::{log::Watch, plain};

/// The names of themes.
pub const THEMES: &[&str] = &["terminal", "dark", "light", "high-contrast", "mono", "auto"];

const COLORS: &[&str] = &["auto", "always", "never"];
const CLIPBOARDS: &[&str] = &["auto", "osc52", "off"];

/// What an option may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// One of some words.
    Word(&'static [&'static str]),
    /// Any text but blanks.
    Text,
}

/// A value of the right kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Flag(bool),
    /// One of the words, or text.
    Text(String),
}

impl Value {
    fn flag(self) -> Option<bool> {
        if let Self::Flag(flag) = self { Some(flag) } else { None }
    }

    fn text(self) -> Option<String> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

/// An option with everything that is to be said of it.
#[derive(Debug)]
pub struct OptionSpec {
    /// Its name in the configuration.
    pub name: &'static str,
    /// What it does, in a sentence without a full stop.
    pub doc: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it is where nothing is said, as TOML; `None` where that depends on the environment.
    pub default: Option<&'static str>,
    /// Takes a value over.
    pub(super) set: fn(&mut Config, Value),
    /// What the configuration says, as TOML.
    pub(super) get: fn(&Config) -> Option<String>,
}

impl OptionSpec {
    /// What the configuration says of it, as TOML.
    pub fn said(&self, config: &Config) -> Option<String> {
        (self.get)(config)
    }
}

/// The option of a name.
pub fn option(name: &str) -> Option<&'static OptionSpec> {
    OPTIONS.iter().find(|option| option.name == name)
}

/// A text as TOML writes it: JSON's escapes are TOML's. What acts, hides or is a command for a runner has one of TOML's own,
/// which knows no pairs.
pub fn quoted(text: &str) -> String {
    let mut watch = Watch::default();
    let mut out = String::new();
    for c in serde_json::Value::from(text).to_string().chars() {
        if watch.completes(c) || plain::is_harmful(c) {
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
        kind: Kind::Word(THEMES),
        default: Some("\"terminal\""),
        set: |config, value| config.theme = value.text(),
        get: |config| config.theme.as_deref().map(quoted),
    },
    OptionSpec {
        name: "ascii",
        doc: "Draw with ASCII only",
        kind: Kind::Flag,
        default: Some("false"),
        set: |config, value| config.ascii = value.flag(),
        get: |config| config.ascii.map(|flag| flag.to_string()),
    },
    OptionSpec {
        name: "color",
        doc: "When to use colours; auto: on a terminal, unless NO_COLOR is set",
        kind: Kind::Word(COLORS),
        default: Some("\"auto\""),
        set: |config, value| {
            config.color = value.text().and_then(|text| match text.as_str() {
                "auto" => Some(Color::Auto),
                "always" => Some(Color::Always),
                "never" => Some(Color::Never),
                _ => None,
            });
        },
        get: |config| {
            config.color.map(|color| {
                quoted(match color {
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
        kind: Kind::Flag,
        default: Some("true"),
        set: |config, value| config.mouse = value.flag(),
        get: |config| config.mouse.map(|flag| flag.to_string()),
    },
    OptionSpec {
        name: "watch",
        doc: "Watch open files for changes by other programs",
        kind: Kind::Flag,
        default: Some("true"),
        set: |config, value| config.watch = value.flag(),
        get: |config| config.watch.map(|flag| flag.to_string()),
    },
    OptionSpec {
        name: "clipboard",
        doc: "How to copy text; auto: the system clipboard, else through the terminal (OSC 52)",
        kind: Kind::Word(CLIPBOARDS),
        default: Some("\"auto\""),
        set: |config, value| {
            config.clipboard = value.text().and_then(|text| match text.as_str() {
                "auto" => Some(Clipboard::Auto),
                "osc52" => Some(Clipboard::Osc52),
                "off" => Some(Clipboard::Off),
                _ => None,
            });
        },
        get: |config| {
            config.clipboard.map(|clipboard| {
                quoted(match clipboard {
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
        kind: Kind::Text,
        default: None,
        set: |config, value| config.editor = value.text(),
        get: |config| config.editor.as_deref().map(quoted),
    },
];
