//! What things look like, by what they mean.

mod colour;
mod own;
mod sixteen;
#[cfg(test)]
mod tests;

use ratatui::style::{Color, Modifier, Style};
use strum::VariantArray;

use crate::{
    app::parts::look::{Background, Colours, Look, ThemeName},
    export::Ink,
};
use colour::Rgb;

/// What one of the 240 colours that are the same everywhere is worth, as `0xRRGGBB`.
pub(super) fn indexed(index: u8) -> u32 {
    colour::indexed(index).0
}

/// What a piece of the screen means. Meaning is never shown by colour alone: words and marks say it too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, VariantArray)]
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
    /// The border of what gets the keys.
    Border,
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
    /// What is gone and has a row all the same: struck out.
    Gone,
    /// OLM Classic.
    Classic,
    /// OLM v1.
    V1,
    /// Code in a description.
    Code,
    /// An address in a description.
    Link,
    /// Text that is typed into.
    Field,
    /// A notice that something was done; lies on the screen.
    Toast,
    /// A notice that something was not done; lies on the screen.
    ToastFailed,
    /// The selected row of the list that gets the keys; lies on a row that is drawn.
    Selection,
    /// The selected row of another list; lies on a row that is drawn.
    SelectionAside,
    /// Where typed text goes; lies on a cell that is drawn.
    Cursor,
    /// What is out of date while news is fetched; lies on what is drawn.
    Stale,
}

impl Role {
    /// Every role.
    pub const ALL: &'static [Self] = Self::VARIANTS;
}

/// Styles for roles.
#[derive(Clone, Debug)]
pub struct Theme {
    base: Style,
    styles: Vec<Style>,
}

/// What is said in lines for people looks the same on the screen.
impl From<Ink> for Role {
    fn from(ink: Ink) -> Self {
        match ink {
            Ink::Error => Self::Error,
            Ink::Warning => Self::Warning,
            Ink::Note => Self::Note,
            Ink::Good => Self::Good,
            Ink::Dim => Self::Dim,
            Ink::Bold => Self::Title,
            Ink::Text => Self::Text,
        }
    }
}

impl Theme {
    /// What a look comes to.
    pub fn new(look: Look) -> Self {
        let theme = if look.colours == Colours::None { ThemeName::Mono } else { look.resolved() };
        let own = match theme {
            ThemeName::Dark => &own::DARK,
            ThemeName::Light => &own::LIGHT,
            ThemeName::HighContrast => &own::HIGH_CONTRAST,
            ThemeName::Mono => return Self::of(Style::new(), mono),
            ThemeName::Terminal | ThemeName::Auto => {
                return Self::of(Style::new(), |role| sixteen::style(role, look.background));
            }
        };
        let colour: fn(Rgb) -> Color = match look.colours {
            Colours::True => |rgb| rgb.exact(),
            Colours::Indexed => |rgb| rgb.indexed(),
            // Of sixteen colours that each terminal has its own of, the nearest to another says little: the background
            // is painted, and the colours are those that are read on it.
            Colours::Sixteen | Colours::None => {
                let (back, fore, kind) = match own.kind {
                    Background::Dark => (Color::Black, Color::White, Background::Dark),
                    Background::Light => (Color::White, Color::Black, Background::Light),
                };
                let base = Style::new().bg(back).fg(fore);
                return Self::of(base, |role| base.patch(sixteen::style(role, Some(kind))));
            }
        };
        let base = Style::new().fg(colour(own.role(Role::Text))).bg(colour(own.background));
        Self::of(base, |role| own.style(role, colour))
    }

    /// Each role by a colour of its own; layers by what is below.
    pub(super) fn numbered(number: fn(Role) -> Color) -> Self {
        Self::of(Style::new(), |role| match role {
            Role::Selection | Role::SelectionAside | Role::Cursor | Role::Stale => {
                Style::new().bg(number(role))
            }
            _ => Style::new().fg(number(role)),
        })
    }

    fn of(base: Style, style: impl Fn(Role) -> Style) -> Self {
        Self { base, styles: Role::ALL.iter().map(|role| style(*role)).collect() }
    }

    /// The terminal's own sixteen colours, on a background that is not known.
    pub fn terminal() -> Self {
        Self::new(Look::default())
    }

    /// No colours at all: bold, dim, underlined and reversed only.
    pub fn mono() -> Self {
        Self::new(Look { theme: ThemeName::Mono, ..Look::default() })
    }

    /// What is below everything: the colours of a blank.
    pub fn base(&self) -> Style {
        self.base
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or(self.base)
    }
}

/// How a role stands out besides its colour.
fn emphasis(role: Role) -> Modifier {
    match role {
        Role::Title | Role::Active | Role::Error | Role::Classic | Role::V1 => Modifier::BOLD,
        Role::Match | Role::Link => Modifier::UNDERLINED,
        Role::Gone => Modifier::CROSSED_OUT,
        _ => Modifier::empty(),
    }
}

/// A row that is lit up by swapping its colours: those of its pieces would give stripes, and what is dim would be hard
/// to read.
fn reversed() -> Style {
    let swapped = Style::new().fg(Color::Reset).bg(Color::Reset).add_modifier(Modifier::REVERSED);
    swapped.remove_modifier(Modifier::DIM)
}

fn mono(role: Role) -> Style {
    let style = Style::new().add_modifier(emphasis(role));
    match role {
        Role::Dim | Role::Rule | Role::Skipped | Role::Stale => style.add_modifier(Modifier::DIM),
        Role::Key | Role::Warning | Role::Deprecated | Role::Good | Role::Border | Role::ToastFailed => {
            style.add_modifier(Modifier::BOLD)
        }
        Role::Selection | Role::Cursor => {
            Style::new().add_modifier(Modifier::REVERSED).remove_modifier(Modifier::DIM)
        }
        Role::SelectionAside => Style::new().add_modifier(Modifier::BOLD).remove_modifier(Modifier::DIM),
        _ => style,
    }
}
