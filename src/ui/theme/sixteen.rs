//! The terminal's own sixteen colours.
//!
//! Each terminal has its own of them, so a colour is used only where it is read in those that are common: with the
//! colours of xterm every one below has a contrast of 4.5 or more to the background it is for, with those of three other
//! terminals 3 or more. Where the background is not known it may be black or white, and few colours are read on both:
//! 3.9 and 2.6 are what they have. Yellow and green are read on white in none of them: where it is or may be white they
//! are painted below black letters. A test computes it. Less important text is dimmed and not grey: grey is the background itself in a widespread palette.

use ratatui::style::{Color, Modifier, Style};

use super::{Role, emphasis, reversed};
use crate::app::parts::look::Background;

/// What a role looks like on a background; `None` where that is not known.
pub(super) fn style(role: Role, background: Option<Background>) -> Style {
    let style = Style::new().add_modifier(emphasis(role));
    match role {
        Role::Dim | Role::Rule | Role::Skipped => return style.add_modifier(Modifier::DIM),
        Role::Stale => return style.fg(Color::Reset).bg(Color::Reset).add_modifier(Modifier::DIM),
        Role::Selection | Role::Cursor => return reversed(),
        Role::SelectionAside => return style.add_modifier(Modifier::BOLD).remove_modifier(Modifier::DIM),
        _ => {}
    }
    if background != Some(Background::Dark)
        && let Some(paint) = painted(role)
    {
        return style.fg(Color::Black).bg(paint);
    }
    let colour = match background {
        Some(Background::Dark) => dark(role),
        Some(Background::Light) => light(role),
        None => either(role),
    };
    match colour {
        Some(colour) => style.fg(colour),
        None if is_plain(role) => style,
        // What has no colour of its own here stands out by weight.
        None => style.add_modifier(Modifier::BOLD),
    }
}

/// What is painted below a role where the background is or may be light.
fn painted(role: Role) -> Option<Color> {
    match role {
        Role::Warning | Role::ToastFailed => Some(Color::Yellow),
        Role::Good | Role::Toast => Some(Color::Green),
        _ => None,
    }
}

fn is_plain(role: Role) -> bool {
    matches!(role, Role::Text | Role::Field | Role::Code | Role::Replaces)
}

fn dark(role: Role) -> Option<Color> {
    Some(match role {
        Role::Active | Role::Border | Role::Key | Role::Note | Role::Range | Role::Link => Color::Cyan,
        Role::Match | Role::Warning | Role::Deprecated | Role::ToastFailed => Color::Yellow,
        Role::Error | Role::Removed | Role::Gone => Color::LightRed,
        Role::Good | Role::Replaces | Role::Classic | Role::Toast => Color::Green,
        Role::Skips | Role::V1 => Color::LightMagenta,
        _ => return None,
    })
}

fn light(role: Role) -> Option<Color> {
    Some(match role {
        Role::Active | Role::Border | Role::Key | Role::Note | Role::Range | Role::Link => Color::Blue,
        Role::Classic => Color::Blue,
        Role::Match | Role::Deprecated => Color::Magenta,
        Role::Error | Role::Removed | Role::Gone => Color::Red,
        Role::Skips | Role::V1 => Color::Magenta,
        _ => return None,
    })
}

fn either(role: Role) -> Option<Color> {
    Some(match role {
        Role::Active | Role::Border | Role::Key | Role::Note | Role::Range | Role::Link => Color::LightBlue,
        Role::Error | Role::Removed | Role::Gone => Color::LightRed,
        Role::Skips | Role::V1 => Color::Magenta,
        _ => return None,
    })
}
