//! Difference between two bundles, as text, as JSON and as a comment on a pull request.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::step;
use crate::{
    Ink, Style,
    document::{Item, Piece},
    json as print,
    markdown::{Comment, escape_markdown},
    table,
};
use olm_bundle::{
    compare::{ChangeKind, Comparison, Concern, RowDifference, SectionDifference},
    outline::{OutlineLocation, Row},
    step::Judgement,
};

/// Maximum width of a row in columns.
const MAX_ROW_WIDTH: usize = 300;

/// Mark of the lines about the step.
const STEP: &str = ">";

/// Returns all lines: the verdicts on the step, what matters, then section by section.
pub fn bundle_diff_lines(comparison: &Comparison, judgement: Option<&Judgement>) -> Vec<Item> {
    let line = |indent, mark, ink, text: String| Item { indent, mark, ink, text };
    let mut lines = vec![line(0, "", Ink::Title, bundle_diff_heading(comparison))];
    for (at, Piece { text, ink }) in
        judgement.map(step::step_judgement_lines).into_iter().flatten().enumerate()
    {
        lines.push(line(usize::from(at > 0) + 1, STEP, ink, text));
    }
    for concern in &comparison.concerns {
        let ink = if concern.kind.is_serious() { Ink::Error } else { Ink::Warning };
        lines.push(line(1, "!", ink, concern.message.clone()));
    }
    if comparison.is_empty() {
        let ink = if has_gap(comparison) { Ink::Text } else { Ink::Good };
        lines.push(line(1, "", ink, describe_equality(comparison).to_owned()));
    }
    for section in &comparison.sections {
        lines.push(line(0, "", Ink::Text, String::new()));
        lines.push(line(0, "", Ink::Title, section_diff_heading(section)));
        lines.extend(section.gap.map(|gap| line(1, "", Ink::Dim, format!("not compared: {gap}"))));
        for (row, with) in rows_with_new_parents(section) {
            let first = row.above.len().saturating_sub(with.len());
            let above = with.iter().zip(first..);
            lines.extend(above.map(|(label, at)| line(at + 2, "", Ink::Dim, label.clone())));
            lines.push(line(
                row.above.len() + 1,
                row.change_kind().mark(),
                change_ink(row.change_kind()),
                describe_row_difference(row),
            ));
        }
    }
    lines
}

/// Renders the difference for people.
pub fn render_bundle_diff(comparison: &Comparison, judgement: &Judgement, style: &Style) -> String {
    let mut out = String::new();
    for Item { indent, mark, ink, text } in bundle_diff_lines(comparison, Some(judgement)) {
        let start = format!("{}{mark}{}", "  ".repeat(indent), if mark.is_empty() { "" } else { " " });
        // Important lines are not cut.
        if matches!(mark, "!" | STEP) {
            out.push_str(&style.paint_wrapped(ink, &text, &start, &" ".repeat(start.len())));
            continue;
        }
        let words = table::truncate_columns(&text, MAX_ROW_WIDTH, style.ellipsis());
        let painted = if mark.is_empty() {
            style.paint(ink, &format!("{start}{words}"))
        } else {
            format!("{}{}", style.paint(ink, &start), style.paint(Ink::Text, &words))
        };
        out.push_str(painted.trim_end());
        out.push('\n');
    }
    out
}

fn change_ink(fate: ChangeKind) -> Ink {
    match fate {
        ChangeKind::Added => Ink::Good,
        ChangeKind::Removed => Ink::Error,
        ChangeKind::Changed => Ink::Warning,
    }
}

/// Returns the names of both bundles.
fn bundle_diff_heading(comparison: &Comparison) -> String {
    format!("{} => {}", comparison.old, comparison.new)
}

/// Returns the heading of a section: `Owned APIs: 1 added, 2 changed`.
fn section_diff_heading(section: &SectionDifference) -> String {
    let fates = [ChangeKind::Added, ChangeKind::Removed, ChangeKind::Changed];
    let counts =
        fates.map(|fate| (section.rows.iter().filter(|row| row.change_kind() == fate).count(), fate));
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, fate)| format!("{count} {}", fate.as_str())).collect();
    match counts.as_slice() {
        [] => section.part.heading().to_owned(),
        counts => format!("{}: {}", section.part.heading(), counts.join(", ")),
    }
}

/// Returns the text of a row: its label and its change.
fn describe_row_difference(row: &RowDifference) -> String {
    let label = row.latest_row().map(|row| row.label.as_str()).unwrap_or_default();
    match row.summary() {
        words if words.is_empty() => label.to_owned(),
        words => format!("{label}: {words}"),
    }
}

/// Returns the rows of a section, each with the parent labels that are not printed yet.
fn rows_with_new_parents(section: &SectionDifference) -> Vec<(&RowDifference, &[String])> {
    let mut known: Vec<String> = Vec::new();
    let tell = |row| {
        let row: &RowDifference = row;
        let same = known.iter().zip(&row.above).take_while(|(a, b)| a == b).count();
        row.above.clone_into(&mut known);
        known.extend(row.latest_row().map(|row| row.label.clone()));
        (row, row.above.get(same..).unwrap_or_default())
    };
    section.rows.iter().map(tell).collect()
}

/// Renders the difference for programs (`docs/cli.md`).
pub fn render_bundle_diff_json(comparison: &Comparison, judgement: &Judgement) -> String {
    let concern = |concern: &Concern| {
        let mut value = json!({
            "kind": concern.kind.name(),
            "serious": concern.kind.is_serious(),
            "what": concern.message,
        });
        insert_manifest_location(&mut value, concern.location.as_ref());
        value
    };
    print::to_pretty_json(&json!({
        "old": comparison.old,
        "new": comparison.new,
        "same": comparison.is_empty(),
        "step": step::step_judgement_json(judgement),
        "concerns": comparison.concerns.iter().map(concern).collect::<Vec<_>>(),
        "sections": comparison.sections.iter().map(section_diff_json).collect::<Vec<_>>(),
    }))
}

fn section_diff_json(section: &SectionDifference) -> Json {
    let side = |row: &Option<Row>| {
        row.as_ref().map(|row| {
            let mut value = json!({"value": row.value});
            if let Some(object) = value.as_object_mut() {
                if !row.note.is_empty() {
                    object.insert("note".to_owned(), json!(row.note));
                }
                if !row.dangers.is_empty() {
                    let risks: Vec<&str> = row.dangers.iter().map(|danger| danger.risk.id()).collect();
                    object.insert("dangers".to_owned(), json!(risks));
                }
                if let Some(body) = &row.body {
                    object.insert("text".to_owned(), json!(body.text()));
                }
            }
            insert_manifest_location(&mut value, row.location.as_ref());
            value
        })
    };
    let row = |row: &RowDifference| {
        let told = row.latest_row();
        json!({
            "fate": row.change_kind().as_str(),
            "key": told.map(|row| &row.key),
            "label": told.map(|row| &row.label),
            "in": row.above,
            "before": side(&row.before),
            "after": side(&row.after),
        })
    };
    let mut value = json!({
        "section": section.part.id(),
        "rows": section.rows.iter().map(row).collect::<Vec<_>>(),
    });
    if let (Some(object), Some(gap)) = (value.as_object_mut(), section.gap) {
        object.insert("notCompared".to_owned(), json!(gap));
    }
    value
}

fn insert_manifest_location(value: &mut Json, spot: Option<&OutlineLocation>) {
    if let (Some(object), Some(spot)) = (value.as_object_mut(), spot) {
        object.insert("file".to_owned(), json!(&*spot.file));
        object.insert("line".to_owned(), json!(spot.line));
    }
}

/// Returns true if a section was not compared.
fn has_gap(comparison: &Comparison) -> bool {
    comparison.sections.iter().any(|section| section.gap.is_some())
}

/// Says that the compared parts are equal.
fn describe_equality(comparison: &Comparison) -> &'static str {
    if has_gap(comparison) { "no difference in what was compared" } else { "no difference" }
}

/// Renders a comment on a pull request: the step, what matters, the rest folded.
pub fn render_bundle_diff_comment(comparison: &Comparison, judgement: &Judgement) -> String {
    let mut out =
        format!("**{} =&gt; {}:** ", escape_markdown(&comparison.old), escape_markdown(&comparison.new));
    let serious = comparison.concerns.iter().filter(|concern| concern.kind.is_serious()).count();
    out.push_str(&match (comparison.is_empty(), serious, comparison.concerns.len()) {
        (true, ..) => describe_equality(comparison).to_owned(),
        (_, 0, 0) => "nothing to check before you release".to_owned(),
        (_, 0, 1) => "check 1 thing before you release".to_owned(),
        (_, 0, all) => format!("check {all} things before you release"),
        (_, serious, all) => format!("check {all} before you release, {serious} of them serious"),
    });
    out.push('\n');
    if !comparison.concerns.is_empty() {
        out.push('\n');
    }
    for concern in &comparison.concerns {
        let words = escape_markdown(&concern.message);
        let words = if concern.kind.is_serious() { format!("**{words}**") } else { words };
        let _ = writeln!(out, "- {words}");
    }
    let _ = write!(out, "\n{}", step::render_step_list(judgement));
    let mut comment = Comment::from(out);
    for section in &comparison.sections {
        let mut body = String::new();
        if let Some(gap) = section.gap {
            let _ = writeln!(body, "not compared: {}", escape_markdown(gap));
        }
        for (row, with) in rows_with_new_parents(section) {
            for (at, label) in with.iter().enumerate() {
                let _ = writeln!(body, "{}- {}", "  ".repeat(at), escape_markdown(label));
            }
            let indent = "  ".repeat(row.above.len());
            let fate = row.change_kind().as_str();
            let _ = writeln!(
                body,
                "{indent}- **{fate}** {}",
                escape_markdown(&table::truncate_columns(
                    &describe_row_difference(row),
                    MAX_ROW_WIDTH,
                    "..."
                ))
            );
        }
        let title = escape_markdown(&section_diff_heading(section));
        comment.push_if_fits(&format!("\n<details><summary>{title}</summary>\n\n{body}\n</details>\n"));
    }
    let Comment { text: mut out, omitted } = comment;
    if omitted > 0 {
        let what = if omitted == 1 { "section has" } else { "sections have" };
        let _ = writeln!(out, "\n{omitted} {what} no room here: see `olmap bundle diff` for all.");
    }
    out
}
