//! Table of the packages of several catalogs: packages down, catalogs across, and the channels of the
//! selected package in the current catalog below, or at the right of a wide terminal.

use std::ops::Range;

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::{
        frame::{Hit, Splitter},
        list::ListId,
    },
    screens::packages::{
        table::{TableFocus, current_column},
        view::View,
    },
    session::open_catalog::OpenCatalog,
    widgets::{
        boxes::draw_scrolled_text,
        canvas::{
            Canvas, Line, Piece, display_width, hanging_lines, highlight_filter, pad, piece, text_piece,
        },
        installed_operators,
        lists::{draw_list_heading, draw_no_rows, order_label},
        theme::Ink,
        what_if::{base_label, change_ink},
    },
};
use olm_check::review::diff::ChangeKind;
use olm_plan::overview::OverviewRow;
use olmap_report::{
    escape,
    overview::{self as export, SortedOverview},
};

/// Minimum height for showing both panes.
const MIN_HEIGHT_FOR_PANES: u16 = 8;
/// Maximum columns of a cell.
const MAX_CELL_COLUMNS: usize = 28;
/// The cells lose the word `stuck` if more than this part of the rows would be cut, or not all catalogs fit.
const MAX_CUT_SHARE: usize = 8;
/// Maximum and minimum columns of the package names.
const NAME_COLUMNS: (usize, usize) = (40, 12);
/// Minimum columns of the package names if all catalogs fit then.
const SHORT_NAME_COLUMNS: usize = 16;

/// Draws the table.
pub(super) fn draw_package_table(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let overview = view.session.jobs.overview.overview();
    let (Some((_, sorted)), Some(column)) = (overview, current_column(view.session)) else { return };
    let rows = visible_rows(view, sorted);
    let focus = view.state.table().focused_pane();
    // The text is at the right if all columns of the table fit before it. A filter does not move it.
    let fits = view.frame.has_side_pane() && {
        let before = view.frame.columns_before_side(Splitter::PackageTableSide);
        let all_rows: Vec<&OverviewRow> = sorted.overview.rows.iter().collect();
        CellLayout::measure(view, sorted, &all_rows, before).is_complete()
    };
    let side = if fits { view.split_side_pane(canvas, area, Splitter::PackageTableSide) } else { None };
    let text_width = side.map_or(area.width, |(_, text)| text.width);
    let lines = cell_detail_lines(view, sorted, column, text_width);
    let (upper, lower) = if let Some((table, text)) = side {
        (Some(table), Some(text))
    } else if area.height < MIN_HEIGHT_FOR_PANES {
        if focus == TableFocus::Text { (None, Some(area)) } else { (Some(area), None) }
    } else {
        let wanted = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(1).min(area.height / 3);
        let usual = area.height - 1 - wanted.max(3);
        let above = view.frame.splits.size_before(Splitter::PackageTable, usual, area.height);
        let (upper, lower) = canvas.draw_splitter(area, Splitter::PackageTable, above);
        (Some(upper), Some(lower))
    };
    if let Some(upper) = upper {
        draw_cells(view, canvas, upper, sorted, &rows, column);
    }
    if let Some(lower) = lower {
        let title = cell_title(view, sorted, column);
        let inner = draw_list_heading(view, canvas, lower, ListId::PackageTableText, &title, &[]);
        let is_reading = focus == TableFocus::Text;
        let key = view.key_label(ActionId::NextPane);
        draw_scrolled_text(view, canvas, inner, ListId::PackageTableText, is_reading, key, &lines);
    }
    if view.session.jobs.overview.is_waiting() {
        canvas.tint(area, Ink::Stale);
    }
}

/// Returns the selected package and its catalog.
fn cell_title(view: &View<'_>, sorted: &SortedOverview, column: usize) -> String {
    let row = view.state.table().selected_row(view.session);
    let package = row.map(|row| row.package.to_string()).unwrap_or_default();
    match sorted.columns.get(column) {
        Some(column) if column.title == column.label => format!("{package} in {}", column.title),
        Some(column) => format!("{package} in {}  {}", column.title, column.label),
        None => package,
    }
}

/// Returns the details of the selected cell and the legend.
fn cell_detail_lines(view: &View<'_>, sorted: &SortedOverview, nth: usize, columns: u16) -> Vec<Line> {
    let table = view.state.table();
    let Some(row) = table.selected_row(view.session) else { return Vec::new() };
    let columns = usize::from(columns).saturating_sub(2).max(20);
    let mut lines = change_lines(view, row, nth);
    lines.extend(export::package_detail_lines(row, nth, &sorted.columns, table.selected_channels(), columns));
    lines.push(Vec::new());
    for item in export::overview_legend(&sorted.overview) {
        let head = piece(format!("  {:7}", item.mark), item.ink);
        lines.extend(hanging_lines(&[head], &item.text, columns, Ink::Dim));
    }
    lines
}

/// Says how the package of a cell changed, and the key that shows it. Empty if it did not.
fn change_lines(view: &View<'_>, row: &OverviewRow, nth: usize) -> Vec<Line> {
    let Some(change) = view.state.table().cell_change(&row.package, nth) else { return Vec::new() };
    let words = match change {
        ChangeKind::Added => "new",
        ChangeKind::Removed => "removed",
        ChangeKind::Changed => "changed",
    };
    let words = format!("  {words} since {}: ", base_label(view));
    let key = view.key_label(ActionId::ShowChanges);
    vec![vec![piece(words, change_ink(change)), piece(key, Ink::Key), text_piece(" shows the changes")]]
}

/// Returns the width of a line on the screen.
fn escaped_width(line: &[Piece]) -> usize {
    line.iter().map(|piece| display_width(&escape::escape_line(&piece.text))).sum()
}

/// Returns the rows that pass the filter.
fn visible_rows<'o>(view: &View<'_>, sorted: &'o SortedOverview) -> Vec<&'o OverviewRow> {
    view.state.table().visible_rows().iter().filter_map(|at| sorted.overview.rows.get(*at)).collect()
}

/// Titles and columns of the table.
struct CellLayout {
    /// Columns for names and cells.
    room: usize,
    /// Columns of a package name.
    name: usize,
    /// Columns of the longest package name, up to the maximum.
    longest_name: usize,
    titles: Vec<String>,
    /// Columns of the cells of each catalog.
    widths: Vec<usize>,
    /// Whether the titles have the word `stuck` instead of the cells.
    is_compact: bool,
    /// Whether the cells begin with marks of changes.
    has_marks: bool,
}

impl CellLayout {
    fn measure(view: &View<'_>, sorted: &SortedOverview, rows: &[&OverviewRow], columns: u16) -> Self {
        // The mark of the selected row and the scroll bar take one column each.
        let marks = usize::from(installed_operators::mark_width(view));
        let room = usize::from(columns).saturating_sub(2 + marks);
        // Two catalogs are shown side by side if there is any room for them.
        let cell = ((room - room / 3) / 2).saturating_sub(2).clamp(8, MAX_CELL_COLUMNS);
        let titles: Vec<&str> = sorted.columns.iter().map(|column| column.title.as_str()).collect();
        let has_marks = view.session.catalogs.all().iter().any(OpenCatalog::has_changes_to_mark);
        // Marks always have room, so that titles and columns do not change with the first edit.
        let mark = display_width(&cell_mark(None).text);
        let change_of = |row: &OverviewRow, nth| view.state.table().cell_change(&row.package, nth);
        let widths_of = |nth: usize, is_compact: bool| -> Vec<usize> {
            let cell = |row: &&OverviewRow| cell_pieces(row, nth, change_of(row, nth), is_compact);
            rows.iter().map(|row| mark + escaped_width(&cell(row))).collect()
        };
        let widest = |widths: &[Vec<usize>]| -> Vec<usize> {
            widths.iter().map(|column| column.iter().copied().max().unwrap_or(0)).collect()
        };
        let all_widths: Vec<Vec<usize>> = (0..titles.len()).map(|nth| widths_of(nth, false)).collect();
        let name_widths = rows.iter().map(|row| display_width(&escape::escape_line(row.package.as_str())));
        let longest_name = name_widths.max().unwrap_or(0).clamp(7, NAME_COLUMNS.0);
        // A single wide cell is cut. It does not take a word from all others.
        let is_wide =
            |row: &usize| all_widths.iter().any(|column| column.get(*row).is_some_and(|wide| *wide > cell));
        let is_cut = (0..rows.len()).filter(is_wide).count() > rows.len() / MAX_CUT_SHARE;
        let complete = widest(&all_widths);
        let wanted: usize = complete.iter().map(|wide| wide.min(&cell) + 2).sum();
        let is_compact = is_cut || longest_name.min(room / 3) + wanted > room;
        let cells = if is_compact {
            widest(&(0..titles.len()).map(|nth| widths_of(nth, true)).collect::<Vec<_>>())
        } else {
            complete
        };
        let with_words = |words: &str| -> Vec<String> {
            titles
                .iter()
                .map(|title| if is_compact { format!("{title}{words}") } else { (*title).to_owned() })
                .collect()
        };
        let title_width = |title: &String| display_width(&escape::escape_line(title));
        let long = with_words(HEAD_AND_STUCK_WORDS);
        let fits = long.iter().zip(&cells).all(|(title, wide)| title_width(title) <= (*wide).min(cell));
        let titles = if fits { long } else { with_words(STUCK_WORD) };
        let title_widths = titles.iter().map(title_width);
        let widths: Vec<usize> =
            cells.iter().zip(title_widths).map(|(wide, title)| title.max(*wide).min(cell)).collect();
        let all: usize = widths.iter().map(|wide| wide + 2).sum();
        // Names are cut before a catalog is hidden.
        let least = if SHORT_NAME_COLUMNS + all <= room { SHORT_NAME_COLUMNS } else { room / 3 };
        let name = room
            .saturating_sub(all)
            .max(least)
            .min(longest_name)
            .clamp(NAME_COLUMNS.1.min(room), NAME_COLUMNS.0);
        Self { room, name, longest_name, titles, widths, is_compact, has_marks }
    }

    /// Returns true if no name is cut and no catalog is hidden.
    fn is_complete(&self) -> bool {
        let cells: usize = self.widths.iter().map(|wide| wide + 2).sum();
        self.longest_name + cells <= self.room
    }
}

fn draw_cells(
    view: &View<'_>,
    canvas: &mut Canvas<'_>,
    area: Rect,
    sorted: &SortedOverview,
    rows: &[&OverviewRow],
    column: usize,
) {
    let CellLayout { room, name, titles, widths, is_compact, has_marks, .. } =
        CellLayout::measure(view, sorted, rows, area.width);
    let marks = usize::from(installed_operators::mark_width(view));
    let shown = visible_catalogs(&widths, column, room.saturating_sub(name));
    let usual = if view.session.catalogs.base().is_some() { "changed first " } else { "" };
    let mut right = order_label(view, ListId::PackageTable, usual).to_vec();
    if shown.len() < titles.len() {
        right.insert(
            0,
            piece(format!("catalogs {}-{} of {} ", shown.start + 1, shown.end, titles.len()), Ink::Dim),
        );
    }
    let mut heading = format!("Packages {} in {} catalogs", rows.len(), titles.len());
    if has_marks {
        let all = sorted.overview.rows.iter();
        let changed = all.filter(|row| view.state.table().has_change(&row.package)).count();
        heading += &format!(", {changed} changed");
    }
    let inner = draw_list_heading(view, canvas, area, ListId::PackageTable, &heading, &right);
    draw_catalog_titles(
        canvas,
        Rect { height: 1.min(inner.height), ..inner },
        (&titles, &widths),
        marks + name,
        (column, &shown),
    );
    let below = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    let ascii = canvas.ascii;
    let filter = view.session.lists.filter(ListId::PackageTable);
    let chosen_row = view.list_cursor(ListId::PackageTable);
    if rows.is_empty() {
        return draw_no_rows(view, canvas, below, ListId::PackageTable, "no packages");
    }
    canvas.draw_list(below, &view.list_view(canvas, ListId::PackageTable), |at| {
        let Some(row) = rows.get(at) else { return Vec::new() };
        let mut pieces: Line = installed_operators::installed_mark(view, &row.package).into_iter().collect();
        pieces.extend(highlight_filter(&pad(row.package.as_str(), name, ascii), Ink::Text, filter));
        for nth in shown.clone() {
            let is_chosen = nth == column && chosen_row == Some(at);
            let (open, close) = if is_chosen { ("[", "]") } else { (" ", " ") };
            let room = widths.get(nth).copied().unwrap_or_default();
            pieces.push(piece(open, Ink::Active));
            let change = view.state.table().cell_change(&row.package, nth);
            let mark = has_marks.then(|| cell_mark(change));
            let room = room.saturating_sub(mark.as_ref().map_or(0, |mark| display_width(&mark.text)));
            pieces.extend(mark);
            pieces.extend(fit_cell(row, nth, change, is_compact, room, ascii));
            pieces.push(piece(close, Ink::Active));
        }
        pieces
    });
}

/// Word after the number of stuck versions; in the titles if the cells have no room for it.
const STUCK_WORD: &str = " stuck";
/// Words after the title of a catalog if the cells have as much room.
const HEAD_AND_STUCK_WORDS: &str = ": head, stuck";

/// Returns the pieces of a cell, without the word after the number of stuck versions if the title
/// has it. A package that an edit or the base has and the catalog lacks is `removed`.
fn cell_pieces(row: &OverviewRow, nth: usize, change: Option<ChangeKind>, is_compact: bool) -> Line {
    if change == Some(ChangeKind::Removed) {
        return vec![piece("removed", Ink::Error)];
    }
    let mut pieces = export::overview_cell_pieces(row, nth);
    if is_compact {
        drop_stuck_word(&mut pieces);
    }
    pieces
}

fn drop_stuck_word(cell: &mut Line) {
    for part in cell {
        if let Some(number) = part.text.strip_suffix(STUCK_WORD) {
            part.text = number.to_owned();
        }
    }
}

/// Returns the mark of a change, or blanks.
fn cell_mark(change: Option<ChangeKind>) -> Piece {
    match change {
        Some(change) => piece(format!("{} ", change.diff_mark()), change_ink(change)),
        None => text_piece("  "),
    }
}

/// Fits a cell to a width. It loses words before it loses numbers.
fn fit_cell(
    row: &OverviewRow,
    nth: usize,
    change: Option<ChangeKind>,
    is_compact: bool,
    room: usize,
    ascii: bool,
) -> Line {
    let mut cell = cell_pieces(row, nth, change, is_compact);
    if escaped_width(&cell) > room {
        export::drop_change_words(&mut cell);
    }
    if escaped_width(&cell) > room && change != Some(ChangeKind::Removed) {
        cell = export::brief_cell_pieces(row, nth);
        if is_compact {
            drop_stuck_word(&mut cell);
        }
    }
    let mut left = room;
    let is_long = escaped_width(&cell) > room;
    let mut pieces = Vec::new();
    let mut hidden = false;
    for part in cell {
        let own = display_width(&escape::escape_line(&part.text));
        // A part is shown completely or not at all, because a cut number would be a different
        // number.
        if is_long && (hidden || own + 1 > left) {
            if pieces.is_empty() {
                pieces.push(piece(pad(&part.text, left, ascii), part.ink));
                left = 0;
            }
            hidden = true;
            continue;
        }
        left = left.saturating_sub(own);
        pieces.push(part);
    }
    if hidden && left > 0 {
        pieces.push(piece(if ascii { "+" } else { "…" }, Ink::Dim));
        left -= 1;
    }
    pieces.push(text_piece(" ".repeat(left)));
    pieces
}

/// Returns the range of visible catalogs: the chosen catalog, as many before it as fit, then those
/// after it.
fn visible_catalogs(widths: &[usize], chosen: usize, room: usize) -> Range<usize> {
    let take = |at: usize| widths.get(at).map_or(usize::MAX, |wide| wide + 2);
    let mut used = take(chosen);
    let mut range = chosen..(chosen + 1).min(widths.len());
    while range.start > 0 && used.saturating_add(take(range.start - 1)) <= room {
        range.start -= 1;
        used = used.saturating_add(take(range.start));
    }
    while range.end < widths.len() && used.saturating_add(take(range.end)) <= room {
        used = used.saturating_add(take(range.end));
        range.end += 1;
    }
    range
}

fn draw_catalog_titles(
    canvas: &mut Canvas<'_>,
    area: Rect,
    (titles, widths): (&[String], &[usize]),
    name: usize,
    (chosen, shown): (usize, &Range<usize>),
) {
    let ascii = canvas.ascii;
    let mut pieces = vec![text_piece(" ".repeat(name + 1))];
    let mut x = area.x.saturating_add(u16::try_from(name + 1).unwrap_or(u16::MAX));
    for nth in shown.clone() {
        let (title, room) =
            (titles.get(nth).map_or("", String::as_str), widths.get(nth).copied().unwrap_or_default());
        let ink = if nth == chosen { Ink::Active } else { Ink::Title };
        pieces.push(piece(format!(" {} ", pad(title, room, ascii)), ink));
        let wide = u16::try_from(room + 2).unwrap_or(u16::MAX).min(area.right().saturating_sub(x));
        canvas.add_hit(Rect { x, width: wide, ..area }, Hit::Channel(nth));
        x = x.saturating_add(wide);
    }
    canvas.draw_line(area, &pieces);
}
