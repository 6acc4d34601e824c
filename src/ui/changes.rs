//! Screen 6: unsaved edits, the bytes they change, and what that means.

use ratatui::layout::Rect;

use super::{
    canvas::{Canvas, Pieces, piece, text, wrap},
    catalog::short,
    details::severity_role,
    frame::plural,
    theme::Role,
};
use crate::{
    app::{Model, list::ListId, what_if::WhatIf},
    catalog::{BundleName, PackageName},
    export::moved::sentences,
    review::{
        Consequences, Moved,
        files::{DiffKind, FileKind},
    },
    upgrade::Engine,
    validate::{Diagnostic, Severity},
};

/// Draws the screen.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(open) = model.catalog() else { return };
    let edits = open.history.since(&open.baseline);
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let columns = usize::from(inner.width).saturating_sub(2);
    let mut lines: Vec<Pieces> = Vec::new();
    if let Some(what_if) = model.what_if() {
        supposed(&mut lines, what_if, columns);
    }
    if edits.is_empty() && model.what_if().is_none() {
        lines.push(vec![piece("Nothing is unsaved.", Role::Title)]);
        for words in [
            "Edits are listed here before they are written: the bytes that change in each file, new and fixed \
             findings, and every installed version whose successor changes.",
            "On the Catalog or Graph screen, e edits an entry, p puts a bundle into other channels, a adds an \
             entry, d deprecates and x removes.",
        ] {
            lines.extend(wrap(words, columns).into_iter().map(|line| vec![piece(line, Role::Dim)]));
        }
    } else {
        summary(model, &mut lines, &edits, columns);
    }
    canvas.lines(inner, ListId::Changes, model.lists.first(ListId::Changes), true, &lines);
}

/// What is looked at and not made.
fn supposed(lines: &mut Vec<Pieces>, what_if: &WhatIf, columns: usize) {
    lines.push(vec![
        piece(format!("WHAT IF {}", what_if.edits.len()), Role::Active),
        text("  not made: "),
        piece("W k", Role::Key),
        piece(" keeps it, ", Role::Dim),
        piece("W u", Role::Key),
        piece(" takes the last back, ", Role::Dim),
        piece("W q", Role::Key),
        piece(" drops it", Role::Dim),
    ]);
    for edit in &what_if.edits {
        lines.extend(wrap(&format!("  {}", edit.title()), columns).into_iter().map(|line| vec![text(line)]));
    }
    lines.push(Vec::new());
}

fn summary(model: &Model, lines: &mut Vec<Pieces>, edits: &[(&str, bool)], columns: usize) {
    let report = model.derived.changes();
    let consequences = &report.consequences;
    let new_errors = consequences.new_findings.iter().filter(|f| f.severity() == Severity::Error).count();
    let files = plural(report.files.len(), "file");
    let mut verdict = match (model.what_if(), edits.len()) {
        (None, made) => vec![piece(plural(made, "edit"), Role::Title), text(format!(", {files} to write. "))],
        (Some(_), 0) => vec![text(format!("Kept, it would change {files}. "))],
        (Some(_), made) => {
            vec![text(format!("With {} before it, it would change {files}. ", plural(made, "edit")))]
        }
    };
    if new_errors > 0 {
        verdict.push(piece(
            format!("They bring {}: opm will refuse this catalog.", plural(new_errors, "new error")),
            Role::Error,
        ));
    } else {
        verdict.push(piece("No new errors.", Role::Good));
    }
    lines.push(verdict);
    if model.what_if().is_none() {
        lines.push(vec![
            piece("enter", Role::Key),
            piece(" writes, ", Role::Dim),
            piece("u", Role::Key),
            piece(" takes the last one back", Role::Dim),
        ]);
    }
    if !edits.is_empty() {
        lines.push(Vec::new());
    }
    for (title, reverted) in edits {
        let mark = if *reverted { "  taken back after saving: " } else { "  " };
        lines.extend(wrap(&format!("{mark}{title}"), columns).into_iter().map(|line| vec![text(line)]));
    }
    findings(lines, "New findings", &consequences.new_findings, columns);
    findings(lines, "Fixed findings", &consequences.fixed_findings, columns);
    moves(model, lines, consequences, columns);
    for file in &report.files {
        lines.push(Vec::new());
        let words = match file.kind {
            FileKind::Edited => "",
            FileKind::New => "  new file",
            FileKind::Gone => "  is taken away",
        };
        lines.push(vec![piece(file.path.display().to_string(), Role::Title), piece(words, Role::Dim)]);
        for hunk in &file.hunks {
            lines.push(vec![piece(format!("@@ line {}", hunk.old_line), Role::Dim)]);
            for line in &hunk.lines {
                let (mark, role) = match line.kind {
                    DiffKind::Kept => (" ", Role::Dim),
                    DiffKind::Removed => ("-", Role::Removed),
                    DiffKind::Added => ("+", Role::Good),
                };
                lines.push(vec![piece(format!("{mark}{}", line.text), role)]);
            }
        }
    }
}

fn findings(lines: &mut Vec<Pieces>, title: &str, findings: &[Diagnostic], columns: usize) {
    if findings.is_empty() {
        return;
    }
    lines.push(Vec::new());
    lines.push(vec![piece(format!("{title} {}", findings.len()), Role::Title)]);
    lines.extend(finding_lines(findings, columns));
}

/// Findings, a few lines each.
pub fn finding_lines(findings: &[Diagnostic], columns: usize) -> Vec<Pieces> {
    let mut lines = Vec::new();
    for finding in findings {
        let words = format!("  {} {}: {}", finding.severity().as_str(), finding.rule.id, finding.message);
        lines.extend(
            wrap(&words, columns)
                .into_iter()
                .map(|line| vec![piece(line, severity_role(finding.severity()))]),
        );
    }
    lines
}

fn moves(model: &Model, lines: &mut Vec<Pieces>, consequences: &Consequences, columns: usize) {
    if consequences.moved.is_empty() {
        return;
    }
    lines.push(Vec::new());
    lines.push(vec![piece(format!("Changed successors {}", consequences.moved.len()), Role::Title)]);
    lines.extend(moved_lines(model, &consequences.moved, columns));
}

/// Installed bundles whose successor changes, from what to what.
pub fn moved_lines(model: &Model, moved: &[Moved], columns: usize) -> Vec<Pieces> {
    let label = |package: &PackageName, name: &BundleName| {
        let judged = model.snapshot().and_then(|s| s.package(package.as_str()));
        judged.map_or_else(|| name.to_string(), |judged| short(judged.package(), name))
    };
    let mut lines = Vec::new();
    for sentence in sentences(moved, label) {
        let (engine, role) = match sentence.engine {
            Engine::Classic => ("Classic", Role::Classic),
            Engine::V1 => ("v1", Role::V1),
        };
        for (index, line) in wrap(&sentence.words, columns.saturating_sub(10)).into_iter().enumerate() {
            let engine = if index == 0 { engine } else { "" };
            lines.push(vec![piece(format!("  {engine:<8}"), role), text(line)]);
        }
    }
    lines
}
