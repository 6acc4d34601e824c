//! Lookup of the nodes in a `skipRange`, without a check of each node.

use petgraph::graph::NodeIndex;

use olm_upgrade::ChannelGraph;
use olm_version::{
    VersionRelease,
    blang::{Alternative, Comparator, Operator, Range},
};

/// Nodes with a version, lowest first, so that a range is a few slices of them.
#[derive(Debug)]
pub(super) struct Coverage {
    nodes: Vec<(VersionRelease, NodeIndex)>,
}

impl Coverage {
    /// Sorts the nodes of a channel, including dangling names if the package has their bundles.
    pub(super) fn new(graph: &ChannelGraph) -> Self {
        let petgraph = graph.graph();
        let mut nodes: Vec<_> = petgraph
            .node_indices()
            .filter_map(|at| Some((petgraph.node_weight(at)?.version.clone()?, at)))
            .collect();
        nodes.sort_by(|a, b| a.0.version.cmp_precedence(&b.0.version));
        Self { nodes }
    }

    /// Returns the number of nodes with a version.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the node at a position.
    pub(super) fn node_at(&self, position: usize) -> Option<NodeIndex> {
        self.nodes.get(position).map(|(_, at)| *at)
    }

    /// Returns the positions that an alternative can include; ignores its `!=`.
    fn alternative_slice(&self, alternative: &Alternative) -> std::ops::Range<usize> {
        let mut slice = 0..self.nodes.len();
        for comparator in alternative.comparators() {
            let below = || self.nodes.partition_point(|(v, _)| is_below(v, comparator, false));
            let not_above = || self.nodes.partition_point(|(v, _)| is_below(v, comparator, true));
            let (from, to) = match comparator.operator {
                Operator::Equal => (below(), not_above()),
                Operator::Greater => (not_above(), self.nodes.len()),
                Operator::GreaterOrEqual => (below(), self.nodes.len()),
                Operator::Less => (0, below()),
                Operator::LessOrEqual => (0, not_above()),
                Operator::NotEqual => continue,
            };
            slice = slice.start.max(from)..slice.end.min(to);
        }
        slice.start.min(slice.end)..slice.end
    }

    /// Returns the slices of positions that a range can include, each with its alternative; see [`Self::includes_position`].
    pub(super) fn slices<'r>(&self, range: &'r Range) -> Vec<(std::ops::Range<usize>, &'r Alternative)> {
        let reached = range.alternatives().iter().take_while(|a| !a.comparators().is_empty());
        reached.map(|a| (self.alternative_slice(a), a)).filter(|(slice, _)| !slice.is_empty()).collect()
    }

    /// Returns true if an alternative includes a position of its slice.
    pub(super) fn includes_position(&self, alternative: &Alternative, position: usize) -> bool {
        self.nodes.get(position).is_some_and(|(v, _)| {
            alternative
                .comparators()
                .iter()
                .all(|c| c.operator != Operator::NotEqual || c.matches(&v.version))
        })
    }

    /// Returns the positions in a range as separate runs, lowest first.
    pub(super) fn runs(&self, range: &Range) -> Vec<std::ops::Range<usize>> {
        let slices = self.slices(range);
        if let [(slice, alternative)] = slices.as_slice()
            && alternative.comparators().iter().all(|c| c.operator != Operator::NotEqual)
        {
            return vec![slice.clone()];
        }
        let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
        for position in self.positions_in_range(range) {
            match runs.last_mut() {
                Some(run) if run.end == position => run.end += 1,
                _ => runs.push(position..position + 1),
            }
        }
        runs
    }

    /// Returns the nodes in a range, each once, lowest version first.
    pub(super) fn nodes_in_range(&self, range: &Range) -> Vec<NodeIndex> {
        self.positions_in_range(range).into_iter().filter_map(|p| self.node_at(p)).collect()
    }

    fn positions_in_range(&self, range: &Range) -> Vec<usize> {
        let mut positions: Vec<usize> = Vec::new();
        let slices = self.slices(range);
        let several = slices.len() > 1;
        for (slice, alternative) in slices {
            positions.extend(slice.filter(|&p| self.includes_position(alternative, p)));
        }
        if several {
            positions.sort_unstable();
            positions.dedup();
        }
        positions
    }
}

fn is_below(version: &VersionRelease, comparator: &Comparator, or_equal: bool) -> bool {
    let order = version.version.cmp_precedence(&comparator.version);
    order.is_lt() || or_equal && order.is_eq()
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::graph_from_lines, *};

    #[test]
    fn slices_agree_with_range_matches() {
        let package = graph_from_lines(
            "3.0.0 replaces=2.1.0\n2.1.0 replaces=2.0.0\n2.0.0 replaces=2.0.0-rc1\n2.0.0-rc1 replaces=1.5.0+a\n\
             1.5.0+a replaces=1.0.0\n1.0.0",
        );
        let graph = &package.channels()[0].graph;
        let coverage = Coverage::new(graph);
        for text in [
            ">=1.0.0 <3.0.0",
            "<2.0.0",
            ">1.0.0",
            "=1.5.0",
            "!=2.0.0",
            ">=1.0.0 <=2.0.0 !=1.5.0",
            "<1.5.0 || >2.0.0",
            ">=1.0.0 || <9.0.0",
            ">3.0.0",
            "1.x",
            "2.0.x",
            "<1.0.1 || || >2.0.0",
        ] {
            let range = Range::parse(text).unwrap();
            let mut found: Vec<_> = coverage.nodes_in_range(&range);
            let runs = coverage.runs(&range);
            assert!(runs.windows(2).all(|pair| pair[0].end < pair[1].start), "{text}: {runs:?}");
            let in_runs: Vec<_> = runs.into_iter().flatten().filter_map(|p| coverage.node_at(p)).collect();
            assert_eq!(in_runs, found, "{text}");
            found.sort_unstable();
            let expected: Vec<_> = graph
                .graph()
                .node_indices()
                .filter(|&at| {
                    graph.node(at).and_then(|n| n.version.as_ref()).is_some_and(|v| range.matches(&v.version))
                })
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
