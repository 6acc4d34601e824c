//! Overview as a table as wide as the terminal.

use std::fmt::Write as _;

use super::{
    SortedOverview, overview_cell_pieces, overview_legend, package_detail_lines, summarize_overview,
};
use crate::{
    document::{Item, Line, line_width, piece},
    escape::{self, display_width, wrap},
    style::{Ink, Style},
};
use olm_plan::overview::{ChannelHealth, OverviewRow};

/// Callback that returns the channels of a package in the nth catalog.
pub type ChannelLookup<'a> = dyn Fn(&OverviewRow, usize) -> Vec<ChannelHealth> + 'a;

/// Blanks between columns.
const GAP: usize = 2;
/// Minimum width of package names; below it, each catalog has a line of its own.
const MIN_NAME_WIDTH: usize = 14;

/// Renders the table, its legend and the totals. `details` adds the channels of each package.
pub fn render_overview(
    sorted: &SortedOverview,
    details: Option<&ChannelLookup<'_>>,
    style: &Style,
) -> String {
    let columns = sorted.columns.len();
    let cells: Vec<Vec<Line>> = sorted
        .overview
        .rows
        .iter()
        .map(|row| (0..columns).map(|nth| escape_line(overview_cell_pieces(row, nth))).collect())
        .collect();
    let wide = |nth: usize| {
        let title =
            sorted.columns.get(nth).map_or(0, |column| display_width(&escape::escape_line(&column.title)));
        let cells = cells.iter().filter_map(|row| row.get(nth)).map(|cell| line_width(cell));
        cells.max().unwrap_or(0).max(title)
    };
    let widths: Vec<usize> = (0..columns).map(wide).collect();
    let room = style.width.saturating_sub(widths.iter().map(|wide| wide + GAP).sum());
    let names = sorted
        .overview
        .rows
        .iter()
        .map(|row| display_width(&escape::escape_line(row.package.as_str())))
        .max()
        .unwrap_or(0);
    let mut out = String::new();
    if !cells.is_empty() {
        match names.min(room) {
            name if name >= MIN_NAME_WIDTH.min(names) => {
                write_overview_table(&mut out, sorted, &cells, &widths, name, style);
            }
            _ => write_stacked_overview(&mut out, sorted, &cells, style),
        }
        out.push('\n');
    }
    if let Some(channels) = details {
        for row in &sorted.overview.rows {
            for (nth, column) in sorted.columns.iter().enumerate() {
                let heading = format!("{} in {}", row.package, column.title);
                let _ = writeln!(out, "{}", style.paint(Ink::Bold, &heading));
                for line in package_detail_lines(row, nth, &sorted.columns, &channels(row, nth), style.width)
                {
                    let _ = writeln!(out, "{}", style.paint_line(&line).trim_end());
                }
                out.push('\n');
            }
        }
    }
    write_overview_legend(&mut out, sorted, style);
    out
}

/// Writes packages as rows and catalogs as columns. A name that is too long has its own line.
fn write_overview_table(
    out: &mut String,
    sorted: &SortedOverview,
    cells: &[Vec<Line>],
    widths: &[usize],
    name: usize,
    style: &Style,
) {
    let name = name.max(display_width("PACKAGE"));
    let titles =
        sorted.columns.iter().map(|column| vec![piece(escape::escape_line(&column.title), Ink::Dim)]);
    let titles: Vec<Line> = titles.collect();
    let rows = sorted.overview.rows.iter().map(|row| (Ink::Bold, row.package.as_str())).zip(cells);
    for ((ink, package), cells) in std::iter::once(((Ink::Dim, "PACKAGE"), &titles)).chain(rows) {
        let own = display_width(&escape::escape_line(package));
        out.push_str(&style.paint(ink, package));
        if own > name {
            let _ = write!(out, "\n{:name$}", "");
        } else {
            let _ = write!(out, "{:1$}", "", name - own);
        }
        let mut blanks = 0;
        for (cell, column) in cells.iter().zip(widths) {
            let _ = write!(out, "{:1$}", "", blanks + GAP);
            out.push_str(&style.paint_line(cell));
            blanks = column.saturating_sub(line_width(cell));
        }
        out.push('\n');
    }
}

/// Writes each catalog on its own line. Adjacent catalogs with the same cell share a line.
fn write_stacked_overview(out: &mut String, sorted: &SortedOverview, cells: &[Vec<Line>], style: &Style) {
    let titles: Vec<String> =
        sorted.columns.iter().map(|column| escape::escape_line(&column.title).into_owned()).collect();
    let mut blocks = Vec::with_capacity(cells.len());
    for cells in cells {
        let mut lines: Vec<(String, &Line)> = Vec::new();
        let all: Vec<(&String, &Line)> = titles.iter().zip(cells).collect();
        for same in all.chunk_by(|(_, a), (_, b)| a == b) {
            if let (Some((first, cell)), Some((last, _))) = (same.first(), same.last()) {
                let title = if same.len() > 1 { format!("{first} to {last}") } else { (*first).clone() };
                lines.push((title, cell));
            }
        }
        blocks.push(lines);
    }
    let widest = blocks.iter().flatten().map(|(title, _)| display_width(title)).max().unwrap_or(0);
    for (row, lines) in sorted.overview.rows.iter().zip(blocks) {
        let _ = writeln!(out, "{}", style.paint(Ink::Bold, row.package.as_str()));
        for (title, cell) in lines {
            let blanks = " ".repeat(widest.saturating_sub(display_width(&title)) + GAP);
            let _ = writeln!(out, "  {}{blanks}{}", style.paint(Ink::Dim, &title), style.paint_line(cell));
        }
    }
}

/// Writes the legend and the totals.
fn write_overview_legend(out: &mut String, sorted: &SortedOverview, style: &Style) {
    let signs = overview_legend(&sorted.overview);
    if !sorted.overview.rows.is_empty() {
        let words = "A cell: the head of the default channel, then signs with counts of its versions:";
        out.push_str(&wrap::wrap_sentence(
            if signs.is_empty() { "A cell: the head of the default channel." } else { words },
            "",
            style.width,
        ));
    }
    for Item { mark, ink, text, .. } in signs {
        let blanks = " ".repeat(7usize.saturating_sub(display_width(mark)));
        let folded = wrap::wrap_sentence(&text, "", style.width.saturating_sub(9))
            .trim_end()
            .replace('\n', "\n         ");
        let _ = writeln!(out, "  {}{blanks}{folded}", style.paint(ink, mark));
    }
    if !sorted.overview.rows.is_empty() {
        out.push('\n');
    }
    out.push_str(&wrap::wrap_sentence(&summarize_overview(sorted), "", style.width));
}

fn escape_line(line: Line) -> Line {
    line.into_iter().map(|it| piece(escape::escape_line(&it.text), it.ink)).collect()
}
