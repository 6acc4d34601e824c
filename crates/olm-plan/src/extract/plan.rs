//! Plan for the kept part of a package, and the minimal valid part of a channel: the requested entries, and
//! those without which opm would reject it.
//!
//! Source of the rules: operator-registry `alpha/model/model.go` (`Channel.Head`, `validateReplacesChain`). The
//! head is the only entry that no other entry replaces or skips. Each other entry is on the chain of `replaces`
//! below it, or is skipped by some entry.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use super::{
    ExtractError, ExtractRequest,
    extraction::{DefaultChannel, ExtractReason, ExtractedChannel, ExtractedPackage},
};
use olm_catalog::{
    BundleName, ChannelName,
    blob::{ChannelBlob, Entry},
    package::Package,
};
use olm_edit::kept_parts::{KeptChannel, KeptPackage};
use olm_version::{Version, VersionRelease, masterminds::Constraint};

/// Planned part of a package.
pub(super) struct PackagePlan<'c> {
    pub package: &'c Arc<Package>,
    why: ExtractReason,
    is_whole: bool,
    channels: BTreeMap<usize, ChannelPart<'c>>,
    default: DefaultChannel,
    set: Option<ChannelName>,
}

/// Planned part of a channel, which is the first with its name.
#[derive(Default)]
struct ChannelPart<'c> {
    /// Entries in the requested ranges; `None` for all entries.
    wanted: Option<HashSet<&'c BundleName>>,
    kept: Option<KeptEntries<'c>>,
    along: Vec<(BundleName, InclusionReason)>,
}

impl<'c> PackagePlan<'c> {
    pub fn new(package: &'c Arc<Package>, why: ExtractReason) -> Self {
        let default = match package.default_channel() {
            Some(default) if package.channel(default.as_str()).is_some() => DefaultChannel::Asked,
            _ => DefaultChannel::Missing,
        };
        Self { package, why, is_whole: false, channels: BTreeMap::new(), default, set: None }
    }

    /// Plans a whole package that another package requires.
    pub fn from_dependency(package: &'c Arc<Package>, why: ExtractReason) -> Self {
        Self { is_whole: true, ..Self::new(package, why) }
    }

    /// Adds a request.
    pub fn add_request(&mut self, wish: &ExtractRequest) -> Result<(), ExtractError> {
        let constraint = wish.constraint()?;
        let places: Vec<usize> = match &wish.channel {
            Some(channel) => vec![self.channel_index(channel)?],
            None if constraint.is_none() => {
                self.is_whole = true;
                return Ok(());
            }
            None => (0..self.package.channels.len()).collect(),
        };
        let mut is_empty = true;
        for at in places {
            let Some(channel) = self.package.channels.get(at) else { continue };
            let wanted = match &constraint {
                None => None,
                Some(constraint) => Some(self.entries_in_range(wish, channel, constraint)?),
            };
            if wanted.as_ref().is_some_and(HashSet::is_empty) {
                continue;
            }
            is_empty = false;
            let known = self.channels.get(&at).map(|part| part.wanted.as_ref());
            // The union of a whole channel and a range is the whole channel.
            let wanted = match (known, wanted) {
                (None, wanted) => wanted,
                (Some(Some(known)), Some(wanted)) => Some(known | &wanted),
                (Some(_), _) => None,
            };
            self.channels.insert(at, ChannelPart { wanted, ..ChannelPart::default() });
        }
        match constraint {
            Some(constraint) if is_empty => Err(self.none_in_range(wish, &constraint)),
            _ => Ok(()),
        }
    }

    fn entries_in_range(
        &self,
        wish: &ExtractRequest,
        channel: &'c ChannelBlob,
        constraint: &Constraint,
    ) -> Result<HashSet<&'c BundleName>, ExtractError> {
        let cut = ChannelCut::new(self.package, channel).map_err(|why| ExtractError::BadChannel {
            wish: wish.to_string(),
            channel: channel.name.value.clone(),
            why,
        })?;
        Ok(cut.matching_entries(|version| constraint.matches(&version.version)))
    }

    fn none_in_range(&self, wish: &ExtractRequest, constraint: &Constraint) -> ExtractError {
        let is_meant = |channel: &&Arc<ChannelBlob>| {
            wish.channel.as_ref().is_none_or(|wanted| channel.name.value == *wanted)
        };
        let entries = self.package.channels.iter().filter(is_meant).flat_map(|channel| &channel.entries);
        let mut versions: Vec<_> =
            entries.filter_map(|entry| self.package.bundle_version(entry.name.value.as_str())).collect();
        versions.sort_by(|a, b| a.cmp_precedence(b));
        let ends = versions.first().zip(versions.last());
        let is_held_back = |version: &Version| {
            let release = Version::new(version.major(), version.minor(), version.patch());
            version.is_prerelease() && constraint.matches(&release)
        };
        ExtractError::NoneInRange {
            wish: wish.to_string(),
            versions: ends.map(|(low, high)| (low.to_string(), high.to_string())),
            prereleases: versions.iter().any(|version| is_held_back(&version.version)),
        }
    }

    fn channel_index(&self, channel: &ChannelName) -> Result<usize, ExtractError> {
        self.package.channel_position(channel.as_str()).ok_or_else(|| ExtractError::NoChannel {
            package: self.package.name.clone(),
            channel: channel.clone(),
            channels: self.package.channels.iter().map(|channel| channel.name.value.clone()).collect(),
        })
    }

    /// Computes the additional entries, after all requests are known.
    pub fn resolve_defaults(&mut self, default: Option<&ChannelName>) -> Result<(), ExtractError> {
        let before = self.package.default_channel();
        if let Some(default) = default {
            let at = self.channel_index(default)?;
            if !self.is_whole && !self.channels.contains_key(&at) {
                let (package, channel) = (self.package.name.clone(), default.clone());
                return Err(ExtractError::DefaultNotExtracted { package, channel });
            }
            if before != Some(default) {
                self.default = DefaultChannel::Set { before: before.cloned() };
                self.set = Some(default.clone());
            }
        }
        if self.is_whole {
            return Ok(());
        }
        let needed = before.filter(|_| self.set.is_none());
        if let Some(at) = needed.and_then(|default| self.package.channel_position(default.as_str()))
            && !self.channels.contains_key(&at)
        {
            self.default = DefaultChannel::Added;
            self.channels.insert(at, ChannelPart::default());
        }
        for (at, part) in &mut self.channels {
            let (Some(channel), Some(wanted)) = (self.package.channels.get(*at), &part.wanted) else {
                continue;
            };
            // The channel was checked before.
            let Ok(cut) = ChannelCut::new(self.package, channel) else { continue };
            if let Some(kept) = cut.keep_entries(wanted) {
                part.along = kept.added.iter().map(|(name, why)| ((*name).clone(), why.clone())).collect();
                part.kept = Some(kept).filter(|kept| kept.entries.len() < channel.entries.len());
            }
        }
        Ok(())
    }

    /// Returns the plan in the form of an edit.
    pub fn to_kept_package(&self) -> KeptPackage {
        let channel = |(at, part): (&usize, &ChannelPart<'c>)| {
            let entries =
                part.kept.as_ref().map(|kept| kept.entries.iter().map(|name| (*name).clone()).collect());
            Some(KeptChannel { channel: self.package.channels.get(*at)?.name.value.clone(), entries })
        };
        KeptPackage {
            package: self.package.name.clone(),
            default_channel: self.set.clone(),
            channels: (!self.is_whole).then(|| self.channels.iter().filter_map(channel).collect()),
        }
    }

    /// Returns the description of the plan.
    pub fn describe_part(&self) -> ExtractedPackage {
        let of = |at: usize| {
            let whole = self.package.channels.get(at)?;
            let part = self.channels.get(&at).filter(|_| !self.is_whole);
            let kept = part.and_then(|part| part.kept.as_ref());
            Some(ExtractedChannel {
                name: whole.name.value.clone(),
                head: kept.map_or_else(|| single_head(whole), |kept| Some(kept.head.clone())),
                entries: kept.map_or(whole.entries.len(), |kept| kept.entries.len()),
                total_entries: whole.entries.len(),
                added: part.map(|part| part.along.clone()).unwrap_or_default(),
                outside: kept.map(|kept| find_outside_targets(whole, kept)).unwrap_or_default(),
                cut: 0,
            })
        };
        let channels: Vec<ExtractedChannel> = if self.is_whole {
            (0..self.package.channels.len()).filter_map(of).collect()
        } else {
            self.channels.keys().copied().filter_map(of).collect()
        };
        ExtractedPackage {
            package: self.package.name.clone(),
            reason: self.why.clone(),
            default_channel: self.set.as_ref().or(self.package.default_channel()).cloned(),
            default: self.default.clone(),
            channels,
            total_channels: self.package.channels.len(),
            bundles: self.count_bundles(),
            total_bundles: self.package.bundles.len(),
            lost_objects: 0,
            changed: Vec::new(),
            cut_v1: 0,
        }
    }

    /// Returns the number of kept bundles.
    fn count_bundles(&self) -> usize {
        if self.is_whole {
            return self.package.bundles.len();
        }
        let mut names: HashSet<&BundleName> = HashSet::new();
        for (at, part) in &self.channels {
            match (&part.kept, self.package.channels.get(*at)) {
                (Some(kept), _) => names.extend(kept.entries.iter().copied()),
                (None, Some(whole)) => names.extend(whole.entries.iter().map(|entry| &entry.name.value)),
                (None, None) => {}
            }
        }
        self.package.bundles.iter().filter(|bundle| names.contains(&bundle.name.value)).count()
    }
}

/// Returns the entries of a part that replace an entry outside of the part.
fn find_outside_targets(whole: &ChannelBlob, kept: &KeptEntries<'_>) -> Vec<(BundleName, BundleName)> {
    let all: HashSet<&BundleName> = whole.entries.iter().map(|entry| &entry.name.value).collect();
    let stay: HashSet<&BundleName> = kept.entries.iter().copied().collect();
    let leads_out = |entry: &Entry| {
        let (name, replaces) = (&entry.name.value, &entry.replaces.as_ref()?.value);
        let is_out = stay.contains(name) && all.contains(replaces) && !stay.contains(replaces);
        is_out.then(|| (name.clone(), replaces.clone()))
    };
    whole.entries.iter().filter_map(leads_out).collect()
}

/// Reason why an entry is included without being requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InclusionReason {
    /// The entry is between kept entries on the chain of `replaces`.
    Between,
    /// The entry skips the given entry, which would otherwise be a second head.
    Skips(BundleName),
    /// The entry is the head, because no requested entry can be the only head.
    Head,
}

/// Channel prepared for the extraction of a part.
struct ChannelCut<'c> {
    /// Names in source order.
    names: Vec<&'c BundleName>,
    entries: HashMap<&'c BundleName, &'c Entry>,
    versions: HashMap<&'c BundleName, &'c VersionRelease>,
    /// For each skipped name, the entries that skip it, in source order.
    skippers: HashMap<&'c BundleName, Vec<&'c BundleName>>,
    /// The chain from the head down.
    chain: Vec<&'c BundleName>,
}

/// Kept part of a channel.
#[derive(Debug, PartialEq, Eq)]
struct KeptEntries<'c> {
    /// Head of the part.
    pub head: &'c BundleName,
    /// Entries in source order.
    pub entries: Vec<&'c BundleName>,
    /// Entries that were not requested, with the reasons.
    pub added: Vec<(&'c BundleName, InclusionReason)>,
}

impl<'c> ChannelCut<'c> {
    /// Analyzes a channel.
    ///
    /// # Errors
    ///
    /// Returns the reason why opm rejects the channel.
    pub fn new(package: &'c Package, channel: &'c ChannelBlob) -> Result<Self, String> {
        let mut cut = Self {
            names: Vec::new(),
            entries: HashMap::new(),
            versions: HashMap::new(),
            skippers: HashMap::new(),
            chain: Vec::new(),
        };
        for entry in &channel.entries {
            let name = &entry.name.value;
            if cut.entries.insert(name, entry).is_some() {
                return Err(format!("{name} is there twice"));
            }
            cut.names.push(name);
            cut.versions.extend(package.bundle_version(name.as_str()).map(|version| (name, version)));
            for skipped in &entry.skips {
                cut.skippers.entry(&skipped.value).or_default().push(name);
            }
        }
        let all: HashSet<&BundleName> = cut.names.iter().copied().collect();
        let heads = cut.list_heads(&all);
        let [head] = heads.as_slice() else {
            let names: Vec<&str> = heads.iter().take(3).map(|name| name.as_str()).collect();
            return Err(match names.as_slice() {
                [] => "it has no head".to_owned(),
                names => format!("it has {} heads: {}", heads.len(), names.join(", ")),
            });
        };
        let head = *head;
        cut.chain = cut.chain_from(head).ok_or("its replaces edges are a cycle")?;
        let on_chain: HashSet<&BundleName> = cut.chain.iter().copied().collect();
        let is_stranded =
            |name: &&&BundleName| !on_chain.contains(**name) && !cut.skippers.contains_key(**name);
        match cut.names.iter().find(is_stranded) {
            Some(stranded) => {
                Err(format!("{stranded} is neither replaced nor skipped on the way from its head"))
            }
            None => Ok(cut),
        }
    }

    /// Returns the entries with a requested version.
    pub fn matching_entries(&self, wants: impl Fn(&VersionRelease) -> bool) -> HashSet<&'c BundleName> {
        let wants = |name: &&BundleName| self.versions.get(name).is_some_and(|version| wants(version));
        self.names.iter().copied().filter(wants).collect()
    }

    /// Returns the smallest valid part with the requested entries. Its head is the requested entry
    /// with the highest version that can be the only head, else the lowest such entry of the chain.
    /// `None` if nothing is requested.
    pub fn keep_entries(&self, wanted: &HashSet<&'c BundleName>) -> Option<KeptEntries<'c>> {
        if wanted.is_empty() {
            return None;
        }
        let mut heads: Vec<&'c BundleName> =
            self.names.iter().copied().filter(|name| wanted.contains(name)).collect();
        heads.sort_by(|a, b| match (self.versions.get(a), self.versions.get(b)) {
            (Some(a), Some(b)) => b.cmp_precedence(a),
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
        let others = self.chain.iter().rev().copied().filter(|name| !wanted.contains(name));
        heads.into_iter().chain(others).find_map(|head| self.build_part(head, wanted))
    }

    /// Returns the part with a given head; `None` if it cannot be the only head.
    fn build_part(&self, head: &'c BundleName, wanted: &HashSet<&'c BundleName>) -> Option<KeptEntries<'c>> {
        let line = self.chain_from(head)?;
        let places: HashMap<&BundleName, usize> =
            line.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        let mut kept: HashMap<&'c BundleName, Option<InclusionReason>> =
            wanted.iter().map(|name| (*name, None)).collect();
        kept.entry(head).or_insert(Some(InclusionReason::Head));
        let mut lowest = wanted.iter().filter_map(|name| places.get(name)).max().copied().unwrap_or(0);
        for name in line.iter().take(lowest) {
            kept.entry(name).or_insert(Some(InclusionReason::Between));
        }
        // A kept entry that is not on the chain must be skipped by a kept entry.
        let mut open: Vec<&'c BundleName> =
            self.names.iter().rev().copied().filter(|name| kept.contains_key(name)).collect();
        while let Some(name) = open.pop() {
            if places.get(name).is_some_and(|at| *at <= lowest) {
                continue;
            }
            let skippers = self.skippers.get(name).map(Vec::as_slice).unwrap_or_default();
            if skippers.iter().any(|skipper| kept.contains_key(skipper)) {
                continue;
            }
            let on_line = skippers.iter().filter_map(|skipper| places.get(skipper)).min().copied();
            if let Some(at) = on_line {
                for (place, name_here) in line.iter().enumerate().take(at + 1) {
                    let why = if place == at {
                        InclusionReason::Skips(name.clone())
                    } else {
                        InclusionReason::Between
                    };
                    kept.entry(name_here).or_insert(Some(why));
                }
                lowest = lowest.max(at);
            } else {
                let skipper = *skippers.first()?;
                kept.insert(skipper, Some(InclusionReason::Skips(name.clone())));
                open.push(skipper);
            }
        }
        let stay: HashSet<&BundleName> = kept.keys().copied().collect();
        if self.list_heads(&stay) != [head] {
            return None;
        }
        let entries: Vec<&'c BundleName> =
            self.names.iter().copied().filter(|name| kept.contains_key(name)).collect();
        let why = |name: &&'c BundleName| Some((*name, kept.get(name)?.clone()?));
        let along = entries.iter().filter_map(why).collect();
        Some(KeptEntries { head, entries, added: along })
    }

    /// Returns the entries of a set that no entry of the set replaces or skips, in source order.
    fn list_heads(&self, of: &HashSet<&BundleName>) -> Vec<&'c BundleName> {
        let entries = self.names.iter().filter(|name| of.contains(*name)).filter_map(|n| self.entries.get(n));
        let below: HashSet<&BundleName> = entries
            .flat_map(|entry| entry.replaces.iter().chain(&entry.skips))
            .map(|name| &name.value)
            .collect();
        self.names.iter().copied().filter(|name| of.contains(name) && !below.contains(name)).collect()
    }

    /// Returns the chain of `replaces` from an entry down; `None` for a cycle.
    fn chain_from(&self, from: &'c BundleName) -> Option<Vec<&'c BundleName>> {
        let mut line = Vec::new();
        let mut seen = HashSet::new();
        let mut here = self.entries.get(from).copied();
        while let Some(entry) = here {
            let name = &entry.name.value;
            if !seen.insert(name) {
                return None;
            }
            line.push(name);
            here = entry.replaces.as_ref().and_then(|below| self.entries.get(&below.value)).copied();
        }
        Some(line)
    }
}

/// Returns the only head of a channel, if it has exactly one.
fn single_head(channel: &ChannelBlob) -> Option<BundleName> {
    match channel.heads().as_slice() {
        [head] => Some((*head).clone()),
        _ => None,
    }
}
