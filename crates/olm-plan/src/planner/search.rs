//! The search for the best plan from each state of a package.
//!
//! Criteria, most important first:
//!
//! 1. Fewest channel changes.
//!
//! 2. Closest to the channel head, or fewest upgrades.
//!
//! 3. Upgrades as late as possible, or as early as possible.
//!
//! Each search goes backwards from the ends of plans, once for all states. So the work and the memory depend on
//! the number of moves, and not on the number of plans.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

use super::{
    PlanSettings, Preference, StopCause, UpdateTiming,
    block::Block,
    state_graph::{IncomingMoves, Node, StateGraph},
};

/// The cost of a path. Costs compare lexicographically. The first component is the number of channel changes.
type Cost<const N: usize> = [usize; N];

fn add_costs<const N: usize>(a: Cost<N>, b: Cost<N>) -> Cost<N> {
    std::array::from_fn(|at| a.get(at).copied().unwrap_or(0).saturating_add(b.get(at).copied().unwrap_or(0)))
}

/// Returns the cost of a move on a leg: channel changes, upgrades if those count more than the end, time of the
/// upgrades or their number.
///
/// - [`Preference::Furthest`]: channel changes, 0, time of the upgrades, number of upgrades. The second
///   component is for the rank of the end.
/// - [`Preference::Fewest`]: channel changes, number of upgrades, 0, time of the upgrades. The third component is
///   for the rank of the end.
fn move_cost(settings: PlanSettings, by: StopCause, leg: usize, legs: usize) -> Cost<4> {
    match by {
        StopCause::Channel => [1, 0, 0, 0],
        StopCause::Installed | StopCause::Cluster => [0; 4],
        StopCause::Pick(_) => {
            let time = match settings.updates {
                UpdateTiming::Latest => legs.saturating_sub(leg + 1),
                UpdateTiming::Earliest => leg,
            };
            match settings.prefer {
                Preference::Furthest => [0, 0, time, 1],
                Preference::Fewest => [0, 1, 0, time],
            }
        }
    }
}

/// Returns the cost of the end of a plan. `rank` is 0 for the best end.
fn end_cost(settings: PlanSettings, rank: usize) -> Cost<4> {
    match settings.prefer {
        Preference::Furthest => [0, rank, 0, 0],
        Preference::Fewest => [0, 0, rank, 0],
    }
}

/// The next node of a path, and the move to it. `None` if the path ends on this node.
pub(super) type NextNode = Option<(u32, StopCause)>;

/// The best path from a node to an end.
#[derive(Clone, Copy, Debug)]
struct BestPath<const N: usize> {
    cost: Cost<N>,
    next: NextNode,
    /// The index of the first move in the moves of the node. Among paths with equal cost, the one
    /// with the lowest index is used.
    move_index: usize,
}

/// A state graph with its moves in both directions.
struct Search<'a> {
    graph: &'a StateGraph<'a>,
    incoming: IncomingMoves,
}

impl Search<'_> {
    /// Finds the best path to an end for each node, with Dijkstra's algorithm backwards from the ends.
    ///
    /// `end_cost` is `None` for nodes that are not ends. The path contains only moves that `is_allowed` accepts.
    fn best_paths<const N: usize>(
        &self,
        end_cost: impl Fn(usize, &Node) -> Option<Cost<N>>,
        move_cost: impl Fn(StopCause, usize) -> Cost<N>,
        is_allowed: impl Fn(usize, usize) -> bool,
    ) -> Vec<Option<BestPath<N>>> {
        let nodes = &self.graph.nodes;
        let mut open = BinaryHeap::new();
        let ends = nodes.iter().enumerate().map(|(at, node)| {
            let cost = end_cost(at, node)?;
            open.push(Reverse((cost, at)));
            Some(BestPath { cost, next: None, move_index: 0 })
        });
        let mut best: Vec<Option<BestPath<N>>> = ends.collect();
        while let Some(Reverse((known, at))) = open.pop() {
            if best.get(at).copied().flatten().is_none_or(|best| best.cost < known) {
                continue;
            }
            for (from, move_index) in self.incoming.moves_to(at) {
                let Some(node) = nodes.get(from).filter(|_| is_allowed(from, at)) else { continue };
                let Some(step) = node.moves.get(move_index) else { continue };
                let new = BestPath {
                    cost: add_costs(known, move_cost(step.cause, node.state.leg)),
                    next: Some((step.to, step.cause)),
                    move_index,
                };
                let Some(best) = best.get_mut(from) else { continue };
                let is_better = best.is_none_or(|best| new.cost < best.cost);
                let is_first = best.is_some_and(|best| {
                    new.cost == best.cost && best.next.is_some() && new.move_index < best.move_index
                });
                if is_better || is_first {
                    *best = Some(new);
                }
                if is_better {
                    open.push(Reverse((new.cost, from)));
                }
            }
        }
        best
    }

    /// Returns the last leg that each node can reach.
    fn last_legs(&self) -> Vec<usize> {
        let nodes = &self.graph.nodes;
        let mut last: Vec<Option<usize>> = vec![None; nodes.len()];
        for leg in (0..self.graph.legs.legs.len()).rev() {
            let on_leg = nodes.iter().enumerate().filter(|(_, node)| node.state.leg == leg);
            let mut open: Vec<usize> = on_leg.map(|(at, _)| at).collect();
            while let Some(at) = open.pop() {
                let Some(slot) = last.get_mut(at).filter(|slot| slot.is_none()) else { continue };
                *slot = Some(leg);
                open.extend(self.incoming.moves_to(at).map(|(from, _)| from));
            }
        }
        last.into_iter().map(|leg| leg.unwrap_or(0)).collect()
    }

    /// Returns for each node how many nodes it can reach on the last leg that it can reach.
    fn count_last_nodes(&self, last_legs: &[usize]) -> Vec<LastNodes> {
        let mut counts = vec![LastNodes::None; last_legs.len()];
        let nodes = self.graph.nodes.iter().enumerate();
        let on_last = nodes.filter(|(at, node)| last_legs.get(*at) == Some(&node.state.leg));
        let mut open: Vec<(usize, LastNodes)> = on_last.map(|(at, _)| (at, LastNodes::One(at))).collect();
        while let Some((at, reached)) = open.pop() {
            let Some(known) = counts.get_mut(at) else { continue };
            let both = known.union(reached);
            if both == *known {
                continue;
            }
            *known = both;
            let before = self.incoming.moves_to(at).map(|(from, _)| from);
            open.extend(
                before.filter(|from| last_legs.get(*from) == last_legs.get(at)).map(|from| (from, both)),
            );
        }
        counts
    }
}

/// Number of nodes, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LastNodes {
    None,
    One(usize),
    Several,
}

impl LastNodes {
    fn union(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, one) | (one, Self::None) => one,
            (Self::One(a), Self::One(b)) if a == b => self,
            _ => Self::Several,
        }
    }
}

/// Follows paths to their ends. The result has the end of each path.
pub(super) fn follow_to_ends(next: &[Option<usize>]) -> Vec<usize> {
    let mut ends: Vec<Option<usize>> = vec![None; next.len()];
    let mut path = Vec::new();
    for start in 0..next.len() {
        let mut at = start;
        // A path does not visit a node twice.
        let end = loop {
            if let Some(end) = ends.get(at).copied().flatten() {
                break end;
            }
            path.push(at);
            match next.get(at).copied().flatten().filter(|_| path.len() <= next.len()) {
                Some(to) => at = to,
                None => break at,
            }
        };
        for node in path.drain(..) {
            if let Some(slot) = ends.get_mut(node) {
                *slot = Some(end);
            }
        }
    }
    ends.into_iter().enumerate().map(|(at, end)| end.unwrap_or(at)).collect()
}

/// Nodes around the end of a blocked plan, as far as they decide why it is blocked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct DeadEndContext {
    /// True if the plan can reach other nodes on its last leg.
    pub has_others: bool,
    /// The nearest node on the last leg with an upgrade that would help, but waits for a later Kubernetes
    /// version.
    pub pending: Option<usize>,
}

/// The best path of each node: to a goal, or as far as it gets.
pub(super) struct FoundPaths<'a> {
    pub graph: &'a StateGraph<'a>,
    pub next: Vec<NextNode>,
    /// True for nodes with a path to a goal.
    arrives: Vec<bool>,
    /// `None` if every start arrives.
    dead_ends: Option<DeadEnds>,
}

/// Results about nodes without a path to a goal.
struct DeadEnds {
    last_legs: Vec<usize>,
    last_nodes: Vec<LastNodes>,
    /// The node of [`DeadEndContext::pending`], if there is one.
    pending: Vec<Option<usize>>,
    ends: Vec<usize>,
    blocks: HashMap<(usize, DeadEndContext), Option<Block>>,
}

impl<'a> FoundPaths<'a> {
    /// Finds the paths in a graph.
    pub fn new(graph: &'a StateGraph<'a>) -> Self {
        let search = Search { graph, incoming: IncomingMoves::from_nodes(&graph.nodes) };
        let (settings, legs) = (*graph.settings, graph.legs.legs.len());
        let goal = |_, node: &Node| graph.is_goal(node).then(|| end_cost(settings, graph.rank(node.state)));
        let best = search.best_paths(goal, |by, leg| move_cost(settings, by, leg, legs), |_, _| true);
        let mut found = Self {
            graph,
            next: best.iter().map(|best| (*best)?.next).collect(),
            arrives: best.iter().map(Option::is_some).collect(),
            dead_ends: None,
        };
        if graph.starts.iter().flatten().any(|start| !found.arrives(*start)) {
            found.find_dead_ends(&search);
        }
        found
    }

    /// Returns true if a node has a path to a goal.
    pub fn arrives(&self, node: usize) -> bool {
        self.arrives.get(node).copied().unwrap_or(false)
    }

    /// Finds the best path to the last leg that a node can reach: with the fewest channel changes, to a bundle
    /// that OLM does not upgrade, and to the best one of them.
    fn find_dead_ends(&mut self, search: &Search<'_>) {
        let graph = self.graph;
        let (settings, legs) = (*graph.settings, graph.legs.legs.len());
        let last_legs = search.last_legs();
        let last_leg = |at: usize| last_legs.get(at).copied().unwrap_or(0);
        let is_allowed = |from: usize, to: usize| last_leg(from) == last_leg(to);
        let end = |at: usize, node: &Node| {
            let is_end = node.state.leg == last_leg(at) && !self.arrives(at);
            is_end.then(|| [0, usize::from(node.has_upgrade()), graph.rank(node.state), 0, 0, 0])
        };
        let cost = |by: StopCause, leg: usize| {
            let [changes, second, third, fourth] = move_cost(settings, by, leg, legs);
            [changes, 0, 0, second, third, fourth]
        };
        let furthest = search.best_paths(end, cost, is_allowed);
        let waits = |at: usize, node: &Node| {
            let held = graph.bundle_by_number(node.pending?)?;
            let next = graph.legs.legs.get(node.state.leg + 1);
            let leads_on = next.is_none_or(|next| !held.limit.blocks(next.openshift));
            (leads_on && node.state.leg == last_leg(at)).then_some([0; 4])
        };
        let waiting = search.best_paths(waits, |by, leg| move_cost(settings, by, leg, legs), is_allowed);
        let next: Vec<Option<usize>> =
            waiting.iter().map(|path| (*path)?.next.map(|(to, _)| to as usize)).collect();
        let nearest = follow_to_ends(&next).into_iter().zip(&waiting);
        let pending = nearest.map(|(end, path)| path.map(|_| end)).collect();
        for ((next, arrives), path) in self.next.iter_mut().zip(&self.arrives).zip(furthest) {
            if !arrives {
                *next = path.and_then(|path| path.next);
            }
        }
        let next: Vec<Option<usize>> = self.next.iter().map(|next| next.map(|(to, _)| to as usize)).collect();
        self.dead_ends = Some(DeadEnds {
            last_nodes: search.count_last_nodes(&last_legs),
            last_legs,
            pending,
            ends: follow_to_ends(&next),
            blocks: HashMap::new(),
        });
    }

    /// Returns the last leg that a node without a path to a goal can reach.
    pub fn last_leg(&self, node: usize) -> Option<usize> {
        self.dead_ends.as_ref()?.last_legs.get(node).copied()
    }

    /// Explains why a node does not have a path to a goal.
    pub fn explain_dead_end(&mut self, node: usize) -> Option<Block> {
        let dead_ends = self.dead_ends.as_mut()?;
        let end = *dead_ends.ends.get(node)?;
        let around = DeadEndContext {
            has_others: dead_ends.last_nodes.get(node) == Some(&LastNodes::Several),
            pending: *dead_ends.pending.get(node)?,
        };
        let known = dead_ends.blocks.entry((end, around));
        known.or_insert_with(|| Block::explain_end(self.graph, end, around)).clone()
    }
}
