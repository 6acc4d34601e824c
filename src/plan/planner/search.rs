//! The best plan of all that the moves allow.
//!
//! Wanted, in this order: fewest changes of channel, ends as far as the channel leads (or fewest updates), updates as late as
//! possible (or as early).

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, VecDeque, hash_map::Entry},
};

use super::{
    block::Block,
    graph::Graph,
    question::{Prefer, Question, Start, Updates},
    stop::{By, Plan, Stop},
};

/// What a plan costs, compared from the left.
type Cost = [usize; 4];

const CHANGES: usize = 0;

fn sum(a: Cost, b: Cost) -> Cost {
    std::array::from_fn(|at| a.get(at).copied().unwrap_or(0).saturating_add(b.get(at).copied().unwrap_or(0)))
}

/// The cost of one move made on a leg, of so many legs.
fn cost(question: Question, by: By, leg: usize, legs: usize) -> Cost {
    let mut cost = [0; 4];
    match by {
        By::Channel => cost[CHANGES] = 1,
        By::Installed | By::Cluster => {}
        By::Pick(_) => {
            let time = match question.updates {
                Updates::Latest => legs.saturating_sub(leg + 1),
                Updates::Earliest => leg,
            };
            match question.prefer {
                Prefer::Furthest => (cost[2], cost[3]) = (time, 1),
                Prefer::Fewest => (cost[1], cost[3]) = (1, time),
            }
        }
    }
    cost
}

/// The cost of ending somewhere.
fn end(question: Question, rank: usize) -> Cost {
    match question.prefer {
        Prefer::Furthest => [0, rank, 0, 0],
        Prefer::Fewest => [0, 0, rank, 0],
    }
}

/// The plans that arrive, start by start; `None` for those that cannot.
pub(super) fn arriving<'a>(
    graph: &'a Graph<'a>,
    starts: &'a [Start],
) -> impl Iterator<Item = Option<Plan>> + 'a {
    let best = to_goals(graph);
    starts.iter().zip(&graph.starts).map(move |(start, node)| {
        let node = (*node)?;
        (*best.get(node)?)?;
        let mut stops = Vec::new();
        let (mut at, mut by) = (node, By::Installed);
        // A plan comes to no state twice.
        for _ in 0..=graph.nodes.len() {
            stops.push(stop(graph, at, by)?);
            match (*best.get(at)?)?.next {
                None => return Some(plan(graph, start, stops, None)),
                Some(next) => (at, by) = next,
            }
        }
        None
    })
}

/// The best way from a node to a goal.
#[derive(Clone, Copy, Debug)]
struct Best {
    cost: Cost,
    /// The next node and the move to it; `None` on a goal that one stays on.
    next: Option<(usize, By)>,
    /// The place of that move among those of the node: of equally good ones the first is made.
    place: usize,
}

/// For each node the best way to a goal, found from the goals backwards (Dijkstra).
fn to_goals(graph: &Graph<'_>) -> Vec<Option<Best>> {
    let legs = graph.legs.legs.len();
    let mut into: Vec<Vec<(usize, By, usize)>> = vec![Vec::new(); graph.nodes.len()];
    for (from, node) in graph.nodes.iter().enumerate() {
        for (place, step) in node.moves.iter().enumerate() {
            if let Some(into) = into.get_mut(step.to) {
                into.push((from, step.by, place));
            }
        }
    }
    let mut best: Vec<Option<Best>> = vec![None; graph.nodes.len()];
    let mut open = BinaryHeap::new();
    for (at, node) in graph.nodes.iter().enumerate().filter(|(_, node)| graph.is_goal(node)) {
        let cost = end(*graph.question, graph.rank(node.state));
        if let Some(best) = best.get_mut(at) {
            *best = Some(Best { cost, next: None, place: 0 });
        }
        open.push(Reverse((cost, at)));
    }
    while let Some(Reverse((known, at))) = open.pop() {
        if best.get(at).copied().flatten().is_none_or(|best| best.cost < known) {
            continue;
        }
        for &(from, by, place) in into.get(at).into_iter().flatten() {
            let leg = graph.nodes.get(from).map_or(0, |node| node.state.leg);
            let new =
                Best { cost: sum(known, cost(*graph.question, by, leg, legs)), next: Some((at, by)), place };
            let Some(best) = best.get_mut(from) else { continue };
            let is_better = best.is_none_or(|best| new.cost < best.cost);
            let is_first = best
                .is_some_and(|best| new.cost == best.cost && best.next.is_some() && new.place < best.place);
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

/// The plan of one that cannot arrive: as far as it gets, and why no further. A change of channel is planned where it leads to
/// a later OpenShift version.
pub(super) fn blocked(
    start: &Start,
    (kept, kept_node): (&Graph<'_>, Option<usize>),
    (changing, changing_node): (&Graph<'_>, Option<usize>),
) -> Plan {
    let without = kept_node.map(|node| furthest(kept, node));
    let with = changing_node.map(|node| furthest(changing, node));
    match (without, with) {
        (Some(without), Some(with)) if with.leg > without.leg => partial(changing, start, &with),
        (Some(without), _) => partial(kept, start, &without),
        (None, Some(with)) => partial(changing, start, &with),
        (None, None) => Plan::nothing(start, *kept.question),
    }
}

/// What it costs to come to a node, and the node before with the move from there; `None` at the start.
type Reached = (Cost, Option<(usize, By)>);

/// How far a start gets.
struct Furthest {
    leg: usize,
    /// The nodes from the start to the end, each with the move that led to it.
    way: Vec<(usize, By)>,
    /// Every node of that leg that can be reached.
    around: Vec<usize>,
}

/// The nodes that a start leads to, numbered in the order in which its moves find them: which of two equally good plans is told
/// does not depend on who else is asked about.
fn order(graph: &Graph<'_>, start: usize) -> HashMap<usize, usize> {
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

fn furthest(graph: &Graph<'_>, start: usize) -> Furthest {
    let legs = graph.legs.legs.len();
    let mut best: Vec<Option<Reached>> = vec![None; graph.nodes.len()];
    let order = order(graph, start);
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
            let new = sum(known, cost(*graph.question, step.by, node.state.leg, legs));
            if let Some(best) = best.get_mut(step.to)
                && best.is_none_or(|(best, _)| new < best)
            {
                *best = Some((new, Some((at, step.by))));
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
            (graph.rank(node.state), node.moves.iter().any(|step| matches!(step.by, By::Pick(_))))
        });
        (cost[CHANGES], moves_on, rank, cost)
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
    way.push((start, By::Installed));
    way.reverse();
    Furthest { leg, way, around: reached }
}

fn partial(graph: &Graph<'_>, start: &Start, furthest: &Furthest) -> Plan {
    let stops = furthest.way.iter().filter_map(|&(at, by)| stop(graph, at, by)).collect();
    let end = furthest.way.last().map(|(at, _)| *at);
    let block = end.and_then(|end| Block::of(graph, end, &furthest.around));
    plan(graph, start, stops, block)
}

fn stop(graph: &Graph<'_>, at: usize, by: By) -> Option<Stop> {
    let state = graph.nodes.get(at)?.state;
    let held = graph.held(state)?;
    Some(Stop {
        openshift: graph.leg(state)?.openshift,
        channel: graph.channel(state).cloned(),
        bundle: held.installed.name.clone(),
        version: held.installed.version.clone(),
        by,
    })
}

fn plan(graph: &Graph<'_>, start: &Start, stops: Vec<Stop>, blocked: Option<Block>) -> Plan {
    Plan {
        package: start.package.clone(),
        engine: graph.question.engine,
        approval: graph.question.approval,
        stops,
        blocked,
    }
}
