//! View of the Graph screen: the upgrade graph of a channel, and its ruler.

mod panel;
mod picture;
mod side_by_side;
mod zoom;

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::{
        frame::{Hit, Splitter},
        list::ListId,
    },
    screens::{
        graph::{
            Graph,
            options::{GraphMode, answer_rows},
        },
        screen::ScreenView,
    },
    widgets::{
        canvas::{Canvas, Line, piece},
        lists::{UNREAD, draw_empty_list, draw_list_heading, explain_missing_channel},
        text::{format_count, format_entry_count},
        theme::Ink,
        what_if,
    },
};
use olm_catalog::{blob::DeprecationTarget, package::Package};
use olm_check::review::PackageState;
use olmap_report::layout::{Layout, PathStop, Row};

/// The screen and its context.
pub(super) type View<'a> = ScreenView<'a, Graph>;

/// Draws the screen.
pub fn draw_graph_screen(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    if view.session.catalogs.package_is_unread() {
        return draw_empty_list(canvas, area, UNREAD);
    }
    if view.state.is_side_by_side() {
        return side_by_side::draw_side_by_side(view, canvas, area);
    }
    let Some((layout, package_state)) = view.state.layout().zip(view.session.selected_package()) else {
        let words = format!("The upgrade graph of the selected channel. {}", explain_missing_channel(view));
        return draw_empty_list(canvas, area, &words);
    };
    let zoomed = view.state.zoom().filter(|_| view.state.view.mode == GraphMode::Zoom);
    if zoomed.is_none()
        && let Some(panes) = view.split_side_pane(canvas, area, Splitter::GraphSide)
    {
        return draw_graph_with_side_panel(view, layout, package_state, canvas, panes);
    }
    let inner_width = area.width.saturating_sub(2);
    let most = match area.height {
        height if zoomed.is_some() => answer_rows(height),
        0..9 => 0,
        // The selected row stays visible while its answers are read.
        height if view.state.view.is_reading => (height * 2 / 3).min(height - 5),
        9..16 => 3,
        height if view.session.navigation.marked_bundle.is_some() => height / 2,
        height => height / 3,
    };
    // One column is reserved for a scroll bar.
    let columns = usize::from(inner_width.saturating_sub(1));
    let words = panel::panel_lines(view, layout, package_state, columns, canvas.ascii, most < 5);
    let below = u16::try_from(words.len()).unwrap_or(u16::MAX).clamp(most.min(5), most);
    let above = area.height - below - u16::from(below > 0);
    let (upper, lower) = match zoomed {
        _ if below == 0 => (area, None),
        // The layout of the zoom depends on the default room, so its pane cannot be resized.
        Some(_) => {
            let upper = Rect { height: above, ..area };
            canvas.draw_rule(Rect { y: upper.bottom(), height: 1, ..area });
            (upper, Some(Rect { y: upper.bottom() + 1, height: below, ..area }))
        }
        None => {
            let above = view.frame.splits.size_before(Splitter::Graph, above, area.height);
            let (upper, lower) = canvas.draw_splitter(area, Splitter::Graph, above);
            (upper, Some(lower))
        }
    };
    match zoomed {
        Some(around) => zoom::draw_zoom(view, around, canvas, upper),
        None => draw_channel_graph(view, layout, package_state.package(), canvas, upper),
    }
    if let Some(lower) = lower {
        let inner = Rect { x: area.x + 1, width: inner_width, ..lower };
        panel::draw_panel(view, &words, canvas, inner);
    }
}

/// Draws the graph with the text at its right.
fn draw_graph_with_side_panel(
    view: &View<'_>,
    layout: &Layout,
    package_state: &PackageState,
    canvas: &mut Canvas<'_>,
    (graph, side): (Rect, Rect),
) {
    draw_channel_graph(view, layout, package_state.package(), canvas, graph);
    let inner = Rect { x: side.x + 1, width: side.width.saturating_sub(2), ..side };
    // One column is reserved for a scroll bar.
    let columns = usize::from(inner.width.saturating_sub(1));
    let lines = panel::panel_lines(view, layout, package_state, columns, canvas.ascii, false);
    panel::draw_panel(view, &lines, canvas, inner);
}

fn draw_channel_graph(
    view: &View<'_>,
    layout: &Layout,
    package: &Package,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let channel = view.session.selection().channel.as_ref();
    let name = channel.map(ToString::to_string).unwrap_or_default();
    let upgrades =
        view.session.selected_package().and_then(|package_state| package_state.graph.channel(&name));
    let title =
        format!("{name}: {}", format_entry_count(upgrades.map_or(0, |c| c.graph.entry_nodes().count())));
    let inner =
        draw_list_heading(view, canvas, area, ListId::Graph, &title, &channel_remarks(view, layout, package));
    if view.state.graph_lines().lines.is_empty() {
        return draw_empty_list(
            canvas,
            inner,
            &format!("no entries: release a bundle to it with {}", view.key_label(ActionId::Release)),
        );
    }
    picture::draw_graph_rows(view, layout, canvas, inner);
}

/// Returns remarks about the channel as a whole, worst first.
fn channel_remarks(view: &View<'_>, layout: &Layout, package: &Package) -> Line {
    let mut remarks: Line = Vec::new();
    let dead_ends = layout.count_dead_ends();
    if let Some(error) = &layout.error {
        remarks.push(piece(format!("Classic cannot use it: {error}  "), Ink::Error));
    } else if layout.count_stuck() > 0 {
        remarks.push(piece(format!("{} stuck  ", layout.count_stuck()), Ink::Warning));
    } else if dead_ends > 0 {
        remarks.push(piece(format!("{dead_ends} never upgraded by Classic  "), Ink::Error));
    } else if let Some(stuck) = view.session.catalogs.brief_stuck(&package.name)
        && !matches!(stuck.as_str(), "-" | "?")
    {
        remarks.push(piece(format!("{stuck} stuck in other channels  "), Ink::Warning));
    }
    if package.deprecation(&DeprecationTarget::Package).is_some() {
        remarks.push(piece("package DEPRECATED  ", Ink::Deprecated));
    }
    let channel = view.session.selection().channel.as_ref();
    if channel.is_some_and(|channel| package.channel_deprecation(channel).is_some()) {
        remarks.push(piece("channel DEPRECATED  ", Ink::Deprecated));
    }
    remarks.extend(what_if::change_counts(view));
    let found = &view.state.graph_lines().matches;
    if !view.session.lists.filter(ListId::Graph).is_empty() {
        let here = layout.rows.iter().position(|row| row.relation.selected);
        let nth = here.and_then(|row| found.binary_search(&row).ok());
        let words = match (nth, found.len()) {
            (_, 0) => "no match  ".to_owned(),
            (Some(nth), all) => format!("match {} of {all}  ", nth + 1),
            (None, all) => format!("{}  ", format_count_es(all, "match")),
        };
        remarks.push(piece(words, Ink::Match));
    }
    if let Some(floor) = view.state.view.floor {
        remarks.push(piece(format!("from {floor} on  "), Ink::Match));
    }
    if view.state.view.dims_unrelated {
        remarks.push(piece("focus  ", Ink::Match));
    }
    if layout.hidden.total() > 0 {
        remarks.push(piece(format!("{} not drawn  ", format_count(layout.hidden.total(), "edge")), Ink::Dim));
    }
    remarks
}

fn format_count_es(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}es") }
}

/// Mark with its rank; rank 0 is the most important.
pub(in crate::tui) type RankedMark = (u8, &'static str, Ink);

/// Draws the ruler of a channel.
pub(in crate::tui) fn draw_channel_ruler(
    view: &View<'_>,
    layout: &Layout,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let shown = view.state.graph_lines();
    let ascii = canvas.ascii;
    draw_ruler(canvas, area, ListId::Graph, shown.lines.len(), |line| {
        let line = shown.lines.get(line);
        if matches!(line, Some(olmap_report::layout::FoldLine::Removed { .. })) {
            return Some((u8::MAX, "-", Ink::Removed));
        }
        let rows = line.into_iter().flat_map(olmap_report::layout::FoldLine::row_range);
        let marks = rows.filter_map(|index| {
            let row = layout.rows.get(index)?;
            row_mark(row, shown.matches.binary_search(&index).is_ok(), ascii)
        });
        marks.min_by_key(|(rank, ..)| *rank)
    });
}

/// Draws the ruler of a list with `count` lines. Each cell covers several lines and shows their
/// most important mark.
pub(in crate::tui) fn draw_ruler(
    canvas: &mut Canvas<'_>,
    area: Rect,
    list: ListId,
    count: usize,
    mark: impl Fn(usize) -> Option<RankedMark>,
) {
    let height = usize::from(area.height);
    for (cell, y) in (area.top()..area.bottom()).enumerate() {
        let start = cell * count / height;
        let lines = start..((cell + 1) * count / height).max(start + 1);
        if let Some((_, mark, ink)) = lines.filter_map(&mark).min_by_key(|(rank, ..)| *rank) {
            canvas.draw_text(area.x, y, 1, mark, ink);
        }
    }
    canvas.add_hit(area, Hit::Ruler(list));
}

/// Returns the first mark whose condition is true. Earlier marks are more important.
pub(in crate::tui) fn first_true_mark(marks: &[(bool, &'static str, Ink)]) -> Option<RankedMark> {
    let at = marks.iter().position(|(holds, ..)| *holds)?;
    let (_, mark, ink) = marks.get(at)?;
    Some((u8::try_from(at).unwrap_or(u8::MAX), mark, *ink))
}

/// Returns the mark of a row.
fn row_mark(row: &Row, found: bool, ascii: bool) -> Option<RankedMark> {
    let ends = |stop: Option<PathStop>| stop == Some(PathStop::Ends);
    first_true_mark(&[
        (found, "/", Ink::Match),
        (row.marks.dead_end, if ascii { "#" } else { "■" }, Ink::Error),
        (row.marks.stuck.is_some(), "s", Ink::Warning),
        (row.marks.missing_bundle || row.marks.on_cycle, "E", Ink::Error),
        (row.marks.downgrade, "!", Ink::Warning),
        (row.relation.selected, "@", Ink::Note),
        (ends(row.stops.classic), "C", Ink::Classic),
        (ends(row.stops.v1), "V", Ink::V1),
        (row.marks.deprecated, "D", Ink::Deprecated),
        (row.marks.head, if ascii { "o" } else { "●" }, Ink::Good),
    ])
}
