//! Built-in themes with their own colors and background.

#![allow(clippy::unreadable_literal, reason = "colours are written so everywhere")]

use ratatui::style::{Color, Style};

use crate::tui::{
    parts::theme_settings::Background,
    widgets::theme::{Ink, Rgb, emphasis},
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
