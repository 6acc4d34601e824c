//! Reasons why a path does not arrive.

use super::{
    End, Hop, Path,
    walker::{Asks, Walker},
};
use crate::{
    catalog::{BundleName, ChannelName},
    upgrade::{
        answer::{Admission, Candidate, Engine, Refusal, Verdict},
        graph::EdgeKind,
        installed::Installed,
        v1::{Policy, Query},
    },
};

/// Reason why a bundle does not have a next one.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// Classic: it is the head.
    Head,
    /// Classic: entries have edges from it, but Classic ignores all of them.
    DeadEnd(Vec<Ignored>),
    /// No entry has an edge from it.
    NoEdge {
        /// True if it is an entry of a selected channel.
        is_entry: bool,
    },
    /// Classic: the closest entry with an edge from it is itself, by its own skipRange.
    OwnRange {
        /// Range as written.
        range: String,
    },
    /// v1: it is not deprecated, and only deprecated bundles have an edge from it.
    OnlyDeprecated(Vec<BundleName>),
    /// v1: the version constraint excludes its upgrade.
    Constraint {
        /// Constraint as written.
        constraint: String,
        /// Target without the constraint.
        to: BundleName,
    },
    /// v1: the selected channels exclude its upgrade.
    OtherChannels {
        /// Channel with the edge.
        channel: ChannelName,
        /// Target of the edge.
        to: BundleName,
    },
    /// v1, `SelfCertified`: there is no higher version that is not deprecated.
    Highest,
}

/// Way out that Classic ignores.
#[derive(Clone, Debug, PartialEq)]
pub struct Ignored {
    /// Target of the edge.
    pub to: BundleName,
    /// Reason why Classic ignores it.
    pub why: Refusal,
}

/// Reason why a goal cannot be reached.
#[derive(Clone, Debug, PartialEq)]
pub enum Never {
    /// Not a bundle of the package; an entry only mentions it.
    NoBundle,
    /// None of the selected channels contains it.
    NotInChannel {
        /// Selected channels; empty if all are.
        channels: Vec<ChannelName>,
        /// Channels that contain it.
        has: Vec<ChannelName>,
    },
    /// v1: the version constraint excludes it.
    Constraint {
        /// Constraint as written.
        constraint: String,
    },
    /// v1: it does not have a version to compare.
    NoVersion,
    /// Its version is lower than the installed one.
    Lower,
    /// Classic: it is further from the head than the installed bundle.
    Earlier,
    /// Classic: another entry skips it, so Classic never picks it.
    Skipped {
        /// Entry that skips it.
        by: BundleName,
    },
    /// Classic: it is not on the replaces chain from the head.
    OffChain,
}

/// Returns the end of a path whose goal is unreachable or was passed.
pub(super) fn misses(walker: &Walker<'_>, path: &Path, to: &BundleName) -> Option<End> {
    out_of_reach(walker, &path.from, to)
        .map(End::Never)
        .or_else(|| passes_by(walker, &path.hops, to))
        .or_else(|| off_chain(walker, to).map(End::Never))
}

/// Reports a goal that is not on Classic's chain.
fn off_chain(walker: &Walker<'_>, to: &BundleName) -> Option<Never> {
    if walker.engine() != Engine::Classic || walker.rank(to).is_some() {
        return None;
    }
    Some(skipped_by(walker, to).map_or(Never::OffChain, |by| Never::Skipped { by }))
}

/// Returns the entry that skips a bundle (Classic only).
fn skipped_by(walker: &Walker<'_>, name: &BundleName) -> Option<BundleName> {
    let Asks::Classic(Ok((graph, _))) = &walker.asks else { return None };
    let by = graph.successors(graph.find(name.as_str())?, EdgeKind::Skips).next()?;
    graph.node(by).map(|node| node.name.clone())
}

fn out_of_reach(walker: &Walker<'_>, from: &Installed, to: &BundleName) -> Option<Never> {
    let package = &walker.package.package;
    let is_entry = walker.channels().any(|graph| graph.entry_named(to.as_str()).is_some());
    let is_bundle = package.bundle(to.as_str()).is_some();
    if let Asks::V1(query, Ok(resolver)) = &walker.asks {
        match resolver.refusal(to) {
            _ if !is_bundle => return Some(Never::NoBundle),
            Some(Refusal::Constraint { constraint }) => {
                return Some(Never::Constraint { constraint: constraint.clone() });
            }
            Some(Refusal::NoVersion) => return Some(Never::NoVersion),
            _ if !is_entry && (!query.channels.is_empty() || needs_edges(query)) => {
                return Some(not_in_channel(walker, to));
            }
            _ => {}
        }
    } else if !is_entry {
        let has_it = package.channels_with(to).next().is_some();
        return Some(if is_bundle || has_it { not_in_channel(walker, to) } else { Never::NoBundle });
    }
    let version = package.version_of(to.as_str());
    if let (Some(from), Some(to)) = (&from.version, version)
        && to.cmp_precedence(from).is_lt()
        && !matches!(&walker.asks, Asks::V1(query, _) if !needs_edges(query))
    {
        return Some(Never::Lower);
    }
    let is_earlier = match (walker.engine(), walker.rank(&from.name), walker.rank(to)) {
        (Engine::Classic, Some(from), Some(to)) => from < to,
        _ => false,
    };
    is_earlier.then_some(Never::Earlier)
}

fn needs_edges(query: &Query) -> bool {
    query.policy == Policy::CatalogProvided
}

fn not_in_channel(walker: &Walker<'_>, to: &BundleName) -> Never {
    let channels = match &walker.asks {
        Asks::Classic(_) => walker.channels().map(|graph| graph.name().clone()).collect(),
        Asks::V1(query, _) => query.channels.clone(),
    };
    let has = walker.package.package.channels_with(to).map(|channel| channel.name.value.clone()).collect();
    Never::NotInChannel { channels, has }
}

/// Returns the first hop beyond the goal.
fn passes_by(walker: &Walker<'_>, hops: &[Hop], to: &BundleName) -> Option<End> {
    let package = &walker.package.package;
    let goal = package.version_of(to.as_str());
    let rank = if walker.engine() == Engine::Classic { walker.rank(to) } else { None };
    let beyond = |name: &BundleName| match (rank, walker.rank(name)) {
        (Some(goal), Some(here)) => here < goal,
        _ => match (package.version_of(name.as_str()), goal) {
            (Some(here), Some(goal)) => here.cmp_precedence(goal).is_gt(),
            _ => false,
        },
    };
    let hop = hops.iter().find(|hop| beyond(&hop.to))?;
    let skipped_by = skipped_by(walker, to);
    Some(End::PassesBy { from: hop.from.clone(), to: hop.to.clone(), skipped_by })
}

/// Returns the reason why a bundle does not have a next one.
pub(super) fn stop(walker: &Walker<'_>, at: &Installed) -> Stop {
    let answer = walker.answer(at);
    let is_entry = walker.channels().any(|graph| graph.entry_named(at.name.as_str()).is_some());
    match &walker.asks {
        Asks::Classic(_) if answer.order.first() == Some(&at.name) => Stop::Head,
        Asks::Classic(_) => {
            if let Some(Candidate { verdict: Verdict::Admitted(Admission::Range { range, .. }), .. }) =
                answer.winner()
            {
                return Stop::OwnRange { range: range.clone() };
            }
            let ignored: Vec<Ignored> = answer
                .candidates
                .into_iter()
                .filter(|candidate| candidate.name != at.name)
                .filter_map(|candidate| match candidate.verdict {
                    Verdict::Refused(why @ (Refusal::Skipped { .. } | Refusal::OffChain { .. })) => {
                        Some(Ignored { to: candidate.name, why })
                    }
                    _ => None,
                })
                .collect();
            if ignored.is_empty() { Stop::NoEdge { is_entry } } else { Stop::DeadEnd(ignored) }
        }
        Asks::V1(query, _) => v1_stop(walker, query, at, &answer.candidates, is_entry),
    }
}

fn v1_stop(
    walker: &Walker<'_>,
    query: &Query,
    at: &Installed,
    candidates: &[Candidate],
    is_entry: bool,
) -> Stop {
    let (graph, package) = (walker.package, &walker.package.package);
    let would = |query: &Query| -> Option<(BundleName, Admission)> {
        let resolver = graph.resolver(query).ok()?;
        let (name, rule) = resolver.step(Some(at)).ok()?;
        (*name != at.name).then(|| (name.clone(), rule))
    };
    if !needs_edges(query) {
        return Stop::Highest;
    }
    let is_higher = |name: &BundleName| match (package.version_of(name.as_str()), &at.version) {
        (Some(there), Some(here)) => there.cmp_precedence(here).is_gt(),
        _ => true,
    };
    let deprecated: Vec<BundleName> = candidates
        .iter()
        .filter(|candidate| matches!(candidate.verdict, Verdict::Admitted(_)) && candidate.name != at.name)
        .filter(|candidate| {
            package.bundle_deprecation(&candidate.name).is_some() && is_higher(&candidate.name)
        })
        .map(|candidate| candidate.name.clone())
        .collect();
    if !deprecated.is_empty() {
        return Stop::OnlyDeprecated(deprecated);
    }
    if !query.version.is_empty()
        && let Some((to, _)) = would(&Query { version: String::new(), ..query.clone() })
    {
        return Stop::Constraint { constraint: query.version.clone(), to };
    }
    if !query.channels.is_empty()
        && let Some((to, rule)) = would(&Query { channels: Vec::new(), ..query.clone() })
        && let Some(channel) = rule.channel()
    {
        return Stop::OtherChannels { channel: channel.clone(), to };
    }
    Stop::NoEdge { is_entry }
}
