//! Overview for a comment on a pull request.

use std::fmt::Write as _;

use super::{SortedOverview, format_stuck_counts, summarize_overview};
use crate::markdown::{MAX_BYTES, escape_markdown};
use olm_plan::overview::{Change, OverviewRow, ProblemMark, nonzero_marks};

/// Renders a table with a row per package and a column per catalog; problems are in words.
pub fn render_overview_comment(sorted: &SortedOverview) -> String {
    let mut out = format!("{}\n", summarize_overview(sorted));
    if sorted.overview.rows.is_empty() {
        return out;
    }
    let titles: Vec<String> = sorted.columns.iter().map(|column| escape_markdown(&column.title)).collect();
    let titles = titles.join(" | ");
    let _ = writeln!(out, "\n| package | {titles} |\n|---|{}", "---|".repeat(sorted.columns.len()));
    let mut left = 0;
    for row in &sorted.overview.rows {
        let cells: Vec<String> =
            (0..sorted.columns.len()).map(|nth| render_overview_cell(row, nth)).collect();
        let cells = cells.join(" | ");
        let line = format!("| {} | {cells} |\n", escape_markdown(row.package.as_str()));
        if out.len() + line.len() > MAX_BYTES {
            left += 1;
        } else {
            out.push_str(&line);
        }
    }
    if left > 0 {
        let _ = writeln!(out, "\nAnd {left} more: `olmap overview` shows them all.");
    }
    out
}

fn render_overview_cell(row: &OverviewRow, nth: usize) -> String {
    let Some(cell) = row.cells.get(nth).and_then(Option::as_ref) else {
        return if row.is_removed(nth) { "**gone**" } else { "" }.to_owned();
    };
    let mut out =
        cell.head().map_or_else(|| "**no head**".to_owned(), |head| escape_markdown(&head.short_name));
    match cell.change {
        Some(Change::Lower) => out.push_str(", **lower than before**"),
        Some(Change::New) => out.push_str(", new"),
        None => {}
    }
    for (mark, count) in nonzero_marks(|mark| cell.count_marked(mark)) {
        let words = if mark == ProblemMark::Stuck {
            format_stuck_counts(cell.stuck)
        } else {
            mark.format_count(count)
        };
        let _ = if mark.is_severe() { write!(out, ", **{words}**") } else { write!(out, ", {words}") };
    }
    out
}
