//! Changes screen: unsaved edits, the changed lines, and their consequences.

pub mod differences;

use ratatui::layout::Rect;

use crate::{
    app::{
        Model, Source,
        keys::ActionId,
        parts::list::ListId,
        session::{
            open::{Open, labels},
            what_if::WhatIf,
        },
    },
    catalog::TemplateKind,
    review::{
        Consequences, Report,
        files::{DiffKind, FileKind},
    },
    ui::{
        canvas::{Canvas, Pieces, piece, text, wrap},
        parts::{
            effects::{effect_lines, finding_lines, harm_lines, left_lines, moved_lines, unchecked_lines},
            expected,
        },
        text::plural,
        theme::Role,
    },
    validate::{Diagnostic, Severity},
};

/// Draws the screen.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    if model.session.shows_comparison() {
        return differences::draw(model, canvas, area);
    }
    let Some(open) = model.session.catalog() else { return };
    let edits = open.history.since(&open.baseline);
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let columns = usize::from(inner.width).saturating_sub(2);
    let mut lines: Vec<Pieces> = Vec::new();
    if let Some(what_if) = model.session.what_if() {
        supposed(model, &mut lines, what_if, columns);
    }
    let elsewhere = model.screens.changes.changes_elsewhere();
    if edits.is_empty() && model.session.what_if().is_none() && elsewhere.is_empty() {
        lines.push(vec![piece("No unsaved edits.", Role::Title)]);
        let key = |id| model.key(id);
        let how = format!(
            "On the Catalog or Graph screen, {} edits an entry, {} promotes a bundle, {} adds an entry, \
             {} deprecates and {} removes.",
            key(ActionId::EditEntry),
            key(ActionId::Promote),
            key(ActionId::AddEntry),
            key(ActionId::Deprecate),
            key(ActionId::Remove),
        );
        for words in [
            "Edits are listed here before they are saved: the changed lines of each file, new and fixed \
             findings, and all changed upgrades.",
            &how,
        ] {
            lines.extend(wrap(words, columns).into_iter().map(|line| vec![piece(line, Role::Dim)]));
        }
        let words = match model.session.base() {
            Some(base) => format!("{} shows the differences to {}.", key(ActionId::NextPane), base.label()),
            None => {
                format!("{} compares with a git revision or another catalog.", key(ActionId::CompareWith))
            }
        };
        lines.push(Vec::new());
        lines.extend(wrap(&words, columns).into_iter().map(|line| vec![piece(line, Role::Dim)]));
    } else {
        summary(model, &mut lines, &edits, columns);
        elsewhere_too(model, &mut lines, columns);
    }
    canvas.lines(inner, ListId::Changes, model.session.lists.first(ListId::Changes), true, &lines);
}

/// Lists the edits of the what-if, which are not applied.
fn supposed(model: &Model, lines: &mut Vec<Pieces>, what_if: &WhatIf, columns: usize) {
    lines.push(vec![
        piece(format!("WHAT IF {}", what_if.edits.len()), Role::Active),
        text("  not applied: "),
        piece(model.key(ActionId::WhatIfKeep), Role::Key),
        piece(" applies it, ", Role::Dim),
        piece(model.key(ActionId::WhatIfUndo), Role::Key),
        piece(" undoes the last, ", Role::Dim),
        piece(model.key(ActionId::WhatIfDrop), Role::Key),
        piece(" drops it", Role::Dim),
    ]);
    for edit in &what_if.edits {
        lines.extend(wrap(&format!("  {}", edit.title()), columns).into_iter().map(|line| vec![text(line)]));
    }
    lines.push(Vec::new());
}

fn summary(model: &Model, lines: &mut Vec<Pieces>, edits: &[(&str, bool)], columns: usize) {
    let report = model.screens.changes.changes();
    // The what-if is not saved together with the other catalogs.
    let others =
        if model.session.what_if().is_none() { model.screens.changes.changes_elsewhere() } else { &[] };
    let reports = || [report].into_iter().chain(others.iter().map(|(_, report)| report));
    let new = reports().flat_map(|report| &report.consequences.new_findings);
    let new_errors = new.filter(|f| f.severity() == Severity::Error).count();
    let files = plural(reports().map(|report| report.files.len()).sum(), "file");
    let mut verdict = match (model.session.what_if(), edits.len()) {
        (None, made) if !others.is_empty() => vec![
            piece(plural(model.session.unsaved(), "edit"), Role::Title),
            text(format!(" in {}, {files} to save. ", plural(others.len() + made.min(1), "catalog"))),
        ],
        (None, made) => vec![piece(plural(made, "edit"), Role::Title), text(format!(", {files} to save. "))],
        (Some(_), 0) => vec![text(format!("Applied, it would change {files}. "))],
        (Some(_), made) => {
            vec![text(format!("With {} before it, it would change {files}. ", plural(made, "edit")))]
        }
    };
    if new_errors > 0 {
        verdict.push(piece(
            format!("Adds {}: opm will reject this catalog.", plural(new_errors, "new error")),
            Role::Error,
        ));
    } else {
        verdict.push(piece("No new errors.", Role::Good));
    }
    let harm: usize = reports().map(|report| report.consequences.harm.count()).sum();
    if harm > 0 {
        verdict.push(piece(format!(" Leaves {} worse off.", plural(harm, "install")), Role::Error));
    }
    let broken = model.session.answers.broken().len();
    if broken > 0 {
        verdict.push(piece(format!(" Breaks {}.", plural(broken, "expectation")), Role::Error));
    }
    lines.push(verdict);
    if model.session.what_if().is_none() {
        let writes = if others.is_empty() { " saves, " } else { " saves all catalogs, " };
        lines.push(vec![
            piece(model.key(ActionId::Write), Role::Key),
            piece(writes, Role::Dim),
            piece(model.key(ActionId::Undo), Role::Key),
            piece(" undoes the last one", Role::Dim),
        ]);
    }
    if !edits.is_empty() {
        lines.push(Vec::new());
    }
    for (title, reverted) in edits {
        listed(lines, title, *reverted, columns);
    }
    if let Some(open) = model.session.catalog() {
        made_from(model, open, lines, columns);
    }
    details(model, lines, report, expected::broken(model, columns), columns);
}

/// Warns about content that is generated from a template, which does not have the edits.
fn made_from(model: &Model, open: &Open, lines: &mut Vec<Pieces>, columns: usize) {
    for (package, template) in open.made_from() {
        let path = template.shown.display();
        let is_edited = |other: &Open| {
            matches!(&other.source, Source::Path(path) if *path == template.path)
                && other.history.unsaved(&other.baseline) > 0
        };
        let words = if template.kind == Some(TemplateKind::Semver) {
            format!(
                "The channels of {package} are generated from {path}, which will overwrite edits to them."
            )
        } else if model.session.open.iter().any(is_edited) {
            format!("{package} is generated from {path}, which also has unsaved edits.")
        } else {
            format!(
                "{package} is generated from {path}, which will overwrite edits made only here. T opens \
                 it, C then repeats the last edit there."
            )
        };
        lines.extend(wrap(&words, columns).into_iter().map(|line| vec![piece(line, Role::Warning)]));
    }
}

/// Lists the unsaved changes of the other catalogs.
fn elsewhere_too(model: &Model, lines: &mut Vec<Pieces>, columns: usize) {
    let labels = labels(&model.session.open);
    for (number, report) in model.screens.changes.changes_elsewhere() {
        let Some((open, label)) = model.session.open.get(*number).zip(labels.get(*number)) else { continue };
        lines.push(Vec::new());
        lines.push(vec![
            piece(format!("Also in {label}"), Role::Active),
            text(format!("  {}", plural(open.history.unsaved(&open.baseline), "edit"))),
        ]);
        for (title, reverted) in open.history.since(&open.baseline) {
            listed(lines, title, reverted, columns);
        }
        made_from(model, open, lines, columns);
        details(model, lines, report, Vec::new(), columns);
    }
}

fn listed(lines: &mut Vec<Pieces>, title: &str, reverted: bool, columns: usize) {
    let mark = if reverted { "  undone after saving: " } else { "  " };
    lines.extend(wrap(&format!("{mark}{title}"), columns).into_iter().map(|line| vec![text(line)]));
}

/// Lists findings, changed upgrades, broken expectations and changed lines.
fn details(model: &Model, lines: &mut Vec<Pieces>, report: &Report, broken: Vec<Pieces>, columns: usize) {
    let consequences = &report.consequences;
    let harm = harm_lines(model, consequences, columns);
    if !harm.is_empty() {
        lines.push(Vec::new());
        lines.extend(harm);
    }
    findings(lines, "New findings", &consequences.new_findings, columns);
    findings(lines, "Fixed findings", &consequences.fixed_findings, columns);
    let unchecked = unchecked_lines(&consequences.unchecked_findings, columns);
    if !unchecked.is_empty() {
        lines.push(Vec::new());
        lines.extend(unchecked);
    }
    let left = left_lines(&consequences.left, columns);
    if !left.is_empty() {
        lines.push(Vec::new());
        lines.extend(left);
    }
    moves(model, lines, consequences, columns);
    let deprecations = effect_lines(model, consequences, columns);
    if !deprecations.is_empty() {
        lines.push(Vec::new());
        lines.push(vec![piece("Deprecations", Role::Title)]);
        lines.extend(deprecations);
    }
    lines.extend(broken);
    for file in &report.files {
        lines.push(Vec::new());
        let words = match file.kind {
            FileKind::Edited => "",
            FileKind::New => "  new file",
            FileKind::Gone => "  removed",
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

fn moves(model: &Model, lines: &mut Vec<Pieces>, consequences: &Consequences, columns: usize) {
    if consequences.moved.is_empty() && consequences.fresh.is_empty() {
        return;
    }
    lines.push(Vec::new());
    lines.extend(moved_lines(model, consequences, columns));
}
