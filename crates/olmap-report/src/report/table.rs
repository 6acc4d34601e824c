//! Tables that the script of the page can sort and filter, and that are complete without it.

use super::{View, html::Html};

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
pub(super) fn open_table(html: &mut Html, id: &'static str, caption: &str, columns: &[Column]) {
    html.push_markup("<table class=\"cards\"")
        .push_attribute("id", id)
        .push_markup("><caption>")
        .push_text(caption)
        .push_markup("</caption>\n<thead><tr>");
    for Column { class, title } in columns {
        html.push_markup("<th scope=\"col\"")
            .push_attribute("class", class)
            .push_markup(">")
            .push_text(title)
            .push_markup("</th>");
    }
    html.push_markup("</tr></thead>\n<tbody>\n");
}

/// Opens a row.
pub(super) fn open_row(html: &mut Html, grade: Grade) {
    html.push_markup("<tr").push_attribute("data-grade", grade.as_str()).push_markup(">");
}

/// Writes a cell with text.
pub(super) fn write_cell(html: &mut Html, class: &'static str, text: &str) {
    html.push_markup("<td")
        .push_attribute("class", class)
        .push_markup(">")
        .push_text(text)
        .push_markup("</td>");
}

/// Writes a cell with the name of a package, which links to its description.
pub(super) fn write_package_cell(html: &mut Html, view: &View<'_>, package: &str) {
    html.push_markup("<td class=\"package\">")
        .push_link(view.package_anchor(package), package)
        .push_markup("</td>");
}

/// Closes a row.
pub(super) fn close_row(html: &mut Html) {
    html.push_markup("</tr>\n");
}

/// Closes a table.
pub(super) fn close_table(html: &mut Html) {
    html.push_markup("</tbody></table>\n");
}
