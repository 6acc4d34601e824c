//! Preview of the selected row of the finder.

use ratatui::layout::Rect;

use crate::{
    tui::{
        Model,
        dialogs::finder::{Finder, FinderMatch},
        parts::text::format_count,
        session::open_catalog::OpenCatalog,
    },
    ui::{
        canvas::{Canvas, Pieces, piece, text_piece},
        parts::{
            answers::answer_lines,
            details::{self, finding_summary_lines, push_paragraph, severity_role},
            lists::bundle_short_name,
        },
        theme::Role,
    },
};
use olm_check::{
    Finding, Severity,
    review::{PackageState, Snapshot},
};

/// Draws the preview as far as it fits.
pub(super) fn draw_finder_preview(model: &Model, finder: &Finder, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(found) = finder.matches.get(finder.cursor) else { return };
    let lines =
        finder_preview_lines(model, finder, found, usize::from(area.width), canvas.ascii).unwrap_or_default();
    for (y, line) in (area.top()..area.bottom()).zip(&lines) {
        canvas.draw_line(Rect { y, height: 1, ..area }, line);
    }
}

fn finder_preview_lines(
    model: &Model,
    finder: &Finder,
    found: &FinderMatch,
    columns: usize,
    ascii: bool,
) -> Option<Vec<Pieces>> {
    let open = model.session.open_catalogs.get(found.location.catalog)?;
    let snapshot = open.visible_state();
    let mut lines = Vec::new();
    if model.session.open_catalogs.len() > 1 {
        push_paragraph(&mut lines, &open.source.label(), Role::Dim, columns);
    }
    let selection = &found.location.selection;
    let package_state = selection.package.as_ref().and_then(|name| snapshot.package(name.as_str()));
    if let Some(nth) = found.finding {
        let all = package_state
            .map_or_else(|| snapshot.outside_findings(), |package_state| &package_state.findings);
        push_finding_lines(&mut lines, snapshot, all.get(nth)?, columns);
        return Some(lines);
    }
    if selection.package.is_none() {
        lines.extend(catalog_summary_lines(open));
        return Some(lines);
    }
    let package_state = package_state?;
    let package = package_state.package();
    if selection.channel.is_some() && selection.bundle.is_none() {
        push_paragraph(&mut lines, package.name.as_str(), Role::Dim, columns);
    }
    match (&selection.channel, &selection.bundle) {
        (_, Some(name)) => {
            let answers = finder.picks();
            let answers = [&answers.classic, &answers.v1].into_iter().flatten();
            let answers =
                answers.flat_map(|answer| answer_lines(package_state, answer, columns, ascii)).collect();
            lines.extend(details::bundle_lines(snapshot, package_state, name, answers, columns));
            if let Some(blob) = package.bundle(name.as_str()) {
                let provided = blob.provides.iter().map(|api| (api.kind.as_str(), api.version.as_str()));
                details::push_apis(&mut lines, "Provides", provided, columns);
            }
        }
        (Some(name), None) => lines.extend(details::channel_lines(snapshot, package_state, name, columns)),
        (None, None) => {
            lines.extend(details::package_lines(model, snapshot, package_state, columns));
            lines.extend(package_channel_lines(package_state));
            lines.extend(finding_summary_lines(package_state.findings.iter(), columns));
        }
    }
    Some(lines)
}

/// Summarizes a catalog.
fn catalog_summary_lines(open: &OpenCatalog) -> Vec<Pieces> {
    let now = open.visible_state();
    let mut lines = vec![vec![text_piece(format_count(now.packages().count(), "package"))]];
    for (severity, noun) in [(Severity::Error, "error"), (Severity::Warning, "warning")] {
        let count = now.count_by_severity(severity);
        let role = if count > 0 { severity_role(severity) } else { Role::Dim };
        lines.push(vec![piece(format_count(count, noun), role)]);
    }
    let unsaved = open.history.unsaved_count(&open.baseline);
    if unsaved > 0 {
        lines.push(vec![piece(format_count(unsaved, "unsaved edit"), Role::Warning)]);
    }
    lines
}

/// Returns the channels of a package, each with its head.
fn package_channel_lines(package_state: &PackageState) -> impl Iterator<Item = Pieces> {
    let package = package_state.package();
    package_state.graph.channels().iter().map(|channel| {
        let name = channel.graph.name();
        let head = channel.graph.head().and_then(|at| channel.graph.node(at));
        let mark = if package.default_channel() == Some(name) { "* " } else { "  " };
        let mut line = vec![piece(mark, Role::Good), text_piece(name.to_string())];
        line.extend(
            head.map(|head| piece(format!("  {}", bundle_short_name(package, &head.name)), Role::Dim)),
        );
        line
    })
}

fn push_finding_lines(lines: &mut Vec<Pieces>, snapshot: &Snapshot, finding: &Finding, columns: usize) {
    let severity = severity_role(finding.severity());
    lines.push(vec![
        piece(format!("{} ", finding.severity().as_str()), severity),
        piece(finding.rule.id, Role::Title),
    ]);
    push_paragraph(lines, &finding.message, Role::Text, columns);
    if let Some(place) = finding.at.as_ref().and_then(|at| at.resolve_in(&snapshot.catalog)) {
        push_paragraph(lines, &format!("at {}", place.path_and_line()), Role::Dim, columns);
    }
    push_paragraph(lines, &format!("help: {}", finding.advice()), Role::Good, columns);
}
