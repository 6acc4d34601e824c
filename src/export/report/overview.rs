//! Packages by catalog: heads, and a description of their problems.

use super::{
    View,
    graphs::Anchors,
    html::Html,
    table::{self, Grade},
};
use crate::{
    export::{overview::ink, style::Ink},
    plan::overview::{Change, Row, some},
};

/// Maximum number of rows.
const MAX_ROWS: usize = 1000;

/// Renders the table.
pub(super) fn html(view: &View<'_>, anchors: &Anchors) -> Html {
    let mut html = Html::default();
    let sorted = &view.overview;
    if sorted.overview.rows.is_empty() {
        return html;
    }
    html.raw("<p class=\"about\">The head of each package's default channel, and what is wrong, in installed versions of that channel. Packages with most trouble come first. ");
    html.text(&crate::export::overview::summary(sorted)).raw("</p>\n");
    html.raw("<div class=\"scroll\" role=\"region\" aria-label=\"Overview\" tabindex=\"0\"><table id=\"overview-table\"><caption>Heads</caption>\n<thead><tr><th scope=\"col\" class=\"package\">Package</th>");
    for column in &sorted.columns {
        html.raw("<th scope=\"col\"").attr("title", &column.label).raw(">").text(&column.title).raw("</th>");
    }
    html.raw("</tr></thead>\n<tbody>\n");
    for row in sorted.overview.rows.iter().take(MAX_ROWS) {
        table::row(&mut html, grade(row));
        html.raw("<th scope=\"row\" class=\"package\">");
        match anchors.of(&row.package) {
            Some(anchor) => html
                .raw("<a")
                .attr("href", &format!("#{anchor}"))
                .raw(">")
                .text(row.package.as_str())
                .raw("</a>"),
            None => html.text(row.package.as_str()),
        };
        html.raw("</th>");
        for nth in 0..sorted.columns.len() {
            cell(&mut html, row, nth);
        }
        table::end_row(&mut html);
    }
    table::close(&mut html);
    html.raw("</div>\n");
    if let Some(more) = sorted.overview.rows.len().checked_sub(MAX_ROWS).filter(|more| *more > 0) {
        html.raw("<p class=\"cut\">")
            .text(&format!(
                "{more} more packages, with less trouble, are not shown here: olmap overview shows all."
            ))
            .raw("</p>\n");
    }
    html
}

fn grade(row: &Row) -> Grade {
    match row.trouble() {
        trouble if trouble.grave > 0 => Grade::Bad,
        trouble if trouble.slight > 0 => Grade::Warn,
        _ => Grade::Good,
    }
}

fn cell(html: &mut Html, row: &Row, nth: usize) {
    let Some(cell) = row.cells.get(nth).and_then(Option::as_ref) else {
        if row.is_gone(nth) {
            html.raw("<td data-key=\"9999999\"><span class=\"tag bad\">gone</span></td>");
        } else {
            html.raw("<td data-key=\"-1\"><span class=\"none\">not in it</span></td>");
        }
        return;
    };
    let trouble = cell.trouble();
    html.raw("<td").attr("data-key", &(trouble.grave * 1000 + trouble.slight).to_string()).raw(">");
    match cell.head() {
        Some(head) => {
            html.raw("<b").attr("title", head.bundle.as_str()).raw(">").text(&head.short).raw("</b>")
        }
        None => html.raw("<span class=\"tag bad\">no head</span>"),
    };
    match cell.change {
        Some(Change::Lower) => {
            html.raw(" <span class=\"tag bad\">lower than before</span>");
        }
        Some(Change::New) => {
            html.raw(" <span class=\"tag good\">new</span>");
        }
        None => {}
    }
    for (mark, count) in some(|mark| cell.count(mark)) {
        let class = match ink(mark) {
            Ink::Error => "tag bad",
            Ink::Warning => "tag warn",
            _ => "tag",
        };
        html.raw(" <span")
            .attr("class", class)
            .attr("title", mark.meaning())
            .raw(">")
            .text(&mark.words(count))
            .raw("</span>");
    }
    html.raw("</td>");
}
