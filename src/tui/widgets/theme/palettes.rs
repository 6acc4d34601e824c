//! Built-in themes with their own colors and background, from the files in `assets/themes`.

use ratatui::style::{Color, Style};

use crate::tui::{
    parts::theme_settings::{Background, ThemeName},
    widgets::theme::{Rgb, Role, emphasis},
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
    Some(ThemeColors::parse(text))
}

impl ThemeColors {
    /// Parses a theme file (TOML).
    pub fn parse(text: &str) -> Result<Self, ThemeError> {
        Ok(toml::from_str(text)?)
    }

    /// Returns the text color of a role.
    pub fn role_color(&self, role: Role) -> Rgb {
        match role {
            Role::Text | Role::Title | Role::Field | Role::Code | Role::SelectionAside => self.text,
            Role::Dim | Role::Skipped | Role::Stale => self.dim,
            Role::Rule => self.rule,
            Role::Active | Role::Key | Role::Border | Role::Link => self.active,
            Role::Match => self.highlight,
            Role::Error | Role::Removed | Role::Gone => self.red,
            Role::Warning | Role::ToastFailed => self.yellow,
            Role::Deprecated => self.orange,
            Role::Note => self.blue,
            Role::Good | Role::Replaces | Role::Classic | Role::Toast => self.green,
            Role::Skips | Role::V1 => self.violet,
            Role::Range => self.cyan,
            Role::Selection => self.selection_text.unwrap_or(self.text),
            Role::Cursor => self.background,
        }
    }

    /// Returns the background of a role; `None` if it is the common background.
    pub fn role_background(&self, role: Role) -> Option<Rgb> {
        match role {
            Role::Field | Role::Toast | Role::ToastFailed | Role::Code => Some(self.raised),
            Role::Selection => Some(self.selection),
            Role::SelectionAside => Some(self.inactive_selection),
            Role::Cursor => Some(self.text),
            _ => None,
        }
    }

    /// Returns the style of a role. Roles that patch drawn cells change as little as possible.
    pub fn role_style(&self, role: Role, colour: fn(Rgb) -> Color) -> Style {
        let mut style = Style::new().add_modifier(emphasis(role));
        let keeps = role == Role::SelectionAside || role == Role::Selection && self.selection_text.is_none();
        if !keeps {
            style = style.fg(colour(self.role_color(role)));
        }
        if let Some(below) = self.role_background(role) {
            style = style.bg(colour(below));
        }
        style
    }
}
