//! Outline of a bundle as a review comment: dangerous permissions first, the rest folded.

use std::fmt::Write as _;

use super::inside::{Wanted, heading, worst};
use crate::{
    bundle::inside::{Body, Inside, Part, Row, Section},
    export::{
        description,
        markdown::{MAX_BYTES, quote},
        plain,
    },
};

/// Limits of a description: lines, and columns of each.
const MOST_LINES: usize = 60;
const COLUMNS: usize = 100;

/// Bytes reserved for the end of a section and the number of omitted lines.
const KEPT: usize = 128;

/// Returns the comment. Counts the lines that do not fit.
pub fn comment(inside: &Inside, wanted: &Wanted) -> String {
    let mut out = format!("### {}\n", quote(&inside.name));
    let dangers: Vec<&Row> = inside
        .sections
        .iter()
        .filter(|section| wanted.has(section.part))
        .flat_map(|section| section.rows.iter().filter(|row| !row.dangers.is_empty()))
        .collect();
    let mut left = 0;
    if !dangers.is_empty() {
        out.push_str("\n| dangerous permission | rule | why |\n|---|---|---|\n");
    }
    for row in dangers {
        let reasons =
            row.dangers.iter().map(|danger| format!("[{}]({})", danger.risk.id(), danger.risk.source()));
        let account = row.key.split(": ").next().unwrap_or_default();
        let what = if worst(row).is_some_and(|danger| !danger.is_narrow) { "**" } else { "" };
        let rule = quote(&format!("{account}: {} {}", row.label, row.value));
        let line = format!(
            "| {what}{}{what} | {rule} | {} |\n",
            quote(&row.note),
            reasons.collect::<Vec<_>>().join(", ")
        );
        push(&mut out, &line, &mut left);
    }
    for section in inside.sections.iter().filter(|section| wanted.has(section.part)) {
        let is_folded = section.part != Part::Identity;
        let end = if is_folded { "\n</details>\n" } else { "" };
        let mut text = if is_folded {
            let count = section.count();
            let is_counted = section.part != Part::Description && section.dangers() == 0 && count > 0;
            let count = if is_counted { format!(" ({count})") } else { String::new() };
            format!("\n<details><summary>{}{count}</summary>\n\n", heading(section))
        } else {
            String::from("\n")
        };
        if let Some(gap) = section.gap {
            let _ = writeln!(text, "{}\n", quote(gap));
        }
        if out.len() + text.len() + KEPT > MAX_BYTES {
            left += section.rows.len();
            continue;
        }
        out.push_str(&text);
        rows(&mut out, section, &mut left);
        out.push_str(end);
    }
    if left > 0 {
        let _ = writeln!(out, "\nAnd {left} more lines: `olmap bundle show` prints them all.");
    }
    out
}

fn rows(out: &mut String, section: &Section, left: &mut usize) {
    for row in &section.rows {
        if let Some(Body::Markdown(text)) = &row.body {
            prose(out, text, left);
            continue;
        }
        let indent = "  ".repeat(usize::from(row.level));
        let mut line = format!("{indent}- {}", quote(&row.label));
        if !row.value.is_empty() {
            let _ = write!(line, ": {}", quote(&row.value));
        }
        if !row.note.is_empty() {
            let _ = write!(line, " ({})", quote(&row.note));
        }
        line.push('\n');
        if let Some(Body::Json(text)) = &row.body {
            fence(&mut line, text);
        }
        push(out, &line, left);
    }
}

/// Writes a description line by line.
fn prose(out: &mut String, markdown: &str, left: &mut usize) {
    let lines = description::lines(markdown, COLUMNS, false);
    for line in lines.iter().take(MOST_LINES) {
        let text: String = line.iter().map(|span| span.text.as_str()).collect();
        push(out, &format!("{}<br>\n", quote(&text)), left);
    }
    *left += lines.len().saturating_sub(MOST_LINES);
}

/// Writes text between fences longer than any fence in it.
fn fence(out: &mut String, text: &str) {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    let _ = write!(out, "\n  {fence}json\n");
    for line in plain::lines(text) {
        let _ = writeln!(out, "  {line}");
    }
    let _ = write!(out, "  {fence}\n\n");
}

fn push(out: &mut String, text: &str, left: &mut usize) {
    if out.len() + text.len() + KEPT > MAX_BYTES {
        *left += 1;
    } else {
        out.push_str(text);
    }
}
