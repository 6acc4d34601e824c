//! Rules about upgrade paths.

use std::collections::{HashMap, HashSet};

use petgraph::graph::NodeIndex;

use super::{
    channel,
    entry::set_entry_edit,
    finding::Finding,
    findings::Findings,
    format::{format_list, format_name, format_with_kind, pluralize},
    rule::{Rule, Severity},
    rules,
    steps::v1_refuses,
    subject::PackageSubject,
    way_out,
};
use olm_catalog::{
    BundleName, Spanned,
    blob::{BundleBlob, ChannelBlob, Deprecation, DeprecationTarget, DeprecationsBlob, Entry},
};
use olm_upgrade::{EdgeKind, Installed, classic, package::ChannelUpgrades};
use olm_version::{Version, VersionRelease};

/// Entry that OLM Classic never leaves.
pub(super) struct BlockedEntry<'a> {
    entry: &'a Entry,
    /// Skipped entries that would lead away from it, each with the entry that skips it.
    pub(super) escapes: Vec<(&'a Entry, &'a Entry)>,
}

/// Returns a finding for each channel with entries that OLM Classic never leaves.
pub(super) fn dead_end_findings(s: &PackageSubject<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for upgrades in valid_channels(s) {
        let channel = &upgrades.graph.channel;
        let Some(head) = head_of(upgrades) else { continue };
        let ends = dead_ends(s, upgrades, head);
        let names = s.newest_first(ends.keys().copied());
        let Some(first) = names.first().and_then(|name| ends.get(*name)) else { continue };
        let message = format!(
            "{} can never upgrade in {} on OLM Classic (head: {}): {}",
            pluralize(names.len(), "entry", "entries"),
            format_with_kind("channel", &channel.name.value),
            head.name.value,
            format_list(&names)
        );
        let mut finding = Finding::new(&rules::DEAD_END, message)
            .with_channel(&channel.name.value)
            .with_bundle(&first.entry.name.value)
            .with_names(&names)
            .at_span(channel.doc, first.entry.name.span);
        // Skipped entries, the entries that skip them, and the bundles that they would lead away
        // from.
        let mut ways: Vec<(&Entry, &Entry, Vec<&BundleName>)> = Vec::new();
        let mut places: HashMap<&BundleName, usize> = HashMap::new();
        for (name, end) in names.iter().filter_map(|name| Some((*name, ends.get(*name)?))) {
            if end.escapes.is_empty() {
                let text = format!("no entry upgrades {name}");
                finding = finding.with_related(text, channel.doc, end.entry.name.span);
            }
            for (way, by) in &end.escapes {
                let place = *places.entry(&way.name.value).or_insert_with(|| {
                    ways.push((way, by, Vec::new()));
                    ways.len() - 1
                });
                if let Some((.., from)) = ways.get_mut(place) {
                    from.push(name);
                }
            }
        }
        for (way, by, from) in ways {
            let skip = by.skips.iter().find(|skip| skip.value == way.name.value);
            let text = format!(
                "{} skips {}, so Classic ignores its edge from {}",
                by.name.value,
                way.name.value,
                format_list(from)
            );
            finding = finding.with_related(text, channel.doc, skip.map_or(by.span, |skip| skip.span));
        }
        let by = first.escapes.first().map_or(head, |(_, by)| *by);
        let mut spec = by.to_spec();
        let known: HashSet<BundleName> = spec.skips.iter().cloned().collect();
        spec.skips.extend(names.iter().filter(|name| !known.contains(**name)).map(|name| (*name).clone()));
        let help = format!("make {} also skip {}", by.name.value, format_list(&names));
        found.push(finding.with_help(help).with_fix(set_entry_edit(channel, by, spec)));
    }
    found
}

/// Returns the channels with a valid shape. The upgrades of other channels are unknown.
fn valid_channels<'a>(s: &PackageSubject<'a>) -> impl Iterator<Item = &'a ChannelUpgrades> {
    let shapes = s.graph.channels().iter().zip(&s.walks);
    shapes.filter(|(_, walk)| channel::is_valid(walk)).map(|(upgrades, _)| upgrades)
}

/// Returns true if an entry has a name. Another rule reports entries without one.
fn is_named(entry: &Entry) -> bool {
    !entry.name.value.as_str().is_empty()
}

fn head_of(upgrades: &ChannelUpgrades) -> Option<&Entry> {
    let chain = upgrades.chain.as_ref().ok()?;
    upgrades.graph.entry(*chain.order.first()?)
}

/// Returns the entries of a channel that OLM Classic never leaves although the head is higher.
pub(super) fn dead_ends<'a>(
    s: &PackageSubject<'a>,
    upgrades: &'a ChannelUpgrades,
    head: &Entry,
) -> HashMap<&'a BundleName, BlockedEntry<'a>> {
    let graph = &upgrades.graph;
    let mut ends = HashMap::new();
    let (Ok(chain), Some(top)) = (&upgrades.chain, s.version_of(&head.name.value)) else { return ends };
    // Ranges must be tested for each bundle; replaces and skips are edges of the graph.
    let has_range = |at: &NodeIndex| graph.entry(*at).is_some_and(|entry| entry.skip_range.is_some());
    let ranged: Vec<NodeIndex> =
        graph.entry_nodes().filter(|at| graph.is_skipped(*at) && has_range(at)).collect();
    for at in graph.entry_nodes() {
        let Some(entry) = graph.entry(at).filter(|entry| is_named(entry)) else { continue };
        let installed = Installed::from_package(s.package, &entry.name.value);
        let is_lower = installed.version.as_ref().is_some_and(|version| version.cmp_precedence(top).is_lt());
        if !is_lower || classic::pick_successor(graph, chain, &installed).is_some_and(|pick| pick != at) {
            continue;
        }
        let named = graph.graph().neighbors(at).filter(|other| graph.is_skipped(*other));
        let mut others: Vec<NodeIndex> =
            named.chain(ranged.iter().copied()).filter(|other| *other != at).collect();
        others.sort_unstable();
        others.dedup();
        let skipped = others.into_iter().filter_map(|other| {
            let by = graph.successors(other, EdgeKind::Skips).next()?;
            Some((graph.entry(other)?, graph.entry(by)?))
        });
        let ways = skipped.filter(|(other, _)| classic::edge_kind(other, &installed).is_some()).collect();
        ends.insert(&entry.name.value, BlockedEntry { entry, escapes: ways });
    }
    ends
}

/// Reports entries of the default channel that OLM v1 upgrades to a bundle outside of that channel.
pub(super) fn v1_escape(s: &PackageSubject<'_>, found: &mut Findings) {
    let (Some(default), Some(v1)) = (s.default_channel(), s.v1_resolver()) else { return };
    let channel = &default.graph.channel;
    let mut moves: Vec<(&BundleName, &BundleName)> = Vec::new();
    for entry in default.graph.entry_nodes().filter_map(|at| default.graph.entry(at)).filter(|e| is_named(e))
    {
        let installed = Installed::from_package(s.package, &entry.name.value);
        if let Ok(pick) = v1.pick(Some(&installed))
            && default.graph.entry_named(pick.as_str()).is_none()
            && *pick != entry.name.value
        {
            moves.push((&entry.name.value, pick));
        }
    }
    let from = s.newest_first(moves.iter().map(|(from, _)| *from));
    let mut to: Vec<&BundleName> = moves.iter().map(|(_, to)| *to).collect();
    to.sort();
    to.dedup();
    let to = s.newest_first(to);
    let Some(first) = from.first().and_then(|name| default.graph.entry_named(name.as_str())) else { return };
    let message = format!(
        "With no channel set, OLM v1 upgrades {} of the default {} to {}, which is not in it: {}",
        pluralize(from.len(), "entry", "entries"),
        format_with_kind("channel", &channel.name.value),
        format_list(&to),
        format_list(&from)
    );
    let mut finding = Finding::new(&rules::V1_ESCAPE, message)
        .with_channel(&channel.name.value)
        .with_bundle(&first.name.value)
        .with_names(&from)
        .at_span(channel.doc, first.name.span);
    for target in to {
        for other in s.graph.channels_with(target) {
            if let Some(entry) = other.graph.entry_named(target.as_str()) {
                let span = entry.skip_range.as_ref().map_or(entry.name.span, |range| range.text.span);
                let other = &other.graph.channel;
                let text =
                    format!("{target}, in {}, upgrades them", format_with_kind("channel", &other.name.value));
                finding =
                    finding.with_edited_entry(&other.name.value, target).with_related(text, other.doc, span);
            }
        }
    }
    let heads = s.heads();
    if heads.iter().all(|(head, _)| v1_refuses(s.catalog, head)) {
        finding.severity = Severity::Note;
        finding = finding
            .with_help("OLM v1 refuses every head of this package anyway; this matters once it accepts one");
    }
    found.push(finding);
}

/// Edge of `replaces` or `skips` from an installed bundle to an entry with a lower version.
struct DowngradeEdge<'a> {
    channel: &'a ChannelBlob,
    entry: &'a Entry,
    verb: &'static str,
    target: &'a Spanned<BundleName>,
    to: &'a VersionRelease,
    from: &'a VersionRelease,
}

impl DowngradeEdge<'_> {
    /// Returns a finding about the edge. `what` is the end of its message.
    fn edge_finding(&self, rule: &'static Rule, what: &str) -> Finding {
        let message = format!(
            "{} {} {} in {}, {what}",
            self.entry.name.value,
            self.verb,
            self.target.value,
            format_with_kind("channel", &self.channel.name.value)
        );
        Finding::new(rule, message)
            .with_channel(&self.channel.name.value)
            .with_bundle(&self.entry.name.value)
            .at_span(self.channel.doc, self.target.span)
    }

    fn is_rebuild(&self) -> bool {
        is_rebuild(&self.to.version, &self.from.version)
    }
}

/// Returns all edges of `replaces` and `skips` that lead to a lower version.
fn downgrade_edges<'a>(s: &PackageSubject<'a>) -> Vec<DowngradeEdge<'a>> {
    let mut edges = Vec::new();
    for channel in s.walks.iter().filter(|walk| channel::is_valid(walk)).map(|walk| walk.channel) {
        for entry in channel.entries.iter().filter(|entry| is_named(entry)) {
            let Some(to) = s.version_of(&entry.name.value) else { continue };
            let replaces = entry.replaces.iter().map(|r| ("replaces", r));
            for (verb, target) in replaces.chain(entry.skips.iter().map(|skip| ("skips", skip))) {
                if let Some(from) = s.version_of(&target.value).filter(|from| to.cmp_precedence(from).is_lt())
                {
                    edges.push(DowngradeEdge { channel, entry, verb, target, to, from });
                }
            }
        }
    }
    edges
}

/// Reports edges of `replaces` and `skips` that lead to a lower version, except for rebuilds.
pub(super) fn downgrade_edge(s: &PackageSubject<'_>, found: &mut Findings) {
    for edge in downgrade_edges(s).iter().filter(|edge| !edge.is_rebuild()) {
        let what = format!("a downgrade from {} to {}", edge.from, edge.to);
        found.push(edge.edge_finding(&rules::DOWNGRADE_EDGE, &what));
    }
}

/// Reports rebuilds that replace or skip the release although their version is a pre-release of it.
pub(super) fn rebuild_below(s: &PackageSubject<'_>, found: &mut Findings) {
    for edge in downgrade_edges(s).iter().filter(|edge| edge.is_rebuild()) {
        let what =
            format!("but {} is a pre-release and lower than {}, so OLM v1 ignores it", edge.to, edge.from);
        let (version, build) = (edge.from.version.without_build(), edge.to.version.pre());
        let help = format!("version the rebuild {version}+{build}, or {version} with release: {build}");
        found.push(edge.edge_finding(&rules::REBUILD_BELOW, &what).with_help(help));
    }
}

/// Returns true if a version is a rebuild of a release: the same version with a counter after a
/// hyphen. `1.0.1-1` is a rebuild of `1.0.1`, but `1.0.1-rc.1` is a pre-release.
fn is_rebuild(version: &Version, of: &Version) -> bool {
    let pre = version.pre();
    let counts = pre.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let word = pre.strip_suffix(counts).unwrap_or_default();
    let is_count = counts.strip_prefix('.').unwrap_or(counts).starts_with(|c: char| c.is_ascii_digit());
    !of.is_prerelease()
        && is_count
        && ["", "r", "p", "build", "rev"].contains(&word)
        && version
            .to_string()
            .strip_prefix(&of.without_build().to_string())
            .is_some_and(|rest| rest.starts_with('-'))
}

/// Reports ranges through which OLM Classic downgrades an entry.
pub(super) fn downgrade_by_range(s: &PackageSubject<'_>, found: &mut Findings) {
    for upgrades in valid_channels(s) {
        let (graph, channel) = (&upgrades.graph, &upgrades.graph.channel);
        let Ok(chain) = &upgrades.chain else { continue };
        let mut down: HashMap<&BundleName, (&Entry, Vec<&BundleName>)> = HashMap::new();
        for entry in graph.entry_nodes().filter_map(|at| graph.entry(at)).filter(|entry| is_named(entry)) {
            let installed = Installed::from_package(s.package, &entry.name.value);
            let pick = classic::pick_successor(graph, chain, &installed).and_then(|at| graph.entry(at));
            let Some((pick, version)) = pick.zip(installed.version.as_ref()) else { continue };
            let is_lower =
                s.version_of(&pick.name.value).is_some_and(|to| to.cmp_precedence(version).is_lt());
            if is_lower && classic::edge_kind(pick, &installed) == Some(EdgeKind::SkipRange) {
                down.entry(&pick.name.value).or_insert((pick, Vec::new())).1.push(&entry.name.value);
            }
        }
        for (name, (entry, from)) in down {
            let Some(range) = &entry.skip_range else { continue };
            let message = format!(
                "OLM Classic downgrades {} of {} to {name}, whose skipRange `{}` includes {}",
                format_list(s.newest_first(from.iter().copied())),
                format_with_kind("channel", &channel.name.value),
                range.text.value,
                if from.len() == 1 { "it" } else { "them" }
            );
            found.push(
                Finding::new(&rules::DOWNGRADE_BY_RANGE, message)
                    .with_channel(&channel.name.value)
                    .with_bundle(name)
                    .at_span(channel.doc, range.text.span),
            );
        }
    }
}

/// Reports deprecated heads of channels that are not deprecated.
pub(super) fn deprecated_head(s: &PackageSubject<'_>, found: &mut Findings) {
    if s.package.deprecation(&DeprecationTarget::Package).is_some() {
        return;
    }
    let mut of_bundles: HashMap<&BundleName, (&DeprecationsBlob, &Deprecation)> = HashMap::new();
    for (blob, deprecation) in
        s.package.deprecations.iter().flat_map(|b| b.entries.iter().map(move |d| (b, d)))
    {
        if let Some(DeprecationTarget::Bundle(name)) = &deprecation.target {
            of_bundles.entry(name).or_insert((blob, deprecation));
        }
    }
    let mut of_heads: Vec<Finding> = Vec::new();
    for (head, mut channels) in s.heads() {
        channels.retain(|channel| s.package.channel_deprecation(&channel.name.value).is_none());
        channels.sort_by_key(|channel| &channel.name.value);
        let name = &head.name.value;
        let ([first, more @ ..], Some((blob, deprecation))) = (channels.as_slice(), of_bundles.get(name))
        else {
            continue;
        };
        let plural = if more.is_empty() { "the channel is" } else { "the channels are" };
        let message = format!(
            "{name}, the head of {}, is deprecated, but {plural} not",
            format_list(channels.iter().map(|channel| format_name("channel", &channel.name.value)))
        );
        let place = |channel: &ChannelBlob| {
            let entry = channel.entries.iter().find(|entry| entry.name.value == *name);
            entry.map_or(channel.name.span, |entry| entry.name.span)
        };
        let mut finding = Finding::new(&rules::DEPRECATED_HEAD, message)
            .with_bundle(name)
            .at_span(first.doc, place(first))
            .with_related("deprecated here", blob.doc, deprecation.span);
        for channel in more {
            finding = finding.with_related(
                format!("also the head of {}", format_name("channel", &channel.name.value)),
                channel.doc,
                place(channel),
            );
        }
        of_heads.push(finding);
    }
    // The finding is about all heads, so it becomes part of the finding about the newest one.
    let newest = s.newest_first(of_heads.iter().filter_map(|finding| finding.bundle.as_ref()));
    let newest = newest.first().map(|name| (*name).clone());
    let first = of_heads.iter_mut().find(|finding| finding.bundle == newest);
    if let Some((first, stuck)) = first.zip(way_out::stuck_at_deprecated_head(s)) {
        first.add_duplicate(stuck);
    }
    found.extend(of_heads);
}

/// Upgrades to deprecated bundles, indexed by the installed bundle.
pub(super) struct DeprecatedUpgrades<'a> {
    /// Versions of the deprecated bundles.
    versions: HashMap<&'a BundleName, Vec<&'a VersionRelease>>,
    /// Deprecated bundles whose entries replace or skip a name.
    by_name: HashMap<&'a BundleName, Vec<&'a BundleName>>,
    /// Entries of deprecated bundles with a range.
    ranged: Vec<&'a Entry>,
}

impl<'a> DeprecatedUpgrades<'a> {
    pub(super) fn new(s: &PackageSubject<'a>, deprecated: &[&'a BundleBlob]) -> Self {
        let mut leads = Self { versions: HashMap::new(), by_name: HashMap::new(), ranged: Vec::new() };
        for bundle in deprecated {
            leads.versions.entry(&bundle.name.value).or_default().extend(&bundle.version);
        }
        for (_, entry) in s.all_entries().filter(|(_, entry)| leads.versions.contains_key(&entry.name.value))
        {
            for from in entry.replaces.iter().chain(&entry.skips) {
                leads.by_name.entry(&from.value).or_default().push(&entry.name.value);
            }
            if entry.skip_range.is_some() {
                leads.ranged.push(entry);
            }
        }
        leads
    }

    /// Returns the deprecated bundles that upgrade an installed bundle.
    pub(super) fn upgrades_from(&self, installed: &Installed) -> impl Iterator<Item = &'a BundleName> {
        let named = self.by_name.get(&installed.name).into_iter().flatten().copied();
        let holds = |entry: &&Entry| {
            installed.version.as_ref().is_some_and(|version| entry.range_matches(&version.version))
        };
        named.chain(self.ranged.iter().copied().filter(holds).map(|entry| &entry.name.value))
    }
}

/// Returns a finding about the versions that OLM v1 never leaves because their upgrades are deprecated.
pub(super) fn deprecation_stop_finding(s: &PackageSubject<'_>) -> Option<Finding> {
    let deprecated: Vec<&BundleBlob> = s
        .package
        .bundles
        .iter()
        .filter(|b| s.package.bundle_deprecation(&b.name.value).is_some())
        .map(|b| &**b)
        .collect();
    let v1 = s.v1_resolver().filter(|_| !deprecated.is_empty())?;
    let leads = DeprecatedUpgrades::new(s, &deprecated);
    let mut stopped: HashMap<&BundleName, &BundleName> = HashMap::new();
    for bundle in &s.package.bundles {
        let name = &bundle.name.value;
        let installed = Installed::from_package(s.package, name);
        let Some(version) = &installed.version else { continue };
        if leads.versions.contains_key(name) || v1.pick(Some(&installed)).ok() != Some(name) {
            continue;
        }
        let is_higher = |target: &&BundleName| {
            let versions = leads.versions.get(*target).into_iter().flatten();
            versions.into_iter().any(|target| target.cmp_precedence(version).is_gt())
        };
        let ways: HashSet<&BundleName> = leads.upgrades_from(&installed).filter(is_higher).collect();
        if let Some(best) = s.newest_first(ways).first() {
            stopped.insert(name, *best);
        }
    }
    let names = s.newest_first(stopped.keys().copied());
    let first = names.first().and_then(|name| s.package.bundle(name.as_str()))?;
    let mut ways: Vec<&BundleName> = stopped.values().copied().collect();
    ways.sort();
    ways.dedup();
    let ways = s.newest_first(ways);
    let message = format!(
        "OLM v1 stays on {}, because its upgrades are deprecated: {}",
        format_list(&names),
        format_list(&ways)
    );
    let finding = Finding::new(&rules::DEPRECATION_STOPS_V1, message).with_bundle(&first.name.value);
    let mut finding = finding.with_names(&names);
    let mut places = s.package.deprecations.iter().flat_map(|b| b.entries.iter().map(move |d| (b, d)));
    let is_way: HashSet<&BundleName> = ways.iter().copied().collect();
    let is_meant = |deprecation: &Deprecation| match &deprecation.target {
        Some(DeprecationTarget::Bundle(name)) => is_way.contains(name),
        _ => false,
    };
    if let Some((blob, deprecation)) = places.find(|(_, deprecation)| is_meant(deprecation)) {
        finding =
            finding.at_span(blob.doc, deprecation.name.as_ref().map_or(deprecation.span, |name| name.span));
    }
    for name in &names {
        if let Some((bundle, way)) = s.package.bundle(name.as_str()).zip(stopped.get(*name)) {
            finding =
                finding.with_related(format!("{name} would upgrade to {way}"), bundle.doc, bundle.name.span);
        }
    }
    Some(finding)
}
