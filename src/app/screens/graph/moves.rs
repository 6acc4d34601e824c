//! Navigation along edges.

use petgraph::graph::NodeIndex;

use super::{Graph, side_by_side, view::GraphMode, zoom};
use crate::{
    app::{
        keys::spec::Enabled,
        screens::screen::ScreenState,
        session::cx::{Cx, See},
    },
    catalog::BundleName,
    upgrade::{Answer, ChannelGraph, EdgeKind},
};

pub(super) fn has_bundle(_: &Graph, see: &See<'_>) -> Enabled {
    see.session.selection().bundle.as_ref().map(|_| ()).ok_or_else(|| "no bundle is selected".to_owned())
}

pub(super) fn follow_newer(_: &mut Graph, cx: &mut Cx<'_>) {
    follow(cx, "no edge in this channel leads from it", |graph, at| {
        let by_edge = |kind| graph.successors(at, kind).next();
        by_edge(EdgeKind::Replaces).or_else(|| by_edge(EdgeKind::Skips)).or_else(|| {
            let version = graph.node(at)?.version.as_ref()?;
            graph.range_successors(version).find(|&other| other != at)
        })
    });
}

pub(super) fn follow_older(_: &mut Graph, cx: &mut Cx<'_>) {
    follow(cx, "it has no edges from entries of the channel", |graph, at| {
        let by_edge = |kind| graph.targets(at, kind).first().copied();
        by_edge(EdgeKind::Replaces).or_else(|| by_edge(EdgeKind::Skips)).or_else(|| {
            let entry = graph.entry(at)?;
            graph.entries().find(|&other| {
                let version = graph.node(other).and_then(|n| n.version.as_ref());
                other != at && version.is_some_and(|v| entry.range_matches(&v.version))
            })
        })
    });
}

pub(super) fn graph_left(graph: &mut Graph, cx: &mut Cx<'_>) {
    match graph.view.mode {
        GraphMode::Channel => graph.out(cx),
        GraphMode::Zoom => zoom::older(graph, cx),
        GraphMode::SideBySide => side_by_side::step(graph, cx, -1),
    }
}

pub(super) fn graph_right(graph: &mut Graph, cx: &mut Cx<'_>) {
    match graph.view.mode {
        GraphMode::Channel => graph.enter(cx),
        GraphMode::Zoom => zoom::newer(graph, cx),
        GraphMode::SideBySide => side_by_side::step(graph, cx, 1),
    }
}

fn follow(cx: &mut Cx<'_>, nowhere: &str, next: impl Fn(&ChannelGraph, NodeIndex) -> Option<NodeIndex>) {
    let selection = cx.session.selection();
    let target = cx.session.package().and_then(|package| {
        let graph = &package.graph.channel(selection.channel.as_ref()?.as_str())?.graph;
        let at = graph.find(selection.bundle.as_ref()?.as_str())?;
        Some(graph.node(next(graph, at)?)?.name.clone())
    });
    match target {
        Some(name) => cx.session.select_bundle(name),
        None => cx.notices.refused(nowhere),
    }
}

pub(super) fn jump_classic(_: &mut Graph, cx: &mut Cx<'_>) {
    let answer = cx.session.answers.picks().classic.clone();
    jump(cx, answer, "Classic");
}

pub(super) fn jump_v1(_: &mut Graph, cx: &mut Cx<'_>) {
    let answer = cx.session.answers.picks().v1.clone();
    jump(cx, answer, "v1");
}

fn jump(cx: &mut Cx<'_>, answer: Option<Answer>, engine: &str) {
    let Some(answer) = answer else { return };
    match answer.moves_to().cloned() {
        Some(pick) => show(cx, pick, engine),
        None => cx.notices.refused(format!("{engine} stays here: {}", answer.reason())),
    }
}

/// Selects a bundle, in another channel if the current one does not have it.
fn show(cx: &mut Cx<'_>, pick: BundleName, engine: &str) {
    let here = cx.session.selection().channel.clone();
    let elsewhere = cx.session.package().and_then(|package| {
        let mut channels = package.package().channels_with(&pick).map(|c| c.name.value.clone());
        let first = channels.next()?;
        (Some(&first) != here.as_ref() && !channels.any(|c| Some(&c) == here.as_ref())).then_some(first)
    });
    if let Some(channel) = &elsewhere {
        cx.notices.done(format!("{engine} leaves this channel: {pick} is in {channel}"));
    }
    cx.session.jump(|session| {
        if let Some(channel) = elsewhere {
            session.select_channel(channel);
        }
        session.select_bundle(pick);
    });
}
