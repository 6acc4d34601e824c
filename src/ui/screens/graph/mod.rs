//! Graph screen: the upgrade graph of a channel.

mod panel;
mod picture;
mod ruler;
mod side_by_side;
mod zoom;

use ratatui::layout::Rect;

use crate::{
    tui::{
        Model,
        keys::ActionId,
        parts::{list::ListId, splitters::Splitter},
        screens::graph::view::{GraphMode, answer_rows},
    },
    ui::{
        canvas::{Canvas, Pieces, piece},
        parts::{
            lists::{UNREAD, draw_empty_list, draw_list_heading, explain_missing_channel},
            what_if,
        },
        text::{format_count, format_entry_count},
        theme::Role,
    },
};
use olm_catalog::{blob::DeprecationTarget, package::Package};
use olmap_report::layout::Layout;

/// Draws the screen.
pub fn draw_graph_screen(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    if model.session.package_is_unread() {
        return draw_empty_list(canvas, area, UNREAD);
    }
    if model.screens.graph.is_side_by_side() {
        return side_by_side::draw_side_by_side(model, canvas, area);
    }
    let Some((layout, package_state)) = model.screens.graph.layout().zip(model.session.selected_package())
    else {
        let words = explain_missing_channel(model, "The upgrade graph of the selected channel.");
        return draw_empty_list(canvas, area, &words);
    };
    let inner_width = area.width.saturating_sub(2);
    let zoomed = model.screens.graph.zoom().filter(|_| model.screens.graph.view.mode == GraphMode::Zoom);
    let most = match area.height {
        height if zoomed.is_some() => answer_rows(height),
        0..9 => 0,
        // The selected row stays visible while its answers are read.
        height if model.screens.graph.view.is_reading => (height * 2 / 3).min(height - 5),
        9..16 => 3,
        height if model.session.marked_bundle.is_some() => height / 2,
        height => height / 3,
    };
    // One column is reserved for a scroll bar.
    let columns = usize::from(inner_width.saturating_sub(1));
    let words = panel::panel_lines(model, layout, package_state, columns, canvas.ascii, most < 5);
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
            let above = model.frame.splits.size_before(Splitter::Graph, above, area.height);
            let (upper, lower) = canvas.draw_splitter(area, Splitter::Graph, above);
            (upper, Some(lower))
        }
    };
    match zoomed {
        Some(around) => zoom::draw_zoom(model, around, canvas, upper),
        None => draw_channel_graph(model, layout, package_state.package(), canvas, upper),
    }
    if let Some(lower) = lower {
        let inner = Rect { x: area.x + 1, width: inner_width, ..lower };
        panel::draw_panel(model, &words, canvas, inner);
    }
}

fn draw_channel_graph(
    model: &Model,
    layout: &Layout,
    package: &Package,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let channel = model.session.selection().channel.as_ref();
    let name = channel.map(ToString::to_string).unwrap_or_default();
    let upgrades =
        model.session.selected_package().and_then(|package_state| package_state.graph.channel(&name));
    let title =
        format!("{name}: {}", format_entry_count(upgrades.map_or(0, |c| c.graph.entry_nodes().count())));
    let inner = draw_list_heading(
        model,
        canvas,
        area,
        ListId::Graph,
        &title,
        &channel_remarks(model, layout, package),
    );
    if model.screens.graph.graph_lines().lines.is_empty() {
        return draw_empty_list(
            canvas,
            inner,
            &format!(
                "no entries: promote a bundle of another channel with {}",
                model.key_label(ActionId::Promote)
            ),
        );
    }
    picture::draw_graph_rows(model, layout, canvas, inner);
}

/// Returns remarks about the channel as a whole, worst first.
fn channel_remarks(model: &Model, layout: &Layout, package: &Package) -> Pieces {
    let mut remarks: Pieces = Vec::new();
    let dead_ends = layout.count_dead_ends();
    if let Some(error) = &layout.error {
        remarks.push(piece(format!("Classic cannot use it: {error}  "), Role::Error));
    } else if layout.count_stuck() > 0 {
        remarks.push(piece(format!("{} stuck  ", layout.count_stuck()), Role::Warning));
    } else if dead_ends > 0 {
        remarks.push(piece(format!("{}  ", format_count(dead_ends, "dead end")), Role::Error));
    }
    if package.deprecation(&DeprecationTarget::Package).is_some() {
        remarks.push(piece("package DEPRECATED  ", Role::Deprecated));
    }
    let channel = model.session.selection().channel.as_ref();
    if channel.is_some_and(|channel| package.channel_deprecation(channel).is_some()) {
        remarks.push(piece("channel DEPRECATED  ", Role::Deprecated));
    }
    remarks.extend(what_if::change_counts(model));
    let found = &model.screens.graph.graph_lines().matches;
    if !model.session.lists.filter(ListId::Graph).is_empty() {
        let here = layout.rows.iter().position(|row| row.relation.selected);
        let nth = here.and_then(|row| found.binary_search(&row).ok());
        let words = match (nth, found.len()) {
            (_, 0) => "no match  ".to_owned(),
            (Some(nth), all) => format!("match {} of {all}  ", nth + 1),
            (None, all) => format!("{}  ", format_count_es(all, "match")),
        };
        remarks.push(piece(words, Role::Match));
    }
    if let Some(floor) = model.screens.graph.view.floor {
        remarks.push(piece(format!("from {floor} on  "), Role::Match));
    }
    if model.screens.graph.view.dims_unrelated {
        remarks.push(piece("focus  ", Role::Match));
    }
    if layout.hidden.total() > 0 {
        remarks
            .push(piece(format!("{} not drawn  ", format_count(layout.hidden.total(), "edge")), Role::Dim));
    }
    remarks
}

fn format_count_es(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}es") }
}
