//! Minimal valid part of a channel: the requested entries, and those without which opm would reject
//! it.
//!
//! Source of the rules: operator-registry `alpha/model/model.go` (`Channel.Head`,
//! `validateReplacesChain`). The head is the only entry that no other entry replaces or skips. Each
//! other entry is on the chain of `replaces` below it, or is skipped by some entry.

use std::collections::{HashMap, HashSet};

use olm_catalog::{
    BundleName,
    blob::{ChannelBlob, Entry},
    package::Package,
};
use olm_version::VersionRelease;

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
pub(super) struct ChannelCut<'c> {
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
pub(super) struct KeptEntries<'c> {
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
pub(super) fn single_head(channel: &ChannelBlob) -> Option<BundleName> {
    match channel.heads().as_slice() {
        [head] => Some((*head).clone()),
        _ => None,
    }
}
