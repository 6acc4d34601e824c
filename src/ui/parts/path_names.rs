//! Completions of a path.

use crate::{
    tui::work::outcome::PathCompletions,
    ui::canvas::{display_width, pad},
};

/// Maximum number of rows.
const MAX_ROWS: usize = 8;

/// Formats names in columns, as many as fit, and the number of remaining ones.
pub fn format_name_columns(
    names: &PathCompletions,
    (columns, rows): (usize, usize),
    ascii: bool,
) -> Vec<String> {
    if names.names.is_empty() {
        return vec!["no such path".to_owned()];
    }
    let wide =
        names.names.iter().map(|name| display_width(name)).max().unwrap_or_default().min(columns / 2) + 2;
    let in_row = (columns / wide).max(1);
    let all = names.names.len().div_ceil(in_row) + usize::from(names.omitted_count > 0);
    // The last row shows the number of remaining names.
    let rows = if all > rows.min(MAX_ROWS) { rows.min(MAX_ROWS).saturating_sub(1) } else { all };
    let shown = names.names.chunks(in_row).take(rows);
    let mut lines: Vec<String> =
        shown.map(|row| row.iter().map(|name| pad(name, wide - 2, ascii) + "  ").collect()).collect();
    let more = names.names.len().saturating_sub(in_row * rows) + names.omitted_count;
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}
