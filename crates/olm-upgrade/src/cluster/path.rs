//! Upgrade path over the catalogs of a cluster: each step is the pick of OLM v1 for the bundle before.

use std::collections::HashSet;

use super::{ClusterAnswer, ClusterCandidate, ClusterResolver, InstalledMetadata};
use crate::install_blockers::InstallBlocker;

/// Upgrade of a path.
#[derive(Clone, Debug)]
pub struct ClusterHop {
    /// Installed bundle.
    pub from: InstalledMetadata,
    /// Target of the upgrade, with its catalog.
    pub pick: ClusterCandidate,
    /// Reasons why a cluster would not install the target although v1 resolves it.
    pub blocked: Vec<InstallBlocker>,
    /// Catalog of the upgrade before, if it is another one.
    pub earlier_catalog: Option<String>,
}

/// Path with its outcome.
#[derive(Clone, Debug)]
pub struct ClusterPath {
    /// Installed bundle at the start.
    pub from: InstalledMetadata,
    /// Goal.
    pub to: InstalledMetadata,
    /// Upgrades in order. The last one passes the goal if the outcome is [`ClusterPathOutcome::PassesBy`].
    pub hops: Vec<ClusterHop>,
    /// Outcome of the path.
    pub outcome: ClusterPathOutcome,
}

/// Outcome of a path.
#[derive(Clone, Debug)]
pub enum ClusterPathOutcome {
    /// The path reaches the goal.
    Arrives,
    /// v1 keeps a bundle before the goal.
    Stays(Box<ClusterAnswer>),
    /// The last upgrade passes the goal without landing on it.
    PassesBy,
    /// The upgrades lead back to this bundle.
    Cycle(InstalledMetadata),
    /// v1 reports an error, such as several catalogs of the same priority.
    Error(Box<ClusterAnswer>),
}

impl ClusterPath {
    /// Returns true if the path reaches the goal.
    pub fn arrives(&self) -> bool {
        matches!(self.outcome, ClusterPathOutcome::Arrives)
    }

    /// Returns the answer at which the path ends; `None` if it arrives, passes by or is a cycle.
    pub fn last_answer(&self) -> Option<&ClusterAnswer> {
        match &self.outcome {
            ClusterPathOutcome::Stays(answer) | ClusterPathOutcome::Error(answer) => Some(answer),
            _ => None,
        }
    }

    /// Returns the last bundle of the path.
    pub fn last_bundle(&self) -> InstalledMetadata {
        self.hops.last().map_or_else(|| self.from.clone(), |hop| hop.pick.to_metadata())
    }
}

impl ClusterResolver {
    /// Follows the picks from an installed bundle until `to`.
    pub fn follow_path(&self, from: &InstalledMetadata, to: &InstalledMetadata) -> ClusterPath {
        let mut path = ClusterPath {
            from: from.clone(),
            to: to.clone(),
            hops: Vec::new(),
            outcome: ClusterPathOutcome::Arrives,
        };
        let mut seen = HashSet::new();
        let mut here = from.clone();
        path.outcome = loop {
            if here.name == to.name {
                break ClusterPathOutcome::Arrives;
            }
            if !seen.insert(here.name.clone()) {
                break ClusterPathOutcome::Cycle(here);
            }
            let answer = self.resolve(Some(&here));
            let next = answer.pick.as_ref().filter(|pick| *pick.bundle_name() != here.name);
            let Some(pick) = next.filter(|_| answer.error.is_none()) else {
                break match answer.error {
                    Some(_) if !answer.stays => ClusterPathOutcome::Error(Box::new(answer)),
                    _ => ClusterPathOutcome::Stays(Box::new(answer)),
                };
            };
            let before = path.hops.last().map(|hop| &hop.pick.catalog.name);
            let earlier_catalog = before.filter(|name| **name != pick.catalog.name).cloned();
            let next = pick.to_metadata();
            let (pick, blocked) = (pick.clone(), answer.blocked.clone());
            path.hops.push(ClusterHop { from: here, pick, blocked, earlier_catalog });
            here = next;
        };
        if !path.arrives() {
            path.stop_after_passing();
        }
        path
    }
}

impl ClusterPath {
    /// Ends the path at the first upgrade to a version above the goal.
    fn stop_after_passing(&mut self) {
        let Some(goal) = self.to.to_installed().version else { return };
        let is_above = |hop: &ClusterHop| {
            hop.pick.version().is_some_and(|version| version.cmp_precedence(&goal).is_gt())
        };
        let is_start_below =
            self.from.to_installed().version.is_some_and(|own| own.cmp_precedence(&goal).is_lt());
        if let Some(at) = self.hops.iter().position(is_above).filter(|_| is_start_below) {
            self.hops.truncate(at + 1);
            self.outcome = ClusterPathOutcome::PassesBy;
        }
    }
}
