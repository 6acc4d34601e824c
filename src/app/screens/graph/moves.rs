//! Following edges.

use petgraph::graph::NodeIndex;

use crate::app::{
    actions::{go_in, go_out},
    screens::graph::{side_by_side, zoom},
};
use crate::{
    app::{screens::graph::view::GraphMode, shell::model::Model, work::Effect},
    catalog::BundleName,
    upgrade::{Answer, ChannelGraph, EdgeKind},
};

pub(in crate::app) fn follow_newer(model: &mut Model) -> Vec<Effect> {
    follow(model, "nothing in this channel replaces, skips or covers it", |graph, at| {
        let by_edge = |kind| graph.successors(at, kind).next();
        by_edge(EdgeKind::Replaces).or_else(|| by_edge(EdgeKind::Skips)).or_else(|| {
            let version = graph.node(at)?.version.as_ref()?;
            graph.range_successors(version).find(|&other| other != at)
        })
    })
}

pub(in crate::app) fn follow_older(model: &mut Model) -> Vec<Effect> {
    follow(model, "it replaces, skips and covers nothing that is in the channel", |graph, at| {
        let by_edge = |kind| graph.targets(at, kind).first().copied();
        by_edge(EdgeKind::Replaces).or_else(|| by_edge(EdgeKind::Skips)).or_else(|| {
            let entry = graph.entry(at)?;
            graph.entries().find(|&other| {
                let version = graph.node(other).and_then(|n| n.version.as_ref());
                other != at && version.is_some_and(|v| entry.range_matches(&v.version))
            })
        })
    })
}

pub(in crate::app) fn graph_left(model: &mut Model) -> Vec<Effect> {
    match model.graph.mode {
        GraphMode::Channel => return go_out(model),
        GraphMode::Zoom => zoom::older(model),
        GraphMode::SideBySide => side_by_side::step(model, -1),
    }
    Vec::new()
}

pub(in crate::app) fn graph_right(model: &mut Model) -> Vec<Effect> {
    match model.graph.mode {
        GraphMode::Channel => return go_in(model),
        GraphMode::Zoom => zoom::newer(model),
        GraphMode::SideBySide => side_by_side::step(model, 1),
    }
    Vec::new()
}

fn follow(
    model: &mut Model,
    nowhere: &str,
    next: impl Fn(&ChannelGraph, NodeIndex) -> Option<NodeIndex>,
) -> Vec<Effect> {
    let target = model.session.package().and_then(|package| {
        let graph = &package.graph.channel(model.session.selection().channel.as_ref()?.as_str())?.graph;
        let at = graph.find(model.session.selection().bundle.as_ref()?.as_str())?;
        Some(graph.node(next(graph, at)?)?.name.clone())
    });
    match target {
        Some(name) => model.session.select_bundle(name),
        None => model.notices.refused(nowhere),
    }
    Vec::new()
}

pub(in crate::app) fn jump_classic(model: &mut Model) -> Vec<Effect> {
    let answer = model.session.answers.picks().classic.clone();
    jump(model, answer, "Classic")
}

pub(in crate::app) fn jump_v1(model: &mut Model) -> Vec<Effect> {
    let answer = model.session.answers.picks().v1.clone();
    jump(model, answer, "v1")
}

fn jump(model: &mut Model, answer: Option<Answer>, engine: &str) -> Vec<Effect> {
    let Some(answer) = answer else { return Vec::new() };
    match answer.moves_to().cloned() {
        Some(pick) => show(model, pick, engine),
        None => model.notices.refused(format!("{engine} stays here: {}", answer.reason())),
    }
    Vec::new()
}

/// Selects a bundle, in a channel that has it where this one has not.
fn show(model: &mut Model, pick: BundleName, engine: &str) {
    let here = model.session.selection().channel.clone();
    let elsewhere = model.session.package().and_then(|package| {
        let mut channels = package.package().channels_with(&pick).map(|c| c.name.value.clone());
        let first = channels.next()?;
        (Some(&first) != here.as_ref() && !channels.any(|c| Some(&c) == here.as_ref())).then_some(first)
    });
    model.jump(|model| {
        if let Some(channel) = elsewhere {
            model.notices.done(format!("{engine} leaves this channel: {pick} is in {channel}"));
            model.session.select_channel(channel);
        }
        model.session.select_bundle(pick);
    });
}
