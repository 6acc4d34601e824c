//! Upgrades screen: the upgrades of every installed version.

mod cells;
mod fields;
mod reasons;
mod row_state;
mod summary;
mod table;

use ratatui::layout::Rect;

use crate::{
    tui::{Model, parts::splitters::Splitter},
    ui::{
        canvas::Canvas,
        parts::lists::{UNREAD, draw_empty_list, explain_missing_channel},
    },
};

/// Description of the content, for empty screens.
const DESCRIPTION: &str = "The upgrades of every installed version on Classic and v1.";

/// Minimum height for showing both panes.
const MIN_HEIGHT_FOR_PANES: u16 = 9;
/// Minimum height for showing the table while the reasons have the focus.
const MIN_HEIGHT_WHILE_READING: u16 = 14;

/// Maximum number of lines above the rows of the table: three of the summary, one of titles.
const LINES_ABOVE: u16 = 4;

/// Draws the screen.
pub fn draw_upgrades_screen(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    if model.session.package_is_unread() {
        return draw_empty_list(canvas, area, UNREAD);
    }
    let used = fields::draw_query_fields(model, canvas, area);
    let body = Rect { y: area.y + used, height: area.height.saturating_sub(used), ..area };
    let Some(package_state) = model.session.selected_package() else {
        return draw_empty_list(canvas, body, &explain_missing_channel(model, DESCRIPTION));
    };
    let reads = model.screens.upgrades.is_reading_reasons();
    if body.height < MIN_HEIGHT_FOR_PANES || (reads && body.height < MIN_HEIGHT_WHILE_READING) {
        if reads {
            reasons::draw_reasons(model, package_state, table::PATH_END_COLUMNS, canvas, body);
        } else {
            draw_summary_and_table(model, package_state, canvas, body);
        }
        return;
    }
    let share = if reads { body.height * 3 / 5 } else { body.height * 2 / 5 };
    // A short table leaves the rest to the reasons; the size does not depend on the filter.
    let rows_of = model.session.derived.upgrade_table().map_or(0, |table| table.rows.len())
        + model.session.derived.removed_bundle_upgrades().len();
    let needed = u16::try_from(rows_of).unwrap_or(u16::MAX).max(1).saturating_add(LINES_ABOVE);
    let below = share.max((body.height - 1).saturating_sub(needed));
    let above = model.frame.splits.size_before(Splitter::Upgrades, body.height - below - 1, body.height);
    let (upper, lower) = canvas.draw_splitter(body, Splitter::Upgrades, above);
    let left_out = draw_summary_and_table(model, package_state, canvas, upper);
    reasons::draw_reasons(model, package_state, &left_out, canvas, lower);
}

/// Draws the summary and the table; returns the omitted columns.
fn draw_summary_and_table(
    model: &Model,
    package_state: &olm_check::review::PackageState,
    canvas: &mut Canvas<'_>,
    area: Rect,
) -> Vec<table::Column> {
    let Some(upgrades) = model.session.derived.upgrade_table() else {
        draw_empty_list(canvas, area, &explain_missing_channel(model, DESCRIPTION));
        return Vec::new();
    };
    let used = summary::draw_summary(model, package_state, upgrades, canvas, area);
    let area = Rect { y: area.y + used, height: area.height.saturating_sub(used), ..area };
    table::draw_upgrade_table(model, package_state, upgrades, canvas, area)
}
