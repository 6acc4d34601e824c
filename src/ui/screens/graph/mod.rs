//! Graph screen: the upgrade graph of a channel.

mod panel;
mod picture;
mod ruler;
mod side;
mod zoom;

use ratatui::layout::Rect;

use crate::{
    app::{
        Model,
        keys::ActionId,
        parts::{list::ListId, splits::Splitter},
        screens::graph::view::{GraphMode, answer_rows},
    },
    catalog::{blob::DeprecationTarget, package::Package},
    layout::Layout,
    ui::{
        canvas::{Canvas, Pieces, piece},
        parts::{
            lists::{UNREAD, empty, list_heading, without_channel},
            what_if,
        },
        text::{entries, plural},
        theme::Role,
    },
};

/// Draws the screen.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    if model.session.package_is_unread() {
        return empty(canvas, area, UNREAD);
    }
    if model.screens.graph.is_side_by_side() {
        return side::draw(model, canvas, area);
    }
    let Some((layout, judged)) = model.screens.graph.layout().zip(model.session.package()) else {
        let words = without_channel(model, "The upgrade graph of the selected channel.");
        return empty(canvas, area, &words);
    };
    let inner_width = area.width.saturating_sub(2);
    let zoomed = model.screens.graph.zoom().filter(|_| model.screens.graph.view.mode == GraphMode::Zoom);
    let most = match area.height {
        height if zoomed.is_some() => answer_rows(height),
        0..9 => 0,
        // The selected row stays visible while its answers are read.
        height if model.screens.graph.view.reading => (height * 2 / 3).min(height - 5),
        9..16 => 3,
        height if model.session.mark.is_some() => height / 2,
        height => height / 3,
    };
    // One column is reserved for a scroll bar.
    let columns = usize::from(inner_width.saturating_sub(1));
    let words = panel::lines(model, layout, judged, columns, canvas.ascii, most < 5);
    let below = u16::try_from(words.len()).unwrap_or(u16::MAX).clamp(most.min(5), most);
    let above = area.height - below - u16::from(below > 0);
    let (upper, lower) = match zoomed {
        _ if below == 0 => (area, None),
        // The layout of the zoom depends on the default room, so its pane cannot be resized.
        Some(_) => {
            let upper = Rect { height: above, ..area };
            canvas.rule(Rect { y: upper.bottom(), height: 1, ..area });
            (upper, Some(Rect { y: upper.bottom() + 1, height: below, ..area }))
        }
        None => {
            let above = model.frame.splits.before(Splitter::Graph, above, area.height);
            let (upper, lower) = canvas.split(area, Splitter::Graph, above);
            (upper, Some(lower))
        }
    };
    match zoomed {
        Some(around) => zoom::draw(model, around, canvas, upper),
        None => picture(model, layout, judged.package(), canvas, upper),
    }
    if let Some(lower) = lower {
        let inner = Rect { x: area.x + 1, width: inner_width, ..lower };
        panel::draw(model, &words, canvas, inner);
    }
}

fn picture(model: &Model, layout: &Layout, package: &Package, canvas: &mut Canvas<'_>, area: Rect) {
    let channel = model.session.selection().channel.as_ref();
    let name = channel.map(ToString::to_string).unwrap_or_default();
    let upgrades = model.session.package().and_then(|judged| judged.graph.channel(&name));
    let title = format!("{name}: {}", entries(upgrades.map_or(0, |c| c.graph.entries().count())));
    let inner = list_heading(model, canvas, area, ListId::Graph, &title, &remarks(model, layout, package));
    if model.screens.graph.graph_lines().lines.is_empty() {
        return empty(
            canvas,
            inner,
            &format!("no entries: promote a bundle of another channel with {}", model.key(ActionId::Promote)),
        );
    }
    picture::draw(model, layout, canvas, inner);
}

/// Returns remarks about the channel as a whole, worst first.
fn remarks(model: &Model, layout: &Layout, package: &Package) -> Pieces {
    let mut remarks: Pieces = Vec::new();
    let dead_ends = layout.dead_ends();
    if let Some(error) = &layout.error {
        remarks.push(piece(format!("Classic cannot use it: {error}  "), Role::Error));
    } else if layout.stuck() > 0 {
        remarks.push(piece(format!("{} stuck  ", layout.stuck()), Role::Warning));
    } else if dead_ends > 0 {
        remarks.push(piece(format!("{}  ", plural(dead_ends, "dead end")), Role::Error));
    }
    if package.deprecation(&DeprecationTarget::Package).is_some() {
        remarks.push(piece("package DEPRECATED  ", Role::Deprecated));
    }
    let channel = model.session.selection().channel.as_ref();
    if channel.is_some_and(|channel| package.channel_deprecation(channel).is_some()) {
        remarks.push(piece("channel DEPRECATED  ", Role::Deprecated));
    }
    remarks.extend(what_if::counts(model));
    let found = &model.screens.graph.graph_lines().found;
    if !model.session.lists.filter(ListId::Graph).is_empty() {
        let here = layout.rows.iter().position(|row| row.reach.selected);
        let nth = here.and_then(|row| found.binary_search(&row).ok());
        let words = match (nth, found.len()) {
            (_, 0) => "no match  ".to_owned(),
            (Some(nth), all) => format!("match {} of {all}  ", nth + 1),
            (None, all) => format!("{}  ", plural_es(all, "match")),
        };
        remarks.push(piece(words, Role::Match));
    }
    if let Some(floor) = model.screens.graph.view.floor {
        remarks.push(piece(format!("from {floor} on  "), Role::Match));
    }
    if model.screens.graph.view.focus {
        remarks.push(piece("focus  ", Role::Match));
    }
    if layout.hidden.total() > 0 {
        remarks.push(piece(format!("{} not drawn  ", plural(layout.hidden.total(), "edge")), Role::Dim));
    }
    remarks
}

fn plural_es(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}es") }
}
