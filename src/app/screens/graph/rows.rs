//! Rows of the visible graph lists: cursor, selection, and next change.

use super::Graph;
use crate::{
    app::{
        parts::{list::ListId, way::Way},
        screens::screen::ScreenState,
        session::{Session, cx::Cx},
    },
    catalog::BundleName,
    layout::Line,
};

/// Returns the selected row of a list.
pub(super) fn cursor(graph: &Graph, list: ListId, session: &Session) -> Option<usize> {
    let name = session.selection().bundle.as_ref()?;
    match list {
        ListId::Graph => {
            let lines = &graph.graph_lines().lines;
            let Some(row) = graph.layout()?.rows.iter().position(|row| &row.name == name) else {
                let gone = session.answers.marks().gone.iter().position(|gone| &gone.name == name)?;
                let is_it = |line: &Line| matches!(line, Line::Gone { number, .. } if *number == gone);
                return lines.iter().position(is_it);
            };
            lines.iter().position(|line| line.rows().contains(&row))
        }
        ListId::SideBySide => graph.side_by_side()?.row_of(name.as_str()),
        _ => None,
    }
}

/// Selects a row of a list, or scrolls a list without a cursor.
pub(super) fn select(graph: &Graph, list: ListId, row: usize, session: &mut Session) {
    let name = match list {
        ListId::Graph => line_at(graph, row, session).and_then(|line| name_of(graph, line, session)),
        ListId::SideBySide => {
            graph.side_by_side().and_then(|side| side.rows.get(row)).map(|row| row.name.clone())
        }
        _ => {
            session.lists.set_first(list, row);
            return;
        }
    };
    if let Some(name) = name {
        session.select_bundle(name);
    }
    session.lists.set_first(ListId::Details, 0);
}

/// Returns the first bundle of a line.
fn name_of(graph: &Graph, line: &Line, session: &Session) -> Option<BundleName> {
    match line {
        Line::Gone { number, .. } => Some(session.answers.marks().gone.get(*number)?.name.clone()),
        line => Some(graph.layout()?.rows.get(line.rows().start)?.name.clone()),
    }
}

/// Returns the line to select instead of a fold. Folds are skipped in the direction of the
/// movement, unless there is no line after them.
fn line_at<'g>(graph: &'g Graph, line: usize, session: &Session) -> Option<&'g Line> {
    let lines = &graph.graph_lines().lines;
    let is_row = |line: &&Line| matches!(line, Line::Row(_) | Line::Gone { .. });
    let after = lines.get(line..)?;
    if cursor(graph, ListId::Graph, session).is_some_and(|cursor| cursor > line) {
        lines.get(..=line)?.iter().rev().find(is_row).or_else(|| after.first())
    } else {
        after.iter().find(is_row).or_else(|| after.first())
    }
}

/// Selects the next changed row. Returns false if there is none.
pub(super) fn next_change(graph: &mut Graph, cx: &mut Cx<'_>, way: Way) -> bool {
    let list = graph.drawn();
    let see = cx.see();
    let (rows, from) = (graph.rows(list, &see), graph.cursor(list, &see));
    let found = way.next(rows, from, |row| differs(graph, row, see.session));
    if let Some(row) = found {
        graph.select(list, row, cx);
    }
    found.is_some()
}

/// Returns true if a line contains a change.
fn differs(graph: &Graph, line: usize, session: &Session) -> bool {
    if graph.is_side_by_side() {
        let row = graph.side_by_side().and_then(|side| side.rows.get(line));
        return row.is_some_and(|row| {
            entry_differs(&row.name, session) || session.answers.package_marks().fate(&row.name).is_some()
        });
    }
    let line = graph.graph_lines().lines.get(line);
    if matches!(line, Some(Line::Gone { .. })) {
        return true;
    }
    let rows = line.map(Line::rows);
    let rows = rows.and_then(|rows| graph.layout()?.rows.get(rows)).unwrap_or_default();
    rows.iter().any(|row| entry_differs(&row.name, session))
}

/// Returns true if an entry or its upgrade changed.
fn entry_differs(name: &BundleName, session: &Session) -> bool {
    session.entry_fate(name).is_some() || session.answers.was(name).is_some()
}
