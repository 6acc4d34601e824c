//! Display of the graph: folds, focus, search, marks.

use super::Graph;
use crate::tui::screens::screen::ScreenState as _;

use crate::tui::{
    keys::{ActionId, spec::Enabled},
    parts::{direction::Direction, list::ListId, memo::SharedRef},
    session::{
        Session,
        context::{Context, ViewContext},
        stuck_versions,
    },
    work::{DialogRequest, dialog_request::PromptPurpose},
};
use olm_edit::Edit;

pub(super) fn check_layout(graph: &Graph, view_cx: &ViewContext<'_>) -> Enabled {
    if graph.is_side_by_side() {
        return Err(format!("only for one channel: {} goes there", view_cx.key_label(ActionId::In)));
    }
    let rows = graph.layout().map_or(0, |layout| layout.rows.len());
    if rows > 0 { Ok(()) } else { Err("no channel with entries is selected".to_owned()) }
}

pub(super) fn check_search(graph: &Graph, view_cx: &ViewContext<'_>) -> Enabled {
    check_layout(graph, view_cx)?;
    if view_cx.session.lists.filter(ListId::Graph).is_empty() {
        return Err(format!("no search is active: start one with {}", view_cx.key_label(ActionId::Filter)));
    }
    if graph.graph_lines().matches.is_empty() { Err("no match".to_owned()) } else { Ok(()) }
}

pub(super) fn toggle_focus(graph: &mut Graph, _: &mut Context<'_>) {
    graph.view.dims_unrelated = !graph.view.dims_unrelated;
}

pub(super) fn toggle_fold(graph: &mut Graph, _: &mut Context<'_>) {
    graph.view.folds_rows = !graph.view.folds_rows;
}

/// Marks the selected bundle, or removes its mark.
pub(super) fn toggle_mark(_: &mut Graph, cx: &mut Context<'_>) {
    let selection = cx.session.selection();
    let here = selection.package.clone().zip(selection.bundle.clone());
    cx.session.marked_bundle = if cx.session.marked_bundle == here { None } else { here };
}

/// Returns the edit that adds the path from the mark to the selected bundle, for Classic if
/// possible.
fn path_edit(graph: &Graph) -> Option<&Edit> {
    graph.routes().iter().find_map(|route| route.fix.as_ref()).map(|opening| &opening.edit)
}

/// Returns an error if no edit adds the path from the mark or may free the selected version.
pub(super) fn has_fix(graph: &Graph, view_cx: &ViewContext<'_>) -> Enabled {
    if path_edit(graph).is_some() {
        return Ok(());
    }
    stuck_versions::can_free_versions(&graph.target(view_cx), view_cx).map_err(|reason| {
        if view_cx.session.marked_bundle.is_some() {
            return "no edit to add an upgrade path here".to_owned();
        }
        format!("{reason}; {} marks the start of an upgrade path", view_cx.key_label(ActionId::Mark))
    })
}

/// Shows the edit that adds the path from the mark; without one, the edit that frees the selected
/// version.
pub(super) fn show_fix(graph: &mut Graph, cx: &mut Context<'_>) {
    match path_edit(graph).cloned() {
        Some(edit) => cx.offer_edit("Add upgrade path", edit),
        None => stuck_versions::free_versions(&graph.target(&cx.view()), cx),
    }
}

pub(super) fn open_legend(_: &mut Graph, cx: &mut Context<'_>) {
    cx.open_dialog(DialogRequest::Legend);
}

pub(super) fn ask_floor(graph: &mut Graph, cx: &mut Context<'_>) {
    let selected = graph.layout().and_then(|l| l.rows.iter().find(|row| row.relation.selected));
    let text = match graph.view.floor {
        Some(floor) => floor.to_string(),
        None => selected.map(|row| minor_version(&row.version)).unwrap_or_default(),
    };
    let title = "Show versions from; empty for all";
    cx.open_dialog(DialogRequest::Prompt {
        title,
        purpose: PromptPurpose::Floor(SharedRef::from_shared(graph.layout())),
        text,
    });
}

/// Returns the minor version: `4.16` of `4.16.2-rc.1`.
fn minor_version(version: &str) -> String {
    version.splitn(3, '.').take(2).collect::<Vec<_>>().join(".")
}

pub(super) fn go_to_next_match(graph: &mut Graph, cx: &mut Context<'_>) {
    go_to_match(graph, cx, Direction::Down);
}

pub(super) fn go_to_previous_match(graph: &mut Graph, cx: &mut Context<'_>) {
    go_to_match(graph, cx, Direction::Up);
}

/// Selects the first match at or after the selected row.
pub(super) fn select_first_match(graph: &Graph, session: &mut Session) {
    let Some(layout) = graph.layout() else { return };
    let here = layout.rows.iter().position(|row| row.relation.selected).unwrap_or_default();
    let found = &graph.graph_lines().matches;
    let next = found.iter().find(|&&row| row >= here).or_else(|| found.first());
    if let Some(row) = next.and_then(|&row| layout.rows.get(row)) {
        session.select_bundle(row.name.clone());
    }
}

/// Goes to the next notable row of the channel.
pub(super) fn go_to_notable_row(graph: &Graph, cx: &mut Context<'_>, way: Direction) {
    let rows = graph.layout().map(|layout| layout.rows.iter().enumerate()).into_iter().flatten();
    // The head has a note too, but is not notable.
    let news: Vec<usize> = rows.filter(|(_, row)| row.marks.has_problem()).map(|(index, _)| index).collect();
    if !select_next_of(graph, cx.session, &news, way) {
        cx.notices.report_refusal("no other notable row in this channel");
    }
}

fn go_to_match(graph: &Graph, cx: &mut Context<'_>, way: Direction) {
    if !select_next_of(graph, cx.session, &graph.graph_lines().matches, way) {
        cx.notices.report_refusal("no other match");
    }
}

/// Selects the next of some rows and wraps around. Returns false if there is no other row.
fn select_next_of(graph: &Graph, session: &mut Session, rows: &[usize], way: Direction) -> bool {
    let Some(layout) = graph.layout() else { return false };
    let here = layout.rows.iter().position(|row| row.relation.selected).unwrap_or_default();
    let next = match way {
        Direction::Down => rows.iter().find(|&&row| row > here).or_else(|| rows.first()),
        Direction::Up => rows.iter().rev().find(|&&row| row < here).or_else(|| rows.last()),
    };
    let Some(row) = next.filter(|&&row| row != here).and_then(|&row| layout.rows.get(row)) else {
        return false;
    };
    session.select_bundle(row.name.clone());
    true
}
