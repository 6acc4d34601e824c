//! Built-in themes with their own colors and background.

#![allow(clippy::unreadable_literal, reason = "colours are written so everywhere")]

use ratatui::style::{Color, Style};

use crate::tui::{
    parts::theme_settings::Background,
    widgets::theme::{Rgb, Role, emphasis},
};

/// Colors of a theme.
#[derive(Debug)]
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

pub(super) const DARK: ThemeColors = ThemeColors {
    background_kind: Background::Dark,
    background: Rgb(0x14171c),
    text: Rgb(0xd8dce3),
    dim: Rgb(0xa4acb8),
    rule: Rgb(0x808999),
    active: Rgb(0x82cbff),
    highlight: Rgb(0xffd866),
    red: Rgb(0xff938a),
    yellow: Rgb(0xf2c55c),
    orange: Rgb(0xecb27a),
    green: Rgb(0x93d898),
    blue: Rgb(0x94bcff),
    cyan: Rgb(0x73d3d3),
    violet: Rgb(0xd9adff),
    selection: Rgb(0x293a56),
    selection_text: None,
    inactive_selection: Rgb(0x242931),
    raised: Rgb(0x20252d),
};

pub(super) const LIGHT: ThemeColors = ThemeColors {
    background_kind: Background::Light,
    background: Rgb(0xfafafa),
    text: Rgb(0x23272e),
    dim: Rgb(0x525966),
    rule: Rgb(0x707685),
    active: Rgb(0x005a96),
    highlight: Rgb(0x8a3b00),
    red: Rgb(0xb02018),
    yellow: Rgb(0x805300),
    orange: Rgb(0x854612),
    green: Rgb(0x1b662a),
    blue: Rgb(0x1f5ab4),
    cyan: Rgb(0x006268),
    violet: Rgb(0x782c9c),
    selection: Rgb(0xd7edff),
    selection_text: None,
    inactive_selection: Rgb(0xedeff2),
    raised: Rgb(0xf1f3f6),
};

pub(super) const HIGH_CONTRAST: ThemeColors = ThemeColors {
    background_kind: Background::Dark,
    background: Rgb(0x000000),
    text: Rgb(0xffffff),
    dim: Rgb(0xd6d6d6),
    rule: Rgb(0xffffff),
    active: Rgb(0x00ffff),
    highlight: Rgb(0xffff00),
    red: Rgb(0xffa8a0),
    yellow: Rgb(0xffdd5c),
    orange: Rgb(0xffbb70),
    green: Rgb(0x80ff80),
    blue: Rgb(0xa8d0ff),
    cyan: Rgb(0x7fffd4),
    violet: Rgb(0xffb8ff),
    selection: Rgb(0xffff00),
    selection_text: Some(Rgb(0x000000)),
    inactive_selection: Rgb(0x303030),
    raised: Rgb(0x202020),
};

impl ThemeColors {
    /// Returns the text color of a role.
    pub fn role_color(&self, role: Role) -> Rgb {
        match role {
            Role::Text | Role::Title | Role::Bold | Role::Field | Role::Code | Role::SelectionAside => {
                self.text
            }
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
