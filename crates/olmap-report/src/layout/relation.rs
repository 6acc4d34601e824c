//! Edges between each bundle and the selected one.

use petgraph::{graph::NodeIndex, visit::EdgeRef};

use super::facts::Facts;
use olm_upgrade::EdgeKind;

/// Relation of a row to the selected bundle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relation {
    /// True for the selected bundle.
    pub selected: bool,
    /// Edge from this bundle to the selected one; the first in OLM's order if there are several.
    pub edge_to_selected: Option<EdgeKind>,
    /// True if Classic ignores that edge, because the selected bundle is skipped.
    pub ignored: bool,
    /// Edge from the selected bundle to this one; an OLM may still pick another.
    pub edge_from_selected: Option<EdgeKind>,
}

impl Relation {
    /// Returns a mark of two columns. `r`, `s` or `~` marks an edge to the selected bundle, with `X` if Classic ignores it.
    /// `>r`, `>s` or `>~` marks an edge from it, and `@` the bundle itself.
    pub fn edge_mark(self) -> &'static str {
        match (self.edge_from_selected, self.edge_to_selected, self.ignored) {
            _ if self.selected => "@ ",
            (Some(EdgeKind::Replaces), ..) => ">r",
            (Some(EdgeKind::Skips), ..) => ">s",
            (Some(EdgeKind::SkipRange), ..) => ">~",
            (None, Some(EdgeKind::Replaces), false) => "r ",
            (None, Some(EdgeKind::Skips), false) => "s ",
            (None, Some(EdgeKind::SkipRange), false) => "~ ",
            (None, Some(EdgeKind::Replaces), true) => "rX",
            (None, Some(EdgeKind::Skips), true) => "sX",
            (None, Some(EdgeKind::SkipRange), true) => "~X",
            (None, None, _) => "  ",
        }
    }
}

/// Returns one [`Relation`] per row.
pub(super) fn relations_to(facts: &Facts<'_>, selected: Option<NodeIndex>) -> Vec<Relation> {
    let mut rows = vec![Relation::default(); facts.order.len()];
    let Some(selected) = selected else { return rows };
    let graph = facts.graph();
    let dead = facts.is_skipped(selected);
    let mut from = |at: NodeIndex, kind: EdgeKind| {
        let reach = &mut rows[facts.node_rows[at.index()]];
        reach.edge_to_selected = Some(reach.edge_to_selected.map_or(kind, |before| before.min(kind)));
        reach.ignored = dead;
    };
    for edge in graph.graph().edges_directed(selected, petgraph::Direction::Incoming) {
        from(edge.source(), *edge.weight());
    }
    if let Some(Ok(range)) = graph.entry(selected).and_then(|e| e.skip_range.as_ref()).map(|r| &r.range) {
        facts.coverage.nodes_in_range(range).into_iter().for_each(|at| from(at, EdgeKind::SkipRange));
    }
    let mut to = |at: NodeIndex, kind: EdgeKind| {
        let reach = &mut rows[facts.node_rows[at.index()]];
        reach.edge_from_selected = Some(reach.edge_from_selected.map_or(kind, |before| before.min(kind)));
    };
    for edge in graph.graph().edges(selected) {
        to(edge.target(), *edge.weight());
    }
    if let Some(version) = graph.node(selected).and_then(|node| node.version.as_ref()) {
        graph.range_successors(version).for_each(|at| to(at, EdgeKind::SkipRange));
    }
    rows[facts.node_rows[selected.index()]].selected = true;
    rows
}
