//! What things look like, by what they mean.

use ratatui::style::{Color, Modifier, Style};

/// What a piece of the screen means. Meaning is never shown by colour alone: words and marks say it too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Role {
    /// Ordinary text.
    #[default]
    Text,
    /// Less important text.
    Dim,
    /// Headings.
    Title,
    /// The tab of the screen that is shown, the heading of the pane that gets the keys.
    Active,
    /// Lines between panes.
    Rule,
    /// Keys in hints.
    Key,
    /// Letters that match what was typed.
    Match,
    /// Errors, dead ends.
    Error,
    /// Warnings, escapes.
    Warning,
    /// Notes.
    Note,
    /// Heads, what is added, what succeeds.
    Good,
    /// What is deprecated.
    Deprecated,
    /// What is skipped or ignored.
    Skipped,
    /// `replaces`
    Replaces,
    /// `skips`
    Skips,
    /// `skipRange`
    Range,
    /// What is removed.
    Removed,
    /// OLM Classic.
    Classic,
    /// OLM v1.
    V1,
}

/// Styles for roles, and how a selected row stands out.
#[derive(Clone, Copy, Debug)]
pub struct Theme {
    coloured: bool,
}

impl Theme {
    /// The terminal's own sixteen colours on its own background: readable on light and dark.
    pub const fn terminal() -> Self {
        Self { coloured: true }
    }

    /// No colours at all: bold, dim, underlined and reversed only.
    pub const fn mono() -> Self {
        Self { coloured: false }
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        let plain = Style::new();
        let (colour, modifier) = match role {
            Role::Text => (None, Modifier::empty()),
            Role::Dim | Role::Rule => (Some(Color::DarkGray), Modifier::DIM),
            Role::Title => (None, Modifier::BOLD),
            Role::Active => (Some(Color::Cyan), Modifier::BOLD),
            Role::Key => (Some(Color::Cyan), Modifier::empty()),
            Role::Match => (Some(Color::Yellow), Modifier::UNDERLINED),
            Role::Error => (Some(Color::Red), Modifier::BOLD),
            Role::Warning | Role::Deprecated => (Some(Color::Yellow), Modifier::empty()),
            Role::Note => (Some(Color::Blue), Modifier::empty()),
            Role::Good => (Some(Color::Green), Modifier::empty()),
            Role::Skipped => (Some(Color::DarkGray), Modifier::DIM),
            Role::Replaces => (Some(Color::Green), Modifier::empty()),
            Role::Skips => (Some(Color::Magenta), Modifier::empty()),
            Role::Range => (Some(Color::Blue), Modifier::empty()),
            Role::Removed => (Some(Color::Red), Modifier::empty()),
            Role::Classic => (Some(Color::Green), Modifier::BOLD),
            Role::V1 => (Some(Color::Magenta), Modifier::BOLD),
        };
        match (self.coloured, colour) {
            // Where there is a colour for what is less important, terminals that dim badly need no dimming too.
            (true, Some(colour)) => plain.fg(colour).add_modifier(modifier.difference(Modifier::DIM)),
            _ => plain.add_modifier(modifier),
        }
    }

    /// What the selected row adds to its styles.
    pub fn cursor(&self, focused: bool) -> Style {
        if focused {
            Style::new().add_modifier(Modifier::REVERSED)
        } else {
            Style::new().add_modifier(Modifier::BOLD)
        }
    }
}
