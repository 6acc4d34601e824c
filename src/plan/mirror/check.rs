//! Who can still be upgraded where only a filtered catalog is seen: both resolvers are asked before and after the cut.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::{
    cut::filter,
    fault::Fault,
    remedy::{self, Remedy},
    section::{PackageRule, Section},
};
use crate::{
    catalog::{BundleName, Catalog, ChannelName, PackageName, model::DocChange, package::Package},
    upgrade::{
        Engine, Installed, PackageGraph,
        table::{Next, PathEnd, classic_next, follow, v1_next},
        v1::Query,
    },
    validate,
};

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Whose upgrades.
    pub engines: Vec<Engine>,
    /// What is installed, each with the channel it follows where that is told; everything that could be where empty.
    pub installed: Vec<(BundleName, Option<ChannelName>)>,
}

/// What becomes of an installed version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fate {
    /// It ends where it would end without mirroring, or on the mirrored head, which is the channel's.
    Ok,
    /// It ends on the mirrored head, and the catalog's is another.
    Behind,
    /// It would be upgraded, and here nothing takes it.
    Stranded,
    /// It is upgraded, and stays below the mirrored head.
    Short,
    /// Its channel or package is not mirrored.
    Gone,
    /// OLM Classic serves nothing of a catalog that opm rejects.
    Unserved,
}

impl Fate {
    /// Whether somebody is worse off than mirroring would have it.
    pub fn fails(self) -> bool {
        !matches!(self, Self::Ok | Self::Behind)
    }

    /// The name for programs.
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

/// Why installed versions are not upgraded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cause {
    /// Only the head is mirrored, and it does not take everybody.
    HeadsOnly,
    /// What would take it lies below `minVersion`.
    BelowMin,
    /// The head lies above `maxVersion`, or is a pre-release where no bound is one.
    HeadCut,
    /// The channel is not listed, or its package is not.
    NotSelected,
    /// No version of the channel is in range.
    Emptied,
    /// opm rejects what is mirrored.
    Rejected,
}

/// An installed version under one of the OLMs and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Who upgrades.
    pub engine: Engine,
    /// The package.
    pub package: PackageName,
    /// The channel it follows. v1 is asked for this channel alone.
    pub channel: ChannelName,
    /// What is installed.
    pub installed: BundleName,
    /// What becomes of it.
    pub fate: Fate,
    /// Where its upgrades end without mirroring.
    pub before: BundleName,
    /// Where they end with what is mirrored.
    pub after: BundleName,
    /// Why, where it fails.
    pub cause: Option<Cause>,
}

/// What a section does to the users of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// All positions: packages by name, channels and entries in source order.
    pub positions: Vec<Position>,
    /// Why opm would reject what is mirrored; empty where it would not.
    pub rejections: Vec<String>,
    /// For each package in which somebody fails: the smallest change that was found to help.
    pub remedies: Vec<Remedy>,
}

impl Check {
    /// Those who are worse off.
    pub fn failing(&self) -> impl Iterator<Item = &Position> {
        self.positions.iter().filter(|position| position.fate.fails())
    }
}

/// Asks both resolvers before and after the cut.
///
/// # Errors
///
/// Where oc-mirror would not mirror the catalog.
pub fn check(catalog: &Catalog, section: &Section, question: &Question) -> Result<Check, Fault> {
    let filtered = filter(catalog, section)?;
    let rejections = fresh_rejections(&validate::rejections(catalog), &filtered);
    let mut check = Check { positions: Vec::new(), rejections, remedies: Vec::new() };
    for package in catalog.packages().filter(|package| !package.definitions.is_empty()) {
        // What was left out on purpose strands only those who say that they have it.
        if question.installed.is_empty() && !section.keeps(&package.name) {
            continue;
        }
        let found = positions(package, &filtered, section, question, !check.rejections.is_empty());
        if found.iter().any(|position| position.fate.fails()) {
            check.remedies.extend(remedy::of(&only(catalog, package), package, section, question));
        }
        check.positions.extend(found);
    }
    Ok(check)
}

/// Why opm would reject what is mirrored though not for that the catalog itself.
pub(super) fn fresh_rejections(before: &[String], filtered: &Catalog) -> Vec<String> {
    let known: HashSet<&String> = before.iter().collect();
    validate::rejections(filtered).into_iter().filter(|why| !known.contains(why)).collect()
}

/// A catalog with one of its packages only: what is tried there is tried quickly.
pub(in crate::plan) fn only(catalog: &Catalog, package: &Package) -> Catalog {
    let others = catalog.packages().filter(|other| other.name != package.name);
    let gone = others.flat_map(|other| other.documents().collect::<Vec<_>>());
    catalog.with_changes(gone.map(|doc| DocChange::Remove { doc }).collect()).0
}

/// The positions of a package.
pub(super) fn positions(
    package: &Arc<Package>,
    filtered: &Catalog,
    section: &Section,
    question: &Question,
    is_rejected: bool,
) -> Vec<Position> {
    let before = PackageGraph::new(package);
    let after = filtered.package(package.name.as_str()).map(PackageGraph::new);
    let heads = PackageRule::heads(package.name.clone());
    let rule = section.rule(&package.name).unwrap_or(&heads);
    let mut found = Vec::new();
    for channel in &package.channels {
        let name = &channel.name.value;
        let asked = |bundle: &BundleName| {
            question.installed.is_empty()
                || question
                    .installed
                    .iter()
                    .any(|(wanted, of)| wanted == bundle && of.as_ref().is_none_or(|of| of == name))
        };
        let everybody: Vec<Installed> =
            channel.entries.iter().map(|entry| Installed::of(package, &entry.name.value)).collect();
        let head = |graph: &PackageGraph| {
            let channel = graph.channel(name.as_str())?;
            Some(channel.graph.node(channel.graph.head()?)?.name.clone())
        };
        let (old_head, new_head) = (head(&before), after.as_ref().and_then(head));
        for &engine in &question.engines {
            let old = Ends::of(&before, name, engine, &everybody);
            let new = after.as_ref().map(|after| Ends::of(after, name, engine, &everybody));
            for installed in everybody.iter().filter(|installed| asked(&installed.name)) {
                let bundle = &installed.name;
                let (moves, end) = old.get(bundle);
                let (moves_here, here) = new.as_ref().map_or((false, bundle.clone()), |new| new.get(bundle));
                let fate = if is_rejected && engine == Engine::Classic {
                    Fate::Unserved
                } else if new_head.is_none() {
                    Fate::Gone
                } else if Some(&here) == new_head.as_ref() {
                    if new_head == old_head { Fate::Ok } else { Fate::Behind }
                } else if here == end || !moves {
                    Fate::Ok
                } else if moves_here {
                    Fate::Short
                } else {
                    Fate::Stranded
                };
                let cause = fate.fails().then(|| match (fate, rule.range_of(name)) {
                    (Fate::Unserved, _) => Cause::Rejected,
                    (_, None) => Cause::NotSelected,
                    _ if !section.keeps(&package.name) => Cause::NotSelected,
                    (Fate::Gone, _) => Cause::Emptied,
                    (_, Some(range)) if range.is_empty() => Cause::HeadsOnly,
                    _ if new_head != old_head => Cause::HeadCut,
                    _ => Cause::BelowMin,
                });
                found.push(Position {
                    engine,
                    package: package.name.clone(),
                    channel: name.clone(),
                    installed: bundle.clone(),
                    fate,
                    before: end,
                    after: here,
                    cause,
                });
            }
        }
    }
    found
}

/// Where the upgrades of everybody end.
struct Ends(HashMap<BundleName, (bool, PathEnd)>);

impl Ends {
    fn of(graph: &PackageGraph, channel: &ChannelName, engine: Engine, everybody: &[Installed]) -> Self {
        let query = Query { channels: vec![channel.clone()], ..Query::default() };
        let resolver = graph.resolver(&query);
        let upgrades = graph.channel(channel.as_str());
        let next = |installed: &Installed| match (engine, upgrades) {
            (_, None) => Next::Stays,
            (Engine::Classic, Some(upgrades)) => classic_next(upgrades, installed),
            (Engine::V1, Some(_)) => v1_next(&resolver, installed),
        };
        let steps: Vec<(&BundleName, Next)> =
            everybody.iter().map(|installed| (&installed.name, next(installed))).collect();
        let asked: Vec<(&BundleName, &Next)> = steps.iter().map(|(name, next)| (*name, next)).collect();
        let ends = follow(&asked);
        let ends = steps.iter().zip(ends);
        Self(ends.map(|((name, next), end)| ((*name).clone(), (next.target().is_some(), end))).collect())
    }

    /// Whether it is upgraded, and where that ends.
    fn get(&self, bundle: &BundleName) -> (bool, BundleName) {
        self.0.get(bundle).map_or((false, bundle.clone()), |(moves, end)| (*moves, end.name.clone()))
    }
}
