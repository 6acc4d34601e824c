//! Tables that the page's script can sort and filter, and that are whole without it.

use super::html::Html;

/// A column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    /// What kind of cell it has: a class of the style sheet, which names the cell again where there is no room for a heading.
    pub class: &'static str,
    /// What stands above it.
    pub title: &'static str,
}

/// A column with the class and the heading.
pub(super) const fn column(class: &'static str, title: &'static str) -> Column {
    Column { class, title }
}

/// How much attention a row deserves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Grade {
    /// Somebody gets hurt.
    Bad,
    /// Worth a look.
    Warn,
    /// Worth knowing.
    Note,
    /// Nothing is to be said.
    Good,
}

impl Grade {
    /// The class, and the word that the script filters by.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bad => "bad",
            Self::Warn => "warn",
            Self::Note => "note",
            Self::Good => "good",
        }
    }
}

/// Opens a table. `id` names it in addresses, `filter` tells the script to offer a field that filters.
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

/// A cell with text.
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
