//! Outline of a bundle as a review comment: dangerous permissions first, the rest folded.

use std::fmt::Write as _;

use super::outline::{SectionFilter, outline_section_heading, worst_danger};
use crate::{
    description, escape,
    markdown::{MAX_BYTES, escape_markdown},
};
use olm_bundle::outline::{Body, Outline, Part, Row, Section};

/// Limits of a description: lines, and columns of each.
const MAX_LINES: usize = 60;
const COLUMNS: usize = 100;

/// Bytes reserved for the end of a section and the number of omitted lines.
const RESERVED_BYTES: usize = 128;

/// Returns the comment. Counts the lines that do not fit.
pub fn render_outline_comment(inside: &Outline, wanted: &SectionFilter) -> String {
    let mut out = format!("### {}\n", escape_markdown(&inside.name));
    let dangers: Vec<&Row> = inside
        .sections
        .iter()
        .filter(|section| wanted.includes_section(section.part))
        .flat_map(|section| section.rows.iter().filter(|row| !row.dangers.is_empty()))
        .collect();
    let mut left = 0;
    if !dangers.is_empty() {
        out.push_str("\n| dangerous permission | rule | why |\n|---|---|---|\n");
    }
    for row in dangers {
        let reasons = row
            .dangers
            .iter()
            .map(|danger| format!("[{}]({})", danger.risk.id(), danger.risk.documentation_url()));
        let account = row.key.split(": ").next().unwrap_or_default();
        let what = if worst_danger(row).is_some_and(|danger| !danger.is_narrow) { "**" } else { "" };
        let rule = escape_markdown(&format!("{account}: {} {}", row.label, row.value));
        let line = format!(
            "| {what}{}{what} | {rule} | {} |\n",
            escape_markdown(&row.note),
            reasons.collect::<Vec<_>>().join(", ")
        );
        push_or_count_omitted(&mut out, &line, &mut left);
    }
    for section in inside.sections.iter().filter(|section| wanted.includes_section(section.part)) {
        let is_folded = section.part != Part::Identity;
        let end = if is_folded { "\n</details>\n" } else { "" };
        let mut text = if is_folded {
            let count = section.item_count();
            let is_counted = section.part != Part::Description && section.dangers() == 0 && count > 0;
            let count = if is_counted { format!(" ({count})") } else { String::new() };
            format!("\n<details><summary>{}{count}</summary>\n\n", outline_section_heading(section))
        } else {
            String::from("\n")
        };
        if let Some(gap) = section.gap {
            let _ = writeln!(text, "{}\n", escape_markdown(gap));
        }
        if out.len() + text.len() + RESERVED_BYTES > MAX_BYTES {
            left += section.rows.len();
            continue;
        }
        out.push_str(&text);
        write_outline_rows(&mut out, section, &mut left);
        out.push_str(end);
    }
    if left > 0 {
        let _ = writeln!(out, "\nAnd {left} more lines: `olmap bundle show` prints them all.");
    }
    out
}

fn write_outline_rows(out: &mut String, section: &Section, left: &mut usize) {
    for row in &section.rows {
        if let Some(Body::Markdown(text)) = &row.body {
            write_description(out, text, left);
            continue;
        }
        let indent = "  ".repeat(usize::from(row.level));
        let mut line = format!("{indent}- {}", escape_markdown(&row.label));
        if !row.value.is_empty() {
            let _ = write!(line, ": {}", escape_markdown(&row.value));
        }
        if !row.note.is_empty() {
            let _ = write!(line, " ({})", escape_markdown(&row.note));
        }
        line.push('\n');
        if let Some(Body::Json(text)) = &row.body {
            write_fenced(&mut line, text);
        }
        push_or_count_omitted(out, &line, left);
    }
}

/// Writes a description line by line.
fn write_description(out: &mut String, markdown: &str, left: &mut usize) {
    let lines = description::render_markdown_lines(markdown, COLUMNS, false);
    for line in lines.iter().take(MAX_LINES) {
        let text: String = line.iter().map(|span| span.text.as_str()).collect();
        push_or_count_omitted(out, &format!("{}<br>\n", escape_markdown(&text)), left);
    }
    *left += lines.len().saturating_sub(MAX_LINES);
}

/// Writes text between fences longer than any fence in it.
fn write_fenced(out: &mut String, text: &str) {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    let _ = write!(out, "\n  {fence}json\n");
    for line in escape::escape_lines(text) {
        let _ = writeln!(out, "  {line}");
    }
    let _ = write!(out, "  {fence}\n\n");
}

fn push_or_count_omitted(out: &mut String, text: &str, left: &mut usize) {
    if out.len() + text.len() + RESERVED_BYTES > MAX_BYTES {
        *left += 1;
    } else {
        out.push_str(text);
    }
}
