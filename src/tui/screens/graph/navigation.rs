//! Movement in the graph: rows of the visible lists, edges, the zoom, and all channels.

use petgraph::graph::NodeIndex;

use crate::tui::{
    keys::{Screen, spec::Enabled},
    parts::{
        frame::{Frame, Hit},
        list::{Direction, ListId},
    },
    screens::{
        graph::{Graph, options::GraphMode},
        screen::ScreenState,
    },
    session::{
        Session,
        context::{Context, ViewContext},
        navigation::SelectableBundles,
    },
};
use olm_catalog::{BundleName, ChannelName};
use olm_upgrade::{Answer, ChannelGraph, EdgeKind};
use olmap_report::layout::{FoldLine, neighborhood::Side};

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
        session.catalogs.select_bundle(name);
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
    session.derived.entry_change(name).is_some() || session.derived.previous_upgrade(name).is_some()
}

pub(super) fn has_bundle(_: &Graph, view_cx: &ViewContext<'_>) -> Enabled {
    view_cx.session.selection().bundle.as_ref().map(|_| ()).ok_or_else(|| "no bundle is selected".to_owned())
}

pub(super) fn follow_newer(_: &mut Graph, cx: &mut Context<'_>) {
    let is_followed = follow_edge(cx, |graph, at| {
        let by_edge = |kind| graph.successors(at, kind).next();
        by_edge(EdgeKind::Replaces).or_else(|| by_edge(EdgeKind::Skips)).or_else(|| {
            let version = graph.node(at)?.version.as_ref()?;
            graph.range_successors(version).find(|&other| other != at)
        })
    });
    if !is_followed && !jump_to_pick(cx) {
        cx.notices.report_refusal("no edge leads from it");
    }
}

pub(super) fn follow_older(_: &mut Graph, cx: &mut Context<'_>) {
    let is_followed = follow_edge(cx, |graph, at| {
        let by_edge = |kind| graph.targets(at, kind).first().copied();
        by_edge(EdgeKind::Replaces).or_else(|| by_edge(EdgeKind::Skips)).or_else(|| {
            let entry = graph.entry(at)?;
            graph.entry_nodes().find(|&other| {
                let version = graph.node(other).and_then(|n| n.version.as_ref());
                other != at && version.is_some_and(|v| entry.range_matches(&v.version))
            })
        })
    });
    if !is_followed {
        cx.notices.report_refusal("it has no edges from entries of the channel");
    }
}

pub(super) fn graph_left(graph: &mut Graph, cx: &mut Context<'_>) {
    match graph.view.mode {
        GraphMode::Channel => graph.go_out(cx),
        GraphMode::Zoom => zoom_to_older(graph, cx),
        GraphMode::SideBySide => select_channel_by(graph, cx, -1),
    }
}

pub(super) fn graph_right(graph: &mut Graph, cx: &mut Context<'_>) {
    match graph.view.mode {
        GraphMode::Channel => graph.open_highlighted(cx),
        GraphMode::Zoom => zoom_to_newer(graph, cx),
        GraphMode::SideBySide => select_channel_by(graph, cx, 1),
    }
}

/// Selects the bundle at the other end of an edge. Returns false if there is none.
fn follow_edge(cx: &mut Context<'_>, next: impl Fn(&ChannelGraph, NodeIndex) -> Option<NodeIndex>) -> bool {
    let selection = cx.session.selection();
    let target = cx.session.selected_package().and_then(|package| {
        let graph = &package.graph.channel(selection.channel.as_ref()?.as_str())?.graph;
        let at = graph.find_node(selection.bundle.as_ref()?.as_str())?;
        Some(graph.node(next(graph, at)?)?.name.clone())
    });
    if let Some(name) = target.clone() {
        cx.session.catalogs.select_bundle(name);
    }
    target.is_some()
}

/// Goes to what Classic picks for the selected bundle, otherwise to the pick of v1, or names the
/// other catalog that has it. Returns false if neither upgrades the bundle.
fn jump_to_pick(cx: &mut Context<'_>) -> bool {
    let upgrades = cx.session.derived.selected_upgrades();
    let answer_target = |answer: &Option<Answer>| answer.as_ref().and_then(Answer::upgrade_target).cloned();
    if let Some(pick) = answer_target(&upgrades.classic) {
        jump_to_bundle(cx, pick, "Classic");
        return true;
    }
    let Some(cluster) = &upgrades.cluster else {
        let Some(pick) = answer_target(&upgrades.v1) else { return false };
        jump_to_bundle(cx, pick, "v1");
        return true;
    };
    let answer = &cluster.answer;
    let installed = answer.installed.as_ref().map(|installed| &installed.name);
    let pick = answer.pick.as_ref().filter(|pick| Some(pick.bundle_name()) != installed);
    let Some(pick) = pick.filter(|_| answer.error.is_none()) else { return false };
    let (name, catalog) = (pick.bundle_name().clone(), pick.catalog.name.clone());
    let package = cx.session.selected_package();
    if package.is_some_and(|package| package.package().bundle(name.as_str()).is_some()) {
        jump_to_bundle(cx, name, "v1");
    } else {
        cx.notices.report_refusal(format!("v1 picks {name}, which only {catalog} has"));
    }
    true
}

/// Selects a bundle, in another channel if the current one does not have it.
fn jump_to_bundle(cx: &mut Context<'_>, pick: BundleName, engine: &str) {
    let here = cx.session.selection().channel.clone();
    let elsewhere = cx.session.selected_package().and_then(|package| {
        let mut channels = package.package().channels_with(&pick).map(|c| c.name.value.clone());
        let first = channels.next()?;
        (Some(&first) != here.as_ref() && !channels.any(|c| Some(&c) == here.as_ref())).then_some(first)
    });
    if let Some(channel) = &elsewhere {
        cx.notices.report_done(format!("{engine} leaves this channel: {pick} is in {channel}"));
    }
    cx.session.jump_with(|session| {
        if let Some(channel) = elsewhere {
            session.select_channel(channel);
        }
        session.catalogs.select_bundle(pick);
    });
}

/// Describes the edge of the graph at a column of the terminal: the first edge, and the number of
/// others.
pub(super) fn describe_edge(graph: &Graph, frame: &Frame, line: usize, column: u16) -> Option<String> {
    let drawing = frame.hits.area_of(Hit::Drawing)?;
    let column = usize::from(column.checked_sub(drawing.x)?);
    let FoldLine::Row(row) = *graph.graph_lines().lines.get(line)? else { return None };
    let layout = graph.layout()?;
    let version =
        |at| layout.row_of_node(at).and_then(|row| layout.rows.get(row)).map(|row| row.version.as_str());
    let edges = layout.edges_at(row, column);
    let edge = edges.first()?;
    let (from, to) = (version(edge.from)?, version(edge.to)?);
    let words = match edge.kind {
        EdgeKind::Replaces => format!("{to} replaces {from}"),
        EdgeKind::Skips => format!("{to} skips {from}"),
        EdgeKind::SkipRange => format!("the skipRange of {to} includes {from}"),
    };
    Some(match edges.len() - 1 {
        0 => words,
        more => format!("{words}, and {more} more of this line"),
    })
}

/// Describes the edge at a column of a channel's strip.
pub(super) fn describe_strip_edge(graph: &Graph, number: usize, row: usize, column: usize) -> Option<String> {
    let side = graph.side_by_side()?;
    let strip = side.strips.iter().find(|strip| strip.channel == number)?;
    let version = |at| {
        let row =
            strip.nodes.iter().position(|place| place.as_ref().is_some_and(|place| place.node == at))?;
        side.rows.get(row).map(|row| row.version.as_str())
    };
    let edges = strip.edges_at(row, column).into_iter();
    let words =
        edges.filter_map(|edge| Some(format!("{} replaces {}", version(edge.to)?, version(edge.from)?)));
    let words = words.collect::<Vec<_>>().join(", ");
    let channel = &side.channels.get(number)?.name;
    Some(format!("{channel}: {words}")).filter(|_| !words.is_empty())
}

pub(super) fn toggle_zoom(graph: &mut Graph, cx: &mut Context<'_>) {
    if graph.is_side_by_side() {
        // The zoom shows only bundles of the channel.
        graph.leave_side_by_side(cx);
    }
    let mode = if graph.view.mode == GraphMode::Zoom { GraphMode::Channel } else { GraphMode::Zoom };
    graph.set_mode(mode, cx.session);
}

pub(super) fn zoom_to_older(graph: &Graph, cx: &mut Context<'_>) {
    select_neighbor(graph, cx, Side::Older, "no edge in this channel leads to it");
}

pub(super) fn zoom_to_newer(graph: &Graph, cx: &mut Context<'_>) {
    select_neighbor(graph, cx, Side::Newer, "no edge in this channel leads from it");
}

fn select_neighbor(graph: &Graph, cx: &mut Context<'_>, side: Side, nowhere: &str) {
    match graph.zoom().and_then(|zoom| zoom.first_neighbor(side)) {
        Some(at) => cx.session.catalogs.select_node(at),
        None => cx.notices.report_refusal(nowhere),
    }
}

pub(super) fn check_channels(graph: &Graph, view_cx: &ViewContext<'_>) -> Enabled {
    let has_some = graph.is_side_by_side()
        || view_cx.session.selected_package().is_some_and(|package| !package.package().channels.is_empty());
    if has_some { Ok(()) } else { Err("the package has no channels".to_owned()) }
}

pub(super) fn toggle_side_by_side(graph: &mut Graph, cx: &mut Context<'_>) {
    if graph.is_side_by_side() {
        graph.leave_side_by_side(cx);
    } else {
        graph.set_mode(GraphMode::SideBySide, cx.session);
    }
}

/// Selects the channel that is `by` positions to the right.
pub(super) fn select_channel_by(graph: &Graph, cx: &mut Context<'_>, by: isize) {
    let Some(here) = graph.selected_channel_index(cx.session) else { return };
    if let Some(there) = here.checked_add_signed(by) {
        graph.select_channel_index(there, cx.session);
    }
}

impl Graph {
    /// Switches the display. Side by side, the bundles of all channels can be selected.
    pub(in crate::tui) fn set_mode(&mut self, mode: GraphMode, session: &mut Session) {
        self.view.mode = mode;
        let reach = if mode == GraphMode::SideBySide {
            SelectableBundles::InAnyChannel
        } else {
            SelectableBundles::InChannel
        };
        session.navigation.set_selectable_bundles(Screen::Graph, reach);
    }

    /// Returns true if all channels are shown side by side.
    pub fn is_side_by_side(&self) -> bool {
        self.view.mode == GraphMode::SideBySide
    }

    /// Returns the index of the selected channel among the visible ones.
    pub fn selected_channel_index(&self, session: &Session) -> Option<usize> {
        self.side_by_side()?.channel_index(session.selection().channel.as_ref()?.as_str())
    }

    /// Selects a channel by its index among the visible ones.
    pub(super) fn select_channel_index(&self, number: usize, session: &mut Session) {
        let channel = self.side_by_side().and_then(|side| side.channels.get(number));
        if let Some(name) = channel.map(|channel| channel.name.clone()) {
            session.select_channel(name);
        }
    }

    /// Shows only the selected channel. If it does not have the selected bundle, shows the nearest channel that has it. If
    /// no channel has it as an entry, selects the nearest bundle.
    pub(super) fn leave_side_by_side(&mut self, cx: &mut Context<'_>) {
        if let Some(name) = self.nearest_in_channel(cx.session) {
            let here = cx.session.selection().clone();
            if let (Some(bundle), Some(channel)) = (here.bundle, here.channel) {
                if let Some(other) = self.nearest_channel_with(&bundle, cx.session) {
                    cx.notices.report_done(format!("{other} has {bundle}, {channel} does not"));
                    cx.session.select_channel(other);
                    cx.session.catalogs.select_bundle(bundle);
                } else {
                    cx.notices.report_done(format!("{channel} has no {bundle}; this is the nearest"));
                    cx.session.catalogs.select_bundle(name);
                }
            }
        }
        self.set_mode(GraphMode::Channel, cx.session);
        cx.session.correct_selection();
    }

    /// Returns the channel nearest to the selected one that has an entry of the bundle.
    fn nearest_channel_with(&self, bundle: &BundleName, session: &Session) -> Option<ChannelName> {
        let side = self.side_by_side()?;
        let here = self.selected_channel_index(session)?;
        let package = session.selected_package()?;
        let having: Vec<&ChannelName> =
            package.package().channels_with(bundle).map(|channel| &channel.name.value).collect();
        let channels = side.channels.iter().map(|channel| &channel.name).enumerate();
        let having = channels.filter(|(_, name)| having.contains(name));
        having.min_by_key(|(at, _)| at.abs_diff(here)).map(|(_, name)| name.clone())
    }

    /// Returns the bundle to select instead of one that the channel does not name.
    fn nearest_in_channel(&self, session: &Session) -> Option<BundleName> {
        // An entry that was removed from the channel has a row too.
        if session.derived.marks().removed_entry(session.selection().bundle.as_ref()?).is_some() {
            return None;
        }
        let side = self.side_by_side()?;
        let number = self.selected_channel_index(session)?;
        let strip = side.strips.iter().find(|strip| strip.channel == number)?;
        let row = side.row_of(session.selection().bundle.as_ref()?.as_str())?;
        if strip.node_in_row(row).is_some() {
            return None;
        }
        let mut near = (row..side.rows.len()).chain((0..row).rev());
        let near = near.find(|&row| strip.node_in_row(row).is_some())?;
        side.rows.get(near).map(|row| row.name.clone())
    }
}
