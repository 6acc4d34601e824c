//! Lines of the Bundle screen: headings of sections, and their rows.

use crate::tui::parts::list::passes_filter;
use olm_bundle::outline::{Outline, Row, Section};
use olmap_report::escape;

/// Line of the list: heading of a section, or one of its rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutlineRow {
    /// Index of the section.
    pub section: usize,
    /// Index of the row in the section. `None` for the heading.
    pub row: Option<usize>,
    /// Width of the labels of the neighboring rows.
    pub labels: usize,
}

impl OutlineRow {
    /// Returns the section of the line, and its row unless the line is a heading.
    pub(super) fn section_and_row_in(self, inside: &Outline) -> Option<(&Section, Option<&Row>)> {
        let section = inside.sections.get(self.section)?;
        Some((section, self.row.and_then(|row| section.rows.get(row))))
    }
}

/// Maximum width of the label column.
const MAX_LABEL_WIDTH: usize = 34;

/// Returns the lines that pass a filter. The parents of a row are kept.
pub(super) fn filter_lines(inside: &Outline, filter: &str) -> Vec<OutlineRow> {
    let mut lines = Vec::new();
    for (at, section) in inside.sections.iter().enumerate() {
        let rows = passing_rows(section, filter);
        let is_shown = filter.is_empty() || !rows.is_empty();
        let widths = label_widths(section);
        let labels = |row: usize| {
            let level = section.rows.get(row).map_or(0, |row| usize::from(row.level));
            widths.get(level).copied().unwrap_or_default()
        };
        lines.extend(is_shown.then_some(OutlineRow { section: at, row: None, labels: 0 }));
        lines.extend(rows.into_iter().map(|row| OutlineRow {
            section: at,
            row: Some(row),
            labels: labels(row),
        }));
    }
    lines
}

/// Returns the label width for each level.
fn label_widths(section: &Section) -> [usize; 3] {
    let mut widths = [0; 3];
    for row in section.rows.iter().filter(|row| row.dangers.is_empty() && !row.value.is_empty()) {
        if let Some(widest) = widths.get_mut(usize::from(row.level)) {
            *widest =
                (*widest).max(escape::count_columns(escape::fitting_prefix(&row.label, MAX_LABEL_WIDTH)));
        }
    }
    widths
}

fn passing_rows(section: &Section, filter: &str) -> Vec<usize> {
    if filter.is_empty() {
        return (0..section.rows.len()).collect();
    }
    let mut kept = vec![false; section.rows.len()];
    // The last row of each level, which is the parent of the next one.
    let mut above: [Option<usize>; 3] = [None; 3];
    for (at, row) in section.rows.iter().enumerate() {
        let level = usize::from(row.level).min(above.len() - 1);
        if let Some(slots) = above.get_mut(level..) {
            slots.fill(None);
        }
        if passes_filter(filter, &search_text(section, row)) {
            for place in above.iter().flatten().chain([&at]) {
                if let Some(kept) = kept.get_mut(*place) {
                    *kept = true;
                }
            }
        }
        if let Some(slot) = above.get_mut(level) {
            *slot = Some(at);
        }
    }
    kept.iter().enumerate().filter(|(_, kept)| **kept).map(|(at, _)| at).collect()
}

fn search_text(section: &Section, row: &Row) -> String {
    let danger = if row.dangers.is_empty() { "" } else { "dangerous" };
    let body = row.body.as_ref().map_or("", |body| body.text());
    [section.part.heading(), &row.key, &row.label, &row.value, &row.note, danger, body].join(" ")
}
