//! The search for the best plan.
//!
//! Criteria, most important first:
//!
//! 1. Fewest channel changes.
//!
//! 2. Closest to the channel head, or fewest upgrades.
//!
//! 3. Upgrades as late as possible, or as early as possible.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, VecDeque, hash_map::Entry},
};

use super::{
    Plan, PlanSettings, PlanStart, Preference, Stop, StopCause, UpdateTiming, block::Block, graph::StateGraph,
};

/// The cost of a plan. Costs compare lexicographically.
///
/// The first component is the number of channel changes. The others depend on the preference:
///
/// - [`Preference::Furthest`]: rank of the end, time of the upgrades, number of upgrades.
/// - [`Preference::Fewest`]: number of upgrades, rank of the end, time of the upgrades.
type Cost = [usize; 4];

/// The component of a cost with the number of channel changes.
const CHANNEL_CHANGES: usize = 0;

fn add_costs(a: Cost, b: Cost) -> Cost {
    std::array::from_fn(|at| a.get(at).copied().unwrap_or(0).saturating_add(b.get(at).copied().unwrap_or(0)))
}

/// Returns the cost of a move on a leg.
fn move_cost(settings: PlanSettings, by: StopCause, leg: usize, legs: usize) -> Cost {
    let mut cost = [0; 4];
    match by {
        StopCause::Channel => cost[CHANNEL_CHANGES] = 1,
        StopCause::Installed | StopCause::Cluster => {}
        StopCause::Pick(_) => {
            let time = match settings.updates {
                UpdateTiming::Latest => legs.saturating_sub(leg + 1),
                UpdateTiming::Earliest => leg,
            };
            match settings.prefer {
                Preference::Furthest => (cost[2], cost[3]) = (time, 1),
                Preference::Fewest => (cost[1], cost[3]) = (1, time),
            }
        }
    }
    cost
}

/// Returns the cost of the end of a plan. `rank` is 0 for the best end.
fn end_cost(settings: PlanSettings, rank: usize) -> Cost {
    match settings.prefer {
        Preference::Furthest => [0, rank, 0, 0],
        Preference::Fewest => [0, 0, rank, 0],
    }
}

/// Returns the best plan for each start. `None` if no plan reaches a goal of
/// the graph.
pub(super) fn arriving_plans<'a>(
    graph: &'a StateGraph<'a>,
    starts: &'a [PlanStart],
) -> impl Iterator<Item = Option<Plan>> + 'a {
    let best = best_paths(graph);
    starts.iter().zip(&graph.starts).map(move |(start, node)| {
        let node = (*node)?;
        (*best.get(node)?)?;
        let mut stops = Vec::new();
        let (mut at, mut by) = (node, StopCause::Installed);
        // A plan does not visit a state twice.
        for _ in 0..=graph.nodes.len() {
            stops.push(build_stop(graph, at, by)?);
            match (*best.get(at)?)?.next {
                None => return Some(build_plan(graph, start, stops, None)),
                Some(next) => (at, by) = next,
            }
        }
        None
    })
}

/// The best path from a node to a goal.
#[derive(Clone, Copy, Debug)]
struct BestPath {
    cost: Cost,
    /// The next node and the move to it. `None` if the path ends on this node.
    next: Option<(usize, StopCause)>,
    /// The index of the first move in the moves of the node. Among paths with equal cost, the one
    /// with the lowest index is used.
    move_index: usize,
}

/// Finds the best path to a goal for each node with Dijkstra's algorithm, backwards from the goals.
fn best_paths(graph: &StateGraph<'_>) -> Vec<Option<BestPath>> {
    let legs = graph.legs.legs.len();
    let mut into: Vec<Vec<(usize, StopCause, usize)>> = vec![Vec::new(); graph.nodes.len()];
    for (from, node) in graph.nodes.iter().enumerate() {
        for (place, step) in node.moves.iter().enumerate() {
            if let Some(into) = into.get_mut(step.to) {
                into.push((from, step.cause, place));
            }
        }
    }
    let mut best: Vec<Option<BestPath>> = vec![None; graph.nodes.len()];
    let mut open = BinaryHeap::new();
    for (at, node) in graph.nodes.iter().enumerate().filter(|(_, node)| graph.is_goal(node)) {
        let cost = end_cost(*graph.settings, graph.rank(node.state));
        if let Some(best) = best.get_mut(at) {
            *best = Some(BestPath { cost, next: None, move_index: 0 });
        }
        open.push(Reverse((cost, at)));
    }
    while let Some(Reverse((known, at))) = open.pop() {
        if best.get(at).copied().flatten().is_none_or(|best| best.cost < known) {
            continue;
        }
        for &(from, by, place) in into.get(at).into_iter().flatten() {
            let leg = graph.nodes.get(from).map_or(0, |node| node.state.leg);
            let new = BestPath {
                cost: add_costs(known, move_cost(*graph.settings, by, leg, legs)),
                next: Some((at, by)),
                move_index: place,
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

/// Returns the plan for a start that cannot reach a goal: the stops that it can reach, and the
/// reason.
///
/// `kept` is the graph without channel changes, and `changing` the graph with them; each comes with
/// the node of the start. The plan contains a channel change only if that reaches a later OpenShift
/// version.
pub(super) fn blocked_plan(
    start: &PlanStart,
    (kept, kept_node): (&StateGraph<'_>, Option<usize>),
    (changing, changing_node): (&StateGraph<'_>, Option<usize>),
) -> Plan {
    let without = kept_node.map(|node| find_furthest(kept, node));
    let with = changing_node.map(|node| find_furthest(changing, node));
    match (without, with) {
        (Some(without), Some(with)) if with.leg > without.leg => partial_plan(changing, start, &with),
        (Some(without), _) => partial_plan(kept, start, &without),
        (None, Some(with)) => partial_plan(changing, start, &with),
        (None, None) => Plan::empty(start, *kept.settings),
    }
}

/// The cost to reach a node, and the previous node with the move. `None` for the start.
type Reached = (Cost, Option<(usize, StopCause)>);

/// The path to the last leg that a start can reach.
struct Furthest {
    leg: usize,
    /// The nodes from the start to the end, each with the move to it.
    path: Vec<(usize, StopCause)>,
    /// All reachable nodes on the last leg.
    last_leg_nodes: Vec<usize>,
}

/// Numbers the nodes reachable from a start in breadth-first order.
///
/// With this order, the choice between equally good plans does not depend on other starts.
fn breadth_first_order(graph: &StateGraph<'_>, start: usize) -> HashMap<usize, usize> {
    let mut order = HashMap::from([(start, 0)]);
    let mut open = VecDeque::from([start]);
    while let Some(at) = open.pop_front() {
        for step in graph.nodes.get(at).into_iter().flat_map(|node| &node.moves) {
            let next = order.len();
            if let Entry::Vacant(new) = order.entry(step.to) {
                new.insert(next);
                open.push_back(step.to);
            }
        }
    }
    order
}

/// Finds the best path to the last leg that a start can reach.
fn find_furthest(graph: &StateGraph<'_>, start: usize) -> Furthest {
    let legs = graph.legs.legs.len();
    let mut best: Vec<Option<Reached>> = vec![None; graph.nodes.len()];
    let order = breadth_first_order(graph, start);
    let rank = |at: usize| order.get(&at).copied().unwrap_or(usize::MAX);
    let mut open = BinaryHeap::from([Reverse(([0; 4], 0, start))]);
    if let Some(best) = best.get_mut(start) {
        *best = Some(([0; 4], None));
    }
    let mut reached = Vec::new();
    while let Some(Reverse((known, _, at))) = open.pop() {
        if best.get(at).copied().flatten().is_none_or(|(best, _)| best < known) {
            continue;
        }
        let Some(node) = graph.nodes.get(at) else { continue };
        reached.push(at);
        for step in &node.moves {
            let new = add_costs(known, move_cost(*graph.settings, step.cause, node.state.leg, legs));
            if let Some(best) = best.get_mut(step.to)
                && best.is_none_or(|(best, _)| new < best)
            {
                *best = Some((new, Some((at, step.cause))));
                open.push(Reverse((new, rank(step.to), step.to)));
            }
        }
    }
    let leg_of = |at: &usize| graph.nodes.get(*at).map_or(0, |node| node.state.leg);
    let leg = reached.iter().map(leg_of).max().unwrap_or(0);
    reached.retain(|at| leg_of(at) == leg);
    let worth = |at: &usize| {
        let cost = best.get(*at).copied().flatten().map_or([0; 4], |(cost, _)| cost);
        let node = graph.nodes.get(*at);
        let (rank, moves_on) = node.map_or((0, false), |node| {
            (graph.rank(node.state), node.moves.iter().any(|step| matches!(step.cause, StopCause::Pick(_))))
        });
        (cost[CHANNEL_CHANGES], moves_on, rank, cost)
    };
    let goal = reached.iter().copied().min_by_key(worth).unwrap_or(start);
    let mut way = Vec::new();
    let mut at = goal;
    for _ in 0..=graph.nodes.len() {
        match best.get(at).copied().flatten() {
            Some((_, Some((before, by)))) => {
                way.push((at, by));
                at = before;
            }
            _ => break,
        }
    }
    way.push((start, StopCause::Installed));
    way.reverse();
    Furthest { leg, path: way, last_leg_nodes: reached }
}

fn partial_plan(graph: &StateGraph<'_>, start: &PlanStart, furthest: &Furthest) -> Plan {
    let stops = furthest.path.iter().filter_map(|&(at, by)| build_stop(graph, at, by)).collect();
    let end = furthest.path.last().map(|(at, _)| *at);
    let block = end.and_then(|end| Block::explain_end(graph, end, &furthest.last_leg_nodes));
    build_plan(graph, start, stops, block)
}

fn build_stop(graph: &StateGraph<'_>, at: usize, by: StopCause) -> Option<Stop> {
    let state = graph.nodes.get(at)?.state;
    let held = graph.bundle_of(state)?;
    Some(Stop {
        openshift: graph.leg_of(state)?.openshift,
        channel: graph.channel_of(state).cloned(),
        bundle: held.installed.name.clone(),
        version: held.installed.version.clone(),
        cause: by,
    })
}

fn build_plan(graph: &StateGraph<'_>, start: &PlanStart, stops: Vec<Stop>, blocked: Option<Block>) -> Plan {
    Plan {
        package: start.package.clone(),
        engine: graph.settings.engine,
        approval: graph.settings.approval,
        stops,
        blocked,
    }
}
