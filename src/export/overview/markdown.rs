//! Overview for a comment on a pull request.

use std::fmt::Write as _;

use super::{Sorted, stuck_words, summary};
use crate::{
    export::markdown::{MAX_BYTES, quote},
    plan::overview::{Change, Mark, Row, some},
};

/// Renders a table with a row per package and a column per catalog; problems are in words.
pub fn comment(sorted: &Sorted) -> String {
    let mut out = format!("{}\n", summary(sorted));
    if sorted.overview.rows.is_empty() {
        return out;
    }
    let titles: Vec<String> = sorted.columns.iter().map(|column| quote(&column.title)).collect();
    let titles = titles.join(" | ");
    let _ = writeln!(out, "\n| package | {titles} |\n|---|{}", "---|".repeat(sorted.columns.len()));
    let mut left = 0;
    for row in &sorted.overview.rows {
        let cells: Vec<String> = (0..sorted.columns.len()).map(|nth| cell(row, nth)).collect();
        let cells = cells.join(" | ");
        let line = format!("| {} | {cells} |\n", quote(row.package.as_str()));
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

fn cell(row: &Row, nth: usize) -> String {
    let Some(cell) = row.cells.get(nth).and_then(Option::as_ref) else {
        return if row.is_gone(nth) { "**gone**" } else { "" }.to_owned();
    };
    let mut out = cell.head().map_or_else(|| "**no head**".to_owned(), |head| quote(&head.short));
    match cell.change {
        Some(Change::Lower) => out.push_str(", **lower than before**"),
        Some(Change::New) => out.push_str(", new"),
        None => {}
    }
    for (mark, count) in some(|mark| cell.count(mark)) {
        let words = if mark == Mark::Stuck { stuck_words(cell.stuck) } else { mark.words(count) };
        let _ = if mark.is_grave() { write!(out, ", **{words}**") } else { write!(out, ", {words}") };
    }
    out
}
