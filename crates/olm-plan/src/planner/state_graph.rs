//! The graph of a package's possible states, with the moves between them.

use std::collections::HashMap;

use super::{
    Approval, PlanSettings, PlanStart, StopCause,
    leg::{Leg, LegResolver, Legs, NextBundle, WORST_RANK},
};
use olm_catalog::{BundleName, ChannelName, package::Package};
use olm_upgrade::{Engine, Installed, ResolveError, openshift::OpenShiftLimit};

/// State of an operator: leg, channel and bundle, all as numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct State {
    pub leg: usize,
    /// `None` for OLM v1 without channel.
    pub channel: Option<usize>,
    pub held: usize,
}

/// Move to another state. Ranges can admit a move between any two bundles, so moves are small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Move {
    /// The number of the node.
    pub to: u32,
    pub cause: StopCause,
}

impl Move {
    fn to_node(to: usize, cause: StopCause) -> Self {
        Self { to: u32::try_from(to).unwrap_or(u32::MAX), cause }
    }

    /// Returns the index of the node that it leads to.
    pub fn target(self) -> usize {
        self.to as usize
    }
}

/// The moves of a graph by the node that they lead to.
#[derive(Debug)]
pub(super) struct IncomingMoves {
    /// For each node the end of its part of `moves`.
    ends: Vec<usize>,
    /// The node that the move leaves, and the index of the move there.
    moves: Vec<(u32, u32)>,
}

impl IncomingMoves {
    /// Sorts the moves of all nodes by target. The sort is stable.
    pub fn from_nodes(nodes: &[Node]) -> Self {
        let mut starts = vec![0_usize; nodes.len()];
        for step in nodes.iter().flat_map(|node| &node.moves) {
            if let Some(count) = starts.get_mut(step.target()) {
                *count += 1;
            }
        }
        let mut total = 0;
        for start in &mut starts {
            total += std::mem::replace(start, total);
        }
        let mut moves = vec![(0, 0); total];
        for (from, node) in (0..).zip(nodes) {
            for (index, step) in (0..).zip(&node.moves) {
                let Some(next) = starts.get_mut(step.target()) else { continue };
                if let Some(slot) = moves.get_mut(*next) {
                    *slot = (from, index);
                }
                *next += 1;
            }
        }
        // Each start moved to the end of its part.
        Self { ends: starts, moves }
    }

    /// Returns the moves to a node: the node that each leaves, and its index there.
    pub fn moves_to(&self, at: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let start = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let part = start.zip(self.ends.get(at)).and_then(|(start, &end)| self.moves.get(start..end));
        part.into_iter().flatten().map(|&(from, index)| (from as usize, index as usize))
    }
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

impl Node {
    /// Returns true if OLM can upgrade the operator in this state.
    pub fn has_upgrade(&self) -> bool {
        self.moves.iter().any(|step| matches!(step.cause, StopCause::Pick(_)))
    }
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
    channel_numbers: HashMap<ChannelName, usize>,
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
            channel_numbers: HashMap::new(),
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
        if let Some(&at) = self.channel_numbers.get(channel) {
            return at;
        }
        let at = self.channels.len();
        self.channels.push(channel.clone());
        self.channel_numbers.insert(channel.clone(), at);
        at
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
                    moves.push(Move::to_node(to, StopCause::Pick(kind)));
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
                moves.push(Move::to_node(to, StopCause::Cluster));
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
                moves.push(Move::to_node(to, StopCause::Channel));
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

    /// Returns the bundles by number.
    pub fn bundles(&self) -> &[HeldBundle] {
        &self.bundles.all
    }

    /// Returns the channels by number.
    pub fn channels(&self) -> &[ChannelName] {
        &self.channels
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
        let at_rest = self.settings.approval == Approval::Manual || !node.has_upgrade();
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
