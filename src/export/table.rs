//! Tables with aligned columns.

use unicode_segmentation::UnicodeSegmentation;

use super::{
    plain,
    style::{Ink, Style, width},
};

/// The blanks between columns.
const GAP: &str = "  ";

/// A table being filled.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

/// One column.
#[derive(Clone, Copy, Debug)]
struct Column {
    title: &'static str,
    is_number: bool,
}

/// One cell: text that is made harmless, and what it is.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    ink: Option<Ink>,
}

impl Cell {
    /// A cell.
    pub fn new(text: &str) -> Self {
        Self { text: plain::line(text).into_owned(), ink: None }
    }

    /// A cell in a colour.
    pub fn painted(ink: Ink, text: &str) -> Self {
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
    /// A table with these columns; a title that begins with `#` is one of numbers, which stand to the right.
    pub fn new(titles: &[&'static str]) -> Self {
        let column = |title: &&'static str| match title.strip_prefix('#') {
            Some(title) => Column { title, is_number: true },
            None => Column { title, is_number: false },
        };
        Self { columns: titles.iter().map(column).collect(), rows: Vec::new() }
    }

    /// Adds a row; its cells belong to the columns in order.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as text, a line a row. Columns in which every cell is empty are left out. Where the style cuts, the
    /// last column is cut to what is left of the width; names before it are never cut.
    pub fn render(&self, style: &Style) -> String {
        let used: Vec<usize> = (0..self.columns.len()).filter(|&at| self.is_used(at)).collect();
        let widths: Vec<usize> = used.iter().map(|&at| self.width(at)).collect();
        let mut out = String::new();
        let titles: Vec<Cell> = self.columns.iter().map(|c| Cell::painted(Ink::Dim, c.title)).collect();
        for row in std::iter::once(&titles).chain(&self.rows) {
            let mut line = String::new();
            let mut filled = 0;
            for (nth, (&at, &wide)) in used.iter().zip(&widths).enumerate() {
                let is_last = nth + 1 == used.len();
                let text = row.get(at).map_or("", |cell| cell.text.as_str());
                let left = style.width.saturating_sub(filled);
                let text =
                    if is_last && style.cut { cut(text, left, style.ellipsis()) } else { text.to_owned() };
                let pad = wide.saturating_sub(width(&text));
                let ink = row.get(at).and_then(|cell| cell.ink);
                let painted = ink.map_or_else(|| text.clone(), |ink| style.paint(ink, &text));
                let is_number = self.columns.get(at).is_some_and(|c| c.is_number);
                let pad = " ".repeat(pad);
                match (is_number, is_last) {
                    (true, _) => line.extend([pad, painted]),
                    (false, true) => line.push_str(&painted),
                    (false, false) => line.extend([painted, pad]),
                }
                if !is_last {
                    line.push_str(GAP);
                }
                filled += wide + GAP.len();
            }
            out.push_str(line.trim_end_matches(' '));
            out.push('\n');
        }
        out
    }

    fn is_used(&self, at: usize) -> bool {
        self.rows.iter().any(|row| row.get(at).is_some_and(|cell| !cell.text.is_empty()))
    }

    fn width(&self, at: usize) -> usize {
        let title = self.columns.get(at).map_or(0, |c| width(c.title));
        let cells = self.rows.iter().filter_map(|row| row.get(at)).map(|cell| width(&cell.text));
        cells.max().unwrap_or(0).max(title)
    }
}

/// A text cut to a number of columns, between characters as people count them, with a sign that it was.
pub fn cut(text: &str, columns: usize, ellipsis: &str) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(width(ellipsis));
    let mut out = String::new();
    for grapheme in text.graphemes(true) {
        if width(&out) + width(grapheme) > room {
            break;
        }
        out.push_str(grapheme);
    }
    out.push_str(ellipsis);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new(&["NAME", "#BUNDLES", "NEVER", "WHAT"]);
        table.row(["anvil".into(), 3.into(), "".into(), Cell::new("strikes while hot")]);
        table.row(["演算子".into(), 12.into(), "".into(), "".into()]);
        table
    }

    #[test]
    fn columns_line_up_and_numbers_stand_to_the_right() {
        let text = sample().render(&Style::PLAIN);
        assert_eq!(text, "NAME    BUNDLES  WHAT\nanvil         3  strikes while hot\n演算子       12\n");
    }

    #[test]
    fn only_the_last_column_is_cut_and_only_where_asked() {
        let narrow = Style { width: 26, cut: true, ..Style::PLAIN };
        assert!(sample().render(&narrow).contains("anvil         3  strikes \u{2026}\n"));
        let ascii = Style { ascii: true, ..narrow };
        assert!(sample().render(&ascii).contains("anvil         3  strike...\n"));
    }

    #[test]
    fn cells_with_line_breaks_stay_in_their_row() {
        let mut table = Table::new(&["A"]);
        table.row(["one\ntwo".into()]);
        assert_eq!(table.render(&Style::PLAIN), "A\none\u{240a}two\n");
    }
}
