//! Reasons why a path does not arrive.

use super::{
    Hop, PathOutcome, PickedPath,
    walker::{PathResolver, Walker},
};
use crate::{
    answer::{Admission, Candidate, Engine, Refusal, Verdict},
    graph::EdgeKind,
    installed::Installed,
    v1::{Policy, Query},
};
use olm_catalog::{BundleName, ChannelName};

/// Reason why a bundle does not have a next one.
#[derive(Clone, Debug, PartialEq)]
pub enum StopReason {
    /// Classic: it is the head.
    Head,
    /// Classic: entries have edges from it, but Classic ignores all of them.
    DeadEnd(Vec<IgnoredEdge>),
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
pub struct IgnoredEdge {
    /// Target of the edge.
    pub to: BundleName,
    /// Reason why Classic ignores it.
    pub why: Refusal,
}

/// Reason why a goal cannot be reached.
#[derive(Clone, Debug, PartialEq)]
pub enum UnreachableReason {
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
pub(super) fn find_missed_goal(
    walker: &Walker<'_>,
    path: &PickedPath,
    to: &BundleName,
) -> Option<PathOutcome> {
    find_unreachable_reason(walker, &path.from, to)
        .map(PathOutcome::Never)
        .or_else(|| find_passing_hop(walker, &path.hops, to))
        .or_else(|| check_off_chain(walker, to).map(PathOutcome::Never))
}

/// Reports a goal that is not on Classic's chain.
fn check_off_chain(walker: &Walker<'_>, to: &BundleName) -> Option<UnreachableReason> {
    if walker.engine() != Engine::Classic || walker.rank(to).is_some() {
        return None;
    }
    Some(
        find_skipping_entry(walker, to)
            .map_or(UnreachableReason::OffChain, |by| UnreachableReason::Skipped { by }),
    )
}

/// Returns the entry that skips a bundle (Classic only).
fn find_skipping_entry(walker: &Walker<'_>, name: &BundleName) -> Option<BundleName> {
    let PathResolver::Classic(Ok((graph, _))) = &walker.resolver else { return None };
    let by = graph.successors(graph.find_node(name.as_str())?, EdgeKind::Skips).next()?;
    graph.node(by).map(|node| node.name.clone())
}

fn find_unreachable_reason(
    walker: &Walker<'_>,
    from: &Installed,
    to: &BundleName,
) -> Option<UnreachableReason> {
    let package = &walker.package.package;
    let is_entry = walker.used_channels().any(|graph| graph.entry_named(to.as_str()).is_some());
    let is_bundle = package.bundle(to.as_str()).is_some();
    if let PathResolver::V1(query, Ok(resolver)) = &walker.resolver {
        match resolver.exclusion_reason(to) {
            _ if !is_bundle => return Some(UnreachableReason::NoBundle),
            Some(Refusal::Constraint { constraint }) => {
                return Some(UnreachableReason::Constraint { constraint: constraint.clone() });
            }
            Some(Refusal::NoVersion) => return Some(UnreachableReason::NoVersion),
            _ if !is_entry && (!query.channels.is_empty() || needs_edges(query)) => {
                return Some(not_in_channel(walker, to));
            }
            _ => {}
        }
    } else if !is_entry {
        let has_it = package.channels_with(to).next().is_some();
        return Some(if is_bundle || has_it {
            not_in_channel(walker, to)
        } else {
            UnreachableReason::NoBundle
        });
    }
    let version = package.bundle_version(to.as_str());
    if let (Some(from), Some(to)) = (&from.version, version)
        && to.cmp_precedence(from).is_lt()
        && !matches!(&walker.resolver, PathResolver::V1(query, _) if !needs_edges(query))
    {
        return Some(UnreachableReason::Lower);
    }
    let is_earlier = match (walker.engine(), walker.rank(&from.name), walker.rank(to)) {
        (Engine::Classic, Some(from), Some(to)) => from < to,
        _ => false,
    };
    is_earlier.then_some(UnreachableReason::Earlier)
}

fn needs_edges(query: &Query) -> bool {
    query.policy == Policy::CatalogProvided
}

fn not_in_channel(walker: &Walker<'_>, to: &BundleName) -> UnreachableReason {
    let channels = match &walker.resolver {
        PathResolver::Classic(_) => walker.used_channels().map(|graph| graph.name().clone()).collect(),
        PathResolver::V1(query, _) => query.channels.clone(),
    };
    let has = walker.package.package.channels_with(to).map(|channel| channel.name.value.clone()).collect();
    UnreachableReason::NotInChannel { channels, has }
}

/// Returns the first hop beyond the goal.
fn find_passing_hop(walker: &Walker<'_>, hops: &[Hop], to: &BundleName) -> Option<PathOutcome> {
    let package = &walker.package.package;
    let goal = package.bundle_version(to.as_str());
    let rank = if walker.engine() == Engine::Classic { walker.rank(to) } else { None };
    let beyond = |name: &BundleName| match (rank, walker.rank(name)) {
        (Some(goal), Some(here)) => here < goal,
        _ => match (package.bundle_version(name.as_str()), goal) {
            (Some(here), Some(goal)) => here.cmp_precedence(goal).is_gt(),
            _ => false,
        },
    };
    let hop = hops.iter().find(|hop| beyond(&hop.to))?;
    let skipped_by = find_skipping_entry(walker, to);
    Some(PathOutcome::PassesBy { from: hop.from.clone(), to: hop.to.clone(), skipped_by })
}

/// Returns the reason why a bundle does not have a next one.
pub(super) fn find_stop_reason(walker: &Walker<'_>, at: &Installed) -> StopReason {
    let answer = walker.complete_answer(at);
    let is_entry = walker.used_channels().any(|graph| graph.entry_named(at.name.as_str()).is_some());
    match &walker.resolver {
        PathResolver::Classic(_) if answer.chain.first() == Some(&at.name) => StopReason::Head,
        PathResolver::Classic(_) => {
            if let Some(Candidate { verdict: Verdict::Admitted(Admission::Range { range, .. }), .. }) =
                answer.winner()
            {
                return StopReason::OwnRange { range: range.clone() };
            }
            let ignored: Vec<IgnoredEdge> = answer
                .candidates
                .into_iter()
                .filter(|candidate| candidate.name != at.name)
                .filter_map(|candidate| match candidate.verdict {
                    Verdict::Refused(why @ (Refusal::Skipped { .. } | Refusal::OffChain { .. })) => {
                        Some(IgnoredEdge { to: candidate.name, why })
                    }
                    _ => None,
                })
                .collect();
            if ignored.is_empty() { StopReason::NoEdge { is_entry } } else { StopReason::DeadEnd(ignored) }
        }
        PathResolver::V1(query, _) => v1_stop_reason(walker, query, at, &answer.candidates, is_entry),
    }
}

fn v1_stop_reason(
    walker: &Walker<'_>,
    query: &Query,
    at: &Installed,
    candidates: &[Candidate],
    is_entry: bool,
) -> StopReason {
    let (graph, package) = (walker.package, &walker.package.package);
    let would = |query: &Query| -> Option<(BundleName, Admission)> {
        let resolver = graph.v1_resolver(query).ok()?;
        let (name, rule) = resolver.pick_with_rule(Some(at)).ok()?;
        (*name != at.name).then(|| (name.clone(), rule))
    };
    if !needs_edges(query) {
        return StopReason::Highest;
    }
    let is_higher = |name: &BundleName| match (package.bundle_version(name.as_str()), &at.version) {
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
        return StopReason::OnlyDeprecated(deprecated);
    }
    if !query.version.is_empty()
        && let Some((to, _)) = would(&Query { version: String::new(), ..query.clone() })
    {
        return StopReason::Constraint { constraint: query.version.clone(), to };
    }
    if !query.channels.is_empty()
        && let Some((to, rule)) = would(&Query { channels: Vec::new(), ..query.clone() })
        && let Some(channel) = rule.channel()
    {
        return StopReason::OtherChannels { channel: channel.clone(), to };
    }
    StopReason::NoEdge { is_entry }
}
