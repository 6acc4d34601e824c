//! How an installed version gets somewhere, hop by hop, or why it does not and what would open the way.
//!
//! A path is what a cluster does when nobody interferes: each hop is the resolver's pick from where the last one
//! landed. It is not any walk along edges.

mod channels;
mod opening;
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
use crate::catalog::{BundleName, ChannelName};

pub use opening::{Opening, OpeningKind};
pub use stop::{Ignored, Never, Stop};

use walker::Walker;

/// Whose path it is, and what it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Traveller {
    /// OLM Classic, subscribed to a channel.
    Classic(ChannelName),
    /// OLM v1.
    V1(Query),
}

impl Traveller {
    /// Who upgrades.
    pub fn engine(&self) -> Engine {
        match self {
            Self::Classic(_) => Engine::Classic,
            Self::V1(_) => Engine::V1,
        }
    }
}

/// One upgrade.
#[derive(Clone, Debug, PartialEq)]
pub struct Hop {
    /// Who upgrades.
    pub engine: Engine,
    /// What was installed.
    pub from: BundleName,
    /// What comes next.
    pub to: BundleName,
    /// The rule by which it does.
    pub rule: Admission,
}

impl Hop {
    /// The kind of edge it takes; `None` where none is asked for, as with the policy `SelfCertified`.
    pub fn edge(&self) -> Option<EdgeKind> {
        self.rule.edge()
    }

    /// The channel whose entry gives the edge.
    pub fn channel(&self) -> Option<&ChannelName> {
        self.rule.channel()
    }

    /// The rule in words, for one who knows what was installed.
    pub fn why(&self) -> String {
        match &self.rule {
            Admission::Replaces { channel, .. } => format!("replaces it in {channel}"),
            Admission::Skips { channel, .. } => format!("skips it in {channel}"),
            Admission::Installed => "has the same version".to_owned(),
            other => other.to_string(),
        }
    }
}

/// A path and where it ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Whose path it is.
    pub traveller: Traveller,
    /// What was installed.
    pub from: Installed,
    /// Where it was to go; `None`: as far as it goes.
    pub to: Option<BundleName>,
    /// The upgrades, in order. Where it ends with [`End::PassesBy`] the last one is the one that does; with
    /// [`End::Never`] there are none.
    pub hops: Vec<Hop>,
    /// How it ends.
    pub end: End,
}

/// How a path ends.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// It arrives where one wanted to go.
    Arrives,
    /// It stays on the way, for a reason.
    Stays {
        /// Where.
        at: BundleName,
        /// Why nothing comes next.
        why: Stop,
    },
    /// An upgrade goes beyond the goal without landing on it.
    PassesBy {
        /// From where.
        from: BundleName,
        /// Where it lands instead.
        to: BundleName,
        /// Classic: the entry that skips the goal, so that nobody lands on it.
        skipped_by: Option<BundleName>,
    },
    /// It cannot get there from anywhere, or not from there.
    Never(Never),
    /// It comes back to where it was.
    Circle {
        /// Where it came back to.
        at: BundleName,
    },
    /// The resolver reports an error.
    Error {
        /// Where.
        at: BundleName,
        /// What it reports.
        error: ResolveError,
    },
}

impl Path {
    /// Whether it arrives.
    pub fn arrives(&self) -> bool {
        self.end == End::Arrives
    }

    /// The bundle it ends on.
    pub fn last(&self) -> &BundleName {
        self.hops.last().map_or(&self.from.name, |hop| &hop.to)
    }
}

/// Follows the picks from what is installed until `to`, or to the end where `to` is `None`.
pub fn path(graph: &PackageGraph, traveller: &Traveller, from: &Installed, to: Option<&BundleName>) -> Path {
    let walker = Walker::new(graph, traveller);
    let (hops, stop) = walk(&walker, from, to);
    let mut path =
        Path { traveller: traveller.clone(), from: from.clone(), to: to.cloned(), hops, end: End::Arrives };
    path.end = match (stop, to) {
        (Halt::Arrives, _) | (Halt::Stays(_), None) => return path,
        (Halt::Error(at, error), _) => End::Error { at: at.name, error },
        (Halt::Circle(at), None) => End::Circle { at },
        (Halt::Stays(at), Some(to)) => {
            let known = stop::misses(&walker, &path, to);
            known.unwrap_or_else(|| End::Stays { why: stop::stop(&walker, &at), at: at.name })
        }
        (Halt::Circle(at), Some(to)) => stop::misses(&walker, &path, to).unwrap_or(End::Circle { at }),
    };
    match &path.end {
        End::Never(_) => path.hops.clear(),
        // What comes after is the way from somewhere else.
        End::PassesBy { from, .. } => {
            let until = path.hops.iter().position(|hop| hop.from == *from);
            path.hops.truncate(until.map_or(usize::MAX, |index| index + 1));
        }
        _ => {}
    }
    path
}

/// A path with all that is to be said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The path.
    pub path: Path,
    /// Upgrades that arrive with changes of the channel. Empty if none do, or if the path arrives without.
    pub channel_change: Vec<Hop>,
    /// The edit that opens it, where it does not arrive and one does. `None` if changes of the channel are enough.
    pub opening: Option<Opening>,
    /// v1: a version constraint with which it arrives without an edit.
    pub constraint: Option<String>,
}

impl Route {
    /// Follows the picks and looks for what would open the way.
    pub fn new(graph: &PackageGraph, traveller: &Traveller, from: &Installed, to: &BundleName) -> Self {
        let path = path(graph, traveller, from, Some(to));
        let constraint = opening::constraint(graph, &path);
        let channel_change = channels::change_channels(graph, &path);
        let opening = if path.arrives() || !channel_change.is_empty() {
            None
        } else {
            opening::opening(graph, &path).or_else(|| channels::open_other_channel(graph, &path))
        };
        Self { path, channel_change, opening, constraint }
    }

    /// Returns the edit with which a path arrives that does not, without a change of the channel.
    pub fn open_without_change(
        graph: &PackageGraph,
        traveller: &Traveller,
        from: &Installed,
        to: &BundleName,
    ) -> Option<Opening> {
        opening::opening(graph, &path(graph, traveller, from, Some(to)))
    }
}

/// Why a walk ends.
enum Halt {
    Arrives,
    Stays(Installed),
    Circle(BundleName),
    Error(Installed, ResolveError),
}

fn walk(walker: &Walker<'_>, from: &Installed, to: Option<&BundleName>) -> (Vec<Hop>, Halt) {
    let mut hops: Vec<Hop> = Vec::new();
    let mut seen: HashSet<BundleName> = HashSet::new();
    let mut here = from.clone();
    let halt = loop {
        if to == Some(&here.name) {
            break Halt::Arrives;
        }
        if !seen.insert(here.name.clone()) {
            break Halt::Circle(here.name);
        }
        match walker.step(&here) {
            Err(error) => break Halt::Error(here, error),
            Ok(None) => break Halt::Stays(here),
            Ok(Some((next, rule))) => {
                let next = walker.installed(&next);
                let engine = walker.engine();
                hops.push(Hop { engine, from: here.name, to: next.name.clone(), rule });
                here = next;
            }
        }
    };
    (hops, halt)
}
