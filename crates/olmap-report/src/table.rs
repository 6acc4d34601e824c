//! Tables with aligned columns.

use super::{
    escape::{self, display_width, wrap},
    style::{Ink, Style},
};

/// Blanks between columns.
const GAP: &str = "  ";

/// Minimum width of a folded last column, even if the other columns leave less.
const MIN_LAST_WIDTH: usize = 24;

/// Table that is being filled.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    is_folding: bool,
    has_header: bool,
}

/// Column of a table.
#[derive(Clone, Copy, Debug)]
struct Column {
    title: &'static str,
    is_number: bool,
}

/// Cell of a table: text without control characters, and its color.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    ink: Option<Ink>,
}

impl Cell {
    /// Creates a cell.
    pub fn new(text: &str) -> Self {
        Self { text: escape::escape_line(text).into_owned(), ink: None }
    }

    fn paint_part(&self, text: &str, style: &Style) -> String {
        self.ink.map_or_else(|| text.to_owned(), |ink| style.paint(ink, text))
    }

    /// Creates a cell with a color.
    pub fn with_ink(ink: Ink, text: &str) -> Self {
        Self { ink: Some(ink), ..Self::new(text) }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        Self::new(&number.to_string())
    }
}

impl Table {
    /// Creates a table with these columns. A title with the prefix `#` marks a column of
    /// right-aligned numbers.
    pub fn new(titles: &[&'static str]) -> Self {
        let column = |title: &&'static str| match title.strip_prefix('#') {
            Some(title) => Column { title, is_number: true },
            None => Column { title, is_number: false },
        };
        Self {
            columns: titles.iter().map(column).collect(),
            rows: Vec::new(),
            is_folding: false,
            has_header: true,
        }
    }

    /// Adds a row with cells in column order.
    pub fn push_row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Returns true if the table does not have rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Wraps the last column instead of cutting it, for tables whose main content is sentences.
    #[must_use]
    pub fn wrap_last_column(mut self) -> Self {
        self.is_folding = true;
        self
    }

    /// Omits the titles of the columns.
    #[must_use]
    pub fn without_header(mut self) -> Self {
        self.has_header = false;
        self
    }

    /// Renders the table without empty columns. If the style cuts, the last column is cut to the
    /// remaining width. Names in other columns are never cut.
    pub fn render(&self, style: &Style) -> String {
        let used: Vec<usize> = (0..self.columns.len()).filter(|&at| self.is_used_column(at)).collect();
        let Some((&last, front)) = used.split_last() else { return String::new() };
        let widths: Vec<usize> = front.iter().map(|&at| self.column_width(at)).collect();
        let indent: usize = widths.iter().map(|wide| wide + GAP.len()).sum();
        let room = style.width.saturating_sub(indent);
        let last_wide = if self.is_number_column(last) { self.column_width(last) } else { room };
        let titles: Vec<Cell> = self.columns.iter().map(|c| Cell::with_ink(Ink::Dim, c.title)).collect();
        let mut out = String::new();
        for row in self.has_header.then_some(&titles).into_iter().chain(&self.rows) {
            let mut line = String::new();
            for (&at, &wide) in front.iter().zip(&widths) {
                line.push_str(&self.pad_cell(row, at, wide, style));
                line.push_str(GAP);
            }
            for (nth, part) in self.last_cell_lines(row, last, last_wide, style).iter().enumerate() {
                if nth > 0 {
                    line.push_str(&" ".repeat(indent));
                }
                line.push_str(part);
                out.push_str(line.trim_end_matches(' '));
                out.push('\n');
                line.clear();
            }
        }
        out
    }

    fn pad_cell(&self, row: &[Cell], at: usize, wide: usize, style: &Style) -> String {
        let (text, painted) =
            row.get(at).map_or(("", String::new()), |c| (c.text.as_str(), c.paint_part(&c.text, style)));
        let pad = " ".repeat(wide.saturating_sub(display_width(text)));
        if self.is_number_column(at) { format!("{pad}{painted}") } else { format!("{painted}{pad}") }
    }

    /// Wraps or cuts the last cell of a row to `wide` columns. Returns at least one line.
    fn last_cell_lines(&self, row: &[Cell], at: usize, wide: usize, style: &Style) -> Vec<String> {
        let Some(cell) = row.get(at) else { return vec![String::new()] };
        if self.is_number_column(at) {
            return vec![self.pad_cell(row, at, wide, style)];
        }
        if self.is_folding {
            let folded = wrap::wrap_sentence(&cell.text, "", wide.max(MIN_LAST_WIDTH));
            return folded.lines().map(|line| cell.paint_part(line, style)).collect();
        }
        let text = if style.cuts_cells {
            truncate_columns(&cell.text, wide, style.ellipsis())
        } else {
            cell.text.clone()
        };
        vec![cell.paint_part(&text, style)]
    }

    fn is_number_column(&self, at: usize) -> bool {
        self.columns.get(at).is_some_and(|c| c.is_number)
    }

    fn is_used_column(&self, at: usize) -> bool {
        self.rows.iter().any(|row| row.get(at).is_some_and(|cell| !cell.text.is_empty()))
    }

    fn column_width(&self, at: usize) -> usize {
        let title = self.columns.get(at).filter(|_| self.has_header).map_or(0, |c| display_width(c.title));
        let cells = self.rows.iter().filter_map(|row| row.get(at)).map(|cell| display_width(&cell.text));
        cells.max().unwrap_or(0).max(title)
    }
}

/// Cuts a text to a number of columns between grapheme clusters, and adds an ellipsis if it was
/// cut.
pub fn truncate_columns(text: &str, columns: usize, ellipsis: &str) -> String {
    // The whole text is not measured because it may be far longer.
    if escape::fitting_prefix(text, columns).len() == text.len() {
        return text.to_owned();
    }
    format!("{}{ellipsis}", escape::fitting_prefix(text, columns.saturating_sub(display_width(ellipsis))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_table() -> Table {
        let mut table = Table::new(&["NAME", "#BUNDLES", "NEVER", "WHAT"]);
        table.push_row(["anvil".into(), 3.into(), "".into(), Cell::new("strikes while hot")]);
        table.push_row(["演算子".into(), 12.into(), "".into(), "".into()]);
        table
    }

    #[test]
    fn columns_are_aligned_and_numbers_are_right_aligned() {
        let text = sample_table().render(&Style::PLAIN);
        assert_eq!(text, "NAME    BUNDLES  WHAT\nanvil         3  strikes while hot\n演算子       12\n");
    }

    #[test]
    fn only_the_last_column_is_cut_if_requested() {
        let narrow = Style { width: 26, cuts_cells: true, ..Style::PLAIN };
        assert!(sample_table().render(&narrow).contains("anvil         3  strikes \u{2026}\n"));
        let ascii = Style { ascii: true, ..narrow };
        assert!(sample_table().render(&ascii).contains("anvil         3  strike...\n"));
    }

    #[test]
    fn folding_table_shows_the_whole_last_column() {
        let mut table = Table::new(&["NAME", "WHY"]).wrap_last_column();
        table.push_row(["anvil".into(), "the hammer is far too heavy for it".into()]);
        table.push_row(["tongs".into(), "".into()]);
        let text = table.render(&Style { width: 31, ..Style::PLAIN });
        assert_eq!(text, "NAME   WHY\nanvil  the hammer is far too\n       heavy for it\ntongs\n");
    }

    #[test]
    fn column_widths_count_escaped_text() {
        let mut table = Table::new(&["NAME", "WHAT"]);
        table.push_row(["stable\u{200b}".into(), "x".into()]);
        table.push_row(["stable".into(), "\u{202e}y".into()]);
        let text = table.render(&Style { width: 24, cuts_cells: true, ..Style::PLAIN });
        assert_eq!(text, "NAME            WHAT\nstable<U+200B>  x\nstable          <U+202E\u{2026}\n");
    }

    #[test]
    fn cells_with_line_breaks_stay_in_their_row() {
        let mut table = Table::new(&["A"]);
        table.push_row(["one\ntwo".into()]);
        assert_eq!(table.render(&Style::PLAIN), "A\none\u{240a}two\n");
    }
}
