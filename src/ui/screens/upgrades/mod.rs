//! Upgrades screen: the upgrades of every installed version.

mod cells;
mod fields;
mod reasons;
mod summary;
mod table;
mod words;

use ratatui::layout::Rect;

use crate::{
    app::{Model, parts::splits::Splitter},
    ui::{
        canvas::Canvas,
        parts::lists::{UNREAD, empty, without_channel},
    },
};

/// Description of the content, for empty screens.
const WOULD_BE: &str = "The upgrades of every installed version on Classic and v1.";

/// Minimum height for showing both panes.
const BOTH_PANES: u16 = 9;
/// Minimum height for showing the table while the reasons have the focus.
const BOTH_READ: u16 = 14;

/// Maximum number of lines above the rows of the table: three of the summary, one of titles.
const LINES_ABOVE: u16 = 4;

/// Draws the screen.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    if model.session.package_is_unread() {
        return empty(canvas, area, UNREAD);
    }
    let used = fields::draw(model, canvas, area);
    let body = Rect { y: area.y + used, height: area.height.saturating_sub(used), ..area };
    let Some(judged) = model.session.package() else {
        return empty(canvas, body, &without_channel(model, WOULD_BE));
    };
    let reads = model.screens.upgrades.is_reading_reasons();
    if body.height < BOTH_PANES || (reads && body.height < BOTH_READ) {
        if reads {
            reasons::draw(model, judged, table::ENDS, canvas, body);
        } else {
            rows(model, judged, canvas, body);
        }
        return;
    }
    let share = if reads { body.height * 3 / 5 } else { body.height * 2 / 5 };
    // A short table leaves the rest to the reasons; the size does not depend on the filter.
    let rows_of = model.session.answers.table().map_or(0, |table| table.rows.len())
        + model.session.answers.gone().len();
    let needed = u16::try_from(rows_of).unwrap_or(u16::MAX).max(1).saturating_add(LINES_ABOVE);
    let below = share.max((body.height - 1).saturating_sub(needed));
    let above = model.frame.splits.before(Splitter::Upgrades, body.height - below - 1, body.height);
    let (upper, lower) = canvas.split(body, Splitter::Upgrades, above);
    let left_out = rows(model, judged, canvas, upper);
    reasons::draw(model, judged, &left_out, canvas, lower);
}

/// Draws the summary and the table; returns the omitted columns.
fn rows(
    model: &Model,
    judged: &crate::review::Judged,
    canvas: &mut Canvas<'_>,
    area: Rect,
) -> Vec<table::Column> {
    let Some(upgrades) = model.session.answers.table() else {
        empty(canvas, area, &without_channel(model, WOULD_BE));
        return Vec::new();
    };
    let used = summary::draw(model, judged, upgrades, canvas, area);
    let area = Rect { y: area.y + used, height: area.height.saturating_sub(used), ..area };
    table::draw(model, judged, upgrades, canvas, area)
}
