//! What is drawn as one line: a `replaces` edge, `skips` of the same bundles, ranges one within the other.

use std::{collections::HashMap, ops::Range};

use petgraph::{graph::NodeIndex, visit::EdgeRef};

use super::facts::Facts;
use crate::upgrade::EdgeKind;

/// A bundle and its row.
pub type Place = (usize, NodeIndex);

/// A line of the picture. Upgrades along it start at its ends and land on its owners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strand {
    /// What it stands for.
    pub kind: EdgeKind,
    /// The entries that replace, skip or have the range, from top to bottom. See [`Strand::is_nested`] for what several
    /// of them mean.
    pub owners: Vec<Place>,
    /// What they replace, skip or hold, from top to bottom.
    pub ends: Vec<Place>,
    /// Whether Classic ignores it, because its owners are skipped.
    pub dead: bool,
}

impl Strand {
    /// The rows from its first to its last.
    pub fn rows(&self) -> Range<usize> {
        let places = [self.owners.first(), self.owners.last(), self.ends.first(), self.ends.last()];
        let rows = || places.iter().flatten().map(|place| place.0);
        rows().min().unwrap_or(0)..rows().max().map_or(0, |last| last + 1)
    }

    /// Whether an upgrade along it starts or lands at a node.
    pub fn touches(&self, at: NodeIndex) -> bool {
        self.owners.iter().chain(&self.ends).any(|place| place.1 == at)
    }

    /// Whether an owner stands in a row.
    pub fn owner_in(&self, row: usize) -> Option<NodeIndex> {
        in_row(&self.owners, row)
    }

    /// Whether an end stands in a row.
    pub fn end_in(&self, row: usize) -> Option<NodeIndex> {
        in_row(&self.ends, row)
    }

    /// Whether an owner below another is an end of that too, and each owner has the ends below itself. That is so where
    /// ranges, or `skips` that Classic ignores, are one within the other. Otherwise several owners have all ends.
    pub fn is_nested(&self) -> bool {
        self.owners.len() > 1 && (self.dead || self.kind == EdgeKind::SkipRange)
    }

    /// Whether an end leads to an owner.
    fn leads(&self, end: Place, owner: Place) -> bool {
        end.1 != owner.1 && (!self.is_nested() || end.0 > owner.0)
    }

    /// The ends that lead to an owner.
    pub fn ends_of(&self, owner: Place) -> impl Iterator<Item = Place> + '_ {
        self.ends.iter().copied().filter(move |&end| self.leads(end, owner))
    }

    /// All its edges, as end and owner.
    pub fn edges(&self) -> impl Iterator<Item = (Place, Place)> + '_ {
        self.owners.iter().flat_map(move |&owner| self.ends_of(owner).map(move |end| (end, owner)))
    }

    /// Whether the way of an edge leads through a row; among the teeth it only does where it starts or lands.
    fn passes(&self, (end, owner): (Place, Place), row: usize, teeth: bool) -> bool {
        if teeth && self.kind != EdgeKind::Replaces {
            return row == end.0 || row == owner.0;
        }
        (end.0.min(owner.0)..=end.0.max(owner.0)).contains(&row)
    }

    /// The edges whose way leads through a row.
    pub(super) fn edges_in(&self, row: usize, teeth: bool) -> impl Iterator<Item = (Place, Place)> + '_ {
        self.edges().filter(move |&edge| self.passes(edge, row, teeth))
    }

    /// Whether such an edge starts or lands at a node.
    pub(super) fn carries(&self, at: NodeIndex, row: usize, teeth: bool) -> bool {
        let is = |place: &&Place| place.1 == at;
        let passes = |end, owner| self.leads(end, owner) && self.passes((end, owner), row, teeth);
        let as_owner = self.owners.iter().find(is);
        let as_end = self.ends.iter().find(is);
        as_owner.is_some_and(|&owner| self.ends.iter().any(|&end| passes(end, owner)))
            || as_end.is_some_and(|&end| self.owners.iter().any(|&owner| passes(end, owner)))
    }

    /// How many edges it stands for.
    pub fn edge_count(&self) -> usize {
        self.edges().count()
    }
}

fn in_row(places: &[Place], row: usize) -> Option<NodeIndex> {
    places.binary_search_by_key(&row, |place| place.0).ok().and_then(|n| places.get(n)).map(|place| place.1)
}

/// All strands of a channel by kind, and the edges from an entry to itself, which nothing can draw.
#[derive(Debug, Default)]
pub(super) struct Strands {
    pub(super) replaces: Vec<Strand>,
    pub(super) skips: Vec<Strand>,
    pub(super) ranges: Vec<Strand>,
    /// Entries that replace or skip themselves.
    pub(super) selfish: Vec<(NodeIndex, EdgeKind)>,
    /// Strands of `skips` that Classic uses and others may join, by what they skip.
    same_skips: HashMap<Vec<Place>, usize>,
}

impl Strands {
    pub(super) fn new(facts: &Facts<'_>) -> Self {
        let mut all = Self::default();
        let graph = facts.graph();
        for &at in &facts.order {
            let row = facts.row[at.index()];
            let dead = facts.is_skipped(at);
            let mut skipped = Vec::new();
            for edge in graph.graph().edges_directed(at, petgraph::Direction::Incoming) {
                let (from, kind) = (edge.source(), *edge.weight());
                let end = (facts.row[from.index()], from);
                match kind {
                    _ if from == at => all.add_selfish(at, kind),
                    EdgeKind::Replaces => {
                        all.replaces.push(Strand { kind, owners: vec![(row, at)], ends: vec![end], dead });
                    }
                    _ => skipped.push(end),
                }
            }
            // Of a dead end the mark must not give way to a tip.
            let nests = !facts.dead_end[at.index()];
            all.add_skips((row, at), skipped, dead, nests);
            let range =
                graph.entry(at).and_then(|e| e.skip_range.as_ref()).and_then(|r| r.range.as_ref().ok());
            if let Some(range) = range {
                let held = facts.coverage.covered(range).into_iter().filter(|&held| held != at);
                let mut ends: Vec<Place> = held.map(|held| (facts.row[held.index()], held)).collect();
                ends.sort_unstable();
                let range = Strand { kind: EdgeKind::SkipRange, owners: vec![(row, at)], ends, dead };
                nest(&mut all.ranges, range, nests || !dead);
            }
        }
        all
    }

    fn add_selfish(&mut self, at: NodeIndex, kind: EdgeKind) {
        if !self.selfish.contains(&(at, kind)) {
            self.selfish.push((at, kind));
        }
    }

    /// Entries that skip the same bundles below them share a strand; those that are skipped themselves do where the one
    /// skips the other too, and below it the same.
    fn add_skips(&mut self, owner: Place, mut ends: Vec<Place>, dead: bool, nests: bool) {
        ends.sort_unstable();
        ends.dedup();
        let Some(&first) = ends.first() else { return };
        let strand = Strand { kind: EdgeKind::Skips, owners: vec![owner], ends, dead };
        if dead {
            return nest(&mut self.skips, strand, nests);
        }
        if first.0 > owner.0 {
            let same = self.same_skips.entry(strand.ends.clone()).or_insert(self.skips.len());
            if let Some(strand) = self.skips.get_mut(*same) {
                strand.owners.push(owner);
                return;
            }
        }
        self.skips.push(strand);
    }
}

/// The strands of `replaces` alone, and the entries that replace themselves.
pub(super) fn of_replaces(facts: &Facts<'_>) -> (Vec<Strand>, Vec<NodeIndex>) {
    let graph = facts.graph();
    let (mut strands, mut selfish) = (Vec::new(), Vec::new());
    for &at in &facts.order {
        for from in graph.targets(at, EdgeKind::Replaces) {
            if from == at {
                selfish.push(at);
                continue;
            }
            let place = |at: NodeIndex| vec![(facts.row[at.index()], at)];
            let dead = facts.is_skipped(at);
            strands.push(Strand { kind: EdgeKind::Replaces, owners: place(at), ends: place(from), dead });
        }
    }
    (strands, selfish)
}

/// Adds a strand to others: where one leads from its owner and, below that, from exactly its ends, as one more owner.
fn nest(strands: &mut Vec<Strand>, strand: Strand, nests: bool) {
    let (Some(&owner), Some(first)) = (strand.owners.first(), strand.ends.first()) else { return };
    let fits = |other: &&mut Strand| {
        // Compared from the far end, which is cheap where the lengths differ.
        let below = other.ends.len().checked_sub(strand.ends.len() + 1).and_then(|n| other.ends.get(n..));
        let (Some([next, below @ ..]), true) = (below, other.dead == strand.dead) else { return false };
        *next == owner && below == strand.ends && other.ends.first() > other.owners.first()
    };
    if nests
        && first.0 > owner.0
        && let Some(other) = strands.iter_mut().find(fits)
    {
        other.owners.push(owner);
    } else {
        strands.push(strand);
    }
}
