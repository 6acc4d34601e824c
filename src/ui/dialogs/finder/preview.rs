//! Preview of the selected row of the finder.

use ratatui::layout::Rect;

use crate::{
    app::{
        Model,
        dialogs::finder::{Finder, Found},
        parts::text::plural,
        session::open::Open,
    },
    review::{Judged, Snapshot},
    ui::{
        canvas::{Canvas, Pieces, piece, text},
        parts::{
            answers::answer_lines,
            details::{self, findings, paragraph, severity_role},
            lists::short,
        },
        theme::Role,
    },
    validate::{Diagnostic, Severity},
};

/// Draws the preview as far as it fits.
pub(super) fn draw(model: &Model, finder: &Finder, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(found) = finder.found.get(finder.cursor) else { return };
    let lines = lines(model, finder, found, usize::from(area.width), canvas.ascii).unwrap_or_default();
    for (y, line) in (area.top()..area.bottom()).zip(&lines) {
        canvas.line(Rect { y, height: 1, ..area }, line);
    }
}

fn lines(model: &Model, finder: &Finder, found: &Found, columns: usize, ascii: bool) -> Option<Vec<Pieces>> {
    let open = model.session.open.get(found.place.catalog)?;
    let snapshot = open.now();
    let mut lines = Vec::new();
    if model.session.open.len() > 1 {
        paragraph(&mut lines, &open.source.label(), Role::Dim, columns);
    }
    let selection = &found.place.selection;
    let judged = selection.package.as_ref().and_then(|name| snapshot.package(name.as_str()));
    if let Some(nth) = found.finding {
        let all = judged.map_or_else(|| snapshot.outside(), |judged| &judged.findings);
        finding(&mut lines, snapshot, all.get(nth)?, columns);
        return Some(lines);
    }
    if selection.package.is_none() {
        lines.extend(catalog(open));
        return Some(lines);
    }
    let judged = judged?;
    let package = judged.package();
    if selection.channel.is_some() && selection.bundle.is_none() {
        paragraph(&mut lines, package.name.as_str(), Role::Dim, columns);
    }
    match (&selection.channel, &selection.bundle) {
        (_, Some(name)) => {
            let answers = finder.answers();
            let answers = [&answers.classic, &answers.v1].into_iter().flatten();
            let answers = answers.flat_map(|answer| answer_lines(judged, answer, columns, ascii)).collect();
            lines.extend(details::of_bundle(snapshot, judged, name, answers, columns));
            if let Some(blob) = package.bundle(name.as_str()) {
                let provided = blob.provides.iter().map(|api| (api.kind.as_str(), api.version.as_str()));
                details::apis(&mut lines, "Provides", provided, columns);
            }
        }
        (Some(name), None) => lines.extend(details::of_channel(snapshot, judged, name, columns)),
        (None, None) => {
            lines.extend(details::of_package(model, snapshot, judged, columns));
            lines.extend(channels(judged));
            lines.extend(findings(judged.findings.iter(), columns));
        }
    }
    Some(lines)
}

/// Summarizes a catalog.
fn catalog(open: &Open) -> Vec<Pieces> {
    let now = open.now();
    let mut lines = vec![vec![text(plural(now.packages().count(), "package"))]];
    for (severity, noun) in [(Severity::Error, "error"), (Severity::Warning, "warning")] {
        let count = now.count(severity);
        let role = if count > 0 { severity_role(severity) } else { Role::Dim };
        lines.push(vec![piece(plural(count, noun), role)]);
    }
    let unsaved = open.history.unsaved(&open.baseline);
    if unsaved > 0 {
        lines.push(vec![piece(plural(unsaved, "unsaved edit"), Role::Warning)]);
    }
    lines
}

/// Returns the channels of a package, each with its head.
fn channels(judged: &Judged) -> impl Iterator<Item = Pieces> {
    let package = judged.package();
    judged.graph.channels().iter().map(|channel| {
        let name = channel.graph.name();
        let head = channel.graph.head().and_then(|at| channel.graph.node(at));
        let mark = if package.default_channel() == Some(name) { "* " } else { "  " };
        let mut line = vec![piece(mark, Role::Good), text(name.to_string())];
        line.extend(head.map(|head| piece(format!("  {}", short(package, &head.name)), Role::Dim)));
        line
    })
}

fn finding(lines: &mut Vec<Pieces>, snapshot: &Snapshot, finding: &Diagnostic, columns: usize) {
    let severity = severity_role(finding.severity());
    lines.push(vec![
        piece(format!("{} ", finding.severity().as_str()), severity),
        piece(finding.rule.id, Role::Title),
    ]);
    paragraph(lines, &finding.message, Role::Text, columns);
    if let Some(place) = finding.at.as_ref().and_then(|at| at.place(&snapshot.catalog)) {
        paragraph(lines, &format!("at {}", place.path_and_line()), Role::Dim, columns);
    }
    paragraph(lines, &format!("help: {}", finding.advice()), Role::Good, columns);
}
