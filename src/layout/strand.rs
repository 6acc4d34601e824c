//! What is drawn as one line: a `replaces` edge, all `skips` of one entry, the `skipRange` of one entry.

use std::ops::Range;

use petgraph::{graph::NodeIndex, visit::EdgeRef};

use super::facts::Facts;
use crate::upgrade::EdgeKind;

/// A line of the picture. It has one upper hand, the entry that upgrades land on, and one or more ends, where they
/// start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strand {
    /// What it stands for.
    pub kind: EdgeKind,
    /// The entry that replaces, skips or has the range: where upgrades along it land.
    pub owner: NodeIndex,
    /// The owner's row.
    pub owner_row: usize,
    /// What it replaces, skips or holds, with the rows, from top to bottom. Never the owner itself.
    pub ends: Vec<(usize, NodeIndex)>,
    /// Whether Classic ignores it, because the owner is skipped.
    pub dead: bool,
}

impl Strand {
    /// The rows from its first to its last.
    pub fn rows(&self) -> Range<usize> {
        let first = self.ends.first().map_or(self.owner_row, |e| e.0.min(self.owner_row));
        let last = self.ends.last().map_or(self.owner_row, |e| e.0.max(self.owner_row));
        first..last + 1
    }

    /// Whether an upgrade along it starts or lands at a node.
    pub fn touches(&self, at: NodeIndex) -> bool {
        self.owner == at || self.ends.iter().any(|e| e.1 == at)
    }

    /// The end in a row.
    pub(super) fn end_in(&self, row: usize) -> Option<NodeIndex> {
        self.ends.binary_search_by_key(&row, |e| e.0).ok().and_then(|n| self.ends.get(n)).map(|e| e.1)
    }

    /// The ends whose way to the owner passes a row.
    pub(super) fn passing(&self, row: usize) -> &[(usize, NodeIndex)] {
        let from = self.ends.partition_point(|e| e.0 < row);
        let to = self.ends.partition_point(|e| e.0 <= row);
        let part = match row.cmp(&self.owner_row) {
            std::cmp::Ordering::Less => self.ends.get(..to),
            std::cmp::Ordering::Equal => Some(self.ends.as_slice()),
            std::cmp::Ordering::Greater => self.ends.get(from..),
        };
        part.unwrap_or_default()
    }
}

/// All strands of a channel by kind, and the edges from an entry to itself, which nothing can draw.
#[derive(Debug, Default)]
pub(super) struct Strands {
    pub(super) replaces: Vec<Strand>,
    pub(super) skips: Vec<Strand>,
    pub(super) ranges: Vec<Strand>,
    /// Entries that replace or skip themselves.
    pub(super) selfish: Vec<(NodeIndex, EdgeKind)>,
}

impl Strands {
    pub(super) fn new(facts: &Facts<'_>) -> Self {
        let mut all = Self::default();
        let graph = facts.graph();
        for (owner_row, &owner) in facts.order.iter().enumerate() {
            let strand = |kind, mut ends: Vec<(usize, NodeIndex)>| {
                ends.sort_unstable();
                ends.dedup();
                Strand { kind, owner, owner_row, ends, dead: facts.is_skipped(owner) }
            };
            let mut skipped = Vec::new();
            for edge in graph.graph().edges_directed(owner, petgraph::Direction::Incoming) {
                let (from, kind) = (edge.source(), *edge.weight());
                let end = (facts.row[from.index()], from);
                match kind {
                    _ if from == owner => all.selfish.push((owner, kind)),
                    EdgeKind::Replaces => all.replaces.push(strand(kind, vec![end])),
                    _ => skipped.push(end),
                }
            }
            if !skipped.is_empty() {
                all.skips.push(strand(EdgeKind::Skips, skipped));
            }
            let range =
                graph.entry(owner).and_then(|e| e.skip_range.as_ref()).and_then(|r| r.range.as_ref().ok());
            if let Some(range) = range {
                let held = facts.coverage.covered(range).into_iter().filter(|&at| at != owner);
                let held: Vec<_> = held.map(|at| (facts.row[at.index()], at)).collect();
                if !held.is_empty() {
                    all.ranges.push(strand(EdgeKind::SkipRange, held));
                }
            }
        }
        all
    }
}
