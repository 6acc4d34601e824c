//! Settings in `config.toml`. An invalid part is reported and ignored, and the rest counts. Names
//! of actions and keys are not checked here; they keep their locations, so that `tui` can report
//! mistakes.

mod options;
mod parse;
#[cfg(test)]
mod tests;

use std::fmt;

pub use options::{OPTIONS, OptionKind, OptionSpec, THEMES, find_option, quote_toml};

/// A location in the configuration: line and column from 1, with columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Location {
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A value in the configuration with its location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located<T> {
    /// The value as written.
    pub value: T,
    /// Location of the value.
    pub at: Location,
}

/// A mistake in the configuration; the part with the mistake is ignored.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Problem {
    /// Location of the mistake.
    pub at: Location,
    /// Message as a sentence without a full stop.
    pub message: String,
    /// Suggested correction.
    pub hint: Option<String>,
}

/// Policy for colors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    /// Colors on a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always use colors.
    Always,
    /// Never use colors.
    Never,
}

/// Method to copy text to the clipboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clipboard {
    /// The system clipboard, or the terminal if there is none.
    Auto,
    /// Through the terminal, with the OSC 52 escape sequence.
    Osc52,
    /// Disabled.
    Off,
}

/// Keys of an action in the configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeySetting {
    /// Name of the action.
    pub action: Located<String>,
    /// Keys that replace the default keys; empty for none.
    pub keys: Vec<Located<String>>,
}

/// Content of the configuration. An option that is not set is `None`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// Name of the theme, one of [`THEMES`].
    pub theme: Option<String>,
    /// True to draw with ASCII only.
    pub ascii: Option<bool>,
    /// Policy for colors.
    pub color: Option<Color>,
    /// True to capture the mouse.
    pub mouse: Option<bool>,
    /// True to watch open files for changes by other programs.
    pub watch: Option<bool>,
    /// Method to copy text to the clipboard.
    pub clipboard: Option<Clipboard>,
    /// Editor command, which overrides the environment.
    pub editor: Option<String>,
    /// Keys in the order of the file. Unknown actions and keys are not detected here.
    pub keys: Vec<KeySetting>,
    /// Mistakes in the order of the file.
    pub problems: Vec<Problem>,
}

impl Config {
    /// Parses a configuration. Accepts any text: valid parts count, and the rest becomes problems.
    pub fn parse(text: &str) -> Self {
        parse::parse_config(text)
    }
}
