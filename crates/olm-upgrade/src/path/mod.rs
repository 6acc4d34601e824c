//! Upgrade path of an installed bundle: its hops, the reason if it does not arrive, and possible
//! fixes.
//!
//! A path is what a cluster does without intervention: each hop is the resolver's pick for the
//! previous bundle. It is not an arbitrary walk along edges.

mod channel_changes;
mod fix;
mod sentences;
mod stop;
mod walker;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use super::{
    answer::{Admission, Engine, ResolveError},
    graph::EdgeKind,
    installed::Installed,
    package::PackageGraph,
    v1::Query,
};
use olm_catalog::{BundleName, ChannelName};

pub use fix::{PathFix, PathFixKind};
pub use stop::{IgnoredEdge, StopReason, UnreachableReason};

use walker::Walker;

/// OLM of a cluster, with its channel or query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpgradeContext {
    /// OLM Classic, subscribed to a channel.
    Classic(ChannelName),
    /// OLM v1.
    V1(Query),
}

impl UpgradeContext {
    /// Returns the OLM of the cluster.
    pub fn engine(&self) -> Engine {
        match self {
            Self::Classic(_) => Engine::Classic,
            Self::V1(_) => Engine::V1,
        }
    }
}

/// Upgrade from one bundle to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Hop {
    /// OLM that upgrades.
    pub engine: Engine,
    /// Installed bundle.
    pub from: BundleName,
    /// Target of the upgrade.
    pub to: BundleName,
    /// Rule that admits the target.
    pub rule: Admission,
}

impl Hop {
    /// Returns the kind of the edge; `None` if edges do not matter, as with the policy
    /// `SelfCertified`.
    pub fn edge(&self) -> Option<EdgeKind> {
        self.rule.edge()
    }

    /// Returns the channel whose entry has the edge.
    pub fn channel(&self) -> Option<&ChannelName> {
        self.rule.channel()
    }

    /// Describes the rule, for readers who know the installed bundle.
    pub fn describe_rule(&self) -> String {
        match &self.rule {
            Admission::Replaces { channel, .. } => format!("replaces it in {channel}"),
            Admission::Skips { channel, .. } => format!("skips it in {channel}"),
            Admission::Installed => "has the same version".to_owned(),
            other => other.to_string(),
        }
    }
}

/// Path with its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct PickedPath {
    /// OLM of the cluster.
    pub context: UpgradeContext,
    /// Installed bundle at the start.
    pub from: Installed,
    /// Goal; `None` to follow the path to its end.
    pub to: Option<BundleName>,
    /// Upgrades in order. The last one passes the goal if the outcome is [`PathOutcome::PassesBy`]. Empty
    /// if it is [`PathOutcome::Never`].
    pub hops: Vec<Hop>,
    /// Outcome of the path.
    pub outcome: PathOutcome,
}

/// Outcome of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum PathOutcome {
    /// The path reaches the goal.
    Arrives,
    /// The path stops before the goal.
    Stays {
        /// Bundle at which it stops.
        at: BundleName,
        /// Reason why there is no next bundle.
        why: StopReason,
    },
    /// An upgrade passes the goal without landing on it.
    PassesBy {
        /// Bundle before the upgrade.
        from: BundleName,
        /// Bundle after the upgrade.
        to: BundleName,
        /// Classic: entry that skips the goal, so that Classic never picks it.
        skipped_by: Option<BundleName>,
    },
    /// The goal is unreachable, from any bundle or from this one.
    Never(UnreachableReason),
    /// The path is a cycle.
    Cycle {
        /// First bundle that repeats.
        at: BundleName,
    },
    /// The resolver reports an error.
    Error {
        /// Bundle with the error.
        at: BundleName,
        /// Error of the resolver.
        error: ResolveError,
    },
}

impl PickedPath {
    /// Returns true if the path reaches the goal.
    pub fn arrives(&self) -> bool {
        self.outcome == PathOutcome::Arrives
    }

    /// Returns the last bundle of the path.
    pub fn last_bundle(&self) -> &BundleName {
        self.hops.last().map_or(&self.from.name, |hop| &hop.to)
    }
}

/// Follows the picks from an installed bundle until `to`, or until the end if `to` is `None`.
pub fn follow_path(
    graph: &PackageGraph,
    traveller: &UpgradeContext,
    from: &Installed,
    to: Option<&BundleName>,
) -> PickedPath {
    let walker = Walker::new(graph, traveller);
    let (hops, stop) = walk_picks(&walker, from, to);
    let mut path = PickedPath {
        context: traveller.clone(),
        from: from.clone(),
        to: to.cloned(),
        hops,
        outcome: PathOutcome::Arrives,
    };
    path.outcome = match (stop, to) {
        (WalkEnd::Arrives, _) | (WalkEnd::Stays(_), None) => return path,
        (WalkEnd::Error(at, error), _) => PathOutcome::Error { at: at.name, error },
        (WalkEnd::Circle(at), None) => PathOutcome::Cycle { at },
        (WalkEnd::Stays(at), Some(to)) => {
            let known = stop::find_missed_goal(&walker, &path, to);
            known.unwrap_or_else(|| PathOutcome::Stays {
                why: stop::find_stop_reason(&walker, &at),
                at: at.name,
            })
        }
        (WalkEnd::Circle(at), Some(to)) => {
            stop::find_missed_goal(&walker, &path, to).unwrap_or(PathOutcome::Cycle { at })
        }
    };
    match &path.outcome {
        PathOutcome::Never(_) => path.hops.clear(),
        // The hops after this one start at a bundle that passed the goal.
        PathOutcome::PassesBy { from, .. } => {
            let until = path.hops.iter().position(|hop| hop.from == *from);
            path.hops.truncate(until.map_or(usize::MAX, |index| index + 1));
        }
        _ => {}
    }
    path
}

/// Path with possible fixes.
#[derive(Clone, Debug, PartialEq)]
pub struct PathReport {
    /// Path without changes.
    pub path: PickedPath,
    /// Upgrades that arrive with changes of the channel. Empty if none do, or if the path arrives without.
    pub channel_change: Vec<Hop>,
    /// Edit that makes the path arrive; `None` if there is none, if the path arrives already, or if
    /// channel changes are enough.
    pub fix: Option<PathFix>,
    /// v1: version constraint that makes the path arrive without an edit.
    pub constraint: Option<String>,
}

impl PathReport {
    /// Follows the picks and searches for fixes.
    pub fn new(graph: &PackageGraph, traveller: &UpgradeContext, from: &Installed, to: &BundleName) -> Self {
        let path = follow_path(graph, traveller, from, Some(to));
        let constraint = fix::find_constraint(graph, &path);
        let channel_change = channel_changes::find_channel_changes(graph, &path);
        let opening = if path.arrives() || !channel_change.is_empty() {
            None
        } else {
            fix::find_fix(graph, &path).or_else(|| channel_changes::find_fix_in_other_channel(graph, &path))
        };
        Self { path, channel_change, fix: opening, constraint }
    }

    /// Returns the edit that makes a path arrive without a channel change; `None` if the path
    /// arrives already.
    pub fn find_fix_without_channel_change(
        graph: &PackageGraph,
        traveller: &UpgradeContext,
        from: &Installed,
        to: &BundleName,
    ) -> Option<PathFix> {
        fix::find_fix(graph, &follow_path(graph, traveller, from, Some(to)))
    }
}

/// Reason why a walk ends.
enum WalkEnd {
    Arrives,
    Stays(Installed),
    Circle(BundleName),
    Error(Installed, ResolveError),
}

fn walk_picks(walker: &Walker<'_>, from: &Installed, to: Option<&BundleName>) -> (Vec<Hop>, WalkEnd) {
    let mut hops: Vec<Hop> = Vec::new();
    let mut seen: HashSet<BundleName> = HashSet::new();
    let mut here = from.clone();
    let halt = loop {
        if to == Some(&here.name) {
            break WalkEnd::Arrives;
        }
        if !seen.insert(here.name.clone()) {
            break WalkEnd::Circle(here.name);
        }
        match walker.step(&here) {
            Err(error) => break WalkEnd::Error(here, error),
            Ok(None) => break WalkEnd::Stays(here),
            Ok(Some((next, rule))) => {
                let next = walker.to_installed(&next);
                let engine = walker.engine();
                hops.push(Hop { engine, from: here.name, to: next.name.clone(), rule });
                here = next;
            }
        }
    };
    (hops, halt)
}
