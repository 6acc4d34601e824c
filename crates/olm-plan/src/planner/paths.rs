//! The plans of all installed versions of a package, in one graph.
//!
//! Each state of the operator has one best move. So a plan is only its first state, and plans share the states
//! that they have in common. The memory depends on the number of states, and not on the length of all plans.

use std::collections::HashSet;

use super::{
    Approval, Legs, Plan, PlanSettings, PlanStart, Stop, StopCause,
    block::Block,
    search::{FoundPaths, NextNode, follow_to_ends},
    state_graph::StateGraph,
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_upgrade::{Engine, Installed, openshift::OpenShift};
use olm_version::VersionRelease;

/// State with its best move.
#[derive(Clone, PartialEq, Debug)]
struct PathNode {
    leg: u32,
    channel: Option<u32>,
    bundle: u32,
    next: NextNode,
    /// The last node of the path.
    end: u32,
    /// The last node of the path on the same leg.
    leg_end: u32,
    /// The number of upgrades to `leg_end`.
    upgrades: u32,
    /// True if the channel changes before `leg_end`.
    changes_channel: bool,
}

/// States of an operator with the best move from each.
#[derive(Clone, PartialEq, Debug, Default)]
struct PathGraph {
    versions: Vec<OpenShift>,
    channels: Vec<ChannelName>,
    bundles: Vec<Installed>,
    nodes: Vec<PathNode>,
}

/// Converts a number of nodes, which fits: each node takes more than a byte of memory.
fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl PathGraph {
    fn from_paths(found: &FoundPaths<'_>) -> Self {
        let graph = found.graph;
        let leg_of = |at: usize| graph.nodes.get(at).map(|node| node.state.leg);
        let next = |at: usize| found.next.get(at).copied().flatten().map(|(to, cause)| (to as usize, cause));
        let all: Vec<Option<usize>> = (0..graph.nodes.len()).map(|at| Some(next(at)?.0)).collect();
        let on_leg: Vec<Option<usize>> = all
            .iter()
            .enumerate()
            .map(|(at, next)| next.filter(|next| leg_of(*next) == leg_of(at)))
            .collect();
        let (ends, leg_ends) = (follow_to_ends(&all), follow_to_ends(&on_leg));
        let nodes = graph.nodes.iter().enumerate().map(|(at, node)| PathNode {
            leg: to_u32(node.state.leg),
            channel: node.state.channel.map(to_u32),
            bundle: to_u32(node.state.held),
            next: found.next.get(at).copied().flatten(),
            end: to_u32(ends.get(at).copied().unwrap_or(at)),
            leg_end: to_u32(leg_ends.get(at).copied().unwrap_or(at)),
            upgrades: 0,
            changes_channel: false,
        });
        let mut made = Self {
            versions: graph.legs.legs.iter().map(|leg| leg.openshift).collect(),
            channels: graph.channels().to_vec(),
            bundles: graph.bundles().iter().map(|held| held.installed.clone()).collect(),
            nodes: nodes.collect(),
        };
        made.count_moves(&on_leg);
        made
    }

    /// Counts the moves of each node on its leg, from the ends of the legs backwards.
    fn count_moves(&mut self, on_leg: &[Option<usize>]) {
        let mut is_counted: Vec<bool> = on_leg.iter().map(Option::is_none).collect();
        let mut path = Vec::new();
        for start in 0..on_leg.len() {
            let mut at = start;
            while is_counted.get(at) == Some(&false) && path.len() <= on_leg.len() {
                path.push(at);
                at = on_leg.get(at).copied().flatten().unwrap_or(at);
            }
            for at in path.drain(..).rev() {
                let after = on_leg.get(at).copied().flatten().and_then(|next| self.nodes.get(next));
                let (upgrades, changes) =
                    after.map_or((0, false), |after| (after.upgrades, after.changes_channel));
                let Some(node) = self.nodes.get_mut(at) else { continue };
                let cause = node.next.map(|(_, cause)| cause);
                node.upgrades = upgrades.saturating_add(u32::from(matches!(cause, Some(StopCause::Pick(_)))));
                node.changes_channel = changes || cause == Some(StopCause::Channel);
                if let Some(counted) = is_counted.get_mut(at) {
                    *counted = true;
                }
            }
        }
    }

    fn node(&self, at: u32) -> Option<&PathNode> {
        self.nodes.get(at as usize)
    }

    fn state_at(&self, at: u32) -> Option<OperatorState<'_>> {
        let node = self.node(at)?;
        let bundle = self.bundles.get(node.bundle as usize)?;
        Some(OperatorState {
            openshift: *self.versions.get(node.leg as usize)?,
            channel: node.channel.and_then(|channel| self.channels.get(channel as usize)),
            bundle: &bundle.name,
            version: bundle.version.as_ref(),
        })
    }
}

/// Plan by its first state.
#[derive(Clone, PartialEq, Debug)]
struct PlanRecord {
    /// True if the plan can change the channel, so that its state is in the graph with channel changes.
    may_change_channel: bool,
    /// `None` if there are no catalogs.
    node: Option<u32>,
    blocked: Option<Block>,
}

/// The plans of several installed versions of a package, in input order.
#[derive(Clone, PartialEq, Debug)]
pub struct SharedPlans {
    package: PackageName,
    engine: Engine,
    approval: Approval,
    kept: PathGraph,
    changing: PathGraph,
    records: Vec<PlanRecord>,
}

impl SharedPlans {
    /// Plans the updates of several installed versions of a package.
    pub fn from_starts(legs: &Legs, starts: &[PlanStart], question: &PlanSettings) -> Self {
        // Change a channel only if nothing else helps. So first find the plans without channel change.
        let graph = StateGraph::new(legs, question, false, starts);
        let mut kept = FoundPaths::new(&graph);
        let is_left = |node: &Option<usize>| {
            node.is_some_and(|node| question.may_change_channel && !kept.arrives(node))
        };
        let left = starts.iter().zip(&graph.starts).filter(|(_, node)| is_left(node));
        let others: Vec<PlanStart> = left.map(|(start, _)| start.clone()).collect();
        let changing_graph = StateGraph::new(legs, question, true, &others);
        let mut changing = FoundPaths::new(&changing_graph);
        let mut changing_nodes = changing_graph.starts.iter().copied();
        let record = |node: &Option<usize>| {
            let record = |may_change_channel, node: usize, blocked| PlanRecord {
                may_change_channel,
                node: Some(to_u32(node)),
                blocked,
            };
            let Some(node) = *node else {
                return PlanRecord { may_change_channel: false, node: None, blocked: None };
            };
            if kept.arrives(node) {
                return record(false, node, None);
            }
            match changing_nodes.next().flatten() {
                Some(other) if changing.arrives(other) => record(true, other, None),
                // A blocked plan contains a channel change only if that reaches a later OpenShift version.
                Some(other) if changing.last_leg(other) > kept.last_leg(node) => {
                    record(true, other, changing.explain_dead_end(other))
                }
                _ => record(false, node, kept.explain_dead_end(node)),
            }
        };
        let records = graph.starts.iter().map(record).collect();
        Self {
            package: legs.package.clone(),
            engine: question.engine,
            approval: question.approval,
            kept: PathGraph::from_paths(&kept),
            changing: PathGraph::from_paths(&changing),
            records,
        }
    }

    /// Returns the plans in input order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = VersionPlan<'_>> {
        self.records.iter().map(|record| VersionPlan { all: self, record })
    }

    /// Returns a plan by its index.
    pub fn nth_plan(&self, nth: usize) -> Option<VersionPlan<'_>> {
        self.records.get(nth).map(|record| VersionPlan { all: self, record })
    }

    /// Returns the number of plans.
    pub fn count_plans(&self) -> usize {
        self.records.len()
    }

    /// Copies the plans, each up to the first stop that an earlier plan also has. Together they have every stop
    /// and every move.
    pub fn to_plans_without_repeats(&self) -> Vec<Plan> {
        let mut visited: HashSet<(bool, u32)> = HashSet::new();
        let copy = |plan: VersionPlan<'_>| {
            let may_change_channel = plan.record.may_change_channel;
            let mut is_repeated = false;
            let stops = plan.steps().map_while(|(at, stop)| {
                let is_wanted = !is_repeated;
                is_repeated |= !visited.insert((may_change_channel, at));
                is_wanted.then_some(stop)
            });
            plan.with_stops(stops.collect())
        };
        self.iter().map(copy).collect()
    }

    /// Returns the number of states that the plans are made of. The memory depends on it.
    pub fn count_states(&self) -> usize {
        self.kept.nodes.len() + self.changing.nodes.len()
    }
}

/// State of an operator at a stop of a plan. See [`Stop`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OperatorState<'a> {
    /// The OpenShift version of the cluster.
    pub openshift: OpenShift,
    /// The followed channel. `None` for any channel in OLM v1.
    pub channel: Option<&'a ChannelName>,
    /// The installed bundle.
    pub bundle: &'a BundleName,
    /// The version of the bundle, if known.
    pub version: Option<&'a VersionRelease>,
}

impl OperatorState<'_> {
    fn to_stop(self, cause: StopCause) -> Stop {
        Stop {
            openshift: self.openshift,
            channel: self.channel.cloned(),
            bundle: self.bundle.clone(),
            version: self.version.cloned(),
            cause,
        }
    }
}

/// Part of a plan on one OpenShift version.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct VersionPart<'a> {
    /// The state when the cluster leaves the version, or at the end.
    pub last: OperatorState<'a>,
    /// The number of upgrades.
    pub upgrades: usize,
    /// True if the channel changes.
    pub changes_channel: bool,
}

/// Plan of an installed version, whose stops are in the graph of all plans of the package.
#[derive(Clone, Copy, Debug)]
pub struct VersionPlan<'a> {
    all: &'a SharedPlans,
    record: &'a PlanRecord,
}

impl<'a> VersionPlan<'a> {
    fn graph(self) -> &'a PathGraph {
        if self.record.may_change_channel { &self.all.changing } else { &self.all.kept }
    }

    /// Returns the name of the package.
    pub fn package(self) -> &'a PackageName {
        &self.all.package
    }

    /// Returns the OLM engine.
    pub fn engine(self) -> Engine {
        self.all.engine
    }

    /// Returns the reason why the plan does not arrive; `None` if it arrives.
    pub fn blocked(self) -> Option<&'a Block> {
        self.record.blocked.as_ref()
    }

    /// Returns true if the plan arrives.
    pub fn arrives(self) -> bool {
        self.record.blocked.is_none() && self.record.node.is_some()
    }

    /// Returns the state at the first stop, with the installed bundle.
    pub fn first_state(self) -> Option<OperatorState<'a>> {
        self.graph().state_at(self.record.node?)
    }

    /// Returns the state at the last stop. The work does not depend on the number of stops.
    pub fn last_state(self) -> Option<OperatorState<'a>> {
        let graph = self.graph();
        graph.state_at(graph.node(self.record.node?)?.end)
    }

    /// Returns the part of the plan on each OpenShift version that it reaches, in order. The work does not depend
    /// on the number of stops.
    pub fn version_parts(self) -> impl Iterator<Item = VersionPart<'a>> {
        let graph = self.graph();
        let next_leg = move |at: &u32| Some(graph.node(graph.node(*at)?.leg_end)?.next?.0);
        std::iter::successors(self.record.node, next_leg).map_while(move |at| {
            let node = graph.node(at)?;
            Some(VersionPart {
                last: graph.state_at(node.leg_end)?,
                upgrades: node.upgrades as usize,
                changes_channel: node.changes_channel,
            })
        })
    }

    /// Returns the stops with their nodes.
    fn steps(self) -> impl Iterator<Item = (u32, Stop)> {
        let graph = self.graph();
        let first = self.record.node.map(|node| (node, StopCause::Installed));
        std::iter::successors(first, |(at, _)| graph.node(*at)?.next)
            .map_while(|(at, cause)| Some((at, graph.state_at(at)?.to_stop(cause))))
    }

    /// Copies the plan with all of its stops.
    pub fn to_plan(self) -> Plan {
        self.with_stops(self.steps().map(|(_, stop)| stop).collect())
    }

    fn with_stops(self, stops: Vec<Stop>) -> Plan {
        Plan {
            package: self.all.package.clone(),
            engine: self.all.engine,
            approval: self.all.approval,
            stops,
            blocked: self.record.blocked.clone(),
        }
    }
}
