//! What stays of one channel: the entries that are asked for, and those without which opm would reject it.
//!
//! Source of the rules: operator-registry `alpha/model/model.go` (`Channel.Head`, `validateReplacesChain`): the head is the only
//! entry that no other replaces or skips; each other one is on the chain of `replaces` below it, or skipped by some entry.

use std::collections::{HashMap, HashSet};

use crate::{
    catalog::{
        BundleName,
        blob::{ChannelBlob, Entry},
        package::Package,
    },
    version::VersionRelease,
};

/// Why an entry comes along that is not asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Along {
    /// It stands between entries that stay, on the chain of `replaces`.
    Between,
    /// It skips this one, which would be a second head without it.
    Skips(BundleName),
    /// No entry that is asked for can be the only head: it is, and takes the others along.
    Head,
}

/// A channel, ready to be cut.
pub(super) struct Cut<'c> {
    /// In source order.
    names: Vec<&'c BundleName>,
    entries: HashMap<&'c BundleName, &'c Entry>,
    versions: HashMap<&'c BundleName, &'c VersionRelease>,
    /// Who skips an entry, in source order.
    skippers: HashMap<&'c BundleName, Vec<&'c BundleName>>,
    /// The chain from the head down.
    chain: Vec<&'c BundleName>,
}

/// What stays of a channel.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kept<'c> {
    /// The head.
    pub head: &'c BundleName,
    /// The entries, in source order.
    pub entries: Vec<&'c BundleName>,
    /// Those that come along, with why.
    pub along: Vec<(&'c BundleName, Along)>,
}

impl<'c> Cut<'c> {
    /// Looks at a channel.
    ///
    /// # Errors
    ///
    /// Why opm rejects it, in words.
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
            cut.versions.extend(package.version_of(name.as_str()).map(|version| (name, version)));
            for skipped in &entry.skips {
                cut.skippers.entry(&skipped.value).or_default().push(name);
            }
        }
        let all: HashSet<&BundleName> = cut.names.iter().copied().collect();
        let heads = cut.heads(&all);
        let [head] = heads.as_slice() else {
            let names: Vec<&str> = heads.iter().take(3).map(|name| name.as_str()).collect();
            return Err(match names.as_slice() {
                [] => "it has no head".to_owned(),
                names => format!("it has {} heads: {}", heads.len(), names.join(", ")),
            });
        };
        let head = *head;
        cut.chain = cut.line(head).ok_or("its replaces edges are a cycle")?;
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

    /// The entries with a version that is asked for.
    pub fn wanted(&self, wants: impl Fn(&VersionRelease) -> bool) -> HashSet<&'c BundleName> {
        let wants = |name: &&BundleName| self.versions.get(name).is_some_and(|version| wants(version));
        self.names.iter().copied().filter(wants).collect()
    }

    /// The least that stays where these are asked for: with the highest of them for a head that can be one, else with the
    /// lowest entry of the chain that can. `None` where nothing is asked for.
    pub fn keep(&self, wanted: &HashSet<&'c BundleName>) -> Option<Kept<'c>> {
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
        heads.into_iter().chain(others).find_map(|head| self.below(head, wanted))
    }

    /// What stays with a head; `None` where it cannot be the only one.
    fn below(&self, head: &'c BundleName, wanted: &HashSet<&'c BundleName>) -> Option<Kept<'c>> {
        let line = self.line(head)?;
        let places: HashMap<&BundleName, usize> =
            line.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        let mut kept: HashMap<&'c BundleName, Option<Along>> =
            wanted.iter().map(|name| (*name, None)).collect();
        kept.entry(head).or_insert(Some(Along::Head));
        let mut lowest = wanted.iter().filter_map(|name| places.get(name)).max().copied().unwrap_or(0);
        for name in line.iter().take(lowest) {
            kept.entry(name).or_insert(Some(Along::Between));
        }
        // Whoever is beside the chain must be skipped by one that stays.
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
                    let why = if place == at { Along::Skips(name.clone()) } else { Along::Between };
                    kept.entry(name_here).or_insert(Some(why));
                }
                lowest = lowest.max(at);
            } else {
                let skipper = *skippers.first()?;
                kept.insert(skipper, Some(Along::Skips(name.clone())));
                open.push(skipper);
            }
        }
        let stay: HashSet<&BundleName> = kept.keys().copied().collect();
        if self.heads(&stay) != [head] {
            return None;
        }
        let entries: Vec<&'c BundleName> =
            self.names.iter().copied().filter(|name| kept.contains_key(name)).collect();
        let why = |name: &&'c BundleName| Some((*name, kept.get(name)?.clone()?));
        let along = entries.iter().filter_map(why).collect();
        Some(Kept { head, entries, along })
    }

    /// The entries of some that none of these replaces or skips, in source order.
    fn heads(&self, of: &HashSet<&BundleName>) -> Vec<&'c BundleName> {
        let entries = self.names.iter().filter(|name| of.contains(*name)).filter_map(|n| self.entries.get(n));
        let below: HashSet<&BundleName> = entries
            .flat_map(|entry| entry.replaces.iter().chain(&entry.skips))
            .map(|name| &name.value)
            .collect();
        self.names.iter().copied().filter(|name| of.contains(name) && !below.contains(name)).collect()
    }

    /// An entry, what it replaces, and so on as far as there are entries; `None` where that comes back.
    fn line(&self, from: &'c BundleName) -> Option<Vec<&'c BundleName>> {
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

/// The head of a channel as it is, where it has exactly one.
pub(super) fn head(channel: &ChannelBlob) -> Option<BundleName> {
    match channel.heads().as_slice() {
        [head] => Some((*head).clone()),
        _ => None,
    }
}
