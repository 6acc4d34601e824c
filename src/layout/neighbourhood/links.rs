//! Which edges there are among boxes, and which of them share a line.

use std::collections::BTreeMap;

use petgraph::{Direction, graph::NodeIndex, visit::EdgeRef};

use super::hops::Ranges;
use crate::{layout::facts::Facts, upgrade::EdgeKind};

/// Edges of one kind from one box to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) kind: EdgeKind,
    /// Whether Classic ignores them, because it never lands on the entries.
    pub(super) dead: bool,
    /// How many of the channel's edges it stands for.
    pub(super) edges: usize,
}

/// How a line goes from box to box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// To the next column.
    Next,
    /// To another box of the same column.
    Beside,
    /// Over columns between.
    Over,
    /// To a column on the left: on circles, and from what is nearer from the other side.
    Back,
}

impl Way {
    fn between(from: usize, to: usize) -> Self {
        match to.cmp(&from) {
            std::cmp::Ordering::Less => Self::Back,
            std::cmp::Ordering::Equal => Self::Beside,
            std::cmp::Ordering::Greater if to == from + 1 => Self::Next,
            std::cmp::Ordering::Greater => Self::Over,
        }
    }

    /// Whether it needs a row below the boxes.
    pub(super) fn is_long(self) -> bool {
        matches!(self, Self::Over | Self::Back)
    }

    /// Whether it reaches its boxes from the right.
    pub(super) fn enters_right(self) -> bool {
        matches!(self, Self::Beside | Self::Back)
    }
}

/// What is drawn as one line: upgrades of one kind from each of some boxes to each of some others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Net {
    pub(super) kind: EdgeKind,
    pub(super) dead: bool,
    pub(super) way: Way,
    pub(super) from: Vec<usize>,
    /// Boxes of one column.
    pub(super) to: Vec<usize>,
    pub(super) links: Vec<Link>,
}

impl Net {
    /// The gap through which it reaches its boxes; gaps are counted like the columns they are right of.
    pub(super) fn gap(&self, columns: &[usize]) -> usize {
        let column = self.to.first().map_or(0, |&to| columns[to]);
        if self.way.enters_right() { column } else { column.saturating_sub(1) }
    }

    /// Whether it has a line in a gap.
    pub(super) fn uses(&self, gap: usize, columns: &[usize]) -> bool {
        self.gap(columns) == gap || self.from.iter().any(|&from| columns[from] == gap)
    }

    /// Its edges one by one, each as a net of its own.
    pub(super) fn split(&self) -> Vec<Self> {
        let one =
            |link: &Link| Self { from: vec![link.from], to: vec![link.to], links: vec![*link], ..*self };
        self.links.iter().map(one).collect()
    }

    /// What is left of it without some boxes, and its edges that are not.
    pub(super) fn only(&self, from: impl Fn(usize) -> bool, to: impl Fn(usize) -> bool) -> (Self, Vec<Link>) {
        let (links, rest) = self.links.iter().partition(|link| from(link.from) && to(link.to));
        let keep = |boxes: &[usize], holds: &dyn Fn(usize) -> bool| {
            boxes.iter().copied().filter(|&b| holds(b)).collect()
        };
        (Self { from: keep(&self.from, &from), to: keep(&self.to, &to), links, ..*self }, rest)
    }

    /// How many of the channel's edges it stands for.
    pub(super) fn edges(&self) -> usize {
        self.links.iter().map(|link| link.edges).sum()
    }
}

/// The edges among boxes with such members, and how many there are within one box.
pub(super) fn links(facts: &Facts<'_>, ranges: &Ranges, members: &[&[NodeIndex]]) -> (Vec<Link>, usize) {
    let graph = facts.graph().graph();
    let mut place = vec![None; graph.node_count()];
    for (index, members) in members.iter().enumerate() {
        members.iter().for_each(|at| place[at.index()] = Some(index));
    }
    let mut counts: BTreeMap<(usize, usize, EdgeKind, bool), usize> = BTreeMap::new();
    let tallies: Vec<_> =
        (0..members.len()).map(|index| ranges.tally(|at| place[at.index()] == Some(index))).collect();
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
                // A range that holds its own version leads nowhere.
                let own = usize::from(from == to && ranges.holds_itself(owner));
                add(from, EdgeKind::SkipRange, ranges.count(owner, tally).saturating_sub(own));
            }
        }
    }
    let inside = counts.iter().filter(|(key, _)| key.0 == key.1).map(|(_, edges)| edges).sum();
    let link = |((from, to, kind, dead), edges)| Link { from, to, kind, dead, edges };
    (counts.into_iter().map(link).filter(|link| link.from != link.to).collect(), inside)
}

/// Whether a range says nothing new, so that its line would only be in the way: it is among boxes of one side, or goes
/// past the centre and holds the centre too.
fn says_little(link: &Link, way: Way, links: &[Link], centre: Option<usize>) -> bool {
    let holds_centre =
        |other: &Link| Some(other.from) == centre && (other.to, other.kind) == (link.to, link.kind);
    link.kind == EdgeKind::SkipRange
        && match way {
            Way::Beside => true,
            Way::Over => links.iter().any(holds_centre),
            Way::Next | Way::Back => false,
        }
}

/// Links that share a line: those to one box from several, and those from the same boxes to several of one column.
/// `columns`: that of each box. The order is that in which they get a way: what touches the centre first.
///
/// The number is that of the channel's edges that are left out.
pub(super) fn nets(links: &[Link], columns: &[usize], centre: Option<usize>) -> (Vec<Net>, usize) {
    let mut left_out = 0;
    let mut into: BTreeMap<(usize, EdgeKind, bool, Way), Vec<Link>> = BTreeMap::new();
    for link in links {
        let way = Way::between(columns[link.from], columns[link.to]);
        if says_little(link, way, links, centre) {
            left_out += link.edges;
        } else {
            into.entry((link.to, link.kind, link.dead, way)).or_default().push(*link);
        }
    }
    let mut nets: Vec<Net> = Vec::new();
    for ((to, kind, dead, way), links) in into {
        let from: Vec<usize> = links.iter().map(|link| link.from).collect();
        let same = nets.iter_mut().find(|net| {
            (net.kind, net.dead, net.way) == (kind, dead, way)
                && net.from == from
                && net.to.first().is_some_and(|&other| columns[other] == columns[to])
        });
        match same {
            Some(net) => {
                net.to.push(to);
                net.links.extend(links);
            }
            None => nets.push(Net { kind, dead, way, from, to: vec![to], links }),
        }
    }
    nets.sort_by_key(|net| {
        let touches = centre.is_some_and(|centre| net.from.contains(&centre) || net.to.contains(&centre));
        (!touches, net.way, net.kind, net.to.first().copied(), net.from.first().copied())
    });
    (nets, left_out)
}
