//! Overview as a table as wide as the terminal.

use std::fmt::Write as _;

use super::{Sorted, cell, legend, lines, summary};
use crate::{
    export::{
        path::Piece,
        plain::{self, width, wrap},
        style::{Ink, Style},
    },
    plan::overview::{Health, Row},
};

/// Callback that returns the channels of a package in the nth catalog.
pub type Channels<'a> = dyn Fn(&Row, usize) -> Vec<Health> + 'a;

/// Blanks between columns.
const GAP: usize = 2;
/// Minimum width of package names; below it, each catalog has a line of its own.
const NAME: usize = 14;

/// Renders the table, its legend and the totals. `details` adds the channels of each package.
pub fn text(sorted: &Sorted, details: Option<&Channels<'_>>, style: &Style) -> String {
    let columns = sorted.columns.len();
    let cells: Vec<Vec<Vec<Piece>>> = sorted
        .overview
        .rows
        .iter()
        .map(|row| (0..columns).map(|nth| harmless(cell(row, nth))).collect())
        .collect();
    let wide = |nth: usize| {
        let title = sorted.columns.get(nth).map_or(0, |column| width(&plain::line(&column.title)));
        let cells = cells.iter().filter_map(|row| row.get(nth)).map(|cell| wide(cell));
        cells.max().unwrap_or(0).max(title)
    };
    let widths: Vec<usize> = (0..columns).map(wide).collect();
    let room = style.width.saturating_sub(widths.iter().map(|wide| wide + GAP).sum());
    let names =
        sorted.overview.rows.iter().map(|row| width(&plain::line(row.package.as_str()))).max().unwrap_or(0);
    let mut out = String::new();
    if !cells.is_empty() {
        match names.min(room) {
            name if name >= NAME.min(names) => table(&mut out, sorted, &cells, &widths, name, style),
            _ => stacked(&mut out, sorted, &cells, style),
        }
        out.push('\n');
    }
    if let Some(channels) = details {
        for row in &sorted.overview.rows {
            for (nth, column) in sorted.columns.iter().enumerate() {
                let heading = format!("{} in {}", row.package, column.title);
                let _ = writeln!(out, "{}", style.paint(Ink::Bold, &heading));
                for line in lines(row, nth, &sorted.columns, &channels(row, nth), style.width) {
                    let _ = writeln!(out, "{}", painted(&line, style).trim_end());
                }
                out.push('\n');
            }
        }
    }
    explain(&mut out, sorted, style);
    out
}

/// Writes packages as rows and catalogs as columns. A name that is too long has its own line.
fn table(
    out: &mut String,
    sorted: &Sorted,
    cells: &[Vec<Vec<Piece>>],
    widths: &[usize],
    name: usize,
    style: &Style,
) {
    let name = name.max(width("PACKAGE"));
    let titles =
        sorted.columns.iter().map(|column| vec![(Ink::Dim, plain::line(&column.title).into_owned())]);
    let titles: Vec<Vec<Piece>> = titles.collect();
    let rows = sorted.overview.rows.iter().map(|row| (Ink::Bold, row.package.as_str())).zip(cells);
    for ((ink, package), cells) in std::iter::once(((Ink::Dim, "PACKAGE"), &titles)).chain(rows) {
        let own = width(&plain::line(package));
        out.push_str(&style.paint(ink, package));
        if own > name {
            let _ = write!(out, "\n{:name$}", "");
        } else {
            let _ = write!(out, "{:1$}", "", name - own);
        }
        let mut blanks = 0;
        for (cell, column) in cells.iter().zip(widths) {
            let _ = write!(out, "{:1$}", "", blanks + GAP);
            out.push_str(&painted(cell, style));
            blanks = column.saturating_sub(wide(cell));
        }
        out.push('\n');
    }
}

/// Writes each catalog on its own line. Adjacent catalogs with the same cell share a line.
fn stacked(out: &mut String, sorted: &Sorted, cells: &[Vec<Vec<Piece>>], style: &Style) {
    let titles: Vec<String> =
        sorted.columns.iter().map(|column| plain::line(&column.title).into_owned()).collect();
    let mut blocks = Vec::with_capacity(cells.len());
    for cells in cells {
        let mut lines: Vec<(String, &[Piece])> = Vec::new();
        let all: Vec<(&String, &Vec<Piece>)> = titles.iter().zip(cells).collect();
        for same in all.chunk_by(|(_, a), (_, b)| a == b) {
            if let (Some((first, cell)), Some((last, _))) = (same.first(), same.last()) {
                let title = if same.len() > 1 { format!("{first} to {last}") } else { (*first).clone() };
                lines.push((title, cell));
            }
        }
        blocks.push(lines);
    }
    let widest = blocks.iter().flatten().map(|(title, _)| width(title)).max().unwrap_or(0);
    for (row, lines) in sorted.overview.rows.iter().zip(blocks) {
        let _ = writeln!(out, "{}", style.paint(Ink::Bold, row.package.as_str()));
        for (title, cell) in lines {
            let blanks = " ".repeat(widest.saturating_sub(width(&title)) + GAP);
            let _ = writeln!(out, "  {}{blanks}{}", style.paint(Ink::Dim, &title), painted(cell, style));
        }
    }
}

/// Writes the legend and the totals.
fn explain(out: &mut String, sorted: &Sorted, style: &Style) {
    let signs = legend(&sorted.overview);
    if !sorted.overview.rows.is_empty() {
        let words = "A cell: the head of the default channel, then signs with counts of its versions:";
        out.push_str(&wrap::wrapped(
            if signs.is_empty() { "A cell: the head of the default channel." } else { words },
            "",
            style.width,
        ));
    }
    for (ink, sign, meaning) in signs {
        let blanks = " ".repeat(7usize.saturating_sub(width(sign)));
        let folded = wrap::wrapped(&meaning, "", style.width.saturating_sub(9))
            .trim_end()
            .replace('\n', "\n         ");
        let _ = writeln!(out, "  {}{blanks}{folded}", style.paint(ink, sign));
    }
    if !sorted.overview.rows.is_empty() {
        out.push('\n');
    }
    out.push_str(&wrap::wrapped(&summary(sorted), "", style.width));
}

fn harmless(cell: Vec<Piece>) -> Vec<Piece> {
    cell.into_iter().map(|(ink, text)| (ink, plain::line(&text).into_owned())).collect()
}

fn wide(cell: &[Piece]) -> usize {
    cell.iter().map(|(_, text)| width(text)).sum()
}

fn painted(line: &[Piece], style: &Style) -> String {
    line.iter().map(|(ink, text)| style.paint(*ink, text)).collect()
}
