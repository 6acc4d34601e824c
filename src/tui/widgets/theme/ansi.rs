//! Styles with the sixteen colors of the terminal.
//!
//! These colors differ between terminals, so a role uses a color only if it is readable in common
//! palettes. With the colors of xterm, each color below has a contrast of at least 4.5 to its
//! background. With those of three other terminals it is at least 3. An unknown background may be
//! black or white, and few colors are readable on both: there the limits are 3.9 and 2.6. Yellow
//! and green are not readable on white in any palette. On a light or unknown background they are
//! painted below black letters. A test computes the contrasts. Less important text is dimmed
//! instead of gray, because gray is the background in a widespread palette.

use ratatui::style::{Color, Modifier, Style};

use crate::tui::{
    parts::theme_settings::Background,
    widgets::theme::{Role, emphasis, reversed_style},
};

/// Returns the style of a role on a background; `None` if the background is unknown.
pub(super) fn ansi_style(role: Role, background: Option<Background>) -> Style {
    let style = Style::new().add_modifier(emphasis(role));
    match role {
        Role::Dim | Role::Rule | Role::Skipped => return style.add_modifier(Modifier::DIM),
        Role::Stale => return style.fg(Color::Reset).bg(Color::Reset).add_modifier(Modifier::DIM),
        Role::Selection | Role::Cursor => return reversed_style(),
        Role::SelectionAside => return style.add_modifier(Modifier::BOLD).remove_modifier(Modifier::DIM),
        _ => {}
    }
    if background != Some(Background::Dark)
        && let Some(paint) = paint_below(role)
    {
        return style.fg(Color::Black).bg(paint);
    }
    let colour = match background {
        Some(Background::Dark) => dark_color(role),
        Some(Background::Light) => light_color(role),
        None => neutral_color(role),
    };
    match colour {
        Some(colour) => style.fg(colour),
        None if is_plain(role) => style,
        // A role without a color is bold.
        None => style.add_modifier(Modifier::BOLD),
    }
}

/// Returns the color painted below a role if the background is or may be light.
fn paint_below(role: Role) -> Option<Color> {
    match role {
        Role::Warning | Role::ToastFailed => Some(Color::Yellow),
        Role::Good | Role::Toast => Some(Color::Green),
        _ => None,
    }
}

fn is_plain(role: Role) -> bool {
    matches!(role, Role::Text | Role::Field | Role::Code | Role::Replaces)
}

fn dark_color(role: Role) -> Option<Color> {
    Some(match role {
        Role::Active | Role::Border | Role::Key | Role::Note | Role::Range | Role::Link => Color::Cyan,
        Role::Match | Role::Warning | Role::Deprecated | Role::ToastFailed => Color::Yellow,
        Role::Error | Role::Removed | Role::Gone => Color::LightRed,
        Role::Good | Role::Replaces | Role::Classic | Role::Toast => Color::Green,
        Role::Skips | Role::V1 => Color::LightMagenta,
        _ => return None,
    })
}

fn light_color(role: Role) -> Option<Color> {
    Some(match role {
        Role::Active | Role::Border | Role::Key | Role::Note | Role::Range | Role::Link => Color::Blue,
        Role::Classic => Color::Blue,
        Role::Match | Role::Deprecated => Color::Magenta,
        Role::Error | Role::Removed | Role::Gone => Color::Red,
        Role::Skips | Role::V1 => Color::Magenta,
        _ => return None,
    })
}

fn neutral_color(role: Role) -> Option<Color> {
    Some(match role {
        Role::Active | Role::Border | Role::Key | Role::Note | Role::Range | Role::Link => Color::LightBlue,
        Role::Error | Role::Removed | Role::Gone => Color::LightRed,
        Role::Skips | Role::V1 => Color::Magenta,
        _ => return None,
    })
}
