//! Edge list with expanded ranges, for scripts that compare or count.

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

/// Returns the edges of channels, each once, sorted by channel, from, to and kind.
///
/// A `skipRange` yields one edge from every entry of the channel whose version it contains,
/// including its own entry.
pub fn edge_lines<'a>(package: &'a PackageGraph, channels: &[&'a ChannelUpgrades]) -> Vec<EdgeLine<'a>> {
    let mut lines = Vec::new();
    for channel in channels {
        let graph = &channel.graph;
        let line = |from, to, kind: EdgeKind| EdgeLine {
            package: package.package.name.as_str(),
            channel: graph.name().as_str(),
            from,
            to,
            kind: kind.as_str(),
        };
        let name = |at| graph.node(at).map(|n| n.name.as_str()).unwrap_or_default();
        for edge in graph.graph().raw_edges() {
            lines.push(line(name(edge.source()), name(edge.target()), edge.weight));
        }
        for to in graph.entry_nodes() {
            let Some(entry) = graph.entry(to).filter(|e| e.skip_range.is_some()) else { continue };
            let held = graph.entry_nodes().filter(|&from| {
                let version = graph.node(from).and_then(|n| n.version.as_ref());
                version.is_some_and(|v| entry.range_matches(&v.version))
            });
            lines.extend(held.map(|from| line(name(from), name(to), EdgeKind::SkipRange)));
        }
    }
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Renders the edges as JSON, one object per line.
pub fn render_edge_lines(package: &PackageGraph, channels: &[&ChannelUpgrades]) -> String {
    edge_lines(package, channels).iter().map(json::to_json_line).collect()
}
