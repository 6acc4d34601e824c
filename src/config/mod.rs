//! Settings of the program, as `config.toml` states them: raw names with their places. What a theme or a key is others
//! know; what cannot be read is told and left out, and the rest counts.

mod options;
mod read;
#[cfg(test)]
mod tests;

use std::fmt;

pub use options::{Kind, OPTIONS, OptionSpec, THEMES, option, quoted};

/// A place in the configuration, both counted from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Something that is written in the configuration, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct At<T> {
    /// What is written.
    pub value: T,
    /// Where.
    pub at: Place,
}

/// Something in the configuration that does not count.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Problem {
    /// Where it is.
    pub at: Place,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How text gets into the clipboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clipboard {
    /// The system's, else through the terminal.
    Auto,
    /// Through the terminal.
    Osc52,
    /// Nothing is copied.
    Off,
}

/// The keys that the configuration gives an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeySetting {
    /// The name of the action.
    pub action: At<String>,
    /// Its keys, in place of those it has. None: it has no key.
    pub keys: Vec<At<String>>,
}

/// What the configuration says. What it does not say is `None`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// The name of the theme, one of [`THEMES`].
    pub theme: Option<String>,
    /// Whether to draw with ASCII only.
    pub ascii: Option<bool>,
    /// When to use colours.
    pub color: Option<Color>,
    /// Whether the mouse is captured.
    pub mouse: Option<bool>,
    /// Whether to look if other programs write to what is open.
    pub watch: Option<bool>,
    /// How text gets into the clipboard.
    pub clipboard: Option<Clipboard>,
    /// The editor, in place of that of the environment.
    pub editor: Option<String>,
    /// Keys, in the order of the file. Whether there is such an action, and such a key, is not judged here.
    pub keys: Vec<KeySetting>,
    /// What does not count, in the order of the file.
    pub problems: Vec<Problem>,
}

impl Config {
    /// Reads a configuration. Whatever the text is: what can be read counts, the rest becomes problems.
    pub fn read(text: &str) -> Self {
        read::read(text)
    }
}
