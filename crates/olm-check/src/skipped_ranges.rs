//! Rule about ranges of skipped entries, which OLM Classic ignores.

use std::collections::{BTreeSet, HashSet};

use super::{
    channel,
    finding::Finding,
    findings::Findings,
    format::{format_list, format_with_kind, pluralize},
    rules,
    subject::PackageSubject,
};
use olm_catalog::{BundleName, blob::Entry, package::version_in_name};
use olm_upgrade::{EdgeKind, package::ChannelUpgrades};
use olm_version::{
    Version,
    blang::{Alternative, Coverage, Range, VersionInterval},
};

/// Maximum number of versions that a finding names.
const MAX_VERSIONS: usize = 3;

/// Skipped entry with the versions that only its range includes.
struct IgnoredRange<'a> {
    entry: &'a Entry,
    /// Entry that skips it.
    skipped_by: &'a Entry,
    /// Lowest such version of each alternative of the range.
    versions: Vec<Version>,
}

/// Reports skipped entries whose range includes versions that no range of another entry includes.
/// Such a version is not in the catalog; the reports about stuck versions do not know it.
pub(super) fn skipped_range(s: &PackageSubject<'_>, found: &mut Findings) {
    let shapes = s.graph.channels().iter().zip(&s.walks);
    for (upgrades, _) in shapes.filter(|(_, walk)| channel::is_valid(walk)) {
        let ignored = ignored_ranges(s, upgrades);
        let names = s.newest_first(ignored.iter().map(|it| &it.entry.name.value));
        let position = |name: &BundleName| ignored.iter().position(|it| it.entry.name.value == *name);
        let Some(newest) = names.first().and_then(|name| ignored.get(position(name)?)) else { continue };
        let Some(range) = &newest.entry.skip_range else { continue };
        let versions: BTreeSet<_> = ignored.iter().flat_map(|it| &it.versions).map(numbers).collect();
        let versions = versions.into_iter().take(MAX_VERSIONS);
        let versions = format_list(versions.map(|(major, minor, patch)| Version::new(major, minor, patch)));
        let graph = &upgrades.graph;
        let channel = format_with_kind("channel", graph.name());
        let message = if names.len() == 1 {
            format!(
                "OLM Classic ignores skipRange `{}` of {} in {channel}, because {} skips the entry: no other \
                 range includes {versions}",
                range.text.value, newest.entry.name.value, newest.skipped_by.name.value
            )
        } else {
            format!(
                "OLM Classic ignores the ranges of {} of {channel}: {}; no other range includes {versions}",
                pluralize(names.len(), "skipped entry", "skipped entries"),
                format_list(&names)
            )
        };
        let doc = graph.channel.doc;
        let mut finding = Finding::new(&rules::SKIPPED_RANGE, message)
            .with_channel(graph.name())
            .with_bundle(&newest.entry.name.value)
            .with_names(&names)
            .at_span(doc, range.text.span);
        let skip = newest.skipped_by.skips.iter().find(|skip| skip.value == newest.entry.name.value);
        if let Some(skip) = skip {
            finding =
                finding.with_related(format!("{} skips it", newest.skipped_by.name.value), doc, skip.span);
        }
        if let Some(head) = graph.head() {
            let help =
                format!("let the skipRange of {} include them, if users may have such versions", head.name);
            finding = finding.with_help(help);
        }
        found.push(finding);
    }
}

/// Returns the skipped entries of a channel whose range includes versions below the head that
/// cannot upgrade otherwise.
fn ignored_ranges<'a>(s: &PackageSubject<'_>, upgrades: &'a ChannelUpgrades) -> Vec<IgnoredRange<'a>> {
    let graph = &upgrades.graph;
    let Ok(chain) = &upgrades.chain else { return Vec::new() };
    let Some(top) = graph.head().and_then(|head| head.version.as_ref()) else { return Vec::new() };
    let skipped: Vec<(&Entry, &Entry, &Range)> = graph
        .entry_nodes()
        .filter_map(|at| {
            let by = graph.entry(graph.successors(at, EdgeKind::Skips).next()?)?;
            let entry = graph.entry(at).filter(|entry| !entry.name.value.as_str().is_empty())?;
            Some((entry, by, readable_range(entry)?))
        })
        .collect();
    if skipped.is_empty() {
        return Vec::new();
    }
    let on_chain = || chain.order.iter().filter_map(|&at| graph.entry(at));
    let covered = Coverage::from_ranges(on_chain().filter_map(readable_range));
    let is_known = upgradable_versions(s, on_chain());
    let own = skipped.iter().flat_map(|(.., range)| range.alternatives()).filter_map(Alternative::interval);
    let intervals: Vec<VersionInterval> = own.chain(covered.intervals().iter().cloned()).collect();
    let bounds = intervals.iter().flat_map(VersionInterval::bounds);
    let mut samples: Vec<Version> = bounds.map(release_at_or_above).collect();
    samples.sort_by(Version::cmp_precedence);
    samples.dedup();
    samples.retain(|version| {
        version.cmp_precedence(&top.version).is_lt()
            && !is_known.contains(&numbers(version))
            && !covered.includes(version)
    });
    let lowest_sample = |alternative: &Alternative| {
        let low = alternative.interval()?.low;
        let first = samples.partition_point(|version| version.cmp_precedence(&low).is_lt());
        samples.get(first).filter(|version| alternative.matches(version)).cloned()
    };
    let ignored = skipped.into_iter().map(|(entry, skipped_by, range)| {
        let versions = range.alternatives().iter().filter_map(lowest_sample).collect();
        IgnoredRange { entry, skipped_by, versions }
    });
    ignored.filter(|it| !it.versions.is_empty()).collect()
}

/// Returns the range of an entry, unless it is invalid or crashes OLM, which other rules report.
fn readable_range(entry: &Entry) -> Option<&Range> {
    entry.skip_range.as_ref()?.range.as_ref().ok().filter(|range| !range.may_crash())
}

/// Returns the releases that are in the package, or that an entry on the chain replaces or skips.
fn upgradable_versions<'a>(
    s: &PackageSubject<'_>,
    on_chain: impl Iterator<Item = &'a Entry>,
) -> HashSet<(u64, u64, u64)> {
    let published = s.package.bundles.iter().filter_map(|bundle| bundle.version.as_ref());
    let published = published.map(|version| version.version.clone());
    let named = on_chain.flat_map(|entry| entry.replaces.iter().chain(&entry.skips));
    let named = named.filter_map(|name| Version::parse(version_in_name(name.value.as_str())?).ok());
    published
        .chain(named)
        .filter(|version| !version.is_prerelease())
        .map(|version| numbers(&version))
        .collect()
}

fn numbers(version: &Version) -> (u64, u64, u64) {
    (version.major(), version.minor(), version.patch())
}

/// Returns the lowest version without a pre-release at or above a bound, from 0.0.1. Catalogs that
/// omit the pre-releases of a bound are normal.
fn release_at_or_above(bound: &Version) -> Version {
    match numbers(bound) {
        (0, 0, 0) => Version::new(0, 0, 1),
        (major, minor, patch) => Version::new(major, minor, patch),
    }
}
