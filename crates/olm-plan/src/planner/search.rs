//! The graph of a package's possible states with the moves between them, and the search for the best plan in
//! it.
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
    Approval, Plan, PlanSettings, PlanStart, Preference, Stop, StopCause, UpdateTiming,
    block::Block,
    leg::{Leg, LegResolver, Legs, NextBundle, WORST_RANK},
};
use olm_catalog::{BundleName, ChannelName, package::Package};
use olm_upgrade::{Engine, Installed, ResolveError, openshift::OpenShiftLimit};

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

/// State of an operator: leg, channel and bundle, all as numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct State {
    pub leg: usize,
    /// `None` for OLM v1 without channel.
    pub channel: Option<usize>,
    pub held: usize,
}

/// Move to another state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Move {
    pub to: usize,
    pub cause: StopCause,
}

/// State with its moves.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub state: State,
    pub moves: Vec<Move>,
    /// The error that the resolver returns in this state.
    pub error: Option<ResolveError>,
    /// In OLM Classic, the next bundle if the Kubernetes version is too low for it.
    pub pending: Option<usize>,
}

/// See the module docs.
#[derive(Debug)]
pub(super) struct StateGraph<'a> {
    pub legs: &'a Legs,
    pub settings: &'a PlanSettings,
    pub nodes: Vec<Node>,
    numbers: HashMap<State, usize>,
    bundles: HeldBundles,
    channels: Vec<ChannelName>,
    resolvers: HashMap<(usize, Option<usize>), LegResolver>,
    may_change_channel: bool,
    /// The node of each start. `None` if there are no catalogs.
    pub starts: Vec<Option<usize>>,
}

impl<'a> StateGraph<'a> {
    /// Builds the graph of all states reachable from the starts. `changes` allows channel changes.
    pub fn new(legs: &'a Legs, question: &'a PlanSettings, changes: bool, starts: &[PlanStart]) -> Self {
        let mut graph = Self {
            legs,
            settings: question,
            nodes: Vec::new(),
            numbers: HashMap::new(),
            bundles: HeldBundles::default(),
            channels: Vec::new(),
            resolvers: HashMap::new(),
            may_change_channel: changes,
            starts: Vec::new(),
        };
        graph.starts = starts.iter().map(|start| graph.add_start(start)).collect();
        let mut at = 0;
        while at < graph.nodes.len() {
            graph.add_moves(at);
            at += 1;
        }
        graph
    }

    fn add_start(&mut self, start: &PlanStart) -> Option<usize> {
        let legs = self.legs;
        legs.legs.first()?;
        let mut packages = legs.legs.iter().filter_map(|leg| leg.graph.as_ref()).map(|graph| &graph.package);
        let limit = start.limit.clone().or_else(|| {
            let known = packages.find(|package| package.bundle(start.installed.name.as_str()).is_some());
            known.map(|package| HeldBundle::from_package(package, &start.installed.name).limit)
        });
        let limit = limit.unwrap_or(OpenShiftLimit::None);
        let held = self.bundles.number_of(HeldBundle { installed: start.installed.clone(), limit });
        let channel = start.channel.as_ref().map(|channel| self.channel_number(channel));
        Some(self.node_of(State { leg: 0, channel, held }))
    }

    fn channel_number(&mut self, channel: &ChannelName) -> usize {
        if let Some(at) = self.channels.iter().position(|known| known == channel) {
            return at;
        }
        self.channels.push(channel.clone());
        self.channels.len() - 1
    }

    fn node_of(&mut self, state: State) -> usize {
        if let Some(&at) = self.numbers.get(&state) {
            return at;
        }
        let at = self.nodes.len();
        self.nodes.push(Node { state, moves: Vec::new(), error: None, pending: None });
        self.numbers.insert(state, at);
        at
    }

    /// Adds the possible moves to a node.
    fn add_moves(&mut self, at: usize) {
        let Some(state) = self.nodes.get(at).map(|node| node.state) else { return };
        let legs = self.legs;
        let (Some(leg), Some(held)) = (legs.legs.get(state.leg), self.bundles.get(state.held).cloned())
        else {
            return;
        };
        let mut moves = Vec::new();
        let (mut error, mut pending) = (None, None);
        match self.next_bundles(leg, state, &held) {
            Err(why) => error = Some(why),
            Ok(next) => {
                for (name, kind) in next {
                    let Some(graph) = &leg.graph else { continue };
                    let to = self.bundles.number_of(HeldBundle::from_package(&graph.package, &name));
                    // The CSV needs a higher Kubernetes version than the cluster has, so it stays pending in
                    // OLM Classic.
                    if self.settings.engine == Engine::Classic
                        && super::required_kubernetes(leg, &name).is_some()
                    {
                        pending = Some(to);
                        continue;
                    }
                    let to = self.node_of(State { held: to, ..state });
                    moves.push(Move { to, cause: StopCause::Pick(kind) });
                }
            }
        }
        // With automatic approval, OLM upgrades the operator before anything else happens.
        if self.settings.approval == Approval::Manual || moves.is_empty() {
            if self.may_change_channel {
                self.add_channel_changes(leg, state, &held, &mut moves);
            }
            if let Some(next) = legs.legs.get(state.leg + 1)
                && !held.limit.blocks(next.openshift)
            {
                let to = self.node_of(State { leg: state.leg + 1, ..state });
                moves.push(Move { to, cause: StopCause::Cluster });
            }
        }
        if let Some(node) = self.nodes.get_mut(at) {
            (node.moves, node.error, node.pending) = (moves, error, pending);
        }
    }

    fn resolver_of(&mut self, leg: &Leg, state: State) -> &LegResolver {
        let channel = state.channel.and_then(|at| self.channels.get(at));
        let made = || LegResolver::new(&self.legs.package, leg, self.settings.engine, channel);
        self.resolvers.entry((state.leg, state.channel)).or_insert_with(made)
    }

    fn next_bundles(
        &mut self,
        leg: &Leg,
        state: State,
        held: &HeldBundle,
    ) -> Result<Vec<NextBundle>, ResolveError> {
        let approval = self.settings.approval;
        self.resolver_of(leg, state).next_bundles(approval, &held.installed)
    }

    /// Adds changes to channels that have an upgrade, or on the last leg the installed bundle itself.
    fn add_channel_changes(&mut self, leg: &Leg, state: State, held: &HeldBundle, moves: &mut Vec<Move>) {
        let Some(followed) = self.channel_of(state).cloned() else { return };
        let Some(graph) = leg.graph.clone() else { return };
        let is_last = state.leg + 1 == self.legs.legs.len();
        for channel in graph.channels() {
            let name = channel.graph.name();
            if *name == followed {
                continue;
            }
            let other = State { channel: Some(self.channel_number(name)), ..state };
            let has_it = is_last && channel.graph.entry_named(held.installed.name.as_str()).is_some();
            if has_it || self.next_bundles(leg, other, held).is_ok_and(|next| !next.is_empty()) {
                let to = self.node_of(other);
                moves.push(Move { to, cause: StopCause::Channel });
            }
        }
    }

    pub fn channel_of(&self, state: State) -> Option<&ChannelName> {
        self.channels.get(state.channel?)
    }

    /// Returns the bundle of a state.
    pub fn bundle_of(&self, state: State) -> Option<&HeldBundle> {
        self.bundles.get(state.held)
    }

    /// Returns the bundle with a number.
    pub fn bundle_by_number(&self, held: usize) -> Option<&HeldBundle> {
        self.bundles.get(held)
    }

    pub fn leg_of(&self, state: State) -> Option<&Leg> {
        self.legs.legs.get(state.leg)
    }

    /// Returns how good a state is as the end of a plan. 0 is best.
    pub fn rank(&self, state: State) -> usize {
        let known = self.resolvers.get(&(state.leg, state.channel)).zip(self.bundle_of(state));
        known.map_or(WORST_RANK, |(resolver, held)| resolver.rank(&held.installed.name))
    }

    /// Returns true if a plan can end in a node.
    ///
    /// It must be on the last leg, and the catalog must have its bundle and its channel. There must also be no
    /// pending automatic upgrade.
    pub fn is_goal(&self, node: &Node) -> bool {
        let state = node.state;
        let at_rest = self.settings.approval == Approval::Manual
            || !node.moves.iter().any(|step| matches!(step.cause, StopCause::Pick(_)));
        state.leg + 1 == self.legs.legs.len()
            && at_rest
            && self.is_in_catalog(state)
            && self.leg_of(state).is_some_and(|leg| leg.has_channel(self.channel_of(state)))
    }

    /// Returns true if the catalog of the leg has the bundle.
    pub fn is_in_catalog(&self, state: State) -> bool {
        let there = self.leg_of(state).zip(self.bundle_of(state));
        there.is_some_and(|(leg, held)| leg.has_bundle(&held.installed.name))
    }
}

/// Installed bundle.
///
/// Bundles with the same name but different versions in different catalogs are different values.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct HeldBundle {
    /// The name and version.
    pub installed: Installed,
    /// The highest supported OpenShift version.
    pub limit: OpenShiftLimit,
}

impl HeldBundle {
    /// Creates the value for a bundle of a package.
    pub fn from_package(package: &Package, name: &BundleName) -> Self {
        let limit = package
            .bundle(name.as_str())
            .map_or(OpenShiftLimit::None, |bundle| OpenShiftLimit::from_bundle(bundle));
        Self { installed: Installed::from_package(package, name), limit }
    }
}

/// Numbered set of bundles.
#[derive(Debug, Default)]
pub(super) struct HeldBundles {
    all: Vec<HeldBundle>,
    by_name: HashMap<BundleName, Vec<usize>>,
}

impl HeldBundles {
    /// Returns the number of a bundle. Adds the bundle if it is not in the set.
    pub fn number_of(&mut self, held: HeldBundle) -> usize {
        let known = self.by_name.entry(held.installed.name.clone()).or_default();
        if let Some(&at) = known.iter().find(|&&at| self.all.get(at) == Some(&held)) {
            return at;
        }
        let at = self.all.len();
        known.push(at);
        self.all.push(held);
        at
    }

    /// Returns the bundle with a number.
    pub fn get(&self, at: usize) -> Option<&HeldBundle> {
        self.all.get(at)
    }
}
