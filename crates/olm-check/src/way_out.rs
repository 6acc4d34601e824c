//! Rule about upgrade paths from deprecated bundles to supported ones.

use std::collections::{HashMap, HashSet};

use super::{
    channel,
    finding::Finding,
    findings::Findings,
    format::{format_list, pluralize},
    rules,
    subject::PackageSubject,
};
use olm_catalog::{
    BundleName, ChannelName, DocId, Span,
    blob::{BundleBlob, DeprecationTarget},
};
use olm_upgrade::{Installed, classic};

/// Deprecated items, each with the position of its deprecation.
struct DeprecatedItems<'a> {
    bundles: HashMap<&'a BundleName, (DocId, Span)>,
    channels: HashMap<&'a ChannelName, (DocId, Span)>,
    /// Channels of each bundle.
    channels_by_bundle: HashMap<&'a BundleName, Vec<&'a ChannelName>>,
}

impl<'a> DeprecatedItems<'a> {
    fn new(s: &PackageSubject<'a>) -> Self {
        let (mut bundles, mut channels) = (HashMap::new(), HashMap::new());
        for (blob, deprecation) in
            s.package.deprecations.iter().flat_map(|b| b.entries.iter().map(move |d| (b, d)))
        {
            let span = deprecation.name.as_ref().map_or(deprecation.span, |name| name.span);
            match &deprecation.target {
                Some(DeprecationTarget::Bundle(name)) => {
                    bundles.entry(name).or_insert((blob.doc, span));
                }
                Some(DeprecationTarget::Channel(name)) => {
                    channels.entry(name).or_insert((blob.doc, span));
                }
                Some(DeprecationTarget::Package) | None => {}
            }
        }
        let mut homes: HashMap<&BundleName, Vec<&ChannelName>> = HashMap::new();
        for (channel, entry) in s.all_entries() {
            homes.entry(&entry.name.value).or_default().push(&channel.name.value);
        }
        Self { bundles, channels, channels_by_bundle: homes }
    }

    /// Returns the position of the deprecation of a bundle, or of its first channel if all of its
    /// channels are deprecated. `None` for a bundle without channels.
    fn deprecation_position(&self, name: &BundleName) -> Option<(DocId, Span)> {
        let homes = self.channels_by_bundle.get(name)?;
        self.bundles.get(name).copied().or_else(|| {
            let places: Option<Vec<_>> =
                homes.iter().map(|channel| self.channels.get(channel).copied()).collect();
            places?.first().copied()
        })
    }
}

/// Reports deprecated bundles without an upgrade path to a supported one. Bundles at a deprecated
/// head of a supported channel belong to the finding about that head.
pub(super) fn no_undeprecated_way_out(s: &PackageSubject<'_>, found: &mut Findings) {
    found.extend(StuckBundles::new(s).and_then(|stuck| stuck.stuck_finding(s, &stuck.without_head)));
}

/// Returns the finding about bundles whose upgrades end at a deprecated head of a supported
/// channel. It becomes part of the finding about that head.
pub(super) fn stuck_at_deprecated_head(s: &PackageSubject<'_>) -> Option<Finding> {
    let stuck = StuckBundles::new(s)?;
    stuck.stuck_finding(s, &stuck.at_head)
}

/// Deprecated bundles without an upgrade path to a supported one.
struct StuckBundles<'a> {
    deprecated: DeprecatedItems<'a>,
    /// Bundles whose upgrades end at a deprecated head of a supported channel.
    at_head: Vec<(&'a BundleName, (DocId, Span))>,
    /// Other stuck bundles.
    without_head: Vec<(&'a BundleName, (DocId, Span))>,
}

impl<'a> StuckBundles<'a> {
    /// Finds stuck bundles. Users may change the channel, so a successor in any channel counts.
    ///
    /// `None` if nothing is deprecated, if no bundle is supported, or if the shape of a channel is
    /// invalid. No bundle is supported if the whole package is deprecated.
    fn new(s: &PackageSubject<'a>) -> Option<Self> {
        if s.package.deprecations.is_empty() || !s.walks.iter().all(channel::is_valid) {
            return None;
        }
        let deprecated = DeprecatedItems::new(s);
        let is_supported = |bundle: &BundleBlob| {
            deprecated.channels_by_bundle.contains_key(&bundle.name.value)
                && deprecated.deprecation_position(&bundle.name.value).is_none()
        };
        // Other findings report that nothing is supported.
        if !s.package.bundles.iter().any(|bundle| is_supported(bundle)) {
            return None;
        }
        let heads = s.heads();
        let heads = heads.iter().filter(|(head, channels)| {
            deprecated.bundles.contains_key(&head.name.value)
                && channels.iter().any(|channel| !deprecated.channels.contains_key(&channel.name.value))
        });
        let heads: HashSet<&BundleName> = heads.map(|(head, _)| &head.name.value).collect();
        let of_deprecated = s.package.bundles.iter().filter_map(|bundle| {
            let name = &bundle.name.value;
            Some((name, deprecated.deprecation_position(name).filter(|_| bundle.version.is_some())?))
        });
        let of_deprecated: Vec<(&BundleName, (DocId, Span))> = of_deprecated.collect();
        let is_supported = |name: &BundleName| deprecated.deprecation_position(name).is_none();
        let is_head = |name: &BundleName| heads.contains(name);
        let names = || of_deprecated.iter().map(|(name, _)| *name);
        let to_supported: HashSet<BundleName> =
            bundles_with_way_out(s, names(), is_supported).into_iter().cloned().collect();
        let to_head: HashSet<BundleName> =
            bundles_with_way_out(s, names(), |name| is_supported(name) || is_head(name))
                .into_iter()
                .cloned()
                .collect();
        let stuck = of_deprecated.into_iter().filter(|(name, _)| !to_supported.contains(*name));
        let (at_head, without_head) = stuck.partition(|(name, _)| to_head.contains(*name));
        Some(Self { deprecated, at_head, without_head })
    }

    fn stuck_finding(
        &self,
        s: &PackageSubject<'_>,
        stuck: &[(&BundleName, (DocId, Span))],
    ) -> Option<Finding> {
        no_way_out_finding(s, &self.deprecated, stuck)
    }
}

/// Returns the bundles from which upgrades lead to an exit: a bundle that matches the predicate.
/// Includes the exits and all bundles on the paths.
///
/// Requests the successors of each bundle once, and then follows the edges back from the exits.
pub(super) fn bundles_with_way_out<'s>(
    s: &'s PackageSubject<'_>,
    from: impl Iterator<Item = &'s BundleName>,
    is_exit: impl Fn(&BundleName) -> bool,
) -> HashSet<&'s BundleName> {
    let mut before: HashMap<&BundleName, Vec<&BundleName>> = HashMap::new();
    let mut seen: HashSet<&BundleName> = HashSet::new();
    let (mut open, mut exits): (Vec<&BundleName>, Vec<&BundleName>) = (from.collect(), Vec::new());
    while let Some(at) = open.pop() {
        if !seen.insert(at) {
            continue;
        }
        if is_exit(at) {
            exits.push(at);
            continue;
        }
        for next in all_successors(s, at) {
            before.entry(next).or_default().push(at);
            open.push(next);
        }
    }
    let mut away: HashSet<&BundleName> = HashSet::new();
    while let Some(at) = exits.pop() {
        if away.insert(at) {
            exits.extend(before.get(at).into_iter().flatten());
        }
    }
    away
}

/// Returns the picks of Classic in all channels and the pick of v1 without a channel.
pub(super) fn all_successors<'s>(s: &'s PackageSubject<'_>, name: &BundleName) -> Vec<&'s BundleName> {
    let installed = Installed::from_package(s.package, name);
    let classic = s.graph.channels().iter().filter_map(|upgrades| {
        let chain = upgrades.chain.as_ref().ok()?;
        let pick = classic::pick_successor(&upgrades.graph, chain, &installed)?;
        upgrades.graph.entry(pick).map(|entry| &entry.name.value)
    });
    let v1 = s.v1_resolver().and_then(|v1| v1.pick(Some(&installed)).ok());
    classic.chain(v1).filter(|pick| *pick != name).collect()
}

/// Returns the finding about stuck bundles; `None` if there are none.
fn no_way_out_finding(
    s: &PackageSubject<'_>,
    deprecated: &DeprecatedItems<'_>,
    stuck: &[(&BundleName, (DocId, Span))],
) -> Option<Finding> {
    let places: HashMap<&BundleName, (DocId, Span)> = stuck.iter().copied().collect();
    let names = s.newest_first(places.keys().copied());
    let (first, (doc, span)) = names.first().and_then(|name| Some((*name, *places.get(*name)?)))?;
    let message = format!(
        "{} without an upgrade path to a supported bundle: {}",
        pluralize(names.len(), "bundle", "bundles"),
        format_list(&names)
    );
    let mut finding =
        Finding::new(&rules::NO_UNDEPRECATED_WAY_OUT, message).with_bundle(first).at_span(doc, span);
    finding = finding.with_names(&names);
    for name in &names {
        if let Some(bundle) = s.package.bundle(name.as_str()) {
            let why = match deprecated.channels_by_bundle.get(*name) {
                Some(homes) if !deprecated.bundles.contains_key(*name) => {
                    let mut homes = homes.clone();
                    homes.sort();
                    homes.dedup();
                    let what =
                        if homes.len() == 1 { "the deprecated channel" } else { "the deprecated channels" };
                    format!("{name} is only in {what} {}", format_list(homes))
                }
                _ => format!("{name} is deprecated"),
            };
            finding = finding.with_related(why, bundle.doc, bundle.name.span);
        }
    }
    Some(finding)
}
