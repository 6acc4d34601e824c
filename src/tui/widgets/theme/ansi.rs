//! Styles with the sixteen colors of the terminal.
//!
//! These colors differ between terminals, so an ink uses a color only if it is readable in common
//! palettes. With the colors of xterm, each color below has a contrast of at least 4.5 to its
//! background. With those of three other terminals it is at least 3. An unknown background may be
//! black or white, and few colors are readable on both: there the limits are 3.9 and 2.6. Yellow
//! and green are not readable on white in any palette. On a light or unknown background they are
//! painted below black letters. A test computes the contrasts. Less important text is dimmed
//! instead of gray, because gray is the background in a widespread palette.

use ratatui::style::{Color, Modifier, Style};

use crate::tui::{
    parts::theme_settings::Background,
    widgets::theme::{Ink, emphasis, reversed_style},
};

/// Returns the style of an ink on a background; `None` if the background is unknown.
pub(super) fn ansi_style(ink: Ink, background: Option<Background>) -> Style {
    let style = Style::new().add_modifier(emphasis(ink));
    match ink {
        Ink::Dim | Ink::Rule | Ink::Skipped => return style.add_modifier(Modifier::DIM),
        Ink::Stale => return style.fg(Color::Reset).bg(Color::Reset).add_modifier(Modifier::DIM),
        Ink::Selection | Ink::Cursor => return reversed_style(),
        Ink::SelectionAside => return style.add_modifier(Modifier::BOLD).remove_modifier(Modifier::DIM),
        _ => {}
    }
    if background != Some(Background::Dark)
        && let Some(paint) = paint_below(ink)
    {
        return style.fg(Color::Black).bg(paint);
    }
    let colour = match background {
        Some(Background::Dark) => dark_color(ink),
        Some(Background::Light) => light_color(ink),
        None => neutral_color(ink),
    };
    match colour {
        Some(colour) => style.fg(colour),
        None if is_plain(ink) => style,
        // An ink without a color is bold.
        None => style.add_modifier(Modifier::BOLD),
    }
}

/// Returns the color painted below an ink if the background is or may be light.
fn paint_below(ink: Ink) -> Option<Color> {
    match ink {
        Ink::Warning | Ink::ToastFailed => Some(Color::Yellow),
        Ink::Good | Ink::Toast => Some(Color::Green),
        _ => None,
    }
}

fn is_plain(ink: Ink) -> bool {
    matches!(ink, Ink::Text | Ink::Field | Ink::Code | Ink::Replaces)
}

fn dark_color(ink: Ink) -> Option<Color> {
    Some(match ink {
        Ink::Active | Ink::Border | Ink::Key | Ink::Note | Ink::Range | Ink::Link => Color::Cyan,
        Ink::Match | Ink::Warning | Ink::Deprecated | Ink::ToastFailed => Color::Yellow,
        Ink::Error | Ink::Removed | Ink::Gone => Color::LightRed,
        Ink::Good | Ink::Replaces | Ink::Classic | Ink::Toast => Color::Green,
        Ink::Skips | Ink::V1 => Color::LightMagenta,
        _ => return None,
    })
}

fn light_color(ink: Ink) -> Option<Color> {
    Some(match ink {
        Ink::Active | Ink::Border | Ink::Key | Ink::Note | Ink::Range | Ink::Link => Color::Blue,
        Ink::Classic => Color::Blue,
        Ink::Match | Ink::Deprecated => Color::Magenta,
        Ink::Error | Ink::Removed | Ink::Gone => Color::Red,
        Ink::Skips | Ink::V1 => Color::Magenta,
        _ => return None,
    })
}

fn neutral_color(ink: Ink) -> Option<Color> {
    Some(match ink {
        Ink::Active | Ink::Border | Ink::Key | Ink::Note | Ink::Range | Ink::Link => Color::LightBlue,
        Ink::Error | Ink::Removed | Ink::Gone => Color::LightRed,
        Ink::Skips | Ink::V1 => Color::Magenta,
        _ => return None,
    })
}
