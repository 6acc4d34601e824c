//! How an installed version gets somewhere, hop by hop, or why it does not.
//!
//! A path is what a cluster does when nobody interferes: each hop is the resolver's pick from where the last one
//! landed. It is not any walk along edges.

use std::collections::HashSet;

use super::{
    answer::{Answer, ResolveError},
    graph::EdgeKind,
    installed::Installed,
    package::PackageGraph,
    v1::{Query, Resolver},
};
use crate::{
    catalog::{BundleName, ChannelName},
    edit::Edit,
};

/// Whose path it is, and what it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Traveller {
    /// OLM Classic, subscribed to a channel.
    Classic(ChannelName),
    /// OLM v1.
    V1(Query),
}

/// One upgrade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// What was installed.
    pub from: BundleName,
    /// What comes next.
    pub to: BundleName,
    /// The rule by which it does.
    pub why: String,
}

/// A path and where it ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The upgrades, in order.
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
        why: String,
    },
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
    pub fn last<'a>(&'a self, from: &'a BundleName) -> &'a BundleName {
        self.hops.last().map_or(from, |hop| &hop.to)
    }
}

/// Follows the picks from what is installed until `to`, or to the end where `to` is `None`.
pub fn path(graph: &PackageGraph, traveller: &Traveller, from: &Installed, to: Option<&BundleName>) -> Path {
    let resolver = match traveller {
        Traveller::Classic(_) => None,
        Traveller::V1(query) => Some(Resolver::new(&graph.package, query)),
    };
    let ask = |installed: &Installed| -> Answer {
        match (traveller, &resolver) {
            (Traveller::Classic(channel), _) => graph.classic(channel.as_str(), Some(installed)),
            (Traveller::V1(_), Some(Ok(resolver))) => resolver.answer(Some(installed)),
            (Traveller::V1(query), _) => graph.v1(query, Some(installed)),
        }
    };
    let mut hops: Vec<Hop> = Vec::new();
    let mut seen: HashSet<BundleName> = HashSet::new();
    let mut here = from.clone();
    let end = loop {
        if to == Some(&here.name) {
            break End::Arrives;
        }
        if !seen.insert(here.name.clone()) {
            break End::Circle { at: here.name };
        }
        let answer = ask(&here);
        if let Some(error) = answer.error {
            break End::Error { at: here.name, error };
        }
        let Some(next) = answer.moves_to().cloned() else {
            let why = answer.reason();
            break match to {
                // Without a goal, to stay is to arrive.
                None => End::Arrives,
                Some(_) => End::Stays { at: here.name, why },
            };
        };
        hops.push(Hop { from: here.name, to: next.clone(), why: answer.reason() });
        here = Installed::of(&graph.package, &next);
    };
    Path { hops, end }
}

/// The one edit that opens a way from where a path ended to where it was to go: the goal skips what it cannot reach.
/// `None` where the goal is no entry that this OLM lands on, or skips it already.
pub fn opening(
    graph: &PackageGraph,
    traveller: &Traveller,
    stuck: &BundleName,
    to: &BundleName,
) -> Option<Edit> {
    let offers = |channel: &ChannelName| {
        let upgrades = graph.channel(channel.as_str())?;
        let at = upgrades.graph.find(to.as_str())?;
        let entry = upgrades.graph.entry(at)?;
        let lands = match traveller {
            Traveller::Classic(_) => upgrades.graph.successors(at, EdgeKind::Skips).next().is_none(),
            Traveller::V1(_) => true,
        };
        (lands && !entry.skips(stuck) && stuck != to).then(|| {
            let mut spec = entry.spec();
            spec.skips.push(stuck.clone());
            Edit::SetEntry {
                package: graph.package.name.clone(),
                channel: channel.clone(),
                entry: to.clone(),
                spec,
            }
        })
    };
    match traveller {
        Traveller::Classic(channel) => offers(channel),
        Traveller::V1(query) if query.channels.is_empty() => {
            graph.channels().iter().find_map(|c| offers(c.graph.name()))
        }
        Traveller::V1(query) => query.channels.iter().find_map(offers),
    }
}
