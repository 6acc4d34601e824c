//! Whether users of what is deprecated can get away from it.

use std::collections::{HashMap, HashSet};

use super::{
    channel,
    diagnostic::Diagnostic,
    findings::Findings,
    rules,
    subject::Subject,
    words::{count, list},
};
use crate::{
    catalog::{
        BundleName, ChannelName, DocId, Span,
        blob::{BundleBlob, DeprecationTarget},
    },
    upgrade::{Installed, classic},
};

/// What is deprecated, each with the place that says so.
struct Deprecated<'a> {
    bundles: HashMap<&'a BundleName, (DocId, Span)>,
    channels: HashMap<&'a ChannelName, (DocId, Span)>,
    /// The channels of each bundle.
    homes: HashMap<&'a BundleName, Vec<&'a ChannelName>>,
}

impl<'a> Deprecated<'a> {
    fn new(s: &Subject<'a>) -> Self {
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
        for (channel, entry) in s.entries() {
            homes.entry(&entry.name.value).or_default().push(&channel.name.value);
        }
        Self { bundles, channels, homes }
    }

    /// Where it is said that a bundle, or every channel it is in, is deprecated. A bundle in no channel has none.
    fn place(&self, name: &BundleName) -> Option<(DocId, Span)> {
        let homes = self.homes.get(name)?;
        self.bundles.get(name).copied().or_else(|| {
            let places: Option<Vec<_>> =
                homes.iter().map(|channel| self.channels.get(channel).copied()).collect();
            places?.first().copied()
        })
    }
}

/// A package that is deprecated as a whole is not what this is about: there is nowhere to go in it, and its message
/// says
/// what to do. Users may change the channel, so every channel that offers a successor counts as a way.
pub(super) fn no_undeprecated_way_out(s: &Subject<'_>, found: &mut Findings) {
    if s.package.deprecations.is_empty() || !s.walks.iter().all(channel::is_sound) {
        return;
    }
    let deprecated = Deprecated::new(s);
    let is_alive = |bundle: &&BundleBlob| {
        deprecated.homes.contains_key(&bundle.name.value) && deprecated.place(&bundle.name.value).is_none()
    };
    // Where nothing lives, there is nowhere to go: that is told of the channels and heads.
    if !s.package.bundles.iter().map(|b| &**b).any(|b| is_alive(&b)) {
        return;
    }
    // A deprecated head of a living channel is another rule's, with all that ends there.
    let told: HashSet<&BundleName> = s
        .heads()
        .into_iter()
        .filter(|(head, channels)| {
            deprecated.bundles.contains_key(&head.name.value)
                && channels.iter().any(|channel| !deprecated.channels.contains_key(&channel.name.value))
        })
        .map(|(head, _)| &head.name.value)
        .collect();
    let of_deprecated = s.package.bundles.iter().filter_map(|bundle| {
        let name = &bundle.name.value;
        Some((name, deprecated.place(name).filter(|_| bundle.version.is_some())?))
    });
    let of_deprecated: Vec<(&BundleName, (DocId, Span))> = of_deprecated.collect();
    let is_away = |name: &BundleName| deprecated.place(name).is_none() || told.contains(name);
    let away = get_away(s, of_deprecated.iter().map(|(name, _)| *name), is_away);
    let stuck: Vec<_> = of_deprecated.into_iter().filter(|(name, _)| !away.contains(name)).collect();
    report(s, &deprecated, &stuck, found);
}

/// The bundles among some, and on the way from them, from which upgrades lead to one that is away. Every bundle is
/// asked once
/// what comes next, and then it is told back along the same ways.
pub(super) fn get_away<'s>(
    s: &'s Subject<'_>,
    from: impl Iterator<Item = &'s BundleName>,
    is_away: impl Fn(&BundleName) -> bool,
) -> HashSet<&'s BundleName> {
    let mut before: HashMap<&BundleName, Vec<&BundleName>> = HashMap::new();
    let mut seen: HashSet<&BundleName> = HashSet::new();
    let (mut open, mut told): (Vec<&BundleName>, Vec<&BundleName>) = (from.collect(), Vec::new());
    while let Some(at) = open.pop() {
        if !seen.insert(at) {
            continue;
        }
        if is_away(at) {
            told.push(at);
            continue;
        }
        for next in successors(s, at) {
            before.entry(next).or_default().push(at);
            open.push(next);
        }
    }
    let mut away: HashSet<&BundleName> = HashSet::new();
    while let Some(at) = told.pop() {
        if away.insert(at) {
            told.extend(before.get(at).into_iter().flatten());
        }
    }
    away
}

/// What Classic picks in any channel, and what v1 picks when asked for none.
pub(super) fn successors<'s>(s: &'s Subject<'_>, name: &BundleName) -> Vec<&'s BundleName> {
    let installed = Installed::of(s.package, name);
    let classic = s.graph.channels().iter().filter_map(|upgrades| {
        let chain = upgrades.chain.as_ref().ok()?;
        let pick = classic::pick(&upgrades.graph, chain, &installed)?;
        upgrades.graph.entry(pick).map(|entry| &entry.name.value)
    });
    let v1 = s.v1().and_then(|v1| v1.pick(Some(&installed)).ok());
    classic.chain(v1).filter(|pick| *pick != name).collect()
}

fn report(
    s: &Subject<'_>,
    deprecated: &Deprecated<'_>,
    stuck: &[(&BundleName, (DocId, Span))],
    found: &mut Findings,
) {
    let places: HashMap<&BundleName, (DocId, Span)> = stuck.iter().copied().collect();
    let names = s.newest_first(places.keys().copied());
    let Some((first, (doc, span))) = names.first().and_then(|name| Some((*name, *places.get(*name)?))) else {
        return;
    };
    let message = format!(
        "{} without an upgrade path to a supported bundle: {}",
        count(names.len(), "bundle", "bundles"),
        list(&names)
    );
    let mut finding = Diagnostic::new(&rules::NO_UNDEPRECATED_WAY_OUT, message).bundle(first).at(doc, span);
    finding = finding.names(&names);
    for name in &names {
        if let Some(bundle) = s.package.bundle(name.as_str()) {
            let why = match deprecated.homes.get(*name) {
                Some(homes) if !deprecated.bundles.contains_key(*name) => {
                    let mut homes = homes.clone();
                    homes.sort();
                    homes.dedup();
                    let what =
                        if homes.len() == 1 { "the deprecated channel" } else { "the deprecated channels" };
                    format!("{name} is only in {what} {}", list(homes))
                }
                _ => format!("{name} is deprecated"),
            };
            finding = finding.related(why, bundle.doc, bundle.name.span);
        }
    }
    found.push(finding);
}
