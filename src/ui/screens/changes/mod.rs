//! Changes screen: unsaved edits, the changed lines, and their consequences.

pub mod differences;

use ratatui::layout::Rect;

use crate::{
    tui::{
        Model, Source,
        keys::ActionId,
        parts::list::ListId,
        session::{
            open_catalog::{OpenCatalog, catalog_labels},
            what_if::WhatIf,
        },
    },
    ui::{
        canvas::{Canvas, Pieces, piece, text_piece, wrap_text},
        parts::{
            effects::{
                changed_upgrade_lines, deprecation_effect_lines, finding_lines, harm_lines, unchecked_lines,
                unmet_dependency_lines,
            },
            expectations,
        },
        text::format_count,
        theme::Role,
    },
};
use olm_catalog::TemplateKind;
use olm_check::{
    Finding, Severity,
    review::{
        ChangeReport, Consequences,
        files::{DiffKind, FileKind},
    },
};

/// Draws the screen.
pub fn draw_changes_screen(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    if model.session.shows_comparison() {
        return differences::draw_differences(model, canvas, area);
    }
    let Some(open) = model.session.current_catalog() else { return };
    let edits = open.history.edits_between(&open.baseline);
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let columns = usize::from(inner.width).saturating_sub(2);
    let mut lines: Vec<Pieces> = Vec::new();
    if let Some(what_if) = model.session.what_if() {
        push_what_if_edits(model, &mut lines, what_if, columns);
    }
    let elsewhere = model.screens.changes.other_changes();
    if edits.is_empty() && model.session.what_if().is_none() && elsewhere.is_empty() {
        lines.push(vec![piece("No unsaved edits.", Role::Title)]);
        let key = |id| model.key_label(id);
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
            lines.extend(wrap_text(words, columns).into_iter().map(|line| vec![piece(line, Role::Dim)]));
        }
        let words = match model.session.base() {
            Some(base) => format!("{} shows the differences to {}.", key(ActionId::NextPane), base.label()),
            None => {
                format!("{} compares with a git revision or another catalog.", key(ActionId::CompareWith))
            }
        };
        lines.push(Vec::new());
        lines.extend(wrap_text(&words, columns).into_iter().map(|line| vec![piece(line, Role::Dim)]));
    } else {
        push_change_summary(model, &mut lines, &edits, columns);
        push_other_catalogs(model, &mut lines, columns);
    }
    canvas.draw_scrolled_lines(
        inner,
        ListId::Changes,
        model.session.lists.first_row(ListId::Changes),
        true,
        &lines,
    );
}

/// Lists the edits of the what-if, which are not applied.
fn push_what_if_edits(model: &Model, lines: &mut Vec<Pieces>, what_if: &WhatIf, columns: usize) {
    lines.push(vec![
        piece(format!("WHAT IF {}", what_if.edits.len()), Role::Active),
        text_piece("  not applied: "),
        piece(model.key_label(ActionId::WhatIfKeep), Role::Key),
        piece(" applies it, ", Role::Dim),
        piece(model.key_label(ActionId::WhatIfUndo), Role::Key),
        piece(" undoes the last, ", Role::Dim),
        piece(model.key_label(ActionId::WhatIfDrop), Role::Key),
        piece(" drops it", Role::Dim),
    ]);
    for edit in &what_if.edits {
        lines.extend(
            wrap_text(&format!("  {}", edit.title()), columns).into_iter().map(|line| vec![text_piece(line)]),
        );
    }
    lines.push(Vec::new());
}

fn push_change_summary(model: &Model, lines: &mut Vec<Pieces>, edits: &[(&str, bool)], columns: usize) {
    let report = model.screens.changes.changes();
    // The what-if is not saved together with the other catalogs.
    let others = if model.session.what_if().is_none() { model.screens.changes.other_changes() } else { &[] };
    let reports = || [report].into_iter().chain(others.iter().map(|(_, report)| report));
    let new = reports().flat_map(|report| &report.consequences.new_findings);
    let new_errors = new.filter(|f| f.severity() == Severity::Error).count();
    let files = format_count(reports().map(|report| report.files.len()).sum(), "file");
    let mut verdict = match (model.session.what_if(), edits.len()) {
        (None, made) if !others.is_empty() => vec![
            piece(format_count(model.session.unsaved_count(), "edit"), Role::Title),
            text_piece(format!(
                " in {}, {files} to save. ",
                format_count(others.len() + made.min(1), "catalog")
            )),
        ],
        (None, made) => {
            vec![piece(format_count(made, "edit"), Role::Title), text_piece(format!(", {files} to save. "))]
        }
        (Some(_), 0) => vec![text_piece(format!("Applied, it would change {files}. "))],
        (Some(_), made) => {
            vec![text_piece(format!(
                "With {} before it, it would change {files}. ",
                format_count(made, "edit")
            ))]
        }
    };
    if new_errors > 0 {
        verdict.push(piece(
            format!("Adds {}: opm will reject this catalog.", format_count(new_errors, "new error")),
            Role::Error,
        ));
    } else {
        verdict.push(piece("No new errors.", Role::Good));
    }
    let harm: usize = reports().map(|report| report.consequences.harm.count_users()).sum();
    if harm > 0 {
        verdict.push(piece(format!(" Leaves {} worse off.", format_count(harm, "install")), Role::Error));
    }
    let broken = model.session.derived.broken_expectations().len();
    if broken > 0 {
        verdict.push(piece(format!(" Breaks {}.", format_count(broken, "expectation")), Role::Error));
    }
    lines.push(verdict);
    if model.session.what_if().is_none() {
        let writes = if others.is_empty() { " saves, " } else { " saves all catalogs, " };
        lines.push(vec![
            piece(model.key_label(ActionId::Write), Role::Key),
            piece(writes, Role::Dim),
            piece(model.key_label(ActionId::Undo), Role::Key),
            piece(" undoes the last one", Role::Dim),
        ]);
    }
    if !edits.is_empty() {
        lines.push(Vec::new());
    }
    for (title, reverted) in edits {
        push_edit_title(lines, title, *reverted, columns);
    }
    if let Some(open) = model.session.current_catalog() {
        push_template_warnings(model, open, lines, columns);
    }
    push_report(model, lines, report, expectations::broken_expectation_lines(model, columns), columns);
}

/// Warns about content that is generated from a template, which does not have the edits.
fn push_template_warnings(model: &Model, open: &OpenCatalog, lines: &mut Vec<Pieces>, columns: usize) {
    for (package, template) in open.edited_generated_packages() {
        let path = template.display_path.display();
        let is_edited = |other: &OpenCatalog| {
            matches!(&other.source, Source::Path(path) if *path == template.path)
                && other.history.unsaved_count(&other.baseline) > 0
        };
        let words = if template.kind == Some(TemplateKind::Semver) {
            format!(
                "The channels of {package} are generated from {path}, which will overwrite edits to them."
            )
        } else if model.session.open_catalogs.iter().any(is_edited) {
            format!("{package} is generated from {path}, which also has unsaved edits.")
        } else {
            format!(
                "{package} is generated from {path}, which will overwrite edits made only here. T opens \
                 it, C then repeats the last edit there."
            )
        };
        lines.extend(wrap_text(&words, columns).into_iter().map(|line| vec![piece(line, Role::Warning)]));
    }
}

/// Lists the unsaved changes of the other catalogs.
fn push_other_catalogs(model: &Model, lines: &mut Vec<Pieces>, columns: usize) {
    let labels = catalog_labels(&model.session.open_catalogs);
    for (number, report) in model.screens.changes.other_changes() {
        let Some((open, label)) = model.session.open_catalogs.get(*number).zip(labels.get(*number)) else {
            continue;
        };
        lines.push(Vec::new());
        lines.push(vec![
            piece(format!("Also in {label}"), Role::Active),
            text_piece(format!("  {}", format_count(open.history.unsaved_count(&open.baseline), "edit"))),
        ]);
        for (title, reverted) in open.history.edits_between(&open.baseline) {
            push_edit_title(lines, title, reverted, columns);
        }
        push_template_warnings(model, open, lines, columns);
        push_report(model, lines, report, Vec::new(), columns);
    }
}

fn push_edit_title(lines: &mut Vec<Pieces>, title: &str, reverted: bool, columns: usize) {
    let mark = if reverted { "  undone after saving: " } else { "  " };
    lines
        .extend(wrap_text(&format!("{mark}{title}"), columns).into_iter().map(|line| vec![text_piece(line)]));
}

/// Lists findings, changed upgrades, broken expectations and changed lines.
fn push_report(
    model: &Model,
    lines: &mut Vec<Pieces>,
    report: &ChangeReport,
    broken: Vec<Pieces>,
    columns: usize,
) {
    let consequences = &report.consequences;
    let harm = harm_lines(model, consequences, columns);
    if !harm.is_empty() {
        lines.push(Vec::new());
        lines.extend(harm);
    }
    push_titled_findings(lines, "New findings", &consequences.new_findings, columns);
    push_titled_findings(lines, "Fixed findings", &consequences.fixed_findings, columns);
    let unchecked = unchecked_lines(&consequences.unchecked_findings, columns);
    if !unchecked.is_empty() {
        lines.push(Vec::new());
        lines.extend(unchecked);
    }
    let left = unmet_dependency_lines(&consequences.unmet, columns);
    if !left.is_empty() {
        lines.push(Vec::new());
        lines.extend(left);
    }
    push_changed_upgrades(model, lines, consequences, columns);
    let deprecations = deprecation_effect_lines(model, consequences, columns);
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
            FileKind::Removed => "  removed",
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

fn push_titled_findings(lines: &mut Vec<Pieces>, title: &str, findings: &[Finding], columns: usize) {
    if findings.is_empty() {
        return;
    }
    lines.push(Vec::new());
    lines.push(vec![piece(format!("{title} {}", findings.len()), Role::Title)]);
    lines.extend(finding_lines(findings, columns));
}

fn push_changed_upgrades(
    model: &Model,
    lines: &mut Vec<Pieces>,
    consequences: &Consequences,
    columns: usize,
) {
    if consequences.changed_steps.is_empty() && consequences.fresh.is_empty() {
        return;
    }
    lines.push(Vec::new());
    lines.extend(changed_upgrade_lines(model, consequences, columns));
}
