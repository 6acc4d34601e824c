//! The outline of a bundle as text and as JSON.

use std::{collections::BTreeSet, fmt::Write as _};

use serde_json::{Value as Json, json};

use crate::{Ink, Style, description, escape, table};
use olm_bundle::outline::{Body, Danger, Outline, Part, Row, Section};

/// Maximum number of lines of a description, unless its section is requested.
const MAX_DESCRIPTION_LINES: usize = 12;
/// Maximum width that labels are padded to.
const MAX_LABEL_WIDTH: usize = 46;

/// Maximum width of a value in columns.
const MAX_VALUE_WIDTH: usize = 200;

/// Requested sections; empty for all. Long texts are printed in full only in requested sections.
#[derive(Clone, Debug, Default)]
pub struct SectionFilter(pub Vec<Part>);

impl SectionFilter {
    /// Returns true if a section is printed.
    pub fn includes_section(&self, part: Part) -> bool {
        self.0.is_empty() || self.0.contains(&part)
    }

    /// Returns true if a section is printed in full.
    fn prints_in_full(&self, part: Part) -> bool {
        self.0.contains(&part)
    }
}

/// Renders the outline as text.
pub fn render_outline(inside: &Outline, wanted: &SectionFilter, style: &Style) -> String {
    let mut out = String::new();
    for section in inside.sections.iter().filter(|section| wanted.includes_section(section.part)) {
        if !out.is_empty() {
            out.push('\n');
        }
        write_section(&mut out, section, wanted, style);
    }
    out
}

fn write_section(out: &mut String, section: &Section, wanted: &SectionFilter, style: &Style) {
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    line(style.paint(Ink::Bold, &outline_section_heading(section)));
    if let Some(gap) = section.gap {
        line(format!("  {}", style.paint(Ink::Dim, gap)));
    }
    let widths = label_widths(&section.rows);
    let in_full = wanted.prints_in_full(section.part);
    let is_detail = |row: &&Row| section.part == Part::Owned && row.level == 2 && !in_full;
    for row in section.rows.iter().filter(|row| !is_detail(row)) {
        let indent = "  ".repeat(usize::from(row.level) + 1);
        if section.part != Part::Description {
            line(format!("{indent}{}", row_text(row, &widths, in_full, style)));
        }
        match &row.body {
            Some(Body::Markdown(text)) => {
                let lines = render_description(text, style);
                let shown = if in_full { lines.len() } else { lines.len().min(MAX_DESCRIPTION_LINES) };
                for text in lines.iter().take(shown) {
                    line(format!("{indent}{}", style.paint(Ink::Text, text)).trim_end().to_owned());
                }
                if shown < lines.len() {
                    let more = format!("{} more lines: --section {}", lines.len() - shown, section.part.id());
                    line(format!("{indent}{}", style.paint(Ink::Dim, &more)));
                }
            }
            Some(Body::Json(text)) if in_full => {
                for text in escape::escape_lines(text) {
                    line(format!("{indent}  {text}"));
                }
            }
            _ => {}
        }
    }
    let has_bodies = section.rows.iter().any(|row| matches!(row.body, Some(Body::Json(_))));
    if has_bodies && !in_full {
        line(format!("  {}", style.paint(Ink::Dim, &format!("their text: --section {}", section.part.id()))));
    }
    let details = section.rows.iter().filter(is_detail).count();
    if details > 0 {
        let words = format!("{details} descriptors: --section {}", section.part.id());
        line(format!("  {}", style.paint(Ink::Dim, &words)));
    }
    for (risk, reason) in risk_reasons(section) {
        out.push_str(&style.paint_wrapped(Ink::Dim, &reason, &format!("  {risk}: "), "    "));
    }
}

/// Returns the heading of a section: `Permissions: 3 dangerous`.
pub fn outline_section_heading(section: &Section) -> String {
    match section.dangers() {
        0 => section.part.heading().to_owned(),
        count => format!("{}: {count} dangerous", section.part.heading()),
    }
}

/// Returns each risk of a section once, with the reason.
fn risk_reasons(section: &Section) -> Vec<(&'static str, String)> {
    let dangers = section.rows.iter().flat_map(|row| &row.dangers);
    let risks: BTreeSet<_> = dangers.map(|danger| danger.risk).collect();
    risks
        .into_iter()
        .map(|risk| (risk.id(), format!("{} {}", risk.reason(), risk.documentation_url())))
        .collect()
}

/// Returns the column width of the labels of each level.
fn label_widths(rows: &[Row]) -> [usize; 3] {
    let mut widths = [0; 3];
    for row in rows.iter().filter(|row| row.dangers.is_empty() && !row.value.is_empty()) {
        if let Some(width) = widths.get_mut(usize::from(row.level)) {
            *width = (*width).max(escape::count_columns(&row.label)).min(MAX_LABEL_WIDTH);
        }
    }
    widths
}

fn row_text(row: &Row, widths: &[usize; 3], in_full: bool, style: &Style) -> String {
    if let Some(danger) = worst_danger(row) {
        let ink = if danger.is_narrow { Ink::Warning } else { Ink::Error };
        let words = style.paint(ink, &format!("! {}", row.note));
        return format!("{words}: {}", style.paint(Ink::Text, &format!("{} {}", row.label, row.value)));
    }
    let label = style.paint(Ink::Text, &row.label);
    let mut text = label.clone();
    if !row.value.is_empty() {
        let width = widths.get(usize::from(row.level)).copied().unwrap_or_default();
        let blanks = (width + 2).saturating_sub(escape::count_columns(&row.label)).max(2);
        text.push_str(&" ".repeat(blanks));
        let value = if in_full {
            row.value.clone()
        } else {
            table::truncate_columns(&row.value, MAX_VALUE_WIDTH, style.ellipsis())
        };
        text.push_str(&style.paint(Ink::Text, &value));
    }
    if !row.note.is_empty() {
        let _ = write!(text, "  {}", style.paint(Ink::Dim, &format!("({})", row.note)));
    }
    text
}

/// Returns the danger that determines the color of a row.
pub fn worst_danger(row: &Row) -> Option<Danger> {
    row.dangers.iter().copied().min_by_key(|danger| (danger.is_narrow, danger.risk))
}

/// Renders Markdown as plain lines.
fn render_description(markdown: &str, style: &Style) -> Vec<String> {
    let columns = style.width.saturating_sub(2).max(20);
    let lines = description::render_markdown_lines(markdown, columns, style.ascii).into_iter();
    lines.map(|line| line.into_iter().map(|span| span.text).collect()).collect()
}

/// Returns the outline as JSON: `{source, sections: [{id, title, gap?, rows: [...]}]}`.
pub fn outline_json(inside: &Outline, wanted: &SectionFilter) -> Json {
    let sections = inside.sections.iter().filter(|section| wanted.includes_section(section.part));
    let sections: Vec<Json> = sections.map(section_json).collect();
    json!({ "source": inside.source.name(), "sections": sections })
}

fn section_json(section: &Section) -> Json {
    let rows: Vec<Json> = section.rows.iter().map(row_json).collect();
    let mut object = json!({ "id": section.part.id(), "title": section.part.heading(), "rows": rows });
    if let (Some(gap), Some(members)) = (section.gap, object.as_object_mut()) {
        members.insert("gap".to_owned(), gap.into());
    }
    object
}

fn row_json(row: &Row) -> Json {
    let mut object = json!({ "key": row.key, "level": row.level, "label": row.label, "value": row.value });
    let Some(members) = object.as_object_mut() else { return object };
    let mut add = |key: &str, value: Json| members.insert(key.to_owned(), value);
    if !row.note.is_empty() {
        add("note", row.note.clone().into());
    }
    if !row.dangers.is_empty() {
        let danger = |danger: &Danger| {
            let risk = danger.risk;
            json!({
                "risk": risk.id(), "clusterWide": !danger.is_narrow, "reason": risk.reason(), "source": risk.documentation_url(),
            })
        };
        add("dangers", row.dangers.iter().map(danger).collect());
    }
    if let Some(body) = &row.body {
        add("text", body.text().into());
    }
    if let Some(spot) = &row.location {
        add("file", spot.file.as_ref().into());
        add("line", spot.line.into());
    }
    object
}
