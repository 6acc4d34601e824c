//! Navigation along edges.

use petgraph::graph::NodeIndex;

use super::{Graph, side_by_side, view::GraphMode, zoom};
use crate::tui::{
    keys::spec::Enabled,
    screens::screen::ScreenState,
    session::context::{Context, ViewContext},
};
use olm_catalog::BundleName;
use olm_upgrade::{Answer, ChannelGraph, EdgeKind};

pub(super) fn has_bundle(_: &Graph, view_cx: &ViewContext<'_>) -> Enabled {
    view_cx.session.selection().bundle.as_ref().map(|_| ()).ok_or_else(|| "no bundle is selected".to_owned())
}

pub(super) fn follow_newer(_: &mut Graph, cx: &mut Context<'_>) {
    follow_edge(cx, "no edge in this channel leads from it", |graph, at| {
        let by_edge = |kind| graph.successors(at, kind).next();
        by_edge(EdgeKind::Replaces).or_else(|| by_edge(EdgeKind::Skips)).or_else(|| {
            let version = graph.node(at)?.version.as_ref()?;
            graph.range_successors(version).find(|&other| other != at)
        })
    });
}

pub(super) fn follow_older(_: &mut Graph, cx: &mut Context<'_>) {
    follow_edge(cx, "it has no edges from entries of the channel", |graph, at| {
        let by_edge = |kind| graph.targets(at, kind).first().copied();
        by_edge(EdgeKind::Replaces).or_else(|| by_edge(EdgeKind::Skips)).or_else(|| {
            let entry = graph.entry(at)?;
            graph.entry_nodes().find(|&other| {
                let version = graph.node(other).and_then(|n| n.version.as_ref());
                other != at && version.is_some_and(|v| entry.range_matches(&v.version))
            })
        })
    });
}

pub(super) fn graph_left(graph: &mut Graph, cx: &mut Context<'_>) {
    match graph.view.mode {
        GraphMode::Channel => graph.go_out(cx),
        GraphMode::Zoom => zoom::zoom_to_older(graph, cx),
        GraphMode::SideBySide => side_by_side::select_channel_by(graph, cx, -1),
    }
}

pub(super) fn graph_right(graph: &mut Graph, cx: &mut Context<'_>) {
    match graph.view.mode {
        GraphMode::Channel => graph.open_highlighted(cx),
        GraphMode::Zoom => zoom::zoom_to_newer(graph, cx),
        GraphMode::SideBySide => side_by_side::select_channel_by(graph, cx, 1),
    }
}

fn follow_edge(
    cx: &mut Context<'_>,
    nowhere: &str,
    next: impl Fn(&ChannelGraph, NodeIndex) -> Option<NodeIndex>,
) {
    let selection = cx.session.selection();
    let target = cx.session.selected_package().and_then(|package| {
        let graph = &package.graph.channel(selection.channel.as_ref()?.as_str())?.graph;
        let at = graph.find_node(selection.bundle.as_ref()?.as_str())?;
        Some(graph.node(next(graph, at)?)?.name.clone())
    });
    match target {
        Some(name) => cx.session.select_bundle(name),
        None => cx.notices.report_refusal(nowhere),
    }
}

pub(super) fn jump_classic(_: &mut Graph, cx: &mut Context<'_>) {
    let answer = cx.session.derived.selected_upgrades().classic.clone();
    jump_to_pick(cx, answer, "Classic");
}

pub(super) fn jump_v1(_: &mut Graph, cx: &mut Context<'_>) {
    let answer = cx.session.derived.selected_upgrades().v1.clone();
    jump_to_pick(cx, answer, "v1");
}

fn jump_to_pick(cx: &mut Context<'_>, answer: Option<Answer>, engine: &str) {
    let Some(answer) = answer else { return };
    match answer.upgrade_target().cloned() {
        Some(pick) => jump_to_bundle(cx, pick, engine),
        None => cx.notices.report_refusal(format!("{engine} stays here: {}", answer.reason())),
    }
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
        session.select_bundle(pick);
    });
}
