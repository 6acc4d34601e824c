//! Details of the selected package, channel or bundle.

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::list::ListId,
    screens::packages::view::View,
    session::navigation::Pane,
    widgets::{
        answers,
        canvas::{Canvas, Line, ListView, piece, wrapped_lines},
        details::{
            bundle_lines, channel_lines, fact_pieces, finding_summary_lines, package_lines, push_apis,
            push_facts, removed_bundle_lines, template_lines,
        },
        stuck_versions,
        theme::Ink,
    },
};
use olm_catalog::BundleName;
use olm_check::{
    Finding, Severity,
    review::{PackageState, Snapshot},
    rules,
};

/// A package description of at most this many lines precedes the findings.
const MAX_SHORT_LINES: usize = 3;

/// Returns the columns of the text in a pane: without a margin on each side and a scroll bar.
pub(super) fn text_columns(width: u16) -> usize {
    usize::from(width.saturating_sub(3))
}

/// Returns the number of lines of the details.
pub(super) fn count_lines(view: &View<'_>, columns: usize, ascii: bool) -> usize {
    detail_lines(view, columns, stuck_versions::MAX_GROUPS, ascii).len() + trailing_description(view).len()
}

/// Draws the details pane of the Packages screen.
pub fn draw_details(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let columns = text_columns(area.width);
    let area = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    // The pane at the side has room for more groups of stuck versions and for what follows them.
    let max_groups = if view.frame.has_side_pane() {
        usize::from(area.height / 3).max(stuck_versions::MAX_GROUPS)
    } else {
        stuck_versions::MAX_GROUPS
    };
    let lines = detail_lines(view, columns, max_groups, canvas.ascii);
    let description = trailing_description(view);
    let focused = canvas.focus.list == Some(ListId::Details);
    let first = view.session.lists.first_row(ListId::Details);
    let rows = lines.len() + description.len();
    let list = ListView { id: ListId::Details, rows, cursor: None, first, focused };
    // A description can have thousands of lines; only the visible ones are built.
    canvas.draw_list(area, &list, |row| match row.checked_sub(lines.len()) {
        None => lines.get(row).cloned().unwrap_or_default(),
        Some(row) => description.get(row).cloned().unwrap_or_default(),
    });
}

/// Returns the description that is drawn below all other lines. Short descriptions of packages are
/// drawn above the findings instead.
fn trailing_description<'a>(view: &View<'a>) -> &'a [Line] {
    let of_package = view.state.package_description();
    match (view.session.navigation.pane, &view.session.selection().channel, &view.session.selection().bundle)
    {
        (Pane::Channels, Some(_), _) => &[],
        (Pane::Entries | Pane::Details, _, Some(_)) => view.state.bundle_description(),
        _ if of_package.len() <= MAX_SHORT_LINES => &[],
        _ => of_package,
    }
}

fn detail_lines(view: &View<'_>, columns: usize, max_groups: usize, ascii: bool) -> Vec<Line> {
    let Some((package_state, snapshot)) = view.session.selected_package().zip(view.session.snapshot()) else {
        let mut lines = vec![vec![piece("This catalog has no packages.", Ink::Dim)]];
        lines.extend(
            view.session.snapshot().into_iter().flat_map(|snapshot| template_lines(view, snapshot, columns)),
        );
        return lines;
    };
    let selection = view.session.selection();
    match (view.session.navigation.pane, &selection.channel, &selection.bundle) {
        (Pane::Packages, ..) => package_pane_lines(view, snapshot, package_state, columns, max_groups),
        (Pane::Channels, Some(name), _) => {
            let mut lines = channel_lines(snapshot, package_state, name, columns);
            let stuck = stuck_versions::channel_lines(view, package_state, name, columns);
            let at = lines.len().min(1);
            lines.splice(at..at, stuck);
            lines
        }
        (_, _, Some(name)) => bundle_pane_lines(view, snapshot, package_state, name, columns, ascii),
        _ => package_pane_lines(view, snapshot, package_state, columns, max_groups),
    }
}

fn package_pane_lines(
    view: &View<'_>,
    snapshot: &Snapshot,
    package_state: &PackageState,
    columns: usize,
    max_groups: usize,
) -> Vec<Line> {
    let mut lines = outside_error_lines(view, snapshot, package_state, columns);
    lines.extend(package_lines(view, snapshot, package_state, columns, max_groups));
    let description = view.state.package_description();
    if description.len() <= MAX_SHORT_LINES {
        lines.extend(description.iter().cloned());
    }
    // The lines about stuck versions say it already.
    let is_said =
        |finding: &&Finding| *finding.rule == rules::STUCK && package_state.graph.stuck().answer.is_some();
    let findings = package_state.findings.iter().filter(|finding| !is_said(finding));
    lines.extend(finding_summary_lines(findings, columns));
    for other in &package_state.package().others {
        lines.push(fact_pieces(
            "also",
            format!("{} {}", other.schema, other.name.as_deref().unwrap_or_default()),
        ));
    }
    if description.len() > MAX_SHORT_LINES {
        lines.push(Vec::new());
    }
    lines
}

/// Returns the first error in a file of the package that is not about a package, or any such error of the catalog if
/// the head of the package is not known. An object that could not be read looks like a missing one.
fn outside_error_lines(
    view: &View<'_>,
    snapshot: &Snapshot,
    package_state: &PackageState,
    columns: usize,
) -> Vec<Line> {
    let any_error = || {
        let mut findings = snapshot.outside_findings().iter();
        let is_unknown = package_state.graph.stuck().answer.is_none();
        findings.find(|it| it.severity() == Severity::Error).filter(|_| is_unknown)
    };
    let name = &package_state.package().name;
    let Some(error) = view.session.snapshot().and_then(|now| now.find_file_error(name)).or_else(any_error)
    else {
        return Vec::new();
    };
    let place = error.at.as_ref().and_then(|at| at.resolve_in_catalog(&snapshot.catalog));
    let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
    let show = view.key_label(ActionId::ShowProblems);
    let words = format!("{place}error {}: {} ({show} shows all errors)", error.rule.id, error.message);
    let mut lines = wrapped_lines(&words, columns, Ink::Error);
    let words = "What could not be read is missing below, so versions may look stuck.";
    lines.extend(wrapped_lines(words, columns, Ink::Warning));
    lines
}

fn bundle_pane_lines(
    view: &View<'_>,
    snapshot: &Snapshot,
    package_state: &PackageState,
    name: &BundleName,
    columns: usize,
    ascii: bool,
) -> Vec<Line> {
    let answers = answers::both_answer_lines(view, package_state, columns, ascii);
    let mut lines = removed_bundle_lines(view, columns);
    if view.session.derived.removed_entry(name).is_some()
        && package_state.package().bundle(name.as_str()).is_none()
    {
        lines.extend(answers);
        return lines;
    }
    let states = stuck_versions::version_lines(view, package_state, name, columns);
    lines.extend(bundle_lines(
        snapshot,
        package_state,
        name,
        states.into_iter().chain(answers).collect(),
        columns,
    ));
    let Some(details) =
        view.session.derived.details().filter(|_| package_state.package().bundle(name.as_str()).is_some())
    else {
        return lines;
    };
    let mut facts = Vec::new();
    if !details.display_name.is_empty() {
        facts.push(vec![piece(details.display_name.clone(), Ink::Title)]);
    }
    for (label, value) in
        [("by", &details.provider), ("maturity", &details.maturity), ("capabilities", &details.capabilities)]
    {
        if !value.is_empty() {
            facts.push(fact_pieces(label, value.as_str()));
        }
    }
    push_facts(&mut lines, facts, columns);
    for (label, some) in [("Provides", &details.owned), ("Requires", &details.required)] {
        let some = some.iter().map(|api| (api.kind.as_str(), api.version.as_str()));
        push_apis(&mut lines, label, some, columns);
    }
    if !view.state.bundle_description().is_empty() {
        lines.push(Vec::new());
    }
    lines
}
