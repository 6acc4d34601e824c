//! Roles of the pieces of a screen, from cells drawn with the theme for roles.

use std::fmt::Write as _;

use ratatui::{buffer::Buffer, style::Color};

use super::rows_of_runs;
use crate::ui::theme::{Role, Theme};

/// Lists the roles on a screen drawn with the theme for roles, one line per row:
/// `3: 0..9 Title, 12..20 Dim on Selection`. Columns are 0-based and the end is exclusive; ordinary
/// text is not listed.
pub fn render_roles(buffer: &Buffer) -> String {
    let mut text = String::new();
    for (y, row) in rows_of_runs(buffer).enumerate() {
        let mut told: Vec<(u16, u16, String)> = Vec::new();
        for run in row {
            let role = Theme::role_for_color(run.style.fg).unwrap_or_default();
            let below = Theme::role_for_color(run.style.bg);
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
    /// Returns a theme that uses the number of each role as its color, so that all roles can be
    /// distinguished.
    pub fn with_role_numbers() -> Self {
        Self::from_colors(|role| Color::Indexed(role as u8))
    }

    fn role_for_color(colour: Option<Color>) -> Option<Role> {
        match colour {
            Some(Color::Indexed(number)) => Role::ALL.get(usize::from(number)).copied(),
            _ => None,
        }
    }
}
