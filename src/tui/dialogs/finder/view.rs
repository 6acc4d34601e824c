//! Finder for packages, channels, bundles and findings, with a preview of the selected row.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::{
        dialog::dialog_list,
        finder::{DIALOG, Finder, FinderMatch},
    },
    parts::text::format_count,
    session::{context::ViewContext, open_catalog::OpenCatalog},
    widgets::{
        answers::answer_lines,
        boxes::{draw_search_field, scale_dialog},
        canvas::{Canvas, Line, display_width, highlight_matches, line_width, piece, text_piece},
        cluster_answers,
        details::{self, finding_summary_lines, push_paragraph},
        lists::bundle_short_name,
        stuck_versions,
        text::pad,
        theme::Ink,
    },
};
use olm_check::{
    Finding, Severity,
    review::{PackageState, Snapshot},
};
use olmap_report::finding::severity_ink;

/// Maximum number of columns of a catalog name.
const MAX_LABEL_COLUMNS: usize = 12;

/// Draws the finder.
pub(in crate::tui) fn draw_finder(
    view_cx: &ViewContext<'_>,
    finder: &Finder,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let inner = canvas.draw_box(scale_dialog(area, 110, area.height - area.height / 5), "Find anything");
    if inner.is_empty() {
        return;
    }
    let count = if finder.total > finder.matches.len() {
        format!("   first {} of {}", finder.matches.len(), finder.total)
    } else {
        format!("   {}", finder.total)
    };
    let reading = if view_cx.session.jobs.console_fields.is_reading() { ", reading" } else { "" };
    let count = format!("{count}{reading}");
    let below = draw_search_field(view_cx, DIALOG, &finder.input, "go there", &count, canvas, inner);
    let ascii = canvas.ascii;
    let (list, about) = split_preview_area(canvas, below);
    if let Some(about) = about {
        draw_finder_preview(view_cx, finder, canvas, about);
    }
    let open = view_cx.session.catalogs.all();
    let labels = if open.len() > 1 { view_cx.session.catalogs.labels() } else { Vec::new() };
    let longest =
        labels.iter().map(|label| display_width(label)).max().unwrap_or_default().min(MAX_LABEL_COLUMNS);
    let catalog = if labels.is_empty() { 0 } else { longest + 2 };
    let most = usize::from(list.width).saturating_sub(11 + catalog);
    canvas.draw_list(list, &dialog_list(finder, view_cx, canvas), |row| {
        let Some(found) = finder.matches.get(row) else { return Vec::new() };
        let mut pieces = vec![piece(format!("{:<8} ", found.kind), Ink::Dim)];
        // The row of a catalog already shows its name.
        let label = labels.get(found.location.catalog).filter(|_| found.kind != "catalog");
        if let Some(label) = label {
            pieces.push(piece(format!("{}  ", pad(label, longest, ascii)), Ink::Dim));
        }
        pieces.extend(highlight_matches(&found.text, &found.matched_chars, most, Ink::Text, ascii));
        // The note is omitted if the name fills the line.
        if line_width(&pieces) < most {
            pieces.push(piece(format!("  {}", found.note), Ink::Dim));
        }
        pieces
    });
    if finder.matches.is_empty() {
        canvas.draw_text(list.x, list.y, list.width, "nothing matches", Ink::Dim);
    }
}

/// Splits the area into the list and its preview: at the right, below, or none.
fn split_preview_area(canvas: &mut Canvas<'_>, area: Rect) -> (Rect, Option<Rect>) {
    if area.width >= 90 {
        let list = Rect { width: area.width * 11 / 20, ..area };
        canvas.draw_divider(list.right() + 1, area.top(), area.bottom());
        let x = list.right() + 3;
        return (list, Some(Rect { x, width: area.right().saturating_sub(x), ..area }));
    }
    if area.height >= 12 {
        let list = Rect { height: area.height / 2, ..area };
        canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..area });
        return (list, Some(Rect { y: list.bottom() + 1, height: area.height - list.height - 1, ..area }));
    }
    (area, None)
}

/// Draws the preview as far as it fits.
pub(super) fn draw_finder_preview(
    view_cx: &ViewContext<'_>,
    finder: &Finder,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let Some(found) = finder.matches.get(finder.cursor) else { return };
    let lines = finder_preview_lines(view_cx, finder, found, usize::from(area.width), canvas.ascii)
        .unwrap_or_default();
    for (y, line) in (area.top()..area.bottom()).zip(&lines) {
        canvas.draw_line(Rect { y, height: 1, ..area }, line);
    }
}

fn finder_preview_lines(
    view_cx: &ViewContext<'_>,
    finder: &Finder,
    found: &FinderMatch,
    columns: usize,
    ascii: bool,
) -> Option<Vec<Line>> {
    let open = view_cx.session.catalogs.all().get(found.location.catalog)?;
    let snapshot = open.visible_state();
    let mut lines = Vec::new();
    if view_cx.session.catalogs.all().len() > 1 {
        push_paragraph(&mut lines, &open.source.label(), Ink::Dim, columns);
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
        push_paragraph(&mut lines, package.name.as_str(), Ink::Dim, columns);
    }
    match (&selection.channel, &selection.bundle) {
        (_, Some(name)) => {
            let answers = finder.picks();
            let catalog = answers.catalog_answers();
            let catalog = catalog.flat_map(|answer| answer_lines(package_state, answer, columns, ascii));
            let cluster = answers.cluster.iter();
            let cluster = cluster
                .flat_map(|cluster| cluster_answers::answer_lines(package_state, cluster, columns, ascii));
            let answers = catalog.chain(cluster).collect();
            lines.extend(details::bundle_lines(snapshot, package_state, name, answers, columns));
            let state = package_state.stuck().map(|stuck| stuck.state_of(name));
            if let Some(words) = state.and_then(|state| state.describe_state(package, name)) {
                push_paragraph(&mut lines, &words, Ink::Warning, columns);
            }
            if let Some(blob) = package.bundle(name.as_str()) {
                let provided = blob.provides.iter().map(|api| (api.kind.as_str(), api.version.as_str()));
                details::push_apis(&mut lines, "Provides", provided, columns);
            }
        }
        (Some(name), None) => lines.extend(details::channel_lines(snapshot, package_state, name, columns)),
        (None, None) => {
            let max_groups = stuck_versions::MAX_GROUPS;
            lines.extend(details::package_lines(view_cx, snapshot, package_state, columns, max_groups));
            lines.extend(package_channel_lines(package_state));
            lines.extend(finding_summary_lines(package_state.findings.iter(), columns));
        }
    }
    Some(lines)
}

/// Summarizes a catalog.
fn catalog_summary_lines(open: &OpenCatalog) -> Vec<Line> {
    let now = open.visible_state();
    let mut lines = vec![vec![text_piece(format_count(now.packages().count(), "package"))]];
    for (severity, noun) in [(Severity::Error, "error"), (Severity::Warning, "warning")] {
        let count = now.count_by_severity(severity);
        let ink = if count > 0 { severity_ink(severity) } else { Ink::Dim };
        lines.push(vec![piece(format_count(count, noun), ink)]);
    }
    let unsaved = open.unsaved_count();
    if unsaved > 0 {
        lines.push(vec![piece(format_count(unsaved, "unsaved edit"), Ink::Warning)]);
    }
    lines
}

/// Returns the channels of a package, each with its head.
fn package_channel_lines(package_state: &PackageState) -> impl Iterator<Item = Line> {
    let package = package_state.package();
    package_state.graph.channels().iter().map(|channel| {
        let name = channel.graph.name();
        let head = channel.graph.head();
        let mark = if package.default_channel() == Some(name) { "* " } else { "  " };
        let mut line = vec![piece(mark, Ink::Good), text_piece(name.to_string())];
        line.extend(
            head.map(|head| piece(format!("  {}", bundle_short_name(package, &head.name)), Ink::Dim)),
        );
        line
    })
}

fn push_finding_lines(lines: &mut Vec<Line>, snapshot: &Snapshot, finding: &Finding, columns: usize) {
    let severity = severity_ink(finding.severity());
    lines.push(vec![
        piece(format!("{} ", finding.severity().as_str()), severity),
        piece(finding.rule.id, Ink::Title),
    ]);
    push_paragraph(lines, &finding.message, Ink::Text, columns);
    if let Some(place) = finding.at.as_ref().and_then(|at| at.resolve_in_catalog(&snapshot.catalog)) {
        push_paragraph(lines, &format!("at {}", place.path_and_line()), Ink::Dim, columns);
    }
    push_paragraph(lines, &format!("help: {}", finding.advice()), Ink::Good, columns);
}
