//! Rows of the visible graph lists: cursor, selection, and next change.

use super::Graph;
use crate::tui::{
    parts::{direction::Direction, list::ListId},
    screens::screen::ScreenState,
    session::{Session, context::Context},
};
use olm_catalog::BundleName;
use olmap_report::layout::FoldLine;

/// Returns the selected row of a list.
pub(super) fn selected_line(graph: &Graph, list: ListId, session: &Session) -> Option<usize> {
    let name = session.selection().bundle.as_ref()?;
    match list {
        ListId::Graph => {
            let lines = &graph.graph_lines().lines;
            let Some(row) = graph.layout()?.rows.iter().position(|row| &row.name == name) else {
                let gone = session.derived.marks().removed.iter().position(|gone| &gone.name == name)?;
                let is_it =
                    |line: &FoldLine| matches!(line, FoldLine::Removed { number, .. } if *number == gone);
                return lines.iter().position(is_it);
            };
            lines.iter().position(|line| line.row_range().contains(&row))
        }
        ListId::SideBySide => graph.side_by_side()?.row_of(name.as_str()),
        _ => None,
    }
}

/// Selects a row of a list, or scrolls a list without a cursor.
pub(super) fn select_line(graph: &Graph, list: ListId, row: usize, session: &mut Session) {
    let name = match list {
        ListId::Graph => {
            selectable_line(graph, row, session).and_then(|line| bundle_of_line(graph, line, session))
        }
        ListId::SideBySide => {
            graph.side_by_side().and_then(|side| side.rows.get(row)).map(|row| row.name.clone())
        }
        _ => {
            session.lists.set_first_row(list, row);
            return;
        }
    };
    if let Some(name) = name {
        session.select_bundle(name);
    }
    session.lists.set_first_row(ListId::Details, 0);
}

/// Returns the first bundle of a line.
fn bundle_of_line(graph: &Graph, line: &FoldLine, session: &Session) -> Option<BundleName> {
    match line {
        FoldLine::Removed { number, .. } => Some(session.derived.marks().removed.get(*number)?.name.clone()),
        line => Some(graph.layout()?.rows.get(line.row_range().start)?.name.clone()),
    }
}

/// Returns the line to select instead of a fold. Folds are skipped in the direction of the
/// movement, unless there is no line after them.
fn selectable_line<'g>(graph: &'g Graph, line: usize, session: &Session) -> Option<&'g FoldLine> {
    let lines = &graph.graph_lines().lines;
    let is_row = |line: &&FoldLine| matches!(line, FoldLine::Row(_) | FoldLine::Removed { .. });
    let after = lines.get(line..)?;
    if selected_line(graph, ListId::Graph, session).is_some_and(|cursor| cursor > line) {
        lines.get(..=line)?.iter().rev().find(is_row).or_else(|| after.first())
    } else {
        after.iter().find(is_row).or_else(|| after.first())
    }
}

/// Selects the next changed row. Returns false if there is none.
pub(super) fn select_next_change(graph: &mut Graph, cx: &mut Context<'_>, way: Direction) -> bool {
    let list = graph.drawn_list();
    let view_cx = cx.view();
    let (rows, from) = (graph.row_count(list, &view_cx), graph.list_cursor(list, &view_cx));
    let found = way.next_row(rows, from, |row| line_differs(graph, row, view_cx.session));
    if let Some(row) = found {
        graph.select_row(list, row, cx);
    }
    found.is_some()
}

/// Returns true if a line contains a change.
fn line_differs(graph: &Graph, line: usize, session: &Session) -> bool {
    if graph.is_side_by_side() {
        let row = graph.side_by_side().and_then(|side| side.rows.get(line));
        return row.is_some_and(|row| {
            entry_differs(&row.name, session)
                || session.derived.package_marks().entry_change(&row.name).is_some()
        });
    }
    let line = graph.graph_lines().lines.get(line);
    if matches!(line, Some(FoldLine::Removed { .. })) {
        return true;
    }
    let rows = line.map(FoldLine::row_range);
    let rows = rows.and_then(|rows| graph.layout()?.rows.get(rows)).unwrap_or_default();
    rows.iter().any(|row| entry_differs(&row.name, session))
}

/// Returns true if an entry or its upgrade changed.
fn entry_differs(name: &BundleName, session: &Session) -> bool {
    session.entry_change(name).is_some() || session.derived.previous_upgrade(name).is_some()
}
