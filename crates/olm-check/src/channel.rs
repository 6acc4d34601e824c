//! Rules about the shape of a channel's graph.

use std::collections::{HashMap, HashSet};

use super::{
    finding::Finding,
    findings::Findings,
    format::{format_list, format_with_kind},
    rule::{Rule, Severity},
    rules,
    subject::PackageSubject,
    walk::{ChannelWalk, WalkOutcome},
};
use olm_catalog::{
    BundleName, ChannelName, DocId, Spanned,
    blob::{ChannelBlob, Entry},
    package::Package,
    similar_names,
};

pub(super) fn duplicate_channel(s: &PackageSubject<'_>, found: &mut Findings) {
    if !s.is_named() {
        return;
    }
    let mut groups: HashMap<&ChannelName, Vec<&ChannelBlob>> = HashMap::new();
    for channel in s.package.channels.iter().filter(|c| !c.name.value.as_str().is_empty()) {
        groups.entry(&channel.name.value).or_default().push(channel);
    }
    for (name, channels) in groups {
        let [first, again, more @ ..] = channels.as_slice() else { continue };
        let message = format!("channel {name} is defined {} times", channels.len());
        let mut finding = channel_finding(&rules::DUPLICATE_CHANNEL, message, again)
            .at_span(again.doc, again.name.span)
            .with_related("first defined here", first.doc, first.name.span);
        for other in more {
            finding = finding.with_related("again here", other.doc, other.name.span);
        }
        found.push(finding);
    }
}

pub(super) fn empty_channel(s: &PackageSubject<'_>, found: &mut Findings) {
    for channel in s.package.channels.iter().filter(|c| c.entries.is_empty()) {
        if !s.is_partly_unread(channel.doc) {
            let message = format!("{} has no entries", format_with_kind("channel", &channel.name.value));
            found.push(
                channel_finding(&rules::EMPTY_CHANNEL, message, channel)
                    .at_span(channel.doc, channel.name.span),
            );
        }
    }
}

pub(super) fn no_head(s: &PackageSubject<'_>, found: &mut Findings) {
    for walk in readable_walks(s).filter(|walk| matches!(walk.outcome, WalkOutcome::NoHead)) {
        let channel = walk.channel;
        let newest = s.newest_first(walk.entries.keys().copied());
        let Some(start) = newest.first() else { continue };
        let circle = cycle_above(s, walk, start);
        let message = match circle.as_slice() {
            [(entry, verb, _)] => {
                format!(
                    "{} has no head: {} {verb} itself",
                    format_with_kind("channel", &channel.name.value),
                    entry.name.value
                )
            }
            _ => format!(
                "{} has no head: {}",
                format_with_kind("channel", &channel.name.value),
                format_list(
                    circle.iter().map(|(by, verb, of)| format!("{} {verb} {}", by.name.value, of.value))
                )
            ),
        };
        let mut finding = channel_finding(&rules::NO_HEAD, message, channel);
        let mut edges = circle.into_iter();
        if let Some((_, _, edge)) = edges.next() {
            finding = finding.at_span(channel.doc, edge.span);
        }
        for (_, verb, edge) in edges {
            finding = finding.with_related(format!("it {verb} {} here", edge.value), channel.doc, edge.span);
        }
        found.push(finding);
    }
}

/// Returns the cycle above an entry. Follows the entries that replace or skip it until one
/// repeats. In a channel without a head every entry has another entry above it.
fn cycle_above<'a>(
    s: &PackageSubject<'a>,
    walk: &ChannelWalk<'a>,
    start: &BundleName,
) -> Vec<(&'a Entry, &'static str, &'a Spanned<BundleName>)> {
    let mut above: HashMap<&BundleName, (&Entry, &'static str, &Spanned<BundleName>)> = HashMap::new();
    let newest = s.newest_first(walk.entries.keys().copied());
    for entry in newest.iter().filter_map(|name| walk.entries.get(*name)) {
        let replaces = entry.replaces.iter().map(|r| (r, "replaces"));
        for (target, verb) in replaces.chain(entry.skips.iter().map(|s| (s, "skips"))) {
            above.entry(&target.value).or_insert((entry, verb, target));
        }
    }
    let mut seen: HashMap<&BundleName, usize> = HashMap::new();
    let mut path = Vec::new();
    let mut at = start;
    while let Some(&edge) = above.get(at) {
        if let Some(&first) = seen.get(at) {
            return path.split_off(first);
        }
        seen.insert(at, path.len());
        path.push(edge);
        at = &edge.0.name.value;
    }
    path
}

pub(super) fn multiple_heads(s: &PackageSubject<'_>, found: &mut Findings) {
    for walk in readable_walks(s) {
        let WalkOutcome::SeveralHeads(heads) = &walk.outcome else { continue };
        let channel = walk.channel;
        let heads = s.newest_first(heads.iter().map(|head| &head.name.value));
        let [top, rest @ ..] = heads.as_slice() else { continue };
        let message = format!(
            "{} has {} heads: {}",
            format_with_kind("channel", &channel.name.value),
            heads.len(),
            format_list(&heads)
        );
        let mut finding = channel_finding(&rules::MULTIPLE_HEADS, message, channel).with_names(rest);
        let order = s.newest_first(walk.entries.keys().copied());
        let newer: HashMap<&BundleName, &BundleName> =
            order.windows(2).filter_map(|pair| Some((*pair.get(1)?, *pair.first()?))).collect();
        let slips = unknown_targets(walk);
        let mut advice = Vec::new();
        for (index, head) in rest.iter().enumerate() {
            let Some(entry) = walk.entries.get(*head) else { continue };
            if index == 0 {
                finding = finding.with_bundle(head).at_span(channel.doc, entry.name.span);
            } else {
                finding =
                    finding.with_related(format!("{head} is also a head"), channel.doc, entry.name.span);
            }
            let next = newer.get(head).copied().unwrap_or(top);
            let (reason, at) = reason_for_head(walk, &slips, head, next);
            finding = finding.with_related(reason, channel.doc, at);
            advice.push(format!("{next} replace or skip {head}"));
        }
        if let Some(entry) = walk.entries.get(*top) {
            finding = finding.with_related(format!("{top} is the newest head"), channel.doc, entry.name.span);
        }
        // Bundles without edges do not publish any upgrade graph.
        if s.catalog.is_rendered_from_bundles() && walk.entries.values().all(|entry| has_no_edge(entry)) {
            finding.severity = Severity::Note;
            let help = "the bundles state no replaces, skips or skipRange; where the catalog is FBC, its entries decide";
            found.push(finding.with_help(help));
            continue;
        }
        found.push(finding.with_help(format!("make {}", format_list(advice))));
    }
}

fn has_no_edge(entry: &Entry) -> bool {
    entry.replaces.is_none() && entry.skips.is_empty() && entry.skip_range.is_none()
}

/// Replaced or skipped names without an entry, in channel order. The key is the numbers in the
/// name; they are usually equal in similar names.
pub(super) type UnknownTargets<'a> = HashMap<Vec<&'a str>, Vec<(&'a Entry, &'a Spanned<BundleName>)>>;

/// Maximum number of these names to compare with one head.
const MAX_UNKNOWN_TARGETS: usize = 1000;

pub(super) fn unknown_targets<'a>(walk: &ChannelWalk<'a>) -> UnknownTargets<'a> {
    let mut slips: UnknownTargets<'a> = HashMap::new();
    for entry in &walk.channel.entries {
        for edge in entry.replaces.iter().chain(&entry.skips) {
            if !walk.entries.contains_key(&edge.value) {
                slips
                    .entry(similar_names::digit_runs(edge.value.as_str()).collect())
                    .or_default()
                    .push((entry, edge));
            }
        }
    }
    slips
}

/// Returns the reason why no entry points to a head, with its position. `next` is the next newer entry.
pub(super) fn reason_for_head(
    walk: &ChannelWalk<'_>,
    slips: &UnknownTargets<'_>,
    head: &BundleName,
    next: &BundleName,
) -> (String, olm_catalog::Span) {
    let numbers: Vec<&str> = similar_names::digit_runs(head.as_str()).collect();
    let mut alike = slips.get(&numbers).into_iter().flatten().take(MAX_UNKNOWN_TARGETS);
    if let Some((entry, edge)) =
        alike.find(|(_, edge)| similar_names::is_similar(edge.value.as_str(), head.as_str()))
    {
        return (
            format!("{} names {}, which is not an entry; did you mean {head}?", entry.name.value, edge.value),
            edge.span,
        );
    }
    let Some(next) = walk.entries.get(next) else {
        return ("no entry replaces or skips it".to_owned(), walk.channel.name.span);
    };
    let name = &next.name.value;
    if let Some(key) = next.unknown.iter().find(|key| similar_names::is_similar(&key.value, "replaces")) {
        return (
            format!("{name} is the next version, but its key `{}` is unknown to OLM", key.value),
            key.span,
        );
    }
    match &next.replaces {
        Some(replaces) => {
            (format!("{name} is the next version, but replaces {}", replaces.value), replaces.span)
        }
        None => (format!("{name} is the next version, but replaces nothing"), next.name.span),
    }
}

pub(super) fn replaces_cycle(s: &PackageSubject<'_>, found: &mut Findings) {
    for walk in readable_walks(s) {
        let WalkOutcome::Cycle { head, circle } = &walk.outcome else { continue };
        let channel = walk.channel;
        let Some((first, last)) = circle.first().zip(circle.last()) else { continue };
        let names = circle.iter().chain([first]).map(|entry| entry.name.value.as_str());
        let message = format!(
            "{}: replaces forms a cycle below the head {}: {}",
            format_with_kind("channel", &channel.name.value),
            head.name.value,
            names.collect::<Vec<_>>().join(" -> ")
        );
        // The edge that leads back up closes the cycle.
        let back = last.replaces.as_ref().map_or(last.span, |r| r.span);
        let mut finding = channel_finding(&rules::REPLACES_CYCLE, message, channel)
            .with_bundle(&last.name.value)
            .at_span(channel.doc, back);
        for entry in circle.iter().filter(|entry| entry.name.value != last.name.value) {
            let Some(replaces) = &entry.replaces else { continue };
            let text = format!("{} replaces {} here", entry.name.value, replaces.value);
            finding = finding.with_related(text, channel.doc, replaces.span);
        }
        found.push(finding);
    }
}

pub(super) fn stranded_entry(s: &PackageSubject<'_>, found: &mut Findings) {
    for walk in readable_walks(s) {
        let WalkOutcome::Stopped { chain, stranded } = &walk.outcome else { continue };
        let channel = walk.channel;
        let stranded = s.newest_first(stranded.iter().map(|entry| &entry.name.value));
        let Some(((first, rest), (head, stop))) = stranded.split_first().zip(chain.first().zip(chain.last()))
        else {
            continue;
        };
        let (end, end_at) = match &stop.replaces {
            None => (format!("ends at {}, which replaces nothing", stop.name.value), stop.name.span),
            Some(target) => {
                let why = match walk.skipped_by.get(&target.value) {
                    Some(by) => format!("which {} skips", by.name.value),
                    None => "which is not an entry of the channel".to_owned(),
                };
                (format!("ends at {}, which replaces {}, {why}", stop.name.value, target.value), target.span)
            }
        };
        let message = format!(
            "{}: the replaces chain from the head {} never reaches {}: it {end}",
            format_with_kind("channel", &channel.name.value),
            head.name.value,
            format_list(&stranded)
        );
        let mut finding = channel_finding(&rules::STRANDED_ENTRY, message, channel)
            .with_bundle(first)
            .with_names(&stranded);
        if let Some(entry) = walk.entries.get(first) {
            finding = finding.at_span(channel.doc, entry.name.span);
        }
        finding = finding.with_related("the chain ends here", channel.doc, end_at);
        for name in rest {
            if let Some(entry) = walk.entries.get(name) {
                finding =
                    finding.with_related(format!("{name} is also stranded"), channel.doc, entry.name.span);
            }
        }
        let on_chain: HashSet<&BundleName> = chain.iter().map(|entry| &entry.name.value).collect();
        let stranded: HashSet<&BundleName> = stranded.iter().copied().collect();
        for (entry, replaces) in channel.entries.iter().filter_map(|e| Some((e, e.replaces.as_ref()?))) {
            let name = &entry.name.value;
            if stranded.contains(&replaces.value)
                && !on_chain.contains(name)
                && let Some(by) = walk.skipped_by.get(name)
            {
                let text = format!(
                    "{name} replaces {}, but {} skips {name}, so it is not on the chain",
                    replaces.value, by.name.value
                );
                finding = finding.with_related(text, channel.doc, replaces.span);
            }
        }
        found.push(finding);
    }
}

/// Returns the channels whose entries were all parsed; the shape of other channels is unknown.
fn readable_walks<'s, 'a>(s: &'s PackageSubject<'a>) -> impl Iterator<Item = &'s ChannelWalk<'a>> {
    s.walks.iter().filter(|walk| !s.is_partly_unread(walk.channel.doc))
}

/// Returns true if the shape of a channel is valid, so that its upgrade paths can be checked.
pub(super) fn is_valid(walk: &ChannelWalk<'_>) -> bool {
    matches!(&walk.outcome, WalkOutcome::Stopped { stranded, .. } if stranded.is_empty())
}

/// Returns the names of channels that are invalid or only partly parsed. Upgrades in these
/// channels cannot be checked.
pub fn invalid_channels(package: &Package) -> Vec<&ChannelName> {
    let problems = package.problems.in_documents().filter(|(kind, ..)| kind.is_error());
    let unread: HashSet<DocId> = problems.map(|(_, doc, _)| doc).collect();
    let channels = package.channels.iter();
    let invalid =
        channels.filter(|channel| unread.contains(&channel.doc) || !is_valid(&ChannelWalk::new(channel)));
    invalid.map(|channel| &channel.name.value).collect()
}

fn channel_finding(rule: &'static Rule, message: String, channel: &ChannelBlob) -> Finding {
    Finding::new(rule, message).with_channel(&channel.name.value)
}
