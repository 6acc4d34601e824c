//! Why a path does not arrive, as precisely as the catalog tells.

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

/// Why nothing comes next.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// Classic: it is the head.
    Head,
    /// Classic: entries lead away from it, but none of them counts.
    DeadEnd(Vec<Ignored>),
    /// Nothing leads away from it.
    NoEdge {
        /// Whether it is an entry of a channel that counts.
        is_entry: bool,
    },
    /// Classic: the nearest entry that leads away from it is itself, by its own skipRange.
    OwnRange {
        /// The range as written.
        range: String,
    },
    /// v1: it could go on, but to deprecated bundles only, and it is not deprecated itself.
    OnlyDeprecated(Vec<BundleName>),
    /// v1: without the version constraint it would go on.
    Constraint {
        /// The constraint as written.
        constraint: String,
        /// Where it would go.
        to: BundleName,
    },
    /// v1: with other channels it would go on.
    OtherChannels {
        /// The channel whose entry would lead away from it.
        channel: ChannelName,
        /// Where it would go.
        to: BundleName,
    },
    /// v1, `SelfCertified`: there is no higher version that is not deprecated.
    Highest,
}

/// A way out that Classic does not take.
#[derive(Clone, Debug, PartialEq)]
pub struct Ignored {
    /// Where it would lead.
    pub to: BundleName,
    /// Why it does not count.
    pub why: Refusal,
}

/// Why a goal cannot be reached.
#[derive(Clone, Debug, PartialEq)]
pub enum Never {
    /// It is no bundle of the package: something in a channel only names it.
    NoBundle,
    /// No channel that counts has it.
    NotInChannel {
        /// The channels that count; none where all do.
        channels: Vec<ChannelName>,
        /// The channels that have it.
        has: Vec<ChannelName>,
    },
    /// v1: the version constraint leaves it out.
    Constraint {
        /// The constraint as written.
        constraint: String,
    },
    /// v1: it has no version that could be compared.
    NoVersion,
    /// Its version is lower than the installed one.
    Lower,
    /// Classic: it comes earlier in the chain than what is installed.
    Earlier,
    /// Classic: another entry skips it, so that nobody lands on it.
    Skipped {
        /// The entry that skips it.
        by: BundleName,
    },
    /// Classic: `replaces` does not lead from the head to it.
    OffChain,
}

/// Whether the goal was out of reach from the start, or was passed by on the way.
pub(super) fn misses(walker: &Walker<'_>, path: &Path, to: &BundleName) -> Option<End> {
    out_of_reach(walker, &path.from, to)
        .map(End::Never)
        .or_else(|| passes_by(walker, &path.hops, to))
        .or_else(|| off_chain(walker, to).map(End::Never))
}

/// Classic lands on entries of its chain only.
fn off_chain(walker: &Walker<'_>, to: &BundleName) -> Option<Never> {
    if walker.engine() != Engine::Classic || walker.rank(to).is_some() {
        return None;
    }
    Some(skipped_by(walker, to).map_or(Never::OffChain, |by| Never::Skipped { by }))
}

/// Classic: the entry that skips a bundle.
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

/// The hop that goes beyond the goal.
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

/// Why nothing comes next.
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
