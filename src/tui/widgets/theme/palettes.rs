//! Built-in themes with their own colors and background, from the files in `assets/themes`.

use ratatui::style::{Color, Style};

use crate::tui::{
    parts::theme_settings::{Background, ThemeName},
    widgets::theme::{Ink, Rgb, emphasis},
};

/// Colors of a theme: the contents of a theme file.
#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct ThemeColors {
    /// Background assumed if only sixteen colors are available.
    pub background_kind: Background,
    pub background: Rgb,
    text: Rgb,
    dim: Rgb,
    rule: Rgb,
    active: Rgb,
    highlight: Rgb,
    red: Rgb,
    yellow: Rgb,
    orange: Rgb,
    green: Rgb,
    blue: Rgb,
    cyan: Rgb,
    violet: Rgb,
    /// Background of the selected row.
    pub selection: Rgb,
    /// Text of the selected row; `None` if the row keeps its colors.
    pub selection_text: Option<Rgb>,
    /// Background of the selected row of an unfocused list.
    pub inactive_selection: Rgb,
    /// Background of text fields, notices and code.
    pub raised: Rgb,
}

/// Theme that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the theme: {0}")]
pub(super) struct ThemeError(#[from] toml::de::Error);

/// Returns the colors of a built-in theme, or `None` if the theme uses the colors of the terminal.
pub(super) fn built_in_colors(theme: ThemeName) -> Option<Result<ThemeColors, ThemeError>> {
    let text = match theme {
        ThemeName::Dark => include_str!("../../../../assets/themes/dark.toml"),
        ThemeName::Light => include_str!("../../../../assets/themes/light.toml"),
        ThemeName::HighContrast => include_str!("../../../../assets/themes/high-contrast.toml"),
        ThemeName::Mono | ThemeName::Terminal | ThemeName::Auto => return None,
    };
    Some(ThemeColors::from_toml(text))
}

impl ThemeColors {
    /// Parses a theme file (TOML).
    pub fn from_toml(text: &str) -> Result<Self, ThemeError> {
        Ok(toml::from_str(text)?)
    }

    /// Returns the text color of an ink.
    pub fn ink_color(&self, ink: Ink) -> Rgb {
        match ink {
            Ink::Text | Ink::Title | Ink::Bold | Ink::Field | Ink::Code | Ink::SelectionAside => self.text,
            Ink::Dim | Ink::Skipped | Ink::Stale => self.dim,
            Ink::Rule => self.rule,
            Ink::Active | Ink::Key | Ink::Border | Ink::Link => self.active,
            Ink::Match => self.highlight,
            Ink::Error | Ink::Removed | Ink::Gone => self.red,
            Ink::Warning | Ink::ToastFailed => self.yellow,
            Ink::Deprecated => self.orange,
            Ink::Note => self.blue,
            Ink::Good | Ink::Replaces | Ink::Classic | Ink::Toast => self.green,
            Ink::Skips | Ink::V1 => self.violet,
            Ink::Range => self.cyan,
            Ink::Selection => self.selection_text.unwrap_or(self.text),
            Ink::Cursor => self.background,
        }
    }

    /// Returns the background of an ink; `None` if it is the common background.
    pub fn ink_background(&self, ink: Ink) -> Option<Rgb> {
        match ink {
            Ink::Field | Ink::Toast | Ink::ToastFailed | Ink::Code => Some(self.raised),
            Ink::Selection => Some(self.selection),
            Ink::SelectionAside => Some(self.inactive_selection),
            Ink::Cursor => Some(self.text),
            _ => None,
        }
    }

    /// Returns the style of an ink. Inks that patch drawn cells change as little as possible.
    pub fn ink_style(&self, ink: Ink, colour: fn(Rgb) -> Color) -> Style {
        let mut style = Style::new().add_modifier(emphasis(ink));
        let keeps = ink == Ink::SelectionAside || ink == Ink::Selection && self.selection_text.is_none();
        if !keeps {
            style = style.fg(colour(self.ink_color(ink)));
        }
        if let Some(below) = self.ink_background(ink) {
            style = style.bg(colour(below));
        }
        style
    }
}
