//! Renders a screen as text, ANSI text or SVG, for documents, tests and sharing.
//!
//! The only input is the cells of a drawn frame.

mod svg;
#[cfg(test)]
mod tests;

pub use crate::tui::widgets::capture::svg::render_svg;

use std::fmt::Write as _;

use ratatui::{
    buffer::Buffer,
    style::{Color, Modifier, Style},
};

use crate::tui::widgets::theme::{Ink, Theme};
use olmap_report::escape;

/// Adjacent cells with the same style.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Run {
    /// First column.
    x: u16,
    /// Number of columns.
    columns: u16,
    text: String,
    style: Style,
}

/// Returns the runs of a row. Cells covered by a wide character belong to its run.
fn row_runs(buffer: &Buffer, y: u16) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut x = buffer.area.left();
    while let Some(cell) = buffer.cell((x, y)) {
        let (symbol, style) = (cell.symbol(), cell.style());
        let columns = u16::try_from(escape::grapheme_width(symbol)).unwrap_or(1).max(1);
        match runs.last_mut() {
            Some(last) if last.style == style => {
                last.columns += columns;
                last.text.push_str(symbol);
            }
            _ => runs.push(Run { x, columns, text: symbol.to_owned(), style }),
        }
        x = x.saturating_add(columns);
    }
    runs
}

fn rows_of_runs(buffer: &Buffer) -> impl Iterator<Item = Vec<Run>> {
    (buffer.area.top()..buffer.area.bottom()).map(|y| row_runs(buffer, y))
}

/// Renders the rows of a screen as text, without trailing blanks.
pub fn render_text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for row in rows_of_runs(buffer) {
        let line: String = row.iter().map(|run| run.text.as_str()).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Renders a screen as text with ANSI colors (ECMA-48 SGR).
pub fn render_ansi(buffer: &Buffer) -> String {
    let mut text = String::new();
    for mut row in rows_of_runs(buffer) {
        // Trailing blanks in the default colors of the terminal are redundant.
        if let Some(last) = row.last_mut().filter(|last| sgr_codes(last.style).is_empty()) {
            last.text.truncate(last.text.trim_end().len());
        }
        for run in row {
            let codes = sgr_codes(run.style);
            if codes.is_empty() {
                text.push_str(&run.text);
            } else {
                let _ = write!(text, "\x1b[{}m{}\x1b[0m", codes.join(";"), run.text);
            }
        }
        text.push('\n');
    }
    text
}

/// Returns the SGR parameters that turn the default style into the given one.
fn sgr_codes(style: Style) -> Vec<String> {
    let modifiers = [
        (Modifier::BOLD, "1"),
        (Modifier::DIM, "2"),
        (Modifier::ITALIC, "3"),
        (Modifier::UNDERLINED, "4"),
        (Modifier::REVERSED, "7"),
    ];
    let on = modifiers.into_iter().filter(|(modifier, _)| style.add_modifier.contains(*modifier));
    let mut codes: Vec<String> = on.map(|(_, code)| code.to_owned()).collect();
    codes.extend(style.fg.and_then(|colour| color_code(colour, 30)));
    codes.extend(style.bg.and_then(|colour| color_code(colour, 40)));
    codes
}

/// Returns the SGR parameter of a color. `first` is the parameter of black: 30 for letters, 40 for
/// the background.
fn color_code(colour: Color, first: u8) -> Option<String> {
    Some(match colour {
        Color::Reset => return None,
        Color::Rgb(red, green, blue) => format!("{};2;{red};{green};{blue}", first + 8),
        Color::Indexed(index) => format!("{};5;{index}", first + 8),
        named => {
            let number = svg::ansi_number(named)?;
            let first = if number < 8 { first } else { first + 60 };
            (first + number % 8).to_string()
        }
    })
}

/// Lists the inks on a screen drawn with the theme for inks, one line per row:
/// `3: 0..9 Title, 12..20 Dim on Selection`. Columns are 0-based and the end is exclusive; ordinary
/// text is not listed.
pub fn render_inks(buffer: &Buffer) -> String {
    let mut text = String::new();
    for (y, row) in rows_of_runs(buffer).enumerate() {
        let mut told: Vec<(u16, u16, String)> = Vec::new();
        for run in row {
            let ink = Theme::ink_for_color(run.style.fg).unwrap_or_default();
            let below = Theme::ink_for_color(run.style.bg);
            let blank = run.text.trim().is_empty();
            let mut name = match (blank, ink) {
                (true, _) | (_, Ink::Text) => String::new(),
                _ => format!("{ink:?}"),
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
    /// Returns a theme that uses the number of each ink as its color, so that all inks can be
    /// distinguished.
    pub fn with_ink_numbers() -> Self {
        Self::from_colors(|ink| Color::Indexed(ink as u8))
    }

    fn ink_for_color(colour: Option<Color>) -> Option<Ink> {
        match colour {
            Some(Color::Indexed(number)) => Ink::ALL.get(usize::from(number)).copied(),
            _ => None,
        }
    }
}
