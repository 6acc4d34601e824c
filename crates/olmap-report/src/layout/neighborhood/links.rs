//! Edges between boxes, and the grouping of edges that share a line.

use std::collections::BTreeMap;

use petgraph::{Direction, graph::NodeIndex, visit::EdgeRef};

use super::RangeIndex;
use crate::layout::facts::Facts;
use olm_upgrade::EdgeKind;

/// Edges of one kind from one box to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) kind: EdgeKind,
    /// True if Classic ignores them, because it never picks the entries.
    pub(super) ignored: bool,
    /// Number of edges of the channel that it represents.
    pub(super) edges: usize,
}

/// Kind of route from box to box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RouteKind {
    /// To the next column.
    NextColumn,
    /// To another box of the same column.
    SameColumn,
    /// Across one or more columns.
    AcrossColumns,
    /// To a column on the left: on cycles, and from nodes that are closer on the other side.
    Backward,
}

impl RouteKind {
    fn between_columns(from: usize, to: usize) -> Self {
        match to.cmp(&from) {
            std::cmp::Ordering::Less => Self::Backward,
            std::cmp::Ordering::Equal => Self::SameColumn,
            std::cmp::Ordering::Greater if to == from + 1 => Self::NextColumn,
            std::cmp::Ordering::Greater => Self::AcrossColumns,
        }
    }

    /// Returns true if it needs a row below the boxes.
    pub(super) fn is_long(self) -> bool {
        matches!(self, Self::AcrossColumns | Self::Backward)
    }

    /// Returns true if it reaches its boxes from the right.
    pub(super) fn enters_right(self) -> bool {
        matches!(self, Self::SameColumn | Self::Backward)
    }
}

/// Edges that share a line: upgrades of one kind from each of some boxes to each of some others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Net {
    pub(super) kind: EdgeKind,
    pub(super) dead: bool,
    pub(super) route: RouteKind,
    pub(super) from: Vec<usize>,
    /// Target boxes, all in one column.
    pub(super) to: Vec<usize>,
    pub(super) links: Vec<Link>,
}

impl Net {
    /// Returns the gap through which it reaches its boxes; a gap has the index of the column on its left.
    pub(super) fn target_gap(&self, columns: &[usize]) -> usize {
        let column = self.to.first().map_or(0, |&to| columns[to]);
        if self.route.enters_right() { column } else { column.saturating_sub(1) }
    }

    /// Returns true if it has a line in a gap.
    pub(super) fn uses_gap(&self, gap: usize, columns: &[usize]) -> bool {
        self.target_gap(columns) == gap || self.from.iter().any(|&from| columns[from] == gap)
    }

    /// Splits it into one net per link.
    pub(super) fn split_links(&self) -> Vec<Self> {
        let one =
            |link: &Link| Self { from: vec![link.from], to: vec![link.to], links: vec![*link], ..*self };
        self.links.iter().map(one).collect()
    }

    /// Restricts it to some boxes; also returns the remaining edges.
    pub(super) fn restrict_to(
        &self,
        from: impl Fn(usize) -> bool,
        to: impl Fn(usize) -> bool,
    ) -> (Self, Vec<Link>) {
        let (links, rest) = self.links.iter().partition(|link| from(link.from) && to(link.to));
        let keep = |boxes: &[usize], holds: &dyn Fn(usize) -> bool| {
            boxes.iter().copied().filter(|&b| holds(b)).collect()
        };
        (Self { from: keep(&self.from, &from), to: keep(&self.to, &to), links, ..*self }, rest)
    }

    /// Returns the number of edges of the channel that it represents.
    pub(super) fn count_edges(&self) -> usize {
        self.links.iter().map(|link| link.edges).sum()
    }
}

/// Returns the edges between boxes with these members, and the number of edges inside boxes.
pub(super) fn collect_links(
    facts: &Facts<'_>,
    ranges: &RangeIndex,
    members: &[&[NodeIndex]],
) -> (Vec<Link>, usize) {
    let graph = facts.graph().graph();
    let mut place = vec![None; graph.node_count()];
    for (index, members) in members.iter().enumerate() {
        members.iter().for_each(|at| place[at.index()] = Some(index));
    }
    let mut counts: BTreeMap<(usize, usize, EdgeKind, bool), usize> = BTreeMap::new();
    let tallies: Vec<_> =
        (0..members.len()).map(|index| ranges.tally_members(|at| place[at.index()] == Some(index))).collect();
    for (to, owners) in members.iter().enumerate() {
        for &owner in *owners {
            let dead = facts.is_skipped(owner);
            let mut add = |from: usize, kind, edges: usize| {
                if edges > 0 {
                    *counts.entry((from, to, kind, dead)).or_default() += edges;
                }
            };
            for edge in graph.edges_directed(owner, Direction::Incoming) {
                if let Some(from) = place[edge.source().index()] {
                    add(from, *edge.weight(), 1);
                }
            }
            for (from, tally) in tallies.iter().enumerate() {
                // A range that includes its own version is not an upgrade.
                let own = usize::from(from == to && ranges.includes_itself(owner));
                add(from, EdgeKind::SkipRange, ranges.count_in_range(owner, tally).saturating_sub(own));
            }
        }
    }
    let inside = counts.iter().filter(|(key, _)| key.0 == key.1).map(|(_, edges)| edges).sum();
    let link = |((from, to, kind, dead), edges)| Link { from, to, kind, ignored: dead, edges };
    (counts.into_iter().map(link).filter(|link| link.from != link.to).collect(), inside)
}

/// Returns true if a link is a redundant range. It connects boxes of one column, or it passes
/// columns and the range also includes the center.
fn is_redundant_range(link: &Link, way: RouteKind, links: &[Link], centre: Option<usize>) -> bool {
    let holds_centre =
        |other: &Link| Some(other.from) == centre && (other.to, other.kind) == (link.to, link.kind);
    link.kind == EdgeKind::SkipRange
        && match way {
            RouteKind::SameColumn => true,
            RouteKind::AcrossColumns => links.iter().any(holds_centre),
            RouteKind::NextColumn | RouteKind::Backward => false,
        }
}

/// Groups links that share a line: those from several boxes to a common target, and those from the
/// same boxes to several targets in one column. `columns` has the column of each box. Nets are in
/// routing order: those at the center first.
///
/// Also returns the number of edges that are left out.
pub(super) fn group_links(links: &[Link], columns: &[usize], centre: Option<usize>) -> (Vec<Net>, usize) {
    let mut left_out = 0;
    let mut into: BTreeMap<(usize, EdgeKind, bool, RouteKind), Vec<Link>> = BTreeMap::new();
    for link in links {
        let way = RouteKind::between_columns(columns[link.from], columns[link.to]);
        if is_redundant_range(link, way, links, centre) {
            left_out += link.edges;
        } else {
            into.entry((link.to, link.kind, link.ignored, way)).or_default().push(*link);
        }
    }
    let mut nets: Vec<Net> = Vec::new();
    for ((to, kind, dead, way), links) in into {
        let from: Vec<usize> = links.iter().map(|link| link.from).collect();
        let same = nets.iter_mut().find(|net| {
            (net.kind, net.dead, net.route) == (kind, dead, way)
                && net.from == from
                && net.to.first().is_some_and(|&other| columns[other] == columns[to])
        });
        match same {
            Some(net) => {
                net.to.push(to);
                net.links.extend(links);
            }
            None => nets.push(Net { kind, dead, route: way, from, to: vec![to], links }),
        }
    }
    nets.sort_by_key(|net| {
        let touches = centre.is_some_and(|centre| net.from.contains(&centre) || net.to.contains(&centre));
        (!touches, net.route, net.kind, net.to.first().copied(), net.from.first().copied())
    });
    (nets, left_out)
}
