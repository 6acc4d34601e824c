//! Rules about results of OLM Classic's dependency resolution: a new Subscription gets an older
//! version or nothing.

use super::{
    dependencies,
    finding::Finding,
    findings::Findings,
    format::{format_list, format_name},
    rule::{Rule, Severity},
    rules,
    subject::PackageSubject,
};
use olm_catalog::{BundleName, ChannelName};
use olm_upgrade::resolve::{ChannelResolution, HeadOutcome, channel_resolution::has_own_requirements};

/// Maximum number of reasons in a message.
const MAX_REASONS: usize = 3;

pub(super) fn unsatisfiable(s: &PackageSubject<'_>, found: &mut Findings) {
    for (standing, channels) in group_channels(s, |standing| standing.outcome == HeadOutcome::Nothing) {
        let message = format!(
            "OLM Classic cannot install anything from {}{}",
            format_channels(&channels),
            format_reasons(&standing.why)
        );
        let mut finding =
            resolution_finding(s, &rules::DEPENDENCY_UNSATISFIABLE, standing, &channels, message);
        if blocked_by_missing(s).is_some_and(|first| first.channel == standing.channel) {
            for (missing, want) in dependencies::missing_requirements(s) {
                if let Some((doc, span)) = dependencies::requirement_position(s, want) {
                    finding = finding.with_related(missing, doc, span);
                }
            }
            if let Some(unmet) = dependencies::unmet_requirements(s) {
                finding.add_duplicate(unmet);
            }
        }
        found.push(lower_if_missing(finding, standing));
    }
}

/// Returns the first channel that OLM Classic cannot install because a requirement is missing.
pub(super) fn blocked_by_missing<'a>(s: &PackageSubject<'a>) -> Option<&'a ChannelResolution> {
    s.resolution
        .channels
        .iter()
        .find(|standing| standing.outcome == HeadOutcome::Nothing && standing.is_missing)
}

pub(super) fn head_unsatisfiable(s: &PackageSubject<'_>, found: &mut Findings) {
    for (standing, channels) in
        group_channels(s, |standing| matches!(standing.outcome, HeadOutcome::Older(_)))
    {
        let HeadOutcome::Older(older) = &standing.outcome else { continue };
        // Other rules report the cause if the head does not have requirements.
        if s.package.bundle(standing.head.as_str()).is_none_or(|bundle| !has_own_requirements(bundle)) {
            continue;
        }
        let message = format!(
            "OLM Classic installs {older} and not {}, the head of {}{}",
            standing.head,
            format_channels(&channels),
            format_reasons(&standing.why)
        );
        let finding =
            resolution_finding(s, &rules::DEPENDENCY_HEAD_UNSATISFIABLE, standing, &channels, message);
        found.push(lower_if_missing(finding, standing));
    }
}

pub(super) fn only_elsewhere(s: &PackageSubject<'_>, found: &mut Findings) {
    for (standing, channels) in
        group_channels(s, |standing| matches!(standing.outcome, HeadOutcome::HeadWith(_)))
    {
        let HeadOutcome::HeadWith(catalogs) = &standing.outcome else { continue };
        let message = format!(
            "{}, the head of {}, needs what only {} has",
            standing.head,
            format_channels(&channels),
            format_list(catalogs)
        );
        found.push(resolution_finding(s, &rules::DEPENDENCY_ONLY_ELSEWHERE, standing, &channels, message));
    }
}

pub(super) fn dependency_cycle(s: &PackageSubject<'_>, found: &mut Findings) {
    for (standing, channels) in group_channels(s, |standing| !standing.cycle.is_empty()) {
        let Some(first) = standing.cycle.first() else { continue };
        let next = standing.cycle.iter().skip(1).chain([first]);
        let steps = standing.cycle.iter().zip(next).map(|(from, to)| format!("{from} needs {to}"));
        let mut finding =
            resolution_finding(s, &rules::DEPENDENCY_CIRCLE, standing, &channels, format_list(steps))
                .with_bundle(first);
        if let Some((doc, span)) = requirement_or_name_position(s, first) {
            finding = finding.at_span(doc, span);
        }
        found.push(finding);
    }
}

pub(super) fn unstable(s: &PackageSubject<'_>, found: &mut Findings) {
    for (standing, channels) in group_channels(s, |standing| standing.is_unstable) {
        let message = format!(
            "what OLM Classic installs for {} may be one thing today and another tomorrow: its search does not take \
             the same way each time",
            format_channels(&channels)
        );
        found.push(resolution_finding(s, &rules::RESOLUTION_UNSTABLE, standing, &channels, message));
    }
}

/// Returns the channels that match a condition. Channels with equal results form one group.
fn group_channels<'a>(
    s: &PackageSubject<'a>,
    applies: impl Fn(&ChannelResolution) -> bool,
) -> Vec<(&'a ChannelResolution, Vec<&'a ChannelName>)> {
    let mut all: Vec<(&ChannelResolution, Vec<&ChannelName>)> = Vec::new();
    for standing in s.resolution.channels.iter().filter(|standing| applies(standing)) {
        let same = |(known, _): &&mut (&ChannelResolution, Vec<&ChannelName>)| {
            (&known.head, &known.outcome, &known.why, &known.cycle)
                == (&standing.head, &standing.outcome, &standing.why, &standing.cycle)
        };
        match all.iter_mut().find(same) {
            Some((_, channels)) => channels.push(&standing.channel),
            None => all.push((standing, vec![&standing.channel])),
        }
    }
    for (_, channels) in &mut all {
        channels.sort_unstable();
    }
    all
}

fn resolution_finding(
    s: &PackageSubject<'_>,
    rule: &'static Rule,
    standing: &ChannelResolution,
    channels: &[&ChannelName],
    message: String,
) -> Finding {
    let mut finding = Finding::new(rule, message).with_bundle(&standing.head).with_names(channels);
    if let [only] = channels {
        finding = finding.with_channel(only);
    }
    match requirement_or_name_position(s, &standing.head) {
        Some((doc, span)) => finding.at_span(doc, span),
        None => finding,
    }
}

/// Lowers the severity to a note if a requirement is missing, since another catalog of the
/// cluster may provide it.
fn lower_if_missing(mut finding: Finding, standing: &ChannelResolution) -> Finding {
    if standing.is_missing {
        finding.severity = Severity::Note;
    }
    finding
}

/// Returns the position of the first requirement of a bundle, or of its name.
fn requirement_or_name_position(
    s: &PackageSubject<'_>,
    bundle: &BundleName,
) -> Option<(olm_catalog::DocId, olm_catalog::Span)> {
    let bundle = s.package.bundle(bundle.as_str())?;
    let span = bundle.requires.first().map_or(bundle.name.span, olm_catalog::blob::Dependency::span);
    Some((bundle.doc, span))
}

fn format_channels(channels: &[&ChannelName]) -> String {
    format_list(channels.iter().map(|channel| format_name("channel", channel)))
}

/// Formats reasons as `: a needs package b >=2.0.0: no open catalog provides it`.
fn format_reasons(why: &[String]) -> String {
    let mut reasons = why.iter().take(MAX_REASONS).cloned().collect::<Vec<_>>().join("; ");
    if why.len() > MAX_REASONS {
        reasons = format!("{reasons}; and {} more", why.len() - MAX_REASONS);
    }
    if reasons.is_empty() { reasons } else { format!(": {reasons}") }
}
