//! Strands: edges that are drawn as one line. A strand is a `replaces` edge, `skips` of the same
//! bundles, or nested ranges.

use std::{collections::HashMap, ops::Range, sync::Arc};

use petgraph::{graph::NodeIndex, visit::EdgeRef};

use super::facts::Facts;
use olm_upgrade::EdgeKind;

/// Row and node of a bundle.
pub type NodePosition = (usize, NodeIndex);

/// Line of the picture. Its owners are the entries with the edges, and its ends the bundles that
/// they upgrade: upgrades start at ends and lead to owners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strand {
    /// Kind of its edges.
    pub kind: EdgeKind,
    /// Entries with the edges, from top to bottom. See [`Strand::is_nested`] for several owners.
    pub owners: Vec<NodePosition>,
    /// Replaced, skipped or included bundles, from top to bottom.
    pub ends: Vec<NodePosition>,
    /// True if Classic ignores it, because its owners are skipped.
    pub ignored: bool,
}

impl Strand {
    /// Returns the rows from its highest to its lowest owner or end.
    pub fn row_span(&self) -> Range<usize> {
        let places = [self.owners.first(), self.owners.last(), self.ends.first(), self.ends.last()];
        let rows = || places.iter().flatten().map(|place| place.0);
        rows().min().unwrap_or(0)..rows().max().map_or(0, |last| last + 1)
    }

    /// Returns true if one of its upgrades starts or lands at a bundle.
    pub fn touches(&self, at: NodePosition) -> bool {
        self.owns(at) || self.starts_at(at)
    }

    /// Returns true if a bundle is one of its owners.
    pub fn owns(&self, at: NodePosition) -> bool {
        self.owners.binary_search(&at).is_ok()
    }

    fn starts_at(&self, at: NodePosition) -> bool {
        self.ends.binary_search(&at).is_ok()
    }

    /// Returns the owner in a row.
    pub fn owner_in(&self, row: usize) -> Option<NodeIndex> {
        find_in_row(&self.owners, row)
    }

    /// Returns the end in a row.
    pub fn end_in(&self, row: usize) -> Option<NodeIndex> {
        find_in_row(&self.ends, row)
    }

    /// Returns true if each owner has only the ends below it, and each lower owner is also an end.
    /// This applies to nested ranges, and to nested `skips` that Classic ignores. Otherwise every
    /// owner has all ends.
    pub fn is_nested(&self) -> bool {
        self.owners.len() > 1 && (self.ignored || self.kind == EdgeKind::SkipRange)
    }

    /// Returns true if an edge leads from an end to an owner.
    fn has_edge(&self, end: NodePosition, owner: NodePosition) -> bool {
        end.1 != owner.1 && (!self.is_nested() || end.0 > owner.0)
    }

    /// Returns the ends of an owner.
    pub fn ends_of(&self, owner: NodePosition) -> impl Iterator<Item = NodePosition> + '_ {
        self.ends.iter().copied().filter(move |&end| self.has_edge(end, owner))
    }

    /// Returns all its edges, as end and owner.
    pub fn edges(&self) -> impl Iterator<Item = (NodePosition, NodePosition)> + '_ {
        self.owners.iter().flat_map(move |&owner| self.ends_of(owner).map(move |end| (end, owner)))
    }

    /// Returns true if an edge passes through a row. In the column of teeth, only the rows of its
    /// end and its owner count.
    fn passes_row(&self, (end, owner): (NodePosition, NodePosition), row: usize, teeth: bool) -> bool {
        if teeth && self.kind != EdgeKind::Replaces {
            return row == end.0 || row == owner.0;
        }
        (end.0.min(owner.0)..=end.0.max(owner.0)).contains(&row)
    }

    /// Returns the edges that pass through a row; `teeth` is true for the column of teeth.
    pub(super) fn edges_through(
        &self,
        row: usize,
        teeth: bool,
    ) -> impl Iterator<Item = (NodePosition, NodePosition)> + '_ {
        self.edges().filter(move |&edge| self.passes_row(edge, row, teeth))
    }

    /// Returns true if an edge of a bundle passes through a row.
    pub(super) fn has_edge_through(&self, at: NodePosition, row: usize, teeth: bool) -> bool {
        let lands = |&end: &NodePosition| self.has_edge(end, at);
        let starts = |&owner: &NodePosition| self.has_edge(at, owner);
        self.owns(at) && self.reaches_row(at, &self.ends, lands, row, teeth)
            || self.starts_at(at) && self.reaches_row(at, &self.owners, starts, row, teeth)
    }

    /// Returns true if an edge between a bundle and one of its partners passes through a row. An
    /// edge covers all rows between both bundles, so only the outermost partners matter.
    fn reaches_row(
        &self,
        at: NodePosition,
        partners: &[NodePosition],
        is_partner: impl Fn(&NodePosition) -> bool + Copy,
        row: usize,
        teeth: bool,
    ) -> bool {
        if teeth && self.kind != EdgeKind::Replaces {
            let beside = find_in_row(partners, row).is_some_and(|node| is_partner(&(row, node)));
            return beside || row == at.0 && partners.iter().any(is_partner);
        }
        let first = partners.iter().find(|partner| is_partner(partner));
        let last = partners.iter().rfind(|partner| is_partner(partner));
        first.zip(last).is_some_and(|(first, last)| (first.0.min(at.0)..=last.0.max(at.0)).contains(&row))
    }

    /// Returns the number of ends of an owner.
    pub(super) fn count_ends(&self, owner: NodePosition) -> usize {
        if self.is_nested() {
            self.ends.len() - self.ends.partition_point(|end| end.0 <= owner.0)
        } else {
            self.ends.len() - usize::from(self.starts_at(owner))
        }
    }
}

fn find_in_row(places: &[NodePosition], row: usize) -> Option<NodeIndex> {
    places.binary_search_by_key(&row, |place| place.0).ok().and_then(|n| places.get(n)).map(|place| place.1)
}

/// All strands of a channel by kind, and edges from an entry to itself, which cannot be drawn.
#[derive(Debug, Default)]
pub(super) struct Strands {
    pub(super) replaces: Vec<Arc<Strand>>,
    pub(super) skips: Vec<Arc<Strand>>,
    pub(super) ranges: Vec<Arc<Strand>>,
    /// Entries that replace or skip themselves.
    pub(super) self_edges: Vec<(NodeIndex, EdgeKind)>,
    /// Position in `skips` of each strand that other entries can join, by its ends. Only strands
    /// that Classic uses.
    same_skips: HashMap<Vec<NodePosition>, usize>,
}

impl Strands {
    pub(super) fn new(facts: &Facts<'_>) -> Self {
        let mut all = Self::default();
        let graph = facts.graph();
        for &at in &facts.order {
            let row = facts.node_rows[at.index()];
            let dead = facts.is_skipped(at);
            let mut skipped = Vec::new();
            for edge in graph.graph().edges_directed(at, petgraph::Direction::Incoming) {
                let (from, kind) = (edge.source(), *edge.weight());
                let end = (facts.node_rows[from.index()], from);
                match kind {
                    _ if from == at => all.add_self_edge(at, kind),
                    EdgeKind::Replaces => {
                        let strand = Strand { kind, owners: vec![(row, at)], ends: vec![end], ignored: dead };
                        all.replaces.push(Arc::new(strand));
                    }
                    _ => skipped.push(end),
                }
            }
            // The mark of a dead end must not be replaced by a tip.
            let nests = !facts.dead_end[at.index()];
            all.add_skips((row, at), skipped, dead, nests);
            let range =
                graph.entry(at).and_then(|e| e.skip_range.as_ref()).and_then(|r| r.range.as_ref().ok());
            if let Some(range) = range {
                let held = facts.coverage.nodes_in_range(range).into_iter().filter(|&held| held != at);
                let mut ends: Vec<NodePosition> =
                    held.map(|held| (facts.node_rows[held.index()], held)).collect();
                ends.sort_unstable();
                let range =
                    Strand { kind: EdgeKind::SkipRange, owners: vec![(row, at)], ends, ignored: dead };
                add_nested(&mut all.ranges, range, nests || !dead);
            }
        }
        all
    }

    fn add_self_edge(&mut self, at: NodeIndex, kind: EdgeKind) {
        if !self.self_edges.contains(&(at, kind)) {
            self.self_edges.push((at, kind));
        }
    }

    /// Adds the skips of an entry. Entries share a strand if they skip the same bundles and all of
    /// these are below them. A skipped entry that is not a dead end joins the strand of a skipped
    /// entry above it that also skips the lower entry.
    fn add_skips(&mut self, owner: NodePosition, mut ends: Vec<NodePosition>, dead: bool, nests: bool) {
        ends.sort_unstable();
        ends.dedup();
        let Some(&first) = ends.first() else { return };
        let strand = Strand { kind: EdgeKind::Skips, owners: vec![owner], ends, ignored: dead };
        if dead {
            return add_nested(&mut self.skips, strand, nests);
        }
        if first.0 > owner.0 {
            let same = self.same_skips.entry(strand.ends.clone()).or_insert(self.skips.len());
            if let Some(strand) = self.skips.get_mut(*same) {
                Arc::make_mut(strand).owners.push(owner);
                return;
            }
        }
        self.skips.push(Arc::new(strand));
    }
}

/// Returns only the strands of `replaces`, and the entries that replace themselves.
pub(super) fn replaces_strands(facts: &Facts<'_>) -> (Vec<Arc<Strand>>, Vec<NodeIndex>) {
    let graph = facts.graph();
    let (mut strands, mut selfish) = (Vec::new(), Vec::new());
    for &at in &facts.order {
        for from in graph.targets(at, EdgeKind::Replaces) {
            if from == at {
                selfish.push(at);
                continue;
            }
            let place = |at: NodeIndex| vec![(facts.node_rows[at.index()], at)];
            let dead = facts.is_skipped(at);
            let strand =
                Strand { kind: EdgeKind::Replaces, owners: place(at), ends: place(from), ignored: dead };
            strands.push(Arc::new(strand));
        }
    }
    (strands, selfish)
}

/// Adds a strand with one owner. If `nests` is true, it joins an existing strand that has the
/// owner as an end and exactly the same ends below it.
fn add_nested(strands: &mut Vec<Arc<Strand>>, strand: Strand, nests: bool) {
    let (Some(&owner), Some(first)) = (strand.owners.first(), strand.ends.first()) else { return };
    let fits = |other: &&mut Arc<Strand>| {
        // Compare from the far end, which is cheap if the lengths differ.
        let below = other.ends.len().checked_sub(strand.ends.len() + 1).and_then(|n| other.ends.get(n..));
        let (Some([next, below @ ..]), true) = (below, other.ignored == strand.ignored) else { return false };
        *next == owner && below == strand.ends && other.ends.first() > other.owners.first()
    };
    if nests
        && first.0 > owner.0
        && let Some(other) = strands.iter_mut().find(fits)
    {
        Arc::make_mut(other).owners.push(owner);
    } else {
        strands.push(Arc::new(strand));
    }
}
