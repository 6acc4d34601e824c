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
    blang::{Alternative, Operator, Range},
};

/// Maximum number of versions that a finding names.
const MAX_VERSIONS: usize = 3;

/// Versions from the first one to below the second one; `None` for no upper bound.
type Interval = (Version, Option<Version>);

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
    let own = skipped.iter().flat_map(|(.., range)| range.alternatives().iter().filter_map(to_interval));
    let mut samples: Vec<Version> = own
        .chain(covered.intervals.iter().cloned())
        .flat_map(|(low, high)| [Some(low), high])
        .flatten()
        .map(|bound| release_at_or_above(&bound))
        .collect();
    samples.sort_by(Version::cmp_precedence);
    samples.dedup();
    samples.retain(|version| {
        version.cmp_precedence(&top.version).is_lt()
            && !is_known.contains(&numbers(version))
            && !covered.includes(version)
    });
    let lowest_sample = |alternative: &Alternative| {
        let (low, _) = to_interval(alternative)?;
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

/// Returns the interval of an alternative without its `!=`; `None` if it is empty.
fn to_interval(alternative: &Alternative) -> Option<Interval> {
    let mut low = Version::parse("0.0.0-0").ok()?;
    let mut high: Option<Version> = None;
    for comparator in alternative.comparators() {
        let version = &comparator.version;
        let (least, end) = match comparator.operator {
            Operator::NotEqual => continue,
            Operator::Equal => (Some(version.clone()), version.successor()),
            Operator::GreaterOrEqual => (Some(version.clone()), None),
            Operator::Greater => (Some(version.successor()?), None),
            Operator::Less => (None, Some(version.clone())),
            Operator::LessOrEqual => (None, version.successor()),
        };
        if let Some(least) = least.filter(|least| least.cmp_precedence(&low).is_gt()) {
            low = least;
        }
        if let Some(end) = end
            && high.as_ref().is_none_or(|high| end.cmp_precedence(high).is_lt())
        {
            high = Some(end);
        }
    }
    let is_empty = alternative.comparators().is_empty()
        || high.as_ref().is_some_and(|high| high.cmp_precedence(&low).is_le());
    (!is_empty).then_some((low, high))
}

/// Returns true if an upper bound is above another one.
fn is_later(bound: Option<&Version>, other: Option<&Version>) -> bool {
    other.is_some_and(|other| bound.is_none_or(|bound| bound.cmp_precedence(other).is_gt()))
}

/// Versions that at least one of several ranges includes. An excluded version (`!=`) counts as
/// included, so that a rule rather misses a version than reports one by mistake.
struct Coverage {
    /// Sorted, without overlaps.
    intervals: Vec<Interval>,
}

impl Coverage {
    fn from_ranges<'a>(ranges: impl Iterator<Item = &'a Range>) -> Self {
        let mut sorted: Vec<Interval> =
            ranges.flat_map(|range| range.alternatives().iter().filter_map(to_interval)).collect();
        sorted.sort_by(|(a, _), (b, _)| a.cmp_precedence(b));
        let mut intervals: Vec<Interval> = Vec::new();
        for (low, high) in sorted {
            let touches =
                |end: &Option<Version>| end.as_ref().is_none_or(|end| low.cmp_precedence(end).is_le());
            match intervals.last_mut().filter(|(_, end)| touches(end)) {
                Some((_, end)) if is_later(high.as_ref(), end.as_ref()) => *end = high,
                Some(_) => {}
                None => intervals.push((low, high)),
            }
        }
        Self { intervals }
    }

    fn includes(&self, version: &Version) -> bool {
        let after = self.intervals.partition_point(|(low, _)| low.cmp_precedence(version).is_le());
        let before = after.checked_sub(1).and_then(|at| self.intervals.get(at));
        before.is_some_and(|(_, high)| high.as_ref().is_none_or(|high| version.cmp_precedence(high).is_lt()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage(ranges: &[&str]) -> Coverage {
        let ranges: Vec<Range> = ranges.iter().map(|text| Range::parse(text).unwrap()).collect();
        Coverage::from_ranges(ranges.iter())
    }

    #[test]
    fn coverage_merges_touching_intervals() {
        let covered = coverage(&[">=2.0.0 <3.0.0", ">=1.0.0 <=1.4.9", ">=1.5.0-0 <2.0.0 || =4.0.0"]);
        for (version, is_covered) in [
            ("0.9.9", false),
            ("1.0.0", true),
            ("1.4.9", true),
            ("1.4.10", false),
            ("1.5.0", true),
            ("2.9.9", true),
            ("3.0.0", false),
            ("4.0.0", true),
            ("4.0.1", false),
        ] {
            assert_eq!(covered.includes(&Version::parse(version).unwrap()), is_covered, "{version}");
        }
        assert_eq!(covered.intervals.len(), 3);
    }

    #[test]
    fn range_without_upper_bound_covers_all_later_versions() {
        let covered = coverage(&[">1.0.0", "<0.5.0", ">=0.4.0 <1.0.0", ">=2.0.0 <3.0.0"]);
        for (version, is_covered) in [("0.1.0", true), ("1.0.0", false), ("1.0.1", true), ("99.0.0", true)] {
            assert_eq!(covered.includes(&Version::parse(version).unwrap()), is_covered, "{version}");
        }
    }

    #[test]
    fn impossible_alternatives_cover_nothing() {
        assert_eq!(coverage(&[">=2.0.0 <1.0.0", ">1.0.0 <1.0.1-0"]).intervals.len(), 0);
    }
}
