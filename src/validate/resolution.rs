//! Rules about results of OLM Classic's dependency resolution: a new Subscription gets an older
//! version or nothing.

use super::{
    dependencies,
    diagnostic::Diagnostic,
    findings::Findings,
    rule::{Rule, Severity},
    rules,
    subject::Subject,
    words::{bare, list},
};
use crate::{
    catalog::{BundleName, ChannelName},
    resolve::{End, Standing, standing::asks},
};

/// Maximum number of reasons in a message.
const MOST: usize = 3;

pub(super) fn unsatisfiable(s: &Subject<'_>, found: &mut Findings) {
    for (standing, channels) in alike(s, |standing| standing.end == End::Nothing) {
        let message = format!(
            "OLM Classic can install nothing of {}{}",
            of_channels(&channels),
            because(&standing.why)
        );
        let mut finding = finding(s, &rules::DEPENDENCY_UNSATISFIABLE, standing, &channels, message);
        if blocked_by_missing(s).is_some_and(|first| first.channel == standing.channel) {
            for (missing, want) in dependencies::missing(s) {
                if let Some((doc, span)) = dependencies::place(s, want) {
                    finding = finding.related(missing, doc, span);
                }
            }
            if let Some(unmet) = dependencies::unmet_requirements(s) {
                finding.add_same(unmet);
            }
        }
        found.push(blocked(finding, standing));
    }
}

/// Returns the first channel that OLM Classic cannot install because a requirement is missing.
pub(super) fn blocked_by_missing<'a>(s: &Subject<'a>) -> Option<&'a Standing> {
    s.standings.channels.iter().find(|standing| standing.end == End::Nothing && standing.is_missing)
}

pub(super) fn head(s: &Subject<'_>, found: &mut Findings) {
    for (standing, channels) in alike(s, |standing| matches!(standing.end, End::Older(_))) {
        let End::Older(older) = &standing.end else { continue };
        // Other rules report the cause if the head does not have requirements.
        if s.package.bundle(standing.head.as_str()).is_none_or(|bundle| !asks(bundle)) {
            continue;
        }
        let message = format!(
            "OLM Classic installs {older} and not {}, the head of {}{}",
            standing.head,
            of_channels(&channels),
            because(&standing.why)
        );
        let finding = finding(s, &rules::DEPENDENCY_HEAD_UNSATISFIABLE, standing, &channels, message);
        found.push(blocked(finding, standing));
    }
}

pub(super) fn elsewhere(s: &Subject<'_>, found: &mut Findings) {
    for (standing, channels) in alike(s, |standing| matches!(standing.end, End::HeadWith(_))) {
        let End::HeadWith(catalogs) = &standing.end else { continue };
        let message = format!(
            "{}, the head of {}, needs what only {} has",
            standing.head,
            of_channels(&channels),
            list(catalogs)
        );
        found.push(finding(s, &rules::DEPENDENCY_ONLY_ELSEWHERE, standing, &channels, message));
    }
}

pub(super) fn circle(s: &Subject<'_>, found: &mut Findings) {
    for (standing, channels) in alike(s, |standing| !standing.circle.is_empty()) {
        let Some(first) = standing.circle.first() else { continue };
        let next = standing.circle.iter().skip(1).chain([first]);
        let steps = standing.circle.iter().zip(next).map(|(from, to)| format!("{from} needs {to}"));
        let mut finding =
            finding(s, &rules::DEPENDENCY_CIRCLE, standing, &channels, list(steps)).bundle(first);
        if let Some((doc, span)) = place(s, first) {
            finding = finding.at(doc, span);
        }
        found.push(finding);
    }
}

pub(super) fn unstable(s: &Subject<'_>, found: &mut Findings) {
    for (standing, channels) in alike(s, |standing| standing.is_unstable) {
        let message = format!(
            "what OLM Classic installs for {} may be one thing today and another tomorrow: its search does not take \
             the same way each time",
            of_channels(&channels)
        );
        found.push(finding(s, &rules::RESOLUTION_UNSTABLE, standing, &channels, message));
    }
}

/// Returns the channels that match a condition. Channels with equal results form one group.
fn alike<'a>(
    s: &Subject<'a>,
    applies: impl Fn(&Standing) -> bool,
) -> Vec<(&'a Standing, Vec<&'a ChannelName>)> {
    let mut all: Vec<(&Standing, Vec<&ChannelName>)> = Vec::new();
    for standing in s.standings.channels.iter().filter(|standing| applies(standing)) {
        let same = |(known, _): &&mut (&Standing, Vec<&ChannelName>)| {
            (&known.head, &known.end, &known.why, &known.circle)
                == (&standing.head, &standing.end, &standing.why, &standing.circle)
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

fn finding(
    s: &Subject<'_>,
    rule: &'static Rule,
    standing: &Standing,
    channels: &[&ChannelName],
    message: String,
) -> Diagnostic {
    let mut finding = Diagnostic::new(rule, message).bundle(&standing.head).names(channels);
    if let [only] = channels {
        finding = finding.channel(only);
    }
    match place(s, &standing.head) {
        Some((doc, span)) => finding.at(doc, span),
        None => finding,
    }
}

/// Lowers the severity to a note if a requirement is missing, since another catalog of the
/// cluster may provide it.
fn blocked(mut finding: Diagnostic, standing: &Standing) -> Diagnostic {
    if standing.is_missing {
        finding.severity = Severity::Note;
    }
    finding
}

/// Returns the position of the first requirement of a bundle, or of its name.
fn place(s: &Subject<'_>, bundle: &BundleName) -> Option<(crate::catalog::DocId, crate::catalog::Span)> {
    let bundle = s.package.bundle(bundle.as_str())?;
    let span = bundle.requires.first().map_or(bundle.name.span, crate::catalog::blob::Dependency::span);
    Some((bundle.doc, span))
}

fn of_channels(channels: &[&ChannelName]) -> String {
    list(channels.iter().map(|channel| bare("channel", channel)))
}

/// Formats reasons as `: a needs package b >=2.0.0: nothing in sight provides it`.
fn because(why: &[String]) -> String {
    let mut reasons = why.iter().take(MOST).cloned().collect::<Vec<_>>().join("; ");
    if why.len() > MOST {
        reasons = format!("{reasons}; and {} more", why.len() - MOST);
    }
    if reasons.is_empty() { reasons } else { format!(": {reasons}") }
}
