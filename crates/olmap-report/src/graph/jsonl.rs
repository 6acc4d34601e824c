//! Edge list with expanded ranges, for scripts that compare or count.

use std::{collections::BTreeMap, ops::ControlFlow};

use serde::Serialize;

use crate::json;
use olm_upgrade::{EdgeKind, PackageGraph, package::ChannelUpgrades};

/// Edge of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct EdgeLine<'a> {
    /// Package name.
    pub package: &'a str,
    /// Channel name.
    pub channel: &'a str,
    /// Installed bundle. A name in `replaces` or `skips` is not necessarily an entry of the
    /// channel.
    pub from: &'a str,
    /// Entry it can be upgraded to.
    pub to: &'a str,
    /// Kind of the edge: `replaces`, `skips` or `skipRange`.
    pub kind: &'static str,
}

/// Minimum bytes of the parts in which [`write_edge_lines`] writes.
const PART_BYTES: usize = 1 << 16;

/// Visits the edges of channels, each once, sorted by channel, from, to and kind.
///
/// A `skipRange` yields one edge from every entry of the channel whose version it contains,
/// including its own entry. So there may be many edges, and only those of one bundle are in memory.
fn visit_edges<'a>(
    package: &'a PackageGraph,
    channels: &[&'a ChannelUpgrades],
    mut visit: impl FnMut(EdgeLine<'a>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut by_name: BTreeMap<&'a str, Vec<&'a ChannelUpgrades>> = BTreeMap::new();
    for channel in channels {
        by_name.entry(channel.graph.name().as_str()).or_default().push(channel);
    }
    for (channel, namesakes) in by_name {
        let mut sources: BTreeMap<&'a str, Vec<_>> = BTreeMap::new();
        for ChannelUpgrades { graph, .. } in namesakes {
            for at in graph.graph().node_indices() {
                let Some(node) = graph.node(at) else { continue };
                sources.entry(node.name.as_str()).or_default().push((graph, at, node));
            }
        }
        for (from, nodes) in sources {
            let mut edges: Vec<(&'a str, &'static str)> = Vec::new();
            for (graph, at, node) in nodes {
                let name = |to| graph.node(to).map(|node| node.name.as_str()).unwrap_or_default();
                for kind in [EdgeKind::Replaces, EdgeKind::Skips] {
                    edges.extend(graph.successors(at, kind).map(|to| (name(to), kind.as_str())));
                }
                let version = node.version.as_ref().filter(|_| node.entry.is_some());
                let ranges = version.into_iter().flat_map(|version| graph.range_successors(version));
                edges.extend(ranges.map(|to| (name(to), EdgeKind::SkipRange.as_str())));
            }
            edges.sort_unstable();
            edges.dedup();
            for (to, kind) in edges {
                visit(EdgeLine { package: package.package.name.as_str(), channel, from, to, kind })?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Returns the edges of channels, each once, sorted by channel, from, to and kind.
pub fn edge_lines<'a>(package: &'a PackageGraph, channels: &[&'a ChannelUpgrades]) -> Vec<EdgeLine<'a>> {
    let mut lines = Vec::new();
    let _ = visit_edges(package, channels, |line| {
        lines.push(line);
        ControlFlow::Continue(())
    });
    lines
}

/// Renders the edges as JSON, one object per line.
pub fn render_edge_lines(package: &PackageGraph, channels: &[&ChannelUpgrades]) -> String {
    let mut text = String::new();
    let _ = write_edge_lines(package, channels, |part| {
        text.push_str(part);
        ControlFlow::Continue(())
    });
    text
}

/// Writes the edges as JSON, one object per line, in parts of whole lines. Ends early if `write` returns
/// [`ControlFlow::Break`].
pub fn write_edge_lines(
    package: &PackageGraph,
    channels: &[&ChannelUpgrades],
    mut write: impl FnMut(&str) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut part = String::with_capacity(PART_BYTES + PART_BYTES / 16);
    visit_edges(package, channels, |line| {
        part.push_str(&json::to_json_line(&line));
        if part.len() < PART_BYTES {
            return ControlFlow::Continue(());
        }
        let flow = write(&part);
        part.clear();
        flow
    })?;
    if part.is_empty() { ControlFlow::Continue(()) } else { write(&part) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_upgrade::fixture;

    #[test]
    fn edges_are_written_in_parts() {
        let entries: Vec<String> = (0..60).map(|at| format!("1.{at}.0 range=>=1.0.0_<1.{at}.0\n")).collect();
        let graph = fixture::graph_from_lines(&entries.concat());
        let channels: Vec<&ChannelUpgrades> = graph.channels().iter().collect();
        let mut parts = Vec::new();
        let _ = write_edge_lines(&graph, &channels, |part| {
            parts.push(part.to_owned());
            ControlFlow::Continue(())
        });
        let whole = render_edge_lines(&graph, &channels);
        assert_eq!(whole.lines().count(), 60 * 59 / 2);
        assert!(parts.len() > 1 && parts.iter().all(|part| part.ends_with('\n')), "{}", parts.len());
        assert!(parts.iter().all(|part| part.len() < PART_BYTES + 200));
        assert_eq!(parts.concat(), whole);
        let mut written = 0;
        let stopped = write_edge_lines(&graph, &channels, |_| {
            written += 1;
            ControlFlow::Break(())
        });
        assert_eq!((stopped, written), (ControlFlow::Break(()), 1));
    }
}
