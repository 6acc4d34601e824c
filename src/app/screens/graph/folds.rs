//! Display of the graph: folds, focus, search, marks.

use super::Graph;
use crate::app::screens::screen::ScreenState as _;

use crate::{
    app::{
        keys::{ActionId, spec::Enabled},
        parts::{list::ListId, memo::Same, way::Way},
        session::{
            Session,
            cx::{Cx, See},
            stuck,
        },
        work::{Opening, opening::PromptPurpose},
    },
    edit::Edit,
};

pub(super) fn has_layout(graph: &Graph, see: &See<'_>) -> Enabled {
    if graph.is_side_by_side() {
        return Err(format!("only for one channel: {} goes there", see.key(ActionId::In)));
    }
    let rows = graph.layout().map_or(0, |layout| layout.rows.len());
    if rows > 0 { Ok(()) } else { Err("no channel with entries is selected".to_owned()) }
}

pub(super) fn has_search(graph: &Graph, see: &See<'_>) -> Enabled {
    has_layout(graph, see)?;
    if see.session.lists.filter(ListId::Graph).is_empty() {
        return Err(format!("no search is active: start one with {}", see.key(ActionId::Filter)));
    }
    if graph.graph_lines().found.is_empty() { Err("no match".to_owned()) } else { Ok(()) }
}

pub(super) fn focus(graph: &mut Graph, _: &mut Cx<'_>) {
    graph.view.focus = !graph.view.focus;
}

pub(super) fn fold(graph: &mut Graph, _: &mut Cx<'_>) {
    graph.view.fold = !graph.view.fold;
}

/// Marks the selected bundle, or removes its mark.
pub(super) fn mark(_: &mut Graph, cx: &mut Cx<'_>) {
    let selection = cx.session.selection();
    let here = selection.package.clone().zip(selection.bundle.clone());
    cx.session.mark = if cx.session.mark == here { None } else { here };
}

/// Returns the edit that adds the path from the mark to the selected bundle, for Classic if
/// possible.
fn opening(graph: &Graph) -> Option<&Edit> {
    graph.routes().iter().find_map(|route| route.opening.as_ref()).map(|opening| &opening.edit)
}

/// Returns an error if no edit adds the path from the mark or may free the selected version.
pub(super) fn has_fix(graph: &Graph, see: &See<'_>) -> Enabled {
    if opening(graph).is_some() {
        return Ok(());
    }
    stuck::can_free(&graph.target(see), see).map_err(|reason| {
        if see.session.mark.is_some() {
            return "no edit to add an upgrade path here".to_owned();
        }
        format!("{reason}; {} marks the start of an upgrade path", see.key(ActionId::Mark))
    })
}

/// Shows the edit that adds the path from the mark; without one, the edit that frees the selected
/// version.
pub(super) fn fix(graph: &mut Graph, cx: &mut Cx<'_>) {
    match opening(graph).cloned() {
        Some(edit) => cx.offer("Add upgrade path", edit),
        None => stuck::free(&graph.target(&cx.see()), cx),
    }
}

pub(super) fn legend(_: &mut Graph, cx: &mut Cx<'_>) {
    cx.open(Opening::Legend);
}

pub(super) fn floor(graph: &mut Graph, cx: &mut Cx<'_>) {
    let selected = graph.layout().and_then(|l| l.rows.iter().find(|row| row.reach.selected));
    let text = match graph.view.floor {
        Some(floor) => floor.to_string(),
        None => selected.map(|row| minor(&row.version)).unwrap_or_default(),
    };
    let title = "Show versions from; empty for all";
    cx.open(Opening::Prompt { title, purpose: PromptPurpose::Floor(Same::of(graph.layout())), text });
}

/// Returns the minor version: `4.16` of `4.16.2-rc.1`.
fn minor(version: &str) -> String {
    version.splitn(3, '.').take(2).collect::<Vec<_>>().join(".")
}

pub(super) fn next_found(graph: &mut Graph, cx: &mut Cx<'_>) {
    go_to_found(graph, cx, Way::Down);
}

pub(super) fn previous_found(graph: &mut Graph, cx: &mut Cx<'_>) {
    go_to_found(graph, cx, Way::Up);
}

/// Selects the first match at or after the selected row.
pub(super) fn search_from_here(graph: &Graph, session: &mut Session) {
    let Some(layout) = graph.layout() else { return };
    let here = layout.rows.iter().position(|row| row.reach.selected).unwrap_or_default();
    let found = &graph.graph_lines().found;
    let next = found.iter().find(|&&row| row >= here).or_else(|| found.first());
    if let Some(row) = next.and_then(|&row| layout.rows.get(row)) {
        session.select_bundle(row.name.clone());
    }
}

/// Goes to the next notable row of the channel.
pub(super) fn go_to_news(graph: &Graph, cx: &mut Cx<'_>, way: Way) {
    let rows = graph.layout().map(|layout| layout.rows.iter().enumerate()).into_iter().flatten();
    // The head has a note too, but is not notable.
    let news: Vec<usize> = rows.filter(|(_, row)| row.marks.has_news()).map(|(index, _)| index).collect();
    if !go(graph, cx.session, &news, way) {
        cx.notices.refused("no other notable row in this channel");
    }
}

fn go_to_found(graph: &Graph, cx: &mut Cx<'_>, way: Way) {
    if !go(graph, cx.session, &graph.graph_lines().found, way) {
        cx.notices.refused("no other match");
    }
}

/// Selects the next of some rows and wraps around. Returns false if there is no other row.
fn go(graph: &Graph, session: &mut Session, rows: &[usize], way: Way) -> bool {
    let Some(layout) = graph.layout() else { return false };
    let here = layout.rows.iter().position(|row| row.reach.selected).unwrap_or_default();
    let next = match way {
        Way::Down => rows.iter().find(|&&row| row > here).or_else(|| rows.first()),
        Way::Up => rows.iter().rev().find(|&&row| row < here).or_else(|| rows.last()),
    };
    let Some(row) = next.filter(|&&row| row != here).and_then(|&row| layout.rows.get(row)) else {
        return false;
    };
    session.select_bundle(row.name.clone());
    true
}
