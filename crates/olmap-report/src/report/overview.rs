//! Packages by catalog: heads, and a description of their problems.

use super::{
    View,
    html::Html,
    table::{self, Grade},
};
use crate::{overview::mark_ink, style::Ink};
use olm_plan::overview::{Change, OverviewRow, nonzero_marks};

/// Maximum number of rows.
const MAX_ROWS: usize = 1000;

/// Renders the table.
pub(super) fn render_overview_section(view: &View<'_>) -> Html {
    let mut html = Html::default();
    let sorted = &view.overview;
    if sorted.overview.rows.is_empty() {
        return html;
    }
    html.push_markup("<p class=\"about\">The head of each package's default channel, and what is wrong, in installed versions of that channel. Packages with most trouble come first. ");
    html.push_text(&crate::overview::summarize_overview(sorted)).push_markup("</p>\n");
    html.push_markup("<div class=\"scroll\" role=\"group\" aria-label=\"Overview table\" tabindex=\"0\"><table id=\"overview-table\"><caption>Heads</caption>\n<thead><tr><th scope=\"col\" class=\"package\">Package</th>");
    for column in &sorted.columns {
        html.push_markup("<th scope=\"col\"")
            .push_attribute("title", &column.label)
            .push_markup(">")
            .push_text(&column.title)
            .push_markup("</th>");
    }
    html.push_markup("</tr></thead>\n<tbody>\n");
    for row in sorted.overview.rows.iter().take(MAX_ROWS) {
        table::open_row(&mut html, package_grade(row));
        html.push_markup("<th scope=\"row\" class=\"package\">");
        html.push_link(view.package_anchor(row.package.as_str()), row.package.as_str());
        html.push_markup("</th>");
        for nth in 0..sorted.columns.len() {
            write_overview_cell(&mut html, row, nth);
        }
        table::close_row(&mut html);
    }
    table::close_table(&mut html);
    html.push_markup("</div>\n");
    if let Some(more) = sorted.overview.rows.len().checked_sub(MAX_ROWS).filter(|more| *more > 0) {
        html.push_markup("<p class=\"cut\">")
            .push_text(&format!("{more} more packages, with less trouble, are not shown here."))
            .push_markup("</p>\n");
    }
    html
}

fn package_grade(row: &OverviewRow) -> Grade {
    match row.trouble() {
        trouble if trouble.severe > 0 => Grade::Bad,
        trouble if trouble.minor > 0 => Grade::Warn,
        _ => Grade::Good,
    }
}

fn write_overview_cell(html: &mut Html, row: &OverviewRow, nth: usize) {
    let Some(cell) = row.cells.get(nth).and_then(Option::as_ref) else {
        if row.is_removed(nth) {
            html.push_markup("<td data-key=\"9999999\"><span class=\"tag bad\">gone</span></td>");
        } else {
            html.push_markup("<td data-key=\"-1\"><span class=\"none\">not in it</span></td>");
        }
        return;
    };
    let trouble = cell.trouble();
    html.push_markup("<td")
        .push_attribute("data-key", &(trouble.severe * 1000 + trouble.minor).to_string())
        .push_markup(">");
    match cell.head() {
        Some(head) => html
            .push_markup("<b")
            .push_attribute("title", head.bundle.as_str())
            .push_markup(">")
            .push_text(&head.short_name)
            .push_markup("</b>"),
        None => {
            html.push_markup("<span class=\"tag bad\">").push_text(&cell.head_label()).push_markup("</span>")
        }
    };
    match cell.change {
        Some(Change::Lower) => {
            html.push_markup(" <span class=\"tag bad\">lower than before</span>");
        }
        Some(Change::New) => {
            html.push_markup(" <span class=\"tag good\">new</span>");
        }
        None => {}
    }
    for (mark, count) in nonzero_marks(|mark| cell.count_marked(mark)) {
        let class = match mark_ink(mark) {
            Ink::Error => "tag bad",
            Ink::Warning => "tag warn",
            _ => "tag",
        };
        html.push_markup(" <span")
            .push_attribute("class", class)
            .push_attribute("title", mark.meaning())
            .push_markup(">")
            .push_text(&mark.format_count(count))
            .push_markup("</span>");
    }
    html.push_markup("</td>");
}
