//! Names on disk that a path could go on with.

use crate::{
    app::work::outcome::Names,
    ui::canvas::{pad, width},
};

/// The most rows of names.
const ROWS: usize = 8;

/// Names in columns, as many as there is room for, and how many more there are.
pub fn listed(names: &Names, (columns, rows): (usize, usize), ascii: bool) -> Vec<String> {
    if names.names.is_empty() {
        return vec!["no such path".to_owned()];
    }
    let wide = names.names.iter().map(|name| width(name)).max().unwrap_or_default().min(columns / 2) + 2;
    let in_row = (columns / wide).max(1);
    let all = names.names.len().div_ceil(in_row) + usize::from(names.more > 0);
    // The last row says how many more there are.
    let rows = if all > rows.min(ROWS) { rows.min(ROWS).saturating_sub(1) } else { all };
    let shown = names.names.chunks(in_row).take(rows);
    let mut lines: Vec<String> =
        shown.map(|row| row.iter().map(|name| pad(name, wide - 2, ascii) + "  ").collect()).collect();
    let more = names.names.len().saturating_sub(in_row * rows) + names.more;
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}
