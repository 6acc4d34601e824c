//! Tables that the script of the page can sort and filter, and that are complete without it.

use super::html::Html;

/// Column of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    /// Class of the cells. If there is no room for a heading, the style sheet uses it to label the
    /// cell.
    pub class: &'static str,
    /// Heading of the column.
    pub title: &'static str,
}

/// Returns a column with a class and a heading.
pub(super) const fn column(class: &'static str, title: &'static str) -> Column {
    Column { class, title }
}

/// Severity of a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Grade {
    /// An installation is harmed.
    Bad,
    /// Should be checked.
    Warn,
    /// For information.
    Note,
    /// No problem.
    Good,
}

impl Grade {
    /// Returns the CSS class, which is also the keyword that the script filters by.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bad => "bad",
            Self::Warn => "warn",
            Self::Note => "note",
            Self::Good => "good",
        }
    }
}

/// Opens a table. `id` is its anchor.
pub(super) fn open(html: &mut Html, id: &'static str, caption: &str, columns: &[Column]) {
    html.raw("<table class=\"cards\"")
        .attr("id", id)
        .raw("><caption>")
        .text(caption)
        .raw("</caption>\n<thead><tr>");
    for Column { class, title } in columns {
        html.raw("<th scope=\"col\"").attr("class", class).raw(">").text(title).raw("</th>");
    }
    html.raw("</tr></thead>\n<tbody>\n");
}

/// Opens a row.
pub(super) fn row(html: &mut Html, grade: Grade) {
    html.raw("<tr").attr("data-grade", grade.as_str()).raw(">");
}

/// Writes a cell with text.
pub(super) fn cell(html: &mut Html, class: &'static str, text: &str) {
    html.raw("<td").attr("class", class).raw(">").text(text).raw("</td>");
}

/// Closes a row.
pub(super) fn end_row(html: &mut Html) {
    html.raw("</tr>\n");
}

/// Closes a table.
pub(super) fn close(html: &mut Html) {
    html.raw("</tbody></table>\n");
}
