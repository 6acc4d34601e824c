//! What the pieces of a screen mean, told from cells that were drawn with [`Theme::roles`].

use std::fmt::Write as _;

use ratatui::{buffer::Buffer, style::Color};

use super::rows;
use crate::ui::theme::{Role, Theme};

/// The meanings on a screen that was drawn with [`Theme::roles`], a row a line: `3: 0..9 Title, 12..20 Dim on Selection`.
/// Columns count from 0, the last is not included; ordinary text is not told.
pub fn roles(buffer: &Buffer) -> String {
    let mut text = String::new();
    for (y, row) in rows(buffer).enumerate() {
        let mut told: Vec<(u16, u16, String)> = Vec::new();
        for run in row {
            let role = Theme::role_of(run.style.fg).unwrap_or_default();
            let below = Theme::role_of(run.style.bg);
            let blank = run.text.trim().is_empty();
            let mut name = match (blank, role) {
                (true, _) | (_, Role::Text) => String::new(),
                _ => format!("{role:?}"),
            };
            if let Some(below) = below {
                let _ = write!(name, "{}on {below:?}", if name.is_empty() { "" } else { " " });
            }
            let end = run.x + run.columns;
            match told.last_mut() {
                Some((_, last, same)) if *last == run.x && *same == name => *last = end,
                _ => told.push((run.x, end, name)),
            }
        }
        told.retain(|(.., name)| !name.is_empty());
        if !told.is_empty() {
            let told: Vec<String> =
                told.iter().map(|(from, to, name)| format!("{from}..{to} {name}")).collect();
            let _ = writeln!(text, "{y}: {}", told.join(", "));
        }
    }
    text
}

impl Theme {
    /// A theme that shows nothing to people: each role has a number for its colour, so that [`roles`] can tell them apart
    /// where those of a real theme look alike.
    pub fn roles() -> Self {
        Self::numbered(|role| Color::Indexed(role as u8))
    }

    fn role_of(colour: Option<Color>) -> Option<Role> {
        match colour {
            Some(Color::Indexed(number)) => Role::ALL.get(usize::from(number)).copied(),
            _ => None,
        }
    }
}
