//! Upgrades with only the filtered catalog: compares the resolver results before and after filtering.

use std::{collections::HashSet, sync::Arc};

use super::{
    MirrorError, Reduction, Remedy,
    filter::filter_catalog,
    section::{PackageRule, Section},
};
use olm_catalog::{
    BundleName, Catalog, ChannelName, PackageName, blob::ChannelBlob, model::DocChange, package::Package,
};
use olm_upgrade::{
    Engine, Installed, PackageGraph,
    table::{NextUpgrade, PathEnd, classic_next, find_path_ends, v1_next},
    v1::Query,
};

/// Upgrades to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckQuestion {
    /// The OLM engines.
    pub engines: Vec<Engine>,
    /// The installed bundles, each with its channel if known. If empty, every entry of the catalog is checked.
    pub installed: Vec<(BundleName, Option<ChannelName>)>,
}

/// Impact of filtering on an installed version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FilterImpact {
    /// The upgrades end where they end without filtering, or on the channel's head, which is also the filtered
    /// head.
    Ok,
    /// The upgrades end on the filtered head, which is not the head in the catalog.
    Behind,
    /// The version has an upgrade in the catalog, but none in the filtered catalog.
    Stranded,
    /// The version has upgrades, but they end below the filtered head.
    Short,
    /// The channel or the package is not in the filtered catalog.
    Gone,
    /// opm rejects the filtered catalog, so OLM Classic serves nothing from it.
    Unserved,
}

impl FilterImpact {
    /// Returns true if the version loses upgrades that a mirror should keep.
    pub fn is_failure(self) -> bool {
        !matches!(self, Self::Ok | Self::Behind)
    }

    /// Returns the name for machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Behind => "behind",
            Self::Stranded => "stranded",
            Self::Short => "short",
            Self::Gone => "gone",
            Self::Unserved => "unserved",
        }
    }
}

/// The reason why an installed version loses its upgrades.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cause {
    /// Only the head is mirrored, and the head does not upgrade every version.
    HeadsOnly,
    /// The entry that upgrades the version is below `minVersion`.
    BelowMin,
    /// The head is above `maxVersion`, or it is a pre-release and no bound is a pre-release.
    HeadCut,
    /// The configuration does not select the channel or the package.
    NotSelected,
    /// No version of the channel matches the range.
    Emptied,
    /// opm rejects the filtered catalog.
    Rejected,
}

/// An installed version in one channel and one engine, with the effect of filtering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledPosition {
    /// The OLM engine.
    pub engine: Engine,
    /// The name of the package.
    pub package: PackageName,
    /// The channel. OLM v1 is resolved with only this channel.
    pub channel: ChannelName,
    /// The installed bundle.
    pub installed: BundleName,
    /// The effect of filtering.
    pub impact: FilterImpact,
    /// The end of the upgrade path without filtering.
    pub before: BundleName,
    /// The end of the upgrade path in the filtered catalog.
    pub after: BundleName,
    /// The cause if the fate is a failure.
    pub cause: Option<Cause>,
}

/// The effects of an operator section on the installed versions of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirrorCheck {
    /// All positions. Packages are sorted by name, channels and entries are in source order.
    pub positions: Vec<InstalledPosition>,
    /// The reasons why opm rejects the filtered catalog. Empty if it accepts the catalog.
    pub rejections: Vec<String>,
    /// The smallest known change that helps, for each package with failures.
    pub remedies: Vec<Remedy>,
    /// Parts that the mirror can leave out, for packages without failures.
    pub reductions: Vec<Reduction>,
}

impl MirrorCheck {
    /// Returns the positions that fail.
    pub fn failures(&self) -> impl Iterator<Item = &InstalledPosition> {
        self.positions.iter().filter(|position| position.impact.is_failure())
    }
}

/// Checks the upgrades before and after filtering.
///
/// # Errors
///
/// Returns an error if oc-mirror does not mirror the catalog.
pub fn check_upgrades(
    catalog: &Catalog,
    section: &Section,
    question: &CheckQuestion,
) -> Result<MirrorCheck, MirrorError> {
    let filtered = filter_catalog(catalog, section)?;
    let rejections = new_rejections(&olm_check::rejection_messages(catalog), &filtered);
    let mut check =
        MirrorCheck { positions: Vec::new(), rejections, remedies: Vec::new(), reductions: Vec::new() };
    for package in catalog.packages().filter(|package| !package.definitions.is_empty()) {
        // A package that the section excludes on purpose matters only if it is installed.
        if question.installed.is_empty() && !section.selects(&package.name) {
            continue;
        }
        let before = UnfilteredUpgrades::for_engines(package, &question.engines);
        let found = check_positions(&before, &filtered, section, question, !check.rejections.is_empty());
        if found.iter().any(|position| position.impact.is_failure()) {
            check.remedies.extend(super::find_remedy(
                &only_package(catalog, package),
                &before,
                section,
                question,
            ));
        } else if !found.is_empty()
            && check.rejections.is_empty()
            && section.rule_for(&package.name).is_some()
        {
            let alone = only_package(catalog, package);
            check
                .reductions
                .extend(super::reduction::find_reductions(&alone, package, &filtered, section, question));
        }
        check.positions.extend(found);
    }
    Ok(check)
}

/// Returns the reasons why opm rejects the filtered catalog, without those that also apply to the whole
/// catalog.
pub(super) fn new_rejections(before: &[String], filtered: &Catalog) -> Vec<String> {
    let known: HashSet<&String> = before.iter().collect();
    olm_check::rejection_messages(filtered).into_iter().filter(|why| !known.contains(why)).collect()
}

/// Returns the catalog reduced to a single package, to make repeated filtering fast.
pub(crate) fn only_package(catalog: &Catalog, package: &Package) -> Catalog {
    let others = catalog.packages().filter(|other| other.name != package.name);
    let gone = others.flat_map(|other| other.documents().collect::<Vec<_>>());
    catalog.with_changes(gone.map(|doc| DocChange::Remove { doc }).collect()).0
}

/// Upgrades of the entries of a package without filtering. They do not depend on the configuration.
pub(super) struct UnfilteredUpgrades<'p> {
    pub package: &'p Arc<Package>,
    channels: Vec<UnfilteredChannel<'p>>,
}

/// Upgrades of the entries of a channel without filtering.
struct UnfilteredChannel<'p> {
    name: &'p ChannelName,
    entries: Vec<Installed>,
    head: Option<BundleName>,
    /// The ends of the upgrade paths for each engine of the question.
    ends: Vec<(Engine, PathEnds)>,
}

impl<'p> UnfilteredUpgrades<'p> {
    pub fn for_engines(package: &'p Arc<Package>, engines: &[Engine]) -> Self {
        let graph = PackageGraph::new(package);
        let channel = |channel: &'p Arc<ChannelBlob>| {
            let name = &channel.name.value;
            let entries = channel.entries.iter();
            let entries: Vec<Installed> =
                entries.map(|entry| Installed::from_package(package, &entry.name.value)).collect();
            let ends = engines
                .iter()
                .map(|engine| (*engine, PathEnds::new(&graph, name, *engine, &entries)))
                .collect();
            UnfilteredChannel { name, head: find_head(&graph, name), entries, ends }
        };
        Self { package, channels: package.channels.iter().map(channel).collect() }
    }
}

fn find_head(graph: &PackageGraph, channel: &ChannelName) -> Option<BundleName> {
    Some(graph.channel(channel.as_str())?.graph.head()?.name.clone())
}

pub(super) fn check_positions(
    unfiltered: &UnfilteredUpgrades<'_>,
    filtered: &Catalog,
    section: &Section,
    question: &CheckQuestion,
    is_rejected: bool,
) -> Vec<InstalledPosition> {
    let package = unfiltered.package;
    let after = filtered.package(package.name.as_str()).map(PackageGraph::new);
    let heads = PackageRule::heads_only(package.name.clone());
    let rule = section.rule_for(&package.name).unwrap_or(&heads);
    let mut found = Vec::new();
    for UnfilteredChannel { name, entries, head: old_head, ends } in &unfiltered.channels {
        let name = *name;
        let asked = |bundle: &BundleName| {
            question.installed.is_empty()
                || question
                    .installed
                    .iter()
                    .any(|(wanted, of)| wanted == bundle && of.as_ref().is_none_or(|of| of == name))
        };
        let new_head = after.as_ref().and_then(|graph| find_head(graph, name));
        for (engine, old) in ends {
            let engine = *engine;
            let new = after.as_ref().map(|after| PathEnds::new(after, name, engine, entries));
            for (at, installed) in entries.iter().enumerate().filter(|(_, entry)| asked(&entry.name)) {
                let bundle = &installed.name;
                let (moves, end) = old.end_of(at, bundle);
                let (moves_here, here) =
                    new.as_ref().map_or((false, bundle.clone()), |new| new.end_of(at, bundle));
                let fate = if is_rejected && engine == Engine::Classic {
                    FilterImpact::Unserved
                } else if new_head.is_none() {
                    FilterImpact::Gone
                } else if Some(&here) == new_head.as_ref() {
                    if new_head == *old_head { FilterImpact::Ok } else { FilterImpact::Behind }
                } else if here == end || !moves {
                    FilterImpact::Ok
                } else if moves_here {
                    FilterImpact::Short
                } else {
                    FilterImpact::Stranded
                };
                let cause = fate.is_failure().then(|| match (fate, rule.range_of(name)) {
                    (FilterImpact::Unserved, _) => Cause::Rejected,
                    (_, None) => Cause::NotSelected,
                    _ if !section.selects(&package.name) => Cause::NotSelected,
                    (FilterImpact::Gone, _) => Cause::Emptied,
                    (_, Some(range)) if range.is_empty() => Cause::HeadsOnly,
                    _ if new_head != *old_head => Cause::HeadCut,
                    _ => Cause::BelowMin,
                });
                found.push(InstalledPosition {
                    engine,
                    package: package.name.clone(),
                    channel: name.clone(),
                    installed: bundle.clone(),
                    impact: fate,
                    before: end,
                    after: here,
                    cause,
                });
            }
        }
    }
    found
}

/// For each installed version, in order, whether it is upgraded, and the end of its upgrade path.
struct PathEnds(Vec<(bool, PathEnd)>);

impl PathEnds {
    fn new(graph: &PackageGraph, channel: &ChannelName, engine: Engine, everybody: &[Installed]) -> Self {
        let query = Query { channels: vec![channel.clone()], ..Query::default() };
        let resolver = graph.v1_resolver(&query);
        let upgrades = graph.channel(channel.as_str());
        let next = |installed: &Installed| match (engine, upgrades) {
            (_, None) => NextUpgrade::Stays,
            (Engine::Classic, Some(upgrades)) => classic_next(upgrades, installed),
            (Engine::V1, Some(_)) => v1_next(&resolver, installed),
        };
        let steps: Vec<(&BundleName, NextUpgrade)> =
            everybody.iter().map(|installed| (&installed.name, next(installed))).collect();
        let asked: Vec<(&BundleName, &NextUpgrade)> =
            steps.iter().map(|(name, next)| (*name, next)).collect();
        let ends = find_path_ends(&asked);
        Self(steps.iter().map(|(_, next)| next.target().is_some()).zip(ends).collect())
    }

    /// Returns whether the bundle at an index is upgraded, and the end of its upgrade path.
    fn end_of(&self, at: usize, bundle: &BundleName) -> (bool, BundleName) {
        self.0.get(at).map_or((false, bundle.clone()), |(moves, end)| (*moves, end.name.clone()))
    }
}
